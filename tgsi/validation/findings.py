"""Findings: what is wrong, about which object, and whether it explains a draw without effect."""

from __future__ import annotations

from tgsi.language.record import record


@record
class Finding:
    """A finding about a call.

    subject: of each rule and subject, one finding is said. is_cause: it is reason enough for a draw without effect.
    """

    rule: str
    subject: object
    text: str
    is_cause: bool = False
