"""Programs about rasterization, textures and pixel rectangles. (OpenGL 2.1, chapter 3)"""

from __future__ import annotations

import numpy as np

from tests.osmesa.geometry import checkers
from tests.osmesa.topics import circle, floats, frame, grid, perspective, quad, topic
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL


@topic
def sizes_of_points(gl: Binding) -> None:
    gl.glMatrixMode(GL.PROJECTION)
    gl.glOrtho(0.0, 64.0, 0.0, 64.0, -8.0, 8.0)
    gl.glMatrixMode(GL.MODELVIEW)
    for k in range(6):
        gl.glPointSize(1.0 + 2.0 * k)
        gl.glColor3f(1.0, k / 6, 0.0)
        gl.glBegin(GL.POINTS)
        gl.glVertex2f(4.5 + 11.0 * k, 10.5)
        gl.glEnd()
    gl.glPointSize(20.0)
    gl.glPointParameterfv(GL.POINT_DISTANCE_ATTENUATION, floats(1.0, 0.0, 0.3))
    gl.glTranslatef(0.0, 0.0, -4.0)
    gl.glBegin(GL.POINTS)
    for k in range(4):
        gl.glVertex3f(10.5 + 15.0 * k, 40.5, 4.0 - 2.0 * k)
    gl.glEnd()


@topic
def points_with_textures(gl: Binding) -> None:
    checkers(gl)
    gl.glEnable(GL.POINT_SPRITE)
    gl.glTexEnvi(GL.POINT_SPRITE, GL.COORD_REPLACE, 1)
    gl.glPointSize(24.0)
    gl.glBegin(GL.POINTS)
    gl.glVertex2f(-0.5, -0.5)
    gl.glColor3f(0.3, 1.0, 0.3)
    gl.glVertex2f(0.5, 0.5)
    gl.glEnd()


@topic
def widths_and_stipples_of_lines(gl: Binding) -> None:
    for k, (factor, pattern) in enumerate(((1, 0xFFFF), (1, 0x00FF), (2, 0x0F35), (3, 0x5555))):
        gl.glLineWidth(1.0 + k)
        if k:
            gl.glEnable(GL.LINE_STIPPLE)
            gl.glLineStipple(factor, pattern)
        gl.glColor3f(1.0 - k / 4, 0.4, k / 4)
        gl.glBegin(GL.LINE_STRIP)
        gl.glVertex2f(-0.9, -0.8 + 0.4 * k)
        gl.glVertex2f(0.1, -0.75 + 0.4 * k)
        gl.glVertex2f(0.9, -0.5 + 0.4 * k)
        gl.glEnd()


@topic
def faces_that_are_culled(gl: Binding) -> None:
    points = circle(5, 0.8)
    for number, (face, front) in enumerate(((GL.BACK, GL.CCW), (GL.FRONT, GL.CCW), (GL.BACK, GL.CW), (GL.FRONT_AND_BACK, GL.CW))):
        frame(gl, number % 2, number // 2, 2)
        gl.glEnable(GL.CULL_FACE)
        gl.glCullFace(face)
        gl.glFrontFace(front)
        for step, color in ((1, (1.0, 0.5, 0.0)), (-1, (0.0, 0.5, 1.0))):
            gl.glColor3f(*color)
            gl.glBegin(GL.POLYGON)
            for x, y in points[::step]:
                gl.glVertex2f(float(x) * (1.0 if step > 0 else 0.5), float(y))
            gl.glEnd()


@topic
def stipples_of_polygons(gl: Binding) -> None:
    pattern = np.zeros((32, 4), np.uint8)
    pattern[::4] = 0xF0
    pattern[1::3, 1] |= 0x3C
    gl.glEnable(GL.POLYGON_STIPPLE)
    gl.glPolygonStipple(pattern)
    gl.glColor3f(0.9, 0.9, 0.1)
    quad(gl, 0.95)


@topic
def polygons_as_lines_and_points(gl: Binding) -> None:
    for number, mode in enumerate((GL.FILL, GL.LINE, GL.POINT)):
        frame(gl, number % 2, number // 2, 2)
        gl.glPolygonMode(GL.FRONT, mode)
        gl.glPointSize(3.0)
        gl.glColor3f(0.3, 0.9, 0.6)
        quad(gl, 0.7)


@topic
def edges_that_are_not_drawn(gl: Binding) -> None:
    gl.glPolygonMode(GL.FRONT_AND_BACK, GL.LINE)
    gl.glBegin(GL.POLYGON)
    for k, (x, y) in enumerate(circle(6, 0.8)):
        gl.glEdgeFlag(k % 2)
        gl.glVertex2f(float(x), float(y))
    gl.glEnd()
    gl.glEdgeFlag(1)
    gl.glColor3f(1.0, 0.2, 0.2)
    gl.glBegin(GL.TRIANGLES)
    for k, (x, y) in enumerate(((-0.4, -0.3), (0.4, -0.3), (0.0, 0.4))):
        gl.glEdgeFlag(int(k != 1))
        gl.glVertex2f(x, y)
    gl.glEnd()


@topic
def offsets_of_polygons(gl: Binding) -> None:
    gl.glEnable(GL.DEPTH_TEST)
    perspective(gl)
    gl.glRotatef(30.0, 1.0, 0.0, 0.0)
    gl.glColor3f(0.3, 0.3, 0.8)
    quad(gl, 0.9)
    gl.glEnable(GL.POLYGON_OFFSET_FILL)
    gl.glPolygonOffset(-1.0, -4.0)
    gl.glColor3f(0.9, 0.7, 0.2)
    quad(gl, 0.6)
    gl.glPolygonOffset(1.0, 4.0)
    gl.glColor3f(1.0, 0.0, 0.0)
    quad(gl, 0.3)


@topic
def pixels_with_zoom(gl: Binding) -> None:
    data = np.zeros((6, 5, 4), np.uint8)
    data[..., 0] = np.arange(5, dtype=np.uint8) * 50
    data[..., 1] = np.arange(6, dtype=np.uint8)[:, None] * 40
    data[..., 2:] = 255
    gl.glWindowPos2i(2, 3)
    gl.glDrawPixels(5, 6, GL.RGBA, GL.UNSIGNED_BYTE, data)
    gl.glPixelZoom(3.0, 4.0)
    gl.glWindowPos2i(13, 3)
    gl.glDrawPixels(5, 6, GL.RGBA, GL.UNSIGNED_BYTE, data)
    gl.glPixelZoom(-2.0, -3.0)
    gl.glWindowPos2i(60, 60)
    gl.glDrawPixels(5, 6, GL.BGRA, GL.UNSIGNED_BYTE, data)
    gl.glPixelZoom(2.0, 2.0)
    gl.glWindowPos2i(2, 40)
    gl.glDrawPixels(5, 6, GL.LUMINANCE, GL.FLOAT, (data[..., 0] / 255).astype(np.float32))
    gl.glPixelStorei(GL.UNPACK_ROW_LENGTH, 5)
    gl.glPixelStorei(GL.UNPACK_SKIP_PIXELS, 2)
    gl.glPixelStorei(GL.UNPACK_SKIP_ROWS, 1)
    gl.glWindowPos2i(20, 50)
    gl.glDrawPixels(3, 4, GL.RGBA, GL.UNSIGNED_BYTE, data)


@topic
def pixels_that_are_changed_on_their_way(gl: Binding) -> None:
    data = np.zeros((4, 8, 3), np.uint8)
    data[..., 0], data[..., 1] = np.arange(8) * 36, (np.arange(4) * 80)[:, None]
    gl.glColorMask(1, 1, 1, 0)  # Mesa's maps give 240 for 255 in alpha
    gl.glPixelZoom(4.0, 4.0)
    gl.glWindowPos2i(0, 0)
    gl.glPixelTransferf(GL.RED_SCALE, 0.5)
    gl.glPixelTransferf(GL.BLUE_BIAS, 0.6)
    gl.glDrawPixels(8, 4, GL.RGB, GL.UNSIGNED_BYTE, data)
    gl.glPixelTransferf(GL.RED_SCALE, 1.0)
    gl.glPixelTransferf(GL.BLUE_BIAS, 0.0)
    for name in (GL.PIXEL_MAP_R_TO_R, GL.PIXEL_MAP_B_TO_B, GL.PIXEL_MAP_A_TO_A):
        ramp = np.linspace(0, 1, 256, dtype=np.float32)
        gl.glPixelMapfv(name, 256, ramp[::-1].copy() if name == GL.PIXEL_MAP_R_TO_R else ramp)
    gl.glPixelMapfv(GL.PIXEL_MAP_G_TO_G, 4, floats(0.0, 1.0, 0.2, 0.8))
    gl.glPixelTransferi(GL.MAP_COLOR, 1)
    gl.glWindowPos2i(32, 20)
    gl.glDrawPixels(8, 4, GL.RGB, GL.UNSIGNED_BYTE, data)
    gl.glPixelTransferi(GL.MAP_COLOR, 0)
    for name, values in ((GL.PIXEL_MAP_I_TO_R, (0, 1, 0, 1)), (GL.PIXEL_MAP_I_TO_G, (0, 0, 1, 1)), (GL.PIXEL_MAP_I_TO_B, (1, 0, 0, 1))):
        gl.glPixelMapfv(name, 4, floats(*values))
    gl.glPixelMapfv(GL.PIXEL_MAP_I_TO_A, 1, floats(1.0))
    gl.glWindowPos2i(0, 44)
    gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 1)
    gl.glDrawPixels(4, 2, GL.COLOR_INDEX, GL.UNSIGNED_BYTE, np.array([0, 1, 2, 3, 3, 2, 1, 0], np.uint8))


@topic
def pixels_that_are_copied(gl: Binding) -> None:
    gl.glBegin(GL.TRIANGLES)
    for k, (x, y) in enumerate(((-1, -1), (-0.4, -1), (-0.7, -0.4))):
        gl.glColor3f(k / 2, 1 - k / 2, 0.7)
        gl.glVertex2f(x, y)
    gl.glEnd()
    gl.glWindowPos2i(24, 4)
    gl.glCopyPixels(0, 0, 20, 20, GL.COLOR)
    gl.glPixelZoom(1.5, -1.0)
    gl.glWindowPos2i(30, 60)
    gl.glCopyPixels(0, 0, 20, 20, GL.COLOR)
    gl.glPixelZoom(1.0, 1.0)
    gl.glPixelTransferf(GL.GREEN_SCALE, 0.3)
    gl.glWindowPos2i(2, 34)
    gl.glCopyPixels(0, 0, 20, 20, GL.COLOR)


@topic
def depth_and_stencil_as_pixels(gl: Binding) -> None:
    gl.glEnable(GL.DEPTH_TEST)
    gl.glDepthFunc(GL.ALWAYS)
    gl.glColorMask(0, 0, 0, 0)
    ramp = np.tile(np.linspace(0, 1, 32, dtype=np.float32), (16, 1))
    gl.glWindowPos2i(4, 4)
    gl.glPixelZoom(1.25, 1.25)
    gl.glDrawPixels(32, 16, GL.DEPTH_COMPONENT, GL.FLOAT, ramp)
    gl.glPixelZoom(1.0, 1.0)
    gl.glWindowPos2i(10, 36)
    gl.glDrawPixels(32, 16, GL.STENCIL_INDEX, GL.UNSIGNED_BYTE, np.tile(np.arange(32, dtype=np.uint8) % 3, (16, 1)))
    gl.glWindowPos2i(30, 44)
    gl.glCopyPixels(4, 4, 32, 16, GL.DEPTH)
    gl.glColorMask(1, 1, 1, 1)
    gl.glDepthFunc(GL.GREATER)
    gl.glColor3f(0.9, 0.6, 0.1)
    quad(gl, 1.0, z=0.2)
    gl.glDisable(GL.DEPTH_TEST)
    gl.glEnable(GL.STENCIL_TEST)
    gl.glStencilFunc(GL.EQUAL, 2, 255)
    gl.glColor3f(0.1, 0.9, 0.9)
    quad(gl, 1.0)


@topic
def formats_of_textures(gl: Binding) -> None:
    ramp = np.zeros((4, 4, 4), np.uint8)
    ramp[..., 0], ramp[..., 1], ramp[..., 2], ramp[..., 3] = (
        200,
        np.arange(4) * 80,
        (np.arange(4) * 80)[:, None],
        np.arange(4)[::-1] * 60 + 60,
    )
    formats = (GL.LUMINANCE, GL.LUMINANCE_ALPHA, GL.ALPHA, GL.INTENSITY, GL.RGB, GL.RGBA, GL.RGB8, GL.RGBA16, GL.LUMINANCE16)
    gl.glEnable(GL.TEXTURE_2D)
    gl.glEnable(GL.BLEND)
    gl.glBlendFunc(GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA)
    gl.glColor3f(1.0, 0.9, 0.8)
    for number, format in enumerate(formats):
        frame(gl, number % 4, number // 4, 4)
        gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
        gl.glTexImage2D(GL.TEXTURE_2D, 0, format, 4, 4, 0, GL.RGBA, GL.UNSIGNED_BYTE, ramp)
        gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.NEAREST)
        gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MAG_FILTER, GL.NEAREST)
        quad(gl, 0.83)


@topic
def filters_and_wraps(gl: Binding) -> None:
    checkers(gl)
    wraps = (GL.REPEAT, GL.CLAMP_TO_EDGE, GL.CLAMP_TO_BORDER, GL.MIRRORED_REPEAT)
    gl.glTexParameterfv(GL.TEXTURE_2D, GL.TEXTURE_BORDER_COLOR, floats(1, 0, 1, 1))
    gl.glMatrixMode(GL.TEXTURE)
    gl.glTranslatef(-0.75, -0.75, 0.0)
    gl.glScalef(2.5, 2.5, 1.0)
    for number, wrap in enumerate(wraps):
        frame(gl, number % 2, number // 2, 2)
        gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_WRAP_S, wrap)
        gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_WRAP_T, wrap)
        gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MAG_FILTER, GL.LINEAR if number % 2 else GL.NEAREST)
        quad(gl, 0.95)


@topic
def levels_of_textures(gl: Binding) -> None:
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    for level, color in enumerate(((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (0, 255, 255), (255, 0, 255))):
        size = 32 >> level
        data = np.full((size, size, 3), color, np.uint8)
        gl.glTexImage2D(GL.TEXTURE_2D, level, GL.RGB, size, size, 0, GL.RGB, GL.UNSIGNED_BYTE, data)
    gl.glEnable(GL.TEXTURE_2D)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.NEAREST_MIPMAP_NEAREST)
    perspective(gl)
    gl.glMatrixMode(GL.TEXTURE)
    gl.glScalef(4.0, 4.0, 1.0)
    gl.glMatrixMode(GL.MODELVIEW)
    gl.glRotatef(-70.0, 1.0, 0.0, 0.0)
    gl.glScalef(3.0, 6.0, 1.0)
    quad(gl, 0.9)


@topic
def textures_of_one_and_three_dimensions(gl: Binding) -> None:
    gl.glBindTexture(GL.TEXTURE_1D, gl.make("Textures"))
    line = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]], np.uint8)
    gl.glTexImage1D(GL.TEXTURE_1D, 0, GL.RGB, 4, 0, GL.RGB, GL.UNSIGNED_BYTE, line)
    gl.glTexParameteri(GL.TEXTURE_1D, GL.TEXTURE_MIN_FILTER, GL.LINEAR)
    gl.glEnable(GL.TEXTURE_1D)
    frame(gl, 0, 0, 2)
    quad(gl, 0.9)
    gl.glDisable(GL.TEXTURE_1D)
    gl.glBindTexture(GL.TEXTURE_3D, gl.make("Textures"))
    cube = np.zeros((4, 4, 4, 3), np.uint8)
    cube[..., 0], cube[..., 1], cube[..., 2] = np.arange(4) * 80, (np.arange(4) * 80)[:, None], (np.arange(4) * 80)[:, None, None]
    gl.glTexImage3D(GL.TEXTURE_3D, 0, GL.RGB, 4, 4, 4, 0, GL.RGB, GL.UNSIGNED_BYTE, cube)
    gl.glTexParameteri(GL.TEXTURE_3D, GL.TEXTURE_MIN_FILTER, GL.LINEAR)
    gl.glEnable(GL.TEXTURE_3D)
    frame(gl, 1, 1, 2)
    gl.glBegin(GL.QUADS)
    for s, t in ((0, 0), (1, 0), (1, 1), (0, 1)):
        gl.glTexCoord3f(s, t, (s + t) / 2)
        gl.glVertex2f(s * 1.8 - 0.9, t * 1.8 - 0.9)
    gl.glEnd()


@topic
def modes_of_texture_environments(gl: Binding) -> None:
    data = np.zeros((4, 4, 4), np.uint8)
    data[..., 0], data[..., 1], data[..., 2], data[..., 3] = 220, np.arange(4) * 70, (np.arange(4) * 70)[:, None], np.arange(4) * 80
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGBA, 4, 4, 0, GL.RGBA, GL.UNSIGNED_BYTE, data)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.NEAREST)
    gl.glEnable(GL.TEXTURE_2D)
    gl.glTexEnvfv(GL.TEXTURE_ENV, GL.TEXTURE_ENV_COLOR, floats(0.9, 0.3, 0.6, 0.5))
    for number, mode in enumerate((GL.MODULATE, GL.REPLACE, GL.DECAL, GL.BLEND, GL.ADD)):
        frame(gl, number % 3, number // 3, 3)
        gl.glTexEnvi(GL.TEXTURE_ENV, GL.TEXTURE_ENV_MODE, mode)
        gl.glColor4f(0.4, 0.7, 0.2, 0.8)
        quad(gl, 0.9)


@topic
def combiners(gl: Binding) -> None:
    checkers(gl)
    gl.glTexEnvi(GL.TEXTURE_ENV, GL.TEXTURE_ENV_MODE, GL.COMBINE)
    gl.glTexEnvfv(GL.TEXTURE_ENV, GL.TEXTURE_ENV_COLOR, floats(0.7, 0.4, 0.9, 0.3))
    functions = (GL.REPLACE, GL.MODULATE, GL.ADD, GL.ADD_SIGNED, GL.INTERPOLATE, GL.SUBTRACT, GL.DOT3_RGB, GL.DOT3_RGBA)
    for number, function in enumerate(functions):
        frame(gl, number % 4, number // 4, 4)
        gl.glTexEnvi(GL.TEXTURE_ENV, GL.COMBINE_RGB, function)
        gl.glTexEnvi(GL.TEXTURE_ENV, GL.SRC1_RGB, GL.PRIMARY_COLOR)
        gl.glTexEnvi(GL.TEXTURE_ENV, GL.OPERAND1_RGB, GL.ONE_MINUS_SRC_COLOR if number % 2 else GL.SRC_COLOR)
        gl.glTexEnvi(GL.TEXTURE_ENV, GL.SRC2_RGB, GL.CONSTANT)
        gl.glTexEnvf(GL.TEXTURE_ENV, GL.RGB_SCALE, 2.0 if function == GL.MODULATE else 1.0)
        gl.glColor4f(0.5, 0.6, 0.3, 1.0)
        quad(gl, 0.83)


@topic
def several_units(gl: Binding) -> None:
    checkers(gl)
    gl.glActiveTexture(GL.TEXTURE1)
    checkers(gl)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MAG_FILTER, GL.LINEAR)
    gl.glTexEnvi(GL.TEXTURE_ENV, GL.TEXTURE_ENV_MODE, GL.ADD)
    gl.glMatrixMode(GL.TEXTURE)
    gl.glRotatef(30.0, 0.0, 0.0, 1.0)
    gl.glColor3f(0.5, 0.5, 0.5)
    gl.glBegin(GL.QUADS)
    for s, t in ((0, 0), (1, 0), (1, 1), (0, 1)):
        gl.glMultiTexCoord2f(GL.TEXTURE0, s, t)
        gl.glMultiTexCoord2f(GL.TEXTURE1, s * 0.5, t * 0.5)
        gl.glVertex2f(s * 1.8 - 0.9, t * 1.8 - 0.9)
    gl.glEnd()


@topic
def depths_in_textures(gl: Binding) -> None:
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    ramp = np.tile(np.linspace(0, 1, 16, dtype=np.float32), (16, 1))
    gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.DEPTH_COMPONENT24, 16, 16, 0, GL.DEPTH_COMPONENT, GL.FLOAT, ramp)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.NEAREST)
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MAG_FILTER, GL.NEAREST)
    gl.glEnable(GL.TEXTURE_2D)
    for number, (mode, compare) in enumerate(((GL.LUMINANCE, 0), (GL.INTENSITY, 0), (GL.LUMINANCE, GL.LEQUAL), (GL.ALPHA, GL.GREATER))):
        frame(gl, number % 2, number // 2, 2)
        gl.glTexParameteri(GL.TEXTURE_2D, GL.DEPTH_TEXTURE_MODE, mode)
        gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_COMPARE_MODE, GL.COMPARE_REF_TO_TEXTURE if compare else GL.NONE)
        gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_COMPARE_FUNC, compare or GL.LEQUAL)
        gl.glEnable(GL.BLEND)
        gl.glBlendFunc(GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA)
        gl.glColor3f(0.9, 0.8, 0.3)
        gl.glBegin(GL.QUADS)
        for s, t in ((0, 0), (1, 0), (1, 1), (0, 1)):
            gl.glTexCoord3f(s, t, 0.2 + 0.6 * t)
            gl.glVertex2f(s * 1.8 - 0.9, t * 1.8 - 0.9)
        gl.glEnd()


@topic
def parts_of_textures_and_copies(gl: Binding) -> None:
    checkers(gl)
    gl.glTexSubImage2D(GL.TEXTURE_2D, 0, 2, 3, 4, 2, GL.RGB, GL.UNSIGNED_BYTE, np.full((2, 4, 3), (255, 0, 0), np.uint8))
    frame(gl, 0, 0, 2)
    quad(gl, 0.9)
    gl.glCopyTexImage2D(GL.TEXTURE_2D, 0, GL.RGB, 0, 0, 32, 32, 0)
    gl.glCopyTexSubImage2D(GL.TEXTURE_2D, 0, 8, 8, 0, 0, 16, 16)
    frame(gl, 1, 1, 2)
    quad(gl, 0.9)


@topic
def sums_of_two_colors(gl: Binding) -> None:
    checkers(gl)
    gl.glEnable(GL.COLOR_SUM)
    gl.glBegin(GL.QUADS)
    for k, (s, t) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
        gl.glSecondaryColor3f(k / 3, 0.0, 1 - k / 3)
        gl.glColor3f(0.5, 0.5, 0.5)
        gl.glTexCoord2f(s, t)
        gl.glVertex2f(s * 1.8 - 0.9, t * 1.8 - 0.9)
    gl.glEnd()


@topic
def modes_of_fog(gl: Binding) -> None:
    gl.glFogfv(GL.FOG_COLOR, floats(0.8, 0.8, 0.9, 1))
    gl.glFogf(GL.FOG_DENSITY, 0.4)
    gl.glFogf(GL.FOG_START, 2.0)
    gl.glFogf(GL.FOG_END, 4.0)
    gl.glEnable(GL.FOG)
    for number, mode in enumerate((GL.LINEAR, GL.EXP, GL.EXP2)):
        frame(gl, number % 2, number // 2, 2)
        gl.glFogi(GL.FOG_MODE, mode)
        perspective(gl)
        gl.glRotatef(-60.0, 1.0, 0.0, 0.0)
        gl.glColor3f(0.8, 0.2, 0.1)
        grid(gl, 8)
    frame(gl, 1, 1, 2)
    gl.glFogi(GL.FOG_COORD_SRC, GL.FOG_COORDINATE)
    gl.glFogi(GL.FOG_MODE, GL.LINEAR)
    gl.glLoadIdentity()
    gl.glTranslatef(0.0, 0.0, -3.0)
    gl.glBegin(GL.QUADS)
    for k, (x, y) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        gl.glFogCoordf(2.0 + 0.6 * k)
        gl.glVertex2f(x, y)
    gl.glEnd()


@topic
def smooth_points_and_lines(gl: Binding) -> None:
    gl.glEnable(GL.BLEND)
    gl.glBlendFunc(GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA)
    gl.glEnable(GL.POINT_SMOOTH)
    gl.glPointSize(17.0)
    gl.glBegin(GL.POINTS)
    gl.glVertex2f(-0.4, -0.4)
    gl.glEnd()
    gl.glEnable(GL.LINE_SMOOTH)
    gl.glLineWidth(3.0)
    gl.glColor3f(1.0, 0.7, 0.0)
    gl.glBegin(GL.LINES)
    gl.glVertex2f(-0.8, 0.2)
    gl.glVertex2f(0.8, 0.7)
    gl.glEnd()
