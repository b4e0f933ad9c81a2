"""Mistakes with textures and samplers."""

from __future__ import annotations

import numpy as np

from tests.unit.insight.mistakes.sketch import FS_TEX, UV, Sketch, mistake


@mistake(explains="levels 1 to 3 of the texture of unit 0 hold only zeros")
def mipmaps_never_made(s: Sketch) -> None:
    s.frame()
    s.texture(levels=4, min_mip_filter="NEAREST", min_img_filter="LINEAR")
    s.quad(uv=UV * np.array([32, 32, 1, 1], np.float32))


@mistake(explains="look like texels of 64 x 64")
def pixel_coordinates_for_normalized_sampler(s: Sketch) -> None:
    s.frame()
    s.texture(size=64)
    s.ctx.texture_subdata(s.texture(size=64), np.tile(np.arange(64, dtype=np.uint8)[:, None, None], (1, 64, 4)))
    s.quad(uv=UV * np.array([64, 64, 1, 1], np.float32))
    s.at = (32, 32)


@mistake(explains="normalized_coords=True takes 0 to 1")
def normalized_coords_forgotten(s: Sketch) -> None:
    s.frame()
    s.texture(normalized_coords=False, wrap_s="CLAMP_TO_EDGE", wrap_t="CLAMP_TO_EDGE")
    s.quad()


@mistake(warns="texture unit 0, and no sampler view", explains="texture unit 0, and no sampler view")
def sampler_on_other_unit(s: Sketch) -> None:
    s.frame()
    s.texture(slot=1)
    s.quad()


@mistake(explains="holds only zeros: nothing was uploaded")
def texture_never_uploaded(s: Sketch) -> None:
    s.frame()
    s.texture(upload=False)
    s.quad()


@mistake(warns="compare_mode", explains="compare_mode")
def shadow_sampler_without_compare(s: Sketch) -> None:
    s.frame()
    z = s.color("Z32_FLOAT", bind="DEPTH_STENCIL|SAMPLER_VIEW")
    s.ctx.clear_depth_stencil(z, depth=0.5)
    s.ctx.set_sampler_views("FRAGMENT", [s.ctx.create_sampler_view(z)])
    s.ctx.bind_sampler_states("FRAGMENT", [s.ctx.create_sampler_state()])
    s.quad(fs=FS_TEX.replace("SVIEW[0], 2D", "SVIEW[0], SHADOW2D").replace("SAMP[0], 2D", "SAMP[0], SHADOW2D"))


@mistake(warns="declared to give floats", explains="bits of whole numbers")
def integer_texture_read_as_float(s: Sketch) -> None:
    s.frame()
    s.texture(format="R8G8B8A8_UINT")
    s.quad()


@mistake(explains="faces 1 to 5 of the texture of unit 0")
def cube_with_one_face(s: Sketch) -> None:
    s.frame()
    t = s.screen.resource_create(target="TEXTURE_CUBE", format="R8G8B8A8_UNORM", width0=8, height0=8, array_size=6, bind="SAMPLER_VIEW")
    s.ctx.texture_subdata(t, np.full((1, 8, 8, 4), 200, np.uint8), box=(0, 0, 0, 8, 8, 1))
    s.ctx.set_sampler_views("FRAGMENT", [s.ctx.create_sampler_view(t)])
    s.ctx.bind_sampler_states("FRAGMENT", [s.ctx.create_sampler_state()])
    s.quad(uv=np.array([[0, 0, 1, 0]] * 4, np.float32), fs=FS_TEX.replace("2D", "CUBE"))


@mistake(explains="the bits of the floats")
def fetch_with_float_coordinates(s: Sketch) -> None:
    s.frame()
    s.texture()
    s.quad(uv=UV + np.float32(0.25), fs=FS_TEX.replace("TEX OUT[0], IN[0], SAMP[0], 2D", "TXF OUT[0], IN[0], SAMP[0], 2D"))


@mistake(warns="no sampler is bound", explains="no sampler is bound")
def sampler_missing(s: Sketch) -> None:
    s.frame()
    s.texture(sampler=False)
    s.quad()


@mistake(explains="levels 1 to 3")
def lod_bias_large(s: Sketch) -> None:
    s.frame()
    s.texture(levels=4, min_mip_filter="NEAREST", lod_bias=8.0, size=64)
    s.quad()


@mistake(explains="CLAMP_TO_BORDER")
def coordinates_beyond_border(s: Sketch) -> None:
    s.frame()
    s.texture(wrap_s="CLAMP_TO_BORDER", wrap_t="CLAMP_TO_BORDER")
    s.quad(uv=UV + np.array([2, 2, 0, 0], np.float32))


@mistake(warns="its view is a TEXTURE_3D", explains="its view is a TEXTURE_3D")
def texture_target_mismatch(s: Sketch) -> None:
    s.frame()
    t = s.screen.resource_create(target="TEXTURE_3D", format="R8G8B8A8_UNORM", width0=8, height0=8, depth0=8, bind="SAMPLER_VIEW")
    s.ctx.texture_subdata(t, np.full((8, 8, 8, 4), 200, np.uint8))
    s.ctx.set_sampler_views("FRAGMENT", [s.ctx.create_sampler_view(t)])
    s.ctx.bind_sampler_states("FRAGMENT", [s.ctx.create_sampler_state()])
    s.quad()
