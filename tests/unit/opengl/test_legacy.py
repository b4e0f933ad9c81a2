"""Accumulation, pixel transfer, copied pixels, evaluators, selection and feedback, packed attributes."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.unit.opengl.binding import Binding
from tests.unit.opengl.test_fixed import floats, quad
from tgsi.opengl.registry import enums as GL


@pytest.fixture
def gl() -> Binding:
    made = Binding("compatibility", size=(8, 8))
    made.glClearColor(0, 0, 0, 1)
    made.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT | GL.STENCIL_BUFFER_BIT)
    return made


def test_pictures_accumulate_with_their_weights(gl: Binding) -> None:
    gl.glClear(GL.ACCUM_BUFFER_BIT)
    for color in ((255, 0, 0), (0, 255, 0)):
        gl.glColor3ub(*color)
        quad(gl)
        gl.glAccum(GL.ACCUM, 0.5)
    gl.glAccum(GL.RETURN, 1.0)
    assert np.abs(gl.pixels(8, 8)[4, 4].astype(int) - (128, 128, 0, 255)).max() <= 1
    gl.glAccum(GL.MULT, 0.5)
    gl.glAccum(GL.ADD, 0.25)
    gl.glColorMask(0, 0, 1, 0)
    gl.glAccum(GL.RETURN, 1.0)
    assert np.abs(gl.pixels(8, 8)[4, 4].astype(int) - (128, 128, 64, 255)).max() <= 1
    assert gl.glGetError() == GL.NO_ERROR
    gl.glAccum(77, 1.0)
    assert gl.glGetError() == GL.INVALID_ENUM


def test_scales_biases_and_maps_change_pixels_on_their_way(gl: Binding) -> None:
    gl.glPixelTransferf(GL.RED_SCALE, 0.5)
    gl.glPixelTransferf(GL.GREEN_BIAS, 0.25)
    gl.glWindowPos2i(0, 0)
    pixel = np.full((1, 1, 4), (200, 0, 10, 255), np.uint8)
    gl.glDrawPixels(1, 1, GL.RGBA, GL.UNSIGNED_BYTE, pixel)
    gl.glPixelTransferf(GL.RED_SCALE, 1.0)
    gl.glPixelTransferf(GL.GREEN_BIAS, 0.0)
    assert np.abs(gl.pixels(8, 8)[0, 0].astype(int) - (100, 64, 10, 255)).max() <= 1
    gl.glPixelMapfv(GL.PIXEL_MAP_B_TO_B, 2, floats(1.0, 0.5))
    gl.glPixelTransferi(GL.MAP_COLOR, 1)
    for name in (GL.PIXEL_MAP_R_TO_R, GL.PIXEL_MAP_G_TO_G, GL.PIXEL_MAP_A_TO_A):
        gl.glPixelMapfv(name, 2, floats(0.0, 1.0))
    assert gl.pixels(8, 8)[0, 0].tolist() == [0, 0, 255, 255]
    assert gl.get(GL.PIXEL_MAP_B_TO_B_SIZE) == [2]


def test_indices_become_colors_by_maps(gl: Binding) -> None:
    for name, values in ((GL.PIXEL_MAP_I_TO_R, (0, 1)), (GL.PIXEL_MAP_I_TO_G, (1, 0)), (GL.PIXEL_MAP_I_TO_A, (1, 1))):
        gl.glPixelMapfv(name, 2, floats(*values))
    gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 1)
    gl.glWindowPos2i(0, 0)
    gl.glDrawPixels(2, 1, GL.COLOR_INDEX, GL.UNSIGNED_BYTE, np.array([0, 1], np.uint8))
    assert gl.pixels(8, 8)[0, :2].tolist() == [[0, 255, 0, 255], [255, 0, 0, 255]]


def test_copied_pixels_are_zoomed_and_mirrored(gl: Binding) -> None:
    gl.glWindowPos2i(0, 0)
    gl.glDrawPixels(2, 1, GL.RGBA, GL.UNSIGNED_BYTE, np.array([[255, 0, 0, 255], [0, 255, 0, 255]], np.uint8))
    gl.glWindowPos2i(8, 4)
    gl.glPixelZoom(-2.0, 1.0)
    gl.glEnable(GL.CULL_FACE)
    gl.glCopyPixels(0, 0, 2, 1, GL.COLOR)
    assert gl.pixels(8, 8)[4, 4:, 0].tolist() == [0, 0, 255, 255]
    assert gl.pixels(8, 8)[4, 4:, 1].tolist() == [255, 255, 0, 0]


def test_depth_and_stencil_are_drawn_and_copied(gl: Binding) -> None:
    gl.glEnable(GL.DEPTH_TEST)
    gl.glDepthFunc(GL.ALWAYS)
    gl.glWindowPos2i(1, 0)
    gl.glDrawPixels(2, 1, GL.DEPTH_COMPONENT, GL.FLOAT, floats(0.25, 0.5))
    gl.glDrawPixels(2, 1, GL.STENCIL_INDEX, GL.UNSIGNED_BYTE, np.array([3, 5], np.uint8))
    gl.glWindowPos2i(4, 0)
    gl.glCopyPixels(1, 0, 2, 1, GL.DEPTH)
    gl.glCopyPixels(1, 0, 2, 1, GL.STENCIL)
    depth, stencil = np.zeros((1, 8), np.float32), np.zeros((1, 8), np.uint8)
    gl.glReadPixels(0, 0, 8, 1, GL.DEPTH_COMPONENT, GL.FLOAT, depth)
    gl.glReadPixels(0, 0, 8, 1, GL.STENCIL_INDEX, GL.UNSIGNED_BYTE, stencil)
    assert np.allclose(depth[0], [1, 0.25, 0.5, 1, 0.25, 0.5, 1, 1], atol=1e-6)
    assert stencil[0].tolist() == [0, 3, 5, 0, 3, 5, 0, 0]


def test_a_surface_of_control_points_is_drawn(gl: Binding) -> None:
    points = np.array([[[-1, -1, 0], [1, -1, 0]], [[-1, 1, 0], [1, 1, 0]]], np.float32)
    colors = np.array([[[1, 0, 0, 1], [1, 0, 0, 1]], [[0, 0, 1, 1], [0, 0, 1, 1]]], np.float32)
    gl.glMap2f(GL.MAP2_VERTEX_3, 0.0, 1.0, 3, 2, 0.0, 1.0, 6, 2, points)
    gl.glMap2f(GL.MAP2_COLOR_4, 0.0, 1.0, 4, 2, 0.0, 1.0, 8, 2, colors)
    gl.glEnable(GL.MAP2_VERTEX_3)
    gl.glEnable(GL.MAP2_COLOR_4)
    gl.glMapGrid2f(2, 0.0, 1.0, 2, 0.0, 1.0)
    gl.glEvalMesh2(GL.FILL, 0, 2, 0, 2)
    found = gl.pixels(8, 8)
    assert np.abs(found[1].astype(int) - (207, 0, 48, 255)).max() <= 6 or np.abs(found[:, 1].astype(int) - (207, 0, 48, 255)).max() <= 6
    assert gl.get(GL.CURRENT_COLOR, 4, ctypes.c_float) == [1, 1, 1, 1]
    order = (ctypes.c_int32 * 2)()
    gl.glGetMapiv(GL.MAP2_VERTEX_3, GL.ORDER, order)
    assert list(order) == [2, 2]


def test_a_curve_gives_the_vertices_of_an_open_primitive(gl: Binding) -> None:
    gl.glMap1f(GL.MAP1_VERTEX_3, 0.0, 1.0, 3, 3, floats(-1, 0, 0, 0, 1.25, 0, 1, 0, 0))
    gl.glEnable(GL.MAP1_VERTEX_3)
    gl.glBegin(GL.POINTS)
    gl.glEvalCoord1f(0.5)
    gl.glEnd()
    assert gl.pixels(8, 8)[6, 3:5, 0].max() == 255


def test_selection_names_what_is_in_the_volume(gl: Binding) -> None:
    buffer = (ctypes.c_uint32 * 32)()
    gl.glSelectBuffer(32, buffer)
    assert gl.glRenderMode(GL.SELECT) == 0
    gl.glInitNames()
    gl.glPushName(7)
    quad(gl, z=-0.5)
    gl.glLoadName(8)
    quad(gl, low=2.0, high=3.0)
    gl.glPushName(9)
    quad(gl, z=0.5)
    assert gl.glRenderMode(GL.RENDER) == 2
    found = list(buffer)
    assert (found[0], found[3], found[4], found[7:9]) == (1, 7, 2, [8, 9])
    assert abs(found[1] / 2**32 - 0.25) < 1e-6
    assert (gl.pixels(8, 8)[..., :3] == 0).all()


def test_feedback_has_the_vertices_that_clipping_leaves(gl: Binding) -> None:
    buffer = (ctypes.c_float * 64)()
    gl.glFeedbackBuffer(64, GL._3D_COLOR, buffer)
    gl.glRenderMode(GL.FEEDBACK)
    gl.glColor3f(0.0, 1.0, 0.0)
    gl.glPassThrough(4.0)
    gl.glBegin(GL.LINES)
    gl.glVertex2f(0.0, 0.0)
    gl.glVertex2f(2.0, 0.0)
    gl.glEnd()
    assert gl.glRenderMode(GL.RENDER) == 2 + 1 + 14
    found = list(buffer)
    assert found[:3] == [GL.PASS_THROUGH_TOKEN, 4.0, GL.LINE_RESET_TOKEN]
    assert found[3:17] == [4, 4, 0.5, 0, 1, 0, 1, 8, 4, 0.5, 0, 1, 0, 1]


def test_packed_attributes_and_elements_of_arrays_make_vertices(gl: Binding) -> None:
    gl.glVertexPointer(2, GL.FLOAT, 0, floats(-1, -1, 3, -1, -1, 3))
    gl.glEnableClientState(GL.VERTEX_ARRAY)
    gl.glColorP3ui(GL.UNSIGNED_INT_2_10_10_10_REV, 1023 << 10)
    gl.glBegin(GL.TRIANGLES)
    for number in range(3):
        gl.glArrayElement(number)
    gl.glEnd()
    assert (gl.pixels(8, 8) == (0, 255, 0, 255)).all()
    gl.glVertexP2ui(GL.FLOAT, 0)
    assert gl.glGetError() == GL.INVALID_ENUM


def test_a_bitmap_is_textured_and_fogged_like_other_fragments(gl: Binding) -> None:
    gl.glEnable(GL.FOG)
    gl.glFogi(GL.FOG_MODE, GL.LINEAR)
    gl.glFogi(GL.FOG_COORD_SRC, GL.FOG_COORDINATE)
    gl.glFogf(GL.FOG_END, 1.0)
    gl.glFogfv(GL.FOG_COLOR, floats(0, 0, 1, 1))
    gl.glFogCoordf(0.5)
    gl.glColor3f(1.0, 0.0, 0.0)
    gl.glWindowPos2i(0, 0)
    gl.glBitmap(8, 1, 0.0, 0.0, 0.0, 0.0, np.array([255], np.uint8))
    assert np.abs(gl.pixels(8, 8)[0, 3, :3].astype(int) - (128, 0, 128)).max() <= 1
