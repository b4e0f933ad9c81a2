"""Geometry programs and stream output declarations for these tests, and draws with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.unit.picture import Picture
from tgsi import gallium as g

Array = NDArray[Any]

ROWS = {"POINTS": 1, "LINES": 2, "TRIANGLES": 3, "LINES_ADJACENCY": 4, "TRIANGLES_ADJACENCY": 6}
STRIPS = {1: "POINTS", 2: "LINE_STRIP", 3: "TRIANGLE_STRIP"}
WHOLE = g.StreamOutputInfo((8,), (g.StreamOutput(0), g.StreamOutput(1, dst_offset=4)))
"""Stream output of both output registers of `picture.PASS`, one after the other."""


def passthrough(wanted: str = "TRIANGLES", invocations: int = 1) -> str:
    """Geometry program that emits its input vertices: POSITION and GENERIC[0]. For primitives with adjacency only the drawn vertices."""
    corners = {4: (1, 2), 6: (0, 2, 4)}.get(ROWS[wanted], tuple(range(ROWS[wanted])))
    lines = [
        "GEOM",
        f"PROPERTY GS_INPUT_PRIMITIVE {wanted}",
        f"PROPERTY GS_OUTPUT_PRIMITIVE {STRIPS[len(corners)]}",
        f"PROPERTY GS_MAX_OUTPUT_VERTICES {len(corners)}",
        f"PROPERTY GS_INVOCATIONS {invocations}",
        "DCL IN[][0], POSITION",
        "DCL IN[][1], GENERIC[0]",
        "DCL OUT[0], POSITION",
        "DCL OUT[1], GENERIC[0]",
        "IMM[0] UINT32 {0, 0, 0, 0}",
    ]
    for corner in corners:
        lines += [f"MOV OUT[0], IN[{corner}][0]", f"MOV OUT[1], IN[{corner}][1]", "EMIT IMM[0].xxxx"]
    return "\n".join([*lines, "END\n"])


def wanted_by(mode: str) -> str:
    """Input primitive that a geometry program must declare for a draw mode."""
    if mode.endswith("ADJACENCY"):
        return "LINES_ADJACENCY" if "LINE" in mode else "TRIANGLES_ADJACENCY"
    return "POINTS" if mode == "POINTS" else "LINES" if "LINE" in mode else "TRIANGLES"


def geometry(picture: Picture, text: str | None, info: g.StreamOutputInfo | None = None) -> None:
    """Bind a geometry program."""
    ctx = picture.ctx
    ctx.bind_gs_state(None if text is None else ctx.create_gs_state(text, stream_output=info))


def streamed(picture: Picture, size: int, *, buffers: int = 1, offsets: Sequence[int] = (0,) * 4) -> list[g.Resource]:
    """Buffers of `size` bytes each, full of the word 0xCDCDCDCD, bound for stream output."""
    resources = [picture.buffer(np.full(size // 4, 0xCDCDCDCD, np.uint32)) for _ in range(buffers)]
    picture.ctx.set_stream_output_targets([picture.ctx.create_stream_output_target(r) for r in resources], offsets=offsets)
    return resources


def words(resource: g.Resource) -> Array:
    """Contents of a buffer as 32-bit words."""
    return np.array(resource.storage[: resource.size]).view(np.uint32)


def strips_to_lists(vertices: Array, strips: Array, rows: int, *, first: bool = False) -> Array:
    """Separate primitives of emitted strips, in the order of stream output: (primitives, rows, registers, 4)."""
    found = []
    start = 0
    for length in strips:
        strip = vertices[start : start + length]
        for k in range(length - rows + 1):
            order = list(range(k, k + rows))
            if rows == 3 and k % 2:
                order = [k, k + 2, k + 1] if first else [k + 1, k, k + 2]
            found.append(strip[order])
        start += length
    return np.array(found, np.uint32).reshape(-1, rows, *vertices.shape[1:])
