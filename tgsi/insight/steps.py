"""Traces of one invocation: each executed instruction with the registers that it wrote, computed by the same kernels as draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, field

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import Shader
from backends.device.memory import Memory
from backends.gallium.context.recording.decoder import Call
from backends.gallium.context.recording.player import call_context
from backends.gallium.resource.resource import Resource
from backends.pipe.enums import TextureTarget
from backends.run.result import as_meant
from tgsi.insight.fragment_log import keeping_memory, program_of, untouched
from tgsi.insight.logging_program import free_slot, row_of
from tgsi.insight.replaying import Draw, ReplayContext
from tgsi.insight.tracing_program import HEADER, NUMBER, STEP_WORDS, WANTED, traced
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.traits import Trait
from tgsi.language.printer import print_instruction
from tgsi.language.program import Program
from tgsi.language.record import record

MOST_STEPS = 1 << 15
"""Most steps that are listed."""


@record
class Step:
    """One step of a trace.

    number: of the instruction, None for an input. text: the instruction. place: its line in the source text.
    register: the written register, such as ``TEMP[0]``, or empty. words: the register's four channels afterwards.
    """

    number: int | None
    text: str
    place: str
    register: str
    words: tuple[int, ...]
    writes_memory: bool = False

    @property
    def numbers(self) -> tuple[float, ...]:
        """The channels as floats if they look like floats, otherwise as integers."""
        return tuple(v.item() for v in as_meant(np.array(self.words, np.uint32)))


@record
class LaneTrace:
    """A trace. has_run: the invocation ran. total: number of steps; at most MOST_STEPS are listed. `str` gives readable text."""

    steps: tuple[Step, ...]
    _: KW_ONLY
    has_run: bool
    total: int

    def __str__(self) -> str:
        return "\n".join(self.lines()) + "\n"

    def lines(self) -> list[str]:
        """The steps, one line each."""
        lines = []
        for step in self.steps:
            where = f"{step.place:>14}  " if step.place else ""
            number = "   in" if step.number is None else f"{step.number:5}"
            values = f"  {step.register} = ({', '.join(f'{v:.9g}' for v in step.numbers)})" if step.register else ""
            lines.append(f"{number}: {where}{step.text}{values}".rstrip())
        if self.total > len(self.steps):
            lines.append(f"and {self.total - len(self.steps)} more steps")
        return lines

    def outputs(self) -> dict[str, tuple[int, ...]]:
        """The final words of each output."""
        return {step.register: step.words for step in self.steps if step.register.startswith("OUT")}


def trace_fragment(
    context: ReplayContext, draw: Draw, x: int, y: int, number: int, shown: Program | None = None, *, as_drawn: bool = False
) -> LaneTrace:
    """The trace of fragment `number` of `log_fragments` at a pixel. shown: the program with its source text."""
    program = program_of(context)
    state = context.state
    scale = state.viewports[0].scale[1] if state.viewports else 1.0
    place = x, row_of(program, y, context.targets.framebuffer.height, scale)
    is_late = bool(program.property("FS_POST_DEPTH_COVERAGE"))
    with untouched(context, x, y, {}, masks=as_drawn, tests=as_drawn and is_late):
        return _traced_draw(context, draw, program, Processor.FRAG, shown or program, _Wanted(number, place))


def trace_vertex(context: ReplayContext, draw: Draw, vertex: int, instance: int, shown: Program | None = None) -> LaneTrace:
    """The trace of the vertex with a VERTEXID and INSTANCEID."""
    shader = context.state.vertex.shader
    if shader is None:
        raise ValueError("no vertex shader is bound")
    wanted = _Wanted(values={("VERTEXID", 0): vertex & 0xFFFFFFFF, ("INSTANCEID", 0): instance})
    with untouched(context, 0, 0, {"rasterizer_discard": True}):
        return _traced_draw(context, draw, shader.program, Processor.VERT, shown or shader.program, wanted)


def _slot_of(program: Program, items: Sequence[object]) -> int:
    slot = free_slot(program, items)
    if slot is None:
        raise UnsupportedError.at("B052", "explain: the program uses every BUFFER, and its trace needs one", None)
    return slot


@record
class _Wanted:
    """The invocation to watch. number: among the matching ones. pixel: of a fragment. values: required values of system-value channels."""

    number: int = 0
    pixel: tuple[int, int] | None = None
    values: Mapping[tuple[str, int], int] = field(default_factory=dict)

    def program(self, program: Program, slot: int) -> Program:
        """The program that traces the invocation."""
        return traced(program, slot, matches=tuple(self.values), is_at_pixel=self.pixel is not None)

    def buffer(self, context: ReplayContext) -> Resource:
        """A buffer for the trace, whose header identifies the invocation."""
        buffer = context.screen.resource_create(target=TextureTarget.BUFFER, width0=HEADER + MOST_STEPS * STEP_WORDS * 4)
        words = buffer.storage.view(np.uint32)
        words[NUMBER // 4] = self.number
        words[WANTED // 4 : WANTED // 4 + 2].view(np.float32)[:] = self.pixel or (0, 0)
        words[WANTED // 4 + 2 : WANTED // 4 + 2 + len(self.values)] = list(self.values.values())
        return buffer


def _traced_draw(context: ReplayContext, draw: Draw, program: Program, stage: Processor, shown: Program, wanted: _Wanted) -> LaneTrace:
    state, kind = context.state, int(stage)
    slot = _slot_of(program, state.stage[kind].buffers.items)
    buffer = wanted.buffer(context)
    before = state.stage[kind].shader
    try:
        state.bind(kind, Shader(wanted.program(program, slot), owner=context.screen))
        state.stage[kind].buffers.put(slot, Memory(buffer.address, buffer.size, buffer.storage))
        state.memory = object()
        context._choose_stages()
        with keeping_memory(context):
            context.draw_again(draw)
        return _read(buffer.storage.view(np.uint32), shown)
    finally:
        state.bind(kind, before)
        state.stage[kind].buffers.put(slot, None)
        state.memory = object()
        context._choose_stages()
        buffer.destroy()


def trace_thread(
    context: ReplayContext, call: Call, thread: Sequence[int], block: Sequence[int], shown: Program | None = None
) -> LaneTrace:
    """The trace of a thread in the grid that `call` launches."""
    shader = context._compute_shader
    if shader is None:
        raise ValueError("no compute shader is bound")
    stage = context.state.stage[int(Processor.COMP)]
    slot = _slot_of(shader.program, stage.buffers.items)
    places = (("THREAD_ID", thread), ("BLOCK_ID", block))
    wanted = _Wanted(values={(name, k): int(v) for name, values in places for k, v in enumerate(values)})
    buffer = wanted.buffer(context)
    sizes = {name: getattr(shader, name) for name in ("req_local_mem", "req_private_mem", "req_input_mem")}
    try:
        context._compute_shader = type(shader)(wanted.program(shader.program, slot), owner=context.screen, **sizes)
        stage.buffers.put(slot, Memory(buffer.address, buffer.size, buffer.storage))
        with keeping_memory(context, of_draws=False):
            call_context(context, call)
            context.order.synchronize()
        return _read(buffer.storage.view(np.uint32), shown or shader.program)
    finally:
        context._compute_shader = shader
        stage.buffers.put(slot, None)
        buffer.destroy()


def _read(words: NDArray[np.uint32], program: Program) -> LaneTrace:
    size, ran = int(words[0]), int(words[1])
    total = max(0, size - HEADER) // (4 * STEP_WORDS) if size else 0
    steps = []
    for k in range(min(total, MOST_STEPS)):
        at = HEADER // 4 + k * STEP_WORDS
        number, file, index = (int(v) for v in words[at : at + 3])
        register = f"{File(file).name}[{index}]" if file != 0xFFFF else ""
        values = tuple(int(v) for v in words[at + 4 : at + 8]) if register else ()
        item = program.instructions[number - 1] if number else None
        text = print_instruction(item) if item is not None else ""
        place = str(item.span) if item is not None and item.span is not None else ""
        writes = item is not None and Trait.STORE in item.opcode.traits
        steps.append(Step(number - 1 if number else None, text, place, register, values, writes_memory=writes))
    return LaneTrace(tuple(steps), has_run=bool(ran), total=total)
