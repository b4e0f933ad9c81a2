"""Answers about the machine and about draws: the features behind them, used."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.unit.picture import GENERIC, PASS, TRIANGLE, WHITE, Picture, screen
from tgsi import UnsupportedError
from tgsi import gallium as g

pytestmark = pytest.mark.light


def cap(name: str) -> int:
    return screen().get_param(name)


def ones(value: float = 1.0) -> Any:
    return np.full((4, 4), value, np.float32)


def buffer_words(ctx: g.Context, buffer: g.Resource, count: int) -> Any:
    found = np.zeros(count, np.uint32)
    ctx.buffer_read(buffer, found)
    return found


# -- the machine ---------------------------------------------------------------------------------------------------------------
def test_memory_is_that_of_the_machine() -> None:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert cap("VIDEO_MEMORY") == total >> 20
    assert (cap("UMA"), cap("QUERY_MEMORY_INFO")) == (1, 1)
    with g.Screen(threads=0) as fresh:
        before = fresh.query_memory_info()
        kept = fresh.resource_create(target="BUFFER", width0=1 << 20)
        after = fresh.query_memory_info()
        assert before["total_device_memory"] == before["total_staging_memory"] == cap("VIDEO_MEMORY") * 1024
        assert after["used_bytes"] - before["used_bytes"] >= kept.width0
        assert before["avail_device_memory"] - after["avail_device_memory"] >= 1024
        assert after["peak_bytes"] >= after["used_bytes"]
        assert (after["device_memory_evicted"], after["nr_device_memory_evictions"]) == (0, 0)


def test_the_screen_is_no_pci_device() -> None:
    assert cap("VENDOR_ID") == cap("DEVICE_ID") == 0xFFFFFFFF
    assert [cap(f"PCI_{part}") for part in ("GROUP", "BUS", "DEVICE", "FUNCTION")] == [0] * 4
    assert cap("ACCELERATED") == 0
    assert screen().get_driver_uuid() == screen().get_device_uuid() == bytes(16)


def test_what_compute_answers_has_its_type() -> None:
    with g.Screen(threads=2) as several, g.Screen(threads=0) as one:
        assert one.get_compute_param("MAX_COMPUTE_UNITS") == 1
        assert several.get_compute_param("MAX_COMPUTE_UNITS") == min(3, len(os.sched_getaffinity(0)))
    assert (screen().get_compute_param("IR_TARGET"), screen().get_compute_param("MAX_CLOCK_FREQUENCY")) == ("", 0)


def test_mapped_words_are_little_endian(ctx: g.Context) -> None:
    assert cap("ENDIANNESS") == 0
    texture = ctx.screen.resource_create(width0=1, height0=1, format="R8G8B8A8_UNORM")
    ctx.clear_render_target(texture, color=(1, 0, 0, 0))
    with ctx.transfer_map(texture, usage="READ") as mapped:
        assert int.from_bytes(mapped.data.tobytes(), "little") == 0xFF


def test_names_stay_what_they_are() -> None:
    with g.Screen(threads=0, cpu="x86-64") as named:
        first = named.get_name(), named.get_vendor(), named.get_device_vendor()
        assert first == (named.get_name(), named.get_vendor(), named.get_device_vendor()) == ("tgsi (x86-64)", "tgsi", os.uname().machine)


def test_video_compilers_and_modifiers_are_absent() -> None:
    options: Any = screen().get_compiler_options
    assert options() is None
    assert (screen().get_video_param(), screen().is_video_format_supported("NV12")) == (0, False)
    assert screen().query_dmabuf_modifiers("R8G8B8A8_UNORM") == ()


def test_what_is_refused_names_its_cap(ctx: g.Context) -> None:
    assert not any(cap(name) for name in ("NATIVE_FENCE_FD", "DMABUF", "MEMOBJ"))
    refused: dict[str, Callable[[], object]] = {
        "create_fence_fd": lambda: ctx.create_fence_fd(0),
        "resource_get_handle": screen().resource_get_handle,
        "resource_from_memobj": screen().resource_from_memobj,
        "memobj_destroy": screen().memobj_destroy,
        "create_video_buffer": ctx.create_video_buffer,
    }
    for name, call in refused.items():
        with pytest.raises(UnsupportedError, match=f"{name} is not supported"):
            call()


# -- draws ---------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("color", ["R8_UNORM", "B5G6R5_UNORM", "R8G8B8A8_UNORM", "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT"])
@pytest.mark.parametrize("depth", ["Z16_UNORM", "Z24_UNORM_S8_UINT", "Z32_FLOAT_S8X24_UINT"])
def test_color_and_depth_of_any_sizes_go_together(color: str, depth: str) -> None:
    assert cap("MIXED_COLOR_DEPTH_BITS") == 1
    picture = Picture(4, 4, format=color)
    zs = screen().resource_create(width0=4, height0=4, format=depth, bind="DEPTH_STENCIL")
    picture.ctx.set_framebuffer_state(cbufs=picture.targets, zsbuf=zs)
    picture.ctx.clear("DEPTH", depth=0.25)
    less = g.DepthStencilAlphaState(depth=g.DepthState(True, True, g.CompareFunc.LESS))
    assert not picture.draw(dsa=less).pixels().any()  # at depth 0.5
    picture.ctx.clear("DEPTH", depth=1.0)
    assert picture.draw(dsa=less).pixels()[..., 0].all()


def test_targets_of_several_formats_take_one_draw() -> None:
    assert cap("MIXED_COLORBUFFER_FORMATS") == 1
    picture = Picture(4, 4)
    formats = ("R8G8B8A8_UNORM", "R32G32B32A32_FLOAT", "R16_UNORM", "R32_FLOAT")
    targets = [screen().resource_create(width0=4, height0=4, format=format) for format in formats]
    picture.ctx.set_framebuffer_state(cbufs=targets)
    outs = "".join(f"DCL OUT[{k}], COLOR[{k}]\n" for k in range(4))
    moves = "".join(f"MOV OUT[{k}], IMM[0]\n" for k in range(4))
    picture.draw(f"FRAG\n{outs}IMM[0] FLT32 {{1.0, 0.0, 1.0, 0.0}}\n{moves}END\n")
    picture.ctx.flush()
    assert [target.texels()[0, 0, 0].tolist() for target in targets] == [[255, 0, 255, 0], [1, 0, 1, 0], [65535], [1]]


def test_destination_alpha_is_1_where_a_format_has_none() -> None:
    assert cap("RGB_OVERRIDE_DST_ALPHA_BLEND") == 0
    for format, expected in (("R8G8B8X8_UNORM", 255), ("R8G8B8A8_UNORM", 0)):
        picture = Picture(4, 4, format=format)
        ctx = picture.ctx
        ctx.bind_blend_state(ctx.create_blend_state(blend_enable=True, rgb_src_factor="DST_ALPHA", rgb_dst_factor="ZERO"))
        assert picture.draw().pixels()[0, 0, 0] == expected


def test_stencil_is_that_of_the_fragment_program() -> None:
    assert cap("SHADER_STENCIL_EXPORT") == 1
    picture = Picture(4, 4)
    zs = screen().resource_create(width0=4, height0=4, format="Z24_UNORM_S8_UINT", bind="DEPTH_STENCIL")
    picture.ctx.set_framebuffer_state(cbufs=picture.targets, zsbuf=zs)
    replace = g.StencilState(enabled=True, func=g.CompareFunc.ALWAYS, zpass_op=g.StencilOp.REPLACE, writemask=255)
    text = "FRAG\nDCL OUT[0], COLOR\nDCL OUT[1], STENCIL\nIMM[0] UINT32 {0, 77, 0, 0}\nMOV OUT[1].y, IMM[0].yyyy\nEND\n"
    picture.ctx.set_stencil_ref((5, 5))
    picture.draw(text, dsa=g.DepthStencilAlphaState(stencil=(replace, replace)))
    picture.ctx.flush()
    assert (np.asarray(zs.texels()).view(np.uint32) >> 24 == 77).all()


def test_a_vertex_program_saturates() -> None:
    assert cap("VERTEX_SHADER_SATURATE") == 1
    vertex = PASS.replace("MOV OUT[1], IN[1]", "MOV_SAT OUT[1], IN[1]")
    assert Picture(4, 4).draw(GENERIC, vertex, values=ones(3)).pixels()[0, 0].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("format", ["R16_FLOAT", "R32_FLOAT", "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT"])
def test_textures_of_floats_are_filtered(format: str) -> None:
    assert (cap("TEXTURE_FLOAT_LINEAR"), cap("TEXTURE_HALF_FLOAT_LINEAR")) == (1, 1)
    picture = Picture(1, 1)
    ctx = picture.ctx
    texture = screen().resource_create(width0=2, height0=1, format=format)
    channels = 4 if "G" in format else 1
    ctx.texture_subdata(texture, np.array([[100.5] * channels, [-300.0] * channels], np.float16 if "16" in format else np.float32))
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
    for given, expected in (({"mag_img_filter": "LINEAR"}, -99.75), ({"min_img_filter": "LINEAR", "lod_bias": 1.0}, -99.75), ({}, -300.0)):
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(None, **given)])
        picture.draw(
            "FRAG\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.5, 0.5, 0.0, 0.0}\n"
            "TXL OUT[0], IMM[0], SAMP[0], 2D\nEND\n"
        )
        assert picture.pixels()[0, 0, 0] == expected


@pytest.mark.parametrize("engine", ["jit", "interp"])
def test_the_clock_of_programs_grows(engine: str) -> None:
    assert cap("TGSI_CLOCK") == 1
    text = (
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL OUT[1], GENERIC[1]\nDCL TEMP[0..1]\nIMM[0] UINT32 {0, 1, 1000, 0}\nCLOCK OUT[0]\n"
        "BGNLOOP\nUSGE TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz\nUIF TEMP[0].yyyy\nBRK\nENDIF\n"
        "UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\n"
        "CLOCK OUT[1]\nEND\n"
    )
    words = tgsi.run(tgsi.parse(text), np.zeros((1, 1, 4), np.float32), engine=engine).outputs[0]
    first, second = (int(row[0]) | int(row[1]) << 32 for row in words)
    assert second > first


def test_bounds_of_indices_change_nothing() -> None:
    assert cap("FORCE_COMPUTE_MINMAX_INDICES") == 0
    index = np.array([0, 1, 2, 3], np.uint16)
    hints: list[dict[str, Any]] = [
        {},
        {"min_index": 0, "max_index": 3},
        {"min_index": 0, "max_index": 0xFFFFFFFF},
        {"min_index": 2, "max_index": 2},
    ]
    pictures = [Picture(8, 8).draw(index=index, count=4, **bounds).pixels().tobytes() for bounds in hints]
    assert len(set(pictures)) == 1


def test_legacy_inputs_and_outputs_go_from_stage_to_stage() -> None:
    names = ("COLOR", "COLOR[1]", "FOG", "TEXCOORD[0]", "TEXCOORD[7]")
    for name in names:
        vertex = PASS.replace("GENERIC[0]", name)
        fragment = GENERIC.replace("GENERIC[0]", name)
        assert Picture(4, 4).draw(fragment, vertex, values=ones(0.5)).pixels()[0, 0].tolist() == [0.5] * 4, name
    clipped = PASS.replace("GENERIC[0]", "CLIPVERTEX")
    picture = Picture(4, 4).draw(WHITE, clipped, values=ones(-1), planes=[(1, 0, 0, 0)], rasterizer={"clip_plane_enable": 1})
    assert not picture.covered().any()
    flags = PASS.replace("GENERIC[0]", "EDGEFLAG")
    lines = {"fill_front": "LINE", "fill_back": "LINE"}
    assert not Picture(4, 4).draw(WHITE, flags, values=ones(0), mode="TRIANGLES", count=3, rasterizer=lines).covered().any()


def test_a_minimum_of_samples_runs_the_program_for_each() -> None:
    assert cap("SAMPLE_SHADING") == 1
    counts = []
    for least in (0, 1, 2, 4):
        picture = Picture(4, 4)
        target = screen().resource_create(width0=4, height0=4, format="R8G8B8A8_UNORM", nr_samples=4)
        picture.ctx.set_framebuffer_state(cbufs=[target])
        picture.ctx.set_min_samples(least)
        counter = picture.buffer(np.zeros(1, np.uint32))
        picture.ctx.set_shader_buffers("FRAGMENT", [counter])
        text = (
            "FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 1, 0, 0}\n"
            "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\nMOV OUT[0], IMM[0].xxxx\nEND\n"
        )
        picture.draw(text, points=TRIANGLE, mode="TRIANGLES", rasterizer={"multisample": True})
        counts.append(int(buffer_words(picture.ctx, counter, 1)[0]))
    assert counts[:2] == [16, 16]
    assert counts[2] >= 32  # at least two times a pixel
    assert counts[3] == 64


@pytest.mark.parametrize(
    ("of_view", "layers", "expected"),
    [
        ("TEXTURE_2D", (3, 3), [3]),
        ("TEXTURE_2D_ARRAY", (2, 4), [2, 3, 4]),
        ("TEXTURE_CUBE", (1, 6), [1]),
        ("TEXTURE_CUBE_ARRAY", (0, 5), [0]),
    ],
)
def test_a_view_has_another_target_than_its_texture(of_view: str, layers: tuple[int, int], expected: list[int]) -> None:
    assert cap("SAMPLER_VIEW_TARGET") == 1
    texture = screen().resource_create(target="TEXTURE_2D_ARRAY", width0=1, height0=1, array_size=12, format="R32_FLOAT")
    name = of_view.removeprefix("TEXTURE_").replace("CUBE_ARRAY", "CUBEARRAY")
    for number, layer in enumerate(expected):
        picture = Picture(1, 1)
        ctx = picture.ctx
        ctx.texture_subdata(texture, np.arange(12, dtype=np.float32), layer_stride=4)
        view = ctx.create_sampler_view(texture, target=of_view, first_layer=layers[0], last_layer=layers[1])
        ctx.set_sampler_views("FRAGMENT", [view])
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
        place = "1.0, 0.0, 0.0, 0.0" if "CUBE" in name else f"0.5, 0.5, {float(number)}, 0.0"
        picture.draw(
            f"FRAG\nDCL SAMP[0]\nDCL SVIEW[0], {name}, FLOAT\nDCL OUT[0], COLOR\n"
            f"IMM[0] FLT32 {{{place}}}\nTEX OUT[0], IMM[0], SAMP[0], {name}\nEND\n"
        )
        assert picture.pixels()[0, 0, 0] == layer


# -- memory --------------------------------------------------------------------------------------------------------------------
def test_a_buffer_may_be_mapped_while_draws_read_it() -> None:
    assert cap("ALLOW_MAPPED_BUFFERS_DURING_EXECUTION") == 1
    picture = Picture(4, 4)
    buffer = picture.buffer(np.full(4, 0.5, np.float32))
    picture.ctx.set_constant_buffer("FRAGMENT", buffer)
    with picture.ctx.transfer_map(buffer, usage="READ") as mapped:
        picture.draw("FRAG\nDCL CONST[0]\nDCL OUT[0], COLOR\nMOV OUT[0], CONST[0]\nEND\n")
        assert picture.pixels()[0, 0].tolist() == [0.5] * 4
        assert mapped.data.tobytes() == np.full(4, 0.5, np.float32).tobytes()


def test_buffers_of_all_stages_are_usable_at_once() -> None:
    assert cap("MAX_COMBINED_SHADER_BUFFERS") == 0
    picture = Picture(1, 1)
    last = screen().get_shader_param("VERTEX", "MAX_SHADER_BUFFERS") - 1
    buffers = {}
    for stage in ("VERTEX", "FRAGMENT"):
        assert screen().get_shader_param(stage, "MAX_SHADER_BUFFERS") == last + 1
        buffers[stage] = [picture.buffer(np.zeros(1, np.uint32)) for _ in range(last + 1)]
        picture.ctx.set_shader_buffers(stage, buffers[stage])
    declared = "".join(f"DCL BUFFER[{k}]\n" for k in range(last + 1)) + "IMM[0] UINT32 {0, 7, 0, 0}\n"
    stores = "".join(f"STORE BUFFER[{k}].x, IMM[0].xxxx, IMM[0].yyyy\n" for k in range(last + 1))
    vertex = PASS.replace("MOV OUT[0]", f"{declared}{stores}MOV OUT[0]")
    picture.draw(f"FRAG\nDCL OUT[0], COLOR\n{declared}{stores}END\n", vertex)
    picture.ctx.flush()
    assert {int(buffer_words(picture.ctx, b, 1)[0]) for stage in buffers.values() for b in stage} == {7}


ATOMIC = {
    "BUFFER": ("DCL BUFFER[0]", "BUFFER[0], IMM[0].xxxx, IMM[1].xxxx"),
    "IMAGE": ("DCL BUFFER[0]\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_FLOAT, WR", "IMAGE[0], IMM[0], IMM[1].xxxx, 2D, PIPE_FORMAT_R32_FLOAT"),
    "SHARED": ("DCL BUFFER[0]\nDCL MEMORY[0], SHARED", "MEMORY[0], IMM[0].xxxx, IMM[1].xxxx"),
}


@pytest.mark.parametrize("memory", ATOMIC)
def test_atomics_of_floats_add_in_every_memory(ctx: g.Context, memory: str) -> None:
    assert cap("TGSI_ATOMFADD") == 1
    declared, operands = ATOMIC[memory]
    load = {"SHARED": "LOAD TEMP[0].x, MEMORY[0], IMM[0].xxxx\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]\n"}.get(memory, "")
    buffer = ctx.screen.resource_create(target="BUFFER", width0=4)
    image = ctx.screen.resource_create(width0=1, height0=1, format="R32_FLOAT")
    ctx.set_shader_buffers("COMPUTE", [buffer])
    ctx.set_shader_images("COMPUTE", [image])
    text = f"COMP\n{declared}\nDCL TEMP[0]\nIMM[0] UINT32 {{0, 0, 0, 0}}\nIMM[1] FLT32 {{0.25, 0.0, 0.0, 0.0}}\n"
    ctx.bind_compute_state(ctx.create_compute_state(f"{text}ATOMFADD TEMP[0].x, {operands}\nBARRIER\n{load}END\n"))
    ctx.launch_grid(block=(8, 1, 1), grid=(1, 1, 1))
    ctx.flush()
    found = image.texels()[0, 0, 0, 0] if memory == "IMAGE" else buffer_words(ctx, buffer, 1).view(np.float32)[0]
    assert found == 2
