"""The kernels of recorded calls with the state that is bound to a context, without carrying the calls out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from backends.device.interface import KernelLister, ListedKernel
from backends.gallium.context.buffers import index_memory
from backends.pipe.enums import Prim, lookup
from backends.pipe.state import DrawInfo

_FIELDS = {item.name for item in fields(DrawInfo)}


def listed_kernels(context: Any, lister: KernelLister, call: str, named: Mapping[str, Any]) -> Sequence[ListedKernel] | None:
    """The kernels of a draw, a draw of meshes or a grid.

    call, named: the method and its arguments by name. None for draws whose counts lie in a buffer. Errors as from the call.
    """
    if call == "launch_grid":
        return _of_grid(context, lister, named)
    framebuffer = context.targets.framebuffer
    if call == "draw_mesh_tasks":
        lists = [lister.of_mesh(context.state, draw, framebuffer) for draw in context._mesh_draws(*_call(named)) if draw.groups]
        return list(dict.fromkeys(kernel for kernels in lists for kernel in kernels))
    if named.get("indirect") is not None:
        return None
    state, index = context.state, named.get("index")
    bound = state.index_buffer
    try:
        if index is not None:
            state.index_buffer = index_memory(context, index, named.get("index_offset") or 0, "kernels")
        info, target = _info(named), named.get("count_from_stream_output")
        if target is not None:
            info = replace(info, count=context._streamed_count(target))
        return lister.of_draw(state, info, framebuffer)
    finally:
        state.index_buffer = bound


def _of_grid(context: Any, lister: KernelLister, named: Mapping[str, Any]) -> Sequence[ListedKernel]:
    shader, program, bindings, grid = context._planned_grid(*_call(named))
    return lister.of_grid(shader, program, bindings, grid)


def _call(named: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A record of arguments, and further ones by keyword."""
    return named.get("info"), {name: value for name, value in named.items() if name != "info"}


def _info(named: Mapping[str, Any]) -> DrawInfo:
    """The DrawInfo of a recorded call."""
    given, index = named.get("info"), named.get("index")
    values = {name: value for name, value in named.items() if name in _FIELDS}
    info = given if isinstance(given, DrawInfo) else DrawInfo(**values | {"mode": lookup(Prim, values.get("mode", 0), "mode")})
    if isinstance(index, np.ndarray):  # its size replaces fields that were left out
        info = replace(info, index_size=index.itemsize, count=info.count or max(0, index.size - info.start))
    return info
