"""Commands as calls. Every word is checked; a wrong one raises RecordingError with the command, its offset and the reason."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from backends.device.calls.errors import RecordingError, WordError
from backends.device.calls.row import Does, Row
from backends.device.calls.table import COMMANDS, DETAILS, FIELDS, OF_NUMBER
from backends.device.commands.layout import (
    AGAIN,
    CHANGING,
    IN_DATA,
    MORE,
    OUTCOME,
    RAISES,
    Command,
    changes_of,
    slot_of,
    words_after,
)
from backends.gallium.context.recording.values import ValueReader
from tgsi.language.record import record

_COMMANDS = {int(command): command for command in Command}
_FLAGS = RAISES | OUTCOME | IN_DATA
_CREATING = (Does.CREATE, Does.OWN)
Made = tuple[Row, tuple[tuple[Any, ...], dict[str, Any]]]
"""A call: its row, positional arguments and keywords."""


@record(eq=False, kw_only=True)
class Call:
    """A call. result: handle of the created object, or 0. outcome: its return value, if `has_outcome`. handles: of its arguments."""

    row: Row
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
        raise failure(words, at, name_of(head & 255), f"{head:#x} is not a header of a command", offset)
    if end > len(words):
        raise failure(words, at, command.name, f"{count} words follow its header, {len(words) - at - 1} are there", offset)
    changes = changes_of(head, words[at + 1 : end]) if command in CHANGING else {}
    return Item(at, command, detail, words[at + 1 : end], changes)


def items(words: memoryview, offset: int = 0) -> Iterator[Item]:
    """All commands."""
    at = 0
    while at < len(words):
        item = item_at(words, at, offset)
        yield item
        at += 1 + len(item.words)


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
        blocks, self._blocks = [bytes(block) for block in self._blocks], []
        return blocks


class Decoder:
    """Reads commands as calls."""

    def __init__(
        self,
        object_of: Callable[[int], Any],
        last_draw: Callable[[], Sequence[int]],
        changed: Callable[[int, int, Mapping[int, int]], Any],
    ) -> None:
        """Read the header on which the calls depend.

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
        fields, group = FIELDS[item.command]
        count = len(item.words)
        if count < len(fields) and not (item.command is Command.DRAW and not count):
            raise WordError(f"{fields[count]} is missing: there are {count} words, {len(fields)} are needed")
        if count > len(fields) and (not group or (count - len(fields)) % len(group)):
            raise WordError(f"{count} words are too many, or end inside of a group")
        act = _OWN.get(item.command)
        calls = [self._fixed(item) if act is None else act(self, item)]
        if item.command in (Command.CONSTANTS, Command.CHANGES) and item.detail & AGAIN:
            calls.append(self._drawn(self._last_draw()))
        return tuple([Call(row=row, args=args, given=keywords, handles=tuple(self._handles)) for row, (args, keywords) in calls])

    def _fixed(self, item: Item) -> Made:
        """The call of a fixed command."""
        rows = COMMANDS[item.command]
        number = item.detail if len(rows) > 1 else 0
        if number not in rows:
            raise WordError(f"{number} is not a kind of object")
        row, fixed = rows[number]
        return row, row.call(fixed.read(item.detail, item.words, self.object))

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
        row, body = OF_NUMBER[number], words[2:].cast("B")
        if flags & IN_DATA:
            if not data or len(body) or len(data[-1]) % 4:
                raise WordError("its words are not in the data")
            body = memoryview(data[-1])
        reader = ValueReader(body, data, self._read_object)
        args, keywords = reader.read(), reader.read()
        outcome = reader.read() if flags & OUTCOME else None
        if not isinstance(args, tuple) or not isinstance(keywords, dict) or not all(isinstance(key, str) for key in keywords):
            raise WordError("the arguments are neither a tuple nor a mapping by name")
        if not reader.is_at_end:
            raise WordError("words are left after its values")
        if words[1] and row.does not in _CREATING:
            raise WordError(f"{row.name} creates nothing, and has a handle for its result")
        return Call(
            row=row,
            args=args,
            given=keywords,
            result=words[1],
            raises=bool(flags & RAISES),
            has_outcome=bool(flags & OUTCOME),
            outcome=outcome,
            handles=tuple(self._handles),
        )

    def _read_object(self, handle: int) -> Any:
        thing = self.object(handle)
        if thing is None:
            raise WordError("0 is not a handle of an object")
        return thing

    # -- commands that depend on those before ----------------------------------------------------------------------------------
    def changed_draw(self, item: Item) -> list[int]:
        """The words of the draw before with the changes of REDRAW."""
        words = list(self._last_draw())
        if not words:
            raise WordError("there is no draw before that it could change")
        for place, word in item.changes.items():
            if place >= len(FIELDS[Command.DRAW][0]):
                raise WordError(f"a draw has no word {place}")
            words[place] = word
        return words

    def redraw(self, item: Item) -> Made:
        """REDRAW."""
        return self._drawn(self.changed_draw(item))

    def draw(self, item: Item) -> Made:
        """DRAW."""
        return self._drawn(item.words.tolist() or self._last_draw())

    def _drawn(self, words: Sequence[int]) -> Made:
        if not words:
            raise WordError("there is no draw before that it could repeat")
        row, fixed = COMMANDS[Command.DRAW][0]
        return row, row.call(fixed.read(0, memoryview(array("I", words)), self.object))

    def changes(self, item: Item) -> Made:
        """CHANGES."""
        row, _ = COMMANDS[Command.CONSTANTS][0]
        stage, index = slot_of(item.detail)
        return row, ((stage, self._changed(stage, index, item.changes)), {"index": index})


_OWN: dict[Command, Callable[[Decoder, Item], Made]] = {
    Command.DRAW: Decoder.draw,
    Command.REDRAW: Decoder.redraw,
    Command.CHANGES: Decoder.changes,
}
