"""Linking by semantic: rows, specials, dead outputs, unmatched inputs."""

from __future__ import annotations

import json
import time

import pytest

from linkage import LinkTable, link
from linkage.dump import as_json
from linkage.usage import interface_of
from tgsi.language.diagnostics import LinkError
from tgsi.language.facts.enums import File, Interpolation, Location, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration, DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program


def mov(dst: int, src: int, swizzle: tuple[int, int, int, int] = (0, 1, 2, 3), *, mask: int = 15, indirect: bool = False) -> Instruction:
    address = IndirectRef(File.ADDR, 0) if indirect else None
    source = SrcOperand(RegisterRef(File.IN, src, indirect=address), swizzle)
    return Instruction(OPCODES["MOV"], (DstOperand(RegisterRef(File.OUT, dst), mask),), (source,))


def vert(*outputs: tuple[str, int]) -> Program:
    declarations = tuple(Declaration(File.OUT, i, i, semantic=Semantic(*s)) for i, s in enumerate(outputs))
    return Program(Processor.VERT, (Declaration(File.IN, 0, 0), *declarations), instructions=tuple(mov(i, 0) for i in range(len(outputs))))


def frag(
    *inputs: tuple[str, int], unused: frozenset[int] = frozenset(), interpolation: Interpolation | None = Interpolation.LINEAR
) -> Program:
    declarations = tuple(Declaration(File.IN, i, i, semantic=Semantic(*s), interpolation=interpolation) for i, s in enumerate(inputs))
    reads = tuple(mov(0, i) for i in range(len(inputs)) if i not in unused)
    return Program(Processor.FRAG, (*declarations, Declaration(File.OUT, 0, 0, semantic=Semantic("COLOR"))), instructions=reads)


def registers(table: LinkTable) -> list[tuple[str, int, int | None, int]]:
    return [(str(r.semantic), r.input_register, r.output_register, r.slot) for r in table.rows]


def test_registers_mean_nothing_and_semantics_everything() -> None:
    table = link(vert(("POSITION", 0), ("GENERIC", 7), ("COLOR", 0), ("GENERIC", 3)), frag(("GENERIC", 3), ("COLOR", 0), ("GENERIC", 7)))
    assert registers(table) == [("GENERIC[3]", 0, 3, 0), ("COLOR", 1, 2, 1), ("GENERIC[7]", 2, 1, 2)]
    assert table.position == 0
    assert table.slots == 3
    assert not table.dead_outputs
    assert not table.unmatched_inputs


def test_declared_but_unread_input_takes_no_slot() -> None:
    table = link(vert(("POSITION", 0), ("GENERIC", 0), ("GENERIC", 1)), frag(("GENERIC", 0), ("GENERIC", 1), unused=frozenset({0})))
    assert registers(table) == [("GENERIC[1]", 1, 2, 0)]
    assert [d.output_register for d in table.dead_outputs] == [1]


def test_unmatched_input_keeps_its_slot_and_names_the_nearest_outputs() -> None:
    table = link(vert(("POSITION", 0), ("GENERIC", 9), ("GENERIC", 12)), frag(("GENERIC", 10)))
    assert registers(table) == [("GENERIC[10]", 0, None, 0)]
    assert table.unmatched_inputs[0].nearest == (Semantic("GENERIC", 9), Semantic("GENERIC", 12))


def test_texcoord_is_offered_for_generic_of_the_same_index() -> None:
    table = link(vert(("POSITION", 0), ("TEXCOORD", 2)), frag(("GENERIC", 2)))
    assert table.unmatched_inputs[0].nearest == (Semantic("TEXCOORD", 2),)


def test_unmatched_input_is_an_error_when_asked_for() -> None:
    with pytest.raises(LinkError, match=r"K004.*GENERIC\[1\]"):
        link(vert(("POSITION", 0)), frag(("GENERIC", 1)), unmatched="error")


def test_special_inputs_need_no_slot() -> None:
    table = link(vert(("POSITION", 0)), frag(("POSITION", 0), ("FACE", 0), ("PCOORD", 0), ("PRIM_ID", 0)))
    assert table.rows == ()
    assert [s.semantic.name for s in table.specials] == ["POSITION", "FACE", "PCOORD", "PRIM_ID"]
    assert [s.input_register for s in table.specials] == [0, 1, 2, 3]


def test_special_outputs_are_named_and_never_dead() -> None:
    outputs = (
        ("PSIZE", 0), ("POSITION", 0), ("LAYER", 0), ("VIEWPORT_INDEX", 0), ("EDGEFLAG", 0), ("CLIPVERTEX", 0),
        ("CLIPDIST", 0), ("CLIPDIST", 1), ("BCOLOR", 0), ("BCOLOR", 1),
    )  # fmt: skip
    table = link(vert(*outputs), frag())
    assert (table.point_size, table.position, table.layer, table.viewport, table.edge_flag, table.clip_vertex) == (0, 1, 2, 3, 4, 5)
    assert table.clip_distance == (6, 7)
    assert table.back == {0: 8, 1: 9}
    assert table.dead_outputs == ()


def test_second_clip_distance_without_the_first_keeps_its_place() -> None:
    assert link(vert(("POSITION", 0), ("CLIPDIST", 1)), frag()).clip_distance == (None, 1)


def test_back_color_pairs_with_color_of_its_index() -> None:
    table = link(vert(("POSITION", 0), ("COLOR", 0), ("BCOLOR", 0), ("COLOR", 1)), frag(("COLOR", 0), ("COLOR", 1)))
    assert [table.back_register(row) for row in table.rows] == [2, 3]


def test_color_without_front_output_reads_the_back_color() -> None:
    table = link(vert(("POSITION", 0), ("BCOLOR", 1)), frag(("COLOR", 1)))
    assert registers(table) == [("COLOR[1]", 0, 1, 0)]
    assert [d.code for d in table.findings] == ["K013"]


def test_ranges_count_semantic_indices_up() -> None:
    position, generics = (
        Declaration(File.OUT, *r, semantic=s) for r, s in (((0, 0), Semantic("POSITION")), ((1, 4), Semantic("GENERIC", 30)))
    )
    vertex = Program(Processor.VERT, (position, generics))
    table = link(vertex, frag(("GENERIC", 33), ("GENERIC", 30), interpolation=Interpolation.PERSPECTIVE))
    assert [r.output_register for r in table.rows] == [4, 1]


@pytest.mark.parametrize("array_id", [0, 1])
def test_indirect_read_keeps_the_whole_array(array_id: int) -> None:
    declarations = (
        Declaration(File.IN, 0, 2, semantic=Semantic("GENERIC", 0), interpolation=Interpolation.LINEAR, array_id=1),
        Declaration(File.IN, 3, 3, semantic=Semantic("GENERIC", 9), interpolation=Interpolation.LINEAR),
    )
    source = SrcOperand(RegisterRef(File.IN, 0, indirect=IndirectRef(File.ADDR, 0), array_id=array_id))
    body = (Instruction(OPCODES["MOV"], (DstOperand(RegisterRef(File.OUT, 0)),), (source,)),)
    table = link(vert(("POSITION", 0), ("GENERIC", 1)), Program(Processor.FRAG, declarations, instructions=body))
    assert [r.input_register for r in table.rows] == ([0, 1, 2] if array_id else [0, 1, 2, 3])


def test_usage_mask_follows_write_mask_and_swizzle() -> None:
    base = frag(("GENERIC", 0), ("GENERIC", 1), unused=frozenset({0, 1}))
    body = (mov(0, 0, (3, 3, 0, 0), mask=0b0101), mov(0, 1, (1, 1, 1, 1), mask=1), mov(0, 1, (2, 2, 2, 2), mask=8))
    program = Program(Processor.FRAG, base.declarations, instructions=body)
    assert [i.usage_mask for i in interface_of(program).varyings] == [0b1001, 0b0110]


@pytest.mark.parametrize(
    ("opcode", "target", "mask"),
    [("DP3", None, 7), ("DP2", None, 3), ("RCP", None, 1), ("TEX", "2D", 3), ("TEX", "SHADOW1D", 5), ("TEX", "CUBE", 7), ("TXP", "2D", 11)],
)
def test_opcodes_read_only_the_channels_that_they_need(opcode: str, target: str | None, mask: int) -> None:
    info = OPCODES[opcode]
    sources = (SrcOperand(RegisterRef(File.IN, 0)), *(SrcOperand(RegisterRef(File.TEMP, 0)),) * (info.num_src - 1))
    body = (Instruction(info, (DstOperand(RegisterRef(File.OUT, 0)),), sources, texture=target),)
    program = Program(Processor.FRAG, (Declaration(File.IN, 0, 0, semantic=Semantic("GENERIC")),), instructions=body)
    assert interface_of(program).varyings[0].usage_mask == mask


def test_color_without_interpolation_follows_flatshade_and_others_are_constant() -> None:
    table = link(vert(("POSITION", 0), ("COLOR", 0), ("GENERIC", 0)), frag(("COLOR", 0), ("GENERIC", 0), interpolation=None))
    assert [r.interpolation for r in table.rows] == [Interpolation.COLOR, Interpolation.CONSTANT]
    assert [d.code for d in table.findings] == ["K012"]


def test_layer_is_flat_whatever_is_declared() -> None:
    table = link(vert(("POSITION", 0), ("LAYER", 0)), frag(("LAYER", 0)))
    assert table.rows[0].interpolation is Interpolation.CONSTANT
    assert table.layer == table.rows[0].output_register == 1


def test_location_is_carried() -> None:
    declaration = Declaration(File.IN, 0, 0, semantic=Semantic("GENERIC"), interpolation=Interpolation.LINEAR, location=Location.CENTROID)
    table = link(vert(("POSITION", 0)), Program(Processor.FRAG, (declaration,), instructions=(mov(0, 0),)))
    assert table.rows[0].location is Location.CENTROID


def test_sprite_bits_select_generic_slots() -> None:
    table = link(vert(("POSITION", 0)), frag(("COLOR", 0), ("GENERIC", 5), ("GENERIC", 0), ("TEXCOORD", 0)))
    assert table.sprite_slots(1 << 5 | 1) == (1, 2)
    assert table.sprite_slots(1, texcoord=True) == (3,)


def test_wrong_stages_are_refused() -> None:
    with pytest.raises(LinkError, match="K001") as caught:
        link(frag(), vert(("POSITION", 0)))
    assert [d.code for d in caught.value.diagnostics] == ["K001", "K002"]


def test_two_outputs_of_one_semantic_are_refused() -> None:
    with pytest.raises(LinkError, match=r"K003.*OUT\[1\] and OUT\[2\] both carry GENERIC\[4\]"):
        link(vert(("POSITION", 0), ("GENERIC", 4), ("GENERIC", 4)), frag())


def test_unknown_profile_names_those_that_exist() -> None:
    with pytest.raises(ValueError, match="there are: software, nv30"):
        link(vert(("POSITION", 0)), frag(), "nv41")


@pytest.mark.parametrize("index", [31, 32, 63, 64, 216, 217, 218, 219, 255, 65535])
def test_any_generic_index_links(index: int) -> None:
    table = link(vert(("GENERIC", index), ("POSITION", 0), ("GENERIC", index - 1)), frag(("GENERIC", index)))
    assert registers(table) == [(f"GENERIC[{index}]", 0, 0, 0)]


def test_dump_shows_registers_semantics_slots_and_warnings() -> None:
    vertex = vert(("POSITION", 0), ("COLOR", 0), ("BCOLOR", 0), ("GENERIC", 3), ("GENERIC", 4))
    text = str(link(vertex, frag(("GENERIC", 3), ("COLOR", 0), ("GENERIC", 5), ("FACE", 0))))
    assert text.splitlines() == [
        "profile software: 3 slots",
        "  slot  fragment  semantic    reads  from                  channels  interpolation",
        "  0     IN[0]     GENERIC[3]  .xyzw  OUT[3]                xyzw      LINEAR",
        "  1     IN[1]     COLOR       .xyzw  OUT[1] / back OUT[2]  xyzw      LINEAR",
        "  2     IN[2]     GENERIC[5]  .xyzw  nothing               0001      LINEAR",
        "rasterizer takes: POSITION OUT[0], BCOLOR[0] OUT[2]",
        "rasterizer gives: IN[3] FACE",
        "warning[K010]: IN[2] GENERIC[5] has no output to read from; it reads 0, 0, 0, 1; did you mean GENERIC[4] or GENERIC[3]?",
        "note[K011]: OUT[4] GENERIC[4] is never read",
    ]


def test_json_form_is_plain_data() -> None:
    data = as_json(link(vert(("POSITION", 0), ("GENERIC", 0)), frag(("GENERIC", 0))))
    assert json.loads(json.dumps(data)) == data
    assert data["rows"][0]["output_register"] == 1


def test_linking_is_fast_enough_for_twenty_thousand_pairs_a_second() -> None:
    vertex = vert(("POSITION", 0), *(("GENERIC", i) for i in range(16)))
    fragment = frag(*(("GENERIC", 15 - i) for i in range(16)))
    link(vertex, fragment)
    best = 1.0
    for _ in range(20):
        start = time.process_time()
        for _ in range(50):
            link(vertex, fragment)
        best = min(best, (time.process_time() - start) / 50)
    assert best < 150e-6  # 50 us is the goal on a free core; this bound only catches a change of complexity
