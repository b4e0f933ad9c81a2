"""Pixels read back and copied: framebuffers, textures, blits. (OpenGL 4.6 compatibility, 8.6, 8.11 and chapter 18)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.gallium import Format
from tgsi.opengl.calls import command
from tgsi.opengl.commands.images import check_box, existing, gallium_box, reduce_levels, specify
from tgsi.opengl.commands.pixel_store import store_count
from tgsi.opengl.commands.textures import bound, named
from tgsi.opengl.drawing.pixel_access import write_pixels_to, write_raw
from tgsi.opengl.errors import GLError, bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer
from tgsi.opengl.objects.framebuffer import Attachment, Framebuffer
from tgsi.opengl.objects.texture import FACES, Image, Texture
from tgsi.opengl.pixels.changes import changed_texels, summed
from tgsi.opengl.pixels.client_formats import client_format
from tgsi.opengl.pixels.internal_formats import find_format, is_compressed, is_integer, view_swizzle
from tgsi.opengl.pixels.transfer import Bytes, from_texels
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def check_read(gl: Context, framebuffer: Framebuffer) -> None:
    """GL_INVALID_FRAMEBUFFER_OPERATION unless the framebuffer is complete."""
    if framebuffer.status(gl) != GL.FRAMEBUFFER_COMPLETE:
        raise GLError(GL.INVALID_FRAMEBUFFER_OPERATION, "the read framebuffer is not complete")


def source_of(gl: Context, format: int) -> Attachment:
    """The attachment that pixels of a format are read from."""
    framebuffer = gl.read_framebuffer
    check_read(gl, framebuffer)
    if format in (GL.DEPTH_COMPONENT, GL.DEPTH_STENCIL):
        attachment = framebuffer.attachments.get(GL.DEPTH_ATTACHMENT)
    elif format == GL.STENCIL_INDEX:
        attachment = framebuffer.attachments.get(GL.STENCIL_ATTACHMENT)
    else:
        attachment = framebuffer.color(framebuffer.read_buffer)
    if attachment is None:
        raise bad_operation("the read framebuffer has no such buffer")
    return attachment


def pixels_at(gl: Context, item: Attachment, box: tuple[int, int, int, int], old: Bytes | None = None) -> tuple[Bytes, Format]:
    """Texels of a box of an attachment, rows upward; texels outside of the attachment are 0."""
    place = item.place()
    assert place is not None
    resource, row, level, first, _, _ = place
    format = Format[row.format]
    x, y, width, height = box
    right, top = item.size()
    left, low, end, high = max(0, x), max(0, y), min(right, x + width), min(top, y + height)
    data = np.zeros((1, height, width * format.block_bytes), np.uint8)
    if end > left and high > low:
        part = np.empty((high - low, (end - left) * format.block_bytes), np.uint8)
        gl.pipe.texture_read(resource, part, level=level, box=(left, low, first, end - left, high - low, 1))
        size = format.block_bytes
        data[0, low - y : high - y, (left - x) * size : (end - x) * size] = part
    return data, format


def _check_room(gl: Context, extent: tuple[int, int, int], pixel: tuple[int, int], size: int) -> None:
    """GL_INVALID_OPERATION if the pixels of a box do not fit into the caller's memory."""
    if gl.buffers.get("PIXEL_PACK_BUFFER") is None and store_count(gl.pack, client_format(*pixel), *extent) > size:
        raise bad_operation(f"bufSize: the pixels do not fit into {size} bytes")


@command("glReadPixels")
def read_pixels(gl: Context, x: int, y: int, width: int, height: int, format: int, type: int, pixels: Pointer) -> None:
    """Pixels of the read framebuffer."""
    not_negative("width", width, height)
    client = client_format(format, type)
    item = source_of(gl, format)
    place = item.place()
    assert place is not None
    row = place[1]
    if place[5] > 1:
        raise bad_operation("the read framebuffer has several samples")
    if format not in (GL.DEPTH_COMPONENT, GL.DEPTH_STENCIL, GL.STENCIL_INDEX) and is_integer(row.format) != client.format.is_integer:
        raise bad_operation("format: integers are read as integers alone")
    data, stored = pixels_at(gl, item, (x, y, width, height))
    stored = Format[stored.name.replace("_SRGB", "_UNORM")]
    swizzle = "xyz1" if row.base == GL.RGB else ""
    is_float = "FLOAT" in client.format.name or client.is_depth
    if not (client.is_depth or client.is_stencil):
        data, stored, swizzle = changed_texels(gl.legacy.transfer, data, stored, swizzle)
    if format in (GL.LUMINANCE, GL.LUMINANCE_ALPHA):
        data, stored, swizzle = summed(data, stored, swizzle)
    clamps = not is_float and "FLOAT" in stored.name and gl.fragment.clamp_read != GL.FALSE
    write_pixels_to(gl, pixels, client, from_texels(data, stored, client, swizzle, clamps=clamps), "glReadPixels")


@command("glReadnPixels")
def read_n_pixels(gl: Context, x: int, y: int, width: int, height: int, format: int, type: int, size: int, data: Pointer) -> None:
    """Pixels of the read framebuffer, if they fit."""
    not_negative("width", width, height)
    _check_room(gl, (width, height, 1), (format, type), size)
    read_pixels(gl, x, y, width, height, format, type, data)


# -- textures
def texels_at(
    gl: Context, item: Texture, image: Image, box: tuple[int, int, int, int, int, int], pixel: tuple[int, int], into: Pointer
) -> None:
    """Texels of an image as pixels of the caller."""
    client = client_format(*pixel)
    resource, level, place, stored = image.resource, image.level, gallium_box(item, image, box), image.row.format
    if is_compressed(stored):
        stored = "R8G8B8A8_SRGB" if "SRGB" in stored else "R32G32B32A32_FLOAT"
        width, height, layers = place[3:]
        resource = gl.screen.resource_create(target="TEXTURE_2D_ARRAY", format=stored, width0=width, height0=height, array_size=layers)
        gl.pipe.blit(resource, src=image.resource, src_level=level, src_box=place)
        level, place = 0, (0, 0, 0, *place[3:])
    format = Format[stored.replace("_SRGB", "_UNORM")]
    data = np.empty((box[5], box[4], box[3] * format.block_bytes), np.uint8)
    gl.pipe.texture_read(resource, data, level=level, box=place)
    is_depth = image.row.base in (GL.DEPTH_COMPONENT, GL.DEPTH_STENCIL, GL.STENCIL_INDEX)
    swizzle = "" if is_depth else view_swizzle(image.row, GL.RED)
    if image.row.base in (GL.LUMINANCE, GL.LUMINANCE_ALPHA, GL.INTENSITY):
        swizzle = {GL.LUMINANCE: "x001", GL.LUMINANCE_ALPHA: "x00w", GL.INTENSITY: "x001"}[image.row.base]
    write_pixels_to(gl, into, client, from_texels(data, format, client, swizzle), "glGetTexImage")


@command("glGetTexImage")
def get_tex_image(gl: Context, target: int, level: int, format: int, type: int, pixels: Pointer) -> None:
    """All texels of an image."""
    item = bound(gl, target)
    image = item.images.get((FACES.get(target, 0), level))
    if image is not None:
        texels_at(gl, item, image, (0, 0, 0, *image.size), (format, type), pixels)


@command("glGetnTexImage")
def get_n_tex_image(gl: Context, target: int, level: int, format: int, type: int, size: int, pixels: Pointer) -> None:
    """All texels of an image, if they fit."""
    item = bound(gl, target)
    image = existing(item, FACES.get(target, 0), level)
    _check_room(gl, image.size, (format, type), size)
    get_tex_image(gl, target, level, format, type, pixels)


@command("glGetTextureImage")
def get_texture_image(gl: Context, texture: int, level: int, format: int, type: int, size: int, pixels: Pointer) -> None:
    """All texels of an image, if they fit."""
    item = named(gl, texture)
    image = existing(item, 0, level)
    _check_room(gl, image.size, (format, type), size)
    texels_at(gl, item, image, (0, 0, 0, *image.size), (format, type), pixels)


@command("glGetTextureSubImage")
def get_texture_sub_image(
    gl: Context,
    texture: int,
    level: int,
    x: int,
    y: int,
    z: int,
    width: int,
    height: int,
    depth: int,
    format: int,
    type: int,
    size: int,
    pixels: Pointer,
) -> None:
    """Texels of a box of an image."""
    item = named(gl, texture)
    face = z if item.target == GL.TEXTURE_CUBE_MAP else 0
    box = (x, y, 0 if item.target == GL.TEXTURE_CUBE_MAP else z, width, height, depth)
    image = existing(item, face, level)
    check_box(image, box)
    _check_room(gl, box[3:], (format, type), size)
    texels_at(gl, item, image, box, (format, type), pixels)


@command("glGetCompressedTexImage")
def get_compressed_tex_image(gl: Context, target: int, level: int, pixels: Pointer) -> None:
    """The blocks of an image."""
    item = bound(gl, target)
    image = existing(item, FACES.get(target, 0), level)
    if not is_compressed(image.row.format):
        raise bad_operation("level: it has no blocks")
    box = gallium_box(item, image, (0, 0, 0, *image.size))
    with gl.pipe.transfer_map(image.resource, level=image.level, usage="READ", box=box) as mapped:
        write_raw(gl, pixels, np.ascontiguousarray(mapped.data).tobytes(), "glGetCompressedTexImage")


# -- copies
def _copy(gl: Context, item: Texture, image: Image, place: tuple[int, int, int], box: tuple[int, int, int, int]) -> None:
    """Copy pixels of the read framebuffer into an image."""
    is_depth = image.row.base in (GL.DEPTH_COMPONENT, GL.DEPTH_STENCIL)
    source = source_of(gl, GL.DEPTH_COMPONENT if is_depth else GL.RGBA)
    origin = source.place()
    assert origin is not None
    resource, row, level, first, _, samples = origin
    if samples > 1:
        raise bad_operation("the read framebuffer has several samples")
    x, y, width, height = box
    right, top = source.size()
    left, low, end, high = max(0, x), max(0, y), min(right, x + width), min(top, y + height)
    if end <= left or high <= low:
        return
    target = gallium_box(item, image, (place[0] + left - x, place[1] + low - y, place[2], end - left, high - low, 1))
    box_from = (left, low, first, end - left, high - low, 1)
    if row.format == image.row.format:
        gl.pipe.resource_copy_region(
            image.resource,
            resource,
            dst_level=image.level,
            dstx=target[0],
            dsty=target[1],
            dstz=target[2],
            src_level=level,
            src_box=box_from,
        )
        return
    formats: dict[str, Any] = {
        "src_format": row.format.replace("_SRGB", "_UNORM"),
        "dst_format": image.row.format.replace("_SRGB", "_UNORM"),
    }
    gl.pipe.blit(image.resource, src=resource, dst_level=image.level, dst_box=target, src_level=level, src_box=box_from, **formats)


@command("glCopyTexImage2D")
def copy_tex_image_2d(
    gl: Context, target: int, level: int, internalformat: int, x: int, y: int, width: int, height: int, border: int
) -> None:
    """An image of pixels of the read framebuffer."""
    if find_format(internalformat) is None:
        raise bad_enum("internalformat", internalformat)
    item, image = specify(gl, target, level, internalformat, (width, height, 1), border, (GL.RGBA, GL.UNSIGNED_BYTE))
    if image is not None:
        _copy(gl, item, image, (0, 0, 0), (x, y, width, height))
        if item.generates_mipmaps and level == item.base_level:
            reduce_levels(gl, item)


@command("glCopyTexImage1D")
def copy_tex_image_1d(gl: Context, target: int, level: int, internalformat: int, x: int, y: int, width: int, border: int) -> None:
    """An image of one row of pixels of the read framebuffer."""
    copy_tex_image_2d(gl, target, level, internalformat, x, y, width, 1, border)


def _copy_part(gl: Context, item: Texture, face: int, level: int, place: tuple[int, int, int], box: tuple[int, int, int, int]) -> None:
    image = existing(item, face, level)
    check_box(image, (*place, box[2], box[3], 1))
    _copy(gl, item, image, place, box)


@command("glCopyTexSubImage1D")
def copy_tex_sub_image_1d(gl: Context, target: int, level: int, xoffset: int, x: int, y: int, width: int) -> None:
    """Replace a part of an image by pixels of the read framebuffer."""
    _copy_part(gl, bound(gl, target), 0, level, (xoffset, 0, 0), (x, y, width, 1))


@command("glCopyTexSubImage2D")
def copy_tex_sub_image_2d(
    gl: Context, target: int, level: int, xoffset: int, yoffset: int, x: int, y: int, width: int, height: int
) -> None:
    """Replace a part of an image by pixels of the read framebuffer."""
    _copy_part(gl, bound(gl, target), FACES.get(target, 0), level, (xoffset, yoffset, 0), (x, y, width, height))


@command("glCopyTexSubImage3D")
def copy_tex_sub_image_3d(
    gl: Context, target: int, level: int, xoffset: int, yoffset: int, zoffset: int, x: int, y: int, width: int, height: int
) -> None:
    """Replace a part of a layer by pixels of the read framebuffer."""
    _copy_part(gl, bound(gl, target), 0, level, (xoffset, yoffset, zoffset), (x, y, width, height))


# -- blits
def blit_between(
    gl: Context,
    source: Framebuffer,
    target: Framebuffer,
    boxes: tuple[tuple[int, int, int, int], tuple[int, int, int, int]],
    mask: int,
    filter: int,
) -> None:
    """Copy a rectangle from a framebuffer to another, with scaling and mirroring."""
    check_read(gl, source)
    if target.status(gl) != GL.FRAMEBUFFER_COMPLETE:
        raise GLError(GL.INVALID_FRAMEBUFFER_OPERATION, "the draw framebuffer is not complete")
    if mask & ~(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT | GL.STENCIL_BUFFER_BIT):
        raise bad_value(f"mask: {mask:#x} has unknown bits")
    if filter not in (GL.NEAREST, GL.LINEAR):
        raise bad_enum("filter", filter)
    if filter == GL.LINEAR and mask & (GL.DEPTH_BUFFER_BIT | GL.STENCIL_BUFFER_BIT):
        raise bad_operation("filter: depth and stencil are not filtered")
    if mask & GL.COLOR_BUFFER_BIT:
        origin = source.color(source.read_buffer)
        for buffer in target.draw_buffers:
            into = target.color(buffer)
            if origin is not None and into is not None:
                _blit(gl, origin, into, boxes, None, filter)
    for bit, point, letter in ((GL.DEPTH_BUFFER_BIT, GL.DEPTH_ATTACHMENT, "Z"), (GL.STENCIL_BUFFER_BIT, GL.STENCIL_ATTACHMENT, "S")):
        origin, into = source.attachments.get(point), target.attachments.get(point)
        if mask & bit and origin is not None and into is not None:
            _blit(gl, origin, into, boxes, letter, filter)


def _blit(gl: Context, origin: Attachment, into: Attachment, boxes: Any, letter: str | None, filter: int) -> None:
    start, end = origin.place(), into.place()
    assert start is not None
    assert end is not None
    (sx0, sy0, sx1, sy1), (dx0, dy0, dx1, dy1) = boxes
    if dx1 < dx0:
        sx0, sx1, dx0, dx1 = sx1, sx0, dx1, dx0
    if dy1 < dy0:
        sy0, sy1, dy0, dy1 = sy1, sy0, dy1, dy0
    if not (dx1 - dx0 and dy1 - dy0 and sx1 - sx0 and sy1 - sy0):
        return
    is_srgb = GL.FRAMEBUFFER_SRGB in gl.enabled or gl.profile == "es"
    names = [place[1].format if is_srgb else place[1].format.replace("_SRGB", "_UNORM") for place in (start, end)]
    more: dict[str, Any] = {"mask": letter} if letter is not None else {}
    if gl.raster.scissor_enabled[0]:
        x, y, w, h = gl.raster.scissors[0]
        width, height = into.size()
        corners = {"minx": max(0, min(x, width)), "miny": max(0, min(y, height))}
        more["scissor"] = corners | {"maxx": max(0, min(x + w, width)), "maxy": max(0, min(y + h, height))}
    (dx0, dx1, sx0, sx1), (dy0, dy1, sy0, sy1) = (
        _clipped(dx0, dx1, sx0, sx1, origin.size()[0]),
        _clipped(dy0, dy1, sy0, sy1, origin.size()[1]),
    )
    if dx1 <= dx0 or dy1 <= dy0:
        return
    gl.pipe.blit(
        end[0],
        src=start[0],
        dst_level=end[2],
        dst_box=(dx0, dy0, end[3], dx1 - dx0, dy1 - dy0, 1),
        dst_format=names[1],
        src_level=start[2],
        src_box=(sx0, sy0, start[3], sx1 - sx0, sy1 - sy0, 1),
        src_format=names[0],
        filter="LINEAR" if filter == GL.LINEAR else "NEAREST",
        **more,
    )


def _clipped(d0: int, d1: int, s0: int, s1: int, size: int) -> tuple[int, int, int, int]:
    """Clip one axis of an unscaled blit to the source, because pixels from outside are not written."""
    step = 1 if s1 > s0 else -1
    if abs(s1 - s0) != d1 - d0:
        return d0, d1, s0, s1
    low = max(0, -s0) if step > 0 else max(0, s0 - size)
    high = max(0, s1 - size) if step > 0 else max(0, -s1)
    return d0 + low, d1 - high, s0 + step * low, s1 - step * high


@command("glBlitFramebuffer")
def blit_framebuffer(
    gl: Context,
    source_x0: int,
    source_y0: int,
    source_x1: int,
    source_y1: int,
    x0: int,
    y0: int,
    x1: int,
    y1: int,
    mask: int,
    filter: int,
) -> None:
    """Copy a rectangle from the read framebuffer to the draw framebuffer."""
    boxes = (source_x0, source_y0, source_x1, source_y1), (x0, y0, x1, y1)
    blit_between(gl, gl.read_framebuffer, gl.draw_framebuffer, boxes, mask, filter)


@command("glBlitNamedFramebuffer")
def blit_named_framebuffer(
    gl: Context,
    read: int,
    draw: int,
    source_x0: int,
    source_y0: int,
    source_x1: int,
    source_y1: int,
    x0: int,
    y0: int,
    x1: int,
    y1: int,
    mask: int,
    filter: int,
) -> None:
    """Copy a rectangle from a framebuffer to another."""
    from tgsi.opengl.commands.framebuffers import named as framebuffer_named

    boxes = (source_x0, source_y0, source_x1, source_y1), (x0, y0, x1, y1)
    blit_between(gl, framebuffer_named(gl, read), framebuffer_named(gl, draw), boxes, mask, filter)
