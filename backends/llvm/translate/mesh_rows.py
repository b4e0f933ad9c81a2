"""Output registers of mesh programs: rows of vertices and rows of primitives, in the memory of a workgroup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from backends.llvm.builder.function import I32, I64, Function, Val
from backends.llvm.translate.rows import Index
from backends.run.meshes import MeshMemory
from tgsi.language.record import record


@record(kw_only=True)
class MeshRows:
    """OUT registers of a mesh program.

    A row is a vertex or a primitive; an operand refers to only one kind, for all values of its addresses.

    registers: registers of the file. pointer: memory of the first workgroup. base: byte offset of each lane's workgroup, i64 lanes; None
    if there is only one. own: the row of references without a row index, i32 lanes. present: lanes that are threads; the workgroups of
    other lanes may have no memory.
    """

    f: Function
    memory: MeshMemory
    registers: int
    pointer: Val
    base: Val | None
    own: Val
    present: Val

    @property
    def lanes(self) -> int:
        """Number of lanes of a vector."""
        return self.own.lanes

    def load(self, row: Index | None, register: Index, channel: int, reach: tuple[int, int]) -> Val:
        """Read a channel of a register in the range `reach` (first, count), as i32 lanes."""
        exists, place = self._locate(row, register, reach)
        return self.f.gather(I32, self.pointer, self._offset(place) + 4 * channel, exists & self.present)

    def store(self, row: Index | None, register: Index, values: Mapping[int, Val], mask: Val | None, reach: tuple[int, int]) -> None:
        """Write channels (i32 lanes) in the lanes of `mask`. If several lanes address a row, the highest lane wins.

        Each lane writes its channels at once; idle lanes write to the scrap row of the first workgroup. A scatter for each channel would
        need more instructions even on machines with scatters.
        """
        f = self.f
        exists, place = self._locate(row, register, reach)
        wanted = exists & self.present if mask is None else exists & self.present & mask
        offsets = f.lane_memory("rows", I64.wide(self.lanes))
        f.store(f.select(wanted, self._offset(place), self.memory.scrap), offsets)
        words = {channel: f.splat(value.as_int(), self.lanes) for channel, value in values.items()}
        rows = f.transpose4([words.get(channel, next(iter(words.values()))) for channel in range(4)])
        for lane in range(self.lanes):  # in ascending order, so that the highest lane wins
            target = f.at(self.pointer, f.load(I64, offsets, 8 * lane))
            quad, row_of_lane = lane // 4 * 4, rows[lane % 4]
            for first, count in _runs(words):
                places = range(quad + first, quad + first + count)
                f.store(f.shuffle(row_of_lane, row_of_lane, places) if count > 1 else row_of_lane[places[0]], target, 4 * first)

    def _offset(self, place: Val) -> Val:
        wide = place.zext(I64)
        return wide if self.base is None else self.base + wide

    def _is_per_primitive(self, register: Index, reach: tuple[int, int]) -> bool:
        """True if the row of an operand is a primitive's. All rows of an array, or of a file indexed as a whole, are of one kind."""
        layout = self.memory.layout
        if isinstance(register, int):
            return register in layout.per_primitive
        return not layout.vertex_registers if reach == (0, self.registers) else reach[0] in layout.per_primitive

    def _locate(self, row: Index | None, register: Index, reach: tuple[int, int]) -> tuple[Val, Val]:
        """Lanes with valid addresses, and byte offsets in the workgroup's memory (0 for invalid ones), i32 lanes."""
        layout = self.memory.layout
        per_primitive = self._is_per_primitive(register, reach)
        if per_primitive:
            first, count = layout.first_primitive, layout.primitive_registers
            start, step = self.memory.primitives, self.memory.primitive_bytes
        else:
            first, count, start, step = 0, layout.vertex_registers, 0, self.memory.vertex_bytes
        low, high = max(first, reach[0]), min(first + count, sum(reach))
        line, number = self._wide(self.own if row is None else row), self._wide(register)
        exists = line.ult(layout.rows(per_primitive)) & (number - low).ult(max(high - low, 0))
        place = line * step + number * 16 + (start - 16 * first)
        return exists, self.f.select(exists, place, 0)

    def _wide(self, index: Index) -> Val:
        """Spread an index over all lanes, as i32."""
        f = self.f
        return f.const(I32.wide(self.lanes), index) if isinstance(index, int) else f.splat(index, self.lanes)


def _runs(channels: Mapping[int, Val]) -> Iterator[tuple[int, int]]:
    """First channel and number of each run of neighboring channels."""
    start = 0
    while start < 4:
        count = 0
        while start + count in channels:
            count += 1
        if count:
            yield start, count
        start += count + 1
