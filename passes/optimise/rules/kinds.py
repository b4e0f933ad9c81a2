"""Kinds: facts about every word that an opcode can return, whatever its sources are.

A kind is a set of words, `CONTAINS` says which. `KIND_OF` lists the opcodes whose results are all of the kind; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from passes.analysis.makers import bits_of
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo

ONE = 0x3F800000
SIGN = 0x80000000
INFINITY = 0x7F800000
NAN = 0x7FC00000
ALL_ONES = 0xFFFFFFFF
SMALL = 1 << 24

_FLAGS = "FSEQ FSGE FSLT FSNE USEQ USGE USLT USNE ISGE ISLT"
_UNITS = "SLT SGE SEQ SGT SLE SNE"
_WHOLE = f"{_UNITS} SSG I2F U2F"

KIND_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "flag": frozenset(_FLAGS.split()),
        "unit": frozenset(_UNITS.split()),
        "whole": frozenset(_WHOLE.split()),
        "integral": frozenset(f"{_WHOLE} FLR CEIL TRUNC ROUND".split()),
        "unsigned": frozenset(f"{_UNITS} U2F FRC EX2".split()),
        "small": frozenset(["POPC"]),
    }
)
"""The opcodes whose results are all of a kind. Every opcode that computes floats gives a `number`."""

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "flag": "all ones or 0",
        "unit": "1.0 or 0.0",
        "number": "a float; if it is a NaN, the canonical one",
        "whole": "a float without fraction; no NaN, no infinity, no -0.0",
        "integral": "a float without fraction, an infinity or the canonical NaN",
        "unsigned": "a float with the sign bit 0; if it is a NaN, the canonical one",
        "saturated": "a float from 0.0 to 1.0, -0.0 or any NaN",
        "small": "an integer below 2^24",
    }
)
"""Each kind in words."""


def gives(opcode: OpcodeInfo, saturate: bool, kind: str) -> bool:
    """Return true if every result of an opcode is of a kind."""
    if kind == "saturated":
        return saturate or opcode.name in KIND_OF["unit"]
    if kind == "number":
        return opcode.computes_floats
    if saturate:  # an integer that is clamped as a float may become any word; floats of these kinds keep their kind
        return opcode.computes_floats and kind in ("unit", "unsigned") and opcode.name in KIND_OF[kind]
    return opcode.name in KIND_OF[kind]


CLOSED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "flag": frozenset(["AND", "OR", "XOR", "NOT"]),
        "unit": frozenset(["AND", "OR", "MIN", "MAX", "MUL"]),
        "saturated": frozenset(["MIN", "MAX"]),
        "small": frozenset(["OR", "XOR"]),
    }
)
"""Opcodes that give a result of a kind if all of their sources are of the kind."""


@cache
def makers_of(kind: str) -> int:
    """Return the bits of the opcodes that may give a result of a kind."""
    return bits_of(
        opcode
        for opcode in OPCODES.values()
        if gives(opcode, False, kind) or gives(opcode, True, kind) or opcode.name == "AND" or opcode.name in CLOSED.get(kind, ())
    )


def _is_nan(word: int) -> bool:
    return word & ~SIGN > INFINITY


def _is_integral(word: int) -> bool:
    exponent = (word >> 23 & 0xFF) - 127
    if exponent >= 23:
        return True
    return word & ~SIGN == 0 or (exponent >= 0 and not word & (1 << 23 - exponent) - 1)


CONTAINS: Mapping[str, Callable[[int], bool]] = MappingProxyType(
    {
        "flag": lambda word: word in (0, ALL_ONES),
        "unit": lambda word: word in (0, ONE),
        "number": lambda word: not _is_nan(word) or word == NAN,
        "whole": lambda word: _is_integral(word) and word & ~SIGN < INFINITY and word != SIGN,
        "integral": lambda word: word == NAN or (_is_integral(word) and not _is_nan(word)),
        "unsigned": lambda word: word <= INFINITY or word == NAN,
        "saturated": lambda word: word <= ONE or word == SIGN or _is_nan(word),
        "small": lambda word: word < SMALL,
    }
)
"""Each kind as a test of a word."""
