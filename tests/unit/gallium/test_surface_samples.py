"""Surfaces with more samples than their texture (SURFACE_SAMPLE_COUNT): the same bytes as a multisampled texture and its resolve.

Source: screen.rst, "PIPE_CAP_SURFACE_SAMPLE_COUNT"; EXT_multisampled_render_to_texture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE = 70
VS = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
FS = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
COPY = (
    "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\n"
    "IMM[0] INT32 {0, 0, 0, 0}\nF2I TEMP[0], IN[0]\nMOV TEMP[0].zw, IMM[0]\nTXF OUT[0], TEMP[0], SAMP[0], 2D\nEND\n"
)


class Picture:
    """Triangles drawn into a texture: through a surface with samples, or (`is_plain`) into a multisampled texture that is resolved."""

    def __init__(self, screen: g.Screen, samples: int = 4, *, is_plain: bool = False, format: str = "R8G8B8A8_UNORM", **case: Any) -> None:
        self.screen, self.ctx, self.samples, self.is_plain = screen, screen.context_create(), samples, is_plain
        self.level, self.layers, self.layer = case.get("level", 0), case.get("layers", 1), case.get("layer", 0)
        wide: dict[str, Any] = {"target": "TEXTURE_2D_ARRAY", "array_size": self.layers} if self.layers > 1 else {}
        size = SIZE << self.level
        wide |= {"width0": size, "height0": size, "last_level": self.level + 1}
        self.texture = screen.resource_create(format=format, bind="RENDER_TARGET|SAMPLER_VIEW", **wide)
        self.depths = screen.resource_create(format="Z32_FLOAT", bind="DEPTH_STENCIL", width0=SIZE, height0=SIZE)
        common: dict[str, Any] = {"width0": SIZE, "height0": SIZE, "nr_samples": samples}
        if is_plain:
            self.color = screen.resource_create(format=format, bind="RENDER_TARGET", **common)
            self.depth = screen.resource_create(format="Z32_FLOAT", bind="DEPTH_STENCIL", **common)
            self.targets: Any = {"cbufs": [self.color], "zsbuf": self.depth}
        else:
            at = {"level": self.level, "first_layer": self.layer, "last_layer": self.layer}
            self.surface = self.ctx.create_surface(self.texture, nr_samples=samples, **at)
            self.targets = {"cbufs": [self.surface], "zsbuf": self.ctx.create_surface(self.depths, nr_samples=samples)}
        self.bind()
        ctx = self.ctx
        ctx.set_viewport_states([{"scale": (SIZE / 2, SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}])
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(multisample=True))
        tested = {"enabled": True, "writemask": True, "func": "LESS"}
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(depth=tested))
        ctx.bind_vs_state(ctx.create_vs_state(VS))
        ctx.bind_fs_state(ctx.create_fs_state(FS))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))

    def bind(self) -> None:
        self.ctx.set_framebuffer_state(**self.targets)

    def draw(self, seed: int, count: int = 30, mode: str = "TRIANGLES") -> None:
        rng = np.random.default_rng(seed)
        xy = rng.uniform(-1, 1, (count, 1, 2)) + rng.uniform(-0.5, 0.5, (count, 3, 2))
        rest = [np.broadcast_to(v, (count, 3, v.shape[-1])) for v in (rng.uniform(-1, 1, (count, 1, 1)), np.ones((1, 1, 1)))]
        data = np.concatenate([xy, *rest, rng.random((count, 3, 4))], 2).reshape(-1, 8).astype("f4")
        self.ctx.set_vertex_buffers([g.VertexBuffer(data, 32)])
        self.ctx.draw_vbo(mode=mode, count=len(data))

    def clear(self) -> None:
        self.ctx.clear("COLOR0|DEPTH", color=(0.2, 0.4, 0.6, 0.8), depth=1.0)

    def texels(self) -> NDArray[np.uint8]:
        """The texture's bytes, mapped."""
        box = (0, 0, self.layer, SIZE, SIZE, 1)
        if self.is_plain:
            self.ctx.blit(self.texture, src=self.color, dst_level=self.level, dst_box=box)
        with self.ctx.transfer_map(self.texture, usage="READ", level=self.level, box=box) as mapped:
            return np.array(mapped.data).reshape(SIZE, -1).view("u1")

    def depth_texels(self) -> NDArray[np.uint8]:
        if self.is_plain:
            self.ctx.blit(self.depths, src=self.depth)
        with self.ctx.transfer_map(self.depths, usage="READ") as mapped:
            return np.array(mapped.data).view("u1")


Work = Callable[[Picture], None]


def both(screen: g.Screen, work: Work, samples: int = 4, **case: Any) -> tuple[Picture, Picture]:
    made = Picture(screen, samples, **case), Picture(screen, samples, is_plain=True, **case)
    for picture in made:
        work(picture)
    np.testing.assert_array_equal(made[0].texels(), made[1].texels())
    np.testing.assert_array_equal(made[0].depth_texels(), made[1].depth_texels())
    return made


def plain(p: Picture) -> None:
    p.clear()
    p.draw(1)
    p.draw(2)


@pytest.mark.parametrize(
    ("samples", "case"),
    [
        (2, {}),
        (4, {"format": "R16G16B16A16_FLOAT"}),
        (16, {"format": "B8G8R8A8_SRGB"}),
        (8, {"format": "R8_UNORM"}),
        (4, {"format": "B5G6R5_UNORM"}),
        (4, {"level": 1}),
        (4, {"layers": 3, "layer": 1}),
    ],
)
def test_a_surface_is_drawn_as_a_multisampled_texture_and_its_resolve(screen: g.Screen, samples: int, case: dict[str, Any]) -> None:
    made, _ = both(screen, plain, samples, **case)
    assert len(np.unique(made.texels())) > 20


def without_multisample(p: Picture, **state: Any) -> None:
    """Bind a rasterizer state that has `multisample` for the multisampled texture alone."""
    p.ctx.bind_rasterizer_state(p.ctx.create_rasterizer_state(multisample=p.is_plain, **state))


@pytest.mark.parametrize("mode", ["TRIANGLES", "LINES", "POINTS"])
def test_multisample_rules_hold_whatever_the_rasterizer_state_says(screen: g.Screen, mode: str) -> None:
    def work(p: Picture) -> None:
        p.clear()
        without_multisample(p, line_width=1.5, point_size=3.3)
        p.draw(1, mode=mode)
        p.ctx.bind_rasterizer_state(p.ctx.create_rasterizer_state(multisample=True, line_width=1.5, point_size=3.3))
        p.draw(2, mode=mode)
        without_multisample(p, line_width=2.5, point_size=2.0, scissor=True)
        p.ctx.set_scissor_states([{"minx": 5, "miny": 6, "maxx": 60, "maxy": 50}])
        p.draw(3, mode=mode)

    made, _ = both(screen, work)
    assert len(np.unique(made.texels())) > 20


@pytest.mark.parametrize("state", ["alpha to coverage", "sample mask", "a shader for each sample", "program's mask"])
def test_sample_state_holds_whatever_the_rasterizer_state_says(screen: g.Screen, state: str) -> None:
    def work(p: Picture) -> None:
        p.clear()
        without_multisample(p)
        if state == "alpha to coverage":
            p.ctx.bind_blend_state(p.ctx.create_blend_state(alpha_to_coverage=True))
        elif state == "sample mask":
            p.ctx.set_sample_mask(5)
        elif state == "a shader for each sample":
            p.ctx.set_min_samples(4)
            p.ctx.bind_fs_state(p.ctx.create_fs_state(FS.replace("PERSPECTIVE", "PERSPECTIVE, SAMPLE")))
        else:
            mask = "DCL OUT[1], SAMPLEMASK\nIMM[0] UINT32 {6, 0, 0, 0}\nMOV OUT[1].x, IMM[0]\n"
            p.ctx.bind_fs_state(p.ctx.create_fs_state(FS.replace("MOV", mask + "MOV", 1)))
        p.draw(1)

    made, _ = both(screen, work)
    assert len(np.unique(made.texels())) > 20


def test_one_target_with_samples_of_its_own_makes_all_of_them_multisampled(screen: g.Screen) -> None:
    pixels = []
    for is_plain in (False, True):
        p = Picture(screen, is_plain=is_plain)
        beside = screen.resource_create(width0=SIZE, height0=SIZE, nr_samples=4, bind="RENDER_TARGET")
        p.ctx.set_framebuffer_state(cbufs=[beside, *p.targets["cbufs"]])
        without_multisample(p)
        p.ctx.bind_fs_state(
            p.ctx.create_fs_state(FS.replace("DCL OUT[0], COLOR", "DCL OUT[0], COLOR\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1"))
        )
        p.ctx.clear("COLOR", color=(0.5, 0.25, 0, 1))
        p.draw(8)
        copy = screen.resource_create(width0=SIZE, height0=SIZE)
        p.ctx.blit(copy, src=beside)
        p.ctx.flush()
        pixels.append((p.texels(), np.array(copy.blocks())))
    np.testing.assert_array_equal(pixels[0][0], pixels[1][0])
    np.testing.assert_array_equal(pixels[0][1], pixels[1][1])
    assert len(np.unique(pixels[0][1])) > 20


def test_texture_and_surface_bound_in_turns_have_each_its_own_rules(screen: g.Screen) -> None:
    expected = []
    for turns in ((True, False, True, False), (False,)):
        p = Picture(screen)
        other = screen.resource_create(width0=SIZE, height0=SIZE, bind="RENDER_TARGET", nr_samples=4)
        for is_own in turns:
            p.ctx.set_framebuffer_state(cbufs=[p.surface if is_own else other])
            without_multisample(p)
            p.clear()
            p.draw(9)
        planes = [other.blocks(0, k) for k in range(4)]
        p.ctx.flush()
        assert all(np.array_equal(planes[0], plane) for plane in planes), "samples at the center are all alike"
        expected.append(np.array(planes[0]))
    np.testing.assert_array_equal(expected[0], expected[1])


def test_flushes_between_draws_keep_the_samples(screen: g.Screen) -> None:
    def work(p: Picture) -> None:
        p.clear()
        p.draw(1)
        p.ctx.flush()
        p.draw(2)
        p.texels()
        p.draw(3)

    both(screen, work)


def test_the_same_targets_bound_again_keep_the_samples(screen: g.Screen) -> None:
    def work(p: Picture) -> None:
        p.clear()
        p.draw(1)
        p.bind()
        p.draw(2)

    both(screen, work)


def test_samples_begin_as_the_texels_of_the_texture(screen: g.Screen) -> None:
    rng = np.random.default_rng(4)
    texels = rng.integers(0, 256, (SIZE, SIZE, 4)).astype("u1")
    p = Picture(screen)
    p.ctx.set_framebuffer_state()
    p.ctx.texture_subdata(p.texture, texels, box=(0, 0, 0, SIZE, SIZE, 1))
    p.bind()
    p.ctx.clear("DEPTH", depth=1.0)
    p.draw(5, 3)
    other = Picture(screen, is_plain=True)
    other.ctx.texture_subdata(other.color, texels)  # reaches every sample
    other.ctx.clear("DEPTH", depth=1.0)
    other.draw(5, 3)
    np.testing.assert_array_equal(p.texels(), other.texels())


@pytest.mark.parametrize("writer", ["texture_subdata", "transfer_map", "clear_texture", "clear_render_target", "blit", "copy"])
def test_writes_of_the_texture_reach_every_sample_of_their_box_in_the_order_of_the_calls(screen: g.Screen, writer: str) -> None:
    patch = np.random.default_rng(6).integers(0, 256, (20, 30, 4)).astype("u1")
    source = screen.resource_create(width0=30, height0=20)
    with screen.context_create() as ctx:
        ctx.texture_subdata(source, patch)
    box = (10, 8, 0, 30, 20, 1)

    def work(p: Picture) -> None:
        plain(p)
        ctx, subject = p.ctx, p.color if p.is_plain else p.texture
        if writer == "texture_subdata":  # the draws may be pending
            ctx.texture_subdata(subject, patch, box=box)
        elif writer == "transfer_map":
            with ctx.transfer_map(subject, usage="WRITE", box=box) as mapped:
                mapped.data[...] = patch.view(mapped.data.dtype).reshape(mapped.data.shape)
        elif writer == "clear_texture":
            ctx.clear_texture(subject, bytes([1, 2, 3, 4]), box=box)
        elif writer == "clear_render_target":
            ctx.clear_render_target(subject if p.is_plain else p.surface, color=(0.1, 0.2, 0.3, 0.4), x=3, y=4, width=50, height=9)
        elif writer == "blit":
            ctx.blit(subject, src=source, dst_box=box)
        else:
            samples = screen.resource_create(width0=30, height0=20, nr_samples=p.samples if p.is_plain else 0)
            ctx.texture_subdata(samples, patch)
            ctx.resource_copy_region(subject, src=samples, dstx=10, dsty=8)
        p.draw(7, 2)

    both(screen, work)


@pytest.mark.parametrize("reader", ["texture_read", "blit", "resource_copy_region", "sampling", "grid after"])
def test_every_reader_sees_what_was_drawn(screen: g.Screen, reader: str) -> None:
    expected = both(screen, plain)[1].texels()
    p = Picture(screen)
    plain(p)
    ctx = p.ctx
    copy = screen.resource_create(width0=SIZE, height0=SIZE, bind="RENDER_TARGET|SAMPLER_VIEW")
    if reader == "texture_read":
        found = np.zeros((SIZE, SIZE, 4), "u1")
        ctx.texture_read(p.texture, found, box=(0, 0, 0, SIZE, SIZE, 1))
        np.testing.assert_array_equal(found.reshape(SIZE, -1), expected)
        return
    if reader == "blit":
        ctx.blit(copy, src=p.texture, src_box=(0, 0, 0, SIZE, SIZE, 1))
    elif reader == "resource_copy_region":
        ctx.resource_copy_region(copy, src=p.texture, src_box=(0, 0, 0, SIZE, SIZE, 1))
    elif reader == "sampling":
        ctx.set_framebuffer_state(cbufs=[copy])
        ctx.bind_depth_stencil_alpha_state(None)
        ctx.bind_rasterizer_state(None)
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(p.texture)])
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
        ctx.bind_fs_state(ctx.create_fs_state(COPY))
        corners = np.zeros((3, 8), "f4")
        corners[:, :4] = [[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]]
        ctx.set_vertex_buffers([g.VertexBuffer(corners, 32)])
        ctx.draw_vbo(mode="TRIANGLES", count=3)
    else:
        image = (
            "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
            "DCL SV[0], BLOCK_ID\n"
            "DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\nDCL IMAGE[1], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR\nDCL TEMP[0]\n"
            "LOAD TEMP[0], IMAGE[0], SV[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\n"
            "STORE IMAGE[1], SV[0], TEMP[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\nEND\n"
        )
        ctx.bind_compute_state(ctx.create_compute_state(image))
        ctx.set_shader_images("COMPUTE", [p.texture, copy])
        ctx.launch_grid(block=(1, 1, 1), grid=(SIZE, SIZE, 1))
    ctx.flush()
    np.testing.assert_array_equal(np.array(copy.blocks()[0]).reshape(SIZE, -1), expected)


def test_another_context_sees_what_was_flushed(screen: g.Screen) -> None:
    expected = both(screen, plain)[1].texels()
    p = Picture(screen)
    plain(p)
    p.ctx.flush()
    with screen.context_create() as other, other.transfer_map(p.texture, usage="READ", box=(0, 0, 0, SIZE, SIZE, 1)) as mapped:
        np.testing.assert_array_equal(np.array(mapped.data).reshape(SIZE, -1), expected)


def test_a_bound_surface_that_is_destroyed_leaves_its_picture(screen: g.Screen) -> None:
    expected = both(screen, plain)[1].texels()
    p = Picture(screen)
    plain(p)
    p.ctx.surface_destroy(p.surface)
    np.testing.assert_array_equal(p.texels(), expected)


def test_memory_of_the_samples_is_that_of_the_surface() -> None:
    screen = g.Screen(threads=0)  # other tests leave garbage in a shared one
    texture = screen.resource_create(width0=256, height0=256, bind="RENDER_TARGET")
    before = screen.query_memory_info()["used_bytes"]
    with screen.context_create() as ctx:
        surface = ctx.create_surface(texture, nr_samples=4)
        assert screen.query_memory_info()["used_bytes"] >= before + 4 * 4 * 256 * 256
        ctx.surface_destroy(surface)
        assert screen.query_memory_info()["used_bytes"] == before


def test_numbers_of_samples_that_do_not_fit_are_refused(screen: g.Screen) -> None:
    assert screen.get_param("SURFACE_SAMPLE_COUNT") == 1
    single, four = (screen.resource_create(width0=8, height0=8, nr_samples=n, bind="RENDER_TARGET") for n in (0, 4))
    with screen.context_create() as ctx:
        with pytest.raises(ValueError, match="create_surface: nr_samples"):
            ctx.create_surface(single, nr_samples=3)
        with pytest.raises(ValueError, match="create_surface: nr_samples: a texture of 4 samples"):
            ctx.create_surface(four, nr_samples=2)
        with pytest.raises(ValueError, match="samples do not go together"):
            ctx.set_framebuffer_state(cbufs=[ctx.create_surface(single, nr_samples=2), four])
        ctx.set_framebuffer_state(cbufs=[ctx.create_surface(single, nr_samples=4), ctx.create_surface(four, nr_samples=4)])
