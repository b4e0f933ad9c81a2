"""Arithmetic, comparisons, bits, conversions and derivatives of scalars and vectors."""

from __future__ import annotations

from frontends.spirv.emit.code import ABSOLUTE, NEGATE, Ref, Refs, immediate
from frontends.spirv.emit.registry import emits
from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import Float, is_wide, scalar
from tgsi.language.literals import float_bits

# instruction -> opcode for 32 bits, opcode for 64 bits; `-` in front: the second operand is negated, `~`: operands change places
_TWO: dict[str, tuple[str, str]] = {
    "IAdd": ("UADD", "U64ADD"),
    "IMul": ("UMUL", "U64MUL"),
    "FAdd": ("ADD", "DADD"),
    "FMul": ("MUL", "DMUL"),
    "FDiv": ("DIV", "DDIV"),
    "UDiv": ("UDIV", "U64DIV"),
    "SDiv": ("IDIV", "I64DIV"),
    "UMod": ("UMOD", "U64MOD"),
    "SRem": ("MOD", "I64MOD"),
    "BitwiseAnd": ("AND", "AND"),
    "BitwiseOr": ("OR", "OR"),
    "BitwiseXor": ("XOR", "XOR"),
    "LogicalAnd": ("AND", ""),
    "LogicalOr": ("OR", ""),
    "LogicalNotEqual": ("XOR", ""),
    "LogicalEqual": ("USEQ", ""),
}
_WORDWISE = frozenset({"AND", "OR", "XOR", "NOT"})

# instruction -> opcodes, operands exchanged, result negated
_COMPARISONS: dict[str, tuple[str, str, bool, bool]] = {
    "IEqual": ("USEQ", "U64SEQ", False, False),
    "INotEqual": ("USNE", "U64SNE", False, False),
    "UGreaterThan": ("USLT", "U64SLT", True, False),
    "UGreaterThanEqual": ("USGE", "U64SGE", False, False),
    "ULessThan": ("USLT", "U64SLT", False, False),
    "ULessThanEqual": ("USGE", "U64SGE", True, False),
    "SGreaterThan": ("ISLT", "I64SLT", True, False),
    "SGreaterThanEqual": ("ISGE", "I64SGE", False, False),
    "SLessThan": ("ISLT", "I64SLT", False, False),
    "SLessThanEqual": ("ISGE", "I64SGE", True, False),
    "FOrdEqual": ("FSEQ", "DSEQ", False, False),
    "FUnordNotEqual": ("FSNE", "DSNE", False, False),
    "FOrdLessThan": ("FSLT", "DSLT", False, False),
    "FOrdGreaterThan": ("FSLT", "DSLT", True, False),
    "FOrdLessThanEqual": ("FSGE", "DSGE", True, False),
    "FOrdGreaterThanEqual": ("FSGE", "DSGE", False, False),
    "FUnordLessThan": ("FSGE", "DSGE", False, True),
    "FUnordGreaterThan": ("FSGE", "DSGE", True, True),
    "FUnordLessThanEqual": ("FSLT", "DSLT", True, True),
    "FUnordGreaterThanEqual": ("FSLT", "DSLT", False, True),
}


def negated(refs: Refs) -> list[Ref]:
    """The negated value, of 32-bit floats."""
    return [
        Ref(None, ref.channel ^ 0x80000000) if ref.register is None and not ref.sign else ref._replace(sign=ref.sign ^ NEGATE)
        for ref in refs
    ]


def absolute(refs: Refs) -> list[Ref]:
    """The absolute values of 32-bit floats."""
    return [Ref(None, ref.channel & 0x7FFFFFFF) if ref.register is None and not ref.sign else ref._replace(sign=ABSOLUTE) for ref in refs]


def integers(s: State, id: int) -> list[Ref]:
    """The words of a value, without signs of floats."""
    return s.code.plain(s.value(id))


def two(s: State, opcode: str, wide: str, a: Refs, b: Refs, is_wide: bool) -> list[Ref]:
    """A component-wise instruction of two operands."""
    if is_wide and wide not in _WORDWISE:
        return s.code.pairs(wide, a, b, precise=s.precise)
    return s.code.lanes(opcode, a, b, precise=s.precise)


@emits(*_TWO)
def _binary(s: State, op: Op) -> None:
    opcode, wide = _TWO[op.name[2:]]
    is_float = op.name[2:3] == "F"
    kind = s.result(op)
    read = s.value if is_float and not is_wide(kind) else lambda id: integers(s, id)
    s.bind(op, two(s, opcode, wide, read(op.id(0)), read(op.id(1)), is_wide(kind)))


@emits("FSub")
def _subtract(s: State, op: Op) -> None:
    a, b = s.value(op.id(0)), s.value(op.id(1))
    if is_wide(s.result(op)):
        s.bind(op, s.code.pairs("DADD", a, s.code.pairs("DNEG", b), precise=s.precise))
    else:
        s.bind(op, s.code.lanes("ADD", a, negated(b), precise=s.precise))


@emits("ISub")
def _integer_subtract(s: State, op: Op) -> None:
    a, b = integers(s, op.id(0)), integers(s, op.id(1))
    if is_wide(s.result(op)):
        s.bind(op, s.code.pairs("U64ADD", a, s.code.pairs("I64NEG", b)))
    else:
        s.bind(op, s.code.lanes("UADD", a, opposite(s, b)))


def opposite(s: State, refs: Refs) -> list[Ref]:
    """The opposite of 32-bit integers."""
    if all(ref.register is None for ref in refs):
        return immediate(*(-ref.channel for ref in refs))
    return s.code.lanes("INEG", refs)


@emits("FNegate")
def _negate(s: State, op: Op) -> None:
    value = s.value(op.id(0))
    s.bind(op, s.code.pairs("DNEG", value) if is_wide(s.result(op)) else negated(value))


@emits("SNegate")
def _integer_negate(s: State, op: Op) -> None:
    value = integers(s, op.id(0))
    s.bind(op, s.code.pairs("I64NEG", value) if is_wide(s.result(op)) else opposite(s, value))


@emits("Not", "LogicalNot")
def _not(s: State, op: Op) -> None:
    s.bind(op, s.code.lanes("NOT", integers(s, op.id(0))))


@emits("SMod")
def _modulo(s: State, op: Op) -> None:
    a, b = integers(s, op.id(0)), integers(s, op.id(1))
    if is_wide(s.result(op)):
        rest = s.code.pairs("I64MOD", a, b)
        other = s.code.compare_pairs("I64SLT", s.code.lanes("XOR", rest, b), immediate(0, 0) * (len(b) // 2))
        some = s.code.compare_pairs("U64SNE", rest, immediate(0, 0) * (len(b) // 2))
        both = doubled(s.code.lanes("AND", other, some))
        s.bind(op, s.code.lanes("UCMP", both, s.code.pairs("U64ADD", rest, b), rest))
        return
    zero = immediate(*(0,) * len(b))
    rest = s.code.lanes("MOD", a, b)
    other = s.code.lanes("ISLT", s.code.lanes("XOR", rest, b), zero)
    both = s.code.lanes("AND", other, s.code.lanes("USNE", rest, zero))
    s.bind(op, s.code.lanes("UADD", rest, s.code.lanes("AND", both, b)))


@emits("FMod", "FRem")
def _float_modulo(s: State, op: Op) -> None:
    a, b = s.value(op.id(0)), s.value(op.id(1))
    floor = op.name == "OpFMod"
    if is_wide(s.result(op)):
        whole = s.code.pairs("DFLR" if floor else "DTRUNC", s.code.pairs("DDIV", a, b))
        s.bind(op, s.code.pairs("DADD", a, s.code.pairs("DNEG", s.code.pairs("DMUL", b, whole))))
        return
    whole = s.code.lanes("FLR" if floor else "TRUNC", s.code.lanes("DIV", a, b))
    s.bind(op, s.code.lanes("ADD", a, negated(s.code.lanes("MUL", b, whole))))


def doubled(refs: Refs) -> list[Ref]:
    """Each word twice, so that a condition of 32-bit words selects 64-bit scalars."""
    return [ref for ref in refs for _ in range(2)]


@emits(*_COMPARISONS)
def _compare(s: State, op: Op) -> None:
    opcode, wide, exchanged, inverted = _COMPARISONS[op.name[2:]]
    kind = s.kind(op.id(0))
    read = s.value if isinstance(scalar(kind), Float) else lambda id: integers(s, id)
    a, b = read(op.id(0)), read(op.id(1))
    if exchanged:
        a, b = b, a
    truths = s.code.compare_pairs(wide, a, b) if is_wide(kind) else s.code.lanes(opcode, a, b)
    s.bind(op, s.code.lanes("NOT", truths) if inverted else truths)


@emits("FOrdNotEqual", "FUnordEqual", "Ordered", "Unordered", "LessOrGreater")
def _ordered(s: State, op: Op) -> None:
    a, b = s.value(op.id(0)), s.value(op.id(1))
    wide = is_wide(s.kind(op.id(0)))

    def compare(name: str, x: Refs, y: Refs) -> list[Ref]:
        return s.code.compare_pairs(f"D{name}", x, y) if wide else s.code.lanes(f"F{name}", x, y)

    match op.name:
        case "OpOrdered":
            truths = s.code.lanes("AND", compare("SEQ", a, a), compare("SEQ", b, b))
        case "OpUnordered":
            truths = s.code.lanes("OR", compare("SNE", a, a), compare("SNE", b, b))
        case "OpFUnordEqual":
            truths = s.code.lanes("NOT", s.code.lanes("OR", compare("SLT", a, b), compare("SLT", b, a)))
        case _:
            truths = s.code.lanes("OR", compare("SLT", a, b), compare("SLT", b, a))
    s.bind(op, truths)


@emits("IsNan", "IsInf")
def _special(s: State, op: Op) -> None:
    value = s.value(op.id(0))
    wide = is_wide(s.kind(op.id(0)))
    if op.name == "OpIsNan":
        s.bind(op, s.code.compare_pairs("DSNE", value, value) if wide else s.code.lanes("FSNE", value, value))
    elif wide:
        infinity = immediate(0, 0x7FF00000) * (len(value) // 2)
        s.bind(op, s.code.compare_pairs("DSEQ", s.code.pairs("DABS", value), infinity))
    else:
        s.bind(op, s.code.lanes("FSEQ", absolute(value), immediate(*(0x7F800000,) * len(value))))


@emits("Any", "All")
def _any(s: State, op: Op) -> None:
    value = integers(s, op.id(0))
    truth = value[:1]
    for word in value[1:]:
        truth = s.code.lanes("OR" if op.name == "OpAny" else "AND", truth, [word])
    s.bind(op, truth)


@emits("Select")
def _select(s: State, op: Op) -> None:
    test, yes, no = integers(s, op.id(0)), s.value(op.id(1)), s.value(op.id(2))
    if not test or len(yes) % len(test):
        s.fail("M006", "the condition does not fit the result", op)
    wide = [ref for ref in test for _ in range(len(yes) // len(test))]
    s.bind(op, s.code.lanes("UCMP", wide, yes, no))


# shifts and bits


_SHIFTS = {
    "ShiftLeftLogical": ("SHL", "U64SHL"),
    "ShiftRightLogical": ("USHR", "U64SHR"),
    "ShiftRightArithmetic": ("ISHR", "I64SHR"),
}


@emits(*_SHIFTS)
def _shift(s: State, op: Op) -> None:
    opcode, wide = _SHIFTS[op.name[2:]]
    value, count = integers(s, op.id(0)), integers(s, op.id(1))
    if not is_wide(s.result(op)):
        s.bind(op, s.code.lanes(opcode, value, count[:: max(len(count) // len(value), 1)]))
        return
    if is_wide(s.kind(op.id(1))):
        count = count[::2]
    s.bind(op, s.code.pairs(wide, value, count, narrow=(1,)))


def narrow(s: State, op: Op) -> None:
    """Reject 64-bit operands of operations that TGSI has for 32 bits only."""
    if is_wide(s.kind(op.id(0))):
        s.fail("M021", "the instruction is not supported for 64 bits", op)


@emits("BitReverse", "BitCount")
def _bits(s: State, op: Op) -> None:
    narrow(s, op)
    s.bind(op, s.code.lanes("BREV" if op.name == "OpBitReverse" else "POPC", integers(s, op.id(0))))


@emits("BitFieldInsert")
def _insert(s: State, op: Op) -> None:
    narrow(s, op)
    base, new = integers(s, op.id(0)), integers(s, op.id(1))
    first, count = (integers(s, op.id(place)) * len(base) for place in (2, 3))
    s.bind(op, s.code.lanes("BFI", base, new, first, count))


@emits("BitFieldSExtract", "BitFieldUExtract")
def _extract(s: State, op: Op) -> None:
    narrow(s, op)
    base = integers(s, op.id(0))
    first, count = (integers(s, op.id(place)) * len(base) for place in (1, 2))
    s.bind(op, s.code.lanes("IBFE" if op.name == "OpBitFieldSExtract" else "UBFE", base, first, count))


@emits("IAddCarry", "ISubBorrow", "UMulExtended", "SMulExtended")
def _extended(s: State, op: Op) -> None:
    narrow(s, op)
    a, b = integers(s, op.id(0)), integers(s, op.id(1))
    one = immediate(*(1,) * len(a))
    match op.name:
        case "OpIAddCarry":
            low = s.code.lanes("UADD", a, b)
            high = s.code.lanes("AND", s.code.lanes("USLT", low, a), one)
        case "OpISubBorrow":
            low = s.code.lanes("UADD", a, opposite(s, b))
            high = s.code.lanes("AND", s.code.lanes("USLT", a, b), one)
        case _:
            low = s.code.lanes("UMUL", a, b)
            high = s.code.lanes("UMUL_HI" if op.name == "OpUMulExtended" else "IMUL_HI", a, b)
    s.bind(op, [*low, *high])


def splat(value: float, count: int) -> list[Ref]:
    """A 32-bit float, repeated."""
    return immediate(*(float_bits(value),) * count)
