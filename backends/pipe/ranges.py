"""Ranges of the integers in state templates. `checks.make` holds them, and native entries and other readers of calls read them here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from backends.pipe.limits import (
    MAX_PATCH_VERTICES,
    MAX_SRC_OFFSET,
    MAX_SUBPIXEL_PRECISION_BIAS,
    MAX_VERTEX_BUFFERS,
    MAX_VERTEX_STRIDE,
)
from backends.pipe.state import MAX_ANISOTROPY, DrawInfo, RasterizerState, SamplerState, VertexBuffer, VertexElement

_U32 = (0, (1 << 32) - 1)
_BYTE = (0, 255)
_VERTICES = ("count", "start", "instance_count", "start_instance", "restart_index", "drawid", "min_index", "max_index")

RANGES: Mapping[type, Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        DrawInfo: {
            **dict.fromkeys(_VERTICES, _U32),
            "index_bias": (-(1 << 31), (1 << 31) - 1),
            "index_size": (0, 4),
            "vertices_per_patch": (0, MAX_PATCH_VERTICES),
        },
        VertexBuffer: {"stride": (0, MAX_VERTEX_STRIDE), "buffer_offset": (-(1 << 31), (1 << 32) - 1)},
        VertexElement: {
            "src_offset": (0, MAX_SRC_OFFSET),
            "vertex_buffer_index": (0, MAX_VERTEX_BUFFERS - 1),
            "instance_divisor": _U32,
        },
        RasterizerState: {
            **dict.fromkeys(("clip_plane_enable", "line_stipple_factor"), _BYTE),
            **dict.fromkeys(("subpixel_precision_x", "subpixel_precision_y"), (0, MAX_SUBPIXEL_PRECISION_BIAS)),
        },
        SamplerState: {"max_anisotropy": (0, MAX_ANISOTROPY)},
    }
)
"""Least and largest value by template and field. Other integers are words of 32 bits, with or without a sign."""

INDEX_SIZES = (0, 1, 2, 4)
"""Bytes of an index; 0: the draw has no indices."""
