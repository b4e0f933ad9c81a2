"""Counts of a draw through the stages of this package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from backends.pipe.limits import MAX_VERTEX_STREAMS
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.geometry.repeat import Repeat


@record(frozen=False)
class Drawn:
    """The counts of a draw. `is_plain`: the rasterizer still has to draw the primitives as a plain draw.

    repeat: the draw in a form that generated code can repeat, or None. faults: messages about invalid outputs of mesh draws, with their
    counts.
    """

    counts: Counter[str] = field(default_factory=Counter)
    generated: list[int] = field(default_factory=lambda: [0] * MAX_VERTEX_STREAMS)
    needed: Sequence[int] = (0,) * MAX_VERTEX_STREAMS
    written: Sequence[int] = (0,) * MAX_VERTEX_STREAMS
    is_plain: bool = False
    repeat: Repeat | None = field(default=None, kw_only=True)
    faults: tuple[str, ...] = ()
