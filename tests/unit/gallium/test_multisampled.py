"""Multisampled resources through the context: drawing, resolving, copying, mapping, sampling and counting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.device.resolve_job import resolved
from backends.formats import Format
from backends.gallium.resource.format_support import supported_binds
from backends.pipe.enums import Bind, TextureTarget
from backends.run.textures import STANDARD_POSITIONS
from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE = 70  # more than a tile
VS = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n"
QUAD = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1], [1, 1, 0, 1]], "f4")
WHOLE = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], "f4")
SLANTED = np.array([[-1, -1, 0, 1], [0.93, -0.97, 0, 1], [-0.95, 0.91, 0, 1]], "f4")  # up to x + y = -0.04
COLORS = [f for f in Format if supported_binds(f, TextureTarget.TEXTURE_2D) & Bind.RENDER_TARGET]


class Bench:
    """Context with a multisampled target of one color and, if requested, depth."""

    def __init__(self, screen: g.Screen, samples: int, format: str = "R8G8B8A8_UNORM", depth: str | None = None) -> None:
        self.screen, self.ctx, self.samples = screen, screen.context_create(), samples
        self.color = self.make(format, samples, "RENDER_TARGET|SAMPLER_VIEW")
        self.depth = self.make(depth, samples, "DEPTH_STENCIL|SAMPLER_VIEW") if depth else None
        self.ctx.set_framebuffer_state(cbufs=[self.color], zsbuf=self.depth)
        self.ctx.set_viewport_states([{"scale": (SIZE / 2, SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}])
        self.ctx.bind_rasterizer_state(self.ctx.create_rasterizer_state(multisample=True))
        self.ctx.bind_vs_state(self.ctx.create_vs_state(VS))
        self.ctx.bind_vertex_elements_state(self.ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", 0)]))

    def make(self, format: str, samples: int = 0, bind: str | None = None) -> g.Resource:
        return self.screen.resource_create(format=format, width0=SIZE, height0=SIZE, nr_samples=samples, bind=bind)

    def draw(self, fs: str, vertices: NDArray[np.float32] = QUAD) -> None:
        self.ctx.bind_fs_state(self.ctx.create_fs_state("FRAG\n" + fs + "END\n"))
        self.ctx.set_vertex_buffers([vertices])
        self.ctx.draw_vbo(mode="TRIANGLE_STRIP", count=len(vertices))

    def planes(self, resource: g.Resource | None = None) -> list[NDArray[np.uint8]]:
        self.ctx.flush()
        seen = resource or self.color
        return [np.array(seen.blocks(0, k)[0]) for k in range(seen.samples)]


def noise(resource: g.Resource, seed: int = 0) -> list[NDArray[np.uint8]]:
    """Fill every sample with random bytes. Returns the planes."""
    rng = np.random.default_rng(seed)
    for k in range(resource.samples):
        view = resource.blocks(0, k)
        view[...] = rng.integers(0, 256, view.shape, np.uint8)
    return [np.array(resource.blocks(0, k)) for k in range(resource.samples)]


# -- resources -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("count", [1, 2, 4, 8, 16])
def test_samples_lie_at_the_standard_positions(screen: g.Screen, count: int) -> None:
    with screen.context_create() as ctx:
        found = [ctx.get_sample_position(count, k) for k in range(count)]
    assert found == [(x / 16, y / 16) for x, y in STANDARD_POSITIONS.get(count, ((8, 8),))]


def test_positions_of_samples_that_do_not_exist_are_refused(screen: g.Screen) -> None:
    with screen.context_create() as ctx:
        with pytest.raises(ValueError, match=r"sample_count: 3 is not one of 0, 1, 2, 4, 8, 16"):
            ctx.get_sample_position(3, 0)
        with pytest.raises(ValueError, match="sample_index"):
            ctx.get_sample_position(4, 4)


def test_targets_of_different_counts_do_not_go_together(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    with pytest.raises(ValueError, match="targets of 2 and 4 samples"):
        bench.ctx.set_framebuffer_state(cbufs=[bench.color, bench.make("R8_UNORM", 2, "RENDER_TARGET")])


def test_every_format_that_is_rendered_to_can_have_samples(screen: g.Screen) -> None:
    for format in Format:
        for bind in ("RENDER_TARGET", "DEPTH_STENCIL"):
            one = screen.is_format_supported(format, bind=bind)
            assert screen.is_format_supported(format, bind=bind, sample_count=8) == one, format


# -- resolving -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("format", [f.name for f in COLORS])
def test_kernels_and_arrays_resolve_to_the_same_bytes(screen: g.Screen, format: str) -> None:
    bench = Bench(screen, 4, format)
    source, out = bench.color, bench.make(format)
    planes = noise(source)
    out.blocks()[...] = 9
    bench.ctx.blit(out, src=source, src_box=(3, 5, 61, 64), dst_box=(3, 5, 61, 64))
    bench.ctx.flush()
    expected = np.full_like(out.blocks(), 9)
    expected[:, 5:69, 3:64] = resolved([p[:, 5:69, 3:64] for p in planes], Format[format])
    np.testing.assert_array_equal(out.blocks(), expected)


@pytest.mark.parametrize("samples", [2, 4, 8, 16])
def test_bytes_are_averaged_halves_up(screen: g.Screen, samples: int) -> None:
    bench = Bench(screen, samples)
    planes, out = noise(bench.color), bench.make("R8G8B8A8_UNORM")
    bench.ctx.blit(out, src=bench.color)
    bench.ctx.flush()
    np.testing.assert_array_equal(out.blocks(), np.floor(np.mean(planes, 0) + 0.5))


def test_floats_are_averaged_in_the_order_of_samples(screen: g.Screen) -> None:
    bench, rng = Bench(screen, 4, "R32G32B32A32_FLOAT"), np.random.default_rng(3)
    values = rng.normal(0, 1e3, (4, SIZE, SIZE, 4)).astype("f4")
    for k in range(4):
        bench.color.blocks(0, k)[0] = values[k].view("u1")
    out = bench.make("R32G32B32A32_FLOAT")
    bench.ctx.blit(out, src=bench.color)
    bench.ctx.flush()
    expected = (((values[0] + values[1]) + values[2]) + values[3]) * np.float32(0.25)
    np.testing.assert_array_equal(out.texels()[0], expected)


@pytest.mark.parametrize("format", ["R8G8B8A8_SRGB", "B8G8R8X8_SRGB", "R8G8B8A8_SNORM", "R8G8_UNORM", "R8_SRGB"])
def test_large_pictures_resolve_as_their_parts_do(format: str) -> None:
    rng, size = np.random.default_rng(7), Format[format].block_bytes
    first = rng.integers(0, 256, (200, 200, size), "u1")
    planes = [np.where(rng.random((200, 200, 1)) < 0.1, rng.integers(0, 256, first.shape, "u1"), first) for _ in range(4)]
    rows = [resolved([plane[y] for plane in planes], Format[format]) for y in range(200)]
    np.testing.assert_array_equal(resolved(planes, Format[format]), np.stack(rows))


@pytest.mark.parametrize("format", ["R8G8B8A8_UINT", "R16_SINT", "Z24_UNORM_S8_UINT", "Z32_FLOAT", "S8_UINT"])
def test_of_integers_depth_and_stencil_sample_0_counts(screen: g.Screen, format: str) -> None:
    with screen.context_create() as ctx:
        source = screen.resource_create(format=format, width0=9, height0=9, nr_samples=4)
        out = screen.resource_create(format=format, width0=9, height0=9)
        planes = noise(source)
        ctx.blit(out, src=source)
        np.testing.assert_array_equal(out.blocks(), planes[0])


def test_a_resolve_can_mirror_rows_and_move(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    planes, out = noise(bench.color), bench.make("R8G8B8A8_UNORM")
    bench.ctx.blit(out, src=bench.color, src_box=(2, 60, 40, -30), dst_box=(11, 7, 40, 30))
    bench.ctx.flush()
    whole = resolved(planes, Format.R8G8B8A8_UNORM)
    np.testing.assert_array_equal(out.blocks()[:, 7:37, 11:51], whole[:, 30:60, 2:42][:, ::-1])
    assert not out.blocks()[:, 37:].any()


def test_a_resolve_can_scale_and_convert(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    planes, out = noise(bench.color), screen.resource_create(format="B8G8R8A8_UNORM", width0=SIZE // 2, height0=SIZE // 2)
    bench.ctx.blit(out, src=bench.color)
    whole = resolved(planes, Format.R8G8B8A8_UNORM)
    np.testing.assert_array_equal(out.blocks(), whole[:, 1::2, 1::2][..., [2, 1, 0, 3]])


@pytest.mark.parametrize("format", ["B8G8R8A8_UNORM", "R8G8B8A8_SRGB", "B8G8R8X8_UNORM"])
def test_a_resolve_can_be_cut_masked_and_seen_as_another_format(screen: g.Screen, format: str) -> None:
    bench = Bench(screen, 4)
    planes, out = noise(bench.color), bench.make(format)
    plain, expected = bench.make("R8G8B8A8_UNORM"), bench.make(format)
    seen = "R8G8B8A8_SRGB" if format.endswith("SRGB") else "R8G8B8A8_UNORM"
    plain.blocks()[...] = resolved(planes, Format[seen])
    cut = {"minx": 7, "miny": 2, "maxx": 60, "maxy": 66}
    for source, target in ((bench.color, out), (plain, expected)):
        bench.ctx.blit(target, src=source, src_format=seen, mask="RGA", scissor=cut)
    np.testing.assert_array_equal(out.blocks(), expected.blocks())
    assert out.blocks()[0, 5, 10].any()
    assert not out.blocks()[0, 5, 5].any()


def test_resolves_come_between_the_draws_around_them(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    first, second = bench.make("R8G8B8A8_UNORM"), bench.make("R8G8B8A8_UNORM")
    bench.ctx.clear("COLOR0", color=(0, 0, 0, 0))
    bench.draw("DCL OUT[0], COLOR\nIMM[0] FLT32 {1, 0, 0, 1}\nMOV OUT[0], IMM[0]\n")
    bench.ctx.blit(first, src=bench.color)
    bench.draw("DCL OUT[0], COLOR\nIMM[0] FLT32 {0, 1, 0, 1}\nMOV OUT[0], IMM[0]\n")
    bench.ctx.blit(second, src=bench.color)
    bench.ctx.clear("COLOR0", color=(0, 0, 1, 1))
    bench.ctx.flush()
    assert (first.texels()[0] == (255, 0, 0, 255)).all()
    assert (second.texels()[0] == (0, 255, 0, 255)).all()
    assert (bench.planes()[3] == (0, 0, 255, 255)).all()


def test_what_was_resolved_can_be_mapped_and_drawn_with_at_once(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    shown = bench.make("R8G8B8A8_UNORM")
    bench.ctx.clear("COLOR0", color=(1, 0, 1, 1))
    bench.ctx.blit(shown, src=bench.color)
    with bench.ctx.transfer_map(shown, usage="READ") as mapped:
        assert (mapped.data == (255, 0, 255, 255)).all()
    bench.ctx.clear("COLOR0", color=(0, 1, 1, 1))
    bench.ctx.blit(shown, src=bench.color)
    bench.ctx.set_sampler_views("FRAGMENT", [bench.ctx.create_sampler_view(shown)])
    bench.ctx.bind_sampler_states("FRAGMENT", [bench.ctx.create_sampler_state()])
    bench.draw("DCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nIMM[0] FLT32 {0.5, 0.5, 0, 0}\nTEX OUT[0], IMM[0], SAMP[0], 2D\n")
    assert all((plane == (0, 255, 255, 255)).all() for plane in bench.planes())


# -- copies --------------------------------------------------------------------------------------------------------------
def test_copies_go_sample_by_sample_and_uploads_to_all(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    planes, other, one = noise(bench.color), bench.make("R8G8B8A8_UNORM", 4), bench.make("R8G8B8A8_UNORM")
    bench.ctx.resource_copy_region(other, bench.color, dstx=4, dsty=6, src_box=(1, 2, 20, 30))
    for k in range(4):
        np.testing.assert_array_equal(other.blocks(0, k)[:, 6:36, 4:24], planes[k][:, 2:32, 1:21])
    bench.ctx.blit(other, src=bench.color)
    assert all((other.blocks(0, k) == planes[k]).all() for k in range(4))
    bench.ctx.blit(bench.color, src=one, scissor={"minx": 3, "miny": 0, "maxx": 9, "maxy": 70})
    for k in range(4):
        assert not bench.color.blocks(0, k)[:, :, 3:9].any()
        np.testing.assert_array_equal(bench.color.blocks(0, k)[:, :, 9:], planes[k][:, :, 9:])
    with pytest.raises(ValueError, match="it has 1 samples, dst 4; use blit"):
        bench.ctx.resource_copy_region(other, one)
    with pytest.raises(ValueError, match="4 samples cannot become 2"):
        bench.ctx.blit(bench.make("R8G8B8A8_UNORM", 2), src=other)


def test_a_mapping_shows_resolved_texels_and_writes_every_sample(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    planes = noise(bench.color)
    with bench.ctx.transfer_map(bench.color, box=(3, 4, 20, 10)) as mapped:
        np.testing.assert_array_equal(mapped.data, resolved(planes, Format.R8G8B8A8_UNORM)[0, 4:14, 3:23])
        mapped.data[...] = 77
    for k in range(4):
        plane = bench.color.blocks(0, k)
        assert (plane[:, 4:14, 3:23] == 77).all()
        np.testing.assert_array_equal(plane[:, 14:], planes[k][:, 14:])
    bench.ctx.texture_subdata(bench.color, np.full((2, 2, 4), 5, "u1"), box=(0, 0, 2, 2))
    assert all((plane[:2, :2] == 5).all() for plane in bench.planes())


def test_clears_of_rectangles_reach_every_sample(screen: g.Screen) -> None:
    bench = Bench(screen, 4, depth="Z24_UNORM_S8_UINT")
    bench.ctx.clear_render_target(bench.color, color=(1, 1, 1, 1), x=2, y=3, width=5, height=6)
    assert bench.depth is not None
    bench.ctx.clear_depth_stencil(bench.depth, depth=1.0, stencil=7, x=1, y=1, width=4, height=4)
    assert all((plane[3:9, 2:7] == 255).all() and not plane[9:].any() for plane in bench.planes())
    assert all((plane[1:5, 1:5] == (255, 255, 255, 7)).all() and not plane[5:].any() for plane in bench.planes(bench.depth))
    bench.ctx.clear_texture(bench.color, b"\1\2\3\4", box=(0, 0, 1, 1))
    assert all((plane[0, 0] == (1, 2, 3, 4)).all() for plane in bench.planes())


# -- shading -------------------------------------------------------------------------------------------------------------
WHITE = "DCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\n"


def test_the_sample_mask_and_the_written_one_choose_samples(screen: g.Screen) -> None:
    bench = Bench(screen, 8)
    bench.ctx.clear("COLOR0")
    bench.ctx.set_sample_mask(0b11010110)
    bench.draw(WHITE + "DCL OUT[1], SAMPLEMASK\nIMM[1] INT32 {116, 0, 0, 0}\nMOV OUT[1].x, IMM[1]\n")
    assert [bool(plane.any()) for plane in bench.planes()] == [bool(0b11010110 & 116 & 1 << k) for k in range(8)]


def test_alpha_covers_as_many_samples_as_are_nearest(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    bench.ctx.bind_blend_state(bench.ctx.create_blend_state(alpha_to_coverage=True, alpha_to_one=True))
    bench.ctx.clear("COLOR0")
    ramp = "DCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.5, 0.5, 0.5, 0.5}\nMAD OUT[0], IN[0].xxxx, IMM[0], IMM[0]\n"
    bench.draw(ramp)
    planes = bench.planes()
    count = sum((p[..., 3] == 255).astype(int) for p in planes)
    alpha = (np.arange(SIZE) + 0.5) / SIZE
    np.testing.assert_array_equal(count, np.broadcast_to(np.floor(alpha * 4 + 0.5), (SIZE, SIZE)))
    assert all(set(np.unique(p[..., 3])) == {0, 255} for p in planes)


def test_a_program_that_asks_for_its_sample_runs_for_each(screen: g.Screen) -> None:
    bench = Bench(screen, 4, "R32G32B32A32_FLOAT")
    bench.draw("DCL SV[0], SAMPLEID\nDCL SV[1], SAMPLEPOS\nDCL OUT[0], COLOR\nI2F OUT[0].x, SV[0].xxxx\nMOV OUT[0].yz, SV[1].xxyy\n")
    for k, plane in enumerate(bench.planes()):
        x, y = STANDARD_POSITIONS[4][k]
        assert (plane.view("f4")[..., :3] == (k, x / 16, y / 16)).all()


@pytest.mark.parametrize(
    ("declared", "state", "samples_run", "moves"),
    [
        ("", {}, 0, False),
        ("", {}, 4, False),
        (", SAMPLE", {}, 0, True),
        ("", {"force_persample_interp": True}, 0, True),
        (", SAMPLE", {"multisample": False}, 4, False),
        (", CENTROID", {}, 0, False),
    ],
)
def test_inputs_are_those_of_their_location(screen: g.Screen, declared: str, state: dict[str, bool], samples_run: int, moves: bool) -> None:
    bench = Bench(screen, 4, "R32G32B32A32_FLOAT")
    bench.ctx.bind_rasterizer_state(bench.ctx.create_rasterizer_state(**({"multisample": True} | state)))
    bench.ctx.set_min_samples(samples_run)
    bench.draw(f"DCL IN[0], GENERIC[0], LINEAR{declared}\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\n", WHOLE)
    for k, plane in enumerate(bench.planes()):
        x, y = STANDARD_POSITIONS[4][k] if moves else (8, 8)
        found = (plane.view("f4")[..., :2] + 1) * (SIZE / 2)
        columns, rows = np.meshgrid(np.arange(SIZE), np.arange(SIZE))
        np.testing.assert_allclose(found, np.stack([columns + x / 16, rows + y / 16], -1), atol=1e-4)


def test_centroids_lie_in_the_primitive(screen: g.Screen) -> None:
    bench = Bench(screen, 4, "R32G32B32A32_FLOAT")
    bench.ctx.clear("COLOR0", color=(0.5, 0.5, 0.5, 0.5))
    for declared, outside in (("CENTROID", False), ("CENTER", True)):
        bench.draw(f"DCL IN[0], GENERIC[0], LINEAR, {declared}\nDCL OUT[0], COLOR\nADD OUT[0], IN[0].xxxx, IN[0].yyyy\n", SLANTED)
        values = np.stack([p.view("f4")[..., 0] for p in bench.planes()])
        drawn = values[values != 0.5]
        assert (drawn.max() > -0.0399) == outside


def test_the_mask_that_is_read_is_what_is_covered(screen: g.Screen) -> None:
    bench = Bench(screen, 4, "R32G32B32A32_FLOAT")
    bench.ctx.clear("COLOR0")
    bench.draw("DCL SV[0], SAMPLEMASK\nDCL OUT[0], COLOR\nU2F OUT[0], SV[0].xxxx\n", SLANTED)
    planes = np.stack([p.view("f4")[..., 0] for p in bench.planes()])
    expected = sum((planes[k] != 0).astype(int) << k for k in range(4))
    assert len(np.unique(expected)) > 6
    for k in range(4):
        np.testing.assert_array_equal(planes[k], np.where(planes[k] != 0, expected, 0))


def test_without_multisample_rules_the_mask_that_is_read_is_1(screen: g.Screen) -> None:
    bench = Bench(screen, 4, "R32G32B32A32_FLOAT")
    bench.ctx.bind_rasterizer_state(bench.ctx.create_rasterizer_state(multisample=False))
    bench.ctx.clear("COLOR0")
    bench.draw("DCL SV[0], SAMPLEMASK\nDCL OUT[0], COLOR\nU2F OUT[0], SV[0].xxxx\n")
    assert all((plane.view("f4") == 1).all() for plane in bench.planes())


def test_depth_is_that_of_each_sample(screen: g.Screen) -> None:
    bench = Bench(screen, 4, depth="Z32_FLOAT")
    assert bench.depth is not None
    depth = {"enabled": True, "writemask": True, "func": "ALWAYS"}
    bench.ctx.bind_depth_stencil_alpha_state(bench.ctx.create_depth_stencil_alpha_state(depth=depth))
    sloped = QUAD.copy()
    sloped[:, 2] = sloped[:, 0] * 0.5 + sloped[:, 1] * 0.25
    bench.draw(WHITE, sloped)
    columns, rows = np.meshgrid(np.arange(SIZE), np.arange(SIZE))
    for (x, y), plane in zip(STANDARD_POSITIONS[4], bench.planes(bench.depth)):
        at_x, at_y = (v * 2 / SIZE - 1 for v in (columns + x / 16, rows + y / 16))
        np.testing.assert_allclose(plane.view("f4")[..., 0], at_x * 0.25 + at_y * 0.125 + 0.5, atol=1e-6)


def test_queries_count_samples(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    bench.ctx.clear("COLOR0")
    query = bench.ctx.create_query("OCCLUSION_COUNTER")
    statistics = bench.ctx.create_query("PIPELINE_STATISTICS")
    bench.ctx.begin_query(query)
    bench.ctx.begin_query(statistics)
    bench.draw(WHITE, SLANTED)
    bench.ctx.end_query(query)
    bench.ctx.end_query(statistics)
    covered = np.stack([p.any(-1) for p in bench.planes()])
    assert bench.ctx.get_query_result(query) == covered.sum()
    counted = bench.ctx.get_query_result(statistics)
    assert isinstance(counted, tuple)
    assert counted[7] == covered.any(0).sum()


def test_programs_fetch_what_their_sample_holds(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    bench.ctx.clear("COLOR0", color=(0.2, 0.4, 0.6, 0.8))
    bench.draw(WHITE, SLANTED)
    before = bench.planes()
    assert len({p.tobytes() for p in before}) == 4
    invert = "DCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {1, 1, 1, 1}\nFBFETCH TEMP[0], OUT[0]\nADD OUT[0], IMM[0], -TEMP[0]\n"
    for multisample in (True, False):
        bench.ctx.bind_rasterizer_state(bench.ctx.create_rasterizer_state(multisample=multisample))
        bench.draw(invert, WHOLE)
        for old, new in zip(before, bench.planes()):
            np.testing.assert_array_equal(new, 255 - old if multisample else old)


@pytest.mark.parametrize("cap", ["TEXTURE_MULTISAMPLE", "SAMPLE_SHADING", "MULTISAMPLE_Z_RESOLVE", "FORCE_PERSAMPLE_INTERP"])
def test_the_screen_says_what_it_can_do_with_samples(screen: g.Screen, cap: str) -> None:
    assert screen.get_param(cap) == 1


# -- textures ------------------------------------------------------------------------------------------------------------
def test_samples_are_fetched_one_by_one(screen: g.Screen) -> None:
    bench, out = Bench(screen, 4), Bench(screen, 1, "R8G8B8A8_UNORM")
    planes = noise(bench.color)
    texture = bench.color
    ctx = out.ctx
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
    for k in range(5):
        ctx.clear("COLOR0", color=(1, 1, 1, 1))
        out.draw(
            "DCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D_MSAA, FLOAT\nDCL TEMP[0]\n"
            f"IMM[0] INT32 {{{k}, 0, 0, 0}}\nF2I TEMP[0], IN[0]\nMOV TEMP[0].w, IMM[0].xxxx\nTXF OUT[0], TEMP[0], SAMP[0], 2D_MSAA\n"
        )
        np.testing.assert_array_equal(out.planes()[0], planes[k][0] if k < 4 else np.zeros_like(planes[0][0]))


@pytest.mark.parametrize("samples", [1, 2, 4, 8, 16])
def test_programs_are_told_how_many_samples_there_are_and_where(screen: g.Screen, samples: int) -> None:
    bench = Bench(screen, samples, "R32G32B32A32_FLOAT")
    other = bench.make("R8_UNORM", samples)
    bench.ctx.set_sampler_views("FRAGMENT", [bench.ctx.create_sampler_view(other)])
    bench.ctx.bind_sampler_states("FRAGMENT", [bench.ctx.create_sampler_state()])
    bench.draw(
        "DCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D_MSAA, FLOAT\nDCL TEMP[0..1]\n"
        f"IMM[0] INT32 {{{samples - 1}, 0, 0, 0}}\nTXQS TEMP[0].x, SAMP[0], 2D_MSAA\nI2F OUT[0].x, TEMP[0].xxxx\n"
        "SAMPLE_POS TEMP[1], SVIEW[0], IMM[0].xxxx\nMOV OUT[0].yz, TEMP[1].xxyy\n"
    )
    x, y = STANDARD_POSITIONS.get(samples, ((8, 8),))[-1]
    assert (bench.planes()[0].view("f4")[..., :3] == (samples, x / 16, y / 16)).all()


def test_layers_have_samples_of_their_own(screen: g.Screen) -> None:
    bench = Bench(screen, 4)
    layers = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=SIZE, height0=SIZE, array_size=3, nr_samples=4)
    depth = screen.resource_create(
        target="TEXTURE_2D_ARRAY", format="Z24X8_UNORM", width0=SIZE, height0=SIZE, array_size=3, nr_samples=4, bind="DEPTH_STENCIL"
    )
    ctx = bench.ctx
    ctx.set_framebuffer_state(cbufs=[layers], zsbuf=depth)
    less = {"enabled": True, "writemask": True, "func": "LESS"}
    ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(depth=less))
    ctx.clear(color=(0, 0, 0, 0), depth=1.0)
    ctx.bind_vs_state(
        ctx.create_vs_state(
            "VERT\nDCL IN[0]\nDCL SV[0], INSTANCEID\nDCL OUT[0], POSITION\nDCL OUT[1], LAYER\nDCL OUT[2], GENERIC[0]\nDCL TEMP[0]\n"
            "IMM[0] INT32 {1, 0, 0, 0}\nIMM[1] FLT32 {0.3, 0.5, 0, 1}\nMOV OUT[0], IN[0]\nUADD OUT[1].x, SV[0].xxxx, IMM[0].xxxx\n"
            "U2F TEMP[0].x, SV[0].xxxx\nMAD OUT[2], TEMP[0].xxxx, IMM[1].xxxx, IMM[1].yyyy\nEND\n"
        )
    )
    ctx.bind_fs_state(ctx.create_fs_state("FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"))
    ctx.set_vertex_buffers([SLANTED])
    ctx.draw_vbo(mode="TRIANGLES", count=3, instance_count=2)
    out = bench.make("R8G8B8A8_UNORM")
    ctx.blit(out, src=layers, src_box=(0, 0, 2, SIZE, SIZE, 1), dst_box=(0, 0, 0, SIZE, SIZE, 1))
    ctx.flush()
    planes = [layers.blocks(0, k) for k in range(4)]
    for layer, value in ((0, 0), (1, 128), (2, 204)):
        assert {int(v) for p in planes for v in np.unique(p[layer])} == {0, value}
    assert not (planes[0] == planes[1]).all()
    np.testing.assert_array_equal(out.blocks()[0], resolved([p[2] for p in planes], Format.R8G8B8A8_UNORM))
    other = Bench(screen, 1)
    other.ctx.set_sampler_views("FRAGMENT", [other.ctx.create_sampler_view(layers)])
    other.ctx.bind_sampler_states("FRAGMENT", [other.ctx.create_sampler_state()])
    other.draw(
        "DCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D_ARRAY_MSAA, FLOAT\nDCL TEMP[0]\n"
        "IMM[0] INT32 {2, 3, 0, 0}\nF2I TEMP[0], IN[0]\nMOV TEMP[0].zw, IMM[0].xxxy\nTXF OUT[0], TEMP[0], SAMP[0], 2D_ARRAY_MSAA\n"
    )
    np.testing.assert_array_equal(other.planes()[0], planes[3][2])


def test_images_of_samples_are_stored_one_by_one(screen: g.Screen) -> None:
    with screen.context_create() as ctx:
        image = screen.resource_create(format="R32_UINT", width0=8, height0=4, nr_samples=4)
        ctx.set_shader_images("COMPUTE", [image])
        ctx.bind_compute_state(
            ctx.create_compute_state(
                "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 8\nPROPERTY CS_FIXED_BLOCK_HEIGHT 4\nPROPERTY CS_FIXED_BLOCK_DEPTH 4\n"
                "DCL SV[0], THREAD_ID\nDCL IMAGE[0], 2D_MSAA, PIPE_FORMAT_R32_UINT, WR\nDCL TEMP[0..1]\nIMM[0] UINT32 {100, 10, 1, 0}\n"
                "MOV TEMP[0].xy, SV[0]\nMOV TEMP[0].w, SV[0].zzzz\nUMUL TEMP[1].x, SV[0].zzzz, IMM[0].xxxx\n"
                "UMAD TEMP[1].x, SV[0].yyyy, IMM[0].yyyy, TEMP[1].xxxx\nUADD TEMP[1].x, TEMP[1].xxxx, SV[0].xxxx\n"
                "STORE IMAGE[0], TEMP[0], TEMP[1], 2D_MSAA, PIPE_FORMAT_R32_UINT\nEND\n"
            )
        )
        ctx.launch_grid(block=(8, 4, 4), grid=(1, 1, 1))
        for k in range(4):
            expected = 100 * k + 10 * np.arange(4)[:, None] + np.arange(8)[None, :]
            np.testing.assert_array_equal(image.blocks(0, k)[0].copy().view("u4")[..., 0], expected)


@pytest.mark.parametrize("format", ["Z32_FLOAT", "Z16_UNORM"])
@pytest.mark.parametrize("state", [{}, {"mask": 0b0111}, {"alpha_to_coverage": True}])
def test_tiles_hide_only_what_all_of_their_samples_hide(screen: g.Screen, format: str, state: dict[str, Any]) -> None:
    """A statistics query turns the coarse depth test of tiles off, for comparison."""
    rng = np.random.default_rng(7)
    corners = rng.uniform(-4, 4, (60, 3, 2))
    slopes = rng.uniform(-0.2, 0.2, (60, 1, 2))
    z = (corners * slopes).sum(-1, keepdims=True) + rng.uniform(-0.5, 0.5, (60, 1, 1))
    vertices = np.concatenate([corners, z, np.ones_like(z)], -1).reshape(-1, 4).astype("f4")
    pictures = []
    for counts in (False, True):
        bench = Bench(screen, 4, depth=format)
        ctx = bench.ctx
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(multisample=True, depth_clip=False))
        less = {"enabled": True, "writemask": True, "func": "LESS"}
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(depth=less))
        ctx.bind_blend_state(ctx.create_blend_state(alpha_to_coverage=state.get("alpha_to_coverage", False)))
        ctx.set_sample_mask(state.get("mask", 15))
        ctx.clear(color=(0, 0, 0, 0), depth=1.0)
        if counts:
            ctx.begin_query(ctx.create_query("PIPELINE_STATISTICS"))
        ctx.bind_fs_state(ctx.create_fs_state("FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nFRC OUT[0], IN[0].xyzy\nEND\n"))
        ctx.set_vertex_buffers([vertices])
        ctx.draw_vbo(mode="TRIANGLES", count=len(vertices))
        pictures.append(np.stack(bench.planes()).tobytes() + np.stack(bench.planes(bench.depth)).tobytes())
    assert pictures[0] == pictures[1]
