"""Small programs of Gallium for explanations: a triangle with one thing that can be changed."""

from __future__ import annotations

from typing import Any

import numpy as np

import tgsi

SIZE = 32
VS = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
FS = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
FS_CONSTANT = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND\n"
LESS = {"depth": {"enabled": True, "writemask": True, "func": "LESS"}}
FULL = [[-1, -1], [3, -1], [-1, 3]]
VIEWPORT = {"scale": (SIZE / 2, -SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}


class Stage:
    """A context with targets, state and a way to draw a triangle."""

    def __init__(
        self, ctx: tgsi.gallium.Context, *, samples: int = 0, format: str = "R8G8B8A8_UNORM", depth: str = "Z24_UNORM_S8_UINT"
    ) -> None:
        """samples, format, depth: of the targets."""
        self.ctx = ctx
        self.screen: Any = ctx.screen
        create = ctx.screen.resource_create
        self.color = create(width0=SIZE, height0=SIZE, format=format, nr_samples=samples)
        self.depth = create(width0=SIZE, height0=SIZE, format=depth, nr_samples=samples)
        ctx.set_framebuffer_state(cbufs=[self.color], zsbuf=self.depth)
        ctx.set_viewport_states([VIEWPORT])
        self.programs(VS, FS)
        ctx.bind_vertex_elements_state(
            ctx.create_vertex_elements_state([(0, "R32G32B32_FLOAT"), {"src_offset": 12, "src_format": "R32G32B32A32_FLOAT"}])
        )

    def programs(self, vs: str | tgsi.Program, fs: str | tgsi.Program) -> None:
        """Bind a vertex and a fragment program."""
        self.ctx.bind_vs_state(self.ctx.create_vs_state(vs))
        self.ctx.bind_fs_state(self.ctx.create_fs_state(fs))

    def rasterizer(self, **fields: Any) -> None:
        """Bind rasterizer state."""
        self.ctx.bind_rasterizer_state(self.ctx.create_rasterizer_state(**fields))

    def tests(self, **fields: Any) -> None:
        """Bind depth, stencil and alpha tests."""
        self.ctx.bind_depth_stencil_alpha_state(self.ctx.create_depth_stencil_alpha_state(**fields))

    def blend(self, **fields: Any) -> None:
        """Bind the blend state of target 0."""
        self.ctx.bind_blend_state(self.ctx.create_blend_state(rt=[fields]))

    def triangle(self, corners: Any = FULL, z: float = 0.0, color: Any = (1.0, 0.5, 0.25, 1.0), **draw: Any) -> None:
        """Draw a triangle in one color. corners: (3, 2), from -1 to 1."""
        data = np.array([[*corner, z, *color] for corner in corners], np.float32)
        self.ctx.set_vertex_buffers([data])
        self.ctx.draw_vbo(**{"mode": "TRIANGLES", "count": len(data), **draw})
