"""Texels, and the two image filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.interp.sampling.cubes import across_edge
from backends.interp.sampling.wrapping import F, Ints, linear_indices, nearest_indices, texel_coordinates, wrap_modes
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData

Colors = NDArray[np.float64]
"""(lanes, 4); float64 holds every 32-bit integer."""


PerTexel = Callable[[Colors], Colors]
"""A step between texels and the filter: a shadow comparison."""


def widened(floats: NDArray[Any]) -> Colors:
    """Numbers in float64; a NaN keeps its bits, which `narrowed` restores."""
    values = floats.astype(np.float64)
    if floats.dtype != np.float32 or not np.isnan(values).any():
        return values
    words = floats.view(np.uint32).astype(np.uint64)
    nan_bits = (words >> np.uint64(31)) << np.uint64(63) | np.uint64(0x7FF << 52) | (words & np.uint64(0x7FFFFF)) << np.uint64(29)
    return np.where(np.isnan(values), nan_bits, values.view(np.uint64)).view(np.float64)


def narrowed(values: Colors) -> NDArray[np.uint32]:
    """Words of float32, rounded to nearest; a NaN keeps its sign and its upper bits."""
    words = values.astype(np.float32).view(np.uint32)
    bits = np.ascontiguousarray(values).view(np.uint64)
    nan_bits = (bits >> np.uint64(63)) << np.uint64(31) | np.uint64(0x7F800000) | bits >> np.uint64(29) & np.uint64(0x7FFFFF)
    return np.where(np.isnan(values), nan_bits, words).astype(np.uint32)


def as_words(texture: TextureData, color: Colors) -> NDArray[np.uint32]:
    """Words of texels: integers, or floats' bits."""
    if texture.format.is_integer:
        return (color.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
    with np.errstate(over="ignore"):
        return narrowed(color)


def texels_at(texture: TextureData, level: Ints, indices: Sequence[Ints], layer: Ints, border: Colors) -> Colors:
    """Texels, in multisampled textures of sample 0; the border color where an index is outside of its level. indices: 1 to 3 axes."""
    out = np.empty((len(level), 4), np.float64)
    for which in np.unique(level):
        texels = texture.texels(int(which))
        rows = np.flatnonzero(level == which)
        width, height, depth = texture.sizes[which]
        i = indices[0][rows]
        j = indices[1][rows] if len(indices) > 1 else np.zeros(len(rows), np.int64)
        k = indices[2][rows] if len(indices) > 2 else np.minimum(layer[rows], depth - 1)
        inside = (i >= 0) & (i < width) & (j >= 0) & (j < height) & (k >= 0) & (k < depth)
        picked = widened(texels[np.clip(k, 0, depth - 1), np.clip(j, 0, height - 1), np.clip(i, 0, width - 1)])
        out[rows] = np.where(inside[:, None], picked, border)
    return out


def seamless_corners(
    texture: TextureData, coords: F, level: Ints, layer: Ints, offsets: Sequence[Any]
) -> list[tuple[Colors, NDArray[np.float64]]]:
    """The texels that a linear filter mixes over the edges of a cube, with their weights: at (i, j), (i+1, j), (i, j+1), (i+1, j+1).

    The texel missing at a corner of the cube is its neighbor in t: GL leaves that open.
    """
    size = texture.sizes[level][:, 0]
    scale = size.astype(np.float32)
    firsts, parts = [], []
    for k in range(2):
        moved = coords[:, k] * scale
        if k < len(offsets):
            moved = moved + np.asarray(offsets[k]).astype(np.float32)
        u = (np.clip(moved, 0, scale).astype(np.float32) - np.float32(0.5)).astype(np.float64)
        u = np.where(np.isnan(u), -0.5, u)
        whole = np.floor(u)
        firsts.append(whole.astype(np.int64))
        parts.append(u - whole)
    weighted: list[tuple[Colors, NDArray[np.float64]]] = []
    for corner in range(4):
        i, j = firsts[0] + (corner & 1), firsts[1] + (corner >> 1)
        j = np.where((i < 0) | (i >= size), np.clip(j, 0, size - 1), j)
        face, i, j = across_edge(layer % 6, i, j, size)
        weight = (parts[0] if corner & 1 else 1 - parts[0]) * (parts[1] if corner >> 1 else 1 - parts[1])
        weighted.append((texels_at(texture, level, [i, j], layer // 6 * 6 + face, np.zeros(4)), weight))
    return weighted


def filtered(
    texture: TextureData,
    sampler: SamplerState,
    linear: bool,
    coords: F,
    axes: int,
    cube: bool,
    level: Ints,
    layer: Ints,
    offsets: Sequence[Any],
    step: PerTexel | None = None,
) -> Colors:
    """One image filter at one level a lane. step: function applied to each texel first."""
    if linear and cube and sampler.seamless_cube_map:
        return _mixed(seamless_corners(texture, coords, level, layer, offsets), step)
    sizes = texture.sizes[level]
    modes = wrap_modes(sampler, cube)
    x = texel_coordinates(sampler, coords, axes, sizes, offsets)
    border = np.asarray(sampler.border_color, np.float64)
    if not linear:
        texels = texels_at(texture, level, [nearest_indices(modes[a], x[a], sizes[:, a]) for a in range(axes)], layer, border)
        return texels if step is None else step(texels)
    pairs = [linear_indices(modes[a], x[a], sizes[:, a]) for a in range(axes)]
    corners = []
    for corner in range(1 << axes):
        weight = np.ones(len(level))
        indices = []
        for axis, (first, second, part) in enumerate(pairs):
            upper = corner >> axis & 1
            weight = weight * (part if upper else 1.0 - part)
            indices.append(second if upper else first)
        corners.append((texels_at(texture, level, indices, layer, border), weight))
    return _mixed(corners, step)


def _mixed(corners: list[tuple[Colors, NDArray[np.float64]]], step: PerTexel | None) -> Colors:
    """The weighted sum; a texel of weight 0 does not count, whatever its value."""
    total = np.zeros_like(corners[0][0])
    for texel, weight in corners:
        texel = texel if step is None else step(texel)
        total += np.where(weight[:, None] > 0, texel * weight[:, None], 0.0)
    return total
