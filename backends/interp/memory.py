"""LOAD, STORE, atomics and RESQ: on words here, on images in `images`.

Addresses count bytes; their two low bits are ignored. A word outside of its resource reads 0, is not written, and an atomic on it gives 0.
Lanes act one after the other, in the order of their numbers. Killed lanes and helpers read, but change nothing.

BUFFER and CONSTBUF are numbered resources of a draw or grid. ``HWATOMIC[b][i]`` is word i of buffer b of counters. The declaration of
MEMORY decides who shares its words: a block (SHARED, also without a declaration), one invocation (PRIVATE), or the grid (GLOBAL, INPUT).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from backends.interp import images
from backends.interp.atomics import ATOMICS, new_word
from backends.interp.memory_file import NOTHING
from backends.interp.registry import performs
from backends.interp.state import State
from backends.run.result import Bits, Mask
from tgsi.language.facts.enums import File
from tgsi.language.ir import Dimension, Instruction, RegisterRef

WORDS = frozenset({File.BUFFER, File.CONSTBUF, File.HWATOMIC, File.MEMORY})
"""Files of resources that are words; any other file names an image, or holds the handle of one."""


def _resource(instruction: Instruction) -> RegisterRef:
    return (instruction.dst[0] if instruction.opcode.name == "STORE" else instruction.src[0]).register


def _missing(instruction: Instruction) -> str:
    """The refused operation, by name: constants cannot be written."""
    is_constant = instruction.opcode.is_store and _resource(instruction).file is File.CONSTBUF
    return f"{instruction.opcode.name} on CONSTBUF registers" if is_constant else ""


def _numbers(state: State, register: RegisterRef | Dimension) -> list[int]:
    """The value of an index in each lane."""
    index = state.registers.index(register.index, register.indirect)
    return [index] * state.arguments.lanes if isinstance(index, int) else index.tolist()


def _resources(state: State, register: RegisterRef) -> list[Bits]:
    """The words of the resource that a register names, for each lane. The arrays are shared, so writing them changes the resource."""
    arguments = state.arguments
    match register.file:
        case File.MEMORY:
            return [state.memory.words(number, lane) for lane, number in enumerate(_numbers(state, register))]
        case File.HWATOMIC:
            return [arguments.counters.get(number, NOTHING) for number in _numbers(state, register.dimension or Dimension(0))]
        case File.CONSTBUF:
            constants = {number: data.reshape(-1) for number, data in arguments.constants.items()}
            return [constants.get(number, NOTHING) for number in _numbers(state, register)]
        case _:
            return [arguments.buffers.get(number, NOTHING) for number in _numbers(state, register)]


def _places(state: State, instruction: Instruction, address: int) -> Iterator[tuple[Bits, int]]:
    """The resource's words, and the word number of the source `address`, for each lane. HWATOMIC itself names the word."""
    register = _resource(instruction)
    if register.file is File.HWATOMIC:
        return zip(_resources(state, register), _numbers(state, register))
    return zip(_resources(state, register), (state.source(instruction, address, "uint")[:, 0] >> np.uint32(2)).tolist())


@performs("LOAD")
def load(state: State, instruction: Instruction, active: Mask) -> None:
    """Four words in a row, in the order of the resource's swizzle."""
    if _resource(instruction).file not in WORDS:
        images.load(state, instruction, active)
        return
    words = np.zeros((len(active), 4), np.uint32)
    for lane, (data, first) in enumerate(_places(state, instruction, 1)):
        for channel, component in enumerate(instruction.src[0].swizzle):
            if 0 <= first + component < len(data):
                words[lane, channel] = data[first + component]
    state.store(instruction, 0, words, active)


@performs("STORE", check=_missing)
def store(state: State, instruction: Instruction, active: Mask) -> None:
    """The channels of the write mask, each at its own place behind the address."""
    if _resource(instruction).file not in WORDS:
        images.store(state, instruction, active)
        return
    values = state.source(instruction, 1, "untyped")
    changing = (active & state.alive).tolist()
    for lane, (data, first) in enumerate(_places(state, instruction, 0)):
        for channel in range(4):
            if changing[lane] and instruction.dst[0].write_mask >> channel & 1 and 0 <= first + channel < len(data):
                data[first + channel] = values[lane, channel]


@performs(*ATOMICS, "ATOMCAS", check=_missing)
def atomic(state: State, instruction: Instruction, active: Mask) -> None:
    """The old word goes to the destination, the new one to memory; ATOMCAS stores its last source where the old word equals e."""
    if _resource(instruction).file not in WORDS:
        images.atomic(state, instruction, active)
        return
    name = instruction.opcode.name
    operands = [
        state.source(instruction, number, instruction.opcode.src_types[number])[:, 0].tolist() for number in range(2, len(instruction.src))
    ]
    old_words = np.zeros(len(active), np.uint32)
    changing = (active & state.alive).tolist()
    for lane, (data, place) in enumerate(_places(state, instruction, 1)):
        if not 0 <= place < len(data):
            continue
        old = int(data[place])
        old_words[lane] = old
        if changing[lane]:
            data[place] = new_word(name, old, [values[lane] for values in operands])
    state.store(instruction, 0, np.repeat(old_words[:, None], 4, axis=1), active)


@performs("RESQ")
def resq(state: State, instruction: Instruction, active: Mask) -> None:
    """x: the size in bytes; y, z and w: 0."""
    if _resource(instruction).file not in WORDS:
        images.resq(state, instruction, active)
        return
    words = np.zeros((len(active), 4), np.uint32)
    words[:, 0] = [4 * len(data) for data in _resources(state, _resource(instruction))]
    state.store(instruction, 0, words, active)
