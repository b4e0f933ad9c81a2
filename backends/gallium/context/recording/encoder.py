"""Calls as commands: fixed words for frequent calls, tagged values for all others."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from backends.device.calls.row import Row
from backends.device.calls.table import CALLS, NUMBERS
from backends.device.commands.client import MAX_WORDS
from backends.device.commands.layout import IN_DATA, MORE, MOST_COUNT, MOST_PIECE, OUTCOME, Command, header, pack
from backends.gallium.context.recording.values import ValueWriter
from backends.pipe.state import DrawInfo

Piece = bytes | memoryview
"""A part of commands. Long data is not copied into them before it is written, because each copy takes longer than the call itself."""
NO_OUTCOME = object()
_DRAW = CALLS["draw_vbo"].fixed[0]


def data_commands(block: Piece) -> Iterator[Piece]:
    """The pieces of DATA commands for a block of bytes."""
    view = memoryview(block)
    for at in range(0, max(1, len(block)), MOST_PIECE):
        part = view[at : at + MOST_PIECE]
        more = MORE if at + MOST_PIECE < len(block) else 0
        yield struct.pack("<II", header(Command.DATA, 1 + (len(part) + 3) // 4), len(part) | more)
        yield part
        yield bytes(-len(part) % 4)


class Encoder:
    """Writes calls. `handle_of`: see `ValueWriter`."""

    def __init__(
        self, handle_of: Callable[[Any], int | None], checked_draw: Callable[[dict[str, Any]], DrawInfo], *, repeats_draws: bool = True
    ) -> None:
        """checked_draw: see `Context._checked_draw`. repeats_draws: a draw like the previous one has no words."""
        self._handle_of, self._checked_draw, self._repeats_draws = handle_of, checked_draw, repeats_draws
        self._last_draw = b""

    def fixed(self, name: str, args: tuple[Any, ...], given: Mapping[str, Any]) -> bytes | None:
        """A call as a fixed command; None if it has no such form, or an argument has another type."""
        row = CALLS.get(name)
        if row is None or not row.fixed:
            return None
        if row.fixed[0] is not _DRAW:
            return row.write(args, given, self._handle_of)
        try:
            return self._draw(*args, **given)
        except (TypeError, ValueError):
            return None

    def call(
        self, name: str, args: tuple[Any, ...], given: Mapping[str, Any], *, result: int = 0, flags: int = 0, outcome: Any = NO_OUTCOME
    ) -> bytes:
        """A call as values. result: the handle of the created object. Unwritable for arguments that have no words."""
        return b"".join(self.pieces(name, args, given, result=result, flags=flags, outcome=outcome))

    def pieces(
        self, name: str, args: tuple[Any, ...], given: Mapping[str, Any], *, result: int = 0, flags: int = 0, outcome: Any = NO_OUTCOME
    ) -> Sequence[Piece]:
        """The bytes of `call`, one piece after the other."""
        row = CALLS[name]
        writer = ValueWriter(self._handle_of)
        writer.write(tuple(args))
        writer.write(dict(given))
        if outcome is not NO_OUTCOME:
            flags |= OUTCOME
            writer.write(outcome)
        return _commands(row, writer, result, flags)

    def _draw(self, info: DrawInfo | None = None, **given: Any) -> bytes | None:
        """A draw with the bound index buffer. Other arguments of the method are fields that `checked_draw` does not have."""
        if info is not None and type(info) is not DrawInfo:
            return None
        made = _DRAW.write(fields_of(self._checked_draw(fields_of(info) | given)), self._handle_of)
        if made is not None and made == self._last_draw:
            return pack(Command.DRAW)
        if made is not None and self._repeats_draws:
            self._last_draw = made
        return made


def fields_of(info: DrawInfo | None) -> dict[str, Any]:
    """The fields of a DrawInfo by name, without None."""
    return {} if info is None else {item.name: getattr(info, item.name) for item in fields(info)}


def _commands(row: Row, writer: ValueWriter, result: int, flags: int) -> Sequence[Piece]:
    """DATA commands and the call."""
    blocks, body = writer.data, bytes(writer.words)
    if len(body) // 4 + 2 > MOST_COUNT:
        blocks, body, flags = [*blocks, body], b"", flags | IN_DATA
    count = len(body) // 4 + 2
    is_state = row.effect is not None and not blocks and not flags and not result and count < MAX_WORDS
    command = Command.STATE if is_state else Command.CALL
    call = struct.pack("<3I", header(command, count), NUMBERS[row.name] | flags << 16, result) + body
    return (*(piece for block in blocks for piece in data_commands(block)), call)
