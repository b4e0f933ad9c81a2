"""Split texts into lines of tokens, and map tokens back to the texts that the user wrote.

A place is a number: the base of a text and an offset in it. Texts are read without continuations and with LF alone as the end of a line;
`Places` maps back.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from tgsi.language.record import record
from tgsi.language.source import Source, Span

Token = tuple[str, int, int]
"""The characters of a token, its place, and the place of the macro's text that it comes from, or NOWHERE."""
NOWHERE = -1

MAX_NAME = 1024
"""Characters of the longest name, as GLSL says."""

_ENDS = re.compile(r"\\(?:\r\n?|\n\r?)|\r\n?|\n\r")
_TOKEN = re.compile(
    r"""(\n)
      | ([A-Za-z_][A-Za-z0-9_]*)
      | (0[xX][0-9A-Za-z_]*|1\.\#INF[fF]?|\.?[0-9](?:[eE][+-](?=[0-9])|[A-Za-z0-9_.])*)
      | ((?:<<|>>)=|<<|>>|&&|\|\||\^\^|\+\+|--|::|[-+*/%&|^=!<>]=|[-+*%()\[\]{}|^&~=!:;,.?<>])
      | (//[^\n]*|/\*.*?(?:\*/|\Z))
      | (/)
      | (\#\#?|"(?:[^"\\\n]|\\[^\n])*"|[^\s])""",
    re.VERBOSE | re.DOTALL,
)
_END, _COMMENT, _ODD = 1, 5, 7


@record
class Unit:
    """A text as lines of tokens. `has_odd`: some token is not a token of code. `unclosed`: the place of a comment without an end."""

    source: Source
    base: int
    lines: list[list[Token]]
    has_odd: bool
    unclosed: int = NOWHERE


class Places:
    """All texts of one compilation: places to spans."""

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._counts_two: list[bool] = []  # whether sources count two lines where LF CR ends one
        self._sources: list[tuple[Source, list[int], list[int]]] = []
        self._end = 0

    def scan(self, source: Source) -> Unit:
        """The tokens of a text, which is registered so that tokens have places."""
        start = 1 if source.text.startswith("\ufeff") else 0
        text, offsets, shifts = _plain(source.text, start)
        base = self._end
        self._bases.append(base)
        self._counts_two.append("\n\r" in source.text and "\r\n" not in source.text)
        self._sources.append((source, offsets, shifts))
        self._end = base + len(text) + 1
        lines: list[list[Token]] = []
        line: list[Token] = []
        has_odd, unclosed = False, NOWHERE
        for item in _TOKEN.finditer(text):
            kind = item.lastindex
            if kind == _END:
                if line:
                    lines.append(line)
                    line = []
            elif kind == _COMMENT:
                word = item[0]
                if word[1] == "*" and (len(word) < 4 or not word.endswith("*/")):
                    unclosed = base + item.start()
            else:
                line.append((item[0], base + item.start(), NOWHERE))
                if kind == _ODD and (len(line) > 1 or item[0] != "#"):
                    has_odd = True
        if line:
            lines.append(line)
        return Unit(source, base, lines, has_odd, unclosed)

    def span(self, place: int, length: int) -> Span:
        """The characters of a token in the original text."""
        number = max(bisect_right(self._bases, place) - 1, 0)
        source, offsets, shifts = self._sources[number]
        first, last = place - self._bases[number], place - self._bases[number] + max(length, 1) - 1
        start, end = (offset + shifts[bisect_right(offsets, offset) - 1] for offset in (first, last))
        size = len(source.text)
        return Span(source, min(start, size), min(end + (length > 0), size))

    def line(self, place: int) -> int:
        """The number of the line of a place. LF CR ends one line here, where sources count two."""
        span = self.span(place, 1)
        counts_two = self._counts_two[max(bisect_right(self._bases, place) - 1, 0)]
        return span.line - (span.source.text.count("\n\r", 0, span.start) if counts_two else 0)

    def between(self, first: Token, last: Token) -> str:
        """The characters from one token of a line to another, without continuations."""
        start, end = self.span(first[1], 1), self.span(last[1] + len(last[0]) - 1, 1)
        return without_ends(start.source.text[start.start : end.end])


def _plain(text: str, start: int) -> tuple[str, list[int], list[int]]:
    """A text without continuations and with LF at the ends of lines; offsets from which on characters were moved, and by how much."""
    offsets, shifts = [0], [start]
    if start:
        text = text[start:]
    if "\r" not in text and "\\\n" not in text:
        return text, offsets, shifts
    pieces, last, length = [], 0, 0
    for end in _ENDS.finditer(text):
        new = "" if end[0][0] == "\\" else "\n"
        pieces += [text[last : end.start()], new]
        length += end.start() - last + len(new)
        last = end.end()
        if offsets[-1] == length:
            shifts[-1] = start + last - length
        else:
            offsets.append(length)
            shifts.append(start + last - length)
    pieces.append(text[last:])
    return "".join(pieces), offsets, shifts


def without_ends(text: str) -> str:
    """A text without continuations, and with LF at the ends of its lines."""
    return _ENDS.sub(lambda end: "" if end[0][0] == "\\" else "\n", text)


def is_word(text: str) -> bool:
    """True for a name or a word of the language."""
    return text[:1] == "_" or (text[:1].isalpha() and text.isascii())


def is_token(text: str) -> bool:
    """True for characters that are one token of code."""
    whole = _TOKEN.fullmatch(text)
    return whole is not None and whole.lastindex in (2, 3, 4, 6)
