"""Operations that Mesa 18.1 lacks, or in which ours differ from Mesa's."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from backends.interp.registry import ACTIONS, OPERATIONS
from backends.interp.run import run
from tests.unit.interp.support import column, run_vertices
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.text.parser import parse


def _floats(body: str, *registers: list[float]) -> list[float]:
    """Channel x of OUT[0] for each invocation. Each input register holds one value in every channel."""
    inputs = np.stack([np.repeat(np.array(values, np.float32)[:, None], 4, axis=1) for values in registers], axis=1)
    values: list[float] = run_vertices(body, inputs).floats[:, 0, 0].tolist()
    return values


def test_fma_rounds_once() -> None:
    generator = np.random.default_rng(5)
    a, b = (generator.uniform(-2, 2, 400).astype(np.float32) for _ in range(2))
    with np.errstate(all="ignore"):
        c = (-(a * b) * (1 + generator.integers(-3, 4, 400) * np.float32(2.0**-23))).astype(np.float32)
    inputs = np.stack([np.repeat(v[:, None], 4, axis=1) for v in (a, b)], axis=1)
    body = "FMA OUT[0], IN[0], IN[1], CONST[0]"
    for lane in range(0, 400, 40):
        part = slice(lane, lane + 40)
        for one in range(lane, lane + 40, 13):
            out = run_vertices(body, inputs[part], constants={0: np.full((1, 4), c[one], np.float32)}).floats[one - lane, 0, 0]
            exact = Fraction(float(a[one])) * Fraction(float(b[one])) + Fraction(float(c[one]))
            assert abs(Fraction(float(out)) - exact) <= Fraction(float(np.spacing(np.abs(out)))) / 2


def test_fma_keeps_what_float64_would_round_away() -> None:
    tiny = float(np.float32(2.0**-60))
    a = 1 + 2.0**-12  # a*a = 1 + 2^-11 + 2^-24: a tie, which the far smaller addend decides
    for sign, expected in ((1, 1 + 2.0**-11 + 2.0**-23), (-1, 1 + 2.0**-11)):
        out = run_vertices(
            "FMA OUT[0], IN[0], IN[1], CONST[0]",
            np.full((1, 2, 4), a, np.float32),
            constants={0: np.full((1, 4), sign * tiny, np.float32)},
        )
        assert out.floats[0, 0, 0] == expected


def test_f2u_clamps_and_nan_gives_0() -> None:
    inputs = np.repeat(np.array([-1, np.nan, 1e20, 4e9, 0.9], np.float32)[:, None], 4, axis=1)
    assert run_vertices("F2U OUT[0], IN[0]", inputs).outputs[:, 0, 0].tolist() == [0, 0, 2**32 - 1, 4000000000, 0]


def test_smallest_integer_by_minus_one() -> None:
    inputs = np.stack([column([-(2**31)] * 4), column([-1] * 4)], axis=1)
    assert run_vertices("IDIV OUT[0], IN[0], IN[1]\nMOD OUT[1], IN[0], IN[1]", inputs).outputs[0, :, 0].tolist() == [2**31, 0]


def test_division_by_0_follows_ieee() -> None:
    assert _floats("DIV OUT[0], IN[0], IN[1]", [1, -1], [0, 0]) == [np.inf, -np.inf]


def test_products_with_0_are_0_where_the_program_asks() -> None:
    text = """FRAG
PROPERTY MUL_ZERO_WINS 1
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
IMM[0] FLT32 {0.0, 1.0, 2.0, 3.0}
MUL OUT[0].x, IN[0], IMM[0].xxxx
DP2 OUT[0].y, IN[0], IMM[0].xyyy
MAD OUT[0].z, IN[0], IMM[0].xxxx, IMM[0].wwww
END
"""
    out = run(parse(text), np.array([[[np.inf, 5, np.nan, 0]]], np.float32)).floats[0, 0]
    assert out[:3].tolist() == [0, 5, 3]


@pytest.mark.parametrize(
    ("opcode", "values", "word"),
    [
        ("PK4UB", [0.0, 1.0, 0.5, 2.0], 0xFF80FF00),
        ("PK4B", [-1.0, 1.0, -0.5, np.nan], 0x00C07F81),
        ("PK2US", [1.0, 0.5, 0, 0], 0x8000FFFF),
    ],
)
def test_packing_rounds_clamps_and_takes_nan_as_0(opcode: str, values: list[float], word: int) -> None:
    assert run_vertices(f"{opcode} OUT[0], IN[0]", np.array([values], np.float32)).outputs[0, 0, 0] == word


@pytest.mark.parametrize(
    ("opcode", "word", "values"),
    [
        ("UP4UB", 0xFF80FF00, [0.0, 1.0, np.float32(128) / np.float32(255), 1.0]),
        ("UP4B", 0x80817F00, [0.0, 1.0, -1.0, -1.0]),
        ("UP2US", 0xFFFF0000, [0.0, 1.0, 0.0, 1.0]),
    ],
)
def test_unpacking(opcode: str, word: int, values: list[float]) -> None:
    assert run_vertices(f"{opcode} OUT[0], IN[0]", np.full((1, 4), word, np.uint32)).floats[0, 0].tolist() == values


def test_votes_see_active_lanes_of_their_quad() -> None:
    body = """UIF IN[1].xxxx
VOTE_ANY OUT[0].x, IN[0]
VOTE_ALL OUT[0].y, IN[0]
VOTE_EQ OUT[0].z, IN[0]
BALLOT OUT[1], IN[0]
ENDIF"""
    values = np.repeat(np.array([1, 0, 1, 1, 0, 0, 0, 0], np.float32)[:, None], 4, axis=1)
    active = column([1, 0, 1, 1, 1, 1, 1, 0]).astype(np.uint32).view(np.float32)
    out = run_vertices(body, np.stack([values, active], axis=1)).outputs
    yes = 2**32 - 1
    assert out[0, 0, :3].tolist() == [yes, yes, yes]
    assert out[1].tolist() == [[0] * 4, [0] * 4]
    assert out[0, 1].tolist() == [0b1101, 0, 0, 0]
    assert out[4, 0, :3].tolist() == [0, 0, yes]


def test_lanes_read_each_other() -> None:
    body = "UIF IN[0].xxxx\nREAD_FIRST OUT[0], IN[0]\nREAD_INVOC OUT[1], IN[0], IMM[0].wwww\nENDIF"
    out = run_vertices(body, column([0, 7, 8, 9])).outputs
    assert out[:, 0, 0].tolist() == [0, 7, 7, 7]
    assert out[:, 1, 0].tolist() == [0, 9, 9, 9]


def test_fine_derivatives_differ_between_rows_and_columns() -> None:
    text = """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DDX_FINE OUT[0].x, IN[0].xxxx
DDY_FINE OUT[0].y, IN[0].xxxx
DDX OUT[0].z, IN[0].xxxx
DDY OUT[0].w, IN[0].xxxx
END
"""
    values = np.repeat(np.array([1, 2, 4, 9], np.float32)[:, None, None], 4, axis=2)
    assert run(parse(text), values).floats[:, 0].tolist() == [[1, 3, 5, 3], [1, 7, 5, 3], [5, 3, 5, 3], [5, 7, 5, 3]]


def test_what_cannot_be_run_is_named_with_its_line() -> None:
    body = "FRAG\nDCL OUT[0], COLOR\nDCL MEMORY[0], SHARED\nLOAD OUT[0], MEMORY[0], OUT[0].xxxx\nEND\n"
    with pytest.raises(UnsupportedError, match="LOAD on MEMORY registers in FRAG") as caught:
        run(parse(body))
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert span.line == 4


def test_every_opcode_of_the_table_is_implemented() -> None:
    flow = {"IF", "UIF", "ELSE", "ENDIF", "BGNLOOP", "ENDLOOP", "BRK", "CONT", "SWITCH", "CASE", "DEFAULT", "ENDSWITCH"}
    calls = {"CAL", "RET", "BGNSUB", "ENDSUB", "END"}
    assert OPCODES.keys() - flow - calls == OPERATIONS.keys() | ACTIONS.keys()


def test_numbers_without_an_opcode_do_nothing() -> None:
    assert run_vertices("MOV OUT[0], IN[0]\nUNK31\nUNK165", column([7])).outputs[0, 0].tolist() == [7] * 4
