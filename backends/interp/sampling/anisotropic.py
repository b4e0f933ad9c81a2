"""Anisotropic filters: the weighted average of the texels in the ellipse that a pixel covers.

With J the derivatives in texels of the level and d the distance of texel x from the center, x counts if q = d' (J J' + 1)^-1 d < 1. Its
weight is exp(-2 q), with q rounded down to one of 1023 steps. The level is the whole part of log2 of the ellipse's shorter axis, for which
max_anisotropy sets a least length. Comparisons of q are made in float32, as in kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.interp.sampling.comparing import Comparison
from backends.interp.sampling.filters import Colors, texels_at
from backends.interp.sampling.wrapping import F, Ints, nearest_indices, texel_coordinates
from backends.pipe.enums import TexFilter, TexMipFilter, TexWrap
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData

_FARTHEST = np.float32(2.0**20)
_STEPS = np.float32(1023.0)
_ONE = np.float32(1.0)


def is_anisotropic(texture: TextureData, sampler: SamplerState, axes: int) -> bool:
    """True if derivatives make ellipses: two axes, linear filters within and between levels, more than one level."""
    filters = sampler.min_img_filter is TexFilter.LINEAR and sampler.min_mip_filter is TexMipFilter.LINEAR
    return sampler.max_anisotropy > 1 and filters and axes == 2 and len(texture.levels) > 1 and not texture.format.is_integer


def steps_of(texture: TextureData, sampler: SamplerState, derivatives: tuple[F, F]) -> tuple[F, F]:
    """Derivatives in texels of level 0, bounded; NaN counts as the lower bound, as in kernels."""
    scale = texture.sizes[0, :2].astype(np.float32) if sampler.normalized_coords else np.ones(2, np.float32)
    rows = [np.asarray(d, np.float32) * scale for d in derivatives]
    bounded = [np.clip(np.where(np.isnan(r), -_FARTHEST, r), -_FARTHEST, _FARTHEST).astype(np.float32) for r in rows]
    return bounded[0], bounded[1]


def _squares(steps: tuple[F, F]) -> tuple[F, F]:
    x, y = ((row[:, 0] * row[:, 0] + row[:, 1] * row[:, 1]).astype(np.float32) for row in steps)
    return np.minimum(x, y), np.maximum(x, y)


def ellipse_detail(sampler: SamplerState, steps: tuple[F, F]) -> NDArray[np.float64]:
    """log2 of the shorter axis."""
    short, long = _squares(steps)
    limit = np.float32(sampler.max_anisotropy)
    with np.errstate(divide="ignore"):
        scale = np.sqrt(np.maximum(short, long / (limit * limit)))
        return np.asarray(np.clip(np.log2(scale.astype(np.float64)), -64.0, 64.0), np.float64)


def covers_several(texture: TextureData, detail: NDArray[np.float64], steps: tuple[F, F]) -> NDArray[np.bool_]:
    """Lanes that need the ellipse: the texture is minified, and has smaller levels."""
    level = np.floor(np.maximum(detail, 0.0).astype(np.float32))
    covers: NDArray[np.bool_] = (level < len(texture.levels) - 1) & ((detail > 0) | (_squares(steps)[1] > _ONE))
    return covers


def ellipse_average(
    texture: TextureData,
    sampler: SamplerState,
    modes: Sequence[TexWrap],
    coords: F,
    layer: Ints,
    detail: NDArray[np.float64],
    steps: tuple[F, F],
    offsets: Sequence[Any],
    comparison: Comparison | None = None,
) -> Colors:
    """The average of each lane; every lane's level lies above the last one."""
    level: Ints = np.floor(np.maximum(detail, 0.0).astype(np.float32)).astype(np.int64)
    sizes = texture.sizes[level]
    center = [(x - np.float32(0.5)).astype(np.float32) for x in texel_coordinates(sampler, coords, 2, sizes, offsets)]
    shrink: F = np.asarray(np.exp2(-level.astype(np.float32)), np.float32)
    most = np.float32(2 * sampler.max_anisotropy)
    length: F = np.asarray(np.sqrt(np.maximum(_squares(steps)[1], np.float32(2.0**-40))) * shrink, np.float32)
    shrink = np.asarray(np.where(length > most, shrink * (most / length), shrink), np.float32)
    (ux, vx), (uy, vy) = ((row[:, 0] * shrink, row[:, 1] * shrink) for row in steps)
    a, b, c = vx * vx + vy * vy + _ONE, (ux * vx + uy * vy) * np.float32(-2), ux * ux + uy * uy + _ONE
    inverse = _STEPS / (a * c - b * b * np.float32(0.25))
    low = [np.floor(m - np.sqrt(r)) for m, r in zip(center, (c, a))]
    high = [np.ceil(m + np.sqrt(r)) for m, r in zip(center, (c, a))]
    counts = [np.clip(np.nan_to_num(h - x, nan=0.0), 0, 2 * most + 7).astype(np.int64) + 1 for h, x in zip(high, low)]
    a, b, c = ((k * inverse).astype(np.float32) for k in (a, b, c))
    total, weights = np.zeros((len(level), 4), np.float64), np.zeros(len(level))
    border = np.asarray(sampler.border_color, np.float64)
    for j in range(int(counts[1].max(initial=0))):
        v = low[1] + np.float32(j)
        dv = v - center[1]
        for i in range(int(counts[0].max(initial=0))):
            u = low[0] + np.float32(i)
            du = u - center[0]
            q = (c * dv + b * du) * dv + a * du * du
            rows = np.flatnonzero((i < counts[0]) & (j < counts[1]) & (q < _STEPS + _ONE))
            if not len(rows):
                continue
            places = [(x[rows] + np.float32(0.5)).astype(np.float32) for x in (u, v)]
            indices = [nearest_indices(mode, x, sizes[rows, k]) for k, (mode, x) in enumerate(zip(modes, places))]
            weight = np.exp(-2.0 * np.floor(np.maximum(q[rows], 0)).astype(np.float64) / float(_STEPS))
            texels = texels_at(texture, level[rows], indices, layer[rows], border)
            if comparison is not None:
                texels = comparison.of(rows)(texels)
            total[rows] += texels * weight[:, None]
            weights[rows] += weight
    return total / np.maximum(weights, 2.0**-40)[:, None]
