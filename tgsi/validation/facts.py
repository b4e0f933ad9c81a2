"""All findings that follow from bound state alone: validation warns of them before a draw, and explanations list them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from backends.device.bound import DrawState
from backends.device.shader import Shader
from backends.device.stage_state import StageState
from backends.pipe.state import DrawInfo
from tgsi.language.facts.enums import Processor
from tgsi.validation import matrices, premultiplied, programs, sampling, settings, targets, values, vertices
from tgsi.validation.findings import Finding

if TYPE_CHECKING:
    from backends.gallium.context.context import Context


Part = Sequence[Finding] | Callable[[], Iterator[Finding]]


def of_vertices(state: DrawState, info: DrawInfo) -> Iterator[Finding]:
    """Findings about the vertices of a draw. They read memory, which no pending work may write."""
    shader = state.vertex.shader
    if shader is not None:
        yield from vertices.elements(state, shader.program)
        yield from vertices.ranges(state, info, shader.program)
        yield from values.values(state, info, shader.program)


def of_bindings(context: Context, state: DrawState) -> Iterator[Finding]:
    """Findings about shaders, their bindings and targets."""
    for part in parts_of_bindings(context, state):
        yield from part() if callable(part) else part


def parts_of_bindings(context: Context, state: DrawState) -> Iterator[Part]:
    """The same in their order, with a function for each part that depends on constant buffers, which change from draw to draw."""
    for stage in state.drawn_stages():
        if stage.shader is not None:
            yield from _parts_of_stage(context, state, stage, stage.shader)
    yield [*_of_outputs(context, state)]


def _parts_of_stage(context: Context, state: DrawState, stage: StageState, shader: Shader) -> Iterator[Part]:
    who = programs.shown(shader.program)
    yield [*programs.units(stage, shader), *programs.noted(shader)]
    yield partial(programs.constants, stage, shader)
    yield [*sampling.mismatches(stage, shader, who), *settings.emissions(shader.program)]
    if stage.processor == Processor.VERT:
        yield partial(matrices.findings, state, stage, shader, who, has_depth=context.targets.zsbuf is not None)


def writes_memory(state: DrawState) -> bool:
    """True if a draw stores to memory, or streams out."""
    return any(state.stream_targets) or any(programs.stores(stage.shader) for stage in state.drawn_stages())


def _of_outputs(context: Context, state: DrawState) -> Iterator[Finding]:
    shaders = [stage.shader for stage in state.drawn_stages() if stage.shader is not None]
    last, fragment = state.last_shader(), state.fragment.shader
    if last is None:
        return
    discards = state.rasterizer.rasterizer_discard
    if not discards:
        yield from programs.last_stage(last)
    if any(map(programs.stores, shaders)):
        return
    if discards:
        if not any(state.stream_targets) and not context.counting.active:
            text = "rasterizer_discard is set, and nothing streams out or is stored: the draw does nothing"
            yield Finding("discard", state.rasterizer, text, True)
        return
    yield from _of_targets(context, state)
    cbufs, masks = context.targets.cbufs, 0
    for item in state.blend.rt:
        masks |= int(item.colormask)
    yield from programs.fragment_outputs(fragment, any(item is not None for item in cbufs), masks)
    yield from settings.blending(state, fragment, len(cbufs))
    if fragment is not None:
        yield from programs.varyings(state, last, fragment)
        yield from premultiplied.twice(state, fragment, len(cbufs))
        yield from settings.encodings(fragment, [item.format for item in cbufs if item is not None])


def _of_targets(context: Context, state: DrawState) -> Iterator[Finding]:
    cbufs, depth, framebuffer = context.targets.cbufs, context.targets.zsbuf, context.targets.framebuffer
    last = state.last_shader()
    yield from targets.targets(state, cbufs, depth)
    if last is not None and framebuffer.width and framebuffer.height and any(item is not None for item in (*cbufs, depth)):
        yield from targets.viewports(state, last.program, framebuffer.width, framebuffer.height)
        yield from settings.routes(last.program, framebuffer.layers)
    yield from targets.scissors(state)
    yield from targets.loops(state, context.targets.surfaces, depth)
