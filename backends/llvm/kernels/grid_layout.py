"""The arrangement of the threads of blocks in vectors: the tables `threads` and `groups` of GridRecord."""

from __future__ import annotations

import functools
from math import prod

import numpy as np
from numpy.typing import NDArray

from backends.llvm.kernels.grids import THREAD_ROWS
from backends.run.shapes import QUAD, coordinates
from tgsi.language.record import record


@record(eq=False)
class Layout:
    """The arrangement of the threads of a block in vectors: the tables and counts of GridRecord."""

    threads: NDArray[np.int32]
    groups: NDArray[np.int32]
    vectors: int
    shared_by: int
    quads: int


@functools.lru_cache(maxsize=64)
def layout_of(block: tuple[int, int, int], lanes: int) -> Layout:
    """Return the layout of blocks of one size. Blocks that fill at most half a vector share it; larger ones have separate vectors."""
    count = prod(block)
    group = -(-count // QUAD) * QUAD
    is_packed = group <= lanes // 2
    shared_by = lanes // group if is_packed else 1
    vectors = 1 if is_packed else -(-group // lanes)
    places = np.arange(vectors * lanes)
    numbers, groups = (places % group, places // group) if is_packed else (places, np.zeros_like(places))
    there = (numbers < count) & (groups < shared_by)
    numbers = np.where(there, numbers, 0)
    xyz = coordinates(numbers, block)[:, :3]
    rows = np.concatenate([xyz.T, numbers[None], there[None]]).astype(np.int32)
    threads = np.ascontiguousarray(rows.reshape(THREAD_ROWS, vectors, lanes).transpose(1, 0, 2))
    inside = np.minimum(groups[:lanes], shared_by - 1).astype(np.int32)
    return Layout(threads, inside, vectors, shared_by, group // QUAD if is_packed else 1)
