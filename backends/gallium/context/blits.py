"""Copies between resources: bitwise copies, scaled and converted blits, and mipmaps. All are array work; Python runs once a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backends.device.interface import Device
from backends.formats import AnyFormat, CompressedFormat, Format
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.boxes import Boxes, Triple, as_large, blit_box, cut, edge, inside, overlap, windows_of
from backends.gallium.resource.multisampled import native_resolve, part, resolved_level
from backends.gallium.resource.resource import Box, Resource
from backends.gallium.resource.room import with_room
from backends.gallium.resource.screen_core import ScreenCore
from backends.pipe.checks import Remembered, any_format, flags, integer, make, pixel_format, truth
from backends.pipe.enums import ColorMask, TexFilter, TextureTarget, lookup
from backends.pipe.state import ScissorState
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.device.scale_job import Axis


MAX_REMEMBERED = 256
_BOX = ("x", "y", "z", "width", "height", "depth")


@record(kw_only=True)
class _Blit:
    """A blit whose arguments were checked, of any resources with the same templates.

    Attributes:
        of, to: formats in which texels are read and written.
        start, size: of the source's box (z, y, x). read: the part of it inside of its level.
        corner, extent: of the target's box. target: the part of it inside of its level and the scissor.
        parts: those of `target` that are written.
        is_plain: all of both boxes, without a change of texels.
        asks: the render condition decides.
    """

    of: Format
    to: Format
    start: Triple
    size: Triple
    read: Box
    corner: Triple
    extent: Triple
    target: Box
    parts: Sequence[Box]
    mask: ColorMask
    is_filtered: bool
    is_plain: bool
    blends: bool
    asks: bool


class Blits(ContextCore):
    """Copies between resources: resource_copy_region, blit, generate_mipmap."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._blits: Remembered[_Blit] = Remembered(MAX_REMEMBERED)

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
        self.checks.resource(dst, f"{name}: dst")
        self.checks.resource(src, f"{name}: src")
        if dst.is_buffer != src.is_buffer or (not dst.is_buffer and dst.format.block_bits != src.format.block_bits):
            raise ValueError(f"{name}: src: {src.format} and {dst.format} of dst are not of one size")
        if dst.samples != src.samples:
            raise ValueError(f"{name}: src: it has {src.samples} samples, dst {dst.samples}; use blit")
        source = src.box(src_level, src_box, name, "src_")
        corner = (integer(dstx, f"{name}: dstx"), integer(dsty, f"{name}: dsty"), integer(dstz, f"{name}: dstz"))
        target = as_large(dst, dst_level, corner, src.in_blocks(source), name, "dst_")
        if dst is src and dst_level == src_level and overlap(source, target):
            raise ValueError(f"{name}: dstx: source and destination overlap")
        self.order.finish_uses(src)
        self.order.begin_write(dst)
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
        window_rectangles: Sequence[ScissorState | Mapping[str, Any]] = (),
        window_rectangle_include: bool = False,
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
            src_box: its box. Coordinates outside the level in x and y are clamped to its edge.
            src_format: the format that its texels are read in.
            mask: channels that are written, e.g. "RGB", "Z", "ZS"; all channels that both formats have when omitted.
            filter: NEAREST or LINEAR. Integers and stencil are never filtered.
            scissor: clips the destination.
            window_rectangles: at most eight rectangles of the destination. Texels inside any of them are skipped.
            window_rectangle_include: texels outside of all window rectangles are skipped instead.
            render_condition_enable: let the render condition decide.
            alpha_blend: write source * a + destination * (1 - a), channel by channel in f32, where a is the source's alpha.
        """
        name = "blit"
        self.checks.resource(dst, f"{name}: dst")
        self.checks.resource(src, f"{name}: src")
        if src_format is not None or isinstance(src.format, CompressedFormat):
            src, src_format = _decoded(src, src_format, f"{name}: src_format")
        boxes = [tuple(getattr(box, field) for field in _BOX) if isinstance(box, Box) else box for box in (dst_box, src_box)]
        arguments = (dst_level, boxes[0], dst_format, src_level, boxes[1], src_format, mask, filter)
        more = (scissor, window_rectangles, window_rectangle_include, render_condition_enable, alpha_blend)
        check = partial(_checked_blit, dst, src)
        if scissor is None and type(window_rectangles) is tuple and not window_rectangles:
            blit = self._blits.of(lambda *_: check(*arguments, *more), dst.template, src.template, *arguments, *more)
        else:
            blit = check(*arguments, *more)
        if (blit.asks and not self.counting.allows_rendering()) or not blit.parts:
            return
        if not self._resolve(blit, dst, dst_level, src):
            self._scale(blit, dst, dst_level, src, src_level)

    def _resolve(self, blit: _Blit, dst: Resource, dst_level: int, src: Resource) -> bool:
        """Queue a plain resolve behind pending draws. False if the blit is something else or the device cannot resolve it."""
        if dst.samples >= src.samples or not blit.is_plain or dst.rendered:
            return False
        job = native_resolve(dst, dst_level, blit.target, src, blit.start, blit.size, blit.of)
        if job is None:
            return False
        self.device.resolve(job)
        self.order.finish_draw()
        return True

    def _scale(self, blit: _Blit, dst: Resource, dst_level: int, src: Resource, src_level: int) -> None:
        """Run a checked blit, one sample of the destination after the other."""
        self.order.finish_uses(src)
        self.order.begin_write(dst)
        src.pull()
        source = src.blocks(src_level)
        if src.samples > dst.samples:
            part_read = edge(src, src_level, blit.read)
            source = with_room(self, lambda: resolved_level(self.device, src, src_level, part_read, blit.of))
        from backends.device.scale_job import Scale, axis  # few programs scale

        planes = [src.blocks(src_level, k) if k < src.samples == dst.samples else source for k in range(dst.samples)]
        if src is dst and len(blit.parts) > 1:  # no part may read texels that another one wrote
            planes = [plane.copy() for plane in planes]
        for at in blit.parts:
            low, counts = (at.z, at.y, at.x), (at.depth, at.height, at.width)
            z, y, x = (
                axis(n, s, m, top, is_filtered=blit.is_filtered, window=range(first - c, first - c + part_of))
                for n, s, m, top, first, c, part_of in zip(blit.extent, blit.start, blit.size, source.shape, low, blit.corner, counts)
            )
            for k, plane in enumerate(planes):
                self.device.scale(
                    Scale(
                        source=plane,
                        target=part(dst.blocks(dst_level, k), at),
                        source_format=blit.of,
                        target_format=blit.to,
                        axes=(z, y, x),
                        mask=blit.mask,
                        blends=blit.blends,
                    )
                )
        dst.changed(dst_level, blit.target)

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
        """Fill the levels after `base_level`, each from the previous one, with a linear filter (nearest for integers and stencil).

        Returns:
            True. False, and nothing was done, for a compressed format.

        (p_context.h)
        """
        name = "generate_mipmap"
        self.checks.resource(resource, f"{name}: resource")
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
        self.order.finish_uses(resource)
        from backends.device.scale_job import Scale

        for level in range(base + 1, last + 1):
            before, info = resource.levels[level - 1], resource.levels[level]
            layers, start, size = slice(0, info.layers), (0, 0, 0), (before.layers, before.height, before.width)
            if not is_volume:
                layers, start, size = slice(low, high + 1), (low, 0, 0), (high + 1 - low, *size[1:])
            view, source = resource.blocks(level)[layers], resource.blocks(level - 1)
            axes = _axes(view, source, start, size, _filters(seen))
            self.device.scale(Scale(source=source, target=view, source_format=seen, target_format=seen, axes=axes, mask=ColorMask.RGBAZS))
            resource.changed(level)
        return True


def _checked_blit(
    dst: Resource,
    src: Resource,
    dst_level: int,
    dst_box: Boxes,
    dst_format: Any,
    src_level: int,
    src_box: Boxes,
    src_format: Any,
    mask: Any,
    filter: Any,
    scissor: Any,
    window_rectangles: Any,
    window_rectangle_include: Any,
    render_condition_enable: Any,
    alpha_blend: Any,
) -> _Blit:
    """Check the arguments of a blit."""
    name = "blit"
    to, of = _blit_formats(dst, dst_format, src, src_format)
    blends = truth(alpha_blend, f"{name}: alpha_blend")
    if blends and (of.is_depth_stencil or of.is_integer):
        raise ValueError(f"{name}: alpha_blend: {of} has no color that could be blended")
    how = lookup(TexFilter, filter, f"{name}: filter")
    wanted = ColorMask.RGBAZS if mask is None else _mask(mask, f"{name}: mask")
    if src.samples > 1 < dst.samples and src.samples != dst.samples:
        raise ValueError(f"{name}: src: {src.samples} samples cannot become {dst.samples}")
    start, size = blit_box(src, src_level, src_box, name, "src_")
    corner, extent = blit_box(dst, dst_level, dst_box, name, "dst_")
    if min(extent) < 1:
        raise ValueError(f"{name}: dst_box: {min(extent)} texels; mirror the source instead")
    clip = None if scissor is None else make(ScissorState, scissor, {}, f"{name}: scissor")
    windows = windows_of(window_rectangles, f"{name}: window_rectangles")
    outside = truth(window_rectangle_include, f"{name}: window_rectangle_include")
    asks = truth(render_condition_enable, f"{name}: render_condition_enable")
    target, is_all = inside(dst, dst_level, corner, extent, clip)
    read, is_there = inside(src, src_level, start, size)
    is_seen = target.width > 0 and target.height > 0
    parts = [] if not is_seen else list(cut(target, windows, is_inside=outside)) if windows or outside else [target]
    is_whole = is_all and parts == [target] and not blends
    return _Blit(
        of=of,
        to=to,
        start=start,
        size=size,
        read=read,
        corner=corner,
        extent=extent,
        target=target,
        parts=parts,
        mask=wanted,
        is_filtered=how is TexFilter.LINEAR and _filters(of),
        is_plain=of is to and is_whole and is_there and wanted & ColorMask.RGBA == ColorMask.RGBA,
        blends=blends,
        asks=asks,
    )


def _blit_formats(dst: Resource, dst_format: Any, src: Resource, src_format: Any) -> tuple[Format, Format]:
    """Formats in which a blit writes and reads texels.

    Raises:
        ValueError: a resource is a buffer, the destination is compressed, or one format cannot become the other.
    """
    if dst.is_buffer or src.is_buffer:
        raise ValueError("blit: dst, src: expected textures; use resource_copy_region for buffers")
    if isinstance(dst.format, CompressedFormat):
        raise ValueError(f"blit: dst: {dst.format} is compressed; use resource_copy_region, which copies blocks")
    to, of = _seen(dst, dst_format, "blit: dst_format"), _seen(src, src_format, "blit: src_format")
    if to.is_depth_stencil != of.is_depth_stencil or (not to.is_depth_stencil and to.kind != of.kind):
        raise ValueError(f"blit: src_format: {of} cannot become {to}")
    return to, of


def _filters(format: Format) -> bool:
    """True if texels can be filtered linearly: color and depth, but not integers and stencil."""
    return format.has_depth or not (format.is_integer or format.is_depth_stencil)


def _decoded(resource: Resource, format: AnyFormat | str | None, argument: str) -> tuple[Resource, AnyFormat | str | None]:
    """The texture of decoded texels, and their format, if `format` is compressed; otherwise both unchanged."""
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
    channels: ColorMask = flags(ColorMask, mask, argument)
    return channels


def _axes(view: NDArray[np.uint8], source: NDArray[np.uint8], start: Triple, size: Triple, is_filtered: bool) -> tuple[Axis, Axis, Axis]:
    """Tables of the layers, rows and columns of the source that a target's texels are read from."""
    from backends.device.scale_job import axis

    z, y, x = (axis(n, s, m, top, is_filtered=is_filtered) for n, s, m, top in zip(view.shape, start, size, source.shape))
    return z, y, x
