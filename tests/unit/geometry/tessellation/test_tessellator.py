"""Tessellator: points are equal on both sides of an edge, triangles cover the domain once, counts follow the levels."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

from backends.geometry.tessellation.key import Spacing, Tessellator
from backends.pipe.enums import Prim
from tests.unit.geometry.tessellation.patches import ONE, one, tessellate

pytestmark = pytest.mark.light

EQUAL, ODD, EVEN = Spacing.EQUAL, Spacing.FRACTIONAL_ODD, Spacing.FRACTIONAL_EVEN
SPACINGS = (EQUAL, ODD, EVEN)
TRIANGLES, QUADS, LINES = Prim.TRIANGLES, Prim.QUADS, Prim.LINES
NAN, INFINITY = math.nan, math.inf
MEASURED = Path(__file__).parents[3] / "golden" / "tessellation.json"


def _levels(seed: int, count: int) -> list[list[float]]:
    """Random levels: integers and fractions, low and high."""
    rng = random.Random(seed)

    def level() -> float:
        kind = rng.random()
        if kind < 0.3:
            return float(rng.randint(1, 9))
        return rng.uniform(0.2, 12.0) if kind < 0.85 else rng.uniform(0.5, 70.0)

    return [[level() for _ in range(6)] for _ in range(count)]


def _segments(level: float, spacing: Spacing) -> int:
    """Number of segments of an edge: the level clamped and rounded up to an integer, an odd or an even number."""
    low, high = {EQUAL: (1, 64), ODD: (1, 63), EVEN: (2, 64)}[spacing]
    level = min(max(level, low), high)
    if spacing is EQUAL:
        return math.ceil(level)
    odd = spacing is ODD
    return 2 * math.ceil((level - odd) / 2) + odd


@pytest.mark.parametrize("spacing", SPACINGS)
def test_an_edge_has_as_many_segments_as_its_level_says(spacing: Spacing) -> None:
    for level in (0.25, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 7.0, 16.5, 62.5, 63.0, 63.5, 64.0, 99.0, INFINITY):
        wanted = _segments(level, spacing)
        patch = one(Tessellator(QUADS, spacing), level, 5, 9, 2, 4, 4)
        assert len(patch.on(0, 0)) == wanted + 1
        patch = one(Tessellator(TRIANGLES, spacing), 3, level, 9, 1, 4)
        assert len(patch.on(1, 0)) == wanted + 1
        lines = one(Tessellator(LINES, spacing), 3, level)
        assert (len(lines.primitives), len(lines.points)) == (3 * wanted, 3 * (wanted + 1))


@pytest.mark.parametrize("spacing", SPACINGS)
def test_inside_there_are_as_many_segments_as_the_inner_levels_say(spacing: Spacing) -> None:
    for across, up in ((1.0, 1.0), (1.0, 2.0), (2.5, 1.0), (3.0, 4.0), (7.5, 3.5), (64.0, 1.5)):
        patch = one(Tessellator(QUADS, spacing), 4, 4, 4, 4, across, up)
        n, m = _segments(across, spacing), _segments(up, spacing)  # a single segment would leave no interior
        n, m = (max(k, 3 if spacing is ODD else 2) for k in (n, m))
        assert len({u for u, _ in patch.points.tolist() if 0 < u < ONE}) >= n - 1
        border = 4 * _segments(4, spacing)
        assert len(patch.points) == border + (n - 1) * (m - 1)
        assert len(patch.primitives) == border + 2 * (n - 2 + m - 2) + 2 * (n - 2) * (m - 2)


def test_levels_of_one_leave_a_patch_whole() -> None:
    for spacing in (EQUAL, ODD):
        assert one(Tessellator(TRIANGLES, spacing), 1, 1, 1).corners() == [((0, 0), (ONE, 0), (0, ONE))]
        assert len(one(Tessellator(QUADS, spacing), 1, 1, 1, 1).primitives) == 2
        assert len(one(Tessellator(TRIANGLES, spacing), 0.5, 1, 1, 1, -3).primitives) == 1
        assert len(one(Tessellator(QUADS, spacing), 1, 1, 1, 1, 1, 1.5).primitives) > 2


def test_fractional_spacing_below_two_segments_is_two_where_numbers_are_even() -> None:
    assert len(one(Tessellator(TRIANGLES, EVEN), 1, 1, 1).primitives) == 6
    assert len(one(Tessellator(QUADS, EVEN), 1, 1, 1, 1).primitives) == 8


@pytest.mark.parametrize("spacing", SPACINGS)
def test_neighbors_place_the_points_of_a_shared_edge_alike_and_symmetrically(spacing: Spacing) -> None:
    quad, triangle, line = (Tessellator(domain, spacing) for domain in (QUADS, TRIANGLES, LINES))
    for level in [row[0] for row in _levels(1, 120)]:
        patch = one(quad, level, level, level, level, 3.3, 5.1)
        left, bottom, right, top = patch.on(0, 0), patch.on(1, 0), patch.on(0, ONE), patch.on(1, ONE)
        assert left == bottom == right == top
        assert left == sorted(ONE - at for at in left)
        other = one(triangle, level, level, level, 1, 6.7)
        diagonal = sorted(u for u, v in other.points.tolist() if u + v == ONE)
        assert left == other.on(0, 0) == other.on(1, 0) == diagonal
        assert left == sorted({u for u, _ in one(line, 2, level).points.tolist()})


@pytest.mark.parametrize("clockwise", [False, True])
@pytest.mark.parametrize("domain", [QUADS, TRIANGLES])
@pytest.mark.parametrize("spacing", SPACINGS)
def test_triangles_cover_the_domain_once(domain: Prim, spacing: Spacing, clockwise: bool) -> None:
    levels = _levels(2, 60)
    patches, done = tessellate(Tessellator(domain, spacing, clockwise), levels)
    assert done == len(levels)
    for patch in patches:
        areas = patch.doubled_areas() * (-1 if clockwise else 1)
        assert areas.sum() == ONE * ONE * (2 if domain is QUADS else 1)
        assert (areas >= 0).all()  # points of two new segments may still coincide
        segments = patch.segments()
        assert set(segments.values()) == {1}
        border = [(a, b) for a, b in segments if (b, a) not in segments]
        for a, b in border:  # an edge of only one triangle lies on the border
            (u, v), (s, t) = patch.points[a].tolist(), patch.points[b].tolist()
            sides = [u == s == 0, v == t == 0]
            sides += [u == s == ONE, v == t == ONE] if domain is QUADS else [u + v == s + t == ONE]
            assert any(sides)
        assert {n for edge in segments for n in edge} == set(range(len(patch.points)))


@pytest.mark.parametrize("domain", [QUADS, TRIANGLES, LINES])
@pytest.mark.parametrize("spacing", SPACINGS)
def test_point_mode_gives_every_point_once(domain: Prim, spacing: Spacing) -> None:
    levels = _levels(3, 30)
    whole, _ = tessellate(Tessellator(domain, spacing), levels)
    points, _ = tessellate(Tessellator(domain, spacing, points=True), levels)
    for patch, dots in zip(whole, points):
        assert dots.primitives.ravel().tolist() == list(range(len(patch.points)))
        assert (dots.points == patch.points).all()


@pytest.mark.parametrize("domain", [QUADS, TRIANGLES, LINES])
@pytest.mark.parametrize("level", [0.0, -0.0, -1.0, NAN, -INFINITY])
def test_outer_levels_that_are_not_positive_drop_the_patch(domain: Prim, level: float) -> None:
    edges = {QUADS: 4, TRIANGLES: 3, LINES: 2}[domain]
    for edge in range(4):
        levels = [3.0] * 6
        levels[edge] = level
        for spacing in SPACINGS:
            patch = one(Tessellator(domain, spacing), *levels)
            assert (len(patch.primitives) == 0) == (len(patch.points) == 0) == (edge < edges)


def test_inner_levels_that_are_no_numbers_are_the_lowest() -> None:
    for domain in (QUADS, TRIANGLES):
        for spacing in SPACINGS:
            key = Tessellator(domain, spacing)
            for level in (NAN, -INFINITY, 0.0):
                assert one(key, 3, 3, 3, 3, level, level).corners() == one(key, 3, 3, 3, 3, 1, 1).corners()


def test_isolines_are_lines_of_constant_v_that_leave_out_the_last() -> None:
    patch = one(Tessellator(LINES, ODD), 4, 3)
    assert sorted({v for _, v in patch.points.tolist()}) == [0, ONE // 4, ONE // 2, 3 * ONE // 4]
    assert all(a[1] == b[1] and a[0] < b[0] for a, b in patch.corners())


def test_fractional_levels_grow_without_jumps() -> None:
    for spacing in (ODD, EVEN):
        before = one(Tessellator(LINES, spacing), 1, 3.999).on(1, 0)
        behind = one(Tessellator(LINES, spacing), 1, 4.001).on(1, 0)
        near = [min(abs(a - b) for b in before) for a in behind]
        assert max(near) < 64  # new points start at the positions of old ones


def test_patches_that_find_no_room_wait_for_the_next_call() -> None:
    levels = [[64.0] * 6] * 5
    patches, done = tessellate(Tessellator(QUADS, EQUAL), levels, room=(10000, 1 << 17))
    assert done == 2
    assert len({patch.digest() for patch in patches}) == 1
    assert tessellate(Tessellator(QUADS, EQUAL), levels, room=(1 << 16, 20000))[1] == 2
    assert tessellate(Tessellator(QUADS, EQUAL), levels, room=(0, 0))[1] == 1


def test_llvmpipe_makes_the_same_triangles() -> None:
    """The triangles were recorded from transform feedback of gl_TessCoord; see tests/golden/README.md."""
    cases = json.loads(MEASURED.read_text(encoding="utf-8"))
    assert len(cases) >= 100
    for case in cases:
        key = Tessellator(Prim.__members__[case["domain"]], Spacing.__members__[case["spacing"]], case["clockwise"], case["points"])
        patch = one(key, *case["levels"])
        assert len(patch.primitives) == case["primitives"], case
        assert patch.digest() == case["digest"], case
