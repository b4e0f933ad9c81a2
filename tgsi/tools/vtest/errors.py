"""What a client can do wrong. Both are told in one line; only the first ends a connection."""

from __future__ import annotations


class ProtocolError(Exception):
    """A message whose end cannot be found, so that nothing behind it can be read."""


class CommandError(Exception):
    """A command that is refused: which field, and why. What comes behind it is carried out."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")


def in_range(value: int, field: str, low: int, high: int) -> int:
    """`value` itself; CommandError outside of [low, high]."""
    if not low <= value <= high:
        raise CommandError(field, f"{value} is not in {low} .. {high}")
    return value
