"""Arrays of a glTF document: buffers, views and accessors, each number checked before it is used."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from tgsi.tools.compile.draw.files import MAX_BYTES, read_file
from tgsi.tools.compile.draw.mesh import MAX_VERTICES
from tgsi.tools.compile.errors import UsageError

_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_MOST = 3 * MAX_VERTICES
_MOST_ZEROS = 1 << 20
"""Rows of an accessor whose only bytes are its sparse part."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Document:
    """A document with its buffers.

    Attributes:
        name: of the file, as messages begin.
        root: the JSON object.
    """

    def __init__(self, name: str, root: Mapping[str, Any], binary: bytes | None, folder: Path) -> None:
        self.name, self.root = name, root
        self._binary, self._folder = binary, folder
        self._buffers: dict[int, bytes] = {}

    def fail(self, reason: str) -> UsageError:
        """The error for a wrong document."""
        return UsageError(f"{self.name}: {reason}")

    def items(self, owner: Mapping[str, Any], key: str, kind: type) -> Sequence[Any]:
        """A list of the document, empty if it is missing."""
        items = owner.get(key, [])
        if not isinstance(items, list) or any(not isinstance(item, kind) or isinstance(item, bool) for item in items):
            raise self.fail(f"`{key}` is not a list of {'numbers' if kind is int else 'names' if kind is str else 'objects'}")
        return items

    def item(self, owner: Mapping[str, Any], key: str, number: Any) -> Any:
        """An object of a list."""
        items = self.items(owner, key, dict)
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(items):
            raise self.fail(f"`{key}` has no number {str(number)[:20]}; there are {len(items)}")
        return items[number]

    def numbers(self, owner: Mapping[str, Any], key: str, count: int, place: str, default: Sequence[float] = ()) -> NDArray[np.float64]:
        """A list of finite numbers."""
        numbers = owner.get(key, default)
        if not isinstance(numbers, list | tuple) or len(numbers) != count or any(type(item) not in (int, float) for item in numbers):
            raise self.fail(f"{place}: `{key}` is not a list of {count} numbers")
        try:
            array = np.array(numbers, np.float64)
        except OverflowError:
            array = np.array([np.nan])
        if not np.isfinite(array).all() or np.abs(array).max(initial=0) > 1e18:
            raise self.fail(f"{place}: `{key}` has a number that is NaN, infinite or beyond 1e18")
        return array

    def whole(self, owner: Mapping[str, Any], key: str, place: str, default: int | None = None, most: int = 1 << 40) -> int:
        """A whole number from 0 on."""
        number = owner.get(key, default)
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= most:
            raise self.fail(f"{place}: `{key}` is not a whole number from 0 to {most}")
        return number

    def accessor(self, number: Any, place: str, widths: Sequence[int]) -> NDArray[np.float32]:
        """The rows of an accessor as float32 of shape (rows, components); normalized integers from 0 or -1 to 1."""
        rows = self._read(number, place, widths)
        if rows.dtype.kind == "f":
            if not np.isfinite(rows).all():
                row = int(np.flatnonzero(~np.isfinite(rows).all(1))[0])
                raise self.fail(f"{place}: row {row} is NaN or infinite")
            return np.ascontiguousarray(rows, np.float32)
        floats = rows.astype(np.float32)
        if self.item(self.root, "accessors", number).get("normalized") is True:
            floats = np.maximum(floats / np.float32(np.iinfo(rows.dtype).max), np.float32(-1))
        return floats

    def indices(self, number: Any, place: str) -> NDArray[np.uint32]:
        """The vertex numbers of an accessor."""
        numbers = self._read(number, place, (1,))
        if numbers.dtype.kind != "u":
            raise self.fail(f"{place}: expected unsigned integers")
        return np.ascontiguousarray(numbers.reshape(-1), np.uint32)

    def _read(self, number: Any, place: str, widths: Sequence[int]) -> NDArray[Any]:
        entry = self.item(self.root, "accessors", number)
        kind, width = _TYPES.get(self.whole(entry, "componentType", place)), _WIDTHS.get(str(entry.get("type")))
        if kind is None or width is None:
            raise self.fail(f"{place}: accessor {number} has the unknown componentType or type {str(entry.get('type'))[:20]}")
        if width not in widths:
            raise self.fail(f"{place}: accessor {number} has {width} components, wanted are {' or '.join(map(str, widths))}")
        count = self.whole(entry, "count", place, most=_MOST)
        if "bufferView" in entry:
            table = self._rows(entry, place, kind, width, count)
        elif "sparse" in entry:
            table = np.zeros((self.whole(entry, "count", place, most=_MOST_ZEROS), width), kind)
        else:
            raise self.fail(f"{place}: accessor {number} has no data")
        return self._sparse(entry, place, table) if "sparse" in entry else table

    def _rows(self, entry: Mapping[str, Any], place: str, kind: str, width: int, count: int) -> NDArray[Any]:
        """Rows of a view, `byteStride` apart."""
        item = np.dtype(kind)
        data, stride = self._view(entry.get("bufferView"), place)
        offset = self.whole(entry, "byteOffset", place, 0)
        row = width * item.itemsize
        stride = stride or row
        if stride < row or offset + (stride * (count - 1) + row if count else 0) > len(data):
            raise self.fail(
                f"{place}: {count} rows of {row} bytes, {stride} apart from byte {offset} on, do not fit into {len(data)} bytes"
            )
        if not count:
            return np.zeros((0, width), item)
        return np.ndarray((count, width), item, data, offset, (stride, item.itemsize)).copy()

    def _sparse(self, entry: Mapping[str, Any], place: str, table: NDArray[Any]) -> NDArray[Any]:
        """Rows that differ, put into their places."""
        sparse = entry["sparse"]
        parts = [sparse.get(key) for key in ("indices", "values")] if isinstance(sparse, dict) else []
        present = [part for part in parts if isinstance(part, dict)]
        if len(present) != 2:
            raise self.fail(f"{place}: `sparse` has no indices and values")
        count = self.whole(sparse, "count", place, most=len(table))
        kind = _TYPES.get(self.whole(present[0], "componentType", place))
        if kind is None or kind[1] != "u":
            raise self.fail(f"{place}: the indices of `sparse` are not unsigned integers")
        places = self._rows(present[0], place, kind, 1, count).reshape(-1)
        if len(places) and int(places.max()) >= len(table):
            raise self.fail(f"{place}: `sparse` names row {int(places.max())}, and there are {len(table)}")
        table[places] = self._rows(present[1], place, table.dtype.str, table.shape[1], count)
        return table

    def _view(self, number: Any, place: str) -> tuple[bytes, int]:
        """The bytes of a view, and its row stride (0 if not given)."""
        view = self.item(self.root, "bufferViews", number)
        where = f"{place}: bufferView {number}"
        data = self._buffer(view.get("buffer"))
        offset, length = self.whole(view, "byteOffset", where, 0), self.whole(view, "byteLength", where)
        if offset + length > len(data):
            raise self.fail(f"{where}: bytes {offset} to {offset + length} of a buffer of {len(data)}")
        return data[offset : offset + length], self.whole(view, "byteStride", where, 0, 1 << 16)

    def _buffer(self, number: Any) -> bytes:
        entry = self.item(self.root, "buffers", number)
        if number not in self._buffers:
            length = self.whole(entry, "byteLength", f"buffer {number}", most=MAX_BYTES)
            data = self._bytes(entry, number)
            if len(data) < length:
                raise self.fail(f"buffer {number} has {len(data)} bytes, and `byteLength` says {length}")
            self._buffers[number] = data[:length]
        return self._buffers[number]

    def _bytes(self, entry: Mapping[str, Any], number: int) -> bytes:
        """Bytes of the binary chunk, of a data URI, or of a file next to the document."""
        uri = entry.get("uri")
        if uri is None:
            if self._binary is None or number != 0:
                raise self.fail(f"buffer {number} has no uri")
            return self._binary
        if not isinstance(uri, str):
            raise self.fail(f"buffer {number}: `uri` is not text")
        if uri.startswith("data:"):
            head, comma, text = uri.partition(",")
            if not comma or not head.endswith(";base64"):
                raise self.fail(f"buffer {number}: expected a data URI in base64")
            try:
                return base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                raise self.fail(f"buffer {number}: a data URI with broken base64") from None
        return self._file(unquote(uri), number)

    def _file(self, uri: str, number: int) -> bytes:
        """A file in the document's folder or below it."""
        if _SCHEME.match(uri) or "\0" in uri:
            raise self.fail(f"buffer {number}: {uri[:60]!r}: only files in the folder of the document are read")
        folder = self._folder.resolve()
        path = (folder / uri).resolve()
        if not path.is_relative_to(folder):
            raise self.fail(f"buffer {number}: {uri[:60]!r} lies outside of the folder of the document; nothing there is read")
        return read_file(str(path), f"{self.name}: buffer {number}: {uri[:60]}")
