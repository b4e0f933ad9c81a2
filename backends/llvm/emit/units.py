"""Which texture, view, sampler or image an operand names: one; in every lane another; or what a handle in a value register says."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backends.llvm.abi import ShaderEnv
from backends.llvm.builder import Val
from backends.llvm.emit import Context
from backends.llvm.plan import array_range
from backends.llvm.reads import RESOURCES
from backends.llvm.structs import Record
from tgsi.ir import RegisterRef, SrcOperand

MAX_UNITS = 128
"""Numbers of textures and samplers stay below."""


@dataclass(frozen=True, slots=True)
class Named:
    """What an operand names: unit number `first`, or the unit `index` (i32 lanes) among `count` from `first` on.

    is_handle: any bound unit may be meant.
    """

    first: int
    count: int = 1
    index: Val | None = None
    is_handle: bool = False

    def units(self, bound: Callable[[int], bool]) -> list[int]:
        """The `bound` units that may be meant."""
        return [unit for unit in range(self.first, self.first + self.count) if bound(unit)]


def named(c: Context, operand: SrcOperand) -> Named:
    """What a source names. A second index is ignored, as Mesa does."""
    return named_register(c, operand.register, operand.swizzle[0])


def named_register(c: Context, register: RegisterRef, channel: int) -> Named:
    """What a register names; of value registers `channel` holds the handle, which is the unit's number plus 1."""
    if register.file not in RESOURCES:
        handle = c.operands.read(c.instruction, register, channel).as_int()
        return Named(0, MAX_UNITS, wide(c, handle) - 1, True)
    if register.indirect is None:
        return Named(register.index)
    first, count = array_range(c.program, register)
    return Named(first, count, wide(c, c.operands.address(c.instruction, register.indirect, register.index)))


def select_unit(
    c: Context,
    name: Named,
    bound: Callable[[int], bool],
    body: Callable[[int], Sequence[Val]],
    missing: Sequence[Val],
    lanes: Val | None = None,
) -> list[Val]:
    """What `body` gives for the unit that each lane means; lanes that mean no `bound` one get `missing`.

    The body is written for every unit and skipped where no lane (of `lanes`) wants it. It must not read registers, because what is
    read under a condition is not known behind it.
    """
    f = c.f
    if name.index is None:
        return list(body(name.first))
    active = c.execution_mask() if lanes is None else lanes
    results = [f.var(value.type, value) for value in missing]
    for unit in name.units(bound):
        chosen = name.index.eq(unit) & active
        with f.if_(f.any(chosen)):
            for result, value in zip(results, body(unit)):
                result.set(f.select(chosen, value.bits_as(result.type), result.get()))
    return [result.get() for result in results]


def meant(c: Context, name: Named, unit: int) -> Val:
    """The executing lanes that mean `unit`."""
    active = c.execution_mask()
    return active if name.index is None else active & name.index.eq(unit)


def record_of(c: Context, field: str, layout: type[ctypes.Structure], unit: int) -> Val:
    """Pointer to the record of a unit; `field` of ShaderEnv points to their array."""
    base = Record(c.f, c.interface.env, ShaderEnv).get(field)
    return c.f.at(base, unit * ctypes.sizeof(layout))


def wide(c: Context, value: Val) -> Val:
    """All lanes of a value that may be uniform."""
    return c.f.splat(value, c.lane_map.lanes)
