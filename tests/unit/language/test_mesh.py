"""Task and mesh programs in the language: rows of their outputs, tokens, builder, listings, and the owners of numbers."""

from __future__ import annotations

import json

import pytest

from passes.validate import check
from tgsi.language.builder.program_builder import ProgramBuilder
from tgsi.language.diagnostics import ParseError
from tgsi.language.facts.enums import File, MemoryType, Primitive, Processor
from tgsi.language.facts.numbers import FIELDS, free, owners
from tgsi.language.facts.semantics import MESH_SEMANTICS, PRIMITIVE_SEMANTICS, SEMANTICS, VERTEX_SEMANTICS
from tgsi.language.facts.stages import BLOCK_STAGES, LAST_STAGES, MESH_PIPELINE, PIPELINE, ROW_STAGES, STAGES
from tgsi.language.ir import Declaration, IndirectRef, RegisterRef
from tgsi.language.listing import program_as_json
from tgsi.language.mesh import mesh_layout, payload_registers
from tgsi.language.printer import print_program
from tgsi.language.program import Program
from tgsi.language.text.dumper import dump_mesa
from tgsi.language.text.parser import parse
from tgsi.language.tokens.decoder import decode
from tgsi.language.tokens.encoder import encode

SIZES = "".join(f"PROPERTY CS_FIXED_BLOCK_{axis} {size}\n" for axis, size in (("WIDTH", 8), ("HEIGHT", 2), ("DEPTH", 1)))
MESH = f"""MESH
{SIZES}PROPERTY MS_OUTPUT_PRIMITIVE LINES
PROPERTY MS_MAX_OUTPUT_VERTICES 64
PROPERTY MS_MAX_OUTPUT_PRIMITIVES 32
DCL OUT[][0], POSITION
DCL OUT[][1..2], ARRAY(1), GENERIC[0], PRIMITIVE
DCL OUT[][3], GENERIC[4]
DCL OUT[][4], PRIMITIVE_INDICES, PRIMITIVE
DCL MEMORY[2], PAYLOAD
IMM[0] UINT32 {{2, 1, 0, 0}}
SET_MESH_OUTPUTS IMM[0].xyyy
MOV OUT[0][4].xy, IMM[0].zyyy
END
"""


def test_rows_of_vertices_and_primitives_follow_from_the_declarations() -> None:
    layout = mesh_layout(parse(MESH))
    assert (layout.primitive, layout.corners) == (Primitive.LINES, 2)
    assert (layout.max_vertices, layout.max_primitives) == (64, 32)
    assert (layout.vertex_registers, layout.first_primitive, layout.primitive_registers) == (4, 1, 4)
    assert layout.per_primitive == {1, 2, 4}
    assert layout.indices == 4
    assert [layout.rows(kind) for kind in (False, True)] == [64, 32]


def test_an_indexed_output_belongs_where_its_array_does() -> None:
    layout, address = mesh_layout(parse(MESH)), IndirectRef(File.ADDR, 0)
    assert layout.is_per_primitive(RegisterRef(File.OUT, 1, indirect=address, array_id=1))
    assert not layout.is_per_primitive(RegisterRef(File.OUT, 1, indirect=address))
    assert layout.is_per_primitive(RegisterRef(File.OUT, 4))
    assert not layout.is_per_primitive(RegisterRef(File.OUT, 3))


@pytest.mark.parametrize("text", ["MESH\nEND\n", "FRAG\nDCL OUT[0], COLOR\nEND\n"])
def test_any_program_has_a_layout(text: str) -> None:
    layout = mesh_layout(parse(text))
    assert (layout.primitive, layout.max_vertices, layout.primitive_registers, layout.indices) == (Primitive.TRIANGLES, 0, 0, -1)


def test_the_payload_is_a_memory_register() -> None:
    assert payload_registers(parse(MESH)) == {2}


def test_text_tokens_and_dump_keep_a_mesh_program() -> None:
    program = parse(MESH)
    assert not check(program)
    assert parse(print_program(program)) == program
    assert decode(encode(program)) == program
    assert dump_mesa(program) == print_program(program)


def test_primitive_and_payload_are_bit_29_of_a_declaration() -> None:
    output = Declaration(File.OUT, 0, 0, per_primitive=True)
    memory = Declaration(File.MEMORY, 0, 0, memory=MemoryType.PAYLOAD)
    words = encode(Program(Processor.MESH, (output, memory)))
    assert words[1:3] == (7, 2 << 4 | 3 << 12 | 15 << 16 | 1 << 29)
    assert words[4] == 2 << 4 | 12 << 12 | 15 << 16 | 1 << 29


@pytest.mark.parametrize("kind", [5, 6, 7])
def test_other_kinds_of_memory_are_no_tokens(kind: int) -> None:
    words = encode(Program(Processor.COMP, (Declaration(File.MEMORY, 0, 0, memory=MemoryType.GLOBAL),)))
    with pytest.raises(ParseError, match=f"there is no kind of memory {kind}"):
        decode((*words[:2], words[2] | kind << 27, *words[3:]))


def test_the_builder_makes_a_task_and_a_mesh_program() -> None:
    task = ProgramBuilder("TASK")
    mesh = ProgramBuilder("MESH")
    for builder in (task, mesh):
        for axis in ("WIDTH", "HEIGHT", "DEPTH"):
            builder.property(f"CS_FIXED_BLOCK_{axis}", 4)
    task.property("TS_PAYLOAD_BYTES", 64)
    task.STORE(task.memory("PAYLOAD").x, 0, task.system_value("BLOCK_ID"))
    task.EMIT_MESH_TASKS((3, 1, 1))
    mesh.property("MS_MAX_OUTPUT_VERTICES", 3)
    mesh.property("MS_MAX_OUTPUT_PRIMITIVES", 1)
    position, indices = mesh.output("POSITION"), mesh.output("PRIMITIVE_INDICES", per_primitive=True)
    mesh.SET_MESH_OUTPUTS((3, 1))
    mesh.MOV(indices[0].xyz, mesh.immediate(0, 1, 2, kind="uint"))
    mesh.MOV(position, 1.0)
    for builder in (task, mesh):
        assert not check(builder.build())
        assert parse(print_program(builder.build())) == builder.build()
    assert "DCL OUT[][1], PRIMITIVE_INDICES, PRIMITIVE" in print_program(mesh.build())


def test_json_says_which_outputs_exist_once_a_primitive() -> None:
    listed = json.loads(json.dumps(program_as_json(parse(MESH))))
    assert [item.get("per_primitive", False) for item in listed["declarations"]] == [False, True, False, True, False]


def test_task_and_mesh_stand_in_place_of_the_stages_from_vertices_on() -> None:
    assert MESH_PIPELINE == (Processor.TASK, Processor.MESH, Processor.FRAG)
    assert set(PIPELINE) & set(MESH_PIPELINE) == {Processor.FRAG}
    assert LAST_STAGES[-1] is Processor.MESH
    assert {Processor.COMP, Processor.TASK, Processor.MESH} == BLOCK_STAGES
    assert Processor.MESH not in ROW_STAGES
    assert STAGES[Processor.TASK].needs is Processor.MESH


def test_no_output_exists_once_a_vertex_and_once_a_primitive() -> None:
    assert SEMANTICS.keys() > VERTEX_SEMANTICS | PRIMITIVE_SEMANTICS
    assert not VERTEX_SEMANTICS & PRIMITIVE_SEMANTICS
    assert {name for name in MESH_SEMANTICS if SEMANTICS[name].is_later} == MESH_SEMANTICS


def test_no_number_has_two_owners() -> None:
    for field in FIELDS:
        assert not field.ours.keys() & field.foreign.keys(), field.name
        assert not set(free(field)) & owners(field).keys()


def test_what_is_left_is_two_opcodes_one_file_and_two_bits() -> None:
    left = {field.name: free(field) for field in FIELDS}
    assert left["opcode"] == [254, 255]
    assert left["register file"] == [15]
    assert left["bit of a declaration"] == [30, 31]
    assert left["semantic"][0] == 51
    assert left["property"][0] == 37
