"""Extensions of GLSL: how their directives are handled, which macros are defined, and the words that they add to older versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from types import MappingProxyType

from frontends.glsl.words import DOUBLES
from tgsi.language.record import record

INCLUDED, PASSED = "included", "passed"
"""Handling of an extension: INCLUDED, later versions have all of it, so its directive is dropped; PASSED, its directive goes to glslang."""


@record
class Extension:
    """An extension that is offered.

    Args:
        name: its name, also the name of its macro.
        way: INCLUDED or PASSED.
        desktop, es: texts of the desktop, or of OpenGL ES, see its macro.
        words: words that it adds to versions that lack them.
        needs: the first desktop version in which glslang has its additions; texts that request it are compiled as this version.
        asks: glslang's name for the extension, if it differs.
    """

    name: str
    way: str
    _: KW_ONLY
    desktop: bool = True
    es: bool = True
    words: frozenset[str] = frozenset()
    needs: int = 0
    asks: str = ""


_WORDS: Mapping[str, str] = {
    "GL_EXT_gpu_shader4": "flat noperspective centroid unsigned sampler1DArray sampler2DArray sampler1DArrayShadow sampler2DArrayShadow "
    "samplerCubeShadow samplerBuffer isampler1D isampler2D isampler3D isamplerCube isampler1DArray isampler2DArray isampler2DRect "
    "isamplerBuffer usampler1D usampler2D usampler3D usamplerCube usampler1DArray usampler2DArray usampler2DRect usamplerBuffer",
    "GL_EXT_texture_array": "sampler1DArray sampler2DArray sampler1DArrayShadow sampler2DArrayShadow",
    "GL_ARB_explicit_attrib_location": "layout",
    "GL_ARB_uniform_buffer_object": "layout",
    "GL_ARB_fragment_coord_conventions": "layout",
    "GL_ARB_shading_language_420pack": "layout",
    "GL_ARB_separate_shader_objects": "layout",
    "GL_ARB_texture_buffer_object": "samplerBuffer isamplerBuffer usamplerBuffer",
    "GL_OES_texture_buffer": "samplerBuffer isamplerBuffer usamplerBuffer imageBuffer iimageBuffer uimageBuffer",
    "GL_EXT_texture_buffer": "samplerBuffer isamplerBuffer usamplerBuffer imageBuffer iimageBuffer uimageBuffer",
    "GL_ARB_texture_multisample": "sampler2DMS isampler2DMS usampler2DMS sampler2DMSArray isampler2DMSArray usampler2DMSArray",
    "GL_OES_texture_storage_multisample_2d_array": "sampler2DMSArray isampler2DMSArray usampler2DMSArray",
    "GL_ARB_texture_cube_map_array": "samplerCubeArray samplerCubeArrayShadow isamplerCubeArray usamplerCubeArray",
    "GL_OES_texture_cube_map_array": "samplerCubeArray samplerCubeArrayShadow isamplerCubeArray usamplerCubeArray imageCubeArray "
    "iimageCubeArray uimageCubeArray",
    "GL_EXT_texture_cube_map_array": "samplerCubeArray samplerCubeArrayShadow isamplerCubeArray usamplerCubeArray imageCubeArray "
    "iimageCubeArray uimageCubeArray",
    "GL_ARB_shader_image_load_store": "coherent restrict volatile readonly writeonly image1D image2D image3D imageCube image1DArray "
    "image2DArray image2DRect imageBuffer iimage1D iimage2D iimage3D iimageCube iimage1DArray iimage2DArray iimage2DRect iimageBuffer "
    "uimage1D uimage2D uimage3D uimageCube uimage1DArray uimage2DArray uimage2DRect uimageBuffer",
    "GL_ARB_shader_storage_buffer_object": "buffer layout coherent restrict volatile readonly writeonly",
    "GL_ARB_shader_atomic_counters": "atomic_uint layout",
    "GL_ARB_compute_shader": "shared layout",
    "GL_ARB_tessellation_shader": "patch layout",
    "GL_OES_tessellation_shader": "patch",
    "GL_EXT_tessellation_shader": "patch",
    "GL_ARB_gpu_shader5": "sample precise layout",
    "GL_ARB_shader_subroutine": "subroutine",
    "GL_OES_gpu_shader5": "precise",
    "GL_EXT_gpu_shader5": "precise",
    "GL_OES_shader_multisample_interpolation": "sample",
    "GL_ARB_gpu_shader_fp64": DOUBLES,
    "GL_EXT_shadow_samplers": "sampler2DShadow",
    "GL_ARB_enhanced_layouts": "layout",
    "GL_ARB_explicit_uniform_location": "layout",
    "GL_NV_shader_noperspective_interpolation": "noperspective",
    "GL_EXT_separate_shader_objects": "layout",
    "GL_ARB_conservative_depth": "layout",
    "GL_AMD_conservative_depth": "layout",
}  # fmt: skip
"""Extensions that add words -> the words."""

_INCLUDED_DESKTOP = """
GL_ARB_draw_buffers GL_EXT_gpu_shader4 GL_EXT_texture_array GL_ARB_texture_buffer_object GL_GOOGLE_cpp_style_line_directive
GL_GOOGLE_include_directive GL_ARB_arrays_of_arrays GL_ARB_conservative_depth GL_AMD_conservative_depth GL_ARB_cull_distance
GL_ARB_ES3_1_compatibility GL_ARB_ES3_2_compatibility GL_ARB_ES3_compatibility GL_ARB_fragment_layer_viewport
GL_ARB_shader_atomic_counter_ops GL_ARB_shader_precision GL_ARB_shading_language_include GL_ARB_texture_query_levels
GL_ARB_gpu_shader5 GL_ARB_transform_feedback3 GL_EXT_draw_instanced GL_MESA_shader_integer_functions GL_ARB_shader_subroutine
"""
_INCLUDED_ES = """
GL_OES_standard_derivatives GL_EXT_shader_texture_lod GL_EXT_frag_depth GL_EXT_draw_buffers GL_OES_texture_3D GL_EXT_shadow_samplers
GL_OES_shader_io_blocks GL_EXT_shader_io_blocks GL_OES_geometry_shader GL_EXT_geometry_shader GL_OES_tessellation_shader
GL_EXT_tessellation_shader GL_OES_texture_storage_multisample_2d_array GL_OES_sample_variables GL_OES_shader_image_atomic
GL_OES_shader_multisample_interpolation GL_EXT_gpu_shader5 GL_OES_gpu_shader5 GL_EXT_texture_buffer GL_OES_texture_buffer
GL_EXT_texture_cube_map_array GL_OES_texture_cube_map_array GL_EXT_primitive_bounding_box GL_ANDROID_extension_pack_es31a
GL_OES_primitive_bounding_box GL_EXT_geometry_point_size GL_OES_geometry_point_size GL_EXT_tessellation_point_size
GL_OES_tessellation_point_size GL_OES_viewport_array GL_EXT_clip_cull_distance GL_EXT_conservative_depth GL_EXT_draw_instanced
GL_EXT_separate_shader_objects GL_EXT_shader_group_vote GL_EXT_shader_implicit_conversions GL_EXT_texture_query_lod
GL_MESA_shader_integer_functions GL_NV_image_formats GL_NV_shader_noperspective_interpolation
"""
_PASSED = """
GL_ARB_compute_shader GL_ARB_derivative_control GL_ARB_draw_instanced GL_ARB_enhanced_layouts
GL_ARB_explicit_attrib_location GL_ARB_explicit_uniform_location GL_ARB_fragment_coord_conventions
GL_ARB_gpu_shader_fp64 GL_ARB_gpu_shader_int64 GL_ARB_sample_shading GL_ARB_separate_shader_objects GL_ARB_shader_atomic_counters
GL_ARB_shader_ballot GL_ARB_shader_bit_encoding GL_ARB_shader_draw_parameters GL_ARB_shader_group_vote GL_ARB_shader_image_load_store
GL_ARB_shader_image_size GL_ARB_shader_stencil_export GL_ARB_shader_storage_buffer_object GL_ARB_shader_texture_image_samples
GL_ARB_shader_texture_lod GL_ARB_shading_language_420pack GL_ARB_shading_language_packing GL_ARB_tessellation_shader
GL_ARB_texture_cube_map_array GL_ARB_texture_gather GL_ARB_texture_multisample GL_ARB_texture_query_lod GL_ARB_texture_rectangle
GL_ARB_uniform_buffer_object GL_ARB_vertex_attrib_64bit GL_ARB_viewport_array GL_EXT_control_flow_attributes
GL_EXT_demote_to_helper_invocation GL_EXT_mesh_shader GL_EXT_nonuniform_qualifier GL_EXT_null_initializer
GL_EXT_samplerless_texture_functions GL_EXT_scalar_block_layout GL_EXT_shader_atomic_float GL_EXT_shader_atomic_float2
GL_EXT_shader_explicit_arithmetic_types GL_EXT_shader_explicit_arithmetic_types_float32
GL_EXT_shader_explicit_arithmetic_types_float64 GL_EXT_shader_explicit_arithmetic_types_int32
GL_EXT_shader_explicit_arithmetic_types_int64 GL_EXT_shader_image_load_formatted GL_EXT_shader_integer_mix
GL_EXT_shader_non_constant_global_initializers GL_EXT_shader_realtime_clock GL_EXT_shared_memory_block GL_EXT_terminate_invocation
GL_KHR_blend_equation_advanced GL_KHR_shader_subgroup_arithmetic GL_KHR_shader_subgroup_ballot GL_KHR_shader_subgroup_basic
GL_KHR_shader_subgroup_clustered GL_KHR_shader_subgroup_quad GL_KHR_shader_subgroup_shuffle
GL_KHR_shader_subgroup_shuffle_relative GL_KHR_shader_subgroup_vote GL_ARB_post_depth_coverage GL_ARB_shader_viewport_layer_array
GL_AMD_shader_stencil_export GL_AMD_vertex_shader_layer GL_AMD_vertex_shader_viewport_index GL_AMD_gpu_shader_int64
GL_NV_shader_atomic_float
"""
_PASSED_ES = "GL_EXT_shader_integer_mix GL_EXT_demote_to_helper_invocation"

_NEEDS: Mapping[int, str] = {
    400: "GL_ARB_gpu_shader5 GL_ARB_derivative_control GL_ARB_post_depth_coverage GL_ARB_transform_feedback3 "
    "GL_MESA_shader_integer_functions GL_OES_sample_variables GL_OES_shader_multisample_interpolation GL_EXT_texture_query_lod "
    "GL_ARB_texture_query_lod",
    420: "GL_ARB_conservative_depth GL_AMD_conservative_depth GL_EXT_conservative_depth GL_ARB_shader_atomic_counters "
    "GL_EXT_shader_image_load_formatted GL_EXT_separate_shader_objects",
    430: "GL_ARB_arrays_of_arrays GL_ARB_compute_shader GL_ARB_ES3_compatibility GL_ARB_fragment_layer_viewport GL_ARB_shader_group_vote "
    "GL_ARB_shader_image_size GL_ARB_shader_storage_buffer_object GL_ARB_shader_texture_image_samples GL_ARB_texture_query_levels",
    440: "GL_ARB_enhanced_layouts",
    450: "GL_ARB_cull_distance GL_EXT_clip_cull_distance GL_ARB_gpu_shader_int64 GL_AMD_gpu_shader_int64 GL_ARB_shader_ballot "
    "GL_ARB_shader_clock GL_ARB_shader_draw_parameters GL_ARB_shader_viewport_layer_array GL_AMD_vertex_shader_layer "
    "GL_AMD_vertex_shader_viewport_index GL_ARB_ES3_1_compatibility GL_ARB_ES3_2_compatibility GL_NV_compute_shader_derivatives "
    "GL_OES_viewport_array GL_NV_shader_atomic_float GL_EXT_shader_atomic_float GL_EXT_shader_atomic_float2",
    460: "GL_ARB_shader_atomic_counter_ops GL_EXT_shader_group_vote",
}  # fmt: skip
"""The first version of the desktop in which glslang has all that these extensions add."""

_ASKS: Mapping[str, str] = {
    "GL_AMD_shader_stencil_export": "GL_ARB_shader_stencil_export",
    "GL_AMD_vertex_shader_layer": "GL_ARB_shader_viewport_layer_array",
    "GL_AMD_vertex_shader_viewport_index": "GL_ARB_shader_viewport_layer_array",
    "GL_AMD_gpu_shader_int64": "GL_ARB_gpu_shader_int64",
    "GL_NV_shader_atomic_float": "GL_EXT_shader_atomic_float",
}
"""Extensions that glslang has under the name of another one."""


def _extensions() -> dict[str, Extension]:
    needs = {name: version for version, names in _NEEDS.items() for name in names.split()}
    made: dict[str, Extension] = {}
    for names, way, desktop, es in (
        (_INCLUDED_DESKTOP, INCLUDED, True, False),
        (_INCLUDED_ES, INCLUDED, False, True),
        (_PASSED, PASSED, True, False),
    ):
        for name in names.split():
            is_of_es = es or name.startswith("GL_KHR_") or name in _PASSED_ES.split()
            is_of_desktop = desktop or (name in made and made[name].desktop)
            words = frozenset(_WORDS.get(name, "").split())
            made[name] = Extension(
                name, way, desktop=is_of_desktop, es=is_of_es, words=words, needs=needs.get(name, 0), asks=_ASKS.get(name, name)
            )
    return made


EXTENSIONS: Mapping[str, Extension] = MappingProxyType(_extensions())
"""Extensions that are offered, by name."""

_KNOWN = """
GL_AMD_gcn_shader GL_AMD_gpu_shader_half_float GL_AMD_gpu_shader_half_float_fetch GL_AMD_gpu_shader_int16 GL_AMD_shader_ballot
GL_AMD_shader_explicit_vertex_parameter GL_AMD_shader_fragment_mask GL_AMD_shader_image_load_store_lod
GL_AMD_shader_trinary_minmax GL_AMD_texture_gather_bias_lod GL_ARB_fragment_shader_interlock
GL_ARB_sparse_texture2 GL_ARB_sparse_texture_clamp GL_EXT_buffer_reference GL_EXT_buffer_reference2 GL_EXT_buffer_reference_uvec2
GL_EXT_debug_printf GL_EXT_device_group GL_EXT_fragment_invocation_density GL_EXT_fragment_shader_barycentric
GL_EXT_fragment_shading_rate GL_EXT_multiview GL_EXT_post_depth_coverage GL_EXT_ray_cull_mask
GL_EXT_ray_flags_primitive_culling GL_EXT_ray_query GL_EXT_ray_tracing GL_EXT_ray_tracing_position_fetch
GL_EXT_shader_16bit_storage GL_EXT_shader_8bit_storage GL_EXT_shader_atomic_int64
GL_EXT_shader_explicit_arithmetic_types_float16 GL_EXT_shader_explicit_arithmetic_types_int16
GL_EXT_shader_explicit_arithmetic_types_int8 GL_EXT_shader_image_int64 GL_EXT_shader_subgroup_extended_types_float16
GL_EXT_shader_subgroup_extended_types_int16 GL_EXT_shader_subgroup_extended_types_int64
GL_EXT_shader_subgroup_extended_types_int8 GL_EXT_spirv_intrinsics GL_EXT_subgroup_uniform_control_flow
GL_INTEL_shader_integer_functions2 GL_KHR_cooperative_matrix GL_NV_compute_shader_derivatives
GL_NV_conservative_raster_underestimation GL_NV_cooperative_matrix GL_NV_fragment_shader_barycentric
GL_NV_geometry_shader_passthrough GL_NV_integer_cooperative_matrix GL_NV_mesh_shader GL_NV_ray_tracing
GL_NV_ray_tracing_motion_blur GL_NV_sample_mask_override_coverage GL_NV_shader_atomic_int64 GL_NV_shader_invocation_reorder
GL_NV_shader_sm_builtins GL_NV_shader_subgroup_partitioned GL_NV_shader_texture_footprint GL_NV_shading_rate_image
GL_NV_viewport_array2 GL_OVR_multiview GL_OVR_multiview2 GL_QCOM_image_processing GL_EXT_texture_shadow_lod GL_KHR_memory_scope_semantics
GL_AMD_shader_early_and_late_fragment_tests GL_ARM_shader_core_builtins GL_EXT_blend_func_extended GL_EXT_opacity_micromap
GL_EXT_shader_tile_image GL_NVX_multiview_per_view_attributes GL_NV_displacement_micromap GL_NV_stereo_view_rendering
GL_ARB_shader_clock GL_ARB_sparse_texture
"""
NEEDS: Mapping[str, int] = MappingProxyType({name: version for version, names in _NEEDS.items() for name in names.split()})
"""`Extension.needs` by extension, including extensions that are not offered."""

KNOWN: frozenset[str] = frozenset(_KNOWN.split())
"""Extensions that we do not offer and that glslang has. Their directives go to glslang; the reader of modules reports unsupported
instructions."""
