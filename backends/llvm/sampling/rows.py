"""Texels and words that lie side by side like the pixels or threads that access them: pictures drawn texel by texel, blurs, arrays.

Vectors of fragments hold rows of pixels, and vectors of threads rows of a block (`LaneMap`, kinds run and threads). If the accesses of
each row are contiguous, one access replaces one for each lane. The bytes are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import I32, Function, Type, Val

SHORTEST = 4
"""Fewest pixels of a row for which the question is worth its instructions."""


def are_in_step(f: Function, offsets: Sequence[Val], row: int, size: int, among: Val | None = None) -> Val:
    """Truth (i1) that in each of the vectors, in each row of `row` lanes, every offset is `size` above that of the lane before it.

    among: lanes (i1), all of which must be set, too.
    """
    steps = f.lanes_const(I32.wide(offsets[0].lanes), [lane % row * size for lane in range(offsets[0].lanes)])
    follow = among
    for places in offsets:
        begins = f.shuffle(places, places, [lane // row * row for lane in range(places.lanes)])
        in_step = places.eq(begins + steps)
        follow = in_step if follow is None else follow & in_step
    assert follow is not None
    return f.all(follow)


def load_rows(f: Function, type: Type, base: Val, offsets: Val, row: int) -> Val:
    """Elements of `type` at `base` + offsets[k] bytes (i32), for offsets that are in step."""
    starts = [f.at(base, offsets[lane]) for lane in range(0, offsets.lanes, row)]
    return f.concat([f.load(type.wide(row), start, align=min(type.bits // 8, 4)) for start in starts])


def gather_rows(f: Function, base: Val, offsets: Val, mask: Val, row: int) -> Val:
    """Words at `base` + offsets[k] bytes (i32) in the lanes of `mask`, 0 in other lanes: by rows if all lanes read contiguous words."""
    if row < SHORTEST:
        return f.gather(I32, base, offsets, mask)
    word = f.var(offsets.type)
    with f.else_of(are_in_step(f, [offsets], row, 4, mask)) as otherwise:
        word.set(load_rows(f, I32, base, offsets, row))
        otherwise()
        word.set(f.gather(I32, base, offsets, mask))
    return word.get()


def scatter_rows(f: Function, value: Val, base: Val, offsets: Val, mask: Val, row: int) -> None:
    """Store each lane's word of `mask` at `base` + offsets[k] bytes (i32): by rows if all lanes write and are in step."""
    if row < SHORTEST:
        f.scatter(value, base, offsets, mask)
        return
    with f.else_of(are_in_step(f, [offsets], row, 4, mask)) as otherwise:
        for lane in range(0, offsets.lanes, row):
            part = f.shuffle(value, value, range(lane, lane + row))
            f.store(part, f.at(base, offsets[lane]), align=4)
        otherwise()
        f.scatter(value, base, offsets, mask)
