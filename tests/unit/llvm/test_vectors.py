"""Generated code agrees with Mesa 18.1 on every measured vector of supported opcodes."""

from __future__ import annotations

from collections import defaultdict

import pytest

from backends.llvm.kernels.run import run
from backends.llvm.translate.emit import EMITTERS, load_emitters
from tests.golden.vectors import Case, Tolerance, cases
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import FIRST_THREAD, Trait

pytestmark = pytest.mark.light

#: Largest errors of our polynomials, in addition to Mesa's own errors.
TOLERANCE = {
    "EX2": Tolerance(2),
    "EXP": Tolerance(2),
    "LG2": Tolerance(3),
    "LOG": Tolerance(3),
    "POW": Tolerance(2),
    "LIT": Tolerance(2),
    "SIN": Tolerance(2, 2.0**-22),
    "COS": Tolerance(2, 2.0**-22),
}

BY_OPCODE: dict[str, list[Case]] = defaultdict(list)
for _case in cases("opcodes"):
    BY_OPCODE[_case.opcode].append(_case)

#: Opcodes that the translator builds itself.
FLOW = frozenset(
    [
        "BGNLOOP",
        "BGNSUB",
        "BRK",
        "CAL",
        "CASE",
        "CONT",
        "DEFAULT",
        "DEMOTE",
        "ELSE",
        "END",
        "ENDIF",
        "ENDLOOP",
        "ENDSUB",
        "ENDSWITCH",
        "IF",
        "KILL",
        "KILL_IF",
        "NOP",
        "RET",
        "SWITCH",
        "UIF",
    ]
)


def _mistakes(chosen: list[Case], lanes: int = 16) -> str:
    return "\n".join(line for case in chosen for line in case.mistakes(case.run(run, lanes=lanes), TOLERANCE))


@pytest.mark.parametrize("opcode", sorted(BY_OPCODE))
def test_opcode_equals_its_vectors(opcode: str) -> None:
    assert _mistakes(BY_OPCODE[opcode]) == ""


@pytest.mark.parametrize("case", cases("flow"), ids=lambda case: case.name)
def test_flow_equals_its_vectors(case: Case) -> None:
    assert _mistakes([case], lanes=4) == ""


@pytest.mark.parametrize("part", range(10))
def test_random_programs_equal_their_vectors(part: int) -> None:
    assert _mistakes(list(cases("random")[part::10]), lanes=8) == ""


def test_every_opcode_is_emitted() -> None:
    known = {name for name, info in OPCODES.items() if not ({Trait.GAP} | FIRST_THREAD) & info.traits}
    load_emitters()
    assert known - EMITTERS.keys() == FLOW
