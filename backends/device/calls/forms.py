"""Encodings of arguments as words of a recording: each form writes a value and reads it back.

Writing raises TypeError or ValueError for a value that the form cannot encode; such calls are recorded as tagged values.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from backends.device.calls.errors import WordError
from backends.pipe.checks import flags
from backends.pipe.enums import lookup
from tgsi.language.record import record

HandleOf = Callable[[Any], int | None]
"""The handle of an object; None for an object without one."""
ObjectOf = Callable[[int], Any]
"""The object of a handle, None for 0; WordError for an unknown handle."""

U32 = (1 << 32) - 1
_EXACT = 1 << 53
"""Integers below this are exact as 64-bit floats."""


@record
class Form:
    """A form of words.

    argument: the value's name. names: of the words, `group`: of words that repeat until the command ends. write: the words of a value.
    read: the value of as many words as `names`; with a group, of all following words.
    """

    argument: str
    names: tuple[str, ...]
    write: Callable[[Any, HandleOf], bytes]
    read: Callable[[memoryview, ObjectOf], Any]
    group: tuple[str, ...] = ()


def _words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def _checked(value: Any, most: int) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 0 <= value <= most:
        raise ValueError(value)
    return int(value)


def number(argument: str, word: str = "", *, most: int = U32) -> Form:
    """A word: an integer up to `most`."""
    return Form(argument, (word or argument,), lambda value, _: _words(_checked(value, most)), lambda words, _: words[0])


def signed(argument: str) -> Form:
    """A word: a signed 32-bit integer."""
    return Form(argument, (argument,), lambda value, _: struct.pack("<i", value), lambda words, _: words[0] - (words[0] >> 31 << 32))


def truth(argument: str) -> Form:
    """A word: 1 for true, 0 for false."""
    return Form(argument, (argument,), lambda value, _: _words(bool(value)), lambda words, _: bool(words[0]))


def _two(value: Any) -> list[int]:
    if len(value) != 2:
        raise ValueError(value)
    return [_checked(item, U32) for item in value]


def pair(argument: str, first: str, second: str) -> Form:
    """Two words: two integers."""
    return Form(
        argument,
        (first, second),
        lambda value, _: _words(*_two(value)),
        lambda words, _: (words[0], words[1]),
    )


def member(argument: str, word: str, kind: Any, *, is_set: bool = False) -> Form:
    """A word: a member of an enumeration, or with `is_set` a set of flags."""
    find: Callable[..., Any] = flags if is_set else lookup
    return Form(argument, (word,), lambda value, _: _words(int(find(kind, value, argument))), lambda words, _: words[0])


def one_of(word: str, *allowed: int) -> Form:
    """A word without an argument: writes the first of `allowed`, accepts any of them."""

    def read(words: memoryview, _: ObjectOf) -> None:
        if words[0] not in allowed:
            raise WordError(f"{word}: {words[0]} is not one of {', '.join(map(str, allowed))}")

    return Form("", (word,), lambda value, _: _words(allowed[0]), read)


def handle(argument: str, word: str = "", *, is_buffer: bool = False, is_needed: bool = False) -> Form:
    """A word: the handle of an object, 0 for None. is_buffer: only living buffers are accepted. is_needed: None is refused."""

    def write(value: Any, handle_of: HandleOf) -> bytes:
        value_handle = 0 if value is None else handle_of(value)
        is_wrong = is_buffer and value is not None and (not getattr(value, "is_buffer", False) or value.is_destroyed)
        if value_handle is None or is_wrong or (is_needed and value is None):
            raise TypeError(value)
        return _words(value_handle)

    def read(words: memoryview, object_of: ObjectOf) -> Any:
        thing = object_of(words[0])
        if thing is None and is_needed:
            raise WordError("0 is not a handle of an object")
        return thing

    return Form(argument, (word or argument,), write, read)


def _is_exact(value: Any) -> bool:
    return type(value) is float or (type(value) is int and -_EXACT < value < _EXACT)


def doubles(argument: str, names: str) -> Form:
    """Two words for each name: 64-bit floats, the lower word first."""
    count = len(names.split())

    def write(value: Any, _: HandleOf) -> bytes:
        numbers = list(value)
        if len(numbers) != count or not all(map(_is_exact, numbers)):
            raise ValueError(value)
        return struct.pack(f"<{count}d", *numbers)

    words = tuple(f"{name}{half}" for name in names.split() for half in ("", "_high"))
    return Form(argument, words, write, lambda words, _: struct.unpack(f"<{count}d", words))


def double(argument: str) -> Form:
    """Two words: a 64-bit float."""
    form = doubles(argument, argument)
    return Form(argument, form.names, lambda value, of: form.write([value], of), lambda words, of: form.read(words, of)[0])


def handles(argument: str, word: str, *, most: int) -> Form:
    """A word for each object of a list, until the command ends."""
    one = handle(argument, word)

    def write(value: Any, handle_of: HandleOf) -> bytes:
        return b"".join(one.write(item, handle_of) for item in _sequence(value, most))

    def read(words: memoryview, object_of: ObjectOf) -> list[Any]:
        return [one.read(words[at : at + 1], object_of) for at in range(len(words))]

    return Form(argument, (), write, read, (word,))


def _sequence(value: Any, most: int) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)) or len(value) > most:
        raise TypeError(value)
    return value


def each(argument: str, kind: type[Any], *parts: Form, most: int, is_mapping: bool = False) -> Form:
    """Words for each template of a list until the command ends.

    is_mapping: items are read as mappings, and None where the last part, a handle, is 0.
    """
    group = tuple(name for part in parts for name in part.names)

    def write(value: Any, handle_of: HandleOf) -> bytes:
        return b"".join(write_one(item, handle_of) for item in _sequence(value, most))

    def write_one(item: Any, handle_of: HandleOf) -> bytes:
        if is_mapping and item is None:
            return bytes(4 * len(group))
        template = item if type(item) is kind else kind(**item) if isinstance(item, Mapping) else kind(item)
        return b"".join(part.write(getattr(template, part.argument) or 0, handle_of) for part in parts)

    def read(words: memoryview, object_of: ObjectOf) -> list[Any]:
        return [read_one(words[at : at + len(group)], object_of) for at in range(0, len(words), len(group))]

    def read_one(words: memoryview, object_of: ObjectOf) -> Any:
        if is_mapping and not words[-1]:
            return None
        values = read_all(parts, words, object_of)
        return {field.name: values[field.name] for field in fields(kind)} if is_mapping else kind(**values)

    return Form(argument, (), write, read, group)


def data(argument: str, *, most: int) -> Form:
    """Bytes until the command ends, whole words; None without any."""

    def write(value: Any, _: HandleOf) -> bytes:
        content = b"" if value is None else bytes(memoryview(value).cast("B"))
        if len(content) > most or len(content) % 4 or (value is not None and not content):
            raise ValueError(len(content))
        return content

    return Form(argument, (), write, lambda words, _: bytes(words.cast("B")) or None, ("data",))


def counted(argument: str, *, most: int) -> Form:
    """The number of bytes, then the bytes, padded to whole words, until the command ends."""

    def write(value: Any, _: HandleOf) -> bytes:
        content = bytes(memoryview(value).cast("B"))
        if len(content) > most:
            raise ValueError(len(content))
        return _words(len(content)) + content + bytes(-len(content) % 4)

    def read(words: memoryview, _: ObjectOf) -> bytes:
        size, count = words[0], len(words) - 1
        if -(-size // 4) != count:
            raise WordError(f"bytes: {size} bytes are {-(-size // 4)} words, not {count}")
        return bytes(words[1:].cast("B"))[:size]

    return Form(argument, ("bytes",), write, read, ("data",))


def read_all(forms: Sequence[Form], words: memoryview, object_of: ObjectOf) -> dict[str, Any]:
    """The values of all forms by argument."""
    values, at = {}, 0
    for form in forms:
        end = len(words) if form.group else at + len(form.names)
        values[form.argument] = form.read(words[at:end], object_of)
        at = end
    return values
