"""Generated programs are the same after they were written as SPIR-V and read back; what SPIR-V cannot say is refused."""

from __future__ import annotations

import pytest

import tgsi
from tests.property.programs import generate
from tests.property.spirv_round import round_trip

STAGES = ("VERT", "FRAG", "GEOM", "TESS_CTRL", "COMP")
EXAMPLES, LEAST = 8, 2


def _compared(stage: str, begin: int, end: int) -> int:
    """Compare programs, and count those that SPIR-V has words for."""
    count = 0
    for seed in range(begin, end):
        generated = generate(seed, (stage,), each=3)
        program = tgsi.parse(generated.text)
        try:
            found = round_trip(program, generated.arguments)
        except tgsi.UnsupportedError:
            continue
        assert found == [], f"generate({seed}, ({stage!r},), each=3)"
        count += 1
    return count


@pytest.mark.parametrize("stage", STAGES)
def test_generated_programs_survive_spirv(stage: str) -> None:
    assert _compared(stage, 0, EXAMPLES) >= LEAST


@pytest.mark.nightly
@pytest.mark.parametrize("stage", STAGES)
def test_more_generated_programs_survive_spirv(stage: str) -> None:
    assert _compared(stage, EXAMPLES, 100) >= LEAST
