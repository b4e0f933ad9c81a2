"""Layers and viewports that the provoking vertex selects for a primitive, and window rectangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from tests.unit.picture import GENERIC, LESS, PASS, STRIP, TRIANGLE, Picture, screen
from tgsi import gallium as g

pytestmark = pytest.mark.light

Array = NDArray[Any]

# IN[1].x is the layer, IN[1].y the viewport (floats); IN[1].zw is left for the color.
ROUTE = """VERT
{}DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], LAYER
DCL OUT[3], VIEWPORT_INDEX
DCL TEMP[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1].zwzw
F2I TEMP[0], IN[1]
MOV OUT[2].x, TEMP[0].xxxx
MOV OUT[3].x, TEMP[0].yyyy
END
"""
TO_LAYER = ROUTE.replace("DCL OUT[3], VIEWPORT_INDEX\n", "").replace("MOV OUT[3].x, TEMP[0].yyyy\n", "").format("")
TO_VIEW = ROUTE.replace("DCL OUT[2], LAYER\n", "").replace("MOV OUT[2].x, TEMP[0].xxxx\n", "").format("")
BOTH = ROUTE.format("")
WHERE = """FRAG
DCL IN[0], LAYER, CONSTANT
DCL IN[1], VIEWPORT_INDEX, CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}
I2F TEMP[0].x, IN[0].xxxx
I2F TEMP[0].y, IN[1].xxxx
ADD OUT[0], TEMP[0].xyyy, IMM[0].xxyw
END
"""
SAMPLE_CUBE = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], CUBE, FLOAT
TEX OUT[0], IN[0], SAMP[0], CUBE
END
"""


def told(layer: float | Sequence[float], viewport: float | Sequence[float] = 0.0, red: float = 1.0, count: int = 4) -> Array:
    """Values of IN[1] for `count` vertices."""
    found = np.zeros((count, 4), np.float32)
    found[:, 0], found[:, 1], found[:, 2], found[:, 3] = layer, viewport, red, 1.0
    return found


class Layered(Picture):
    """Picture whose target is an array (or a cube, or a volume), optionally with a depth buffer of as many layers."""

    def __init__(self, layers: int = 4, size: int = 16, target: str = "TEXTURE_2D_ARRAY", depth: bool = False) -> None:
        super().__init__(size, size)
        depths: dict[str, Any] = {"depth0": layers} if target == "TEXTURE_3D" else {"array_size": layers}
        self.array = screen().resource_create(target=target, width0=size, height0=size, format="R32G32B32A32_FLOAT", **depths)
        zsbuf = None
        if depth:
            zsbuf = screen().resource_create(
                target="TEXTURE_2D_ARRAY", width0=size, height0=size, format="Z32_FLOAT", bind="DEPTH_STENCIL", array_size=layers
            )
        self.ctx.set_framebuffer_state(cbufs=[self.array], zsbuf=zsbuf)
        self.ctx.clear(color=(0, 0, 0, 0), depth=1.0)

    def layers(self) -> Array:
        """Pixels of all layers, of shape (layers, height, width, 4)."""
        self.ctx.flush()
        return np.array(self.array.texels())

    def filled(self) -> list[int]:
        """Number of pixels in each layer whose x is not 0."""
        return [int((layer[..., 0] != 0).sum()) for layer in self.layers()]


# -- layers -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("target", "layers"), [("TEXTURE_2D_ARRAY", 4), ("TEXTURE_CUBE", 6), ("TEXTURE_CUBE_ARRAY", 12), ("TEXTURE_3D", 5)]
)
def test_a_primitive_goes_to_the_layer_that_it_names(target: str, layers: int) -> None:
    picture = Layered(layers, target=target).draw(GENERIC, TO_LAYER, values=told(2))
    assert picture.filled() == [256 if k == 2 else 0 for k in range(layers)]


def test_a_layer_behind_the_last_one_counts_as_the_last_one() -> None:
    for layer in (3, 4, 77, -1):
        assert Layered().draw(GENERIC, TO_LAYER, values=told(layer)).filled() == [0, 0, 0, 256]


def test_without_a_named_layer_the_first_one_is_drawn() -> None:
    assert Layered().draw(GENERIC, PASS, values=np.ones((4, 4), np.float32)).filled() == [256, 0, 0, 0]


def test_layers_count_from_the_first_one_of_the_surface() -> None:
    picture = Layered(6)
    picture.ctx.set_framebuffer_state(cbufs=[picture.ctx.create_surface(picture.array, first_layer=2, last_layer=4)])
    assert picture.draw(GENERIC, TO_LAYER, values=told(1)).filled() == [0, 0, 0, 256, 0, 0]
    assert picture.draw(GENERIC, TO_LAYER, values=told(9)).filled() == [0, 0, 0, 256, 256, 0]


def test_no_primitive_goes_to_a_layer_that_some_target_lacks() -> None:
    picture = Layered(6)
    small = screen().resource_create(target="TEXTURE_2D_ARRAY", width0=16, height0=16, format="R32_FLOAT", array_size=2)
    picture.ctx.set_framebuffer_state(cbufs=[picture.array, small])
    assert picture.draw(GENERIC, TO_LAYER, values=told(5)).filled() == [0, 256, 0, 0, 0, 0]


@pytest.mark.parametrize(("first", "layer"), [(False, 3), (True, 1)])
@pytest.mark.parametrize("mode", ["TRIANGLES", "LINES", "POINTS"])
def test_the_provoking_vertex_decides(mode: str, first: bool, layer: int) -> None:
    count = {"TRIANGLES": 3, "LINES": 2, "POINTS": 1}[mode]
    values = told([1, 2, 3][:count] if count == 3 else [1, 3] if count == 2 else [layer], count=count)
    picture = Layered().draw(
        GENERIC, TO_LAYER, TRIANGLE[:count] * np.array([0.4, 0.4, 1, 1], "f4"), values, mode=mode, rasterizer={"flatshade_first": first}
    )
    assert [k for k, n in enumerate(picture.filled()) if n] == [layer]


@pytest.mark.parametrize(("fill", "less"), [("LINE", 60), ("POINT", 5)])
def test_outlines_go_to_the_layer_of_their_polygon(fill: str, less: int) -> None:
    values = told([0, 0, 0, 2])
    picture = Layered().draw(
        GENERIC,
        TO_LAYER,
        STRIP * np.array([0.8, 0.8, 1, 1], "f4"),
        values,
        mode="QUADS",
        rasterizer={"fill_front": fill, "fill_back": fill},
    )
    filled = picture.filled()
    assert 0 < filled[2] < less
    assert filled[0] == filled[1] == filled[3] == 0


def test_every_layer_has_a_depth_buffer_of_its_own() -> None:
    picture = Layered(depth=True)
    near, far = STRIP + np.array([0, 0, -0.5, 0], "f4"), STRIP + np.array([0, 0, 0.5, 0], "f4")
    picture.draw(GENERIC, TO_LAYER, near, told(1, red=2), dsa=LESS)
    for layer in range(4):
        picture.draw(GENERIC, TO_LAYER, far, told(layer, red=5), dsa=LESS)
    assert picture.layers()[:, 8, 8, 0].tolist() == [5, 2, 5, 5]


def test_clears_reach_all_layers_between_layered_draws() -> None:
    picture = Layered(3, depth=True)
    for step in range(2):
        for layer in range(3):
            picture.draw(GENERIC, TO_LAYER, STRIP, told(layer, red=layer + 1), dsa=LESS)
        if step == 0:
            picture.ctx.clear(color=(9, 9, 9, 9), depth=1.0)
    assert picture.layers()[:, 3, 3, 0].tolist() == [1, 2, 3]
    picture.ctx.clear(color=(9, 9, 9, 9), depth=1.0)
    picture.draw(GENERIC, TO_LAYER, STRIP, told(1), dsa=LESS)
    assert picture.layers()[:, 3, 3, 0].tolist() == [9, 1, 9]


def test_a_clear_reaches_layers_that_no_primitive_can_go_to() -> None:
    picture = Layered(6)
    small = screen().resource_create(target="TEXTURE_2D_ARRAY", width0=16, height0=16, format="R32_FLOAT", array_size=2)
    picture.ctx.set_framebuffer_state(cbufs=[picture.array, small])
    picture.ctx.clear(color=(7, 7, 7, 7))
    picture.draw(GENERIC, TO_LAYER, values=told(1, red=2))
    assert picture.layers()[:, 5, 5, 0].tolist() == [7, 2, 7, 7, 7, 7]


def test_all_faces_of_a_cube_are_drawn_at_once_and_sampled() -> None:
    faces = np.concatenate([told(k, red=k + 1) for k in range(6)])
    picture = Layered(6, target="TEXTURE_CUBE")
    index = np.concatenate([np.array([0, 1, 2, 2, 1, 3]) + 4 * k for k in range(6)]).astype("u2")
    picture.draw(GENERIC, TO_LAYER, np.tile(STRIP, (6, 1)), faces, mode="TRIANGLES", index=index, count=36)
    shown = Picture(6, 1)
    shown.ctx.set_sampler_views("FRAGMENT", [shown.ctx.create_sampler_view(picture.array)])
    shown.ctx.bind_sampler_states("FRAGMENT", [shown.ctx.create_sampler_state()])
    picture.ctx.flush()
    directions = np.zeros((6, 4), np.float32)
    for k in range(6):
        directions[k, k // 2] = -1.0 if k % 2 else 1.0
    points = np.array([[(2 * k + 1) / 6 - 1, 0, 0, 1] for k in range(6)], np.float32)
    shown.draw(SAMPLE_CUBE, PASS, points, directions, mode="POINTS")
    assert shown.pixels()[0, :, 0].tolist() == [1, 2, 3, 4, 5, 6]


def test_fragments_see_layer_and_viewport_as_the_vertices_wrote_them() -> None:
    picture = Layered().draw(WHERE, BOTH, values=told(77, 33))
    assert picture.layers()[3, 5, 5].tolist() == [78, 34, 33, 34]
    assert Picture().draw(WHERE, PASS).pixels()[5, 5].tolist() == [1, 1, 0, 1]


def test_thousands_of_primitives_find_their_layers() -> None:
    rng = np.random.default_rng(7)
    count = 5000
    layer = rng.integers(0, 16, count)
    x, y = rng.integers(0, 32, (2, count))
    corners = np.stack([x - 0.1, y - 0.1, x + 1.3, y - 0.1, x - 0.1, y + 1.3], 1).reshape(-1, 2) / 16.0 - 1.0
    points = np.concatenate([corners, np.zeros_like(corners)], 1).astype("f4")
    points[:, 3] = 1
    values = told(np.repeat(layer, 3).tolist(), count=3 * count)
    values[:, 2] = np.repeat(np.arange(count) + 1, 3)
    picture = Layered(16, 32).draw(GENERIC, TO_LAYER, points, values, mode="TRIANGLES")
    expected = np.zeros((16, 32, 32), np.float32)
    shown = picture.layers()[..., 0]
    expected[layer, y, x] = np.arange(count) + 1  # the last one wins, in each layer separately
    covered = shown != 0
    assert covered.sum() > 1000
    assert (shown[covered] == expected[covered]).all()


# -- viewports --------------------------------------------------------------------------------------------------------------
QUARTERS = [g.ViewportState((4, 4, 0.5), (4 + 8 * (k % 2), 4 + 8 * (k // 2), 0.5)) for k in range(4)]


def quarters(image: Array) -> list[int]:
    covered = image[..., 0] != 0
    return [int(covered[8 * (k // 2) :, 8 * (k % 2) :][:8, :8].sum()) for k in range(4)]


@pytest.mark.parametrize(("number", "shown"), [(0, 0), (1, 1), (3, 3), (16, 0), (-1, 0), (1 << 20, 0)])
def test_a_primitive_goes_to_the_viewport_that_it_names_or_to_the_first(number: int, shown: int) -> None:
    picture = Picture()
    picture.ctx.set_viewport_states(QUARTERS)
    found = quarters(picture.draw(GENERIC, TO_VIEW, values=told(0, number)).pixels())
    assert found == [64 if k == shown else 0 for k in range(4)]


@pytest.mark.parametrize("number", [0, 3])
@pytest.mark.parametrize("hides", ["rasterizer_discard", "sample mask"])
def test_a_hidden_draw_that_names_viewports_is_counted_and_not_drawn(hides: str, number: int) -> None:
    """Statistics count up to the clipper's input. No viewport has a pixel then, whichever one a primitive names."""
    picture = Picture()
    picture.ctx.set_viewport_states(QUARTERS)
    seen = picture.counted("PIPELINE_STATISTICS", lambda: picture.draw(GENERIC, TO_VIEW, values=told(0, number)))
    assert tuple(seen) == (4, 2, 4, 0, 0, 2, 2, 64, 0, 0, 0, 0, 0)
    picture.ctx.clear(color=(0, 0, 0, 0))
    rasterizer = {"rasterizer_discard": hides == "rasterizer_discard"}
    picture.ctx.set_sample_mask(0xFFFFFFFF if rasterizer["rasterizer_discard"] else 0)

    def draw() -> None:
        picture.draw(GENERIC, TO_VIEW, values=told(0, number), rasterizer=rasterizer)

    assert tuple(picture.counted("PIPELINE_STATISTICS", draw)) == (4, 2, 4, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0)
    assert picture.counted("OCCLUSION_COUNTER", draw) == 0
    assert not picture.pixels().any()


def test_viewports_and_scissors_are_set_from_a_number_on() -> None:
    picture = Picture()
    picture.ctx.set_viewport_states(QUARTERS[:2])
    picture.ctx.set_viewport_states(QUARTERS[2:], start=2)
    picture.ctx.set_scissor_states([{"minx": 0, "miny": 0, "maxx": 16, "maxy": 16}] * 4)
    picture.ctx.set_scissor_states([{"minx": 10, "miny": 10, "maxx": 13, "maxy": 12}], start=3)
    values = np.concatenate([told(0, k) for k in range(4)])
    index = np.concatenate([np.array([0, 1, 2, 2, 1, 3]) + 4 * k for k in range(4)]).astype("u2")
    picture.draw(GENERIC, TO_VIEW, np.tile(STRIP, (4, 1)), values, mode="TRIANGLES", index=index, count=24, rasterizer={"scissor": True})
    assert quarters(picture.pixels()) == [64, 64, 64, 6]


@pytest.mark.parametrize("mode", ["LINES", "POINTS"])
def test_lines_and_points_go_to_viewports(mode: str) -> None:
    picture = Picture()
    picture.ctx.set_viewport_states(QUARTERS)
    points = np.array([[-0.5, 0, 0, 1], [0.9, 0, 0, 1]], np.float32)
    found = quarters(picture.draw(GENERIC, TO_VIEW, points, told(0, [1, 2], count=2), mode=mode).pixels())
    assert found == ([0, 0, 6, 0] if mode == "LINES" else [0, 1, 1, 0])


@pytest.mark.parametrize("rasterizer", [{}, {"line_width": 3.0}, {"line_last_pixel": True}, {"line_smooth": True}])
@pytest.mark.parametrize("viewport", [((3, 4, 0.5), (8, 7, 0.5)), ((-3, 4, 0.5), (3, 12, 0.5)), ((16, 3, 0.5), (-1, 4, 0.5))])
def test_lines_end_at_the_sides_of_the_viewport(rasterizer: dict[str, Any], viewport: Any) -> None:
    """OpenGL 4.6, section 13.7: lines are clipped to the view volume. Their width may reach beyond it."""
    picture = Picture()
    picture.ctx.set_viewport_states([g.ViewportState(*viewport)])
    points = np.random.default_rng(4).uniform(-4, 4, (40, 4)).astype("f4")
    points[:, 2], points[:, 3] = 0, 1
    values = np.ones_like(points)
    covered = picture.draw(GENERIC, PASS, points, values, mode="LINES", rasterizer=rasterizer).covered()
    (sx, sy, _), (tx, ty, _) = viewport
    reach = 2 if rasterizer else 0
    columns, rows = (np.abs(np.arange(16) + 0.5 - t) < abs(s) + reach for s, t in ((sx, tx), (sy, ty)))
    inside = rows[:, None] & columns[None]
    assert covered[inside].any()
    assert not covered[~inside].any()


def test_primitives_of_several_viewports_keep_their_order() -> None:
    """Primitives alternate between two viewports over the same pixels."""
    picture = Picture()
    picture.ctx.set_viewport_states([g.ViewportState((8, 8, 0.5), (8, 8, 0.5))] * 2)
    values = np.concatenate([told(0, k % 2, red=k + 1) for k in range(9)])
    index = np.concatenate([np.array([0, 1, 2, 2, 1, 3]) + 4 * k for k in range(9)]).astype("u2")
    picture.draw(GENERIC, TO_VIEW, np.tile(STRIP, (9, 1)), values, mode="TRIANGLES", index=index, count=54)
    assert (picture.pixels()[..., 0] == 9).all()


@pytest.mark.parametrize("mode", ["TRIANGLES", "LINES", "POINTS"])
@pytest.mark.parametrize("near", [False, True])
def test_naming_viewport_0_changes_no_byte(mode: str, near: bool) -> None:
    rng = np.random.default_rng(3)
    points = rng.uniform(-2, 2, (90, 4)).astype("f4")
    points[:, 3] = rng.uniform(-0.2 if near else 0.3, 2, 90)
    points[::7, :2] *= 400  # beyond the guard band
    values = np.abs(rng.uniform(0.1, 1, (90, 4))).astype("f4")
    values[:, :2] = 0
    images = []
    for vertex in (TO_VIEW, PASS.replace("MOV OUT[1], IN[1]", "MOV OUT[1], IN[1].zwzw"), BOTH):
        picture = Layered() if vertex is BOTH else Picture()
        picture.draw(GENERIC, vertex, points, values, mode=mode, rasterizer={"point_size": 3.0, "line_width": 2.0})
        images.append(picture.layers()[0] if isinstance(picture, Layered) else picture.pixels())
    assert (images[0] != 0).any()
    assert images[0].tobytes() == images[1].tobytes() == images[2].tobytes()


def test_each_viewport_clamps_depth_to_a_range_of_its_own() -> None:
    picture = Picture(depth=True)
    views = [g.ViewportState(s.scale[:2] + (0.1,), s.translate[:2] + (0.2 * (k + 1),)) for k, s in enumerate(QUARTERS)]
    picture.ctx.set_viewport_states(views)
    values = np.concatenate([told(0, k) for k in range(4)])
    index = np.concatenate([np.array([0, 1, 2, 2, 1, 3]) + 4 * k for k in range(4)]).astype("u2")
    points = np.tile(STRIP, (4, 1))
    points[:, 2] = 7.0  # behind the far plane: clamped, as there is no depth clipping
    picture.draw(GENERIC, TO_VIEW, points, values, mode="TRIANGLES", index=index, count=24, dsa=LESS, rasterizer={"depth_clip": False})
    picture.ctx.flush()
    assert picture.zs is not None
    depth = np.array(picture.zs.texels()[0])[::8, ::8].ravel()
    assert depth == pytest.approx([0.3, 0.5, 0.7, 0.9], abs=1e-6)


# -- window rectangles ------------------------------------------------------------------------------------------------------
RECTANGLES = [{"minx": 1, "miny": 2, "maxx": 4, "maxy": 6}, {"minx": 3, "miny": 0, "maxx": 9, "maxy": 3}]


def test_window_rectangles_let_their_inside_through_or_their_outside() -> None:
    inside = np.zeros((16, 16), bool)
    for r in RECTANGLES:
        inside[r["miny"] : r["maxy"], r["minx"] : r["maxx"]] = True
    for include, expected in ((True, inside), (False, ~inside)):
        picture = Picture()
        picture.ctx.set_window_rectangles(include, RECTANGLES)
        assert (picture.draw().covered() == expected).all()
        assert picture.counted("OCCLUSION_COUNTER", picture.draw) == expected.sum()


@pytest.mark.parametrize(("include", "count"), [(True, 0), (False, 256)])
def test_no_window_rectangles_include_nothing_and_exclude_nothing(include: bool, count: int) -> None:
    picture = Picture()
    picture.ctx.set_window_rectangles(include)
    assert picture.draw().covered().sum() == count


def test_what_rectangles_drop_hides_nothing() -> None:
    """A wall with holes cut by window rectangles must not lower the depth bound of a tile."""
    picture = Picture(128, 128, depth=True)
    picture.ctx.set_window_rectangles(False, [{"minx": 0, "miny": 0, "maxx": 64, "maxy": 64}])
    picture.draw(points=STRIP, dsa=LESS)
    picture.ctx.set_window_rectangles()
    picture.draw(GENERIC, PASS, STRIP + np.array([0, 0, 0.5, 0], "f4"), np.full((4, 4), 2, np.float32), dsa=LESS)
    assert picture.pixels()[::100, ::100, 0].tolist() == [[2, 1], [1, 1]]


def test_wrong_window_rectangles_are_named() -> None:
    ctx = Picture().ctx
    with pytest.raises(ValueError, match="9 are too many; 8 are possible"):
        ctx.set_window_rectangles(True, [{}] * 9)
    with pytest.raises(ValueError, match=r"set_window_rectangles: rectangles\[0\]: minx"):
        ctx.set_window_rectangles(True, [{"minx": -1}])


# -- without targets --------------------------------------------------------------------------------------------------------
def test_a_framebuffer_without_targets_has_a_size_and_counts_samples() -> None:
    picture = Picture()
    picture.ctx.set_framebuffer_state(width=40, height=30, layers=3)
    picture.ctx.set_viewport_states([g.ViewportState((20, 15, 0.5), (20, 15, 0.5))])
    assert picture.counted("OCCLUSION_COUNTER", picture.draw) == 1200
    values = np.concatenate([told(k) for k in range(3)])
    index = np.concatenate([np.array([0, 1, 2, 2, 1, 3]) + 4 * k for k in range(3)]).astype("u2")
    drawn = lambda: picture.draw(GENERIC, TO_LAYER, np.tile(STRIP, (3, 1)), values, mode="TRIANGLES", index=index, count=18)  # noqa: E731
    assert picture.counted("OCCLUSION_COUNTER", drawn) == 3600
    assert screen().is_format_supported("NONE", bind="RENDER_TARGET")


def test_the_screen_tells_what_there_is() -> None:
    caps = {
        n: screen().get_param(n) for n in ("MAX_VIEWPORTS", "TGSI_VS_LAYER_VIEWPORT", "MAX_WINDOW_RECTANGLES", "FRAMEBUFFER_NO_ATTACHMENT")
    }
    assert list(caps.values()) == [16, 1, 8, 1]


@pytest.mark.parametrize(("threads", "lanes"), [(0, 8), (2, 16), (7, 32)])
def test_the_bytes_of_layers_do_not_depend_on_threads_or_lanes(threads: int, lanes: int) -> None:
    from tests.images.scenes import SCENES

    with tgsi.Screen(threads=0) as one, tgsi.Screen(threads=threads, lanes=lanes) as other:
        assert SCENES["layers"](one) == SCENES["layers"](other)
