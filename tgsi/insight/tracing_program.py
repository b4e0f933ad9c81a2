"""Programs that trace their steps: after every instruction, they store the written registers to one more buffer.

They trace a single invocation, selected by its system values, or by its number among the fragments at a pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from passes.custom import Rewriter
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.traits import Flow, Trait
from tgsi.language.ir import Declaration, DstOperand, Instruction, MemoryAccess, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

HEADER = 64
"""Bytes before the first step: size of all steps in bytes, number of matching invocations, number of the watched one; then, at WANTED,
column and row of the fragment, as the program counts them, and the required words of system values. They are data, so all invocations share
one kernel."""
NUMBER, WANTED = 8, 16
STEP_WORDS = 8
"""Words per step: number of the instruction from 1 (0: an input), file, register, 0, then four channels."""
_X = (0, 0, 0, 0)


@record(slots=False, kw_only=True)
class Traced(Rewriter):
    """The pass.

    slot: number of the BUFFER. matches: channels of system values, as (name, channel), that must equal words of the buffer.
    is_at_pixel: the fragment must lie at the pixel that the buffer names.
    """

    slot: int = 0
    matches: tuple[tuple[str, int], ...] = ()
    is_at_pixel: bool = False

    name = "trace-steps"
    _r: ClassVar[dict[str, RegisterRef]]

    def begin(self) -> None:
        """Declare the buffer and the registers."""
        self._work.declarations.append(Declaration(File.BUFFER, self.slot, self.slot))
        names = {name for name, _ in self.matches} | ({"POSITION"} if self.is_at_pixel else set())
        registers = {name: self._system(name) for name in sorted(names)}
        registers |= {f"own {name}": self.temporary() for name in ("at", "value", "flag", "address", "wanted")}
        object.__setattr__(self, "_r", registers)  # passes are frozen; this copy belongs to one run

    def _system(self, name: str) -> RegisterRef:
        for d in self.program.declared(File.SV):
            if d.semantic is not None and d.semantic.name == name:
                return RegisterRef(File.SV, d.first)
        return self.declare(Declaration(File.SV, 0, 0, semantic=Semantic(name, 0)))

    def instruction(self, item: Instruction) -> Sequence[Instruction]:
        """See `Rewriter.instruction`."""
        before = self._prologue() if self.place == 0 else []
        if Trait.KILL in item.opcode.traits:
            before += self._noted(None)
        after = [step for dst in item.dst for step in self._noted(dst.register)]
        if item.opcode.flow in (Flow.END, Flow.RETURN):
            return [*before, item]
        return [*before, item, *after]

    def _op(self, name: str, dst: RegisterRef, mask: int, *src: SrcOperand) -> Instruction:
        memory = MemoryAccess() if name in ("LOAD", "STORE", "ATOMUADD") else None
        return Instruction(OPCODES[name], (DstOperand(dst, mask),), src, memory=memory)

    def _words(self, *values: int) -> SrcOperand:
        return self.immediate(*values, type="UINT32")

    def _own(self, name: str) -> RegisterRef:
        return self._r[f"own {name}"]

    def _where_there(self, *body: Instruction) -> list[Instruction]:
        head = Instruction(OPCODES["UIF"], (), (SrcOperand(self._own("flag"), _X),))
        return [head, *body, Instruction(OPCODES["ENDIF"])]

    def _prologue(self) -> list[Instruction]:
        """Set the flag in the watched invocation, and store its inputs."""
        flag, value, at = self._own("flag"), self._own("value"), self._own("at")
        code = [self._op("MOV", flag, 1, self._words(0xFFFFFFFF)), self._op("MOV", at, 1, self._words(HEADER))]
        buffer, wanted = SrcOperand(RegisterRef(File.BUFFER, self.slot)), self._own("wanted")
        for k, (name, channel) in enumerate(self.matches):
            code.append(self._op("LOAD", wanted, 1, buffer, self._words(WANTED + 8 + 4 * k)))
            code.append(self._op("USEQ", value, 1, SrcOperand(self._r[name], (channel,) * 4), SrcOperand(wanted, _X)))
            code.append(self._op("AND", flag, 1, SrcOperand(flag, _X), SrcOperand(value, _X)))
        if self.is_at_pixel:
            code.append(self._op("LOAD", wanted, 3, buffer, self._words(WANTED)))
            position = SrcOperand(self._r["POSITION"])
            whole = self.program.property("FS_COORD_PIXEL_CENTER") == 1
            code.append(self._op("ADD", value, 3, position, self.immediate(0.5 if whole else 0.0)))
            code.append(self._op("FLR", value, 3, SrcOperand(value)))
            code.append(self._op("FSEQ", value, 3, SrcOperand(value), SrcOperand(wanted)))
            code.append(self._op("AND", flag, 1, SrcOperand(flag, _X), SrcOperand(value, _X)))
            code.append(self._op("AND", flag, 1, SrcOperand(flag, _X), SrcOperand(value, (1, 1, 1, 1))))
        counted = [
            self._op("ATOMUADD", value, 1, buffer, self._words(4), self._words(1)),
            self._op("LOAD", wanted, 1, buffer, self._words(NUMBER)),
            self._op("USEQ", flag, 1, SrcOperand(value, _X), SrcOperand(wanted, _X)),
        ]
        code += self._where_there(*counted)
        inputs = sorted({k for d in self.program.declared(File.IN) if d.dimension is None for k in range(d.first, d.last + 1)})
        if self.program.processor.name not in ("FRAG", "VERT"):
            inputs = []
        return code + [step for k in inputs for step in self._noted(RegisterRef(File.IN, k), 0)]

    def _noted(self, register: RegisterRef | None, number: int | None = None) -> list[Instruction]:
        """Store one step. None, or a register without a value such as a buffer, makes a step without channels."""
        at, value, address = self._own("at"), self._own("value"), self._own("address")
        step = self.place + 1 if number is None else number
        is_value = register is not None and register.file in (File.TEMP, File.OUT, File.ADDR, File.IN)
        file = int(register.file) if register is not None and is_value else 0xFFFF
        index = register.index if register is not None and is_value else 0
        code = [self._op("MOV", value, 15, self._words(step, file, index, 0))]
        if register is not None and is_value and register.indirect is not None:
            offset = SrcOperand(RegisterRef(register.indirect.file, register.indirect.index), (register.indirect.component,) * 4)
            code.append(self._op("UADD", value, 4, SrcOperand(value, (2, 2, 2, 2)), offset))
        buffer = RegisterRef(File.BUFFER, self.slot)
        code.append(self._op("STORE", buffer, 15, SrcOperand(at, _X), SrcOperand(value)))
        if register is not None and is_value:
            code.append(self._op("UADD", address, 1, SrcOperand(at, _X), self._words(16)))
            code.append(self._op("STORE", buffer, 15, SrcOperand(address, _X), SrcOperand(register)))
        code.append(self._op("UADD", at, 1, SrcOperand(at, _X), self._words(4 * STEP_WORDS)))
        code.append(self._op("STORE", buffer, 1, self._words(0), SrcOperand(at, _X)))
        return self._where_there(*code)


def traced(program: Program, slot: int, *, matches: Sequence[tuple[str, int]] = (), is_at_pixel: bool = False) -> Program:
    """The program with its trace in BUFFER `slot`; see `Traced` for the arguments."""
    return Traced(slot=slot, matches=tuple(matches), is_at_pixel=is_at_pixel).run(program)
