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


BLUE, RED = bytes((0, 128, 255, 255)), bytes((255, 0, 0, 255))
CLEARED = BLUE * 16
DRAWN = BLUE * 8 + BLUE + RED * 2 + BLUE + RED * 4


def _reasons(write_scene: SceneWriter, picture: bytes, task: str | None, grid: list[int]) -> list[str]:
    """Reasons for which a scene does not give a picture; none if it does."""
    path: Path = write_scene(raw=picture, commands=_commands(task, grid))
    with g.Screen(threads=0) as screen:
        return list(replay(screen, path, Options(Tolerance(max_diff=0, max_pixels=0.0))).reasons)


def test_a_scene_may_draw_with_a_mesh_shader(write_scene: SceneWriter) -> None:
    assert _reasons(write_scene, DRAWN, None, [1, 1, 1]) == []


def test_a_scene_may_have_a_task_shader(write_scene: SceneWriter) -> None:
    assert _reasons(write_scene, DRAWN, TASK, [1, 1, 1]) == []


def test_no_workgroup_draws_nothing(write_scene: SceneWriter) -> None:
    assert _reasons(write_scene, CLEARED, None, [1, 0, 1]) == []


def test_a_scene_with_too_many_workgroups_is_refused(write_scene: SceneWriter) -> None:
    (reason,) = _reasons(write_scene, DRAWN, None, [4096, 4096, 1])
    assert "the scene starts more than" in reason
