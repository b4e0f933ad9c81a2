"""The end of a program: numbers of registers, properties, declarations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from frontends.spirv.emit.state import State
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.ir import Declaration, DstOperand, Instruction, Property, RegisterRef, SrcOperand, TexOffset
from tgsi.language.program import Program

_VARYINGS = (File.IN, File.OUT)
_FLOW_ORDER = {File.IN: 0, File.OUT: 1, File.SV: 2}


def finish(s: State) -> Program:
    """The program, with registers numbered without gaps."""
    code = s.code
    code.instructions.append(Instruction(OPCODES["END"]))
    numbers = varyings(s)
    temps = _Temporaries(s)

    def renumbered(register: RegisterRef) -> RegisterRef:
        file = register.file
        if file is File.TEMP:
            return replace(register, index=temps(register), array_id=temps.array(register.array_id))
        if file in _VARYINGS and (file, register.index) in numbers:
            return replace(register, index=numbers[file, register.index])
        return register

    instructions = tuple(_rewritten(item, renumbered) for item in code.instructions)
    declarations = [
        replace(item, first=numbers[item.file, item.first], last=numbers[item.file, item.first]) if item.file in _VARYINGS else item
        for item in code.declarations
    ]
    declarations.sort(
        key=lambda item: (
            _FLOW_ORDER.get(item.file, 3),
            int(item.file) if item.file not in _FLOW_ORDER else 0,
            item.dimension or 0,
            item.first,
        )
    )
    declarations += temps.declarations
    declarations += [Declaration(File.ADDR, number, number) for number in sorted(code.addresses)]
    properties = tuple(Property(name, value) for name, value in sorted(s.properties.items(), key=lambda item: PROPERTIES[item[0]].number))
    return Program(s.processor, tuple(declarations), code.immediates(), properties, instructions)


def varyings(s: State) -> dict[tuple[File, int], int]:
    """Number of each declared input and output. Inputs of vertex programs keep theirs, the location."""
    numbers: dict[tuple[File, int], int] = {}
    for file in _VARYINGS:
        known = sorted({item.first for item in s.code.declarations if item.file is file}, key=_place)
        if s.processor is Processor.VERT and file is File.IN:
            numbers |= {(file, number): number for number in known}
        else:
            numbers |= {(file, number): place for place, number in enumerate(known)}
    return numbers


def _place(number: int) -> tuple[int, int]:
    """Built-in values first, then values per vertex, then values per patch."""
    return (0 if number >= 1 << 13 else 1, number)


class _Temporaries:
    """New numbers of temporaries: indexed arrays first, then all others in the order of use."""

    def __init__(self, s: State) -> None:
        code = s.code
        self.bases: list[tuple[int, int, int]] = []
        self.ids: dict[int, int] = {}
        self.declarations: list[Declaration] = []
        self.known: dict[int, int] = {}
        count = 0
        for number, (first, size) in enumerate(code.arrays, 1):
            if number not in code.indexed:
                continue
            self.bases.append((first, first + size, count))
            self.ids[number] = len(self.ids) + 1
            self.declarations.append(Declaration(File.TEMP, count, count + size - 1, array_id=self.ids[number]))
            self.known |= {first + place: count + place for place in range(size)}
            count += size
        self.first = count
        for item in code.instructions:
            for register in _registers(item):
                if register.file is File.TEMP and register.index not in self.known and register.indirect is None:
                    self.known[register.index] = count
                    count += 1
        if count > self.first:
            self.declarations.append(Declaration(File.TEMP, self.first, count - 1))

    def __call__(self, register: RegisterRef) -> int:
        return self.known[register.index]

    def array(self, number: int) -> int:
        """New number of an array."""
        return self.ids.get(number, 0)


def _registers(item: Instruction) -> list[RegisterRef]:
    registers = [operand.register for operand in item.dst] + [operand.register for operand in item.src]
    return registers + [offset.register for offset in item.offsets]


def _rewritten(item: Instruction, change: Callable[[RegisterRef], RegisterRef]) -> Instruction:
    return replace(
        item,
        dst=tuple(DstOperand(change(operand.register), operand.write_mask) for operand in item.dst),
        src=tuple(SrcOperand(change(operand.register), operand.swizzle, operand.negate, operand.absolute) for operand in item.src),
        offsets=tuple(TexOffset(change(offset.register), offset.swizzle) for offset in item.offsets),
    )
