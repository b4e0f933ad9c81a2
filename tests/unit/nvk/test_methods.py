"""Methods: the lists of a binding and of a draw, their words, and refused arguments."""

from __future__ import annotations

import pytest

from backends.nvk.methods.calls import Call, call
from backends.nvk.methods.classes import CLASSES
from backends.nvk.methods.lists import MeshBinding, TaskBinding, bind, draw
from backends.nvk.methods.printer import print_calls
from backends.nvk.methods.table import BY_ADDRESS, METHODS, MethodError, ProgramSlot, Topology
from backends.nvk.methods.words import decode, encode

MESH = MeshBinding(threads=32, topology=Topology.TRIANGLES, max_vertices=64, max_primitives=126, shared_lines=3)
TASK = TaskBinding(threads=20, buffer_lines=5, output_lines=2)


def slots(calls: list[Call]) -> set[ProgramSlot]:
    return {ProgramSlot(item["TYPE"]) for item in calls if item.name == "SET_PIPELINE_SHADER" and item["ENABLE"]}


def named(calls: list[Call], name: str) -> Call:
    return next(item for item in calls if item.name == name)


def test_the_words_of_a_draw() -> None:
    words = encode(bind(MESH) + draw(7))
    assert words[-7:] == [0x20010446, 0, 0x20010098, 0xC00, 0x2002009C, 0, 7]


def test_the_words_of_a_mesh_binding() -> None:
    words = encode(bind(MESH))
    assert words[:2] == [0x20010453, 1]
    assert words[-3:] == [0x20020454, 4 | 64 << 4 | 126 << 13, 3 << 8 | 32 << 20]


def test_the_words_of_a_task_binding() -> None:
    words = encode(bind(MESH, TASK))
    assert words[2:4] == [0x20010456, 20 | 5 << 12 | 2 << 22]


def test_a_mesh_program_takes_the_vertex_slot_without_a_task_and_the_tessellation_slot_with_one() -> None:
    assert slots(bind(MESH)) == {ProgramSlot.VERTEX}
    assert slots(bind(MESH, TASK)) == {ProgramSlot.VERTEX, ProgramSlot.TESSELLATION_INIT}


def test_attributes_of_primitives_put_the_geometry_slot_on() -> None:
    with_rows = MeshBinding(threads=1, topology=Topology.POINTS, max_vertices=1, max_primitives=1, has_primitive_attributes=True)
    assert slots(bind(with_rows)) == {ProgramSlot.VERTEX, ProgramSlot.GEOMETRY}


def test_mesh_control_is_the_first_call_of_a_binding() -> None:
    assert bind(MESH, TASK)[0] == call("SET_MESH_CONTROL", ENABLE=1)


def test_a_draw_ignores_the_base_indices_and_counts_workgroups_from_0() -> None:
    calls = draw(1 << 20)
    assert named(calls, "SET_DRAW_CONTROL_A")["IGNORE_GLOBAL_BASE_VERTEX_INDEX"] == 1
    assert named(calls, "SET_DRAW_CONTROL_A")["IGNORE_GLOBAL_BASE_INSTANCE_INDEX"] == 1
    assert named(calls, "SET_VERTEX_ID_BASE")["V"] == named(calls, "DRAW_VERTEX_ARRAY_BEGIN_END_A")["START"] == 0
    assert calls[-1] == call("DRAW_VERTEX_ARRAY_BEGIN_END_B", COUNT=1 << 20)


def test_text_names_the_class_the_fields_and_their_values() -> None:
    assert print_calls(draw(3), 0xC797) == (
        "NVC797_SET_VERTEX_ID_BASE\n    .V = (0x0)\n"
        "NVC797_SET_DRAW_CONTROL_A\n    .TOPOLOGY = POINTS\n    .PRIMITIVE_ID = FIRST\n    .INSTANCE_ID = FIRST\n"
        "    .SPLIT_MODE = NORMAL_BEGIN_NORMAL_END\n    .INSTANCE_ITERATE_ENABLE = FALSE\n"
        "    .IGNORE_GLOBAL_BASE_VERTEX_INDEX = TRUE\n    .IGNORE_GLOBAL_BASE_INSTANCE_INDEX = TRUE\n"
        "NVC797_DRAW_VERTEX_ARRAY_BEGIN_END_A\n    .START = (0x0)\n"
        "NVC797_DRAW_VERTEX_ARRAY_BEGIN_END_B\n    .COUNT = (0x3)\n"
    )
    assert print_calls(bind(MESH)[1:2]).startswith("NVC597_SET_PIPELINE_SHADER(1)\n    .ENABLE = TRUE\n    .TYPE = VERTEX\n")


@pytest.mark.parametrize("number", CLASSES)
def test_every_class_with_mesh_shaders_takes_the_methods(number: int) -> None:
    assert decode(encode(bind(MESH) + draw(1), number), number) == bind(MESH) + draw(1)


def test_older_and_unknown_classes_are_refused() -> None:
    with pytest.raises(MethodError, match=r"class c397 has no mesh shaders: they are there from c597 \(TURING_A\) on"):
        encode(draw(1), 0xC397)
    with pytest.raises(MethodError, match="class cc97 is not known; those with known methods are c597, c697"):
        decode([], 0xCC97)


@pytest.mark.parametrize(
    ("name", "field", "value", "message"),
    [
        ("SET_MESH_SHADER_A", "MAX_VERTEX", 512, r"MAX_VERTEX: 512 does not fit into 9 bits \(0 \.\. 511\)"),
        ("SET_MESH_SHADER_A", "MAX_PRIMITIVE", 1024, r"MAX_PRIMITIVE: 1024 does not fit into 10 bits \(0 \.\. 1023\)"),
        ("SET_MESH_SHADER_B", "SHARED_MEM_LINES", 512, r"SHARED_MEM_LINES: 512 does not fit into 9 bits"),
        ("SET_MESH_SHADER_B", "THREAD_COUNT", 64, r"THREAD_COUNT: 64 does not fit into 6 bits \(0 \.\. 63\)"),
        ("SET_MESH_INIT_SHADER", "LOCAL_BUFFER_LINES", 512, r"LOCAL_BUFFER_LINES: 512 does not fit into 9 bits"),
        ("SET_MESH_INIT_SHADER", "OUTPUT_TO_M_S_LINES", -1, r"OUTPUT_TO_M_S_LINES: -1 does not fit into 9 bits"),
        ("SET_MESH_CONTROL", "ENABLE", 2, r"ENABLE: 2 does not fit into 1 bit \(0 \.\. 1\)"),
        ("DRAW_VERTEX_ARRAY_BEGIN_END_B", "COUNT", 1 << 32, r"COUNT: 4294967296 does not fit into 32 bits"),
        (
            "SET_DRAW_CONTROL_A",
            "INSTANCE_ID",
            3,
            r"INSTANCE_ID: 3 is not a value of this field of 2 bits \(0 FIRST, 1 SUBSEQUENT, 2 UNCHANGED\)",
        ),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_the_width_of_its_field(name: str, field: str, value: int, message: str) -> None:
    fields = {item.name: 0 for item in METHODS[name].fields} | {field: value}
    with pytest.raises(MethodError, match=f"{name}.{message}"):
        call(name, **fields)


def test_every_field_refuses_one_more_than_its_bits_hold() -> None:
    for method in METHODS.values():
        for field in method.fields:
            with pytest.raises(MethodError, match=rf"{field.name}: {field.most + 1} does not fit into {field.width} bit"):
                call(method.name, **({item.name: 0 for item in method.fields} | {field.name: field.most + 1}))


def test_fields_of_a_method_do_not_overlap_and_no_two_methods_share_an_address() -> None:
    for method in METHODS.values():
        assert sum(field.most << field.low for field in method.fields) == _all_bits(method.name)
    assert len(BY_ADDRESS) == sum(method.copies for method in METHODS.values())


def _all_bits(name: str) -> int:
    bits = 0
    for field in METHODS[name].fields:
        bits |= field.most << field.low
    return bits


def test_unknown_methods_fields_and_copies_are_refused() -> None:
    with pytest.raises(MethodError, match="method SET_MESH_ENABLE is not known; those known are SET_DRAW_CONTROL_A"):
        call("SET_MESH_ENABLE", V=1)
    with pytest.raises(MethodError, match="SET_MESH_CONTROL has no field V; its fields are ENABLE"):
        call("SET_MESH_CONTROL", V=1)
    with pytest.raises(MethodError, match="SET_MESH_SHADER_B: no value for THREAD_COUNT"):
        call("SET_MESH_SHADER_B", SHARED_MEM_LINES=1)
    with pytest.raises(MethodError, match=r"SET_PIPELINE_SHADER\(6\): the copies are 0 \.\. 5"):
        call("SET_PIPELINE_SHADER", 6, ENABLE=0, TYPE=1)


@pytest.mark.parametrize("threads", [0, 33])
def test_a_workgroup_is_one_warp(threads: int) -> None:
    with pytest.raises(MethodError, match=rf"task program with {threads} threads a workgroup: the hardware runs 1 \.\. 32"):
        bind(MESH, TaskBinding(threads, 1, 1))


def test_only_lists_of_primitives_come_out_of_a_mesh_program() -> None:
    with pytest.raises(MethodError, match="topology QUADS: mesh programs give POINTS, LINES or TRIANGLES"):
        bind(MeshBinding(threads=1, topology=Topology.QUADS, max_vertices=4, max_primitives=1))


def test_a_binding_before_mesh_control_is_refused() -> None:
    calls = bind(MESH)
    with pytest.raises(MethodError, match="call 0: SET_PIPELINE_SHADER stands before SET_MESH_CONTROL"):
        encode(calls[1:])
    off = call("SET_MESH_CONTROL", ENABLE=0)
    with pytest.raises(MethodError, match="call 5: SET_MESH_SHADER_A while mesh shading is off"):
        encode([off, *calls[1:]])


@pytest.mark.parametrize("missing", ["SET_MESH_SHADER_A", "SET_MESH_SHADER_B", "SET_VERTEX_ID_BASE", "SET_DRAW_CONTROL_A"])
def test_a_draw_without_a_method_that_it_needs_is_refused(missing: str) -> None:
    calls = [item for item in bind(MESH) + draw(1) if item.name != missing]
    with pytest.raises(MethodError, match=f"starts a mesh draw without {missing} before it"):
        encode(calls)


def test_a_draw_that_does_not_ignore_a_base_index_or_does_not_start_at_0_is_refused() -> None:
    calls = bind(MESH) + draw(1)
    fields = dict.fromkeys((field.name for field in METHODS["SET_DRAW_CONTROL_A"].fields), 0)
    place = calls.index(named(calls, "SET_DRAW_CONTROL_A"))
    with pytest.raises(MethodError, match="IGNORE_GLOBAL_BASE_VERTEX_INDEX must be TRUE"):
        encode([*calls[:place], call("SET_DRAW_CONTROL_A", **fields), *calls[place + 1 :]])
    with pytest.raises(MethodError, match=r"DRAW_VERTEX_ARRAY_BEGIN_END_A.START = 4; workgroups count from 0"):
        encode([*calls[:-2], call("DRAW_VERTEX_ARRAY_BEGIN_END_A", START=4), calls[-1]])


def test_the_decoder_reads_the_other_kinds_of_headers() -> None:
    assert decode([0x80010453]) == [call("SET_MESH_CONTROL", ENABLE=1)]
    assert decode([0x60020446, 1, 2]) == [call("SET_VERTEX_ID_BASE", V=1), call("SET_VERTEX_ID_BASE", V=2)]
    shader = call("SET_MESH_SHADER_B", SHARED_MEM_LINES=0, THREAD_COUNT=1)
    assert decode([0xA0030454, 0, 1 << 20, 1 << 20])[1:] == [shader, shader]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([0x00000453], "word 0: 0x00000453 is not a header of a known kind"),
        ([0x20020453, 1], "word 0: the header announces 2 words, 1 follow"),
        ([0x20010400, 1], "word 0: method 0x1000 is not in the table"),
        ([0x20010453, 3], "SET_MESH_CONTROL: word 0x00000003 sets bits 0x00000002, which belong to no field"),
    ],
)
def test_words_that_are_no_calls_are_refused(words: list[int], message: str) -> None:
    with pytest.raises(MethodError, match=message):
        decode(words)


def test_a_subchannel_has_three_bits() -> None:
    assert encode(draw(1)[:1], subchannel=7)[0] >> 13 & 7 == 7
    with pytest.raises(MethodError, match=r"subchannel 8 does not fit into 3 bits \(0 \.\. 7\)"):
        encode([], subchannel=8)
