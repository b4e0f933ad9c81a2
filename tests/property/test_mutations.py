"""The script that plants faults changes exactly the function that it names, and a seed determines its faults."""

from __future__ import annotations

import tgsi
from backends.interp import compare
from tests.property.mutations import faults, plant

PLACE = ("backends/interp/compare.py", "islt")
PROGRAM = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nIMM[0] INT32 {-1, 3, 3, 4}\nISLT OUT[0], IMM[0], IMM[0].zzzz\nEND\n"


def result() -> list[int]:
    found: list[int] = tgsi.run(tgsi.parse(PROGRAM), [[[0.0] * 4]], engine="interp").outputs[0, 0].view("i4").tolist()
    return found


def test_a_planted_fault_changes_what_the_function_computes() -> None:
    chosen = faults(3, 1, {PLACE})
    assert chosen
    right = compare.islt.__code__
    assert result() == [-1, 0, 0, 0]
    try:
        assert plant(chosen[0])
        assert result() != [-1, 0, 0, 0]
    finally:
        compare.islt.__code__ = right
    assert result() == [-1, 0, 0, 0]


def test_a_seed_determines_the_faults() -> None:
    executed = {PLACE, ("backends/interp/integer.py", "ubfe")}
    assert faults(5, 7, executed) == faults(5, 7, executed) != faults(5, 8, executed)
    assert len(set(faults(5, 7, executed))) == len(faults(5, 7, executed))


def test_functions_that_do_not_exist_get_no_fault() -> None:
    assert faults(5, 1, {(PLACE[0], "absent")}) == []
