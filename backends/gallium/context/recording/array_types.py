"""Types of arrays as texts, and back.

A plain type is numpy's own text, as ``<f4``. A structured one is ``NAME:TYPE:LENGTHS;NAME:TYPE:LENGTHS``; one with padding, with fields
inside fields, or with ``:`` or ``;`` in a name is ``;`` and JSON: ``[bytes, [[name, type, lengths, offset], ...]]``.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from backends.device.calls.errors import Unwritable, WordError

_PLAIN = re.compile(r"[<>|](?:[biufc][1248]|c16|[SUV]\d{1,5}|[mM]8(?:\[\d{0,5}[A-Za-z]{1,2}\])?)")
"""Types that have the same bytes on every machine."""
_MOST_DEPTH = 4


def type_text(dtype: np.dtype[Any]) -> str:
    """A type as a text. Unwritable for a type that refers to Python's objects, or differs between machines."""
    if dtype.names is None and dtype.subdtype is None:
        return _plain_text(dtype, dtype)
    if _is_packed(dtype):
        rows = ((name, dtype[name].base, dtype[name].shape) for name in dtype.names or ())
        return ";".join(f"{name}:{_plain_text(base, dtype)}:{'x'.join(map(str, shape))}" for name, base, shape in rows)
    return ";" + json.dumps(_layout(dtype, dtype, 0))


def type_of(text: str) -> np.dtype[Any]:
    """The type of a text. WordError for a text that is not a type."""
    try:
        if text.startswith(";"):
            return _type_of_layout(json.loads(text[1:]), 0)
        if ":" not in text:
            return _plain_type(text)
        rows: list[Any] = []
        for part in text.split(";"):
            name, kind, lengths = part.split(":")
            rows.append((name, _plain_type(kind), tuple(map(_length, lengths.split("x"))) if lengths else ()))
        return np.dtype(rows)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise WordError(f"{text[:64]!r} is not a type of an array") from None


def _is_packed(dtype: np.dtype[Any]) -> bool:
    """True if names, types and lengths in order say everything."""
    end = 0
    for name in dtype.names or ():
        field, offset, *_ = dtype.fields[name]  # type: ignore[index]
        if offset != end or field.base.names is not None or ":" in name or ";" in name or not name:
            return False
        end += field.itemsize
    return end == dtype.itemsize and bool(dtype.names)


def _plain_text(dtype: np.dtype[Any], whole: np.dtype[Any]) -> str:
    text = dtype.newbyteorder("<").str if dtype.isnative else dtype.str
    if not _PLAIN.fullmatch(text):
        raise Unwritable(f"an array of {whole} cannot be recorded")
    return text


def _layout(dtype: np.dtype[Any], whole: np.dtype[Any], depth: int) -> list[Any]:
    if depth > _MOST_DEPTH:
        raise Unwritable(f"an array of {whole} cannot be recorded: its fields are nested too deeply")
    rows = []
    for name in dtype.names or ():
        field, offset, *_ = dtype.fields[name]  # type: ignore[index]
        kind = _plain_text(field.base, whole) if field.base.names is None else _layout(field.base, whole, depth + 1)
        rows.append([name, kind, list(field.shape), offset])
    return [dtype.itemsize, rows]


def _type_of_layout(layout: Any, depth: int) -> np.dtype[Any]:
    """The type of a layout. ValueError or TypeError for a wrong one."""
    if depth > _MOST_DEPTH:
        raise ValueError
    size, rows = layout
    columns: dict[str, list[Any]] = {"names": [], "formats": [], "offsets": []}
    for name, kind, lengths, offset in rows:
        base = _plain_type(kind) if isinstance(kind, str) else _type_of_layout(kind, depth + 1)
        shape = tuple(_length(str(item)) for item in lengths)
        for key, item in zip(columns, (name, (base, shape), offset)):
            columns[key].append(item)
    return np.dtype(columns | {"itemsize": size})  # type: ignore[call-overload, no-any-return]


def _plain_type(text: str) -> np.dtype[Any]:
    if not _PLAIN.fullmatch(text):
        raise ValueError
    return np.dtype(text)


def _length(text: str) -> int:
    if not text.isdecimal() or len(text) > 6:
        raise ValueError
    return int(text)
