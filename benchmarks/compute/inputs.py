"""Buffers, pictures and grids of the compute workloads, the same for both sides, and the check of a buffer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.catalog import BLUR_SIZE, MATRIX, PIXELS, SAXPY, Check
from benchmarks.geometry import Floats, rng

BINS = 256
SAXPY_GROUP = 256
TILE = 16  # rows and columns of a block of the matrix product and of the blur
WEIGHTS = 70 / 256, 56 / 256, 28 / 256, 8 / 256, 1 / 256  # of compute_blur, from the middle outward
HISTOGRAM_GROUP, HISTOGRAM_STEPS = 256, 16  # threads of a block, and texels of a thread
HISTOGRAM_GRID = -(-PIXELS // (HISTOGRAM_GROUP * HISTOGRAM_STEPS))
HISTOGRAM_PEAK = PIXELS / 64  # about the texels of the largest bin
BLUR_GRID = -(-BLUR_SIZE[0] // TILE), -(-BLUR_SIZE[1] // TILE)


def vectors() -> tuple[Floats, Floats]:
    """The two vectors of compute_saxpy."""
    random = rng()
    return random.random(SAXPY, "f4"), random.random(SAXPY, "f4")


def matrices() -> tuple[Floats, Floats]:
    """The factors of compute_matmul, (MATRIX, MATRIX) each, row by row."""
    random = rng()
    return random.random((MATRIX, MATRIX), "f4"), random.random((MATRIX, MATRIX), "f4")


def picture() -> NDArray[np.uint8]:
    """RGBA8 texels of compute_blur, (height, width, 4)."""
    return rng().integers(0, 256, (BLUR_SIZE[1], BLUR_SIZE[0], 4), "u1")


def texels() -> NDArray[np.uint32]:
    """RGBA8 texels of compute_histogram as words: a sum of random numbers, so that some bins are much fuller than others."""
    parts = rng().integers(0, 64, (PIXELS, 4, 4), "u1")
    return np.ascontiguousarray(parts.sum(2, dtype="u1")).view("u4").ravel()


def check(values: NDArray[Any], largest: float) -> Check:
    """Summary of a buffer whose values are at most about `largest`: the mean of all, of those in even places, of their products with
    a ramp from 0 to 1, and of their squares, each as a share of the largest; and the share of those that are not zero.
    """
    a = values.ravel().astype("f8") / largest
    ramp = np.linspace(0, 1, a.size)
    mean = float(a.mean()), float(a[::2].mean()), float((a * ramp).mean()), float((a * a).mean())
    return Check(mean, float((a != 0).mean()))
