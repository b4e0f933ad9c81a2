"""Facts of a GLSL text that its program no longer has: layout(binding), layout(location), instance names of blocks."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_LAYOUT = re.compile(r"layout\s*\(([^()]*)\)\s*((?:[\w]+\s*(?:\([^()]*\)\s*)?)+?)\s*(?:\[[^\]]*\]\s*)*([;={,\[])")
_WORDS = re.compile(r"\w+")
_WORD = re.compile(r"(\w+)\s*=\s*(\w+)")
_BLOCK = re.compile(r"\b(?:uniform|buffer)\s+(?:\w+\s+)*?(\w+)\s*\{([^{}]*)\}\s*(\w*)\s*((?:\[\s*\w+\s*\]\s*)*)")

_ARRAY = re.compile(r"\buniform\b[^;{}=()]*?\b(\w+)\s*((?:\[\s*\w+\s*\]\s*){2,})")
_INDEX = re.compile(r"\[\s*(\w+)\s*\]")
_STRUCT = re.compile(r"\bstruct\s*(\w*)\s*\{([^{}]*)\}\s*([^;{}]*);")
_UNIFORM = re.compile(r"\buniform\s+(?:(?:lowp|mediump|highp)\s+)?(\w+)\s*(?:\[[^\]]*\]\s*)*\s([^;{}()]*);")
_BRACKETS = re.compile(r"\[[^\]]*\]")


class Structs(NamedTuple):
    """Types of the members of each struct, in their order, and the structs of uniforms by name."""

    members: dict[str, dict[str, str]]
    kinds: dict[str, str]

    def place_of(self, name: str) -> list[int]:
        """The path to a part of a uniform, as array indices and member numbers: ``s[2].b`` is [2, 1] if b is the second member."""
        stem, *path = _WORDS.findall(name)
        kind, place = self.kinds.get(stem, ""), list[int]()
        for part in path:
            members = self.members.get(kind, {})
            place.append(int(part) if part.isdigit() else list(members).index(part) if part in members else 0)
            kind = kind if part.isdigit() else members.get(part, "")
        return place


class Declared(NamedTuple):
    """Bindings and locations by the name of a variable or block, instance names of blocks, sizes of arrays of arrays and of blocks,
    locations of uniforms, and structs."""

    bindings: dict[str, int]
    locations: dict[str, int]
    instances: dict[str, str]
    sizes: dict[str, tuple[int, ...]]
    uniforms: dict[str, int]
    structs: Structs


@lru_cache(maxsize=512)
def declared(text: str) -> Declared:
    """The layouts, blocks and structs of live code."""
    structs, kinds = _structs(text)
    text = _STRUCT.sub(lambda match: f"{match[1] or 'struct'} {match[3]};", text)
    kinds = {name: kind for kind, names in _UNIFORM.findall(text) for name in _names(names)} | kinds
    bindings: dict[str, int] = {}
    locations: dict[str, int] = {}
    uniforms: dict[str, int] = {}
    for words, before, _ in _LAYOUT.findall(text):
        name = before.split()[-1] if before.split() else ""
        for word, value in _WORD.findall(words):
            if word in ("binding", "location") and value.isdigit():
                (bindings if word == "binding" else locations)[name] = int(value)
            if word == "location" and value.isdigit() and "uniform" in before.split():
                uniforms[name] = int(value)
    sizes: dict[str, tuple[int, ...]] = {}
    blocks = _BLOCK.findall(text)
    arrays = [*_ARRAY.findall(text), *((name, brackets) for name, _, _, brackets in blocks if brackets)]
    for name, brackets in arrays:
        words = _INDEX.findall(brackets)
        if all(word.isdigit() for word in words):
            sizes[name] = tuple(map(int, words))
    instances = {name: instance for name, _, instance, _ in blocks}
    return Declared(bindings, locations, instances, sizes, uniforms, Structs(structs, kinds))


def _structs(text: str) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Types of members by struct, and structs of variables declared with them. A nameless struct is known by its first variable."""
    structs: dict[str, dict[str, str]] = {}
    kinds: dict[str, str] = {}
    for title, body, variables in _STRUCT.findall(text):
        names = _names(variables)
        kind = title or next(iter(names), "")
        members = structs.setdefault(kind, {})
        for line in body.split(";"):
            words = _BRACKETS.sub(" ", line.partition(",")[0]).split()
            members |= dict.fromkeys(_names(line[line.index(words[-1]) :]), words[-2]) if len(words) > 1 else {}
        kinds |= dict.fromkeys(names, kind)
    return structs, kinds


def _names(variables: str) -> list[str]:
    """The names in a list of variables, without array sizes and initial values."""
    items = (item.partition("=")[0].split() for item in _BRACKETS.sub(" ", variables).split(","))
    return [words[-1] for words in items if words]
