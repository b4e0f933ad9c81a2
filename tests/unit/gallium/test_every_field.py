"""Every field of every state changes pixels, or has a reason in this module why it cannot."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import numpy as np
import pytest

from backends.pipe import state as states
from tests.unit.picture import screen
from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE = 40
KINDS: list[Any] = [kind for kind in vars(states).values() if dataclasses.is_dataclass(kind)]

REASONS = {
    "RasterizerState.tile_raster_order_fixed": "a promise about the order of tiles, which nothing can see that draws as Gallium asks",
    "RasterizerState.tile_raster_order_increasing_x": "the same",
    "RasterizerState.tile_raster_order_increasing_y": "the same",
    "BlendState.dither": "colors are rounded to nearest; dithering may do that, and would make bytes depend on places",
    "DrawInfo.min_index": "a hint where indices lie; ours are read as they are",
    "DrawInfo.max_index": "the same",
}

VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL SV[0], DRAWID
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], BCOLOR
DCL OUT[3].x, PSIZE
DCL OUT[4], GENERIC[0]
DCL OUT[5], CLIPVERTEX
DCL TEMP[0]
IMM[0] FLT32 {0.5, 3.0, 1.4, 0.125}
IMM[1] FLT32 {0.0, 0.0, 0.0, 0.0}
U2F TEMP[0].x, SV[0].xxxx
MUL TEMP[0].x, TEMP[0].xxxx, IMM[0].wwww
MOV TEMP[0].yzw, IMM[1]
ADD OUT[0], IN[0], TEMP[0]
MUL OUT[1], IN[1], IMM[0].zzzz
MUL OUT[2], IN[1].zxyw, IMM[0].xxxx
MOV OUT[3].x, IMM[0].yyyy
MUL OUT[4], IN[0], IMM[0].zzxy
MOV OUT[5], IN[0]
END
"""
PLAIN = """FRAG
DCL IN[0], COLOR, COLOR
DCL IN[1], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
MOV OUT[0], IN[0]
ADD OUT[1], IN[0], IN[1]
END
"""
TEXTURED = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], {0}, FLOAT
TEX OUT[0], IN[0], SAMP[0], {0}
END
"""

CORNERS = np.array(
    [
        [[-0.9, -0.9, 0.2, 1], [0.7, -0.9, 0.4, 1], [-0.6, 0.9, 0.1, 1], [0.9, 0.8, 0.9, 1.3]],
        [[-0.7, 0.7, 0.5, 1], [0.8, 0.6, -0.1, 1], [-0.9, -0.6, 0.6, 1], [0.5, -0.95, 1.6, 1.2]],
    ],
    np.float32,
).reshape(8, 4)
COLORS = np.random.default_rng(3).uniform(0.1, 0.9, (8, 4)).astype(np.float32)
ORDER = {"TRIANGLES": [0, 1, 2, 1, 3, 2, 4, 5, 6, 6, 5, 7], "LINES": [0, 3, 4, 7, 2, 5], "POINTS": [1, 2, 6]}

State = dict[str, Any]


@cache
def textures() -> dict[str, Any]:
    rng = np.random.default_rng(4)
    found = {}
    for target, layers, volume in (("2D", 1, 1), ("3D", 1, 8), ("CUBE", 6, 1), ("SHADOW2D", 1, 1)):
        kind = target.removeprefix("SHADOW")
        format = "Z32_FLOAT" if "SHADOW" in target else "R8G8B8A8_UNORM"
        texture = screen().resource_create(
            target=f"TEXTURE_{kind}",
            width0=8,
            height0=8,
            depth0=volume,
            array_size=layers,
            format=format,
            last_level=3,
            bind="SAMPLER_VIEW",
        )
        with screen().context_create() as ctx:
            for level in range(4):
                shape = (max(volume >> level, 1) * layers, 8 >> level, 8 >> level)
                depths, colors = rng.uniform(0, 1, (*shape, 1)).astype("f4"), rng.integers(0, 256, (*shape, 4)).astype("u1")
                ctx.texture_subdata(texture, depths if "SHADOW" in target else colors, level=level)
        found[target] = texture
    return found


def image(case: State) -> bytes:
    """All bytes of a picture. `case` maps kinds of state to fields that differ from the defaults, and names the subject of the picture."""
    samples, target, format = case.get("samples", 1), case.get("target", "2D"), case.get("format", "R8G8B8A8_UNORM")
    with screen().context_create() as ctx:
        common: dict[str, Any] = {"width0": SIZE, "height0": SIZE, "nr_samples": samples if samples > 1 else 0}
        colors = [screen().resource_create(format=format, bind="RENDER_TARGET", **common) for _ in range(2)]
        depth = screen().resource_create(format="Z24_UNORM_S8_UINT", bind="DEPTH_STENCIL", **common)
        ctx.set_framebuffer_state(cbufs=colors, zsbuf=depth)
        ctx.clear(color=(0.25, 0.5, 0.75, 0.5), depth=1.0, stencil=3)
        half = SIZE / 2
        ctx.set_viewport_states([{"scale": (half, half, 0.5), "translate": (half, half, 0.5)} | case.get("viewport", {})])
        ctx.set_scissor_states([{"minx": 5, "miny": 6, "maxx": 33, "maxy": 30} | case.get("scissor", {})])
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**case.get("rasterizer", {})))
        blend = dict(case.get("blend", {}))
        rt = [g.RenderTargetBlend(**item) for item in blend.pop("rt", [{}])]
        ctx.bind_blend_state(ctx.create_blend_state(g.BlendState(tuple(rt), **blend)))
        dsa: dict[str, Any] = {k: case[k] for k in ("depth", "alpha") if k in case}
        if "stencil" in case:
            dsa["stencil"] = (case["stencil"], case.get("back", {"enabled": False}))
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(**dsa))
        ctx.set_blend_color(case.get("blend_color", (0, 0, 0, 0)))
        ctx.set_stencil_ref(case.get("stencil_ref", (3, 3)))
        ctx.set_clip_state(case.get("clip", [(1, 0.3, 0, 0.2)]))
        ctx.set_polygon_stipple(case.get("stipple", [0x0F0F3355] * 32))
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(textures()[target])])
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(**case.get("sampler", {}))])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(TEXTURED.format(target) if "sampler" in case else PLAIN))
        second = {"src_offset": 0, "src_format": "R32G32B32A32_FLOAT", "vertex_buffer_index": 1} | case.get("element", {})
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([{"src_offset": 0, "src_format": "R32G32B32A32_FLOAT"}, second]))
        ctx.set_vertex_buffers([CORNERS, COLORS, COLORS[::-1].copy()])
        for mode in case.get("modes", ["TRIANGLES"]):
            index = np.array(case.get("index", ORDER[mode]), np.uint16)
            ctx.draw_vbo(**({"mode": mode, "index": index, "count": len(index)} | case.get("info", {})))
        ctx.flush()
        return b"".join(np.ascontiguousarray(r.storage).tobytes() for r in (*colors, depth))


LINEAR = {"min_img_filter": "LINEAR", "mag_img_filter": "LINEAR"}
TEST = {"enabled": True, "writemask": True, "func": "LESS"}
STENCIL = {"enabled": True, "func": "LESS", "zpass_op": "INCR", "valuemask": 255, "writemask": 255}
MIX = {"blend_enable": True, "rgb_src_factor": "SRC_ALPHA", "rgb_dst_factor": "INV_SRC_ALPHA", "alpha_src_factor": "SRC_ALPHA"}
LINES, POINTS = ["LINES"], ["POINTS"]


def rasterizer(value: Any, base: State | None = None, **around: Any) -> tuple[State, str, Any]:
    return {"rasterizer": base or {}} | around, "rasterizer", value


#: For each field: the subject, the kind of state, the other value (or a function without arguments that returns the other case).
CASES: dict[str, tuple[State, str, Any]] = {
    "RasterizerState.flatshade": rasterizer(True),
    "RasterizerState.light_twoside": rasterizer(True),
    "RasterizerState.clamp_vertex_color": rasterizer(True, format="R16G16B16A16_FLOAT"),
    "RasterizerState.clamp_fragment_color": rasterizer(True, format="R16G16B16A16_FLOAT"),
    "RasterizerState.clamp_fixed_only": rasterizer(True, {"clamp_vertex_color": True}, format="R16G16B16A16_FLOAT"),
    "RasterizerState.front_ccw": rasterizer(True, {"cull_face": "BACK"}),
    "RasterizerState.cull_face": rasterizer("FRONT"),
    "RasterizerState.fill_front": rasterizer("LINE"),
    "RasterizerState.fill_back": rasterizer("POINT"),
    "RasterizerState.offset_point": rasterizer(True, {"fill_front": "POINT", "fill_back": "POINT", "offset_units": 9.0}, depth=TEST),
    "RasterizerState.offset_line": rasterizer(True, {"fill_front": "LINE", "fill_back": "LINE", "offset_units": 9.0}, depth=TEST),
    "RasterizerState.offset_tri": rasterizer(True, {"offset_units": 9.0}, depth=TEST),
    "RasterizerState.scissor": rasterizer(True),
    "RasterizerState.poly_smooth": rasterizer(True),
    "RasterizerState.poly_stipple_enable": rasterizer(True),
    "RasterizerState.point_smooth": rasterizer(True, {"point_size": 5.0}, modes=POINTS),
    "RasterizerState.sprite_coord_mode": rasterizer("LOWER_LEFT", {"sprite_coord_enable": 1, "point_size": 7.0}, modes=POINTS),
    "RasterizerState.point_quad_rasterization": rasterizer(
        True, {"point_size": 4.0}, modes=POINTS, viewport={"translate": (20.3, 20.3, 0.5)}
    ),
    "RasterizerState.point_tri_clip": rasterizer(True, {"point_size": 30.0}, modes=POINTS, info={"drawid": 3}),
    "RasterizerState.point_size_per_vertex": rasterizer(True, modes=POINTS),
    "RasterizerState.multisample": rasterizer(True, {"line_width": 3.0}, modes=LINES, samples=4),
    "RasterizerState.force_persample_interp": rasterizer(True, {"multisample": True}, samples=4),
    "RasterizerState.line_smooth": rasterizer(True, modes=LINES),
    "RasterizerState.line_stipple_enable": rasterizer(True, {"line_stipple_pattern": 0x3333}, modes=LINES),
    "RasterizerState.line_last_pixel": rasterizer(True, modes=LINES, viewport={"translate": (20.25, 20.25, 0.5)}),
    "RasterizerState.flatshade_first": rasterizer(True, {"flatshade": True}),
    "RasterizerState.quads_provoke_last": rasterizer(True, {"flatshade": True, "flatshade_first": True}, info={"mode": "QUADS"}),
    "RasterizerState.half_pixel_center": rasterizer(False),
    "RasterizerState.bottom_edge_rule": rasterizer(True, viewport={"translate": (20, 20.5, 0.5)}),
    "RasterizerState.rasterizer_discard": rasterizer(True),
    "RasterizerState.depth_clip": rasterizer(False),
    "RasterizerState.depth_clip_near": rasterizer(False, {"clip_halfz": True}),
    "RasterizerState.depth_clip_far": rasterizer(False),
    "RasterizerState.clip_halfz": rasterizer(True),
    "RasterizerState.offset_units_unscaled": rasterizer(True, {"offset_tri": True, "offset_units": 0.25}, depth=TEST),
    "RasterizerState.conservative_raster_mode": rasterizer("POST_SNAP"),
    "RasterizerState.conservative_raster_dilate": rasterizer(0.5, {"conservative_raster_mode": "POST_SNAP"}),
    "RasterizerState.subpixel_precision_x": rasterizer(
        6, {"conservative_raster_mode": "POST_SNAP"}, viewport={"scale": (10 / 0.9, 10 / 0.9, 0.5), "translate": (20 + 1 / 600, 20, 0.5)}
    ),
    "RasterizerState.subpixel_precision_y": rasterizer(
        6, {"conservative_raster_mode": "POST_SNAP"}, viewport={"scale": (10 / 0.9, 10 / 0.9, 0.5), "translate": (20, 20 + 1 / 600, 0.5)}
    ),
    "RasterizerState.clip_plane_enable": rasterizer(1),
    "RasterizerState.sprite_coord_enable": rasterizer(1, {"point_size": 7.0}, modes=POINTS),
    "RasterizerState.line_stipple_factor": rasterizer(2, {"line_stipple_enable": True, "line_stipple_pattern": 0x3333}, modes=LINES),
    "RasterizerState.line_stipple_pattern": rasterizer(0x00FF, {"line_stipple_enable": True}, modes=LINES),
    "RasterizerState.line_width": rasterizer(3.0, modes=LINES),
    "RasterizerState.point_size": rasterizer(6.0, modes=POINTS),
    "RasterizerState.offset_units": rasterizer(99.0, {"offset_tri": True}, depth=TEST),
    "RasterizerState.offset_scale": rasterizer(1.5, {"offset_tri": True}, depth=TEST),
    "RasterizerState.offset_clamp": rasterizer(1e-4, {"offset_tri": True, "offset_scale": 2.0}, depth=TEST),
    "BlendState.rt": ({"blend": {}}, "blend", [MIX]),
    "BlendState.independent_blend_enable": ({"blend": {"rt": [MIX | {"rgb_dst_factor": "ONE"}, {}]}}, "blend", True),
    "BlendState.logicop_enable": ({"blend": {"logicop_func": "XOR"}}, "blend", True),
    "BlendState.logicop_func": ({"blend": {"logicop_enable": True}}, "blend", "INVERT"),
    "BlendState.alpha_to_coverage": ({"blend": {}, "samples": 4, "rasterizer": {"multisample": True}}, "blend", True),
    "BlendState.alpha_to_one": ({"blend": {}, "samples": 4, "rasterizer": {"multisample": True}}, "blend", True),
    "DepthState.enabled": ({"depth": TEST}, "depth", False),
    "DepthState.writemask": ({"depth": TEST}, "depth", False),
    "DepthState.func": ({"depth": TEST}, "depth", "GREATER"),
    "DepthState.bounds_test": ({"depth": TEST | {"bounds_max": 0.5}}, "depth", True),
    "DepthState.bounds_min": ({"depth": TEST | {"bounds_test": True, "func": "ALWAYS"}}, "depth", 0.99),
    "DepthState.bounds_max": ({"depth": TEST | {"bounds_test": True}}, "depth", 0.7),
    "StencilState.enabled": ({"stencil": STENCIL}, "stencil", False),
    "StencilState.func": ({"stencil": STENCIL}, "stencil", "EQUAL"),
    "StencilState.fail_op": ({"stencil": STENCIL}, "stencil", "INVERT"),
    "StencilState.zpass_op": ({"stencil": STENCIL | {"func": "ALWAYS"}}, "stencil", "DECR"),
    "StencilState.zfail_op": ({"stencil": STENCIL | {"func": "ALWAYS"}, "depth": TEST | {"func": "GREATER"}}, "stencil", "ZERO"),
    "StencilState.valuemask": ({"stencil": STENCIL | {"func": "EQUAL"}, "stencil_ref": (7, 7)}, "stencil", 3),
    "StencilState.writemask": ({"stencil": STENCIL | {"func": "ALWAYS"}}, "stencil", 0),
    "AlphaState.enabled": ({"alpha": {"func": "LESS", "ref_value": 0.5}}, "alpha", True),
    "AlphaState.func": ({"alpha": {"enabled": True, "func": "LESS", "ref_value": 0.5}}, "alpha", "GREATER"),
    "AlphaState.ref_value": ({"alpha": {"enabled": True, "func": "LESS", "ref_value": 0.5}}, "alpha", 0.8),
    "SamplerState.wrap_s": ({"sampler": {}}, "sampler", "CLAMP_TO_EDGE"),
    "SamplerState.wrap_t": ({"sampler": {}}, "sampler", "CLAMP_TO_EDGE"),
    "SamplerState.wrap_r": ({"sampler": {}, "target": "3D"}, "sampler", "CLAMP_TO_BORDER"),
    "SamplerState.min_img_filter": ({"sampler": {"lod_bias": 1.0, "min_mip_filter": "NEAREST"}}, "sampler", "LINEAR"),
    "SamplerState.mag_img_filter": ({"sampler": {}}, "sampler", "LINEAR"),
    "SamplerState.min_mip_filter": ({"sampler": {"lod_bias": 2.0}}, "sampler", "NEAREST"),
    "SamplerState.compare_mode": ({"sampler": {"compare_func": "LESS"}, "target": "SHADOW2D"}, "sampler", "R_TO_TEXTURE"),
    "SamplerState.compare_func": ({"sampler": {"compare_mode": "R_TO_TEXTURE"}, "target": "SHADOW2D"}, "sampler", "GREATER"),
    "SamplerState.normalized_coords": ({"sampler": {"wrap_s": "CLAMP_TO_EDGE", "wrap_t": "CLAMP_TO_EDGE"}}, "sampler", False),
    "SamplerState.max_anisotropy": (
        {"sampler": LINEAR | {"min_mip_filter": "LINEAR"}, "viewport": {"scale": (20, 1, 0.5)}},
        "sampler",
        8,
    ),
    "SamplerState.seamless_cube_map": ({"sampler": LINEAR, "target": "CUBE"}, "sampler", True),
    "SamplerState.lod_bias": ({"sampler": {"min_mip_filter": "NEAREST"}}, "sampler", 3.0),
    "SamplerState.min_lod": ({"sampler": {"min_mip_filter": "NEAREST"}}, "sampler", 2.0),
    "SamplerState.max_lod": ({"sampler": {"min_mip_filter": "NEAREST", "lod_bias": 4.0}}, "sampler", 1.0),
    "SamplerState.lod_by_length": ({"sampler": {"min_mip_filter": "LINEAR", "lod_bias": 2.5}}, "sampler", True),
    "SamplerState.border_color": ({"sampler": {"wrap_s": "CLAMP_TO_BORDER"}}, "sampler", (1.0, 0.0, 1.0, 1.0)),
    "VertexElement.src_offset": ({"element": {}}, "element", 8),
    "VertexElement.src_format": ({"element": {}}, "element", "R32G32_FLOAT"),
    "VertexElement.vertex_buffer_index": ({"element": {}}, "element", 2),
    "VertexElement.instance_divisor": ({"element": {}}, "element", 1),
    "ViewportState.scale": ({"viewport": {}}, "viewport", (11.0, 13.0, 0.5)),
    "ViewportState.translate": ({"viewport": {}}, "viewport", (11.0, 13.0, 0.5)),
    "BlendColor.color": ({"blend": {"rt": [MIX | {"rgb_src_factor": "CONST_COLOR"}]}}, "blend_color", (0.5, 0.25, 1.0, 0.1)),
    "StencilRef.ref_value": ({"stencil": STENCIL}, "stencil_ref", (1, 1)),
    "ClipState.ucp": ({"rasterizer": {"clip_plane_enable": 1}}, "clip", [(0, 1, 0, 0.1)]),
    "PolyStipple.stipple": ({"rasterizer": {"poly_stipple_enable": True}}, "stipple", [0xFF00FF00] * 32),
    "DrawInfo.mode": ({"info": {}}, "info", "TRIANGLE_STRIP"),
    "DrawInfo.count": ({"info": {}}, "info", 2),
    "DrawInfo.start": ({"info": {"count": 3}}, "info", 6),
    "DrawInfo.index_size": ({"modes": LINES, "info": {"index": None, "count": 6}}, "info", None),
    "DrawInfo.instance_count": ({"info": {}, "element": {"instance_divisor": 1}}, "info", 3),
    "DrawInfo.start_instance": ({"info": {}, "element": {"instance_divisor": 1}}, "info", 2),
    "DrawInfo.index_bias": ({"modes": LINES, "info": {}}, "info", 1),
    "DrawInfo.primitive_restart": ({"modes": LINES, "info": {"mode": "LINE_STRIP", "restart_index": 4}}, "info", True),
    "DrawInfo.restart_index": ({"modes": LINES, "info": {"mode": "LINE_STRIP", "primitive_restart": True, "restart_index": 4}}, "info", 7),
    "DrawInfo.drawid": ({"info": {}}, "info", 2),
}
CUT = {"rasterizer": {"scissor": True}, "scissor": {}}
CASES |= {f"ScissorState.{n}": (CUT, "scissor", v) for n, v in (("minx", 9), ("miny", 9), ("maxx", 25), ("maxy", 25))}
CASES |= {
    f"RenderTargetBlend.{n}": ({"blend": {"rt": [base]}}, "rt", v)
    for n, base, v in (
        ("blend_enable", MIX, False),
        ("rgb_func", MIX, "SUBTRACT"),
        ("rgb_src_factor", MIX, "ONE"),
        ("rgb_dst_factor", MIX, "ONE"),
        ("alpha_func", MIX | {"alpha_dst_factor": "ONE"}, "REVERSE_SUBTRACT"),
        ("alpha_src_factor", MIX, "ZERO"),
        ("alpha_dst_factor", MIX, "ONE"),
        ("colormask", MIX, 3),
    )
}
ELSEWHERE = {
    "DepthStencilAlphaState.depth": "its parts are here",
    "DepthStencilAlphaState.stencil": "its parts are here",
    "DepthStencilAlphaState.alpha": "its parts are here",
    "DrawInfo.vertices_per_patch": "tests/unit/geometry/tessellation",
    "DrawInfo.indexed": "tests/unit/gallium/test_indirect_draws.py",
    "DrawInfo.index_size": "tests/unit/gallium/test_draw.py",
    **{f"VertexBuffer.{field.name}": "tests/unit/gallium/test_signed_offsets.py" for field in dataclasses.fields(states.VertexBuffer)},
    **{
        f"{kind.__name__}.{field.name}": "tests/unit/geometry/test_stream_output.py"
        for kind in (states.StreamOutput, states.StreamOutputInfo)
        for field in dataclasses.fields(kind)
    },
}


def fields() -> list[str]:
    return [f"{kind.__name__}.{field.name}" for kind in KINDS for field in dataclasses.fields(kind)]


def changed(name: str) -> State:
    base, kind, value = CASES[name]
    field = name.partition(".")[2]
    if kind == "rt":
        return base | {"blend": {"rt": [base["blend"]["rt"][0] | {field: value}]}}
    old = base.get(kind)
    return base | {kind: old | {field: value} if isinstance(old, dict) else value}


@pytest.mark.parametrize("name", [n for n in fields() if n in CASES and n not in ELSEWHERE])
def test_the_field_changes_pixels(name: str) -> None:
    assert image(CASES[name][0]) != image(changed(name))


def test_the_same_state_gives_the_same_bytes() -> None:
    assert image({}) == image({})


def test_every_field_has_a_case_or_a_reason() -> None:
    assert set(fields()) == set(CASES) | set(REASONS) | set(ELSEWHERE)
    assert not set(CASES) & set(REASONS)
