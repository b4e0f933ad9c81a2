"""EMIT and ENDPRIM: vertices and primitives for the next stage."""

from __future__ import annotations

from backends.llvm.builder.function import Val
from backends.llvm.translate.emission import EmissionBuffer
from backends.llvm.translate.emit import Context, Vector, emits
from backends.llvm.translate.interface import Emitting
from tgsi.language.diagnostics import UnsupportedError


def _buffer(c: Context) -> EmissionBuffer:
    if not isinstance(c.interface, Emitting):
        name = c.instruction.opcode.name
        raise UnsupportedError.at("B004", f"{name} in this kind of kernel is not supported by the code generator", c.instruction.span)
    return c.interface.emission


def _stream(c: Context, a: Vector) -> Val:
    return c.f.splat(a[0].as_int(), c.lane_map.lanes)


@emits("EMIT")
def emit_emit(c: Context, a: Vector) -> list[Val]:
    """Append the current outputs as a vertex of stream a.x."""
    _buffer(c).emit(_stream(c, a), c.execution_mask(), c.output)
    return []


@emits("ENDPRIM")
def emit_endprim(c: Context, a: Vector) -> list[Val]:
    """End the primitive of stream a.x."""
    _buffer(c).end_primitive(_stream(c, a), c.execution_mask())
    return []
