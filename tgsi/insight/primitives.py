"""Primitives as they reach the rasterizer: clip positions of their corners, captured by stream output, and window coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import Shader
from backends.gallium.context.stream_output import StreamOutputTarget
from backends.pipe.enums import Prim, TextureTarget
from backends.pipe.limits import MAX_VIEWPORTS
from backends.pipe.state import StreamOutput, StreamOutputInfo, ViewportState
from tgsi.insight.replaying import Draw, ReplayContext
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.validation.declared import LINES, corners, registers

_MOST_BYTES = 1 << 28
_ROOM = 1 << 20
NO_PRIMITIVES = {
    Processor.TESS_EVAL: "every patch is culled, by an outer level (TESSOUTER, gl_TessLevelOuter) of 0 or less, or the count is too small",
    Processor.GEOM: "the geometry shader emits no whole one, or none comes to it",
}
"""Reasons why a draw has no primitive, by its last vertex stage."""
f4 = np.float32


@record(eq=False)
class Primitives:
    """Corners of all primitives of a draw, in order.

    positions: (primitives, corners, 4) clip coordinates, or window coordinates with 1/w if `is_window_space`.
    outputs: (primitives, corners, OUT registers, 4) words. viewports: number of each primitive's viewport. windows: the cached result of
    `window_of`, or empty.
    """

    positions: NDArray[np.float32]
    outputs: NDArray[np.uint32]
    viewports: NDArray[np.int64]
    program: Program
    is_window_space: bool
    windows: list[NDArray[np.float64]] = field(default_factory=list)

    @property
    def corners(self) -> int:
        """Corners per primitive: 1 for points, 2 for lines, 3 for triangles."""
        return int(self.positions.shape[1])


def primitives_of(context: ReplayContext, draw: Draw) -> Primitives | None:
    """The primitives of a draw; None for mesh draws, which have no stream output, and for programs without POSITION."""
    state = context.state
    last = state.last_shader()
    if draw.info is None or last is None or last.program.processor is Processor.MESH:
        return None
    outputs = registers(last.program, File.OUT)
    semantics = {d.semantic.name: d.first for d in last.program.declared(File.OUT) if d.semantic is not None}
    if "POSITION" not in semantics:
        return None
    size = corners(last.program, draw.info.mode)
    words = 4 * len(outputs)
    info = StreamOutputInfo((words,), tuple(StreamOutput(r, 0, 4, 0, 4 * k) for k, r in enumerate(outputs)))
    shader = context.made_once(last, ("streams", *outputs), lambda: Shader(last.program, owner=context.screen, stream_output=info))
    room = _ROOM
    while True:
        with _streaming(context, shader, room) as target:
            context.draw_again(draw)
            written, data = target.offset, target.resource.storage[: target.offset].copy()
        if written + 4 * words * size < room or room >= _MOST_BYTES:
            break
        room *= 16
    stream = data.view(np.uint32)
    count = len(stream) // (words * size)
    rows = stream[: count * words * size].reshape(count, size, len(outputs), 4)
    positions = rows[:, :, outputs.index(semantics["POSITION"])].view(f4)
    viewports = np.zeros(count, np.int64)
    if "VIEWPORT_INDEX" in semantics:
        provoking = 0 if state.rasterizer.flatshade_first else size - 1
        numbers = rows[:, provoking, outputs.index(semantics["VIEWPORT_INDEX"]), 0].astype(np.int64)
        viewports = np.where(numbers < 16, numbers, 0)
    return Primitives(positions, rows, viewports, last.program, bool(last.program.property("VS_WINDOW_SPACE_POSITION")))


def has_polygons(context: ReplayContext, draw: Draw) -> bool:
    """True if the draw's primitives are triangles, quads or polygons, which face front or back."""
    last = context.state.last_shader()
    if last is None:
        return False
    if draw.info is None:
        return Prim(last.program.property("MS_OUTPUT_PRIMITIVE", int(Prim.TRIANGLES))) not in {Prim.POINTS, *LINES}
    return corners(last.program, draw.info.mode) == 3


@contextmanager
def _streaming(context: ReplayContext, shader: Shader, room: int) -> Iterator[StreamOutputTarget]:
    """Bind state in which a draw captures the outputs of its last stage by stream output and rasterizes nothing; restore it after."""
    state = context.state
    stage = int(shader.program.processor)
    bound = state.stage[stage].shader, state.stream_targets, state.rasterizer, state.count_samples, state.count_statistics
    interval = state.record.interval
    target = context.made_once(context, ("stream target", room), lambda: _target(context, room))
    target.offset = 0
    resources = {id(item): item for item in context.order.writable(of_draws=True)}
    memory = [(item, item.storage.copy()) for item in resources.values()]
    try:
        state.bind(stage, shader)
        state.rasterizer = context.made_once(bound[2], ("discarding",), lambda: replace(bound[2], rasterizer_discard=True))
        state.count_samples = state.count_statistics = False
        state.record.interval = 0
        state.stream_targets = (target,)
        context._choose_stages()
        yield target
    finally:
        state.bind(stage, bound[0])
        state.stream_targets, state.rasterizer, state.count_samples, state.count_statistics = bound[1:]
        state.record.interval = interval
        context._choose_stages()
        for item, data in memory:
            item.storage[:] = data
        state.forget_target(target)


def _target(context: ReplayContext, room: int) -> StreamOutputTarget:
    return StreamOutputTarget(context._owner, context.screen.resource_create(target=TextureTarget.BUFFER, width0=room), 0, room)


# -- places ------------------------------------------------------------------------------------------------------------------
def window_of(context: Any, primitives: Primitives) -> NDArray[np.float64]:
    """Window coordinates of the corners, (primitives, corners, 3) in float64; not finite where w is 0. context: the draw's context."""
    if not primitives.windows:
        primitives.windows.append(_window(context, primitives))
    return primitives.windows[0]


def _window(context: Any, primitives: Primitives) -> NDArray[np.float64]:
    if primitives.is_window_space:
        return primitives.positions[..., :3].astype(np.float64)
    state = context.state
    viewports = [*state.viewports, *[ViewportState()] * (MAX_VIEWPORTS - len(state.viewports))]
    scales, moves = (np.array([getattr(item, name) for item in viewports], np.float64) for name in ("scale", "translate"))
    which = primitives.viewports
    p = primitives.positions.astype(np.float64)
    with np.errstate(all="ignore"):
        half = 0.0 if state.rasterizer.half_pixel_center else 0.5
        window = p[..., :3] / p[..., 3:] * scales[which][:, None] + moves[which][:, None]
        window[..., :2] += half
    return window


def areas_of(window: NDArray[np.float64]) -> NDArray[np.float64]:
    """Twice the signed areas of triangles in the window; positive if clockwise with y downwards."""
    a, b, c = (window[:, k, :2] for k in range(3))
    with np.errstate(all="ignore"):
        return np.asarray((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1]))
