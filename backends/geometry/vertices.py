"""Kernels: assembly of input primitives into vertex numbers, and shading of vertices into memory."""

from __future__ import annotations

from backends.abi.limits import MAX_LANES
from backends.geometry.records import VertexRecord
from backends.llvm.builder.environment import default_environment
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_PATCH_VERTICES
from backends.raster.draw_record import Draw
from backends.raster.front.vertex_cache import VertexCache, load_index


def build_vertex_kernels(lanes: int, module: Module) -> None:
    """Add assemble(record) and shade(record), for all shaders; `record` is a VertexRecord."""
    _build_assemble(module)
    _build_shade(lanes, module)


def _build_assemble(module: Module) -> None:
    """Add `assemble(record)`: write the corners and primitive numbers of a chunk, with one vertex number for each distinct vertex.

    The arrays have room for `rows` vertices a primitive, and for MAX_LANES more ids and instances.
    """
    f = Function(module, "assemble", [PTR])
    record = Record(f, f.args[0], VertexRecord)
    d = Record(f, record.get("draw"), Draw)
    per_instance, first, rows = record.get("call.prims_per_instance"), record.get("first"), record.get("rows")
    start, bias, size, indices = (
        record.get("call.start"),
        record.get("call.index_bias"),
        d.get("assembly.index_size"),
        d.get("assembly.indices"),
    )
    ids, instances, cache = (record.get(name) for name in ("ids", "instances", "cache"))
    corners, numbers, shift = (record.get(name) for name in ("corners", "numbers", "shift"))
    stamp = record.get("stamp") + 1
    record.set("stamp", stamp)
    instance = f.var(I32, first.udiv(per_instance))
    inside = f.var(I32, first.urem(per_instance))
    total, place = f.var(I32, 0), f.var(I32, 0)
    known = VertexCache(cache, stamp, bias, ids, instances, total)
    with f.range(0, record.get("count")) as i:
        q, own = inside.get(), instance.get()
        odd = f.select((q & 1).ne(0), f.const(I32, 4 * MAX_PATCH_VERTICES), 0)
        f.store(q.lshr(shift), numbers, i << 2)
        with f.range(0, rows) as k:
            step, offset = f.load(I32, record.address("multiply"), k << 2), f.load(I32, record.address("offset"), odd + (k << 2))
            vertex = known.vertex(f, load_index(f, indices, size, q.lshr(shift) * step + offset + start), own)
            f.store(vertex, corners, place.get() << 2)
            place.add(1)
        ends = (q + 1).eq(per_instance)
        inside.set(f.select(ends, 0, q + 1))
        instance.set(f.select(ends, own + 1, own))
    zero = f.const(I32.wide(MAX_LANES), 0)  # the last vector of vertices reads past the end, at any width
    f.store(zero, ids, total.get() << 2)
    f.store(zero, instances, total.get() << 2)
    record.set("num_vertices", total.get())
    f.ret()


def _build_shade(lanes: int, module: Module) -> None:
    """Add `shade(record)`: fetch and shade the vertices of a chunk. `vertices` has room for whole vectors of them."""
    f = Function(module, "shade_chunk", [PTR], internal=True)
    record = Record(f, f.args[0], VertexRecord)
    draw = record.get("draw")
    d = Record(f, draw, Draw)
    fetch, shader, env = d.get("entries.fetch"), d.get("entries.vertex_shader"), record.get("env")
    soa_in, soa_out, system, out = (record.get(name) for name in ("soa_in", "soa_out", "system", "vertices"))
    ids, instances, count, registers = (record.get(name) for name in ("ids", "instances", "num_vertices", "registers"))
    vec, fvec, bytes_ = I32.wide(lanes), F32.wide(lanes), 4 * lanes
    aligned, lane = min(64, bytes_), f.lanes_const(vec, range(lanes))
    wants_system, size, start_instance = d.get("vertices.wants_system").ne(0), registers << 4, record.get("call.start_instance")
    with f.range(0, count, lanes) as i:
        at = i << 2
        f.call_pointer(None, fetch, draw, f.at(ids, at), f.at(instances, at), soa_in, start_instance)
        with f.if_(wants_system):
            vertex, base = f.load(vec, ids, at), record.get("call.base_vertex")
            others = [start_instance, record.get("call.draw_id"), f.const(I32, 0), ((lane + i) < count).sext(I32)]
            for k, v in enumerate([vertex, f.load(vec, instances, at), vertex - base, base, *others]):
                f.store(f.splat(v, lanes), system, k * bytes_, aligned)
        f.call_pointer(None, shader, env, soa_in, soa_out, system)
        rows = [f.at(out, (i + k).zext(I64) * size.zext(I64)) for k in range(lanes)]
        with f.range(0, registers) as r:
            base = f.at(soa_out, r * (4 * bytes_))
            channels = [f.load(fvec, base, c * bytes_, aligned) for c in range(4)]
            f.store_vec4s(channels, [f.at(row, r << 4) for row in rows], 0)
    f.ret()
    f = Function(module, "shade", [PTR])
    with default_environment(f):
        f.call(None, "shade_chunk", *f.args)
    f.ret()
