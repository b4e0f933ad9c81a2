"""Points and primitives of the three domains.

Each domain computes the number of points and of indices of a patch, then writes them. Points of an outer edge go counter-clockwise around
the domain and end before the next corner; the points of the interior follow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from backends.geometry.tessellation.connect import Indices, join
from backends.geometry.tessellation.key import Spacing
from backends.geometry.tessellation.spacing import ONE, SMALLEST_ABOVE_ONE, Edge, clamp, coordinate, edge_of, numbers, place
from backends.llvm.builder.function import BOOL, I32, Function, Val
from backends.pipe.enums import Prim
from tgsi.language.record import record

LANES = 8
_JUST_ABOVE = 1.0 + 2.0**-17  # the largest level that rounds to 1 in fixed point
_TWO_THIRDS = 0xAAAA


@record
class Points:
    """The arrays of coordinates that points are written to, from element `start` on."""

    f: Function
    u: Val
    v: Val
    start: Val

    def run(self, first: Val, count: Val, at: Callable[[Val], tuple[Val, Val]]) -> None:
        """Write the points first to first + count - 1 of the patch; `at` gives the fixed-point coordinates of numbers from 0 on."""
        f, lane = self.f, numbers(self.f, LANES)
        with f.range(0, count, LANES) as k:
            offset = (self.start + first + k) << 2
            for pointer, fixed in zip((self.u, self.v), at(lane + k)):
                f.store(coordinate(f.const(I32.wide(LANES), fixed)), pointer, offset)


class Domain(ABC):
    """One patch of a domain. outer: the four outer levels, inner: the two inner levels, as the shader wrote them."""

    outer_edges = 4
    inner_edges = 2

    def __init__(self, f: Function, spacing: Spacing, outer: list[Val], inner: list[Val]) -> None:
        self.f, self.spacing = f, spacing
        self.drawn = f.const(BOOL, 1)
        for level in outer[: self.outer_edges]:
            self.drawn = self.drawn & (level > 0.0)
        self._levels(outer[: self.outer_edges], inner[: self.inner_edges])

    def _levels(self, outer: list[Val], inner: list[Val]) -> None:
        f, spacing = self.f, self.spacing
        outer = [clamp(f, level, spacing) for level in outer]
        inner = [clamp(f, level, spacing) for level in inner]
        self.single = f.const(BOOL, 1)
        for level in (*outer, *inner):
            self.single = self.single & (level <= _JUST_ABOVE)
        if spacing is Spacing.FRACTIONAL_ODD:  # a subdivided patch has an interior
            least = f.select(self.single, f.const(inner[0].type, 1.0), SMALLEST_ABOVE_ONE)
            inner = [f.max(level, least) for level in inner]
        self.outer = [edge_of(f, level, spacing) for level in outer]
        self.inner = [edge_of(f, level, spacing, is_inner=True) for level in inner]
        self.around = [edge.segments for edge in self.outer]
        self.starts = [f.const(I32, 0)]
        for segments in self.around:
            self.starts.append(self.starts[-1] + segments)

    @property
    def border(self) -> Val:
        """The number of points of the outer edges."""
        return self.starts[-1]

    def ends(self, edge: int) -> tuple[Val, Val]:
        """Return the first and the last point of an outer edge."""
        is_last = edge == len(self.around) - 1
        return self.starts[edge], self.f.const(I32, 0) if is_last else self.starts[edge + 1]

    @abstractmethod
    def counts(self) -> tuple[Val, Val]:
        """Return the number of points, and of indices of lines or triangles."""

    @abstractmethod
    def write_points(self, points: Points) -> None:
        """Write the coordinates of all points."""

    @abstractmethod
    def write_indices(self, indices: Indices) -> None:
        """Write the indices of all lines or triangles."""


class Quads(Domain):
    """The quad domain. Outer edges: u = 0, v = 0, u = 1, v = 1. The interior is a grid, row after row of constant v."""

    def counts(self) -> tuple[Val, Val]:
        """Return the number of points, and of indices of triangles."""
        f = self.f
        across, up = (edge.segments for edge in self.inner)
        triangles = self.border + ((across + up - 4) << 1) + ((across - 2) * (up - 2) << 1)
        inside = (across - 1) * (up - 1)
        return self.border + f.select(self.single, f.const(I32, 0), inside), f.select(self.single, f.const(I32, 6), triangles * 3)

    def write_points(self, points: Points) -> None:
        """Write the points of the edges, then the points of the grid."""
        f = self.f
        for number, edge in enumerate(self.outer):
            backward, far = number in (0, 3), f.const(I32, ONE if number >= 2 else 0)

            def at(k: Val, number: int = number, edge: Edge = edge, backward: bool = backward, far: Val = far) -> tuple[Val, Val]:
                along = place(f, edge, edge.segments - k if backward else k)
                return (far, along) if number % 2 == 0 else (along, far)

            points.run(self.starts[number], edge.segments, at)
        across, up = self.inner
        width = across.segments - 1
        with f.if_(~self.single):
            row = f.var(I32, self.border)
            with f.range(1, up.segments) as line:
                v = place(f, up, line)
                points.run(row.get(), width, lambda k: (place(f, across, k + 1), v))
                row.add(width)

    def write_indices(self, indices: Indices) -> None:
        """Write the triangles between the edges and the grid, then the cells of the grid."""
        f = self.f
        with f.else_of(self.single) as otherwise:
            a, b, c, d = (f.const(I32, k) for k in range(4))
            indices.cell((a, b, c, d), f.const(BOOL, 1))
            otherwise()
            self._subdivided(indices)

    def _subdivided(self, indices: Indices) -> None:
        f, (across, up) = self.f, self.inner
        width, height = across.segments - 1, up.segments - 1
        low = self.border
        high = low + (height - 1) * width
        right = width - 1
        sides: list[tuple[Val, Val | int, Val, Edge]] = [
            (high, 0 - width, low, up),
            (low, 1, low + right, across),
            (low + right, width, high + right, up),
            (high + right, -1, high, across),
        ]
        for number, (first, step, last, edge) in enumerate(sides):
            join(f, indices, self.ends(number), (first, step, last), (self.outer[number], edge))
        with f.range(1, height) as j:
            row = low + (j - 1) * width
            with f.range(1, width) as i:
                a = row + (i - 1)
                indices.cell((a, a + 1, a + width + 1, a + width), self._cut(i, j))

    def _cut(self, i: Val, j: Val) -> Val:
        """Return true if the diagonal of the cell right of line i and above line j starts at its lower left corner.

        Diagonals point to the middle. If the number of cells is odd, those of a middle column start at the lower left, those of a middle
        row do not.
        """
        across, up = (edge.segments for edge in self.inner)
        x, y = (i << 1) + 1 - across, (j << 1) + 1 - up
        same = (x < 0).zext(I32).eq((y < 0).zext(I32))
        return y.ne(0) & (same | x.eq(0))


class Triangles(Domain):
    """The triangle domain. Outer edges: u = 0, v = 0, w = 0.

    The interior consists of rings whose sides have equal numbers of segments, and of a point, a triangle or nothing in the middle.
    """

    outer_edges, inner_edges = 3, 1

    def counts(self) -> tuple[Val, Val]:
        """Return the number of points, and of indices of triangles."""
        f, inside = self.f, self.inner[0]
        half = inside.segments.lshr(1)
        odd = inside.odd.ne(0)
        points = f.select(odd, half * half * 3, half * (half - 1) * 3 + 1)
        triangles = f.select(odd, half * (half - 1) * 6 + 1, (half - 1) * (half - 1) * 6)
        triangles = triangles + self.border + (inside.segments - 2) * 3
        return self.border + f.select(self.single, f.const(I32, 0), points), f.select(self.single, f.const(I32, 1), triangles) * 3

    def write_points(self, points: Points) -> None:
        """Write the points of the edges, then the points of the rings, then the middle point."""
        f = self.f
        for number, edge in enumerate(self.outer):

            def at(k: Val, number: int = number, edge: Edge = edge) -> tuple[Val, Val]:
                return _on_side(number, place(f, edge, k if number == 1 else edge.segments - k), f.const(I32, 0))

            points.run(self.starts[number], edge.segments, at)
        with f.if_(~self.single):
            self._write_rings(points)

    def _write_rings(self, points: Points) -> None:
        f, inside = self.f, self.inner[0]
        first, length = f.var(I32, self.border), f.var(I32, inside.segments - 2)
        ring = f.var(I32, 1)
        with f.loop() as rings:
            rings.break_if(length.get() <= 0)
            number, size, start = ring.get(), length.get(), first.get()
            depth = (place(f, inside, number) * _TWO_THIRDS + (ONE // 2)).lshr(16)
            shift = (depth + 1).lshr(1)
            for side in range(3):

                def at(k: Val, side: int = side) -> tuple[Val, Val]:
                    step = number + k if side == 1 else inside.segments - number - k
                    return _on_side(side, place(f, inside, step) - shift, depth)

                points.run(start + size * side, size, at)
            first.set(start + size * 3)
            length.set(size - 2)
            ring.set(number + 1)
        with f.if_(length.get().eq(0)):
            middle = f.const(I32, ONE // 3)
            points.run(first.get(), f.const(I32, 1), lambda k: (middle, middle))

    def write_indices(self, indices: Indices) -> None:
        """Write the triangles between the edges and the first ring, then those from ring to ring."""
        f = self.f
        with f.else_of(self.single) as otherwise:
            indices.triangle(*(f.const(I32, k) for k in range(3)))
            otherwise()
            first, inside = self.border, self.inner[0]
            length = inside.segments - 2
            for side in range(3):
                start = first + length * side
                last = first if side == 2 else start + length
                join(f, indices, self.ends(side), (start, 1, last), (self.outer[side], inside))
            self._join_rings(indices, first, length)

    def _join_rings(self, indices: Indices, first: Val, length: Val) -> None:
        f = self.f
        start, size = f.var(I32, first), f.var(I32, length)
        with f.loop() as rings:
            rings.break_if(size.get() < 2)
            ring, outer = start.get(), size.get()
            within, inner = ring + outer * 3, outer - 2
            for side in range(3):
                o, i = ring + outer * side, within + inner * side
                out_end, in_end = ring if side == 2 else o + outer, within if side == 2 else i + inner
                indices.triangle(o, o + 1, i)
                with f.range(0, inner) as k:
                    out_here, in_here = o + 1 + k, i + k
                    in_next = f.select((k + 1).eq(inner), in_end, in_here + 1)
                    indices.cell((out_here, out_here + 1, in_next, in_here), k < (inner + 1).lshr(1))
                indices.triangle(o + (outer - 1), out_end, in_end)
            start.set(within)
            size.set(inner)
        with f.if_(size.get().eq(1)):
            a = start.get()
            indices.triangle(a, a + 1, a + 2)


def _on_side(side: int, along: Val, depth: Val) -> tuple[Val, Val]:
    """Return u and v of a point that lies `along` a side of the triangle, `depth` away from it."""
    if side == 0:
        return depth, along
    return (along, depth) if side == 1 else (along, ONE - along - depth)


class Isolines(Domain):
    """Lines of constant v: the first outer level is their number, the second the number of segments of each."""

    outer_edges, inner_edges = 2, 0

    def _levels(self, outer: list[Val], inner: list[Val]) -> None:
        self.single = self.f.const(BOOL, 0)
        self.lines = edge_of(self.f, clamp(self.f, outer[0], Spacing.EQUAL), Spacing.EQUAL)
        self.line = edge_of(self.f, clamp(self.f, outer[1], self.spacing), self.spacing)

    def counts(self) -> tuple[Val, Val]:
        """Return the number of points, and of indices of lines."""
        lines, segments = self.lines.segments, self.line.segments
        return lines * (segments + 1), lines * segments << 1

    def write_points(self, points: Points) -> None:
        """Write the points of one line after another."""
        f, each = self.f, self.line.segments + 1
        with f.range(0, self.lines.segments) as line:
            v = place(f, self.lines, line)
            points.run(line * each, each, lambda k: (place(f, self.line, k), v))

    def write_indices(self, indices: Indices) -> None:
        """Write each segment as its two points."""
        f, segments = self.f, self.line.segments
        with f.range(0, self.lines.segments) as line, f.range(0, segments) as k:
            a = line * (segments + 1) + k
            indices.line(a, a + 1)


DOMAINS: dict[Prim, type[Domain]] = {Prim.QUADS: Quads, Prim.TRIANGLES: Triangles, Prim.LINES: Isolines}
