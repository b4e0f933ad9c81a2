"""One small program for each opcode and form of its operands, and inputs of denormals, infinities, NaNs, both zeros and edges of ranges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Mode, Trait

Words = NDArray[np.uint32]

BITS: Words = np.array(
    [
        *(0, 0x80000000),  # zeros
        *(1, 2, 33, 0x007FFFFF, 0x80000001, 0x807FFFFF),  # denormals, and small integers
        *(0x00800000, 0x80800000, 0x00800001, 0x33000000),  # least normal numbers
        *(0x3F000000, 0xBF000000, 0x3F7FFFFF, 0x3F800000, 0xBF800000, 0x3F800001, 0x3FC00000, 0xBFC00000, 0x40200000, 0x40490FDB),
        *(0x42FF0000, 0xC3160000, 0x477FE000, 0x477FEFFF, 0x477FF000, 0x47800000),  # ends of exponents and of halves
        *(0x4EFFFFFF, 0x4F000000, 0xCF000000, 0x4F800000, 0xCF800001),  # ends of integers
        *(0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000),  # greatest numbers, infinities
        *(0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF812345, 0x7FFFFFFF, 0xFFFFFFFF),  # NaNs: quiet, signaling, of either sign
        *(0x7FF00000, 0xFFF00000, 0x3FF00000, 0xBFE00000, 0x7FF80000, 0x000FFFFF, 0x43E00000),  # upper halves of doubles
        *(31, 32, 63),
    ],
    np.uint32,
)
"""Words that are special as floats, as integers, or as half of a double."""

OLD = 7
"""Every channel of a destination before the instruction."""

FORMS = (
    ("{}", "", "xyzw"),
    ("-{}", "", "xyzw"),
    ("|{}|", "", "xyzw"),
    ("-|{}|", "", "xyzw"),
    ("{}", "_SAT", "xyzw"),
    ("{}.yxwz", "", "xy"),
    ("{}", "", "zw"),
)
"""Sources, suffix, write mask."""
_SCALAR_FORMS = (("{}", "", "x"), ("{}.wzyx", "", "yz"))
_ADDRESSES = frozenset({"ARL", "ARR", "UARL"})


def opcodes() -> list[str]:
    """Opcodes that compute from the values of their operands alone."""
    modes = (Mode.COMPONENTWISE, Mode.REPLICATE, Mode.CHANNEL_DEPENDENT)
    others = {Trait.DERIVATIVE, Trait.SUBGROUP, Trait.HELPER, Trait.GAP}
    return [name for name, info in OPCODES.items() if info.mode in modes and not others & set(info.traits)]


def texts(name: str, properties: str = "") -> Iterator[str]:
    """Programs of an opcode: FRAG, whose inputs come unchanged."""
    info = OPCODES[name]
    for source, suffix, mask in (*FORMS, *(() if info.uses_64bit else _SCALAR_FORMS)):
        if ("-" in source or "|" in source) and not any(
            kind in ("float", "int", "double", "untyped", "int64") for kind in info.modifier_types
        ):
            continue
        if suffix and (info.dst_types[0] not in ("float", "untyped") or name in _ADDRESSES):
            continue
        count = len(info.dst_types)
        inputs = "".join(f"DCL IN[{number}], GENERIC[{number}], CONSTANT\n" for number in range(len(info.src_types)))
        outputs = "".join(f"DCL OUT[{number}], COLOR[{number}]\n" for number in range(count))
        file = "ADDR" if name in _ADDRESSES else "TEMP"
        moves = "".join(f"MOV OUT[{number}]{'.' + mask if file == 'ADDR' else ''}, {file}[{number}]\n" for number in range(count))
        destinations = ", ".join(f"{file}[{number}].{mask}" for number in range(count))
        sources = ", ".join(source.format(f"IN[{number}]") for number in range(len(info.src_types)))
        old = "" if file == "ADDR" else "".join(f"MOV TEMP[{number}], IMM[0]\n" for number in range(count))
        declared = f"DCL {file}[0..1]\nIMM[0] UINT32 {{{OLD}, {OLD}, {OLD}, {OLD}}}\n"
        yield f"FRAG\n{properties}{inputs}{outputs}{declared}{old}{name}{suffix} {destinations}, {sources}\n{moves}END\n"


def inputs(count: int, random: int = 1500) -> Words:
    """Inputs of a program with `count` sources: every word, every pair of words, and mixed ones. Shape (lanes, count, 4)."""
    chance = np.random.default_rng(count)
    mixed = BITS[chance.integers(0, len(BITS), (random, count, 4))]
    if count == 1:
        return np.concatenate([np.repeat(BITS, 4).reshape(-1, 1, 4), mixed])
    if count == 2:
        pairs = np.stack([np.repeat(BITS, len(BITS)), np.tile(BITS, len(BITS))], 1)
        return np.concatenate([np.repeat(pairs[:, :, None], 4, 2), mixed])
    return mixed


def mismatches(given: Words, before: Any, after: Any) -> list[str]:
    """Describe the lanes whose outputs differ: inputs, bits before the round trip, and bits after it."""
    a, b = (np.asarray(result.outputs) for result in (before, after))
    registers = min(a.shape[1], b.shape[1])
    lanes = np.flatnonzero((a[:, :registers] != b[:, :registers]).any(axis=(1, 2)))
    return [f"{_hex(given[lane])}: {_hex(a[lane])}, then {_hex(b[lane])}" for lane in lanes[:3]]


def _hex(words: Words) -> str:
    return " ".join(f"{word:08x}" for word in words.ravel())
