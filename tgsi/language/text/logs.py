"""Programs in logs: the output of drivers and applications, traces, reports of bugs.

A program begins at the name of its stage, in capitals, as the last word of a line or before a statement. Its lines may have anything
in front: times, process numbers, names of programs, line numbers, indentation, ANSI colors, quotes. Other lines may stand between.
Newlines may be written as ``\\n``, ``#012`` or ``&#10;``. A program ends with END, and subroutines after it belong to it.

Everything else is blanked, so places in a program are places in the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import KW_ONLY, field, replace
from typing import NamedTuple

from tgsi.language.diagnostics import Diagnostic, ParseError
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.stages import STAGES
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.source import Source
from tgsi.language.text.removed import REMOVED

_ESCAPES = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[\r\0\ufeff\x0b\x0c]")
_NEWLINES = re.compile(r"\\r\\n|\\n|#015#012|#012|&#13;&#10;|&#(?:10|x[aA]);")
_STAGES = sorted((stage.name for stage in STAGES), key=len, reverse=True)
_HEADER = re.compile(
    rf"(?<![\w.\[-])(?<!NEXT_SHADER )(?:{'|'.join(_STAGES)})(?:1\.[01])?"
    r"(?=[ \t]*$|[ \t]*[\"'<]|[ \t]+(?:(?:DCL|IMM|PROPERTY|END)\b|[0-9]+[ \t]*:))"
)
_FILES = "|".join([*(file.name for file in File), "PRED", "LOOP", "IMMX", "TEMPX", "RES"])
_DECLARATION = re.compile(
    rf"(?<![\w.\[(])(?:DCL[ \t]+(?:{_FILES})[ \t]*\[|IMM(?:\[[ \t]*[0-9]+[ \t]*\])?[ \t]+(?:FLT|U?INT)(?:32|64)[ \t]*\{{"
    r"|PROPERTY[ \t]+[A-Z_0-9]+[ \t]+\w)",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    rf"""(?<![\w.\[(])(?P<label>[0-9]+[ \t]*:[ \t]*)?(?:\(!?PRED\[[^)\n]*\)[ \t]*)?(?P<word>[A-Z][A-Z0-9_]*+)(?:\[-1,1\])?
    (?:(?P<operand>[ \t]++[-|(*.012]*+(?:{_FILES})[ \t]*\[)|(?=[ \t]*(?::[ \t]*[0-9]+[ \t]*)?(?:$|["'<&\\])))""",
    re.IGNORECASE | re.VERBOSE,
)
_FOREIGN = re.compile(r"[\"'<>&\\;]")  # no text of TGSI has these characters
_LAST = re.compile(r"(?:^|[\s:])END\s*$", re.IGNORECASE)
_SUBROUTINE = re.compile(r"(?:^|[\s:])BGNSUB\b", re.IGNORECASE)
_SUFFIXES = re.compile(r"(?:_SATNV|_SAT)?(?:_PRECISE)?$")
_CALL = re.compile(r"<call no='(\d+)'[^<>]*method='(\w+)'")
_TAGS = re.compile(r"<[^<>]*>")
_EDGES = " \t\"'"
_DIGITS = re.compile(r"[0-9]+")
_KNOWN = frozenset(OPCODES) | frozenset(REMOVED)
_FAR = 1 << 12
"""Characters of a line around a program that its source keeps."""


@record
class FoundProgram:
    """A program in a log.

    Attributes:
        number: place among the programs of the log, from 1.
        line: line of the log at which it begins.
        heading: the words in front of it: the rest of its first line, or the line before, as ``vs: 1 TGSI:``.
        source: the part of the log that it was read from; places in it are places in the log.
        words: the same part, blank but for the program.
        program: the program; None if it cannot be read.
        findings: the mistakes of a program that cannot be read; notes of the legacy dialect.
    """

    number: int
    line: int
    heading: str
    source: Source = field(repr=False)
    words: str = field(repr=False)
    program: Program | None = field(default=None, compare=False)
    _: KW_ONLY
    findings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)


def programs_in(text: str, *, name: str = "<log>", dialect: str = "default") -> tuple[FoundProgram, ...]:
    """Every program in a log, in order; empty if there is none.

    Text that the default dialect refuses is read as legacy text where that succeeds. A program that cannot be read gets findings, with
    places in the log; reading continues with the next program.

    Args:
        text: the log: output of Mesa's drivers (``ST_DEBUG=tgsi`` and the like) or of virglrenderer, a trace of GALLIUM_TRACE, or any text.
        name: name of the log in messages.
        dialect: see `tgsi.parse`.

    Raises:
        TypeError, ValueError: the text is not a str; there is no such dialect.
    """
    from tgsi.language.text.parser import DIALECTS

    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(DIALECTS)}, not {dialect!r}")
    return tuple([_read(section, dialect) for section in _sections(text, name)])


def _read(found: FoundProgram, dialect: str) -> FoundProgram:
    from tgsi.language.text.parser import parse_words

    try:
        program = parse_words(found.source, found.words, dialect)
    except ParseError as error:
        findings = error.diagnostics
        if dialect != "default":
            return replace(found, findings=findings)
        try:
            program = parse_words(found.source, found.words, "legacy")
        except ParseError:
            return replace(found, findings=findings)
    return replace(found, program=program, findings=program.notes)


def _sections(text: str, name: str) -> Iterator[FoundProgram]:
    """The programs of a log, not read so far."""
    words = _ESCAPES.sub(lambda found: " " * len(found[0]), text)
    words = _NEWLINES.sub(lambda found: "\n".ljust(len(found[0])), words)
    log = _Log(Source(text, name), words)
    start = 0
    for line in words.split("\n"):
        yield from log.take(start, line)
        start += len(line) + 1
    yield from log.finished()


class _Statement(NamedTuple):
    """The first statement of a line: its offset, the number in front of it (-1 for none), and whether it is an instruction."""

    at: int
    label: int
    is_instruction: bool


class _Open:
    """A program that is being collected: the pieces of the log that belong to it.

    `shapes`: prefixes of its lines, with 0 for each number. `is_bare`: its stage stood alone.
    """

    def __init__(self, start: int, end: int, heading: str) -> None:
        self.heading = heading
        self.pieces = [(start, end)]
        self.shapes = {""}
        self.ended = self.has_instructions = self.is_bare = False
        self.braces = 0


class _Log:
    """State of one walk over a log, line by line."""

    def __init__(self, source: Source, words: str) -> None:
        self._source, self._words = source, words
        self._open: _Open | None = None
        self._next: _Open | None = None
        self._count = 0
        self._call = self._before = ""

    def take(self, start: int, line: str) -> Iterator[FoundProgram]:
        """Take the line that begins at an offset; gives the program that ends before it."""
        if (head := _HEADER.search(line)) is not None:
            shape = _shape(line[: head.start()])
            heading = _TAGS.sub("", line[: head.start()]).strip(_EDGES) or self._call or self._before
            made = _Open(start + head.start(), start + head.end(), heading)
            section, self._before = self._open, ""
            rest = line[head.end() :]
            is_alike = section is None or section.ended or shape in section.shapes or rest.strip(_EDGES) != ""
            if section is not None and not is_alike and (len(section.pieces) > 1 or section.is_bare):
                self._next = made  # or words of another output between two lines of the program
            else:
                made.is_bare = not shape
                yield from self.finished()
                self._open = made
            self._add(start + head.end(), rest, made)
            return
        target = self._next or self._open
        found_here = _statement(line, target.shapes) if target is not None and target.braces <= 0 else None
        if self._next is not None and self._open is not None and found_here is not None:
            if self._open.has_instructions and (found_here.label == 0 or not found_here.is_instruction):
                made = self._next
                yield from self.finished()
                self._open = made
            else:
                self._next = None
        if not self._add(start, line, self._open) and line.strip():
            if call := _CALL.search(line):
                self._call = f"call {call[1]}, {call[2]}"
            self._before = _TAGS.sub("", line).strip(_EDGES)[:80]

    def finished(self) -> Iterator[FoundProgram]:
        """The program that is open, if it has statements; none is open afterwards."""
        section, self._open, self._next = self._open, None, None
        if section is None or len(section.pieces) == 1:
            return
        begin, end = section.pieces[0][0], section.pieces[-1][1]
        text = self._source.text
        first = max(text.rfind("\n", 0, begin) + 1, begin - _FAR)
        stop = text.find("\n", end, end + _FAR)
        last = stop if stop >= 0 else min(len(text), end + _FAR)
        parts, done = [], first
        for start, until in section.pieces:
            parts += [_blank(self._words[done:start]), self._words[start:until]]
            done = until
        self._count += 1
        line = self._source.line_of(begin)
        yield FoundProgram(self._count, line, section.heading, Source(text[first:last], self._source.name, line), "".join(parts))

    @staticmethod
    def _add(start: int, line: str, program: _Open | None) -> bool:
        """Add the statements of a line to a program. False if none matches."""
        if program is None:
            return False
        if program.braces > 0:
            at, is_instruction = line.find("{"), False
        else:
            statement = _statement(line, program.shapes)
            at, is_instruction = (statement.at, statement.is_instruction) if statement is not None else (-1, False)
        if at < 0:
            return False
        end = _FOREIGN.search(line, at)
        piece = line[at : end.start() if end is not None else len(line)].rstrip()
        if program.ended and not _SUBROUTINE.search(piece):
            return False
        program.pieces.append((start + at, start + at + len(piece)))
        program.shapes.add(_shape(line[:at]))
        program.braces += piece.count("{") - piece.count("}")
        program.has_instructions |= is_instruction
        program.ended = _LAST.search(piece) is not None
        return True


def _statement(line: str, shapes: set[str]) -> _Statement | None:
    """The first statement of a line, None if there is none.

    An unknown word also counts, as a mistake to explain, if it has a label or if the line begins like others of the program.
    """
    declaration = _DECLARATION.search(line)
    for match in _INSTRUCTION.finditer(line, 0, declaration.start() if declaration is not None else len(line)):
        prefix = line[: match.start()]
        if prefix.rstrip().endswith("$"):  # lines of gallivm's trace of execution
            continue
        word, label = match["word"], match["label"]
        is_known = _SUFFIXES.sub("", word.upper()) in _KNOWN
        is_alike = label is not None or _shape(prefix) in shapes
        if (is_known and (is_alike or match["operand"])) or (is_alike and match["operand"] and word.isupper()):
            return _Statement(match.start(), int(label[:9].strip(" \t:")) if label is not None else -1, True)
    return _Statement(declaration.start(), -1, False) if declaration is not None else None


def _shape(prefix: str) -> str:
    return " ".join(_DIGITS.sub("0", prefix).split())


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
