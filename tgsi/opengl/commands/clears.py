"""Clears, with OpenGL's scissor and masks. (OpenGL 4.6 core, 17.4.3)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.gallium import Format, texels
from tgsi.opengl.calls import command
from tgsi.opengl.drawing.accumulated import clear_accumulation
from tgsi.opengl.drawing.validate import bind_framebuffer, check_framebuffer
from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.memory import Pointer, floats, ints, uints
from tgsi.opengl.objects.framebuffer import Attachment
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

Rectangle = tuple[int, int, int, int]


@command("glClearColor")
def clear_color(gl: Context, red: float, green: float, blue: float, alpha: float) -> None:
    """The color of clears."""
    gl.clear_values.color = red, green, blue, alpha


@command("glClearDepth", "glClearDepthf")
def clear_depth(gl: Context, depth: float) -> None:
    """The depth of clears."""
    gl.clear_values.depth = min(1.0, max(0.0, depth))


@command("glClearStencil")
def clear_stencil(gl: Context, s: int) -> None:
    """The stencil of clears."""
    gl.clear_values.stencil = s


def _rectangle(gl: Context) -> Rectangle | None:
    """The rectangle to clear: None for the whole framebuffer; may be empty."""
    width, height = gl.draw_framebuffer.size()
    if not gl.raster.scissor_enabled[0]:
        return None
    x, y, w, h = gl.raster.scissors[0]
    left, low, right, high = max(0, x), max(0, y), min(width, x + w), min(height, y + h)
    if (left, low, right, high) == (0, 0, width, height):
        return None
    return left, low, max(0, right - left), max(0, high - low)


@command("glClear")
def clear(gl: Context, mask: int) -> None:
    """Clear color, depth and stencil of the draw framebuffer."""
    known = GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT | GL.STENCIL_BUFFER_BIT
    if mask & ~(known | (0 if gl.is_core() else GL.ACCUM_BUFFER_BIT)):
        raise bad_value(f"mask: {mask:#x} has unknown bits")
    check_framebuffer(gl)
    if GL.RASTERIZER_DISCARD in gl.enabled:
        return
    bind_framebuffer(gl)
    if mask & GL.ACCUM_BUFFER_BIT and gl.draw_framebuffer.is_default:
        clear_accumulation(gl)
    values, part = gl.clear_values, _rectangle(gl)
    if part is not None and not (part[2] and part[3]):
        return
    whole: list[str] = []
    if mask & GL.COLOR_BUFFER_BIT:
        for index in range(8):
            item = gl.color_of(index)
            if item is None:
                continue
            write_mask = gl.fragment.targets[index].mask
            if part is None and write_mask & _channels(item) == _channels(item) and not _is_integer(item):
                whole.append(f"COLOR{index}")
            else:
                clear_color_part(gl, item, values.color, write_mask, part)
    wants_depth = bool(mask & GL.DEPTH_BUFFER_BIT) and gl.fragment.depth_mask and GL.DEPTH_ATTACHMENT in gl.draw_framebuffer.attachments
    wants_stencil = bool(mask & GL.STENCIL_BUFFER_BIT) and GL.STENCIL_ATTACHMENT in gl.draw_framebuffer.attachments
    whole += clear_depth_stencil_part(gl, values.depth if wants_depth else None, values.stencil if wants_stencil else None, part)
    if whole:
        gl.pipe.clear(whole, color=values.color, depth=values.depth, stencil=values.stencil & 0xFF)


def _channels(item: Attachment) -> int:
    """Channels that the attachment's format has, as bits of a color mask."""
    place = item.place()
    base = place[1].base if place is not None else GL.RGBA
    return {GL.RED: 1, GL.RG: 3, GL.RGB: 7}.get(base, 15)


def _is_integer(item: Attachment) -> bool:
    place = item.place()
    return place is not None and Format[place[1].format].is_integer


def clear_depth_stencil_part(gl: Context, depth: float | None, stencil: int | None, part: Rectangle | None) -> list[str]:
    """Clear depth and stencil in a rectangle. Returns the buffers that Gallium can clear as a whole instead."""
    write_mask = gl.fragment.front.write_mask & 0xFF
    whole = []
    if depth is not None and part is None:
        whole.append("DEPTH")
        depth = None
    if stencil is not None and part is None and write_mask == 0xFF:
        whole.append("STENCIL")
        stencil = None
    if depth is None and stencil is None:
        return whole
    attachments = gl.draw_framebuffer.attachments
    surface = gl.draw_framebuffer.surface(gl, attachments.get(GL.DEPTH_ATTACHMENT) or attachments[GL.STENCIL_ATTACHMENT], is_linear=True)
    if surface is None:
        return whole
    width, height = gl.draw_framebuffer.size()
    x, y, w, h = part or (0, 0, width, height)
    if stencil is not None and write_mask != 0xFF:
        _masked_stencil(gl, stencil, write_mask, (x, y, w, h))
        stencil = None
    buffers = [name for name, value in (("DEPTH", depth), ("STENCIL", stencil)) if value is not None]
    if buffers:
        more: dict[str, Any] = {"depth": depth or 0.0, "stencil": (stencil or 0) & 0xFF}
        gl.pipe.clear_depth_stencil(surface, buffers=buffers, x=x, y=y, width=w, height=h, **more)
    return whole


def _masked_stencil(gl: Context, value: int, mask: int, part: Rectangle) -> None:
    """Clear some bits of stencil."""
    item = gl.draw_framebuffer.attachments[GL.STENCIL_ATTACHMENT]
    place = item.place()
    assert place is not None
    resource, row, level, first, last, _ = place
    box = (part[0], part[1], first, part[2], part[3], last - first + 1)
    format = Format[row.format]
    old = np.empty((box[5] * box[4] * box[3], format.block_bytes), np.uint8)
    gl.pipe.texture_read(resource, old, level=level, box=box)
    stored = texels.unpack_stencil(format, old)
    stencil = (stored & ~np.uint8(mask)) | np.uint8(value & mask)
    gl.pipe.texture_subdata(resource, texels.pack_depth_stencil(format, None, stencil, old), level=level, box=box)


def clear_color_part(gl: Context, item: Attachment, color: tuple[Any, ...], mask: int, part: Rectangle | None) -> None:
    """Clear channels of a color attachment in a rectangle."""
    surface = gl.draw_framebuffer.surface(gl, item, is_linear=GL.FRAMEBUFFER_SRGB not in gl.enabled and gl.profile != "es")
    place = item.place()
    if surface is None or place is None:
        return
    width, height = item.size()
    x, y, w, h = part or (0, 0, width, height)
    channels = _channels(item)
    if mask & channels == channels:
        gl.pipe.clear_render_target(surface, color=color, x=x, y=y, width=w, height=h)
        return
    if not mask & channels:
        return
    resource, _, level, first, last, _ = place
    box = (x, y, first, w, h, last - first + 1)
    format = surface.format
    assert isinstance(format, Format)
    old = np.empty((box[5] * box[4] * box[3], format.block_bytes), np.uint8)
    gl.pipe.texture_read(resource, old, level=level, box=box)
    colors = texels.unpack(format, old)
    for channel in range(4):
        if mask >> channel & 1:
            colors[:, channel] = color[channel]
    gl.pipe.texture_subdata(resource, texels.pack(format, colors), level=level, box=box)


def _clear_buffer(gl: Context, buffer: int, index: int, values: tuple[Any, ...]) -> None:
    check_framebuffer(gl)
    if GL.RASTERIZER_DISCARD in gl.enabled:
        return
    bind_framebuffer(gl)
    part = _rectangle(gl)
    if part is not None and not (part[2] and part[3]):
        return
    if buffer == GL.COLOR:
        if not 0 <= index < 8:
            raise bad_value(f"drawbuffer: {index} is not below 8")
        item = gl.color_of(index)
        if item is not None:
            clear_color_part(gl, item, values, gl.fragment.targets[index].mask, part)
        return
    if buffer not in (GL.DEPTH, GL.STENCIL, GL.DEPTH_STENCIL):
        raise bad_enum("buffer", buffer)
    if index:
        raise bad_value(f"drawbuffer: {index} is not 0")
    attachments = gl.draw_framebuffer.attachments
    depth = values[0] if buffer != GL.STENCIL and gl.fragment.depth_mask and GL.DEPTH_ATTACHMENT in attachments else None
    stencil = int(values[-1]) if buffer != GL.DEPTH and GL.STENCIL_ATTACHMENT in attachments else None
    whole = clear_depth_stencil_part(gl, depth, stencil, part)
    if whole:
        z = min(1.0, max(0.0, float(depth))) if depth is not None else 0.0
        gl.pipe.clear(whole, depth=z, stencil=(stencil or 0) & 0xFF)


@command("glClearBufferfv")
def clear_buffer_floats(gl: Context, buffer: int, drawbuffer: int, value: Pointer) -> None:
    """Clear one color buffer, or depth."""
    if buffer not in (GL.COLOR, GL.DEPTH):
        raise bad_enum("buffer", buffer)
    _clear_buffer(gl, buffer, drawbuffer, floats(value, 4 if buffer == GL.COLOR else 1))


@command("glClearBufferiv")
def clear_buffer_integers(gl: Context, buffer: int, drawbuffer: int, value: Pointer) -> None:
    """Clear one color buffer of integers, or stencil."""
    if buffer not in (GL.COLOR, GL.STENCIL):
        raise bad_enum("buffer", buffer)
    _clear_buffer(gl, buffer, drawbuffer, ints(value, 4 if buffer == GL.COLOR else 1))


@command("glClearBufferuiv")
def clear_buffer_unsigned(gl: Context, buffer: int, drawbuffer: int, value: Pointer) -> None:
    """Clear one color buffer of unsigned integers."""
    if buffer != GL.COLOR:
        raise bad_enum("buffer", buffer)
    _clear_buffer(gl, buffer, drawbuffer, uints(value, 4))


@command("glClearBufferfi")
def clear_buffer_both(gl: Context, buffer: int, drawbuffer: int, depth: float, stencil: int) -> None:
    """Clear depth and stencil."""
    if buffer != GL.DEPTH_STENCIL:
        raise bad_enum("buffer", buffer)
    _clear_buffer(gl, buffer, drawbuffer, (depth, stencil))


def _with(gl: Context, framebuffer: int, clear: Any, *values: Any) -> None:
    """Clear a framebuffer that may not be bound."""
    from tgsi.opengl.commands.framebuffers import named
    from tgsi.opengl.state import dirty

    before, gl.draw_framebuffer = gl.draw_framebuffer, named(gl, framebuffer)
    gl.dirty |= dirty.FRAMEBUFFER
    try:
        clear(gl, *values)
    finally:
        gl.draw_framebuffer = before
        gl.dirty |= dirty.FRAMEBUFFER


@command("glClearNamedFramebufferfv")
def clear_named_framebuffer_floats(gl: Context, framebuffer: int, buffer: int, drawbuffer: int, value: Pointer) -> None:
    """Clear one color buffer, or depth."""
    _with(gl, framebuffer, clear_buffer_floats, buffer, drawbuffer, value)


@command("glClearNamedFramebufferiv")
def clear_named_framebuffer_integers(gl: Context, framebuffer: int, buffer: int, drawbuffer: int, value: Pointer) -> None:
    """Clear one color buffer of integers, or stencil."""
    _with(gl, framebuffer, clear_buffer_integers, buffer, drawbuffer, value)


@command("glClearNamedFramebufferuiv")
def clear_named_framebuffer_unsigned(gl: Context, framebuffer: int, buffer: int, drawbuffer: int, value: Pointer) -> None:
    """Clear one color buffer of unsigned integers."""
    _with(gl, framebuffer, clear_buffer_unsigned, buffer, drawbuffer, value)


@command("glClearNamedFramebufferfi")
def clear_named_framebuffer_both(gl: Context, framebuffer: int, buffer: int, drawbuffer: int, depth: float, stencil: int) -> None:
    """Clear depth and stencil."""
    _with(gl, framebuffer, clear_buffer_both, buffer, drawbuffer, depth, stencil)
