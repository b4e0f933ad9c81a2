"""``tgsi-compile --emit nvk``: its text, its numbers, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from backends.nvk.emulator import meshes as emulated
from backends.nvk.methods.words import decode
from tests.unit.nvk.programs import mesh, task
from tgsi.tools.compile import cli

Run = Callable[..., tuple[int, str, str]]

MESH = str(mesh("SET_MESH_OUTPUTS IMM[1].xxxx", "MOV OUT[0], SV[0].xxxx", "MOV OUT[1].xyz, IMM[0]"))
TASK = str(task("EMIT_MESH_TASKS IMM[0].yzyy"))

pytestmark = pytest.mark.usefixtures("light_code")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    for name, text in (("mesh", MESH), ("task", TASK), ("wide", str(mesh("BARRIER", block=(64, 1, 1))))):
        (tmp_path / name).write_text(text)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = cli.main([*arguments, "--emit", "nvk"])
        done = capsys.readouterr()
        return code, done.out, done.err

    return call


def sections(text: str) -> dict[str, list[str]]:
    """Lines by the heading before them."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("# "):
            found[line[2:]] = lines = []
        else:
            lines.append(line)
    return found


def test_a_pair_is_written_as_methods_words_memory_and_programs(run: Run) -> None:
    code, text, errors = run("mesh", "task", "--grid", "3x2", "--class", "c997")
    found = sections(text)
    assert (code, errors) == (0, "")
    assert list(found) == [
        "methods of class c997 (ADA_A)",
        "words",
        *(f"{name} program{part}" for name in ("task", "mesh") for part in (": memory", "")),
    ]
    assert found["task program: memory"] == [
        "O.ATTR  0x0000 .. 0x001f  reserved words",
        "O.ATTR  0x0020 .. 0x0033  payload",
        "O.ATTR  0x0080 .. 0x0087  shared memory",
    ]
    assert found["mesh program: memory"][2] == "O.ATTR  0x0000 .. 0x01ff  8 vertices, skewed: attributes 0x070 0x074 0x078 0x07c"
    assert found["mesh program"][0] == "MESH lowered, 4 threads"
    calls = decode([int(word, 16) for line in found["words"] for word in line.split()])
    assert calls[-1]["COUNT"] == 6
    assert "    .OUTPUT_TO_M_S_LINES = (0x1)" in found["methods of class c997 (ADA_A)"]


def test_the_files_may_come_in_any_order_and_a_mesh_shader_may_stand_alone(run: Run) -> None:
    assert run("task", "mesh") == run("mesh", "task")
    assert "task program" not in run("mesh")[1]


def test_both_engines_compare_the_executions(run: Run) -> None:
    code, text, errors = run("mesh", "task", "--grid", "3x2", "--compare")
    lines = ["12 mesh workgroups, 48 primitives; invocations: 24 task, 48 mesh", "no difference"]
    assert (code, errors) == (0, "")
    assert sections(text)["comparison: jit"] == sections(text)["comparison: interp"] == lines


def test_a_difference_is_written_and_ends_with_exit_code_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated, "skewed", lambda address, row_bytes: address)
    code, text, _ = run("mesh", "--compare", "--engine", "interp")
    assert code == 1
    assert "mesh workgroup 0: attribute 0x070 of vertices (OUT[0], channel 0) differs" in sections(text)["comparison: interp"]


def test_json_has_the_same(run: Run) -> None:
    code, text, _ = run("mesh", "--compare", "--engine", "jit", "--format", "json")
    found = json.loads(text)
    assert code == 0
    assert found["class"] == "c597"
    assert [item.fields for item in decode(found["words"])] == [item["fields"] for item in found["methods"]]
    assert found["comparison"] == {"jit": {"workgroups": 1, "primitives": 4, "invocations": [0, 4], "faults": [], "differences": []}}
    assert found["mesh"]["code"].startswith("MESH lowered")


def test_a_program_without_a_lowering_is_a_finding(run: Run) -> None:
    code, text, errors = run("wide")
    assert (code, text) == (1, "")
    assert errors.startswith("error[B071]: BARRIER in a workgroup of 64 threads")
    assert "--> wide:" in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["task"], "--emit nvk takes a MESH program, and a TASK program if there is one, not TASK"),
        (["mesh", "mesh"], "not MESH and MESH"),
        (["mesh", "task", "task"], "--emit nvk takes a mesh shader and at most one task shader, 3 files given"),
        (["mesh", "--class", "c397"], "class c397 has no mesh shaders: they are there from c597"),
        (["mesh", "--class", "turing"], "--class turing: a class is a hexadecimal number"),
        (["mesh", "--grid", "65536x65536x2"], "DRAW_VERTEX_ARRAY_BEGIN_END_B.COUNT: 8589934592 does not fit into 32 bits"),
        (["mesh", "--buffers", "0=zeros:4"], "--buffers goes with --run"),
        (["mesh", "--grid", "300x300", "--compare"], "--compare: 90000 mesh workgroups: the emulator runs at most 65536"),
    ],
)
def test_a_command_that_cannot_be_carried_out_says_why(run: Run, arguments: list[str], message: str) -> None:
    code, text, errors = run(*arguments)
    assert (code, text) == (2, "")
    assert message in errors


@pytest.mark.parametrize("option", [["--class", "c597"], ["--compare"]])
def test_its_options_need_it(capsys: pytest.CaptureFixture[str], option: list[str]) -> None:
    assert cli.main(["mesh", *option]) == 2
    assert f"{option[0]} goes with --emit nvk" in capsys.readouterr().err
