"""Generated pairs of task and mesh programs: as they are and lowered for NVIDIA's memory they give the same, in both engines."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import tgsi
from backends.nvk.emulator.compare import Comparison, compare
from tests.property.mesh_pairs import MeshPair, generate
from tests.property.settings import CI_EXAMPLES, MESH_PAIRS

EXAMPLES = 1000
PART = 20
"""Pairs of one test by day."""

LANES = (8, 16, 4, 8, 32, 8)
"""Lanes of compiled code, pair by pair."""

BY_DAY = [(begin, begin + PART) for begin in range(0, MESH_PAIRS, PART)]
BY_NIGHT = [pytest.param(*pair, marks=pytest.mark.nightly) for pair in pairwise([*range(MESH_PAIRS, EXAMPLES, 100), EXAMPLES])]


def both(pair: MeshPair) -> tuple[Comparison, Comparison]:
    """Comparisons of the interpreter and of compiled code."""
    mesh = tgsi.parse(pair.mesh)
    task = tgsi.parse(pair.task) if pair.task else None
    runs = (partial(tgsi.run, engine="interp"), partial(tgsi.run, lanes=LANES[pair.seed % len(LANES)]))
    interp, jit = (compare(mesh, task, run, pair.grid, draw_id=pair.seed, **pair.arguments) for run in runs)
    return interp, jit


def equal(interp: Comparison, jit: Comparison) -> bool:
    """True if both engines give the same vertices, primitives and numbers of invocations."""
    same = interp.invocations == jit.invocations and len(interp.direct) == len(jit.direct)
    names = ("vertices", "indices", "primitives")
    return same and all(np.array_equal(getattr(a, name), getattr(b, name)) for a, b in zip(interp.direct, jit.direct) for name in names)


@pytest.mark.slow
@pytest.mark.usefixtures("light_code")
@pytest.mark.parametrize(("begin", "end"), [*BY_DAY, *BY_NIGHT])
def test_direct_and_lowered_programs_agree(begin: int, end: int) -> None:
    found = {}
    for seed in range(begin, end):
        interp, jit = both(generate(seed))
        if interp.differences or jit.differences or not equal(interp, jit):
            found[seed] = [*interp.differences, *jit.differences] or ["the engines differ"]
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
