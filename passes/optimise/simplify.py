"""The pass simplify-instructions."""

from __future__ import annotations

from collections import Counter

from passes.analysis.access import is_idle_copy
from passes.form import EVERY, ROUNDS, Form, Rewriter
from passes.optimise.rules.matcher import Matcher
from passes.optimise.rules.sources import THROUGH, read_through, takes
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.ir import Instruction
from tgsi.language.record import record

_NAME = "simplify-instructions"


@record(slots=False)
class SimplifyInstructions(Rewriter):
    """Replace instructions by simpler ones of the same bits, by the rules that docs/passes.md lists.

    A rule sees the instruction, and those that computed its sources on every way to it. A MOV to itself goes.
    """

    name = _NAME

    def takes(self, opcode: OpcodeInfo) -> int:
        """See `Rewriter.takes`."""
        return EVERY if opcode.is_copy else takes(opcode)

    def visit(self, form: Form, place: int, item: Instruction, makers: int) -> bool:
        """See `Rewriter.visit`."""
        if item.opcode.is_copy and not item.saturate and item.dst[0].register.cell != item.src[0].register.cell:
            return False  # half of all instructions
        if not simplify(form, place, item, makers):
            return False
        values = form.values
        for _ in range(ROUNDS):
            instruction = values.items[place]
            if instruction is None or not simplify(form, place, instruction, values.makers_of(place)):
                break
        return True


def simplify(form: Form, place: int, item: Instruction, makers: int, applied: Counter[str] | None = None) -> bool:
    """Change the instruction at a place by one rule; return true if it changed. `applied` counts the rules by name.

    makers: see `Rewriter.visit`.
    """
    opcode = item.opcode
    if opcode.is_copy and not item.saturate:
        if is_idle_copy(item):
            form.values.remove(place)
            return True
        return False
    if opcode.looks_at_other_lanes and not form.values.is_uniform(place):
        return False
    matcher = form.notes.get(_NAME)
    if matcher is None:
        matcher = form.notes[_NAME] = Matcher(form)
    simplified = item
    rewritten = matcher.rewritten(place, item, makers)
    if rewritten is not None:
        simplified = rewritten[0]
        if applied is not None:
            applied[rewritten[1].name] += 1
    elif makers & THROUGH:
        simplified = read_through(item, matcher, applied)
    if simplified is item:
        return False
    form.values.put(place, simplified)
    return True
