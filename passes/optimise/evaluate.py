"""Results of opcodes for constants: plain Python, on 32-bit words, as the documentation defines them.

Only results whose every bit is promised have a value: there are no transcendental functions. A product or sum of two float32 is rounded
twice here, to float64 and to float32. For +, -, *, / and roots that gives the same result as rounding once (53 bits are more than
2 * 24 + 1).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from passes.analysis.cells import CHANNELS
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.traits import Mode
from tgsi.language.ir import Instruction

MASK = 0xFFFFFFFF
SIGN = 0x80000000
ALL_ONES = 0xFFFFFFFF
NAN = 0x7FC00000

_REPLICATE = Mode.REPLICATE
_FLOAT, _WORD = struct.Struct("<f"), struct.Struct("<I")


def to_float(word: int) -> float:
    """Return the number of 32 bits."""
    value: float = _FLOAT.unpack(_WORD.pack(word))[0]
    return value


def to_word(value: float) -> int:
    """Return the bits of a number, rounded to float32; those of the canonical NaN."""
    if value != value:
        return NAN
    try:
        packed = _FLOAT.pack(value)
    except OverflowError:
        packed = _FLOAT.pack(math.copysign(math.inf, value))
    word: int = _WORD.unpack(packed)[0]
    return word


def signed(word: int) -> int:
    """Return a word as a signed integer."""
    return word - (1 << 32) if word & SIGN else word


def modified(word: int, kind: str, negate: bool, absolute: bool) -> int:
    """Return a source's word after its modifiers."""
    if kind in ("int", "uint"):
        word = -word & MASK if absolute and word & SIGN else word
        return -word & MASK if negate else word
    word = word & ~SIGN if absolute else word
    return word ^ SIGN if negate else word


def saturated(word: int) -> int:
    """Return a word clamped as a float; NaN and -0 stay."""
    value = to_float(word)
    return 0 if value < 0 else to_word(1.0) if value > 1 else word


def evaluate(instruction: Instruction, sources: Sequence[Sequence[int]]) -> dict[int, int] | None:
    """Return the word of each written channel, or None if the result is not known.

    The sources' words are given for their positions, before modifiers.
    """
    opcode, name = instruction.opcode, instruction.opcode.name
    function = _FUNCTIONS.get(name)
    if function is None and name not in _DOTS:
        return None
    values: list[Sequence[int]] = []
    for words, kind, operand in zip(sources, opcode.modifier_types, instruction.src):
        if operand.negate or operand.absolute:
            words = [modified(word, kind, operand.negate, operand.absolute) for word in words]
        values.append(words)
    channels = CHANNELS[instruction.dst[0].write_mask]
    results: dict[int, int] = {}
    if function is None:
        results = dict.fromkeys(channels, _dot(values[0], values[1], _DOTS[name]))
    else:
        is_replicated = opcode.mode is _REPLICATE
        for c in (0,) if is_replicated else channels:
            if len(values) == 2:
                word = function(values[0][c], values[1][c])
            else:
                word = function(*[value[c] for value in values])
            if word is None:
                return None
            results[c] = word & MASK
        if is_replicated:
            results = dict.fromkeys(channels, results[0])
    return {c: saturated(word) for c, word in results.items()} if instruction.saturate else results


def is_known(opcode: OpcodeInfo) -> bool:
    """Return true if `evaluate` knows some results of an opcode."""
    return opcode.name in _FUNCTIONS or opcode.name in _DOTS


def value_of(name: str, words: Sequence[int]) -> int | None:
    """Return the word of one channel that an opcode makes of its sources' words, or None if it is not known."""
    function = _FUNCTIONS.get(name)
    if function is None:
        return None
    word = function(*words)
    return None if word is None else word & MASK


_DOTS = {"DP2": 2, "DP3": 3, "DP4": 4}


def _product(a: float, b: float) -> float:
    return to_float(to_word(a * b))


def _dot(a: Sequence[int], b: Sequence[int], count: int) -> int:
    total = _product(to_float(a[0]), to_float(b[0]))
    for c in range(1, count):
        total = to_float(to_word(total + _product(to_float(a[c]), to_float(b[c]))))
    return to_word(total)


def _quotient(a: float, b: float) -> float:
    if b == 0:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _root(a: float) -> float:
    return math.nan if a < 0 else math.sqrt(a)


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    """Return a function to integers that keeps infinities, NaN and the sign of zeros."""
    return lambda a: math.copysign(function(a), a) if math.isfinite(a) else a


def _floor(a: float) -> float:
    return float(math.floor(a)) if math.isfinite(a) and a else a


def _fraction(a: float) -> float:
    return 0.0 if math.isinf(a) else a - _floor(a)


def _scaled(a: int, b: int) -> int:
    return to_word(math.ldexp(to_float(a), max(-400, min(400, signed(b)))))


def _smaller(a: int, b: int) -> int:
    x, y = to_float(a), to_float(b)
    return a | b if x == y else a if x < y else b


def _larger(a: int, b: int) -> int:
    x, y = to_float(a), to_float(b)
    return a & b if x == y else a if x > y else b


def _truncated(a: float) -> int:
    return math.trunc(a) if math.isfinite(a) and -(2.0**31) <= math.trunc(a) < 2.0**31 else SIGN


def _unsigned(a: float) -> int:
    return 0 if a != a or a < 0 else MASK if a >= 2.0**32 else math.trunc(a)


def _power_of_two(a: int) -> int | None:
    """Return 2^a where it is a float; other powers depend on the engine in their last places."""
    value = to_float(a)
    return to_word(math.ldexp(1.0, int(value))) if value == _floor(value) and -126 <= value <= 127 else None


def _logarithm(a: int) -> int | None:
    """Return the logarithm of a power of two."""
    exponent = a >> 23
    return to_word(float(exponent - 127)) if not a & 0x7FFFFF and 0 < exponent < 255 else None


def _lowest(a: int) -> int:
    return (a & -a).bit_length() - 1


def _reversed(a: int) -> int:
    return int(f"{a:032b}"[::-1], 2)


def _field(offset: int, width: int) -> tuple[int, int]:
    """Return where a bit field begins, and its width."""
    offset &= 31
    width = 32 if width == 32 and not offset else width & 31
    return offset, min(width, 32 - offset)


def _bits(a: int, offset: int, width: int) -> int:
    offset, width = _field(offset, width)
    return a >> offset & (1 << width) - 1


def _signed_bits(a: int, offset: int, width: int) -> int:
    bits, count = _bits(a, offset, width), _field(offset, width)[1]
    return bits - (1 << count) if count and bits >> count - 1 else bits


def _inserted(a: int, b: int, offset: int, width: int) -> int:
    offset, width = _field(offset, width)
    field = (1 << width) - 1 << offset
    return b << offset & field | a & ~field


def _floats(function: Callable[..., float]) -> Callable[..., int]:
    return lambda *words: to_word(function(*map(to_float, words)))


def _tests(function: Callable[..., bool], true: int) -> Callable[..., int]:
    return lambda a, b: true if function(to_float(a), to_float(b)) else 0


def _signs(function: Callable[..., int]) -> Callable[..., int]:
    return lambda *words: function(*map(signed, words))


def _flags(function: Callable[..., bool]) -> Callable[..., int]:
    return lambda *words: ALL_ONES if function(*words) else 0


def _idiv(a: int, b: int) -> int:
    quotient = abs(a) // abs(b) if b else 0
    return quotient if (a < 0) == (b < 0) else -quotient


_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "LT": lambda a, b: a < b,
    "GE": lambda a, b: a >= b,
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "GT": lambda a, b: a > b,
    "LE": lambda a, b: a <= b,
}

_FUNCTIONS: dict[str, Callable[..., int | None]] = {
    "MOV": lambda a: a,
    "UARL": lambda a: a,
    "ADD": _floats(lambda a, b: a + b),
    "MUL": _floats(lambda a, b: a * b),
    "MAD": _floats(lambda a, b, e: _product(a, b) + e),
    "LRP": _floats(lambda a, b, e: _product(a, to_float(to_word(b - e))) + e),
    "DIV": _floats(_quotient),
    "RCP": _floats(lambda a: _quotient(1.0, a)),
    "SQRT": _floats(_root),
    "RSQ": _floats(lambda a: _quotient(1.0, to_float(to_word(_root(a))))),
    "LDEXP": _scaled,
    "EX2": _power_of_two,
    "LG2": _logarithm,
    "MIN": _smaller,
    "MAX": _larger,
    "SSG": _floats(lambda a: 1.0 if a > 0 else -1.0 if a < 0 else 0.0),
    "FLR": _floats(_floor),
    "CEIL": _floats(_whole(math.ceil)),
    "TRUNC": _floats(_whole(math.trunc)),
    "ROUND": _floats(_whole(round)),
    "FRC": _floats(_fraction),
    "CMP": lambda a, b, e: b if to_float(a) < 0 else e,
    "UCMP": lambda a, b, e: b if a else e,
    "F2I": lambda a: _truncated(to_float(a)),
    "F2U": lambda a: _unsigned(to_float(a)),
    "ARL": lambda a: _truncated(_floor(to_float(a))),
    "I2F": lambda a: to_word(float(signed(a))),
    "U2F": lambda a: to_word(float(a)),
    "UADD": lambda a, b: a + b,
    "UMUL": lambda a, b: a * b,
    "UMAD": lambda a, b, e: a * b + e,
    "UMUL_HI": lambda a, b: a * b >> 32,
    "IMUL_HI": _signs(lambda a, b: a * b >> 32),
    "UDIV": lambda a, b: a // b if b else ALL_ONES,
    "UMOD": lambda a, b: a % b if b else ALL_ONES,
    "IDIV": _signs(_idiv),
    "MOD": _signs(lambda a, b: a - b * _idiv(a, b) if b else -1),
    "INEG": lambda a: -a,
    "IABS": _signs(abs),
    "ISSG": _signs(lambda a: (a > 0) - (a < 0)),
    "IMIN": _signs(min),
    "IMAX": _signs(max),
    "UMIN": min,
    "UMAX": max,
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
    "NOT": lambda a: ~a,
    "SHL": lambda a, b: a << (b & 31),
    "USHR": lambda a, b: a >> (b & 31),
    "ISHR": lambda a, b: signed(a) >> (b & 31),
    "POPC": lambda a: a.bit_count(),
    "LSB": _lowest,
    "UMSB": lambda a: a.bit_length() - 1,
    "IMSB": lambda a: (~a & MASK if a & SIGN else a).bit_length() - 1,
    "BREV": _reversed,
    "UBFE": _bits,
    "IBFE": _signed_bits,
    "BFI": _inserted,
    "USEQ": _flags(lambda a, b: a == b),
    "USNE": _flags(lambda a, b: a != b),
    "USLT": _flags(lambda a, b: a < b),
    "USGE": _flags(lambda a, b: a >= b),
    "ISLT": _flags(lambda a, b: signed(a) < signed(b)),
    "ISGE": _flags(lambda a, b: signed(a) >= signed(b)),
    **{f"S{name}": _tests(test, 0x3F800000) for name, test in _COMPARE.items()},
    **{f"FS{name}": _tests(test, ALL_ONES) for name, test in _COMPARE.items() if name not in ("GT", "LE")},
}
