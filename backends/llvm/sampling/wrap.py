"""Wrap modes: from a coordinate in texels to texel indices.

All arithmetic is in texels: x = s * size + offset, f32. Coordinates beyond 2^21 texels and infinite ones count as 2^21, NaN
as an end; so every index lies inside of the level whatever a shader computes, and wrapping is the bounds check.
"""

from __future__ import annotations

from dataclasses import dataclass

from backends.llvm.builder.function import I32, Function, Val
from backends.pipe.enums import TexWrap

HUGE = 2.0**21
_MAGIC = 1.5 * 2.0**23

#: Modes under which texels outside of the level read the border color; CLAMP and MIRROR_CLAMP only in linear filters.
BORDER_MODES = frozenset({TexWrap.CLAMP_TO_BORDER, TexWrap.MIRROR_CLAMP_TO_BORDER})
HALF_BORDER_MODES = BORDER_MODES | {TexWrap.CLAMP, TexWrap.MIRROR_CLAMP}
_MIRRORED = frozenset({TexWrap.MIRROR_CLAMP, TexWrap.MIRROR_CLAMP_TO_EDGE, TexWrap.MIRROR_CLAMP_TO_BORDER})


@dataclass(frozen=True, slots=True)
class Axis:
    """The texels that one coordinate touches: indices inside of the level (i32), whether each is really there, and a weight.

    `second` and `weight` (f32, of the second texel) are None for nearest filters; `inside` and `second_inside` are None where
    no border can be met. repeats: the second texel of the last one is the first.
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
    """NaN gives `low`."""
    return f.min(f.max(x, low), high)


def _modulo(f: Function, whole: Val, size: Val) -> Val:
    """`whole` (integral f32, up to 2^21) modulo `size`: the quotient's floor is exact."""
    return whole - f.floor(whole / size) * size


def _mirrored(f: Function, x: Val, size: Val) -> Val:
    """Coordinate of MIRROR_REPEAT: period 2 * size, falling in its second half."""
    period = size + size
    x = _bounded(f, x)
    x = x - f.floor(x / period) * period
    return f.min(x, period - x)


def _index(f: Function, whole: Val) -> Val:
    """An integral f32 of small size to i32."""
    return whole.cast("fptosi", I32)


def _kept(f: Function, index: Val, size: Val) -> tuple[Val, Val]:
    """An index forced into the level, and whether it was there."""
    inside = index.ult(size)
    return f.select(inside, index, 0), inside


def wrap_nearest(f: Function, mode: TexWrap, x: Val, size: Val, pot: bool) -> Axis:
    """One texel. x: f32 in texels; size: i32; pot: every lane's size is a power of two."""
    extent = size.to_float()
    if mode is TexWrap.REPEAT:
        whole = f.floor(_bounded(f, x))
        return Axis(_index(f, whole) & (size - 1) if pot else _index(f, _modulo(f, whole, extent)))
    if mode is TexWrap.MIRROR_REPEAT:
        x = _mirrored(f, x, extent)
    elif mode in _MIRRORED:
        x = f.abs(x)
    if mode in BORDER_MODES:
        index, inside = _kept(f, _index(f, f.floor(_clamp(f, x, -1.0, extent))), size)
        return Axis(index, inside)
    return Axis(_index(f, _clamp(f, x, 0.0, extent - 1.0)))  # truncation is floor here


def wrap_linear(f: Function, mode: TexWrap, x: Val, size: Val, pot: bool, snap: Val | None = None) -> Axis:
    """Two texels and the weight of the second. Lanes of `snap` take what `wrap_nearest` would, with weight 0."""
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
        # The sum rounds x - 1 to an integer whose low bits it shows; from a tie the weight 1 leads to the same texel.
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
    """The two texels around x, each wrapped on its own (GL 4.6, 8.14.2), in the order that the shader is promised.

    A filter may take a neighbor of weight 0 instead; a gather shows which texel is meant.
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
    """One index, |index| up to 2^21 + 1, and whether it is inside where a border can be met."""
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
