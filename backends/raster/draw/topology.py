"""Primitive types: the vertices at the corners of each triangle, line or point.

Corner k of primitive q of n vertices is vertex (q >> shift) * multiply[k] + offset[q & 1][k]; corner 2 is always the
provoking vertex, and a triangle's corners keep its orientation. Provoking vertices: the last one, or the first one with
flatshade_first, of quads, too, unless quads_provoke_last; polygons always take their first (Gallium's
rasterizer.rst, "flatshade_first", and screen.rst, "PIPE_CAP_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.pipe.enums import Prim
from backends.raster.layouts import Edges, Shape
from tgsi.language.record import record

Corners = tuple[int, ...]
Restarts = tuple[NDArray[Any], int]
"""The indices of a draw with primitive restart, and the restart index."""


@record
class Topology:
    """One primitive type under one provoking vertex convention.

    `count` is a function from a number of vertices (or an array of them) to the number of primitives; negative results mean 0."""

    shape: Shape
    multiply: Corners
    even: Corners
    odd: Corners
    count: Callable[[Any], Any]
    _: KW_ONLY
    shift: int = 0  # 1: two triangles a primitive
    closes: bool = False  # the last line ends at the first vertex
    edges: tuple[Edges, Edges] = (Edges.ALL, Edges.ALL)  # of even and of odd triangles that are edges of the primitive

    @property
    def is_list(self) -> bool:
        """True for independent triangles."""
        return self.shape is Shape.TRIANGLE and self.multiply == (3, 3, 3)

    @property
    def is_irregular(self) -> bool:
        """True if the formula cannot express the primitives, so that vertex numbers must be written out."""
        return self.closes

    def places(self, q: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Vertices of the primitives number `q` of strips with `lengths` vertices, counted from the strip's start.

        Shape: (primitives, corners)."""
        places = np.empty((len(q), len(self.multiply)), np.int64)
        for k in range(places.shape[1]):
            offset = np.where(q & 1, self.odd[k], self.even[k])
            places[:, k] = (q >> self.shift) * self.multiply[k] + offset
        return places % np.maximum(lengths, 1)[:, None] if self.closes else places


def _same(shape: Shape, step: int, corners: Corners, count: Callable[[Any], Any]) -> Topology:
    return Topology(shape, (step, step, step), corners, corners, count)


_T, _L, _P = Shape.TRIANGLE, Shape.LINE, Shape.POINT
_OPEN = (Edges.SECOND | Edges.THIRD, Edges.FIRST | Edges.THIRD, Edges.FIRST | Edges.SECOND)  # all edges but the k-th
_QUADS = Topology(_T, (4, 4, 4), (0, 1, 3), (1, 2, 3), lambda n: n // 4 * 2, shift=1, edges=(_OPEN[1], _OPEN[2]))
_QUAD_STRIP = Topology(_T, (2, 2, 2), (0, 1, 3), (2, 0, 3), lambda n: (n - 2) // 2 * 2, shift=1, edges=(_OPEN[2], _OPEN[1]))
_QUADS_FIRST = Topology(_T, (4, 4, 4), (1, 2, 0), (2, 3, 0), lambda n: n // 4 * 2, shift=1, edges=(_OPEN[1], _OPEN[2]))
_QUAD_STRIP_FIRST = Topology(_T, (2, 2, 2), (1, 3, 0), (3, 2, 0), lambda n: (n - 2) // 2 * 2, shift=1, edges=(_OPEN[1], _OPEN[2]))
_POLYGON = Topology(_T, (1, 1, 0), (1, 2, 0), (1, 2, 0), lambda n: n - 2, edges=(Edges.FIRST, Edges.FIRST))

# type -> (last vertex provokes, first vertex provokes)
TOPOLOGIES: dict[Prim, tuple[Topology, Topology]] = {
    Prim.POINTS: (_same(_P, 1, (0, 0, 0), lambda n: n),) * 2,
    Prim.LINES: (_same(_L, 2, (0, 1, 1), lambda n: n // 2), _same(_L, 2, (0, 1, 0), lambda n: n // 2)),
    Prim.LINE_STRIP: (_same(_L, 1, (0, 1, 1), lambda n: n - 1), _same(_L, 1, (0, 1, 0), lambda n: n - 1)),
    Prim.LINE_LOOP: (
        Topology(_L, (1, 1, 1), (0, 1, 1), (0, 1, 1), lambda n: n * (n > 1), closes=True),
        Topology(_L, (1, 1, 1), (0, 1, 0), (0, 1, 0), lambda n: n * (n > 1), closes=True),
    ),
    Prim.TRIANGLES: (_same(_T, 3, (0, 1, 2), lambda n: n // 3), _same(_T, 3, (1, 2, 0), lambda n: n // 3)),
    Prim.TRIANGLE_STRIP: (
        Topology(_T, (1, 1, 1), (0, 1, 2), (1, 0, 2), lambda n: n - 2),
        Topology(_T, (1, 1, 1), (1, 2, 0), (2, 1, 0), lambda n: n - 2),
    ),
    Prim.TRIANGLE_FAN: (
        Topology(_T, (0, 1, 1), (0, 1, 2), (0, 1, 2), lambda n: n - 2),
        Topology(_T, (1, 0, 1), (2, 0, 1), (2, 0, 1), lambda n: n - 2),
    ),
    Prim.QUADS: (_QUADS, _QUADS_FIRST),
    Prim.QUAD_STRIP: (_QUAD_STRIP, _QUAD_STRIP_FIRST),
    Prim.POLYGON: (_POLYGON, _POLYGON),
    Prim.LINES_ADJACENCY: (_same(_L, 4, (1, 2, 2), lambda n: n // 4), _same(_L, 4, (1, 2, 1), lambda n: n // 4)),
    Prim.LINE_STRIP_ADJACENCY: (_same(_L, 1, (1, 2, 2), lambda n: n - 3), _same(_L, 1, (1, 2, 1), lambda n: n - 3)),
    Prim.TRIANGLES_ADJACENCY: (_same(_T, 6, (0, 2, 4), lambda n: n // 6), _same(_T, 6, (2, 4, 0), lambda n: n // 6)),
    Prim.TRIANGLE_STRIP_ADJACENCY: (
        Topology(_T, (2, 2, 2), (0, 2, 4), (2, 0, 4), lambda n: n // 2 - 2),
        Topology(_T, (2, 2, 2), (2, 4, 0), (4, 2, 0), lambda n: n // 2 - 2),
    ),
}


QUADS = (Prim.QUADS, Prim.QUAD_STRIP)


def topology_of(mode: Prim, flatshade_first: bool, quads_provoke_last: bool = False) -> Topology:
    """The row of a primitive type under rasterizer state.

    Raises:
        ValueError: the type is PATCHES, which only the tessellator draws.
    """
    rows = TOPOLOGIES.get(mode)
    if rows is None:
        raise ValueError(f"draw_vbo: mode: {Prim(mode).name} need a tessellation evaluation shader")
    return rows[flatshade_first and not (quads_provoke_last and mode in QUADS)]


def expand(topology: Topology, numbers: NDArray[np.uint32], restart: int | None) -> NDArray[np.uint32]:
    """Vertex numbers of the corners of each primitive, for strips that restart where a number equals `restart`, and for closed loops."""
    cuts = np.flatnonzero(numbers == restart) if restart is not None else np.zeros(0, np.int64)
    starts = np.concatenate([[0], cuts + 1])
    ends = np.concatenate([cuts, [len(numbers)]])
    lengths = ends - starts
    counts = np.maximum(topology.count(lengths), 0)
    segment = np.repeat(np.arange(len(starts)), counts)
    q = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    places = topology.places(q, lengths[segment])
    return np.ascontiguousarray(numbers[places + starts[segment][:, None]].ravel())


def beginnings(topology: Topology, numbers: NDArray[np.uint32], restart: int) -> NDArray[np.uint8]:
    """One byte for each primitive in the result of `expand`: 1 if a strip begins with it."""
    cuts = np.flatnonzero(numbers == restart)
    lengths = np.diff(np.concatenate([[-1], cuts, [len(numbers)]])) - 1
    counts = np.maximum(topology.count(lengths), 0)
    begins = np.zeros(counts.sum(), np.uint8)
    begins[(np.cumsum(counts) - counts)[counts > 0]] = 1
    return begins
