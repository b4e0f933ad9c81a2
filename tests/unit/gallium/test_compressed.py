"""Compressed textures: written as blocks, sampled as texels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import COMPRESSED, CompressedFormat
from backends.formats.arrays import unpack
from backends.formats.blocks.decode import decode
from tests.unit.picture import PASS, STRIP
from tgsi import gallium as g

FETCH = """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0][0]
DCL TEMP[0]
F2I TEMP[0], IN[0]
MOV TEMP[0].w, CONST[0][0].xxxx
TXF OUT[0], TEMP[0], SAMP[0], 2D
END
"""
RNG = np.random.default_rng(31)


def blocks_of(format: CompressedFormat, rows: int, columns: int) -> NDArray[np.uint8]:
    return RNG.integers(0, 256, (rows, columns, format.block_bytes), np.uint8)


def sampled(screen: g.Screen, ctx: g.Context, view: Any, width: int, height: int, level: int = 0) -> NDArray[np.float32]:
    """The texels of a level as a fragment shader fetches them: (height, width, 4)."""
    target = screen.resource_create(width0=width, height0=height, format="R32G32B32A32_FLOAT")
    draw(ctx, target, view, level)
    return np.array(ctx.transfer_map(target, usage="READ"))


def draw(ctx: g.Context, target: g.Resource, view: Any, level: int = 0) -> None:
    width, height = target.width0, target.height0
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.set_viewport_states([{"scale": (width / 2, height / 2, 0.5), "translate": (width / 2, height / 2, 0.5)}])
    corners = (STRIP[:, :2] + 1) / 2 * (width, height)
    vertices = np.concatenate([STRIP, corners, np.zeros((4, 2))], 1).astype(np.float32)
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))
    ctx.set_vertex_buffers([vertices])
    ctx.bind_vs_state(ctx.create_vs_state(PASS))
    ctx.bind_fs_state(ctx.create_fs_state(FETCH))
    ctx.set_constant_buffer("FRAGMENT", np.array([level, 0, 0, 0], np.int32).tobytes())
    ctx.set_sampler_views("FRAGMENT", [view])
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
    ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4)


def expected(format: CompressedFormat, blocks: NDArray[np.uint8], width: int, height: int) -> NDArray[Any]:
    texels = decode(format, blocks)[:height, :width]
    return unpack(format.plain, np.ascontiguousarray(texels).reshape(-1)).reshape(height, width, 4)


@pytest.mark.parametrize(
    "name", ["DXT1_RGBA", "DXT5_SRGBA", "RGTC2_SNORM", "LATC2_UNORM", "BPTC_RGB_UFLOAT", "ETC2_RG11_UNORM", "ASTC_8x5"]
)
def test_a_shader_reads_the_decoded_texels_of_every_level(screen: g.Screen, ctx: g.Context, name: str) -> None:
    format = COMPRESSED[name]
    texture = screen.resource_create(format=name, width0=37, height0=21, last_level=2, bind="SAMPLER_VIEW")
    view = ctx.create_sampler_view(texture)
    for level, (width, height) in enumerate([(37, 21), (18, 10), (9, 5)]):
        blocks = blocks_of(format, -(-height // format.block_height), -(-width // format.block_width))
        ctx.texture_subdata(texture, blocks, level=level)
        seen = sampled(screen, ctx, view, width, height, level)
        assert np.array_equal(seen, expected(format, blocks, width, height).astype(np.float32), equal_nan=True)


def test_a_part_is_rewritten_after_a_pending_draw_and_before_the_next(screen: g.Screen, ctx: g.Context) -> None:
    format = COMPRESSED["DXT1_RGB"]
    texture = screen.resource_create(format=format, width0=16, height0=12)
    blocks, new = blocks_of(format, 3, 4), blocks_of(format, 2, 1)
    ctx.texture_subdata(texture, blocks)
    targets = [screen.resource_create(width0=16, height0=12, format="R32G32B32A32_FLOAT") for _ in range(2)]
    view = ctx.create_sampler_view(texture)
    draw(ctx, targets[0], view)
    ctx.texture_subdata(texture, new, box=(8, 4, 4, 8))
    draw(ctx, targets[1], view)
    changed = blocks.copy()
    changed[1:3, 2:3] = new
    for target, wanted in zip(targets, (blocks, changed)):
        assert (np.array(ctx.transfer_map(target, usage="READ")) == expected(format, wanted, 16, 12)).all()


def test_a_mapping_shows_blocks_and_its_end_decodes_them(screen: g.Screen, ctx: g.Context) -> None:
    format = COMPRESSED["BPTC_RGBA_UNORM"]
    texture = screen.resource_create(format=format, width0=10, height0=9)
    view = ctx.create_sampler_view(texture)
    with ctx.transfer_map(texture, usage="WRITE", box=(4, 4, 6, 5)) as mapped:
        assert mapped.data.shape == (2, 2, 16)
        mapped.data[...] = blocks_of(format, 2, 2)
        written = mapped.data.copy()
    whole = np.zeros((3, 3, 16), np.uint8)
    whole[1:, 1:] = written
    assert (sampled(screen, ctx, view, 10, 9) == expected(format, whole, 10, 9)).all()
    into = np.zeros((3, 3, 16), np.uint8)
    ctx.texture_read(texture, into)
    assert (into == whole).all()


def test_array_layers_are_decoded_one_by_one(screen: g.Screen, ctx: g.Context) -> None:
    format = COMPRESSED["ETC2_RGBA8"]
    texture = screen.resource_create(format=format, target="TEXTURE_2D_ARRAY", width0=8, height0=8, array_size=3)
    blocks = RNG.integers(0, 256, (3, 2, 2, 16), np.uint8)
    ctx.texture_subdata(texture, blocks)
    for layer in range(3):
        view = ctx.create_sampler_view(texture, target="TEXTURE_2D", first_layer=layer)
        assert (sampled(screen, ctx, view, 8, 8) == expected(format, blocks[layer], 8, 8)).all()


def test_copies_move_blocks_between_compressed_and_plain_textures(screen: g.Screen, ctx: g.Context) -> None:
    format = COMPRESSED["DXT5_RGBA"]
    compressed = screen.resource_create(format=format, width0=13, height0=8)
    plain = screen.resource_create(format="R32G32B32A32_UINT", width0=6, height0=5)
    blocks = blocks_of(format, 2, 4)
    ctx.texture_subdata(compressed, blocks)
    ctx.resource_copy_region(plain, compressed, dstx=1, dsty=2)
    assert (plain.blocks()[0, 2:4, 1:5] == blocks).all()
    view = ctx.create_sampler_view(compressed)
    words = RNG.integers(0, 1 << 32, (2, 1, 4), np.uint32)
    ctx.texture_subdata(plain, words, box=(0, 0, 1, 2))
    ctx.resource_copy_region(compressed, plain, dstx=12, src_box=(0, 0, 1, 2))
    blocks[:, 3:] = words.view(np.uint8).reshape(2, 1, 16)
    assert (sampled(screen, ctx, view, 13, 8) == expected(format, blocks, 13, 8)).all()
    other = screen.resource_create(format=format, width0=8, height0=8)
    ctx.resource_copy_region(other, compressed, src_box=(4, 4, 8, 4), dsty=4)
    assert (other.blocks()[0, 1] == blocks[1, 1:3]).all()


def test_a_blit_reads_decoded_texels(screen: g.Screen, ctx: g.Context) -> None:
    format = COMPRESSED["RGTC1_UNORM"]
    texture = screen.resource_create(format=format, width0=8, height0=4)
    blocks = blocks_of(format, 1, 2)
    ctx.texture_subdata(texture, blocks)
    target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=8, height0=4)
    ctx.blit(target, src=texture)
    assert (np.array(ctx.transfer_map(target, usage="READ")) == expected(format, blocks, 8, 4)).all()
    with pytest.raises(ValueError, match="compressed; use resource_copy_region"):
        ctx.blit(texture, src=target)


def test_views_see_other_formats_of_the_same_blocks(screen: g.Screen, ctx: g.Context) -> None:
    texture = screen.resource_create(format="DXT1_RGB", width0=12, height0=8, last_level=2)
    blocks = blocks_of(COMPRESSED["DXT1_RGB"], 2, 3)
    ctx.texture_subdata(texture, blocks)
    for name in ("DXT1_SRGBA", "RGTC1_UNORM", "ETC2_RGB8"):
        view = ctx.create_sampler_view(texture, format=name)
        assert (sampled(screen, ctx, view, 12, 8) == expected(COMPRESSED[name], blocks, 12, 8).astype(np.float32)).all()
    words = ctx.create_sampler_view(texture, format="R16G16B16A16_UNORM")
    seen = sampled(screen, ctx, words, 3, 2)
    assert (seen == unpack(g.Format.R16G16B16A16_UNORM, blocks.reshape(-1)).reshape(2, 3, 4)).all()
    with pytest.raises(ValueError, match="ASTC_4x4 has 128 bits"):
        ctx.create_sampler_view(texture, format="ASTC_4x4")
    with pytest.raises(ValueError, match=r"last_level: 2 is not in 0 \.\. 0"):
        ctx.create_sampler_view(texture, format="R32G32_UINT", last_level=2)


def test_memory_of_the_caller_is_decoded_after_it_changed(screen: g.Screen, ctx: g.Context) -> None:
    format = COMPRESSED["DXT1_RGBA"]
    memory = blocks_of(format, 2, 2)
    texture = screen.resource_from_user_memory(memory, target="TEXTURE_2D", format=format, width0=8, height0=8)
    view = ctx.create_sampler_view(texture)
    assert (sampled(screen, ctx, view, 8, 8) == expected(format, memory, 8, 8)).all()
    memory[...] = blocks_of(format, 2, 2)
    screen.resource_changed(texture)
    assert (sampled(screen, ctx, view, 8, 8) == expected(format, memory, 8, 8)).all()


def test_a_clear_fills_blocks(screen: g.Screen, ctx: g.Context) -> None:
    format = COMPRESSED["DXT1_RGB"]
    texture = screen.resource_create(format=format, width0=8, height0=8)
    view, block = ctx.create_sampler_view(texture), blocks_of(format, 1, 1)
    ctx.clear_texture(texture, block.tobytes(), box=(4, 0, 4, 8))
    whole = np.zeros((2, 2, 8), np.uint8)
    whole[:, 1:] = block
    assert (sampled(screen, ctx, view, 8, 8) == expected(format, whole, 8, 8)).all()


def test_decoded_texels_are_counted_and_given_back() -> None:
    with g.Screen(threads=0) as screen, screen.context_create() as ctx:  # other tests leave garbage in a shared one
        before = screen.query_memory_info()["used_bytes"]
        texture = screen.resource_create(format="DXT1_RGB", width0=64, height0=64)
        blocks = screen.query_memory_info()["used_bytes"] - before
        view = ctx.create_sampler_view(texture)
        assert screen.query_memory_info()["used_bytes"] - before >= blocks + 64 * 64 * 4
        ctx.sampler_view_destroy(view)
        screen.resource_destroy(texture)
        assert screen.query_memory_info()["used_bytes"] == before


def test_the_screen_answers_for_compressed_formats(screen: g.Screen) -> None:
    for name in COMPRESSED:
        for target in ("TEXTURE_2D", "TEXTURE_2D_ARRAY", "TEXTURE_CUBE", "TEXTURE_3D"):
            assert screen.is_format_supported(name, target=target)
        assert not screen.is_format_supported(name, bind="RENDER_TARGET")
        assert not screen.is_format_supported(name, target="BUFFER")
        assert not screen.is_format_supported(name, sample_count=4)


def test_wrong_uses_name_the_block(screen: g.Screen, ctx: g.Context) -> None:
    texture = screen.resource_create(format="ASTC_6x5", width0=20, height0=20)
    with pytest.raises(ValueError, match=r"box: 3 \+ 6 in x cuts a block of ASTC_6x5, 6 texels"):
        ctx.texture_subdata(texture, bytes(16), box=(3, 0, 6, 5))
    with pytest.raises(ValueError, match=r"box: 0 \+ 4 in y cuts a block of ASTC_6x5, 5 texels"):
        ctx.transfer_map(texture, box=(0, 0, 6, 4))
    with pytest.raises(ValueError, match="data: 32 bytes are needed, 31 are there"):
        ctx.texture_subdata(texture, bytes(31), box=(12, 0, 8, 5))
    with pytest.raises(ValueError, match="ASTC_6x5 is compressed and cannot be rendered to"):
        ctx.create_surface(texture)
    with pytest.raises(ValueError, match="ASTC_6x5 is compressed and cannot be an image"):
        ctx.set_shader_images("FRAGMENT", [{"resource": texture, "format": "R32G32B32A32_UINT"}])
    with pytest.raises(ValueError, match="cannot be used as RENDER_TARGET"):
        screen.resource_create(format="ASTC_6x5", width0=20, height0=20, bind="RENDER_TARGET")
    with pytest.raises(ValueError, match="no mapping of it can be persistent"):
        screen.resource_create(format="ASTC_6x5", width0=20, height0=20, flags="MAP_PERSISTENT")
    with pytest.raises(ValueError, match="DXT1_RGB is compressed; expected a format of single pixels"):
        ctx.create_vertex_elements_state([(0, "DXT1_RGB")])
    assert not ctx.generate_mipmap(texture)
