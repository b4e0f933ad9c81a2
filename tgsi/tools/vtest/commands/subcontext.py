"""Sub-context: one GL context of a client, with a Gallium Context and the client's objects by handle."""

from __future__ import annotations

import ctypes
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol

from backends.device.commands.reader import Buffers, Reader, Rows
from backends.pipe.enums import ShaderType
from backends.pipe.state import DrawInfo
from tgsi.language.diagnostics import DiagnosticError
from tgsi.language.record import record
from tgsi.tools.vtest.commands.units import Units
from tgsi.tools.vtest.protocol.account import OBJECT, SUB_CONTEXT
from tgsi.tools.vtest.protocol.errors import CommandError
from tgsi.tools.vtest.protocol.numbers import kind_name

if TYPE_CHECKING:
    from pathlib import Path

    from backends.device.commands.waits import Waits
    from backends.device.counters import Statistics
    from backends.gallium.context.context import Context
    from backends.gallium.resource.resource import Resource
    from tgsi.gallium import Screen
    from tgsi.tools.vtest.output.pictures import Pictures
    from tgsi.tools.vtest.output.shader_texts import ShaderTexts
    from tgsi.tools.vtest.protocol.account import Account
    from tgsi.tools.vtest.protocol.holdings import Holding

MAX_OBJECTS = 1 << 20
MAX_SETS = 512


class Client(Protocol):
    """Client (a `Session`) that owns a sub-context: its screen, its resources and its other sub-contexts."""

    screen: Screen
    account: Account
    pictures: Pictures | None
    texts: ShaderTexts | None
    name: str
    number: int  # of the current sub-context
    resources: dict[int, Holding]
    contexts: dict[int, SubContext]
    buffers: Buffers
    memories: Buffers
    rows: Rows
    marks: memoryview
    waits: Waits | None
    due: dict[Any, SubContext]

    def resource(self, handle: int, name: str) -> Any:
        """Resource of a handle. Raises CommandError if it does not exist; `name` is the field of the command."""

    def holding(self, handle: int, name: str) -> Holding:
        """Resource of a handle together with the client's memory of it."""

    def note_compilation(self, begins: bool) -> None:
        """Note that the compilation of a kernel begins or ends."""

    def note_work(self, drawn: int, loaded: int, compile_ns: int) -> None:
        """Log the draws of a sub-context that ends, the number of kernels that the process has loaded, and its time of compilation."""

    def refuse(self, shader: str, error: DiagnosticError, file: str = "") -> None:
        """Log the limit exceeded by the first unsupported shader, and a way out."""

    def new_trace(self) -> Path | None:
        """Name of the file for the calls of a new sub-context, None for none."""

    def create_context(self, number: int) -> None:
        """Create a sub-context."""

    def use_context(self, number: int) -> None:
        """Send the following commands to another sub-context."""

    def destroy_context(self, number: int) -> None:
        """Destroy a sub-context."""


@record(frozen=False)
class Pieces:
    """Shader whose text is still incomplete."""

    stage: ShaderType
    size: int
    given: dict[str, Any]
    text: bytearray = field(default_factory=bytearray)


def _draws(counts: Statistics) -> int:
    return counts.known_draws + counts.other_draws


class SubContext:
    """The state of a GL context, on which its commands operate.

    kind: the object kind in the header of the running command. reader: carries out commands in generated code. answer_waits: answers
    requests to wait there. units: samplers and views of all stages. vertex_sets, index_sets: objects bound by the words of earlier
    commands, so that equal words bind the same objects.
    """

    def __init__(self, session: Client) -> None:
        self.session = session
        session.account.take(SUB_CONTEXT, "sub_ctx_id")
        self._trace = session.new_trace()
        try:
            self.context: Context | None = session.screen.context_create(trace=self._trace)
        except BaseException:
            session.account.give(SUB_CONTEXT)
            raise
        self.context.device.note_compilations(session.note_compilation)
        counts = self.context.device.statistics(flushes=False)
        session.note_work(0, counts.kernels_loaded, counts.compile_ns)
        state = self.context.state
        read, answer = (0 if self.context.is_observed else self.context.device.reader_entry(name) for name in ("read", "answer_waits"))
        self.reader = Reader(state.record, state.numbers, read, session.rows, session.buffers, session.memories)
        self.answer_waits = session.waits.answerer(answer, ctypes.addressof(state.record)) if session.waits is not None else None
        self.objects: dict[int, tuple[int, Any, int]] = {}
        self.kind = 0
        self.units = Units(self.context, self.reader)
        self.vertex_sets: dict[bytes, Any] = {}
        self.index_sets: dict[bytes, Any] = {}
        self.infos: dict[bytes, DrawInfo] = {}
        self.interned: dict[tuple[int, bytes], Any] = {}
        self.pieces: dict[int, Pieces] = {}
        self.stream_targets: list[Any] = []

    @property
    def gallium(self) -> Context:
        """The Gallium context. Raises CommandError after its destruction."""
        if self.context is None:
            raise CommandError("sub_ctx_id", "it was destroyed")
        return self.context

    @property
    def drawn(self) -> int:
        """Number of draws."""
        return 0 if self.context is None else _draws(self.context.device.statistics(flushes=False))

    # -- objects ---------------------------------------------------------------------------------------------------------
    def put(self, handle: int, value: Any, size: int = 0) -> None:
        """Store an object of the running command's kind under a handle, replacing an object that had the handle before.

        size: bytes of the object beyond those of every object, charged to the client's account.
        """
        if not handle:
            raise CommandError("handle", "0 is not a handle")
        if len(self.objects) >= MAX_OBJECTS:
            raise CommandError("handle", f"there are {MAX_OBJECTS} objects already")
        self.session.account.take(OBJECT + size, "handle")
        self.remove(handle)
        self.objects[handle] = (self.kind, value, OBJECT + size)

    def remove(self, handle: int) -> None:
        """Remove an object, or the incomplete text of a shader; unknown handles are ignored."""
        self.reader.forget(handle)
        entry = self.objects.pop(handle, None)
        if entry is not None:
            self.session.account.give(entry[2])
        self.remove_pieces(handle)

    def put_pieces(self, handle: int, pieces: Pieces, size: int) -> None:
        """Store the incomplete text of a shader, which grows by `size` bytes."""
        old = self.pieces.get(handle)
        self.session.account.take(size + (0 if old is pieces else OBJECT), "text")
        if old is not pieces:
            self.remove_pieces(handle)
            self.pieces[handle] = pieces

    def remove_pieces(self, handle: int) -> None:
        """Remove the incomplete text of a shader."""
        piece = self.pieces.pop(handle, None)
        if piece is not None:
            self.session.account.give(OBJECT + len(piece.text))

    def find(self, handle: int, kind: int, field: str = "handle") -> Any:
        """Object of a kind, or None for handle 0. Raises CommandError if there is no such object."""
        if not handle:
            return None
        entry = self.objects.get(handle)
        if entry is None:
            raise CommandError(field, f"there is no object {handle}")
        if entry[0] != kind:
            raise CommandError(field, f"object {handle} is a {kind_name(entry[0])}, expected a {kind_name(kind)}")
        return entry[1]

    def need(self, handle: int, kind: int, field: str = "handle") -> Any:
        """Object of a kind. Raises CommandError if there is no such object, and for handle 0."""
        entry = self.find(handle, kind, field)
        if entry is None:
            raise CommandError(field, "0 is not an object")
        return entry

    @staticmethod
    def keep_set(sets: dict[bytes, Any], key: bytes, value: Any) -> None:
        """Store the objects that a command's words have bound."""
        if len(sets) >= MAX_SETS:
            sets.clear()
        sets[key] = value

    def let_go(self, resource: Resource) -> None:
        """Prepare for the end of a resource: its memory stays alive while bound, and its views can no longer be bound."""
        if self.context is None:
            return
        if resource.is_buffer:
            self.context.state.kept_memory.keep(resource.address, resource.size, resource.storage)
        self.reader.forget(("texture", id(resource)))

    def forget_sets(self) -> None:
        """Clear cached bindings, because a created or freed resource may have changed the meaning of a handle."""
        self.vertex_sets.clear()
        self.index_sets.clear()

    def resource(self, handle: int, field: str = "res_handle") -> Any:
        """Resource of the client. Raises CommandError without one."""
        return self.session.resource(handle, field)

    def close(self) -> None:
        """Destroy the context and forget all objects."""
        context, self.context = self.context, None
        for handle in [*self.objects, *self.pieces]:
            self.remove(handle)
        if context is not None:
            counts = context.device.statistics(flushes=False)
            drawn = _draws(counts)
            self.session.note_work(drawn, counts.kernels_loaded, counts.compile_ns)
            context.destroy()
            if self._trace is not None and not drawn:  # Mesa also creates contexts for queries and uploads
                self._trace.unlink(missing_ok=True)
            self.session.account.give(SUB_CONTEXT)
