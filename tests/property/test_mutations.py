"""The script that plants faults changes exactly the function that it names, and a seed determines its faults."""

from __future__ import annotations

import tgsi
from backends.interp import integer
from tests.property.mutations import faults, plant

PLACE = ("backends/interp/integer.py", "bfi")
PROGRAM = """VERT
DCL IN[0]
DCL OUT[0], POSITION
IMM[0] UINT32 {0, 255, 5, 4}
IMM[1] UINT32 {9, 3, 12, 8}
BFI OUT[0], IMM[0], IMM[1], IMM[1].zyxw, IMM[1].wwyy
END
"""


def result() -> list[int]:
    found: list[int] = tgsi.run(tgsi.parse(PROGRAM), [[[0.0] * 4]], engine="interp").outputs[0, 0].view("u4").tolist()
    return found


def test_a_planted_fault_changes_what_the_function_computes() -> None:
    chosen = faults(3, 1, {PLACE})
    assert chosen
    right = integer.bfi.__code__
    assert result() == [36864, 31, 2053, 4]
    try:
        assert plant(chosen[0])
        assert result() != [36864, 31, 2053, 4]
    finally:
        integer.bfi.__code__ = right
    assert result() == [36864, 31, 2053, 4]


def test_a_seed_determines_the_faults() -> None:
    executed = {PLACE, ("backends/interp/integer.py", "ubfe")}
    assert faults(5, 7, executed) == faults(5, 7, executed) != faults(5, 8, executed)
    assert len(set(faults(5, 7, executed))) == len(faults(5, 7, executed))


def test_functions_that_do_not_exist_get_no_fault() -> None:
    assert faults(5, 1, {(PLACE[0], "absent")}) == []
