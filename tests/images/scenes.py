"""Scenes through the public Context. Each draws into targets and returns all their bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from tgsi import gallium as g

Array = NDArray[Any]
WIDTH, HEIGHT = 150, 110
FLOATS = {1: "R32_FLOAT", 2: "R32G32_FLOAT", 3: "R32G32B32_FLOAT", 4: "R32G32B32A32_FLOAT"}

VS_COLOR = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
VS_MATRIX = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0..3]
DCL TEMP[0]
MUL TEMP[0], CONST[0], IN[0].xxxx
MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
ADD OUT[0], TEMP[0], CONST[3]
MOV OUT[1], IN[1]
END
"""
FS_COLOR = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
FS_FLAT = FS_COLOR.replace("PERSPECTIVE", "CONSTANT")
FS_TEXTURE = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END
"""
FS_LIT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 {0.3, 0.6, 0.74, 0.0}
IMM[1] FLT32 {12.0, 0.1, 1.0, 0.5}
DP3 TEMP[0].x, IN[0], IN[0]
RSQ TEMP[0].x, TEMP[0].xxxx
MUL TEMP[0], IN[0], TEMP[0].xxxx
DP3 TEMP[1].x, TEMP[0], IMM[0]
MAX TEMP[1].x, TEMP[1].xxxx, IMM[1].yyyy
POW TEMP[1].y, TEMP[1].xxxx, IMM[1].xxxx
MAD OUT[0].xyz, TEMP[0], IMM[1].wwww, TEMP[1].xyyy
MOV OUT[0].w, IMM[1].zzzz
END
"""
FS_KILL = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], POSITION, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 {0.25, -0.4, 8.0, 1.0}
MUL TEMP[0].xy, IN[1], IMM[0].xxxx
FRC TEMP[0].xy, TEMP[0]
ADD TEMP[1].x, TEMP[0].xxxx, IMM[0].yyyy
KILL_IF TEMP[1].xxxx
DDX TEMP[1], IN[0]
DDY TEMP[0], IN[0]
ADD TEMP[0], |TEMP[0]|, |TEMP[1]|
MUL OUT[0].xyz, TEMP[0], IMM[0].zzzz
MOV OUT[0].w, IMM[0].wwww
END
"""
FS_TWO = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR[0]
DCL OUT[1], COLOR[1]
DCL OUT[2], COLOR[2]
ADD OUT[0], IN[0], IN[0]
MUL OUT[1], IN[0], IN[0]
MOV OUT[2], IN[0].wzyx
END
"""
# Soft burn of the target's color (FBFETCH) with the input's color half a pixel away.
FS_FETCH = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR[0]
DCL OUT[1], COLOR[1]
DCL TEMP[0..2]
IMM[0] FLT32 {0.5, -0.25, 0.0, 1.0}
INTERP_OFFSET TEMP[0], IN[0], IMM[0]
FBFETCH TEMP[1], OUT[0]
FBFETCH TEMP[2], OUT[1].wzyx
ADD TEMP[2], IMM[0].wwww, -TEMP[2]
LRP OUT[0], TEMP[0].wwww, TEMP[0], TEMP[1]
MAD OUT[1], TEMP[1], TEMP[2], IMM[0].xxxx
END
"""
VS_CULL = """VERT
PROPERTY NUM_CLIPDIST_ENABLED 1
PROPERTY NUM_CULLDIST_ENABLED 2
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], CLIPDIST
DCL OUT[3].x, EDGEFLAG
IMM[0] FLT32 {0.5, -0.4, 0.7, 0.0}
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
ADD OUT[2].x, IN[0].yyyy, IMM[0].xxxx
ADD OUT[2].yz, IN[1], IMM[0].xyyw
SLT OUT[3].x, IN[1].xxxx, IMM[0].zzzz
END
"""

# Sends each triangle to one of six layers and one of four viewports: integers in the last attribute.
VS_ROUTE = """VERT
DCL IN[0]
DCL IN[1]
DCL IN[2]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], LAYER
DCL OUT[3], VIEWPORT_INDEX
DCL TEMP[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
F2I TEMP[0], IN[2]
MOV OUT[2].x, TEMP[0].xxxx
MOV OUT[3].x, TEMP[0].yyyy
END
"""

# Emits a triangle's corners twice around, drawn toward one of them; then two vertices, which only form a line.
GS_SHARDS = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE {strip}
PROPERTY GS_MAX_OUTPUT_VERTICES 8
PROPERTY GS_INVOCATIONS 2
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0..1]
DCL ADDR[0]
IMM[0] UINT32 {{0, 1, 3, 5}}
IMM[1] FLT32 {{0.5, 0.25, 1.5, 0.0}}
U2F TEMP[0].x, SV[0].xxxx
MAD TEMP[0].x, TEMP[0].xxxx, IMM[1].yyyy, IMM[1].xxxx
MOV TEMP[0].y, SV[0].xxxx
BGNLOOP
  UMOD TEMP[0].z, TEMP[0].yyyy, IMM[0].zzzz
  UARL ADDR[0].x, TEMP[0].zzzz
  LRP OUT[0], TEMP[0].xxxx, IN[ADDR[0].x][0], IN[1][0]
  LRP OUT[1], TEMP[0].xxxx, IN[0][1], IN[ADDR[0].x][1]
  EMIT IMM[0].xxxx
  UADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy
  USLT TEMP[1].x, IMM[0].wwww, TEMP[0].yyyy
  UIF TEMP[1].xxxx
    BRK
  ENDIF
ENDLOOP
ENDPRIM IMM[0].xxxx
MOV OUT[0], IN[2][0]
EMIT IMM[0].xxxx
MUL OUT[0].xy, IN[0][0], IMM[1].zzzz
EMIT IMM[0].xxxx
END
"""


class Stage:
    """Context with its targets bound."""

    def __init__(self, screen: tgsi.Screen, colors: tuple[str, ...] = ("R8G8B8A8_UNORM",), depth: str | None = None) -> None:
        self.screen, self.ctx = screen, screen.context_create()
        self.targets = [self.resource(f, WIDTH, HEIGHT, "RENDER_TARGET") for f in colors]
        self.depth = self.resource(depth, WIDTH, HEIGHT, "DEPTH_STENCIL") if depth else None
        self.ctx.set_framebuffer_state(cbufs=self.targets, zsbuf=self.depth)
        self.ctx.set_viewport_states([{"scale": (WIDTH / 2, HEIGHT / 2, 0.5), "translate": (WIDTH / 2, HEIGHT / 2, 0.5)}])
        self.rasterizer()

    def resource(self, format: str, width: int, height: int, bind: str, levels: int = 1) -> Any:
        return self.screen.resource_create(
            target="TEXTURE_2D", format=format, width0=width, height0=height, bind=bind, last_level=levels - 1
        )

    def clear(self, *color: float, depth: float = 1.0) -> None:
        buffers = g.Clear(sum(g.Clear.COLOR0 << k for k in range(len(self.targets))))
        self.ctx.clear(buffers | (g.Clear.DEPTHSTENCIL if self.depth is not None else 0), color=color, depth=depth, stencil=0)

    def rasterizer(self, **fields: Any) -> None:
        self.ctx.bind_rasterizer_state(self.ctx.create_rasterizer_state(half_pixel_center=True, depth_clip=True, **fields))

    def depth_test(self, func: str = "LESS", **fields: Any) -> None:
        depth = {"enabled": True, "writemask": True, "func": func}
        self.ctx.bind_depth_stencil_alpha_state(self.ctx.create_depth_stencil_alpha_state(depth=depth, **fields))

    def blend(self, source: str, target: str, **fields: Any) -> None:
        sides = {"src": source, "dst": target}
        factors: dict[str, Any] = {f"{part}_{side}_factor": name for part in ("rgb", "alpha") for side, name in sides.items()}
        self.ctx.bind_blend_state(self.ctx.create_blend_state(blend_enable=True, **factors, **fields))

    def draw(self, vs: str, fs: str, mode: str, *arrays: Array, divisors: tuple[int, ...] = (), **info: Any) -> None:
        ctx = self.ctx
        ctx.bind_vs_state(ctx.create_vs_state(vs))
        ctx.bind_fs_state(ctx.create_fs_state(fs))
        steps = divisors or (0,) * len(arrays)
        ctx.bind_vertex_elements_state(
            ctx.create_vertex_elements_state([(0, FLOATS[a.shape[1]], i, steps[i]) for i, a in enumerate(arrays)])
        )
        ctx.set_vertex_buffers([np.ascontiguousarray(a, "f4") for a in arrays])
        info.setdefault("count", len(arrays[0]) if "index" not in info else len(info["index"]))
        ctx.draw_vbo(mode=mode, **info)

    def bytes(self) -> bytes:
        """Bytes of all targets, tightly packed."""
        found = b""
        for target in [*self.targets, *([self.depth] if self.depth is not None else [])]:
            with self.ctx.transfer_map(target, usage="READ") as mapped:
                found += np.ascontiguousarray(mapped.data).tobytes()
        self.ctx.destroy()
        return found


def soup(count: int, size: float, seed: int) -> tuple[Array, Array]:
    """Clip positions (some behind the viewer) and colors of random triangles."""
    rng = np.random.default_rng(seed)
    w = rng.uniform(0.3, 3, (count, 3, 1))
    xy = rng.uniform(-1.1, 1.1, (count, 1, 2)) + rng.normal(size=(count, 3, 2)) * size
    z = rng.uniform(-1.1, 1.1, (count, 3, 1))
    position = np.concatenate([xy * w, z * w, w], 2).reshape(-1, 4).astype("f4")
    position[::31, 3] *= -1
    return position, rng.uniform(-0.1, 1.1, (3 * count, 4)).astype("f4")


def torus(nu: int, nv: int) -> tuple[Array, Array, Array]:
    u, v = np.meshgrid(np.arange(nu + 1) * (2 * np.pi / nu), np.arange(nv + 1) * (2 * np.pi / nv))
    normal = np.stack([np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)], -1).reshape(-1, 3)
    center = np.stack([np.cos(u), np.sin(u), 0 * u], -1).reshape(-1, 3)
    i = (np.arange(nv)[:, None] * (nu + 1) + np.arange(nu)[None, :]).ravel()
    index = np.stack([i, i + 1, i + nu + 1, i + 1, i + nu + 2, i + nu + 1], 1).ravel()
    # rounded, so that differences between math libraries cannot change the bytes
    return np.round(center * 0.7 + normal * 0.3, 3).astype("f4"), np.round(normal, 3).astype("f4"), index.astype("u2")


def _triangles(s: tgsi.Screen) -> bytes:
    stage = Stage(s, depth="Z24X8_UNORM")
    stage.clear(0.1, 0.2, 0.3, 1.0)
    stage.depth_test()
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(300, 0.2, 1))
    stage.draw(VS_COLOR, FS_FLAT, "TRIANGLES", *soup(900, 0.03, 2))
    return stage.bytes()


def _torus(s: tgsi.Screen) -> bytes:
    stage = Stage(s, depth="Z32_FLOAT")
    stage.clear(0, 0, 0, 1)
    stage.depth_test("LEQUAL")
    matrix = np.array([[1.4, 0, 0, 0], [0, 0.9, 0.5, 0.45], [0, -1.6, 0.6, 0.5], [0, 0, 1.2, 2.2]], "f4")
    stage.ctx.set_constant_buffer("VERTEX", matrix)
    position, normal, index = torus(60, 24)
    stage.rasterizer(cull_face="BACK", front_ccw=True)
    stage.draw(VS_MATRIX, FS_LIT, "TRIANGLES", position, normal, index=index)
    return stage.bytes()


def _texture(s: tgsi.Screen) -> bytes:
    stage = Stage(s, ("B8G8R8A8_UNORM",))
    stage.clear(0.5, 0.5, 0.5, 0.5)
    rng = np.random.default_rng(4)
    levels = [rng.integers(0, 256, (size, size, 4)).astype("u1") for size in (32, 16, 8, 4, 2, 1)]
    texture = stage.resource("R8G8B8A8_UNORM", 32, 32, "SAMPLER_VIEW", len(levels))
    for level, texels in enumerate(levels):
        stage.ctx.texture_subdata(texture, texels, level=level)
    stage.ctx.set_sampler_views("FRAGMENT", [stage.ctx.create_sampler_view(texture)])
    fields: dict[str, Any] = {"min_img_filter": "LINEAR", "mag_img_filter": "LINEAR", "min_mip_filter": "LINEAR", "wrap_t": "MIRROR_REPEAT"}
    stage.ctx.bind_sampler_states("FRAGMENT", [stage.ctx.create_sampler_state(**fields)])
    ground = np.array([[-4, -1, 0.9, 1], [4, -1, 0.9, 1], [-4, 0.8, 5.5, 6], [4, 0.8, 5.5, 6]], "f4")
    stage.draw(VS_COLOR, FS_TEXTURE, "TRIANGLE_STRIP", ground, np.array([[0, 0, 0, 0], [2, 0, 0, 0], [0, 9, 0, 0], [2, 9, 0, 0]], "f4"))
    return stage.bytes()


def _blending(s: tgsi.Screen) -> bytes:
    stage = Stage(s, ("R8G8B8A8_UNORM", "R16G16B16A16_FLOAT", "B5G6R5_UNORM"))
    stage.clear(0.2, 0.4, 0.6, 0.8)
    position, color = soup(80, 0.3, 6)
    stage.blend("SRC_ALPHA", "INV_SRC_ALPHA")
    stage.draw(VS_COLOR, FS_TWO, "TRIANGLES", position[:120], color[:120])
    stage.blend("DST_COLOR", "ONE", rgb_func="REVERSE_SUBTRACT")
    stage.draw(VS_COLOR, FS_TWO, "TRIANGLES", position[120:], color[120:])
    return stage.bytes()


def _stencil(s: tgsi.Screen) -> bytes:
    stage = Stage(s, depth="Z24_UNORM_S8_UINT")
    stage.clear(0, 0, 0, 0)
    front = {"enabled": True, "func": "ALWAYS", "zpass_op": "INCR_WRAP", "zfail_op": "INVERT", "valuemask": 255, "writemask": 255}
    back = front | {"zpass_op": "DECR_WRAP"}
    stage.depth_test(stencil=(front, back))
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(150, 0.25, 8))
    equal = {"enabled": True, "func": "LESS", "valuemask": 3, "writemask": 0}
    stage.depth_test("ALWAYS", stencil=(equal, {"enabled": False}))
    stage.ctx.set_stencil_ref((1, 1))
    stage.draw(VS_COLOR, FS_FLAT, "TRIANGLES", *soup(40, 0.6, 9))
    return stage.bytes()


def _lines_and_points(s: tgsi.Screen) -> bytes:
    stage = Stage(s)
    stage.clear(1, 1, 1, 1)
    position, color = soup(60, 0.5, 10)
    stage.draw(VS_COLOR, FS_COLOR, "LINES", position, color)
    stage.rasterizer(line_width=5.0)
    stage.draw(VS_COLOR, FS_COLOR, "LINE_STRIP", position[:20], color[:20])
    stage.rasterizer(point_size=7.0)
    stage.draw(VS_COLOR, FS_FLAT, "POINTS", position[40:], color[40:])
    return stage.bytes()


def _instances(s: tgsi.Screen) -> bytes:
    vs = VS_COLOR.replace("DCL IN[1]", "DCL IN[1]\nDCL IN[2]").replace("MOV OUT[0], IN[0]", "ADD OUT[0], IN[0], IN[2]")
    stage = Stage(s, ("R32G32B32A32_FLOAT",))
    stage.clear(0, 0, 0, 0)
    rng = np.random.default_rng(12)
    base = np.array([[0, 0, 0, 1], [0.2, 0, 0, 1], [0.2, 0.3, 0, 1], [-0.05, 0.25, 0, 1], [-0.1, 0.1, 0, 1]], "f4")
    offset = np.concatenate([rng.uniform(-0.9, 0.8, (40, 2)), np.zeros((40, 2))], 1)
    stage.blend("ONE", "ONE")
    stage.draw(vs, FS_FLAT, "POLYGON", base, rng.uniform(0, 1, (10, 4)), offset, divisors=(0, 4, 1), instance_count=40)
    return stage.bytes()


def _kill(s: tgsi.Screen) -> bytes:
    stage = Stage(s, depth="Z16_UNORM")
    stage.clear(0, 0.5, 0, 1)
    stage.depth_test(alpha={"enabled": True, "func": "GREATER", "ref_value": 0.25})
    stage.draw(VS_COLOR, FS_KILL, "TRIANGLES", *soup(200, 0.15, 14))
    return stage.bytes()


def _clipped(s: tgsi.Screen) -> bytes:
    stage = Stage(s)
    stage.clear(0, 0, 0, 0)
    stage.rasterizer(clip_plane_enable=3, scissor=True)
    stage.ctx.set_clip_state([(1.0, 0.4, 0.0, 0.3), (-0.2, 1.0, 0.1, 0.6)])
    stage.ctx.set_scissor_states([{"minx": 11, "miny": 7, "maxx": 139, "maxy": 99}])
    stage.blend("ONE", "ONE")
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(60, 1.5, 16))
    return stage.bytes()


def _fetched(s: tgsi.Screen) -> bytes:
    stage = Stage(s, ("R8G8B8A8_UNORM", "R16G16B16A16_FLOAT"), "Z24X8_UNORM")
    stage.clear(0.3, 0.6, 0.9, 0.5)
    stage.depth_test("GREATER")
    stage.clear(0.3, 0.6, 0.9, 0.5, depth=0.0)
    stage.draw(VS_COLOR, FS_FETCH, "TRIANGLES", *soup(120, 0.4, 18))
    stage.draw(VS_COLOR, FS_FETCH, "TRIANGLES", *soup(900, 0.03, 19))
    return stage.bytes()


def _culled(s: tgsi.Screen) -> bytes:
    stage = Stage(s)
    stage.clear(0, 0, 0, 0)
    stage.blend("ONE", "ONE")
    stage.rasterizer(clip_plane_enable=255)
    stage.draw(VS_CULL, FS_FLAT, "TRIANGLES", *soup(150, 0.2, 20))
    stage.rasterizer(fill_front="LINE", fill_back="POINT", point_size=3.0, clip_plane_enable=255)
    stage.draw(VS_CULL, FS_COLOR, "QUADS", *soup(60, 0.3, 21))
    return stage.bytes()


def _styles(s: tgsi.Screen) -> bytes:
    stage = Stage(s, depth="Z32_FLOAT")
    stage.clear(0, 0, 0, 1)
    stage.blend("SRC_ALPHA", "INV_SRC_ALPHA")
    position, color = soup(40, 0.4, 26)
    color[:, 3] = 1
    stage.rasterizer(poly_smooth=True)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", position[:30], color[:30])
    stage.rasterizer(line_smooth=True, line_width=2.5, line_stipple_enable=True, line_stipple_pattern=0x3F07, line_stipple_factor=1)
    stage.draw(VS_COLOR, FS_COLOR, "LINES", position[30:60], color[30:60])
    stage.rasterizer(line_stipple_enable=True, line_stipple_pattern=0x5557)
    turn = np.arange(5000) % 500
    strip = np.stack([(turn * 37 % 500 - 250) / 260, (turn * 91 % 500 - 250) / 260, 0 * turn, 0 * turn + 1], 1)
    stage.draw(VS_COLOR, FS_COLOR, "LINE_STRIP", strip, np.full((5000, 4), 0.5))
    stage.rasterizer(point_smooth=True, point_size=9.0)
    stage.draw(VS_COLOR, FS_COLOR, "POINTS", position[60:80], color[60:80])
    stage.depth_test("LEQUAL")
    outline = {"fill_front": "LINE", "fill_back": "FILL", "offset_line": True, "offset_scale": 2.0, "offset_units": 3.0}
    stage.rasterizer(line_smooth=True, **outline)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", position[80:], color[80:])
    return stage.bytes()


def _layers(s: tgsi.Screen) -> bytes:
    stage = Stage(s)
    stage.targets = [s.resource_create(target="TEXTURE_CUBE", format="R8G8B8A8_UNORM", width0=90, height0=90, array_size=6)]
    array: dict[str, Any] = {"target": "TEXTURE_2D_ARRAY", "width0": 90, "height0": 90, "array_size": 6}
    stage.depth = s.resource_create(format="Z24X8_UNORM", bind="DEPTH_STENCIL", **array)
    stage.ctx.set_framebuffer_state(cbufs=stage.targets, zsbuf=stage.depth)
    views = [{"scale": (30 + k, 20, 0.5 - k / 8), "translate": (30 + 9 * k, 30 + 9 * k, 0.5)} for k in range(4)]
    stage.ctx.set_viewport_states(views)
    stage.ctx.set_scissor_states([{"minx": 5 * k, "miny": 0, "maxx": 90, "maxy": 90 - 7 * k} for k in range(4)])
    stage.clear(0.1, 0.2, 0.3, 1.0)
    stage.depth_test()
    for mode, count, seed in (("TRIANGLES", 600, 22), ("LINES", 60, 23), ("POINTS", 60, 24)):
        stage.rasterizer(scissor=True, point_size=5.0, line_width=3.0)
        position, color = soup(count, 0.2, seed)
        route = np.repeat(np.random.default_rng(seed).integers(-1, [8, 6], (count, 2)), 3, axis=0)
        stage.draw(VS_ROUTE, FS_COLOR, mode, position, color, route)
    return stage.bytes()


def _shards(s: tgsi.Screen) -> bytes:
    stage = Stage(s, depth="Z24X8_UNORM")
    stage.clear(0.1, 0.2, 0.3, 1.0)
    stage.depth_test()
    ctx, outputs = stage.ctx, g.StreamOutputInfo((8,), (g.StreamOutput(0), g.StreamOutput(1, dst_offset=4)))
    buffer = s.resource_create(target="BUFFER", width0=100_000, bind="STREAM_OUTPUT")
    target = ctx.create_stream_output_target(buffer)
    for strip, count, seed in (("TRIANGLE_STRIP", 700, 25), ("LINE_STRIP", 40, 26), ("POINTS", 40, 27)):
        stage.rasterizer(flatshade_first=strip == "TRIANGLE_STRIP", point_size=4.0)
        ctx.bind_gs_state(ctx.create_gs_state(GS_SHARDS.format(strip=strip), stream_output=outputs))
        ctx.set_stream_output_targets([target], offsets=[0])
        stage.draw(VS_COLOR, FS_FLAT if count > 100 else FS_COLOR, "TRIANGLES", *soup(count, 0.1, seed))
    ctx.bind_gs_state(None)
    ctx.set_stream_output_targets([])
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(16, FLOATS[4], 0, 0), (0, FLOATS[4], 0, 0)]))
    ctx.set_vertex_buffers([{"buffer": buffer, "stride": 32}])
    ctx.draw_vbo(mode="LINE_STRIP", count_from_stream_output=target)
    with ctx.transfer_map(buffer, usage="READ") as mapped:
        streamed = np.asarray(mapped.data).tobytes()
    return stage.bytes() + streamed


SCENES: dict[str, Callable[[tgsi.Screen], bytes]] = {
    "triangles": _triangles,
    "torus": _torus,
    "texture": _texture,
    "blending": _blending,
    "stencil": _stencil,
    "lines_and_points": _lines_and_points,
    "instances": _instances,
    "kill": _kill,
    "clipped": _clipped,
    "fetched": _fetched,
    "culled": _culled,
    "layers": _layers,
    "shards": _shards,
    "styles": _styles,
}
