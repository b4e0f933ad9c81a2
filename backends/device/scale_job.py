"""Scaling boxes of texels: the job that a context gives a device, with the source texels of each target texel worked out."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.pipe.enums import ColorMask
from tgsi.language.record import record

Indices = NDArray[np.int64]


@record(slots=False, eq=False)
class Axis:
    """The source texels of each target texel along one axis: the nearest one, or two and the weight of the second.

    is_whole: the source texels are a range, taken in order.
    """

    first: Indices
    second: Indices | None = None
    weight: NDArray[np.float32] | None = None
    is_whole: bool = False

    def __getitem__(self, part: slice) -> Axis:
        if self.second is None or self.weight is None:
            return Axis(self.first[part], is_whole=self.is_whole)
        return Axis(self.first[part], self.second[part], self.weight[part])


@functools.lru_cache(maxsize=32)  # programs repeat blits of the same size
def axis(count: int, start: int, size: int, limit: int, *, is_filtered: bool, window: range | None = None) -> Axis:
    """Map `count` target texels to the source range start .. start + size, mirrored where size is negative; the source has `limit` texels.

    Filters are clamped to the edges of the range and of the texture.
    window: the target texels that are needed; all when omitted.
    """
    wanted = range(count) if window is None else window
    if count == size:
        begin, end = start + wanted.start, start + wanted.stop
        return Axis(np.clip(np.arange(begin, end), 0, limit - 1), is_whole=0 <= begin < end <= limit)
    at = (np.arange(wanted.start, wanted.stop, dtype=np.float64) + 0.5) * (size / count) + np.float64(start)
    if not is_filtered:
        return Axis(np.clip(np.floor(at), 0, limit - 1).astype(np.int64))
    low, high = (min(max(k, 0), limit - 1) for k in (min(start, start + size), max(start, start + size) - 1))
    floor = np.floor(at - 0.5)
    first, second = (np.clip(k, low, high).astype(np.int64) for k in (floor, floor + 1))
    return Axis(first, second, (at - 0.5 - floor).astype(np.float32))


@record(kw_only=True)
class Scale:
    """Fill `target` with texels of `source`, converted from `source_format` to `target_format`; channels outside of `mask` stay.

    blends: the new texel is source * a + target * (1 - a), with the source's alpha, in f32.
    source, target: bytes of texels, of shape (layers, rows, columns, bytes of a texel). `source` is a whole level of a resource,
    `target` any box of one. axes: the source texels of layers, rows and columns of the target.
    """

    source: NDArray[np.uint8]
    target: NDArray[np.uint8]
    source_format: Format
    target_format: Format
    axes: tuple[Axis, Axis, Axis]
    mask: ColorMask
    blends: bool = False
