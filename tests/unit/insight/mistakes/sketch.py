"""Small programs of Gallium with everything right, of which a mistake changes one thing; and the table of mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from tgsi.gallium import Context, Resource
from tgsi.language.record import record

Array = NDArray[Any]
SIZE = 64
VS = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
VS_MATRIX = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0..3]
DCL TEMP[0]
MUL TEMP[0], CONST[0], IN[0].xxxx
MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
MAD OUT[0], CONST[3], IN[0].wwww, TEMP[0]
MOV OUT[1], IN[1]
END
"""
FS = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
FS_TEX = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END
"""
FS_CONST = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND\n"
FS_LIT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
DCL CONST[0]
IMM[0] FLT32 {0, 1, 0, 0}
DP3 TEMP[0].x, IN[0], CONST[0]
MAX TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
MUL OUT[0].xyz, TEMP[0].xxxx, IMM[0].yyyy
MOV OUT[0].w, IMM[0].yyyy
END
"""
TRI = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [0, 1, 0, 1]], np.float32)
"""A triangle, counterclockwise where y is upwards."""
QUAD = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1], [1, 1, 0, 1]], np.float32)
UV = np.array([[0, 0, 0, 1], [1, 0, 0, 1], [0, 1, 0, 1], [1, 1, 0, 1]], np.float32)
RED = np.array([[1, 0.2, 0.2, 1]] * 4, np.float32)
BLACK = (0, 0, 0, 1)
_FORMATS = {1: "R32_FLOAT", 2: "R32G32_FLOAT", 3: "R32G32B32_FLOAT", 4: "R32G32B32A32_FLOAT"}


class Sketch:
    """A context and the steps of a program. at, target, layer: the pixel that a beginner would ask for; None: there is none."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.screen: Any = ctx.screen
        self.at: tuple[int, int] | None = (SIZE // 2, SIZE // 2)
        self.target: Any = None
        self.layer = 0

    # -- targets ---------------------------------------------------------------------------------------------------------
    def color(self, format: str = "R8G8B8A8_UNORM", **fields: Any) -> Resource:
        """A texture that can be drawn to."""
        given = {"format": format, "width0": SIZE, "height0": SIZE, "bind": "RENDER_TARGET|SAMPLER_VIEW"}
        made: Resource = self.screen.resource_create(**(given | fields))
        return made

    def bind(self, *cbufs: Any, zsbuf: Any = None) -> None:
        """Bind targets."""
        self.ctx.set_framebuffer_state(cbufs=list(cbufs), zsbuf=zsbuf)

    def viewport(self, **fields: Any) -> None:
        """Set the viewport of the whole target, y upwards."""
        self.ctx.set_viewport_states([{"scale": (SIZE / 2, -SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)} | fields])

    def frame(self, depth: str | None = None, color: str = "R8G8B8A8_UNORM", clear: bool = True, **fields: Any) -> Resource:
        """Bind a target, with a depth buffer if a format is given, set the viewport, and clear."""
        target = self.color(color, **fields)
        self.bind(target, zsbuf=self.color(depth, bind="DEPTH_STENCIL|SAMPLER_VIEW", **fields) if depth else None)
        self.viewport()
        if clear:
            self.ctx.clear("COLOR|DEPTH|STENCIL" if depth else "COLOR", color=BLACK, depth=1.0)
        return target

    # -- state -----------------------------------------------------------------------------------------------------------
    def shaders(self, vs: Any = VS, fs: Any = FS) -> None:
        """Bind a vertex and a fragment program."""
        self.ctx.bind_vs_state(self.ctx.create_vs_state(vs))
        self.ctx.bind_fs_state(self.ctx.create_fs_state(fs))

    def raster(self, **fields: Any) -> None:
        """Bind rasterizer state."""
        self.ctx.bind_rasterizer_state(self.ctx.create_rasterizer_state(**fields))

    def dsa(self, **fields: Any) -> None:
        """Bind depth, stencil and alpha tests."""
        self.ctx.bind_depth_stencil_alpha_state(self.ctx.create_depth_stencil_alpha_state(**fields))

    def less(self) -> None:
        """Bind the usual depth test."""
        self.dsa(depth={"enabled": True, "writemask": True, "func": "LESS"})

    def blend(self, **fields: Any) -> None:
        """Bind blend state."""
        self.ctx.bind_blend_state(self.ctx.create_blend_state(**fields))

    def elements(self, *elements: Any) -> None:
        """Bind vertex elements."""
        self.ctx.bind_vertex_elements_state(self.ctx.create_vertex_elements_state(elements))

    def vertices(self, *arrays: Array, formats: Sequence[str] = (), divisors: Sequence[int] = ()) -> None:
        """Bind an array for each input of the vertex program."""
        self.elements(
            *((0, formats[k] if formats else _FORMATS[a.shape[1]], k, divisors[k] if divisors else 0) for k, a in enumerate(arrays))
        )
        self.ctx.set_vertex_buffers(list(arrays))

    def texture(
        self, *, sampler: bool = True, upload: bool = True, levels: int = 1, size: int = 8, slot: int = 0, **fields: Any
    ) -> Resource:
        """Bind a light texture to a unit. fields: `format`, and those of the sampler."""
        format = fields.pop("format", "R8G8B8A8_UNORM")
        made: Resource = self.screen.resource_create(format=format, width0=size, height0=size, last_level=levels - 1, bind="SAMPLER_VIEW")
        if upload:
            self.ctx.texture_subdata(made, np.full((size, size, 4), 200, np.uint8))
        self.ctx.set_sampler_views("FRAGMENT", [self.ctx.create_sampler_view(made)], start=slot)
        if sampler:
            self.ctx.bind_sampler_states("FRAGMENT", [self.ctx.create_sampler_state(**fields)], start=slot)
        return made

    # -- draws -----------------------------------------------------------------------------------------------------------
    def triangle(self, positions: Array = TRI, colors: Array | None = None, **shaders: Any) -> None:
        """Draw a triangle."""
        self.shaders(**shaders)
        self.vertices(positions, RED[: len(positions)] if colors is None else colors)
        self.ctx.draw_vbo(mode="TRIANGLES", count=3)

    def quad(self, uv: Array = UV, positions: Array = QUAD, count: int = 4, mode: str = "TRIANGLE_STRIP", **shaders: Any) -> None:
        """Draw a quad with a texture."""
        self.shaders(**({"fs": FS_TEX} | shaders))
        self.vertices(positions, uv)
        self.ctx.draw_vbo(mode=mode, count=count)

    def explained(self) -> str:
        """The first sentence about the pixel that a beginner would ask for, or the error that takes its place."""
        assert self.at is not None
        try:
            found = self.ctx.explain(*self.at, target=self.target, layer=self.layer)
        except RuntimeError as error:
            return str(error)
        assert [event.proof for event in found.events if event.proof] == []
        return str(found.sentence)


@contextmanager
def sketch(**options: Any) -> Iterator[Sketch]:
    """A Sketch on a screen of its own."""
    with tgsi.Screen(threads=0, **options) as screen, screen.context_create() as ctx:
        yield Sketch(ctx)


@record
class Mistake:
    """A mistake: its name, the program, words of a warning, and words of the first sentence of `explain`; empty if there is none."""

    name: str
    program: Callable[[Sketch], None]
    warns: str
    explains: str


TABLE: dict[str, Mistake] = {}
"""All mistakes by name. The modules beside this one fill it."""


def mistake(*, warns: str = "", explains: str = "") -> Callable[[Callable[[Sketch], None]], Callable[[Sketch], None]]:
    """A decorator that adds a program to the table."""
    assert warns or explains

    def add(program: Callable[[Sketch], None]) -> Callable[[Sketch], None]:
        assert program.__name__ not in TABLE
        TABLE[program.__name__] = Mistake(program.__name__, program, warns, explains)
        return program

    return add
