"""Scaling of boxes of texels on the CPU: the calls of the blit kernels."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.blit_key import AXES, BlitKey, BlitRecord
from backends.device.scale_job import Axis, Scale
from backends.formats import Format, find_format
from backends.formats.arrays import pack, unpack
from backends.llvm.engine.engine import Library
from backends.pipe.enums import ColorMask
from backends.raster.kernels import Kernels

PIECE = 1 << 20
"""Target bytes of a native call, which fit into the cache; signals are handled between calls."""

_WIDE = {"float": "R32G32B32A32_FLOAT", "uint": "R32G32B32A32_UINT", "sint": "R32G32B32A32_SINT"}


def scale(kernels: Kernels, job: Scale) -> None:
    """Carry out a `Scale` job by compiled kernels; plain copies of bytes are done by numpy."""
    source, target, of, to, axes = job.source, job.target, job.source_format, job.target_format, job.axes
    filtered = (axes[0].second is not None, axes[1].second is not None, axes[2].second is not None)
    key, writes, is_raw, is_whole = _key_of(of, to, filtered, job.mask, job.blends)
    if not writes or not target.size:
        return
    if is_raw and axes[0].is_whole and axes[1].is_whole and axes[2].is_whole:
        target[...] = source[tuple(slice(int(a.first[0]), int(a.first[-1]) + 1) for a in axes)]
        return
    if to.block_bytes & (to.block_bytes - 1):
        _scale_odd(kernels, source, target, key, axes)
        return
    lanes = min(max(2 * kernels.cache.native, 8), 16)
    library = kernels.blit(key, lanes)
    if np.may_share_memory(source, target):  # a single call, which reads all texels before it writes any
        _call(library, lanes, source, target, axes, is_whole)
        return
    from tgsi.language import budgets

    rows = max(PIECE // (target.shape[2] * to.block_bytes), 1)
    if target.shape[0] == 1 and target.shape[1] <= rows:
        budgets.check()
        _call(library, lanes, source, target, axes, is_whole)
        return
    for z in range(target.shape[0]):
        for y in range(0, target.shape[1], rows):
            budgets.check()
            part = (axes[0][z : z + 1], axes[1][y : y + rows], axes[2])
            _call(library, lanes, source, target[z : z + 1, y : y + rows], part, is_whole)


@functools.lru_cache(maxsize=256)
def _key_of(
    source: Format, target: Format, filtered: tuple[bool, bool, bool], mask: ColorMask, blends: bool
) -> tuple[BlitKey, bool, bool, bool]:
    """The key of a kernel, and whether it writes a channel, only copies, and writes whole texels."""
    key = BlitKey(source, target, filtered, mask, blends)
    return key, bool(key.written), key.is_raw, key.is_whole


@functools.lru_cache(maxsize=64)  # programs repeat blits of the same size
def _tables_of(axis: Axis, stride: int, space: int, name: str) -> tuple[list[NDArray[Any]], list[int]]:
    """The tables of an axis (see `BlitRecord`) followed by `space` zeros, and the address of each, 0 for a missing one."""
    kind = np.int32 if name == "columns" else np.int64
    parts: list[NDArray[Any] | None] = [
        (axis.first * stride).astype(kind),
        None if axis.second is None else (axis.second * stride).astype(kind),
        axis.weight,
    ]
    padded = [None if values is None else np.concatenate([values, np.zeros(space, values.dtype)]) for values in parts]
    return [values for values in padded if values is not None], [0 if values is None else values.ctypes.data for values in padded]


def _call(
    library: Library, lanes: int, source: NDArray[np.uint8], target: NDArray[np.uint8], axes: tuple[Axis, Axis, Axis], is_whole: bool
) -> None:
    layers, rows, columns, size = target.shape
    padded = -(-columns // lanes) * lanes
    if is_whole:
        done: NDArray[np.uint8] = np.empty((layers, rows, padded, size), np.uint8)
    else:
        done = np.zeros((layers, rows, padded, size), np.uint8)
        done[:, :, :columns] = target
    spaces = 0, 0, padded - columns
    tables = [_tables_of(axis, stride, space, name) for axis, stride, space, name in zip(axes, source.strides, spaces, AXES)]
    places = [places for _, places in tables]
    record = BlitRecord(source.ctypes.data, done.ctypes.data, *(row[k] for k in range(3) for row in places), layers, rows, padded)
    library.entry()(ctypes.addressof(record))
    target[...] = done[:, :, :columns]


def _scale_odd(kernels: Kernels, source: NDArray[np.uint8], target: NDArray[np.uint8], key: BlitKey, axes: tuple[Axis, Axis, Axis]) -> None:
    """Scale into texels of 3, 6 or 12 bytes, which kernels cannot write: scale to 32-bit channels, then pack with numpy."""
    wide = find_format(_WIDE[key.target.kind])
    colors = np.zeros((*target.shape[:3], wide.block_bytes), np.uint8)
    to_wide = Scale(source=source, target=colors, source_format=key.source, target_format=wide, axes=axes, mask=ColorMask.RGBA)
    scale(kernels, to_wide)
    values = unpack(wide, colors.reshape(-1))
    if not key.is_whole:
        old = unpack(key.target, np.ascontiguousarray(target).reshape(-1))
        if key.blends:
            alpha = values[:, 3:]
            values = values * alpha + old * (np.float32(1) - alpha)
        keep = [channel for channel in range(4) if not key.written >> channel & 1]
        values[:, keep] = old[:, keep]
    target[...] = pack(key.target, values).reshape(target.shape)
