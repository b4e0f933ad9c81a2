"""The core profile: programs, buffers, textures, framebuffers and draws, as a program in C calls them."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

VERTEX = """#version 330 core
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 color;
uniform vec2 offset;
out vec4 tint;
void main() { gl_Position = vec4(position + offset, 0.0, 1.0); tint = color; }
"""
FRAGMENT = """#version 330 core
in vec4 tint;
out vec4 result;
void main() { result = tint; }
"""
QUAD = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


@pytest.fixture(scope="module")
def gl() -> Binding:
    made = Binding()
    made.glBindVertexArray(made.make("VertexArrays"))
    return made


def rows(gl: Binding, position: np.ndarray, color: np.ndarray) -> None:
    """Feed the two attributes."""
    gl.buffer(GL.ARRAY_BUFFER, position)
    gl.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, None)
    gl.glEnableVertexAttribArray(0)
    gl.buffer(GL.ARRAY_BUFFER, color)
    gl.glVertexAttribPointer(1, 4, GL.FLOAT, 0, 0, None)
    gl.glEnableVertexAttribArray(1)


def test_a_quad_covers_its_half_of_the_window(gl: Binding) -> None:
    gl.target(8, 8)
    gl.glUseProgram(gl.program(VERTEX, FRAGMENT))
    rows(gl, QUAD, np.tile(np.array([[1, 0, 0, 1]], np.float32), (4, 1)))
    program = gl.get(GL.CURRENT_PROGRAM)[0]
    gl.glUniform2f(gl.glGetUniformLocation(program, b"offset"), 0.0, 1.0)
    gl.glClearColor(0, 0, 1, 1)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    found = gl.pixels(8, 8)
    assert (found[:4] == (0, 0, 255, 255)).all()
    assert (found[4:] == (255, 0, 0, 255)).all()
    assert gl.glGetError() == GL.NO_ERROR


def test_front_faces_are_counterclockwise_with_y_upward(gl: Binding) -> None:
    gl.target(4, 4)
    gl.glUseProgram(gl.program(VERTEX, FRAGMENT))
    rows(gl, np.array([[-1, -1], [3, -1], [-1, 3]], np.float32), np.ones((3, 4), np.float32))
    gl.glEnable(GL.CULL_FACE)
    for mode, seen in ((GL.BACK, 255), (GL.FRONT, 0)):
        gl.glCullFace(mode)
        gl.glClearColor(0, 0, 0, 0)
        gl.glClear(GL.COLOR_BUFFER_BIT)
        gl.glDrawArrays(GL.TRIANGLES, 0, 3)
        assert (gl.pixels(4, 4) == seen).all()
    gl.glDisable(GL.CULL_FACE)
    gl.glCullFace(GL.BACK)


def test_indices_choose_vertices_and_restart_a_strip(gl: Binding) -> None:
    gl.target(4, 4)
    gl.glUseProgram(gl.program(VERTEX, FRAGMENT))
    rows(gl, QUAD, np.ones((4, 4), np.float32))
    gl.buffer(GL.ELEMENT_ARRAY_BUFFER, np.array([0, 1, 0xFFFF, 0, 1, 2, 3], np.uint16))
    gl.glEnable(GL.PRIMITIVE_RESTART_FIXED_INDEX)
    gl.glClearColor(0, 0, 0, 0)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glDrawElements(GL.TRIANGLE_STRIP, 7, GL.UNSIGNED_SHORT, None)
    gl.glDisable(GL.PRIMITIVE_RESTART_FIXED_INDEX)
    assert (gl.pixels(4, 4) == 255).all()
    assert gl.glGetError() == GL.NO_ERROR


def test_draws_take_their_arguments_from_a_buffer(gl: Binding) -> None:
    gl.target(8, 8)
    gl.glUseProgram(gl.program(VERTEX, FRAGMENT))
    corners = np.concatenate([QUAD * 0.5 - 0.5, QUAD * 0.5 + 0.5]).astype(np.float32)
    rows(gl, corners, np.repeat(np.array([[1, 0, 0, 1], [0, 1, 0, 1]], np.float32), 4, axis=0))
    for indexed in (False, True):
        gl.glClearColor(0, 0, 0, 1)
        gl.glClear(GL.COLOR_BUFFER_BIT)
        if indexed:
            gl.buffer(GL.ELEMENT_ARRAY_BUFFER, np.arange(4, dtype=np.uint8))
            gl.buffer(GL.DRAW_INDIRECT_BUFFER, np.array([[4, 1, 0, 0, 0], [4, 1, 0, 4, 0]], np.uint32))
            gl.glMultiDrawElementsIndirect(GL.TRIANGLE_STRIP, GL.UNSIGNED_BYTE, None, 2, 0)
        else:
            gl.buffer(GL.DRAW_INDIRECT_BUFFER, np.array([[4, 1, 0, 0], [4, 1, 4, 0]], np.uint32))
            gl.glMultiDrawArraysIndirect(GL.TRIANGLE_STRIP, None, 2, 16)
        found = gl.pixels(8, 8)
        assert (found[:4, :4] == (255, 0, 0, 255)).all()
        assert (found[4:, 4:] == (0, 255, 0, 255)).all()
        assert (found[:4, 4:, :3] == 0).all()
    gl.glMultiDrawArraysIndirect(GL.TRIANGLE_STRIP, None, 9, 0)
    assert gl.glGetError() == GL.INVALID_OPERATION


def test_a_texture_is_sampled_with_row_0_at_the_bottom(gl: Binding) -> None:
    gl.target(2, 2)
    texture = gl.make("Textures")
    gl.glBindTexture(GL.TEXTURE_2D, texture)
    gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGB8, 2, 2, 0, GL.RGB, GL.UNSIGNED_BYTE, None)
    gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 1)
    gl.glTexSubImage2D(GL.TEXTURE_2D, 0, 0, 0, 2, 1, GL.RGB, GL.UNSIGNED_BYTE, np.array([[255, 0, 0], [0, 255, 0]], np.uint8))
    gl.glTexSubImage2D(GL.TEXTURE_2D, 0, 0, 1, 2, 1, GL.BGR, GL.UNSIGNED_BYTE, np.array([[255, 0, 0], [1, 2, 3]], np.uint8))
    gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 4)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.NEAREST)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MAG_FILTER, GL.NEAREST)
    vertex = VERTEX.replace("tint = color", "tint = vec4(position * 0.5 + 0.5, 0.0, 1.0)")
    fragment = "#version 330 core\nin vec4 tint; out vec4 result; uniform sampler2D map; void main() { result = texture(map, tint.xy); }"
    gl.glUseProgram(gl.program(vertex, fragment))
    rows(gl, QUAD, np.ones((4, 4), np.float32))
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    assert gl.pixels(2, 2).tolist() == [[[255, 0, 0, 255], [0, 255, 0, 255]], [[0, 0, 255, 255], [3, 2, 1, 255]]]
    into = np.zeros((2, 2, 4), np.uint8)
    gl.glGetTexImage(GL.TEXTURE_2D, 0, GL.RGBA, GL.UNSIGNED_BYTE, into)
    assert into[1, 1].tolist() == [3, 2, 1, 255]


def test_an_incomplete_texture_reads_as_opaque_black(gl: Binding) -> None:
    gl.target(2, 2)
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    white = np.full((2, 2, 4), 255, np.uint8)
    gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGBA8, 2, 2, 0, GL.RGBA, GL.UNSIGNED_BYTE, white)
    fragment = "#version 330 core\nout vec4 result; uniform sampler2D map; void main() { result = texture(map, vec2(0.5)); }"
    gl.glUseProgram(gl.program(VERTEX.replace("tint = color", "tint = vec4(0.0)"), fragment))
    rows(gl, QUAD, np.ones((4, 4), np.float32))
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    assert (gl.pixels(2, 2) == (0, 0, 0, 255)).all()
    gl.glGenerateMipmap(GL.TEXTURE_2D)
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    assert (gl.pixels(2, 2) == 255).all()


def test_a_uniform_block_is_read_from_its_binding_point(gl: Binding) -> None:
    gl.target(2, 2)
    fragment = "#version 330 core\nout vec4 result; layout(std140) uniform Tone { vec4 low; vec4 high; }; void main() { result = high; }"
    program = gl.program(VERTEX.replace("tint = color", "tint = vec4(0.0)"), fragment)
    index = gl.glGetUniformBlockIndex(program, b"Tone")
    size = (ctypes.c_int32 * 1)()
    gl.glGetActiveUniformBlockiv(program, index, GL.UNIFORM_BLOCK_DATA_SIZE, size)
    assert size[0] == 32
    gl.glUniformBlockBinding(program, index, 5)
    name = gl.buffer(GL.UNIFORM_BUFFER, np.array([[0, 0, 0, 0], [0, 1, 0, 1]], np.float32))
    gl.glBindBufferBase(GL.UNIFORM_BUFFER, 5, name)
    gl.glUseProgram(program)
    rows(gl, QUAD, np.ones((4, 4), np.float32))
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    assert (gl.pixels(2, 2) == (0, 255, 0, 255)).all()


def test_a_mapped_buffer_is_its_memory(gl: Binding) -> None:
    gl.buffer(GL.ARRAY_BUFFER, np.arange(16, dtype=np.uint8))
    address = gl.glMapBufferRange(GL.ARRAY_BUFFER, 4, 8, GL.MAP_READ_BIT | GL.MAP_WRITE_BIT)
    assert ctypes.string_at(address, 8) == bytes(range(4, 12))
    ctypes.memmove(address, b"abcdefgh", 8)
    assert gl.glUnmapBuffer(GL.ARRAY_BUFFER) == GL.TRUE
    into = np.zeros(16, np.uint8)
    gl.glGetBufferSubData(GL.ARRAY_BUFFER, 0, 16, into)
    assert into.tobytes() == bytes(range(4)) + b"abcdefgh" + bytes(range(12, 16))


def test_a_compute_shader_writes_a_storage_buffer(gl: Binding) -> None:
    shader, program = gl.glCreateShader(GL.COMPUTE_SHADER), gl.glCreateProgram()
    text = """#version 430
    layout(local_size_x = 4) in;
    layout(std430, binding = 2) buffer Data { uint data[]; };
    uniform uint factor;
    void main() { data[gl_GlobalInvocationID.x] *= factor; }
    """
    raw = ctypes.c_char_p(text.encode())
    gl.glShaderSource(shader, 1, ctypes.byref(raw), None)
    gl.glCompileShader(shader)
    gl.glAttachShader(program, shader)
    gl.glLinkProgram(program)
    gl.glUseProgram(program)
    gl.glUniform1ui(gl.glGetUniformLocation(program, b"factor"), 3)
    name = gl.buffer(GL.SHADER_STORAGE_BUFFER, np.arange(8, dtype=np.uint32))
    gl.glBindBufferBase(GL.SHADER_STORAGE_BUFFER, 2, name)
    gl.glDispatchCompute(2, 1, 1)
    gl.glMemoryBarrier(GL.BUFFER_UPDATE_BARRIER_BIT)
    into = np.zeros(8, np.uint32)
    gl.glGetBufferSubData(GL.SHADER_STORAGE_BUFFER, 0, 32, into)
    assert into.tolist() == [0, 3, 6, 9, 12, 15, 18, 21]
    assert gl.glGetError() == GL.NO_ERROR


def test_transform_feedback_captures_outputs_by_name(gl: Binding) -> None:
    program = gl.glCreateProgram()
    for type, text in ((GL.VERTEX_SHADER, VERTEX), (GL.FRAGMENT_SHADER, FRAGMENT)):
        shader, raw = gl.glCreateShader(type), ctypes.c_char_p(text.encode())
        gl.glShaderSource(shader, 1, ctypes.byref(raw), None)
        gl.glCompileShader(shader)
        gl.glAttachShader(program, shader)
    names = (ctypes.c_char_p * 2)(b"tint", b"gl_Position")
    gl.glTransformFeedbackVaryings(program, 2, ctypes.cast(names, ctypes.c_void_p), GL.INTERLEAVED_ATTRIBS)
    gl.glLinkProgram(program)
    gl.glUseProgram(program)
    gl.target(2, 2)
    rows(gl, QUAD, np.arange(16, dtype=np.float32).reshape(4, 4))
    name = gl.buffer(GL.TRANSFORM_FEEDBACK_BUFFER, np.zeros((4, 8), np.float32))
    gl.glBindBufferBase(GL.TRANSFORM_FEEDBACK_BUFFER, 0, name)
    gl.glBeginTransformFeedback(GL.POINTS)
    gl.glDrawArrays(GL.POINTS, 0, 4)
    gl.glEndTransformFeedback()
    into = np.zeros((4, 8), np.float32)
    gl.glGetBufferSubData(GL.TRANSFORM_FEEDBACK_BUFFER, 0, into.nbytes, into)
    assert (into[:, :4] == np.arange(16, dtype=np.float32).reshape(4, 4)).all()
    assert (into[:, 4:6] == QUAD).all()
    assert gl.glGetError() == GL.NO_ERROR


def test_a_text_with_an_error_has_a_log_with_its_place(gl: Binding) -> None:
    shader, raw = gl.glCreateShader(GL.FRAGMENT_SHADER), ctypes.c_char_p(b"#version 330\nvoid main() { wrong; }\n")
    gl.glShaderSource(shader, 1, ctypes.byref(raw), None)
    gl.glCompileShader(shader)
    status, log = (ctypes.c_int32 * 1)(), ctypes.create_string_buffer(1000)
    gl.glGetShaderiv(shader, GL.COMPILE_STATUS, status)
    gl.glGetShaderInfoLog(shader, 1000, None, log)
    assert status[0] == 0
    assert ":2:15" in log.value.decode()
    assert "^" in log.value.decode()


def test_an_input_of_another_type_than_its_output_does_not_link(gl: Binding) -> None:
    with pytest.raises(AssertionError, match="tint"):
        gl.program(VERTEX.replace("vec4", "vec3").replace("vec3(position", "vec4(position"), FRAGMENT)


def test_texels_that_do_not_fit_into_the_callers_memory_are_not_written(gl: Binding) -> None:
    texture = gl.make("Textures")
    gl.glBindTexture(GL.TEXTURE_2D, texture)
    gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGBA8, 4, 4, 0, GL.RGBA, GL.UNSIGNED_BYTE, np.full((4, 4, 4), 9, np.uint8))
    into = np.zeros(64, np.uint8)
    gl.glGetTextureImage(texture, 0, GL.RGBA, GL.UNSIGNED_BYTE, 63, into)
    assert gl.glGetError() == GL.INVALID_OPERATION
    gl.glGetTextureSubImage(texture, 0, 0, 0, 0, 2, 2, 1, GL.RGBA, GL.UNSIGNED_BYTE, 15, into)
    assert gl.glGetError() == GL.INVALID_OPERATION
    assert not into.any()
    gl.glGetTextureImage(texture, 0, GL.RGBA, GL.UNSIGNED_BYTE, 64, into)
    assert (into == 9).all()


def test_faces_of_a_cube_are_replaced_by_padded_rows(gl: Binding) -> None:
    names = (ctypes.c_uint32 * 1)()
    gl.glCreateTextures(GL.TEXTURE_CUBE_MAP, 1, names)
    gl.glTextureStorage2D(names[0], 1, GL.R8, 3, 3)
    rows_of_four = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    gl.glTextureSubImage3D(names[0], 0, 0, 0, 1, 3, 3, 2, GL.RED, GL.UNSIGNED_BYTE, rows_of_four)
    into = np.zeros((3, 4), np.uint8)
    gl.glGetTextureSubImage(names[0], 0, 0, 0, 2, 3, 3, 1, GL.RED, GL.UNSIGNED_BYTE, 12, into)
    assert (into[:, :3] == rows_of_four[1, :, :3]).all()
    assert gl.glGetError() == GL.NO_ERROR


def test_samples_are_resolved_by_a_blit(gl: Binding) -> None:
    single = gl.target(4, 4)
    many, color = gl.make("Framebuffers"), gl.make("Renderbuffers")
    gl.glBindRenderbuffer(GL.RENDERBUFFER, color)
    gl.glRenderbufferStorageMultisample(GL.RENDERBUFFER, 4, GL.RGBA8, 4, 4)
    gl.glBindFramebuffer(GL.FRAMEBUFFER, many)
    gl.glFramebufferRenderbuffer(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0, GL.RENDERBUFFER, color)
    gl.glUseProgram(gl.program(VERTEX, FRAGMENT))
    rows(gl, np.array([[-1, -1], [1, -1], [-1, 1]], np.float32), np.ones((3, 4), np.float32))
    gl.glClearColor(0, 0, 0, 0)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    gl.glBindFramebuffer(GL.DRAW_FRAMEBUFFER, single)
    gl.glBlitFramebuffer(0, 0, 4, 4, 0, 0, 4, 4, GL.COLOR_BUFFER_BIT, GL.NEAREST)
    gl.glBindFramebuffer(GL.FRAMEBUFFER, single)
    found = gl.pixels(4, 4)[..., 0]
    assert found[0, 0] == 255
    assert found[3, 3] == 0
    assert 0 < found[1, 2] < 255


UNITS = {GL.DEPTH_COMPONENT16: 2.0**-15, GL.DEPTH_COMPONENT24: 2.0**-23, GL.DEPTH_COMPONENT32F: 2.0**-24}


@pytest.mark.parametrize(("format", "unit"), UNITS.items())
def test_a_unit_of_polygon_offset_is_two_steps_of_whole_numbers_and_one_of_floats(gl: Binding, format: int, unit: float) -> None:
    gl.target(4, 4)
    gl.glBindRenderbuffer(GL.RENDERBUFFER, gl.make("Renderbuffers"))
    gl.glRenderbufferStorage(GL.RENDERBUFFER, format, 4, 4)
    gl.glFramebufferRenderbuffer(GL.FRAMEBUFFER, GL.DEPTH_STENCIL_ATTACHMENT, GL.RENDERBUFFER, 0)
    gl.glFramebufferRenderbuffer(GL.FRAMEBUFFER, GL.DEPTH_ATTACHMENT, GL.RENDERBUFFER, gl.get(GL.RENDERBUFFER_BINDING)[0])
    text = "#version 330 core\nlayout(location = 0) in vec2 position; void main() { gl_Position = vec4(position, 0.5, 1.0); }"
    gl.glUseProgram(gl.program(text, "#version 330 core\nvoid main() {}"))
    rows(gl, QUAD, np.ones((4, 4), np.float32))
    gl.glDepthFunc(GL.ALWAYS)
    for item in (GL.DEPTH_TEST, GL.POLYGON_OFFSET_FILL):
        gl.glEnable(item)
    found = []
    for units in (0.0, 8.0):
        gl.glPolygonOffset(0.0, units)
        gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
        pixels = np.zeros((4, 4), np.float32)
        gl.glReadPixels(0, 0, 4, 4, GL.DEPTH_COMPONENT, GL.FLOAT, pixels)
        found.append(float(pixels[1, 1]))
    for item in (GL.DEPTH_TEST, GL.POLYGON_OFFSET_FILL):
        gl.glDisable(item)
    gl.glDepthFunc(GL.LESS)
    assert found[1] - found[0] == pytest.approx(8 * unit, rel=0.02)


def test_an_array_of_one_texture_has_the_name_of_its_first_element(gl: Binding) -> None:
    text = "#version 330 core\nuniform sampler2D image[1]; uniform sampler2D other; out vec4 result;\n"
    program = gl.program(VERTEX, text + "void main() { result = texture(image[0], vec2(0.5)) + texture(other, vec2(0.5)); }")
    place = gl.glGetUniformLocation(program, b"image")
    assert place >= 0
    assert gl.glGetUniformLocation(program, b"image[0]") == place
    assert gl.glGetUniformLocation(program, b"other[0]") == gl.glGetUniformLocation(program, b"image[1]") == -1


def test_a_texture_is_found_next_to_more_uniforms_than_there_are_texture_units(gl: Binding) -> None:
    many = "".join(f"uniform vec3 u{k}[3]; " for k in range(20))
    total = " + ".join(f"u{k}[2].x" for k in range(20))
    body = "void main() { result = texture(image, vec2(0.5)) + vec4(" + total + "); }"
    gl.target(4, 4)
    gl.glUseProgram(gl.program(VERTEX, f"#version 330 core\n{many} uniform sampler2D image; out vec4 result;\n{body}"))
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.NEAREST)
    gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGBA8, 1, 1, 0, GL.RGBA, GL.UNSIGNED_BYTE, np.array([[10, 20, 30, 255]], np.uint8))
    rows(gl, QUAD, np.ones((4, 4), np.float32))
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    assert (gl.pixels(4, 4) == (10, 20, 30, 255)).all()
    assert gl.glGetError() == GL.NO_ERROR


SOURCES = "void main() { first = vec4(0.5, 1.0, 0.0, 1.0); second = vec4(0.0, 0.5, 1.0, 1.0); }"


@pytest.mark.parametrize("is_stated", [True, False])
def test_a_blend_takes_its_second_source_from_the_output_of_index_1(gl: Binding, is_stated: bool) -> None:
    gl.target(2, 2)
    vertex = "#version 330\nin vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }"
    if is_stated:
        outputs = "layout(location = 0, index = 1) out vec4 second; layout(location = 0, index = 0) out vec4 first;"
        program = gl.program(vertex, f"#version 330\n{outputs}\n{SOURCES}")
    else:
        program = gl.program(vertex, f"#version 330\nout vec4 second, first;\n{SOURCES}")
        gl.glBindFragDataLocationIndexed(program, 0, 0, b"first")
        gl.glBindFragDataLocationIndexed(program, 0, 1, b"second")
        gl.glLinkProgram(program)
    assert [gl.glGetFragDataIndex(program, name) for name in (b"first", b"second")] == [0, 1]
    assert [gl.glGetFragDataLocation(program, name) for name in (b"first", b"second")] == [0, 0]
    gl.glUseProgram(program)
    gl.buffer(GL.ARRAY_BUFFER, QUAD)
    gl.glVertexAttribPointer(gl.glGetAttribLocation(program, b"position"), 2, GL.FLOAT, 0, 0, None)
    gl.glEnableVertexAttribArray(gl.glGetAttribLocation(program, b"position"))
    gl.glClearColor(0.0, 1.0, 1.0, 1.0)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glEnable(GL.BLEND)
    gl.glBlendFunc(GL.ONE, GL.SRC1_COLOR)
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    gl.glDisable(GL.BLEND)
    assert (gl.pixels(2, 2) == (128, 255, 255, 255)).all()
    assert gl.glGetError() == GL.NO_ERROR
