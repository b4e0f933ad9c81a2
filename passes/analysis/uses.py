"""Reads and writes of each register channel, by instruction number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from passes.analysis.access import indices_of, results
from tgsi.language._forks import cached_property
from tgsi.language.channels import read_mask
from tgsi.language.facts.enums import File
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record

KEPT = (File.TEMP, File.ADDR, File.OUT)
"""Files whose registers instructions write."""


@record
class Access:
    """One access: instruction number, operand number (-1 for an index or a texture offset), register, channels."""

    instruction: int
    operand: int
    register: RegisterRef
    mask: int

    @property
    def is_indirect(self) -> bool:
        """True if the access may go to any register of its array, or of its file."""
        return self.register.indirect is not None


def reads_of(item: Instruction, number: int = 0) -> Iterator[Access]:
    """Yield the reads of an instruction: sources, index registers, texture offsets. `number` is the instruction's number."""
    for operand, source in enumerate(item.src):
        yield Access(number, operand, source.register, read_mask(item, operand))
        yield from index_reads(source.register, number)
    written = results(item)
    for destination in item.dst:
        if not written:  # the handle of an image
            yield Access(number, -1, destination.register, 1)
        yield from index_reads(destination.register, number)
    for offset in item.offsets:
        yield Access(number, -1, offset.register, sum(1 << channel for channel in set(offset.swizzle)))
        yield from index_reads(offset.register, number)


def writes_of(item: Instruction, number: int = 0) -> Iterator[Access]:
    """Yield the registers that an instruction writes; writes to memory are not among them."""
    for operand, destination in enumerate(results(item)):
        if destination.register.file in KEPT:
            yield Access(number, operand, destination.register, destination.write_mask)


def index_reads(register: RegisterRef, number: int = 0) -> Iterator[Access]:
    """Yield the reads of the registers that index a register."""
    for indirect in indices_of(register):
        yield Access(number, -1, RegisterRef(indirect.file, indirect.index), 1 << indirect.component)


@record(slots=False)
class Uses:
    """All accesses of a program in the order of the text; made by `find_uses`."""

    program: Program
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]

    @cached_property
    def read_masks(self) -> Mapping[tuple[File, int], int]:
        """Channels of each register that are read; an indirect read adds the whole array, or the whole file."""
        return self._masks(self.reads)

    def registers(self, register: RegisterRef) -> range:
        """Return the registers that an operand may refer to."""
        return reachable(self._arrays, self._sizes, register)

    @cached_property
    def _arrays(self) -> dict[tuple[File, int], range]:
        return array_ranges(self.program)

    @cached_property
    def _sizes(self) -> dict[File, int]:
        return {file: self.program.file_size(file) for file in File}

    def _masks(self, accesses: tuple[Access, ...]) -> Mapping[tuple[File, int], int]:
        masks: dict[tuple[File, int], int] = {}
        whole: dict[tuple[File, range], int] = {}
        for item in accesses:
            file = item.register.file
            if item.is_indirect:  # gathered first, because many of them may cover many registers
                key = file, self.registers(item.register)
                whole[key] = whole.get(key, 0) | item.mask
            else:
                masks[file, item.register.index] = masks.get((file, item.register.index), 0) | item.mask
        for (file, registers), mask in whole.items():
            for index in registers:
                masks[file, index] = masks.get((file, index), 0) | mask
        return masks


def find_uses(program: Program) -> Uses:
    """Return every register access of a program."""
    reads = tuple(access for number, item in enumerate(program.instructions) for access in reads_of(item, number))
    writes = tuple(access for number, item in enumerate(program.instructions) for access in writes_of(item, number))
    return Uses(program, reads, writes)


def array_ranges(program: Program) -> dict[tuple[File, int], range]:
    """Return the registers of every declared array."""
    return {(item.file, item.array_id): range(item.first, item.last + 1) for item in program.declarations if item.array_id}


def reachable(arrays: Mapping[tuple[File, int], range], sizes: Mapping[File, int], register: RegisterRef) -> range:
    """Return the registers that an operand may refer to: itself, its array, or its whole file."""
    if register.indirect is None:
        return range(register.index, register.index + 1)
    return arrays.get((register.file, register.array_id)) or range(sizes[register.file])


def runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each run of consecutive numbers."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    return ranges
