"""Numbers of shader_runner's commands: floats as bits, vectors, matrices by columns, arrays."""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np

_TYPE = re.compile(r"(?:(float|double|int|uint|int64_t|uint64_t|bool)|(d|i|u|b|i64|u64)?(vec|mat)([2-4])(?:x([2-4]))?)((?:\[\d*\])*)")
_PREFIXES = {None: "float", "d": "double", "i": "int", "u": "uint", "b": "bool", "i64": "int64_t", "u64": "uint64_t"}


def number(text: str, scalar: str) -> float:
    """The number that a word means in a type. Floats may be given as the bits of their encoding."""
    if scalar in ("float", "double"):
        text = text.rstrip("uU") if text[:-1].isdigit() else text
        low = text.lower().rstrip("f") if not text.lower().startswith(("0x", "-0x")) else text.lower()
        if low.startswith("0x"):
            bits = int(low, 16)
            return float(
                struct.unpack("<f", struct.pack("<I", bits))[0] if scalar == "float" else struct.unpack("<d", struct.pack("<Q", bits))[0]
            )
        value = float(low if low not in ("in", "-in") else low + "f")
        with np.errstate(over="ignore"):
            return float(np.float32(value)) if scalar == "float" else value
    text = text.rstrip("uU") if not text.lower().startswith("0x") else text
    value = int(text, 0) if re.fullmatch(r"[-+]?(0[xX][0-9a-fA-F]+|[1-9]\d*|0)", text) else int(float(text))
    width = 64 if "64" in scalar else 32
    value &= (1 << width) - 1
    return value - (1 << width) if not scalar.startswith("u") and value >> width - 1 else value


def shaped(kind: str, words: list[str]) -> Any:
    """Numbers of a type as `Context.set_uniforms` takes them: rows of matrices outside. ValueError for an unknown type."""
    found = _TYPE.fullmatch(kind)
    if found is None:
        raise ValueError(f"type {kind}")
    scalar = found[1] or _PREFIXES[found[2]]
    columns = int(found[4]) if found[3] == "mat" else 1
    rows = (int(found[5] or found[4]) if found[3] == "mat" else int(found[4])) if found[3] else 1
    values = [number(word, scalar) for word in words]
    size = rows * columns
    values += [0] * (-len(values) % size)  # numbers missing at the end of a command read as 0
    items: list[Any] = []
    for first in range(0, len(values), size):
        item = values[first : first + size]
        if columns > 1:
            items.append([[item[column * rows + row] for column in range(columns)] for row in range(rows)])
        else:
            items.append(item if rows > 1 else item[0])
    return items if found[6] else items[0]


def floats(text: str) -> list[float]:
    """All numbers of a text, whatever stands between them."""
    return [number(word, "float") for word in re.split(r"[\s(),;]+", text) if word]
