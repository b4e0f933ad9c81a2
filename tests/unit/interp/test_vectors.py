"""The interpreter agrees with Mesa 18.1 on every measured vector."""

from __future__ import annotations

from collections import defaultdict

import pytest

from backends.interp.run import run
from tests.golden.vectors import Case, cases

BY_OPCODE: dict[str, list[Case]] = defaultdict(list)
for _case in cases("opcodes"):
    BY_OPCODE[_case.opcode].append(_case)


def _mistakes(chosen: list[Case]) -> str:
    return "\n".join(line for case in chosen for line in case.mistakes(case.run(run)))


@pytest.mark.parametrize("opcode", sorted(BY_OPCODE))
def test_opcode_equals_its_vectors(opcode: str) -> None:
    assert _mistakes(BY_OPCODE[opcode]) == ""


@pytest.mark.parametrize("case", cases("flow"), ids=lambda case: case.name)
def test_flow_equals_its_vectors(case: Case) -> None:
    assert _mistakes([case]) == ""


@pytest.mark.parametrize("part", range(10))
def test_random_programs_equal_their_vectors(part: int) -> None:
    assert _mistakes(list(cases("random")[part::10])) == ""
