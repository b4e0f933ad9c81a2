"""The corpus for each state: glslang and spirv-val accept it, and modules that are read back give the bits of the lowered program."""

from __future__ import annotations

import zlib
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.shader_key.application import with_state
from backends.shader_key.layout import Layout
from tests.property.fitting import fitting_arguments
from tests.property.spirv_round import differences, moved, registers, sayable
from tests.unit.shader_key.accepted import glslang_says, spirv_val_says
from tests.unit.shader_key.states import ALONE, combination
from tgsi import ShaderKey
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program

COMBINATIONS = tuple(map(combination, range(12)))
STATES = (*ALONE, *COMBINATIONS)
STEP = 25
"""Nightly parts of the corpus."""

pytestmark = pytest.mark.peers


def programs(shared: Path, first: int, step: int) -> dict[str, Program]:
    return {file.stem: tgsi.parse(file.read_text()) for file in sorted((shared / "corpus").glob("*.tgsi"))[first::step]}


def turn(place: int, count: int) -> list[str]:
    """`count` of the states, others for each program."""
    return [STATES[(place * count + k) % len(STATES)] for k in range(count)]


def written(chosen: dict[str, Program], count: int) -> tuple[dict[str, tuple[str, str]], dict[str, bytes], Counter[str]]:
    """GLSL and modules by program and state, and how many were refused by language; a state that changes nothing is left out."""
    texts: dict[str, tuple[str, str]] = {}
    modules: dict[str, bytes] = {}
    refused: Counter[str] = Counter()
    for place, (name, program) in enumerate(chosen.items()):
        plain: dict[str, object] = {}
        for state in ("", *turn(place, count)):
            for language in ("glsl", "spirv"):
                try:
                    made = tgsi.write_glsl(program, state=state) if language == "glsl" else tgsi.write_spirv(program, state=state)
                except tgsi.UnsupportedError:
                    refused[language] += bool(state) and language in plain
                    continue
                except ValueError as error:
                    if "is an element of the array of SAMP" not in str(error):  # a name of one alone, which no language can say
                        raise
                    refused[language] += 1
                    continue
                if plain.setdefault(language, made) == made:
                    continue
                if isinstance(made, str):
                    texts[f"{name} {state}"] = program.processor.name, made
                else:
                    modules[f"{name} {state}"] = made
    return texts, modules, refused


def judged(chosen: dict[str, Program], count: int) -> tuple[int, int, Counter[str]]:
    """Numbers of accepted texts and modules, and of refused ones."""
    texts, modules, refused = written(chosen, count)
    assert glslang_says(texts) == []
    assert spirv_val_says(modules) == []
    return len(texts), len(modules), refused


def test_some_programs_are_accepted_in_each_state(shared: Path) -> None:
    texts, modules, refused = judged(programs(shared, 7, 60), 3)
    assert texts > 12
    assert modules > 12
    assert sum(refused.values()) < 0.05 * (texts + modules)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(STEP))
def test_the_corpus_is_accepted_in_each_state(first: int, shared: Path) -> None:
    texts, modules, refused = judged(programs(shared, first, STEP), 8)
    print(texts, modules, refused)
    assert texts > 100
    assert modules > 100
    assert sum(refused.values()) < 0.05 * (texts + modules)


FILES = {"textures": "SAMP", "samplers": "SAMP", "images": "IMAGE", "buffers": "BUFFER", "constants": "CONST"}


def number(key: ShaderKey, file: str, old: int) -> int:
    """The number that a resource has after a module with the bindings of a key was read."""
    if file == "CONST":
        own = f"CONST[{old}]" in key.bindings
        return old if not old and not own else (Layout(key).binding(file, old, old - 1) or 0) + 1
    return Layout(key).binding(file, old, old) or 0


def renumbered(key: ShaderKey, given: dict[str, Any]) -> dict[str, Any]:
    """Arguments with the numbers that resources have then."""
    return given | {name: {number(key, file, old): data for old, data in given.get(name, {}).items()} for name, file in FILES.items()}


def restored(key: ShaderKey, result: Any) -> Any:
    """Results with the numbers that resources had before."""
    made = SimpleNamespace(alive=result.alive, outputs=result.outputs, emitted=result.emitted, counters=result.counters)
    for name in ("buffers", "images"):
        found = getattr(result, name)
        setattr(made, name, {old: found[new] for old in range(32) if (new := number(key, FILES[name], old)) in found})
    return made


def one_point(program: Program, given: dict[str, Any]) -> dict[str, Any]:
    """Arguments whose PCOORD inputs are one point, as a rasterizer gives them: (s, t, 0, 1)."""
    places = [number for number, semantic in registers(program, File.IN).items() if semantic.name == "PCOORD"]
    if program.processor is not Processor.FRAG or not places or given.get("inputs") is None:
        return given
    inputs = np.array(given["inputs"])
    one = 1 if inputs.dtype.kind == "f" else 0x3F800000
    inputs[..., places, 2:] = np.array([0, one], inputs.dtype)
    inputs[..., places, :2] = inputs[..., places[:1], :2]
    return given | {"inputs": inputs}


def unequal(program: Program, state: str, seed: int) -> list[str]:
    """Differences between the lowered program and its module that was read back, in both engines."""
    key = ShaderKey.parse(state)
    before, _ = with_state(program, key, "test", has_sets=True)
    after = tgsi.read_spirv(tgsi.write_spirv(program, state=state, shared_memory=256))
    given = one_point(before, sayable(before, fitting_arguments(before, seed, filters=False, floats=True) | {"fuel": 300}))
    found = []
    for engine in ("interp", "jit"):
        a = tgsi.run(before, engine=engine, **given)
        b = tgsi.run(after, engine=engine, **renumbered(key, moved(before, after, given)))
        shows_nothing = before.processor is Processor.GEOM and not any(map(len, a.emitted))  # its outputs are never read
        if not (shows_nothing or np.any(a.exhausted) or np.any(b.exhausted)):
            found += [f"{engine}: {item}" for item in differences(before, after, a, restored(key, b))]
    return found


def wrong(chosen: dict[str, Program], count: int) -> tuple[int, dict[str, list[str]]]:
    """Number of runs, and differences by program and state: `count` of the states for each program, others for the next one."""
    runs, found = 0, {}
    for place, (name, program) in enumerate(chosen.items()):
        for state in turn(place, count):
            try:
                items = unequal(program, state, zlib.crc32(name.encode()) % 100_000)
            except tgsi.UnsupportedError:
                continue
            runs += 1
            if items:
                found[f"{name} {state}"] = items
    return runs, found


def test_some_modules_give_the_bits_of_the_lowered_program(shared: Path) -> None:
    runs, found = wrong(programs(shared, 3, 100), 3)
    assert found == {}
    assert runs > 25


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(STEP))
def test_modules_of_the_corpus_give_the_bits_of_the_lowered_program(first: int, shared: Path) -> None:
    runs, found = wrong(programs(shared, first, STEP), 7)
    assert found == {}
    assert runs > 250
