"""The vectors of a run, staged and worked on a part at a time."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

import numpy as np

from backends.arguments import Arguments
from backends.llvm.abi import RunRecord
from backends.llvm.fragments import asks, stage_fragments
from backends.llvm.placement import Placement, place
from backends.result import Bits, Mask
from tgsi.enums import File
from tgsi.ir import Program

CHUNK_BYTES = 4 << 20
"""Staged memory of vectors that are worked on in one call; one unit always is."""

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@dataclass(eq=False, slots=True)
class Run:
    """One run of a compiled kernel: `library_run` is the address of its function `run`, `inputs` and `system` are register files."""

    program: Program
    arguments: Arguments
    lanes: int
    environment: int
    entry: int
    inputs: Bits
    system: Bits
    outputs: Bits = field(init=False)
    alive: Mask = field(init=False)
    placement: Placement = field(init=False)
    _record: RunRecord = field(default_factory=RunRecord)

    def __post_init__(self) -> None:
        shape = self.arguments.shape
        self.placement = place(shape, self.program.processor, self.lanes)
        self.outputs = np.zeros((shape.lanes, self.program.file_size(File.OUT), 4), np.uint32)
        self.alive = np.zeros(shape.lanes, np.bool_)

    def run(self) -> None:
        """All vectors; `outputs` and `alive` are by lane."""
        unit = self.placement.unit
        step = max(1, CHUNK_BYTES // max(1, self._unit_bytes())) * unit
        for start in range(0, len(self.placement.order), step):
            self._run_chunk(start, min(start + step, len(self.placement.order)))

    def _unit_bytes(self) -> int:
        registers = sum(self.program.file_size(file) for file in (File.IN, File.OUT, File.SV)) + 1
        return registers * 16 * self.lanes * self.placement.unit

    def _run_chunk(self, start: int, stop: int) -> None:
        placement, record = self.placement, self._record
        record.env = self.environment
        vectors = stop - start
        record.units, record.vectors = vectors // placement.unit, placement.unit
        alive = placement.stage_numbers(self.arguments.present.astype(np.int64), start, stop)
        outputs = np.zeros((vectors, self.program.file_size(File.OUT), 4, self.lanes), np.uint32)
        staged = {
            "inputs": placement.stage(self.inputs, start, stop),
            "system": placement.stage(self.system, start, stop),
            "outputs": outputs,
            "alive": alive,
        }
        for name, array in staged.items():
            setattr(record, name, array.ctypes.data)
        fragments = stage_fragments(self.program, self.arguments, placement, start, stop) if asks(self.program) else None
        record.fragments = fragments.address if fragments is not None else None
        _ENTRY(self.entry)(ctypes.addressof(record))
        order = placement.order[start:stop]
        here = order >= 0
        self.outputs[order[here]] = outputs.transpose(0, 3, 1, 2)[here]
        self.alive[order[here]] = alive[here] != 0
