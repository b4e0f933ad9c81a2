"""Expansions of LIT, EXP, LOG and POW to EX2 and LG2."""

from __future__ import annotations

from collections.abc import Callable

from passes.lower.arithmetic.floats import W, X, Y, Z
from passes.lower.expansion import Expansion, broadcast, magnitude, negated
from tgsi.language.ir import DstOperand, SrcOperand

Part = Callable[[DstOperand, bool], None]


def _one(e: Expansion) -> Part:
    return lambda target, last: e.put("MOV", target, e.number(1.0), is_last=last)


def pow_(e: Expansion) -> None:
    """2^(b log2 a), and 1 where b is 0.

    Results differ from those of POW in the last places, and are NaN if a is below 0, or if a is 1 and b is infinite or NaN.
    """
    a, b = e.source(0, 0), e.source(1, 0)
    logarithm = e.make("LG2", 0, X, a)
    product = e.make("MUL", 0, X, b, broadcast(logarithm, 0))
    power = e.make("EX2", 0, X, broadcast(product, 0))
    is_zero = e.make("SGE", 0, Y, negated(magnitude(b)), e.number(0.0))
    e.last("CMP", negated(broadcast(is_zero, 1)), e.number(1.0), broadcast(power, 0))


def lit(e: Expansion) -> None:
    """Lighting: max(y, 0)^w as 2^(w log2 y) with w from -128 to 128, and 1 if w is 0. Special values and all other channels are exact."""
    x = e.source(0, 0)

    def specular(target: DstOperand, last: bool) -> None:
        zero = e.number(0.0)
        base = e.make("MAX", 1, X, e.source(0, 1), zero)
        bounded = e.make("MIN", 1, Y, e.source(0, 3), e.number(128.0))
        exponent = broadcast(e.make("MAX", 1, Y, broadcast(bounded, 1), e.number(-128.0)), 1)
        logarithm = e.make("LG2", 1, X, broadcast(base, 0))
        product = e.make("MUL", 1, X, exponent, broadcast(logarithm, 0))
        power = e.make("EX2", 1, X, broadcast(product, 0))
        power = e.make("CMP", 1, X, negated(magnitude(exponent)), broadcast(power, 0), e.number(1.0))
        e.put("CMP", target, negated(x), broadcast(power, 0), zero, is_last=last)

    diffuse: Part = lambda target, last: e.put("MAX", target, x, e.number(0.0), is_last=last)  # noqa: E731
    e.channels([(X | W, _one(e)), (Y, diffuse), (Z, specular)], 0)


def exp(e: Expansion) -> None:
    """(2^floor(x), x - floor(x), 2^x, 1)."""
    a = e.source(0, 0)

    def whole() -> SrcOperand:
        return broadcast(e.make("FLR", 1, X, a), 0)

    power: Part = lambda target, last: e.put("EX2", target, whole(), is_last=last)  # noqa: E731
    rest: Part = lambda target, last: e.put("ADD", target, a, negated(whole()), is_last=last)  # noqa: E731
    plain: Part = lambda target, last: e.put("EX2", target, a, is_last=last)  # noqa: E731
    e.channels([(X, power), (Y, rest), (Z, plain), (W, _one(e))], 0)


def log(e: Expansion) -> None:
    """(k, |x| / 2^k, log2 |x|, 1) with k = floor(log2 |x|).

    Rounding may make the logarithm a whole number even if |x| is not a power of two, so k is corrected if |x| / 2^k is outside of [1, 2).
    Powers of two are computed in two steps, since 2^149 would overflow.
    """
    a = magnitude(e.source(0, 0))
    if e.mask & (X | Y):
        _exponent_and_mantissa(e, a)
    exponent: Part = lambda target, last: e.put("MOV", target, broadcast(_register(e, 1), 0), is_last=last)  # noqa: E731
    mantissa: Part = lambda target, last: e.put("MOV", target, broadcast(_register(e, 1), 1), is_last=last)  # noqa: E731
    plain: Part = lambda target, last: e.put("LG2", target, a, is_last=last)  # noqa: E731
    e.channels([(X, exponent), (Y, mantissa), (Z, plain), (W, _one(e))], 0)


def _register(e: Expansion, slot: int) -> SrcOperand:
    return SrcOperand(e.room.scratch(e.slot(slot)))


def _exponent_and_mantissa(e: Expansion, a: SrcOperand) -> None:
    """Leave k in x and the mantissa in y of scratch register 1."""
    zero, one = e.number(0.0), e.number(1.0)
    k, m, t, s = (broadcast(_register(e, 1), channel) for channel in range(4))
    e.make("LG2", 1, X, a)
    e.make("FLR", 1, X, k)
    e.make("MUL", 1, Z, k, e.number(0.5))
    e.make("FLR", 1, Z, t)
    e.make("EX2", 1, W, negated(t))
    e.make("MUL", 1, Y, a, s)
    e.make("ADD", 1, W, t, negated(k))
    e.make("EX2", 1, W, s)
    e.make("MUL", 1, Y, m, s)
    e.make("SLT", 1, Z, m, one)
    e.make("ADD", 1, X, k, negated(t))
    e.make("MAD", 1, Y, m, t, m)
    e.make("SGE", 1, Z, m, e.number(2.0))
    e.make("ADD", 1, X, k, t)
    e.make("MUL", 1, Z, t, e.number(-0.5))
    e.make("MAD", 1, Y, m, t, m)
    e.make("ADD", 1, Z, k, negated(k))  # NaN if k is NaN or infinite
    e.make("ADD", 1, Y, m, t)
    e.make("SGE", 1, Z, negated(a), zero)  # x is 0, and so is its mantissa
    e.make("CMP", 1, Y, negated(t), zero, m)
