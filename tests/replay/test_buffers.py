"""Scenes whose textures and images are buffers of texels; their width counts bytes."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tests.replay.conftest import CLEAR, SceneWriter
from tests.texts import VS_POSITION
from tgsi import gallium as g
from tgsi.tools.replay.compare import Tolerance
from tgsi.tools.replay.fields import SceneError
from tgsi.tools.replay.replay import Options, replay
from tgsi.tools.replay.scene import load_scene

FRAGMENT = """FRAG
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], BUFFER, FLOAT
DCL IMAGE[0], BUFFER, WR
DCL TEMP[0]
IMM[0] INT32 {2, 1, 7, 0}
TXF TEMP[0], IMM[0].xxxx, SAMP[0], BUFFER
STORE IMAGE[0].x, IMM[0].yyyy, IMM[0].zzzz, BUFFER, PIPE_FORMAT_R32_UINT
MOV OUT[0], TEMP[0]
END
"""


def commands(view: dict[str, Any], width: int = 64) -> list[dict[str, Any]]:
    """Commands that draw the whole picture in the third texel of a buffer, and store 7 to the second word of another one."""
    texels = struct.pack("<16f", *[0.0] * 8, 1.0, 0.0, 1.0, 1.0, *[0.5] * 4)
    corners = struct.pack("<12f", -1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1)
    return [
        dict(CLEAR),
        {"op": "vs", "text": VS_POSITION},
        {"op": "fs", "text": FRAGMENT},
        {"op": "viewport", "index": 0, "scale": [2.0, 2.0, 0.5], "translate": [2.0, 2.0, 0.5]},
        {"op": "vertex_element", "src_offset": 0, "format": "R32G32B32A32_FLOAT"},
        {"op": "vertex_buffer", "stride": 16, "data": corners.hex()},
        {"op": "texture", "id": 0, "target": "BUFFER", "format": "R32G32B32A32_FLOAT", "width": width, "data": [[texels.hex()]]},
        {"op": "sampler_view", "stage": "FRAG", "slot": 0, "texture": 0, **view},
        {"op": "sampler", "stage": "FRAG", "slot": 0},
        {"op": "shader_image", "stage": "FRAG", "slot": 0, "target": "BUFFER", "format": "R32_UINT", "width": 12, "data": ["00" * 12]},
        {"op": "draw", "mode": "TRIANGLES", "count": 3},
    ]


@pytest.mark.parametrize("view", [{}, {"format": "R32G32B32A32_FLOAT", "target": "BUFFER"}])
def test_a_buffer_of_wide_texels_is_read_and_one_is_written(write_scene: SceneWriter, view: dict[str, Any]) -> None:
    path = write_scene("texels", bytes((255, 0, 255, 255)) * 16, commands=commands(view))
    text = path.read_text().replace('"c0": "texels.c0.raw"', '"c0": "texels.c0.raw", "img0": "texels.img0.raw"')
    path.write_text(text)
    (path.parent / "texels.img0.raw").write_bytes(struct.pack("<3I", 0, 7, 0))
    report = replay(g.Screen(threads=0), path, Options(Tolerance(max_diff=0, max_pixels=0.0)))
    assert report.passed, report


def test_a_buffer_with_fewer_bytes_than_its_width_is_refused(write_scene: SceneWriter) -> None:
    path = write_scene("short", commands=commands({}, width=80))
    report = replay(g.Screen(threads=0), path, Options())
    assert "data[0][0]: expected 80 bytes, not 64" in str(report)


def test_an_image_of_parts_of_texels_is_refused(write_scene: SceneWriter) -> None:
    wrong = commands({})
    wrong[-2] = wrong[-2] | {"width": 10}
    with pytest.raises(SceneError, match="width: 10 bytes are not a whole number of texels of 4"):
        load_scene(write_scene("parts", commands=wrong))
