"""Values of calls as short texts for the page."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from backends.gallium.tracing.printing import Handle
from backends.pipe.enums import Clear, Prim, ShaderType, TextureTarget

_MOST_WORDS = 64
"""Most shown words of bytes and arrays."""
_MOST_TEXT = 400
_KINDS: dict[str, Any] = {"mode": Prim, "buffers": Clear, "stage": ShaderType, "target": TextureTarget}
"""Enumerations of arguments, by name."""
Names = Callable[[int], str]


def text_of(value: Any, name: Names) -> str:
    """A value in one line."""
    text = _text(value, name)
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


def _text(value: Any, name: Names) -> str:
    if isinstance(value, Handle):
        return name(value.number)
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, bool) or value is None:
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, (bytes, bytearray)):
        return bytes_text(bytes(value))
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        return f"{array.dtype} {list(array.shape)}: {bytes_text(array.tobytes())}" if array.ndim else str(array[()])
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(item, name)}" for key, item in value.items())
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(_text(item, name) for item in value[:_MOST_WORDS]) + "]"
    if is_dataclass(value) and not isinstance(value, type):
        return ", ".join(f"{item.name} {_text(getattr(value, item.name), name)}" for item in fields(value))
    return str(value)


def bytes_text(data: bytes) -> str:
    """Bytes as 32-bit floats."""
    shown = data[: min(len(data), 4 * _MOST_WORDS) // 4 * 4]
    numbers = " ".join(f"{value:.6g}" for (value,) in struct.iter_unpack("<f", shown))
    more = " …" if len(data) > len(shown) else ""
    return f"{len(data)} bytes: {numbers}{more}" if numbers else f"{len(data)} bytes {data.hex()}"


def fields_of(value: Any, name: Names, prefix: str = "") -> dict[str, str]:
    """The parts of a value by their paths, as texts: those of records and mappings, and of lists of them."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {item.name: getattr(value, item.name) for item in fields(value)}
    if isinstance(value, Mapping):
        parts: dict[str, str] = {}
        for key, item in value.items():
            parts |= fields_of(item, name, f"{prefix}.{key}" if prefix else str(key))
        return parts
    if isinstance(value, (tuple, list)) and any(isinstance(item, Mapping) or is_dataclass(item) for item in value):
        parts = {}
        for k, item in enumerate(value[:_MOST_WORDS]):
            parts |= fields_of(item, name, f"{prefix}[{k}]")
        return parts
    key = prefix.rpartition(".")[2]
    return {prefix or "value": _member(key, value) or text_of(value, name)}


def _member(key: str, value: Any) -> str:
    """The name of a number as a value of a field, or ""."""
    kind = _KINDS.get(key)
    if kind is None or type(value) is not int:
        return ""
    try:
        return kind(value).name or ""
    except ValueError:
        return ""
