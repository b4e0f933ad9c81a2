"""Random draws with random state do not crash, and threads and lanes never change the picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.device.memory import BoundVertexBuffer
from backends.formats import Format
from backends.pipe.enums import CompareFunc, Face, PolygonMode, StencilOp
from backends.pipe.state import (
    BlendState,
    DepthState,
    DepthStencilAlphaState,
    DrawInfo,
    RasterizerState,
    RenderTargetBlend,
    ScissorState,
    StencilState,
    VertexElement,
    ViewportState,
)
from backends.raster.draw.topology import TOPOLOGIES
from tests.unit.raster.canvas import VS_COLOR, Canvas, fs_color

pytestmark = pytest.mark.light

DEPTHS = [None, Format.Z16_UNORM, Format.Z24_UNORM_S8_UINT, Format.Z32_FLOAT]
COLORS = [Format.R8G8B8A8_UNORM, Format.R32G32B32A32_FLOAT, Format.B5G6R5_UNORM]
ATTRIBUTES = [Format.R32G32B32A32_FLOAT, Format.R32G32_FLOAT, Format.R8G8B8A8_UNORM, Format.R16G16B16_SNORM, Format.R32_UINT]


class Chooser:
    """Random choices from lists, numbers and coins, all from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def of(self, items: Any) -> Any:
        items = list(items)
        return items[self.rng.integers(len(items))]

    def coin(self, chance: float = 0.5) -> bool:
        return bool(self.rng.random() < chance)

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high))


def rasterizer(r: Chooser) -> RasterizerState:
    return RasterizerState(
        flatshade_first=r.coin(),
        front_ccw=r.coin(),
        cull_face=r.of([Face.NONE, Face.NONE, Face.FRONT, Face.BACK]),
        fill_front=r.of([PolygonMode.FILL, PolygonMode.FILL, *PolygonMode][:5]),
        fill_back=r.of([PolygonMode.FILL, PolygonMode.FILL, *PolygonMode][:5]),
        scissor=r.coin(0.3),
        depth_clip=r.coin(0.8),
        clip_halfz=r.coin(),
        half_pixel_center=r.coin(0.8),
        bottom_edge_rule=r.coin(),
        clip_plane_enable=r.of([0, 0, 1, 7, 255]),
        line_width=float(r.of([1, 1, 2.5, 300])),
        point_size=float(r.of([1, 3, 20, 1e9, np.nan])),
    )


def positions(r: Chooser, count: int) -> Any:
    data = r.rng.uniform(-1.5, 1.5, (count, 4)).astype("f4")
    data[:, 3] = r.of([1, 1, 0.5]) if r.coin(0.7) else r.rng.uniform(-1, 2, count)
    if r.coin(0.3):
        data[r.rng.random((count, 4)) < 0.1] = r.of([np.nan, np.inf, -np.inf, 1e38, -1e30, 0, 1e-40])
    return data


def fuzzed(seed: int, threads: int, lanes: int | None) -> bytes:
    r = Chooser(seed)
    width, height = r.number(1, 140), r.number(1, 140)
    with Canvas(width, height, color=(r.of(COLORS),), depth=r.of(DEPTHS), threads=threads, lanes=lanes, batch=r.of([7, 64, 2048])) as c:
        c.wipe((0.1, 0.2, 0.3, 0.4), depth=0.75)
        for _ in range(3):
            vertices = r.number(0, 60)
            buffers = [c.vertex_buffer(positions(r, max(vertices, 1))), c.vertex_buffer(r.rng.uniform(0, 1, (40, 4)).astype("f4"))]
            b = buffers[1]
            buffers[1] = BoundVertexBuffer(b.address, r.number(0, b.size + 1), r.of([0, 1, 4, 16, 16, 1000]), b.keepalive)
            size = r.of([0, 0, 1, 2, 4])
            indices = r.rng.integers(0, r.of([vertices + 1, 256, 1 << 32]), r.number(1, 80)).astype("u4")
            info = DrawInfo(
                mode=r.of(TOPOLOGIES),
                count=r.number(0, 120),
                start=r.of([0, 0, 3, 0xFFFFFFF0]),
                index_size=size,
                instance_count=r.of([1, 1, 3]),
                start_instance=r.of([0, 0, 2, 0xFFFFFFFF]),
                index_bias=r.of([0, 0, -2, 1 << 30]),
                primitive_restart=r.coin(0.3),
                restart_index=r.of([0, 5, 0xFF, 0xFFFF, 0xFFFFFFFF]),
            )
            fail, passed, missed = (StencilOp(r.number(0, 8)) for _ in range(3))
            stencil = StencilState(
                enabled=r.coin(),
                func=CompareFunc(r.number(0, 8)),
                fail_op=fail,
                zpass_op=passed,
                zfail_op=missed,
                valuemask=255,
                writemask=255,
            )
            c.draw_arrays(
                VS_COLOR,
                fs_color(r.of(["PERSPECTIVE", "LINEAR", "CONSTANT"])),
                [],
                info=info,
                vertex_elements=(
                    VertexElement(0, Format.R32G32B32A32_FLOAT, 0),
                    VertexElement(r.of([0, 0, 3, 5000]), r.of(ATTRIBUTES), r.of([1, 1, 9]), r.of([0, 0, 1, 3])),
                ),
                vertex_buffers=tuple(buffers),
                index_buffer=c.memory(indices.astype({1: "u1", 2: "u2"}.get(size, "u4"))) if r.coin(0.9) else None,
                rasterizer=rasterizer(r),
                blend=BlendState((RenderTargetBlend(blend_enable=r.coin(), rgb_dst_factor=1, alpha_dst_factor=1),)),  # type: ignore[arg-type]
                depth_stencil_alpha=DepthStencilAlphaState(
                    DepthState(r.coin(), r.coin(), CompareFunc(r.number(0, 8))), (stencil, StencilState())
                ),
                scissors=(ScissorState(r.number(0, 90), r.number(0, 90), r.number(0, 200), r.number(0, 200)),),
                clip_planes=tuple(tuple(r.rng.uniform(-1, 2, 4).tolist()) for _ in range(8)),
                viewports=(
                    ViewportState(
                        tuple(float(v) for v in r.rng.uniform(-1.2, 1.2, 3) * [width, height, 1]),  # type: ignore[arg-type]
                        (width / 2, height * float(r.rng.random()), 0.5),
                    ),
                ),
            )
        return c.image().tobytes() + (c.depth_bytes().tobytes() if c.depth_surface is not None else b"")


@pytest.mark.parametrize("seed", range(24))
def test_random_draws_are_harmless_and_repeatable(seed: int) -> None:
    first = fuzzed(seed, 0, None)
    assert fuzzed(seed, 2, (8, 16, 32)[seed % 3]) == first
