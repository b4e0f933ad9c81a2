"""The command of bytes written into a mapping: the words of `Encoder.call`, packed at once because programs map before each draw."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from backends.device.calls.table import NUMBERS
from backends.device.commands.layout import INLINE, Command, Tag, header
from backends.gallium.context.recording.encoder import Piece, data_commands
from backends.gallium.resource.resource import Box

_HEAD = struct.Struct("<6I")  # header, method, result, the arguments' tag, a handle
_REST = struct.Struct("<2I8sIiI4sI12iI8sIi")
_TEXTS = {name: (int(Tag.TEXT) | len(name) << 8, name) for name in (b"level", b"box", b"usage")}
_MAP, _BOX, _BLOCK, _INT = Tag.MAP | 3 << 8, Tag.TUPLE | 6 << 8, int(Tag.DATA), int(Tag.INT)


def mapped_words(handle: int, data: bytes, level: int, box: Box, usage: int) -> Sequence[Piece]:
    """write_mapped(resource, data, level=, box=, usage=), as an encoder writes it."""
    is_inline = len(data) <= INLINE
    body = struct.pack("<I", Tag.BYTES | len(data) << 8) + data + bytes(-len(data) % 4) if is_inline else struct.pack("<I", _BLOCK)
    edges = (_INT, box.x, _INT, box.y, _INT, box.z, _INT, box.width, _INT, box.height, _INT, box.depth)
    rest = _REST.pack(_MAP, *_TEXTS[b"level"], _INT, level, *_TEXTS[b"box"], _BOX, *edges, *_TEXTS[b"usage"], _INT, usage)
    count = _HEAD.size // 4 - 1 + (len(body) + len(rest)) // 4
    head = _HEAD.pack(header(Command.CALL, count), NUMBERS["write_mapped"], 0, Tag.TUPLE | 2 << 8, Tag.HANDLE, handle)
    return [*(() if is_inline else data_commands(data)), head + body + rest]
