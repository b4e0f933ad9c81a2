"""Interfaces of programs: 64-bit integers, arrays of arrays of blocks, captures that a text states; and rectangles for triangles."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tests.unit.opengl.covering import VERTEX, covered, drawn
from tgsi.opengl.registry import enums as GL

pytestmark = needs_glslang


@pytest.fixture
def gl() -> Binding:
    return covered()


def test_uniforms_of_64_bit_integers_have_their_commands(gl: Binding) -> None:
    text = """#version 430
    #extension GL_ARB_gpu_shader_int64 : require
    uniform i64vec2 a; uniform uint64_t b[2]; out vec4 c;
    void main() { c = vec4(a.x == -5000000000L ? 1.0 : 0.0, a.y == 7L ? 1.0 : 0.0, b[1] == 10000000000UL ? 1.0 : 0.0, 1.0); }"""
    program = gl.program(VERTEX, text)
    gl.glUseProgram(program)
    gl.glUniform2i64ARB(gl.glGetUniformLocation(program, b"a"), -5000000000, 7)
    assert drawn(gl) == (255, 255, 0, 255)
    gl.glProgramUniform1ui64vARB(program, gl.glGetUniformLocation(program, b"b"), 2, np.array([1, 10000000000], np.uint64))
    assert drawn(gl) == (255, 255, 255, 255)
    found = np.zeros(2, np.int64)
    gl.glGetUniformi64vARB(program, gl.glGetUniformLocation(program, b"a"), found)
    assert found.tolist() == [-5000000000, 7]
    types = {}
    for index in range(2):
        size, type, name = (ctypes.c_int32 * 1)(), (ctypes.c_uint32 * 1)(), ctypes.create_string_buffer(8)
        gl.glGetActiveUniform(program, index, 8, None, size, type, name)
        types[name.value] = type[0]
    assert types == {b"a": GL.INT64_VEC2_ARB, b"b[0]": GL.UNSIGNED_INT64_ARB}
    gl.glUniform2f(gl.glGetUniformLocation(program, b"a"), 1.0, 2.0)
    assert gl.glGetError() == GL.INVALID_OPERATION


def test_blocks_in_arrays_of_arrays_have_bindings_one_after_the_other(gl: Binding) -> None:
    text = """#version 430
    layout(std140, binding = 2) uniform B { vec4 color; } b[2][3]; uniform int i; uniform int j; out vec4 c;
    void main() { c = b[i][j].color; }"""
    program = gl.program(VERTEX, text)
    found = (ctypes.c_int32 * 1)()
    for i in range(2):
        for j in range(3):
            index = gl.glGetUniformBlockIndex(program, f"B[{i}][{j}]".encode())
            gl.glGetActiveUniformBlockiv(program, index, GL.UNIFORM_BLOCK_BINDING, found)
            assert found[0] == 2 + 3 * i + j
    gl.glUseProgram(program)
    buffer = gl.buffer(GL.UNIFORM_BUFFER, np.array([0.0, 1.0, 0.0, 1.0], np.float32))
    gl.glBindBufferBase(GL.UNIFORM_BUFFER, 6, buffer)
    gl.glUniform1i(gl.glGetUniformLocation(program, b"i"), 1)
    gl.glUniform1i(gl.glGetUniformLocation(program, b"j"), 1)
    assert drawn(gl) == (0, 255, 0, 255)


def test_members_of_structs_have_locations_one_after_the_other(gl: Binding) -> None:
    text = """#version 430
    struct In { sampler2D a; sampler2D b; }; struct S { In parts[2]; sampler2D grid[2][3]; };
    struct Plain { vec3 c[3]; vec4 d; };
    layout(location = 2) uniform S s; layout(location = 20) uniform Plain p[2]; uniform int n; out vec4 color;
    void main() {
        color = p[n].d + vec4(p[n].c[n], 0.0) + texture(s.parts[n].a, vec2(0.5)) + texture(s.parts[n].b, vec2(0.5))
            + texture(s.grid[n][n], vec2(0.5));
    }"""
    program = gl.program(VERTEX, text)
    names = {"s.parts[0].a": 2, "s.parts[0].b": 3, "s.parts[1].a": 4, "s.parts[1].b": 5, "s.grid[0][0]": 6, "s.grid[1][2]": 11}
    names |= {"p[0].c[0]": 20, "p[0].c[2]": 22, "p[0].d": 23, "p[1].c": 24, "p[1].d": 27}
    assert {name: gl.glGetUniformLocation(program, name.encode()) for name in names} == names


def test_locations_of_members_follow_their_declaration_whatever_their_types(gl: Binding) -> None:
    text = """#version 430
    struct Samp { sampler2D tex; float offset; }; layout(location = 0) uniform Samp s;
    layout(location = 5) uniform struct { float a; sampler2D b[2]; highp vec2 c, d; } t[2]; out vec4 color;
    void main() {
        color = texture(s.tex, vec2(0.5)) + s.offset + t[0].a + t[1].a + vec4(t[0].c + t[0].d, t[1].c + t[1].d);
        color += texture(t[0].b[0], vec2(0.5)) + texture(t[0].b[1], vec2(0.5)) + texture(t[1].b[0], vec2(0.5));
    }"""
    program = gl.program(VERTEX, text)
    names = {"s.tex": 0, "s.offset": 1, "t[0].a": 5, "t[0].b[1]": 7, "t[0].c": 8, "t[0].d": 9, "t[1].a": 10, "t[1].b[0]": 11, "t[1].d": 14}
    assert {name: gl.glGetUniformLocation(program, name.encode()) for name in names} == names


def test_layouts_of_comments_and_of_inactive_branches_do_not_count(gl: Binding) -> None:
    text = """#version 430
    #define AT 4
    #if defined GL_ES || AT != 4
    #elif AT == 4
    layout(location = AT) uniform float a; layout(binding = AT) uniform sampler2D t;
    layout(std140, binding = AT) uniform B { vec4 b; }; layout(binding = 1, offset = 8) uniform atomic_uint n;
    layout(location = 1) out vec4 first; layout(location = 0) out vec4 second;
    #else
    layout(location = 7) uniform float a; layout(binding = 5) uniform sampler2D t;
    layout(std140, binding = 6) uniform B { vec4 b; }; layout(binding = 2, offset = 4) uniform atomic_uint n;
    layout(location = 0) out vec4 first; layout(location = 1) out vec4 second;
    #endif
    // layout(location = 9) uniform float a;
    void main() { first = texture(t, vec2(a)) + b + float(atomicCounterIncrement(n)); second = vec4(1.0); }"""
    program = gl.program(VERTEX, text)
    assert gl.glGetUniformLocation(program, b"a") == 4
    found = (ctypes.c_int32 * 1)()
    gl.glGetUniformiv(program, gl.glGetUniformLocation(program, b"t"), found)
    assert found[0] == 4
    gl.glGetActiveUniformBlockiv(program, gl.glGetUniformBlockIndex(program, b"B"), GL.UNIFORM_BLOCK_BINDING, found)
    assert found[0] == 4
    gl.glGetActiveAtomicCounterBufferiv(program, 0, GL.ATOMIC_COUNTER_BUFFER_BINDING, found)
    assert found[0] == 1
    assert gl.glGetFragDataLocation(program, b"first") == 1


def test_samplers_in_arrays_of_arrays_have_units_one_after_the_other(gl: Binding) -> None:
    text = """#version 430
    layout(binding = 1) uniform sampler2D grid[2][2][2]; out vec4 color; void main() { color = texture(grid[0][1][1], vec2(0.5)); }"""
    program = gl.program(VERTEX, text)
    found = (ctypes.c_int32 * 1)()
    gl.glGetUniformiv(program, gl.glGetUniformLocation(program, b"grid[0][1][1]"), found)
    assert found[0] == 4


def test_an_output_and_a_uniform_of_one_name_have_their_own_locations(gl: Binding) -> None:
    vertex = "#version 430\nin vec2 p; uniform float c; void main() { gl_Position = vec4(p * c, 0.0, 1.0); }"
    program = gl.program(vertex, "#version 430\nlayout(location = 3) out vec4 c; void main() { c = vec4(1.0); }")
    assert gl.glGetUniformLocation(program, b"c") == 0


def test_layouts_of_a_text_capture_without_names(gl: Binding) -> None:
    text = """#version 440
    layout(xfb_buffer = 1, xfb_offset = 4) out vec2 t; in vec2 p;
    void main() { t = p * 2.0; gl_Position = vec4(p, 0.0, 1.0); }"""
    program = gl.program(text, "#version 430\nin vec2 t; out vec4 c; void main() { c = vec4(t, 0.0, 1.0); }")
    gl.glUseProgram(program)
    gl.glBeginTransformFeedback(GL.TRIANGLES)
    assert gl.glGetError() == GL.INVALID_OPERATION
    buffer = gl.buffer(GL.TRANSFORM_FEEDBACK_BUFFER, np.zeros(9, np.float32))
    gl.glBindBufferBase(GL.TRANSFORM_FEEDBACK_BUFFER, 1, buffer)
    gl.glBeginTransformFeedback(GL.TRIANGLES)
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    gl.glEndTransformFeedback()
    found = np.zeros(9, np.float32)
    gl.glGetBufferSubData(GL.TRANSFORM_FEEDBACK_BUFFER, 0, found.nbytes, found)
    assert found.tolist() == [0, -2, -2, 0, 6, -2, 0, -2, 6]
    assert gl.glGetError() == GL.NO_ERROR


def test_triangles_are_drawn_as_rectangles(gl: Binding) -> None:
    gl.glUseProgram(gl.program(VERTEX, "#version 330\nout vec4 c; void main() { c = vec4(1.0); }"))
    gl.buffer(GL.ARRAY_BUFFER, np.array([-1, -1, 1, -1, -1, 1], np.float32))
    gl.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, None)
    gl.glPolygonMode(GL.FRONT_AND_BACK, GL.FILL_RECTANGLE_NV)
    assert drawn(gl) == (255, 255, 255, 255)
    assert gl.glGetError() == GL.NO_ERROR


def test_rectangles_for_one_face_alone_draw_nothing() -> None:
    gl = Binding("compatibility", size=(4, 4))
    gl.glPolygonMode(GL.FRONT, GL.FILL_RECTANGLE_NV)
    gl.glRectf(-1.0, -1.0, 1.0, 1.0)
    assert gl.glGetError() == GL.INVALID_OPERATION
    gl.glPolygonMode(GL.BACK, GL.FILL_RECTANGLE_NV)
    gl.glRectf(-1.0, -1.0, 1.0, 1.0)
    assert gl.glGetError() == GL.NO_ERROR
