"""Regular expressions from a Lark grammar whose rules are not recursive.

Every token becomes an atomic group and every option and repetition is possessive: LALR(1) commits to a token as soon
as it has seen it, so an expression that cannot take a token back accepts the same texts, and cannot backtrack.
A child that Lark would keep is a capturing group, so `match.groups()` is the list of children, None for an absent option.

This module reads the grammar itself, since Lark's import and tables cost a hundred times as much as the expressions, and a text without a
mistake needs neither. It supports only the part of Lark's notation that the grammar of TGSI uses: rules of alternatives with an alias,
symbols, literals, `[..]`, `(..)*`; tokens of one regular expression or literal, with a priority; one `%ignore`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

Matcher = Callable[[str], "re.Match[str] | None"]

_DEFINITION = re.compile(r"\??(?:(?P<rule>_?[a-z]\w*)|(?P<token>_?[A-Z]\w*)(?:\.\d+)?|(?P<ignore>%ignore))\s*:?\s*(?P<body>.*)")
_TOKEN = re.compile(r'(?:/(?P<pattern>.*)/(?P<flags>i?)|"(?P<literal>.*)")\Z')
_REPEATED = re.compile(r"(?:\[(?:[^\]\\]|\\.)+\]|\\w)\+")  # characters of one set, once or more
_FIXED = re.compile(r"\\?\W")  # one character
_WORD = re.compile(r'\s*(->|"[^"]*"|\w+|[\[\]()|*+])')


class _Item(NamedTuple):
    """One item of an alternative. `kind`: the word that it begins with, `"`, `[` or `(`, or "" for a symbol."""

    kind: str
    text: str
    branches: list[list[_Item]]
    repeat: str


class Regular:
    """The expressions of one grammar, by the names of its rules."""

    def __init__(self, grammar: str) -> None:
        self._rules: dict[str, dict[str, list[_Item]]] = {}
        self._tokens: dict[str, str] = {}
        for line in re.sub(r"\n\s+(?=\|)", " ", grammar).splitlines():
            match = _DEFINITION.match(line)
            if match is None:
                continue
            if name := match["rule"]:
                self._rules[name] = _rule(name, match["body"])
            else:
                self._tokens[match["token"] or match["ignore"]] = _expression(match["body"])
        self.skip = _optional(self._tokens["%ignore"])

    def pattern(self, rule: str, *, capture: bool = False) -> str:
        """The expression of a rule, white space in front included."""
        return self._any(list(self._rules[rule].values()), capture)

    def token(self, name: str) -> str:
        """The expression of a token, as the grammar writes it."""
        return self._tokens[name]

    def alternatives(self, rule: str) -> dict[str, Matcher]:
        """Matcher of the whole text of each alternative of a rule, by its alias; the groups are the children.

        An expression is compiled when it is first used: that takes about a millisecond, and many programs use a third of them.
        """
        rules = self._rules[rule].items()
        return {alias: _matcher(self._all(branch, True) + self.skip) for alias, branch in rules}

    def _any(self, branches: list[list[_Item]], capture: bool) -> str:
        if len(branches) == 1:
            return self._all(branches[0], capture)
        joined = "|".join(self._all(branch, False) for branch in branches)  # one child, whichever branch is there
        return f"{self.skip}({joined})" if capture else f"(?:{joined})"

    def _all(self, branch: list[_Item], capture: bool) -> str:
        return "".join(self._item(item, capture) for item in branch)

    def _item(self, item: _Item, capture: bool) -> str:
        if item.kind == "[":
            return f"(?:{self._any(item.branches, capture)})?+"
        if item.repeat:
            return f"(?:{self._item(item._replace(repeat=''), False)}){item.repeat}+"
        if item.kind == "(":
            return self._any(item.branches, capture)
        if item.kind == '"':
            return self.skip + re.escape(item.text)
        return self._symbol(item.text, capture)

    def _symbol(self, name: str, capture: bool) -> str:
        inline = name.startswith("_")
        if name in self._rules:
            pattern = self.pattern(name, capture=capture and inline)
        else:
            pattern = self.skip + _atomic(self._tokens[name])
        return f"{self.skip}({pattern.removeprefix(self.skip)})" if capture and not inline else pattern


def _optional(token: str) -> str:
    """A token that may be absent, possessive."""
    return f"{token[:-1]}*+" if _REPEATED.fullmatch(token) else f"(?:{token})?+"


def _atomic(token: str) -> str:
    """A token that is not taken back. A token without a choice needs no group, and Python compiles an expression of fewer groups faster."""
    if _REPEATED.fullmatch(token):
        return f"{token}+"
    return token if _FIXED.fullmatch(token) else f"(?>{token})"


def _matcher(pattern: str) -> Matcher:
    @cache
    def compiled() -> Matcher:
        return re.compile(pattern, re.ASCII).fullmatch

    def match(text: str) -> re.Match[str] | None:
        return compiled()(text)

    return match


def _expression(body: str) -> str:
    """The regular expression of a token's definition."""
    match = _TOKEN.match(body.strip())
    if match is None:
        raise ValueError(f"a token of a regular grammar is one expression or literal, not {body}")
    if match["literal"]:
        return re.escape(match["literal"])
    pattern = match["pattern"].replace("[0-9A-Za-z_]", r"\w")  # the same in expressions of ASCII, and Python compiles it faster
    return f"(?i:{pattern})" if match["flags"] else pattern


def _rule(name: str, body: str) -> dict[str, list[_Item]]:
    """The alternatives of a rule, by alias; one without an alias is named by the rule and a number."""
    words = iter(_WORD.findall(body))
    rules: dict[str, list[_Item]] = {}
    for branch, alias in _branches(words):
        rules[alias or (f"{name} {len(rules)}" if rules else name)] = branch
    return rules


def _branches(words: Iterator[str], end: str = "") -> list[tuple[list[_Item], str]]:
    """Alternatives up to the word `end`, which is taken, each with its alias."""
    branches: list[tuple[list[_Item], str]] = [([], "")]
    for word in words:
        branch = branches[-1][0]
        if word == end:
            return branches
        if word == "|":
            branches.append(([], ""))
        elif word == "->":
            branches[-1] = branch, next(words)
        elif word in "*+":
            branch[-1] = branch[-1]._replace(repeat=word)
        elif word in "[(":
            inner = [items for items, _ in _branches(words, "]" if word == "[" else ")")]
            branch.append(_Item(word, "", inner, ""))
        elif word[0] == '"':
            branch.append(_Item('"', word[1:-1], [], ""))
        else:
            branch.append(_Item("", word, [], ""))
    if end:
        raise ValueError(f"a rule of the grammar lacks {end}")
    return branches
