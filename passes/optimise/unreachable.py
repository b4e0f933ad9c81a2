"""remove-unreachable-code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from passes.analysis.access import FLOW, OPENERS
from passes.base import Pass
from passes.edit import as_float, rebuilt
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction
from tgsi.language.program import Program

_JUMPS = frozenset({"BRK", "CONT", "RET"})


@dataclass(frozen=True)
class RemoveUnreachableCode(Pass):
    """Drop what no lane can reach.

    That is: code behind a jump, before the first CASE and behind END, subroutines that nobody calls, and the arm that the constant
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
    stack: list[tuple[str, bool | None, bool]] = []  # opener, constant condition, dead when opened
    for item in program.instructions:
        name = item.opcode.name
        if name not in FLOW:
            made.append(() if dead else (item,))
        elif dead and (skipped or name in OPENERS) and name != "BGNSUB":
            skipped += (name in OPENERS) - (name in ("ENDIF", "ENDLOOP", "ENDSWITCH"))
            made.append(())
        elif name in OPENERS:
            value = _condition(program, item) if name in ("IF", "UIF") else None
            stack.append((name, value, dead))
            made.append((item,) if value is None else ())
            dead = name == "SWITCH" or value is False
        elif name in ("ELSE", "CASE", "DEFAULT"):
            value = stack[-1][1]
            made.append((item,) if value is None else ())
            dead = value is True
        elif name in ("ENDIF", "ENDLOOP", "ENDSWITCH", "ENDSUB"):
            _, value, before = stack.pop()
            made.append((item,) if value is None else ())
            dead = before or (ended and name == "ENDSUB")
        elif name == "END":
            made.append((item,))
            dead = ended = True
        else:
            made.append(() if dead else (item,))
            dead = dead or name in _JUMPS
    return rebuilt(program, made)


def _condition(program: Program, head: Instruction) -> bool | None:
    """What the condition of an IF or UIF is, where that is an immediate."""
    source = head.src[0]
    if source.register.file is not File.IMM or source.register.indirect is not None:
        return None
    word = program.immediates[source.register.index].words[source.swizzle[0]]
    if head.opcode.name == "UIF":
        return word != 0  # absolute value and negation of integers keep that
    return as_float(word) != 0.0


def _without_idle_subs(program: Program) -> Program:
    """Subroutines that no call names, directly or through others, are left out."""
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
        if item.opcode.name == "BGNSUB":
            start = number
        elif item.opcode.name == "ENDSUB":
            yield start, number + 1


def _called(program: Program, numbers: range | Iterator[int]) -> set[int]:
    """BGNSUBs that the calls among some instructions name."""
    found: set[int] = set()
    for number in numbers:
        item = program.instructions[number]
        if item.opcode.name == "CAL" and item.label is not None:
            named = program.instructions[item.label] if item.label < len(program.instructions) else item
            found.add(item.label if named.opcode.name == "BGNSUB" else item.label - 1)
    return found
