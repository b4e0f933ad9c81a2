"""EMIT and ENDPRIM: vertices and primitives for the next stage."""

from __future__ import annotations

from backends.interp.registry import performs
from backends.interp.state import State
from backends.run.result import Bits, Mask
from tgsi.language.ir import Instruction


def _streams(state: State, instruction: Instruction) -> Bits:
    return state.source(instruction, 0, "uint")[:, 0]


@performs("EMIT")
def emit(state: State, instruction: Instruction, active: Mask) -> None:
    """Append the current outputs as a vertex of stream a.x."""
    state.emitter.emit(_streams(state, instruction), state.outputs, active)


@performs("ENDPRIM")
def endprim(state: State, instruction: Instruction, active: Mask) -> None:
    """End the primitive of stream a.x."""
    state.emitter.end_primitive(_streams(state, instruction), active)
