"""Sets of opcodes as bit masks: the opcodes that produce the sources of an instruction.

Masks are fast enough to query for each instruction.
"""

from __future__ import annotations

from collections.abc import Iterable

from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import Flow, Trait

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
