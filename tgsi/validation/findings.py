"""Findings: a text about a likely mistake, its rule and object, and whether it alone leaves a draw without effect."""

from __future__ import annotations

from tgsi.language.record import record


@record
class Finding:
    """A finding about a call.

    subject: the first finding of a rule and a subject is reported, all others are not. is_cause: it alone leaves a draw without effect.
    """

    rule: str
    subject: object
    text: str
    is_cause: bool = False
