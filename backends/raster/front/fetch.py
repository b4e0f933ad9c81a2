"""Vertex fetch: loads attributes of a vector of vertices from buffers into a vector for each channel. Every access is bounds-checked."""

from __future__ import annotations

from backends.formats import WideFormat
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.library.packing import one_bits
from backends.llvm.library.pixels import fetch_attribute
from backends.raster.draw_record import Draw
from backends.raster.front.attributes import Attribute


def build_fetch(layout: tuple[Attribute | None, ...], lanes: int, module: Module) -> None:
    """fetch(draw, ids, instances, soa, start instance) for one layout; a None attribute reads 0, 0, 0, 1. See `build_fetch_floats`."""
    f = Function(module, "fetch", [PTR, PTR, PTR, PTR, I32])
    draw, ids, instances, soa, start_instance = f.args
    d = Record(f, draw, Draw)
    vec, bytes_ = I32.wide(lanes), 4 * lanes
    offsets = f.alloca(str(I64.wide(lanes)))
    vertex = f.load(vec, ids)
    for a, attribute in enumerate(layout):
        if attribute is None:
            channels = [f.const(F32.wide(lanes), float(c == 3)) for c in range(4)]
        else:
            base, stride, first, limit = (d.get(f"fetch.{n}", a) for n in ("attribute", "stride", "first", "limit"))
            wanted = vertex
            if attribute.instanced:
                instance = f.load(vec, instances)
                if attribute.divided:
                    divisor = d.get("fetch.divisor", a)
                    instance = instance.udiv(f.select(divisor.eq(0), f.const(I32, 1), divisor))
                wanted = instance + start_instance
            wanted = wanted - first
            valid = wanted.ult(limit)
            index = f.select(valid, wanted, 0)
            f.store(index.zext(I64) * stride, offsets, 0, 64)
            pointers = [f.at(base, f.load(I64, offsets, 8 * k, 8)) for k in range(lanes)]
            one = f.const(F32, 1.0) if isinstance(attribute.format, WideFormat) else f.word(one_bits(attribute.format))
            fetched = fetch_attribute(f, attribute.format, pointers)
            outside = [f.const(F32, 0.0)] * 3 + [one if len(attribute.format.channels) < 4 else f.const(F32, 0.0)]
            channels = [f.select(valid, v, f.splat(o, lanes)) for v, o in zip(fetched, outside)]
        for c, v in enumerate(channels):
            f.store(v, soa, (4 * a + c) * bytes_, min(64, bytes_))
    f.ret()


def build_fetch_floats(lanes: int, module: Module) -> None:
    """fetch(draw, ids, instances, soa, start instance) for all layouts whose attributes are one to four 32-bit floats.

    The layout is run-time data. Channel c of attribute a goes to vector 4a + c. An element outside of its buffer reads as zeros; channels
    that the format lacks are 0, 0, 0, 1. Buffers are readable for 16 bytes past their end."""
    f = Function(module, "fetch", [PTR, PTR, PTR, PTR, I32])
    draw, ids, instances, soa, start_instance = f.args
    d = Record(f, draw, Draw)
    vec, bytes_ = I32.wide(lanes), 4 * lanes
    offsets = f.alloca(str(I64.wide(lanes)))
    vertex = f.load(vec, ids)
    with f.range(0, d.get("fetch.num_attributes")) as a:
        base, stride = f.load(PTR, d.address("fetch.attribute"), a << 3), f.load(I64, d.address("fetch.stride"), a << 3)
        limit, channels = f.load(I32, d.address("fetch.limit"), a << 2), f.load(I32, d.address("fetch.channels"), a << 2)
        divisor, first = (f.load(I32, d.address(f"fetch.{n}"), a << 2) for n in ("divisor", "first"))
        index, valid = element_index(f, vertex, instances, (first, limit), divisor, start_instance)
        f.store(index.zext(I64) * stride, offsets, 0, 64)
        pointers = [f.at(base, f.load(I64, offsets, 8 * k, 8)) for k in range(lanes)]
        target = f.at(soa, a * (4 * bytes_))
        for c, v in enumerate(f.load_vec4s(pointers)):
            missing = f.const(v.type, 1.0 if c == 3 else 0.0)
            there = f.select(valid, v, 0.0)
            f.store(f.select(channels > c, there, missing), target, c * bytes_, min(64, bytes_))
    f.ret()


def element_index(f: Function, vertex: Val, instances: Val, inside: tuple[Val, Val], divisor: Val, start_instance: Val) -> tuple[Val, Val]:
    """Element numbers of one attribute (0 for those outside of the buffer), and the mask of those inside.

    inside: number of the first element inside the buffer, to which the result is relative, and the number of such elements."""
    index = f.var(vertex.type, vertex)
    with f.if_(divisor.ne(0)):
        instance = f.load(vertex.type, instances)
        index.set(instance + start_instance)
        with f.if_(divisor.ugt(1)):
            index.set(instance.udiv(f.max(divisor, 1)) + start_instance)
    wanted = index.get() - inside[0]
    valid = wanted.ult(inside[1])
    return f.select(valid, wanted, 0), valid
