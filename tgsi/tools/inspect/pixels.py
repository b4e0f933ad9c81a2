"""The values of requested pixels, draw by draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tgsi.tools.replay.played import Target
from tgsi.tools.replay.units import spell_pixel


class PixelTexts:
    """The history of pixels as the stored numbers of the bound targets."""

    def __init__(self, pixels: Sequence[tuple[int, int]]) -> None:
        self._pixels = list(dict.fromkeys(pixels))
        self._last: dict[tuple[int, int, int, str], str] = {}
        self._events: list[list[dict[str, Any]]] = [[] for _ in self._pixels]
        self._explanations: list[dict[str, Any]] = [{} for _ in self._pixels]

    @property
    def pixels(self) -> list[tuple[int, int]]:
        """The pixels, each once."""
        return self._pixels

    def take(self, number: int, targets: Sequence[Target]) -> None:
        """Record the pixels after draw `number`."""
        if not self._pixels:
            return
        for target in targets:
            width, height = target.size
            data = target.data()[0]
            for k, (x, y) in enumerate(self._pixels):
                if x >= width or y >= height:
                    continue
                text = spell_pixel(target.format, data[y, x].tobytes())
                key = k, target.handle, target.level, target.name
                before = self._last.get(key)
                if before != text:
                    self._last[key] = text
                    self._events[k].append({"draw": number, "target": target.name, "before": before or "", "after": text})

    def explain(self, k: int, explanation: dict[str, Any]) -> None:
        """Add the explanation of a pixel."""
        self._explanations[k] = explanation

    def as_data(self) -> list[dict[str, Any]]:
        """Pixels for the page."""
        rows = zip(self._pixels, self._events, self._explanations)
        return [{"x": x, "y": y, "events": events, "explanation": explanation} for (x, y), events, explanation in rows]
