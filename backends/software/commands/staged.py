"""Generated code: draws with more stages or stream output. All stages before the rasterizer run at once; the rasterizer's part is queued.

A draw is first prepared, which may fail without side effects, and then run. If memory runs out during the run, Python allocates more.
"""

from __future__ import annotations

import ctypes

from backends.abi.records import BufferRecord, ShaderEnv, TextureRecord, WatchRecord
from backends.device.commands.bound_record import TABLES, BoundRecord
from backends.device.region import ALIGNMENT, SLACK
from backends.device.stream_target import TargetRecord
from backends.geometry.records import HandRecord, RunRecord, StageCounts
from backends.geometry.step_parts import MEMORY, NO_MEMORY, SHORTEN, TAKE, stream_of
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.library.polling import is_stopped
from backends.pipe.limits import MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES, MAX_STREAM_OUTPUT_TARGETS, MAX_VERTEX_STREAMS
from backends.raster.draw_record import Call, Draw
from backends.software.commands.environments import return_if_missing
from backends.software.commands.memory import allocate, leave
from backends.software.commands.records import (
    QUEUED_FIELDS,
    Code,
    EnvironmentRecipe,
    ExecutorRecord,
    StagedRecord,
    StageEnvironment,
    TemplateRecord,
)
from backends.software.commands.spans import is_full

_CALL_WORDS = ctypes.sizeof(Call) // 4
_FARTHEST = 1 << 30
"""Most bytes from the vertices and corners of a record to those of a later piece that reuses it."""
_TABLES = (BufferRecord, MAX_SHADER_BUFFERS), (BufferRecord, MAX_SHADER_BUFFERS), (TextureRecord, MAX_SHADER_IMAGES)
"""Records and lengths of a stage's tables, in the order of `BoundRecord.tables`."""


def build_prepare_staged(module: Module) -> None:
    """prepare_staged(executor, bound, template, indices, primitives, is_streamed) -> Code. primitives: input ones of all instances.

    Places the inputs of the stages and creates their environments.
    """
    f = Function(module, "prepare_staged", [PTR, PTR, PTR, I64, I32, I32], I32, shared=True, internal=True)
    executor, bound, template, indices, total, is_streamed = f.args
    e, b, t = Record(f, executor, ExecutorRecord), Record(f, bound, BoundRecord), Record(f, template, TemplateRecord)
    s = Record(f, t.get("staged"), StagedRecord)
    leave(f, total > s.get("most"), Code.UNKNOWN)
    leave(f, s.get("has_loops").ne(0) & is_stopped(f, Record(f, e.get("watch"), WatchRecord)), Code.STOPPED)
    leave(f, is_full(f, e, f.const(I64, 1)), Code.FULL)
    with f.if_(is_streamed.ne(0)):
        _leave_shared_targets(f, e, b)
    draw = f.call(I64, "placed_draw", executor, bound, template, indices, f.const(I32, 0))
    leave(f, draw.eq(0), Code.MEMORY)
    f.store(draw, s.address("run.vertex.draw"), 0, 8)
    places = s.get("environments")
    with f.range(0, s.get("num_environments")) as k:
        own = Record(f, f.at(places, k * ctypes.sizeof(StageEnvironment)), StageEnvironment)
        environment = f.call(I64, "environment", executor, bound, own.get("recipe"), f.const(I32, 0))
        return_if_missing(f, environment)
        recipe = Record(f, own.get("recipe"), EnvironmentRecipe)
        _leave_drawn_textures(f, e, recipe, environment.as_pointer())
        with f.if_(own.get("reaches").ne(0)):
            tables = f.at(b.address("tables"), recipe.get("stage").zext(I64) * (8 * TABLES))
            _leave_used_memory(f, e, tables, own.get("writes").ne(0))
            for number, field in enumerate((ShaderEnv.buffers, ShaderEnv.counters, ShaderEnv.images)):
                f.store(f.load(I64, tables, 8 * number, 8), environment.as_pointer(), field.offset, 8)
        f.store(environment, own.get("place"), 0, 8)
    with f.if_(s.get("content").as_address().ne(0)):
        environment = f.call(I64, "environment", executor, bound, t.address("fragment"), f.const(I32, 0))
        return_if_missing(f, environment)
        s.set("fragment_environment", environment)
    f.ret(f.const(I32, int(Code.DONE)))


def _leave_shared_targets(f: Function, e: Record, b: Record) -> None:
    """Fall back for a draw that writes memory which pending draws read or access by programs."""
    leave(f, e.get("is_reached").ne(0), Code.UNKNOWN)
    with f.if_(e.get("num_spans").ne(0)), f.range(0, MAX_STREAM_OUTPUT_TARGETS) as k:
        address = f.load(I64, b.address("stream_targets"), k << 3, 8)
        with f.if_(address.ne(0)):
            target = Record(f, address.as_pointer(), TargetRecord)
            leave(f, f.call(I32, "reads_meet", e.pointer, target.get("address"), target.get("size"), f.const(I32, 0)).ne(0), Code.WAIT)


def _leave_drawn_textures(f: Function, e: Record, recipe: Record, environment: Val) -> None:
    """Fall back for a draw whose stages sample targets of pending work."""
    textures, is_pending = Record(f, environment, ShaderEnv).get("textures"), (e.get("num_spans") | e.get("num_clears")).ne(0)
    with f.if_(is_pending), f.range(0, recipe.get("units")) as k:
        texture = Record(f, f.at(textures, k.zext(I64) * ctypes.sizeof(TextureRecord)), TextureRecord)
        leave(f, f.call(I32, "meets_targets", e.pointer, texture.get("base").as_address(), texture.get("size")).ne(0), Code.WAIT)


def _leave_used_memory(f: Function, e: Record, tables: Val, is_written: Val) -> None:
    """Fall back for a draw if a stage accesses memory that pending work draws to, or writes memory that pending work reads."""
    leave(f, is_written & e.get("is_reached").ne(0), Code.UNKNOWN)
    with f.if_((e.get("num_spans") | e.get("num_clears")).ne(0)):
        for number, (kind, count) in enumerate(_TABLES):
            records = f.load(PTR, tables, 8 * number, 8)
            with f.range(0, count) as k:
                r = Record(f, f.at(records, k.zext(I64) * ctypes.sizeof(kind)), kind)
                address = r.get("base").as_address()
                size = r.get("size") if kind is TextureRecord else r.get("words").zext(I64) << 2
                with f.if_(address.ne(0)):
                    leave(f, f.call(I32, "meets_targets", e.pointer, address, size).ne(0), Code.WAIT)
                    with f.if_(is_written):
                        leave(f, f.call(I32, "reads_meet", e.pointer, address, size, f.const(I32, 0)).ne(0), Code.WAIT)


def build_run_staged(module: Module) -> None:
    """run_staged(executor, bound, template, call, primitives, assembled) -> Code. Carries out the draw of `prepare_staged`.

    assembled: primitives as the application counts them.
    """
    _build_stage_memory(module)
    _build_shorten_memory(module)
    _build_queue_again(module)
    _build_queue_piece(module)
    _build_take_piece(module)
    f = Function(module, "run_staged", [PTR, PTR, PTR, PTR, I32, I64], I32, shared=True, internal=True)
    executor, bound, template, call, total, assembled = f.args
    e, b = Record(f, executor, ExecutorRecord), Record(f, bound, BoundRecord)
    s = Record(f, Record(f, template, TemplateRecord).get("staged"), StagedRecord)
    for name, pointer in (
        ("executor", executor),
        ("bound", bound),
        ("run.counts", e.address("staged_counts")),
        ("run.levels", b.address("tess_levels")),
        ("run.targets", b.address("stream_targets")),
    ):
        f.store(pointer, s.address(name), 0, 8)
    for k in range(0, ctypes.sizeof(Call), 4):
        f.store(f.load(I32, call, k), s.address("run.vertex.call"), k)
    s.set("run.vertex.stamp", e.get("stamp"))
    watch, has_loops = Record(f, e.get("watch"), WatchRecord), s.get("has_loops").ne(0)
    with f.if_(has_loops):
        watch.set("caller", f.call_pointer(I64, watch.get("ident")))  # makes the first poll check signals
    first, ended = f.var(I32, 0), f.var(I32, 0)
    with f.loop() as loop:
        count = f.min(total - first.get(), s.get("chunk"))
        ended.set(f.call(I32, "run_vertices", s.address("run"), first.get(), count))
        first.add(count)
        loop.break_if(ended.get().ne(0) | (first.get() >= total))
    e.set("stamp", s.get("run.vertex.stamp"))
    with f.if_(has_loops):
        watch.set("caller", f.const(I64, 0))
        leave(f, is_stopped(f, watch), Code.STOPPED)
    leave(f, ended.get().ne(0), Code.FAILED)
    with f.if_(s.get("run.counts_input").ne(0)):
        e.set("staged_primitives", e.get("staged_primitives") + assembled)
    f.ret(f.const(I32, int(Code.DONE)))


def _owner(f: Function, run: Val) -> tuple[Record, Record]:
    """The StagedRecord and the ExecutorRecord of a run."""
    s = Record(f, Record(f, run, RunRecord).get("owner"), StagedRecord)
    return s, Record(f, s.get("executor"), ExecutorRecord)


def _ask(f: Function, e: Record, code: Code) -> Val:
    """Let Python allocate memory or flush. Returns true on success."""
    return f.call_pointer(I32, e.get("supply"), f.const(I32, int(code))).ne(0)


def _build_stage_memory(module: Module) -> None:
    """See `backends.geometry.step_parts.MEMORY`."""
    f = Function(module, MEMORY, [PTR, I64, I32], I64, shared=True, internal=True)
    run, size, unit = f.args
    _, e = _owner(f, run)
    room = size + unit.zext(I64)
    place = f.var(I64, allocate(f, e.pointer, room))
    with f.if_(place.get().eq(0)), f.if_(_ask(f, e, Code.MEMORY)):
        place.set(allocate(f, e.pointer, room))
    with f.if_(place.get().ne(0)):
        base = e.get("memory_base")
        inside = (place.get() - base).trunc(I32)  # pieces of memory are smaller than 4 GiB
        place.set(base + ((inside + unit - 1).udiv(unit) * unit).zext(I64))
    f.ret(place.get())


def _build_shorten_memory(module: Module) -> None:
    """See `backends.geometry.step_parts.SHORTEN`."""
    f = Function(module, SHORTEN, [PTR, I64], shared=True, internal=True)
    run, end = f.args
    _, e = _owner(f, run)
    used = (end + (SLACK + ALIGNMENT - 1)) & -ALIGNMENT
    e.set("room", e.get("room") + (e.get("memory") - used))
    e.set("memory", used)
    f.ret()


def _build_take_piece(module: Module) -> None:
    """See `backends.geometry.step_parts.TAKE`: write stream output, and queue primitives."""
    f = Function(module, TAKE, [PTR, PTR], I32, shared=True, internal=True)
    run, handed = f.args
    r, hand, stopped = Record(f, run, RunRecord), Record(f, handed, HandRecord), f.const(I32, NO_MEMORY)
    s, e = _owner(f, run)
    with f.leaving(s.get("has_loops").ne(0) & is_stopped(f, Record(f, e.get("watch"), WatchRecord))):
        f.ret(stopped)
    with f.if_(r.get("counts_input").ne(0)):
        counts = Record(f, r.get("counts"), StageCounts)
        for k in range(MAX_VERTEX_STREAMS):
            counts.set("generated", counts.get("generated", k) + stream_of(f, hand, k).get("generated").zext(I64), k)
    with f.if_(r.get("num_outputs").ne(0)):
        f.call(None, "write_streams", run, handed)
    stream = stream_of(f, hand)
    count = stream.get("count")
    with f.if_(s.get("content").as_address().ne(0) & count.ne(0)):
        with f.if_(is_full(f, e, count.zext(I64))):
            with f.leaving(~_ask(f, e, Code.FULL)):
                f.ret(stopped)
        with f.else_of(f.call(I32, "queue_again", run, handed).eq(0)) as is_queued:
            with f.leaving(f.call(I32, "queue_piece", run, handed).eq(0)):
                f.ret(stopped)
            is_queued()
    f.ret(f.const(I32, 0))


def _build_queue_again(module: Module) -> None:
    """queue_again(run, hand) -> 1 if the piece was queued with the record of the previous piece, 0 if it needs a separate one.

    Spans of one record go through the front end together, and their tiles are shaded without a switch of state. This path needs no Python,
    no look-up, and no new record.
    """
    f = Function(module, "queue_again", [PTR, PTR], I32, shared=True, internal=True)
    run, handed = f.args
    r, hand, no = Record(f, run, RunRecord), Record(f, handed, HandRecord), f.const(I32, 0)
    s, e = _owner(f, run)
    is_same = s.get("queued_frame").eq(e.get("frame")) & s.get("queued_targets").eq(e.get("targets_id"))
    with f.leaving(~is_same | s.get("queued_input").ne(r.get("vertex.draw").as_address())):
        f.ret(no)
    size, distance = hand.get("size"), hand.get("vertices").as_address() - s.get("queued_vertices")
    with f.leaving(distance.ugt(_FARTHEST)):
        f.ret(no)
    bias = distance.trunc(I32).udiv(size)
    with f.leaving((bias * size).ne(distance.trunc(I32))):
        f.ret(no)
    stream = stream_of(f, hand)
    count = stream.get("count")
    bytes_ = (count * hand.get("rows")).zext(I64) << 2
    corners = f.call(I64, MEMORY, run, bytes_, f.const(I32, 1))
    start = corners - s.get("queued_corners")
    with f.leaving(corners.eq(0) | start.ugt(_FARTHEST)):
        f.ret(no)
    f.call(PTR, "memcpy", corners.as_pointer(), stream.get("corners"), bytes_)
    _append(f, s, e, s.get("queued_draw"), count, start.lshr(2).trunc(I32), bias)
    f.ret(f.const(I32, 1))


def _build_queue_piece(module: Module) -> None:
    """queue_piece(run, hand) -> 1, or 0 if memory ran out. Queues a piece with a separate record, if it has pixels."""
    f = Function(module, "queue_piece", [PTR, PTR], I32, shared=True, internal=True)
    run, handed = f.args
    r, hand = Record(f, run, RunRecord), Record(f, handed, HandRecord)
    s, e = _owner(f, run)
    stream = stream_of(f, hand)
    count = stream.get("count")
    corners_size, numbers_size = (count * hand.get("rows")).zext(I64) << 2, count.zext(I64) << 2
    draw_size = f.const(I64, ctypes.sizeof(Draw))
    corners = f.call(I64, MEMORY, run, corners_size + numbers_size + draw_size + 2 * (SLACK + ALIGNMENT), f.const(I32, 1))
    with f.leaving(corners.eq(0)):
        f.ret(f.const(I32, 0))
    numbers = corners + _whole(corners_size)
    drawn = numbers + _whole(numbers_size)
    f.call(PTR, "memcpy", corners.as_pointer(), stream.get("corners"), corners_size)
    f.call(PTR, "memcpy", numbers.as_pointer(), stream.get("numbers"), numbers_size)
    f.call(PTR, "memcpy", drawn.as_pointer(), s.get("content"), draw_size)
    d = Record(f, drawn.as_pointer(), Draw)
    f.store(hand.get("vertices"), d.address("fetch.attribute"), 0, 8)
    f.store(corners, d.address("assembly.indices"), 0, 8)
    f.store(numbers, d.address("assembly.numbers"), 0, 8)
    d.set("fragments.interval", Record(f, s.get("bound"), BoundRecord).get("interval").trunc(I32))
    nowhere = f.const(I64, 0).as_pointer()
    seen = f.call(I32, "write_values", drawn.as_pointer(), s.get("bound"), e.get("width"), e.get("height"), nowhere)
    with f.else_of(seen.ne(0)) as otherwise:
        none = f.const(I32, 0)
        _append(f, s, e, drawn, count, none, none)
        input_ = f.select(d.get("setup.calls_join").ne(0), r.get("vertex.draw").as_address(), f.const(I64, 0))  # 0: not a record of a draw
        values = (e.get("frame"), e.get("targets_id"), input_, drawn, hand.get("vertices").as_address(), corners)
        for name, value in zip(QUEUED_FIELDS, values, strict=True):
            s.set(name, value)
        otherwise()
        f.call(None, SHORTEN, run, corners)
    f.ret(f.const(I32, 1))


def _append(f: Function, s: Record, e: Record, draw: Val, count: Val, start: Val, bias: Val) -> None:
    """Queue `count` primitives of a record, from corner number `start` on, with `bias` added to their vertex numbers."""
    memory = f.alloca(f"[{_CALL_WORDS} x i32]")
    for k in range(_CALL_WORDS):
        f.store(f.const(I32, 0), memory, 4 * k)
    call = Record(f, memory, Call)
    for name, value in (("start", start), ("index_bias", bias), ("prims_per_instance", count)):
        call.set(name, value)
    f.call(None, "append", e.pointer, draw, f.const(I64, 0), s.get("fragment_environment"), f.const(I32, 0), count, memory)


def _whole(size: Val) -> Val:
    """Bytes consumed by an allocation of `size` bytes."""
    return (size + (SLACK + ALIGNMENT - 1)) & -ALIGNMENT
