"""Vertex arrays, shaders, programs and framebuffers as objects: names, parts, answers about them, completeness, and errors."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

pytestmark = needs_glslang

VERTEX, FRAGMENT = (
    "#version 330\nin vec4 a, b; void main() { gl_Position = a + b; }",
    "#version 330\nout vec4 c; void main() { c = vec4(1.0); }",
)


@pytest.fixture(scope="module")
def context() -> Binding:
    return Binding(size=(2, 2))


@pytest.fixture
def gl(context: Binding) -> Iterator[Binding]:
    yield context
    context.glBindFramebuffer(GL.FRAMEBUFFER, 0)
    assert context.glGetError() == GL.NO_ERROR


def check_codes(gl: Binding, calls: Any) -> None:
    for function, arguments, code in calls:
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)


# -- vertex arrays
def of_attribute(gl: Binding, index: int, *names: int) -> list[int]:
    found = []
    for name in names:
        values, floats, doubles = (ctypes.c_int32 * 4)(), (ctypes.c_float * 4)(), (ctypes.c_double * 4)()
        gl.glGetVertexAttribiv(index, name, values)
        gl.glGetVertexAttribfv(index, name, floats)
        gl.glGetVertexAttribdv(index, name, doubles)
        assert values[0] == floats[0] == doubles[0]
        found.append(values[0])
    return found


SHAPE = (
    *(GL.VERTEX_ATTRIB_ARRAY_SIZE, GL.VERTEX_ATTRIB_ARRAY_TYPE, GL.VERTEX_ATTRIB_ARRAY_NORMALIZED, GL.VERTEX_ATTRIB_ARRAY_INTEGER),
    GL.VERTEX_ATTRIB_ARRAY_LONG,
)
PLACE = (GL.VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, GL.VERTEX_ATTRIB_ARRAY_STRIDE, GL.VERTEX_ATTRIB_ARRAY_DIVISOR, GL.VERTEX_ATTRIB_BINDING)


def test_pointers_set_format_and_place_of_an_attribute(gl: Binding) -> None:
    gl.glBindVertexArray(gl.make("VertexArrays"))
    buffer, place = gl.buffer(GL.ARRAY_BUFFER, np.zeros(64, np.uint8)), (ctypes.c_uint64 * 1)()
    gl.glVertexAttribPointer(2, 3, GL.UNSIGNED_BYTE, 1, 12, 8)
    gl.glVertexAttribIPointer(3, 2, GL.SHORT, 0, 4)
    gl.glVertexAttribLPointer(4, 1, GL.DOUBLE, 0, None)
    gl.glVertexAttribPointer(5, GL.BGRA, GL.UNSIGNED_BYTE, 1, 0, None)
    gl.glVertexAttribDivisor(3, 7)
    assert of_attribute(gl, 2, *SHAPE, *PLACE) == [3, GL.UNSIGNED_BYTE, 1, 0, 0, buffer, 12, 0, 2]
    assert of_attribute(gl, 3, *SHAPE, *PLACE) == [2, GL.SHORT, 0, 1, 0, buffer, 0, 7, 3]
    assert of_attribute(gl, 4, *SHAPE, *PLACE) == [1, GL.DOUBLE, 0, 0, 1, buffer, 0, 0, 4]
    assert of_attribute(gl, 5, *SHAPE[:3]) == [GL.BGRA, GL.UNSIGNED_BYTE, 1]
    gl.glGetVertexAttribPointerv(2, GL.VERTEX_ATTRIB_ARRAY_POINTER, place)
    assert place[0] == 8
    value = (ctypes.c_int32 * 1)()
    for index, stride in ((2, 12), (3, 4), (4, 8), (5, 4)):  # a stride of 0 is the size of a value
        gl.glGetIntegeri_v(GL.VERTEX_BINDING_STRIDE, index, value)
        assert value[0] == stride


@pytest.mark.parametrize("is_named", [False, True])
def test_formats_and_bindings_are_set_apart(gl: Binding, is_named: bool) -> None:
    array, buffer = gl.make("VertexArrays"), gl.buffer(GL.ARRAY_BUFFER, np.zeros(64, np.uint8))
    gl.glBindVertexArray(array)
    if is_named:
        gl.glBindVertexArray(gl.make("VertexArrays"))
        first: tuple[int, ...] = (array,)
        names = "VertexArrayAttribFormat VertexArrayAttribIFormat VertexArrayAttribLFormat VertexArrayAttribBinding VertexArrayVertexBuffer"
        names += " VertexArrayBindingDivisor EnableVertexArrayAttrib DisableVertexArrayAttrib VertexArrayVertexBuffers"
    else:
        first = ()
        names = "VertexAttribFormat VertexAttribIFormat VertexAttribLFormat VertexAttribBinding BindVertexBuffer VertexBindingDivisor"
        names += " EnableVertexAttribArray DisableVertexAttribArray BindVertexBuffers"
    plain, whole, long, bind, place, divide, enable, disable, several = (getattr(gl, f"gl{name}") for name in names.split())
    plain(*first, 1, 4, GL.INT_2_10_10_10_REV, 1, 16)
    whole(*first, 2, 1, GL.UNSIGNED_INT, 20)
    long(*first, 3, 2, GL.DOUBLE, 24)
    for index in (1, 2, 3):
        bind(*first, index, 9)
        enable(*first, index)
    disable(*first, 2)
    place(*first, 9, buffer, 32, 40)
    divide(*first, 9, 3)
    if is_named:
        gl.glVertexArrayElementBuffer(array, buffer)
        gl.glBindVertexArray(array)
        assert gl.get(GL.ELEMENT_ARRAY_BUFFER_BINDING) == [buffer]
    offset, enabled = GL.VERTEX_ATTRIB_RELATIVE_OFFSET, GL.VERTEX_ATTRIB_ARRAY_ENABLED
    assert of_attribute(gl, 1, *SHAPE, offset, enabled) == [4, GL.INT_2_10_10_10_REV, 1, 0, 0, 16, 1]
    assert of_attribute(gl, 2, *SHAPE, offset, enabled) == [1, GL.UNSIGNED_INT, 0, 1, 0, 20, 0]
    assert of_attribute(gl, 3, *SHAPE, offset, enabled) == [2, GL.DOUBLE, 0, 0, 1, 24, 1]
    assert of_attribute(gl, 3, PLACE[0], PLACE[2], PLACE[3]) == [buffer, 3, 9]
    values = (ctypes.c_int32 * 2)()

    def binding(index: int) -> list[int]:
        gl.glGetIntegeri_v(GL.VERTEX_BINDING_OFFSET, index, values)
        gl.glGetIntegeri_v(GL.VERTEX_BINDING_STRIDE, index, ctypes.byref(values, 4))
        return [*values]

    assert binding(9) == [32, 40]
    pair = (np.array([buffer, 0], np.uint32), np.array([4, 8], np.int64), np.array([12, 24], np.int32))
    several(*first, 9, 2, *pair)
    assert (binding(9), binding(10)) == ([4, 12], [0, 16])
    several(*first, 9, 2, None, None, None)
    assert (binding(9), of_attribute(gl, 1, PLACE[0])) == ([0, 16], [0])


def test_current_values_and_deleted_arrays(gl: Binding) -> None:
    array, kept = gl.make("VertexArrays"), gl.make("VertexArrays")
    assert not gl.glIsVertexArray(array)
    gl.glBindVertexArray(array)
    assert gl.glIsVertexArray(array)
    gl.glVertexAttrib4f(3, *(ctypes.c_float(value) for value in (1.5, 2.0, 3.0, 4.0)))
    values = (ctypes.c_float * 4)()
    gl.glGetVertexAttribfv(3, GL.CURRENT_VERTEX_ATTRIB, values)
    assert [*values] == [1.5, 2.0, 3.0, 4.0]
    gl.glDeleteVertexArrays(2, np.array([array, kept], np.uint32))
    assert (gl.glIsVertexArray(array), gl.get(GL.VERTEX_ARRAY_BINDING)) == (0, [0])


def test_wrong_calls_of_vertex_arrays_have_their_codes(context: Binding) -> None:
    gl = context
    gl.glBindVertexArray(gl.make("VertexArrays"))
    gl.glBindBuffer(GL.ARRAY_BUFFER, 0)
    byte, none = GL.UNSIGNED_BYTE, None
    check_codes(
        gl,
        (
            ("glVertexAttribPointer", (0, 4, GL.FLOAT, 0, 0, 64), GL.INVALID_OPERATION),  # core: memory of the caller
            ("glVertexAttribPointer", (16, 4, GL.FLOAT, 0, 0, none), GL.INVALID_VALUE),
            ("glVertexAttribPointer", (0, 5, GL.FLOAT, 0, 0, none), GL.INVALID_VALUE),
            ("glVertexAttribPointer", (0, 0, GL.FLOAT, 0, 0, none), GL.INVALID_VALUE),
            ("glVertexAttribPointer", (0, 4, GL.FLOAT, 0, -1, none), GL.INVALID_VALUE),
            ("glVertexAttribPointer", (0, 4, GL.RED, 0, 0, none), GL.INVALID_ENUM),
            ("glVertexAttribPointer", (0, GL.BGRA, byte, 0, 0, none), GL.INVALID_OPERATION),
            ("glVertexAttribPointer", (0, GL.BGRA, GL.SHORT, 1, 0, none), GL.INVALID_OPERATION),
            ("glVertexAttribPointer", (0, 3, GL.INT_2_10_10_10_REV, 1, 0, none), GL.INVALID_OPERATION),
            ("glVertexAttribPointer", (0, 4, GL.UNSIGNED_INT_10F_11F_11F_REV, 0, 0, none), GL.INVALID_OPERATION),
            ("glVertexAttribIPointer", (0, 4, GL.FLOAT, 0, none), GL.INVALID_ENUM),
            ("glVertexAttribLPointer", (0, 4, GL.FLOAT, 0, none), GL.INVALID_ENUM),
            ("glVertexAttribFormat", (0, 4, GL.FLOAT, 0, 2048), GL.INVALID_VALUE),
            ("glVertexAttribBinding", (0, 16), GL.INVALID_VALUE),
            ("glVertexAttribBinding", (16, 0), GL.INVALID_VALUE),
            ("glBindVertexBuffer", (16, 0, 0, 16), GL.INVALID_VALUE),
            ("glBindVertexBuffer", (0, 0, -1, 16), GL.INVALID_VALUE),
            ("glBindVertexBuffer", (0, 0, 0, -1), GL.INVALID_VALUE),
            ("glBindVertexBuffers", (0, -1, none, none, none), GL.INVALID_VALUE),
            ("glVertexBindingDivisor", (16, 1), GL.INVALID_VALUE),
            ("glEnableVertexAttribArray", (16,), GL.INVALID_VALUE),
            ("glVertexArrayAttribBinding", (4711, 0, 0), GL.INVALID_OPERATION),
            ("glBindVertexArray", (4711,), GL.INVALID_OPERATION),
            ("glGenVertexArrays", (-1, none), GL.INVALID_VALUE),
            ("glDeleteVertexArrays", (-1, none), GL.INVALID_VALUE),
            ("glGetVertexAttribiv", (0, GL.RED, none), GL.INVALID_ENUM),
            ("glGetVertexAttribPointerv", (0, GL.RED, none), GL.INVALID_ENUM),
        ),
    )


# -- shaders and programs
def shader(gl: Binding, kind: int, text: str) -> int:
    name, raw = gl.glCreateShader(kind), ctypes.c_char_p(text.encode())
    gl.glShaderSource(name, 1, ctypes.byref(raw), None)
    gl.glCompileShader(name)
    return int(name)


def of_shader(gl: Binding, name: int, *what: int) -> list[int]:
    found = []
    for item in what:
        value = (ctypes.c_int32 * 1)(77)
        gl.glGetShaderiv(name, item, value)
        found.append(value[0])
    return found


def test_a_shader_has_a_text_in_pieces_and_a_log(gl: Binding) -> None:
    name, log, length = gl.glCreateShader(GL.FRAGMENT_SHADER), ctypes.create_string_buffer(400), (ctypes.c_int32 * 1)()
    pieces = (ctypes.c_char_p * 2)(b"#version 330\nout vec4 c;// rest", b"void main() { c = d; }")
    gl.glShaderSource(name, 2, ctypes.byref(pieces), np.array([24, -1], np.int32))
    gl.glGetShaderSource(name, 400, length, log)
    text = b"#version 330\nout vec4 c;void main() { c = d; }"
    assert (log.value, length[0]) == (text, len(text))
    gl.glGetShaderSource(name, 8, length, log)
    assert (log.value, length[0]) == (text[:7], 7)
    gl.glCompileShader(name)
    gl.glGetShaderInfoLog(name, 400, length, log)
    assert b"`d`: undeclared identifier" in log.value
    assert of_shader(gl, name, GL.COMPILE_STATUS, GL.SHADER_TYPE, GL.SHADER_SOURCE_LENGTH) == [0, GL.FRAGMENT_SHADER, len(text) + 1]
    assert of_shader(gl, name, GL.INFO_LOG_LENGTH)[0] == length[0] + 1
    good = shader(gl, GL.FRAGMENT_SHADER, FRAGMENT)
    assert of_shader(gl, good, GL.COMPILE_STATUS, GL.DELETE_STATUS, GL.INFO_LOG_LENGTH, GL.SPIR_V_BINARY) == [1, 0, 0, 0]
    assert of_shader(gl, gl.glCreateShader(GL.VERTEX_SHADER), GL.SHADER_SOURCE_LENGTH, GL.COMPILE_STATUS) == [0, 0]


def test_numbers_of_shaders_have_32_bits_whatever_their_precision(gl: Binding) -> None:
    for names, wanted in (
        ((GL.LOW_FLOAT, GL.MEDIUM_FLOAT, GL.HIGH_FLOAT), ([127, 127], [23])),
        ((GL.LOW_INT, GL.MEDIUM_INT, GL.HIGH_INT), ([31, 30], [0])),
    ):
        for name in names:
            bounds, bits = (ctypes.c_int32 * 2)(), (ctypes.c_int32 * 1)()
            gl.glGetShaderPrecisionFormat(GL.FRAGMENT_SHADER, name, bounds, bits)
            assert ([*bounds], [*bits]) == wanted


def test_shaders_and_programs_live_as_long_as_they_are_used(gl: Binding) -> None:
    program, other = gl.glCreateProgram(), gl.glCreateProgram()
    vertex, fragment = shader(gl, GL.VERTEX_SHADER, VERTEX), shader(gl, GL.FRAGMENT_SHADER, FRAGMENT)
    for name in (vertex, fragment):
        gl.glAttachShader(program, name)
    gl.glAttachShader(other, fragment)
    count, names = (ctypes.c_int32 * 1)(), (ctypes.c_uint32 * 3)()
    gl.glGetAttachedShaders(program, 3, count, names)
    assert (count[0], [*names]) == (2, [vertex, fragment, 0])
    gl.glGetAttachedShaders(program, 1, count, names)
    assert count[0] == 1
    for name in (vertex, fragment):
        gl.glDeleteShader(name)
        assert of_shader(gl, name, GL.DELETE_STATUS) == [1]
        assert gl.glIsShader(name)
    gl.glDetachShader(program, fragment)
    assert gl.glIsShader(fragment)  # the other program has it
    gl.glDetachShader(other, fragment)
    assert not gl.glIsShader(fragment)
    gl.glDeleteProgram(program)
    assert not gl.glIsProgram(program)
    assert not gl.glIsShader(vertex)
    used = gl.program(VERTEX, FRAGMENT)
    gl.glUseProgram(used)
    gl.glDeleteProgram(used)
    assert gl.glIsProgram(used)
    gl.glUseProgram(0)
    assert not gl.glIsProgram(used)
    gl.glDeleteProgram(0)
    gl.glDeleteShader(0)


def test_attributes_get_the_locations_that_are_asked_for_at_the_next_link(gl: Binding) -> None:
    program = gl.program(VERTEX, FRAGMENT)
    gl.glBindAttribLocation(program, 6, b"a")
    gl.glBindAttribLocation(program, 2, b"b")
    gl.glBindFragDataLocation(program, 3, b"c")
    gl.glLinkProgram(program)
    assert [gl.glGetAttribLocation(program, name) for name in (b"a", b"b")] == [6, 2]
    assert gl.glGetFragDataLocation(program, b"c") == 3
    value = (ctypes.c_int32 * 1)()
    for name in (GL.PROGRAM_SEPARABLE, GL.PROGRAM_BINARY_RETRIEVABLE_HINT):
        gl.glProgramParameteri(program, name, 1)
        gl.glGetProgramiv(program, name, value)
        assert value[0] == 1


def test_a_failed_link_leaves_a_program_in_use_as_it_was(gl: Binding) -> None:
    program, value, log = gl.program(VERTEX, FRAGMENT), (ctypes.c_int32 * 1)(), ctypes.create_string_buffer(400)
    gl.glUseProgram(program)
    gl.glAttachShader(program, shader(gl, GL.FRAGMENT_SHADER, "#version 330\nout vec4 c; void main() { c = x; }"))
    gl.glLinkProgram(program)
    gl.glGetProgramiv(program, GL.LINK_STATUS, value)
    gl.glGetProgramInfoLog(program, 400, None, log)
    assert value[0] == 0
    assert log.value
    gl.glValidateProgram(program)
    gl.glGetProgramiv(program, GL.VALIDATE_STATUS, value)
    assert (value[0], gl.get(GL.CURRENT_PROGRAM)) == (0, [program])
    gl.glBindVertexArray(gl.make("VertexArrays"))
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    gl.glUseProgram(0)


def test_a_program_of_one_text_is_separable(gl: Binding) -> None:
    texts, value = (
        (ctypes.c_char_p * 2)(b"#version 430\n", b"out gl_PerVertex { vec4 gl_Position; }; void main() { gl_Position = vec4(0.0); }"),
        (ctypes.c_int32 * 1)(),
    )
    program = gl.glCreateShaderProgramv(GL.VERTEX_SHADER, 2, ctypes.byref(texts))
    for name, wanted in ((GL.LINK_STATUS, 1), (GL.PROGRAM_SEPARABLE, 1), (GL.ATTACHED_SHADERS, 0)):
        gl.glGetProgramiv(program, name, value)
        assert value[0] == wanted


def test_wrong_calls_of_programs_have_their_codes(context: Binding) -> None:
    gl = context
    program, name, length = gl.glCreateProgram(), shader(gl, GL.VERTEX_SHADER, VERTEX), (ctypes.c_int32 * 1)(9)
    gl.glAttachShader(program, name)
    word = ctypes.byref((ctypes.c_char_p * 5)(*[b"a"] * 5))
    check_codes(
        gl,
        (
            ("glCreateShader", (GL.RED,), GL.INVALID_ENUM),
            ("glCreateShaderProgramv", (GL.RED, 1, word), GL.INVALID_ENUM),
            ("glShaderSource", (name, -1, word, None), GL.INVALID_VALUE),
            ("glShaderSource", (program, 1, word, None), GL.INVALID_OPERATION),
            ("glCompileShader", (4711,), GL.INVALID_VALUE),
            ("glGetShaderiv", (name, GL.RED, length), GL.INVALID_ENUM),
            ("glGetShaderInfoLog", (name, -1, None, None), GL.INVALID_VALUE),
            ("glGetShaderSource", (name, -1, None, None), GL.INVALID_VALUE),
            ("glGetShaderPrecisionFormat", (GL.VERTEX_SHADER, GL.RED, None, None), GL.INVALID_ENUM),
            ("glShaderBinary", (-1, None, 0, None, 0), GL.INVALID_VALUE),
            ("glShaderBinary", (0, None, 0, None, 0), GL.INVALID_ENUM),
            ("glAttachShader", (program, name), GL.INVALID_OPERATION),
            ("glAttachShader", (name, name), GL.INVALID_OPERATION),
            ("glDetachShader", (program, shader(gl, GL.FRAGMENT_SHADER, FRAGMENT)), GL.INVALID_OPERATION),
            ("glUseProgram", (program,), GL.INVALID_OPERATION),
            ("glBindAttribLocation", (program, 16, b"a"), GL.INVALID_VALUE),
            ("glBindAttribLocation", (program, 0, b"gl_Vertex"), GL.INVALID_OPERATION),
            ("glBindFragDataLocation", (program, 8, b"a"), GL.INVALID_VALUE),
            ("glBindFragDataLocationIndexed", (program, 0, 2, b"a"), GL.INVALID_VALUE),
            ("glBindFragDataLocation", (program, 0, b"gl_FragColor"), GL.INVALID_OPERATION),
            ("glTransformFeedbackVaryings", (program, -1, word, GL.SEPARATE_ATTRIBS), GL.INVALID_VALUE),
            ("glTransformFeedbackVaryings", (program, 5, word, GL.SEPARATE_ATTRIBS), GL.INVALID_VALUE),
            ("glTransformFeedbackVaryings", (program, 1, word, GL.RED), GL.INVALID_ENUM),
            ("glProgramParameteri", (program, GL.RED, 1), GL.INVALID_ENUM),
            ("glGetProgramInfoLog", (program, -1, None, None), GL.INVALID_VALUE),
            ("glGetAttachedShaders", (program, -1, None, None), GL.INVALID_VALUE),
            ("glGetProgramBinary", (program, 0, length, None, None), GL.INVALID_OPERATION),
            ("glDeleteProgram", (4711,), GL.INVALID_VALUE),
            ("glDeleteShader", (4711,), GL.INVALID_VALUE),
        ),
    )
    assert length[0] == 0


# -- framebuffers
def texture(gl: Binding, target: int, internal: int, *size: int) -> int:
    name = gl.make("Textures")
    gl.glBindTexture(target, name)
    getattr(gl, f"glTexStorage{len(size)}D")(target, 1, internal, *size)
    return name


def framebuffer(gl: Binding) -> int:
    name = gl.make("Framebuffers")
    gl.glBindFramebuffer(GL.FRAMEBUFFER, name)
    return name


def status(gl: Binding, name: int = 0) -> int:
    found = int(gl.glCheckFramebufferStatus(GL.FRAMEBUFFER))
    if name:
        assert gl.glCheckNamedFramebufferStatus(name, GL.FRAMEBUFFER) == found
    return found


def test_completeness_says_what_is_missing(gl: Binding) -> None:
    name = framebuffer(gl)
    assert status(gl, name) == GL.FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT
    color, volume = texture(gl, GL.TEXTURE_2D, GL.RGBA8, 4, 4), texture(gl, GL.TEXTURE_3D, GL.RGBA8, 4, 4, 2)
    depth, shared = texture(gl, GL.TEXTURE_2D, GL.DEPTH_COMPONENT16, 4, 4), texture(gl, GL.TEXTURE_2D, GL.RGB9_E5, 4, 4)
    layers, samples = texture(gl, GL.TEXTURE_2D_ARRAY, GL.RGBA8, 4, 4, 3), gl.make("Renderbuffers")
    gl.glBindRenderbuffer(GL.RENDERBUFFER, samples)
    gl.glRenderbufferStorageMultisample(GL.RENDERBUFFER, 4, GL.RGBA8, 4, 4)
    empty, incomplete = gl.make("Textures"), GL.FRAMEBUFFER_INCOMPLETE_ATTACHMENT
    gl.glBindTexture(GL.TEXTURE_2D, empty)
    zero, one = GL.COLOR_ATTACHMENT0, GL.COLOR_ATTACHMENT1
    both, depth_point = GL.FRAMEBUFFER, GL.DEPTH_ATTACHMENT
    for function, arguments, wanted in (
        ("FramebufferTexture2D", (both, zero, GL.TEXTURE_2D, color, 0), GL.FRAMEBUFFER_COMPLETE),
        ("FramebufferTexture2D", (both, zero, GL.TEXTURE_2D, color, 1), incomplete),
        ("FramebufferTexture2D", (both, zero, GL.TEXTURE_2D, empty, 0), incomplete),
        ("FramebufferTexture2D", (both, zero, GL.TEXTURE_2D, depth, 0), incomplete),
        ("FramebufferTexture2D", (both, zero, GL.TEXTURE_2D, shared, 0), incomplete),
        ("FramebufferTexture3D", (both, zero, GL.TEXTURE_3D, volume, 0, 2), incomplete),
        ("FramebufferTexture3D", (both, zero, GL.TEXTURE_3D, volume, 0, 1), GL.FRAMEBUFFER_COMPLETE),
        ("FramebufferTextureLayer", (both, zero, layers, 0, 3), incomplete),
        ("NamedFramebufferTextureLayer", (name, zero, layers, 0, 2), GL.FRAMEBUFFER_COMPLETE),
        ("NamedFramebufferTexture", (name, one, layers, 0), GL.FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS),
        ("NamedFramebufferRenderbuffer", (name, one, GL.RENDERBUFFER, samples), GL.FRAMEBUFFER_INCOMPLETE_MULTISAMPLE),
        ("NamedFramebufferRenderbuffer", (name, one, GL.RENDERBUFFER, 0), GL.FRAMEBUFFER_COMPLETE),
        ("FramebufferTexture2D", (both, depth_point, GL.TEXTURE_2D, color, 0), incomplete),
        ("FramebufferTexture2D", (both, depth_point, GL.TEXTURE_2D, depth, 0), GL.FRAMEBUFFER_COMPLETE),
        ("FramebufferTexture2D", (both, GL.STENCIL_ATTACHMENT, GL.TEXTURE_2D, depth, 0), incomplete),
        ("FramebufferTexture", (both, GL.STENCIL_ATTACHMENT, 0, 0), GL.FRAMEBUFFER_COMPLETE),
        ("FramebufferTextureLayer", (both, depth_point, 0, 0, 0), GL.FRAMEBUFFER_COMPLETE),
        ("FramebufferTexture2D", (both, zero, GL.TEXTURE_2D, 0, 0), GL.FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT),
    ):
        getattr(gl, f"gl{function}")(*arguments)
        assert (status(gl, name), gl.glGetError()) == (wanted, GL.NO_ERROR), arguments


def test_deleted_framebuffers_leave_their_bindings(gl: Binding) -> None:
    drawn, read = framebuffer(gl), gl.make("Framebuffers")
    gl.glBindFramebuffer(GL.READ_FRAMEBUFFER, read)
    assert (gl.get(GL.DRAW_FRAMEBUFFER_BINDING), gl.get(GL.READ_FRAMEBUFFER_BINDING)) == ([drawn], [read])
    gl.glDeleteFramebuffers(1, np.array([drawn], np.uint32))
    assert (gl.get(GL.DRAW_FRAMEBUFFER_BINDING), gl.get(GL.READ_FRAMEBUFFER_BINDING)) == ([0], [read])
    gl.glDeleteFramebuffers(2, np.array([read, 4711], np.uint32))
    assert gl.get(GL.READ_FRAMEBUFFER_BINDING) == [0]
    assert [gl.glIsFramebuffer(name) for name in (drawn, read)] == [0, 0]


def test_draw_and_read_buffers_are_answered(gl: Binding) -> None:
    name = framebuffer(gl)
    one, two = GL.COLOR_ATTACHMENT1, GL.COLOR_ATTACHMENT2
    gl.glDrawBuffers(3, np.array([two, GL.NONE, one], np.uint32))
    gl.glReadBuffer(one)
    assert [gl.get(GL.DRAW_BUFFER0 + k)[0] for k in range(4)] == [two, GL.NONE, one, GL.NONE]
    assert (gl.get(GL.DRAW_BUFFER), gl.get(GL.READ_BUFFER)) == ([two], [one])
    gl.glNamedFramebufferDrawBuffer(name, one)
    gl.glNamedFramebufferReadBuffer(name, GL.NONE)
    assert [gl.get(GL.DRAW_BUFFER0 + k)[0] for k in range(4)] == [one, GL.NONE, GL.NONE, GL.NONE]
    assert gl.get(GL.READ_BUFFER) == [GL.NONE]
    gl.glNamedFramebufferDrawBuffers(name, 2, np.array([GL.NONE, two], np.uint32))
    assert [gl.get(GL.DRAW_BUFFER0 + k)[0] for k in range(2)] == [GL.NONE, two]


def test_wrong_calls_of_framebuffers_have_their_codes(context: Binding) -> None:
    gl = context
    color, zero = texture(gl, GL.TEXTURE_2D, GL.RGBA8, 4, 4), GL.COLOR_ATTACHMENT0
    framebuffer(gl)
    twice, many = np.array([zero, zero], np.uint32), np.zeros(9, np.uint32)
    both, back = GL.FRAMEBUFFER, np.array([GL.BACK_LEFT], np.uint32)
    check_codes(
        gl,
        (
            ("glBindFramebuffer", (GL.RED, 0), GL.INVALID_ENUM),
            ("glBindFramebuffer", (both, 4711), GL.INVALID_OPERATION),
            ("glGenFramebuffers", (-1, None), GL.INVALID_VALUE),
            ("glDeleteFramebuffers", (-1, None), GL.INVALID_VALUE),
            ("glFramebufferTexture2D", (both, GL.RED, GL.TEXTURE_2D, color, 0), GL.INVALID_ENUM),
            ("glFramebufferTexture2D", (both, zero + 8, GL.TEXTURE_2D, color, 0), GL.INVALID_OPERATION),
            ("glFramebufferTexture2D", (both, zero, GL.RED, color, 0), GL.INVALID_ENUM),
            ("glFramebufferTexture2D", (both, zero, GL.TEXTURE_3D, color, 0), GL.INVALID_OPERATION),
            ("glFramebufferTexture2D", (both, zero, GL.TEXTURE_2D, 4711, 0), GL.INVALID_OPERATION),
            ("glFramebufferTexture2D", (both, zero, GL.TEXTURE_2D, color, -1), GL.INVALID_VALUE),
            ("glFramebufferTexture2D", (both, zero, GL.TEXTURE_2D, color, 16), GL.INVALID_VALUE),
            ("glFramebufferTextureLayer", (both, zero, color, 0, 0), GL.INVALID_OPERATION),
            ("glFramebufferTextureLayer", (both, zero, color, 0, -1), GL.INVALID_VALUE),
            ("glFramebufferRenderbuffer", (both, zero, GL.RED, 0), GL.INVALID_ENUM),
            ("glFramebufferRenderbuffer", (both, zero, GL.RENDERBUFFER, 4711), GL.INVALID_OPERATION),
            ("glDrawBuffers", (2, twice), GL.INVALID_OPERATION),
            ("glDrawBuffers", (9, many), GL.INVALID_VALUE),
            ("glDrawBuffers", (-1, many), GL.INVALID_VALUE),
            ("glDrawBuffers", (1, back), GL.INVALID_OPERATION),
            ("glDrawBuffer", (GL.RED,), GL.INVALID_ENUM),
            ("glReadBuffer", (GL.BACK_LEFT,), GL.INVALID_OPERATION),
            ("glReadBuffer", (GL.RED,), GL.INVALID_ENUM),
        ),
    )
    gl.glBindFramebuffer(both, 0)
    check_codes(
        gl,
        (
            ("glFramebufferTexture2D", (both, zero, GL.TEXTURE_2D, color, 0), GL.INVALID_OPERATION),
            ("glDrawBuffer", (zero,), GL.INVALID_OPERATION),
            ("glReadBuffer", (zero,), GL.INVALID_OPERATION),
            ("glReadBuffer", (GL.RED,), GL.INVALID_ENUM),
        ),
    )
