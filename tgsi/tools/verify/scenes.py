"""Generated scenes: shapes with random corners, state, formats, textures and samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from tgsi.tools.verify.chance import Chance

WIDTH, HEIGHT = 80, 72  # four tiles, three of them cut
_COLORS = (
    "R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R8G8B8A8_SRGB", "B5G6R5_UNORM", "R10G10B10A2_UNORM", "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT",
    "R11G11B10_FLOAT", "R16G16B16A16_UNORM", "R8_UNORM",
)  # fmt: skip
_DEPTHS = (None, "Z16_UNORM", "Z24_UNORM_S8_UINT", "Z32_FLOAT", "Z32_FLOAT_S8X24_UINT")
_MODES = ("TRIANGLES", "TRIANGLES", "TRIANGLES", "TRIANGLE_STRIP", "TRIANGLE_FAN", "QUADS", "LINES", "LINE_STRIP", "POINTS")
_FUNCS = ("LESS", "LEQUAL", "GREATER", "ALWAYS", "NOTEQUAL")
_FACTORS = ("ONE", "ZERO", "SRC_ALPHA", "INV_SRC_ALPHA", "DST_COLOR", "INV_DST_ALPHA", "SRC_COLOR", "CONST_COLOR")
_WRAPS = ("REPEAT", "CLAMP_TO_EDGE", "MIRROR_REPEAT", "CLAMP_TO_BORDER")
_STENCILS = ("KEEP", "REPLACE", "INCR_WRAP", "INVERT")
_VERTEX = """VERT
DCL IN[0..2]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[2]
END"""
_GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL IN[][2], GENERIC[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
IMM[0] FLT32 {0.75, 0.75, 1, 1}
IMM[1] UINT32 {0, 0, 0, 0}
MUL OUT[0], IN[0][0], IMM[0]
MOV OUT[1], IN[1][1]
MOV OUT[2], IN[0][2]
EMIT IMM[1].xxxx
MUL OUT[0], IN[1][0], IMM[0]
MOV OUT[1], IN[2][1]
MOV OUT[2], IN[1][2]
EMIT IMM[1].xxxx
MUL OUT[0], IN[2][0], IMM[0]
MOV OUT[1], IN[0][1]
MOV OUT[2], IN[2][2]
EMIT IMM[1].xxxx
ENDPRIM IMM[1].xxxx
END"""
_HEAD = "FRAG\nDCL IN[0], GENERIC[0], {0}\nDCL IN[1], GENERIC[1], PERSPECTIVE\nDCL OUT[0], COLOR\n"
_FRAGMENTS = (
    _HEAD + "MOV OUT[0], IN[0]\nEND",
    _HEAD + "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\nTEX TEMP[0], IN[1], SAMP[0], 2D\nMUL OUT[0], TEMP[0], IN[0]\nEND",
    _HEAD + "DCL TEMP[0]\nIMM[0] FLT32 {{-0.5, 0.25, 1, 9}}\nMUL TEMP[0], IN[1], IMM[0].wwww\nFRC TEMP[0], TEMP[0]\n"
    "ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx\nKILL_IF TEMP[0].xxxx\nMOV OUT[0], IN[0]\nEND",
    _HEAD + "DCL TEMP[0..1]\nIMM[0] FLT32 {{7, 0.5, 1, 0}}\nMUL TEMP[0], IN[1], IMM[0].xxxx\nSIN TEMP[1].x, TEMP[0].xxxx\n"
    "COS TEMP[1].y, TEMP[0].yyyy\nEX2 TEMP[1].z, TEMP[1].xxxx\nRSQ TEMP[1].w, IN[0].wwww\n"
    "MAD OUT[0], TEMP[1], IMM[0].yyyy, IMM[0].yyyy\nEND",
    _HEAD + "DCL IN[2], POSITION, LINEAR\nDCL TEMP[0]\nIMM[0] FLT32 {{0.0625, 0.5, 1, 0}}\nMUL TEMP[0], IN[2], IMM[0].xxxx\n"
    "FRC TEMP[0].xy, TEMP[0]\nDDX TEMP[0].z, IN[1].xxxx\nMAD OUT[0], TEMP[0], IN[0], IMM[0].wwzz\nEND",
)  # fmt: skip
"""Fragment programs: plain, textured, with holes, transcendental, and by window positions and derivatives."""


def draw_scene(seed: int, threads: int | None, lanes: int | None, cpu: str | None) -> tuple[NDArray[Any], bytes]:
    """The pixels of a scene, (height, width, ...), and the bytes of its depth buffer."""
    chance = Chance(seed)
    with tgsi.Screen(threads, lanes=lanes, cpu=cpu) as screen, screen.context_create() as ctx:
        samples = 4 if chance.is_one_in(6) else 1
        color, depth = chance.among(_COLORS), chance.among(_DEPTHS)
        target = screen.resource_create(format=color, width0=WIDTH, height0=HEIGHT, nr_samples=samples)
        zsbuf = None if depth is None else screen.resource_create(format=depth, width0=WIDTH, height0=HEIGHT, nr_samples=samples)
        ctx.set_framebuffer_state(cbufs=[target], zsbuf=zsbuf)
        ctx.set_viewport_states([{"scale": (WIDTH / 2, -HEIGHT / 2, 0.5), "translate": (WIDTH / 2, HEIGHT / 2, 0.5)}])
        ctx.clear(color=tuple(chance.between(0, 1) for _ in range(4)), depth=chance.between(0.3, 1), stencil=chance.below(4))
        ctx.set_blend_color(tuple(chance.between(0, 1) for _ in range(4)))
        ctx.bind_vs_state(ctx.create_vs_state(_VERTEX))
        _bind_texture(ctx, chance)
        for _ in range(1 + chance.below(2)):
            _draw(ctx, chance, depth is not None)
        return target.pixels(), b"" if zsbuf is None else zsbuf.pixels().tobytes()


def _bind_texture(ctx: tgsi.Context, chance: Chance) -> None:
    texels = np.array([chance.word() for _ in range(16 * 16)], np.uint32).view(np.uint8).reshape(16, 16, 4)
    texture = ctx.screen.texture_from(texels, mipmaps=chance.is_one_in(2))  # type: ignore[attr-defined]
    filters = ("NEAREST", "LINEAR")
    sampler = ctx.create_sampler_state(
        wrap_s=chance.among(_WRAPS),
        wrap_t=chance.among(_WRAPS),
        min_img_filter=chance.among(filters),
        mag_img_filter=chance.among(filters),
        min_mip_filter=chance.among((*filters, "NONE")),
        border_color=(0.25, 0.5, 0.75, 1.0),
    )
    ctx.bind_sampler_states("FRAGMENT", [sampler])
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])


def _draw(ctx: tgsi.Context, chance: Chance, has_depth: bool) -> None:
    """One draw with state of its own."""
    mode = chance.among(_MODES)
    has_geometry = mode == "TRIANGLES" and chance.is_one_in(3)
    ctx.bind_gs_state(ctx.create_gs_state(_GEOMETRY) if has_geometry else None)
    ctx.bind_fs_state(ctx.create_fs_state(chance.among(_FRAGMENTS).format(chance.among(("PERSPECTIVE", "LINEAR", "CONSTANT")))))
    ctx.bind_rasterizer_state(
        ctx.create_rasterizer_state(
            cull_face=chance.among(("NONE", "NONE", "NONE", "BACK")),
            front_ccw=chance.is_one_in(2),
            flatshade_first=chance.is_one_in(2),
            line_width=chance.among((1.0, 1.0, 3.0)),
            point_size=chance.among((1.0, 4.0, 7.5)),
            multisample=chance.is_one_in(2),
            bottom_edge_rule=chance.is_one_in(4),
            fill_front=chance.among(("FILL", "FILL", "FILL", "LINE")),
        )
    )
    factors = {name: chance.among(_FACTORS) for name in ("rgb_src_factor", "rgb_dst_factor", "alpha_src_factor", "alpha_dst_factor")}
    blend = {"blend_enable": chance.is_one_in(2), "rgb_func": chance.among(("ADD", "SUBTRACT", "MAX")), **factors}
    ctx.bind_blend_state(ctx.create_blend_state(rt=[blend], dither=False))
    stencil = {"enabled": chance.is_one_in(3), "func": chance.among(_FUNCS), "valuemask": 3, "writemask": 0xFF}
    stencil |= {name: chance.among(_STENCILS) for name in ("fail_op", "zpass_op", "zfail_op")}
    tests = {"enabled": chance.is_one_in(2), "writemask": True, "func": chance.among(_FUNCS)}
    ctx.bind_depth_stencil_alpha_state(
        ctx.create_depth_stencil_alpha_state(depth=tests if has_depth else {}, stencil=[stencil if has_depth else {}, {}])
    )
    ctx.set_stencil_ref((chance.below(4), 0))
    count = 12 + 3 * chance.below(8)
    rows = []
    for _ in range(count):
        w = chance.among((1.0, 1.0, chance.between(0.5, 2.0)))
        place, color = [w * chance.between(-1.2, 1.2) for _ in range(3)], [chance.between(0, 1) for _ in range(4)]
        rows.append([*place, w, *color, *(chance.between(-1, 3) for _ in range(4))])
    ctx.set_vertex_buffers([np.array(rows, np.float32)])
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(16 * k, "R32G32B32A32_FLOAT") for k in range(3)]))
    ctx.draw_vbo(mode=mode, count=count)
