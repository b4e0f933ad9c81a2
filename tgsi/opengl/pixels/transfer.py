"""Conversions between pixels in the caller's memory and texels. (OpenGL 4.6 compatibility, 8.4 and 18.2)"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgsi.gallium import Format, texels
from tgsi.opengl.pixels.client_formats import ClientFormat
from tgsi.opengl.state.values import PixelStore

Bytes = NDArray[np.uint8]
Numbers = NDArray[Any]

NONE, FULL = -1, -2
_BYTES = re.compile("((?:[RGBAX]8)+)_UNORM$")


class Layout(NamedTuple):
    """Memory layout of a box of pixels: first byte, row stride, image stride, bytes of a row, and total bytes."""

    first: int
    row: int
    image: int
    width: int
    end: int


def layout_of(store: PixelStore, client: ClientFormat, width: int, height: int, depth: int) -> Layout:
    """The layout of a box of pixels under the pixel store's parameters."""
    per_row = store.row_length or width
    row = per_row * client.pixel
    if client.unit < store.alignment:
        row = -(-row // store.alignment) * store.alignment
    image = row * (store.image_height or height)
    first = store.skip_images * image + store.skip_rows * row + store.skip_pixels * client.pixel
    tight = width * client.pixel
    end = first + (depth - 1) * image + (height - 1) * row + tight if width and height and depth else first
    return Layout(first, row, image, tight, end)


def permuted(colors: Numbers, order: str) -> Numbers:
    """Colors with their components rearranged by `order`: letters of xyzw, 0 and 1."""
    if not order or order == "xyzw":
        return colors
    result = np.zeros_like(colors)
    for index, letter in enumerate(order):
        result[..., index] = {"0": 0, "1": 1}[letter] if letter in "01" else colors[..., "xyzw".index(letter)]
    return result


def to_texels(data: Bytes, client: ClientFormat, format: Format, old: Bytes | None = None) -> Bytes:
    """The caller's pixels, [depth, height, bytes], as texels of a plain format, [depth, height, bytes].

    old: the previous texels, which keep their depth or stencil if the caller supplies only the other one.
    """
    shape = data.shape[0], data.shape[1], data.shape[2] // client.pixel
    if not client.order and (client.format is format or _same_bits(client.format, format)):
        return data
    flat = np.ascontiguousarray(data).reshape(-1, client.pixel)
    if client.is_depth or client.is_stencil:
        depth = texels.unpack_depth(client.format, flat) if client.is_depth and client.format.has_depth else None
        if client.is_depth and depth is None:
            depth = texels.unpack(client.format, flat)[..., 0]
        stencil = None
        if client.is_stencil:
            plain = client.format.has_stencil
            stencil = texels.unpack_stencil(client.format, flat) if plain else texels.unpack(client.format, flat)[..., 0].astype(np.uint8)
        stored = np.ascontiguousarray(old).reshape(-1, format.block_bytes) if old is not None else None
        packed = texels.pack_depth_stencil(format, depth, stencil, stored)
    else:
        colors = permuted(texels.unpack(client.format, flat), client.order)
        packed = texels.pack(format, colors)
    return packed.reshape(shape[0], shape[1], shape[2] * format.block_bytes)


def from_texels(data: Bytes, format: Format, client: ClientFormat, swizzle: str = "", *, clamps: bool = False) -> Bytes:
    """Texels of a plain format, [depth, height, bytes], as pixels of the caller.

    swizzle: the swizzle of the texture's base format. clamps: first clamp colors to 0 .. 1.
    """
    width = data.shape[2] // format.block_bytes
    if not client.order and client.format is format and not clamps and swizzle in ("", "xyzw"):
        return data
    flat = np.ascontiguousarray(data).reshape(-1, format.block_bytes)
    if client.is_depth or client.is_stencil:
        depth = texels.unpack_depth(format, flat) if client.is_depth else None
        stencil = texels.unpack_stencil(format, flat) if client.is_stencil else None
        if client.format.is_depth_stencil:
            packed = texels.pack_depth_stencil(client.format, depth, stencil, None)
        else:
            values = depth if depth is not None else stencil
            assert values is not None
            colors = np.zeros((*values.shape, 4), np.float32 if client.format.kind not in ("UINT", "SINT") else np.int64)
            colors[..., 0] = values
            packed = texels.pack(client.format, colors)
    elif (places := byte_places(format.name, client.format.name, swizzle)) and not client.order:
        packed = move_bytes(flat, places)
    else:
        colors = permuted(texels.unpack(format, flat), swizzle)
        if clamps:
            colors = np.clip(colors, 0.0, 1.0)
        packed = texels.pack(client.format, permuted(colors, _inverse(client.order)))
    return packed.reshape(data.shape[0], data.shape[1], width * client.pixel)


@cache
def byte_places(source: str, target: str, swizzle: str) -> tuple[int, ...]:
    """For each byte of a pixel, the source byte of the texel, NONE (0) or FULL (1). Empty unless both formats consist of UNORM bytes."""
    matches = _BYTES.match(source), _BYTES.match(target)
    if matches[0] is None or matches[1] is None or "X" in target:
        return ()
    stored, places = matches[0][1].replace("8", ""), []
    for letter in matches[1][1].replace("8", ""):
        wanted = (swizzle or "xyzw")["RGBA".index(letter)]
        name = "" if wanted in "01" else "RGBA"["xyzw".index(wanted)]
        if name and name in stored:
            places.append(stored.index(name))
        else:
            places.append(FULL if wanted == "1" or name == "A" else NONE)
    return tuple(places)


def move_bytes(flat: Bytes, places: tuple[int, ...]) -> Bytes:
    """Copy the bytes of texels listed by `byte_places` to pixels."""
    pixels = np.empty((len(flat), len(places)), np.uint8)
    for index, place in enumerate(places):
        pixels[:, index] = flat[:, place] if place >= 0 else 255 if place == FULL else 0
    return pixels


def _inverse(order: str) -> str:
    """The swizzle from red, green, blue and alpha to the components of a stored pixel."""
    if not order:
        return ""
    letters = ["0"] * 4
    for index, letter in enumerate(order):
        if letter in "xyzw" and letters["xyzw".index(letter)] == "0":
            letters["xyzw".index(letter)] = "xyzw"[index]
    return "".join(letters)


def _same_bits(client: Format, format: Format) -> bool:
    """True if the caller's pixels can be stored unchanged in a format without alpha, because X8 may have any bits."""
    return client.name.replace("A8_", "X8_") == format.name or client.name.replace("A16_", "X16_").replace("A32_", "X32_") == format.name
