"""Methods that take lists: with one wrong item the call is refused, and nothing that is drawn afterwards has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from tests.unit.gallium.conftest import COLOR, PASS_THROUGH
from tgsi import gallium as g

pytestmark = pytest.mark.light
SIZE = 16
CORNERS = np.array([[-1, -1, 1, 1, 1, 1], [3, -1, 1, 1, 1, 1], [-1, 3, 1, 1, 1, 1]], np.float32)
SAMPLING = """FRAG
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SAMP[1]
DCL SVIEW[0], 2D, FLOAT
DCL SVIEW[1], 2D, FLOAT
DCL TEMP[0..1]
IMM[0] FLT32 {2.0, 2.0, 0.0, 0.25}
TEX TEMP[0], IMM[0], SAMP[0], 2D
TEX TEMP[1], IMM[0], SAMP[1], 2D
MAD OUT[0], TEMP[1], IMM[0].wwww, TEMP[0]
END
"""
STORING = """FRAG
DCL OUT[0], COLOR
DCL BUFFER[0]
DCL BUFFER[1]
DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR
DCL IMAGE[1], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR
IMM[0] UINT32 {0, 0, 0, 0}
IMM[1] FLT32 {1.0, 1.0, 1.0, 1.0}
STORE BUFFER[0].x, IMM[0], IMM[1]
STORE BUFFER[1].x, IMM[0], IMM[1]
STORE IMAGE[0], IMM[0], IMM[1], 2D, PIPE_FORMAT_R8G8B8A8_UNORM
STORE IMAGE[1], IMM[0], IMM[1], 2D, PIPE_FORMAT_R8G8B8A8_UNORM
MOV OUT[0], IMM[1]
END
"""
COMPUTING = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL BUFFER[0]
DCL BUFFER[1]
IMM[0] UINT32 {0, 1, 0, 0}
STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy
STORE BUFFER[1].x, IMM[0].xxxx, IMM[0].yyyy
END
"""
TWO_STREAMS = g.StreamOutputInfo(
    stride=(4, 4),
    output=(
        g.StreamOutput(register_index=0, num_components=4),
        g.StreamOutput(register_index=1, num_components=4, output_buffer=1),
    ),
)


class Scene:
    """A context that draws a triangle over a target; resources whose content is seen."""

    def __init__(self, ctx: g.Context) -> None:
        self.ctx, self.screen = ctx, ctx.screen
        self.seen: list[g.Resource] = []
        self.texels: dict[g.Resource, Any] = {}
        ctx.bind_vs_state(ctx.create_vs_state(PASS_THROUGH))
        ctx.bind_fs_state(ctx.create_fs_state(COLOR))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT"), (8, "R32G32B32A32_FLOAT")]))
        ctx.set_viewport_states([g.ViewportState((8.0, 8.0, 0.5), (8.0, 8.0, 0.5))])
        ctx.set_vertex_buffers([CORNERS])
        ctx.set_framebuffer_state(cbufs=[self.texture()])

    def texture(self, value: int = 0, **given: Any) -> g.Resource:
        made = self.screen.resource_create(width0=SIZE, height0=SIZE, **given)
        if not given:
            self.texels[made] = np.full((SIZE, SIZE, 4), value, np.uint8)
            self.ctx.texture_subdata(made, self.texels[made])
        self.seen.append(made)
        return made

    def buffer(self) -> g.Resource:
        made = self.screen.resource_create(target="BUFFER", width0=256)
        self.seen.append(made)
        return made

    def pixels(self) -> bytes:
        """Content of all resources after a draw and a grid. Before, they have zeros, or their texels."""
        ctx = self.ctx
        for resource in self.seen:
            if resource.is_buffer:
                ctx.buffer_subdata(resource, bytes(256))
            elif resource in self.texels:
                ctx.texture_subdata(resource, self.texels[resource])
        ctx.clear(color=(0, 0, 0, 0), stencil=1)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        if ctx._bound_shaders().get(int(g.ShaderType.COMPUTE)):
            ctx.launch_grid(block=(1, 1, 1))
        return b"".join(resource.tobytes() for resource in self.seen)


@pytest.fixture
def scene() -> Iterator[Scene]:
    with g.Screen(threads=0) as screen, screen.context_create() as ctx:
        yield Scene(ctx)


Setter = tuple[Callable[[Sequence[Any]], object], Sequence[Any], Sequence[Any], Sequence[Any]]
"""A call, items with which it is made first, others, and wrong ones of which each takes the place of each other one."""
SETTERS: dict[str, Callable[[Scene], Setter]] = {}


def setter(function: Callable[[Scene], Setter]) -> Callable[[Scene], Setter]:
    SETTERS[function.__name__] = function
    return function


@setter
def set_sampler_views(s: Scene) -> Setter:
    ctx = s.ctx
    ctx.bind_fs_state(ctx.create_fs_state(SAMPLING))
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()] * 2)
    views = [ctx.create_sampler_view(s.texture(value)) for value in (20, 40, 60, 80, 0)]
    ctx.sampler_view_destroy(views[4])
    return lambda items: ctx.set_sampler_views("FRAGMENT", items), views[:2], views[2:4], [7, s.seen[0], views[4]]


@setter
def bind_sampler_states(s: Scene) -> Setter:
    ctx = s.ctx
    ctx.bind_fs_state(ctx.create_fs_state(SAMPLING))
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(s.texture(0))] * 2)
    wraps: dict[str, Any] = {f"wrap_{axis}": "CLAMP_TO_BORDER" for axis in "str"}
    made = [ctx.create_sampler_state(border_color=(k / 8,) * 4, **wraps) for k in range(1, 6)]
    ctx.destroy_sampler_state(made[4])
    return lambda items: ctx.bind_sampler_states("FRAGMENT", items), made[:2], made[2:4], ["x", made[4], ctx.create_blend_state()]


@setter
def set_vertex_buffers(s: Scene) -> Setter:
    ctx = s.ctx
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT", 0), (0, "R32G32B32A32_FLOAT", 1)]))
    places, small = np.ascontiguousarray(CORNERS[:, :2]), np.ascontiguousarray(CORNERS[:, :2] / 2)
    colors = [np.full((3, 4), value, np.float32) for value in (0.25, 0.75)]
    return (
        ctx.set_vertex_buffers,
        [places, colors[0]],
        [small, colors[1]],
        [7, s.texture(), {"stride": 4}, {"buffer": places, "stride": -1}],
    )


@setter
def set_viewport_states(s: Scene) -> Setter:
    whole, part = (g.ViewportState((n, n, 0.5), (8.0, 8.0, 0.5)) for n in (8.0, 4.0))
    return s.ctx.set_viewport_states, [whole, whole], [part, part], [7, {"scale": "xyz"}, {"size": 3}]


@setter
def set_scissor_states(s: Scene) -> Setter:
    s.ctx.bind_rasterizer_state(s.ctx.create_rasterizer_state(scissor=True))
    whole, part = g.ScissorState(0, 0, SIZE, SIZE), g.ScissorState(0, 0, 4, 4)
    return s.ctx.set_scissor_states, [whole, whole], [part, part], [7, {"minx": -1}, {"width": 3}, {"maxx": 1 << 20}]


@setter
def set_window_rectangles(s: Scene) -> Setter:
    first, others = [g.ScissorState(0, 0, 4, 4), g.ScissorState(8, 8, 12, 12)], [g.ScissorState(1, 1, 2, 2), g.ScissorState(4, 4, 5, 5)]
    return lambda items: s.ctx.set_window_rectangles(True, items), first, others, [7, {"minx": "a"}]


@setter
def set_clip_state(s: Scene) -> Setter:
    s.ctx.bind_rasterizer_state(s.ctx.create_rasterizer_state(clip_plane_enable=3))
    first, others = [(1, 0, 0, 0.5), (0, 1, 0, 0.5)], [(-1, 0, 0, 0), (0, -1, 0, 0)]
    return s.ctx.set_clip_state, first, others, [7, (1, 2, 3), (1, 2, 3, "a")]


@setter
def set_polygon_stipple(s: Scene) -> Setter:
    s.ctx.bind_rasterizer_state(s.ctx.create_rasterizer_state(poly_stipple_enable=True))
    return s.ctx.set_polygon_stipple, [0xAAAAAAAA] * 32, [0x11111111] * 32, ["a", -1, 1 << 32]


@setter
def set_blend_color(s: Scene) -> Setter:
    sides = {"src": "CONST_COLOR", "dst": "ZERO"}
    factors: dict[str, Any] = {f"{part}_{side}_factor": name for part in ("rgb", "alpha") for side, name in sides.items()}
    s.ctx.bind_blend_state(s.ctx.create_blend_state(blend_enable=True, **factors))
    return s.ctx.set_blend_color, [0.25, 0.5, 0.75, 1.0], [1.0, 0.75, 0.5, 0.25], ["a", None]


@setter
def set_stencil_ref(s: Scene) -> Setter:
    ctx = s.ctx
    ctx.set_framebuffer_state(cbufs=[s.seen[0]], zsbuf=s.screen.resource_create(width0=SIZE, height0=SIZE, format="Z24_UNORM_S8_UINT"))
    face = {"enabled": True, "func": "EQUAL", "valuemask": 255}
    ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(stencil=(face, face)))
    return ctx.set_stencil_ref, [1, 1], [2, 2], ["a", -1, 256]


@setter
def set_framebuffer_state(s: Scene) -> Setter:
    ctx = s.ctx
    targets = [s.texture() for _ in range(4)]
    ctx.bind_fs_state(ctx.create_fs_state(COLOR.replace("DCL OUT", "PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\nDCL OUT", 1)))
    wrong = [7, s.buffer(), s.screen.resource_create(width0=SIZE, height0=SIZE, format="Z32_FLOAT")]
    wrong.append(s.screen.resource_create(width0=SIZE, height0=SIZE, nr_samples=4))
    return lambda items: ctx.set_framebuffer_state(cbufs=items), targets[:2], targets[2:], wrong


@setter
def set_shader_buffers(s: Scene) -> Setter:
    s.ctx.bind_fs_state(s.ctx.create_fs_state(STORING))
    made = [s.buffer() for _ in range(4)]
    wrong = [7, s.texture(), {"buffer": made[0], "buffer_offset": 3}, {"buffer": made[0], "buffer_size": 1000}, {"size": 3}]
    return lambda items: s.ctx.set_shader_buffers("FRAGMENT", items), made[:2], made[2:], wrong


@setter
def set_shader_images(s: Scene) -> Setter:
    s.ctx.bind_fs_state(s.ctx.create_fs_state(STORING))
    made = [s.texture() for _ in range(4)]
    wrong = [7, {"resource": made[0], "level": 9}, {"resource": made[0], "format": "Z32_FLOAT"}]
    return lambda items: s.ctx.set_shader_images("FRAGMENT", items), made[:2], made[2:], wrong


@setter
def set_shader_resources(s: Scene) -> Setter:
    s.ctx.bind_fs_state(s.ctx.create_fs_state(STORING))
    made = [s.buffer() for _ in range(4)]
    return s.ctx.set_shader_resources, made[:2], made[2:], [7, {"buffer": made[0], "buffer_offset": 3}]


@setter
def set_compute_resources(s: Scene) -> Setter:
    s.ctx.bind_compute_state(s.ctx.create_compute_state(COMPUTING))
    made = [s.buffer() for _ in range(4)]
    return s.ctx.set_compute_resources, made[:2], made[2:], [7, {"buffer": made[0], "buffer_size": 1 << 20}]


def streaming(s: Scene) -> list[Any]:
    s.ctx.bind_vs_state(s.ctx.create_vs_state(PASS_THROUGH, stream_output=TWO_STREAMS))
    return [s.ctx.create_stream_output_target(s.buffer()) for _ in range(4)]


@setter
def set_stream_output_targets(s: Scene) -> Setter:
    made = streaming(s)
    return lambda items: s.ctx.set_stream_output_targets(items, offsets=[0, 0]), made[:2], made[2:], [7, s.texture()]


@setter
def offsets_of_stream_output_targets(s: Scene) -> Setter:
    made = streaming(s)[:2]
    return lambda items: s.ctx.set_stream_output_targets(made, offsets=items), [16, 32], [64, 96], [3, "a", 1.5, -2, 1 << 40]


@setter
def set_sample_locations(s: Scene) -> Setter:
    ctx = s.ctx
    target = s.texture(nr_samples=4)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.set_vertex_buffers([CORNERS * np.array([0.3, 0.3, 1, 1, 1, 1], np.float32)])
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(multisample=True))
    return ctx.set_sample_locations, [0x88, 0x88, 0x88, 0x88], [0x00, 0xFF, 0x0F, 0xF0], ["a", 256, -1]


def placed(items: Sequence[Any], wrong: Any) -> Iterator[list[Any]]:
    """The items with a wrong one in the place of the first and of the last."""
    for place in (0, len(items) - 1):
        yield [*items[:place], wrong, *items[place + 1 :]]


def once(s: Scene, call: Callable[[Sequence[Any]], object], items: Sequence[Any]) -> bytes:
    call(items)
    return s.pixels()


@pytest.mark.parametrize("name", SETTERS)
def test_a_list_with_a_wrong_item_changes_nothing(scene: Scene, name: str) -> None:
    call, first, others, wrong = SETTERS[name](scene)
    before = once(scene, call, first)
    assert once(scene, call, others) != before
    assert once(scene, call, first) == before
    for bad in wrong:
        for items in placed(others, bad):
            call(first)
            with pytest.raises((TypeError, ValueError)):
                call(items)
            assert scene.pixels() == before, items


@pytest.mark.parametrize("name", SETTERS)
def test_known_lists_are_refused_likewise(scene: Scene, name: str) -> None:
    """Lists that were set before, which generated code knows."""
    call, first, others, wrong = SETTERS[name](scene)
    for items in (first, others) * 3:
        call(items)
    before = once(scene, call, first)
    for items in placed(others, wrong[0]):
        with pytest.raises((TypeError, ValueError)):
            call(items)
    if "stream_output" not in name:  # a second draw appends
        assert scene.pixels() == before
