"""Stages before the rasterizer that write memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.software.renderer import Renderer
from tests.texts import VS_POSITION
from tests.unit.gallium.test_draw_memory import SIZE, Stage
from tgsi import gallium as g
from tgsi.language.diagnostics import UnsupportedError

pytestmark = pytest.mark.light

TALLY = """VERT
DCL IN[0]
DCL SV[0], VERTEXID
DCL SV[1], INSTANCEID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL BUFFER[0..1]
DCL CONST[0]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 4, 0}
UMAD TEMP[0].x, SV[1].xxxx, CONST[0].xxxx, SV[0].xxxx
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz
ATOMUADD TEMP[1].x, BUFFER[0], TEMP[0].xxxx, IMM[0].yyyy
STORE BUFFER[1].x, TEMP[0].xxxx, IN[0].xxxx
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
END
"""
"""Vertex program that counts how often each vertex of each instance is shaded, and stores its x."""
WHITE = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"
TICKET = """VERT
DCL IN[0]
DCL SV[0], VERTEXID
DCL OUT[0], POSITION
DCL BUFFER[0..1]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 4, 0}
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz
STORE BUFFER[1].x, TEMP[0].xxxx, SV[0].xxxx
MOV OUT[0], IN[0]
END
"""


MODES = ("POINTS", "LINES", "LINE_STRIP", "LINE_LOOP", "TRIANGLES", "TRIANGLE_STRIP", "TRIANGLE_FAN", "QUADS", "POLYGON")
Floats = NDArray[np.float32]


@pytest.fixture
def stage(screen: g.Screen, ctx: g.Context) -> Stage:
    return Stage(screen, ctx)


def soup(count: int, size: float, seed: int = 5) -> Floats:
    """Clip positions of random triangles."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-1, 1, (count, 1, 2)) + rng.uniform(-size, size, (count, 3, 2))
    return np.concatenate([corners, np.zeros((count, 3, 1)), np.ones((count, 3, 1))], 2).reshape(-1, 4).astype(np.float32)


def plain(stage: Stage, vertices: Floats) -> NDArray[Any]:
    """Picture of the same triangles with a shader that stores nothing."""
    stage.ctx.clear("COLOR")
    stage.ctx.bind_vs_state(stage.ctx.create_vs_state(VS_POSITION))
    stage.ctx.set_vertex_buffers([vertices])
    stage.ctx.draw_vbo(mode="TRIANGLES", count=len(vertices))
    return stage.pixels(stage.color)


@pytest.mark.parametrize("threads", [0, 2, 7])
@pytest.mark.parametrize("arena", [1 << 12, 1 << 20])
def test_each_vertex_of_a_list_stores_once_however_often_its_batch_comes(threads: int, arena: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "backends.software.device.Renderer", lambda *_, **__: Renderer(threads=threads, batch=2048, arena=arena, cache=False)
    )
    with g.Screen(threads=threads) as screen, screen.context_create() as ctx:
        stage, vertices = Stage(screen, ctx), soup(2500, 0.5)
        stage.fragment(WHITE)
        wanted = plain(stage, vertices)
        counts, values = stage.buffer(np.zeros(2 * len(vertices), "u4")), stage.buffer(np.zeros(2 * len(vertices), "f4"))
        ctx.set_shader_buffers("VERTEX", [counts, values])
        ctx.set_constant_buffer("VERTEX", np.array([len(vertices), 0, 0, 0], "u4"))
        ctx.bind_vs_state(ctx.create_vs_state(TALLY))
        ctx.clear("COLOR")
        ctx.draw_vbo(mode="TRIANGLES", count=len(vertices), instance_count=2)
        assert (stage.pixels(stage.color) == wanted).all()
        assert (stage.words(counts) == 1).all()
        assert (stage.words(values).view("f4") == np.tile(vertices[:, 0], 2)).all()


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_pictures_are_the_same_with_and_without_stores(stage: Stage, mode: str, first: bool) -> None:
    """Flat colors come from the provoking vertex."""
    ctx, vertices = stage.ctx, soup(8, 0.7)
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(flatshade_first=first, half_pixel_center=True, point_size=9.0))
    stage.fragment("FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], |IN[0]|\nEND\n")
    without = TALLY.replace("ATOMUADD TEMP[1].x, BUFFER[0], TEMP[0].xxxx, IMM[0].yyyy\nSTORE BUFFER[1].x, TEMP[0].xxxx, IN[0].xxxx\n", "")
    pictures = []
    ctx.set_shader_buffers("VERTEX", [stage.buffer(np.zeros(100, "u4"))] * 2)
    for text in (without, TALLY):
        ctx.clear("COLOR")
        ctx.bind_vs_state(ctx.create_vs_state(text))
        ctx.set_vertex_buffers([vertices])
        ctx.draw_vbo(mode=mode, count=len(vertices))
        pictures.append(stage.pixels(stage.color))
    assert len(np.unique(pictures[0].reshape(-1, 4), axis=0)) > 1
    assert (pictures[0] == pictures[1]).all()


def test_vertices_store_though_nothing_is_drawn(stage: Stage) -> None:
    ctx, vertices = stage.ctx, soup(10, 0.5)
    counts = stage.buffer(np.zeros(30, "u4"))
    ctx.set_shader_buffers("VERTEX", [counts])
    ctx.bind_vs_state(ctx.create_vs_state(TALLY))
    stage.fragment(WHITE)
    ctx.set_vertex_buffers([vertices])
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(rasterizer_discard=True))
    ctx.draw_vbo(mode="TRIANGLES", count=30)
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state())
    ctx.set_framebuffer_state()
    ctx.draw_vbo(mode="TRIANGLES", count=30)
    assert (stage.words(counts) == 2).all()


def test_tickets_of_vertices_are_in_their_order() -> None:
    found = set()
    for threads, lanes in ((0, None), (2, 8), (7, 32)):
        with g.Screen(threads=threads, lanes=lanes) as screen, screen.context_create() as ctx:
            stage, vertices = Stage(screen, ctx), soup(3000, 0.1)
            count, numbers = stage.buffer(np.zeros(1, "u4")), stage.buffer(np.zeros(9000, "u4"))
            ctx.set_shader_buffers("VERTEX", [count, numbers])
            ctx.bind_vs_state(ctx.create_vs_state(TICKET))
            stage.fragment(WHITE)
            ctx.set_vertex_buffers([vertices])
            ctx.draw_vbo(mode="TRIANGLES", count=9000)
            found.add(stage.words(numbers).tobytes())
    assert [np.frombuffer(f, "u4").tolist() for f in found] == [list(range(9000))]


def test_fragments_of_one_draw_and_vertices_of_the_next_keep_their_order(stage: Stage) -> None:
    """Vertices write a color that fragments of the same draw read; the same programs do so three times, without a barrier."""
    ctx = stage.ctx
    color = stage.buffer(np.zeros(4, "f4"))
    ctx.set_shader_buffers("VERTEX", [color])
    ctx.set_shader_buffers("FRAGMENT", [color])
    ctx.bind_vs_state(
        ctx.create_vs_state(
            "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL BUFFER[0]\nDCL CONST[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
            "STORE BUFFER[0], IMM[0].xxxx, CONST[0]\nMOV OUT[0], IN[0]\nEND\n"
        )
    )
    stage.fragment("FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nLOAD OUT[0], BUFFER[0], IMM[0].xxxx\nEND\n")
    for k, part in enumerate([(-1.0, -0.5), (-0.5, 0.5), (0.5, 1.0)]):
        ctx.set_constant_buffer("VERTEX", np.array([k / 2, 0, 0, 1], "f4"))
        stage.cover(left=part[0], right=part[1])
    found = stage.pixels(stage.color)[0, :, 0]
    assert [found[0], found[SIZE // 2], found[-1]] == [0, 128, 255]


GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL SV[0], PRIM_ID
DCL OUT[0], POSITION
DCL BUFFER[2]
DCL IMAGE[1], 1D, PIPE_FORMAT_R32_UINT, WR
DCL HWATOMIC[0][0..1]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 4, 0}
ATOMUADD TEMP[0].x, HWATOMIC[0][1], IMM[0].xxxx, IMM[0].yyyy
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].zzzz
STORE BUFFER[2].x, TEMP[0].xxxx, SV[0].xxxx
MOV TEMP[1], SV[0].xxxx
STORE IMAGE[1], TEMP[1], SV[0].xxxx, 1D, PIPE_FORMAT_R32_UINT
MOV OUT[0], IN[0][0]
EMIT IMM[0].xxxx
MOV OUT[0], IN[1][0]
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
EMIT IMM[0].xxxx
END
"""


@pytest.mark.parametrize("threads", [0, 3])
def test_geometry_shaders_write_buffers_images_and_counters(threads: int) -> None:
    with g.Screen(threads=threads) as screen, screen.context_create() as ctx:
        stage, vertices = Stage(screen, ctx), soup(5000, 0.05)
        stage.fragment(WHITE)
        wanted = plain(stage, vertices)
        numbers, counter = stage.buffer(np.zeros(5000, "u4")), stage.buffer(np.zeros(2, "u4"))
        image = screen.resource_create(target="TEXTURE_1D", format="R32_UINT", width0=5000)
        ctx.set_shader_buffers("GEOMETRY", [numbers], start=2)
        ctx.set_shader_images("GEOMETRY", [image], start=1)
        ctx.set_hw_atomic_buffers([counter])
        ctx.bind_gs_state(ctx.create_gs_state(GEOMETRY))
        ctx.clear("COLOR")
        ctx.draw_vbo(mode="TRIANGLES", count=len(vertices))
        assert (stage.pixels(stage.color) == wanted).all()
        assert stage.words(counter).tolist() == [0, 5000]
        assert (stage.words(numbers) == np.arange(5000)).all()
        assert (stage.pixels(image).reshape(-1) == np.arange(5000)).all()


def test_polygons_as_lines_are_refused_where_vertices_store(stage: Stage) -> None:
    ctx = stage.ctx
    ctx.set_shader_buffers("VERTEX", [stage.buffer(np.zeros(100, "u4"))])
    ctx.bind_vs_state(ctx.create_vs_state(TALLY))
    stage.fragment(WHITE)
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(fill_front="LINE", fill_back="LINE"))
    ctx.set_vertex_buffers([soup(4, 0.5)])
    with pytest.raises(UnsupportedError, match="QUADS drawn as lines or points"):
        ctx.draw_vbo(mode="QUADS", count=12)
    ctx.draw_vbo(mode="TRIANGLES", count=12)
    assert stage.pixels(stage.color).any()


PATCHES = (
    "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL OUT[][0], POSITION\nDCL OUT[1], TESSOUTER\nDCL OUT[2], TESSINNER\n"
    "DCL SV[0], INVOCATIONID\nDCL SV[1], PRIM_ID\nDCL ADDR[0]\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {3, 4, 0, 0}\n"
    "IMM[1] FLT32 {1.0, 1.0, 1.0, 1.0}\nUARL ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\nMOV OUT[1], IMM[1]\n"
    "MOV OUT[2], IMM[1]\nUMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx\nUMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n"
    "STORE BUFFER[0].x, TEMP[0].xxxx, SV[1].xxxx\nEND\n",
    "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nPROPERTY TES_SPACING 2\nDCL IN[][0], POSITION\nDCL SV[0], TESSCOORD\nDCL OUT[0], POSITION\n"
    "DCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 1, 0, 0}\nATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\n"
    "MUL TEMP[0], IN[0][0], SV[0].xxxx\nMAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]\nMAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]\nEND\n",
)


@pytest.mark.parametrize("threads", [0, 3])
def test_tessellation_shaders_write_buffers(threads: int) -> None:
    count = 3000
    with g.Screen(threads=threads) as screen, screen.context_create() as ctx:
        stage, vertices = Stage(screen, ctx), soup(count, 0.1)
        stage.fragment(WHITE)
        numbers, points = stage.buffer(np.zeros(3 * count, "u4")), stage.buffer(np.zeros(1, "u4"))
        ctx.set_shader_buffers("TESS_CTRL", [numbers])
        ctx.set_shader_buffers("TESS_EVAL", [points])
        ctx.bind_tcs_state(ctx.create_tcs_state(PATCHES[0]))
        ctx.bind_tes_state(ctx.create_tes_state(PATCHES[1]))
        ctx.set_vertex_buffers([vertices])
        ctx.draw_vbo(mode="PATCHES", count=3 * count, vertices_per_patch=3)
        assert stage.pixels(stage.color).any()
        assert (stage.words(numbers) == np.repeat(np.arange(count), 3)).all()
        assert stage.words(points)[0] == 3 * count
