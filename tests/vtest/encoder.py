"""Small client: messages and commands as bytes, written from the protocol's description alone."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgsi.gallium import Screen
from tgsi.tools.vtest.protocol.numbers import COMMAND_NAMES, OBJECT_NAMES
from tgsi.tools.vtest.protocol.wire import FileWire
from tgsi.tools.vtest.session.messages import answer
from tgsi.tools.vtest.session.session import Session

RGBA8 = 67
Z24S8 = 19
Z32F = 18
R32F, RG32F, RGBA32F = 28, 29, 31
BUFFER, TEXTURE_2D, RECT = 0, 2, 5
VERTEX, FRAGMENT, GEOMETRY, COMPUTE = 0, 1, 2, 5
TRIANGLES = 4
TARGET, DEPTH, SAMPLED = 2, 1, 8

PASS_VS = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
PASS_FS = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
CONSTANT_FS = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nMOV OUT[0], CONST[0][0]\nEND\n"


def word(value: float) -> int:
    """Bits of a float."""
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def floats(*values: float) -> list[int]:
    """Bits of floats."""
    return [word(value) for value in values]


class Commands:
    """Words of one SUBMIT_CMD."""

    def __init__(self) -> None:
        self.words: list[int] = []

    def add(self, name: str, *words: int, kind: str = "NULL") -> Commands:
        """Append a command by name."""
        return self.raw(COMMAND_NAMES.index(name), OBJECT_NAMES.index(kind), words)

    def raw(self, number: int, kind: int, words: Sequence[int], length: int | None = None) -> Commands:
        """Append a command by number, optionally with a wrong length."""
        self.words.append(number | kind << 8 | (len(words) if length is None else length) << 16)
        self.words.extend(item & 0xFFFFFFFF for item in words)
        return self

    def create(self, kind: str, handle: int, *words: int) -> Commands:
        """CREATE_OBJECT."""
        return self.add("CREATE_OBJECT", handle, *words, kind=kind)

    def bind(self, kind: str, handle: int) -> Commands:
        """BIND_OBJECT."""
        return self.add("BIND_OBJECT", handle, kind=kind)

    def shader(self, handle: int, stage: int, text: str, streams: Sequence[int] = ()) -> Commands:
        """Append a complete shader. streams: number of outputs and the words that describe them."""
        data = text.encode() + b"\0"
        return self.create("SHADER", handle, stage, len(data), 300, *(streams or (0,)), *text_words(data))

    def piece(self, handle: int, stage: int, offset: int, data: bytes) -> Commands:
        """Append a part of a shader's text. offset: length of the whole text, or the part's position with the highest bit set."""
        return self.create("SHADER", handle, stage, offset, 300, 0, *text_words(data))

    def constants(self, stage: int, *values: float) -> Commands:
        """Append data for constant buffer 0."""
        return self.add("SET_CONSTANT_BUFFER", stage, 0, *floats(*values))


def text_words(data: bytes) -> tuple[int, ...]:
    """Bytes as words, the last one padded."""
    padded = data + bytes(-len(data) % 4)
    return struct.unpack(f"<{len(padded) // 4}I", padded)


class Stream:
    """Recorded connection of protocol 0 in the making."""

    def __init__(self, name: str = "test") -> None:
        self.data = bytearray()
        text = name.encode() + b"\0"
        self.data += struct.pack("<2I", len(text), 8) + text

    @classmethod
    def continued(cls) -> Stream:
        """A stream for a client that has sent its name already."""
        made = cls()
        made.data.clear()
        return made

    def message(self, number: int, *words: int, length: int | None = None) -> Stream:
        """Append a message of words."""
        self.data += struct.pack("<2I", len(words) if length is None else length, number)
        self.data += struct.pack(f"<{len(words)}I", *(item & 0xFFFFFFFF for item in words))
        return self

    def resource(self, handle: int, target: int, format: int, bind: int, *sizes: int, array: int = 1, last_level: int = 0) -> Stream:
        """RESOURCE_CREATE."""
        width, height, depth = (*sizes, 1, 1)[:3]
        return self.message(2, handle, target, format, bind, width, height, depth, array, last_level, 0)

    def buffer(self, handle: int, data: bytes, bind: int = 16) -> Stream:
        """Append a buffer and its bytes."""
        return self.resource(handle, BUFFER, 64, bind, len(data)).put(handle, 0, (0, 0, 0, len(data), 1, 1), data)

    def put(self, handle: int, level: int, box: Sequence[int], data: bytes, stride: int = 0, layer_stride: int = 0) -> Stream:
        """TRANSFER_PUT, whose data is not padded although its length is."""
        self.message(5, handle, level, stride, layer_stride, *box, len(data), length=11 + (len(data) + 3) // 4)
        self.data += data
        return self

    def get(self, handle: int, level: int, box: Sequence[int], size: int, stride: int = 0, layer_stride: int = 0) -> Stream:
        """TRANSFER_GET."""
        return self.message(4, handle, level, stride, layer_stride, *box, size)

    def submit(self, commands: Commands) -> Stream:
        """SUBMIT_CMD."""
        return self.message(6, *commands.words)

    def wait(self, handle: int = 0, flags: int = 1) -> Stream:
        """RESOURCE_BUSY_WAIT."""
        return self.message(7, handle, flags)


@dataclass
class Result:
    """Result of a stream: its replies, and the lines about errors."""

    replies: bytes
    lines: list[str]

    def pixels(self, height: int, width: int, at: int = 0) -> NDArray[np.uint8]:
        """Reply at an offset as RGBA."""
        return np.frombuffer(self.replies, np.uint8, height * width * 4, at).reshape(height, width, 4)


Runner = Callable[[Stream], Result]


def run(screen: Screen, stream: Stream) -> Result:
    """Serve a stream to its end."""
    lines: list[str] = []
    replies = io.BytesIO()
    session = Session(screen, FileWire(io.BytesIO(bytes(stream.data)), replies), lines.append, protocol=0)
    answer(session)
    assert not session.resources
    assert not session.contexts
    return Result(replies.getvalue(), lines)


def target(size: int = 16) -> Stream:
    """Color target 1 and its surface 10, bound, with the states that a draw needs: shaders 20 and 21, blend 30, DSA 31,
    rasterizer 32, vertex elements 33 of two vec4s.
    """
    return Stream().resource(1, TEXTURE_2D, RGBA8, TARGET | SAMPLED, size, size).submit(pipeline(size))


def pipeline(size: int) -> Commands:
    """Commands of `target`."""
    half = size / 2
    c = Commands()
    c.create("SURFACE", 10, 1, RGBA8, 0, 0).add("SET_FRAMEBUFFER_STATE", 1, 0, 10)
    c.shader(20, VERTEX, PASS_VS).shader(21, FRAGMENT, PASS_FS).add("BIND_SHADER", 20, VERTEX).add("BIND_SHADER", 21, FRAGMENT)
    c.create("BLEND", 30, 0, 12, *[15 << 27] * 8).bind("BLEND", 30)
    c.create("DSA", 31, 0, 0, 0, 0).bind("DSA", 31)
    c.create("RASTERIZER", 32, 1 << 29 | 1 << 1, word(1), 0, 0xFFFF, word(1), 0, 0, 0).bind("RASTERIZER", 32)
    c.create("VERTEX_ELEMENTS", 33, 0, 0, 0, RGBA32F, 16, 0, 0, RGBA32F).bind("VERTEX_ELEMENTS", 33)
    return c.add("SET_VIEWPORT_STATE", 0, *floats(half, half, 0.5, half, half, 0.5))


def vertices(*corners: Sequence[float], color: Sequence[float] = (1, 0, 0, 1)) -> bytes:
    """Vertices with positions (x, y) and one color."""
    return b"".join(struct.pack("<8f", x, y, 0, 1, *color) for x, y in corners)


COVER = ((-1, -1), (3, -1), (-1, 3))
"""Triangle that covers the whole target."""


def draw(count: int = 3, start: int = 0, *, indexed: int = 0, mode: int = TRIANGLES, bias: int = 0, instances: int = 1) -> tuple[int, ...]:
    """Words of a DRAW_VBO."""
    return (start, count, mode, indexed, instances, bias, 0, 0, 0, 0, 0xFFFFFFFF, 0)


def read(stream: Stream, size: int = 16, handle: int = 1) -> Stream:
    """Append a read of a whole 2D target of four bytes per texel."""
    return stream.get(handle, 0, (0, 0, 0, size, size, 1), size * size * 4)
