"""Buffers: robust access, and atomics in the order of lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.interp.run import run
from backends.run.result import RunResult
from tests.unit.interp.support import column
from tgsi.language.text.parser import parse

HEADER = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL BUFFER[0]\nDCL CONST[0..1]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 4, 8, 100}\n"


def _run(body: str, addresses: list[int], words: list[int], **options: Any) -> RunResult:
    inputs = column(addresses).astype(np.uint32)[:, None]
    return run(parse(f"{HEADER}{body}\nEND\n"), inputs, buffers={0: np.array(words, np.uint32)}, **options)


def test_load_takes_words_in_a_row_and_0_outside() -> None:
    result = _run("LOAD OUT[0], BUFFER[0], IN[0].xxxx", [0, 4, 9, 16, 2**32 - 4], [10, 11, 12, 13])
    assert result.outputs[:, 0].tolist() == [[10, 11, 12, 13], [11, 12, 13, 0], [12, 13, 0, 0], [0] * 4, [0] * 4]


def test_load_applies_the_swizzle_of_the_resource() -> None:
    assert _run("LOAD OUT[0], BUFFER[0].wwxy, IN[0].xxxx", [0], [10, 11, 12, 13]).outputs[0, 0].tolist() == [13, 13, 10, 11]


def test_store_writes_masked_channels_inside_only() -> None:
    arguments = np.array([1, 2, 3, 4], np.uint32)
    result = _run("STORE BUFFER[0].xzw, IN[0].xxxx, IMM[0]", [0, 12, 400], arguments.tolist())
    assert result.buffers[0].view(np.uint32).tolist() == [0, 2, 8, 0]
    assert arguments.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("opcode", "start", "end", "seen"),
    [
        ("ATOMUADD", 5, 205, [5, 105]),
        ("ATOMXCHG", 5, 100, [5, 100]),
        ("ATOMAND", 7, 4, [7, 4]),
        ("ATOMOR", 1, 101, [1, 101]),
        ("ATOMXOR", 1, 1, [1, 101]),
        ("ATOMUMIN", 2**32 - 1, 100, [2**32 - 1, 100]),
        ("ATOMIMIN", 2**32 - 1, 2**32 - 1, [2**32 - 1, 2**32 - 1]),
        ("ATOMUMAX", 2**32 - 1, 2**32 - 1, [2**32 - 1, 2**32 - 1]),
        ("ATOMIMAX", 2**32 - 1, 100, [2**32 - 1, 100]),
        ("ATOMINC_WRAP", 99, 0, [99, 100]),
        ("ATOMDEC_WRAP", 0, 99, [0, 100]),
    ],
)
def test_atomics_act_lane_after_lane(opcode: str, start: int, end: int, seen: list[int]) -> None:
    result = _run(f"{opcode} OUT[0].x, BUFFER[0], IN[0].xxxx, IMM[0].wwww", [4, 4], [0, start])
    assert result.buffers[0].view(np.uint32).tolist() == [0, end]
    assert result.outputs[:, 0, 0].tolist() == seen


def test_compare_and_swap_succeeds_once() -> None:
    result = _run("ATOMCAS OUT[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy, IMM[0].wwww", [0, 0, 0], [4])
    assert result.buffers[0].view(np.uint32).tolist() == [100]
    assert result.outputs[:, 0, 0].tolist() == [4, 100, 100]


def test_killed_lanes_change_nothing() -> None:
    text = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL BUFFER[0]
IMM[0] UINT32 {0, 1, 2, 3}
KILL_IF IN[0]
ATOMUADD OUT[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
END
"""
    inputs = np.repeat(np.array([-1, 1, 1, -1], np.float32)[:, None, None], 4, axis=2)
    assert run(parse(text), inputs, buffers={0: [0]}).buffers[0].view(np.uint32).tolist() == [2]


def test_size_and_constant_buffers() -> None:
    result = _run("RESQ OUT[0], BUFFER[0]", [0], [1, 2, 3])
    assert result.outputs[0, 0].tolist() == [12, 0, 0, 0]
