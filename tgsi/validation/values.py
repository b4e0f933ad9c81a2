"""Facts about the bytes of vertices: whole numbers and halves that are read as floats, elements that overlap."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import DrawState
from backends.device.memory import BoundVertexBuffer
from backends.pipe.state import DrawInfo, VertexElement
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.validation.declared import registers, semantics
from tgsi.validation.findings import Finding
from tgsi.validation.words import doubles, whole_numbers

_USUAL_DOUBLES = (0x3FF00000, 0x3FE00000)
"""Upper words of the doubles 1 and 0.5; as floats, they are 1.875 and 1.75."""
_MOST = 256
"""Vertices whose bytes are checked."""


def values(state: DrawState, info: DrawInfo, program: Program) -> Iterator[Finding]:
    """Elements of 32-bit floats whose memory holds something else, and elements that share bytes by mistake."""
    read = registers(program, File.IN)
    elements = [(register, e) for register, e in enumerate(state.vertex_elements) if register in read]
    for register, element in elements:
        slot = element.vertex_buffer_index
        buffer = state.vertex_buffers[slot] if slot < len(state.vertex_buffers) else None
        if buffer is None or not element.src_format.name.endswith("_FLOAT") or not element.src_format.name.startswith("R32"):
            continue
        kind = getattr(buffer.keepalive, "dtype", None)
        if isinstance(kind, np.dtype) and kind.itemsize == 2:
            text = (
                f"vertex buffer {slot} was an array of {kind}, and IN[{register}] reads it as {element.src_format}: "
                f".astype(numpy.float32), or a format of 16 bits such as {element.src_format.name.replace('32', '16')}"
            )
            yield Finding("halves", (register, slot, element.src_format), text)
        elif element.instance_divisor == 0 and (numbers := whole_numbers(_words(buffer, element, info))):
            text = (
                f"vertex buffer {slot} holds whole numbers, such as {numbers}, and IN[{register}] reads them as {element.src_format}: "
                ".astype(numpy.float32), or a format that converts, _SSCALED or _USCALED"
            )
            yield Finding("whole numbers", (register, slot, element.src_format), text)
        elif element.instance_divisor == 0 and (numbers := _doubles(_words(buffer, element, info))):
            text = f"the vertices of IN[{register}] look like an array of float64, {numbers}, read as floats: .astype(numpy.float32)"
            yield Finding("doubles", (register, slot, element.src_format), text)
    if not semantics(program, File.SV) & {"VERTEXID", "VERTEXID_NOBASE", "INSTANCEID"}:
        yield from _repeated(state, info, elements)
    for (first, a), (second, b) in combinations(elements, 2):
        if (a.vertex_buffer_index, a.instance_divisor) == (b.vertex_buffer_index, b.instance_divisor) and _straddle(a, b):
            text = (
                f"the vertex elements of IN[{first}] and IN[{second}] share bytes: {_span(a)} and {_span(b)} of vertex buffer "
                f"{a.vertex_buffer_index}; src_offset counts bytes, not floats"
            )
            yield Finding("overlap", (a, b), text)


def _doubles(words: NDArray[np.uint32]) -> str:
    """Up to four numbers of float64, one of which is 1 or 0.5; empty where words are no such numbers."""
    if words.size < 6 or words.size % 2 or not np.isin(words.reshape(-1)[1::2] & np.uint32(0x7FFFFFFF), _USUAL_DOUBLES).any():
        return ""
    return doubles(words)


def _repeated(state: DrawState, info: DrawInfo, elements: list[tuple[int, VertexElement]]) -> Iterator[Finding]:
    """Buffers that all have the stride 0, so that each vertex is the first one."""
    buffers = [state.vertex_buffers[e.vertex_buffer_index : e.vertex_buffer_index + 1] for _, e in elements if not e.instance_divisor]
    bound = [item[0] for item in buffers if item and item[0] is not None]
    if info.count > 1 and bound and len(bound) == len(elements) and all(item.stride == 0 for item in bound):
        size = max(element.src_offset + element.src_format.block_bytes for _, element in elements)
        text = f"the stride of every vertex buffer is 0, so each vertex is the first one: {{'buffer': ..., 'stride': {size}}}"
        yield Finding("count", ("repeated", size), text)  # frontends look for arrays in their own state


def _span(element: VertexElement) -> str:
    return f"{element.src_offset} to {element.src_offset + element.src_format.block_bytes}"


def _straddle(a: VertexElement, b: VertexElement) -> bool:
    """True if two elements have bytes in common, and each has some of its own."""
    low, high = sorted((e.src_offset, e.src_offset + e.src_format.block_bytes) for e in (a, b))
    return low[0] < high[0] < low[1] < high[1]


def _words(buffer: BoundVertexBuffer, element: VertexElement, info: DrawInfo) -> NDArray[np.uint32]:
    """Words of an element in the first vertices of a draw, without those beyond the buffer; (vertices, words)."""
    size = element.src_format.block_bytes
    first = 0 if info.index_size else info.start
    start = first * buffer.stride + element.src_offset - buffer.lead
    count = _MOST if info.index_size else min(info.count, _MOST)
    if count <= 0 or start < 0 or start + size > buffer.size or start % 4 or buffer.stride % 4 or size % 4:
        return np.zeros(0, np.uint32)
    if buffer.stride:
        count = min(count, (buffer.size - start - size) // buffer.stride + 1)
    else:
        count = 1
    data = np.frombuffer(ctypes.string_at(buffer.address + start, (count - 1) * buffer.stride + size), np.uint32)
    rows = np.arange(count)[:, None] * (buffer.stride // 4) + np.arange(size // 4)
    return np.asarray(data[rows])
