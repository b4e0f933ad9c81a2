"""Generator of docs/opengl-commands.md: every command of OpenGL 2.1, 3.3, 4.3 and OpenGL ES 3.1, offered or refused with the reason.

``python -m tests.promises.opengl_coverage`` rewrites it; a test compares it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tgsi.opengl.calls import find_handler
from tgsi.opengl.offer import load
from tgsi.opengl.registry.table import command, rows

PAGE = Path(__file__).parents[2] / "docs" / "opengl-commands.md"
OLD = ("1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "2.0", "2.1")
VERSIONS = {
    "OpenGL 2.1": OLD,
    "OpenGL 3.3": (*OLD, "3.0", "3.1", "3.2", "3.3"),
    "OpenGL 4.3": (*OLD, "3.0", "3.1", "3.2", "3.3", "4.0", "4.1", "4.2", "4.3"),
    "OpenGL ES 3.1": ("ES2.0", "ES3.0", "ES3.1"),
}

REASONS: dict[str, str] = {}
"""Reasons for commands that are refused, by a part of their name."""


def reason(name: str) -> str:
    """The reason for a command that is not offered. AssertionError without one."""
    found = [text for pattern, text in REASONS.items() if re.search(rf"^gl.*({pattern})", name)]
    assert found, name
    return found[0]


def page() -> str:
    """The text of docs/opengl-commands.md."""
    load()
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "<!-- Written by `python -m tests.promises.opengl_coverage`. Edit its reasons, or offer the command. -->"
    yield "# Commands of OpenGL"
    yield ""
    yield "Every command of these versions is offered by [tgsi.opengl](opengl.md), or refused with a reason: clients find no such"
    yield "function."
    yield ""
    yield "| Version | Commands | Offered |"
    yield "|---|---|---|"
    known = {name: set(row.versions) for name in rows() if (row := command(name)) is not None}
    refused: dict[str, list[str]] = {}
    for title, versions in VERSIONS.items():
        names = [name for name, own in known.items() if own & set(versions)]
        offered = [name for name in names if find_handler(name) is not None]
        yield f"| {title} | {len(names)} | {len(offered)} |"
        for name in names:
            if name not in offered:
                refused.setdefault(reason(name), []).append(name)
    yield ""
    if refused:
        yield from ("| Refused | Reason |", "|---|---|")
    for text, names in sorted(refused.items(), key=lambda item: item[0]):
        yield f"| {', '.join(f'`{name}`' for name in sorted(set(names)))} | {text} |"
    if refused:
        yield ""
    yield "Commands that newer versions and extensions add are offered, too, where clients call them: most of direct state access, buffer"
    yield "storage, clip control, several bindings at once, debug output and its older names."


def main() -> None:
    """Rewrite the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
