"""Names, channels and sizes of formats."""

import pytest

from backends.formats import SWIZZLE_ONE, SWIZZLE_ZERO, ChannelType, Format, find_format


def test_names_with_and_without_prefix_find_the_same_format() -> None:
    assert find_format("PIPE_FORMAT_B8G8R8A8_UNORM") is find_format("B8G8R8A8_UNORM") is Format.B8G8R8A8_UNORM
    assert Format("PIPE_FORMAT_R8_UNORM") is Format.R8_UNORM


def test_unknown_name_says_what_is_near() -> None:
    with pytest.raises(ValueError, match="did you mean R8G8B8A8_UNORM"):
        find_format("R8G8B8A8_UNROM")


def test_every_block_is_a_whole_number_of_bytes_and_no_channel_crosses_a_word() -> None:
    for format in Format:
        assert format.block_bits % 8 == 0
        for c in format.channels:
            assert c.shift // 32 == (c.shift + c.size - 1) // 32


@pytest.mark.parametrize(
    ("format", "swizzle"),
    [
        (Format.B5G6R5_UNORM, (2, 1, 0, SWIZZLE_ONE)),
        (Format.A8_UNORM, (SWIZZLE_ZERO, SWIZZLE_ZERO, SWIZZLE_ZERO, 0)),
        (Format.L8A8_UNORM, (0, 0, 0, 1)),
        (Format.L8_UNORM, (0, 0, 0, SWIZZLE_ONE)),
        (Format.I8_UNORM, (0, 0, 0, 0)),
        (Format.X8B8G8R8_UNORM, (3, 2, 1, SWIZZLE_ONE)),
        (Format.R16G16_FLOAT, (0, 1, SWIZZLE_ZERO, SWIZZLE_ONE)),
    ],
)
def test_swizzle_follows_the_channel_letters(format: Format, swizzle: tuple[int, ...]) -> None:
    assert format.swizzle == swizzle


def test_depth_stencil_formats_know_their_parts() -> None:
    format = Format.S8_UINT_Z24_UNORM
    assert format.is_depth_stencil
    assert format.stencil is not None
    assert format.stencil.shift == 0
    assert format.depth is not None
    assert (format.depth.shift, format.depth.size, format.depth.type) == (8, 24, ChannelType.UNORM)
    assert Format.X32_S8X24_UINT.depth is None
    assert Format.S8_UINT.kind == "uint"


def test_kinds_and_sizes() -> None:
    assert Format.R32G32B32_SINT.kind == "sint"
    assert Format.R32G32B32_SINT.block_bytes == 12
    assert Format.R8G8B8A8_SRGB.is_srgb
    assert Format.R8G8B8A8_UNORM.is_plain_unorm8
    assert not Format.R8G8B8A8_SRGB.is_plain_unorm8
    assert Format.R9G9B9E5_FLOAT.is_shared_exponent
