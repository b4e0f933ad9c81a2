"""The interpreter's side of `tgsi.run`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from backends.arguments import prepare
from backends.gallium.state import SamplerState
from backends.interp.machine import Machine
from backends.result import RunResult, TraceStep
from backends.textures import TextureData
from passes.analysis.regions import FUEL
from tgsi.enums import File
from tgsi.ir import Program


def run(
    program: Program,
    inputs: ArrayLike | None = None,
    *,
    constants: Mapping[int, ArrayLike] | None = None,
    system_values: Mapping[str, ArrayLike] | None = None,
    coefs: ArrayLike | None = None,
    quad_pos: ArrayLike | None = None,
    face: float = 1.0,
    flatshade_color: bool = False,
    textures: Mapping[int, TextureData] | None = None,
    samplers: Mapping[int, SamplerState] | None = None,
    buffers: Mapping[int, ArrayLike | bytes] | None = None,
    fuel: int = FUEL,
    trace: bool = False,
) -> RunResult:
    """Run a validated VERT or FRAG program; the arguments are those of `backends.arguments.prepare`.

    The result holds what became of `buffers`, the arguments stay as they are.
    With `trace` the result lists every executed instruction with its active lanes and the registers that it wrote.

    Raises:
        UnsupportedError: the program uses an opcode or a stage that is not there yet; the message has its place.
        TypeError, ValueError: an argument does not fit; the message names it.
    """
    arguments = prepare(
        program,
        inputs,
        constants=constants,
        system_values=system_values,
        coefs=coefs,
        quad_pos=quad_pos,
        face=face,
        flatshade_color=flatshade_color,
        textures=textures,
        samplers=samplers,
        buffers=buffers,
        fuel=fuel,
    )
    steps: list[TraceStep] = []
    machine = Machine(program, arguments, trace=steps.append if trace else None)
    machine.run()
    count = arguments.invocations
    outputs = np.ascontiguousarray(machine.registers.files[File.OUT][:, :count].transpose(1, 0, 2))
    contents = {number: data.view(np.uint8) for number, data in arguments.buffers.items()}
    return RunResult(outputs, machine.alive[:count].copy(), buffers=contents, trace=tuple(steps))
