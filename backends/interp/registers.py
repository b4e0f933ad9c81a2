"""Register files of all lanes: (registers, lanes, 4) words each, with per-lane addressing that never leaves its bounds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from backends.arguments import Arguments
from backends.interp.interpolate import interpolated_inputs
from backends.interp.values import modified
from backends.result import Bits, Mask
from tgsi.enums import File
from tgsi.ir import Dimension, IndirectRef, Program, RegisterRef, SrcOperand

Index = NDArray[np.int64]
Bounds = tuple[int, int]


class Registers:
    """Everything that operands name. TEMP, ADDR and OUT start at 0.

    Reading outside of a file gives 0, writing there does nothing. An indirect operand with an array id stays inside that array.
    """

    def __init__(self, program: Program, arguments: Arguments) -> None:
        lanes = arguments.lanes
        self._lanes = np.arange(lanes)
        self._constants: Mapping[int, Bits] = arguments.constants
        self._arrays: dict[tuple[File, int], Bounds] = {
            (d.file, d.array_id): (d.first, d.last + 1) for d in program.declarations if d.array_id
        }
        self.files: dict[File, Bits] = {
            file: np.zeros((program.file_size(file), lanes, 4), np.uint32) for file in (File.TEMP, File.ADDR, File.OUT)
        }
        immediates = np.array([i.words for i in program.immediates], np.uint32).reshape(-1, 1, 4)
        self.files[File.IMM] = np.repeat(immediates, lanes, axis=1)
        self.files[File.IN] = interpolated_inputs(program, arguments)
        self.files[File.SV] = np.zeros((program.file_size(File.SV), lanes, 4), np.uint32)
        for declaration in program.declared(File.SV):
            if declaration.semantic is not None:
                self.files[File.SV][declaration.first : declaration.last + 1] = arguments.system_values[declaration.semantic.name]

    def read(self, register: RegisterRef) -> Bits:
        """The four channels of a register: (lanes, 4) words."""
        if register.file is File.CONST:
            return self._read_constant(register)
        index = self.index(register.index, register.indirect)
        low, high = self._bounds(register)
        return _gather(self.files.get(register.file), index, low, high, self._lanes)

    def source(self, operand: SrcOperand, kind: str) -> Bits:
        """A source with its swizzle and, by the type of the operand, its modifiers: (lanes, 4) words."""
        words = self.read(operand.register)[:, list(operand.swizzle)]
        return np.ascontiguousarray(modified(words, kind, absolute=operand.absolute, negate=operand.negate))

    def write(self, register: RegisterRef, channels: list[int], words: Bits, active: Mask) -> None:
        """Store channels of (lanes, 4) words for the active lanes."""
        file = self.files.get(register.file)
        if file is None:
            return
        index = self.index(register.index, register.indirect)
        low, high = self._bounds(register)
        if isinstance(index, int):
            if low <= index < high:
                for channel in channels:
                    np.copyto(file[index, :, channel], words[:, channel], where=active)
            return
        lanes = np.flatnonzero(active & (index >= low) & (index < high))
        for channel in channels:
            file[index[lanes], lanes, channel] = words[lanes, channel]

    def index(self, base: int, indirect: IndirectRef | None) -> int | Index:
        """A register's number: one for all lanes, or one a lane (the sum wraps at 32 bits)."""
        if indirect is None:
            return base
        address = self.read(RegisterRef(indirect.file, indirect.index))[:, indirect.component]
        return (address + np.uint32(base & 0xFFFFFFFF)).view(np.int32).astype(np.int64)

    def _bounds(self, register: RegisterRef) -> Bounds:
        if register.indirect is not None and (register.file, register.array_id) in self._arrays:
            return self._arrays[register.file, register.array_id]
        file = self.files.get(register.file)
        return 0, 0 if file is None else len(file)

    def _read_constant(self, register: RegisterRef) -> Bits:
        index = self.index(register.index, register.indirect)
        dimension = register.dimension or Dimension(0)
        buffer = self.index(dimension.index, dimension.indirect)
        if isinstance(buffer, int):
            return self._constant_words(buffer, index)
        words = np.zeros((len(self._lanes), 4), np.uint32)
        for number in set(buffer.tolist()) & set(self._constants):
            chosen = buffer == number
            words[chosen] = self._constant_words(number, index)[chosen]
        return words

    def _constant_words(self, buffer: int, index: int | Index) -> Bits:
        data = self._constants.get(buffer)
        file = None if data is None else np.broadcast_to(data[:, None, :], (len(data), len(self._lanes), 4))
        return _gather(file, index, 0, 0 if data is None else len(data), self._lanes)


def _gather(file: Bits | None, index: int | Index, low: int, high: int, lanes: NDArray[np.int64]) -> Bits:
    if file is None or high <= low:
        return np.zeros((len(lanes), 4), np.uint32)
    if isinstance(index, int):
        return file[index] if low <= index < high else np.zeros((len(lanes), 4), np.uint32)
    inside = (index >= low) & (index < high)
    words: Bits = file[np.where(inside, index, low), lanes]
    return np.where(inside[:, None], words, np.uint32(0))
