"""Scenes of patches: every domain and spacing, levels from the control shader, a geometry shader after them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import tgsi
from tests.images.scenes import FS_COLOR, Stage
from tests.texts import VS_POSITION

# Longer edges are divided more finely. Both patches at an edge see the same length.
TCS_LENGTH = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 4
DCL IN[][0], POSITION
DCL OUT[][0], POSITION
DCL OUT[1], TESSOUTER
DCL OUT[2], TESSINNER
DCL OUT[3], PATCH[0]
DCL SV[0], INVOCATIONID
DCL SV[1], PRIM_ID
DCL CONST[0]
DCL ADDR[0]
DCL TEMP[0..4]
IMM[0] UINT32 {0, 1, 7, 3}
IMM[1] FLT32 {0.125, 1.0, 0.5, 0.0}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
USEQ TEMP[0].x, SV[0].xxxx, IMM[0].yyyy
UIF TEMP[0].xxxx
  ADD TEMP[1], IN[2][0], -IN[0][0]
  ADD TEMP[2], IN[1][0], -IN[0][0]
  ADD TEMP[3], IN[3][0], -IN[1][0]
  ADD TEMP[4], IN[3][0], -IN[2][0]
  DP3 TEMP[1].x, TEMP[1], TEMP[1]
  DP3 TEMP[1].y, TEMP[2], TEMP[2]
  DP3 TEMP[1].z, TEMP[3], TEMP[3]
  DP3 TEMP[1].w, TEMP[4], TEMP[4]
  MAD TEMP[1], TEMP[1], CONST[0].xxxx, IMM[1].yyyy
  MOV OUT[1], TEMP[1]
  MAX OUT[2].x, TEMP[1].yyyy, TEMP[1].wwww
  MAX OUT[2].y, TEMP[1].xxxx, TEMP[1].zzzz
  AND TEMP[0], SV[1].xxxx, IMM[0].zzzz
  U2F TEMP[0], TEMP[0]
  MUL OUT[3], TEMP[0], IMM[1].xxxx
ENDIF
END
"""
TES_PATCH = """TESS_EVAL
PROPERTY TES_PRIM_MODE {mode}
PROPERTY TES_SPACING {spacing}
PROPERTY TES_POINT_MODE {points}
DCL IN[][0], POSITION
DCL IN[1], PATCH[0]
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0..2]
IMM[0] FLT32 {{4.0, 1.0, 0.2, 0.0}}
LRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]
LRP TEMP[1], SV[0].xxxx, IN[3][0], IN[2][0]
LRP TEMP[0], SV[0].yyyy, TEMP[1], TEMP[0]
ADD TEMP[2].xy, IMM[0].yyyy, -SV[0]
MUL TEMP[2].xy, TEMP[2], SV[0]
MUL TEMP[2].x, TEMP[2].xxxx, TEMP[2].yyyy
MUL TEMP[2].x, TEMP[2].xxxx, IMM[0].xxxx
ADD TEMP[0].xy, TEMP[0], TEMP[2].xxxx
MOV OUT[0], TEMP[0]
MOV OUT[1].xy, SV[0]
MOV OUT[1].z, IN[1].xxxx
MOV OUT[1].w, IMM[0].yyyy
END
"""
# Shrinks triangles a little and colors them by patch.
GS_SHRINK = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0]
IMM[0] FLT32 {0.25, 0.25, 0.25, 0.25}
IMM[1] UINT32 {0, 0, 0, 0}
ADD TEMP[0], IN[0][0], IN[1][0]
ADD TEMP[0], TEMP[0], IN[2][0]
"""
for _corner in range(3):
    GS_SHRINK += f"ADD OUT[0], TEMP[0], IN[{_corner}][0]\nMUL OUT[0], OUT[0], IMM[0]\nMOV OUT[1], IN[{_corner}][1]\nEMIT IMM[1].xxxx\n"
GS_SHRINK += "END\n"


def corners(seed: int, count: int = 4) -> list[list[float]]:
    """Four corners of each cell of a bent grid."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*[np.linspace(-0.95, 0.95, count + 1)] * 2), -1) + rng.uniform(-0.08, 0.08, (count + 1, count + 1, 2))
    points = np.concatenate([grid, rng.uniform(-0.5, 0.5, (count + 1, count + 1, 1)), np.ones((count + 1, count + 1, 1))], -1)
    cells = np.stack([points[:-1, :-1], points[:-1, 1:], points[1:, :-1], points[1:, 1:]], 2)
    found: list[list[float]] = cells.reshape(-1, 4).tolist()
    return found


def _bind(stage: Stage, mode: int, spacing: int, points: int = 0, control: bool = True) -> None:
    ctx = stage.ctx
    ctx.bind_tcs_state(ctx.create_tcs_state(TCS_LENGTH) if control else None)
    ctx.bind_tes_state(ctx.create_tes_state(TES_PATCH.format(mode=mode, spacing=spacing, points=points)))


def _patches(s: tgsi.Screen) -> bytes:
    stage = Stage(s, depth="Z32_FLOAT")
    stage.clear(0.1, 0.1, 0.2, 1.0)
    stage.depth_test()
    stage.ctx.set_constant_buffer("TESS_CTRL", np.array([12, 0, 0, 0], "f4"))
    _bind(stage, 7, 0)
    stage.draw(VS_POSITION, FS_COLOR, "PATCHES", np.array(corners(1)), vertices_per_patch=4)
    stage.rasterizer(fill_front="LINE", fill_back="LINE")
    stage.depth_test("ALWAYS")
    _bind(stage, 4, 1)
    stage.draw(VS_POSITION, FS_COLOR, "PATCHES", np.array(corners(1))[:24], vertices_per_patch=4)
    stage.rasterizer(point_size=2.0)
    _bind(stage, 7, 2, 1, control=False)
    stage.ctx.set_tess_state((5.0, 7.0, 9.0, 11.0), (6.0, 3.0))
    stage.draw(VS_POSITION, FS_COLOR, "PATCHES", np.array(corners(1))[24:40], vertices_per_patch=4)
    _bind(stage, 1, 0, control=False)
    stage.ctx.set_tess_state((9.0, 12.5, 0.0, 0.0), (1.0, 1.0))
    stage.draw(VS_POSITION, FS_COLOR, "PATCHES", np.array(corners(1))[40:], vertices_per_patch=4)
    return stage.bytes()


def _shrunk(s: tgsi.Screen) -> bytes:
    stage = Stage(s)
    stage.clear(0.0, 0.0, 0.0, 1.0)
    ctx = stage.ctx
    ctx.set_constant_buffer("TESS_CTRL", np.array([6, 0, 0, 0], "f4"))
    _bind(stage, 7, 1)
    ctx.bind_gs_state(ctx.create_gs_state(GS_SHRINK))
    stage.blend("ONE", "ONE")
    stage.draw(VS_POSITION, FS_COLOR, "PATCHES", np.array(corners(2, 3)), vertices_per_patch=4, instance_count=2)
    return stage.bytes()


TESSELLATED: dict[str, Callable[[tgsi.Screen], bytes]] = {"patches": _patches, "shrunk": _shrunk}
