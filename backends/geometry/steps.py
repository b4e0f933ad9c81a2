"""Generated code: the stages of a draw on the caller's thread, piece by piece, as `RunRecord` describes them.

All vertices go through the vertex shader at once. Each later stage is a step: it reads the previous step's output from a HandRecord, and
calls the next step for each piece of its own output. `step_parts.TAKE`, added by the user of the module, receives the output of the last
step.
"""

from __future__ import annotations

from backends.abi.limits import MAX_LANES
from backends.geometry.output import build_write_streams
from backends.geometry.records import RunRecord
from backends.geometry.stage_kinds import STAGE_KINDS
from backends.geometry.step_parts import TAKE, add_count, hand_of, put_stream, step_of, vertex_memory
from backends.llvm.builder.function import I32, I64, PTR, Function, Module
from backends.llvm.builder.record import Record


def build_steps(module: Module) -> None:
    """Add `run_vertices`, which takes a draw through all stages, and its helpers."""
    build_write_streams(module)
    for kind in STAGE_KINDS:
        if kind.build_step is not None:
            kind.build_step(module, kind.step_name)
    _build_run_step(module)
    _build_run_vertices(module)


def _build_run_step(module: Module) -> None:
    """run_step(run, number) -> 0, or a code that ends the draw.

    Runs step `number` and the following ones on the input in its HandRecord.
    """
    f = Function(module, "run_step", [PTR, I32], I32, shared=True, internal=True)
    run, number = f.args
    with f.leaving(number >= Record(f, run, RunRecord).get("num_steps")):
        f.ret(f.call(I32, TAKE, run, hand_of(f, run, number).pointer))
    wanted = step_of(f, run, number).get("kind")
    for place, kind in enumerate(STAGE_KINDS):
        if kind.build_step is not None:
            with f.leaving(wanted.eq(place)):
                f.ret(f.call(I32, kind.step_name, run, number))
    f.ret(f.const(I32, 0))


def _build_run_vertices(module: Module) -> None:
    """run_vertices(run, first, count) -> 0, or a code that ends the draw. Takes `count` primitives of a draw through all stages."""
    f = Function(module, "run_vertices", [PTR, I32, I32], I32, shared=True, internal=True)
    run, start, count = f.args
    r = Record(f, run, RunRecord)
    r.set("vertex.first", start)
    r.set("vertex.count", count)
    f.call_pointer(None, r.get("assemble"), r.address("vertex"))
    room = (r.get("vertex.num_vertices") + MAX_LANES).zext(I64)
    f.store(vertex_memory(f, run, r.get("vertices"), room, r.get("vertex.registers") << 4), r.address("vertex.vertices"), 0, 8)
    f.call_pointer(None, r.get("shade"), r.address("vertex"))
    with f.if_(r.get("counts_input").ne(0)):
        add_count(f, r, "vs_invocations", r.get("vertex.num_vertices"))
    first = f.const(I32, 0)
    hand = hand_of(f, run, first)
    f.store(r.get("vertex.vertices"), hand.address("vertices"), 0, 8)
    put_stream(f, hand, r.get("vertex.corners"), r.get("vertex.numbers"), count)
    f.ret(f.call(I32, "run_step", run, first))
