"""FRC of infinities, MIN and MAX of zeros, and what Mesa lowers GLSL's floor, mod, abs and frexp to, in both engines.

C's modf has 0 as the fraction of an infinity (C11, F.10.3.12), and IEEE 754-2019 orders -0 below +0 in its minimum and maximum (section
9.6), as the instructions of ARM, RISC-V and WebAssembly do. Direct3D 10 leaves the sign of such a zero open, and has NaN for the fraction
of an infinity ("frc (sm4 - asm)"), with which floor(x) = x - frc(x) would be NaN, too.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import tgsi

INF, NAN = np.float32(np.inf), np.float32(np.nan)
NUMBERS = np.array([0.0, -0.0, 1.0, -1.0, 1.5, -1.5, -1e-20, 1e30, -1e30, INF, -INF, 3e-42], np.float32)
ENGINES: tuple[Any, ...] = ("interp", "jit")


def bits(values: Any) -> list[int]:
    return [int(word) for word in np.asarray(values, np.float32).view(np.uint32).ravel()]


def both(body: str, rows: Any, temps: int = 4) -> list[int]:
    """Words of OUT[0].x for each row (x, y, z, w), which both engines agree on."""
    text = f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..{temps}]\nIMM[0] FLT32 {{0.0, -0.0, 0.5, 0.0}}\n{body}\nEND"
    inputs = np.asarray(rows, np.float32).reshape(len(rows), 1, 4)
    found = [bits(tgsi.run(tgsi.parse(text), inputs, engine=engine).floats[:, 0, 0]) for engine in ENGINES]
    assert found[0] == found[1]
    return found[0]


def rows_of(*columns: Any) -> Any:
    return np.stack([*columns, *[np.zeros_like(columns[0])] * (4 - len(columns))], 1)


def test_the_fraction_of_an_infinity_is_0() -> None:
    with np.errstate(invalid="ignore"):
        want = np.where(np.isinf(NUMBERS), np.float32(0), NUMBERS - np.floor(NUMBERS))
    assert both("FRC OUT[0], IN[0].xxxx", rows_of(NUMBERS)) == bits(want)
    assert np.isnan(np.array(both("FRC OUT[0], IN[0].xxxx", rows_of(np.array([NAN], np.float32))), np.uint32).view(np.float32)).all()


def test_the_floor_of_every_number_is_its_difference_from_its_fraction() -> None:
    found = both("FRC TEMP[0], IN[0].xxxx\nADD OUT[0], IN[0].xxxx, -TEMP[0]", rows_of(NUMBERS))
    assert np.array(found, np.uint32).view(np.float32).tolist() == np.floor(NUMBERS).tolist()


def ordered(name: str, a: np.float32, b: np.float32) -> np.float32:
    if a == b == 0:
        return np.float32(-0.0 if (np.signbit(a) or np.signbit(b) if name == "MIN" else np.signbit(a) and np.signbit(b)) else 0.0)
    return min(a, b) if name == "MIN" else max(a, b)


@pytest.mark.parametrize("name", ["MIN", "MAX"])
def test_minus_0_is_below_plus_0(name: str) -> None:
    a, b = (np.array(column, np.float32) for column in zip(*itertools.product(NUMBERS, NUMBERS)))
    want = bits([ordered(name, *pair) for pair in zip(a, b)])
    assert both(f"{name} OUT[0], IN[0].xxxx, IN[0].yyyy", rows_of(a, b)) == want
    for channel, zero in (("x", 0.0), ("y", -0.0), ("z", 0.5)):
        want = bits([ordered(name, x, np.float32(zero)) for x in NUMBERS])
        assert both(f"{name} OUT[0], IN[0].xxxx, IMM[0].{channel * 4}", rows_of(NUMBERS)) == want
        assert both(f"{name} OUT[0], IMM[0].{channel * 4}, IN[0].xxxx", rows_of(NUMBERS)) == want


@pytest.mark.parametrize("name", ["MIN", "MAX"])
def test_the_second_operand_stands_for_a_nan(name: str) -> None:
    numbers = np.array([0.0, -0.0, 2.0], np.float32)
    found = both(f"{name} OUT[0], IN[0].xxxx, IN[0].yyyy", rows_of(np.full(3, NAN), numbers))
    assert found == bits([0.0, -0.0, 2.0])


def test_the_maximum_with_the_negated_value_is_the_absolute_value() -> None:
    assert both("MAX OUT[0], IN[0].xxxx, -IN[0].xxxx", rows_of(NUMBERS)) == bits(np.abs(NUMBERS))


def test_the_exponent_of_0_is_0() -> None:
    """frexp as Mesa lowers it: the exponent's bits of the absolute value, less 126, if that is not 0."""
    body = """MAX TEMP[0], IN[0].xxxx, -IN[0].xxxx
USHR TEMP[1], TEMP[0], IMM[1].xxxx
UADD TEMP[1], TEMP[1], IMM[1].yyyy
USNE TEMP[2], TEMP[0], IMM[0].xxxx
UCMP TEMP[1], TEMP[2], TEMP[1], IMM[0].xxxx
I2F OUT[0], TEMP[1]""".replace("MAX TEMP", "IMM[1] INT32 {23, -126, 0, 0}\nMAX TEMP", 1)
    assert both(body, rows_of(np.array([0.0, -0.0, 1.0, -8.0], np.float32))) == bits([0.0, 0.0, 1.0, 4.0])


@pytest.mark.parametrize("a", [0.0, -0.0, float("inf"), float("-inf"), 1.5])
@pytest.mark.parametrize("b", [0.0, -0.0])
def test_folded_constants_agree(a: float, b: float) -> None:
    words = np.array([a, b], np.float32).view(np.uint32)
    head = f"VERT\nDCL OUT[0], POSITION\nIMM[0] UINT32 {{{words[0]}, {words[1]}, 0, 0}}\n"
    for body in ("FRC OUT[0], IMM[0].xxxx", "MIN OUT[0], IMM[0].xxxx, IMM[0].yyyy", "MAX OUT[0], IMM[0].xxxx, IMM[0].yyyy"):
        program = tgsi.parse(f"{head}{body}\nEND")
        inputs = np.zeros((1, 0, 4), np.uint32)
        plain, folded = (tgsi.run(p, inputs, engine="interp").outputs.tolist() for p in (program, tgsi.optimize(program)))
        assert plain == folded, body
