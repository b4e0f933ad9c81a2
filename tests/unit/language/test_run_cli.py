"""tgsi-compile --run: inputs, outputs, errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tgsi.tools.compile import cli

TEXT = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0]\nADD OUT[0], IN[0], CONST[0]\nEND\n"
INPUTS = [[[1.0, 2.0, 3.0, 4.0]], [[0.5, 0.0, 0.0, -1.0]]]
CONSTANTS = "0=[[1.0, 1.0, 1.0, 1.0]]"


@pytest.fixture
def shader(tmp_path: Path) -> str:
    path = tmp_path / "a.tgsi"
    path.write_text(TEXT)
    return str(path)


@pytest.mark.parametrize("engine", ["jit", "interp"])
@pytest.mark.parametrize("form", ["inline", "npy", "json"])
def test_inputs_of_every_form(shader: str, tmp_path: Path, engine: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"inputs.{form}"
    given = json.dumps(INPUTS) if form == "inline" else str(path)
    if form == "npy":
        np.save(path, np.array(INPUTS, np.float32))
    elif form == "json":
        path.write_text(json.dumps(INPUTS))
    assert cli.main(["--run", shader, "--inputs", given, "--constants", CONSTANTS, "--engine", engine, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert np.array(found["outputs"], np.uint32).view(np.float32).tolist() == [[[2, 3, 4, 5]], [[1.5, 1, 1, 0]]]
    assert found["alive"] == [True, True]


def test_text_has_a_line_an_output(shader: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--run", shader, "--inputs", json.dumps(INPUTS)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "0: OUT[0]  1  2  3  4  (3f800000 40000000 40400000 40800000)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "inputs must be given"),
        (["--inputs", "nothing.npy"], "--inputs: nothing.npy: no such file"),
        (["--inputs", "[[1, 2"], "--inputs"),
        (["--inputs", '["x"]'], "expected numbers"),
        (["--inputs", "[[1], [1, 2]]"], "--inputs"),
        (["--inputs", "[[1.0, 2.0]]"], "inputs must have shape"),
        (["--inputs", json.dumps(INPUTS), "--constants", "x"], "KEY=DATA"),
        (["--inputs", json.dumps(INPUTS), "--constants", CONSTANTS, "--constants", CONSTANTS], "twice"),
        (["--inputs", json.dumps(INPUTS), "--constants", "99=[[0, 0, 0, 0]]"], "constants"),
        (["--emit", "asm"], "--emit"),
    ],
)
def test_what_does_not_fit_is_named(shader: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--run", shader, *options]) == 2
    assert message in capsys.readouterr().err


def test_errors_of_the_shader_are_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.tgsi"
    path.write_text("VERT\nDCL OUT[0], POSITION\nMOV OUT[0], TEMP[7]\nEND\n")
    assert cli.main(["--run", str(path)]) == 1
    assert "error[" in capsys.readouterr().err
