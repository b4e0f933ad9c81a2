"""Mistakes of beginners: programs that are legal, draw a wrong picture, and raise nothing; and a word that names each cause.

A program takes a Sketch, which begins right, and does one thing wrong.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tgsi
from tgsi import gallium as g

WIDTH, HEIGHT = 32, 24
VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END"""
FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END"""
TRANSFORMED = """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL CONST[0][0..3]
DCL TEMP[0]
MUL TEMP[0], CONST[0][0], IN[0].xxxx
MAD TEMP[0], CONST[0][1], IN[0].yyyy, TEMP[0]
MAD TEMP[0], CONST[0][2], IN[0].zzzz, TEMP[0]
MAD OUT[0], CONST[0][3], IN[0].wwww, TEMP[0]
END"""
WHITE = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND"
TEXTURED = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END"""
CORNERS = [[-0.8, -0.7, 0, 1], [0.8, -0.7, 0, 1], [0, 0.8, 0, 1]]
"""A triangle, counterclockwise where y is upwards."""


@dataclass
class Sketch:
    """A context in which a triangle is ready to be drawn."""

    ctx: g.Context
    has_viewport: bool = True
    screen: tgsi.Screen = field(init=False)
    target: g.Resource = field(init=False)
    depth: g.Resource = field(init=False)

    def __post_init__(self) -> None:
        self.screen = self.ctx.screen  # type: ignore[assignment]
        ctx, create = self.ctx, self.screen.resource_create
        self.target = create(format="R8G8B8A8_UNORM", width0=WIDTH, height0=HEIGHT)
        self.depth = create(format="Z32_FLOAT", width0=WIDTH, height0=HEIGHT)
        ctx.set_framebuffer_state(cbufs=[self.target])
        if self.has_viewport:
            self.viewport()
        ctx.clear("COLOR", color=(0, 0, 0, 1))
        self.shaders()
        self.elements((0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT"))
        self.vertices(CORNERS)

    def viewport(self, width: float = WIDTH, height: float = HEIGHT) -> None:
        self.ctx.set_viewport_states([{"scale": (width / 2, -height / 2, 0.5), "translate": (width / 2, height / 2, 0.5)}])

    def shaders(self, vertex: str | tgsi.Program = VERTEX, fragment: str | tgsi.Program = FRAGMENT) -> None:
        self.ctx.bind_vs_state(self.ctx.create_vs_state(vertex))
        self.ctx.bind_fs_state(self.ctx.create_fs_state(fragment))

    def elements(self, *elements: tuple[int, str]) -> None:
        self.ctx.bind_vertex_elements_state(self.ctx.create_vertex_elements_state(elements))

    def vertices(self, corners: Any, color: Any = (1, 0.5, 0.25, 1), **given: Any) -> None:
        rows = np.array([[*corner, *color] for corner in corners], np.float32)
        self.ctx.set_vertex_buffers([{"buffer": self.screen.buffer_from(rows), "stride": 32, **given}])

    def with_depth(self, clear: float | None = 1.0, func: str = "LESS") -> None:
        self.ctx.set_framebuffer_state(cbufs=[self.target], zsbuf=self.depth)
        if clear is not None:
            self.ctx.clear("DEPTH", depth=clear)
        tests = {"enabled": True, "writemask": True, "func": func}
        self.ctx.bind_depth_stencil_alpha_state(self.ctx.create_depth_stencil_alpha_state(depth=tests))

    def rasterizer(self, **fields: Any) -> None:
        self.ctx.bind_rasterizer_state(self.ctx.create_rasterizer_state(**fields))

    def blend(self, **fields: Any) -> None:
        self.ctx.bind_blend_state(self.ctx.create_blend_state(rt=[fields]))

    def draw(self, **given: Any) -> None:
        self.ctx.draw_vbo(**{"mode": "TRIANGLES", "count": 3, **given})


@contextmanager
def sketch(**options: Any) -> Iterator[Sketch]:
    """A Sketch on a screen of its own."""
    with tgsi.Screen(threads=0, **options) as screen, screen.context_create() as ctx:
        yield Sketch(ctx)


def right(s: Sketch) -> None:
    """No mistake."""
    s.draw()


def no_framebuffer(s: Sketch) -> None:
    s.ctx.set_framebuffer_state()
    s.draw()


def no_viewport(s: Sketch) -> None:
    with s.screen.context_create() as ctx:
        other = Sketch(ctx, has_viewport=False)
        other.draw()
        other.target.pixels()


def viewport_of_one(s: Sketch) -> None:
    s.ctx.set_viewport_states([{"scale": (1, 1, 1), "translate": (0, 0, 0)}])
    s.draw()


def no_elements(s: Sketch) -> None:
    s.ctx.bind_vertex_elements_state(None)
    s.draw()


def no_vertex_buffer(s: Sketch) -> None:
    s.ctx.set_vertex_buffers([None])
    s.draw()


def count_forgotten(s: Sketch) -> None:
    s.draw(count=0)


def two_vertices(s: Sketch) -> None:
    s.draw(count=2)


def no_instances(s: Sketch) -> None:
    s.draw(instance_count=0)


def other_semantic(s: Sketch) -> None:
    s.shaders(fragment=FRAGMENT.replace("GENERIC[0]", "GENERIC[1]"))
    s.draw()


def no_position(s: Sketch) -> None:
    s.shaders(vertex=VERTEX.replace("DCL OUT[0], POSITION", "DCL OUT[0], GENERIC[7]"))
    s.draw()


def no_color(s: Sketch) -> None:
    s.shaders(fragment="FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\nEND")
    s.draw()


def no_fragment_shader(s: Sketch) -> None:
    s.ctx.bind_fs_state(None)
    s.draw()


def depth_without_buffer(s: Sketch) -> None:
    s.with_depth()
    s.ctx.set_framebuffer_state(cbufs=[s.target])
    s.draw()


def depth_never_cleared(s: Sketch) -> None:
    s.with_depth(clear=None)
    s.draw()


def depth_func_forgotten(s: Sketch) -> None:
    s.with_depth()
    s.ctx.bind_depth_stencil_alpha_state(s.ctx.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": True}))
    s.draw()


def culled(s: Sketch) -> None:
    s.rasterizer(cull_face="FRONT_AND_BACK")
    s.draw()


def wound_the_other_way(s: Sketch) -> None:
    s.rasterizer(cull_face="BACK", front_ccw=False)
    s.draw()


def scissor_without_rectangle(s: Sketch) -> None:
    s.rasterizer(scissor=True)
    s.draw()


def scissor_elsewhere(s: Sketch) -> None:
    s.rasterizer(scissor=True)
    s.ctx.set_scissor_states([{"minx": 0, "miny": 0, "maxx": 2, "maxy": 2}])
    s.draw()


def pixels_as_positions(s: Sketch) -> None:
    s.vertices([[4, 4, 0, 1], [28, 4, 0, 1], [16, 20, 0, 1]])
    s.draw()


def w_is_zero(s: Sketch) -> None:
    s.vertices([[x, y, z, 0] for x, y, z, _ in CORNERS])
    s.draw()


def nan_positions(s: Sketch) -> None:
    s.vertices([[float("nan"), y, z, w] for _, y, z, w in CORNERS])
    s.draw()


def one_point_three_times(s: Sketch) -> None:
    s.vertices([CORNERS[0]] * 3)
    s.draw()


def beyond_the_far_plane(s: Sketch) -> None:
    s.vertices([[x, y, 5, w] for x, y, _, w in CORNERS])
    s.draw()


def no_constants(s: Sketch) -> None:
    s.shaders(TRANSFORMED, WHITE)
    s.draw()


def transposed_matrix(s: Sketch) -> None:
    s.shaders(TRANSFORMED, WHITE)
    s.vertices([[x + 10, y, z, w] for x, y, z, w in CORNERS])
    moved = np.array([[1, 0, 0, -10], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], np.float32)
    s.ctx.set_constant_buffer("VERTEX", moved)  # columns are wanted
    s.draw()


def no_texture(s: Sketch) -> None:
    s.shaders(fragment=TEXTURED)
    s.draw()


def feedback(s: Sketch) -> None:
    s.shaders(fragment=TEXTURED)
    s.ctx.bind_sampler_states("FRAGMENT", [s.ctx.create_sampler_state()])
    s.ctx.set_sampler_views("FRAGMENT", [s.ctx.create_sampler_view(s.target)])
    s.draw()


def stride_of_positions_only(s: Sketch) -> None:
    s.vertices(CORNERS, stride=16)
    s.draw()


def too_few_vertices(s: Sketch) -> None:
    s.draw(count=6)


def index_too_large(s: Sketch) -> None:
    s.draw(index=np.array([0, 1, 3], np.uint16))


def bytes_as_floats(s: Sketch) -> None:
    s.ctx.clear("COLOR", color=(255, 128, 0, 255))


def alpha_of_zero_blended(s: Sketch) -> None:
    s.blend(blend_enable=True, rgb_src_factor="SRC_ALPHA", rgb_dst_factor="INV_SRC_ALPHA", alpha_src_factor="ZERO", alpha_dst_factor="ONE")
    s.vertices(CORNERS, color=(1, 0.5, 0.25, 0))
    s.draw()


def color_mask_of_zero(s: Sketch) -> None:
    s.blend(colormask=0)
    s.draw()


def everything_discarded(s: Sketch) -> None:
    s.shaders(fragment="FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {-1, 1, 1, 1}\nKILL_IF IMM[0].xxxx\nMOV OUT[0], IMM[0].yyyy\nEND")
    s.draw()


def black_on_black(s: Sketch) -> None:
    s.vertices(CORNERS, color=(0, 0, 0, 1))
    s.draw()


def stencil_reference(s: Sketch) -> None:
    buffer = s.screen.resource_create(format="S8_UINT", width0=WIDTH, height0=HEIGHT)
    s.ctx.set_framebuffer_state(cbufs=[s.target], zsbuf=buffer)
    s.ctx.clear("STENCIL", stencil=0)
    test = {"enabled": True, "func": "EQUAL", "valuemask": 0xFF, "writemask": 0xFF}
    s.ctx.bind_depth_stencil_alpha_state(s.ctx.create_depth_stencil_alpha_state(stencil=[test, {}]))
    s.ctx.set_stencil_ref((1, 1))
    s.draw()


def sample_mask_of_zero(s: Sketch) -> None:
    s.ctx.set_sample_mask(0)
    s.draw()


def bytes_of_the_shader(s: Sketch) -> None:
    s.vertices(CORNERS, color=(255, 128, 200, 255))
    s.draw()


def never_cleared(s: Sketch) -> None:
    target = s.screen.resource_create(format="R8G8B8A8_UNORM", width0=WIDTH, height0=HEIGHT)
    s.ctx.set_framebuffer_state(cbufs=[target])
    s.draw()
    target.pixels()


def transparent_png(s: Sketch) -> None:
    s.ctx.clear("COLOR", color=(1, 0.5, 0, 0))
    s.target.save(io.BytesIO())


def smaller_depth_buffer(s: Sketch) -> None:
    depth = s.screen.resource_create(format="Z32_FLOAT", width0=WIDTH // 2, height0=HEIGHT)
    s.ctx.set_framebuffer_state(cbufs=[s.target], zsbuf=depth)
    s.draw()


def integers_as_floats(s: Sketch) -> None:
    s.shaders(
        tgsi.compile("#version 330\nin vec3 place; void main() { gl_Position = vec4(place, 1.0); }", stage="vert"), tgsi.compile(WHITE)
    )
    s.ctx.set_vertex_buffers([{"buffer": s.screen.buffer_from(np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], np.int32)), "stride": 12}])
    s.elements((0, "R32G32B32_SINT"))
    s.draw()


def rasterizer_discard(s: Sketch) -> None:
    s.rasterizer(rasterizer_discard=True)
    s.draw()


@dataclass
class Mistake:
    """A mistake: its name, the program, and a word that validation or the first sentence of `explain` says."""

    name: str
    program: Callable[[Sketch], None]
    word: str


MISTAKES = [
    Mistake(program.__name__, program, word)
    for program, word in (
        (no_framebuffer, "framebuffer"),
        (no_viewport, "viewport"),
        (viewport_of_one, "viewport"),
        (no_elements, "vertex elements"),
        (no_vertex_buffer, "vertex buffer"),
        (count_forgotten, "count"),
        (two_vertices, "count"),
        (no_instances, "instance_count"),
        (other_semantic, "no output"),
        (no_position, "POSITION"),
        (no_color, "color"),
        (no_fragment_shader, "fragment shader"),
        (depth_without_buffer, "depth buffer"),
        (depth_never_cleared, "clear"),
        (depth_func_forgotten, "NEVER"),
        (culled, "cull"),
        (wound_the_other_way, "cull"),
        (scissor_without_rectangle, "scissor"),
        (scissor_elsewhere, "scissor"),
        (pixels_as_positions, "pixels"),
        (w_is_zero, "w is 0"),
        (nan_positions, "NaN"),
        (one_point_three_times, "degenerate"),
        (beyond_the_far_plane, "far plane"),
        (no_constants, "CONST[0]"),
        (transposed_matrix, "transposed"),
        (no_texture, "sampler view"),
        (feedback, "drawn to"),
        (stride_of_positions_only, "stride"),
        (too_few_vertices, "beyond"),
        (index_too_large, "index"),
        (bytes_as_floats, "255"),
        (alpha_of_zero_blended, "alpha"),
        (color_mask_of_zero, "mask"),
        (everything_discarded, "discard"),
        (black_on_black, "color"),
        (stencil_reference, "stencil"),
        (sample_mask_of_zero, "sample mask"),
        (bytes_of_the_shader, "255"),
        (never_cleared, "cleared"),
        (transparent_png, "alpha"),
        (smaller_depth_buffer, "sizes"),
        (rasterizer_discard, "rasterizer_discard"),
        (integers_as_floats, "SINT"),
    )
]
"""Mistakes that leave a picture wrong; `right` has none."""
