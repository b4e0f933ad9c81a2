"""The same bytes for every number of lanes and every level of the processor, on generated programs and on measured ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import llvmlite.binding as llvm
import pytest

from backends.llvm.run import run
from tests.golden.vectors import Case, cases, is_nan
from tests.property.engines import check, engine_differences
from tests.property.programs import GeneratedProgram, generate
from tests.property.settings import BATCH, LANES, LEVELS

# What a level has beyond the one before it.
FEATURES = {
    "x86-64": (),
    "x86-64-v2": ("popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"),
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
COMBINATIONS = [(lanes, level) for level in LEVELS for lanes in LANES]
MEASURED = [case for name in ("opcodes", "flow", "random") for case in cases(name)]


def _need(level: str) -> None:
    host = llvm.get_host_cpu_features()
    missing = [name for known in LEVELS[: LEVELS.index(level) + 1] for name in FEATURES[known] if not host.get(name)]
    if missing:
        pytest.skip(f"this machine is below {level}: it lacks {', '.join(missing)}")


def _programs(lanes: int, level: str, programs: Iterable[GeneratedProgram]) -> None:
    for generated in programs:
        check(generated, lambda text, arguments: engine_differences(text, arguments, lanes=lanes, cpu=level))


def _measured(lanes: int, level: str, chosen: list[Case]) -> list[str]:
    """Cases whose words are not those of 16 lanes on this machine's own level, exact or not; any NaN equals any NaN."""
    wrong = []
    for case in chosen:
        options: dict[str, Any] = {"lanes": lanes, "cpu": level}
        first, second = case.run(run, lanes=16), case.run(run, **options)
        same = (first.outputs == second.outputs) | (is_nan(first.outputs) & is_nan(second.outputs))
        if not same.all() or first.alive.tobytes() != second.alive.tobytes():
            wrong.append(case.name)
    return wrong


@pytest.mark.parametrize(("lanes", "level"), COMBINATIONS)
def test_a_sample_is_the_same(lanes: int, level: str) -> None:
    _need(level)
    number = COMBINATIONS.index((lanes, level))
    _programs(lanes, level, (generate(seed, size=3, each=4) for seed in range(2 * number, 2 * number + 2)))
    assert _measured(lanes, level, MEASURED[number :: 5 * len(COMBINATIONS)]) == []


@pytest.mark.nightly
@pytest.mark.parametrize(("lanes", "level"), COMBINATIONS)
def test_generated_programs_are_the_same(lanes: int, level: str) -> None:
    _need(level)
    _programs(lanes, level, map(generate, range(BATCH)))


@pytest.mark.nightly
@pytest.mark.parametrize(("lanes", "level"), COMBINATIONS)
def test_measured_programs_are_the_same(lanes: int, level: str) -> None:
    _need(level)
    assert _measured(lanes, level, MEASURED) == []
