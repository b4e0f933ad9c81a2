"""The pass merge-arms."""

from __future__ import annotations

from passes.analysis import facts
from passes.analysis.access import flows_of
from passes.analysis.makers import bits_of_flow
from passes.edit import with_opcode
from passes.form import Form, FormPass
from passes.optimise.rules.windows import opposites
from tgsi.language.facts.traits import BREAK, CALL, CLOSERS, CONTINUE, ELSE, ENDIF, ENDLOOP, IF, LOOP, OPENERS, SWITCH, Flow, Trait
from tgsi.language.ir import Instruction
from tgsi.language.record import record


@record(slots=False)
class MergeArms(FormPass):
    """Drop an IF whose arms are equal, an empty arm before ELSE, and a loop that ends in its first round.

    The instructions of one arm stay. Derivatives, samples and memory in the arms keep the IF, since lanes of one arm act before those of
    the other. An IF with an empty first arm gets the opposite condition, if the comparison that makes it is for this IF alone. A loop
    around other loops stays, because these would get fuel of their own.
    """

    name = "merge-arms"
    needs = (bits_of_flow(ELSE, LOOP),)

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        if form.values.layout.is_straight or facts.of(form.program, flows_of).isdisjoint((ELSE, LOOP)):
            return False
        changed = _without_empty_arms(form)
        while _without_equal_arms(form) or _without_single_rounds(form):
            changed = form.is_stale = True
        return changed


def _without_empty_arms(form: Form) -> bool:
    """Turn around each IF with nothing before its ELSE, and drop the ELSE; return true if there are any."""
    items = form.values.items
    changed = False
    head = -1  # an IF after which nothing stands so far
    for place, item in enumerate(items):
        if item is None:
            continue
        if item.opcode.flow is ELSE and head >= 0 and _turn(form, head):
            form.values.remove(place)
            changed = form.is_stale = True
        head = place if item.opcode.flow is IF else -1
    return changed


def _turn(form: Form, head: int) -> bool:
    """Give an IF the opposite condition; return false if the comparison that made the condition has no opposite, or other readers."""
    values = form.values
    item = values.items[head]
    assert item is not None
    source = item.src[0]
    if source.negate or source.absolute:
        return False
    place = values.definition(head, 0, 0)
    maker = values.items[place] if place is not None and place >= 0 else None
    if place is None or maker is None or maker.saturate or not values.is_only_for(place, head):
        return False
    opposite = opposites(item.opcode).get(maker.opcode)
    if opposite is None:
        return False
    values.put(place, with_opcode(maker, opposite, maker.src, precise=maker.precise))
    return True


def _without_equal_arms(form: Form) -> bool:
    items = form.values.items
    stack: list[list[int]] = []
    for place, item in enumerate(items):
        flow = item.opcode.flow if item is not None else None
        if flow in OPENERS:
            stack.append([place])
        elif flow is ELSE:
            stack[-1].append(place)
        elif flow in CLOSERS:
            block = stack.pop()
            if flow is ENDIF and len(block) == 2 and _are_equal(items, block[0], block[1], place):
                for gone in (block[0], *range(block[1], place + 1)):
                    if items[gone] is not None:
                        form.values.remove(gone)
                return True
    return False


def _are_equal(items: list[Instruction | None], start: int, middle: int, end: int) -> bool:
    first = [item for item in items[start + 1 : middle] if item is not None]
    second = [item for item in items[middle + 1 : end] if item is not None]
    if len(first) != len(second):
        return False
    for one, two in zip(first, second):
        opcode = one.opcode
        if one != two or opcode.flow is not None or opcode.looks_at_other_lanes or opcode.has_memory or Trait.VOLATILE in opcode.traits:
            return False
    return bool(first)


def _without_single_rounds(form: Form) -> bool:
    """Drop one loop whose last instruction is the only jump out of it, and leaves it."""
    items = form.values.items
    stack: list[tuple[int, Flow]] = []
    jumps: dict[int, int] = {}
    inner: set[int] = set()
    previous = -1
    for place, item in enumerate(items):
        if item is None:
            continue
        flow = item.opcode.flow
        if flow in OPENERS:
            if flow is LOOP:
                inner.update(start for start, kind in stack if kind is LOOP)
            assert flow is not None
            stack.append((place, flow))
        elif flow is CALL:
            inner.update(start for start, kind in stack if kind is LOOP)
        elif flow is BREAK or flow is CONTINUE:
            kinds = (LOOP,) if flow is CONTINUE else (LOOP, SWITCH)
            goal = next(start for start, kind in reversed(stack) if kind in kinds)
            jumps[goal] = jumps.get(goal, 0) + 1
        elif flow in CLOSERS:
            start, _ = stack.pop()
            last = items[previous]
            if flow is ENDLOOP and last is not None and last.opcode.flow is BREAK and jumps.get(start) == 1 and start not in inner:
                for gone in (start, previous, place):
                    form.values.remove(gone)
                return True
        previous = place
    return False
