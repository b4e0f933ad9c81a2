"""Input data of ``--run``: numbers, textures and samplers from files or from the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tgsi.tools.parsing import reason

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from backends.formats import Format
    from backends.pipe.state import SamplerState
    from backends.run.textures import TextureData

T = TypeVar("T")
MAX_BYTES = 256 << 20
_INLINE = re.compile(r"\s*[\[{]|\s*-?\d[\d.]*([eE][-+]?\d+)?\s*\Z")

_SWIZZLES = {"0": "ZERO", "1": "ONE"}


class ArgumentsError(Exception):
    """Data that a program cannot be run with. The message names the option."""


def read_numbers(option: str, text: str) -> NDArray[Any]:
    """Array of a .npy, .json or .bin file (bytes), of JSON text, or of ``zeros:BYTES``; a prefix ``float:`` or ``int:`` converts."""
    import numpy as np

    kind, colon, rest = text.partition(":")
    if colon and kind == "zeros":
        if not rest.isascii() or not rest.isdecimal() or int(rest) > MAX_BYTES:
            raise ArgumentsError(f"{option}: {text[:80]}: expected zeros:BYTES, at most {MAX_BYTES}")
        return np.zeros(int(rest), np.uint8)
    if colon and kind in ("float", "int"):
        numbers = read_numbers(option, rest)
        with np.errstate(all="ignore"):
            return numbers.astype(np.float32 if kind == "float" else np.int64)
    return _guarded(option, text, lambda: _read(option, text))


def _read(option: str, text: str) -> NDArray[Any]:
    import numpy as np

    from backends.run.words import read_array

    if _INLINE.match(text):
        return np.atleast_1d(read_array(json.loads(text)))
    path = _small(option, text)
    if path.suffix == ".npy":
        try:
            return read_array(path)
        except (ValueError, EOFError):
            raise ValueError("this is no .npy file of numbers") from None
    if path.suffix == ".bin":
        return np.fromfile(path, np.uint8)
    return np.atleast_1d(read_array(json.loads(path.read_text(encoding="utf-8"))))


def _small(option: str, text: str) -> Path:
    if not text.strip():
        raise ArgumentsError(f"{option}: there is no data")
    path = Path(text)
    if path.is_char_device() or path.is_block_device():  # a device may have no end
        raise ArgumentsError(f"{option}: {text[:80]}: this is a device, not a file")
    if path.stat().st_size > MAX_BYTES:
        raise ArgumentsError(f"{option}: {text}: larger than {MAX_BYTES >> 20} MiB")
    return path


def _guarded(option: str, text: str, read: Callable[[], T]) -> T:
    """Call `read`; convert its errors to an ArgumentsError that names the option and the text."""
    try:
        return read()
    except OSError as error:
        raise ArgumentsError(f"{option}: {text[:80]}: {reason(error)}") from None
    except json.JSONDecodeError as error:
        raise ArgumentsError(f"{option}: {text[:80]}: this is not JSON: {error}") from None
    except (ValueError, TypeError, OverflowError, RecursionError, EOFError) as error:
        raise ArgumentsError(f"{option}: {text[:80]}: {error}") from None


def looks_like_words(text: str, array: NDArray[Any]) -> bool:
    """True for JSON text of small whole numbers. Such numbers are taken as words; read as floats they would be denormal."""
    return (
        not text.startswith("int:")
        and not text.endswith((".npy", ".bin"))
        and array.dtype.kind in "iu"
        and bool(array.size)
        and 0 < int(array.max()) < 1 << 23
    )


def read_items(option: str, entries: Sequence[str], read: Callable[[str, str], Any]) -> dict[str, Any]:
    """Read ``KEY=DATA`` options into a dictionary. Raises ArgumentsError for a missing or repeated key."""
    items: dict[str, Any] = {}
    for text in entries:
        key, equals, data = text.partition("=")
        if not equals or not key:
            raise ArgumentsError(f"{option} {text[:40]}: expected KEY=DATA, as in {option} 0=data.npy")
        if key in items:
            raise ArgumentsError(f"{option}: {key} is given twice")
        items[key] = read(f"{option} {key}", data)
    return items


def read_numbered(option: str, entries: Sequence[str], read: Callable[[str, str], Any]) -> dict[int, Any]:
    """Read ``KEY=DATA`` options with numbers as keys, like `read_items`."""
    items = read_items(option, entries, read)
    for key in items:
        if not (key.isascii() and key.isdecimal()):
            raise ArgumentsError(f"{option} {key[:40]}=: expected a number before the sign, as in {option} 0=data.npy")
    return {int(key): item for key, item in items.items()}


def read_triple(option: str, text: str) -> tuple[int, int, int]:
    """Three numbers of ``8``, ``8x4`` or ``8x4x1`` (or with commas); missing ones are 1."""
    parts = re.split(r"[x,]", text.strip())
    if len(parts) > 3 or not all(part.isascii() and part.isdecimal() for part in parts):
        raise ArgumentsError(f"{option}: {text[:40]}: expected one to three whole numbers, as 8x4x1")
    x, y, z = [*map(int, parts), 1, 1][:3]
    return x, y, z


def read_sampler(option: str, text: str) -> SamplerState:
    """Sampler of a JSON object with its fields, or of words: linear, nearest, mipmap, and a wrap mode such as repeat or clamp_to_edge."""
    from backends.pipe.checks import make
    from backends.pipe.enums import TexWrap
    from backends.pipe.state import SamplerState

    fields: dict[str, Any] = {}
    if text.lstrip().startswith("{"):
        fields = _guarded(option, text, lambda: json.loads(text))
    else:
        for word in filter(None, (word.strip().upper() for word in text.split(","))):
            if word in ("LINEAR", "NEAREST"):
                fields |= {"min_img_filter": word, "mag_img_filter": word}
            elif word == "MIPMAP":
                fields["min_mip_filter"] = "LINEAR"
            elif word in TexWrap.__members__:
                fields |= {"wrap_s": word, "wrap_t": word, "wrap_r": word}
            else:
                names = ", ".join(["linear", "nearest", "mipmap", *(name.lower() for name in TexWrap.__members__)])
                raise ArgumentsError(
                    f"{option}: unknown word `{word.lower()[:40]}`; a sampler is words of {names}, or a JSON object of its fields"
                )
    return _guarded(option, text, lambda: make(SamplerState, None, fields, "sampler"))


def read_texture(option: str, text: str) -> TextureData:
    """Texture of a picture file (RGBA8), of ``FORMAT:DATA``, or of a JSON object with `format`, `levels` (of DATA), `samples` and
    `swizzle`.

    DATA holds numbers of shape (layers, height, width, 4), red first. Two axes give one layer, one axis one layer of one row. A uint8
    array whose last axis is the format's bytes per texel is used unchanged.
    """
    from backends.formats import Format, find_format
    from backends.pipe.enums import Swizzle, lookup
    from backends.run.textures import TextureData

    def from_object() -> TextureData:
        fields = json.loads(text)
        if unknown := set(fields) - {"format", "levels", "samples", "swizzle"}:
            raise ValueError(f"unknown key {', '.join(sorted(unknown))}; it has format, levels, samples and swizzle")
        if not isinstance(fields.get("format"), str) or not isinstance(fields.get("levels"), list):
            raise ValueError("expected `format` (a name) and `levels` (a list of data)")
        kind = find_format(fields["format"])
        levels = [data if isinstance(data, str) else json.dumps(data) for data in fields["levels"]]
        letters, samples = fields.get("swizzle", "xyzw"), fields.get("samples", 1)
        if not isinstance(letters, str) or len(letters) != 4 or not isinstance(samples, int):
            raise ValueError("`swizzle` has four letters of xyzw01, `samples` is a whole number")
        x, y, z, w = (lookup(Swizzle, _SWIZZLES.get(letter, letter.upper()), "swizzle") for letter in letters)
        return TextureData(kind, tuple(_texels(option, kind, data) for data in levels), (x, y, z, w), samples)

    if text.lstrip().startswith("{"):
        return _guarded(option, text, from_object)
    name, colon, data = text.partition(":")
    if colon and not Path(text).exists():
        kind = _guarded(option, text, lambda: find_format(name))
        return TextureData(kind, (_texels(option, kind, data),))
    return _guarded(option, text, lambda: TextureData(Format.R8G8B8A8_UNORM, (_picture(option, text),)))


def _picture(option: str, text: str) -> NDArray[Any]:
    import numpy as np
    from PIL import Image

    with Image.open(_small(option, text)) as picture:
        return np.array(picture.convert("RGBA"), np.uint8)[None]


def _texels(option: str, kind: Format, text: str) -> NDArray[Any]:
    import numpy as np

    from backends.formats.arrays import pack, pack_depth_stencil

    match = re.fullmatch(r"zeros:(\d+(?:[x,]\d+){0,2})", text)
    if match:
        width, height, layers = read_triple(option, match[1])
        if width * height * layers * kind.block_bytes > MAX_BYTES:
            raise ArgumentsError(f"{option}: {text}: larger than {MAX_BYTES >> 20} MiB")
        return np.zeros((layers, height, width, kind.block_bytes), np.uint8)
    values = read_numbers(option, text)
    if values.ndim < 2 and not kind.is_depth_stencil:
        raise ArgumentsError(f"{option}: texels must have shape (layers, height, width, 4), or fewer axes, not {values.shape}")
    if kind.is_depth_stencil:
        shape = ((1,) * (3 - values.ndim) + values.shape)[-3:]
        if values.ndim > 3:
            raise ArgumentsError(f"{option}: depths must have shape (layers, height, width), not {values.shape}")
        return pack_depth_stencil(kind, values.reshape(-1).astype(np.float32), None).reshape(*shape, kind.block_bytes)
    shape = ((1,) * (4 - values.ndim) + values.shape)[-4:]
    if values.ndim > 4 or shape[3] not in (4, kind.block_bytes if values.dtype == np.uint8 else 4):
        raise ArgumentsError(f"{option}: texels must have shape (layers, height, width, 4), or fewer axes, not {values.shape}")
    if values.dtype == np.uint8 and shape[3] == kind.block_bytes:
        return np.ascontiguousarray(values.reshape(shape))
    types = {"float": np.float32, "uint": np.uint32, "sint": np.int32}
    with np.errstate(all="ignore"):
        return pack(kind, values.reshape(-1, 4).astype(types[kind.kind])).reshape(*shape[:3], kind.block_bytes)
