"""Fields of bits: a field of 32 bits from bit 0 on is the whole word; other widths and offsets count modulo 32."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi

A, B = 0x89ABCDEF, 0x12345678
FIELDS = list(itertools.product((0, 1, 13, 31, 32, 33), (0, 1, 8, 31, 32, 33, 64)))


def expected(name: str, offset: int, width: int) -> int:
    start, count = offset & 31, 32 if width == 32 and offset & 31 == 0 else width & 31
    field = (1 << count) - 1
    if name == "BFI":
        return (B << start & field << start | A & ~(field << start)) & 0xFFFFFFFF
    found = A >> start & field
    count = min(count, 32 - start)
    return found - (1 << count) & 0xFFFFFFFF if name == "IBFE" and count and found >> count - 1 else found


def run(text: str, engine: Any, inputs: NDArray[np.uint32]) -> list[int]:
    return [int(word) for word in tgsi.run(tgsi.parse(text), inputs, engine=engine).outputs[:, 0, 0]]


@pytest.mark.parametrize("engine", ["interp", "jit"])
@pytest.mark.parametrize("name", ["UBFE", "IBFE", "BFI"])
def test_fields_of_bits(name: str, engine: Any) -> None:
    sources = "IN[0].xxxx, IN[0].yyyy, IN[0].zzzz, IN[0].wwww" if name == "BFI" else "IN[0].xxxx, IN[0].zzzz, IN[0].wwww"
    inputs = np.array([[[A, B, *field]] for field in FIELDS], np.uint32)
    wanted = [expected(name, *field) for field in FIELDS]
    assert run(f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n{name} OUT[0], {sources}\nEND", engine, inputs) == wanted
    for (offset, width), want in list(zip(FIELDS, wanted))[::3]:
        known = sources.replace("IN[0].zzzz", "IMM[0].xxxx").replace("IN[0].wwww", "IMM[0].yyyy")
        head = f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nIMM[0] UINT32 {{{offset}, {width}, 0, 0}}\n"
        assert run(f"{head}{name} OUT[0], {known}\nEND", engine, inputs[:1]) == [want], (offset, width)
