"""Rewrite scenes.zip: python tests/golden/pack_scenes.py DIRECTORY_OF_THE_RECORDINGS."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

_CHOICE = """
alpha_to_one alphatest_EQUAL alphatest_LESS big_random_tris_u8 blend_dualsrc blend_factors_f16 blend_factors_u16 clear_partial_formats
clear_rt_region clip_flat_provoking clip_user_planes colormask_f32 compute_ATOMCAS compute_ATOMIMIN compute_ATOMUADD compute_ATOMUMAX
compute_ATOMXCHG compute_ATOMXOR compute_image_R8G8B8A8_UNORM compute_load_oob const_buffers cull_3_ccw1 depth_LEQUAL depth_NOTEQUAL
depth_fs_write depth_interp_Z24X8_UNORM depth_interp_Z32_UNORM depth_nowrite depthclip1_halfz0 depthfmt_S8_UINT_Z24_UNORM
depthfmt_X8Z24_UNORM derivs_f32 draw_indexed_1 draw_instanced draw_restart draw_restart_2_5 fill_degenerate fill_huge_clipped
fill_shared_edges fill_tiny_tris flushed_blend_A8_UNORM flushed_blend_L8A8_UNORM flushed_blend_eqs_srgb flushed_blend_eqs_u8
flushed_blend_factors_565 flushed_blend_factors_bgra8 flushed_blend_factors_x8 flushed_logicops_float frag_image_store
fragcoord_LOWER_LEFT_HALF_INTEGER fs_no_color_write gs_layered gs_point_to_quad gs_tri_explode gs_viewport_index int_R16G16B16A16_SINT
int_R8G8B8A8_SINT interp_COLOR_flat_f32 interp_LINEAR_f32 interp_PERSPECTIVE_f32 kill_checker lines_axis_aligned lines_smooth
mrt_independent1 points_edge_clip points_per_vertex_size points_size_1.5 polyoffset_1_Z24X8_UNORM polyoffset_4_Z32_FLOAT
prims_tris_flat0_first0 ramp_B5G6R5_UNORM ramp_R10G10B10A2_UNORM ramp_R11G11B10_FLOAT ramp_R16G16B16A16_UNORM ramp_R8G8B8A8_SNORM
stencil_DECR_WRAP stencil_INCR stencilfunc_EQUAL tex_1D_LINEAR tex_3D_LINEAR tex_CUBE_LINEAR_seamless1 tex_RECT_LINEAR
tex_TEX_SAT_mask tex_dependent_divergent_if tex_in_vs tex_lod_minlod tex_mip_LINEAR_LINEAR
tex_shadow2D_LEQUAL_NEAREST tex_view_swizzle tex_wrap_CLAMP_TO_BORDER_NEAREST tex_wrap_MIRROR_CLAMP_TO_BORDER_LINEAR
tex_wrap_MIRROR_REPEAT_NEAREST texfmt_B4G4R4A4_UNORM texfmt_R9G9B9E5_FLOAT texfmt_depth_Z24_UNORM_S8_UINT texfmt_int_R32G32B32A32_UINT
vfmt_R11G11B10_FLOAT vfmt_R16G16B16A16_FLOAT vfmt_R32G32B32A32_FIXED vfmt_R32G32_SINT vfmt_R32_UINT vfmt_R8G8B8A8_SNORM
"""
NAMES = _CHOICE.split()
"""Names of the chosen scenes, one or two of every family."""


def pack(source: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_LZMA) as archive:
        for name in NAMES:
            scene = json.loads((source / f"{name}.json").read_text())
            files = {f"{name}.json": json.dumps(scene, separators=(",", ":")).encode()}
            files |= {file: (source / file).read_bytes() for file in scene["outputs"].values()}
            for file, data in files.items():
                archive.writestr(zipfile.ZipInfo(file), data, zipfile.ZIP_LZMA)


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(__file__).parent / "scenes.zip")
