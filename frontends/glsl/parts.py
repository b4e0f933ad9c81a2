"""Several texts of one stage: their tokens as one text, and the functions that one text expects from others. (GLSL 4.60, 3.1 and 4.2)

A stage of OpenGL may be written in several texts, of which one has ``main``. Equal declarations of a variable in two texts declare one
variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from frontends.glsl.preprocess.scan import Token, is_word

_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_QUALIFIERS = frozenset({"in", "out", "inout", "const", "highp", "mediump", "lowp", "precise"})
_SHARED = frozenset({"uniform", "varying", "attribute", "in", "out", "const"})


def declarations(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The declarations of a text, one after the other: each ends with its semicolon or, of a function, with its body."""
    made: list[Token] = []
    depth, has_body, is_set = 0, False, False
    for token in tokens:
        text = token[0]
        if text == "{" and depth == 0:
            has_body = made[-1:] != [] and made[-1][0] == ")" and not is_set
        is_set = is_set or (text == "=" and depth == 0)
        made.append(token)
        depth += (text in _OPEN) - (text in _CLOSE)
        if depth <= 0 and (text == ";" or (text == "}" and has_body)):
            yield made
            made, depth, has_body, is_set = [], 0, False, False
    if made:
        yield made


def joined(texts: Sequence[Sequence[Token]]) -> list[Token]:
    """The tokens of several texts as one text. Declarations repeated from earlier texts are omitted."""
    made: list[Token] = []
    seen: set[tuple[str, ...]] = set()
    for tokens in texts:
        here: set[tuple[str, ...]] = set()
        for whole in declarations(tokens):
            if whole[-1][0] == "}":
                made += whole
                continue
            for item in _single(whole):
                key = tuple(token[0] for token in item)
                here.add(key)
                if key not in seen:
                    made += item
        seen |= here
    return made


def _single(whole: list[Token]) -> Iterator[list[Token]]:
    """A list of variables without values as one declaration each: ``uniform vec2 a, b;`` is two."""
    texts = [token[0] for token in whole]
    commas = [place for place, text in enumerate(texts) if text == "," and _depth(texts, place) == 0]
    if not commas or _SHARED.isdisjoint(texts) or not {"{", "=", "("}.isdisjoint(texts):
        yield whole
        return
    end = whole[-1]
    first = commas[0] - 1
    while first > 0 and not (is_word(texts[first]) and texts[first + 1] in ("[", ",")):
        first -= 1
    head, start = whole[:first], first
    for place in (*commas, len(whole) - 1):
        yield [*head, *whole[start:place], end]
        start = place + 1


def _depth(texts: Sequence[str], place: int) -> int:
    return sum((text in _OPEN) - (text in _CLOSE) for text in texts[:place])


def missing(tokens: Sequence[Token]) -> list[tuple[str, Token, list[str]]]:
    """Functions that a text declares or needs, and does not define: its name, one of its tokens, and tokens of a substitute definition."""
    declared: dict[tuple[str, ...], tuple[str, Token, list[str]]] = {}
    defined: set[tuple[str, ...]] = set()
    has_main = False
    for item in declarations(tokens):
        has_body = item[-1][0] == "}"
        texts = [token[0] for token in item]
        texts = texts[: texts.index("{")] if has_body else texts
        if "(" not in texts or "=" in texts or texts[0] in ("layout", "struct", "subroutine"):
            continue
        start = texts.index("(")
        if start < 2 or not is_word(texts[start - 1]):
            continue
        name = texts[start - 1]
        if has_body:
            has_main = has_main or name == "main"
            defined.add(_signature(texts[start - 1 :]))
        elif texts[-2:] == [")", ";"] and not {"uniform", "in", "out", "varying", "attribute", "const"} & set(texts[: start - 1]):
            result = [text for text in texts[: start - 1] if text not in _QUALIFIERS]
            body = ["{", "}"] if result == ["void"] else ["{", *result, "r", ";", "return", "r", ";", "}"]
            declared[_signature(texts[start - 1 : -1])] = name, item[start - 1], [*texts[:-1], *body]
    made = [absent for signature, absent in declared.items() if signature not in defined and absent[0] != "main"]
    if not has_main and tokens:
        made.append(("main", tokens[-1], ["void", "main", "(", ")", "{", "}"]))
    return made


def _signature(texts: Sequence[str]) -> tuple[str, ...]:
    """Name and types of parameters, without their names and sizes of arrays."""
    made = [texts[0]]
    parameter: list[str] = []
    for text in texts[2:]:
        if text not in (",", ")"):
            parameter.append(text)
            continue
        words = [word for word in parameter if word not in _QUALIFIERS]
        made.append("".join([*words[:1], *["[]" for word in words if word == "["]]).replace("void", ""))
        parameter = []
    return tuple(made if made[1:] != [""] else made[:1])
