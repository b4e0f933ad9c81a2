"""Gallium's state templates, the arguments of create_* and set_*. Field names are Mesa's, with booleans where C has bits.

Every template is frozen, so a constant state object may keep it. Source: the documents on constant state objects.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, fields
from typing import Any

from backends.formats import VertexFormat
from backends.pipe.enums import (
    BlendFactor,
    BlendFunc,
    ColorMask,
    CompareFunc,
    ConservativeRaster,
    Face,
    LogicOp,
    PolygonMode,
    Prim,
    SpriteCoordMode,
    StencilOp,
    TexCompare,
    TexFilter,
    TexMipFilter,
    TexWrap,
)
from tgsi.language.record import record

MAX_ANISOTROPY = 16
"""Largest max_anisotropy of a sampler, and value of PIPE_CAPF_MAX_TEXTURE_ANISOTROPY."""


@record(kw_only=True)
class RenderTargetBlend:
    """Blending of one render target."""

    blend_enable: bool = False
    rgb_func: BlendFunc = BlendFunc.ADD
    rgb_src_factor: BlendFactor = BlendFactor.ONE
    rgb_dst_factor: BlendFactor = BlendFactor.ZERO
    alpha_func: BlendFunc = BlendFunc.ADD
    alpha_src_factor: BlendFactor = BlendFactor.ONE
    alpha_dst_factor: BlendFactor = BlendFactor.ZERO
    colormask: ColorMask = ColorMask.RGBA


@record
class BlendState:
    """Blending: the way fragment colors are combined with the framebuffer.

    Without independent_blend_enable, rt[0] applies to every target.
    """

    rt: tuple[RenderTargetBlend, ...] = (RenderTargetBlend(),)
    _: KW_ONLY
    independent_blend_enable: bool = False
    logicop_enable: bool = False
    logicop_func: LogicOp = LogicOp.COPY
    dither: bool = False
    alpha_to_coverage: bool = False
    alpha_to_one: bool = False

    def target(self, index: int) -> RenderTargetBlend:
        """Blending of one target; a target without an entry of its own is not blended."""
        if not self.independent_blend_enable:
            index = 0
        return self.rt[index] if index < len(self.rt) else RenderTargetBlend()


@record
class DepthState:
    """The depth test. The write mask has no effect while the test is off."""

    enabled: bool = False
    writemask: bool = False
    func: CompareFunc = CompareFunc.NEVER
    bounds_test: bool = False
    bounds_min: float = 0.0
    bounds_max: float = 1.0


@record(kw_only=True)
class StencilState:
    """The stencil test of one facing."""

    enabled: bool = False
    func: CompareFunc = CompareFunc.NEVER
    fail_op: StencilOp = StencilOp.KEEP
    zpass_op: StencilOp = StencilOp.KEEP
    zfail_op: StencilOp = StencilOp.KEEP
    valuemask: int = 0
    writemask: int = 0


@record
class AlphaState:
    """The alpha test, on color 0."""

    enabled: bool = False
    func: CompareFunc = CompareFunc.NEVER
    ref_value: float = 0.0


@record
class DepthStencilAlphaState:
    """Depth, stencil and alpha tests. If stencil[1] is enabled, back faces have their own stencil state."""

    depth: DepthState = DepthState()
    stencil: tuple[StencilState, StencilState] = (StencilState(), StencilState())
    alpha: AlphaState = AlphaState()


@record(kw_only=True)
class RasterizerState:
    """Rasterization: the way primitives become fragments."""

    flatshade: bool = False
    light_twoside: bool = False
    clamp_vertex_color: bool = False
    clamp_fragment_color: bool = False
    clamp_fixed_only: bool = False  # not Mesa's: True turns both clamps off while a float color buffer is bound
    front_ccw: bool = False
    cull_face: Face = Face.NONE
    fill_front: PolygonMode = PolygonMode.FILL
    fill_back: PolygonMode = PolygonMode.FILL
    offset_point: bool = False
    offset_line: bool = False
    offset_tri: bool = False
    scissor: bool = False
    poly_smooth: bool = False
    poly_stipple_enable: bool = False
    point_smooth: bool = False
    sprite_coord_mode: SpriteCoordMode = SpriteCoordMode.UPPER_LEFT
    point_quad_rasterization: bool = False
    point_tri_clip: bool = False
    point_size_per_vertex: bool = False
    multisample: bool = False
    force_persample_interp: bool = False
    line_smooth: bool = False
    line_stipple_enable: bool = False
    line_last_pixel: bool = False
    flatshade_first: bool = False
    quads_provoke_last: bool = False
    half_pixel_center: bool = True
    bottom_edge_rule: bool = False
    rasterizer_discard: bool = False
    depth_clip: bool = True
    depth_clip_near: bool = True
    depth_clip_far: bool = True
    clip_halfz: bool = False
    offset_units_unscaled: bool = False
    tile_raster_order_fixed: bool = False
    tile_raster_order_increasing_x: bool = False
    tile_raster_order_increasing_y: bool = False
    conservative_raster_mode: ConservativeRaster = ConservativeRaster.OFF
    conservative_raster_dilate: float = 0.0
    subpixel_precision_x: int = 0
    subpixel_precision_y: int = 0
    clip_plane_enable: int = 0
    sprite_coord_enable: int = 0
    line_stipple_factor: int = 0
    line_stipple_pattern: int = 0xFFFF
    line_width: float = 1.0
    point_size: float = 1.0
    offset_units: float = 0.0
    offset_scale: float = 0.0
    offset_clamp: float = 0.0


@record(kw_only=True)
class SamplerState:
    """Sampling of textures. border_color holds floats, or integers for integer views.

    lod_by_length: the level of detail follows the longer of the vectors d/dx and d/dy, as in llvmpipe; otherwise their largest component,
    as in softpipe. OpenGL allows both.
    """

    wrap_s: TexWrap = TexWrap.REPEAT
    wrap_t: TexWrap = TexWrap.REPEAT
    wrap_r: TexWrap = TexWrap.REPEAT
    min_img_filter: TexFilter = TexFilter.NEAREST
    mag_img_filter: TexFilter = TexFilter.NEAREST
    min_mip_filter: TexMipFilter = TexMipFilter.NONE
    compare_mode: TexCompare = TexCompare.NONE
    compare_func: CompareFunc = CompareFunc.NEVER
    normalized_coords: bool = True
    max_anisotropy: int = 0
    seamless_cube_map: bool = False
    lod_bias: float = 0.0
    min_lod: float = 0.0
    max_lod: float = 1000.0
    border_color: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    lod_by_length: bool = False


@record
class VertexElement:
    """One vertex attribute: its place in the buffer and its format. Missing components become 0, 0, 0, 1; 64-bit floats become f32."""

    src_offset: int
    src_format: VertexFormat
    vertex_buffer_index: int = 0
    instance_divisor: int = 0


@record(eq=False, weakref=True)
class VertexBuffer:
    """A vertex buffer binding: a Resource, or bytes or an array that is copied at once. Stride 0 repeats one vertex.

    The `stride` of an array defaults to the distance of its rows (axis 0). `buffer_offset` is where vertex 0 begins; it may be negative.
    """

    buffer: Any
    stride: int | None = None
    buffer_offset: int = 0


@record
class ViewportState:
    """The viewport transform: window coordinates are ndc * scale + translate."""

    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    translate: tuple[float, float, float] = (0.0, 0.0, 0.0)


@record
class ScissorState:
    """Half-open rectangle in pixels: maxx and maxy lie outside."""

    minx: int = 0
    miny: int = 0
    maxx: int = 0
    maxy: int = 0


@record
class BlendColor:
    """The constant color of blend factors."""

    color: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


@record
class StencilRef:
    """Reference values of the stencil test: front, back."""

    ref_value: tuple[int, int] = (0, 0)


@record
class ClipState:
    """User clip planes: coefficients that are multiplied with the clip position."""

    ucp: tuple[tuple[float, float, float, float], ...] = ()


@record
class PolyStipple:
    """32 rows of 32 pixels; the most significant bit is leftmost."""

    stipple: tuple[int, ...] = (0xFFFFFFFF,) * 32


@record(kw_only=True)
class DrawInfo:
    """One draw. With index_size 0 it draws vertices `start` to `start + count - 1`, otherwise it reads that range of indices.

    indexed: indices are read; if index_size is 0, with the size given to `set_index_buffer`. (context.rst, "Drawing") vertices_per_patch:
    for PATCHES; 0 means the number of `set_patch_vertices`.
    """

    mode: Prim = Prim.TRIANGLES
    count: int = 0
    start: int = 0
    index_size: int = 0
    instance_count: int = 1
    start_instance: int = 0
    index_bias: int = 0
    primitive_restart: bool = False
    restart_index: int = 0xFFFFFFFF
    drawid: int = 0
    vertices_per_patch: int = 0
    min_index: int = 0
    max_index: int = 0xFFFFFFFF
    indexed: bool = False

    def _repr_html_(self) -> str:
        from tgsi.language import notebook

        values = [(item.name, getattr(self, item.name)) for item in fields(self)]
        usual = {item.name: item.default for item in fields(self)}
        rows = [(name, getattr(value, "name", value)) for name, value in values if name in ("mode", "count") or value != usual[name]]
        return notebook.heading("Draw") + notebook.table((), rows)


@record
class StreamOutput:
    """Components of an output register that are written to a buffer; offsets in 32-bit words."""

    register_index: int
    start_component: int = 0
    num_components: int = 4
    output_buffer: int = 0
    dst_offset: int = 0
    stream: int = 0


@record
class StreamOutputInfo:
    """The outputs that a vertex, tessellation evaluation or geometry shader streams out; `stride` of each buffer in 32-bit words."""

    stride: tuple[int, ...] = ()
    output: tuple[StreamOutput, ...] = ()
