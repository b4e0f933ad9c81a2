"""The command of bytes written into a mapping: the words of `Encoder.call`, packed at once because programs map before each draw."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache

from backends.device.calls.table import NUMBERS
from backends.device.commands.layout import INLINE, Command, Tag, header
from backends.gallium.context.recording.encoder import Piece, data_commands
from backends.gallium.resource.resource import Box

_HEAD = struct.Struct("<5I")  # header, method, result, the tags of the arguments and of the first one
_HANDLE = struct.Struct("<2I")  # a handle, the tag of the data
_REST = struct.Struct("<2I8sIiI4sI12iI8sIi")
_TEXTS = {name: (int(Tag.TEXT) | len(name) << 8, name) for name in (b"level", b"box", b"usage")}
_MAP, _BOX, _BLOCK, _BYTES, _INT = Tag.MAP | 3 << 8, Tag.TUPLE | 6 << 8, int(Tag.DATA), int(Tag.BYTES), int(Tag.INT)


def mapped_words(handle: int, data: Piece, level: int, box: Box, usage: int) -> Sequence[Piece]:
    """write_mapped(resource, data, level=, box=, usage=), as an encoder writes it."""
    size = len(data)
    head, rest = _around(size if size <= INLINE else -1, level, usage, box.x, box.y, box.z, box.width, box.height, box.depth)
    if size > INLINE:
        return [*data_commands(data), head + _HANDLE.pack(handle, _BLOCK) + rest]
    return (b"".join((head, _HANDLE.pack(handle, _BYTES | size << 8), data, rest)),)


@lru_cache(256)
def _around(size: int, level: int, usage: int, *edges: int) -> tuple[bytes, bytes]:
    """The words before the handle and after the data. size: of data among the words; -1: they are in commands of their own."""
    padding = -size % 4 if size >= 0 else 0
    items = [item for edge in edges for item in (_INT, edge)]
    rest = bytes(padding) + _REST.pack(_MAP, *_TEXTS[b"level"], _INT, level, *_TEXTS[b"box"], _BOX, *items, *_TEXTS[b"usage"], _INT, usage)
    count = (_HEAD.size + _HANDLE.size + max(size, 0) + len(rest)) // 4 - 1
    return _HEAD.pack(header(Command.CALL, count), NUMBERS["write_mapped"], 0, Tag.TUPLE | 2 << 8, Tag.HANDLE), rest
