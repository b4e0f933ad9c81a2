"""Lowering of GLSL's subroutines, which glslang refuses for SPIR-V: a uniform holds a function's number, and a dispatcher compares it.

The type ``subroutine vec4 T(vec3 a);`` becomes the dispatcher ``vec4 tgsi_T(uint number, vec3 a)``,
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
"""The first desktop version with subroutines; earlier versions need the extension."""
MAX_SUBROUTINES = 256
"""Most subroutine functions of a stage: OpenGL's MAX_SUBROUTINES."""

_NO_TYPES = frozenset(("const", "in", "out", "inout", "highp", "mediump", "lowp", "precise", "uniform", "layout", WORD))
_WAYS = frozenset(("out", "inout"))


@record
class Subroutines:
    """The subroutines of a stage: function numbers by name, subroutine uniforms by name, and the text's name for each name given here."""

    functions: Mapping[str, int] = field(default_factory=dict)
    uniforms: Mapping[str, SubroutineUniform] = field(default_factory=dict)
    old: Mapping[str, str] = field(default_factory=dict)


@record(frozen=False)
class _Type:
    """A subroutine type: the tokens of its result and of each parameter, the name of its dispatcher, and its functions' names as tokens."""

    name: Token
    called: str
    result: list[Token]
    parameters: list[list[Token]]
    functions: list[Token] = field(default_factory=list)


def lower(tokens: Sequence[Token], reports: Reports) -> tuple[list[Token], Subroutines]:
    """Lower the subroutines in tokens. Returns the new tokens and the subroutines found. Errors go to `reports`."""
    run = _Lowering(tokens, reports)
    made: list[Token] = []
    for whole in declarations(tokens):
        made += run.calls(run.declaration(whole))
    numbers = run.numbers()
    for item in run.types.values():
        made += run.dispatcher(item, numbers)
    return made, Subroutines(numbers, run.uniforms(numbers), {item.called: item.name[0] for item in run.types.values()})


class _Lowering:
    """A walk over declarations that collects subroutine types, functions and uniforms."""

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
        """Rewrite a declaration in plain GLSL; without subroutines it is returned unchanged."""
        texts = [token[0] for token in whole]
        start, layout = _layouts(texts)
        head = next((k for k in range(start, len(texts)) if not is_word(texts[k]) or texts[k] == WORD), 0)
        if texts[head : head + 1] != [WORD]:
            return whole
        for name, number in layout.items():
            if name not in ("index", "location"):
                self.reports.error(f"subroutines have no layout {quoted(name)}", whole[0], "they have index and location")
            elif number < 0:
                self.reports.error(f"{quoted(name)} of a subroutine must be a number", whole[0])
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
            self.reports.error("expected a function after `subroutine(...)`", whole[head], "subroutine(Kind) float name(float x) { ... }")
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
                hint = "declare it before: subroutine float Kind(float x);"
                self.reports.error(f"{quoted(token[0])} is not a subroutine type", token, hint)
            elif not _is_alike(found, rest[: at - 1], _parameters(rest[at:])):
                self.reports.error(f"{quoted(name[0])} differs from {quoted(token[0])} in its parameters or result", name)
            elif all(item[0] != name[0] for item in found.functions):
                found.functions.append(name)
        return rest

    def _uniform(self, whole: list[Token], texts: list[str], layout: Mapping[str, int]) -> list[Token]:
        names = [k for k in _outside(texts) if is_word(texts[k]) and {*texts[k + 1 : k + 2]} & {";", ",", "["}]
        kind = texts[names[0] - 1] if names else ""
        found = self.types.get(kind)
        if found is None:
            self.reports.error(f"{quoted(kind)} is not a subroutine type", whole[names[0] - 1 if names else 0])
            return []
        location = layout.get("location", -1)
        for at in names:
            self.kinds[texts[at]] = found
            self._uniforms[texts[at]] = location
        place = whole[names[0] - 1][1:]
        return [("uniform", *place), ("uint", *place), *whole[names[0] :]]

    # -- results
    def numbers(self) -> dict[str, int]:
        """The number of each function: the index in its layout, otherwise the lowest free number."""
        made: dict[str, int] = {}
        taken = set(self._stated.values())
        free = (number for number in range(len(taken) + len(self._functions)) if number not in taken)
        for name, token in self._functions.items():
            made[name] = self._stated[name] if name in self._stated else next(free)
            if made[name] >= MAX_SUBROUTINES:
                self.reports.error(f"{quoted(name)} has index {made[name]}; the largest is {MAX_SUBROUTINES - 1}", token)
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
        """Replace calls of subroutine uniforms by calls of their dispatchers."""
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
        """If a subroutine uniform is called here, the place of the parenthesis before its arguments; otherwise 0."""
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
        """The tokens of a type's dispatcher. Unknown numbers call the type's first function. A type without functions has no dispatcher."""
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
    """The place after the layouts that begin a declaration, and their numbers by name; -1 for anything but a plain number."""
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
    """The place of the bracket that matches the opening bracket at a place."""
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
    """The tokens of each parameter in a list that begins with its parenthesis."""
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
    """The parameter with this name, in place of its own if it has one."""
    words = [k for k in _outside(_texts(parameter)) if is_word(parameter[k][0]) and parameter[k][0] not in _NO_TYPES]
    if len(words) > 1:
        at = words[1]
        return [*parameter[:at], (name, *parameter[at][1:]), *parameter[at + 1 :]]
    return [*parameter, (name, *parameter[-1][1:])]


def _texts(tokens: Sequence[Token]) -> list[str]:
    return [token[0] for token in tokens]


def _is_alike(item: _Type, result: Sequence[Token], parameters: Sequence[Sequence[Token]]) -> bool:
    """True if a function has a type's result and parameters. glslang checks the sizes of arrays."""
    return _kind(item.result) == _kind(result) and [*map(_kind, item.parameters)] == [*map(_kind, parameters)]


def _kind(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The direction of a parameter (out, inout or nothing) and its type."""
    texts = _texts(tokens)
    return (*sorted(_WAYS & {*texts}), *[text for text in texts if is_word(text) and text not in _NO_TYPES][:1])
