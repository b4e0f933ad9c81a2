"""Depth planes of a draw, and the rules by which a native function writes bound values (viewports, scissors, planes)."""

from __future__ import annotations

import ctypes

from backends.device.bound import DrawState
from backends.device.framebuffer import Framebuffer, FramebufferKind
from backends.device.region import Region
from backends.formats import ChannelType
from backends.llvm.engine.engine import Library
from backends.pipe.enums import ConservativeRaster
from backends.pipe.limits import MAX_VIEWPORTS
from backends.pipe.state import RasterizerState
from backends.raster.draw_record import Clip, ValueRules, View
from backends.raster.layouts import FAR, NEAR, Shape

_WRITE = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)


class ValueWriter:
    """Writes the fields that depend on bound values into `Draw` records. library: `Kernels.common`."""

    def __init__(self, library: Library) -> None:
        self._library, self._write = library, _WRITE(library.address["write_values"])

    def write(self, draw: int, state: DrawState, framebuffer: Framebuffer, views: int = 0) -> bool:
        """Write a record whose rules are set. Returns whether the draw has a pixel or has to be counted without one.

        Arguments:
            draw: address of the record.
            views: address of a View for each viewport, if vertices name viewports.
        """
        return bool(self._write(draw, ctypes.addressof(state.record), framebuffer.width, framebuffer.height, views))


def write_rules(
    rules: ValueRules,
    r: RasterizerState,
    kind: FramebufferKind,
    *,
    is_window_space: bool,
    shape: Shape,
    is_hidden: bool,
    is_counted: bool,
) -> None:
    """Write the group `Draw.rules`, except user planes and stencil references.

    is_window_space: the shader writes window coordinates. shape: of the draw's primitives. is_hidden: nothing is drawn. is_counted: a draw
    without a pixel is also counted.
    """
    depth = kind.depth.depth if kind.depth is not None else None
    rules.is_window_space, rules.is_hidden, rules.is_counted = is_window_space, is_hidden, is_counted
    rules.is_cropped = (shape is Shape.TRIANGLE or (shape is Shape.POINT and r.point_tri_clip)) and not is_window_space
    rules.clips_sides = shape is Shape.LINE and not is_window_space
    rules.centers_are_whole = not r.half_pixel_center
    if r.conservative_raster_mode is ConservativeRaster.OFF:
        below = int(r.bottom_edge_rule)
        rules.margin[:] = (127, -129, 127 + below, -129 + below)  # pixels whose centers the viewport owns
    else:
        rules.margin[:] = (0, -1, 0, -1)  # pixels that it overlaps
    rules.clip_halfz, rules.has_scissor = r.clip_halfz, r.scissor
    rules.clips_near, rules.clips_far = r.depth_clip and r.depth_clip_near, r.depth_clip and r.depth_clip_far
    rules.clamps_depth = depth is None or depth.type is ChannelType.UNORM


def write_depth_planes(clip: Clip, r: RasterizerState) -> None:
    """Write the near and the far plane of the group `Draw.clip`, unless vertices are in window space."""
    clip.near = 0.0 if r.clip_halfz else -1.0
    if r.depth_clip:
        clip.near_bit, clip.far_bit = NEAR * r.depth_clip_near, FAR * r.depth_clip_far


def make_views(region: Region, are_named: bool) -> int:
    """Address of room for a View of each viewport, 0 if vertices name no viewport."""
    return region.allocate(ctypes.sizeof(View) * MAX_VIEWPORTS) if are_named else 0
