"""The comparison of the engines finds faults that are planted in emitters, one at a time."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from backends.llvm.builder.function import I32, Val
from backends.llvm.translate.emit import EMITTERS, Emitter, load_emitters
from tests.effort import lower
from tests.property.engines import engine_differences
from tests.property.programs import generate
from tests.property.settings import CI_EXAMPLES, NIGHTLY_EXAMPLES

load_emitters()

FAULTS: Mapping[str, Emitter] = {
    "ADD": lambda c, a, b: a - b,
    "MIN": lambda c, a, b: c.f.select(b < a, b, a),  # wrong for NaN and for zeros only
    "CMP": lambda c, a, b, e: c.f.select(a < 0.0, e, b),
    "FLR": lambda c, a: c.f.truncate(a),  # wrong below 0 only
    "DP3": lambda c, a, b: a[0] * b[0] + a[1] * b[1],
    "XOR": lambda c, a, b: a.as_int() | b.as_int(),
    "UMUL": lambda c, a, b: a.as_int() * b.as_int() + 1,
    "ISLT": lambda c, a, b: _flags(a.as_int().ult(b.as_int())),  # wrong for different signs only
    "DADD": lambda c, a, b: a - b,
    "BALLOT": lambda c, a: [c.execution_mask().zext(I32)] * 4,  # of one lane only
    "MAD": lambda c, a, b, e: a * b - e,
    "LRP": lambda c, a, b, e: a * (b - e) - e,
    "ROUND": lambda c, a: c.f.floor(a + 0.5),  # wrong for half of the ties only
    "SGE": lambda c, a, b: c.f.select(a > b, c.f.const(a.type, 1.0), 0.0),  # wrong for equal ones only
    "RCP": lambda c, a: a[0],
    "USNE": lambda c, a, b: _flags(a.as_int().eq(b.as_int())),
    "UMAX": lambda c, a, b: c.f.max(a, b),  # wrong for different signs only
    "ISHR": lambda c, a, b: a.as_int().lshr(b.as_int() & 31),  # wrong below 0 only
    "USHR": lambda c, a, b: a.as_int().lshr(b.as_int() & 15),
    "UCMP": lambda c, a, b, e: c.f.select(a.as_int() > 0, b.as_int(), e.as_int()),  # wrong below 0 only
    "U64SLT": lambda c, a, b: _flags(a < b),  # wrong for different signs only
    "U64MUL": lambda c, a, b: a * (b & 0xFFFFFFFF),
    "DMAX": lambda c, a, b: c.f.select(b > a, b, a),  # wrong for NaN and zeros only
    "READ_FIRST": lambda c, a: a,
    "DDX": lambda c, a: a - a,
}
EVERY_DAY = tuple(FAULTS)[:10]

SPOILED: Mapping[str, Callable[[Any], Any]] = {
    "LOAD": lambda r: [r[0], r[1], r[3], r[2]],
    "ATOMUMAX": lambda r: [r[0].as_int() + 1] * 4,
    "TXF": lambda r: [r[1], *r[1:]],
    "TEX": lambda r: [r[0], r[2], r[1], r[3]],
    "TG4": lambda r: [r[1], r[0], *r[2:]],
    "TXQ": lambda r: [r[0], r[2], r[1], r[3]],
    "SAMPLE_L": lambda r: [*r[:3], r[2]],
    "INTERP_OFFSET": lambda r: {channel: value + 0.125 for channel, value in r.items()},
    "FBFETCH": lambda r: {channel: value.as_int() ^ 1 for channel, value in r.items()},
    "RESQ": lambda r: [r[0].as_int() + 4, *r[1:]],
}
"""Faulty versions of the four result values of an opcode with memory or textures."""


def _flags(truth: Val) -> Val:
    return truth.sext(I32)


_program = functools.cache(generate)


def _found_by(name: str, mark: int) -> int | None:
    """Seed of the first program that reveals a fault in an opcode. Faults of the nightly run may take more than the programs of a day."""
    for generated in map(_program, range(CI_EXAMPLES if name in EVERY_DAY else NIGHTLY_EXAMPLES)):
        if re.search(rf"^{name}(_SAT)?(_PRECISE)? ", generated.text, re.MULTILINE):
            # The mark makes the text unique, so that neither a faulty nor a correct kernel comes from a cache.
            immediates = generated.text.count("\nIMM[")
            last = generated.text.rindex("\nIMM[")
            end = generated.text.index("\n", last + 1)
            text = f"{generated.text[:end]}\nIMM[{immediates}] UINT32 {{{mark}, 0, 0, 0}}{generated.text[end:]}"
            if engine_differences(text, generated.arguments):
                return generated.seed
    return None


@pytest.mark.parametrize("name", [name if name in EVERY_DAY else pytest.param(name, marks=pytest.mark.nightly) for name in FAULTS])
def test_a_planted_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert name in EMITTERS

    def faulty(c: Any, *values: Any) -> Any:
        return FAULTS[name](c, *values)

    monkeypatch.setenv("TGSI_CACHE_DIR", "")
    lower(monkeypatch)  # the faults are in emitters, not in LLVM
    monkeypatch.setitem(EMITTERS, name, faulty)
    assert _found_by(name, list(FAULTS).index(name) + 1) is not None


@pytest.mark.nightly
@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_result_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = EMITTERS[name]

    def faulty(c: Any, *values: Any) -> Any:
        return SPOILED[name](right(c, *values))

    monkeypatch.setenv("TGSI_CACHE_DIR", "")
    lower(monkeypatch)
    monkeypatch.setitem(EMITTERS, name, faulty)
    assert _found_by(name, 100 + list(SPOILED).index(name)) is not None


def test_nothing_is_found_where_nothing_is_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_CACHE_DIR", "")
    lower(monkeypatch)
    assert _found_by("DP3", 0) is None
