"""Flags of transfers, and the bytes that transfers may touch (context.rst, "Transfers" and "PIPE_TRANSFER")."""

from __future__ import annotations

import numpy as np
import pytest

from tgsi import gallium as g

pytestmark = pytest.mark.light
SIZE = 8


def mapped_bytes(ctx: g.Context, resource: g.Resource) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    with ctx.transfer_map(resource, usage="READ") as mapped:
        return np.array(mapped.data)


def buffer(ctx: g.Context, size: int = 16, **given: object) -> g.Resource:
    return ctx.screen.resource_create(g.Template(width0=size, target=g.TextureTarget.BUFFER, format=g.Format.R8_UNORM, **given))  # type: ignore[arg-type]


def busy(ctx: g.Context) -> g.Resource:
    target = ctx.screen.resource_create(width0=SIZE, height0=SIZE)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear(color=(1, 1, 1, 1))
    return target


# -- COHERENT, MAP_DIRECTLY, DONTBLOCK ---------------------------------------------------------------------------------------
def test_coherent_needs_a_resource_made_with_its_flag(ctx: g.Context) -> None:
    plain = ctx.screen.resource_create(target="BUFFER", width0=16, flags="MAP_PERSISTENT")
    with pytest.raises(ValueError, match="usage: COHERENT needs a resource that was made with MAP_COHERENT"):
        ctx.transfer_map(plain, usage="WRITE|PERSISTENT|COHERENT")
    coherent = ctx.screen.resource_create(target="BUFFER", width0=16, flags="MAP_PERSISTENT|MAP_COHERENT")
    with ctx.transfer_map(coherent, usage="WRITE|PERSISTENT|COHERENT") as mapped:
        mapped.data[:] = 3


@pytest.mark.parametrize(("samples", "usage"), [(4, "READ"), (4, "READ_WRITE"), (0, "WRITE|FLUSH_EXPLICIT")])
def test_map_directly_gives_nothing_where_a_mapping_is_a_copy(ctx: g.Context, samples: int, usage: str) -> None:
    texture = ctx.screen.resource_create(width0=SIZE, height0=SIZE, nr_samples=samples)
    nothing: object = ctx.transfer_map(texture, usage=f"{usage}|MAP_DIRECTLY")
    assert nothing is None
    with ctx.transfer_map(texture, usage=usage) as mapped:
        assert mapped.data.shape == (SIZE, SIZE, 4)


def test_map_directly_maps_the_memory_of_other_resources(ctx: g.Context) -> None:
    texture = ctx.screen.resource_create(width0=SIZE, height0=SIZE)
    with ctx.transfer_map(texture, usage="WRITE|MAP_DIRECTLY") as mapped:
        assert np.shares_memory(mapped.data, texture.storage)


def test_dontblock_gives_nothing_while_the_resource_is_busy(ctx: g.Context) -> None:
    target = busy(ctx)
    nothing: object = ctx.transfer_map(target, usage="READ|DONTBLOCK")
    assert nothing is None
    assert ctx.is_resource_referenced(target)
    ctx.flush()
    with ctx.transfer_map(target, usage="READ|DONTBLOCK") as mapped:
        assert (mapped.data == 255).all()


# -- FLUSH_EXPLICIT ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("samples", [0, 4])
def test_only_flushed_texels_are_written(ctx: g.Context, samples: int) -> None:
    texture = ctx.screen.resource_create(width0=SIZE, height0=SIZE, nr_samples=samples, format="R8_UNORM")
    with ctx.transfer_map(texture, usage="WRITE|FLUSH_EXPLICIT", box=(2, 2, 4, 4)) as mapped:
        mapped.data[:] = 9
        assert not mapped_bytes(ctx, texture).any()
        ctx.transfer_flush_region(mapped, box=(1, 0, 2, 3))
        mapped.data[:] = 7
    found = mapped_bytes(ctx, texture)[..., 0]
    assert (found[2:5, 3:5] == 9).all()
    assert np.count_nonzero(found) == 6


def test_texels_that_were_not_written_keep_their_content(ctx: g.Context) -> None:
    data = buffer(ctx)
    ctx.buffer_subdata(data, bytes(range(16)))
    with ctx.transfer_map(data, usage="WRITE|FLUSH_EXPLICIT", box=(4, 8)) as mapped:
        mapped.data[2:4] = 99
        ctx.transfer_flush_region(mapped)
    assert mapped_bytes(ctx, data).tolist() == [0, 1, 2, 3, 4, 5, 99, 99, 8, 9, 10, 11, 12, 13, 14, 15]


@pytest.mark.parametrize("target", ["TEXTURE_3D", "TEXTURE_CUBE", "TEXTURE_2D_ARRAY", "TEXTURE_1D_ARRAY"])
def test_flushed_layers_are_relative_to_the_mapped_ones(ctx: g.Context, target: str) -> None:
    height = 1 if target == "TEXTURE_1D_ARRAY" else SIZE
    depth, layers = (SIZE, 1) if target == "TEXTURE_3D" else (1, 6)
    texture = ctx.screen.resource_create(width0=SIZE, height0=height, depth0=depth, array_size=layers, target=target, format="R8_UNORM")
    with ctx.transfer_map(texture, usage="WRITE|FLUSH_EXPLICIT", box=(1, 0, 2, 4, 1, 3)) as mapped:
        mapped.data[:] = 5
        ctx.transfer_flush_region(mapped, box=(2, 0, 1, 1, 1, 2))
    assert np.argwhere(texture.blocks()[..., 0]).tolist() == [[3, 0, 3], [4, 0, 3]]


def test_blocks_of_compressed_textures_are_flushed_whole(ctx: g.Context) -> None:
    texture = ctx.screen.resource_create(width0=SIZE, height0=SIZE, format="DXT1_RGB")
    with ctx.transfer_map(texture, usage="WRITE|FLUSH_EXPLICIT") as mapped:
        mapped.data[:] = 255
        ctx.transfer_flush_region(mapped, box=(4, 0, 4, 4))
    assert texture.blocks().any(axis=-1).tolist() == [[[False, True], [False, False]]]


@pytest.mark.parametrize("box", [(-1, 2), (0, 9), (8, 1), (0, 0), (1, 0, 0, 7, 2, 1), (0, 0, 1, 8, 1, 1)])
def test_a_flushed_region_lies_inside_of_the_map(ctx: g.Context, box: tuple[int, ...]) -> None:
    data = buffer(ctx)
    with ctx.transfer_map(data, usage="WRITE|FLUSH_EXPLICIT", box=(4, 8)) as mapped:
        mapped.data[:] = 1
        with pytest.raises(ValueError, match="transfer_flush_region: box"):
            ctx.transfer_flush_region(mapped, box=box)
    assert not mapped_bytes(ctx, data).any()


def test_nothing_is_flushed_after_the_end_of_the_map(ctx: g.Context) -> None:
    mapped = ctx.transfer_map(buffer(ctx), usage="WRITE|FLUSH_EXPLICIT")
    ctx.transfer_unmap(mapped)
    with pytest.raises(ValueError, match="the transfer was unmapped"):
        ctx.transfer_flush_region(mapped)


# -- inline writes -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["transfer_inline_write", "texture_subdata"])
def test_inline_writes_do_not_leave_the_box(ctx: g.Context, name: str) -> None:
    data = buffer(ctx)
    getattr(ctx, name)(data, bytes([7] * 8), box=(4, 8))
    assert mapped_bytes(ctx, data).tolist() == [0] * 4 + [7] * 8 + [0] * 4
    with pytest.raises(ValueError, match="data: 8 bytes are needed, 7 are there"):
        getattr(ctx, name)(data, bytes(7), box=(4, 8))
    texture = ctx.screen.resource_create(width0=SIZE, height0=SIZE, format="R8_UNORM")
    getattr(ctx, name)(texture, bytes([7] * 6), box=(2, 2, 3, 2))
    assert np.count_nonzero(mapped_bytes(ctx, texture)) == 6


# -- memory of the caller ----------------------------------------------------------------------------------------------------
def test_a_mapping_of_the_callers_memory_is_that_memory(screen: g.Screen, ctx: g.Context) -> None:
    memory = np.zeros((SIZE, SIZE, 4), np.uint8)
    texture = screen.resource_from_user_memory(memory, target="TEXTURE_2D", width0=SIZE, height0=SIZE)
    with ctx.transfer_map(texture, box=(2, 1, 4, 3)) as mapped:
        assert np.shares_memory(mapped.data, memory)
        assert (mapped.stride, mapped.layer_stride) == (4 * SIZE, 4 * SIZE * SIZE)
        mapped.data[:] = 5
        assert (memory[1:4, 2:6] == 5).all()
        memory[2, 3] = 6
        assert (mapped.data[1, 1] == 6).all()
    assert (memory[2, 3] == 6).all()
    ctx.set_framebuffer_state(cbufs=[texture])
    ctx.clear(color=(1, 1, 1, 1))
    with ctx.transfer_map(texture, usage="READ") as mapped:
        assert (mapped.data == 255).all()
    assert (memory == 255).all()


def test_what_a_mapping_wrote_to_the_callers_memory_is_drawn_with(screen: g.Screen, drawing: g.Context) -> None:
    corners = np.zeros((3, 6), np.float32)
    vertices = screen.resource_from_user_memory(corners)
    target = busy(drawing)
    with drawing.transfer_map(vertices, usage="WRITE") as mapped:
        mapped.data.view(np.float32)[:] = np.array([-1, -1, 0, 1, 0, 1, 3, -1, 0, 1, 0, 1, -1, 3, 0, 1, 0, 1], np.float32)
    drawing.set_vertex_buffers([g.VertexBuffer(vertices, 24)])
    drawing.draw_vbo(mode="TRIANGLES", count=3)
    assert (mapped_bytes(drawing, target) == (0, 255, 0, 255)).all()


def test_read_only_memory_is_mapped_to_be_read(screen: g.Screen, ctx: g.Context) -> None:
    data = screen.resource_from_user_memory(bytes(range(16)))
    assert mapped_bytes(ctx, data).tolist() == list(range(16))
    with pytest.raises(ValueError, match="usage: the memory of the resource is read-only"):
        ctx.transfer_map(data, usage="WRITE")


@pytest.mark.parametrize("name", ["transfer_inline_write", "texture_subdata"])
@pytest.mark.parametrize("size", [0, 2, 4, 8])
def test_writes_of_another_size_than_the_box_are_refused(ctx: g.Context, name: str, size: int) -> None:
    write = getattr(ctx, name)
    buffer, texture = ctx.screen.resource_create(target="BUFFER", width0=16), ctx.screen.resource_create(width0=4, height0=4)
    with pytest.raises(ValueError, match=f"{name}: data: 3 bytes are needed, {size} are there"):
        write(buffer, bytes([7] * size), box=(4, 3))
    with pytest.raises(ValueError, match=f"{name}: data: 16 bytes are needed, {5 * size} are there"):
        write(texture, bytes([7] * 5 * size), box=(0, 0, 2, 2))
    assert not any(buffer.tobytes() + texture.tobytes())
    write(buffer, bytes([1, 2, 3]), box=(4, 3))
    write(texture, bytes([9] * 100), box=(0, 0, 2, 2), stride=48)  # rows of a wider image
    assert (buffer.tobytes()[4:7], texture.tobytes()[:8], texture.tobytes()[16:24]) == (bytes([1, 2, 3]), bytes([9] * 8), bytes([9] * 8))
