"""Positions of a draw, streamed out by its own shaders: where its primitives are, and why all of them are invisible."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.commands.bound_record import Hindrance
from backends.device.shader import Shader
from backends.device.stream_target import StreamTarget
from backends.pipe.state import StreamOutput, StreamOutputInfo
from tgsi.language.facts.enums import File, Processor
from tgsi.validation.declared import corners
from tgsi.validation.drawing import Drawing

Positions = NDArray[np.float32]
_MOST = 60_000
"""Vertices of which positions are streamed out."""
_SIDES = ("left of the view (x < -w)", "right of the view (x > w)", "below the view (y < -w)", "above the view (y > w)")


def positions(drawing: Drawing) -> Positions | None:
    """(primitives, vertices, 4) of clip positions; None for meshes and where the program has none. The draw shades no pixel."""
    device, state, info = drawing.device, drawing.state, drawing.info
    if info is None:
        return None
    stage = next((item for item in reversed(state.drawn_stages()) if item.shader is not None and item.processor != Processor.FRAG), None)
    if stage is None or stage.shader is None or stage.shader.stream_output is not None or stage.processor == Processor.MESH:
        return None
    register = next((item.first for item in stage.shader.program.declared(File.OUT) if str(item.semantic) == "POSITION"), None)
    if register is None:
        return None
    memory = np.zeros((_MOST + 8, 4), np.float32)
    target = StreamTarget(memory.ctypes.data, _MOST * 16, memory)
    streaming = Shader(stage.shader.program, stream_output=StreamOutputInfo((4,), (StreamOutput(register),)), owner=stage.shader.owner)
    hindrances, rasterizer, targets = state.record.hindrances, state.rasterizer, state.stream_targets
    shader = stage.shader
    state.bind(stage.processor, streaming)
    state.rasterizer = replace(rasterizer, rasterizer_discard=True)
    state.stream_targets = (target,)
    state.hinder(Hindrance.STREAMS, True)
    state.has_stages = True
    try:
        device.draw(state, info)
        device.flush()
    finally:
        state.bind(stage.processor, shader)
        state.rasterizer, state.stream_targets = rasterizer, targets
        state.hinder(Hindrance.STREAMS, bool(hindrances & Hindrance.STREAMS))
        state.has_stages = bool(hindrances & Hindrance.STAGES)
        state.forget_target(target)
    count = target.offset // 16
    size = corners(stage.shader.program, info.mode)
    return memory[: count // size * size].reshape(-1, size, 4).copy()


def broken(found: Positions) -> str:
    """Describe positions that are NaN or infinite; an empty text if all are finite."""
    flat: NDArray[np.float32] = found.reshape(-1, 4)
    wrong = ~np.isfinite(flat).all(axis=1)
    if not wrong.any():
        return ""
    kind = "NaN" if np.isnan(flat).any() else "infinite"
    first = int(np.flatnonzero(wrong)[0])
    return (
        f"{int(wrong.sum())} of {len(flat)} positions that the shaders gave are {kind}; the first is {_tuple(flat[first])}: "
        "a division by 0, a root of a negative number, or normalize of a zero vector?"
    )


def unseen(found: Positions, width: int, height: int, halfz: bool) -> str:
    """The reason why all primitives are invisible; empty if some may be visible."""
    flat = found.reshape(-1, 4)
    if not len(flat):
        return ""
    x, y, z, w = (flat[:, k].astype(np.float64) for k in range(4))
    matrix = (
        "is a matrix unset, or transposed? A matrix of numpy has its rows outside, as set_uniforms takes it; constant buffers want columns"
    )
    if not flat.any():
        return f"every position is (0, 0, 0, 0): {matrix}"
    if (w == 0).all():
        return f"w is 0 in every position, such as {_tuple(flat[0])}: write 1 into it; {matrix}"
    if (w < 0).all():
        return f"w is negative in every position, such as {_tuple(flat[0])}: everything is behind the camera; {matrix}"
    planes: NDArray[np.bool_] = np.stack([x < -w, x > w, y < -w, y > w, z < (0 * w if halfz else -w), z > w], axis=1).reshape(
        *found.shape[:2], 6
    )
    names = (
        *_SIDES,
        "in front of the near plane (z < 0)" if halfz else "in front of the near plane (z < -w)",
        "behind the far plane (z > w)",
    )
    outside: NDArray[np.bool_] = np.all(planes, axis=1)  # of each primitive, the planes that all of its corners are beyond
    if np.any(outside, axis=1).all():
        said = [names[k] for k in range(6) if outside[:, k].all()] or [names[k] for k in range(6) if outside[:, k].any()]
        hint = matrix
        with np.errstate(all="ignore"):
            reach = np.abs(flat[:, :2] / flat[:, 3:]).max()
        if (w == 1).all() and 4 < reach <= 4 * max(width, height):
            hint = "positions go from -1 to 1; are these pixels?"
        return f"every primitive is outside, {' or '.join(said[:3])}; the first position is {_tuple(flat[0])}: {hint}"
    if found.shape[1] == 3:
        with np.errstate(all="ignore"):
            plane = found[:, :, :2].astype(np.float64) / found[:, :, 3:]
            a, b = plane[:, 1] - plane[:, 0], plane[:, 2] - plane[:, 0]
            area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) * width * height / 8
        if (area == 0).all():
            first = ", ".join(_tuple(flat[k]) for k in range(3))
            return f"every triangle is degenerate, its corners on one line or at one place: the first is {first}"
        if (area < 1).all():
            return f"every triangle is smaller than a pixel: the largest has {area.max():.2g} of one"
    return ""


def _tuple(position: Any) -> str:
    return f"({', '.join(f'{number:g}' for number in position.tolist())})"
