"""Values that are bound, in `Draw` records: generated code writes what the definition in Python writes, to the bit."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from backends.device.bound import DrawState
from backends.device.framebuffer import Framebuffer
from backends.device.region import Region
from backends.formats import Format
from backends.pipe.enums import ConservativeRaster
from backends.pipe.limits import MAX_VIEWPORTS
from backends.pipe.state import DepthStencilAlphaState, RasterizerState, ScissorState, StencilState, ViewportState
from backends.raster.draw.link import Linked, link_shaders
from backends.raster.draw.viewport import write_rules
from backends.raster.draw_record import Draw, View
from backends.raster.layouts import Shape
from tests.texts import VS_POSITION
from tests.unit.raster.canvas import FS_WHITE, Canvas, make_surface, shader
from tests.unit.raster.view_definition import Bounds, write_view

VS_WINDOW = VS_POSITION.replace("DCL IN", "PROPERTY VS_WINDOW_SPACE_POSITION 1\nDCL IN", 1)
ODD = (0.0, -0.0, 1e-30, -1e-21, 1e30, -1e300, math.inf, -math.inf, math.nan, 0.5, 16383.0, 1 / 3)
DEPTHS = (None, Format.Z24_UNORM_S8_UINT, Format.Z32_FLOAT)
SURFACES = {depth: make_surface(depth, 8, 8) for depth in DEPTHS if depth is not None}


@pytest.fixture(scope="module")
def canvas() -> Iterator[Canvas]:
    with Canvas(8, 8) as made:
        yield made


def random_state(rng: np.random.Generator) -> DrawState:
    state = DrawState()

    def number() -> float:
        scale = float(rng.choice([1.0, 300.0, 20000.0]))
        return float(rng.choice(ODD)) if rng.random() < 0.15 else float(rng.uniform(-scale, scale))

    def triple() -> tuple[float, float, float]:
        return number(), number(), number()

    names = ("half_pixel_center", "clip_halfz", "depth_clip", "bottom_edge_rule", "scissor")
    flags: dict[str, Any] = {name: bool(rng.integers(0, 2)) for name in names}
    flags["depth_clip_near"], flags["depth_clip_far"] = rng.spawn(1)[0].integers(0, 2, 2).astype(bool).tolist()
    mode = ConservativeRaster(int(rng.spawn(1)[0].integers(0, 3)))
    state.rasterizer = RasterizerState(conservative_raster_mode=mode, **flags)
    state.viewports = tuple(ViewportState(triple(), triple()) for _ in range(int(rng.choice([0, 1, 1, 1, 3, MAX_VIEWPORTS]))))
    boxes = rng.integers(0, 300, (int(rng.choice([0, 1, 1, 4])), 4)).tolist()
    state.scissors = tuple(ScissorState(min(a, b), min(c, d), max(a, b), max(c, d)) for a, b, c, d in boxes)
    color = [number() for _ in range(4)]
    state.blend_color, state.stencil_ref = tuple(color), (int(rng.integers(0, 256)), int(rng.integers(0, 256)))
    two_sided = bool(rng.integers(0, 2))
    state.depth_stencil_alpha = DepthStencilAlphaState(stencil=(StencilState(enabled=True), StencilState(enabled=two_sided)))
    state.clip_planes = tuple((*triple(), number()) for _ in range(int(rng.integers(0, 9))))
    state.window_rectangles = (True, tuple(ScissorState(1, 2, int(rng.integers(3, 90)), 9) for _ in range(int(rng.integers(0, 9)))))
    state.polygon_stipple = tuple(rng.integers(0, 1 << 32, 32).tolist()) if rng.integers(0, 2) else None
    return state


def write_all_rules(d: Draw, state: DrawState, framebuffer: Framebuffer, linked: Linked, *, shape: Shape, is_hidden: bool) -> None:
    write_rules(
        d.rules,
        state.rasterizer,
        framebuffer.kind,
        is_window_space=linked.is_window_space,
        shape=shape,
        is_hidden=is_hidden,
        is_counted=state.count_statistics,
    )
    d.rules.has_planes = linked.has_user_planes and not linked.num_distances
    d.rules.has_back_stencil = state.depth_stencil_alpha.stencil[1].enabled


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("seed", range(150))
def test_bound_values_are_written_as_they_are_defined(canvas: Canvas, seed: int) -> None:
    rng = np.random.default_rng(seed)
    state, depth, shape = random_state(rng), DEPTHS[seed % 3], Shape(int(rng.integers(0, 3)))
    framebuffer = Framebuffer(int(rng.integers(1, 400)), int(rng.integers(1, 400)), (), SURFACES[depth] if depth is not None else None)
    linked = link_shaders(shader(VS_WINDOW if rng.random() < 0.2 else VS_POSITION), shader(FS_WHITE))
    is_hidden = bool(rng.random() < 0.1)
    is_placed = not linked.is_window_space
    bounds = Bounds(linked.is_window_space, is_placed and shape is Shape.TRIANGLE, is_hidden, is_placed and shape is Shape.LINE)
    wanted = [View() for _ in range(MAX_VIEWPORTS)]
    seen = [write_view(view, k, state, framebuffer, bounds) for k, view in enumerate(wanted)]
    writer, region = canvas._maker.writer.values, Region()
    d = Draw()
    write_all_rules(d, state, framebuffer, linked, shape=shape, is_hidden=is_hidden)
    assert writer.write(ctypes.addressof(d), state, framebuffer) is seen[0]
    assert bytes(d.view) == bytes(wanted[0])
    views = (View * MAX_VIEWPORTS).from_address(region.allocate(ctypes.sizeof(View) * MAX_VIEWPORTS))
    assert writer.write(ctypes.addressof(d), state, framebuffer, ctypes.addressof(views)) is any(seen)
    assert [bytes(v) for v in views] == [bytes(v) for v in wanted]
    assert d.layers.views == ctypes.addressof(views)

    assert tuple(d.hiz.frame_end) == (framebuffer.width - 1, framebuffer.height - 1)
    assert d.fragments.height == framebuffer.height
    assert bytes(d.fragments.blend_color) == np.array(state.blend_color, np.float64).astype("f4").tobytes()
    front, back = state.stencil_ref
    assert tuple(d.fragments.stencil_ref) == (front, back if state.depth_stencil_alpha.stencil[1].enabled else front)
    planes = np.zeros((8, 4))
    planes[: len(state.clip_planes)] = np.array(state.clip_planes).reshape(-1, 4)
    finite = np.where(np.isfinite(planes), abs(planes), 0)
    exponents = np.frexp(finite.max(1))[1] + 2  # distances must not overflow: no coefficient is above a quarter
    planes = np.ldexp(planes, -np.maximum(exponents, 0)[:, None])
    assert bytes(d.clip.user_planes) == planes.astype("f4").tobytes()
    windows = np.zeros((8, 4), np.int32)
    windows[: len(state.window_rectangles[1])] = [(r.minx, r.miny, r.maxx - 1, r.maxy - 1) for r in state.window_rectangles[1]] or 0
    assert bytes(d.fragments.windows) == windows.tobytes()
    assert bytes(d.fragments.polygon_stipple) == np.array(state.polygon_stipple or [0] * 32, np.uint32).tobytes()


def test_a_draw_without_a_pixel_is_written_where_it_counts(canvas: Canvas) -> None:
    state, framebuffer = DrawState(), Framebuffer(4, 4)
    state.viewports = (ViewportState((2.0, 2.0, 0.5), (2.0, 2.0, 0.5)),)
    linked, d = link_shaders(shader(VS_POSITION), None), Draw()
    for is_counted in (False, True):
        state.count_statistics = is_counted
        write_all_rules(d, state, framebuffer, linked, shape=Shape.TRIANGLE, is_hidden=True)
        assert canvas._maker.writer.values.write(ctypes.addressof(d), state, framebuffer) is is_counted
        assert tuple(d.view.region) == (1, 1, 0, 0)
