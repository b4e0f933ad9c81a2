"""Messages of glslang as diagnostics, each with the place of its token."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from frontends.glsl.prepare import Prepared
from frontends.glsl.preprocess.scan import is_word
from tgsi.language.diagnostics import Diagnostic, Severity
from tgsi.language.messages import shorten
from tgsi.language.record import record

MAX_FINDINGS = 50
"""Maximum number of findings of one compilation."""

_LINE = re.compile(r"(ERROR|WARNING): (?:(.*?):([0-9]{1,9}): )?(.*)")
_TOKEN = re.compile(r"'(.*?)' : +(.*)")
_DROPPED = re.compile(
    r"[0-9]+ compilation (?:errors|terminated)|'' : +compilation terminated|Source entry point|node is still EOpNull"
    r"|.*Recursion detected:|.*No function definition \(body\) found:"
)
_FOLLOWS = frozenset({"assign", "return", "constructor"})
"""Wording of glslang's token names in messages: an operator, or another kind of token."""
_CALLS = re.compile(r"    (\w+)\(.*? calling (\w+)\(.*")
"""A line after the message that functions call themselves."""
_ENTRY = "Missing entry point"
_BODILESS = re.compile(r"    (\w+)\([^ ]*")
"""A line after the message that functions have no body."""
_UNEXPECTED = re.compile(r"unexpected (?:`.`|\w+)")
_UNDECLARED = "undeclared identifier"
_MARKS = re.compile(r"\b[A-Z]+(?:_[A-Z]+)*\b")
_SIGNS: Mapping[str, str] = {
    "LEFT_PAREN": "`(`", "RIGHT_PAREN": "`)`", "LEFT_BRACE": "`{`", "RIGHT_BRACE": "`}`", "LEFT_BRACKET": "`[`", "RIGHT_BRACKET": "`]`",
    "SEMICOLON": "`;`", "COMMA": "`,`", "COLON": "`:`", "EQUAL": "`=`", "DOT": "`.`", "DASH": "`-`", "PLUS": "`+`", "STAR": "`*`",
    "SLASH": "`/`", "QUESTION": "`?`", "BANG": "`!`", "IDENTIFIER": "a name", "INTCONSTANT": "a number", "FLOATCONSTANT": "a number",
}  # fmt: skip
"""Words of a syntax error for marks of the text."""
_MOST_WORDS = 2000
_NEAR = 200
"""Number of tokens before and after a message's place that are searched for its word."""
_KINDS = {"ERROR": ("G001", Severity.ERROR), "WARNING": ("G002", Severity.WARNING)}

_HINTS: Mapping[str, str] = {
    _ENTRY: "a shader has a `void main()`; the name of another entry point is `entry=`, for HLSL",
    "compatibility profile": "write `#version 330 core`",
    "memory exhausted": "glslang nests about 1,200 blocks: write a switch instead of a longer chain of `else if`, or divide it",
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
        elif (bodiless := _BODILESS.fullmatch(line.rstrip())) is not None:
            made[Message("ERROR", "", 0, bodiless[1], "this function is called and has no body")] = None
        match = _LINE.fullmatch(line.rstrip())
        if match is None or _DROPPED.match(match[4]):
            continue
        kind, file, number, rest = match.groups()
        named = _TOKEN.fullmatch(rest)
        token, message = (named[1], named[2]) if named is not None else ("", rest)
        made[Message(kind, file or "", int(number or 0), token.strip(), _tidy(message))] = None
    return list(made)


def _tidy(message: str) -> str:
    """A message with single spaces, without the compiler's "temp" in types, and with the punctuation of the text."""
    if message.startswith("syntax error"):
        return _MARKS.sub(lambda word: _SIGNS.get(word[0], word[0]), message)
    return " ".join(re.sub(r"'\s*(?:temp )?([^']*?)\s*'", r"'\1'", message).split())


def findings(log: str, prepared: Prepared) -> tuple[Diagnostic, ...]:
    """The findings of a log, those of the preprocessor first; if there are errors, only the errors.

    Follow-up errors in the same statement, or of the same undeclared name, are dropped.
    """
    texts = [token[0] for token in prepared.tokens]
    placed = [(message, _index(message, prepared, texts)) for message in read_log(log)]
    if any(message.kind == "ERROR" for message, _ in placed):
        errors = [item for item in placed if item[0].kind == "ERROR"]
        errors = [item for item in errors if _ENTRY not in item[0].text] or errors[:1]
        return tuple(_finding(*item, prepared, texts) for item in _causes(errors, texts)[:MAX_FINDINGS])
    return (*prepared.notes, *(_finding(*item, prepared, texts) for item in placed))[:MAX_FINDINGS]


def _causes(errors: list[tuple[Message, int | None]], texts: Sequence[str]) -> list[tuple[Message, int | None]]:
    """The errors without follow-up errors."""
    statements: list[int] = []
    number = 0
    for text in texts:
        statements.append(number)
        number += text in (";", "{", "}")
    unknown = {message.token for message, _ in errors if message.text == _UNDECLARED}
    tainted = {statements[index] for index, text in enumerate(texts) if text in unknown} if unknown else set()
    made: list[tuple[Message, int | None]] = []
    for message, index in errors:
        if index is not None and message.text != _UNDECLARED:
            if statements[index] in tainted:
                continue
            tainted.add(statements[index])
        made.append((message, index))
    return made


def _index(message: Message, prepared: Prepared, texts: Sequence[str]) -> int | None:
    """The token that a message is about: the token of its line, or a nearby token that the message names."""
    if not message.line:
        return texts.index(message.token) if message.token in texts else None
    index = prepared.index(message.line)
    if index is None or texts[index] == message.token or message.text.startswith("syntax error"):
        return index
    if texts[index] == ")":  # the end of a call
        name = _call(texts, index)
        if (name is not None and texts[name] == message.token) or message.token == "constructor":
            return index if name is None else name
    if message.token in _FOLLOWS:
        return index
    near = (*range(index, max(index - _NEAR, -1), -1), *range(index, min(index + _NEAR, len(texts))))
    return next((place for place in near if texts[place] == message.token), index)


def _call(texts: Sequence[str], end: int) -> int | None:
    """The name before the parenthesis that a closing one ends."""
    depth = 0
    for index in range(end, max(end - _MOST_WORDS, 0), -1):
        depth += (texts[index] == ")") - (texts[index] == "(")
        if depth == 0:
            return index - 1
    return None


def _finding(message: Message, index: int | None, prepared: Prepared, texts: Sequence[str]) -> Diagnostic:
    code, severity = _KINDS[message.kind]
    if index is not None:
        labels = prepared.reports.labels(prepared.tokens[index])
    else:
        labels = prepared.labels(message.line)
    name = prepared.words(message.token)
    if labels and index is not None and (texts[index] == message.token or message.token in _FOLLOWS):
        name = labels[-1].span.text
    words = message.text
    if words.startswith("syntax error"):
        name = ""
        if message.line > len(prepared.head) + len(texts):
            words = _UNEXPECTED.sub("unexpected end of the text", words, count=1)
    text = prepared.words(words) if not name else f"`{shorten(name)}`: {prepared.words(words)}"
    return Diagnostic(code, severity, text, labels, _hint(message, prepared, texts))


def _hint(message: Message, prepared: Prepared, texts: Sequence[str]) -> str:
    if message.text == _UNDECLARED:
        words = sorted({prepared.words(text) for text in texts if is_word(text)} - {message.token})
        near = get_close_matches(message.token, words[:_MOST_WORDS], 1, 0.75) if len(message.token) <= 64 else []
        return f"did you mean `{near[0]}`?" if near else ""
    asked = re.fullmatch(r"required extension not requested: (\w+)", message.text)
    if asked is not None:
        return f"write `#extension {asked[1]} : require` after #version"
    return next((hint for words, hint in _HINTS.items() if words in message.text), "")
