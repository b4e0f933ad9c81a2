"""Atomics whose old word nobody needs and whose order nobody sees: a vector's are merged, and other threads may do theirs meanwhile.

`passes.analysis.effects` finds them. Lanes that mean one word, as those that count something do, cost one operation on memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from backends.llvm.builder import scalarize as by_lane
from backends.llvm.builder.function import BOOL, I32, I64, Function, Type, Val
from backends.llvm.translate.emit import Context
from backends.llvm.translate.interface import Threaded
from passes.analysis.effects import effects_of, is_shared


@dataclass(frozen=True, slots=True)
class Merge:
    """How one opcode merges: LLVM's operation on two words and on memory, and the word that changes nothing.

    is_threaded: other threads may be at it.
    """

    operation: str
    neutral: int
    is_threaded: bool = False

    def two(self, f: Function, a: Val, b: Val) -> Val:
        """Two words as one."""
        if self.operation in ("add", "and", "or", "xor"):
            return f.pure(a.type, f"{self.operation} {a}, {b.name}")
        return f.intrinsic("s" + self.operation if len(self.operation) == 3 else self.operation, a, b)

    def all(self, f: Function, words: Val) -> Val:
        """All lanes as one word, a scalar."""
        name = "s" + self.operation if self.operation in ("min", "max") else self.operation
        return f.call(I32, f"llvm.vector.reduce.{name}.{words.type.suffix}", words)

    def into(self, f: Function, pointer: Val, word: Val) -> None:
        """Merge a word into memory."""
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
    """How the current instruction merges; None where its order may be seen."""
    found = _MERGES.get(c.instruction.opcode.name)
    if found is None or effects_of(c.program).is_ordered or not is_shared(c.program, c.instruction.src[0].register):
        return None
    interface = c.interface
    return Merge(found.operation, found.neutral, isinstance(interface, Threaded) and interface.is_threaded)


def merge(f: Function, how: Merge, base: Val, offsets: Val, inside: Val, words: Val) -> None:
    """Merge the words of the lanes `inside` into memory, `offsets` bytes (i32 lanes) behind `base`."""
    lanes = offsets.lanes
    with f.if_(f.any(inside)):
        bits = inside.bits_as(Type("i", lanes)).zext(I64)
        lane = f.call(I64, "llvm.cttz.i64", bits, f.const(BOOL, 1))
        first = f.emit(I32, f"extractelement {offsets}, {lane}")
        differs = inside & offsets.ne(f.splat(first, lanes))
        with f.else_of(f.any(differs)) as otherwise:
            given = f.lane_memory("values", words.type)
            f.store(words, given)
            with by_lane.lanes_of(f, offsets, inside) as (number, offset):
                how.into(f, f.at(base, offset), f.load(I32, f.at(given, number * 4)))
            otherwise()
            how.into(f, f.at(base, first), how.all(f, f.select(inside, words, how.neutral)))
