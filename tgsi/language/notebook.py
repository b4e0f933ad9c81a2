"""Objects as HTML, for notebooks: small tables and texts, in which everything is escaped. Loaded when a notebook shows one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

MOST_LINES = 400
"""Lines of a text that a notebook shows."""
OPEN_LINES = 40
"""Lines of a text that is shown without a click."""
MOST_ROWS = 200
"""Rows of a table that a notebook shows."""

_CELL = "text-align:left"  # the style sheets of notebooks name cells, so that a table cannot say it


def heading(title: str, more: str = "") -> str:
    """A line with a bold title."""
    return f"<div><b>{escape(title)}</b>{' ' * bool(more)}{escape(more)}</div>"


def table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table of cells, at most `MOST_ROWS` rows. header: the names of the columns; none if it is empty."""
    shown = list(islice(rows, MOST_ROWS + 1))
    lines = ['<table style="font-family:monospace;white-space:nowrap">']
    if header:
        lines.append(_row("th", header))
    lines += [_row("td", row) for row in shown[:MOST_ROWS]]
    if len(shown) > MOST_ROWS:
        lines.append(_row("td", ["..."]))
    return "".join([*lines, "</table>"])


def _row(tag: str, cells: Sequence[object]) -> str:
    return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(str(cell))}</{tag}>' for cell in cells) + "</tr>"


def text(summary: str, content: str) -> str:
    """A text that opens with a click; a short one is open. It ends after `MOST_LINES` lines."""
    lines = content.splitlines()
    shown = lines[:MOST_LINES]
    if len(lines) > len(shown):
        shown.append(f"... {len(lines) - len(shown)} more lines")
    is_open = " open" if len(lines) <= OPEN_LINES else ""
    body = escape("\n".join(shown))
    return f'<details{is_open}><summary>{escape(summary)}</summary><pre style="line-height:1.2">{body}</pre></details>'


def picture(png: bytes, title: str = "") -> str:
    """A PNG, with its title above."""
    from base64 import b64encode

    shown = f'<img src="data:image/png;base64,{b64encode(png).decode()}" alt="{escape(title)}" style="image-rendering:pixelated">'
    return (heading("", title) if title else "") + shown


def items(lines: Iterable[str]) -> str:
    """A list of lines; nothing for none."""
    html = "".join(f"<li>{escape(line)}</li>" for line in islice(lines, MOST_ROWS))
    return f"<ul>{html}</ul>" if html else ""
