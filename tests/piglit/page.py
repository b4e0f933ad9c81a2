"""The page docs/piglit.md: what came of piglit's cases on both servers, made from files of results."""

from __future__ import annotations

import datetime
import subprocess
import textwrap
from collections.abc import Mapping
from pathlib import Path

from tests.piglit.cases import Case
from tests.piglit.known import KNOWN
from tests.piglit.outcomes import Outcome
from tests.piglit.table import PASSED, better, table, worse

PAGE = Path(__file__).parents[2] / "docs" / "piglit.md"
_HEAD = """# piglit through tgsi-vtest

`python -m tests.piglit --page OURS REFERENCE ...` makes this page from files of results. Ours are kept in tests/piglit/kept.txt
(`--keep`), so that a run on another machine goes on where the last one ended (`--go-on`). The cases are those of piglit's
`gpu` profile, as installed, that run with GLX; the reference is `virgl_test_server` over llvmpipe with the same Mesa. Cases that we did
not rerun on the reference have the outcome in piglit.json, a file of its earlier results. A warning counts as a pass. A case counts as
hung after 60 s of processor time of its process and its server together. Cells with two numbers are ours / the reference's; both count
only cases that we ran.
"""


def _names(names: list[str], outcomes: Mapping[str, Outcome], reasons: Mapping[str, str]) -> str:
    return "\n".join(f"- `{name}`: {outcomes[name].kind}{f'; {reasons[name]}' if name in reasons else ''}" for name in names) or "None."


def _list(trees: Mapping[str, int]) -> str:
    return ", ".join(f"tree {tree} ({count:,})" for tree, count in sorted(trees.items(), key=lambda row: -row[1]))


def page(
    cases: Mapping[str, Case], ours: Mapping[str, Outcome], reference: Mapping[str, Outcome], trees: Mapping[str, int], day: datetime.date
) -> str:
    """The page as Markdown. trees: of git, with the number of cases that ran on each of them."""
    done = [name for name in cases if name in ours]
    gains, losses = better(ours, reference), worse(ours, reference)
    neither = [name for name in done if ours[name].kind not in (*PASSED, "skip") and name not in losses]
    run = f"Run up to {day:%-d %B %Y}, on {_list(trees)}: {len(done):,} of {len(cases):,} cases ({100 * len(done) / len(cases):.1f} %)."
    return f"""{_HEAD}
{textwrap.fill(run, 140)}

{table(cases, ours, reference)}

## Only the reference passes

{_names(losses, ours, KNOWN)}

## Only ours passes

{_names(gains, reference, {})}

## Neither passes

{_names(neither, ours, KNOWN)}
"""


def tree_here() -> str:
    """The commit of this checkout, in short."""
    made = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=PAGE.parent, capture_output=True, text=True, check=True)
    return made.stdout.strip()
