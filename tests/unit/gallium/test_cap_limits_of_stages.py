"""Limits of every stage, reached: the last unit, constant buffer, shader buffer, image and counter, and every kind of address."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.picture import PASS, TRIANGLE, WHITE, Picture, screen

pytestmark = pytest.mark.light

STAGES = ("VERTEX", "FRAGMENT", "GEOMETRY", "TESS_CTRL", "TESS_EVAL", "COMPUTE", "TASK", "MESH")
BLOCK = "".join(f"PROPERTY CS_FIXED_BLOCK_{axis} 1\n" for axis in ("WIDTH", "HEIGHT", "DEPTH"))
TEXTS = {
    "VERTEX": "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n{declared}{body}MOV OUT[0], IN[0]\n{end}",
    "FRAGMENT": "FRAG\nDCL OUT[0], COLOR\n{declared}{body}{end}",
    "GEOMETRY": "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
    "DCL OUT[0], POSITION\n{declared}{body}{end}",
    "TESS_CTRL": "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 1\nDCL OUT[0], TESSOUTER\n{declared}{body}{end}",
    "TESS_EVAL": "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL OUT[0], POSITION\n{declared}{body}{end}",
    "COMPUTE": "COMP\n{declared}{body}{end}",
    "TASK": f"TASK\n{BLOCK}{{declared}}{{body}}{{end}}",
    "MESH": f"MESH\n{BLOCK}PROPERTY MS_OUTPUT_PRIMITIVE POINTS\nPROPERTY MS_MAX_OUTPUT_VERTICES 1\nPROPERTY MS_MAX_OUTPUT_PRIMITIVES 1\n"
    "{declared}{body}{end}",
}
CALLS = {
    "VERTEX": "vs",
    "FRAGMENT": "fs",
    "GEOMETRY": "gs",
    "TESS_CTRL": "tcs",
    "TESS_EVAL": "tes",
    "COMPUTE": "compute",
    "TASK": "ts",
    "MESH": "ms",
}
LEVELS = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 1\nDCL OUT[0], TESSOUTER\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"


def param(stage: str, name: str) -> int:
    return screen().get_shader_param(stage, name)


def run(picture: Picture, stage: str, text: str) -> None:
    """Run a program once or more often: in a grid, a draw of a triangle or a patch, or a mesh draw."""
    ctx = picture.ctx
    shader = getattr(ctx, f"create_{CALLS[stage]}_state")(text)
    getattr(ctx, f"bind_{CALLS[stage]}_state")(shader)
    if stage == "COMPUTE":
        ctx.launch_grid(grid=(1, 1, 1), block=(1, 1, 1))
        return
    if stage in ("TASK", "MESH"):
        if stage == "TASK":
            ctx.bind_ms_state(ctx.create_ms_state(TEXTS["MESH"].format(declared="", body="", end="END\n")))
        ctx.bind_fs_state(ctx.create_fs_state(WHITE))
        ctx.draw_mesh_tasks(grid=(1, 1, 1))
        return
    if "TESS" in stage:
        if stage == "TESS_EVAL":
            ctx.bind_tcs_state(ctx.create_tcs_state(LEVELS))
        else:
            ctx.bind_tes_state(ctx.create_tes_state(TEXTS["TESS_EVAL"].format(declared="", body="", end="END\n")))
    kind: dict[str, Any] = {"mode": "PATCHES", "vertices_per_patch": 3} if "TESS" in stage else {"mode": "TRIANGLES"}
    picture.draw(text if stage == "FRAGMENT" else WHITE, text if stage == "VERTEX" else PASS, TRIANGLE, **kind)


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_has_the_slots_that_its_caps_count(stage: str) -> None:
    units, constants, buffers, images, counters = (
        param(stage, name) - 1
        for name in (
            "MAX_TEXTURE_SAMPLERS",
            "MAX_CONST_BUFFERS",
            "MAX_SHADER_BUFFERS",
            "MAX_SHADER_IMAGES",
            "MAX_HW_ATOMIC_COUNTER_BUFFERS",
        )
    )
    assert param(stage, "MAX_SAMPLER_VIEWS") == units + 1
    picture = Picture(1, 1)
    ctx = picture.ctx
    texture = screen().resource_create(width0=1, height0=1, format="R32_FLOAT")
    ctx.texture_subdata(texture, np.array([[3]], np.float32))
    last = param(stage, "MAX_CONST_BUFFER_SIZE") // 16 - 1
    words = np.zeros((last + 1, 4), np.float32)
    words[last] = 10
    image = screen().resource_create(width0=1, height0=1, format="R32_UINT")
    memory, counter = picture.buffer(np.zeros(1, np.uint32)), picture.buffer(np.zeros(1, np.uint32))
    ctx.set_sampler_views(stage, [ctx.create_sampler_view(texture)], start=units)
    ctx.bind_sampler_states(stage, [ctx.create_sampler_state()], start=units)
    ctx.set_constant_buffer(stage, words, index=constants)
    ctx.set_shader_buffers(stage, [memory], start=buffers)
    ctx.set_shader_images(stage, [image], start=images)
    ctx.set_hw_atomic_buffers([counter], start=counters)
    declared = (
        f"DCL SAMP[{units}]\nDCL SVIEW[{units}], 2D, FLOAT\nDCL CONST[{constants}][0..{last}]\nDCL BUFFER[{buffers}]\n"
        f"DCL IMAGE[{images}], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL HWATOMIC[{counters}][0]\nDCL TEMP[0..1]\n"
        "IMM[0] FLT32 {0.5, 0.5, 0.0, 0.0}\nIMM[1] UINT32 {0, 1, 0, 0}\n"
    )
    body = (
        f"TXL TEMP[0], IMM[0], SAMP[{units}], 2D\nADD TEMP[0].x, TEMP[0].xxxx, CONST[{constants}][{last}].xxxx\n"
        "F2U TEMP[0].x, TEMP[0].xxxx\n"
        f"STORE BUFFER[{buffers}].x, IMM[1].xxxx, TEMP[0].xxxx\n"
        f"STORE IMAGE[{images}], IMM[1].xxxx, TEMP[0].xxxx, 2D, PIPE_FORMAT_R32_UINT\n"
        f"ATOMUADD TEMP[1].x, HWATOMIC[{counters}][0], IMM[1].xxxx, IMM[1].yyyy\n"
    )
    run(picture, stage, TEXTS[stage].format(declared=declared, body=body, end="END\n"))
    found = np.zeros(2, np.uint32)
    ctx.buffer_read(memory, found[:1])
    ctx.buffer_read(counter, found[1:])
    assert found[0] == 13
    assert found[1] >= 1
    assert image.texels()[0, 0, 0, 0] == 13


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_addresses_registers_by_registers_calls_and_continues(stage: str) -> None:
    """TEMP and CONST by address, a subroutine, and a loop with CONT, as the caps of the stage say."""
    for name in ("INDIRECT_TEMP_ADDR", "INDIRECT_CONST_ADDR", "SUBROUTINES", "TGSI_CONT_SUPPORTED", "INTEGERS", "TGSI_SQRT_SUPPORTED"):
        assert param(stage, name) == 1
    picture = Picture(1, 1)
    ctx = picture.ctx
    memory = picture.buffer(np.zeros(1, np.uint32))
    ctx.set_shader_buffers(stage, [memory])
    ctx.set_constant_buffer(stage, np.arange(32, dtype=np.uint32).view(np.float32))
    declared = (
        "DCL CONST[0][0..7]\nDCL BUFFER[0]\nDCL TEMP[0..7], ARRAY(1)\nDCL TEMP[8..9]\nDCL ADDR[0]\nIMM[0] UINT32 {0, 1, 8, 5}\n"
        "IMM[1] FLT32 {16.0, 0.0, 0.0, 0.0}\n"
    )
    body = (
        "MOV TEMP[8], IMM[0].xxxx\nBGNLOOP\nUSGE TEMP[9].x, TEMP[8].xxxx, IMM[0].zzzz\nUIF TEMP[9].xxxx\nBRK\nENDIF\n"
        "UARL ADDR[0].x, TEMP[8].xxxx\nMOV TEMP[ADDR[0].x](1), CONST[0][ADDR[0].x]\nUADD TEMP[8].x, TEMP[8].xxxx, IMM[0].yyyy\n"
        "USEQ TEMP[9].x, TEMP[8].xxxx, IMM[0].wwww\nUIF TEMP[9].xxxx\nCONT\nENDIF\nUADD TEMP[8].y, TEMP[8].yyyy, IMM[0].yyyy\nENDLOOP\n"
        "CAL :{sub}\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[8].yyyy\n"
    )
    routine = (
        "BGNSUB\nUARL ADDR[0].x, IMM[0].wwww\nUADD TEMP[8].y, TEMP[8].yyyy, TEMP[ADDR[0].x](1).wwww\n"
        "SQRT TEMP[9].x, IMM[1].xxxx\nF2U TEMP[9].x, TEMP[9].xxxx\nUADD TEMP[8].y, TEMP[8].yyyy, TEMP[9].xxxx\nRET\nENDSUB\n"
    )
    text = TEXTS[stage].format(declared=declared, body=body, end="END\n")
    lines = [line for line in text.splitlines() if not line.startswith(("DCL", "PROPERTY", "IMM"))][1:]
    run(picture, stage, text.replace("{sub}", str(len(lines))) + routine)
    found = np.zeros(1, np.uint32)
    ctx.buffer_read(memory, found)
    assert found[0] == 7 + 23 + 4  # one round of eight goes on early; CONST[5].w; the root of 16


def moves(count: int, source: str, target: str = "OUT[{k}]") -> str:
    return "".join(f"MOV {target.format(k=k)}, {source.format(k=k)}\n" for k in range(count))


def test_each_stage_hands_on_as_many_registers_as_its_caps_count() -> None:
    """All inputs and outputs of all stages of draws at once: POSITION and 31 others."""
    stages = ("VERTEX", "TESS_CTRL", "TESS_EVAL", "GEOMETRY")
    (count,) = {param(stage, name) for stage in stages for name in ("MAX_INPUTS", "MAX_OUTPUTS")}
    names = ["POSITION", *(f"GENERIC[{k}]" for k in range(count - 1))]
    outs = "".join(f"DCL OUT[{k}], {name}\n" for k, name in enumerate(names))
    per_vertex = "".join(f"DCL {{0}}[][{k}], {name}\n" for k, name in enumerate(names))
    picture = Picture(4, 4)
    ctx = picture.ctx
    imms = "".join(f"IMM[{k}] FLT32 {{{float(k)}, 0.0, 0.0, 0.0}}\n" for k in range(count))
    vertex = f"VERT\nDCL IN[0]\nDCL IN[1]\n{outs}{imms}" + moves(count, "IMM[{k}]").replace("OUT[0], IMM[0]", "OUT[0], IN[0]") + "END\n"
    own = "DCL SV[0], INVOCATIONID\nDCL ADDR[0]\n"
    ctx.bind_tcs_state(
        ctx.create_tcs_state(
            f"TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\n{per_vertex.format('IN')}{per_vertex.format('OUT')}{own}DCL OUT[{count}], TESSOUTER\n"
            "IMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nUARL ADDR[0].x, SV[0].xxxx\n"
            f"{moves(count, 'IN[ADDR[0].x][{k}]', 'OUT[ADDR[0].x][{k}]')}MOV OUT[{count}], IMM[0]\nEND\n"
        )
    )
    ctx.bind_tes_state(
        ctx.create_tes_state(
            f"TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\n{per_vertex.format('IN')}DCL SV[0], TESSCOORD\n{outs}DCL TEMP[0]\n"
            "MUL TEMP[0], IN[0][0], SV[0].xxxx\nMAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]\nMAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]\n"
            f"{moves(count, 'IN[1][{k}]').partition(chr(10))[2]}END\n"
        )
    )
    vertices = "".join(moves(count, f"IN[{v}][{{k}}]") + "EMIT IMM[0].xxxx\n" for v in range(3))
    ctx.bind_gs_state(
        ctx.create_gs_state(
            "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 3\n"
            f"{per_vertex.format('IN')}{outs}IMM[0] UINT32 {{0, 0, 0, 0}}\n{vertices}END\n"
        )
    )
    ins = "".join(f"DCL IN[{k}], GENERIC[{k}], PERSPECTIVE\n" for k in range(count - 1))
    sums = "".join(f"ADD TEMP[0], TEMP[0], IN[{k}]\n" for k in range(count - 1))
    fragment = f"FRAG\n{ins}DCL OUT[0], COLOR\nDCL TEMP[0]\n{sums}MOV OUT[0], TEMP[0]\nEND\n"
    picture.draw(fragment, vertex, TRIANGLE, mode="PATCHES", vertices_per_patch=3)
    assert picture.pixels()[0, 0, 0] == sum(range(count))
