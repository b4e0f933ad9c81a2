"""Keys of textures and samplers keep exactly the fields that change code."""

from backends.abi.keys import IDENTITY, SamplerKey, TextureKey, sampler_key, texture_key
from backends.formats import Format
from backends.pipe.enums import CompareFunc, TexCompare, TexFilter, TexMipFilter, TextureTarget, TexWrap


def view(target: TextureTarget, width: int, height: int = 1, depth: int = 1, last_level: int = 0) -> TextureKey:
    return texture_key(Format.R8G8B8A8_UNORM, target, IDENTITY, width=width, height=height, depth=depth, last_level=last_level)


def test_only_filtered_sizes_decide_about_powers_of_two() -> None:
    assert view(TextureTarget.TEXTURE_2D, 16, 4).pot
    assert not view(TextureTarget.TEXTURE_2D, 16, 5).pot
    assert view(TextureTarget.TEXTURE_1D_ARRAY, 16, 5).pot
    assert view(TextureTarget.TEXTURE_2D_ARRAY, 16, 4, 3).pot
    assert not view(TextureTarget.TEXTURE_3D, 16, 4, 3).pot


def test_one_level_makes_mip_filters_equal() -> None:
    keys = {sampler_key(SamplerKey(min_mip_filter=mip), view(TextureTarget.TEXTURE_2D, 8, 8)) for mip in TexMipFilter}
    assert len(keys) == 1
    deep = {sampler_key(SamplerKey(min_mip_filter=mip), view(TextureTarget.TEXTURE_2D, 8, 8, 1, 3)) for mip in TexMipFilter}
    assert len(deep) == 3


def test_what_makes_no_difference_is_left_out() -> None:
    flat = view(TextureTarget.TEXTURE_2D, 8, 8)
    busy = SamplerKey(wrap_r=TexWrap.CLAMP, compare_func=CompareFunc.LESS, seamless_cube_map=True)
    assert sampler_key(busy, flat) == sampler_key(SamplerKey(), flat)
    line = view(TextureTarget.TEXTURE_1D, 8)
    assert sampler_key(SamplerKey(wrap_t=TexWrap.CLAMP, lod_by_length=True), line) == sampler_key(SamplerKey(), line)


def test_what_makes_a_difference_stays() -> None:
    flat = view(TextureTarget.TEXTURE_2D, 8, 8)
    for other in (
        SamplerKey(wrap_s=TexWrap.CLAMP),
        SamplerKey(mag_img_filter=TexFilter.LINEAR),
        SamplerKey(normalized_coords=False),
        SamplerKey(lod_by_length=True),
        SamplerKey(compare_mode=TexCompare.R_TO_TEXTURE, compare_func=CompareFunc.LESS),
    ):
        assert sampler_key(other, flat) != sampler_key(SamplerKey(), flat)
    cube = view(TextureTarget.TEXTURE_CUBE, 8, 8, 6)
    assert sampler_key(SamplerKey(seamless_cube_map=True), cube) != sampler_key(SamplerKey(), cube)
