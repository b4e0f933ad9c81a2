"""Advice about the beginning of a text: no stage, another word for it, remains of a page, or another language."""

from __future__ import annotations

import re
from collections.abc import Collection

from tgsi.language.diagnostics import Diagnostic, Fix, Label, Severity
from tgsi.language.messages import nearest_name, shorten
from tgsi.language.source import Source, Span
from tgsi.language.text.advice import synonyms
from tgsi.language.text.advice.characters import plain
from tgsi.language.text.advice.fault import REACH, is_statement_word

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n?", re.MULTILINE)


def advise_start(source: Source, text: str, start: int, end: int, stages: Collection[str]) -> Diagnostic:
    """The finding about a first word, ``text[start:end]``, that is not a stage. Comments in the text are blanked."""
    word = text[start:end]
    span = Span(source, start, max(end, start + 1))
    message = f"unknown shader stage `{shorten(word)}`" if word.strip() and word.isprintable() else "a text begins with the shader stage"
    listed = f"the first word is one of {', '.join(stages)}"
    hint = listed
    fixes: tuple[Fix, ...] = ()
    if (made := _other_language(source, text, start, listed) or _preface(source, text, start, stages)) or (
        made := _near_stage(source, word, start, end, stages)
    ):
        hint, fixes = made
    elif (label := re.compile(r"(?:[0-9]+[ \t]*:[ \t]*)?([A-Za-z]\w*)").match(text, start)) and is_statement_word(label[1]):
        message = "the shader stage is missing"
        guess = next(
            (
                stage
                for stage, signs in synonyms.SIGNS
                if stage in stages and re.search(signs, text[start : start + 4 * REACH], re.I | re.M)
            ),
            "",
        )
        hint = f"write the stage before the first statement, as `{guess}`" if guess else f"write the stage first: {listed}"
        fixes = (Fix(Span(source, start, start), f"{guess}\n"),) if guess else ()
    return Diagnostic("P001", Severity.ERROR, message, (Label(span),), hint, tuple(fixes))


def _other_language(source: Source, text: str, start: int, listed: str) -> tuple[str, tuple[Fix, ...]] | None:
    raw = len(source.text) - len(source.text.lstrip())
    directive = re.compile(r"#(?:version|include|define|extension|ifdef|pragma)\b").match(source.text, raw)
    if directive is not None:
        return f"this is GLSL or C, which has to be compiled to TGSI first; in TGSI {listed}", ()
    for pattern, name in synonyms.LANGUAGES:
        if re.compile(pattern).match(text, start):
            return f"this is {name}, which has to be translated to TGSI first; in TGSI {listed}", ()
    return None


def _preface(source: Source, text: str, start: int, stages: Collection[str]) -> tuple[str, tuple[Fix, ...]] | None:
    """Advice about lines before a line that is a stage."""
    line = re.compile(rf"^[ \t]*(?:{'|'.join(stages)})[ \t\r]*$", re.IGNORECASE | re.MULTILINE).search(text, start)
    if line is None or line.start() <= start:
        return None
    fences = [match for match in _FENCE.finditer(text) if match.start() > line.end()]
    what = "the fence of Markdown is" if text.startswith(("```", "~~~"), start) else "the lines before the stage are"
    fixes = Fix(Span(source, start, line.start()), ""), *(Fix(Span(source, match.start(), match.end()), "") for match in fences)
    return f"{what} no part of the text: leave it out" if "fence" in what else f"{what} no part of the text: leave them out", fixes


def _near_stage(source: Source, word: str, start: int, end: int, stages: Collection[str]) -> tuple[str, tuple[Fix, ...]] | None:
    bare = re.sub(r"<[^>]*>", "", plain(word)).strip(" \"'`:;,.{(<>[]0123456789!").upper()
    stage = bare if bare in stages else synonyms.STAGES.get(bare, "")
    if word.startswith("\ufeff"):
        return "remove the byte order mark at the start of the text", (Fix(Span(source, start, start + 1), ""),)
    if stage and re.fullmatch(r"[A-Z]+[0-9]\.[0-9]", word, re.IGNORECASE):
        hint = f"this is a header of 2007 to 2009; the legacy dialect reads it, and now it is `{stage}`"
        return hint, (Fix(Span(source, start, end), stage),)
    if stage and stage in stages:
        whole = Fix(Span(source, start, end), stage)
        return f"the stage stands alone: write `{stage}`" if bare in stages else f"write `{stage}`", (whole,)
    if glued := next((name for name in stages if bare.startswith(name) and is_statement_word(bare.removeprefix(name))), ""):
        words = f"the stage stands alone: write `{glued}`, then a space or a new line"
        at = word.upper().find(glued)  # absent where characters that cannot be printed divide it
        fixes = () if at < 0 else (Fix(Span(source, start + at + len(glued), start + at + len(glued)), "\n"),)
        return words, fixes
    near = nearest_name(bare, stages) if not is_statement_word(bare) else ""
    return (f"did you mean `{near}`?", (Fix(Span(source, start, end), near),)) if near else None
