"""Atomic reduction: combine the lanes of a vector before the access to memory.

Applies to commutative atomics whose old word no instruction uses and whose order no program can see (`passes.analysis.effects`). Lanes that
address the same word, such as a counter, then need a single memory operation instead of one each. Across threads the combined word is
added with LLVM's `atomicrmw`.
"""

from __future__ import annotations

from backends.llvm.builder import scalarize as by_lane
from backends.llvm.builder.function import BOOL, I32, I64, Function, Type, Val
from backends.llvm.translate.emit import Context
from backends.llvm.translate.interface import Threaded
from passes.analysis.effects import effects_of, is_shared
from tgsi.language.record import record


@record
class Merge:
    """Reduction of one opcode: LLVM's operation on two words and on memory, and its neutral word.

    is_threaded: other threads may change the same memory at the same time.
    """

    operation: str
    neutral: int
    is_threaded: bool = False

    def two(self, f: Function, a: Val, b: Val) -> Val:
        """Combine two words."""
        if self.operation in ("add", "and", "or", "xor"):
            return f.pure(a.type, f"{self.operation} {a}, {b.name}")
        return f.intrinsic("s" + self.operation if len(self.operation) == 3 else self.operation, a, b)

    def all(self, f: Function, words: Val) -> Val:
        """Combine all lanes into one scalar word."""
        name = "s" + self.operation if self.operation in ("min", "max") else self.operation
        return f.call(I32, f"llvm.vector.reduce.{name}.{words.type.suffix}", words)

    def into(self, f: Function, pointer: Val, word: Val) -> None:
        """Combine a word with the word in memory."""
        if self.is_threaded:
            f.emit(I32, f"atomicrmw {self.operation} {pointer}, {word} monotonic, align 4")
        else:
            f.store(self.two(f, f.load(I32, pointer), word), pointer)


_MERGES = {
    "ATOMUADD": Merge("add", 0),
    "ATOMAND": Merge("and", -1),
    "ATOMOR": Merge("or", 0),
    "ATOMXOR": Merge("xor", 0),
    "ATOMUMIN": Merge("umin", -1),
    "ATOMUMAX": Merge("umax", 0),
    "ATOMIMIN": Merge("min", 0x7FFFFFFF),
    "ATOMIMAX": Merge("max", -0x80000000),
}


def merge_of(c: Context) -> Merge | None:
    """Reduction for the current instruction; None if the order of its atomics can be observed."""
    row = _MERGES.get(c.instruction.opcode.name)
    if row is None or effects_of(c.program).is_ordered or not is_shared(c.program, c.instruction.src[0].register):
        return None
    interface = c.interface
    return Merge(row.operation, row.neutral, isinstance(interface, Threaded) and interface.is_threaded)


def merge(f: Function, how: Merge, base: Val, offsets: Val, inside: Val, words: Val) -> None:
    """Combine the words of the lanes `inside` with memory at `base` plus `offsets` bytes (i32 or i64 lanes)."""
    lanes = offsets.lanes
    with f.if_(f.any(inside)):
        bits = inside.bits_as(Type("i", lanes)).zext(I64)
        lane = f.call(I64, "llvm.cttz.i64", bits, f.const(BOOL, 1))
        first = f.emit(offsets.type.wide(1), f"extractelement {offsets}, {lane}")
        differs = inside & offsets.ne(f.splat(first, lanes))
        with f.else_of(f.any(differs)) as otherwise:
            values_at = f.lane_memory("values", words.type)
            f.store(words, values_at)
            with by_lane.lanes_of(f, offsets, inside) as (number, offset):
                how.into(f, f.at(base, offset), f.load(I32, f.at(values_at, number * 4)))
            otherwise()
            how.into(f, f.at(base, first), how.all(f, f.select(inside, words, how.neutral)))
