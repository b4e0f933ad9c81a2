"""Traces as plain data for JSON: one object for each command."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.calls.errors import WordError
from backends.device.calls.table import FIELDS
from backends.device.commands.layout import PREFIX, Command
from backends.formats import CompressedFormat, Format
from backends.gallium.context.recording.decoder import Blocks, Call, Decoder, failure, items
from backends.gallium.tracing.trace_player import first_commands, words_of
from tgsi.language.record import record

_SHOWN = 64
"""Longest bytes, and longest arrays of 64-bit items, that are printed; larger ones are printed as digests."""


@record
class Handle:
    """An object of a trace."""

    number: int


def printed(data: bytearray, until: int | None = None) -> Iterator[dict[str, Any]]:
    """All commands of a stored recording as plain data, a command of two calls as two objects. RecordingError at the first invalid command.

    until: number of the last command; None prints all.
    """
    words, blocks, last = words_of(data), Blocks(), list[int]()
    words = words if until is None else first_commands(words, until)
    decoder = Decoder(Handle, lambda: last, lambda _, __, changes: {"changes": changes})
    for number, item in enumerate(items(words, PREFIX.size)):
        place: dict[str, Any] = {"command": number, "byte": PREFIX.size + 4 * item.at}
        shown = [place | {"name": item.command.name}]
        try:
            if item.command is Command.DATA:
                blocks.add(item.words)
                shown[0]["words"] = len(item.words)
            elif item.command is Command.FORGET:
                shown[0]["handles"] = item.words.tolist()
            elif item.command is not Command.END:
                if item.command is Command.DRAW and len(item.words) == len(FIELDS[Command.DRAW][0]):
                    last = item.words.tolist()
                elif item.command is Command.REDRAW:
                    last = decoder.changed_draw(item)
                calls = decoder.read(item, blocks.take())
                shown = [place | {"name": name} | _call(call) for name, call in zip((item.command.name, Command.DRAW.name), calls)]
        except WordError as error:
            raise failure(words, item.at, item.command.name, error, PREFIX.size) from None
        yield from shown


def _call(call: Call) -> dict[str, Any]:
    shown: dict[str, Any] = {"call": call.row.name, "arguments": plain(call.row.named(call.args, call.given))}
    if call.result:
        shown["result"] = call.result
    if call.raises:
        shown["raises"] = True
    if call.has_outcome:
        shown["outcome"] = plain(call.outcome)
    return shown


def plain(value: Any) -> Any:
    """A value as JSON has it. Numbers that JSON does not have are the texts "NaN", "Infinity" and "-Infinity", which float() reads."""
    if isinstance(value, Handle):
        return {"handle": value.number}
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex() if len(value) <= _SHOWN else {"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}
    if isinstance(value, (np.ndarray, np.generic)):
        return _array(np.asarray(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, Format | CompressedFormat):
        return str(value)
    if is_dataclass(value):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(value)
    return value


def _array(array: NDArray[Any]) -> dict[str, Any]:
    """Type, shape and items of an array: a list for each field of a structured one."""
    shown = {"array": _type(array.dtype), "shape": list(array.shape)}
    if array.nbytes > _SHOWN * 8:
        return shown | {"sha256": hashlib.sha256(array.tobytes()).hexdigest()}
    return shown | {"items": _items(array)}


def _type(dtype: np.dtype[Any]) -> Any:
    """The type as an argument of numpy.dtype: a text, or a mapping of names, types, offsets and size."""
    if dtype.names is None:
        return str(dtype)
    rows = [(name, dtype.fields[name][0], dtype.fields[name][1]) for name in dtype.names if dtype.fields]
    formats = [[_type(kind.base), list(kind.shape)] if kind.shape else _type(kind) for _, kind, _ in rows]
    return {"names": list(dtype.names), "formats": formats, "offsets": [offset for *_, offset in rows], "itemsize": dtype.itemsize}


def _items(array: NDArray[Any]) -> Any:
    if array.dtype.names is not None:
        return {name: _items(array[name]) for name in array.dtype.names}
    if array.dtype.kind == "c":
        return {"real": _items(array.real), "imag": _items(array.imag)}
    if array.dtype.kind in "biuf":
        return plain(array.tolist())
    return array.tobytes().hex()
