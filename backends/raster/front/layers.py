"""Routes of primitives: the layer and viewport that the provoking vertex, or a mesh shader's per-primitive output (primitive row), selects.

A draw is `routed` if its vertices select a viewport, or a layer of a framebuffer with several. The setup records of a routed draw end with
the layer, the viewport and the viewport's depth range. Each primitive first gets separate vertex records, which carry its route and are
placed by its own viewport, in three cases: vertices select viewports; a layer is selected and primitives become lines or points, whose
corners may be copied from a vertex that does not provoke; or primitive rows select the route. Smooth polygons and conservative
rasterization use the routed setup, too, for the low bits of the edge constants, and outlined polygons with a depth offset for that offset.

Layers beyond the last one become the last one; missing viewports become viewport 0 (as in Mesa).
"""

from __future__ import annotations

from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_VIEWPORTS
from backends.raster.draw_record import Draw, View
from backends.raster.front.clip import copy_vertex
from backends.raster.front.primitive_rows import row_at
from backends.raster.front.vertices import inside_guard, project
from backends.raster.front.views import view_at
from backends.raster.layouts import GUARD, SetupLayout, VertexLayout
from backends.raster.records import Worker


def build_place(module: Module) -> None:
    """place(worker): gives each triangle t its own three vertex records, with its layer and viewport.

    Both come from corner 2, the provoking vertex, or from the primitive's row.
    """
    f = Function(module, "place", [PTR])
    w = Record(f, f.args[0], Worker)
    s = w.part("group.span")
    d = Record(f, s.get("draw"), Draw)
    vertices, size, masks = w.get("buffers.vertices"), d.get("vertices.size"), w.get("buffers.clip_masks")
    lists = [w.get(f"buffers.{n}") for n in ("t0", "t1", "t2")]
    layer_slot, view_slot = d.get("layers.layer_slot"), d.get("layers.viewport_slot")
    first, any_ = w.get("group.num_vertices"), f.var(I32, w.get("group.or_mask"))

    def record(number: Val) -> Val:
        return f.at(vertices, (number * size).zext(I64))

    with f.range(0, s.get("count")) as i:
        corners = [f.load(I32, t, i << 2) for t in lists]
        provoking, row = record(corners[2]), row_at(f, d, s.get("first") + i)
        number, layer = f.var(I32, 0), f.var(I32, 0)
        with f.if_(layer_slot >= 0):
            layer.set(_named(f, provoking, layer_slot, row, d.get("rows.layer")))
        with f.if_(view_slot >= 0):
            named = _named(f, provoking, view_slot, row, d.get("rows.viewport"))
            number.set(f.select(named.ult(MAX_VIEWPORTS), named, 0))
        with f.if_(d.get("layers.is_layer_relative").ne(0)):
            layer.add(number.get())
        for k, (old, t) in enumerate(zip(corners, lists)):
            new = first + i * 3 + k
            target = record(new)
            copy_vertex(f, record(old), target, size)
            mask = f.var(I32, f.load(I32, masks, old << 2))
            with f.if_(layer_slot >= 0):
                f.store(layer.get(), target, (layer_slot << 4) + VertexLayout.SLOTS)
            with f.if_(view_slot >= 0):
                f.store(number.get(), target, (view_slot << 4) + VertexLayout.SLOTS)
                view = Record(f, view_at(f, d, number.get()), View)
                position = [f.load(F32, target, VertexLayout.CLIP + 4 * c) for c in range(4)]
                f.store_vec4s(project(f, view, position), [target], VertexLayout.WINDOW)
                far = f.select(inside_guard(view, position), f.const(I32, 0), GUARD)
                mask.set((mask.get() & ~GUARD) | far)
            f.store(mask.get(), masks, new << 2)
            f.store(new, t, i << 2)
            any_.set(any_.get() | mask.get())
    w.set("group.num_vertices", first + s.get("count") * 3)
    w.set("group.or_mask", any_.get())
    f.ret()


def _named(f: Function, vertex: Val, slot: Val, row: Val, register: Val) -> Val:
    """The first word of a register of a primitive row, or of a slot of a vertex record if `register` is NO_REGISTER."""
    return f.load(I32, f.select(register >= 0, f.at(row, register << 4), f.at(vertex, (slot << 4) + VertexLayout.SLOTS)))


class Routes:
    """Layers and viewports of the primitives that setup works on, `lanes` at once."""

    def __init__(self, f: Function, d: Record, records: list[Val], layers: Val) -> None:
        self.f, self.d, self.records = f, d, records
        lanes = len(records)
        vec = I32.wide(lanes)
        self.layer, self.number = f.var(vec, 0), f.var(vec, 0)
        slot = d.get("layers.layer_slot")
        with f.if_(slot >= 0):
            named = self._slot(slot)
            self.layer.set(f.select(named.ult(layers), named, layers - 1))
        slot = d.get("layers.viewport_slot")
        self._bounds = [f.var(vec, d.get("view.region", k)) for k in range(4)]
        self._range = [f.var(F32.wide(lanes), d.get(f"view.{n}")) for n in ("depth_min", "depth_max")]
        with f.if_(slot >= 0):
            named = self._slot(slot)
            named = f.select(named.ult(MAX_VIEWPORTS), named, 0)  # `place` has clamped it, except in lanes without a triangle
            self.number.set(named)
            views = [view_at(f, d, named[k]) for k in range(lanes)]
            bounds = f.load_vec4s([f.at(v, View.region.offset) for v in views], I32)
            for target, bound in zip(self._bounds, bounds):
                target.set(bound)
            for target, name in zip(self._range, ("depth_min", "depth_max")):
                ends = f.const(F32.wide(lanes), 0.0)
                for k, v in enumerate(views):
                    ends = f.insert(ends, Record(f, v, View).get(name), k)
                target.set(ends)

    def _slot(self, slot: Val) -> Val:
        return self.f.load_vec4s([self.f.at(r, (slot << 4) + VertexLayout.SLOTS) for r in self.records], I32)[0]

    @property
    def region(self) -> list[Val]:
        """Pixels that may be drawn."""
        return [v.get() for v in self._bounds]

    def write(self, target: list[Val], constants: list[Val]) -> None:
        """Write the last fields of the setup records: the route, and the low bits of the edge functions' `constants`, in 1/65536 pixels."""
        f = self.f
        words = [self.layer.get(), self.number.get(), *(v.get().as_int() for v in self._range)]
        at = self.d.get("setup.record_size") - SetupLayout.ROUTE
        f.store_vec4s(words, [f.at(t, at) for t in target], 0)
        low = [c.trunc(I32) & 255 for c in constants]
        f.store_vec4s([*low, low[0]], [f.at(t, at) for t in target], 16)

    def offset(self) -> Val:
        """Depth offset of each triangle of a draw in which some polygons are drawn as lines or points; otherwise 0."""
        slot, offset = self.d.get("offset.slot"), self.f.var(F32.wide(len(self.records)), 0.0)
        with self.f.if_(slot >= 0):
            offset.set(self._slot(slot).as_float())
        return offset.get()
