"""Base of passes that replace each instruction separately by several ones."""

from __future__ import annotations

from abc import ABC, abstractmethod

from passes.edit import Immediates, Temporaries, rebuilt
from tgsi.language.facts.enums import IMM
from tgsi.language.ir import Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program


class Lowering(ABC):
    """One run of such a pass on a program. immediates: those of the program, and added ones."""

    def __init__(self, program: Program) -> None:
        self._program, self._temporaries, self.immediates = program, Temporaries(program), Immediates(program)
        self._helper: RegisterRef | None = None

    @abstractmethod
    def lowered(self, item: Instruction) -> list[Instruction]:
        """Return the replacement of an instruction."""

    def run(self) -> Program:
        """Return the program with all instructions lowered, the same object if none changes."""
        lowered = rebuilt(self._program, [self.lowered(item) for item in self._program.instructions])
        return self._temporaries.finish(self.immediates.finish(lowered))

    def helper(self) -> RegisterRef | None:
        """Return a TEMP for values between instructions, the same in each call; None if there is no room for it."""
        if self._helper is None and self._temporaries.room(1):
            self._helper = self._temporaries.new()
        return self._helper

    def known_words(self, operand: SrcOperand, mask: int) -> list[int] | None:
        """Return the words of an immediate in the channels of `mask`, without modifiers; None for all other operands."""
        register = operand.register
        if register.file is not IMM or register.indirect is not None or not 0 <= register.index < len(self.immediates.items):
            return None
        words = self.immediates.items[register.index].words
        return [words[operand.swizzle[c]] for c in range(4) if mask >> c & 1]
