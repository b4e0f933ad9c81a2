"""Register files that are indexed at run time: private arrays in memory, constant buffers, tables of immediates.

Every address is checked: an index out of range reads 0, and such a write is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.abi.records import ShaderEnv
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_CONSTANT_BUFFERS


class RegisterArray:
    """Registers `first` to `first + count - 1` of one file, four channels each, one vector of lanes a channel."""

    def __init__(self, f: Function, first: int, count: int, lanes: int, place: Val | None = None) -> None:
        """Reserve the array. `place`: pointer to 16 * count * lanes bytes, aligned to 64; None puts the array on the stack."""
        self.f, self.first, self.count, self.lanes = f, first, count, lanes
        self.row = 4 * lanes  # bytes of one channel
        self.align = min(self.row, 64)
        self.pointer = place if place is not None else f.alloca(f"[{count * 4 * lanes} x i32]")
        self._lane_bytes = f.lanes_const(I32.wide(lanes), [4 * lane for lane in range(lanes)])

    def clear(self) -> None:
        """Set everything to 0."""
        zero = self.f.const(I32.wide(self.lanes), 0)
        if self.count <= 4:
            for number in range(4 * self.count):
                self.f.store(zero, self.pointer, number * self.row, self.align)
            return
        with self.f.range(0, 4 * self.count) as i:
            self.f.store(zero, self.pointer, i * self.row, self.align)

    def covers(self, register: int) -> bool:
        """True for a register of this array."""
        return self.first <= register < self.first + self.count

    def _offset(self, register: int, channel: int) -> int:
        return ((register - self.first) * 4 + channel) * self.row

    def load(self, register: int, channel: int) -> Val:
        """Read a register whose number is a constant, as i32 lanes."""
        return self.f.load(I32.wide(self.lanes), self.pointer, self._offset(register, channel), self.align)

    def store(self, register: int, channel: int, value: Val, mask: Val | None) -> None:
        """Write i32 lanes to a register whose number is a constant, in the lanes of `mask`."""
        value = self.f.splat(value, self.lanes)
        if mask is not None:
            value = self.f.select(mask, value, self.load(register, channel))
        self.f.store(value, self.pointer, self._offset(register, channel), self.align)

    def _locate(self, index: Val, reach: tuple[int, int]) -> tuple[Val, Val]:
        """Lanes whose index is inside of `reach` (first, count), and byte offsets; lanes outside get the offset of `first`."""
        relative = index - reach[0]
        inside = relative.ult(reach[1])
        return inside, self.f.select(inside, relative, 0) * (4 * self.row) + (reach[0] - self.first) * 4 * self.row

    def load_at(self, index: Val, channel: int, reach: tuple[int, int]) -> Val:
        """Read register number `index` (i32, a scalar or one number a lane) of the range `reach`, as i32 lanes."""
        f = self.f
        inside, offset = self._locate(index, reach)
        if index.lanes == 1:
            value = f.load(I32.wide(self.lanes), self.pointer, offset + channel * self.row, self.align)
            return f.select(f.splat(inside, self.lanes), value, 0)
        return f.gather(I32, f.at(self.pointer, channel * self.row), offset + self._lane_bytes, inside)

    def store_at(self, index: Val, channel: int, value: Val, mask: Val | None, reach: tuple[int, int]) -> None:
        """Write i32 lanes to register `index` (i32, a scalar or one number a lane) of the range `reach`, in the lanes of `mask`."""
        f = self.f
        value = f.splat(value, self.lanes)
        inside, offset = self._locate(index, reach)
        if index.lanes == 1:
            place = offset + channel * self.row
            wanted = f.splat(inside, self.lanes) if mask is None else mask & inside
            old = f.load(I32.wide(self.lanes), self.pointer, place, self.align)
            f.store(f.select(wanted, value, old), self.pointer, place, self.align)
            return
        f.scatter(value, f.at(self.pointer, channel * self.row), offset + self._lane_bytes, inside if mask is None else mask & inside)


class ConstantFile:
    """The constant buffers that a ShaderEnv points to."""

    def __init__(self, f: Function, env: Val) -> None:
        self.f, self.record = f, Record(f, env, ShaderEnv)
        self._loaded: dict[tuple[int, int, int], Val] = {}

    def preload(self, keys: Sequence[tuple[int, int, int]], declared: dict[int, int]) -> None:
        """Load the words `keys` (buffer, register, channel) as scalars. `declared`: registers of each buffer that need no check."""
        pointers: dict[int, Val] = {}
        for buffer, register, channel in keys:
            if buffer >= MAX_CONSTANT_BUFFERS:
                value = self.f.const(F32, 0)
            elif register < declared.get(buffer, 0):
                if buffer not in pointers:
                    pointers[buffer] = self.record.get("constants", buffer)
                value = self.f.load(F32, pointers[buffer], 16 * register + 4 * channel)
            else:
                value = self.load_at(buffer, self.f.const(I32, register), channel).as_float()
            self._loaded[buffer, register, channel] = value

    def get(self, buffer: int, register: int, channel: int) -> Val:
        """Preloaded word, an f32 scalar."""
        return self._loaded[buffer, register, channel]

    def _vectors(self, words: Val, channel: int) -> Val:
        """Number of registers that have this channel within `words` readable words."""
        return (self.f.max(words, 0) + (3 - channel)).lshr(2)

    def load_at(self, buffer: int | Val, index: Val, channel: int) -> Val:
        """Read register `index` of a buffer. Both are i32, scalars or one number a lane; `buffer` may also be a Python int. Returns i32."""
        f = self.f
        if isinstance(buffer, int):
            if buffer >= MAX_CONSTANT_BUFFERS:
                return f.const(I32.wide(index.lanes), 0)
            count = self._vectors(self.record.get("constant_words", buffer), channel)
            return self._read(self.record.get("constants", buffer), index, index.ult(count), channel)
        known = buffer.ult(MAX_CONSTANT_BUFFERS)
        safe = f.select(known, buffer, 0)
        pointers, words = self.record.address("constants"), self.record.address("constant_words")
        if buffer.lanes == 1:
            count = self._vectors(f.load(I32, words, safe * 4), channel)
            return self._read(f.load(PTR, pointers, safe * 8), index, index.ult(count) & known, channel)
        count = self._vectors(f.gather(I32, words, safe * 4), channel)
        base = f.gather(I64, pointers, safe * 8)
        inside = index.ult(count) & known
        offsets = f.select(inside, f.splat(index, buffer.lanes), 0).zext(I64) * 16
        return f.gather(I32, f.at(f.const(PTR, 0), 4 * channel), base + offsets, inside)

    def _read(self, base: Val, index: Val, inside: Val, channel: int) -> Val:
        f = self.f
        offset, base = f.select(inside, f.splat(index, inside.lanes), 0) * 16, f.at(base, 4 * channel)
        if inside.lanes > 1:
            return f.gather(I32, base, offset, inside)
        result = f.var(I32, 0)
        with f.if_(inside):
            result.set(f.load(I32, base, offset))
        return result.get()


class ImmediateTable:
    """The immediates as a read-only table in the module. It is created when an instruction first indexes immediates at run time."""

    def __init__(self, f: Function, words: Sequence[tuple[int, int, int, int]]) -> None:
        self.f, self.count = f, len(words)
        flat = [word for vector in words for word in vector]
        name = f.module.constant(f"immediates.{f.name}", I32, flat)
        self.pointer = Val(f, PTR, name)

    def load_at(self, index: Val, channel: int) -> Val:
        """Read immediate number `index` (i32, a scalar or one number a lane), as i32."""
        f = self.f
        inside = index.ult(self.count)
        offset, first = f.select(inside, index, 0) * 16, f.at(self.pointer, 4 * channel)
        if index.lanes == 1:
            return f.select(inside, f.load(I32, first, offset), 0)
        return f.gather(I32, first, offset, inside)
