"""Level of detail and mip levels, from derivatives of coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import I32, Function, Val
from backends.llvm.library.math import lg2_of_normal
from tgsi.language.record import record

_LIMIT = 64.0


def scale_factor(f: Function, dx: Sequence[Val], dy: Sequence[Val]) -> Val:
    """Scale factor in texels a pixel: the largest derivative of any coordinate, as OpenGL 4.6, section 8.14.1, allows.

    dx, dy: derivatives in texels, f32. NaN counts as 0.
    """
    largest = f.max(f.abs(dx[0]), 0.0)
    for d in [*dx[1:], *dy]:
        largest = f.max(f.abs(d), largest)
    return largest


def level_of_detail(f: Function, rho: Val) -> Val:
    """log2 of the scale factor `rho`, which is not negative, limited to -64 and 64; NaN gives -64."""
    return lg2_of_normal(f.min(f.max(rho, 2.0**-_LIMIT), 2.0**_LIMIT))


def _finite(f: Function, lod: Val) -> Val:
    """`lod` with NaN and -inf replaced by -64, +inf by 64."""
    return f.min(f.max(lod, -_LIMIT), _LIMIT)


def clamp_lod(f: Function, lod: Val, low: Val, high: Val) -> Val:
    """`lod` clamped to the sampler's limits, `low` and `high`."""
    return _finite(f, f.min(f.max(lod, low), high))


@record
class Levels:
    """Mip levels of each lane (i32, inside of the view). `second` and `weight` (f32) are None unless the mip filter is linear."""

    first: Val
    second: Val | None = None
    weight: Val | None = None


def nearest_level(f: Function, lod: Val, last: Val) -> Levels:
    """Level floor(lod + 0.5), clamped to the view's levels; 0 where the texture is magnified."""
    level = f.floor(f.max(lod, 0.0) + 0.5).cast("fptosi", I32)
    return Levels(f.min(level, last))


def linear_levels(f: Function, lod: Val, last: Val) -> Levels:
    """Two levels around `lod` and the weight of the second; beyond both ends a single level, with weight 0."""
    lod = f.max(lod, 0.0)
    whole = f.floor(lod)
    first = f.min(whole.cast("fptosi", I32), last)
    second = f.min(first + 1, last)
    weight = f.select(first >= last, 0.0, lod - whole)
    return Levels(first, second, weight)
