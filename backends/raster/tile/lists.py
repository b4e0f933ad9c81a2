"""Sizes of the lists that coverage writes and shading reads, and of their blocks of pixels; see `backends.raster.tile.coverage`."""

from __future__ import annotations

from backends.abi.limits import TILE

LIST_LIMIT = 8192  # bytes; coverage stops when its list exceeds this
MAX_QUAD_LANES = 16  # small triangles do not fill wider blocks
LOOP_COLUMNS = 8  # width in pixels of a run's block for programs with loops


def quad_width(lanes: int) -> int:
    """Lanes of a block of packed quads in a kernel whose runs have `lanes`."""
    return min(lanes, MAX_QUAD_LANES)


def run_bytes(lanes: int) -> int:
    """Bytes of a run's entry."""
    return 32 if lanes > 32 else 16


def list_capacity(lanes: int, samples: int = 1) -> int:
    """Most bytes of a list: the limit, and the worst case of a triangle in a tile.

    Narrower kernels and more samples make this case larger.
    """
    entry = run_bytes(lanes) if samples == 1 else 16 + 4 * samples
    return LIST_LIMIT + TILE * TILE // lanes * entry + 256


def run_rows(lanes: int, has_loops: bool) -> int:
    """Rows of a run's block: two, so that stores are long.

    Programs with loops have squarer blocks, because nearby pixels leave a loop together.
    """
    return max(lanes // LOOP_COLUMNS, 2) if has_loops else 2


def row_lanes(lanes: int, rows: int = 2) -> tuple[list[int], list[int]]:
    """Columns and rows of the lanes of a run's block."""
    return [i % (lanes // rows) for i in range(lanes)], [i // (lanes // rows) for i in range(lanes)]
