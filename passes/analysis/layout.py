"""The regions of a flat program: which places every later place implies, and which places a loop repeats.

A region is a stretch of instructions that is entered and left only at its ends or by jumps: the main program, an arm of an IF or of a
switch, the body of a loop or a subroutine. A lane that reaches a place went through every earlier place of the same region and of the
regions around it. Heads, ELSE, CASE and ends belong to the region around the block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.traits import ARMS, CALL, CLOSERS, ELSE, END, ENDSUBROUTINE, LOOP, OPENERS, RETURN, SUBROUTINE
from tgsi.language.ir import Instruction

_QUIET = frozenset({CALL, END})
_STRAIGHT = _QUIET | {None}


class Layout:
    """The regions of a list of instructions with some opcodes; None is a removed instruction.

    region: the region of each place. starts, ends: the first place of each region and the place after its last. loop: the innermost loop
    of each region, -1 outside of loops; loops: first and last place (BGNLOOP and ENDLOOP) of each loop, and the loop around it.
    is_straight: whether there are no blocks. is_whole: whether there are no jumps either, so that every lane runs every
    instruction. has_subs: whether there are subroutines. jumps: places of BRK, CONT and RET. first_return: the first place after which
    lanes may have returned from the main program.
    """

    __slots__ = (
        *("region", "starts", "ends", "parents", "loop", "loops", "first_return", "jumps", "has_subs", "is_straight", "is_whole"),
        *("_depth", "_sub", "_arms", "_others"),
    )

    def __init__(self, items: Sequence[Instruction | None], opcodes: Iterable[OpcodeInfo]) -> None:
        self.region: list[int] = []
        self.starts, self.ends = [0], [len(items)]
        self.parents = [-1]
        self.loop = [-1]
        self.loops: list[tuple[int, int, int]] = []
        self.first_return = len(items)
        self.jumps: list[int] = []
        self._depth = [0]
        self._sub = [-1]  # the subroutine that a region belongs to
        self._arms: dict[int, tuple[int, int]] = {}  # region of an ELSE arm: both arms
        self.has_subs = False
        if {opcode.flow for opcode in opcodes} <= _STRAIGHT:
            self.region = [0] * len(items)
        else:
            self._walk(items)
        self._others = dict(self._arms.values())
        self.is_straight = len(self.starts) == 1
        self.is_whole = self.is_straight and not self.jumps

    def _walk(self, items: Sequence[Instruction | None]) -> None:
        region, current = self.region, 0
        stack: list[tuple[int, int]] = []  # the region around, the loop that is opened or -1
        in_sub = False
        for place, item in enumerate(items):
            flow = item.opcode.flow if item is not None else None
            if flow is None or flow in _QUIET:
                region.append(current)
                continue
            if flow in OPENERS:
                region.append(current)
                opened = -1
                if flow is LOOP:
                    opened = len(self.loops)
                    self.loops.append((place, len(items), self.loop[current]))
                if flow is SUBROUTINE:
                    in_sub = self.has_subs = True
                stack.append((current, opened))
                current = self._open(current, place + 1, len(items), opened, flow is SUBROUTINE)
            elif flow in ARMS or flow in CLOSERS:
                around, opened = stack[-1]
                region.append(around)
                self.ends[current] = place
                if flow is ELSE:
                    self._arms[len(self.starts)] = (current, len(self.starts))
                if flow in ARMS:
                    current = self._open(around, place + 1, len(items), -1, False)
                    continue
                if opened >= 0:
                    self.loops[opened] = (self.loops[opened][0], place, self.loops[opened][2])
                in_sub = in_sub and flow is not ENDSUBROUTINE
                current = stack.pop()[0]
            else:
                region.append(current)
                self.jumps.append(place)
                if flow is RETURN and not in_sub:
                    self.first_return = min(self.first_return, place)

    def _open(self, around: int, start: int, end: int, loop: int, is_sub: bool) -> int:
        self.starts.append(start)
        self.ends.append(end)
        self.parents.append(around)
        self.loop.append(loop if loop >= 0 else -1 if is_sub else self.loop[around])
        self._depth.append(self._depth[around] + 1)
        self._sub.append(start if is_sub else self._sub[around])
        return len(self.starts) - 1

    def dominates(self, first: int, later: int) -> bool:
        """Return true if a lane that runs `later` ran `first` before, without leaving the region of `first` in between."""
        region = self.region[first]
        return first < later < self.ends[region] and self._sub[region] == self._sub[self.region[later]]

    def are_apart(self, first: int, later: int) -> bool:
        """Return true if two places are in different arms of one IF, so that no lane runs both in one round of the loops around it."""
        arms = self._arms
        if not arms:
            return False
        region = self.region[later]
        while region > 0:
            if region in arms:
                then = arms[region][0]
                if self.starts[then] <= first < self.ends[then]:
                    return True
            region = self.parents[region]
        return False

    def covers(self, regions: set[int], place: int) -> bool:
        """Return true if every lane at `place` went through one of these inner regions, for example because they are both arms of an IF."""
        covered = set(regions)
        pending = list(regions)
        while pending:
            region = pending.pop()
            for then, other in self._pairs(region):
                if then in covered and other in covered:
                    around = self.parents[region]
                    if self._is_around(around, place):
                        return True
                    if around not in covered:
                        covered.add(around)
                        pending.append(around)
        return False

    def _pairs(self, region: int) -> list[tuple[int, int]]:
        arms = [self._arms[region]] if region in self._arms else []
        other = self._others.get(region)
        return [*arms, self._arms[other]] if other is not None else arms

    def _is_around(self, region: int, place: int) -> bool:
        return self.starts[region] <= place < self.ends[region]

    def is_uniform(self, place: int) -> bool:
        """Return true if all lanes run this place: no branch is open, and no lane can have returned."""
        return not self._depth[self.region[place]] and place < self.first_return

    def depth(self, place: int) -> int:
        """Return the number of blocks around a place."""
        return self._depth[self.region[place]]

    def loop_of(self, place: int) -> int:
        """Return the innermost loop around a place, -1 for none."""
        return self.loop[self.region[place]]

    def repeated_between(self, first: int, later: int) -> int:
        """Return the outermost loop around `later` that is not around `first`, which stands before it; -1 for none."""
        repeated, loop = -1, self.loop[self.region[later]]
        while loop >= 0 and self.loops[loop][0] > first:
            repeated, loop = loop, self.loops[loop][2]
        return repeated
