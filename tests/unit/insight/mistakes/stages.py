"""Mistakes with geometry and tessellation shaders and with grids."""

from __future__ import annotations

from tests.unit.insight.mistakes.sketch import RED, TRI, Sketch, mistake

GS = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] UINT32 {0, 1, 2, 3}
%sEND
"""
TCS = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[][0], POSITION
DCL OUT[][1], GENERIC[0]
DCL OUT[2], TESSOUTER
DCL OUT[3], TESSINNER
DCL SV[0], INVOCATIONID
DCL ADDR[0]
IMM[0] FLT32 {%s, 0, 0, 0}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
MOV OUT[ADDR[0].x][1], IN[ADDR[0].x][1]
MOV OUT[2], IMM[0].xxxx
MOV OUT[3], IMM[0].xxxx
END
"""
TES = """TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_SPACING 2
PROPERTY TES_VERTEX_ORDER_CW 0
PROPERTY TES_POINT_MODE 0
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0]
MUL TEMP[0], IN[0][0], SV[0].xxxx
MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]
MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]
MOV OUT[1], IN[0][1]
END
"""
CS = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 8
PROPERTY CS_FIXED_BLOCK_HEIGHT 8
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR
DCL TEMP[0]
IMM[0] UINT32 {8, 0, 0, 0}
IMM[1] FLT32 {1, 0.5, 0, 1}
UMAD TEMP[0].xy, SV[1], IMM[0].xxxx, SV[0]
STORE IMAGE[0], TEMP[0], IMM[1], 2D, PIPE_FORMAT_R8G8B8A8_UNORM
END
"""
CS_SWAP = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 64
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL MEMORY[0], SHARED
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {4, 63, 0, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
STORE MEMORY[0].x, TEMP[0].xxxx, SV[0].xxxx
UADD TEMP[1].x, IMM[0].yyyy, -SV[0].xxxx
UMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
LOAD TEMP[1].x, MEMORY[0], TEMP[1].xxxx
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].xxxx
END
"""


@mistake(warns="output no primitive", explains="geometry shader emits no whole one")
def geometry_shader_emits_nothing(s: Sketch) -> None:
    s.frame()
    s.ctx.bind_gs_state(s.ctx.create_gs_state(GS % "MOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][1]\n"))
    s.triangle()


@mistake(warns="GS_MAX_OUTPUT_VERTICES is 2", explains="GS_MAX_OUTPUT_VERTICES is 2")
def geometry_shader_emits_too_many(s: Sketch) -> None:
    body = "".join(f"MOV OUT[0], IN[{k}][0]\nMOV OUT[1], IN[{k}][1]\nEMIT IMM[0].xxxx\n" for k in range(3))
    s.frame()
    s.ctx.bind_gs_state(s.ctx.create_gs_state((GS % body).replace("VERTICES 3", "VERTICES 2")))
    s.triangle()


@mistake(warns="output no primitive", explains="TESSOUTER")
def tessellation_levels_zero(s: Sketch) -> None:
    s.frame()
    s.ctx.bind_tcs_state(s.ctx.create_tcs_state(TCS % "0.0"))
    s.ctx.bind_tes_state(s.ctx.create_tes_state(TES))
    s.shaders()
    s.vertices(TRI, RED[:3])
    s.ctx.set_patch_vertices(3)
    s.ctx.draw_vbo(mode="PATCHES", count=3)


@mistake(warns="PATCHES has 4 vertices", explains="PATCHES has 4 vertices")
def patch_of_more_vertices(s: Sketch) -> None:
    s.frame()
    s.ctx.bind_tcs_state(s.ctx.create_tcs_state(TCS % "1.0"))
    s.ctx.bind_tes_state(s.ctx.create_tes_state(TES))
    s.shaders()
    s.vertices(TRI, RED[:3])
    s.ctx.set_patch_vertices(4)
    s.ctx.draw_vbo(mode="PATCHES", count=3)


@mistake(explains="no thread of its grid (1, 1, 1)")
def grid_too_small(s: Sketch) -> None:
    t = s.color(bind="SHADER_IMAGE|SAMPLER_VIEW|RENDER_TARGET")
    s.ctx.bind_compute_state(s.ctx.create_compute_state(CS))
    s.ctx.set_shader_images("COMPUTE", [{"resource": t, "format": "R8G8B8A8_UNORM"}])
    s.ctx.launch_grid(grid=(1, 1, 1), block=(8, 8, 1))
    s.target = t


@mistake(warns="IMAGE[0], which is not bound")
def image_not_bound(s: Sketch) -> None:
    t = s.color(bind="SHADER_IMAGE|SAMPLER_VIEW|RENDER_TARGET")
    s.ctx.bind_compute_state(s.ctx.create_compute_state(CS))
    s.ctx.launch_grid(grid=(8, 8, 1), block=(8, 8, 1))
    s.target = t


@mistake(warns="without a BARRIER")
def shared_memory_without_barrier(s: Sketch) -> None:
    buf = s.screen.resource_create(target="BUFFER", width0=256)
    s.ctx.bind_compute_state(s.ctx.create_compute_state(CS_SWAP, req_local_mem=256))
    s.ctx.set_shader_buffers("COMPUTE", [buf])
    s.ctx.launch_grid(grid=(1, 1, 1), block=(64, 1, 1))
    s.target = None
    s.at = None
