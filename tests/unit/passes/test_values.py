"""Values: which write reaches a source, which instructions read a result, whether a register still holds its value."""

from __future__ import annotations

import pytest

from passes.analysis.cells import cell
from passes.analysis.makers import UNMADE
from passes.analysis.values import UNWRITTEN, Values
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction
from tgsi.language.text.parser import parse

HEAD = (
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL TEMP[0..3]\nDCL TEMP[4..7], ARRAY(1)\nDCL ADDR[0]\n"
    "IMM[0] UINT32 {0, 1, 2, 3}\n"
)


def values(*lines: str) -> Values:
    """The values of a fragment program with these instructions."""
    return Values(parse(HEAD + "\n".join([*lines, "END", ""])))


def test_a_source_channel_knows_the_write_that_reaches_it() -> None:
    found = values("MOV TEMP[0].x, IN[0]", "MOV TEMP[0].y, IN[0]", "MOV TEMP[0].x, IN[0].zzzz", "ADD OUT[0], TEMP[0].xyzx, IN[0]")
    assert [found.definition(3, 0, channel) for channel in range(4)] == [2, 1, UNWRITTEN, 2]
    assert found.definition(3, 1, 0) is None  # an input


@pytest.mark.parametrize("more", [0, 40])
def test_renamed_registers_have_the_tables_of_a_new_start(more: int) -> None:
    end = ["MOV OUT[1], IN[0]"] * more  # the tables are renewed where few of many instructions change, made anew otherwise
    found = values(
        "MOV TEMP[0], IN[0]", "IF TEMP[0].xxxx", "MUL TEMP[1].xy, TEMP[0], IN[0]", "ENDIF", "ADD OUT[0], TEMP[1], TEMP[0].wwww", *end
    )
    assert found.users(0) == {1, 2, 4}
    anew = values(
        "MOV TEMP[2], IN[0]", "IF TEMP[2].xxxx", "MUL TEMP[1].xy, TEMP[2], IN[0]", "ENDIF", "ADD OUT[0], TEMP[1], TEMP[2].wwww", *end
    )
    changed = {place: item for place, item in enumerate(anew.items) if item != found.items[place] and item is not None}
    found.rename(changed, touch=False)
    assert found.touched == {0, 1, 2, 4}
    assert (found.reads, found.writes) == (anew.reads, anew.writes)
    for mine, other in ((found.readers, anew.readers), (found.writers, anew.writers)):
        assert {cell: set(places) for cell, places in mine.items() if places} == {cell: set(places) for cell, places in other.items()}
    assert all(found.makers[cell] & bits == bits for cell, bits in anew.makers.items())
    assert [found.definition(4, 1, 0), found.definition(4, 0, 0)] == [0, None]


def test_those_that_read_a_register_are_touched_when_its_writers_get_another() -> None:
    found = values("MOV TEMP[0], IN[0]", "ADD OUT[0], TEMP[0], IN[0]", "MOV OUT[1], IN[0]")
    other = values("MOV TEMP[1], IN[0]").items[0]
    assert other is not None
    found.rename({0: other}, touch=True)
    assert found.touched == {0, 1}
    assert found.makers_of(1) & UNMADE  # nothing writes it now


def test_a_join_has_no_single_definition() -> None:
    found = values(
        "MOV TEMP[0], IN[0]", "IF IN[0].xxxx", "MOV TEMP[0].x, IN[0].yyyy", "MOV TEMP[1], TEMP[0]", "ENDIF", "MOV OUT[0], TEMP[0]"
    )
    assert [found.definition(3, 0, channel) for channel in (0, 1)] == [2, 0]
    assert [found.definition(5, 0, channel) for channel in (0, 1)] == [None, 0]


def test_a_write_in_the_other_arm_does_not_reach() -> None:
    branch = ("IF IN[0].xxxx", "MOV TEMP[0].x, IN[0].yyyy", "ELSE", "MOV TEMP[1], TEMP[0]", "ENDIF")
    assert values("MOV TEMP[0], IN[0]", *branch, "MOV OUT[0], TEMP[1]").definition(4, 0, 0) == 0
    looped = values("MOV TEMP[0], IN[0]", "BGNLOOP", *branch, "BRK", "ENDLOOP", "MOV OUT[0], TEMP[1]")
    assert [looped.definition(5, 0, channel) for channel in (0, 1)] == [None, 0]


def test_a_write_later_in_a_loop_reaches_its_head() -> None:
    loop = ("BGNLOOP", "IF TEMP[1].xxxx", "BRK", "ENDIF", "MOV TEMP[2], TEMP[0]", "ADD TEMP[0].x, TEMP[0], IN[0]", "ENDLOOP")
    found = values("MOV TEMP[0], IN[0]", *loop, "MOV OUT[0], TEMP[0]")
    assert [found.definition(5, 0, channel) for channel in (0, 1)] == [None, 0]
    assert found.definition(8, 0, 0) is None


def test_an_address_may_reach_every_register_of_its_array_alone() -> None:
    found = values("UARL ADDR[0].x, IN[0]", "MOV TEMP[0], IN[0]", "MOV TEMP[ADDR[0].x](1), IN[0]", "ADD OUT[0], TEMP[4], TEMP[0]")
    assert found.definition(3, 0, 0) is None
    assert found.definition(3, 1, 0) == 1
    assert 2 in found.users(0)


def test_the_only_reader_of_a_result_is_known() -> None:
    found = values("MOV TEMP[0], IN[0]", "MOV TEMP[1], TEMP[0]", "ADD OUT[0], TEMP[0], TEMP[1]")
    assert found.users(0) == {1, 2}
    assert not found.is_only_for(0, 1)
    assert found.is_only_for(1, 2)
    assert not found.is_only_for(2, 3)  # an output


def test_a_register_keeps_its_value_until_it_is_written() -> None:
    found = values("MOV TEMP[0], IN[0]", "MOV TEMP[1], TEMP[0]", "MOV TEMP[0].x, IN[0]", "ADD OUT[0], TEMP[1], TEMP[1]")
    x, y = cell(File.TEMP, 0, 0), cell(File.TEMP, 0, 1)
    assert found.keeps((x, y), 1, 2)
    assert not found.keeps((x,), 1, 3)
    assert found.keeps((y,), 1, 3)


def test_a_register_that_a_loop_changes_does_not_keep_its_value_in_it() -> None:
    found = values("MOV TEMP[1], TEMP[0]", "BGNLOOP", "ADD OUT[0], TEMP[1], IN[0]", "MOV TEMP[0].x, IN[0]", "BRK", "ENDLOOP")
    assert not found.keeps((cell(File.TEMP, 0, 0),), 0, 2)
    assert found.keeps((cell(File.TEMP, 0, 1),), 0, 2)


def test_the_main_program_does_not_stand_before_a_subroutine() -> None:
    found = values("CAL :4", "MOV TEMP[0], IN[0]", "MOV OUT[0], TEMP[0]", "RET", "BGNSUB", "MOV OUT[0], TEMP[0]", "ENDSUB")
    assert found.definition(2, 0, 0) == 1
    assert found.definition(5, 0, 0) is None
    assert not found.dominates(1, 5)


def test_a_sample_in_a_branch_pins_what_other_lanes_may_hold() -> None:
    found = values("MOV TEMP[0].x, IN[0]", "IF IN[0].xxxx", "MOV TEMP[0].y, IN[0]", "TEX OUT[0], TEMP[0], SAMP[0], 2D", "ENDIF")
    assert found.pinned == {cell(File.TEMP, 0, 1)}


def test_a_64_bit_result_is_a_pair_of_channels() -> None:
    found = values("F2D TEMP[0].xy, IN[0].xxxx", "F2D TEMP[1].x, IN[0].xxxx", "D2F TEMP[2].xw, TEMP[0]", "MOV OUT[0], TEMP[2]")
    assert [len(cells) for cells in found.writes] == [2, 0, 2, 4, 0]
    assert found.definition(2, 0, 0) == 0


def test_put_and_remove_keep_the_tables() -> None:
    found = values("MOV TEMP[0], IN[0]", "MOV TEMP[1], TEMP[0]", "ADD OUT[0], TEMP[1], TEMP[0]")
    last = found.items[2]
    assert isinstance(last, Instruction)
    found.put(2, Instruction(last.opcode, last.dst, (last.src[1], last.src[1])))
    assert found.users(1) == set()
    assert found.users(0) == {1, 2}
    found.remove(1)
    assert found.users(0) == {2}
    assert [place for place, item in enumerate(found.items) if item is not None] == [0, 2, 3]
