"""System values of a run: given by the caller, or defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backends.run.result import Bits
from backends.run.shapes import QUAD, Shape, coordinates
from backends.run.words import floats, mapping, words
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.program import Program

FLOATS = frozenset({"POSITION", "SAMPLEPOS", "TESSCOORD", "TESSINNER", "TESSOUTER", "TESS_DEFAULT_OUTER_LEVEL", "TESS_DEFAULT_INNER_LEVEL"})
"""System values that are floats: integers given for them are converted."""


def given_system_values(values: Mapping[str, ArrayLike] | None) -> dict[str, Bits]:
    """Check given system values: semantic name to (invocations, 4) words. Missing channels are 0.

    Raises ValueError for unknown names and wrong shapes.
    """
    return {name: _given(name, data) for name, data in mapping("system_values", values).items()}


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


def declared_system_values(program: Program, shape: Shape, own_values: Mapping[str, Bits], defaults: Mapping[str, Bits]) -> dict[str, Bits]:
    """(lanes, 4) words of every system value that a program declares.

    Sources, in this order: `own_values`, `defaults`, the run's shape (`DEFAULTS`), zeros.
    """
    values: dict[str, Bits] = {}
    for declaration in program.declared(File.SV):
        if declaration.semantic is None:
            continue
        name = declaration.semantic.name
        value = np.zeros((shape.lanes, 4), np.uint32)
        if name in own_values:
            value[shape.places] = own_values[name]
        elif name in defaults:
            value[:] = defaults[name]
        elif name in DEFAULTS:
            value[:] = DEFAULTS[name](program, shape)
        values[name] = value
    return values


Default = Callable[[Program, Shape], NDArray[np.uint32]]
"""Function from a program and the shape of its run to (lanes, 4) words, or to an array that broadcasts to that shape."""


def _lane_number(program: Program, shape: Shape) -> Bits:
    return _all_channels(np.arange(shape.lanes, dtype=np.uint32))


def _primitive(program: Program, shape: Shape) -> Bits:
    numbers = shape.primitive.astype(np.uint32)
    return _all_channels(np.zeros_like(numbers) if program.processor is Processor.FRAG else numbers)


def _invocation(program: Program, shape: Shape) -> Bits:
    if program.processor is Processor.GEOM:
        return _all_channels(np.arange(shape.lanes, dtype=np.uint32) % max(1, program.property("GS_INVOCATIONS", 1)))
    return _all_channels(shape.member.astype(np.uint32))


_ONE, _TWO, _ALL = np.uint32(1), np.uint32(2), np.uint32((1 << QUAD) - 1)

_MASKS: Mapping[str, Callable[[Bits], Bits]] = {
    "SUBGROUP_EQ_MASK": lambda place: _ONE << place,
    "SUBGROUP_GE_MASK": lambda place: _ALL & ~((_ONE << place) - _ONE),
    "SUBGROUP_GT_MASK": lambda place: _ALL & ~((_TWO << place) - _ONE),
    "SUBGROUP_LE_MASK": lambda place: (_TWO << place) - _ONE,
    "SUBGROUP_LT_MASK": lambda place: (_ONE << place) - _ONE,
}
"""Masks of lanes by the place of a lane in its subgroup. TGSI's masks have 64 bits, in x and y; a subgroup of four needs x only."""


def _mask(of_place: Callable[[Bits], Bits], program: Program, shape: Shape) -> Bits:
    return np.pad(of_place(_place(shape))[:, None], ((0, 0), (0, 3)))


def _place(shape: Shape) -> Bits:
    """Place of each lane in its subgroup."""
    return np.arange(shape.lanes, dtype=np.uint32) % QUAD


DEFAULTS: Mapping[str, Default] = {
    "VERTEXID": _lane_number,
    "VERTEXID_NOBASE": _lane_number,
    "PRIM_ID": _primitive,
    "INVOCATIONID": _invocation,
    "THREAD_ID": lambda program, shape: coordinates(np.where(shape.present, shape.member, 0), shape.block),
    "BLOCK_ID": lambda program, shape: coordinates(shape.primitive, shape.grid),
    "BLOCK_SIZE": lambda program, shape: np.array([*shape.block, 0], np.uint32),
    "GRID_SIZE": lambda program, shape: np.array([*shape.grid, 0], np.uint32),
    "WORK_DIM": lambda program, shape: np.array([3], np.uint32),
    "SUBGROUP_SIZE": lambda program, shape: np.array([QUAD], np.uint32),
    "SUBGROUP_INVOCATION": lambda program, shape: _all_channels(_place(shape)),
    **{name: partial(_mask, of_place) for name, of_place in _MASKS.items()},
}
"""System values that follow from the shape of a run. All others are 0."""


def _all_channels(values: Bits) -> Bits:
    return np.repeat(values[:, None], 4, axis=1)
