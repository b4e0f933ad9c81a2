"""Wrap modes: texel indices from a coordinate in texels.

All arithmetic is in texels: x = s * size + offset, f32. Coordinates beyond 2^21 texels, infinite ones included, count as 2^21, and NaN
counts as one end. So every index lies inside of the level, whatever a shader computes: wrapping is the bounds check.
"""

from __future__ import annotations

from backends.llvm.builder.function import I32, Function, Val
from backends.pipe.enums import TexWrap
from tgsi.language.record import record

HUGE = 2.0**21
_MAGIC = 1.5 * 2.0**23

#: Wrap modes in which texels outside of the level read the border color; CLAMP and MIRROR_CLAMP do so only in linear filters.
BORDER_MODES = frozenset({TexWrap.CLAMP_TO_BORDER, TexWrap.MIRROR_CLAMP_TO_BORDER})
HALF_BORDER_MODES = BORDER_MODES | {TexWrap.CLAMP, TexWrap.MIRROR_CLAMP}
_MIRRORED = frozenset({TexWrap.MIRROR_CLAMP, TexWrap.MIRROR_CLAMP_TO_EDGE, TexWrap.MIRROR_CLAMP_TO_BORDER})


@record
class Axis:
    """The texels along one axis that a coordinate touches.

    first, second: indices inside of the level (i32). weight: of the second texel, f32. inside, second_inside: i1 lanes, false where the
    border color takes the texel's place. `second` and `weight` are None for nearest filters; `inside` and `second_inside` are None if the
    wrap mode has no border. repeats: the level's first texel follows its last one.
    """

    first: Val
    inside: Val | None = None
    second: Val | None = None
    second_inside: Val | None = None
    weight: Val | None = None
    repeats: bool = False


def _bounded(f: Function, x: Val) -> Val:
    return f.min(f.max(x, -HUGE), HUGE)


def _clamp(f: Function, x: Val, low: Val | float, high: Val | float) -> Val:
    """Clamp `x` to [low, high]; NaN gives `low`."""
    return f.min(f.max(x, low), high)


def _modulo(f: Function, whole: Val, size: Val) -> Val:
    """`whole` (integral f32, up to 2^21) modulo `size`. The floor of the quotient is exact."""
    return whole - f.floor(whole / size) * size


def _mirrored(f: Function, x: Val, size: Val) -> Val:
    """Coordinate of MIRROR_REPEAT: period 2 * size, falling in its second half."""
    period = size + size
    x = _bounded(f, x)
    x = x - f.floor(x / period) * period
    return f.min(x, period - x)


def _index(f: Function, whole: Val) -> Val:
    """Index (i32) from an integral f32 of small magnitude."""
    return whole.cast("fptosi", I32)


def _kept(f: Function, index: Val, size: Val) -> tuple[Val, Val]:
    """`index` clamped to the level, and the lanes (i1) in which it was inside."""
    inside = index.ult(size)
    return f.select(inside, index, 0), inside


def wrap_nearest(f: Function, mode: TexWrap, x: Val, size: Val, pot: bool, whole: bool = False) -> Axis:
    """Texel of a nearest filter. x: f32 in texels; size: i32; pot: every lane's size is a power of two; whole: x is integral (REPEAT)."""
    extent = size.to_float()
    if mode is TexWrap.REPEAT:
        column = _bounded(f, x) if whole else f.floor(_bounded(f, x))
        return Axis(_index(f, column) & (size - 1) if pot else _index(f, _modulo(f, column, extent)))
    if mode is TexWrap.MIRROR_REPEAT:
        x = _mirrored(f, x, extent)
    elif mode in _MIRRORED:
        x = f.abs(x)
    if mode in BORDER_MODES:
        index, inside = _kept(f, _index(f, f.floor(_clamp(f, x, -1.0, extent))), size)
        return Axis(index, inside)
    return Axis(_index(f, _clamp(f, x, 0.0, extent - 1.0)))  # the clamped x is not negative: truncation is floor


def wrap_linear(f: Function, mode: TexWrap, x: Val, size: Val, pot: bool, snap: Val | None = None) -> Axis:
    """Two texels of a linear filter, and the weight of the second. In lanes of `snap` the first is that of `wrap_nearest`, the weight 0."""
    extent = size.to_float()
    if mode is TexWrap.REPEAT:
        return _linear_repeat(f, _bounded(f, x), size, extent, pot, snap)
    if mode is TexWrap.MIRROR_REPEAT:
        x = _mirrored(f, x, extent)
    elif mode in _MIRRORED:
        x = f.abs(x)
    low: Val | float
    high: Val | float
    low, high = 0.0, extent - 1.0
    u = x - 0.5
    if mode in BORDER_MODES:
        low, high = -1.0, extent
    elif mode in HALF_BORDER_MODES:
        low, high = -0.5, extent - 0.5
    u = _clamp(f, u, low, high)
    if snap is not None:
        near = f.floor(x)
        u = f.select(snap, _clamp(f, near, -1.0 if mode in BORDER_MODES else 0.0, extent if mode in BORDER_MODES else extent - 1.0), u)
    if mode not in HALF_BORDER_MODES:
        first = _index(f, u)
        return Axis(first, None, f.min(first + 1, size - 1), None, u - first.to_float())
    whole = f.floor(u)
    first = _index(f, whole)
    second, second_inside = _kept(f, first + 1, size)
    first, inside = _kept(f, first, size)
    return Axis(first, inside, second, second_inside, u - whole)


def _linear_repeat(f: Function, x: Val, size: Val, extent: Val, pot: bool, snap: Val | None) -> Axis:
    last = size - 1
    u = x - 0.5
    if snap is not None:
        u = f.select(snap, f.floor(x), u)
    if pot:
        # The sum rounds x - 1 to an integer, whose low bits are then the mantissa's; at a tie, a weight of 1 selects the same texel.
        shown = x + (_MAGIC - 1.0)
        if snap is not None:
            shown = f.select(snap, u + _MAGIC, shown)
        weight = u - (shown - _MAGIC)
        first = shown.as_int() & last
        return Axis(first, None, (first + 1) & last, None, weight, repeats=True)
    whole = f.floor(u)
    first = _index(f, _modulo(f, whole, extent))
    return Axis(first, None, f.select(first.eq(last), 0, first + 1), None, u - whole, repeats=True)


# -- footprints of gathers ----------------------------------------------------------------------------------------------
def wrap_footprint(f: Function, mode: TexWrap, x: Val, size: Val) -> Axis:
    """Two texels around x, each wrapped on its own (OpenGL 4.6, section 8.14.2), the lower coordinate first.

    A filter may replace a texel of weight 0 by another; a gather returns every texel, so it needs exactly these.
    """
    extent = size.to_float()
    x = _bounded(f, x)
    if mode is TexWrap.CLAMP:
        x = _clamp(f, x, 0.0, extent)
    elif mode is TexWrap.MIRROR_CLAMP:
        x = _clamp(f, x, 0.0 - extent, extent)
    first = _index(f, f.floor(x - 0.5))
    i, inside = _wrapped(f, mode, first, size)
    j, second_inside = _wrapped(f, mode, first + 1, size)
    return Axis(i, inside, j, second_inside)


def _wrapped(f: Function, mode: TexWrap, index: Val, size: Val) -> tuple[Val, Val | None]:
    """Wrapped index, for |index| up to 2^21 + 1, and the lanes in which it is inside; None if the wrap mode has no border."""
    if mode is TexWrap.REPEAT:
        return _index(f, _modulo(f, index.to_float(), size.to_float())), None
    if mode is TexWrap.MIRROR_REPEAT:
        period = size + size
        place = _index(f, _modulo(f, index.to_float(), period.to_float()))
        return f.min(place, period - 1 - place), None
    if mode in _MIRRORED:
        index = f.select(index < 0, ~index, index)
    if mode in HALF_BORDER_MODES:
        return _kept(f, index, size)
    return f.min(f.max(index, 0), size - 1), None
