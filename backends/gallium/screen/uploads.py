"""Textures and buffers from arrays, images and whatever else shows its memory. Loaded on first use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats import AnyFormat, CompressedFormat, Format
from backends.formats.arrays import texel_type
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.transfer import conversion
from backends.pipe.checks import any_format
from backends.pipe.enums import TextureTarget, lookup

_KINDS = {"u1": "UNORM", "i1": "SNORM", "u2": "UNORM", "i2": "SNORM", "u4": "UINT", "i4": "SINT", "f2": "FLOAT", "f4": "FLOAT"}
"""Types of elements, and the type of channels that they become."""
_CHANNELS = (None, "R{0}", "R{0}G{0}", "R{0}G{0}B{0}X{0}", "R{0}G{0}B{0}A{0}")
_GRAY = {"L": "L{0}", "LA": "L{0}A{0}", "I;16": "L{0}"}
"""Modes of Pillow whose first channel is gray, with the channels of their formats."""
_PLAIN_MODES = frozenset({"L", "LA", "I;16", "RGB", "RGBA", "F", "I"})
"""Modes of Pillow whose channels are plain colors."""
_RANKS = {
    TextureTarget.TEXTURE_1D: 1,
    TextureTarget.TEXTURE_1D_ARRAY: 2,
    TextureTarget.TEXTURE_2D: 2,
    TextureTarget.TEXTURE_RECT: 2,
    TextureTarget.TEXTURE_2D_ARRAY: 3,
    TextureTarget.TEXTURE_3D: 3,
    TextureTarget.TEXTURE_CUBE: 3,
    TextureTarget.TEXTURE_CUBE_ARRAY: 3,
}
"""Axes of an array in front of that of its channels."""
_WAYS_OUT = {
    "f8": "convert it with .astype(numpy.float32)",
    "i8": "convert it with .astype(numpy.int32)",
    "u8": "convert it with .astype(numpy.uint32)",
    "b1": "convert it with 255 * array.astype(numpy.uint8)",
}


def texture_from(screen: ScreenCore, image: Any, target: Any, format: Any, srgb: bool, bind: Any, levels_below: bool) -> Resource:
    """`Screen.texture_from` without smaller levels, for which it allocates memory."""
    name = "texture_from"
    array, channels = _image(image, name)
    kind = lookup(TextureTarget, target, f"{name}: target") if target is not None else _target(array)
    if kind not in _RANKS:
        raise ValueError(f"{name}: target: {kind.name} is not a texture; buffer_from makes a buffer")
    rank = _RANKS[kind]
    if array.ndim not in (rank, rank + 1):
        raise ValueError(f"{name}: image: {kind.name} takes {rank} axes, or one more for channels, not the shape {array.shape}")
    if not array.size:
        raise ValueError(f"{name}: image: the shape {array.shape} has no texels")
    texels = array if array.ndim == rank + 1 else array[..., None]
    seen, texels = (
        _chosen(texels, channels, srgb, name) if format is None else _asked(texels, any_format(format, f"{name}: format"), srgb, name)
    )
    sizes = texels.shape[:-1]
    width, height = sizes[-1], 1 if kind in (TextureTarget.TEXTURE_1D, TextureTarget.TEXTURE_1D_ARRAY) else sizes[-2]
    layers = sizes[0] if rank == 3 or kind is TextureTarget.TEXTURE_1D_ARRAY else 1
    is_volume = kind is TextureTarget.TEXTURE_3D
    texture = screen.resource_create(
        target=kind,
        format=seen,
        width0=width,
        height0=height,
        depth0=layers if is_volume else 1,
        array_size=1 if is_volume else layers,
        last_level=max(width, height, layers if is_volume else 1).bit_length() - 1 if levels_below else 0,
        bind=bind,
    )
    blocks = texture.blocks()
    blocks[...] = np.ascontiguousarray(texels).view(np.uint8).reshape(blocks.shape)
    return texture


def buffer_from(screen: ScreenCore, data: Any, bind: Any) -> Resource:
    """`Screen.buffer_from`."""
    name = "buffer_from"
    array = as_array(data, f"{name}: data")
    for field, kind in _fields(array.dtype):
        _refuse_wide(kind, f"{name}: data{field}", "; for its unchanged bytes, give .view(numpy.uint8)")
    values = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    if not values.size:
        raise ValueError(f"{name}: data: there are no bytes")
    buffer = screen.resource_create(target=TextureTarget.BUFFER, width0=values.size, bind=bind)
    buffer.storage[: values.size] = values
    return buffer


def as_array(data: Any, argument: str) -> NDArray[Any]:
    """The numbers of an array, or of anything that shows its memory, in native byte order. TypeError for everything else."""
    array: NDArray[Any] | None = data if isinstance(data, np.ndarray) else None
    if array is None and any(hasattr(data, name) for name in ("__array_interface__", "__array_struct__", "__array__")):
        array = np.asarray(data)
    elif array is None and hasattr(data, "__dlpack__"):
        array = np.from_dlpack(data)
    elif array is None and not isinstance(data, str):
        try:
            array = np.asarray(memoryview(data))
        except (TypeError, ValueError):
            array = None
    if array is None:
        hint = "; numpy.array(..., numpy.float32) makes one" if isinstance(data, (list, tuple)) else ""
        raise TypeError(f"{argument}: expected an array, an image or a buffer, not {type(data).__name__}{hint}")
    if array.dtype.hasobject or array.dtype.kind in "cSUmM":
        raise TypeError(f"{argument}: expected an array of numbers, not of {array.dtype}")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _image(image: Any, name: str) -> tuple[NDArray[Any], str | None]:
    """The texels of an image, and the channels of a gray one by Pillow; None: as many as the last axis has, from red on."""
    mode = getattr(image, "mode", None)
    if isinstance(mode, str) and type(image).__module__.startswith("PIL."):
        if mode not in _PLAIN_MODES:
            is_clear = mode in ("PA", "La", "RGBa") or "transparency" in image.info
            image = image.convert("L" if mode == "1" else "RGBA" if is_clear else "RGB")
        return as_array(image, f"{name}: image"), _GRAY.get(image.mode)
    return as_array(image, f"{name}: image"), None


def _target(array: NDArray[Any]) -> TextureTarget:
    if array.ndim in (2, 3):
        return TextureTarget.TEXTURE_2D
    if array.ndim == 4:
        return TextureTarget.TEXTURE_2D_ARRAY
    raise ValueError(f"texture_from: image: expected 2 to 4 axes (layers, height, width, channels), not the shape {array.shape}")


def _chosen(texels: NDArray[Any], gray: str | None, srgb: bool, name: str) -> tuple[Format, NDArray[Any]]:
    """The format for the elements and channels of an array, and the texels, with padding for a fourth channel."""
    count, kind = texels.shape[-1], _refuse_wide(texels.dtype, f"{name}: image")
    if not 1 <= count <= 4:
        raise ValueError(f"{name}: image: the last axis has 1 to 4 channels, not {count}; layers are an axis in front")
    if srgb and kind != "u1":
        raise TypeError(f"{name}: srgb: only uint8 is stored with the sRGB curve, not {texels.dtype}")
    channels = gray or _CHANNELS[count]
    assert channels is not None, count
    chosen = Format(f"{channels.format(8 * texels.dtype.itemsize)}_{'SRGB' if srgb else _KINDS[kind]}")
    return chosen, _padded(texels) if count == 3 else texels


def _padded(texels: NDArray[Any]) -> NDArray[Any]:
    """Texels of three channels, extended to four; the fourth is 1."""
    one = 1 if texels.dtype.kind == "f" or texels.dtype.itemsize == 4 else np.iinfo(texels.dtype).max
    return np.concatenate([texels, np.full_like(texels[..., :1], one)], axis=-1)


def _asked(texels: NDArray[Any], format: AnyFormat, srgb: bool, name: str) -> tuple[Format, NDArray[Any]]:
    """The format of the caller, and the texels, which must be of its type."""
    if isinstance(format, CompressedFormat):
        raise ValueError(f"{name}: format: {format} has blocks; make it with resource_create and give the blocks to texture_subdata")
    if srgb:
        raise ValueError(f"{name}: srgb: give it or a format, e.g. format='R8G8B8A8_SRGB', not both")
    dtype, channels = texel_type(format)
    if texels.dtype != dtype:
        way = conversion(dtype, texels.dtype)
        raise TypeError(f"{name}: image: {format} takes {dtype}, not {texels.dtype}; convert it with {way}, or leave the format out")
    count = texels.shape[-1]
    if count == 3 and channels == 4 and format.channels[3].letter in "AX":
        return format, _padded(texels)
    if count != max(1, channels):
        raise ValueError(f"{name}: image: {format} takes {max(1, channels)} channels, not {count}")
    return format, texels


def _fields(dtype: np.dtype[Any]) -> list[tuple[str, np.dtype[Any]]]:
    """Every element of a type, with its place in a structure as text."""
    if dtype.names is None:
        return [("", dtype.base)]
    return [(f"[{name!r}]{more}", kind) for name in dtype.names for more, kind in _fields(dtype[name].base)]


def _refuse_wide(dtype: np.dtype[Any], argument: str, more: str = "") -> str:
    """The kind and size of an element. TypeError, with the way out, for a type that no shader can read."""
    kind = dtype.str[1:]
    if kind not in _KINDS:
        raise TypeError(f"{argument}: {dtype} has no place in a shader; {_WAYS_OUT.get(kind, 'convert it to float32')}{more}")
    return kind
