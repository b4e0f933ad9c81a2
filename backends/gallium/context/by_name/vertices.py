"""Vertex elements and vertex buffers by the names of a vertex shader's inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.gallium.context.handles import vertex_elements
from backends.pipe.state import VertexElement
from tgsi.language.interface import Interface, nearest
from tgsi.language.program import Program


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
            f"{call}: vertices: an array with named fields, or a mapping of names to arrays, is wanted, not {type(vertices).__name__}"
        )
    if len({len(array) for array in arrays}) > 1:
        lengths = ", ".join(f"{array.dtype.names[0]} {len(array)}" for array in arrays if array.dtype.names)
        raise ValueError(f"{call}: vertices: the arrays differ in length: {lengths}")
    return _elements(program.interface, arrays, call), arrays


def _field(name: Any, data: Any, argument: str) -> NDArray[Any]:
    """An array of vertices as a structured one with a single field."""
    if not isinstance(name, str) or not isinstance(data, np.ndarray) or data.ndim == 0:
        raise TypeError(f"{argument}: an array with a row for each vertex is wanted, not {type(data).__name__}")
    kind = np.dtype([(name, data.dtype, data.shape[1:])])
    rows = np.ascontiguousarray(data)
    return rows.reshape(len(rows), -1).view(kind)[:, 0] if rows.size else np.zeros(len(rows), kind)


def _elements(interface: Interface, arrays: Sequence[NDArray[Any]], call: str) -> list[VertexElement]:
    """An element for each register of the inputs. Registers that the program does not read get that of another input."""
    places = {name: at for at, array in enumerate(arrays) for name in array.dtype.names or ()}
    made: dict[int, VertexElement] = {}
    for name, port in interface.inputs.items():
        if name not in places:
            raise ValueError(f"{call}: the vertex shader reads {port.type} {name}, which no vertex has{nearest(name, places)}")
        at = places[name]
        rows = vertex_elements(arrays[at].dtype, [name], vertex_buffer_index=at)
        if len(rows) != port.registers:
            raise ValueError(f"{call}: {port.type} {name}: {port.registers} rows of each vertex are wanted, not {len(rows)}")
        made |= {port.location + row: element for row, element in enumerate(rows)}
    return [made.get(k, next(iter(made.values()))) for k in range(max(made, default=-1) + 1)]
