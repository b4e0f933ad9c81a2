"""Calls as commands: fixed words for those that programs repeat, values for all others."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from backends.device.commands.client import MAX_UNIFORMS, MAX_WORDS
from backends.device.commands.constant_memory import MAX_BYTES
from backends.device.commands.known_objects import call_of
from backends.device.commands.layout import CLEAR, DRAW, MOST_COUNT, Command, header, pack, slot_detail
from backends.gallium.context.handles import VertexBuffer
from backends.gallium.context.recording.methods import METHODS, Method
from backends.gallium.context.recording.setters import WRITERS
from backends.gallium.context.recording.values import ValueWriter
from backends.gallium.resource.resource import Resource
from backends.pipe.enums import Clear, ShaderType, lookup
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_VERTEX_BUFFERS, MAX_VERTEX_STRIDE
from backends.pipe.state import DrawInfo

RAISES = 1
"""Flag: the call raised an error when it was recorded, and is expected to raise one again."""
OUTCOME = 2
"""Flag: the result of the call, or the digest of what it read, follows its arguments."""
IN_DATA = 4
"""Flag: the words after the first two are the last block of DATA."""
MORE = 1 << 31
"""Bit of the size of a piece of DATA: another piece of the same block follows."""

NO_OUTCOME = object()
_PIECE = 4 * (MOST_COUNT - 1)
_U32 = (1 << 32) - 1
_DRAW_FIELDS = DRAW.split()
_CLEAR, _CLEAR_HEAD = struct.Struct("<3I5d"), header(Command.CLEAR, len(CLEAR.split()))
_ALL, _BLACK = Clear.COLOR | Clear.DEPTHSTENCIL, (0.0, 0.0, 0.0, 0.0)
"""Defaults of `Context.clear`."""
_EXACT, _LARGE = (int, float), 1 << 53


def data_commands(block: bytes) -> bytes:
    """A block of bytes as DATA commands."""
    made = bytearray()
    for at in range(0, max(1, len(block)), _PIECE):
        piece = block[at : at + _PIECE]
        padded = piece + bytes(-len(piece) % 4)
        more = MORE if at + _PIECE < len(block) else 0
        made += struct.pack("<II", header(Command.DATA, 1 + len(padded) // 4), len(piece) | more) + padded
    return bytes(made)


class Encoder:
    """Writes calls. `handle_of`: see `ValueWriter`."""

    def __init__(
        self, handle_of: Callable[[Any], int | None], checked_draw: Callable[[dict[str, Any]], DrawInfo], *, repeats_draws: bool = True
    ) -> None:
        """checked_draw: see `Context._checked_draw`. repeats_draws: a draw like the one before has no words."""
        self._handle_of, self._checked_draw, self._repeats_draws = handle_of, checked_draw, repeats_draws
        self._last_draw = b""

    def fixed(self, name: str, args: tuple[Any, ...], given: Mapping[str, Any]) -> bytes | None:
        """A call as a fixed command; None if it has no such form, or an argument has another type."""
        form, writer = _FORMS.get(name), WRITERS.get(name)
        try:
            if writer is not None:
                return writer(self._handle_of, *args, **given)
            return form(self, *args, **given) if form is not None else None
        except (TypeError, ValueError, ArithmeticError, struct.error):
            return None

    def call(
        self, name: str, args: tuple[Any, ...], given: Mapping[str, Any], *, result: int = 0, flags: int = 0, outcome: Any = NO_OUTCOME
    ) -> bytes:
        """A call as values. result: the handle of what it creates. Unwritable for arguments that have no words."""
        method = METHODS[name]
        writer = ValueWriter(self._handle_of)
        writer.write(tuple(args))
        writer.write(dict(given))
        if outcome is not NO_OUTCOME:
            flags |= OUTCOME
            writer.write(outcome)
        return _commands(method, writer, result, flags)

    # -- fixed forms ---------------------------------------------------------------------------------------------------------
    def draw_vbo(self, info: DrawInfo | None = None, **given: Any) -> bytes | None:
        """A draw with the bound index buffer. Other arguments of the method are fields that `checked_draw` does not know."""
        if info is not None and type(info) is not DrawInfo:
            return None
        found = self._checked_draw(fields_of(info) | given)
        if found.vertices_per_patch or found.indexed:
            return None
        call = call_of(found)
        made = pack(Command.DRAW, *(getattr(call, name) for name in _DRAW_FIELDS))
        if made == self._last_draw:
            return pack(Command.DRAW)
        self._last_draw = made if self._repeats_draws else b""
        return made

    def clear(self, buffers: Any = _ALL, *, color: Any = _BLACK, depth: Any = 1.0, stencil: Any = 0) -> bytes | None:
        """Numbers that a 64-bit float holds exactly."""
        if not isinstance(buffers, int) or type(stencil) is not int or type(depth) not in _EXACT:
            return None
        if len(color) != 4 or not all(type(item) in _EXACT and (type(item) is float or -_LARGE < item < _LARGE) for item in color):
            return None
        return _CLEAR.pack(_CLEAR_HEAD, _small(int(buffers), _U32), _small(stencil, _U32), *color, depth)

    def set_constant_buffer(self, stage: Any, buffer: Any, *, index: int = 0, offset: int = 0, size: int | None = None) -> bytes | None:
        """Bytes of whole words, a part of a buffer, or None."""
        kind, slot = lookup(ShaderType, stage, "stage"), _small(index, MAX_CONSTANT_BUFFERS - 1)
        if isinstance(buffer, Resource):
            handle = self._handle_of(buffer)
            begin = _small(offset, buffer.size)
            length = min(buffer.size - begin, MAX_BYTES) if size is None else size
            if not buffer.is_buffer or handle is None or buffer.is_destroyed:
                return None
            return pack(Command.UNIFORMS, kind, slot, begin, _small(length, MAX_UNIFORMS), handle)
        if buffer is None:
            return pack(Command.CONSTANTS, detail=slot_detail(kind, slot))
        data = bytes(memoryview(buffer).cast("B"))
        if offset or size is not None or not data or len(data) % 4 or len(data) > MAX_BYTES:
            return None
        return struct.pack("<I", header(Command.CONSTANTS, len(data) // 4, slot_detail(kind, slot))) + data

    def set_vertex_buffers(self, buffers: Any, *, start: int = 0) -> bytes | None:
        """Buffers, or None for empty slots."""
        if not isinstance(buffers, (list, tuple)) or len(buffers) > MAX_VERTEX_BUFFERS:
            return None
        words = [_small(start, MAX_VERTEX_BUFFERS)]
        for item in buffers:
            if item is None:
                words += (0, 0, 0)
                continue
            found = VertexBuffer(**item) if isinstance(item, Mapping) else item if type(item) is VertexBuffer else VertexBuffer(item)
            handle = self._handle_of(found.buffer) if isinstance(found.buffer, Resource) else None
            if handle is None or not found.buffer.is_buffer or found.buffer.is_destroyed:
                return None
            words += (_small(found.stride or 0, MAX_VERTEX_STRIDE), _small(found.buffer_offset, _U32), handle)
        return pack(Command.VERTEX_BUFFERS, *words)

    def set_index_buffer(self, index: Any, *, index_offset: int = 0) -> bytes | None:
        """A buffer or None."""
        if index is None:
            return pack(Command.INDEX_BUFFER, 0, 1, 0)
        handle = self._handle_of(index) if isinstance(index, Resource) else None
        if handle is None or not index.is_buffer or index.is_destroyed:
            return None
        return pack(Command.INDEX_BUFFER, handle, 1, _small(index_offset, _U32))


def fields_of(info: DrawInfo | None) -> dict[str, Any]:
    """The fields of a DrawInfo by name, none of None."""
    return {} if info is None else {item.name: getattr(info, item.name) for item in fields(info)}


_FORMS: dict[str, Callable[..., bytes | None]] = {
    form.__name__: form
    for form in (Encoder.draw_vbo, Encoder.clear, Encoder.set_constant_buffer, Encoder.set_vertex_buffers, Encoder.set_index_buffer)
}


def _small(value: Any, most: int) -> int:
    """An index in the range of a word."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 0 <= value <= most:
        raise ValueError(value)
    return int(value)


def _commands(method: Method, writer: ValueWriter, result: int, flags: int) -> bytes:
    """DATA commands and the call."""
    blocks, body = writer.data, bytes(writer.words)
    if len(body) // 4 + 2 > MOST_COUNT:
        blocks, body, flags = [*blocks, body], b"", flags | IN_DATA
    count = len(body) // 4 + 2
    is_state = method.places is not None and not blocks and not flags and not result and count < MAX_WORDS
    command = Command.STATE if is_state else Command.CALL
    made = b"".join(map(data_commands, blocks))
    return made + struct.pack("<3I", header(command, count), method.number | flags << 16, result) + body
