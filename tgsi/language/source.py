"""Source texts and places in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import field

from tgsi.language._forks import cached_property
from tgsi.language.record import record

_GLSL = re.compile(r"^[ \t]*#[ \t]*version\b|\bvoid\s+main\b", re.MULTILINE)
_NEWLINE = re.compile(r"\r\n?|\n")
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f]")


def characters(data: bytes) -> str | None:
    """The text in the bytes of a file: UTF-8, or else Latin-1, in which older editors wrote the names of authors into comments.

    None for bytes that are neither, because they hold control characters.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None if _CONTROL.search(data) else data.decode("latin-1")


@record(slots=False)
class Source:
    """A text and the name that messages use for it. Two sources are equal only if they are one object.

    `first_line` is the number of the first line, for a text that is a part of a larger one. A line ends with LF, CR LF or CR.
    """

    text: str = field(repr=False)
    name: str = "<text>"
    first_line: int = 1

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offset of the first character of each line."""
        return (0, *(match.end() for match in _NEWLINE.finditer(self.text)))

    def line_of(self, offset: int) -> int:
        """The number of the line of an offset."""
        return bisect_right(self.line_starts, offset) + self.first_line - 1

    def column_of(self, offset: int) -> int:
        """1-based column of an offset."""
        return offset - self.line_starts[self.line_of(offset) - self.first_line] + 1

    def line_text(self, line: int) -> str:
        """Text of the line of a number, without its end."""
        start = self.line_starts[line - self.first_line]
        end = _NEWLINE.search(self.text, start)
        return self.text[start : end.start() if end is not None else len(self.text)]


@record
class Span:
    """Half-open range of characters of a source. Nodes that carry a span ignore it when they are compared."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """1-based line of the start."""
        return self.source.line_of(self.start)

    @property
    def column(self) -> int:
        """1-based column of the start."""
        return self.source.column_of(self.start)

    @property
    def text(self) -> str:
        """The characters of the span."""
        return self.source.text[self.start : self.end]

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


def is_glsl(text: str) -> bool:
    """True for a text that has ``#version`` or ``void main``, as every one of GLSL and none of TGSI."""
    return ("#" in text or "main" in text) and _GLSL.search(text) is not None
