"""Front end, third step: clip triangles to near, far, guard and user planes. Most batches skip it."""

from __future__ import annotations

from collections.abc import Callable

from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.assemble import lowest_bit
from backends.raster.front.far_clip import PLANES, build_clip_far, is_far, is_nowhere
from backends.raster.front.vertices import project
from backends.raster.front.views import placed_view
from backends.raster.layouts import NEEDS_CLIP, NOT_FINITE, POLYGON, REJECTS, VertexLayout
from backends.raster.records import Worker


def build_clip(lanes: int, module: Module) -> None:
    """clip(worker) -> count: copies triangles t to triangles u in order, drops those outside, and clips those that cross a plane."""
    f = Function(module, "clip", [PTR], I32, internal=True)
    (worker,) = f.args
    w = Record(f, worker, Worker)
    draw = w.get("group.span.draw")
    source = [w.get(f"buffers.{n}") for n in ("t0", "t1", "t2", "prim")]
    target = [w.get(f"buffers.{n}") for n in ("u0", "u1", "u2", "uprim")]
    masks, count, vec = w.get("buffers.clip_masks"), w.get("group.num_prims"), I32.wide(lanes)
    lane, out = f.lanes_const(vec, range(lanes)), f.var(I32, 0)
    with f.range(0, count, lanes) as i:
        valid = (lane + i) < count
        corner = [f.select(valid, f.load(vec, s, i << 2), 0) for s in source]
        m = [f.gather(I32, masks, c << 2) for c in corner[:3]]
        any_ = m[0] | m[1] | m[2]
        inside = valid & ((m[0] & m[1] & m[2] & REJECTS) | (any_ & NOT_FINITE)).eq(0)
        needs = inside & (any_ & NEEDS_CLIP).ne(0)
        # No llvm.experimental.vector.compress here: LLVM 22 miscompiles it at 32 lanes.
        with f.else_of(f.mask_bits(~inside | needs).eq(0)) as otherwise:
            for c, t in zip(corner, target):
                f.store(c, t, out.get() << 2)
            out.add(lanes)
            otherwise()
            waiting, clip_bits = f.var(I32, f.mask_bits(inside)), f.mask_bits(needs)
            with f.loop() as loop:
                bits = waiting.get()
                loop.break_if(bits.eq(0))
                k = lowest_bit(f, bits)
                waiting.set(bits & (bits - 1))
                triangle = [f.load(I32, s, (i + k) << 2) for s in source]
                with f.else_of((clip_bits.lshr(k) & 1).eq(0)) as clip_it:
                    for v, t in zip(triangle, target):
                        f.store(v, t, out.get() << 2)
                    out.add(1)
                    clip_it()
                    out.set(f.call(I32, "clip_polygon", worker, draw, *triangle, out.get()))
    f.ret(out.get())


def plane_distance(f: Function, d: Record, view: Record, plane: Val, vertex: Val) -> Val:
    """The signed distance of a vertex (pointer to its clip position) from plane number `plane`; nonnegative inside."""
    distance = f.var(F32)
    with f.else_of(plane < PLANES) as user:
        q = f.load(F32.wide(4), vertex) * f.load(F32.wide(4), view.address("planes"), plane << 4)
        distance.set(((q[0] + q[1]) + q[2]) + q[3])
        user()
        distance.set(f.load(F32, f.at(vertex, d.get("clip.distances_at") - VertexLayout.CLIP), (plane - PLANES) << 2))
    return distance.get()


def share(inner: Val, outer: Val) -> Val:
    """The intersection of an edge with a plane as a fraction from the inner to the outer vertex, from their distances.

    These are halved so that their difference does not overflow.
    """
    half = inner * 0.5
    return half / (half - outer * 0.5)


def blend_vertex(f: Function, inner: Val, outer: Val, t: Val, target: Val, bytes_: Val) -> None:
    """Store inner + (outer - inner) * t to `target`, for all fields of a vertex from its clip position on."""
    vec4 = F32.wide(4)
    with f.range(0, bytes_, 16) as k:
        vi, vo = f.load(vec4, inner, k), f.load(vec4, outer, k)
        f.store(vi + (vo - vi) * t, target, k)


def copy_vertex(f: Function, source: Val, target: Val, bytes_: Val) -> None:
    """Copy `bytes_` bytes (a multiple of 16) of a vertex."""
    with f.range(0, bytes_, 16) as k:
        f.store(f.load(F32.wide(4), source, k), target, k)


def take_vertex(f: Function, d: Record, source: Val, target: Val, bytes_: Val) -> None:
    """Copy a whole record to `target`, from its clip position on, with linear slots multiplied by w, so that planes cut these in window
    space.
    """
    copy_vertex(f, f.at(source, VertexLayout.CLIP), target, bytes_)
    w = f.load(F32, target, 12)
    _change_linear(f, d, f.at(target, -VertexLayout.CLIP), lambda value: value * w)


def _change_linear(f: Function, d: Record, record: Val, change: Callable[[Val], Val]) -> None:
    with f.range(0, d.get("vertices.num_slots")) as s:
        with f.if_(f.load(I32, d.address("vertices.is_linear"), s << 2).ne(0)):
            at = (s << 4) + VertexLayout.SLOTS
            f.store(change(f.load(F32.wide(4), record, at)), record, at)


def emit_vertex(f: Function, d: Record, view: Record, source: Val, target: Val, bytes_: Val, provoking: Val) -> None:
    """Write the record of a clipped vertex: project it, and copy the flat slots of the provoking vertex (a whole record)."""
    position = [f.load(F32, source, 4 * c) for c in range(4)]
    f.store_vec4s(project(f, view, position), [target], VertexLayout.WINDOW)
    copy_vertex(f, source, f.at(target, VertexLayout.CLIP), bytes_)
    w = f.select(position[3].eq(0.0), 1.0, position[3])
    _change_linear(f, d, target, lambda value: value / w)
    with f.range(0, d.get("vertices.num_slots")) as s:
        with f.if_(f.load(I32, d.address("vertices.is_flat"), s << 2).ne(0)):
            at = (s << 4) + VertexLayout.SLOTS
            f.store(f.load(F32.wide(4), provoking, at), target, at)


def build_clip_polygon(module: Module) -> None:
    """clip_polygon(worker, draw, corners, prim, count) -> count: clips one triangle by Sutherland-Hodgman (the slow, rare path).

    The new vertex of an edge is always computed from the end inside, so that both triangles of an edge get the same vertex, regardless of
    their order.
    """
    build_clip_far(module)
    f = Function(module, "clip_polygon", [PTR, PTR, I32, I32, I32, I32, I32], I32, internal=True)
    worker, draw, s0, s1, s2, prim, start = f.args
    w, d = Record(f, worker, Worker), Record(f, draw, Draw)
    vertices, size = w.get("buffers.vertices"), d.get("vertices.size")
    corners = [f.at(vertices, (s * size).zext(I64)) for s in (s0, s1, s2)]
    is_hidden = [is_nowhere(f, c) for c in corners]
    with f.leaving(is_hidden[0] | is_hidden[1] | is_hidden[2]):
        f.ret(start)
    with f.leaving(is_far(f, corners)):
        f.ret(f.call(I32, "clip_far", *f.args))
    bytes_ = size - VertexLayout.CLIP
    polygon = w.get("buffers.polygon")
    source, target = f.var(PTR, polygon), f.var(PTR, f.at(polygon, bytes_ * POLYGON))
    for k, c in enumerate(corners):
        take_vertex(f, d, c, f.at(polygon, bytes_ * k), bytes_)
    view = placed_view(f, d, corners[2])
    n = f.var(I32, 3)
    with f.range(0, d.get("clip.num_distances") + PLANES) as plane:
        length, count, old, new = f.var(I32, 0), n.get(), source.get(), target.get()
        with f.range(0, count) as i:
            j = f.select((i + 1).eq(count), 0, i + 1)
            a, c = f.at(old, i * bytes_), f.at(old, j * bytes_)
            da, dc = plane_distance(f, d, view, plane, a), plane_distance(f, d, view, plane, c)
            a_in, c_in = da >= 0.0, dc >= 0.0
            with f.if_(a_in & (length.get() < POLYGON)):  # rounding and NaN can make polygons concave, which must not overflow the buffer
                copy_vertex(f, a, f.at(new, length.get() * bytes_), bytes_)
                length.add(1)
            with f.if_((a_in ^ c_in) & (length.get() < POLYGON)):
                inner, outer = f.select(a_in, a, c), f.select(a_in, c, a)
                di, do = f.select(a_in, da, dc), f.select(a_in, dc, da)
                blend_vertex(f, inner, outer, share(di, do), f.at(new, length.get() * bytes_), bytes_)
                length.add(1)
        n.set(length.get())
        source.set(new)
        target.set(old)
    total, first = n.get(), w.get("group.num_vertices")
    with f.range(0, total) as i:
        record = f.at(vertices, ((first + i) * size).zext(I64))
        emit_vertex(f, d, view, f.at(source.get(), i * bytes_), record, bytes_, corners[2])
    w.set("group.num_vertices", first + total)
    out = f.var(I32, start)
    with f.range(2, total) as i:
        for name, v in (("u0", first), ("u1", first + i - 1), ("u2", first + i), ("uprim", prim)):
            f.store(v, w.get(f"buffers.{name}"), out.get() << 2)
        out.add(1)
    f.ret(out.get())
