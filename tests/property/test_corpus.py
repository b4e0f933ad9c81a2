"""Shaders of the corpus, written by compilers of real drivers, compile and run in both engines, with equal results where both are exact."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

import tgsi
from backends.run.result import RunResult
from tests.property.fitting import fitting_arguments
from tests.property.pools import INEXACT, INEXACT_CHANNELS
from tgsi.language.program import Program

STAGES = ("VERT", "FRAG", "GEOM", "TESC", "TESE", "COMP")
PARTS = 4
FUEL = 300

INEXACT_OPCODES = INEXACT | INEXACT_CHANNELS.keys() | {"LODQ", "LOD"}


def _shaders(shared: Path, stage: str) -> list[Path]:
    return sorted((shared / "corpus").glob(f"{stage}-*.tgsi"))


def _seed(path: Path) -> int:
    return zlib.crc32(path.name.encode()) % 100_000


def _is_exact(program: Program) -> bool:
    return INEXACT_OPCODES.isdisjoint(item.opcode.name for item in program.instructions)


def _differ(a: RunResult, b: RunResult) -> bool:
    """True if words differ."""
    pairs = [
        (a.outputs, b.outputs),
        *zip(a.emitted, b.emitted),
        *((a.buffers[k].view(np.uint32), b.buffers[k].view(np.uint32)) for k in a.buffers),
    ]
    return not all(np.array_equal(x, y) for x, y in (*pairs, (a.alive, b.alive)))


def _mistakes(paths: list[Path]) -> list[str]:
    """Shaders whose results differ. An exception means that an engine refuses a shader."""
    wrong = []
    for path in paths:
        program = tgsi.parse(path.read_text(), name=path.name)
        for floats in (True, False):
            given = fitting_arguments(program, _seed(path), filters=False, floats=floats)
            ours = tgsi.run(program, engine="interp", fuel=FUEL, **given)
            theirs = tgsi.run(program, engine="jit", fuel=FUEL, **given)
            if floats and _is_exact(program) and _differ(ours, theirs):
                wrong.append(path.name)
    return wrong


@pytest.mark.light
@pytest.mark.peers
@pytest.mark.parametrize("stage", STAGES)
def test_a_sample_of_the_corpus_is_run_alike(stage: str, shared: Path) -> None:
    assert _mistakes(_shaders(shared, stage)[::PARTS]) == []


@pytest.mark.peers
@pytest.mark.nightly
@pytest.mark.parametrize("part", range(1, PARTS))
@pytest.mark.parametrize("stage", STAGES)
def test_the_corpus_is_run_alike(stage: str, part: int, shared: Path) -> None:
    assert _mistakes(_shaders(shared, stage)[part::PARTS]) == []


@pytest.mark.peers
def test_the_corpus_is_whole(shared: Path) -> None:
    assert sum(len(_shaders(shared, stage)) for stage in STAGES) == 1001
