"""Topics of the specification of OpenGL 2.1, each a program that draws a picture of 64 x 64; and shapes for them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

SIZE = 64

Program = Callable[[Binding], None]
TOPICS: dict[str, Program] = {}
"""Programs by name."""


def topic(program: Program) -> Program:
    """Register a program."""
    TOPICS[program.__name__] = program
    return program


def picture(gl: Binding, name: str) -> NDArray[np.uint8]:
    """[row upward, column, 4] of a topic, drawn in a fresh context. AssertionError for an error of OpenGL."""
    gl.glViewport(0, 0, SIZE, SIZE)
    gl.glClearColor(0.1, 0.15, 0.2, 1.0)
    gl.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT | GL.STENCIL_BUFFER_BIT)
    TOPICS[name](gl)
    gl.glPushAttrib(GL.PIXEL_MODE_BIT)
    gl.glPixelStorei(GL.PACK_ALIGNMENT, 4)
    for channel in (GL.RED_SCALE, GL.GREEN_SCALE, GL.BLUE_SCALE, GL.ALPHA_SCALE):
        gl.glPixelTransferf(channel, 1.0)
    for channel in (GL.RED_BIAS, GL.GREEN_BIAS, GL.BLUE_BIAS, GL.ALPHA_BIAS):
        gl.glPixelTransferf(channel, 0.0)
    gl.glPixelTransferi(GL.MAP_COLOR, 0)
    made = gl.pixels(SIZE, SIZE)
    assert gl.glGetError() == GL.NO_ERROR, name
    return made


def floats(*values: float) -> NDArray[np.float32]:
    """Numbers as the caller's memory."""
    return np.array(values, np.float32)


def frame(gl: Binding, column: int, row: int, count: int) -> None:
    """Draw in one of count x count parts of the picture."""
    size = SIZE // count
    gl.glViewport(column * size, row * size, size, size)


def perspective(gl: Binding) -> None:
    """A projection of a volume behind the origin, with the origin of the model 3 in front of the eye."""
    gl.glMatrixMode(GL.PROJECTION)
    gl.glLoadIdentity()
    gl.glFrustum(-0.5, 0.5, -0.5, 0.5, 1.0, 10.0)
    gl.glMatrixMode(GL.MODELVIEW)
    gl.glLoadIdentity()
    gl.glTranslatef(0.0, 0.0, -3.0)


def quad(gl: Binding, half: float, z: float = 0.0) -> None:
    """A square with texture coordinates of 0 and 1."""
    gl.glBegin(GL.QUADS)
    for x, y in ((-half, -half), (half, -half), (half, half), (-half, half)):
        gl.glTexCoord2f(float(x > 0), float(y > 0))
        gl.glVertex3f(x, y, z)
    gl.glEnd()


def circle(count: int, radius: float) -> NDArray[np.float32]:
    """[count, 2] places on a circle."""
    return np.array(
        [(radius * math.cos(2 * math.pi * k / count), radius * math.sin(2 * math.pi * k / count)) for k in range(count)], np.float32
    )


def grid(gl: Binding, count: int) -> None:
    """A bulging surface of count x count quadrilaterals with normals and texture coordinates."""
    for row in range(count):
        gl.glBegin(GL.QUAD_STRIP)
        for column in range(count + 1):
            for v in (row + 1, row):
                x, y = 2 * column / count - 1, 2 * v / count - 1
                gl.glNormal3f(x * 0.6, y * 0.6, math.sqrt(max(0.0, 1 - 0.36 * (x * x + y * y))))
                gl.glTexCoord2f(column / count, v / count)
                gl.glVertex3f(x, y, 0.4 * (1 - x * x) * (1 - y * y))
        gl.glEnd()
