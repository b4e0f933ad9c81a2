"""Answers to `Context.explain`, `explain_vertex`, `explain_primitive` and `explain_invocation`, and the recordings behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from backends.gallium.context.context import Context
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import Surface
from backends.gallium.screen.limited import limited
from backends.gallium.screen.screen import Screen
from backends.gallium.tracing.history import DEFAULT_BYTES, HistoryContext, Recorded
from backends.pipe.checks import integer, sequence
from tgsi.insight import subjects
from tgsi.insight.explanation import Explanation
from tgsi.insight.history_of_pixel import PixelWatcher
from tgsi.insight.place import Place, size_of
from tgsi.insight.replaying import Replay
from tgsi.insight.wording import verdict_of


def capture(context: Context, memory: int | None) -> Any:
    """See `Context.capture`."""
    most = DEFAULT_BYTES if memory is None else integer(memory, "capture: memory", 1 << 16, 1 << 40)
    if context.is_observed:
        raise ValueError("capture: the calls of this context are recorded already; call explain at once")
    return _capture(context, most)


@contextmanager
def _capture(context: Any, most: int) -> Iterator[None]:
    plain = type(context)
    kind: type[Context] = limited(HistoryContext) if context.screen.time_limit is not None else HistoryContext
    record = context.state.record
    python = record.python
    context.__class__ = kind
    context.begin_history(most)
    try:
        yield
    finally:
        if not context.is_destroyed:
            context._captured = context.recorded_parts()
            context._tracer.close()
            context.__class__ = plain
            record.python = python


def recordings(context: Any, name: str) -> list[Recorded]:
    """The recorded calls of a context, the latest part first. Raises RuntimeError, beginning with `name`, if nothing was recorded."""
    parts: list[Recorded] = context.recorded_parts() if isinstance(context, HistoryContext) else context._captured
    if not parts:
        raise RuntimeError(
            f"{name}: no calls are recorded; make the screen with tgsi.Screen(history=True), or draw inside of `with ctx.capture():`"
        )
    return parts


def explain(context: Any, x: int, y: int, sample: int | None, layer: int, target: Any) -> Explanation:
    """See `Context.explain`."""
    name = "explain"
    parts = recordings(context, name)
    resource, level, first = _target(context, target)
    width, height, layers = size_of(resource, level)
    for value, most, what in ((x, width, "x"), (y, height, "y"), (layer, layers - first, "layer")):
        if not 0 <= integer(value, f"{name}: {what}", -(1 << 31)) < most:
            raise ValueError(
                f"{name}: {what}: {value} is outside of the target, whose level {level} is {width} x {height}, {layers} layers"
            )
    if sample is not None:
        integer(sample, f"{name}: sample", 0, resource.samples - 1)
    _refuse_loss(parts[0], name)
    explanation: Explanation | None = None
    for recorded in parts:
        handle = recorded.handles.get(id(resource))
        if handle is None:
            continue
        part = explain_recording(context.screen, recorded, Place(handle, level, first + layer, x, y, sample))
        explanation = part if explanation is None else _joined(part, explanation)
    if explanation is not None:
        return explanation
    raise RuntimeError(f"{name}: no recorded call names {resource!r}; {_others(context.screen, parts[0], resource)}")


def _others(screen: Screen, recorded: Recorded, resource: Resource) -> str:
    """The targets that draws used instead of a resource, with advice."""
    targets = targets_of(screen, recorded.data)
    if not targets:
        return "draw to it while calls are recorded"
    width, height, *_, samples = targets[next(reversed(targets))]
    target = f"draws went to another target, {width} x {height}"
    if samples > 1 and resource.samples == 1:
        return f"{target} with {samples} samples: resolve it with blit(texture, src=target), or explain(target=target)"
    return f"{target}: bind this one (set_framebuffer_state), or name the other one, explain(target=...)"


def _refuse_loss(recorded: Recorded, name: str) -> None:
    if recorded.lost:
        raise RuntimeError(
            f"{name}: the calls since the last flush need {len(recorded.data) + recorded.lost} bytes, more than there is room for; "
            "give more history_memory to the Screen, or memory to capture, or flush more often"
        )


def _joined(old: Explanation, new: Explanation) -> Explanation:
    """One explanation of two consecutive recordings. The newer recording begins with the contents at the end of the older one."""
    later = new.events[1:] if new.events and new.events[0].kind == "upload" else new.events
    events = (*old.events, *later)
    verdict, sentence = verdict_of(events)
    return Explanation(verdict, sentence, new.subject, events=events, notes=tuple(dict.fromkeys((*old.notes, *new.notes))))


def _target(context: Any, target: Any) -> tuple[Resource, int, int]:
    """The resource, the level, and the first layer of a target."""
    name = "explain: target"
    if target is None or isinstance(target, int):
        surfaces = context.targets.surfaces
        colors, depth = context.targets.cbufs, context.targets.zsbuf
        if target is not None:
            number = integer(target, name, 0)
            surface = colors[number] if number < len(colors) else None
            if surface is None:
                raise ValueError(f"{name}: no color buffer {number} is bound; there are {len(colors)}")
        else:
            surface = next((item for item in surfaces if item is not None), depth)
            if surface is None:
                raise ValueError(f"{name}: no target is bound; name a resource, such as explain(x, y, target=texture)")
        target = surface
    if isinstance(target, Surface):
        texture = target.living_texture
        if texture is None:
            raise ValueError(f"{name}: its texture is gone")
        return texture, target.level, target.first_layer
    if not isinstance(target, Resource):
        raise TypeError(f"{name}: a Resource, a Surface or a number is wanted, not {type(target).__name__}")
    if target.is_buffer:
        raise ValueError(f"{name}: {target!r} is a buffer, which has no pixels")
    return target, 0, 0


def _latest(context: Any, name: str) -> Recorded:
    latest = recordings(context, name)[0]
    _refuse_loss(latest, name)
    return latest


def explain_vertex(context: Any, vertex: int, instance: int, draw: int | None) -> Explanation:
    """See `Context.explain_vertex`."""
    name = "explain_vertex"
    places = [integer(value, f"{name}: {what}", -(1 << 31)) for value, what in ((vertex, "vertex"), (instance, "instance"))]
    return subjects.vertex(context.screen, _latest(context, name), places[0], places[1], _optional(draw, f"{name}: draw"))


def explain_primitive(context: Any, primitive: int, instance: int, draw: int | None) -> Explanation:
    """See `Context.explain_primitive`."""
    name = "explain_primitive"
    places = [integer(value, f"{name}: {what}", -(1 << 31)) for value, what in ((primitive, "primitive"), (instance, "instance"))]
    return subjects.primitive(context.screen, _latest(context, name), places[0], places[1], _optional(draw, f"{name}: draw"))


def explain_invocation(context: Any, thread: Any, block: Any, grid: int | None) -> Explanation:
    """See `Context.explain_invocation`."""
    name = "explain_invocation"
    triples = []
    for position, what in ((thread, "thread"), (block, "block")):
        items = [position] if isinstance(position, int) else list(sequence(position, f"{name}: {what}"))
        if not 1 <= len(items) <= 3:
            raise ValueError(f"{name}: {what}: up to three numbers, x, y and z, are wanted, not {len(items)}")
        triples.append([integer(item, f"{name}: {what}", 0, (1 << 32) - 1) for item in (*items, 0, 0)[:3]])
    return subjects.invocation(context.screen, _latest(context, name), triples[0], triples[1], _optional(grid, f"{name}: grid"))


def _optional(value: int | None, name: str) -> int | None:
    return None if value is None else integer(value, name, -(1 << 31))


def explain_trace(
    like: Screen,
    data: bytearray,
    x: int,
    y: int,
    *,
    layer: int = 0,
    sample: int | None = None,
    target: int | None = None,
    is_wanted: Callable[[int], bool] = lambda number: True,
) -> Explanation:
    """The history of a pixel of a trace.

    target: handle of a texture, as `printed` shows it; None: the last bound target. is_wanted: see `PixelWatcher`.

    Raises:
        RecordingError: the data are not a trace.
        ValueError: no target was ever bound, or the pixel lies outside the target; the message names the target's size.
    """
    targets = targets_of(like, data)
    if target is None:
        if not targets:
            raise ValueError("explain: the trace never binds a target; name one by its handle")
        target = next(reversed(targets))
    if target not in targets:
        names = ", ".join(f"{handle} ({size[0]} x {size[1]})" for handle, size in targets.items())
        raise ValueError(f"explain: handle {target} was never a target; targets are {names or 'none'}")
    width, height, level, first, layers, samples = targets[target]
    for value, most, what in ((x, width, "x"), (y, height, "y"), (layer, layers, "layer"), (sample or 0, samples, "sample")):
        if not 0 <= value < most:
            raise ValueError(f"explain: {what}: {value} is outside of the target, {width} x {height}, {layers} layers, {samples} samples")
    recorded = Recorded(data, {}, {}, (), 0, True)
    return explain_recording(like, recorded, Place(target, level, first + layer, x, y, sample), is_wanted=is_wanted)


def targets_of(like: Screen, data: bytearray) -> dict[int, tuple[int, int, int, int, int, int]]:
    """The first bound color buffers (or depth buffers) by handle, the last one last: width, height, level, layer, layers, samples."""
    targets: dict[int, tuple[int, int, int, int, int, int]] = {}

    def note(call: Any) -> None:
        if call.row.name != "set_framebuffer_state":
            return
        surface = next((item for item in replay.context.targets.surfaces if item is not None), None)
        texture = None if surface is None else surface.living_texture
        if surface is not None and texture is not None:
            handle = replay.handle_of(texture)
            targets.pop(handle, None)
            layers = surface.last_layer - surface.first_layer + 1
            targets[handle] = surface.width, surface.height, surface.level, surface.first_layer, layers, texture.samples

    replay = Replay(like, lambda call: None, note)
    try:
        replay.run(data)
    finally:
        replay.close()
    return targets


def explain_recording(
    like: Screen, recorded: Recorded, place: Place, *, is_wanted: Callable[[int], bool] = lambda number: True
) -> Explanation:
    """The history of a pixel of a recording. like: the screen whose devices and settings replay it."""
    watched = PixelWatcher(like, recorded.data, place, recorded.programs, is_wanted=is_wanted).run()
    verdict, sentence = verdict_of(watched.events)
    notes = [f"the recording lacks {gap}" for gap in recorded.gaps[:8]]
    if not recorded.is_whole:
        notes.append("the recording begins in the middle of the program's work; earlier calls are not known")
    if watched.ended:
        notes.append(f"the recording could not be played to its end: {watched.ended}")
    where = f", sample {place.sample}" if place.sample is not None else ""
    where += f", level {place.level}" if place.level else ""
    where += f", layer {place.layer}" if place.layer else ""
    subject = f"pixel ({place.x}, {place.y}){where} of {watched.resource or 'a resource that is gone'}"
    return Explanation(verdict, sentence, subject, events=watched.events, notes=tuple(notes))
