"""Answers about state: what a command sets is what glGet returns, in each type; levels of textures, formats and framebuffers."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

TOP = (1 << 31) - 1
ON, OFF = 1, 0
LEVELS = np.array([1, 2, 3, 4], np.float32)

SET: list[tuple[str, tuple[Any, ...], dict[int, list[Any]]]] = [
    ("glClearColor", (0.25, 0.5, 1.0, 0.0), {GL.COLOR_CLEAR_VALUE: [0.25, 0.5, 1.0, 0.0]}),
    ("glClearDepth", (1.5,), {GL.DEPTH_CLEAR_VALUE: [1.0]}),
    ("glClearDepthf", (-0.5,), {GL.DEPTH_CLEAR_VALUE: [0.0]}),
    ("glClearStencil", (-3,), {GL.STENCIL_CLEAR_VALUE: [-3]}),
    ("glViewport", (1, 2, 30, 40), {GL.VIEWPORT: [1, 2, 30, 40]}),
    ("glScissor", (3, 4, 5, 6), {GL.SCISSOR_BOX: [3, 4, 5, 6]}),
    ("glDepthRange", (0.25, 0.75), {GL.DEPTH_RANGE: [0.25, 0.75]}),
    ("glCullFace", (GL.FRONT,), {GL.CULL_FACE_MODE: [GL.FRONT]}),
    ("glFrontFace", (GL.CW,), {GL.FRONT_FACE: [GL.CW]}),
    ("glPolygonOffset", (1.5, -2.0), {GL.POLYGON_OFFSET_FACTOR: [1.5], GL.POLYGON_OFFSET_UNITS: [-2.0]}),
    ("glLineWidth", (1.75,), {GL.LINE_WIDTH: [1.75]}),
    ("glPointSize", (2.5,), {GL.POINT_SIZE: [2.5]}),
    ("glProvokingVertex", (GL.FIRST_VERTEX_CONVENTION,), {GL.PROVOKING_VERTEX: [GL.FIRST_VERTEX_CONVENTION]}),
    ("glClipControl", (GL.UPPER_LEFT, GL.ZERO_TO_ONE), {GL.CLIP_ORIGIN: [GL.UPPER_LEFT], GL.CLIP_DEPTH_MODE: [GL.ZERO_TO_ONE]}),
    ("glPatchParameteri", (GL.PATCH_VERTICES, 5), {GL.PATCH_VERTICES: [5]}),
    ("glPatchParameterfv", (GL.PATCH_DEFAULT_OUTER_LEVEL, LEVELS), {GL.PATCH_DEFAULT_OUTER_LEVEL: [1, 2, 3, 4]}),
    ("glPatchParameterfv", (GL.PATCH_DEFAULT_INNER_LEVEL, LEVELS[2:]), {GL.PATCH_DEFAULT_INNER_LEVEL: [3, 4]}),
    ("glColorMask", (ON, OFF, ON, OFF), {GL.COLOR_WRITEMASK: [1, 0, 1, 0]}),
    ("glDepthMask", (OFF,), {GL.DEPTH_WRITEMASK: [0]}),
    ("glDepthFunc", (GL.GEQUAL,), {GL.DEPTH_FUNC: [GL.GEQUAL]}),
    ("glLogicOp", (GL.XOR,), {GL.LOGIC_OP_MODE: [GL.XOR]}),
    ("glBlendColor", (0.5, 0.25, 0.125, 1.0), {GL.BLEND_COLOR: [0.5, 0.25, 0.125, 1.0]}),
    (
        "glBlendFuncSeparate",
        (GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA, GL.ONE, GL.DST_COLOR),
        {
            GL.BLEND_SRC_RGB: [GL.SRC_ALPHA],
            GL.BLEND_DST_RGB: [GL.ONE_MINUS_SRC_ALPHA],
            GL.BLEND_SRC_ALPHA: [GL.ONE],
            GL.BLEND_DST_ALPHA: [GL.DST_COLOR],
            GL.BLEND_SRC: [GL.SRC_ALPHA],
            GL.BLEND_DST: [GL.ONE_MINUS_SRC_ALPHA],
        },
    ),
    ("glBlendEquationSeparate", (GL.MIN, GL.FUNC_SUBTRACT), {GL.BLEND_EQUATION_RGB: [GL.MIN], GL.BLEND_EQUATION_ALPHA: [GL.FUNC_SUBTRACT]}),
    ("glSampleCoverage", (0.75, ON), {GL.SAMPLE_COVERAGE_VALUE: [0.75], GL.SAMPLE_COVERAGE_INVERT: [1]}),
    ("glSampleMaski", (0, 0x5A), {GL.SAMPLE_MASK_VALUE: [0x5A]}),
    ("glMinSampleShading", (0.5,), {GL.MIN_SAMPLE_SHADING_VALUE: [0.5]}),
    ("glClampColor", (GL.CLAMP_READ_COLOR, GL.TRUE), {GL.CLAMP_READ_COLOR: [GL.TRUE]}),
    ("glPrimitiveRestartIndex", (1234,), {GL.PRIMITIVE_RESTART_INDEX: [1234]}),
    ("glActiveTexture", (GL.TEXTURE0 + 3,), {GL.ACTIVE_TEXTURE: [GL.TEXTURE0 + 3]}),
    ("glHint", (GL.LINE_SMOOTH_HINT, GL.NICEST), {GL.LINE_SMOOTH_HINT: [GL.NICEST], GL.POLYGON_SMOOTH_HINT: [GL.DONT_CARE]}),
    ("glPointParameterf", (GL.POINT_FADE_THRESHOLD_SIZE, 3.5), {GL.POINT_FADE_THRESHOLD_SIZE: [3.5]}),
    ("glPointParameteri", (GL.POINT_SPRITE_COORD_ORIGIN, GL.LOWER_LEFT), {GL.POINT_SPRITE_COORD_ORIGIN: [GL.LOWER_LEFT]}),
    (
        "glStencilFuncSeparate",
        (GL.FRONT, GL.LESS, 3, 0x0F),
        {GL.STENCIL_FUNC: [GL.LESS], GL.STENCIL_REF: [3], GL.STENCIL_VALUE_MASK: [15], GL.STENCIL_BACK_FUNC: [GL.ALWAYS]},
    ),
    (
        "glStencilFuncSeparate",
        (GL.BACK, GL.GREATER, 4, 0xF0),
        {GL.STENCIL_BACK_FUNC: [GL.GREATER], GL.STENCIL_BACK_REF: [4], GL.STENCIL_BACK_VALUE_MASK: [0xF0], GL.STENCIL_REF: [0]},
    ),
    (
        "glStencilOpSeparate",
        (GL.FRONT, GL.INCR, GL.DECR, GL.INVERT),
        {GL.STENCIL_FAIL: [GL.INCR], GL.STENCIL_PASS_DEPTH_FAIL: [GL.DECR], GL.STENCIL_PASS_DEPTH_PASS: [GL.INVERT]},
    ),
    (
        "glStencilOpSeparate",
        (GL.BACK, GL.INCR, GL.DECR, GL.INVERT),
        {GL.STENCIL_BACK_FAIL: [GL.INCR], GL.STENCIL_BACK_PASS_DEPTH_FAIL: [GL.DECR], GL.STENCIL_BACK_PASS_DEPTH_PASS: [GL.INVERT]},
    ),
    ("glStencilMaskSeparate", (GL.BACK, 0x3C), {GL.STENCIL_BACK_WRITEMASK: [0x3C]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "answers"), SET, ids=[f"{row[0]}-{number}" for number, row in enumerate(SET)])
def test_what_a_command_sets_is_what_is_answered(name: str, arguments: tuple[Any, ...], answers: dict[int, list[Any]]) -> None:
    gl = Binding(size=(4, 4))
    getattr(gl, name)(*arguments)
    for state, values in answers.items():
        for kind in (ctypes.c_float, ctypes.c_double):
            assert gl.get(state, len(values), kind) == values
    assert gl.glGetError() == GL.NO_ERROR
    gl.loader.release()


@pytest.fixture(scope="module")
def gl() -> Binding:
    return Binding(size=(4, 4))


@pytest.mark.parametrize("name", ["PACK", "UNPACK"])
def test_each_parameter_of_pixel_storage_is_kept(gl: Binding, name: str) -> None:
    values = {"ALIGNMENT": 2, "ROW_LENGTH": 7, "IMAGE_HEIGHT": 8, "SKIP_ROWS": 3, "SKIP_PIXELS": 4, "SKIP_IMAGES": 5, "SWAP_BYTES": 1}
    for field, value in (values | {"LSB_FIRST": 1}).items():
        parameter = getattr(GL, f"{name}_{field}")
        before = gl.get(parameter)
        gl.glPixelStorei(parameter, value)
        assert gl.get(parameter) == [value]
        gl.glPixelStorei(parameter, before[0])
    for field, value in (("ALIGNMENT", 3), ("ROW_LENGTH", -1)):
        gl.glPixelStorei(getattr(GL, f"{name}_{field}"), value)
        assert gl.glGetError() == GL.INVALID_VALUE


@pytest.mark.parametrize(("value", "integer"), [(0.0, 0), (1.0, TOP), (-1.0, -TOP), (2.0, TOP), (-2.0, -TOP), (0.25, (TOP + 1) // 4)])
def test_a_color_becomes_an_integer_over_the_whole_range(gl: Binding, value: float, integer: int) -> None:
    gl.glClearColor(value, 0.0, 0.0, 0.0)
    assert gl.get(GL.COLOR_CLEAR_VALUE, 4) == [integer, 0, 0, 0]
    long = (ctypes.c_int64 * 4)()
    gl.glGetInteger64v(GL.COLOR_CLEAR_VALUE, long)
    assert [*long] == [integer, 0, 0, 0]


def test_numbers_are_rounded_and_become_truths(gl: Binding) -> None:
    gl.glLineWidth(2.75)
    assert gl.get(GL.LINE_WIDTH) == [3]
    truths = (ctypes.c_uint8 * 4)()
    gl.glColorMask(ON, ON, OFF, ON)
    gl.glGetBooleanv(GL.COLOR_WRITEMASK, truths)
    assert [*truths] == [1, 1, 0, 1]
    gl.glColorMask(ON, ON, ON, ON)
    gl.glGetBooleanv(GL.LINE_WIDTH, truths)
    assert [*truths] == [1, 1, 0, 1]
    gl.glEnable(GL.DITHER)
    assert (gl.get(GL.DITHER), gl.get(GL.SCISSOR_TEST)) == ([1], [0])


def indexed(gl: Binding, state: int, index: int, count: int = 1, letter: str = "i") -> list[Any]:
    function = {"i": "Integeri_v", "q": "Integer64i_v", "f": "Floati_v", "d": "Doublei_v", "B": "Booleani_v"}[letter]
    kind: Any = {"i": ctypes.c_int32, "q": ctypes.c_int64, "f": ctypes.c_float, "d": ctypes.c_double, "B": ctypes.c_uint8}[letter]
    values = (kind * count)()
    getattr(gl, f"glGet{function}")(state, index, values)
    return list(values)


def test_states_with_an_index_are_answered_in_each_type(gl: Binding) -> None:
    gl.glViewportIndexedf(2, 1.5, 2.5, 30.0, 40.0)
    assert indexed(gl, GL.VIEWPORT, 2, 4, "f") == indexed(gl, GL.VIEWPORT, 2, 4, "d") == [1.5, 2.5, 30.0, 40.0]
    assert indexed(gl, GL.VIEWPORT, 2, 4, "q") == indexed(gl, GL.VIEWPORT, 2, 4) == [2, 2, 30, 40]
    gl.glScissorIndexed(3, 5, 6, 7, 8)
    assert indexed(gl, GL.SCISSOR_BOX, 3, 4) == [5, 6, 7, 8]
    gl.glDepthRangeIndexed(1, 0.0, 0.5)
    assert indexed(gl, GL.DEPTH_RANGE, 1, 2, "d") == [0.0, 0.5]
    gl.glColorMaski(4, OFF, ON, OFF, ON)
    assert indexed(gl, GL.COLOR_WRITEMASK, 4, 4, "B") == [0, 1, 0, 1]
    assert indexed(gl, GL.COLOR_WRITEMASK, 3, 4, "B") == [1, 1, 1, 1]
    gl.glBlendFuncSeparatei(5, GL.ZERO, GL.SRC_COLOR, GL.DST_ALPHA, GL.CONSTANT_COLOR)
    gl.glBlendEquationSeparatei(5, GL.MAX, GL.FUNC_REVERSE_SUBTRACT)
    names = (GL.BLEND_SRC_RGB, GL.BLEND_DST_RGB, GL.BLEND_SRC_ALPHA, GL.BLEND_DST_ALPHA, GL.BLEND_EQUATION_RGB, GL.BLEND_EQUATION_ALPHA)
    wanted = [GL.ZERO, GL.SRC_COLOR, GL.DST_ALPHA, GL.CONSTANT_COLOR, GL.MAX, GL.FUNC_REVERSE_SUBTRACT]
    assert [indexed(gl, name, 5)[0] for name in names] == wanted
    gl.glEnablei(GL.BLEND, 6)
    gl.glEnablei(GL.SCISSOR_TEST, 7)
    assert [indexed(gl, GL.BLEND, index)[0] for index in (5, 6)] == [0, 1]
    assert [indexed(gl, GL.SCISSOR_TEST, index)[0] for index in (6, 7)] == [0, 1]
    gl.glDisablei(GL.BLEND, 6)
    gl.glDisablei(GL.SCISSOR_TEST, 7)
    assert [indexed(gl, GL.MAX_COMPUTE_WORK_GROUP_SIZE, axis)[0] for axis in range(3)] == [1024, 1024, 64]
    assert [indexed(gl, GL.MAX_COMPUTE_WORK_GROUP_COUNT, axis)[0] for axis in range(3)] == [65535] * 3
    assert gl.glGetError() == GL.NO_ERROR


@pytest.mark.parametrize(
    ("target", "binding", "start", "size"),
    [
        (GL.UNIFORM_BUFFER, GL.UNIFORM_BUFFER_BINDING, GL.UNIFORM_BUFFER_START, GL.UNIFORM_BUFFER_SIZE),
        (GL.SHADER_STORAGE_BUFFER, GL.SHADER_STORAGE_BUFFER_BINDING, GL.SHADER_STORAGE_BUFFER_START, GL.SHADER_STORAGE_BUFFER_SIZE),
        (
            GL.TRANSFORM_FEEDBACK_BUFFER,
            GL.TRANSFORM_FEEDBACK_BUFFER_BINDING,
            GL.TRANSFORM_FEEDBACK_BUFFER_START,
            GL.TRANSFORM_FEEDBACK_BUFFER_SIZE,
        ),
    ],
)
def test_ranges_of_buffers_are_answered_by_their_binding_points(gl: Binding, target: int, binding: int, start: int, size: int) -> None:
    buffer = gl.buffer(GL.ARRAY_BUFFER, np.zeros(2048, np.uint8))
    gl.glBindBufferRange(target, 2, buffer, 512, 256)
    gl.glBindBufferBase(target, 3, buffer)
    assert [indexed(gl, name, 2)[0] for name in (binding, start, size)] == [buffer, 512, 256]
    assert [indexed(gl, name, 3)[0] for name in (binding, start, size)] == [buffer, 0, 0]
    assert [indexed(gl, name, 1)[0] for name in (binding, start, size)] == [0, 0, 0]
    indexed(gl, binding, 9999)
    assert gl.glGetError() == GL.INVALID_VALUE


def test_bindings_of_vertices_are_answered(gl: Binding) -> None:
    gl.glBindVertexArray(gl.make("VertexArrays"))
    buffer = gl.buffer(GL.ARRAY_BUFFER, np.zeros(64, np.uint8))
    gl.glBindVertexBuffer(3, buffer, 12, 20)
    gl.glVertexBindingDivisor(3, 2)
    names = (GL.VERTEX_BINDING_BUFFER, GL.VERTEX_BINDING_OFFSET, GL.VERTEX_BINDING_STRIDE, GL.VERTEX_BINDING_DIVISOR)
    assert [indexed(gl, name, 3)[0] for name in names] == [buffer, 12, 20, 2]
    assert indexed(gl, GL.VERTEX_BINDING_BUFFER, 2) == [0]


def test_unknown_names_and_indices_have_their_codes(gl: Binding) -> None:
    for function, arguments, code in (
        ("glGetIntegeri_v", (GL.LINE_WIDTH, 0, None), GL.INVALID_ENUM),
        ("glGetIntegeri_v", (GL.VIEWPORT, 16, None), GL.INVALID_VALUE),
        ("glGetIntegeri_v", (GL.TRANSFORM_FEEDBACK_BUFFER_SIZE, 4, None), GL.INVALID_VALUE),
        ("glGetPointerv", (GL.LINE_WIDTH, None), GL.INVALID_ENUM),
        ("glGetMultisamplefv", (GL.SAMPLES, 0, None), GL.INVALID_ENUM),
        ("glGetMultisamplefv", (GL.SAMPLE_POSITION, 99, None), GL.INVALID_VALUE),
    ):
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)


# -- textures and formats
def level(gl: Binding, target: int, name: int, level: int = 0) -> int:
    values, numbers = (ctypes.c_int32 * 1)(77), (ctypes.c_float * 1)(77)
    gl.glGetTexLevelParameteriv(target, level, name, values)
    gl.glGetTexLevelParameterfv(target, level, name, numbers)
    assert numbers[0] == values[0]
    return int(values[0])


RGBA_SIZES = (GL.TEXTURE_RED_SIZE, GL.TEXTURE_GREEN_SIZE, GL.TEXTURE_BLUE_SIZE, GL.TEXTURE_ALPHA_SIZE)
SIZES = (*RGBA_SIZES, GL.TEXTURE_DEPTH_SIZE, GL.TEXTURE_STENCIL_SIZE)
FORMATS = [
    (GL.RGBA8, [8, 8, 8, 8, 0, 0], GL.UNSIGNED_NORMALIZED),
    (GL.RGB8, [8, 8, 8, 0, 0, 0], GL.UNSIGNED_NORMALIZED),
    (GL.RGB5_A1, [5, 5, 5, 1, 0, 0], GL.UNSIGNED_NORMALIZED),
    (GL.RG16F, [16, 16, 0, 0, 0, 0], GL.FLOAT),
    (GL.R8_SNORM, [8, 0, 0, 0, 0, 0], GL.SIGNED_NORMALIZED),
    (GL.RGBA16UI, [16, 16, 16, 16, 0, 0], GL.UNSIGNED_INT),
    (GL.R32I, [32, 0, 0, 0, 0, 0], GL.INT),
    (GL.DEPTH_COMPONENT16, [0, 0, 0, 0, 16, 0], GL.UNSIGNED_NORMALIZED),
    (GL.DEPTH24_STENCIL8, [0, 0, 0, 0, 24, 8], GL.UNSIGNED_NORMALIZED),
    (GL.DEPTH32F_STENCIL8, [0, 0, 0, 0, 32, 8], GL.FLOAT),
]


@pytest.mark.parametrize(("internal", "bits", "kind"), FORMATS)
def test_levels_of_textures_have_their_sizes_and_kinds(gl: Binding, internal: int, bits: list[int], kind: int) -> None:
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    gl.glTexStorage2D(GL.TEXTURE_2D, 3, internal, 16, 8)
    assert [level(gl, GL.TEXTURE_2D, name, 1) for name in SIZES] == bits
    shape = (GL.TEXTURE_WIDTH, GL.TEXTURE_HEIGHT, GL.TEXTURE_DEPTH, GL.TEXTURE_INTERNAL_FORMAT)
    assert [level(gl, GL.TEXTURE_2D, name, 1) for name in shape] == [8, 4, 1, internal]
    types = (GL.TEXTURE_RED_TYPE, GL.TEXTURE_GREEN_TYPE, GL.TEXTURE_BLUE_TYPE, GL.TEXTURE_ALPHA_TYPE, GL.TEXTURE_DEPTH_TYPE)
    assert [level(gl, GL.TEXTURE_2D, name, 1) for name in types] == [kind if size else GL.NONE for size in bits[:5]]
    plain = (GL.TEXTURE_COMPRESSED, GL.TEXTURE_SAMPLES, GL.TEXTURE_SHARED_SIZE, GL.TEXTURE_FIXED_SAMPLE_LOCATIONS)
    assert [level(gl, GL.TEXTURE_2D, name, 1) for name in plain] == [0, 0, 0, 1]
    assert [level(gl, GL.TEXTURE_2D, name, 3) for name in (*shape[:3], GL.TEXTURE_RED_SIZE)] == [0, 0, 0, 0]
    level(gl, GL.TEXTURE_2D, GL.TEXTURE_WIDTH, -1)
    assert gl.glGetError() == GL.INVALID_VALUE
    level(gl, GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER)
    assert gl.glGetError() == GL.INVALID_ENUM
    level(gl, GL.TEXTURE_2D, GL.TEXTURE_COMPRESSED_IMAGE_SIZE)
    assert gl.glGetError() == GL.INVALID_OPERATION


def test_a_compressed_level_has_the_bytes_of_its_blocks(gl: Binding) -> None:
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    gl.glTexStorage2D(GL.TEXTURE_2D, 4, GL.COMPRESSED_RGBA_S3TC_DXT5_EXT, 18, 8)
    assert level(gl, GL.TEXTURE_2D, GL.TEXTURE_COMPRESSED) == 1
    assert [level(gl, GL.TEXTURE_2D, GL.TEXTURE_COMPRESSED_IMAGE_SIZE, number) for number in range(4)] == [160, 48, 16, 16]


def test_a_texture_of_a_buffer_has_as_many_texels_as_fit_its_range(gl: Binding) -> None:
    name, values = gl.make("Textures"), (ctypes.c_int32 * 1)()
    buffer = gl.buffer(GL.ARRAY_BUFFER, np.zeros(100, np.uint8))
    gl.glBindTexture(GL.TEXTURE_BUFFER, name)
    assert level(gl, GL.TEXTURE_BUFFER, GL.TEXTURE_WIDTH) == 0
    gl.glTexBuffer(GL.TEXTURE_BUFFER, GL.RGBA16F, buffer)
    asked = (GL.TEXTURE_WIDTH, GL.TEXTURE_HEIGHT, GL.TEXTURE_DEPTH, GL.TEXTURE_BUFFER_OFFSET, GL.TEXTURE_BUFFER_SIZE)
    assert [level(gl, GL.TEXTURE_BUFFER, state) for state in asked] == [12, 1, 1, 0, 100]
    assert [level(gl, GL.TEXTURE_BUFFER, state) for state in (*SIZES, GL.TEXTURE_RED_TYPE)] == [16, 16, 16, 16, 0, 0, GL.FLOAT]
    assert level(gl, GL.TEXTURE_BUFFER, GL.TEXTURE_INTERNAL_FORMAT) == GL.RGBA16F
    assert level(gl, GL.TEXTURE_BUFFER, GL.TEXTURE_BUFFER_DATA_STORE_BINDING) == buffer
    gl.glTexBufferRange(GL.TEXTURE_BUFFER, GL.R32UI, buffer, 64, 32)
    assert [level(gl, GL.TEXTURE_BUFFER, state) for state in asked] == [8, 1, 1, 64, 32]
    gl.glGetTextureLevelParameteriv(name, 0, GL.TEXTURE_BUFFER_OFFSET, values)
    assert values[0] == 64


def test_a_proxy_answers_for_a_texture_that_is_not_made(gl: Binding) -> None:
    gl.glTexImage2D(GL.PROXY_TEXTURE_2D, 1, GL.RGB8, 32, 16, 0, GL.RGB, GL.UNSIGNED_BYTE, None)
    shape = (GL.TEXTURE_WIDTH, GL.TEXTURE_HEIGHT, GL.TEXTURE_DEPTH, GL.TEXTURE_INTERNAL_FORMAT)
    assert [level(gl, GL.PROXY_TEXTURE_2D, name, 1) for name in shape] == [32, 16, 1, GL.RGB8]
    gl.glTexImage2D(GL.PROXY_TEXTURE_2D, 0, GL.RGB8, 1 << 20, 16, 0, GL.RGB, GL.UNSIGNED_BYTE, None)
    assert [level(gl, GL.PROXY_TEXTURE_2D, name) for name in shape[:2]] == [0, 0]


def about_format(gl: Binding, internal: int, name: int, count: int = 1) -> list[int]:
    values, longs = (ctypes.c_int32 * count)(), (ctypes.c_int64 * count)()
    gl.glGetInternalformativ(GL.TEXTURE_2D, internal, name, count, values)
    gl.glGetInternalformati64v(GL.TEXTURE_2D, internal, name, count, longs)
    assert [*longs] == [*values]
    return [*values]


@pytest.mark.parametrize(("internal", "bits", "kind"), FORMATS)
def test_formats_answer_their_bits_and_uses(gl: Binding, internal: int, bits: list[int], kind: int) -> None:
    names = [GL.INTERNALFORMAT_RED_SIZE, GL.INTERNALFORMAT_GREEN_SIZE, GL.INTERNALFORMAT_BLUE_SIZE, GL.INTERNALFORMAT_ALPHA_SIZE]
    names += [GL.INTERNALFORMAT_DEPTH_SIZE, GL.INTERNALFORMAT_STENCIL_SIZE]
    assert [about_format(gl, internal, name)[0] for name in names] == bits
    assert about_format(gl, internal, GL.INTERNALFORMAT_PREFERRED) == [internal]
    assert about_format(gl, internal, GL.FRAMEBUFFER_RENDERABLE) == [GL.FULL_SUPPORT]
    assert about_format(gl, internal, GL.FRAMEBUFFER_BLEND) == [GL.NONE if bits[4] else GL.FULL_SUPPORT]
    assert about_format(gl, internal, GL.NUM_SAMPLE_COUNTS) == [4]
    assert about_format(gl, internal, GL.SAMPLES, 4) == [16, 8, 4, 2]
    assert about_format(gl, internal, GL.TEXTURE_COMPRESSED) == [0]


def test_compressed_and_unknown_formats_are_not_drawn_to(gl: Binding) -> None:
    compressed = GL.COMPRESSED_RGBA_S3TC_DXT5_EXT
    answers = {
        GL.TEXTURE_COMPRESSED: 1,
        GL.FRAMEBUFFER_RENDERABLE: GL.NONE,
        GL.NUM_SAMPLE_COUNTS: 0,
        GL.SAMPLES: 0,
        GL.FILTER: GL.FULL_SUPPORT,
    }
    assert {name: about_format(gl, compressed, name)[0] for name in answers} == answers
    assert about_format(gl, 0x7777, GL.INTERNALFORMAT_SUPPORTED) == [0]
    assert about_format(gl, GL.RGBA8, GL.INTERNALFORMAT_SUPPORTED) == [1]


# -- framebuffers
def attachment(gl: Binding, point: int, name: int, framebuffer: int = 0) -> int:
    values, named = (ctypes.c_int32 * 1)(77), (ctypes.c_int32 * 1)(77)
    gl.glGetFramebufferAttachmentParameteriv(GL.FRAMEBUFFER, point, name, values)
    if framebuffer:
        gl.glGetNamedFramebufferAttachmentParameteriv(framebuffer, point, name, named)
        assert named[0] == values[0]
    return int(values[0])


ATTACHMENT_SIZES = (
    *(GL.FRAMEBUFFER_ATTACHMENT_RED_SIZE, GL.FRAMEBUFFER_ATTACHMENT_GREEN_SIZE, GL.FRAMEBUFFER_ATTACHMENT_BLUE_SIZE),
    *(GL.FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE, GL.FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE, GL.FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE),
)
ATTACHED = (
    *(GL.FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, GL.FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, GL.FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL),
    *(GL.FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER, GL.FRAMEBUFFER_ATTACHMENT_LAYERED, GL.FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE),
)


def test_attachments_answer_what_is_attached_where(gl: Binding) -> None:
    framebuffer, cube, array = gl.make("Framebuffers"), gl.make("Textures"), gl.make("Textures")
    gl.glBindFramebuffer(GL.FRAMEBUFFER, framebuffer)
    gl.glBindTexture(GL.TEXTURE_CUBE_MAP, cube)
    gl.glTexStorage2D(GL.TEXTURE_CUBE_MAP, 2, GL.SRGB8_ALPHA8, 8, 8)
    gl.glFramebufferTexture2D(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0, GL.TEXTURE_CUBE_MAP_NEGATIVE_Y, cube, 1)
    gl.glBindTexture(GL.TEXTURE_2D_ARRAY, array)
    gl.glTexStorage3D(GL.TEXTURE_2D_ARRAY, 1, GL.RGBA16F, 4, 4, 5)
    gl.glFramebufferTextureLayer(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT1, array, 0, 3)
    gl.glFramebufferTexture(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT2, array, 0)
    depth = gl.make("Renderbuffers")
    gl.glBindRenderbuffer(GL.RENDERBUFFER, depth)
    gl.glRenderbufferStorage(GL.RENDERBUFFER, GL.DEPTH24_STENCIL8, 4, 4)
    gl.glFramebufferRenderbuffer(GL.FRAMEBUFFER, GL.DEPTH_STENCIL_ATTACHMENT, GL.RENDERBUFFER, depth)
    for point, wanted in (
        (GL.COLOR_ATTACHMENT0, [GL.TEXTURE, cube, 1, 0, 0, GL.TEXTURE_CUBE_MAP_NEGATIVE_Y]),
        (GL.COLOR_ATTACHMENT1, [GL.TEXTURE, array, 0, 3, 0, 0]),
        (GL.COLOR_ATTACHMENT2, [GL.TEXTURE, array, 0, 0, 1, 0]),
        (GL.DEPTH_ATTACHMENT, [GL.RENDERBUFFER, depth, 0, 0, 0, 0]),
        (GL.DEPTH_STENCIL_ATTACHMENT, [GL.RENDERBUFFER, depth, 0, 0, 0, 0]),
    ):
        assert [attachment(gl, point, name, framebuffer) for name in ATTACHED] == wanted
    encoding, kind = GL.FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, GL.FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE
    points = (GL.COLOR_ATTACHMENT0, GL.COLOR_ATTACHMENT1, GL.DEPTH_ATTACHMENT, GL.STENCIL_ATTACHMENT)
    assert [attachment(gl, point, encoding) for point in points] == [GL.SRGB, GL.LINEAR, GL.LINEAR, GL.LINEAR]
    kinds = [GL.UNSIGNED_NORMALIZED, GL.FLOAT, GL.UNSIGNED_NORMALIZED, GL.UNSIGNED_INT]
    assert [attachment(gl, point, kind) for point in points] == kinds
    assert [attachment(gl, GL.COLOR_ATTACHMENT1, name) for name in ATTACHMENT_SIZES] == [16, 16, 16, 16, 0, 0]
    assert [attachment(gl, GL.DEPTH_ATTACHMENT, name) for name in ATTACHMENT_SIZES] == [0, 0, 0, 0, 24, 8]
    assert [attachment(gl, GL.COLOR_ATTACHMENT5, name) for name in ATTACHED[:2]] == [GL.NONE, 0]
    assert gl.glGetError() == GL.NO_ERROR
    for point, name, code in (
        (GL.COLOR_ATTACHMENT5, encoding, GL.INVALID_OPERATION),
        (GL.BACK_LEFT, encoding, GL.INVALID_ENUM),
        (GL.COLOR_ATTACHMENT0, GL.TEXTURE_WIDTH, GL.INVALID_ENUM),
    ):
        attachment(gl, point, name)
        assert gl.glGetError() == code
    gl.glBindFramebuffer(GL.FRAMEBUFFER, 0)


def test_the_default_framebuffer_answers_for_its_parts(gl: Binding) -> None:
    gl.glBindFramebuffer(GL.FRAMEBUFFER, 0)
    kind = GL.FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE
    assert [attachment(gl, point, kind) for point in (GL.BACK_LEFT, GL.DEPTH, GL.STENCIL)] == [GL.FRAMEBUFFER_DEFAULT] * 3
    assert attachment(gl, GL.BACK_LEFT, GL.FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE) == 8
    assert attachment(gl, GL.DEPTH, GL.FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE) == 24
    assert attachment(gl, GL.STENCIL, GL.FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE) == 8
    bits = (GL.RED_BITS, GL.GREEN_BITS, GL.BLUE_BITS, GL.ALPHA_BITS, GL.DEPTH_BITS, GL.STENCIL_BITS)
    compatible = Binding("compatibility", size=(4, 4))
    assert [compatible.get(name)[0] for name in bits] == [8, 8, 8, 8, 24, 8]


DEFAULTS = (GL.FRAMEBUFFER_DEFAULT_WIDTH, GL.FRAMEBUFFER_DEFAULT_HEIGHT, GL.FRAMEBUFFER_DEFAULT_LAYERS, GL.FRAMEBUFFER_DEFAULT_SAMPLES)


def test_a_framebuffer_without_attachments_has_the_size_that_is_given(gl: Binding) -> None:
    framebuffer, value = gl.make("Framebuffers"), (ctypes.c_int32 * 1)()
    gl.glBindFramebuffer(GL.FRAMEBUFFER, framebuffer)
    assert gl.glCheckFramebufferStatus(GL.FRAMEBUFFER) == GL.FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT
    for command, which in ((gl.glFramebufferParameteri, GL.FRAMEBUFFER), (gl.glNamedFramebufferParameteri, framebuffer)):
        for name, given, kept in zip(DEFAULTS, (7, 5, 2, 3), (7, 5, 2, 4), strict=True):
            command(which, name, given)
            gl.glGetFramebufferParameteriv(GL.FRAMEBUFFER, name, value)
            assert value[0] == kept  # samples: the next number that there is
            command(which, name, -1)
            assert gl.glGetError() == GL.INVALID_VALUE
        command(which, GL.TEXTURE_WIDTH, 1)
        assert gl.glGetError() == GL.INVALID_ENUM
    assert gl.glCheckFramebufferStatus(GL.FRAMEBUFFER) == GL.FRAMEBUFFER_COMPLETE
    assert (gl.get(GL.SAMPLES), gl.get(GL.SAMPLE_BUFFERS)) == ([4], [1])
    place = (ctypes.c_float * 2)()
    gl.glGetMultisamplefv(GL.SAMPLE_POSITION, 3, place)
    assert [*place] == [0.625, 0.875]
    gl.glGetFramebufferParameteriv(GL.FRAMEBUFFER, GL.TEXTURE_WIDTH, value)
    assert gl.glGetError() == GL.INVALID_ENUM
    gl.glBindFramebuffer(GL.FRAMEBUFFER, 0)


def test_bindings_answer_the_names_of_their_objects(gl: Binding) -> None:
    for word in (
        "ARRAY",
        "COPY_READ",
        "COPY_WRITE",
        "DRAW_INDIRECT",
        "DISPATCH_INDIRECT",
        "PIXEL_PACK",
        "PIXEL_UNPACK",
        "QUERY",
        "UNIFORM",
    ):
        name = gl.make("Buffers")
        gl.glBindBuffer(getattr(GL, f"{word}_BUFFER"), name)
        assert gl.get(getattr(GL, f"{word}_BUFFER_BINDING")) == [name]
        gl.glBindBuffer(getattr(GL, f"{word}_BUFFER"), 0)
        assert gl.get(getattr(GL, f"{word}_BUFFER_BINDING")) == [0]
    for word in ("1D", "3D", "1D_ARRAY", "CUBE_MAP", "CUBE_MAP_ARRAY", "RECTANGLE", "2D_MULTISAMPLE", "2D_MULTISAMPLE_ARRAY"):
        name = gl.make("Textures")
        gl.glBindTexture(getattr(GL, f"TEXTURE_{word}"), name)
        assert gl.get(getattr(GL, f"TEXTURE_BINDING_{word}")) == [name]
    sampler, capture = gl.make("Samplers"), gl.make("TransformFeedbacks")
    gl.glBindSampler(gl.get(GL.ACTIVE_TEXTURE)[0] - GL.TEXTURE0, sampler)
    gl.glBindTransformFeedback(GL.TRANSFORM_FEEDBACK, capture)
    assert [gl.get(GL.SAMPLER_BINDING), gl.get(GL.TRANSFORM_FEEDBACK_BINDING)] == [[sampler], [capture]]
    assert [gl.get(GL.TRANSFORM_FEEDBACK_ACTIVE), gl.get(GL.TRANSFORM_FEEDBACK_PAUSED)] == [[0], [0]]
    assert gl.glGetError() == GL.NO_ERROR


@pytest.mark.parametrize(
    ("internal", "format", "type"),
    [
        (GL.RGBA8, GL.RGBA, GL.UNSIGNED_BYTE),
        (GL.RGBA16F, GL.RGBA, GL.FLOAT),
        (GL.RGBA32I, GL.RGBA_INTEGER, GL.INT),
        (GL.RGBA32UI, GL.RGBA_INTEGER, GL.UNSIGNED_INT),
    ],
)
def test_pixels_are_read_fastest_in_a_format_of_their_kind(gl: Binding, internal: int, format: int, type: int) -> None:
    gl.target(2, 2, internal)
    assert gl.get(GL.IMPLEMENTATION_COLOR_READ_FORMAT) == [format]
    assert gl.get(GL.IMPLEMENTATION_COLOR_READ_TYPE) == [type]
    gl.glBindFramebuffer(GL.FRAMEBUFFER, 0)
