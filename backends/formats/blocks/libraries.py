"""Blocks that libraries decode without a loss: texture2ddecoder has BPTC of 8 bits and ETC, ARM's astc-encoder has ASTC.

The libraries are imported when such a texture is first sampled.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from backends.formats.blocks.bits import Bytes

_FUNCTIONS = {
    "bptc": "decode_bc7",
    "etc1": "decode_etc1",
    "etc2": "decode_etc2",
    "etc2_clear": "decode_etc2a1",
    "etc2_alpha": "decode_etc2a8",
}
"""Functions of texture2ddecoder by coding."""

_ERROR = (255, 0, 255, 255)
"""The color of an ASTC block without a meaning (KHR_texture_compression_astc_ldr, "error color")."""


def eight_bits(blocks: Bytes, coding: str) -> Bytes:
    """Decode BPTC or ETC blocks of 4 x 4 texels, (rows, columns, bytes), to RGBA."""
    import texture2ddecoder

    rows, columns, _ = blocks.shape
    data = getattr(texture2ddecoder, _FUNCTIONS[coding])(blocks.tobytes(), 4 * columns, 4 * rows)
    colors = np.frombuffer(data, np.uint8).reshape(4 * rows, 4 * columns, 4)[:, :, [2, 1, 0, 3]]
    if coding == "etc2_clear":
        colors[colors[:, :, 3] == 0] = 0  # OpenGL 4.6, appendix C.2.3: transparent texels are black
    return colors


@cache
def _astc_context(width: int, height: int, is_srgb: bool) -> Any:
    import astc_encoder as arm

    profile = arm.ASTCProfile.LDR_SRGB if is_srgb else arm.ASTCProfile.LDR
    return arm.ASTCContext(arm.ASTCConfig(profile, width, height, 1, 60.0, arm.ASTCConfigFlags.DECOMPRESS_ONLY))


def astc(blocks: Bytes, width: int, height: int, *, is_srgb: bool) -> Bytes:
    """Decode ASTC blocks of `width` x `height` texels, (rows, columns, 16), to RGBA. Blocks that break the rules are magenta."""
    import astc_encoder as arm

    rows, columns, _ = blocks.shape
    context, swizzle, data = _astc_context(width, height, is_srgb), arm.ASTCSwizzle.from_str("RGBA"), blocks.tobytes()
    shape = (rows * height, columns * width, 4)
    bytes_, halves = (
        context.decompress(data, arm.ASTCImage(kind, columns * width, rows * height), swizzle).data
        for kind in (arm.ASTCType.U8, arm.ASTCType.F16)
    )
    colors = np.frombuffer(bytes_, np.uint8).reshape(shape).copy()
    # The library returns white for such blocks, but valid blocks may be white, too. Decoded as floats, only these blocks are NaN.
    colors[np.isnan(np.frombuffer(halves, np.float16).reshape(shape)[:, :, 0])] = _ERROR
    return colors
