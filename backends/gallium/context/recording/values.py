"""Values of arguments as words: a tag, with a small number in its upper 24 bits, and the words of the tag.

Objects are handles. More than INLINE bytes are stored in DATA commands before the call and referred to by number.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from backends.device.calls.errors import Unwritable, WordError
from backends.device.commands.layout import INLINE, MOST_DEPTH, Tag
from backends.formats import AnyFormat, CompressedFormat, Format, find_any_format
from backends.gallium.context.grid_info import GridInfo
from backends.gallium.context.shader_memory import ImageView, ShaderBuffer
from backends.gallium.resource.resource import Box
from backends.gallium.resource.view import FramebufferState
from backends.pipe import state
from frontends.orientation import oriented
from linkage.options import LinkState
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program

RECORDS: tuple[type, ...] = (
    *(state.RenderTargetBlend, state.BlendState, state.DepthState, state.StencilState, state.AlphaState, state.DepthStencilAlphaState),
    *(state.RasterizerState, state.SamplerState, state.VertexElement, state.ViewportState, state.ScissorState, state.BlendColor),
    *(state.StencilRef, state.ClipState, state.PolyStipple, state.DrawInfo, state.StreamOutput, state.StreamOutputInfo),
    *(Box, GridInfo, state.VertexBuffer, ShaderBuffer, ImageView, FramebufferState),
)
"""Records that may be arguments. The number of a record is its place here, so new ones are added at the end."""
_NUMBERS = {kind: number for number, kind in enumerate(RECORDS)}

_KEYS = str, int, float
"""Types of keys of mappings."""
_SMALL = 1 << 24
_I32, _I64, _F64 = struct.Struct("<i"), struct.Struct("<q"), struct.Struct("<d")
_TAG_AND_INT, _TAG_AND_FLOAT = struct.Struct("<Ii"), struct.Struct("<Id")


class ValueWriter:
    """Words of values.

    Attributes:
        words: the written words, as bytes.
        data: blocks for DATA commands.
    """

    def __init__(self, handle_of: Callable[[Any], int | None]) -> None:
        """handle_of: returns the handle of an object, or None for other values."""
        self._handle_of = handle_of
        self.words, self.data = bytearray(), list[bytes]()

    def write(self, value: Any) -> None:
        """Add a value. Unwritable for a value without words."""
        self._write(value, 0)

    def _tag(self, tag: Tag, small: int = 0) -> None:
        if small >= _SMALL:
            raise Unwritable(f"{small} items are too many")
        self.words += (tag | small << 8).to_bytes(4, "little")

    def _write(self, value: Any, depth: int) -> None:
        if depth > MOST_DEPTH:
            raise Unwritable("it is nested too deeply")
        _writer_of(value.__class__)(self, value, depth)

    def nothing(self, value: None, depth: int) -> None:
        """None."""
        self._tag(Tag.NONE)

    def truth(self, value: bool, depth: int) -> None:
        """A boolean."""
        self._tag(Tag.TRUE if value else Tag.FALSE)

    def text(self, value: str, depth: int) -> None:
        """A text."""
        try:
            self._bytes(Tag.TEXT, value.encode())
        except UnicodeEncodeError:
            raise Unwritable("a text with surrogates cannot be recorded") from None

    def format(self, value: AnyFormat, depth: int) -> None:
        """A format by name."""
        self._bytes(Tag.FORMAT, str(value).encode())

    def program(self, value: Program, depth: int) -> None:
        """A program as its text, which omits its interface."""
        self._bytes(Tag.PROGRAM, str(oriented(value)).encode())

    def raw(self, value: bytes, depth: int) -> None:
        """Bytes."""
        self._bytes(Tag.BYTES, value)

    def integer(self, value: int, depth: int) -> None:
        """An integer of at most 64 bits, or a member of an enumeration of integers."""
        number = int(value)
        if -(1 << 31) <= number < 1 << 31:
            self.words += _TAG_AND_INT.pack(Tag.INT, number)
        elif -(1 << 63) <= number < 1 << 63:
            self._tag(Tag.LONG)
            self.words += _I64.pack(number)
        else:
            raise Unwritable(f"the number {number} does not fit 64 bits")

    def real(self, value: float | Decimal | Fraction, depth: int) -> None:
        """A number as a float."""
        self.words += _TAG_AND_FLOAT.pack(Tag.FLOAT, value)

    def record(self, value: Any, depth: int) -> None:
        """One of RECORDS: its fields."""
        self._tag(Tag.RECORD, _NUMBERS[type(value)])
        for item in fields(value):
            self._write(getattr(value, item.name), depth + 1)

    def items(self, value: Sequence[Any], depth: int) -> None:
        """A sequence."""
        self._tag(Tag.LIST if isinstance(value, list) else Tag.TUPLE, len(value))
        for item in value:
            self._write(item, depth + 1)

    def map(self, value: Mapping[Any, Any], depth: int) -> None:
        """A mapping."""
        self._tag(Tag.MAP, len(value))
        for key, item in value.items():
            if not isinstance(key, _KEYS):
                raise Unwritable(f"a mapping with a key of type {type(key).__name__} cannot be recorded")
            self._write(key, depth + 1)
            self._write(item, depth + 1)

    def array(self, value: Any, depth: int) -> None:
        """An array or a number of numpy. An array of objects is a list of them."""
        array = np.asarray(value)
        if array.dtype == object and array.ndim:
            self._write(array.tolist(), depth)
            return
        from backends.gallium.context.recording.array_types import type_text  # loaded only with arrays

        text = type_text(array.dtype)
        self._tag(Tag.ARRAY, array.ndim)
        for length in array.shape:
            self.words += _checked_length(length).to_bytes(4, "little")
        self._bytes(Tag.TEXT, text.encode())
        self._bytes(Tag.BYTES, np.ascontiguousarray(array).tobytes())

    def links(self, value: LinkState, depth: int) -> None:
        """A link state as its mapping."""
        self.map({str(key): str(item) for key, item in value.mapping.items()}, depth)

    def semantic(self, value: Semantic, depth: int) -> None:
        """A semantic as a text."""
        self.text(str(value), depth)

    def other(self, value: Any, depth: int) -> None:
        """An object with a handle, or a buffer, whose items some methods take as numbers."""
        handle = self._handle_of(value)
        if handle is not None:
            self._tag(Tag.HANDLE)
            self.words += handle.to_bytes(4, "little")
            return
        try:
            items = np.asarray(memoryview(value))
        except (TypeError, ValueError, BufferError, NotImplementedError):
            raise Unwritable(f"an object of type {type(value).__name__} cannot be recorded") from None
        if items.dtype == np.uint8 and items.ndim == 1:
            self.raw(items.tobytes(), depth)
        else:
            self.array(items, depth)

    def _bytes(self, tag: Tag, data: bytes) -> None:
        if tag is Tag.BYTES and len(data) > INLINE:
            self._tag(Tag.DATA, len(self.data))
            self.data.append(data)
            return
        self._tag(tag, len(data))
        self.words += data + bytes(-len(data) % 4)


_Writer = Callable[[ValueWriter, Any, int], None]
_WRITERS: tuple[tuple[type | tuple[type, ...], _Writer], ...] = (
    (type(None), ValueWriter.nothing),
    (bool, ValueWriter.truth),
    ((np.ndarray, np.generic), ValueWriter.array),  # before text and float: some numbers of numpy are texts and floats
    (str, ValueWriter.text),
    ((Format, CompressedFormat), ValueWriter.format),
    (int, ValueWriter.integer),
    (float, ValueWriter.real),
    (RECORDS, ValueWriter.record),
    (LinkState, ValueWriter.links),
    (Semantic, ValueWriter.semantic),
    (Program, ValueWriter.program),
    (Mapping, ValueWriter.map),
    (bytes, ValueWriter.raw),
    ((bytearray, memoryview, array), ValueWriter.other),
    (Sequence, ValueWriter.items),
    ((Decimal, Fraction), ValueWriter.real),
)
"""Types of values with their writers; the first match is used."""


@cache
def _writer_of(kind: Any) -> _Writer:
    return next((write for wanted, write in _WRITERS if issubclass(kind, wanted)), ValueWriter.other)


def _checked_length(length: int) -> int:
    if length >> 31:
        raise Unwritable(f"an axis of {length} items cannot be recorded")
    return length


class ValueReader:
    """Values of words, every one of which is checked. WordError for words that are not a value."""

    def __init__(self, words: memoryview, data: Sequence[bytes], object_of: Callable[[int], Any]) -> None:
        """words: bytes, whole words. data: blocks of DATA. object_of: the object of a handle; WordError for an unknown one."""
        self._words, self._data, self._object_of = words, data, object_of
        self._at = 0

    @property
    def is_at_end(self) -> bool:
        """True if all words were read."""
        return self._at >= len(self._words)

    def take(self, size: int) -> bytes:
        """The next bytes; those up to a whole word are skipped."""
        end = self._at + size
        if end > len(self._words):
            raise WordError(f"expected {size} bytes, {len(self._words) - self._at} are left")
        piece = bytes(self._words[self._at : end])
        self._at = end + -end % 4
        return piece

    def word(self) -> int:
        """The next word."""
        return int.from_bytes(self.take(4), "little")

    def read(self, depth: int = 0) -> Any:
        """The next value."""
        if depth > MOST_DEPTH:
            raise WordError("values are nested too deeply")
        word = self.word()
        tag, small = word & 255, word >> 8
        reader = _READERS.get(tag)
        if reader is None:
            raise WordError(f"{tag} is not a tag of a value")
        return reader(self, small, depth)

    def count(self, number: int) -> int:
        """A number of values, each of which has a word at least."""
        if number > (len(self._words) - self._at) // 4:
            raise WordError(f"expected {number} values, {len(self._words) - self._at} bytes are left")
        return number

    def text(self, size: int) -> str:
        """A text of `size` bytes."""
        try:
            return self.take(size).decode()
        except UnicodeDecodeError:
            raise WordError("a text is not UTF-8") from None

    def block(self, number: int) -> bytes:
        """A block of DATA."""
        if number >= len(self._data):
            raise WordError(f"expected block {number} of data, there are {len(self._data)}")
        return self._data[number]

    def map(self, small: int, depth: int) -> dict[Any, Any]:
        """A mapping."""
        items = {}
        for _ in range(self.count(small)):
            key = self.read(depth + 1)
            if not isinstance(key, _KEYS):
                raise WordError(f"a key is a {type(key).__name__}")
            items[key] = self.read(depth + 1)
        return items

    def record(self, number: int, depth: int) -> Any:
        """A record."""
        if number >= len(RECORDS):
            raise WordError(f"{number} is not a number of a record")
        kind = RECORDS[number]
        values = {item.name: self.read(depth + 1) for item in fields(kind)}
        try:
            return kind(**values)
        except (TypeError, ValueError) as error:
            raise WordError(str(error)) from None

    def array(self, axes: int) -> Any:
        """An array; without axes a number of numpy."""
        from backends.gallium.context.recording.array_types import type_of  # loaded only with arrays

        if axes > 8:
            raise WordError(f"{axes} axes are too many")
        shape, dtype = tuple(self.word() for _ in range(axes)), type_of(self._text_value())
        data, needed = self.read(MOST_DEPTH), dtype.itemsize
        for length in shape:
            needed *= length
        if not isinstance(data, bytes) or len(data) != needed or not dtype.itemsize:
            raise WordError(f"an array of {needed} bytes has {len(data) if isinstance(data, bytes) else 'no'} bytes")
        return np.frombuffer(data, dtype).reshape(shape)[()]

    def _text_value(self) -> str:
        value = self.read(MOST_DEPTH)
        if not isinstance(value, str):
            raise WordError("expected a text")
        return value

    def handle(self) -> Any:
        """The object of a handle."""
        return self._object_of(self.word())

    def format(self, size: int) -> AnyFormat:
        """A format by name."""
        text = self.text(size)
        try:
            return find_any_format(text)
        except ValueError as error:
            raise WordError(str(error)) from None


_READERS: dict[int, Callable[[ValueReader, int, int], Any]] = {
    Tag.NONE: lambda r, n, d: None,
    Tag.FALSE: lambda r, n, d: False,
    Tag.TRUE: lambda r, n, d: True,
    Tag.INT: lambda r, n, d: _I32.unpack(r.take(4))[0],
    Tag.LONG: lambda r, n, d: _I64.unpack(r.take(8))[0],
    Tag.FLOAT: lambda r, n, d: _F64.unpack(r.take(8))[0],
    Tag.TEXT: lambda r, n, d: r.text(n),
    Tag.BYTES: lambda r, n, d: r.take(n),
    Tag.DATA: lambda r, n, d: r.block(n),
    Tag.TUPLE: lambda r, n, d: tuple(r.read(d + 1) for _ in range(r.count(n))),
    Tag.LIST: lambda r, n, d: [r.read(d + 1) for _ in range(r.count(n))],
    Tag.MAP: lambda r, n, d: r.map(n, d),
    Tag.HANDLE: lambda r, n, d: r.handle(),
    Tag.RECORD: lambda r, n, d: r.record(n, d),
    Tag.ARRAY: lambda r, n, d: r.array(n),
    Tag.FORMAT: lambda r, n, d: r.format(n),
    Tag.PROGRAM: lambda r, n, d: r.text(n),
}
