"""Clears of the bound targets: clears of whole tiles are queued among the draws, all others are written at once.

Queued clears are kept in a hash table for generated code, which maps bound targets and arguments to their records.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from backends.device.commands.bound_record import ClearCall
from backends.device.counters import FlushReason
from backends.device.framebuffer import Framebuffer
from backends.device.region import reserved
from backends.pipe.limits import MAX_COLOR_BUFFERS
from backends.raster.clears import clear_exactly, clear_records, fits_tiles
from backends.raster.records import ClearRecord
from backends.software.commands.records import CLEAR_WORDS, ExecutorRecord, KnownClear

MIX = 0x9E3779B97F4A7C15
MOST_CLEARS = 1 << 10
"""Most pending clears of surfaces."""
_KEPT = 1 << 10
"""Capacity of the table of known clears, which is cleared when full."""
_U64 = (1 << 64) - 1


class ClearQueue:
    """The clears of an executor: queued ones, and known ones that generated code can repeat.

    Numbers of destroyed targets are never reused, so their clears may stay.
    """

    def __init__(self, record: ExecutorRecord) -> None:
        self._record = record
        room = MOST_CLEARS + MAX_COLOR_BUFFERS + 2  # most surfaces that one call clears
        self._waiting, self._kept = _records(room), _records(_KEPT)
        self._slots = (KnownClear * (2 * _KEPT))()
        self._known = self._used = 0  # number of known clears, and of their records
        record.clears, record.kept_clears = ctypes.addressof(self._waiting), ctypes.addressof(self._kept)
        record.known_clears, record.known_clears_mask = ctypes.addressof(self._slots), len(self._slots) - 1

    @property
    def has_room(self) -> bool:
        """True if clears of all surfaces of a framebuffer can be taken without a flush."""
        return bool(self._record.num_clears < MOST_CLEARS)

    def clear(
        self,
        framebuffer: Framebuffer,
        flush: Callable[[FlushReason], None],
        buffers: int,
        color: Sequence[int],
        depth: float,
        stencil: int,
    ) -> None:
        """Clear the surfaces of the bound framebuffer that `buffers` names; `has_room` must be true.

        If the whole clear could be queued, generated code repeats it from now on. All other arguments are as for `Device.clear`.
        """
        records = clear_records(framebuffer, buffers, color, depth, stencil)
        for surface, record in records:
            if fits_tiles(framebuffer, surface):
                self._take(record)
            else:
                flush(FlushReason.CLEAR)
                self._record.runs += 1
                clear_exactly(framebuffer, surface, record)
        if all(fits_tiles(framebuffer, surface) for surface, _ in records):
            self._learn(ClearCall(buffers, stencil, (ctypes.c_uint32 * 4)(*color), depth), [record for _, record in records])

    def _take(self, clear: ClearRecord) -> None:
        """Take a clear, which comes before the next draw."""
        e = self._record
        clear.before = e.closed = e.num_batches
        self._waiting[e.num_clears] = clear
        e.num_clears += 1

    def _learn(self, call: ClearCall, records: Sequence[ClearRecord]) -> None:
        """Add a clear of the bound targets and its records to the known ones."""
        if self._known >= _KEPT or self._used + len(records) > _KEPT:
            ctypes.memset(self._slots, 0, ctypes.sizeof(self._slots))
            self._known = self._used = 0
        number, words = self._record.targets_id, (ctypes.c_uint64 * CLEAR_WORDS).from_buffer(call)
        place = _hash_of(number, words[:]) & len(self._slots) - 1
        while self._slots[place].targets_id:
            slot = self._slots[place]
            if slot.targets_id == number and slot.words[:] == words[:]:
                return
            place = place + 1 & len(self._slots) - 1
        for k, record in enumerate(records, self._used):
            self._kept[k] = record
        self._slots[place] = KnownClear(number, words, self._used, len(records))
        self._used += len(records)
        self._known += 1


def _records(count: int) -> ctypes.Array[ClearRecord]:
    return (ClearRecord * count).from_buffer(reserved(count * ctypes.sizeof(ClearRecord)).data)


def _hash_of(number: int, words: Sequence[int]) -> int:
    """The hash of a clear, of which the low bits are used."""
    for word in words:
        number = (number ^ word) * MIX & _U64
        number ^= number >> 32
    return number
