"""LOAD, STORE, atomics and RESQ on buffers, constant buffers and atomic counters.

Addresses count bytes; their two low bits are ignored. A word outside of its resource reads 0, is not written, and an atomic on it
gives 0. Lanes act one after the other, the lowest first. Killed lanes and helpers read, but change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from backends.interp.registry import performs
from backends.result import Bits, Mask
from tgsi.enums import File
from tgsi.ir import Instruction, RegisterRef

if TYPE_CHECKING:
    from backends.interp.machine import Machine

NOTHING: Bits = np.zeros(0, np.uint32)
MASK = 0xFFFFFFFF


def _missing(instruction: Instruction) -> str:
    """Images, shared memory and atomic counters are not there yet."""
    operand = instruction.dst[0] if instruction.opcode.name == "STORE" else instruction.src[0]
    file = operand.register.file
    return "" if file in (File.BUFFER, File.CONSTBUF) else f"{instruction.opcode.name} on {file.name} registers"


def _resources(machine: Machine, register: RegisterRef) -> list[Bits]:
    """For each lane the words of the resource that a register names; the words are shared, so that writing them acts."""
    found = machine.buffers
    if register.file is File.CONSTBUF:
        found = {number: data.reshape(-1) for number, data in machine.arguments.constants.items()}
    index = machine.registers.index(register.index, register.indirect)
    lanes = machine.arguments.lanes
    numbers = [index] * lanes if isinstance(index, int) else index.tolist()
    return [found.get(number, NOTHING) for number in numbers]


def _places(machine: Machine, instruction: Instruction, register: RegisterRef, source: int) -> Iterator[tuple[Bits, int]]:
    """For each lane the resource's words and the number of the word addressed."""
    addresses = machine.source(instruction, source, "uint")[:, 0] >> np.uint32(2)
    return zip(_resources(machine, register), addresses.tolist())


@performs("LOAD", check=_missing)
def load(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """Four words in a row, in the order of the resource's swizzle."""
    words = np.zeros((len(active), 4), np.uint32)
    for lane, (data, first) in enumerate(_places(machine, instruction, instruction.src[0].register, 1)):
        for channel, component in enumerate(instruction.src[0].swizzle):
            if first + component < len(data):
                words[lane, channel] = data[first + component]
    machine.store(instruction, 0, words, active)


@performs("STORE", check=_missing)
def store(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The channels of the write mask, each at its own place behind the address."""
    values = machine.source(instruction, 1, "untyped")
    target = instruction.dst[0]
    changing = (active & machine.alive).tolist()
    for lane, (data, first) in enumerate(_places(machine, instruction, target.register, 0)):
        for channel in range(4):
            if changing[lane] and target.write_mask >> channel & 1 and first + channel < len(data):
                data[first + channel] = values[lane, channel]


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def _float_sum(old: int, operand: int) -> int:
    pair = np.array([old, operand], np.uint32).view(np.float32)
    return int((pair[:1] + pair[1:]).view(np.uint32)[0])


ATOMICS: dict[str, Callable[[int, int], int]] = {
    "ATOMUADD": lambda old, e: (old + e) & MASK,
    "ATOMXCHG": lambda old, e: e,
    "ATOMAND": lambda old, e: old & e,
    "ATOMOR": lambda old, e: old | e,
    "ATOMXOR": lambda old, e: old ^ e,
    "ATOMUMIN": min,
    "ATOMUMAX": max,
    "ATOMIMIN": lambda old, e: min(old, e, key=_signed),
    "ATOMIMAX": lambda old, e: max(old, e, key=_signed),
    "ATOMFADD": _float_sum,
    "ATOMINC_WRAP": lambda old, e: 0 if old >= e else old + 1,
    "ATOMDEC_WRAP": lambda old, e: e if old == 0 or old > e else old - 1,
}
"""The new word, from the old one and the operand."""


@performs(*ATOMICS, "ATOMCAS", check=_missing)
def atomic(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """The old word goes to the destination, the new one to memory; ATOMCAS stores its last source where the old word equals e."""
    name = instruction.opcode.name
    operands = [
        machine.source(instruction, number, instruction.opcode.src_types[number])[:, 0].tolist()
        for number in range(2, len(instruction.src))
    ]
    old_words = np.zeros(len(active), np.uint32)
    changing = (active & machine.alive).tolist()
    for lane, (data, place) in enumerate(_places(machine, instruction, instruction.src[0].register, 1)):
        if place >= len(data):
            continue
        old = int(data[place])
        old_words[lane] = old
        if not changing[lane]:
            continue
        if name == "ATOMCAS":
            data[place] = operands[1][lane] if old == operands[0][lane] else old
        else:
            data[place] = ATOMICS[name](old, operands[0][lane])
    machine.store(instruction, 0, np.repeat(old_words[:, None], 4, axis=1), active)


@performs("RESQ", check=_missing)
def resq(machine: Machine, instruction: Instruction, active: Mask) -> None:
    """x: the size in bytes; y, z and w: 0."""
    words = np.zeros((len(active), 4), np.uint32)
    words[:, 0] = [4 * len(data) for data in _resources(machine, instruction.src[0].register)]
    machine.store(instruction, 0, words, active)
