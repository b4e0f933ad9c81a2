"""Pictures of targets after each draw: whole ones, and the rectangle that a draw has changed, as PNGs that are stored once each."""

from __future__ import annotations

import base64
import hashlib
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backends.formats import Format
from tgsi.tools.replay.images import display
from tgsi.tools.replay.played import Target
from tgsi.tools.replay.scene import Layout

LONGEST = 1024
"""Longest side of a picture in pixels; larger targets are shown with every second pixel, every third, and so on."""
_MOST_PATCHES = 120
"""Rectangles after which a whole picture is stored, from which the page can begin."""
MOST_PIXELS = 1 << 25
"""Pixels of a target that has pictures."""
BUDGET = 10 << 20
"""Bytes of all PNGs of a page, at most about."""

Pixels = NDArray[np.uint8]


def png(pixels: Pixels) -> bytes:
    """A PNG of RGB or gray pixels."""
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(out, "PNG", compress_level=6)
    return out.getvalue()


def layers_of(target: Target) -> int:
    """Pixels of all bound layers."""
    return target.size[0] * target.size[1] * target.layers[1]


class Images:
    """PNGs of a page, each once.

    Attributes:
        data: base64 of each.
        size: bytes of all.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self.data: list[str] = []
        self.size = 0

    def add(self, pixels: Pixels) -> int:
        """The number of a picture."""
        key = hashlib.sha256(repr(pixels.shape).encode() + np.ascontiguousarray(pixels).tobytes()).digest()
        if key not in self._numbers:
            self._numbers[key] = len(self.data)
            made = base64.b64encode(png(pixels)).decode()
            self.size += len(made)
            self.data.append(made)
        return self._numbers[key]


class _Shown:
    """The picture of a target that the page has so far."""

    def __init__(self, data: Pixels) -> None:
        self.data, self.patches, self.waits = data, 0, 0


class Pictures:
    """The pictures of a time line. Where they would need more than their budget, some draws have none, and a later one has both changes."""

    def __init__(self, images: Images, draws: int, budget: int = BUDGET) -> None:
        """draws: number of draws that will come."""
        self._images, self._left, self._budget = images, max(1, draws), budget
        self._shown: dict[tuple[int, int, tuple[int, int], Format], _Shown] = {}

    def take(self, target: Target) -> dict[str, Any] | None:
        """The page's row of a target after a draw: its size, and a patch (image, x, y); None: the picture is as it was, or left out."""
        if layers_of(target) > MOST_PIXELS:
            return None
        key = target.handle, target.level, target.layers, target.format
        layout, factor = target.layout, -(-max(*target.size, 1) // LONGEST)
        data = target.data()
        if factor > 1:
            data = data[:, ::factor, ::factor]
            layout = Layout(layout.format, data.shape[2], data.shape[1], layout.layers)
        data = np.ascontiguousarray(data).reshape(layout.layers * layout.height, layout.width, -1)
        known = self._shown.get(key)
        place = self._changed(known, data)
        if place is None or not self._has_room(known):
            return None
        x, y, patch = place
        is_whole = known is None or known.patches >= _MOST_PATCHES or patch.shape[0] * patch.shape[1] * 2 > data.shape[0] * data.shape[1]
        if is_whole:
            x, y, patch = 0, 0, data
        self._shown[key] = kept = _Shown(data)
        kept.patches = 0 if is_whole or known is None else known.patches + 1
        number = self._images.add(shown(layout.format, patch))
        return {
            "name": target.name,
            "handle": target.handle,
            "key": f"{target.handle}.{target.level}.{target.layers[0]}",
            "width": layout.width,
            "height": layout.height * layout.layers,
            "scale": factor,
            "whole": is_whole,
            "image": number,
            "x": x,
            "y": y,
        }

    def next_draw(self) -> None:
        """Begin with the next draw."""
        self._left = max(1, self._left - 1)

    def _has_room(self, known: _Shown | None) -> bool:
        """True unless the average picture of the draws that are left would be smaller than those so far by much."""
        if known is None or self._left <= 1:
            return True
        share = (self._budget - self._images.size) / self._left
        if self._images.data and self._images.size / len(self._images.data) > 4 * share and known.waits < 64:
            known.waits += 1
            return self._images.size + self._images.size / len(self._images.data) < self._budget and known.waits % 8 == 0
        return True

    @staticmethod
    def _changed(known: _Shown | None, data: Pixels) -> tuple[int, int, Pixels] | None:
        """The rectangle that changed; None if nothing has."""
        if known is None or known.data.shape != data.shape:
            return 0, 0, data
        size = data.shape[-1]
        if size in (1, 2, 4, 8):  # one number a pixel is compared much faster than its bytes
            mask = known.data.view(f"u{size}")[..., 0] != data.view(f"u{size}")[..., 0]
        else:
            mask = (known.data != data).any(axis=-1)
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        if not len(rows):
            return None
        return int(columns[0]), int(rows[0]), data[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _bytes_of(format: Format) -> list[int] | None:
    """The bytes of red, green and blue in a pixel, if each of them is a byte that is shown as it is."""
    channels = [format.channel_of(k) for k in range(3)]
    if not (format.is_plain_unorm8 or format.is_srgb):
        return None
    found = [channel.shift // 8 for channel in channels if channel is not None and channel.size == 8 and channel.shift % 8 == 0]
    return found if len(found) == 3 else None


def shown(format: Format, data: Pixels) -> Pixels:
    """Bytes of pixels, (height, width, bytes of a pixel), as RGB. Depth goes from 0 to 1, so that rectangles of one picture fit."""
    height, width = data.shape[:2]
    places = _bytes_of(format)
    if places is not None:
        return np.ascontiguousarray(data[..., places])
    if not (format.is_plain_unorm8 or format.is_srgb):
        from backends.formats.arrays import unpack, unpack_stencil

        flat = np.ascontiguousarray(data).reshape(-1)
        values = np.asarray(unpack_stencil(format, flat) if format.has_stencil and not format.has_depth else unpack(format, flat))
        values = values.reshape(height * width, -1).astype(np.float64)
        count = 3 if values.shape[1] >= 3 and not (format.has_depth or format.has_stencil) else 1
        high = 255.0 if format.is_integer or (format.has_stencil and not format.has_depth) else 1.0
        with np.errstate(invalid="ignore"):
            scaled = np.clip(np.nan_to_num(values[:, :count] / high, nan=0.0, posinf=1.0, neginf=0.0), 0, 1)
        found = np.rint(scaled * 255).astype(np.uint8)
        return found.repeat(3 // found.shape[1], axis=1).reshape(height, width, 3)
    return display(Layout(format, width, height, 1), np.ascontiguousarray(data).tobytes())
