"""Pixels of many small triangles in one vector: the same bytes as quads give, in the order of the triangles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import Format
from backends.pipe.enums import CompareFunc
from backends.pipe.state import DepthState, DepthStencilAlphaState
from backends.raster.tile.buffer_keys import TargetKey
from backends.raster.tile.fragment import FragmentKey, describe
from backends.raster.tile.pixel_queue import queues_pixels
from tests.unit.raster.canvas import RGBA8, RGBA32F, Canvas, pixels, shader
from tests.unit.raster.triangles import random_triangles
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light

FORMATS = (RGBA8, Format.R16G16B16A16_FLOAT, Format.R8_UNORM, RGBA32F)
VS = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[1].wzyx
END
"""
HEAD = """FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0], POSITION, LINEAR
DCL IN[1], GENERIC[0], PERSPECTIVE
DCL IN[2], GENERIC[1], CONSTANT
DCL IN[3], FACE, CONSTANT
DCL IN[4], PRIM_ID, CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..2]
IMM[0] FLT32 {0.5, 0.015625, 2.0, 1.0}
IMM[1] INT32 {7, 0, 0, 0}
"""
BODY = """MUL TEMP[0], IN[1], IN[2]
MAD TEMP[0].xy, IN[0].xyyy, IMM[0].yyyy, TEMP[0]
MOV TEMP[0], |TEMP[0]|
SQRT TEMP[1].x, TEMP[0].xxxx
MUL TEMP[0].y, TEMP[1].xxxx, TEMP[0].yyyy
UIF IN[3].xxxx
AND TEMP[2].x, IN[4].xxxx, IMM[1].xxxx
U2F TEMP[2].x, TEMP[2].xxxx
MAD TEMP[0].z, TEMP[2].xxxx, IMM[0].yyyy, TEMP[0].zzzz
ENDIF
MUL TEMP[0].w, IN[0].zzzz, IMM[0].xxxx
"""
ALONE = HEAD + BODY + "MOV OUT[0], TEMP[0]\nEND\n"
AMONG_NEIGHBORS = HEAD + BODY + "DDX TEMP[1], IMM[0]\nADD OUT[0], TEMP[0], TEMP[1]\nEND\n"
KEY = FragmentKey(lanes=16, targets=(TargetKey(RGBA8, 15),))


def triangles() -> list[NDArray[Any]]:
    """Positions and colors of small triangles that overlap, between larger ones that have runs."""
    corners = np.concatenate([random_triangles(kind, count) for kind, count in (("small", 900), ("medium", 12), ("small", 900))])
    colors = np.random.default_rng(3).random((len(corners) * 3, 4), "f4")
    return [corners.reshape(-1, 4), colors]


def picture(fs: str, lanes: int, func: CompareFunc | None, cpu: str = "host") -> bytes:
    state = DepthStencilAlphaState(depth=DepthState(True, True, func)) if func is not None else DepthStencilAlphaState()
    with Canvas(96, 80, color=FORMATS, depth=Format.Z32_FLOAT, lanes=lanes, cpu=cpu) as c:
        c.wipe()
        c.draw_arrays(VS, fs, triangles(), depth_stencil_alpha=state)
        c.flush()
        return b"".join(pixels(s).tobytes() for s in (*c.colors, c.depth_surface) if s is not None)


@pytest.mark.parametrize(("lanes", "cpu"), [(16, "host"), (32, "x86-64-v3"), (8, "x86-64-v2")])
@pytest.mark.parametrize("func", [None, CompareFunc.LESS], ids=["no_depth", "less"])
def test_pixels_of_a_queue_have_the_bytes_of_quads(lanes: int, cpu: str, func: CompareFunc | None) -> None:
    queued = picture(ALONE, lanes, func, cpu)
    assert np.count_nonzero(np.frombuffer(queued, "u1")) > len(queued) // 8
    assert queued == picture(AMONG_NEIGHBORS, lanes, func, cpu)


def test_programs_that_look_at_neighbors_are_shaded_in_quads() -> None:
    assert queues_pixels(KEY, describe(parse(ALONE)))
    assert not queues_pixels(KEY, describe(parse(AMONG_NEIGHBORS)))


@pytest.mark.parametrize("line", ["KILL", "MOV OUT[1].z, TEMP[0].xxxx"])
def test_programs_that_decide_about_their_fragment_have_no_queue(line: str) -> None:
    text = ALONE.replace("DCL TEMP", "DCL OUT[1], POSITION\nDCL TEMP").replace("MOV OUT[0]", f"{line}\nMOV OUT[0]")
    assert not queues_pixels(KEY, describe(shader(text).program))
