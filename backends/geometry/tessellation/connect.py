"""Connection of points to triangles and lines, given as numbers of points.

Between an outer edge and the edge inside of it, both are walked together: each point has a place (`spacing.split_place`) that is
independent of the level, so the same pairs of points are connected at all levels, and a new point changes only the triangles at that point.
The
second half mirrors the first one. The interior consists of cells of four points, whose diagonals point to the middle.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.geometry.tessellation.spacing import Edge, split_masks
from backends.llvm.builder.function import BOOL, I32, I64, PTR, Function, Module, Val, Var


class Indices:
    """An array that indices are appended to, at address `pointer`, with `made` indices so far. `base` is added to each index."""

    def __init__(self, f: Function, pointer: Val, count: Val | Var, base: Val, *, clockwise: bool) -> None:
        self.f, self.pointer, self.base, self.clockwise = f, pointer, base, clockwise
        self.made = count if isinstance(count, Var) else f.var(I32, count)

    def triangle(self, a: Val, b: Val, c: Val) -> None:
        """Append a triangle, given counter-clockwise."""
        self._append((a, c, b) if self.clockwise else (a, b, c))

    def line(self, a: Val, b: Val) -> None:
        """Append a line."""
        self._append((a, b))

    def cell(self, corners: tuple[Val, Val, Val, Val], first_cut: Val) -> None:
        """Append the two triangles of a quadrilateral, whose corners are given counter-clockwise.

        `first_cut`: cut from the first to the third corner; otherwise from the second to the fourth.
        """
        a, b, c, d = corners
        p, q, r, s = (self.f.select(first_cut, x, y) for x, y in ((a, b), (b, c), (c, d), (d, a)))
        self._append((p, r, q, p, s, r) if self.clockwise else (p, q, r, p, r, s))

    def _append(self, points: Sequence[Val]) -> None:
        count = self.made.get()
        for k, point in enumerate(points):
            self.f.store(point + self.base, self.pointer, (count + k) << 2)
        self.made.set(count + len(points))


def build_join(module: Module, *, clockwise: bool) -> None:
    """Add `join(indices, made, outer first, last, inner first, step, last, outer half, odd, inner half, odd) -> made`.

    Point k of the outer edge is first + k, except that the last one is `last`; of the inner edge, first + k * step, likewise. half, odd: as
    in `Edge`. The inner edge is the edge of its level without its first and last segment.
    """
    f = Function(module, "join", [PTR] + [I32] * 10, I32, internal=True)
    pointer, filled, out_first, out_last, in_first, in_step, in_last, out_half, out_odd, in_half, in_odd = f.args
    masks = split_masks()
    table = Val(f, PTR, module.constant("split_masks", I64, masks))
    inner_masks = Val(f, PTR, module.constant("inner_masks", I64, [m & ~1 for m in masks]))
    outer_mask = f.load(I64, table, (out_half - out_odd) << 3, 8)
    inner_mask = f.load(I64, inner_masks, (in_half - in_odd) << 3, 8)
    outers, inners = (out_half << 1) - out_odd, f.max((in_half << 1) - in_odd - 2, 0)
    indices = Indices(f, pointer, filled, f.const(I32, 0), clockwise=clockwise)
    o, i = f.var(I32, 0), f.var(I32, 0)

    def outer(k: Val) -> Val:
        return f.select(k.eq(outers), out_last, out_first + k)

    def inner(k: Val) -> Val:
        return f.select(k.eq(inners), in_last, in_first + k * in_step)

    def forward_outer() -> None:
        at = o.get()
        indices.triangle(outer(at), outer(at + 1), inner(i.get()))
        o.set(at + 1)

    def forward_inner() -> None:
        at = i.get()
        indices.triangle(inner(at), outer(o.get()), inner(at + 1))
        i.set(at + 1)

    def walk(zeros: str, high: bool) -> None:
        rest = f.var(I64, outer_mask | inner_mask)
        with f.loop() as loop:
            bits = rest.get()
            loop.break_if(bits.eq(0))
            count = f.intrinsic(zeros, bits, Val(f, BOOL, "true"))
            bit = f.const(I64, 1) << (63 - count if high else count)
            rest.set(bits & ~bit)
            steps = [(inner_mask, forward_inner), (outer_mask, forward_outer)]
            for mask, step in reversed(steps) if high else steps:
                with f.if_((mask & bit).ne(0)):
                    step()

    walk("cttz", False)
    with f.if_((out_odd & in_odd).ne(0)):
        a, b = i.get(), o.get()
        indices.triangle(inner(a), outer(b), inner(a + 1))
        indices.triangle(inner(a + 1), outer(b), outer(b + 1))
        i.set(a + 1)
        o.set(b + 1)
    with f.if_((out_odd & ~in_odd & 1).ne(0)):
        forward_outer()
    with f.if_((in_odd & ~out_odd & 1).ne(0)):
        forward_inner()
    walk("ctlz", True)
    f.ret(indices.made.get())


def join(f: Function, indices: Indices, outer: tuple[Val, Val], inner: tuple[Val, Val | int, Val], edges: tuple[Edge, Edge]) -> None:
    """Call the kernel function `join`.

    outer: first and last point of the outer edge; inner: first point, step and last point of the inner edge; edges: outer and inner.
    """
    out_edge, in_edge = edges
    ends = [point + indices.base for point in (*outer, inner[0])]
    shape = [out_edge.half, out_edge.odd, in_edge.half, in_edge.odd]
    total = f.call(I32, "join", indices.pointer, indices.made.get(), *ends, f.const(I32, inner[1]), inner[2] + indices.base, *shape)
    indices.made.set(total)
