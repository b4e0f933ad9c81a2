"""Loops part by part: operations on vectors of several CPU registers are written separately for the lanes of each register.

LLVM splits a vector of four registers operation by operation, so four times the intermediate results of an expression are live at once, and
most of them are spilled. Written part by part, only loop-carried values take four registers. The bits are the same, because only operations
without interaction of lanes are split.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from backends.llvm.builder.function import F32, Function

MOST_LINES = 400
"""Longest body that is split. Values of longer ones would be spilled anyway, and the text would take long to compile."""

_TYPE = r"<\d+ x (?:float|i32|i1)>"
_OPERAND = r"(%v\d+|splat \([^)]*\)|zeroinitializer)"
_BINARY = "fadd|fsub|fmul|fdiv|and|or|xor|add|sub|mul|shl|lshr|ashr|fneg|(?:fcmp|icmp) \\w+"
_OPERATION = re.compile(rf"({_BINARY}) ({_TYPE}) {_OPERAND}(?:, {_OPERAND})?")
_SELECT = re.compile(rf"select ({_TYPE}|i1) {_OPERAND}, ({_TYPE}) {_OPERAND}, {_TYPE} {_OPERAND}")
_CAST = re.compile(rf"(sext|zext|sitofp|uitofp|fptosi|bitcast) ({_TYPE}) {_OPERAND} to ({_TYPE})")
_CALL = re.compile(rf"call ({_TYPE}) @llvm\.(fma|sqrt|fabs|floor|ceil|trunc|roundeven)\.v\d+f32\((.*)\)")
_ARGUMENT = re.compile(rf"{_TYPE} {_OPERAND}")
_FIRST = re.compile(r"(?:(?:load|add|and|or|sub|icmp \w+) (?:i32|i1|float)|insertelement|shufflevector)\b.*")
_LINE = re.compile(r"  (%v\d+) = (.*)")
_NAME = re.compile(r"%v\d+\b")


def _lanes(type: str) -> int:
    return int(type[1:].split()[0])


class _Segment:
    """Consecutive lines that can be split, with the loads before and the stores after them."""

    def __init__(self, f: Function, lanes: int, width: int) -> None:
        self.f, self.lanes, self.width = f, lanes, width
        self.first: list[str] = []  # lines that come before all parts
        self.split: list[str] = []  # parts of values from elsewhere
        self.parts: list[list[str]] = [[] for _ in range(lanes // width)]
        self.stores: list[str] = []
        self.names: dict[str, list[str]] = {}  # by the name of a value: the names of its parts
        self.types: dict[str, str] = {}  # of the values that are computed here: the type of a part
        self.taken: set[int] = set()  # numbers of the divided lines

    def _narrow(self, type: str) -> str:
        return type if type == "i1" else f"<{self.width} x {type.split()[-1]}"

    def _operand(self, type: str, name: str, part: int) -> str:
        if type == "i1" or not name.startswith("%"):
            return name
        if name not in self.names:
            self.names[name] = [self.f.fresh() for _ in self.parts]
            for k, new in enumerate(self.names[name]):
                picks = ", ".join(f"i32 {i}" for i in range(k * self.width, (k + 1) * self.width))
                self.split.append(f"  {new} = shufflevector {type} {name}, {type} {name}, <{self.width} x i32> <{picks}>")
        return self.names[name][part]

    def _texts(self, text: str) -> tuple[str, list[str]] | None:
        """Type of the result, and the operation of each part; None for an operation that cannot be split."""
        narrow, operand, count = self._narrow, self._operand, range(len(self.parts))
        if (m := _OPERATION.fullmatch(text)) and _lanes(m[2]) == self.lanes:
            operands = [v for v in m.groups()[2:] if v is not None]
            result = f"<{self.lanes} x i1>" if m[1][1:4] == "cmp" else m[2]
            return result, [f"{m[1]} {narrow(m[2])} {', '.join(operand(m[2], v, k) for v in operands)}" for k in count]
        if (m := _SELECT.fullmatch(text)) and _lanes(m[3]) == self.lanes:
            arms = [", ".join(f"{narrow(m[3])} {operand(m[3], v, k)}" for v in (m[4], m[5])) for k in count]
            return m[3], [f"select {narrow(m[1])} {operand(m[1], m[2], k)}, {arms[k]}" for k in count]
        if (m := _CAST.fullmatch(text)) and _lanes(m[2]) == _lanes(m[4]) == self.lanes:
            return m[4], [f"{m[1]} {narrow(m[2])} {operand(m[2], m[3], k)} to {narrow(m[4])}" for k in count]
        if (m := _CALL.fullmatch(text)) and _lanes(m[1]) == self.lanes:
            type, operands = narrow(m[1]), _ARGUMENT.findall(m[3])
            self.f.module.declare(F32.wide(self.width), f"llvm.{m[2]}.v{self.width}f32", ", ".join([type] * len(operands)))
            arguments = [", ".join(f"{type} {operand(m[1], v, k)}" for v in operands) for k in count]
            return m[1], [f"call {type} @llvm.{m[2]}.v{self.width}f32({arguments[k]})" for k in count]
        return None

    def add(self, number: int, line: str) -> bool:
        """Take a line; False if the segment ends before it."""
        match = _LINE.fullmatch(line)
        if match is None:
            is_store = line.startswith(f"  store <{self.lanes} x ")
            self.stores += [line] if is_store else []
            return is_store
        name, text = match.groups()
        divided = self._texts(text)
        if divided is not None:
            self.types[name] = self._narrow(divided[0])
            self.names[name] = [self.f.fresh() for _ in self.parts]
            for lines, new, part in zip(self.parts, self.names[name], divided[1], strict=True):
                lines.append(f"  {new} = {part}")
            self.taken.add(number)
            return True
        is_load = text.startswith(f"load <{self.lanes} x ") and not self.stores
        comes_first = is_load or (_FIRST.fullmatch(text) is not None and self.types.keys().isdisjoint(_NAME.findall(text)))
        self.first += [line] if comes_first else []
        return comes_first

    def _whole(self, name: str) -> list[str]:
        """Lines that combine the parts of a value."""
        lines, parts, width, element = [], self.names[name], self.width, self.types[name].split()[-1]
        while len(parts) > 1:
            joined = [self.f.fresh() if len(parts) > 2 else name for _ in parts[::2]]
            type, picks = f"<{width} x {element}", ", ".join(f"i32 {i}" for i in range(2 * width))
            for new, a, b in zip(joined, parts[::2], parts[1::2], strict=True):
                lines.append(f"  {new} = shufflevector {type} {a}, {type} {b}, <{2 * width} x i32> <{picks}>")
            parts, width = joined, 2 * width
        return lines

    def text(self, wholes: Collection[str]) -> list[str]:
        """The lines of the segment. wholes: values that other lines use."""
        joined = [line for name in self.types if name in wholes for line in self._whole(name)]
        return [*self.first, *self.split, *(line for part in self.parts for line in part), *joined, *self.stores]


def part_width(f: Function) -> int:
    """Lanes of a part: those of a vector register; 0 if nothing is split."""
    return 8 if f.has_word_masks else 16 if f.module.has("avx512f") else 0


def divide(f: Function, begin: int, lanes: int, used_later: Collection[str]) -> None:
    """Split the operations of a loop's body, the lines of `f` from `begin` on. used_later: names of values that later lines may use."""
    width, body = part_width(f), f.body[begin:]
    if not 0 < width < lanes or len(body) > MOST_LINES:
        return
    used: dict[str, set[int]] = {}
    for number, line in enumerate(body):
        for name in set(_NAME.findall(line.partition(" = ")[2] or line)):
            used.setdefault(name, set()).add(number)
    lines: list[str] = []
    at = 0
    while at < len(body):
        segment, start = _Segment(f, lanes, width), at
        while at < len(body) and segment.add(at, body[at]):
            at += 1
        if len(segment.taken) > 1:
            lines += segment.text({n for n in segment.types if n in used_later or not used.get(n, {-1}) <= segment.taken})
        else:
            at = max(at, start + 1)
            lines += body[start:at]
    f.body[begin:] = lines
