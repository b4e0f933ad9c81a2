"""The watched pixel: its place in a resource, and its bytes in each sample."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.framebuffer import Framebuffer, Surface
from backends.formats import Format
from backends.formats.arrays import unpack
from backends.gallium.resource.resource import Resource
from tgsi.language.record import record


@record
class Place:
    """A pixel of a resource. sample: None means all samples. handle: the resource's handle in the recording."""

    handle: int
    level: int
    layer: int
    x: int
    y: int
    sample: int | None = None


@record
class Attachment:
    """The buffer that holds the watched pixel: color buffer `index`, or -1 for the depth buffer; `layer` of the surface."""

    index: int
    layer: int
    surface: Surface


def texel_bytes(resource: Resource, place: Place) -> bytes:
    """The bytes of the pixel, sample by sample."""
    return b"".join(resource.blocks(place.level, s)[place.layer, place.y, place.x].tobytes() for s in range(resource.samples))


def stored_words(surface: Surface, layer: int, x: int, y: int) -> NDArray[np.uint8]:
    """The bytes of a pixel of a surface, (samples, bytes of a pixel)."""
    size, start = surface.format.block_bytes, surface.address + layer * surface.layer_stride + y * surface.row_stride
    start += x * surface.format.block_bytes
    texels = [ctypes.string_at(start + s * surface.sample_stride, size) for s in range(surface.samples)]
    return np.frombuffer(b"".join(texels), np.uint8).reshape(surface.samples, size).copy()


def put_words(surface: Surface, layer: int, x: int, y: int, data: NDArray[np.uint8]) -> None:
    """Write the bytes of a pixel of a surface, (samples, bytes of a pixel)."""
    size, start = surface.format.block_bytes, surface.address + layer * surface.layer_stride + y * surface.row_stride
    for s in range(surface.samples):
        ctypes.memmove(start + x * size + s * surface.sample_stride, data[s].tobytes(), size)


def attachments(context: Any, resource: Resource, place: Place) -> list[Attachment]:
    """The bound surfaces that hold the pixel."""
    framebuffer: Framebuffer = context.targets.framebuffer
    surfaces: list[Attachment] = []
    if not (place.x < framebuffer.width and place.y < framebuffer.height):
        return surfaces
    packets = (*framebuffer.cbufs, framebuffer.zsbuf)
    for index, (target, packet) in enumerate(zip(context.targets.surfaces, packets)):
        if target is None or packet is None or target.living_texture is not resource or target.level != place.level:
            continue
        layer = place.layer - target.first_layer
        if 0 <= layer < min(packet.layers, framebuffer.layers):
            surfaces.append(Attachment(-1 if packet is framebuffer.zsbuf and index == len(packets) - 1 else index, layer, packet))
    return surfaces


def numbers_of(format: Any, data: bytes | NDArray[np.uint8], sample: int = 0) -> tuple[float, ...]:
    """The values of a pixel: four channels as shaders read them, depth, stencil, or both."""
    raw = np.frombuffer(bytes(data) if not isinstance(data, np.ndarray) else data.tobytes(), np.uint8)
    if not isinstance(format, Format):
        return tuple(float(v) for v in raw)
    size = format.block_bytes
    return tuple(v.item() for v in texel_numbers(format, raw[sample * size : (sample + 1) * size]))


def texel_numbers(format: Format, texel: NDArray[np.uint8]) -> list[Any]:
    """The values of one texel, as numpy scalars."""
    from backends.formats import arrays

    numbers: list[Any] = []
    if format.has_depth:
        numbers.append(arrays.unpack_depth(format, texel)[0])
    if format.has_stencil:
        numbers.append(arrays.unpack_stencil(format, texel)[0])
    return numbers or list(unpack(format, texel)[0])


def size_of(resource: Resource, level: int) -> tuple[int, int, int]:
    """Width, height and layers of a level."""
    info = resource.levels[level]
    return info.width, info.height, info.layers


def same_layer(layer: int, layers: int) -> int:
    """The layer that a primitive goes to; layers beyond the last one are clamped to it (docs/primitives.md)."""
    return min(layer, layers - 1)
