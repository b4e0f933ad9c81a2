"""Carved out of backends.raster.routes."""

from __future__ import annotations

import ctypes

from backends.device.bound import DrawState, Framebuffer
from backends.device.region import Region
from backends.formats import Format
from backends.pipe.limits import MAX_VIEWPORTS
from backends.pipe.state import ViewportState
from backends.raster.draw.link import Linked
from backends.raster.draw.viewport import write_region, write_viewport
from backends.raster.records import DEFAULT_REGISTER, Draw, SetupLayout, Shape, View


def write_routes(d: Draw, linked: Linked, framebuffer: Framebuffer, total: int) -> int:
    """Where vertex records carry layer and viewport. Returns the number of vertex slots."""
    d.layers.layer_slot = d.layers.viewport_slot = d.offset.slot = -1
    if linked.layer is not None and framebuffer.layers > 1:
        d.layers.layer_slot, d.vertices.source[total], d.vertices.is_flat[total] = total, linked.layer, 1
        total += 1
    if linked.viewport is not None and not linked.is_window_space:
        d.layers.viewport_slot, d.vertices.source[total], d.vertices.is_flat[total] = total, linked.viewport, 1
        total += 1
    if d.offset.outline_modes:
        d.offset.slot, d.vertices.source[total], d.vertices.is_flat[total] = total, DEFAULT_REGISTER, 1  # (its x is 0)
        total += 1
    names = d.layers.layer_slot >= 0 or d.layers.viewport_slot >= 0
    d.layers.has_route, d.layers.is_layer_relative = names or d.offset.slot >= 0 or d.setup.smooth_fill, linked.is_layer_relative
    if d.layers.has_route:
        d.setup.record_size += SetupLayout.ROUTE
        d.layers.places_per_primitive = d.layers.viewport_slot >= 0 or (names and d.primitives.shape != Shape.TRIANGLE)
    return total


def write_views(d: Draw, region: Region, state: DrawState, framebuffer: Framebuffer, depth: Format | None, crop: bool) -> bool:
    """Every viewport with its scissor. False: none of them has a pixel."""
    d.layers.views = region.allocate(ctypes.sizeof(View) * MAX_VIEWPORTS)
    visible = False
    for k, view in enumerate((View * MAX_VIEWPORTS).from_address(d.layers.views)):
        write_viewport(view, state.viewports[k] if k < len(state.viewports) else ViewportState(), state.rasterizer, depth)
        if write_region(view, framebuffer, state.rasterizer, state.scissors, crop, k):
            visible = True
        else:
            view.region[:] = (1, 1, 0, 0)
    return visible
