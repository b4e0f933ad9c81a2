"""Programs as SPIR-V: accepted by spirv-val, and the same program after they were read back."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import tgsi
from tests.property.fitting import fitting_arguments
from tests.property.spirv_round import round_trip
from tgsi.tools.compile.cli import main

PROGRAMS = {
    "arithmetic": """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[3]
DCL OUT[2], PSIZE
DCL CONST[0..3]
DCL CONST[1][0..3]
DCL TEMP[0..2]
IMM[0] UINT32 {5, 0, 4294967295, 31}
MAD TEMP[0], IN[0], -CONST[0], |IN[1]|
LRP_SAT TEMP[1].xz, TEMP[0], IN[1], CONST[1][2]
UDIV TEMP[1].yw, IN[0], IMM[0].xyxy
MOD TEMP[2], IN[1], IMM[0]
IBFE TEMP[2].xy, IN[0], IN[1], IMM[0].wwww
DP3 OUT[0], TEMP[0], TEMP[1]
SHL OUT[1], TEMP[2], IN[0]
SLT OUT[2].x, TEMP[0], IN[1]
END
""",
    "kills and constants": """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], FACE, CONSTANT
DCL IN[2], COLOR, COLOR
DCL OUT[0], COLOR
DCL OUT[1], POSITION
DCL CONST[0..20]
DCL TEMP[0..1]
DCL ADDR[0]
IMM[0] FLT32 {3.0, 0.5, 0.0, 1.0}
ARL ADDR[0].x, IMM[0]
KILL_IF -IN[0].xyxy
CMP TEMP[0], IN[1].xxxx, IN[2], CONST[ADDR[0].x+4]
IF IN[0].xxxx
  KILL
ELSE
  ADD TEMP[0], TEMP[0], IMM[0]
ENDIF
MOV OUT[1].z, TEMP[0].yyyy
MOV OUT[0], TEMP[0]
END
""",
    "loops, switches and calls": """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0..2]
DCL TEMP[3..6], ARRAY(1)
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 3, 2}
AND TEMP[0].x, IN[0], IMM[0].zzzz
BGNLOOP
  USGE TEMP[0].y, TEMP[1].xxxx, IMM[0].zzzz
  UIF TEMP[0].yyyy
    BRK
  ENDIF
  UADD TEMP[1].x, TEMP[1], IMM[0].yyyy
  SWITCH TEMP[0].xxxx
  DEFAULT
    UADD TEMP[2].x, TEMP[2], IMM[0].yyyy
    BRK
  CASE IMM[0].yyyy
    UADD TEMP[2].y, TEMP[2], IMM[0].yyyy
  CASE TEMP[1].xxxx
    UADD TEMP[2].z, TEMP[2], IMM[0].yyyy
    CONT
  ENDSWITCH
  UARL ADDR[0].x, TEMP[1].xxxx
  MOV TEMP[ADDR[0].x+3](1), IN[1]
  CAL :25
ENDLOOP
MOV OUT[0], TEMP[2]
UARL ADDR[0].x, TEMP[0].xxxx
MOV OUT[1], TEMP[ADDR[0].x+4](1)
END
BGNSUB
  UIF TEMP[0].xxxx
    RET
  ENDIF
  UADD TEMP[2].w, TEMP[2], IMM[0].wwww
ENDSUB
""",
    "doubles": """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0..1]
DMAD TEMP[0], IN[0], -IN[1], |IN[0]|
DSLT TEMP[1].xz, TEMP[0], IN[1]
D2F TEMP[1].yw, TEMP[0]
I64DIV OUT[0], IN[0], IN[1]
MOV OUT[1], TEMP[1]
END
""",
    "vertices": """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 4
PROPERTY GS_INVOCATIONS 2
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[4]
DCL SV[0], INVOCATIONID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[7]
DCL ADDR[0]
IMM[0] INT32 {0, 0, 0, 0}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[1], IN[ADDR[0].x][1]
MOV OUT[0], IN[0][0]
EMIT IMM[0].xxxx
MOV OUT[0].xy, IN[2][0]
EMIT IMM[0].xxxx
ENDPRIM IMM[0].xxxx
END
""",
    "patches": """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], POSITION
DCL SV[0], INVOCATIONID
DCL OUT[][0], POSITION
DCL OUT[1], TESSOUTER
DCL OUT[2], TESSINNER
DCL OUT[3], PATCH
DCL ADDR[0]
IMM[0] FLT32 {1.0, 2.0, 3.0, 4.0}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
BARRIER
MOV OUT[1], IMM[0]
MOV OUT[2].xy, IMM[0].zwzw
MOV OUT[3], IMM[0].wzyx
END
""",
    "points of patches": """TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_SPACING 2
DCL IN[][0], POSITION
DCL IN[1], PATCH
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], CLIPDIST
PROPERTY NUM_CLIPDIST_ENABLED 3
MUL OUT[0], IN[2][0], SV[0].xxyz
ADD OUT[1].xyz, IN[1], IN[0][0]
END
""",
    "memory": """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 8
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL BUFFER[0]
DCL BUFFER[1]
DCL HWATOMIC[0..1]
DCL MEMORY[0], SHARED
DCL TEMP[0..2]
IMM[0] UINT32 {2, 4, 7, 0}
SHL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
LOAD TEMP[1], BUFFER[0], TEMP[0]
STORE MEMORY[0].x, TEMP[0], TEMP[1]
BARRIER
XOR TEMP[0].x, TEMP[0], IMM[0].yyyy
LOAD TEMP[2].x, MEMORY[0], TEMP[0]
ATOMUADD TEMP[2].y, BUFFER[1], IMM[0].yyyy, TEMP[2].xxxx
ATOMUADD TEMP[2].z, HWATOMIC[0], IMM[0].wwww, IMM[0].xxxx
MEMBAR IMM[0].zzzz
STORE BUFFER[1].x, TEMP[0], TEMP[2].xxxx
END
""",
    "textures": """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL SAMP[0..2]
DCL SVIEW[0], 2D, FLOAT
DCL SVIEW[1], 2D_ARRAY, UINT
DCL SVIEW[2], SHADOWCUBE, FLOAT
DCL TEMP[0..3]
IMM[0] INT32 {1, -1, 0, 2}
TXP TEMP[0], IN[0], SAMP[0], 2D
TXF TEMP[1], IMM[0].xxxz, SAMP[1], 2D_ARRAY, IMM[0].yxz
TEX TEMP[2], IN[0], SAMP[2], SHADOWCUBE
ADD TEMP[0], TEMP[0], TEMP[2].xxxx
TXQ TEMP[3], IMM[0].zzzz, SAMP[0], 2D
UADD TEMP[1], TEMP[1], TEMP[3].xyww
TG4 TEMP[2], IN[0], IMM[0].xxxx, SAMP[0], 2D
XOR TEMP[0], TEMP[0], TEMP[1]
XOR OUT[0], TEMP[0], TEMP[2]
END
""",
    "images": """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL TEMP[0]
IMM[0] INT32 {1, 2, 0, 3}
LOAD TEMP[0], IMAGE[0], IMM[0].xyyy, 2D, PIPE_FORMAT_R32_UINT
STORE IMAGE[0], IMM[0].zxxx, IN[0], 2D, PIPE_FORMAT_R32_UINT
MOV OUT[0], TEMP[0]
END
""",
}

REFUSED = {
    "M030": ("FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nCLOCK TEMP[0]\nEND\n", "CLOCK TEMP[0]"),
    "M031": ("VERT\nDCL TEMP[0]\nDCL OUT[0], POSITION\nTEX OUT[0], TEMP[0], TEMP[0], 2D\nEND\n", "TEX OUT[0]"),
    "M032": ("VERT\nDCL OUT[0], EDGEFLAG\nMOV OUT[0], OUT[0]\nEND\n", "DCL OUT[0], EDGEFLAG"),
    "M033": ("COMP\nBARRIER\nEND\n", ""),
}


def validator() -> str:
    beside = Path(sys.executable).with_name("spirv-val")
    found = str(beside) if beside.exists() else shutil.which("spirv-val")
    if found is None:
        pytest.skip("spirv-val is absent (pip install tgsi[glsl])")
    return found


def complaint(module: bytes, tmp_path: Path) -> str:
    """The words of spirv-val about a module; none if it accepts it."""
    file = tmp_path / "module.spv"
    file.write_bytes(module)
    done = subprocess.run([validator(), "--target-env", "spv1.3", str(file)], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("name", PROGRAMS)
def test_spirv_val_accepts_what_is_written(name: str, tmp_path: Path) -> None:
    assert complaint(tgsi.write_spirv(tgsi.parse(PROGRAMS[name])), tmp_path) == ""


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("floats", [True, False])
def test_a_program_gives_the_same_bits_after_it_was_read_back(name: str, floats: bool) -> None:
    program = tgsi.parse(PROGRAMS[name])
    tgsi.validate(program)
    for seed in range(3):
        assert round_trip(program, fitting_arguments(program, seed, filters=False, floats=floats) | {"fuel": 300}) == []


@pytest.mark.parametrize("code", REFUSED)
def test_what_spirv_cannot_say_is_refused_with_its_place(code: str) -> None:
    text, place = REFUSED[code]
    with pytest.raises(tgsi.UnsupportedError) as caught:
        tgsi.write_spirv(tgsi.parse(text))
    found = caught.value.diagnostics[0]
    assert found.code == code
    assert place in found.render()


def test_sets_entry_point_and_targets_are_the_callers() -> None:
    text = PROGRAMS["kills and constants"].replace("FRAG\n", "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n")
    module = tgsi.write_spirv(tgsi.parse(text), entry="shade", color_targets=3)
    after = tgsi.read_spirv(module, entry="shade")
    assert [str(item.semantic) for item in after.declared(tgsi.File.OUT)] == ["POSITION", "COLOR", "COLOR[1]", "COLOR[2]"]
    from backends.spirv.listing import disassemble

    moved = disassemble(tgsi.write_spirv(tgsi.parse(text), first_set=4))
    assert "OpDecorate %const0 DescriptorSet 4" in moved


def test_the_command_writes_modules_and_their_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shader, target = tmp_path / "a.tgsi", tmp_path / "a.spv"
    shader.write_text(PROGRAMS["arithmetic"])
    assert main([str(shader), "--emit", "spirv", "-o", str(target)]) == 0
    assert target.read_bytes() == tgsi.write_spirv(tgsi.parse(PROGRAMS["arithmetic"]))
    assert main([str(shader), "--emit", "spirv-text"]) == 0
    shown = capsys.readouterr().out
    assert "OpEntryPoint Vertex %main" in shown
    assert "OpDecorate %gl_Position BuiltIn Position" in shown
    shader.write_text(REFUSED["M032"][0])
    assert main([str(shader), "--emit", "spirv", "-o", str(target)]) == 1
    assert "M032" in capsys.readouterr().err


STEP = 25


@pytest.mark.peers
@pytest.mark.parametrize("first", [0, *(pytest.param(number, marks=pytest.mark.nightly) for number in range(1, STEP))])
def test_the_corpus_is_written_accepted_and_read_back(first: int, shared: Path, tmp_path: Path) -> None:
    wrong = []
    for path in sorted((shared / "corpus").glob("*.tgsi"))[first::STEP]:
        program = tgsi.parse(path.read_text(), name=path.name)
        if any(item.semantic is not None and item.semantic.name in ("EDGEFLAG", "CLIPVERTEX") for item in program.declarations):
            with pytest.raises(tgsi.UnsupportedError):
                tgsi.write_spirv(program)
            continue
        given = fitting_arguments(program, zlib.crc32(path.name.encode()) % 100_000, filters=False, floats=True)
        found = [complaint(tgsi.write_spirv(program), tmp_path), *round_trip(program, given | {"fuel": 300})]
        if any(found):
            wrong.append((path.name, found))
    assert wrong == []
