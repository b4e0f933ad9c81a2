"""Results are equal bytes for every number of lanes and every level of the processor, for generated and measured programs."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import tgsi
from backends.llvm.kernels.run import run
from backends.run.result import RunResult
from tests.golden.vectors import cases
from tests.levels import LANES, LEVELS, need
from tests.property.engines import check, engine_differences, result_differences
from tests.property.programs import GeneratedProgram, generate

PROGRAMS, PART = 30, 10
"""Number of generated programs that run with all lanes and levels, and number of programs per test."""
COMBINATIONS = [(lanes, level) for level in LEVELS for lanes in LANES]
WIDEST = 16
"""Most lanes of code that is compiled at the level of production by day."""
MEASURED = [case for name in ("opcodes", "flow", "random") for case in cases(name)]


def _check(generated: GeneratedProgram, lanes: int, level: str) -> None:
    check(generated, functools.partial(engine_differences, lanes=lanes, cpu=level))


@functools.cache
def _reference(number: int) -> RunResult:
    """Result of a measured case with 16 lanes at this machine's own level."""
    return MEASURED[number].run(run, lanes=16)


def _measured(lanes: int, level: str, chosen: range) -> list[str]:
    """Cases whose words differ from those of the reference."""
    wrong = []
    options: dict[str, Any] = {"lanes": lanes, "cpu": level}
    for number in chosen:
        case = MEASURED[number]
        first, second = _reference(number), case.run(run, **options)
        if first.outputs.tobytes() != second.outputs.tobytes() or first.alive.tobytes() != second.alive.tobytes():
            wrong.append(case.name)
    return wrong


@pytest.mark.parametrize(
    ("lanes", "level"), [pytest.param(*pair, marks=pytest.mark.light) if pair[0] > WIDEST else pair for pair in COMBINATIONS]
)
def test_a_sample_is_the_same(lanes: int, level: str) -> None:
    need(level)
    number = COMBINATIONS.index((lanes, level))
    _check(generate(number, size=3, each=4), lanes, level)
    assert _measured(lanes, level, range(number, len(MEASURED), 5 * len(COMBINATIONS))) == []


@pytest.mark.nightly
@pytest.mark.parametrize("begin", range(0, PROGRAMS, PART))
@pytest.mark.parametrize("level", LEVELS)
def test_generated_programs_are_the_same(level: str, begin: int) -> None:
    need(level)
    for seed in range(begin, begin + PART):
        generated = generate(seed)
        program = tgsi.parse(generated.text)
        expected = tgsi.run(program, engine="interp", **generated.arguments)
        for lanes in LANES:
            if result_differences(expected, tgsi.run(program, lanes=lanes, cpu=level, **generated.arguments)):
                _check(generated, lanes, level)


@pytest.mark.nightly
@pytest.mark.parametrize(("lanes", "level"), COMBINATIONS)
def test_measured_programs_are_the_same(lanes: int, level: str) -> None:
    need(level)
    assert _measured(lanes, level, range(len(MEASURED))) == []
