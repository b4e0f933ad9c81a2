"""Two calls as lines in which different arguments are marked."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.gallium.tracing.printing import Handle, plain
from backends.gallium.tracing.steps import Step

_MOST_PLACES = 6
"""Most differing places that are listed for an argument."""
_WIDE = 100
Names = Callable[[Handle], str]


def shown(value: Any, name: Names, wide: int = _WIDE) -> str:
    """A value in a line of about `wide` characters at most, with control characters escaped."""
    if isinstance(value, Handle):
        return name(value)
    if isinstance(value, str):
        text = json.dumps(value)
    elif isinstance(value, (tuple, list)):
        text = "[" + ", ".join(shown(item, name, wide) for item in value[:64]) + "]"
    elif isinstance(value, (bytes, bytearray)):
        text = f"{len(value)} bytes " + _words_text(bytes(value))
    elif isinstance(value, Mapping):
        text = "{" + ", ".join(f"{key}: {shown(item, name, wide)}" for key, item in value.items()) + "}"
    elif is_dataclass(value) and not isinstance(value, type):
        text = f"{type(value).__name__}({', '.join(f'{k}={shown(v, name, wide)}' for k, v in _items_of(value))})"
    else:
        text = json.dumps(plain(value), default=repr)
    return text if len(text) <= wide else text[: wide - 1] + "…"


def _words_text(data: bytes) -> str:
    numbers = [f"{value:.7g}" for (value,) in struct.iter_unpack("<f", data[: min(len(data), 64) // 4 * 4])]
    return "(" + " ".join(numbers) + (" …" if len(data) > 64 else "") + ")" if numbers else data.hex()


def _items_of(value: Any) -> list[tuple[Any, Any]]:
    """Parts of a value with their names or numbers."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (tuple, list)):
        return list(enumerate(value))
    if is_dataclass(value) and not isinstance(value, type):
        return [(item.name, getattr(value, item.name)) for item in fields(value)]
    return []


def places(one: Any, other: Any, is_same: Callable[[Handle, Handle], bool], path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The places where two values differ, with both parts. is_same: two handles name the same object."""
    if isinstance(one, Handle) and isinstance(other, Handle):
        if not is_same(one, other):
            yield path, one, other
    elif isinstance(one, (bytes, bytearray)) and isinstance(other, (bytes, bytearray)) and len(one) == len(other):
        yield from _bytes_places(bytes(one), bytes(other), path)
    elif isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.shape == other.shape and one.dtype == other.dtype:
        if one.tobytes() != other.tobytes():
            yield from _array_places(one, other, path)
    elif isinstance(one, str) and isinstance(other, str):
        yield from _text_places(one, other, path)
    elif type(one) is type(other) and _items_of(one) and [key for key, _ in _items_of(one)] == [key for key, _ in _items_of(other)]:
        for (key, a), (_, b) in zip(_items_of(one), _items_of(other)):
            yield from places(a, b, is_same, f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}")
    elif json.dumps(plain(one), default=repr) != json.dumps(plain(other), default=repr):
        yield path, one, other


def _bytes_places(one: bytes, other: bytes, path: str) -> Iterator[tuple[str, Any, Any]]:
    a, b = (np.frombuffer(data.ljust(-(-len(data) // 4) * 4, b"\0"), np.uint32) for data in (one, other))
    for k in np.flatnonzero(a != b).tolist():
        yield f"{path} word {k}", _word(a, k), _word(b, k)


def _word(data: NDArray[np.uint32], k: int) -> str:
    return f"{float(data[k : k + 1].view(np.float32)[0]):.9g} ({int(data[k]):#010x})"


def _array_places(one: Any, other: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if one.dtype.names is None and one.ndim:
        with np.errstate(invalid="ignore"):
            for place in np.argwhere(one != other):
                at = tuple(int(k) for k in place)
                yield f"{path}[{', '.join(map(str, at))}]", one[at], other[at]
    else:
        yield path, one, other


def _text_places(one: str, other: str, path: str) -> Iterator[tuple[str, Any, Any]]:
    ours, others = one.splitlines(), other.splitlines()
    if max(len(ours), len(others)) <= 1:
        if one != other:
            yield path, one, other
        return
    for k in range(max(len(ours), len(others))):
        a, b = (lines[k] if k < len(lines) else "" for lines in (ours, others))
        if a != b:
            yield f"{path} line {k + 1}", a, b


def marked(one: Step, other: Step, names: tuple[Names, Names], is_same: Callable[[Handle, Handle], bool]) -> list[str]:
    """A line for each argument; different ones begin with ``*`` and have a line for each side and for each place."""
    lines = []
    ours, others = _parts(one), _parts(other)
    for key in [*ours, *(key for key in others if key not in ours)]:
        if key in ours and key in others:
            where = list(places(ours[key], others[key], is_same))
            if not where:
                lines.append(f"    {key} = {shown(ours[key], names[0])}")
                continue
        else:
            where = []
        sides = [
            (letter, shown(part[key], name) if key in part else "not given") for letter, part, name in zip("AB", (ours, others), names)
        ]
        lines += [f"  * {key}", *(f"      {letter}  {text}" for letter, text in sides)]
        lines += [
            f"      {path.strip('. ') or key}: {_place(a, names[0])} | {_place(b, names[1])}" for path, a, b in where[:_MOST_PLACES] if path
        ]
        if len(where) > _MOST_PLACES:
            lines.append(f"      and {len(where) - _MOST_PLACES} more places")
    return lines


def _place(value: Any, name: Names) -> str:
    return value if isinstance(value, str) and value.isprintable() else shown(value, name)


def _parts(step: Step) -> dict[str, Any]:
    """Arguments and outcome by name."""
    if step.call is None:
        return {"handles": [Handle(handle) for handle in step.forgets]}
    parts = dict(step.named)
    if step.call.raises:
        parts["was refused"] = True
    if step.call.has_outcome:
        parts["outcome"] = step.call.outcome
    return parts


def one_line(step: Step, name: Names) -> str:
    """A call in one line."""
    arguments = ", ".join(f"{key}={shown(value, name, 40)}" for key, value in _parts(step).items())
    return f"{step.name or 'FORGET'}({arguments})"
