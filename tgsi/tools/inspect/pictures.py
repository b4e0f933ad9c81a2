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
_MOST_PATCHES = 300
"""Rectangles after which a whole picture is stored, from which the page can begin."""
MOST_PIXELS = 1 << 25
"""Pixels of a target that has pictures."""
BUDGET = 12 << 20
"""Bytes of the pictures of draws in a page."""
_AT_ONCE = 0.25
"""The part of the budget that may be spent at any time; the rest is spread evenly over the draws."""
COARSEST = 4
"""Every pixel, every second or every fourth of each row is kept, so that pictures fit the budget."""

Pixels = NDArray[np.uint8]


def png(pixels: Pixels) -> bytes:
    """A PNG of RGB, RGBA or gray pixels."""
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

    def __init__(self, data: Pixels, patches: int) -> None:
        self.data, self.patches = data, patches


class Pictures:
    """The pictures of a time line.

    Where they would need more than their budget, some draws have none, and the next one has the changes of all of them.
    """

    def __init__(self, images: Images, draws: int, coarseness: int = 1, budget: int = BUDGET) -> None:
        """draws: number of draws that will come. coarseness: 1 keeps every pixel, 2 every second one of each row and column."""
        self._images, self._budget, self._coarseness = images, budget, coarseness
        self._draws, self._drawn, self._skipped = max(1, draws), 0, 0
        self._shown: dict[tuple[int, int, tuple[int, int], Format], _Shown] = {}

    @property
    def is_crowded(self) -> bool:
        """True if more than a tenth of the draws have no picture, which coarser pictures avoid."""
        return self._coarseness < COARSEST and self._skipped * 10 > self._draws

    def factor_of(self, width: int, height: int) -> int:
        """The step between the pixels that a picture of this size keeps, in both directions."""
        return -(-max(width, height, 1) // LONGEST) * self._coarseness

    def take(self, target: Target) -> dict[str, Any] | None:
        """The page's row of a target after a draw: its size, and a patch (image, x, y); None: the picture is as it was, or left out."""
        if layers_of(target) > MOST_PIXELS:
            return None
        key = target.handle, target.level, target.layers, target.format
        layout, factor = target.layout, self.factor_of(*target.size)
        data = target.data()
        if factor > 1:
            data = data[:, ::factor, ::factor]
            layout = Layout(layout.format, data.shape[2], data.shape[1], layout.layers)
        data = np.ascontiguousarray(data).reshape(layout.layers * layout.height, layout.width, -1)
        known = self._shown.get(key)
        changed = None if known is None or known.data.shape != data.shape else _changes(known.data, data)
        if changed is not None and not changed.any():
            return None
        if not self._has_room(1 if known is not None else 2):
            self._skipped += 1
            return None
        if changed is None or known is None or known.patches >= _MOST_PATCHES or int(np.count_nonzero(changed)) * 2 > changed.size:
            patches, (x, y, image) = 0, (0, 0, shown(layout.format, data))
        else:
            patches, (x, y, image) = known.patches + 1, _patch(layout.format, data, changed)
        self._shown[key] = _Shown(data, patches)
        return {
            "name": target.name,
            "handle": target.handle,
            "key": f"{target.handle}.{target.level}.{target.layers[0]}",
            "width": layout.width,
            "height": layout.height * layout.layers,
            "scale": factor,
            "whole": patches == 0,
            "image": self._images.add(image),
            "x": x,
            "y": y,
        }

    def next_draw(self) -> None:
        """Begin with the next draw."""
        self._drawn += 1

    def _has_room(self, times: int) -> bool:
        """True if the pictures so far have at most `times` of their share of the budget, and for the last draw."""
        if self._drawn >= self._draws - 1:
            return True
        share = _AT_ONCE + (1 - _AT_ONCE) * self._drawn / self._draws
        return self._images.size <= times * share * self._budget


def _changes(before: Pixels, data: Pixels) -> NDArray[np.bool_]:
    """For each pixel, if it differs."""
    size = data.shape[-1]
    if size in (1, 2, 4, 8):  # one number a pixel is compared much faster than its bytes
        found: NDArray[np.bool_] = before.view(f"u{size}")[..., 0] != data.view(f"u{size}")[..., 0]
        return found
    return np.asarray((before != data).any(axis=-1))


def _patch(format: Format, data: Pixels, changed: NDArray[np.bool_]) -> tuple[int, int, Pixels]:
    """The rectangle that has all changed pixels: its place, and RGB, or RGBA in which the others are transparent, to be smaller."""
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    place = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    image, mask = shown(format, data[place]), changed[place]
    if not mask.all():
        image = np.concatenate([image * mask[..., None], mask[..., None] * np.uint8(255)], axis=-1)
    return int(columns[0]), int(rows[0]), image


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
