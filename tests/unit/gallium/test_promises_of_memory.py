"""Sentences of context.rst and screen.rst about memory and its mappings, each held by a test of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.picture import Picture, screen
from tgsi import UnsupportedError
from tgsi import gallium as g

pytestmark = pytest.mark.light

CONSTANT = "FRAG\nDCL CONST[0]\nDCL OUT[0], COLOR\nMOV OUT[0], CONST[0]\nEND\n"


def ones(value: float) -> bytes:
    return np.full(4, value, np.float32).tobytes()


TEXTURED = """FRAG
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL OUT[0], COLOR
IMM[0] FLT32 {0.5, 0.5, 0.0, 0.0}
TEX OUT[0], IMM[0], SAMP[0], 2D
END
"""


@pytest.mark.parametrize("flag", ["DISCARD_RANGE", "DISCARD_WHOLE_RESOURCE"])
@pytest.mark.parametrize("text", [CONSTANT, TEXTURED])
def test_earlier_draws_keep_what_discarded_memory_held(flag: str, text: str) -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    memory = picture.buffer(np.full(4, 0.25, np.float32))
    ctx.set_constant_buffer("FRAGMENT", memory)
    if text is TEXTURED:
        memory = screen().resource_create(width0=1, height0=1, format="R32G32B32A32_FLOAT")
        ctx.texture_subdata(memory, np.full(4, 0.25, np.float32))
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(memory)])
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
    picture.draw(text)
    with ctx.transfer_map(memory, usage=f"WRITE|{flag}") as mapped:
        mapped.data[...] = np.frombuffer(ones(0.75), mapped.data.dtype).reshape(mapped.data.shape)
    assert (picture.pixels() == 0.25).all()
    assert (picture.draw(text).pixels() == 0.75).all()


def test_persistent_and_coherent_mappings_need_their_flags(ctx: g.Context) -> None:
    plain = screen().resource_create(target="BUFFER", width0=16)
    with pytest.raises(ValueError, match="MAP_PERSISTENT"):
        ctx.transfer_map(plain, usage="WRITE|PERSISTENT")
    with pytest.raises(ValueError, match="MAP_COHERENT"):
        ctx.transfer_map(screen().resource_create(target="BUFFER", width0=16, flags="MAP_PERSISTENT"), usage="WRITE|PERSISTENT|COHERENT")
    both = screen().resource_create(target="BUFFER", width0=16, flags="MAP_PERSISTENT|MAP_COHERENT")
    with ctx.transfer_map(both, usage="WRITE|PERSISTENT|COHERENT") as mapped:
        mapped.data[:] = 7


def test_a_barrier_shows_what_a_persistent_mapping_wrote() -> None:
    picture = Picture(4, 4)
    ctx = picture.ctx
    buffer = screen().resource_create(target="BUFFER", width0=16, flags="MAP_PERSISTENT", bind="CONSTANT_BUFFER|SHADER_BUFFER")
    ctx.set_shader_buffers("FRAGMENT", [buffer])
    text = "FRAG\nDCL BUFFER[0]\nDCL OUT[0], COLOR\nIMM[0] UINT32 {0, 0, 0, 0}\nLOAD OUT[0], BUFFER[0], IMM[0].xxxx\nEND\n"
    with ctx.transfer_map(buffer, usage="WRITE|PERSISTENT") as mapped:
        for value in (0.25, 0.75):
            mapped.data[:] = np.frombuffer(ones(value), np.uint8)
            ctx.memory_barrier("MAPPED_BUFFER")
            assert (picture.draw(text).pixels() == value).all()


@pytest.mark.parametrize("usage", list(g.Usage))
def test_the_processor_reads_and_writes_resources_of_every_usage(ctx: g.Context, usage: g.Usage) -> None:
    kinds: tuple[dict[str, Any], ...] = ({"target": "BUFFER", "width0": 16}, {"width0": 4, "height0": 1})
    for given in kinds:
        made = screen().resource_create(usage=usage, **given)
        with ctx.transfer_map(made, usage="WRITE") as mapped:
            mapped.data[...] = 9
        with ctx.transfer_map(made, usage="READ") as mapped:
            assert (mapped.data == 9).all()


BINDS = [
    "RENDER_TARGET",
    "DISPLAY_TARGET",
    "SCANOUT",
    "SAMPLER_VIEW",
    "SHADER_IMAGE",
    "COMPUTE_RESOURCE",
    "BLENDABLE",
    "CUSTOM",
    "CURSOR",
    "LINEAR",
]
BUFFER_BINDS = [
    *(
        "VERTEX_BUFFER",
        "INDEX_BUFFER",
        "CONSTANT_BUFFER",
        "STREAM_OUTPUT",
        "GLOBAL",
        "SHADER_BUFFER",
        "COMMAND_ARGS_BUFFER",
        "QUERY_BUFFER",
    ),
    *("COMPUTE_RESOURCE", "SAMPLER_VIEW", "SHADER_IMAGE", "CUSTOM", "LINEAR"),
]


def test_flags_of_uses_may_be_combined() -> None:
    texture = screen().resource_create(width0=4, height0=4, bind=BINDS)
    buffer = screen().resource_create(target="BUFFER", width0=64, bind=BUFFER_BINDS)
    assert all(texture.bind & g.Bind[name] for name in BINDS)
    assert all(buffer.bind & g.Bind[name] for name in BUFFER_BINDS)
    for name in BINDS:
        assert screen().resource_create(width0=4, height0=4, bind=name).bind == g.Bind[name]
    for name in BUFFER_BINDS:
        assert screen().resource_create(target="BUFFER", width0=64, bind=name).bind == g.Bind[name]


def test_a_format_is_supported_only_if_every_use_is() -> None:
    for format in ("R32G32B32_FLOAT", "R8G8B8A8_UINT", "Z16_UNORM", "DXT1_RGB"):
        uses = ("SAMPLER_VIEW", "RENDER_TARGET", "BLENDABLE", "DEPTH_STENCIL", "SHADER_IMAGE")
        alone = {use: screen().is_format_supported(format, bind=use) for use in uses}
        assert alone["SAMPLER_VIEW"]
        for use in uses[1:]:
            assert screen().is_format_supported(format, bind=f"SAMPLER_VIEW|{use}") is alone[use]
        assert not screen().is_format_supported(format, bind=list(uses))


def test_memory_for_other_processes_is_refused() -> None:
    assert not screen().is_format_supported("R8G8B8A8_UNORM", bind="SHARED")
    with pytest.raises(UnsupportedError, match="bind SHARED"):
        screen().resource_create(width0=4, height0=4, bind="SHARED")


@pytest.mark.parametrize("flag", ["TEXTURING_MORE_LIKELY", "DRV_PRIV", "ST_PRIV"])
def test_flags_for_drivers_and_frontends_change_nothing(ctx: g.Context, flag: str) -> None:
    texture = screen().resource_create(width0=4, height0=4, flags=flag)
    ctx.clear_render_target(texture, color=(1, 1, 1, 1))
    ctx.flush()
    assert (texture.texels() == 255).all()


def test_asking_for_a_resource_takes_no_memory() -> None:
    with g.Screen(threads=0) as own:  # other tests leave garbage in a shared one
        before = own.query_memory_info()["used_bytes"]
        assert own.can_create_resource(g.Template(width0=16384, height0=16384))
        layers: dict[str, Any] = {"target": g.TextureTarget.TEXTURE_2D_ARRAY, "format": g.Format.R32G32B32A32_FLOAT}  # 4 GiB
        assert own.can_create_resource(g.Template(width0=16384, height0=16384, array_size=15, **layers))
        assert not own.can_create_resource(g.Template(width0=16384, height0=16384, array_size=16, **layers))
        assert own.query_memory_info()["used_bytes"] == before


def test_a_template_says_what_a_resource_is() -> None:
    given = g.Template(
        target=g.TextureTarget.TEXTURE_2D_ARRAY, format=g.Format.R16_FLOAT, width0=8, height0=4, array_size=3, last_level=2, nr_samples=1
    )
    made = screen().resource_create(given)
    assert (made.target, made.format, made.width0, made.height0, made.array_size, made.last_level) == (
        given.target, given.format, 8, 4, 3, 2,
    )  # fmt: skip
    wrongs: tuple[dict[str, Any], ...] = (
        {"height0": 2, "target": "TEXTURE_1D"},
        {"depth0": 2},
        {"array_size": 2},
        {"array_size": 5, "target": "TEXTURE_CUBE"},
    )
    for wrong in wrongs:
        with pytest.raises(ValueError, match="resource_create: "):
            screen().resource_create(width0=4, **wrong)


def test_a_resource_that_changed_elsewhere_is_seen_as_it_is_now() -> None:
    mine = np.zeros(4, np.float32)
    shared = screen().resource_from_user_memory(mine)
    picture = Picture(4, 4)
    picture.ctx.set_constant_buffer("FRAGMENT", shared)
    for value in (0.25, 0.75):
        mine[:] = value
        screen().resource_changed(shared)
        picture.ctx.set_constant_buffer("FRAGMENT", shared)
        assert (picture.draw(CONSTANT).pixels() == value).all()


@pytest.mark.parametrize(
    "flags", ["NONE", "COMPUTE_ONLY", "DEBUG", "ROBUST_BUFFER_ACCESS", "PREFER_THREADED", "HIGH_PRIORITY", "LOW_PRIORITY"]
)
def test_a_context_of_any_flags_draws(flags: str) -> None:
    private = object()
    with screen().context_create(private, flags=flags) as ctx:
        assert ctx.priv is private
        texture = screen().resource_create(width0=4, height0=4)
        ctx.clear_render_target(texture, color=(1, 1, 1, 1))
        ctx.flush()
        assert (texture.texels() == 255).all()


FLUSHES = ["NONE", "END_OF_FRAME", "DEFERRED", "ASYNC", "HINT_FINISH", "TOP_OF_PIPE", "BOTTOM_OF_PIPE"]


@pytest.mark.parametrize("flags", FLUSHES)
def test_the_fence_of_any_flush_is_signaled_in_the_end(flags: str) -> None:
    picture = Picture(4, 4).draw()
    fence = picture.ctx.flush(flags)
    assert screen().fence_finish(fence, context=picture.ctx)
    assert (picture.targets[0].texels() == 1).all()


BARRIERS = [name for name in g.Barrier.__members__ if name != "NONE"]


@pytest.mark.parametrize("flags", BARRIERS)
def test_every_barrier_shows_what_a_draw_stored(flags: str) -> None:
    picture = Picture(4, 4)
    buffer = picture.buffer(np.zeros(1, np.uint32))
    picture.ctx.set_shader_buffers("FRAGMENT", [buffer])
    picture.draw("FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 7, 0, 0}\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\nEND\n")
    picture.ctx.memory_barrier(flags)
    assert buffer.storage[:4].view(np.uint32)[0] == 7


@pytest.mark.parametrize("flags", ["SAMPLER", "FRAMEBUFFER", 3])
def test_every_texture_barrier_shows_what_was_drawn(flags: str | int) -> None:
    picture = Picture(4, 4).draw()
    picture.ctx.texture_barrier(flags)
    assert (picture.targets[0].texels() == 1).all()


@pytest.mark.parametrize("access", ["READ", "WRITE", "READ_WRITE"])
def test_the_access_of_an_image_is_a_hint(access: str) -> None:
    picture = Picture(1, 1)
    image = screen().resource_create(width0=1, height0=1, format="R32_UINT")
    picture.ctx.set_shader_images("FRAGMENT", [g.ImageView(image, access=access)])
    picture.draw(
        "FRAG\nDCL OUT[0], COLOR\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nIMM[0] UINT32 {0, 7, 0, 0}\n"
        "STORE IMAGE[0], IMM[0].xxxx, IMM[0].yyyy, 2D, PIPE_FORMAT_R32_UINT\nEND\n"
    )
    picture.ctx.flush()
    assert image.texels()[0, 0, 0, 0] == 7
