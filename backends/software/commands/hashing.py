"""The combination of a draw: all bound state that affects its code, and the factors of its hash.

`lookup` computes the hash in generated code; this module does not load the generator.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from backends.device.commands.bound_record import FIRST_VALUE, HEAD_WORDS, VALUES, Word, sampler_word, shader_word, units_of, view_word
from backends.device.commands.numbers import CLASS_SHIFT
from tgsi.language.facts.stages import PIPELINE

HALVES = 2 * HEAD_WORDS
MIX = 0x9E3779B1
FRAMEBUFFER_MIX = MIX ^ 0x5BD1E994
UNIT_MIX = 0x85EBCA6B
_ALL = (1 << 64) - 1
UNIT_STAGES = tuple(int(stage) for stage in PIPELINE)
"""Stages whose units are part of a combination."""


def factors() -> list[int]:
    """A factor for each half of a word: any distinct odd numbers, and 0 for halves that are not part of a combination."""
    numbers = [(k * 2 + 1) * MIX % (1 << 32) | 1 for k in range(HALVES)]
    for place, mask in enumerate(masks()):
        if mask != _ALL:
            numbers[2 * place] = 0
        if not mask:
            numbers[2 * place + 1] = 0
    return numbers


def masks() -> list[int]:
    """The bits of each word that are part of a combination."""
    bits = [_ALL] * HEAD_WORDS
    bits[FIRST_VALUE : FIRST_VALUE + VALUES] = [_ALL - (1 << CLASS_SHIFT) + 1] * VALUES
    bits[Word.CONDITION : len(Word)] = [0] * (len(Word) - Word.CONDITION)
    return bits


_MASKS = np.array(masks(), np.uint64)


class Combination(NamedTuple):
    """A combination.

    Attributes:
        head: the words before the units, without the numbers of values.
        classes: of the view and of the sampler of each unit, stage after stage.
        kind: see `draw_kind`.
        framebuffer: number of its class.
    """

    head: bytes
    classes: tuple[int, ...]
    kind: int
    framebuffer: int


def combination_of(words: ctypes.Array[ctypes.c_uint64], kind: int, framebuffer: int) -> Combination:
    """The combination of the bound state."""
    head = np.frombuffer(memoryview(words), np.uint64, HEAD_WORDS) & _MASKS
    classes: list[int] = []
    for stage in UNIT_STAGES:
        count = units_of(words[shader_word(stage)])
        views, samplers = (words[at : at + count] for at in (view_word(stage), sampler_word(stage)))
        classes += [number >> CLASS_SHIFT for pair in zip(views, samplers) for number in pair]
    return Combination(head.tobytes(), tuple(classes), kind, framebuffer)


def numbers_of(head: bytes) -> frozenset[int]:
    """The numbers of values in a combination."""
    words: Any = np.frombuffer(head, np.uint64)
    return frozenset(words[_MASKS == _ALL].tolist())
