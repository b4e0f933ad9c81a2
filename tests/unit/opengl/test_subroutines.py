"""Subroutines: functions that the user of a program chooses between draws."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tests.unit.opengl.covering import VERTEX, covered, drawn
from tgsi.opengl.registry import enums as GL

pytestmark = needs_glslang

FRAGMENT = """#version 430
subroutine vec4 Kind(float a);
subroutine void Step(inout float a);
layout(index = 2) subroutine(Kind) vec4 red(float a) { return vec4(a, 0.0, 0.0, 1.0); }
subroutine(Kind) vec4 green(float a) { return vec4(0.0, a, 0.0, 1.0); }
layout(index = 1) subroutine(Kind) vec4 blue(float a) { return vec4(0.0, 0.0, a, 1.0); }
subroutine(Step) void keep(inout float a) { }
subroutine(Step) void halve(inout float a) { a *= 0.5; }
layout(location = 1) subroutine uniform Kind kind;
subroutine uniform Kind more[2];
subroutine uniform Step change;
subroutine uniform Step unused;
uniform int which;
out vec4 c;
void main() { float a = 1.0; change(a); c = which < 0 ? kind(a) : more[which](a); }
"""
RED, GREEN, BLUE, KEEP, HALVE = 2, 0, 1, 3, 4
KIND, CHANGE, MORE = 1, 0, 2


@pytest.fixture
def gl() -> Binding:
    return covered()


def choose(gl: Binding, *numbers: int, stage: int = GL.FRAGMENT_SHADER) -> None:
    gl.glUniformSubroutinesuiv(stage, len(numbers), np.array(numbers, np.uint32))


def number(gl: Binding, name: str, *arguments: int) -> int:
    found = (ctypes.c_int32 * 8)()
    getattr(gl, name)(*arguments, found)
    return int(found[0])


def test_each_location_has_its_own_choice(gl: Binding) -> None:
    program = gl.program(VERTEX, FRAGMENT)
    gl.glUseProgram(program)
    which = gl.glGetUniformLocation(program, b"which")
    gl.glUniform1i(which, -1)
    choose(gl, HALVE, RED, GREEN, BLUE)
    assert drawn(gl) == (128, 0, 0, 255)
    choose(gl, KEEP, BLUE, GREEN, RED)
    assert drawn(gl) == (0, 0, 255, 255)
    gl.glUniform1i(which, 1)
    assert drawn(gl) == (255, 0, 0, 255)
    gl.glUniform1i(which, 0)
    assert drawn(gl) == (0, 255, 0, 255)
    assert number(gl, "glGetUniformSubroutineuiv", GL.FRAGMENT_SHADER, KIND) == BLUE
    assert gl.glGetError() == GL.NO_ERROR


def test_the_choice_ends_when_another_program_comes_into_use_or_the_program_is_linked_again(gl: Binding) -> None:
    program, other = gl.program(VERTEX, FRAGMENT), gl.program(VERTEX, FRAGMENT)
    gl.glUseProgram(program)
    gl.glUniform1i(gl.glGetUniformLocation(program, b"which"), -1)
    choose(gl, KEEP, BLUE, GREEN, RED)
    assert drawn(gl) == (0, 0, 255, 255)
    gl.glUseProgram(other)
    gl.glUseProgram(program)
    assert drawn(gl) == (0, 255, 0, 255)
    choose(gl, KEEP, BLUE, GREEN, RED)
    gl.glLinkProgram(program)
    gl.glUniform1i(gl.glGetUniformLocation(program, b"which"), -1)
    assert drawn(gl) == (0, 255, 0, 255)
    assert number(gl, "glGetUniformSubroutineuiv", GL.FRAGMENT_SHADER, KIND) == GREEN


def test_queries_name_functions_uniforms_and_locations(gl: Binding) -> None:
    program, stage = gl.program(VERTEX, FRAGMENT), GL.FRAGMENT_SHADER
    for name, wanted in {b"red": RED, b"green": GREEN, b"halve": HALVE, b"main": GL.INVALID_INDEX}.items():
        assert gl.glGetSubroutineIndex(program, stage, name) == wanted
        assert gl.glGetProgramResourceIndex(program, GL.FRAGMENT_SUBROUTINE, name) == wanted
    names = {b"kind": KIND, b"more": MORE, b"more[0]": MORE, b"more[1]": MORE + 1, b"change": CHANGE, b"unused": -1, b"which": -1}
    for name, wanted in names.items():
        assert gl.glGetSubroutineUniformLocation(program, stage, name) == wanted
        assert gl.glGetProgramResourceLocation(program, GL.FRAGMENT_SUBROUTINE_UNIFORM, name) == wanted
    numbers = {
        GL.ACTIVE_SUBROUTINES: 5,
        GL.ACTIVE_SUBROUTINE_UNIFORMS: 3,
        GL.ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS: 4,
        GL.ACTIVE_SUBROUTINE_MAX_LENGTH: 6,
        GL.ACTIVE_SUBROUTINE_UNIFORM_MAX_LENGTH: 8,
    }
    for pname, wanted in numbers.items():
        assert number(gl, "glGetProgramStageiv", program, stage, pname) == wanted
        assert number(gl, "glGetProgramStageiv", program, GL.VERTEX_SHADER, pname) == 0
    text, length, found = ctypes.create_string_buffer(16), (ctypes.c_int32 * 1)(), (ctypes.c_int32 * 8)()
    gl.glGetActiveSubroutineName(program, stage, BLUE, 16, length, text)
    assert (text.value, length[0]) == (b"blue", 4)
    gl.glGetActiveSubroutineUniformName(program, stage, 2, 16, length, text)
    assert (text.value, length[0]) == (b"more[0]", 7)
    gl.glGetActiveSubroutineUniformiv(program, stage, 2, GL.COMPATIBLE_SUBROUTINES, found)
    assert [*found][:3] == [GREEN, BLUE, RED]
    gl.glGetActiveSubroutineUniformiv(program, stage, 0, GL.NUM_COMPATIBLE_SUBROUTINES, found)
    assert found[0] == 2
    gl.glGetActiveSubroutineUniformiv(program, stage, 2, GL.UNIFORM_SIZE, found)
    assert found[0] == 2
    gl.glGetProgramInterfaceiv(program, GL.FRAGMENT_SUBROUTINE_UNIFORM, GL.MAX_NUM_COMPATIBLE_SUBROUTINES, found)
    assert found[0] == 3
    properties = np.array([GL.NAME_LENGTH, GL.ARRAY_SIZE, GL.LOCATION, GL.NUM_COMPATIBLE_SUBROUTINES, GL.COMPATIBLE_SUBROUTINES], np.uint32)
    gl.glGetProgramResourceiv(program, GL.FRAGMENT_SUBROUTINE_UNIFORM, 1, 5, properties, 8, length, found)
    assert [*found][: length[0]] == [5, 1, KIND, 3, GREEN, BLUE, RED]
    gl.glGetProgramiv(program, GL.ACTIVE_UNIFORMS, found)
    assert found[0] == 1
    assert gl.get(GL.MAX_SUBROUTINES) == [256]
    assert gl.get(GL.MAX_SUBROUTINE_UNIFORM_LOCATIONS) == [1024]
    assert gl.glGetError() == GL.NO_ERROR


def test_wrong_choices_are_errors_and_change_nothing(gl: Binding) -> None:
    program = gl.program(VERTEX, FRAGMENT)
    choose(gl, KEEP, RED, RED, RED)
    assert gl.glGetError() == GL.INVALID_OPERATION  # no program is in use
    gl.glUseProgram(program)
    gl.glUniform1i(gl.glGetUniformLocation(program, b"which"), -1)
    choose(gl, KEEP, BLUE, RED, RED)
    for numbers, code in (
        ((KEEP, RED, RED), GL.INVALID_VALUE),
        ((KEEP, 5, RED, RED), GL.INVALID_VALUE),
        ((KEEP, HALVE, RED, RED), GL.INVALID_OPERATION),
    ):
        choose(gl, *numbers)
        assert gl.glGetError() == code
    choose(gl, 0, stage=GL.TEXTURE_2D)
    assert gl.glGetError() == GL.INVALID_ENUM
    number(gl, "glGetUniformSubroutineuiv", GL.FRAGMENT_SHADER, 4)
    assert gl.glGetError() == GL.INVALID_VALUE
    number(gl, "glGetProgramStageiv", program, GL.FRAGMENT_SHADER, GL.LINK_STATUS)
    assert gl.glGetError() == GL.INVALID_ENUM
    assert drawn(gl) == (0, 0, 255, 255)


def test_stages_of_a_pipeline_choose_for_themselves(gl: Binding) -> None:
    vertex = """#version 430
    out gl_PerVertex { vec4 gl_Position; };
    in vec2 p; out flat float f;
    subroutine float Kind(); subroutine uniform Kind kind;
    subroutine(Kind) float full() { return 1.0; } subroutine(Kind) float half_of() { return 0.5; }
    void main() { f = kind(); gl_Position = vec4(p, 0.0, 1.0); }"""
    fragment = """#version 430
    in flat float f; out vec4 c;
    subroutine vec4 Kind(float a); subroutine uniform Kind kind;
    subroutine(Kind) vec4 red(float a) { return vec4(a, 0.0, 0.0, 1.0); }
    subroutine(Kind) vec4 green(float a) { return vec4(0.0, a, 0.0, 1.0); }
    void main() { c = kind(f); }"""
    pipeline = gl.make("ProgramPipelines")
    gl.glBindProgramPipeline(pipeline)
    for bit, type, text in ((GL.VERTEX_SHADER_BIT, GL.VERTEX_SHADER, vertex), (GL.FRAGMENT_SHADER_BIT, GL.FRAGMENT_SHADER, fragment)):
        raw = ctypes.c_char_p(text.encode())
        program = gl.glCreateShaderProgramv(type, 1, ctypes.byref(raw))
        gl.glUseProgramStages(pipeline, bit, program)
    assert drawn(gl) == (255, 0, 0, 255)
    choose(gl, 1, stage=GL.VERTEX_SHADER)
    choose(gl, 1)
    assert drawn(gl) == (0, 128, 0, 255)
    gl.glUseProgramStages(pipeline, GL.FRAGMENT_SHADER_BIT, program)
    assert drawn(gl) == (128, 0, 0, 255)
    assert gl.glGetError() == GL.NO_ERROR


def test_functions_may_lie_in_another_shader_object_of_the_stage(gl: Binding) -> None:
    first = """#version 400
    subroutine vec4 Kind(vec4 a); subroutine uniform Kind kind; out vec4 c;
    void main() { c = kind(vec4(1.0, 0.5, 0.0, 1.0)); }"""
    second = """#version 400
    subroutine vec4 Kind(vec4 a);
    subroutine(Kind) vec4 same(vec4 a) { return a; }
    subroutine(Kind) vec4 turned(vec4 a) { return a.zyxw; }"""
    program = gl.parts([(GL.VERTEX_SHADER, VERTEX), (GL.FRAGMENT_SHADER, first), (GL.FRAGMENT_SHADER, second)])
    gl.glUseProgram(program)
    assert drawn(gl) == (255, 128, 0, 255)
    choose(gl, gl.glGetSubroutineIndex(program, GL.FRAGMENT_SHADER, b"turned"))
    assert drawn(gl) == (0, 128, 255, 255)


def test_a_uniform_without_functions_does_not_link(gl: Binding) -> None:
    with pytest.raises(AssertionError, match="`Kind` is declared, and no text defines it"):
        gl.program(VERTEX, "#version 400\nsubroutine vec4 Kind(); subroutine uniform Kind kind; out vec4 c; void main() { c = kind(); }")


def test_a_compute_shader_has_subroutines(gl: Binding) -> None:
    text = """#version 430
    layout(local_size_x = 4) in;
    layout(std430, binding = 0) buffer B { uint b[]; };
    subroutine void Kind(uint at); subroutine uniform Kind kind;
    subroutine(Kind) void ones(uint at) { b[at] = 1u; }
    subroutine(Kind) void places(uint at) { b[at] = at; }
    void main() { kind(gl_GlobalInvocationID.x); }"""
    program = gl.stages({GL.COMPUTE_SHADER: text})
    gl.glUseProgram(program)
    gl.buffer(GL.SHADER_STORAGE_BUFFER, np.zeros(4, np.uint32))
    gl.glBindBufferBase(GL.SHADER_STORAGE_BUFFER, 0, gl.get(GL.SHADER_STORAGE_BUFFER_BINDING)[0])
    for chosen, wanted in ((0, [1, 1, 1, 1]), (1, [0, 1, 2, 3])):
        choose(gl, chosen, stage=GL.COMPUTE_SHADER)
        gl.glDispatchCompute(1, 1, 1)
        found = np.zeros(4, np.uint32)
        gl.glGetBufferSubData(GL.SHADER_STORAGE_BUFFER, 0, 16, found)
        assert found.tolist() == wanted
    assert gl.glGetError() == GL.NO_ERROR
