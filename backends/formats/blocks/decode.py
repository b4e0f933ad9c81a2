"""The decoder of every coding, in one table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats.blocks.bits import Bytes, as_image
from backends.formats.blocks.bptc_float import bptc_float
from backends.formats.blocks.eac import eac
from backends.formats.blocks.libraries import astc, eight_bits
from backends.formats.blocks.s3tc import dxt1, dxt3, dxt5, ramps
from backends.formats.blocks.subsampled import pair
from backends.formats.compressed import CompressedFormat

_BY_BLOCK: dict[str, Callable[[Bytes], NDArray[Any]]] = {
    "dxt1": partial(dxt1, may_be_clear=False),
    "dxt1_clear": partial(dxt1, may_be_clear=True),
    "dxt3": dxt3,
    "dxt5": dxt5,
    "ramp": ramps,
    "ramps": ramps,
    "ramp_signed": partial(ramps, signed=True),
    "ramps_signed": partial(ramps, signed=True),
    "eac": partial(eac, signed=False),
    "eacs": partial(eac, signed=False),
    "eac_signed": partial(eac, signed=True),
    "eacs_signed": partial(eac, signed=True),
    "bptc_float": partial(bptc_float, signed=True),
    "bptc_ufloat": partial(bptc_float, signed=False),
    **{order: partial(pair, order=order) for order in ("uyvy", "yuyv", "rgbg", "grgb", "rgrb", "grbr")},
}
"""Decoders of numpy, from (n, bytes) to (n, texels of a block, channels)."""

PIECE = 1 << 14
"""Blocks that numpy decodes at a time; its temporary arrays stay in the cache then."""


def decode(format: CompressedFormat, blocks: Bytes) -> Bytes:
    """Decode blocks to the texels of `format.plain`.

    Args:
        format: the compressed format.
        blocks: uint8 of shape (rows, columns, bytes of a block).

    Returns:
        uint8 of shape (rows * block height, columns * block width, bytes of a texel).
    """
    if format.coding.startswith("astc"):
        return astc(blocks, format.block_width, format.block_height, is_srgb=format.coding == "astc_srgb")
    rows, columns, size = blocks.shape
    decoder = _BY_BLOCK.get(format.coding)
    if decoder is None:
        return eight_bits(blocks, format.coding)
    flat = blocks.reshape(-1, size)
    texels = np.concatenate([decoder(np.ascontiguousarray(flat[k : k + PIECE])) for k in range(0, len(flat), PIECE)])
    image = as_image(texels, rows, columns, format.block_width, format.block_height)
    return image.view(np.uint8).reshape(*image.shape[:2], -1)
