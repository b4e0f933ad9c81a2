"""The pass lower-indirect on every kind of operand: textures, images, memory, varyings, constants, handles; addresses outside included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from backends.formats import Format
from backends.run.textures import TextureData
from tests.property.engines import result_differences
from tests.property.fitting import NEAREST, texels

HEAD = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1..3], GENERIC[1], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0][0..2]
DCL CONST[1][0..2]
DCL SAMP[0..1]
DCL IMAGE[0..1], 2D, PIPE_FORMAT_R32_UINT, WR
DCL BUFFER[0..1]
DCL HWATOMIC[0][0..3]
DCL TEMP[0..3], ARRAY(1)
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 4}
IMM[1] FLT32 {0.25, 0.5, 0.75, 0.0}
"""
VIEWS = "DCL SVIEW[0..1], 2D, FLOAT\n"
START = "UARL ADDR[0], IN[0]\nMOV TEMP[0], IMM[0]\nMOV TEMP[1], IMM[0].yxzw\n"

PLAIN = (
    "TEX_LZ OUT[0], IMM[1], SAMP[ADDR[0].x], 2D",
    "TEX_LZ_SAT TEMP[1], IMM[1].xzxz, SAMP[ADDR[0].x], SHADOW2D\nMOV OUT[0], TEMP[1]",
    "TXF OUT[0], TEMP[ADDR[0].x](1), SAMP[ADDR[0].y], 2D",
    "TXQ OUT[0], IMM[0].xxxx, SAMP[ADDR[0].x], 2D",
    "TG4 OUT[0], IMM[1], IMM[0].xxxx, SAMP[ADDR[0].x], 2D",
    "TG4 OUT[0], IMM[1], IN[0].xxxx, SAMP[ADDR[0].y-1], 2D",
    "TG4 OUT[0], IMM[1], IN[0].xxxx, SAMP[ADDR[0].y], SHADOW2D",
    "LODQ OUT[0].xy, IMM[1], SAMP[ADDR[0].x], 2D",
    "SAMP2HND OUT[0].xy, SAMP[ADDR[0].x+1], 2D",
    "IMG2HND OUT[0].xy, IMAGE[ADDR[0].x]",
    "LOAD OUT[0], IMAGE[ADDR[0].x], IMM[0].yyyy, 2D, PIPE_FORMAT_R32_UINT",
    "LOAD OUT[0].xy, BUFFER[ADDR[0].x], IMM[0].wwww",
    "LOAD OUT[0], CONSTBUF[ADDR[0].x], IMM[0].wwww",
    "STORE BUFFER[ADDR[0].x].x, IMM[0].wwww, IN[0].yyyy",
    "RESQ OUT[0].x, BUFFER[ADDR[0].x]",
    "ATOMUADD OUT[0].x, HWATOMIC[0][ADDR[0].x], IMM[0].xxxx, IMM[0].yyyy",
    "ATOMUADD TEMP[ADDR[0].y](1).x, BUFFER[ADDR[0].x], IMM[0].xxxx, IMM[0].yyyy\nMOV OUT[0], TEMP[1]",
    "MOV OUT[0], IMM[ADDR[0].x]",
    "MOV OUT[0], CONST[ADDR[0].x][ADDR[0].y+1]",
    "MOV OUT[ADDR[0].x], CONST[1][ADDR[0].y]",
    "INTERP_OFFSET OUT[0], IN[ADDR[0].x], IMM[1]",
    "INTERP_CENTROID OUT[0], IN[ADDR[0].x+1]",
    "IF CONST[ADDR[0].x].xxxx\nMOV OUT[0], IMM[0]\nENDIF",
    "SWITCH CONST[ADDR[0].x].xxxx\nCASE IMM[0].xxxx\nMOV OUT[0], IMM[0]\nENDSWITCH",
    "DFRACEXP TEMP[ADDR[0].x](1).xy, TEMP[ADDR[0].y](1).z, IN[1]\nADD OUT[0], TEMP[0], TEMP[1]",
    "U64ADD TEMP[1], IN[0].zwzw, TEMP[ADDR[0].x](1).zwxy\nMOV OUT[0], TEMP[1]",
)
OF_VIEWS = (
    "SAMPLE_L OUT[0], IMM[1], SVIEW[ADDR[0].x].wzyx, SAMP[ADDR[0].y], IMM[0].xxxx",
    "GATHER4 OUT[0], IMM[1], SVIEW[ADDR[0].x].wzyx, SAMP[ADDR[0].y].wwww",
    "SAMPLE_I OUT[0], IMM[0], SVIEW[ADDR[0].x].wzyx",
    "SVIEWINFO OUT[0], IMM[0].xxxx, SVIEW[ADDR[0].x].wzyx",
)
CASES = {code: f"{HEAD}{START}{code}\nEND\n" for code in PLAIN} | {code: f"{HEAD}{VIEWS}{START}{code}\nEND\n" for code in OF_VIEWS}


def _arguments() -> dict[str, Any]:
    chance = np.random.default_rng(3)

    def picture(format: Format) -> TextureData:
        return TextureData(format, (texels(format, (1, 4, 4), chance),))

    constants = {0: chance.integers(0, 3, (3, 4)).astype(np.uint32), 1: chance.integers(0, 2**31, (3, 4)).astype(np.uint32)}
    return {
        "textures": {0: picture(Format.R8G8B8A8_UNORM), 1: picture(Format.R8G8B8A8_UNORM)},
        "samplers": {0: NEAREST, 1: NEAREST},
        "images": {0: picture(Format.R32_UINT), 1: picture(Format.R32_UINT)},
        "buffers": {0: np.arange(8, dtype=np.uint32), 1: np.arange(8, dtype=np.uint32) + 50},
        "counters": {0: np.arange(8, dtype=np.uint32)},
        "constants": constants,
    }


@pytest.mark.parametrize("code", CASES)
def test_an_operand_that_an_address_chooses_is_lowered_to_the_bit(code: str) -> None:
    chance = np.random.default_rng(5)
    inputs = chance.integers(-1, 4, (16, 4, 4)).astype(np.uint32)
    inputs[:, 1:] = chance.normal(0, 1, (16, 3, 4)).astype(np.float32).view(np.uint32)
    program = tgsi.parse(CASES[code])
    made = tgsi.lower(program, indirect=True)
    assert "ADDR" not in str(made)
    assert tgsi.parse(str(made)) == made
    before = tgsi.run(program, inputs, engine="interp", **_arguments())
    for engine in ("interp", "jit"):
        assert result_differences(before, tgsi.run(made, inputs, engine=engine, **_arguments()), exact=True) == []
