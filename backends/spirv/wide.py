"""Opcodes on 64-bit numbers, which lie in pairs of channels."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from types import MappingProxyType

from backends.spirv.arithmetic import kind_of, store, written
from backends.spirv.state import State
from tgsi.language.facts.opcode_row import WIDE
from tgsi.language.facts.traits import Reads
from tgsi.language.ir import Instruction, SrcOperand

# as in `arithmetic`: `+` a function, `~` rounded after each operation
_DIRECT: Mapping[str, str] = MappingProxyType(
    {
        "DADD": "~FAdd",
        "DMUL": "~FMul",
        "DDIV": "~FDiv",
        "DMAX": "+FMax",
        "DMIN": "+FMin",
        "DABS": "+FAbs",
        "DNEG": "FNegate",
        "DSQRT": "+Sqrt",
        "DRSQ": "+InverseSqrt",
        "DFRAC": "+Fract",
        "DTRUNC": "+Trunc",
        "DCEIL": "+Ceil",
        "DFLR": "+Floor",
        "DROUND": "+RoundEven",
        "DFMA": "+Fma",
        "DLDEXP": "+Ldexp",
        "I64MIN": "+SMin",
        "U64MIN": "+UMin",
        "I64MAX": "+SMax",
        "U64MAX": "+UMax",
        "I64ABS": "+SAbs",
        "I64SSG": "+SSign",
        "I64NEG": "SNegate",
        "U64ADD": "IAdd",
        "U64MUL": "IMul",
        "F2D": "FConvert",
        "D2F": "FConvert",
        "I2D": "ConvertSToF",
        "U2D": "ConvertUToF",
        "D2I": "ConvertFToS",
        "D2U": "ConvertFToU",
        "F2I64": "ConvertFToS",
        "F2U64": "ConvertFToU",
        "D2I64": "ConvertFToS",
        "D2U64": "ConvertFToU",
        "I642D": "ConvertSToF",
        "U642D": "ConvertUToF",
        "I642F": "ConvertSToF",
        "U642F": "ConvertUToF",
        "I2I64": "SConvert",
    }
)
_COMPARISONS: Mapping[str, str] = MappingProxyType(
    {
        "DSLT": "FOrdLessThan",
        "DSGE": "FOrdGreaterThanEqual",
        "DSEQ": "FOrdEqual",
        "DSNE": "FUnordNotEqual",
        "U64SEQ": "IEqual",
        "U64SNE": "INotEqual",
        "I64SLT": "SLessThan",
        "U64SLT": "ULessThan",
        "I64SGE": "SGreaterThanEqual",
        "U64SGE": "UGreaterThanEqual",
    }
)
Lane = Callable[[State, list[int]], int]


def _number(s: State, kind: str, value: int) -> int:
    """A 64-bit integer constant."""
    return s.module.constant(kind, value & 0xFFFFFFFF, value >> 32)


def _double(s: State, value: float) -> int:
    low, high = struct.unpack("<2I", struct.pack("<d", value))
    return s.module.constant("double", low, high)


def _reciprocal(s: State, v: list[int]) -> int:
    return s.exact("FDiv", "double", 1, _double(s, 1.0), v[0])


def _multiply_add(s: State, v: list[int]) -> int:
    return s.exact("FAdd", "double", 1, s.exact("FMul", "double", 1, v[0], v[1]), v[2])


def _sign(s: State, v: list[int]) -> int:
    zero = _double(s, 0.0)
    below = s.choose(s.test("FOrdLessThan", v[0], zero), _double(s, -1.0), zero, "double", 1)
    return s.choose(s.test("FOrdGreaterThan", v[0], zero), _double(s, 1.0), below, "double", 1)


def _shift(name: str, kind: str) -> Lane:
    def lane(s: State, v: list[int]) -> int:
        count = s.module.op("BitwiseAnd", s.module.scalar("uint"), v[1], s.module.uint(63))
        return s.module.op(name, s.module.scalar(kind), v[0], count)

    return lane


def _divide(name: str, kind: str, by_zero: int) -> Lane:
    def lane(s: State, v: list[int]) -> int:
        m = s.module
        zero = s.test("IEqual", v[1], _number(s, kind, 0))
        wrong = zero
        if kind == "int64":
            lowest = s.test("IEqual", v[0], _number(s, kind, 1 << 63))
            opposite = s.test("IEqual", v[1], _number(s, kind, (1 << 64) - 1))
            wrong = m.op("LogicalOr", m.scalar("bool"), zero, m.op("LogicalAnd", m.scalar("bool"), lowest, opposite))
        divisor = s.choose(wrong, _number(s, kind, 1), v[1], kind, 1)
        quotient = m.op(name, m.scalar(kind), v[0], divisor)
        return s.choose(zero, _number(s, kind, by_zero), quotient, kind, 1)

    return lane


def _widen_unsigned(s: State, v: list[int]) -> int:
    m = s.module
    return m.op("Bitcast", m.scalar("int64"), m.op("UConvert", m.scalar("uint64"), v[0]))


_ALL = (1 << 64) - 1
_LANES: Mapping[str, Lane] = MappingProxyType(
    {
        "DRCP": _reciprocal,
        "DMAD": _multiply_add,
        "DSSG": _sign,
        "U64SHL": _shift("ShiftLeftLogical", "uint64"),
        "I64SHR": _shift("ShiftRightArithmetic", "int64"),
        "U64SHR": _shift("ShiftRightLogical", "uint64"),
        "I64DIV": _divide("SDiv", "int64", 0),
        "U64DIV": _divide("UDiv", "uint64", _ALL),
        "I64MOD": _divide("SRem", "int64", _ALL),
        "U64MOD": _divide("UMod", "uint64", _ALL),
        "U2I64": _widen_unsigned,
    }
)


def _lane(item: Instruction) -> Lane | None:
    name = item.opcode.name
    if name in _LANES:
        return _LANES[name]
    if name in _COMPARISONS:
        return lambda s, v: s.cast(s.flags(s.test(_COMPARISONS[name], v[0], v[1]), 1), "uint", "int", 1)
    text = _DIRECT.get(name)
    if text is None:
        return None
    kind = kind_of(item.opcode.dst_types[0])

    def lane(s: State, v: list[int]) -> int:
        type = s.module.scalar(kind)
        if text.startswith("+"):
            return s.module.call(text[1:], type, *v)
        return s.exact(text[1:], kind, 1, *v) if text.startswith("~") else s.module.op(text, type, *v)

    return lane


def _source(s: State, operand: SrcOperand, kind: str, pair: int) -> int:
    """One 64-bit number of a source: that of xy, or of zw. Signs follow doubles, for integers, too."""
    m = s.module
    words = s.registers.source(SrcOperand(operand.register, operand.swizzle), "uint", [2 * pair, 2 * pair + 1])
    if not operand.absolute and not operand.negate:
        return m.op("Bitcast", m.scalar(kind), words)
    value = m.op("Bitcast", m.scalar("double"), words)
    if kind == "double":
        value = m.call("FAbs", m.scalar(kind), value) if operand.absolute else value
        return m.op("FNegate", m.scalar(kind), value) if operand.negate else value
    bits = m.op("Bitcast", m.scalar("uint64"), words)
    sign = _number(s, "uint64", 1 << 63)
    if operand.absolute:
        flipped = m.op("BitwiseXor", m.scalar("uint64"), bits, sign)
        bits = s.choose(s.test("FOrdGreaterThanEqual", value, _double(s, 0.0)), bits, flipped, "uint64", 1)
    if operand.negate:
        bits = m.op("BitwiseXor", m.scalar("uint64"), bits, sign)
    return bits if kind == "uint64" else m.op("Bitcast", m.scalar(kind), bits)


def _targets(item: Instruction) -> list[tuple[int, list[int]]]:
    """The pairs of an instruction, and the channels that the result of each goes to."""
    info, channels = item.opcode, written(item.dst[0])
    of_pair = [[c for c in channels if c // 2 == pair] for pair in (0, 1)]
    if info.dst_types[0] in WIDE:
        needed = 1 if info.num_src == 2 else 2
        return [(pair, [2 * pair, 2 * pair + 1]) for pair in (0, 1) if len(of_pair[pair]) >= needed]
    if info.num_src == 2:  # a comparison
        return [(pair, of_pair[pair][:1]) for pair in (0, 1) if of_pair[pair]]
    return [(pair, [channel]) for pair, channel in enumerate(channels[:2])]


def compute(s: State, item: Instruction) -> bool:
    """Write an instruction on 64-bit numbers, one pair after the other. False if there is no row for it."""
    lane = _lane(item)
    if lane is None:
        return False
    info = item.opcode
    for pair, channels in _targets(item):
        operands = []
        for number, operand in enumerate(item.src):
            source = kind_of(info.src_types[number])
            if info.reads[number] is Reads.COUNTS:
                operands.append(s.registers.source(operand, "int" if source == "int" else "uint", [2 * pair]))
            elif source in WIDE:
                operands.append(_source(s, operand, source, pair))
            else:
                operands.append(s.registers.source(operand, source, [pair]))
        _store(s, item, lane(s, operands), kind_of(info.dst_types[0]), channels)
    return True


def _store(s: State, item: Instruction, value: int, kind: str, channels: list[int]) -> None:
    m = s.module
    if kind not in WIDE:
        store(s, item, value, kind, channels)
        return
    if item.saturate:
        number = value if kind == "double" else m.op("Bitcast", m.scalar("double"), value)
        zero, one = _double(s, 0.0), _double(s, 1.0)
        low = s.choose(s.test("FOrdLessThan", number, zero), zero, number, "double", 1)
        value = s.choose(s.test("FOrdGreaterThan", low, one), one, low, "double", 1)
    s.registers.write(item.dst[0], m.op("Bitcast", m.vector("uint", 2), value), "uint", channels)


def _fraction(s: State, item: Instruction) -> None:
    """DFRACEXP: the fraction to the first destination, the exponent to the second."""
    m = s.module
    pair = m.call("FrexpStruct", m.type("Struct", m.scalar("double"), m.scalar("int")), _source(s, item.src[0], "double", 0))
    second = item.dst[1]
    for _, channels in _targets(item):
        _store(s, item, m.op("CompositeExtract", m.scalar("double"), pair, 0), "double", channels)
    channels = written(second)
    if channels:
        exponent = m.op("CompositeExtract", m.scalar("int"), pair, 1)
        s.registers.write(second, s.splat(exponent, "int", len(channels)), "int", channels)


EMITTERS: Mapping[str, Callable[[State, Instruction], None]] = MappingProxyType({"DFRACEXP": _fraction})
"""Emitters by opcode."""
