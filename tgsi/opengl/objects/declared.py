"""Facts that a text of GLSL states and its program no longer has: layout(binding), layout(location), instance names of blocks."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\d+)[ \t]*$", re.MULTILINE)
_LAYOUT = re.compile(r"layout\s*\(([^()]*)\)\s*((?:[\w]+\s*(?:\([^()]*\)\s*)?)+?)\s*(?:\[[^\]]*\]\s*)*([;={,\[])")
_WORD = re.compile(r"(\w+)\s*=\s*(\w+)")
_BLOCK = re.compile(r"\b(?:uniform|buffer)\s+(?:\w+\s+)*?(\w+)\s*\{([^{}]*)\}\s*(\w*)\s*((?:\[\s*\w+\s*\]\s*)*)")

_ARRAY = re.compile(r"\buniform\b[^;{}=()]*?\b(\w+)\s*((?:\[\s*\w+\s*\]\s*){2,})")
_INDEX = re.compile(r"\[\s*(\w+)\s*\]")


class Declared(NamedTuple):
    """Bindings and locations by the name of a variable or block, instance names of blocks, sizes of arrays of arrays and of blocks,
    and locations of uniforms."""

    bindings: dict[str, int]
    locations: dict[str, int]
    instances: dict[str, str]
    sizes: dict[str, tuple[int, ...]]
    uniforms: dict[str, int]


@lru_cache(maxsize=512)
def declared(source: str) -> Declared:
    """The layouts and blocks of a text."""
    text = _COMMENT.sub(" ", source)
    numbers = dict(_DEFINE.findall(text))
    bindings: dict[str, int] = {}
    locations: dict[str, int] = {}
    uniforms: dict[str, int] = {}
    for words, before, _ in _LAYOUT.findall(text):
        name = before.split()[-1] if before.split() else ""
        for word, value in _WORD.findall(words):
            value = numbers.get(value, value)
            if word in ("binding", "location") and value.isdigit():
                (bindings if word == "binding" else locations)[name] = int(value)
            if word == "location" and value.isdigit() and "uniform" in before.split():
                uniforms[name] = int(value)
    sizes: dict[str, tuple[int, ...]] = {}
    blocks = _BLOCK.findall(text)
    arrays = [*_ARRAY.findall(text), *((name, brackets) for name, _, _, brackets in blocks if brackets)]
    for name, brackets in arrays:
        words = [numbers.get(word, word) for word in _INDEX.findall(brackets)]
        if all(word.isdigit() for word in words):
            sizes[name] = tuple(map(int, words))
    return Declared(bindings, locations, {name: instance for name, _, instance, _ in blocks}, sizes, uniforms)
