"""Merges of old and new bits, in an order of operands that LLVM 22.1 compiles correctly for AVX-512.

LLVM turns `select(mask, merge, old)` into one masked vpternlog if the bits to keep are a constant. If its patterns for memory operands
permute all three operands, the immediate is that of another function (llvm/llvm-project#157929). With the new value's term first, they only
swap two. `engine.ternary` detects other miscompiled code, such as merges in programs.
"""

from __future__ import annotations

from backends.llvm.builder.operations import Operations
from backends.llvm.builder.values import Val


def merge_bits(f: Operations, keep: int | Val, old: Val, new: Val) -> Val:
    """Bits of `old` where `keep` is set, bits of `new` elsewhere."""
    return _joined(f, old & keep, new & ~keep)


def place_bits(f: Operations, keep: int | Val, old: Val, placed: Val) -> Val:
    """The bits of `old` selected by `keep`, combined by OR with `placed`, which is 0 in those bits."""
    return _joined(f, old & keep, placed)


def _joined(f: Operations, rest: Val, placed: Val) -> Val:
    return placed | rest if f.module.has("avx512f") else rest | placed
