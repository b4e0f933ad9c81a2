"""Coarse depth tests and packed quads change no pixel."""

from __future__ import annotations

import numpy as np
import pytest

from backends.formats import Format
from backends.pipe.enums import CompareFunc
from backends.pipe.state import DepthState, DepthStencilAlphaState, ScissorState
from backends.raster.tile.coarse import INFINITY, cleared_bound
from tests.unit.raster.canvas import VS_COLOR, Array, Canvas, fs_color
from tests.unit.raster.triangles import KINDS, random_triangles

pytestmark = pytest.mark.light

FLAT = fs_color("CONSTANT")
KILLING = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nKILL_IF IN[0].xxxx\nMOV OUT[0], IN[0]\nEND\n"


def depth_state(func: CompareFunc, write: bool = True) -> DepthStencilAlphaState:
    return DepthStencilAlphaState(depth=DepthState(True, write, func))


def layer(z: float, shade: float, tilt: float = 0.0) -> tuple[Array, Array]:
    """Two triangles that cover the target at depth z (NDC), tilted in x and y."""
    corners = np.array([[-1, -1], [1, -1], [-1, 1], [1, -1], [1, 1], [-1, 1]], "f4")
    position = np.concatenate([corners, z + tilt * corners.sum(1, keepdims=True), np.ones((6, 1))], 1).astype("f4")
    return position, np.full((6, 4), shade, "f4")


def scene(canvas: Canvas, seed: int) -> None:
    """Layers near and far with every kind of test between them, and triangles of all sizes."""
    rng = np.random.default_rng(seed)
    for step in range(30):
        func = (CompareFunc.LESS, CompareFunc.LEQUAL, CompareFunc.LESS, CompareFunc.GREATER, CompareFunc.ALWAYS, CompareFunc.EQUAL)[
            int(rng.integers(0, 6)) if step % 3 == 0 else int(rng.integers(0, 3))
        ]
        position, color = layer(float(rng.uniform(-0.9, 0.9)), float(rng.uniform(-0.5, 1)), float(rng.choice([0, 0, 0.05, -0.2])))
        if rng.integers(0, 3) == 0:
            position = random_triangles(KINDS[step % len(KINDS)], 40, step).reshape(-1, 4)
            color = rng.uniform(-0.3, 1, (len(position), 4)).astype("f4")
        scissors = (ScissorState(0, 0, 100, 90),) if rng.integers(0, 6) == 0 else ()
        rasterizer = type(canvas.state.rasterizer)(scissor=bool(scissors))
        fs = KILLING if rng.integers(0, 4) == 0 else FLAT
        state = depth_state(func, bool(rng.integers(0, 5)))
        canvas.draw_arrays(VS_COLOR, fs, [position, color], depth_stencil_alpha=state, scissors=scissors, rasterizer=rasterizer)


@pytest.mark.parametrize("format", [Format.Z16_UNORM, Format.Z24X8_UNORM, Format.Z32_FLOAT])
@pytest.mark.parametrize("cleared", [1.0, 0.4])
def test_dropping_hidden_triangles_changes_no_byte(format: Format, cleared: float, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for is_coarse in (True, False):
        if not is_coarse:
            monkeypatch.setattr("backends.raster.draw.fragments.hiz_of", lambda key, info: 0)
        with Canvas(200, 150, depth=format) as c:
            for seed in range(3):
                c.wipe(depth=cleared)
                scene(c, seed)
                found.append((c.image(), c.depth_bytes()))
    for (image, depth), (same_image, same_depth) in zip(found[:3], found[3:]):
        assert np.array_equal(image, same_image)
        assert np.array_equal(depth, same_depth)


def test_equal_depth_passes_lequal_behind_a_bound() -> None:
    for format in (Format.Z16_UNORM, Format.Z24X8_UNORM, Format.Z32_FLOAT):
        with Canvas(128, 128, depth=format) as c:
            c.wipe()
            for shade in (0.25, 0.75):
                c.draw_arrays(VS_COLOR, FLAT, [*layer(0.3, shade, 0.1)], depth_stencil_alpha=depth_state(CompareFunc.LEQUAL))
            assert (c.image() == 191).all()


def test_a_bound_does_not_outlive_a_flush() -> None:
    with Canvas(128, 128, depth=Format.Z32_FLOAT) as c:
        c.wipe()
        c.draw_arrays(VS_COLOR, FLAT, [*layer(-0.5, 0.25)], depth_stencil_alpha=depth_state(CompareFunc.LESS))
        c.flush()
        assert c.depth_surface is not None
        memory: Array = c.depth_surface.keepalive  # type: ignore[assignment]
        memory.view("f4")[:] = 1.0  # as a transfer does
        c.draw_arrays(VS_COLOR, FLAT, [*layer(0.5, 0.75)], depth_stencil_alpha=depth_state(CompareFunc.LESS))
        assert (c.image() == 191).all()


def test_bounds_of_cleared_buffers_hold() -> None:
    assert cleared_bound(Format.Z24X8_UNORM, 1.0) == 1.0
    assert cleared_bound(Format.Z16_UNORM, 0.5) > 0.5 + 1 / 65535
    assert cleared_bound(Format.Z32_FLOAT, 0.5) == 0.5
    assert cleared_bound(Format.Z32_FLOAT, float("nan")) == INFINITY


def test_packed_quads_and_runs_draw_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for few in (0, 1 << 30):
        monkeypatch.setattr("backends.raster.draw.packet.FEW", few)
        with Canvas(200, 150, depth=Format.Z24X8_UNORM) as c:
            c.wipe()
            rng = np.random.default_rng(3)
            position = np.concatenate([random_triangles(k, 60, 5) for k in KINDS]).reshape(-1, 4)
            color = rng.uniform(0, 1, (len(position), 4)).astype("f4")
            c.draw_arrays(VS_COLOR, fs_color("PERSPECTIVE"), [position, color], depth_stencil_alpha=depth_state(CompareFunc.LESS))
            found.append((c.image(), c.depth_bytes()))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])
    assert found[0][0].any()
