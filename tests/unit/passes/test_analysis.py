"""Types, uses, liveness and divergence of small programs."""

# ruff: noqa: E501  (keeps each program in one line)

from __future__ import annotations

from pathlib import Path

import pytest

import tgsi
from passes.analysis.graph import flow_graph
from passes.analysis.liveness import Liveness
from passes.analysis.uses import Access, Uses, find_uses
from passes.optimise.dead import RemoveDeadCode
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

HEAD = "DCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0..3]\nDCL TEMP[4..7], ARRAY(1)\nDCL CONST[0..3]\nDCL ADDR[0]\nDCL SAMP[0]\n"
ZERO = "IMM[0] UINT32 {0, 1, 2, 3}\n"


def program(code: str) -> Program:
    return parse(f"FRAG\n{HEAD}{ZERO}{code}\nEND")


def live(code: str, instruction: int) -> set[str]:
    found = Liveness(program(code), only_needed=False)
    names = {
        f"{file.name}[{index}].{letter}": (file, index, c)
        for file in (File.TEMP, File.ADDR)
        for index in range(8)
        for c, letter in enumerate("xyzw")
    }
    return {name for name, (file, index, c) in names.items() if found.is_live_after(instruction, file, index, c)}


def test_a_channel_lives_from_its_write_to_its_last_read() -> None:
    code = "MOV TEMP[0], IN[0]\nMOV TEMP[1].x, TEMP[0].wwww\nADD OUT[0], TEMP[1].xxxx, TEMP[0].yyyy"
    assert live(code, 0) == {"TEMP[0].y", "TEMP[0].w"}
    assert live(code, 1) == {"TEMP[0].y", "TEMP[1].x"}
    assert live(code, 2) == set()


def test_a_value_that_one_branch_overwrites_lives_for_the_other() -> None:
    code = "MOV TEMP[0].x, IN[0]\nIF IN[0].xxxx\nMOV TEMP[0].x, IN[0].yyyy\nENDIF\nMOV OUT[0], TEMP[0].xxxx"
    assert live(code, 0) == {"TEMP[0].x"}
    assert live(code, 1) == {"TEMP[0].x"}


def test_a_value_lives_around_a_loop() -> None:
    code = "BGNLOOP\nADD TEMP[0].x, TEMP[0].xxxx, IN[0]\nIF IN[0].yyyy\nBRK\nENDIF\nMOV TEMP[1].x, IN[0]\nENDLOOP\nMOV OUT[0], TEMP[1].xxxx"
    assert live(code, 5) == {"TEMP[0].x", "TEMP[1].x"}
    assert live(code, 6) == {"TEMP[0].x", "TEMP[1].x"}  # ENDLOOP leads back


def test_an_indirect_read_keeps_its_whole_array_and_an_indirect_write_ends_nothing() -> None:
    code = "ARL ADDR[0].x, IN[0]\nMOV TEMP[ADDR[0].x+4](1).x, IN[0]\nMOV OUT[0], TEMP[ADDR[0].x+4](1).xxxx"
    assert live(code, 0) == {f"TEMP[{index}].x" for index in (4, 5, 6, 7)} | {"ADDR[0].x"}


def test_subroutines_read_what_their_callers_wrote() -> None:
    text = (
        f"FRAG\n{HEAD}{ZERO}MOV TEMP[0].x, IN[0]\nCAL :4\nMOV OUT[0], TEMP[1].xxxx\nEND\nBGNSUB\nMOV TEMP[1].x, TEMP[0].xxxx\nRET\nENDSUB"
    )
    found = Liveness(parse(text), only_needed=False)
    assert found.is_live_after(0, File.TEMP, 0, 0)
    assert found.is_live_after(5, File.TEMP, 1, 0)
    assert not found.is_live_after(2, File.TEMP, 1, 0)


def test_outputs_are_read_at_the_end_and_by_emit() -> None:
    text = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nDCL OUT[0], POSITION\nIMM UINT32 {0, 0, 0, 0}\nMOV OUT[0], IMM[0]\nEMIT IMM[0].xxxx\nMOV OUT[0], IMM[0]\nEND"
    found = Liveness(parse(text), only_needed=False)
    assert [found.is_live_after(place, File.OUT, 0, 3) for place in (0, 1, 2)] == [True, False, True]
    with pytest.raises(IndexError):
        found.is_live_after(9, File.OUT, 0, 0)


def test_blocks_begin_where_flow_meets() -> None:
    graph = flow_graph(program("IF IN[0].xxxx\nNOP\nELSE\nNOP\nENDIF\nNOP"))
    assert [list(block) for block in graph.blocks] == [[0], [1], [2], [3], [4], [5, 6]]
    assert graph.successors == ((1, 3), (2,), (4,), (4,), (5,), ())
    assert graph.exits == {5}


def of_register(uses: Uses, accesses: tuple[Access, ...], file: File, index: int) -> list[Access]:
    """Accesses that may be of a register."""
    return [item for item in accesses if item.register.file is file and index in uses.registers(item.register)]


def test_uses_name_operand_index_and_channels() -> None:
    uses = find_uses(
        program("ARL ADDR[0].x, IN[0]\nMAD TEMP[0].xy, IN[0].zwzw, CONST[ADDR[0].x+1], TEMP[ADDR[0].x+4](1)\nMOV OUT[0].x, TEMP[0].yyyy")
    )
    assert uses.read_masks[File.IN, 0] == 0b1101
    assert uses.read_masks[File.CONST, 2] == 0b0011
    assert (File.TEMP, 3) not in uses.read_masks
    assert uses.read_masks[File.TEMP, 7] == 0b0011
    assert [(access.instruction, access.operand) for access in of_register(uses, uses.reads, File.ADDR, 0)] == [(1, -1), (1, -1)]
    assert [access.instruction for access in of_register(uses, uses.writes, File.OUT, 0)] == [2]


@pytest.mark.peers
def test_every_corpus_shader_is_analysed(shared: Path) -> None:
    for path in sorted((shared / "corpus").glob("*.tgsi"))[::7]:
        found = parse(path.read_text(), name=path.name)
        assert len(find_uses(found).writes) <= 2 * len(found.instructions)
        liveness = Liveness(found)
        assert len(liveness.after) == len(found.instructions)


HANDLES = "FRAG\nDCL OUT[0], COLOR\nDCL IMAGE[0..1], 2D, WR\nDCL SAMP[0..1]\nDCL TEMP[0..3]\nIMM[0] UINT32 {1, 2, 0, 0}\nIMM[1] UINT32 {7, 0, 0, 0}\n"


def test_a_handle_that_a_store_names_is_read_not_written() -> None:
    found = parse(f"{HANDLES}MOV TEMP[0], IMM[0]\nSTORE TEMP[0], IMM[0], IMM[0], 2D\nMOV OUT[0], TEMP[0]\nEND")
    uses = find_uses(found)
    assert [access.instruction for access in of_register(uses, uses.writes, File.TEMP, 0)] == [0]
    assert [(access.instruction, access.mask) for access in of_register(uses, uses.reads, File.TEMP, 0)] == [(1, 1), (2, 15)]
    text = f"{HANDLES}MOV TEMP[0], IMM[0]\nSTORE TEMP[0], IMM[0], IMM[0], 2D\nEND"
    assert "MOV TEMP[0].x, IMM[0]" in str(tgsi.optimize(parse(text)))


def test_immediates_that_are_handles_of_stores_stay() -> None:
    made = tgsi.optimize(parse(f"{HANDLES}STORE IMM[1], IMM[0], IMM[0], 2D\nEND"))
    assert len(made.immediates) == 2


def test_samples_by_handles_that_change_are_not_shared() -> None:
    body = "MOV TEMP[0].x, IMM[0].xxxx\nTEX TEMP[1], IMM[0], TEMP[0], 2D\nMOV TEMP[0].x, IMM[0].yyyy\nTEX TEMP[2], IMM[0], TEMP[0], 2D"
    made = tgsi.optimize(parse(f"{HANDLES}{body}\nADD OUT[0], TEMP[1], TEMP[2]\nEND"))
    assert sum(item.opcode.name == "TEX" for item in made.instructions) == 2


def test_a_case_reads_its_value_even_if_arms_before_it_were_skipped() -> None:
    code = "MOV TEMP[0].x, IN[0]\nSWITCH IN[0].xxxx\nCASE IN[0].yyyy\nMOV TEMP[0].x, IN[0].zzzz\nBRK\nCASE TEMP[0].xxxx\nMOV OUT[0], IN[0]\nENDSWITCH"
    assert "TEMP[0].x" in live(code, 0)


def test_a_lane_that_left_an_arm_may_match_a_later_one() -> None:
    code = "SWITCH IN[0].xxxx\nDEFAULT\nMOV TEMP[0].x, IN[0]\nBRK\nCASE IN[0].yyyy\nMOV OUT[0], TEMP[0].xxxx\nENDSWITCH"
    assert "TEMP[0].x" in live(code, 2)


def test_an_atomic_takes_the_x_of_its_operand_whatever_it_writes() -> None:
    declared = "FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0]\nDCL TEMP[0..1]\nIMM[0] UINT32 {1, 2, 3, 4}\n"
    code = "MOV TEMP[0], IMM[0]\nATOMUADD TEMP[1].w, BUFFER[0], IMM[0], TEMP[0].yzwx\nMOV OUT[0], TEMP[1]\nEND"
    liveness = Liveness(parse(declared + code))
    assert [bool(liveness.after[0] & liveness.bit(File.TEMP, 0, c)) for c in range(4)] == [False, True, False, False]


def test_texels_of_a_store_may_need_all_channels() -> None:
    text = f"{HANDLES}MOV TEMP[0], IMM[0].xyxy\nMUL TEMP[0], TEMP[0], TEMP[0]\nSTORE IMAGE[0].x, IMM[0], TEMP[0], 2D\nEND"
    assert Liveness(parse(text)).bit(File.TEMP, 0, 3) & Liveness(parse(text)).after[1]


@pytest.mark.parametrize("opcode", ["D2F", "D2I", "D2U", "I642F", "U642F"])
def test_a_conversion_from_64_bits_reads_xy_for_the_first_channel_that_it_writes(opcode: str) -> None:
    text = f"FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\n{opcode} OUT[0].y, TEMP[0]\nEND"
    made = RemoveDeadCode().run(parse(text))
    assert [item.dst[0].write_mask for item in made.instructions if item.dst] == [0b0011, 0b0010]
