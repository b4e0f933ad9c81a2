"""Exact expansions of opcodes, and opcodes on 64-bit numbers in 32-bit ones, are proved for all words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

import tgsi
from passes.lower.arithmetic.table import EXPANSIONS
from passes.lower.arithmetic.wide import RESULTS, SINGLE
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES, Mode

z3 = pytest.importorskip("z3", reason="z3-solver is not installed: no proofs")

from tests.proof.lowered import outcome, solved  # noqa: E402
from tests.proof.model import UNKNOWN, apply, is_modelled  # noqa: E402

SECONDS = 120
DOUBLE = z3.Float64()
NEAREST, TOWARD_ZERO = z3.RNE(), z3.RTZ()
OUT = File.OUT, 0
_SIGN = z3.BitVecVal(1 << 63, 64)


def _rows(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=pytest.mark.nightly if name in SLOW else ()) for name in names]


def _text(name: str, mask: str, more: str = "") -> str:
    sources = ", ".join(f"IN[{number}]" for number in range(OPCODES[name].num_src))
    return f"FRAG\n{more}DCL IN[0..2], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n{name} OUT[0].{mask}, {sources}\nEND\n"


def _inputs() -> dict[Any, Any]:
    return {(File.IN, number, channel): z3.BitVec(f"{'abe'[number]}{'xyzw'[channel]}", 32) for number in range(3) for channel in range(4)}


# expansions of 32-bit opcodes, one channel

CHANNELWISE = [name for name, row in EXPANSIONS.items() if row.is_exact and OPCODES[name].mode is Mode.COMPONENTWISE and is_modelled(name)]
BY_ANY_SUM = frozenset({"LRP", "MAD"})
"""Expansions that hold for any sums and products."""
SLOW = frozenset({"FLR", "D2I64", "D2U64", "F2I64", "F2U64", "D2U", "I642D", "U642D", "I642F"})
"""Opcodes whose proofs take seconds."""


@pytest.mark.parametrize("name", _rows(CHANNELWISE))
def test_an_exact_expansion_equals_its_opcode_for_all_words(name: str) -> None:
    inputs = _inputs()
    made = tgsi.lower(_text(name, "x"), opcodes=name)
    arguments = [inputs[File.IN, number, 0] for number in range(OPCODES[name].num_src)]
    way = (UNKNOWN,) if name in BY_ANY_SUM else ()
    found = outcome(made, inputs, *way)[(*OUT, 0)]
    assert solved(found != apply(name, arguments, *way), seconds=SECONDS) == "unsat"


def test_the_rows_that_are_proved_are_most_of_the_exact_ones() -> None:
    others = {name for name, row in EXPANSIONS.items() if row.is_exact} - set(CHANNELWISE)
    assert others == {"DP2", "DP3", "DP4", "DST", "EXP", "LOG", "TXP", "ARR"}  # by tests/unit/passes/test_expansions.py


# 64-bit numbers


def _wide(inputs: Mapping[Any, Any], number: int) -> Any:
    return z3.Concat(inputs[File.IN, number, 1], inputs[File.IN, number, 0])


def _flag(condition: Any) -> Any:
    return z3.If(condition, z3.BitVecVal(0xFFFFFFFF, 32), z3.BitVecVal(0, 32))


def _number(bits: Any) -> Any:
    return z3.fpBVToFP(bits, DOUBLE)


def _canonical(value: Any) -> Any:
    return z3.If(z3.fpIsNaN(value), z3.BitVecVal(0x7FF8 << 48, 64), z3.fpToIEEEBV(value))


def _float(value: Any) -> Any:
    return z3.If(z3.fpIsNaN(value), z3.BitVecVal(0x7FC00000, 32), z3.fpToIEEEBV(value))


def _one(a: Any) -> Any:
    return z3.BitVecVal(1, a.size())


def _sign64(a: Any) -> Any:
    return z3.If(a > 0, _one(a), z3.If(a < 0, -_one(a), a))


def _doubled(a: Any, b: Any, yes: Callable[[Any, Any], Any]) -> Any:
    return _flag(yes(_number(a), _number(b)))


def _to_signed(a: Any, bits: int) -> Any:
    value, limit = _number(a), z3.FPVal(2.0 ** (bits - 1), DOUBLE)
    fits = z3.And(z3.fpLT(value, limit), z3.fpGEQ(value, z3.fpNeg(limit)))
    return z3.If(fits, z3.fpToSBV(TOWARD_ZERO, value, z3.BitVecSort(bits)), z3.BitVecVal(1 << (bits - 1), bits))


def _to_unsigned(a: Any) -> Any:
    """Numbers from 2^63 on are converted without their highest bit, and become 0 if they do not fit; others are as if signed."""
    value, limit = _number(a), z3.FPVal(2.0**63, DOUBLE)
    above = _to_signed(z3.fpToIEEEBV(z3.fpSub(NEAREST, value, limit)), 64) ^ _SIGN
    return z3.If(z3.fpGEQ(value, limit), above, _to_signed(a, 64))


def _widened(a: Any) -> Any:
    return _canonical(z3.fpFPToFP(NEAREST, z3.fpBVToFP(z3.Extract(31, 0, a), z3.Float32()), DOUBLE))


def _double_sign(a: Any) -> Any:
    value, zero = _number(a), z3.FPVal(0.0, DOUBLE)
    above, below = z3.BitVecVal(0x3FF0 << 48, 64), z3.BitVecVal(0xBFF0 << 48, 64)
    return z3.If(z3.fpGT(value, zero), above, z3.If(z3.fpLT(value, zero), below, z3.BitVecVal(0, 64)))


MEANINGS: Mapping[str, Callable[..., Any]] = {
    "U64ADD": lambda a, b: a + b,
    "I64NEG": lambda a: -a,
    "I64ABS": lambda a: z3.If(a < 0, -a, a),
    "I64SSG": _sign64,
    "I64MIN": lambda a, b: z3.If(a < b, a, b),
    "I64MAX": lambda a, b: z3.If(a > b, a, b),
    "U64MIN": lambda a, b: z3.If(z3.ULT(a, b), a, b),
    "U64MAX": lambda a, b: z3.If(z3.UGT(a, b), a, b),
    "U64SHL": lambda a, b: a << (b & 63),
    "U64SHR": lambda a, b: z3.LShR(a, b & 63),
    "I64SHR": lambda a, b: a >> (b & 63),
    "I2I64": lambda a: z3.SignExt(32, z3.Extract(31, 0, a)),
    "U2I64": lambda a: z3.ZeroExt(32, z3.Extract(31, 0, a)),
    "DABS": lambda a: z3.If(z3.fpGEQ(_number(a), z3.FPVal(0.0, DOUBLE)), a, a ^ _SIGN),
    "DNEG": lambda a: a ^ _SIGN,
    "DMIN": lambda a, b: z3.If(z3.fpLT(_number(a), _number(b)), a, b),
    "DMAX": lambda a, b: z3.If(z3.fpGT(_number(a), _number(b)), a, b),
    "DSSG": _double_sign,
    "F2D": _widened,
    "F2I64": lambda a: _to_signed(_widened(a), 64),
    "F2U64": lambda a: _to_unsigned(_widened(a)),
    "D2U64": _to_unsigned,
    "I2D": lambda a: _canonical(z3.fpSignedToFP(NEAREST, z3.Extract(31, 0, a), DOUBLE)),
    "U2D": lambda a: _canonical(z3.fpUnsignedToFP(NEAREST, z3.Extract(31, 0, a), DOUBLE)),
    "D2I64": lambda a: _to_signed(a, 64),
    "U64SEQ": lambda a, b: _flag(a == b),
    "U64SNE": lambda a, b: _flag(a != b),
    "I64SLT": lambda a, b: _flag(a < b),
    "U64SLT": lambda a, b: _flag(z3.ULT(a, b)),
    "I64SGE": lambda a, b: _flag(a >= b),
    "U64SGE": lambda a, b: _flag(z3.UGE(a, b)),
    "DSEQ": lambda a, b: _doubled(a, b, z3.fpEQ),
    "DSNE": lambda a, b: _flag(z3.Not(z3.fpEQ(_number(a), _number(b)))),
    "DSLT": lambda a, b: _doubled(a, b, z3.fpLT),
    "DSGE": lambda a, b: _doubled(a, b, z3.fpGEQ),
    "D2F": lambda a: _float(z3.fpFPToFP(NEAREST, _number(a), z3.Float32())),
    "D2I": lambda a: _to_signed(a, 32),
    "D2U": lambda a: z3.Extract(31, 0, _to_signed(a, 64)),
    "I642F": lambda a: z3.fpToIEEEBV(z3.fpSignedToFP(NEAREST, a, z3.Float32())),
    "U642F": lambda a: z3.fpToIEEEBV(z3.fpUnsignedToFP(NEAREST, a, z3.Float32())),
    "I642D": lambda a: _canonical(z3.fpSignedToFP(NEAREST, a, DOUBLE)),
    "U642D": lambda a: _canonical(z3.fpUnsignedToFP(NEAREST, a, DOUBLE)),
}
"""Meanings on bit vectors of 64 bits."""

BY_TEST = frozenset({"U64MUL"})
"""Opcodes that words of all sorts test (tests/unit/passes/test_lower_operands.py): products are beyond the solver."""


def test_every_lowering_of_64_bits_is_proved_or_named() -> None:
    assert set(MEANINGS) | BY_TEST == set(RESULTS) | set(SINGLE)
    assert not set(MEANINGS) & BY_TEST


@pytest.mark.parametrize("name", _rows(MEANINGS))
def test_an_opcode_on_64_bits_equals_its_lowering_for_all_words(name: str) -> None:
    inputs = _inputs()
    made = tgsi.lower(_text(name, "x" if name in SINGLE else "xy"), bits64="refuse")
    values = outcome(made, inputs)
    wanted = MEANINGS[name](*(_wide(inputs, number) for number in range(OPCODES[name].num_src)))
    found = values[(*OUT, 0)] if name in SINGLE else z3.Concat(values[(*OUT, 1)], values[(*OUT, 0)])
    assert solved(found != wanted, seconds=SECONDS) == "unsat"


@pytest.mark.parametrize("name", ["F2D", "DSLT", "U64SHL"])
def test_a_lowering_with_a_bit_of_its_result_inverted_is_refuted(name: str) -> None:
    inputs = _inputs()
    values = outcome(tgsi.lower(_text(name, "x" if name in SINGLE else "xy"), bits64="refuse"), inputs)
    wanted = MEANINGS[name](*(_wide(inputs, number) for number in range(OPCODES[name].num_src)))
    low = z3.Extract(31, 0, wanted)
    assert solved(values[(*OUT, 0)] ^ (inputs[File.IN, 0, 0] & 1) != low, seconds=SECONDS) == "sat"
