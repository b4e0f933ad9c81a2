"""Program pipelines, and stages written in several shader objects."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

pytestmark = needs_glslang

VERTEX = (
    "#version 330\nin vec2 p; out vec3 t; uniform float scale; void main() { t = vec3(p, 1.0); gl_Position = vec4(p * scale, 0.0, 1.0); }"
)
FRAGMENT = "#version 330\nin vec3 t; out vec4 c; uniform vec3 tint; void main() { c = vec4(t.zzz * tint, 1.0); }"


@pytest.fixture
def gl() -> Binding:
    made = Binding("core", size=(8, 8))
    made.glClearColor(0, 0, 0, 1)
    made.glClear(GL.COLOR_BUFFER_BIT)
    made.glBindVertexArray(made.make("VertexArrays"))
    made.buffer(GL.ARRAY_BUFFER, np.array([-1, -1, 3, -1, -1, 3], np.float32))
    made.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, None)
    made.glEnableVertexAttribArray(0)
    return made


def separable(gl: Binding, type: int, text: str) -> int:
    """A separable program of one stage."""
    raw = ctypes.c_char_p(text.encode())
    name = int(gl.glCreateShaderProgramv(type, 1, ctypes.byref(raw)))
    status = (ctypes.c_int32 * 1)()
    gl.glGetProgramiv(name, GL.LINK_STATUS, status)
    assert status[0]
    return name


def uniform(gl: Binding, program: int, name: bytes, *values: float) -> None:
    getattr(gl, f"glProgramUniform{len(values)}f")(program, gl.glGetUniformLocation(program, name), *values)


def test_a_pipeline_draws_with_the_stages_of_two_programs(gl: Binding) -> None:
    first, last = separable(gl, GL.VERTEX_SHADER, VERTEX), separable(gl, GL.FRAGMENT_SHADER, FRAGMENT)
    uniform(gl, first, b"scale", 1.0)
    uniform(gl, last, b"tint", 1.0, 0.0, 1.0)
    pipeline = gl.make("ProgramPipelines")
    gl.glBindProgramPipeline(pipeline)
    gl.glUseProgramStages(pipeline, GL.VERTEX_SHADER_BIT, first)
    gl.glUseProgramStages(pipeline, GL.FRAGMENT_SHADER_BIT, last)
    gl.glValidateProgramPipeline(pipeline)
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    assert (gl.pixels(8, 8) == (255, 0, 255, 255)).all()
    gl.glActiveShaderProgram(pipeline, last)
    gl.glUniform3f(gl.glGetUniformLocation(last, b"tint"), 0.0, 1.0, 0.0)
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    assert (gl.pixels(8, 8) == (0, 255, 0, 255)).all()
    found = (ctypes.c_int32 * 1)()
    for name, wanted in ((GL.VERTEX_SHADER, first), (GL.ACTIVE_PROGRAM, last), (GL.VALIDATE_STATUS, 1), (GL.GEOMETRY_SHADER, 0)):
        gl.glGetProgramPipelineiv(pipeline, name, found)
        assert found[0] == wanted
    assert gl.get(GL.PROGRAM_PIPELINE_BINDING) == [pipeline]
    assert gl.glGetError() == GL.NO_ERROR


def test_a_program_in_use_goes_before_a_pipeline(gl: Binding) -> None:
    whole = gl.program(VERTEX, FRAGMENT)
    pipeline = gl.make("ProgramPipelines")
    gl.glBindProgramPipeline(pipeline)
    gl.glUseProgram(whole)
    uniform(gl, whole, b"scale", 1.0)
    uniform(gl, whole, b"tint", 0.0, 0.0, 1.0)
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    assert (gl.pixels(8, 8) == (0, 0, 255, 255)).all()
    gl.glUseProgramStages(pipeline, GL.ALL_SHADER_BITS, whole)
    assert gl.glGetError() == GL.INVALID_OPERATION
    gl.glBindProgramPipeline(77)
    assert gl.glGetError() == GL.INVALID_OPERATION


def test_a_stage_may_be_written_in_several_shader_objects(gl: Binding) -> None:
    head = "#version 330\nuniform vec3 tint, other; in vec3 t;\n"
    program = gl.parts(
        [
            (GL.VERTEX_SHADER, VERTEX),
            (GL.FRAGMENT_SHADER, head + "out vec4 c; vec3 mixed(float share); void main() { c = vec4(mixed(t.z), 1.0); }"),
            (GL.FRAGMENT_SHADER, "#version 330\nuniform vec3 tint;\nvec3 mixed(float s) { return tint * s; }"),
        ]
    )
    gl.glUseProgram(program)
    uniform(gl, program, b"scale", 1.0)
    uniform(gl, program, b"tint", 0.0, 1.0, 1.0)
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    assert (gl.pixels(8, 8) == (0, 255, 255, 255)).all()


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([(GL.VERTEX_SHADER, "#version 330\nvoid f() { }")], "main"),
        ([(GL.VERTEX_SHADER, "#version 330\nvoid f();\nvoid main() { f(); }")], "`f` is declared"),
        ([(GL.VERTEX_SHADER, "#version 330\nvoid main() { }"), (GL.VERTEX_SHADER, "#version 330\nvoid main() { }")], "main"),
    ],
)
def test_parts_that_do_not_make_a_whole_do_not_link(gl: Binding, parts: list[tuple[int, str]], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        gl.parts(parts)


def test_atomic_counters_count_in_the_buffers_that_are_bound(gl: Binding) -> None:
    fragment = (
        "#version 430\nlayout(binding = 2, offset = 4) uniform atomic_uint n[2]; out vec4 c;\n"
        "void main() { atomicCounterIncrement(n[1]); c = vec4(1.0); }"
    )
    program = gl.program(VERTEX, fragment)
    gl.glUseProgram(program)
    uniform(gl, program, b"scale", 1.0)
    name = gl.buffer(GL.ATOMIC_COUNTER_BUFFER, np.zeros(4, np.uint32))
    gl.glBindBufferBase(GL.ATOMIC_COUNTER_BUFFER, 2, name)
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    found = np.zeros(4, np.uint32)
    gl.glGetBufferSubData(GL.ATOMIC_COUNTER_BUFFER, 0, 16, found)
    assert found.tolist() == [0, 0, 64, 0]
    value = (ctypes.c_int32 * 1)()
    for parameter, wanted in ((GL.ATOMIC_COUNTER_BUFFER_BINDING, 2), (GL.ATOMIC_COUNTER_BUFFER_DATA_SIZE, 12)):
        gl.glGetActiveAtomicCounterBufferiv(program, 0, parameter, value)
        assert value[0] == wanted


def test_every_viewport_is_the_one_of_all_where_a_program_chooses_among_them(gl: Binding) -> None:
    program = gl.stages(
        {
            GL.VERTEX_SHADER: "#version 410\nin vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }",
            GL.GEOMETRY_SHADER: "#version 410\nlayout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n"
            "void main() { for (int k = 0; k < 3; k++) { gl_Position = gl_in[k].gl_Position; gl_ViewportIndex = 5; EmitVertex(); } }",
            GL.FRAGMENT_SHADER: "#version 410\nout vec4 c; void main() { c = vec4(1.0); }",
        }
    )
    gl.glUseProgram(program)
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    assert (gl.pixels(8, 8) == 255).all()
