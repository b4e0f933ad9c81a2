"""The definition of `View` in Python: what generated code (`backends.raster.front.bound_values`) has to write."""

from __future__ import annotations

import math
from typing import NamedTuple

from backends.device.bound import DrawState
from backends.device.framebuffer import Framebuffer
from backends.formats import ChannelType, Format
from backends.pipe.enums import ConservativeRaster
from backends.pipe.state import RasterizerState, ScissorState, ViewportState
from backends.raster.draw_record import View

GUARD_BAND = 1 << 14  # pixels from the origin; vertices farther away are clipped, so that edge equations stay exact
_FAR_AWAY = 1e30  # a guard plane that clips nothing
_NOTHING = (1, 1, 0, 0)  # a region without a pixel


def _finite(v: float) -> float:
    return v if math.isfinite(v) else 0.0


def center(size: int) -> float:
    """Middle of the guard band of a framebuffer, in pixels along an axis."""
    return 8192.0 if size > 8192 else 0.0


def _guard(scale: float, translate: float, center: float) -> tuple[float, float]:
    """Bounds of x/w (or y/w) inside which window coordinates stay within the guard band."""
    if abs(scale) < 1e-20:
        return -_FAR_AWAY, _FAR_AWAY
    limit = GUARD_BAND - 1
    low, high = (center - limit - translate) / scale, (center + limit - translate) / scale
    low, high = min(low, high), max(low, high)
    return max(low, -_FAR_AWAY), min(high, _FAR_AWAY)


class Bounds(NamedTuple):
    """Rules for the pixels of a draw.

    Attributes:
        is_window_space: the shader writes window coordinates, and 1/w as w.
        is_cropped: the viewport bounds the pixels (of polygons, but not of wide points and lines).
        is_hidden: nothing is drawn, whatever is bound.
        clips_sides: lines end at the sides of a viewport that is not as large as the framebuffer.
    """

    is_window_space: bool
    is_cropped: bool
    is_hidden: bool
    clips_sides: bool = False


def write_view(view: View, number: int, state: DrawState, framebuffer: Framebuffer, bounds: Bounds) -> bool:
    """Write viewport `number` with its scissor, the group `Draw.view`. Returns whether the draw has a pixel in it."""
    r = state.rasterizer
    centers = center(framebuffer.width), center(framebuffer.height)
    view.least[:], view.most[:] = ([c + end for c in centers] for end in (-GUARD_BAND, GUARD_BAND))
    if bounds.is_window_space:
        view.scale[:] = (1.0, 1.0, 1.0)
        view.translate[:2] = (0.0, 0.0) if r.half_pixel_center else (0.5, 0.5)
        view.depth_min, view.depth_max = 0.0, 1.0
    elif number or state.viewports:
        depth = framebuffer.zsbuf.format if framebuffer.zsbuf is not None else None
        sizes = (framebuffer.width, framebuffer.height) if bounds.clips_sides else None
        viewport = state.viewports[number] if number < len(state.viewports) else ViewportState()
        write_viewport(view, viewport, r, depth, centers, sizes)
    x0, y0, x1, y1 = 0, 0, framebuffer.width - 1, framebuffer.height - 1
    if r.scissor:
        s = state.scissors[number] if number < len(state.scissors) else ScissorState()
        x0, y0, x1, y1 = max(x0, s.minx), max(y0, s.miny), min(x1, s.maxx - 1), min(y1, s.maxy - 1)
    if bounds.is_cropped:
        is_touched = r.conservative_raster_mode is not ConservativeRaster.OFF
        left, right = _span(view.scale[0], view.translate[0], False, is_touched)
        bottom, top = _span(view.scale[1], view.translate[1], r.bottom_edge_rule, is_touched)
        x0, y0, x1, y1 = max(x0, left), max(y0, bottom), min(x1, right), min(y1, top)
    is_visible = x0 <= x1 and y0 <= y1 and not bounds.is_hidden
    view.region[:] = (x0, y0, x1, y1) if is_visible else _NOTHING
    return is_visible


def write_viewport(
    view: View,
    viewport: ViewportState,
    rasterizer: RasterizerState,
    depth: Format | None,
    centers: tuple[float, float] = (0.0, 0.0),
    sizes: tuple[int, int] | None = None,
) -> None:
    """Write projection, clip planes and depth range of a viewport. sizes: of the framebuffer, if lines end at the viewport's sides."""
    scale = [_finite(v) for v in viewport.scale]
    translate = [_finite(v) for v in viewport.translate]
    if not rasterizer.half_pixel_center:  # pixel centers are at whole numbers: all coordinates move by half a pixel
        translate[0] += 0.5
        translate[1] += 0.5
    view.scale[:], view.translate[:] = scale, translate
    bounds = [_guard(scale[axis], translate[axis], centers[axis]) for axis in range(2)]
    for axis, size in enumerate(sizes or ()):
        if translate[axis] - abs(scale[axis]) > 0 or translate[axis] + abs(scale[axis]) < size:
            bounds[axis] = max(bounds[axis][0], -1.0), min(bounds[axis][1], 1.0)
    (left, right), (bottom, top) = bounds
    view.guard[:] = (left, right, bottom, top)
    near = (0, 0, 1, 0 if rasterizer.clip_halfz else 1) if rasterizer.depth_clip and rasterizer.depth_clip_near else (0, 0, 0, 0)
    far = (0, 0, -1, 1) if rasterizer.depth_clip and rasterizer.depth_clip_far else (0, 0, 0, 0)
    view.planes[:] = (*near, *far, 1, 0, 0, -left, -1, 0, 0, right, 0, 1, 0, -bottom, 0, -1, 0, top)
    ends = (translate[2] if rasterizer.clip_halfz else translate[2] - scale[2], translate[2] + scale[2])
    low, high = min(ends), max(ends)
    if depth is None or depth.depth is None or depth.depth.type is ChannelType.UNORM:
        low, high = min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)
    view.depth_min, view.depth_max = low, high


def _span(scale: float, translate: float, ends_below: bool, is_touched: bool) -> tuple[int, int]:
    """First and last pixel whose center the viewport owns along one axis, or (`is_touched`) of which it owns a part.

    Its edges are snapped as vertices are."""
    limit = float(2 * GUARD_BAND)
    half = abs(scale)
    low, high = round(min(max(translate - half, -limit), limit) * 256), round(min(max(translate + half, -limit), limit) * 256)
    if is_touched:
        return low // 256, -(-high // 256) - 1
    if ends_below:
        return (low + 128) >> 8, (high - 128) >> 8
    return (low + 127) >> 8, (high - 129) >> 8
