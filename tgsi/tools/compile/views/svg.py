"""SVG as text: elements with escaped attributes, monospaced text of known width."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escaped(text: str) -> str:
    """Text for XML: markup as entities, characters that XML does not allow as U+FFFD."""
    result = _NO_XML.sub("\ufffd", text)
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        result = result.replace(letter, entity)
    return result


def element(name: str, content: str = "", **attributes: object) -> str:
    """An element. Underscores in names of attributes become hyphens; numbers have at most one digit after the point."""
    words = [f'{key.rstrip("_").replace("_", "-")}="{_attribute(value)}"' for key, value in attributes.items()]
    head = " ".join([name, *words])
    return f"<{head}>{content}</{name}>" if content else f"<{head}/>"


def _attribute(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escaped(str(value))


def width_of(text: str, size: float) -> float:
    """Width of monospaced text in pixels."""
    return 0.61 * size * len(text)


def text_at(
    text: str, x: float, y: float, *, size: float = 12, color: str = "#1d2433", anchor: str = "start", weight: str = "normal"
) -> str:
    """A line of text."""
    more = {"font_weight": weight} if weight != "normal" else {}
    return element("text", escaped(text), x=float(x), y=float(y), font_size=float(size), fill=color, text_anchor=anchor, **more)


def wrapped(text: str, width: float, size: float) -> Sequence[str]:
    """Text as lines that fit into a width."""
    return textwrap.wrap(text, max(int(width / width_of("m", size)), 20), subsequent_indent="  ") or [""]
