"""The pass remove-unreachable-code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from passes.base import Pass
from passes.edit import as_float, rebuilt
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import ARMS, CLOSERS, JUMPS, OPENERS, Flow
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class RemoveUnreachableCode(Pass):
    """Drop instructions that no lane can reach.

    These are code after a jump, before the first CASE and after END, subroutines that are never called, and the arm that the constant
    condition of an IF excludes, together with the IF.
    """

    name = "remove-unreachable-code"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        while True:
            made = _without_idle_subs(_without_unreachable(program))
            if len(made.instructions) == len(program.instructions):
                return program
            program = made


def _without_unreachable(program: Program) -> Program:
    made: list[Sequence[Instruction]] = []
    skipped = 0  # depth of blocks opened in dead code
    dead = ended = False
    stack: list[tuple[bool | None, bool]] = []  # constant condition, dead when opened
    for item in program.instructions:
        flow = item.opcode.flow
        if flow is None:
            made.append(() if dead else (item,))
        elif dead and (skipped or flow in OPENERS) and flow is not Flow.SUBROUTINE:
            skipped += (flow in OPENERS) - (flow in CLOSERS - {Flow.ENDSUBROUTINE})
            made.append(())
        elif flow in OPENERS:
            value = _condition(program, item) if flow is Flow.IF else None
            stack.append((value, dead))
            made.append((item,) if value is None else ())
            dead = flow is Flow.SWITCH or value is False
        elif flow in ARMS:
            value = stack[-1][0]
            made.append((item,) if value is None else ())
            dead = value is True
        elif flow in CLOSERS:
            value, before = stack.pop()
            made.append((item,) if value is None else ())
            dead = before or (ended and flow is Flow.ENDSUBROUTINE)
        elif flow is Flow.END:
            made.append((item,))
            dead = ended = True
        else:
            made.append(() if dead else (item,))
            dead = dead or flow in JUMPS
    return rebuilt(program, made)


def _condition(program: Program, head: Instruction) -> bool | None:
    """Return the value of the condition of an IF or UIF, or None if it is not an immediate."""
    source = head.src[0]
    if source.register.file is not File.IMM or source.register.indirect is not None:
        return None
    word = program.immediates[source.register.index].words[source.swizzle[0]]
    if head.opcode.src_types[0] != "float":
        return word != 0  # absolute value and negation of an integer keep this
    return as_float(word) != 0.0


def _without_idle_subs(program: Program) -> Program:
    """Drop subroutines that no call reaches, directly or through others."""
    bodies = dict(_bodies(program))
    calls = {start: _called(program, range(start, end)) for start, end in bodies.items()}
    inside = {number for start, end in bodies.items() for number in range(start, end)}
    wanted: set[int] = set()
    pending = _called(program, (n for n in range(len(program.instructions)) if n not in inside))
    while pending:
        start = pending.pop()
        if start not in wanted:
            wanted.add(start)
            pending |= calls.get(start, set())
    gone = {number for start, end in bodies.items() if start not in wanted for number in range(start, end)}
    return rebuilt(program, [() if number in gone else (item,) for number, item in enumerate(program.instructions)])


def _bodies(program: Program) -> Iterator[tuple[int, int]]:
    start = -1
    for number, item in enumerate(program.instructions):
        if item.opcode.flow is Flow.SUBROUTINE:
            start = number
        elif item.opcode.flow is Flow.ENDSUBROUTINE:
            yield start, number + 1


def _called(program: Program, numbers: range | Iterator[int]) -> set[int]:
    """Return the BGNSUBs that the calls among some instructions name."""
    found: set[int] = set()
    for number in numbers:
        item = program.instructions[number]
        if item.opcode.flow is Flow.CALL and item.label is not None:
            named = program.instructions[item.label] if item.label < len(program.instructions) else item
            found.add(item.label if named.opcode.flow is Flow.SUBROUTINE else item.label - 1)
    return found
