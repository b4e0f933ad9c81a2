"""Runs of programs are ended by what a signal handler raises, and by their time limit, inside of a loop, too."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.alarms import alarms, interrupted
from tgsi.api import ENGINES

LOOP = """{head}
DCL TEMP[0]
IMM[0] FLT32 {{0.999, 0.6, 0.0, 0.0}}
MOV TEMP[0], {start}
BGNLOOP
MAD TEMP[0], TEMP[0].yxwz, IMM[0].xxxx, IMM[0].yyyy
{body}ENDLOOP
{end}
END
"""
VERTEX = tgsi.parse(LOOP.format(head="VERT\nDCL IN[0]\nDCL OUT[0], POSITION", start="IN[0]", body="", end="MOV OUT[0], TEMP[0]"))
UNIFORM = tgsi.parse(LOOP.format(head="VERT\nDCL OUT[0], POSITION", start="IMM[0]", body="", end="MOV OUT[0], TEMP[0]"))
DIVERGENT = tgsi.parse(
    LOOP.format(
        head="VERT\nDCL IN[0]\nDCL OUT[0], POSITION",
        start="IN[0]",
        body="SLT TEMP[0].w, TEMP[0].xxxx, IN[0].xxxx\nIF TEMP[0].wwww\nBGNLOOP\nADD TEMP[0].y, TEMP[0].yyyy, IMM[0].xxxx\n"
        "SGE TEMP[0].z, TEMP[0].yyyy, IN[0].yyyy\nIF TEMP[0].zzzz\nBRK\nENDIF\nENDLOOP\nENDIF\n",
        end="MOV OUT[0], TEMP[0]",
    )
)
BARRIER = tgsi.parse(
    LOOP.format(
        head="COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 64\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\nDCL BUFFER[0]",
        start="IMM[0]",
        body="BARRIER\n",
        end="STORE BUFFER[0].xyzw, IMM[0].zzzz, TEMP[0]",
    )
)
INPUTS = np.ones((16, 1, 4), np.float32)
RUNS: dict[str, tuple[tgsi.Program, dict[str, Any]]] = {
    "varying": (VERTEX, {"inputs": INPUTS}),
    "uniform": (UNIFORM, {"inputs": np.zeros((16, 0, 4), np.float32)}),
    "divergent": (DIVERGENT, {"inputs": INPUTS * np.arange(16, dtype=np.float32)[:, None, None]}),
    "barrier": (BARRIER, {"buffers": {0: b"\0" * 64}}),
}
MOST = (1 << 31) - 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", RUNS)
def test_a_handler_ends_a_run(name: str, engine: str) -> None:
    program, given = RUNS[name]
    tgsi.run(program, engine=engine, fuel=100, **given)
    with interrupted():
        tgsi.run(program, engine=engine, fuel=MOST, **given)
    result = tgsi.run(program, engine=engine, fuel=100, **given)
    assert result.exhausted.all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", RUNS)
def test_a_run_ends_at_its_limit(name: str, engine: str) -> None:
    program, given = RUNS[name]
    begin = time.perf_counter()
    with pytest.raises(
        tgsi.TimeLimitError, match=r"^error\[B064\]: run: it took longer than the limit of 0.5 seconds\n.*run\(time_limit=...\)"
    ):
        tgsi.run(program, engine=engine, fuel=MOST, time_limit=0.5, **given)
    assert time.perf_counter() - begin < 2


@pytest.mark.parametrize("fuel", [255, 256, 257, 4351, 4352, 4353])
@pytest.mark.parametrize("name", ["varying", "uniform", "divergent"])
def test_slices_count_every_round(name: str, fuel: int) -> None:
    program, given = RUNS[name]
    jit, interp = (tgsi.run(program, engine=engine, fuel=fuel, **given) for engine in ENGINES)
    assert (jit.outputs == interp.outputs).all()
    assert (jit.exhausted == interp.exhausted).all()


def test_handlers_that_return_change_nothing() -> None:
    wanted = tgsi.run(VERTEX, INPUTS, fuel=1 << 24)
    called: list[int] = []
    with alarms(0.01, lambda: called.append(1)):
        found = tgsi.run(VERTEX, INPUTS, fuel=1 << 24)
    assert (found.outputs == wanted.outputs).all()
    assert called


@pytest.mark.parametrize("limit", [0, -1.5, float("inf"), float("nan")])
def test_wrong_limits_are_refused(limit: float) -> None:
    with pytest.raises(ValueError, match=r"^run: time_limit: expected a number of seconds above 0"):
        tgsi.run(VERTEX, INPUTS, time_limit=limit)
