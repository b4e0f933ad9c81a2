"""Our side of the compute workloads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.catalog import MATRIX, SAXPY, Check
from benchmarks.compute import inputs
from benchmarks.our_context import Draw, Made, OurContext, shader_text


def _program(o: OurContext, name: str) -> None:
    o.ctx.bind_compute_state(o.ctx.create_compute_state(shader_text(name, "comp")))


def _storage(o: OurContext, *content: NDArray[Any]) -> list[Any]:
    """Buffers with this content, bound to the compute stage from slot 0 on, in the order that Mesa gave the program's blocks."""
    buffers = [o.screen.resource_create(target="BUFFER", width0=a.nbytes, bind="SHADER_BUFFER") for a in content]
    for buffer, a in zip(buffers, content, strict=True):
        o.ctx.buffer_subdata(buffer, np.ascontiguousarray(a))
    o.ctx.set_shader_buffers("COMPUTE", buffers)
    return buffers


def _reading(o: OurContext, buffer: Any, dtype: str, largest: float) -> Callable[[], Check]:
    def look() -> Check:
        with o.ctx.transfer_map(buffer, usage="READ") as mapped:
            return inputs.check(np.array(mapped.data).view(dtype), largest)

    return look


def _launching(o: OurContext, *grid: int) -> Draw:
    """Launch of `grid` blocks of the program's size."""
    ctx, ready = o.ctx, (*grid, *(1,) * (3 - len(grid)))
    return lambda: ctx.launch_grid(grid=ready)


def _saxpy(o: OurContext) -> Made:
    _program(o, "compute_saxpy")
    x, y = inputs.vectors()
    o.ctx.set_constant_buffer("COMPUTE", np.array([2, 0, 0, 0], "f4"))
    made = _storage(o, np.zeros(SAXPY, "f4"), x, y)[0]
    return _launching(o, SAXPY // inputs.SAXPY_GROUP), _reading(o, made, "f4", 3.0)


def _matmul(o: OurContext) -> Made:
    _program(o, "compute_matmul")
    a, b = inputs.matrices()
    made = _storage(o, np.zeros((MATRIX, MATRIX), "f4"), b, a)[0]
    groups = MATRIX // inputs.TILE
    return _launching(o, groups, groups), _reading(o, made, "f4", MATRIX / 2)


def _blur_constants(way: tuple[int, int]) -> NDArray[np.uint32]:
    """The uniform, followed by the array of weights, which Mesa turns into a uniform: six vec4s."""
    words = np.zeros((6, 4), "u4")
    words[0, :2] = way
    words[1:, 0] = np.array(inputs.WEIGHTS, "f4").view("u4")
    return words


def _blur(o: OurContext) -> Made:
    _program(o, "compute_blur")
    texels, ctx = inputs.picture(), o.ctx
    height, width = texels.shape[:2]
    source, between, made = (o.screen.resource_create(format="R8G8B8A8_UNORM", width0=width, height0=height) for _ in range(3))
    ctx.texture_subdata(source, texels)
    launch, o.targets = _launching(o, *inputs.BLUR_GRID), [made]
    ways = [(pair, _blur_constants(way)) for pair, way in (((source, between), (1, 0)), ((between, made), (0, 1)))]

    def draw() -> None:
        for images, way in ways:
            ctx.set_shader_images("COMPUTE", images)
            ctx.set_constant_buffer("COMPUTE", way)
            launch()
            ctx.memory_barrier("IMAGE")

    return draw, True


def _histogram(o: OurContext) -> Made:
    _program(o, "compute_histogram")
    total = _storage(o, inputs.texels(), np.zeros(inputs.BINS, "u4"))[1]
    launch, ctx, zero = _launching(o, inputs.HISTOGRAM_GRID), o.ctx, bytes(4)

    def draw() -> None:
        ctx.clear_buffer(total, zero)
        launch()

    return draw, _reading(o, total, "u4", inputs.HISTOGRAM_PEAK)


MAKERS: dict[str, Callable[[OurContext], Made]] = {
    "compute_saxpy": _saxpy,
    "compute_matmul": _matmul,
    "compute_blur": _blur,
    "compute_histogram": _histogram,
}
