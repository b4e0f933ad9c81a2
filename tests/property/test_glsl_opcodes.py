"""Every opcode that GLSL can say gives the same bits before it was written as GLSL and after it was compiled: all special values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from tests.property.opcode_sweep import OLD, Words, inputs, opcodes, texts
from tests.property.spirv_round import moved
from tests.unit.glsl.glslang import needs_glslang
from tgsi.language.facts.opcodes import OPCODES

pytestmark = needs_glslang

NAN_BITS = {"DST": "z and w are moved, and GLSL says nothing about the bits of a NaN"}
"""Opcodes in whose results any NaN is as good as another: docs/glsl.md, "What GLSL leaves open"."""


@pytest.fixture(autouse=True)
def _as_the_text_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the numbers that drivers agree on where GLSL leaves them open (`tests/unit/glsl/test_numbers.py`)."""
    monkeypatch.setattr("frontends.programs.as_drivers", lambda program: program)


BATCH = 12
"""Opcodes of one program, each with an output of its own."""


def _sayable() -> list[str]:
    names = []
    for name in opcodes():
        try:
            tgsi.write_glsl(tgsi.parse(next(texts(name))))
        except tgsi.UnsupportedError:
            continue
        names.append(name)
    return names


SAYABLE = _sayable()


def _batches() -> list[tuple[int, list[str]]]:
    counts = sorted({len(OPCODES[name].src_types) for name in SAYABLE})
    alike = [
        (count, [name for name in SAYABLE if len(OPCODES[name].src_types) == count and not name.endswith(("ARL", "ARR"))])
        for count in counts
    ]
    return [(count, names[first : first + BATCH]) for count, names in alike for first in range(0, len(names), BATCH)]


def _compiled(program: tgsi.Program, stage: str) -> tgsi.Program:
    return tgsi.compile(tgsi.write_glsl(program), stage=stage, language="glsl")


def _floats(words: Words) -> Words:
    """Words with every NaN as the same one."""
    return np.where((words & 0x7FFFFFFF) > 0x7F800000, np.uint32(0x7FC00000), words)


def _results(program: tgsi.Program, after: tgsi.Program, given: Words) -> tuple[Words, Words]:
    values = moved(program, after, {"inputs": given})["inputs"]
    a, b = (np.asarray(tgsi.run(item, value, engine="interp").outputs) for item, value in ((program, given), (after, values)))
    return a, b


def _shown(given: Words, a: Any, b: Any) -> list[str]:
    lanes = np.flatnonzero((a != b).any(axis=-1))[:3]
    return [" ".join(f"{word:08x}" for word in np.concatenate([given[lane].ravel(), a[lane], b[lane]])) for lane in lanes]


@pytest.mark.parametrize(("count", "names"), _batches(), ids=lambda value: value[0] if isinstance(value, list) else None)
def test_special_values_have_the_same_bits(count: int, names: list[str]) -> None:
    lines = ["VERT", *(f"DCL IN[{number}]" for number in range(count)), *(f"DCL OUT[{k}], GENERIC[{k}]" for k in range(len(names)))]
    lines += [f"DCL TEMP[0..{len(names) - 1}]"]
    sources = ", ".join(f"IN[{number}]" for number in range(count))
    lines += [f"{name} TEMP[{k}], {sources}" for k, name in enumerate(names)]
    lines += [f"MOV OUT[{k}], TEMP[{k}]" for k in range(len(names))]
    program = tgsi.parse("\n".join([*lines, "END", ""]))
    given = inputs(count)
    a, b = _results(program, _compiled(program, "vert"), given)
    for k, name in enumerate(names):
        before, after = (_floats(item[:, k]) if name in NAN_BITS else item[:, k] for item in (a, b))
        assert _shown(given, before, after) == [], name


@pytest.mark.nightly
@pytest.mark.parametrize("name", SAYABLE)
def test_every_form_of_operands_has_the_same_bits(name: str) -> None:
    given = inputs(len(OPCODES[name].src_types))
    for text in texts(name):
        program = tgsi.parse(text)
        a, b = _results(program, _compiled(program, "frag"), given)
        is_clamped = "_SAT" in text
        if is_clamped:  # GLSL's clamp may turn NaN into any number from 0 to 1, and leaves the sign of 0 open
            b = np.where(_floats(a) == 0x7FC00000, a, b)
            a, b = (np.where(item == 0x80000000, np.uint32(0), item) for item in (a, b))
        if name in NAN_BITS:
            a, b = _floats(a), _floats(b)
        assert _shown(given, a[:, 0], b[:, 0]) == [], text


def test_a_choice_by_bits_takes_minus_zero_for_true() -> None:
    text = f"""VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL OUT[1], GENERIC[1]
DCL TEMP[0]
IMM[0] UINT32 {{{OLD}, 1, 2, 3}}
ADD TEMP[0], IN[0], IN[0]
UCMP OUT[0], TEMP[0], IMM[0].yyyy, IMM[0].zzzz
MOV OUT[1], IMM[0].zzzz
UIF TEMP[0].xxxx
MOV OUT[1], IMM[0].yyyy
ENDIF
END
"""
    program = tgsi.parse(text)
    given = np.repeat(np.array([0, 0x80000000, 1, 0x7FC00000], np.uint32), 4).reshape(4, 1, 4)
    a, b = _results(program, _compiled(program, "vert"), given)
    assert a[:, 0, 0].tolist() == a[:, 1, 0].tolist() == [2, 1, 1, 1]
    assert a.tolist() == b.tolist()


def test_frexp_takes_denormals_infinities_and_zeros_apart() -> None:
    text = "#version 430\nlayout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 m;\nlayout(location = 1) flat out ivec4 e;\n"
    program = tgsi.compile(text + "void main() { m = frexp(v, e); }\n", stage="vert")
    values = np.array([[1e-45, 3e-39, -1.1754942e-38, 0.0], [-0.0, np.inf, 1.0, -3.5e38 / 2]], np.float32)
    words = np.asarray(tgsi.run(program, values[:, None], engine="interp").outputs)
    mantissas, exponents = words[:, 0].view(np.float32), words[:, 1].view(np.int32)
    finite = np.isfinite(values)
    expected = np.frexp(values)
    assert mantissas[finite].tolist() == expected[0][finite].tolist()
    assert exponents[finite].tolist() == expected[1][finite].tolist()
    assert mantissas[1, 1] == np.inf
    assert np.signbit(mantissas[1, 0])
