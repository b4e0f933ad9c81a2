"""Scenes of patches."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from tests.replay.conftest import CLEAR, SceneWriter
from tests.texts import VS_POSITION
from tgsi import gallium as g
from tgsi.tools.replay.compare import Tolerance
from tgsi.tools.replay.replay import Options, replay

CONTROL = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 1
DCL IN[][0], POSITION
DCL OUT[][0], POSITION
DCL OUT[1], TESSOUTER
DCL OUT[2], TESSINNER
DCL CONST[0]
MOV OUT[0][0], IN[0][0]
MOV OUT[1], CONST[0]
MOV OUT[2], CONST[0]
END
"""
EVALUATION = """TESS_EVAL
PROPERTY TES_PRIM_MODE 7
PROPERTY TES_SPACING 2
DCL IN[][0], POSITION
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
ADD OUT[0], IN[0][0], SV[0]
END
"""
FRAGMENT = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"


def commands(control: bool, level: float) -> list[dict[str, Any]]:
    """Commands that draw the lower right quarter in red: a patch of one vertex in the middle of the picture."""
    first = [{"op": "tcs", "text": CONTROL}] if control else [{"op": "tess_state", "outer": [level] * 4, "inner": [level] * 2}]
    return [
        dict(CLEAR),
        {"op": "vs", "text": VS_POSITION},
        *first,
        {"op": "constant_buffer", "stage": "TESS_CTRL", "slot": 0, "data": struct.pack("<4f", *[level] * 4).hex()},
        {"op": "tes", "text": EVALUATION},
        {"op": "fs", "text": FRAGMENT},
        {"op": "viewport", "index": 0, "scale": [2.0, 2.0, 0.5], "translate": [2.0, 2.0, 0.5]},
        {"op": "vertex_element", "src_offset": 0, "format": "R32G32B32A32_FLOAT"},
        {"op": "vertex_buffer", "stride": 16, "data": struct.pack("<4f", 0, 0, 0, 1).hex()},
        {"op": "draw", "mode": "PATCHES", "count": 1, "vertices_per_patch": 1},
    ]


@pytest.mark.parametrize("control", [False, True])
@pytest.mark.parametrize("level", [0.0, 1.0, 5.0])
def test_a_scene_may_have_patches(write_scene: SceneWriter, control: bool, level: float) -> None:
    blue, red = bytes((0, 128, 255, 255)), bytes((255, 0, 0, 255))
    lower = (blue * 2 + red * 2) * 2 if level else blue * 8
    path: Path = write_scene(raw=blue * 8 + lower, commands=commands(control, level))
    with g.Screen(threads=0) as screen:
        assert replay(screen, path, Options(Tolerance(max_diff=0, max_pixels=0.0))).passed
