"""Draws: every command, with instances, first instances, biases, restarts and arguments in buffers, draws the vertices that it names."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

pytestmark = [needs_glslang, pytest.mark.light]

WIDTH = 16
VERTEX = """#version 460
layout(location = 0) in float column;
layout(location = 1) in float shift;
flat out vec4 tint;
void main() {
    gl_Position = vec4((column + shift + 0.5) / 8.0 - 1.0, 0.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    tint = vec4(gl_InstanceID + 1, gl_BaseInstance + 1, gl_DrawID + 1, gl_BaseVertex + 1) / 255.0;
}
"""
FRAGMENT = "#version 460\nflat in vec4 tint;\nout vec4 color;\nvoid main() { color = tint; }"
COLUMNS = np.arange(WIDTH, dtype=np.float32)
SHIFTS = np.array([0, 4, 8], np.float32)
INDICES = [3, 1, 0xFF, 2, 0]


@pytest.fixture(scope="module")
def context() -> Binding:
    gl = Binding(size=(WIDTH, 1))
    gl.glBindVertexArray(gl.make("VertexArrays"))
    for index, data in enumerate((COLUMNS, SHIFTS)):
        gl.buffer(GL.ARRAY_BUFFER, data)
        gl.glVertexAttribPointer(index, 1, GL.FLOAT, 0, 0, None)
        gl.glEnableVertexAttribArray(index)
    gl.glVertexAttribDivisor(1, 1)
    gl.glUseProgram(gl.program(VERTEX, FRAGMENT))
    gl.glEnable(GL.PROGRAM_POINT_SIZE)
    return gl


@pytest.fixture
def gl(context: Binding) -> Iterator[Binding]:
    context.glClearColor(0, 0, 0, 0)
    context.glClear(GL.COLOR_BUFFER_BIT)
    yield context
    for name in (GL.PRIMITIVE_RESTART, GL.PRIMITIVE_RESTART_FIXED_INDEX):
        context.glDisable(name)
    assert context.glGetError() == GL.NO_ERROR


def shown(gl: Binding) -> dict[int, tuple[int, ...]]:
    """Instance, first instance, draw and bias (each from 0) of the last point in each column."""
    pixels = gl.pixels(WIDTH, 1)[0].astype(int)
    return {column: tuple(int(value) - 1 for value in pixel) for column, pixel in enumerate(pixels) if pixel.any()}


def by_arrays(gl: Binding) -> dict[int, tuple[int, ...]]:
    """`shown` without the bias, which only draws by indices have."""
    return {column: (*found[:3], 0) for column, found in shown(gl).items()}


def points(columns: Any, instance: int = 0, base: int = 0, draw: int = 0, bias: int = 0) -> dict[int, tuple[int, ...]]:
    return dict.fromkeys(columns, (instance, base, draw, bias))


def index(gl: Binding, kind: Any, values: Any) -> int:
    return gl.buffer(GL.ELEMENT_ARRAY_BUFFER, np.array(values, kind))


def test_vertices_are_drawn_in_their_order(gl: Binding) -> None:
    gl.glDrawArrays(GL.POINTS, 3, 2)
    assert by_arrays(gl) == points([3, 4])


def test_instances_move_to_their_own_values(gl: Binding) -> None:
    gl.glDrawArraysInstanced(GL.POINTS, 1, 2, 2)
    assert by_arrays(gl) == points([1, 2]) | points([5, 6], 1)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glDrawArraysInstancedBaseInstance(GL.POINTS, 1, 2, 2, 1)
    assert by_arrays(gl) == points([5, 6], 0, 1) | points([9, 10], 1, 1)


@pytest.mark.parametrize(("type", "kind"), [(GL.UNSIGNED_BYTE, np.uint8), (GL.UNSIGNED_SHORT, np.uint16), (GL.UNSIGNED_INT, np.uint32)])
def test_indices_of_each_size_choose_vertices(gl: Binding, type: int, kind: Any) -> None:
    size = np.dtype(kind).itemsize
    index(gl, kind, [9, 7, 5, 3, 1])
    gl.glDrawElements(GL.POINTS, 3, type, 2 * size)
    assert shown(gl) == points([5, 3, 1])
    for command, arguments, wanted in (
        ("glDrawRangeElements", (GL.POINTS, 0, 9, 2, type, None), points([9, 7])),
        ("glDrawElementsInstanced", (GL.POINTS, 1, type, 4 * size, 2), points([1]) | points([5], 1)),
        ("glDrawElementsBaseVertex", (GL.POINTS, 2, type, None, -5), points([4, 2], bias=-5)),
        ("glDrawRangeElementsBaseVertex", (GL.POINTS, 0, 9, 2, type, None, 3), points([12, 10], bias=3)),
        ("glDrawElementsInstancedBaseVertex", (GL.POINTS, 1, type, 4 * size, 2, 2), points([3], bias=2) | points([7], 1, bias=2)),
        ("glDrawElementsInstancedBaseInstance", (GL.POINTS, 1, type, 4 * size, 1, 2), points([9], 0, 2)),
        (
            "glDrawElementsInstancedBaseVertexBaseInstance",
            (GL.POINTS, 1, type, 4 * size, 2, 1, 1),
            points([6], 0, 1, 0, 1) | points([10], 1, 1, 0, 1),
        ),
    ):
        gl.glClear(GL.COLOR_BUFFER_BIT)
        getattr(gl, command)(*arguments)
        found = shown(gl)
        if "BaseVertex" in command and -5 in arguments:  # a negative bias has no color
            assert set(found) == set(wanted)
        else:
            assert found == wanted, command


def test_several_draws_are_numbered(gl: Binding) -> None:
    gl.glMultiDrawArrays(GL.POINTS, np.array([1, 5], np.int32), np.array([2, 1], np.int32), 2)
    assert by_arrays(gl) == points([1, 2]) | points([5], draw=1)
    index(gl, np.uint8, [9, 7, 5, 3])
    places = (ctypes.c_uint64 * 2)(0, 2)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glMultiDrawElements(GL.POINTS, np.array([1, 2], np.int32), GL.UNSIGNED_BYTE, places, 2)
    assert shown(gl) == points([9]) | points([5, 3], draw=1)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glMultiDrawElementsBaseVertex(GL.POINTS, np.array([1, 2], np.int32), GL.UNSIGNED_BYTE, places, 2, np.array([2, 1], np.int32))
    assert shown(gl) == points([11], bias=2) | points([6, 4], draw=1, bias=1)


def test_a_restart_index_is_no_vertex(gl: Binding) -> None:
    index(gl, np.uint8, INDICES)
    gl.glEnable(GL.PRIMITIVE_RESTART)
    gl.glPrimitiveRestartIndex(2)
    gl.glDrawElements(GL.POINTS, 2, GL.UNSIGNED_BYTE, 3)
    assert shown(gl) == points([0])
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glEnable(GL.PRIMITIVE_RESTART_FIXED_INDEX)  # goes before the other one
    gl.glDrawElements(GL.POINTS, 5, GL.UNSIGNED_BYTE, None)
    assert shown(gl) == points([3, 1, 2, 0])


def test_arguments_come_from_a_buffer(gl: Binding) -> None:
    gl.buffer(GL.DRAW_INDIRECT_BUFFER, np.array([7, 2, 1, 3, 0, 7, 1, 2, 1, 1], np.uint32))
    gl.glDrawArraysIndirect(GL.POINTS, 4)
    assert by_arrays(gl) == points([3, 4])
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glMultiDrawArraysIndirect(GL.POINTS, 4, 2, 20)
    assert by_arrays(gl) == points([3, 4]) | points([5], 0, 1, 1) | points([9], 1, 1, 1)
    index(gl, np.uint16, [9, 7, 5, 3])
    gl.buffer(GL.DRAW_INDIRECT_BUFFER, np.array([2, 1, 1, 0, 0, 1, 2, 3, 1, 1], np.uint32))
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glDrawElementsIndirect(GL.POINTS, GL.UNSIGNED_SHORT, None)
    assert shown(gl) == points([7, 5])
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glMultiDrawElementsIndirect(GL.POINTS, GL.UNSIGNED_SHORT, None, 2, 0)
    assert shown(gl) == points([7, 5]) | points([8], 0, 1, 1, 1) | points([12], 1, 1, 1, 1)


def test_draws_of_nothing_draw_nothing(gl: Binding) -> None:
    index(gl, np.uint8, [1, 2, 3])
    gl.glDrawArrays(GL.POINTS, 0, 0)
    gl.glDrawArraysInstanced(GL.POINTS, 0, 3, 0)
    gl.glDrawElements(GL.POINTS, 0, GL.UNSIGNED_BYTE, None)
    gl.glDrawElements(GL.POINTS, 3, GL.UNSIGNED_BYTE, 3)  # behind the last index
    gl.glMultiDrawArraysIndirect(GL.POINTS, None, 0, 0)
    assert shown(gl) == {}


def test_as_many_vertices_are_drawn_as_were_captured(gl: Binding) -> None:
    capture, program = gl.make("TransformFeedbacks"), gl.get(GL.CURRENT_PROGRAM)[0]
    made = gl.glCreateProgram()
    text = "#version 460\nlayout(location = 0) in float column; out float moved;\n"
    text += "void main() { moved = column + 2.0; gl_Position = vec4(0.0); }"
    shader, raw = gl.glCreateShader(GL.VERTEX_SHADER), ctypes.c_char_p(text.encode())
    gl.glShaderSource(shader, 1, ctypes.byref(raw), None)
    gl.glCompileShader(shader)
    gl.glAttachShader(made, shader)
    gl.glTransformFeedbackVaryings(made, 1, ctypes.byref((ctypes.c_char_p * 1)(b"moved")), GL.INTERLEAVED_ATTRIBS)
    gl.glLinkProgram(made)
    gl.glUseProgram(made)
    gl.glBindTransformFeedback(GL.TRANSFORM_FEEDBACK, capture)
    target = gl.buffer(GL.ARRAY_BUFFER, np.zeros(16, np.float32))
    gl.glBindBufferBase(GL.TRANSFORM_FEEDBACK_BUFFER, 0, target)
    gl.glEnable(GL.RASTERIZER_DISCARD)
    gl.glBeginTransformFeedback(GL.POINTS)
    assert (gl.get(GL.TRANSFORM_FEEDBACK_ACTIVE), gl.get(GL.TRANSFORM_FEEDBACK_PAUSED)) == ([1], [0])
    gl.glDrawArrays(GL.POINTS, 1, 3)
    gl.glEndTransformFeedback()
    gl.glDisable(GL.RASTERIZER_DISCARD)
    gl.glUseProgram(program)
    gl.glVertexAttribPointer(0, 1, GL.FLOAT, 0, 0, None)
    try:
        gl.glDrawTransformFeedback(GL.POINTS, capture)
        assert set(shown(gl)) == {3, 4, 5}
        gl.glDrawTransformFeedbackInstanced(GL.POINTS, capture, 2)
        assert set(shown(gl)) == {3, 4, 5, 7, 8, 9}
        gl.glClear(GL.COLOR_BUFFER_BIT)
        gl.glDrawTransformFeedbackStream(GL.POINTS, capture, 0)
        assert set(shown(gl)) == {3, 4, 5}
        gl.glDrawTransformFeedbackStreamInstanced(GL.POINTS, capture, 0, 3)
        assert len(shown(gl)) == 9
    finally:
        gl.glBindTransformFeedback(GL.TRANSFORM_FEEDBACK, 0)
        gl.buffer(GL.ARRAY_BUFFER, COLUMNS)
        gl.glVertexAttribPointer(0, 1, GL.FLOAT, 0, 0, None)


def test_wrong_draws_have_their_codes(context: Binding) -> None:
    gl = context
    index(gl, np.uint8, [0, 1, 2])
    gl.buffer(GL.DRAW_INDIRECT_BUFFER, np.zeros(10, np.uint32))
    one, byte = np.zeros(1, np.int32), GL.UNSIGNED_BYTE
    for function, arguments, code in (
        ("glDrawArrays", (GL.QUADS, 0, 4), GL.INVALID_ENUM),  # not of the core profile
        ("glDrawArrays", (GL.PATCHES, 0, 3), GL.INVALID_OPERATION),
        ("glDrawArrays", (GL.POINTS, -1, 1), GL.INVALID_VALUE),
        ("glDrawArrays", (GL.POINTS, 0, -1), GL.INVALID_VALUE),
        ("glDrawArraysInstanced", (GL.POINTS, 0, 1, -1), GL.INVALID_VALUE),
        ("glDrawElements", (GL.POINTS, 1, GL.FLOAT, None), GL.INVALID_ENUM),
        ("glDrawElements", (GL.POINTS, -1, byte, None), GL.INVALID_VALUE),
        ("glDrawRangeElements", (GL.POINTS, 2, 1, 1, byte, None), GL.INVALID_VALUE),
        ("glDrawRangeElementsBaseVertex", (GL.POINTS, 2, 1, 1, byte, None, 0), GL.INVALID_VALUE),
        ("glMultiDrawArrays", (GL.POINTS, one, one, -1), GL.INVALID_VALUE),
        ("glMultiDrawElements", (GL.POINTS, one, byte, one, -1), GL.INVALID_VALUE),
        ("glMultiDrawElementsBaseVertex", (GL.POINTS, one, byte, one, -1, one), GL.INVALID_VALUE),
        ("glMultiDrawArraysIndirect", (GL.POINTS, None, 1, 2), GL.INVALID_VALUE),
        ("glMultiDrawArraysIndirect", (GL.POINTS, 2, 1, 0), GL.INVALID_VALUE),
        ("glMultiDrawArraysIndirect", (GL.POINTS, None, -1, 0), GL.INVALID_VALUE),
        ("glMultiDrawArraysIndirect", (GL.POINTS, None, 3, 0), GL.INVALID_OPERATION),
        ("glMultiDrawElementsIndirect", (GL.POINTS, byte, None, 3, 0), GL.INVALID_OPERATION),
        ("glMultiDrawElementsIndirect", (GL.POINTS, GL.FLOAT, None, 1, 0), GL.INVALID_ENUM),
        ("glDrawTransformFeedback", (GL.POINTS, 4711), GL.INVALID_VALUE),
        ("glDrawTransformFeedback", (GL.POINTS, 0), GL.INVALID_OPERATION),
    ):
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)
    gl.glBindBuffer(GL.DRAW_INDIRECT_BUFFER, 0)
    gl.glDrawArraysIndirect(GL.POINTS, None)
    assert gl.glGetError() == GL.INVALID_OPERATION
    gl.buffer(GL.DRAW_INDIRECT_BUFFER, np.zeros(10, np.uint32))
    gl.glBindBuffer(GL.ELEMENT_ARRAY_BUFFER, 0)
    gl.glDrawElements(GL.POINTS, 1, byte, None)
    assert gl.glGetError() == GL.INVALID_OPERATION
    gl.glDrawElementsIndirect(GL.POINTS, byte, None)
    assert gl.glGetError() == GL.INVALID_OPERATION
