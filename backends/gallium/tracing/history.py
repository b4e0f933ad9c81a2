"""The history of a context: its latest calls in memory, which `explain` replays to find out what happened to a pixel.

Unlike a trace, a history refuses no call, and it may begin in the middle of a program's work. When its memory is full, a new recording
begins with the present bindings and objects (`bound_calls`); the previous one is kept while there is room for both.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from ctypes import c_uint64
from dataclasses import fields, replace
from typing import Any

import numpy as np

from backends.device.bound import Shader
from backends.device.calls.errors import Unwritable
from backends.device.calls.row import Does, Row
from backends.device.calls.table import ALIASES, COMMANDS, UNRECORDED
from backends.device.commands.layout import Command, pack
from backends.device.interface import Device
from backends.gallium.context.context import Context
from backends.gallium.context.query_kinds import Query
from backends.gallium.context.recording.encoder import Piece
from backends.gallium.context.recording.handles import OBJECTS
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.transfer import TransferMap
from backends.gallium.threads.gate import one_at_a_time
from backends.gallium.tracing.bound_calls import BoundCalls
from backends.gallium.tracing.call_memory import Block, CallMemory
from backends.gallium.tracing.content import planes
from backends.gallium.tracing.definitions import definition_of
from backends.gallium.tracing.known_words import KnownWords
from backends.gallium.tracing.observed_context import ObservedContext, plain_method
from backends.gallium.tracing.tracer import OF_CONTEXT, Function, Tracer
from tgsi.language.record import record

DEFAULT_BYTES = 1 << 28
"""Default of `Screen(history_memory=...)`, in bytes."""
_CHANGES_NOTHING = {Does.READ, Does.ASK}
_MOST_ENDED = 256
_RESULTS = frozenset({"get_query_result"})


@record(eq=False)
class Recorded:
    """A recording taken from a history.

    Attributes:
        data: the recording, as `TracePlayer` plays it.
        handles: of the living objects that it names, by `id`. programs: the programs of shaders by handle, of which the recording has only
        the text. gaps: descriptions of missing parts. lost: bytes of the last calls, which did not fit.
        is_whole: it begins with the context.
    """

    data: bytearray
    handles: dict[int, int]
    programs: dict[int, Any]
    gaps: tuple[str, ...]
    lost: int
    is_whole: bool


class HistoryTracer(Tracer):
    """Records the calls of a context in memory."""

    def __init__(self, context: Context, most: int, *, is_new: bool, spare: list[Block], known: Sequence[object] = ()) -> None:
        """is_new: the context is new, so nothing is bound yet. spare: see `CallMemory`. known: objects of the previous recording."""
        self._users: dict[int, tuple[Resource, bytes]] = {}
        self.gaps: list[str] = []
        self.programs: dict[int, Any] = {}
        self.is_whole = is_new
        self.memory = CallMemory(context.state.record, HistoryContext.native_cell, most, spare)
        super().__init__(context, self.memory)
        if HistoryContext.native_cell.value:
            self._words.append(KnownWords(self._record, self._handles.find))
        self._record.records_calls = bool(self._words)
        if not is_new:
            self._begin(known)

    def _begin(self, known: Sequence[object]) -> None:
        """Record the bindings and living objects."""
        with self._pause():
            bound = BoundCalls(self._context, known)
            for name, args, given in bound.calls():
                try:
                    self._file.write(self._encoder.call(name, args, given))
                except Unwritable as error:
                    self.gaps.append(f"{name}: {error}")
            self.gaps += bound.gaps
            self._file.forget_draw()

    @contextlib.contextmanager
    def _pause(self) -> Iterator[None]:
        """Pause recording while a block writes commands itself."""
        self._is_inside = True
        self._file.let_entries(False)
        try:
            yield
        finally:
            self._is_inside = False
            self._file.let_entries(self._lets_entries())

    def take(self, *, copies: bool = True) -> Recorded:
        """Return the calls so far, while the recording continues. copies: include the bytes of the recording."""
        with self._pause():
            self._catch_up()
            self._file.flush()
        handles = {id(thing): self._handles.find(thing) or 0 for thing in self._handles.living()}
        data = self.memory.content() if copies else bytearray()
        if not self.is_closed or self.memory.lost:
            data += pack(Command.END)
        return Recorded(data, handles, dict(self.programs), tuple(self.gaps), self.memory.lost, self.is_whole)

    def named_objects(self) -> list[object]:
        """The living objects that the recording names."""
        return self._handles.living()

    # -- calls -----------------------------------------------------------------------------------------------------------
    def _lets_entries(self) -> bool:
        return not (self.maps or self._users)

    def _act(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        if method.does in _CHANGES_NOTHING or method.name in _RESULTS:
            return function(self._context, *args, **given)
        if self._users:
            self._catch_up_users()
        try:
            return super()._act(method, function, args, given)
        except Unwritable as error:
            self.gaps.append(f"{method.name}: {error}")
            return function(self._context, *args, **given)

    def _written(
        self, method: Row, args: tuple[Any, ...], given: dict[str, Any], *, is_fixed: bool = False, result: int = 0
    ) -> Sequence[Piece]:
        command = self._encoder.fixed(method.name, args, given) if is_fixed and _is_fixed(method, args, given) else None
        return self._encoder.pieces(method.name, args, given, result=result) if command is None else (command,)

    def _creation(self, method: Row, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        result = super()._creation(method, function, args, given)
        self._note_program(result)
        for words in self._words:
            words.learn((result, args, given))
        return result

    def note_created(self, thing: Any) -> None:
        """Note the object that a call has created which generated code has recorded."""
        handle = self._handles.add(thing)
        self._words[0].learn_handle(thing, handle)
        if isinstance(thing, Shader):
            self.programs[handle] = thing.program
        if len(self._ended) >= _MOST_ENDED:  # generated code leaves them to Python, which it may not call for a long time
            self._forget_ended()

    def map(self, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> TransferMap | None:
        """Make a mapping, and record what is written to it."""
        record = self._record
        if record.is_inside_call or self.is_closed:
            return function(self._context, *args, **given)  # type: ignore[no-any-return]
        record.is_inside_call, record.recorded_end = 1, 0  # without `_pause`, because programs map before each draw
        try:
            if self.maps or self._ended:
                self._catch_up()
            if self._users:
                self._catch_up_users()
            resource: Any = args[0] if args else given.get("resource")
            handle = self._handles.find(resource) or self._define_mapped(resource)
            mapped: TransferMap | None = function(self._context, *args, **given)
            if mapped is not None:
                self._watch(mapped, resource, handle)
            return mapped
        finally:
            record.is_inside_call = 0
            if not self.maps:
                self._file.let_entries(self._lets_entries())

    def _define_mapped(self, resource: Any) -> int | None:
        try:
            return self._handle_of(resource)
        except Unwritable as error:
            self.gaps.append(f"transfer_map: {error}")
            return None

    def address_call(self, method: str, function: Function, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        """Make a call that takes addresses, and record the resulting bindings in its place."""
        result = function(self._context, *args, **given)
        if not self._is_inside and not self.is_closed:
            self._file.let_entries(False)
            for name, places, named in BoundCalls(self._context, self._handles.living()).buffers():
                if name in ("set_vertex_buffers", "set_index_buffer"):
                    self._file.write(self._encoder.call(name, places, named))
            self._file.let_entries(self._lets_entries())
        return result

    # -- objects ---------------------------------------------------------------------------------------------------------
    def _handle_of(self, thing: Any) -> int | None:
        if not isinstance(thing, OBJECTS):
            return None
        handle = self._handles.find(thing)
        if handle is not None:
            return handle
        return self._define(thing) if isinstance(thing, Resource) else self._define_object(thing)

    def _define_object(self, thing: Any) -> int:
        """Record the creation of an object that existed before the recording, or belongs to another context."""
        name, args, given = definition_of(thing)
        for item in args:
            self._handle_of(item)  # a resource takes a handle first
        handle = self._handles.add(thing)
        self._file.write(self._encoder.call(name, args, given, result=handle))
        self._note_program(thing)
        if isinstance(thing, Query) and thing.is_active and thing not in self._context.counting.active:
            self._file.write(self._encoder.call("begin_query", (thing,), {}))
        return handle

    def _note_program(self, thing: Any) -> None:
        if isinstance(thing, Shader):
            handle = self._handles.find(thing)
            if handle is not None:
                self.programs[handle] = thing.program

    def _define(self, resource: Resource) -> int:
        if resource.is_destroyed or resource.screen is not self._context.screen:
            raise Unwritable(f"{resource!r} belongs to another screen or is destroyed")
        handle = self._handles.add(resource)
        template = resource.template
        self._context.screen.finish_writes(resource)
        given = {item.name: getattr(template, item.name) for item in fields(template)}
        self._file.write(self._encoder.call("resource_create", (), given, result=handle))
        self._write_planes(resource)
        if resource.user is not None:
            self._users[handle] = resource, resource.user.tobytes()
        return handle

    def _write_planes(self, resource: Resource, *, is_sparse: bool = True) -> None:
        for level, sample, plane in planes(resource):
            if plane.any() or not is_sparse:
                self._file.write(*self._encoder.pieces("write_content", (resource, level, sample, plane.tobytes()), {}))

    def _catch_up_users(self) -> None:
        """Record the caller's writes to user memory of resources."""
        for handle, (resource, before) in list(self._users.items()):
            if resource.is_destroyed or resource.user is None:
                del self._users[handle]
                continue
            now = resource.user.tobytes()
            if now != before:
                self._users[handle] = resource, now
                data = np.frombuffer(now, np.uint8).tobytes()
                self._file.write(*self._encoder.pieces("write_content", (resource, 0, 0, data), {}))

    def close(self) -> None:
        """End the recording, which stays readable."""
        if self.is_closed:
            return
        self._is_inside = True
        self._file.let_entries(False)
        try:
            self._catch_up()
            self._file.flush()
        finally:
            self.is_closed = True
            self.maps.clear()
            self._file.close()


def _is_fixed(method: Row, args: tuple[Any, ...], given: dict[str, Any]) -> bool:
    """True for draws and constants, which native entries write as fixed commands. Of all other calls they write the values."""
    if method is not COMMANDS[Command.CONSTANTS][0][0]:
        return method is COMMANDS[Command.DRAW][0][0]
    return isinstance(method.named(args, given).get("buffer"), (bytes, np.ndarray))


class HistoryContext(ObservedContext):
    """A context of ``Screen(history=True)``, or of any screen inside ``with ctx.capture():``."""

    native_cell = c_uint64(0)
    _tracer: HistoryTracer
    _before: tuple[Recorded, CallMemory] | None = None

    def __init__(self, screen: ScreenCore, device: Device, *, most: int, priv: Any = None, flags: int = 0) -> None:
        super().__init__(screen, device, priv=priv, flags=flags)
        self.begin_history(most, is_new=True)

    def begin_history(self, most: int, *, is_new: bool = False) -> None:
        """Begin to record."""
        self.device.install_entries(HistoryContext, is_observed=True)
        if not is_new:
            self.order.synchronize()
        self._history_bytes = most
        self._before, self._spare = None, list[Block]()
        self._tracer = HistoryTracer(self, most, is_new=is_new, spare=self._spare)

    def recorded_parts(self) -> list[Recorded]:
        """The recordings, the latest first."""
        found = [self._tracer.take()]
        if self._before is not None:
            recorded, memory = self._before
            found.append(replace(recorded, data=memory.content()))
        return found

    def begin_again_if_crowded(self) -> None:
        """Begin a new recording if a quarter of the memory is used. The present one is kept if half of the memory remains free."""
        now, most = self._tracer, self._history_bytes
        if now.maps or not (now.memory.lost or now.memory.size > most // 4):
            return
        keeps = not now.memory.lost and now.memory.size <= most // 2
        recorded = now.take(copies=False) if keeps else None
        known = now.named_objects()
        now.close()
        for old in [self._before[1]] if self._before is not None else []:
            old.release()
        self._before = None if recorded is None else (recorded, now.memory)
        if recorded is None:
            now.memory.release()
        self.order.synchronize()
        self._tracer = HistoryTracer(self, most - now.memory.size * keeps, is_new=False, spare=self._spare, known=known)


def _recorded(method: Row) -> Callable[..., Any]:
    function = plain_method(method.name)
    ends = method.does is Does.FLUSH

    def call(self: HistoryContext, /, *args: Any, **given: Any) -> Any:
        result = self._tracer.call(method, function, args, given)
        if ends:
            self.begin_again_if_crowded()
        return result

    return functools.wraps(_created(function) if method.does is Does.CREATE else function)(call)


def _created(function: Function) -> Callable[..., Any]:
    """The variant of a method that notes its result, for generated code, which records the call itself."""

    @functools.wraps(function)
    def call(self: HistoryContext, /, *args: Any, **given: Any) -> Any:
        result = function(self, *args, **given)
        self._tracer.note_created(result)
        return result

    return call


def _mapped(function: Function) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(self: HistoryContext, /, *args: Any, **given: Any) -> Any:
        return self._tracer.map(function, args, given)

    return call


def _with_addresses(name: str) -> Callable[..., Any]:
    function = plain_method(name)

    @functools.wraps(function)
    def call(self: HistoryContext, /, *args: Any, **given: Any) -> Any:
        return self._tracer.address_call(name, function, args, given)

    return call


for _name, _method in OF_CONTEXT.items():
    setattr(HistoryContext, _name, _mapped(plain_method(_name)) if _method.does is Does.MAP else _recorded(_method))
for _alias, _name in ALIASES.items():
    setattr(HistoryContext, _alias, getattr(HistoryContext, _name))
for _name, _does in UNRECORDED.items():
    if _does is Does.ADDRESS:
        setattr(HistoryContext, _name, _with_addresses(_name))
one_at_a_time(HistoryContext)
