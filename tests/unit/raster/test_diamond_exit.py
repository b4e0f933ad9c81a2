"""Aliased lines draw the pixels that the diamond-exit rule names, by exact arithmetic (OpenGL 4.6 core, sections 14.5.1 and 14.5.2.2)."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.unit.picture import PASS, Picture
from tgsi import gallium as g

pytestmark = pytest.mark.light

Array = np.ndarray[Any, Any]
Point = tuple[int, int]  # in 1/256 pixel
Pixels = Counter[tuple[int, int]]
CELL, CELLS = 32, 16
SIZE = CELL * CELLS
SHIFT = 40  # e of the specification is 2 to the power of -SHIFT pixel: no line here is so near to a border without being on it
UNIT = 1 << 2 * SHIFT + 1  # of a pixel: numbers are whole, and so is all arithmetic
ONE = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"
SUM = g.BlendState((g.RenderTargetBlend(blend_enable=True, rgb_dst_factor=g.BlendFactor.ONE),))


def leaves(a: Sequence[int], b: Sequence[int], px: int, py: int) -> bool:
    """True if the segment meets the open diamond of a pixel and does not end in it. Coordinates are in 1/UNIT pixel."""
    half = UNIT // 2
    ax, ay, bx, by = a[0] - px * UNIT - half, a[1] - py * UNIT - half, b[0] - px * UNIT - half, b[1] - py * UNIT - half
    if abs(bx) + abs(by) < half:
        return False
    low, high = (0, 1), (1, 1)  # fractions of the segment: numerator, denominator above 0
    for sx in (-1, 1):
        for sy in (-1, 1):  # sx * x + sy * y < 1/2 between `low` and `high`
            value, slope = sx * ax + sy * ay - half, sx * (bx - ax) + sy * (by - ay)
            if slope == 0:
                if value >= 0:
                    return False
            elif slope > 0:
                high = (-value, slope) if -value * high[1] < high[0] * slope else high
            else:
                low = (value, -slope) if value * low[1] > low[0] * -slope else low
    return low[0] * high[1] < high[0] * low[1]


def rasterized(start: Point, end: Point, width: int = 1, flips: bool = False) -> Pixels:
    """Pixels of a line by the words of the specification. flips: rows are counted from the top, and y of both ends, too."""
    (x0, y0), (x1, y1) = start, end
    if x0 == x1 and y0 == y1:
        return Counter()
    if flips:  # into OpenGL's window coordinates, in which the rule stands
        turned = rasterized((x0, CELL * 256 - y0), (x1, CELL * 256 - y1), width)
        return Counter({(x, CELL - 1 - y): n for (x, y), n in turned.items()})
    is_wide_in_y = abs(x1 - x0) >= abs(y1 - y0)
    dx, dy = ((width - 1) * (UNIT // 2) * v for v in (not is_wide_in_y, is_wide_in_y))
    a, b = ((x * UNIT // 256 - (UNIT >> SHIFT) - dx, y * UNIT // 256 - (UNIT >> 2 * SHIFT) - dy) for x, y in (start, end))
    major, minor = (0, 1) if is_wide_in_y else (1, 0)
    slope = Fraction(b[minor] - a[minor], b[major] - a[major])
    found: Pixels = Counter()
    for column in range(min(a[major], b[major]) // UNIT, max(a[major], b[major]) // UNIT + 1):
        center = (a[minor] + (slope.numerator * (column * UNIT + UNIT // 2 - a[major])) // slope.denominator) // UNIT
        for row in range(center - 1, center + 2):
            pixel = (column, row) if is_wide_in_y else (row, column)
            if leaves(a, b, *pixel):
                for k in range(width):
                    found[(pixel[0], pixel[1] + k) if is_wide_in_y else (pixel[0] + k, pixel[1])] += 1
    return found


def drawn(paths: Sequence[Sequence[Point]], mode: str, **state: Any) -> list[Pixels]:
    """Pixels of each path of equal length, which has a cell of 32 x 32 pixels, with the number of times each is drawn."""
    assert len(paths) <= CELLS * CELLS
    places = np.arange(len(paths))
    cells = np.stack([places % CELLS, places // CELLS], 1)[:, None] * CELL
    window = np.array(paths) / 256 + cells
    points = np.zeros((*window.shape[:2], 4), np.float32)
    points[..., :2], points[..., 3] = window / (SIZE / 2) - 1, 1
    picture = Picture(SIZE, SIZE)
    picture.ctx.bind_blend_state(picture.ctx.create_blend_state(SUM))
    length = window.shape[1]
    index = np.concatenate([np.append(np.arange(length) + k * length, 0xFFFF) for k in range(len(paths))]).astype(np.uint16)
    restart: dict[str, Any] = {"index": index, "count": len(index), "primitive_restart": True, "restart_index": 0xFFFF}
    picture.draw(ONE, PASS, points.reshape(-1, 4), mode=mode, rasterizer=state, **restart)
    counts = picture.pixels()[..., 0].astype(int)
    result = []
    for x, y in cells[:, 0]:
        part = counts[y : y + CELL, x : x + CELL]
        result.append(Counter({(int(c), int(r)): int(part[r, c]) for r, c in np.argwhere(part)}))
    return result


def compare(lines: Sequence[tuple[Point, Point]], width: int = 1, flips: bool = False) -> None:
    for first in range(0, len(lines), CELLS * CELLS):
        some = lines[first : first + CELLS * CELLS]
        for line, found in zip(some, drawn(some, "LINES", line_width=float(width), bottom_edge_rule=flips)):
            assert found == rasterized(*line, width, flips), (line, width, flips)


def on_diamonds(rng: np.random.Generator, count: int) -> Array:
    """Points on corners and edges of diamonds, on centers of pixels, and next to them."""
    pixel = rng.integers(10, 22, (count, 2)) * 256
    along = rng.integers(-128, 129, count)
    edge = np.stack([128 + along, 128 + rng.choice([-1, 1], count) * (128 - abs(along))], 1)
    corner = np.array([(0, 128), (128, 0), (256, 128), (128, 256), (128, 128), (0, 0), (256, 256), (128, 0)])[rng.integers(0, 8, count)]
    near = rng.integers(-1, 2, (count, 2)) * rng.integers(0, 2, (count, 1))
    return pixel + np.where(rng.integers(0, 2, (count, 1)), edge, corner) + near


def as_lines(points: Array) -> list[tuple[Point, Point]]:
    return [((int(a), int(b)), (int(c), int(d))) for a, b, c, d in points.reshape(-1, 4)]


@pytest.mark.parametrize("flips", [False, True], ids=["upward", "downward"])
@pytest.mark.parametrize("width", [1, 2, 3, 6])
def test_random_lines_draw_the_pixels_of_the_specification(width: int, flips: bool) -> None:
    rng = np.random.default_rng(width)
    compare(as_lines(rng.integers(8 * 256, 24 * 256, (256, 4))), width, flips)


@pytest.mark.parametrize("flips", [False, True], ids=["upward", "downward"])
@pytest.mark.parametrize("width", [1, 2, 3, 6])
def test_lines_between_borders_of_diamonds_draw_the_pixels_of_the_specification(width: int, flips: bool) -> None:
    rng = np.random.default_rng(10 + width)
    compare(as_lines(on_diamonds(rng, 768)), width, flips)


@pytest.mark.parametrize("flips", [False, True], ids=["upward", "downward"])
@pytest.mark.parametrize("width", [1, 4])
def test_every_direction_between_halves_of_pixels(width: int, flips: bool) -> None:
    starts = [(16 * 256 + 128 * i, 16 * 256 + 128 * j) for i in range(2) for j in range(2)]
    steps = [(128 * i, 128 * j) for i in range(-6, 7) for j in range(-6, 7) if (i, j) != (0, 0)]
    compare([(s, (s[0] + i, s[1] + j)) for s in starts for i, j in steps], width, flips)


@pytest.mark.parametrize("flips", [False, True], ids=["upward", "downward"])
@pytest.mark.parametrize("mode", ["LINE_STRIP", "LINE_LOOP"])
@pytest.mark.parametrize("width", [1, 2])
def test_strips_and_loops_are_their_lines(mode: str, width: int, flips: bool) -> None:
    rng = np.random.default_rng(77)
    for points in (rng.integers(9 * 256, 23 * 256, (100, 5, 2)), on_diamonds(rng, 500).reshape(100, 5, 2)):
        paths = [[(int(x), int(y)) for x, y in path] for path in points]
        for path, found in zip(paths, drawn(paths, mode, line_width=float(width), bottom_edge_rule=flips)):
            pairs = list(itertools.pairwise(path)) + ([(path[-1], path[0])] if mode == "LINE_LOOP" else [])
            assert found == sum((rasterized(a, b, width, flips) for a, b in pairs), Counter()), path


@pytest.mark.parametrize("flips", [False, True], ids=["upward", "downward"])
def test_polygons_drawn_as_lines_follow_the_rule_and_fill_beside_them_is_untouched(flips: bool) -> None:
    rng = np.random.default_rng(5)
    paths = [[(int(x), int(y)) for x, y in path] for path in on_diamonds(rng, 600).reshape(200, 3, 2)]
    lines = {"fill_front": g.PolygonMode.LINE, "fill_back": g.PolygonMode.LINE}
    mixed = {"fill_front": g.PolygonMode.LINE, "fill_back": g.PolygonMode.FILL}
    filled = drawn(paths, "TRIANGLES", bottom_edge_rule=flips)
    for state, path_and_found in (
        (k, zip(paths, drawn(paths, "TRIANGLES", bottom_edge_rule=flips, **s))) for k, s in enumerate((lines, mixed))
    ):
        for n, (path, found) in enumerate(path_and_found):
            area = (path[1][0] - path[0][0]) * (path[2][1] - path[0][1]) - (path[2][0] - path[0][0]) * (path[1][1] - path[0][1])
            if area == 0:
                continue
            outline = sum((rasterized(a, b, 1, flips) for a, b in zip(path, [*path[1:], path[0]])), Counter())
            assert found == (filled[n] if state and area < 0 else outline), path


def test_long_lines_keep_their_slope() -> None:
    """Ends far apart, across many tiles: pixels whose centers are 1/1000 pixel from a border."""
    picture = Picture(1024, 1024)
    lines = [
        ((3, 256 * 300 + 77), (256 * 1023 + 5, 256 * 300 + 79)),
        ((256 * 7 + 1, 256 * 1023), (256 * 9 + 3, 129)),
        ((0, 1), (262143, 262140)),
    ]
    for (x0, y0), (x1, y1) in lines:
        points = np.array([[x0, y0, 0, 0], [x1, y1, 0, 0]], np.float32) / 131072 - 1
        points[:, 2:] = (0, 1)
        picture.ctx.clear(color=(0, 0, 0, 0))
        found = {(int(x), int(y)) for y, x in np.argwhere(picture.draw(ONE, PASS, points, mode="LINES").covered())}
        assert found == set(rasterized((x0, y0), (x1, y1)))
