"""Table of results that differ from Mesa 18.1's on purpose.

A differing word is accepted only if a row names its case and excuses the word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Trait

Words = NDArray[np.uint32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Deviation:
    """Deliberate deviation. `applies` takes a case's name and opcode, `excused` our and Mesa's words (of the same shape)."""

    reason: str
    applies: Callable[[str, str], bool]
    excused: Callable[[Words, Words], Mask]


_NAN_BITS = """
random-02 random-11 rnd-005 rnd-006 rnd-029 rnd-036 rnd-043 rnd-051 rnd-065 rnd-110 rnd-121 rnd-124 rnd-126 rnd-139 rnd-152
rnd-164 rnd-178 rnd-191 rnd-197 rnd-202 rnd-204 rnd-205 rnd-208 rnd-209 rnd-220 rnd-240 rnd-255 rnd-257 rnd-264 rnd-275 rnd-281
rnd-290 rnd-296 rnd-299 rnd-302 rnd-303 rnd-308 rnd-318 rnd-319 rnd-323 rnd-331 rnd-344 rnd-355 rnd-357 rnd-358 rnd-361 rnd-366
rnd-371 rnd-384
"""
NAN_BITS = frozenset(_NAN_BITS.split())
"""Programs in which integer opcodes read the bits of a NaN that arithmetic made."""

_PICKING = frozenset(name for name, info in OPCODES.items() if Trait.PICKS in info.traits)


def _everything(got: Words, want: Words) -> Mask:
    return np.ones(got.shape, np.bool_)


def _is_clamped(got: Words, want: Words) -> Mask:
    """True for words that are 0 or the largest number."""
    clamped: Mask = (got == 0) | (got == 0xFFFFFFFF)
    return clamped


def _halves(got: Words, want: Words) -> Mask:
    """True if each half is equal in both words, or NaN in both."""
    fine = np.ones(got.shape, np.bool_)
    for shift in (0, 16):
        a, b = got >> np.uint32(shift) & np.uint32(0xFFFF), want >> np.uint32(shift) & np.uint32(0xFFFF)
        fine &= (a == b) | ((a & 0x7FFF) > 0x7C00) & ((b & 0x7FFF) > 0x7C00)
    return fine


def _next_power(got: Words, want: Words) -> Mask:
    """Accept x if Mesa's exponent is one more, y if Mesa's mantissa is half of ours, or 0 where 2^128 is infinite."""
    ours, mesa = got.view(np.float32), want.view(np.float32)
    excused = np.zeros(got.shape, np.bool_)
    with np.errstate(all="ignore"):
        excused[..., 0] = np.abs(ours[..., 0] - mesa[..., 0]) == 1
        excused[..., 1] = (ours[..., 1] == 2 * mesa[..., 1]) | (2 * ours[..., 1] == mesa[..., 1]) | (mesa[..., 1] == 0)
    return excused


def _no_bits(got: Words, want: Words) -> Mask:
    """True where Mesa has 0 for a field."""
    nothing: Mask = want == 0
    return nothing


def _infinite_fraction(got: Words, want: Words) -> Mask:
    """True where ours is 0 and Mesa's is NaN."""
    found: Mask = (got == 0) & ((want & np.uint32(0x7FFFFFFF)) > 0x7F800000)
    return found


def _zeros(got: Words, want: Words) -> Mask:
    """True where both are zeros."""
    found: Mask = ((got | want) & np.uint32(0x7FFFFFFF)) == 0
    return found


def _pairs(*pairs: tuple[int, int]) -> Callable[[Words, Words], Mask]:
    """Function that is true for words of these pairs: ours, and Mesa's."""

    def excused(got: Words, want: Words) -> Mask:
        found: Mask = np.logical_or.reduce([(got == ours) & (want == mesas) for ours, mesas in pairs])
        return found

    return excused


def _canonical(got: Words, want: Words) -> Mask:
    """True where ours is a word of the canonical NaN, and Mesa's of any NaN: single, high half of a double, or low half next to one."""
    ours, mesa = np.isin(got, (0x7FC00000, 0x7FF80000)), (want & np.uint32(0x7FFFFFFF)) > 0x7F800000
    high = (got == 0x7FF80000) & mesa
    low = np.zeros_like(high)
    low[..., ::2] = (got[..., ::2] == 0) & high[..., 1::2]
    found: Mask = ours & mesa | low
    return found


DEVIATIONS = (
    Deviation(
        "A NaN that arithmetic makes or hands on keeps the bits of x86 in Mesa. Ours is canonical.",
        lambda name, opcode: opcode not in _PICKING or name == "IMM kinds",  # that one adds, too
        _canonical,
    ),
    Deviation(
        "An integer opcode reads the bits of such a NaN.",
        lambda name, opcode: name in NAN_BITS,
        _everything,
    ),
    Deviation(
        "Mesa 18.1's interpreter has no implementation of this opcode: the destination keeps its old value. Ours computes it.",
        lambda name, opcode: name.startswith("UNIMPL "),
        _everything,
    ),
    Deviation(
        "F2U outside of [0, 2^32) depends on how Mesa was compiled. Ours clamps; NaN gives 0.",
        lambda name, opcode: opcode == "F2U",
        _is_clamped,
    ),
    Deviation(
        "PK2H keeps a NaN's sign in Mesa; ours gives the canonical NaN.",
        lambda name, opcode: opcode == "PK2H",
        _halves,
    ),
    Deviation(
        "A width of 32 counts as 0 in Mesa 18.1. From offset 0 on, ours takes the whole word, as OpenGL's bitfieldExtract does.",
        lambda name, opcode: opcode in ("IBFE", "UBFE"),
        _no_bits,
    ),
    Deviation(
        "A width of 32 counts as 0 in Mesa 18.1. From offset 0 on, ours inserts the whole word, as OpenGL's bitfieldInsert does.",
        lambda name, opcode: opcode == "BFI",
        _pairs((0x80000000, 0x3B9ACA00), (0x3B9ACA00, 0xFFFFFFFE), (0x55555555, 0x10), (0x41, 0x01000001), (0, 0x12345678)),
    ),
    Deviation(
        "This program has a UBFE with offset 0 and width 32.",
        lambda name, opcode: name == "rnd-299",
        _pairs((0x12, 0x9), (0x185E9FFC, 0)),
    ),
    Deviation(
        "FRC of an infinity is NaN in Mesa. Ours is 0, so that x - FRC(x) is the floor of an infinity.",
        lambda name, opcode: opcode == "FRC",
        _infinite_fraction,
    ),
    Deviation(
        "MIN and MAX of +0 and -0 are the second operand in Mesa. Ours has -0 below +0, so that MAX(x, -x) is the absolute value.",
        lambda name, opcode: opcode in ("MIN", "MAX"),
        _zeros,
    ),
    Deviation(
        "LOG takes floor of a rounded logarithm in Mesa, which is one too many just below a power of two. Ours is exact.",
        lambda name, opcode: opcode == "LOG",
        _next_power,
    ),
    Deviation(
        "A conditional BRK stops all lanes of a SWITCH in Mesa, whether they execute it or not. Ours is per lane.",
        lambda name, opcode: name == "switch-cond-brk",
        _everything,
    ),
)
"""Other places where we differ have no vectors: INT_MIN / -1 (ends Mesa's process; ours gives INT_MIN, remainder 0) and a
destination addressed indirectly (all lanes take the first lane's address in Mesa; ours scatters)."""
