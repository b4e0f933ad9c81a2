"""The viewport that a vertex was placed by, and the layer that a tile belongs to."""

from __future__ import annotations

import ctypes

from backends.llvm.builder.function import I32, I64, PTR, Function, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import View
from backends.raster.layouts import VertexLayout


def view_at(f: Function, d: Record, number: Val) -> Val:
    """Pointer to View `number`, which must exist."""
    return f.at(d.get("layers.views"), number.zext(I64) * ctypes.sizeof(View))


def placed_view(f: Function, d: Record, vertex: Val) -> Record:
    """The View that the vertex record at `vertex` was placed by; the draw's own if vertices name no viewports."""
    slot, pointer = d.get("layers.viewport_slot"), f.var(PTR, d.address("view"))
    with f.if_(slot >= 0):
        pointer.set(view_at(f, d, f.load(I32, vertex, (slot << 4) + VertexLayout.SLOTS)))
    return Record(f, pointer.get(), View)
