"""Register files with a row for each vertex of a primitive: ``IN[vertex][register]``.

Every address is checked in each lane: an index out of range reads 0, and such a write is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from backends.llvm.builder.function import BOOL, I32, I64, Function, Val
from tgsi.language.record import record

Index = Val | int
"""Number of a register or a vertex: a constant, an i32 scalar, or i32 lanes."""


class RegisterRows(Protocol):
    """Register file in memory, with rows of registers. `reach`: first and count of the registers that an operand may refer to."""

    def load(self, row: Index | None, register: Index, channel: int, reach: tuple[int, int]) -> Val:
        """Read a channel of a register, as i32 lanes."""
        ...

    def store(self, row: Index | None, register: Index, values: Mapping[int, Val], mask: Val | None, reach: tuple[int, int]) -> None:
        """Write channels in the lanes of `mask` (None: all)."""
        ...


class Place(NamedTuple):
    """Place of a register: lanes where it exists (i1 lanes, or a scalar for all), byte offset, and an addend for each lane (i64 lanes).

    The constant part is separate, so that registers of one row share the addend.
    """

    exists: Val
    fixed: int
    offsets: Val


@record(kw_only=True)
class RowFile:
    """Register file in memory: 32-bit words at `pointer`, [primitive][row][register][channel].

    rows: number of rows of a primitive, i32. base: byte offset of the lane's primitive, i64 lanes. own: the row of references without a
    vertex, i32 lanes; None means the first row. once: registers that exist once per primitive, in its first row. present: lanes that may
    write.
    """

    f: Function
    pointer: Val
    rows: Val
    base: Val
    own: Val | None
    registers: int
    once: frozenset[int]
    present: Val

    @property
    def lanes(self) -> int:
        """Number of lanes of a vector."""
        return self.base.lanes

    def load(self, row: Index | None, register: Index, channel: int, reach: tuple[int, int]) -> Val:
        """Read a channel of a register in the range `reach` (first, count), as i32 lanes."""
        place = self._locate(row, register, reach)
        if place is None:
            return self.f.const(I32.wide(self.lanes), 0)
        return self.f.gather(I32, self.f.at(self.pointer, place.fixed + 4 * channel), place.offsets, place.exists)

    def store(self, row: Index | None, register: Index, values: Mapping[int, Val], mask: Val | None, reach: tuple[int, int]) -> None:
        """Write channels (i32 lanes) in the lanes of `mask`. If several lanes address a word, the highest lane wins."""
        f, place = self.f, self._locate(row, register, reach)
        if place is None:
            return
        inside = f.splat(place.exists, self.lanes) & self.present
        inside = inside if mask is None else inside & mask
        for channel, value in values.items():
            f.scatter(f.splat(value.as_int(), self.lanes), f.at(self.pointer, place.fixed + 4 * channel), place.offsets, inside)

    def _locate(self, row: Index | None, register: Index, reach: tuple[int, int]) -> Place | None:
        """Place of a register's first channel; None if it exists in no lane."""
        f, first, number = self.f, 0, None
        if isinstance(register, int):
            if not reach[0] <= register < min(reach[0] + reach[1], self.registers):
                return None
            first = register
        else:
            number = self._wide(register)
        line = self._first_where_once(register, self._row(row))
        if number is None and isinstance(line, int):  # the same in all lanes
            return Place(f.const(I32, line).ult(self.rows), 16 * (line * self.registers + first), self.base)
        wide = self._wide(line)
        exists, place = wide.ult(self.rows), wide * self.registers
        if number is not None:
            exists = exists & (number - reach[0]).ult(reach[1]) & number.ult(self.registers)
            place = place + number
        return Place(exists, 16 * first, self.base + f.select(exists, place, 0).zext(I64) * 16)

    def _row(self, row: Index | None) -> Index:
        if row is None:
            return 0 if self.own is None else self.own
        return row

    def _wide(self, index: Index) -> Val:
        """Spread an index over all lanes, as i32."""
        f = self.f
        return f.const(I32.wide(self.lanes), index) if isinstance(index, int) else f.splat(index, self.lanes)

    def _first_where_once(self, register: Index, line: Index) -> Index:
        if isinstance(register, int):
            return 0 if register in self.once else line
        is_once = self.f.const(BOOL.wide(self.lanes), 0)
        for number in sorted(self.once):
            is_once = is_once | register.eq(number)
        return self.f.select(is_once, 0, self._wide(line)) if self.once else line
