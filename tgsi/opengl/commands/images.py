"""Texture images: specify, replace, copy, read back, generate mipmaps. (OpenGL 4.6 compatibility, 8.5 to 8.7, 8.11 and 8.14)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tgsi.gallium import Format
from tgsi.opengl.calls import command
from tgsi.opengl.commands.texture_storage import check_size
from tgsi.opengl.commands.textures import bound, named
from tgsi.opengl.drawing.pixel_access import read_pixels_of
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, read
from tgsi.opengl.objects.texture import FACES, ONE_LEVEL, Image, Texture, extent, level_size
from tgsi.opengl.pixels.changes import changed_pixels
from tgsi.opengl.pixels.client_formats import client_format
from tgsi.opengl.pixels.internal_formats import GENERIC_COMPRESSED, SIZED_BY_TYPE, find_format, is_compressed, is_integer
from tgsi.opengl.pixels.transfer import Bytes, layout_of, to_texels
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

Box = tuple[int, int, int, int, int, int]
MAX_LEVEL = 15


def gallium_box(item: Texture, image: Image, box: Box) -> Box:
    """A box of an image in the resource that holds it: layers of arrays and faces of cubes count in z."""
    x, y, z, width, height, depth = box
    if item.target == GL.TEXTURE_1D_ARRAY:
        return x, 0, y + item.first_layer, width, 1, height
    return x, y, z + image.layer + item.first_layer, width, height, depth


def put_pixels(gl: Context, item: Texture, image: Image, box: Box, pixel: tuple[int, int], pixels: Pointer, call: str) -> None:
    """Replace a box of an image by the caller's pixels; a null pointer does nothing."""
    client = client_format(*pixel)
    _check_kinds(image.row.format, client.format, image.row.base, client.is_depth or client.is_stencil)
    data = read_pixels_of(gl, pixels, client, box[3:], call)
    if data is None or not data.size:
        return
    data, client = changed_pixels(gl.legacy.transfer, data, client)
    if is_compressed(image.row.format):
        raise bad_operation("format: texels of blocks are given by glCompressedTexImage")
    format = Format[image.row.format]
    place = gallium_box(item, image, box)
    old: Bytes | None = None
    if format.has_stencil and format.has_depth and not (client.is_depth and client.is_stencil):
        old = np.empty((box[5], box[4], box[3] * format.block_bytes), np.uint8)
        gl.pipe.texture_read(image.resource, old, level=image.level, box=place)
    texels = to_texels(data, client, format, old)
    if item.target == GL.TEXTURE_1D_ARRAY:
        texels = texels.reshape(texels.shape[1], 1, texels.shape[2])
    if texels.strides[-1] != 1 or (texels.size and not texels.flags.c_contiguous):
        texels = np.ascontiguousarray(texels)
    gl.pipe.texture_subdata(image.resource, texels, level=image.level, box=place)


def _check_kinds(format: str, client: Format, base: int, is_depth: bool) -> None:
    if is_compressed(format):
        return
    if (base in (GL.DEPTH_COMPONENT, GL.DEPTH_STENCIL, GL.STENCIL_INDEX)) != is_depth:
        raise bad_operation("format: depth and stencil do not become colors, nor colors depth")
    if not is_depth and is_integer(format) != client.is_integer:
        raise bad_operation("format: integers become integers alone")


def specify(
    gl: Context, target: int, level: int, internal: int, size: tuple[int, int, int], border: int, pixel: tuple[int, int]
) -> tuple[Texture, Image | None]:
    """Define an image with undefined texels; None for proxy targets and empty images."""
    item = bound(gl, target)
    check_level(item, level)
    if border:
        raise bad_value("border: images have no border")
    row = find_format(internal)
    if row is None:
        raise bad_value(f"internalformat: {internal:#06x} is not an internal format")
    check_size(item.target, size)
    if item.is_immutable:
        raise bad_operation("texture: its storage is immutable")
    sized = SIZED_BY_TYPE.get((internal, pixel[1])) if gl.profile == "es" else None
    if sized is not None:
        row = find_format(sized)
        assert row is not None
    image = item.specify(gl, FACES.get(target, 0), level, internal, row, size)
    gl.dirty |= dirty.TEXTURES
    return item, image


def check_level(item: Texture, level: int) -> None:
    """Raise GL_INVALID_VALUE for levels beyond the target's limit."""
    if not 0 <= level < MAX_LEVEL or (level and item.target in ONE_LEVEL):
        raise bad_value(f"level: {level}")


PROXIES = {GL.PROXY_TEXTURE_1D, GL.PROXY_TEXTURE_2D, GL.PROXY_TEXTURE_3D, GL.PROXY_TEXTURE_CUBE_MAP, GL.PROXY_TEXTURE_RECTANGLE}
PROXIES |= {GL.PROXY_TEXTURE_1D_ARRAY, GL.PROXY_TEXTURE_2D_ARRAY, GL.PROXY_TEXTURE_CUBE_MAP_ARRAY}


def _image(
    gl: Context, target: int, level: int, internal: int, size: tuple[int, int, int], border: int, pixel: tuple[int, int], pixels: Pointer
) -> None:
    if target in PROXIES:
        fits = max(size) <= 16384 and find_format(internal) is not None
        gl.proxies[target, level] = (size, internal) if fits else ((0, 0, 0), 0)
        return
    client = client_format(*pixel)
    row = find_format(internal)
    if row is not None and all(size):
        _check_kinds(row.format, client.format, row.base, client.is_depth or client.is_stencil)
    item, image = specify(gl, target, level, internal, size, border, pixel)
    if image is not None:
        put_pixels(gl, item, image, (0, 0, 0, *size), pixel, pixels, "glTexImage")
        if item.generates_mipmaps and level == item.base_level:
            reduce_levels(gl, item)


@command("glTexImage1D")
def tex_image_1d(
    gl: Context, target: int, level: int, internalformat: int, width: int, border: int, format: int, type: int, pixels: Pointer
) -> None:
    """An image of one dimension."""
    if target not in (GL.TEXTURE_1D, GL.PROXY_TEXTURE_1D):
        raise bad_enum("target", target)
    _image(gl, target, level, internalformat, (width, 1, 1), border, (format, type), pixels)


@command("glTexImage2D")
def tex_image_2d(
    gl: Context, target: int, level: int, internalformat: int, width: int, height: int, border: int, format: int, type: int, pixels: Pointer
) -> None:
    """An image of two dimensions, a face of a cube, or the layers of a 1D array."""
    if target not in (GL.TEXTURE_2D, GL.TEXTURE_RECTANGLE, GL.TEXTURE_1D_ARRAY) and target not in FACES and target not in PROXIES:
        raise bad_enum("target", target)
    _image(gl, target, level, internalformat, (width, height, 1), border, (format, type), pixels)


@command("glTexImage3D")
def tex_image_3d(
    gl: Context,
    target: int,
    level: int,
    internalformat: int,
    width: int,
    height: int,
    depth: int,
    border: int,
    format: int,
    type: int,
    pixels: Pointer,
) -> None:
    """An image of three dimensions, or the layers of an array."""
    if target not in (GL.TEXTURE_3D, GL.TEXTURE_2D_ARRAY, GL.TEXTURE_CUBE_MAP_ARRAY) and target not in PROXIES:
        raise bad_enum("target", target)
    _image(gl, target, level, internalformat, (width, height, depth), border, (format, type), pixels)


def existing(item: Texture, face: int, level: int) -> Image:
    """The image of a level; GL_INVALID_OPERATION if it was never specified."""
    image = item.images.get((face, level))
    if image is None:
        check_level(item, level)
        raise bad_operation(f"level: {level} has no image")
    return image


def check_box(image: Image, box: Box) -> None:
    """Raise GL_INVALID_VALUE for boxes that exceed the image."""
    not_negative("size", *box[3:])
    for start, length, end in zip(box[:3], box[3:], image.size, strict=True):
        if start < 0 or start + length > end:
            raise bad_value(f"offset: {length} texels from {start} on are not in {end}")


def _part(gl: Context, item: Texture, face: int, level: int, box: Box, pixel: tuple[int, int], pixels: Pointer) -> None:
    client_format(*pixel)
    image = existing(item, face, level)
    check_box(image, box)
    put_pixels(gl, item, image, box, pixel, pixels, "glTexSubImage")
    if item.generates_mipmaps and level == item.base_level:
        reduce_levels(gl, item)


@command("glTexSubImage1D")
def tex_sub_image_1d(gl: Context, target: int, level: int, x: int, width: int, format: int, type: int, pixels: Pointer) -> None:
    """Replace a part of an image."""
    _part(gl, bound(gl, target), 0, level, (x, 0, 0, width, 1, 1), (format, type), pixels)


@command("glTexSubImage2D")
def tex_sub_image_2d(
    gl: Context, target: int, level: int, x: int, y: int, width: int, height: int, format: int, type: int, pixels: Pointer
) -> None:
    """Replace a part of an image."""
    _part(gl, bound(gl, target), FACES.get(target, 0), level, (x, y, 0, width, height, 1), (format, type), pixels)


@command("glTexSubImage3D")
def tex_sub_image_3d(
    gl: Context,
    target: int,
    level: int,
    x: int,
    y: int,
    z: int,
    width: int,
    height: int,
    depth: int,
    format: int,
    type: int,
    pixels: Pointer,
) -> None:
    """Replace a part of an image."""
    _part(gl, bound(gl, target), 0, level, (x, y, z, width, height, depth), (format, type), pixels)


@command("glTextureSubImage1D")
def texture_sub_image_1d(gl: Context, texture: int, level: int, x: int, width: int, format: int, type: int, pixels: Pointer) -> None:
    """Replace a part of an image."""
    _part(gl, named(gl, texture), 0, level, (x, 0, 0, width, 1, 1), (format, type), pixels)


@command("glTextureSubImage2D")
def texture_sub_image_2d(
    gl: Context, texture: int, level: int, x: int, y: int, width: int, height: int, format: int, type: int, pixels: Pointer
) -> None:
    """Replace a part of an image."""
    _part(gl, named(gl, texture), 0, level, (x, y, 0, width, height, 1), (format, type), pixels)


@command("glTextureSubImage3D")
def texture_sub_image_3d(
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
    pixels: Pointer,
) -> None:
    """Replace a part of an image; z of a cube is its face."""
    item = named(gl, texture)
    if item.target == GL.TEXTURE_CUBE_MAP:
        client = client_format(format, type)
        for face in range(depth):
            address = (pixels or 0) + face * layout_of(gl.unpack, client, width, height, depth).image
            _part(gl, item, z + face, level, (x, y, 0, width, height, 1), (format, type), address)
        return
    _part(gl, item, 0, level, (x, y, z, width, height, depth), (format, type), pixels)


# -- blocks
def put_blocks(gl: Context, item: Texture, image: Image, box: Box, size: int, data: Pointer) -> None:
    """Replace whole blocks of an image; a null pointer does nothing."""
    source = gl.buffers.get("PIXEL_UNPACK_BUFFER")
    raw = source.read(gl, data or 0, size) if source is not None else read(data, size) if data else None
    if raw is None:
        return
    try:
        gl.pipe.texture_subdata(image.resource, raw, level=image.level, box=gallium_box(item, image, box))
    except ValueError as error:
        raise bad_value(f"imageSize: {error}") from error


def _compressed(
    gl: Context, target: int, level: int, internal: int, size: tuple[int, int, int], border: int, length: int, data: Pointer
) -> None:
    row = find_format(internal)
    if row is None or not is_compressed(row.format) or internal in GENERIC_COMPRESSED:
        raise bad_enum("internalformat", internal)
    item, image = specify(gl, target, level, internal, size, border, (GL.RGBA, GL.UNSIGNED_BYTE))
    if image is not None:
        put_blocks(gl, item, image, (0, 0, 0, *size), length, data)


@command("glCompressedTexImage2D")
def compressed_tex_image_2d(
    gl: Context, target: int, level: int, internalformat: int, width: int, height: int, border: int, size: int, data: Pointer
) -> None:
    """An image of blocks."""
    _compressed(gl, target, level, internalformat, (width, height, 1), border, size, data)


@command("glCompressedTexImage3D")
def compressed_tex_image_3d(
    gl: Context, target: int, level: int, internalformat: int, width: int, height: int, depth: int, border: int, size: int, data: Pointer
) -> None:
    """An image of blocks, in layers."""
    _compressed(gl, target, level, internalformat, (width, height, depth), border, size, data)


@command("glCompressedTexSubImage2D")
def compressed_tex_sub_image_2d(
    gl: Context, target: int, level: int, x: int, y: int, width: int, height: int, format: int, size: int, data: Pointer
) -> None:
    """Replace whole blocks of an image."""
    item = bound(gl, target)
    image = existing(item, FACES.get(target, 0), level)
    if find_format(format) != image.row or not is_compressed(image.row.format):
        raise bad_operation("format: the image has blocks of another one")
    check_box(image, (x, y, 0, width, height, 1))
    put_blocks(gl, item, image, (x, y, 0, width, height, 1), size, data)


# -- levels
def reduce_levels(gl: Context, item: Texture) -> None:
    """Make every level below the base from it."""
    base = item.base_image()
    if base is None or item.target in ONE_LEVEL:
        raise bad_operation("texture: it has no base level to reduce")
    first = item.base_level
    (width, height, depth), _ = extent(item.target, base.size)
    last = min(first + max(width, height, depth).bit_length() - 1, item.max_level)
    last = min(last, item.levels - 1) if item.is_immutable else last
    if last <= first:
        return
    faces = range(6 if item.target == GL.TEXTURE_CUBE_MAP else 1)
    for level in range(first + 1, last + 1):
        size = level_size(item.target, base.size, level - first)
        for face in faces:
            image = item.images.get((face, level))
            if image is None or image.size != size or image.row != base.row:
                item.specify(gl, face, level, base.internal, base.row, size)
    item.complete(gl, item.sampler)
    item._gather(gl, base, last)
    assert item.resource is not None
    if base.row.base in (GL.STENCIL_INDEX, GL.DEPTH_STENCIL) or is_integer(base.row.format):
        raise bad_operation("texture: integers and stencil are not filtered")
    gl.pipe.generate_mipmap(item.resource, base_level=first, last_level=last)


@command("glGenerateMipmap")
def generate_mipmap(gl: Context, target: int) -> None:
    """Make every level below the base from it."""
    reduce_levels(gl, bound(gl, target))
    gl.dirty |= dirty.TEXTURES


@command("glGenerateTextureMipmap")
def generate_texture_mipmap(gl: Context, texture: int) -> None:
    """Make every level below the base from it."""
    reduce_levels(gl, named(gl, texture))
    gl.dirty |= dirty.TEXTURES
