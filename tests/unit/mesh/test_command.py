"""``tgsi-compile --run`` prints what task and mesh programs launched and output."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.unit.mesh.support import mesh, task
from tgsi.tools.compile import cli

LAUNCHING = """UADD TEMP[0].xyz, SV[1].xyzx, IMM[0].yyyy
EMIT_MESH_TASKS TEMP[0]
STORE MEMORY[1], IMM[0].xxxx, IMM[1]
UIF SV[1].xxxx
EMIT_MESH_TASKS IMM[2].yyyy
ENDIF"""
LAUNCHED = """workgroup (0, 0, 0): launches 1 x 1 x 1 mesh workgroups
  payload: 20 bytes
    000000: 00000004 00000008 00000010 00000040  (4  8  16  64)
    000010: 00000000  (0)
workgroup (1, 0, 0): launches nothing
  fault: EMIT_MESH_TASKS: 65536 x 65536 x 65536, an axis has at most 65535: nothing is launched
  payload: 20 bytes
    000000: 00000004 00000008 00000010 00000040  (4  8  16  64)
    000010: 00000000  (0)
"""
DRAWING = """SET_MESH_OUTPUTS IMM[0].yyyy
U2F TEMP[0], IMM[1]
MOV OUT[0], TEMP[0]
LOAD TEMP[1], MEMORY[1], IMM[0].xxxx
MOV OUT[1], TEMP[1]
MOV OUT[3].xyz, IMM[0]
MOV OUT[4], IMM[1]"""
DRAWN = """workgroup (0, 0, 0): 1 vertex, 1 primitive (TRIANGLES)
  fault: primitive 0: its indices are 0, 1, 2, the vertices are 0 to 0: not drawn
  vertex 0: OUT[0] POSITION  4  8  16  64  (40800000 41000000 41800000 42800000)
  vertex 0: OUT[1] GENERIC[0]  7  9  0  0  (00000007 00000009 00000000 00000000)
  vertex 0: OUT[2] GENERIC[1]  0  0  0  0  (00000000 00000000 00000000 00000000)
  primitive 0: 0 1 2
  primitive 0: OUT[4] GENERIC[2]  4  8  16  64  (00000004 00000008 00000010 00000040)
  primitive 0: OUT[5] GENERIC[3]  0  0  0  0  (00000000 00000000 00000000 00000000)
"""


def _run(folder: Path, text: str, *options: str) -> int:
    path = folder / "program.tgsi"
    path.write_text(text)
    return cli.main(["--run", str(path), *options])


def test_tasks_are_printed_by_workgroup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, task(LAUNCHING, payload=20), "--grid", "2x1x1") == 0
    shown = capsys.readouterr()
    assert shown.out == LAUNCHED
    assert shown.err.startswith("tgsi-compile: warning: workgroup (1, 0, 0): EMIT_MESH_TASKS: 65536 x 65536 x 65536")


def test_meshes_are_printed_by_workgroup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, mesh(DRAWING), "--payload", "[7, 9]", "--grid", "1") == 0
    assert capsys.readouterr().out == DRAWN


def test_json_holds_tasks_and_meshes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, task(LAUNCHING, payload=20), "--grid", "2x1x1", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tasks"] == [[1, 1, 1], [0, 0, 0]]
    assert found["payload"][0][:5] == [4, 0, 0, 0, 8]
    assert len(found["faults"]) == 1
    assert _run(tmp_path, mesh(DRAWING), "--format", "json") == 0
    (only,) = json.loads(capsys.readouterr().out)["meshes"]
    assert only["indices"] == [[0, 1, 2]]
    assert only["primitives"][0][1] == [4, 8, 16, 64]
    assert len(only["faults"]) == 1


def test_arrays_hold_tasks_and_meshes(tmp_path: Path) -> None:
    place = tmp_path / "result.npz"
    assert _run(tmp_path, task(LAUNCHING, payload=20), "-o", str(place)) == 0
    assert np.load(place)["payload"].shape == (1, 20)
    assert _run(tmp_path, mesh(DRAWING), "-o", str(place)) == 0
    assert np.load(place)["vertices_0"].shape == (1, 3, 4)


def test_a_payload_that_is_too_large_is_refused_by_its_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, mesh(DRAWING), "--payload", "zeros:20000") == 2
    assert "--payload has 20000 bytes, more than 16384" in capsys.readouterr().err


def test_a_payload_belongs_to_mesh_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, task(LAUNCHING), "--payload", "[1]") == 2
    assert "--payload belongs to MESH programs, not to TASK" in capsys.readouterr().err
