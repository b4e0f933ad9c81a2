"""Options of ``--steps`` and ``--explain-link``. Loaded with every command."""

from __future__ import annotations

import argparse
from typing import Any


def add_view_options(parser: argparse.ArgumentParser, actions: Any) -> None:
    """Declare --steps among the actions, and --explain-link."""
    actions.add_argument("--steps", action="store_true", help="show the difference that each pass makes, side by side; docs/draw.md")
    parser.add_argument(
        "--explain-link", action="store_true", help="draw the link of a chain as SVG; a profile may follow, as after --link"
    )


def with_link(arguments: list[str]) -> list[str]:
    """Arguments with `--explain-link` expanded to `--explain-link --link`, so that a profile may follow it."""
    expanded: list[str] = []
    has_link = any(word == "--link" or word.startswith("--link=") for word in arguments)
    for word in arguments:
        head, equals, profile = word.partition("=")
        if head != "--explain-link":
            expanded.append(word)
        elif has_link:
            expanded.append(head)
        else:
            expanded += [head, f"--link{equals}{profile}"]
    return expanded
