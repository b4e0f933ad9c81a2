"""What of a bound texture and its sampler decides about generated code. Everything else is run-time data (`abi`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from backends.formats import Format
from backends.pipe.enums import CompareFunc, Swizzle, TexCompare, TexFilter, TexMipFilter, TextureTarget, TexWrap
from backends.pipe.state import SamplerState

IDENTITY = (Swizzle.X, Swizzle.Y, Swizzle.Z, Swizzle.W)

GALLIUM_TARGETS: Mapping[str, TextureTarget] = MappingProxyType(
    {
        "1D": TextureTarget.TEXTURE_1D,
        "2D": TextureTarget.TEXTURE_2D,
        "3D": TextureTarget.TEXTURE_3D,
        "CUBE": TextureTarget.TEXTURE_CUBE,
        "RECT": TextureTarget.TEXTURE_RECT,
        "1D_ARRAY": TextureTarget.TEXTURE_1D_ARRAY,
        "2D_ARRAY": TextureTarget.TEXTURE_2D_ARRAY,
        "CUBEARRAY": TextureTarget.TEXTURE_CUBE_ARRAY,
        "BUFFER": TextureTarget.BUFFER,
        "2D_MSAA": TextureTarget.TEXTURE_2D,
        "2D_ARRAY_MSAA": TextureTarget.TEXTURE_2D_ARRAY,
    }
)
"""The Gallium target that a TGSI target without SHADOW samples."""


@dataclass(frozen=True, slots=True)
class TextureKey:
    """A sampler view: format and target are the view's own, `swizzle` its channels in order.

    pot: level 0 of the view has power-of-two width, height and depth, so that REPEAT is an AND.
    levels: the view has more than one level.
    handles: TGSI targets, without SHADOW, that handles in value registers may read it as; None: those of its own target.
    """

    format: Format
    target: TextureTarget
    swizzle: tuple[Swizzle, Swizzle, Swizzle, Swizzle] = IDENTITY
    pot: bool = False
    levels: bool = True
    handles: tuple[str, ...] | None = None

    def fits(self, target: str) -> bool:
        """May a handle read it as the TGSI target `target`?"""
        plain = target.removeprefix("SHADOW")
        return GALLIUM_TARGETS.get(plain) is self.target if self.handles is None else plain in self.handles


@dataclass(frozen=True, slots=True)
class ImageKey:
    """A bound image: what a texel's bits mean. Sizes and places are in its TextureRecord, of one level."""

    format: Format


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplerKey:
    """The part of a sampler state that changes code; LOD limits, bias and the border color are in SamplerRecord."""

    wrap_s: TexWrap = TexWrap.REPEAT
    wrap_t: TexWrap = TexWrap.REPEAT
    wrap_r: TexWrap = TexWrap.REPEAT
    min_img_filter: TexFilter = TexFilter.NEAREST
    mag_img_filter: TexFilter = TexFilter.NEAREST
    min_mip_filter: TexMipFilter = TexMipFilter.NONE
    compare_mode: TexCompare = TexCompare.NONE
    compare_func: CompareFunc = CompareFunc.NEVER
    normalized_coords: bool = True
    seamless_cube_map: bool = False
    anisotropic: bool = False

    @classmethod
    def of(cls, state: SamplerState) -> SamplerKey:
        """That part of a state."""
        given = {field.name: getattr(state, field.name) for field in fields(cls) if field.name != "anisotropic"}
        filters = (state.min_img_filter, state.min_mip_filter) == (TexFilter.LINEAR, TexMipFilter.LINEAR)
        return cls(**given, anisotropic=filters and state.max_anisotropy > 1)


def texture_key(
    format: Format,
    target: TextureTarget,
    swizzle: tuple[Swizzle, Swizzle, Swizzle, Swizzle],
    *,
    width: int,
    height: int,
    depth: int,
    last_level: int,
) -> TextureKey:
    """The key of a view whose first level is width x height x depth texels and whose last level, counted from it, is `last_level`."""
    sizes = {
        TextureTarget.TEXTURE_1D: (width,),
        TextureTarget.TEXTURE_1D_ARRAY: (width,),
        TextureTarget.TEXTURE_3D: (width, height, depth),
    }.get(target, (width, height))
    pot = all(size & (size - 1) == 0 for size in sizes)
    return TextureKey(format, target, swizzle, pot, last_level > 0)


def sampler_key(key: SamplerKey, texture: TextureKey) -> SamplerKey:
    """`key` without what makes no difference for `texture`: one level knows no mip filter, one dimension no wrap_t."""
    mip = key.min_mip_filter if texture.levels else TexMipFilter.NONE
    one = texture.target in (TextureTarget.TEXTURE_1D, TextureTarget.TEXTURE_1D_ARRAY)
    compared = key.compare_mode is not TexCompare.NONE
    return SamplerKey(
        wrap_s=key.wrap_s,
        wrap_t=TexWrap.REPEAT if one else key.wrap_t,
        wrap_r=key.wrap_r if texture.target is TextureTarget.TEXTURE_3D else TexWrap.REPEAT,
        min_img_filter=key.min_img_filter,
        mag_img_filter=key.mag_img_filter,
        min_mip_filter=mip,
        compare_mode=key.compare_mode,
        compare_func=key.compare_func if compared else CompareFunc.NEVER,
        normalized_coords=key.normalized_coords,
        seamless_cube_map=key.seamless_cube_map and texture.target in (TextureTarget.TEXTURE_CUBE, TextureTarget.TEXTURE_CUBE_ARRAY),
        anisotropic=key.anisotropic and texture.levels and not one and texture.target is not TextureTarget.TEXTURE_3D,
    )
