"""Copies between images, invalidation, and images of blocks in one or three dimensions. (OpenGL 4.3 core, 8.7, 8.20 and 18.3.3)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tgsi.gallium import Format
from tgsi.opengl.calls import command
from tgsi.opengl.commands.images import check_box, check_level, existing, gallium_box, put_blocks
from tgsi.opengl.commands.texture_storage import put_samples
from tgsi.opengl.commands.textures import bound, named
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer
from tgsi.opengl.objects.texture import TARGETS, Image
from tgsi.opengl.pixels.internal_formats import find_format, is_compressed
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.gallium import Resource
    from tgsi.opengl.context import Context

Box = tuple[int, int, int, int, int, int]


def _place(gl: Context, name: int, target: int, level: int, box: Box) -> tuple[Resource, str, int, Box, int]:
    """For a part of a renderbuffer or texture: resource, format, level, box and samples."""
    if target == GL.RENDERBUFFER:
        item = gl.share.renderbuffers.get(name)
        if item is None or item.resource is None or item.row is None:
            raise bad_value(f"name: {name} is not a renderbuffer with storage")
        if level:
            raise bad_value(f"level: {level}")
        _inside(box, (item.width, item.height, 1))
        return item.resource, item.row.format, 0, box, item.samples
    if target not in TARGETS or target == GL.TEXTURE_BUFFER:
        raise bad_enum("target", target)
    texture = gl.share.textures.get(name)
    if texture is None:
        raise bad_value(f"name: {name} is not a texture")
    if texture.target != target:
        raise bad_enum("target", target)
    x, y, z, width, height, depth = box
    is_cube = target == GL.TEXTURE_CUBE_MAP
    image = texture.images.get((0, level))
    if image is None:
        raise bad_value(f"level: {level} has no image")
    texture.complete(gl, texture.sampler)
    image = texture.images[0, level]
    _inside(box, (image.size[0], image.size[1], 6 if is_cube else image.size[2]))
    if is_cube:
        return image.resource, image.row.format, image.level, (x, y, z + texture.first_layer, width, height, depth), image.samples
    return image.resource, image.row.format, image.level, gallium_box(texture, image, box), image.samples


def _inside(box: Box, size: tuple[int, int, int]) -> None:
    for start, length, end in zip(box[:3], box[3:], size, strict=True):
        if start < 0 or start + length > end:
            raise bad_value(f"{length} texels from {start} on are not in {end}")


@command("glCopyImageSubData")
def copy_image_sub_data(
    gl: Context, src_name: int, src_target: int, src_level: int, src_x: int, src_y: int, src_z: int, dst_name: int, dst_target: int,
    dst_level: int, dst_x: int, dst_y: int, dst_z: int, width: int, height: int, depth: int,
) -> None:  # fmt: skip
    """Copy the bits of texels; the formats need only have the same size."""
    not_negative("size", width, height, depth)
    source, from_format, from_level, box, samples = _place(gl, src_name, src_target, src_level, (src_x, src_y, src_z, width, height, depth))
    formats = Format[from_format]
    to_blocks = (-(-width // formats.block_width), -(-height // formats.block_height))
    name = _format_of(gl, dst_name, dst_target, dst_level)
    into = Format[name] if name is not None else formats
    size = (to_blocks[0] * into.block_width, to_blocks[1] * into.block_height)
    if not is_compressed(into.name) and not is_compressed(from_format):
        size = width, height
    target, to_format, to_level, place, to_samples = _place(gl, dst_name, dst_target, dst_level, (dst_x, dst_y, dst_z, *size, depth))
    if formats.block_bytes != Format[to_format].block_bytes:
        raise bad_operation("dstName: its texels have another size")
    if max(samples, 1) != max(to_samples, 1):
        raise bad_operation("dstName: it has another number of samples")
    if not width or not height or not depth:
        return
    if from_format == to_format:
        gl.pipe.resource_copy_region(
            target, source, dst_level=to_level, dstx=place[0], dsty=place[1], dstz=place[2], src_level=from_level, src_box=box
        )  # fmt: skip
        return
    if samples > 1:
        raise bad_operation("dstName: several samples are copied between equal formats alone")
    data = np.empty((box[5], to_blocks[1], to_blocks[0] * formats.block_bytes), np.uint8)
    gl.pipe.texture_read(source, data, level=from_level, box=box)
    gl.pipe.texture_subdata(target, data, level=to_level, box=place)


def _format_of(gl: Context, name: int, target: int, level: int) -> str | None:
    if target == GL.RENDERBUFFER:
        item = gl.share.renderbuffers.get(name)
        return item.row.format if item is not None and item.row is not None else None
    texture = gl.share.textures.get(name)
    image = texture.images.get((0, level)) if texture is not None else None
    return image.row.format if image is not None else None


# -- invalidation
def _invalidated(gl: Context, texture: int, level: int) -> Image | None:
    item = named(gl, texture)
    check_level(item, level)
    return item.images.get((0, level))


@command("glInvalidateTexImage")
def invalidate_tex_image(gl: Context, texture: int, level: int) -> None:
    """Invalidate texels; they keep their values here."""
    _invalidated(gl, texture, level)


@command("glInvalidateTexSubImage")
def invalidate_tex_sub_image(gl: Context, texture: int, level: int, x: int, y: int, z: int, width: int, height: int, depth: int) -> None:
    """Invalidate the texels of a box; they keep their values here."""
    image = _invalidated(gl, texture, level)
    if image is None:
        raise bad_value(f"level: {level} has no image")
    check_box(image, (x, y, z, width, height, depth))


# -- blocks and samples
@command("glCompressedTexImage1D")
def compressed_tex_image_1d(
    gl: Context, target: int, level: int, internalformat: int, width: int, border: int, size: int, data: Pointer
) -> None:  # fmt: skip
    """Refuse: no format of blocks has one dimension."""
    raise bad_enum("internalformat", internalformat)


@command("glCompressedTexSubImage1D")
def compressed_tex_sub_image_1d(gl: Context, target: int, level: int, x: int, width: int, format: int, size: int, data: Pointer) -> None:
    """Refuse: no format of blocks has one dimension."""
    raise bad_enum("format", format)


@command("glCompressedTexSubImage3D")
def compressed_tex_sub_image_3d(
    gl: Context, target: int, level: int, x: int, y: int, z: int, width: int, height: int, depth: int, format: int, size: int, data: Pointer
) -> None:  # fmt: skip
    """Replace whole blocks of an image in layers."""
    item = bound(gl, target)
    image = existing(item, 0, level)
    row = find_format(format)
    if row is None or not is_compressed(row.format):
        raise bad_enum("format", format)
    if row.format != image.row.format:
        raise bad_operation("format: it is not that of the image")
    check_box(image, (x, y, z, width, height, depth))
    put_blocks(gl, item, image, (x, y, z, width, height, depth), size, data)


@command("glTexStorage3DMultisample")
def tex_storage_3d_multisample(
    gl: Context, target: int, samples: int, internalformat: int, width: int, height: int, depth: int, fixedsamplelocations: int
) -> None:
    """Immutable storage of several samples and layers."""
    put_samples(gl, bound(gl, target), samples, internalformat, (width, height, depth), immutable=True)
