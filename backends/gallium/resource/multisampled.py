"""Multisampled resources as arrays: resolves, and the staging copies of mappings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from backends.device.framebuffer import Surface
from backends.device.resolve_job import Bytes, Resolve, is_native, resolved
from backends.formats import Format
from backends.gallium.resource.resource import Box, Resource
from backends.pipe.enums import Bind

if TYPE_CHECKING:
    from backends.device.interface import Device


def resolved_level(device: Device, resource: Resource, level: int, box: Box, format: Format) -> Bytes:
    """A level seen as `format` with one sample a pixel; only the texels of `box` are filled. Pending work is not carried out."""
    one = replace(resource.template, format=format, nr_samples=0, bind=Bind.NONE)
    single = Resource(resource.screen, one)
    for z in range(box.z, box.z + box.depth):
        layer = Box(box.x, box.y, z, box.width, box.height, 1)
        job = native_resolve(single, 0, layer, resource, (z, box.y, box.x), (1, box.height, box.width), format)
        if job is not None:
            device.resolve(job, waits=False)
        else:
            part(single.blocks(), layer)[...] = resolved([part(resource.blocks(level, k), layer) for k in range(resource.samples)], format)
    return single.blocks()


def native_resolve(
    dst: Resource, dst_level: int, target: Box, src: Resource, start: Sequence[int], size: Sequence[int], format: Format
) -> Resolve | None:
    """The job for a resolve kernel, or None if no kernel does it: one layer, rows in order or mirrored, no scaling.

    start, size: of the source in z, y, x."""
    is_plain = size in ((1, target.height, target.width), (1, -target.height, target.width))
    if not is_plain or src.samples == 1 or dst.samples > 1 or dst.user is not None or not is_native(format):
        return None
    if not src.bind & Bind.RENDER_TARGET or (format.block_bytes < 4 and (start[2] != target.x or start[1] != target.y or size[1] < 0)):
        return None  # rows are read in whole blocks; narrow texels are written in whole blocks
    info, to, step = src.levels[0], dst.levels[dst_level], format.block_bytes
    surface = Surface(
        address=src.address + start[0] * info.layer_stride,
        row_stride=info.row_stride,
        format=format,
        width=info.width,
        height=info.height,
        samples=src.samples,
        sample_stride=src.sample_stride,
        keepalive=src.storage,
    )
    stride, first = (-to.row_stride, start[1] - 1) if size[1] < 0 else (to.row_stride, start[1])
    low = min(start[1], start[1] + size[1])
    base = dst.address + to.offset + target.z * to.layer_stride + target.y * to.row_stride + target.x * step
    box = (start[2], low, start[2] + size[2], low + target.height)
    return Resolve(surface, base - start[2] * step - first * stride, stride, box, (dst.address, dst.size), (src.storage, dst.storage))


def make_staging(device: Device, resource: Resource, level: int, box: Box) -> Resource:
    """A resource of one sample a pixel with the resolved texels of a box, which a mapping shows."""
    one = replace(resource.template, width0=box.width, height0=box.height, array_size=box.depth, nr_samples=0, bind=Bind.NONE)
    staging = Resource(resource.screen, one)
    staging.blocks()[...] = part(resolved_level(device, resource, level, box, resource.plain_format), box)
    return staging


def part(blocks: NDArray[Any], box: Box) -> NDArray[Any]:
    """The texels of a box of a level's array."""
    return blocks[box.z : box.z + box.depth, box.y : box.y + box.height, box.x : box.x + box.width]
