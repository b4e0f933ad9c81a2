"""System values of a run: those given, and what the others are by default."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backends.run.result import Bits
from backends.run.shapes import QUAD, Shape, coordinates
from backends.run.words import floats, mapping, words
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.program import Program

FLOATS = frozenset({"POSITION", "SAMPLEPOS", "TESSCOORD", "TESSINNER", "TESSOUTER"})
"""System values that are floats, whatever numbers are given."""


def given_system_values(given: Mapping[str, ArrayLike] | None) -> dict[str, Bits]:
    """Semantic name to (invocations, 4) words; missing channels are 0. ValueError for unknown names and wrong shapes."""
    return {name: _given(name, data) for name, data in mapping("system_values", given).items()}


def _given(name: str, data: ArrayLike) -> Bits:
    if name not in SEMANTICS:
        raise ValueError(f"system_values: there is no semantic {name!r}")
    argument = f"system_values[{name!r}]"
    array = floats(argument, data).view(np.uint32) if name in FLOATS else words(argument, data)
    if array.ndim == 1:
        array = np.repeat(array[:, None], 4, axis=1)
    if array.ndim != 2 or not 1 <= array.shape[1] <= 4:
        raise ValueError(f"{argument} must have shape (invocations,) or (invocations, 1 to 4), not {array.shape}")
    return np.pad(array, ((0, 0), (0, 4 - array.shape[1])))


def declared_system_values(program: Program, shape: Shape, given: Mapping[str, Bits], defaults: Mapping[str, Bits]) -> dict[str, Bits]:
    """(lanes, 4) words of every name that a program declares: as given, else of `defaults`, else what the shape says, else 0."""
    found: dict[str, Bits] = {}
    for declaration in program.declared(File.SV):
        if declaration.semantic is None:
            continue
        name = declaration.semantic.name
        value = np.zeros((shape.lanes, 4), np.uint32)
        if name in given:
            value[shape.places] = given[name]
        elif name in defaults:
            value[:] = defaults[name]
        else:
            value[:] = _default(name, program, shape)
        found[name] = value
    return found


def _default(name: str, program: Program, shape: Shape) -> NDArray[np.uint32]:
    """(lanes, 4) words, or what can be broadcast to them."""
    number = np.arange(shape.lanes, dtype=np.uint32)
    match name:
        case "VERTEXID" | "VERTEXID_NOBASE":
            return _all_channels(number)
        case "PRIM_ID" if program.processor is not Processor.FRAG:
            return _all_channels(shape.primitive.astype(np.uint32))
        case "INVOCATIONID" if program.processor is Processor.GEOM:
            return _all_channels(number % max(1, program.property("GS_INVOCATIONS", 1)))
        case "INVOCATIONID":
            return _all_channels(shape.member.astype(np.uint32))
        case "THREAD_ID":
            return coordinates(np.where(shape.present, shape.member, 0), shape.block)
        case "BLOCK_ID":
            return coordinates(shape.primitive, shape.grid)
        case "BLOCK_SIZE":
            return np.array([*shape.block, 0], np.uint32)
        case "GRID_SIZE":
            return np.array([*shape.grid, 0], np.uint32)
        case "WORK_DIM":
            return np.array([3], np.uint32)
        case "SUBGROUP_SIZE" | "SUBGROUP_INVOCATION":
            return _all_channels(_of_subgroup(name, number % QUAD))
        case _:  # masks have 64 bits, in x and y
            return np.pad(_of_subgroup(name, number % QUAD)[:, None], ((0, 0), (0, 3)))


def _of_subgroup(name: str, place: Bits) -> Bits:
    """What depends on the place in the subgroup only; 0 for any other name."""
    one = np.uint32(1)
    below = (one << place) - one
    upto = (np.uint32(2) << place) - one
    match name:
        case "SUBGROUP_SIZE":
            return np.full_like(place, QUAD)
        case "SUBGROUP_INVOCATION":
            return place
        case "SUBGROUP_EQ_MASK":
            return one << place
        case "SUBGROUP_GE_MASK":
            return np.uint32(15) & ~below
        case "SUBGROUP_GT_MASK":
            return np.uint32(15) & ~upto
        case "SUBGROUP_LE_MASK":
            return upto
        case "SUBGROUP_LT_MASK":
            return below
        case _:
            return np.zeros_like(place)


def _all_channels(values: Bits) -> Bits:
    return np.repeat(values[:, None], 4, axis=1)
