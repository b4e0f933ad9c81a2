"""Compressed textures: blocks can be read back, and draws sample their decoded texels."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vtest.encoder import SAMPLED, TEXTURE_2D, Commands, Runner, Stream
from tests.vtest.test_draws import target_of_texture
from tgsi.tools.vtest.compressed import COMPRESSIONS

DXT1, DXT1A, DXT3, DXT5, RGTC1, RGTC1_SIGNED, RGTC2 = 105, 106, 107, 108, 113, 114, 115
RED_BLUE = struct.pack("<2H", 0xF800, 0x001F)


def _texels(number: int, block: bytes) -> NDArray[Any]:
    texels: NDArray[Any] = COMPRESSIONS[number].decode(np.frombuffer(block, np.uint8).reshape(1, -1))[0]
    return texels


def test_a_color_block_has_two_ends_and_two_colors_between() -> None:
    texels = _texels(DXT1, RED_BLUE + bytes([0b11100100] * 4))
    assert texels[:4].tolist() == [[255, 0, 0, 255], [0, 0, 255, 255], [170, 0, 85, 255], [85, 0, 170, 255]]


def test_the_other_order_of_ends_makes_three_colors_and_a_clear_one() -> None:
    block = struct.pack("<2H", 0x001F, 0xF800) + bytes([0b11100100] * 4)
    assert _texels(DXT1A, block)[:4].tolist() == [[0, 0, 255, 255], [255, 0, 0, 255], [127, 0, 127, 255], [0, 0, 0, 0]]
    assert _texels(DXT1, block)[3].tolist() == [0, 0, 0, 255]


def test_alpha_is_four_bits_or_a_ramp() -> None:
    color = RED_BLUE + bytes(4)
    assert _texels(DXT3, bytes([0xF1]) + bytes(7) + color)[:3, 3].tolist() == [17, 255, 0]
    assert _texels(DXT5, bytes((255, 0, 0b010001, 0, 0, 0, 0, 0)) + color)[:3, 3].tolist() == [0, 218, 255]


def test_a_channel_ramp_is_unsigned_or_signed() -> None:
    assert _texels(RGTC1, bytes((10, 80, 0b01111110, 0b1, 0, 0, 0, 0)))[:3, 0].tolist() == [0, 255, 66]
    assert _texels(RGTC1_SIGNED, bytes((127, 0x81, 0b010001, 0, 0, 0, 0, 0)))[:3, 0].tolist() == [-127, 90, 127]
    assert _texels(RGTC2, bytes((5, 5, 0, 0, 0, 0, 0, 0)) + bytes((9, 9, 0, 0, 0, 0, 0, 0)))[0].tolist() == [5, 9]


@pytest.mark.parametrize("number", COMPRESSIONS)
def test_every_texel_of_random_blocks_is_between_the_ends_or_a_bound(number: int) -> None:
    compression = COMPRESSIONS[number]
    blocks = np.random.default_rng(number).integers(0, 256, (64, compression.size), np.uint8)
    texels = compression.decode(blocks)
    assert texels.shape == (64, 16, len(compression.plain.channels))
    assert texels.dtype.itemsize == 1


def test_blocks_come_back_as_they_were_put(serve: Runner) -> None:
    data = bytes(range(32))
    stream = Stream().resource(1, TEXTURE_2D, DXT1, SAMPLED, 8, 8).put(1, 0, (0, 0, 0, 8, 8, 1), data)
    result = serve(stream.get(1, 0, (4, 4, 0, 4, 4, 1), 8).get(1, 0, (0, 0, 0, 8, 4, 1), 16))
    assert not result.lines
    assert result.replies == data[24:] + data[:16]


def test_blocks_are_copied_between_textures(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, RGTC1, SAMPLED, 8, 4).resource(2, TEXTURE_2D, RGTC1, SAMPLED, 8, 4)
    stream.put(1, 0, (0, 0, 0, 8, 4, 1), bytes(range(16)))
    stream.submit(Commands().add("RESOURCE_COPY_REGION", 2, 0, 0, 0, 0, 1, 0, 4, 0, 0, 4, 4, 1))
    assert serve(stream.get(2, 0, (0, 0, 0, 8, 4, 1), 16)).replies == bytes(range(8, 16)) + bytes(8)


def test_a_box_inside_of_a_block_is_refused(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, DXT1, SAMPLED, 8, 8).put(1, 0, (2, 0, 0, 4, 4, 1), bytes(8))
    assert "inside of a block" in serve(stream).lines[0]


def test_a_level_smaller_than_a_block_has_one(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, DXT5, SAMPLED, 4, 4, last_level=2).put(1, 2, (0, 0, 0, 1, 1, 1), bytes(range(16)))
    assert serve(stream.get(1, 2, (0, 0, 0, 1, 1, 1), 16)).replies == bytes(range(16))


def test_a_compressed_texture_is_sampled(serve: Runner) -> None:
    block = RED_BLUE + bytes([0b01010101] * 4)
    result = serve(target_of_texture(Stream().resource(6, TEXTURE_2D, DXT1, SAMPLED, 4, 4).put(6, 0, (0, 0, 0, 4, 4, 1), block), DXT1))
    assert not result.lines
    assert (result.pixels(16, 16) == (0, 0, 255, 255)).all()
