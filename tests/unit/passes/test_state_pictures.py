"""A picture drawn with a lowered program and the state off has the bytes of the one that is drawn with the state on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import tgsi
from passes.lower.state.stipple import stipple_texels
from passes.lower.state.window import window_constant
from passes.pipeline import Pipeline
from tests.unit.picture import Array, Picture
from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE = 32
VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[1].yzxw
END
"""
COLORS = """FRAG
DCL IN[0], COLOR, COLOR
DCL IN[1], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
ADD OUT[0], IN[0], -IN[1]
MOV OUT[0].w, IN[0].wwww
END
"""
STEPS = """FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {10.0, 0.1, 0.0, 0.0}
MUL TEMP[0], IN[0], IMM[0].xxxx
FLR TEMP[0].w, TEMP[0]
MUL OUT[0], TEMP[0], IMM[0].yyyy
END
"""
TRIANGLES = np.array(
    [[-0.9, -0.9, 0, 1], [0.8, -0.7, 0, 2], [-0.7, 0.9, 0.5, 1], [0.9, 0.8, 0.9, 1.3], [0.1, -1.2, 0, 1], [-1.3, 0.2, 0, 1]], np.float32
)
VALUES = np.random.default_rng(5).uniform(0.1, 0.9, (6, 4)).astype(np.float32)


def lowered(text: str, *passes: str) -> str:
    """A program after passes, as text: what a user would store."""
    return str(Pipeline.parse(",".join(passes)).run(tgsi.parse(text)))


def drawn(
    fragment: str,
    vertex: str = VERTEX,
    constants: Mapping[str, Any] | None = None,
    viewport: Mapping[str, Any] | None = None,
    setup: Any = None,
    points: Array = TRIANGLES,
    values: Array = VALUES,
    mode: str = "TRIANGLES",
    samples: int = 0,
    is_empty: bool = False,
    **state: Any,
) -> bytes:
    """Bytes of a picture. constants: rows for the constant buffer 0 of stages; setup: called with the context before the draw."""
    picture = Picture(SIZE, SIZE, format="R8G8B8A8_UNORM", depth=True)
    if samples:
        picture.targets = [picture.ctx.screen.resource_create(width0=SIZE, height0=SIZE, format="R8G8B8A8_UNORM", nr_samples=samples)]
        picture.ctx.set_framebuffer_state(cbufs=picture.targets)
        picture.ctx.clear(color=(0, 0, 0, 0))
    if viewport is not None:
        picture.ctx.set_viewport_states([viewport])
    for stage, rows in (constants or {}).items():
        picture.ctx.set_constant_buffer(stage, np.asarray(rows, np.float32))
    if setup is not None:
        setup(picture.ctx)
    picture.draw(fragment, vertex, points, values, mode=mode, **state)
    picture.ctx.flush()
    target = picture.targets[0]
    found = bytes(np.array(target.texels()[0])) if not samples else b"".join(bytes(np.array(part)) for part in target.texels())
    assert is_empty or any(found)
    return found


def test_a_lowered_alpha_test_draws_what_the_state_draws() -> None:
    fragment = STEPS
    seen = set()
    for func in g.CompareFunc:
        for ref in (float(np.float32(4) * np.float32(0.1)), 0.35 if func is not g.CompareFunc.EQUAL else 0.5):
            dsa = g.DepthStencilAlphaState(g.DepthState(True, True, g.CompareFunc.LESS), alpha=g.AlphaState(True, func, ref))
            plain = g.DepthStencilAlphaState(g.DepthState(True, True, g.CompareFunc.LESS))
            if func is g.CompareFunc.NEVER:
                continue
            want = drawn(fragment, dsa=dsa)
            seen.add(want)
            assert drawn(lowered(fragment, f"lower-alpha-test{{func={func.name},ref={ref}}}"), dsa=plain) == want, func
            constant = lowered(fragment, f"lower-alpha-test{{func={func.name},constant=2}}")
            assert "DCL CONST[2]" in constant or func is g.CompareFunc.ALWAYS
            assert drawn(constant, constants={"FRAGMENT": [[9] * 4, [9] * 4, [ref, 9, 9, 9]]}, dsa=plain) == want, func
    assert len(seen) > 6


def test_an_alpha_test_that_never_passes_draws_nothing() -> None:
    made = lowered(COLORS, "lower-alpha-test{func=never}")
    picture = Picture(SIZE, SIZE).draw(made, VERTEX, TRIANGLES, VALUES, mode="TRIANGLES")
    assert not picture.pixels().any()


PLANES = np.array([[1, 0.3, 0, 0.7], [0, -1, 0, 0.62], [0, 0, 1, 0.1], [-0.5, 0.25, 1, 0.9], [1, 1, 1, 1.5], [1, 0, 0, 0.95]], np.float32)
CLIPPED = VERTEX.replace("DCL OUT[2]", "DCL OUT[3], CLIPVERTEX\nDCL OUT[2]").replace("END\n", "MOV OUT[3], IN[0].yxzw\nEND\n")


@pytest.mark.parametrize("vertex", [VERTEX, CLIPPED], ids=["position", "clipvertex"])
@pytest.mark.parametrize(("mask", "mode"), [(1, "TRIANGLES"), (2, "TRIANGLES"), (0b101011, "TRIANGLES"), (5, "LINES"), (63, "POINTS")])
def test_lowered_clip_planes_draw_what_the_state_draws(vertex: str, mask: int, mode: str) -> None:
    rasterizer = {"clip_plane_enable": mask, "point_size": 5.0}
    want = drawn(COLORS, vertex, planes=PLANES.tolist(), rasterizer=rasterizer, mode=mode)
    assert want != drawn(COLORS, vertex, mode=mode, rasterizer={"point_size": 5.0}) or mode != "TRIANGLES"
    made = lowered(vertex, f"lower-clip-planes{{planes={mask},constant=1}}")
    assert "CLIPVERTEX" not in made
    assert drawn(COLORS, made, {"VERTEX": [[9] * 4, *PLANES]}, rasterizer=rasterizer, mode=mode) == want


@pytest.mark.parametrize("stage", ["prohibited", "own distances", "window space"])
def test_clip_planes_without_effect_stay_without(stage: str) -> None:
    vertex = {
        "prohibited": VERTEX.replace("VERT\n", "VERT\nPROPERTY VS_PROHIBIT_UCPS 1\n"),
        "own distances": VERTEX.replace("DCL OUT[2]", "DCL OUT[3], CLIPDIST\nDCL OUT[2]").replace("END\n", "MOV OUT[3], IN[1]\nEND\n"),
        "window space": VERTEX.replace("VERT\n", "VERT\nPROPERTY VS_WINDOW_SPACE_POSITION 1\n"),
    }[stage]
    assert lowered(vertex, "lower-clip-planes{planes=7}") == str(tgsi.parse(vertex))


GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL IN[][2], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], GENERIC[0]
IMM[0] UINT32 {0, 0, 0, 0}
"""
for vertex in range(3):
    GEOMETRY += "".join(f"MOV OUT[{k}], IN[{vertex}][{k}]\n" for k in range(3)) + "EMIT IMM[0].xxxx\n"
GEOMETRY += "END\n"


def with_geometry(text: str) -> Callable[[Any], None]:
    return lambda ctx: ctx.bind_gs_state(ctx.create_gs_state(text))


def test_clip_planes_of_a_geometry_program() -> None:
    rasterizer = {"clip_plane_enable": 5}
    want = drawn(COLORS, planes=PLANES[:3].tolist(), rasterizer=rasterizer, setup=with_geometry(GEOMETRY))
    made = with_geometry(lowered(GEOMETRY, "lower-clip-planes{planes=5,constant=0}"))
    assert drawn(COLORS, constants={"GEOMETRY": PLANES[:3]}, rasterizer=rasterizer, setup=made) == want


POSITIONS = """FRAG
{}DCL IN[0], POSITION, LINEAR
DCL IN[1], COLOR, COLOR
DCL IN[2], PCOORD, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..2]
DCL ADDR[0]
IMM[0] FLT32 {{0.03125, 0.0625, 0.25, 0.5}}
MUL TEMP[0], IN[0], IMM[0].xxyy
MUL TEMP[1], IN[1], TEMP[0].yyyy
DDY TEMP[0].z, TEMP[1].xxxx
DDY_FINE TEMP[0].w, -TEMP[1].yyyy
INTERP_OFFSET TEMP[2], IN[1], IMM[0].zzzz
INTERP_OFFSET TEMP[2].y, IN[2].yyyy, IMM[0].zzzz
MAD_SAT TEMP[0], TEMP[0], IMM[0].wwww, IMM[0].wwww
MUL OUT[0].xz, TEMP[0], TEMP[2].yyyy
ADD OUT[0].yw, TEMP[0], TEMP[2].xxxx
END
"""
ORIGINS = ("UPPER_LEFT", "LOWER_LEFT", "VIEWPORT_LOWER", "VIEWPORT_UPPER")


@pytest.mark.parametrize(
    ("own_center", "center", "upward"),
    [("HALF_INTEGER", "HALF_INTEGER", -1), ("INTEGER", "HALF_INTEGER", 1), ("HALF_INTEGER", "INTEGER", 1)],
)
def test_lowered_window_positions_are_those_of_the_program(own_center: str, center: str, upward: int) -> None:
    """Points, so that the point coordinate varies; each origin of a program on each origin of a device."""
    viewport = {"scale": (SIZE / 2, upward * SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}
    seen = set()
    for own in ORIGINS:
        text = POSITIONS.format(f"PROPERTY FS_COORD_ORIGIN {own}\nPROPERTY FS_COORD_PIXEL_CENTER {own_center}\n")
        more: dict[str, Any] = {"mode": "POINTS", "rasterizer": {"point_size": 16.0}, "viewport": viewport}
        want = drawn(text, **more)
        seen.add(want)
        for device in ("UPPER_LEFT", "LOWER_LEFT"):
            made = lowered(text, f"lower-window-position{{origin={device},center={center},constant=3}}")
            assert ("LOWER_LEFT" in made) is (device == "LOWER_LEFT")
            assert ("CENTER INTEGER" in made) is (center == "INTEGER")
            assert "VIEWPORT" not in made
            rows = [[9] * 4] * 3 + [window_constant(own, device, SIZE, is_upward=upward > 0)]
            assert drawn(made, constants={"FRAGMENT": rows}, **more) == want, (own, device)
    assert len(seen) == 4


SAMPLES = """FRAG
PROPERTY FS_COORD_ORIGIN VIEWPORT_UPPER
DCL SV[0], SAMPLEPOS
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
IMM[0] FLT32 {0.03125, 1.0, 0.0, 0.0}
MUL OUT[0].xy, IN[0], IMM[0].xxxx
MOV OUT[0].zw, SV[0].xxxy
END
"""


def test_sample_positions_turn_with_the_window() -> None:
    constants = {"FRAGMENT": [window_constant("VIEWPORT_UPPER", "UPPER_LEFT", SIZE)]}
    made = lowered(SAMPLES, "lower-window-position{constant=0}")
    assert drawn(made, constants=constants, samples=4) == drawn(SAMPLES, samples=4)


@pytest.mark.parametrize("first", [False, True])
def test_lowered_flat_shading_draws_what_the_state_draws(first: bool) -> None:
    want = drawn(COLORS, rasterizer={"flatshade": True, "flatshade_first": first})
    assert drawn(lowered(COLORS, "lower-flat-shade"), rasterizer={"flatshade_first": first}) == want
    assert drawn(COLORS) != want


def test_flat_shading_of_named_inputs() -> None:
    declared = COLORS.replace("GENERIC[0], PERSPECTIVE", "GENERIC[0], CONSTANT").replace("COLOR, COLOR", "COLOR, CONSTANT")
    assert drawn(lowered(COLORS, "lower-flat-shade{inputs=GENERIC[0]+color}")) == drawn(declared)
    assert lowered(COLORS, "lower-flat-shade{inputs=GENERIC[1]}") == str(tgsi.parse(COLORS))


SPRITES = """FRAG
DCL IN[0..1], GENERIC[0], PERSPECTIVE
DCL IN[2], COLOR, COLOR
DCL OUT[0], COLOR
MUL OUT[0], IN[0], IN[2]
MAD OUT[0].z, IN[1].xxxx, IN[2], IN[0].yyyy
END
"""


@pytest.mark.parametrize("mode", ["UPPER_LEFT", "LOWER_LEFT"])
@pytest.mark.parametrize("mask", [1, 2, 3])
def test_lowered_point_coordinates_draw_what_the_state_draws(mode: str, mask: int) -> None:
    vertex = VERTEX.replace("DCL OUT[2]", "DCL OUT[3], GENERIC[1]\nDCL OUT[2]").replace("END\n", "MOV OUT[3], IN[1].zyxw\nEND\n")
    size: dict[str, Any] = {"point_size": 11.0, "point_quad_rasterization": True}
    want = drawn(SPRITES, vertex, mode="POINTS", rasterizer=size | {"sprite_coord_enable": mask, "sprite_coord_mode": mode})
    made = lowered(SPRITES, f"lower-point-coord{{generics={mask}{',flips' if mode == 'LOWER_LEFT' else ''}}}")
    assert drawn(made, vertex, mode="POINTS", rasterizer=size) == want
    assert drawn(SPRITES, vertex, mode="POINTS", rasterizer=size) != want


PATTERN = [int(word) for word in np.random.default_rng(8).integers(0, 2**32, 32, np.uint64)]
PLACED = COLORS.replace("DCL OUT[0]", "DCL IN[2], POSITION, LINEAR\nDCL OUT[0]").replace("END\n", "DDX OUT[0].x, IN[0].xxxx\nEND\n")


@pytest.mark.parametrize("kind", ["constants", "texture"])
@pytest.mark.parametrize(("own", "center"), [("UPPER_LEFT", "INTEGER"), ("LOWER_LEFT", "INTEGER"), ("VIEWPORT_UPPER", "HALF_INTEGER")])
def test_a_lowered_polygon_stipple_draws_what_the_state_draws(kind: str, own: str, center: str) -> None:
    text = PLACED.replace("FRAG\n", f"FRAG\nPROPERTY FS_COORD_ORIGIN {own}\nPROPERTY FS_COORD_PIXEL_CENTER {center}\n")
    want = drawn(text, rasterizer={"poly_stipple_enable": True}, setup=lambda ctx: ctx.set_polygon_stipple(PATTERN))
    assert want != drawn(text)
    rows = np.zeros((10, 4), np.uint32)
    turn = np.array(window_constant(own, "UPPER_LEFT", SIZE), np.float32).view(np.uint32)
    if kind == "constants":
        rows[1:9], rows[9] = np.array(PATTERN).reshape(8, 4), turn
        made, setup = lowered(text, "lower-polygon-stipple{constant=1}"), None
    else:
        rows[1], made = turn, lowered(text, "lower-polygon-stipple{constant=1,sampler=2}")
        setup = bind_stipple
    assert drawn(made, constants={"FRAGMENT": rows.view(np.float32)}, setup=setup) == want


def bind_stipple(ctx: Any) -> None:
    texture = ctx.screen.resource_create(target="TEXTURE_2D", width0=32, height0=32, format="A8_UNORM", bind="SAMPLER_VIEW")
    ctx.texture_subdata(texture, np.frombuffer(stipple_texels(PATTERN), np.uint8).reshape(32, 32))
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)], start=2)
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()], start=2)


@pytest.mark.parametrize("mode", ["TRIANGLES", "QUADS", "POLYGON"])
def test_lowered_edge_flags_are_those_that_a_program_writes(mode: str) -> None:
    """The flag is an attribute of its own; the other program writes it itself."""
    written = VERTEX.replace("DCL OUT[2]", "DCL OUT[3].x, EDGEFLAG\nDCL OUT[2]").replace("END\n", "MOV OUT[3].x, IN[1].xxxx\nEND\n")
    made = lowered(VERTEX, "lower-edge-flag{attribute=1}")
    values = np.array([[flag, 0.5, 0.7, 1] for flag in (1, 0, 1, 1, 0, 0)], np.float32)[: 4 if mode == "QUADS" else 6]
    how = {"fill_front": "LINE", "fill_back": "LINE"}
    more: dict[str, Any] = {"values": values, "points": TRIANGLES[: len(values)], "mode": mode, "rasterizer": how}
    pictures = [drawn(COLORS, text, **more) for text in (written, made, VERTEX)]
    assert pictures[0] == pictures[1] != pictures[2]
    assert "DCL IN[2]" in lowered(VERTEX, "lower-edge-flag")
    assert lowered(written, "lower-edge-flag") == str(tgsi.parse(written))


ALONE = "FRAG\nDCL OUT[0], COLOR\nDCL IN[0], POSITION, LINEAR\nIMM[0] FLT32 {0.03125, 0.0, 0.0, 1.0}\nMUL OUT[0], IN[0], IMM[0].xxxw\nEND\n"


@pytest.mark.parametrize(
    "text", [COLORS, COLORS.replace("PERSPECTIVE", "PERSPECTIVE, CENTROID"), ALONE, SAMPLES], ids=["inputs", "centroid", "alone", "samples"]
)
@pytest.mark.parametrize("samples", [1, 4])
def test_lowered_sample_shading_draws_what_the_state_draws(text: str, samples: int) -> None:
    more: dict[str, Any] = {"samples": samples, "points": TRIANGLES, "values": VALUES}
    want = drawn(text, rasterizer={"multisample": True, "force_persample_interp": True}, **more)
    made = lowered(text, "lower-per-sample")
    assert drawn(made, rasterizer={"multisample": True}, **more) == want
    assert "SAMPLE" in made
    fewer = drawn(text, rasterizer={"multisample": True}, setup=lambda ctx: ctx.set_min_samples(4), **more)
    assert drawn(lowered(text, "lower-per-sample{inputs=declared}"), rasterizer={"multisample": True}, **more) == fewer


def killed(mask: int, planes: Array, points: Array) -> tuple[Array, Array]:
    """Pictures of user planes by the state, and as instructions of the fragment program."""
    rasterizer = {"clip_plane_enable": mask}
    want = drawn(COLORS, planes=planes.tolist(), rasterizer=rasterizer, points=points, is_empty=True)
    distances = f"lower-clip-distances{{distances={mask},generic=3}}"
    vertex, fragment = lowered(VERTEX, f"lower-clip-planes{{planes={mask},constant=0}}", distances), lowered(COLORS, distances)
    assert "CLIPDIST" not in vertex
    found = drawn(fragment, vertex, {"VERTEX": planes}, points=points, is_empty=True)
    a, b = (np.frombuffer(data, np.uint8).reshape(SIZE, SIZE, 4).astype(int) for data in (want, found))
    return a, b


@pytest.mark.parametrize("mask", [1, 2, 0b101, 0b100011])
def test_distances_that_kill_cut_where_clipping_cuts(mask: int) -> None:
    want, found = killed(mask, PLANES, TRIANGLES)
    assert want.any()
    assert (want == found).all()


def test_killed_fragments_differ_from_clipped_ones_near_the_edge_alone() -> None:
    """Clipping rounds the corners of the new polygon to 1/256 pixel; its edges, old and new, move by that. Values follow its corners."""
    rng = np.random.default_rng(12)
    x, y = np.meshgrid(np.arange(SIZE) + 0.5, np.arange(SIZE) + 0.5)
    for _ in range(12):
        points = np.concatenate([rng.uniform(-1.2, 1.2, (6, 2)), np.zeros((6, 1)), np.ones((6, 1))], 1).astype(np.float32)
        plane = np.append(rng.normal(0, 1, 2), [0, rng.uniform(-0.5, 0.5)]).astype(np.float32)
        want, found = killed(1, plane[None], points)
        edges = [plane[[0, 1, 3]]]
        for corners in points.reshape(2, 3, 4)[:, :, [0, 1, 3]]:
            edges += [np.cross(corners[k], corners[k - 1]) for k in range(3)]
        near = np.zeros((SIZE, SIZE), bool)
        for a, b, c in edges:
            pixels = (a * (x * 2 / SIZE - 1) + b * (y * 2 / SIZE - 1) + c) / (np.hypot(a, b) / (SIZE / 2))
            near |= np.abs(pixels) < 1 / 128
        differs = want.any(-1) != found.any(-1)
        assert not (differs & ~near).any()
        assert np.abs(want - found)[~near].max() <= 1


BACKED = VERTEX.replace("DCL OUT[2]", "DCL OUT[3], BCOLOR\nDCL OUT[2]").replace("END\n", "MOV OUT[3], IN[1].wxyz\nEND\n")
AGAIN = COLORS.replace("ADD OUT[0], IN[0]", "INTERP_OFFSET OUT[0], IN[0], IN[1]\nADD OUT[0], OUT[0]")


@pytest.mark.parametrize("text", [COLORS, AGAIN], ids=["plain", "again"])
@pytest.mark.parametrize("front_ccw", [False, True])
def test_lowered_two_sided_colors_draw_what_the_state_draws(text: str, front_ccw: bool) -> None:
    want = drawn(text, BACKED, rasterizer={"light_twoside": True, "front_ccw": front_ccw})
    assert drawn(lowered(text, "lower-two-side{colors=1}"), BACKED, rasterizer={"front_ccw": front_ccw}) == want
    assert drawn(text, BACKED, rasterizer={"front_ccw": front_ccw}) != want


@pytest.mark.parametrize("stage", ["vertex", "fragment"])
@pytest.mark.parametrize("format", ["R32G32B32A32_FLOAT", "R8G8B8A8_UNORM"])
def test_lowered_clamping_draws_what_the_state_draws(stage: str, format: str) -> None:
    """With a NaN and zeros of both signs."""
    fragment = "FRAG\nDCL IN[0], COLOR, CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    found = []
    for lowers in (False, True):
        programs = [lowered(text, "lower-clamp-color") if lowers else text for text in (fragment, VERTEX)]
        picture, rasterizer = Picture(8, 8, format=format), {} if lowers else {f"clamp_{stage}_color": True}
        used = (programs[0], VERTEX) if stage == "fragment" else (fragment, programs[1])
        for k, row in enumerate([[np.nan, -0.0, 0.0, 2.0], [-1.0, 0.5, 1.0, np.inf]]):
            points = TRIANGLES[:3] + np.array([k, 0, 0, 0], np.float32)
            picture.draw(*used, points, np.array([row] * 3, np.float32), mode="TRIANGLES", rasterizer=rasterizer)
        found.append(picture.pixels().tobytes())
    assert found[0] == found[1]
    assert any(found[0])


def test_states_that_are_lowered_together_act_in_the_order_of_the_states() -> None:
    """Colors are clamped before the alpha test sees them, stipple and user planes leave fragments out, colors are flat and two-sided."""
    bright = BACKED.replace("MOV OUT[1], IN[1]", "ADD OUT[1], IN[1], IN[1].wxyz")
    rasterizer = {"clip_plane_enable": 1}
    state: dict[str, Any] = {"flatshade": True, "light_twoside": True, "clamp_fragment_color": True, "poly_stipple_enable": True}
    dsa = g.DepthStencilAlphaState(alpha=g.AlphaState(True, g.CompareFunc.LESS, 1.0))
    want = drawn(
        COLORS,
        bright,
        planes=PLANES.tolist(),
        dsa=dsa,
        rasterizer=rasterizer | state,
        setup=lambda ctx: ctx.set_polygon_stipple(PATTERN),
    )
    options = tgsi.LoweringOptions.parse("flat-shade,two-side=1,clip-planes=1:0,clamp-color,polygon-stipple=0,alpha-test=LESS:1")
    rows = np.array(PATTERN, np.uint32).view(np.float32).reshape(8, 4)
    fragment, vertex = str(tgsi.lower(COLORS, options)), str(tgsi.lower(bright, options, clamp_color=False))
    assert drawn(fragment, vertex, {"VERTEX": PLANES, "FRAGMENT": rows}, rasterizer=rasterizer) == want
