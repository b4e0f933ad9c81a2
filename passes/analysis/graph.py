"""The flow graph of a flat program: basic blocks and the edges between them.

An edge is a transition that a lane can make; unconditional jumps are edges too. Derivatives and samples also read the registers of lanes on
other paths, which an analysis of values must handle itself.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from itertools import pairwise

from tgsi.language.facts.traits import (
    ARMS,
    BREAK,
    CALL,
    CLOSER,
    CLOSERS,
    CONTINUE,
    ELSE,
    END,
    ENDLOOP,
    ENDSUBROUTINE,
    JUMPS,
    LOOP,
    OPENERS,
    RETURN,
    SUBROUTINE,
    SWITCH,
    Flow,
)
from tgsi.language.program import Program
from tgsi.language.record import record

_LEAVES = JUMPS | {END, ELSE}
"""Instructions after which no lane continues with the next one."""
_HEADS = ARMS | CLOSERS | {LOOP, SUBROUTINE}
"""Instructions that may be reached by a jump."""


@record
class Graph:
    """Basic blocks as ranges of instructions; `successors` by block number. The program may end after the blocks in `exits`.

    A block may be empty, as a node that many jumps share; without such nodes a switch of n arms would have n * n edges.
    """

    blocks: tuple[range, ...]
    successors: tuple[tuple[int, ...], ...]
    exits: frozenset[int]


def flow_graph(program: Program) -> Graph:
    """Return the graph of a validated program, in time linear in its text. Unmatched brackets of an invalid program have no partner."""
    flows = [item.opcode.flow for item in program.instructions]
    count = len(flows)
    starts = {0} | {place for place, flow in enumerate(flows) if flow in _HEADS}
    starts |= {place + 1 for place, flow in enumerate(flows) if flow is not None}
    bounds = [*sorted(start for start in starts if start < count), count]
    targets, exits, shared = _targets(program, flows)
    blocks: list[range] = []
    block_of: dict[int, int] = {}
    for first, last in pairwise(bounds):
        if (way := count + 1 + first) in shared and first:  # in the order in which the analyses visit blocks, before its arm
            block_of[way] = len(blocks)
            blocks.append(range(first, first))
        block_of[first] = len(blocks)
        blocks.append(range(first, last))
    successors: list[tuple[int, ...]] = []
    leaving: set[int] = set()
    for number, block in enumerate(blocks):
        last = block.stop - 1
        places = set(targets.get(last, ())) if block else shared[count + 1 + block.stop]
        if block and flows[last] not in _LEAVES and not (flows[last] is CALL and places):
            places.add(block.stop)
        successors.append(tuple(sorted({block_of[place] for place in places if place in block_of})))
        if block and (last in exits or block.stop == count):
            leaving.add(number)
    return Graph(tuple(blocks), tuple(successors), frozenset(leaving))


def _targets(program: Program, flows: Sequence[Flow | None]) -> tuple[dict[int, set[int]], set[int], dict[int, set[int]]]:
    """Return the jump targets of instructions, the places where the program may end, and shared nodes.

    A shared node has a place beyond the program, and belongs to an arm or a subroutine. That of an arm leads to the arm and to the node of
    the next arm; that of a subroutine leads from its returns to the places after its calls.
    """
    beyond = len(flows) + 1
    shared: dict[int, set[int]] = {}
    targets: dict[int, set[int]] = {}
    exits: set[int] = set()
    partners = partners_of(flows)
    around: list[int] = []
    returns: dict[int, list[int]] = {}
    calls: dict[int, list[int]] = {}
    for place, flow in enumerate(flows):
        out = targets.setdefault(place, set())
        closing = partners.get(place, (len(flows),))
        if flow in OPENERS:
            around.append(place)
            if flow is SWITCH:
                out.update(closing)
            elif flow is not LOOP:
                out.update(middle + 1 for middle in closing[:-1])
                if len(closing) == 1:
                    out.add(closing[-1])
        elif flow is ELSE:
            out.update(closing[-1:])
        elif flow is ENDLOOP:
            out.update(closing[:1])
        elif flow is BREAK or flow is CONTINUE:
            kinds = (LOOP,) if flow is CONTINUE else (LOOP, SWITCH)
            opening = next((item for item in reversed(around) if flows[item] in kinds), None)
            if opening is not None and opening in partners:
                end = partners[opening][-1]
                out.add(end if flow is CONTINUE else end + 1)
                if flows[opening] is SWITCH:
                    out.update(_later_arms(place, partners[opening], beyond, shared))
        elif flow is RETURN or flow is ENDSUBROUTINE:
            sub = next((item for item in around if flows[item] is SUBROUTINE), None)
            if sub is None:
                exits.add(place)
            else:
                returns.setdefault(sub, []).append(place)
        elif flow is CALL:
            label = program.instructions[place].label
            for start in () if label is None else (label, label - 1):
                if 0 <= start < len(flows) and flows[start] is SUBROUTINE:
                    out.add(start)
                    calls.setdefault(start, []).append(place)
                    break
        elif flow is END:
            exits.add(place)
        if around and place in partners and flow in CLOSERS:
            around.pop()
    for sub, places in returns.items():
        shared[beyond + sub] = {call + 1 for call in calls.get(sub, ())}
        for place in places:
            targets[place].add(beyond + sub)
    return targets, exits, shared


def _later_arms(place: int, arms: Sequence[int], beyond: int, shared: dict[int, set[int]]) -> set[int]:
    """Return the shared node of the next arm after a BREAK, because a later arm may match the lane again; nothing after the last arm.

    `arms` ends with the place of ENDSWITCH. Nodes of this arm and the following ones are added to `shared`.
    """
    following = bisect(arms, place)
    if following >= len(arms) - 1:
        return set()
    if beyond + arms[following] not in shared:
        for arm, after in pairwise(arms[following:]):
            shared[beyond + arm] = {arm, beyond + after} if after != arms[-1] else {arm}
    return {beyond + arms[following]}


def partners_of(flows: Sequence[Flow | None]) -> dict[int, tuple[int, ...]]:
    """Return the matching brackets of control flow: for a head its ELSE or arms, then its end; for ELSE its end; for an end its head."""
    partners: dict[int, tuple[int, ...]] = {}
    stack: list[tuple[int, list[int]]] = []
    for place, flow in enumerate(flows):
        if flow in OPENERS:
            stack.append((place, []))
        elif flow in ARMS and stack:
            stack[-1][1].append(place)
        elif stack and flow in CLOSERS and flow is CLOSER.get(flows[stack[-1][0]] or END):
            opening, middles = stack.pop()
            partners[opening] = (*middles, place)
            partners[place] = (opening,)
            for middle in middles:
                if flows[middle] is ELSE:
                    partners[middle] = (place,)
    return partners
