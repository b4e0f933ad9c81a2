"""Each property of task and mesh programs has an effect, in both engines. `tests/unit/test_properties.py` counts these tests."""

from __future__ import annotations

import pytest

from tests.unit.mesh.support import mesh, run, task

pytestmark = pytest.mark.light

ONE_EACH = "UARL ADDR[0].x, SV[4].xxxx\nSET_MESH_OUTPUTS IMM[1]\nMOV OUT[ADDR[0].x][3].xyz, IMM[0].yzwx"


@pytest.mark.parametrize(("kind", "indices"), [("POINTS", [1]), ("LINES", [1, 2]), ("TRIANGLES", [1, 2, 3])])
def test_ms_output_primitive__says_how_many_indices_count(kind: str, indices: list[int]) -> None:
    found = run(mesh(ONE_EACH, kind=kind, primitives=2)).meshes[0]
    assert found.indices.tolist() == [indices, indices]


def test_ms_max_output_vertices__cuts_the_number_of_vertices() -> None:
    found = run(mesh("SET_MESH_OUTPUTS IMM[1]", vertices=3)).meshes[0]
    assert len(found.vertices) == 3
    assert "at most 3" in found.faults[0]


def test_ms_max_output_primitives__cuts_the_number_of_primitives() -> None:
    found = run(mesh(ONE_EACH, primitives=2)).meshes[0]
    assert len(found.indices) == 2
    assert "at most 2" in found.faults[0]


def test_ts_payload_bytes__is_the_size_of_the_payload() -> None:
    store = "STORE MEMORY[1].xy, IMM[1].xxxx, IMM[0].yzwx"
    assert run(task(store, payload=8)).payload.view("uint32").tolist() == [[0, 1]]
    assert run(task(store, payload=12)).payload.view("uint32").tolist() == [[0, 1, 2]]


def _shared_words(size: int) -> str:
    """The byte addresses of the last word inside of `size` bytes and of the first one outside, as IMM[3].xy."""
    return f"IMM[3] UINT32 {{{size - 4}, {size}, 0, 0}}"


@pytest.mark.parametrize("size", [4, 64])
def test_ts_shared_bytes__ends_the_shared_memory(size: int) -> None:
    body = f"{_shared_words(size)}\nSTORE MEMORY[0].xy, IMM[3].xxxx, IMM[0].yzwx\nLOAD TEMP[1].xy, MEMORY[0], IMM[3].xxxx"
    found = run(task(f"{body}\nSTORE MEMORY[1].xy, IMM[0].xxxx, TEMP[1]", shared=size, payload=8))
    assert found.payload.view("uint32").tolist() == [[1, 0]]


@pytest.mark.parametrize("size", [4, 64])
def test_ms_shared_bytes__ends_the_shared_memory(size: int) -> None:
    body = f"{_shared_words(size)}\nSTORE MEMORY[0].xy, IMM[3].xxxx, IMM[0].yzwx\nLOAD TEMP[1].xy, MEMORY[0], IMM[3].xxxx"
    found = run(mesh(f"{body}\nSET_MESH_OUTPUTS IMM[0].yyyy\nMOV OUT[0][1], TEMP[1]", shared=size)).meshes[0]
    assert found.vertices[0, 1, :2].tolist() == [1, 0]
