"""lower-nan-limits, lower-int-limits, lower-denormal-tests: limits of a number and a NaN, integers of large floats, tests for 0; in both
engines."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from passes.base import Pass
from passes.lower.denormals import LowerDenormalTests
from passes.lower.numbers import LowerIntLimits, LowerNanLimits
from passes.validate import validate

HEAD = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL CONST[0..1]\nDCL TEMP[0..1]\nDCL ADDR[0]\n"
HEAD += "IMM[0] FLT32 {0.5, 0.25, 0.0, 1.0}\nIMM[1] UINT32 {2143289344, 0, 0, 0}\n"
NAN = float("nan")
VALUES = np.array([NAN, -NAN, 2, -3, 0.25, np.inf, -np.inf, 0.75], "f4")
A, B = (pairs.astype("f4") for pairs in np.meshgrid(VALUES, VALUES))
with np.errstate(invalid="ignore"):
    SUM = A + B


def outputs(text: str, *, engine: str, is_lowered: bool = True) -> NDArray[np.float32]:
    """Channel x of OUT[0] for each pair of the values."""
    program = tgsi.parse(HEAD + text + "END\n")
    if is_lowered:
        program = LowerNanLimits().run(program)
        validate(program)
    inputs = np.zeros((A.size, 2, 4), "f4")
    inputs[:, 0], inputs[:, 1] = A.reshape(-1, 1), B.reshape(-1, 1)
    with np.errstate(all="ignore"):
        return tgsi.run(program, inputs, constants={0: np.array([[NAN] * 4, [0.5] * 4], "f4")}, engine=engine).floats[:, 0, 0]


@pytest.mark.parametrize("engine", ["interp", "jit"])
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("MIN OUT[0], IN[0], IN[1]\n", np.fmin(A, B)),
        ("MAX OUT[0], IN[0], IN[1]\n", np.fmax(A, B)),
        ("MAX OUT[0], -IN[0], |IN[1]|\n", np.fmax(-A, np.abs(B))),
        ("MIN OUT[0], IMM[0].xxxx, IN[1]\n", np.fmin(np.float32(0.5), B)),
        ("MIN OUT[0], IN[0], IMM[1].xxxx\n", A),
        ("MAX OUT[0], IN[0], CONST[0]\n", A),
        ("MOV TEMP[0], IN[0]\nMIN TEMP[0].x, TEMP[0].yyyy, IN[1]\nMOV OUT[0], TEMP[0].xxxx\n", np.fmin(A, B)),
        ("MOV_SAT OUT[0], IN[0]\n", np.fmin(np.fmax(A, 0), 1)),
        ("MAX_SAT OUT[0], IN[0], IN[1]\n", np.fmin(np.fmax(np.fmax(A, B), 0), 1)),
        ("ADD_SAT OUT[0], IN[0], IN[1]\n", np.fmin(np.fmax(SUM, 0), 1)),
    ],
)
def test_a_limit_is_the_number_where_the_other_operand_is_a_nan(text: str, wanted: NDArray[np.float32], engine: str) -> None:
    np.testing.assert_array_equal(outputs(text, engine=engine), wanted.reshape(-1))


@pytest.mark.parametrize(
    ("lowering", "text"),
    [
        (LowerNanLimits, "MIN OUT[0], IN[0], IMM[0].xxxx\n"),
        (LowerNanLimits, "MAX OUT[0], IN[0], -IN[0]\n"),
        (LowerNanLimits, "UMIN OUT[0], IN[0], IN[1]\n"),
        (LowerNanLimits, "MAX TEMP[ADDR[0].x], IN[0], IN[1]\nMOV OUT[0], TEMP[0]\n"),
        (LowerNanLimits, "ADD OUT[0], IN[0], IN[1]\n"),
        (LowerDenormalTests, "FSLT OUT[0], IMM[0].xxxx, IN[0]\n"),
        (LowerDenormalTests, "FSLT OUT[0], IMM[0].zwzz, IN[0]\n"),
        (LowerDenormalTests, "USNE OUT[0], IMM[0].zzzz, IN[0]\n"),
        (LowerDenormalTests, "FSNE TEMP[ADDR[0].x], IN[0], IN[1]\nMOV OUT[0], TEMP[0]\n"),
    ],
)
def test_what_needs_nothing_or_has_no_room_stays(lowering: type[Pass], text: str) -> None:
    program = tgsi.parse(HEAD + text + "END\n")
    assert lowering().run(program) is program


def test_a_test_for_a_difference_stays_where_there_is_no_room() -> None:
    program = tgsi.parse(HEAD + "FSNE TEMP[ADDR[0].x], IN[0], IMM[0].zzzz\nMOV OUT[0], TEMP[0]\nEND\n")
    assert LowerDenormalTests().run(program).instructions == program.instructions


def test_tgsi_itself_gives_the_second_operand() -> None:
    plain = outputs("MIN OUT[0], IN[0], IN[1]\n", engine="jit", is_lowered=False)
    np.testing.assert_array_equal(plain, np.where(A < B, A, B).reshape(-1))


LARGE = np.array([0, -0.0, 1.75, -1.75, 2147483520, 2147483648, 3e9, 1e30, np.inf, -2147483648, -3e9, -np.inf, NAN], "f4")
INTEGERS = np.array([0, 0, 1, -1, 2147483520, *[2147483647] * 4, *[-2147483648] * 4], "i4")


@pytest.mark.parametrize("engine", ["interp", "jit"])
@pytest.mark.parametrize(
    "text",
    [
        "F2I OUT[0], IN[0]\n",
        "F2I OUT[0].xy, -|IN[1].yyyy|\nF2I OUT[0], IN[0].wzyx\n",
        "MOV TEMP[0], IN[0]\nF2I TEMP[0].xy, TEMP[0].yxzw\nMOV OUT[0], TEMP[0]\n",
    ],
)
def test_a_float_above_all_integers_becomes_the_largest_one(text: str, engine: str) -> None:
    program = LowerIntLimits().run(tgsi.parse(HEAD + text + "END\n"))
    validate(program)
    inputs = np.zeros((LARGE.size, 2, 4), "f4")
    inputs[:] = LARGE.reshape(-1, 1, 1)
    with np.errstate(all="ignore"):
        made = tgsi.run(program, inputs, constants={0: np.zeros((2, 4), "f4")}, engine=engine).outputs[:, 0, 0]
    np.testing.assert_array_equal(made.view("i4"), INTEGERS)


@pytest.mark.parametrize("text", ["F2U OUT[0], IN[0]\n", "F2I TEMP[ADDR[0].x], IN[0]\nMOV OUT[0], TEMP[0]\n"])
def test_an_integer_that_needs_nothing_or_has_no_room_stays(text: str) -> None:
    program = tgsi.parse(HEAD + text + "END\n")
    assert LowerIntLimits().run(program) is program


TESTS = {"LT": np.less, "GE": np.greater_equal, "EQ": np.equal, "NE": np.not_equal, "GT": np.greater, "LE": np.less_equal}
TINY = np.array([0, 1, 0x7FFFFF, 0x800000, 0x800001, 0x3F800000, 0x7F800000, 0x7FC00000], np.uint32)
TESTED = np.concatenate([TINY, TINY | np.uint32(1 << 31)]).view("f4")
ORDERS = {"{0}, {1}": False, "{1}, {0}": True}


@pytest.mark.parametrize("engine", ["interp", "jit"])
@pytest.mark.parametrize("opcode", ["FSLT", "FSGE", "FSEQ", "FSNE", "SLT", "SGE", "SEQ", "SNE", "SGT", "SLE"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("operand", ["IN[0]", "-IN[0]", "|IN[0]|"])
@pytest.mark.parametrize("zero", ["IMM[0].zzzz", "-IMM[0].zzzz"])
def test_a_denormal_number_compares_as_0_with_0(opcode: str, order: str, operand: str, zero: str, engine: str) -> None:
    text = f"{opcode} OUT[0], {order.format(operand, zero)}\n"
    program = LowerDenormalTests().run(tgsi.parse(HEAD + text + "END\n"))
    validate(program)
    inputs = np.zeros((TESTED.size, 2, 4), "f4")
    inputs[:, 0] = TESTED[:, None]
    got = tgsi.run(program, inputs, constants={0: np.zeros((2, 4), "f4")}, engine=engine).outputs[:, 0, 0]
    x = {"IN[0]": TESTED, "-IN[0]": -TESTED, "|IN[0]|": np.abs(TESTED)}[operand]
    x = np.where(np.abs(x) < np.finfo(np.float32).tiny, 0, x)
    nothing = np.zeros_like(x)
    found = TESTS[opcode[-2:]](*((nothing, x) if ORDERS[order] else (x, nothing)))
    assert np.array_equal(got, np.where(found, 0xFFFFFFFF if opcode[0] == "F" else 0x3F800000, 0).astype(np.uint32))
