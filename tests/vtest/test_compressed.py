"""Compressed textures: blocks can be read back, and draws sample their decoded texels."""

from __future__ import annotations

import struct

import pytest

from tests.vtest.encoder import SAMPLED, TEXTURE_2D, Commands, Runner, Stream
from tests.vtest.test_draws import target_of_texture
from tgsi.tools.vtest.protocol.numbers import FORMATS

DXT1, DXT5, RGTC1, R32G32_UINT = 105, 108, 113, 194
RED_BLUE = struct.pack("<2H", 0xF800, 0x001F)


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
    assert "2 + 4 in x cuts a block of DXT1_RGB" in serve(stream).lines[0]


def test_a_level_smaller_than_a_block_has_one(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, DXT5, SAMPLED, 4, 4, last_level=2).put(1, 2, (0, 0, 0, 1, 1, 1), bytes(range(16)))
    assert serve(stream.get(1, 2, (0, 0, 0, 1, 1, 1), 16)).replies == bytes(range(16))


def test_a_compressed_texture_is_sampled(serve: Runner) -> None:
    block = RED_BLUE + bytes([0b01010101] * 4)
    result = serve(target_of_texture(Stream().resource(6, TEXTURE_2D, DXT1, SAMPLED, 4, 4).put(6, 0, (0, 0, 0, 4, 4, 1), block), DXT1))
    assert not result.lines
    assert (result.pixels(16, 16) == (0, 0, 255, 255)).all()


@pytest.mark.parametrize("number", [106, 145, 257, 274, 279, 306])
def test_blocks_of_every_kind_can_be_offered_and_come_back(serve: Runner, number: int) -> None:
    format = FORMATS[number]
    width, height = 2 * format.block_width, format.block_height
    data = bytes(range(2 * format.block_bytes))
    stream = Stream().resource(1, TEXTURE_2D, number, SAMPLED, width, height).put(1, 0, (0, 0, 0, width, height, 1), data)
    box = (format.block_width, 0, 0, format.block_width, height, 1)
    assert serve(stream.get(1, 0, box, format.block_bytes)).replies == data[format.block_bytes :]


def test_a_block_is_copied_to_a_texel_of_a_plain_format(serve: Runner) -> None:
    stream = Stream().resource(1, TEXTURE_2D, DXT1, SAMPLED, 8, 4).resource(2, TEXTURE_2D, R32G32_UINT, SAMPLED, 2, 2)
    stream.put(1, 0, (0, 0, 0, 8, 4, 1), bytes(range(16)))
    stream.submit(Commands().add("RESOURCE_COPY_REGION", 2, 0, 1, 1, 0, 1, 0, 4, 0, 0, 4, 4, 1))
    assert serve(stream.get(2, 0, (1, 1, 0, 1, 1, 1), 8)).replies == bytes(range(8, 16))
