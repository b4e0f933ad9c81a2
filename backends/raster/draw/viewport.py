"""Clip distances and layers of a draw; rules for bound values (viewports, scissors, planes), which a native function writes."""

from __future__ import annotations

import ctypes

from backends.device.bound import DrawState, Framebuffer
from backends.device.region import Region
from backends.formats import ChannelType
from backends.llvm.engine.engine import Library
from backends.pipe.enums import ConservativeRaster
from backends.pipe.limits import MAX_VIEWPORTS
from backends.raster.draw.link import Linked
from backends.raster.draw.varyings import VertexSlots
from backends.raster.draw_record import Clip, Layers, ValueRules, View
from backends.raster.layouts import DEFAULT_REGISTER, FAR, MAX_DISTANCES, NEAR, NO_REGISTER, NO_SLOT, VertexLayout

_WRITE = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)


class ValueWriter:
    """Writes what depends on bound values into `Draw` records. library: `Kernels.common`."""

    def __init__(self, library: Library) -> None:
        self._library, self._write = library, _WRITE(library.address["write_values"])

    def write(self, draw: int, state: DrawState, framebuffer: Framebuffer, views: int = 0) -> bool:
        """Write a record whose rules are set. Returns whether the draw has a pixel, or counts without one.

        Arguments:
            draw: address of the record.
            views: address of a View for each viewport, if vertices name viewports.
        """
        return bool(self._write(draw, ctypes.addressof(state.record), framebuffer.width, framebuffer.height, views))


def write_rules(
    rules: ValueRules, state: DrawState, framebuffer: Framebuffer, linked: Linked, *, is_polygon: bool, is_hidden: bool
) -> None:
    """Write the group `Draw.rules`. is_polygon: the draw's primitives are filled triangles. is_hidden: nothing is drawn."""
    r, depth = state.rasterizer, framebuffer.zsbuf.format if framebuffer.zsbuf is not None else None
    rules.is_window_space, rules.is_hidden, rules.is_counted = linked.is_window_space, is_hidden, state.count_statistics
    rules.is_cropped = is_polygon and not linked.is_window_space
    rules.centers_are_whole = not r.half_pixel_center
    if r.conservative_raster_mode is ConservativeRaster.OFF:
        below = int(r.bottom_edge_rule)
        rules.margin[:] = (127, -129, 127 + below, -129 + below)  # pixels whose centers the viewport owns
    else:
        rules.margin[:] = (0, -1, 0, -1)  # pixels of which it owns a part
    rules.clip_halfz, rules.has_scissor = r.clip_halfz, r.scissor
    rules.clips_near, rules.clips_far = r.depth_clip and r.depth_clip_near, r.depth_clip and r.depth_clip_far
    rules.clamps_depth = depth is None or depth.depth is None or depth.depth.type is ChannelType.UNORM
    rules.has_back_stencil = state.depth_stencil_alpha.stencil[1].enabled
    rules.has_planes = linked.has_user_planes and not linked.num_distances


def write_clip(clip: Clip, state: DrawState, linked: Linked, slots: VertexSlots) -> None:
    """Write the group `Draw.clip`."""
    r = state.rasterizer
    if not linked.is_window_space and state.viewports:
        clip.near = 0.0 if r.clip_halfz else -1.0
        if r.depth_clip:
            clip.near_bit, clip.far_bit = NEAR * r.depth_clip_near, FAR * r.depth_clip_far
    clip.cull_mask, clip.user_register = slots.cull_mask, NO_REGISTER
    if not linked.num_distances:
        clip.user_register = linked.clip_vertex
    if not slots.has_distances:
        return
    for k in range(MAX_DISTANCES):
        register = linked.clip_distance[k // 4]
        clip.distance_source[k] = (DEFAULT_REGISTER if register is None else register) * 4 + k % 4
    clip.distances_at = VertexLayout.SLOTS + 16 * len(slots.source)
    clip.user_mask, clip.num_distances = slots.user_mask, slots.user_mask.bit_length()


def write_layers(layers: Layers, slots: VertexSlots, linked: Linked) -> None:
    """Write the group `Draw.layers`, but for the views."""
    layers.has_route = slots.has_route
    layers.layer_slot, layers.viewport_slot, layers.is_layer_relative = slots.layer, slots.viewport, linked.is_layer_relative


def make_views(region: Region, slots: VertexSlots) -> int:
    """Address of room for a View of each viewport, 0 if vertices name no viewport."""
    return 0 if slots.viewport == NO_SLOT else region.allocate(ctypes.sizeof(View) * MAX_VIEWPORTS)
