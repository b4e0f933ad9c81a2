"""The two engines compared on a generated program, and the smallest part of it on which they differ."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import tgsi
from backends.result import RunResult
from tests.golden.vectors import Tolerance, is_nan, within
from tests.property.programs import LOOSE_OUTPUTS, NEAR_OUTPUTS, GeneratedProgram
from tgsi.diagnostics import DiagnosticError

NEAR = Tolerance(4, 2e-6)

Compare = Callable[[str, Mapping[str, Any]], list[str]]


def result_differences(ours: RunResult, theirs: RunResult) -> list[str]:
    """A line for each word that differs. Where computed floats lie, any NaN equals any NaN."""
    a, b = ours.outputs, theirs.outputs
    if a.shape != b.shape:
        return [f"outputs have shapes {a.shape} and {b.shape}"]
    wrong = a != b
    both_nan = is_nan(a) & is_nan(b)
    wrong[:, LOOSE_OUTPUTS] &= ~both_nan[:, LOOSE_OUTPUTS]
    wrong[:, NEAR_OUTPUTS] &= ~(both_nan | within(a, b, NEAR))[:, NEAR_OUTPUTS]
    lines = [f"invocation {i} OUT[{r}].{'xyzw'[c]}: {a[i, r, c]:08x}, {b[i, r, c]:08x}" for i, r, c in np.argwhere(wrong)]
    return lines + [f"invocation {i}: alive differs" for i in np.flatnonzero(ours.alive != theirs.alive)]


def engine_differences(text: str, arguments: Mapping[str, Any], *, lanes: int = 8, cpu: str = "host") -> list[str]:
    """What the code generator computes otherwise than the interpreter."""
    program = tgsi.parse(text)
    ours = tgsi.run(program, engine="interp", **arguments)
    return result_differences(ours, tgsi.run(program, engine="jit", lanes=lanes, cpu=cpu, **arguments))


def shortened(text: str, arguments: Mapping[str, Any], compare: Compare) -> str:
    """A text of fewer lines that `compare` still objects to."""

    def fails(lines: list[str]) -> bool:
        try:
            candidate = tgsi.parse("\n".join(lines) + "\n")
            tgsi.validate(candidate)
            return bool(compare("\n".join(lines) + "\n", arguments))
        except (DiagnosticError, ValueError):
            return False

    lines = text.rstrip("\n").split("\n")
    size = len(lines) // 2
    while size:
        place = 1
        while place < len(lines):
            candidate = lines[:place] + lines[place + size :]
            if fails(candidate):
                lines = candidate
            else:
                place += size
        size //= 2
    return "\n".join(lines) + "\n"


def check(generated: GeneratedProgram, compare: Compare = engine_differences) -> None:
    """AssertionError, with a short text, if `compare` finds a difference."""
    found = compare(generated.text, generated.arguments)
    if not found:
        return
    text = generated.text if os.environ.get("TGSI_KEEP_LONG") else shortened(generated.text, generated.arguments, compare)
    raise AssertionError("\n".join([f"seed {generated.seed}", text, *compare(text, generated.arguments)[:20]]))
