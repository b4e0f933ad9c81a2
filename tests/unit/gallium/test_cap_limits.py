"""Limits that the screen answers, reached: what a limit allows is carried out, and what lies beyond is refused by name where it can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.gallium.cap_answers import U32, cap, compute_cap, f32, first_word, words
from tests.unit.picture import screen
from tgsi import gallium as g

pytestmark = pytest.mark.light

# -- textures and buffers ------------------------------------------------------------------------------------------------------
SIZES: dict[str, tuple[dict[str, Any], str]] = {
    "MAX_TEXTURE_2D_SIZE": ({"width0": 16384, "height0": 1}, "width0"),
    "MAX_TEXTURE_ARRAY_LAYERS": ({"target": "TEXTURE_2D_ARRAY", "width0": 1, "array_size": 2048}, "array_size"),
    "MAX_TEXTURE_2D_LEVELS": ({"width0": 16384, "last_level": 14}, "last_level"),
    "MAX_TEXTURE_3D_LEVELS": ({"target": "TEXTURE_3D", "width0": 2048, "last_level": 11}, "last_level"),
    "MAX_TEXTURE_CUBE_LEVELS": (
        {"target": "TEXTURE_CUBE", "width0": 16384, "height0": 16384, "array_size": 6, "last_level": 14},
        "last_level",
    ),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_texture_is_as_large_as_the_cap_says_and_no_larger(name: str) -> None:
    fields, field = SIZES[name]
    assert fields[field] + (field == "last_level") == cap(name)
    template = g.Template(**{"format": g.Format.R8_UNORM, **fields})
    assert screen().can_create_resource(template)
    assert not screen().can_create_resource(g.Template(**{"format": g.Format.R8_UNORM, **fields, field: fields[field] + 1}))


def test_a_buffer_view_has_as_many_texels_of_any_format_as_the_cap_says(ctx: g.Context) -> None:
    texels = cap("MAX_TEXTURE_BUFFER_SIZE")
    buffer = ctx.screen.resource_create(target="BUFFER", width0=16 * texels)
    ctx.buffer_subdata(buffer, f32([1, 2, 3, 4]), offset=16 * (texels - 1))
    ctx.set_sampler_views("COMPUTE", [ctx.create_sampler_view(buffer, format="R32G32B32A32_FLOAT")])
    out = ctx.screen.resource_create(target="BUFFER", width0=32)
    ctx.set_shader_buffers("COMPUTE", [out])
    ctx.bind_compute_state(
        ctx.create_compute_state(
            "COMP\nDCL SVIEW[0], BUFFER, FLOAT\nDCL SAMP[0]\nDCL BUFFER[0]\nDCL TEMP[0..1]\n"
            f"IMM[0] UINT32 {{0, 16, {texels - 1}, 0}}\n"
            "TXF TEMP[0], IMM[0].zzzz, SAMP[0], BUFFER\nSTORE BUFFER[0], IMM[0].xxxx, TEMP[0]\n"
            "TXQ TEMP[1].x, IMM[0].xxxx, SAMP[0], BUFFER\nSTORE BUFFER[0].x, IMM[0].yyyy, TEMP[1]\nEND\n"
        )
    )
    ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1))
    assert words(ctx, out, 4).view(np.float32).tolist() == [1, 2, 3, 4]
    assert first_word(ctx, out, 16) == texels


def test_a_shader_buffer_is_as_large_as_the_cap_says(ctx: g.Context) -> None:
    size = cap("MAX_SHADER_BUFFER_SIZE")
    assert not screen().can_create_resource(g.Template(target=g.TextureTarget.BUFFER, width0=size + 1))
    buffer = ctx.screen.resource_create(target="BUFFER", width0=size)
    ctx.set_shader_buffers("COMPUTE", [buffer])
    ctx.bind_compute_state(
        ctx.create_compute_state(
            f"COMP\nDCL BUFFER[0]\nIMM[0] UINT32 {{{size - 4}, 77, 0, 0}}\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\nEND\n"
        )
    )
    ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1))
    assert first_word(ctx, buffer, size - 4) == 77


def test_mappings_of_buffers_are_aligned_as_the_cap_says(ctx: g.Context) -> None:
    for width in (1, 63, 4097):
        with ctx.transfer_map(ctx.screen.resource_create(target="BUFFER", width0=width), usage="WRITE") as mapped:
            assert mapped.data.ctypes.data % cap("MIN_MAP_BUFFER_ALIGNMENT") == 0


# -- compute -------------------------------------------------------------------------------------------------------------------
COUNT = "COMP\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 1, 0, 0}\nATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\nEND\n"


def counted(ctx: g.Context, **launch: Any) -> int:
    out = ctx.screen.resource_create(target="BUFFER", width0=4)
    ctx.set_shader_buffers("COMPUTE", [out])
    ctx.bind_compute_state(ctx.create_compute_state(COUNT))
    ctx.launch_grid(**launch)
    return first_word(ctx, out)


@pytest.mark.parametrize("axis", range(3))
def test_grids_and_blocks_are_as_long_as_the_caps_say_along_each_axis(ctx: g.Context, axis: int) -> None:
    def along(size: int) -> tuple[int, ...]:
        return tuple(size if index == axis else 1 for index in range(3))

    grid, block = compute_cap("MAX_GRID_SIZE")[axis], compute_cap("MAX_BLOCK_SIZE")[axis]
    assert compute_cap("GRID_DIMENSION") == 3
    assert counted(ctx, grid=along(grid), block=(1, 1, 1)) == grid
    assert counted(ctx, grid=(1, 1, 1), block=along(block)) == block == compute_cap("MAX_THREADS_PER_BLOCK")
    assert block == compute_cap("MAX_VARIABLE_THREADS_PER_BLOCK")
    with pytest.raises(ValueError, match="launch_grid: grid"):
        counted(ctx, grid=along(grid + 1), block=(1, 1, 1))
    with pytest.raises(ValueError, match="launch_grid: block"):
        counted(ctx, grid=(1, 1, 1), block=along(block + 1))


MEMORIES = {"MAX_LOCAL_SIZE": ("SHARED", "req_local_mem"), "MAX_PRIVATE_SIZE": ("PRIVATE", "req_private_mem")}


@pytest.mark.parametrize("name", MEMORIES)
def test_memory_of_a_block_and_of_a_thread_is_as_large_as_the_caps_say(ctx: g.Context, name: str) -> None:
    kind, field = MEMORIES[name]
    size = compute_cap(name)
    text = (
        f"COMP\nDCL MEMORY[0], {kind}\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {{0, {size - 4}, {size}, 9}}\n"
        "STORE MEMORY[0].x, IMM[0].yyyy, IMM[0].wwww\nSTORE MEMORY[0].x, IMM[0].zzzz, IMM[0].wwww\n"
        "LOAD TEMP[0].x, MEMORY[0], IMM[0].yyyy\nLOAD TEMP[0].y, MEMORY[0].xxxx, IMM[0].zzzz\n"
        "STORE BUFFER[0].xy, IMM[0].xxxx, TEMP[0]\nEND\n"
    )
    out = ctx.screen.resource_create(target="BUFFER", width0=8)
    ctx.set_shader_buffers("COMPUTE", [out])
    ctx.bind_compute_state(ctx.create_compute_state(text, **{field: size}))
    ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1))
    assert [first_word(ctx, out), first_word(ctx, out, 4)] == [9, 0]
    with pytest.raises(ValueError, match=f"create_compute_state: {field}"):
        ctx.create_compute_state(text, **{field: size + 1})


def test_kernel_arguments_are_as_many_bytes_as_the_cap_says(ctx: g.Context) -> None:
    size = compute_cap("MAX_INPUT_SIZE")
    text = (
        f"COMP\nDCL MEMORY[0], INPUT\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {{0, {size - 4}, 0, 0}}\n"
        "LOAD TEMP[0].x, MEMORY[0], IMM[0].yyyy\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]\nEND\n"
    )
    out = ctx.screen.resource_create(target="BUFFER", width0=4)
    ctx.set_shader_buffers("COMPUTE", [out])
    ctx.bind_compute_state(ctx.create_compute_state(text, req_input_mem=size))
    ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1), input=np.arange(size // 4, dtype=U32).tobytes())
    assert first_word(ctx, out) == size // 4 - 1
    with pytest.raises(ValueError, match="create_compute_state: req_input_mem"):
        ctx.create_compute_state(text, req_input_mem=size + 1)


def test_global_memory_is_as_large_as_the_cap_says(ctx: g.Context) -> None:
    size = compute_cap("MAX_GLOBAL_SIZE")
    assert size == compute_cap("MAX_MEM_ALLOC_SIZE")
    assert size <= 1 << compute_cap("ADDRESS_BITS")
    buffer = ctx.screen.resource_create(target="BUFFER", width0=size, bind="GLOBAL")
    ctx.set_global_binding([buffer])
    ctx.bind_compute_state(
        ctx.create_compute_state(
            f"COMP\nDCL MEMORY[0], GLOBAL\nIMM[0] UINT32 {{{size - 4}, 5, 0, 0}}\nSTORE MEMORY[0].x, IMM[0].xxxx, IMM[0].yyyy\nEND\n"
        )
    )
    ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1))
    assert first_word(ctx, buffer, size - 4) == 5


def test_a_subgroup_has_as_many_threads_as_the_cap_says(ctx: g.Context) -> None:
    text = (
        "COMP\nDCL SV[0], SUBGROUP_SIZE\nDCL SV[1], THREAD_ID\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 4, 0, 0}\n"
        "READ_FIRST TEMP[0].x, SV[1].xxxx\nUMUL TEMP[0].y, SV[1].xxxx, IMM[0].yyyy\nSTORE BUFFER[0].x, TEMP[0].yyyy, TEMP[0].xxxx\nEND\n"
    )
    out = ctx.screen.resource_create(target="BUFFER", width0=64)
    ctx.set_shader_buffers("COMPUTE", [out])
    ctx.bind_compute_state(ctx.create_compute_state(text))
    ctx.launch_grid(block=(16, 1, 1), grid=(1, 1, 1))
    size = compute_cap("SUBGROUP_SIZE")
    assert words(ctx, out, 16).tolist() == [k // size * size for k in range(16)]


def test_each_slot_of_buffers_images_and_counters_that_the_caps_count_is_usable_at_once(ctx: g.Context) -> None:
    buffers, images = (screen().get_shader_param("COMPUTE", name) for name in ("MAX_SHADER_BUFFERS", "MAX_SHADER_IMAGES"))
    counters = cap("MAX_COMBINED_HW_ATOMIC_COUNTER_BUFFERS")
    assert counters == screen().get_shader_param("COMPUTE", "MAX_HW_ATOMIC_COUNTER_BUFFERS")
    lines = [*(f"DCL BUFFER[{k}]" for k in range(buffers)), *(f"DCL IMAGE[{k}], 2D, PIPE_FORMAT_R32_UINT, WR" for k in range(images))]
    lines += [*(f"DCL HWATOMIC[{k}][0]" for k in range(counters)), "DCL TEMP[0]", "IMM[0] UINT32 {0, 0, 0, 0}"]
    for k in range(buffers):
        lines += [f"IMM[{k + 1}] UINT32 {{{k + 1}, 0, 0, 0}}"]
    for k in range(buffers):
        lines.append(f"STORE BUFFER[{k}].x, IMM[0].xxxx, IMM[{k + 1}].xxxx")
    for k in range(images):
        lines.append(f"STORE IMAGE[{k}], IMM[0], IMM[{k + 1}].xxxx, 2D, PIPE_FORMAT_R32_UINT")
    lines += [f"ATOMUADD TEMP[0].x, HWATOMIC[{k}][0], IMM[0].xxxx, IMM[{k + 1}].xxxx" for k in range(counters)]
    create = ctx.screen.resource_create
    memory = [create(target="BUFFER", width0=4) for _ in range(buffers)]
    texels = [create(width0=1, height0=1, format="R32_UINT", bind="SHADER_IMAGE") for _ in range(images)]
    counts = [create(target="BUFFER", width0=4) for _ in range(counters)]
    ctx.set_shader_buffers("COMPUTE", memory)
    ctx.set_shader_images("COMPUTE", texels)
    ctx.set_hw_atomic_buffers(counts)
    ctx.bind_compute_state(ctx.create_compute_state("\n".join(["COMP", *lines, "END", ""])))
    ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1))
    expected = list(range(1, buffers + 1))
    assert [first_word(ctx, buffer) for buffer in memory] == expected
    assert [int(texture.texels()[0, 0, 0, 0]) for texture in texels] == expected
    assert [first_word(ctx, buffer) for buffer in counts] == expected[:counters]


def test_the_last_atomic_counter_of_a_stage_counts(ctx: g.Context) -> None:
    last = screen().get_shader_param("COMPUTE", "MAX_HW_ATOMIC_COUNTERS") - 1
    out = ctx.screen.resource_create(target="BUFFER", width0=4 * (last + 1))
    ctx.set_hw_atomic_buffers([out])
    ctx.bind_compute_state(
        ctx.create_compute_state(
            f"COMP\nDCL HWATOMIC[0][0..{last}]\nDCL TEMP[0]\nIMM[0] UINT32 {{3, 0, 0, 0}}\n"
            f"ATOMUADD TEMP[0].x, HWATOMIC[0][{last}], IMM[0].yyyy, IMM[0].xxxx\nEND\n"
        )
    )
    ctx.launch_grid(block=(1, 1, 1), grid=(1, 1, 1))
    assert first_word(ctx, out, 4 * last) == 3
