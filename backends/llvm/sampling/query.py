"""Texture instructions without filters: texel fetches, sizes, numbers of samples, levels of detail."""

from __future__ import annotations

from collections.abc import Sequence

from backends.abi.keys import SamplerKey, TextureKey
from backends.abi.records import SamplerRecord
from backends.llvm.builder.function import BOOL, F32, I32, Function, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.llvm.sampling.cube import project
from backends.llvm.sampling.fetch import fetch_texel
from backends.llvm.sampling.lod import level_of_detail
from backends.llvm.sampling.sample import Sampling, apply_swizzle
from backends.llvm.sampling.texture import Texture
from backends.llvm.sampling.texture_targets import INFOS
from backends.pipe.enums import TexMipFilter
from tgsi.language.facts.enums import TargetInfo

WITHOUT_LEVELS = frozenset({"BUFFER", "RECT", "SHADOWRECT", "2D_MSAA", "2D_ARRAY_MSAA"})
"""Targets whose fetches have no operand for a level."""


def _axes(info: TargetInfo) -> tuple[int, bool]:
    """Number of coordinates of a texel without a layer, and True if a layer follows them; faces of cubes are layers."""
    cube = "CUBE" in info.name
    return (2 if cube else info.dimensions), cube or info.layered


def emit_fetch(
    f: Function,
    texture_key: TextureKey,
    texture: Val,
    coords: Sequence[Val],
    *,
    lod: Val | None = None,
    sample: Val | None = None,
    offsets: Sequence[Val | int] = (),
    target: str = "2D",
) -> list[Val]:
    """Fetch a texel (TXF) at integer coordinates (i32 vectors, as the target orders them).

    `lod` is the level and `sample` the sample (i32; None: 0). The layer of a cube array is 6 * cube + face. Texels outside of the level,
    the layers, the levels or the samples are 0, 0, 0, 0 before the view's swizzle.
    """
    info = INFOS[target]
    lanes = coords[0].lanes
    bound = Texture(f, texture_key, texture, lanes)
    level = bound.first_level()
    valid = f.const(BOOL.wide(lanes), 1)
    if lod is not None and texture_key.levels:
        valid = lod.ule(bound.field("last_level"))
        level = bound.level(f.select(valid, lod, 0), info.name == "3D")
    elif lod is not None:
        valid = lod.eq(0)
    if sample is not None:
        valid = valid & sample.ult(bound.field("samples"))
    axes, layered = _axes(info)
    sizes = [bound.field("width") if info.name == "BUFFER" else level.width, level.height, level.depth]
    sizes = sizes[:axes] + [level.depth] * layered
    places = [index + offsets[axis] if axis < min(len(offsets), axes) else index for axis, index in enumerate(coords[: len(sizes)])]
    for index, size in zip(places, sizes):
        valid = valid & index.ult(size)
    safe = [f.select(valid, index, 0) for index in places]
    layer = safe[-1] if layered or axes == 3 else None
    if sample is not None:
        sample = f.select(valid, sample, 0)
    texel = fetch_texel(f, bound, level, safe[0], safe[1] if axes > 1 else None, layer, sample=sample)
    zero = f.const(F32.wide(lanes), 0.0)
    return apply_swizzle(f, texture_key, [f.select(valid, c, zero) for c in texel])


def emit_query_size(
    f: Function, texture_key: TextureKey, texture: Val, lanes: int, *, lod: Val | None = None, target: str = "2D"
) -> list[Val]:
    """Sizes (TXQ) of level `lod` (i32; None: 0): width, height, depth or layers, and number of levels, as bits of i32 in f32.

    A level that does not exist has the sizes of the last one. Arrays have layers after their sizes; a cube counts as one layer.
    """
    info = INFOS[target]
    bound = Texture(f, texture_key, texture, lanes)
    level = bound.first_level()
    last = f.max(bound.field("last_level"), 0)
    if lod is not None and texture_key.levels:
        level = bound.level(f.select(lod.ule(last), lod, last), info.name == "3D")
    width = bound.field("width") if info.name == "BUFFER" else level.width
    sizes = sizes_of(f, info, width, level.height, level.depth)
    return [v.as_float() for v in [*sizes, last + 1]]


def sizes_of(f: Function, info: TargetInfo, width: Val, height: Val, depth: Val) -> list[Val]:
    """Sizes (three i32) as queries order them, 0 where the target has fewer; layers of cube arrays count cubes."""
    cube = "CUBE" in info.name
    sizes = [width, height, depth][: 2 if cube else info.dimensions]
    if info.layered:
        sizes.append(depth.udiv(6) if cube else depth)
    return sizes + [f.const(I32.wide(width.lanes), 0)] * (3 - len(sizes))


def emit_query_samples(f: Function, texture: Val, texture_key: TextureKey, lanes: int) -> Val:
    """Number of samples (i32), at least 1."""
    return f.max(Texture(f, texture_key, texture, lanes).field("samples"), 1)


def emit_query_lod(
    f: Function,
    lane_map: LaneMap,
    texture_key: TextureKey,
    sampler_key: SamplerKey,
    texture: Val,
    sampler: Val,
    coords: Sequence[Val],
    *,
    implicit: bool,
    target: str = "2D",
) -> list[Val]:
    """Level of detail (LODQ): the level that would be read, relative to the view's first; the level of detail before the limits; 0; 0.

    The level read depends on the mip filter: 0 without one, a whole number for NEAREST, the limited level of detail for LINEAR.
    `implicit`: quads have derivatives; otherwise the level of detail is the sampler's bias alone.
    """
    lanes = coords[0].lanes
    info = INFOS[target]
    bound = Texture(f, texture_key, texture, lanes)
    zero = f.const(F32.wide(lanes), 0.0)
    raw = zero
    if implicit:
        sampling = Sampling(f=f, texture=bound, key=texture_key, sampler_key=sampler_key, sampler=sampler, info=info, offsets=())
        spatial = list(coords[: info.dimensions])
        gradients: Sequence[Sequence[Val]] = [[lane_map.ddx(f, c) for c in spatial], [lane_map.ddy(f, c) for c in spatial]]
        if sampling.cube:
            _, spatial, changes = project(f, spatial, gradients)
            assert changes is not None
            gradients = changes
        raw = level_of_detail(f, sampling.scale(lane_map, spatial, gradients))
    record = Record(f, sampler, SamplerRecord)
    bias, low, high = (f.splat(record.fixed(name), lanes) for name in ("lod_bias", "min_lod", "max_lod"))
    raw = raw + bias
    if sampler_key.min_mip_filter is TexMipFilter.NONE or not texture_key.levels:
        return [zero, raw, zero, zero]
    last = f.max(bound.field("last_level"), 0).to_float()
    level = f.min(f.max(f.min(f.max(raw, low), high), 0.0), last)
    if sampler_key.min_mip_filter is TexMipFilter.NEAREST:
        level = f.floor(level + 0.5)
    return [level, raw, zero, zero]
