"""The reading of one entry point: values, places and code of the function that is being written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import NoReturn

from frontends.spirv.emit.code import Code, Ref, Refs, immediate
from frontends.spirv.emit.places import Place, Texel, Unit
from frontends.spirv.module.errors import Op
from frontends.spirv.module.module import Block, EntryPoint, Function, Tables
from frontends.spirv.module.types import Image, Type, name
from linkage.interner import SemanticInterner
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import RegisterRef
from tgsi.language.record import record

MAX_WORK = 1 << 20
"""Bound on translated instructions, repeats of inlined functions included: modules may be hostile."""

MAX_BOUND = 1 << 20
"""Bound on the words of all values, repeats included."""


@record(kw_only=True)
class Sampled:
    """A texture and the unit that samples it. `texture` and `sampler` are the variables they come from."""

    image: Image
    unit: Unit
    texture: int
    sampler: int = 0


@record(frozen=False)
class Uses:
    """Places where an id is used: the last instruction of each block."""

    last: dict[int, dict[int, int]] = field(default_factory=dict)

    def add(self, id: int, block: int, place: int) -> None:
        """Note a use."""
        uses = self.last.setdefault(id, {})
        uses[block] = max(uses.get(block, -1), place)


@record(frozen=False, kw_only=True)
class State:
    """All that emitters read and change."""

    tables: Tables
    entry: EntryPoint
    processor: Processor
    code: Code = field(default_factory=Code)
    values: dict[int, list[Ref]] = field(default_factory=dict)
    places: dict[int, Place] = field(default_factory=dict)
    texels: dict[int, Texel] = field(default_factory=dict)
    sampled: dict[int, Sampled] = field(default_factory=dict)
    uses: dict[int, Uses] = field(default_factory=dict)
    aliases: dict[RegisterRef, set[int]] = field(default_factory=dict)
    mutable: set[tuple[File, int]] = field(default_factory=set)
    instance: tuple[int, ...] = ()
    function: Function | None = None
    block: Block | None = None
    position: int = 0
    work: int = 0
    precise: bool = False
    loops: int = 0
    properties: dict[str, int] = field(default_factory=dict)
    bound: int = 0
    shared: int = 0
    uniform_registers: int = 0
    uniforms: dict[int, int] = field(default_factory=dict)
    fixed: dict[int, Place] = field(default_factory=dict)
    locations: dict[int, int] = field(default_factory=dict)
    bindings: dict[int, int] = field(default_factory=dict)
    interner: SemanticInterner | None = None
    units: dict[tuple[int, int, int], int] = field(default_factory=dict)

    # errors

    def fail(self, code: str, text: str, op: Op | None = None, *, hint: str = "") -> NoReturn:
        """Raise an error about an instruction."""
        self.tables.sources.fail(code, text, op, hint=hint)

    # types and values

    def type(self, id: int) -> Type:
        """The type of a type's id."""
        return self.tables.types.get(id)

    def kind(self, id: int) -> Type:
        """The type of a value."""
        kind = self.tables.type_of.get(id)
        if not kind:
            self.fail("M005", f"the id {id} has no value")
        return self.tables.types.get(kind)

    def result(self, op: Op) -> Type:
        """The type of an instruction's result."""
        return self.tables.types.get(op.type, op)

    def value(self, id: int) -> list[Ref]:
        """The words of a value. Error M005 if the id is not a value."""
        words = self.values.get(id)
        if words is not None:
            return words
        constant = self.tables.constants.known.get(id)
        if constant is None:
            self.fail("M005", f"the id {id} has no value before its first use")
        self.values[id] = immediate(*constant[1])
        return self.values[id]

    def bind(self, op: Op, refs: Iterable[Ref]) -> None:
        """Give the result of an instruction its words."""
        self.bind_id(op.result, list(refs), self.result(op), op)

    def bind_id(self, id: int, words: list[Ref], kind: Type, op: Op | None = None) -> None:
        """Give an id its words. Error M006 where their number is not that of the type."""
        if len(words) != kind.words:
            self.fail("M006", f"the operands do not fit a result of type {name(kind)}", op)
        self.bound += len(words)
        if self.bound > MAX_BOUND:
            self.fail("M023", f"the values of the shader have more than {MAX_BOUND} words together", op)
        self.values[id] = words
        for ref in words:
            if ref.register is not None and (ref.register.file, ref.register.index) in self.mutable:
                self.aliases.setdefault(ref.register, set()).add(id)

    def constant(self, id: int) -> int | None:
        """The value of an integer constant; None for every other value."""
        constant = self.tables.constants.known.get(id)
        return None if constant is None or not constant[1] else constant[1][0] - (1 << 32 if constant[1][0] >> 31 else 0)

    def generic(self, location: int) -> Semantic:
        """The semantic of a location: the interner's, or GENERIC of the same number."""
        return Semantic("GENERIC", location) if self.interner is None else self.interner.intern(location)

    # values that still lie in variables

    def is_live(self, id: int) -> bool:
        """True if an id is used after the instruction that is being read."""
        assert self.function is not None
        assert self.block is not None
        last = self.uses[self.function.id].last.get(id)
        if last is None:
            return False
        return any(block != self.block.label or place > self.position for block, place in last.items())

    def detach(self, registers: Iterable[RegisterRef | None]) -> None:
        """Copy the values that lie in registers which are about to change, where they are used later."""
        for register in registers:
            for id in self.aliases.pop(register, ()) if register is not None else ():
                if self.is_live(id):
                    self._copied(id)

    def detach_all(self, test: Callable[[int], bool]) -> None:
        """Copy the values in variables that pass a test; forget all others."""
        for id in sorted({id for ids in self.aliases.values() for id in ids}):
            if test(id):
                self._copied(id)
        self.aliases.clear()

    def _copied(self, id: int) -> None:
        refs = self.values[id]
        moving = [ref for ref in refs if ref.register is not None and (ref.register.file, ref.register.index) in self.mutable]
        if not moving:
            return
        place, serial = self.code.place, self.code.serial
        self.code.begin((self.instance, "copy", id))
        new = iter(self.code.copy(moving))
        self.values[id] = [next(new) if ref in moving else ref for ref in refs]
        self.code.place, self.code.serial = place, serial


def scalars(refs: Refs, words: int) -> list[Refs]:
    """The words of each scalar of a value."""
    return [refs[place : place + words] for place in range(0, len(refs), words)]
