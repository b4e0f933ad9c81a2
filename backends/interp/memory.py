"""LOAD, STORE, atomics and RESQ: on words here, on images in `images`.

Addresses count bytes; their two low bits are ignored. A word outside of its resource reads 0, is not written, and an atomic on it
gives 0. Lanes act one after the other, the lowest first. Killed lanes and helpers read, but change nothing.

BUFFER and CONSTBUF are numbered resources of a draw or grid. ``HWATOMIC[b][i]`` is word i of buffer b of counters. MEMORY means what its
declaration says, SHARED without one: a block's own words (SHARED), an invocation's own (PRIVATE), those of the grid (GLOBAL, INPUT).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from backends.interp import images
from backends.interp.atomics import ATOMICS, new_word
from backends.interp.registry import performs
from backends.run.arguments import Arguments
from backends.run.result import Bits, Mask
from tgsi.language.facts.enums import File, MemoryType
from tgsi.language.ir import Dimension, Instruction, RegisterRef
from tgsi.language.program import Program

if TYPE_CHECKING:
    from backends.interp.machine import Machine

NOTHING: Bits = np.zeros(0, np.uint32)

WORDS = frozenset({File.BUFFER, File.CONSTBUF, File.HWATOMIC, File.MEMORY})
"""Files of resources that are words; any other file names an image, or holds the handle of one."""


class Memory:
    """The words behind MEMORY registers."""

    def __init__(self, program: Program, arguments: Arguments) -> None:
        self._kinds: dict[int, MemoryType] = {}
        for d in program.declared(File.MEMORY):
            self._kinds |= dict.fromkeys(range(d.first, d.last + 1), MemoryType.SHARED if d.memory is None else d.memory)
        self._grid = arguments.memory
        self._own: dict[tuple[MemoryType, int], Bits] = {}  # of blocks and of invocations, all 0 until they are used
        self._size, self._group = arguments.shared_words, arguments.shape.group

    def words(self, number: int, lane: int) -> Bits:
        """What ``MEMORY[number]`` is for a lane."""
        kind = self._kinds.get(number, MemoryType.SHARED)
        if kind in (MemoryType.GLOBAL, MemoryType.INPUT):
            return self._grid.get(kind, NOTHING)
        key = kind, lane if kind is MemoryType.PRIVATE else lane // self._group
        if key not in self._own:
            self._own[key] = np.zeros(self._size, np.uint32)
        return self._own[key]


def _resource(instruction: Instruction) -> RegisterRef:
    return (instruction.dst[0] if instruction.opcode.name == "STORE" else instruction.src[0]).register


def _missing(instruction: Instruction) -> str:
    """Constants do not change."""
    is_constant = instruction.opcode.is_store and _resource(instruction).file is File.CONSTBUF
    return f"{instruction.opcode.name} on CONSTBUF registers" if is_constant else ""


def _numbers(machine: Machine, register: RegisterRef | Dimension) -> list[int]:
    """For each lane the number that an index means."""
    index = machine.registers.index(register.index, register.indirect)
    return [index] * machine.arguments.lanes if isinstance(index, int) else index.tolist()


def _resources(machine: Machine, register: RegisterRef) -> list[Bits]:
    """For each lane the words of the resource that a register names; the words are shared, so that writing them acts."""
    arguments = machine.arguments
    match register.file:
        case File.MEMORY:
            return [machine.memory.words(number, lane) for lane, number in enumerate(_numbers(machine, register))]
        case File.HWATOMIC:
            return [arguments.counters.get(number, NOTHING) for number in _numbers(machine, register.dimension or Dimension(0))]
        case File.CONSTBUF:
            constants = {number: data.reshape(-1) for number, data in arguments.constants.items()}
            return [constants.get(number, NOTHING) for number in _numbers(machine, register)]
        case _:
            return [arguments.buffers.get(number, NOTHING) for number in _numbers(machine, register)]


def _places(machine: Machine, instruction: Instruction, address: int) -> Iterator[tuple[Bits, int]]:
    """For each lane the resource's words and the number of the word that the source `address` means."""
    register = _resource(instruction)
    places = (machine.source(instruction, address, "uint")[:, 0] >> np.uint32(2)).tolist()
    if register.file is File.HWATOMIC:
        places = [place + first for place, first in zip(places, _numbers(machine, register))]
    return zip(_resources(machine, register), places)


@performs("LOAD")
def load(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Four words in a row, in the order of the resource's swizzle."""
    if _resource(instruction).file not in WORDS:
        images.load(machine, instruction, active)
        return
    words = np.zeros((len(active), 4), np.uint32)
    for lane, (data, first) in enumerate(_places(machine, instruction, 1)):
        for channel, component in enumerate(instruction.src[0].swizzle):
            if 0 <= first + component < len(data):
                words[lane, channel] = data[first + component]
    machine.store(instruction, 0, words, active)


@performs("STORE", check=_missing)
def store(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The channels of the write mask, each at its own place behind the address."""
    if _resource(instruction).file not in WORDS:
        images.store(machine, instruction, active)
        return
    values = machine.source(instruction, 1, "untyped")
    changing = (active & machine.alive).tolist()
    for lane, (data, first) in enumerate(_places(machine, instruction, 0)):
        for channel in range(4):
            if changing[lane] and instruction.dst[0].write_mask >> channel & 1 and 0 <= first + channel < len(data):
                data[first + channel] = values[lane, channel]


@performs(*ATOMICS, "ATOMCAS", check=_missing)
def atomic(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The old word goes to the destination, the new one to memory; ATOMCAS stores its last source where the old word equals e."""
    if _resource(instruction).file not in WORDS:
        images.atomic(machine, instruction, active)
        return
    name = instruction.opcode.name
    operands = [
        machine.source(instruction, number, instruction.opcode.src_types[number])[:, 0].tolist()
        for number in range(2, len(instruction.src))
    ]
    old_words = np.zeros(len(active), np.uint32)
    changing = (active & machine.alive).tolist()
    for lane, (data, place) in enumerate(_places(machine, instruction, 1)):
        if not 0 <= place < len(data):
            continue
        old = int(data[place])
        old_words[lane] = old
        if changing[lane]:
            data[place] = new_word(name, old, [values[lane] for values in operands])
    machine.store(instruction, 0, np.repeat(old_words[:, None], 4, axis=1), active)


@performs("RESQ")
def resq(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """x: the size in bytes; y, z and w: 0."""
    if _resource(instruction).file not in WORDS:
        images.resq(machine, instruction, active)
        return
    words = np.zeros((len(active), 4), np.uint32)
    words[:, 0] = [4 * len(data) for data in _resources(machine, _resource(instruction))]
    machine.store(instruction, 0, words, active)
