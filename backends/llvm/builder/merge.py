"""Merges of old and new bits, in the order of operands that LLVM 22.1 compiles right for AVX-512.

LLVM makes one masked vpternlog of `select(mask, merge, old)` if the bits to keep are a constant. Where its patterns for memory operands
permute all three operands, the immediate belongs to another function (llvm/llvm-project#157929). With the new value's term first, they
only swap two. `engine.ternary` finds remaining wrong code, such as merges that programs write themselves.
"""

from __future__ import annotations

from backends.llvm.builder.operations import Operations
from backends.llvm.builder.values import Val


def merge_bits(f: Operations, keep: int | Val, old: Val, new: Val) -> Val:
    """Bits of `old` where `keep` is set, bits of `new` elsewhere."""
    return _joined(f, old & keep, new & ~keep)


def place_bits(f: Operations, keep: int | Val, old: Val, placed: Val) -> Val:
    """Bits of `old` where `keep` is set, or'ed with `placed`, which is 0 there."""
    return _joined(f, old & keep, placed)


def _joined(f: Operations, kept: Val, placed: Val) -> Val:
    return placed | kept if f.module.has("avx512f") else kept | placed
