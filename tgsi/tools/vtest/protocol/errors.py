"""Errors of a client. Each is reported in a line; only a ProtocolError ends the connection."""

from __future__ import annotations


class ProtocolError(Exception):
    """A message without a recognizable end, after which nothing can be read."""


class ClientGone(ProtocolError):
    """A disconnect in the middle of a message. This is not an error, because clients may disconnect at any time."""


class CommandError(Exception):
    """A refused command, with the field and the reason. Later commands are carried out."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")


def in_range(value: int, field: str, low: int, high: int) -> int:
    """Return `value`, or raise CommandError if it is outside of [low, high]."""
    if not low <= value <= high:
        raise CommandError(field, f"{value} is not in {low} .. {high}")
    return value
