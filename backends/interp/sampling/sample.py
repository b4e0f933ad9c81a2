"""Texture sampling with numpy: Gallium's filters, one plain step after the other.

Coordinates are scaled to texels in float32, as in kernels, so both engines find the same texels; colors are then mixed in
float64. Compared with generated code, nearest filters, gathers and integers agree in every bit, and linear filters within 2e-6 of
the largest texel involved. Mip levels may differ if a LOD lies within 1e-5 of a rounding edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.interp.sampling.anisotropic import covers_several, ellipse_average, ellipse_detail, is_anisotropic, steps_of
from backends.interp.sampling.comparing import Comparison
from backends.interp.sampling.cubes import cube_faces, cube_gradients
from backends.interp.sampling.filters import Colors, as_words, filtered, narrowed, seamless_corners, texels_at
from backends.interp.sampling.lod import LodMode, accessed_detail, clamped_detail, quad_derivatives, raw_detail
from backends.interp.sampling.wrapping import F, Ints, gathered_indices, nearest_indices, texel_coordinates, wrap_modes
from backends.pipe.enums import Swizzle, TexCompare, TexFilter, TexMipFilter
from backends.pipe.state import SamplerState
from backends.run.canonical import canonical
from backends.run.result import Bits
from backends.run.textures import TextureData
from tgsi.language.facts.enums import TARGETS, TargetInfo
from tgsi.language.record import record

REFERENCE = {"z": 2, "w": 3, "src1.x": 4}
"""The coordinate that is the reference value, for each shadow target."""

UNBOUND = np.array([0, 0, 0, 0x3F800000], np.uint32)
"""The color of missing textures and channels."""

GATHER_ORDER = ((0, 1), (1, 1), (1, 0), (0, 0))
"""The four results of a gather: which texel in s, and in t."""


@record(slots=False)
class Place:
    """The place that lanes sample: `axes` coordinates on an image (the face of a cube), and the layer or face.

    direction: the coordinates of a cube map, before a face was found.
    """

    coords: F
    axes: int
    layer: Ints
    direction: F | None = None

    @property
    def is_cube(self) -> bool:
        """True on a face of a cube."""
        return self.direction is not None


def _place(texture: TextureData, info: TargetInfo, coords: F) -> Place:
    spatial = np.asarray(coords[:, : info.dimensions], np.float32)
    if "CUBE" not in info.name:
        return Place(spatial, info.dimensions, _layers(texture, info, coords, None))
    face, on_face = cube_faces(spatial)
    return Place(on_face, 2, _layers(texture, info, coords, face), spatial)


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


def _detail(
    texture: TextureData,
    sampler: SamplerState,
    place: Place,
    lod_mode: LodMode,
    lod: NDArray[Any] | None,
    derivatives: tuple[F, F] | None,
) -> NDArray[np.float64]:
    """Level of detail, not clamped yet."""
    derivatives = _derivatives(place, lod_mode, derivatives)
    return raw_detail(texture, sampler, lod_mode, lod, derivatives, len(place.coords))


def _derivatives(place: Place, lod_mode: LodMode, derivatives: tuple[F, F] | None) -> tuple[F, F] | None:
    """Derivatives of the coordinates on the image. "implicit" and "bias" compute them from the quad if not given."""
    if lod_mode in ("implicit", "bias") and derivatives is None:
        derivatives = quad_derivatives(place.coords if place.direction is None else place.direction)
    if place.direction is not None and derivatives is not None:
        face = place.layer % 6
        dx, dy = (cube_gradients(place.direction, face, change) for change in derivatives)
        derivatives = dx, dy
    return derivatives


def _mixes_texels(texture: TextureData, sampler: SamplerState) -> bool:
    """True if a result may be computed from several texels; otherwise it is one stored texel, unchanged."""
    is_linear = TexFilter.LINEAR in (sampler.min_img_filter, sampler.mag_img_filter)
    has_levels = sampler.min_mip_filter is TexMipFilter.LINEAR and len(texture.levels) > 1
    return not texture.format.is_integer and (is_linear or has_levels)


def swizzled(texture: TextureData, words: Bits) -> Bits:
    """(lanes, 4) words of texels as the view's swizzle shows them."""
    constants = {Swizzle.ZERO: 0, Swizzle.NONE: 0, Swizzle.ONE: texture.one}
    columns = [words[:, int(s)] if s <= Swizzle.W else np.full(len(words), constants[s], np.uint32) for s in texture.swizzle]
    return np.stack(columns, axis=1).astype(np.uint32)


def _comparison(texture: TextureData, sampler: SamplerState, info: TargetInfo, coords: F, reference: F | None) -> Comparison | None:
    """The comparison with `reference`, or with the one among the coordinates of the target (0 if it is not there); None: no comparison."""
    if sampler.compare_mode is TexCompare.NONE:
        return None
    if reference is None and info.is_shadow:
        column = REFERENCE[info.shadow]
        reference = coords[:, column] if column < coords.shape[1] else np.zeros(len(coords), np.float32)
    return None if reference is None else Comparison(texture, sampler.compare_func, reference.astype(np.float32))


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
    reference: F | None = None,
) -> Bits:
    """Sample: (lanes, 4) words, floats' bits or integers.

    coords: (lanes, 4) or (lanes, 5) float32 as the TGSI target orders them, the fifth the reference of SHADOWCUBEARRAY. With
    "implicit" and "bias" lanes are quads of four, unless `derivatives` says otherwise; "gradient" takes `derivatives` (d/dx and
    d/dy, each (lanes, dimensions)); "bias" and "explicit" take `lod` (lanes,). offsets: per axis a number or (lanes,) integers.
    reference: (lanes,) values to compare with, of any target. No texture reads 0, 0, 0, 1; a multisampled one is read at sample 0.
    """
    if texture is None:
        return np.tile(UNBOUND, (len(coords), 1))
    info = TARGETS[target]
    with np.errstate(invalid="ignore", over="ignore", under="ignore", divide="ignore"):
        place = _place(texture, info, coords)
        comparison = _comparison(texture, sampler, info, coords, reference)
        if lod_mode in ("implicit", "bias", "gradient") and is_anisotropic(texture, sampler, place.axes):
            color = _anisotropic(texture, sampler, place, lod_mode, lod, derivatives, offsets, comparison)
        else:
            detail = clamped_detail(sampler, _detail(texture, sampler, place, lod_mode, lod, derivatives))
            color = _mipmapped(texture, sampler, place, detail, offsets, comparison)
    if comparison is not None:
        return swizzled(texture, narrowed(color))
    return swizzled(texture, as_words(texture, canonical(color) if _mixes_texels(texture, sampler) else color))


def _anisotropic(
    texture: TextureData,
    sampler: SamplerState,
    place: Place,
    lod_mode: LodMode,
    lod: NDArray[Any] | None,
    derivatives: tuple[F, F] | None,
    offsets: Sequence[Any],
    comparison: Comparison | None,
) -> Colors:
    """Ellipses where needed, the ordinary filters elsewhere."""
    gradients = _derivatives(place, lod_mode, derivatives)
    assert gradients is not None
    steps = steps_of(texture, sampler, gradients)
    raw = ellipse_detail(sampler, steps) + sampler.lod_bias
    if lod_mode == "bias" and lod is not None:
        raw = raw + lod.astype(np.float64)
    detail = clamped_detail(sampler, raw)
    color = _mipmapped(texture, sampler, place, detail, offsets, comparison)
    rows = np.flatnonzero(covers_several(texture, detail, steps))
    if len(rows):
        selected = (steps[0][rows], steps[1][rows])
        moves = [np.broadcast_to(np.asarray(o), (len(detail),))[rows] for o in offsets]
        modes = wrap_modes(sampler, place.is_cube)
        step = comparison and comparison.of(rows)
        color[rows] = ellipse_average(texture, sampler, modes, place.coords[rows], place.layer[rows], detail[rows], selected, moves, step)
    return color


def _mipmapped(
    texture: TextureData,
    sampler: SamplerState,
    place: Place,
    lod: NDArray[np.float64],
    offsets: Sequence[Any],
    comparison: Comparison | None,
) -> Colors:
    """Choose filter and levels by LOD: magnify if the clamped LOD is not above 0 (OpenGL's rule)."""
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

        def at(level: Ints, rows: Ints = rows, linear: bool = linear, moves: Sequence[Any] = moves) -> Colors:
            coords, layer, step = place.coords[rows], place.layer[rows], comparison and comparison.of(rows)
            return filtered(texture, sampler, linear, coords, place.axes, place.is_cube, level, layer, moves, step)

        color = at(first[rows])
        part = weight[rows, None]
        if np.any(part > 0):
            second = at(np.minimum(first[rows] + 1, last))
            color = np.where(part > 0, color * (1.0 - part) + second * part, color)
        out[rows] = color
    return out


def gather(
    texture: TextureData | None,
    sampler: SamplerState,
    target: str,
    coords: F,
    *,
    component: Ints | int = 0,
    offsets: Sequence[Sequence[Any]] = (),
    reference: F | None = None,
) -> Bits:
    """TG4, GATHER4: one component of the four texels that a linear filter at level 0 would mix, whatever the sampler's filters are.

    The results are the texels (-,+), (+,+), (+,-), (-,-) in s and t. coords, reference: as for `sample`; component: of the view, after its
    swizzle; comparing targets give red. offsets: none, one for all, or four; each of the four selects the (-,-) texel of its own
    footprint. Without t both its texels are the same; in r the nearest slice is taken.
    """
    lanes = len(coords)
    info = TARGETS[target]
    component = np.broadcast_to(np.asarray(0 if info.is_shadow or reference is not None else component), (lanes,))
    if texture is None:
        return np.repeat(UNBOUND[component][:, None], 4, axis=1)
    comparison = _comparison(texture, sampler, info, coords, reference)
    own = len(offsets) == len(GATHER_ORDER)
    out = np.zeros((lanes, 4), np.uint32)
    with np.errstate(invalid="ignore", over="ignore"):
        place = _place(texture, info, coords)
        for number, corner in enumerate(GATHER_ORDER):
            texel = _corner(texture, sampler, place, (0, 0) if own else corner, offsets[number if own else 0] if offsets else ())
            words = as_words(texture, texel) if comparison is None else narrowed(comparison(texel))
            out[:, number] = swizzled(texture, words)[np.arange(lanes), component]
    return out


def _corner(texture: TextureData, sampler: SamplerState, place: Place, corner: tuple[int, int], offsets: Sequence[Any]) -> Colors:
    """One texel of the footprint at level 0."""
    level = np.zeros(len(place.coords), np.int64)
    if place.is_cube and sampler.seamless_cube_map:
        return seamless_corners(texture, place.coords, level, place.layer, offsets)[corner[0] + 2 * corner[1]][0]
    sizes = texture.sizes[level]
    modes = (sampler.wrap_s, sampler.wrap_t)
    x = texel_coordinates(sampler, place.coords, place.axes, sizes, offsets)
    indices = [gathered_indices(modes[axis], x[axis], sizes[:, axis])[corner[axis]] for axis in range(min(place.axes, 2))]
    if place.axes == 3:
        indices.append(nearest_indices(sampler.wrap_r, x[2], sizes[:, 2]))
    return texels_at(texture, level, indices, place.layer, np.asarray(sampler.border_color, np.float64))


def query_lod(texture: TextureData | None, sampler: SamplerState, target: str, coords: F, *, lod_mode: LodMode = "implicit") -> Bits:
    """LODQ, LOD: (lanes, 4) words: the level of detail that the sampler accesses, the one computed (with its bias), 0, 0."""
    out = np.zeros((len(coords), 4), np.float32)
    if texture is not None:
        with np.errstate(invalid="ignore", over="ignore", under="ignore", divide="ignore"):
            detail = _detail(texture, sampler, _place(texture, TARGETS[target], coords), lod_mode, None, None)
            out[:, 0] = accessed_detail(texture, sampler, detail)
            out[:, 1] = detail
    return out.view(np.uint32)
