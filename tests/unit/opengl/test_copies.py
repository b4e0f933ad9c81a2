"""Views of textures, copies between images, and attributes of doubles."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL


@pytest.fixture
def gl() -> Binding:
    return Binding("compatibility", size=(8, 8))


def storage(gl: Binding, target: int, internal: int, *size: int) -> int:
    """A texture with immutable storage of one level."""
    name = gl.make("Textures")
    gl.glBindTexture(target, name)
    getattr(gl, f"glTexStorage{len(size)}D")(target, 1, internal, *size)
    return name


def test_a_view_has_the_texels_of_a_layer_in_another_format(gl: Binding) -> None:
    origin = storage(gl, GL.TEXTURE_2D_ARRAY, GL.RGBA8, 2, 2, 3)
    texels = np.arange(48, dtype=np.uint8)
    gl.glTexSubImage3D(GL.TEXTURE_2D_ARRAY, 0, 0, 0, 0, 2, 2, 3, GL.RGBA, GL.UNSIGNED_BYTE, texels)
    view = gl.make("Textures")
    gl.glTextureView(view, GL.TEXTURE_2D, origin, GL.R32UI, 0, 1, 2, 1)
    gl.glBindTexture(GL.TEXTURE_2D, view)
    found = np.zeros(4, np.uint32)
    gl.glGetTexImage(GL.TEXTURE_2D, 0, GL.RED_INTEGER, GL.UNSIGNED_INT, found)
    assert found.tolist() == texels[32:].view(np.uint32).tolist()
    assert gl.glGetError() == GL.NO_ERROR
    gl.glTextureView(gl.make("Textures"), GL.TEXTURE_3D, origin, GL.RGBA8, 0, 1, 0, 1)
    assert gl.glGetError() == GL.INVALID_OPERATION
    gl.glTextureView(gl.make("Textures"), GL.TEXTURE_2D, origin, GL.RGBA16F, 0, 1, 0, 1)
    assert gl.glGetError() == GL.INVALID_OPERATION


def test_texels_are_copied_between_formats_of_one_size(gl: Binding) -> None:
    source = storage(gl, GL.TEXTURE_2D, GL.RGBA8, 4, 4)
    texels = np.arange(64, dtype=np.uint8)
    gl.glTexSubImage2D(GL.TEXTURE_2D, 0, 0, 0, 4, 4, GL.RGBA, GL.UNSIGNED_BYTE, texels)
    target = storage(gl, GL.TEXTURE_2D, GL.R32UI, 4, 4)
    gl.glCopyImageSubData(source, GL.TEXTURE_2D, 0, 1, 2, 0, target, GL.TEXTURE_2D, 0, 0, 0, 0, 3, 2, 1)
    found = np.zeros((4, 4), np.uint32)
    gl.glGetTexImage(GL.TEXTURE_2D, 0, GL.RED_INTEGER, GL.UNSIGNED_INT, found)
    assert (found[:2, :3] == texels.view(np.uint32).reshape(4, 4)[2:, 1:]).all()
    gl.glCopyImageSubData(source, GL.TEXTURE_2D, 0, 2, 0, 0, target, GL.TEXTURE_2D, 0, 0, 0, 0, 3, 2, 1)
    assert gl.glGetError() == GL.INVALID_VALUE


def test_lights_and_planes_are_told_in_other_numbers(gl: Binding) -> None:
    gl.glLightfv(GL.LIGHT0, GL.DIFFUSE, np.array([0.5, 1, 0, 1], np.float32))
    whole = (ctypes.c_int32 * 4)()
    gl.glGetLightiv(GL.LIGHT0, GL.DIFFUSE, whole)
    assert list(whole)[1:3] == [2147483647, 0]  # 2^31 - 1 times the value, as in OpenGL 4.6, section 2.2.2, and Mesa
    gl.glTexGenfv(GL.S, GL.OBJECT_PLANE, np.array([1, 2, 3, 4], np.float32))
    doubles = (ctypes.c_double * 4)()
    gl.glGetTexGendv(GL.S, GL.OBJECT_PLANE, doubles)
    assert list(doubles) == [1, 2, 3, 4]
    pattern, found = np.arange(128, dtype=np.uint8), np.zeros(128, np.uint8)
    gl.glPolygonStipple(pattern)
    gl.glGetPolygonStipple(found)
    assert (found == pattern).all()


@needs_glslang
def test_a_current_value_of_doubles_reaches_a_shader(gl: Binding) -> None:
    program = gl.program(
        "#version 410 compatibility\nin dvec3 d; out float same; void main() { gl_Position = gl_Vertex;\n"
        "same = d == dvec3(1.0LF / 3.0LF, 2.0LF, -1e200LF) ? 1.0 : 0.0; }",
        "#version 410\nin float same; out vec4 c; void main() { c = vec4(same, 0.0, 0.0, 1.0); }",
    )
    gl.glUseProgram(program)
    gl.glVertexAttribL3d(gl.glGetAttribLocation(program, b"d"), 1 / 3, 2.0, -1e200)
    gl.glVertexPointer(2, GL.FLOAT, 0, np.array([-1, -1, 3, -1, -1, 3], np.float32))
    gl.glEnableClientState(GL.VERTEX_ARRAY)
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    assert gl.pixels(8, 8)[4, 4].tolist() == [255, 0, 0, 255]
