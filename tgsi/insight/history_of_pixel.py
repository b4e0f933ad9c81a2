"""The history of a pixel: replay the recorded calls and compare the pixel before and after each one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.gallium.context.recording.decoder import Call
from backends.gallium.context.recording.player import REFUSALS
from backends.gallium.resource.resource import Resource
from backends.gallium.screen.screen import Screen
from tgsi.insight.calls import KINDS, reaches, shown_call
from tgsi.insight.culprits import causer_of
from tgsi.insight.doubts import doubts_of, texts_of
from tgsi.insight.events import COMMAND, Event, Fate, Fragment
from tgsi.insight.fragment_log import FragmentLog, LoggedFragment, empty_log, log_fragments
from tgsi.insight.idle import beside_reason, elsewhere_reason, idle_reason
from tgsi.insight.known_findings import KnownFindings
from tgsi.insight.merging import Merger, depth_test_of
from tgsi.insight.moments import at_draw
from tgsi.insight.place import Attachment, Place, attachments, numbers_of, put_words, texel_bytes
from tgsi.insight.primitives import Primitives, has_polygons
from tgsi.insight.reasons import primitives_if_away, reasons_for_nothing
from tgsi.insight.replaying import Draw, Replay
from tgsi.insight.steps import LaneTrace, trace_fragment
from tgsi.language.diagnostics import TgsiError
from tgsi.language.record import record

MOST_READING = 64
"""Most fragments that are computed one by one, for programs that read their targets."""


@record(eq=False)
class PixelHistory:
    """Findings of a replay.

    events: in the order of the calls. resource: its description. ended: why the replay stopped early, or empty.
    value: the pixel's final value. format: the resource's format.
    """

    events: tuple[Event, ...]
    resource: str
    ended: str
    value: tuple[float, ...]
    draws: int


@record(eq=False)
class _Merged:
    """A fragment, its log entry, and the pixel of each target before it, by index; no pixels if the program does not read targets."""

    fragment: Fragment
    item: LoggedFragment
    pixels: tuple[tuple[int, NDArray[np.uint8]], ...] = ()
    layer: int = 0


class PixelWatcher:
    """Replays a recording and collects the events of one pixel.

    logs_quads: log the inputs of the pixel's quad, too.
    """

    logs_quads = False

    def __init__(
        self,
        like: Screen,
        data: bytearray,
        place: Place,
        programs: dict[int, Any] | None = None,
        *,
        is_wanted: Callable[[int], bool] = lambda number: True,
    ) -> None:
        """Take a recording.

        like: the screen whose devices and settings replay it. programs: shaders' programs by handle, with their source texts. is_wanted:
        for the number of a draw's command, True if its fragments are to be examined; other draws have an event only if they change the
        pixel.
        """
        self.place, self._data, self._programs, self._is_wanted = place, data, programs or {}, is_wanted
        self._like = like
        self.replay = Replay(like, self._before, self._after, self._programs)
        self.replay.context.watched.watch = self._draw
        self._events: list[Event] = []
        self._of_call: list[Event] = []
        self._has_draw = False
        self._elsewhere: Event | None = None  # the last draw to other targets
        self._beside: Event | None = None  # a draw to another part of the texture
        self._draws = 0
        self._bytes = b""
        self._marker = self._command = ""
        self._shown = ""
        self._findings = KnownFindings()
        self._unseen: tuple[Event, bytes] | None = None  # a draw away from the pixel, whose bytes were not compared after it yet
        self._known_numbers: dict[tuple[int, bytes], tuple[float, ...]] = {}
        self._last: tuple[str, tuple[float, ...]] = ("", ())

    def run(self) -> PixelHistory:
        """Replay all calls."""
        try:
            ended = self.replay.run(self._data)
            resource = self._resource()
            if resource is not None:
                self._note_end(resource)
            missed = self._beside or self._elsewhere
            if missed is not None and not any(event.kind == "draw" for event in self._events):
                self._events.append(missed)
            return PixelHistory(tuple(self._events), self._last[0], ended, self._last[1], self._draws)
        finally:
            self.replay.close()

    def _resource(self) -> Resource | None:
        resource = self.replay.object_of(self.place.handle)
        return resource if isinstance(resource, Resource) and not resource.is_destroyed else None

    def _note_end(self, resource: Resource) -> None:
        self._look()
        self.replay.context.order.synchronize()
        self._last = repr(resource), self._numbers(resource, texel_bytes(resource, self.place))

    def _numbers(self, resource: Resource, data: bytes) -> tuple[float, ...]:
        numbers = self._known_numbers.get((id(resource), data))  # most draws do not change the pixel
        if numbers is None:
            numbers = self._known_numbers[id(resource), data] = numbers_of(resource.format, data, self.place.sample or 0)
        return numbers

    # -- calls -----------------------------------------------------------------------------------------------------------
    def _before(self, call: Call) -> None:
        if call.row.name == "emit_string_marker":
            text = str(call.args[0] if call.args else call.given.get("text", ""))
            if text.startswith(COMMAND):
                self._command = text.removeprefix(COMMAND)
            else:
                self._marker = text
        resource = self._resource()
        if KINDS.get(call.row.name, "draw") not in ("draw", "resolve"):
            self._findings.note_memory()
        if resource is None or call.row.name not in KINDS:
            self._of_call, self._bytes = [], b""
            return
        if self._unseen is not None and call.row.name == "draw_vbo":
            self._bytes = self._unseen[1]
        else:
            self._look()
            self.replay.context.order.synchronize()
            self._bytes = texel_bytes(resource, self.place)
        self._of_call, self._shown = [], shown_call(call, self.replay.handle_of)

    def _look(self) -> None:
        """Compare the pixel after a draw that lay away from it."""
        unseen, resource, self._unseen = self._unseen, self._resource(), None
        if unseen is None or resource is None:
            return
        self.replay.context.watched.inner.flush()
        event, before = unseen
        now = texel_bytes(resource, self.place)
        if now == before:
            return
        proof = "its primitives lie away from the pixel, which changed"
        changed = replace(event, after=self._numbers(resource, now), wrote=True, proof=proof)
        self._bytes = now
        for events in (self._events, self._of_call):
            events[:] = [changed if item is event else item for item in events]

    def _after(self, call: Call) -> None:
        name, resource = call.row.name, self._resource()
        if resource is None and KINDS.get(name) == "draw":  # frontends create some pictures when they are cleared or read
            self._note_elsewhere(call)
        if resource is None or name not in KINDS or not self._bytes:
            return
        if self._unseen is not None:
            self._events += self._of_call
            return
        self.replay.context.order.synchronize()
        now = texel_bytes(resource, self.place)
        if self._of_call:
            self._events += self._of_call
            if now == self._bytes or self._of_call[-1].wrote:
                return
        wrote = now != self._bytes or reaches(self.replay.context, call, resource, self.place)
        if wrote:
            before, after = (self._numbers(resource, data) for data in (self._bytes, now))
            event = Event(self.replay.number, self._shown, KINDS[name], before=before, after=after, wrote=True)
            self._events.append(replace(event, marker=self._marker, command=self._command))
        elif not self._of_call:
            self._note_idle(call, resource)

    def _note_idle(self, call: Call, resource: Resource) -> None:
        """Note a call that could have written the pixel but did not, with the reason."""
        context, kind = self.replay.context, KINDS[call.row.name]
        event = Event(self.replay.number, self._shown, kind, marker=self._marker, command=self._command)
        if reason := idle_reason(context, call, resource, self.place):
            self._events.append(replace(event, reasons=(reason,)))
        elif kind == "draw" and (reason := beside_reason(context, resource, self.place)):
            self._beside = replace(event, reasons=(reason,))
        elif kind == "draw":
            self._note_elsewhere(call, resource)

    def _note_elsewhere(self, call: Call, resource: Resource | None = None) -> None:
        """Remember a draw to other targets, until one goes to the pixel's."""
        if not self._has_draw and (reason := elsewhere_reason(self.replay.context, resource)):
            shown = shown_call(call, self.replay.handle_of)
            event = Event(self.replay.number, shown, "draw", marker=self._marker, command=self._command, reasons=(reason,))
            self._elsewhere = event

    # -- draws -----------------------------------------------------------------------------------------------------------
    def _draw(self, draw: Draw, carry_out: Callable[[], Sequence[str]]) -> Sequence[str]:
        number, self._draws = self._draws, self._draws + 1
        context, resource, place = self.replay.context, self._resource(), self.place
        surfaces = attachments(context, resource, place) if resource is not None and self._bytes else []
        if not surfaces or resource is None or not self._is_wanted(self.replay.number):
            self._look()
            return carry_out()
        self._has_draw = True
        event = Event(self.replay.number, self._shown, "draw", draw=number, marker=self._marker, command=self._command)
        merger, is_away = None, False
        try:
            away = primitives_if_away(context, draw, place)  # also carries out the draw before
            self._look()
            context.watched.inner.flush()
            before = texel_bytes(resource, place)
            is_away = away is not None and self._has_plain_targets()
            if away is not None and is_away:
                event = self._event_away(draw, event, away, self._numbers(resource, before))
            else:
                merger, event = self._fragments(draw, surfaces[0], event, away)
        except REFUSALS as error:  # the player would mistake it for a refused call
            context.watched.inner.flush()
            event, before, is_away = replace(event, proof=_error(error)), texel_bytes(resource, place), False
        if is_away:
            self._of_call.append(event)
            self._unseen = event, before
            faults = carry_out()
            if self._findings.writes:  # `primitives_if_away` takes back what shaders store
                self._look()
            return faults
        faults = carry_out()
        context.watched.inner.flush()
        after = texel_bytes(resource, place)
        proof = event.proof or (merger.differences() if merger is not None else "")
        numbers = [self._numbers(resource, data) for data in (before, after)]
        wrote = after != before or any(s.fate is Fate.PASSED and self._counts(s.sample) for f in event.fragments for s in f.samples)
        self._of_call.append(replace(event, before=numbers[0], after=numbers[1], wrote=wrote, proof=proof))
        return faults

    def _has_plain_targets(self) -> bool:
        """True if no surface has samples of its own, which are resolved after the draw."""
        return not any(surface is not None and surface.own is not None for surface in self.replay.context.targets.surfaces)

    def _event_away(self, draw: Draw, event: Event, away: Primitives, value: tuple[float, ...]) -> Event:
        """The event of a draw none of whose primitives reaches the pixel. value: of the pixel."""
        state, targets = self.replay.context.state, self.replay.context.targets
        missing, doubts = texts_of(self._findings.of_draw(self.replay.context, draw), has_fragments=False)
        depth_func, writes_depth = depth_test_of(state.depth_stencil_alpha, targets.framebuffer.zsbuf)
        return Event(
            *(event.number, event.call, event.kind),
            draw=event.draw,
            before=value,
            after=value,
            reasons=tuple(reasons_for_nothing(self.replay.context, draw, self.place, away)),
            missing=missing,
            doubts=doubts,
            depth_func=depth_func,
            writes_depth=writes_depth,
            marker=event.marker,
            command=event.command,
        )

    def _counts(self, sample: int) -> bool:
        return self.place.sample is None or self.place.sample == sample

    def _fragments(self, draw: Draw, attachment: Attachment, event: Event, away: Primitives | None) -> tuple[Merger | None, Event]:
        """The fragments of a draw, with their fates; or reasons why there are none. away: primitives that do not reach the pixel."""
        context, place = self.replay.context, self.place
        try:
            log = empty_log(context) if away is not None else self._log(draw)
        except TgsiError as error:
            return None, replace(event, proof=f"its fragments cannot be logged: {error}")
        if log.total > len(log.fragments):
            return None, replace(event, proof=f"it has {log.total} fragments here, more than are told apart")
        is_polygon = has_polygons(context, draw)
        merger = Merger(context, attachment, place.x, place.y, log, is_polygon=is_polygon)
        shader = context.state.fragment.shader
        shown = None if shader is None else self._programs.get(self.replay.handle_of(shader))
        if shown is not None:
            merger.facts.show(shown)
        if log.fragments and (log.reads_targets or log.reads_tests):
            merger, merged = self._one_by_one(draw, attachment, log, is_polygon)
        else:
            merged = [_Merged(self._merge(draw, merger, log, item), item) for item in log.fragments]
        fragments = [item.fragment for item in merged]
        if event.draw is not None:
            fragments = [replace(item.fragment, tracer=partial(self._trace, event.draw, item, shown)) for item in merged]
        missing, doubts = texts_of(self._findings.of_draw(context, draw), has_fragments=bool(fragments))
        reasons: tuple[str, ...] = ()
        if not fragments:
            reasons = tuple(reasons_for_nothing(context, draw, place, away))
        elif passed := [number for number, item in enumerate(fragments) if item.fate is Fate.PASSED]:
            number = passed[-1]
            item = merged[number].item
            cause = causer_of(context, attachment, log, item, shown, fragments[number].trace)
            fragments[number] = replace(fragments[number], causer=cause)
            doubts = (*doubts_of(context, attachment, log, item), *doubts)
        else:
            doubts = ()
        depth_func, writes_depth = merger.depth_test
        event = replace(event, fragments=tuple(fragments), missing=missing, reasons=reasons, doubts=doubts)
        return merger, replace(event, depth_func=depth_func, writes_depth=writes_depth)

    def _log(self, draw: Draw, *, as_drawn: bool = False) -> FragmentLog:
        """The fragments of a draw, computed with the samples that survive the sample mask."""
        context, place = self.replay.context, self.place
        log = log_fragments(context, draw, place.x, place.y, quads=self.logs_quads, as_drawn=as_drawn)
        if not log.reads_mask or as_drawn:
            return log
        drawn = self._log(draw, as_drawn=True)
        return replace(log, fragments=tuple(_as_drawn(log, number, drawn) for number in range(len(log.fragments))))

    def _merge(self, draw: Draw, merger: Merger, log: FragmentLog, item: LoggedFragment) -> Fragment:
        """Merge a fragment and return its fate."""
        return merger.merge(item)

    def _one_by_one(self, draw: Draw, attachment: Attachment, log: FragmentLog, is_polygon: bool) -> tuple[Merger, list[_Merged]]:
        """The same for a program that reads its targets: log each fragment with the pixel as the earlier fragments left it."""
        context, place = self.replay.context, self.place
        targets = [Attachment(k, attachment.layer, s) for k, s in enumerate(context.targets.framebuffer.cbufs) if s is not None]
        zs = context.targets.framebuffer.zsbuf
        if attachment.index < 0:
            targets.append(attachment)
        elif zs is not None:
            targets.append(Attachment(-1, attachment.layer, zs))
        mergers = [Merger(context, item, place.x, place.y, log, is_polygon=is_polygon) for item in targets]
        words_before = [merger.pixel.color.copy() for merger in mergers]
        merged: list[_Merged] = []
        watched = next(k for k, item in enumerate(targets) if item.index == attachment.index)
        for number in range(min(len(log.fragments), MOST_READING)):
            for merger in mergers:
                merger.put()
            if number and log.reads_targets:
                log = self._log(draw)
            item = log.fragments[number]
            if log.reads_tests:
                item = _as_drawn(log, number, self._log(draw, as_drawn=True))
            pixels = tuple((target.index, merger.pixel.color.copy()) for target, merger in zip(targets, mergers))
            merged.append(_Merged([self._merge(draw, merger, log, item) for merger in mergers][watched], item, pixels, attachment.layer))
        for target, data in zip(targets, words_before):
            put_words(target.surface, target.layer, place.x, place.y, data)
        return mergers[watched], merged

    def _trace(self, draw: int, merged: _Merged, shown: Any) -> LaneTrace:
        place = self.place

        def trace(replay: Replay, draw: Draw) -> LaneTrace:
            framebuffer, layer = replay.context.targets.framebuffer, merged.layer
            for index, data in merged.pixels:
                surface = framebuffer.zsbuf if index < 0 else framebuffer.cbufs[index]
                if surface is not None:
                    put_words(surface, layer, place.x, place.y, data)
            item = merged.item
            return trace_fragment(replay.context, draw, place.x, place.y, item.number, shown, as_drawn=item.as_drawn)

        return at_draw(self._like, self._data, draw, trace, self._programs)


def _error(error: BaseException) -> str:
    return f"an error of this package: {type(error).__name__}: {error}"


def _as_drawn(log: FragmentLog, number: int, drawn: FragmentLog) -> LoggedFragment:
    """Fragment `number` computed with the surviving samples, whose mask and centroid its program reads; as logged if none survives."""
    item, key = log.fragments[number], _key(log.fragments[number])
    same = [other for other in drawn.fragments if _key(other) == key and not other.mask & ~item.mask]
    if not same:
        return item
    earlier = sum(_key(other) == key for other in log.fragments[:number])
    other = same[min(earlier, len(same) - 1)]
    return replace(other, mask=item.mask, z=item.z, coverage=item.coverage)


def _key(item: LoggedFragment) -> tuple[object, ...]:
    """Facts that identify a fragment across logs. Coinciding instances may share them."""
    return item.primitive, item.sample, item.is_front, item.layer, item.viewport, item.position.tobytes()
