"""Front end, first step: three vertex numbers for each primitive, and the list of vertices to shade."""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, I32, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.front.vertex_cache import VertexCache, load_index
from backends.raster.records import Worker
from tgsi.language.record import record

_RANGE_LANES = 16
"""Indices per load; loads beyond the last index stay in the slack of memory regions."""
_HIGHEST = (1 << 31) - 1


@record
class _Appended:
    """Places where a span's primitives and vertices are appended to the lists of its group.

    Attributes:
        lists: corners of the primitives (t0, t1, t2), and their words, beginning with the span's first primitive. ids, instances: numbers
        and instances of vertices, beginning with the group's first one. vertices: number of vertices already in the group.
        prim: word of the span's first primitive.
    """

    lists: list[Val]
    prims: Val
    ids: Val
    instances: Val
    vertices: Val
    prim: Val

    @staticmethod
    def of(f: Function, w: Record) -> _Appended:
        """The ends of a worker's lists."""
        at = w.get("group.num_prims") << 2
        lists = [f.at(w.get(f"buffers.{n}"), at) for n in ("t0", "t1", "t2", "prim")]
        ids, instances = w.get("buffers.vertex_id"), w.get("buffers.instance_id")
        return _Appended(lists[:3], lists[3], ids, instances, w.get("group.num_vertices"), w.get("group.prim"))


def build_assemble(lanes: int, module: Module) -> None:
    """assemble(worker): appends a span to its group. Topology is run-time data of the draw.

    Vertices that a span uses twice are shaded once."""
    f = Function(module, "assemble", [PTR], internal=True)
    w = Record(f, f.args[0], Worker)
    s = w.part("group.span")
    d, out = Record(f, s.get("draw"), Draw), _Appended.of(f, w)
    first, count, per_instance = s.get("first"), s.get("count"), s.get("call.prims_per_instance")
    instance, inside = f.var(I32, 0), f.var(I32, first)
    with f.if_(first.uge(per_instance)):
        instance.set(first.udiv(per_instance))
        inside.set(first - instance.get() * per_instance)
    place = inside.get(), count, instance.get()
    is_within = inside.get() + count <= per_instance
    total = f.var(I32, 0)
    with f.else_of(d.get("assembly.is_unindexed_list").ne(0) & is_within) as otherwise:
        _assemble_list(f, s, d, out, lanes, *place)
        total.set(out.vertices + count * 3)
        otherwise()
        low, span = _range_of(f, s, d, inside.get(), count, is_within)
        with f.else_of((span > 0) & (span <= count * 3)) as scattered:
            _assemble_range(f, s, d, out, lanes, *place, low, span)
            total.set(out.vertices + span)
            scattered()
            stamp = w.get("group.stamp") + 1
            w.set("group.stamp", stamp)
            cache = VertexCache(w.get("buffers.cache"), stamp, s.get("call.index_bias"), out.ids, out.instances, total)
            total.set(out.vertices)
            _assemble_any(f, s, d, out, *place, cache)
    w.set("group.num_prims", w.get("group.num_prims") + count)
    w.set("group.num_vertices", total.get())
    f.ret()


def _assemble_list(f: Function, s: Record, d: Record, out: _Appended, lanes: int, first: Val, count: Val, instance: Val) -> None:
    """Assemble a list without indices, in which no vertex is used twice."""
    lane = f.lanes_const(I32.wide(lanes), range(lanes))
    offsets, start = [d.get("assembly.offset", k) for k in range(3)], s.get("call.start")
    ids, instances = (f.at(v, out.vertices << 2) for v in (out.ids, out.instances))
    with f.range(0, count, lanes) as i:
        for offset, t in zip(offsets, out.lists):
            f.store((lane + i) * 3 + (out.vertices + offset), t, i << 2)
        f.store(lane + (i + out.prim), out.prims, i << 2)
    with f.range(0, count * 3, lanes) as i:
        f.store(lane + i + (first * 3 + start), ids, i << 2)
        f.store(f.splat(instance, lanes), instances, i << 2)


def _range_of(f: Function, s: Record, d: Record, first: Val, count: Val, is_within: Val) -> tuple[Val, Val]:
    """The lowest vertex number of a span of a local list, and the number of vertices from there to the highest; 0 for other draws.

    is_within: the span has primitives of one instance."""
    a, vec = d.part("assembly"), I32.wide(_RANGE_LANES)
    step, indices, lane = a.get("multiply"), a.get("indices"), f.lanes_const(vec, range(_RANGE_LANES))
    low, span = f.var(I32, 0), f.var(I32, 0)
    with f.if_(a.get("is_local_list").ne(0) & is_within):
        start, number = first * step + s.get("call.start"), count * step
        least, most = f.var(vec, _HIGHEST), f.var(vec, -1)
        with f.range(0, number, _RANGE_LANES) as i:
            there, loaded = (lane + i) < number, f.load(vec, indices, (start + i) << 2)
            least.set(f.min(least.get(), f.select(there, loaded, _HIGHEST)))
            most.set(f.max(most.get(), f.select(there, loaded, -1)))
        low.set(f.call(I32, f"llvm.vector.reduce.smin.{vec.suffix}", least.get()))
        span.set(f.call(I32, f"llvm.vector.reduce.smax.{vec.suffix}", most.get()) - low.get() + 1)
    return low.get(), span.get()


def _assemble_range(
    f: Function, s: Record, d: Record, out: _Appended, lanes: int, first: Val, count: Val, instance: Val, low: Val, span: Val
) -> None:
    """Assemble a local list: the vertices of a span form a range, so corners need no look-up."""
    a = d.part("assembly")
    step, indices = a.get("multiply"), a.get("indices")
    offsets, ids, instances = [a.get("offset", k) for k in range(3)], *(f.at(v, out.vertices << 2) for v in (out.ids, out.instances))
    lane, lower = f.lanes_const(I32.wide(lanes), range(lanes)), low - out.vertices
    place = f.var(I32, first * step + s.get("call.start"))
    with f.range(0, count) as i:
        for offset, t in zip(offsets, out.lists):
            f.store(f.load(I32, indices, (place.get() + offset) << 2) - lower, t, i << 2)
        f.store(i + out.prim, out.prims, i << 2)
        place.add(step)
    with f.range(0, span, lanes) as i:
        f.store(lane + i + low + s.get("call.index_bias"), ids, i << 2)
        f.store(f.splat(instance, lanes), instances, i << 2)


def _assemble_any(
    f: Function, s: Record, d: Record, out: _Appended, first: Val, count: Val, first_instance: Val, known: VertexCache
) -> None:
    """Assemble other topologies, one corner at a time."""
    a, start, per_instance = d.part("assembly"), s.get("call.start"), s.get("call.prims_per_instance")
    shift, size, indices = a.get("shift"), a.get("index_size"), a.get("indices")
    multiply = [a.get("multiply", k) for k in range(3)]
    offset = [a.get("offset", k) for k in range(6)]
    instance, inside = f.var(I32, first_instance), f.var(I32, first)
    with f.range(0, count) as i:
        q, inst = inside.get(), instance.get()
        odd, whole = (q & 1).ne(0), q.lshr(shift)
        for k in range(3):
            place = whole * multiply[k] + f.select(odd, offset[3 + k], offset[k]) + start
            vertex = known.vertex(f, load_index(f, indices, size, place), inst)
            f.store(vertex, out.lists[k], i << 2)
        f.store(i + out.prim, out.prims, i << 2)
        inside.add(1)
        wrap = inside.get().eq(per_instance)
        inside.set(f.select(wrap, 0, inside.get()))
        instance.set(f.select(wrap, inst + 1, inst))


def lowest_bit(f: Function, bits: Val) -> Val:
    """The number of the lowest set bit of a nonzero i32."""
    return f.intrinsic("cttz", bits, Val(f, BOOL, "true"))
