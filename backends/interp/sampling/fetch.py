"""Operations without a sampler: texels at integer coordinates, sizes, samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.interp.sampling.sample import UNBOUND, swizzled
from backends.run.result import Bits, Floats
from backends.run.textures import STANDARD_POSITIONS, TextureData
from tgsi.language.facts.enums import TARGETS


def fetch(
    texture: TextureData | None,
    target: str,
    coords: NDArray[Any],
    *,
    lod: NDArray[Any] | None = None,
    sample: NDArray[Any] | None = None,
    offsets: Sequence[Any] = (),
) -> Bits:
    """TXF: words of the texels at integer coordinates (lanes, 4) of level `lod` and sample `sample`, both 0 by default.

    The layer follows the other coordinates; the faces of cubes and of arrays of cubes count as layers. Outside of the texture the
    result is 0 before the swizzle. Without a texture it is 0, 0, 0, 1.
    """
    lanes = len(coords)
    if texture is None:
        return np.tile(UNBOUND, (lanes, 1))
    info = TARGETS[target]
    axes = 2 if "CUBE" in target else info.dimensions
    order = [0, 1, 2][:axes] + ([2] if info.layered or "CUBE" in target else [])
    places = np.asarray(coords).astype(np.int32)[:, : len(order)].copy()
    for axis, offset in enumerate(offsets[:axes]):
        places[:, axis] += np.asarray(offset).astype(np.int32)
    level, plane = (np.zeros(lanes, np.int64) if n is None else np.asarray(n).astype(np.int32).astype(np.int64) for n in (lod, sample))
    there = (level >= 0) & (level < len(texture.levels)) & (plane >= 0) & (plane < texture.samples)
    sizes = texture.sizes[np.where(there, level, 0)]
    indices = np.zeros((lanes, 3), np.int64)
    for column, axis in enumerate(order):
        there &= (places[:, column] >= 0) & (places[:, column] < sizes[:, axis])
        indices[:, axis] = places[:, column]
    indices[:, 2] += plane * sizes[:, 2]
    out = np.zeros((lanes, 4), np.uint32)
    for number in np.unique(level[there]):
        rows = np.flatnonzero(there & (level == number))
        i, j, k = indices[rows].T
        out[rows] = texture.texels(int(number))[k, j, i].view(np.uint32)
    return swizzled(texture, out)


def query_size(texture: TextureData | None, target: str, lanes: int, *, lod: NDArray[Any] | None = None) -> Bits:
    """TXQ: (lanes, 4) integers: the sizes of level `lod` (of the last level if there is no such level), layers, and levels."""
    if texture is None:
        return np.zeros((lanes, 4), np.uint32)
    info = TARGETS[target]
    last = len(texture.levels) - 1
    level = np.zeros(lanes, np.int64) if lod is None else np.asarray(lod).astype(np.int64)
    sizes = texture.sizes[np.where((level >= 0) & (level <= last), level, last)]
    cube = "CUBE" in target
    columns = [sizes[:, axis] for axis in range(2 if cube else info.dimensions)]
    if info.layered:
        columns.append(sizes[:, 2] // 6 if cube else sizes[:, 2])
    out = np.zeros((lanes, 4), np.uint32)
    for k, column in enumerate(columns):
        out[:, k] = column
    out[:, 3] = last + 1
    return out


def sample_count(texture: TextureData | None) -> int:
    """Samples of a texture, 0 without one."""
    return 0 if texture is None else texture.samples


def standard_positions(texture: TextureData | None) -> Floats:
    """(samples, 2): positions of a texture's samples in a pixel; centers if their number has no usual pattern."""
    count = sample_count(texture)
    sixteenths = STANDARD_POSITIONS.get(count, ((8, 8),) * count)
    return np.asarray(sixteenths, np.float32).reshape(count, 2) / np.float32(16)


def sample_positions(positions: Floats, index: NDArray[np.int32]) -> Bits:
    """SAMPLE_POS: (lanes, 4) words: x and y of sample `index`, 0, 0.

    Outside they are 0, 0; in a single-sampled texture every index selects its only sample.
    """
    out = np.zeros((len(index), 4), np.float32)
    place = np.zeros_like(index) if len(positions) == 1 else index
    there = (place >= 0) & (place < len(positions))
    out[there, :2] = positions[place[there]]
    return out.view(np.uint32)
