"""The peer's side of the compute workloads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.catalog import MATRIX, SAXPY, Check
from benchmarks.compute import inputs
from benchmarks.compute.glsl import COMPUTE
from benchmarks.peer_context import Made, PeerContext


def _storage(p: PeerContext, *content: Any) -> list[Any]:
    """Buffers with this content, bound as storage from binding 0 on."""
    buffers = [p.ctx.buffer(np.ascontiguousarray(a).tobytes()) for a in content]
    for binding, buffer in enumerate(buffers):
        buffer.bind_to_storage_buffer(binding)
    return buffers


def _reading(buffer: Any, dtype: str, largest: float) -> Callable[[], Check]:
    return lambda: inputs.check(np.frombuffer(buffer.read(), dtype), largest)


def _saxpy(p: PeerContext) -> Made:
    x, y = inputs.vectors()
    shader = p.ctx.compute_shader(COMPUTE["compute_saxpy"])
    shader["a"].value = 2.0
    made = _storage(p, x, y, np.zeros(SAXPY, "f4"))[2]
    return lambda: shader.run(SAXPY // inputs.SAXPY_GROUP), _reading(made, "f4", 3.0)


def _matmul(p: PeerContext) -> Made:
    shader = p.ctx.compute_shader(COMPUTE["compute_matmul"])
    made = _storage(p, *inputs.matrices(), np.zeros((MATRIX, MATRIX), "f4"))[2]
    groups = MATRIX // inputs.TILE
    return lambda: shader.run(groups, groups), _reading(made, "f4", MATRIX / 2)


def _blur(p: PeerContext) -> Made:
    texels, ctx = inputs.picture(), p.ctx
    shader, size = ctx.compute_shader(COMPUTE["compute_blur"]), texels.shape[1::-1]
    source, between, made = ctx.texture(size, 4, texels.tobytes()), ctx.texture(size, 4), ctx.texture(size, 4)
    p.fbo, way = ctx.framebuffer([made]), shader["way"]

    def draw() -> None:
        for from_, to, step in ((source, between, (1, 0)), (between, made, (0, 1))):
            from_.bind_to_image(0, read=True, write=False)
            to.bind_to_image(1, read=False, write=True)
            way.value = step
            shader.run(*inputs.BLUR_GRID)
            ctx.memory_barrier()

    return draw, True


def _histogram(p: PeerContext) -> Made:
    shader = p.ctx.compute_shader(COMPUTE["compute_histogram"])
    total = _storage(p, inputs.texels(), np.zeros(inputs.BINS, "u4"))[1]

    def draw() -> None:
        total.clear()
        shader.run(inputs.HISTOGRAM_GRID)

    return draw, _reading(total, "u4", inputs.HISTOGRAM_PEAK)


MAKERS: dict[str, Callable[[PeerContext], Made]] = {
    "compute_saxpy": _saxpy,
    "compute_matmul": _matmul,
    "compute_blur": _blur,
    "compute_histogram": _histogram,
}
