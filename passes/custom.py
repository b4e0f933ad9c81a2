"""Base class for passes that users write: a rewriter that sees each declaration and instruction, and hands out registers and constants."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from passes.base import Pass
from passes.edit import Immediates, Temporaries, rebuilt
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import ImmediateType
from tgsi.language.ir import Declaration, Instruction, RegisterRef, SrcOperand
from tgsi.language.literals import float_bits
from tgsi.language.program import Program
from tgsi.language.record import record

S = TypeVar("S", Declaration, Instruction)
_KINDS = {ImmediateType.FLT32: "float", ImmediateType.INT32: "int", ImmediateType.UINT32: "uint"}
_FULL = "the program has no room for another"


class _Work:
    """State of one run: the program, and the additions of the pass."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.place = 0
        self.item: Instruction | None = None
        self.temporaries = Temporaries(program)
        self.immediates = Immediates(program)
        self.declarations: list[Declaration] = []


@record(slots=False)
class Rewriter(Pass):
    """A pass that replaces declarations and instructions one at a time. Override `instruction`, `declaration`, or both.

    While they run, `program`, `place`, `temporary`, `immediate` and `declare` belong to the program that is rewritten; a pass object may
    be used by several threads at a time. Labels of branches keep their targets, and unchanged parts stay the same objects.
    """

    def begin(self) -> None:
        """Prepare for `program`: called once, before the first declaration."""

    def declaration(self, item: Declaration) -> Declaration | Sequence[Declaration] | None:
        """Return the replacement of a declaration: itself, another, several, or None to remove it."""
        return item

    def instruction(self, item: Instruction) -> Instruction | Sequence[Instruction] | None:
        """Return the replacement of an instruction: itself, another, several, or None to remove it.

        A branch to the instruction goes to the first of those that replace it.
        """
        return item

    @property
    def program(self) -> Program:
        """The program before the pass."""
        return self._work.program

    @property
    def place(self) -> int:
        """Number of the instruction that is being replaced."""
        return self._work.place

    def temporary(self) -> RegisterRef:
        """Return an unused TEMP register. It is declared at the end, and 0 before its first write.

        Raises:
            UnsupportedError: there is no room for it, or the program reaches all TEMP registers by an address.
        """
        if not self._work.temporaries.room(1):
            raise self._refused(f"{_FULL} temporary, or reaches them all by an address")
        return self._work.temporaries.new()

    def immediate(self, *values: float, type: ImmediateType | str = ImmediateType.FLT32) -> SrcOperand:
        """Return an operand whose channels are constants; an immediate of the program is used, or one is added.

        Args:
            values: one for all channels, or four. FLT32 takes numbers, INT32 and UINT32 whole numbers, of which the lower 32 bits count.
            type: FLT32, INT32 or UINT32, as a name or as a member of ImmediateType.

        Raises:
            ValueError: there are neither one value nor four, or no such type.
            UnsupportedError: there is no room for it, or the program reaches all immediates by an address.
        """
        kinds = {kind.name: kind for kind in _KINDS}
        kind = kinds.get(type) if isinstance(type, str) else type
        if kind not in _KINDS or len(values) not in (1, 4):
            raise ValueError(f"immediate takes one value or four of {', '.join(kinds)}, not {len(values)} of {type}")
        words = [float_bits(float(value)) if kind is ImmediateType.FLT32 else int(value) & 0xFFFFFFFF for value in values]
        operand = self._work.immediates.source(words * (4 // len(words)), _KINDS[kind])
        if operand is None:
            raise self._refused(f"{_FULL} immediate, or reaches them all by an address")
        return operand

    def declare(self, item: Declaration) -> RegisterRef:
        """Declare more registers of a file; they follow those that the program declares. Returns the first of them.

        `first` and `last` of the declaration say how many there are: 0 and 0 for one register.
        """
        work = self._work
        used = [work.program.file_size(item.file, item.dimension)]
        used += [declared.last + 1 for declared in work.declarations if (declared.file, declared.dimension) == (item.file, item.dimension)]
        if item.file.name == "TEMP":
            count = item.last - item.first + 1
            if not work.temporaries.room(count):
                raise self._refused(f"{_FULL} temporary, or reaches them all by an address")
            registers = [work.temporaries.new() for _ in range(count)]
            return registers[0]
        first = max(used)
        work.declarations.append(replace(item, first=first, last=first + item.last - item.first, span=None))
        return RegisterRef(item.file, first)

    def run(self, program: Program) -> Program:
        """See `Pass.run`. TypeError for a method that returns something else than statements, with a note that names the pass."""
        worker = copy.copy(self)
        object.__setattr__(worker, "_state", _Work(program))  # passes are frozen; only this copy has a state
        return worker._rewritten()

    @property
    def _work(self) -> _Work:
        state: _Work | None = getattr(self, "_state", None)
        if state is None:
            raise RuntimeError(f"pass {self.name}: call this from `begin`, `declaration` or `instruction`, while the pass runs")
        return state

    def _rewritten(self) -> Program:
        work = self._work
        program = work.program
        self.begin()
        declarations = [new for item in program.declarations for new in self._replaced(self.declaration, item, Declaration)]
        code: list[Sequence[Instruction]] = []
        for work.place, work.item in enumerate(program.instructions):
            code.append(self._replaced(self.instruction, work.item, Instruction))
        program = rebuilt(program, code)
        declarations += work.declarations
        if len(declarations) != len(program.declarations) or any(a is not b for a, b in zip(declarations, program.declarations)):
            program = replace(program, declarations=tuple(declarations))
        return work.temporaries.finish(work.immediates.finish(program))

    def _replaced(self, method: Callable[[S], S | Sequence[S] | None], item: S, kind: type[S]) -> Sequence[S]:
        try:
            result: Any = method(item)
            if result is None:
                return ()
            items = (result,) if isinstance(result, kind) else tuple(result) if isinstance(result, (list, tuple)) else (result,)
            if wrong := [type(one).__name__ for one in items if not isinstance(one, kind)]:
                raise TypeError(f"{method.__name__} must return {kind.__name__}s or None, not {wrong[0]}")
        except Exception as error:
            error.add_note(f"in pass {self.name!r}, at {item.span or kind.__name__.lower()}")
            raise
        return items

    def _refused(self, message: str) -> UnsupportedError:
        item = self._work.item
        return UnsupportedError.at("B052", f"{self.name}: {message}", item.span if item is not None else None)
