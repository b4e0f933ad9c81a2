"""Generated code: small draws through a geometry shader. All of their stages run at once; the rasterizer's part is queued."""

from __future__ import annotations

import ctypes

from backends.abi.records import WatchRecord
from backends.device.region import ALIGNMENT, SLACK
from backends.geometry.records import StreamRecord
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.library.polling import is_stopped
from backends.pipe.limits import MAX_VERTEX_STREAMS
from backends.raster.draw_record import Call, Draw
from backends.software.commands.environments import leave_unmade
from backends.software.commands.memory import allocate, leave
from backends.software.commands.records import Code, ExecutorRecord, StagedRecord, TemplateRecord
from backends.software.commands.spans import is_full

_CALL_WORDS = ctypes.sizeof(Call) // 4


def build_draw_staged(module: Module) -> None:
    """draw_staged(executor, bound, template, indices, call, primitives, assembled) -> Code.

    primitives: input primitives of all instances. assembled: as the application counts them. Room for the largest output is taken first,
    and what is left goes back.
    """
    f = Function(module, "draw_staged", [PTR, PTR, PTR, I64, PTR, I32, I64], I32, shared=True, internal=True)
    executor, bound, template, indices, call, total, assembled = f.args
    e, t = Record(f, executor, ExecutorRecord), Record(f, template, TemplateRecord)
    s = Record(f, t.get("staged"), StagedRecord)
    leave(f, total > s.get("most"), Code.UNKNOWN)
    watch, has_loops = Record(f, e.get("watch"), WatchRecord), s.get("has_loops").ne(0)
    leave(f, has_loops & is_stopped(f, watch), Code.STOPPED)
    lanes, size, rows = s.get("geometry.lanes"), s.get("geometry.out_size"), s.get("geometry.out_rows")
    items = total * s.get("geometry.invocations")
    capacity = (items + lanes - 1).udiv(lanes) * lanes * s.get("geometry.limit")
    leave(f, is_full(f, e, capacity.zext(I64)), Code.FULL)
    draw = f.call(I64, "placed_draw", executor, bound, template, indices, f.const(I32, 0))
    leave(f, draw.eq(0), Code.MEMORY)
    environments: list[Val] = []
    for recipe in (t.address("vertex"), s.address("environment"), t.address("fragment")):
        environments.append(f.call(I64, "environment", executor, bound, recipe, f.const(I32, 0)))
        leave_unmade(f, environments[-1])
    most = capacity * (size + rows * 4 + 4) + size + (4 * (SLACK + ALIGNMENT) + ctypes.sizeof(Draw))
    at = allocate(f, executor, most.zext(I64))
    leave(f, at.eq(0), Code.MEMORY)
    with f.if_(has_loops):
        watch.set("caller", f.call_pointer(I64, watch.get("ident")))  # the first poll is late enough to look at signals
    _run_vertex(f, e, s, draw, environments[0], call, total)
    _run_geometry(f, s, environments[1], items, at, capacity)
    with f.if_(has_loops):
        watch.set("caller", f.const(I64, 0))
        leave(f, is_stopped(f, watch), Code.STOPPED)
    made, count = s.get("geometry.num_vertices"), f.load(I32, s.address("geometry.streams"), _stream_offset("count"))
    with f.else_of(count.ne(0)) as otherwise:
        corners = at + _whole(((made + 1) * size).zext(I64))
        numbers = corners + _whole((count * rows * 4).zext(I64))
        drawn = numbers + _whole((count * 4).zext(I64))
        streams = s.address("geometry.streams")
        f.call(PTR, "memcpy", corners.as_pointer(), f.load(PTR, streams, _stream_offset("corners"), 8), (count * rows * 4).zext(I64))
        f.call(PTR, "memcpy", numbers.as_pointer(), f.load(PTR, streams, _stream_offset("numbers"), 8), (count * 4).zext(I64))
        f.call(PTR, "memcpy", drawn.as_pointer(), s.get("content"), f.const(I64, ctypes.sizeof(Draw)))
        d = Record(f, drawn.as_pointer(), Draw)
        f.store(at, d.address("fetch.attribute"), 0, 8)
        f.store(corners, d.address("assembly.indices"), 0, 8)
        f.store(numbers, d.address("assembly.numbers"), 0, 8)
        nowhere = f.const(I64, 0).as_pointer()
        seen = f.call(I32, "write_values", drawn.as_pointer(), bound, e.get("width"), e.get("height"), nowhere)
        with f.leaving(seen.eq(0)):
            _give_back(e, at)
            _end(f, e, s, assembled, items)
        _give_back(e, drawn + _whole(f.const(I64, ctypes.sizeof(Draw))))
        memory = f.alloca(f"[{_CALL_WORDS} x i32]")
        for k in range(_CALL_WORDS):
            f.store(f.const(I32, 0), memory, 4 * k)
        Record(f, memory, Call).set("prims_per_instance", count)
        f.call(None, "append", executor, drawn, f.const(I64, 0), environments[2], f.const(I32, 0), count, memory)
        otherwise()
        _give_back(e, at)
    _end(f, e, s, assembled, items)


def _end(f: Function, e: Record, s: Record, assembled: Val, items: Val) -> None:
    """Count what was done, and return."""
    e.set("staged_primitives", e.get("staged_primitives") + assembled)
    _count(f, e, s, items)
    f.ret(f.const(I32, int(Code.DONE)))


def _stream_offset(name: str) -> int:
    return int(getattr(StreamRecord, name).offset)


def _whole(size: Val) -> Val:
    """Bytes that an allocation of `size` bytes takes."""
    return (size + (SLACK + ALIGNMENT - 1)) & -ALIGNMENT


def _give_back(e: Record, end: Val) -> None:
    """Give back the memory after `end`, the end of what is used of the latest allocation."""
    e.set("room", e.get("room") + (e.get("memory") - end))
    e.set("memory", end)


def _run_vertex(f: Function, e: Record, s: Record, draw: Val, environment: Val, call: Val, total: Val) -> None:
    """Assemble and shade the vertices of all primitives."""
    record = s.address("vertex")
    f.store(draw, s.address("vertex.draw"), 0, 8)
    f.store(environment, s.address("vertex.env"), 0, 8)
    s.set("vertex.first", f.const(I32, 0))
    s.set("vertex.count", total)
    for k in range(0, ctypes.sizeof(Call), 4):
        f.store(f.load(I32, call, k), s.address("vertex.call"), k)
    s.set("vertex.stamp", e.get("stamp"))
    f.call_pointer(None, s.get("assemble"), record)
    f.call_pointer(None, s.get("shade"), record)
    e.set("stamp", s.get("vertex.stamp"))


def _run_geometry(f: Function, s: Record, environment: Val, items: Val, target: Val, capacity: Val) -> None:
    """Run all invocations; the vertices that they emit lie from `target` on."""
    f.store(environment, s.address("geometry.env"), 0, 8)
    f.store(target, s.address("geometry.out_vertices"), 0, 8)
    s.set("geometry.items", items)
    s.set("geometry.capacity", capacity)
    s.set("geometry.num_vertices", f.const(I32, 0))
    s.set("geometry.done", f.const(I32, 0))
    for k in range(MAX_VERTEX_STREAMS):
        for name in ("count", "generated"):
            f.store(f.const(I32, 0), s.address("geometry.streams", k), _stream_offset(name))
    f.call_pointer(None, s.get("gather"), s.address("geometry"))


def _count(f: Function, e: Record, s: Record, items: Val) -> None:
    """Count invocations and primitives."""
    e.set("vs_invocations", e.get("vs_invocations") + s.get("vertex.num_vertices").zext(I64))
    e.set("gs_invocations", e.get("gs_invocations") + items.zext(I64))
    for k in range(MAX_VERTEX_STREAMS):
        made = f.load(I32, s.address("geometry.streams", k), _stream_offset("generated"))
        e.set("generated", e.get("generated", k) + made.zext(I64), k)
