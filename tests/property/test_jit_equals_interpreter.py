"""The two engines, written independently, give the same bits for any valid program."""

from __future__ import annotations

import pytest

import tgsi
from tests.property.engines import check
from tests.property.programs import STAGES, generate
from tests.property.settings import BATCH, CI_EXAMPLES, NIGHTLY_EXAMPLES, ranges

pytestmark = pytest.mark.usefixtures("light_code")


@pytest.mark.parametrize(("begin", "end"), ranges(NIGHTLY_EXAMPLES, BATCH))
def test_compiled_programs_equal_interpreted_ones(begin: int, end: int) -> None:
    for seed in range(begin, end):
        check(generate(seed))


def test_generated_programs_are_valid_and_survive_printing() -> None:
    for seed in range(CI_EXAMPLES):
        program = tgsi.parse(generate(seed).text)
        tgsi.validate(program)
        assert tgsi.parse(str(program)) == program


@pytest.mark.parametrize("stage", STAGES)
def test_generated_programs_use_every_opcode_of_their_stage(stage: str) -> None:
    texts = "".join(generate(seed, (stage,)).text for seed in range(100))
    used = {line.split(" ")[0].removesuffix("_PRECISE").removesuffix("_SAT") for line in texts.split("\n")}
    assert set(STAGES[stage].deck) - used == set()
