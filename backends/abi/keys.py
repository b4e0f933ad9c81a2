"""Static keys: the part of a bound texture, image or sampler that changes generated code. Everything else is run-time data
(`abi.records`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, fields
from types import MappingProxyType

from backends.formats import Format
from backends.pipe.enums import CompareFunc, Swizzle, TexCompare, TexFilter, TexMipFilter, TextureTarget, TexWrap
from backends.pipe.limits import MAX_BUFFER_BYTES
from backends.pipe.state import SamplerState
from tgsi.language.record import record

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
"""TGSI texture target, without SHADOW, to the Gallium target that it samples."""


@record
class TextureKey:
    """Key of a sampler view. `format` and `target` are the view's, which may differ from the resource's.

    swizzle: the source of each of R, G, B, A.
    pot: level 0 of the view has power-of-two width, height and depth, so that REPEAT is an AND.
    levels: the view has more than one level.
    handles: TGSI targets, without SHADOW, as which handles in value registers may read the view; None: those of `target`.
    is_wide: the texture is larger than MAX_BUFFER_BYTES, so that offsets of texels take 64 bits.
    """

    format: Format
    target: TextureTarget
    swizzle: tuple[Swizzle, Swizzle, Swizzle, Swizzle] = IDENTITY
    pot: bool = False
    levels: bool = True
    handles: tuple[str, ...] | None = None
    _: KW_ONLY
    is_wide: bool = False

    def fits(self, target: str) -> bool:
        """True if a handle may read the view as the TGSI target `target`."""
        plain = target.removeprefix("SHADOW")
        return GALLIUM_TARGETS.get(plain) is self.target if self.handles is None else plain in self.handles


@record
class ImageKey:
    """Key of a bound image: the meaning of a texel's bits. Sizes and addresses are in its TextureRecord, which has one level.

    is_wide: as in TextureKey.
    """

    format: Format
    is_wide: bool = False


@record(kw_only=True)
class SamplerKey:
    """Key of a sampler state. LOD limits, LOD bias and the border color change no code: they are in SamplerRecord."""

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
    lod_by_length: bool = False
    anisotropic: bool = False

    @classmethod
    def of(cls, state: SamplerState) -> SamplerKey:
        """Key of `state`. A sampler is anisotropic only if it filters linearly within levels (minification) and between them."""
        values = {field.name: getattr(state, field.name) for field in fields(cls) if field.name != "anisotropic"}
        filters = (state.min_img_filter, state.min_mip_filter) == (TexFilter.LINEAR, TexMipFilter.LINEAR)
        return cls(**values, anisotropic=filters and state.max_anisotropy > 1)


def texture_key(
    format: Format,
    target: TextureTarget,
    swizzle: tuple[Swizzle, Swizzle, Swizzle, Swizzle],
    *,
    width: int,
    height: int,
    depth: int,
    last_level: int,
    size: int = 0,
) -> TextureKey:
    """Key of a view whose first level is width x height x depth texels; `last_level` is counted from that level. size: bytes."""
    sizes = {
        TextureTarget.TEXTURE_1D: (width,),
        TextureTarget.TEXTURE_1D_ARRAY: (width,),
        TextureTarget.TEXTURE_3D: (width, height, depth),
    }.get(target, (width, height))
    pot = all(size & (size - 1) == 0 for size in sizes)
    return TextureKey(format, target, swizzle, pot, last_level > 0, is_wide=size > MAX_BUFFER_BYTES)


def sampler_key(key: SamplerKey, texture: TextureKey) -> SamplerKey:
    """`key` with the fields that have no effect on `texture` reset, so that fewer variants of code exist.

    A view of one level has no mip filter, a view of one dimension no wrap_t.
    """
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
        lod_by_length=key.lod_by_length and not one,
        anisotropic=key.anisotropic and texture.levels and not one and texture.target is not TextureTarget.TEXTURE_3D,
    )
