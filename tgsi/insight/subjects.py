"""Explanations of vertices, primitives and invocations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from backends.gallium.context.recording.decoder import Call
from backends.gallium.screen.screen import Screen
from backends.gallium.tracing.history import Recorded
from backends.pipe.enums import Face
from tgsi.insight.doubts import unfed_attributes
from tgsi.insight.explanation import Explanation
from tgsi.insight.moments import at_draw, at_grid, counts_of
from tgsi.insight.primitives import Primitives, areas_of, primitives_of, window_of
from tgsi.insight.replaying import Draw, Replay
from tgsi.insight.steps import LaneTrace, trace_thread, trace_vertex
from tgsi.insight.whereabouts import classes_of, planes_of
from tgsi.insight.wording import numbers
from tgsi.language.facts.enums import File


def number_of(chosen: int | None, count: int, name: str, what: str) -> int:
    """An index from 0 among `count` items; negative ones count from the end, None is the last. ValueError: no such item."""
    if not count:
        raise ValueError(f"{name}: {what}: none is recorded")
    number = count - 1 if chosen is None else chosen + count if chosen < 0 else chosen
    if not 0 <= number < count:
        raise ValueError(f"{name}: {what}: {chosen} does not exist; {count} are recorded, 0 to {count - 1}")
    return number


def vertex(like: Screen, recorded: Recorded, index: int, instance: int, draw: int | None) -> Explanation:
    """See `Context.explain_vertex`."""
    name = "explain_vertex"
    number = number_of(draw, counts_of(like, recorded.data)[0], name, "draw")

    def act(replay: Replay, drawn: Draw) -> tuple[LaneTrace, str, tuple[str, ...]]:
        context = replay.context
        shader = context.state.vertex.shader
        shown = None if shader is None else recorded.programs.get(replay.handle_of(shader))
        trace = trace_vertex(context, drawn, index, instance, shown)
        position = _position(trace, None if shader is None else shader.program)
        return trace, "" if position is None else _place_of(context, position), unfed_attributes(context.state)

    trace, place, missing = at_draw(like, recorded.data, number, act, recorded.programs)
    subject = f"vertex {index}, instance {instance} of draw {number}"
    if not trace.has_run:
        return Explanation("it is not in the draw", f"draw {number} shades no vertex {index} of instance {instance}.", subject)
    sentence = f"{place}{'; ' + missing[0] if missing else ''}." if place else "Its shader writes no POSITION."
    return Explanation("it was shaded", sentence, subject, lines=(*trace.lines(), *(f"missing: {item}" for item in missing)))


def _position(trace: LaneTrace, program: Any) -> np.ndarray[Any, np.dtype[np.float32]] | None:
    if program is None:
        return None
    for d in program.declared(File.OUT):
        if d.semantic is not None and d.semantic.name == "POSITION":
            words = trace.outputs().get(f"OUT[{d.first}]")
            return None if words is None else np.array(words, np.uint32).view(np.float32)
    return None


def _place_of(context: Any, position: np.ndarray[Any, np.dtype[np.float32]]) -> str:
    """A clip position in words: inside or outside the view volume, and its window coordinates."""
    text = f"Its position is {numbers(position.tolist())}"
    if not np.isfinite(position).all():
        return f"{text}, which is not finite: primitives with it are dropped"
    if position[3] == 0:
        return f"{text}: w is 0, so it lies nowhere"
    outside = [reason for reason, plane in planes_of(context) if float(position @ np.array(plane, np.float32)) < 0]
    single = Primitives(position.reshape(1, 1, 4), np.zeros((1, 1, 0, 4), np.uint32), np.zeros(1, np.int64), None, False)  # type: ignore[arg-type]
    window = window_of(context, single)[0, 0]
    where = f"it lies {' and '.join(outside)}" if outside else "it lies in the view"
    return f"{text}, in the window {numbers(window.tolist())}: {where}"


def primitive(like: Screen, recorded: Recorded, index: int, instance: int, draw: int | None) -> Explanation:
    """See `Context.explain_primitive`."""
    name = "explain_primitive"
    number = number_of(draw, counts_of(like, recorded.data)[0], name, "draw")

    def act(replay: Replay, drawn: Draw) -> Explanation:
        context = replay.context
        all_of_it = primitives_of(context, drawn)
        if all_of_it is None:
            raise ValueError(f"{name}: draw {number} is a draw of meshes, or its last shader writes no POSITION")
        instances = drawn.info.instance_count if drawn.info is not None else 1
        each, rest = divmod(len(all_of_it.positions), max(instances, 1))
        place = index if rest else index + instance * each
        limit = len(all_of_it.positions) if rest else each
        if not 0 <= index < limit or not 0 <= instance < max(instances, 1):
            raise ValueError(f"{name}: draw {number} has no primitive {index} of instance {instance}, but {limit} in each of {instances}")
        return _shown_primitive(context, all_of_it, place, f"primitive {index}, instance {instance} of draw {number}")

    return at_draw(like, recorded.data, number, act, recorded.programs)


def _shown_primitive(context: Any, primitives: Primitives, place: int, subject: str) -> Explanation:
    one = replace(primitives, positions=primitives.positions[place : place + 1], viewports=primitives.viewports[place : place + 1])
    window = window_of(context, one)
    lines = [
        f"corner {k}: clip {numbers(one.positions[0, k].tolist())}, window {numbers(window[0, k].tolist())}" for k in range(one.corners)
    ]
    reason = next((reason for reason, mask in classes_of(context, one) if mask[0]), "")
    r = context.state.rasterizer
    if reason:
        verb, _, rest = reason.partition(" ")
        return Explanation("it is not seen", f"Its corners {verb} {rest}.", subject, lines=tuple(lines))
    crossed = [reason for reason, plane in planes_of(context) if ((one.positions[0] @ np.array(plane, np.float32)) < 0).any()]
    low, high = window[0, :, :2].min(axis=0), window[0, :, :2].max(axis=0)
    text = f"It lies at columns {low[0]:.2f} to {high[0]:.2f} and rows {low[1]:.2f} to {high[1]:.2f}"
    if one.corners == 3:
        area = float(areas_of(window)[0])
        is_front = (area < 0) == r.front_ccw
        facing, side = (Face.FRONT, "front") if is_front else (Face.BACK, "back")
        lines.append(f"area {abs(area) / 2:.6g} pixels, facing {side} (front_ccw is {r.front_ccw})")
        if (one.positions[..., 3] > 0).all() and r.cull_face & facing:
            sentence = f"It faces {side}, and cull_face is {r.cull_face.name}."
            return Explanation("it is culled", sentence, subject, lines=tuple(lines))
    if crossed:
        return Explanation("it is clipped", f"{text}; a part lies {' and '.join(crossed)}.", subject, lines=tuple(lines))
    return Explanation("it is in view", f"{text}.", subject, lines=tuple(lines))


def invocation(like: Screen, recorded: Recorded, thread: Sequence[int], block: Sequence[int], grid: int | None) -> Explanation:
    """See `Context.explain_invocation`."""
    name = "explain_invocation"
    number = number_of(grid, counts_of(like, recorded.data)[1], name, "grid")

    def act(replay: Replay, call: Call) -> LaneTrace:
        shader = replay.context._compute_shader
        shown = None if shader is None else recorded.programs.get(replay.handle_of(shader))
        return trace_thread(replay.context, call, thread, block, shown)

    trace = at_grid(like, recorded.data, number, act, recorded.programs)
    subject = f"thread {tuple(thread)} of block {tuple(block)} of grid {number}"
    if not trace.has_run:
        raise ValueError(f"{name}: grid {number} has no thread {tuple(thread)} in block {tuple(block)}")
    stores = sum(step.writes_memory for step in trace.steps)
    sentence = f"It ran {trace.total} steps, {stores} of which write memory."
    return Explanation("it ran", sentence, subject, lines=tuple(trace.lines()))
