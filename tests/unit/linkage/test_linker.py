"""Relinking in place, and chains of stages."""

from __future__ import annotations

import gc
import time

import pytest

from benchmarks import links
from linkage import Linker, PairCache, link, link_chain, link_stages, linked_program
from linkage.options import link_state
from linkage.relocate import placement, relocations
from tests.unit.linkage.programs import END, frag, mov, vert
from tgsi.language.diagnostics import LinkError
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration
from tgsi.language.program import Program
from tgsi.language.text.parser import parse
from tgsi.language.tokens.encoder import encode

FRAGMENT = frag(*(("GENERIC", i) for i in range(8)))
ORDER = [("POSITION", 0), *(("GENERIC", i) for i in range(8))]


def swapped(first: int, second: int) -> Program:
    order = list(ORDER)
    order[first + 1], order[second + 1] = order[second + 1], order[first + 1]
    return vert(*order)


def test_nothing_is_patched_when_nothing_changed() -> None:
    linker = Linker(FRAGMENT)
    first = linker.link(vert(*ORDER))
    before = linker.counters.patched_fields
    assert linker.link(vert(*ORDER)) is first
    assert linker.counters.patched_fields == before
    assert (linker.counters.links, linker.counters.unchanged) == (2, 1)


def test_patching_starts_at_the_first_difference() -> None:
    linker = Linker(FRAGMENT, copies=1)
    linker.link(vert(*ORDER))
    slots, compared = linker.counters.patched_slots, linker.counters.compared
    linker.link(swapped(5, 7))
    assert linker.counters.patched_slots - slots == 2
    assert linker.counters.compared - compared == 6  # slots 0 to 4 are equal, 5 differs


def test_a_copy_in_use_is_never_patched() -> None:
    linker = Linker(FRAGMENT, copies=2)
    with linker.link(vert(*ORDER)) as held:
        words, generation = held.words.tolist(), held.generation
        for first in range(7):
            assert linker.link(swapped(first, 7)) is not held
        assert (held.words.tolist(), held.generation) == (words, generation)
    assert linker.counters.copies == 2
    assert not held.is_in_use


def test_copies_are_made_when_all_are_held() -> None:
    linker = Linker(FRAGMENT, copies=1)
    held = [linker.link(swapped(i, i + 1)).acquire() for i in range(4)]
    assert len({id(copy) for copy in held}) == linker.counters.copies == 4
    assert [copy.words.tolist() for copy in held] == [list(Linker(FRAGMENT).link(swapped(i, i + 1)).words) for i in range(4)]
    for copy in held:
        copy.release()
    with pytest.raises(ValueError, match="the copy is not in use"):
        held[0].release()


def test_stale_copies_are_counted_and_a_right_one_is_found_again() -> None:
    linker = Linker(FRAGMENT, copies=3)
    linker.link(vert(*ORDER))
    assert linker.stale == 2
    linker.link(swapped(0, 1))
    fields = linker.counters.patched_fields
    linker.link(vert(*ORDER))
    assert linker.counters.patched_fields == fields


def test_a_linked_copy_decodes_to_the_linked_program() -> None:
    linker = Linker(FRAGMENT)
    copy = linker.link(swapped(2, 3))
    assert encode(copy.program()) == encode(linked_program(swapped(2, 3), FRAGMENT))
    assert linker.table() == link(swapped(2, 3), FRAGMENT)


def test_a_link_state_moves_inputs_to_other_outputs() -> None:
    state = link_state({"GENERIC[0]": "GENERIC[7]"}, "state")
    linked = linked_program(vert(*ORDER), frag(("GENERIC", 0), ("GENERIC", 1)), state=state)
    assert [d.first for d in linked.declared(File.IN)] == [8, 2]


def array(size: int) -> Program:
    item = Declaration(File.IN, 0, size - 1, semantic=Semantic("GENERIC"), interpolation=Interpolation.LINEAR, array_id=1)
    return Program(Processor.FRAG, (item, Declaration(File.OUT, 0, 0)), instructions=(*(mov(0, i) for i in range(size)), END))


def test_a_range_moves_in_one_piece() -> None:
    linked = linked_program(vert(("POSITION", 0), ("COLOR", 0), ("GENERIC", 0), ("GENERIC", 1)), array(2))
    assert [(d.first, d.last) for d in linked.declared(File.IN)] == [(2, 3)]


def test_a_range_is_not_torn_apart() -> None:
    with pytest.raises(LinkError, match=r"K022.*IN\[0..1\] moves as a whole, .* IN\[0\] to 0, IN\[1\] to 2"):
        linked_program(vert(("GENERIC", 0), ("POSITION", 0), ("GENERIC", 1)), array(2))


def test_registers_do_not_collide() -> None:
    with pytest.raises(LinkError, match=r"would both become IN\[1\]"):
        placement([(0, 1), (2, 2)], {0: 0, 2: 1})


def test_relocations_name_each_place_once() -> None:
    words = encode(FRAGMENT)
    found = relocations(words, File.IN)
    assert len({(f.word, f.shift) for f in found.fields}) == len(found.fields) == 8 * 3
    assert all(words[f.word] >> f.shift & 0xFFFF == f.anchor + f.bias for f in found.fields)
    assert [words[found.semantics[i].word] >> 8 & 0xFFFF for i in range(8)] == list(range(8))


@pytest.mark.parametrize("words", [[], [2], [0x502, 1, 0x20], [0x102, 1, 0xF]])
def test_broken_streams_are_refused(words: list[int]) -> None:
    with pytest.raises(ValueError, match="words:"):
        relocations(words)


def test_arguments_of_a_linker_are_checked() -> None:
    with pytest.raises(ValueError, match="expected a FRAG program, not VERT"):
        Linker(vert(("POSITION", 0)))
    with pytest.raises(ValueError, match="copies: expected at least 1"):
        Linker(FRAGMENT, copies=0)
    with pytest.raises(ValueError, match="nothing was linked yet"):
        Linker(FRAGMENT).table()


# -- chains -----------------------------------------------------------------------------------------------------------------
CONTROL = parse(
    "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[4]\nDCL OUT[][0], POSITION\n"
    "DCL OUT[][1], GENERIC[5]\nDCL OUT[2], PATCH[3]\nDCL OUT[3], TESSOUTER\nDCL OUT[4], TESSINNER\n"
    "MOV OUT[0][0], IN[0][0]\nMOV OUT[0][1], IN[0][1]\nMOV OUT[2], IN[0][1]\nMOV OUT[3], IN[0][1]\nMOV OUT[4], IN[0][1]\nEND\n"
)
EVALUATION = parse(
    "TESS_EVAL\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[5]\nDCL IN[2], PATCH[3]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[6]\n"
    "MOV OUT[0], IN[0][0]\nADD OUT[1], IN[0][1], IN[2]\nEND\n"
)
GEOMETRY = parse(
    "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 3\n"
    "DCL IN[][0], POSITION\nDCL IN[][1], GENERIC[6]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[7]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
    "MOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][1]\nEMIT IMM[0].xxxx\nENDPRIM IMM[0].xxxx\nEND\n"
)


def test_a_chain_links_pairwise() -> None:
    tables = link_chain(vert(("GENERIC", 4), ("POSITION", 0)), CONTROL, EVALUATION, GEOMETRY, frag(("GENERIC", 7)))
    found = [[(str(row.semantic), row.input_register, row.output_register) for row in table.rows] for table in tables]
    assert found == [
        [("POSITION", 0, 1), ("GENERIC[4]", 1, 0)],
        [("POSITION", 0, 0), ("GENERIC[5]", 1, 1), ("PATCH[3]", 2, 2)],
        [("POSITION", 0, 0), ("GENERIC[6]", 1, 1)],
        [("GENERIC[7]", 0, 1)],
    ]
    assert all(not table.dead_outputs and not table.unmatched_inputs for table in tables)


def test_the_last_pair_of_a_chain_is_linked_for_the_device() -> None:
    assert link_chain(vert(("POSITION", 0)), frag(("GENERIC", 0)), profile="nv50")[0].device is not None
    with pytest.raises(LinkError, match="nv40: the device has no GEOM stage"):
        link_chain(vert(("POSITION", 0)), GEOMETRY, frag(("GENERIC", 7)), profile="nv40")


@pytest.mark.parametrize("pair", [(EVALUATION, CONTROL), (GEOMETRY, EVALUATION), (CONTROL, GEOMETRY), (CONTROL, FRAGMENT)])
def test_stages_in_the_wrong_order_are_refused(pair: tuple[Program, Program]) -> None:
    with pytest.raises(LinkError, match="K005"):
        link_stages(*pair)


def test_a_chain_has_two_programs() -> None:
    with pytest.raises(ValueError, match="expected at least two, not 1"):
        link_chain(FRAGMENT)


def test_pairs_are_remembered_until_forgotten() -> None:
    cache = PairCache(size=2)
    programs = [swapped(i, i + 1) for i in range(3)]
    for program in (programs[0], programs[0], programs[1], programs[0], programs[2], programs[1]):
        assert cache.link(program, FRAGMENT) == link(program, FRAGMENT)
    assert (cache.hits, cache.misses, len(cache)) == (2, 4, 2)


def test_a_new_program_at_an_old_address_is_a_new_pair() -> None:
    cache = PairCache()
    for i in range(20):
        assert cache.link(swapped(i % 7, 7), FRAGMENT) == link(swapped(i % 7, 7), FRAGMENT)
        gc.collect(0)


# -- speed ------------------------------------------------------------------------------------------------------------------
def test_relinking_and_linking_keep_far_below_their_bounds() -> None:
    assert links.links_per_second(pairs=400, rounds=5) > 10_000  # the goal is 20,000 on an idle core
    assert links.relink_microseconds(rounds=3) < 20  # the goal is 10 on an idle core
    start = time.process_time()
    few, many = links.microseconds_by_size((64, 256), 3).values()
    assert many < 8 * few  # 4 would be linear
    assert time.process_time() - start < 20
