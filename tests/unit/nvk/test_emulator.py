"""The emulator: results known by hand, in both engines, and hostile programs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import tgsi
from backends.nvk.emulator import compare as comparison
from backends.nvk.emulator import meshes as emulated
from backends.nvk.emulator.compare import compare
from backends.nvk.emulator.expand import Sizes, expand
from backends.nvk.emulator.memory import Resources, Run
from backends.nvk.emulator.meshes import run_meshes
from backends.nvk.emulator.tasks import run_tasks
from backends.nvk.isbe.regions import IsbeError, Region, Side
from backends.nvk.lower.code import Access, Address, IsbeRead, IsbeWrite, LoweredMesh, print_item
from backends.nvk.lower.lowering import lower_mesh, lower_task
from tests.unit.nvk.programs import mesh, task
from tgsi.language.facts.enums import File
from tgsi.language.ir import DstOperand, RegisterRef, SrcOperand

pytestmark = pytest.mark.usefixtures("light_code")

COUNTS = "SET_MESH_OUTPUTS IMM[1].xxxx"  # 4 vertices, 4 primitives
OWN = "UARL ADDR[0].x, SV[0].xxxx"
CULLED = (
    "DCL OUT[][0], POSITION\nDCL OUT[][1], PRIMITIVE_INDICES, PRIMITIVE\n"
    "DCL OUT[][2], {}, PRIMITIVE\nDCL OUT[][3], CULL_PRIMITIVE, PRIMITIVE\n"
)


@pytest.fixture(params=["interp", "jit"])
def run(request: pytest.FixtureRequest) -> Run:
    return partial(tgsi.run, engine=request.param)


def test_vertices_and_primitives_are_read_back_from_attr_and_map(run: Run) -> None:
    program = mesh(
        COUNTS, OWN, "UADD TEMP[0], SV[0].xxxx, IMM[0]", "MOV OUT[0], TEMP[0]", "MOV OUT[1].xyz, TEMP[0].zyxx", "MOV OUT[2].x, SV[1].yyyy"
    )
    first, second = run_meshes(lower_mesh(program), (1, 2, 1), Resources(run, {}))
    assert first.vertices[:4].tolist() == [[k, k + 1, k + 2, k + 3] for k in range(4)]
    assert first.indices.tolist() == [[k + 2, k + 1, k] for k in range(4)]
    assert first.primitives.tolist() == [[0]] * 4
    assert second.primitives.tolist() == [[1]] * 4


def test_a_task_leaves_its_words_and_its_payload(run: Run) -> None:
    program = task(
        "UADD TEMP[0], SV[1].xxxx, IMM[0].yzwx", "STORE MEMORY[1].x, IMM[1].xxxx, TEMP[0].zzzz", "EMIT_MESH_TASKS TEMP[0]", payload=12
    )
    found = run_tasks(lower_task(program), (3, 1, 1), Resources(run, {}))
    assert found.sizes.tolist() == [[k + 1, k + 2, k + 3] for k in range(3)]
    assert found.handed.view(np.uint32)[:, 1].tolist() == [(k + 1) * (k + 2) * (k + 3) for k in range(3)]
    assert found.handed.view(np.uint32)[:, 8:11].tolist() == [[0, k + 3, 0] for k in range(3)]
    assert found.faults == ()


def test_lanes_take_turns_in_atomics(run: Run) -> None:
    lines = ["ATOMUADD TEMP[0].x, MEMORY[0], IMM[0].xxxx, IMM[0].yyyy", "UMUL TEMP[1].x, SV[0].xxxx, IMM[1].xxxx"]
    program = task(*lines, "STORE MEMORY[1].x, TEMP[1].xxxx, TEMP[0].xxxx", block=(20, 1, 1), payload=80)
    found = run_tasks(lower_task(program), (2, 1, 1), Resources(run, {}))
    assert found.handed.view(np.uint32)[:, 8:28].tolist() == [list(range(20))] * 2


@pytest.mark.parametrize(("block", "threads"), [((4, 1, 1), 4), ((8, 8, 1), 64)])
def test_invocations_are_counted(run: Run, block: tuple[int, int, int], threads: int) -> None:
    found = compare(mesh(block=block), task("EMIT_MESH_TASKS IMM[0].zyyy", block=(3, 1, 1)), run, (5, 1, 1))
    assert found.invocations == (15, 10 * threads)
    assert found.differences == ()


def test_a_mesh_program_sees_its_number_the_grid_and_the_payload_of_its_task(run: Run) -> None:
    before = task("STORE MEMORY[1].x, IMM[0].xxxx, SV[1].xxxx", "EMIT_MESH_TASKS IMM[0].yzyy")
    program = mesh(COUNTS, "LOAD TEMP[0].x, MEMORY[1], IMM[0].xxxx", "UADD TEMP[0].y, SV[1].yyyy, SV[2].yyyy", "MOV OUT[0].xy, TEMP[0]")
    found = compare(program, before, run, (2, 1, 1))
    assert [item.vertices[0, :2].tolist() for item in found.meshes] == [[0, 2], [0, 3], [1, 2], [1, 3]]
    assert found.differences == ()


@pytest.mark.parametrize(
    ("name", "value", "masks"),
    [
        ("VIEWPORT_INDEX", "SV[0].xxxx", [1, 2, 4, 8]),
        ("VIEWPORT_MASK", "SV[0].xxxx", [0, 1, 2, 3]),
        ("VIEWPORT_INDEX", "IMM[1].zzzz", [1] * 4),
    ],
)
@pytest.mark.parametrize("cull_first", [False, True])
def test_a_mask_holds_the_viewport_and_the_cull_in_any_order(run: Run, name: str, value: str, masks: list[int], cull_first: bool) -> None:
    lines = [f"MOV OUT[2].x, {value}", "AND TEMP[0].x, SV[0].xxxx, IMM[0].yyyy"]
    lines.insert(0 if cull_first else 1, "AND TEMP[1].x, SV[0].xxxx, IMM[0].yyyy\nMOV OUT[3].x, TEMP[1].xxxx")
    found = compare(mesh(COUNTS, *lines, outputs=CULLED.format(name)), None, run)
    assert found.meshes[0].primitives[:, 0].tolist() == [0 if k % 2 else mask for k, mask in enumerate(masks)]
    assert found.differences == ()


def test_a_primitive_without_a_viewport_is_drawn_in_viewport_0(run: Run) -> None:
    (found,) = run_meshes(lower_mesh(mesh(COUNTS, outputs=CULLED.format("VIEWPORT_INDEX"))), (1, 1, 1), Resources(run, {}))
    assert found.primitives[:, 0].tolist() == [1] * 4


@pytest.mark.parametrize(
    ("lines", "primitives"),
    [
        ((), 0),
        (("SET_MESH_OUTPUTS IMM[2].zzzz",), 6),
        (("SET_MESH_OUTPUTS IMM[2].wwww",), 6),
        ((COUNTS, "MOV OUT[1].xyz, IMM[2].zzzz"), 4),
        (("UIF SV[0].xxxx", COUNTS, "ENDIF"), 0),
        (("SET_MESH_OUTPUTS IMM[0].yyyy", COUNTS), 4),
        (("BGNLOOP", "MOV OUT[0], IMM[0]", "ENDLOOP", COUNTS), 4),
    ],
    ids=["no numbers", "too many", "all bits", "no such vertex", "not in thread 0", "twice", "endless"],
)
def test_a_hostile_mesh_program_is_safe(run: Run, lines: tuple[str, ...], primitives: int) -> None:
    found = compare(mesh(*lines), None, run, (2, 1, 1), fuel=100)
    assert [len(item.indices) for item in found.meshes] == [primitives] * 2
    assert found.differences == ()


@pytest.mark.parametrize(
    ("line", "text"),
    [("EMIT_MESH_TASKS IMM[2].yxxx", "65536 x 65535 x 65535"), ("EMIT_MESH_TASKS IMM[2].xxxx", "65535 x 65535 x 65535"), ("NOP", "")],
)
def test_a_task_that_launches_too_many_workgroups_launches_none_and_is_named(run: Run, line: str, text: str) -> None:
    found = compare(mesh(), task(line), run, (2, 1, 1))
    assert found.meshes == []
    assert found.differences == ()
    assert [fault.startswith(f"task workgroup {k}: EMIT_MESH_TASKS: {text}") for k, fault in enumerate(found.faults)] == [True] * (
        2 * bool(text)
    )


def test_more_workgroups_than_the_emulator_keeps_are_refused(run: Run) -> None:
    lines = ["SHL TEMP[0], IMM[1].xxxx, IMM[1].yyyy", "MOV TEMP[0].yz, IMM[1].wwww", "EMIT_MESH_TASKS TEMP[0]"]
    with pytest.raises(ValueError, match="4194304 mesh workgroups: the emulator runs at most 65536"):
        compare(mesh(), task(*lines), run)


def test_clearing_a_large_output_with_one_lane_takes_no_fuel_of_the_program(run: Run) -> None:
    program = mesh(COUNTS, "MOV OUT[0], SV[1]", block=(1, 1, 1), vertices=256, primitives=256)
    found = compare(program, None, run, (2, 1, 1), fuel=10)
    assert (found.differences, found.faults) == ((), ())


@pytest.mark.parametrize("block", [(20, 1, 1), (8, 8, 1)])
def test_turns_and_threads_one_after_the_other_take_no_fuel_of_the_program(run: Run, block: tuple[int, int, int]) -> None:
    lines = ["BGNLOOP", "USGE TEMP[0].y, TEMP[0].xxxx, IMM[1].yyyy", "UIF TEMP[0].yyyy", "BRK", "ENDIF"]
    lines += ["UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy", "ATOMUADD TEMP[1].x, MEMORY[1], IMM[0].xxxx, IMM[0].yyyy", "ENDLOOP"]
    found = compare(mesh(), task(*lines, block=block), run, (2, 1, 1), fuel=10)
    assert (found.differences, found.faults) == ((), ())
    assert found.tasks is not None
    assert found.tasks.handed.view(np.uint32)[:, 8].tolist() == [8 * block[0] * block[1]] * 2


@pytest.mark.parametrize("lanes", [4, 16, 32])
@pytest.mark.parametrize("block", [(8, 8, 1), (11, 3, 1), (50, 1, 1)])
def test_threads_keep_their_order_where_lanes_run_several(lanes: int, block: tuple[int, int, int]) -> None:
    lines = ["UMAD TEMP[0].x, SV[0].yyyy, IMM[1].zzzz, SV[0].xxxx", "ATOMUMAX TEMP[0].x, MEMORY[0], IMM[0].xxxx, TEMP[0].xxxx"]
    before = tgsi.parse(
        str(task(*lines, "ATOMUADD TEMP[1].x, BUFFER[0], IMM[0].xxxx, TEMP[0].xxxx", block=block)).replace(
            "DCL TEMP", "DCL BUFFER[0]\nDCL TEMP"
        )
    )
    found = compare(mesh(), before, partial(tgsi.run, lanes=lanes), (2, 1, 1), buffers={0: np.zeros(1, np.uint32)})
    assert found.differences == ()


def test_a_loop_without_end_is_named(run: Run) -> None:
    found = compare(mesh("BGNLOOP", "MOV OUT[0], IMM[0]", "ENDLOOP"), None, run, fuel=10)
    assert found.faults == tuple(f"a loop of the {name} programs ended because its fuel had run out" for name in ("lowered", "original"))


def test_buffers_change_as_the_programs_change_them(run: Run) -> None:
    program = mesh("ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].zzzz", outputs="DCL OUT[][0], POSITION\nDCL BUFFER[0]\n")
    resources = Resources(run, {"buffers": {0: np.zeros(2, np.uint32)}})
    run_meshes(lower_mesh(program), (3, 1, 1), resources)
    assert resources.given["buffers"][0].view(np.uint32).tolist() == [24, 0]
    assert compare(program, None, run, (3, 1, 1), buffers={0: np.zeros(2, np.uint32)}).differences == ()


def test_a_draw_number_arrives(run: Run) -> None:
    found = compare(mesh(COUNTS, "MOV OUT[0], SV[3]"), task("EMIT_MESH_TASKS SV[3].yyyy"), run, draw_id=2)
    assert len(found.meshes) == 8
    assert found.meshes[0].vertices[:4].tolist() == [[2] * 4] * 4
    assert found.differences == ()


def test_a_wrong_order_of_bytes_is_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    program = mesh(COUNTS, "MOV OUT[0], SV[0].xxxx", "MOV OUT[1].xyz, IMM[0]")
    assert compare(program, None, run).differences == ()
    monkeypatch.setattr(emulated, "skewed", lambda address, row_bytes: address)
    assert "attribute 0x070 of vertices" in compare(program, None, run).differences[0]


def _moved(lowered: LoweredMesh, offset: int) -> LoweredMesh:
    """The program with its last write to MAP at `offset` one byte further on."""
    items = list(lowered.code.items)
    places = [k for k, item in enumerate(items) if isinstance(item, IsbeWrite) and item.access.region is Region.MAP]
    at = next(k for k in reversed(places) if print_item(items[k]).count(f"[{offset:#04x}]"))
    item = items[at]
    assert isinstance(item, IsbeWrite)
    items[at] = replace(item, access=replace(item.access, address=Address(offset + 1)))
    return replace(lowered, code=replace(lowered.code, items=tuple(items)))


def test_a_vertex_number_at_a_wrong_place_is_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "lower_mesh", lambda program, before: _moved(lower_mesh(program, before), 0xC))
    found = compare(mesh(COUNTS, "MOV OUT[2][1].xyz, IMM[0].yzww"), None, run)
    assert found.differences == ("mesh workgroup 0: the vertex numbers differ",)


def test_a_number_of_primitives_at_a_wrong_place_is_found(run: Run) -> None:
    with pytest.raises(IsbeError, match="MAP of a workgroup says 1024 primitives, and has room for 6"):
        run_meshes(_moved(lower_mesh(mesh(COUNTS)), 3), (1, 1, 1), Resources(run, {}))


def _writing(address: Address) -> IsbeWrite:
    return IsbeWrite(Access(side=Side.O, address=address), SrcOperand(RegisterRef(File.IMM, 0)))


def test_a_known_address_outside_of_its_region_is_refused() -> None:
    code = lower_task(task(payload=4, shared=0)).code
    wrong = replace(code, items=(_writing(Address(128)), *code.items))
    with pytest.raises(IsbeError, match=r"ISBEWR.O.ATTR.32 \[0x80\], IMM\[0\].x: the address is not below 0x7d"):
        expand(wrong, Sizes(input_bytes=128, output_bytes=128))
    read = IsbeRead(DstOperand(RegisterRef(File.TEMP, 0), 1), Access(side=Side.O, region=Region.MAP, address=Address(0)))
    with pytest.raises(IsbeError, match="only words of ATTR and writes to MAP are supported"):
        expand(replace(code, items=(read, *code.items)), Sizes(input_bytes=128, output_bytes=128, map_bytes=128))


def test_a_computed_address_outside_of_its_region_is_found_and_does_no_harm(run: Run) -> None:
    lowered = lower_task(task(payload=4, shared=0))
    beyond = SrcOperand(RegisterRef(File.IMM, 2), (0, 0, 0, 0))  # 65535
    wrong = replace(lowered, code=replace(lowered.code, items=(_writing(Address(1, beyond)), *lowered.code.items)))
    with pytest.raises(IsbeError, match="a write of workgroup 0 of the run lies outside of the workgroup's memory"):
        run_tasks(wrong, (2, 1, 1), Resources(run, {}))
