"""The pass inline-calls."""

from __future__ import annotations

from collections.abc import Sequence

from passes.analysis import facts
from passes.analysis.access import flows_of
from passes.base import Pass
from passes.edit import rebuilt
from tgsi.language.facts.traits import CLOSERS, OPENERS, Flow
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class InlineCalls(Pass):
    """Put the instructions of a subroutine in the place of its calls, and drop the subroutine.

    All calls of a subroutine go, or none: those to one that is called once, and those to one whose copies have at most `instructions`
    instructions together. A subroutine that returns before its end stays.
    """

    name = "inline-calls"
    instructions: int = 64

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if Flow.SUBROUTINE not in facts.of(program, flows_of):
            return program
        while True:
            inlined = self._once(program)
            if inlined is program:
                return program
            program = inlined

    def _once(self, program: Program) -> Program:
        """Put the bodies of subroutines that call no other ones in their places."""
        items = program.instructions
        bodies = _bodies(items)
        if not bodies:
            return program
        calls: dict[int, list[int]] = {start: [] for start in bodies}
        for place, item in enumerate(items):
            if item.opcode.flow is Flow.CALL:
                calls[_target(items, item)].append(place)
        code: list[Sequence[Instruction]] = [(item,) for item in items]
        is_changed = False
        for start, end in bodies.items():
            body = _straight(items[start + 1 : end])
            if body is None or not calls[start]:
                continue
            if len(calls[start]) > 1 and len(body) * len(calls[start]) > self.instructions:
                continue
            is_changed = True
            for place in calls[start]:
                code[place] = body
            code[start : end + 1] = [()] * (end + 1 - start)
        return rebuilt(program, code) if is_changed else program


def _bodies(items: Sequence[Instruction]) -> dict[int, int]:
    """Return the ENDSUB of each BGNSUB."""
    bodies: dict[int, int] = {}
    start = -1
    for place, item in enumerate(items):
        if item.opcode.flow is Flow.SUBROUTINE:
            start = place
        elif item.opcode.flow is Flow.ENDSUBROUTINE:
            bodies[start] = place
    return bodies


def _target(items: Sequence[Instruction], call: Instruction) -> int:
    label = call.label or 0
    return label if label < len(items) and items[label].opcode.flow is Flow.SUBROUTINE else label - 1


def _straight(body: Sequence[Instruction]) -> Sequence[Instruction] | None:
    """Return a body without its last RET, or None if it calls, or returns elsewhere."""
    depth = 0
    for number, item in enumerate(body):
        flow = item.opcode.flow
        if flow is Flow.CALL:
            return None
        if flow is Flow.RETURN:
            return body[:number] if not depth else None
        depth += (flow in OPENERS) - (flow in CLOSERS)
    return body
