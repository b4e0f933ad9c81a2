"""Generator of what follows from the table of calls as text: backends/entries/names.py, and the table of docs/calls.md.

``python -m tests.promises.calls`` writes both; a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any

from backends.device.calls.arguments import REQUIRED, Argument
from backends.device.calls.row import Does, Row, Waits
from backends.device.calls.table import OF_NUMBER
from backends.pipe.state import VertexBuffer

ROOT = Path(__file__).parents[2]
NAMES, PAGE = ROOT / "backends" / "entries" / "names.py", ROOT / "docs" / "calls.md"
MARK = "| Call | Arguments |"
"""Beginning of the table in the page."""


def _has_entry(row: Row) -> bool:
    return row.is_native or (row.effect is not None and row.effect.known is not None)


def _keywords() -> list[str]:
    """Names that may be keywords of entries: arguments of their rows, fields of their templates, and keys of vertex buffers."""
    of_rows = [
        name
        for row in OF_NUMBER
        if row.is_native
        for name in (
            *row.arguments,
            *(item.name for argument in row.arguments.values() for kind in argument.kinds for item in fields(kind)),
        )
    ]
    return list(dict.fromkeys((*of_rows, *(item.name for item in fields(VertexBuffer)))))


def _tuple(name: str, items: list[str]) -> Iterator[str]:
    yield f"{name} = ("
    yield from (f'    "{item}",' for item in items)
    yield ")"


def names() -> str:
    """The text of backends/entries/names.py, which loads without the table."""
    lines = [
        '"""Names of the methods that have native entries, and of the arguments that entries take. Numbers are places in these tuples.',
        "",
        "Written by `python -m tests.promises.calls` from `backends.device.calls`; edit the rows.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        'GUARD = "guard"',
        '"""The entry of every other method."""',
        *_tuple("ENTRIES", [row.name for row in OF_NUMBER if _has_entry(row)]),
        '"""Methods that have entries."""',
        *_tuple("KEYWORDS", _keywords()),
        '"""Names of all arguments that may be keywords."""',
    ]
    return "\n".join(lines) + "\n"


def _default(value: Any) -> str:
    if isinstance(value, Enum):
        return value.name or str(value.value)
    return f"0x{value:x}" if isinstance(value, int) and value > 0xFFFF else str(value)


def _shown(name: str, argument: Argument) -> str:
    default = "" if argument.default is REQUIRED else f" = {_default(argument.default)}"
    values = f": {argument.range}" if argument.range else ""
    return f"`{name}{default}` ({argument.text}{values})"


def _line(row: Row) -> str:
    keywords = "; by keyword " if row.keywords else ""
    arguments = ", ".join(_shown(*item) for item in row.positional.items()) + keywords
    arguments += ", ".join(_shown(*item) for item in row.keywords.items())
    commands = ", ".join(fixed.command.name for fixed in row.fixed)
    native = "yes" if _has_entry(row) else ""
    waits = "" if row.waits is Waits.NOTHING else row.waits.value
    return f"| `{row.name}` | {arguments} | {commands} | {native} | {waits} | {row.source}{f'; {row.why}' if row.why else ''} |".replace(
        "{}", ""
    )


def page(text: str) -> str:
    """The page with the table of now after its text."""
    rows = [_line(row) for row in OF_NUMBER if row.does is not Does.OWN]
    head = [f"{MARK} Recorded as | Native | Waits for | Document |", "|---|---|---|---|---|---|"]
    return text[: text.index(MARK)] + "\n".join((*head, *rows)) + "\n"


def main() -> None:
    """Write both."""
    NAMES.write_text(names(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
