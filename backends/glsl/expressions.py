"""Expressions of GLSL: text with a type, a size and a precedence; literals; conversions that keep all bits."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from tgsi.language.record import record

FLOAT, INT, UINT, BOOL = "float", "int", "uint", "bool"
WORD_TYPES = (FLOAT, INT, UINT)
"""Types of 32 bits, between which `convert` keeps the bits."""

PRIMARY, UNARY, PRODUCT, SUM, SHIFT, RELATION, EQUALITY, AND, XOR, OR, ALL, EITHER, TERNARY = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15
"""Precedences in the order of GLSL's specification, without its gaps."""

_PREFIXES = {FLOAT: "", INT: "i", UINT: "u", BOOL: "b"}
_CASTS = {
    (FLOAT, INT): "floatBitsToInt",
    (FLOAT, UINT): "floatBitsToUint",
    (INT, FLOAT): "intBitsToFloat",
    (UINT, FLOAT): "uintBitsToFloat",
}
_ONES = 0xFFFFFFFF
_ASSOCIATIVE = frozenset({"&&", "||", "^^", "&", "|", "^"})


@record
class Expr:
    """An expression. A scalar is used for all channels. `words` are the bits of a literal, `before` is the operand of a conversion."""

    text: str
    type: str
    size: int = 1
    level: int = PRIMARY
    words: tuple[int, ...] = ()
    before: Expr | None = None

    def __str__(self) -> str:
        return self.text

    def within(self, level: int) -> str:
        """The text as an operand of an operator of this precedence, in brackets where it needs them."""
        return f"({self.text})" if self.level > level else self.text


def type_name(kind: str, size: int) -> str:
    """The name of a scalar or vector: ``float``, ``ivec3``."""
    return kind if size == 1 else f"{_PREFIXES[kind]}vec{size}"


def literal(words: Sequence[int], kind: str) -> Expr:
    """A literal of raw words; one word, or equal ones, become a scalar."""
    if all(word == words[0] for word in words):
        text = _LITERALS[kind](words[0])
        return Expr(text, kind, 1, UNARY if text.startswith("-") else PRIMARY, (words[0],))
    inner = ", ".join(_LITERALS[kind](word) for word in words)
    return Expr(f"{type_name(kind, len(words))}({inner})", kind, len(words), PRIMARY, tuple(words))


def _float(word: int) -> str:
    (value,) = struct.unpack("<f", struct.pack("<I", word))
    exponent = word >> 23 & 0xFF
    if exponent == 0xFF or (exponent == 0 and word & 0x7FFFFF):  # compilers may change infinities, NaN and denormals
        return f"uintBitsToFloat(0x{word:08x}u)"
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.unpack("<f", struct.pack("<f", float(text)))[0] == value:
            break
    if "e" in text and 1 <= abs(value) < 1e7:
        text = f"{value:.1f}" if math.floor(value) == value else repr(value)
    return text if "." in text or "e" in text else f"{text}.0"


def _int(word: int) -> str:
    value = word - (1 << 32) if word >> 31 else word
    return "int(0x80000000u)" if value == -(1 << 31) else f"{value}"


def _uint(word: int) -> str:
    return f"{word}u" if word < 4096 else f"0x{word:x}u"


_LITERALS: dict[str, Callable[[int], str]] = {FLOAT: _float, INT: _int, UINT: _uint, BOOL: lambda word: "true" if word else "false"}


def is_mask(words: Sequence[int]) -> bool:
    """True if every word is a possible result of a comparison: all bits or none."""
    return all(word in (0, _ONES) for word in words)


def convert(value: Expr, kind: str) -> Expr:
    """The same bits as another type. To `bool`: whether there is any bit; from `bool`: all bits for true."""
    if value.type == kind:
        return value
    if value.words and (kind != BOOL or is_mask(value.words)) and value.type != BOOL:
        return literal(value.words, kind)
    if value.before is not None and value.before.type == kind:
        return value.before
    if value.before is not None and value.before.type in WORD_TYPES and kind in WORD_TYPES:
        return convert(value.before, kind)
    if kind == BOOL and value.type == FLOAT:  # -0.0 has a bit
        return convert(convert(value, INT), BOOL)
    name = type_name(kind, value.size)
    if kind == BOOL:
        zero = literal((0,), value.type).text
        if value.size == 1:
            return Expr(f"{value.within(RELATION)} != {zero}", BOOL, 1, EQUALITY)
        return Expr(f"notEqual({value}, {type_name(value.type, value.size)}({zero}))", BOOL, value.size)
    if value.type == BOOL:
        if kind == FLOAT:
            return Expr(f"intBitsToFloat(-{type_name(INT, value.size)}({value}))", FLOAT, value.size, before=value)
        return Expr(f"-{name}({value})", kind, value.size, UNARY, before=value)
    function = _CASTS.get((value.type, kind), name)
    return Expr(f"{function}({value})", kind, value.size, before=value)


def widen(value: Expr, size: int) -> Expr:
    """A scalar as a vector of its copies."""
    if value.size == size:
        return value
    words = value.words * size if value.words else ()
    return Expr(f"{type_name(value.type, size)}({value})", value.type, size, PRIMARY, words)


def joined(parts: Sequence[Expr]) -> Expr:
    """A vector of scalars of one type."""
    kind = parts[0].type
    if all(part.text == parts[0].text for part in parts):
        return parts[0]
    if all(part.words for part in parts) and kind != BOOL:
        return literal([part.words[0] for part in parts], kind)
    return Expr(f"{type_name(kind, len(parts))}({', '.join(map(str, parts))})", kind, len(parts))


def swizzled(value: Expr, channels: Sequence[int]) -> Expr:
    """Components of a vector; of a scalar, the scalar."""
    if value.size == 1:
        return value
    if value.words:
        return literal([value.words[c] for c in channels], value.type)
    if tuple(channels) == tuple(range(value.size)):
        return value
    same = all(c == channels[0] for c in channels)
    letters = "xyzw"[channels[0]] if same else "".join("xyzw"[c] for c in channels)
    return Expr(f"{value.within(PRIMARY)}.{letters}", value.type, 1 if same else len(channels))


def infix(op: str, level: int, left: Expr, right: Expr, kind: str | None = None) -> Expr:
    """`left` op `right`; of a scalar and a vector, a vector."""
    if op == "+" and right.text.startswith("-") and right.level == UNARY:
        return Expr(f"{left.within(level)} - {right.text[1:]}", kind or left.type, max(left.size, right.size), level)
    same = op in _ASSOCIATIVE and right.level == level
    text = f"{left.within(level)} {op} {right.within(level if same else level - 1)}"
    return Expr(text, kind or left.type, max(left.size, right.size), level)


def call(name: str, *arguments: Expr, kind: str | None = None, size: int = 0) -> Expr:
    """A call of a function."""
    return Expr(f"{name}({', '.join(map(str, arguments))})", kind or arguments[0].type, size or max(item.size for item in arguments))


def chosen(condition: Expr, yes: Expr, no: Expr) -> Expr:
    """`yes` where the condition holds and `no` elsewhere, both of one type."""
    size = max(condition.size, yes.size, no.size)
    if condition.size == 1:
        yes, no = (yes, no) if yes.size == no.size else (widen(yes, size), widen(no, size))
        return Expr(f"{condition.within(EITHER)} ? {yes.within(EITHER)} : {no.within(TERNARY)}", yes.type, yes.size, TERNARY)
    return call("mix", widen(no, size), widen(yes, size), condition, kind=yes.type)
