"""Images and storage of shaders: levels, layers, views and buffers in image units, storage blocks, counters, grids, and errors."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

pytestmark = [needs_glslang, pytest.mark.light]

WRITER = """#version 430
layout(local_size_x = 2, local_size_y = 2) in;
layout(r32ui, binding = 3) uniform KIND picture;
void main() {
    ivec3 at = ivec3(gl_GlobalInvocationID);
    imageStore(picture, PLACE, uvec4(1 + at.x + 10 * at.y + 100 * at.z));
}
"""


@pytest.fixture(scope="module")
def context() -> Binding:
    return Binding(size=(2, 2))


@pytest.fixture
def gl(context: Binding) -> Iterator[Binding]:
    yield context
    context.glBindImageTextures(0, 8, None)
    assert context.glGetError() == GL.NO_ERROR


def compute(gl: Binding, text: str) -> int:
    program = gl.stages({GL.COMPUTE_SHADER: text})
    gl.glUseProgram(program)
    return program


def writer(gl: Binding, kind: str, place: str) -> int:
    return compute(gl, WRITER.replace("KIND", kind).replace("PLACE", place))


def array(gl: Binding, layers: int = 3, target: int = GL.TEXTURE_2D_ARRAY) -> int:
    name = gl.make("Textures")
    gl.glBindTexture(target, name)
    gl.glTexStorage3D(target, 2, GL.R32UI, 4, 4, layers)
    for level in range(2):
        size, depth = 4 >> level, layers >> (level if target == GL.TEXTURE_3D else 0)
        gl.glTexSubImage3D(target, level, 0, 0, 0, size, size, depth, GL.RED_INTEGER, GL.UNSIGNED_INT, zeros(size, layers))
    return name


def zeros(size: int, layers: int = 1) -> NDArray[np.uint32]:
    return np.zeros((layers, size, size), np.uint32)


def texels(gl: Binding, name: int, level: int, size: int, layers: int) -> NDArray[np.uint32]:
    found = zeros(size, layers)
    gl.glGetTextureImage(name, level, GL.RED_INTEGER, GL.UNSIGNED_INT, found.nbytes, found)
    return found


def numbered(size: int, layers: int = 1) -> NDArray[np.uint32]:
    z, y, x = np.indices((layers, size, size)).astype(np.uint32)
    made: NDArray[np.uint32] = 1 + x + 10 * y + 100 * z
    return made


@pytest.mark.parametrize("target", [GL.TEXTURE_2D_ARRAY, GL.TEXTURE_3D])
def test_a_layered_image_has_every_layer_of_its_level(gl: Binding, target: int) -> None:
    name = array(gl, 4, target)
    writer(gl, "uimage2DArray" if target == GL.TEXTURE_2D_ARRAY else "uimage3D", "at")
    gl.glBindImageTexture(3, name, 0, 1, 0, GL.WRITE_ONLY, GL.R32UI)
    gl.glDispatchCompute(2, 2, 4)
    assert np.array_equal(texels(gl, name, 0, 4, 4), numbered(4, 4))
    assert not texels(gl, name, 1, 2, 4 if target == GL.TEXTURE_2D_ARRAY else 2).any()


def test_a_single_layer_of_a_level_is_an_image_of_its_own(gl: Binding) -> None:
    name = array(gl)
    writer(gl, "uimage2D", "at.xy")
    gl.glBindImageTexture(3, name, 1, 0, 2, GL.READ_WRITE, GL.R32UI)
    gl.glDispatchCompute(1, 1, 1)
    found = texels(gl, name, 1, 2, 3)
    assert np.array_equal(found[2:], numbered(2))
    assert not found[:2].any()
    assert not texels(gl, name, 0, 4, 3).any()


def test_images_are_bound_as_a_row_with_level_0_of_each(gl: Binding) -> None:
    first, second = array(gl, 1), array(gl, 1)
    writer(gl, "uimage2DArray", "at")
    gl.glBindImageTextures(2, 2, (ctypes.c_uint32 * 2)(first, second))
    gl.glDispatchCompute(2, 2, 1)
    assert not texels(gl, first, 0, 4, 1).any()
    assert np.array_equal(texels(gl, second, 0, 4, 1), numbered(4))
    gl.glBindImageTextures(2, 2, (ctypes.c_uint32 * 2)(0, 0))
    gl.glDispatchCompute(2, 2, 1)  # an empty unit: stores are lost


@pytest.mark.parametrize("layered", [0, 1])
def test_an_image_of_a_view_begins_at_the_views_level_and_layer(gl: Binding, layered: int) -> None:
    name, view = array(gl, 4), gl.make("Textures")
    gl.glTextureView(view, GL.TEXTURE_2D_ARRAY, name, GL.R32UI, 1, 1, 1, 2)
    writer(gl, "uimage2DArray" if layered else "uimage2D", "at" if layered else "at.xy")
    gl.glBindImageTexture(3, view, 0, layered, 0 if layered else 1, GL.WRITE_ONLY, GL.R32UI)
    gl.glDispatchCompute(1, 1, 3)
    found = texels(gl, name, 1, 2, 4)
    if layered:
        assert np.array_equal(found[1:3], numbered(2, 2))
        assert not found[0].any()
        assert not found[3].any()  # the third layer lies outside of the view
    else:
        assert found[2].any()
        assert not found[[0, 1, 3]].any()


@pytest.mark.parametrize(("offset", "size"), [(0, 40), (16, 20)])
def test_an_image_of_a_buffer_is_its_range(gl: Binding, offset: int, size: int) -> None:
    buffer, name = gl.buffer(GL.ARRAY_BUFFER, np.full(10, 9, np.uint32)), gl.make("Textures")
    gl.glBindTexture(GL.TEXTURE_BUFFER, name)
    gl.glTexBufferRange(GL.TEXTURE_BUFFER, GL.R32UI, buffer, offset, size)
    compute(
        gl,
        "#version 430\nlayout(local_size_x = 8) in;\nlayout(r32ui, binding = 3) uniform uimageBuffer row;\n"
        "void main() { int k = int(gl_LocalInvocationIndex); imageStore(row, k, uvec4(100 + k + imageSize(row))); }",
    )
    gl.glBindImageTexture(3, name, 0, 0, 0, GL.WRITE_ONLY, GL.R32UI)
    gl.glDispatchCompute(1, 1, 1)
    found = np.zeros(10, np.uint32)
    gl.glGetNamedBufferSubData(buffer, 0, 40, found)
    count = size // 4
    wanted = [9] * 10
    wanted[offset // 4 : offset // 4 + count] = [100 + k + count if k < 8 else 9 for k in range(count)]
    assert found.tolist() == wanted


STORAGE = """#version 430
layout(local_size_x = 4) in;
layout(std430, binding = 2) buffer Out { uint total; uint sums[]; };
layout(std430, binding = 5) readonly buffer In { uint values[]; };
layout(binding = 1, offset = 4) uniform atomic_uint hits;
void main() {
    uint k = gl_GlobalInvocationID.x;
    atomicAdd(total, 1u);
    sums[k] = values[k] + uint(sums.length());
    atomicCounterIncrement(hits);
}
"""


def test_storage_blocks_and_counters_have_the_ranges_of_their_binding_points(gl: Binding) -> None:
    compute(gl, STORAGE)
    out, source = gl.buffer(GL.ARRAY_BUFFER, np.zeros(136, np.uint32)), gl.buffer(GL.ARRAY_BUFFER, np.arange(100, dtype=np.uint32))
    counters = gl.buffer(GL.ARRAY_BUFFER, np.array([5, 6, 7], np.uint32))
    gl.glBindBufferRange(GL.SHADER_STORAGE_BUFFER, 2, out, 256, 40)
    gl.glBindBufferRange(GL.SHADER_STORAGE_BUFFER, 5, source, 256, 128)
    gl.glBindBufferBase(GL.ATOMIC_COUNTER_BUFFER, 1, counters)
    gl.glDispatchCompute(2, 1, 1)
    gl.glMemoryBarrier(GL.ALL_BARRIER_BITS)
    found = np.zeros(136, np.uint32)
    gl.glGetNamedBufferSubData(out, 0, found.nbytes, found)
    assert found[64:74].tolist() == [8, *(64 + k + 9 for k in range(8)), 0]
    assert not found[:64].any()
    gl.glGetNamedBufferSubData(counters, 0, 12, found)
    assert found[:3].tolist() == [5, 14, 7]


def test_a_grid_has_the_size_that_a_buffer_says(gl: Binding) -> None:
    name = array(gl, 4)
    writer(gl, "uimage2DArray", "at")
    gl.glBindImageTexture(3, name, 0, 1, 0, GL.WRITE_ONLY, GL.R32UI)
    gl.buffer(GL.DISPATCH_INDIRECT_BUFFER, np.array([9, 2, 1, 3, 0, 1, 1], np.uint32))
    gl.glDispatchComputeIndirect(4)
    wanted = numbered(4, 4)
    wanted[3:], wanted[:, 2:] = 0, 0
    assert np.array_equal(texels(gl, name, 0, 4, 4), wanted)
    gl.glDispatchComputeIndirect(16)  # no workgroups along x
    assert np.array_equal(texels(gl, name, 0, 4, 4), wanted)


def test_wrong_calls_have_their_codes(context: Binding) -> None:
    gl = context
    name, empty = array(gl), gl.make("Textures")
    gl.glBindTexture(GL.TEXTURE_2D, empty)
    writer(gl, "uimage2D", "at.xy")
    gl.glBindBuffer(GL.DISPATCH_INDIRECT_BUFFER, 0)
    image = (0, 0, 0, GL.READ_ONLY, GL.R32UI)
    for function, arguments, code in (
        ("glDispatchCompute", (65536, 1, 1), GL.INVALID_VALUE),
        ("glDispatchCompute", (1, 1, 65536), GL.INVALID_VALUE),
        ("glDispatchComputeIndirect", (0,), GL.INVALID_OPERATION),
        ("glBindImageTexture", (100, name, *image), GL.INVALID_VALUE),
        ("glBindImageTexture", (0, 4711, *image), GL.INVALID_VALUE),
        ("glBindImageTexture", (0, name, -1, *image[1:]), GL.INVALID_VALUE),
        ("glBindImageTexture", (0, name, 0, 0, -1, *image[3:]), GL.INVALID_VALUE),
        ("glBindImageTexture", (0, name, *image[:3], GL.RED, GL.R32UI), GL.INVALID_ENUM),
        ("glBindImageTexture", (0, name, *image[:4], 0x7777), GL.INVALID_VALUE),
        ("glBindImageTextures", (9999, 2, None), GL.INVALID_OPERATION),
        ("glBindImageTextures", (0, -1, None), GL.INVALID_VALUE),
        ("glBindImageTextures", (0, 1, (ctypes.c_uint32 * 1)(4711)), GL.INVALID_OPERATION),
        ("glBindImageTextures", (0, 1, (ctypes.c_uint32 * 1)(empty)), GL.INVALID_OPERATION),
    ):
        getattr(gl, function)(*arguments)
        assert gl.glGetError() == code, (function, arguments)
    gl.buffer(GL.DISPATCH_INDIRECT_BUFFER, np.ones(4, np.uint32))
    for offset, code in ((2, GL.INVALID_VALUE), (-4, GL.INVALID_VALUE), (8, GL.INVALID_OPERATION)):
        gl.glDispatchComputeIndirect(offset)
        assert gl.glGetError() == code
    gl.glUseProgram(gl.program("#version 430\nvoid main() { gl_Position = vec4(0.0); }", "#version 430\nvoid main() { }"))
    gl.glDispatchCompute(1, 1, 1)
    assert gl.glGetError() == GL.INVALID_OPERATION
