"""Registers, constants and code that a lowering of state adds to a program."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from passes.analysis.access import indexed_registers
from passes.analysis.operands import registers_of
from passes.edit import Immediates
from passes.lower.insert import exits
from passes.validate.roles import Role, source_roles
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, ImmediateType, Interpolation, Location, ReturnType
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import (
    Declaration,
    Dimension,
    DstOperand,
    Immediate,
    IndirectRef,
    Instruction,
    Property,
    RegisterRef,
    SrcOperand,
    TexOffset,
    ViewInfo,
)
from tgsi.language.program import Program

Swizzle = tuple[int, int, int, int]
X, Y, Z, W = (0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)


def op(name: str, dst: RegisterRef | None, *src: SrcOperand, mask: int = 15, saturate: bool = False) -> Instruction:
    """Return an instruction; `dst` is None for one without destination."""
    targets = () if dst is None else (DstOperand(dst, mask),)
    return Instruction(OPCODES[name], targets, src, saturate=saturate)


def of(register: RegisterRef, swizzle: Swizzle = (0, 1, 2, 3), *, negate: bool = False, absolute: bool = False) -> SrcOperand:
    """Return a source that reads a register."""
    return SrcOperand(register, swizzle, negate, absolute)


def register_of(program: Program, file: File, semantic: Semantic) -> RegisterRef | None:
    """Return the register that a declaration gives a semantic, also in the middle of a range; None if there is none."""
    item = declaration_of(program.declarations, file, semantic)
    if item is None or item.semantic is None:
        return None
    return RegisterRef(file, item.first + semantic.index - item.semantic.index)


def declaration_of(declarations: Iterable[Declaration], file: File, semantic: Semantic) -> Declaration | None:
    """Return the declaration that covers a semantic."""
    for item in declarations:
        own = item.semantic
        if item.file is not file or own is None or own.name != semantic.name:
            continue
        if 0 <= semantic.index - own.index <= item.last - item.first:
            return item
    return None


def with_property(program: Program, name: str, value: int) -> Program:
    """Return the program with a property set; 0, the default of every property that state needs, leaves it out."""
    others = tuple(item for item in program.properties if item.name != name)
    return replace(program, properties=(*others, Property(name, value)) if value else others)


class Additions:
    """New registers, immediates and declarations of one program, each made once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.declarations = list(program.declarations)
        self._immediates = Immediates(program)
        self._next = {file: program.file_size(file) for file in (File.IN, File.OUT, File.SV, File.TEMP, File.SAMP, File.ADDR)}
        self._temps = self._next[File.TEMP]

    def temp(self) -> RegisterRef:
        """Return a new TEMP."""
        return RegisterRef(File.TEMP, self._take(File.TEMP))

    def address(self) -> RegisterRef:
        """Return a new ADDR, declared."""
        number = self._take(File.ADDR)
        self.declarations.append(Declaration(File.ADDR, number, number))
        return RegisterRef(File.ADDR, number)

    def number(self, *values: float) -> SrcOperand:
        """Return a source of up to four floats; the last one is repeated."""
        words = [struct.unpack("<I", struct.pack("<f", value))[0] for value in values]
        return self.words("float", *words)

    def words(self, kind: str, *words: int) -> SrcOperand:
        """Return a source of 32-bit words; `kind` is float or uint, for how they are written."""
        four = [*words, *[words[-1]] * (4 - len(words))]
        operand = self._immediates.source(four, kind)
        if operand is None:  # the program indexes its immediates: a new last one leaves their numbers unchanged
            type_ = ImmediateType.FLT32 if kind == "float" else ImmediateType.UINT32
            self._immediates.items.append(Immediate(type_, (four[0], four[1], four[2], four[3])))
            operand = SrcOperand(RegisterRef(File.IMM, len(self._immediates.items) - 1))
        return operand

    def constants(self, first: int, count: int, buffer: int) -> list[RegisterRef]:
        """Return `count` registers of a constant buffer from `first` on, declared; -1 takes those after all that the program declares.

        Raises:
            ValueError: a number is negative.
        """
        if first < -1 or buffer < 0:
            raise ValueError(f"CONST[{buffer}][{first}] is not a register")
        own = self._constants(buffer)
        first = max((item.last + 1 for item in own), default=0) if first == -1 else first
        uses_dimension = buffer > 0 or any(item.dimension is not None for item in own)
        numbers = range(first, first + count)
        missing = [number for number in numbers if not any(item.covers(number) for item in self._constants(buffer))]
        dimension = buffer if uses_dimension else None
        if len(missing) == count:
            self.declarations.append(Declaration(File.CONST, first, first + count - 1, dimension=dimension))
        else:
            self.declarations += [Declaration(File.CONST, number, number, dimension=dimension) for number in missing]
        return [RegisterRef(File.CONST, number, Dimension(buffer) if uses_dimension else None) for number in numbers]

    def _constants(self, buffer: int) -> list[Declaration]:
        return [item for item in self.declarations if item.file is File.CONST and (item.dimension or 0) == buffer]

    def input(
        self, semantic: Semantic, interpolation: Interpolation | None, mask: int = 15, location: Location = Location.CENTER
    ) -> RegisterRef:
        """Return the input of a semantic; `interpolation` and `location` apply to a new declaration."""
        return self._port(File.IN, semantic, mask, interpolation, location)

    def output(self, semantic: Semantic, mask: int = 15) -> RegisterRef:
        """Return the output of a semantic."""
        return self._port(File.OUT, semantic, mask, None, Location.CENTER)

    def system(self, name: str) -> RegisterRef:
        """Return the system value of a name."""
        return self._port(File.SV, Semantic(name), 15, None, Location.CENTER)

    def sampler(self, unit: int, target: str) -> RegisterRef:
        """Return a new sampler, declared with a view of floats.

        Raises:
            UnsupportedError: the program has a texture in this unit.
        """
        for item in self.declarations:
            if item.file in (File.SAMP, File.SVIEW) and item.covers(unit):
                raise UnsupportedError.at("K039", f"unit {unit} has another texture", item.span, hint="give another unit")
        kind = ReturnType.FLOAT
        self.declarations.append(Declaration(File.SAMP, unit, unit))
        self.declarations.append(Declaration(File.SVIEW, unit, unit, view=ViewInfo(target, (kind, kind, kind, kind))))
        return RegisterRef(File.SAMP, unit)

    def _port(self, file: File, semantic: Semantic, mask: int, interpolation: Interpolation | None, location: Location) -> RegisterRef:
        item = declaration_of(self.declarations, file, semantic)
        if item is None or item.semantic is None:
            number = self._take(file)
            self.declarations.append(
                Declaration(file, number, number, semantic=semantic, interpolation=interpolation, location=location, usage_mask=15)
            )
            return RegisterRef(file, number)
        if ~item.usage_mask & mask:
            self.declarations[self.declarations.index(item)] = replace(item, usage_mask=item.usage_mask | mask)
        return RegisterRef(file, item.first + semantic.index - item.semantic.index)

    def _take(self, file: File) -> int:
        self._next[file] += 1
        return self._next[file] - 1

    def finish(self, program: Program) -> Program:
        """Return `program` with all additions; its instructions are unchanged."""
        declarations = list(self.declarations)
        if self._next[File.TEMP] > self._temps:
            declarations.append(Declaration(File.TEMP, self._temps, self._next[File.TEMP] - 1))
        return replace(program, declarations=tuple(declarations), immediates=tuple(self._immediates.items))


# ------------------------------------------------------------------------------------------------------------------- places
def prologue(program: Program, items: Sequence[Instruction]) -> Program:
    """Return the program with instructions that run once, before all others: a jump to its first instruction does not run them."""
    if not items:
        return program
    own = [item if item.label is None else replace(item, label=item.label + len(items)) for item in program.instructions]
    return replace(program, instructions=(*items, *own))


def emits(program: Program) -> Iterator[int]:
    """Yield the places of instructions that emit a vertex, wherever they stand."""
    for index, item in enumerate(program.instructions):
        if Trait.EMIT in item.opcode.traits:
            yield index


def ends(program: Program) -> Sequence[int]:
    """Return the places where outputs are final: each EMIT if there is one, otherwise each end of the main program."""
    return list(emits(program)) or list(exits(program))


# ---------------------------------------------------------------------------------------------------------- other registers
def redirect(program: Program, replaced: Mapping[tuple[File, int], RegisterRef]) -> Program:
    """Return the program with some registers replaced by others in reads, writes and indices.

    Sources of INTERP instructions are not replaced: INTERP reads where the input is declared, not a value.

    Raises:
        UnsupportedError: an address may reach one of the registers.
    """
    _check_reach(program, replaced)

    def index(ref: IndirectRef | None) -> IndirectRef | None:
        new = replaced.get((ref.file, ref.index)) if ref is not None else None
        return ref if ref is None or new is None else replace(ref, file=new.file, index=new.index)

    def register(ref: RegisterRef) -> RegisterRef:
        inner, dimension = index(ref.indirect), ref.dimension
        if dimension is not None and dimension.indirect is not None:
            dimension = replace(dimension, indirect=index(dimension.indirect))
        if ref.indirect is None and (new := replaced.get((ref.file, ref.index))) is not None:
            return new
        return ref if inner is ref.indirect and dimension == ref.dimension else replace(ref, indirect=inner, dimension=dimension)

    def changed(item: Instruction) -> Instruction:
        dst = tuple(replace(operand, register=register(operand.register)) for operand in item.dst)
        roles = source_roles(item.opcode.name)
        pairs = zip(item.src, roles)
        src = tuple(o if role is Role.VARYING else replace(o, register=register(o.register)) for o, role in pairs)
        offsets = tuple(TexOffset(register(operand.register), operand.swizzle) for operand in item.offsets)
        return item if dst == item.dst and src == item.src and offsets == item.offsets else replace(item, dst=dst, src=src, offsets=offsets)

    return replace(program, instructions=tuple(map(changed, program.instructions)))


def is_again(item: Instruction) -> bool:
    """Return true for INTERP instructions, which interpolate their first source at another place."""
    return bool(item.src) and source_roles(item.opcode.name)[0] is Role.VARYING


def changed_again(item: Instruction, more: Additions, change: Callable[[RegisterRef], Sequence[Instruction]]) -> list[Instruction]:
    """Return the replacement of an INTERP instruction: a new register with the input at that place, then `change` of this register."""
    temp, source = more.temp(), item.src[0]
    target = replace(item.dst[0], register=temp, write_mask=15)
    plain = replace(item, dst=(target,), src=(of(source.register), *item.src[1:]), saturate=False)
    copy = replace(item, opcode=OPCODES["MOV"], src=(replace(source, register=temp),))
    return [plain, *change(temp), copy]


def _check_reach(program: Program, replaced: Mapping[tuple[File, int], RegisterRef]) -> None:
    for ref in indexed_registers(program):
        if ref.indirect is None:
            continue
        for file, number in replaced:
            if file is ref.file and _reaches(program, ref, number):
                place = next((item.span for item in program.instructions if ref in registers_of(item)), None)
                message = f"an address may reach {file.name}[{number}], which the state changes"
                raise UnsupportedError.at("K039", message, place, hint="declare an ARRAY without it")


def _reaches(program: Program, ref: RegisterRef, number: int) -> bool:
    """Return true if an operand with an address may reach a register: its array covers the register, or it has no array."""
    array = next((item for item in program.declared(ref.file) if item.array_id and item.array_id == ref.array_id), None)
    return array is None or array.covers(number)
