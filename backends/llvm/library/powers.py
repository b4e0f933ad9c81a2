"""POW in plain vector arithmetic: repeated squares for whole exponents, logarithms for all others.

The order of operations is fixed, so the bits of a lane depend neither on the target, nor on other lanes, nor on whether the exponent is a
constant. Every NaN in a result is the canonical one.
"""

from __future__ import annotations

from backends.llvm.builder.function import F32, F64, I32, I64, Function, Val
from backends.llvm.builder.rounding import DENORMAL_GUARD
from backends.llvm.library.math import ABS, INF, QNAN, SIGN, SYMBOL_PREFIX, exp2_tail, exponent_and_mantissa, horner

_H = float.fromhex
_D = [_H("0x1.7154765280467p0"), _H("-0x1.715476383aaabp-1"), _H("0x1.ec70a230f446fp-2")]  # d0, d1, d2: f64 lanes
_ODD = [_H("-0x1.8393dcp-3"), _H("-0x1.ec108cp-3"), _H("-0x1.7154d6p-2")]  # d7, d5, d3
_EVEN = [_H("0x1.34df50p-3"), _H("0x1.a79484p-3"), _H("0x1.277370p-2")]  # d8, d6, d4
_INVERSE_SQRT2 = _H("0x1.6a09e667f3bcdp-1")

_MOST = 255
"""The largest whole exponent computed by squares; the shininess of a material is at most 128."""

_TOP = 127
_SMALLEST = 2.0**-126


def pow_symbol(lanes: int) -> str:
    """Name of the shared function for x^y, of parameters x and y."""
    return f"{SYMBOL_PREFIX}pow_{lanes}"


def pow(f: Function, x: Val, y: Val) -> Val:
    """x^y with the special cases of C's powf (0^0 = 1); error at most 1.373 ULP, and 0.5001 ULP for whole y from 1 to 255.

    Calls a shared function, because the code is long, unless y is a whole constant. `floored` of the result is set.
    """
    n = y.number
    if n is not None and 1 <= n <= _MOST and n == int(n):
        return _known_power(f, x, int(n))
    power = f.call(x.type, pow_symbol(x.lanes), x, y)
    power.floored = f.select(f.abs(power) < DENORMAL_GUARD, DENORMAL_GUARD, power)
    return power


def shared_pow(f: Function, x: Val, y: Val) -> Val:
    """x^y, the body of the shared function.

    Computes only the cases that occur in some lane, and nothing if every lane is 0 to a positive power, as on surfaces that face away from
    a light.
    """
    ix, iy = x.as_int(), y.as_int()
    is_zero = ix.eq(0) & (iy - 1).ult(INF - 1)
    near = f.select((y >= 1.0) & (y <= float(_MOST)), y, 0.0)
    n = near.cast("fptosi", I32)
    is_whole = n.ne(0) & n.to_float().eq(near)
    result = f.var(x.type, 0.0)
    with f.if_(f.any(~(is_zero | is_whole))):
        first = y[0] if y.lanes > 1 else y
        bounded = f.select((first > 0.0) & (first < float(1 << 20)), first, 0.0)
        is_part = bounded.cast("fptosi", I32).to_float().ne(bounded)
        with f.else_of(f.all(y.eq(first)) & is_part) as otherwise:
            result.set(_by_logarithm(f, x, y, is_part=True))
            otherwise()
            result.set(_by_logarithm(f, x, y))
    with f.if_(f.any(is_whole & ~is_zero)):
        result.set(f.select(is_whole, _whole_power(f, x, n), result.get()))
    return result.get()


def _start(f: Function, x: Val, least: Val) -> Val:
    """|x| as doubles, but at least `least`, whose power is still 0 as a float.

    Without it, squares of small numbers would be denormal doubles, which take some processors a hundred cycles each.
    """
    return f.max(f.abs(x), least).to_double()


def _least(f: Function, n: Val) -> Val:
    """The least base for whole exponents: 2^(-256 >> j) for exponents of j + 1 bits, and 0 where squares of floats cannot get too small.

    Its power is below 2^-150, so it becomes 0, and above 2^-1022 in every square.
    """
    j = n.to_float().as_int().lshr(23) - _TOP
    return (f.max(_TOP - f.const(n.type, 256).lshr(j), 0) << 23).as_float()


def _whole_power(f: Function, x: Val, n: Val) -> Val:
    """x^n for whole n (i32) from 1 to 255; any number where n is another."""
    square = _start(f, x, _least(f, f.max(n, 1)))
    result, first = f.var(square.type), n[0] if n.lanes > 1 else n
    with f.else_of(f.all(n.eq(first)) & (first > 0)) as otherwise:
        result.set(_uniform_power(f, square, first))
        otherwise()
        power = f.select((n & 1).ne(0), square, 1.0)
        for bit in range(1, _MOST.bit_length()):
            square = square * square
            power = f.select((n >> bit & 1).ne(0), power * square, power)
        result.set(power)
    return _signed(f, x, _rounded(f, result.get()), x.as_int() & n << 31)


def _uniform_power(f: Function, base: Val, n: Val) -> Val:
    """A power of doubles whose exponent (a scalar) is that of all lanes, as the shininess of a material is: only the products it needs.

    16 lanes at a time, so that squares and powers stay in registers without AVX-512, too.
    """
    lanes = min(base.lanes, 16)
    parts = []
    for first in range(0, base.lanes, lanes):
        square = f.var(F64.wide(lanes), f.shuffle(base, base, range(first, first + lanes)) if base.lanes > lanes else base)
        power, rest = f.var(F64.wide(lanes), 1.0), f.var(I32, n)
        with f.loop() as loop:
            with f.if_((rest.get() & 1).ne(0)):
                power.set(power.get() * square.get())
            rest.set(rest.get().lshr(1))
            loop.break_if(rest.get().eq(0))
            square.set(square.get() * square.get())
        parts.append(power.get())
    return f.concat(parts)


def _known_power(f: Function, x: Val, n: int) -> Val:
    """x^n for a whole number: the operations of `_whole_power` that n needs."""
    exponent = _TOP - (256 >> n.bit_length() - 1)
    square = _start(f, x, f.const(x.type, 2.0 ** (exponent - _TOP) if exponent > 0 else 0.0))
    power: Val | None = None
    for bit in range(n.bit_length()):
        square = square * square if bit else square
        if n >> bit & 1:
            power = square if power is None else power * square
    assert power is not None
    sign = x.as_int() & SIGN if n & 1 else f.const(x.as_int().type, 0)
    result = _signed(f, x, _rounded(f, power), sign)
    result.floored = _signed(f, x, f.max(power, DENORMAL_GUARD).cast("fptrunc", F32).as_int(), sign)
    return result


def _rounded(f: Function, power: Val) -> Val:
    """Bits of the float nearest to a positive double. Denormal results are rounded by a sum, because conversions to denormals are slow."""
    tiny = (power + _H("0x1p-97")).bits_as(I64.wide(power.lanes)).trunc(I32)  # the last bit of the sum is that of a denormal float
    return f.select(power < _SMALLEST, tiny, f.max(power, _SMALLEST).cast("fptrunc", F32).as_int())


def _signed(f: Function, x: Val, bits: Val, sign: Val) -> Val:
    """A power with its sign, from its bits; NaN where the base is NaN."""
    return f.select((x.as_int() & ABS) > INF, QNAN, bits | sign).as_float()


def _log2(f: Function, ax: Val) -> Val:
    """log2 of the non-negative float with bits `ax`, in f64 lanes; 0 -> -inf, inf -> inf."""
    n, m = exponent_and_mantissa(f, ax, 0x3F5744FD)
    upper = m >= 0x3F9837F0
    e = n.to_float() + f.select(upper, f.const(F32.wide(ax.lanes), 0.5), 0.0)
    e = f.select(ax.eq(INF), float("inf"), e)
    e = f.select(ax.eq(0), float("-inf"), e)
    fd = m.as_float().to_double() * f.select(upper, f.const(F64.wide(ax.lanes), _INVERSE_SQRT2), 1.0) - 1.0
    fs = fd.cast("fptrunc", F32)
    z = fs * fs
    q = horner(z, _ODD) + fs * horner(z, _EVEN)
    d0, d1, d2 = _D
    low = e.to_double() + fd * (fd * d1 + d0)
    return low + ((fd * fd) * fd) * (fd * q.to_double() + d2)


def _by_logarithm(f: Function, x: Val, y: Val, *, is_part: bool = False) -> Val:
    """x^y for any y. is_part: y is positive, finite and not whole, as the exponent of a gamma curve is: no rules of whole exponents."""
    ix, iy = x.as_int(), y.as_int()
    ax, ay = ix & ABS, iy & ABS
    t = _log2(f, ax) * y.to_double()
    t = f.max(t, -151.0)
    t = f.min(t, 128.0)
    magic = t + _H("0x1.8p52")
    scale = magic.bits_as(I64.wide(x.lanes)).trunc(I32) << 23
    r = exp2_tail(f, (t - (magic - _H("0x1.8p52"))).cast("fptrunc", F32), scale)
    negative = (ix - 0x80000001).ult(0x7F7FFFFF)
    if is_part:
        r = f.select((ax > INF) | negative, QNAN, r)
        return f.select(ix.eq(0x3F800000), 0x3F800000, r).as_float()
    exact = f.select(ay < 0x4B800000, y, 0.0)  # from 2^24 up every float is an even integer
    n = exact.cast("fptosi", I32)
    integer = n.to_float().as_int().eq(exact.as_int())
    r = r | f.select(integer, ix & (n << 31), 0)
    r = f.select((ax > INF) | (ay > INF) | (negative & ~integer), QNAN, r)
    one = ay.eq(0) | ix.eq(0x3F800000) | (ix.eq(0xBF800000) & ay.eq(INF))
    return f.select(one, 0x3F800000, r).as_float()
