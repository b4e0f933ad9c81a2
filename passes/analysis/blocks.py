"""Open blocks during the walk that builds webs, and the cells written inside of loops and switches."""

from __future__ import annotations

from passes.analysis.values import Values
from tgsi.language.facts.traits import ENDLOOP, ENDSWITCH, LOOP, SWITCH, Flow


class Block:
    """An open block. before: nodes, at the beginning of this arm, of the cells written in it so far (None: as at the start)."""

    __slots__ = ("before", "dead", "exits", "flow", "heads", "then", "then_dead")

    def __init__(self, flow: Flow, dead: bool, heads: dict[int, int] | None = None, exits: dict[int, int] | None = None) -> None:
        self.flow, self.dead = flow, dead
        self.before: dict[int, int | None] = {}
        self.heads, self.exits = heads or {}, exits or {}
        self.then: dict[int, int] | None = None
        self.then_dead = False


def written_inside(values: Values, fixed: frozenset[int]) -> dict[int, dict[int, None]]:
    """Return the cells with nodes that are written inside of each loop and switch, by the place of its head."""
    inside: dict[int, dict[int, None]] = {}
    if values.layout.is_straight:
        return inside
    stack: list[int] = []
    for place, item in enumerate(values.items):
        flow = item.opcode.flow if item is not None else None
        if flow is None and not stack:
            continue
        if flow is LOOP or flow is SWITCH:
            inside[place] = {}
            stack.append(place)
        elif flow is ENDLOOP or flow is ENDSWITCH:
            inner = inside[stack.pop()]
            if stack:
                inside[stack[-1]].update(inner)
        elif stack and flow is None:
            inside[stack[-1]].update((cell, None) for cell in values.writes[place] if cell >= 0 and not cell & 8 and cell not in fixed)
    return inside
