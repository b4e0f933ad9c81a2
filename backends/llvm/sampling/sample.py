"""Filtering texture instructions. Fetches and queries are in `query`, gathers of four texels in `gather`.

Coordinates are the operand's x, y, z, w as the TGSI target orders them; a fifth value is the reference of SHADOWCUBEARRAY. An
unbound unit reads (0, 0, 0, 1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from backends.abi.keys import SamplerKey, TextureKey
from backends.abi.records import SamplerRecord
from backends.formats import ChannelType
from backends.llvm.builder.function import F32, I32, Function, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.llvm.library.packing import one_bits, unpack
from backends.llvm.sampling.anisotropic import Footprint, Texels
from backends.llvm.sampling.comparing import Comparison, comparison
from backends.llvm.sampling.cube import SeamlessFootprint, filter_seamless, project
from backends.llvm.sampling.fetch import border_color, load_scattered, or_border, texel_distance, texel_offset
from backends.llvm.sampling.filter import filter_texels, filter_unorm8, mix, unorm8_channels
from backends.llvm.sampling.lod import (
    Levels,
    by_level,
    clamp_lod,
    estimated_level,
    level_of_detail,
    linear_levels,
    longest_derivative,
    nearest_level,
    scale_factor,
)
from backends.llvm.sampling.texture import Level, Texture
from backends.llvm.sampling.texture_targets import INFOS
from backends.llvm.sampling.wrap import BORDER_MODES, HALF_BORDER_MODES, Axis, wrap_linear, wrap_nearest
from backends.pipe.enums import Swizzle, TexFilter, TexMipFilter, TexWrap
from tgsi.language.facts.enums import TargetInfo
from tgsi.language.record import record

LodMode = Literal["implicit", "bias", "explicit", "zero", "gradient"]


def unbound(f: Function, lanes: int) -> list[Val]:
    """Channels that an unbound unit reads: 0, 0, 0, 1."""
    return [f.const(F32.wide(lanes), float(c == 3)) for c in range(4)]


def apply_swizzle(f: Function, key: TextureKey, channels: Sequence[Val]) -> list[Val]:
    """Apply the view's swizzle; ONE is the integer 1 in integer formats."""
    lanes = channels[0].lanes
    swizzled = []
    for s in key.swizzle:
        if s <= Swizzle.W:
            swizzled.append(channels[s])
        else:
            swizzled.append(f.word(one_bits(key.format) if s is Swizzle.ONE else 0, lanes))
    return swizzled


@record(kw_only=True)
class Sampling:
    """One texture instruction that is being written.

    step: the comparison of each texel, if the sampler compares. The results are filtered, not the depths. (OpenGL 4.6 core, 8.23)
    """

    f: Function
    texture: Texture
    key: TextureKey
    sampler_key: SamplerKey
    sampler: Val
    info: TargetInfo
    offsets: Sequence[Val | int]
    step: Comparison | None = None

    @property
    def volume(self) -> bool:
        """True if three axes are filtered."""
        return self.info.name == "3D"

    @property
    def cube(self) -> bool:
        """True if the target is a cube or an array of cubes."""
        return "CUBE" in self.info.name

    @property
    def seamless(self) -> bool:
        """True if linear filters continue across the edges of a cube's faces."""
        return self.cube and self.sampler_key.seamless_cube_map

    @property
    def axes(self) -> int:
        """Number of filtered coordinates."""
        return 2 if self.cube else self.info.dimensions

    @property
    def is_finite(self) -> bool:
        """True if no texel is infinite or NaN."""
        return not self.borders(True) and all(c.type is not ChannelType.FLOAT for c in self.key.format.channels)

    def texels(self, x: Val, size: Val) -> Val:
        """A coordinate in texels."""
        return x * size.to_float() if self.sampler_key.normalized_coords else x

    def layer(self, coords: Sequence[Val], face: Val | None) -> Val | None:
        """Array layer (nearest, clamped) or cube face of each lane; None if the target has neither."""
        f = self.f
        if not self.info.layered and face is None:
            return None
        layers = f.max(self.texture.field("depth"), 1)
        if not self.info.layered:
            assert face is not None
            return f.min(face, layers - 1)
        count = layers.udiv(6) if face is not None else layers
        which = f.floor(coords[self.info.coords - 1] + 0.5)
        top = f.max(count - 1, 0)
        index = f.min(f.max(which, 0.0), top.to_float()).cast("fptosi", I32)
        return index if face is None else f.min(index * 6 + face, layers - 1)

    # -- level of detail ------------------------------------------------------------------------------------------------
    def needs_lod(self) -> bool:
        """True if a mip level or a filter is chosen by the level of detail."""
        return _needs_lod(self.sampler_key)

    def changes(self, lane_map: LaneMap, coords: Sequence[Val], gradients: Sequence[Sequence[Val]] | None) -> list[list[Val]]:
        """Derivatives of the coordinates along x and along y, in texels of level 0; `gradients`, or the quad's own."""
        f = self.f
        level = self.texture.first_level()
        if gradients is None:
            gradients = [[lane_map.ddx(f, c) for c in coords], [lane_map.ddy(f, c) for c in coords]]
        sizes = [level.size(axis) for axis in range(len(coords))]
        return [[self.texels(d, size) for d, size in zip(row, sizes)] for row in gradients]

    def scale(self, lane_map: LaneMap, coords: Sequence[Val], gradients: Sequence[Sequence[Val]] | None) -> Val:
        """Scale factor: the largest derivative, or the length of the longer vector."""
        measure = longest_derivative if self.sampler_key.lod_by_length else scale_factor
        return measure(self.f, *self.changes(lane_map, coords, gradients))

    def lod(self, mode: LodMode, lod: Val | None, rho: Val | None, lanes: int) -> Val:
        """Level of detail, clamped to the sampler's limits. Levels of detail below 0 may be returned as 0."""
        f = self.f
        record = Record(f, self.sampler, SamplerRecord)
        limits = [record.fixed(name) for name in ("lod_bias", "min_lod", "max_lod")]
        bias, low, high = (f.splat(limit, lanes) for limit in limits)
        if mode in ("bias", "explicit") and lod is not None:
            base = lod if rho is None else level_of_detail(f, rho) + lod
        elif rho is None:
            base = f.const(F32.wide(lanes), 0.0)
        else:
            clamped = f.var(F32.wide(lanes), 0.0)
            with f.if_(~(f.all(rho <= 1.0) & (limits[0] <= 0.0) & (limits[1] <= 0.0))):  # if not, all lanes magnify
                clamped.set(clamp_lod(f, level_of_detail(f, rho) + bias, low, high))
            return clamped.get()
        return clamp_lod(f, base + bias, low, high)

    # -- one level ------------------------------------------------------------------------------------------------------
    def _shift(self, axis: int) -> Val | float | None:
        """Texel offset along an axis; None if there is none."""
        if axis >= len(self.offsets):
            return None
        shift = self.offsets[axis]
        return shift.to_float() if isinstance(shift, Val) else float(shift) if shift else None

    def _axes_at(self, level: Level, coords: Sequence[Val], linear: bool, snap: Val | None) -> list[Axis]:
        f, modes = self.f, self.wraps
        axes = []
        for axis in range(self.axes):
            size = level.size(axis)
            x = self.texels(coords[axis], size)
            shift = self._shift(axis)
            if shift is not None:
                x = x + shift
            if linear:
                axes.append(wrap_linear(f, modes[axis], x, size, self.key.pot, snap))
            else:
                axes.append(wrap_nearest(f, modes[axis], x, size, self.key.pot))
        return axes

    @property
    def wraps(self) -> tuple[TexWrap, ...]:
        """Wrap mode of each axis. The sampler's modes do not count on seamless cubes: texels are clamped to the edge of their face."""
        key = self.sampler_key
        return (TexWrap.CLAMP_TO_EDGE,) * 2 if self.seamless else (key.wrap_s, key.wrap_t, key.wrap_r)[: self.axes]

    def borders(self, linear: bool) -> bool:
        """True if a wrap mode can read the border color."""
        return any(mode in (HALF_BORDER_MODES if linear else BORDER_MODES) for mode in self.wraps)

    def border(self, lanes: int) -> list[Val]:
        """Border color of the sampler, in every lane."""
        return border_color(self.f, self.sampler, lanes, self.key.format.is_integer)

    def within(self, level: Level, layer: Val | None) -> Val | None:
        """`layer` clamped to the layers of this level. A 3D view that is read as an array has fewer layers on smaller levels."""
        return layer if layer is None or not self.texture.volume else self.f.min(layer, level.depth - 1)

    def filtered(self, level: Level, coords: Sequence[Val], layer: Val | None, linear: bool, snap: Val | None) -> list[Val]:
        """Four channels, filtered on one level by the general path."""
        layer = self.within(level, layer)
        if self.seamless and linear and layer is not None:
            shifts = [self._shift(axis) for axis in range(2)]
            return filter_seamless(self.f, SeamlessFootprint.of(self.f, self.texture, level, coords, layer, snap, shifts), self.step)
        border = self.border(coords[0].lanes) if self.borders(linear) else None
        return filter_texels(self.f, self.texture, level, self._axes_at(level, coords, linear, snap), layer, border, snap, self.step)

    def filtered_unorm8(self, level: Level, coords: Sequence[Val], layer: Val | None, snap: Val | None) -> list[Val]:
        """Four channels, filtered on one level by the fast path for 8-bit UNORM."""
        axes = self._axes_at(level, coords, True, snap)
        return filter_unorm8(self.f, self.texture, level, axes, self.within(level, layer))

    # -- all levels -----------------------------------------------------------------------------------------------------
    def levels(self, lod: Val | None, rho: Val | None) -> Levels | None:
        """Mip levels of each lane; None means level 0 in all lanes. rho: the scale factor, unless `lod` has another source."""
        f, mip = self.f, self.sampler_key.min_mip_filter
        if lod is None or mip is TexMipFilter.NONE:
            return None
        last = f.max(self.texture.field("last_level"), 0)
        estimate = None if rho is None else estimated_level(f, rho, self.texture.record.fixed("last_level"), mip)
        return (linear_levels if mip is TexMipFilter.LINEAR else nearest_level)(f, lod, last, estimate)

    def run(self, coords: Sequence[Val], layer: Val | None, lod: Val | None, rho: Val | None = None) -> list[Val]:
        """Apply the image filters on one or two levels, and the mip filter. lod, rho: as of `levels`."""
        key = self.sampler_key
        filters = {key.min_img_filter, key.mag_img_filter}
        levels = self.levels(lod, rho)
        linear = TexFilter.LINEAR in filters
        snap = None
        if len(filters) == 2 and lod is not None:
            magnified = lod <= 0.0  # by the clamped LOD, as in OpenGL and llvmpipe: a min_lod of 0 still magnifies
            snap = magnified if key.mag_img_filter is TexFilter.NEAREST else ~magnified
        if linear and self.axes == 2 and self.step is None and self._is_unorm8() and not (self.seamless or self.borders(True)):
            parts = self._mipmapped(levels, lambda level: self.filtered_unorm8(level, coords, layer, snap))
            return unorm8_channels(self.f, parts, self.key.format.swizzle)
        return self._mipmapped(levels, lambda level: self.filtered(level, coords, layer, linear, snap))

    def run_anisotropic(self, footprint: Footprint, coords: Sequence[Val], layer: Val | None, detail: Val) -> list[Val]:
        """Apply the elliptical filter in lanes that are minified and not on the last level, the ordinary filters in all others."""
        f = self.f
        last = f.max(self.texture.field("last_level"), 0)
        index = f.min(f.floor(f.max(detail, 0.0)).cast("fptosi", I32), last)
        elliptical = (index < last) & ((detail > 0.0) | (footprint.squares[1] > 1.0))
        lanes = index.lanes
        out = [f.var(F32.wide(lanes), 0.0) for _ in range(4)]
        with f.if_(f.any(~elliptical)):
            for variable, value in zip(out, self.run(coords, layer, detail)):
                variable.set(value)
        with f.if_(f.any(elliptical)):
            level = self.texture.level(index, self.volume)
            center = []
            for axis in range(2):
                x, shift = self.texels(coords[axis], level.size(axis)), self._shift(axis)
                center.append((x if shift is None else x + shift) - 0.5)
            average = footprint.average(index, center, elliptical, self._texels(level, layer, lanes), finite=self.is_finite)
            for variable, value in zip(out, average):
                variable.set(f.select(elliptical, value, variable.get()))
        return [variable.get() for variable in out]

    def _texels(self, level: Level, layer: Val | None, lanes: int) -> Texels:
        """Texels of one level by integral coordinates."""
        f, modes, layer, format = self.f, self.wraps, self.within(level, layer), self.key.format
        border = self.border(lanes) if self.borders(False) else None

        def along(axis: int, x: Val) -> Axis:
            whole = modes[axis] is TexWrap.REPEAT
            return wrap_nearest(f, modes[axis], x if whole else x + 0.5, level.size(axis), self.key.pot, whole=whole)

        def place(v: Val) -> list[Val]:
            down = along(1, v)
            start = texel_offset(level, 1, f.const(down.first.type, 0), down.first, layer)
            return [start] if down.inside is None else [start, down.inside.sext(I32)]

        def at(row: Sequence[Val], u: Val) -> list[Val]:
            across = along(0, u)
            texels = unpack(f, format, load_scattered(f, self.texture, row[0] + texel_distance(self.texture, across.first), None))
            texels = or_border(f, texels, (across.inside, row[1].ne(0) if len(row) > 1 else None), border)
            return texels if self.step is None else self.step(texels)

        types = [level.offset.type, *[I32.wide(lanes)] * (modes[1] in BORDER_MODES)]
        return Texels(types, place, at)

    def _is_unorm8(self) -> bool:
        return self.key.format.is_plain_unorm8 and self.key.format.block_bytes == 4

    def _mipmapped(self, levels: Levels | None, filtered: Callable[[Level], list[Val]]) -> list[Val]:
        """Filtered channels of one level, mixed with those of the next level if a lane lies between levels."""
        if levels is None:
            return filtered(self.texture.first_level())

        def mixed(index: Val) -> list[Val]:
            first = filtered(self.texture.level(index, self.volume))
            return first if levels.weight is None else self._between(first, levels.weight, index, filtered)

        return by_level(self.f, levels.first, mixed, levels.estimate)

    def _between(self, first: Sequence[Val], weight: Val, index: Val, filtered: Callable[[Level], list[Val]]) -> list[Val]:
        """`first`, mixed with the channels of the level after `index` if a lane lies between both."""
        f = self.f
        out = [f.var(c.type, c) for c in first]
        between = weight > 0.0
        with f.if_(f.any(between)):
            following = f.min(index + 1, self.texture.record.fixed("last_level"))
            for variable, a, b in zip(out, first, filtered(self.texture.level(following, self.volume))):
                mixed = mix(a, b, weight)
                variable.set(mixed if self.is_finite else f.select(between, mixed, a))  # infinity times 0 would be NaN
        return [v.get() for v in out]


def mixes_texels(texture: TextureKey, sampler: SamplerKey) -> bool:
    """True if a result may be computed from several texels; otherwise it is one stored texel, unchanged."""
    key = _plain(sampler, texture)
    return TexFilter.LINEAR in (key.min_img_filter, key.mag_img_filter) or key.min_mip_filter is TexMipFilter.LINEAR


def is_short(texture: TextureKey, sampler: SamplerKey) -> bool:
    """True if a sample is one texel of the only level, whatever the level of detail, and no wrap mode reads the border color."""
    key = _plain(sampler, texture)
    is_nearest = not _needs_lod(key) and key.min_img_filter is TexFilter.NEAREST
    return is_nearest and BORDER_MODES.isdisjoint((key.wrap_s, key.wrap_t))


def needs_derivatives(texture: TextureKey, sampler: SamplerKey) -> bool:
    """True if a sample with an implicit level of detail depends on derivatives of its coordinates."""
    return _needs_lod(_plain(sampler, texture))


def _needs_lod(key: SamplerKey) -> bool:
    return key.min_mip_filter is not TexMipFilter.NONE or key.min_img_filter is not key.mag_img_filter


def _plain(key: SamplerKey, texture: TextureKey) -> SamplerKey:
    """`key` reduced to the filters that `texture` allows: integers are never filtered, and a view of one level has no mip filter."""
    if texture.format.is_integer:
        mip = TexMipFilter.NEAREST if key.min_mip_filter is TexMipFilter.LINEAR else key.min_mip_filter
        nearest = TexFilter.NEAREST
        key = replace(key, min_img_filter=nearest, mag_img_filter=nearest, min_mip_filter=mip, anisotropic=False)
    return key if texture.levels else replace(key, min_mip_filter=TexMipFilter.NONE, anisotropic=False)


def emit_sample(
    f: Function,
    lane_map: LaneMap,
    texture_key: TextureKey,
    sampler_key: SamplerKey,
    texture: Val,
    sampler: Val,
    coords: Sequence[Val],
    *,
    lod_mode: LodMode = "implicit",
    lod: Val | None = None,
    gradients: Sequence[Sequence[Val]] | None = None,
    offsets: Sequence[Val | int] = (),
    mask: Val | None = None,
    target: str = "2D",
) -> list[Val]:
    """Sample a texture. Returns four f32 channels; for integer formats they hold the integers' bits.

    texture, sampler: pointers to TextureRecord and SamplerRecord. coords: f32 vectors. lod_mode: "implicit" uses the
    derivatives of the quad, "bias" adds `lod` to that, "explicit" uses `lod` alone, "gradient" uses `gradients`, "zero" reads level 0
    (vertex shaders, TEX_LZ). gradients: d/dx of each coordinate, then d/dy of each, in place of those of the quad. offsets: texel
    offsets, numbers or i32 vectors.
    All lanes are sampled, including those outside of `mask`, which is harmless and gives other lanes their derivatives.
    """
    info = INFOS[target]
    lanes = coords[0].lanes
    sampler_key = _plain(sampler_key, texture_key)
    texture_value = Texture(f, texture_key, texture, lanes, lane_map.side_by_side)
    sampling = Sampling(
        f=f,
        texture=texture_value,
        key=texture_key,
        sampler_key=sampler_key,
        sampler=sampler,
        info=info,
        offsets=offsets,
        step=comparison(f, texture_key, sampler_key, info, coords),
    )
    spatial = list(coords[: info.dimensions])
    face = None
    wanted = sampling.needs_lod()
    needs_scale = wanted and lod_mode in ("implicit", "bias", "gradient")
    if sampling.cube:
        changes = None
        if needs_scale:
            changes = gradients or [[lane_map.ddx(f, c) for c in spatial], [lane_map.ddy(f, c) for c in spatial]]
        face, spatial, gradients = project(f, spatial, changes)
    layer = sampling.layer(coords, face)
    if sampler_key.anisotropic and needs_scale and sampling.axes == 2:
        limit = f.max(Record(f, sampler, SamplerRecord).fixed("max_anisotropy"), 1).to_float()
        dx, dy = sampling.changes(lane_map, spatial, gradients)
        footprint = Footprint.of(f, dx, dy, limit)
        color = sampling.run_anisotropic(footprint, spatial, layer, sampling.lod(lod_mode, lod, footprint.scale(), lanes))
    else:
        rho = sampling.scale(lane_map, spatial, gradients) if needs_scale else None
        detail = sampling.lod(lod_mode, lod, rho, lanes) if wanted else None
        color = sampling.run(spatial, layer, detail, rho)
    return apply_swizzle(f, texture_key, color)
