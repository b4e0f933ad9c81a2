"""The interpreter's side of `tgsi.run`."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from backends.interp.machine import Machine
from backends.interp.meshes import meshes_of
from backends.run.arguments import RunOptions, prepare
from backends.run.meshes import writes_meshes
from backends.run.result import RunResult, TraceStep
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program


def run(program: Program, inputs: ArrayLike | None = None, *, trace: bool = False, **options: Unpack[RunOptions]) -> RunResult:
    """Run a validated program; arguments come from `backends.run.arguments.prepare`.

    The result holds copies of buffers, counters, images and memory after the run; the arguments are not changed. `outputs` are the OUT
    registers at the end; in TESS_CTRL, each invocation's own vertex and the values of the patch. MESH has `meshes` instead. With `trace`
    the result lists every executed instruction with its active lanes and the registers that it wrote.

    Raises:
        UnsupportedError: the program uses something that the interpreter does not run; the message has its place.
        TypeError, ValueError: an argument does not fit; the message names it.
    """
    arguments = prepare(program, inputs, **options)
    steps: list[TraceStep] = []
    machine = Machine(program, arguments, trace=steps.append if trace else None)
    machine.run()
    places = arguments.places
    if writes_meshes(program):
        nothing = np.zeros((len(places), 0, 4), np.uint32)
        alive, exhausted = machine.alive[places], machine.exhausted[places]
        return arguments.result(nothing, alive, exhausted, trace=tuple(steps), meshes=meshes_of(machine))
    outputs = np.ascontiguousarray(machine.outputs[:, places].transpose(1, 0, 2))
    emission = machine.emitter.emission(places, outputs.shape[1]) if program.processor is Processor.GEOM else None
    return arguments.result(outputs, machine.alive[places], machine.exhausted[places], emission, tuple(steps))
