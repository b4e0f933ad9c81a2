"""Probes: what a file expects of pixels and of words in memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.shader_test.values import floats, number

DTYPES = {"int": "i4", "uint": "u4", "float": "f4", "double": "f8", "int64_t": "i8", "uint64_t": "u8"}
"""numpy's name of each type."""

DEPTH_TOLERANCE = 0.01
"""Difference of depths that a probe takes."""

_COMPARISONS: dict[str, Callable[..., Any]] = {
    "~": lambda a, b: np.abs(a - b) <= 1e-6 * np.maximum(np.abs(b), 1),
    "==": np.equal, "!=": np.not_equal, "<": np.less, ">=": np.greater_equal, ">": np.greater, "<=": np.less_equal,
}  # fmt: skip


class LacksError(Exception):
    """A command that this runner does not support."""


class ProbeError(AssertionError):
    """A probe that found something else than it expects."""


def pixels_of(target: Any, is_window: bool) -> NDArray[Any]:
    """Pixels of a color buffer with four channels, the lower row of OpenGL first."""
    data = np.asarray(target.pixels())
    if data.ndim == 2:
        data = data[..., None]
    if str(target.format).endswith("UNORM") and data.dtype.kind == "u":
        data = data / np.float64(np.iinfo(data.dtype).max)
    made: NDArray[Any] = data[::-1] if is_window else data
    if made.shape[-1] < 4:
        made = np.concatenate([made, np.broadcast_to([0.0, 0, 0, 1][made.shape[-1] :], (*made.shape[:2], 4 - made.shape[-1]))], axis=-1)
    return made


def probe_colors(pixels: NDArray[Any], line: str, relative: bool, tolerance: list[float], target: Any) -> None:
    """Compare pixels with the colors of a command. LacksError, ProbeError."""
    found = re.match(r"probe( all| rect)?( rgba| rgb)( int| uint)? (.*)", line)
    if found is None:
        raise LacksError(" ".join(line.split()[:2]))
    height, width = pixels.shape[:2]
    values, count = floats(found[4]), len(found[2].strip())
    place = {" all": 0, " rect": 4, None: 2}[found[1]]
    area, wanted = values[:place], values[place : place + count]
    if relative:
        area = [float(np.float32(value) * np.float32(size)) for value, size in zip(area, [width, height] * 2, strict=False)]
        if len(area) == 2:
            area = [min(area[0], width - 1), min(area[1], height - 1)]
    x, y, w, h = map(int, (*area, 1, 1)[:4]) if area else (0, 0, width, height)
    part = pixels[y : y + h, x : x + w, :count].astype(np.float64)
    clamped = wanted if pixels.dtype.kind in "iu" or "FLOAT" in str(target.format) else np.clip(wanted, 0, 1)
    wrong = np.abs(part - clamped) > np.array([*tolerance, *tolerance][:count])
    wrong |= np.isnan(part)
    if wrong.any():
        row, column = np.argwhere(wrong.any(-1))[0]
        raise ProbeError(
            f"{line}: at ({x + column}, {y + row}) {np.round(part[row, column], 4).tolist()}, {int(wrong.any(-1).sum())} of {w * h}"
        )


def probe_depth(target: Any, line: str) -> None:
    """Compare the depth of a pixel with a number. ProbeError."""
    x, y, wanted = floats(line.removeprefix("probe depth "))
    found = float(np.asarray(target.pixels())[::-1][int(y), int(x)]) / ((1 << 24) - 1)  # Z24
    if abs(found - wanted) > DEPTH_TOLERANCE:
        raise ProbeError(f"{line}: it is {found}")


def probe_word(memory: bytes, kind: str, offset: int, sign: str, text: str, line: str) -> None:
    """Compare a word of memory with a number. ProbeError."""
    found = np.frombuffer(memory, np.uint8)[offset : offset + np.dtype(DTYPES[kind]).itemsize].view(DTYPES[kind])[0]
    if not _COMPARISONS[sign](found, np.array(number(text, kind), DTYPES[kind])):
        raise ProbeError(f"{line}: it is {found}")
