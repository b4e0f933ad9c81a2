"""An animated GIF of a client's frames, at their original speed."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

from PIL import Image

MOST_FRAMES = 240
"""Most frames. Beyond that, every second one is dropped, and later ones are taken half as often."""

MOST_WIDTH = 480
_SHORTEST = 0.05
"""Least seconds between two frames, because viewers slow down faster ones."""


class Film:
    """Frames of a client, reduced in size and to 256 colors."""

    def __init__(self) -> None:
        self._frames: list[tuple[float, Image.Image]] = []
        self._step = _SHORTEST
        self._end = 0.0

    def wants(self, now: float) -> bool:
        """Return whether a frame at this time should be added."""
        self._end = now
        return not self._frames or now - self._frames[-1][0] >= self._step

    def add(self, picture: Image.Image, now: float) -> None:
        """Add a frame."""
        if picture.width > MOST_WIDTH:
            picture = picture.resize((MOST_WIDTH, max(1, picture.height * MOST_WIDTH // picture.width)), Image.Resampling.BOX)
        self._frames.append((now, picture.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)))
        if len(self._frames) >= MOST_FRAMES:
            self._frames = self._frames[::2]
            self._step *= 2

    def write(self, path: Path) -> None:
        """Write the file if there are frames."""
        if not self._frames:
            return
        times = [when for when, _ in self._frames] + [max(self._end, self._frames[-1][0] + self._step)]
        lengths = [max(20, round(100 * (after - before)) * 10) for before, after in pairwise(times)]
        first, *rest = (picture for _, picture in self._frames)
        first.save(path, format="GIF", save_all=True, append_images=rest, duration=lengths, loop=0)

    @staticmethod
    def now() -> float:
        """Seconds of a monotonic clock."""
        return time.monotonic()
