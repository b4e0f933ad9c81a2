"""Words chosen from vectors by an index in each lane, in one instruction of AVX2 or AVX-512."""

from __future__ import annotations

from backends.llvm.builder.function import I32, Function, Val


def permuted(f: Function, words: Val, index: Val) -> Val:
    """Word `index` (0 to 7) of 8 words, in each of 8 lanes. The module's processor has AVX2."""
    return f.call(I32.wide(8), "llvm.x86.avx2.permd", words, index)


def permuted_pair(f: Function, first: Val, second: Val, index: Val) -> Val:
    """Word `index` (0 to 31) of two vectors of 16 words, in each of 16 lanes. The module's processor has AVX-512."""
    return f.call(I32.wide(16), "llvm.x86.avx512.vpermi2var.d.512", first, index, second)
