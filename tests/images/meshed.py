"""Scenes of meshes: meshlets that tasks cull, random primitives of every kind with viewports and layers of their own, stores in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tgsi
from tests.images.scenes import FS_COLOR, HEIGHT, WIDTH, Array, Stage, soup
from tests.unit.geometry.mesh.programs import mesh, one_each, task

# Each of 25 threads makes a vertex of a sheet of 4 x 4 cells, and 32 of 36 threads make a triangle; the color is that of the meshlet.
MS_SHEET = mesh(
    """SHL TEMP[6].x, SV[1].xxxx, IMM[1].zzzz
UADD TEMP[6].x, TEMP[6].xxxx, IMM[2].xxxx
LOAD TEMP[5].x, MEMORY[0], TEMP[6].xxxx
UDIV TEMP[0].y, SV[0].xxxx, IMM[4].xxxx
UMAD TEMP[0].x, TEMP[0].yyyy, -IMM[4].xxxx, SV[0].xxxx
UDIV TEMP[1].y, TEMP[5].xxxx, IMM[4].yyyy
UMAD TEMP[1].x, TEMP[1].yyyy, -IMM[4].yyyy, TEMP[5].xxxx
SHL TEMP[1].xy, TEMP[1], IMM[1].zzzz
UADD TEMP[0].xy, TEMP[0], TEMP[1]
U2F TEMP[2].xy, TEMP[0]
MAD TEMP[2].xy, TEMP[2], IMM[5].xxxx, IMM[5].yyyy
MUL TEMP[3].x, TEMP[2].xxxx, TEMP[2].xxxx
MUL TEMP[3].y, TEMP[2].yyyy, TEMP[2].xxxx
MAD TEMP[2].z, TEMP[3].xxxx, IMM[5].zzzz, TEMP[3].yyyy
MAD TEMP[2].w, TEMP[2].yyyy, IMM[5].zzzz, IMM[5].wwww
MOV OUT[0], TEMP[2]
MOV OUT[1], TEMP[2]
USHR TEMP[6].x, SV[0].xxxx, IMM[1].yyyy
UDIV TEMP[7].y, TEMP[6].xxxx, IMM[2].xxxx
UMAD TEMP[7].x, TEMP[7].yyyy, -IMM[2].xxxx, TEMP[6].xxxx
UMAD TEMP[7].x, TEMP[7].yyyy, IMM[4].xxxx, TEMP[7].xxxx
AND TEMP[7].z, SV[0].xxxx, IMM[1].yyyy
UADD TEMP[8].x, TEMP[7].xxxx, IMM[1].yyyy
UADD TEMP[8].y, TEMP[7].xxxx, IMM[4].xxxx
UADD TEMP[8].z, TEMP[8].yyyy, IMM[1].yyyy
UCMP TEMP[9].x, TEMP[7].zzzz, TEMP[8].zzzz, TEMP[7].xxxx
MOV TEMP[9].yz, TEMP[8].xxyy
MOV OUT[2].xyz, TEMP[9]
U2F TEMP[6].y, TEMP[5].xxxx
MUL TEMP[6].y, TEMP[6].yyyy, IMM[6].xxxx
SIN TEMP[6].z, TEMP[6].yyyy
MAD OUT[3].x, TEMP[6].zzzz, IMM[3].wwww, IMM[3].wwww
FRC OUT[3].y, TEMP[6].yyyy
MOV OUT[3].z, IMM[3].wwww
MOV OUT[3].w, IMM[3].yyyy
""",
    threads=36,
    vertices=25,
    primitives=32,
    declare="DCL OUT[][3], GENERIC[1], PRIMITIVE\nDCL MEMORY[0], PAYLOAD\n",
).replace(
    "SET_MESH",
    "IMM[4] UINT32 {5, 12, 0, 0}\nIMM[5] FLT32 {0.042, -1.0, 0.4, 1.1}\nIMM[6] FLT32 {0.37, 0.0, 0.0, 0.0}\nSET_MESH",
)
# Each of 20 threads looks at a meshlet; those whose number has a bit of the mask are kept, and their numbers follow in the payload.
TS_SHEET = task(
    """UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx
AND TEMP[1].x, TEMP[0].xxxx, IMM[3].xxxx
UIF TEMP[1].xxxx
ATOMUADD TEMP[2].x, MEMORY[0], IMM[1].xxxx, IMM[1].yyyy
SHL TEMP[2].x, TEMP[2].xxxx, IMM[1].zzzz
UADD TEMP[2].x, TEMP[2].xxxx, IMM[2].xxxx
STORE MEMORY[1].x, TEMP[2].xxxx, TEMP[0].xxxx
ENDIF
BARRIER
LOAD TEMP[3].x, MEMORY[0], IMM[1].xxxx
MOV TEMP[3].yz, IMM[1].yyyy
EMIT_MESH_TASKS TEMP[3]
""",
    threads=20,
    payload=84,
    shared=4,
).replace("IMM[2] UINT32 {4, 16, 32, 64}\n", "IMM[2] UINT32 {4, 16, 32, 64}\nIMM[3] UINT32 {5, 0, 0, 0}\n")
FS_BOTH = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {0.2, 0.5, 0.0, 0.0}
MAD TEMP[0], IN[0].xyxx, IMM[0].xxxx, IMM[0].yyyy
MUL OUT[0], TEMP[0], IN[1]
END
"""
MASKS = "DCL OUT[][3], VIEWPORT_MASK, PRIMITIVE\nDCL OUT[][4], CULL_PRIMITIVE, PRIMITIVE\nDCL OUT[][5], PRIM_ID, PRIMITIVE\n"
SET_MASKS = """AND TEMP[5].x, SV[1].xxxx, IMM[1].wwww
MOV OUT[3].x, TEMP[5].xxxx
AND TEMP[5].y, SV[1].xxxx, IMM[2].xxxx
MOV OUT[4].x, TEMP[5].yyyy
MOV OUT[5].x, SV[1].xxxx
"""
FS_NUMBER = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], PRIM_ID, CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {0.003, 0.0, 0.0, 0.0}
U2F TEMP[0], IN[1].xxxx
MAD OUT[0], TEMP[0], IMM[0].xxxx, IN[0]
END
"""
# Workgroups append their numbers to a list; the place in the list, which depends on the order, becomes the color of the triangle.
SET_PLACE = """ATOMUADD TEMP[5].x, BUFFER[1], IMM[1].xxxx, IMM[1].yyyy
U2F TEMP[6], TEMP[5].xxxx
MAD TEMP[6], TEMP[6], IMM[4].xxxx, TEMP[2]
MOV OUT[1], TEMP[6]
"""


def _buffer(stage: Stage, data: Array) -> Any:
    made = stage.screen.resource_create(target="BUFFER", width0=data.nbytes)
    stage.ctx.buffer_subdata(made, data)
    return made


def _bind(stage: Stage, mesh_text: str, task_text: str | None, fragment: str, *data: Array) -> None:
    ctx = stage.ctx
    ctx.bind_ms_state(ctx.create_ms_state(mesh_text))
    ctx.bind_ts_state(None if task_text is None else ctx.create_ts_state(task_text))
    ctx.bind_fs_state(ctx.create_fs_state(fragment))
    ctx.set_shader_buffers("MESH", [_buffer(stage, np.ascontiguousarray(array)) for array in data])


def _meshlets(s: tgsi.Screen) -> bytes:
    stage = Stage(s, depth="Z32_FLOAT")
    stage.clear(0.1, 0.1, 0.2, 1.0)
    stage.depth_test()
    _bind(stage, MS_SHEET, TS_SHEET, FS_BOTH)
    stage.ctx.draw_mesh_tasks(grid=(7, 1, 1))
    return stage.bytes()


def _random(s: tgsi.Screen) -> bytes:
    stage = Stage(s)
    stage.clear(0.0, 0.0, 0.0, 1.0)
    stage.blend("SRC_ALPHA", "INV_SRC_ALPHA")
    half = (WIDTH / 2, HEIGHT / 2, 0.5)
    stage.ctx.set_viewport_states([{"scale": half, "translate": half}, {"scale": (WIDTH / 3, HEIGHT / 3, 0.5), "translate": half}])
    for corners, count in ((3, 400), (2, 300), (1, 200)):
        position, color = soup(count, 0.2, corners)
        rows = np.hstack([position, color])[: count * corners]
        stage.rasterizer(point_size=5.0, line_width=2.0)
        _bind(stage, one_each(corners, declare=MASKS, body=SET_MASKS), None, FS_NUMBER, rows)
        stage.ctx.draw_mesh_tasks(grid=(count // 4, 2, 1))
    return stage.bytes()


def _appended(s: tgsi.Screen) -> bytes:
    stage = Stage(s)
    stage.clear(0.0, 0.0, 0.0, 1.0)
    stage.blend("ONE", "ONE")
    text = one_each(declare="DCL BUFFER[1]\n", body=SET_PLACE).replace("SET_MESH", "IMM[4] FLT32 {0.0005, 0.0, 0.0, 0.0}\nSET_MESH")
    position, color = soup(300, 0.1, 7)
    _bind(stage, text, None, FS_COLOR, np.hstack([position, 0.2 * color]), np.zeros(4, np.uint32))
    stage.ctx.draw_mesh_tasks(grid=(300, 1, 1))
    return stage.bytes()


MESHED: dict[str, Callable[[tgsi.Screen], bytes]] = {"meshlets": _meshlets, "mesh_masks": _random, "mesh_appended": _appended}
