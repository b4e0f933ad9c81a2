"""Points and lines that a geometry program makes quads of: the pictures of point sprites, smooth points and smooth lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from passes.lower.state.shapes import geometry_for
from passes.pipeline import Pipeline
from tests.unit.passes.test_state_pictures import COLORS, SIZE, SPRITES, VALUES, VERTEX, drawn, lowered, with_geometry
from tests.unit.picture import Array
from tgsi import gallium as g

pytestmark = pytest.mark.light

VIEWPORTS = [
    {"scale": (SIZE / 2, SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)},
    {"scale": (20.3, -19.7, 0.5), "translate": (15.1, 16.9, 0.5)},
]
SIZED = VERTEX.replace("DCL OUT[2]", "DCL OUT[3].x, PSIZE\nDCL OUT[2]").replace(
    "END\n", "MAD OUT[3].x, IN[1], IMM[0].xxxx, IMM[0].yyyy\nEND\n"
)
SIZED = SIZED.replace("MOV OUT[0]", "IMM[0] FLT32 {14.0, 1.0, 0.0, 0.0}\nMOV OUT[0]", 1)
SEEDS = range(2)
"""Places of primitives; those of an odd number have another w for each."""


def places(seed: int, count: int = 6, w: bool = False) -> Array:
    rng = np.random.default_rng(seed)
    found = np.concatenate([rng.uniform(-0.8, 0.8, (count, 2)), rng.uniform(-0.5, 0.9, (count, 1)), np.ones((count, 1))], 1)
    return (found * rng.uniform(0.5, 2, (count, 1)) if w else found).astype(np.float32)


def constants(viewport: dict[str, Any], size: float, near: float = 1.0) -> dict[str, Any]:
    (sx, sy, _), (tx, ty, _) = viewport["scale"], viewport["translate"]
    return {"GEOMETRY": np.array([[sx, sy, tx, ty], [size, near, 0, 0]], np.float32)}


def through(vertex: str, primitive: str, *passes: str) -> str:
    """The geometry program for a vertex program, after passes."""
    return str(Pipeline.parse(",".join(passes)).run(geometry_for(tgsi.parse(vertex), primitive)))


@pytest.mark.parametrize(
    ("viewport", "square", "vertex", "mode"),
    [
        (VIEWPORTS[0], False, VERTEX, "UPPER_LEFT"),
        (VIEWPORTS[1], False, SIZED, "LOWER_LEFT"),
        (VIEWPORTS[1], True, VERTEX, "UPPER_LEFT"),
        (VIEWPORTS[0], True, SIZED, "LOWER_LEFT"),
    ],
    ids=["pixels", "pixels of vertices", "square", "square of vertices"],
)
def test_lowered_point_sprites_draw_what_the_state_draws(viewport: dict[str, Any], square: bool, vertex: str, mode: str) -> None:
    state = {"point_size": 7.3, "point_quad_rasterization": square, "point_size_per_vertex": vertex == SIZED}
    text = vertex.replace("DCL OUT[2]", "DCL OUT[4], GENERIC[1]\nDCL OUT[2]").replace("END\n", "MOV OUT[4], IN[1].zyxw\nEND\n")
    flips = "yes" if mode == "LOWER_LEFT" else "no"
    options = f"{{generics=5,flips={flips},square={'yes' if square else 'no'},constant=0}}"
    geometry, fragment = through(text, "POINTS", f"lower-point-sprite{options}"), lowered(SPRITES, f"lower-point-sprite{options}")
    assert not [line for line in geometry.splitlines() if line.startswith("DCL OUT") and "PSIZE" in line]
    for seed in SEEDS:
        points = places(seed, w=seed % 2 == 1)
        more: dict[str, Any] = {"points": points, "viewport": viewport, "mode": "POINTS"}
        want = drawn(SPRITES, text, rasterizer=state | {"sprite_coord_enable": 1, "sprite_coord_mode": mode}, **more)
        assert drawn(fragment, text, constants(viewport, 7.3), rasterizer=state, setup=with_geometry(geometry), **more) == want


@pytest.mark.parametrize(("viewport", "vertex"), [(VIEWPORTS[0], SIZED), (VIEWPORTS[1], VERTEX)], ids=["written", "state"])
def test_lowered_smooth_points_draw_what_the_state_draws(viewport: dict[str, Any], vertex: str) -> None:
    state = {"point_size": 7.3, "point_size_per_vertex": vertex == SIZED}
    geometry = through(vertex, "POINTS", "lower-smooth-points{generic=5,constant=0}")
    fragment = lowered(COLORS, "lower-smooth-points{generic=5}")
    for seed in SEEDS:
        more: dict[str, Any] = {"points": places(seed, w=seed % 2 == 1), "viewport": viewport, "mode": "POINTS"}
        want = drawn(COLORS, vertex, rasterizer=state | {"point_smooth": True}, **more)
        assert want != drawn(COLORS, vertex, rasterizer=state, **more)
        assert drawn(fragment, vertex, constants(viewport, 7.3), rasterizer=state, setup=with_geometry(geometry), **more) == want


@pytest.mark.parametrize(("viewport", "width", "mode"), [(VIEWPORTS[0], 1.0, "LINES"), (VIEWPORTS[1], 4.7, "LINE_STRIP")])
def test_lowered_smooth_lines_draw_what_the_state_draws(viewport: dict[str, Any], width: float, mode: str) -> None:
    geometry = through(VERTEX, "LINES", "lower-smooth-lines{generic=5,constant=0}")
    fragment = lowered(COLORS, "lower-smooth-lines{generic=5}")
    for seed in SEEDS:
        more: dict[str, Any] = {"points": places(seed, w=seed % 2 == 1), "viewport": viewport, "mode": mode}
        want = drawn(COLORS, rasterizer={"line_smooth": True, "line_width": width}, **more)
        rows = constants(viewport, width / 2 + 0.5)
        assert drawn(fragment, constants=rows, setup=with_geometry(geometry), **more) == want


@pytest.mark.parametrize("halfz", [False, True])
def test_lowered_smooth_lines_are_cut_at_the_near_plane(halfz: bool) -> None:
    geometry = through(VERTEX, "LINES", "lower-smooth-lines{generic=5,constant=0}")
    fragment = lowered(COLORS, "lower-smooth-lines{generic=5}")
    points = np.array([[-0.5, 0.1, -2, 0.5], [0.5, 0.3, 0.2, 1], [0.3, 0.8, 0.7, 1], [-2, -3, -1.5, -1]], np.float32)
    for seed in range(3):
        points[:, :2] += np.random.default_rng(seed).uniform(-0.1, 0.1, (4, 2)).astype(np.float32)
        more: dict[str, Any] = {"points": points, "values": VALUES[:4], "viewport": VIEWPORTS[0], "mode": "LINES"}
        want = drawn(COLORS, rasterizer={"line_smooth": True, "line_width": 3.0, "clip_halfz": halfz}, **more)
        rows = constants(VIEWPORTS[0], 2.0, 0.0 if halfz else 1.0)
        assert drawn(fragment, constants=rows, setup=with_geometry(geometry), rasterizer={"clip_halfz": halfz}, **more) == want


def test_sprites_replace_texcoords_too() -> None:
    vertex = VERTEX.replace("GENERIC[0]", "TEXCOORD[0]")
    fragment = SPRITES.replace("IN[0..1], GENERIC[0]", "IN[0..1], TEXCOORD[0]")
    geometry, made = (
        through(vertex, "POINTS", "lower-point-sprite{generics=3,constant=0}"),
        lowered(fragment, "lower-point-sprite{generics=3}"),
    )
    more: dict[str, Any] = {"points": places(1), "viewport": VIEWPORTS[0], "mode": "POINTS"}
    want = drawn(fragment, vertex, rasterizer={"point_size": 9.0, "sprite_coord_enable": 3}, **more)
    assert drawn(made, vertex, constants(VIEWPORTS[0], 9.0), setup=with_geometry(geometry), **more) == want


def test_the_public_helpers_take_texts_and_name_what_is_wrong() -> None:
    made = tgsi.lower(tgsi.geometry_for(VERTEX, "POINTS"), point_sprite=True)
    assert made == tgsi.lower(tgsi.geometry_for(tgsi.parse(VERTEX)), "point-sprite")
    assert "GS_MAX_OUTPUT_VERTICES 4" in str(made)
    lower = COLORS.replace("FRAG\n", "FRAG\nPROPERTY FS_COORD_ORIGIN LOWER_LEFT\n")
    assert tgsi.window_constant(lower, 32) == (-1, 32, 1, 1)
    assert tgsi.window_constant(lower, 32, origin="lower_left") == tgsi.window_constant(COLORS, 32) == (1, 0, 1, 1)
    assert tgsi.stipple_texels([0x80000001] * 32)[:32] == b"\0" + b"\xff" * 30 + b"\0"
    with pytest.raises(ValueError, match="neither POINTS nor LINES"):
        tgsi.geometry_for(VERTEX, "TRIANGLES")
    with pytest.raises(ValueError, match="did you mean `LOWER_LEFT`"):
        tgsi.window_constant(COLORS, 32, origin="LOWER")
    with pytest.raises(ValueError, match="expected 32 words, not 3"):
        tgsi.stipple_texels([1, 2, 3])
    with pytest.raises(TypeError, match="geometry_for: program: expected a Program"):
        tgsi.geometry_for(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ("alpha-test=GRATER:0.5", "alpha-test: func: `GRATER` is not one of .*did you mean `GREATER`"),
        ("clip-planes=300", "clip-planes: planes: 300 is not a mask of 8 planes"),
        ("clip-distances=256:1", "distances: 256 is not a mask"),
        ("clip-distances=1:-1", "generic: -1 is negative"),
        ("edge-flag=-2", "attribute: -2 is not an input"),
        ("flat-shade=COLR", "inputs: `COLR` is not one of .*did you mean `COLOR`"),
        ("flat-shade=[3]", "inputs: `\\[3\\]` is not one of"),
        ("per-sample=some", "inputs: `some` is not one of ALL, DECLARED"),
        ("window-position=UP", "origin: `UP` is not one of UPPER_LEFT, LOWER_LEFT"),
        ("window-position=UPPER_LEFT:WHOLE", "center: `WHOLE` is not one of"),
        ("polygon-stipple=-5", r"CONST\[0\]\[-5\] is not a register"),
    ],
)
def test_wrong_values_are_named(fields: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tgsi.lower(COLORS, fields)


def test_what_cannot_be_lowered_is_named_with_its_place() -> None:
    indexed = (
        COLORS.replace("COLOR, COLOR", "POSITION, LINEAR").replace("DCL OUT", "DCL ADDR[0]\nDCL OUT").replace("-IN[1]", "-IN[ADDR[0].x]")
    )
    taken = COLORS.replace("GENERIC[0]", "GENERIC[7]")
    streams = str(tgsi.geometry_for(VERTEX)).replace("{0, 0, 0, 0}", "{1, 0, 0, 0}")
    many = str(tgsi.geometry_for(VERTEX)).replace("VERTICES 1\n", "VERTICES 300\n")
    culls = VERTEX.replace("VERT\n", "VERT\nPROPERTY NUM_CULLDIST_ENABLED 1\n")
    for text, fields, words in (
        (indexed, {"window_position": ("LOWER_LEFT",)}, r"an address may reach IN\[0\]"),
        (taken.replace("DCL OUT", "DCL SAMP[2..3]\nDCL OUT"), {"polygon_stipple": (-1, 0, 3)}, "unit 3 has another texture"),
        (taken, {"smooth_points": (7,)}, r"GENERIC\[7\] carries something else"),
        (taken, {"clip_distances": (1, 7)}, r"GENERIC\[7\] carries something else"),
        (streams, {"point_sprite": True}, "a stream that is not drawn"),
        (many, {"smooth_points": (7,)}, "a quad has four vertices, 1200 in all, and a geometry program emits 1024"),
        (culls, {"clip_planes": 1}, "the program has cull distances alone"),
    ):
        with pytest.raises(tgsi.UnsupportedError, match=f"K039.*{words}"):
            tgsi.lower(text, **fields)


def test_coverage_comes_after_clamping_and_before_the_alpha_test() -> None:
    bright = VERTEX.replace("MOV OUT[1], IN[1]", "ADD OUT[1], IN[1], IN[1].wxyz")
    more: dict[str, Any] = {"points": places(3), "viewport": VIEWPORTS[0], "mode": "POINTS"}
    dsa = g.DepthStencilAlphaState(alpha=g.AlphaState(True, g.CompareFunc.GREATER, 0.4))
    want = drawn(COLORS, bright, dsa=dsa, rasterizer={"point_smooth": True, "clamp_fragment_color": True, "point_size": 8.0}, **more)
    options = "alpha-test=GREATER:0.4,smooth-points=5:255:0:-1:no:0,clamp-color"
    geometry, fragment = tgsi.lower(tgsi.geometry_for(bright), options, clamp_color=False), tgsi.lower(COLORS, options)
    found = drawn(str(fragment), bright, constants(VIEWPORTS[0], 8.0), setup=with_geometry(str(geometry)), **more)
    assert found == want
