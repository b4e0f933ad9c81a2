"""Selection and feedback: report primitives as numbers instead of drawing them. (OpenGL 2.1, 5.2 and 5.3)"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from tgsi.opengl.calls import command
from tgsi.opengl.errors import GLError, bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.fixed.clipped import LINE, POINT, POLYGON, Rows, assembled, cut, distances_of
from tgsi.opengl.fixed.primitives import array_of
from tgsi.opengl.fixed.transformed import transformed
from tgsi.opengl.gets.values import VALUES
from tgsi.opengl.memory import Pointer, write, write_bytes
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.state.batch import Batch

MAX_NAMES = 64
TYPES = {GL._2D: 2, GL._3D: 3, GL._3D_COLOR: 3, GL._3D_COLOR_TEXTURE: 3, GL._4D_COLOR_TEXTURE: 4}
"""Feedback types, and the number of position values of each."""

_MODES = {GL.POINT: POINT, GL.LINE: LINE}


# -- primitives
def take(gl: Context, batch: Batch) -> None:
    """Record a primitive: its depths for selection, or its vertices for feedback."""
    array = array_of(gl, batch)
    shaded = transformed(gl, batch.columns, array)
    if shaded is None:
        return
    rows = np.concatenate([shaded.clip, shaded.front, shaded.back, shaded.coordinate], axis=1)
    distances = distances_of(shaded.clip, shaded.distances)
    for kind, members, resets in assembled(batch.mode, len(array)):
        part = cut(kind, rows[members], distances[members])
        if not len(part):
            continue
        window = _window(gl, part)
        is_front = kind != POLYGON or _is_front(gl, window)
        if kind == POLYGON and _is_culled(gl, is_front):
            continue
        if gl.legacy.render.mode == GL.SELECT:
            note_hit(gl, window[:, 2])
        else:
            flat = rows[members[0 if batch.mode == GL.POLYGON else -1]] if gl.raster.shade_model == GL.FLAT else None
            _write(gl, kind, _vertices(gl, part, window, flat, is_front=is_front), resets=resets, is_front=is_front)


def _window(gl: Context, rows: Rows) -> Rows:
    """Window coordinates and the w of clip coordinates."""
    x, y, width, height = gl.raster.viewports[0]
    near, far = gl.raster.depth_ranges[0]
    w = rows[:, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        place = rows[:, :3] / w[:, None]
    columns = (x + (place[:, 0] + 1) * width / 2, y + (place[:, 1] + 1) * height / 2, place[:, 2] * (far - near) / 2 + (far + near) / 2, w)
    return np.stack(columns, axis=1).astype(np.float32)


def _is_front(gl: Context, window: Rows) -> bool:
    x, y = window[:, 0], window[:, 1]
    area = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    return (area > 0) == (gl.raster.front_face == GL.CCW)


def _is_culled(gl: Context, is_front: bool) -> bool:
    if GL.CULL_FACE not in gl.enabled:
        return False
    return gl.raster.cull_face in (GL.FRONT_AND_BACK, GL.FRONT if is_front else GL.BACK)


# -- selection
def note_hit(gl: Context, depths: Rows) -> None:
    """Record a hit at these depths, 0 .. 1."""
    state = gl.legacy.render
    low, high = float(np.min(depths)), float(np.max(depths))
    state.depths = (low, high) if state.depths is None else (min(low, state.depths[0]), max(high, state.depths[1]))


def _end_record(gl: Context) -> None:
    """Write the hit record of the name stack, if there was a hit since its last change."""
    state = gl.legacy.render
    if state.mode != GL.SELECT or state.depths is None:
        return
    low, high = (round(min(1.0, max(0.0, depth)) * 4294967295) for depth in state.depths)
    state.hits.append([len(state.names), low, high, *state.names])
    state.depths = None


@command("glInitNames")
def init_names(gl: Context) -> None:
    """Empty the name stack."""
    if gl.legacy.render.mode == GL.SELECT:
        _end_record(gl)
        gl.legacy.render.names = []


@command("glPushName")
def push_name(gl: Context, name: int) -> None:
    """Push a name."""
    state = gl.legacy.render
    if state.mode == GL.SELECT:
        if len(state.names) >= MAX_NAMES:
            raise GLError(GL.STACK_OVERFLOW, f"{MAX_NAMES} names are on the stack")
        _end_record(gl)
        state.names.append(name)


@command("glPopName")
def pop_name(gl: Context) -> None:
    """Pop a name."""
    state = gl.legacy.render
    if state.mode == GL.SELECT:
        if not state.names:
            raise GLError(GL.STACK_UNDERFLOW, "no name is on the stack")
        _end_record(gl)
        state.names.pop()


@command("glLoadName")
def load_name(gl: Context, name: int) -> None:
    """Replace the name on top of the stack."""
    state = gl.legacy.render
    if state.mode == GL.SELECT:
        if not state.names:
            raise bad_operation("the name stack is empty")
        _end_record(gl)
        state.names[-1] = name


@command("glSelectBuffer")
def select_buffer(gl: Context, size: int, buffer: Pointer) -> None:
    """Set the caller's buffer for hit records."""
    not_negative("size", size)
    if gl.legacy.render.mode == GL.SELECT:
        raise bad_operation("the render mode is GL_SELECT")
    gl.legacy.render.select = size, buffer or 0


# -- feedback
def _vertices(gl: Context, part: Rows, window: Rows, flat: Rows | None, *, is_front: bool) -> list[list[float]]:
    kind = gl.legacy.render.feedback[2]
    colors = slice(4, 8) if is_front or not (gl.fixed.two_side and GL.LIGHTING in gl.fixed.enabled) else slice(8, 12)
    vertices = []
    for row, place in zip(part, window, strict=True):
        values = place[: TYPES[kind]].tolist()
        if kind in (GL._3D_COLOR, GL._3D_COLOR_TEXTURE, GL._4D_COLOR_TEXTURE):
            values += (row if flat is None else flat)[colors].tolist()
        if kind in (GL._3D_COLOR_TEXTURE, GL._4D_COLOR_TEXTURE):
            values += row[12:16].tolist()
        vertices.append(values)
    return vertices


def _write(gl: Context, kind: str, vertices: list[list[float]], *, resets: bool, is_front: bool) -> None:
    values = gl.legacy.render.values
    if kind == POLYGON:
        mode = gl.raster.polygon_front if is_front else gl.raster.polygon_back
        if mode == GL.FILL:
            values += [float(GL.POLYGON_TOKEN), float(len(vertices)), *(number for vertex in vertices for number in vertex)]
            return
        for k, vertex in enumerate(vertices):
            ends = [vertex] if mode == GL.POINT else [vertex, vertices[(k + 1) % len(vertices)]]
            _write(gl, _MODES[mode], ends, resets=k == 0, is_front=is_front)
        return
    token = GL.POINT_TOKEN if kind == POINT else GL.LINE_RESET_TOKEN if resets else GL.LINE_TOKEN
    values += [float(token), *(number for vertex in vertices for number in vertex)]


def note_raster(gl: Context, token: int) -> bool:
    """Record a bitmap or a pixel rectangle at the raster position. True if it is not drawn, because the mode is not GL_RENDER."""
    state = gl.legacy.render
    if state.mode == GL.FEEDBACK and gl.fixed.raster_valid:
        x, y, z, w = gl.fixed.raster_position
        row = np.array([[0, 0, 0, w, *gl.fixed.raster_color, *gl.fixed.raster_color, *gl.fixed.raster_coordinates[0]]], np.float32)
        vertex = _vertices(gl, row, np.array([[x, y, z, w]], np.float32), None, is_front=True)[0]
        state.values += [float(token), *vertex]
    return state.mode != GL.RENDER


@command("glPassThrough")
def pass_through(gl: Context, token: float) -> None:
    """Add a marker of the caller to the feedback."""
    if gl.legacy.render.mode == GL.FEEDBACK:
        gl.legacy.render.values += [float(GL.PASS_THROUGH_TOKEN), token]


@command("glFeedbackBuffer")
def feedback_buffer(gl: Context, size: int, type: int, buffer: Pointer) -> None:
    """Set the caller's buffer for feedback, and the type of its vertices."""
    if gl.legacy.render.mode == GL.FEEDBACK:
        raise bad_operation("the render mode is GL_FEEDBACK")
    not_negative("size", size)
    if type not in TYPES:
        raise bad_enum("type", type)
    if size and not buffer:
        raise bad_value("buffer: it is null")
    gl.legacy.render.feedback = size, buffer or 0, type


# -- modes
@command("glRenderMode")
def render_mode(gl: Context, mode: int) -> int:
    """Change the mode. Returns the number of hit records or feedback values of the old mode, or -1 if they did not fit."""
    state = gl.legacy.render
    if mode not in (GL.RENDER, GL.SELECT, GL.FEEDBACK):
        raise bad_enum("mode", mode)
    if (mode == GL.SELECT and not state.select[0]) or (mode == GL.FEEDBACK and not state.feedback[0]):
        raise bad_operation("mode: it has no buffer")
    result = _finish(gl)
    state.mode, state.names, state.hits, state.values, state.depths = mode, [], [], [], None
    gl.legacy.taker = None if mode == GL.RENDER else take
    return result


def _finish(gl: Context) -> int:
    """Write the records or values of the ending mode to the caller's buffer."""
    state = gl.legacy.render
    if state.mode == GL.SELECT:
        _end_record(gl)
        size, address = state.select
        words = [word for record in state.hits for word in record]
        write("I", address, words[:size])
        return len(state.hits) if len(words) <= size else -1
    if state.mode == GL.FEEDBACK:
        size, address, _ = state.feedback
        values = state.values[:size]
        write_bytes(address, struct.pack(f"={len(values)}f", *values))
        return len(values) if len(state.values) <= size else -1
    return 0


VALUES[GL.RENDER_MODE] = "i", lambda gl: gl.legacy.render.mode
VALUES[GL.NAME_STACK_DEPTH] = "i", lambda gl: len(gl.legacy.render.names)
VALUES[GL.MAX_NAME_STACK_DEPTH] = "i", lambda gl: MAX_NAMES
VALUES[GL.SELECTION_BUFFER_SIZE] = "i", lambda gl: gl.legacy.render.select[0]
VALUES[GL.FEEDBACK_BUFFER_SIZE] = "i", lambda gl: gl.legacy.render.feedback[0]
VALUES[GL.FEEDBACK_BUFFER_TYPE] = "i", lambda gl: gl.legacy.render.feedback[2]
