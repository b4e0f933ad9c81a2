"""Scaling boxes of texels: where each target texel comes from, and the calls of the kernels that move them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.blit_key import AXES, BlitKey, BlitRecord
from backends.formats import Format, find_format
from backends.formats.arrays import pack, unpack
from backends.pipe.enums import ColorMask

Indices = NDArray[np.int64]
PIECE = 1 << 20
"""Target bytes of one native call: between calls the caller can be interrupted, and they stay in the cache until they are stored."""

_WIDE = {"float": "R32G32B32A32_FLOAT", "uint": "R32G32B32A32_UINT", "sint": "R32G32B32A32_SINT"}


@dataclass(frozen=True)
class Axis:
    """Which source texels each target texel takes: the nearest one, or two and the weight of the second."""

    first: Indices
    second: Indices | None = None
    weight: NDArray[np.float32] | None = None

    def __getitem__(self, part: slice) -> Axis:
        if self.second is None or self.weight is None:
            return Axis(self.first[part])
        return Axis(self.first[part], self.second[part], self.weight[part])

    @property
    def is_whole(self) -> bool:
        """The texels of a range, in order."""
        return self.second is None and bool((np.diff(self.first) == 1).all())


def axis(count: int, start: int, size: int, limit: int, *, is_filtered: bool, window: range | None = None) -> Axis:
    """`count` target texels over the source range start .. start + size, mirrored where size is negative; `limit` texels are there.

    Filters stop at the edges of the range and of the texture, and texels outside of it are those of its edge.
    window: which of the target texels are wanted; all when omitted."""
    wanted = range(count) if window is None else window
    if count == size:
        return Axis(np.clip(np.arange(start + wanted.start, start + wanted.stop), 0, limit - 1))
    at = (np.arange(wanted.start, wanted.stop, dtype=np.float64) + 0.5) * (size / count) + np.float64(start)
    if not is_filtered:
        return Axis(np.clip(np.floor(at), 0, limit - 1).astype(np.int64))
    low, high = (min(max(k, 0), limit - 1) for k in (min(start, start + size), max(start, start + size) - 1))
    floor = np.floor(at - 0.5)
    first, second = (np.clip(k, low, high).astype(np.int64) for k in (floor, floor + 1))
    return Axis(first, second, (at - 0.5 - floor).astype(np.float32))


def resample(
    kernels: Any,
    source: NDArray[np.uint8],
    target: NDArray[np.uint8],
    of: Format,
    to: Format,
    axes: tuple[Axis, Axis, Axis],
    mask: ColorMask,
) -> None:
    """Fill `target` with texels of `source`, converted from `of` to `to`; channels outside of `mask` stay.

    source, target: bytes of texels (layers, rows, columns, bytes); `source` is a whole level of a resource, `target` any box.
    """
    filtered = (axes[0].second is not None, axes[1].second is not None, axes[2].second is not None)
    key = BlitKey(of, to, filtered, mask)
    if not key.written or not target.size:
        return
    if key.is_raw and all(a.is_whole for a in axes):
        target[...] = source[tuple(slice(int(a.first[0]), int(a.first[-1]) + 1) for a in axes)]
        return
    if to.block_bytes & (to.block_bytes - 1):
        _resample_odd(kernels, source, target, key, axes)
        return
    lanes = min(max(2 * kernels.native, 8), 16)
    library = kernels.blit(key, lanes)
    if np.may_share_memory(source, target):  # all is read before anything is written
        _call(library, key, lanes, source, target, axes)
        return
    rows = max(PIECE // (target.shape[2] * to.block_bytes), 1)
    for z in range(target.shape[0]):
        for y in range(0, target.shape[1], rows):
            part = (axes[0][z : z + 1], axes[1][y : y + rows], axes[2])
            _call(library, key, lanes, source, target[z : z + 1, y : y + rows], part)


def _call(
    library: Any, key: BlitKey, lanes: int, source: NDArray[np.uint8], target: NDArray[np.uint8], axes: tuple[Axis, Axis, Axis]
) -> None:
    layers, rows, columns, size = target.shape
    padded = -(-columns // lanes) * lanes
    done = np.zeros((layers, rows, padded, size), np.uint8)
    if not key.is_whole:
        done[:, :, :columns] = target
    record = BlitRecord(source.ctypes.data, done.ctypes.data)
    keep = []
    for name, table, stride in zip(AXES, axes, source.strides):
        space = padded - columns if name == "columns" else 0
        kind = np.int32 if name == "columns" else np.int64
        parts: list[tuple[str, NDArray[Any] | None]] = [
            ("first", (table.first * stride).astype(kind)),
            ("second", None if table.second is None else (table.second * stride).astype(kind)),
            ("weight", table.weight),
        ]
        for field, values in parts:
            if values is not None:
                keep.append(np.concatenate([values, np.zeros(space, values.dtype)]))
                setattr(record, f"{name}_{field}", keep[-1].ctypes.data)
    record.layers, record.rows, record.columns = layers, rows, padded
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.address["blit"])(ctypes.addressof(record))
    target[...] = done[:, :, :columns]


def _resample_odd(kernels: Any, source: NDArray[np.uint8], target: NDArray[np.uint8], key: BlitKey, axes: tuple[Axis, Axis, Axis]) -> None:
    """Into texels of 3, 6 or 12 bytes, which kernels do not write."""
    wide = find_format(_WIDE[key.target.kind])
    colors = np.zeros((*target.shape[:3], wide.block_bytes), np.uint8)
    resample(kernels, source, colors, key.source, wide, axes, ColorMask.RGBA)
    values = unpack(wide, colors.reshape(-1))
    if key.written != ColorMask.RGBA:
        old = unpack(key.target, np.ascontiguousarray(target).reshape(-1))
        keep = [channel for channel in range(4) if not key.written >> channel & 1]
        values[:, keep] = old[:, keep]
    target[...] = pack(key.target, values).reshape(target.shape)
