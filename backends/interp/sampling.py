"""Texture sampling with numpy: what the filters of Gallium mean, one plain step after the other.

Coordinates are scaled to texels in float32, as kernels do, so that both meet the same texels; colors are then mixed in
float64. Compared with generated code: nearest filters and integers agree in every bit; linear filters within 2e-6 of the
largest texel involved. Mip levels may differ where a LOD lies within 1e-5 of a rounding edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from backends.formats import ChannelType
from backends.gallium.enums import CompareFunc, Swizzle, TexCompare, TexFilter, TexMipFilter, TexWrap
from backends.gallium.state import SamplerState
from backends.interp.cubes import across_edge, cube_faces, cube_gradients
from backends.textures import TextureData
from tgsi.enums import TARGETS, TargetInfo

F = NDArray[np.float32]
Ints = NDArray[np.int64]
LodMode = Literal["implicit", "bias", "explicit", "zero", "gradient"]

FARTHEST = 2.0**21


def _swizzled(texture: TextureData, color: NDArray[np.uint32]) -> NDArray[np.uint32]:
    constants = {Swizzle.ZERO: 0, Swizzle.NONE: 0, Swizzle.ONE: texture.one}
    columns = [color[:, int(s)] if s <= Swizzle.W else np.full(len(color), constants[s], np.uint32) for s in texture.swizzle]
    return np.stack(columns, axis=1).astype(np.uint32)


# -- wrapping -----------------------------------------------------------------------------------------------------------
def _reflected(x: F, size: F) -> NDArray[np.float64]:
    """x folded into [0, size]."""
    wide, double = x.astype(np.float64), 2.0 * size.astype(np.float64)
    phase = wide - np.floor(wide / double) * double
    return np.where(phase > size, double - phase, phase)


def _limited(x: F) -> F:
    return np.clip(np.where(np.isnan(x), np.float32(-FARTHEST), x), np.float32(-FARTHEST), np.float32(FARTHEST)).astype(np.float32)


def _nearest_indices(mode: TexWrap, x: F, size: Ints) -> Ints:
    """Texel index, -1 or `size` for the border."""
    n = size.astype(np.float32)
    if mode is TexWrap.REPEAT:
        return np.floor(_limited(x)).astype(np.int64) % size
    if mode is TexWrap.MIRROR_REPEAT:
        return np.minimum(np.floor(_reflected(_limited(x), n)).astype(np.int64), size - 1)
    if mode in (TexWrap.MIRROR_CLAMP, TexWrap.MIRROR_CLAMP_TO_EDGE, TexWrap.MIRROR_CLAMP_TO_BORDER):
        x = np.abs(x)
    bordered = mode in (TexWrap.CLAMP_TO_BORDER, TexWrap.MIRROR_CLAMP_TO_BORDER)
    low = -1 if bordered else 0
    whole = np.floor(np.where(np.isnan(x), np.float32(low), np.clip(x, -(2.0**24), 2.0**24))).astype(np.int64)
    return np.clip(whole, low, size if bordered else size - 1)


def _linear_indices(mode: TexWrap, x: F, size: Ints) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Both texel indices (-1 and `size` and beyond: border) and the weight of the second."""
    n = size.astype(np.float32)
    if mode is TexWrap.REPEAT:
        u = (_limited(x) - np.float32(0.5)).astype(np.float64)
        first = np.floor(u).astype(np.int64)
        return first % size, (first + 1) % size, u - first
    if mode is TexWrap.MIRROR_REPEAT:
        x = _reflected(_limited(x), n).astype(np.float32)
    if mode in (TexWrap.MIRROR_CLAMP, TexWrap.MIRROR_CLAMP_TO_EDGE, TexWrap.MIRROR_CLAMP_TO_BORDER):
        x = np.abs(x)
    u = (x - np.float32(0.5)).astype(np.float64)
    if mode in (TexWrap.CLAMP_TO_BORDER, TexWrap.MIRROR_CLAMP_TO_BORDER):
        low, high = np.full(len(x), -1.0), n.astype(np.float64)
    elif mode in (TexWrap.CLAMP, TexWrap.MIRROR_CLAMP):
        low, high = np.full(len(x), -0.5), n.astype(np.float64) - 0.5
    else:
        low, high = np.zeros(len(x)), n.astype(np.float64) - 1.0
    u = np.clip(np.where(np.isnan(u), low, u), low, high)
    first = np.floor(u).astype(np.int64)
    second = first + 1
    if mode in (TexWrap.CLAMP_TO_EDGE, TexWrap.MIRROR_CLAMP_TO_EDGE, TexWrap.MIRROR_REPEAT):
        second = np.minimum(second, size - 1)
    return first, second, u - first


# -- cubes --------------------------------------------------------------------------------------------------------------
def _seamless(texture: TextureData, coords: F, level: Ints, layer: Ints) -> NDArray[np.float64]:
    """Bilinear filter over the edges of a cube. The texel missing at a corner is its neighbor in t: GL leaves that open."""
    size = texture.sizes[level][:, 0]
    none = np.zeros(4)
    firsts, parts = [], []
    for k in range(2):
        scale = size.astype(np.float32)
        u = (np.clip(coords[:, k] * scale, 0, scale).astype(np.float32) - np.float32(0.5)).astype(np.float64)
        u = np.where(np.isnan(u), -0.5, u)
        firsts.append(np.floor(u).astype(np.int64))
        parts.append(u - firsts[-1])
    total = np.zeros((len(level), 4))
    for corner in range(4):
        i, j = firsts[0] + (corner & 1), firsts[1] + (corner >> 1)
        j = np.where((i < 0) | (i >= size), np.clip(j, 0, size - 1), j)
        face, i, j = across_edge(layer % 6, i, j, size)
        weight = (parts[0] if corner & 1 else 1 - parts[0]) * (parts[1] if corner >> 1 else 1 - parts[1])
        total += _gather(texture, level, [i, j], layer // 6 * 6 + face, none) * weight[:, None]
    return total


# -- level of detail ----------------------------------------------------------------------------------------------------
def quad_derivatives(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """d/dx and d/dy of (lanes, n) values whose lanes 4q..4q+3 are (0,0) (1,0) (0,1) (1,1): lower row, left column."""
    quads = values.reshape(-1, 4, values.shape[1])
    dx = np.repeat(quads[:, 3] - quads[:, 2], 4, axis=0)
    dy = np.repeat(quads[:, 2] - quads[:, 0], 4, axis=0)
    return dx, dy


def _lod(
    texture: TextureData, sampler: SamplerState, mode: LodMode, lod: NDArray[Any] | None, gradients: tuple[F, F] | None, lanes: int
) -> NDArray[np.float64]:
    """Clamped level of detail; `gradients` in coordinates."""
    base = np.zeros(lanes)
    if gradients is not None and mode in ("implicit", "bias", "gradient"):
        axes = gradients[0].shape[1]
        scale = texture.sizes[0, :axes].astype(np.float32) if sampler.normalized_coords else np.ones(axes, np.float32)
        steps = np.concatenate([np.abs(g.astype(np.float32) * scale) for g in gradients], axis=1)
        rho = np.max(np.where(np.isnan(steps), 0, steps), axis=1)
        with np.errstate(divide="ignore"):
            base = np.clip(np.log2(rho.astype(np.float64)), -64.0, 64.0)
    if mode in ("bias", "explicit") and lod is not None:
        base = base + lod.astype(np.float64)
    base = base + sampler.lod_bias
    limited = np.clip(np.where(np.isnan(base), sampler.min_lod, base), sampler.min_lod, sampler.max_lod)
    return np.asarray(np.clip(limited, -64.0, 64.0), np.float64)


# -- sampling -----------------------------------------------------------------------------------------------------------
def _texel_coordinates(sampler: SamplerState, coords: F, axes: int, sizes: Ints, offsets: Sequence[Any]) -> list[F]:
    found = []
    for axis in range(axes):
        x = coords[:, axis]
        if sampler.normalized_coords:
            x = x * sizes[:, axis].astype(np.float32)
        if axis < len(offsets):
            x = x + np.asarray(offsets[axis]).astype(np.float32)
        found.append(x.astype(np.float32))
    return found


def _gather(texture: TextureData, level: Ints, indices: Sequence[Ints], layer: Ints, border: NDArray[np.float64]) -> NDArray[np.float64]:
    """Texels (lanes, 4) in float64; border where an index is out of its level. indices: 1 to 3 axes."""
    out = np.empty((len(level), 4), np.float64)
    for which in np.unique(level):
        texels = texture.texels(int(which))
        rows = np.flatnonzero(level == which)
        width, height, depth = texture.sizes[which]
        i = indices[0][rows]
        j = indices[1][rows] if len(indices) > 1 else np.zeros(len(rows), np.int64)
        k = indices[2][rows] if len(indices) > 2 else np.minimum(layer[rows], depth - 1)
        inside = (i >= 0) & (i < width) & (j >= 0) & (j < height) & (k >= 0) & (k < depth)
        picked = texels[np.clip(k, 0, depth - 1), np.clip(j, 0, height - 1), np.clip(i, 0, width - 1)].astype(np.float64)
        out[rows] = np.where(inside[:, None], picked, border)
    return out


def _filtered(
    texture: TextureData,
    sampler: SamplerState,
    linear: bool,
    coords: F,
    axes: int,
    cube: bool,
    level: Ints,
    layer: Ints,
    offsets: Sequence[Any],
) -> NDArray[np.float64]:
    """One image filter at one level a lane."""
    sizes = texture.sizes[level]
    modes = (sampler.wrap_s, sampler.wrap_t, sampler.wrap_r)
    x = _texel_coordinates(sampler, coords, axes, sizes, offsets)
    border = np.asarray(sampler.border_color, np.float64)
    if linear and cube and sampler.seamless_cube_map:
        return _seamless(texture, coords, level, layer)
    if not linear:
        return _gather(texture, level, [_nearest_indices(modes[a], x[a], sizes[:, a]) for a in range(axes)], layer, border)
    pairs = [_linear_indices(modes[a], x[a], sizes[:, a]) for a in range(axes)]
    total = np.zeros((len(level), 4))
    for corner in range(1 << axes):
        weight = np.ones(len(level))
        indices = []
        for axis, (first, second, part) in enumerate(pairs):
            upper = corner >> axis & 1
            weight = weight * (part if upper else 1.0 - part)
            indices.append(second if upper else first)
        texel = _gather(texture, level, indices, layer, border)
        total += np.where(weight[:, None] > 0, texel * weight[:, None], 0.0)
    return total


_TRUTH: dict[CompareFunc, Callable[[Any, Any], Any]] = {
    CompareFunc.NEVER: lambda a, b: np.zeros(len(a), bool),
    CompareFunc.LESS: np.less,
    CompareFunc.EQUAL: np.equal,
    CompareFunc.LEQUAL: np.less_equal,
    CompareFunc.GREATER: np.greater,
    CompareFunc.NOTEQUAL: np.not_equal,
    CompareFunc.GEQUAL: np.greater_equal,
    CompareFunc.ALWAYS: lambda a, b: np.ones(len(a), bool),
}


def _as_words(texture: TextureData, color: NDArray[np.float64]) -> NDArray[np.uint32]:
    if texture.format.is_integer:
        return (color.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
    with np.errstate(over="ignore"):
        return color.astype(np.float32).view(np.uint32)


def _layers(texture: TextureData, info: TargetInfo, coords: F, face: Ints | None) -> Ints:
    """Array layer, or cube face, of each lane."""
    count = int(texture.sizes[0, 2])
    layer = np.zeros(len(coords), np.int64) if face is None else face
    if info.layered:
        items = max(count // 6, 1) if face is not None else count
        which = np.floor(np.nan_to_num(coords[:, info.coords - 1].astype(np.float32) + np.float32(0.5)))
        index = np.clip(which, 0, items - 1).astype(np.int64)
        layer = index if face is None else index * 6 + face
    return np.minimum(layer, count - 1)


def sample(
    texture: TextureData | None,
    sampler: SamplerState,
    target: str,
    coords: F,
    *,
    lod_mode: LodMode = "implicit",
    lod: NDArray[Any] | None = None,
    derivatives: tuple[F, F] | None = None,
    offsets: Sequence[Any] = (),
) -> NDArray[np.uint32]:
    """Sample: (lanes, 4) words, floats' bits or integers.

    coords: (lanes, 4) or (lanes, 5) float32 as the TGSI target orders them, the fifth the reference of SHADOWCUBEARRAY. With
    "implicit" and "bias" lanes are quads of four, unless `derivatives` says otherwise; "gradient" takes `derivatives` (d/dx and
    d/dy, each (lanes, dimensions)); "bias" and "explicit" take `lod` (lanes,). offsets: per axis a number or (lanes,) integers.
    No texture reads 0, 0, 0, 1.
    """
    lanes = len(coords)
    if texture is None:
        return np.tile(np.array([0, 0, 0, 0x3F800000], np.uint32), (lanes, 1))
    info = TARGETS[target]
    spatial = np.asarray(coords[:, : info.dimensions], np.float32)
    if lod_mode in ("implicit", "bias") and derivatives is None:
        derivatives = quad_derivatives(spatial)
    axes, face = info.dimensions, None
    with np.errstate(invalid="ignore", over="ignore", under="ignore", divide="ignore"):
        if "CUBE" in target:
            axes = 2
            direction = spatial
            face, spatial = cube_faces(direction)
            if derivatives is not None:
                dx, dy = (cube_gradients(direction, face, d) for d in derivatives)
                derivatives = dx, dy
        detail = _lod(texture, sampler, lod_mode, lod, derivatives, lanes)
        color = _mipmapped(texture, sampler, spatial, axes, face is not None, detail, _layers(texture, info, coords, face), offsets)
    if info.is_shadow and sampler.compare_mode is not TexCompare.NONE:
        reference = coords[:, {"z": 2, "w": 3, "src1.x": 4}[info.shadow]].astype(np.float32)
        channel = texture.format.depth or texture.format.channels[0]
        if channel.type is not ChannelType.FLOAT:
            reference = np.clip(np.where(np.isnan(reference), np.float32(0), reference), np.float32(0), np.float32(1))
        passed = _TRUTH[sampler.compare_func](reference, color[:, 0].astype(np.float32)).astype(np.float64)
        color = np.stack([passed, passed, passed, np.ones(lanes)], axis=1)
    return _swizzled(texture, _as_words(texture, color))


def _mipmapped(
    texture: TextureData,
    sampler: SamplerState,
    coords: F,
    axes: int,
    cube: bool,
    lod: NDArray[np.float64],
    layer: Ints,
    offsets: Sequence[Any],
) -> NDArray[np.float64]:
    """Choose filter and levels by LOD: magnified where, clamped, it is not above 0 (OpenGL's rule)."""
    last = len(texture.levels) - 1
    integer = texture.format.is_integer
    mip = sampler.min_mip_filter
    if integer and mip is TexMipFilter.LINEAR:
        mip = TexMipFilter.NEAREST
    positive = np.maximum(lod, 0.0).astype(np.float32)
    whole = np.floor(positive).astype(np.int64)
    first = np.zeros(len(lod), np.int64)
    weight = np.zeros(len(lod))
    if mip is TexMipFilter.NEAREST:
        first = np.minimum(np.floor(positive + np.float32(0.5)).astype(np.int64), last)
    elif mip is TexMipFilter.LINEAR:
        first = np.minimum(whole, last)
        weight = np.where(first >= last, 0.0, positive - whole)
    out = np.zeros((len(lod), 4))
    for magnified, choice in ((True, sampler.mag_img_filter), (False, sampler.min_img_filter)):
        rows = np.flatnonzero((lod <= 0) == magnified)
        if not len(rows):
            continue
        linear = choice is TexFilter.LINEAR and not integer
        moves = [np.broadcast_to(np.asarray(o), (len(lod),))[rows] for o in offsets]

        def at(level: Ints, rows: Ints = rows, linear: bool = linear, moves: Sequence[Any] = moves) -> NDArray[np.float64]:
            return _filtered(texture, sampler, linear, coords[rows], axes, cube, level, layer[rows], moves)

        color = at(first[rows])
        part = weight[rows, None]
        if np.any(part > 0):
            second = at(np.minimum(first[rows] + 1, last))
            color = np.where(part > 0, color * (1.0 - part) + second * part, color)
        out[rows] = color
    return out


def fetch(
    texture: TextureData | None, target: str, coords: NDArray[Any], *, lod: NDArray[Any] | None = None, offsets: Sequence[Any] = ()
) -> NDArray[np.uint32]:
    """TXF: words of the texels at integer coordinates (lanes, 4) of level `lod`; 0 before the swizzle where there is none."""
    lanes = len(coords)
    if texture is None:
        return np.tile(np.array([0, 0, 0, 0x3F800000], np.uint32), (lanes, 1))
    info = TARGETS[target]
    places = np.asarray(coords).astype(np.int32)[:, : info.coords].copy()
    axes = info.dimensions
    for axis, offset in enumerate(offsets[:axes]):
        places[:, axis] += np.asarray(offset).astype(np.int32)
    level = np.zeros(lanes, np.int64) if lod is None else np.asarray(lod).astype(np.int32).astype(np.int64)
    there = (level >= 0) & (level < len(texture.levels))
    sizes = texture.sizes[np.where(there, level, 0)]
    order = [0, 1, 2][:axes] + ([2] if info.layered else [])
    indices = np.zeros((lanes, 3), np.int64)
    for column, axis in enumerate(order):
        there &= (places[:, column] >= 0) & (places[:, column] < sizes[:, axis])
        indices[:, axis] = places[:, column]
    out = np.zeros((lanes, 4), np.uint32)
    for row in np.flatnonzero(there):
        i, j, k = indices[row]
        out[row] = texture.texels(int(level[row]))[k, j, i].view(np.uint32)
    return _swizzled(texture, out)


def query_size(texture: TextureData | None, target: str, lanes: int, *, lod: NDArray[Any] | None = None) -> NDArray[np.uint32]:
    """TXQ: (lanes, 4) integers: the sizes of level `lod` (of the last level where there is none such), layers, and levels."""
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
