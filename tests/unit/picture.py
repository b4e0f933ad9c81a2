"""Helpers for pictures drawn through a context, and for runs on both engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import tgsi
from backends.llvm.engine import opt_level
from backends.run.result import RunResult
from tgsi import gallium as g

Array = NDArray[Any]

ENGINES = ("interp", "jit")
STRIP = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1], [1, 1, 0, 1]], np.float32)
TRIANGLE = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)
PASS = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
WHITE = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"
GENERIC = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
LESS = g.DepthStencilAlphaState(depth=g.DepthState(True, True, g.CompareFunc.LESS))


def screen() -> g.Screen:
    """One screen without threads for all pictures, or two: tests with the mark `light` share no kernel with others."""
    return _screen(opt_level.DEFAULT)


@cache
def _screen(level: int) -> g.Screen:
    return g.Screen(threads=0)


def both(text: str, *given: Any, **options: Any) -> RunResult:
    """Result of both engines, which must agree in every bit."""
    program = tgsi.parse(text)
    first, *others = (tgsi.run(program, *given, engine=engine, **options) for engine in ENGINES)
    for other in others:
        differs = first.outputs != other.outputs
        assert not differs.any(), f"engines differ at {np.argwhere(differs)[:4].tolist()}"
        assert first.alive.tolist() == other.alive.tolist()
        assert [stream.tolist() for stream in first.emitted] == [stream.tolist() for stream in other.emitted]
        assert [stream.tolist() for stream in first.strips] == [stream.tolist() for stream in other.strips]
        assert {k: v.tolist() for k, v in first.buffers.items()} == {k: v.tolist() for k, v in other.buffers.items()}
    return first


class Picture:
    """Targets of one size, cleared to 0 (depth to 1), and draws into them. Increasing y of clip space maps to increasing rows."""

    def __init__(
        self, width: int = 16, height: int = 16, *, format: str = "R32G32B32A32_FLOAT", targets: int = 1, depth: bool = False
    ) -> None:
        self.ctx = screen().context_create()
        self.targets = [screen().resource_create(width0=width, height0=height, format=format) for _ in range(targets)]
        self.zs = screen().resource_create(width0=width, height0=height, format="Z32_FLOAT", bind="DEPTH_STENCIL") if depth else None
        self.ctx.set_framebuffer_state(cbufs=self.targets, zsbuf=self.zs)
        self.ctx.clear(color=(0, 0, 0, 0), depth=1.0)
        half = (width / 2, height / 2, 0.5)
        self.ctx.set_viewport_states([g.ViewportState(half, half)] * 16)  # one for every index that a program may name

    def draw(
        self,
        fragment: str | None = WHITE,
        vertex: str = PASS,
        points: Array = STRIP,
        values: Array | None = None,
        *,
        mode: str = "TRIANGLE_STRIP",
        dsa: g.DepthStencilAlphaState | None = None,
        planes: Sequence[Sequence[float]] | None = None,
        rasterizer: dict[str, Any] | None = None,
        stream_output: g.StreamOutputInfo | None = None,
        **info: Any,
    ) -> Self:
        """Draw vertices. points, values: (vertices, 4), the inputs IN[0] and IN[1] of the vertex program."""
        ctx = self.ctx
        values = np.zeros_like(points) if values is None else values
        ctx.bind_vs_state(ctx.create_vs_state(vertex, stream_output=stream_output))
        ctx.bind_fs_state(None if fragment is None else ctx.create_fs_state(fragment))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**(rasterizer or {})))
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(dsa))
        if planes is not None:
            ctx.set_clip_state(planes)
        float4 = "R32G32B32A32_FLOAT"
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, float4), (16, float4)]))
        ctx.set_vertex_buffers([np.ascontiguousarray(np.hstack([points, values]), dtype=np.float32)])
        ctx.draw_vbo(mode=mode, **({"count": len(points)} | info))
        return self

    def buffer(self, data: Array) -> g.Resource:
        """Buffer with these contents."""
        result = screen().resource_create(target="BUFFER", width0=data.nbytes)
        self.ctx.buffer_subdata(result, data)
        return result

    def pixels(self, target: int = 0) -> Array:
        """Pixels of a target, of shape (height, width, 4)."""
        self.ctx.flush()
        found: Array = np.array(self.targets[target].texels()[0])
        return found

    def covered(self) -> Array:
        """Mask of the pixels whose x is not 0, of shape (height, width)."""
        found: Array = self.pixels()[..., 0] != 0
        return found

    def counted(self, kind: str, draw: Callable[[], object]) -> Any:
        """Result of a query around a draw."""
        query = self.ctx.create_query(kind)
        self.ctx.begin_query(query)
        draw()
        self.ctx.end_query(query)
        return self.ctx.get_query_result(query)
