"""The names that a text declares, found in its tokens without a grammar: variables, parameters, members, functions, types."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from frontends.glsl.preprocess.scan import is_word
from tgsi.language.record import record

_WORDS = """
attribute varying uniform const in out inout centroid flat smooth noperspective invariant precise highp mediump lowp patch sample coherent
volatile restrict readonly writeonly shared buffer precision layout return else do case if while for switch discard break continue default
"""
_NO_TYPES = frozenset(_WORDS.split())
"""Words after which a name is a type or a value rather than a declaration."""


@record
class Declared:
    """Names that a text declares: all, and those of functions."""

    names: frozenset[str]
    functions: frozenset[str]


def declared_names(texts: Sequence[str], wanted: Collection[str]) -> Declared:
    """Wanted names that a text declares: after a type, and after a comma in the same list of declarations."""
    names: set[str] = set()
    functions: set[str] = set()
    lists: list[bool] = [False]  # by depth of parentheses: a list of declarations is open
    before = ""
    for index, text in enumerate(texts):
        if text in "([":
            lists.append(False)
        elif text in ")]":
            if len(lists) > 1:
                lists.pop()
        elif text in ";{}":
            lists[-1] = False
        elif is_word(text):
            after_type = (is_word(before) and before not in _NO_TYPES) or (before == "]" and _is_array_of(texts, index))
            if after_type:
                lists[-1] = True
            if text in wanted and (after_type or (before == "," and lists[-1])):
                names.add(text)
                if texts[index + 1 : index + 2] == ["("]:
                    functions.add(text)
        before = text
    return Declared(frozenset(names), frozenset(functions))


def _is_array_of(texts: Sequence[str], index: int) -> bool:
    """True if the brackets before a name follow a type, as in ``float[2] name``."""
    return texts[index + 1 : index + 2] != ["("] and index > 2


def are_used_as_words(texts: Sequence[str], words: Collection[str]) -> set[str]:
    """Words used as keywords rather than names: before a name, or as ``layout(`` at the beginning of a declaration.

    Texts that use words of later versions without a directive still compile.
    """
    used: set[str] = set()
    declared: set[str] = set()
    before, depth = "", 0
    last = len(texts) - 1
    for index, text in enumerate(texts):
        depth += (text == "{") - (text == "}")
        if text in words:
            after = texts[index + 1] if index < last else ""
            if before == "struct" or (is_word(before) and before not in _NO_TYPES and before not in words):
                declared.add(text)
            elif (is_word(after) and before != ".") or (
                text == "layout" and after == "(" and (before in ("", ";", "}") or is_word(before) or (before == ")" and depth == 0))
            ):
                used.add(text)
        before = text
    return used - declared
