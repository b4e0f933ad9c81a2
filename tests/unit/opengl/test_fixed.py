"""Fixed functions: matrices, lights, textures, fog, immediate mode, display lists, bitmaps."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.fixed import inverse, product


@pytest.fixture
def gl() -> Binding:
    made = Binding("compatibility", size=(8, 8))
    made.glClearColor(0, 0, 0, 1)
    made.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT)
    return made


def quad(gl: Binding, low: float = -1.0, high: float = 1.0, z: float = 0.0) -> None:
    """A square in immediate mode, with texture coordinates of 0 and 1."""
    gl.glBegin(GL.QUADS)
    for x, y in ((low, low), (high, low), (high, high), (low, high)):
        gl.glTexCoord2f(float(x == high), float(y == high))
        gl.glVertex3f(x, y, z)
    gl.glEnd()


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_a_vertex_has_the_color_that_was_set_before_it(gl: Binding) -> None:
    gl.glColor3ub(255, 128, 0)
    quad(gl)
    assert (gl.pixels(8, 8) == (255, 128, 0, 255)).all()
    assert gl.glGetError() == GL.NO_ERROR


def test_matrices_multiply_from_the_right_and_come_back_from_the_stack(gl: Binding) -> None:
    gl.glMatrixMode(GL.MODELVIEW)
    gl.glTranslatef(1.0, 2.0, 3.0)
    gl.glPushMatrix()
    gl.glScalef(2.0, 3.0, 4.0)
    gl.glRotatef(90.0, 0.0, 0.0, 1.0)
    found = np.array(gl.get(GL.MODELVIEW_MATRIX, 16, ctypes.c_float)).reshape(4, 4).T
    assert np.allclose(found, [[0, -2, 0, 1], [3, 0, 0, 2], [0, 0, 4, 3], [0, 0, 0, 1]], atol=1e-6)
    gl.glPopMatrix()
    assert gl.get(GL.MODELVIEW_MATRIX, 16, ctypes.c_float)[12:] == [1, 2, 3, 1]
    gl.glPopMatrix()
    assert gl.glGetError() == GL.STACK_UNDERFLOW


def test_a_turned_texture_has_the_level_of_its_longest_derivative(gl: Binding) -> None:
    levels = [np.full((16 >> level, 16 >> level, 4), 60 * level, np.uint8) for level in range(5)]
    for level, texels in enumerate(levels):
        gl.glTexImage2D(GL.TEXTURE_2D, level, GL.RGBA8, len(texels), len(texels), 0, GL.RGBA, GL.UNSIGNED_BYTE, texels)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.LINEAR_MIPMAP_LINEAR)
    gl.glTexEnvi(GL.TEXTURE_ENV, GL.TEXTURE_ENV_MODE, GL.REPLACE)
    gl.glEnable(GL.TEXTURE_2D)
    gl.glMatrixMode(GL.TEXTURE)
    gl.glLoadMatrixf(floats(1, 1, 0, 0, -1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1))  # turned: sqrt(8) texels a pixel, 2 along each axis
    quad(gl)
    assert np.abs(gl.pixels(8, 8).astype(int) - 90).max() <= 1
    assert gl.glGetError() == GL.NO_ERROR


def test_products_and_inverses_are_those_of_doubles_rounded_once() -> None:
    dice = np.random.default_rng(5)
    for _ in range(50):
        a, b = (dice.normal(size=(4, 4)).astype(np.float32) for _ in range(2))
        assert np.allclose(product(a, b), a.astype(np.float64) @ b.astype(np.float64), rtol=1e-7, atol=1e-7)
        assert np.allclose(product(a[0], b), a[0].astype(np.float64) @ b.astype(np.float64), rtol=1e-7, atol=1e-7)
        assert np.allclose(inverse(a), np.linalg.inv(a.astype(np.float64)), rtol=1e-5)
    assert not inverse(np.zeros((4, 4), np.float32)).any()


def test_a_directional_light_gives_the_product_of_colors_and_cosine(gl: Binding) -> None:
    gl.glEnable(GL.LIGHTING)
    gl.glEnable(GL.LIGHT0)
    gl.glLightModelfv(GL.LIGHT_MODEL_AMBIENT, floats(0, 0, 0, 1))
    gl.glLightfv(GL.LIGHT0, GL.POSITION, floats(0, math.sin(1.0), math.cos(1.0), 0))
    gl.glLightfv(GL.LIGHT0, GL.DIFFUSE, floats(1, 0.5, 1, 1))
    gl.glMaterialfv(GL.FRONT_AND_BACK, GL.DIFFUSE, floats(0.8, 0.8, 0.2, 1))
    quad(gl)
    wanted = np.array([0.8, 0.4, 0.2]) * math.cos(1.0) * 255
    assert np.abs(gl.pixels(8, 8)[4, 4, :3] - wanted).max() <= 1


def test_a_positional_light_fades_with_distance(gl: Binding) -> None:
    gl.glEnable(GL.LIGHTING)
    gl.glEnable(GL.LIGHT1)
    gl.glLightModelfv(GL.LIGHT_MODEL_AMBIENT, floats(0, 0, 0, 1))
    gl.glLightfv(GL.LIGHT1, GL.POSITION, floats(0, 0, 4, 1))
    gl.glLightfv(GL.LIGHT1, GL.DIFFUSE, floats(1, 1, 1, 1))
    gl.glLightf(GL.LIGHT1, GL.LINEAR_ATTENUATION, 0.25)
    gl.glMaterialfv(GL.FRONT_AND_BACK, GL.DIFFUSE, floats(1, 1, 1, 1))
    gl.glBegin(GL.POINTS)
    gl.glVertex3f(0.0, 0.0, 0.0)
    gl.glEnd()
    assert abs(int(gl.pixels(8, 8)[4, 4, 0]) - 255 / (1 + 0.25 * 4)) <= 1


def test_a_material_follows_the_color_of_the_vertex(gl: Binding) -> None:
    gl.glEnable(GL.LIGHTING)
    gl.glLightModelfv(GL.LIGHT_MODEL_AMBIENT, floats(1, 1, 1, 1))
    gl.glColorMaterial(GL.FRONT_AND_BACK, GL.AMBIENT)
    gl.glEnable(GL.COLOR_MATERIAL)
    gl.glColor3f(0.0, 1.0, 0.0)
    quad(gl)
    assert (gl.pixels(8, 8)[..., :3] == (0, 255, 0)).all()
    gl.glDisable(GL.COLOR_MATERIAL)
    into = np.zeros(4, np.float32)
    gl.glGetMaterialfv(GL.FRONT, GL.AMBIENT, into)
    assert into.tolist() == [0, 1, 0, 1]


def texture(gl: Binding, data: np.ndarray, internal: int, format: int) -> None:
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 1)
    gl.glTexImage2D(GL.TEXTURE_2D, 0, internal, data.shape[1], data.shape[0], 0, format, GL.UNSIGNED_BYTE, data)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.NEAREST)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MAG_FILTER, GL.NEAREST)
    gl.glEnable(GL.TEXTURE_2D)


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        (GL.REPLACE, (200, 100, 50, 128)),
        (GL.MODULATE, (100, 25, 50, 128)),
        (GL.DECAL, (164, 82, 152, 255)),
        (GL.ADD, (255, 164, 255, 128)),
    ],
)
def test_a_texture_environment_mixes_texel_and_color(gl: Binding, mode: int, wanted: tuple[int, ...]) -> None:
    texture(gl, np.full((2, 2, 4), (200, 100, 50, 128), np.uint8), GL.RGBA, GL.RGBA)
    gl.glTexEnvi(GL.TEXTURE_ENV, GL.TEXTURE_ENV_MODE, mode)
    gl.glColor4ub(128, 64, 255, 255)
    quad(gl)
    assert np.abs(gl.pixels(8, 8)[4, 4].astype(int) - wanted).max() <= 1


def test_a_luminance_texture_leaves_alpha_to_the_color(gl: Binding) -> None:
    texture(gl, np.full((2, 2), 128, np.uint8), GL.LUMINANCE, GL.LUMINANCE)
    gl.glColor4f(1.0, 0.0, 1.0, 0.5)
    quad(gl)
    assert np.abs(gl.pixels(8, 8)[4, 4].astype(int) - (128, 0, 128, 128)).max() <= 1


def test_coordinates_are_generated_from_object_planes(gl: Binding) -> None:
    texture(gl, np.array([[[255, 0, 0], [0, 255, 0]]], np.uint8), GL.RGB, GL.RGB)
    gl.glTexGeni(GL.S, GL.TEXTURE_GEN_MODE, GL.OBJECT_LINEAR)
    gl.glTexGenfv(GL.S, GL.OBJECT_PLANE, floats(0, 0.5, 0, 0.5))
    gl.glEnable(GL.TEXTURE_GEN_S)
    quad(gl)
    found = gl.pixels(8, 8)
    assert (found[:4, :, :3] == (255, 0, 0)).all()
    assert (found[4:, :, :3] == (0, 255, 0)).all()


def test_linear_fog_mixes_by_the_distance_from_the_eye(gl: Binding) -> None:
    gl.glEnable(GL.FOG)
    gl.glFogi(GL.FOG_MODE, GL.LINEAR)
    gl.glFogf(GL.FOG_START, 0.0)
    gl.glFogf(GL.FOG_END, 1.0)
    gl.glFogfv(GL.FOG_COLOR, floats(0, 0, 1, 1))
    gl.glColor3f(1.0, 0.0, 0.0)
    quad(gl, z=-0.25)
    assert np.abs(gl.pixels(8, 8)[4, 4, :3].astype(int) - (191, 0, 64)).max() <= 1


def test_a_clip_plane_cuts_in_object_coordinates(gl: Binding) -> None:
    gl.glClipPlane(GL.CLIP_DISTANCE0, np.array([1.0, 0.0, 0.0, 0.0]))
    gl.glEnable(GL.CLIP_DISTANCE0)
    quad(gl)
    found = gl.pixels(8, 8)[..., 0]
    assert (found[:, :4] == 0).all()
    assert (found[:, 4:] == 255).all()


def test_a_display_list_draws_with_the_state_of_the_moment(gl: Binding) -> None:
    number = gl.glGenLists(2)
    gl.glNewList(number, GL.COMPILE)
    quad(gl)
    gl.glColor3f(0.0, 0.0, 1.0)
    gl.glEndList()
    assert (gl.pixels(8, 8)[..., :3] == 0).all()
    gl.glColor3f(0.0, 1.0, 0.0)
    gl.glCallList(number)
    assert (gl.pixels(8, 8)[..., :3] == (0, 255, 0)).all()
    assert gl.get(GL.CURRENT_COLOR, 4, ctypes.c_float) == [0, 0, 1, 1]
    gl.glNewList(number + 1, GL.COMPILE_AND_EXECUTE)
    gl.glTranslatef(1.0, 0.0, 0.0)
    gl.glCallList(number)
    gl.glEndList()
    assert (gl.pixels(8, 8)[:, 4:, :3] == (0, 0, 255)).all()
    gl.glDeleteLists(number, 2)
    assert not gl.glIsList(number)


def test_a_display_list_keeps_the_vertices_of_arrays_that_change_later(gl: Binding) -> None:
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64)
    colors = np.full((4, 3), (0, 255, 0), np.uint8)
    gl.glVertexPointer(2, GL.DOUBLE, 0, corners)
    gl.glColorPointer(3, GL.UNSIGNED_BYTE, 0, colors)
    gl.glEnableClientState(GL.VERTEX_ARRAY)
    gl.glEnableClientState(GL.COLOR_ARRAY)
    number = gl.glGenLists(1)
    gl.glNewList(number, GL.COMPILE)
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    gl.glDrawElements(GL.TRIANGLES, 3, GL.UNSIGNED_SHORT, np.array([0, 2, 3], np.uint16))
    gl.glEndList()
    corners[:], colors[:] = 0, 0
    assert (gl.pixels(8, 8)[..., :3] == 0).all()
    gl.glCallList(number)
    assert (gl.pixels(8, 8)[..., :3] == (0, 255, 0)).all()
    assert gl.glGetError() == GL.NO_ERROR


def test_arrays_of_the_caller_feed_conventional_attributes(gl: Binding) -> None:
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
    colors = np.full((4, 4), (0, 255, 255, 255), np.uint8)
    gl.glVertexPointer(2, GL.FLOAT, 0, corners)
    gl.glColorPointer(4, GL.UNSIGNED_BYTE, 0, colors)
    gl.glEnableClientState(GL.VERTEX_ARRAY)
    gl.glEnableClientState(GL.COLOR_ARRAY)
    gl.glDrawElements(GL.QUADS, 4, GL.UNSIGNED_BYTE, np.array([0, 1, 2, 3], np.uint8))
    assert (gl.pixels(8, 8)[..., :3] == (0, 255, 255)).all()


def test_a_draw_of_no_vertices_reads_nothing_of_the_caller(gl: Binding) -> None:
    gl.glVertexPointer(2, GL.FLOAT, 0, 64)  # no memory that can be read
    gl.glEnableClientState(GL.VERTEX_ARRAY)
    gl.glDrawArrays(GL.TRIANGLES, 1 << 20, 0)
    gl.glDrawElements(GL.TRIANGLES, 0, GL.UNSIGNED_INT, None)
    assert gl.glGetError() == GL.NO_ERROR


def test_a_bitmap_is_drawn_in_the_raster_color_and_moves_the_raster_position(gl: Binding) -> None:
    gl.glColor3f(1.0, 1.0, 0.0)
    gl.glWindowPos2i(2, 1)
    gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 1)
    gl.glBitmap(3, 2, 0.0, 0.0, 4.0, 0.0, np.array([0b10100000, 0b01000000], np.uint8))
    found = gl.pixels(8, 8)[..., 0] > 0
    assert sorted(zip(*np.nonzero(found), strict=True)) == [(1, 2), (1, 4), (2, 3)]
    assert gl.get(GL.CURRENT_RASTER_POSITION, 4, ctypes.c_float)[:2] == [6, 1]


def test_pixels_are_drawn_at_the_raster_position(gl: Binding) -> None:
    gl.glWindowPos2i(1, 1)
    gl.glPixelZoom(2.0, 1.0)
    gl.glDrawPixels(2, 1, GL.RGB, GL.UNSIGNED_BYTE, np.array([[255, 0, 0], [0, 255, 0]], np.uint8))
    assert gl.pixels(8, 8)[1, :6, :3].tolist() == [[0, 0, 0], [255, 0, 0], [255, 0, 0], [0, 255, 0], [0, 255, 0], [0, 0, 0]]


def test_pop_attrib_brings_back_what_push_attrib_kept(gl: Binding) -> None:
    gl.glPushAttrib(GL.ALL_ATTRIB_BITS)
    gl.glEnable(GL.DEPTH_TEST)
    gl.glEnable(GL.LIGHT3)
    gl.glLineWidth(5.0)
    gl.glColor3f(1.0, 0.0, 0.0)
    gl.glPopAttrib()
    assert not gl.glIsEnabled(GL.DEPTH_TEST)
    assert not gl.glIsEnabled(GL.LIGHT3)
    assert gl.get(GL.LINE_WIDTH, 1, ctypes.c_float) == [1.0]
    assert gl.get(GL.CURRENT_COLOR, 4, ctypes.c_float) == [1, 1, 1, 1]


def test_the_core_profile_has_no_fixed_functions() -> None:
    gl = Binding("core")
    gl.glEnable(GL.LIGHTING)
    assert gl.glGetError() == GL.INVALID_ENUM


def test_fixed_functions_draw_with_a_matrix_that_was_set_while_a_program_of_glsl_drew(gl: Binding) -> None:
    quad(gl)
    program = gl.program(
        "#version 330\nin vec4 p; void main() { gl_Position = p; }",
        "#version 330\nout vec4 c; void main() { c = vec4(0.0, 0.0, 1.0, 1.0); }",
    )
    gl.glUseProgram(program)
    gl.glScalef(0.5, 0.5, 1.0)
    quad(gl)
    gl.glUseProgram(0)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glColor3ub(255, 0, 0)
    quad(gl)
    assert (gl.pixels(8, 8)[:, :, 0] == 255).sum() == 16


def test_a_primitive_of_a_list_takes_the_current_color_each_time(gl: Binding) -> None:
    gl.glNewList(1, GL.COMPILE)
    gl.glBegin(GL.QUADS)
    for corner in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        gl.glVertex2i(*corner)
    gl.glEnd()
    gl.glEndList()
    for color in ((255, 0, 0), (0, 255, 0), (255, 0, 0), (0, 0, 255)):
        gl.glColor3ub(*color)
        gl.glCallList(1)
        assert (gl.pixels(8, 8) == (*color, 255)).all()


def test_a_material_that_changes_between_draws_lights_the_next_one(gl: Binding) -> None:
    gl.glEnable(GL.LIGHTING)
    gl.glEnable(GL.LIGHT0)
    gl.glNormal3f(0.0, 0.0, 1.0)
    for color in ((1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)):
        gl.glMaterialfv(GL.FRONT_AND_BACK, GL.AMBIENT_AND_DIFFUSE, floats(*color))
        quad(gl)
        assert (gl.pixels(8, 8)[:, :, :3] == [int(255 * part) for part in color[:3]]).all()


def test_products_of_colors_beyond_floats_are_infinite(gl: Binding) -> None:
    gl.glEnable(GL.LIGHTING)
    gl.glEnable(GL.LIGHT0)
    gl.glLightfv(GL.LIGHT0, GL.DIFFUSE, floats(3e38, 0, 0, 1))
    gl.glMaterialfv(GL.FRONT, GL.DIFFUSE, floats(1e9, 0, 0, 1))
    gl.glNormal3f(0.0, 0.0, 1.0)
    quad(gl)
    assert gl.glGetError() == GL.NO_ERROR
    assert (gl.pixels(8, 8)[:, :, 0] == 255).all()


def test_smooth_quads_of_a_list_are_split_from_their_second_corner(gl: Binding) -> None:
    def quad() -> None:
        gl.glBegin(GL.QUADS)
        for color, x, y in ((1.0, -1, -1), (0.0, 1, -1), (0.0, 1, 1), (0.0, -1, 1)):
            gl.glColor3f(color, color, color)
            gl.glVertex2f(x, y)
        gl.glEnd()

    gl.glNewList(1, GL.COMPILE)
    quad()
    gl.glEndList()
    gl.glClearColor(0, 0, 1, 1)
    found = []
    for draw in (quad, lambda: gl.glCallList(1)):
        gl.glClear(GL.COLOR_BUFFER_BIT)
        draw()
        found.append(gl.pixels(8, 8)[..., 2])
    at_once, listed = found
    corner = np.add.outer(np.arange(8), np.arange(8))
    assert (listed[corner >= 8] == 0).all()
    assert at_once[5, 5] > 0
    assert listed[0, 0] > 200
