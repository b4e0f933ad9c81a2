"""Stack use of compiled programs: instructions share their temporary space, however many there are."""

from __future__ import annotations

import pytest

from backends.llvm.kernels.stages import build_run_kernel
from backends.llvm.program.plan import fitting_lanes
from tests.calls import calls_in
from tests.texts import VS_POSITION
from tgsi.language.text.parser import parse

HEAD = """COMP
DCL SV[0], THREAD_ID
DCL BUFFER[0..3]
DCL ADDR[0]
DCL TEMP[0..1]
UARL ADDR[0].x, SV[0].xxxx
"""
NEEDY = {
    "store": "STORE BUFFER[0].xyzw, SV[0], SV[0]\n",
    "load": "LOAD TEMP[0], BUFFER[ADDR[0].x], TEMP[0]\n",
    "atomic": "ATOMCAS TEMP[0].x, BUFFER[0], TEMP[0], SV[0], SV[0]\n",
    "size": "RESQ TEMP[0].x, BUFFER[ADDR[0].x]\n",
}


@pytest.mark.parametrize("name", NEEDY)
def test_instructions_share_the_memory_that_they_need_for_themselves(name: str) -> None:
    def vectors(count: int) -> int:
        return build_run_kernel(parse(HEAD + NEEDY[name] * count + "END\n"), 64).text().count("alloca [64 x i32]")

    assert 0 < vectors(50) == vectors(1)


def test_programs_with_many_registers_run_with_fewer_lanes() -> None:
    program = parse("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..2047]\nMOV TEMP[2047], IN[0]\nMOV OUT[0], TEMP[2047]\nEND\n")
    small = parse(VS_POSITION)
    assert [fitting_lanes(program, lanes) for lanes in (4, 16, 32, 64)] == [4, 16, 16, 16]
    assert fitting_lanes(small, 64) == 64


def test_the_instructions_of_a_program_are_looked_at_once_however_often_its_lanes_are_asked_for() -> None:
    program = parse("VERT\nDCL OUT[0], POSITION\nIMM[0] FLT32 {1, 2, 3, 4}\n" + 300 * "MOV OUT[0], IMM[0]\n" + "END\n")
    assert fitting_lanes(program, 64) == 64
    assert len(calls_in(lambda: fitting_lanes(program, 16))) < 20
