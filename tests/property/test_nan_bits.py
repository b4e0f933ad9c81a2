"""Short programs that mix float arithmetic, moves and integer opcodes in few registers have the same bits in both engines.

Most inputs are NaNs and infinities. A register holds now a computed float, now an integer that looks like a NaN, and lanes disagree.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

import tgsi
from backends.llvm.program.nan_bits import ALL, NanBits, nan_bits
from backends.llvm.translate import translator
from tests.effort import lower
from tests.golden.vectors import Words
from tgsi.language.program import Program

COMPUTING = {"ADD": 2, "MUL": 2, "MAD": 3, "LRP": 3, "DP2": 2, "RCP": 1, "SQRT": 1, "FLR": 1, "F2D": 1, "D2F": 1, "DADD": 2, "I2F": 1}
HANDING_ON = {"MOV": 1, "MIN": 2, "MAX": 2, "CMP": 3, "UCMP": 3, "DNEG": 1, "DABS": 1, "DMAX": 2, "READ_FIRST": 1}
READING = {"XOR": 2, "UADD": 2, "USHR": 2, "FSLT": 2, "UMAX": 2, "PK2H": 1, "VOTE_EQ": 1}
REGISTERS = 5
PROGRAMS = 400
PART = 50
LANES = 8

_NANS = [0xFFC00000, 0x7F800001, 0xFF812345, 0x7FFFFFFF, 0x7FC00000]
SPECIAL = np.array([*_NANS, 0x7F800000, 0xFF800000, 0, 0xBF800000, 0x40490FDB], np.uint32)

COUNT = "UADD TEMP[9].x, TEMP[9].xxxx, IMM[0].xxxx\nUSGE TEMP[9].y, TEMP[9].xxxx, IMM[0].yyyy\nUIF TEMP[9].yyyy\nBRK\nENDIF"
"""End of a loop of three rounds."""


def _statements(chance: random.Random, depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(chance.randint(2, 6)):
        draw = chance.randrange(12)
        if draw == 0 and depth < 2:
            lines += [f"{chance.choice(('IF', 'UIF'))} {_source(chance)}", *_statements(chance, depth + 1)]
            lines += ["ELSE", *_statements(chance, depth + 1)] if chance.randrange(2) else []
            lines.append("ENDIF")
        elif draw == 1 and depth < 1:
            before, after = (_statements(chance, depth + 1) for _ in range(2))
            lines += ["MOV TEMP[9].x, IMM[0].zzzz", "BGNLOOP", *before, COUNT, *after, "ENDLOOP"]
        else:
            kinds = chance.choice((COMPUTING, COMPUTING, HANDING_ON, READING))
            name = chance.choice(list(kinds))
            mask = chance.choice(("xyzw", "xy", "zw", "x", "y", "xyz"))
            saturate = "_SAT" if chance.randrange(12) == 0 else ""
            sources = ", ".join(_source(chance) for _ in range(kinds[name]))
            lines.append(f"{name}{saturate} TEMP[{chance.randrange(REGISTERS)}].{mask}, {sources}")
    return lines


def _source(chance: random.Random) -> str:
    register = chance.choice([*[f"TEMP[{k}]" for k in range(REGISTERS)] * 3, "IN[0]", "IN[1]", "IMM[1]"])
    order = "".join(chance.choice("xyzw") for _ in range(4)) if chance.randrange(2) else "xyzw"
    return chance.choice(("{}", "{}", "{}", "-{}", "|{}|")).format(f"{register}.{order}")


def text_of(seed: int, mark: int = 0) -> str:
    """Text of the program of a seed. Texts with another mark share no kernel."""
    chance = random.Random(seed)
    outputs = [f"DCL OUT[{k}], GENERIC[{k}]" for k in range(REGISTERS)]
    immediates = [f"IMM[0] UINT32 {{1, 3, 0, {mark}}}", "IMM[1] UINT32 {2147483649, 4290772993, 1065353216, 0}"]
    ends = [f"MOV OUT[{k}], TEMP[{k}]" for k in range(REGISTERS)]
    lines = ["VERT", "DCL IN[0..1]", *outputs, "DCL TEMP[0..9]", *immediates, *_statements(chance, 0), *ends, "END", ""]
    return "\n".join(lines)


def inputs_of(seed: int) -> Words:
    rng = np.random.default_rng(seed)
    return SPECIAL[rng.integers(0, len(SPECIAL), (16, 2, 4))]


def wrong(seed: int, mark: int = 0) -> bool:
    """True if the engines differ in a bit of the program of a seed."""
    program, given = tgsi.parse(text_of(seed, mark)), inputs_of(seed)
    want = tgsi.run(program, given, engine="interp").outputs
    return not np.array_equal(tgsi.run(program, given, engine="jit", lanes=LANES).outputs, want)


@pytest.mark.parametrize("begin", [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(PART, PROGRAMS, PART))])
def test_both_engines_have_the_same_bits(begin: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lower(monkeypatch)
    assert [seed for seed in range(begin, begin + PART) if wrong(seed)] == []


FAULTS: dict[str, Callable[[NanBits], NanBits]] = {
    "results": lambda bits: NanBits(sources=bits.sources, outputs=bits.outputs),
    "sources": lambda bits: NanBits(results=bits.results, outputs=bits.outputs),
    "outputs": lambda bits: NanBits(results=bits.results, sources=bits.sources),
}


@pytest.mark.parametrize("left_out", FAULTS)
def test_a_place_that_is_left_out_is_found(left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(program: Program, outputs: int = ALL) -> NanBits:
        return FAULTS[left_out](nan_bits(program, outputs))

    monkeypatch.setenv("TGSI_CACHE_DIR", "")
    lower(monkeypatch)
    monkeypatch.setattr(translator, "nan_bits", faulty)
    assert any(wrong(seed, 1 + list(FAULTS).index(left_out)) for seed in range(PART))
