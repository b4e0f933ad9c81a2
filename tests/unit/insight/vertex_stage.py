"""The outputs of vertices as the reference interpreter computes them, from the bound buffers and indices."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.memory import BoundVertexBuffer
from backends.formats import Format
from backends.formats.arrays import unpack
from backends.interp.machine import Machine
from backends.pipe.enums import Prim
from backends.pipe.state import DrawInfo, VertexElement
from backends.run.arguments import prepare
from tgsi.language.facts.enums import File

Words = NDArray[np.uint32]


def corners_of(mode: Prim, number: int) -> tuple[int, ...]:
    """Places of a primitive's vertices in the draw, in any order; those of a quad for its triangles. Empty for other modes."""
    match mode:
        case Prim.POINTS:
            return (number,)
        case Prim.LINES:
            return (2 * number, 2 * number + 1)
        case Prim.LINE_STRIP:
            return (number, number + 1)
        case Prim.TRIANGLES:
            return (3 * number, 3 * number + 1, 3 * number + 2)
        case Prim.TRIANGLE_STRIP:
            return (number, number + 1, number + 2)
        case Prim.TRIANGLE_FAN | Prim.POLYGON:
            return (0, number + 1, number + 2)
        case Prim.QUADS | Prim.QUAD_STRIP:
            first = (4 if mode is Prim.QUADS else 2) * (number // 2)
            return (first, first + 1, first + 2, first + 3)
        case _:
            return ()


def vertices_of(context: Any, info: DrawInfo, number: int) -> list[int] | None:
    """Numbers of the vertices of a primitive; None where they are not computed here."""
    places = corners_of(info.mode, number)
    if not places or info.primitive_restart or max(places) >= info.count:
        return None
    if not info.index_size:
        return [info.start + place for place in places]
    memory = context.state.index_buffer
    kind = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32}[info.index_size]
    room = memory.size // info.index_size
    indices = (kind * room).from_address(memory.address)
    return [(indices[info.start + place] if info.start + place < room else 0) + info.index_bias for place in places]


def _fetched(element: VertexElement, buffer: BoundVertexBuffer | None, row: int) -> Words | None:
    """An attribute of one vertex as words; None for formats that are not computed here."""
    if not isinstance(element.src_format, Format):
        return None
    size = element.src_format.block_bytes
    words = np.array([0, 0, 0, 1], np.float32).view(np.uint32)
    if buffer is None:
        return words
    start = row * buffer.stride + element.src_offset - buffer.lead
    if start < 0 or start + size > buffer.size:
        return None
    data = np.frombuffer(ctypes.string_at(buffer.address + start, size), np.uint8)
    return np.ascontiguousarray(unpack(element.src_format, data)).view(np.uint32).reshape(4)


def outputs_of(context: Any, info: DrawInfo, number: int, instance: int, units: Any) -> Words | None:
    """Outputs of the vertices of a primitive, (vertices, OUT registers that are declared, 4); None where they are not computed here.

    units: arguments of the interpreter for constants, textures and memory of the vertex stage.
    """
    state = context.state
    program = state.vertex.shader.program
    vertices = vertices_of(context, info, number)
    if vertices is None:
        return None
    inputs = np.zeros((len(vertices), program.file_size(File.IN), 4), np.uint32)
    for k, vertex in enumerate(vertices):
        for register in {r for d in program.declared(File.IN) for r in range(d.first, d.last + 1)}:
            element = state.vertex_elements[register]
            bound = state.vertex_buffers
            buffer = bound[element.vertex_buffer_index] if element.vertex_buffer_index < len(bound) else None
            divisor = element.instance_divisor
            words = _fetched(element, buffer, info.start_instance + instance // divisor if divisor else vertex)
            if words is None:
                return None
            inputs[k, register] = words
    names = {d.semantic.name for d in program.declared(File.SV) if d.semantic is not None}
    numbers = np.array(vertices, np.int64).astype(np.uint32)
    known = {"VERTEXID": numbers, "INSTANCEID": np.full(len(numbers), instance, np.uint32)}
    if names - set(known):
        return None
    system: dict[str, Any] = {name: known[name] for name in names}
    arguments = prepare(program, inputs, system_values=system, **units)
    machine = Machine(program, arguments)
    machine.registers.files[File.IN][:, : len(vertices)] = inputs.transpose(1, 0, 2)
    machine.run()
    registers = sorted({k for d in program.declared(File.OUT) for k in range(d.first, d.last + 1)})
    return np.asarray(machine.outputs[registers, : len(vertices)].transpose(1, 0, 2))
