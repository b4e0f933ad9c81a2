"""Material for generated programs: opcodes by the operands that they may have, registers, and values that are worth computing with."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgsi.language.facts.opcodes import OPCODES, Mode, OpcodeInfo

Words = NDArray[np.uint32]

WORDS = tuple(f"TEMP[{i}]" for i in range(4))
FLOATS = tuple(f"TEMP[{i}]" for i in range(4, 8))
FRESH = tuple(f"TEMP[{i}]" for i in range(40, 48))
"""TEMPs to which only float opcodes write, so that many of them always hold a float."""
PAIRS = ("TEMP[8]", "TEMP[9]")
"""TEMPs that hold doubles in pairs of channels. Operations on doubles prefer them."""

DIGEST, SCRATCH = "TEMP[10]", "TEMP[11]"
COUNTERS = ("TEMP[12]", "TEMP[13]", "TEMP[14]")
MAX_DEPTH = len(COUNTERS)
FIRST_GIVEN = 16
"""First of the TEMPs that hold kinds of values for which a stage has no inputs."""

TEMPORARIES = ("DCL TEMP[0..3], ARRAY(1), LOCAL", "DCL TEMP[4..7], ARRAY(2), LOCAL", "DCL TEMP[8..15]", "DCL TEMP[40..47]")

ODD, SMALL, LIMIT = "IMM[4]", "IMM[3]", "IMM[5]"
PLACES = "IMM[6]"
"""Immediates with fixed uses. FIXED_IMMEDIATES holds multipliers of the digest; 0, 1, 2, 3; 5, 31, 4, 12; the factors of an `own`
number; then 0 to 28 in steps of 4."""

FIXED_IMMEDIATES = (
    (0, 1, 2, 3),
    (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F),
    (5, 31, 4, 12),
    (1, 16, 0, 4),
    (0, 4, 8, 12),
    (16, 20, 24, 28),
    (144, 0, 0, 0),
)

INEXACT = frozenset({"EX2", "LG2", "POW", "SIN", "COS"})
"""Opcodes in whose last places engines may differ."""

INEXACT_CHANNELS = {"EXP": "z", "LOG": "z", "LIT": "z"}
EXACT_CHANNELS = {"EXP": "yw", "LOG": "xyw", "LIT": "xyw"}
"""Opcodes of which only some channels are exact."""

DERIVATIVES = frozenset({"DDX", "DDY", "DDX_FINE", "DDY_FINE"})
ADDRESSES = frozenset({"ARL", "ARR", "UARL"})

GROUPS = frozenset({"VOTE_ANY", "VOTE_ALL", "VOTE_EQ", "BALLOT", "READ_FIRST", "READ_INVOC"})
"""Opcodes that read other lanes."""

_COMPUTED = (Mode.COMPONENTWISE, Mode.REPLICATE, Mode.CHANNEL_DEPENDENT)

EXACT: dict[str, OpcodeInfo] = {
    name: info
    for name, info in OPCODES.items()
    if info.mode in _COMPUTED and not info.uses_64bit and not info.is_later and name not in INEXACT | DERIVATIVES | ADDRESSES | GROUPS
}
"""Opcodes on 32-bit values that all engines compute identically."""

WIDE: dict[str, OpcodeInfo] = {name: info for name, info in OPCODES.items() if info.uses_64bit and info.mode in _COMPUTED}
"""Opcodes on 64-bit values. All of them are exact."""

FLOAT_RESULTS = frozenset(
    name
    for name, info in EXACT.items()
    if info.dst_types[0] == "float" and not name.startswith("S") and name not in ("I2F", "U2F", "UP2US", "UP4B", "UP4UB")
) | {"SQRT", "MOV", "UCMP"}
"""Opcodes whose results may be NaNs; most of them go to the registers of floats. Any opcode may read any register."""

_SPECIAL_FLOATS = """
00000000 80000000 00000001 80000001 007fffff 807fffff 00800000 3f800000 bf800000 3f000000 bf000000 40490fdb 3f7fffff 3f800001
4b000000 4b7fffff cb000001 4f000000 cf000000 4effffff 4f800000 5f000000 7f7fffff ff7fffff 7f800000 ff800000 7fc00000 ffc00000
7f800001 40200000 c0200000 477ff000 477fe000 33000000 3effffff 3dcccccd
"""
_SPECIAL_INTEGERS = "00000002 00000003 00000004 00000008 0000001f 00000020 00000021 7fffffff ffffffff 00010001 ffff0000"
SPECIAL = np.array([int(word, 16) for word in (_SPECIAL_FLOATS + _SPECIAL_INTEGERS).split()], np.uint32)


_SPECIAL_DOUBLES = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -0.5, np.nan, np.inf, -np.inf, 5e-324, 1e308, 1e-300, 4294967296.0, -9.3e18, 2e19]
)


def words(seed: int, shape: Sequence[int]) -> Words:
    """Random words: zeros, denormals, infinities, NaN, small integers, ordinary floats with full mantissas, any bits."""
    chance = np.random.default_rng(seed)
    choices = np.stack(
        [
            SPECIAL[chance.integers(0, len(SPECIAL), shape)],
            chance.integers(0, 2**32, shape, np.uint32),
            chance.normal(0, 2, shape).astype(np.float32).view(np.uint32),
            chance.normal(0, 1000, shape).astype(np.float32).view(np.uint32),
            chance.integers(0, 8, shape).astype(np.uint32),
            chance.integers(-8, 8, shape).astype(np.float32).view(np.uint32),
        ]
    )
    picked: Words = np.take_along_axis(choices, chance.integers(0, len(choices), (1, *shape)), axis=0)[0]
    return picked


GIVEN = ("floats", "near", "words", "small", "doubles", "longs", "flags", "integers", "own")
"""Kinds of the registers with given values, in the order of their numbers (see `given_values`)."""


def given_values(seed: int, count: int) -> Words:
    """Words of shape (count, kinds, 4), one register for each kind of GIVEN.

    floats: ordinary. near: those floats, their neighbors, negatives, or other floats. words: of all sorts. small: -1 to 6.
    doubles: two, most of them ordinary. longs: 64 bits whose halves are small, equal, of either sign. flags: 0 or 1. integers: like near.
    own: n, 16 n, 0, 4 n, where n is the number of the invocation.
    """
    chance = np.random.default_rng(seed)
    shape = (count, 4)
    floats = (chance.normal(0, 4, shape) * 2.0 ** chance.integers(-3, 4, shape)).astype(np.float32)
    bits = floats.view(np.uint32)
    kind = chance.integers(0, 6, shape)
    step = chance.integers(-1, 2, shape).astype(np.uint32)
    close = np.where(kind < 2, bits + step, np.where(kind == 2, bits ^ np.uint32(1 << 31), np.roll(bits, 1, axis=1)))
    close = np.where(kind == 5, SPECIAL[chance.integers(0, len(SPECIAL), shape)], close)
    doubles = np.where(
        chance.integers(0, 4, (count, 2)) == 0, chance.choice(_SPECIAL_DOUBLES, (count, 2)), chance.normal(0, 50, (count, 2))
    )
    halves = np.array([0, 1, 2, 5, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 2], np.uint32)
    longs = np.where(chance.integers(0, 3, shape) == 0, chance.integers(0, 2**32, shape, np.uint32), halves[chance.integers(0, 8, shape)])
    integers = np.where(chance.integers(0, 2, shape) == 0, longs, np.roll(longs, 1, axis=1) ^ (step & np.uint32(1 << 31 | 1)))
    return np.stack(
        [
            bits,
            close.astype(np.uint32),
            words(seed + 1, shape),
            chance.integers(-1, 7, shape).astype(np.uint32),
            doubles.view(np.uint32),
            longs.astype(np.uint32),
            chance.integers(0, 2, shape).astype(np.uint32),
            integers.astype(np.uint32),
            np.outer(np.arange(count), np.array(FIXED_IMMEDIATES[3])).astype(np.uint32),
        ],
        axis=1,
    )


@dataclass(frozen=True)
class Pools:
    """Operands that a stage's programs read in addition to their own TEMPs: spellings of registers by kind of value."""

    floats: tuple[str, ...]
    near: tuple[str, ...]
    words: tuple[str, ...]
    small: tuple[str, ...]
    doubles: tuple[str, ...]
    longs: tuple[str, ...]
    flags: tuple[str, ...]
    integers: tuple[str, ...]
    own: tuple[str, ...]
    indirect: tuple[str, ...] = ()

    def of_type(self, kind: str, chance: random.Random) -> str:
        """Register that suits an operand of a type from the table of opcodes."""
        ordinary = {
            "float": (self.floats, self.near, self.floats, self.near, self.words),
            "double": (self.doubles,),
            "int64": (self.longs, self.longs, self.words),
            "uint64": (self.longs, self.longs, self.words),
            "untyped": (self.floats, self.near, self.words, self.integers),
        }.get(kind, (self.integers, self.longs, self.words, self.small, self.near))
        return chance.choice(chance.choice(ordinary))
