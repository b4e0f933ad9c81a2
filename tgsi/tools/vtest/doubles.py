"""Vertex attributes of 64-bit floats, which Gallium's formats here lack: each draw reads them as 32-bit floats from temporary buffers."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from backends.device.memory import BoundVertexBuffer
from backends.formats import Format
from backends.gallium.resource.resource import address_of
from backends.pipe.limits import MAX_VERTEX_BUFFERS
from backends.pipe.state import VertexElement
from tgsi.language.record import record
from tgsi.tools.vtest.errors import CommandError
from tgsi.tools.vtest.resources import plain_format_of

if TYPE_CHECKING:
    from backends.gallium.context.context import Context

FIRST = 24
"""The protocol's number of R64_FLOAT. The formats of two to four channels follow it."""

SINGLES = (Format.R32_FLOAT, Format.R32G32_FLOAT, Format.R32G32B32_FLOAT, Format.R32G32B32A32_FLOAT)
_READABLE = 64  # bytes that a kernel may read beyond the last attribute


def has_doubles(numbers: Sequence[int]) -> bool:
    """True if one of these formats consists of 64-bit floats."""
    return any(FIRST <= number < FIRST + len(SINGLES) for number in numbers)


@record
class _Double:
    """Attribute of doubles: its vertex buffer, offset in bytes and channel count, and the slot to which its 32-bit copy is bound."""

    slot: int
    buffer: int
    offset: int
    count: int


class DoubleElements:
    """Vertex elements object with doubles. object: the Context's object, which reads 32-bit floats in their place."""

    def __init__(self, context: Context, rows: Sequence[Sequence[int]]) -> None:
        self._doubles: list[_Double] = []
        elements = []
        slot = MAX_VERTEX_BUFFERS
        for index, (offset, divisor, buffer, number) in enumerate(rows):
            count = number - FIRST + 1
            if not 1 <= count <= len(SINGLES):
                elements.append(VertexElement(offset, plain_format_of(number, f"src_format[{index}]"), buffer, divisor))
                continue
            slot -= 1
            self._doubles.append(_Double(slot, buffer, offset, count))
            elements.append(VertexElement(0, SINGLES[count - 1], slot, divisor))
        if any(row[2] >= slot for row in rows):
            raise CommandError("vertex_buffer_index", f"slots from {slot} on are needed for doubles")
        self.object: Any = context.create_vertex_elements_state(elements)

    def buffers(self, context: Context) -> tuple[BoundVertexBuffer | None, ...]:
        """The bound vertex buffers, with 32-bit copies of the doubles in additional slots."""
        bound = list(context.state.vertex_buffers)
        found: list[BoundVertexBuffer | None] = [*bound, *[None] * (MAX_VERTEX_BUFFERS - len(bound))]
        for double in self._doubles:
            source = found[double.buffer]
            if source is not None:
                found[double.slot] = _singles(context, source, double)
        return tuple(found)


def _singles(context: Context, source: BoundVertexBuffer, double: _Double) -> BoundVertexBuffer | None:
    size = 8 * double.count
    room = source.size - double.offset - size
    if room < 0:
        return None
    context.finish_range(source.address, source.size)
    count = room // source.stride + 1 if source.stride else 1
    memory = memoryview((ctypes.c_uint8 * source.size).from_address(source.address))
    doubles = np.ndarray((count, double.count), "<f8", memory, double.offset, (source.stride, 8))
    singles = np.zeros(4 * double.count * count + _READABLE, np.uint8)
    with np.errstate(over="ignore", invalid="ignore"):
        singles[:-_READABLE].view(np.float32)[:] = doubles.astype(np.float32).reshape(-1)
    return BoundVertexBuffer(address_of(singles), len(singles) - _READABLE, 4 * double.count if source.stride else 0, singles)
