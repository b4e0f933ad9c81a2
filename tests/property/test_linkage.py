"""Patched tokens equal newly encoded ones, and a relink equals a fresh link."""

from __future__ import annotations

from array import array
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from linkage.link import link
from linkage.linker import Linker, OutputLinker, linked_program
from linkage.relocate import patch, placement, relocations
from linkage.sm3 import PLAIN
from passes.lower.registers import move_registers
from tests.property.language_strategies import programs
from tests.unit.linkage.programs import frag, vert
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.tokens.encoder import encode

BOUNDARIES = [0, 1, 31, 32, 63, 64, 216, 217, 218, 219, 255]
GENERICS = st.sampled_from(BOUNDARIES) | st.integers(0, 300)
NAMES = st.tuples(st.just("GENERIC"), GENERICS) | st.sampled_from([("COLOR", 0), ("COLOR", 1), ("BCOLOR", 0), ("FOG", 0), ("TEXCOORD", 3)])
INPUTS = st.lists(NAMES.filter(lambda s: s[0] != "BCOLOR"), unique=True, max_size=12)
OUTPUTS = st.lists(NAMES, unique=True, max_size=12)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Program, Program]:
    inputs = draw(INPUTS)
    kept = draw(st.sets(st.integers(0, 12)))
    outputs = list(dict.fromkeys([*(s for i, s in enumerate(inputs) if i in kept), *draw(OUTPUTS)]))
    order = draw(st.permutations([("POSITION", 0), *outputs]))
    return vert(*order), frag(*inputs, unused=frozenset(draw(st.sets(st.integers(0, 12)))))


@settings(deadline=None, max_examples=60, derandomize=True)
@given(programs(), st.sampled_from([File.IN, File.OUT, File.TEMP, File.CONST]), st.integers(0, 40))
def test_patching_any_program_equals_encoding_it_anew(program: Program, file: File, distance: int) -> None:
    words = array("I", encode(program))
    found = relocations(words, file)
    used = {item.anchor for item in found.fields}
    mapping = {register: register + distance for register in used}
    patch(words, found.fields, mapping)
    assert tuple(words) == encode(move_registers(program, file, mapping))


@settings(deadline=None, max_examples=60, derandomize=True)
@given(pairs())
def test_patched_tokens_are_those_of_the_linked_program(pair: tuple[Program, Program]) -> None:
    vertex, fragment = pair
    assert tuple(Linker(fragment).link(vertex).words) == encode(linked_program(vertex, fragment))


@settings(deadline=None, max_examples=60, derandomize=True)
@given(pairs())
def test_linked_inputs_have_the_number_of_the_output_that_feeds_them(pair: tuple[Program, Program]) -> None:
    vertex, fragment = pair
    linked = linked_program(vertex, fragment)
    outputs = {str(d.semantic): d.first for d in vertex.declared(File.OUT)}
    table = link(vertex, fragment)
    by_semantic = {row.semantic: row for row in table.rows}
    taken = set()
    for item in linked.declared(File.IN):
        assert item.semantic is not None
        row = by_semantic.get(item.semantic)
        if row is not None and row.output_register is not None:
            assert item.first == row.output_register
        elif row is not None:
            assert item.first >= len(outputs)
        assert item.first not in taken
        taken.add(item.first)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(pairs())
def test_outputs_can_move_to_the_inputs_that_they_feed(pair: tuple[Program, Program]) -> None:
    vertex, fragment = pair
    before, moved = link(vertex, fragment), linked_program(vertex, fragment, moved="vertex")
    assert tuple(OutputLinker(vertex).link(fragment).words) == encode(moved)
    after = link(moved, fragment)
    assert [(row.semantic, row.output_register is None) for row in after.rows] == [
        (row.semantic, row.output_register is None) for row in before.rows
    ]
    assert all(row.output_register in (None, row.input_register) for row in after.rows)
    fed = {row.output_register for row in after.rows}
    free = [item.first for item in moved.declared(File.OUT) if item.first not in fed]
    assert min(free, default=99) >= fragment.file_size(File.IN)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(pairs(), st.lists(OUTPUTS, min_size=1, max_size=5))
def test_a_relink_equals_a_fresh_link(pair: tuple[Program, Program], others: list[list[tuple[str, int]]]) -> None:
    vertex, fragment = pair
    linker = Linker(fragment, copies=3)
    for program in (vertex, *(vert(("POSITION", 0), *outputs) for outputs in others), vertex):
        assert linker.link(program).words == Linker(fragment).link(program).words
        assert linker.table() == link(program, fragment)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(pairs(), st.permutations(range(13)))
def test_renumbering_both_programs_by_hand_changes_no_link(pair: tuple[Program, Program], numbers: list[int]) -> None:
    vertex, fragment = pair
    before = {row.semantic: row.output_register for row in link(vertex, fragment).rows}
    count = len(vertex.declared(File.OUT))
    order = sorted(range(count), key=lambda register: numbers[register % 13] * 100 + register)
    mapping = {register: place for place, register in enumerate(order)}
    after = {row.semantic: row.output_register for row in link(move_registers(vertex, File.OUT, mapping), fragment).rows}
    assert after == {semantic: None if register is None else mapping[register] for semantic, register in before.items()}


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.dictionaries(st.integers(0, 30), st.integers(0, 60), max_size=12))
def test_placement_keeps_registers_apart(wanted: dict[int, int]) -> None:
    targets = {register: place for place, register in {place: register for register, place in wanted.items()}.items()}
    mapping = placement([(register, register) for register in range(31)], targets)
    assert len(set(mapping.values())) == 31
    assert all(mapping[register] == place for register, place in targets.items())


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 223))
def test_shader_model_names_come_back_from_their_byte(byte: int) -> None:
    assert PLAIN.byte(PLAIN.semantic(byte)) == byte


@settings(deadline=None, max_examples=60, derandomize=True)
@given(pairs())
def test_spans_do_not_change_a_link(pair: tuple[Program, Program]) -> None:
    vertex, fragment = pair
    assert link(replace(vertex), replace(fragment)) == link(vertex, fragment)
