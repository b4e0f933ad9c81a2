"""A draw that is ready, and how the same draw is recognized when it comes again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backends.gallium.state import DrawInfo
from backends.raster.packet import DrawState, Framebuffer


@dataclass(slots=True)
class Packet:
    """A draw that is ready: its record, and the memory ranges that it will read.

    primitives: triangles, lines and points; assembled: what they make up, where a quad or polygon is one."""

    address: int
    primitives: int
    vertices: int
    reads: list[tuple[int, int]]
    assembled: int = 0
    is_layered: bool = False  # primitives name layers
    is_repeatable: bool = True  # the record names no memory that ends with the frame, but for environments


@dataclass(slots=True)
class Repeat:
    """The last draw: if everything is as it was, so is its record."""

    known: tuple[object, ...]
    content: bytes
    packet: Packet
    kept: list[Any]


def identity(state: DrawState, info: DrawInfo, framebuffer: Framebuffer) -> tuple[object, ...]:
    """Every object that a draw record is made of, but for constants."""
    return (
        state.vertex_shader,
        state.fragment_shader,
        state.rasterizer,
        state.blend,
        state.depth_stencil_alpha,
        state.vertex_elements,
        state.vertex_buffers,
        state.index_buffer,
        state.blend_color,
        state.stencil_ref,
        state.viewports,
        state.scissors,
        state.polygon_stipple,
        state.window_rectangles,
        state.clip_planes,
        state.sample_mask,
        state.min_samples,
        state.count_samples,
        state.count_statistics,
        state.link,
        info,
        framebuffer,
        *state.vertex.views,
        None,
        *state.vertex.samplers,
        None,
        *state.fragment.views,
        None,
        *state.fragment.samplers,
    )
