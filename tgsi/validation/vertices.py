"""Facts about vertices and indices: elements without buffers, formats of another type than the input, ranges beyond the buffers."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import DrawState
from backends.pipe.enums import Prim
from backends.pipe.state import DrawInfo, VertexElement
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.validation.declared import registers
from tgsi.validation.findings import Finding

_LEAST = {
    Prim.POINTS: 1, Prim.LINES: 2, Prim.LINE_LOOP: 2, Prim.LINE_STRIP: 2, Prim.LINES_ADJACENCY: 4, Prim.LINE_STRIP_ADJACENCY: 4,
    Prim.QUADS: 4, Prim.QUAD_STRIP: 4, Prim.TRIANGLES_ADJACENCY: 6, Prim.TRIANGLE_STRIP_ADJACENCY: 6,
}  # fmt: skip
"""Vertices of the first primitive of a mode; 3 for others."""
_SMALL = (Prim.POINTS, Prim.LINES, Prim.LINE_LOOP, Prim.LINE_STRIP)
"""Modes in which every second index may be 0 on purpose."""
_MOST_INDICES = 20_000_000


def counts(state: DrawState, info: DrawInfo) -> Iterator[Finding]:
    """Draws without a primitive."""
    least = least_count(info.mode, info.vertices_per_patch or state.record.patch_vertices)
    mode = info.mode.name
    if info.count == 0:
        given = "the index buffer" if info.index_size else "the vertex buffer"
        yield Finding(
            "count", mode, f"count is 0, so nothing is drawn: give count=, the number of vertices; it is not taken from {given}", True
        )
    elif info.count < least:
        yield Finding("count", (mode, info.count), f"count is {info.count}, and the first primitive of {mode} has {least} vertices", True)
    if info.instance_count == 0:
        yield Finding("instances", mode, "instance_count is 0, so nothing is drawn: 1 draws without instances", True)


def least_count(mode: Prim, patch_vertices: int) -> int:
    """Vertices of the first primitive of a mode."""
    return patch_vertices if mode is Prim.PATCHES else _LEAST.get(mode, 3)


def elements(state: DrawState, program: Program) -> Iterator[Finding]:
    """Inputs of the vertex shader without an element or a buffer, or of another type or a larger stride than theirs."""
    bound, buffers = state.vertex_elements, state.vertex_buffers
    names = _names(program)
    for item in program.declared(File.IN):
        for register in range(item.first, item.last + 1):
            name, kind = names.get(register, (f"IN[{register}]", ""))
            if register >= len(bound):
                have = f"{len(bound)} vertex elements are bound" if bound else "no vertex elements are bound"
                text = f"the vertex shader reads {name}, and {have}: bind_vertex_elements_state, or set_vertices"
                yield Finding("element", (id(program), register), text)
                continue
            element = bound[register]
            slot = element.vertex_buffer_index
            if slot >= len(buffers) or buffers[slot] is None:
                text = f"the vertex shader reads {name} from vertex buffer {slot}, which is not bound: set_vertex_buffers"
                yield Finding("buffer", (id(program), register, slot), text)
                continue
            yield from _format(element, name, kind, register)
            buffer = buffers[slot]
            assert buffer is not None
            end = element.src_offset + element.src_format.block_bytes
            if 0 < buffer.stride < end:
                text = (
                    f"the vertex element of {name} ends at byte {end} of a vertex, and the stride of vertex buffer {slot} is "
                    f"{buffer.stride}: it reads bytes of the next vertex; is the stride wrong, or {element.src_format}?"
                )
                yield Finding("stride", (register, slot, buffer.stride, end), text)


def _names(program: Program) -> dict[int, tuple[str, str]]:
    """Name and type of each input that has them, by register."""
    ports = program.interface.inputs.values() if program.interface is not None else ()
    return {port.location + row: (port.name, port.type) for port in ports for row in range(port.registers) if port.location >= 0}


def _format(element: VertexElement, name: str, kind: str, register: int) -> Iterator[Finding]:
    """An integer format for an input of floats, or the other way."""
    format = element.src_format
    is_integer = bool(getattr(format, "is_integer", False))
    wants_integer = kind.startswith(("i", "u"))
    if kind and not kind.startswith(("d", "b")) and is_integer != wants_integer:
        word = "whole numbers, whose bits it takes for floats" if is_integer else "floats, whose bits it takes for whole numbers"
        other = format.name.replace("_UINT", "_USCALED").replace("_SINT", "_SSCALED") if is_integer else "an _UINT or _SINT format"
        yield Finding("kind", (register, format), f"the input {kind} {name} gets {format}: {word}; {other} is meant")


def ranges(state: DrawState, info: DrawInfo, program: Program) -> Iterator[Finding]:
    """Vertices and indices beyond the bound memory."""
    first, last = info.start, info.start + info.count - 1
    if info.count <= 0:
        return
    if info.index_size:
        memory = state.index_buffer
        if memory is None:
            return
        room = memory.size // info.index_size
        if last >= room:
            text = f"indices {first} to {last} are drawn, and the index buffer has {room}: those beyond read as 0"
            yield Finding("indices", (info.index_size, room), text)
        found = _indices(memory, info, min(last + 1, room))
        if not len(found):
            return
        if info.index_size == 2 and info.mode not in _SMALL and len(found) >= 3 and not found[1::2].any() and len(np.unique(found)) > 1:
            text = "every second index of 16 bits is 0: are the indices of 32 bits? index_size=4"
            yield Finding("index size", (info.index_size, room), text)
        first, last = int(found.min()) + info.index_bias, int(found.max()) + info.index_bias
    bound, buffers = state.vertex_elements, state.vertex_buffers
    read = registers(program, File.IN)
    said = set()
    for register, element in enumerate(bound):
        slot = element.vertex_buffer_index
        if register not in read or slot in said or slot >= len(buffers) or (buffer := buffers[slot]) is None:
            continue
        if element.instance_divisor:
            highest, what = info.start_instance + max(info.instance_count - 1, 0) // element.instance_divisor, "instances"
        else:
            highest, what = last, "vertices"
        if buffer.stride == 0:
            continue
        end = element.src_offset + element.src_format.block_bytes
        room = max(0, (buffer.size + buffer.lead - end) // buffer.stride + 1)
        if highest >= room:
            said.add(slot)
            by = (
                "an index names vertex"
                if info.index_size and what == "vertices"
                else "the draw reads vertex"
                if what == "vertices"
                else "it reads row"
            )
            text = f"{by} {highest}, and vertex buffer {slot} holds {room} {what} of {buffer.stride} bytes: those beyond read as 0"
            if info.index_size and not info.primitive_restart and highest - info.index_bias == (1 << 8 * info.index_size) - 1:
                text += "; is primitive_restart meant?"
            elif info.index_size == 4 and what == "vertices" and highest >= 0x10000 and highest >> 16 < room and highest & 0xFFFF < room:
                text += "; are the indices of 16 bits? index_size=2"
            yield Finding("beyond", (slot, room, what), text)
    if info.index_size and first < 0:
        yield Finding("beyond", "below", f"index_bias {info.index_bias} gives vertex {first}, which is below 0")


def _indices(memory: Any, info: DrawInfo, end: int) -> NDArray[Any]:
    """Indices of the draw inside the index buffer, without the restart index."""
    count = min(end - info.start, _MOST_INDICES)
    if count <= 0:
        return np.zeros(0, np.uint32)
    size = info.index_size
    kind = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32}[size]
    found = np.ctypeslib.as_array((kind * count).from_address(memory.address + info.start * size))
    return found[found != (info.restart_index & (1 << 8 * size) - 1)] if info.primitive_restart else found
