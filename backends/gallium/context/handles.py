"""Handles of constant state objects, and the small pieces of bindings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, field, fields, is_dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

import numpy as np

from backends.formats import VertexFormat
from backends.pipe.checks import integer
from backends.pipe.checks import vertex_format as as_format
from backends.pipe.state import VertexElement
from tgsi.language.record import record

S = TypeVar("S")
T = TypeVar("T")


@record(frozen=False, eq=False, weakref=True)
class StateObject(Generic[S]):
    """A constant state object: the result of a `create_` call, which `bind_` and `destroy_` take.

    owner: represents the context that made it. bound: the device's form of the object, once it was bound.
    """

    kind: str
    state: S
    owner: object = field(repr=False)
    is_destroyed: bool = False
    bound: Any = None

    def __repr__(self) -> str:
        ended = ", destroyed" if self.is_destroyed else ""
        return f"<StateObject {self.kind}: {', '.join(_changes(self.state)) or 'defaults'}{ended}>"


def _changes(state: Any) -> list[str]:
    """The fields of a template that differ from Gallium's defaults, or the number of elements of a sequence."""
    if isinstance(state, tuple):
        return [f"{len(state)} element{'s' * (len(state) != 1)}"]
    if not is_dataclass(state):
        return [repr(state)]
    changed = []
    for item in fields(state):
        value, default = getattr(state, item.name), item.default_factory() if item.default_factory is not MISSING else item.default
        if value != default:
            nested = value[0] if isinstance(value, tuple) and len(value) == 1 else value
            shown = f"({', '.join(_changes(nested))})" if is_dataclass(nested) else _short(value)
            changed.append(f"{item.name}={shown}")
    return changed


def _short(value: Any) -> str:
    return value.name if isinstance(value, Enum) and value.name else repr(value)


def check_object(handle: Any, kind: str, owner: object, name: str) -> None:
    """TypeError unless `handle` is a state object of that kind, ValueError if another context made it or it was destroyed."""
    if not isinstance(handle, StateObject) or handle.kind != kind:
        actual = f"a {handle.kind} object" if isinstance(handle, StateObject) else type(handle).__name__
        raise TypeError(f"{name}: expected an object from create_{kind}_state, not {actual}")
    if handle.owner is not owner:
        raise ValueError(f"{name}: the object belongs to another context")
    if handle.is_destroyed:
        raise ValueError(f"{name}: the object was destroyed")


def place(items: list[T | None], start: int, new: Sequence[T | None]) -> None:
    """Put `new` into `items` from `start` on; the list grows as needed and ends with a bound entry."""
    items.extend([None] * (start + len(new) - len(items)))
    items[start : start + len(new)] = new
    while items and items[-1] is None:
        items.pop()


_CHANNELS = ("", "R{0}", "R{0}G{0}", "R{0}G{0}B{0}", "R{0}G{0}B{0}A{0}")
_KINDS = {"f2": "FLOAT", "f4": "FLOAT", "u1": "UNORM", "i1": "SNORM", "u2": "UNORM", "i2": "SNORM", "u4": "UINT", "i4": "SINT"}


def vertex_elements(
    layout: Any,
    names: Sequence[str] | None = None,
    *,
    formats: Mapping[str, VertexFormat | str] | None = None,
    vertex_buffer_index: int = 0,
    instance_divisor: int = 0,
) -> tuple[VertexElement, ...]:
    """The vertex elements of a structured type, for `create_vertex_elements_state`: element k feeds shader input k.

    Args:
        layout: a numpy type with named fields, or an array of one. A field has 1 to 4 channels; one of shape (n, 1 to 4), such as a
            matrix, gives n elements, a row each.
        names: the fields, in the order of the shader's inputs; all, in their own order, when omitted.
        formats: formats of fields by name, e.g. ``{"bones": "R8G8B8A8_UINT"}``. Otherwise float16 and float32 are FLOAT, uint8 and uint16
            UNORM, int8 and int16 SNORM, uint32 UINT, int32 SINT.
        vertex_buffer_index: the vertex buffer, whose stride is ``layout.itemsize``: that of an array that `set_vertex_buffers` gets.
        instance_divisor: instances that share a vertex; 0: each vertex has its own.

    Raises:
        TypeError: no named fields, or a field of elements that no format has, such as float64.
        ValueError: a name is not a field; a field has more channels than four; a format has another size than its field.
    """
    name = "vertex_elements"
    dtype = layout if isinstance(layout, np.dtype) else getattr(layout, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.fields is None:
        actual = dtype or type(layout).__name__
        raise TypeError(f"{name}: layout: expected a numpy type with named fields, or an array of one, not {actual}")
    integer(vertex_buffer_index, f"{name}: vertex_buffer_index", 0)
    integer(instance_divisor, f"{name}: instance_divisor", 0)
    known, asked = dtype.names or (), dict(formats or {})
    if isinstance(names, str):
        raise TypeError(f"{name}: names: expected a sequence of names, not {names!r}")
    for argument, wanted in (("names", names or ()), ("formats", asked)):
        for item in wanted:
            if item not in known:
                raise ValueError(f"{name}: {argument}: {item!r} is not one of {', '.join(known)}")
    elements = []
    for item in known if names is None else names:
        kind, offset = dtype.fields[item][:2]
        rows, channels = _rows_of(kind, f"{name}: layout: {item}")
        size = kind.itemsize // rows
        if item in asked:
            format = as_format(asked[item], f"{name}: formats: {item}")
        else:
            format = _format_of(kind, channels, f"{name}: layout: {item}")
        if format.block_bytes != size:
            raise ValueError(f"{name}: formats: {item}: {format} has {format.block_bytes} bytes, the field has {size}")
        elements += [VertexElement(offset + k * size, format, vertex_buffer_index, instance_divisor) for k in range(rows)]
    return tuple(elements)


def _rows_of(kind: np.dtype[Any], argument: str) -> tuple[int, int]:
    """Elements of a field, and the channels of each."""
    shape = kind.shape
    rows, channels = (1, 1) if not shape else (1, shape[0]) if len(shape) == 1 else (shape[0], shape[1])
    if len(shape) > 2 or not 1 <= channels <= 4 or not rows:
        raise ValueError(f"{argument}: expected 1 to 4 channels, or rows of them, not the shape {shape}")
    return rows, channels


def _format_of(kind: np.dtype[Any], channels: int, argument: str) -> VertexFormat:
    """The format of `channels` elements of a field's type."""
    code = kind.base.str[1:]
    if code not in _KINDS or not kind.base.isnative:
        way = "make the field float32, or name a format such as R64G64_FLOAT in formats" if code == "f8" else "name one in formats"
        raise TypeError(f"{argument}: {kind.base} stands for no format; {way}")
    return as_format(f"{_CHANNELS[channels].format(8 * kind.base.itemsize)}_{_KINDS[code]}", argument)
