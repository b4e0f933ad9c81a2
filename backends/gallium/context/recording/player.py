"""The player of commands: generated code carries out known commands, and all others are calls of methods of the context."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from backends.device.calls.errors import RecordingError, WordError
from backends.device.calls.row import Listed
from backends.device.calls.table import OF_NUMBER, REPEATED, ROWS
from backends.device.commands.condition import QueryRecord
from backends.device.commands.layout import Command
from backends.device.commands.reader import Buffers, Reader, address_of_words
from backends.gallium.context.core import ContextCore
from backends.gallium.context.query_kinds import Query
from backends.gallium.context.recording.decoder import Blocks, Call, Decoder, Item, failure, item_at
from backends.gallium.resource.resource import Resource
from backends.pipe.limits import MAX_CONSTANT_BUFFERS
from tgsi.language.diagnostics import TgsiError

_LISTS = {row.name: row.effect.count for row in OF_NUMBER if isinstance(row.effect, Listed)}
"""Calls that set lists, with the place of their lengths."""
_lengths_of = attrgetter(*_LISTS.values())
REFUSALS = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, MemoryError, BufferError, BlockingIOError, TgsiError)
"""Errors by which a context refuses a call."""


class Player:
    """Plays commands on one context.

    at: place of the command, among the words, whose calls are made.
    """

    at = 0

    def __init__(self, context: ContextCore, *, is_native: bool = True) -> None:
        """is_native: generated code carries out commands; otherwise every one is a call of a method."""
        state = context.state
        self._context, self._buffers, self._queries = context, Buffers(), Buffers()
        entry = 0 if context.is_observed or not is_native else context.device.reader_entry()
        self._reader = Reader(state.record, state.numbers, entry, ROWS, self._buffers, Buffers(), self._queries)
        self._memory: dict[int, tuple[int, int, object]] = {}
        self._objects: Mapping[int, Any] = {}
        self._decoder = Decoder(self._object, lambda: self._reader.last_draw, self._changed)
        self._reader.let_go = self._let_go
        self._lengths: tuple[int, ...] = ()

    # -- objects -------------------------------------------------------------------------------------------------------------
    def learn(self, handle: int, thing: Any) -> None:
        """Let generated code find a buffer by its handle, unless it lies over memory of the caller, and a query that counts samples."""
        if isinstance(thing, Resource) and thing.is_buffer and thing.user is None:
            self._buffers.put(handle, thing.address, thing.size)
            self._memory[handle] = thing.address, thing.size, thing.storage
        elif isinstance(thing, Query) and thing.samples is not None:
            self._context.counting.share(thing)
            self._queries.put(handle, ctypes.addressof(thing.record), ctypes.sizeof(QueryRecord))

    def ended(self, handle: int) -> None:
        """Leave all commands that name an object to Python: it was destroyed."""
        self._reader.forget(handle)
        self._queries.remove(handle)

    def forget(self, handle: int) -> None:
        """Forget a handle. Its memory lives while it is bound, or while pending draws read it."""
        self.ended(handle)
        self._buffers.remove(handle)
        memory = self._memory.pop(handle, None)
        if memory is not None:
            self._context.state.kept_memory.keep(*memory)

    def _object(self, handle: int) -> Any:
        thing = self._objects.get(handle)
        if thing is None:
            raise WordError(f"{handle} is not a handle")
        return thing

    def _changed(self, stage: int, index: int, changes: Mapping[int, int]) -> bytes:
        """The constants of a slot with some words changed."""
        slot = self._context.state.record.constants[stage * MAX_CONSTANT_BUFFERS + index]
        if not slot.room:
            raise WordError(f"it changes constants, but none are bound as bytes to slot {index} of stage {stage}")
        words = memoryview(bytearray(ctypes.string_at(slot.address, slot.size))).cast("I")
        for place, word in changes.items():
            if place >= len(words):
                raise WordError(f"the bound constants have {len(words)} words, and no word {place}")
            words[place] = word
        return bytes(words)

    # -- commands ------------------------------------------------------------------------------------------------------------
    def play(
        self, words: memoryview, objects: Mapping[int, Any], perform: Callable[[Call], None], forget: Callable[[int], None], offset: int = 0
    ) -> bool:
        """Carry out all commands up to END, and return True if there was one.

        words: of format "I", writable. objects: by handle. perform: carries out a call. forget: a handle ends. offset: bytes before words.

        RecordingError for the first command that is wrong or refused; those before it were carried out.
        """
        try:
            return self._play(words, objects, perform, forget, offset)
        finally:
            self._context.targets.settle()

    def _play(
        self, words: memoryview, objects: Mapping[int, Any], perform: Callable[[Call], None], forget: Callable[[int], None], offset: int
    ) -> bool:
        self._objects = objects
        self._reader.note_draw(())
        self._notice_lists()
        blocks, at, end = Blocks(), 0, len(words)
        address = address_of_words(words) if end else 0
        while at < end:
            if address:
                at = self._reader.read(address, at, end)
                if at >= end:
                    break
            item, self.at = item_at(words, at, offset), at
            name = item.command.name
            try:
                if item.command is Command.END:
                    if len(item.words) or at + 1 < end:
                        raise WordError("commands follow")
                    return True
                if item.command is Command.DATA:
                    blocks.add(item.words)
                elif item.command is Command.FORGET:
                    for handle in item.words:
                        forget(handle)
                else:
                    data = blocks.take()
                    for call in self._decoder.read(item, data):
                        name = call.row.name
                        perform(call)
                        self._note(item, call, is_plain=not data, head=words[at])
            except RecordingError:
                raise
            except REFUSALS as error:
                raise failure(words, at, name, _reason(error), offset) from error
            at += 1 + len(item.words)
        return False

    def _note(self, item: Item, call: Call, *, is_plain: bool, head: int) -> None:
        """Let generated code repeat a command that was carried out."""
        if item.command is Command.REDRAW:
            self._reader.note_draw(self._decoder.changed_draw(item))
        elif item.command is Command.DRAW and len(item.words):
            self._reader.note_draw(item.words.tolist())
        effect = call.row.effect
        if isinstance(effect, Listed):
            self._notice_lists()
        if item.command not in REPEATED or not is_plain or effect is None:
            return
        arguments = call.row.bound(call.args, call.given)
        places = effect.places(arguments)
        length = getattr(self._context.state.record, effect.count) if isinstance(effect, Listed) else None
        if places is not None and (
            length is None or (isinstance(arguments["states"], (list, tuple)) and length == len(arguments["states"]))
        ):
            tags = (*call.handles, *((call.row.name,) if length is not None else ()))
            owner = self._context.targets.prepare() if item.command is Command.FRAMEBUFFER else 0
            if owner or item.command is not Command.FRAMEBUFFER:
                self._reader.learn(head, item.words, places, tags, unless=effect.unless, hinders=effect.hinders, owner=owner)

    def _let_go(self, targets: int) -> None:
        if targets:
            self._context.targets.end(targets)

    def _notice_lists(self) -> None:
        """Repeat calls for viewports and scissors only for lists of the same length, because a call keeps all that it does not name."""
        lengths = _lengths_of(self._context.state.record)
        if lengths != self._lengths:
            self._lengths = lengths
            for name in _LISTS:
                self._reader.forget(name)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def call_context(context: ContextCore, call: Call) -> Any:
    """Make a call on a context."""
    return getattr(context, call.row.name)(*call.args, **call.given)
