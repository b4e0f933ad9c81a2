"""Parts of the steps that generated code takes (`backends.geometry.steps`): places in a RunRecord, memory, counters."""

from __future__ import annotations

import ctypes

from backends.geometry.records import HandRecord, RunRecord, StageCounts, StepRecord, StreamRecord
from backends.llvm.builder.function import I32, I64, Function, Val
from backends.llvm.builder.record import Record

TAKE = "take_piece"
"""take_piece(run, hand) -> 0, or a code that ends the draw."""
MEMORY = "stage_memory"
"""stage_memory(run, bytes, unit) -> an address that is valid until the rasterizer is done, or 0 if memory ran out. unit:

bytes, 1 or a multiple of 16. Distances between addresses in one piece of memory are multiples of it.
"""
SHORTEN = "shorten_memory"
"""shorten_memory(run, end): return the unused end of the latest allocation of `MEMORY`, from `end` on."""
NO_MEMORY = -1
"""Result of a step without memory."""


def hand_of(f: Function, run: Val, number: Val) -> Record:
    """The record of the input of step `number`."""
    return Record(f, f.at(run, RunRecord.hands.offset + number * ctypes.sizeof(HandRecord)), HandRecord)


def step_of(f: Function, run: Val, number: Val) -> Record:
    """The record of step `number`."""
    return Record(f, f.at(run, RunRecord.steps.offset + number * ctypes.sizeof(StepRecord)), StepRecord)


def stream_of(f: Function, hand: Record, stream: int = 0) -> Record:
    """The primitives of a vertex stream in a hand."""
    return Record(f, hand.address("streams", stream), StreamRecord)


def vertex_memory(f: Function, run: Val, held: Val, count: Val, size: Val) -> Val:
    """Address (i64) of memory for the vertices of a piece, `count` (i64) of `size` (i32) bytes.

    Returns from the function if memory ran out.

    held: the pointer in the record of the stage. If it is null, the memory is valid until the rasterizer is done, and a whole number of
    vertices away from that of earlier pieces, so that a record can describe all of them.
    """
    place = f.var(I64, held.as_address())
    with f.if_(place.get().eq(0)):
        place.set(f.call(I64, MEMORY, run, count * size.zext(I64), size))
        with f.leaving(place.get().eq(0)):
            f.ret(f.const(I32, NO_MEMORY))
    return place.get()


def hand_on(f: Function, run: Val, number: Val) -> None:
    """Run the step after step `number`. Returns from the function if it ended the draw."""
    code = f.call(I32, "run_step", run, number + 1)
    with f.leaving(code.ne(0)):
        f.ret(code)


def add_count(f: Function, run: Record, name: str, count: Val, stream: int = 0) -> None:
    """Add to a running total of StageCounts."""
    counts = Record(f, run.get("counts"), StageCounts)
    counts.set(name, counts.get(name, stream) + count.zext(I64), stream)


def put_stream(f: Function, hand: Record, corners: Val, numbers: Val, count: Val) -> None:
    """Pass on `count` primitives as stream 0, counting all of them as generated."""
    stream = stream_of(f, hand)
    f.store(corners, stream.address("corners"), 0, 8)
    f.store(numbers, stream.address("numbers"), 0, 8)
    stream.set("count", count)
    stream.set("generated", count)
