"""The hash of everything that is bound, the same as that of `lookup`, which is generated code and loads the generator."""

from __future__ import annotations

import ctypes

import numpy as np

from backends.device.commands.bound_record import PLAIN_WORDS

HALVES = 2 * PLAIN_WORDS
MIX = 0x9E3779B1


def factors() -> list[int]:
    """An odd factor for each half of a word, none of them equal; any such numbers would do."""
    return [(k * 2 + 1) * MIX % (1 << 32) | 1 for k in range(HALVES)]


_FACTORS = np.array(factors(), np.uint32)


def hash_of(words: ctypes.Array[ctypes.c_uint64], kind: int, framebuffer: int) -> int:
    """The hash that generated code computes of a combination, an i32."""
    halves = np.frombuffer(memoryview(words), np.uint32, HALVES)
    total = int((halves * _FACTORS).sum(dtype=np.uint32))
    total = (total + kind * MIX + framebuffer * (MIX ^ 0x5BD1E994)) & 0xFFFFFFFF
    total ^= total >> 15
    return ctypes.c_int32(total).value
