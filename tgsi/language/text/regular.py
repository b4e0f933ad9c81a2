"""Regular expressions from a Lark grammar whose rules are not recursive.

Every token becomes an atomic group and every option and repetition is possessive: LALR(1) commits to a token as soon
as it has seen it, so an expression that cannot take a token back accepts the same texts, and cannot backtrack.
A child that Lark would keep is a capturing group, so `match.groups()` is the list of children, None for an absent option.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable
from typing import Any

from lark import Lark, Tree
from lark.grammar import NonTerminal

Matcher = Callable[[str], "re.Match[str] | None"]


class Regular:
    """The expressions of one grammar, by the names of its rules."""

    def __init__(self, lark: Lark) -> None:
        # `rule_defs` is not documented: the version of Lark is pinned, and a test holds both engines equal.
        self._rules: dict[str, Tree[Any]] = {str(name): tree for name, _, tree, _ in lark.grammar.rule_defs}
        self._tokens: dict[str, str] = {str(token.name): str(token.pattern.to_regexp()) for token in lark.terminals}
        (ignored,) = lark.ignore_tokens
        self.skip = f"(?:{self._tokens[ignored]})?+"

    def pattern(self, rule: str, *, capture: bool = False) -> str:
        """The expression of a rule, white space in front included."""
        return self._of(self._rules[rule], capture)

    def token(self, name: str) -> str:
        """The expression of a token, as the grammar writes it."""
        return self._tokens[name]

    def alternatives(self, rule: str) -> dict[str, Matcher]:
        """For each alternative of a rule, by its alias: what matches its whole text, with the children as groups."""
        found: dict[str, Matcher] = {}
        for branch in _trees(self._rules[rule]):
            alias = _name(branch.children[1]) if branch.data == "alias" else rule
            found[alias] = re.compile(self._of(branch, True) + self.skip, re.ASCII).fullmatch
        return found

    def _of(self, tree: Tree[Any], capture: bool) -> str:
        match tree.data:
            case "alias":
                return self._of(tree.children[0], capture)
            case "expansion":
                return "".join(self._of(child, capture) for child in tree.children)
            case "expansions" if len(tree.children) == 1:
                return self._of(tree.children[0], capture)
            case "expansions":  # the branches of `(A | b)` are one child, whichever is there
                branches = "|".join(self._of(child, False) for child in tree.children)
                return f"{self.skip}({branches})" if capture else f"(?:{branches})"
            case "maybe":
                return f"(?:{self._of(tree.children[0], capture)})?+"
            case "expr":
                inner, operator = tree.children
                return f"(?:{self._of(inner, False)}){operator}+"
            case "value":
                return self._symbol(tree.children[0], capture)
        raise ValueError(f"a regular grammar has no {tree.data!r}")

    def _symbol(self, symbol: Any, capture: bool) -> str:
        if isinstance(symbol, Tree):  # a literal
            return self.skip + re.escape(str(literal_eval(str(symbol.children[0]))))
        name: str = symbol.name
        inline = name.startswith("_")
        if isinstance(symbol, NonTerminal):
            pattern: str = self.pattern(name, capture=capture and inline)
        else:
            pattern = f"{self.skip}(?>{self._tokens[name]})"
        return f"{self.skip}({pattern.removeprefix(self.skip)})" if capture and not inline else pattern


def _trees(tree: Tree[Any]) -> list[Tree[Any]]:
    return [child for child in tree.children if isinstance(child, Tree)]


def _name(symbol: Any) -> str:
    return str(symbol.name)
