"""Generated pairs of task and mesh programs: as they are and lowered for NVIDIA's memory they give the same, in both engines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

import tgsi
from backends.nvk.emulator.compare import Comparison, compare
from backends.run.result import RunResult
from tests.property.engines import result_differences
from tests.property.mesh_pairs import MeshPair, generate
from tests.property.settings import CI_EXAMPLES, MESH_PAIRS
from tgsi.language.program import Program

EXAMPLES = 500
PART = 6
"""Pairs of one test by day."""

LANES = (8, 16, 4, 8, 32, 8)
"""Lanes of compiled code, pair by pair."""

BY_DAY = [(begin, begin + PART) for begin in range(0, MESH_PAIRS, PART)]
BY_NIGHT = [pytest.param(*pair, marks=pytest.mark.nightly) for pair in pairwise([*range(MESH_PAIRS, EXAMPLES, 50), EXAMPLES])]


Runs = tuple[Comparison, Sequence[RunResult]]
"""The comparison of one engine, and its runs: of the programs as they are, and of the lowered ones."""


def both(pair: MeshPair) -> tuple[Runs, Runs]:
    """Comparisons and runs of the interpreter and of compiled code."""
    mesh = tgsi.parse(pair.mesh)
    task = tgsi.parse(pair.task) if pair.task else None

    def work(**engine: Any) -> Runs:
        results: list[RunResult] = []

        def run(program: Program, **options: Any) -> RunResult:
            results.append(tgsi.run(program, **engine, **options))
            return results[-1]

        return compare(mesh, task, run, pair.grid, draw_id=pair.seed, **pair.arguments), results

    return work(engine="interp"), work(lanes=LANES[pair.seed % len(LANES)])


def differences(interp: Runs, jit: Runs) -> list[str]:
    """Differences between programs and lowered programs in each engine, and between the engines in any run: outputs, payloads, memory."""
    lines = [*interp[0].differences, *jit[0].differences]
    lines += [
        f"run {number}: {line}" for number, pair in enumerate(zip(interp[1], jit[1])) for line in result_differences(*pair, exact=True)
    ]
    same = interp[0].invocations == jit[0].invocations and len(interp[1]) == len(jit[1])
    return lines if same else [*lines, "the numbers of invocations or of runs differ"]


@pytest.mark.slow
@pytest.mark.usefixtures("light_code")
@pytest.mark.parametrize(("begin", "end"), [*BY_DAY, *BY_NIGHT])
def test_direct_and_lowered_programs_agree(begin: int, end: int) -> None:
    found = {}
    for seed in range(begin, end):
        lines = differences(*both(generate(seed)))
        if lines:
            found[seed] = lines[:20]
    assert found == {}


def test_generated_pairs_use_everything() -> None:
    pairs = [generate(seed) for seed in range(CI_EXAMPLES)]
    text = "".join(pair.mesh + pair.task for pair in pairs)
    words = ["VIEWPORT_INDEX", "VIEWPORT_MASK", "CULL_PRIMITIVE", "LAYER", "PRIM_ID", "PSIZE", "CLIPDIST", "EMIT_MESH_TASKS", "BARRIER"]
    words += (
        "ATOMXCHG",
        "ATOMINC_WRAP",
        "ATOMDEC_WRAP",
        "POINTS",
        "LINES",
        "TRIANGLES",
        "ELSE",
        "DRAWID",
        "ADDR[1].x+",
        "CS_FIXED_BLOCK_WIDTH 11",
    )
    assert [word for word in words if word not in text] == []
    assert {bool(pair.task) for pair in pairs} == {False, True}
