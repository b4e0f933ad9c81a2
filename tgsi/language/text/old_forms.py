"""Forms of old texts that are not in today's grammar. They are found before reading and removed from the text. All other characters keep
their places.

Headers with a version (``VERT1.1``, to 2009), ``_SATNV``, factors after a destination (``OUT[0]_2X``), modifiers and constants in the
swizzle of a source (``2*((1-(IN[0]))-0.5)``, ``IN[0].xy01``), and predicates of an instruction (``(!PRED[0].xxxx) MOV``, 2009 to 2017).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from tgsi.language.record import record

_HEADER = re.compile(r"(?P<blank>[ \t\n]*+)(?P<stage>FRAG|VERT|GEOM)(?P<version>1\.[01])(?=[ \t\n]|\Z)", re.IGNORECASE | re.ASCII)
_SATURATE = re.compile(r"_SAT\[-1,1\]", re.IGNORECASE | re.ASCII)
_FACTOR = re.compile(r"(?<=\])_(?P<name>2X|4X|8X|D2|D4|D8)(?![0-9A-Za-z_])", re.IGNORECASE | re.ASCII)
_PREDICATE = re.compile(
    r"""
    \([ \t]*+(?P<negate>!?)[ \t]*+PRED[ \t]*+\[[ \t]*+(?P<index>[0-9]{1,3})[ \t]*+\]
    [ \t]*+(?:\.(?P<letters>[xyzw]{4}|[xyzw]))?[ \t]*+\)[ \t\n]*+
    """,
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
_SOURCE = re.compile(
    r"""
    (?P<minus>-[ ]?\([ ]?)?+
    (?P<bar>\|[ ]?)?+
    (?P<scale>2(?:\.0?)?[ ]?\*\([ ]?)?+
    (?P<bias>\([ ]?)?+
    (?P<complement>1(?:\.0?)?[ ]?-\([ ]?)?+
    (?P<sign>-[ ]?)?+
    (?P<register>(?<![0-9A-Za-z_])[A-Za-z]++[ ]?\[[^\[\]]*+(?:\[[^\[\]]*+\][^\[\]]*+)?\](?:\[[^\[\]]*+\])?
        (?:[ ]?\.[xyzw]{4}(?![0-9A-Za-z_]))?)
    (?P<constants>[ ]?\.[xyzw01]{4}(?![0-9A-Za-z_]))?+
    (?(complement)[ ]?\))
    (?(bias)[ ]?\)[ ]?-[ ]?0?\.50*+)
    (?(scale)[ ]?\))
    (?(bar)[ ]?\|)
    (?(minus)[ ]?\))
    """,
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
BLOCK = re.compile(
    r"(?<=[ \t\n])DCL[ \t\n]+IMMX[ \t\n]*\[[ \t\n]*(?P<first>[0-9]{1,9})[ \t\n]*(?:\.\.[ \t\n]*(?P<last>[0-9]{1,9})[ \t\n]*)?\][ \t\n]*"
    r"\{(?P<rows>(?:[ \t\n]*,?[ \t\n]*\{[^{}]*\})*+)[ \t\n]*\}",
    re.IGNORECASE | re.ASCII,
)
"""A declaration of immediates as registers of IMMX."""

_MAYBE_SOURCE = re.compile(r"-[ ]?\(|\*\(|\.[xyzw01]{0,3}[01]|\)[ ]?-", re.IGNORECASE)
_MODIFIERS = ("sign", "complement", "bias", "scale", "bar", "minus")
FACTORS = {"2X": 0x40000000, "4X": 0x40800000, "8X": 0x41000000, "D2": 0x3F000000, "D4": 0x3E800000, "D8": 0x3E000000}
"""Words of the numbers that a result is multiplied by."""


@record(kw_only=True)
class OldSource:
    """Modifiers of a source, in the order in which they act. `constants`: four letters of ``xyzw01``, or nothing."""

    constants: str
    sign: bool
    complement: bool
    bias: bool
    scale: bool
    bar: bool
    minus: bool

    def groups(self) -> Iterator[tuple[int, str]]:
        """Masks of channels, each with its source: ``0``, ``1``, or a swizzle."""
        for letter in "01":
            if mask := sum(1 << at for at, constant in enumerate(self.constants) if constant == letter):
                yield mask, letter
        if mask := sum(1 << at for at, constant in enumerate(self.constants) if constant not in "01"):
            yield mask, "".join("x" if constant in "01" else constant for constant in self.constants)


class Factor(NamedTuple):
    """A number that the result is multiplied by, as a 32-bit word."""

    word: int


class Predicate(NamedTuple):
    """A register whose channels decide which channels of the destination are written."""

    register: int
    letters: str
    negate: bool


Form = OldSource | Factor | Predicate


class OldForms:
    """The old forms of a text, and the text without them."""

    def __init__(self, text: str) -> None:
        self._found: list[tuple[int, Form]] = []
        self.seen: dict[str, tuple[str, int, int]] = {}
        """The first form of each kind: its explanation and its place."""
        self.text = self._without_sources(self._without_words(text))
        self._found.sort(key=lambda item: item[0])
        self._places = [place for place, _ in self._found]

    def within(self, start: int, end: int) -> Iterator[tuple[int, Form]]:
        """The forms between two places, each with the number of commas between `start` and it: the number of its operand."""
        for at in range(bisect_left(self._places, start), bisect_left(self._places, end)):
            place, form = self._found[at]
            yield self.text.count(",", start, place), form

    def _without_words(self, text: str) -> str:
        if (found := _HEADER.match(text)) is not None:
            self._note("header", f"the header {found['stage']}{found['version']} is {found['stage'].upper()} today", *found.span("stage"))
            text = found["blank"] + found["stage"] + blank(found["version"]) + text[found.end() :]
        if "[-" in text:
            text = _SATURATE.sub("_SATNV    ", text)
        if "]_" in text:
            for found in _FACTOR.finditer(text):
                self._found.append((found.start(), Factor(FACTORS[found["name"].upper()])))
                self._note("factor", f"the factor `{found[0]}` is a multiplication today", *found.span())
            text = _FACTOR.sub(lambda found: blank(found[0]), text)
        if "(" in text:
            for found in _PREDICATE.finditer(text):
                self._found.append(
                    (found.end(), Predicate(int(found["index"]), (found["letters"] or "xyzw").lower(), bool(found["negate"])))
                )
                self._note("predicate", "a predicate is UCMP today", found.start(), found.start() + len(found[0].rstrip()))
            text = _PREDICATE.sub(lambda found: blank(found[0]), text)
        return text

    def _without_sources(self, text: str) -> str:
        if _MAYBE_SOURCE.search(text) is None:
            return text
        parts: list[str] = []
        done = 0
        for match in _SOURCE.finditer(text):
            constants = (match["constants"] or "").strip(" .").lower()
            form = OldSource(constants=constants, **{name: match[name] is not None for name in _MODIFIERS})
            if constants or form.complement or form.bias or form.scale or form.minus:
                start, end = match.span("register")
                self._found.append((start, form))
                self._note("modifier", f"`{' '.join(match[0].split())}` takes several instructions today", *match.span())
                parts += [text[done : match.start()], blank(text[match.start() : start]), text[start:end], blank(text[end : match.end()])]
                done = match.end()
        return "".join([*parts, text[done:]])

    def _note(self, kind: str, message: str, start: int, end: int) -> None:
        self.seen.setdefault(kind, (message, start, end))


def blank(text: str) -> str:
    """Spaces for everything but newlines."""
    return re.sub(r"[^\n]", " ", text)
