"""Commands as calls. Every word is checked; what is wrong is a RecordingError with the command, its offset and the reason."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from backends.device.commands.client import VERTEX_BUFFER
from backends.device.commands.layout import (
    AGAIN,
    CHANGING,
    DETAILS,
    DRAW,
    FIELDS,
    VERTEX_BUFFERS,
    Command,
    changes_of,
    slot_of,
    words_after,
)
from backends.gallium.context.recording.encoder import IN_DATA, MORE, OUTCOME, RAISES
from backends.gallium.context.recording.errors import RecordingError, WordError
from backends.gallium.context.recording.methods import METHODS, OF_NUMBER, Does, Method
from backends.gallium.context.recording.setters import READERS, Fixed
from backends.gallium.context.recording.values import ValueReader
from backends.pipe.limits import MAX_VERTEX_BUFFERS
from tgsi.language.record import record

_COMMANDS = {int(command): command for command in Command}
_DRAW_NAMES = ["drawid" if name == "draw_id" else name for name in DRAW.split()]
_FIVE_FLOATS = struct.Struct("<5d")
_FLAGS = RAISES | OUTCOME | IN_DATA
_CREATING = (Does.CREATE, Does.OWN)


@record(eq=False, kw_only=True)
class Call:
    """A call. result: handle of what it creates, 0: nothing. outcome: what it returned, if `has_outcome`. handles: those it names."""

    method: Method
    args: tuple[Any, ...] = ()
    given: dict[str, Any]
    result: int = 0
    raises: bool = False
    has_outcome: bool = False
    outcome: Any = None
    handles: tuple[int, ...] = ()


@record(eq=False)
class Item:
    """A command of a recording. at: number of its header's word. changes: words by their places, of CHANGES and REDRAW."""

    at: int
    command: Command
    detail: int
    words: memoryview
    changes: Mapping[int, int]


def name_of(command: int) -> str:
    """The name of a command in messages."""
    return _COMMANDS[command].name if command in _COMMANDS else f"number {command}"


def failure(words: memoryview, at: int, name: str, reason: object, offset: int = 0) -> RecordingError:
    """The error of the command at word `at`. offset: bytes before the first word."""
    number = place = 0
    while place < at:
        place += 1 + words_after(words[place])
        number += 1
    return RecordingError(f"command {number} ({name}) at byte {offset + 4 * at}: {reason}")


def item_at(words: memoryview, at: int, offset: int = 0) -> Item:
    """The command at word `at`."""
    head = words[at]
    command, count = _COMMANDS.get(head & 255), words_after(head)
    end = at + 1 + count
    detail = head >> 8 & 255
    if command is None or detail & ~DETAILS.get(command, 0):
        raise failure(words, at, name_of(head & 255), f"{head:#x} is no header of a command", offset)
    if end > len(words):
        raise failure(words, at, command.name, f"{count} words follow its header, {len(words) - at - 1} are there", offset)
    changes = changes_of(head, words[at + 1 : end]) if command in CHANGING else {}
    return Item(at, command, detail, words[at + 1 : end], changes)


def items(words: memoryview, offset: int = 0) -> Iterator[Item]:
    """All commands."""
    at = 0
    while at < len(words):
        found = item_at(words, at, offset)
        yield found
        at += 1 + len(found.words)


class Blocks:
    """The blocks of DATA before a call."""

    def __init__(self) -> None:
        self._blocks: list[bytearray] = []
        self._is_open = False

    def add(self, words: memoryview) -> None:
        """Take a DATA command. WordError if it is wrong."""
        if not len(words):
            raise WordError("the size is missing")
        size, is_more = words[0] & ~MORE, bool(words[0] & MORE)
        if -(-size // 4) != len(words) - 1:
            raise WordError(f"{size} bytes are {-(-size // 4)} words, not {len(words) - 1}")
        if not self._is_open:
            self._blocks.append(bytearray())
        self._blocks[-1] += bytes(words[1:].cast("B"))[:size]
        self._is_open = is_more

    def take(self) -> list[bytes]:
        """All blocks, which are forgotten."""
        if self._is_open:
            raise WordError("its data have no end")
        found, self._blocks = [bytes(block) for block in self._blocks], []
        return found


class Decoder:
    """Reads commands as calls."""

    def __init__(
        self,
        object_of: Callable[[int], Any],
        last_draw: Callable[[], Sequence[int]],
        changed: Callable[[int, int, Mapping[int, int]], Any],
    ) -> None:
        """Take what the calls depend on.

        object_of: the object of a handle; WordError for an unknown one. last_draw: the words of the draw before, or nothing.
        changed: the constants of a stage and a slot, with new words at some places.
        """
        self._object_of, self._last_draw, self._changed = object_of, last_draw, changed
        self._handles: list[int] = []

    def read(self, item: Item, data: Sequence[bytes]) -> tuple[Call, ...]:
        """The calls of a command that is not DATA or FORGET: one, or two of constants with AGAIN."""
        self._handles = []
        if item.command in (Command.CALL, Command.STATE):
            return (self._call(item.words, data),)
        fields, group = (names.split() for names in FIELDS[item.command])
        given = item.words.tolist()
        if len(given) < len(fields) and not (item.command is Command.DRAW and not given):
            raise WordError(f"{fields[len(given)]} is missing: there are {len(given)} words, {len(fields)} are needed")
        if len(given) > len(fields) and (not group or (len(given) - len(fields)) % len(group)):
            raise WordError(f"{len(given)} words are too many, or end inside of a group")
        reader = READERS.get(item.command)
        made = [_FIXED[item.command](self, given, item) if reader is None else reader(self.object, item.detail, given, item.words)]
        if item.command in (Command.CONSTANTS, Command.CHANGES) and item.detail & AGAIN:
            made.append(self.draw([], item))
        return tuple(Call(method=METHODS[name], args=args, given=found, handles=tuple(self._handles)) for name, args, found in made)

    def object(self, handle: int) -> Any:
        """The object of a handle; None for 0."""
        if not handle:
            return None
        self._handles.append(handle)
        return self._object_of(handle)

    def _call(self, words: memoryview, data: Sequence[bytes]) -> Call:
        if len(words) < 2:
            raise WordError(f"there are {len(words)} words, 2 are needed")
        number, flags = words[0] & 0xFFFF, words[0] >> 16
        if number >= len(OF_NUMBER) or flags & ~_FLAGS:
            raise WordError(f"{words[0]:#x} names no method")
        method, body = OF_NUMBER[number], words[2:].cast("B")
        if flags & IN_DATA:
            if not data or len(body) or len(data[-1]) % 4:
                raise WordError("its words are not in the data")
            body = memoryview(data[-1])
        reader = ValueReader(body, data, self._read_object)
        args, given = reader.read(), reader.read()
        outcome = reader.read() if flags & OUTCOME else None
        if not isinstance(args, tuple) or not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
            raise WordError("the arguments are no tuple, or no mapping by name")
        if not reader.is_at_end:
            raise WordError("words are left after its values")
        if words[1] and method.does not in _CREATING:
            raise WordError(f"{method.name} creates nothing, and has a handle for its result")
        return Call(
            method=method,
            args=args,
            given=given,
            result=words[1],
            raises=bool(flags & RAISES),
            has_outcome=bool(flags & OUTCOME),
            outcome=outcome,
            handles=tuple(self._handles),
        )

    def _read_object(self, handle: int) -> Any:
        found = self.object(handle)
        if found is None:
            raise WordError("0 is no handle of an object")
        return found

    # -- fixed commands ------------------------------------------------------------------------------------------------------
    def changed_draw(self, item: Item) -> list[int]:
        """The words of the draw before with the changes of REDRAW."""
        found = list(self._last_draw())
        if not found:
            raise WordError("there is no draw before that it could change")
        for place, word in item.changes.items():
            if place >= len(_DRAW_NAMES):
                raise WordError(f"a draw has no word {place}")
            found[place] = word
        return found

    def redraw(self, _: list[int], item: Item) -> Fixed:
        """REDRAW."""
        return self.draw(self.changed_draw(item), item)

    def draw(self, words: list[int], _: Item) -> Fixed:
        """DRAW."""
        found: dict[str, Any] = dict(zip(_DRAW_NAMES, words or self._last_draw()))
        if not found:
            raise WordError("there is no draw before that it could repeat")
        found["primitive_restart"] = bool(found["primitive_restart"])
        found["index_bias"] -= (found["index_bias"] >> 31) << 32
        return "draw_vbo", (), found

    def constants(self, words: list[int], item: Item) -> Fixed:
        """CONSTANTS."""
        stage, index = slot_of(item.detail)
        return "set_constant_buffer", (stage, bytes(item.words.cast("B")) or None), {"index": index}

    def changes(self, _: list[int], item: Item) -> Fixed:
        """CHANGES."""
        stage, index = slot_of(item.detail)
        return "set_constant_buffer", (stage, self._changed(stage, index, item.changes)), {"index": index}

    def clear(self, words: list[int], item: Item) -> Fixed:
        """CLEAR."""
        *color, depth = _FIVE_FLOATS.unpack(item.words[2:])
        return "clear", (words[0],), {"color": tuple(color), "depth": depth, "stencil": words[1]}

    def uniforms(self, words: list[int], _: Item) -> Fixed:
        """UNIFORMS."""
        stage, index, offset, size, handle = words
        return "set_constant_buffer", (stage, self._read_object(handle)), {"index": index, "offset": offset, "size": size}

    def vertex_buffers(self, words: list[int], _: Item) -> Fixed:
        """VERTEX_BUFFERS."""
        start, rest, step = words[0], words[len(VERTEX_BUFFERS.split()) :], len(VERTEX_BUFFER.split())
        groups = [rest[at : at + step] for at in range(0, len(rest), step)]
        if start + len(groups) > MAX_VERTEX_BUFFERS:
            raise WordError(f"slot {start + len(groups) - 1} does not exist")
        bound = [
            {"buffer": self.object(handle), "stride": stride, "buffer_offset": offset} if handle else None
            for stride, offset, handle in groups
        ]
        return "set_vertex_buffers", (bound,), {"start": start}

    def index_buffer(self, words: list[int], _: Item) -> Fixed:
        """INDEX_BUFFER."""
        handle, size, offset = words
        if size not in (1, 2, 4):
            raise WordError(f"index_size: {size} is none of 1, 2, 4")
        return "set_index_buffer", (self.object(handle),), {"index_offset": offset}


_FIXED: dict[Command, Callable[[Decoder, list[int], Item], Fixed]] = {
    Command.DRAW: Decoder.draw,
    Command.REDRAW: Decoder.redraw,
    Command.CLEAR: Decoder.clear,
    Command.CONSTANTS: Decoder.constants,
    Command.CHANGES: Decoder.changes,
    Command.UNIFORMS: Decoder.uniforms,
    Command.VERTEX_BUFFERS: Decoder.vertex_buffers,
    Command.INDEX_BUFFER: Decoder.index_buffer,
}
