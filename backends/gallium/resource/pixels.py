"""Pixels of a resource as arrays, and as 8-bit pictures for viewing. Loaded on first use."""

from __future__ import annotations

import io
import os
import sys
import warnings
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from backends.device.resolve_job import resolved
from backends.formats import FORMATS, AnyFormat, CompressedFormat, Format
from backends.formats.arrays import texel_type, unpack, unpack_depth, unpack_stencil
from backends.gallium.resource.layout import LAYERED, ONE_DIMENSIONAL, Level
from backends.pipe.checks import integer, real
from backends.pipe.enums import TextureTarget
from tgsi.language.diagnostics import ValidationWarning

if TYPE_CHECKING:
    from PIL.Image import Image

Scale = tuple[float, float] | None
_OPAQUE = frozenset({".jpg", ".jpeg", ".jpe", ".jfif"})
"""Suffixes of files that hold no alpha."""


class Owner(Protocol):
    """The screen of a resource. validates: warn of pictures that are probably mistakes."""

    validates: bool

    def finish_writes(self, resource: Any) -> None:
        """Carry out pending work that writes the resource."""
        ...


class Texels(Protocol):
    """The part of `Resource` that this module uses."""

    target: TextureTarget
    format: AnyFormat
    samples: int

    @property
    def screen(self) -> Owner:
        """The screen."""
        ...

    @property
    def is_buffer(self) -> bool:
        """True of a buffer."""
        ...

    @property
    def is_destroyed(self) -> bool:
        """True after the last reference was released."""
        ...

    @property
    def plain_format(self) -> Format:
        """The format of single texels."""
        ...

    def level(self, index: int, argument: str) -> Level:
        """A level."""
        ...

    def pull(self) -> None:
        """Copy user memory into the resource."""
        ...

    def blocks(self, level: int = 0, sample: int = 0) -> NDArray[np.uint8]:
        """Raw bytes of a level."""
        ...


def pixels_of(resource: Texels, level: int, sample: int | None) -> NDArray[Any]:
    """`Resource.pixels`."""
    blocks = _blocks(resource, level, None, sample, "pixels")
    dtype, channels = (np.dtype(np.uint8), 0) if resource.is_buffer else texel_type(resource.plain_format)
    array = blocks.view(dtype).reshape(*blocks.shape[:3], *((channels,) if channels else ()))
    if resource.is_buffer or resource.target in ONE_DIMENSIONAL:
        array = array[:, 0]
    if resource.target not in LAYERED and resource.target is not TextureTarget.TEXTURE_3D:
        array = array[0]
    return array


def _blocks(resource: Texels, level: int, layer: int | None, sample: int | None, name: str) -> NDArray[np.uint8]:
    """A copy of the bytes of plain texels: (layers, height, width, bytes of a texel). layer: this one alone."""
    if resource.is_destroyed:
        raise ValueError(f"{name}: the resource was destroyed")
    info = resource.level(level, f"{name}: level")
    if sample is not None:
        integer(sample, f"{name}: sample", 0, resource.samples - 1)
    first, count = (0, info.layers) if layer is None else (integer(layer, f"{name}: layer", 0, info.layers - 1), 1)
    resource.screen.finish_writes(resource)
    resource.pull()
    format = resource.format
    if sample is not None or resource.samples == 1:
        blocks = resource.blocks(level, sample or 0)[first : first + count].copy()
    else:
        assert isinstance(format, Format), format
        blocks = resolved([resource.blocks(level, k)[first : first + count] for k in range(resource.samples)], format)
    if isinstance(format, CompressedFormat):
        from backends.formats.blocks.decode import decode

        texels = np.stack([decode(format, image) for image in blocks])
        blocks = np.ascontiguousarray(texels[:, : info.height, : info.width])
    return blocks


def picture_of(resource: Texels, level: int, layer: int, scale: Scale) -> NDArray[np.uint8]:
    """`Resource.picture`."""
    if resource.is_buffer:
        raise ValueError("picture: a buffer has no picture; numpy.asarray(resource) gives its bytes")
    if scale is not None:
        low, high = _pair(scale)
    blocks = _blocks(resource, level, layer, None, "picture")[0]
    height, width = blocks.shape[:2]
    format = _as_stored(resource.plain_format)
    letters = [channel.letter for channel in format.channels if channel.letter != "X"]
    if format.is_depth_stencil:
        values: NDArray[Any] = (unpack_depth(format, blocks) if format.has_depth else unpack(format, blocks)[:, 0])[:, None]
    elif format.is_plain_unorm8 and scale is None and set("RGB") <= set(letters):
        order = [format.swizzle[k] for k in range(3 + ("A" in letters))]
        plain: NDArray[np.uint8] = blocks[..., order].copy()
        return plain
    else:
        values = unpack(format, blocks)
        values = values[:, 3:] if letters == ["A"] else values[:, :1] if len(letters) == 1 else values[:, : 3 + ("A" in letters)]
    whole = 255.0 if format.is_integer else 1.0
    if scale is None:
        low, high = 0.0, whole
    wide = values.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        colors = (wide[:, :3] - low) / (high - low)
        shown = np.concatenate([colors, wide[:, 3:] / whole], axis=1)
        texels: NDArray[np.uint8] = np.rint(np.clip(np.nan_to_num(shown, nan=0.0), 0.0, 1.0) * 255.0).astype(np.uint8)
    return texels.reshape((height, width) if texels.shape[1] == 1 else (height, width, texels.shape[1]))


def _pair(scale: Any) -> tuple[float, float]:
    if not isinstance(scale, (tuple, list, np.ndarray)) or len(scale) != 2:
        raise TypeError(f"picture: scale: expected a pair of numbers, for black and white, not {scale!r}")
    low, high = (real(value, "picture: scale") for value in scale)
    if low == high or not np.isfinite([low, high]).all():
        raise ValueError(f"picture: scale: expected two different numbers, not {low:g} and {high:g}")
    return low, high


def _as_stored(format: Format) -> Format:
    """The format without sRGB decoding, because pictures show the stored values."""
    return FORMATS.get(format.name.replace("_SRGB", "_UNORM"), format)


def image_of(resource: Texels, level: int, layer: int, scale: Scale) -> Image:
    """`Resource.picture` as an image of Pillow."""
    from PIL import Image

    return Image.fromarray(picture_of(resource, level, layer, scale))


def save(resource: Texels, file: Any, level: int, layer: int, scale: Scale) -> None:
    """`Resource.save`."""
    image = image_of(resource, level, layer, scale)
    if not isinstance(file, (str, os.PathLike)):
        if not hasattr(file, "write"):
            raise TypeError(f"save: file: expected the name of a file, or a binary file, not {type(file).__name__}")
        _check_alpha(resource, image)
        image.save(file, "PNG")
        return
    _check_alpha(resource, image)
    suffix = PurePath(os.fspath(file)).suffix.lower()
    if suffix in _OPAQUE and image.mode == "RGBA":
        image = image.convert("RGB")
    try:
        image.save(file)
    except (ValueError, KeyError):
        raise ValueError(f"save: file: {suffix or 'no suffix'} is not a format of pictures that can be written; .png is one") from None


def _check_alpha(resource: Texels, image: Image) -> None:
    """Warn of a picture that is transparent everywhere, if the screen validates."""
    if resource.screen.validates and image.mode == "RGBA" and image.getchannel("A").getbbox() is None:
        text = "save: alpha is 0 in every pixel, so viewers show nothing: clear with alpha 1, write alpha 1, or save pixels()[..., :3]"
        warnings.warn(text, ValidationWarning, stacklevel=4)


def show(resource: Texels, level: int, layer: int, scale: Scale) -> None:
    """`Resource.show`."""
    image = image_of(resource, level, layer, scale)
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python is not None else None
    if shell is not None and hasattr(shell, "kernel"):
        sys.modules["IPython.display"].display(image)
        return
    from PIL import ImageShow

    if not ImageShow.show(image, title=repr(resource)):
        raise OSError("show: the system has no viewer for pictures; save(...) writes a file")


def png(resource: Texels) -> bytes:
    """Level 0, layer 0 as a PNG. Depths go from black, the least one, to white."""
    file = io.BytesIO()
    image_of(resource, 0, 0, _depths_of(resource) if resource.plain_format.has_depth else None).save(file, "PNG")
    return file.getvalue()


def stencil_png(resource: Texels) -> bytes:
    """The stencil of level 0, layer 0 as a PNG, from black to white."""
    from PIL import Image

    values = unpack_stencil(resource.plain_format, _blocks(resource, 0, 0, None, "picture")[0])
    most = max(1, int(values.max()))
    file = io.BytesIO()
    Image.fromarray((values.astype(np.uint32) * 255 // most).astype(np.uint8)).save(file, "PNG")
    return file.getvalue()


def _depths_of(resource: Texels) -> Scale:
    """The least and the greatest depth of level 0, layer 0; None if they are the same."""
    depths = unpack_depth(resource.plain_format, _blocks(resource, 0, 0, None, "picture")[0])
    finite = depths[np.isfinite(depths)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    return (low, high) if low < high else None
