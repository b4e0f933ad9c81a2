"""Front end, first step: three vertex numbers for each primitive, and the list of vertices to shade."""

from __future__ import annotations

from backends.abi.limits import MAX_LANES
from backends.llvm.builder.function import BOOL, I32, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.vertex_cache import VertexCache, load_index
from backends.raster.records import Batch, Worker

_RANGE_LANES = 16
"""Indices that are read at once: those after the last one lie in the slack of memory regions."""
_HIGHEST = (1 << 31) - 1


def build_assemble(lanes: int, module: Module) -> None:
    """assemble(worker, batch). Topology is run-time data of the draw; vertices that a batch uses twice are shaded once."""
    f = Function(module, "assemble", [PTR, PTR], internal=True)
    w, b = Record(f, f.args[0], Worker), Record(f, f.args[1], Batch)
    d = Record(f, b.get("draw"), Draw)
    first, count, per_instance = b.get("first"), b.get("count"), d.get("assembly.prims_per_instance")
    instance = first.udiv(per_instance)
    inside = first - instance * per_instance
    stamp = w.get("batch.stamp") + 1
    w.set("batch.stamp", stamp)
    total = f.var(I32, 0)
    with f.else_of(d.get("assembly.is_unindexed_list").ne(0) & (inside + count <= per_instance)) as otherwise:
        _assemble_list(f, w, d, lanes, inside, count, instance)
        total.set(count * 3)
        otherwise()
        low, span = _range_of(f, d, inside, count)
        with f.else_of((span > 0) & (span <= count * 3)) as scattered:
            _assemble_range(f, w, d, lanes, inside, count, instance, low, span)
            total.set(span)
            scattered()
            total.set(_assemble_any(f, w, d, inside, count, instance, stamp))
    zero = f.const(I32.wide(MAX_LANES), 0)  # at any width, the last vector of vertices reads past the end of the list
    f.store(zero, w.get("buffers.vertex_id"), total.get() << 2)
    f.store(zero, w.get("buffers.instance_id"), total.get() << 2)
    w.set("batch.num_vertices", total.get())
    f.ret()


def _assemble_list(f: Function, w: Record, d: Record, lanes: int, first: Val, count: Val, instance: Val) -> None:
    """Assemble a list without indices, in which no vertex is used twice."""
    lane = f.lanes_const(I32.wide(lanes), range(lanes))
    offsets, start = [d.get("assembly.offset", k) for k in range(3)], d.get("assembly.start")
    corners = [w.get(f"buffers.{n}") for n in ("t0", "t1", "t2")]
    prim_out, ids, instances = w.get("buffers.prim"), w.get("buffers.vertex_id"), w.get("buffers.instance_id")
    with f.range(0, count, lanes) as i:
        for offset, t in zip(offsets, corners):
            f.store((lane + i) * 3 + offset, t, i << 2)
        f.store(lane + i, prim_out, i << 2)
    with f.range(0, count * 3, lanes) as i:
        f.store(lane + i + (first * 3 + start), ids, i << 2)
        f.store(f.splat(instance, lanes), instances, i << 2)


def _range_of(f: Function, d: Record, first: Val, count: Val) -> tuple[Val, Val]:
    """Lowest vertex number of a batch of a local list, and the number of vertices from there to the highest; 0 of other draws."""
    a, vec = d.part("assembly"), I32.wide(_RANGE_LANES)
    step, indices, lane = a.get("multiply"), a.get("indices"), f.lanes_const(vec, range(_RANGE_LANES))
    low, span = f.var(I32, 0), f.var(I32, 0)
    with f.if_(a.get("is_local_list").ne(0) & (first + count <= a.get("prims_per_instance"))):
        start, number = first * step + a.get("start"), count * step
        least, most = f.var(vec, _HIGHEST), f.var(vec, -1)
        with f.range(0, number, _RANGE_LANES) as i:
            there, found = (lane + i) < number, f.load(vec, indices, (start + i) << 2)
            least.set(f.min(least.get(), f.select(there, found, _HIGHEST)))
            most.set(f.max(most.get(), f.select(there, found, -1)))
        low.set(f.call(I32, f"llvm.vector.reduce.smin.{vec.suffix}", least.get()))
        span.set(f.call(I32, f"llvm.vector.reduce.smax.{vec.suffix}", most.get()) - low.get() + 1)
    return low.get(), span.get()


def _assemble_range(f: Function, w: Record, d: Record, lanes: int, first: Val, count: Val, instance: Val, low: Val, span: Val) -> None:
    """Assemble a local list: the vertices of a batch are all those of a range, without a look-up of each corner."""
    a = d.part("assembly")
    step, indices, prim_out = a.get("multiply"), a.get("indices"), w.get("buffers.prim")
    ids, instances = w.get("buffers.vertex_id"), w.get("buffers.instance_id")
    offsets, corners = [a.get("offset", k) for k in range(3)], [w.get(f"buffers.{n}") for n in ("t0", "t1", "t2")]
    lane = f.lanes_const(I32.wide(lanes), range(lanes))
    place = f.var(I32, first * step + a.get("start"))
    with f.range(0, count) as i:
        for offset, t in zip(offsets, corners):
            f.store(f.load(I32, indices, (place.get() + offset) << 2) - low, t, i << 2)
        f.store(i, prim_out, i << 2)
        place.add(step)
    with f.range(0, span, lanes) as i:
        f.store(lane + i + low + a.get("index_bias"), ids, i << 2)
        f.store(f.splat(instance, lanes), instances, i << 2)


def _assemble_any(f: Function, w: Record, d: Record, first: Val, count: Val, first_instance: Val, stamp: Val) -> Val:
    """Assemble other topologies, one corner at a time. Returns the number of vertices."""
    a, buffers = d.part("assembly"), w.part("buffers")
    shift, start, bias, size = (a.get(n) for n in ("shift", "start", "index_bias", "index_size"))
    multiply = [a.get("multiply", k) for k in range(3)]
    offset = [a.get("offset", k) for k in range(6)]
    ids, instances, cache = (buffers.get(n) for n in ("vertex_id", "instance_id", "cache"))
    indices, corners = a.get("indices"), [buffers.get(n) for n in ("t0", "t1", "t2")]
    prim_out, per_instance = buffers.get("prim"), a.get("prims_per_instance")
    total, instance, inside = f.var(I32, 0), f.var(I32, first_instance), f.var(I32, first)
    known = VertexCache(cache, stamp, bias, ids, instances, total)
    with f.range(0, count) as i:
        q, inst = inside.get(), instance.get()
        odd, whole = (q & 1).ne(0), q.lshr(shift)
        for k in range(3):
            place = whole * multiply[k] + f.select(odd, offset[3 + k], offset[k]) + start
            vertex = known.vertex(f, load_index(f, indices, size, place), inst)
            f.store(vertex, corners[k], i << 2)
        f.store(i, prim_out, i << 2)
        inside.add(1)
        wrap = inside.get().eq(per_instance)
        inside.set(f.select(wrap, 0, inside.get()))
        instance.set(f.select(wrap, inst + 1, inst))
    return total.get()


def lowest_bit(f: Function, bits: Val) -> Val:
    """Number of the lowest set bit of an i32 that is not 0."""
    return f.intrinsic("cttz", bits, Val(f, BOOL, "true"))
