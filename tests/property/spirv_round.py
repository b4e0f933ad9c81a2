"""Programs written as SPIR-V and read back: which register became which, and whether both programs give the same results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import tgsi
from backends.pipe.enums import Swizzle
from backends.run.result import RunResult
from backends.spirv import write_spirv
from backends.spirv.semantics import location
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program

_CHANNELS = {"PSIZE": "x", "LAYER": "x", "VIEWPORT_INDEX": "x", "PRIM_ID": "x", "TESSINNER": "xy", "STENCIL": "y", "SAMPLEMASK": "x"}


def registers(program: Program, file: File) -> dict[int, Semantic]:
    """Semantic of each declared register; by number alone for inputs of vertex programs."""
    found = {}
    for item in program.declared(file):
        for number in range(item.first, item.last + 1):
            if program.processor is Processor.VERT and file is File.IN:
                found[number] = Semantic("GENERIC", number)
            else:
                known = item.semantic or Semantic("POSITION")
                found[number] = Semantic(known.name, known.index + number - item.first)
    return found


def _written(program: Program, semantic: Semantic, file: File) -> Semantic:
    """The semantic that a register has after it was written as SPIR-V and read."""
    if semantic.name == "COLOR" and program.processor is Processor.FRAG and file is File.OUT:
        return semantic
    if program.processor is Processor.VERT and file is File.IN:
        return semantic
    place = location(semantic)
    return semantic if place is None else Semantic("GENERIC", place)


def pairs(before: Program, after: Program, file: File) -> dict[int, int]:
    """Number before -> number after, of the registers that both have."""
    new = {semantic: number for number, semantic in registers(after, file).items()}
    old = registers(before, file)
    return {number: new[_written(before, item, file)] for number, item in old.items() if _written(before, item, file) in new}


def moved(before: Program, after: Program, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of the first program as arguments of the second one."""
    found = dict(given)
    if given.get("inputs") is not None:
        inputs = np.asarray(given["inputs"])
        new = np.zeros((*inputs.shape[:-2], after.file_size(File.IN), 4), inputs.dtype)
        for old, number in pairs(before, after, File.IN).items():
            new[..., number, :] = inputs[..., old, :]
        found["inputs"] = new
    if given.get("coefs") is not None:
        planes = np.asarray(given["coefs"])
        found["coefs"] = np.zeros((after.file_size(File.IN), *planes.shape[1:]), planes.dtype)
        for old, number in pairs(before, after, File.IN).items():
            found["coefs"][number] = planes[old]
    return found


def sayable(program: Program, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that SPIR-V can say: FACE inputs as a rasterizer gives them, and comparisons whose channels are all alike."""
    found = dict(given)
    units = {item.src[-1].register.index for item in program.instructions if "SHADOW" in (item.texture or "")}
    if units:
        found["textures"] = {
            unit: replace(data, swizzle=(Swizzle.X,) * 4) if unit in units else data for unit, data in given["textures"].items()
        }
    for number, semantic in registers(program, File.IN).items():
        if semantic.name == "FACE" and program.processor is Processor.FRAG and given.get("inputs") is not None:
            inputs = np.array(given["inputs"])
            one = 1 if inputs.dtype.kind == "f" else 0x3F800000
            inputs[..., number, :] = np.array([one, 0, 0, one], inputs.dtype)
            found["inputs"] = inputs
    return found


def _channels(program: Program, semantic: Semantic) -> list[int]:
    if semantic.name == "POSITION" and program.processor is Processor.FRAG:
        return [2]
    if semantic.name == "CLIPDIST":
        count = program.property("NUM_CLIPDIST_ENABLED", 8) + program.property("NUM_CULLDIST_ENABLED")
        return [channel for channel in range(4) if 4 * semantic.index + channel < count]
    return ["xyzw".index(letter) for letter in _CHANNELS.get(semantic.name, "xyzw")]


def differences(before: Program, after: Program, a: RunResult, b: RunResult) -> list[str]:
    """Differences between two results."""
    found = []
    alive = np.asarray(a.alive, bool)
    if not np.array_equal(alive, np.asarray(b.alive, bool)):
        found.append("alive")
    same = pairs(before, after, File.OUT)
    for old, semantic in registers(before, File.OUT).items():
        if old not in same:
            if np.any(a.outputs[:, old]):  # the reader drops outputs that nothing writes
                found.append(f"{semantic} is lost")
            continue
        channels = _channels(before, semantic)
        sets = [(a.outputs[alive], b.outputs[alive])]
        if before.processor is Processor.GEOM:
            sets = list(zip(a.emitted, b.emitted))
        for x, y in sets:
            if x.shape[0] != y.shape[0] or not np.array_equal(x[:, old][:, channels], y[:, same[old]][:, channels]):
                found.append(str(semantic))
                break
    for name in ("buffers", "counters", "images"):
        one, other = getattr(a, name), getattr(b, name)
        for key in one:
            if not np.array_equal(np.asarray(one[key]).view(np.uint8), np.asarray(other[key]).view(np.uint8)):
                found.append(f"{name}[{key}]")
    return found


def round_trip(program: Program, given: Mapping[str, Any], *, engine: str = "interp", shared_memory: int = 256) -> list[str]:
    """Write a program, read it, run both: what differs. An invocation that runs out of fuel is not compared."""
    after = tgsi.read_spirv(write_spirv(program, shared_memory=shared_memory))
    given = sayable(program, given)
    a = tgsi.run(program, engine=engine, **given)
    b = tgsi.run(after, engine=engine, **moved(program, after, given))
    if np.any(a.exhausted) or np.any(b.exhausted):
        return []
    return differences(program, after, a, b)
