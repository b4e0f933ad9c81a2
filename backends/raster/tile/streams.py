"""Stores that bypass the caches, for blocks of large targets whose every byte is overwritten."""

from __future__ import annotations

import functools
import operator

from backends.abi.limits import TILE
from backends.llvm.builder.function import I64, Val
from backends.llvm.builder.record import Record
from backends.raster.records import Scene, Worker
from backends.raster.tile.lists import run_bytes
from backends.raster.tile.planes import Kernel
from backends.raster.tile.surfaces import WIDE

_FEW = 4  # entries for each row of blocks in a tile: two triangles that share an edge have as many
_LINE = 64  # bytes of a cache line


def streams(kernel: Kernel, size: Val) -> Val | None:
    """True, a scalar, if full blocks bypass the caches, which saves the reading of lines that are overwritten. None: never.

    Targets do not fit into the caches, and the list has the last triangles of the tile: few, so that they hardly cover each other.
    size: bytes of the list.
    """
    f, key = kernel.f, kernel.key
    wide = [t for _, t in kernel.targets if t.texel_bytes >= WIDE]
    if not wide or not f.module.has("x86") or f.module.has("avx512f") or key.reads_targets or key.depth is not None:
        return None
    w = Record(f, f.args[0], Worker)
    s = Record(f, w.get("scene"), Scene)
    is_few = size <= _FEW * (TILE // 2) * run_bytes(key.lanes)
    per_tile = TILE * TILE * sum(t.texel_bytes for _, t in kernel.targets)
    is_large = s.get("tiles.num_tiles").zext(I64) * per_tile > s.get("crew.last_cache")
    joined = functools.reduce(operator.or_, [v for t in wide for v in (t.base.cast("ptrtoint", I64), t.stride)])
    return w.get("tile.is_last").ne(0) & is_few & is_large & (joined & (_LINE - 1)).eq(0)
