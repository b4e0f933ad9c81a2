"""Results in a file: a line for each case, with outcome, seconds, name and last words, between tabs. Lines are added as they come."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Lock

from tests.piglit.outcomes import RANKS, Outcome

RECORDED = "virpipe_reference"
"""Name under which piglit.json has the outcomes of the reference server."""


class Results:
    """Outcomes by name, in a file if one is given. Threads may add to it."""

    def __init__(self, path: Path | None = None) -> None:
        self.path, self.found, self._lock = path, dict[str, Outcome](), Lock()
        if path is not None and path.exists():
            text = path.read_bytes()
            whole = text[: text.rfind(b"\n") + 1]
            if whole != text:  # the run ended within a line
                path.write_bytes(whole)
            for line in whole.decode("utf-8").splitlines():
                kind, seconds, name, words = line.split("\t", 3)
                if kind not in RANKS:
                    raise ValueError(f"{path}: {kind!r} is not an outcome; there are {', '.join(RANKS)}")
                self.found[name] = Outcome(kind, float(seconds), words)

    def add(self, outcomes: dict[str, Outcome]) -> None:
        """Note outcomes. Later ones of a name replace the earlier."""
        with self._lock:
            self.found |= outcomes
            if self.path is not None:
                rows = ("\t".join((o.kind, f"{o.seconds:.2f}", name, _plain(o.words))) for name, o in outcomes.items())
                with self.path.open("a", encoding="utf-8") as file:
                    file.write("".join(f"{row}\n" for row in rows))

    def merged(self, other: Results) -> Results:
        """Merge two sets of outcomes in memory. Where both have a case, the outcome of `other` wins."""
        made = Results()
        made.found = self.found | other.found
        return made

    def names(self, *kinds: str) -> list[str]:
        """Names of cases with one of these outcomes."""
        return [name for name, outcome in self.found.items() if outcome.kind in kinds]


def read_any(path: Path) -> Results:
    """Results in a file of ours, or those of the reference server that a piglit.json has recorded."""
    if path.suffix != ".json":
        return Results(path)
    made = Results()
    for name, word in json.loads(path.read_text(encoding="utf-8"))[RECORDED].items():
        made.found[name] = Outcome("hang" if word == "timeout" else word, 0.0, "as recorded")
    return made


def _plain(words: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())
