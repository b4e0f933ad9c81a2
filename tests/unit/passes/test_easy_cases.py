"""The default pipeline makes every easy case as short as it can be, and keeps its bits."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from backends.interp.run import run
from passes.pipeline import Pipeline
from passes.registry import DEFAULT
from passes.validate import validate
from tests.property.engines import result_differences
from tests.unit.passes.easy_cases import CASES, HEADS
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

FUEL = 1000
"""Rounds of a loop. Loops of the cases end after few rounds or never."""


def program_of(text: str) -> Program:
    """The program of a case."""
    stage, colon, rest = text.partition(": ")
    stage, text = (stage, rest) if colon and stage in HEADS else ("FRAG", text)
    lines = [*text.split("; "), *(() if "; END;" in text else ("END",))]
    program = parse(HEADS[stage] + "\n".join(lines) + "\n")
    validate(program)
    return program


@pytest.mark.parametrize("name", CASES)
def test_an_easy_case_is_made_short(name: str) -> None:
    text, most = CASES[name]
    made = Pipeline.parse(DEFAULT).run(program_of(text))
    assert len(made.instructions) <= most, str(made)


@pytest.mark.parametrize("name", CASES)
def test_an_easy_case_keeps_its_bits(name: str) -> None:
    program = program_of(CASES[name][0])
    made = Pipeline.parse(DEFAULT).run(program)
    chance = np.random.default_rng(zlib.crc32(name.encode()))
    shape = (8, 2, 4) if program.processor.name == "FRAG" else (4, 3, 1, 4)
    constants = {0: chance.integers(0, 7, (8, 4), np.uint32)}
    for inputs in (
        chance.integers(0, 1 << 32, shape, np.uint32),
        chance.integers(0, 3, shape, np.uint32),
        chance.normal(0, 2, shape).astype(np.float32),
    ):
        before, after = (run(item, inputs, constants=constants, fuel=FUEL) for item in (program, made))
        assert result_differences(before, after, exact=True, survivors=True) == []
