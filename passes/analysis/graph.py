"""The flow of a flat program as basic blocks and the edges between them.

Edges are those that a lane can take, jumps that depend on nothing included. Derivatives and samples also read the registers of
lanes that went another way: who asks what a register holds there has to see to that himself.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tgsi.language.program import Program

_JUMPS = frozenset({"BRK", "CONT", "RET", "CAL", "END"})
_HEADS = frozenset({"ELSE", "ENDIF", "BGNLOOP", "ENDLOOP", "CASE", "DEFAULT", "ENDSWITCH", "BGNSUB", "ENDSUB"})
_LEAVES = frozenset({"BRK", "CONT", "RET", "END", "ELSE"})
"""Behind these no lane goes on to the next instruction."""
_OPENS = {"IF": "ENDIF", "UIF": "ENDIF", "BGNLOOP": "ENDLOOP", "SWITCH": "ENDSWITCH", "BGNSUB": "ENDSUB"}


@dataclass(frozen=True, slots=True)
class Graph:
    """Basic blocks as ranges of instructions; `successors` by block number. Blocks in `exits` may end the program."""

    blocks: tuple[range, ...]
    successors: tuple[tuple[int, ...], ...]
    exits: frozenset[int]


def flow_graph(program: Program) -> Graph:
    """The graph of a validated program, in time linear in its text; unmatched brackets of a wrong one simply have no partner."""
    names = [item.opcode.name for item in program.instructions]
    count = len(names)
    starts = {0} | {place for place, name in enumerate(names) if name in _HEADS}
    starts |= {place + 1 for place, name in enumerate(names) if name in _JUMPS or name in _OPENS or name in _HEADS}
    bounds = [*sorted(start for start in starts if start < count), count]
    blocks = [range(first, last) for first, last in pairwise(bounds)]
    block_of = {block.start: number for number, block in enumerate(blocks)}
    targets, exits = _targets(program, names)
    successors: list[tuple[int, ...]] = []
    leaving: set[int] = set()
    for number, block in enumerate(blocks):
        last = block.stop - 1
        found = set(targets.get(last, ()))
        if names[last] not in _LEAVES and not (names[last] == "CAL" and found):
            found.add(block.stop)
        successors.append(tuple(sorted({block_of[place] for place in found if place in block_of})))
        if last in exits or block.stop == count:
            leaving.add(number)
    return Graph(tuple(blocks), tuple(successors), frozenset(leaving))


def _targets(program: Program, names: list[str]) -> tuple[dict[int, set[int]], set[int]]:
    """Where instructions lead besides the next one, and which may end the program."""
    targets: dict[int, set[int]] = {}
    exits: set[int] = set()
    partners = _partners(names)
    around: list[int] = []
    returns: dict[int, list[int]] = {}
    calls: dict[int, list[int]] = {}
    for place, name in enumerate(names):
        out = targets.setdefault(place, set())
        closing = partners.get(place, (len(names),))
        if name in _OPENS:
            around.append(place)
            if name == "SWITCH":
                out.update(closing)
            elif name != "BGNLOOP":
                out.update(middle + 1 for middle in closing[:-1])
                if len(closing) == 1:
                    out.add(closing[-1])
        elif name == "ELSE":
            out.update(closing[-1:])
        elif name == "ENDLOOP":
            out.update(closing[:1])
        elif name in ("BRK", "CONT"):
            kinds = ("BGNLOOP",) if name == "CONT" else ("BGNLOOP", "SWITCH")
            opening = next((item for item in reversed(around) if names[item] in kinds), None)
            if opening is not None and opening in partners:
                end = partners[opening][-1]
                out.add(end if name == "CONT" else end + 1)
                if names[opening] == "SWITCH":  # a later arm may match the lane again
                    out.update(arm for arm in partners[opening][:-1] if arm > place)
        elif name in ("RET", "ENDSUB"):
            sub = next((item for item in around if names[item] == "BGNSUB"), None)
            if sub is None:
                exits.add(place)
            else:
                returns.setdefault(sub, []).append(place)
        elif name == "CAL":
            label = program.instructions[place].label
            for start in () if label is None else (label, label - 1):
                if 0 <= start < len(names) and names[start] == "BGNSUB":
                    out.add(start)
                    calls.setdefault(start, []).append(place)
                    break
        elif name == "END":
            exits.add(place)
        if around and place in partners and name in _OPENS.values():
            around.pop()
    for sub, places in returns.items():
        after = {call + 1 for call in calls.get(sub, ())}
        for place in places:
            targets[place] |= after
    return targets, exits


def _partners(names: list[str]) -> dict[int, tuple[int, ...]]:
    """For an opening: its ELSE or arms, then its end; for ELSE: its end; for an end: its opening."""
    found: dict[int, tuple[int, ...]] = {}
    stack: list[tuple[int, list[int]]] = []
    for place, name in enumerate(names):
        if name in _OPENS:
            stack.append((place, []))
        elif name in ("ELSE", "CASE", "DEFAULT") and stack:
            stack[-1][1].append(place)
        elif stack and _OPENS[names[stack[-1][0]]] == name:
            opening, middles = stack.pop()
            found[opening] = (*middles, place)
            found[place] = (opening,)
            for middle in middles:
                if names[middle] == "ELSE":
                    found[middle] = (place,)
    return found
