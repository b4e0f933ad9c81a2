"""The depth offset of polygons whose planes leave the range of depths within a few pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.texts import VS_POSITION
from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE, COUNT = 64, 40
WHITE = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n"
OWN_DEPTH = "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], POSITION\nMOV OUT[0].z, IN[0].zzzz\nEND\n"
FORMATS = ["Z16_UNORM", "Z24X8_UNORM", "Z32_FLOAT"]


def steep() -> NDArray[np.float32]:
    """Corners of thin triangles: from corner to corner, depth goes from a third of the range to another."""
    rng = np.random.default_rng(6)
    begin, along, across = (rng.uniform(-1, 1, (COUNT, 2)) for _ in range(3))
    corners = np.ones((COUNT, 3, 4), "f4")
    corners[:, :, :2] = begin[:, None] + np.stack([0 * along, along, 0.5 * along + 0.03 * across], 1)
    corners[:, :, 2] = rng.uniform(0.2, 0.6, (COUNT, 3))
    return corners.reshape(-1, 4)


class Scene:
    """A context with targets, into which the triangles are drawn one after the other."""

    def __init__(self, screen: g.Screen, format: str, samples: int) -> None:
        def make(format: str, bind: str, samples: int = samples) -> g.Resource:
            return screen.resource_create(format=format, width0=SIZE, height0=SIZE, nr_samples=samples, bind=bind)

        self.ctx, self.samples = screen.context_create(), samples
        self.color, self.depth = make("R8_UNORM", "RENDER_TARGET"), make(format, "DEPTH_STENCIL")
        self.ctx.set_framebuffer_state(cbufs=[self.color], zsbuf=self.depth)
        self.ctx.set_viewport_states([{"scale": (SIZE / 2, SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}])
        self.ctx.bind_vs_state(self.ctx.create_vs_state(VS_POSITION))
        self.ctx.bind_vertex_elements_state(self.ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", 0)]))
        self.ctx.set_vertex_buffers([steep()])
        self.ctx.clear("COLOR|DEPTH", depth=1.0)

    def set(self, fs: str, func: str, shown: bool, **rasterizer: Any) -> None:
        """Bind a program and states. func: of the depth test. shown: colors are written."""
        ctx = self.ctx
        ctx.bind_fs_state(ctx.create_fs_state(fs))
        test = {"enabled": True, "writemask": True, "func": func}
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(depth=test))
        ctx.bind_blend_state(ctx.create_blend_state(rt=[{"colormask": 15 if shown else 0}]))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(multisample=self.samples > 1, offset_tri=True, **rasterizer))

    def blocks(self, resource: g.Resource) -> NDArray[Any]:
        self.ctx.flush()
        return np.stack([np.array(resource.blocks(0, k)) for k in range(max(1, self.samples))])


@pytest.mark.parametrize("samples", [0, 4])
@pytest.mark.parametrize("format", FORMATS)
def test_two_units_are_seen_however_steep_a_polygon_is(screen: g.Screen, format: str, samples: int) -> None:
    counts = []
    for units in (0.0, 2.0, -2.0):
        scene = Scene(screen, format, samples)
        for k in range(COUNT):
            scene.set(WHITE, "ALWAYS", shown=False)
            scene.ctx.draw_vbo(mode="TRIANGLES", start=3 * k, count=3)
            scene.set(WHITE, "EQUAL", shown=True, offset_units=units)
            scene.ctx.draw_vbo(mode="TRIANGLES", start=3 * k, count=3)
        counts.append(int((scene.blocks(scene.color) > 0).sum()))
    assert counts[0] > 100
    assert counts[1:] == [0, 0]


@pytest.mark.parametrize("samples", [0, 4])
@pytest.mark.parametrize("format", FORMATS)
def test_programs_see_the_depth_with_its_offset(screen: g.Screen, format: str, samples: int) -> None:
    made = []
    for fs in (WHITE, OWN_DEPTH):
        scene = Scene(screen, format, samples)
        if samples:
            scene.ctx.set_min_samples(samples)
        scene.set(fs, "LESS", shown=False, offset_units=5.0, offset_scale=0.5)
        scene.ctx.draw_vbo(mode="TRIANGLES", count=3 * COUNT)
        made.append(scene.blocks(scene.depth))
    assert np.unique(made[0]).size > 100
    assert np.array_equal(made[0], made[1])
