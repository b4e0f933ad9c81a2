"""Copies between a client's bytes and a box of a resource."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backends.gallium.resource.resource import Box
from tgsi.tools.vtest.protocol.errors import CommandError

if TYPE_CHECKING:
    from backends.gallium.context.context import Context
    from backends.gallium.resource.resource import Resource


def box_of(values: Sequence[int]) -> Box:
    """Box of x, y, z, width, height and depth, given as 32-bit words in two's complement."""
    return Box(*(value - (1 << 32) if value >> 31 else value for value in values))


def write_box(context: Context, resource: Resource, level: int, box: Box, data: memoryview, stride: int, layer_stride: int) -> None:
    """Copy bytes of the client into a box. A stride of 0, or one for a single row or layer, means tight packing."""
    if resource.is_buffer:
        region = resource.box(level, box, "box")
        if len(data) < region.width:
            raise CommandError("data_size", f"{region.width} bytes are needed, {len(data)} are there")
        context.buffer_subdata(resource, data[: region.width], offset=region.x)
        return
    source, view = _both(context, resource, level, box, data, stride, layer_stride)
    if context.is_observed:  # so that a trace records it
        context.texture_subdata(resource, np.ascontiguousarray(source).tobytes(), level=level, box=resource.box(level, box, "box"))
        return
    view[...] = source
    resource.changed(level, resource.box(level, box, "box"))


def read_box(context: Context, resource: Resource, level: int, box: Box, data: memoryview, stride: int, layer_stride: int) -> None:
    """Copy a box into the client's bytes, with strides as in `write_box`. Bytes between rows are not written."""
    if resource.is_buffer:
        region = resource.box(level, box, "box")
        if len(data) < region.width:
            raise CommandError("data_size", f"{region.width} bytes are needed, {len(data)} are there")
        context.order.finish_uses(resource)
        data[: region.width] = resource.storage.data[region.x : region.x + region.width]
        return
    target, view = _both(context, resource, level, box, data, stride, layer_stride)
    if context.is_observed:  # so that the player compares the bytes
        with context.transfer_map(resource, level=level, usage="READ", box=resource.box(level, box, "box")):
            pass
    target[...] = view


def needed_bytes(resource: Resource, level: int, box: Box, stride: int, layer_stride: int) -> int:
    """Bytes of a client that a box takes, with strides as in `write_box`. ValueError for a box outside of the resource."""
    region = resource.box(level, box, "box")
    return region.width if resource.is_buffer else _strides(resource, resource.in_blocks(region), stride, layer_stride)[2]


def _strides(resource: Resource, region: Box, stride: int, layer_stride: int) -> tuple[int, int, int]:
    """Bytes of a row, of a layer and of all layers of a box, in blocks, in the client's bytes."""
    texel = resource.format.block_bytes
    row = stride if stride and region.height > 1 else texel * region.width
    layer = layer_stride if layer_stride and region.depth > 1 else row * region.height
    return row, layer, layer * (region.depth - 1) + row * (region.height - 1) + texel * region.width


def _both(
    context: Context, resource: Resource, level: int, box: Box, data: memoryview, stride: int, layer_stride: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Views of a box in the client's bytes and in the resource, both of shape (depth, rows of blocks, bytes of a row)."""
    region = resource.in_blocks(resource.box(level, box, "box"))
    texel = resource.format.block_bytes
    row, layer, needed = _strides(resource, region, stride, layer_stride)
    if row < texel * region.width or needed > len(data):
        raise CommandError("data_size", f"{needed} bytes with rows of {row} are needed, {len(data)} are there")
    context.order.finish_uses(resource)
    theirs = np.ndarray((region.depth, region.height, region.width * texel), np.uint8, data, 0, (layer, row, 1))
    info = resource.levels[level]
    start = info.offset + region.z * info.layer_stride + region.y * info.row_stride + region.x * texel
    ours = np.ndarray(theirs.shape, np.uint8, resource.storage.data, start, (info.layer_stride, info.row_stride, 1))
    return theirs, ours
