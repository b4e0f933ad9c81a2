"""Messages of glslang as findings of ours: the line of the source, and the column of the word that a message names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from frontends.glsl.upgrade import PREFIX, Prepared
from tgsi.language.diagnostics import Diagnostic, Label, Severity
from tgsi.language.messages import shorten
from tgsi.language.record import record
from tgsi.language.source import Source, Span

MAX_FINDINGS = 50
"""Findings that are kept of one compilation."""

_LINE = re.compile(r"(ERROR|WARNING): (?:(.*?):([0-9]{1,9}): )?(.*)")
_TOKEN = re.compile(r"'(.*?)' : +(.*)")
_DROPPED = re.compile(
    r"[0-9]+ compilation (?:errors|terminated)|'' : +compilation terminated|Source entry point|node is still EOpNull"
    r"|.*Missing entry point: Each stage|.*Recursion detected:"
)
_FOLLOWS = frozenset({"assign", "=", "return", "constructor"})
"""Tokens of messages that follow from an error in the same line."""
_CALLS = re.compile(r"    (\w+)\(.*? calling (\w+)\(.*")
"""A line after the message that functions call themselves."""
_VERSION = "version not supported"
_MARKS = re.compile(r"\b[A-Z]+(?:_[A-Z]+)*\b")
_SIGNS: Mapping[str, str] = {
    "LEFT_PAREN": "`(`", "RIGHT_PAREN": "`)`", "LEFT_BRACE": "`{`", "RIGHT_BRACE": "`}`", "LEFT_BRACKET": "`[`", "RIGHT_BRACKET": "`]`",
    "SEMICOLON": "`;`", "COMMA": "`,`", "COLON": "`:`", "EQUAL": "`=`", "DOT": "`.`", "DASH": "`-`", "PLUS": "`+`", "STAR": "`*`",
    "SLASH": "`/`", "QUESTION": "`?`", "BANG": "`!`", "IDENTIFIER": "a name", "INTCONSTANT": "a number", "FLOATCONSTANT": "a number",
}  # fmt: skip
"""Words of a syntax error for marks of the text."""
_MOST_WORDS = 2000
_KINDS = {"ERROR": ("G001", Severity.ERROR), "WARNING": ("G002", Severity.WARNING)}

_HINTS: Mapping[str, str] = {
    "GL_GOOGLE_include_directive": "write `#extension GL_GOOGLE_include_directive : require` in the included file",
    "undeclared identifier": "",
    "Missing entry point": "a shader has a `void main()`; the name of another entry point is `entry=`, for HLSL",
    "compatibility profile": "write `#version 330 core`",
    _VERSION: "versions are 110 to 150, 330 and 400 to 460, and 100 and 300 es to 320 es",
}


@record
class Message:
    """A message of the compiler: its kind, the file and the line that it is about, the word that it names, and its text."""

    kind: str
    file: str
    line: int
    token: str
    text: str


def read_log(text: str) -> list[Message]:
    """The messages of a log, in order and each once."""
    made: dict[Message, None] = {}
    for line in text.split("\n"):
        if (calls := _CALLS.fullmatch(line.rstrip())) is not None:
            made[Message("ERROR", "", 0, calls[1], f"GLSL has no recursion, and this function calls `{calls[2]}`")] = None
        found = _LINE.fullmatch(line.rstrip())
        if found is None or _DROPPED.match(found[4]):
            continue
        kind, file, number, rest = found.groups()
        named = _TOKEN.fullmatch(rest)
        token, message = (named[1], named[2]) if named is not None else ("", rest)
        if message == _VERSION:
            token = "#version"
        made[Message(kind, file or "", int(number or 0), token.strip(), _tidy(message))] = None
    return list(made)


def _tidy(message: str) -> str:
    """A message with single spaces, types without the compiler's word for values of an expression, and marks as the text has them."""
    if message.startswith("syntax error"):
        return _MARKS.sub(lambda word: _SIGNS.get(word[0], word[0]), message)
    return " ".join(re.sub(r"'\s*(?:temp )?([^']*?)\s*'", r"'\1'", message).split())


def findings(log: str, source: Source, prepared: Prepared, included: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """The findings of a log. `included`: path -> text of the files that the text includes."""
    made: list[Diagnostic] = []
    texts = {path: Source(text, path) for path, text in included.items()}
    seen: set[tuple[str, int]] = set()
    for message in read_log(log):
        if message.kind == "ERROR":
            if message.token in _FOLLOWS and (message.file, message.line) in seen:
                continue
            seen.add((message.file, message.line))
        made.append(_finding(message, source, prepared, texts))
    if any(item.severity is Severity.ERROR for item in made):  # warnings of the upgrade's own words help nobody
        made = [item for item in made if item.severity is Severity.ERROR] + [item for item in made if item.severity is not Severity.ERROR]
    return tuple(made[:MAX_FINDINGS])


def _finding(message: Message, source: Source, prepared: Prepared, included: Mapping[str, Source]) -> Diagnostic:
    code, severity = _KINDS[message.kind]
    place = _file(message.file, included)
    line = message.line if place is not None else prepared.line(message.line)
    old = prepared.old.get(message.token, set()) if place is None else set()
    words = {message.token, message.token.removeprefix(PREFIX), *old} if place is None else {message.token}
    where = place or source
    if not message.line and message.token:
        word = _word(message.token)
        line = next((number for number in range(1, len(where.line_starts) + 1) if word.search(where.line_text(number))), 0)
    unexpected = re.match(r"syntax error, unexpected `(.)`", message.text)
    if unexpected is not None and where.line_text(line).count(unexpected[1]) == 1:
        words = {unexpected[1]}
    label = _label(where, line, words) if line and (place is not None or _is_main(message.file)) else None
    name = label.span.text if label is not None and label.span.text in words and not unexpected else message.token.removeprefix(PREFIX)
    text = message.text if not name else f"`{shorten(name)}`: {message.text}"
    if label is None and message.file:
        text = f"{message.file}:{message.line}: {text}"
    return Diagnostic(code, severity, text, () if label is None else (label,), _hint(message, where))


def _is_main(file: str) -> bool:
    return file in ("", "stdin", "0")


def _file(name: str, included: Mapping[str, Source]) -> Source | None:
    """The included file of a name in a message, which may be written in another way."""
    if _is_main(name):
        return None
    try:
        return included.get(str(Path(name).resolve()))
    except (OSError, ValueError):
        return None


def _word(word: str) -> re.Pattern[str]:
    """A word that is no part of a longer one, or other characters."""
    edges = (r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])") if re.fullmatch(r"\w+", word) else ("", "")
    return re.compile(edges[0] + re.escape(word) + edges[1])


def _label(source: Source, line: int, words: Iterable[str]) -> Label | None:
    """The first of some words in a line; the whole line where it has none; None for a line that the source lacks."""
    if not 1 <= line <= len(source.line_starts):
        return None
    start, text = source.line_starts[line - 1], source.line_text(line)
    for word in sorted(filter(None, words), key=len, reverse=True):
        found = _word(word).search(text)
        if found is not None:
            return Label(Span(source, start + found.start(), start + found.end()))
    indent = len(text) - len(text.lstrip())
    return Label(Span(source, start + indent, start + max(len(text.rstrip()), indent)))


def _hint(message: Message, source: Source) -> str:
    if message.text == "undeclared identifier" or message.text.startswith("no matching overloaded function"):
        words = sorted(set(re.findall(r"[A-Za-z_]\w*", source.text)) - {message.token})
        near = get_close_matches(message.token, words[:_MOST_WORDS], 1, 0.75) if len(message.token) <= 64 else []
        return f"did you mean `{near[0]}`?" if near and message.text == "undeclared identifier" else ""
    asked = re.fullmatch(r"required extension not requested: (\w+)", message.text)
    if asked is not None:
        return f"write `#extension {asked[1]} : require` after #version"
    return next((hint for words, hint in _HINTS.items() if words in message.text), "")
