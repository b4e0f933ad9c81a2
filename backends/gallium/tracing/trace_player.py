"""The player of a trace: makes its calls on a context of its own, and compares what they read with the recorded digests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backends.device.calls.errors import RecordingError, WordError
from backends.device.calls.row import Does
from backends.device.commands.layout import MAGIC, OLDEST, PREFIX, VERSION, words_after
from backends.gallium.context.core import ContextCore
from backends.gallium.context.recording.decoder import Call
from backends.gallium.context.recording.player import REFUSALS, Player, call_context
from backends.gallium.resource.multisampled import part
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.transfer import TransferMap
from backends.gallium.tracing.content import content_digest, digest_of
from backends.gallium.tracing.watched_targets import ShownTarget, WatchedTargets
from backends.pipe.enums import Transfer
from tgsi.language.record import record

MOST_MEMORY = 1 << 32
"""Limit of the bytes of all resources of a trace, and of one read."""


@record
class Digest:
    """A digest of a played trace.

    Attributes:
        source: the call, or the flushed or checked resource, with its handle.
        value: SHA-256.
        recorded: the digest in the trace, None if it has none.
    """

    source: str
    value: bytes
    recorded: bytes | None

    @property
    def is_same(self) -> bool:
        """True unless the trace has another digest."""
        return self.recorded is None or self.recorded == self.value


_NO_TRACE = "the file is not a trace, as context_create(trace=...) and tgsi-vtest --trace write"


def words_of(data: bytearray) -> memoryview:
    """The words of a stored recording. RecordingError for other data and unsupported versions."""
    if len(data) < PREFIX.size:
        raise RecordingError("the file is empty" if not data else f"{_NO_TRACE}: it has {len(data)} bytes, fewer than a trace's head")
    magic, version, zero = PREFIX.unpack_from(data)
    if magic != MAGIC:
        raise RecordingError(f"{_NO_TRACE}: it begins with {magic!r}, a trace with {MAGIC!r}")
    if not OLDEST <= version <= VERSION or zero:
        raise RecordingError(f"the recording has version {version}.{zero}; this player reads {OLDEST}.0 to {VERSION}.0")
    if len(data) % 4:
        raise RecordingError(f"the recording ends at byte {len(data)}, inside of a word: it was cut off")
    return memoryview(data)[PREFIX.size :].cast("I")


def first_commands(words: memoryview, until: int) -> memoryview:
    """The words of the commands 0 to `until`, or of all."""
    at = number = 0
    while at < len(words) and number <= until:
        at += 1 + words_after(words[at])
        number += 1
    return words[:at]


class TracePlayer:
    """Plays one trace."""

    def __init__(
        self,
        screen: ScreenCore,
        context: ContextCore,
        note: Callable[[Digest], None],
        *,
        digests_flushes: bool = False,
        show: Callable[[ShownTarget], None] | None = None,
        is_native: bool = True,
    ) -> None:
        """Take a context of the screen.

        note: called with each digest. digests_flushes: make digests of the bound targets at each flush, too. show: called with each target
        at each flush and at the end; then, as without `is_native`, every command calls a method.
        """
        self._screen, self._context, self._note, self._digests_flushes = screen, context, note, digests_flushes
        self._targets = WatchedTargets(context, show) if show is not None else None
        self._player = Player(context, is_native=is_native and show is None)
        self._objects: dict[int, Any] = {}
        self._handles: dict[int, int] = {}
        self._memory = 0

    def play(self, data: bytearray, until: int | None = None) -> None:
        """Play a stored recording. RecordingError for an invalid or refused command, after all earlier ones were carried out.

        until: number of the last command that is played; None plays all.
        """
        whole = words_of(data)
        words = whole if until is None else first_commands(whole, until)
        try:
            is_ended = self._player.play(words, self._objects, self._perform, self._forget, PREFIX.size)
        finally:
            if self._targets is not None:
                self._targets.ended()
        if not is_ended and len(words) == len(whole):
            raise RecordingError(f"the recording ends at byte {len(data)} without END: it was cut off, and played up to there")

    def advance(self, commands: bytes | bytearray) -> None:
        """Play the next commands of a recording that is played in parts. No part may begin with a repeated or changed draw.

        RecordingError as from `play`; the command's number counts from the beginning of this part.
        """
        words = memoryview(bytearray(commands)).cast("I")
        self._player.play(words, self._objects, self._perform, self._forget)

    def find(self, handle: int) -> Any:
        """The living object of a handle; None if there is none."""
        return self._objects.get(handle)

    def resources(self) -> dict[int, Resource]:
        """All living resources by handle."""
        return {handle: thing for handle, thing in self._objects.items() if isinstance(thing, Resource) and not thing.is_destroyed}

    # -- objects -------------------------------------------------------------------------------------------------------------
    def _add(self, handle: int, thing: Any) -> None:
        if not handle or handle in self._objects:
            raise WordError(f"{handle} is not a handle for a new object")
        self._objects[handle] = thing
        self._handles[id(thing)] = handle
        self._player.learn(handle, thing)

    def _forget(self, handle: int) -> None:
        thing = self._objects.pop(handle, None)
        if thing is None:
            raise WordError(f"{handle} is not a handle")
        if isinstance(thing, Resource):
            if self._targets is not None:
                self._targets.leaving(thing)
            self._memory -= thing.size
        self._handles.pop(id(thing), None)
        self._player.forget(handle)

    # -- calls ---------------------------------------------------------------------------------------------------------------
    def _perform(self, call: Call) -> None:
        if call.raises:
            self._fail(call)
            return
        result = _PERFORM.get(call.row.does, TracePlayer._plain)(self, call)
        if call.result:
            self._add(call.result, result)
        if self._targets is not None:
            self._targets.note(call, self._handle_of)

    def _fail(self, call: Call) -> None:
        """Repeat a call that was refused during the recording, perhaps after a part of its work."""
        try:
            call_context(self._context, call)
        except REFUSALS:
            return
        raise WordError("it was refused when it was recorded, but is accepted now")

    def _plain(self, call: Call) -> Any:
        return call_context(self._context, call)

    def _creation(self, call: Call) -> Any:
        if not call.result:
            raise WordError("its result has no handle")
        return call_context(self._context, call)

    def _destruction(self, call: Call) -> None:
        call_context(self._context, call)
        for handle in call.handles:
            self._player.ended(handle)

    def _number(self, call: Call) -> None:
        result = call_context(self._context, call)
        if call.has_outcome and call.outcome is not None and result != call.outcome:
            raise WordError(f"its result is {result}, the recorded one is {call.outcome}")

    def _flush(self, call: Call) -> None:
        call_context(self._context, call)
        if self._digests_flushes:
            context: Any = self._context
            context.order.synchronize()
            for target in context.targets.surfaces:
                texture = None if target is None else target.living_texture
                if texture is not None:
                    self._note(Digest(f"flush: {self._name(texture)}", content_digest(texture), None))
        if self._targets is not None:
            self._targets.flushed(self._handle_of)

    def _read(self, call: Call) -> None:
        size = call.given.get("into")
        if not isinstance(size, int) or not 0 <= size <= MOST_MEMORY:
            raise WordError(f"into: {size} is not a number of bytes")
        into = np.zeros(size, np.uint8)
        call_context(self._context, _with(call, into=into))
        self._compare(call, digest_of(into))

    def _map(self, call: Call) -> None:
        mapped: TransferMap = call_context(self._context, _with(call, usage=Transfer.READ))
        digest = digest_of(mapped.data)
        mapped.unmap()
        self._compare(call, digest)

    def _compare(self, call: Call, digest: bytes) -> None:
        resource = call.given.get("resource")
        self._note(Digest(f"{call.row.name}: {self._name(resource)}", digest, _recorded(call)))
        if self._targets is not None:
            self._targets.read(resource, self._handle_of)

    def _name(self, thing: Any) -> str:
        return f"{thing!r}, handle {self._handle_of(thing)}"

    def _handle_of(self, thing: Any) -> int:
        return self._handles.get(id(thing), 0)

    # -- what a trace does beside calls of a context ---------------------------------------------------------------------------
    def _own(self, call: Call) -> Any:
        return _OWN[call.row.name](self, call)

    def _resource_create(self, call: Call) -> Resource:
        if call.args or not call.result:
            raise WordError("expected names, and a handle for the result")
        made = self._screen.resource_create(**call.given)
        self._memory += made.size
        if self._memory > MOST_MEMORY:
            raise WordError(f"the resources need more than {MOST_MEMORY} bytes")
        return made

    def _write_content(self, call: Call) -> None:
        resource, level, sample, data = _arguments(call, Resource, int, int, bytes)
        if not 0 <= level < len(resource.levels) or not 0 <= sample < resource.samples:
            raise WordError(f"level {level}, sample {sample} do not exist")
        plane = resource.blocks(level, sample)
        if len(data) != plane.size:
            raise WordError(f"expected {plane.size} bytes, not {len(data)}")
        self._context.order.finish_uses(resource)
        plane[...] = np.frombuffer(data, np.uint8).reshape(plane.shape)
        resource.changed(level)

    def _write_mapped(self, call: Call) -> None:
        resource, data = _arguments(call, Resource, bytes)
        if set(call.given) != {"level", "box", "usage"}:
            raise WordError("expected level, box and usage")
        box = resource.box(call.given["level"], call.given["box"], "write_mapped")
        if not call.given["usage"] & Transfer.UNSYNCHRONIZED:
            self._context.order.finish_uses(resource)
        for sample in range(resource.samples):
            target = part(resource.blocks(call.given["level"], sample), resource.in_blocks(box))
            if len(data) != target.size:
                raise WordError(f"expected {target.size} bytes, not {len(data)}")
            target[...] = np.frombuffer(data, np.uint8).reshape(target.shape)
        resource.changed(call.given["level"], box)

    def _check_content(self, call: Call) -> None:
        (resource,) = _arguments(call, Resource)
        self._context.order.finish_uses(resource)
        self._note(Digest(f"end: {self._name(resource)}", content_digest(resource), _recorded(call)))


def _recorded(call: Call) -> bytes | None:
    """The recorded digest, or None in a reduced trace."""
    if call.outcome is None and call.has_outcome:
        return None
    if not isinstance(call.outcome, bytes):
        raise WordError("its digest is missing")
    return call.outcome


def _with(call: Call, **given: Any) -> Call:
    changed: Mapping[str, Any] = call.given | given
    return Call(row=call.row, args=call.args, given=dict(changed), outcome=call.outcome, has_outcome=call.has_outcome)


def _arguments(call: Call, *kinds: type) -> tuple[Any, ...]:
    """The positional arguments, checked for these types."""
    if len(call.args) != len(kinds) or not all(isinstance(item, kind) for item, kind in zip(call.args, kinds)):
        raise WordError(f"expected {', '.join(kind.__name__ for kind in kinds)}")
    return call.args


_PERFORM: dict[Does, Callable[[TracePlayer, Call], Any]] = {
    Does.CREATE: TracePlayer._creation,
    Does.DESTROY: TracePlayer._destruction,
    Does.NUMBER: TracePlayer._number,
    Does.READ: TracePlayer._read,
    Does.MAP: TracePlayer._map,
    Does.FLUSH: TracePlayer._flush,
    Does.OWN: TracePlayer._own,
}
_OWN: dict[str, Callable[[TracePlayer, Call], Any]] = {
    "resource_create": TracePlayer._resource_create,
    "write_content": TracePlayer._write_content,
    "write_mapped": TracePlayer._write_mapped,
    "check_content": TracePlayer._check_content,
}
