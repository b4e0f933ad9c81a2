"""`python -m tests.campaigns [NAME...] [--seeds A:B] [--resume FILE] [--jobs N] [--seconds S]`: run campaigns, and print what came of them.

Without names all campaigns run; without seeds, as many as a night's. The exit code is 1 if there are findings.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from tests.campaigns.runner import Run, State, names_of, table


def _seeds(text: str) -> tuple[int, int]:
    first, colon, last = text.partition(":")
    return (int(first or 0), int(last)) if colon else (int(first), int(first) + 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, or `arguments`. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seeds", type=_seeds, help="first seed and the one after the last, as 0:1000, or a single one")
    parser.add_argument("--resume", type=Path, help="file of the state: seeds that are done in it, without findings, are left out")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="time of each campaign")
    given = parser.parse_args(arguments)
    state = State(given.resume)
    try:
        campaigns = names_of(given.names)
    except ValueError as error:
        parser.error(str(error))
    for campaign in campaigns:
        begin, end = given.seeds or (0, campaign.night)
        Run(state, given.seconds).run(campaign, begin, end, given.jobs)
    print(table(state))
    for name, progress in state.progress.items():
        for seed, words in progress.found.items():
            print(f"\n{name}, seed {seed}: {words}")
    return int(any(progress.counts["found"] for progress in state.progress.values()))


if __name__ == "__main__":
    raise SystemExit(main())
