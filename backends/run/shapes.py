"""Arrangement of a run's invocations in lanes: in groups, each padded to whole quads.

All vertices, fragments, primitives or evaluated points of a run are one group. Each patch's output vertices are a group, and each block's
threads are a group. Lane L belongs to group ``L // group``.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.pipe.limits import MAX_BLOCK
from backends.run.result import Mask
from tgsi.language.facts.enums import File, Primitive
from tgsi.language.facts.semantics import PATCH_SEMANTICS
from tgsi.language.facts.stages import INPUT_VERTICES, PATCH_STAGES
from tgsi.language.program import Program
from tgsi.language.record import record

QUAD = 4
"""Invocations of a subgroup. For fragments these are the pixels (0,0) (1,0) (0,1) (1,1) of a quad."""

MAX_INVOCATIONS = 1 << 24

Index = NDArray[np.int64]
Triple = tuple[int, int, int]


@record(eq=False, kw_only=True)
class Shape:
    """Invocations and lanes of one run.

    group: lanes of a group, a multiple of 4. members: invocations of a group. primitive: (lanes,), the primitive, patch or block of
    each lane. grid, block: blocks and threads along x, y and z; 1, 1, 1 for stages without blocks.
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
        """Number of lanes, including the padding of quads."""
        return self.group * self.groups

    @property
    def member(self) -> Index:
        """Number of each lane within its group, (lanes,)."""
        return np.arange(self.lanes, dtype=np.int64) % self.group

    @property
    def present(self) -> Mask:
        """True for lanes that are invocations, (lanes,)."""
        inside: Mask = self.member < self.members
        return inside

    @property
    def places(self) -> Index:
        """Lane of each invocation, (invocations,)."""
        return np.flatnonzero(self.present)


def input_vertices(program: Program) -> int:
    """Vertices that a geometry program reads of each primitive."""
    return INPUT_VERTICES.get(program.property("GS_INPUT_PRIMITIVE", Primitive.TRIANGLES), 3)


def output_vertices(program: Program) -> int:
    """Most vertices that an invocation of a geometry program emits, on all streams together; 32, as in Mesa, if the program sets none."""
    return program.property("GS_MAX_OUTPUT_VERTICES") or 32


def patch_registers(program: Program, file: File) -> frozenset[int]:
    """IN or OUT registers of a tessellation program that exist once per patch (`PATCH_SEMANTICS`)."""
    if program.processor not in PATCH_STAGES:
        return frozenset()
    declarations = (d for d in program.declared(file) if d.semantic is not None and d.semantic.name in PATCH_SEMANTICS)
    return frozenset(register for d in declarations for register in range(d.first, d.last + 1))


def flat_shape(invocations: int, primitives: int) -> Shape:
    """Shape of a single group. Every primitive has the same number of invocations."""
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
    """Shape with a group for each patch and an invocation for each vertex that a patch writes."""
    group = _padded(vertices)
    return Shape(
        invocations=_checked(patches * vertices),
        members=vertices,
        group=group,
        groups=patches,
        primitive=np.repeat(np.arange(patches), group),
    )


def block_shape(program: Program, grid: Triple, block: Triple | None) -> Shape:
    """Shape with a group for each block of threads. Blocks and threads are numbered along x first.

    Raises ValueError for axes below 0 (grid) or 1 (block), for more than `MAX_BLOCK` threads a block or `MAX_INVOCATIONS` lanes in all,
    and if `block` is missing or differs from the size that the program fixes.
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
    if group * blocks > MAX_INVOCATIONS:  # lanes take memory, not threads: a block of one thread has four lanes
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
    """x, y and z of things that are numbered along x first, and 0; (n, 4)."""
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
