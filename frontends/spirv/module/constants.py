"""Constants and specialization constants, as the words of their values."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from frontends.spirv.module.errors import Op, Sources
from frontends.spirv.module.fold import COMPARISONS, fold
from frontends.spirv.module.grammar import ROWS
from frontends.spirv.module.types import MAX_WORDS, Bool, Float, Int, Type, components, name, part, scalar
from frontends.spirv.module.typing import Types
from tgsi.language.record import record

TRUE = 0xFFFFFFFF
MAX_ALL = 1 << 20
"""Words of all constants together."""


class Decorated(Protocol):
    """The tables that name and number specialization constants."""

    decorations: dict[int, dict[str, list[int]]]
    names: dict[int, str]


@record(frozen=False)
class Constants:
    """Constants by id: type and words. `overrides` are the values of specialization constants that the caller gives."""

    sources: Sources
    types: Types
    known: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    overrides: dict[int, float] = field(default_factory=dict)
    size: int = 0

    def specialize(self, tables: Decorated, values: Mapping[int | str, float]) -> None:
        """Find the constants that the caller gives values to, by SpecId or by name.

        Raises:
            ParseError: there is no such constant (M009).
            TypeError: a value is not a number.
        """
        numbers = {items["SpecId"][0]: id for id, items in tables.decorations.items() if items.get("SpecId")}
        named = {tables.names[id]: id for id in numbers.values() if id in tables.names}
        for key, value in values.items():
            if not isinstance(value, int | float):
                raise TypeError(f"specialization: {key!r}: expected a number or a bool, not {type(value).__name__}")
            id = numbers.get(key) if isinstance(key, int) else named.get(key)
            if id is None:
                have = ", ".join(f"{number} ({tables.names.get(id, 'no name')})" for number, id in sorted(numbers.items())) or "none"
                self.sources.fail("M009", f"there is no specialization constant {key!r}; there are: {have}")
            self.overrides[id] = value

    def whole(self, id: int, op: Op) -> int:
        """The value of an integer constant. Error M006 if the id is not one."""
        constant = self.known.get(id)
        if constant is None or not isinstance(self.types.get(constant[0], op), Int):
            self.sources.fail("M006", f"the id {id} is not an integer constant defined before", op)
        return sum(word << 32 * place for place, word in enumerate(constant[1]))

    def define(self, op: Op) -> None:
        """Read a constant."""
        kind = self.types.get(op.type, op)
        if kind.words >= MAX_WORDS:
            self.sources.fail("M023", "the constant is too large", op)
        words = self._words(op, kind)
        if words is None:
            self.sources.fail("M021", f"{op.name} is not supported", op)
        if len(words) != kind.words:
            self.sources.fail("M006", f"{len(words)} words are given for a value of type {name(kind)}, which has {kind.words}", op)
        self.size += len(words)
        if self.size > MAX_ALL:
            self.sources.fail("M023", "the constants are too large", op)
        self.known[op.result] = op.type, words

    def _words(self, op: Op, kind: Type) -> tuple[int, ...] | None:
        match op.name:
            case "OpConstant" | "OpSpecConstant":
                if op.result in self.overrides:
                    return _encoded(self.overrides[op.result], kind)
                return tuple(op.ids())
            case "OpConstantTrue" | "OpSpecConstantTrue":
                return (TRUE if self.overrides.get(op.result, 1) else 0,)
            case "OpConstantFalse" | "OpSpecConstantFalse":
                return (TRUE if self.overrides.get(op.result, 0) else 0,)
            case "OpConstantComposite" | "OpSpecConstantComposite":
                values = [self._value(id, op) for id in op.ids()]
                return tuple(word for value in values for word in value) if sum(map(len, values)) == kind.words else ()
            case "OpConstantNull" | "OpUndef":
                return (0,) * kind.words
            case "OpSpecConstantOp":
                return self._folded(op, kind)
        return None

    def _value(self, id: int, op: Op) -> tuple[int, ...]:
        constant = self.known.get(id)
        if constant is None:
            self.sources.fail("M006", f"the id {id} is not a constant defined before", op)
        return constant[1]

    def _folded(self, op: Op, kind: Type) -> tuple[int, ...] | None:
        row = ROWS.get(op.id(0))
        if row is None:
            return None
        if row.name == "CompositeExtract":
            inner, words = self.types.get(self.known[op.id(1)][0], op), self._value(op.id(1), op)
            for index in op.ids(2):
                inner, before = part(inner, index)
                words = words[before : before + inner.words]
            return words
        if row.name == "CompositeInsert":
            inner, words = kind, self._value(op.id(2), op)
            start = 0
            for index in op.ids(3):
                inner, before = part(inner, index)
                start += before
            new = self._value(op.id(1), op)
            return words[:start] + new + words[start + len(new) :]
        if row.name == "VectorShuffle":
            both = self._value(op.id(1), op) + self._value(op.id(2), op)
            return tuple(0 if index == 0xFFFFFFFF else both[index] for index in op.ids(3))
        return self._scalars(row.name, op, kind)

    def _scalars(self, name: str, op: Op, kind: Type) -> tuple[int, ...] | None:
        ids = op.ids(1)
        if not ids or not all(id in self.known for id in ids):
            self.sources.fail("M006", "an operand is not a constant defined before", op)
        given = self.types.get(self.known[ids[-1] if name == "Select" else ids[0]][0], op)
        step, count = scalar(given).words, components(given)
        values = [self._value(id, op) for id in ids]
        result: list[int] = []
        for place in range(count):
            operands = []
            for words in values:
                size = max(len(words) // count, 1)
                start = place * size if len(words) >= count else 0
                operands.append(sum(word << 32 * k for k, word in enumerate(words[start : start + size])))
            value = fold(name, operands, 32 * step)
            if value is None or (isinstance(scalar(given), Float) and name not in ("Select", "Bitcast")):
                return None
            if name in COMPARISONS:
                result.append(TRUE if value else 0)
            else:
                result += [value >> 32 * k & 0xFFFFFFFF for k in range(scalar(kind).words)]
        return tuple(result)


def _encoded(value: float, kind: Type) -> tuple[int, ...]:
    if isinstance(kind, Float):
        if kind.width == 64:
            bits = struct.unpack("<Q", struct.pack("<d", value))[0]
            return bits & TRUE, bits >> 32
        try:
            return struct.unpack("<I", struct.pack("<f", value))
        except OverflowError:
            return struct.unpack("<I", struct.pack("<f", math.copysign(math.inf, value)))
    if isinstance(kind, Bool):
        return (TRUE if value else 0,)
    whole = int(value)
    return tuple(whole >> 32 * place & TRUE for place in range(kind.words))
