"""Texels that lie side by side like the pixels that read them: pictures drawn texel by texel, blurs, passes over the whole screen.

Vectors of fragments hold rows of pixels (`LaneMap`, kind run). If the texels of each row follow each other in memory, one load takes the
place of a load for each lane. The bytes are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import I32, Function, Type, Val

SHORTEST = 4
"""Fewest pixels of a row for which the question is worth its instructions."""


def are_in_step(f: Function, offsets: Sequence[Val], row: int, size: int) -> Val:
    """Truth (i1) that in each of the vectors, in each row of `row` lanes, every offset is `size` above that of the lane before it."""
    steps = f.lanes_const(I32.wide(offsets[0].lanes), [lane % row * size for lane in range(offsets[0].lanes)])
    follow = None
    for places in offsets:
        begins = f.shuffle(places, places, [lane // row * row for lane in range(places.lanes)])
        found = places.eq(begins + steps)
        follow = found if follow is None else follow & found
    assert follow is not None
    return f.all(follow)


def load_rows(f: Function, type: Type, base: Val, offsets: Val, row: int) -> Val:
    """Elements of `type` at `base` + offsets[k] bytes (i32), for offsets that are in step."""
    starts = [f.at(base, offsets[lane]) for lane in range(0, offsets.lanes, row)]
    return f.concat([f.load(type.wide(row), start, align=min(type.bits // 8, 4)) for start in starts])
