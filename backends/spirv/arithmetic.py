"""Opcodes that compute with 32 bits: one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from backends.spirv.packing import PACKING
from backends.spirv.state import WORDS, State
from tgsi.language.facts.traits import Mode, Trait
from tgsi.language.ir import DstOperand, Instruction

# Opcode -> instruction for all written channels at once. `+`: a function of GLSL.std.450; `~`: not contracted (NoContraction).
_DIRECT: Mapping[str, str] = MappingProxyType(
    {
        "ADD": "~FAdd",
        "DIV": "~FDiv",
        "MIN": "+FMin",
        "MAX": "+FMax",
        "FRC": "+Fract",
        "FLR": "+Floor",
        "ROUND": "+RoundEven",
        "CEIL": "+Ceil",
        "TRUNC": "+Trunc",
        "LDEXP": "+Ldexp",
        "I2F": "ConvertSToF",
        "U2F": "ConvertUToF",
        "F2I": "ConvertFToS",
        "F2U": "ConvertFToU",
        "NOT": "Not",
        "AND": "BitwiseAnd",
        "OR": "BitwiseOr",
        "XOR": "BitwiseXor",
        "UADD": "IAdd",
        "UMUL": "IMul",
        "INEG": "SNegate",
        "IABS": "+SAbs",
        "ISSG": "+SSign",
        "IMAX": "+SMax",
        "IMIN": "+SMin",
        "UMAX": "+UMax",
        "UMIN": "+UMin",
        "BREV": "BitReverse",
        "POPC": "BitCount",
        "LSB": "+FindILsb",
        "IMSB": "+FindSMsb",
        "UMSB": "+FindUMsb",
        "DDX": "DPdx",
        "DDY": "DPdy",
        "DDX_FINE": "DPdxFine",
        "DDY_FINE": "DPdyFine",
        "RSQ": "+InverseSqrt",
        "SQRT": "+Sqrt",
        "EX2": "+Exp2",
        "LG2": "+Log2",
        "POW": "+Pow",
        "SIN": "+Sin",
        "COS": "+Cos",
        "MOV": "",
        "UARL": "",
        "NOP": "",
    }
)

# Opcode -> comparison; words or floats follow from the type of the result
_COMPARISONS: Mapping[str, str] = MappingProxyType(
    {
        "SLT": "FOrdLessThan",
        "SGE": "FOrdGreaterThanEqual",
        "SEQ": "FOrdEqual",
        "SGT": "FOrdGreaterThan",
        "SLE": "FOrdLessThanEqual",
        "SNE": "FUnordNotEqual",
        "FSEQ": "FOrdEqual",
        "FSGE": "FOrdGreaterThanEqual",
        "FSLT": "FOrdLessThan",
        "FSNE": "FUnordNotEqual",
        "ISGE": "SGreaterThanEqual",
        "ISLT": "SLessThan",
        "USEQ": "IEqual",
        "USGE": "UGreaterThanEqual",
        "USLT": "ULessThan",
        "USNE": "INotEqual",
    }
)

Values: TypeAlias = Sequence[int]
Lane: TypeAlias = Callable[[State, Values, int], int]
"""A function from operands, with a number of scalars each, to the result."""


def product(s: State, a: int, b: int, size: int = 1) -> int:
    """A product of floats; 0 times anything is 0 where the property says so."""
    result = s.exact("FMul", "float", size, a, b)
    if not zero_wins(s):
        return result
    zero = s.number(0, size)
    either = s.module.op("LogicalOr", s.module.vector("bool", size), s.test("FOrdEqual", a, zero, size), s.test("FOrdEqual", b, zero, size))
    return s.choose(either, zero, result, "float", size)


def zero_wins(s: State) -> bool:
    """True if 0 times anything is 0."""
    return bool(s.program.property("MUL_ZERO_WINS") or s.program.property("LEGACY_MATH_RULES"))


def _mad(s: State, v: Values, n: int) -> int:
    return s.exact("FAdd", "float", n, product(s, v[0], v[1], n), v[2])


def _lrp(s: State, v: Values, n: int) -> int:
    """Rounded as in TGSI; FMix leaves open how it is computed."""
    difference = s.exact("FSub", "float", n, v[1], v[2])
    return s.exact("FAdd", "float", n, product(s, v[0], difference, n), v[2])


def _fma(s: State, v: Values, n: int) -> int:
    if zero_wins(s):
        s.fail("M033", "FMA has no form in SPIR-V in which 0 times anything is 0")
    return s.module.call("Fma", s.module.vector("float", n), *v)


def _shift(name: str, kind: str) -> Lane:
    def lane(s: State, v: Values, n: int) -> int:
        count = s.module.op("BitwiseAnd", s.module.vector(kind, n), v[1], s.whole(31, n, kind))
        return s.module.op(name, s.module.vector(kind, n), v[0], count)

    return lane


def _divide(name: str, kind: str, by_zero: int) -> Lane:
    """A division that has a result for every divisor."""

    def lane(s: State, v: Values, n: int) -> int:
        m = s.module
        a, b = v
        bools = m.vector("bool", n)
        zero = s.test("IEqual", b, s.whole(0, n, kind), n)
        wrong = zero
        if kind == "int":
            lowest = s.test("IEqual", a, s.whole(0x80000000, n, kind), n)
            opposite = s.test("IEqual", b, s.whole(0xFFFFFFFF, n, kind), n)
            wrong = m.op("LogicalOr", bools, zero, m.op("LogicalAnd", bools, lowest, opposite))
        divisor = s.choose(wrong, s.whole(1, n, kind), b, kind, n)
        quotient = m.op(name, m.vector(kind, n), a, divisor)
        return s.choose(zero, s.whole(by_zero, n, kind), quotient, kind, n)

    return lane


def _high(name: str, kind: str) -> Lane:
    def lane(s: State, v: Values, n: int) -> int:
        m = s.module
        type = m.vector(kind, n)
        both = m.op(name, m.type("Struct", type, type), *v)
        return m.op("CompositeExtract", type, both, 1)

    return lane


def _cmp(s: State, v: Values, n: int) -> int:
    return s.choose(s.test("FOrdLessThan", v[0], s.number(0, n), n), v[1], v[2], "float", n)


def _ucmp(s: State, v: Values, n: int) -> int:
    return s.choose(s.test("INotEqual", v[0], s.whole(0, n), n), v[1], v[2], "uint", n)


def _umad(s: State, v: Values, n: int) -> int:
    type = s.module.vector("uint", n)
    return s.module.op("IAdd", type, s.module.op("IMul", type, v[0], v[1]), v[2])


def _sign(s: State, v: Values, n: int) -> int:
    zero = s.number(0, n)
    below = s.choose(s.test("FOrdLessThan", v[0], zero, n), s.number(-1, n), zero, "float", n)
    return s.choose(s.test("FOrdGreaterThan", v[0], zero, n), s.number(1, n), below, "float", n)


def _arl(s: State, v: Values, n: int) -> int:
    return s.module.op("ConvertFToS", s.module.vector("int", n), s.module.call("Floor", s.module.vector("float", n), v[0]))


def _arr(s: State, v: Values, n: int) -> int:
    return _arl(s, [s.exact("FAdd", "float", n, v[0], s.number(0.5, n))], n)


def _rcp(s: State, v: Values, n: int) -> int:
    return s.exact("FDiv", "float", n, s.number(1, n), v[0])


def _field(s: State, offset: int, width: int) -> tuple[int, int]:
    """Offset and width of a field that lies in the word."""
    m = s.module
    uint = m.scalar("uint")
    start = m.op("BitwiseAnd", uint, offset, m.uint(31))
    whole = m.op("LogicalAnd", m.scalar("bool"), s.test("IEqual", start, m.uint(0)), s.test("IEqual", width, m.uint(32)))
    count = s.choose(whole, m.uint(32), m.op("BitwiseAnd", uint, width, m.uint(31)), "uint", 1)
    return start, m.call("UMin", uint, count, m.op("ISub", uint, m.uint(32), start))


def _extract(name: str, kind: str) -> Lane:
    def lane(s: State, v: Values, n: int) -> int:
        columns = [s.parts(value, kind, n) for value in v]
        fields = []
        for base, offset, width in zip(*columns):
            start, count = _field(s, s.cast(offset, kind, "uint", 1), s.cast(width, kind, "uint", 1))
            fields.append(s.module.op(name, s.module.scalar(kind), base, start, count))
        return s.vector(kind, fields)

    return lane


def _insert(s: State, v: Values, n: int) -> int:
    columns = [s.parts(value, "uint", n) for value in v]
    fields = []
    for base, new, offset, width in zip(*columns):
        fields.append(s.module.op("BitFieldInsert", s.module.scalar("uint"), base, new, *_field(s, offset, width)))
    return s.vector("uint", fields)


_LANES: Mapping[str, Lane] = MappingProxyType(
    {
        "MUL": lambda s, v, n: product(s, v[0], v[1], n),
        "MAD": _mad,
        "LRP": _lrp,
        "FMA": _fma,
        "RCP": _rcp,
        "SHL": _shift("ShiftLeftLogical", "uint"),
        "USHR": _shift("ShiftRightLogical", "uint"),
        "ISHR": _shift("ShiftRightArithmetic", "int"),
        "IDIV": _divide("SDiv", "int", 0),
        "UDIV": _divide("UDiv", "uint", 0xFFFFFFFF),
        "MOD": _divide("SRem", "int", 0xFFFFFFFF),
        "UMOD": _divide("UMod", "uint", 0xFFFFFFFF),
        "IMUL_HI": _high("SMulExtended", "int"),
        "UMUL_HI": _high("UMulExtended", "uint"),
        "CMP": _cmp,
        "UCMP": _ucmp,
        "UMAD": _umad,
        "SSG": _sign,
        "ARL": _arl,
        "ARR": _arr,
        "IBFE": _extract("BitFieldSExtract", "int"),
        "UBFE": _extract("BitFieldUExtract", "uint"),
        "BFI": _insert,
        **PACKING,
    }
)


def _direct(name: str, kind: str) -> Lane:
    def lane(s: State, v: Values, n: int) -> int:
        type = s.module.vector(kind, n)
        if name.startswith("+"):
            return s.module.call(name[1:], type, *v)
        return s.exact(name[1:], kind, n, *v) if name.startswith("~") else s.module.op(name, type, *v)

    return lane


def _comparison(name: str, kind: str) -> Lane:
    def lane(s: State, v: Values, n: int) -> int:
        test = s.test(name, v[0], v[1], n)
        if kind == "float":
            return s.choose(test, s.number(1, n), s.number(0, n), "float", n)
        return s.cast(s.flags(test, n), "uint", kind, n)

    return lane


def lane_of(item: Instruction) -> Lane | None:
    """The function of a component-wise or replicated opcode; None for opcodes of other modules."""
    name = item.opcode.name
    kind = kind_of(item.opcode.dst_types[0]) if item.opcode.dst_types else "uint"
    if name in _COMPARISONS:
        return _comparison(_COMPARISONS[name], kind)
    if name in _LANES:
        return _LANES[name]
    if name in _DIRECT:
        return (lambda s, v, n: v[0]) if not _DIRECT[name] else _direct(_DIRECT[name], kind)
    return None


def kind_of(type: str) -> str:
    """The type in which words without one are moved."""
    return "uint" if type == "untyped" else type


def clamped(s: State, value: int, size: int) -> int:
    """A float between 0 and 1; a NaN stays."""
    zero, one = s.number(0, size), s.number(1, size)
    low = s.choose(s.test("FOrdLessThan", value, zero, size), zero, value, "float", size)
    return s.choose(s.test("FOrdGreaterThan", low, one, size), one, low, "float", size)


def store(s: State, item: Instruction, value: int, kind: str, channels: Sequence[int] | None = None) -> None:
    """Write the result of an instruction, saturated if it says so."""
    destination = item.dst[0]
    channels = written(destination) if channels is None else channels
    if item.saturate and channels:
        value = s.cast(value, kind, "float", len(channels))
        value, kind = clamped(s, value, len(channels)), "float"
    s.registers.write(destination, value, kind, channels)


def written(destination: DstOperand) -> list[int]:
    """Channels of a write mask."""
    return [channel for channel in range(WORDS) if destination.write_mask >> channel & 1]


def compute(s: State, item: Instruction) -> bool:
    """Write a component-wise or replicated instruction. False if the opcode is of another module."""
    info = item.opcode
    channels = written(item.dst[0]) if item.dst else []
    lane = lane_of(item)
    if lane is None:
        return False
    if not channels:
        return True
    if Trait.DERIVATIVE in info.traits and "FINE" in info.name:
        s.module.need("DerivativeControl")
    kind = "uint" if info.is_copy else kind_of(info.dst_types[0])
    replicated = info.mode is Mode.REPLICATE
    values = []
    for number, operand in enumerate(item.src):
        reads = info.reads[number]
        places = [c for c in range(WORDS) if isinstance(reads, int) and reads >> c & 1] if replicated else channels
        values.append(s.registers.source(operand, kind_of(info.src_types[number]), places, signs(item, number)))
    result = lane(s, values, 1 if replicated else len(channels))
    store(s, item, s.splat(result, kind, len(channels)) if replicated else result, kind)
    return True


def signs(item: Instruction, number: int) -> str:
    """The type that signs of a source act on: float for words without a type."""
    kind = item.opcode.modifier_types[number]
    return "float" if kind == "untyped" else kind
