"""Sets of opcodes as bit masks: the opcodes that produce the sources of an instruction.

Masks are fast enough to query for each instruction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy

from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import Flow, Trait
from tgsi.language.ir import Instruction

UNMADE = 1
"""The bit of cells that nothing writes before they are read."""

COPIES = frozenset(opcode for opcode in OPCODES.values() if opcode.is_copy)
"""Opcodes whose result is their source."""


SHOWS = frozenset(opcode for opcode in OPCODES.values() if Trait.EMIT in opcode.traits or opcode.flow is Flow.CALL)
"""Opcodes at which the contents of outputs may be observed."""

LABELLED = frozenset(opcode for opcode in OPCODES.values() if opcode.keeps_label)
"""Opcodes with labels, which are instruction numbers."""


def bits_of(opcodes: Iterable[OpcodeInfo]) -> int:
    """Return the bits of some opcodes, in the form of `Values.makers`."""
    bits = 0
    for opcode in opcodes:
        bits |= 2 << opcode.number
    return bits


class Opcodes:
    """The opcodes of instructions that change.

    counts: how many have each opcode. bits: those of these opcodes (`bits_of`). has_lost_flow: true if a part of control flow was removed.
    """

    __slots__ = ("bits", "counts", "has_lost_flow")

    def __init__(self, items: Sequence[Instruction]) -> None:
        counts: dict[OpcodeInfo, int] = {}
        for item in items:
            opcode = item.opcode
            counts[opcode] = counts[opcode] + 1 if opcode in counts else 1
        self.counts, self.bits, self.has_lost_flow = counts, bits_of(counts), False

    def copy(self) -> Opcodes:
        """Return opcodes that change apart from these."""
        made = copy(self)
        made.counts = self.counts.copy()
        return made

    def add(self, opcode: OpcodeInfo) -> None:
        """Count one more instruction."""
        self.counts[opcode] = self.counts.get(opcode, 0) + 1
        self.bits |= 2 << opcode.number

    def drop(self, opcode: OpcodeInfo) -> None:
        """Count one instruction less."""
        left = self.counts[opcode] - 1
        if left:
            self.counts[opcode] = left
        else:
            del self.counts[opcode]
            self.bits &= ~(2 << opcode.number)
        if opcode.flow is not None:
            self.has_lost_flow = True


def bits_of_flow(*flows: Flow) -> int:
    """Return the bits of the opcodes with some parts in control flow."""
    return bits_of(opcode for opcode in OPCODES.values() if opcode.flow in flows)


LOOPS = bits_of_flow(Flow.LOOP)
"""The bits of opcodes that begin a loop."""

MOVES = bits_of(COPIES)
"""The bits of `COPIES`."""
