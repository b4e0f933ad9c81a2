"""Numbers for the registers that an instruction mentions: of its operands, and of their indices."""

from __future__ import annotations

SOURCE, DESTINATION, OFFSET = 0, 1, 2
"""Kinds of operands."""


def slot(kind: int, operand: int, index: int = 0) -> int:
    """Return the number of a register in an instruction: of operand `operand`, of its index (1), or of the index of its dimension (2)."""
    return kind << 16 | operand << 2 | index


Mention = tuple[int, int, int]
"""A register in an instruction: its slot, a node of its web, and the cell of one of its channels."""
