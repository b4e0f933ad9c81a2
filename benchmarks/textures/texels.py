"""Texels and coordinates of the texture workloads, the same for both sides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.geometry import Floats, mipmaps, rng

ARRAY_SIZE, ARRAY_LAYERS = 256, 16
CUBE_SIZE = 256
SHADOW_SIZE = 1024
ANISOTROPIC_SIZE = 1024


def layers() -> list[NDArray[np.uint8]]:
    """Levels of tex_array, (layers, size, size, 4) each: random texels around a color of the layer."""
    random = rng()
    colors = random.integers(0, 192, (ARRAY_LAYERS, 1, 1, 4))
    first = (colors + random.integers(0, 64, (ARRAY_LAYERS, ARRAY_SIZE, ARRAY_SIZE, 4))).astype("u1")
    return [np.stack(level) for level in zip(*(mipmaps(layer) for layer in first), strict=True)]


def faces() -> list[NDArray[np.uint8]]:
    """Levels of tex_cube, (6, size, size, 4) each, made as those of tex_array."""
    random = rng()
    colors = random.integers(0, 128, (6, 1, 1, 4))
    first = (colors + random.integers(0, 128, (6, CUBE_SIZE, CUBE_SIZE, 4))).astype("u1")
    return [np.stack(level) for level in zip(*(mipmaps(face) for face in first), strict=True)]


def depths() -> Floats:
    """Depths of tex_shadow, (size, size), 0 to 1: hills with grain, in steps of 24 bits."""
    y, x = np.mgrid[0:SHADOW_SIZE, 0:SHADOW_SIZE] / SHADOW_SIZE
    hills = 0.5 + 0.3 * np.sin(23 * x) * np.cos(17 * y) + rng().uniform(-0.1, 0.1, x.shape)
    return np.asarray(np.round(hills * (2**24 - 1)) / (2**24 - 1), "f4")
