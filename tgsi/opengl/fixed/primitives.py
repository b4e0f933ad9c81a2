"""Primitives of immediate mode and display lists, drawn at once. (OpenGL 2.1, 2.6)"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.opengl.drawing.validate import validate_draw
from tgsi.opengl.drawing.vertices import CURRENT
from tgsi.opengl.state import dirty
from tgsi.opengl.state.batch import Batch
from tgsi.opengl.state.fixed import VERTEX

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def array_of(gl: Context, batch: Batch) -> Any:
    """[vertex, 1 + column, 4] of float32."""
    width = 1 + len(batch.columns)
    if batch.array is not None:
        return batch.array
    is_whole = all(len(row) == width for row in batch.rows)
    if is_whole:
        made = np.array(batch.rows, np.float32).reshape(len(batch.rows), width, 4)
        batch.array = made
        return made
    now = [gl.attributes[location][1] for location in batch.columns]
    return np.array([(*row, *now[len(row) - 1 :]) for row in batch.rows], np.float32).reshape(len(batch.rows), width, 4)


def draw(gl: Context, batch: Batch, *, keeps: bool = False) -> None:
    """Draw the vertices; `keeps` leaves them in a buffer for the next time. Attributes have their last values afterwards."""
    if len(batch):
        validate_draw(gl)
        linked = gl.active_linked()
        if linked is not None and linked.shaders:
            _bind(gl, batch, linked, keeps=keeps)
            gl.pipe.draw_vbo(mode=batch.mode_name, count=len(batch))
            gl.dirty |= dirty.VERTICES
    for location, values in zip(batch.columns, batch.values, strict=True):
        gl.attributes[location] = "f", values


def _bind(gl: Context, batch: Batch, linked: Any, *, keeps: bool) -> None:
    array = array_of(gl, batch)
    stride = 16 * array.shape[1]
    elements, current = [], bytearray()
    for item in linked.attributes:
        for row in range(item.registers):
            location = item.location + row
            if location in (VERTEX, 0):
                elements.append((0, "R32G32B32A32_FLOAT", 0, 0))
            elif location in batch.columns:
                elements.append((16 * (1 + batch.columns.index(location)), "R32G32B32A32_FLOAT", 0, 0))
            else:
                letter, values = gl.attributes[location]
                elements.append((len(current), CURRENT[letter], 1, 0))
                current += struct.pack(f"=4{letter}", *values)
    key = "elements", tuple(elements)
    made = gl.state_objects.get(key)
    if made is None:
        names = ("src_offset", "src_format", "vertex_buffer_index", "instance_divisor")
        made = gl.state_objects[key] = gl.pipe.create_vertex_elements_state([dict(zip(names, element)) for element in elements])
    gl.pipe.bind_vertex_elements_state(made)
    source: Any = array
    if keeps and batch.array is not None:
        if batch.resource is None:
            batch.resource = gl.screen.buffer_from(array)
        source = batch.resource
    buffers: list[Any] = [{"buffer": source if source is not array else array.tobytes(), "stride": stride}]
    if current:
        buffers.append({"buffer": bytes(current), "stride": 0})
    gl.pipe.set_vertex_buffers(buffers)
