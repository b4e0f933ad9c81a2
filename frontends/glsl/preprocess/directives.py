"""Directives of a text, and the tokens of its live code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from frontends.glsl.preprocess.conditions import Fault, evaluate
from frontends.glsl.preprocess.dialect import Dialect
from frontends.glsl.preprocess.files import Files
from frontends.glsl.preprocess.macros import PASTE, Macro, Macros
from frontends.glsl.preprocess.reports import Reports, quoted
from frontends.glsl.preprocess.scan import MAX_NAME, NOWHERE, Places, Token, Unit, is_token, is_word
from tgsi.language.record import record
from tgsi.language.source import Source

MAX_TOKENS = 1 << 20
"""Tokens of live code."""
_FIXED = ("defined", "__LINE__", "__FILE__", "__VERSION__")
_PACKING = re.compile(r"pack_matrix\((row_major|column_major)\)")
_HEADER = re.compile(r'[ \t\f\v]*(?:"([^"\n]*)"|<([^>\n]*)>)')

_STRING = re.compile(r'"[ !#-\[\]-~]*"')


@record(frozen=False)
class _Branch:
    """An open condition: whether its lines are live, whether an earlier branch was live, and whether ``#else`` came already."""

    token: Token
    is_live: bool
    was_live: bool
    has_else: bool = False


class Preprocessor:
    """Preprocess a text and the files that it includes, once.

    `tokens` is its live code, `extensions` its requests: name -> behavior and place.
    """

    def __init__(self, places: Places, reports: Reports, folders: tuple[str, ...], here: Path | None) -> None:
        self.places, self.reports = places, reports
        self.tokens: list[Token] = []
        self.extensions: dict[str, tuple[str, Token]] = {}
        self.has_odd = False
        self._files = Files(folders, reports)
        self._here = here
        self._macros = Macros(reports)
        self._pending: list[Token] = []
        self._once: set[Path] = set()
        self._chain: tuple[Path, ...] = ()
        self._shift = 0
        self._number = "0"  # of the source string
        self._dialect = Dialect()
        self._run: Mapping[str, Callable[[list[Token]], None]] = {
            "define": self._define, "undef": self._undef, "include": self._include, "error": self._error, "pragma": self._pragma,
            "line": self._line, "extension": self._extension, "version": self._version,
        }  # fmt: skip

    def read(self, unit: Unit, dialect: Dialect, defines: Iterable[tuple[str, str]]) -> None:
        """Read a text, whose ``#version`` is read already, with macros of the caller.

        Raises:
            ParseError: the text has errors.
        """
        self._dialect = dialect
        for name, text in dialect.macros.items():
            self._macros[name] = Macro(name, None, ((text, NOWHERE, NOWHERE),))
        self._macros["__LINE__"] = Macro("__LINE__", None, (), changing=lambda place: str(self.places.line(place) + self._shift))
        self._macros["__FILE__"] = Macro("__FILE__", None, (), changing=lambda place: self._number)
        for name, text in defines:
            line = self.places.scan(Source(f"{name} {text}", "defines"))
            self.has_odd |= line.has_odd
            if line.lines:
                self._define([line.lines[0][0], *line.lines[0]])
        self._lines(unit)
        self._flush()
        if self.has_odd or max([len(token[0]) for token in self.tokens], default=0) > MAX_NAME:
            self._check_odd()
        self.reports.raise_errors()

    def _check_odd(self) -> None:
        """Report tokens that cannot occur in code, such as characters that glslang reads as a directive or a line continuation."""
        for token in self.tokens:
            text = token[0]
            if (is_token(text) and len(text) <= MAX_NAME) or text.startswith("#pragma"):
                continue
            if len(text) > MAX_NAME:
                self.reports.error(f"{quoted(text)} is longer than {MAX_NAME} characters", token)
            elif not self._dialect.is_hlsl or _STRING.fullmatch(text) is None:
                self.reports.error(f"{quoted(text)} is not a part of code", token)

    def _lines(self, unit: Unit) -> None:
        """The lines of a text."""
        self.has_odd |= unit.has_odd
        if unit.unclosed != NOWHERE:
            self.reports.refuse("this comment has no end", ("/*", unit.unclosed, NOWHERE))
        branches: list[_Branch] = []
        dead = 0  # conditions inside of a branch that is not live
        is_live = True
        for line in unit.lines:
            if line[0][0] != "#":
                if is_live:
                    self._pending += line
                continue
            name = line[1][0] if len(line) > 1 else ""
            if name in ("if", "ifdef", "ifndef"):
                if not is_live:
                    dead += 1
                    continue
                is_live = self._condition(name, line)
                branches.append(_Branch(line[1], is_live, is_live))
            elif name in ("elif", "else", "endif"):
                if dead:
                    dead -= name == "endif"
                elif not branches:
                    self.reports.refuse(f"#{name} without #if", line[1])
                else:
                    is_live = self._turn(branches, name, line)
            elif is_live and name:
                handler = self._run.get(name)
                if handler is None:
                    self.reports.error(f"#{name} is not a directive", line[1])
                else:
                    handler(line[1:])
        if branches:
            self.reports.refuse(f"this #{branches[-1].token[0]} has no #endif", branches[-1].token)

    def _turn(self, branches: list[_Branch], name: str, line: list[Token]) -> bool:
        """Begin another branch of a condition, or end it. True if the following text is live."""
        if name == "endif":
            branches.pop()
            return True
        branch = branches[-1]
        if branch.has_else:
            self.reports.refuse(f"#{name} after #else", line[1])
        branch.has_else = name == "else"
        branch.is_live = not branch.was_live and (name == "else" or self._condition("if", line))
        branch.was_live |= branch.is_live
        return branch.is_live

    def _condition(self, name: str, line: list[Token]) -> bool:
        """True if a condition holds."""
        directive, rest = line[1], line[2:]
        if name != "if":
            if not rest or not is_word(rest[0][0]):
                self.reports.refuse(f"#{name} needs the name of a macro", rest[0] if rest else directive)
            return (rest[0][0] in self._macros) == (name == "ifdef")
        value = evaluate(self._macros.expand(self._answered(rest)), directive, unknown_is_zero=not self._dialect.is_es)
        if isinstance(value, Fault):
            self.reports.refuse(value.message, value.token)
        return value != 0

    def _answered(self, tokens: Sequence[Token]) -> list[Token]:
        """The tokens of a condition with 1 or 0 in the place of ``defined NAME``."""
        made: list[Token] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            index += 1
            if token[0] != "defined":
                made.append(token)
                continue
            is_closed = tokens[index : index + 1] != [] and tokens[index][0] == "("
            index += is_closed
            if index >= len(tokens) or not is_word(tokens[index][0]):
                self.reports.refuse("`defined` needs the name of a macro", token)
            made.append((str(int(tokens[index][0] in self._macros)), *token[1:]))
            index += 1
            if is_closed:
                if index >= len(tokens) or tokens[index][0] != ")":
                    self.reports.refuse("the parenthesis of `defined` is not closed", token)
                index += 1
        return made

    def _flush(self) -> None:
        """Expand the code that was read since macros changed."""
        if self._pending:
            self.tokens += self._macros.expand(self._pending)
            self._pending = []
            if len(self.tokens) > MAX_TOKENS:
                self.reports.refuse(f"the text has more than {MAX_TOKENS} tokens", self.tokens[MAX_TOKENS])

    def _define(self, line: list[Token]) -> None:
        self._flush()
        if len(line) < 2 or not is_word(line[1][0]):
            self.reports.refuse("#define needs the name of a macro", line[-1])
        name = line[1]
        self._check_name(name)
        params: tuple[str, ...] | None = None
        start = 2
        if len(line) > 2 and line[2][0] == "(" and line[2][1] == name[1] + len(name[0]):
            params, start = self._params(line)
        body = [(PASTE, *item[1:]) if item[0] == "##" else item for item in line[start:]]
        if body and PASTE in (body[0][0], body[-1][0]):
            self.reports.refuse("`##` joins two tokens, and here is one", line[start])
        macro = Macro(name[0], params, tuple(body), name[1])
        old = self._macros.get(name[0])
        if old is not None and not old.has_text_of(macro):
            self.reports.error(f"the macro {quoted(name[0])} has another text already", name, f"write #undef {name[0]} before")
        self._macros[name[0]] = macro

    def _params(self, line: list[Token]) -> tuple[tuple[str, ...], int]:
        """The parameters of a macro, and where its text begins."""
        words: list[str] = []
        index = 3
        while index < len(line):
            text = line[index][0]
            if text == ")" and (not words or line[index - 1][0] != ","):
                return tuple(words), index + 1
            if (text == ",") != (line[index - 1][0] not in ("(", ",")) or (text != "," and not is_word(text)):
                self.reports.refuse(f"{quoted(text)} is not a parameter of a macro", line[index])
            if text != ",":
                words.append(text)
            index += 1
        self.reports.refuse("the parameters of this macro do not end", line[1])

    def _check_name(self, name: Token) -> None:
        text = name[0]
        if text in _FIXED or (text.startswith("GL_") and not self._dialect.is_hlsl):
            self.reports.error(f"{quoted(text)} belongs to the language, and cannot be defined or undefined", name)

    def _undef(self, line: list[Token]) -> None:
        self._flush()
        if len(line) < 2 or not is_word(line[1][0]):
            self.reports.refuse("#undef needs the name of a macro", line[-1])
        self._check_name(line[1])
        self._macros.pop(line[1][0], None)

    def _error(self, line: list[Token]) -> None:
        text = self.places.between(line[1], line[-1]) if len(line) > 1 else ""
        self.reports.error(f"#error {' '.join(text.split())[:500]}".rstrip(), line[0])

    def _line(self, line: list[Token]) -> None:
        """Set the number of lines for ``__LINE__``, and of the text for ``__FILE__``; messages still use the text's real lines.

        The directive's number is that of the next line. Specifications before 3.30 add one; Mesa never does.
        """
        self._flush()
        tokens = self._macros.expand(line[1:])
        if not tokens or not tokens[0][0].isdigit() or len(tokens[0][0]) > 9:
            self.reports.refuse("#line needs a number", tokens[0] if tokens else line[0])
        self._shift = int(tokens[0][0]) - self.places.line(line[0][1]) - 1
        if len(tokens) > 1 and tokens[1][0].isdigit() and len(tokens[1][0]) < 10:
            self._number = tokens[1][0]

    def _version(self, line: list[Token]) -> None:
        self.reports.refuse("#version stands before everything else", line[0])

    def _extension(self, line: list[Token]) -> None:
        if len(line) < 4 or line[2][0] != ":" or not is_word(line[1][0]):
            self.reports.refuse("#extension needs a name, a colon and a behavior", line[-1])
        if line[3][0] not in ("require", "enable", "warn", "disable"):
            self.reports.refuse(f"{quoted(line[3][0])} is not one of require, enable, warn, disable", line[3])
        self.extensions[line[1][0]] = (line[3][0], line[1])

    def _pragma(self, line: list[Token]) -> None:
        """Pass on the pragmas that glslang reads; it ignores all others."""
        text = "".join(item[0] for item in line[1:])[:200]
        if text == "once" and self._chain:
            self._once.add(self._chain[-1])
        elif text == "STDGLinvariant(all)" and not self._dialect.is_hlsl:
            self._flush()
            self.tokens.append(("#pragma STDGL invariant(all)", line[0][1], NOWHERE))
        elif self._dialect.is_hlsl and (packing := _PACKING.fullmatch(text)) is not None:
            self._flush()
            self.tokens.append((f"#pragma pack_matrix({packing[1]})", line[0][1], NOWHERE))

    def _include(self, line: list[Token]) -> None:
        """Read the file that a directive names."""
        self._flush()
        name, is_quoted, token = self._header(line)
        here = self._chain[-1].parent if self._chain else self._here
        path, unit = self._files.find(name, here if is_quoted else None, token, self._chain)
        if path in self._once:
            return
        outer, self._chain = (self._chain, self._shift, self._number), (*self._chain, path)
        self._shift = 0
        self._lines(unit)
        self._flush()
        self._chain, self._shift, self._number = outer

    def _header(self, line: list[Token]) -> tuple[str, bool, Token]:
        """The file name of an #include, whether it is quoted rather than in angle brackets, and its token."""
        if len(line) > 1:
            tokens = line[1:]
            if tokens[0][0][0] not in '"<':
                tokens = self._macros.expand(tokens)
            text = tokens[0][0]
            if len(text) > 1 and text[0] == text[-1] == '"':
                return text[1:-1], True, (text[1:-1], tokens[0][1] + (tokens[0][2] == NOWHERE), tokens[0][2])
            if text == "<" and tokens[0][2] == NOWHERE:
                match = _HEADER.match(self.places.between(tokens[0], tokens[-1]))
                if match is not None and match[2]:
                    return match[2], False, (match[2], tokens[0][1] + 1, NOWHERE)
        self.reports.refuse("a file to include is named by a text in quotation marks", line[-1], code="G014")
