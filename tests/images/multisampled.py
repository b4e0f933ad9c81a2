"""Scenes of multisampled targets. Their bytes are those of every sample, then those of the resolved targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tgsi
from tests.images.scenes import FS_COLOR, FS_FETCH, FS_FLAT, FS_KILL, HEIGHT, VS_COLOR, WIDTH, Stage, soup

# Inputs at three locations, the three INTERP instructions, and the sample's position and number.
FS_PLACES = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE, CENTROID
DCL IN[1], GENERIC[0], PERSPECTIVE, SAMPLE
DCL IN[2], GENERIC[0], LINEAR
DCL IN[3], POSITION, LINEAR
DCL SV[0], SAMPLEID
DCL SV[1], SAMPLEPOS
DCL SV[2], SAMPLEMASK
DCL OUT[0], COLOR[0]
DCL OUT[1], COLOR[1]
DCL TEMP[0..3]
IMM[0] INT32 {2, 0, 255, 1}
IMM[1] FLT32 {0.0625, 0.25, -0.375, 0.5}
INTERP_SAMPLE TEMP[0], IN[0], IMM[0].xxxx
INTERP_CENTROID TEMP[1], IN[2]
INTERP_OFFSET TEMP[2], IN[1], IMM[1].yzzz
ADD TEMP[0], TEMP[0], -TEMP[1]
MAD TEMP[0], TEMP[2], IMM[1].wwww, TEMP[0]
I2F TEMP[3].x, SV[0].xxxx
MOV TEMP[3].yz, SV[1].xxyy
I2F TEMP[3].w, SV[2].xxxx
MUL TEMP[3], TEMP[3], IMM[1].xwwx
FRC TEMP[3].w, TEMP[3].wwww
ADD OUT[0], TEMP[0], TEMP[3]
ADD TEMP[2], IN[0], -IN[2]
ADD TEMP[2], TEMP[2], IN[1]
MUL TEMP[1].x, IN[3].xxxx, IMM[1].wwww
FRC TEMP[1].x, TEMP[1].xxxx
ADD OUT[1], TEMP[2], TEMP[1].xxxx
END
"""
# The covered samples as a color; every other one of them is written, with changed depth.
FS_MASK = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE, CENTROID
DCL IN[1], POSITION, LINEAR
DCL SV[0], SAMPLEMASK
DCL OUT[0], COLOR
DCL OUT[1], SAMPLEMASK
DCL OUT[2], POSITION
DCL TEMP[0]
IMM[0] INT32 {5, 7, 1, 0}
IMM[1] FLT32 {0.0625, 0.01, 0.5, 1.0}
U2F TEMP[0].x, SV[0].xxxx
MUL TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx
MAD OUT[0], IN[0], IMM[1].zzzz, TEMP[0].xxxx
SHL TEMP[0].x, SV[0].xxxx, IMM[0].zzzz
XOR OUT[1].x, TEMP[0].xxxx, IMM[0].yyyy
ADD OUT[2].z, IN[1].zzzz, IMM[1].yyyy
END
"""
FS_POST = "FRAG\nPROPERTY FS_POST_DEPTH_COVERAGE 1\n" + FS_MASK.split("\n", 1)[1].replace("DCL OUT[2], POSITION\n", "").replace(
    "ADD OUT[2].z, IN[1].zzzz, IMM[1].yyyy\n", ""
)


class Sampled(Stage):
    """Stage whose targets have several samples."""

    def __init__(self, screen: tgsi.Screen, samples: int, colors: tuple[str, ...] = ("R8G8B8A8_UNORM",), depth: str | None = None) -> None:
        self.samples = samples
        super().__init__(screen, colors, depth)

    def resource(self, format: str, width: int, height: int, bind: str, levels: int = 1) -> Any:
        return self.screen.resource_create(format=format, width0=width, height0=height, bind=bind, nr_samples=self.samples)

    def rasterizer(self, **fields: Any) -> None:
        super().rasterizer(**({"multisample": True} | fields))

    def coverage(self, **fields: Any) -> None:
        self.ctx.bind_blend_state(self.ctx.create_blend_state(**fields))

    def bytes(self) -> bytes:
        self.ctx.flush()
        found = b""
        for target in [*self.targets, *([self.depth] if self.depth is not None else [])]:
            for k in range(self.samples):
                found += np.ascontiguousarray(target.blocks(0, k)).tobytes()
            one = self.screen.resource_create(format=target.format, width0=WIDTH, height0=HEIGHT)
            self.ctx.blit(one, src=target)
            found += np.ascontiguousarray(one.blocks()).tobytes()
        self.ctx.destroy()
        return found


def _opaque(s: tgsi.Screen) -> bytes:
    stage = Sampled(s, 4, depth="Z24_UNORM_S8_UINT")
    stage.clear(0.1, 0.2, 0.3, 1)
    stage.depth_test()
    for size in (0.02, 0.1, 0.7):
        stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(120, size, 30))
    stage.draw(VS_COLOR, FS_FLAT, "TRIANGLES", *soup(8, 2.0, 31))
    return stage.bytes()


def _blended(s: tgsi.Screen) -> bytes:
    stage = Sampled(s, 8, ("R8G8B8A8_UNORM", "R16G16B16A16_FLOAT", "B5G6R5_UNORM"), "Z32_FLOAT")
    stage.clear(0.2, 0.2, 0.2, 0.5)
    stage.depth_test("LEQUAL")
    stage.blend("SRC_ALPHA", "INV_SRC_ALPHA")
    fs = FS_COLOR.replace("OUT[0], COLOR\n", "OUT[0], COLOR\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n")
    stage.ctx.set_sample_mask(0x5B)
    stage.draw(VS_COLOR, fs, "TRIANGLES", *soup(90, 0.3, 32))
    stage.ctx.set_sample_mask(0xFFFFFFFF)
    stage.rasterizer(scissor=True)
    stage.ctx.set_scissor_states([{"minx": 9, "miny": 5, "maxx": 131, "maxy": 97}])
    stage.draw(VS_COLOR, fs, "TRIANGLES", *soup(300, 0.05, 33))
    return stage.bytes()


def _stencil(s: tgsi.Screen) -> bytes:
    stage = Sampled(s, 2, ("R32_FLOAT", "R8G8B8A8_UINT"), "Z32_FLOAT_S8X24_UINT")
    stage.clear(0, 0, 0, 0)
    stage.ctx.set_stencil_ref((3, 5))
    face = {
        "enabled": True,
        "func": "LEQUAL",
        "zpass_op": "INCR",
        "zfail_op": "DECR_WRAP",
        "fail_op": "INVERT",
        "valuemask": 7,
        "writemask": 127,
    }
    stage.depth_test("LESS", stencil=[face, {**face, "func": "GEQUAL", "zpass_op": "REPLACE"}])
    fs = FS_COLOR.replace("OUT[0], COLOR\n", "OUT[0], COLOR\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n")
    stage.draw(VS_COLOR, fs, "TRIANGLES", *soup(150, 0.25, 34))
    stage.draw(VS_COLOR, FS_KILL, "TRIANGLES", *soup(100, 0.25, 35))
    return stage.bytes()


def _places(s: tgsi.Screen) -> bytes:
    stage = Sampled(s, 4, ("R16G16B16A16_FLOAT", "R8G8B8A8_UNORM"), "Z16_UNORM")
    stage.clear(0, 0, 0, 0)
    stage.depth_test()
    stage.draw(VS_COLOR, FS_PLACES, "TRIANGLES", *soup(60, 0.3, 36))
    stage.draw(VS_COLOR, FS_PLACES, "TRIANGLES", *soup(200, 0.03, 37))
    stage.draw(VS_COLOR, FS_FETCH, "TRIANGLES", *soup(80, 0.2, 38))
    stage.ctx.set_min_samples(4)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(50, 0.2, 39))
    stage.rasterizer(force_persample_interp=True)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(50, 0.2, 40))
    return stage.bytes()


def _coverage(s: tgsi.Screen) -> bytes:
    stage = Sampled(s, 4, depth="Z24X8_UNORM")
    stage.clear(0, 0, 0, 0)
    stage.depth_test()
    stage.coverage(alpha_to_coverage=True, alpha_to_one=True)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(60, 0.3, 41))
    stage.ctx.set_min_samples(2)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(60, 0.1, 42))
    stage.ctx.set_min_samples(0)
    stage.coverage()
    stage.draw(VS_COLOR, FS_MASK, "TRIANGLES", *soup(60, 0.2, 43))
    stage.draw(VS_COLOR, FS_KILL, "TRIANGLES", *soup(60, 0.2, 44))
    stage.draw(VS_COLOR, FS_POST, "TRIANGLES", *soup(200, 0.1, 45))
    return stage.bytes()


def _many(s: tgsi.Screen) -> bytes:
    stage = Sampled(s, 16, ("B10G10R10A2_UNORM",), "S8_UINT")
    stage.clear(0, 0, 0, 0)
    face = {"enabled": True, "func": "ALWAYS", "zpass_op": "INCR_WRAP", "valuemask": 255, "writemask": 255}
    stage.ctx.bind_depth_stencil_alpha_state(stage.ctx.create_depth_stencil_alpha_state(stencil=[face, {}]))
    stage.draw(
        VS_COLOR,
        FS_MASK.replace("DCL OUT[2], POSITION\n", "").replace("ADD OUT[2].z, IN[1].zzzz, IMM[1].yyyy\n", ""),
        "TRIANGLES",
        *soup(100, 0.2, 46),
    )
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(9, 1.0, 47))
    return stage.bytes()


def _centered(s: tgsi.Screen) -> bytes:
    stage = Sampled(s, 4, ("R8G8B8A8_SRGB",), "Z24X8_UNORM")
    stage.clear(0, 0, 0, 0)
    stage.depth_test()
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(60, 0.3, 48))
    stage.rasterizer(multisample=False, point_size=5.0, line_width=3.0)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(60, 0.3, 49))
    stage.draw(VS_COLOR, FS_COLOR, "LINES", *soup(60, 0.3, 50))
    return stage.bytes()


def _thin(s: tgsi.Screen) -> bytes:
    stage = Sampled(s, 4)
    stage.clear(0, 0, 0, 0)
    stage.rasterizer(line_width=1.0, point_size=4.3)
    stage.draw(VS_COLOR, FS_COLOR, "LINES", *soup(60, 0.3, 51))
    stage.draw(VS_COLOR, FS_COLOR, "POINTS", *soup(60, 0.3, 52))
    stage.rasterizer(line_width=4.6, fill_front="LINE", fill_back="POINT", point_size=0.7)
    stage.draw(VS_COLOR, FS_COLOR, "TRIANGLES", *soup(30, 0.3, 53))
    return stage.bytes()


MULTISAMPLED: dict[str, Callable[[tgsi.Screen], bytes]] = {
    "samples_opaque": _opaque,
    "samples_blended": _blended,
    "samples_stencil": _stencil,
    "samples_places": _places,
    "samples_coverage": _coverage,
    "samples_many": _many,
    "samples_centered": _centered,
    "samples_thin": _thin,
}
