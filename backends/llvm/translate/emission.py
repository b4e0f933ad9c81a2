"""Memory for the emitted vertices of a geometry program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from backends.llvm.builder.function import I32, I64, Function, Val, Var
from backends.pipe.limits import MAX_VERTEX_STREAMS
from tgsi.language.record import record

BEGINS = 4
"""Bit of a mark: the vertex begins a primitive of its stream."""


@record(frozen=False)
class EmissionBuffer:
    """Buffer of `limit` vertices for each lane, for all streams together.

    emitted: words, [lane][vertex][register][channel]. marks: [lane][vertex], the stream, plus BEGINS. Vertices beyond the limit, and
    vertices of missing streams, are dropped.
    """

    f: Function
    lanes: int
    registers: int
    limit: int
    emitted: Val
    marks: Val
    _count: Var = field(init=False)
    _begins: Var = field(init=False)  # one bit for each stream: its next vertex begins a primitive

    def __post_init__(self) -> None:
        self._count = self.f.var(I32.wide(self.lanes), 0)
        self._begins = self.f.var(I32.wide(self.lanes), (1 << MAX_VERTEX_STREAMS) - 1)

    @property
    def count(self) -> Val:
        """Number of vertices that each lane has emitted so far, i32 lanes."""
        return self._count.get()

    def emit(self, stream: Val, mask: Val, output: Callable[[int, int], Val]) -> None:
        """Append a vertex of stream `stream` (i32 lanes) in the lanes of `mask`. `output` returns a channel of an OUT register."""
        f, count = self.f, self._count.get()
        wanted = mask & stream.ult(MAX_VERTEX_STREAMS) & count.ult(self.limit)
        bit = self._bit(stream)
        begins = self._begins.get()
        mark = stream + (begins & bit).ne(0).zext(I32) * BEGINS
        own = f.lanes_const(I64.wide(self.lanes), [lane * self.limit for lane in range(self.lanes)])
        place = own + f.select(wanted, count, 0).zext(I64)
        f.scatter(mark, self.marks, place * 4, wanted)
        for register in range(self.registers):
            for channel in range(4):
                word = f.splat(output(register, channel).as_int(), self.lanes)
                f.scatter(word, self.emitted, (place * self.registers + register) * 16 + 4 * channel, wanted)
        self._begins.set(f.select(wanted, begins & ~bit, begins))
        self._count.set(count + wanted.zext(I32))

    def end_primitive(self, stream: Val, mask: Val) -> None:
        """End the primitive of a stream in the lanes of `mask`: the next vertex of that stream begins a new one."""
        begins = self._begins.get()
        self._begins.set(self.f.select(mask & stream.ult(MAX_VERTEX_STREAMS), begins | self._bit(stream), begins))

    def _bit(self, stream: Val) -> Val:
        return self.f.const(stream.type, 1) << (stream & (MAX_VERTEX_STREAMS - 1))
