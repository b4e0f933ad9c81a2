"""The fragments of a draw at one pixel: the draw runs with a program that logs them, and with all tests that reject fragments off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import Shader
from backends.device.memory import Memory
from backends.gallium.resource.resource import Resource
from backends.pipe.enums import ColorMask, Face, TextureTarget
from backends.pipe.limits import MAX_VIEWPORTS
from backends.pipe.state import BlendState, DepthStencilAlphaState, RenderTargetBlend, ScissorState
from tgsi.insight.logging_program import (
    FIXED,
    HEADER,
    PLACE,
    LogLayout,
    depth_program,
    free_slot,
    layout_of,
    logged,
    looks_at_samples,
    row_of,
)
from tgsi.insight.replaying import Draw, ReplayContext
from tgsi.insight.smoothing import can_be_smooth, coverages
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, Location, Processor
from tgsi.language.facts.traits import Trait
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.validation.declared import semantics

MOST_FRAGMENTS = 1 << 16
"""Most fragments of a draw at a pixel that are examined; a draw with more is explained by its result alone."""
_FIRST = 256
_NO_WRITES, _NO_TESTS = BlendState((RenderTargetBlend(colormask=ColorMask(0)),)), DepthStencilAlphaState()
_FRAG = int(Processor.FRAG)


@record(eq=False, kw_only=True)
class LoggedFragment:
    """An entry of the log. Arrays hold 32-bit words.

    number: place in the log that has the results (the log with `as_drawn` if that flag is set). primitive, layer, viewport: numbers.
    sample: the sample that the program ran for, or -1. mask: covered samples. z: depth of each sample, not clamped. inputs, outputs:
    (registers, 4).
    quad: inputs of the other pixels of the quad, (3, registers, 4), or None. coverage: by smooth primitives, which multiplies alpha.
    """

    number: int
    as_drawn: bool
    primitive: int
    is_front: bool
    layer: int
    viewport: int
    position: NDArray[np.float32]
    sample: int
    mask: int
    z: NDArray[np.float32]
    inputs: NDArray[np.uint32]
    outputs: NDArray[np.uint32]
    killed_at: int | None
    has_ended: bool
    quad: NDArray[np.uint32] | None = None
    coverage: np.float32 = np.float32(1)


@record(eq=False, kw_only=True)
class FragmentLog:
    """The log of a draw.

    total: number of all fragments; at most MOST_FRAGMENTS are listed. runs_per_sample: see LoggedFragment. reads_targets: the program
    fetches stored colors. reads_mask, reads_tests: the program reads which samples survive the sample mask, and which survive an early
    depth test; then the log with `as_drawn` has its results.
    """

    program: Program
    layout: LogLayout
    fragments: tuple[LoggedFragment, ...]
    total: int
    runs_per_sample: bool
    reads_targets: bool = False
    reads_mask: bool = False
    reads_tests: bool = False


class Sampling:
    """Samples of a draw's pixels: their number, whether they have distinct positions, whether the program runs once per sample."""

    def __init__(self, context: ReplayContext, program: Program) -> None:
        state, framebuffer = context.state, context.targets.framebuffer
        r = state.rasterizer
        self.is_on = r.multisample or framebuffer.has_own_samples
        is_placed = state.sample_locations is not None and self.is_on
        self.count = framebuffer.samples
        self.has_places = self.is_on and (self.count > 1 or is_placed)
        looks = looks_at_samples(program)
        wants = looks or state.min_samples > 1 or r.force_persample_interp
        self.runs_each = wants if self.has_places else self.count > 1 and _fetches(program)

    @property
    def every(self) -> int:
        """The mask of all samples."""
        return (1 << self.count) - 1


def _fetches(program: Program) -> bool:
    return any(Trait.FRAMEBUFFER in i.opcode.traits for i in program.instructions)


def _reads_coverage(program: Program) -> bool:
    system = any(d.semantic is not None and d.semantic.name == "SAMPLEMASK" for d in program.declared(File.SV))
    located = any(d.location is Location.CENTROID for d in program.declared(File.IN))
    return system or located or any(Trait.INTERPOLATE in i.opcode.traits for i in program.instructions)


def program_of(context: ReplayContext) -> Program:
    """The bound fragment program, or an empty one if none is bound."""
    shader = context.state.fragment.shader
    return depth_program() if shader is None else shader.program


def log_fragments(
    context: ReplayContext, draw: Draw, x: int, y: int, *, quads: bool = False, as_drawn: bool = False, **changes: Any
) -> FragmentLog:
    """The fragments of a draw at a pixel, in order. The draw changes no target, and all state is restored.

    quads: log the inputs of the quad, too. as_drawn: apply the sample mask, and the depth and stencil tests if the program reads their
    result; nothing is written, and fragments without a sample are missing. changes: fields of the rasterizer state to replace for the draw.

    UnsupportedError: the program has no free buffer slot for the log.
    """
    program = program_of(context)
    sampling = Sampling(context, program)
    layout = layout_of(program, quads=quads)
    is_late = bool(program.property("FS_POST_DEPTH_COVERAGE"))
    with untouched(context, x, y, changes, masks=as_drawn, tests=as_drawn and is_late):
        entries, total = _run(context, draw, program, layout, sampling.runs_each, (x, y))
        depths = None
        if sampling.has_places and not sampling.runs_each and entries:
            depths, _ = _run(context, draw, depth_program(), LogLayout((), ()), True, (x, y))
        fragments = [_read(number, entry, layout, sampling, as_drawn=as_drawn) for number, entry in enumerate(entries)]
        if fragments and can_be_smooth(context):
            with keeping_memory(context):
                shares = coverages(context, draw, (x, y), [item.layer for item in fragments])
            fragments = [replace(item, coverage=share) for item, share in zip(fragments, shares, strict=True)]
    if depths is not None:
        fragments = _with_depths(fragments, depths, sampling.count)
    reads_coverage = sampling.has_places and not sampling.runs_each and _reads_coverage(program)
    return FragmentLog(
        program=program,
        layout=layout,
        fragments=tuple(fragments),
        total=total,
        runs_per_sample=sampling.runs_each,
        reads_targets=_fetches(program),
        reads_mask=reads_coverage and context.state.sample_mask & sampling.every != sampling.every,
        reads_tests=reads_coverage and is_late,
    )


def empty_log(context: ReplayContext) -> FragmentLog:
    """The log of a draw without a fragment at the pixel."""
    program = program_of(context)
    return FragmentLog(program=program, layout=layout_of(program), fragments=(), total=0, runs_per_sample=False)


def _run(
    context: ReplayContext, draw: Draw, program: Program, layout: LogLayout, per_sample: bool, pixel: tuple[int, int]
) -> tuple[list[NDArray[np.uint32]], int]:
    state = context.state
    items = state.fragment.buffers.items
    slot = free_slot(program, items)
    if slot is None:
        raise UnsupportedError.at("B052", "explain: the program uses every BUFFER, and its log needs one", None)
    last = state.last_shader()
    names_views = last is not None and _names_views(last.program)
    scale = state.viewports[0].scale[1] if state.viewports else 1.0
    place = pixel[0], row_of(program, pixel[1], context.targets.framebuffer.height, scale)

    def make() -> Shader:
        return Shader(logged(program, slot, layout, per_sample=per_sample, names_views=names_views), owner=context.screen)

    inward = (-1 if pixel[0] & 1 else 1, -1 if pixel[1] & 1 else 1)
    state.bind(_FRAG, context.made_once(program, ("log", slot, layout, per_sample, names_views), make))
    room = _FIRST
    while True:
        buffer = _buffer(context, HEADER + room * layout.words * 4)
        buffer.storage[:] = 0
        buffer.storage[PLACE : PLACE + 16].view(np.float32)[:] = (*place, *inward)
        state.fragment.buffers.put(slot, Memory(buffer.address, buffer.size, buffer.storage))
        state.memory = object()
        with keeping_memory(context):
            context.draw_again(draw)
        state.fragment.buffers.put(slot, None)
        state.memory = object()
        words = buffer.storage.view(np.uint32)
        total = int(words[0])
        if total <= room or room >= MOST_FRAGMENTS:
            break
        room = min(total, MOST_FRAGMENTS)
    start = HEADER // 4
    count = min(total, room)
    return [words[start + k * layout.words : start + (k + 1) * layout.words].copy() for k in range(count)], total


def _buffer(context: ReplayContext, size: int) -> Resource:
    return context.made_once(context, ("buffer", size), lambda: context.screen.resource_create(target=TextureTarget.BUFFER, width0=size))


def _names_views(program: Program) -> bool:
    return bool(semantics(program, File.OUT) & {"LAYER", "VIEWPORT_INDEX", "VIEWPORT_MASK"})


def _read(number: int, entry: NDArray[np.uint32], layout: LogLayout, sampling: Sampling, *, as_drawn: bool) -> LoggedFragment:
    inputs, outputs = len(layout.inputs), len(layout.outputs)
    sample = int(entry[9]) if sampling.runs_each else -1
    mask = int(entry[8]) & sampling.every
    if not sampling.has_places:
        mask = sampling.every
    if sample >= 0:
        mask = 1 << sample
    sets = entry[FIXED : FIXED + 4 * inputs * (4 if layout.quads else 1)].reshape(-1, inputs, 4) if inputs else None
    z = entry[4:8].view(np.float32)
    return LoggedFragment(
        number=number,
        as_drawn=as_drawn,
        primitive=int(entry[0]),
        is_front=bool(entry[1]),
        layer=int(entry[2]),
        viewport=int(entry[3]),
        position=z,
        sample=sample,
        mask=mask,
        z=np.full(sampling.count, z[2], np.float32),
        inputs=sets[0] if sets is not None else np.zeros((0, 4), np.uint32),
        outputs=entry[len(entry) - 4 * outputs :].reshape(outputs, 4),
        killed_at=int(entry[12]) - 1 if entry[12] else None,
        has_ended=bool(entry[13]),
        quad=sets[1:] if sets is not None and layout.quads else None,
    )


def _with_depths(fragments: list[LoggedFragment], entries: list[NDArray[np.uint32]], count: int) -> list[LoggedFragment]:
    """The fragments with the depth at each covered sample, taken from entries that have one per sample, in the same order."""
    deepened, at = [], 0
    for item in fragments:
        z = item.z.copy()
        for _ in range(item.mask.bit_count()):
            if at < len(entries):
                z[min(int(entries[at][9]), count - 1)] = entries[at][4:8].view(np.float32)[2]
                at += 1
        deepened.append(replace(item, z=z))
    return deepened


@contextmanager
def untouched(
    context: ReplayContext, x: int, y: int, changes: dict[str, Any], *, masks: bool = False, tests: bool = False
) -> Iterator[None]:
    """Bind state in which a draw writes nothing and rejects nothing at one pixel, except by the tests kept; restore the bound state after.

    masks: keep the sample mask. tests: keep depth and stencil tests.
    """
    state, record_ = context.state, context.state.record
    names = ("rasterizer", "blend", "depth_stencil_alpha", "scissors", "window_rectangles", "sample_mask", "stream_targets")
    bound = {name: getattr(state, name) for name in (*names, "count_samples", "count_statistics")}
    shader, interval = state.fragment.shader, record_.interval
    try:
        rasterizer_changes = {"cull_face": Face.NONE, "rasterizer_discard": False, **changes}
        state.rasterizer = context.made_once(
            bound["rasterizer"], (*rasterizer_changes.items(),), lambda: replace(bound["rasterizer"], **rasterizer_changes)
        )
        state.blend = _NO_WRITES
        state.depth_stencil_alpha = _without_writes(bound["depth_stencil_alpha"]) if tests else _NO_TESTS
        size = context.targets.framebuffer
        state.scissors = context.made_once(
            bound["scissors"],
            ("scissors", x, y, size.width, size.height),
            lambda: tuple(_without_scissor(context, box, x, y) for box in _padded(bound["scissors"])),
        )
        state.window_rectangles = (False, ())
        state.sample_mask = bound["sample_mask"] if masks else 0xFFFFFFFF
        state.stream_targets = ()
        state.count_samples = state.count_statistics = False
        record_.interval = 0
        context._choose_stages()
        yield
    finally:
        for name, value in bound.items():
            setattr(state, name, value)
        state.bind(_FRAG, shader)
        record_.interval = interval
        context._choose_stages()


def _without_writes(dsa: DepthStencilAlphaState) -> DepthStencilAlphaState:
    front, back = (replace(face, writemask=0) for face in dsa.stencil)
    return DepthStencilAlphaState(replace(dsa.depth, writemask=False), (front, back))


def _padded(boxes: Sequence[ScissorState]) -> list[ScissorState]:
    return [*boxes, *[ScissorState()] * (MAX_VIEWPORTS - len(boxes))]


def _without_scissor(context: ReplayContext, box: ScissorState, x: int, y: int) -> ScissorState:
    """The scissor, or one that leaves nothing out if this one leaves out the pixel."""
    if box.minx <= x < box.maxx and box.miny <= y < box.maxy:
        return box
    framebuffer = context.targets.framebuffer
    return ScissorState(0, 0, framebuffer.width, framebuffer.height)


@contextmanager
def keeping_memory(context: ReplayContext, *, of_draws: bool = True) -> Iterator[None]:
    """Restore the contents of memory that shaders may write."""
    resources: dict[int, Resource] = {id(item): item for item in context.order.writable(of_draws=of_draws)}
    copies = [(item, item.storage.copy()) for item in resources.values()]
    try:
        yield
    finally:
        for item, data in copies:
            item.storage[:] = data
