"""The caller's memory: numbers and texts at pointers. A null pointer reads as zeros or empty, and is never written."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Sequence
from typing import Any

Pointer = int | None
"""An address as passed by ctypes; None is the null pointer."""


def read(address: Pointer, size: int) -> bytes:
    """A copy of `size` bytes; zeros for a null pointer."""
    if not address:
        return bytes(size)
    return ctypes.string_at(address, size)


def view(address: int, size: int) -> memoryview:
    """The memory itself, writable."""
    return memoryview((ctypes.c_uint8 * size).from_address(address)).cast("B")


def numbers(letter: str, address: Pointer, count: int) -> tuple[Any, ...]:
    """`count` numbers of a struct letter: f, i, I, d, h, H, b, B, q, Q."""
    if not address or count <= 0:
        return (0,) * max(count, 0)
    return struct.unpack(f"={count}{letter}", ctypes.string_at(address, count * struct.calcsize(f"={letter}")))


def floats(address: Pointer, count: int) -> tuple[float, ...]:
    """`count` floats."""
    return numbers("f", address, count)


def ints(address: Pointer, count: int) -> tuple[int, ...]:
    """`count` signed integers."""
    return numbers("i", address, count)


def uints(address: Pointer, count: int) -> tuple[int, ...]:
    """`count` unsigned integers."""
    return numbers("I", address, count)


def write(letter: str, address: Pointer, values: Iterable[Any]) -> None:
    """Numbers of a struct letter, one after the other. Integers beyond the type wrap."""
    items = list(values)
    if not address or not items:
        return
    if letter not in "fd":
        bits = 8 * struct.calcsize(f"={letter}")
        letter, items = letter.upper(), [int(item) & ((1 << bits) - 1) for item in items]
    ctypes.memmove(address, struct.pack(f"={len(items)}{letter}", *items), len(items) * struct.calcsize(f"={letter}"))


def over_range(values: Iterable[float]) -> list[int]:
    """Numbers of -1 .. 1 as integers over the whole range of 32 bits."""
    return [round(min(1.0, max(-1.0, value)) * ((1 << 31) - 1)) for value in values]


def write_bytes(address: Pointer, data: bytes | bytearray | memoryview) -> None:
    """Write bytes."""
    if address and len(data):
        ctypes.memmove(address, bytes(data), len(data))


def text(address: Pointer, length: int = -1) -> str:
    """A string of `length` bytes, or up to its zero."""
    if not address:
        return ""
    raw = ctypes.string_at(address) if length < 0 else ctypes.string_at(address, length)
    return raw.decode("utf-8", "replace")


def texts(count: int, strings: Pointer, lengths: Pointer) -> list[str]:
    """Strings of an array of pointers, with an optional array of lengths (negative: up to the zero)."""
    places = numbers("Q" if ctypes.sizeof(ctypes.c_void_p) == 8 else "I", strings, count)
    sizes: Sequence[int] = ints(lengths, count) if lengths else (-1,) * count
    return [text(place, size) for place, size in zip(places, sizes, strict=True)]


def write_text(value: str, size: int, length: Pointer, into: Pointer) -> None:
    """Write at most `size` bytes of a string including its null, and the length without it."""
    raw = value.encode()[: max(size - 1, 0)]
    if into and size > 0:
        ctypes.memmove(into, raw + b"\0", len(raw) + 1)
    write("i", length, [len(raw) if into and size > 0 else 0])
