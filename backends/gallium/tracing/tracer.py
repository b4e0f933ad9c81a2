"""The tracer: writes a command for each call of a context, and the content of each resource at its first mention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import c_int32
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import Shader
from backends.device.calls.errors import Unwritable
from backends.device.calls.row import Does, Row
from backends.device.calls.table import CALLS
from backends.device.commands.bound_record import BoundRecord
from backends.device.commands.layout import RAISES, Command, pack
from backends.gallium.context.core import ContextCore
from backends.gallium.context.query_kinds import QUERY_KINDS
from backends.gallium.context.recording.encoder import Encoder, Piece
from backends.gallium.context.recording.handles import OBJECTS, Handles
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.transfer import TransferMap, as_bytes
from backends.gallium.tracing.command_store import CommandStore
from backends.gallium.tracing.content import box_bytes, content_digest, digest_of, planes
from backends.gallium.tracing.known_words import KnownWords
from backends.gallium.tracing.mapped_words import mapped_words
from backends.pipe.enums import QueryType, Transfer

Function = Callable[..., Any]
_TIMED = {QueryType.TIMESTAMP, QueryType.TIMESTAMP_DISJOINT, *(kind for kind, row in QUERY_KINDS.items() if row.is_timed)}
"""Kinds of queries whose results differ from run to run."""
_UNSYNCHRONIZED = Transfer.UNSYNCHRONIZED.value
_WRITE = Transfer.WRITE.value
_COMPARED = (Transfer.READ | Transfer.UNSYNCHRONIZED | Transfer.PERSISTENT).value
_QUERY_TO_BUFFER = "get_query_result_resource"


class Tracer:
    """Records the calls of one context.

    Attributes:
        maps: open mappings for writing, with their bytes as last recorded (None: not compared), these bytes as an array if they are mapped
            in place, the handle of the resource, and the usage that a player needs.
    """

    def __init__(self, context: ContextCore, store: CommandStore) -> None:
        """store: takes the commands."""
        self._context, self._file = context, store
        self._record = context.state.record
        self._ended: list[int] = []
        self._words: list[KnownWords] = []  # of a recording whose calls generated code writes
        upcoming = c_int32.from_buffer(self._record, BoundRecord.recorded_next.offset)
        self._handles = Handles(partial(_note_end, self._ended, self._words), upcoming)
        self._encoder = Encoder(self._handle_of, context._checked_draw, repeats_draws=False)
        self._bare_flush = self._encoder.pieces("flush", (), {})
        self.is_closed = False
        self.maps: dict[TransferMap, tuple[bytes | None, NDArray[Any] | None, int, int]] = {}
        self._file.let_entries(True)

    @property
    def _is_inside(self) -> bool:
        """True while a recorded call runs. Generated code sets it, too."""
        return bool(self._record.is_inside_call)

    @_is_inside.setter
    def _is_inside(self, is_inside: bool) -> None:
        self._record.is_inside_call = is_inside

    # -- calls ---------------------------------------------------------------------------------------------------------------
    def call(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        """Make a call and record it. Nested calls on the same context are not recorded."""
        if self._is_inside or self.is_closed:
            return function(self._context, *args, **given)
        self._is_inside = True
        self._file.let_entries(False)
        try:
            if self.maps or self._ended:
                self._catch_up()
            return self._act(method, function, args, given)
        finally:
            self._is_inside = False
            self._file.let_entries(self._lets_entries())

    def _lets_entries(self) -> bool:
        """True if native entries may append calls, because no mapping or ended object has to be checked before a call."""
        return not self.maps

    def _act(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        act: Callable[..., Any] = getattr(self, _KINDS.get(method.does, "_plain"))
        return act(method, function, args, given)

    def _plain(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        """Record a call whose result is irrelevant."""
        made = self._written(method, args, given, is_fixed=True)
        if self._words and method.is_recorded_alone:
            self._words[0].learn(args)
            self._words[0].learn(given)
        try:
            result = function(self._context, *args, **given)
        except Exception:
            self._file.write(self._encoder.call(method.name, args, given, flags=RAISES))
            raise
        self._file.write(*made)
        self._file.forget_draw()
        if method.name == _QUERY_TO_BUFFER:
            self._record_time(method.named(args, given))
        return result

    def _record_time(self, named: dict[str, Any]) -> None:
        """Record the bytes written by the result of a query whose value varies from run to run."""
        if named["query"].kind in _TIMED:
            resource, offset = named["resource"], int(named.get("offset", 0))
            data = resource.blocks(0)[0, 0, offset : offset + 8].tobytes()
            self._file.write(*self._encoder.pieces("write_mapped", (resource, data), {"level": 0, "box": (offset, len(data)), "usage": 0}))

    def _creation(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        upcoming = 0
        while upcoming != self._handles.upcoming:  # a resource that is named for the first time takes a handle
            upcoming = self._handles.upcoming
            made = self._written(method, args, given, result=upcoming)
        result = function(self._context, *args, **given)
        self._handles.add(result)
        self._file.write(*made)
        return result

    def _destruction(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> None:
        self._plain(method, function, args, given)
        for thing in (*args, *given.values()):
            self._handles.remove(thing)

    def _number(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        """Record a call whose result is the same in every run, except for clocks."""
        self._written(method, args, given)
        result = function(self._context, *args, **given)
        query = args[0] if args else given.get("query")
        is_timed = method.name == "get_query_result" and getattr(query, "kind", None) in _TIMED
        self._file.write(self._encoder.call(method.name, args, given, outcome=None if is_timed else result))
        return result

    def _flush(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        made = self._written(method, args, given) if args or given else self._bare_flush
        result = function(self._context, *args, **given)
        self._file.write(*made)
        self._file.flush()
        return result

    def _read(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        """Record a call that fills memory of the caller, with the size and the digest of the bytes read."""
        result = function(self._context, *args, **given)
        named = method.named(args, given)
        into = as_bytes(named["into"], "into")
        if not _is_filled(named, into.size):  # the call leaves the other bytes unchanged
            into = np.zeros(into.size, np.uint8)
            function(self._context, **named | {"into": into})
        self._record_read(method, named | {"into": into.size}, digest_of(into))
        return result

    def _map(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> TransferMap | None:
        named = method.named(args, given)
        self._written(method, (), named)
        mapped: TransferMap | None = function(self._context, *args, **given)
        if mapped is None:
            return None
        if mapped.usage & Transfer.READ:
            self._record_read(method, named | {"usage": int(Transfer.READ)}, digest_of(mapped.data))
        self._watch(mapped, mapped.resource, self._handles.find(mapped.resource))
        return mapped

    def _record_read(self, method: Row, named: dict[str, Any], digest: bytes) -> None:
        self._file.write(self._encoder.call(method.name, (), named, outcome=digest))

    def _written(
        self, method: Row, args: tuple[Any, ...], given: dict[str, Any], *, is_fixed: bool = False, result: int = 0
    ) -> Sequence[Piece]:
        """The command of an upcoming call. TypeError for arguments that a trace cannot record."""
        try:
            command = self._encoder.fixed(method.name, args, given) if is_fixed else None
            return self._encoder.pieces(method.name, args, given, result=result) if command is None else (command,)
        except Unwritable as error:
            raise TypeError(f"trace: {method.name}: {error}; nothing was done") from None

    # -- objects -------------------------------------------------------------------------------------------------------------
    def _handle_of(self, thing: Any) -> int | None:
        if not isinstance(thing, OBJECTS):
            return None
        handle = self._handles.find(thing)
        if handle is None:
            if not isinstance(thing, Resource) or thing.screen is not self._context.screen or thing.is_destroyed:
                kind = "shader" if isinstance(thing, Shader) else type(thing).__name__
                raise Unwritable(f"the {kind} was created by another context or is destroyed; create it through the traced context")
            handle = self._define(thing)
        return handle

    def _define(self, resource: Resource) -> int:
        """Record the creation of a resource, and its content."""
        if resource.user is not None:
            raise Unwritable(f"{resource!r} uses memory of the caller, whose changes a trace cannot record; copy it into a resource")
        handle = self._handles.add(resource)
        template = resource.template
        given = {item.name: getattr(template, item.name) for item in fields(template)}
        self._file.write(self._encoder.call("resource_create", (), given, result=handle))
        for level, sample, plane in planes(resource):
            if plane.any():
                self._file.write(*self._encoder.pieces("write_content", (resource, level, sample, plane.tobytes()), {}))
        return handle

    # -- mappings ------------------------------------------------------------------------------------------------------------
    def _catch_up(self) -> None:
        """Record changes made without a call: writes to mappings, ends of objects."""
        for mapped in self.maps:
            self._capture(mapped)
        if self._ended:
            self._forget_ended()

    def _forget_ended(self) -> None:
        ended, self._ended[:] = list(self._ended), []
        for at in range(0, len(ended), 1024):
            self._file.write(pack(Command.FORGET, *ended[at : at + 1024]))

    def _watch(self, mapped: TransferMap, resource: Resource, handle: int | None) -> None:
        """Note the bytes of a new mapping of a resource, unless it is only read. handle: of the resource.

        A mapping that no other work may change meanwhile, and that is not read, is recorded as it is, because programs write all of it.
        """
        usage = mapped.bits
        if usage & _WRITE and handle is not None:
            before = None
            view = mapped.data if mapped.staging is None and resource.user is None else None
            if view is None:
                before = box_bytes(resource, mapped.level, mapped.box)
            elif usage & _COMPARED:
                before = view.tobytes()
            self.maps[mapped] = before, view, handle, usage & _UNSYNCHRONIZED

    def _capture(self, mapped: TransferMap, *, is_last: bool = False) -> None:
        """Record the bytes of a mapping if they have changed. Multisampled mappings write all samples when they end."""
        before, view, handle, usage = self.maps[mapped]
        now = box_bytes(mapped.resource, mapped.level, mapped.box) if view is None else view.tobytes()
        if now != before or (is_last and view is None and mapped.resource.samples > 1):
            if not is_last:
                self.maps[mapped] = now, view, handle, usage
            self._file.write(*mapped_words(handle, now, mapped.level, mapped.box, usage))

    def mapping_ended(self, mapped: TransferMap) -> None:
        """Record the writes to a mapping that has ended."""
        if mapped in self.maps and not self.is_closed:
            self._capture(mapped, is_last=True)  # entries append nothing while there is a mapping
            del self.maps[mapped]
            self._file.let_entries(not self._record.is_inside_call and self._lets_entries())

    # -- the end -------------------------------------------------------------------------------------------------------------
    def close(self) -> None:
        """Record the digests of all living resources, and end the file."""
        if self.is_closed:
            return
        self._is_inside = True
        self._file.let_entries(False)
        try:
            self._catch_up()
            self._context.order.synchronize()
            for thing in self._handles.living():
                if isinstance(thing, Resource) and not thing.is_destroyed:
                    self._file.write(self._encoder.call("check_content", (thing,), {}, outcome=content_digest(thing)))
        finally:
            self.is_closed = True
            self.maps.clear()
            self._file.close()


def _note_end(ended: list[int], words: list[KnownWords], handle: int) -> None:
    ended.append(handle)
    for known in words:
        known.end(handle)


def _is_filled(named: dict[str, Any], size: int) -> bool:
    """True if a correct read fills all bytes of its memory."""
    resource: Resource = named["resource"]
    if "offset" in named or (set(named) == {"resource", "into"} and resource.is_buffer):
        return True
    if any(named.get(name) is not None for name in ("stride", "layer_stride")):
        return False
    box = resource.in_blocks(resource.box(named.get("level", 0), named.get("box"), "box"))
    return box.width * box.height * box.depth * (1 if resource.is_buffer else resource.format.block_bytes) == size


_KINDS = {
    Does.CREATE: "_creation",
    Does.DESTROY: "_destruction",
    Does.NUMBER: "_number",
    Does.FLUSH: "_flush",
    Does.READ: "_read",
    Does.MAP: "_map",
}
"""Methods of a tracer that record calls of each kind, by name, as a history has some of its own."""
OF_CONTEXT = {name: method for name, method in CALLS.items() if method.does is not Does.OWN}
"""Methods of a context that are recorded."""
