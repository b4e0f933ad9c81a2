"""The interpreter's side of `tgsi.run`."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from backends.arguments import RunOptions, prepare
from backends.interp.machine import Machine
from backends.result import RunResult, TraceStep
from tgsi.enums import File
from tgsi.ir import Program


def run(program: Program, inputs: ArrayLike | None = None, *, trace: bool = False, **options: Unpack[RunOptions]) -> RunResult:
    """Run a validated VERT or FRAG program; the arguments are those of `backends.arguments.prepare`.

    The result holds what became of `buffers`, the arguments stay as they are.
    With `trace` the result lists every executed instruction with its active lanes and the registers that it wrote.

    Raises:
        UnsupportedError: the program uses an opcode or a stage that is not there yet; the message has its place.
        TypeError, ValueError: an argument does not fit; the message names it.
    """
    arguments = prepare(program, inputs, **options)
    steps: list[TraceStep] = []
    machine = Machine(program, arguments, trace=steps.append if trace else None)
    machine.run()
    count = arguments.invocations
    outputs = np.ascontiguousarray(machine.registers.files[File.OUT][:, :count].transpose(1, 0, 2))
    contents = {number: data.view(np.uint8) for number, data in arguments.buffers.items()}
    return RunResult(outputs, machine.alive[:count].copy(), buffers=contents, trace=tuple(steps))
