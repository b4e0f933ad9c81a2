"""Old GLSL as GLSL of today, word by word: lines keep their numbers but for those that are put in, which `Prepared` knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field

from frontends.glsl import legacy
from tgsi.language.diagnostics import Diagnostic, Label, ParseError, Severity
from tgsi.language.facts.enums import Processor
from tgsi.language.record import record
from tgsi.language.source import Source, Span

PREFIX = "tgsi_"
"""Prefix of names that mean something else today. It is taken away from the names of the program."""

COLORS = "tgsi_FragData"
"""The array in the place of gl_FragData."""

_WORD = re.compile(
    r"""(?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
      | (?P<directive>^[ \t]*\#[ \t]*(?:version|extension|line|include)\b(?:\\\r?\n|[^\n])*)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>\.?[0-9](?:[eE][+-]|[A-Za-z0-9_.])*)
      | (?P<mark>[^\sA-Za-z_0-9])""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_VERSION = re.compile(r"[ \t]*#[ \t]*version[ \t]+([0-9]{1,6})[ \t]*([A-Za-z]*)")
_EXTENSION = re.compile(r"[ \t]*#[ \t]*extension[ \t]+([A-Za-z0-9_]+)[ \t]*:(?:[ \t]*([a-z]+))?")
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*extension\b[^\n]*", re.MULTILINE)
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|endif)\b", re.MULTILINE)
_DECLARED = re.compile(r"\b(?:[a-z]?(?:vec|mat)[0-9x]+|[a-z]*sampler\w+|float|int|bool|void|uint|define)[ \t]+([A-Za-z_]\w*)")
_UNIFORM = re.compile(r"\buniform[ \t]+(?:(?:high|medium|low)p[ \t]+)?\w+[ \t]+([A-Za-z_]\w*)")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_OLD_WORDS = frozenset({"attribute", "varying", "gl_FragColor", "gl_FragData", *legacy.LOOKUPS, *legacy.COMPARISONS, *legacy.GONE})
_INCLUDES = "#extension GL_GOOGLE_include_directive : require"


@record(frozen=False, kw_only=True)
class Prepared:
    """A text for glslang. `added`: numbers of its lines that the source lacks. `old`: a word of today -> those it stands for."""

    text: str
    added: list[int] = field(default_factory=list)
    old: dict[str, set[str]] = field(default_factory=dict)

    def line(self, number: int) -> int:
        """The line of the source of a line of the text."""
        return number - sum(item <= number for item in self.added)


def prepare(source: Source, stage: Processor) -> Prepared:
    """The text of a shader as glslang takes it.

    Lines that ``#line`` would number anew keep their own numbers, so that carets are right.

    Raises:
        ParseError: a name of the fixed functions, or a form that the upgrade does not know (G012, G013).
    """
    text = source.text
    found = next((item for item in _words(text) if item.lastgroup == "directive" and _VERSION.match(item[0])), None)
    words = frozenset(item[0] for item in _words(text) if item.lastgroup == "name")
    prepared = Prepared(text=text)
    if found is None:
        profile, version, kind = (legacy.DESKTOP, 110 if words & _OLD_WORDS else legacy.ASSUMED, "")
    else:
        head = _VERSION.match(found[0])
        assert head is not None
        version, kind = int(head[1]), head[2]
        profile = legacy.ES if kind == "es" or (version == 100 and not kind) else legacy.DESKTOP
    target = legacy.TARGETS.get((profile, version))
    if kind == "compatibility":
        target = max(version, legacy.OLDEST)
    if profile == legacy.ES and target is None:
        _refuse("G013", source, found, f"there is no version {version} of OpenGL ES's GLSL", "versions are 100, 300, 310 and 320")
    pieces = _Upgrade(source, stage, prepared, words, profile, version).pieces(target is not None)
    head_line = f"#version {target or (version if found is None else 0)}{'' if (target or version) < 150 else ' core'}"
    if found is not None and target is not None:
        pieces[found.start()] = head_line
    prepared.text = "".join(text for _, text in sorted(pieces.items()))
    _add_lines(prepared, head_line if found is None else "", bool(_INCLUDE.search(text)) and "GL_GOOGLE_include_directive" not in text)
    return prepared


def _words(text: str) -> Iterator[re.Match[str]]:
    return _WORD.finditer(text)


def _refuse(code: str, source: Source, found: re.Match[str] | None, message: str, hint: str) -> None:
    labels = () if found is None else (Label(Span(source, found.start(), found.end())),)
    raise ParseError((Diagnostic(code, Severity.ERROR, message, labels, hint),))


class _Upgrade:
    """The pieces of a text, each at the place where it stood: words as they are now, and everything between them."""

    def __init__(self, source: Source, stage: Processor, prepared: Prepared, words: frozenset[str], profile: str, version: int) -> None:
        self.source, self.stage, self.prepared = source, stage, prepared
        self.moved: set[str] | frozenset[str] = frozenset()
        self.table = self._table(words, profile, version)
        self.gone: list[Diagnostic] = []

    def _table(self, words: frozenset[str], profile: str, version: int) -> Mapping[str, str]:
        """The words that change -> what they become."""
        inward = "out" if self.stage is Processor.VERT else "in"
        text = self.source.text
        if version < (300 if profile == legacy.ES else 130):
            self.moved = (words & legacy.RESERVED) | ({item[1] for item in _DECLARED.finditer(text)} & legacy.FUNCTIONS)
        elif words & _OLD_WORDS:  # a uniform that hides the function of its name
            self.moved = {item[1] for item in _UNIFORM.finditer(text)} & legacy.FUNCTIONS
        return {
            **legacy.LOOKUPS,
            **legacy.COMPARISONS,
            **{name: f"{PREFIX}{name}" for name in self.moved},
            "attribute": "in",
            "varying": inward,
            "gl_FragData": COLORS,
            "__VERSION__": str(version),
            "gl_MaxDrawBuffers": "8",
            **{name: f"{PREFIX}{name}" for name in self._macros(profile)},
        }

    def _macros(self, profile: str) -> set[str]:
        """Macros that are defined as 1: that of OpenGL ES, and those of extensions whose directives are left out."""
        asked = {item[1] for item in map(_EXTENSION.match, _DIRECTIVE.findall(self.source.text)) if item and item[2] != "disable"}
        return asked & legacy.INCLUDED_EXTENSIONS | ({"GL_ES"} if profile == legacy.ES else set())

    def pieces(self, is_old: bool) -> dict[int, str]:
        """All pieces. ParseError where a word has no meaning today."""
        text, made, last = self.source.text, {}, 0
        closing: dict[int, str] = {}
        words = list(_words(text))
        for number, item in enumerate(words):
            made[last] = text[last : item.start()]
            last = item.end()
            made[item.start()] = self._word(item, is_old, words, number, closing)
        made[last] = text[last:]
        if self.gone:
            raise ParseError(self.gone)
        return made

    def _word(self, item: re.Match[str], is_old: bool, words: list[re.Match[str]], number: int, closing: dict[int, str]) -> str:
        word = item[0]
        if item.lastgroup == "directive":
            return self._directive(word, is_old)
        if item.start() in closing:
            return closing[item.start()]
        if item.lastgroup != "name" or not (is_old or word == "gl_FragData"):
            return word
        if is_old and word in legacy.GONE and not self._is_member(words, number):
            hint = legacy.INSTEAD.get(word, "give the program a uniform or an attribute of its own")
            label = Label(Span(self.source, item.start(), item.end()))
            self.gone.append(Diagnostic("G012", Severity.ERROR, f"`{word}` belongs to the fixed functions, which are gone", (label,), hint))
        new = self.table.get(word)
        if new is None or (word not in self.moved and self._is_member(words, number)):
            return word
        self.prepared.old.setdefault(new, set()).add(word)
        if word in legacy.COMPARISONS:
            end = _closing(words, number + 1)
            if end is None:
                message = f"the parentheses of `{word}` do not end here, so it cannot be read as `{new}`"
                _refuse("G013", self.source, item, message, f"write vec4(vec3({new}(...)), 1.0), or `#version 330` and `{new}`")
                return word
            closing[end.start()] = ")), 1.0)"
            return f"vec4(vec3({new}"
        return new

    @staticmethod
    def _is_member(words: list[re.Match[str]], number: int) -> bool:
        return number > 0 and words[number - 1][0] == "."

    def _directive(self, text: str, is_old: bool) -> str:
        """A directive as it stands in the text for glslang. Those that are left out keep their length."""
        extension = _EXTENSION.match(text)
        left_out = re.match(r"[ \t]*#[ \t]*line\b", text) is not None
        if extension is not None and is_old:
            left_out = extension[1] in legacy.INCLUDED_EXTENSIONS
        return re.sub(r"[^\r\n]", " ", text).replace("\\", " ") if left_out else text


def _closing(words: list[re.Match[str]], number: int) -> re.Match[str] | None:
    """The parenthesis that closes the one at a place; None if there is none before the end of the statement."""
    depth = 0
    for item in words[number:]:
        if item[0] == "(":
            depth += 1
        elif item[0] == ")":
            depth -= 1
            if depth == 0:
                return item
        if depth <= 0 or item[0] in ";{}" or item.lastgroup == "directive":
            return None
    return None


def _add_lines(prepared: Prepared, version: str, wants_includes: bool) -> None:
    """Put lines in: the version, the extension of includes, the array of colors, macros of OpenGL ES."""
    lines = prepared.text.split("\n")
    first = next((number for number, line in enumerate(lines) if _VERSION.match(line)), -1) + 1
    early = [version] * bool(version) + [_INCLUDES] * wants_includes
    late = []
    early += [f"#define {name} 1" for name in sorted(set(re.findall(rf"\b{PREFIX}GL_\w+", prepared.text)))]
    if COLORS in prepared.text:
        numbers = re.findall(rf"\b{COLORS}[ \t]*(?:\[[ \t]*([0-9]+)[ \t]*\])?", prepared.text)
        size = max((int(number) + 1 if number and len(number) < 3 else 8 for number in numbers), default=8)
        late.append(f"layout(location = 0) out vec4 {COLORS}[{size}];")
    place = _after_extensions(lines, first)
    prepared.text = "\n".join([*lines[:first], *early, *lines[first:place], *late, *lines[place:]])
    prepared.added = [*range(first + 1, first + 1 + len(early)), *(place + len(early) + 1 + number for number in range(len(late)))]


def _after_extensions(lines: list[str], first: int) -> int:
    """The number of the lines before which nothing but directives may stand: the last extension, with the condition around it."""
    place, depth, is_inside = first, 0, False
    for number, line in enumerate(lines):
        condition = _CONDITION.match(line)
        if condition is not None:
            depth += -1 if condition[1] == "endif" else 1
        if _EXTENSION.match(line):
            place, is_inside = max(place, number + 1), depth > 0
        elif is_inside and depth <= 0:
            place, is_inside = number + 1, False
    return place
