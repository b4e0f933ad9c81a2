"""INTERP_*: inputs of fragments, interpolated at another position in the pixel."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from backends.llvm.builder.function import Val
from backends.llvm.library.math import canonical
from backends.llvm.program.access import channels
from backends.llvm.program.plan import array_range
from backends.llvm.translate.emit import Context, Vector, emits
from backends.llvm.translate.interface import Interpolated, Oriented
from tgsi.language.diagnostics import UnsupportedError

Place = tuple[Val, Val] | None
"""Distance from the pixel's center in x and y, f32 lanes; y grows with the rows. None means the center."""


@runtime_checkable
class Moved(Protocol):
    """Interface of kernels whose inputs vary over a primitive, in addition to Interface."""

    def interpolate(self, register: int, channel: int, place: Place) -> Val:
        """Channel of an IN register at a place, f32 lanes. At the center it equals `Interface.input` of an input without a location."""
        ...

    def sample_place(self, number: Val) -> Place:
        """Position of a sample. Numbers are arbitrary i32 lanes."""
        ...

    def centroid_place(self) -> Place:
        """Position of the centroid: inside the primitive."""
        ...


def _interface(c: Context) -> Moved:
    if not isinstance(c.interface, Moved):
        name = c.instruction.opcode.name
        raise UnsupportedError.at("B004", f"{name} is not supported here: there is no primitive", c.instruction.span)
    return c.interface


def _wide(c: Context, value: Val) -> Val:
    return c.f.splat(value, c.lane_map.lanes)


def _moved(c: Context, register: int, channel: int, place: Place) -> Val:
    """Channel of an input at a position; a computed NaN is canonical if its bits matter."""
    value = _interface(c).interpolate(register, channel, place)
    is_computed = c.exact and isinstance(c.interface, Interpolated) and c.interface.is_interpolated(register)
    return canonical(c.f, value.as_float()) if is_computed else value


def _register(c: Context, channel: int, place: Place) -> Val:
    """Channel of the register that the first source names."""
    register, f = c.instruction.src[0].register, c.f
    if register.indirect is None:
        return _moved(c, register.index, channel, place)
    index = _wide(c, c.operands.address(c.instruction, register.indirect, register.index))
    first, count = array_range(c.program, register)
    result = f.const(index.type, 0).as_float()
    for number in range(first, first + count):
        result = f.select(index.eq(number), _moved(c, number, channel, place), result)
    return result


def _value(c: Context, place: Place) -> dict[int, Val]:
    """Values of the written channels, after swizzle and modifiers of the first source."""
    f, operand = c.f, c.instruction.src[0]
    result: dict[int, Val] = {}
    for channel in channels(c.instruction.dst[0].write_mask):
        value = _register(c, operand.swizzle[channel], place).as_float()
        value = f.abs(value) if operand.absolute else value
        result[channel] = f.neg_bits(value) if operand.negate else value
    return result


@emits("INTERP_CENTROID")
def emit_interp_centroid(c: Context, a: Vector) -> dict[int, Val]:
    """Input at the centroid."""
    return _value(c, _interface(c).centroid_place())


@emits("INTERP_SAMPLE")
def emit_interp_sample(c: Context, a: Vector, b: Vector) -> dict[int, Val]:
    """Input at sample number b.x."""
    return _value(c, _interface(c).sample_place(_wide(c, b[0].as_int())))


@emits("INTERP_OFFSET")
def emit_interp_offset(c: Context, a: Vector, b: Vector) -> dict[int, Val]:
    """Input at the pixel's center plus (b.x, b.y); y grows with the rows, but where FS_COORD_ORIGIN follows the viewport."""
    x, y = _wide(c, b[0].as_float()), _wide(c, b[1].as_float())
    upward = c.interface.upward() if isinstance(c.interface, Oriented) else None
    return _value(c, (x, y if upward is None else y * upward))
