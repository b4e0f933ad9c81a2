"""What a run of a program gives back, whichever engine ran it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tgsi.enums import File
from tgsi.ir import Instruction

Bits = NDArray[np.uint32]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One executed instruction: the lanes that were active, and the whole destination registers behind it.

    `number` counts from 0 in the order of the text; `writes` holds (file, register, (invocations, 4) words). A destination that
    is addressed per lane appears once for each register that an active lane wrote.
    """

    number: int
    instruction: Instruction
    active: Mask
    writes: tuple[tuple[File, int, Bits], ...]


@dataclass(frozen=True)
class RunResult:
    """Registers and memory after a run; `np.asarray(result)` is `outputs`.

    outputs: (invocations, output registers, 4) 32-bit words; what was never written is 0.
    alive: (invocations,); False where a fragment was killed.
    emitted: per stream, the vertices of a geometry program: (vertices, output registers, 4) words; empty for other stages.
    buffers: the contents of every buffer that was passed, after the run.
    trace: what the interpreter did, if that was asked for.
    """

    outputs: Bits
    alive: Mask
    emitted: Sequence[Bits] = ()
    buffers: Mapping[int, NDArray[np.uint8]] = field(default_factory=dict)
    trace: Sequence[TraceStep] = ()

    @property
    def floats(self) -> Floats:
        """The outputs seen as float32: a view, no conversion."""
        return self.outputs.view(np.float32)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is not None and np.dtype(dtype) != self.outputs.dtype:
            return self.outputs.astype(dtype)
        return self.outputs.copy() if copy else self.outputs
