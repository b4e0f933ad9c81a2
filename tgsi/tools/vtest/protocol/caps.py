"""Capability set: the features that the client may use. Each field comes from the screen's answers, and Mesa derives the OpenGL version.

Source of the layout: the public header virgl_hw.h of the virglrenderer project.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from backends.formats import Format
from backends.gallium.resource.format_support import supported_binds
from backends.pipe.enums import Bind, ShaderType, TextureTarget
from backends.run.textures import STANDARD_POSITIONS
from tgsi.tools.vtest.protocol.numbers import FORMATS, STAGES, WIDE_FORMATS

if TYPE_CHECKING:
    from tgsi.gallium import Screen

FEATURE_CHECK_VERSION = 9
"""Host version reported to clients. Up to this version sprite coordinates are GENERIC, to match our PIPE_CAP TGSI_TEXCOORD."""

GL_ATTRIBUTES = 16
"""Number of vertex attributes and, below GLSL 1.50, of varyings that OpenGL guarantees. Clients use one number for both."""

GL_STORAGE_BUFFERS = 16
"""Most storage buffers of a stage that Mesa's frontend supports; it crashes if a driver offers more."""

GL_GEOMETRY_COMPONENTS = 4096
"""Components of all vertices that an invocation of a geometry shader may write, about as many as any hardware offers. Programs that scale
themselves to larger numbers (piglit's gs-max-output-components) request more vertices than allowed."""

TEXELS_ALIGNMENT = 16
"""Alignment of buffer textures in bytes: the protocol has their beginning in texels, of which the largest has 16 bytes."""

MAX_SAMPLES = (16, 8, 4, 2)
_LOCATIONS = {2: 0, 4: 1, 8: 2, 16: 4}
"""First word of the sample positions, by sample count. A position is a byte: x in the high four bits, y in the low, in 1/16 pixel."""

_MASK = ctypes.c_uint32 * 16
_U32, _I32, _F32 = ctypes.c_uint32, ctypes.c_int32, ctypes.c_float

_SWITCHES = """
    INDEP_BLEND_ENABLE INDEP_BLEND_FUNC CUBE_MAP_ARRAY SHADER_STENCIL_EXPORT CONDITIONAL_RENDER START_INSTANCE PRIMITIVE_RESTART
    BLEND_EQUATION_SEPARATE TGSI_INSTANCEID VERTEX_ELEMENT_INSTANCE_DIVISOR SEAMLESS_CUBE_MAP OCCLUSION_QUERY QUERY_TIME_ELAPSED
    STREAM_OUTPUT_PAUSE_RESUME TEXTURE_MULTISAMPLE TGSI_FS_COORD_ORIGIN_LOWER_LEFT DEPTH_CLIP_DISABLE SEAMLESS_CUBE_MAP_PER_TEXTURE .
    VERTEX_COLOR_CLAMPED . TEXTURE_MIRROR_CLAMP TEXTURE_QUERY_LOD DOUBLES MAX_SHADER_PATCH_VARYINGS DRAW_INDIRECT SAMPLE_SHADING
    CULL_DISTANCE CONDITIONAL_RENDER_INVERTED TGSI_FS_FINE_DERIVATIVE POLYGON_OFFSET_CLAMP QUERY_SO_OVERFLOW
"""
"""PIPE_CAP of each bit of `bset`, in order. A dot is a bit that is always set: uniform buffers and polygon stipple."""

_BITS = {
    0: "",  # INVARIANT in declarations
    1: "SAMPLER_VIEW_TARGET",
    2: "SAMPLE_SHADING",
    3: "COPY_BETWEEN_COMPRESSED_AND_PLAIN_FORMATS",
    4: "",  # PRECISE instructions
    5: "TGSI_TXQS",
    6: "COMPUTE",  # memory barriers
    7: "COMPUTE",
    8: "FRAMEBUFFER_NO_ATTACHMENT",
    9: "ROBUST_BUFFER_ACCESS_BEHAVIOR",
    10: "TGSI_FS_FBFETCH",
    11: "TGSI_CLOCK",
    12: "TEXTURE_BARRIER",
    13: "TGSI_ARRAY_COMPONENTS",
    15: "DEST_SURFACE_SRGB_CONTROL",
    16: "QUERY_BUFFER_OBJECT",
    17: "",  # transfers in the command stream
    18: "MIXED_COLORBUFFER_FORMATS",
    20: "DRAW_INDIRECT",  # command buffers have a bind flag
    21: "MULTI_DRAW_INDIRECT",
    22: "MULTI_DRAW_INDIRECT_PARAMS",
    23: "MAX_VERTEX_STREAMS",
    25: "",  # indirect addresses of inputs
    26: "",  # transfers from the memory of another resource; with 17, clients need not ask whether a resource is in use
    27: "CLIP_HALFZ",
    30: "CLEAR_TEXTURE",
}
"""PIPE_CAP of each capability bit; "" is always set."""

MEMORY_INFO = 3

_BITS2 = {
    2: "VIDEO_MEMORY",
    MEMORY_INFO: "QUERY_MEMORY_INFO",
    4: "STRING_MARKER",
    11: "TGSI_VS_LAYER_VIEWPORT",
    12: "TGSI_VS_LAYER_VIEWPORT",
}
"""PIPE_CAP of each bit of the second set.

Bit 6, SURFACE_SAMPLE_COUNT, is left out: Mesa 22.3 treats a framebuffer of such surfaces as one without samples and sends neither alpha to
coverage nor masks for it, and 25.0 creates textures with more samples than the renderbuffers attached with them. Without the bit, programs
resolve multisampled renderbuffers (Chromium for WebGL), for which every version sends the complete state.
"""


class CapabilitySet(ctypes.Structure):
    """Capability set 2 of the protocol. Its first 308 bytes are capability set 1."""

    _fields_ = [
        ("max_version", _U32),
        ("sampler", _MASK),
        ("render", _MASK),
        ("depthstencil", _MASK),
        ("vertexbuffer", _MASK),
        *((name, _U32) for name in ("bset", "glsl_level", "max_texture_array_layers", "max_streamout_buffers")),
        *((name, _U32) for name in ("max_dual_source_render_targets", "max_render_targets", "max_samples", "prim_mask")),
        *((name, _U32) for name in ("max_tbo_size", "max_uniform_blocks", "max_viewports", "max_texture_gather_components")),
        *((name, _F32) for name in ("min_aliased_point_size", "max_aliased_point_size", "min_smooth_point_size", "max_smooth_point_size")),
        *((name, _F32) for name in ("min_aliased_line_width", "max_aliased_line_width", "min_smooth_line_width", "max_smooth_line_width")),
        ("max_texture_lod_bias", _F32),
        *((name, _U32) for name in ("max_geom_output_vertices", "max_geom_total_output_components", "max_vertex_outputs")),
        *((name, _U32) for name in ("max_vertex_attribs", "max_shader_patch_varyings")),
        *((name, _I32) for name in ("min_texel_offset", "max_texel_offset", "min_texture_gather_offset", "max_texture_gather_offset")),
        *((name, _U32) for name in ("texture_buffer_offset_alignment", "uniform_buffer_offset_alignment")),
        *((name, _U32) for name in ("shader_buffer_offset_alignment", "capability_bits")),
        ("sample_locations", _U32 * 8),
        *((name, _U32) for name in ("max_vertex_attrib_stride", "max_shader_buffer_frag_compute", "max_shader_buffer_other_stages")),
        *((name, _U32) for name in ("max_shader_image_frag_compute", "max_shader_image_other_stages", "max_image_samples")),
        *((name, _U32) for name in ("max_compute_work_group_invocations", "max_compute_shared_memory_size")),
        ("max_compute_grid_size", _U32 * 3),
        ("max_compute_block_size", _U32 * 3),
        *((name, _U32) for name in ("max_texture_2d_size", "max_texture_3d_size", "max_texture_cube_size", "max_combined_shader_buffers")),
        ("max_atomic_counters", _U32 * 6),
        ("max_atomic_counter_buffers", _U32 * 6),
        *((name, _U32) for name in ("max_combined_atomic_counters", "max_combined_atomic_counter_buffers", "host_feature_check_version")),
        ("supported_readback_formats", _MASK),
        ("scanout", _MASK),
        ("capability_bits_v2", _U32),
        ("max_video_memory", _U32),
        ("renderer", ctypes.c_char * 64),
        ("max_anisotropy", _F32),
        ("max_texture_image_units", _U32),
        ("supported_multisample_formats", _MASK),
        ("max_const_buffer_size", _U32 * 6),
        ("num_video_caps", _U32),
        ("video_caps", _U32 * 128),
        ("max_uniform_block_size", _U32),
    ]


def capability_set(screen: Screen) -> bytes:
    """Capability set of a screen as bytes."""
    caps = CapabilitySet(max_version=2)
    _fill_formats(caps, screen)
    _fill_switches(caps, screen)
    _fill_limits(caps, screen)
    _fill_shaders(caps, screen)
    _fill_samples(caps, screen)
    return bytes(caps)


def for_protocol(caps: bytes, protocol: int) -> bytes:
    """The capability set for a version of the protocol. From version 2 on, free memory is reported through shared memory."""
    offered = CapabilitySet.from_buffer_copy(caps)
    if protocol < 2:
        offered.capability_bits_v2 &= ~(1 << MEMORY_INFO)
    return bytes(offered)


def _mask(bind: Bind, target: TextureTarget = TextureTarget.TEXTURE_2D, samples: int = 0) -> ctypes.Array[ctypes.c_uint32]:
    mask, wanted = _MASK(), bind.value
    for number, format in FORMATS.items():
        possible = supported_binds(format, target, samples).value  # same result as `Screen.is_format_supported`, five times as fast
        if possible & wanted == wanted and (possible or samples <= 1):
            mask[number // 32] |= 1 << number % 32
    return mask


def _fill_formats(caps: CapabilitySet, screen: Screen) -> None:
    sampler = _mask(Bind.SAMPLER_VIEW)
    for number, format in FORMATS.items():
        if format.block_bytes in (3, 6):  # clients would choose these formats for textures that they later render to
            sampler[number // 32] &= ~(1 << number % 32)
    caps.sampler = caps.supported_readback_formats = sampler
    caps.render = _mask(Bind.RENDER_TARGET)
    caps.depthstencil = _mask(Bind.DEPTH_STENCIL)
    caps.vertexbuffer = _mask(Bind.VERTEX_BUFFER, TextureTarget.BUFFER)
    for number, wide in WIDE_FORMATS.items():
        if screen.is_format_supported(wide, target=TextureTarget.BUFFER, bind=Bind.VERTEX_BUFFER):
            caps.vertexbuffer[number // 32] |= 1 << number % 32
    caps.scanout = _mask(Bind.SCANOUT)


def _fill_switches(caps: CapabilitySet, screen: Screen) -> None:
    def is_on(cap: str) -> bool:
        return not cap or cap == "." or screen.get_param(cap) > 0

    caps.bset = sum(is_on(cap) << bit for bit, cap in enumerate(_SWITCHES.split()))
    caps.capability_bits = sum(is_on(cap) << bit for bit, cap in _BITS.items())
    caps.capability_bits_v2 = sum(is_on(cap) << bit for bit, cap in _BITS2.items())


def _fill_limits(caps: CapabilitySet, screen: Screen) -> None:
    param, real = screen.get_param, screen.get_paramf
    caps.glsl_level = param("GLSL_FEATURE_LEVEL")
    caps.max_texture_array_layers = param("MAX_TEXTURE_ARRAY_LAYERS")
    caps.max_streamout_buffers = param("MAX_STREAM_OUTPUT_BUFFERS")
    caps.max_dual_source_render_targets = param("MAX_DUAL_SOURCE_RENDER_TARGETS")
    caps.max_render_targets = param("MAX_RENDER_TARGETS")
    caps.prim_mask = 0x7FFF
    caps.max_tbo_size = param("MAX_TEXTURE_BUFFER_SIZE") if param("TEXTURE_BUFFER_OBJECTS") else 0
    caps.max_viewports = param("MAX_VIEWPORTS")
    caps.max_texture_gather_components = param("MAX_TEXTURE_GATHER_COMPONENTS")
    caps.min_aliased_point_size = caps.min_smooth_point_size = caps.min_aliased_line_width = caps.min_smooth_line_width = 1.0
    caps.max_aliased_point_size = real("MAX_POINT_WIDTH")
    caps.max_smooth_point_size = max(1.0, real("MAX_POINT_WIDTH_AA"))
    caps.max_aliased_line_width = real("MAX_LINE_WIDTH")
    caps.max_smooth_line_width = max(1.0, real("MAX_LINE_WIDTH_AA"))
    caps.max_texture_lod_bias = real("MAX_TEXTURE_LOD_BIAS")
    caps.max_anisotropy = real("MAX_TEXTURE_ANISOTROPY")
    caps.max_geom_output_vertices = param("MAX_GEOMETRY_OUTPUT_VERTICES")
    caps.max_geom_total_output_components = min(param("MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS"), GL_GEOMETRY_COMPONENTS)
    caps.max_shader_patch_varyings = param("MAX_SHADER_PATCH_VARYINGS")
    caps.min_texel_offset, caps.max_texel_offset = param("MIN_TEXEL_OFFSET"), param("MAX_TEXEL_OFFSET")
    caps.min_texture_gather_offset = param("MIN_TEXTURE_GATHER_OFFSET")
    caps.max_texture_gather_offset = param("MAX_TEXTURE_GATHER_OFFSET")
    caps.texture_buffer_offset_alignment = max(TEXELS_ALIGNMENT, param("TEXTURE_BUFFER_OFFSET_ALIGNMENT"))
    caps.uniform_buffer_offset_alignment = param("CONSTANT_BUFFER_OFFSET_ALIGNMENT")
    caps.shader_buffer_offset_alignment = param("SHADER_BUFFER_OFFSET_ALIGNMENT")
    caps.max_vertex_attrib_stride = param("MAX_VERTEX_ATTRIB_STRIDE")
    caps.max_texture_2d_size = param("MAX_TEXTURE_2D_SIZE")
    caps.max_texture_3d_size = 1 << param("MAX_TEXTURE_3D_LEVELS") - 1
    caps.max_texture_cube_size = 1 << param("MAX_TEXTURE_CUBE_LEVELS") - 1
    caps.max_combined_shader_buffers = param("MAX_COMBINED_SHADER_BUFFERS")
    caps.max_combined_atomic_counters = param("MAX_COMBINED_HW_ATOMIC_COUNTERS")
    caps.max_combined_atomic_counter_buffers = param("MAX_COMBINED_HW_ATOMIC_COUNTER_BUFFERS")
    caps.host_feature_check_version = FEATURE_CHECK_VERSION
    caps.max_video_memory = param("VIDEO_MEMORY")
    caps.renderer = screen.get_name().encode()[:63]


def _fill_shaders(caps: CapabilitySet, screen: Screen) -> None:
    def least(cap: str, *stages: ShaderType) -> int:
        return min(screen.get_shader_param(stage, cap) for stage in stages)

    vertex, fragment, compute = ShaderType.VERTEX, ShaderType.FRAGMENT, ShaderType.COMPUTE
    caps.max_uniform_blocks = max(0, least("MAX_CONST_BUFFERS", vertex, fragment) - 1)
    caps.max_vertex_outputs = least("MAX_OUTPUTS", vertex)
    caps.max_vertex_attribs = min(GL_ATTRIBUTES, least("MAX_INPUTS", vertex))
    caps.max_texture_image_units = min(least("MAX_TEXTURE_SAMPLERS", vertex, fragment), least("MAX_SAMPLER_VIEWS", vertex, fragment))
    caps.max_shader_buffer_frag_compute = min(GL_STORAGE_BUFFERS, least("MAX_SHADER_BUFFERS", fragment, compute))
    caps.max_shader_buffer_other_stages = min(GL_STORAGE_BUFFERS, least("MAX_SHADER_BUFFERS", vertex))
    caps.max_shader_image_frag_compute = least("MAX_SHADER_IMAGES", fragment, compute)
    caps.max_shader_image_other_stages = least("MAX_SHADER_IMAGES", vertex)
    for stage in STAGES:
        caps.max_atomic_counters[stage] = least("MAX_HW_ATOMIC_COUNTERS", stage) if stage is not compute else 0
        caps.max_atomic_counter_buffers[stage] = least("MAX_HW_ATOMIC_COUNTER_BUFFERS", stage) if stage is not compute else 0
        caps.max_const_buffer_size[stage] = least("MAX_CONST_BUFFER_SIZE", stage)
    caps.max_uniform_block_size = least("MAX_CONST_BUFFER_SIZE", vertex, fragment)
    number, triple = _compute_number, _compute_triple
    caps.max_compute_work_group_invocations = number(screen, "MAX_THREADS_PER_BLOCK")
    caps.max_compute_shared_memory_size = number(screen, "MAX_LOCAL_SIZE")
    caps.max_compute_grid_size[:] = triple(screen, "MAX_GRID_SIZE")
    caps.max_compute_block_size[:] = triple(screen, "MAX_BLOCK_SIZE")


def _compute_number(screen: Screen, cap: str) -> int:
    value = screen.get_compute_param(cap)
    return value if isinstance(value, int) else 0


def _compute_triple(screen: Screen, cap: str) -> tuple[int, ...]:
    value = screen.get_compute_param(cap)
    return value if isinstance(value, tuple) else (0, 0, 0)


def _fill_samples(caps: CapabilitySet, screen: Screen) -> None:
    """Fill in the sample counts of color targets."""
    target = Bind.RENDER_TARGET
    most = next((n for n in MAX_SAMPLES if screen.is_format_supported(Format.R8G8B8A8_UNORM, sample_count=n, bind=target)), 0)
    caps.max_samples = most
    if most:
        caps.supported_multisample_formats = _mask(Bind.NONE, samples=most)
        caps.supported_multisample_formats[0] |= 1  # FORMAT_NONE: framebuffers without attachments
    for count, first in _LOCATIONS.items():
        if count <= most:
            for index, (x, y) in enumerate(STANDARD_POSITIONS[count]):
                caps.sample_locations[first + index // 4] |= (x << 4 | y) << 8 * (index % 4)
