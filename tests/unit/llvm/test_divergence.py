"""Uniform and divergent values and branches of programs."""

from __future__ import annotations

import pytest

from backends.llvm.program import divergence as uniform
from backends.llvm.program.divergence import Divergence
from backends.llvm.program.plan import plan_of
from tests.unit.llvm.support import VERT_HEADER
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light


def _flow(body: str) -> Divergence:
    program = parse(f"{VERT_HEADER}{body}\nEND\n")
    return plan_of(program).flow


def _temp(flow: Divergence, register: int, channel: int = 0) -> bool:
    return (File.TEMP, register, channel) not in flow.divergent


def test_constants_make_uniform_values_and_inputs_do_not() -> None:
    flow = _flow("ADD TEMP[0].x, CONST[0], IMM[1]\nADD TEMP[1].x, TEMP[0], IN[0]\nMOV TEMP[2].x, TEMP[1]")
    assert (_temp(flow, 0), _temp(flow, 1), _temp(flow, 2)) == (True, False, False)


def test_only_the_channels_that_an_opcode_reads_count() -> None:
    flow = _flow("MOV TEMP[0].y, IN[0]\nMOV TEMP[0].x, IMM[1].yyyy\nRCP TEMP[1].x, TEMP[0].xyyy")
    assert _temp(flow, 1)


def test_a_write_under_a_divergent_branch_diverges_unless_the_register_lives_there() -> None:
    flow = _flow(
        "MOV TEMP[0].x, IMM[1]\nUIF IN[0].xxxx\nMOV TEMP[0].x, IMM[1].yyyy\nMOV TEMP[1].x, IMM[1]\nADD OUT[0].x, TEMP[1], TEMP[1]\nENDIF"
    )
    assert (_temp(flow, 0), _temp(flow, 1)) == (False, True)


def test_a_loop_with_a_uniform_exit_is_uniform() -> None:
    loop = """MOV TEMP[0].x, IMM[0]
BGNLOOP
USGE TEMP[1].x, TEMP[0], {}
UIF TEMP[1].xxxx
BRK
ENDIF
UADD TEMP[0].x, TEMP[0], IMM[0].yyyy
ENDLOOP"""
    flow = _flow(loop.format("CONST[0]"))
    assert not flow.controls
    assert _temp(flow, 0)
    flow = _flow(loop.format("IN[0]"))
    assert len(flow.controls) == 2  # the loop and its IF
    assert _temp(flow, 0)  # lanes that have left never read the value


_COUNTING = """MOV TEMP[0].x, IMM[0]
BGNLOOP
USGE TEMP[1].x, TEMP[0], IMM[0].yyyy
UIF TEMP[1].xxxx
BRK
ENDIF
UIF IN[0].xxxx
{}
ENDIF
UADD TEMP[0].x, TEMP[0], IMM[0].yyyy
ENDLOOP
{}"""


def test_a_counter_that_is_read_behind_its_loop_has_a_uniform_twin_inside() -> None:
    key = (File.TEMP, 0, 0)
    flow = _flow(_COUNTING.format("BRK", "MOV OUT[0].x, TEMP[0]"))
    assert not _temp(flow, 0)
    assert key in flow.twins
    assert _temp(flow, 1)
    assert sorted(exit.divergent for exit in flow.exits.values()) == [False, True]
    assert key not in _flow(_COUNTING.format("BRK", "MOV OUT[0].y, IN[0]")).divergent


def test_lanes_that_skip_part_of_a_round_leave_no_twin() -> None:
    flow = _flow(_COUNTING.format("CONT", "MOV OUT[0].x, TEMP[0]"))
    assert not flow.twins
    assert not _temp(flow, 0)
    flow = _flow(_COUNTING.format("UADD TEMP[0].x, TEMP[0], IMM[0].yyyy", "MOV OUT[0].x, TEMP[0]"))
    assert not flow.twins


def test_a_loop_in_a_loop_owns_nothing() -> None:
    flow = _flow(
        "BGNLOOP\nBGNLOOP\nADD TEMP[3].x, TEMP[3], IMM[1]\nUIF IN[0].xxxx\nBRK\nENDIF\nENDLOOP\nUIF CONST[0].xxxx\nBRK\nENDIF\nENDLOOP"
    )
    assert not _temp(flow, 3)


def test_values_that_live_in_one_round_stay_uniform_in_a_divergent_loop() -> None:
    body = "ADD TEMP[2].x, CONST[0], IMM[1]\nUIF IN[0].xxxx\nBRK\nENDIF\nADD TEMP[3].x, TEMP[3], TEMP[2]"
    flow = _flow(f"BGNLOOP\n{body}\nENDLOOP\nMOV OUT[0].x, TEMP[3]")
    assert (_temp(flow, 2), _temp(flow, 3)) == (True, False)


def test_a_divergent_return_masks_outputs_but_not_temporaries() -> None:
    flow = _flow("UIF IN[0].xxxx\nRET\nENDIF\nMOV TEMP[0].x, IMM[1]\nMOV OUT[0].x, TEMP[0]")
    assert flow.main_divergent
    assert _temp(flow, 0)
    assert (File.OUT, 0, 0) in flow.divergent


def test_neighbors_of_a_derivative_keep_their_values() -> None:
    body = "UIF IN[0].xxxx\nADD TEMP[0].x, IN[0], IN[0]\nDDX TEMP[1].x, TEMP[0]\nENDIF"
    program = plan_of(parse(f"{VERT_HEADER}{body}\nEND\n"))
    assert program.flow.homes[File.TEMP, 0, 0] is program.main
    assert program.flow.homes[File.TEMP, 1, 0] is not program.main


def test_channels_that_hold_integers_are_known() -> None:
    flow = _flow("MOV TEMP[0].x, IMM[0]\nUADD TEMP[0].x, TEMP[0], IMM[0]\nMOV TEMP[1].x, IMM[1]\nADD TEMP[1].x, TEMP[1], IMM[1]")
    assert (File.TEMP, 0, 0) in flow.integer
    assert (File.TEMP, 1, 0) not in flow.integer


def test_a_plan_is_made_once_a_program() -> None:
    program: Program = parse(f"{VERT_HEADER}MOV OUT[0], IN[0]\nEND\n")
    assert plan_of(program) is plan_of(program)


def test_a_divergent_loop_keeps_a_shadow_of_the_few_values_that_its_rounds_hand_on() -> None:
    rounds = "BGNLOOP\n{}\nUIF IN[0].xxxx\nBRK\nENDIF\nENDLOOP\nMOV OUT[0], TEMP[0]"
    flow = _flow(rounds.format("ADD TEMP[0].xy, TEMP[0], IN[0]"))
    assert set(flow.shadows) == {(File.TEMP, 0, 0), (File.TEMP, 0, 1)}
    assert not _flow(rounds.format("ADD TEMP[0].xyz, TEMP[0], IN[0]")).shadows  # too many
    assert not _flow(rounds.format("ADD TEMP[0].xy, IN[0], IN[0]")).shadows  # no value is carried to the next iteration
    assert not _flow(rounds.format("UIF IN[0].yyyy\nADD TEMP[0].xy, TEMP[0], IN[0]\nENDIF")).shadows  # lanes diverge


def test_what_one_region_alone_accesses_needs_no_variable() -> None:
    body = "ADD TEMP[0].x, IN[0], IN[0]\nUIF IN[0].yyyy\nMUL TEMP[1].x, IN[0], IN[0]\nADD TEMP[2].x, TEMP[1], TEMP[0]\nENDIF\n"
    flow = _flow(f"{body}MOV OUT[0].x, TEMP[2]")
    assert (File.TEMP, 1, 0) in flow.straight
    assert (File.OUT, 0, 0) in flow.straight
    assert (File.TEMP, 0, 0) not in flow.straight  # read in another region
    assert (File.TEMP, 2, 0) not in flow.straight  # written in one and read in another
    assert not _flow(f"{body}UIF IN[0].xxxx\nRET\nENDIF\nMOV OUT[0].x, TEMP[2]").straight


def test_work_grows_with_the_program_and_not_with_its_square(monkeypatch: pytest.MonkeyPatch) -> None:
    visits: list[int] = []
    visit = uniform._Analysis._visit

    def counted(self: uniform._Analysis, at: int) -> None:
        visits.append(at)
        visit(self, at)

    monkeypatch.setattr(uniform._Analysis, "_visit", counted)
    count = 300
    shift = "".join(f"MOV TEMP[{i}].x, TEMP[{i + 1}].xxxx\n" for i in range(count))  # divergence moves on by one register per iteration
    body = f"BGNLOOP\nIF TEMP[0].xxxx\nBRK\nENDIF\n{shift}MOV TEMP[{count}].x, IN[0].xxxx\nENDLOOP\nMOV OUT[0], TEMP[0].xxxx\n"
    program = parse(f"FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0..{count}]\n{body}END\n")
    assert len(plan_of(program).flow.divergent) == count + 5
    assert len(visits) < 10 * count
