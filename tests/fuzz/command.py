"""The command of a module that hunts with generated programs in a process of its own."""

from __future__ import annotations

import argparse
import faulthandler
from collections.abc import Callable, Mapping

from tests.effort import follow


def run_command(hunt: Callable[[str, int, int, int], Mapping[str, int]], purpose: str | None) -> None:
    """Read kind, range of seeds and lanes from the command line, and print the verdicts that ``hunt(kind, begin, end, lanes)`` counts."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("kind", choices=("valid", "mutated"))
    parser.add_argument("begin", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--lanes", type=int, default=8)
    given = parser.parse_args()
    faulthandler.enable()
    follow()
    print(dict(hunt(given.kind, given.begin, given.end, given.lanes)))
