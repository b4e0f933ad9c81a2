"""Random triangles of many kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = ("small", "medium", "huge", "sliver", "off", "near", "grid")


def random_triangles(kind: str, count: int, seed: int = 7) -> NDArray[Any]:
    """Clip positions of shape (count, 3, 4)."""
    rng = np.random.default_rng(seed)
    w = rng.uniform(0.5, 4, (count, 3, 1))
    center = rng.uniform(-1.1, 1.1, (count, 1, 2))
    z = rng.uniform(-0.9, 0.9, (count, 3, 1))
    match kind:
        case "small":
            xy = center + rng.uniform(-0.03, 0.03, (count, 3, 2))
        case "medium":
            xy = center + rng.uniform(-0.5, 0.5, (count, 3, 2))
        case "huge":
            xy = rng.uniform(-300, 300, (count, 3, 2))
        case "sliver":
            direction = rng.normal(size=(count, 1, 2))
            along = rng.uniform(-1.5, 1.5, (count, 3, 1))
            xy = center + direction * along + rng.uniform(-0.004, 0.004, (count, 3, 2))
        case "off":
            xy = center * 3 + rng.uniform(-1, 1, (count, 3, 2))
        case "near":
            xy, w, z = rng.uniform(-2, 2, (count, 3, 2)), rng.uniform(-2, 3, (count, 3, 1)), rng.uniform(-2, 2, (count, 3, 1))
            return np.concatenate([xy, z, w], 2).astype("f4")
        case _:  # "grid": corners on pixel centers and edges
            xy = rng.integers(-64, 65, (count, 3, 2)) / 64
    return np.concatenate([xy * w, z * w, w], 2).astype("f4")


def grid(nx: int, ny: int) -> NDArray[np.uint32]:
    """Indices of a mesh's triangles with (nx + 1) x (ny + 1) vertices, of shape (cells, 6)."""
    i = (np.arange(ny)[:, None] * (nx + 1) + np.arange(nx)[None, :]).ravel()
    return np.stack([i, i + 1, i + nx + 1, i + 1, i + nx + 2, i + nx + 1], 1).astype(np.uint32)
