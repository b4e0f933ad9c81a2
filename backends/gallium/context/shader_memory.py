"""Checks of the arguments for buffers and images that shaders write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, fields
from typing import TYPE_CHECKING, Any

from backends.abi.keys import ImageKey
from backends.abi.records import TextureRecord
from backends.device.memory import BoundImage, Memory
from backends.formats import CompressedFormat, Format
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.format_support import supported_binds
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import Surface
from backends.pipe.checks import flags, integer, pixel_format, truth
from backends.pipe.enums import Bind, ImageAccess
from backends.pipe.limits import MAX_BUFFER_BYTES
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.gallium.resource.buffer_range import BufferRange

OFFSET_ALIGNMENT = 4
"""Alignment of the first byte of a shader buffer or a buffer image."""


@record(eq=False)
class ShaderBuffer:
    """A range of a buffer resource for shaders. `buffer_offset` is a multiple of 4; by default, `buffer_size` extends to the end of the
    buffer.

    Programs access whole 32-bit words: they cannot access up to three bytes at the end. `writable` is a hint.
    """

    buffer: Resource
    buffer_offset: int = 0
    buffer_size: int | None = None
    _: KW_ONLY
    writable: bool = True


@record(eq=False)
class ImageView:
    """A level of a texture, or a range of a buffer, as an image.

    Attributes:
        format: the format in which shaders see texels, of the same size; None for the resource's own.
        access: READ, WRITE or both; a hint.
        level, first_layer, last_layer: of textures; all layers (slices of TEXTURE_3D) by default.
        writable: False is a synonym of `access` READ.
        offset, size: bytes, of buffers.
        first_element, last_element: texels, of buffers, both included, instead of bytes.
    """

    resource: Resource
    _: KW_ONLY
    format: Format | str | None = None
    access: ImageAccess | int | str = ImageAccess.READ_WRITE
    level: int = 0
    first_layer: int = 0
    last_layer: int | None = None
    offset: int = 0
    size: int | None = None
    first_element: int | None = None
    last_element: int | None = None
    writable: bool = True


def _template(kind: Any, item: Any, argument: str) -> Any:
    """Return an object of `kind`; `item` is such an object, a dictionary of its fields, or the value of its first field."""
    if isinstance(item, kind):
        return item
    if not isinstance(item, Mapping):
        return kind(item)
    names = [field.name for field in fields(kind)]
    unknown = [str(name) for name in item if name not in names]
    if unknown or names[0] not in item:
        raise TypeError(f"{argument}: the keys of a {kind.__name__} are {', '.join(names)}, not {', '.join(map(str, item))}")
    return kind(**item)


def shader_buffer(context: ContextCore, item: Any, argument: str) -> tuple[Memory, Resource]:
    """The memory and the resource of a ShaderBuffer (or its fields, or a Resource). TypeError and ValueError name the argument."""
    binding: ShaderBuffer = _template(ShaderBuffer, item, argument)
    buffer = context.checks.resource(binding.buffer, argument)
    if not buffer.is_buffer:
        raise ValueError(f"{argument}: a texture cannot be used as a shader buffer")
    truth(binding.writable, f"{argument}: writable")
    extent = _range(binding.buffer_offset, binding.buffer_size).of(buffer.size, 1, f"{argument}: buffer_")
    start, size = _aligned(extent, f"{argument}: buffer_")
    return Memory(buffer.address + start, size, buffer.storage), buffer


def shader_image(context: ContextCore, item: Any, argument: str) -> tuple[BoundImage, Resource]:
    """The image record and the resource of an ImageView (or its fields, a Surface, or a Resource)."""
    if isinstance(item, Surface):
        layers: dict[str, Any] = {"first_layer": item.first_layer, "last_layer": item.last_layer, "writable": item.writable}
        item = ImageView(item.texture, format=item.format, level=item.level, **layers)
    view: ImageView = _template(ImageView, item, argument)
    resource = context.checks.resource(view.resource, argument)
    flags(ImageAccess, view.access, f"{argument}: access")
    truth(view.writable, f"{argument}: writable")
    if isinstance(resource.format, CompressedFormat):
        raise ValueError(f"{argument}: resource: {resource.format} is compressed and cannot be an image")
    seen = resource.format if view.format is None else pixel_format(view.format, f"{argument}: format")
    if not supported_binds(seen, resource.target) & Bind.SHADER_IMAGE:
        raise ValueError(f"{argument}: format: {seen} cannot be an image")
    if not resource.is_buffer and seen.block_bits != resource.format.block_bits:
        raise ValueError(f"{argument}: format: {seen} has {seen.block_bits} bits a pixel, {resource.format} of the resource another size")
    record = _of_buffer(resource, view, seen, argument) if resource.is_buffer else _of_texture(resource, view, argument)
    return BoundImage(ImageKey(seen, record.size > MAX_BUFFER_BYTES), record, resource.storage), resource


def _range(offset: int, size: int | None, first_element: int | None = None, last_element: int | None = None) -> BufferRange:
    from backends.gallium.resource.buffer_range import BufferRange  # loaded with the first buffer or image

    return BufferRange(offset, size, first_element, last_element)


def _aligned(extent: tuple[int, int], argument: str) -> tuple[int, int]:
    if extent[0] % OFFSET_ALIGNMENT:
        raise ValueError(f"{argument}offset: {extent[0]} is not a multiple of {OFFSET_ALIGNMENT}")
    return extent


def _of_buffer(buffer: Resource, view: ImageView, seen: Format, argument: str) -> TextureRecord:
    part = _range(view.offset, view.size, view.first_element, view.last_element)
    start, size = _aligned(part.of(buffer.size, seen.block_bytes, f"{argument}: "), f"{argument}: ")
    record = TextureRecord(buffer.address + start, size, size // seen.block_bytes, 1, 1)
    record.samples = 1
    return record


def _of_texture(texture: Resource, view: ImageView, argument: str) -> TextureRecord:
    _range(0, None, view.first_element, view.last_element).refuse_elements(argument)
    level = texture.level(view.level, f"{argument}: level")
    first = integer(view.first_layer, f"{argument}: first_layer", 0, level.layers - 1)
    top = level.layers - 1
    last = integer(top if view.last_layer is None else view.last_layer, f"{argument}: last_layer", first, top)
    record = TextureRecord(texture.address, texture.size, level.width, level.height, last - first + 1)
    record.samples, record.sample_stride = texture.samples, texture.sample_stride
    record.level_offset[0] = level.offset + first * level.layer_stride
    record.row_stride[0], record.layer_stride[0] = level.row_stride, level.layer_stride
    return record
