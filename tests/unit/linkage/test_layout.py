"""Sets, layouts and inverse tables: every rule, and the indices that the old utility computed wrongly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from linkage.layout import ABSENT, Rule, SemanticSet, collect, invert, lay_out
from tests.unit.linkage.programs import END, frag, mov, vert
from tgsi.language.diagnostics import LinkError
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration
from tgsi.language.program import Program

TRICKY = (0, 31, 32, 63, 64, 216, 217, 218, 219, 254, 255)


@pytest.mark.parametrize("index", TRICKY)
def test_a_set_holds_each_index_alone(index: int) -> None:
    members = SemanticSet.of([index])
    assert [i for i in range(256) if i in members] == [index] == list(members)
    assert members.words()[index // 32] == 1 << index % 32
    assert len(members) == 1


@pytest.mark.parametrize("index", [-1, 256])
def test_a_set_refuses_what_is_no_byte(index: int) -> None:
    with pytest.raises(ValueError, match="is not 0 to 255"):
        SemanticSet.of([index])


def test_declared_but_untouched_varyings_are_not_collected() -> None:
    program = frag(("GENERIC", 3), ("GENERIC", 64), ("COLOR", 0), ("GENERIC", 255), unused=frozenset({0}))
    assert list(collect(program, File.IN)) == [64, 255]
    assert list(collect(vert(("POSITION", 0), ("GENERIC", 31), ("GENERIC", 32)), File.OUT)) == [31, 32]


@pytest.mark.parametrize(("array_id", "expected"), [(1, [4, 5, 6]), (0, [4, 5, 6, 9])])
def test_indirect_access_touches_its_array_or_the_whole_file(array_id: int, expected: list[int]) -> None:
    inputs = (
        Declaration(File.IN, 0, 2, semantic=Semantic("GENERIC", 4), interpolation=Interpolation.LINEAR, array_id=1),
        Declaration(File.IN, 3, 3, semantic=Semantic("GENERIC", 9), interpolation=Interpolation.LINEAR),
    )
    read = mov(0, 0, indirect=True)
    read = replace(read, src=(replace(read.src[0], register=replace(read.src[0].register, array_id=array_id)),))
    assert list(collect(Program(Processor.FRAG, inputs, instructions=(read, END)), File.IN)) == expected


def test_index_beyond_a_byte_is_refused_by_name() -> None:
    with pytest.raises(LinkError, match=r"K020.*OUT\[1\] GENERIC\[256\]"):
        collect(vert(("POSITION", 0), ("GENERIC", 256)), File.OUT)


@pytest.mark.parametrize(
    ("members", "cheap", "slots", "rule", "layout"),
    [
        ([], 4, 4, Rule.IDENTITY, [None] * 4),
        ([0, 2], 4, 4, Rule.IDENTITY, [0, None, 2, None]),
        ([3], 4, 4, Rule.IDENTITY, [None, None, None, 3]),
        ([4], 4, 4, Rule.SHIFT, [4, None, None, None]),
        ([252, 255], 4, 4, Rule.SHIFT, [252, None, None, 255]),
        ([0, 4], 4, 4, Rule.COMPACT, [0, 4, None, None]),
        ([31, 32, 63, 64], 4, 8, Rule.COMPACT, [31, 32, 63, 64, None, None, None, None]),
        ([0, 255], 8, 8, Rule.COMPACT, [0, 255, *[None] * 6]),
    ],
)
def test_identity_then_shift_then_compaction(members: list[int], cheap: int, slots: int, rule: Rule, layout: list[int | None]) -> None:
    found = lay_out(SemanticSet.of(members), cheap, slots)
    assert (found.rule, [found.index(slot) for slot in range(slots)]) == (rule, layout)
    table = invert(found)
    assert {i: table[i] for i in range(256) if table[i] != ABSENT} == {
        index: slot for slot, index in enumerate(layout) if index is not None
    }
    assert found.size == max((slot + 1 for slot, index in enumerate(layout) if index is not None), default=0)


def test_more_members_than_slots_is_an_error() -> None:
    with pytest.raises(LinkError, match=r"K021.*9 GENERIC semantics are in use, there are 8 slots"):
        lay_out(SemanticSet.of(range(9)), 8, 8)


@pytest.mark.parametrize(("cheap", "slots"), [(5, 4), (-1, 4), (4, 256)])
def test_impossible_slot_counts_are_refused(cheap: int, slots: int) -> None:
    with pytest.raises(ValueError, match="cheap, slots"):
        lay_out(SemanticSet(), cheap, slots)


def test_all_indices_fit_into_the_largest_layout() -> None:
    members = SemanticSet.of(range(1, 256))
    assert invert(lay_out(members, 255, 255)) == bytes([ABSENT, *range(255)])
