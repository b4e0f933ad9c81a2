"""A triangle that covers a picture of 4 x 4 pixels, for tests whose fragment shader gives every pixel the same color."""

from __future__ import annotations

import numpy as np

from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

VERTEX = "#version 430\nin vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }"


def covered() -> Binding:
    """A core context in which the positions of the triangle are attribute 0."""
    gl = Binding("core", size=(4, 4))
    gl.glBindVertexArray(gl.make("VertexArrays"))
    gl.buffer(GL.ARRAY_BUFFER, np.array([-1, -1, 3, -1, -1, 3], np.float32))
    gl.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, None)
    gl.glEnableVertexAttribArray(0)
    return gl


def drawn(gl: Binding) -> tuple[int, ...]:
    """Draw the triangle. Returns the color of all pixels, red first, 0 to 255."""
    gl.glDrawArrays(GL.TRIANGLES, 0, 3)
    pixels = gl.pixels(4, 4)
    assert (pixels == pixels[0, 0]).all()
    return tuple(int(value) for value in pixels[0, 0])
