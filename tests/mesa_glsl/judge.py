"""Both programs of a pair over the same random values, in one engine; where they differ by more than rounding explains.

Whole numbers, and floats that are only moved, must be the same words. Other floats may differ: Mesa adds products of a matrix in another
order, divides by multiplying with RCP, and takes roots by RSQ. Each instruction rounds once or twice, and the functions of docs/accuracy.md
err by 1.5 ULP at most: `ULPS` an instruction, at the size of the values. How much a steep place makes of such errors is measured: our
program runs again with inputs and constants that are `NUDGE` ULP away, and `STEEP` times the change of a result is allowed on top.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from tests.mesa_glsl.pairs import Pair
from tests.mesa_glsl.programs import BLOCK, GROUPS, WORDS
from tgsi.gallium import Format
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program

Words = NDArray[np.uint32]
COUNT = 64
ULPS, NUDGE, STEEP, NUDGES = 2, 4, 4, 4
MESA_FIRST_GENERIC = 9
"""The GENERIC of location 0 in Mesa's TGSI: texture coordinates and the point coordinate come before."""
MOVED = {Processor.VERT: (3, 4, 8), Processor.FRAG: (3, 4)}
"""Outputs of floats that are moved."""
UPRIGHT = np.array([[1, 0, -1, 0]], np.float32).view(np.uint32)
"""CONST[0] of Mesa's fragment programs with DDY: the picture has its first row below."""
WHOLE = {Processor.VERT: (1, 2, 5, 6, 7), Processor.FRAG: (1, 2, 5, 6, 7)}


@dataclass(frozen=True)
class Given:
    """Values of a run, as words: inputs by location, uniforms, texels, and the words of a compute program."""

    inputs: Words
    uniforms: Words
    texels: NDArray[np.float32]
    words: Words

    def nudged(self, random: np.random.Generator) -> Given:
        """The same with every float a little away."""

        def near(words: Words, where: Any) -> Words:
            steps = random.integers(-NUDGE, NUDGE + 1, words.shape).astype(np.int32)
            return np.where(where & (words & 0x7FFFFFFF != 0), (words.view(np.int32) + steps).view(np.uint32), words)

        floats = np.zeros(self.inputs.shape, bool)
        floats[:, :2] = True
        constant = np.arange(len(self.uniforms))[:, None] < 8
        body = np.arange(self.words.size) % WORDS < 8
        body[-1] = False
        texels = near(self.texels.view(np.uint32), True).view(np.float32)
        return Given(near(self.inputs, floats), near(self.uniforms, constant), texels, near(self.words, body))


def values(seed: int) -> Given:
    """Values for the programs of the generator: two vectors of floats, ints and uints; k[4], m, n[2], w."""
    random = np.random.default_rng(seed)

    def floats(*shape: int, scale: float = 2.0) -> Words:
        return random.uniform(-scale, scale, shape).astype(np.float32).view(np.uint32)

    def whole(*shape: int) -> Words:
        big = random.integers(0, 1 << 32, shape, np.uint64).astype(np.uint32)
        small = random.integers(-9, 100, shape).astype(np.int32).view(np.uint32)
        return np.where(random.random(shape) < 0.5, big, small)

    inputs = np.concatenate([floats(COUNT, 2, 4), whole(COUNT, 2, 4)], 1)
    inputs[:, 2:] = inputs[::4, 2:].repeat(4, 0)  # flat inputs of a quad
    uniforms = np.concatenate([floats(4, 4), floats(4, 4, scale=1.0), whole(3, 4)])
    body = np.concatenate([floats(GROUPS * BLOCK, 8), whole(GROUPS * BLOCK, 8)], 1)
    return Given(inputs, uniforms, random.uniform(-1, 1, (8, 8, 4)).astype(np.float32), np.append(body.ravel(), np.uint32(0)))


def given_to(program: Program, given: Given, copies: int = 1) -> dict[str, Any]:
    """Arguments of `tgsi.run`; invocations may come several times."""
    levels = (np.ascontiguousarray(given.texels).view(np.uint8).reshape(1, 8, 8, 16),)
    more: dict[str, Any] = {
        "constants": {0: UPRIGHT, 1: given.uniforms},
        "textures": {0: tgsi.TextureData(Format.R32G32B32A32_FLOAT, levels)},
    }
    if program.processor is Processor.COMP:
        words = np.append(np.tile(given.words[:-1], copies), given.words[-1:])
        return more | {"buffers": {0: words}, "grid": (GROUPS * copies, 1, 1)}
    return more | {"inputs": np.tile(given.inputs, (copies, 1, 1))}


def ports(program: Program, file: File) -> Mapping[Semantic, int]:
    """Registers by semantic."""
    found = {}
    for item in program.declared(file):
        for k in range(item.first, item.last + 1):
            semantic = item.semantic or Semantic("POSITION")
            found[Semantic(semantic.name, semantic.index + k - item.first)] = k
    return found


def results(program: Program, given: Given, engine: str, first: int) -> tuple[dict[str, Words], NDArray[np.bool_]]:
    """Results by name, and which invocations are alive. first: the GENERIC of location 0."""
    result = tgsi.run(program, engine=engine, **given_to(program, given))
    alive = np.asarray(result.alive, bool)
    if program.processor is Processor.COMP:
        words = np.asarray(result.buffers[0]).view(np.uint32)
        body = words[: GROUPS * BLOCK * WORDS].reshape(-1, WORDS)
        return {"o0": body[:, :4], "moved": body[:, 4:8], "whole": body[:, 8:], "sum": words[-1:]}, np.ones(len(body), bool)
    found: dict[str, Words] = {}
    for semantic, register in ports(program, File.OUT).items():
        index = semantic.index - first if semantic.name == "GENERIC" else semantic.index
        found["position" if semantic.name == "POSITION" else f"o{index}"] = result.outputs[:, register]
    return found, alive


def _exact(program: Program, name: str) -> bool:
    if program.processor is Processor.COMP:
        return name != "o0"
    numbers = (*WHOLE[program.processor], *MOVED[program.processor])
    return name[1:].isdigit() and int(name[1:]) in numbers and not (program.processor is Processor.FRAG and name == "o3")


def differences(pair: Pair, engine: str, seed: int = 1) -> list[str]:
    """Results that rounding does not explain."""
    with np.errstate(invalid="ignore"):  # words of integers are not floats
        return _differences(pair, engine, seed)


def _differences(pair: Pair, engine: str, seed: int) -> list[str]:
    given = values(seed)
    got, alive = results(pair.ours, given, engine, 0)
    want, lives = results(pair.mesa, given, engine, MESA_FIRST_GENERIC)
    if not np.array_equal(alive, lives):
        return ["other invocations are killed"]
    if missing := want.keys() - got.keys():
        return [f"results {sorted(missing)} are missing"]
    steepness: dict[str, NDArray[np.float64]] = {}
    found = []
    for name, words in want.items():
        ours, mesa = (table[alive] if len(table) == len(alive) else table for table in (got[name], words))
        if np.array_equal(ours, mesa):
            continue
        if _exact(pair.ours, name):
            at = tuple(np.argwhere(ours != mesa)[0])
            found.append(
                f"{name}{[int(k) for k in at]}: {int(ours[at]):#x}, Mesa {int(mesa[at]):#x} ({int((ours != mesa).sum())} of {ours.size})"
            )
            continue
        if not steepness:
            steepness = _steepness(pair.ours, given, got, engine)
        a, b = ours.view(np.float32).astype(np.float64), mesa.view(np.float32).astype(np.float64)
        allowed = ULPS * len(pair.ours.instructions) * 2.0**-24 * np.maximum(np.maximum(abs(a), abs(b)), 1) + STEEP * steepness[name][alive]
        wrong = ~(abs(a - b) <= allowed)
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            found.append(
                f"{name}{[int(k) for k in at]}: {a[at]!r}, Mesa {b[at]!r} ({int(wrong.sum())} of {a.size}), allowed {allowed[at]:.3g}"
            )
    return found


def _steepness(program: Program, given: Given, at: Mapping[str, Words], engine: str) -> dict[str, NDArray[np.float64]]:
    """The largest change of each float under inputs that are a little away."""
    random = np.random.default_rng(0)
    changes = {name: np.zeros(words.shape) for name, words in at.items()}
    for _ in range(NUDGES):
        moved, _alive = results(program, given.nudged(random), engine, 0)
        for name, change in changes.items():
            one, other = (table[name].view(np.float32).astype(np.float64) for table in (at, moved))
            np.maximum(change, np.nan_to_num(abs(one - other), nan=0.0, posinf=0.0), out=change)
    return changes
