"""Functions of a text of GLSL: their signatures, found in tokens without a grammar, and a main function that calls one of them.

The arguments of an invocation lie one after the other in a buffer of words, its results in another one, so that every bit passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

from frontends.glsl.preprocess.scan import is_word
from tgsi.language.facts.enums import Processor
from tgsi.language.record import record

ARGUMENTS, RESULTS = 30, 31
"""Numbers of the buffers."""
LEAST_VERSION = 430
"""The version of GLSL that has buffers."""
MAIN = "tgsi_main_of_text"
"""The name of the text's own main function while another one is called."""
GROUP = 64
"""Default number of invocations in a workgroup of a compute shader."""

_NO_TYPES = frozenset(("return", "else", "if", "while", "for", "switch", "case", "do", "new", "in", "out", "inout", "const"))
_QUALIFIERS = frozenset(("in", "out", "inout", "const", "highp", "mediump", "lowp", "precise"))
_SCALARS = {"float": 1, "int": 1, "uint": 1, "bool": 1, "double": 2}
_PREFIXES = {"": "float", "i": "int", "u": "uint", "b": "bool", "d": "double"}


def _types() -> Iterator[tuple[str, tuple[str, int, int]]]:
    for scalar in _SCALARS:
        yield scalar, (scalar, 1, 1)
    for letter, scalar in _PREFIXES.items():
        for rows in (2, 3, 4):
            yield f"{letter}vec{rows}", (scalar, rows, 1)
    for letter in ("", "d"):
        for columns in (2, 3, 4):
            yield f"{letter}mat{columns}", (_PREFIXES[letter], columns, columns)
            for rows in (2, 3, 4):
                yield f"{letter}mat{columns}x{rows}", (_PREFIXES[letter], rows, columns)


TYPES: Mapping[str, tuple[str, int, int]] = dict(_types())
"""The name of a type -> its scalar, rows and columns."""


@record
class Value:
    """The type of a value: its name, and the sizes of an array of it, outermost first."""

    type: str
    sizes: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.type + "".join(f"[{size}]" for size in self.sizes)

    @property
    def is_sampler(self) -> bool:
        """True of a texture with its sampler."""
        return self.type.lstrip("iu").startswith("sampler")

    @property
    def scalar(self) -> str:
        """The type of its numbers."""
        return TYPES[self.type][0]

    @property
    def shape(self) -> tuple[int, ...]:
        """The axes of an array of numbers that holds the value: those of arrays, then rows, then columns."""
        _, rows, columns = TYPES[self.type]
        return (*self.sizes, *((rows,) if rows > 1 or columns > 1 else ()), *((columns,) if columns > 1 else ()))

    @property
    def words(self) -> int:
        """32-bit words of the value."""
        return prod(self.shape) * _SCALARS[self.scalar]


@record(kw_only=True)
class Parameter:
    """A parameter: its name, its direction ("in", "out", "inout"), and its type."""

    name: str
    way: str
    value: Value

    def __str__(self) -> str:
        return f"{'' if self.way == 'in' else self.way + ' '}{self.value} {self.name}".rstrip()


@record(kw_only=True)
class Signature:
    """A function: its name in messages and for glslang, the type that it returns (None for void), and its parameters."""

    name: str
    called: str
    returns: Value | None
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        return f"{self.returns or 'void'} {self.name}({', '.join(map(str, self.parameters))})"

    @property
    def given(self) -> tuple[Parameter, ...]:
        """Parameters that a caller gives."""
        return tuple(item for item in self.parameters if item.way != "out")

    @property
    def results(self) -> tuple[Value, ...]:
        """The types of the returned value and of "out" and "inout" parameters."""
        returned = () if self.returns is None else (self.returns,)
        return (*returned, *(item.value for item in self.parameters if item.way != "in"))


def signatures(texts: Sequence[str], shown: Callable[[str], str]) -> list[Signature]:
    """Every function that the tokens define, in order. `shown` returns the text's name for a token's name."""
    functions = []
    depth = 0
    for at, text in enumerate(texts):
        depth += (text in "{(") - (text in "})")
        if depth == 1 and text == "(" and at > 1 and is_word(texts[at - 1]):
            end = _closing(texts, at)
            if texts[end + 1 : end + 2] != ["{"]:
                continue
            returned = _type_before(texts, at - 1)
            if returned is not None:
                parameters = tuple(_parameters(texts[at + 1 : end], shown))
                name = texts[at - 1]
                kept = None if returned.type == "void" else returned
                functions.append(Signature(name=shown(name), called=name, returns=kept, parameters=parameters))
    return functions


def _closing(texts: Sequence[str], at: int) -> int:
    depth = 0
    for index in range(at, len(texts)):
        depth += (texts[index] == "(") - (texts[index] == ")")
        if depth == 0:
            return index
    return len(texts)


def _type_before(texts: Sequence[str], at: int) -> Value | None:
    """The type that ends before a name, such as ``float[2]``."""
    sizes: list[int] = []
    at -= 1
    while at > 2 and texts[at] == "]":
        begin = at - 1
        while begin > 0 and texts[begin] != "[":
            begin -= 1
        sizes.insert(0, _number(texts[begin + 1 : at]))
        at = begin - 1
    if at < 0 or not is_word(texts[at]) or texts[at] in _NO_TYPES:
        return None
    return Value(texts[at], tuple(sizes))


def _parameters(texts: Sequence[str], shown: Callable[[str], str]) -> Iterator[Parameter]:
    for words in _split(texts):
        if words in ([], ["void"]):
            continue
        way = next((word for word in words if word in ("out", "inout")), "in")
        rest = [word for word in words if word not in _QUALIFIERS]
        if not rest:
            continue  # glslang says so
        kind, name = rest[0], ""
        sizes: list[int] = []
        after: list[int] = []
        at = 1
        while at < len(rest):
            if rest[at] == "[":
                end = rest.index("]", at) if "]" in rest[at:] else len(rest)
                (after if name else sizes).append(_number(rest[at + 1 : end]))
                at = end
            else:
                name = rest[at]
            at += 1
        yield Parameter(name=shown(name), way=way, value=Value(kind, (*after, *sizes)))


def _split(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts between commas outside of brackets."""
    depth, words = 0, list[str]()
    for text in texts:
        depth += (text in "([") - (text in ")]")
        if text == "," and depth == 0:
            yield words
            words = []
        else:
            words.append(text)
    yield words


def _number(words: Sequence[str]) -> int:
    """The size of an array; 0 if it is not a plain number."""
    digits = words[0].rstrip("uU") if len(words) == 1 else ""
    return int(digits) if digits.isdecimal() and len(digits) < 8 else 0


# -- the main function -------------------------------------------------------------------------------------------------------------------

_FROM_WORD = {
    "float": "uintBitsToFloat({0})",
    "int": "int({0})",
    "uint": "{0}",
    "bool": "({0} != 0u)",
    "double": "packDouble2x32(uvec2({0}, {1}))",
}
_TO_WORD = {"float": "floatBitsToUint({0})", "int": "uint({0})", "uint": "{0}", "bool": "({0} ? 1u : 0u)"}


def main_function(signature: Signature, stage: Processor, texts: Sequence[str]) -> str:
    """A main function that calls another one with the arguments of the invocation. The invocations are numbered from 0."""
    given, back = (
        sum(item.value.words for item in signature.given if not item.value.is_sampler),
        sum(item.words for item in signature.results),
    )
    lines = [
        f"layout(std430, binding = {ARGUMENTS}) readonly buffer tgsi_Arguments {{ uint tgsi_arguments[]; }};",
        f"layout(std430, binding = {RESULTS}) buffer tgsi_Results {{ uint tgsi_results[]; }};",
    ]
    for number, item in enumerate(signature.parameters):
        if item.value.is_sampler:
            lines.append(f"uniform {item.value.type} tgsi_sampler{number};")
    if stage is Processor.COMP and "local_size_x" not in texts and "local_size_y" not in texts and "local_size_z" not in texts:
        lines.append(f"layout(local_size_x = {GROUP}) in;")
    lines += ["void main() {", f"uint tgsi_number = {_number_of(stage)};"]
    if stage is Processor.COMP:
        lines.append(f"if (tgsi_number >= uint(tgsi_results.length()) / {max(1, back)}u) return;")
    lines += [f"uint tgsi_from = tgsi_number * {given}u;", f"uint tgsi_to = tgsi_number * {back}u;"]
    names, at = [], 0
    for number, item in enumerate(signature.parameters):
        if item.value.is_sampler:
            names.append(f"tgsi_sampler{number}")
            continue
        names.append(f"tgsi_value{number}")
        lines.append(f"{item.value} tgsi_value{number};")
        if item.way != "out":
            lines += _reads(item.value, f"tgsi_value{number}", at)
            at += item.value.words
    call, at = f"{signature.called}({', '.join(names)})", 0
    if signature.returns is None:
        lines.append(f"{call};")
    else:
        lines.append(f"{signature.returns} tgsi_returned = {call};")
        lines += _writes(signature.returns, "tgsi_returned", 0)
        at = signature.returns.words
    for number, item in enumerate(signature.parameters):
        if item.way != "in":
            lines += _writes(item.value, f"tgsi_value{number}", at)
            at += item.value.words
    if stage is Processor.VERT:
        lines.append("gl_Position = vec4(0.0);")
    return "\n".join([*lines, "}", ""])


def _number_of(stage: Processor) -> str:
    if stage is Processor.COMP:
        size = "gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z"
        return f"gl_WorkGroupID.x * ({size}) + gl_LocalInvocationIndex"
    return "uint(gl_VertexID)" if stage is Processor.VERT else "uint(gl_PrimitiveID)"


def _parts(value: Value, name: str) -> Iterator[str]:
    """An expression for each number of a value, in the order of an array of numpy: rows before columns."""
    _, rows, columns = TYPES[value.type]
    for number in range(prod(value.sizes)):
        path, left = "", number
        for size in reversed(value.sizes):
            path, left = f"[{left % size}]{path}", left // size
        for row in range(rows):
            for column in range(columns):
                yield name + path + (f"[{column}]" if columns > 1 else "") + (f"[{row}]" if rows > 1 else "")


def _reads(value: Value, name: str, at: int) -> Iterator[str]:
    size = _SCALARS[value.scalar]
    for number, part in enumerate(_parts(value, name)):
        words = [f"tgsi_arguments[tgsi_from + {at + number * size + k}u]" for k in range(size)]
        yield f"{part} = {_FROM_WORD[value.scalar].format(*words)};"


def _writes(value: Value, name: str, at: int) -> Iterator[str]:
    size = _SCALARS[value.scalar]
    for number, part in enumerate(_parts(value, name)):
        if size == 2:
            yield f"{{ uvec2 tgsi_pair = unpackDouble2x32({part});"
            yield f"tgsi_results[tgsi_to + {at + 2 * number}u] = tgsi_pair.x;"
            yield f"tgsi_results[tgsi_to + {at + 2 * number + 1}u] = tgsi_pair.y; }}"
        else:
            yield f"tgsi_results[tgsi_to + {at + number}u] = {_TO_WORD[value.scalar].format(part)};"
