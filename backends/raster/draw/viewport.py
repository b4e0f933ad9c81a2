"""Viewport, scissor and depth offset as the numbers that kernels want."""

from __future__ import annotations

import math
from collections.abc import Sequence

from backends.device.bound import Framebuffer
from backends.formats import ChannelType, Format
from backends.pipe.state import RasterizerState, ScissorState, ViewportState
from backends.raster.records import Draw, View

GUARD_BAND = 1 << 14  # pixels around the origin: farther vertices are clipped, so that edge equations stay exact
_FAR_AWAY = 1e30  # stands for no guard plane


def _finite(v: float) -> float:
    return v if math.isfinite(v) else 0.0


def _guard(scale: float, translate: float) -> tuple[float, float]:
    """Bounds of x/w (or y/w) inside which window coordinates stay within the guard band."""
    if abs(scale) < 1e-20:
        return -_FAR_AWAY, _FAR_AWAY
    limit = GUARD_BAND - 1
    low, high = (-limit - translate) / scale, (limit - translate) / scale
    low, high = min(low, high), max(low, high)
    return max(low, -_FAR_AWAY), min(high, _FAR_AWAY)


def write_window_space(d: Draw, rasterizer: RasterizerState) -> None:
    """No projection and no clipping: positions are window coordinates, w is 1/w."""
    d.vertices.is_window_space, d.view.scale[:] = 1, (1.0, 1.0, 1.0)
    d.view.translate[:2] = (0.0, 0.0) if rasterizer.half_pixel_center else (0.5, 0.5)
    d.view.depth_min, d.view.depth_max = 0.0, 1.0


def write_depth_clip(d: Draw, rasterizer: RasterizerState) -> None:
    """Near and far, as clip masks want them."""
    d.clip.near, d.clip.depth_clip = (0.0 if rasterizer.clip_halfz else -1.0), rasterizer.depth_clip


def write_viewport(view: View, viewport: ViewportState, rasterizer: RasterizerState, depth: Format | None) -> None:
    """Projection, clip planes, depth range."""
    scale = [_finite(v) for v in viewport.scale]
    translate = [_finite(v) for v in viewport.translate]
    if not rasterizer.half_pixel_center:  # pixel centers are at whole numbers: everything moves by half a pixel
        translate[0] += 0.5
        translate[1] += 0.5
    view.scale[:], view.translate[:] = scale, translate
    left, right = _guard(scale[0], translate[0])
    bottom, top = _guard(scale[1], translate[1])
    view.guard[:] = (left, right, bottom, top)
    near = (0, 0, 1, 0 if rasterizer.clip_halfz else 1) if rasterizer.depth_clip else (0, 0, 0, 0)
    far = (0, 0, -1, 1) if rasterizer.depth_clip else (0, 0, 0, 0)
    view.planes[:] = (*near, *far, 1, 0, 0, -left, -1, 0, 0, right, 0, 1, 0, -bottom, 0, -1, 0, top)
    ends = (translate[2] if rasterizer.clip_halfz else translate[2] - scale[2], translate[2] + scale[2])
    low, high = min(ends), max(ends)
    if depth is None or depth.depth is None or depth.depth.type is ChannelType.UNORM:
        low, high = min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)
    view.depth_min, view.depth_max = low, high


def _span(scale: float, translate: float, ends_below: bool) -> tuple[int, int]:
    """First and last pixel whose center the viewport owns along one axis, its edges snapped as vertices are."""
    limit = float(2 * GUARD_BAND)
    low, high = (round(min(max(translate + s * abs(scale), -limit), limit) * 256) for s in (-1, 1))
    if ends_below:
        return (low + 128) >> 8, (high - 128) >> 8
    return (low + 127) >> 8, (high - 129) >> 8


def write_region(
    view: View, framebuffer: Framebuffer, rasterizer: RasterizerState, scissors: Sequence[ScissorState], crop: bool, number: int = 0
) -> bool:
    """The pixels that viewport `number` may draw. False: there are none. `crop`: it bounds them, too (not so wide points and lines)."""
    x0, y0, x1, y1 = 0, 0, framebuffer.width - 1, framebuffer.height - 1
    if rasterizer.scissor:
        s = scissors[number] if number < len(scissors) else ScissorState()
        x0, y0, x1, y1 = max(x0, s.minx), max(y0, s.miny), min(x1, s.maxx - 1), min(y1, s.maxy - 1)
    if crop:
        left, right = _span(view.scale[0], view.translate[0], False)
        bottom, top = _span(view.scale[1], view.translate[1], rasterizer.bottom_edge_rule)
        x0, y0, x1, y1 = max(x0, left), max(y0, bottom), min(x1, right), min(y1, top)
    view.region[:] = (x0, y0, x1, y1)
    return x0 <= x1 and y0 <= y1


def write_offset(d: Draw, rasterizer: RasterizerState, depth: Format | None, is_on: bool) -> None:
    """Depth offset of polygons."""
    d.offset.unit = 0
    if not is_on or depth is None or depth.depth is None:
        return
    units = rasterizer.offset_units
    d.offset.unit = 1
    if not rasterizer.offset_units_unscaled:
        if depth.depth.type is ChannelType.FLOAT:
            d.offset.unit = 2
        else:
            units *= 2.0**-depth.depth.size
    d.offset.units, d.offset.scale, d.offset.clamp = units, rasterizer.offset_scale, rasterizer.offset_clamp


def write_windows(d: Draw, rectangles: Sequence[ScissorState]) -> None:
    """Window rectangles as the numbers that kernels want."""
    for k, r in enumerate(rectangles):
        d.fragments.windows[4 * k : 4 * k + 4] = (r.minx, r.miny, r.maxx - 1, r.maxy - 1)
