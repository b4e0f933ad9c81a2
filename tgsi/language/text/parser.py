"""TGSI text to IR.

The fast reader walks over the text with one regular expression for each statement and one for each operand text that it has not met
before, all derived from grammar/tgsi.lark. Lark reads rejected statements again with the same grammar and builders. They raise the same
mistake, now with a caret, because Lark's tokens carry their place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from tgsi.language._collector import collector_paused
from tgsi.language.diagnostics import Diagnostic, ParseError
from tgsi.language.facts.enums import ImmediateType, Processor
from tgsi.language.facts.stages import STAGES
from tgsi.language.ir import Immediate
from tgsi.language.messages import Mistake
from tgsi.language.program import Program
from tgsi.language.source import Source, Span

if TYPE_CHECKING:
    from tgsi.language.text.old_forms import OldForms
    from tgsi.language.text.operands import OperandReader
    from tgsi.language.text.reader import Reader

Dialect = Literal["default", "strict", "legacy"]
DIALECTS: tuple[Dialect, ...] = ("default", "strict", "legacy")
"""``default``: Mesa's language and our harmless extensions. ``strict``: accepts and rejects the same texts as Mesa 18.1. ``legacy``: texts
of 2007 to 2017, read into today's opcodes (see tgsi.language.text.legacy)."""

ENGINES = ("regular", "lark")
MAX_MISTAKES = 100
"""Most mistakes that one parse explains: an explanation costs a hundred times as much as reading, and a longer list is of no use."""

_LOST = Immediate(ImmediateType.UINT32, (0, 0, 0, 0))
"""Placeholder for an immediate that could not be read."""

_LARGE = 1 << 18
"""Least number of characters of a text whose objects are moved to the collector's oldest generation."""

_STAGES = {stage.name: stage for stage in Processor}
_STRICT_STAGES = {name: stage for name, stage in _STAGES.items() if not STAGES[stage].is_mesh}
_BLANKS = " \t\n"
_COMMENT = re.compile(r"#[^\n\r]*")


def parse(text: str, *, name: str = "<text>", dialect: str = "default", engine: str = "regular") -> Program:
    """Read a whole shader.

    `name` is the text's name in messages. The default dialect takes more than Mesa 18.1 reads: `#` comments, CRLF, CR, a byte order mark,
    one-letter swizzles (``.x``), a space after the sign of an index, INVARIANT, CYLWRAP_*, later opcodes and properties. ``"strict"``
    refuses these.
    ``"legacy"`` takes them and also the opcodes, register files and forms of 2007 to 2017, lowered to today's; `notes` of the program list
    everything that was read differently. ``engine="lark"`` reads everything with Lark: slow, and the reference for tests of the fast
    reader. Reading stops at a NUL character.

    Raises:
        ParseError: carries every mistake of the text (the first hundred), each with place, caret and hint.
        TypeError, ValueError: the text is not a str; there is no such dialect or engine.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(DIALECTS)}, not {dialect!r}")
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    return parse_words(Source(text, name), text, dialect, engine)


def parse_words(source: Source, words: str, dialect: str, engine: str = "regular") -> Program:
    """Read the program that `words` spell. They have the length of the source's text, or of its beginning: places in both are the same.

    Raises:
        ParseError: see `parse`.
    """
    from tgsi.language.text.reader import Reader
    from tgsi.language.text.syntax import syntax

    strict = dialect == "strict"
    words = words.partition("\0")[0]
    if not strict:
        words = _blanked(words)
    forms = _forms(words) if dialect == "legacy" else None
    if forms is not None:
        words = forms.text
    stage, position = _stage(source, words, _STRICT_STAGES if strict else _STAGES)
    errors: dict[int, Diagnostic] = {}
    if forms is not None:
        reader, words = _legacy(source, stage, forms, errors)
    else:
        reader = Reader(source, stage, _operands(strict), syntax().attribute)
    with collector_paused(promote=len(words) > _LARGE):
        (_read if engine == "regular" else _read_slowly)(reader, words, position, errors)
        reader.close()
    if errors:
        raise ParseError(errors[start] for start in sorted(errors))
    program = Program(
        stage, tuple(reader.declarations), tuple(reader.immediates), tuple(reader.properties), tuple(reader.instructions), source
    )
    try:
        return reader.finish(program)
    except Mistake as mistake:
        from tgsi.language.text.explain import diagnose

        raise ParseError((diagnose(mistake, Span(source, 0, len(words))),)) from None


def _forms(text: str) -> OldForms:
    from tgsi.language.text.old_forms import OldForms

    return OldForms(text)


def _legacy(source: Source, stage: Processor, forms: OldForms, errors: dict[int, Diagnostic]) -> tuple[Reader, str]:
    """A reader of old texts, and the text without the parts already read."""
    from tgsi.language.text.explain import diagnose
    from tgsi.language.text.legacy import LegacyReader
    from tgsi.language.text.old_registers import LegacyOperands
    from tgsi.language.text.syntax import syntax

    reader = LegacyReader(source, stage, LegacyOperands(False, syntax().match), syntax().attribute, forms)
    text = forms.text
    try:
        text = reader.take_blocks(text)
    except Mistake as mistake:
        errors[-1] = diagnose(mistake, Span(source, 0, len(text)))
    return reader, text


@cache
def _operands(strict: bool) -> OperandReader:
    from tgsi.language.text.operands import OperandReader
    from tgsi.language.text.syntax import syntax

    return OperandReader(strict, syntax().match)


def _blanked(text: str) -> str:
    """The text with spaces for comments, carriage returns and a byte order mark, so that every character keeps its place."""
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    if "#" in text:
        text = _COMMENT.sub(lambda found: " " * len(found[0]), text)
    return text.replace("\r", " ")


def _stage(source: Source, text: str, stages: Mapping[str, Processor]) -> tuple[Processor, int]:
    """The stage, and the offset at which its word ends.

    Raises:
        ParseError: the first word is not a stage.
    """
    from tgsi.language.text.syntax import syntax

    head = syntax().stage(text)
    if head is not None:
        end = head.end()
        stage = stages.get(head["stage"].upper())
        if stage is not None and text[end : end + 1] in ("", *_BLANKS):
            return stage, end
    from tgsi.language.text.explain import unknown_stage

    start = len(text) - len(text.lstrip(_BLANKS))
    word = re.compile(r"[^ \t\n]*").match(text, start)
    raise ParseError((unknown_stage(source, text, start, word.end() if word else start, tuple(stages)),))


def _read(reader: Reader, text: str, position: int, errors: dict[int, Diagnostic]) -> None:
    """Read all statements with the derived expressions; Rejected statements go to Lark."""
    from tgsi.language.text.syntax import syntax

    rules, source = syntax(), reader.source_text
    instruction, add = reader.instruction, reader.instructions.append
    one, two, three = rules.children["instruction"]
    steps = {
        "declaration": (reader.declaration, reader.declarations.append, rules.children["declaration"]),
        "immediate": (reader.immediate, reader.immediates.append, rules.children["immediate"]),
        "property": (reader.property, reader.properties.append, rules.children["property"]),
    }
    start = stop = failed = -1
    last = len(text.rstrip(_BLANKS))  # otherwise the search would start at every blank at the end, and run each time up to the end
    while position >= 0:
        matches = rules.statement.finditer(text, position, last)
        position = -1
        for match in matches:
            kind = match.lastgroup or "wrong"
            begin, end = match.span(kind)
            try:
                if kind == "instruction":
                    add(instruction(Span(source, begin, end), *match.group(one, two, three)))
                elif kind == "wrong":
                    position, start = _recover(reader, text, begin, end, (start, stop, failed), errors)
                    failed = -1
                    break
                else:
                    build, append, children = steps[kind]
                    append(build(Span(source, begin, end), *match.group(*children)))  # type: ignore[operator]
            except (Mistake, ValueError):
                from tgsi.language.text.explain import explain

                failed = begin
                errors[begin], resume = explain(reader, text, begin, end)
                if kind == "immediate":
                    reader.immediates.append(_LOST)  # so that later immediates keep their numbers
                if resume > begin:
                    position, start, failed = resume, -1, -1
                    break
            start, stop = begin, end
            if len(errors) >= MAX_MISTAKES:
                return
        if len(errors) >= MAX_MISTAKES:
            return


def _recover(
    reader: Reader, text: str, begin: int, end: int, before: tuple[int, int, int], errors: dict[int, Diagnostic]
) -> tuple[int, int]:
    """Explain a place at which no statement begins. Returns the offset at which reading continues, and -1 for the start of the statement
    before it.

    `before`: start and end of the statement before, and the start of the last one that was wrong.
    """
    from tgsi.language.text.explain import begins, explain, next_statement

    start, stop, _ = before
    # the mistake may be in the statement before, which then ended too early or right before this place
    again = start >= 0 and (text[begin - 1] not in _BLANKS or ("\n" not in text[stop:begin] and not begins(text, begin)))
    if again:
        begin = start
    position = next_statement(text, end)
    diagnostic, resume = explain(reader, text, begin, position if position >= 0 else len(text))
    errors[begin] = diagnostic
    if text[begin : begin + 3].upper() == "IMM" and not again:
        reader.immediates.append(_LOST)
    return (resume if resume > begin else position), -1


def _read_slowly(reader: Reader, text: str, _position: int, errors: dict[int, Diagnostic]) -> None:
    """Read all statements with Lark: the reference that the fast reader is tested against."""
    from lark import Tree
    from lark.exceptions import UnexpectedInput

    from tgsi.language.diagnostics import Label, Severity
    from tgsi.language.text.explain import build, diagnose, too_long
    from tgsi.language.text.syntax import syntax

    try:
        tree = syntax().lark.parse(text, start="program")
    except UnexpectedInput as error:
        at = max(0, error.pos_in_stream or 0)
        errors[at] = Diagnostic("P003", Severity.ERROR, str(error), (Label(Span(reader.source_text, at, at + 1)),))
        return
    lists: dict[str, list[Any]] = {
        "instruction": reader.instructions,
        "declaration": reader.declarations,
        "immediate": reader.immediates,
        "property": reader.properties,
    }
    for statement in tree.children:
        if not isinstance(statement, Tree):  # the stage
            continue
        span = Span(reader.source_text, statement.meta.start_pos, statement.meta.end_pos)
        try:
            lists[statement.data].append(build(reader, statement, span, text))
        except Mistake as mistake:
            errors[span.start] = diagnose(mistake, span)
        except ValueError:
            errors[span.start] = too_long(span)
