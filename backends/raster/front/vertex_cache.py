"""Index fetch, and the cache of a batch's vertices: generated code that the rasterizer shares with the stages before it."""

from __future__ import annotations

from backends.llvm.builder.function import I8, I16, I32, I64, Function, Val
from backends.llvm.builder.values import Var
from backends.raster.layouts import CACHE_SLOTS
from tgsi.language.record import record


def load_index(f: Function, indices: Val, size: Val, place: Val) -> Val:
    """Entry `place` of an index buffer with indices of `size` bytes; `place` itself if `size` is 0 (a draw without indices)."""
    index = f.var(I32, place)
    with f.else_of(size.eq(4)) as smaller:
        index.set(f.load(I32, indices, place << 2))
        smaller()
        with f.if_(size.eq(2)):
            index.set(f.load(I16, indices, place << 1, align=1).zext(I32))
        with f.if_(size.eq(1)):
            index.set(f.load(I8, indices, place, align=1).zext(I32))
    return index.get()


@record
class VertexCache:
    """The list of vertices to shade, and a cache of CACHE_SLOTS entries that finds a vertex in it.

    An entry is {u64 key, u32 stamp, u32 vertex}; entries with another stamp are empty.

    Attributes:
        cache, stamp: address of the entries, and the stamp of this batch.
        ids, instances: addresses of the list: the vertex number with `bias` added, and the instance.
        total: length of the list.
    """

    cache: Val
    stamp: Val
    bias: Val
    ids: Val
    instances: Val
    total: Var

    def vertex(self, f: Function, number: Val, instance: Val) -> Val:
        """The position of a vertex in the list, which is appended if the cache does not have it."""
        key = (instance.zext(I64) << 32) | number.zext(I64)
        entry = f.at(self.cache, (number & (CACHE_SLOTS - 1)) << 4)
        hit = f.load(I64, entry).eq(key) & f.load(I32, entry, 8).eq(self.stamp)
        vertex = f.var(I32, f.load(I32, entry, 12))
        with f.if_(~hit):
            new = self.total.get()
            vertex.set(new)
            f.store(key, entry)
            f.store(self.stamp, entry, 8)
            f.store(new, entry, 12)
            f.store(number + self.bias, self.ids, new << 2)
            f.store(instance, self.instances, new << 2)
            self.total.set(new + 1)
        return vertex.get()
