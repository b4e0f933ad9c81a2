"""A frame of many draws at 1024 x 1024 whose pictures hardly compress: cubes with a texture, depth and blending."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import tgsi
from tests.unit.gallium.test_bundles import f4

SIDE = 1024
VERTEX = """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0][0..3]
DCL TEMP[0]
MUL TEMP[0], IN[0].xxxx, CONST[0][0]
MAD TEMP[0], IN[0].yyyy, CONST[0][1], TEMP[0]
MAD TEMP[0], IN[0].zzzz, CONST[0][2], TEMP[0]
ADD OUT[0], TEMP[0], CONST[0][3]
MOV OUT[1], IN[0]
END
"""
FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0][0]
DCL TEMP[0..1]
IMM[0] FLT32 {{ {share}, 8.0, 0.0, 0.0 }}
TEX TEMP[0], IN[0], SAMP[0], 2D
MUL TEMP[1], IN[0], IMM[0].yyyy
FRC TEMP[1], TEMP[1]
LRP TEMP[0], IMM[0].xxxx, TEMP[0], TEMP[1]
MUL OUT[0], TEMP[0], CONST[0][0]
END
"""
_CORNERS = [(x, y, z, 1) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def write_frame(path: Path, draws: int = 2000) -> Path:
    """A trace of the frame."""
    with tgsi.Screen(threads=0) as screen:
        ctx = screen.context_create(trace=path)
        color = screen.resource_create(width0=SIDE, height0=SIDE)
        depth = screen.resource_create(format="Z24_UNORM_S8_UINT", width0=SIDE, height0=SIDE, bind="DEPTH_STENCIL")
        ctx.set_framebuffer_state(cbufs=[color], zsbuf=depth)
        ctx.clear(color=(0.1, 0.1, 0.2, 1), depth=1.0)
        half = SIDE / 2
        ctx.set_viewport_states([{"scale": (half, half, 0.5), "translate": (half, half, 0.5)}])
        y, x = np.mgrid[0:256, 0:256]
        texture = screen.resource_create(width0=256, height0=256, bind="SAMPLER_VIEW")
        ctx.texture_subdata(texture, np.stack([x ^ y, x, y, np.full_like(x, 255)], -1).astype(np.uint8))
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(min_img_filter="LINEAR", mag_img_filter="LINEAR")])
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        shaders = [ctx.create_fs_state(FRAGMENT.format(share=0.1 * (k + 1))) for k in range(8)]
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", 0)]))
        ctx.set_vertex_buffers([f4([_CORNERS[face[k]] for face in _FACES for k in (0, 1, 2, 0, 2, 3)])])
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state())
        test = {"enabled": True, "writemask": True, "func": "LESS"}
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(depth=test))
        blend = ctx.create_blend_state(rt=[{"blend_enable": True, "rgb_src_factor": "SRC_ALPHA", "rgb_dst_factor": "INV_SRC_ALPHA"}])
        for k in range(draws):
            ctx.bind_fs_state(shaders[k // 50 % 8])
            ctx.bind_blend_state(blend if k % 3 == 0 else None)
            ctx.set_constant_buffer("VERTEX", _matrix(k))
            ctx.set_constant_buffer("FRAGMENT", f4([1, 0.5 + k % 10 / 20, 1, 0.7]))
            ctx.draw_vbo(mode="TRIANGLES", count=36)
        ctx.destroy()
    return path


def _matrix(k: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """The columns of a cube's matrix: turned, somewhere in the picture, about 100 pixels wide."""
    size, w = 0.04 + 0.02 * (k * 7 % 11) / 11, 1.5 + k * 13 % 100 / 100
    c, s = math.cos(k * 0.37) * size * w, math.sin(k * 0.37) * size * w
    place = [(k * 611 % 1000 / 500 - 1) * w, (k * 377 % 1000 / 500 - 1) * w, (k * 29 % 1000 / 1000 * 1.8 - 0.9) * w, w]
    return f4([[c, s, 0, 0], [-s, c, 0.1, 0.02], [size / 2, size * 0.3, 0.05, 0.05], place])
