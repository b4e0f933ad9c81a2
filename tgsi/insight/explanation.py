"""The explanation: an answer, the events behind it, and their text."""

from __future__ import annotations

from dataclasses import KW_ONLY

from tgsi.insight.events import Event
from tgsi.insight.wording import event_lines
from tgsi.language.record import record


@record
class Explanation:
    """An answer. `str` gives readable text.

    Attributes:
        verdict: one of four for pixels, a word or two for other subjects.
        sentence: the answer in one sentence.
        subject: the subject of the question: ``pixel (3, 5) of ...``.
        events: of a pixel, in the order of the calls.
        lines: further facts, for subjects without events.
        notes: limits of the answer.
    """

    verdict: str
    sentence: str
    subject: str
    _: KW_ONLY
    events: tuple[Event, ...] = ()
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        from tgsi.language import notebook

        parts = [notebook.heading(f"{self.subject}: {self.verdict}"), notebook.heading("", self.sentence)]
        for event in self.events:
            first, *rest = event_lines(event)
            parts.append(notebook.text(first, "\n".join(rest)) if rest else notebook.heading("", first))
        return "".join([*parts, notebook.items(self.lines), notebook.items(self.notes)])

    def __str__(self) -> str:
        lines = [f"{self.subject}: {self.verdict}.", self.sentence, ""]
        for event in self.events:
            lines += event_lines(event)
        lines += self.lines
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines).rstrip() + "\n"
