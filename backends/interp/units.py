"""The texture, sampler or image of an operand: a number, or a handle in a register.

A handle is the number plus one, so 0 is never a handle. Operands are SAMP, SVIEW and IMAGE registers. Channel x (after the swizzle) of any
other register is read as a handle, which reaches any bound unit. Undeclared numbers, which an address may compute, and handles of empty
units become the number NOTHING.
"""

from __future__ import annotations

from collections.abc import Callable, Container

import numpy as np
from numpy.typing import NDArray

from backends.interp.registry import performs
from backends.interp.state import State
from backends.run.result import Bits, Mask
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import TARGETS, File, TargetInfo
from tgsi.language.ir import Instruction, RegisterRef, SrcOperand

NUMBERED = frozenset({File.SAMP, File.SVIEW, File.IMAGE})
NOTHING = -1

Numbers = int | NDArray[np.int64]
"""One for all lanes, or one a lane."""


def numbers_of(state: State, register: RegisterRef, bound: Container[int], channel: int = 0) -> Numbers:
    """The resource numbers of a register; NOTHING for a number that is not bound. A second index is ignored."""
    if register.file not in NUMBERED:
        words = np.ascontiguousarray(state.registers.read(register)[:, channel])
        return _existing(words.view(np.int32).astype(np.int64) - 1, bound)
    number = state.registers.index(register.index, register.indirect)
    if isinstance(number, int):
        return number if number in bound else NOTHING
    return _existing(np.where(_declared(state, register.file, number), number, NOTHING), bound)


def _declared(state: State, file: File, numbers: NDArray[np.int64]) -> Mask:
    mask = np.zeros(len(numbers), np.bool_)
    for declaration in state.program.declared(file):
        mask |= (numbers >= declaration.first) & (numbers <= declaration.last)
    return mask


def _existing(numbers: NDArray[np.int64], bound: Container[int]) -> NDArray[np.int64]:
    there = [number for number in set(numbers.tolist()) if number in bound]
    return np.where(np.isin(numbers, there), numbers, NOTHING)


def for_each_unit(lanes: int, words_of: Callable[..., Bits], *numbers: Numbers) -> Bits:
    """(lanes, 4) words: the result of `words_of` for the numbers of each lane. It is called once for each combination."""
    if all(isinstance(number, int) for number in numbers):
        return words_of(*numbers)
    table = np.stack([np.broadcast_to(number, (lanes,)) for number in numbers], axis=1)
    result = np.zeros((lanes, 4), np.uint32)
    for row in np.unique(table, axis=0):
        chosen = (table == row).all(axis=1)
        result[chosen] = words_of(*row.tolist())[chosen]
    return result


def in_order(operand: SrcOperand, words: Bits) -> Bits:
    """The channels of a result in the order of its resource's swizzle. The swizzle of a handle only selects the handle."""
    return words[:, list(operand.swizzle)] if operand.register.file in NUMBERED else words


def known_target(name: str, instruction: Instruction) -> TargetInfo:
    """A target by its spelling. UnsupportedError for UNKNOWN, which has no coordinates."""
    info = TARGETS[name]
    if not info.coords:
        raise UnsupportedError.at("B051", f"the interpreter does not run {instruction.opcode.name} of {name} targets", instruction.span)
    return info


@performs("SAMP2HND", "IMG2HND")
def handle(state: State, instruction: Instruction, active: Mask) -> None:
    """The handle in x; 0 in y, z, w. A number has a handle whether its unit is bound or not; a handle is its own handle."""
    operand = instruction.src[0]
    words = np.zeros((len(active), 4), np.uint32)
    if operand.register.file in NUMBERED:
        words[:, 0] = (np.asarray(state.registers.index(operand.register.index, operand.register.indirect)) + 1) & 0xFFFFFFFF
    else:
        words[:, 0] = state.registers.read(operand.register)[:, operand.swizzle[0]]
    state.store(instruction, 0, words, active)
