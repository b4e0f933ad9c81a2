"""Programs about fragments, the framebuffer and special functions. (OpenGL 2.1, chapters 4 and 5)"""

from __future__ import annotations

import ctypes

import numpy as np

from tests.osmesa.geometry import checkers
from tests.osmesa.topics import circle, floats, frame, grid, perspective, quad, topic
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL


@topic
def scissor_alpha_and_stencil(gl: Binding) -> None:
    gl.glEnable(GL.SCISSOR_TEST)
    gl.glScissor(5, 8, 50, 44)
    gl.glEnable(GL.ALPHA_TEST)
    gl.glAlphaFunc(GL.GREATER, 0.4)
    gl.glBegin(GL.QUADS)
    for k, (x, y) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        gl.glColor4f(0.9, 0.5, 0.1, k / 3)
        gl.glVertex2f(x, y)
    gl.glEnd()
    gl.glDisable(GL.ALPHA_TEST)
    gl.glEnable(GL.STENCIL_TEST)
    gl.glStencilFunc(GL.ALWAYS, 1, 255)
    gl.glStencilOp(GL.KEEP, GL.KEEP, GL.INCR)
    gl.glColorMask(0, 0, 0, 0)
    quad(gl, 0.7)
    quad(gl, 0.4)
    gl.glColorMask(1, 1, 1, 1)
    gl.glStencilFunc(GL.EQUAL, 2, 255)
    gl.glStencilOp(GL.KEEP, GL.KEEP, GL.KEEP)
    gl.glColor3f(0.2, 0.9, 0.9)
    quad(gl, 1.0)
    gl.glStencilFunc(GL.EQUAL, 1, 255)
    gl.glColor3f(0.7, 0.1, 0.9)
    quad(gl, 1.0)


@topic
def depth_tests(gl: Binding) -> None:
    gl.glEnable(GL.DEPTH_TEST)
    functions = (GL.NEVER, GL.LESS, GL.EQUAL, GL.LEQUAL, GL.GREATER, GL.NOTEQUAL, GL.GEQUAL, GL.ALWAYS)
    for number, function in enumerate(functions):
        frame(gl, number % 3, number // 3, 3)
        gl.glDepthFunc(GL.ALWAYS)
        gl.glColor3f(0.2, 0.3, 0.4)
        quad(gl, 0.9)
        gl.glDepthFunc(function)
        gl.glBegin(GL.QUADS)
        gl.glColor3f(0.9, 0.9, 0.2)
        for x, y in ((-0.7, -0.7), (0.7, -0.7), (0.7, 0.7), (-0.7, 0.7)):
            gl.glVertex3f(x, y, x)
        gl.glEnd()
        gl.glColor3f(1.0, 0.3, 0.3)
        quad(gl, 0.3)


@topic
def factors_and_equations_of_blending(gl: Binding) -> None:
    gl.glEnable(GL.BLEND)
    gl.glBlendColor(0.5, 0.25, 0.75, 0.5)
    rows = (
        (GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA, GL.FUNC_ADD), (GL.ONE, GL.ONE, GL.FUNC_ADD), (GL.DST_COLOR, GL.ZERO, GL.FUNC_ADD),
        (GL.CONSTANT_COLOR, GL.ONE_MINUS_CONSTANT_COLOR, GL.FUNC_ADD), (GL.ONE, GL.ONE, GL.FUNC_SUBTRACT),
        (GL.ONE, GL.ONE, GL.FUNC_REVERSE_SUBTRACT), (GL.ONE, GL.ONE, GL.MIN), (GL.ONE, GL.ONE, GL.MAX),
        (GL.SRC_ALPHA_SATURATE, GL.ONE, GL.FUNC_ADD),
    )  # fmt: skip
    for number, (source, target, equation) in enumerate(rows):
        frame(gl, number % 3, number // 3, 3)
        gl.glBlendEquation(GL.FUNC_ADD)
        gl.glBlendFunc(GL.ONE, GL.ZERO)
        gl.glColor4f(0.6, 0.4, 0.2, 0.7)
        quad(gl, 0.9)
        gl.glBlendEquation(equation)
        gl.glBlendFunc(source, target)
        gl.glColor4f(0.3, 0.8, 0.5, 0.6)
        quad(gl, 0.6)


@topic
def logic_operations(gl: Binding) -> None:
    gl.glEnable(GL.COLOR_LOGIC_OP)
    for number in range(16):
        frame(gl, number % 4, number // 4, 4)
        gl.glLogicOp(GL.COPY)
        gl.glColor3ub(0b11001100, 0b10101010, 0b11110000)
        quad(gl, 0.9)
        gl.glLogicOp(GL.CLEAR + number)
        gl.glColor3ub(0b01010101, 0b00110011, 0b11000011)
        quad(gl, 0.6)


@topic
def masks_and_clears(gl: Binding) -> None:
    gl.glColorMask(1, 0, 0, 1)
    gl.glClearColor(0.9, 0.9, 0.9, 1)
    gl.glEnable(GL.SCISSOR_TEST)
    gl.glScissor(6, 6, 30, 30)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glColorMask(0, 1, 1, 1)
    gl.glScissor(20, 20, 40, 40)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glColorMask(0, 0, 1, 0)
    gl.glColor3f(0.5, 0.5, 0.5)
    quad(gl, 0.8)


@topic
def the_accumulation_buffer(gl: Binding) -> None:
    gl.glClearAccum(0.0, 0.0, 0.1, 0.0)
    gl.glClear(GL.ACCUM_BUFFER_BIT)
    for k in range(4):
        gl.glClear(GL.COLOR_BUFFER_BIT)
        gl.glPushMatrix()
        gl.glTranslatef(0.1 * k, 0.05 * k, 0.0)
        gl.glColor3f(0.9, 0.8, 0.1 * k)
        quad(gl, 0.5)
        gl.glPopMatrix()
        gl.glAccum(GL.ACCUM, 0.25)
    gl.glAccum(GL.MULT, 0.9)
    gl.glAccum(GL.ADD, 0.05)
    gl.glAccum(GL.RETURN, 1.0)


@topic
def curves_and_surfaces(gl: Binding) -> None:
    points = np.zeros((4, 4, 3), np.float32)
    points[..., 0], points[..., 1] = np.linspace(-0.9, 0.9, 4), np.linspace(-0.9, 0.9, 4)[:, None]
    points[1:3, 1:3, 2] = 0.8
    colors = np.array([[[1, 0, 0, 1], [0, 1, 0, 1]], [[0, 0, 1, 1], [1, 1, 0, 1]]], np.float32)
    gl.glMap2f(GL.MAP2_VERTEX_3, 0.0, 1.0, 3, 4, 0.0, 1.0, 12, 4, points)
    gl.glMap2f(GL.MAP2_COLOR_4, 0.0, 1.0, 4, 2, 0.0, 1.0, 8, 2, colors)
    gl.glEnable(GL.MAP2_VERTEX_3)
    gl.glEnable(GL.MAP2_COLOR_4)
    gl.glMapGrid2f(8, 0.0, 1.0, 8, 0.0, 1.0)
    gl.glEvalMesh2(GL.FILL, 0, 8, 0, 8)
    gl.glDisable(GL.MAP2_COLOR_4)
    gl.glColor3f(1.0, 1.0, 1.0)
    gl.glEvalMesh2(GL.LINE, 2, 5, 1, 6)
    gl.glMap1f(GL.MAP1_VERTEX_3, -1.0, 1.0, 3, 4, floats(-0.9, 0.8, 0, -0.3, -0.9, 0, 0.3, 2.0, 0, 0.9, -0.8, 0))
    gl.glEnable(GL.MAP1_VERTEX_3)
    gl.glColor3f(1.0, 0.4, 0.7)
    gl.glBegin(GL.LINE_STRIP)
    for k in range(21):
        gl.glEvalCoord1f(k / 10 - 1)
    gl.glEnd()


@topic
def normals_of_surfaces(gl: Binding) -> None:
    perspective(gl)
    gl.glEnable(GL.LIGHTING)
    gl.glEnable(GL.LIGHT0)
    gl.glEnable(GL.AUTO_NORMAL)
    gl.glEnable(GL.NORMALIZE)
    gl.glEnable(GL.MAP2_VERTEX_4)
    points = np.ones((3, 3, 4), np.float64)
    points[..., 0], points[..., 1], points[..., 2] = np.linspace(-1, 1, 3), np.linspace(-1, 1, 3)[:, None], 0
    points[1, 1, 2] = 1.5
    gl.glMap2d(GL.MAP2_VERTEX_4, 0.0, 1.0, 4, 3, 0.0, 1.0, 12, 3, points)
    gl.glMapGrid2d(10, 0.0, 1.0, 10, 0.0, 1.0)
    gl.glEvalMesh2(GL.FILL, 0, 10, 0, 10)


@topic
def selection_as_bars(gl: Binding) -> None:
    buffer = (ctypes.c_uint32 * 64)()
    gl.glSelectBuffer(64, buffer)
    gl.glRenderMode(GL.SELECT)
    gl.glInitNames()
    gl.glPushName(0)
    for k in range(5):
        gl.glLoadName(k + 1)
        gl.glPushMatrix()
        gl.glTranslatef(-1.6 + 0.8 * k, 0.0, -0.8 + 0.4 * k)
        quad(gl, 0.3)
        gl.glPopMatrix()
    gl.glPushName(9)
    gl.glRasterPos2f(0.0, 0.0)
    hits = gl.glRenderMode(GL.RENDER)
    place = 0
    for row in range(hits):
        count = buffer[place]
        low, high = buffer[place + 1] / 2**32, buffer[place + 2] / 2**32
        gl.glColor3f(low, high, 0.1 * buffer[place + 2 + count])
        _bar(gl, row, 0.1 + low + count * 0.2)
        place += 3 + count


def _bar(gl: Binding, row: int, length: float) -> None:
    """A bar of a picture of numbers."""
    gl.glRectf(-0.95, -0.95 + 0.2 * row, -0.95 + length, -0.8 + 0.2 * row)


@topic
def feedback_as_lines(gl: Binding) -> None:
    buffer = (ctypes.c_float * 256)()
    gl.glFeedbackBuffer(256, GL._3D_COLOR, buffer)
    gl.glRenderMode(GL.FEEDBACK)
    gl.glColor3f(0.9, 0.4, 0.1)
    gl.glBegin(GL.LINE_LOOP)
    for x, y in circle(7, 1.2):
        gl.glVertex2f(float(x), float(y))
    gl.glEnd()
    gl.glColor3f(0.1, 0.9, 0.4)
    gl.glBegin(GL.POINTS)
    gl.glVertex2f(0.1, 0.2)
    gl.glVertex2f(1.1, 0.2)
    gl.glEnd()
    gl.glBegin(GL.TRIANGLES)
    for x, y in ((-0.3, -0.3), (0.3, -0.3), (0.0, 0.4)):
        gl.glVertex2f(x, y)
    gl.glEnd()
    count = gl.glRenderMode(GL.RENDER)
    gl.glMatrixMode(GL.PROJECTION)
    gl.glOrtho(0.0, 64.0, 0.0, 64.0, -1.0, 1.0)
    place, sizes = 0, {GL.POINT_TOKEN: 1, GL.LINE_TOKEN: 2, GL.LINE_RESET_TOKEN: 2}
    while place < count:
        token = int(buffer[place])
        place += 1
        vertices = sizes.get(token, 0)
        if token == GL.POLYGON_TOKEN:
            vertices, place = int(buffer[place]), place + 1
        gl.glBegin({1: GL.POINTS, 2: GL.LINES}.get(vertices, GL.POLYGON))
        for _ in range(vertices):
            gl.glColor3f(*buffer[place + 3 : place + 6])
            gl.glVertex2f(buffer[place], buffer[place + 1])
            place += 7
        gl.glEnd()


@topic
def display_lists(gl: Binding) -> None:
    first = gl.glGenLists(4)
    for k in range(3):
        gl.glNewList(first + k, GL.COMPILE)
        gl.glColor3f(k / 2, 1 - k / 2, 0.6)
        quad(gl, 0.2)
        gl.glTranslatef(0.5, 0.0, 0.0)
        gl.glEndList()
    gl.glNewList(first + 3, GL.COMPILE)
    gl.glPushMatrix()
    gl.glListBase(first)
    gl.glCallLists(3, GL.UNSIGNED_BYTE, np.array([0, 1, 2], np.uint8))
    gl.glPopMatrix()
    gl.glEndList()
    for row in range(3):
        gl.glLoadIdentity()
        gl.glTranslatef(-0.6, -0.6 + 0.6 * row, 0.0)
        gl.glRotatef(10.0 * row, 0.0, 0.0, 1.0)
        gl.glCallList(first + 3)


@topic
def stacks_of_attributes(gl: Binding) -> None:
    checkers(gl)
    gl.glColor3f(0.9, 0.9, 0.3)
    gl.glPushAttrib(GL.ALL_ATTRIB_BITS)
    gl.glDisable(GL.TEXTURE_2D)
    gl.glEnable(GL.SCISSOR_TEST)
    gl.glScissor(0, 0, 32, 32)
    gl.glColor3f(0.2, 0.2, 0.9)
    gl.glPushAttrib(GL.CURRENT_BIT | GL.SCISSOR_BIT)
    gl.glScissor(32, 32, 32, 32)
    gl.glColor3f(0.9, 0.1, 0.1)
    quad(gl, 1.0)
    gl.glPopAttrib()
    quad(gl, 1.0)
    gl.glPopAttrib()
    quad(gl, 0.5)


@topic
def shaders_with_names_of_fixed_functions(gl: Binding) -> None:
    gl.glEnable(GL.LIGHT0)
    gl.glLightfv(GL.LIGHT0, GL.POSITION, floats(0.4, 0.5, 1, 0))
    gl.glLightfv(GL.LIGHT0, GL.DIFFUSE, floats(0.9, 0.7, 0.3, 1))
    perspective(gl)
    checkers(gl)
    gl.glUseProgram(
        gl.program(
            "varying vec3 n; void main() {\n"
            "n = gl_NormalMatrix * gl_Normal; gl_TexCoord[0] = gl_MultiTexCoord0; gl_Position = ftransform(); }",
            "varying vec3 n; uniform sampler2D t; void main() {\n"
            "float d = max(dot(normalize(n), normalize(gl_LightSource[0].position.xyz)), 0.0);\n"
            "gl_FragColor = texture2D(t, gl_TexCoord[0].xy) * 0.3 + d * gl_FrontLightProduct[0].diffuse; }",
        )
    )
    grid(gl, 12)


@topic
def a_vertex_shader_alone(gl: Binding) -> None:
    checkers(gl)
    gl.glEnable(GL.FOG)
    gl.glFogi(GL.FOG_MODE, GL.LINEAR)
    text = (
        "void main() { gl_Position = vec4(gl_Vertex.xy * (0.6 + 0.3 * gl_Vertex.x), 0.0, 1.0); gl_FrontColor = vec4(0.5, 1.0, 0.7, 1.0);\n"
        "gl_TexCoord[0] = gl_MultiTexCoord0 * 2.0; gl_FogFragCoord = 0.5 + 0.5 * gl_Vertex.y; }"
    )
    gl.glUseProgram(gl.stages({GL.VERTEX_SHADER: text}))
    quad(gl, 0.9)


@topic
def a_fragment_shader_alone(gl: Binding) -> None:
    gl.glEnable(GL.LIGHTING)
    gl.glEnable(GL.LIGHT0)
    perspective(gl)
    text = "void main() { gl_FragColor = gl_Color + vec4(fract(gl_TexCoord[0].xy * 4.0), 0.0, 0.0) * 0.3; }"
    gl.glUseProgram(gl.stages({GL.FRAGMENT_SHADER: text}))
    grid(gl, 8)


@topic
def pixels_that_are_read(gl: Binding) -> None:
    grid_colors = np.zeros((16, 16, 3), np.uint8)
    grid_colors[..., 0], grid_colors[..., 1] = np.arange(16) * 16, (np.arange(16) * 16)[:, None]
    gl.glWindowPos2i(0, 0)
    gl.glDrawPixels(16, 16, GL.RGB, GL.UNSIGNED_BYTE, grid_colors)
    gl.glPixelStorei(GL.PACK_ALIGNMENT, 1)
    for number, (format, type, kind, count) in enumerate(
        (
            (GL.RGB, GL.UNSIGNED_SHORT_5_6_5, np.uint16, 1),
            (GL.BGRA, GL.UNSIGNED_BYTE, np.uint8, 4),
            (GL.LUMINANCE, GL.FLOAT, np.float32, 1),
            (GL.RGBA, GL.UNSIGNED_SHORT, np.uint16, 4),
            (GL.RED, GL.UNSIGNED_BYTE, np.uint8, 1),
        )
    ):
        data = np.zeros((16, 16, count), kind)
        gl.glReadPixels(0, 0, 16, 16, format, type, data)
        gl.glWindowPos2i(18 * (number % 3), 20 + 20 * (number // 3))
        gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 1)
        gl.glDrawPixels(16, 16, format, type, data)
