"""Compressed stores: the active lanes of a vector are stored side by side."""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, I8, I32, I64, PTR, Function, Val
from backends.llvm.builder.lanes import permuted


def store_compressed(f: Function, words: Val, alive: Val, to: Val) -> None:
    """Store the active lanes of `words` side by side; the bytes after them are undefined.

    Below AVX-512 LLVM's intrinsic is neither safe nor fast, so AVX2 permutes by a table, and older machines store one word at a time in a
    loop.
    """
    if f.module.has("avx512f"):
        packed = f.call(words.type, f"llvm.experimental.vector.compress.{words.type.suffix}", words, alive, words)
        f.store(packed, to)
        return
    if f.module.has("avx2") and words.type.lanes % 8 == 0:
        _store_permuted(f, words, alive, to)
        return
    waiting, out = f.var(I32, f.mask_bits(alive)), f.var(I32, 0)
    scratch = f.alloca(str(words.type))
    f.store(words, scratch, 0, 64)
    with f.loop() as loop:
        bits = waiting.get()
        loop.break_if(bits.eq(0))
        k = f.call(I32, "llvm.cttz.i32", bits, Val(f, BOOL, "true"))
        waiting.set(bits & (bits - 1))
        f.store(f.load(I32, scratch, k << 2), to, out.get() << 2)
        out.add(1)


def _store_permuted(f: Function, words: Val, alive: Val, to: Val) -> None:
    """`store_compressed` with AVX2, eight lanes at a time: a table has the numbers of the active lanes for each of 256 masks."""
    orders = [[lane for lane in range(8) if bits >> lane & 1] for bits in range(256)]
    packed = [sum(lane << 8 * place for place, lane in enumerate(order)) for order in orders]  # a byte for each lane
    table = Val(f, PTR, f.module.constant("living_lanes", I64, packed))
    bits, at = f.mask_bits(alive), to
    for first in range(0, words.type.lanes, 8):
        mask = bits.lshr(first) & 255 if first else bits & 255
        order = f.load(I8.wide(8), table, mask << 3, 8).zext(I32)
        part = f.shuffle(words, words, range(first, first + 8))
        f.store(permuted(f, part, order), at)
        at = f.at(at, f.popcount(mask) << 2)
