"""HLSL texts rewritten so that glslang compiles them like Direct3D's compilers.

glslang folds constants while it reads, so its module has lost them. Whole numbers cast to a matrix become garbage, `%` and `fmod` of
constants do not have the sign of the dividend, and `*` of constant matrices is their `mul`. `lit` multiplies where Direct3D raises to a
power, and `i *= 0.5` makes 0 of 0.5 first. Such words are rewritten here. Lines keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from tgsi.language.diagnostics import Diagnostic, ParseError, Severity

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*
      |(?:0[xX][0-9A-Fa-f]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)[A-Za-z]*
      |<<=|>>=|<<|>>|&&|\|\||\+\+|--|::|[-+*/%&|^=!<>]=|\s+|.""",
    re.VERBOSE | re.DOTALL,
)
_WHOLE_TYPES = frozenset({"int", "uint", "bool", "dword", "min16int", "min16uint", "min12int"})
_FLOAT_TYPES = frozenset({"float", "half", "double", "min16float", "min10float"})
_TYPE = re.compile(rf"({'|'.join(sorted(_WHOLE_TYPES | _FLOAT_TYPES))})([1-4])?(?:x([1-4]))?")
_FOLDED = frozenset(
    ("abs", "min", "max", "clamp", "floor", "ceil", "round", "trunc", "frac", "sqrt", "exp", "exp2", "log", "log2", "pow", "sin", "cos")
    + ("tan", "sign", "step", "saturate", "lerp", "dot")
)
"""Functions whose calls with constants are constants."""
_SIGNS = re.compile(r"[-+*/%~!&|^(),.?:<>\[\]]|<<|>>|[<>=!]=|&&|\|\|")

_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
_EFFECTS = frozenset({"(", "++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
_STEPS = 1_000_000
"""Limit of repeated token reads; texts written by people need a few for each token."""
_SWIZZLE = re.compile("[xyzwrgba]{1,4}")
_WORDS = frozenset({"%", "fmod", "lit", "+=", "-=", "*=", "/=", "%="})

ZERO = "tgsi_zero"
_HELPERS: Mapping[str, str] = {
    ZERO: f"static float {ZERO} = 0.0;",
    "tgsi_lit": "float4 tgsi_lit(float l, float h, float m) "
    "{ return float4(1.0, max(l, 0.0), l < 0.0 || h < 0.0 ? 0.0 : pow(h, m), 1.0); }",
}
"""Definitions that stand before a text that needs them. A variable keeps an expression from being folded."""


def rewrite(text: str) -> str:
    """The text for glslang. Only unambiguous cases are changed."""
    tokens = _TOKEN.findall(text)
    code = [place for place, token in enumerate(tokens) if not (token.isspace() or token.startswith(("//", "/*")))]
    if not any(tokens[place] in _WORDS or _matrix(tokens[place]) for place in code):
        return text
    writer = _Writer(tokens, code)
    writer.run()
    if not writer.needs:
        return "".join(tokens)
    return " ".join(_HELPERS[name] for name in sorted(writer.needs)) + "\n#line 1\n" + "".join(tokens)


def _matrix(token: str) -> bool:
    match = _TYPE.fullmatch(token)
    return match is not None and match[3] is not None and match[1] in _FLOAT_TYPES


def _is_number(token: str) -> bool:
    return token[:1].isdigit() or (token[:1] == "." and token[1:2].isdigit())


def _is_float(token: str) -> bool:
    if not _is_number(token) or token[:2].lower() == "0x":
        return False
    return any(letter in "." or letter in "eEfFhH" for letter in token)


class _Writer:
    """Tokens of a text; those of code by number."""

    def __init__(self, tokens: list[str], code: Sequence[int]) -> None:
        self.tokens = tokens
        self.code = code
        self._plain = [tokens[place] for place in code]
        self.needs: set[str] = set()
        self.steps = _STEPS
        self.partner = self._partners()
        self.constants = self._constants()
        self.whole = self._whole_names()
        self.others = self._counts(lambda token: not self._may_fold(token), swizzles=False)
        self.floats = self._counts(self._is_of_floats)
        self.matrices = self._counts(lambda token: _matrix(self.constants.get(token, token)))
        self.vectors = self._counts(lambda token: not self._is_scalar(token))

    def _partners(self) -> dict[int, int]:
        """Brackets that belong together, by number both ways."""
        pairs: dict[int, int] = {}
        waiting: list[int] = []
        for k, token in enumerate(self._plain):
            if token in _OPENING:
                waiting.append(k)
            elif token in _CLOSING and waiting:
                opening = waiting.pop()
                if self._plain[opening] + token in ("()", "[]", "{}"):
                    pairs[opening], pairs[k] = k, opening
        return pairs

    def _counts(self, test: Callable[[str], bool], *, swizzles: bool = True) -> list[int]:
        """For each token, the number of earlier tokens that pass a test. `swizzles`: also test tokens after a dot."""
        known = {token: int(test(token)) for token in set(self._plain)}
        marks = [known[token] for token in self._plain]
        if not swizzles:
            for k in range(1, len(marks)):
                if self._plain[k - 1] == "." and _SWIZZLE.fullmatch(self._plain[k]):
                    marks[k] = 0
        return [0, *accumulate(marks)]

    def at(self, number: int) -> str:
        """The original token at an index, or an empty text beyond the ends."""
        return self._plain[number] if 0 <= number < len(self._plain) else ""

    def run(self) -> None:
        """Rewrite the unambiguous cases."""
        has_own_lit = any(token == "lit" and _is_name(self.at(k - 1)) and self.at(k - 1) != "return" for k, token in enumerate(self._plain))
        for k, token in enumerate(self._plain):
            if token == "lit" and self.at(k + 1) == "(" and not has_own_lit and self.at(k - 1) != ".":
                self._put(k, "tgsi_lit")
                self.needs.add("tgsi_lit")
            elif token in ("%", "*"):
                self._folded(k)
            elif token in ("+=", "-=", "*=", "/=", "%="):
                self._assign(k)
            elif token == "fmod" and self.at(k + 1) == "(" and (end := self._close(k + 1)) is not None and self._is_constant(k + 2, end):
                first = self._end(k + 2, ",")
                if k + 2 < first < end:
                    self._wrap(k + 2, first, "(", f") - {ZERO}")
                    self.needs.add(ZERO)
            elif token == "(" and self.at(k + 2) == ")" and _matrix(self.at(k + 1)):
                self._cast(k + 3)

    def _put(self, number: int, text: str) -> None:
        self.tokens[self.code[number]] = text

    def _wrap(self, first: int, end: int, before: str, after: str) -> None:
        """Put text around the tokens from `first` to before `end`."""
        self.tokens[self.code[first]] = before + self.tokens[self.code[first]]
        self.tokens[self.code[end - 1]] += after

    def _close(self, opening: int) -> int | None:
        """The bracket that closes one."""
        return self.partner.get(opening)

    def _open(self, closing: int) -> int | None:
        return self.partner.get(closing)

    def _end(self, first: int, ends: str) -> int:
        """The first token from `first` on that is one of `letters` or closes an enclosing bracket."""
        k = first
        while self.at(k) and self.at(k) not in ends and self.at(k) not in _CLOSING:
            self._charge()
            k = self.partner.get(k, k) + 1
        return k

    def _charge(self, count: int = 1) -> None:
        self.steps -= count
        if self.steps < 0:
            message = "the text repeats or nests too many assignments and declarations of whole numbers"
            raise ParseError((Diagnostic("G020", Severity.ERROR, message),))

    def _operand(self, first: int) -> int | None:
        """The end of the unary expression that begins at a token."""
        k = first
        while self.at(k) in ("+", "-", "~", "!"):
            k += 1
            self._charge()
        while self.at(k) == "(" and _TYPE.fullmatch(self.at(k + 1)) and self.at(k + 2) == ")":
            k += 3
            self._charge()
        while self.at(k) in ("+", "-", "~", "!"):
            k += 1
        if self.at(k) == "(":
            closing = self._close(k)
            if closing is None:
                return None
            k = closing + 1
        elif _is_number(self.at(k)) or _is_name(self.at(k)):
            k += 1
        else:
            return None
        while self.at(k) in (".", "[", "("):
            self._charge()
            if self.at(k) == ".":
                k += 2
                continue
            closing = self._close(k)
            if closing is None:
                return None
            k = closing + 1
        return k

    def _is_constant(self, first: int, end: int) -> bool:
        """True if tokens are numbers, constants, and operators or functions that yield constants from them."""
        return first < end and self.others[end] == self.others[first]

    def _may_fold(self, token: str) -> bool:
        is_known = token in _FOLDED or token in ("true", "false") or token in self.constants or _TYPE.fullmatch(token) is not None
        return is_known or _is_number(token) or _SIGNS.fullmatch(token) is not None

    def _has_floats(self, first: int, end: int) -> bool:
        return self.floats[end] > self.floats[first]

    def _is_of_floats(self, token: str) -> bool:
        match = _TYPE.fullmatch(self.constants.get(token, token))
        return _is_float(token) or (match is not None and match[1] in _FLOAT_TYPES)

    def _has_matrix(self, first: int, end: int) -> bool:
        return self.matrices[end] > self.matrices[first]

    def _cast(self, first: int) -> None:
        """A constant of one whole number as a matrix: a float first."""
        end = self._operand(first)
        if end is None or not self._is_constant(first, end) or self._has_floats(first, end):
            return
        if self.vectors[end] == self.vectors[first]:
            self._wrap(first, end, "(float)(", ")")

    def _is_scalar(self, token: str) -> bool:
        match = _TYPE.fullmatch(self.constants.get(token, token))
        return token != "." and (match is None or match[2] is None)

    def _start(self, end: int) -> int | None:
        """The first token of the expression that ends before a token, including casts and postfix operators."""
        first = self._primary(end)
        while first is not None and self.at(first - 1) == ")" and self.at(first - 3) == "(" and _TYPE.fullmatch(self.at(first - 2)):
            first -= 3
            self._charge()
        return first

    def _primary(self, end: int) -> int | None:
        k = end - 1
        while k >= 0:
            self._charge()
            if self.at(k) in (")", "]"):
                opening = self._open(k)
                if opening is None:
                    return None
                has_more = _is_name(self.at(opening - 1)) and self.at(opening - 1) != "return"
                if self.at(k) == ")" and not has_more:
                    return opening
                k = opening - 1
            elif self.at(k - 1) == ".":
                k -= 2
            else:
                return k if _is_name(self.at(k)) or _is_number(self.at(k)) else None
        return None

    def _folded(self, place: int) -> None:
        """A `%` or `*` of constants that glslang would fold wrongly: a variable keeps it from being folded."""
        first, end = self._start(place), self._operand(place + 1)
        if first is None or end is None or not self._is_constant(place + 1, end) or not self._is_constant(first, place):
            return
        both = self._has_matrix(first, place) and self._has_matrix(place + 1, end)
        if both if self.at(place) == "*" else self._has_floats(first, end):
            self._wrap(place + 1, end, "(", f" - {ZERO})")
            self.needs.add(ZERO)

    def _assign(self, place: int) -> None:
        """`i *= 0.5` of whole numbers: glslang makes a whole number of the right side first."""
        first = self._start(place)
        if first is None or not any(self.at(k) in self.whole for k in range(first, place)):
            return
        target = [self.at(k) for k in range(first, place)]
        end = self._end(place + 1, ";,")
        self._charge(end - first)
        right = [self.at(k) for k in range(place + 1, end)]
        if any(token in _EFFECTS for token in target) or not any(self._may_be_float(token) for token in right):
            return
        self._put(place, f"= {' '.join(target)} {self.at(place)[0]} (")
        self.tokens[self.code[end - 1]] += ")"

    def _may_be_float(self, token: str) -> bool:
        return _is_float(token) or (_is_name(token) and token not in self.whole and token not in _WHOLE_TYPES)

    def _whole_names(self) -> set[str]:
        """Names that the text declares as whole numbers somewhere."""
        names: set[str] = set()
        found = {token: _TYPE.fullmatch(token) for token in set(self._plain)}
        types = {token for token, match in found.items() if match is not None and match[1] in _WHOLE_TYPES}
        for k, token in enumerate(self._plain):
            if token not in types:
                continue
            name = k + 1
            while _is_name(self.at(name)) and _TYPE.fullmatch(self.at(name)) is None:
                names.add(self.at(name))
                name = self._end(name, ",;")
                name += 1 if self.at(name) == "," else len(self.code)
        return names

    def _constants(self) -> dict[str, str]:
        """Names that the text declares as constants of a number, vector or matrix -> their types."""
        names: dict[str, str] = {}
        for k, word in enumerate(self._plain):
            if word != "const":
                continue
            type = k + 1
            while self.at(type) in ("static", "uniform", "row_major", "column_major", "precise", "unorm", "snorm"):
                type += 1
            if _TYPE.fullmatch(self.at(type)) is None:
                continue
            name = type + 1
            while _is_name(self.at(name)) and self.at(name + 1) in ("=", "["):
                names[self.at(name)] = self.at(type)
                name = self._end(name, ",;") + 1
        return names


def _is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == "_"
