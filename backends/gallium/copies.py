"""Copies between resources: bitwise, scaled and converted, and mipmaps. Array work; Python runs once a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.formats.arrays import pack, pack_depth_stencil, unpack, unpack_depth, unpack_stencil
from backends.gallium import resample
from backends.gallium.bindings import Bindings
from backends.gallium.enums import ColorMask, TexFilter, TextureTarget, lookup
from backends.gallium.resource import Box, Resource
from backends.gallium.state import ScissorState
from backends.gallium.template import flags, integer, make, pixel_format

Boxes = Box | Sequence[int] | None


class Copies(Bindings):
    """resource_copy_region, blit, generate_mipmap."""

    def resource_copy_region(
        self,
        dst: Resource,
        src: Resource,
        *,
        dst_level: int = 0,
        dstx: int = 0,
        dsty: int = 0,
        dstz: int = 0,
        src_level: int = 0,
        src_box: Boxes = None,
    ) -> None:
        """Copy texels as they are, without conversion: a memcpy of a box.

        Raises:
            ValueError: the formats differ in size, a box is outside, or source and destination overlap.
        """
        name = "resource_copy_region"
        self.check_open()
        self.check_resource(dst, f"{name}: dst")
        self.check_resource(src, f"{name}: src")
        if dst.is_buffer != src.is_buffer or (not dst.is_buffer and dst.format.block_bits != src.format.block_bits):
            raise ValueError(f"{name}: src: {src.format} and {dst.format} of dst are not of one size")
        source = src.box(src_level, src_box, f"{name}: src")
        target = dst.box(dst_level, Box(dstx, dsty, dstz, source.width, source.height, source.depth), f"{name}: dst")
        if dst is src and dst_level == src_level and _overlap(source, target):
            raise ValueError(f"{name}: dstx: source and destination overlap")
        self.finish_uses(src)
        self.finish_uses(dst)
        src.pull()
        _part(dst.blocks(dst_level), target)[...] = _part(src.blocks(src_level), source)
        dst.push()

    def blit(
        self,
        dst: Resource,
        *,
        src: Resource,
        dst_level: int = 0,
        dst_box: Boxes = None,
        dst_format: Format | str | None = None,
        src_level: int = 0,
        src_box: Boxes = None,
        src_format: Format | str | None = None,
        mask: ColorMask | int | str | Sequence[str] | None = None,
        filter: TexFilter | int | str = TexFilter.NEAREST,
        scissor: ScissorState | Mapping[str, Any] | None = None,
        render_condition_enable: bool = False,
        alpha_blend: bool = False,
    ) -> None:
        """Copy a box with scaling, mirroring (negative source sizes) and format conversion.

        Args:
            dst: destination.
            src: source.
            dst_level: mip level of the destination; dst_box: its box, all of the level when omitted; dst_format: seen as.
            dst_box: see dst_level.
            dst_format: see dst_level.
            src_level: likewise of the source.
            src_box: likewise.
            src_format: likewise.
            mask: channels that are written, e.g. "RGB", "Z", "ZS"; all that both formats have when omitted.
            filter: NEAREST or LINEAR. Integers, depth and stencil are never filtered.
            scissor: clips the destination.
            render_condition_enable: let the render condition decide.
            alpha_blend: not supported.
        """
        name = "blit"
        self.check_open()
        self.check_resource(dst, f"{name}: dst")
        self.check_resource(src, f"{name}: src")
        if alpha_blend:
            raise ValueError(f"{name}: alpha_blend: not supported; draw a quad instead")
        if dst.is_buffer or src.is_buffer:
            raise ValueError(f"{name}: dst, src: textures are wanted; use resource_copy_region for buffers")
        to = _seen(dst, dst_format, f"{name}: dst_format")
        of = _seen(src, src_format, f"{name}: src_format")
        if to.is_depth_stencil != of.is_depth_stencil or (not to.is_depth_stencil and to.kind != of.kind):
            raise ValueError(f"{name}: src_format: {of} cannot become {to}")
        how = lookup(TexFilter, filter, f"{name}: filter")
        wanted = ColorMask.RGBAZS if mask is None else _mask(mask, f"{name}: mask")
        target = dst.box(dst_level, dst_box, f"{name}: dst")
        start, size = _source_box(src, src_level, src_box, f"{name}: src")
        clip = None if scissor is None else make(ScissorState, scissor, {}, f"{name}: scissor")
        if render_condition_enable and not self.allows_rendering():
            return
        self.finish_uses(src)
        self.finish_uses(dst)
        src.pull()
        values = _resampled(src, src_level, start, size, (target.depth, target.height, target.width), of, to, how)
        view = _part(dst.blocks(dst_level), target)
        if clip is not None:
            left, top = (
                min(max(low - at, 0), extent)
                for low, at, extent in ((clip.minx, target.x, target.width), (clip.miny, target.y, target.height))
            )
            right, bottom = max(left, clip.maxx - target.x), max(top, clip.maxy - target.y)
            view, values = view[:, top:bottom, left:right], values[:, top:bottom, left:right]
        if view.size:
            _store(view, values, of, to, wanted)
            dst.push()

    def generate_mipmap(
        self,
        resource: Resource,
        *,
        format: Format | str | None = None,
        base_level: int = 0,
        last_level: int | None = None,
        first_layer: int = 0,
        last_layer: int | None = None,
    ) -> bool:
        """Fill the levels behind `base_level`, each from the one before it by a linear filter (nearest for integers and stencil).

        Returns:
            True. (A driver without the ability would return False.)
        """
        name = "generate_mipmap"
        self.check_open()
        self.check_resource(resource, f"{name}: resource")
        if resource.is_buffer:
            raise ValueError(f"{name}: resource: a buffer has no levels")
        seen = _seen(resource, format, f"{name}: format")
        base = integer(base_level, f"{name}: base_level", 0, resource.last_level)
        last = integer(resource.last_level if last_level is None else last_level, f"{name}: last_level", base, resource.last_level)
        is_volume = resource.target is TextureTarget.TEXTURE_3D
        top = (1 if is_volume else resource.array_size) - 1
        low = integer(first_layer, f"{name}: first_layer", 0, top)
        high = integer(top if last_layer is None else last_layer, f"{name}: last_layer", low, top)
        self.finish_uses(resource)
        for level in range(base + 1, last + 1):
            before, info = resource.levels[level - 1], resource.levels[level]
            start, size = (0, 0, 0), (before.layers, before.height, before.width)
            layers = slice(0, info.layers)
            shape = (info.layers, info.height, info.width)
            if not is_volume:
                layers = slice(low, high + 1)
                start, size, shape = (low, 0, 0), (high + 1 - low, *size[1:]), (high + 1 - low, *shape[1:])
            values = _resampled(resource, level - 1, start, size, shape, seen, seen, TexFilter.LINEAR, depth_too=True)
            _store(resource.blocks(level)[layers], values, seen, seen, ColorMask.RGBAZS)
        return True


Triple = tuple[int, int, int]


def _seen(resource: Resource, format: Format | str | None, argument: str) -> Format:
    seen = resource.format if format is None else pixel_format(format, argument)
    if seen.block_bits != resource.format.block_bits:
        raise ValueError(f"{argument}: {resource.format} cannot be seen as {seen}")
    return seen


def _mask(mask: Any, argument: str) -> ColorMask:
    if isinstance(mask, str) and mask and set(mask) <= set("RGBAZS"):
        mask = list(mask)
    found: ColorMask = flags(ColorMask, mask, argument)
    return found


def _part(blocks: NDArray[np.uint8], box: Box) -> NDArray[np.uint8]:
    return blocks[box.z : box.z + box.depth, box.y : box.y + box.height, box.x : box.x + box.width]


def _overlap(a: Box, b: Box) -> bool:
    return (
        a.x < b.x + b.width
        and b.x < a.x + a.width
        and a.y < b.y + b.height
        and b.y < a.y + a.height
        and a.z < b.z + b.depth
        and b.z < a.z + a.depth
    )


def _source_box(src: Resource, level: int, box: Boxes, argument: str) -> tuple[Triple, Triple]:
    """Start and size (z, y, x) of a source box, whose sizes may be negative."""
    if box is not None and not isinstance(box, Box):
        values = [integer(v, f"{argument}: box", -(1 << 31)) for v in box]
        if len(values) not in (4, 6):
            raise ValueError(f"{argument}: box: 4 (x, y, width, height) or 6 numbers are wanted, not {len(values)}")
        box = Box(*values) if len(values) == 6 else Box(values[0], values[1], 0, values[2], values[3], 1)
    if box is None:
        checked = src.box(level, None, argument)
        return (checked.z, checked.y, checked.x), (checked.depth, checked.height, checked.width)
    start, size = (box.z, box.y, box.x), (box.depth, box.height, box.width)
    low = [s + min(0, n) for s, n in zip(start, size)]
    src.box(level, Box(low[2], low[1], low[0], abs(box.width), abs(box.height), abs(box.depth)), argument)
    return start, size


def _resampled(
    src: Resource,
    level: int,
    start: Triple,
    size: Triple,
    shape: Triple,
    of: Format,
    to: Format,
    how: TexFilter,
    *,
    depth_too: bool = False,
) -> NDArray[Any]:
    """Texels of `shape` from a source box: raw bytes where nothing is filtered, else RGBA (or depth) as float32."""
    blocks = src.blocks(level)
    limits = blocks.shape[:3]
    is_filtered = how is TexFilter.LINEAR and not of.is_integer and (depth_too or not of.is_depth_stencil)
    if of.is_depth_stencil and of.has_stencil:
        is_filtered = False
    if size == shape:
        part = blocks[start[0] : start[0] + size[0], start[1] : start[1] + size[1], start[2] : start[2] + size[2]]
        return part.copy()  # source and destination may be one resource
    if not is_filtered:
        axes = [resample.nearest(n, s, z, limit) for n, s, z, limit in zip(shape, start, size, limits)]
        return resample.gather(blocks, (axes[0], axes[1], axes[2]))
    low = [min(s, s + z) for s, z in zip(start, size)]
    high = [max(s, s + z) for s, z in zip(start, size)]
    part = blocks[low[0] : high[0], low[1] : high[1], low[2] : high[2]]
    flat = np.ascontiguousarray(part).reshape(-1)
    values = unpack_depth(of, flat)[:, None] if of.is_depth_stencil else unpack(of, flat)
    values = values.reshape(*part.shape[:3], -1)
    for axis in (2, 1, 0):
        if shape[axis] != abs(size[axis]) or size[axis] < 0:
            line = resample.linear(shape[axis], start[axis] - low[axis], size[axis], values.shape[axis])
            values = resample.blend(values, axis, *line)
    return values


def _store(view: NDArray[np.uint8], values: NDArray[Any], of: Format, to: Format, mask: ColorMask) -> None:
    """Write resampled texels through a channel mask, converting where the formats differ."""
    is_raw = values.dtype == np.uint8 and values.shape[-1] == of.block_bytes
    shape = view.shape
    if to.is_depth_stencil:
        wants_z, wants_s = bool(mask & ColorMask.Z) and to.has_depth, bool(mask & ColorMask.S) and to.has_stencil
        flat = np.ascontiguousarray(values).reshape(-1)
        depth = stencil = None
        if wants_z and of.has_depth:
            depth = unpack_depth(of, flat) if is_raw else flat
        if wants_s and of.has_stencil and is_raw:
            stencil = unpack_stencil(of, flat)
        if depth is not None or stencil is not None:
            view[...] = pack_depth_stencil(to, depth, stencil, np.ascontiguousarray(view).reshape(-1)).reshape(shape)
        return
    if is_raw and of is to and mask & ColorMask.RGBA == ColorMask.RGBA:
        view[...] = values
        return
    flat = np.ascontiguousarray(values).reshape(-1)
    colors = unpack(of, flat) if is_raw else flat.reshape(-1, 4)
    if mask & ColorMask.RGBA != ColorMask.RGBA:
        old = unpack(to, np.ascontiguousarray(view).reshape(-1))
        keep = [channel for channel in range(4) if not mask >> channel & 1]
        colors = colors.copy()
        colors[:, keep] = old[:, keep]
    view[...] = pack(to, colors).reshape(shape)
