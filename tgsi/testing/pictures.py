"""Pictures as tests give them, as exact arrays with a digest, and in files that keep every bit."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tgsi.language.record import record

_KINDS = "uif"


@record(eq=False, kw_only=True)
class Picture:
    """A picture: (height, width) or (height, width, channels) of numbers. `shown` is its view for people, uint8, gray, RGB or RGBA."""

    array: NDArray[Any]
    shown: NDArray[np.uint8]

    @property
    def digest(self) -> str:
        """SHA-256 of type, shape and numbers, in hexadecimal: of decoded pixels, so that no encoder of PNG matters."""
        array = np.ascontiguousarray(self.array.astype(self.array.dtype.newbyteorder("<"), copy=False))
        begin = f"{array.dtype.str} {'x'.join(map(str, array.shape))}\n"
        return hashlib.sha256(begin.encode() + array.tobytes()).hexdigest()

    @property
    def is_png(self) -> bool:
        """True if a PNG keeps the numbers: bytes of gray, RGB or RGBA."""
        return self.array.dtype == np.uint8 and (self.array.ndim == 2 or self.array.shape[2] in (3, 4))

    def png(self) -> bytes:
        """The view for people as a PNG."""
        file = io.BytesIO()
        Image.fromarray(self.shown).save(file, "PNG")
        return file.getvalue()


def picture_of(value: Any, call: str = "assert_image") -> Picture:
    """The picture of a resource, an array or an image of Pillow. A resource of layers or levels is given by its first ones.

    Raises:
        TypeError: the value is not a picture, or its elements are not numbers of 8 to 64 bits.
        ValueError: the array has no pixels, or not the axes of a picture; a buffer.
    """
    if isinstance(value, Image.Image):
        plain = value if value.mode in ("L", "RGB", "RGBA", "I;16", "I", "F") else value.convert("RGBA" if "A" in value.mode else "RGB")
        return _of_array(np.asarray(plain), call)
    if hasattr(value, "picture") and hasattr(value, "pixels"):  # a Resource
        shown = value.picture()
        pixels = value.pixels()
        if pixels.dtype == np.uint8 and pixels.ndim == 3 and shown.ndim == 3:
            return Picture(array=shown, shown=shown)  # the same numbers, red first
        if pixels.ndim not in (2, 3) or pixels.size == 0 or (pixels.ndim == 3 and pixels.shape[2] > 4):
            raise ValueError(f"{call}: {value!r} has layers; give one of them: resource.pixels()[layer]")
        return Picture(array=pixels, shown=shown)
    if not hasattr(value, "__array_interface__") and not hasattr(value, "__array__") and not hasattr(value, "__dlpack__"):
        raise TypeError(f"{call}: expected a resource, an array or an image of Pillow, not {type(value).__name__}")
    array = np.asarray(value) if hasattr(value, "__array_interface__") or hasattr(value, "__array__") else np.from_dlpack(value)
    return _of_array(array, call)


def _of_array(array: NDArray[Any], call: str) -> Picture:
    if array.dtype == np.bool_:
        array = array.astype(np.uint8) * np.uint8(255)
    if array.dtype.kind not in _KINDS:
        raise TypeError(f"{call}: expected an array of numbers, not of {array.dtype}")
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[..., 0]
    if array.ndim not in (2, 3) or array.size == 0 or (array.ndim == 3 and array.shape[2] > 4):
        raise ValueError(f"{call}: expected an array of (height, width) or (height, width, 2 to 4), not of {array.shape}")
    return Picture(array=array, shown=_view(array))


def _view(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Bytes for people: floats from 0 to 1, whole numbers from 0 to their largest, clamped. Two channels get a third of 0."""
    if array.dtype != np.uint8:
        whole = 1.0 if array.dtype.kind == "f" else float(np.iinfo(array.dtype).max)
        with np.errstate(all="ignore"):
            wide = np.nan_to_num(array.astype(np.float64) / whole, nan=0.0, posinf=1.0, neginf=0.0)
        array = np.rint(np.clip(wide, 0.0, 1.0) * 255.0).astype(np.uint8)
    if array.ndim == 3 and array.shape[2] == 2:
        array = np.concatenate([array, np.zeros_like(array[..., :1])], axis=2)
    return np.ascontiguousarray(array)


def read(path: Path) -> Picture:
    """The picture of a PNG, or of an array next to it (``.npy``) if a PNG cannot store the numbers. OSError, ValueError."""
    exact = path.with_suffix(".npy")
    if exact.exists():
        return _of_array(np.load(exact, allow_pickle=False), str(exact))
    with Image.open(path) as image:
        return picture_of(image, str(path))
