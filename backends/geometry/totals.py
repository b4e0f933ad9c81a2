"""Running totals of the counters of the stages in front of the rasterizer."""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace

from backends.device.counters import Place, Statistics, counted
from backends.geometry.drawn import Drawn
from backends.pipe.limits import MAX_VERTEX_STREAMS
from tgsi.language.record import record

_OWN = frozenset(counted(Place.STAGE))
"""Counters of these stages alone. A following plain draw counts all others."""


def _zeros() -> list[int]:
    return [0] * MAX_VERTEX_STREAMS


@record(frozen=False)
class StreamTotals:
    """Sums over draws: counters by name, and primitives of each vertex stream."""

    counts: Counter[str] = field(default_factory=Counter)
    generated: list[int] = field(default_factory=_zeros)
    needed: list[int] = field(default_factory=_zeros)
    written: list[int] = field(default_factory=_zeros)

    def add(self, drawn: Drawn, *, counts_input: bool) -> None:
        """Add one draw. `counts_input`: no plain draw follows to count its input."""
        for name, count in drawn.counts.items():
            if counts_input or name in _OWN:
                self.counts[name] += count
        for stream in range(MAX_VERTEX_STREAMS):
            self.generated[stream] += drawn.generated[stream] if counts_input else 0
            self.needed[stream] += drawn.needed[stream]
            self.written[stream] += drawn.written[stream]

    def statistics(self, plain: Statistics, polygon_triangles: int) -> Statistics:
        """Return these totals added to those of plain draws, whose primitives all belong to stream 0.

        polygon_triangles: triangles of plain draws beyond the first of each polygon. A polygon is one primitive for the input assembler,
        but all of its triangles are generated, drawn and streamed out.
        """
        sums = {name: getattr(plain, name) + count for name, count in self.counts.items()}
        generated = (self.generated[0] + plain.primitives + polygon_triangles, *self.generated[1:])
        return replace(plain, **sums, generated=generated, needed=tuple(self.needed), written=tuple(self.written))
