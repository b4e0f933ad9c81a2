"""Lowered task and mesh programs: the reads and writes of ISBE that the notes describe, and refused programs."""

from __future__ import annotations

import re

import pytest

from backends.nvk.lower.binding import calls_of
from backends.nvk.lower.code import Code, IsbeRead, IsbeWrite, print_item
from backends.nvk.lower.lowering import lower_mesh, lower_task
from backends.nvk.methods.words import decode, encode
from tests.unit.nvk.programs import accesses, body, mesh, mesh_code, task, task_code
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction
from tgsi.language.program import Program

TASK = task()
POSITION_ONLY = "DCL OUT[][0], POSITION\nDCL OUT[][1], PRIMITIVE_INDICES, PRIMITIVE\n"
ONE_ROW = POSITION_ONLY + "DCL OUT[][2], {name}, PRIMITIVE\n"


def of_mesh(*lines: str, outputs: str = POSITION_ONLY, shared: int = 0) -> list[str]:
    """Items that a mesh program's lines become."""
    return body(mesh_code(*lines, outputs=outputs, shared=shared), mesh_code(outputs=outputs, shared=shared))


def of_task(*lines: str, payload: int = 20, shared: int = 8) -> list[str]:
    """Items that a task program's lines become."""
    return body(task_code(*lines, payload=payload, shared=shared), task_code(payload=payload, shared=shared))


@pytest.mark.parametrize(
    ("code", "read"),
    [
        (task_code(), "ISBERD.I.ATTR.32.SKEW [0x00]"),
        (mesh_code(), "ISBERD.I.ATTR.32.SKEW [0x00]"),
        (mesh_code(after=TASK), "ISBERD.I.ATTR.32 [0x00]"),
    ],
)
def test_the_number_of_the_workgroup_is_read_first_and_skewed_unless_a_task_stands_before(code: Code, read: str) -> None:
    assert print_item(code.items[0]).startswith(f"{read}, ")


def test_the_grid_comes_from_the_task_or_from_a_constant() -> None:
    assert [text for text in accesses(mesh_code(after=TASK)) if ".I." in text][1:] == [
        "ISBERD.I.ATTR.32 [0x08], TEMP[9].y",
        "ISBERD.I.ATTR.32 [0x0c], TEMP[9].z",
        "ISBERD.I.ATTR.32 [0x10], TEMP[9].w",
    ]
    assert "CONST[15][0].yyyy" in str(mesh_code())
    assert len([text for text in accesses(mesh_code()) if ".I." in text]) == 1


def test_thread_0_writes_the_number_of_workgroups_and_their_sizes() -> None:
    *_, count, first, second, third = of_task("EMIT_MESH_TASKS IMM[0].yzwx")
    assert re.fullmatch(r"@TEMP\[4\]\.x ISBEWR\.O\.ATTR\.32 \[0x04\], TEMP\[\d+\]\.[xyzw]", count)
    assert (first, second, third) == (
        "@TEMP[4].x ISBEWR.O.ATTR.32 [0x08], IMM[0].y",
        "@TEMP[4].x ISBEWR.O.ATTR.32 [0x0c], IMM[0].z",
        "@TEMP[4].x ISBEWR.O.ATTR.32 [0x10], IMM[0].w",
    )


def test_thread_0_writes_the_number_of_primitives_at_3_of_map_and_the_number_of_vertices_nowhere() -> None:
    least, write = of_mesh("SET_MESH_OUTPUTS IMM[0].zwxx")
    assert least.startswith("UMIN TEMP[")
    assert re.fullmatch(r"@TEMP\[4\]\.x ISBEWR\.O\.MAP\.32 \[0x03\], TEMP\[\d+\]\.[xyzw]", write)


def test_the_payload_begins_at_0x20_and_shared_memory_at_the_next_line() -> None:
    assert of_task("STORE MEMORY[1].xy, IMM[0].xxxx, IMM[2]") == [
        "ISBEWR.O.ATTR.32 [0x20], IMM[2].x",
        "ISBEWR.O.ATTR.32 [0x24], IMM[2].y",
    ]
    assert of_task("STORE MEMORY[0].x, IMM[1].xxxx, IMM[2]", payload=100) == ["ISBEWR.O.ATTR.32 [0x104], IMM[2].x"]


def test_a_mesh_program_reads_the_payload_from_its_input() -> None:
    texts = accesses(mesh_code("LOAD TEMP[0].x, MEMORY[1], IMM[1].zzzz", after=task(payload=20)))
    assert texts[-1].startswith("ISBERD.I.ATTR.32 [0x30], ")


def test_known_words_beyond_the_memory_are_not_touched() -> None:
    assert of_task("STORE MEMORY[1].xy, IMM[1].zzzz, IMM[2]", payload=20) == ["ISBEWR.O.ATTR.32 [0x30], IMM[2].x"]
    assert not any("ISBERD" in text for text in of_task("LOAD TEMP[0], MEMORY[0], IMM[1].yyyy", shared=8))


def test_computed_addresses_are_guarded_by_a_predicate() -> None:
    *_, write = of_task("STORE MEMORY[1].x, TEMP[0].xxxx, IMM[2]")
    assert re.fullmatch(r"@TEMP\[\d+\]\.[xyzw] ISBEWR\.O\.ATTR\.32 \[TEMP\[\d+\]\.[xyzw]\+0x20\], IMM\[2\]\.x", write)


def test_atomics_on_shared_memory_become_a_loop_over_the_lanes() -> None:
    texts = of_task("ATOMUADD TEMP[0].x, MEMORY[0], IMM[0].xxxx, IMM[0].yyyy")
    assert [text for text in texts if text.startswith(("BGNLOOP", "BRK", "ENDLOOP"))] == ["BGNLOOP", "BRK", "ENDLOOP"]
    assert [text.split()[1] for text in texts if text.startswith("@")] == ["ISBERD.O.ATTR.32", "ISBEWR.O.ATTR.32"]
    assert not any("MEMORY" in text for text in texts)


def test_a_vertex_attribute_is_a_skewed_write_at_its_row_and_offset() -> None:
    assert of_mesh("MOV OUT[3][0].yz, IMM[2]")[1:] == [
        "ISBEWR.O.ATTR.32.SKEW [0x34], TEMP[9].y",
        "ISBEWR.O.ATTR.32.SKEW [0x38], TEMP[9].z",
    ]


def test_a_primitive_attribute_follows_the_vertices() -> None:
    texts = of_mesh("MOV OUT[2][2].x, IMM[2]", outputs=ONE_ROW.format(name="LAYER"))
    assert texts[1:] == ["ISBEWR.O.ATTR.32.SKEW.PRIM [0x208], TEMP[9].x"]


def test_vertex_numbers_are_bytes_of_map_from_4() -> None:
    assert of_mesh("MOV OUT[5][1], IMM[2]")[1:] == [
        "ISBEWR.O.MAP.8 [0x13], TEMP[9].x",
        "ISBEWR.O.MAP.8 [0x14], TEMP[9].y",
        "ISBEWR.O.MAP.8 [0x15], TEMP[9].z",
    ]


def test_a_row_that_does_not_exist_is_not_written() -> None:
    assert [text for text in of_mesh("MOV OUT[8][0], IMM[2]", "MOV OUT[6][1], IMM[2]") if "ISBEWR" in text] == []


def test_an_output_without_a_row_belongs_to_the_own_thread() -> None:
    texts = of_mesh("MOV OUT[0].x, IMM[2]")
    assert texts[1].startswith("UMUL")
    assert "SV[4].xxxx" in texts[1]
    assert texts[2].startswith("ISBEWR.O.ATTR.32.SKEW [TEMP[")


@pytest.mark.parametrize(("name", "written"), [("VIEWPORT_INDEX", 0), ("VIEWPORT_MASK", 0), ("CULL_PRIMITIVE", 4)])
def test_viewport_and_cull_write_a_copy_in_shared_memory_and_the_mask(name: str, written: int) -> None:
    texts = [text for text in of_mesh("MOV OUT[1][2].x, IMM[2]", outputs=ONE_ROW.format(name=name), shared=12) if "ISBE" in text]
    copies = 0x200 + 128 + 16 + 8  # a block of vertices, one of primitives, shared memory in words of 8 bytes, one primitive
    assert texts[0].startswith(f"ISBEWR.O.ATTR.32 [{copies + written:#x}], ")
    assert texts[1].startswith(f"ISBERD.O.ATTR.32 [{copies + 4 - written:#x}], ")
    assert texts[2].startswith("ISBEWR.O.ATTR.32.SKEW.PRIM [0x204], ")


def test_the_copies_take_8_bytes_a_primitive_and_count_as_shared_memory() -> None:
    lowered = lower_mesh(mesh(outputs=ONE_ROW.format(name="CULL_PRIMITIVE"), shared=12, primitives=14))
    assert lowered.output.shared_bytes == 16 + 8 * 14
    assert lowered.output.shared_lines == 1


def test_the_program_counts_its_invocations() -> None:
    counts = [print_item(item) for item in task_code(block=(3, 2, 1)).items if isinstance(item, Instruction) and "ATOM" in item.opcode.name]
    assert len(counts) == 1
    assert "BUFFER[31]" in counts[0]


@pytest.mark.parametrize("code", [task_code("LOAD TEMP[0], MEMORY[0], TEMP[0].xxxx"), mesh_code("MOV OUT[0], SV[1]", after=TASK)])
def test_nothing_is_left_that_the_hardware_does_not_have(code: Code) -> None:
    plain = [item for item in code.items if isinstance(item, Instruction)]
    files = {operand.register.file for item in plain for operand in item.dst} | {item.file for item in code.declarations}
    files |= {operand.register.file for item in plain for operand in item.src}
    assert files.isdisjoint({File.OUT, File.MEMORY})
    assert {str(item.semantic) for item in code.declarations if item.file is File.SV} == {"THREAD_ID"}
    assert all(item.dst.write_mask.bit_count() == 1 for item in code.items if isinstance(item, IsbeRead))
    assert any(isinstance(item, IsbeWrite) for item in code.items)


def test_more_threads_than_lanes_run_in_a_loop_that_calls_the_program() -> None:
    code = mesh_code("MOV OUT[0], SV[1]", block=(8, 8, 1))
    assert code.threads == 32
    (call,) = [item for item in code.items if isinstance(item, Instruction) and item.opcode.name == "CAL"]
    assert call.label is not None
    assert print_item(code.items[call.label]) == "BGNSUB"
    assert print_item(code.items[-1]) == "ENDSUB"


def test_calls_keep_their_targets() -> None:
    code = mesh_code("CAL :2", "END", "BGNSUB", "MOV OUT[0], SV[1]", "ENDSUB")
    (call,) = [item for item in code.items if isinstance(item, Instruction) and item.opcode.name == "CAL"]
    assert call.label is not None
    assert print_item(code.items[call.label]) == "BGNSUB"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (mesh("BARRIER", block=(33, 1, 1)), "B071.*BARRIER in a workgroup of 33 threads: the hardware runs 32"),
        (
            mesh(outputs="DCL OUT[][0], VIEWPORT_INDEX, PRIMITIVE\nDCL OUT[][1], VIEWPORT_MASK, PRIMITIVE\n"),
            "B070.*both set the mask of viewports",
        ),
        (mesh(outputs="DCL OUT[][0], GENERIC[32]\n"), r"B070.*index of GENERIC 32 is not in 0 \.\. 31"),
        (mesh(outputs="DCL OUT[][0], GENERIC[31]\nDCL OUT[][1], CLIPVERTEX\n"), "B070.*two outputs .* lie at attribute 0x270"),
        (mesh("MOV TEMP[0], OUT[0][1]"), "B070.*PRIMITIVE_INDICES is read"),
        (mesh(outputs="DCL BUFFER[28]\n"), r"B070.*BUFFER\[28\]: the driver and the emulator have the buffers from 28 on"),
        (mesh(outputs="DCL CONST[15][0]\n"), "B070.*constant buffer 15 holds the driver's words"),
        (mesh("UARL ADDR[0].x, SV[0].xxxx", "MOV TEMP[0], SV[ADDR[0].x]"), "B070.*SV registers are indexed"),
    ],
)
def test_a_program_that_has_no_lowering_is_refused_with_a_code(program: Program, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        lower_mesh(program)


def test_a_refusal_names_its_place() -> None:
    with pytest.raises(UnsupportedError) as refused:
        lower_task(task("BARRIER", block=(64, 1, 1)))
    span = refused.value.diagnostics[0].span
    assert span is not None
    assert span.source.line_text(span.line) == "BARRIER"


def test_a_payload_is_whole_words() -> None:
    with pytest.raises(UnsupportedError, match=r"B070.*TS_PAYLOAD_BYTES 6: hardware hands over whole words") as refused:
        lower_task(task(payload=6))
    assert refused.value.diagnostics[0].hint == "use 8"
    with pytest.raises(UnsupportedError, match="TS_PAYLOAD_BYTES 6"):
        lower_mesh(mesh(), task(payload=6))


def test_a_stage_is_lowered_as_itself() -> None:
    with pytest.raises(UnsupportedError, match="expected a TASK program, not a MESH program"):
        lower_task(mesh())


def test_the_methods_of_lowered_programs_have_their_sizes() -> None:
    before = task(payload=100, shared=200, block=(7, 1, 1))
    calls = calls_of(lower_mesh(mesh(block=(40, 1, 1), shared=300), before), lower_task(before), groups=9)
    found = {item.name: item for item in calls}
    assert [found["SET_MESH_INIT_SHADER"][name] for name in ("THREAD_COUNT", "LOCAL_BUFFER_LINES", "OUTPUT_TO_M_S_LINES")] == [7, 4, 2]
    assert [found["SET_MESH_SHADER_A"][name] for name in ("OUTPUT_TOPOLOGY", "MAX_VERTEX", "MAX_PRIMITIVE")] == [4, 8, 6]
    assert [found["SET_MESH_SHADER_B"][name] for name in ("SHARED_MEM_LINES", "THREAD_COUNT")] == [3, 32]
    assert found["DRAW_VERTEX_ARRAY_BEGIN_END_B"]["COUNT"] == 9
    assert decode(encode(calls)) == calls
