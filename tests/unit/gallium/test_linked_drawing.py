"""Semantics alone determine the inputs of a fragment shader; register numbers play no part."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tgsi import gallium as g

pytestmark = pytest.mark.light

VALUES = {"GENERIC[3]": (0.2, 0.0, 0.0, 0.2), "GENERIC[255]": (0.0, 0.4, 0.0, 0.4), "COLOR": (0.0, 0.0, 0.6, 0.2)}
STRIP = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


def vertex_text(outputs: Sequence[str], values: Mapping[str, tuple[float, ...]] = VALUES) -> str:
    lines = ["VERT", "DCL IN[0]"]
    lines += [f"DCL OUT[{i}], {name}" for i, name in enumerate(outputs)]
    constants = [name for name in outputs if name in values]
    lines += [f"IMM[{i}] FLT32 {{{', '.join(map(str, values[name]))}}}" for i, name in enumerate(constants)]
    for i, name in enumerate(outputs):
        lines.append(f"MOV OUT[{i}], IN[0]" if name == "POSITION" else f"MOV OUT[{i}], IMM[{constants.index(name)}]")
    return "\n".join([*lines, "END", ""])


def sum_text(inputs: Sequence[str], *, read: Sequence[str] | None = None) -> str:
    wanted = inputs if read is None else read
    lines = ["FRAG", *(f"DCL IN[{i}], {name}, PERSPECTIVE" for i, name in enumerate(inputs)), "DCL OUT[0], COLOR", "DCL TEMP[0]"]
    lines.append("IMM[0] FLT32 {0.0, 0.0, 0.0, 0.0}")
    lines.append("MOV TEMP[0], IMM[0].xxxx")
    lines += [f"ADD TEMP[0], TEMP[0], IN[{i}]" for i, name in enumerate(inputs) if name in wanted]
    return "\n".join([*lines, "MOV OUT[0], TEMP[0]", "END", ""])


def render(screen: g.Screen, ctx: g.Context, vertex: str, fragment: str, **rasterizer: Any) -> NDArray[np.uint8]:
    target = screen.resource_create(width0=16, height0=16)
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
    return np.array(target.texels()[0], np.uint8)


@pytest.mark.parametrize("outputs", list(itertools.permutations(["POSITION", *VALUES]))[::3], ids=",".join)
@pytest.mark.parametrize("inputs", list(itertools.permutations(VALUES))[::2], ids=",".join)
def test_the_order_of_registers_changes_nothing(screen: g.Screen, ctx: g.Context, outputs: Sequence[str], inputs: Sequence[str]) -> None:
    found = render(screen, ctx, vertex_text(outputs), sum_text(inputs))
    assert (found == (51, 102, 153, 204)).all()


def test_unmatched_input_reads_zero_zero_zero_one(screen: g.Screen, ctx: g.Context) -> None:
    found = render(screen, ctx, vertex_text(["POSITION", "GENERIC[3]"]), sum_text(["GENERIC[4]"]))
    assert (found == (0, 0, 0, 255)).all()


def test_declared_but_unread_inputs_do_not_shift_the_others(screen: g.Screen, ctx: g.Context) -> None:
    text = sum_text(["GENERIC[9]", "GENERIC[3]", "COLOR", "GENERIC[255]"], read=["GENERIC[255]"])
    assert (render(screen, ctx, vertex_text(["COLOR", "GENERIC[255]", "POSITION", "GENERIC[3]"]), text) == (0, 102, 0, 102)).all()


def test_one_fragment_shader_works_behind_any_vertex_shader(screen: g.Screen, ctx: g.Context) -> None:
    fragment = sum_text(["COLOR"])
    for outputs in (["POSITION", "COLOR"], ["COLOR", "GENERIC[3]", "POSITION"], ["GENERIC[255]", "POSITION", "GENERIC[3]", "COLOR"]):
        assert (render(screen, ctx, vertex_text(outputs), fragment) == (0, 0, 153, 51)).all()


@pytest.mark.parametrize(("front_ccw", "expected"), [(False, (0, 0, 153, 51)), (True, (255, 0, 0, 255))])
def test_back_faces_read_the_back_color_under_two_sided_light(
    screen: g.Screen, ctx: g.Context, front_ccw: bool, expected: tuple[int, ...]
) -> None:
    vertex = vertex_text(["BCOLOR", "POSITION", "COLOR"], VALUES | {"BCOLOR": (1.0, 0.0, 0.0, 1.0)})
    found = render(screen, ctx, vertex, sum_text(["COLOR"]), light_twoside=True, front_ccw=front_ccw)
    assert (found == expected).all()
    plain = render(screen, ctx, vertex, sum_text(["COLOR"]), light_twoside=False, front_ccw=front_ccw)
    assert (plain == (0, 0, 153, 51)).all()


def test_input_range_that_is_addressed_indirectly_is_carried_whole(screen: g.Screen, ctx: g.Context) -> None:
    names = ["POSITION", "GENERIC[5]", "GENERIC[6]", "GENERIC[7]"]
    values = {name: (0.0, 0.2 * i, 0.0, 1.0) for i, name in enumerate(names)}
    del values["POSITION"]
    text = (
        "FRAG\nDCL IN[0..2], ARRAY(1), GENERIC[5], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL ADDR[0]\nIMM[0] INT32 {2, 0, 0, 0}\n"
        "UARL ADDR[0].x, IMM[0].xxxx\nMOV OUT[0], IN[ADDR[0].x](1)\nEND\n"
    )
    assert (render(screen, ctx, vertex_text(names[::-1], values), text) == (0, 153, 0, 255)).all()
