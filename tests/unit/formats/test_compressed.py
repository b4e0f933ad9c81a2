"""Compressed formats: blocks decode to the texels that Mesa decodes them to."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from backends.formats import COMPRESSED, CompressedFormat, Format, find_any_format
from backends.formats.blocks.bits import Bytes
from backends.formats.blocks.decode import PIECE, decode

MEASURED: dict[str, str] = json.loads((Path(__file__).parents[2] / "golden" / "blocks.json").read_text())
YUV = "9af2f9c099b98e0c8cf17b843330a778c8f2d7cd05c256f8e7b1c91ce7135b9a"
ORDERS = ("rgbg", "grgb", "rgrb", "grbr")
EDGE = 32
"""Blocks in a row of the measured textures, and rows of blocks."""


def measured_blocks(name: str) -> Bytes:
    """The blocks of the measured texture of a format; tests/golden/README.md says how they were made."""
    size = COMPRESSED[name].block_bytes
    data = np.frombuffer(hashlib.shake_256(name.encode()).digest(EDGE * EDGE * size), np.uint8).reshape(-1, size).copy()
    if name.startswith("ASTC"):
        data[(data[:, 0] == 0xFC) & (data[:, 1] & 1 == 1), 0] = 0
    return data.reshape(EDGE, EDGE, size)


@pytest.mark.parametrize("name", sorted(MEASURED))
def test_blocks_decode_to_the_texels_of_softpipe(name: str) -> None:
    texels = decode(COMPRESSED[name], measured_blocks(name))
    if name.startswith("ASTC") and name.endswith("SRGB"):
        texels = texels[:, :, :3]
    assert hashlib.sha256(np.ascontiguousarray(texels).tobytes()).hexdigest() == MEASURED[name]


def test_formats_without_a_measurement_decode_as_the_ones_that_share_their_coding() -> None:
    others = {f.name: f.coding for f in CompressedFormat if f.name not in MEASURED and f.block_height > 1}
    assert others == {
        "LATC1_UNORM": "ramp",
        "LATC1_SNORM": "ramp_signed",
        "LATC2_UNORM": "ramps",
        "LATC2_SNORM": "ramps_signed",
        "ETC1_RGB8": "etc1",
    }
    assert {COMPRESSED[name].coding for name in MEASURED} >= set(others.values()) - {"etc1"}


def test_etc1_is_etc2_where_no_difference_overflows() -> None:
    blocks = measured_blocks("ETC2_RGB8").copy()
    blocks[:, :, 3] &= 0xFD  # individual mode: two bases of four bits
    assert (decode(CompressedFormat.ETC1_RGB8, blocks) == decode(CompressedFormat.ETC2_RGB8, blocks)).all()


def test_an_astc_block_without_a_meaning_is_magenta_and_a_white_one_white() -> None:
    blocks = np.zeros((1, 2, 16), np.uint8)  # all zero: a reserved block mode
    blocks[0, 1] = [0xFC, 0xFD, *[0xFF] * 14]  # one color, extents that say nothing
    texels = decode(CompressedFormat.ASTC_8x5, blocks)
    assert texels.shape == (5, 16, 4)
    assert (texels[:, :8] == (255, 0, 255, 255)).all()
    assert (texels[:, 8:] == 255).all()


def test_a_block_decodes_the_same_wherever_it_lies() -> None:
    for format in (CompressedFormat.BPTC_RGB_FLOAT, CompressedFormat.DXT5_RGBA, CompressedFormat.ETC2_RGBA8, CompressedFormat.ASTC_6x5):
        one = measured_blocks(format.name)[:1, :8]
        many = np.tile(one, (PIECE // 8 + 2, 1, 1))
        rows = decode(format, many)
        assert (rows == np.tile(decode(format, one), (len(many), 1, 1))).all()


def test_every_format_has_the_facts_of_its_name() -> None:
    for name, format in COMPRESSED.items():
        assert str(format) == name
        assert find_any_format(f"PIPE_FORMAT_{name}") is format is CompressedFormat(name)
        assert format.block_bits in (32, 64, 128)
        assert ("SRGB" in name) == format.plain.is_srgb
        shape = decode(format, np.zeros((2, 3, format.block_bytes), np.uint8)).shape
        assert shape == (2 * format.block_height, 3 * format.block_width, format.plain.block_bytes)
    assert len(COMPRESSED) == 65


def test_unknown_name_says_what_is_near() -> None:
    with pytest.raises(ValueError, match="did you mean ASTC_10x10"):
        find_any_format("ASTC_10x11")
    assert find_any_format("R8_UNORM") is Format.R8_UNORM


def test_yuv_becomes_rgb_as_llvmpipe_computes_it() -> None:
    """The results are those of Mesa 22.3.6's llvmpipe for a GL_YCBCR_MESA texture."""
    blocks = measured_blocks("UYVY")
    texels = decode(CompressedFormat.UYVY, blocks)
    assert hashlib.sha256(texels.tobytes()).hexdigest() == YUV
    assert (decode(CompressedFormat.YUYV, blocks[:, :, [1, 0, 3, 2]]) == texels).all()


def test_pairs_share_two_channels() -> None:
    block = np.array([[[1, 2, 3, 4]]], np.uint8)
    found = {name: decode(COMPRESSED[name], block)[0, :, :3].tolist() for name in COMPRESSED if COMPRESSED[name].coding in ORDERS}
    assert found == {
        "R8G8_B8G8_UNORM": [[1, 2, 3], [1, 4, 3]],
        "G8R8_G8B8_UNORM": [[2, 1, 4], [2, 3, 4]],
        "R8G8_R8B8_UNORM": [[1, 2, 4], [3, 2, 4]],
        "G8R8_B8R8_UNORM": [[2, 1, 3], [4, 1, 3]],
    }
