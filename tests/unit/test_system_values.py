"""Every system value is correct in both engines, and in the renderer if the stage is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from tests.images.scenes import FS_COLOR, Stage
from tests.images.tessellated import TES_PATCH, corners
from tests.texts import VS_POSITION
from tests.unit.picture import LESS, STRIP, TRIANGLE, WHITE, Picture, both
from tgsi.language.facts.semantics import SEMANTICS

pytestmark = pytest.mark.light

Array = NDArray[Any]

# Names that are never system values, with their actual roles.
NO_SYSTEM_VALUES = {
    **dict.fromkeys(("COLOR", "BCOLOR", "FOG", "GENERIC", "NORMAL", "TEXCOORD", "PATCH"), "varyings and vertex attributes"),
    **dict.fromkeys(("PSIZE", "EDGEFLAG", "CLIPDIST", "CLIPVERTEX", "STENCIL"), "outputs for the stages without a program"),
    **dict.fromkeys(("PRIMITIVE_INDICES", "CULL_PRIMITIVE", "VIEWPORT_MASK"), "outputs of mesh programs (tests/unit/geometry/mesh)"),
    "PCOORD": "an input of fragments (tests/unit/raster/test_primitives.py)",
}

FRAGMENT = """FRAG
DCL SV[0], {name}
DCL OUT[0], COLOR
DCL TEMP[0]
{convert} TEMP[0], SV[0]
MOV OUT[0], TEMP[0]
END
"""
VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL SV[0], {name}
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], SV[0]
END
"""
FLAT = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
VERTICES = "VERT\nDCL SV[0], {name}\nDCL OUT[0], GENERIC[0]\nMOV OUT[0], SV[0]\nEND\n"
FRAGMENTS = "FRAG\nDCL SV[0], {name}\nDCL OUT[0], COLOR\nMOV OUT[0], SV[0]\nEND\n"


def words(name: str, text: str, **options: Any) -> Array:
    """Words of output 0 in both engines as int32, of shape (invocations, 4)."""
    return both(text.format(name=name), **options).outputs[:, 0].view(np.int32)


def given(name: str, text: str) -> None:
    """Check that a passed value arrives, channel by channel."""
    values = np.arange(24, dtype=np.uint32).reshape(6, 4) * 1000003
    assert (words(name, text, system_values={name: values}) == values.view(np.int32)).all()


def drawn(name: str, **changes: Any) -> Array:
    """System value of fragments in a 4 x 4 picture that one triangle covers, as int32 words of shape (height, width, 4)."""
    picture = Picture(4, 4, format="R32G32B32A32_SINT", depth=True)
    how: dict[str, Any] = {"points": TRIANGLE, "mode": "TRIANGLES"} | changes
    return picture.draw(FRAGMENTS.format(name=name), **how).pixels()


def of_vertex(name: str, **how: Any) -> Array:
    """Channel x of a vertex program's system value, of shape (columns,): one point per column of a 4 x 1 picture."""
    picture = Picture(4, 1, format="R32G32B32A32_SINT")
    points = np.array([[-0.75 + 0.5 * k, 0, 0, 1] for k in range(4)], np.float32)
    picture.draw(FLAT, VERTEX.format(name=name), points, mode="POINTS", **how)
    return picture.pixels()[0, :, 0]


def test_every_system_value_has_a_test_or_a_reason() -> None:
    tests = {name.removeprefix("test_").partition("__")[0].upper() for name in globals() if "__" in name} | set(SUBGROUP)
    assert not tests & set(NO_SYSTEM_VALUES)
    assert tests & set(SEMANTICS) | set(NO_SYSTEM_VALUES) == set(SEMANTICS)


# -- vertices ---------------------------------------------------------------------------------------------------------------
INDICES = np.array([2, 0, 3, 1], np.uint16)


def test_vertexid__counts_with_the_base() -> None:
    given("VERTEXID", VERTICES)
    assert of_vertex("VERTEXID").tolist() == [0, 1, 2, 3]
    assert of_vertex("VERTEXID", start=1, count=3).tolist() == [0, 1, 2, 3]
    assert of_vertex("VERTEXID", index=INDICES + 5, index_bias=-5).tolist() == [0, 1, 2, 3]
    assert words("VERTEXID", VERTICES, system_values={"INSTANCEID": [0] * 3})[:, 0].tolist() == [0, 1, 2]


def test_vertexid_nobase__counts_without_the_base() -> None:
    given("VERTEXID_NOBASE", VERTICES)
    assert of_vertex("VERTEXID_NOBASE", start=1, count=3).tolist() == [0, 0, 1, 2]
    assert of_vertex("VERTEXID_NOBASE", index=INDICES + 5, index_bias=-5).tolist() == [5, 6, 7, 8]


def test_basevertex__is_the_bias_or_the_first_vertex() -> None:
    given("BASEVERTEX", VERTICES)
    assert of_vertex("BASEVERTEX", start=1, count=3).tolist() == [0, 1, 1, 1]
    assert of_vertex("BASEVERTEX", index=INDICES + 5, index_bias=-5).tolist() == [-5] * 4


def test_instanceid__counts_instances_from_0() -> None:
    given("INSTANCEID", VERTICES)
    assert of_vertex("INSTANCEID", instance_count=3, start_instance=7).tolist() == [2] * 4


def test_baseinstance__is_the_first_instance() -> None:
    given("BASEINSTANCE", VERTICES)
    assert of_vertex("BASEINSTANCE", instance_count=3, start_instance=7).tolist() == [7] * 4


def test_drawid__is_the_number_of_the_draw() -> None:
    given("DRAWID", VERTICES)
    assert of_vertex("DRAWID", drawid=5).tolist() == [5] * 4


def test_drawid__counts_indirect_draws() -> None:
    picture = Picture(4, 1, format="R32G32B32A32_SINT")
    buffer = picture.buffer(np.array([[1, 1, k, 0] for k in range(4)], np.uint32))
    points = np.array([[-0.75 + 0.5 * k, 0, 0, 1] for k in range(4)], np.float32)
    picture.draw(FLAT, VERTEX.format(name="DRAWID"), points, mode="POINTS", indirect=buffer, draw_count=4)
    assert picture.pixels()[0, :, 0].tolist() == [0, 1, 2, 3]


# -- fragments --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("front", [False, True])
def test_face__is_all_ones_for_front_faces(front: bool) -> None:
    given("FACE", FRAGMENTS)
    positions = np.ones((4, 4), np.float32)
    expected = -1 if front else 0
    assert (words("FACE", FRAGMENTS, face=1.0 if front else -1.0, quad_pos=positions) == expected).all()
    assert (drawn("FACE", rasterizer={"front_ccw": not front}) == expected).all()
    text = "FRAG\nDCL IN[0], FACE, CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    found = Picture().draw(text, points=TRIANGLE, mode="TRIANGLES", rasterizer={"front_ccw": not front}).pixels()
    assert (found == (1 if front else -1, 0, 0, 1)).all()
    planes = np.zeros((1, 3, 4), np.float32)
    assert (both(text, coefs=planes, quad_pos=positions, face=-3.0).floats == (-3, 0, 0, 1)).all()


def test_prim_id__counts_primitives() -> None:
    given("PRIM_ID", FRAGMENTS)
    picture = Picture(4, 4, format="R32G32B32A32_SINT")
    points = np.array([[-0.75 + 0.5 * k, -0.75, 0, 1] for k in range(4)], np.float32)
    found = picture.draw(FRAGMENTS.format(name="PRIM_ID"), points=points, mode="POINTS", instance_count=2).pixels()
    assert found[0].tolist() == [[k] * 4 for k in range(4)]
    text = "FRAG\nDCL IN[0], PRIM_ID, CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0].xxxx\nEND\n"
    found = Picture(4, 4, format="R32G32B32A32_SINT").draw(text, points=points, mode="POINTS").pixels()
    assert found[0, :, 0].tolist() == [0, 1, 2, 3]


def test_prim_id__is_a_primitive_of_geometry_and_tessellation() -> None:
    text = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
    text += "DCL IN[][0], GENERIC[0]\nDCL IN[1], PRIM_ID\nDCL SV[0], PRIM_ID\nDCL OUT[0], GENERIC[0]\nIMM[0] UINT32 {{0, 0, 0, 0}}\n"
    text += "MOV OUT[0], SV[0]\nEMIT IMM[0].xxxx\nEND\n"
    found = both(text.replace("{{", "{").replace("}}", "}"), np.zeros((3, 1, 2, 4), np.float32)).emitted[0]
    assert found[:, 0, 0].tolist() == [0, 1, 2]
    text = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 2\nDCL SV[0], PRIM_ID\nDCL SV[1], INVOCATIONID\nDCL ADDR[0]\nDCL OUT[][0], GENERIC[0]\n"
    text += "UARL ADDR[0].x, SV[1].xxxx\nMOV OUT[ADDR[0].x][0], SV[0]\nEND\n"
    found = both(text, np.zeros((2, 3, 0, 4), np.float32)).outputs
    assert found[:, 0, 0].tolist() == [0, 0, 1, 1]


def test_position__of_a_fragment_may_be_a_system_value() -> None:
    given("POSITION", FRAGMENTS)
    found = drawn("POSITION").view(np.float32)
    assert found[1, 2].tolist() == [2.5, 1.5, 0.5, 1.0]


def test_sampleid__is_0_where_there_is_one_sample() -> None:
    given("SAMPLEID", FRAGMENTS)
    assert (drawn("SAMPLEID") == 0).all()


def test_samplepos__is_the_place_of_the_sample() -> None:
    given("SAMPLEPOS", FRAGMENTS)
    table = [[0.25, 0.75], [0.5, 0.125]]
    text = FRAGMENTS.replace("DCL OUT", "DCL SV[1], SAMPLEID\nDCL OUT").format(name="SAMPLEPOS")
    found = both(text, system_values={"SAMPLEID": [0, 1, 1, 0]}, sample_positions=table).floats[:, 0, :2]
    assert found.tolist() == [table[0], table[1], table[1], table[0]]
    assert (drawn("SAMPLEPOS").view(np.float32) == (0.5, 0.5, 0, 0)).all()


def test_samplemask__is_the_coverage() -> None:
    given("SAMPLEMASK", FRAGMENTS)
    assert words("SAMPLEMASK", FRAGMENTS, coverage=[1, 0, 3, 2], sample_positions=[[0.25, 0.5], [0.75, 0.5]])[:, 0].tolist() == [1, 0, 3, 2]
    assert (drawn("SAMPLEMASK") == 1).all()


def quad_sum(name: str, convert: str) -> str:
    """Program that writes its own value and the values of the quad's four pixels, obtained through derivatives."""
    return f"""FRAG
DCL SV[0], {name}
DCL OUT[0], COLOR
DCL TEMP[0]
DCL TEMP[1]
{convert} TEMP[0].x, SV[0].xxxx
DDX_FINE TEMP[0].y, TEMP[0].xxxx
DDY_FINE TEMP[0].z, TEMP[0].xxxx
MOV TEMP[0].w, TEMP[0].xxxx
MOV OUT[0], TEMP[0]
END
"""


@pytest.mark.parametrize(("name", "own", "other"), [("HELPER_INVOCATION", 0, -1), ("SAMPLEMASK", 1, 0)])
def test_helper_invocation__is_true_beside_the_primitive(name: str, own: int, other: int) -> None:
    """The rectangle has one column. Its right neighbor in each quad is a helper lane, without coverage."""
    points = (STRIP * (0.25, 1, 0, 1) - (0.75, 0, 0, 0)).astype(np.float32)
    found = Picture(4, 4).draw(quad_sum(name, "I2F"), points=points).pixels()
    inside = found[(0, 3), 0]
    assert (inside[:, 0] == own).all()
    assert (inside[:, 1] == other - own).all()
    assert not found[:, 1:].any()


def test_helper_invocation__arrives_where_it_is_given() -> None:
    given("HELPER_INVOCATION", FRAGMENTS)
    assert (drawn("HELPER_INVOCATION") == 0).all()


@pytest.mark.parametrize("early", [False, True])
def test_helper_invocation__is_true_for_pixels_that_failed_early_tests(early: bool) -> None:
    picture = Picture(4, 4, depth=True)
    points = (STRIP * (0.25, 1, 0, 1) + (-0.25, 0, -0.5, 0)).astype(np.float32)
    picture.draw(WHITE, points=points, dsa=LESS)
    text = quad_sum("HELPER_INVOCATION", "I2F").replace("FRAG\n", f"FRAG\nPROPERTY FS_EARLY_DEPTH_STENCIL {int(early)}\n")
    found = picture.draw(text, points=TRIANGLE, mode="TRIANGLES", dsa=LESS).pixels()
    assert (found[:, 0, 1] == (-1 if early else 0)).all()


SUBGROUP = {
    "SUBGROUP_SIZE": [4, 4, 4, 4],
    "SUBGROUP_INVOCATION": [0, 1, 2, 3],
    "SUBGROUP_EQ_MASK": [1, 2, 4, 8],
    "SUBGROUP_GE_MASK": [15, 14, 12, 8],
    "SUBGROUP_GT_MASK": [14, 12, 8, 0],
    "SUBGROUP_LE_MASK": [1, 3, 7, 15],
    "SUBGROUP_LT_MASK": [0, 1, 3, 7],
}


@pytest.mark.parametrize("name", SUBGROUP)
@pytest.mark.parametrize("mode", ["TRIANGLES", "many"])
def test_subgroup_size__and_places_in_it_are_those_of_the_quad(name: str, mode: str) -> None:
    """`many` triangles are drawn as packed quads, few as runs of blocks."""
    values = np.array(SUBGROUP[name])
    rest = values if name in ("SUBGROUP_SIZE", "SUBGROUP_INVOCATION") else values * 0
    for text in (FRAGMENTS, VERTICES):
        given(name, text)
        found = words(name, text, system_values={"VERTEXID": [0] * 8})
        assert (found == np.stack([values, rest, rest, rest], axis=1)[np.arange(8) % 4]).all()
    points = TRIANGLE if mode == "TRIANGLES" else np.tile(TRIANGLE, (40, 1))
    expected = np.stack([values, rest, rest, rest], axis=1).reshape(2, 2, 4)
    assert (drawn(name, points=points, mode="TRIANGLES") == np.tile(expected, (2, 2, 1))).all()
    assert of_vertex(name).tolist() == SUBGROUP[name]


# -- inputs of fragments that the rasterizer also uses -----------------------------------------------------------------------
@pytest.mark.parametrize("name", ["LAYER", "VIEWPORT_INDEX"])
@pytest.mark.parametrize("written", [False, True])
def test_layer__of_a_fragment_is_what_was_written_or_0(name: str, written: bool) -> None:
    text = f"FRAG\nDCL IN[0], {name}, CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0].xxxx\nEND\n"
    vertex = f"VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1].x, {name if written else 'GENERIC[0]'}\n"
    vertex += "IMM[0] UINT32 {3, 0, 0, 0}\nMOV OUT[0], IN[0]\nMOV OUT[1].x, IMM[0].xxxx\nEND\n"
    assert (Picture(format="R32G32B32A32_SINT").draw(text, vertex).pixels() == 3 * written).all()
    values = np.arange(8, dtype=np.int32).reshape(2, 1, 4)
    assert both(text, values).outputs[:, 0, 0].tolist() == [0, 4]


test_viewport_index__of_a_fragment_is_what_was_written_or_0 = test_layer__of_a_fragment_is_what_was_written_or_0


# -- geometry and tessellation ----------------------------------------------------------------------------------------------
def test_invocationid__counts_the_runs_of_a_primitive_or_the_vertices_of_a_patch() -> None:
    text = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
    text += "PROPERTY GS_INVOCATIONS 3\nDCL SV[0], INVOCATIONID\nDCL OUT[0], GENERIC[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
    text += "MOV OUT[0], SV[0]\nEMIT IMM[0].xxxx\nEND\n"
    assert both(text, np.zeros((2, 1, 0, 4), np.float32)).emitted[0][:, 0, 0].tolist() == [0, 1, 2] * 2
    text = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL SV[0], INVOCATIONID\nDCL ADDR[0]\nDCL OUT[][0], GENERIC[0]\n"
    text += "UARL ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][0], SV[0]\nEND\n"
    assert both(text, np.zeros((2, 3, 0, 4), np.float32)).outputs[:, 0, 0].tolist() == [0, 1, 2] * 2


def test_verticesin__is_the_size_of_the_patch_that_comes_in() -> None:
    text = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 1\nDCL SV[0], VERTICESIN\nDCL OUT[][0], GENERIC[0]\nMOV OUT[0][0], SV[0]\nEND\n"
    assert both(text, np.zeros((2, 7, 0, 4), np.float32)).outputs[:, 0, 0].tolist() == [7, 7]
    text = "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL SV[0], VERTICESIN\nDCL OUT[0], GENERIC[0]\nMOV OUT[0], SV[0]\nEND\n"
    assert both(text, np.zeros((2, 5, 0, 4), np.float32)).outputs[:, 0, 0].tolist() == [5, 5]


EVALUATION = "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL SV[0], {}\nDCL OUT[0], GENERIC[0]\nMOV OUT[0], SV[0]\nEND\n"


@pytest.mark.parametrize("name", ["TESSCOORD", "TESSOUTER", "TESSINNER"])
def test_tesscoord__and_levels_arrive_as_they_are_given(name: str) -> None:
    values = np.linspace(0, 1, 24, dtype=np.float32).reshape(6, 4)
    found = both(EVALUATION.format(name), np.zeros((2, 3, 0, 4), np.float32), system_values={name: values})
    assert (found.floats[:, 0] == values).all()


@pytest.mark.parametrize("name", ["TESSOUTER", "TESSINNER"])
def test_tessouter__and_inner_levels_are_written_once_a_patch(name: str) -> None:
    text = f"TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL OUT[0], {name}\nIMM[0] FLT32 {{1.0, 2.0, 3.0, 4.0}}\nMOV OUT[0], IMM[0]\nEND\n"
    assert (both(text, np.zeros((2, 3, 0, 4), np.float32)).floats[:, 0] == (1, 2, 3, 4)).all()


test_tessinner__levels_are_tested_with_the_outer_ones = test_tessouter__and_inner_levels_are_written_once_a_patch


# -- compute ----------------------------------------------------------------------------------------------------------------
COMPUTE = """COMP
DCL SV[0], {}
DCL SV[1], THREAD_ID
DCL SV[2], BLOCK_ID
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {{16, 3, 6, 12}}
UMAD TEMP[0].x, SV[1].yyyy, IMM[0].yyyy, SV[1].xxxx
UMAD TEMP[0].x, SV[2].xxxx, IMM[0].zzzz, TEMP[0].xxxx
UMAD TEMP[0].x, SV[2].yyyy, IMM[0].wwww, TEMP[0].xxxx
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
STORE BUFFER[0], TEMP[0].xxxx, SV[0]
END
"""


def computed(name: str) -> Array:
    """Words of a system value, of shape (threads, 4), for 2 x 2 blocks of 3 x 2 threads."""
    memory = {0: np.zeros(96, np.uint32)}
    found = both(COMPUTE.format(name), buffers=memory, grid=(2, 2, 1), block=(3, 2, 1))
    return found.buffers[0].view(np.uint32).reshape(24, 4)


def test_thread_id__counts_x_first() -> None:
    assert computed("THREAD_ID").tolist() == [[k % 3, k // 3, 0, 0] for k in range(6)] * 4


def test_block_id__counts_x_first() -> None:
    assert computed("BLOCK_ID").tolist() == [[k // 6 % 2, k // 12, 0, 0] for k in range(24)]


def test_block_size__has_an_axis_a_channel() -> None:
    assert computed("BLOCK_SIZE").tolist() == [[3, 2, 1, 0]] * 24


def test_grid_size__has_an_axis_a_channel() -> None:
    assert computed("GRID_SIZE").tolist() == [[2, 2, 1, 0]] * 24


def test_work_dim__is_3() -> None:
    assert (computed("WORK_DIM") == 3).all()


def test_subgroup_invocation__of_lanes_that_are_no_vertices_does_not_vote() -> None:
    """Five vertices: the last one is alone in its subgroup, and the other three lanes are empty."""
    text = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nIMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}\n"
    text += "MOV OUT[0], IN[0]\nBALLOT OUT[1], IMM[0].xxxx\nEND\n"
    points = np.array([[-0.8 + 0.4 * k, 0, 0, 1] for k in range(5)], np.float32)
    picture = Picture(5, 1, format="R32G32B32A32_SINT").draw(FLAT, text, points, mode="POINTS")
    assert picture.pixels()[0, :, 0].tolist() == [15, 15, 15, 15, 1]
    ballot = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nIMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}\nBALLOT OUT[0], IMM[0].xxxx\nEND\n"
    assert both(ballot, np.zeros((5, 1, 4), np.float32)).outputs[:, 0, 0].tolist() == [15, 15, 15, 15, 1]


# -- later Mesa -------------------------------------------------------------------------------------------------------------
GRID = (
    "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 2\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
    "DCL SV[0], CS_USER_DATA_AMD\nDCL SV[1], THREAD_ID\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {16, 0, 0, 0}\n"
    "UMUL TEMP[0].x, SV[1].xxxx, IMM[0].xxxx\n"
    "STORE BUFFER[0], TEMP[0].xxxx, SV[0]\nEND\n"
)


def test_cs_user_data_amd__is_what_a_run_gives_and_no_grid_has() -> None:
    program = tgsi.parse(GRID)
    for engine in ("jit", "interp"):
        data = {"CS_USER_DATA_AMD": [[7, 8, 9, 10], [11, 12, 13, 14]]}
        result = tgsi.run(program, engine=engine, buffers={0: np.zeros(8, np.uint32)}, system_values=data)
        assert np.asarray(result.buffers[0]).view(np.uint32).tolist() == [7, 8, 9, 10, 11, 12, 13, 14]
    with tgsi.Screen(threads=0) as screen, pytest.raises(tgsi.UnsupportedError, match=r"B004.*CS_USER_DATA_AMD is not supported"):
        screen.context_create().create_compute_state(program)


@pytest.mark.parametrize("stage", ["VERT", "GEOM", "TESS_EVAL"])
def test_a_mask_of_viewports_is_an_output_of_a_run_and_of_mesh_programs_in_draws(stage: str) -> None:
    heads = {"GEOM": "PROPERTY GS_INPUT_PRIMITIVE POINTS\n", "TESS_EVAL": "PROPERTY TES_PRIM_MODE 4\n"}
    text = f"{stage}\n{heads.get(stage, '')}DCL OUT[0], VIEWPORT_MASK\nIMM[0] UINT32 {{5, 0, 0, 0}}\nMOV OUT[0].x, IMM[0]\nEND\n"
    program = tgsi.parse(text)
    assert tgsi.check(program) == ()
    assert tgsi.decode(tgsi.encode(program)) == program
    if stage == "VERT":
        for engine in ("jit", "interp"):
            assert tgsi.run(program, np.zeros((1, 0, 4), np.float32), engine=engine).outputs[0, 0, 0] == 5
    with tgsi.Screen(threads=0) as screen, pytest.raises(tgsi.UnsupportedError, match=f"VIEWPORT_MASK of a {stage} program"):
        getattr(screen.context_create(), f"create_{ {'VERT': 'vs', 'GEOM': 'gs', 'TESS_EVAL': 'tes'}[stage] }_state")(program)


@pytest.mark.parametrize("name", ["TESS_DEFAULT_OUTER_LEVEL", "TESS_DEFAULT_INNER_LEVEL"])
def test_tess_default_outer_level__and_inner_levels_arrive_as_they_are_given(name: str) -> None:
    text = f"TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 1\nDCL SV[0], {name}\nDCL OUT[][0], GENERIC[0]\nMOV OUT[0][0], SV[0]\nEND\n"
    program = tgsi.parse(text)
    assert tgsi.decode(tgsi.encode(program)) == program
    for engine in ("jit", "interp"):
        result = tgsi.run(program, np.zeros((1, 1, 0, 4), np.float32), engine=engine, system_values={name: [[1, 2.5, 3, 4]]})
        assert result.floats.reshape(-1, 4)[0].tolist() == [1.0, 2.5, 3.0, 4.0]


PASSING = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 4
DCL SV[0], TESS_DEFAULT_OUTER_LEVEL
DCL SV[1], TESS_DEFAULT_INNER_LEVEL
DCL SV[2], INVOCATIONID
DCL IN[][0], POSITION
DCL OUT[][0], POSITION
DCL OUT[1], TESSOUTER
DCL OUT[2], TESSINNER
DCL ADDR[0]
UARL ADDR[0].x, SV[2].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
MOV OUT[1], SV[0]
MOV OUT[2].xy, SV[1]
END
"""


def test_tess_default_inner_level__and_outer_levels_of_a_control_program_are_those_of_draws_without_one() -> None:
    def picture(control: bool) -> bytes:
        with tgsi.Screen(threads=0) as screen:
            stage = Stage(screen)
            stage.clear(0.0, 0.0, 0.0, 1.0)
            stage.rasterizer(fill_front="LINE", fill_back="LINE")
            ctx = stage.ctx
            ctx.bind_tcs_state(ctx.create_tcs_state(PASSING) if control else None)
            ctx.bind_tes_state(ctx.create_tes_state(TES_PATCH.format(mode=7, spacing=2, points=0)))
            for levels in (((5.0, 7.0, 2.0, 3.0), (6.0, 3.0)), ((2.0, 2.0, 4.0, 4.0), (3.0, 5.0))):
                ctx.set_tess_state(*levels)
                stage.draw(VS_POSITION, FS_COLOR, "PATCHES", np.array(corners(1)), vertices_per_patch=4)
            return stage.bytes()

    assert picture(True) == picture(False)
