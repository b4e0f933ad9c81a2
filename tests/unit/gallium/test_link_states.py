"""Link states, color clamping by target, and the screen's parameters for semantics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from linkage.profiles import PROFILES
from passes.lower.clamp import Clamp, clamp_colors
from passes.lower.face import face_from_back_color, two_sided_from_face
from tgsi import gallium as g
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light

STRIP = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)
VERTEX = """\
VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
IMM[0] FLT32 {0.2, 0.4, 0.6, 0.8}
IMM[1] FLT32 {0.8, 0.6, 0.4, 0.2}
MOV OUT[0], IN[0]
MOV OUT[1], IMM[0]
MOV OUT[2], IMM[1]
END
"""
FRAGMENT = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
BRIGHT = """\
VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
IMM[0] FLT32 {2.0, -1.0, 0.5, 1.0}
MOV OUT[0], IN[0]
MOV OUT[1], IMM[0]
END
"""
COLOR = "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
TWO_SIDED = """\
VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], BCOLOR
IMM[0] FLT32 {0.2, 0.4, 0.6, 0.8}
IMM[1] FLT32 {0.8, 0.6, 0.4, 0.2}
MOV OUT[0], IN[0]
MOV OUT[1], IMM[0]
MOV OUT[2], IMM[1]
END
"""
FACE = """\
FRAG
DCL IN[0], FACE, CONSTANT
DCL OUT[0], COLOR
IMM[0] FLT32 {0.2, 0.4, 0.6, 0.8}
IMM[1] FLT32 {0.8, 0.6, 0.4, 0.2}
CMP OUT[0], IN[0].xxxx, IMM[1], IMM[0]
END
"""


def draw(
    screen: g.Screen,
    ctx: g.Context,
    vertex: str | Program,
    fragment: str | Program,
    format: g.Format = g.Format.R32G32B32A32_FLOAT,
    **rasterizer: Any,
) -> NDArray[np.float32]:
    target = screen.resource_create(width0=16, height0=16, format=format)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear("COLOR")
    ctx.set_viewport_states([g.ViewportState((8.0, 8.0, 0.5), (8.0, 8.0, 0.5))])
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**rasterizer))
    ctx.bind_vs_state(ctx.create_vs_state(vertex))
    ctx.bind_fs_state(ctx.create_fs_state(fragment))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT")]))
    ctx.set_vertex_buffers([STRIP])
    ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    ctx.flush()
    return np.array(target.texels()[0][4, 4], np.float32)


def test_a_link_state_chooses_the_output_that_feeds_an_input(screen: g.Screen, ctx: g.Context) -> None:
    assert draw(screen, ctx, VERTEX, FRAGMENT) == pytest.approx((0.2, 0.4, 0.6, 0.8))
    handle = ctx.create_link_state({"GENERIC[0]": "GENERIC[1]"})
    ctx.bind_link_state(handle)
    assert draw(screen, ctx, VERTEX, FRAGMENT) == pytest.approx((0.8, 0.6, 0.4, 0.2))
    ctx.bind_link_state(None)
    assert draw(screen, ctx, VERTEX, FRAGMENT) == pytest.approx((0.2, 0.4, 0.6, 0.8))
    ctx.destroy_link_state(handle)
    with pytest.raises(ValueError, match="bind_link_state: the object was destroyed"):
        ctx.bind_link_state(handle)


def test_changing_only_the_link_state_changes_the_next_draw(screen: g.Screen, ctx: g.Context) -> None:
    draw(screen, ctx, VERTEX, FRAGMENT)
    target = ctx.targets.cbufs[0]
    assert target is not None
    ctx.bind_link_state(ctx.create_link_state({"GENERIC[0]": "GENERIC[1]"}))
    ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    ctx.flush()
    assert np.array(target.texture.texels()[0][4, 4], np.float32) == pytest.approx((0.8, 0.6, 0.4, 0.2))


@pytest.mark.parametrize(
    ("mapping", "error", "message"),
    [
        ({"GENERIC[x]": "FOG"}, ValueError, r"create_link_state: mapping: 'GENERIC\[x\]' is not a semantic"),
        ({"GENERIC[0]": 3}, TypeError, "create_link_state: mapping: expected a Semantic or its text, not int"),
        (5, TypeError, "expected a mapping of semantics, not int"),
    ],
)
def test_wrong_mappings_are_named(ctx: g.Context, mapping: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ctx.create_link_state(mapping)  # type: ignore[arg-type]


def test_equal_mappings_share_one_state(ctx: g.Context) -> None:
    first, second = (ctx.create_link_state({"GENERIC[0]": "FOG"}) for _ in range(2))
    assert first.state is second.state


@pytest.mark.parametrize(
    ("format", "expected"),
    [(g.Format.R32G32B32A32_FLOAT, (2.0, -1.0, 0.5, 1.0)), (g.Format.R8G8B8A8_UNORM, (255, 0, 128, 255))],
)
def test_clamping_for_fixed_point_targets_leaves_float_targets_alone(
    screen: g.Screen, ctx: g.Context, format: g.Format, expected: tuple[float, ...]
) -> None:
    clamp = {"clamp_vertex_color": True, "clamp_fragment_color": True, "clamp_fixed_only": True}
    assert draw(screen, ctx, BRIGHT, COLOR, format, **clamp) == pytest.approx(expected)


def test_clamping_always_clamps_float_targets_too(screen: g.Screen, ctx: g.Context) -> None:
    assert draw(screen, ctx, BRIGHT, COLOR, clamp_vertex_color=True) == pytest.approx((1.0, 0.0, 0.5, 1.0))


@pytest.mark.parametrize("stage", ["vertex", "fragment"])
def test_lowered_clamping_equals_the_state(screen: g.Screen, ctx: g.Context, stage: str) -> None:
    vertex, fragment = parse(BRIGHT), parse(COLOR)
    if stage == "vertex":
        vertex = clamp_colors(vertex, Clamp.ALWAYS)
    else:
        fragment = clamp_colors(fragment, Clamp.ALWAYS)
    assert draw(screen, ctx, vertex, fragment) == pytest.approx((1.0, 0.0, 0.5, 1.0))


@pytest.mark.parametrize("front_ccw", [False, True])
def test_two_sided_color_from_face_equals_the_state(screen: g.Screen, ctx: g.Context, front_ccw: bool) -> None:
    expected = draw(screen, ctx, TWO_SIDED, COLOR, light_twoside=True, front_ccw=front_ccw)
    found = draw(screen, ctx, TWO_SIDED, two_sided_from_face(parse(COLOR)), front_ccw=front_ccw)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("front_ccw", [False, True])
def test_face_from_back_color_equals_face(screen: g.Screen, ctx: g.Context, front_ccw: bool) -> None:
    expected = draw(screen, ctx, VERTEX, FACE, front_ccw=front_ccw)
    vertex, fragment = face_from_back_color(parse(VERTEX), parse(FACE))
    found = draw(screen, ctx, vertex, fragment, light_twoside=True, front_ccw=front_ccw)
    assert found.tolist() == expected.tolist()


def test_the_screen_tells_how_many_semantics_there_are(screen: g.Screen) -> None:
    assert screen.get_param("PIPE_CAP_MAX_GENERIC_INDICES") == 65536 == PROFILES["software"].semantic_limits.generics(has_back=False)
    assert screen.get_param("MAX_SEMANTICS") == 32


@pytest.mark.parametrize("semantic", ["GENERIC[65535]", "FOG[1]", "COLOR[2]", "TEXCOORD[9]"])
def test_draws_take_semantics_that_checks_refuse(screen: g.Screen, ctx: g.Context, semantic: str) -> None:
    expected = draw(screen, ctx, VERTEX, FRAGMENT)
    found = draw(screen, ctx, VERTEX.replace("GENERIC[0]", semantic), FRAGMENT.replace("GENERIC[0]", semantic))
    assert found.tolist() == expected.tolist()
