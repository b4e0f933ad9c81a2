"""Vertex elements and vertex buffers by the names of a vertex shader's inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.gallium.context.handles import vertex_elements
from backends.pipe.state import VertexElement
from tgsi.language.interface import Interface, Port, nearest
from tgsi.language.program import Program

_FLOATS = "floats", ("f2", "f4", "u1", "i1", "u2", "i2"), "float32"
_INTEGERS = "integers", ("u1", "i1", "u2", "i2", "u4", "i4"), "int32"
_TAKEN = {"i": _INTEGERS, "u": _INTEGERS, "d": ("doubles", ("f8",), "float64")}
"""Numbers that an input accepts, by the first letter of its type, and the conversion of others. Registers receive the words of the format;
nothing later converts between floats and integers."""


def vertex_layout(program: Program | None, vertices: Any) -> tuple[list[VertexElement], list[NDArray[Any]]]:
    """Vertex elements and vertex buffers for `Context.set_vertices`, with its errors."""
    call = "set_vertices"
    if program is None:
        raise ValueError(f"{call}: no vertex shader is bound; bind it first")
    if program.interface is None:
        raise ValueError(f"{call}: the bound vertex shader is TGSI, which has no names; use create_vertex_elements_state")
    if isinstance(vertices, Mapping):
        arrays = [_field(name, data, f"{call}: {name}") for name, data in vertices.items()]
    elif isinstance(vertices, np.ndarray) and vertices.dtype.fields is not None:
        arrays = [vertices.reshape(-1)]
    else:
        raise TypeError(
            f"{call}: vertices: expected an array with named fields, or a mapping of names to arrays, not {type(vertices).__name__}"
        )
    if len({len(array) for array in arrays}) > 1:
        lengths = ", ".join(f"{array.dtype.names[0]} {len(array)}" for array in arrays if array.dtype.names)
        raise ValueError(f"{call}: vertices: the arrays differ in length: {lengths}")
    return _elements(program.interface, arrays, call), arrays


def _field(name: Any, data: Any, argument: str) -> NDArray[Any]:
    """An array of vertices as a structured one with a single field."""
    if not isinstance(name, str) or not isinstance(data, np.ndarray) or data.ndim == 0:
        raise TypeError(f"{argument}: expected an array with a row for each vertex, not {type(data).__name__}")
    kind = np.dtype([(name, data.dtype, data.shape[1:])])
    rows = np.ascontiguousarray(data)
    return rows.reshape(len(rows), -1).view(kind)[:, 0] if rows.size else np.zeros(len(rows), kind)


def _elements(interface: Interface, arrays: Sequence[NDArray[Any]], call: str) -> list[VertexElement]:
    """An element for each register of the inputs. Registers that the program does not read get that of another input."""
    places = {name: at for at, array in enumerate(arrays) for name in array.dtype.names or ()}
    elements: dict[int, VertexElement] = {}
    for name, port in interface.inputs.items():
        if name not in places:
            raise ValueError(f"{call}: the vertex shader reads {port.type} {name}, which no vertex has{nearest(name, places)}")
        at = places[name]
        rows = _rows(arrays[at].dtype, port, at, f"{call}: {port.type} {name}")
        if len(rows) != port.registers:
            raise ValueError(f"{call}: {port.type} {name}: expected {port.registers} rows of each vertex, not {len(rows)}")
        elements |= {port.location + row: element for row, element in enumerate(rows)}
    return [elements.get(k, next(iter(elements.values()))) for k in range(max(elements, default=-1) + 1)]


def _rows(layout: np.dtype[Any], port: Port, at: int, argument: str) -> list[VertexElement]:
    """The elements that feed an input of GLSL."""
    kind = layout[port.name]
    number, channels = kind.base, kind.shape[-1] if kind.shape else 1
    wanted, taken, way = _TAKEN.get(port.type[0], _FLOATS)
    if number.str[1:] not in taken:
        raise TypeError(f"{argument}: expected {wanted}, not {number}; convert the array with .astype(numpy.{way})")
    if wanted == "doubles" and layout.fields is not None:
        return _doubles(layout.fields[port.name][1], kind, channels, at)
    formats = {}
    if wanted == "integers":
        letters = "".join(f"{letter}{8 * number.itemsize}" for letter in "RGBA"[:channels])
        formats[port.name] = f"{letters}_{number.kind.upper().replace('I', 'S')}INT"
    return list(vertex_elements(layout, [port.name], formats=formats, vertex_buffer_index=at))


def _doubles(offset: int, kind: np.dtype[Any], channels: int, at: int) -> list[VertexElement]:
    """The words of doubles, two doubles a register."""
    starts = [(row + channel, channels - channel) for row in range(0, kind.itemsize // 8, channels) for channel in range(0, channels, 2)]
    return [
        VertexElement(offset + 8 * start, Format.R32G32B32A32_UINT if remaining > 1 else Format.R32G32_UINT, at)
        for start, remaining in starts
    ]
