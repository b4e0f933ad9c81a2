"""Vertex arrays as vertex elements and vertex buffers of Gallium. (OpenGL 4.6 core, chapter 10)"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from tgsi.opengl.memory import read
from tgsi.opengl.objects.linked import Attribute as Input
from tgsi.opengl.objects.vertex_array import Attribute
from tgsi.opengl.state import dirty
from tgsi.opengl.state.fixed import VERTEX

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

CURRENT = {"f": "R32G32B32A32_FLOAT", "i": "R32G32B32A32_SINT", "I": "R32G32B32A32_UINT"}
"""Formats of current values, by the struct letter of their numbers."""


class Reader:
    """Vertices in the caller's memory: the range of each array that a draw reads."""

    __slots__ = ("first", "instances", "last")

    def __init__(self, first: int, last: int, instances: int) -> None:
        self.first, self.last, self.instances = first, last, instances


def bind_vertices(gl: Context, reader: Reader | None = None) -> None:
    """Bind the arrays that the current program reads."""
    linked = gl.active_linked()
    inputs = linked.attributes if linked is not None else []
    array = gl.vertex_array
    count = max((item.register + item.registers for item in inputs), default=0)
    elements: list[tuple[Any, ...]] = [(0, "R32G32B32A32_FLOAT", 0, 0)] * count
    buffers: list[Any] = []
    slots: dict[Any, int] = {}
    current = bytearray()
    for item in inputs:
        each = item.shape.registers
        for row in range(item.registers):
            attribute = array.attributes[_source(gl, item.location + row // each)]
            if attribute.is_enabled:
                elements[item.register + row] = _element(gl, attribute, item, row, buffers, slots, reader)
            else:
                if "current" not in slots:
                    slots["current"] = len(buffers)
                    buffers.append(current)
                letter, values = gl.attributes[item.location + row // each]
                is_double = letter == "d" and item.kind.startswith("d")
                format = "R32G32B32A32_UINT" if is_double else CURRENT.get(letter, CURRENT["f"])
                elements[item.register + row] = len(current), format, slots["current"], 0
                current += packed_current(letter, values, row % each if is_double else None)
    key = tuple(elements)
    state_object = gl.state_objects.get(("elements", key))
    if state_object is None:
        rows = [dict(zip(("src_offset", "src_format", "vertex_buffer_index", "instance_divisor"), element)) for element in key]
        state_object = gl.state_objects["elements", key] = gl.pipe.create_vertex_elements_state(rows)
    gl.pipe.bind_vertex_elements_state(state_object)
    gl.pipe.set_vertex_buffers([{"buffer": bytes(item), "stride": 0} if item is current else item for item in buffers])


def packed_current(letter: str, values: tuple[Any, ...], part: int | None) -> bytes:
    """The register bytes of a current value. For doubles, `part` selects two of them; None converts them to floats for a float input."""
    if letter == "d":
        return struct.pack("=4f", *values) if part is None else struct.pack("=2d", *values[2 * part : 2 * part + 2])
    return struct.pack(f"=4{letter}", *values)


def _source(gl: Context, location: int) -> int:
    """The location of the array that feeds an input: generic attribute 0 and the conventional position are interchangeable."""
    if location in (0, VERTEX) and not gl.is_core():
        attributes = gl.vertex_array.attributes
        return 0 if attributes[0].is_enabled or not attributes[VERTEX].is_enabled else VERTEX
    return location


def _element(
    gl: Context, attribute: Attribute, item: Input, row: int, buffers: list[Any], slots: dict[Any, int], reader: Reader | None
) -> tuple[Any, ...]:
    """The vertex element of an enabled attribute; assigns a slot to its buffer."""
    binding = gl.vertex_array.bindings[attribute.binding]
    if binding.buffer is None and attribute.pointer:
        return _from_memory(attribute, binding.divisor, buffers, reader)
    slot = slots.get(attribute.binding)
    if slot is None:
        slot = slots[attribute.binding] = len(buffers)
        resource = binding.buffer.resource if binding.buffer is not None else None
        if resource is None:
            buffers.append(None)
        else:
            buffers.append({"buffer": resource, "stride": binding.stride, "buffer_offset": binding.offset})
    part = row % item.shape.registers
    return attribute.offset + 16 * part, _format(attribute, item, part), slot, binding.divisor


def _format(attribute: Attribute, item: Input, part: int) -> str:
    """The format of an attribute; doubles of a double input are read as words, two doubles per register."""
    if attribute.is_long and item.kind.startswith("d"):
        return "R32G32B32A32_UINT" if attribute.size - 2 * part > 1 else "R32G32_UINT"
    return attribute.format()


def _from_memory(attribute: Attribute, divisor: int, buffers: list[Any], reader: Reader | None) -> tuple[Any, ...]:
    """The vertex element of an array in the caller's memory; copies the range of the draw."""
    first, last = (0, 0) if reader is None else (reader.first, reader.last)
    if divisor and reader is not None:
        first, last = 0, max(0, (reader.instances - 1) // divisor)
    size = attribute.bytes()
    stride = attribute.stride or size
    data = read(attribute.pointer + first * stride, (last - first) * stride + size)
    buffers.append({"buffer": data, "stride": stride, "buffer_offset": -first * stride})
    return 0, attribute.format(), len(buffers) - 1, divisor


def has_client_arrays(gl: Context) -> bool:
    """True if an enabled attribute is in the caller's memory. Then vertices must be bound for each draw."""
    if not gl.dirty & dirty.VERTICES:
        return False
    array = gl.vertex_array
    return any(item.is_enabled and item.pointer and array.bindings[item.binding].buffer is None for item in array.attributes)
