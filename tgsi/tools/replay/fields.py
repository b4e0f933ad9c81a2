"""Checks for the values in a scene file. Each check takes a value and its place, and returns the type that the player uses."""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar

from backends.formats import Format, find_format
from backends.pipe.enums import lookup
from tgsi.language.diagnostics import TgsiError

E = TypeVar("E", bound=Enum)

Check = Callable[[object, str], Any]
"""Function of a JSON value and a text that names its place. Returns the converted value or raises SceneError."""

MAX_BYTES = 1 << 28
"""Largest number of bytes that a scene may allocate in total."""

MAX_TEXT = 1 << 20
"""Largest number of characters in a string, such as a shader."""


class SceneError(TgsiError):
    """Error in a scene file. The message gives the fault and its place."""


def wrong(place: str, wanted: str, value: object) -> SceneError:
    """SceneError for a `value` that is of another type than `wanted`."""
    shown = repr(value)
    return SceneError(f"{place}: expected {wanted}, not {shown if len(shown) <= 40 else shown[:36] + ' ...'}")


def integer(low: int, high: int) -> Check:
    """Check for an int of low .. high; true and false count as 1 and 0."""

    def check(value: object, place: str) -> int:
        if not isinstance(value, int):
            raise wrong(place, "an integer", value)
        if not low <= value <= high:
            raise SceneError(f"{place}: {value if abs(value) < 10**12 else 'the number'} is out of range {low} .. {high}")
        return int(value)

    return check


def boolean(value: object, place: str) -> bool:
    """Check for true, false, 1 or 0."""
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise wrong(place, "0 or 1", value)


def number(value: object, place: str) -> float:
    """Check for a number in the range of float32, including infinities and NaN, which API calls may pass, too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(place, "a number", value)
    try:
        struct.pack("<f", value)
    except (OverflowError, struct.error):
        raise SceneError(f"{place}: the number is beyond float32") from None
    return float(value)


def string(value: object, place: str) -> str:
    """Check for a string of at most MAX_TEXT characters."""
    if not isinstance(value, str):
        raise wrong(place, "a string", value)
    if len(value) > MAX_TEXT:
        raise SceneError(f"{place}: {len(value)} characters, more than {MAX_TEXT}")
    return value


def list_of(item: Check, least: int = 0, most: int = 1 << 16) -> Check:
    """Check for a list of `least` .. `most` items; returns a tuple."""
    count = f"{least}" if least == most else f"{least} to {most}"

    def check(value: object, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise wrong(place, "a list", value)
        if not least <= len(value) <= most:
            raise SceneError(f"{place}: expected {count} entries, not {len(value)}")
        return tuple(item(v, f"{place}[{k}]") for k, v in enumerate(value))

    return check


def floats(count: int) -> Check:
    """Check for a list of `count` numbers."""
    return list_of(number, count, count)


def optional(check: Check) -> Check:
    """Check for null or a value that `check` accepts."""
    return lambda value, place: None if value is None else check(value, place)


def enumeration(kind: type[E]) -> Check:
    """Check for a member of a Gallium enumeration, by name (with or without its C prefix) or number."""

    def check(value: object, place: str) -> E:
        if isinstance(value, bool):
            value = int(value)
        if not isinstance(value, int | str):
            raise wrong(place, f"a {kind.__name__}", value)
        try:
            return lookup(kind, value, place)
        except ValueError as error:
            raise SceneError(str(error)) from None

    return check


def pixel_format(value: object, place: str) -> Format:
    """Check for the name of a pixel format."""
    try:
        return find_format(string(value, place))
    except ValueError as error:
        raise SceneError(f"{place}: {error}") from None


def binary(value: object, place: str) -> bytes:
    """Check for bytes written as hexadecimal digits."""
    if not isinstance(value, str):
        raise wrong(place, "hexadecimal digits", value)
    if len(value) > 2 * MAX_BYTES:
        raise SceneError(f"{place}: more than {MAX_BYTES} bytes")
    try:
        return bytes.fromhex(value)
    except ValueError:
        raise SceneError(f"{place}: these are not pairs of hexadecimal digits") from None


def hex_word(value: object, place: str) -> int:
    """Check for a 32-bit word: 8 hexadecimal digits, or an integer."""
    if isinstance(value, str):
        try:
            value = int(value, 16)
        except ValueError:
            raise SceneError(f"{place}: this is not a hexadecimal number") from None
    word: int = integer(0, 0xFFFFFFFF)(value, place)
    return word


def words(count: int) -> Check:
    """Check for `count` 32-bit words: a list of them, or one string of 8 digits each."""
    many = list_of(hex_word, count, count)

    def check(value: object, place: str) -> tuple[int, ...]:
        if isinstance(value, str):
            digits = "".join(value.split())
            value = [digits[k : k + 8] for k in range(0, len(digits), 8)]
        items: tuple[int, ...] = many(value, place)
        return items

    return check


def members(**checks: Check) -> Check:
    """Check for an object that has all of these fields; other fields are ignored."""

    def check(value: object, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise wrong(place, "an object", value)
        for name in checks:
            if name not in value:
                raise SceneError(f"{place}: the field {name!r} is missing")
        return {name: c(value[name], f"{place}.{name}") for name, c in checks.items()}

    return check
