"""Register pressure: the number of values that a program keeps at once.

It limits the width of vectors that fit the registers of the CPU.
"""

from __future__ import annotations

from backends.llvm.program.access import Key, access
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Flow
from tgsi.language.program import Program

_VALUES = frozenset({File.TEMP, File.IN, File.OUT, File.ADDR})
MOST_LIVE_LOOP = 24
"""Most live values of a program with loops that uses four registers a value, where hiding latency gains more than spills cost."""


def loops_with_few_values(program: Program) -> bool:
    """True if a program has loops, no textures, and few values."""
    has_loops = any(instruction.opcode.flow is Flow.LOOP for instruction in program.instructions)
    is_plain = has_loops and not program.file_size(File.SAMP) and not program.file_size(File.SVIEW)
    return is_plain and live_values(program) <= MOST_LIVE_LOOP


def live_values(program: Program) -> int:
    """The largest number of 32-bit channels that are live between two instructions. Branches are ignored, so it is an upper bound.

    A channel is live from its first access to its last. It is live through a whole loop if it is used inside and outside of it, or if it
    may be read in the loop before it is written there. Inputs are live from the start, outputs to the end. Constants are not counted.
    """
    first: dict[Key, int] = {}
    last: dict[Key, int] = {}
    begins_with_write: dict[Key, bool] = {}
    loops: list[tuple[int, int]] = []
    open_loops: list[int] = []
    end = len(program.instructions)
    for at, instruction in enumerate(program.instructions):
        if instruction.opcode.flow is Flow.LOOP:
            open_loops.append(at)
        elif instruction.opcode.flow is Flow.ENDLOOP and open_loops:
            loops.append((open_loops.pop(), at))
        accesses = access(instruction)
        for is_write, keys in ((False, accesses.reads), (True, accesses.writes)):
            for key in keys:
                if key[0] not in _VALUES:
                    continue
                first.setdefault(key, 0 if key[0] is File.IN else at)
                begins_with_write.setdefault(key, is_write)
                last[key] = end if key[0] is File.OUT else at
    for begin, stop in loops:  # inner loops first
        for key, since in first.items():
            until = last[key]
            inside = since > begin and until < stop
            if (inside and not begins_with_write[key]) or (not inside and since < stop and until > begin):
                first[key], last[key] = min(since, begin), max(until, stop)
    changes = [0] * (end + 2)
    for key, since in first.items():
        changes[since] += 1
        changes[last[key]] -= 1
    most = now = 0
    for change in changes:
        now += change
        most = max(most, now)
    return most
