"""Expansion of an instruction to several ones: scratch registers, constants, and a destination that is written last."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import replace

from passes.edit import Immediates, Temporaries
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program


class Full(Exception):
    """No register or immediate can be added, because an address may reach all of TEMP or IMM, or because the program has too many."""


class Room:
    """Registers and immediates added to one program. Expansions of different instructions share the registers."""

    def __init__(self, program: Program) -> None:
        self.temporaries, self.immediates = Temporaries(program), Immediates(program)
        self.zero_wins = bool(program.property("MUL_ZERO_WINS") or program.property("LEGACY_MATH_RULES"))
        self._scratch: list[RegisterRef] = []

    def scratch(self, number: int) -> RegisterRef:
        """Return a register for values between the instructions of one expansion. Raise Full if there is none."""
        while number >= len(self._scratch):
            if not self.temporaries.room(1):
                raise Full
            self._scratch.append(self.temporaries.new())
        return self._scratch[number]

    def words(self, words: Sequence[int | None], kind: str = "uint") -> SrcOperand:
        """Return an operand with these words in its channels; None allows any word. Raise Full if no room is left."""
        operand = self.immediates.source(words, kind)
        if operand is None:
            raise Full
        return operand

    def finish(self, program: Program) -> Program:
        """Return a program with the registers and immediates that were added."""
        return self.temporaries.finish(self.immediates.finish(program))


class Expansion:
    """The expansion of one instruction.

    Intermediate values go to scratch registers; only the last instruction writes the destination, which may therefore also be a source.
    """

    def __init__(self, room: Room, item: Instruction, first: int = 0) -> None:
        """`first` is the first free scratch register."""
        self.room, self.item, self._first = room, item, first
        self.code: list[Instruction] = []

    @property
    def mask(self) -> int:
        """The channels that the instruction writes."""
        return self.item.dst[0].write_mask

    def slot(self, number: int) -> int:
        """Return the number of a scratch register in the room."""
        return self._first + number

    def source(self, number: int, channel: int | None = None) -> SrcOperand:
        """Return a source, or one of its channels replicated."""
        operand = self.item.src[number]
        return operand if channel is None else broadcast(operand, channel)

    def number(self, value: float) -> SrcOperand:
        """Return a float in all channels."""
        return self.room.words([struct.unpack("<I", struct.pack("<f", value))[0]] * 4, "float")

    def put(self, name: str, target: DstOperand, *sources: SrcOperand, is_last: bool = False) -> None:
        """Append an instruction. The last one saturates if the expanded instruction does."""
        item = self.item
        saturate = item.saturate and is_last
        self.code.append(Instruction(OPCODES[name], (target,), sources, saturate=saturate, precise=item.precise, span=item.span))

    def make(self, name: str, slot: int, mask: int, *sources: SrcOperand) -> SrcOperand:
        """Compute channels of a scratch register, and return the register as a source."""
        register = self.room.scratch(self.slot(slot))
        self.put(name, DstOperand(register, mask), *sources)
        return SrcOperand(register)

    def last(self, name: str, *sources: SrcOperand) -> None:
        """Append the instruction that writes the destination."""
        self.put(name, self.item.dst[0], *sources, is_last=True)

    def channels(self, parts: Sequence[tuple[int, Callable[[DstOperand, bool], None]]], slot: int) -> None:
        """Compute the written channels part by part. A part is a mask, and a function that appends the code for these channels.

        The function takes a destination, and true if that is the instruction's own. Several parts are collected in a scratch register.
        """
        wanted = [(mask & self.mask, make) for mask, make in parts if mask & self.mask]
        if len(wanted) == 1:
            wanted[0][1](self.item.dst[0], True)
            return
        register = self.room.scratch(self.slot(slot))
        for mask, make in wanted:
            make(DstOperand(register, mask), False)
        self.last("MOV", SrcOperand(register))


def broadcast(operand: SrcOperand, channel: int) -> SrcOperand:
    """Return a source with one of its channels replicated."""
    taken = operand.swizzle[channel]
    return replace(operand, swizzle=(taken, taken, taken, taken))


def negated(operand: SrcOperand) -> SrcOperand:
    """Return the negative of a source of floats."""
    return replace(operand, negate=not operand.negate)


def magnitude(operand: SrcOperand) -> SrcOperand:
    """Return the absolute value of a source of floats."""
    return replace(operand, absolute=True, negate=False)
