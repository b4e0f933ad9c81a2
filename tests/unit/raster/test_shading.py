"""Inputs and outputs of fragment shaders, clipping, constants, and the renderer's resource management."""

from __future__ import annotations

import gc
import os
import threading
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.device.framebuffer import Framebuffer
from backends.formats import Format
from backends.pipe.enums import Clear, Prim
from backends.pipe.state import BlendState, DrawInfo, RasterizerState, RenderTargetBlend, VertexElement, ViewportState
from backends.software.renderer import Renderer
from tests.texts import VS_POSITION
from tests.unit.raster import reference
from tests.unit.raster.canvas import (
    ADD,
    FS_CONSTANT,
    FS_ONE,
    FS_WHITE,
    LESS,
    RGBA8,
    RGBA32F,
    VS_COLOR,
    Canvas,
    changed,
    float_words,
    fs_color,
    make_surface,
    pixels,
    with_shaders,
)
from tests.unit.raster.triangles import grid

pytestmark = pytest.mark.light

Array = NDArray[Any]
SIZE = 32
QUAD = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1], [1, 1, 0, 1]], "f4")
X = (np.arange(SIZE) + 0.5) / SIZE


def shade(fs: str, vs: str = VS_POSITION, arrays: Any = (QUAD,), mode: Prim = Prim.TRIANGLE_STRIP, **changes: Any) -> Array:
    """Full-screen picture of four floats per pixel."""
    with Canvas(SIZE, SIZE, color=(RGBA32F,)) as c:
        c.wipe()
        c.draw_arrays(vs, fs, list(arrays), mode, **changes)
        return c.values()


LOOP_SLOPES = """FRAG
DCL IN[0], POSITION, LINEAR
DCL IN[1], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..2]
IMM[0] FLT32 {0.0, 1.0, 20.0, 0.0}
MOV TEMP[0], IN[1]
BGNLOOP
MAD TEMP[0], TEMP[0], TEMP[0], IN[1]
ADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
FSGE TEMP[2].x, TEMP[1].xxxx, IN[0].xxxx
UIF TEMP[2].xxxx
BRK
ENDIF
FSGE TEMP[2].x, TEMP[1].xxxx, IMM[0].zzzz
UIF TEMP[2].xxxx
BRK
ENDIF
ENDLOOP
DDX OUT[0].x, TEMP[0].xxxx
DDY OUT[0].y, TEMP[0].yyyy
DDX_FINE OUT[0].z, TEMP[1].xxxx
DDY_FINE OUT[0].w, IN[1].yyyy
END
"""


def test_programs_that_loop_give_the_same_in_blocks_of_every_shape() -> None:
    triangle = np.array([[-0.93, -0.9, 0, 1], [0.96, -0.7, 0, 1], [-0.3, 0.94, 0, 1]], "f4")
    varying = np.array([[0.1, 0.2, 0, 0], [0.24, -0.3, 0, 0], [-0.5, 0.1, 0, 0]], "f4")
    pictures = []
    for lanes in (8, 16, 32, 64):
        with Canvas(SIZE, SIZE, color=(RGBA32F,), lanes=lanes) as c:
            c.wipe()
            c.draw_arrays(VS_COLOR, LOOP_SLOPES, [triangle, varying], Prim.TRIANGLES)
            pictures.append(c.values())
    assert np.abs(pictures[0]).max(axis=(0, 1)).all()
    assert np.isfinite(pictures[0]).all()
    assert all(np.array_equal(pictures[0], p) for p in pictures[1:])


def fs_input(declaration: str, properties: str = "") -> str:
    return f"FRAG\n{properties}DCL IN[0], {declaration}\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"


def corners(w: Any = (1, 1, 1, 1)) -> tuple[Array, Array]:
    w = np.array(w, "f4")[:, None]
    return QUAD * np.concatenate([w, w, w, w], 1), np.array([[0, 0, 2, 1], [1, 0, 2, 1], [0, 1, 2, 1], [1, 1, 2, 1]], "f4")


def test_interpolation_modes() -> None:
    w = (1, 3, 1, 3)
    position, color = corners(w)
    linear = shade(fs_color("LINEAR"), VS_COLOR, (position, color))
    assert np.allclose(linear[5, :, 0], X, atol=1e-6)
    perspective = shade(fs_color("PERSPECTIVE"), VS_COLOR, (position, color))
    assert np.allclose(perspective[5, :, 0], X / 3 / (1 - X + X / 3), atol=1e-6)
    flat = shade(fs_color("CONSTANT"), VS_COLOR, (position, color))
    assert set(map(tuple, flat.reshape(-1, 4))) == {tuple(color[2]), tuple(color[3])}


def test_color_inputs_follow_flatshade() -> None:
    vs = VS_COLOR.replace("GENERIC[0]", "COLOR")
    fs = fs_input("COLOR, COLOR")
    position, color = corners()
    smooth = shade(fs, vs, (position, color))
    assert np.allclose(smooth[5, :, 0], X, atol=1e-6)
    flat = shade(fs, vs, (position, color), rasterizer=RasterizerState(flatshade=True))
    assert set(map(tuple, flat.reshape(-1, 4))) == {tuple(color[2]), tuple(color[3])}


@pytest.mark.parametrize("lower_left", [False, True])
@pytest.mark.parametrize("integer", [False, True])
def test_fragment_coordinates(lower_left: bool, integer: bool) -> None:
    properties = "PROPERTY FS_COORD_ORIGIN LOWER_LEFT\n" * lower_left + "PROPERTY FS_COORD_PIXEL_CENTER INTEGER\n" * integer
    position, _ = corners((2, 2, 2, 2))
    image = shade(fs_input("POSITION, LINEAR", properties), arrays=(position,))
    shift = 0.0 if integer else 0.5
    rows = SIZE - 1 - np.arange(SIZE) if lower_left else np.arange(SIZE)
    assert np.array_equal(image[3, :, 0], np.arange(SIZE) + shift)
    assert np.array_equal(image[:, 3, 1], rows + shift)
    assert np.allclose(image[..., 2], 0.5)
    assert np.allclose(image[..., 3], 0.5)


def test_facing_as_input_and_as_system_value() -> None:
    triangles = np.array([[-1, -1, 0, 1], [0, -1, 0, 1], [-1, 1, 0, 1], [1, -1, 0, 1], [0, -1, 0, 1], [1, 1, 0, 1]], "f4")
    image = shade(fs_input("FACE, CONSTANT"), arrays=(triangles,), mode=Prim.TRIANGLES, rasterizer=RasterizerState(front_ccw=True))
    assert image[1, 1].tolist() == [-1, 0, 0, 1]
    assert image[1, -2].tolist() == [1, 0, 0, 1]
    sv = "FRAG\nDCL SV[0], FACE\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}\nAND OUT[0], SV[0].xxxx, IMM[0].xxxx\nEND\n"
    image = shade(sv, arrays=(triangles,), mode=Prim.TRIANGLES)
    assert (image[1, 1, 0], image[1, -2, 0]) == (1, 0)


def test_primitive_numbers_restart_with_each_instance() -> None:
    fs = fs_input("PRIM_ID, CONSTANT")
    image = shade(fs, mode=Prim.TRIANGLE_STRIP, info=DrawInfo(mode=Prim.TRIANGLE_STRIP, count=4, instance_count=5)).view("u4")[..., 0]
    assert set(image.ravel().tolist()) == {0, 1}
    quads = np.concatenate([QUAD[[0, 1, 3, 2]] * [0.5, 1, 1, 1] - [0.5, 0, 0, 0], QUAD[[0, 1, 3, 2]] * [0.5, 1, 1, 1] + [0.5, 0, 0, 0]])
    image = shade(fs, arrays=(quads.astype("f4"),), mode=Prim.QUADS).view("u4")[..., 0]
    assert set(image[:, : SIZE // 2].ravel().tolist()) == {0}
    assert set(image[:, SIZE // 2 :].ravel().tolist()) == {1}


@pytest.mark.parametrize("small", [False, True])
def test_derivatives_are_those_of_the_quad(small: bool) -> None:
    """Both lane maps are tested: one big triangle gives runs, many small ones give packed quads."""
    fs = "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\nMUL TEMP[0], IN[0], IN[0].yxxx\nMUL TEMP[1], IN[0], IN[0]\n"
    fs += "DDX OUT[0].x, TEMP[1].xxxx\nDDY OUT[0].y, TEMP[1].yyyy\nDDX OUT[0].z, TEMP[0].xxxx\nDDY OUT[0].w, TEMP[0].xxxx\nEND\n"
    n = 64 if small else 1
    g = np.stack(np.meshgrid(np.arange(n + 1), np.arange(n + 1)), -1).reshape(-1, 2) * (2 / n) - 1
    position = np.concatenate([g, np.zeros((len(g), 1)), np.ones((len(g), 1))], 1).astype("f4")
    image = shade(fs, arrays=(position,), mode=Prim.TRIANGLES, indices=grid(n, n).ravel())
    even = np.arange(SIZE) // 2 * 2
    slope = (even + 1.5) ** 2 - (even + 0.5) ** 2
    assert np.array_equal(image[..., 0], np.broadcast_to(slope, (SIZE, SIZE)))
    assert np.array_equal(image[..., 1], np.broadcast_to(slope[:, None], (SIZE, SIZE)))
    assert np.array_equal(image[..., 2], np.broadcast_to(even[:, None] + 1.5, (SIZE, SIZE)))
    assert np.array_equal(image[..., 3], np.broadcast_to(even + 0.5, (SIZE, SIZE)))


def test_two_sided_light_takes_back_colors() -> None:
    vs = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], BCOLOR\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\n"
    vs += "ADD OUT[2], IN[1], IN[1]\nEND\n"
    triangles = np.array([[-1, -1, 0, 1], [0, -1, 0, 1], [-1, 1, 0, 1], [1, -1, 0, 1], [0, -1, 0, 1], [1, 1, 0, 1]], "f4")
    color = np.ones((6, 4), "f4")
    for ccw in (False, True):
        r = RasterizerState(light_twoside=True, front_ccw=ccw)
        image = shade(fs_input("COLOR, COLOR"), vs, (triangles, color), Prim.TRIANGLES, rasterizer=r)
        assert (image[1, 1, 0], image[1, -2, 0]) == ((2, 1) if ccw else (1, 2))


def test_vertex_colors_are_clamped_if_asked() -> None:
    vs, position, color = VS_COLOR.replace("GENERIC[0]", "COLOR"), QUAD, np.full((4, 4), 3.0, "f4")
    for clamp in (False, True):
        image = shade(fs_input("COLOR, COLOR"), vs, (position, color), rasterizer=RasterizerState(clamp_vertex_color=clamp))
        assert image.max() == (1 if clamp else 3)
        image = shade(fs_input("COLOR, COLOR"), vs, (position, color), rasterizer=RasterizerState(clamp_fragment_color=clamp))
        assert image.max() == (1 if clamp else 3)


def test_input_without_output_reads_0001() -> None:
    assert shade(fs_color("PERSPECTIVE"))[3, 3].tolist() == [0, 0, 0, 1]


def test_outputs_go_to_their_targets() -> None:
    fs = "FRAG\nDCL OUT[0], COLOR[0]\nDCL OUT[1], COLOR[2]\nIMM[0] FLT32 {1.0, 0.5, 0.25, 1.0}\n"
    fs += "MOV OUT[0], IMM[0]\nMOV OUT[1], IMM[0].yyyy\nEND\n"
    with Canvas(SIZE, SIZE, color=(RGBA32F, RGBA8, Format.R16G16B16A16_FLOAT)) as c:
        c.wipe((0.0, 1.0, 0.0, 0.0))
        c.draw_arrays(VS_POSITION, fs, [QUAD], Prim.TRIANGLE_STRIP)
        assert c.values()[3, 3].tolist() == [1, 0.5, 0.25, 1]
        assert c.image(1)[3, 3].tolist() == [0, 255, 0, 0]  # not written: unchanged
        assert c.image(2).view("f2")[3, 3].tolist() == [0.5] * 4


def test_color_0_may_go_to_all_targets() -> None:
    fs = FS_CONSTANT.replace("FRAG\n", "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n")
    with Canvas(SIZE, SIZE, color=(RGBA8, RGBA8)) as c:
        c.wipe()
        blend = BlendState((RenderTargetBlend(), RenderTargetBlend(colormask=2)), independent_blend_enable=True)  # type: ignore[arg-type]
        c.draw_arrays(VS_POSITION, fs, [QUAD], Prim.TRIANGLE_STRIP, constants=[1, 1, 1, 1], blend=blend)
        assert c.image(0)[3, 3].tolist() == [255] * 4
        assert c.image(1)[3, 3].tolist() == [0, 255, 0, 0]


def test_a_hole_among_the_targets_swallows() -> None:
    fs = FS_CONSTANT.replace("FRAG\n", "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n")
    with Canvas(SIZE, SIZE, color=(RGBA8, RGBA8)) as c:
        c.set_framebuffer(Framebuffer(SIZE, SIZE, (None, c.colors[1])))
        c.wipe()
        c.draw_arrays(VS_POSITION, fs, [QUAD], Prim.TRIANGLE_STRIP, constants=[1, 1, 1, 1])
        assert c.image(1)[3, 3].tolist() == [255] * 4
        assert c.image(0).max() == 0


# ------------------------------------------------------------------------------------------------------------- clipping
def test_user_planes_cut_where_they_are_zero() -> None:
    planes = ((1.0, 0.0, 0.0, 0.25), (0.0, 1.0, 0.0, 0.5))
    for enable, left, bottom in ((1, 12, 0), (2, 0, 8), (3, 12, 8)):
        r = RasterizerState(clip_plane_enable=enable)
        image = shade(FS_WHITE, rasterizer=r, clip_planes=planes)[..., 0] > 0
        expected = (np.arange(SIZE) >= left) & (np.arange(SIZE)[:, None] >= bottom)
        assert np.array_equal(image, expected)


def test_written_clip_distances_cut_and_other_varyings_stay_exact() -> None:
    vs = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], CLIPDIST\nDCL OUT[2], GENERIC[0]\nPROPERTY NUM_CLIPDIST_ENABLED 2\n"
    vs += "MOV OUT[0], IN[0]\nMOV OUT[1].x, IN[0].xxxx\nMOV OUT[1].y, -IN[0].yyyy\nMOV OUT[2], IN[0]\nEND\n"
    image = shade(fs_color("PERSPECTIVE"), vs, rasterizer=RasterizerState(clip_plane_enable=3))
    drawn = image[..., 3] > 0
    assert np.array_equal(drawn, (np.arange(SIZE) >= SIZE // 2) & (np.arange(SIZE)[:, None] < SIZE // 2))
    assert np.allclose(image[5, 16:, 0], 2 * X[16:] - 1, atol=1e-6)


def test_viewports_smaller_than_the_target_bound_what_is_drawn() -> None:
    view = ViewportState((4.75, 8.0, 0.5), (12.0, 16.0, 0.5))  # columns 7.25 to 16.75
    image = shade(FS_WHITE, arrays=(QUAD * np.array([3, 3, 1, 1], "f4"),), viewports=(view,))[..., 0] > 0
    columns, rows = np.arange(SIZE), np.arange(SIZE)[:, None]
    assert np.array_equal(image, (columns >= 7) & (columns <= 16) & (rows >= 8) & (rows <= 23))


def test_half_pixel_center_moves_everything() -> None:
    square = QUAD * np.array([0.5, 0.5, 1, 1], "f4")
    moved = shade(FS_WHITE, arrays=(square + np.array([0.2 / 16, 0.2 / 16, 0, 0], "f4"),))[..., 0] > 0
    centers = shade(
        FS_WHITE, arrays=(square - np.array([0.3 / 16, 0.3 / 16, 0, 0], "f4"),), rasterizer=RasterizerState(half_pixel_center=False)
    )
    assert np.array_equal(moved, centers[..., 0] > 0)


@pytest.mark.parametrize("scale", [0.0, -16.0, 1e9, float("nan"), float("inf"), 1e-30])
def test_odd_viewports_do_no_harm(scale: float) -> None:
    for translate in (0.0, 16.0, 1e9, float("nan")):
        view = ViewportState((scale, 16.0, 0.5), (translate, 16.0, 0.5))
        shade(FS_WHITE, viewports=(view,))


# ------------------------------------------------------------------------------------------------------------ the rest
def test_missing_constants_read_zero() -> None:
    assert shade(FS_CONSTANT)[3, 3].tolist() == [0, 0, 0, 0]


def test_polygon_stipple() -> None:
    rows = tuple(0x80000001 if y % 2 else 0xF0000000 for y in range(32))
    image = shade(FS_WHITE, polygon_stipple=rows, rasterizer=RasterizerState(poly_stipple_enable=True))[..., 0] > 0
    assert np.array_equal(image, [[bool(rows[y] >> (31 - x) & 1) for x in range(32)] for y in range(32)])


def test_a_shader_less_draw_writes_depth_only() -> None:
    with Canvas(SIZE, SIZE, depth=Format.Z32_FLOAT) as c:
        c.wipe()
        c.draw_arrays(VS_POSITION, None, [QUAD], Prim.TRIANGLE_STRIP, depth_stencil_alpha=LESS)
        assert c.image().max() == 0
        assert (c.depth_bytes().view("f4") == 0.5).all()


def test_patches_want_a_tessellator() -> None:
    with pytest.raises(ValueError, match="PATCHES"):
        shade(FS_WHITE, mode=Prim.PATCHES)


def test_clears_of_parts_keep_the_rest() -> None:
    with Canvas(100, 70, depth=Format.Z24_UNORM_S8_UINT) as c:
        c.wipe(depth=0.25, stencil=7)
        c.clear(int(Clear.DEPTH), float_words(0, 0, 0, 0), 1.0, 99)
        assert set(c.depth_bytes().reshape(-1, 4)[:, 3].tolist()) == {7}
        c.clear(int(Clear.STENCIL), float_words(0, 0, 0, 0), 0.0, 5)
        assert c.depth_bytes()[3, 3].tolist() == [255, 255, 255, 5]


def test_a_framebuffer_smaller_than_its_surface_leaves_the_rest_alone() -> None:
    with Canvas(100, 70) as c:
        c.wipe((1, 1, 1, 1))
        c.set_framebuffer(Framebuffer(50, 40, (c.colors[0],)))
        c.wipe()
        c.draw_arrays(VS_POSITION, FS_ONE, [QUAD * 2], Prim.TRIANGLE_STRIP)
        image = c.image()[..., 0]
    assert set(image[:40, :50].ravel().tolist()) == {1}
    assert set(image[40:].ravel().tolist()) == set(image[:, 50:].ravel().tolist()) == {255}


def test_framebuffer_limits_are_checked() -> None:
    with closing(Renderer(threads=0)) as r:
        with pytest.raises(ValueError, match="16385"):
            r.set_framebuffer(Framebuffer(16385, 10))
        r.set_framebuffer(Framebuffer(0, 0))
        r.clear(int(Clear.COLOR0), [0, 0, 0, 0], 1.0, 0)
        r.flush()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(8192, 64), (8256, 64), (16384, 64), (64, 16384)])
def test_the_largest_framebuffers_are_exact(width: int, height: int) -> None:
    surface = make_surface(RGBA8, width, height)
    rng = np.random.default_rng(width)
    triangles = np.ones((12, 3, 4), "f4")
    triangles[..., 2] = 0
    triangles[0, :, :2] = [[-1.0, -1.0], [1.0, -0.9], [0.97, 0.93]]
    triangles[1, :, :2] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]]  # the corners of the framebuffer are in no need of a clip
    triangles[2:6, :, :2] = rng.uniform(-1, 1, (4, 3, 2))
    triangles[6:, :, :2] = rng.uniform(-6, 6, (6, 3, 2)) ** 3 / 8  # far out, so that the guard band clips
    half = (width / 2, height / 2, 0.5)
    with Canvas(64, 64) as c:
        c.set_framebuffer(Framebuffer(width, height, (surface,)))
        c.wipe()
        c.draw_arrays(VS_POSITION, FS_ONE, [triangles.reshape(-1, 4)], blend=ADD, viewports=(ViewportState(half, half),))
        c.flush()
        assert np.array_equal(pixels(surface)[..., 0], reference.count_coverage(triangles, width, height))


@pytest.mark.slow
def test_colors_reach_the_last_pixel_of_the_largest_framebuffer() -> None:
    surface = make_surface(Format.R8_UNORM, 16384, 16384)
    half = (8192.0, 8192.0, 0.5)
    with Canvas(64, 64) as c:
        c.set_framebuffer(Framebuffer(16384, 16384, (surface,)))
        c.draw_arrays(VS_POSITION, FS_WHITE, [QUAD], Prim.TRIANGLE_STRIP, viewports=(ViewportState(half, half),))
        c.flush()
        assert (pixels(surface) == 255).all()


def test_uses_tells_what_pending_work_touches() -> None:
    with Canvas(SIZE, SIZE) as c:
        surface = c.colors[0]
        buffer = c.vertex_buffer(QUAD)
        assert not c.uses(surface.address, 1)
        c.draw_arrays(VS_POSITION, FS_WHITE, [QUAD], Prim.TRIANGLE_STRIP, vertex_buffers=(buffer,))
        assert c.pending
        assert c.uses(buffer.address, 4)
        assert c.uses(surface.address + 3 * surface.row_stride, 4)
        assert not c.uses(buffer.address + buffer.size, 16)
        c.flush()
        assert not c.pending
        assert not c.uses(buffer.address, 4)


def test_constants_are_copied_when_drawn() -> None:
    with Canvas(SIZE, SIZE) as c:
        c.wipe()
        memory = c.memory(np.array([1, 1, 1, 1], "f4"))
        c.state.fragment.put_constants(0, memory)
        c.draw_arrays(VS_POSITION, FS_CONSTANT, [QUAD], Prim.TRIANGLE_STRIP)
        memory.keepalive[:] = 0  # type: ignore[index]
        assert c.image()[3, 3].tolist() == [255] * 4


def test_a_repeated_draw_sees_new_constants() -> None:
    with Canvas(SIZE, SIZE) as c:
        c.wipe()
        state = with_shaders(changed(c.state, blend=ADD, vertex_elements=()), VS_POSITION, FS_CONSTANT)
        state.vertex_elements = (VertexElement(0, RGBA32F),)
        state.vertex_buffers = (c.vertex_buffer(QUAD),)
        info = DrawInfo(mode=Prim.TRIANGLE_STRIP, count=4)
        for value in (1, 2, 4):
            state.fragment.put_constants(0, c.memory(np.full(4, value / 255, "f4")))
            c.draw(state, info)
        assert c.image()[3, 3].tolist() == [7] * 4


def test_more_draws_than_a_window_holds() -> None:
    with Canvas(SIZE, SIZE, threads=1, window=2) as c:
        c.wipe()
        for _ in range(50):
            c.draw_arrays(VS_POSITION, FS_ONE, [QUAD], Prim.TRIANGLE_STRIP, blend=ADD)
        assert set(c.image().ravel().tolist()) == {50}


def test_a_forgotten_renderer_ends_its_threads() -> None:
    before = threading.active_count()
    c = Canvas(SIZE, SIZE, threads=3)
    c.wipe()
    c.flush()
    assert threading.active_count() == before + 3
    del c
    gc.collect()
    assert threading.active_count() == before


def test_a_closed_renderer_says_so() -> None:
    c = Canvas(SIZE, SIZE)
    c.close()
    c.close()
    c.wipe()
    with pytest.raises(ValueError, match="closed"):
        c.flush()
    assert c.statistics().vertices == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_can_go_on_drawing() -> None:
    with Canvas(SIZE, SIZE, threads=2) as c:
        c.wipe((1, 1, 1, 1))
        assert c.image().min() == 255
        child = os.fork()
        if child == 0:
            c.wipe()
            os._exit(int(c.image().max() != 0))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        c.wipe((0, 0, 0, 0))
        assert c.image().max() == 0
