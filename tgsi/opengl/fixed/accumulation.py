"""The accumulation buffer of the default framebuffer. (OpenGL 2.1, 4.2.4)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgsi.gallium import Format, texels
from tgsi.opengl.calls import command
from tgsi.opengl.commands.reads import pixels_at, source_of
from tgsi.opengl.drawing.accumulated import accumulated, part_of
from tgsi.opengl.errors import bad_enum, bad_operation
from tgsi.opengl.gets.values import VALUES
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

BITS = 16
"""Bits of a component for glGet; components are floats."""


@command("glClearAccum")
def clear_accum(gl: Context, red: float, green: float, blue: float, alpha: float) -> None:
    """The clear value, in -1 .. 1."""
    r, g, b, a = (min(1.0, max(-1.0, value)) for value in (red, green, blue, alpha))
    gl.clear_values.accum = r, g, b, a


@command("glAccum")
def accum(gl: Context, op: int, value: float) -> None:
    """Load or add colors of the read buffer, scale or offset the sums, or write them to the draw buffers."""
    if op not in (GL.ACCUM, GL.LOAD, GL.RETURN, GL.ADD, GL.MULT):
        raise bad_enum("op", op)
    buffer = accumulated(gl)
    rows, columns = part_of(gl, buffer)
    part = buffer[rows, columns]
    if not part.size:
        return
    if op == GL.RETURN:
        _give_back(gl, part * np.float32(value), (columns.start, rows.start, part.shape[1], part.shape[0]))
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if op == GL.ADD:
            part += np.float32(value)
        elif op == GL.MULT:
            part *= np.float32(value)
        else:
            data, format = pixels_at(gl, source_of(gl, GL.RGBA), (columns.start, rows.start, part.shape[1], part.shape[0]))
            colors = texels.unpack(format, data.reshape(-1, format.block_bytes)).reshape(part.shape).astype(np.float32)
            part[...] = (part if op == GL.ACCUM else 0) + colors * np.float32(value)


def _give_back(gl: Context, colors: NDArray[np.float32], box: tuple[int, int, int, int]) -> None:
    for index in range(8):
        item = gl.color_of(index)
        place = item.place() if item is not None else None
        mask = gl.fragment.targets[index].mask
        if item is None or place is None or not mask:
            continue
        resource, row, level, first, _, samples = place
        if samples > 1:
            raise bad_operation("op: GL_RETURN to buffers of several samples")
        format = Format[row.format]
        result = np.clip(np.nan_to_num(colors), 0.0, 1.0).reshape(-1, 4)
        if mask != 15:
            data, _ = pixels_at(gl, item, box)
            old = texels.unpack(format, data.reshape(-1, format.block_bytes))
            result = np.where([bool(mask >> k & 1) for k in range(4)], result, old)
        packed = texels.pack(format, result).reshape(box[3], box[2] * format.block_bytes)
        gl.pipe.texture_subdata(resource, packed, level=level, box=(box[0], box[1], first, box[2], box[3], 1))


for _name in (GL.ACCUM_RED_BITS, GL.ACCUM_GREEN_BITS, GL.ACCUM_BLUE_BITS, GL.ACCUM_ALPHA_BITS):
    VALUES[_name] = "i", lambda gl: BITS if gl.draw_framebuffer.is_default and not gl.is_core() else 0
VALUES[GL.ACCUM_CLEAR_VALUE] = "n", lambda gl: gl.clear_values.accum
