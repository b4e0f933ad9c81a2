"""Keyword arguments of calls that take the fields of a state template, as type checkers see them.

Written by `python -m tests.promises.keywords` from the templates; edit those.
Only type checkers read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, SupportsFloat, SupportsIndex, TypedDict

from backends.formats import AnyFormat
from backends.pipe.enums import (
    Bind,
    BlendFactor,
    BlendFunc,
    ColorMask,
    CompareFunc,
    ConservativeRaster,
    Face,
    LogicOp,
    PolygonMode,
    Prim,
    ResourceFlags,
    SpriteCoordMode,
    TexCompare,
    TexFilter,
    TexMipFilter,
    TextureTarget,
    TexWrap,
    Usage,
)
from backends.pipe.state import AlphaState, DepthState, RenderTargetBlend, StencilState


class RenderTargetBlendFields(TypedDict, total=False):
    """Fields of RenderTargetBlend."""

    blend_enable: bool | int
    rgb_func: BlendFunc | int | str
    rgb_src_factor: BlendFactor | int | str
    rgb_dst_factor: BlendFactor | int | str
    alpha_func: BlendFunc | int | str
    alpha_src_factor: BlendFactor | int | str
    alpha_dst_factor: BlendFactor | int | str
    colormask: ColorMask | int | str | Sequence[str]


class BlendStateFields(RenderTargetBlendFields, total=False):
    """Fields of BlendState, and those of RenderTargetBlend."""

    rt: Sequence[RenderTargetBlend | Mapping[str, Any]]
    independent_blend_enable: bool | int
    logicop_enable: bool | int
    logicop_func: LogicOp | int | str
    dither: bool | int
    alpha_to_coverage: bool | int
    alpha_to_one: bool | int


class RasterizerStateFields(TypedDict, total=False):
    """Fields of RasterizerState."""

    flatshade: bool | int
    light_twoside: bool | int
    clamp_vertex_color: bool | int
    clamp_fragment_color: bool | int
    clamp_fixed_only: bool | int
    front_ccw: bool | int
    cull_face: Face | int | str | Sequence[str]
    fill_front: PolygonMode | int | str
    fill_back: PolygonMode | int | str
    offset_point: bool | int
    offset_line: bool | int
    offset_tri: bool | int
    scissor: bool | int
    poly_smooth: bool | int
    poly_stipple_enable: bool | int
    point_smooth: bool | int
    sprite_coord_mode: SpriteCoordMode | int | str
    point_quad_rasterization: bool | int
    point_tri_clip: bool | int
    point_size_per_vertex: bool | int
    multisample: bool | int
    force_persample_interp: bool | int
    line_smooth: bool | int
    line_stipple_enable: bool | int
    line_last_pixel: bool | int
    flatshade_first: bool | int
    quads_provoke_last: bool | int
    half_pixel_center: bool | int
    bottom_edge_rule: bool | int
    rasterizer_discard: bool | int
    depth_clip: bool | int
    depth_clip_near: bool | int
    depth_clip_far: bool | int
    clip_halfz: bool | int
    offset_units_unscaled: bool | int
    tile_raster_order_fixed: bool | int
    tile_raster_order_increasing_x: bool | int
    tile_raster_order_increasing_y: bool | int
    conservative_raster_mode: ConservativeRaster | int | str
    conservative_raster_dilate: SupportsFloat
    subpixel_precision_x: SupportsIndex
    subpixel_precision_y: SupportsIndex
    clip_plane_enable: SupportsIndex
    sprite_coord_enable: SupportsIndex
    line_stipple_factor: SupportsIndex
    line_stipple_pattern: SupportsIndex
    line_width: SupportsFloat
    point_size: SupportsFloat
    offset_units: SupportsFloat
    offset_scale: SupportsFloat
    offset_clamp: SupportsFloat


class DepthStencilAlphaStateFields(TypedDict, total=False):
    """Fields of DepthStencilAlphaState."""

    depth: DepthState | Mapping[str, Any]
    stencil: StencilState | Mapping[str, Any] | Sequence[StencilState | Mapping[str, Any]]
    alpha: AlphaState | Mapping[str, Any]


class SamplerStateFields(TypedDict, total=False):
    """Fields of SamplerState."""

    wrap_s: TexWrap | int | str
    wrap_t: TexWrap | int | str
    wrap_r: TexWrap | int | str
    min_img_filter: TexFilter | int | str
    mag_img_filter: TexFilter | int | str
    min_mip_filter: TexMipFilter | int | str
    compare_mode: TexCompare | int | str
    compare_func: CompareFunc | int | str
    normalized_coords: bool | int
    max_anisotropy: SupportsIndex
    seamless_cube_map: bool | int
    lod_bias: SupportsFloat
    min_lod: SupportsFloat
    max_lod: SupportsFloat
    border_color: Sequence[SupportsFloat]
    lod_by_length: bool | int


class DrawInfoFields(TypedDict, total=False):
    """Fields of DrawInfo."""

    mode: Prim | int | str
    count: SupportsIndex
    start: SupportsIndex
    index_size: SupportsIndex
    instance_count: SupportsIndex
    start_instance: SupportsIndex
    index_bias: SupportsIndex
    primitive_restart: bool | int
    restart_index: SupportsIndex
    drawid: SupportsIndex
    vertices_per_patch: SupportsIndex
    min_index: SupportsIndex
    max_index: SupportsIndex
    indexed: bool | int


class GridInfoFields(TypedDict, total=False):
    """Fields of GridInfo."""

    pc: SupportsIndex
    input: Any
    work_dim: SupportsIndex
    block: Sequence[SupportsIndex] | None
    last_block: Sequence[SupportsIndex]
    grid: Sequence[SupportsIndex]
    indirect: Any
    indirect_offset: SupportsIndex
    variable_shared_mem: SupportsIndex
    indirect_stride: SupportsIndex
    draw_count: SupportsIndex
    indirect_draw_count: Any
    indirect_draw_count_offset: SupportsIndex


class TemplateFields(TypedDict, total=False):
    """Fields of Template."""

    width0: SupportsIndex
    height0: SupportsIndex
    depth0: SupportsIndex
    array_size: SupportsIndex
    target: TextureTarget | int | str
    format: AnyFormat | str
    last_level: SupportsIndex
    nr_samples: SupportsIndex
    nr_storage_samples: SupportsIndex
    bind: Bind | int | str | Sequence[str]
    usage: Usage | int | str
    flags: ResourceFlags | int | str | Sequence[str]
