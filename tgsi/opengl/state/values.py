"""State of a context that affects draws, with initial values. (OpenGL 4.6 compatibility, chapter 23)"""

from __future__ import annotations

from dataclasses import dataclass, field

from tgsi.opengl.registry import enums as GL

VIEWPORTS = 16
MAX_DRAW_BUFFERS = 8

Floats4 = tuple[float, float, float, float]


@dataclass(slots=True, kw_only=True)
class TargetBlend:
    """Blending and the color mask of one draw buffer."""

    enabled: bool = False
    equation_rgb: int = GL.FUNC_ADD
    equation_alpha: int = GL.FUNC_ADD
    source_rgb: int = GL.ONE
    target_rgb: int = GL.ZERO
    source_alpha: int = GL.ONE
    target_alpha: int = GL.ZERO
    mask: int = 15


@dataclass(slots=True, kw_only=True)
class StencilFace:
    """The stencil test of one face."""

    func: int = GL.ALWAYS
    ref: int = 0
    value_mask: int = 0xFFFFFFFF
    write_mask: int = 0xFFFFFFFF
    fail: int = GL.KEEP
    depth_fail: int = GL.KEEP
    depth_pass: int = GL.KEEP


@dataclass(slots=True, kw_only=True)
class FragmentState:
    """Tests, blending and masks of fragments. (OpenGL 4.6 compatibility, chapter 17)"""

    targets: list[TargetBlend] = field(default_factory=lambda: [TargetBlend() for _ in range(MAX_DRAW_BUFFERS)])
    blend_color: Floats4 = (0.0, 0.0, 0.0, 0.0)
    logic_op: int = GL.COPY
    depth_func: int = GL.LESS
    depth_mask: bool = True
    front: StencilFace = field(default_factory=StencilFace)
    back: StencilFace = field(default_factory=StencilFace)
    alpha_func: int = GL.ALWAYS
    alpha_ref: float = 0.0
    coverage: float = 1.0
    coverage_invert: bool = False
    sample_mask: int = 0xFFFFFFFF
    min_sample_shading: float = 0.0
    clamp_read: int = GL.FIXED_ONLY


@dataclass(slots=True, kw_only=True)
class RasterState:
    """Rasterization and the transform to the window. (OpenGL 4.6 compatibility, chapters 13 and 14)"""

    viewports: list[Floats4] = field(default_factory=lambda: [(0.0, 0.0, 0.0, 0.0)] * VIEWPORTS)
    depth_ranges: list[tuple[float, float]] = field(default_factory=lambda: [(0.0, 1.0)] * VIEWPORTS)
    scissors: list[tuple[int, int, int, int]] = field(default_factory=lambda: [(0, 0, 0, 0)] * VIEWPORTS)
    scissor_enabled: list[bool] = field(default_factory=lambda: [False] * VIEWPORTS)
    cull_face: int = GL.BACK
    front_face: int = GL.CCW
    polygon_front: int = GL.FILL
    polygon_back: int = GL.FILL
    offset_factor: float = 0.0
    offset_units: float = 0.0
    offset_clamp: float = 0.0
    line_width: float = 1.0
    point_size: float = 1.0
    sprite_origin: int = GL.UPPER_LEFT
    provoking: int = GL.LAST_VERTEX_CONVENTION
    clip_origin: int = GL.LOWER_LEFT
    clip_depth: int = GL.NEGATIVE_ONE_TO_ONE
    patch_vertices: int = 3
    patch_outer: Floats4 = (1.0, 1.0, 1.0, 1.0)
    patch_inner: tuple[float, float] = (1.0, 1.0)
    line_factor: int = 1
    line_pattern: int = 0xFFFF
    stipple: tuple[int, ...] = (0xFFFFFFFF,) * 32
    shade_model: int = GL.SMOOTH


@dataclass(slots=True, kw_only=True)
class PixelStore:
    """Pixel store parameters of one direction. (OpenGL 4.6 compatibility, 8.4.1 and 18.2)"""

    alignment: int = 4
    row_length: int = 0
    image_height: int = 0
    skip_rows: int = 0
    skip_pixels: int = 0
    skip_images: int = 0
    swap_bytes: bool = False
    lsb_first: bool = False


@dataclass(slots=True, kw_only=True)
class ClearValues:
    """Values of glClear."""

    color: Floats4 = (0.0, 0.0, 0.0, 0.0)
    depth: float = 1.0
    stencil: int = 0
    accum: Floats4 = (0.0, 0.0, 0.0, 0.0)
    index: float = 0.0


DEFAULT_ENABLED = frozenset({GL.DITHER, GL.MULTISAMPLE})
"""Capabilities that are initially enabled."""
