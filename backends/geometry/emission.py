"""The vertices that a vector of geometry shader invocations emits, stored as whole vec4s."""

from __future__ import annotations

from collections.abc import Callable

from backends.llvm.builder.function import BOOL, I64, Val
from backends.llvm.translate.emission import BEGINS, EmissionBuffer
from backends.pipe.limits import MAX_VERTEX_STREAMS
from tgsi.language.record import record


@record(frozen=False)
class DrawnEmission(EmissionBuffer):
    """Emitted vertices of a draw, as in the base class.

    A spare vertex and a spare mark at the ends receive the stores of lanes that emit nothing.
    """

    def emit(self, stream: Val, mask: Val, output: Callable[[int, int], Val]) -> None:
        """Append a vertex of stream `stream` (i32 lanes) for the lanes of `mask`; `output` gives a channel of a register."""
        f, lanes, count = self.f, self.lanes, self._count.get()
        wanted = mask & stream.ult(MAX_VERTEX_STREAMS) & count.ult(self.limit)
        bit, begins = self._bit(stream), self._begins.get()
        with f.if_(f.any(wanted)):
            mark = stream + (begins & bit).ne(0).zext(stream.type) * BEGINS
            own = f.lanes_const(I64.wide(lanes), [lane * self.limit for lane in range(lanes)])
            place = f.select(wanted, own + count.zext(I64), self.limit * lanes)
            f.scatter(mark, self.marks, place * 4, f.const(BOOL.wide(lanes), 1))
            offsets = f.alloca(str(I64.wide(lanes)))
            f.store(place * (16 * self.registers), offsets, 0, 64)
            pointers = [f.at(self.emitted, f.load(I64, offsets, 8 * lane, 8)) for lane in range(lanes)]
            for register in range(self.registers):
                f.store_vec4s([f.splat(output(register, channel).as_float(), lanes) for channel in range(4)], pointers, 16 * register)
        self._begins.set(f.select(wanted, begins & ~bit, begins))
        self._count.set(count + wanted.zext(count.type))
