"""Compressed textures, a feature that the screen does not have.

The server keeps the blocks of a compressed texture and decodes them into a plain texture, which draws sample.

Source: the OpenGL extensions EXT_texture_compression_rgtc and EXT_texture_compression_s3tc, and their sRGB variants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.gallium.resource.resource import Box
from tgsi.language.record import record
from tgsi.tools.vtest.errors import CommandError

if TYPE_CHECKING:
    from backends.gallium.context.context import Context
    from backends.gallium.resource.resource import Resource

EDGE = 4
"""Width and height of a block in texels."""

Bytes = NDArray[np.uint8]
Decode = Callable[[Bytes], NDArray[Any]]


@record
class Compression:
    """Compressed format. size: bytes per block; plain: format of the decoded texture; decode: blocks (n, size) to texels
    (n, 16, channels of `plain`).
    """

    size: int
    plain: Format
    decode: Decode


def _codes(blocks: Bytes, bits: int) -> NDArray[np.int64]:
    """The 16 codes of `bits` bits each that are packed in the bytes of each block."""
    unpacked = np.unpackbits(blocks, axis=1, bitorder="little").reshape(len(blocks), 16, bits)
    return unpacked.astype(np.int64) @ (1 << np.arange(bits))


def _ramp(blocks: Bytes, *, signed: bool = False) -> NDArray[np.int64]:
    """Decode one channel of eight bytes: two end points, and for each texel the number of a step between them."""
    kind = np.int8 if signed else np.uint8
    ends = np.ascontiguousarray(blocks[:, :2]).view(kind).astype(np.int64)
    a, b = ends[:, 0], ends[:, 1]
    low, high = (-127, 127) if signed else (0, 255)
    eight = [a, b, *(_divide(a * (7 - k) + b * k, 7) for k in range(1, 7))]
    six = [a, b, *(_divide(a * (5 - k) + b * k, 5) for k in range(1, 5)), np.full_like(a, low), np.full_like(a, high)]
    table = np.where((a > b)[:, None], np.stack(eight, 1), np.stack(six, 1))
    return np.take_along_axis(np.maximum(table, low), _codes(blocks[:, 2:8], 3), 1)


def _divide(value: NDArray[np.int64], by: int) -> NDArray[np.int64]:
    """Division that truncates toward 0."""
    found: NDArray[np.int64] = np.sign(value) * (np.abs(value) // by)
    return found


def _red(blocks: Bytes) -> NDArray[Any]:
    return _ramp(blocks)[:, :, None].astype(np.uint8)


def _red_signed(blocks: Bytes) -> NDArray[Any]:
    return _ramp(blocks, signed=True)[:, :, None].astype(np.int8)


def _red_green(blocks: Bytes) -> NDArray[Any]:
    return np.stack([_ramp(blocks[:, :8]), _ramp(blocks[:, 8:])], 2).astype(np.uint8)


def _red_green_signed(blocks: Bytes) -> NDArray[Any]:
    return np.stack([_ramp(blocks[:, :8], signed=True), _ramp(blocks[:, 8:], signed=True)], 2).astype(np.int8)


def _colors(blocks: Bytes, *, may_be_clear: bool, is_four: bool = False) -> NDArray[np.int64]:
    """Decode color blocks of eight bytes to RGBA. `is_four`: four colors in any case, as DXT3 and DXT5 require."""
    words = np.ascontiguousarray(blocks[:, :4]).view("<u2").astype(np.int64)
    ends = []
    for k in range(2):
        r, g, b = words[:, k] >> 11, words[:, k] >> 5 & 63, words[:, k] & 31
        ends.append(np.stack([r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2], 1))
    c0, c1 = ends
    four = np.stack([c0, c1, (2 * c0 + c1) // 3, (c0 + 2 * c1) // 3], 1)
    three = np.stack([c0, c1, (c0 + c1) // 2, np.zeros_like(c0)], 1)
    is_opaque = np.full(len(blocks), True) if is_four else words[:, 0] > words[:, 1]
    table = np.where(is_opaque[:, None, None], four, three)
    alpha = np.full((len(blocks), 4, 1), 255)
    if may_be_clear:
        alpha[~is_opaque, 3] = 0
    codes = _codes(blocks[:, 4:8], 2)
    return np.take_along_axis(np.concatenate([table, alpha], 2), codes[:, :, None], 1)


def _dxt1(blocks: Bytes) -> NDArray[Any]:
    return _colors(blocks, may_be_clear=False).astype(np.uint8)


def _dxt1a(blocks: Bytes) -> NDArray[Any]:
    return _colors(blocks, may_be_clear=True).astype(np.uint8)


def _dxt3(blocks: Bytes) -> NDArray[Any]:
    colors = _colors(blocks[:, 8:], may_be_clear=False, is_four=True)
    colors[:, :, 3] = _codes(blocks[:, :8], 4) * 17
    return colors.astype(np.uint8)


def _dxt5(blocks: Bytes) -> NDArray[Any]:
    colors = _colors(blocks[:, 8:], may_be_clear=False, is_four=True)
    colors[:, :, 3] = _ramp(blocks[:, :8])
    return colors.astype(np.uint8)


COMPRESSIONS: dict[int, Compression] = {
    105: Compression(8, Format.R8G8B8A8_UNORM, _dxt1),
    106: Compression(8, Format.R8G8B8A8_UNORM, _dxt1a),
    107: Compression(16, Format.R8G8B8A8_UNORM, _dxt3),
    108: Compression(16, Format.R8G8B8A8_UNORM, _dxt5),
    109: Compression(8, Format.R8G8B8A8_SRGB, _dxt1),
    110: Compression(8, Format.R8G8B8A8_SRGB, _dxt1a),
    111: Compression(16, Format.R8G8B8A8_SRGB, _dxt3),
    112: Compression(16, Format.R8G8B8A8_SRGB, _dxt5),
    113: Compression(8, Format.R8_UNORM, _red),
    114: Compression(8, Format.R8_SNORM, _red_signed),
    115: Compression(16, Format.R8G8_UNORM, _red_green),
    116: Compression(16, Format.R8G8_SNORM, _red_green_signed),
}
"""Compression by the protocol's format: DXT1 without and with alpha, DXT3, DXT5, the same four in sRGB, RGTC of one and two channels."""


class Blocks:
    """Blocks of a compressed texture. Each level is an array of shape (layers, rows, columns, bytes per block)."""

    def __init__(self, resource: Resource, compression: Compression) -> None:
        self.compression = compression
        self.levels = [
            np.zeros((level.layers, -(-level.height // EDGE), -(-level.width // EDGE), compression.size), np.uint8)
            for level in resource.levels
        ]

    def strides(self, level: int) -> tuple[int, int]:
        """Bytes from row to row of blocks, and from layer to layer, in the client's memory of a whole level."""
        _, rows, columns, size = self.levels[level].shape
        return columns * size, columns * size * rows

    def part(self, resource: Resource, level: int, box: Box) -> Bytes:
        """View of the blocks of a box of texels.

        Raises ValueError for a box outside of the texture, CommandError for one that begins inside of a block.
        """
        region = resource.box(level, box, "box")
        if region.x % EDGE or region.y % EDGE:
            raise CommandError("box", f"{region.x}, {region.y} lies inside of a block of {EDGE} x {EDGE}")
        x, y = region.x // EDGE, region.y // EDGE
        columns, rows = -(-region.width // EDGE), -(-region.height // EDGE)
        return self.levels[level][region.z : region.z + region.depth, y : y + rows, x : x + columns]

    def show(self, context: Context, resource: Resource, level: int, box: Box) -> None:
        """Decode the blocks of a box into the plain texture."""
        part = self.part(resource, level, box)
        layers, rows, columns, size = part.shape
        texels = self.compression.decode(np.ascontiguousarray(part).reshape(-1, size))
        bytes_ = np.ascontiguousarray(texels).view(np.uint8).reshape(layers, rows, columns, EDGE, EDGE, -1)
        image = bytes_.transpose(0, 1, 3, 2, 4, 5).reshape(layers, rows * EDGE, columns * EDGE, -1)
        info = resource.levels[level]
        width, height = min(columns * EDGE, info.width - box.x), min(rows * EDGE, info.height - box.y)
        context.finish_uses(resource)
        resource.blocks(level)[box.z : box.z + box.depth, box.y : box.y + height, box.x : box.x + width] = image[:, :height, :width]

    def move(
        self, context: Context, resource: Resource, level: int, box: Box, data: memoryview, strides: Sequence[int], *, reads: bool
    ) -> None:
        """Copy the blocks of a box to (`reads`) or from the client's bytes.

        A stride of 0, or one that separates nothing, means tight rows or layers.
        """
        part = self.part(resource, level, box)
        layers, rows, columns, size = part.shape
        row = strides[0] if strides[0] and rows > 1 else columns * size
        layer = strides[1] if strides[1] and layers > 1 else row * rows
        needed = layer * (layers - 1) + row * (rows - 1) + columns * size
        if row < columns * size or needed > len(data):
            raise CommandError("data_size", f"{needed} bytes with rows of {row} are needed, {len(data)} are there")
        theirs = np.ndarray(part.shape, np.uint8, data, 0, (layer, row, size, 1))
        if reads:
            theirs[...] = part
        else:
            part[...] = theirs
            self.show(context, resource, level, box)


def copy_blocks(context: Context, to: tuple[Blocks, Resource, int, Box], of: tuple[Blocks, Resource, int, Box]) -> None:
    """Copy a box between two textures with blocks of the same size."""
    target, source = to[0].part(*to[1:]), of[0].part(*of[1:])
    if target.shape != source.shape:
        raise CommandError("src_res_handle", "the two textures have blocks of different sizes, or a box ends inside of a block")
    target[...] = source.copy()
    to[0].show(context, *to[1:])
