"""Channels whose values lanes may need on both sides of a barrier.

Lanes run a program in the order of its text, except for loops: a barrier in a loop lies both before and after everything in it. A channel
is read only inside of its home, and lanes that enter the home write it first, so loops around the home are ignored.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import itemgetter

from backends.llvm.program.access import Access, Key
from backends.llvm.program.tree import Control, Leaf, Region
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Instruction

_BEGIN = itemgetter(0)


def crossing(
    steps: Sequence[tuple[Region, Instruction, Leaf | Control, Access]],
    inside: Mapping[Control, range],
    homes: Mapping[Key, Region | None],
    main: Region,
) -> set[Key]:
    """Channels with accesses before and after a barrier.

    steps: the instructions in the order of the text. inside: the steps of each control. homes: see `divergence`; channels without a home
    are read at the end of the program.
    """
    spans: dict[Region, list[tuple[int, int]]] = {}
    for at, (region, instruction, _, _) in enumerate(steps):
        if Trait.BARRIER in instruction.opcode.traits:
            _note(spans, region, at, inside)
    first: dict[Key, int] = {}
    last: dict[Key, int] = {}
    for at, (_, _, _, accesses) in enumerate(steps):
        for key in (*accesses.reads, *accesses.writes):
            first.setdefault(key, at)
            last[key] = at
    last |= {key: len(steps) for key, home in homes.items() if home is None}
    keys = set()
    for key, home in homes.items():
        around = spans.get(home or main, [])
        number = bisect_right(around, last[key], key=_BEGIN) - 1  # the spans are sorted and disjoint
        if number >= 0 and around[number][1] >= first[key]:
            keys.add(key)
    return keys


def _note(spans: dict[Region, list[tuple[int, int]]], region: Region, at: int, inside: Mapping[Control, range]) -> None:
    """Record a barrier in every region around it, as the steps of the outermost loop between the two."""
    span = at, at
    while True:
        steps = spans.setdefault(region, [])
        if not steps or steps[-1] != span:
            steps.append(span)
        control = region.control
        if control is None:
            return
        if control.kind == "loop":
            span = inside[control].start, inside[control].stop - 1
        region = control.region
