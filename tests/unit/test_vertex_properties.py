"""Properties of vertex programs in the renderer; see test_properties."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.picture import GENERIC, LESS, PASS, STRIP, WHITE, Picture
from tests.unit.raster.test_layers import ROUTE, Layered, told
from tgsi import gallium as g

pytestmark = pytest.mark.light

POSITION = "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"


def with_property(line: str) -> str:
    return PASS.replace("VERT\n", f"VERT\nPROPERTY {line}\n")


@pytest.mark.parametrize(("value", "columns"), [(0, 8), (1, 16)])
def test_vs_prohibit_ucps__user_planes_rest(value: int, columns: int) -> None:
    picture = Picture().draw(vertex=with_property(f"VS_PROHIBIT_UCPS {value}"), planes=[(1, 0, 0, 0)], rasterizer={"clip_plane_enable": 1})
    assert picture.covered()[0].sum() == columns


def test_vs_window_space_position__is_not_clipped_and_not_projected() -> None:
    points = np.array([[2, 1, 0.25, 1], [6, 1, 0.25, 1], [2, 3, 0.25, 1], [6, 3, 0.25, 1]], np.float32)
    text = with_property("VS_WINDOW_SPACE_POSITION 1")
    picture = Picture(8, 4, depth=True).draw(POSITION, text, points, dsa=LESS)
    found = picture.pixels()
    assert np.argwhere(found[..., 0]).tolist() == [[y, x] for y in (1, 2) for x in range(2, 6)]
    assert found[1, 2].tolist() == [2.5, 1.5, 0.25, 1.0]
    outside = points * (1, 1, 0, 1) + (0, 0, 40, 0)
    planes: dict[str, object] = {"clip_plane_enable": 1}
    drawn = Picture(8, 4).draw(WHITE, text, outside.astype(np.float32), planes=[(-1, 0, 0, 0)], rasterizer=planes)
    assert drawn.covered().sum() == 8


DISTANCES = """VERT
{}DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], CLIPDIST
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
"""


def distances(*columns: float | tuple[float, float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Values of shape (4, 4): for each channel one value, or one for the left and one for the right."""
    pairs = [(c, c) if isinstance(c, int | float) else c for c in columns]
    return np.array([[pair[k % 2] for pair in pairs] for k in range(4)], np.float32)


@pytest.mark.parametrize(("number", "covered"), [(0, 256), (1, 256), (2, 128), (4, 0)])
def test_num_clipdist_enabled__only_the_first_scalars_clip(number: int, covered: int) -> None:
    """The second scalar cuts off the left half, the third everything. Without enabled clip distances they are cull scalars, or unused."""
    text = DISTANCES.format(f"PROPERTY NUM_CLIPDIST_ENABLED {number}\nPROPERTY NUM_CULLDIST_ENABLED {int(number == 0)}\n")
    values = distances(1, (-1, 1), -1, 1)
    assert Picture().draw(vertex=text, values=values, rasterizer={"clip_plane_enable": 255}).covered().sum() == covered


CULLED = [
    (0, distances(-1, -1, 1, 1), 256),  # no scalar is a cull distance
    (1, distances(-1, 1, 1, 1), 0),  # everything is outside
    (1, distances((-1, 1), 1, 1, 1), 256),  # each triangle has a vertex inside, and no part is cut off
    (2, distances((-1, 1), (1, -1), 1, 1), 256),  # every vertex is outside of one distance or the other, but not all of the same
    (2, distances(1, -1, 1, 1), 0),
    (2, distances(1, 1, -1, 1), 256),
]


@pytest.mark.parametrize(("number", "values", "covered"), CULLED)
@pytest.mark.parametrize("enabled", [0, 255])
def test_num_culldist_enabled__drops_primitives_that_are_outside_as_a_whole(
    number: int, values: np.ndarray[tuple[int, ...], np.dtype[np.float32]], covered: int, enabled: int
) -> None:
    lines = f"PROPERTY NUM_CLIPDIST_ENABLED 0\nPROPERTY NUM_CULLDIST_ENABLED {number}\n"
    enabled = enabled if number else 0  # with neither property all scalars clip
    picture = Picture().draw(vertex=DISTANCES.format(lines), values=values, rasterizer={"clip_plane_enable": enabled})
    assert picture.covered().sum() == covered


def test_num_culldist_enabled__the_cull_scalars_follow_the_clip_scalars() -> None:
    lines = "PROPERTY NUM_CLIPDIST_ENABLED 1\nPROPERTY NUM_CULLDIST_ENABLED 1\n"
    for values, covered in ((distances((-1, 1), 1, -1, -1), 128), (distances((-1, 1), -1, 1, 1), 0)):
        picture = Picture().draw(vertex=DISTANCES.format(lines), values=values, rasterizer={"clip_plane_enable": 255})
        assert picture.covered().sum() == covered


@pytest.mark.parametrize(("mode", "survivors"), [("TRIANGLE_STRIP", 2), ("LINES", 1), ("POINTS", 2)])
def test_num_culldist_enabled__looks_at_the_vertices_of_each_primitive(mode: str, survivors: int) -> None:
    """The first two vertices are outside: both triangles have other vertices, one line does not, two points are culled."""
    values = np.array([[-1, 0, 0, 0]] * 2 + [[1, 0, 0, 0]] * 2, np.float32)
    text = DISTANCES.format("PROPERTY NUM_CULLDIST_ENABLED 1\n")
    picture = Picture()
    points = STRIP * np.array([0.5, 0.5, 1, 1], np.float32)
    found = picture.draw(vertex=text, points=points, values=values, mode=mode).covered()
    if mode == "TRIANGLE_STRIP":
        assert found.sum() == 64
    else:
        assert found.sum() == (8 if mode == "LINES" else 2)
        assert np.argwhere(found)[:, 0].min() >= 8
    assert survivors


# -- layers and viewports ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("number", [0, 2, 3])
def test_layer_viewport_relative__adds_the_viewport_to_the_layer(number: int) -> None:
    picture = Layered()
    picture.ctx.set_viewport_states([g.ViewportState((8, 8, 0.5), (8, 8, 0.5))] * 4)
    picture.draw(GENERIC, ROUTE.format("PROPERTY LAYER_VIEWPORT_RELATIVE 1\n"), values=told(1, number))
    assert picture.filled() == [256 if k == min(1 + number, 3) else 0 for k in range(4)]
