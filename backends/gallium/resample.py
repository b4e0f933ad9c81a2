"""Scaling boxes of texels with numpy: nearest or linear, mirrored where a size is negative."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]


def positions(count: int, start: int, size: int) -> NDArray[np.float64]:
    """Source coordinates of `count` target texels over the source range start .. start + size (size may be negative)."""
    return (np.arange(count, dtype=np.float64) + 0.5) * (size / count) + np.float64(start)


def nearest(count: int, start: int, size: int, limit: int) -> Indices:
    """Index of the source texel of each target texel, inside 0 .. limit - 1."""
    return np.clip(np.floor(positions(count, start, size)), 0, limit - 1).astype(np.intp)


def linear(count: int, start: int, size: int, limit: int) -> tuple[Indices, Indices, NDArray[np.float32]]:
    """Indices of the two source texels of each target texel and the weight of the second, clamped to the edge."""
    at = positions(count, start, size) - 0.5
    low = np.floor(at)
    weight = (at - low).astype(np.float32)
    first = np.clip(low, 0, limit - 1).astype(np.intp)
    second = np.clip(low + 1, 0, limit - 1).astype(np.intp)
    return first, second, weight


def gather(source: NDArray[Any], axes: tuple[Indices, Indices, Indices]) -> NDArray[Any]:
    """Texels at the crossings of three index lists (z, y, x) of an array (layers, height, width, ...)."""
    return source[axes[0][:, None, None], axes[1][None, :, None], axes[2][None, None, :]]


def blend(values: NDArray[np.float32], axis: int, first: Indices, second: Indices, weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Linear interpolation along one axis, in float32: a + (b - a) * weight."""
    a, b = values.take(first, axis), values.take(second, axis)
    shape = [1] * values.ndim
    shape[axis] = -1
    with np.errstate(invalid="ignore", over="ignore"):
        out: NDArray[np.float32] = a + (b - a) * weight.reshape(shape)
    return out
