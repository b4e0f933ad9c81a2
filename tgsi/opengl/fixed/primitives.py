"""Draws of primitives from immediate mode and display lists. (OpenGL 2.1, 2.6)"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.gallium import DrawInfo, Prim, VertexBuffer
from tgsi.opengl.drawing.validate import validate_draw
from tgsi.opengl.drawing.vertices import CURRENT
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.batch import Batch
from tgsi.opengl.state.fixed import VERTEX

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.objects.linked import Linked

MAX_KEPT = 1000
"""Most sets of current values with cached vertex elements and buffer."""

_PACKED = {letter: struct.Struct(f"=4{letter}").pack for letter in CURRENT}


def array_of(gl: Context, batch: Batch) -> Any:
    """The vertices as float32, [vertex, 1 + column, 4]."""
    batch.settle()
    width = 1 + len(batch.columns)
    if batch.array is not None:
        return batch.array
    is_whole = all(len(row) == width for row in batch.rows)
    if is_whole:
        array = np.array(batch.rows, np.float32).reshape(len(batch.rows), width, 4)
        batch.array = array
        return array
    now = [gl.attributes[location][1] for location in batch.columns]
    return np.array([(*row, *now[len(row) - 1 :]) for row in batch.rows], np.float32).reshape(len(batch.rows), width, 4)


def draw(gl: Context, batch: Batch, *, keeps: bool = False) -> None:
    """Draw the vertices; with `keeps`, cache them in a buffer. Afterwards, current values are those of the last vertex."""
    if len(batch) and gl.legacy.taker is not None:
        gl.legacy.taker(gl, batch)
    elif len(batch):
        validate_draw(gl, has_vertices=False)
        gl.dirty |= dirty.VERTICES
        linked = gl.active_linked()
        if linked is not None and linked.shaders:
            _draw(gl, batch, linked, keeps=keeps)
    for location, values in zip(batch.columns, batch.values, strict=True):
        gl.attributes[location] = "f", values


def _draw(gl: Context, batch: Batch, linked: Linked, *, keeps: bool) -> None:
    layout = tuple(batch.columns)
    missing = linked.missing.get(layout)
    if missing is None:
        missing = linked.missing[layout] = [item for item in locations_of(linked) if item not in layout and item not in (VERTEX, 0)]
    known: dict[Any, tuple[Any, VertexBuffer | None]] = gl.bound.setdefault("primitives", {})
    letters, current = "", b""
    for location in missing:
        letter, values = gl.attributes[location]
        letter = "f" if letter == "d" else letter
        letters += letter
        current += _PACKED[letter](*values)
    key = linked, layout, letters, current
    entry = known.get(key)
    if entry is None:
        if len(known) >= MAX_KEPT:
            known.clear()
        entry = known[key] = _elements(gl, linked, layout, letters), _vertex_buffer(gl, current, 0) if current else None
    elements, constant = entry
    gl.pipe.bind_vertex_elements_state(elements)
    array = array_of(gl, batch)
    if keeps and batch.array is not None:
        turns = batch.mode == GL.QUADS and gl.raster.shade_model == GL.SMOOTH and not linked.has_flat_inputs()
        if turns not in batch.resources:
            buffer = _vertex_buffer(gl, turned(array) if turns else array, 16 * array.shape[1])
            batch.resources[turns] = buffer, DrawInfo(mode=getattr(Prim, batch.mode_name), count=len(batch))
        vertices, info = batch.resources[turns]
        gl.pipe.set_vertex_buffers([vertices] if constant is None else [vertices, constant])
        gl.pipe.draw_vbo(info)
        return
    own = VertexBuffer(array.tobytes(), 16 * array.shape[1])
    gl.pipe.set_vertex_buffers([own] if constant is None else [own, constant])
    gl.pipe.draw_vbo(mode=batch.mode_name, count=len(batch))


def turned(array: Any) -> Any:
    """Rotate quads to begin at their second vertex, so that the diagonal starts there, as Mesa splits smooth quads of display lists."""
    whole = len(array) // 4 * 4
    quads = np.roll(array[:whole].reshape(-1, 4, *array.shape[1:]), -1, axis=1)
    return np.concatenate([quads.reshape(-1, *array.shape[1:]), array[whole:]])


def locations_of(linked: Linked) -> list[int]:
    """The attribute location of each input register."""
    return [item.location + row for item in linked.attributes for row in range(item.registers)]


def _elements(gl: Context, linked: Linked, layout: tuple[int, ...], letters: str) -> Any:
    """Vertex elements for columns of a primitive and, in the second buffer, for the current values of other attributes."""
    elements, rest = [], iter(letters)
    offset = 0
    for location in locations_of(linked):
        if location in (VERTEX, 0):
            elements.append((0, "R32G32B32A32_FLOAT", 0, 0))
        elif location in layout:
            elements.append((16 * (1 + layout.index(location)), "R32G32B32A32_FLOAT", 0, 0))
        else:
            elements.append((offset, CURRENT[next(rest)], 1, 0))
            offset += 16
    key = "elements", tuple(elements)
    state_object = gl.state_objects.get(key)
    if state_object is None:
        names = ("src_offset", "src_format", "vertex_buffer_index", "instance_divisor")
        state_object = gl.state_objects[key] = gl.pipe.create_vertex_elements_state([dict(zip(names, element)) for element in elements])
    return state_object


def _vertex_buffer(gl: Context, data: Any, stride: int) -> VertexBuffer:
    return VertexBuffer(gl.screen.buffer_from(data), stride)
