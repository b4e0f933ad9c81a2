"""Programs about vertices: primitives, arrays, matrices, coordinates, clipping, lights. (OpenGL 2.1, chapter 2)"""

from __future__ import annotations

import math

import numpy as np

from tests.osmesa.topics import circle, floats, frame, grid, perspective, quad, topic
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL


@topic
def primitives_of_immediate_mode(gl: Binding) -> None:
    modes = (
        GL.POINTS, GL.LINES, GL.LINE_STRIP, GL.LINE_LOOP, GL.TRIANGLES, GL.TRIANGLE_STRIP, GL.TRIANGLE_FAN, GL.QUADS, GL.QUAD_STRIP,
        GL.POLYGON,
    )  # fmt: skip
    gl.glPointSize(3.0)
    for number, mode in enumerate(modes):
        frame(gl, number % 4, number // 4, 4)
        gl.glBegin(mode)
        for k, (x, y) in enumerate(((-0.7, -0.7), (0.7, -0.6), (-0.6, 0.1), (0.6, 0.2), (-0.5, 0.8), (0.5, 0.7), (0.0, 0.9), (0.2, 0.95))):
            gl.glColor3f(k / 8, 1 - k / 8, 0.5)
            gl.glVertex2f(x, y)
        gl.glEnd()


@topic
def forms_of_vertex_commands(gl: Binding) -> None:
    gl.glScalef(0.25, 0.25, 1.0)
    gl.glBegin(GL.QUADS)
    gl.glColor3b(127, 0, -128)
    gl.glVertex2s(-3, -3)
    gl.glColor4us(0, 65535, 0, 65535)
    gl.glVertex3d(3.0, -3.0, 0.1)
    gl.glColor3ui(0, 0, 4294967295)
    gl.glVertex4f(6.0, 6.0, 0.0, 2.0)
    gl.glColor4dv(np.array([1.0, 1.0, 0.0, 1.0]))
    gl.glVertex2iv(np.array([-3, 3], np.int32))
    gl.glEnd()
    gl.glColor3ub(255, 255, 255)
    gl.glRecti(-1, -1, 0, 1)
    gl.glColor3f(0.2, 0.4, 0.6)
    gl.glRectdv(np.array([0.5, 0.5]), np.array([2.5, 1.5]))


@topic
def arrays_of_the_caller(gl: Binding) -> None:
    points, colors = circle(12, 0.9), np.array([[k * 20, 255 - k * 20, 128] for k in range(12)], np.uint8)
    gl.glEnableClientState(GL.VERTEX_ARRAY)
    gl.glEnableClientState(GL.COLOR_ARRAY)
    gl.glVertexPointer(2, GL.FLOAT, 0, points)
    gl.glColorPointer(3, GL.UNSIGNED_BYTE, 0, colors)
    gl.glDrawArrays(GL.POLYGON, 0, 12)
    small = (points * 100).astype(np.int16)
    gl.glDisableClientState(GL.COLOR_ARRAY)
    gl.glScalef(0.005, 0.005, 1.0)
    gl.glVertexPointer(2, GL.SHORT, 0, small)
    gl.glColor3f(0.0, 0.0, 0.0)
    gl.glDrawElements(GL.TRIANGLES, 9, GL.UNSIGNED_BYTE, np.array([0, 4, 8, 1, 5, 9, 2, 6, 10], np.uint8))


@topic
def interleaved_arrays_and_elements(gl: Binding) -> None:
    data = np.zeros(4, [("c", np.uint8, 4), ("v", np.float32, 2)])
    data["c"] = [(255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (255, 255, 0, 255)]
    data["v"] = [(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)]
    gl.glInterleavedArrays(GL.C4UB_V2F, 0, data.view(np.uint8))
    gl.glDrawArrays(GL.QUADS, 0, 4)
    gl.glScalef(0.5, 0.5, 1.0)
    gl.glBegin(GL.TRIANGLES)
    for number in (2, 3, 0):
        gl.glArrayElement(number)
    gl.glEnd()


@topic
def buffers_of_vertices_and_indices(gl: Binding) -> None:
    vertices = np.concatenate([circle(8, 0.9), np.zeros((8, 1), np.float32)], axis=1).astype(np.float32)
    gl.buffer(GL.ARRAY_BUFFER, vertices)
    gl.buffer(GL.ELEMENT_ARRAY_BUFFER, np.array([0, 2, 4, 6, 1, 3, 5, 7], np.uint16))
    gl.glEnableClientState(GL.VERTEX_ARRAY)
    gl.glVertexPointer(3, GL.FLOAT, 12, None)
    gl.glColor3f(0.9, 0.3, 0.1)
    gl.glDrawElements(GL.TRIANGLE_FAN, 4, GL.UNSIGNED_SHORT, None)
    gl.glColor3f(0.1, 0.3, 0.9)
    gl.glDrawRangeElements(GL.LINE_LOOP, 0, 7, 4, GL.UNSIGNED_SHORT, 8)


@topic
def matrices_and_their_stacks(gl: Binding) -> None:
    gl.glMatrixMode(GL.PROJECTION)
    gl.glFrustum(-1.0, 1.0, -1.0, 1.0, 1.0, 10.0)
    gl.glMatrixMode(GL.MODELVIEW)
    gl.glTranslatef(0.0, 0.0, -3.0)
    for k in range(6):
        gl.glPushMatrix()
        gl.glRotatef(60.0 * k, 0.0, 0.0, 1.0)
        gl.glTranslatef(1.6, 0.0, 0.0)
        gl.glRotatef(40.0, 0.3, 1.0, 0.2)
        gl.glScalef(0.6, 0.9, 1.0)
        gl.glColor3f(k / 6, 0.5, 1 - k / 6)
        quad(gl, 0.8)
        gl.glPopMatrix()
    gl.glMultMatrixf(floats(0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0, 0.3, -0.3, 0, 1))
    gl.glColor3f(1.0, 1.0, 1.0)
    quad(gl, 0.9)
    gl.glLoadTransposeMatrixf(floats(1, 0, 0, 0.5, 0, 1, 0, 0.5, 0, 0, 1, -4, 0, 0, 0, 1))
    gl.glColor3f(0.5, 1.0, 0.5)
    quad(gl, 0.4)


def _light(gl: Binding, *position: float) -> None:
    gl.glEnable(GL.LIGHTING)
    gl.glEnable(GL.LIGHT0)
    gl.glLightfv(GL.LIGHT0, GL.POSITION, floats(*position))


@topic
def normals_that_are_scaled_again(gl: Binding) -> None:
    _light(gl, 0.3, 0.4, 1.0, 0.0)
    for number, cap in enumerate((0, GL.NORMALIZE, GL.RESCALE_NORMAL)):
        frame(gl, number % 2, number // 2, 2)
        gl.glLoadIdentity()
        gl.glScalef(0.5, 0.5, 0.5)
        if cap:
            gl.glEnable(cap)
        gl.glBegin(GL.QUADS)
        for x, y in ((-1.8, -1.8), (1.8, -1.8), (1.8, 1.8), (-1.8, 1.8)):
            gl.glNormal3f(x * 0.3, y * 0.3, 0.9)
            gl.glVertex2f(x, y)
        gl.glEnd()
        if cap:
            gl.glDisable(cap)


@topic
def coordinates_from_planes(gl: Binding) -> None:
    checkers(gl)
    gl.glTexGeni(GL.S, GL.TEXTURE_GEN_MODE, GL.OBJECT_LINEAR)
    gl.glTexGenfv(GL.S, GL.OBJECT_PLANE, floats(1, 0.2, 0, 0))
    gl.glTexGeni(GL.T, GL.TEXTURE_GEN_MODE, GL.EYE_LINEAR)
    gl.glRotatef(30.0, 0.0, 0.0, 1.0)
    gl.glTexGenfv(GL.T, GL.EYE_PLANE, floats(0, 1.5, 0, 0.1))
    gl.glEnable(GL.TEXTURE_GEN_S)
    gl.glEnable(GL.TEXTURE_GEN_T)
    gl.glRotatef(-15.0, 0.0, 0.0, 1.0)
    quad(gl, 0.85)


def checkers(gl: Binding) -> None:
    """A bound texture of colored checkers, filtered by the nearest texel."""
    data = np.zeros((8, 8, 3), np.uint8)
    data[::2, ::2] = data[1::2, 1::2] = (255, 220, 40)
    data[..., 2] += np.arange(0, 256, 32, dtype=np.uint8)[None] // 2
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGB, 8, 8, 0, GL.RGB, GL.UNSIGNED_BYTE, data)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.NEAREST)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MAG_FILTER, GL.NEAREST)
    gl.glEnable(GL.TEXTURE_2D)


@topic
def coordinates_of_a_sphere_map(gl: Binding) -> None:
    checkers(gl)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MAG_FILTER, GL.LINEAR)
    for coordinate, cap in ((GL.S, GL.TEXTURE_GEN_S), (GL.T, GL.TEXTURE_GEN_T)):
        gl.glTexGeni(coordinate, GL.TEXTURE_GEN_MODE, GL.SPHERE_MAP)
        gl.glEnable(cap)
    perspective(gl)
    grid(gl, 12)


@topic
def coordinates_of_a_cube_map(gl: Binding) -> None:
    gl.glBindTexture(GL.TEXTURE_CUBE_MAP, gl.make("Textures"))
    for face in range(6):
        data = np.full((4, 4, 3), (40 * face, 255 - 40 * face, 90 + 20 * (face % 3)), np.uint8)
        gl.glTexImage2D(GL.TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL.RGB, 4, 4, 0, GL.RGB, GL.UNSIGNED_BYTE, data)
    gl.glTexParameteri(GL.TEXTURE_CUBE_MAP, GL.TEXTURE_MIN_FILTER, GL.NEAREST)
    gl.glTexParameteri(GL.TEXTURE_CUBE_MAP, GL.TEXTURE_MAG_FILTER, GL.NEAREST)
    gl.glEnable(GL.TEXTURE_CUBE_MAP)
    for coordinate, cap in ((GL.S, GL.TEXTURE_GEN_S), (GL.T, GL.TEXTURE_GEN_T), (GL.R, GL.TEXTURE_GEN_R)):
        gl.glTexGeni(coordinate, GL.TEXTURE_GEN_MODE, GL.REFLECTION_MAP)
        gl.glEnable(cap)
    perspective(gl)
    grid(gl, 10)


@topic
def clip_planes(gl: Binding) -> None:
    perspective(gl)
    gl.glClipPlane(GL.CLIP_DISTANCE0, np.array([1.0, 0.3, 0.0, 0.6]))
    gl.glRotatef(40.0, 0.0, 0.0, 1.0)
    gl.glClipPlane(GL.CLIP_DISTANCE0 + 3, np.array([0.0, -1.0, 0.2, 0.7]))
    gl.glEnable(GL.CLIP_DISTANCE0)
    gl.glEnable(GL.CLIP_DISTANCE0 + 3)
    gl.glColor3f(0.2, 0.9, 0.4)
    grid(gl, 4)
    gl.glDisable(GL.CLIP_DISTANCE0)
    gl.glColor3f(1.0, 0.2, 0.2)
    gl.glBegin(GL.LINES)
    gl.glVertex2f(-2.0, -2.0)
    gl.glVertex2f(2.0, 2.0)
    gl.glEnd()


@topic
def raster_positions_and_bitmaps(gl: Binding) -> None:
    letter = np.array([0b11111100, 0b10000010, 0b10000010, 0b11111100, 0b10001000, 0b10000100, 0b10000010], np.uint8)
    gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 1)
    for k in range(4):
        gl.glColor3f(k / 4, 1 - k / 4, 0.3)
        gl.glRasterPos2f(-0.9 + 0.1 * k, -0.8 + 0.4 * k)
        gl.glColor3f(1.0, 1.0, 1.0)
        for _ in range(3):
            gl.glBitmap(8, 7, 0.0, 0.0, 9.5, 0.0, letter)
    gl.glRasterPos2f(3.0, 0.0)
    gl.glBitmap(8, 7, 0.0, 0.0, 0.0, 0.0, letter)
    gl.glWindowPos2i(50, 3)
    gl.glBitmap(8, 7, 3.0, 1.0, 0.0, 0.0, letter)


@topic
def a_light_far_away(gl: Binding) -> None:
    _light(gl, 0.5, 0.6, 1.0, 0.0)
    gl.glLightfv(GL.LIGHT0, GL.AMBIENT, floats(0.1, 0.0, 0.2, 1))
    gl.glLightfv(GL.LIGHT0, GL.DIFFUSE, floats(0.9, 0.8, 0.5, 1))
    gl.glLightModelfv(GL.LIGHT_MODEL_AMBIENT, floats(0.3, 0.2, 0.1, 1))
    gl.glMaterialfv(GL.FRONT, GL.SPECULAR, floats(1, 1, 1, 1))
    gl.glMaterialf(GL.FRONT, GL.SHININESS, 12.0)
    gl.glMaterialfv(GL.FRONT, GL.EMISSION, floats(0.05, 0.1, 0.0, 1))
    perspective(gl)
    grid(gl, 14)


@topic
def lights_that_fade(gl: Binding) -> None:
    perspective(gl)
    for k, color in enumerate(((1, 0.2, 0.2), (0.2, 1, 0.2), (0.3, 0.3, 1))):
        light = GL.LIGHT0 + k
        gl.glEnable(light)
        gl.glLightfv(light, GL.POSITION, floats(math.cos(2.1 * k), math.sin(2.1 * k), 0.8, 1))
        gl.glLightfv(light, GL.DIFFUSE, floats(*color, 1))
        gl.glLightfv(light, GL.SPECULAR, floats(*color, 1))
        gl.glLightf(light, GL.CONSTANT_ATTENUATION, 0.3)
        gl.glLightf(light, GL.LINEAR_ATTENUATION, 0.4)
        gl.glLightf(light, GL.QUADRATIC_ATTENUATION, 0.3 * k)
    gl.glEnable(GL.LIGHTING)
    gl.glLightModeli(GL.LIGHT_MODEL_LOCAL_VIEWER, 1)
    gl.glMaterialfv(GL.FRONT, GL.SPECULAR, floats(0.7, 0.7, 0.7, 1))
    gl.glMaterialf(GL.FRONT, GL.SHININESS, 20.0)
    grid(gl, 16)


@topic
def spot_lights(gl: Binding) -> None:
    perspective(gl)
    _light(gl, 0.0, 0.0, 1.5, 1.0)
    gl.glLightfv(GL.LIGHT0, GL.SPOT_DIRECTION, floats(0.2, 0.1, -1))
    gl.glLightf(GL.LIGHT0, GL.SPOT_CUTOFF, 30.0)
    gl.glLightf(GL.LIGHT0, GL.SPOT_EXPONENT, 5.0)
    grid(gl, 24)


@topic
def two_sides_with_materials_of_their_own(gl: Binding) -> None:
    _light(gl, 0.0, 0.3, 1.0, 0.0)
    gl.glLightModeli(GL.LIGHT_MODEL_TWO_SIDE, 1)
    gl.glMaterialfv(GL.FRONT, GL.AMBIENT_AND_DIFFUSE, floats(0.9, 0.2, 0.1, 1))
    gl.glMaterialfv(GL.BACK, GL.AMBIENT_AND_DIFFUSE, floats(0.1, 0.3, 0.9, 1))
    for k in range(4):
        frame(gl, k % 2, k // 2, 2)
        gl.glLoadIdentity()
        gl.glRotatef(20.0 + 60.0 * k, 0.2, 1.0, 0.0)
        gl.glNormal3f(0.0, 0.0, 1.0)
        quad(gl, 0.8)


@topic
def materials_that_follow_the_color(gl: Binding) -> None:
    _light(gl, 0.2, 0.5, 1.0, 0.0)
    for number, mode in enumerate((GL.AMBIENT, GL.DIFFUSE, GL.SPECULAR, GL.EMISSION, GL.AMBIENT_AND_DIFFUSE)):
        frame(gl, number % 3, number // 3, 3)
        gl.glMaterialfv(GL.FRONT, GL.AMBIENT_AND_DIFFUSE, floats(0.4, 0.4, 0.4, 1))
        gl.glMaterialfv(GL.FRONT, GL.SPECULAR, floats(0.1, 0.1, 0.1, 1))
        gl.glMaterialfv(GL.FRONT, GL.EMISSION, floats(0, 0, 0, 1))
        gl.glMaterialf(GL.FRONT, GL.SHININESS, 4.0)
        gl.glColorMaterial(GL.FRONT, mode)
        gl.glEnable(GL.COLOR_MATERIAL)
        gl.glBegin(GL.QUADS)
        for k, (x, y) in enumerate(((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9))):
            gl.glColor3f(k / 3, 0.5, 1 - k / 3)
            gl.glNormal3f(x * 0.3, y * 0.3, 0.9)
            gl.glVertex2f(x, y)
        gl.glEnd()
        gl.glDisable(GL.COLOR_MATERIAL)


@topic
def materials_between_vertices(gl: Binding) -> None:
    _light(gl, 0.0, 0.0, 1.0, 0.0)
    gl.glNormal3f(0.0, 0.0, 1.0)
    gl.glBegin(GL.TRIANGLES)
    for k in range(3):
        gl.glMaterialfv(GL.FRONT, GL.DIFFUSE, floats(k / 2, 1 - k / 2, 0.4, 1))
        for x, y in ((-0.9, -0.9), (-0.4, -0.9), (-0.6, 0.7)):
            gl.glVertex2f(x + 0.6 * k, y)
    gl.glEnd()


@topic
def flat_shades(gl: Binding) -> None:
    gl.glShadeModel(GL.FLAT)
    for number, mode in enumerate((GL.LINES, GL.TRIANGLES, GL.TRIANGLE_STRIP, GL.TRIANGLE_FAN, GL.QUADS, GL.QUAD_STRIP, GL.POLYGON)):
        frame(gl, number % 3, number // 3, 3)
        gl.glBegin(mode)
        for k, (x, y) in enumerate(((-0.8, -0.8), (0.8, -0.7), (0.7, 0.1), (0.6, 0.8), (-0.5, 0.7), (-0.9, 0.1))):
            gl.glColor3f(k / 5, 1 - k / 5, float(k % 2))
            gl.glVertex2f(x, y)
        gl.glEnd()


@topic
def specular_color_behind_textures(gl: Binding) -> None:
    _light(gl, 0.1, 0.2, 1.0, 0.0)
    gl.glMaterialfv(GL.FRONT, GL.SPECULAR, floats(1, 0.9, 0.8, 1))
    gl.glMaterialf(GL.FRONT, GL.SHININESS, 8.0)
    checkers(gl)
    for number, control in enumerate((GL.SINGLE_COLOR, GL.SEPARATE_SPECULAR_COLOR)):
        frame(gl, number, 0, 2)
        gl.glLightModeli(GL.LIGHT_MODEL_COLOR_CONTROL, control)
        grid(gl, 10)
