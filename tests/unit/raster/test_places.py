"""Fragments that read elsewhere: inputs at other positions of their pixel, and the target's color."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.picture import LESS, STRIP, TRIANGLE, WHITE, Array, Picture

pytestmark = pytest.mark.light

MOVED = """FRAG
DCL IN[0], GENERIC[0], {mode}
DCL OUT[0], COLOR
IMM[0] FLT32 {{{x}, {y}, 0.0, 0.0}}
INTERP_OFFSET OUT[0], IN[0], IMM[0]
END
"""
# z falls with 1/w, so that perspective matters; values are linear over the triangle.
POINTS = np.array([[-1, -1, 0, 1], [6, -2, 0, 2], [-4, 12, 0, 4]], np.float32)
VALUES = np.array([[0, 1, 5, 2], [3, -1, 5, 0], [1, 7, 5, 9]], np.float32)


def expected(mode: str, x: float, y: float, size: int = 8) -> Array:
    """VALUES at pixel centers plus (x, y) in double precision, of shape (size, size, 4)."""
    w = POINTS[:, 3].astype(np.float64)
    corners = (POINTS[:, :2] / w[:, None] * size / 2) + size / 2
    base = np.linalg.inv(np.column_stack([corners, np.ones(3)]))  # columns: barycentric planes
    px, py = np.meshgrid(np.arange(size) + 0.5 + x, np.arange(size) + 0.5 + y)
    weights = np.stack([px, py, np.ones_like(px)], axis=-1) @ base
    if mode == "PERSPECTIVE":
        weights = weights / w
        weights /= weights.sum(axis=-1, keepdims=True)
    return np.asarray(weights @ VALUES.astype(np.float64))


@pytest.mark.parametrize("mode", ["PERSPECTIVE", "LINEAR"])
@pytest.mark.parametrize("place", [(0.25, -0.5), (-0.5, 0.125), (0.0, 0.0), (3.0, 2.0)])
@pytest.mark.parametrize("copies", [1, 40])
def test_interp_offset_moves_the_place(mode: str, place: tuple[float, float], copies: int) -> None:
    """Many small triangles are drawn as packed quads, few triangles as runs."""
    picture = Picture(8, 8)
    how = (np.tile(POINTS, (copies, 1)), np.tile(VALUES, (copies, 1)))
    found = picture.draw(MOVED.format(mode=mode, x=place[0], y=place[1]), points=how[0], values=how[1], mode="TRIANGLES").pixels()
    covered = picture.covered()
    assert covered.sum() > 40
    assert np.allclose(found[covered], expected(mode, *place)[covered], rtol=1e-4, atol=1e-4)


def test_interp_offset_by_nothing_is_the_input() -> None:
    plain = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    pictures = [
        Picture(8, 8).draw(text, points=POINTS, values=VALUES, mode="TRIANGLES").pixels()
        for text in (plain, MOVED.format(mode="PERSPECTIVE", x=0.0, y=-0.0))
    ]
    assert (pictures[0] == pictures[1]).all()


@pytest.mark.parametrize("call", ["INTERP_CENTROID OUT[0], IN[0]", "INTERP_SAMPLE OUT[0], IN[0], IMM[0]"])
@pytest.mark.parametrize("location", ["", ", CENTROID", ", SAMPLE"])
def test_one_sample_lies_at_the_center(call: str, location: str) -> None:
    text = f"FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE{location}\nDCL OUT[0], COLOR\nIMM[0] INT32 {{3, 0, 0, 0}}\n{call}\nEND\n"
    plain = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    pictures = [Picture(8, 8).draw(t, points=POINTS, values=VALUES, mode="TRIANGLES").pixels() for t in (text, plain)]
    assert (pictures[0] == pictures[1]).all()


@pytest.mark.parametrize("mode", ["CONSTANT", "COLOR"])
def test_flat_inputs_do_not_move(mode: str) -> None:
    text = MOVED.format(mode=mode, x=0.5, y=0.5)
    picture = Picture(8, 8).draw(text, points=POINTS, values=VALUES, mode="TRIANGLES", rasterizer={"flatshade": True})
    assert (picture.pixels()[picture.covered()] == VALUES[2]).all()


def test_position_and_face_do_not_move() -> None:
    for name in ("POSITION", "FACE"):
        texts = [
            f"FRAG\nDCL IN[0], {name}, LINEAR\nDCL OUT[0], COLOR\nIMM[0] FLT32 {{0.5, 0.5, 0.0, 0.0}}\n{call}\nEND\n"
            for call in ("INTERP_OFFSET OUT[0], IN[0], IMM[0]", "MOV OUT[0], IN[0]")
        ]
        pictures = [Picture(8, 8).draw(text).pixels() for text in texts]
        assert (pictures[0] == pictures[1]).all()


def test_modifiers_and_swizzles_act_on_the_moved_value() -> None:
    text = MOVED.format(mode="LINEAR", x=0.5, y=0.25)
    changed = text.replace("OUT[0], IN[0], IMM", "OUT[0].xz, -IN[0].wzyx, IMM")
    plain, found = (Picture(8, 8).draw(t, points=POINTS, values=VALUES, mode="TRIANGLES").pixels() for t in (text, changed))
    assert (found[..., 0] == -plain[..., 3]).all()
    assert (found[..., 2] == -plain[..., 1]).all()


def test_addressed_inputs_move() -> None:
    text = "FRAG\nDCL IN[0..1], ARRAY(1), GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL ADDR[0]\nIMM[0] FLT32 {0.5, 0.25, 0.0, 0.0}\n"
    text += "IMM[1] UINT32 {0, 0, 0, 0}\nUARL ADDR[0].x, IMM[1].xxxx\nINTERP_OFFSET OUT[0], IN[ADDR[0].x](1), IMM[0]\nEND\n"
    plain, found = (
        Picture(8, 8).draw(t, points=POINTS, values=VALUES, mode="TRIANGLES").pixels()
        for t in (MOVED.format(mode="LINEAR", x=0.5, y=0.25), text)
    )
    assert (found == plain).all()


# -- FBFETCH ----------------------------------------------------------------------------------------------------------------
ADD_ONE = """FRAG
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {{{0}, {0}, {0}, {0}}}
FBFETCH TEMP[0], OUT[0]
ADD OUT[0], TEMP[0], IMM[0]
END
"""


@pytest.mark.parametrize("copies", [1, 5, 40])
def test_fbfetch_sees_what_earlier_primitives_stored(copies: int) -> None:
    points = np.tile(TRIANGLE, (copies, 1))
    assert (Picture(20, 70).draw(ADD_ONE.format(1.0), points=points, mode="TRIANGLES").pixels() == copies).all()


def test_fbfetch_sees_small_triangles_one_after_the_other() -> None:
    points = np.tile(STRIP[:3] * np.array([0.5, 0.5, 1, 1], np.float32), (50, 1))
    picture = Picture(6, 6).draw(ADD_ONE.format(1.0), points=points, mode="TRIANGLES")
    assert set(np.unique(picture.pixels())) == {0, 50}


@pytest.mark.parametrize(
    ("format", "step", "values"),
    [
        ("R8G8B8A8_UNORM", 51 / 255, [0, 51, 102, 153]),
        ("R16G16B16A16_FLOAT", 0.25, [0.0, 0.25, 0.5, 0.75]),
        ("R8_UNORM", 51 / 255, [0, 51, 102, 153]),
    ],
)
def test_fbfetch_reads_through_the_format(format: str, step: float, values: list[float]) -> None:
    picture = Picture(format=format)
    for value in values:
        found = picture.pixels()
        assert (found == value).all()
        picture.draw(ADD_ONE.format(step))


def test_fbfetch_gives_integers_of_integer_targets() -> None:
    text = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] INT32 {1, -2, 3, 0}\nFBFETCH TEMP[0], OUT[0]\nUADD OUT[0], TEMP[0], IMM[0]\nEND\n"
    picture = Picture(format="R32G32B32A32_SINT")
    for _ in range(3):
        picture.draw(text)
    assert (picture.pixels() == (3, -6, 9, 0)).all()


def test_fbfetch_comes_before_blending() -> None:
    """The program doubles the target's color; blending then adds the target's color."""
    text = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nFBFETCH TEMP[0], OUT[0]\nADD OUT[0], TEMP[0], TEMP[0]\nEND\n"
    picture = Picture().draw(WHITE)
    ctx = picture.ctx
    blend = ctx.create_blend_state(rt=[{"blend_enable": True, "rgb_dst_factor": "ONE", "alpha_dst_factor": "ONE"}])
    ctx.bind_blend_state(blend)
    assert (picture.draw(text).pixels() == 3).all()


def test_fbfetch_reads_other_targets_than_it_writes() -> None:
    text = "FRAG\nDCL OUT[0], COLOR[0]\nDCL OUT[1], COLOR[1]\nDCL TEMP[0]\nFBFETCH TEMP[0], OUT[1]\nADD OUT[0], TEMP[0], TEMP[0]\nEND\n"
    picture = Picture(targets=2)
    picture.draw(WHITE.replace("DCL OUT[0], COLOR", "DCL OUT[0], COLOR[1]"))
    assert not picture.pixels(0).any()
    picture.ctx.bind_blend_state(picture.ctx.create_blend_state(independent_blend_enable=True, rt=[{}, {"colormask": 0}]))
    picture.draw(text)
    assert (picture.pixels(0) == 2).all()
    assert (picture.pixels(1) == 1).all()


def test_fbfetch_without_a_target_is_0() -> None:
    text = "FRAG\nDCL OUT[0], COLOR[0]\nDCL OUT[1], COLOR[1]\nDCL TEMP[0]\nFBFETCH TEMP[0], OUT[1]\nMOV OUT[0], TEMP[0]\nEND\n"
    assert not Picture().draw(WHITE).draw(text).pixels().any()


def test_fbfetch_in_a_branch_and_behind_a_depth_test() -> None:
    text = "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {2.0, 10.0, 0.0, 0.0}\n"
    text += "SLT TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\nMOV OUT[0], IMM[0].yyyy\nIF TEMP[0].xxxx\nFBFETCH TEMP[0], OUT[0]\n"
    text += "ADD OUT[0], TEMP[0], IMM[0].xxxx\nENDIF\nEND\n"
    picture = Picture(4, 4, depth=True).draw(WHITE, dsa=LESS)
    nearer = (STRIP * (1, 0.5, 1, 1) + (0, -0.5, -0.5, 0)).astype(np.float32)
    found = picture.draw(text, points=nearer, dsa=LESS).pixels()[..., 0]
    assert found.tolist() == [[3, 3, 10, 10]] * 2 + [[1, 1, 1, 1]] * 2


# -- helper lanes -----------------------------------------------------------------------------------------------------------
def test_demoted_pixels_are_not_written_but_still_help() -> None:
    """The left column of each quad is demoted. The right one reads its value through the derivative, and its state as a helper."""
    text = """FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 {0.5, 0.25, 1.0, 0.0}
MUL TEMP[0].x, IN[0].xxxx, IMM[0].xxxx
FRC TEMP[0].x, TEMP[0].xxxx
SLT TEMP[1].x, TEMP[0].xxxx, IMM[0].xxxx
IF TEMP[1].xxxx
DEMOTE
ENDIF
DDX TEMP[1].x, IN[0].xxxx
READ_HELPER TEMP[1].y
I2F TEMP[1].y, TEMP[1].yyyy
DDX TEMP[1].z, TEMP[1].yyyy
MOV TEMP[1].w, IMM[0].zzzz
MOV OUT[0], TEMP[1]
END
"""
    picture = Picture(8, 4, depth=True)
    count = picture.counted("OCCLUSION_COUNTER", lambda: picture.draw(text, points=TRIANGLE, mode="TRIANGLES", dsa=LESS))
    found = picture.pixels()
    assert count == 16
    assert not found[:, ::2].any()
    assert (found[:, 1::2] == (1, 0, 1, 1)).all()


def test_lanes_beside_the_primitive_are_helpers() -> None:
    text = """FRAG
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}
READ_HELPER TEMP[0].x
I2F TEMP[0].x, TEMP[0].xxxx
DDX TEMP[0].y, TEMP[0].xxxx
MOV TEMP[0].zw, IMM[0].xxxx
MOV OUT[0], TEMP[0]
END
"""
    points = (STRIP * (0.25, 1, 0, 1) - (0.75, 0, 0, 0)).astype(np.float32)
    found = Picture(4, 4).draw(text, points=points).pixels()
    assert (found[(0, 3), 0] == (0, -1, 1, 1)).all()


@pytest.mark.parametrize("last", [(0, 2, -4, 2), (0, 2, 0, 2), (0, -2, -0.5, -2), (0, -2, 0, -2)])
def test_linear_values_of_a_clipped_triangle_stay_linear_in_window_space(last: tuple[float, ...]) -> None:
    """last: a vertex that the near plane cuts off, or a user plane, or that lies behind the viewer; of the last one's edges w becomes 0."""
    points = np.array([[-0.5, 0, last[2] / 8, 1], [1.5, 0, last[2] / 8, 3], last], np.float32)
    text = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    values = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]], np.float32)
    rasterizer = {"depth_clip_near": True, "depth_clip_far": True, "clip_plane_enable": 1}
    picture = Picture(32, 32).draw(text, points=points, values=values, mode="TRIANGLES", planes=[(0, -1, 0, 0.5)], rasterizer=rasterizer)
    found = picture.pixels()
    y, x = np.mgrid[0:32, 0:32]
    corners = np.vstack([(points[:, :2] / points[:, 3:]).T, np.ones(3)])
    places = np.stack([(x + 0.5) / 16 - 1, (y + 0.5) / 16 - 1, np.ones((32, 32))])
    expected = np.einsum("ij,jyx->yxi", np.linalg.inv(corners), places)
    drawn = np.abs(found[..., 3] - 1) < 1e-5
    assert 50 < drawn.sum() < 500
    assert np.abs(found[..., :3] - expected)[drawn].max() < 1e-5
