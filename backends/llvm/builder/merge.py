"""Merges of old and new bits, in the order of operands that LLVM 22.1 compiles right for AVX-512.

LLVM makes one masked vpternlog of `select(mask, merge, old)` if the bits to keep are a constant. Where its patterns for memory operands
permute all three operands, the immediate belongs to another function (llvm/llvm-project#157929). With the new value's term first, they
only swap two. The generator finds what is wrong nevertheless, such as the merges that programs write themselves (`engine.ternary`).
"""

from __future__ import annotations

from backends.llvm.builder.operations import Operations
from backends.llvm.builder.values import Val


def merge_bits(f: Operations, keep: int | Val, old: Val, new: Val) -> Val:
    """The bits of `old` that `keep` has, and all others of `new`."""
    return _joined(f, old & keep, new & ~keep)


def place_bits(f: Operations, keep: int | Val, old: Val, placed: Val) -> Val:
    """The bits of `old` that `keep` has, or'ed with `placed`, which has none of them."""
    return _joined(f, old & keep, placed)


def _joined(f: Operations, kept: Val, placed: Val) -> Val:
    return placed | kept if f.module.has("avx512f") else kept | placed
