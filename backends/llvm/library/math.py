"""EX2, LG2, SIN, COS, RCP, RSQ and half conversions in plain vector arithmetic. POW is in `powers`.

Coefficients and the order of every operation come from the project's polynomial reference. They define the results, so the bits of a lane
depend neither on the target nor on the number of lanes. All functions take and return scalars or vectors of any width; every NaN in a
result is the canonical one, except from `rcp` and `rsq`.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import F32, I16, I32, I64, Function, Type, Val

_H = float.fromhex
QNAN, INF, NEG_INF, SIGN, ABS = 0x7FC00000, 0x7F800000, 0xFF800000, 0x80000000, 0x7FFFFFFF
WIDE_QNAN = 0x7FF8 << 48
QUIET_NAN = float("nan")

SYMBOL_PREFIX = "tgsi_math_"
"""Prefix of functions that are compiled once per process (`mathlib`) and linked by the engine."""

# Coefficients of polynomials, the highest degree first.
_EX2_EVEN = [_H("0x1.3fa206p-13"), _H("0x1.3b30a0p-7"), _H("0x1.ebfbd8p-3")]
_EX2_ODD = [_H("0x1.5f0b82p-10"), _H("0x1.c6af76p-5"), _H("0x1.62e430p-1")]
_LG2_EVEN = [_H("0x1.856514p-3"), _H("0x1.a15df2p-3"), _H("0x1.278ce8p-2"), _H("0x1.ec7034p-2"), _H("0x1.c551dap-2")]
_LG2_ODD = [_H("-0x1.dcd4d6p-4"), _H("-0x1.8567c0p-3"), _H("-0x1.eacafap-3"), _H("-0x1.715a9ep-2"), _H("-0x1.715470p-1")]
_SIN = [_H("-0x1.992ab4p-13"), _H("0x1.1106e2p-7"), _H("-0x1.555544p-3")]
_COS = [_H("0x1.99e9b8p-16"), _H("-0x1.6c0c2cp-10"), _H("0x1.55554ap-5"), -0.5, 1.0]
_TWO_OVER_PI = _H("0x1.45f306p-1")
_HALF_PI = [_H("0x1.92p0"), _H("0x1.fbp-12"), _H("0x1.5110b4p-22")]
_ONE_OVER_PI = _H("0x1.45f306p-2")
_PI = [2 * part for part in _HALF_PI]
_SIN_WIDE = [_H("0x1.5c13bep-19"), _H("-0x1.9f52f8p-13"), _H("0x1.110e58p-7"), _H("-0x1.55554cp-3")]
_NEAR = 0x4B400000  # the upper half of the sums below, if -2^15 <= k < 2^15
_NEAR_ZERO = _H("0x1.81p23")  # the sum for k = 0: in the middle of its binade, and even
_INVERSE_TWO_PI = [0x0028BE60, 0xDB939105, 0x4A7F09D5, 0xF47D4D37, 0x7036D8A5, 0x664F10E4]  # 2^-8 / (2 pi), 192 bits
_PHASE_TO_RADIANS = _H("0x1.921fb6p-32")
_FAST_LIMIT = 0x47000000  # 32768.0


def horner(x: Val, coefficients: Sequence[float]) -> Val:
    """Value of a polynomial, from its coefficients, the highest degree first."""
    p = x * coefficients[0] + coefficients[1]
    for c in coefficients[2:]:
        p = p * x + c
    return p


def _or_nan(f: Function, ok: Val, bits: Val) -> Val:
    return f.select(ok, bits, QNAN).as_float()


def _exp2_of_fraction(f: Function, fraction: Val, scale: Val) -> Val:
    """Bits of 2^fraction, plus `scale`."""
    z = fraction * fraction
    g = (z * horner(z, _EX2_EVEN) + fraction * horner(z, _EX2_ODD)) + 1.0
    return g.as_int() + scale


def exp2_tail(f: Function, fraction: Val, scale: Val) -> Val:
    """Bits of 2^n * 2^fraction for |fraction| <= 1/2; scale = n << 23, -151 <= n <= 128; no denormal operand."""
    p = _exp2_of_fraction(f, fraction, scale)
    w = (p + (149 << 23)).as_float() + _H("0x1p23")
    return f.select(p < 0x00800000, w.as_int() - 0x4B000000, p)


def ex2(f: Function, x: Val) -> Val:
    """2^x; error at most 1.256 ULP, exact for integers."""
    c = f.max(x, -151.0)
    c = f.min(c, 128.0)
    t = c + _H("0x1.8p23")
    r = exp2_tail(f, c - (t - _H("0x1.8p23")), t.as_int() << 23)
    return _or_nan(f, x.eq(x), r)


def ex2_above(f: Function, x: Val) -> Val:
    """`ex2` of -125 <= x <= 127, bit for bit, without the operations for other numbers; undefined for NaN."""
    t = x + _H("0x1.8p23")
    return _exp2_of_fraction(f, x - (t - _H("0x1.8p23")), t.as_int() << 23).as_float()


def exponent_and_mantissa(f: Function, bits: Val, origin: int = 0x3F800000) -> tuple[Val, Val]:
    """Exponent (i32) of a positive finite float given as bits, and bits of its mantissa, which is in [origin, 2 * origin)."""
    tiny = bits < 0x00800000
    normal = f.select(tiny, bits.to_float().as_int(), bits)
    j = normal - origin
    return (j >> 23) + f.select(tiny, f.const(bits.type, -149), 0), normal - (j & 0xFF800000)


def lg2(f: Function, x: Val) -> Val:
    """log2(x); error at most 1.449 ULP, exact for powers of two; -inf for zeros, NaN for negatives."""
    ix = x.as_int()
    r = _log2_of_parts(*exponent_and_mantissa(f, ix, 0x3F3504F3)).as_int()
    r = f.select(ix.eq(INF), INF, r)
    special = f.select((ix << 1).eq(0), f.const(ix.type, NEG_INF), QNAN)
    return f.select((ix - 1).ult(INF), r, special).as_float()


def _log2_of_parts(n: Val, mantissa: Val) -> Val:
    fraction = mantissa.as_float() - 1.0
    z = fraction * fraction
    q = horner(z, _LG2_EVEN) + fraction * horner(z, _LG2_ODD)
    return n.to_float() + (fraction + fraction * q)


def lg2_of_normal(x: Val) -> Val:
    """`lg2` of normal positive numbers, without the handling of other numbers."""
    bits = x.as_int()
    j = bits - 0x3F3504F3
    return _log2_of_parts(j >> 23, bits - (j & 0xFF800000))


def _reduce_fast(f: Function, ax: Sequence[Val]) -> tuple[list[Val], list[Val]]:
    """Quadrants and remainders of |x| < 2^15."""
    t = [x * _TWO_OVER_PI + _H("0x1.8p23") for x in ax]
    k = [v - _H("0x1.8p23") for v in t]
    return [v.as_int() for v in t], [v - n * _HALF_PI[2] for n, v in zip(k, _subtract_exactly(f, ax, k, _HALF_PI))]


def _subtract_exactly(f: Function, xs: Sequence[Val], k: Sequence[Val], parts: Sequence[float]) -> list[Val]:
    """x - k * (the first two parts of a number). All products and differences are exact, so fused operations give the same bits."""
    if f.module.has("fma"):
        return [f.intrinsic("fma", f.neg_bits(n), f.const(n.type, parts[0] + parts[1]), x) for n, x in zip(k, xs)]
    return [(x - n * parts[0]) - n * parts[1] for n, x in zip(k, xs)]


def _reduce_slow(f: Function, ab: Val) -> tuple[Val, Val]:
    """Quadrant and remainder of a finite |x| >= 2^15, from its bits.

    The phase, in turns, is a fixed-point product of the mantissa and a 64-bit window of 1/(2 pi).
    """
    p = ab.lshr(23) - 142
    s = p & 31
    i = p.lshr(5) & 3
    first, second, third = (i.eq(k) for k in range(3))
    window = []
    for k in range(3):
        v = f.select(third, f.const(ab.type, _INVERSE_TWO_PI[k + 2]), _INVERSE_TWO_PI[k + 3])
        v = f.select(second, _INVERSE_TWO_PI[k + 1], v)
        window.append(f.select(first, _INVERSE_TWO_PI[k], v))
    rest = f.const(ab.type, 31) - s
    high = (window[0] << s) | window[1].lshr(1).lshr(rest)
    low = (window[1] << s) | window[2].lshr(1).lshr(rest)
    m = (ab & 0x7FFFFF) | 0x800000
    phase = m * high + umul_hi(m, low)
    q = (phase + 0x20000000).lshr(30)
    return q, (phase << 2).to_float() * _PHASE_TO_RADIANS


def _by_quadrant(f: Function, is_sine: Sequence[Val], r: Sequence[Val]) -> list[Val]:
    """Sine or cosine of |r| <= pi/4, by lane. If selections are cheap, a single polynomial with selected coefficients computes both."""
    z = [v * v for v in r]
    if not f.module.has("avx512f"):
        sine = [v + (v * zz) * horner(zz, _SIN) for v, zz in zip(r, z)]
        return [f.select(c, v, horner(zz, _COS)) for c, v, zz in zip(is_sine, sine, z)]

    def pick(a: float, b: float) -> list[Val]:
        return [f.select(c, f.const(v.type, a), b) for c, v in zip(is_sine, z)]

    p = [zz * _COS[0] + _COS[1] for zz in z]
    p = [f.select(c, _SIN[0], v) for c, v in zip(is_sine, p)]
    for ours, theirs in zip(_SIN[1:], _COS[2:4]):
        p = [v * zz + w for v, zz, w in zip(p, z, pick(ours, theirs))]
    factor = [f.select(c, v * zz, zz) for c, v, zz in zip(is_sine, r, z)]
    return [v * w + f.select(c, rest, _COS[4]) for v, w, c, rest in zip(p, factor, is_sine, r)]


def _by_octant(f: Function, bits: Sequence[Val], q: Sequence[Val], r: Sequence[Val], cosine: bool) -> list[Val]:
    """Bits of sines or cosines, from the arguments' bits, quadrants and remainders."""
    k = [n + 1 if cosine else n for n in q]
    v = _by_quadrant(f, [(n & 1).eq(0) for n in k], r)
    turns = [n << 30 if cosine else (n << 30) ^ ix for n, ix in zip(k, bits)]
    return [x.as_int() ^ (n & SIGN) for x, n in zip(v, turns)]


def trigonometry(f: Function, xs: Sequence[Val], cosine: Sequence[bool], mask: Val | None = None) -> list[Val]:
    """sin or cos of each of `xs`, in radians; absolute error at most 2^-23.02 for every input.

    Several together are cheaper than one after the other, because their chains of operations overlap, and a single test detects the rare
    lanes (2^15 and above, inf, NaN) that need a call of a shared function. All vectors must have the same number of lanes. Results outside
    of `mask` are unspecified.
    """
    kinds = [[x for x, is_cosine in zip(xs, cosine) if is_cosine is wanted] for wanted in (False, True)]
    sines, cosines = (iter(compute(f, part, mask)) if part else iter(()) for compute, part in zip((_sines, _cosines), kinds))
    return [next(cosines if is_cosine else sines) for is_cosine in cosine]


def _any_lane(f: Function, lanes: Val, mask: Val | None) -> Val:
    """Scalar (at run time), true if a lane of `mask` is among `lanes`."""
    return f.any(lanes if mask is None or mask.number is not None or lanes.lanes == 1 else lanes & mask)


def _half_turns(f: Function, xs: Sequence[Val]) -> tuple[list[Val], list[Val]]:
    """Sines for |k| <= 2^15, and the sums that hold k in their low bits.

    x = k * pi + r with |r| <= pi/2, so one polynomial serves all lanes. Of all orders of the last operations with this cost, this one has
    the smallest error.
    """
    t = [x * _ONE_OVER_PI + _NEAR_ZERO for x in xs]
    k = [v - _NEAR_ZERO for v in t]
    remainders = [v - n * _PI[2] for v, n in zip(_subtract_exactly(f, xs, k, _PI), k)]
    bits = [v.as_int() for v in t]
    r = [(v.as_int() ^ (n << 31)).as_float() for v, n in zip(remainders, bits)]
    z = [v * v for v in r]
    q = [horner(v, _SIN_WIDE) for v in z]
    s = [(v * w) * zz + v for v, w, zz in zip(r, q, z)]
    return [(v.as_int() | (n.as_int() & SIGN)).as_float() for v, n in zip(s, r)], bits  # the sum loses the sign of a zero


def _sines(f: Function, xs: Sequence[Val], mask: Val | None) -> list[Val]:
    near, bits = _half_turns(f, xs)
    results = [f.var(x.type, v) for x, v in zip(xs, near)]
    differing = bits[0] ^ _NEAR
    for n in bits[1:]:
        differing = differing | (n ^ _NEAR)
    with f.if_(_any_lane(f, (differing & -0x10000).ne(0), mask), unlikely=True):
        for x, result in zip(xs, results):
            result.set(f.call(x.type, sin_symbol(x.lanes), x))
    return [result.get() for result in results]


def _cosines(f: Function, xs: Sequence[Val], mask: Val | None) -> list[Val]:
    bits = [x.as_int() for x in xs]
    sizes = [ix & ABS for ix in bits]
    q, r = _reduce_fast(f, [ab.as_float() for ab in sizes])
    results = [f.var(x.type, v.as_float()) for x, v in zip(xs, _by_octant(f, bits, q, r, True))]
    largest = sizes[0]
    for ab in sizes[1:]:
        largest = f.max(largest, ab)
    with f.if_(_any_lane(f, largest >= _FAST_LIMIT, mask), unlikely=True):
        for x, result in zip(xs, results):
            result.set(f.call(x.type, cos_symbol(x.lanes), x))
    return [result.get() for result in results]


def _far(f: Function, x: Val, cosine: bool) -> Val:
    """sin or cos of |x| >= 2^15 by quarter turns; NaN for inf and NaN."""
    ab = x.as_int() & ABS
    q, r = _reduce_slow(f, ab)
    (v,) = _by_octant(f, [x.as_int()], [q], [r], cosine)
    return _or_nan(f, ab < INF, v)


def sin_inline(f: Function, x: Val) -> Val:
    """sin of any x, written out in place."""
    (near,), (bits,) = _half_turns(f, [x])
    return f.select((bits - _NEAR).ugt(0x10000), _far(f, x, False), near)  # the same test for positive and negative k


def cos_inline(f: Function, x: Val) -> Val:
    """cos of any x, written out in place."""
    ab = x.as_int() & ABS
    q, r = _reduce_fast(f, [ab.as_float()])
    (near,) = _by_octant(f, [x.as_int()], q, r, True)
    return f.select(ab < _FAST_LIMIT, near.as_float(), _far(f, x, True))


def sin(f: Function, x: Val) -> Val:
    """sin(x), x in radians; absolute error at most 2^-23.055 for every input."""
    return trigonometry(f, [x], [False])[0]


def cos(f: Function, x: Val) -> Val:
    """cos(x), x in radians; absolute error at most 2^-23.024 for every input."""
    return trigonometry(f, [x], [True])[0]


def sin_symbol(lanes: int) -> str:
    """Name of the shared function for sines of arguments of any size."""
    return f"{SYMBOL_PREFIX}sin_{lanes}"


def cos_symbol(lanes: int) -> str:
    """Name of the shared function for cosines of arguments of any size."""
    return f"{SYMBOL_PREFIX}cos_{lanes}"


def rcp(f: Function, x: Val) -> Val:
    """1 / x, correctly rounded."""
    return f.const(x.type, 1.0) / x


def rsq(f: Function, x: Val) -> Val:
    """1 / sqrt(x); error at most 1.490 ULP; NaN for negatives."""
    return f.const(x.type, 1.0) / f.sqrt(x)


def canonical(f: Function, x: Val) -> Val:
    """`x`, f32 or f64 lanes, with every NaN replaced by the canonical one."""
    if x.type.bits == 64:
        return f.select(x.eq(x), x.bits_as(I64.wide(x.lanes)), WIDE_QNAN).bits_as(x.type)
    return _or_nan(f, x.eq(x), x.as_int())


def float_to_half(f: Function, x: Val) -> Val:
    """Bits of a half, in the low 16 of an i32, from f32: to nearest even, NaN payloads kept; the same on every target."""
    if f.module.has("f16c"):
        return x.cast("fptrunc", Type("f", 16)).bits_as(I16.wide(x.lanes)).zext(I32)
    u = x.as_int()
    a = u & ABS
    top = a.lshr(13)
    normal = (a + (0xFFF - 0x38000000) + (top & 1)).lshr(13)
    r = f.select(a < 0x477FF000, normal, 0x7C00)
    r = f.select(a < 0x38800000, (a.as_float() + 0.5).as_int() - 0x3F000000, r)
    r = f.select(a > INF, (top & 0x3FF) | 0x7E00, r)
    return r | (u.lshr(16) & 0x8000)


def half_to_float(f: Function, h: Val) -> Val:
    """f32 from the bits of a half in the low 16 of an i32, exact; signalling NaNs become quiet."""
    if f.module.has("f16c"):
        return h.trunc(I16).bits_as(Type("f", 16, h.lanes)).cast("fpext", F32)
    o = (h & 0x7FFF) << 13
    e = o & 0x0F800000
    tiny = ((o + 0x38800000).as_float() - _H("0x1p-14")).as_int()
    r = f.select(e.eq(0), tiny, o + 0x38000000)
    quiet = f.select((o & 0x007FE000).eq(0), f.const(h.type, 0), 0x00400000)
    r = f.select(e.eq(0x0F800000), (o + 0x70000000) | quiet, r)
    return (r | ((h & 0x8000) << 16)).as_float()


def umul_hi(a: Val, b: Val) -> Val:
    """High 32 bits of the unsigned product."""
    return (a.zext(I64) * b.zext(I64)).lshr(32).trunc(I32)


def imul_hi(a: Val, b: Val) -> Val:
    """High 32 bits of the signed product."""
    return (a.sext(I64) * b.sext(I64)).lshr(32).trunc(I32)
