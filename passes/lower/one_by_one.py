"""The work of passes that write instructions one by one as several others."""

from __future__ import annotations

from abc import ABC, abstractmethod

from passes.edit import Immediates, Temporaries, rebuilt
from tgsi.language.facts.enums import IMM
from tgsi.language.ir import Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program


class Lowering(ABC):
    """The work on one program. immediates: those that there are, and more."""

    def __init__(self, program: Program) -> None:
        self._program, self._temporaries, self.immediates = program, Temporaries(program), Immediates(program)
        self._helper: RegisterRef | None = None

    @abstractmethod
    def lowered(self, item: Instruction) -> list[Instruction]:
        """Return the replacement of an instruction."""

    def run(self) -> Program:
        """Return the program with all instructions lowered, the same object if none changes."""
        made = rebuilt(self._program, [self.lowered(item) for item in self._program.instructions])
        return self._temporaries.finish(self.immediates.finish(made))

    def helper(self) -> RegisterRef | None:
        """Return a TEMP that lasts from one instruction to the next, the same each time; None if there is no room for it."""
        if self._helper is None and self._temporaries.room(1):
            self._helper = self._temporaries.new()
        return self._helper

    def known_words(self, operand: SrcOperand, mask: int) -> list[int] | None:
        """Return the words of an immediate in the channels of `mask`, without modifiers; None for another operand."""
        register = operand.register
        if register.file is not IMM or register.indirect is not None or not 0 <= register.index < len(self.immediates.items):
            return None
        words = self.immediates.items[register.index].words
        return [words[operand.swizzle[c]] for c in range(4) if mask >> c & 1]
