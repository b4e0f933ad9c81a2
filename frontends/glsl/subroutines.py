"""Subroutines without subroutines: a uniform holds the number of a function, and a call goes through a function that compares it.

glslang refuses subroutines for SPIR-V. The type ``subroutine vec4 T(vec3 a);`` becomes the function ``vec4 tgsi_T(uint number, vec3 a)``,
``subroutine uniform T u;`` becomes ``uniform uint u;``, and ``u(x)`` becomes ``tgsi_T(u, x)``. (GLSL 4.60, 6.1.2)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from frontends.glsl.parts import declarations
from frontends.glsl.preprocess.reports import Reports, quoted
from frontends.glsl.preprocess.scan import Token, is_word
from tgsi.language.interface import SubroutineUniform
from tgsi.language.record import record

WORD, EXTENSION = "subroutine", "GL_ARB_shader_subroutine"
FIRST_VERSION = 400
"""The first version of the desktop with subroutines; earlier ones have them by the extension."""
MAX_SUBROUTINES = 256
"""Functions of a stage: MAX_SUBROUTINES of OpenGL."""

_NO_TYPES = frozenset(("const", "in", "out", "inout", "highp", "mediump", "lowp", "precise", "uniform", "layout", WORD))
_WAYS = frozenset(("out", "inout"))


@record
class Subroutines:
    """The subroutines of a stage: numbers of functions by name, the uniforms that choose one, and words of the text by given names."""

    functions: Mapping[str, int] = field(default_factory=dict)
    uniforms: Mapping[str, SubroutineUniform] = field(default_factory=dict)
    old: Mapping[str, str] = field(default_factory=dict)


@record(frozen=False)
class _Type:
    """A subroutine type: tokens of the result and of each parameter, and the functions of the type with their tokens."""

    name: Token
    called: str
    result: list[Token]
    parameters: list[list[Token]]
    functions: list[Token] = field(default_factory=list)


def lower(tokens: Sequence[Token], reports: Reports) -> tuple[list[Token], Subroutines]:
    """The tokens without subroutines, and the subroutines that they had. Errors go to `reports`."""
    run = _Lowering(tokens, reports)
    made: list[Token] = []
    for whole in declarations(tokens):
        made += run.calls(run.declaration(whole))
    numbers = run.numbers()
    for item in run.types.values():
        made += run.dispatcher(item, numbers)
    return made, Subroutines(numbers, run.uniforms(numbers), {item.called: item.name[0] for item in run.types.values()})


class _Lowering:
    """The subroutines that were found so far."""

    def __init__(self, tokens: Sequence[Token], reports: Reports) -> None:
        self.reports = reports
        self.types: dict[str, _Type] = {}
        self.kinds: dict[str, _Type] = {}
        self._functions: dict[str, Token] = {}
        self._stated: dict[str, int] = {}
        self._uniforms: dict[str, int] = {}
        self.prefix = "tgsi_call_"
        while any(token[0].startswith(self.prefix) for token in tokens):
            self.prefix = f"tgsi_{self.prefix}"

    # -- declarations
    def declaration(self, whole: list[Token]) -> list[Token]:
        """A declaration as glslang takes it."""
        texts = [token[0] for token in whole]
        start, layout = _layouts(texts)
        head = next((k for k in range(start, len(texts)) if not is_word(texts[k]) or texts[k] == WORD), 0)
        if texts[head : head + 1] != [WORD]:
            return whole
        for name, number in layout.items():
            if name not in ("index", "location"):
                self.reports.error(f"{quoted(name)} is no layout of a subroutine", whole[0])
            elif number < 0:
                self.reports.error(f"{quoted(name)} of a subroutine needs a number", whole[0])
        if "uniform" in texts[start : head + 2]:
            return self._uniform(whole, texts, layout)
        if texts[head + 1 : head + 2] == ["("]:
            return self._function(whole, texts, head, layout)
        return self._type(whole, texts, head)

    def _type(self, whole: list[Token], texts: list[str], head: int) -> list[Token]:
        if "(" not in texts or texts[-1] != ";" or not is_word(texts[texts.index("(") - 1]):
            self.reports.error("a subroutine type is declared like a function", whole[head], "subroutine float Kind(float x);")
            return []
        at = texts.index("(")
        name = whole[at - 1]
        found = self.types.setdefault(name[0], _Type(name, self.prefix + name[0], whole[head + 1 : at - 1], _parameters(whole[at:])))
        return [*self._heading(found), (";", *name[1:])]

    def _function(self, whole: list[Token], texts: list[str], head: int, layout: Mapping[str, int]) -> list[Token]:
        end = texts.index(")", head) if ")" in texts[head:] else len(texts)
        rest = whole[end + 1 :]
        words = texts[end + 1 :]
        at = words.index("(") if "(" in words else 0
        if at < 2:
            self.reports.error("a function follows the types of a subroutine", whole[head], "subroutine(Kind) float name(float x) { ... }")
            return rest
        name = rest[at - 1]
        self._functions.setdefault(name[0], name)
        if "index" in layout:
            self._stated[name[0]] = layout["index"]
        for token in whole[head + 2 : end]:
            found = self.types.get(token[0])
            if token[0] == ",":
                continue
            if found is None:
                self.reports.error(f"{quoted(token[0])} is no subroutine type", token, "declare it before: subroutine float Kind(float x);")
            elif not _is_alike(found, rest[: at - 1], _parameters(rest[at:])):
                self.reports.error(f"{quoted(name[0])} has other parameters or another result than {quoted(token[0])}", name)
            elif all(item[0] != name[0] for item in found.functions):
                found.functions.append(name)
        return rest

    def _uniform(self, whole: list[Token], texts: list[str], layout: Mapping[str, int]) -> list[Token]:
        names = [k for k in _outside(texts) if is_word(texts[k]) and {*texts[k + 1 : k + 2]} & {";", ",", "["}]
        kind = texts[names[0] - 1] if names else ""
        found = self.types.get(kind)
        if found is None:
            self.reports.error(f"{quoted(kind)} is no subroutine type", whole[names[0] - 1 if names else 0])
            return []
        location = layout.get("location", -1)
        for at in names:
            self.kinds[texts[at]] = found
            self._uniforms[texts[at]] = location
        place = whole[names[0] - 1][1:]
        return [("uniform", *place), ("uint", *place), *whole[names[0] :]]

    # -- results
    def numbers(self) -> dict[str, int]:
        """The number of each function: the one that its layout states, or the lowest free one."""
        made: dict[str, int] = {}
        taken = set(self._stated.values())
        free = (number for number in range(len(taken) + len(self._functions)) if number not in taken)
        for name, token in self._functions.items():
            made[name] = self._stated[name] if name in self._stated else next(free)
            if made[name] >= MAX_SUBROUTINES:
                self.reports.error(f"{quoted(name)} has number {made[name]}, and {MAX_SUBROUTINES - 1} is the largest", token)
        if len(taken) < len(self._stated):
            self.reports.error("two subroutines have the same index", self._functions[max(self._stated)])
        return made

    def uniforms(self, numbers: Mapping[str, int]) -> dict[str, SubroutineUniform]:
        """The uniforms by name, with the numbers of the functions that each can choose."""
        return {
            name: SubroutineUniform(
                name=name, location=location, compatible=tuple(sorted(numbers[t[0]] for t in self.kinds[name].functions))
            )
            for name, location in self._uniforms.items()
        }

    # -- calls
    def calls(self, tokens: list[Token]) -> list[Token]:
        """The tokens with calls of uniforms as calls of the functions that choose."""
        made: list[Token] = []
        texts = [token[0] for token in tokens]
        ends: dict[int, str] = {}
        for at, token in enumerate(tokens):
            opened = self._call(texts, at)
            if opened:
                made += [(self.kinds[token[0]].called, *token[1:]), ("(", *token[1:])]
                ends[opened] = "" if texts[opened + 1 : opened + 2] == [")"] else ","
            if at in ends:
                made += [(ends[at], *token[1:])] if ends[at] else []
            else:
                made.append(token)
        return made

    def _call(self, texts: Sequence[str], at: int) -> int:
        """The place of the parenthesis that opens the arguments, if a uniform is called here; otherwise 0."""
        if texts[at] not in self.kinds or texts[at - 1 : at] == ["."]:
            return 0
        end = at + 1
        while texts[end : end + 1] == ["["]:
            end = _closing(texts, end) + 1
        return end if texts[end : end + 1] == ["("] else 0

    def _heading(self, item: _Type) -> list[Token]:
        place = item.name[1:]
        made = [*item.result, (item.called, *place), ("(", *place), ("uint", *place), (f"{self.prefix}number", *place)]
        for k, parameter in enumerate(item.parameters):
            made += [(",", *place), *_named(parameter, f"{self.prefix}{k}")]
        return [*made, (")", *place)]

    def dispatcher(self, item: _Type, numbers: Mapping[str, int]) -> Iterator[Token]:
        """The function that calls the one of a number; the first of the type for all other numbers. None without functions."""
        if not item.functions:
            return
        yield from self._heading(item)
        arguments = ",".join(f"{self.prefix}{k}" for k in range(len(item.parameters))).replace(",", " , ").split()
        is_void = [token[0] for token in item.result] == ["void"]
        first, *others = sorted(item.functions, key=lambda token: numbers[token[0]])
        yield ("{", *item.name[1:])
        for token in (*others, first):
            call = [token[0], "(", *arguments, ")", ";"]
            words = [*call, "return", ";"] if is_void else ["return", *call]
            if token is not first:
                words = ["if", "(", f"{self.prefix}number", "==", f"{numbers[token[0]]}u", ")", "{", *words, "}"]
            yield from ((word, *token[1:]) for word in words)
        yield ("}", *item.name[1:])


def _layouts(texts: Sequence[str]) -> tuple[int, dict[str, int]]:
    """The place after layouts at the begin of a declaration, and the numbers that they state."""
    at, found = 0, dict[str, int]()
    while texts[at : at + 2] == ["layout", "("]:
        end = _closing(texts, at + 1)
        for k in range(at + 2, end):
            if texts[k + 1 : k + 2] == ["="]:
                digits = texts[k + 2].rstrip("uU") if texts[k + 3] in (",", ")") else ""
                found[texts[k]] = int(digits[:9]) if digits.isdecimal() else -1
        at = end + 1
    return at, found


def _closing(texts: Sequence[str], at: int) -> int:
    """The place of the bracket that closes the one at a place."""
    depth = 0
    for k in range(at, len(texts)):
        depth += (texts[k] in "([{") - (texts[k] in ")]}")
        if depth == 0:
            return k
    return len(texts)


def _outside(texts: Iterable[str]) -> Iterator[int]:
    """Places outside of brackets."""
    depth = 0
    for at, text in enumerate(texts):
        depth += (text in "([") - (text in ")]")
        if depth == 0:
            yield at


def _parameters(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens of each parameter; the first token opens their parentheses."""
    made: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token[0] in "([") - (token[0] in ")]")
        if depth == 0:
            break
        if token[0] == "," and depth == 1:
            made.append([])
        elif not (token[0] == "(" and depth == 1):
            made[-1].append(token)
    return [item for item in made if [token[0] for token in item] not in ([], ["void"])]


def _named(parameter: Sequence[Token], name: str) -> list[Token]:
    """A parameter under another name, or with one."""
    words = [k for k in _outside(_texts(parameter)) if is_word(parameter[k][0]) and parameter[k][0] not in _NO_TYPES]
    if len(words) > 1:
        at = words[1]
        return [*parameter[:at], (name, *parameter[at][1:]), *parameter[at + 1 :]]
    return [*parameter, (name, *parameter[-1][1:])]


def _texts(tokens: Sequence[Token]) -> list[str]:
    return [token[0] for token in tokens]


def _is_alike(item: _Type, result: Sequence[Token], parameters: Sequence[Sequence[Token]]) -> bool:
    """True if a function has the result and the parameters of a type. Sizes of arrays are left to glslang."""
    return _kind(item.result) == _kind(result) and [*map(_kind, item.parameters)] == [*map(_kind, parameters)]


def _kind(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The direction of a parameter (out, inout or nothing) and its type."""
    texts = _texts(tokens)
    return (*sorted(_WAYS & {*texts}), *[text for text in texts if is_word(text) and text not in _NO_TYPES][:1])
