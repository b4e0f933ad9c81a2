"""Draws of patches agree with the interpreter in every stage, in the order of the draw, for any number of threads and lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from tests.levels import need
from tests.unit.geometry.tessellation.chain import Chain, Words, words
from tests.unit.picture import GENERIC, WHITE, Picture
from tests.unit.picture import screen as plain_screen
from tgsi import gallium as g
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File

pytestmark = pytest.mark.light

VERTEX = """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[3]
MOV OUT[0], IN[0]
ADD OUT[1], IN[1], IN[0]
END
"""
# After the barrier, invocations read outputs of their neighbors; levels depend on the patch.
CONTROL = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT {vertices}
DCL IN[][0], GENERIC[3]
DCL IN[][1], POSITION
DCL OUT[][0], POSITION
DCL OUT[][1], GENERIC[1]
DCL OUT[2], TESSOUTER
DCL OUT[3], TESSINNER
DCL OUT[4], PATCH[0]
DCL SV[0], INVOCATIONID
DCL SV[1], PRIM_ID
DCL SV[2], VERTICESIN
DCL ADDR[0..1]
DCL TEMP[0..3]
IMM[0] UINT32 {{1, 2, 0, 3}}
IMM[1] FLT32 {{1.0, 0.5, 2.5, 0.25}}
UARL ADDR[0].x, SV[0].xxxx
UADD TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
UMOD TEMP[0].x, TEMP[0].xxxx, SV[2].xxxx
UARL ADDR[1].x, TEMP[0].xxxx
UMOD TEMP[0].x, SV[0].xxxx, SV[2].xxxx
UARL ADDR[0].y, TEMP[0].xxxx
MOV TEMP[1], IN[ADDR[0].y][1]
MOV OUT[ADDR[0].x][0], TEMP[1]
{barrier}
ADD OUT[ADDR[0].x][1], IN[ADDR[1].x][0], TEMP[1]
MOV TEMP[2], OUT[{last}][0]
U2F TEMP[3].x, SV[1].xxxx
MAD TEMP[3], TEMP[3].xxxx, IMM[1].yyyw, IMM[1].xxzz
MOV OUT[2], TEMP[3]
MOV OUT[3], TEMP[3].wzyx
ADD OUT[4], TEMP[2], TEMP[3].xxxx
END
"""
EVALUATION = """TESS_EVAL
PROPERTY TES_PRIM_MODE {mode}
PROPERTY TES_SPACING {spacing}
PROPERTY TES_POINT_MODE {points}
DCL IN[][0], GENERIC[1]
DCL IN[][1], POSITION
DCL IN[2], PATCH[0]
DCL IN[3], GENERIC[7]
DCL SV[0], TESSCOORD
DCL SV[1], TESSOUTER
DCL SV[2], TESSINNER
DCL SV[3], PRIM_ID
DCL OUT[0], POSITION
DCL OUT[1..4], GENERIC[1]
DCL TEMP[0..3]
DCL ADDR[0]
IMM[0] FLT32 {{3.0, 0.5, 0.0, 1.0}}
LRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]
LRP TEMP[1], SV[0].yyyy, IN[0][1], IN[2][1]
LRP OUT[0], SV[0].yyyy, TEMP[1], TEMP[0]
MUL TEMP[2].x, SV[0].xxxx, IMM[0].xxxx
ARL ADDR[0].x, TEMP[2].xxxx
ADD OUT[1], IN[ADDR[0].x][1], IN[2]
MOV OUT[2], SV[0]
ADD OUT[3], SV[1], SV[2]
U2F TEMP[3].x, SV[3].xxxx
MOV OUT[4].xy, TEMP[3].xxxx
MOV OUT[4].zw, IN[0][3].xyzw
END
"""
FLOAT4 = "R32G32B32A32_FLOAT"


def control(vertices: int, barrier: bool = True) -> str:
    return CONTROL.format(vertices=vertices, barrier="BARRIER" if barrier else "NOP", last=vertices - 1)


def evaluation(mode: int = 7, spacing: int = 2, points: int = 0) -> str:
    return EVALUATION.format(mode=mode, spacing=spacing, points=points)


def vertices(count: int, registers: int = 2, seed: int = 1) -> Words:
    return words(np.random.default_rng(seed).uniform(-1, 1, (count, registers, 4)))


def bind(ctx: g.Context, texts: tuple[str, str | None, str], data: Words, levels: tuple[float, ...] = (1.0,) * 6) -> Any:
    """Bind the shaders and vertices of a draw. Returns the stream output target of all outputs of the last stage."""
    vertex, first, second = texts
    program = tgsi.parse(second)
    registers = program.file_size(File.OUT)
    outputs = tuple(g.StreamOutput(register_index=r, dst_offset=4 * r) for r in range(registers))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(16 * k, FLOAT4) for k in range(data.shape[1])]))
    ctx.set_vertex_buffers([np.ascontiguousarray(data).view(np.float32).reshape(len(data), -1)])
    ctx.bind_vs_state(ctx.create_vs_state(vertex))
    ctx.bind_tcs_state(None if first is None else ctx.create_tcs_state(first))
    ctx.bind_tes_state(ctx.create_tes_state(program, stream_output=g.StreamOutputInfo(stride=(4 * registers,), output=outputs)))
    ctx.set_tess_state(levels[:4], levels[4:])
    buffer = ctx.screen.resource_create(target="BUFFER", width0=1 << 24)
    target = ctx.create_stream_output_target(buffer)
    ctx.set_stream_output_targets([target], offsets=[0])
    return target


def streamed(ctx: g.Context, target: Any, registers: int) -> Words:
    """Vertices in the stream output target, of shape (vertices, registers, 4)."""
    ctx.flush()
    with ctx.transfer_map(target.resource, usage="READ") as mapped:
        data = np.array(mapped.data).ravel()[: target.offset].view(np.uint32)
    found: Words = data.reshape(-1, registers, 4)
    return found


def draw(
    texts: tuple[str, str | None, str], data: Words, *, levels: tuple[float, ...] = (1.0,) * 6, screen: Any = None, **info: Any
) -> Words:
    """Vertices that the draw writes to its stream output target."""
    with (screen or plain_screen()).context_create() as ctx:
        target = bind(ctx, texts, data, levels)
        ctx.draw_vbo(mode="PATCHES", **({"count": len(info.get("index", data))} | info))
        return streamed(ctx, target, tgsi.parse(texts[2]).file_size(File.OUT))


def expected(texts: tuple[str, str | None, str], data: Words, per_patch: int, levels: tuple[float, ...] = (1.0,) * 6, **more: Any) -> Words:
    vertex, first, second = texts
    chain = Chain(tgsi.parse(vertex), None if first is None else tgsi.parse(first), tgsi.parse(second), per_patch, levels)
    return np.concatenate(chain.run(data, len(data) // per_patch, **more))


@pytest.mark.parametrize("points", [0, 1])
@pytest.mark.parametrize("mode", [1, 4, 7])
@pytest.mark.parametrize("spacing", [0, 1, 2])
def test_all_stages_compute_what_the_interpreter_does(mode: int, spacing: int, points: int) -> None:
    texts, data = (VERTEX, control(3), evaluation(mode, spacing, points)), vertices(27)
    found, want = draw(texts, data, vertices_per_patch=3), expected(texts, data, 3)
    assert len(found) > 100
    assert np.array_equal(found, want)


@pytest.mark.parametrize("barrier", [False, True])
@pytest.mark.parametrize(("per_patch", "written"), [(1, 1), (5, 17), (4, 7), (32, 32), (2, 3)])
def test_patches_may_grow_and_shrink(per_patch: int, written: int, barrier: bool) -> None:
    texts, data = (VERTEX, control(written, barrier), evaluation()), vertices(per_patch * 13)
    assert np.array_equal(draw(texts, data, vertices_per_patch=per_patch), expected(texts, data, per_patch))


def test_without_control_shader_levels_are_those_that_were_set() -> None:
    texts, data, levels = (VERTEX, None, evaluation(7, 0)), vertices(20), (3.0, 4.2, 5.0, 7.0, 2.0, 6.0)
    found = draw(texts, data, levels=levels, vertices_per_patch=4)
    assert np.array_equal(found, expected(texts, data, 4, levels))
    assert found[0, 3].view(np.float32).tolist() == [5.0, pytest.approx(10.2), 5.0, 7.0]


def test_levels_may_be_inputs() -> None:
    text = """TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_SPACING 2
DCL IN[0], TESSOUTER
DCL IN[1], TESSINNER
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
"""
    own, written = [[2, 3, 4, 5], [6, 7, 0, 0]], [[1, 1, 2.5, 2.5], [2.5, 2.5, 0, 0]]
    for first, want in ((None, own), (control(3), written)):
        found = draw((VERTEX, first, text), vertices(3), levels=(2, 3, 4, 5, 6, 7))
        assert found[0].view(np.float32).tolist() == want


def test_indexed_instanced_patches_come_in_order() -> None:
    texts, data = (VERTEX, control(3), evaluation(4, 1)), vertices(40)
    index = np.random.default_rng(2).integers(0, 40, 36).astype(np.uint16)
    want = expected(texts, data[index], 3)
    assert np.array_equal(draw(texts, data, index=index, vertices_per_patch=3, instance_count=3), np.concatenate([want] * 3))
    assert np.array_equal(draw(texts, data, index=index, vertices_per_patch=3, count=35), want[: len(expected(texts, data[index[:33]], 3))])


def test_restart_drops_the_patch_that_is_not_whole() -> None:
    texts, data = (VERTEX, None, evaluation(4, 2)), vertices(40)
    index = np.array([0, 1, 2, 9, 10, 99, 3, 4, 5, 99, 99, 6, 99, 7, 8, 9], np.uint8)
    found = draw(texts, data, index=index, vertices_per_patch=3, primitive_restart=True, restart_index=99)
    assert np.array_equal(found[:, :4], expected(texts, data[[0, 1, 2, 3, 4, 5, 7, 8, 9]], 3)[:, :4])


def test_threads_change_nothing() -> None:
    second = """TESS_EVAL
PROPERTY TES_PRIM_MODE 7
PROPERTY TES_SPACING 0
DCL IN[][0], POSITION
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
MAD OUT[0], SV[0], IN[1][0], IN[0][0]
END
"""
    texts, data, found = (VERTEX, control(3), second), vertices(3 * 50), []
    for threads in (0, 1, 2, 7):
        with g.Screen(threads=threads) as screen:
            found.append(draw(texts, data, screen=screen, vertices_per_patch=3, instance_count=14))
    assert len(found[0]) > 500_000  # several chunks
    assert all(np.array_equal(found[0], other) for other in found[1:])


@pytest.mark.parametrize(("lanes", "cpu"), [(8, "host"), (16, "x86-64"), (32, "x86-64-v3"), (64, "host")])
def test_lanes_and_levels_change_nothing(lanes: int, cpu: str) -> None:
    texts, data = (VERTEX, control(5), evaluation(4, 0)), vertices(3 * 11)
    if cpu != "host":
        need(cpu)
    with g.Screen(threads=0, lanes=lanes, cpu=cpu) as screen:
        assert np.array_equal(draw(texts, data, screen=screen, vertices_per_patch=3), expected(texts, data, 3))


def test_a_set_number_of_vertices_holds_where_a_draw_says_none() -> None:
    texts, data = (VERTEX, None, evaluation()), vertices(24)
    with plain_screen().context_create() as ctx:
        target = bind(ctx, texts, data)
        ctx.set_patch_vertices(8)
        ctx.draw_vbo(mode="PATCHES", count=24)
        assert np.array_equal(streamed(ctx, target, 5), expected(texts, data, 8))
        for count in (0, 33):
            with pytest.raises(ValueError, match="patch_vertices"):
                ctx.set_patch_vertices(count)


def test_textures_and_constants_of_both_stages() -> None:
    first = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 1
DCL OUT[0], TESSOUTER
DCL OUT[1], TESSINNER
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0]
DCL TEMP[0]
TXL TEMP[0], CONST[0], SAMP[0], 2D
MUL OUT[0], TEMP[0].xxxx, CONST[0].wwww
MUL OUT[1], TEMP[0].yyyy, CONST[0].wwww
END
"""
    second = """TESS_EVAL
PROPERTY TES_PRIM_MODE 7
PROPERTY TES_SPACING 2
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0]
DCL TEMP[0]
MOV TEMP[0], SV[0]
TXL TEMP[0], TEMP[0], SAMP[0], 2D
ADD OUT[0], TEMP[0], CONST[0]
END
"""
    texels = np.array([[[51, 102, 0, 255], [0, 153, 0, 255]]], np.uint8)
    with plain_screen().context_create() as ctx:
        target = bind(ctx, (VERTEX, first, second), vertices(1))
        texture = ctx.screen.resource_create(width0=2, height0=1, format="R8G8B8A8_UNORM", bind="SAMPLER_VIEW")
        ctx.texture_subdata(texture, texels)
        for stage, constants in (("TESS_CTRL", [0.25, 0.5, 0.0, 10.0]), ("TESS_EVAL", [1.0, 2.0, 3.0, 4.0])):
            ctx.set_sampler_views(stage, [ctx.create_sampler_view(texture)])
            ctx.bind_sampler_states(stage, [ctx.create_sampler_state(wrap_s="CLAMP_TO_EDGE", wrap_t="CLAMP_TO_EDGE")])
            ctx.set_constant_buffer(stage, np.array(constants, np.float32))
        ctx.draw_vbo(mode="PATCHES", count=1, vertices_per_patch=1)
        found = streamed(ctx, target, 1).view(np.float32)
        assert len(found) == (2 * 4 + 2 * 2 * 2 + 2 * 2 * 2) * 3  # levels 2 outside, 4 inside
        assert sorted({tuple(np.round(v, 3)) for v in found[:, 0].tolist()}) == [(1.0, 2.6, 3.0, 5.0), (1.2, 2.4, 3.0, 5.0)]


def test_a_geometry_shader_gets_triangles_of_the_tessellator() -> None:
    geometry = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[2]
DCL SV[0], PRIM_ID
DCL OUT[0], POSITION
DCL TEMP[0]
IMM[0] UINT32 {0, 0, 0, 0}
ADD TEMP[0], IN[0][1], IN[1][1]
ADD OUT[0].xyz, TEMP[0], IN[2][1]
U2F OUT[0].w, SV[0].xxxx
EMIT IMM[0].xxxx
END
"""
    texts, data = (VERTEX, control(3), evaluation(7, 2)), vertices(12)
    want = expected(texts, data, 3).reshape(-1, 3, 5, 4).view(np.float32)
    with plain_screen().context_create() as ctx:
        target = bind(ctx, texts, data)
        info = g.StreamOutputInfo(stride=(4,), output=(g.StreamOutput(register_index=0),))
        ctx.bind_gs_state(ctx.create_gs_state(geometry, stream_output=info))
        ctx.draw_vbo(mode="PATCHES", count=12, vertices_per_patch=3)
        found = streamed(ctx, target, 1).view(np.float32)[:, 0]
    assert np.array_equal(found[:, :3], ((want[:, 0, 2] + want[:, 1, 2]) + want[:, 2, 2])[:, :3])
    assert np.array_equal(found[:, 3], want[:, 0, 4, 0])  # a triangle has the number of its patch


FLAT = """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
"""
SURFACE = """TESS_EVAL
PROPERTY TES_PRIM_MODE {mode}
PROPERTY TES_SPACING {spacing}
PROPERTY TES_VERTEX_ORDER_CW {clockwise}
DCL IN[][0], POSITION
DCL SV[0], TESSCOORD
DCL SV[1], PRIM_ID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0..1]
IMM[0] FLT32 {{1.0, 0.0, 0.0, 0.0}}
LRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]
LRP TEMP[1], SV[0].xxxx, IN[3][0], IN[2][0]
LRP OUT[0], SV[0].yyyy, TEMP[1], TEMP[0]
MOV OUT[1].xyz, SV[0].xyzz
MOV OUT[1].w, IMM[0].xxxx
END
"""
CORNERS = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1], [1, 1, 0, 1]], np.float32)


def surface(
    picture: Picture, *, clockwise: int = 0, spacing: int = 2, level: float = 5.0, points: NDArray[Any] = CORNERS, **more: Any
) -> Picture:
    ctx = picture.ctx
    ctx.bind_tes_state(ctx.create_tes_state(SURFACE.format(mode=7, spacing=spacing, clockwise=clockwise)))
    ctx.set_tess_state((level,) * 4, (level,) * 2)
    return picture.draw(more.pop("fragment", GENERIC), FLAT, points, mode="PATCHES", vertices_per_patch=4, **more)


def test_a_tessellated_square_is_what_two_triangles_are() -> None:
    for spacing, level in ((2, 1.0), (2, 7.0), (0, 6.3), (1, 13.7)):
        found = surface(Picture(), spacing=spacing, level=level).pixels()
        y, x = (np.mgrid[:16, :16] + 0.5) / 16
        assert np.allclose(found[..., 0], x, atol=1e-5)
        assert np.allclose(found[..., 1], y, atol=1e-5)
        assert (found[..., 3] == 1).all()  # every pixel, once


def test_order_of_vertices_decides_which_side_is_front() -> None:
    culled = {"cull_face": "BACK", "front_ccw": True}
    shown = [bool(surface(Picture(), clockwise=k, rasterizer=culled).covered().any()) for k in (0, 1)]
    assert sorted(shown) == [False, True]
    quad = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [1, 1, 0, 1]], np.float32)  # corner u = v = 0, then along u, then along v
    like = Picture().draw(points=quad, mode="TRIANGLES", rasterizer=culled).covered().any()
    assert shown[0] == like


def test_statistics_count_patches_and_points() -> None:
    picture = Picture()
    found = picture.counted("PIPELINE_STATISTICS", lambda: surface(picture, level=4.0, points=np.concatenate([CORNERS] * 3)))
    assert found[:3] == (12, 3, 12)
    assert found[8:10] == (0, 3 * 25)
    assert picture.counted("PRIMITIVES_GENERATED", lambda: surface(picture, level=4.0)) == 32


def test_what_cannot_be_drawn_is_named() -> None:
    with plain_screen().context_create() as ctx:
        bind(ctx, (VERTEX, None, evaluation()), vertices(3))
        with pytest.raises(ValueError, match="tessellation shaders need PATCHES, not TRIANGLES"):
            ctx.draw_vbo(mode="TRIANGLES", count=3)
        with pytest.raises(ValueError, match="vertices_per_patch"):
            ctx.draw_vbo(mode="PATCHES", count=3, vertices_per_patch=33)
        ctx.bind_tes_state(ctx.create_tes_state("TESS_EVAL\nDCL OUT[0], POSITION\nEND\n"))
        with pytest.raises(UnsupportedError, match="TES_PRIM_MODE 0 is not a domain"):
            ctx.draw_vbo(mode="PATCHES", count=3)
        ctx.bind_tes_state(None)
        ctx.set_stream_output_targets()
        target = ctx.screen.resource_create(width0=8, height0=8, format="R8G8B8A8_UNORM")
        ctx.set_framebuffer_state(cbufs=[target])
        with pytest.raises(ValueError, match="PATCHES need a tessellation evaluation shader"):
            ctx.draw_vbo(mode="PATCHES", count=3)


def test_a_control_shader_without_levels_drops_every_patch() -> None:
    silent = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL OUT[][0], POSITION\nMOV OUT[0][0], IN[0][0]\nEND\n"
    assert len(draw((VERTEX, silent, evaluation()), vertices(9))) == 0


def test_indices_and_levels_of_any_kind_do_no_harm() -> None:
    odd = [float("nan"), float("inf"), -float("inf"), 1e30, -1.0, 0.0, 1e-45, 64.0]
    for k, level in enumerate(odd):
        levels = (*odd[k:], *odd[:k])[:6]
        for mode in (1, 4, 7):
            found = draw((VERTEX, None, evaluation(mode, k % 3)), vertices(3), levels=levels, count=6, vertices_per_patch=3)
            assert len(found) % 3 == 0 or mode == 1, level
    hostile = evaluation().replace("MUL TEMP[2].x, SV[0].xxxx, IMM[0].xxxx", "MUL TEMP[2].x, IN[1][0].xxxx, IN[1][0].xxxx")
    data = vertices(9)
    data[:, 1] = words([1e30, -1e30, 1e9, -5.0])
    texts = (VERTEX, control(3), hostile)
    assert np.array_equal(draw(texts, data), expected(texts, data, 3))


def test_an_evaluation_shader_chooses_layers_and_clips() -> None:
    text = """TESS_EVAL
PROPERTY TES_PRIM_MODE 7
PROPERTY TES_SPACING 2
PROPERTY NUM_CLIPDIST_ENABLED 1
DCL IN[][0], POSITION
DCL SV[0], TESSCOORD
DCL SV[1], PRIM_ID
DCL OUT[0], POSITION
DCL OUT[1], LAYER
DCL OUT[2], CLIPDIST
DCL TEMP[0..1]
IMM[0] FLT32 {0.5, 1.0, 2.0, -1.0}
MAD TEMP[0], SV[0].xyzz, IMM[0].zzxx, IMM[0].wwxx
MOV OUT[0].xyz, TEMP[0]
MOV OUT[0].w, IMM[0].yyyy
MOV OUT[1].x, SV[1].xxxx
ADD OUT[2].x, IMM[0].xxxx, -SV[0].xxxx
END
"""
    with plain_screen().context_create() as ctx:
        target = ctx.screen.resource_create(target="TEXTURE_2D_ARRAY", width0=8, height0=8, array_size=3, format="R8_UNORM")
        ctx.set_framebuffer_state(cbufs=[ctx.create_surface(target, first_layer=0, last_layer=2)])
        ctx.set_viewport_states([g.ViewportState((4.0, 4.0, 0.5), (4.0, 4.0, 0.5))])
        ctx.clear("COLOR", color=(0.0,) * 4)
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, FLOAT4), (0, FLOAT4)]))
        ctx.set_vertex_buffers([np.zeros((2, 4), np.float32)])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_tes_state(ctx.create_tes_state(text))
        ctx.bind_fs_state(ctx.create_fs_state(WHITE))
        ctx.set_tess_state((6.0,) * 4, (5.0, 3.0))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(clip_plane_enable=1))
        ctx.draw_vbo(mode="PATCHES", count=2, vertices_per_patch=1)
        ctx.flush()
        found = np.array(target.texels()).reshape(3, 8, 8)
    assert (found[:2, :, :4] == 255).all()  # patches 0 and 1, the half with u below 1/2
    assert not found[:2, :, 4:].any()
    assert not found[2].any()
