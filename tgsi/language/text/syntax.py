"""The grammar of TGSI text and the expressions derived from it: built once, at the first parse."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tgsi.language._forks import cached_property
from tgsi.language.text.regular import Regular

if TYPE_CHECKING:
    from lark import Lark

STATEMENTS = ("instruction", "declaration", "immediate", "property")
"""The rules that a program consists of."""

MEMOIZED = ("operand", "relative", "range", "attribute")
"""The rules whose texts repeat within a program."""


class Groups(Protocol):
    """The children of a rule, from either engine: texts, None for an absent option."""

    def groups(self) -> Sequence[str | None]:
        """All children in the order of the rule."""


Match = Callable[[str], Groups | None]


class Syntax:
    """The two readers of one grammar: the compiled expressions are fast, `lark` explains the statements that they reject."""

    def __init__(self) -> None:
        self._grammar = (Path(__file__).parent / "grammar" / "tgsi.lark").read_text(encoding="ascii")
        regular = Regular(self._grammar)
        self.stage = re.compile(f"{regular.skip}(?P<stage>{regular.token('STAGE')})", re.ASCII).match
        kinds = "|".join(f"(?P<{kind}>{regular.pattern(kind, capture=True)})" for kind in STATEMENTS)
        self.statement = re.compile(rf"{regular.skip}(?:{kinds}|(?P<wrong>[^ \t\n]+))", re.ASCII)
        self.children = {kind: self._slots(kind) for kind in STATEMENTS}
        self.attribute: Callable[[str], list[str]] = re.compile(f"{regular.skip},({regular.pattern('attribute')})", re.ASCII).findall
        self.match: Mapping[str, Match] = {alias: match for rule in MEMOIZED for alias, match in regular.alternatives(rule).items()}

    @cached_property
    def lark(self) -> Lark:
        """Lark's reader of the grammar, made at the first mistake."""
        from lark import Lark

        return Lark(self._grammar, parser="lalr", start=["program", "statement"], propagate_positions=True, g_regex_flags=re.ASCII)

    def _slots(self, kind: str) -> range:
        index = self.statement.groupindex
        ends = [*sorted(index.values()), self.statement.groups + 1]
        return range(index[kind] + 1, ends[ends.index(index[kind]) + 1])


syntax = cache(Syntax)
"""The syntax, compiled once per process."""
