"""Pictures of a scene's outputs: 8-bit PNGs of targets of any format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backends.formats import Format
from backends.formats.arrays import unpack, unpack_stencil
from tgsi.tools.parsing import reason
from tgsi.tools.replay.fields import SceneError
from tgsi.tools.replay.scene import Layout

Pixels = NDArray[np.uint8]

NAN_COLOR = (255, 0, 255)
"""Color of pixels with a NaN channel."""

MAX_ZOOM, ZOOMED = 16, 1024
"""Small pictures are enlarged by an integer factor of at most MAX_ZOOM, towards ZOOMED pixels on the longer side."""


def display(layout: Layout, data: bytes) -> Pixels:
    """Picture of an image as RGB bytes of shape (layers * height, width, 3): layers stand below each other, y = 0 on top.

    Values in [0, 1] are shown unchanged, sRGB as stored. Integer and depth images, and images with values outside [0, 1], are
    stretched from their smallest finite value to the largest. Alpha is shown only if the format has no other channel.
    """
    color = unpack(layout.format, np.frombuffer(data, np.uint8))
    has_color = any(layout.format.channel_of(k) is not None for k in range(3))
    shown = color[:, :3] if has_color else np.repeat(color[:, 3:], 3, axis=1)
    stretched = layout.format.is_integer or layout.format.has_depth
    rgb = _encode_srgb(shown) if layout.format.is_srgb else _to_bytes(shown, stretched)
    return rgb.reshape(layout.layers * layout.height, layout.width, 3)


def display_stencil(layout: Layout, data: bytes) -> Pixels:
    """Picture of the stencil part of a depth-stencil image, stretched, in the shape of `display`."""
    gray = unpack_stencil(layout.format, np.frombuffer(data, np.uint8)).astype(np.float64)
    return _to_bytes(np.repeat(gray[:, None], 3, axis=1), True).reshape(layout.layers * layout.height, layout.width, 3)


def _encode_srgb(color: NDArray[Any]) -> Pixels:
    x = np.clip(color.astype(np.float64), 0.0, 1.0)
    curved = np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)
    return np.rint(curved * 255.0).astype(np.uint8)


def _to_bytes(color: NDArray[Any], stretched: bool) -> Pixels:
    x = color.astype(np.float64)
    finite = np.isfinite(x)
    low, high = (float(x[finite].min()), float(x[finite].max())) if finite.any() else (0.0, 1.0)
    if (stretched and high > low) or low < 0.0 or high > 1.0:
        x = (x - low) / (high - low if high > low else 1.0)
    out = np.rint(np.clip(np.nan_to_num(x, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0) * 255.0).astype(np.uint8)
    out[np.isnan(color.astype(np.float64)).any(axis=1)] = NAN_COLOR
    return out


def save(path: Path, pixels: Pixels, *, enlarge: bool = False) -> None:
    """Write a PNG; `enlarge` zooms small pictures. Raises SceneError if the file cannot be written."""
    zoom = max(1, min(MAX_ZOOM, ZOOMED // max(pixels.shape[:2]))) if enlarge else 1
    large = np.ascontiguousarray(pixels.repeat(zoom, axis=0).repeat(zoom, axis=1))
    try:
        Image.fromarray(large).save(path)
    except OSError as error:
        raise SceneError(f"{path}: cannot be written: {reason(error)}") from None


def difference(layout: Layout, our_bytes: bytes, reference_bytes: bytes, mask: NDArray[np.bool_]) -> Pixels:
    """Picture of our image, the reference, and the differing pixels in red over a dimmed reference, side by side at one brightness."""
    both = display(replace(layout, layers=2 * layout.layers), our_bytes + reference_bytes)
    ours, reference = both[: len(both) // 2], both[len(both) // 2 :]
    marked = reference // 4
    marked[mask.reshape(marked.shape[:2])] = (255, 40, 40)
    gap = np.full((len(ours), 2, 3), 128, np.uint8)
    return np.concatenate((ours, gap, reference, gap, marked), axis=1)


def read_png(path: Path, layout: Layout) -> bytes | None:
    """Bytes of a PNG file that holds an R8G8B8A8 image of this layout, or None if it holds another image."""
    if layout.format is not Format.R8G8B8A8_UNORM or layout.layers != 1:
        return None
    try:
        with Image.open(path) as image:
            if image.mode != "RGBA" or image.size != (layout.width, layout.height):
                return None
            return image.tobytes()
    except (OSError, Image.DecompressionBombError):
        return None
