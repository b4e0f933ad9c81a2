"""Draws whose programs read and write buffers, images and counters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.software.renderer import Renderer
from tests.texts import VS_POSITION
from tgsi import gallium as g

pytestmark = pytest.mark.light

Words = NDArray[np.uint32]
SIZE = 144  # several tiles
COUNT = """FRAG
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 0, 0}
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
END
"""
TICKET = """FRAG
DCL IN[0], POSITION, LINEAR
DCL BUFFER[0..1]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 4, 1024}
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz
F2U TEMP[1].xy, IN[0].xyyy
UMAD TEMP[1].x, TEMP[1].yyyy, IMM[0].wwww, TEMP[1].xxxx
STORE BUFFER[1].x, TEMP[0].xxxx, TEMP[1]
END
"""
"""Fragment program that writes the positions of fragments in the order of their execution."""
STORE = """FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR
DCL CONST[0]
DCL TEMP[0]
F2I TEMP[0].xy, IN[0].xyyy
STORE IMAGE[0], TEMP[0], CONST[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM
MOV OUT[0], CONST[0]
END
"""
RED, BLUE = np.array([1, 0, 0, 1], "f4"), np.array([0, 0, 1, 1], "f4")


class Stage:
    """Context with a vertex shader of positions alone, and targets of SIZE x SIZE pixels."""

    def __init__(self, screen: g.Screen, ctx: g.Context, depth: bool = False) -> None:
        self.screen, self.ctx = screen, ctx
        self.color = screen.resource_create(width0=SIZE, height0=SIZE)
        self.depth = screen.resource_create(width0=SIZE, height0=SIZE, format="Z32_FLOAT") if depth else None
        ctx.set_framebuffer_state(cbufs=[self.color], zsbuf=self.depth)
        ctx.set_viewport_states([g.ViewportState((SIZE / 2, SIZE / 2, 0.5), (SIZE / 2, SIZE / 2, 0.5))])
        ctx.clear("COLOR")
        ctx.bind_vs_state(ctx.create_vs_state(VS_POSITION))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))

    def buffer(self, content: Any) -> g.Resource:
        words = np.ascontiguousarray(content).reshape(-1).view(np.uint8)
        made = self.screen.resource_create(target="BUFFER", width0=words.size)
        self.ctx.buffer_subdata(made, words)
        return made

    def words(self, buffer: g.Resource) -> Words:
        with self.ctx.transfer_map(buffer, usage="READ") as mapped:
            return np.array(mapped.data).reshape(-1).view(np.uint32)

    def pixels(self, image: g.Resource) -> NDArray[Any]:
        with self.ctx.transfer_map(image, usage="READ") as mapped:
            return np.array(mapped.data)

    def fragment(self, text: str) -> None:
        self.ctx.bind_fs_state(self.ctx.create_fs_state(text))

    def cover(self, z: float = 0.0, left: float = -1.0, right: float = 1.0) -> None:
        """Cover all pixels between two columns by two triangles with a common edge."""
        self.ctx.set_vertex_buffers([np.array([[x, y, z, 1] for y in (-1, 1) for x in (left, right)], np.float32)])
        self.ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4)

    def scatter(self, count: int, size: float, seed: int = 3) -> None:
        """Draw random triangles in one draw."""
        rng = np.random.default_rng(seed)
        corners = rng.uniform(-1, 1, (count, 1, 2)) + rng.uniform(-size, size, (count, 3, 2))
        vertices = np.concatenate([corners, np.zeros((count, 3, 1)), np.ones((count, 3, 1))], 2).reshape(-1, 4)
        self.ctx.set_vertex_buffers([vertices.astype(np.float32)])
        self.ctx.draw_vbo(mode="TRIANGLES", count=3 * count)


@pytest.fixture
def stage(screen: g.Screen, ctx: g.Context) -> Stage:
    return Stage(screen, ctx)


@pytest.fixture
def deep(screen: g.Screen, ctx: g.Context) -> Stage:
    return Stage(screen, ctx, depth=True)


@pytest.fixture(params=[(0, None), (1, 8), (2, 16), (7, 32), (3, 64)], ids=str)
def many(request: pytest.FixtureRequest) -> Iterator[Stage]:
    threads, lanes = request.param
    with g.Screen(threads=threads, lanes=lanes) as screen, screen.context_create() as ctx:
        yield Stage(screen, ctx)


# -- which fragments count ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("triangles", [(40, 0.05), (400, 0.05), (400, 0.4), (5, 3.0)])
def test_each_fragment_counts_once(many: Stage, triangles: tuple[int, float]) -> None:
    ctx, total = many.ctx, many.buffer(np.zeros(1, "u4"))
    many.fragment(COUNT)
    ctx.set_shader_buffers("FRAGMENT", [total])
    query = ctx.create_query("OCCLUSION_COUNTER")
    ctx.begin_query(query)
    many.scatter(*triangles)
    ctx.end_query(query)
    assert many.words(total)[0] == ctx.get_query_result(query) != 0


def test_batches_that_come_again_store_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arenas hold only a few triangles: a batch is cut, and continues after the triangles that were drawn."""
    monkeypatch.setattr("backends.software.device.Renderer", lambda *_, **__: Renderer(threads=2, batch=2048, arena=1 << 12, cache=False))
    with g.Screen(threads=2) as screen, screen.context_create() as ctx:
        stage = Stage(screen, ctx)
        total = stage.buffer(np.zeros(1, "u4"))
        stage.fragment(COUNT)
        ctx.set_shader_buffers("FRAGMENT", [total])
        query = ctx.create_query("OCCLUSION_COUNTER")
        ctx.begin_query(query)
        stage.scatter(3000, 1.0)
        ctx.end_query(query)
        counted = ctx.get_query_result(query)
        assert cast(Renderer, ctx.device)._pool.scene.totals.num_windows > 3
        assert stage.words(total)[0] == counted


def test_killed_fragments_and_helpers_store_nothing(many: Stage) -> None:
    """Every second column is killed while the rest of each quad continues; each live fragment stores its own position."""
    image = many.screen.resource_create(width0=SIZE, height0=SIZE)
    many.fragment(
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL IMAGE[0], 2D, WR\nDCL TEMP[0..1]\nIMM[0] INT32 {1, -1, 0, 0}\n"
        "IMM[1] FLT32 {1.0, 0.5, 0.0, 0.0}\n"
        "F2I TEMP[0].xy, IN[0].xyyy\nAND TEMP[1].x, TEMP[0].xxxx, IMM[0].xxxx\nINEG TEMP[1].x, TEMP[1].xxxx\nI2F TEMP[1].x, TEMP[1].xxxx\n"
        "KILL_IF TEMP[1].xxxx\nSTORE IMAGE[0], TEMP[0], IMM[1].xxxx, 2D, PIPE_FORMAT_R8G8B8A8_UNORM\nEND\n"
    )
    many.ctx.set_shader_images("FRAGMENT", [image])
    many.scatter(1, 1.5, seed=8)
    many.ctx.set_shader_images("FRAGMENT", [None])
    many.fragment("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n")
    many.scatter(1, 1.5, seed=8)
    found, covered = many.pixels(image)[..., 0] == 255, many.pixels(many.color)[..., 0] == 255
    assert covered.any()
    assert not covered.all()
    assert (found[:, ::2] == covered[:, ::2]).all()
    assert not found[:, 1::2].any()


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("stencil", [False, True])
def test_only_early_tests_keep_fragments_from_storing(screen: g.Screen, ctx: g.Context, early: bool, stencil: bool) -> None:
    stage = Stage(screen, ctx)
    depth = screen.resource_create(width0=SIZE, height0=SIZE, format="Z32_FLOAT_S8X24_UINT" if stencil else "Z32_FLOAT")
    ctx.set_framebuffer_state(cbufs=[stage.color], zsbuf=depth)
    ctx.clear("DEPTHSTENCIL", depth=0.5)
    faces = g.StencilState(enabled=True, func=g.CompareFunc.EQUAL, valuemask=255)
    sides = (faces if stencil else g.StencilState(), g.StencilState())
    dsa = g.DepthStencilAlphaState(g.DepthState(enabled=True, func=g.CompareFunc.LESS), sides)
    ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(dsa))
    total = stage.buffer(np.zeros(1, "u4"))
    stage.fragment(COUNT.replace("FRAG\n", "FRAG\nPROPERTY FS_EARLY_DEPTH_STENCIL 1\n") if early else COUNT)
    ctx.set_shader_buffers("FRAGMENT", [total])
    stage.cover(z=0.5)  # behind
    assert stage.words(total)[0] == (0 if early else SIZE * SIZE)
    stage.cover(z=-0.5)  # in front
    assert stage.words(total)[0] == (SIZE * SIZE if early else 2 * SIZE * SIZE)


@pytest.mark.parametrize("samples", [1, 4])
def test_multisampled_fragments_count_once_a_pixel_or_once_a_sample(stage: Stage, samples: int) -> None:
    ctx = stage.ctx
    target = stage.screen.resource_create(width0=SIZE, height0=SIZE, nr_samples=4)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(multisample=True, half_pixel_center=True))
    ctx.set_min_samples(samples)
    total = stage.buffer(np.zeros(1, "u4"))
    stage.fragment(COUNT)
    ctx.set_shader_buffers("FRAGMENT", [total])
    query = ctx.create_query("OCCLUSION_COUNTER")
    ctx.begin_query(query)
    stage.scatter(200, 0.2)
    ctx.end_query(query)
    count, covered = int(stage.words(total)[0]), ctx.get_query_result(query)
    assert isinstance(covered, int)
    assert count == covered if samples == 4 else covered / 4 < count < covered


# -- order -------------------------------------------------------------------------------------------------------------
def test_ordered_programs_give_the_same_bytes_everywhere() -> None:
    found = set()
    for threads, lanes, cpu in ((0, None, None), (1, 8, None), (2, 16, "x86-64-v2"), (7, 32, None), (3, 64, "x86-64-v3")):
        with g.Screen(threads=threads, lanes=lanes, cpu=cpu) as screen, screen.context_create() as ctx:
            stage = Stage(screen, ctx)
            total, places = stage.buffer(np.zeros(1, "u4")), stage.buffer(np.zeros(100_000, "u4"))
            stage.fragment(TICKET)
            ctx.set_shader_buffers("FRAGMENT", [total, places])
            stage.scatter(300, 0.3)
            stage.scatter(10, 2.0)
            found.add((int(stage.words(total)[0]), stage.words(places).tobytes()))
    assert len(found) == 1
    count, content = found.pop()
    assert 0 < count < 100_000
    assert not np.frombuffer(content, "u4")[count:].any()


def test_a_later_draw_sees_what_an_earlier_one_stored(stage: Stage) -> None:
    """The later draw reads a texture, another program's image, constants or vertices, without any call between the draws."""
    ctx = stage.ctx
    image = stage.screen.resource_create(width0=SIZE, height0=SIZE)
    ctx.set_constant_buffer("FRAGMENT", RED)
    ctx.set_shader_images("FRAGMENT", [image])
    stage.fragment(STORE)
    stage.cover()
    view = ctx.create_sampler_view(image)
    ctx.set_sampler_views("FRAGMENT", [view])
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
    ctx.clear("COLOR")
    stage.fragment(
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\nF2I TEMP[0], IN[0]\n"
        "IMM[0] INT32 {0, 0, 0, 0}\nMOV TEMP[0].w, IMM[0].xxxx\nTXF OUT[0], TEMP[0], SAMP[0], 2D\nEND\n"
    )
    stage.cover()
    assert (stage.pixels(stage.color) == (255, 0, 0, 255)).all()
    stage.fragment(STORE)
    ctx.set_constant_buffer("FRAGMENT", BLUE)
    stage.cover()
    ctx.clear("COLOR")
    stage.fragment(
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\nDCL TEMP[0]\n"
        "F2I TEMP[0], IN[0]\nLOAD OUT[0], IMAGE[0], TEMP[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\nEND\n"
    )
    stage.cover()
    assert (stage.pixels(stage.color) == (0, 0, 255, 255)).all()


def test_vertices_and_constants_that_a_draw_stored_are_seen_by_the_next(stage: Stage) -> None:
    ctx = stage.ctx
    stored = stage.buffer(np.zeros(20, "f4"))
    stage.fragment(
        "FRAG\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 16, 32, 48}\nIMM[1] FLT32 {-1.0, -1.0, 0.0, 1.0}\nIMM[2] FLT32 {3.0, -1.0, 0.0, 1.0}\n"
        "IMM[3] FLT32 {-1.0, 3.0, 0.0, 1.0}\nIMM[4] FLT32 {0.0, 1.0, 0.0, 1.0}\nSTORE BUFFER[0], IMM[0].xxxx, IMM[1]\n"
        "STORE BUFFER[0], IMM[0].yyyy, IMM[2]\nSTORE BUFFER[0], IMM[0].zzzz, IMM[3]\nSTORE BUFFER[0], IMM[0].wwww, IMM[4]\nEND\n"
    )
    ctx.set_shader_buffers("FRAGMENT", [stored])
    stage.cover()
    stage.fragment("FRAG\nDCL CONST[0]\nDCL OUT[0], COLOR\nMOV OUT[0], CONST[0]\nEND\n")
    ctx.set_constant_buffer("FRAGMENT", stored, offset=48, size=16)
    ctx.set_vertex_buffers([g.VertexBuffer(stored, 16)])
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    assert (stage.pixels(stage.color) == (0, 255, 0, 255)).all()


def test_a_store_waits_for_who_still_reads(stage: Stage) -> None:
    """The first draw samples the texture that the second changes.

    40 more triangles in other tiles must not let the first see the change.
    """
    ctx = stage.ctx
    image = stage.screen.resource_create(width0=SIZE, height0=SIZE)
    ctx.texture_subdata(image, np.full((SIZE, SIZE, 4), 128, np.uint8))
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(image)])
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
    stage.fragment(
        "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nIMM[0] INT32 {1, 1, 0, 0}\n"
        "TXF OUT[0], IMM[0].xyzz, SAMP[0], 2D\nEND\n"
    )
    stage.cover()
    stage.fragment(STORE.replace("DCL OUT[0], COLOR\n", "").replace("MOV OUT[0], CONST[0]\n", ""))
    ctx.set_constant_buffer("FRAGMENT", RED)
    ctx.set_shader_images("FRAGMENT", [image])
    stage.cover()
    assert (stage.pixels(stage.color) == 128).all()
    assert (stage.pixels(image) == (255, 0, 0, 255)).all()


@pytest.mark.parametrize("call", ["map", "copy", "grid", "memory_barrier", "texture_barrier", "flush"])
def test_what_was_stored_is_there_for_other_calls(stage: Stage, call: str) -> None:
    ctx = stage.ctx
    total, other = stage.buffer(np.zeros(1, "u4")), stage.buffer(np.zeros(1, "u4"))
    stage.fragment(COUNT)
    ctx.set_shader_buffers("FRAGMENT", [total])
    stage.cover()
    expected = SIZE * SIZE
    if call == "copy":
        ctx.resource_copy_region(other, total, src_box=(0, 0, 0, 4, 1, 1))
        assert stage.words(other)[0] == expected
    elif call == "grid":
        ctx.set_shader_buffers("COMPUTE", [total])
        ctx.bind_compute_state(ctx.create_compute_state(COUNT.replace("FRAG", "COMP")))
        ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1))
        expected += 1
    elif call != "map":
        getattr(ctx, call)()
        assert total.storage[:4].view(np.uint32)[0] == expected
    assert stage.words(total)[0] == expected


def test_a_target_that_is_also_an_image_has_the_color_at_last(many: Stage) -> None:
    """The store goes to the neighboring pixel, across the border of tiles, too. The color is written after the store."""
    ctx = many.ctx
    many.fragment(STORE)
    ctx.set_constant_buffer("FRAGMENT", RED)
    ctx.set_shader_images("FRAGMENT", [many.color])
    many.cover()
    assert (many.pixels(many.color) == (255, 0, 0, 255)).all()
    many.fragment(STORE.replace("DCL OUT[0], COLOR\n", "").replace("MOV OUT[0], CONST[0]\n", ""))
    ctx.clear("COLOR", color=(0, 1, 0, 1))
    ctx.set_constant_buffer("FRAGMENT", BLUE)
    many.cover(right=0.0)
    found = many.pixels(many.color)
    assert (found[:, : SIZE // 2] == (0, 0, 255, 255)).all()
    assert (found[:, SIZE // 2 :] == (0, 255, 0, 255)).all()


# -- counters, sizes, bounds -------------------------------------------------------------------------------------------
def test_counters_belong_to_all_stages(stage: Stage) -> None:
    ctx, counters = stage.ctx, stage.buffer(np.zeros(4, "u4"))
    text = (
        "FRAG\nDCL HWATOMIC[0][1]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 1, 0, 0}\n"
        "ATOMUADD TEMP[0].x, HWATOMIC[0][1], IMM[0].xxxx, IMM[0].yyyy\nEND\n"
    )
    stage.fragment(text)
    ctx.set_hw_atomic_buffers([counters])
    stage.cover()
    ctx.bind_compute_state(ctx.create_compute_state(text.replace("FRAG", "COMP")))
    ctx.launch_grid(block=(1, 1, 1), grid=(3, 1, 1))
    assert stage.words(counters).tolist() == [0, SIZE * SIZE + 3, 0, 0]


@pytest.mark.parametrize("samples", [0, 2, 8])
@pytest.mark.parametrize("shading", ["", "DCL SV[0], SAMPLEID\nDCL OUT[1], COLOR[1]\nMOV OUT[1], SV[0].xxxx\n"], ids=["pixels", "samples"])
def test_each_fragment_stores_the_result_of_its_own_atomic(screen: g.Screen, ctx: g.Context, samples: int, shading: str) -> None:
    """Thin triangles are shaded in blocks of quads that they do not fill."""
    stage = Stage(screen, ctx)
    color = screen.resource_create(width0=256, height0=256, nr_samples=samples, format="R32_UINT", bind="RENDER_TARGET")
    ctx.set_framebuffer_state(cbufs=[color])
    ctx.set_viewport_states([g.ViewportState((128, 128, 0.5), (128, 128, 0.5))])
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(multisample=bool(samples), half_pixel_center=True))
    stage.fragment(
        "FRAG\nDCL HWATOMIC[0][0]\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] UINT32 {0, 1, 0, 0}\n"
        + shading
        + "ATOMUADD TEMP[0].x, HWATOMIC[0][0], IMM[0].xxxx, IMM[0].yyyy\nUADD OUT[0].x, TEMP[0].xxxx, IMM[0].yyyy\nEND\n"
    )
    counters = stage.buffer(np.zeros(4, "u4"))
    ctx.set_hw_atomic_buffers([counters])
    angles = np.linspace(0, 2 * np.pi, 201)
    vertices = np.concatenate([[[0.013, 0.017]], 0.99 * np.stack([np.cos(angles), np.sin(angles)], 1)])
    ctx.set_vertex_buffers([np.concatenate([vertices, np.ones_like(vertices)], 1).astype("f4")])
    ctx.draw_vbo(mode="TRIANGLE_FAN", count=len(vertices))
    ctx.flush()
    found = np.concatenate([np.array(color.blocks(0, k)[0]).reshape(-1).view("u4") for k in range(max(samples, 1))])
    numbers, counts = np.unique(found[found != 0], return_counts=True)
    most = 1 if not samples or shading else samples
    assert counts.max() <= most
    assert stage.words(counters)[0] == numbers[-1] == len(numbers)


def test_addresses_outside_are_harmless(stage: Stage) -> None:
    ctx, small = stage.ctx, stage.buffer(np.arange(1, 5, dtype="u4"))
    stage.fragment(
        "FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0..3]\nDCL IMAGE[0], 2D, WR\nDCL TEMP[0..2]\nIMM[0] UINT32 {16, 4294967292, 7, 0}\n"
        "IMM[1] FLT32 {1.0, 1.0, 1.0, 1.0}\nSTORE BUFFER[0], IMM[0].xxxx, IMM[0]\nSTORE BUFFER[0].x, IMM[0].yyyy, IMM[0]\n"
        "STORE BUFFER[1], IMM[0].wwww, IMM[0]\nATOMXCHG TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].zzzz\n"
        "LOAD TEMP[1], BUFFER[3], IMM[0].wwww\nSTORE IMAGE[0], IMM[0], IMM[1], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\n"
        "STORE IMAGE[0], IMM[0].yyyy, IMM[1], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\nOR TEMP[0].x, TEMP[0].xxxx, TEMP[1].xxxx\n"
        "U2F TEMP[0].x, TEMP[0].xxxx\nADD OUT[0], TEMP[0].xxxx, IMM[1]\nEND\n"
    )
    ctx.set_shader_buffers("FRAGMENT", [small, g.ShaderBuffer(small, 8, 0)])
    stage.cover()
    assert stage.words(small).tolist() == [1, 2, 3, 4]
    assert (stage.pixels(stage.color) == 255).all()


def test_sizes_are_those_of_what_is_bound(stage: Stage) -> None:
    ctx = stage.ctx
    stage.fragment(
        "FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0..1]\nDCL IMAGE[0], 2D, WR\nDCL TEMP[0..1]\nIMM[0] FLT32 {0.00392156886, 0.0, 0.0, 0.0}\n"
        "RESQ TEMP[0].x, BUFFER[0]\nRESQ TEMP[1].x, BUFFER[1]\nUADD TEMP[0].x, TEMP[0].xxxx, TEMP[1].xxxx\n"
        "RESQ TEMP[1], IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\nMOV TEMP[0].yzw, TEMP[1].xxyw\nU2F TEMP[0], TEMP[0]\n"
        "MUL OUT[0], TEMP[0], IMM[0].xxxx\nEND\n"
    )
    ctx.set_shader_buffers("FRAGMENT", [g.ShaderBuffer(stage.buffer(np.zeros(50, "u4")), 40, 80)])
    ctx.set_shader_images("FRAGMENT", [stage.screen.resource_create(width0=9, height0=5)])
    stage.cover()
    assert stage.pixels(stage.color)[3, 3].tolist() == [80, 9, 5, 1]


def test_vertices_load_from_buffers_and_images(stage: Stage) -> None:
    ctx = stage.ctx
    corners = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], "f4")
    ctx.bind_vs_state(
        ctx.create_vs_state(
            "VERT\nDCL SV[0], VERTEXID\nDCL OUT[0], POSITION\nDCL BUFFER[0]\nDCL TEMP[0..1]\n"
            "DCL IMAGE[1], 1D, PIPE_FORMAT_R32G32B32A32_FLOAT\n"
            "IMM[0] UINT32 {16, 0, 0, 0}\nUMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\nLOAD TEMP[1], BUFFER[0], TEMP[0].xxxx\n"
            "MOV TEMP[0].x, SV[0].xxxx\nLOAD TEMP[0], IMAGE[1], TEMP[0], 1D, PIPE_FORMAT_R32G32B32A32_FLOAT\n"
            "ADD OUT[0], TEMP[0], TEMP[1]\nEND\n"
        )
    )
    moved = stage.screen.resource_create(target="TEXTURE_1D", format="R32G32B32A32_FLOAT", width0=3)
    ctx.set_shader_buffers("VERTEX", [stage.buffer(corners)])
    ctx.set_shader_images("VERTEX", [moved], start=1)
    stage.fragment("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n")
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    assert (stage.pixels(stage.color) == 255).all()


def test_framebuffers_without_attachments_draw_for_effects(stage: Stage) -> None:
    ctx, total = stage.ctx, stage.buffer(np.zeros(1, "u4"))
    stage.fragment(COUNT)
    ctx.set_shader_buffers("FRAGMENT", [total])
    ctx.set_framebuffer_state(width=100, height=70)
    ctx.set_viewport_states([g.ViewportState((50, 35, 0.5), (50, 35, 0.5))])
    stage.cover()
    assert stage.words(total)[0] == 7000


def test_memory_of_the_caller_shows_what_was_stored(stage: Stage) -> None:
    ctx, mine = stage.ctx, np.zeros(2, "u4")
    total = stage.screen.resource_from_user_memory(mine)
    stage.fragment(COUNT)
    ctx.set_shader_buffers("FRAGMENT", [total])
    stage.cover()
    ctx.flush()
    assert mine.tolist() == [SIZE * SIZE, 0]


def test_bindings_are_those_of_the_time_of_the_draw(stage: Stage) -> None:
    ctx, first, second = stage.ctx, stage.buffer(np.zeros(1, "u4")), stage.buffer(np.zeros(1, "u4"))
    stage.fragment(COUNT)
    for target in (first, second, second):
        ctx.set_shader_buffers("FRAGMENT", [target])
        stage.cover()
    ctx.set_shader_buffers("FRAGMENT", [None])
    stage.cover()
    assert (stage.words(first)[0], stage.words(second)[0]) == (SIZE * SIZE, 2 * SIZE * SIZE)


Bind = Callable[[g.Context, Any], None]


@pytest.mark.parametrize(
    "bind",
    [
        lambda ctx, what: ctx.set_shader_buffers("FRAGMENT", [what], start=31),
        lambda ctx, what: ctx.set_shader_buffers("VERTEX", [None, what], start=30),
        lambda ctx, what: ctx.set_hw_atomic_buffers([what]),
    ],
)
def test_what_is_wrong_is_refused(stage: Stage, bind: Bind) -> None:
    bind(stage.ctx, stage.buffer(np.zeros(1, "u4")))
    for wrong in (3, stage.color, "BUFFER", g.ShaderBuffer(stage.buffer(np.zeros(1, "u4")), 8)):
        with pytest.raises((TypeError, ValueError)):
            bind(stage.ctx, wrong)
    with pytest.raises(ValueError, match="slot 32 does not exist"):
        stage.ctx.set_shader_images("FRAGMENT", [None, None], start=31)


def test_emptying_slots_that_hold_nothing_is_not_a_change_of_memory() -> None:
    with g.Screen(0) as screen, screen.context_create() as ctx:
        buffer = screen.resource_create(target="BUFFER", width0=64)
        for stage in ("VERTEX", "FRAGMENT"):
            ctx.set_shader_buffers(stage, [None] * 8)
            ctx.set_shader_images(stage, [None] * 8)
        ctx.set_hw_atomic_buffers([None])
        assert ctx.state.memory is None
        ctx.set_shader_buffers("FRAGMENT", [None, buffer])
        bound = ctx.state.memory
        assert bound is not None
        ctx.set_shader_buffers("FRAGMENT", [None])
        assert ctx.state.memory is bound
        ctx.set_shader_buffers("FRAGMENT", [None, None])
        assert ctx.state.memory is not bound


def test_draws_that_reach_no_memory_do_not_look_at_targets_because_some_is_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    with g.Screen(0) as screen, screen.context_create() as ctx:
        stage = Stage(screen, ctx)
        ctx.set_shader_buffers("FRAGMENT", [stage.buffer(np.zeros(4, np.uint32))])
        stage.fragment("FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND\n")
        ctx.set_constant_buffer("FRAGMENT", RED)
        ctx.set_vertex_buffers([np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], "f4")])
        monkeypatch.setattr(type(ctx.device), "_written", lambda _: pytest.fail("targets were looked at"))
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        monkeypatch.undo()
        ctx.flush()
