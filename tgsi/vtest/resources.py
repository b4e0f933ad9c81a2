"""Resources of a client, and the bytes that travel to and from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.gallium.enums import Bind, TextureTarget
from backends.gallium.layout import Template
from backends.gallium.resource import Box
from backends.gallium.support import supported_binds
from tgsi.vtest.errors import CommandError, in_range
from tgsi.vtest.holdings import Holding
from tgsi.vtest.numbers import BINDS, FORMATS

if TYPE_CHECKING:
    from backends.gallium.context import Context
    from backends.gallium.resource import Resource
    from backends.gallium.screen import Screen

MAX_HELD = 8 << 30
"""Bytes that the resources of one client may hold together."""


def format_of(number: int, name: str) -> Format:
    """A format by the protocol's number; CommandError where we have none."""
    found = FORMATS.get(number)
    if found is None:
        raise CommandError(name, f"{number} is no format that is known here")
    return found


def create_resource(screen: Screen, words: Sequence[int]) -> Holding:
    """A resource from target, format, bind, width, height, depth, array_size, last_level and nr_samples.

    Every use that our format and target allow is allowed besides those asked for, because the protocol has no bit for some.
    """
    number, format_number, bind, width, height, depth, array_size, last_level, nr_samples = words
    target = TextureTarget(in_range(number, "target", 0, len(TextureTarget) - 1))
    if screen.memory.used > MAX_HELD:
        raise CommandError("width", "the resources of this client hold too much memory already")
    if target is TextureTarget.BUFFER:
        return Holding(screen.resource_create(target=target, format=Format.R8_UNORM, width0=width), bind)
    format = format_of(format_number, "format")
    possible = supported_binds(format, target)
    wanted = Bind.SAMPLER_VIEW | Bind.SHADER_IMAGE
    for bit, ours in BINDS.items():
        if bind >> bit & 1:
            wanted |= ours
    sizes = {"width0": width, "height0": height, "depth0": depth, "array_size": array_size}
    template = Template(target=target, format=format, last_level=last_level, nr_samples=nr_samples, bind=wanted & possible, **sizes)
    return Holding(screen.resource_create(template), bind)


def box_of(values: Sequence[int]) -> Box:
    """A box from x, y, z, width, height and depth as 32-bit words, which may mean negative numbers."""
    return Box(*(value - (1 << 32) if value >> 31 else value for value in values))


def write_box(
    context: Context, resource: Resource, level: int, box: Sequence[int], data: memoryview, stride: int, layer_stride: int
) -> None:
    """Bytes of the client into a box. Rows and layers are tight where their stride is 0 or there is one."""
    if resource.is_buffer:
        region = resource.box(level, box_of(box), "box")
        if len(data) < region.width:
            raise CommandError("data_size", f"{region.width} bytes are needed, {len(data)} are there")
        context.buffer_subdata(resource, data[: region.width], offset=region.x)
        return
    source, view = _both(context, resource, level, box, data, stride, layer_stride)
    view[...] = source
    resource.push()


def read_box(
    context: Context, resource: Resource, level: int, box: Sequence[int], data: memoryview, stride: int, layer_stride: int
) -> None:
    """Bytes of a box to the client; as `write_box`. What lies between rows is not written."""
    if resource.is_buffer:
        region = resource.box(level, box_of(box), "box")
        if len(data) < region.width:
            raise CommandError("data_size", f"{region.width} bytes are needed, {len(data)} are there")
        context.finish_uses(resource)
        data[: region.width] = resource.storage.data[region.x : region.x + region.width]
        return
    target, view = _both(context, resource, level, box, data, stride, layer_stride)
    target[...] = view


def _both(
    context: Context, resource: Resource, level: int, box: Sequence[int], data: memoryview, stride: int, layer_stride: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """A box in the client's bytes and in the resource, both as (depth, height, width, bytes of a texel)."""
    region = resource.box(level, box_of(box), "box")
    texel = resource.format.block_bytes
    row = stride if stride and region.height > 1 else texel * region.width
    layer = layer_stride if layer_stride and region.depth > 1 else row * region.height
    needed = layer * (region.depth - 1) + row * (region.height - 1) + texel * region.width
    if row < texel * region.width or needed > len(data):
        raise CommandError("data_size", f"{needed} bytes with rows of {row} are needed, {len(data)} are there")
    context.finish_uses(resource)
    theirs = np.ndarray((region.depth, region.height, region.width * texel), np.uint8, data, 0, (layer, row, 1))
    info = resource.levels[level]
    start = info.offset + region.z * info.layer_stride + region.y * info.row_stride + region.x * texel
    ours = np.ndarray(theirs.shape, np.uint8, resource.storage.data, start, (info.layer_stride, info.row_stride, 1))
    return theirs, ours
