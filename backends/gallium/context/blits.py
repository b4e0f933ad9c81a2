"""Copies between resources: bitwise copies, scaled and converted blits, and mipmaps. All are array work; Python runs once a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.scale_job import Axis, Scale, axis
from backends.formats import AnyFormat, CompressedFormat, Format
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.multisampled import native_resolve, part, resolved_level
from backends.gallium.resource.resource import Box, Resource
from backends.pipe.checks import any_format, flags, integer, make, pixel_format
from backends.pipe.enums import ColorMask, TexFilter, TextureTarget, lookup
from backends.pipe.state import ScissorState

Boxes = Box | Sequence[int] | None


class Blits(ContextCore):
    """Copies between resources: resource_copy_region, blit, generate_mipmap."""

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
        """Copy the texels of a box, of every sample, without conversion. (context.rst, "Blitting")

        A block of a compressed format is copied as one texel of a plain format with as many bits, and the other way round.

        Raises:
            ValueError: the formats differ in size, the resources in their number of samples, a box reaches outside its level, or source and
                destination overlap.
        """
        name = "resource_copy_region"
        self.check_resource(dst, f"{name}: dst")
        self.check_resource(src, f"{name}: src")
        if dst.is_buffer != src.is_buffer or (not dst.is_buffer and dst.format.block_bits != src.format.block_bits):
            raise ValueError(f"{name}: src: {src.format} and {dst.format} of dst are not of one size")
        if dst.samples != src.samples:
            raise ValueError(f"{name}: src: it has {src.samples} samples, dst {dst.samples}; use blit")
        source = src.box(src_level, src_box, f"{name}: src")
        target = _as_large(dst, dst_level, (dstx, dsty, dstz), src.in_blocks(source), f"{name}: dst")
        if dst is src and dst_level == src_level and _overlap(source, target):
            raise ValueError(f"{name}: dstx: source and destination overlap")
        self.finish_uses(src)
        self.begin_write(dst)
        src.pull()
        for k in range(dst.samples):
            part(dst.blocks(dst_level, k), dst.in_blocks(target))[...] = part(src.blocks(src_level, k), src.in_blocks(source))
        dst.changed(dst_level, target)

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
        src_format: AnyFormat | str | None = None,
        mask: ColorMask | int | str | Sequence[str] | None = None,
        filter: TexFilter | int | str = TexFilter.NEAREST,
        scissor: ScissorState | Mapping[str, Any] | None = None,
        render_condition_enable: bool = False,
        alpha_blend: bool = False,
    ) -> None:
        """Copy a box with scaling, mirroring (negative source sizes) and format conversion. (context.rst, "Blitting")

        Samples are averaged if only the source has several; of integers, depth and stencil sample 0 is taken. They are repeated if only the
        destination has several, and copied one by one if both have equally many.

        Args:
            dst: destination.
            src: source; a compressed one is decoded.
            dst_level: mip level of the destination.
            dst_box: its box, all of the level when omitted. Parts outside the level in x and y are clipped.
            dst_format: the format that its texels are written in.
            src_level: mip level of the source.
            src_box: its box. Texels outside the level in x and y are those of its edge.
            src_format: the format that its texels are read in.
            mask: channels that are written, e.g. "RGB", "Z", "ZS"; all channels that both formats have when omitted.
            filter: NEAREST or LINEAR. Integers, depth and stencil are never filtered.
            scissor: clips the destination.
            render_condition_enable: let the render condition decide.
            alpha_blend: not supported.
        """
        name = "blit"
        self.check_resource(dst, f"{name}: dst")
        self.check_resource(src, f"{name}: src")
        if alpha_blend:
            raise ValueError(f"{name}: alpha_blend: not supported; draw a quad instead")
        if dst.is_buffer or src.is_buffer:
            raise ValueError(f"{name}: dst, src: textures are wanted; use resource_copy_region for buffers")
        if isinstance(dst.format, CompressedFormat):
            raise ValueError(f"{name}: dst: {dst.format} is compressed; use resource_copy_region, which copies blocks")
        src, src_format = _decoded(src, src_format, f"{name}: src_format")
        to = _seen(dst, dst_format, f"{name}: dst_format")
        of = _seen(src, src_format, f"{name}: src_format")
        if to.is_depth_stencil != of.is_depth_stencil or (not to.is_depth_stencil and to.kind != of.kind):
            raise ValueError(f"{name}: src_format: {of} cannot become {to}")
        how = lookup(TexFilter, filter, f"{name}: filter")
        wanted = ColorMask.RGBAZS if mask is None else _mask(mask, f"{name}: mask")
        if src.samples > 1 < dst.samples and src.samples != dst.samples:
            raise ValueError(f"{name}: src: {src.samples} samples cannot become {dst.samples}")
        start, size = _blit_box(src, src_level, src_box, f"{name}: src")
        corner, extent = _blit_box(dst, dst_level, dst_box, f"{name}: dst")
        if min(extent) < 1:
            raise ValueError(f"{name}: dst: box: {min(extent)} texels; mirror the source instead")
        clip = None if scissor is None else make(ScissorState, scissor, {}, f"{name}: scissor")
        if render_condition_enable and not self.allows_rendering():
            return
        target, is_all = _inside(dst, dst_level, corner, extent, clip)
        read, is_there = _inside(src, src_level, start, size)
        if target.width < 1 or target.height < 1:
            return
        if dst.samples < src.samples and of is to and is_all and is_there and wanted & ColorMask.RGBA == ColorMask.RGBA:
            job = native_resolve(dst, dst_level, target, src, start, size, of)
            if job is not None:
                self.device.resolve(job)
                self.finish_draw()
                return
        self.finish_uses(src)
        self.begin_write(dst)
        src.pull()
        source = src.blocks(src_level)
        if src.samples > dst.samples:
            source = resolved_level(self.device, src, src_level, _edge(src, src_level, read), of)
        is_filtered = how is TexFilter.LINEAR and not of.is_integer and not of.is_depth_stencil
        low, counts = (target.z, target.y, target.x), (target.depth, target.height, target.width)
        z, y, x = (
            axis(n, s, m, top, is_filtered=is_filtered, window=range(at - c, at - c + part_of))
            for n, s, m, top, at, c, part_of in zip(extent, start, size, source.shape, low, corner, counts)
        )
        for k in range(dst.samples):
            source = src.blocks(src_level, k) if k < src.samples == dst.samples else source
            box = part(dst.blocks(dst_level, k), target)
            self.device.scale(Scale(source=source, target=box, source_format=of, target_format=to, axes=(z, y, x), mask=wanted))
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
        """Fill the levels after `base_level`, each from the one before it, with a linear filter (nearest for integers and stencil).

        Returns:
            True. False, and nothing was done, for a compressed format.

        (p_context.h)
        """
        name = "generate_mipmap"
        self.check_resource(resource, f"{name}: resource")
        if resource.is_buffer:
            raise ValueError(f"{name}: resource: a buffer has no levels")
        if isinstance(resource.format, CompressedFormat):
            return False
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
            layers, start, size = slice(0, info.layers), (0, 0, 0), (before.layers, before.height, before.width)
            if not is_volume:
                layers, start, size = slice(low, high + 1), (low, 0, 0), (high + 1 - low, *size[1:])
            view, source = resource.blocks(level)[layers], resource.blocks(level - 1)
            axes = _axes(view, source, start, size, not seen.is_integer and not seen.has_stencil)
            self.device.scale(Scale(source=source, target=view, source_format=seen, target_format=seen, axes=axes, mask=ColorMask.RGBAZS))
        return True


Triple = tuple[int, int, int]


def _as_large(resource: Resource, level: int, at: Triple, blocks: Box, argument: str) -> Box:
    """The box at x, y, z of a level that has as many blocks as `blocks`; its last ones may reach over the level's edge."""
    info, format = resource.level(level, f"{argument}: level"), resource.format
    width, height = blocks.width * format.block_width, blocks.height * format.block_height
    over_x, over_y = at[0] + width - info.width, at[1] + height - info.height
    if 0 < over_x < format.block_width:
        width -= over_x
    if 0 < over_y < format.block_height:
        height -= over_y
    return resource.box(level, Box(*at, width, height, blocks.depth), argument)


def _decoded(resource: Resource, format: AnyFormat | str | None, argument: str) -> tuple[Resource, AnyFormat | str | None]:
    """The texture of decoded texels, and their format, if `format` is a compressed one; otherwise the two as they are."""
    seen = resource.format if format is None else any_format(format, argument)
    if not isinstance(seen, CompressedFormat):
        return resource, format
    own = resource.format
    if (own.block_width, own.block_height, own.block_bits) != (seen.block_width, seen.block_height, seen.block_bits):
        raise ValueError(f"{argument}: {own} cannot be seen as {seen}")
    return resource.as_decoded(seen), seen.plain


def _seen(resource: Resource, format: AnyFormat | str | None, argument: str) -> Format:
    seen = pixel_format(resource.format if format is None else format, argument)
    if seen.block_bits != resource.format.block_bits:
        raise ValueError(f"{argument}: {resource.format} cannot be seen as {seen}")
    return seen


def _mask(mask: Any, argument: str) -> ColorMask:
    if isinstance(mask, str) and mask and set(mask) <= set("RGBAZS"):
        mask = list(mask)
    found: ColorMask = flags(ColorMask, mask, argument)
    return found


def _overlap(a: Box, b: Box) -> bool:
    return (
        a.x < b.x + b.width
        and b.x < a.x + a.width
        and a.y < b.y + b.height
        and b.y < a.y + a.height
        and a.z < b.z + b.depth
        and b.z < a.z + a.depth
    )


def _blit_box(resource: Resource, level: int, box: Boxes, argument: str) -> tuple[Triple, Triple]:
    """Start and size (z, y, x) of a box, whose sizes may be negative, and which may reach outside of its level in x and y."""
    if box is not None:
        given = (box.x, box.y, box.z, box.width, box.height, box.depth) if isinstance(box, Box) else box
        values = [integer(v, f"{argument}: box", -(1 << 31)) for v in given]
        if len(values) not in (4, 6):
            raise ValueError(f"{argument}: box: 4 (x, y, width, height) or 6 numbers are wanted, not {len(values)}")
        box = Box(*values) if len(values) == 6 else Box(values[0], values[1], 0, values[2], values[3], 1)
    if box is None:
        box = resource.box(level, None, argument)
    if not box.width or not box.height:
        raise ValueError(f"{argument}: box: it is empty")
    resource.box(level, Box(0, 0, box.z + min(0, box.depth), 1, 1, abs(box.depth)), argument)
    return (box.z, box.y, box.x), (box.depth, box.height, box.width)


def _inside(resource: Resource, level: int, start: Triple, size: Triple, clip: ScissorState | None = None) -> tuple[Box, bool]:
    """The part of a box inside its level and a scissor, and True if that is the whole box. Sizes are below 1 if nothing is inside."""
    info = resource.levels[level]
    low = [s + min(0, n) for s, n in zip(start, size)]
    x, y, right, top = max(low[2], 0), max(low[1], 0), info.width, info.height
    if clip is not None:
        x, y, right, top = max(x, clip.minx), max(y, clip.miny), min(right, clip.maxx), min(top, clip.maxy)
    width, height = min(low[2] + abs(size[2]), right) - x, min(low[1] + abs(size[1]), top) - y
    found = Box(x, y, low[0], width, height, abs(size[0]))
    return found, found == Box(low[2], low[1], low[0], abs(size[2]), abs(size[1]), abs(size[0]))


def _edge(resource: Resource, level: int, box: Box) -> Box:
    """The box itself, or, if it is empty, the nearest texels of its level's edge."""
    info = resource.levels[level]
    x, y = min(box.x, info.width - 1), min(box.y, info.height - 1)
    return Box(x, y, box.z, max(box.width, 1), max(box.height, 1), box.depth)


def _axes(view: NDArray[np.uint8], source: NDArray[np.uint8], start: Triple, size: Triple, is_filtered: bool) -> tuple[Axis, Axis, Axis]:
    """Tables of the layers, rows and columns of the source that a target's texels are read from."""
    z, y, x = (axis(n, s, m, top, is_filtered=is_filtered) for n, s, m, top in zip(view.shape, start, size, source.shape))
    return z, y, x
