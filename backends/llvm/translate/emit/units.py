"""Texture, view, sampler or image units that an operand names: one for all lanes, one for each lane, or the unit of a handle."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from backends.abi.records import ShaderEnv
from backends.llvm.builder.function import BOOL, I32, I64, Function, Type, Val
from backends.llvm.builder.masks import MaskVar
from backends.llvm.builder.record import Record
from backends.llvm.program.plan import array_range
from backends.llvm.translate.emit import Context
from backends.llvm.translate.interface import Handles
from passes.analysis.operands import RESOURCES
from tgsi.language.ir import RegisterRef, SrcOperand
from tgsi.language.record import record

MAX_UNITS = 128
"""Exclusive upper limit of texture and sampler units."""


@record
class Named:
    """The unit that an operand names: number `first`, or unit `index` (i32 lanes) among `count` from `first` on.

    is_handle: the operand is a handle, which may name any bound unit.
    """

    first: int
    count: int = 1
    index: Val | None = None
    is_handle: bool = False

    def units(self, kind: Callable[[int], Hashable | None]) -> list[list[int]]:
        """Candidate units that have a kind, grouped by it."""
        groups: dict[Hashable, list[int]] = {}
        for unit in range(self.first, self.first + self.count):
            of_unit = kind(unit)
            if of_unit is not None:
                groups.setdefault(of_unit, []).append(unit)
        return list(groups.values())


def named(c: Context, operand: SrcOperand) -> Named:
    """Unit that a source names. A second index is ignored, as in Mesa."""
    return named_register(c, operand.register, operand.swizzle[0])


def named_register(c: Context, register: RegisterRef, channel: int) -> Named:
    """Unit that a register names. Channel `channel` of a value register is a handle: the unit's number plus 1."""
    if register.file not in RESOURCES:
        index = wide(c, c.operands.read(c.instruction, register, channel).as_int()) - 1
        return Named(MAX_UNITS, _count_kinds(c), index, True) if _has_handles(c) else Named(0, MAX_UNITS, index, True)
    if register.indirect is None:
        return Named(register.index)
    first, count = array_range(c.program, register)
    count = max(min(count, MAX_UNITS - first), 0)
    return Named(first, count, wide(c, c.operands.address(c.instruction, register.indirect, register.index)))


@record
class Unit:
    """A unit in code under construction. number: the unit whose keys apply. place: the number of its record, a constant or an i32."""

    number: int
    place: Val | int


def select_unit(
    c: Context,
    name: Named,
    kind: Callable[[int], Hashable | None],
    body: Callable[[Unit], Sequence[Val]],
    missing: Sequence[Val],
    lanes: Val | None = None,
) -> list[Val]:
    """Result of `body` for the unit that each lane names; lanes whose unit has no `kind` get `missing`.

    lanes: the lanes that take part; None: the executing ones. The body is written once for all units of one kind, and runs once for each
    unit that a lane names. It must not read registers, because a value read under a condition is not available after it.
    """
    f = c.f
    if name.index is None:
        return list(body(Unit(name.first, name.first))) if name.first < MAX_UNITS else list(missing)
    active = c.execution_mask() if lanes is None else lanes
    results = [f.var(value.type, value) for value in missing]

    def act(unit: Unit, chosen: Val) -> None:
        for result, value in zip(results, body(unit)):
            result.set(f.select(chosen, value.bits_as(result.type), result.get()))

    has_kinds = name.is_handle and _has_handles(c)
    numbers = _kinds_of(c, name.index) if has_kinds else name.index
    for units in name.units(kind):
        if len(units) == 1 and not has_kinds:
            chosen = name.index.eq(units[0]) & active
            with f.if_(f.any(chosen)):
                act(Unit(units[0], units[0]), chosen)
            continue
        waiting = MaskVar(f, active.lanes)
        waiting.set(_among(numbers, units) & active)
        with f.loop() as loop:
            now = waiting.get()
            loop.break_if(~f.any(now))
            place = _lowest(f, name.index, now)
            chosen = name.index.eq(place) & now
            act(Unit(units[0], place), chosen)
            waiting.set(now & ~chosen)
    return [result.get() for result in results]


def _has_handles(c: Context) -> bool:
    return isinstance(c.interface, Handles) and c.interface.has_handles


def _count_kinds(c: Context) -> int:
    """Number of kinds of images or textures that handles of the current instruction may name."""
    interface: Any = c.interface
    key = interface.image_key if c.instruction.opcode.has_memory else interface.texture_key
    return next(n for n in itertools.count() if key(MAX_UNITS + n) is None)


def _kinds_of(c: Context, index: Val) -> Val:
    """Number of a unit of the same kind as each lane's entry of the table; MAX_UNITS - 1 for invalid handles."""
    f, env = c.f, Record(c.f, c.interface.env, ShaderEnv)
    kinds, count = ("image_kinds", "num_images") if c.instruction.opcode.has_memory else ("texture_kinds", "num_textures")
    inside = index.ult(f.splat(env.get(count), c.lane_map.lanes))
    numbers = f.gather(I32, env.get(kinds), f.select(inside, index, 0) << 2, inside)
    return f.select(inside, numbers, -1) + MAX_UNITS


def _among(index: Val, units: Sequence[int]) -> Val:
    """Lanes whose `index` is one of `units`, which are in ascending order."""
    member: Val | None = None
    start = 0
    for end in range(1, len(units) + 1):
        if end == len(units) or units[end] != units[end - 1] + 1:
            inside = (index - units[start]).ult(end - start)
            member, start = (inside if member is None else member | inside), end
    assert member is not None
    return member


def _lowest(f: Function, index: Val, lanes: Val) -> Val:
    """Index of the lowest lane of the mask `lanes`, as a scalar. At least one lane must be set."""
    bits = lanes.bits_as(Type("i", lanes.lanes)).zext(I64)
    lane = f.call(I64, "llvm.cttz.i64", bits, f.const(BOOL, 1))
    return f.emit(I32, f"extractelement {index}, {lane}")


def meant(c: Context, name: Named, unit: Unit) -> Val:
    """The executing lanes that refer to `unit`."""
    active = c.execution_mask()
    return active if name.index is None else active & name.index.eq(unit.place)


def record_of(c: Context, field: str, layout: type[ctypes.Structure], unit: Unit) -> Val:
    """Pointer to the record of a unit. `field`: the field of ShaderEnv that points to the array of records."""
    base = Record(c.f, c.interface.env, ShaderEnv).fixed(field)
    return c.f.at(base, unit.place * ctypes.sizeof(layout))


def wide(c: Context, value: Val) -> Val:
    """Vector of a value that may be a scalar."""
    return c.f.splat(value, c.lane_map.lanes)
