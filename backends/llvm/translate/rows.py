"""Register files with a row for each vertex of a primitive: ``IN[vertex][register]``.

Every address is checked in each lane: an index outside reads 0, and a write outside vanishes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from backends.llvm.builder.function import BOOL, I32, I64, Function, Val
from tgsi.language.record import record

Index = Val | int
"""Number of a register or a vertex: a constant, an i32 scalar, or i32 lanes."""


class RegisterRows(Protocol):
    """Register file in memory, with rows of registers. `reach`: first and count of the registers that an operand can name."""

    def load(self, row: Index | None, register: Index, channel: int, reach: tuple[int, int]) -> Val:
        """Read a channel of a register, as i32 lanes."""
        ...

    def store(self, row: Index | None, register: Index, values: Mapping[int, Val], mask: Val | None, reach: tuple[int, int]) -> None:
        """Write channels in the lanes of `mask` (None: all)."""
        ...


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
        inside, offset = self._locate(row, register, channel, reach)
        return self.f.gather(I32, self.pointer, offset, inside)

    def store(self, row: Index | None, register: Index, values: Mapping[int, Val], mask: Val | None, reach: tuple[int, int]) -> None:
        """Write channels (i32 lanes) in the lanes of `mask`. If lanes address the same word, that of the highest lane stays."""
        for channel, value in values.items():
            inside, offset = self._locate(row, register, channel, reach)
            inside = inside & self.present if mask is None else inside & self.present & mask
            self.f.scatter(self.f.splat(value.as_int(), self.lanes), self.pointer, offset, inside)

    def _locate(self, row: Index | None, register: Index, channel: int, reach: tuple[int, int]) -> tuple[Val, Val]:
        """Lanes whose address is valid, and byte offsets."""
        f = self.f
        number, line = self._wide(register), self._wide(self._row(row))
        line = self._first_where_once(register, line)
        exists = (number - reach[0]).ult(reach[1]) & number.ult(self.registers) & line.ult(self.rows)
        place = f.select(exists, line * self.registers + number, 0)
        return exists, self.base + place.zext(I64) * 16 + 4 * channel

    def _row(self, row: Index | None) -> Index:
        if row is None:
            return 0 if self.own is None else self.own
        return row

    def _wide(self, index: Index) -> Val:
        """Spread an index over all lanes, as i32."""
        f = self.f
        return f.const(I32.wide(self.lanes), index) if isinstance(index, int) else f.splat(index, self.lanes)

    def _first_where_once(self, register: Index, line: Val) -> Val:
        if isinstance(register, int):
            return self.f.const(line.type, 0) if register in self.once else line
        found = self.f.const(BOOL.wide(self.lanes), 0)
        for number in sorted(self.once):
            found = found | register.eq(number)
        return self.f.select(found, 0, line) if self.once else line
