"""The explaining reader: Lark reads one wrong statement, describes the mistake, and finds the place where reading can continue."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from lark import Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.utils import TextSlice

from tgsi.language.diagnostics import Diagnostic, Label, Severity
from tgsi.language.facts.enums import File, ImmediateType
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.messages import Mistake, shorten
from tgsi.language.source import Source, Span
from tgsi.language.text.operands import NUMBER_HINT
from tgsi.language.text.reader import Reader
from tgsi.language.text.syntax import syntax

BLANKS = " \t\n"

_SAY = {
    "COMMA": "`,`",
    "RSQB": "`]`",
    "LSQB": "`[`",
    "_GLUED_LSQB": "`[`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "VBAR": "`|`",
    "RPAR": "`)`",
    "DOT": "`.`",
    "COLON": "`:`",
    "__ANON_0": "`..`",
    "MINUS": "`-`",
    "INT": "a number",
    "NAME": "a word",
    "FILE": "a register",
    "COMPONENTS": "channels",
    "OFFSET": "an offset",
    "ARRAY_ID": "`(array)`",
    "OPCODE": "an opcode",
    "_LABEL": "a label",
    "TYPE": "a type",
    "VALUE": "a value",
    "_DCL": "DCL",
    "_IMM": "IMM",
    "_PROPERTY": "PROPERTY",
    "_ARRAY": "`ARRAY(`",
    "_STREAM": "STREAM",
    "$END": "the end of the statement",
}


class Found:
    """A rule that Lark has read: like a regular expression's match, but its groups are tokens that carry their place."""

    def __init__(self, tree: Tree[Any], text: str, seen: dict[str, dict[str, Found]]) -> None:
        self._children = [self._token(child, text, seen) if isinstance(child, Tree) else child for child in tree.children]

    @staticmethod
    def _token(tree: Tree[Any], text: str, seen: dict[str, dict[str, Found]]) -> Token:
        start, end = tree.meta.start_pos, tree.meta.end_pos
        token = Token(str(tree.data), text[start:end], start_pos=start, end_pos=end)
        seen.setdefault(str(tree.data), {}).setdefault(str(token), Found(tree, text, seen))
        return token

    def groups(self) -> list[Token | None]:
        """The children, None for an absent option."""
        return self._children


def _look_up(table: dict[str, Found]) -> Callable[[str], Found | None]:
    return lambda word: table.get(word.strip())


def build(reader: Reader, tree: Tree[Any], span: Span, text: str) -> object:
    """Build the statement of a tree with the same builders that the fast reader uses."""
    seen: dict[str, dict[str, Found]] = {alias: {} for alias in syntax().match}
    found = Found(tree, text, seen)
    before = reader.operands
    reader.use(before.again({alias: _look_up(table) for alias, table in seen.items()}))
    try:
        return getattr(reader, str(tree.data))(span, *found.groups())
    finally:
        reader.use(before)


def explain(reader: Reader, text: str, start: int, end: int) -> tuple[Diagnostic, int]:
    """Read one statement again. Returns its mistake, with advice, and the offset at which reading continues (-1 if unknown)."""
    from tgsi.language.text.advice.advise import advise

    found, expects, resume = _explain(reader, text, start, end)
    return advise(reader, text, found, start, end, expects, resume)


def _explain(reader: Reader, text: str, start: int, end: int) -> tuple[Diagnostic, Collection[str], int]:
    """The mistake, the tokens that the grammar accepts at its place, and the offset at which reading continues."""
    lark = syntax().lark.parse_interactive(TextSlice(text, start, end), start="statement")
    span = Span(reader.source_text, start, end)
    try:
        lark.exhaust_lexer()
        build(reader, lark.feed_eof(), span, text)  # type: ignore[no-untyped-call]
    except UnexpectedInput as error:
        accepts: set[str] = lark.accepts()  # type: ignore[no-untyped-call]
        found, resume = _syntax_error(reader, text, error, accepts or {"$END"}, start, end)
        return found, accepts, resume
    except Mistake as mistake:
        return diagnose(mistake, span), (), -1
    except ValueError:
        return too_long(span), (), -1
    raise AssertionError(f"the two engines disagree about {text[start:end]!r}")


def diagnose(mistake: Mistake, span: Span) -> Diagnostic:
    """A mistake as a diagnostic at its token's place, or at the first occurrence of the token's text in the statement."""
    token, source = mistake.token, span.source
    if isinstance(token, Token) and token.start_pos is not None and token.end_pos is not None:
        span = Span(source, token.start_pos, token.end_pos)
    else:
        word = token.strip()
        whole = re.compile(rf"(?<![^\s,]){re.escape(word)}(?![^\s,])").search(source.text, span.start, span.end) if word else None
        at = whole.start() if whole is not None else source.text.find(word, span.start, span.end) if word else -1
        if at >= 0:
            span = Span(source, at, at + len(word))
    return Diagnostic(mistake.code, Severity.ERROR, mistake.message, (Label(span),), mistake.hint)


def too_long(span: Span) -> Diagnostic:
    """The diagnostic for a number of thousands of digits, which int() refuses."""
    return Diagnostic("P026", Severity.ERROR, "a number is too long", (Label(span),))


def _syntax_error(
    reader: Reader, text: str, error: UnexpectedInput, accepts: Collection[str], start: int, end: int
) -> tuple[Diagnostic, int]:
    source = reader.source_text
    at, width = error.pos_in_stream or 0, 1
    if isinstance(error, UnexpectedToken):
        at, width = (end, 1) if error.token.type == "$END" else (at, len(error.token))
    if match := _DANGLING.search(text, start, at):
        # the label of the next statement has been read as an operand
        span = Span(source, match.start(), match.start() + 1)
        return Diagnostic(
            "P004", Severity.ERROR, "the statement is not complete, an operand must follow the comma", (Label(span),)
        ), match.end()
    number = _word_start(text, at)
    if (match := _NUMBER.match(text, number)) and text[start:number].rstrip(BLANKS).endswith(",") and "{" not in text[start:number]:
        return _bare_number(Span(source, number, match.end())), -1
    wanted = _wanted(accepts)
    before = start + len(text[start:at].rstrip(BLANKS))
    if "$END" not in accepts and start < before and (at == end or "\n" in text[before:at]):
        # to the grammar a newline is white space; to the eye the statement ends here
        message = f"the statement is not complete, expected {wanted}"
        return Diagnostic("P004", Severity.ERROR, message, (Label(Span(source, before, before + 1)),)), at if at < end else -1
    shown = _shown(source.text[at : at + width])
    if "COMMA" in accepts and not text[start:at].rstrip(BLANKS).endswith(",") and _register_at(text, at):
        wanted, hint = "`,`", "operands are separated by commas"
    else:
        hint = _hint(reader, source, start, at, accepts)
    message = f"unexpected {shown}, expected {wanted}"
    return Diagnostic("P003", Severity.ERROR, message, (Label(Span(source, at, at + width)),), hint), -1


def _wanted(accepts: Collection[str]) -> str:
    names = sorted({_SAY.get(name, name) for name in set(accepts) - _RARE or accepts})
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


_RARE = frozenset({"ARRAY_ID", "COLON"})
"""Tokens that are allowed almost everywhere and seldom intended: messages omit them."""

_DANGLING = re.compile(r",[ \t]*\n[ \t\n]*(?=[0-9]+[ \t]*:)", re.ASCII)
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.?[0-9]+)(?:e[-+]?[0-9]+)?(?![0-9A-Za-z_.\[])", re.IGNORECASE | re.ASCII)
_OTHER_LETTERS = str.maketrans("rgbastpq", "xyzwxyzw")


def _word_start(text: str, at: int) -> int:
    """Offset at which the operand around the character at `at` begins."""
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] in "+-.|"):
        at -= 1
    return at


def _bare_number(span: Span) -> Diagnostic:
    message = f"`{shorten(span.text)}` is not an operand"
    return Diagnostic("P015", Severity.ERROR, message, (Label(span),), NUMBER_HINT)


def _register_at(text: str, at: int) -> bool:
    word = re.compile(r"-?\|?([A-Za-z]+)[ \t]*\[").match(text, at)
    return word is not None and word[1].upper() in File.__members__


def _shown(word: str) -> str:
    if word.strip():
        return f"`{shorten(word)}`" if word.isprintable() else "character " + " ".join(f"U+{ord(c):04X}" for c in word)
    return "carriage return" if word == "\r" else f"character U+{ord(word):04X}" if len(word) == 1 else "end of the text"


def _hint(reader: Reader, source: Source, start: int, at: int, accepts: Collection[str]) -> str:
    """Guess of the intended text for the mistake at `at`, or an empty string."""
    text = source.text
    here = text[at : at + 2]
    if here.startswith("\r"):
        return "the strict dialect takes plain newlines only"
    if here.startswith("#"):
        return "the strict dialect has no comments"
    if here in ("//", "/*") or here.startswith(";"):
        return "TGSI has no such comments or separators" + ("" if reader.strict else "; a comment begins with `#`")
    if here.startswith("-") and "MINUS" not in accepts and text[start:at].rstrip(BLANKS).endswith("["):
        return "a direct index is not negative; an offset follows its register, as `ADDR[0].x-1`"
    if here.startswith("+") and "MINUS" in accepts:
        return "a source has no plus sign"
    before = text[start:at].rstrip(BLANKS)
    if here.startswith("-") and before.endswith("|"):
        return "the sign stands before the bars: `-|IN[0]|`"
    if before.upper() == "IMM":
        return f"a type is one of {', '.join(ImmediateType.__members__)}"
    if here.startswith("(") and before[:3].upper() == "IMM":
        return "values stand in braces: `{1.0, 0.0, 0.0, 0.0}`"
    if here[:1] in ("*", "/") and "[" in before:
        return "an index is a register plus or minus a number: `ADDR[0].x+2`"
    if before[:3].upper() == "DCL" and (here.startswith(".") or before.endswith("..")):
        return "a range is written `[0..3]`"
    word = re.compile(r"[0-9A-Za-z_]*").match(text, at)
    letters = word[0] if word else ""
    if "COMPONENTS" in accepts:
        translated = letters.lower().translate(_OTHER_LETTERS)
        return (
            f"write `.{translated}`" if letters and set(translated) <= set("xyzw") and len(letters) <= 4 else "channels are x, y, z and w"
        )
    if letters.upper() in File.__members__ and "FILE" in accepts:
        return f"a register has an index, as `{letters}[0]`"
    return ""


_START = re.compile(r"(?<=[ \t\n])(?:[0-9]+[ \t\n]*:|(?P<word>[A-Za-z][0-9A-Za-z_]*)(?=[ \t\n\[]|\Z))", re.ASCII)
_IMMEDIATE = re.compile(r"IMM(?:\[[ \t\n]*[0-9]+[ \t\n]*\])?[ \t\n]+[A-Z]+[0-9]", re.IGNORECASE | re.ASCII)


def begins(text: str, position: int) -> bool:
    """True if a statement surely begins at this position."""
    return next_statement(text, position) == position


def next_statement(text: str, position: int) -> int:
    """Offset at which reading continues after a mistake: the next label, or the next word that can only begin a statement; -1 at the
    end."""
    for match in _START.finditer(text, position):
        word = (match["word"] or "").upper()
        opcode = word.removesuffix("_PRECISE").removesuffix("_SAT")
        if not word or word in ("DCL", "PROPERTY") or (opcode in OPCODES and text[match.end() : match.end() + 1] != "["):
            return match.start()
        if word == "IMM" and _IMMEDIATE.match(text, match.start()):
            return match.start()
    return -1


def unknown_stage(source: Source, text: str, start: int, end: int, stages: Collection[str]) -> Diagnostic:
    """The diagnostic for a first word that is not a shader stage."""
    word = source.text[start:end]
    span = Span(source, start, max(end, start + 1))
    if word.rstrip("\r").upper() in stages:
        span = Span(source, end - 1, end)
        message = "a carriage return is not white space in the strict dialect"
        return Diagnostic("P029", Severity.ERROR, message, (Label(span),), "use plain newlines")
    if word.startswith("#"):
        return Diagnostic("P029", Severity.ERROR, "the strict dialect has no comments", (Label(span),), "leave it out")
    from tgsi.language.text.advice.foreign import advise_start

    return advise_start(source, text, start, end, stages)
