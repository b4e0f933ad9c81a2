"""Random rasterizer states, layers, viewports and NaN vertices do not crash, and give the same bytes on all machines."""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Any

import numpy as np
import pytest

from tests.unit.picture import GENERIC
from tests.unit.raster.test_layers import ROUTE
from tgsi import gallium as g
from tgsi.language.diagnostics import UnsupportedError

pytestmark = pytest.mark.light

MODES = ["POINTS", "LINES", "LINE_STRIP", "LINE_LOOP", "TRIANGLES", "TRIANGLE_STRIP", "TRIANGLE_FAN", "QUADS", "QUAD_STRIP", "POLYGON"]
NUMBERS: list[float] = [0.0, 1.0, -3.5, 2.5, 17.3, 300.0, 1e30, -1e9, 0.001]
PLACES = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], LAYER, CONSTANT
DCL IN[2], VIEWPORT_INDEX, CONSTANT
DCL IN[3], PCOORD, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0]
I2F TEMP[0], IN[1]
ADD TEMP[0], TEMP[0], IN[2]
MAD OUT[0], IN[0], IN[3], TEMP[0]
END
"""


LEGAL: dict[str, list[float]] = {
    "conservative_raster_dilate": [0.0, 0.3, 1.0],
    "subpixel_precision_x": [0, 1, 6],
    "subpixel_precision_y": [0, 3, 6],
}


def another(rng: np.random.Generator, name: str, value: Any) -> Any:
    if name in LEGAL:
        return LEGAL[name][rng.integers(3)]
    if isinstance(value, bool):
        return bool(rng.integers(2))
    if isinstance(value, Enum):
        members = list(type(value))
        return members[rng.integers(len(members))]
    return int(rng.choice([0, 1, 3, 7, 85, 255])) if isinstance(value, int) else float(rng.choice(NUMBERS))


def drawn(screen: g.Screen, seed: int) -> bytes:
    """Color and depth of a random picture."""
    rng = np.random.default_rng(seed)
    with screen.context_create() as ctx:
        array: dict[str, Any] = {"target": "TEXTURE_2D_ARRAY", "width0": 100, "height0": 70, "array_size": int(rng.choice([1, 3, 6]))}
        color = screen.resource_create(format="R8G8B8A8_UNORM", **array)
        depth = screen.resource_create(format=str(rng.choice(["Z32_FLOAT", "Z24X8_UNORM"])), bind="DEPTH_STENCIL", **array)
        ctx.set_framebuffer_state(cbufs=[color], zsbuf=depth)
        ctx.clear(color=(0, 0, 0, 0))
        test = {"enabled": True, "writemask": True, "func": "LEQUAL"}
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(depth=test))
        fields = [f for f in dataclasses.fields(g.RasterizerState) if f.name != "rasterizer_discard" and rng.random() < 0.3]
        try:
            ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**{f.name: another(rng, f.name, f.default) for f in fields}))
        except ValueError:
            return b""
        scales = rng.choice([50, -35, 0, 1e9, 3.3, np.nan], (4, 3), p=[0.5, 0.2, 0.05, 0.05, 0.15, 0.05])
        ctx.set_viewport_states([{"scale": tuple(s.tolist()), "translate": (50.0, 35.0, 0.5)} for s in scales])
        ctx.set_scissor_states([{"minx": 5 * k, "miny": 0, "maxx": 100, "maxy": 60 - k} for k in range(4)])
        ctx.set_window_rectangles(False, [{"minx": 5, "miny": 5, "maxx": 20, "maxy": 30}] * int(rng.integers(3)))
        ctx.set_clip_state([(1, 0, 0, 0.5)] * 8)
        ctx.bind_vs_state(ctx.create_vs_state(ROUTE.format("")))
        ctx.bind_fs_state(ctx.create_fs_state(PLACES if rng.random() < 0.5 else GENERIC))
        float4 = "R32G32B32A32_FLOAT"
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, float4), (16, float4)]))
        count = int(rng.choice([30, 300, 5000]))
        vertices = rng.normal(size=(count, 8)).astype(np.float32)
        vertices[:, 3] = rng.uniform(-0.3, 2, count)
        some = count // 9
        vertices[rng.integers(count, size=some), rng.integers(4, size=some)] = rng.choice([np.nan, np.inf, -np.inf, 1e38, 0, 1e-40], some)
        vertices[:, 4:6] = rng.integers(-2, 8, (count, 2))
        ctx.set_vertex_buffers([vertices])
        info: dict[str, Any] = {}
        if rng.random() < 0.3:
            index = rng.integers(0, count, count).astype(np.uint16)
            index[::17] = 0xFFFF
            info = {"index": index, "primitive_restart": True, "restart_index": 0xFFFF}
        try:
            ctx.draw_vbo(mode=str(rng.choice(MODES)), count=count, instance_count=int(rng.choice([1, 2])), **info)
        except UnsupportedError:
            return b""
        ctx.flush()
        return color.storage.tobytes() + depth.storage.tobytes()


@pytest.mark.parametrize("begin", [0, pytest.param(100, marks=pytest.mark.nightly)])
def test_random_states_draw_the_same_bytes_everywhere(begin: int) -> None:
    with g.Screen(threads=0) as one, g.Screen(threads=2, lanes=8) as other:
        found = 0
        for seed in range(begin, begin + (12 if begin == 0 else 200)):
            image = drawn(one, seed)
            found += bool(image)
            assert image == drawn(other, seed), f"seed {seed}"
    assert found > 5
