"""Resources: layout, views, memory."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from backends.formats.arrays import texel_type
from backends.gallium.resource.layout import levels_of
from tests.texts import VS_POSITION
from tgsi import gallium as g


@pytest.mark.parametrize("width", [1, 16, 63, 64, 65, 256, 1920, 8192])
@pytest.mark.parametrize("format", ["R8_UNORM", "R8G8B8A8_UNORM", "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT", "Z16_UNORM"])
def test_rendered_rows_are_an_odd_number_of_lines_in_whole_tiles(format: str, width: int) -> None:
    found = g.Format(format)
    bind = g.Bind.DEPTH_STENCIL if found.is_depth_stencil else g.Bind.RENDER_TARGET
    (level,), size = levels_of(g.Template(width0=width, height0=100, format=found, bind=bind))
    assert level.row_stride % 64 == 0
    assert level.row_stride // 64 % 2 == 1
    assert level.row_stride >= -(-width // 64) * 64 * found.block_bytes
    assert size == level.row_stride * 128


def test_small_textures_are_not_padded_to_tiles() -> None:
    levels, size = levels_of(g.Template(width0=16, height0=16, last_level=4, bind=g.Bind.SAMPLER_VIEW))
    assert [(level.width, level.height, level.row_stride) for level in levels] == [(16 >> i, 16 >> i, 64) for i in range(5)]
    assert size == 64 * 31


def test_storage_is_aligned_zero_and_has_slack(screen: g.Screen) -> None:
    resource = screen.resource_create(width0=100, height0=30)
    assert resource.address % 64 == 0
    assert not resource.storage.any()
    block = resource.storage.base
    assert isinstance(block, np.ndarray)
    offset = resource.address - block.__array_interface__["data"][0]
    assert block.size - offset - resource.size >= 64


def test_levels_layers_and_slices_do_not_overlap(screen: g.Screen) -> None:
    for given in (
        {"target": "TEXTURE_CUBE", "width0": 8, "height0": 8, "last_level": 3},
        {"target": "TEXTURE_3D", "width0": 8, "height0": 4, "depth0": 5, "last_level": 3},
        {"target": "TEXTURE_1D_ARRAY", "width0": 9, "array_size": 3, "last_level": 1},
        {"target": "TEXTURE_CUBE_ARRAY", "width0": 4, "height0": 4, "array_size": 12},
    ):
        resource = screen.resource_create(**given)  # type: ignore[arg-type]
        number = 0
        for level in range(len(resource.levels)):
            for layer in resource.blocks(level):
                number += 1
                layer[...] = number
        seen = [int(layer.min()) for level in range(len(resource.levels)) for layer in resource.blocks(level)]
        assert seen == list(range(1, number + 1))


def test_slices_of_a_volume_shrink_and_layers_of_an_array_do_not(screen: g.Screen) -> None:
    volume = screen.resource_create(target="TEXTURE_3D", width0=8, height0=8, depth0=8, last_level=2)
    array = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=8, height0=8, array_size=8, last_level=2)
    assert [level.layers for level in volume.levels] == [8, 4, 2]
    assert [level.layers for level in array.levels] == [8, 8, 8]


@pytest.mark.parametrize(
    ("format", "dtype", "channels"),
    [
        ("R8G8B8A8_UNORM", "u1", 4), ("R8_SNORM", "i1", 1), ("R16G16_FLOAT", "f2", 2), ("R32_UINT", "u4", 1), ("Z32_FLOAT", "f4", 0),
        ("Z16_UNORM", "u2", 0), ("Z24_UNORM_S8_UINT", "u4", 0), ("B5G6R5_UNORM", "u2", 0), ("R32G32B32_SINT", "i4", 3),
        ("Z32_FLOAT_S8X24_UINT", "u8", 0),
    ],
)  # fmt: skip
def test_texels_have_the_type_of_their_format(format: str, dtype: str, channels: int) -> None:
    assert texel_type(g.Format(format)) == (np.dtype(dtype), channels)


def test_memory_is_counted_and_given_back() -> None:
    screen = g.Screen(threads=0)
    resource = screen.resource_create(target="BUFFER", width0=1000)
    other = screen.resource_create(target="BUFFER", width0=24)
    assert screen.memory.used == 1024
    screen.resource_destroy(resource)
    screen.resource_destroy(resource)
    assert screen.memory.used == 24
    del other
    gc.collect()
    assert screen.memory.used == 0
    assert screen.query_memory_info()["peak_bytes"] == 1024


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"width0": 0}, "width0: 0 is not in 1 .. 16384"),
        ({"width0": 17000}, "width0: 17000"),
        ({"target": "TEXTURE_1D", "width0": 4, "height0": 2}, "height0: 2 is not in 1 .. 1 for TEXTURE_1D"),
        ({"target": "TEXTURE_CUBE", "width0": 4, "height0": 2}, "faces of a cube are square"),
        ({"target": "TEXTURE_CUBE", "width0": 4, "height0": 4, "array_size": 5}, "array_size: 5"),
        ({"width0": 4, "array_size": 2}, "array_size: 2 is not in 1 .. 1"),
        ({"width0": 4, "height0": 4, "last_level": 3}, "last_level: 3 is not in 0 .. 2"),
        ({"width0": 4, "nr_samples": 3}, "nr_samples: 3 is not supported; 0, 1, 2, 4, 8, 16 are"),
        ({"width0": 4, "height0": 4, "nr_samples": 4, "last_level": 1}, "nr_samples: only a 2D texture or array of one level"),
        ({"width0": 4, "format": "R8G8B8A9_UNORM"}, "did you mean"),
        ({"width0": 4, "format": "Z16_UNORM", "bind": "RENDER_TARGET"}, "Z16_UNORM TEXTURE_2D cannot be used as RENDER_TARGET"),
        ({"width0": 8192, "height0": 8192, "array_size": 2048, "target": "TEXTURE_2D_ARRAY"}, "at most 68719476736"),
        ({"target": "TEXTURE_4D"}, "target: 'TEXTURE_4D' is not a TextureTarget; did you mean TEXTURE_3D"),
    ],
)
def test_impossible_resources_are_refused_by_name(screen: g.Screen, given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        screen.resource_create(**given)  # type: ignore[arg-type]


def test_the_largest_target_of_four_bytes_is_drawn_to_and_read_in_its_last_corner(screen: g.Screen, ctx: g.Context) -> None:
    size, half = 1 << 14, 8
    vs = VS_POSITION
    fs = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0, 1, 0, 1}\nMOV OUT[0], IMM[0]\nEND\n"
    target = screen.resource_create(width0=size, height0=size, bind="RENDER_TARGET|SAMPLER_VIEW")
    assert target.size == 1 << 30
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.set_viewport_states([{"scale": (half, half, 0.5), "translate": (size - half, size - half, 0.5)}])
    ctx.bind_vs_state(ctx.create_vs_state(vs))
    ctx.bind_fs_state(ctx.create_fs_state(fs))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
    ctx.set_vertex_buffers([np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], "f4")])
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    ctx.flush()
    corner = target.blocks()[0, -2 * half :, -2 * half :]
    assert (corner == (0, 255, 0, 255)).all()


def test_unsupported_uses_are_named(screen: g.Screen) -> None:
    from tgsi import UnsupportedError

    with pytest.raises(UnsupportedError, match="SHARED"):
        screen.resource_create(target="BUFFER", width0=4, bind="SHARED")


def test_user_memory_is_read_and_written_back(screen: g.Screen, ctx: g.Context) -> None:
    memory = np.zeros((16, 16, 4), np.uint8)
    target = screen.resource_from_user_memory(memory, target="TEXTURE_2D", width0=16, height0=16)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear("COLOR", color=(1, 0, 0, 1))
    ctx.flush()
    assert (memory == (255, 0, 0, 255)).all()


def test_user_memory_that_is_only_read_is_never_written(screen: g.Screen, drawing: g.Context) -> None:
    corners = np.array([[-1, -1, 1, 1, 1, 1], [3, -1, 1, 1, 1, 1], [-1, 3, 1, 1, 1, 1]], np.float32)
    buffer = screen.resource_from_user_memory(corners)
    target = screen.resource_create(width0=16, height0=16)
    drawing.set_framebuffer_state(cbufs=[target])
    drawing.set_vertex_buffers([g.VertexBuffer(buffer, 24)])
    drawing.draw_vbo(count=3)
    corners[:, 2:] = 0.2
    drawing.flush()
    assert (corners[:, 2:] == np.float32(0.2)).all()
    assert (target.texels() == 255).all()
    drawing.draw_vbo(count=3)
    drawing.flush()
    assert (target.texels() == 51).all()


def test_user_memory_is_written_when_another_target_is_bound(screen: g.Screen, ctx: g.Context) -> None:
    memory = np.zeros((16, 16, 4), np.uint8)
    ctx.set_framebuffer_state(cbufs=[screen.resource_from_user_memory(memory, target="TEXTURE_2D", width0=16, height0=16)])
    ctx.clear("COLOR", color=(1, 1, 1, 1))
    ctx.set_framebuffer_state()
    assert memory.all()


def test_user_memory_that_is_too_small_is_refused(screen: g.Screen) -> None:
    with pytest.raises(ValueError, match="memory: 1024 bytes are needed, 100 are there"):
        screen.resource_from_user_memory(bytes(100), target="TEXTURE_2D", width0=16, height0=16)


def test_sizes_can_be_asked_for_without_allocating(screen: g.Screen) -> None:
    assert screen.can_create_resource(g.Template(width0=8192, height0=8192))
    assert not screen.can_create_resource(g.Template(width0=16385, height0=8192))
