"""The accumulation buffer of the default framebuffer, and its part inside the scissor. (OpenGL 2.1, 4.2.4)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgsi.opengl.drawing.validate import check_framebuffer
from tgsi.opengl.errors import bad_operation

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def accumulated(gl: Context) -> NDArray[np.float32]:
    """The accumulation buffer, [row, column, 4] of the draw framebuffer's size; initially zeros."""
    if gl.is_core() or not gl.draw_framebuffer.is_default:
        raise bad_operation("the draw framebuffer has no accumulation buffer")
    check_framebuffer(gl)
    width, height = gl.draw_framebuffer.size()
    buffer = gl.legacy.accumulated
    if buffer is None or buffer.shape != (height, width, 4):
        buffer = gl.legacy.accumulated = np.zeros((height, width, 4), np.float32)
    return buffer


def part_of(gl: Context, buffer: NDArray[np.float32]) -> tuple[slice, slice]:
    """Rows and columns inside of the scissor."""
    height, width = buffer.shape[:2]
    if not gl.raster.scissor_enabled[0]:
        return slice(0, height), slice(0, width)
    x, y, w, h = gl.raster.scissors[0]
    return slice(max(0, min(y, height)), max(0, min(y + h, height))), slice(max(0, min(x, width)), max(0, min(x + w, width)))


def clear_accumulation(gl: Context) -> None:
    """Fill the buffer inside of the scissor with the clear value."""
    buffer = accumulated(gl)
    buffer[part_of(gl, buffer)] = gl.clear_values.accum
