"""Passes preserve the results of the interpreter."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.interp.run import run
from backends.run.arguments import prepare
from passes.pipeline import Pipeline
from passes.registry import DEFAULT, PASSES
from passes.validate import validate
from tests.golden.vectors import Case, cases
from tests.property.engines import check, result_differences
from tests.property.programs import generate
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.text.parser import parse

MANY = f"expand-opcodes,if-to-select{{instructions=20}},{DEFAULT}"
PIPELINES = [*(name for name in sorted(PASSES) if not name.startswith("lower-")), DEFAULT, MANY]


def differences(text: str, arguments: Mapping[str, Any], pipeline: str) -> list[str]:
    """Lines that describe each output word changed by a pipeline."""
    program = parse(text)
    if any(item.opcode.looks_at_other_lanes for item in program.instructions) and not prepare(program, **arguments).present.all():
        return []  # the values of lanes that only complete a quad are not specified
    made = Pipeline.parse(pipeline).run(program)
    validate(made)
    assert parse(str(made)) == made
    before, after = run(program, **arguments), run(made, **arguments)
    return result_differences(before, after, exact=True, survivors=True)


@pytest.mark.parametrize(("begin", "end"), [(0, 15), pytest.param(15, 200, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda text: text[:40])
def test_pipeline_keeps_the_results_of_any_program(pipeline: str, begin: int, end: int) -> None:
    for seed in range(begin, end):
        check(generate(seed), lambda text, arguments: differences(text, arguments, pipeline))


@pytest.mark.parametrize("seed", [4683, 6465, 26569, 65026, 918950])
def test_programs_that_were_optimised_wrongly_once_keep_their_results(seed: int) -> None:
    check(generate(seed), lambda text, arguments: differences(text, arguments, DEFAULT))


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(20))
def test_the_default_pipeline_keeps_the_results_of_20000_programs(part: int) -> None:
    for seed in range(1000 * part, 1000 * part + 1000):
        check(generate(seed), lambda text, arguments: differences(text, arguments, DEFAULT))


@pytest.mark.parametrize("part", range(4))
def test_optimised_vectors_equal_their_measurements(part: int) -> None:
    pipeline = Pipeline.parse(f"if-to-select,{DEFAULT}")
    lines: list[str] = []
    for case in [case for name in ("opcodes", "flow", "random") for case in cases(name)][part::4]:
        optimised = Case(case.name, case.data)
        optimised.__dict__["program"] = pipeline.run(case.program)
        lines += optimised.mistakes(optimised.run(run))
    assert lines == []


def _corpus(path: Path, pipeline: Pipeline) -> list[str]:
    """Words of a corpus shader's results that the pipeline changes; none if the interpreter does not run the shader."""
    program = parse(path.read_text(), name=path.name)
    made = pipeline.run(program)
    random = np.random.default_rng(zlib.crc32(path.name.encode()))
    registers = program.file_size(File.IN)
    constants = {0: random.uniform(-2, 2, (64, 4)).astype(np.float32)}
    choices: list[Any] = [
        random.integers(0, 2**32, (8, registers, 4), np.uint32),
        random.uniform(-2, 2, (8, registers, 4)).astype(np.float32),
    ]
    for inputs in choices:
        try:
            before = run(program, inputs, constants=constants, fuel=200)
        except UnsupportedError:
            return []
        after = run(made, inputs, constants=constants, fuel=200)
        if result_differences(before, after, exact=True, survivors=True):
            return [path.name]
    return []


@pytest.mark.peers
@pytest.mark.parametrize("stage", ["VERT", "FRAG"])
def test_default_pipeline_keeps_the_corpus(stage: str, shared: Path) -> None:
    step = int(os.environ.get("TGSI_CORPUS_STEP", "9"))
    pipeline = Pipeline.parse(DEFAULT)
    assert [name for path in sorted((shared / "corpus").glob(f"{stage}-*.tgsi"))[::step] for name in _corpus(path, pipeline)] == []
