"""Our side of a workload: a Context with the calls that several workloads share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from benchmarks.catalog import HEIGHT, WIDTH, Check
from tgsi import gallium as g

Draw = Callable[[], None]
Made = tuple[Draw, Callable[[], Check] | bool]
"""A frame, and how its result is checked: True for the picture of the first target, False for nothing."""
SHADERS = Path(__file__).parent / "shaders"
FLOATS = {1: "R32_FLOAT", 2: "R32G32_FLOAT", 3: "R32G32B32_FLOAT", 4: "R32G32B32A32_FLOAT"}
DEPTH_FORMATS = ("Z24X8_UNORM", "Z24_UNORM_S8_UINT")


def shader_text(name: str, stage: str) -> str:
    """Stored TGSI of a workload. `stage` is "vert", "tesc", "tese", "geom", "frag" or "comp"."""
    return (SHADERS / f"{name}.{stage}.tgsi").read_text()


def both(first: Draw, second: Draw) -> Draw:
    """A call that combines two."""

    def draw() -> None:
        first()
        second()

    return draw


class OurContext:
    """Screen, Context and targets of a workload."""

    def __init__(self, *, threads: int | None = None, lanes: int | None = None, cache_dir: str | None = "", history: bool = False) -> None:
        self.screen = tgsi.Screen(threads=threads, lanes=lanes, cache_dir=cache_dir, history=history)
        self.ctx: Any = None
        self.targets: list[Any] = []
        self.depth: Any = None

    # -- used by the workloads below
    def finish(self) -> None:
        """Wait until all drawing is in memory."""
        self.screen.fence_finish(self.ctx.flush())

    def target(
        self,
        width: int = WIDTH,
        height: int = HEIGHT,
        *,
        count: int = 1,
        format: str = "R8G8B8A8_UNORM",
        depth: bool = False,
        bind: str = "RENDER_TARGET",
    ) -> None:
        """Create and bind the framebuffer of the workload and a viewport that covers it, with y up."""
        self.targets = [self._texture(width, height, format, bind) for _ in range(count)]
        self.depth = self._texture(width, height, self._depth_format(), "DEPTH_STENCIL") if depth else None
        self.ctx.set_framebuffer_state(cbufs=self.targets, zsbuf=self.depth)
        self.ctx.set_viewport_states([{"scale": (width / 2, height / 2, 0.5), "translate": (width / 2, height / 2, 0.5)}])

    def _texture(self, width: int, height: int, format: str, bind: str, levels: int = 1) -> Any:
        return self.screen.resource_create(
            target="TEXTURE_2D", format=format, width0=width, height0=height, bind=bind, last_level=levels - 1
        )

    def _depth_format(self) -> str:
        return next(f for f in DEPTH_FORMATS if self.screen.is_format_supported(f, target="TEXTURE_2D", bind="DEPTH_STENCIL"))

    def program(self, name: str) -> None:
        """Create and bind the shaders of a workload."""
        self.shaders(shader_text(name, "vert"), shader_text(name, "frag"))

    def shaders(self, vertex: str, fragment: str) -> None:
        """Create and bind two shaders."""
        self.ctx.bind_vs_state(self.ctx.create_vs_state(vertex))
        self.ctx.bind_fs_state(self.ctx.create_fs_state(fragment))

    def attributes(self, *arrays: NDArray[Any]) -> None:
        """Bind a vertex buffer and a float vertex element for each array of shape (vertices, components)."""
        elements = [(0, FLOATS[a.shape[1]], i) for i, a in enumerate(arrays)]
        self.ctx.bind_vertex_elements_state(self.ctx.create_vertex_elements_state(elements))
        self.ctx.set_vertex_buffers([np.ascontiguousarray(a, "f4") for a in arrays])

    def strip(self, *arrays: NDArray[Any], instances: int = 1) -> Draw:
        """Draw call of four vertices as a triangle strip."""
        self.attributes(*arrays)
        return self.drawing(mode="TRIANGLE_STRIP", count=4, instance_count=instances)

    def drawing(self, **info: Any) -> Draw:
        """Draw call whose arguments are prepared once."""
        ready, ctx = g.DrawInfo(**info | {"mode": g.Prim.__members__[info["mode"]]}), self.ctx
        return lambda: ctx.draw_vbo(ready)

    def clearing(self, *, depth: bool, color: tuple[float, float, float, float] = (0, 0, 0, 0)) -> Draw:
        """Clear of the color and, if requested, of the depth to 1."""
        buffers, ctx = g.Clear.COLOR0 | (g.Clear.DEPTH if depth else 0), self.ctx
        return lambda: ctx.clear(buffers, color=color, depth=1.0, stencil=0)

    def depth_test(self) -> None:
        """Bind a depth test with LESS and depth writes."""
        state = self.ctx.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": True, "func": "LESS"})
        self.ctx.bind_depth_stencil_alpha_state(state)

    def texture(self, levels: Sequence[NDArray[np.uint8]], *, mip_filter: str = "NONE", max_anisotropy: int = 0) -> Any:
        """Bind a repeating, linearly filtered RGBA8 texture, and return its view."""
        height, width = levels[0].shape[:2]
        texture = self._texture(width, height, "R8G8B8A8_UNORM", "SAMPLER_VIEW", len(levels))
        for i, texels in enumerate(levels):
            self.ctx.texture_subdata(texture, texels, level=i)
        sampler = self.ctx.create_sampler_state(
            min_img_filter="LINEAR", mag_img_filter="LINEAR", min_mip_filter=mip_filter, max_anisotropy=max_anisotropy
        )
        view = self.ctx.create_sampler_view(texture)
        self.ctx.set_sampler_views("FRAGMENT", [view])
        self.ctx.bind_sampler_states("FRAGMENT", [sampler])
        return view

    def pixels(self) -> NDArray[Any]:
        """Copy of the first color target, of shape (height, width, 4)."""
        with self.ctx.transfer_map(self.targets[0], usage="READ") as mapped:
            return np.array(mapped.data)
