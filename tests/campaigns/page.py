"""The table of campaigns in docs/reliability.md. `python -m tests.campaigns.page STATE...` writes it, with the counts of states."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

from tests.campaigns.catalog import CAMPAIGNS
from tests.campaigns.runner import State

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
HEAD = "| Campaign | Promise | Run so far | Seeds per night |\n|---|---|---|---|\n"
_ROW = re.compile(r"\| `(\w+)` \| [^|]* \| ([0-9,]+) [^|]*\|")


def counts(text: str) -> dict[str, int]:
    """Cases that a page says have been run, by campaign."""
    return {name: int(number.replace(",", "")) for name, number in _ROW.findall(text)}


def written(text: str, known: dict[str, int]) -> str:
    """The page with the table of the catalog and these counts."""
    rows = "".join(f"| `{c.name}` | {c.promise} | {known.get(c.name, 0):,} {c.unit} | {c.night} |\n" for c in CAMPAIGNS.values())
    begin = text.index(HEAD)
    return text[:begin] + HEAD + rows + text[text.index("\n\n", begin) + 1 :]


def main() -> None:
    """Write the counts of the states that the command line names."""
    found: Counter[str] = Counter()
    for path in sys.argv[1:]:
        found.update({name: progress.cases - progress.counts["found"] for name, progress in State(Path(path)).progress.items()})
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(written(text, counts(text) | found), encoding="utf-8")


if __name__ == "__main__":
    main()
