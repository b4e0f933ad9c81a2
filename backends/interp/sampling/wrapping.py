"""Coordinates to texel indices, for every wrap mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.pipe.enums import TexWrap
from backends.pipe.state import SamplerState

F = NDArray[np.float32]
Ints = NDArray[np.int64]

FARTHEST = 2.0**21


def texel_coordinates(sampler: SamplerState, coords: F, axes: int, sizes: Ints, offsets: Sequence[Any]) -> list[F]:
    """Coordinates in texels, one array an axis. offsets: per axis a number or (lanes,) integers, in texels."""
    scaled = []
    for axis in range(axes):
        x = coords[:, axis]
        if sampler.normalized_coords:
            x = x * sizes[:, axis].astype(np.float32)
        if axis < len(offsets):
            x = x + np.asarray(offsets[axis]).astype(np.float32)
        scaled.append(x.astype(np.float32))
    return scaled


def wrap_modes(sampler: SamplerState, is_cube: bool) -> tuple[TexWrap, TexWrap, TexWrap]:
    """Wrap modes along s, t and r. Faces of a seamless cube end at their edges, whatever the sampler says."""
    if is_cube and sampler.seamless_cube_map:
        return (TexWrap.CLAMP_TO_EDGE,) * 3
    return sampler.wrap_s, sampler.wrap_t, sampler.wrap_r


def _reflected(x: F, size: F) -> NDArray[np.float64]:
    """x folded into [0, size]."""
    wide, double = x.astype(np.float64), 2.0 * size.astype(np.float64)
    phase = wide - np.floor(wide / double) * double
    return np.where(phase > size, double - phase, phase)


def _limited(x: F) -> F:
    return np.clip(np.where(np.isnan(x), np.float32(-FARTHEST), x), np.float32(-FARTHEST), np.float32(FARTHEST)).astype(np.float32)


def nearest_indices(mode: TexWrap, x: F, size: Ints) -> Ints:
    """Texel index, -1 or `size` for the border."""
    n = size.astype(np.float32)
    if mode is TexWrap.REPEAT:
        return np.floor(_limited(x)).astype(np.int64) % size
    if mode is TexWrap.MIRROR_REPEAT:
        return np.minimum(np.floor(_reflected(_limited(x), n)).astype(np.int64), size - 1)
    if mode in (TexWrap.MIRROR_CLAMP, TexWrap.MIRROR_CLAMP_TO_EDGE, TexWrap.MIRROR_CLAMP_TO_BORDER):
        x = np.abs(x)
    bordered = mode in (TexWrap.CLAMP_TO_BORDER, TexWrap.MIRROR_CLAMP_TO_BORDER)
    low = -1 if bordered else 0
    whole = np.floor(np.where(np.isnan(x), np.float32(low), np.clip(x, -(2.0**24), 2.0**24))).astype(np.int64)
    return np.clip(whole, low, size if bordered else size - 1)


def linear_indices(mode: TexWrap, x: F, size: Ints) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Both texel indices (-1 and `size` and beyond: border) and the weight of the second."""
    n = size.astype(np.float32)
    if mode is TexWrap.REPEAT:
        u = (_limited(x) - np.float32(0.5)).astype(np.float64)
        first = np.floor(u).astype(np.int64)
        return first % size, (first + 1) % size, u - first
    if mode is TexWrap.MIRROR_REPEAT:
        x = _reflected(_limited(x), n).astype(np.float32)
    if mode in (TexWrap.MIRROR_CLAMP, TexWrap.MIRROR_CLAMP_TO_EDGE, TexWrap.MIRROR_CLAMP_TO_BORDER):
        x = np.abs(x)
    u = (x - np.float32(0.5)).astype(np.float64)
    if mode in (TexWrap.CLAMP_TO_BORDER, TexWrap.MIRROR_CLAMP_TO_BORDER):
        low, high = np.full(len(x), -1.0), n.astype(np.float64)
    elif mode in (TexWrap.CLAMP, TexWrap.MIRROR_CLAMP):
        low, high = np.full(len(x), -0.5), n.astype(np.float64) - 0.5
    else:
        low, high = np.zeros(len(x)), n.astype(np.float64) - 1.0
    u = np.clip(np.where(np.isnan(u), low, u), low, high)
    first = np.floor(u).astype(np.int64)
    second = first + 1
    if mode in (TexWrap.CLAMP_TO_EDGE, TexWrap.MIRROR_CLAMP_TO_EDGE, TexWrap.MIRROR_REPEAT):
        second = np.minimum(second, size - 1)
    return first, second, u - first


def gathered_indices(mode: TexWrap, x: F, size: Ints) -> tuple[Ints, Ints]:
    """Both texel indices of a linear filter for a gather: in order, each wrapped on its own (GL 4.6, 8.14.2).

    Indices outside of [0, size) select the border. A filter may exchange texels, or take another one, if its weight is 0.
    """
    x = _limited(x)
    if mode is TexWrap.CLAMP:
        x = np.clip(x, np.float32(0), size.astype(np.float32))
    elif mode is TexWrap.MIRROR_CLAMP:
        x = np.clip(x, -size.astype(np.float32), size.astype(np.float32))
    first = np.floor(x - np.float32(0.5)).astype(np.int64)
    return _wrapped(mode, first, size), _wrapped(mode, first + 1, size)


def _wrapped(mode: TexWrap, index: Ints, size: Ints) -> Ints:
    if mode in (TexWrap.MIRROR_CLAMP, TexWrap.MIRROR_CLAMP_TO_EDGE, TexWrap.MIRROR_CLAMP_TO_BORDER):
        index = np.where(index < 0, -1 - index, index)
    match mode:
        case TexWrap.REPEAT:
            return index % size
        case TexWrap.MIRROR_REPEAT:
            folded = index % (2 * size)
            return np.where(folded < size, folded, 2 * size - 1 - folded)
        case TexWrap.CLAMP_TO_EDGE | TexWrap.MIRROR_CLAMP_TO_EDGE:
            return np.clip(index, 0, size - 1)
        case _:
            return index
