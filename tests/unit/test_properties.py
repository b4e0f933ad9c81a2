"""Every program property has an effect, or a reason in this module why it has none."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from backends.raster.layouts import HizUse
from backends.raster.tile.buffer_keys import DepthKey
from backends.raster.tile.coarse import hiz_of
from backends.raster.tile.fragment import FragmentKey, describe
from tests.unit import test_vertex_properties
from tests.unit.mesh import test_mesh_properties
from tests.unit.picture import ENGINES, LESS, PASS, STRIP, TRIANGLE, WHITE, Picture, both
from tgsi import gallium as g
from tgsi.language.facts.properties import PROPERTIES

pytestmark = pytest.mark.light

REASONS = {
    "GS_OUTPUT_PRIMITIVE": "for the assembly behind the program, which is not built; what is emitted does not depend on it",
    "TES_PRIM_MODE": "for the tessellator, which is not built; the program sees the points that it makes",
    "TES_SPACING": "the same",
    "TES_VERTEX_ORDER_CW": "the same",
    "TES_POINT_MODE": "the same",
    "NEXT_SHADER": "a hint for drivers that compile before they know the next stage; ours links when it draws",
    "VS_BLIT_SGPRS_AMD": "says in which registers of AMD chips a driver's own blit shader finds its data; no API call can fill them",
    "CS_USER_DATA_COMPONENTS_AMD": "the same for a driver's own compute shaders",
    "FS_BLEND_EQUATION_ADVANCED": "a hint: whoever sets it has lowered the equation to FBFETCH and arithmetic",
    "SEPARABLE_PROGRAM": "a promise that nothing was dropped between two programs; ours match by semantics in any case",
    "TCS_TESS_FACTOR_ROUND_TO_POW2": "for the tessellator, which is not built; known from one fork only",
    "TCS_TESS_FACTOR_MAX": "for the tessellator, which is not built; known from one fork only",
}

POSITION = """FRAG
{}DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
"""


def test_every_property_has_a_test_or_a_reason() -> None:
    named = {**globals(), **vars(test_vertex_properties), **vars(test_mesh_properties)}
    tests = {name.removeprefix("test_").partition("__")[0].upper() for name in named if "__" in name}
    assert not tests & set(REASONS)
    assert tests & set(PROPERTIES) | set(REASONS) == set(PROPERTIES)


PROMISES = [
    ("FRAG", "FS_COLOR0_WRITES_ALL_CBUFS", 1),
    ("FRAG", "FS_DEPTH_LAYOUT", 4),
    ("FRAG", "FS_EARLY_DEPTH_STENCIL", 1),
    ("FRAG", "FS_POST_DEPTH_COVERAGE", 1),
    ("FRAG", "FS_BLEND_EQUATION_ADVANCED", 3),
    ("FRAG", "SEPARABLE_PROGRAM", 1),
    ("VERT", "VS_PROHIBIT_UCPS", 1),
    ("VERT", "VS_WINDOW_SPACE_POSITION", 1),
    ("VERT", "NUM_CLIPDIST_ENABLED", 2),
    ("VERT", "NUM_CULLDIST_ENABLED", 2),
    ("VERT", "NEXT_SHADER", "GEOM"),
    ("VERT", "VS_BLIT_SGPRS_AMD", 7),
    ("VERT", "LAYER_VIEWPORT_RELATIVE", 1),
]


@pytest.mark.parametrize(("stage", "name", "value"), PROMISES, ids=[name for _, name, _ in PROMISES])
def test_what_acts_on_fixed_stages_changes_no_register(stage: str, name: str, value: int | str) -> None:
    body = "DCL IN[0], GENERIC[0]\nDCL OUT[0], POSITION\nDCL OUT[1], {}\nADD OUT[0], IN[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n"
    body = body.format("COLOR" if stage == "FRAG" else "CLIPDIST").replace(
        "GENERIC[0]", "GENERIC[0], CONSTANT" if stage == "FRAG" else "GENERIC[0]"
    )
    inputs = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 1, 4)
    found = both(f"{stage}\nPROPERTY {name} {value}\n{body}", inputs)
    assert (found.floats[:, 0] == 2 * inputs[:, 0]).all()
    assert (found.floats[:, 1] == inputs[:, 0]).all()
    assert found.alive.all()


@pytest.mark.parametrize(("stage", "name", "value"), [row for row in PROMISES if row[1] in REASONS], ids=str)
def test_hints_change_no_pixel(stage: str, name: str, value: int | str) -> None:
    line = f"PROPERTY {name} {value}\n"
    vertex = PASS.replace("VERT\n", "VERT\n" + line) if stage == "VERT" else PASS
    fragment = WHITE.replace("FRAG\n", "FRAG\n" + line) if stage == "FRAG" else WHITE
    assert Picture().draw(fragment, vertex).covered().all()


# -- fragment programs ------------------------------------------------------------------------------------------------------
def test_fs_coord_origin__counts_rows_from_the_bottom() -> None:
    rows = Picture(8, 4).draw(POSITION.format("PROPERTY FS_COORD_ORIGIN LOWER_LEFT\n")).pixels()[:, 0, 1]
    assert rows.tolist() == [3.5, 2.5, 1.5, 0.5]
    assert Picture(8, 4).draw(POSITION.format("")).pixels()[:, 0, 1].tolist() == [0.5, 1.5, 2.5, 3.5]


def test_fs_coord_origin__follows_the_viewport() -> None:
    text = POSITION.replace("END\n", "DDY OUT[0].x, IN[0].yyyy\nEND\n")
    up, down = [0.5, 1.5, 2.5, 3.5], [3.5, 2.5, 1.5, 0.5]
    for scale, origin, rows, change in ((1, "LOWER", up, 1), (-1, "LOWER", down, 1), (1, "UPPER", down, -1), (-1, "UPPER", up, -1)):
        picture = Picture(8, 4)
        picture.ctx.set_viewport_states([{"scale": (4, 2 * scale, 0.5), "translate": (4, 2, 0.5)}])
        pixels = picture.draw(text.format(f"PROPERTY FS_COORD_ORIGIN VIEWPORT_{origin}\n")).pixels()
        assert pixels[:, 0, 1].tolist() == rows
        assert (pixels[..., 0] == change).all()


def test_fs_coord_origin__positions_of_a_run_are_taken_as_given() -> None:
    positions = np.array([[0.5, 1.5, 0.5, 1.5], [0.5, 0.5, 1.5, 1.5], [0, 0, 0, 0], [1, 1, 1, 1]], np.float32)
    for line in ("", "PROPERTY FS_COORD_ORIGIN LOWER_LEFT\n", "PROPERTY FS_COORD_PIXEL_CENTER INTEGER\n"):
        found = both(POSITION.format(line), coefs=np.zeros((1, 3, 4), np.float32), quad_pos=positions).floats[:, 0]
        assert (found == positions.T).all()


def test_fs_coord_pixel_center__counts_pixels_in_whole_numbers() -> None:
    found = Picture(4, 2).draw(POSITION.format("PROPERTY FS_COORD_PIXEL_CENTER INTEGER\n")).pixels()
    assert found[0, :, 0].tolist() == [0, 1, 2, 3]
    assert found[:, 0, 1].tolist() == [0, 1]
    lower = "PROPERTY FS_COORD_PIXEL_CENTER INTEGER\nPROPERTY FS_COORD_ORIGIN LOWER_LEFT\n"
    assert Picture(4, 2).draw(POSITION.format(lower)).pixels()[:, 0, 1].tolist() == [1, 0]


@pytest.mark.parametrize("writes", [False, True])
def test_fs_color0_writes_all_cbufs__copies_color_0_to_every_target(writes: bool) -> None:
    picture = Picture(targets=3).draw(WHITE.replace("FRAG\n", f"FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS {int(writes)}\n"))
    assert [float(picture.pixels(k).min()) for k in range(3)] == [1.0, float(writes), float(writes)]


def depth_writer(layout: int, z: float) -> str:
    return f"""FRAG
PROPERTY FS_DEPTH_LAYOUT {layout}
DCL OUT[0], COLOR
DCL OUT[1], POSITION
IMM[0] FLT32 {{1.0, {z}, 0.0, 0.0}}
MOV OUT[0], IMM[0].xxxx
MOV OUT[1].z, IMM[0].yyyy
END
"""


@pytest.mark.parametrize(("layout", "seen"), [(0, False), (1, False), (2, False), (3, False), (4, True)])
def test_fs_depth_layout__unchanged_depth_is_not_the_written_one(layout: int, seen: bool) -> None:
    picture = Picture(depth=True).draw(depth_writer(layout, 1.0), dsa=LESS)
    assert (picture.covered() == seen).all()


def test_fs_depth_layout__a_depth_that_only_grows_lets_triangles_be_dropped_early() -> None:
    for layout, expected in ((1, HizUse.NONE), (2, HizUse.TEST), (3, HizUse.NONE), (4, HizUse.TEST | HizUse.LOWER)):
        info = describe(tgsi.parse(depth_writer(layout, 0.9)))
        key = FragmentKey(lanes=16, depth=DepthKey.of(LESS, g.Format.Z32_FLOAT))
        assert hiz_of(key, info) == expected


@pytest.mark.parametrize("layout", [0, 1, 2])
def test_fs_depth_layout__greater_keeps_pixels(layout: int) -> None:
    picture = Picture(128, 128, depth=True)
    near = STRIP * (0.5, 0.5, 1, 1) + (0, 0, -0.5, 0)
    picture.draw(WHITE.replace("1.0, 1.0", "0.5, 1.0"), points=near.astype(np.float32), dsa=LESS)
    picture.draw(depth_writer(layout, 0.6), dsa=LESS)
    found = picture.pixels()[..., 0]
    assert found[64, 64] == 0.5
    assert found[1, 1] == 1.0
    assert (found == 0.5).sum() == 64 * 64


KILLER = """FRAG
{}DCL OUT[0], COLOR
IMM[0] FLT32 {{1.0, 1.0, 1.0, 1.0}}
MOV OUT[0], IMM[0]
KILL
END
"""


@pytest.mark.parametrize("early", [False, True])
def test_fs_early_depth_stencil__tests_write_and_count_before_the_program_kills(early: bool) -> None:
    picture = Picture(depth=True)
    line = "PROPERTY FS_EARLY_DEPTH_STENCIL 1\n" if early else ""
    count = picture.counted("OCCLUSION_COUNTER", lambda: picture.draw(KILLER.format(line), dsa=LESS))
    assert count == (256 if early else 0)
    assert not picture.covered().any()
    behind = STRIP + np.array([0, 0, 0.5, 0], np.float32)
    assert picture.draw(points=behind, dsa=LESS).covered().all() != early


def test_fs_early_depth_stencil__a_written_depth_does_not_count() -> None:
    text = depth_writer(1, 1.0).replace("FRAG\n", "FRAG\nPROPERTY FS_EARLY_DEPTH_STENCIL 1\n")
    assert Picture(depth=True).draw(text, dsa=LESS).covered().all()


COVERAGE = """FRAG
PROPERTY FS_EARLY_DEPTH_STENCIL 1
{}DCL SV[0], SAMPLEMASK
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {{1.0, 0.0, 0.0, 0.0}}
U2F TEMP[0].x, SV[0].xxxx
DDX TEMP[0].y, TEMP[0].xxxx
MOV TEMP[0].zw, IMM[0].xxxx
MOV OUT[0], TEMP[0]
END
"""


@pytest.mark.parametrize(("line", "difference"), [("", 0.0), ("PROPERTY FS_POST_DEPTH_COVERAGE 1\n", -1.0)])
def test_fs_post_depth_coverage__the_mask_lacks_samples_that_failed(line: str, difference: float) -> None:
    """The right column of each quad fails the depth test, so its lanes have no coverage left, as the derivative shows."""
    picture = Picture(4, 2, depth=True)
    for left in (-0.5, 0.5):
        points = (STRIP * (0.25, 1, 0, 1) + (left + 0.25, 0, -0.5, 0)).astype(np.float32)
        picture.draw(WHITE, points=points, dsa=LESS)
    found = picture.draw(COVERAGE.format(line), points=TRIANGLE, mode="TRIANGLES", dsa=LESS).pixels()
    assert found[0].tolist() == [[1, difference, 1, 1], [1, 1, 1, 1]] * 2


def test_fs_post_depth_coverage__brings_early_tests() -> None:
    picture = Picture(depth=True)
    text = KILLER.format("PROPERTY FS_POST_DEPTH_COVERAGE 1\n")
    assert picture.counted("OCCLUSION_COUNTER", lambda: picture.draw(text, dsa=LESS)) == 256


# -- other stages -----------------------------------------------------------------------------------------------------------
GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE {}
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES {}
PROPERTY GS_INVOCATIONS {}
DCL IN[][0], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL OUT[0], GENERIC[0]
DCL ADDR[0]
IMM[0] UINT32 {{0, 1, 5, 0}}
UARL ADDR[0].xy, IMM[0].yzzz
MOV OUT[0].x, IN[ADDR[0].x][0].xxxx
MOV OUT[0].y, IN[ADDR[0].y][0].xxxx
MOV OUT[0].z, SV[0].xxxx
EMIT IMM[0].xxxx
EMIT IMM[0].xxxx
EMIT IMM[0].xxxx
ENDPRIM IMM[0].xxxx
END
"""


def primitives(count: int, vertices: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Primitives of shape (count, vertices, 1, 4), whose x counts from 1."""
    result = np.zeros((count, vertices, 1, 4), np.float32)
    result[..., 0, 0] = np.arange(1, count * vertices + 1).reshape(count, vertices)
    return result


@pytest.mark.parametrize(
    ("name", "vertices"), [("POINTS", 1), ("LINES", 2), ("LINES_ADJACENCY", 4), ("TRIANGLES", 3), ("TRIANGLES_ADJACENCY", 6)]
)
def test_gs_input_primitive__says_how_many_vertices_there_are(name: str, vertices: int) -> None:
    text = GEOMETRY.format(name, 8, 1)
    found = both(text, primitives(2, vertices)).emitted[0].view(np.float32)
    assert found[::3, 0, 0].tolist() == ([2, 2 + vertices] if vertices > 1 else [0, 0])
    assert found[::3, 0, 1].tolist() == ([6, 12] if vertices == 6 else [0, 0])
    with pytest.raises(tgsi.ValidationError, match="V037"):
        tgsi.validate(tgsi.parse(text.replace("IN[ADDR[0].x]", f"IN[{vertices}]")))
    for engine in ENGINES:
        with pytest.raises(ValueError, match="inputs must have shape"):
            tgsi.run(tgsi.parse(text), primitives(2, vertices + 1), engine=engine)


@pytest.mark.parametrize(("limit", "emitted"), [(1, 1), (2, 2), (3, 3), (8, 3)])
def test_gs_max_output_vertices__drops_what_comes_after(limit: int, emitted: int) -> None:
    found = both(GEOMETRY.format("TRIANGLES", limit, 1), primitives(2, 3))
    assert [len(stream) for stream in found.emitted] == [2 * emitted, 0, 0, 0]
    assert found.strips[0].tolist() == [emitted] * 2


def test_gs_invocations__runs_each_primitive_as_often() -> None:
    found = both(GEOMETRY.format("POINTS", 1, 3), primitives(2, 1)).emitted[0]
    assert found[:, 0, 2].tolist() == [0, 1, 2] * 2


def test_tcs_vertices_out__is_the_size_of_the_patch_that_is_written() -> None:
    text = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT {}\nDCL IN[][0], GENERIC[0]\nDCL OUT[][0], GENERIC[0]\nDCL SV[0], INVOCATIONID\n"
    text += "DCL ADDR[0]\nUARL ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\nEND\n"
    for size in (1, 3, 4, 6):
        found = both(text.format(size), primitives(2, 4)).floats[:, 0, 0]
        expected = [[1, 2, 3, 4, 0, 0][:size], [5, 6, 7, 8, 0, 0][:size]]
        assert found.reshape(2, size).tolist() == expected


BLOCK = "COMP\n{}DCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_SIZE\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {{4, 1, 0, 0}}\n"
BLOCK += "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].zzzz, IMM[0].yyyy\nSTORE BUFFER[0].xyz, IMM[0].xxxx, SV[1]\nEND\n"
AXES = ("WIDTH", "HEIGHT", "DEPTH")


@pytest.mark.parametrize("axis", range(3))
def test_cs_fixed_block_width__decides_the_block(axis: int) -> None:
    block = [2, 3, 4]
    block[axis] = 5
    lines = "".join(f"PROPERTY CS_FIXED_BLOCK_{name} {size}\n" for name, size in zip(AXES, block))
    memory = {0: np.zeros(4, np.uint32)}
    found = both(BLOCK.format(lines), buffers=memory).buffers[0].view(np.uint32)
    assert found.tolist() == [5 * 24 // (axis + 2), *block]
    alone = BLOCK.format(f"PROPERTY CS_FIXED_BLOCK_{AXES[axis]} 5\n")
    assert both(alone, buffers=memory, block=tuple(block)).buffers[0].view(np.uint32)[1:].tolist() == block
    for engine in ENGINES:
        with pytest.raises(ValueError, match="the program fixes"):
            tgsi.run(tgsi.parse(alone), buffers=memory, block=(1, 1, 1), engine=engine)
        with pytest.raises(ValueError, match="block must be given"):
            tgsi.run(tgsi.parse(alone), buffers=memory, engine=engine)


test_cs_fixed_block_height__decides_the_block = test_cs_fixed_block_depth__decides_the_block = test_cs_fixed_block_width__decides_the_block


# -- all stages -------------------------------------------------------------------------------------------------------------
PRODUCTS = """VERT
PROPERTY {} {}
DCL IN[0]
DCL IN[1]
DCL OUT[0], GENERIC[0]
DCL OUT[1], GENERIC[1]
IMM[0] FLT32 {{0.0, 1.0, 2.0, 3.0}}
MUL OUT[0].x, IN[0], IN[1]
MAD OUT[0].y, IN[0].xxxx, IN[1].xxxx, IMM[0].yyyy
LRP OUT[0].z, IN[0].xxxx, IN[1].xxxx, IMM[0].xxxx
FMA OUT[0].w, IN[0].xxxx, IN[1].xxxx, IMM[0].zzzz
DP2 OUT[1].x, IN[0], IN[1]
DP3 OUT[1].y, IN[0], IN[1]
DP4 OUT[1].z, IN[0], IN[1]
DST OUT[1].w, IN[0], IN[1]
END
"""


@pytest.mark.parametrize("name", ["MUL_ZERO_WINS", "LEGACY_MATH_RULES"])
@pytest.mark.parametrize("other", [np.inf, np.nan])
def test_mul_zero_wins__0_by_anything_is_0(name: str, other: float) -> None:
    inputs = np.array([[[0, 1, 1, 1], [other, 1, 1, 5]], [[-0.0, 1, 1, 1], [other, 1, 1, 5]], [[other, 1, 1, 1], [0, 1, 1, 5]]], np.float32)
    found = both(PRODUCTS.format(name, 1), inputs)
    assert found.floats[:2, 0].tolist() == [[0, 1, 0, 2]] * 2
    assert not np.signbit(found.floats[1, 0, 0])
    assert found.floats[:, 1].tolist() == [[1, 2, 7, 5]] * 3
    plain = both(PRODUCTS.format(name, 0), inputs)
    assert np.isnan(plain.floats[..., 0]).all()


test_legacy_math_rules__is_mul_zero_wins = test_mul_zero_wins__0_by_anything_is_0


def test_mul_zero_wins__acts_in_the_renderer() -> None:
    vertex = "VERT\nPROPERTY MUL_ZERO_WINS 1\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\n"
    vertex += "MUL OUT[1], IN[1].xxxx, IN[1].yyyy\nEND\n"
    fragment = "FRAG\nPROPERTY MUL_ZERO_WINS 1\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n"
    fragment += "IMM[0] FLT32 {0x7f800000, 1.0, 2.0, 0.0}\nMAD OUT[0], IN[0], IMM[0].xxxx, IMM[0].zzzz\nEND\n"
    values = np.tile(np.array([0, np.inf, 0, 0], np.float32), (4, 1))
    assert (Picture().draw(fragment, vertex, values=values).pixels() == 2).all()
