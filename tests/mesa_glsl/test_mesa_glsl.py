"""Programs that are read from the SPIR-V of a text of GLSL compute what Mesa's own TGSI of that text computes, and take no more time."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

import tgsi
from tests.mesa_glsl.bench import PEERS, bench_pairs, unlike
from tests.mesa_glsl.judge import differences
from tests.mesa_glsl.pairs import MesaMissingError, Pair, pairs
from tests.mesa_glsl.programs import STAGES, shader
from tests.mesa_glsl.speed import bench_speed, does_more, pair_speed, slow
from tests.unit.glsl.glslang import needs_glslang

pytestmark = [pytest.mark.peers, needs_glslang]
COUNT = 200
FIRST = 1000
"""Seed of the first program."""
needs_bench = pytest.mark.skipif(not PEERS.is_dir(), reason="../shared/peers is not there")


def recorded(count: int) -> list[Pair]:
    """Pairs of the generator, a third of each stage."""
    try:
        return pairs([shader(seed, STAGES[seed % 3]) for seed in range(FIRST, FIRST + count)])
    except MesaMissingError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("stage", STAGES)
def test_texts_of_the_generator_are_read(stage: str) -> None:
    for seed in range(4):
        assert tgsi.compile(shader(seed, stage).text, stage=stage).instructions


def test_a_wrong_instruction_is_seen() -> None:
    text = shader(FIRST, STAGES[FIRST % 3])
    ours = tgsi.compile(text.text, stage=text.stage)
    wrong = tgsi.parse(str(ours).replace(" UADD ", " UMAX ").replace(" ADD ", " MAX "))
    declared = tuple(
        replace(item, semantic=replace(item.semantic, index=item.semantic.index + 9))
        if item.semantic and item.semantic.name == "GENERIC"
        else item
        for item in ours.declarations
    )
    same = replace(ours, declarations=declared)
    assert differences(Pair(text, same, ours), "jit") == []
    changed = replace(wrong, declarations=declared)
    assert differences(Pair(text, changed, ours), "jit") != []


@pytest.mark.nightly
@needs_bench
def test_the_programs_of_the_benchmark_agree_with_mesas() -> None:
    found = {pair.name: unlike(pair, "jit") for pair in bench_pairs() if not pair.name[-2:].isdigit() or pair.name.endswith("00")}
    assert len(found) > 30
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.nightly
@needs_bench
@pytest.mark.parametrize("engine", ["jit", "interp"])
def test_all_programs_of_the_benchmark_agree_with_mesas(engine: str) -> None:
    found = {pair.name: unlike(pair, engine) for pair in bench_pairs()}
    assert len(found) > 80
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.nightly
def test_generated_programs_agree_with_mesas_and_are_as_fast() -> None:
    made = recorded(COUNT)
    wrong = {f"{pair.shader.seed} {engine}": found for pair in made for engine in ("jit", "interp") if (found := differences(pair, engine))}
    assert wrong == {}
    behind, mean = slow({str(pair.shader.seed): partial(pair_speed, pair) for pair in made})
    assert behind == {}
    assert mean > 1


@pytest.mark.nightly
@needs_bench
def test_programs_of_the_benchmark_are_as_fast_as_mesas() -> None:
    behind, mean = slow({pair.name: partial(bench_speed, pair) for pair in bench_pairs() if not does_more(pair)})
    assert behind == {}
    assert mean > 1
