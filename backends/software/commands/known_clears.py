"""Clears that Python has made, in a hash table for generated code: the bound targets and the arguments give their records."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from backends.device.commands.bound_record import ClearCall
from backends.device.region import reserved
from backends.raster.records import ClearRecord
from backends.software.commands.records import CLEAR_WORDS, ExecutorRecord, KnownClear

MIX = 0x9E3779B97F4A7C15
MOST_CLEARS = 1 << 10
"""Surfaces that wait to be cleared."""
_KEPT = 1 << 10
"""Records of known clears; one more, and all are forgotten."""
_U64 = (1 << 64) - 1


class KnownClears:
    """The known clears of an executor. Targets that are gone have numbers that never come again, so their clears may stay."""

    def __init__(self, record: ExecutorRecord) -> None:
        self._record, self._count = record, 0
        self._slots = (KnownClear * (2 * _KEPT))()
        self._kept = (ClearRecord * _KEPT).from_buffer(reserved(_KEPT * ctypes.sizeof(ClearRecord)).data)
        record.known_clears, record.known_clears_mask = ctypes.addressof(self._slots), len(self._slots) - 1
        record.kept_clears = ctypes.addressof(self._kept)
        self._used = 0

    def learn(self, call: ClearCall, made: Sequence[ClearRecord]) -> None:
        """Remember a clear of the bound targets, unless it is known, with its records."""
        if self._count >= _KEPT or self._used + len(made) > _KEPT:
            ctypes.memset(self._slots, 0, ctypes.sizeof(self._slots))
            self._count = self._used = 0
        number, words = self._record.targets_id, (ctypes.c_uint64 * CLEAR_WORDS).from_buffer(call)
        place = _hash_of(number, words[:]) & len(self._slots) - 1
        while self._slots[place].targets_id:
            slot = self._slots[place]
            if slot.targets_id == number and slot.words[:] == words[:]:
                return
            place = place + 1 & len(self._slots) - 1
        for k, record in enumerate(made, self._used):
            self._kept[k] = record
        self._slots[place] = KnownClear(number, words, self._used, len(made))
        self._used += len(made)
        self._count += 1


def _hash_of(number: int, words: Sequence[int]) -> int:
    """The hash of a clear; its low bits count."""
    for word in words:
        number = (number ^ word) * MIX & _U64
        number ^= number >> 32
    return number
