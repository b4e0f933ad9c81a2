"""The arrangement of a run's invocations in lanes: in groups, each padded to whole quads.

Vertices, fragments, primitives and evaluated points are one group; the vertices of a patch are a group each, and so are the threads
of a block. Lane L belongs to group ``L // group``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.pipe.limits import MAX_BLOCK
from backends.run.result import Mask
from tgsi.language.facts.enums import File, Primitive
from tgsi.language.facts.semantics import PATCH_SEMANTICS
from tgsi.language.facts.stages import PATCH_STAGES
from tgsi.language.info import INPUT_VERTICES
from tgsi.language.program import Program

QUAD = 4
"""Invocations of a subgroup; fragments come in quads (0,0) (1,0) (0,1) (1,1)."""

MAX_INVOCATIONS = 1 << 24

Index = NDArray[np.int64]
Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Shape:
    """Invocations and lanes of one run.

    group: lanes of a group, a multiple of 4; members: invocations of a group. primitive: (lanes,) the primitive, patch or block of
    each lane. grid, block: counts by axis; 1, 1, 1 for stages without blocks.
    """

    invocations: int
    members: int
    group: int
    groups: int
    primitive: Index
    grid: Triple = (1, 1, 1)
    block: Triple = (1, 1, 1)

    @property
    def lanes(self) -> int:
        """All lanes, with those that only fill up quads."""
        return self.group * self.groups

    @property
    def member(self) -> Index:
        """(lanes,): number of each lane within its group."""
        return np.arange(self.lanes, dtype=np.int64) % self.group

    @property
    def present(self) -> Mask:
        """(lanes,): which lanes are invocations."""
        inside: Mask = self.member < self.members
        return inside

    @property
    def places(self) -> Index:
        """(invocations,): the lane of each invocation."""
        return np.flatnonzero(self.present)


def input_vertices(program: Program) -> int:
    """Vertices that a geometry program reads of each primitive."""
    return INPUT_VERTICES.get(program.property("GS_INPUT_PRIMITIVE", Primitive.TRIANGLES), 3)


def output_vertices(program: Program) -> int:
    """Most vertices that an invocation of a geometry program emits, all streams together; as in Mesa, 32 where it does not say."""
    return program.property("GS_MAX_OUTPUT_VERTICES") or 32


def patch_registers(program: Program, file: File) -> frozenset[int]:
    """Registers of IN or OUT of a tessellation program that exist once a patch: those of PATCH, TESSOUTER, TESSINNER and PRIM_ID."""
    if program.processor not in PATCH_STAGES:
        return frozenset()
    found = (d for d in program.declared(file) if d.semantic is not None and d.semantic.name in PATCH_SEMANTICS)
    return frozenset(register for d in found for register in range(d.first, d.last + 1))


def flat_shape(invocations: int, primitives: int) -> Shape:
    """One group of everything; every primitive has as many invocations."""
    lanes = _padded(_checked(invocations))
    each = max(1, invocations // max(1, primitives))
    return Shape(
        invocations=invocations,
        members=invocations,
        group=max(lanes, QUAD),
        groups=1,
        primitive=np.minimum(np.arange(max(lanes, QUAD)) // each, max(0, primitives - 1)),
    )


def patch_shape(patches: int, vertices: int) -> Shape:
    """A group a patch, an invocation a vertex that it writes."""
    group = _padded(vertices)
    return Shape(
        invocations=_checked(patches * vertices),
        members=vertices,
        group=group,
        groups=patches,
        primitive=np.repeat(np.arange(patches), group),
    )


def block_shape(program: Program, grid: Triple, block: Triple | None) -> Shape:
    """A group a block of threads; blocks and threads count x first.

    Raises ValueError for axes below 0 (grid) or 1 (block), for more than `MAX_BLOCK` threads a block or `MAX_INVOCATIONS` in all, and
    where `block` is missing or is not what the program fixes.
    """
    fixed = tuple(program.property(f"CS_FIXED_BLOCK_{axis}") for axis in ("WIDTH", "HEIGHT", "DEPTH"))
    if block is None:
        if not all(fixed):
            raise ValueError("block must be given: the program does not fix its size")
        block = (fixed[0], fixed[1], fixed[2])
    grid, block = _axes("grid", grid, 0), _axes("block", block, 1)
    if any(wanted not in (0, size) for wanted, size in zip(fixed, block)):
        raise ValueError(f"block is {block}, the program fixes {fixed}")
    threads, blocks = prod(block), prod(grid)
    if threads > MAX_BLOCK:
        raise ValueError(f"block has {threads} threads, more than {MAX_BLOCK}")
    group = _padded(threads)
    if group * blocks > MAX_INVOCATIONS:  # lanes are what takes memory: four for a block of one thread
        raise ValueError(f"grid has {blocks} blocks of {threads} threads, more than {MAX_INVOCATIONS} invocations in whole quads")
    return Shape(
        invocations=threads * blocks,
        members=threads,
        group=group,
        groups=blocks,
        primitive=np.repeat(np.arange(blocks), group),
        grid=grid,
        block=block,
    )


def coordinates(numbers: Index, size: Triple) -> NDArray[np.uint32]:
    """(n, 4): x, y and z of things counted x first, and 0."""
    width, height, _ = size
    x, y, z = numbers % width, numbers // width % height, numbers // (width * height)
    return np.stack([x, y, z, np.zeros_like(x)], axis=1).astype(np.uint32)


def _padded(count: int) -> int:
    return -(-count // QUAD) * QUAD


def _checked(invocations: int) -> int:
    if invocations > MAX_INVOCATIONS:
        raise ValueError(f"{invocations} invocations are more than {MAX_INVOCATIONS}")
    return invocations


def _axes(name: str, axes: Any, least: int) -> Triple:
    if not isinstance(axes, tuple | list) or len(axes) != 3 or not all(isinstance(n, int | np.integer) and n >= least for n in axes):
        raise ValueError(f"{name} must be three integers of at least {least}, not {axes!r}")
    return int(axes[0]), int(axes[1]), int(axes[2])
