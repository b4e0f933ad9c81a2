"""Geometry shaders in draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from tests.unit.geometry.programs import ROWS, STRIPS, WHOLE, geometry, passthrough, streamed, strips_to_lists, wanted_by, words
from tests.unit.picture import GENERIC, PASS, Picture
from tgsi import gallium as g

pytestmark = pytest.mark.light

MODES = [mode for mode in g.Prim.__members__ if mode != "PATCHES"]
ZERO = "IMM[0] UINT32 {0, 0, 0, 0}\n"
FLAT = GENERIC.replace("PERSPECTIVE", "CONSTANT")


def cloud(count: int, seed: int = 3) -> tuple[Any, Any]:
    """Points all over the window and some outside, with various depths and w, and with distinguishable values."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-1.3, 1.3, (count, 4)).astype(np.float32)
    points[:, 3] = rng.uniform(0.5, 1.5, count)
    return points, rng.uniform(0.1, 1, (count, 4)).astype(np.float32)


def drawn(text: str | None, mode: str, fragment: str = GENERIC, *, count: int = 23, **info: Any) -> Any:
    picture = Picture(40, 40)
    geometry(picture, text)
    picture.draw(fragment, PASS, *cloud(count), mode=mode, **info)
    return picture.pixels()


@pytest.mark.parametrize("fragment", [GENERIC, FLAT], ids=["smooth", "flat"])
@pytest.mark.parametrize("mode", MODES)
def test_a_program_that_hands_on_what_it_gets_changes_nothing(mode: str, fragment: str) -> None:
    plain = drawn(None, mode, fragment)
    assert plain.any()
    np.testing.assert_array_equal(drawn(passthrough(wanted_by(mode)), mode, fragment), plain)


@pytest.mark.parametrize("mode", ["TRIANGLES", "LINES", "TRIANGLE_FAN", "TRIANGLES_ADJACENCY"])
def test_the_first_vertex_provokes_behind_a_geometry_program_too(mode: str) -> None:
    first = {"flatshade_first": True}
    if mode == "TRIANGLE_FAN":  # the hub is the first vertex that the program gets
        assert drawn(passthrough("TRIANGLES"), mode, FLAT, rasterizer=first).any()
        return
    plain = drawn(None, mode, FLAT, rasterizer=first)
    np.testing.assert_array_equal(drawn(passthrough(wanted_by(mode)), mode, FLAT, rasterizer=first), plain)
    assert (plain != drawn(None, mode, FLAT)).any()


@pytest.mark.parametrize("mode", ["TRIANGLE_STRIP", "LINE_LOOP", "LINE_STRIP_ADJACENCY", "TRIANGLE_STRIP_ADJACENCY", "TRIANGLE_FAN"])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32])
def test_indices_restart_and_instances_change_nothing(mode: str, kind: Any) -> None:
    rng = np.random.default_rng(5)
    indices = rng.integers(0, 21, 60).astype(kind)
    indices[[9, 10, 31, 45]] = 21
    info: dict[str, Any] = {"index": indices, "primitive_restart": True, "restart_index": 21, "index_bias": 1, "instance_count": 2}
    plain = drawn(None, mode, **info)
    np.testing.assert_array_equal(drawn(passthrough(wanted_by(mode)), mode, **info), plain)


def test_indices_outside_of_their_buffer_and_vertices_outside_of_theirs_are_harmless() -> None:
    indices = np.array([0, 1, 2, 900, 5, 1 << 31, 3, 4, 5], np.uint32)
    picture = Picture(40, 40)
    geometry(picture, passthrough())
    picture.draw(GENERIC, PASS, *cloud(6), mode="TRIANGLES", index=picture.buffer(indices), index_size=4, count=4000)
    other = Picture(40, 40).draw(GENERIC, PASS, *cloud(6), mode="TRIANGLES", index=picture.buffer(indices), index_size=4, count=4000)
    np.testing.assert_array_equal(picture.pixels(), other.pixels())


STARS = """GEOM
PROPERTY GS_INPUT_PRIMITIVE {wanted}
PROPERTY GS_OUTPUT_PRIMITIVE {strip}
PROPERTY GS_MAX_OUTPUT_VERTICES 11
PROPERTY GS_INVOCATIONS 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL SV[1], PRIM_ID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0]
DCL ADDR[0]
DCL TEMP[0..3]
IMM[0] UINT32 {{0, 1, 3, 7}}
IMM[1] FLT32 {{0.25, 0.5, 1.0, 0.0}}
UADD TEMP[0].x, SV[0].xxxx, SV[1].xxxx
AND TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz
MOV TEMP[0].z, IMM[0].xxxx
BGNLOOP
  AND TEMP[1].x, TEMP[0].zzzz, IMM[0].{mask}
  UARL ADDR[0].x, TEMP[1].xxxx
  U2F TEMP[2], TEMP[0]
  MAD OUT[0], TEMP[2], CONST[0], IN[ADDR[0].x][0]
  ADD OUT[1], TEMP[2], IN[0][1]
  EMIT IMM[0].xxxx
  AND TEMP[1].x, TEMP[0].zzzz, IMM[0].zzzz
  USEQ TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz
  UIF TEMP[1].xxxx
    ENDPRIM IMM[0].xxxx
  ENDIF
  UADD TEMP[0].z, TEMP[0].zzzz, IMM[0].yyyy
  UMUL TEMP[1].x, TEMP[0].yyyy, IMM[0].zzzz
  USLT TEMP[1].x, TEMP[1].xxxx, TEMP[0].zzzz
  UIF TEMP[1].xxxx
    BRK
  ENDIF
ENDLOOP
END
"""
"""Geometry program whose vertex count depends on the numbers of the invocation and the primitive; strips of four, indirect reads."""

CONSTANTS = np.array([[0.03125, 0.0625, 0.0, 0.0]], np.float32)


@pytest.mark.parametrize("wanted", ROWS)
@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("first", [False, True])
def test_what_a_draw_emits_is_what_a_run_emits(wanted: str, rows: int, first: bool) -> None:
    text = STARS.format(wanted=wanted, strip=STRIPS[rows], mask="y" if ROWS[wanted] > 1 else "x")
    size, count = ROWS[wanted], ROWS[wanted] * 37
    points, values = cloud(count)
    vertices = np.stack([points, values], axis=1).reshape(37, size, 2, 4)
    made = tgsi.run(
        tgsi.parse(text),
        vertices,
        constants={0: CONSTANTS},
        system_values={"INVOCATIONID": np.tile(np.arange(3, dtype=np.uint32), 37), "PRIM_ID": np.repeat(np.arange(37, dtype=np.uint32), 3)},
    )
    expected = strips_to_lists(made.emitted[0], made.strips[0], rows, first=first)
    picture = Picture(16, 16)
    geometry(picture, text, WHOLE)
    picture.ctx.set_constant_buffer("GEOMETRY", CONSTANTS)
    (buffer,) = streamed(picture, 1 << 18)
    picture.draw(GENERIC, PASS, points, values, mode=wanted, rasterizer={"flatshade_first": first})
    found = words(buffer)
    np.testing.assert_array_equal(found[: expected.size].reshape(expected.shape), expected)
    assert len(expected) > 60
    assert (found[expected.size :] == 0xCDCDCDCD).all()


def test_a_primitive_knows_its_number_in_its_instance() -> None:
    text = (
        passthrough("POINTS")
        .replace("DCL OUT[0]", "DCL IN[][2], PRIM_ID\nDCL OUT[0]")
        .replace("MOV OUT[1], IN[0][1]", "MOV OUT[1], IN[0][2]")
    )
    picture = Picture()
    geometry(picture, text, WHOLE)
    (buffer,) = streamed(picture, 32 * 15)
    picture.draw(GENERIC, PASS, *cloud(5), mode="POINTS", instance_count=3)
    assert words(buffer).reshape(15, 2, 4)[:, 1, 0].tolist() == [0, 1, 2, 3, 4] * 3


NUMBER = """FRAG
DCL IN[0], PRIM_ID, CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}
U2F TEMP[0].x, IN[0].xxxx
ADD OUT[0], TEMP[0].xxxx, IMM[0]
END
"""
SQUARES = np.array([[x, y, 0, 1] for k in range(4) for x, y in [(-1 + k / 2, -1), (-0.5 + k / 2, -1), (-0.5 + k / 2, 3)]], np.float32)


def test_fragments_see_the_number_of_the_primitive_that_came_in_or_the_one_that_was_written() -> None:
    plain = Picture(16, 4).draw(NUMBER, points=SQUARES, mode="TRIANGLES").pixels()
    picture = Picture(16, 4)
    geometry(picture, passthrough())
    np.testing.assert_array_equal(picture.draw(NUMBER, points=SQUARES, mode="TRIANGLES").pixels(), plain)
    assert set(plain[..., 0].ravel().tolist()) == {0.0, 1.0, 2.0, 3.0, 4.0}
    text = (
        passthrough()
        .replace(ZERO, f"DCL OUT[2], PRIM_ID\n{ZERO}IMM[1] UINT32 {{41, 0, 0, 0}}\n")
        .replace("EMIT", "MOV OUT[2], IMM[1]\nEMIT")
    )
    picture = Picture(16, 4)
    geometry(picture, text)
    assert set(picture.draw(NUMBER, points=SQUARES, mode="TRIANGLES").pixels()[..., 0].ravel().tolist()) == {0.0, 42.0}


def test_an_input_without_output_reads_0_0_0_1() -> None:
    text = passthrough("POINTS").replace("GENERIC[0]\nDCL OUT", "GENERIC[7]\nDCL OUT")
    picture = Picture()
    geometry(picture, text, WHOLE)
    (buffer,) = streamed(picture, 32)
    picture.draw(GENERIC, PASS, *cloud(1), mode="POINTS")
    assert words(buffer)[4:].view(np.float32).tolist() == [0, 0, 0, 1]


def test_size_and_distances_of_a_geometry_program_count() -> None:
    text = passthrough("POINTS")
    text = text.replace(ZERO, f"DCL OUT[2], PSIZE\nDCL OUT[3], CLIPDIST[0]\n{ZERO}IMM[1] FLT32 {{5.0, -1.0, 1.0, 0.0}}\n")
    points = np.array([[0, 0, 0, 1]], np.float32)
    values = np.ones((1, 4), np.float32)
    for distance, pixels in (("z", 25), ("y", 0)):
        picture = Picture()
        geometry(picture, text.replace("EMIT", f"MOV OUT[2].x, IMM[1].xxxx\nMOV OUT[3].x, IMM[1].{distance * 4}\nEMIT"))
        rasterizer = {"point_size_per_vertex": True, "clip_plane_enable": 1}
        picture.draw(GENERIC, PASS, points, values, mode="POINTS", rasterizer=rasterizer)
        assert picture.covered().sum() == pixels


def test_textures_and_constants_of_the_geometry_stage_are_its_own() -> None:
    text = passthrough("POINTS").replace("IMM[0]", "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL CONST[0]\nDCL TEMP[0]\nIMM[0]", 1)
    text = text.replace("MOV OUT[1], IN[0][1]", "TEX_LZ TEMP[0], IN[0][1], SAMP[0], 2D\nADD OUT[1], TEMP[0], CONST[0]")
    picture = Picture()
    ctx = picture.ctx
    texture = ctx.screen.resource_create(width0=2, height0=1, format="R32G32B32A32_FLOAT", bind="SAMPLER_VIEW")
    ctx.texture_subdata(texture, np.array([[[1, 2, 3, 4], [5, 6, 7, 8]]], np.float32))
    ctx.set_sampler_views("GEOMETRY", [ctx.create_sampler_view(texture)])
    ctx.bind_sampler_states("GEOMETRY", [ctx.create_sampler_state()])
    ctx.set_constant_buffer("GEOMETRY", np.array([[10, 20, 30, 40]], np.float32))
    geometry(picture, text, WHOLE)
    (buffer,) = streamed(picture, 64)
    values = np.array([[0.25, 0.5, 0, 0], [0.75, 0.5, 0, 0]], np.float32)
    picture.draw(GENERIC, PASS, np.zeros((2, 4), np.float32), values, mode="POINTS")
    assert words(buffer).view(np.float32).reshape(2, 2, 4)[:, 1].tolist() == [[11, 22, 33, 44], [15, 26, 37, 48]]


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [("POINTS", "TRIANGLES"), ("TRIANGLES", "LINES"), ("LINES", "LINES_ADJACENCY"), ("LINES_ADJACENCY", "TRIANGLES_ADJACENCY")],
)
def test_primitives_of_another_kind_are_refused(mode: str, wanted: str) -> None:
    with pytest.raises(ValueError, match=f"needs {wanted}, which {mode} does not have"):
        drawn(passthrough(wanted), mode)


def test_a_draw_that_comes_again_is_the_same_with_new_constants() -> None:
    """The repetition also comes after a flush, which ends the memory of the first draw, and with other viewports."""
    text = passthrough("POINTS").replace(ZERO, f"DCL OUT[2], VIEWPORT_INDEX\nDCL CONST[0]\n{ZERO}IMM[1] UINT32 {{1, 0, 0, 0}}\n")
    text = text.replace("MOV OUT[1], IN[0][1]", "MOV OUT[2].x, IMM[1].xxxx\nMOV OUT[1], CONST[0]")
    for is_geometry in (True, False):
        vertex = PASS.replace("DCL OUT[1]", "DCL OUT[2], VIEWPORT_INDEX\nDCL CONST[0]\nIMM[0] UINT32 {1, 0, 0, 0}\nDCL OUT[1]")
        vertex = vertex.replace("MOV OUT[1], IN[1]", "MOV OUT[2].x, IMM[0].xxxx\nMOV OUT[1], CONST[0]")
        picture = Picture()
        ctx = picture.ctx
        geometry(picture, text if is_geometry else None)
        ctx.set_viewport_states([{"scale": (0, 0, 0), "translate": (4.5, 4.5, 0)}, {"scale": (0, 0, 0), "translate": (9.5, 9.5, 0)}])
        ctx.set_constant_buffer("GEOMETRY" if is_geometry else "VERTEX", np.array([[1, 0, 0, 0]], np.float32))
        picture.draw(GENERIC, PASS if is_geometry else vertex, np.array([[0, 0, 0, 1]], np.float32), mode="POINTS")
        for value in (2, 3, 4):
            ctx.flush()
            ctx.clear(color=(0, 0, 0, 0))
            Picture().draw(points=cloud(9)[0])  # reuses the memory of the frame
            ctx.set_constant_buffer("GEOMETRY" if is_geometry else "VERTEX", np.array([[value, 0, 0, 0]], np.float32))
            ctx.draw_vbo(mode="POINTS", count=1)
            assert np.argwhere(picture.covered()).tolist() == [[9, 9]]
            assert picture.pixels()[9, 9, 0] == value


def test_a_draw_without_whole_primitives_draws_nothing() -> None:
    for count in (0, 1, 2):
        assert not drawn(passthrough(), "TRIANGLES", count=count).any()


@pytest.mark.parametrize("threads", [0, 1, 3])
@pytest.mark.parametrize("lanes", [8, 32])
def test_threads_and_lanes_make_no_difference(threads: int, lanes: int) -> None:
    text = STARS.format(wanted="TRIANGLES", strip="TRIANGLE_STRIP", mask="y")
    points, values = cloud(9000)
    with g.Screen(threads=threads, lanes=lanes) as screen, screen.context_create() as ctx:
        target = screen.resource_create(width0=64, height0=64, format="R32G32B32A32_FLOAT")
        buffer = screen.resource_create(target="BUFFER", width0=1 << 22)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([g.ViewportState((32.0, 32.0, 0.5), (32.0, 32.0, 0.5))])
        ctx.bind_vs_state(ctx.create_vs_state(PASS))
        ctx.bind_gs_state(ctx.create_gs_state(text, stream_output=WHOLE))
        ctx.bind_fs_state(ctx.create_fs_state(GENERIC))
        ctx.set_constant_buffer("GEOMETRY", CONSTANTS)
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))
        ctx.set_vertex_buffers([np.hstack([points, values])])
        ctx.set_stream_output_targets([ctx.create_stream_output_target(buffer)])
        ctx.draw_vbo(mode="TRIANGLES", count=9000)
        ctx.flush()
        found = bytes(np.array(target.texels()[0])) + bytes(buffer.storage[: buffer.size])
    known = _first.setdefault("bytes", found)
    assert found == known


_first: dict[str, bytes] = {}
