"""Outcomes that stay in the repository, so that a run on another machine goes on where the last one ended.

kept.txt has a line for each case: a digest of its name, the outcome, and the tree that it ran on. Names are piglit's, and are not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from tests.piglit.outcomes import RANKS, Outcome

KEPT = Path(__file__).with_name("kept.txt")


def digest(name: str) -> str:
    """Digest of a name, of twelve letters: the probability that two of 28,000 names share one is 1 in 700,000."""
    return sha256(name.encode()).hexdigest()[:12]


def kept(names: Iterable[str], path: Path = KEPT) -> dict[str, Outcome]:
    """Outcomes by name, of those cases that the file has. Their words are the trees. Raises ValueError if a line is not one of ours."""
    found = dict[str, Outcome]()
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = {key: (kind, tree) for key, kind, tree in (line.split() for line in lines)}
    for name in names:
        if row := rows.get(digest(name)):
            if row[0] not in RANKS:
                raise ValueError(f"{path}: {row[0]!r} is not an outcome; there are {', '.join(RANKS)}")
            found[name] = Outcome(row[0], 0.0, row[1])
    return found


def keep(outcomes: Mapping[str, Outcome], tree: str, path: Path = KEPT) -> None:
    """Add outcomes of a tree to the file. They replace earlier ones of the same cases."""
    rows = {line.split()[0]: line for line in (path.read_text(encoding="utf-8").splitlines() if path.exists() else [])}
    rows |= {digest(name): f"{digest(name)} {outcome.kind} {tree}" for name, outcome in outcomes.items()}
    path.write_text("".join(f"{rows[key]}\n" for key in sorted(rows)), encoding="utf-8")
