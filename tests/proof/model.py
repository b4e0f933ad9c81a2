"""The meaning of opcodes for an SMT solver, one channel at a time: bit vectors of 32 bits, and IEEE floats made from them.

Written apart from the interpreter and from `passes.optimise.evaluate`; tests/proof/test_model.py compares it with the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from passes.optimise.rules.terms import Modified, Result, Term, Variable, Word

Bits = Any
"""A z3 bit vector of 32 bits."""
Binary = Callable[[Bits, Bits], Bits]

FLOAT = z3.Float32()
NEAREST = z3.RNE()
SIGN = 0x80000000
NAN = 0x7FC00000
ONE = 0x3F800000


def word(value: int) -> Bits:
    return z3.BitVecVal(value, 32)


def number(bits: Bits) -> Any:
    return z3.fpBVToFP(bits, FLOAT)


def canonical(value: Any) -> Bits:
    """The bits of a float that arithmetic gives."""
    return z3.If(z3.fpIsNaN(value), word(NAN), z3.fpToIEEEBV(value))


def is_nan(bits: Bits) -> Any:
    return z3.UGT(bits & 0x7FFFFFFF, word(0x7F800000))


def without_payload(bits: Bits) -> Bits:
    """The same float with the canonical NaN for every NaN."""
    return z3.If(is_nan(bits), word(NAN), bits)


def order(bits: Bits) -> Bits:
    """A signed integer that is ordered as the floats are; both zeros are 0."""
    magnitude = bits & 0x7FFFFFFF
    return z3.If(bits & SIGN != 0, -magnitude, magnitude)


def less(a: Bits, b: Bits) -> Any:
    return z3.And(z3.Not(is_nan(a)), z3.Not(is_nan(b)), order(a) < order(b))


def equal(a: Bits, b: Bits) -> Any:
    return z3.And(z3.Not(is_nan(a)), z3.Not(is_nan(b)), order(a) == order(b))


def at_least(a: Bits, b: Bits) -> Any:
    return z3.Or(less(b, a), equal(a, b))


def flag(condition: Any) -> Bits:
    return z3.If(condition, word(0xFFFFFFFF), word(0))


def unit(condition: Any) -> Bits:
    return z3.If(condition, word(ONE), word(0))


def saturated(bits: Bits) -> Bits:
    return z3.If(less(bits, word(0)), word(0), z3.If(less(word(ONE), bits), word(ONE), bits))


def product(a: Bits, b: Bits) -> Bits:
    return canonical(z3.fpMul(NEAREST, number(a), number(b)))


def product_where_zero_wins(a: Bits, b: Bits) -> Bits:
    """The property MUL_ZERO_WINS: 0 times anything is +0."""
    return z3.If(z3.Or(equal(a, word(0)), equal(b, word(0))), word(0), product(a, b))


def total(a: Bits, b: Bits) -> Bits:
    return canonical(z3.fpAdd(NEAREST, number(a), number(b)))


def quotient(a: Bits, b: Bits) -> Bits:
    return canonical(z3.fpDiv(NEAREST, number(a), number(b)))


def root(a: Bits) -> Bits:
    return canonical(z3.fpSqrt(NEAREST, number(a)))


def rounded(mode: Any) -> Callable[[Bits], Bits]:
    return lambda a: canonical(z3.fpRoundToIntegral(mode, number(a)))


def to_signed(a: Bits) -> Bits:
    value = number(a)
    fits = z3.And(z3.fpGEQ(value, z3.FPVal(-(2.0**31), FLOAT)), z3.fpLT(value, z3.FPVal(2.0**31, FLOAT)))
    return z3.If(fits, z3.fpToSBV(z3.RTZ(), value, z3.BitVecSort(32)), word(SIGN))


def to_unsigned(a: Bits) -> Bits:
    value = number(a)
    high = z3.fpGEQ(value, z3.FPVal(2.0**32, FLOAT))
    positive = z3.fpGT(value, z3.FPVal(0.0, FLOAT))
    return z3.If(high, word(0xFFFFFFFF), z3.If(positive, z3.fpToUBV(z3.RTZ(), value, z3.BitVecSort(32)), word(0)))


def fraction(a: Bits) -> Bits:
    floor = rounded(z3.RTN())(a)
    return z3.If(a & 0x7FFFFFFF == 0x7F800000, word(0), total(a, floor ^ SIGN))


def sign(a: Bits) -> Bits:
    return z3.If(less(word(0), a), word(ONE), z3.If(less(a, word(0)), word(ONE | SIGN), word(0)))


def count(a: Bits) -> Bits:
    found = word(0)
    for bit in range(32):
        found = found + (z3.LShR(a, bit) & 1)
    return found


def highest(a: Bits) -> Bits:
    found = word(0xFFFFFFFF)
    for bit in range(32):
        found = z3.If(z3.Extract(bit, bit, a) == 1, word(bit), found)
    return found


def lowest(a: Bits) -> Bits:
    found = word(0xFFFFFFFF)
    for bit in reversed(range(32)):
        found = z3.If(z3.Extract(bit, bit, a) == 1, word(bit), found)
    return found


def reverse(a: Bits) -> Bits:
    return z3.Concat(*[z3.Extract(bit, bit, a) for bit in range(32)])


def field(offset: Bits, width: Bits) -> tuple[Bits, Bits]:
    begin = offset & 31
    size = z3.If(z3.And(width == 32, begin == 0), word(32), width & 31)
    return begin, z3.If(z3.UGT(begin + size, word(32)), 32 - begin, size)


def ones(size: Bits) -> Bits:
    return z3.If(size == 32, word(0xFFFFFFFF), (word(1) << size) - 1)


def unsigned_field(a: Bits, offset: Bits, width: Bits) -> Bits:
    begin, size = field(offset, width)
    return z3.LShR(a, begin) & ones(size)


def signed_field(a: Bits, offset: Bits, width: Bits) -> Bits:
    begin, size = field(offset, width)
    spare = 32 - size
    return z3.If(size == 0, word(0), ((z3.LShR(a, begin) & ones(size)) << spare) >> spare)


def inserted(a: Bits, b: Bits, offset: Bits, width: Bits) -> Bits:
    begin, size = field(offset, width)
    mask = ones(size) << begin
    return (a & ~mask) | ((b << begin) & mask)


def high(a: Bits, b: Bits, extend: Callable[[int, Bits], Any]) -> Bits:
    return z3.Extract(63, 32, extend(32, a) * extend(32, b))


def least(a: Bits, b: Bits) -> Bits:
    smaller = z3.If(less(a, b), a, b)
    return z3.If(equal(a, b), a | b, smaller)


def most(a: Bits, b: Bits) -> Bits:
    larger = z3.If(less(b, a), a, b)
    return z3.If(equal(a, b), a & b, larger)


ONES = 0xFFFFFFFF

OPERATIONS: Mapping[str, Callable[..., Bits]] = {
    "MOV": lambda a: a,
    "UARL": lambda a: a,
    "DIV": quotient,
    "RCP": lambda a: quotient(word(ONE), a),
    "SQRT": root,
    "RSQ": lambda a: quotient(word(ONE), root(a)),
    "MIN": least,
    "MAX": most,
    "CMP": lambda a, b, e: z3.If(less(a, word(0)), b, e),
    "UCMP": lambda a, b, e: z3.If(a != 0, b, e),
    "SSG": sign,
    "FLR": rounded(z3.RTN()),
    "CEIL": rounded(z3.RTP()),
    "TRUNC": rounded(z3.RTZ()),
    "ROUND": rounded(z3.RNE()),
    "FRC": fraction,
    "F2I": to_signed,
    "F2U": to_unsigned,
    "ARL": lambda a: to_signed(rounded(z3.RTN())(a)),
    "I2F": lambda a: z3.fpToIEEEBV(z3.fpSignedToFP(NEAREST, a, FLOAT)),
    "U2F": lambda a: z3.fpToIEEEBV(z3.fpUnsignedToFP(NEAREST, a, FLOAT)),
    "SLT": lambda a, b: unit(less(a, b)),
    "SGE": lambda a, b: unit(at_least(a, b)),
    "SEQ": lambda a, b: unit(equal(a, b)),
    "SNE": lambda a, b: unit(z3.Not(equal(a, b))),
    "SGT": lambda a, b: unit(less(b, a)),
    "SLE": lambda a, b: unit(at_least(b, a)),
    "FSLT": lambda a, b: flag(less(a, b)),
    "FSGE": lambda a, b: flag(at_least(a, b)),
    "FSEQ": lambda a, b: flag(equal(a, b)),
    "FSNE": lambda a, b: flag(z3.Not(equal(a, b))),
    "USEQ": lambda a, b: flag(a == b),
    "USNE": lambda a, b: flag(a != b),
    "USLT": lambda a, b: flag(z3.ULT(a, b)),
    "USGE": lambda a, b: flag(z3.UGE(a, b)),
    "ISLT": lambda a, b: flag(a < b),
    "ISGE": lambda a, b: flag(a >= b),
    "UADD": lambda a, b: a + b,
    "UMUL": lambda a, b: a * b,
    "UMAD": lambda a, b, e: a * b + e,
    "UMUL_HI": lambda a, b: high(a, b, z3.ZeroExt),
    "IMUL_HI": lambda a, b: high(a, b, z3.SignExt),
    "UDIV": lambda a, b: z3.If(b == 0, word(ONES), z3.UDiv(a, b)),
    "UMOD": lambda a, b: z3.If(b == 0, word(ONES), z3.URem(a, b)),
    "IDIV": lambda a, b: z3.If(b == 0, word(0), a / b),
    "MOD": lambda a, b: z3.If(b == 0, word(ONES), z3.SRem(a, b)),
    "INEG": lambda a: -a,
    "IABS": lambda a: z3.If(a < 0, -a, a),
    "ISSG": lambda a: z3.If(a > 0, word(1), z3.If(a < 0, word(ONES), word(0))),
    "IMIN": lambda a, b: z3.If(a < b, a, b),
    "IMAX": lambda a, b: z3.If(a > b, a, b),
    "UMIN": lambda a, b: z3.If(z3.ULT(a, b), a, b),
    "UMAX": lambda a, b: z3.If(z3.UGT(a, b), a, b),
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
    "NOT": lambda a: ~a,
    "SHL": lambda a, b: a << (b & 31),
    "USHR": lambda a, b: z3.LShR(a, b & 31),
    "ISHR": lambda a, b: a >> (b & 31),
    "POPC": count,
    "LSB": lowest,
    "UMSB": highest,
    "IMSB": lambda a: highest(z3.If(a < 0, ~a, a)),
    "BREV": reverse,
    "UBFE": unsigned_field,
    "IBFE": signed_field,
    "BFI": inserted,
    # branches, as whether the lane takes them
    "IF": lambda a: flag(z3.Not(equal(a, word(0)))),
    "UIF": lambda a: flag(a != 0),
}
"""Opcodes that neither multiply nor add floats."""


@dataclass(frozen=True)
class Arithmetic:
    """Multiplication and addition of floats."""

    product: Binary
    total: Binary


_abstract = {name: z3.Function(name, z3.BitVecSort(32), z3.BitVecSort(32), z3.BitVecSort(32)) for name in ("product", "total")}


def _unknown(name: str) -> Binary:
    """Any operation that commutes, does not see which NaN it gets, and gives the canonical one: see tests/proof/test_model.py."""

    def operation(a: Bits, b: Bits) -> Bits:
        a, b = without_payload(a), without_payload(b)
        first = z3.ULE(a, b)
        return without_payload(_abstract[name](z3.If(first, a, b), z3.If(first, b, a)))

    return operation


IEEE = Arithmetic(product, total)
ZERO_WINS = Arithmetic(product_where_zero_wins, total)
UNKNOWN = Arithmetic(_unknown("product"), _unknown("total"))


def _of_magnitudes(a: Bits, b: Bits) -> Bits:
    """Any product of two magnitudes, 1.0 being neutral, with the sign that the signs of the factors give."""
    left, right = a & 0x7FFFFFFF, b & 0x7FFFFFFF
    magnitude = UNKNOWN.product(left, right) & 0x7FFFFFFF
    magnitude = z3.If(left == ONE, right, z3.If(right == ONE, left, magnitude))
    return without_payload(magnitude | ((a ^ b) & SIGN))


SIGNED = Arithmetic(_of_magnitudes, UNKNOWN.total)
"""Any sum, and any product with neutral 1.0 in which signs and magnitudes are apart; tests/proof/test_model.py proves it of IEEE."""

ARITHMETIC: Mapping[str, Callable[..., Bits]] = {
    "ADD": lambda m, a, b: m.total(a, b),
    "MUL": lambda m, a, b: m.product(a, b),
    "MAD": lambda m, a, b, e: m.total(m.product(a, b), e),
    "LRP": lambda m, a, b, e: m.total(m.product(a, m.total(b, e ^ SIGN)), e),
}
"""Opcodes that take the arithmetic as their first argument."""


def fused(a: Bits, b: Bits, e: Bits) -> Bits:
    """Product and sum with one rounding."""
    return canonical(z3.fpFMA(NEAREST, number(a), number(b), number(e)))


def apply(name: str, arguments: Sequence[Bits], arithmetic: Arithmetic = IEEE) -> Bits:
    """The word that an opcode makes of words. KeyError: the opcode is not modelled."""
    if name in ARITHMETIC:
        return ARITHMETIC[name](arithmetic, *arguments)
    return fused(*arguments) if name == "FMA" else OPERATIONS[name](*arguments)


def is_modelled(name: str) -> bool:
    return name in ARITHMETIC or name in OPERATIONS or name == "FMA"


def modified(bits: Bits, kind: str, negate: bool, absolute: bool) -> Bits:
    """A source after its modifiers."""
    if kind in ("int", "uint"):
        bits = z3.If(bits < 0, -bits, bits) if absolute else bits
        return -bits if negate else bits
    bits = bits & 0x7FFFFFFF if absolute else bits
    return bits ^ SIGN if negate else bits


def meaning(term: Term, variables: Mapping[str, Bits], arithmetic: Arithmetic = IEEE, kind: str = "untyped") -> Bits:
    """The word of a term; `kind` is the type that its modifiers act on."""
    if isinstance(term, Word):
        return word(term.value)
    if isinstance(term, Variable):
        return variables[term.name]
    if isinstance(term, Modified):
        return modified(meaning(term.term, variables, arithmetic), kind, term.negate, term.absolute)
    assert isinstance(term, Result)
    arguments = [meaning(a, variables, arithmetic, type_) for a, type_ in zip(term.arguments, term.opcode.modifier_types)]
    found = apply(term.opcode.name, arguments, arithmetic)
    return saturated(found) if term.saturate else found


def contains(kind: str, bits: Bits) -> Any:
    """A word is of a kind (passes.optimise.rules.kinds)."""
    value = number(bits)
    finite = z3.And(z3.Not(z3.fpIsNaN(value)), z3.Not(z3.fpIsInf(value)))
    same = z3.fpEQ(z3.fpRoundToIntegral(z3.RTZ(), value), value)
    return {
        "flag": z3.Or(bits == 0, bits == ONES),
        "unit": z3.Or(bits == 0, bits == ONE),
        "number": z3.Or(z3.Not(is_nan(bits)), bits == NAN),
        "whole": z3.And(finite, same, bits != SIGN),
        "integral": z3.Or(bits == NAN, same),
        "unsigned": z3.Or(bits == NAN, z3.And(bits >= 0, z3.Not(is_nan(bits)))),
        "saturated": z3.Or(is_nan(bits), bits == SIGN, z3.ULE(bits, word(ONE))),
        "small": z3.ULT(bits, word(1 << 24)),
    }[kind]
