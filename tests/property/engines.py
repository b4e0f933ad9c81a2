"""Comparison of the two engines on a generated program, and the shortest part of it on which they differ."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import tgsi
from backends.run.result import RunResult
from tests.golden.vectors import Tolerance, is_nan, within
from tests.property.programs import NEAR_OUTPUTS, GeneratedProgram
from tgsi.language.diagnostics import DiagnosticError

NEAR = Tolerance(4, 2e-6)

_NUMBERS = re.compile(r"(\w+ TEMP\[1[67]\]|UARL ADDR\[1\])")
"""Statements that set an invocation's number. Without them invocations would race for words, so they are never removed."""

Compare = Callable[[str, Mapping[str, Any]], list[str]]


def result_differences(ours: RunResult, theirs: RunResult, *, exact: bool = False, survivors: bool = False) -> list[str]:
    """Lines that describe each differing word. Unless `exact`, numbers of transcendental functions may differ in the last places.

    survivors: outputs of killed invocations, which nothing sees, may differ.
    """
    seen = ours.alive & theirs.alive if survivors else slice(None)
    lines = _registers("invocation", ours.outputs[seen], theirs.outputs[seen], exact)
    lines += [f"invocation {i}: alive differs" for i in np.flatnonzero(ours.alive != theirs.alive)]
    lines += [f"invocation {i}: exhausted differs" for i in np.flatnonzero(ours.exhausted != theirs.exhausted)]
    if [*map(list, ours.strips)] != [*map(list, theirs.strips)]:
        lines.append(f"strips: {ours.strips}, {theirs.strips}")
    for stream, (a, b) in enumerate(zip(ours.emitted, theirs.emitted)):
        lines += _registers(f"stream {stream} vertex", a, b, exact)
    lines += _workgroups(ours, theirs, exact)
    for name in ("buffers", "images", "counters", "memory"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine.keys() != other.keys():
            lines.append(f"{name}: {sorted(mine)}, {sorted(other)}")
            continue
        for key in mine:
            a, b = _bytes(mine[key]), _bytes(other[key])
            places = np.flatnonzero(a != b) if a.shape == b.shape else ["all"]
            lines += [f"{name}[{key}]: byte {place} differs" for place in places[:3]]
    return lines


def _workgroups(ours: RunResult, theirs: RunResult, exact: bool) -> list[str]:
    """Differences of what workgroups of task and mesh programs launched and output."""
    names = [name for name in ("tasks", "payload") if not np.array_equal(getattr(ours, name), getattr(theirs, name))]
    lines = [f"{name}: {getattr(ours, name)}, {getattr(theirs, name)}" for name in names]
    if list(ours.faults) != list(theirs.faults):
        lines.append(f"faults: {ours.faults}, {theirs.faults}")
    if len(ours.meshes) != len(theirs.meshes):
        lines.append(f"workgroups: {len(ours.meshes)}, {len(theirs.meshes)}")
    for number, (a, b) in enumerate(zip(ours.meshes, theirs.meshes)):
        lines += _registers(f"workgroup {number} vertex", a.vertices, b.vertices, exact)
        lines += [
            f"workgroup {number}: {part} differ"
            for part in ("indices", "primitives")
            if not np.array_equal(getattr(a, part), getattr(b, part))
        ]
    return lines


def _bytes(value: Any) -> Any:
    return np.ascontiguousarray(getattr(value, "texels", value)).view(np.uint8).reshape(-1)


def _registers(name: str, a: Any, b: Any, exact: bool) -> list[str]:
    """Differences of two arrays of shape (invocations or vertices, OUT registers, 4)."""
    if a.shape != b.shape:
        return [f"{name}: shapes {a.shape} and {b.shape}"]
    wrong = a != b
    for register in NEAR_OUTPUTS if not exact else ():
        if register < wrong.shape[1]:
            wrong[:, register] &= is_nan(a[:, register]) | is_nan(b[:, register]) | ~within(a[:, register], b[:, register], NEAR)
    return [f"{name} {i} OUT[{r}].{'xyzw'[c]}: {a[i, r, c]:08x}, {b[i, r, c]:08x}" for i, r, c in np.argwhere(wrong)]


def engine_differences(text: str, arguments: Mapping[str, Any], *, lanes: int = 8, cpu: str = "host") -> list[str]:
    """Differences between the results of the code generator and of the interpreter."""
    program = tgsi.parse(text)
    ours = tgsi.run(program, engine="interp", **arguments)
    return result_differences(ours, tgsi.run(program, engine="jit", lanes=lanes, cpu=cpu, **arguments))


def shortened(text: str, arguments: Mapping[str, Any], compare: Compare) -> str:
    """Shortest text found for which `compare` still reports differences."""

    def fails(lines: list[str]) -> bool:
        try:
            candidate = _with_labels(lines)
            tgsi.validate(tgsi.parse(candidate))
            return bool(compare(candidate, arguments))
        except (DiagnosticError, ValueError):
            return False

    lines = _without_labels(text.rstrip("\n").split("\n"))
    size = len(lines) // 2
    while size:
        place = 1
        while place < len(lines):
            kept = [line for line in lines[place : place + size] if _NUMBERS.match(line)]
            candidate = lines[:place] + kept + lines[place + size :]
            if len(candidate) < len(lines) and fails(candidate):
                lines = candidate
                place += len(kept)
            else:
                place += size
        size //= 2
    return _with_labels(lines)


def _code(lines: list[str]) -> list[str]:
    return [line for line in lines[1:] if not line.startswith(("DCL ", "IMM[", "PROPERTY "))]


def _without_labels(lines: list[str]) -> list[str]:
    """Lines whose calls name subroutines by number instead of by position."""
    starts = [place for place, line in enumerate(_code(lines)) if line == "BGNSUB"]
    return [f"CAL @{starts.index(int(line[5:]))}" if line.startswith("CAL :") else line for line in lines]


def _with_labels(lines: list[str]) -> str:
    starts = [place for place, line in enumerate(_code(lines)) if line == "BGNSUB"]
    named = [f"CAL :{starts[int(line[5:])] if int(line[5:]) < len(starts) else 0}" if line.startswith("CAL @") else line for line in lines]
    return "\n".join(named) + "\n"


def check(generated: GeneratedProgram, compare: Compare = engine_differences) -> None:
    """Raise AssertionError with a shortened text if `compare` reports differences."""
    found = compare(generated.text, generated.arguments)
    if not found:
        return
    text = generated.text if os.environ.get("TGSI_KEEP_LONG") else shortened(generated.text, generated.arguments, compare)
    raise AssertionError("\n".join([f"seed {generated.seed}", text, *compare(text, generated.arguments)[:20]]))
