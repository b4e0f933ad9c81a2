"""Sampler states in their two halves: what changes code, and the record that kernels read."""

from __future__ import annotations

import struct

from backends.abi.keys import SamplerKey
from backends.abi.records import SamplerRecord
from backends.device.memory import BoundSampler
from backends.pipe.state import SamplerState

_FLOATS = struct.Struct("<4f")
_WORDS = struct.Struct("<4I")
_F32_MAX = 3.4028234663852886e38


def single(value: float) -> float:
    """A value that fits a 32-bit float: large ones become infinite."""
    return value if -_F32_MAX <= value <= _F32_MAX or value != value else float("inf" if value > 0 else "-inf")


def color_words(color: tuple[float, ...], *, integer: bool) -> tuple[int, int, int, int]:
    """Four values as 32-bit words: integers for integer formats, float bits for the others."""
    if integer:
        words = tuple(int(item) & 0xFFFFFFFF if abs(item) < float("inf") else 0 for item in color)
    else:
        words = _WORDS.unpack(_FLOATS.pack(*map(single, color)))
    return (words[0], words[1], words[2], words[3])


def bound_sampler(state: SamplerState) -> BoundSampler:
    """Both halves of a sampler state."""
    return BoundSampler(SamplerKey.of(state), SamplerRecord.of(state))
