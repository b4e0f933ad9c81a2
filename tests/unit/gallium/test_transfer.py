"""Mapping and uploading."""

from __future__ import annotations

import numpy as np
import pytest

from tgsi import gallium as g


def test_map_is_a_cropped_view_in_place(screen: g.Screen, ctx: g.Context) -> None:
    texture = screen.resource_create(width0=10, height0=7)
    with ctx.transfer_map(texture) as mapped:
        assert mapped.data.shape == (7, 10, 4)
        assert mapped.data.strides[0] == mapped.stride == texture.levels[0].row_stride
        assert mapped.address == texture.address
        mapped.data[6, 9] = (1, 2, 3, 4)
    with ctx.transfer_map(texture, box=(9, 6, 1, 1)) as mapped:
        assert mapped.data.tolist() == [[[1, 2, 3, 4]]]


@pytest.mark.parametrize(
    ("given", "shape"),
    [
        ({"target": "TEXTURE_1D", "width0": 5}, (5, 4)),
        ({"target": "TEXTURE_1D_ARRAY", "width0": 5, "array_size": 3}, (3, 5, 4)),
        ({"target": "TEXTURE_2D_ARRAY", "width0": 5, "height0": 6, "array_size": 3}, (3, 6, 5, 4)),
        ({"target": "TEXTURE_3D", "width0": 5, "height0": 6, "depth0": 2}, (2, 6, 5, 4)),
        ({"target": "TEXTURE_CUBE", "width0": 5, "height0": 5}, (6, 5, 5, 4)),
        ({"target": "BUFFER", "width0": 5}, (5,)),
        ({"width0": 5, "height0": 6, "format": "Z24_UNORM_S8_UINT"}, (6, 5)),
    ],
)
def test_axes_follow_the_target(screen: g.Screen, ctx: g.Context, given: dict[str, object], shape: tuple[int, ...]) -> None:
    with ctx.transfer_map(screen.resource_create(**given)) as mapped:  # type: ignore[arg-type]
        assert mapped.data.shape == shape
        assert np.asarray(mapped).shape == shape


def test_read_map_cannot_be_written_and_a_closed_one_not_be_read(screen: g.Screen, ctx: g.Context) -> None:
    texture = screen.resource_create(width0=4, height0=4)
    mapped = ctx.transfer_map(texture, usage="READ")
    with pytest.raises(ValueError, match="read-only"):
        mapped.data[...] = 1
    ctx.transfer_unmap(mapped)
    with pytest.raises(ValueError, match="unmapped"):
        _ = mapped.data


def test_reading_finishes_pending_work(screen: g.Screen, ctx: g.Context) -> None:
    target = screen.resource_create(width0=16, height0=16)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear("COLOR", color=(0, 1, 0, 1))
    assert ctx.is_resource_referenced(target)
    nothing: object = ctx.transfer_map(target, usage="READ|DONTBLOCK")
    assert nothing is None
    with ctx.transfer_map(target, usage="READ") as mapped:
        assert (mapped.data == (0, 255, 0, 255)).all()
    assert not ctx.is_resource_referenced(target)


def test_unsynchronized_map_waits_for_nothing(screen: g.Screen, ctx: g.Context) -> None:
    target = screen.resource_create(width0=16, height0=16)
    ctx.set_framebuffer_state(cbufs=[target])
    ctx.clear("COLOR", color=(0, 1, 0, 1))
    with ctx.transfer_map(target, usage=["WRITE", "UNSYNCHRONIZED"]) as mapped:
        assert not mapped.data.any()


@pytest.mark.parametrize(
    ("usage", "message"),
    [
        ("READ|UNSYNCHRONIZED", "READ does not go with UNSYNCHRONIZED"),
        ("READ|DISCARD_RANGE", "READ does not go with DISCARD_RANGE"),
        ("UNSYNCHRONIZED", "READ or WRITE is needed"),
        ("WRITE|PERSISTENT", "MAP_PERSISTENT"),
        ("WRIT", "did you mean WRITE"),
    ],
)
def test_contradictory_usage_is_refused(screen: g.Screen, ctx: g.Context, usage: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ctx.transfer_map(screen.resource_create(width0=4), usage=usage)


@pytest.mark.parametrize("box", [(0, 0, 5, 1), (-1, 0, 1, 1), (0, 0, 0, 1), (3, 3, 2, 1), (0, 0, 1, 1, 1, 1), (1,)])
def test_boxes_outside_are_refused(screen: g.Screen, ctx: g.Context, box: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="transfer_map: box"):
        ctx.transfer_map(screen.resource_create(width0=4, height0=4), box=box)


def test_subdata_takes_strides_and_layers(screen: g.Screen, ctx: g.Context) -> None:
    texture = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=2, height0=2, array_size=2, format="R8_UNORM")
    ctx.texture_subdata(texture, bytes(range(32)), stride=8, layer_stride=16)
    assert texture.texels()[..., 0].tolist() == [[[0, 1], [8, 9]], [[16, 17], [24, 25]]]
    ctx.texture_subdata(texture, np.array([[77]], np.uint8), box=(1, 0, 1, 1, 1, 1))
    assert texture.texels()[1, 0, 1, 0] == 77


def test_short_data_is_refused(screen: g.Screen, ctx: g.Context) -> None:
    texture = screen.resource_create(width0=4, height0=4)
    with pytest.raises(ValueError, match="data: 64 bytes are needed, 63 are there"):
        ctx.texture_subdata(texture, bytes(63))
    buffer = screen.resource_create(target="BUFFER", width0=4)
    with pytest.raises(ValueError, match="data: 3 bytes at 2 do not fit into 4"):
        ctx.buffer_subdata(buffer, b"abc", offset=2)


def test_buffer_subdata_takes_any_array(screen: g.Screen, ctx: g.Context) -> None:
    buffer = screen.resource_create(target="BUFFER", width0=16)
    ctx.buffer_subdata(buffer, np.arange(8, dtype=np.float32)[::2])
    assert buffer.storage.view(np.float32).tolist() == [0, 2, 4, 6]
    ctx.transfer_inline_write(buffer, b"\1\2", box=(4, 2))
    assert buffer.storage[4:6].tolist() == [1, 2]


def test_flush_region_needs_an_explicit_mapping(screen: g.Screen, ctx: g.Context) -> None:
    buffer = screen.resource_create(target="BUFFER", width0=16)
    with ctx.transfer_map(buffer, usage="WRITE|FLUSH_EXPLICIT") as mapped:
        ctx.transfer_flush_region(mapped, box=(0, 4))
    with ctx.transfer_map(buffer, usage="WRITE") as mapped, pytest.raises(ValueError, match="FLUSH_EXPLICIT"):
        ctx.transfer_flush_region(mapped)


def test_resources_of_another_screen_and_destroyed_ones_are_refused(screen: g.Screen, ctx: g.Context) -> None:
    with pytest.raises(ValueError, match="another screen"):
        ctx.transfer_map(g.Screen(threads=0).resource_create(width0=4))
    gone = screen.resource_create(width0=4)
    screen.resource_destroy(gone)
    with pytest.raises(ValueError, match="destroyed"):
        ctx.transfer_map(gone)
    with pytest.raises(TypeError, match="expected a Resource, not int"):
        ctx.transfer_map(3)  # type: ignore[arg-type]
