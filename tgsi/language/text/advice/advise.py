"""The advisers in their order: the first one that recognizes the mistake gives the advice."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace

from tgsi.language.diagnostics import Diagnostic, Label
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.source import Span
from tgsi.language.text.advice import characters, operands, shapes, values, words
from tgsi.language.text.advice.fault import REACH, Advice, Fault, quoted
from tgsi.language.text.reader import Reader

_Adviser = Callable[[Fault], Advice | None]

_OF_CHARACTERS: tuple[_Adviser, ...] = (characters.advise_characters, characters.advise_page, characters.advise_comment)
"""Advisers that look at the characters at the place."""

_OF_CODES: tuple[_Adviser, ...] = (
    shapes.advise_tail,
    shapes.advise_end_of_statement,
    words.advise_word,
    words.advise_joined,
    words.advise_written,
    values.advise_value,
    values.advise_values,
    shapes.advise_count,
    shapes.advise_attribute_place,
)
"""Advisers that look at the code of the finding."""

_OF_SYNTAX: tuple[_Adviser, ...] = (
    values.advise_immediate,
    shapes.advise_opcode_shape,
    shapes.advise_declaration,
    values.advise_number,
    operands.advise_function,
    operands.advise_letters,
    shapes.advise_comma,
    operands.advise_sign,
    operands.advise_bracket,
    operands.advise_expression,
    operands.advise_register,
    operands.advise_sampler,
    shapes.advise_rest,
    shapes.advise_incomplete,
)
"""Advisers for statements that the grammar refuses, or whose operands are words."""

_SYNTAX = frozenset({"P003", "P004", "P015"})


def advise(
    reader: Reader, text: str, found: Diagnostic, start: int, end: int, expects: Collection[str], resume: int
) -> tuple[Diagnostic, int]:
    """Return a finding about ``text[start:end]`` with the advice for it, and the offset at which reading continues (-1 if unknown)."""
    if found.span is None or found.span.start - start > REACH or found.span.end - found.span.start > REACH:
        return found, resume
    fault = Fault(
        found=found,
        source=reader.source_text,
        text=text,
        start=start,
        end=end,
        at=found.span.start,
        expects=frozenset(expects),
        immediates=tuple(reader.immediates),
        old=_old_opcodes(reader),
        strict=reader.strict,
    )
    advisers = (*_OF_CHARACTERS, words.unknown_opcode, *_OF_CODES, *_OF_SYNTAX) if found.code in _SYNTAX else (*_OF_CHARACTERS, *_OF_CODES)
    advice = next((made for adviser in advisers if (made := adviser(fault)) is not None), None)
    if advice is None:
        return replace(found, hint=found.hint or _usage(fault)), resume
    labels, message = found.labels, found.message
    if advice.at is not None:
        labels = (Label(Span(reader.source_text, *advice.at)), *labels[1:])
        message = re.sub(r"^unexpected .*", f"unexpected {quoted(text[slice(*advice.at)])}", message)
    better = replace(
        found,
        code=advice.code or found.code,
        message=advice.message or message,
        labels=labels,
        hint=advice.hint or found.hint,
        fixes=advice.fixes,
    )
    return better, advice.resume if advice.resume >= 0 else resume


def _old_opcodes(reader: Reader) -> frozenset[str]:
    from tgsi.language.text.legacy import LegacyReader
    from tgsi.language.text.old_opcodes import LOWERED, REFUSED, RENAMED

    return frozenset((*LOWERED, *RENAMED, *REFUSED)) if isinstance(reader, LegacyReader) else frozenset()


def _usage(fault: Fault) -> str:
    """The correct form of the statement's opcode, for mistakes that no adviser recognizes."""
    info = OPCODES.get(fault.head.removesuffix("_PRECISE").removesuffix("_SAT"))
    if fault.found.code not in _SYNTAX:
        return ""
    if info is not None:
        return f"{info.name} is written `{shapes.usage(info)}`"
    if fault.head in shapes.SHAPES:
        return shapes.SHAPES[fault.head]
    if re.fullmatch(r"[0-9]+[ \t]*:", fault.before):
        return "an opcode follows the number of an instruction, as `0: MOV OUT[0], IN[0]`"
    return "a statement begins with an opcode, DCL, IMM or PROPERTY" if not fault.before else ""
