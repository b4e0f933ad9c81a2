"""Fuel: one budget of iterations per lane for a loop and all loops inside it, equal in both engines. The result names exhausted lanes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.run.result import RunResult
from passes.analysis.regions import FUEL
from tests.property.engines import engine_differences, result_differences
from tests.property.programs import generate
from tgsi.api import ENGINES
from tgsi.tools.compile import cli

pytestmark = pytest.mark.light

HEADER = """VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL OUT[1], GENERIC[1]
DCL TEMP[0..3]
IMM[0] UINT32 {0, 1, 2, 3}
"""
LANES = (4, 8, 16, 32, 64)
COUNTS = np.array([0, 2, 9, 1, 4, 3, 700, 5, 6, 30, 11, 2, 7, 1, 0, 12], np.uint32)


def _until(counter: str, bound: str) -> str:
    return f"USGE TEMP[3], {counter}, {bound}\nUIF TEMP[3].xxxx\nBRK\nENDIF\n"


INNER = f"""UADD OUT[0].x, OUT[0].xxxx, IMM[0].yyyy
MOV TEMP[1], IMM[0].xxxx
BGNLOOP
{_until("TEMP[1]", "IN[0].xxxx")}UADD TEMP[1], TEMP[1], IMM[0].yyyy
UADD OUT[0].y, OUT[0].yyyy, IMM[0].yyyy
ENDLOOP
"""
SKIPPING = "USEQ TEMP[3], OUT[0].xxxx, IN[0].xxxx\nUIF TEMP[3].xxxx\nUADD OUT[0].x, OUT[0].xxxx, IMM[0].yyyy\nCONT\nENDIF\n"
COUNT = "UADD TEMP[2], TEMP[2], IMM[0].yyyy\n"
NESTS = {
    "inner loops of all lanes alike": INNER.replace("IN[0].xxxx", "IMM[0].wwww"),
    "inner loops that lanes leave one by one": INNER,
    "inner loops that some lanes enter": f"UIF IN[0].xxxx\n{INNER.replace('IN[0].xxxx', 'IMM[0].wwww')}ENDIF\n",
    "endless inner loops": INNER.replace("BRK\n", ""),
    "inner loops behind CONT": SKIPPING + INNER,
    "two inner loops": INNER + INNER.replace("TEMP[1]", "TEMP[2]").replace("OUT[0]", "OUT[1]"),
    "three deep": f"MOV TEMP[2], IMM[0].xxxx\nBGNLOOP\n{_until('TEMP[2]', 'IN[0].yyyy')}{INNER}{COUNT}ENDLOOP\n",
    "RET from the inner loop": INNER + INNER.replace("BRK", "RET").replace("TEMP[1]", "TEMP[2]"),
}
BODIES = {
    **{name: f"BGNLOOP\n{nest}ENDLOOP\nMOV OUT[1].w, IMM[0].yyyy\n" for name, nest in NESTS.items()},
    "no nest": f"BGNLOOP\n{_until('OUT[0].xxxx', 'IN[0].xxxx')}UADD OUT[0].x, OUT[0].xxxx, IMM[0].yyyy\nENDLOOP\n",
    "one loop behind another": "BGNLOOP\nUADD OUT[0].x, OUT[0].xxxx, IMM[0].yyyy\nENDLOOP\n" * 2,
    "a nest in a subroutine": "BGNLOOP\nCAL :4\nENDLOOP\nEND\nBGNSUB\nUADD OUT[0].z, OUT[0].zzzz, IMM[0].yyyy\n" + INNER + "RET\nENDSUB\n",
}


def _run(body: str, engine: str, **options: Any) -> RunResult:
    inputs = np.stack([COUNTS, COUNTS[::-1], COUNTS, COUNTS], axis=1)[:, None]
    return tgsi.run(tgsi.parse(f"{HEADER}{body}" + ("" if "ENDSUB" in body else "END\n")), inputs, engine=engine, **options)


@pytest.mark.parametrize("fuel", [1, 7, 40])
@pytest.mark.parametrize("name", BODIES)
def test_lanes_run_out_of_fuel_in_the_same_round_in_both_engines(name: str, fuel: int) -> None:
    expected = _run(BODIES[name], "interp", fuel=fuel)
    assert expected.exhausted.any()
    for lanes in (4, 16, 64):
        assert result_differences(expected, _run(BODIES[name], "jit", fuel=fuel, lanes=lanes), exact=True) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_nest_has_one_budget(engine: str) -> None:
    inner = "BGNLOOP\nUADD OUT[0].y, OUT[0].yyyy, IMM[0].yyyy\nENDLOOP\n"
    given = {} if engine == "jit" else {"fuel": 4000}  # the interpreter is slow
    found = _run(f"BGNLOOP\nUADD OUT[0].x, OUT[0].xxxx, IMM[0].yyyy\n{inner}ENDLOOP\n", engine, **given)
    assert found.outputs[:, 0, :2].tolist() == [[1, given.get("fuel", FUEL)]] * len(COUNTS)
    assert found.exhausted.all()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_result_tells_which_invocations_ran_out(engine: str) -> None:
    found = _run(BODIES["no nest"], engine, fuel=9)
    assert found.exhausted.tolist() == (COUNTS >= 9).tolist()
    assert found.outputs[:, 0, 0].tolist() == np.minimum(COUNTS, 9).tolist()
    assert not _run("MOV OUT[0], IN[0]\n", engine).exhausted.any()


@pytest.mark.usefixtures("light_code")
@pytest.mark.parametrize(("begin", "end"), [(0, 30), *(pytest.param(k, k + 120, marks=pytest.mark.nightly) for k in range(30, 750, 120))])
def test_generated_programs_run_out_alike(begin: int, end: int) -> None:
    ran_out = 0
    for seed in range(begin, end):
        generated = generate(seed)
        if "BGNLOOP" not in generated.text:
            continue
        arguments = {**generated.arguments, "fuel": 1 + seed % 4}
        assert engine_differences(generated.text, arguments, lanes=LANES[seed % 5]) == [], generated.text
        ran_out += bool(tgsi.run(tgsi.parse(generated.text), engine="interp", **arguments).exhausted.any())
    assert ran_out > 5


@pytest.mark.parametrize("engine", ENGINES)
def test_the_command_warns_of_invocations_that_ran_out(engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shader = tmp_path / "a.tgsi"
    shader.write_text(f"{HEADER}{BODIES['no nest']}END\n")
    command = ["--run", str(shader), "--inputs", "[[[1, 0, 0, 0]], [[8, 0, 0, 0]], [[9, 0, 0, 0]]]", "--engine", engine, "--format", "json"]
    assert cli.main([*command, "--fuel", "8"]) == 0
    shown = capsys.readouterr()
    expected = "warning: 2 of 3 invocations (1-2) left a loop after 8 rounds, all their fuel; their results are cut short, --fuel NUMBER"
    assert expected in shown.err
    assert json.loads(shown.out)["exhausted"] == [False, True, True]
    assert cli.main(command) == 0
    shown = capsys.readouterr()
    assert "fuel" not in shown.err
    assert "exhausted" not in json.loads(shown.out)
