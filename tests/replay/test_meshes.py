"""Scenes with task and mesh shaders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.replay.conftest import CLEAR, SceneWriter
from tgsi import gallium as g
from tgsi.tools.replay.compare import Tolerance
from tgsi.tools.replay.replay import Options, replay

BLOCK = "PROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
TASK = f"TASK\n{BLOCK}IMM[0] UINT32 {{1, 1, 1, 0}}\nEMIT_MESH_TASKS IMM[0]\nEND\n"
MESH = f"""MESH
{BLOCK}PROPERTY MS_OUTPUT_PRIMITIVE TRIANGLES
PROPERTY MS_MAX_OUTPUT_VERTICES 3
PROPERTY MS_MAX_OUTPUT_PRIMITIVES 1
DCL OUT[][0], POSITION
DCL OUT[][1], PRIMITIVE_INDICES, PRIMITIVE
IMM[0] UINT32 {{3, 1, 0, 0}}
IMM[1] UINT32 {{0, 1, 2, 0}}
IMM[2] FLT32 {{-3.3, 0.0, 1.0, 3.3}}
IMM[3] FLT32 {{3.0, 0.0, 0.0, 0.0}}
SET_MESH_OUTPUTS IMM[0]
MOV OUT[0][0], IMM[2].yyyz
MOV OUT[1][0], IMM[2].xyyz
MOV OUT[1][0].y, IMM[3].xxxx
MOV OUT[2][0], IMM[2].wyyz
MOV OUT[2][0].y, IMM[3].xxxx
MOV OUT[0][1].xyz, IMM[1]
END
"""
FRAGMENT = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"


def _commands(task: str | None, grid: list[int]) -> list[dict[str, Any]]:
    """Commands that draw the two middle pixels of the third row, and all of the last row, in red."""
    return [
        dict(CLEAR),
        *([{"op": "ts", "text": task}] if task else []),
        {"op": "ms", "text": MESH},
        {"op": "fs", "text": FRAGMENT},
        {"op": "viewport", "index": 0, "scale": [2.0, 2.0, 0.5], "translate": [2.0, 2.0, 0.5]},
        {"op": "draw_mesh_tasks", "grid": grid},
    ]


def _passes(write_scene: SceneWriter, task: str | None, grid: list[int]) -> bool:
    blue, red = bytes((0, 128, 255, 255)), bytes((255, 0, 0, 255))
    drawn = blue + red * 2 + blue + red * 4
    path: Path = write_scene(raw=blue * 8 + drawn, commands=_commands(task, grid))
    with g.Screen(threads=0) as screen:
        return replay(screen, path, Options(Tolerance(max_diff=0, max_pixels=0.0))).passed


def test_a_scene_may_draw_with_a_mesh_shader(write_scene: SceneWriter) -> None:
    assert _passes(write_scene, None, [1, 1, 1])


def test_a_scene_may_have_a_task_shader(write_scene: SceneWriter) -> None:
    assert _passes(write_scene, TASK, [1, 1, 1])


def test_no_workgroup_draws_nothing(write_scene: SceneWriter) -> None:
    assert not _passes(write_scene, None, [1, 0, 1])


def test_a_scene_with_too_many_workgroups_is_refused(write_scene: SceneWriter) -> None:
    assert not _passes(write_scene, None, [4096, 4096, 1])
