"""Links of task and mesh programs."""

from __future__ import annotations

import json

import pytest

from linkage import link, link_chain, link_stages
from linkage.dump import as_json
from linkage.profiles import PROFILES
from passes.lower.clamp import Clamp, clamp_colors
from passes.lower.face import face_from_back_color
from tests.unit.linkage.programs import frag, vert
from tgsi.language.diagnostics import LinkError, UnsupportedError
from tgsi.language.facts.enums import Interpolation
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

SIZES = "".join(f"PROPERTY CS_FIXED_BLOCK_{axis} 4\n" for axis in ("WIDTH", "HEIGHT", "DEPTH"))


def task(payload: int = 16) -> Program:
    return parse(f"TASK\n{SIZES}PROPERTY TS_PAYLOAD_BYTES {payload}\nDCL MEMORY[0], PAYLOAD\nEND\n")


def mesh(shared: int = 0) -> Program:
    return parse(
        f"MESH\n{SIZES}PROPERTY MS_MAX_OUTPUT_VERTICES 4\nPROPERTY MS_MAX_OUTPUT_PRIMITIVES 2\nPROPERTY MS_SHARED_BYTES {shared}\n"
        "DCL OUT[][0], POSITION\nDCL OUT[][1], GENERIC[0], PRIMITIVE\nDCL OUT[][2], GENERIC[1]\n"
        "DCL OUT[][3], PRIMITIVE_INDICES, PRIMITIVE\nDCL OUT[][4], LAYER, PRIMITIVE\nDCL OUT[][5], COLOR\nEND\n"
    )


FRAGMENT = frag(("GENERIC", 0), ("GENERIC", 1), ("LAYER", 0), ("COLOR", 0))


def test_an_input_that_exists_once_a_primitive_is_constant() -> None:
    table = link(mesh(), FRAGMENT)
    assert [(row.output_register, row.per_primitive) for row in table.rows] == [(1, True), (2, False), (4, True), (5, False)]
    assert [row.interpolation for row in table.rows] == [
        Interpolation.CONSTANT,
        Interpolation.LINEAR,
        Interpolation.CONSTANT,
        Interpolation.LINEAR,
    ]
    assert (table.position, table.layer) == (0, 4)
    assert not table.dead_outputs
    assert str(table).count("once a primitive") == 2


def test_json_of_a_link_says_what_exists_once_a_primitive() -> None:
    rows = json.loads(json.dumps(as_json(link(mesh(), FRAGMENT))))["rows"]
    assert [row.get("per_primitive") for row in rows] == [True, None, True, None]


def test_a_chain_of_task_mesh_and_fragment_program_links() -> None:
    first, second = link_chain(task(), mesh(), FRAGMENT)
    assert (first.rows, first.dead_outputs, first.unmatched_inputs) == ((), (), ())
    assert len(second.rows) == 4


def test_payload_and_shared_memory_of_a_mesh_workgroup_are_bounded_together() -> None:
    link_stages(task(8192), mesh(24576))
    with pytest.raises(LinkError, match="K006"):
        link_stages(task(8196), mesh(24576))


@pytest.mark.parametrize("pair", [(task(), FRAGMENT), (mesh(), task()), (vert(("POSITION", 0)), mesh()), (task(), vert(("POSITION", 0)))])
def test_stages_of_two_pipelines_do_not_mix(pair: tuple[Program, Program]) -> None:
    with pytest.raises(LinkError, match=r"(?s)K005.*or TASK, MESH, FRAG.*TASK stands right before MESH"):
        link_stages(*pair)


@pytest.mark.parametrize("profile", sorted(set(PROFILES) - {"software"}))
def test_no_other_device_has_mesh_programs(profile: str) -> None:
    with pytest.raises(LinkError, match="the device has no MESH stage"):
        link(mesh(), FRAGMENT, profile)


def test_a_task_does_not_stand_before_the_rasterizer() -> None:
    with pytest.raises(LinkError, match="K001"):
        link(task(), FRAGMENT)


def test_lowerings_that_end_each_vertex_refuse_mesh_programs() -> None:
    with pytest.raises(UnsupportedError, match="B001"):
        clamp_colors(mesh(), Clamp.ALWAYS)
    assert clamp_colors(mesh(), Clamp.NEVER) == mesh()
    face = parse("FRAG\nDCL IN[0], FACE, CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n")
    with pytest.raises(UnsupportedError, match="B001"):
        face_from_back_color(mesh(), face)


def test_only_the_stage_before_the_rasterizer_has_to_write_a_position() -> None:
    first, second = link_chain(
        task(), parse(f"MESH\n{SIZES}PROPERTY MS_MAX_OUTPUT_VERTICES 4\nPROPERTY MS_MAX_OUTPUT_PRIMITIVES 2\nEND\n"), frag()
    )
    assert "K014" not in [item.code for item in first.findings]
    assert "K014" in [item.code for item in second.findings]
