"""Pixels from the caller's memory to texels, and back. (OpenGL 4.6 compatibility, 8.4 and 18.2)"""

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
    """Place of the pixels of a box: the first byte, the bytes from row to row and from image to image, of one row, and of everything."""

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
    """Colors whose components are those that `order` names: letters of xyzw, 0 and 1."""
    if not order or order == "xyzw":
        return colors
    found = np.zeros_like(colors)
    for index, letter in enumerate(order):
        found[..., index] = {"0": 0, "1": 1}[letter] if letter in "01" else colors[..., "xyzw".index(letter)]
    return found


def to_texels(data: Bytes, client: ClientFormat, format: Format, old: Bytes | None = None) -> Bytes:
    """The caller's pixels, [depth, height, bytes], as texels of a plain format, [depth, height, bytes].

    old: the texels that were there, of which depth or stencil stays where the caller gives the other one alone.
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
        kept = np.ascontiguousarray(old).reshape(-1, format.block_bytes) if old is not None else None
        packed = texels.pack_depth_stencil(format, depth, stencil, kept)
    else:
        colors = permuted(texels.unpack(client.format, flat), client.order)
        packed = texels.pack(format, colors)
    return packed.reshape(shape[0], shape[1], shape[2] * format.block_bytes)


def from_texels(data: Bytes, format: Format, client: ClientFormat, swizzle: str = "", *, clamps: bool = False) -> Bytes:
    """Texels of a plain format, [depth, height, bytes], as pixels of the caller.

    swizzle: what the texture's base format makes of the texels. clamps: colors go to 0 .. 1 first.
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
    """For each byte of a pixel the byte of a texel that it is; NONE and FULL are 0 and 1. Empty unless both formats have bytes of UNORM."""
    found = _BYTES.match(source), _BYTES.match(target)
    if found[0] is None or found[1] is None or "X" in target:
        return ()
    stored, places = found[0][1].replace("8", ""), []
    for letter in found[1][1].replace("8", ""):
        wanted = (swizzle or "xyzw")["RGBA".index(letter)]
        name = "" if wanted in "01" else "RGBA"["xyzw".index(wanted)]
        if name and name in stored:
            places.append(stored.index(name))
        else:
            places.append(FULL if wanted == "1" or name == "A" else NONE)
    return tuple(places)


def move_bytes(flat: Bytes, places: tuple[int, ...]) -> Bytes:
    """Pixels of the bytes of texels that `byte_places` names."""
    made = np.empty((len(flat), len(places)), np.uint8)
    for index, place in enumerate(places):
        made[:, index] = flat[:, place] if place >= 0 else 255 if place == FULL else 0
    return made


def _inverse(order: str) -> str:
    """The components of a stored pixel as they follow from red, green, blue and alpha."""
    if not order:
        return ""
    found = ["0"] * 4
    for index, letter in enumerate(order):
        if letter in "xyzw" and found["xyzw".index(letter)] == "0":
            found["xyzw".index(letter)] = "xyzw"[index]
    return "".join(found)


def _same_bits(client: Format, format: Format) -> bool:
    """True if a format without alpha takes the caller's pixels as they are: X8 has any bits."""
    return client.name.replace("A8_", "X8_") == format.name or client.name.replace("A16_", "X16_").replace("A32_", "X32_") == format.name
