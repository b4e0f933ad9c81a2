"""Front end, second step: fetch, vertex shader, clip masks, projection, vertex records; one vector of vertices at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.pipe.limits import LARGEST_FLOAT
from backends.raster.draw_record import Draw
from backends.raster.layouts import (
    BOTTOM,
    DEFAULT_REGISTER,
    GUARD,
    LEFT,
    MAX_DISTANCES,
    NOT_FINITE,
    REJECTS,
    RIGHT,
    TOP,
    USER,
    VertexLayout,
)
from backends.raster.records import Worker
from tgsi.language.record import record

SMALLEST_NORMAL = 2.0**-126
"""The reciprocal of a smaller w may be infinite."""


def project(f: Function, view: Record, position: Sequence[Val]) -> list[Val]:
    """Window x, y (pixels, inside the view's bounds), z and 1/w of a clip position; arbitrary but harmless unless w is positive.

    view: a View."""
    x, y, z, w = position
    rw = 1.0 / w
    window = [c * rw * view.get("scale", k) + view.get("translate", k) for k, c in enumerate((x, y, z))]
    return [*near(f, view, window[:2]), window[2], rw]


def near(f: Function, view: Record, window: Sequence[Val]) -> list[Val]:
    """Window x and y clamped to the bounds within which edges are exact; a NaN becomes the lower bound."""
    return [f.min(f.max(v, view.get("least", k)), view.get("most", k)) for k, v in enumerate(window)]


def snap(f: Function, v: Val) -> Val:
    """A window coordinate in 1/256 pixels."""
    return f.round(v * 256.0).cast("fptosi", I32)  # inside the bounds of a View, and no NaN


def inside_guard(view: Record, position: Sequence[Val]) -> Val:
    """The vertices close enough to the viewport for exact edges, whose w has a reciprocal."""
    x, y, _, w = position
    guard = [w * view.get("guard", k) for k in range(4)]
    return (x >= guard[0]) & (x <= guard[1]) & (y >= guard[2]) & (y <= guard[3]) & (w >= SMALLEST_NORMAL)


def has_place(position: Sequence[Val]) -> Val:
    """The vertices with finite x, y and z whose w is not a NaN; an infinite w makes the position 0."""
    x, y, z, w = position
    nothing = ((x - x) + (y - y)) + (z - z)  # 0, or NaN
    return (nothing + w).eq(nothing + w)


def clip_mask(f: Function, d: Record, position: Sequence[Val]) -> Val:
    """Bits of the planes that a vertex is outside of; a NaN is outside of all."""
    x, y, z, w = position
    minus_w = 0.0 - w
    lanes = x.type.lanes
    bits, zero = I32.wide(lanes), f.const(I32.wide(lanes), 0)
    mask = zero
    tests: list[tuple[Val, Val | int]] = [
        (x >= minus_w, LEFT),
        (x <= w, RIGHT),
        (y >= minus_w, BOTTOM),
        (y <= w, TOP),
        (z >= f.select(d.get("clip.near").eq(0.0), f.const(w.type, 0.0), minus_w), d.get("clip.near_bit")),
        (z <= w, d.get("clip.far_bit")),
        (inside_guard(d.part("view"), position), GUARD),
        (has_place(position), NOT_FINITE),
    ]
    for inside, bit in tests:
        mask = mask | f.select(inside, zero, f.const(bits, bit))
    return mask


class _Shaded(Protocol):
    """The output registers of one vector of vertices; DEFAULT_REGISTER reads 0, 0, 0, 1."""

    def register(self, number: Val) -> list[Val]:
        """A register."""
        ...

    def word(self, place: Val) -> Val:
        """Channel `place` & 3 of register `place` >> 2."""
        ...


@record
class _Vectors:
    """Outputs of a vertex shader: a vector for each channel."""

    f: Function
    soa: Val
    lanes: int

    def register(self, number: Val) -> list[Val]:
        """A register."""
        bytes_ = 4 * self.lanes
        base = self.f.at(self.soa, number * (4 * bytes_))
        return [self.f.load(F32.wide(self.lanes), base, c * bytes_, min(64, bytes_)) for c in range(4)]

    def word(self, place: Val) -> Val:
        """A channel."""
        return self.f.load(F32.wide(self.lanes), self.soa, place * (4 * self.lanes), min(64, 4 * self.lanes))


@record
class _Stored:
    """Outputs of other stages, stored vertex after vertex as attribute 0 of the draw."""

    f: Function
    default: Val
    rows: list[Val]  # pointers to the vertices

    def register(self, number: Val) -> list[Val]:
        """A register."""
        return self.f.load_vec4s(self._at(number, number << 4, 0))

    def word(self, place: Val) -> Val:
        """A channel."""
        f, value = self.f, self.f.const(F32.wide(len(self.rows)), 0.0)
        for lane, pointer in enumerate(self._at(place >> 2, place << 2, (place & 3) << 2)):
            value = f.insert(value, f.load(F32, pointer), lane)
        return value

    def _at(self, number: Val, offset: Val, default: Val | int) -> list[Val]:
        f, is_default = self.f, number.eq(DEFAULT_REGISTER)
        other = f.at(self.default, default)
        return [f.select(is_default, other, f.at(row, offset)) for row in self.rows]


def _store_position(f: Function, d: Record, position: Sequence[Val], records: Sequence[Val], mask: Var) -> None:
    """Store window and clip positions. Positions in window space only set the clip mask of vertices that are not finite."""
    window = [f.var(v.type, v) for v in project(f, d.part("view"), position)]
    with f.if_(d.get("vertices.is_window_space").ne(0)):
        moved = [position[k] + d.get("view.translate", k) for k in range(2)]
        for target, moved_to in zip(window, [*near(f, d.part("view"), moved), *position[2:]]):
            target.set(moved_to)
        mask.set(f.select(has_place(position), f.const(mask.type, 0), NOT_FINITE))
    f.store_vec4s([target.get() for target in window], records, VertexLayout.WINDOW)
    f.store_vec4s(position, records, VertexLayout.CLIP)


def build_shade_vertices(lanes: int, module: Module, is_stored: bool, has_distances: bool) -> None:
    """shade_vertices(worker): fetches and shades a group's run of vertices, with the draw's shader and fetch kernel.

    is_stored: other stages have shaded the vertices, which lie in memory; has_distances: vertices have clip or cull distances."""
    f = Function(module, "shade_vertices", [PTR])
    w = Record(f, f.args[0], Worker)
    run, draw = w.part("group.run"), w.get("group.span.draw")
    d = Record(f, draw, Draw)
    shader, fetch, slots, position_at = (
        d.get(n) for n in ("entries.vertex_shader", "entries.fetch", "vertices.num_slots", "vertices.position")
    )
    env, first, start_instance = run.get("env"), run.get("first"), run.get("start_instance")
    ids, instances, masks, out, system = (w.get(f"buffers.{n}") for n in ("vertex_id", "instance_id", "clip_masks", "vertices", "system"))
    soa_in, soa_out, count, size = w.get("buffers.soa_in"), w.get("buffers.soa_out"), w.get("group.num_vertices"), d.get("vertices.size")
    vec, fvec, bytes_ = I32.wide(lanes), F32.wide(lanes), 4 * lanes
    aligned = min(64, bytes_)  # the true alignment: with a larger one, LLVM joins two short stores to a long aligned one
    lane = f.lanes_const(vec, range(lanes))
    for numbers in (ids, instances):  # the last vector reads past the end of the list
        f.store(f.const(vec, 0), numbers, count << 2)
    any_, all_ = f.var(vec, 0), f.var(vec, -1)
    wants_system = d.get("vertices.wants_system").ne(0)
    offsets = f.alloca(str(I64.wide(lanes))) if is_stored else None

    def shaded(i: Val) -> _Shaded:
        at = i << 2
        if offsets is not None:
            f.store(f.load(vec, ids, at).zext(I64) * d.get("fetch.stride"), offsets, 0, 64)
            rows = [f.at(d.get("fetch.attribute"), f.load(I64, offsets, 8 * k, 8)) for k in range(lanes)]
            return _Stored(f, f.value(PTR, module.constant("default", F32, [0.0, 0.0, 0.0, 1.0])), rows)
        f.call_pointer(None, fetch, draw, f.at(ids, at), f.at(instances, at), soa_in, start_instance)
        with f.if_(wants_system):
            vertex, base = f.load(vec, ids, at), run.get("base_vertex")
            others = [start_instance, run.get("draw_id"), f.const(I32, 0), ((lane + i) < count).sext(I32)]
            for k, v in enumerate([vertex, f.load(vec, instances, at), vertex - base, base, *others]):
                f.store(f.splat(v, lanes), system, k * bytes_, aligned)
        f.call_pointer(None, shader, env, soa_in, soa_out, system)
        return _Vectors(f, soa_out, lanes)

    if not is_stored:
        for c, value in enumerate((0.0, 0.0, 0.0, 1.0)):
            f.store(f.const(fvec, value), soa_out, (4 * DEFAULT_REGISTER + c) * bytes_, aligned)
    with f.range(first, count, lanes) as i:
        outputs = shaded(i)
        position = outputs.register(position_at)
        mask = f.var(vec, clip_mask(f, d, position))
        records = [f.at(out, ((i + k) * size).zext(I64)) for k in range(lanes)]
        _store_position(f, d, position, records, mask)
        _store_slots(f, d, slots, outputs, records)
        if has_distances:
            mask.set(mask.get() | _store_distances(f, d, outputs, records, lanes))
        valid = (lane + i) < count
        any_.set(any_.get() | f.select(valid, mask.get(), 0))
        all_.set(all_.get() & f.select(valid, mask.get() & REJECTS, -1))
        f.store(mask.get(), masks, i << 2)
    w.set("group.or_mask", w.get("group.or_mask") | f.call(I32, f"llvm.vector.reduce.or.{vec.suffix}", any_.get()))
    w.set("group.and_mask", w.get("group.and_mask") & f.call(I32, f"llvm.vector.reduce.and.{vec.suffix}", all_.get()))
    run.set("first", count)
    f.ret()


def _store_slots(f: Function, d: Record, slots: Val, outputs: _Shaded, records: Sequence[Val]) -> None:
    """Store the outputs that the rasterizer interpolates, clamped to 0 to 1 where the state says so."""
    with f.range(0, slots) as s:
        channels = outputs.register(f.load(I32, d.address("vertices.source"), s << 2))
        clamp = f.load(I32, d.address("vertices.is_clamped"), s << 2).ne(0)
        channels = [f.select(clamp, f.min(f.max(v, 0.0), 1.0), v) for v in channels]
        offset = (s << 4) + VertexLayout.SLOTS
        f.store_vec4s(channels, [f.at(r, offset) for r in records], 0)


def _store_distances(f: Function, d: Record, outputs: _Shaded, records: list[Val], lanes: int) -> Val:
    """Store eight clip distances for each vertex, after its slots. Returns the USER and CULL bits of vertices outside of one of them.

    A NaN drops the primitive, because interpolation makes all distances inside of it NaN. An infinite distance becomes the largest
    float.
    """
    fvec = F32.wide(lanes)
    at, user, wanted, culls = d.get("clip.distances_at"), d.get("clip.user_register"), d.get("clip.user_mask"), d.get("clip.cull_mask")

    def written(k: int) -> Val:
        return outputs.word(d.get("clip.distance_source", k))

    mask = f.var(I32.wide(lanes), 0)
    for k in range(MAX_DISTANCES):
        distance = f.var(fvec, 0.0)
        with f.if_((wanted & (1 << k)).ne(0)):
            with f.else_of(user < 0) as plane:
                distance.set(written(k))
                plane()
                vertex = outputs.register(user)
                terms = [v * d.get("clip.user_planes", 4 * k + c) for c, v in enumerate(vertex)]
                distance.set(((terms[0] + terms[1]) + terms[2]) + terms[3])
        value = distance.get()
        mask.set(
            mask.get() | f.select(value >= 0.0, f.const(mask.type, 0), USER) | f.select(value.eq(value), f.const(mask.type, 0), NOT_FINITE)
        )
        with f.if_((culls & (1 << k)).ne(0)):
            mask.set(mask.get() | f.select(written(k) >= 0.0, f.const(mask.type, 0), 0x100 << k))
        value = f.min(f.max(value, -LARGEST_FLOAT), LARGEST_FLOAT)
        for lane, start in enumerate(records):
            f.store(value[lane], f.at(start, at), 4 * k)
    return mask.get()
