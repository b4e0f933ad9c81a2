"""The kernels of mesh draws give, workgroup by workgroup, what `tgsi.run` gives, however the workgroups are divided into runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest

import tgsi
from backends.abi.records import layout_of
from backends.llvm.kernels.grids import GridRecord
from backends.llvm.kernels.mesh_grids import MeshRecord
from tests.property.mesh_launches import Part, Triple, launch, whole
from tests.unit.mesh.support import BLOCKS, LANES, differences, mesh, task

pytestmark = pytest.mark.usefixtures("light_code")

MESH = """SET_MESH_OUTPUTS IMM[1].yxxx
UIF SV[1].yyyy
SET_MESH_OUTPUTS IMM[2].zzzz
ENDIF
UARL ADDR[0].x, SV[4].xxxx
UMAD TEMP[0].x, SV[4].xxxx, IMM[1].xxxx, IMM[1].zzzz
STORE MEMORY[0].x, TEMP[0].xxxx, SV[4].xxxx
ATOMUADD TEMP[1].x, MEMORY[0], IMM[1].xxxx, IMM[0].yyyy
BARRIER
LOAD TEMP[2], MEMORY[0], IMM[1].zzzz
LOAD TEMP[3], MEMORY[0], IMM[0].xxxx
LOAD TEMP[4], MEMORY[1], IMM[1].xxxx
MOV OUT[ADDR[0].x][0], SV[1]
MOV OUT[1], SV[0]
MOV OUT[2].xyz, SV[2]
MOV OUT[2].w, SV[5].xxxx
MOV OUT[3].xyz, TEMP[2].xyzz
MOV OUT[ADDR[0].x+1][4], TEMP[3]
MOV OUT[5].yzw, TEMP[4].xyyw"""

TASK = """UADD TEMP[0].xyz, SV[1].xyzx, SV[5].xxxx
EMIT_MESH_TASKS TEMP[0]
ATOMUADD TEMP[1].x, MEMORY[0], IMM[0].xxxx, SV[1].xxxx
BARRIER
LOAD TEMP[2].x, MEMORY[0], IMM[0].xxxx
ATOMUADD TEMP[1].x, MEMORY[1], IMM[0].xxxx, IMM[0].yyyy
STORE MEMORY[1].xyz, IMM[1].xxxx, TEMP[2]
STORE MEMORY[1].x, IMM[1].zzzz, SV[2].yyyy"""

GRID = (5, 2, 3)


@pytest.mark.parametrize(("block", "lanes"), [*product(BLOCKS, [16]), *product(BLOCKS[1:4], LANES)])
@pytest.mark.parametrize("kind", ["task", "mesh"])
def test_a_launch_gives_what_the_interpreter_says(kind: str, block: Triple, lanes: int) -> None:
    rows = min(prod(block), 256)
    text = task(TASK, block, shared=4096) if kind == "task" else mesh(MESH, block, vertices=rows, primitives=rows, shared=4160)
    expected = tgsi.run(tgsi.parse(text), engine="interp", grid=GRID)
    found = launch(text, whole(GRID), lanes=lanes, single=True)
    seen = replace(found, alive=expected.alive, exhausted=expected.exhausted, faults=expected.faults)
    assert differences(expected, seen) == []


@pytest.mark.parametrize("lanes", [8, 16, 64])
@pytest.mark.parametrize("block", [(3, 1, 1), (32, 1, 1), (11, 3, 1)])
def test_any_division_into_runs_gives_the_same(block: Triple, lanes: int) -> None:
    text, count = mesh(MESH, block), prod(GRID)
    expected = tgsi.run(tgsi.parse(text), engine="interp", grid=GRID)
    for borders in ([0, 1, 2, 3, count], [0, 7, 7, 20, count], [0, *range(1, count + 1)]):
        parts = [Part(grid=GRID, first=a, blocks=b - a) for a, b in pairwise(borders)]
        found = launch(text, parts, lanes=lanes)
        seen = replace(found, alive=expected.alive, exhausted=expected.exhausted, faults=expected.faults)
        assert differences(expected, seen) == []


@pytest.mark.parametrize("lanes", [8, 16, 64])
@pytest.mark.parametrize("block", [(3, 1, 1), (32, 1, 1), (33, 1, 1)])
def test_each_run_has_its_grid_its_payload_and_its_draw(block: Triple, lanes: int) -> None:
    parts = []
    for number, grid in enumerate(((2, 1, 1), (1, 3, 1), (0, 1, 1), (1, 1, 2), (7, 1, 1))):
        payload = np.arange(number, number + 4, dtype=np.uint32).tobytes()
        parts.append(Part(grid=grid, first=0, blocks=prod(grid), payload=payload, draw_id=10 + number))
    text = mesh(MESH, block)
    found = launch(text, parts, lanes=lanes).meshes
    for part in parts:
        threads = np.full((prod(part.grid) * prod(block), 1), part.draw_id, np.uint32)
        given = {"payload": part.payload, "system_values": {"DRAWID": threads}} if prod(part.grid) else {"payload": part.payload}
        expected = tgsi.run(tgsi.parse(text), engine="interp", grid=part.grid, **given)
        mine, found = found[: part.blocks], found[part.blocks :]
        assert differences(expected, replace(expected, meshes=mine)) == []
    assert len(found) == 0


@pytest.mark.parametrize("lanes", [8, 64])
def test_tasks_of_several_runs_have_one_payload_after_the_other(lanes: int) -> None:
    parts = [Part(grid=(n, 1, 2), first=0, blocks=2 * n, payload=b"ignored", draw_id=n) for n in (3, 1, 4)]
    text = task(TASK)
    found = launch(text, parts, lanes=lanes)
    start = 0
    for part in parts:
        draws = np.full((part.blocks * 4, 1), part.draw_id, np.uint32)
        expected = tgsi.run(tgsi.parse(text), engine="interp", grid=part.grid, system_values={"DRAWID": draws})
        assert np.array_equal(found.tasks[start : start + part.blocks], expected.tasks)
        assert np.array_equal(found.payload[start : start + part.blocks], expected.payload)
        start += part.blocks
    assert start == len(found.tasks)


def test_the_layout_of_a_mesh_record_has_the_fields_of_its_grid() -> None:
    """Kernels that are kept on disk have keys with this layout."""
    names = [name for name, _, _ in layout_of(MeshRecord)]
    assert len(names) == len(set(names))
    assert names[: len(GridRecord._fields_)] == [name for name, *_ in GridRecord._fields_]
    assert "payload_words" in names


def test_no_run_does_nothing() -> None:
    assert launch(mesh(MESH), [], lanes=16).meshes == ()


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v2", "x86-64-v3"])
def test_every_level_gives_the_same(cpu: str) -> None:
    text = mesh(MESH, (33, 1, 1))
    expected = tgsi.run(tgsi.parse(text), engine="interp", grid=GRID)
    found = launch(text, whole(GRID), lanes=16, cpu=cpu)
    assert differences(expected, replace(found, alive=expected.alive, exhausted=expected.exhausted, faults=expected.faults)) == []
