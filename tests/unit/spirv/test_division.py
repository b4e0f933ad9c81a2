"""Divisions of integers have a result for every divisor, and the SPIR-V that is written never divides by 0 or -2^31 by -1."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi

LOWEST, LAST = 0x80000000, 0xFFFFFFFF
PAIRS = np.array([(a, b) for a in (0, 1, 7, LOWEST - 1, LOWEST, LOWEST + 1, LAST) for b in (0, 1, 3, LOWEST, LAST)], np.uint32)
QUOTIENTS = {"IDIV": (0, LOWEST), "UDIV": (LAST, 0), "MOD": (LAST, 0), "UMOD": (LAST, LOWEST)}
"""Results of 5 / 0 and of -2^31 / -1."""


def program(opcode: str) -> tgsi.Program:
    declared = "DCL IN[0], GENERIC[0], CONSTANT\nDCL IN[1], GENERIC[1], CONSTANT\nDCL OUT[0], COLOR\n"
    return tgsi.parse(f"FRAG\n{declared}{opcode} OUT[0], IN[0], IN[1]\nEND\n")


def result(item: tgsi.Program, pairs: NDArray[np.uint32], engine: str = "interp") -> list[int]:
    inputs = np.repeat(pairs[:, :, None], 4, axis=2)
    words = tgsi.run(item, inputs, engine=engine).outputs.view(np.uint32)[:, 0]
    assert (words == words[:, :1]).all()
    return [int(word) for word in words[:, 0]]


@pytest.mark.parametrize("engine", ["interp", "jit"])
@pytest.mark.parametrize("opcode", QUOTIENTS)
def test_quotients_are_the_same_after_the_way_through_spirv(opcode: str, engine: str) -> None:
    before = program(opcode)
    after = tgsi.read_spirv(tgsi.write_spirv(before))
    assert result(after, PAIRS, engine) == result(before, PAIRS, "interp")
    assert tuple(result(after, np.array([(5, 0), (LOWEST, LAST)], np.uint32), engine)) == QUOTIENTS[opcode]


@pytest.mark.parametrize("opcode", QUOTIENTS)
def test_the_written_module_divides_by_no_divisor_without_a_quotient(opcode: str) -> None:
    text = str(tgsi.read_spirv(tgsi.write_spirv(program(opcode))))
    (divided,) = re.findall(rf"\b{opcode} (TEMP\[\d+\]), IN\[0\], (TEMP\[\d+\])", text)
    shown = re.sub(r"MOV OUT\[0\], .*", f"MOV OUT[0], {divided[1]}", text)
    divisors = result(tgsi.parse(shown), PAIRS)
    assert 0 not in divisors
    is_signed = opcode in ("IDIV", "MOD")
    for (a, b), divisor in zip(PAIRS.tolist(), divisors, strict=True):
        has_quotient = b and not (is_signed and (a, b) == (LOWEST, LAST))
        assert divisor == (b if has_quotient else 1)
