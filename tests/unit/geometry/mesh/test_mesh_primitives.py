"""Outputs that exist once a primitive: values, layers, viewports, culling, numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.geometry.mesh.programs import MeshPicture, blended, mesh, one_each, random_rows
from tests.unit.picture import GENERIC, WHITE, Array, Picture, screen
from tgsi import gallium as g

pytestmark = pytest.mark.light

COUNT = 40
NUMBER = "FRAG\nDCL IN[0], PRIM_ID, CONSTANT\nDCL OUT[0], COLOR\nU2F OUT[0], IN[0].xxxx\nEND\n"
VALUE = "DCL OUT[][3], GENERIC[1], PRIMITIVE\n"
READS_VALUE = GENERIC.replace("GENERIC[0], PERSPECTIVE", "GENERIC[1], CONSTANT")


def four(body: str, declare: str, primitives: int = 4, threads: int = 4) -> str:
    """A program whose one workgroup draws four triangles: thread k makes triangle k with the vertices 3k, 3k + 1, 3k + 2 of BUFFER[0]."""
    corners = "".join(
        f"""UMAD TEMP[0].x, SV[0].xxxx, IMM[1].wwww, IMM[1].{"xyz"[k]}
UARL ADDR[0].x, TEMP[0].xxxx
SHL TEMP[3].x, TEMP[0].xxxx, IMM[0].wwww
LOAD TEMP[1], BUFFER[0], TEMP[3].xxxx
UADD TEMP[3].x, TEMP[3].xxxx, IMM[2].yyyy
LOAD TEMP[2], BUFFER[0], TEMP[3].xxxx
MOV OUT[ADDR[0].x][0], TEMP[1]
MOV OUT[ADDR[0].x][1], TEMP[2]
MOV TEMP[4].{"xyz"[k]}, TEMP[0].xxxx
"""
        for k in range(3)
    )
    return mesh(
        corners + "MOV OUT[2].xyz, TEMP[4]\n" + body,
        vertices=12,
        primitives=primitives,
        threads=threads,
        declare="DCL BUFFER[0]\n" + declare,
    )


def wanted(points: Array, values: Array, keep: list[int], fragment: str = GENERIC) -> Array:
    """Picture of some triangles drawn by draw_vbo."""
    picture = Picture(48, 32)
    blended(picture)
    rows = [3 * k + c for k in keep for c in range(3)]
    return picture.draw(fragment, points=points[rows], values=values[rows], mode="TRIANGLES").pixels()


def drawn(text: str, points: Array, values: Array, fragment: str = GENERIC, groups: int = 1) -> Array:
    """Picture of workgroups, blended unless it shows numbers."""
    picture = MeshPicture(48, 32)
    if fragment is not NUMBER:
        blended(picture)
    return picture.bind(text, None, fragment).data(np.hstack([points, values])).launch(groups).pixels()


def test_four_triangles_of_one_workgroup() -> None:
    points, values = random_rows(4, 3)
    np.testing.assert_array_equal(drawn(four("", ""), points, values), wanted(points, values, [0, 1, 2, 3]))


@pytest.mark.parametrize("interpolation", ["CONSTANT", "PERSPECTIVE", "LINEAR"])
def test_values_of_primitives_are_flat_whatever_the_fragment_program_says(interpolation: str) -> None:
    points, values = random_rows(COUNT, 3)
    text = one_each(declare=VALUE, body="MOV OUT[3], TEMP[2]\n")  # every thread writes its own row; row 0 is the only one
    fragment = READS_VALUE.replace("CONSTANT", interpolation)
    first = np.repeat(values[::3], 3, axis=0)
    np.testing.assert_array_equal(drawn(text, points, values, fragment, COUNT), wanted(points, first, list(range(COUNT))))


def test_culled_primitives_are_not_drawn() -> None:
    points, values = random_rows(4, 3)
    text = four("AND TEMP[5].x, SV[0].xxxx, IMM[1].yyyy\nMOV OUT[3].x, TEMP[5].xxxx\n", "DCL OUT[][3], CULL_PRIMITIVE, PRIMITIVE\n")
    np.testing.assert_array_equal(drawn(text, points, values), wanted(points, values, [0, 2]))


def test_a_primitive_has_the_number_that_the_program_gives_it_or_that_in_its_workgroup() -> None:
    points, values = random_rows(4, 3)
    text = four("UADD TEMP[5].x, SV[0].xxxx, IMM[2].wwww\nMOV OUT[3].x, TEMP[5].xxxx\n", "DCL OUT[][3], PRIM_ID, PRIMITIVE\n")
    own = drawn(four("", ""), points, values, NUMBER, 3)
    given = drawn(text, points, values, NUMBER, 3)
    assert set(np.unique(own)) <= {0.0, 1.0, 2.0, 3.0}
    np.testing.assert_array_equal(given.astype(int), np.where(covered(given), own + 64, 0).astype(int))


def covered(picture: Array) -> Array:
    found: Array = (picture != 0).any(axis=2, keepdims=True)
    return found


class Layered(MeshPicture):
    """A picture with four layers, and sixteen viewports of which number k covers the quarter k mod 4."""

    def __init__(self) -> None:
        super().__init__(16, 16)
        self.array = screen().resource_create(
            target="TEXTURE_2D_ARRAY", width0=16, height0=16, array_size=4, format="R32G32B32A32_FLOAT", bind="RENDER_TARGET"
        )
        surface = self.ctx.create_surface(self.array, first_layer=0, last_layer=3)
        self.ctx.set_framebuffer_state(cbufs=[surface])
        self.ctx.clear(color=(0, 0, 0, 0))
        quarters = [(4.0, 4.0), (12.0, 4.0), (4.0, 12.0), (12.0, 12.0)]
        self.ctx.set_viewport_states([g.ViewportState((4.0, 4.0, 0.5), (*quarters[k % 4], 0.5)) for k in range(16)])

    def layers(self) -> Array:
        """Texels of all layers, (4, 16, 16)."""
        self.ctx.flush()
        return np.array([self.array.texels()[k][..., 0] for k in range(4)])


FULL = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)
QUARTERS = {0: (slice(0, 8), slice(0, 8)), 1: (slice(0, 8), slice(8, 16)), 2: (slice(8, 16), slice(0, 8)), 3: (slice(8, 16), slice(8, 16))}


def routed(body: str, declare: str, groups: int = 1) -> Array:
    """Layers of a picture of one triangle a workgroup that fills its viewport."""
    picture = Layered()
    text = one_each(number="IMM[1].xxxx", declare=declare, body=body)
    rows = np.hstack([FULL, np.ones_like(FULL)])
    return picture.bind(text, None, WHITE).data(rows).launch(groups).layers()


def test_a_primitive_names_its_layer() -> None:
    found = routed("MOV OUT[3].x, SV[1].xxxx\n", "DCL OUT[][3], LAYER, PRIMITIVE\n", 3)
    assert [layer[:8, :8].all() for layer in found] == [True, True, True, False]
    assert not found[:, 8:].any()


def test_a_primitive_names_its_viewport() -> None:
    found = routed("MOV OUT[3].x, IMM[1].zzzz\n", "DCL OUT[][3], VIEWPORT_INDEX, PRIMITIVE\n")
    assert [bool(found[0][QUARTERS[k]].any()) for k in range(4)] == [False, False, True, False]


@pytest.mark.parametrize(("mask", "shown"), [(0b0000, []), (0b0110, [1, 2]), (0b1001, [0, 3]), (0x10000, []), (0x80000004, [2])])
def test_a_mask_draws_a_primitive_in_several_viewports(mask: int, shown: list[int]) -> None:
    body = "MOV OUT[3].x, IMM[4].xxxx\n"
    for also in ("", "DCL OUT[][4], VIEWPORT_INDEX, PRIMITIVE\n"):
        declare = "DCL OUT[][3], VIEWPORT_MASK, PRIMITIVE\n" + also
        picture = Layered()
        text = one_each(declare=declare, body=body).replace("SET_MESH", f"IMM[4] UINT32 {{{mask}, 0, 0, 0}}\nSET_MESH")
        found = picture.bind(text, None, WHITE).data(np.hstack([FULL, np.ones_like(FULL)])).launch(1).layers()
        assert [k for k in range(4) if found[0][QUARTERS[k]].any()] == shown
        assert [k for k in range(4) if found[0][QUARTERS[k]].all()] == shown


def test_viewports_of_a_mask_are_drawn_lowest_first() -> None:
    """Both viewports cover the same quarter; the second one has another depth, which is the one that stays."""
    picture = Layered()
    depth = screen().resource_create(width0=16, height0=16, format="Z32_FLOAT", bind="DEPTH_STENCIL")
    picture.ctx.set_framebuffer_state(cbufs=[], zsbuf=depth)
    picture.ctx.clear("DEPTH", depth=1.0)
    picture.ctx.set_viewport_states([g.ViewportState((8.0, 8.0, 0.25), (8.0, 8.0, 0.1 * (k + 1))) for k in range(16)])
    dsa = g.DepthStencilAlphaState(depth=g.DepthState(True, True, g.CompareFunc.ALWAYS))
    picture.ctx.bind_depth_stencil_alpha_state(picture.ctx.create_depth_stencil_alpha_state(dsa))
    text = one_each(declare="DCL OUT[][3], VIEWPORT_MASK, PRIMITIVE\n", body="MOV OUT[3].x, IMM[0].wwww\n")  # 0b101
    picture.bind(text, None, None).data(np.hstack([FULL, np.ones_like(FULL)])).launch(1)
    picture.ctx.flush()
    np.testing.assert_allclose(depth.texels()[0], 0.3, rtol=1e-6)


def test_values_layers_and_viewports_go_together() -> None:
    body = """MOV OUT[3], IMM[3].yyyy
MOV OUT[4].x, SV[1].xxxx
MOV OUT[5].x, SV[1].xxxx
"""
    declare = VALUE + "DCL OUT[][4], LAYER, PRIMITIVE\nDCL OUT[][5], VIEWPORT_INDEX, PRIMITIVE\n"
    picture = Layered()
    text = one_each(number="IMM[1].xxxx", declare=declare, body=body)
    found = picture.bind(text, None, READS_VALUE).data(np.hstack([FULL, 0 * FULL])).launch(4).layers()
    for layer in range(4):
        assert [k for k in range(4) if found[layer][QUARTERS[k]].all()] == [layer]
        assert [k for k in range(4) if found[layer][QUARTERS[k]].any()] == [layer]
