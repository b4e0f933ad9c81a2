"""Numbers of immediates: text to raw words and back, bit for bit."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from tgsi.language.facts.enums import ImmediateType
from tgsi.language.record import record

_F32, _F64, _U32, _U64 = struct.Struct("<f"), struct.Struct("<d"), struct.Struct("<I"), struct.Struct("<Q")
_HUGE = 0x7F800000
_QUIET = 0x7FF8000000000000
_SIGN = 1 << 63


@record
class Literal:
    """Written form of one immediate type.

    Attributes:
        good: returns a match, or None if the text is not a value of the type.
        count: number of values in braces.
        read: a value's text to its words.
        example: a value, for messages.
    """

    good: Callable[[str], object]
    count: int
    read: Callable[[str], tuple[int, ...]]
    example: str


def float_bits(value: float) -> int:
    """Bits of the nearest 32-bit float; values that are too large become infinity, as in a C cast."""
    try:
        (bits,) = _U32.unpack(_F32.pack(value))
    except OverflowError:
        return _HUGE | (0x80000000 if value < 0 else 0)
    return int(bits)


def float_value(bits: int) -> float:
    """The 32-bit float with the given bits."""
    (value,) = _F32.unpack(_U32.pack(bits))
    return float(value)


def _pair(bits: int) -> tuple[int, int]:
    return bits & 0xFFFFFFFF, bits >> 32 & 0xFFFFFFFF


def _read_flt32(text: str) -> tuple[int]:
    return (int(text, 16) if text.startswith("0x") else float_bits(float(text)),)


def _read_32(text: str) -> tuple[int]:
    return (int(text) & 0xFFFFFFFF,)


def _read_flt64(text: str) -> tuple[int, int]:
    word = text.lower()
    sign = _SIGN if word.startswith("-") else 0
    digits = word.lstrip("+-")
    if digits.startswith("nan_"):
        return _pair(int(digits[4:], 16))
    if digits == "nan":
        return _pair(_QUIET | sign)
    try:
        value = float.fromhex(digits) if digits.startswith("0x") else float(digits)
    except OverflowError:
        value = math.inf
    (bits,) = _U64.unpack(_F64.pack(value))
    return _pair(bits | sign)


def _integer(text: str) -> int:
    """An integer in C's notation with base 0: a leading zero means octal."""
    digits = text.lstrip("+-")
    base = 16 if digits[:2] in ("0x", "0X") else 8 if digits.startswith("0") else 10
    value = int(digits, base)
    return -value if text.startswith("-") else value


def _read_uint64(text: str) -> tuple[int, int]:
    value = _integer(text)
    return _pair((1 << 64) - 1 if abs(value) >= 1 << 64 else value & (1 << 64) - 1)


def _read_int64(text: str) -> tuple[int, int]:
    value = max(-_SIGN, min(_integer(text), _SIGN - 1))
    return _pair(value & (1 << 64) - 1)


_DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_SPECIAL = r"inf(?:inity)?|nan(?:_[0-9a-f]{16})?|0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?"
_COUNTED = r"[+-]?(?:0x[0-9a-f]+|0[0-7]*|[1-9][0-9]*)"


def _test(pattern: str, flags: int = 0) -> Callable[[str], object]:
    @cache  # compiled at the first use
    def compiled() -> Callable[[str], object]:
        return re.compile(pattern, re.ASCII | flags).fullmatch

    def test(text: str) -> object:
        return compiled()(text)

    return test


LITERALS: Mapping[ImmediateType, Literal] = MappingProxyType(
    {
        ImmediateType.FLT32: Literal(_test(rf"0x[0-9A-Fa-f]{{8}}|[+-]?{_DECIMAL}"), 4, _read_flt32, "1.0, -2.5e3 or 0x3f800000"),
        ImmediateType.UINT32: Literal(_test(r"[0-9]+"), 4, _read_32, "an unsigned decimal number"),
        ImmediateType.INT32: Literal(_test(r"[+-]?[0-9]+"), 4, _read_32, "a decimal number"),
        ImmediateType.FLT64: Literal(_test(rf"[+-]?(?:{_SPECIAL}|{_DECIMAL})", re.I), 2, _read_flt64, "1.0, inf, nan or 0x1.8p3"),
        ImmediateType.UINT64: Literal(_test(_COUNTED, re.I), 2, _read_uint64, "12 or 0xff"),
        ImmediateType.INT64: Literal(_test(_COUNTED, re.I), 2, _read_int64, "-12 or 0xff"),
    }
)
"""The written form of each immediate type. ``nan_`` and 16 hex digits are an extension: no other text keeps a NaN's payload."""


@lru_cache(maxsize=4096)
def write_float(bits: int) -> str:
    """The shortest text that reads back to these bits of a 32-bit float: decimal, or hexadecimal for infinities and NaNs."""
    if bits & _HUGE == _HUGE:
        return f"0x{bits:08x}"
    value = float_value(bits)
    if value == int(value) and abs(value) < 1e7:
        return f"{'-' if bits >> 31 else ''}{abs(int(value))}.0"
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if float_bits(float(text)) == bits:
            break
    return text if "." in text or "e" in text else f"{text}.0"


@lru_cache(maxsize=1024)
def write_double(bits: int) -> str:
    """The shortest text that reads back to these bits of a 64-bit float."""
    (value,) = _F64.unpack(_U64.pack(bits))
    if math.isnan(value) and bits not in (_QUIET, _QUIET | _SIGN):
        return f"nan_{bits:016x}"
    return ("-" if bits >> 63 else "") + repr(abs(value))


def _wide(write: Callable[[int], str]) -> Callable[[tuple[int, ...]], list[str]]:
    return lambda words: [write(words[0] | words[1] << 32), write(words[2] | words[3] << 32)]


def _signed(bits: int, width: int) -> str:
    return str(bits - (1 << width) if bits >> width - 1 else bits)


WRITERS: Mapping[ImmediateType, Callable[[tuple[int, ...]], list[str]]] = MappingProxyType(
    {
        ImmediateType.FLT32: lambda words: [write_float(word) for word in words],
        ImmediateType.UINT32: lambda words: [str(word) for word in words],
        ImmediateType.INT32: lambda words: [_signed(word, 32) for word in words],
        ImmediateType.FLT64: _wide(write_double),
        ImmediateType.UINT64: _wide(str),
        ImmediateType.INT64: _wide(lambda bits: _signed(bits, 64)),
    }
)
"""Functions from four words to the texts of their values."""
