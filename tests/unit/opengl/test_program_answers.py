"""Answers about linked programs: their uniforms, blocks, counters, inputs and outputs, by every command that asks for them."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

pytestmark = needs_glslang

VERTEX = """#version 460
layout(location = 3) in vec4 position;
layout(location = 5) in mat3 turns;
layout(std140, binding = 2) uniform Scene { mat4 view; layout(row_major) mat3x2 rows; float weights[3]; int last; } scene;
uniform float offsets[4];
out vec3 captured;
void main() {
    captured = turns * position.xyz;
    gl_Position = scene.view * position + vec4(scene.rows * position.xyz, scene.weights[2] * offsets[1], float(scene.last));
}
"""
FRAGMENT = """#version 460
layout(std140, binding = 2) uniform Scene { mat4 view; layout(row_major) mat3x2 rows; float weights[3]; int last; } scene;
layout(std430, binding = 4) buffer Store { uint total; vec2 points[]; };
layout(binding = 1, offset = 4) uniform atomic_uint hits;
layout(binding = 1, offset = 8) uniform atomic_uint more[2];
uniform sampler2D picture;
uniform vec4 tint;
layout(location = 0, index = 0) out vec4 color;
layout(location = 0, index = 1) out vec4 other;
in vec3 captured;
void main() {
    color = texture(picture, captured.xy) * tint + float(scene.last);
    other = vec4(float(atomicCounterIncrement(hits) + atomicCounter(more[1])));
    total += uint(points[3].x);
}
"""


@pytest.fixture(scope="module")
def gl() -> Binding:
    return Binding(size=(4, 4))


@pytest.fixture(scope="module")
def program(gl: Binding) -> int:
    made = gl.glCreateProgram()
    for kind, text in ((GL.VERTEX_SHADER, VERTEX), (GL.FRAGMENT_SHADER, FRAGMENT)):
        shader, raw = gl.glCreateShader(kind), ctypes.c_char_p(text.encode())
        gl.glShaderSource(shader, 1, ctypes.byref(raw), None)
        gl.glCompileShader(shader)
        gl.glAttachShader(made, shader)
    names = (ctypes.c_char_p * 2)(b"captured", b"gl_Position")
    gl.glTransformFeedbackVaryings(made, 2, ctypes.byref(names), GL.SEPARATE_ATTRIBS)
    gl.glLinkProgram(made)
    assert parameter(gl, made, GL.LINK_STATUS) == 1
    return int(made)


def parameter(gl: Binding, program: int, name: int, count: int = 1) -> Any:
    values = (ctypes.c_int32 * count)(*[77] * count)
    gl.glGetProgramiv(program, name, values)
    return values[0] if count == 1 else list(values)


def of_interface(gl: Binding, program: int, interface: int, name: int = GL.ACTIVE_RESOURCES) -> int:
    value = (ctypes.c_int32 * 1)(77)
    gl.glGetProgramInterfaceiv(program, interface, name, value)
    return int(value[0])


def names(gl: Binding, program: int, interface: int) -> list[str]:
    found, text, length = [], ctypes.create_string_buffer(100), (ctypes.c_int32 * 1)()
    for index in range(of_interface(gl, program, interface)):
        gl.glGetProgramResourceName(program, interface, index, 100, length, text)
        found.append(text.value.decode())
        assert length[0] == len(text.value)
        assert gl.glGetProgramResourceIndex(program, interface, text.value) == index
    return found


def properties(gl: Binding, program: int, interface: int, name: str, *wanted: int, room: int = 20) -> list[int]:
    index = gl.glGetProgramResourceIndex(program, interface, name.encode())
    assert index != GL.INVALID_INDEX
    values, length = (ctypes.c_int32 * 20)(*[77] * 20), (ctypes.c_int32 * 1)()
    gl.glGetProgramResourceiv(program, interface, index, len(wanted), (ctypes.c_uint32 * len(wanted))(*wanted), room, length, values)
    assert all(value == 77 for value in values[length[0] :])
    return list(values[: length[0]])


def test_each_interface_lists_its_resources(gl: Binding, program: int) -> None:
    listed = {
        GL.UNIFORM_BLOCK: {"Scene"},
        GL.SHADER_STORAGE_BLOCK: {"Store"},
        GL.PROGRAM_INPUT: {"position", "turns"},
        GL.PROGRAM_OUTPUT: {"color", "other"},
        GL.TRANSFORM_FEEDBACK_VARYING: {"captured", "gl_Position"},
        GL.UNIFORM: {"offsets[0]", "picture", "tint", "hits", "more[0]", "Scene.view", "Scene.rows", "Scene.weights[0]", "Scene.last"},
        GL.BUFFER_VARIABLE: {"total", "points[0]"},
    }
    for interface, wanted in listed.items():
        assert set(names(gl, program, interface)) == wanted
        assert of_interface(gl, program, interface, GL.MAX_NAME_LENGTH) == max(map(len, wanted)) + 1
    assert of_interface(gl, program, GL.ATOMIC_COUNTER_BUFFER) == 1
    assert of_interface(gl, program, GL.ATOMIC_COUNTER_BUFFER, GL.MAX_NUM_ACTIVE_VARIABLES) == 2
    assert of_interface(gl, program, GL.UNIFORM_BLOCK, GL.MAX_NUM_ACTIVE_VARIABLES) == 4
    assert gl.glGetProgramResourceIndex(program, GL.UNIFORM, b"offsets") == gl.glGetProgramResourceIndex(program, GL.UNIFORM, b"offsets[0]")
    assert gl.glGetProgramResourceIndex(program, GL.UNIFORM, b"absent") == GL.INVALID_INDEX
    assert gl.glGetError() == GL.NO_ERROR


SHAPE = (GL.TYPE, GL.ARRAY_SIZE, GL.OFFSET, GL.ARRAY_STRIDE, GL.MATRIX_STRIDE, GL.IS_ROW_MAJOR, GL.NAME_LENGTH)
STAGES = (
    *(GL.REFERENCED_BY_VERTEX_SHADER, GL.REFERENCED_BY_TESS_CONTROL_SHADER, GL.REFERENCED_BY_TESS_EVALUATION_SHADER),
    *(GL.REFERENCED_BY_GEOMETRY_SHADER, GL.REFERENCED_BY_FRAGMENT_SHADER, GL.REFERENCED_BY_COMPUTE_SHADER),
)


@pytest.mark.parametrize(
    ("name", "shape", "stages"),
    [
        ("Scene.view", [GL.FLOAT_MAT4, 1, 0, 0, 16, 0, 11], [1, 0, 0, 0, 1, 0]),
        ("Scene.rows", [GL.FLOAT_MAT3x2, 1, 64, 0, 16, 1, 11], [1, 0, 0, 0, 1, 0]),
        ("Scene.weights[0]", [GL.FLOAT, 3, 96, 16, 0, 0, 17], [1, 0, 0, 0, 1, 0]),
        ("Scene.last", [GL.INT, 1, 144, 0, 0, 0, 11], [1, 0, 0, 0, 1, 0]),
        ("offsets[0]", [GL.FLOAT, 4, -1, -1, -1, 0, 11], [1, 0, 0, 0, 0, 0]),
        ("picture", [GL.SAMPLER_2D, 1, -1, -1, -1, 0, 8], [0, 0, 0, 0, 1, 0]),
        ("tint", [GL.FLOAT_VEC4, 1, -1, -1, -1, 0, 5], [0, 0, 0, 0, 1, 0]),
        ("hits", [GL.UNSIGNED_INT_ATOMIC_COUNTER, 1, 4, 0, -1, 0, 5], [0, 0, 0, 0, 1, 0]),
        ("more[0]", [GL.UNSIGNED_INT_ATOMIC_COUNTER, 2, 8, 4, -1, 0, 8], [0, 0, 0, 0, 1, 0]),
    ],
)
def test_uniforms_have_types_places_and_stages(gl: Binding, program: int, name: str, shape: list[int], stages: list[int]) -> None:
    assert properties(gl, program, GL.UNIFORM, name, *SHAPE) == shape
    assert properties(gl, program, GL.UNIFORM, name, *STAGES) == stages
    index = gl.glGetProgramResourceIndex(program, GL.UNIFORM, name.encode())
    in_block, is_counter = name.startswith("Scene"), shape[0] == GL.UNSIGNED_INT_ATOMIC_COUNTER
    location = gl.glGetUniformLocation(program, name.encode())
    assert (location == -1) == (in_block or is_counter)
    assert gl.glGetProgramResourceLocation(program, GL.UNIFORM, name.encode()) == location
    wanted = [0 if in_block else -1, location, 0 if is_counter else -1]
    assert properties(gl, program, GL.UNIFORM, name, GL.BLOCK_INDEX, GL.LOCATION, GL.ATOMIC_COUNTER_BUFFER_INDEX) == wanted
    older: tuple[int, ...] = (GL.UNIFORM_TYPE, GL.UNIFORM_SIZE, GL.UNIFORM_OFFSET, GL.UNIFORM_ARRAY_STRIDE, GL.UNIFORM_MATRIX_STRIDE)
    older += (GL.UNIFORM_IS_ROW_MAJOR, GL.UNIFORM_NAME_LENGTH, GL.UNIFORM_BLOCK_INDEX, GL.UNIFORM_ATOMIC_COUNTER_BUFFER_INDEX)
    values = (ctypes.c_int32 * 1)()
    for state, value in zip(older, [*shape, wanted[0], wanted[2]], strict=True):
        gl.glGetActiveUniformsiv(program, 1, (ctypes.c_uint32 * 1)(index), state, values)
        assert values[0] == value
    text, size, type = ctypes.create_string_buffer(50), (ctypes.c_int32 * 1)(), (ctypes.c_uint32 * 1)()
    gl.glGetActiveUniform(program, index, 50, None, size, type, text)
    assert (text.value.decode(), size[0], type[0]) == (name, shape[1], shape[0])
    gl.glGetActiveUniformName(program, index, 4, None, text)
    assert text.value.decode() == name[:3]  # as much as there is room for
    found = (ctypes.c_uint32 * 2)()
    gl.glGetUniformIndices(program, 2, ctypes.byref((ctypes.c_char_p * 2)(name.removesuffix("[0]").encode(), b"absent")), found)
    assert [*found] == [index, GL.INVALID_INDEX]
    assert gl.glGetError() == GL.NO_ERROR


def test_elements_of_an_array_have_locations_one_after_the_other(gl: Binding, program: int) -> None:
    first = gl.glGetUniformLocation(program, b"offsets")
    assert [gl.glGetUniformLocation(program, f"offsets[{k}]".encode()) for k in range(5)] == [first, first + 1, first + 2, first + 3, -1]


BLOCK = (GL.BUFFER_BINDING, GL.BUFFER_DATA_SIZE, GL.NUM_ACTIVE_VARIABLES)


def test_blocks_have_binding_points_sizes_and_members(gl: Binding, program: int) -> None:
    assert gl.glGetUniformBlockIndex(program, b"Scene") == 0
    assert gl.glGetUniformBlockIndex(program, b"absent") == GL.INVALID_INDEX
    values, text = (ctypes.c_int32 * 8)(), ctypes.create_string_buffer(50)
    older: tuple[int, ...] = (
        GL.UNIFORM_BLOCK_BINDING,
        GL.UNIFORM_BLOCK_DATA_SIZE,
        GL.UNIFORM_BLOCK_ACTIVE_UNIFORMS,
        GL.UNIFORM_BLOCK_NAME_LENGTH,
    )
    older += tuple(getattr(GL, f"UNIFORM_BLOCK_{name}") for name in ("REFERENCED_BY_VERTEX_SHADER", "REFERENCED_BY_FRAGMENT_SHADER"))
    older += (GL.UNIFORM_BLOCK_REFERENCED_BY_GEOMETRY_SHADER, GL.UNIFORM_BLOCK_REFERENCED_BY_COMPUTE_SHADER)
    for state, value in zip(older, (2, 160, 4, 6, 1, 1, 0, 0), strict=True):
        gl.glGetActiveUniformBlockiv(program, 0, state, values)
        assert values[0] == value
    assert properties(gl, program, GL.UNIFORM_BLOCK, "Scene", *BLOCK) == [2, 160, 4]
    members = properties(gl, program, GL.UNIFORM_BLOCK, "Scene", GL.ACTIVE_VARIABLES)
    gl.glGetActiveUniformBlockiv(program, 0, GL.UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES, values)
    assert members == values[:4]
    uniforms = names(gl, program, GL.UNIFORM)
    assert {uniforms[index] for index in members} == {"Scene.view", "Scene.rows", "Scene.weights[0]", "Scene.last"}
    assert properties(gl, program, GL.UNIFORM_BLOCK, "Scene", GL.ACTIVE_VARIABLES, *STAGES, room=6) == [*members, 1, 0]
    gl.glGetActiveUniformBlockName(program, 0, 50, None, text)
    assert text.value == b"Scene"
    gl.glUniformBlockBinding(program, 0, 7)
    gl.glGetActiveUniformBlockiv(program, 0, GL.UNIFORM_BLOCK_BINDING, values)
    assert values[0] == 7
    gl.glUniformBlockBinding(program, 0, 2)
    assert properties(gl, program, GL.SHADER_STORAGE_BLOCK, "Store", *BLOCK, *STAGES)[:1] == [4]
    assert properties(gl, program, GL.BUFFER_VARIABLE, "total", *STAGES) == [0, 0, 0, 0, 1, 0]
    assert properties(gl, program, GL.SHADER_STORAGE_BLOCK, "Store", *STAGES) == [0, 0, 0, 0, 1, 0]
    gl.glShaderStorageBlockBinding(program, 0, 6)
    assert properties(gl, program, GL.SHADER_STORAGE_BLOCK, "Store", GL.BUFFER_BINDING) == [6]
    gl.glShaderStorageBlockBinding(program, 0, 4)
    assert properties(gl, program, GL.BUFFER_VARIABLE, "total", GL.TYPE, GL.OFFSET, GL.BLOCK_INDEX) == [GL.UNSIGNED_INT, 0, 0]
    assert properties(gl, program, GL.BUFFER_VARIABLE, "points[0]", GL.TYPE, GL.OFFSET, GL.ARRAY_STRIDE) == [GL.FLOAT_VEC2, 8, 8]
    assert properties(gl, program, GL.BUFFER_VARIABLE, "total", GL.TOP_LEVEL_ARRAY_SIZE, GL.TOP_LEVEL_ARRAY_STRIDE) == [1, 0]
    assert gl.glGetError() == GL.NO_ERROR


def test_buffers_of_counters_have_bytes_up_to_the_last_one(gl: Binding, program: int) -> None:
    values = (ctypes.c_int32 * 2)()
    words = ("BINDING", "DATA_SIZE", "ACTIVE_ATOMIC_COUNTERS", "REFERENCED_BY_VERTEX_SHADER", "REFERENCED_BY_FRAGMENT_SHADER")
    for word, value in zip(words, (1, 16, 2, 0, 1), strict=True):
        gl.glGetActiveAtomicCounterBufferiv(program, 0, getattr(GL, f"ATOMIC_COUNTER_BUFFER_{word}"), values)
        assert values[0] == value
    gl.glGetActiveAtomicCounterBufferiv(program, 0, GL.ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTER_INDICES, values)
    uniforms, wanted, length, found = (
        names(gl, program, GL.UNIFORM),
        (*BLOCK, GL.ACTIVE_VARIABLES, *STAGES),
        ctypes.c_int32(),
        (ctypes.c_int32 * 20)(),
    )
    assert {uniforms[index] for index in values} == {"hits", "more[0]"}
    asked = (ctypes.c_uint32 * len(wanted))(*wanted)
    gl.glGetProgramResourceiv(program, GL.ATOMIC_COUNTER_BUFFER, 0, len(wanted), asked, 20, ctypes.byref(length), found)
    assert found[: length.value] == [1, 16, 2, *values, 0, 0, 0, 0, 1, 0]
    assert parameter(gl, program, GL.ACTIVE_ATOMIC_COUNTER_BUFFERS) == 1


def test_inputs_and_outputs_have_their_locations(gl: Binding, program: int) -> None:
    places = {"position": 3, "turns": 5}
    text, size, type = ctypes.create_string_buffer(50), (ctypes.c_int32 * 1)(), (ctypes.c_uint32 * 1)()
    for name, location in places.items():
        assert gl.glGetAttribLocation(program, name.encode()) == location
        assert gl.glGetProgramResourceLocation(program, GL.PROGRAM_INPUT, name.encode()) == location
        assert properties(gl, program, GL.PROGRAM_INPUT, name, GL.LOCATION, GL.ARRAY_SIZE, GL.IS_PER_PATCH) == [location, 1, 0]
        gl.glGetActiveAttrib(program, gl.glGetProgramResourceIndex(program, GL.PROGRAM_INPUT, name.encode()), 50, None, size, type, text)
        assert (text.value.decode(), size[0], type[0]) == (name, 1, GL.FLOAT_VEC4 if name == "position" else GL.FLOAT_MAT3)
    assert [gl.glGetAttribLocation(program, name) for name in (b"absent", b"position[1]")] == [-1, -1]
    for name, index in (("color", 0), ("other", 1)):
        assert (gl.glGetFragDataLocation(program, name.encode()), gl.glGetFragDataIndex(program, name.encode())) == (0, index)
        assert gl.glGetProgramResourceLocation(program, GL.PROGRAM_OUTPUT, name.encode()) == 0
        assert gl.glGetProgramResourceLocationIndex(program, GL.PROGRAM_OUTPUT, name.encode()) == index
        assert properties(gl, program, GL.PROGRAM_OUTPUT, name, GL.LOCATION, GL.LOCATION_INDEX, GL.TYPE) == [0, index, GL.FLOAT_VEC4]
    assert (gl.glGetFragDataLocation(program, b"absent"), gl.glGetFragDataIndex(program, b"absent")) == (-1, -1)
    for number, (name, kind) in enumerate((("captured", GL.FLOAT_VEC3), ("gl_Position", GL.FLOAT_VEC4))):
        gl.glGetTransformFeedbackVarying(program, number, 50, None, size, type, text)
        assert (text.value.decode(), size[0], type[0]) == (name, 1, kind)
    assert gl.glGetError() == GL.NO_ERROR


def test_a_program_counts_what_it_has(gl: Binding, program: int) -> None:
    wanted = {
        GL.ACTIVE_UNIFORMS: 9,
        GL.ACTIVE_UNIFORM_BLOCKS: 1,
        GL.ACTIVE_ATTRIBUTES: 2,
        GL.ATTACHED_SHADERS: 2,
        GL.ACTIVE_UNIFORM_MAX_LENGTH: 17,
        GL.ACTIVE_ATTRIBUTE_MAX_LENGTH: 9,
        GL.ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH: 6,
        GL.TRANSFORM_FEEDBACK_VARYINGS: 2,
        GL.TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH: 12,
        GL.TRANSFORM_FEEDBACK_BUFFER_MODE: GL.SEPARATE_ATTRIBS,
        GL.DELETE_STATUS: 0,
        GL.VALIDATE_STATUS: 0,
        GL.INFO_LOG_LENGTH: 0,
        GL.PROGRAM_SEPARABLE: 0,
    }
    assert {name: parameter(gl, program, name) for name in wanted} == wanted
    gl.glValidateProgram(program)
    assert parameter(gl, program, GL.VALIDATE_STATUS) == 1
    for name, code in ((GL.TEXTURE_2D, GL.INVALID_ENUM), (GL.GEOMETRY_VERTICES_OUT, GL.INVALID_OPERATION)):
        parameter(gl, program, name)
        assert gl.glGetError() == code


def test_texts_state_sizes_and_primitives_of_their_stages(gl: Binding) -> None:
    compute = gl.stages({GL.COMPUTE_SHADER: "#version 430\nlayout(local_size_x = 8, local_size_y = 2) in;\nvoid main() { }"})
    assert parameter(gl, compute, GL.COMPUTE_WORK_GROUP_SIZE, 3) == [8, 2, 1]
    geometry = "layout(lines_adjacency, invocations = 3) in; layout(line_strip, max_vertices = 5) out;"
    made = gl.stages(
        {
            GL.VERTEX_SHADER: "#version 430\nvoid main() { gl_Position = vec4(1.0); }",
            GL.TESS_CONTROL_SHADER: "#version 430\nlayout(vertices = 4) out;\nvoid main() { gl_TessLevelOuter[0] = 1.0; }",
            GL.TESS_EVALUATION_SHADER: "#version 430\nlayout(isolines) in;\nvoid main() { gl_Position = vec4(1.0); }",
            GL.GEOMETRY_SHADER: f"#version 430\n{geometry.replace('lines_adjacency', 'lines')}\nvoid main() {{ EmitVertex(); }}",
        }
    )
    names = GL.GEOMETRY_VERTICES_OUT, GL.GEOMETRY_INPUT_TYPE, GL.GEOMETRY_OUTPUT_TYPE, GL.GEOMETRY_SHADER_INVOCATIONS
    assert [parameter(gl, made, name) for name in names] == [5, GL.LINES, GL.LINE_STRIP, 3]
    assert parameter(gl, made, GL.TESS_CONTROL_OUTPUT_VERTICES) == 4
    adjacent = gl.stages(
        {
            GL.VERTEX_SHADER: "#version 430\nvoid main() { gl_Position = vec4(1.0); }",
            GL.GEOMETRY_SHADER: f"#version 430\n{geometry}\nvoid main() {{ EmitVertex(); }}",
        }
    )
    assert parameter(gl, adjacent, GL.GEOMETRY_INPUT_TYPE) == GL.LINES_ADJACENCY
    assert gl.glGetError() == GL.NO_ERROR


def test_wrong_questions_about_programs_have_their_codes(gl: Binding, program: int) -> None:
    unlinked, one, text = gl.glCreateProgram(), (ctypes.c_uint32 * 1)(99), ctypes.create_string_buffer(9)
    names = ctypes.byref((ctypes.c_char_p * 1)(b"a"))
    for function, arguments, code in (
        ("glGetProgramInterfaceiv", (program, GL.TEXTURE_2D, GL.ACTIVE_RESOURCES, one), GL.INVALID_ENUM),
        ("glGetProgramInterfaceiv", (program, GL.UNIFORM, GL.TYPE, one), GL.INVALID_ENUM),
        ("glGetProgramResourceName", (program, GL.UNIFORM, 99, 9, None, text), GL.INVALID_VALUE),
        ("glGetProgramResourceLocation", (program, GL.UNIFORM_BLOCK, b"Scene"), GL.INVALID_ENUM),
        ("glGetProgramResourceLocationIndex", (program, GL.UNIFORM, b"tint"), GL.INVALID_ENUM),
        ("glGetProgramResourceiv", (program, GL.UNIFORM, 99, 1, one, 1, None, one), GL.INVALID_VALUE),
        ("glGetProgramResourceiv", (program, GL.UNIFORM, 0, 1, one, 1, None, one), GL.INVALID_ENUM),
        ("glGetProgramResourceiv", (program, GL.PROGRAM_INPUT, 0, 1, one, 1, None, one), GL.INVALID_ENUM),
        ("glGetProgramResourceiv", (program, GL.UNIFORM_BLOCK, 0, 1, one, 1, None, one), GL.INVALID_ENUM),
        ("glGetProgramResourceiv", (program, GL.ATOMIC_COUNTER_BUFFER, 0, 1, one, 1, None, one), GL.INVALID_ENUM),
        ("glGetActiveAtomicCounterBufferiv", (program, 1, GL.ATOMIC_COUNTER_BUFFER_BINDING, one), GL.INVALID_VALUE),
        ("glGetActiveAtomicCounterBufferiv", (program, 0, GL.TYPE, one), GL.INVALID_ENUM),
        ("glGetActiveUniform", (program, 99, 9, None, one, one, text), GL.INVALID_VALUE),
        ("glGetActiveUniformsiv", (program, 1, one, GL.UNIFORM_TYPE, one), GL.INVALID_VALUE),
        ("glGetActiveUniformsiv", (program, 1, (ctypes.c_uint32 * 1)(0), GL.TYPE, one), GL.INVALID_ENUM),
        ("glGetActiveAttrib", (program, 2, 9, None, one, one, text), GL.INVALID_VALUE),
        ("glGetActiveUniformBlockiv", (program, 1, GL.UNIFORM_BLOCK_BINDING, one), GL.INVALID_VALUE),
        ("glGetActiveUniformBlockiv", (program, 0, GL.TYPE, one), GL.INVALID_ENUM),
        ("glGetActiveUniformBlockName", (program, 1, 9, None, text), GL.INVALID_VALUE),
        ("glUniformBlockBinding", (program, 1, 0), GL.INVALID_VALUE),
        ("glUniformBlockBinding", (program, 0, 10000), GL.INVALID_VALUE),
        ("glShaderStorageBlockBinding", (program, 1, 0), GL.INVALID_VALUE),
        ("glShaderStorageBlockBinding", (program, 0, 10000), GL.INVALID_VALUE),
        ("glGetTransformFeedbackVarying", (program, 2, 9, None, one, one, text), GL.INVALID_VALUE),
        ("glGetUniformLocation", (unlinked, b"a"), GL.INVALID_OPERATION),
        ("glGetAttribLocation", (unlinked, b"a"), GL.INVALID_OPERATION),
        ("glGetFragDataLocation", (unlinked, b"a"), GL.INVALID_OPERATION),
        ("glGetUniformIndices", (unlinked, 1, names, one), GL.INVALID_OPERATION),
        ("glGetProgramiv", (4711, GL.LINK_STATUS, one), GL.INVALID_VALUE),
    ):  # fmt: skip
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)
    assert [parameter(gl, unlinked, name) for name in (GL.LINK_STATUS, GL.ACTIVE_UNIFORMS, GL.ACTIVE_UNIFORM_MAX_LENGTH)] == [0, 0, 0]
