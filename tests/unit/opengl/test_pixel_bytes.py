"""Pixels of bytes are moved as they are."""

from __future__ import annotations

import numpy as np
import pytest

from tgsi.gallium import Format, texels
from tgsi.opengl.pixels.client_formats import client_format
from tgsi.opengl.pixels.transfer import byte_places, from_texels, permuted
from tgsi.opengl.registry import enums as GL


@pytest.mark.parametrize("swizzle", ["", "xyz1", "000w", "xxx1"])
@pytest.mark.parametrize("wanted", [GL.RGB, GL.BGR, GL.RGBA, GL.BGRA, GL.RED])
@pytest.mark.parametrize("stored", ["R8G8B8A8_UNORM", "B8G8R8X8_UNORM", "R8_UNORM"])
def test_moved_bytes_are_those_of_a_conversion_by_numbers(stored: str, wanted: int, swizzle: str) -> None:
    format, client = Format[stored], client_format(wanted, GL.UNSIGNED_BYTE)
    data = (np.arange(2 * 64 * format.block_bytes) * 37 % 256).astype(np.uint8).reshape(1, 2, -1)
    found = from_texels(data, format, client, swizzle)
    colors = permuted(texels.unpack(format, data.reshape(-1, format.block_bytes)), swizzle)
    assert byte_places(stored, client.format.name, swizzle)
    assert (found == texels.pack(client.format, colors).reshape(1, 2, -1)).all()


def test_formats_of_other_numbers_are_not_moved() -> None:
    for pair in (("R8G8B8A8_SRGB", "R8G8B8_UNORM"), ("R16_UNORM", "R8_UNORM"), ("R8_UNORM", "R32_FLOAT"), ("R8_SNORM", "R8_UNORM")):
        assert byte_places(*pair, "") == ()
