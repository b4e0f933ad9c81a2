"""Mistakes of a client. Each one is reported in one line; only a ProtocolError ends the connection."""

from __future__ import annotations


class ProtocolError(Exception):
    """Message whose end cannot be found, so that nothing after it can be read."""


class ClientGone(ProtocolError):
    """End of the connection where more should follow. A client may go whenever it likes, so this is no mistake."""


class CommandError(Exception):
    """Command that is refused, with the field and the reason. The commands after it are carried out."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")


def in_range(value: int, field: str, low: int, high: int) -> int:
    """Return `value`, or raise CommandError if it is outside of [low, high]."""
    if not low <= value <= high:
        raise CommandError(field, f"{value} is not in {low} .. {high}")
    return value
