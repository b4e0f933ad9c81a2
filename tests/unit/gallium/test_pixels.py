"""Resources as arrays and as pictures."""

from __future__ import annotations

import io
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageShow

from backends.formats import CompressedFormat
from tests.unit.picture import GENERIC, PASS, TRIANGLE
from tgsi import gallium as g

Array = np.ndarray[Any, Any]
SHAPES: dict[str, dict[str, Any]] = {
    "TEXTURE_1D": {"width0": 5},
    "TEXTURE_1D_ARRAY": {"width0": 5, "array_size": 3},
    "TEXTURE_2D": {"width0": 5, "height0": 7},
    "TEXTURE_RECT": {"width0": 5, "height0": 7},
    "TEXTURE_2D_ARRAY": {"width0": 5, "height0": 7, "array_size": 3},
    "TEXTURE_3D": {"width0": 5, "height0": 7, "depth0": 4},
    "TEXTURE_CUBE": {"width0": 6, "height0": 6},
    "TEXTURE_CUBE_ARRAY": {"width0": 6, "height0": 6, "array_size": 12},
}


@pytest.fixture
def screen() -> Iterator[g.Screen]:
    with g.Screen(threads=0) as made:
        yield made


@pytest.fixture
def ctx(screen: g.Screen) -> g.Context:
    return screen.context_create()


def target(screen: g.Screen, **given: Any) -> g.Resource:
    return screen.resource_create(**{"width0": 5, "height0": 3, **given})


def filled(ctx: g.Context, resource: g.Resource) -> None:
    with ctx.transfer_map(resource, usage="WRITE") as mapped:
        data = mapped.data
        count = data.size * data.itemsize
        data[...] = np.frombuffer(np.random.default_rng(7).bytes(count), data.dtype).reshape(data.shape)


def cleared(ctx: g.Context, resource: g.Resource, color: tuple[float, ...]) -> None:
    ctx.set_framebuffer_state(cbufs=[resource])
    ctx.clear("COLOR", color=color)


def same(one: Any, other: Any) -> bool:
    return bool(one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes())


# -- arrays --------------------------------------------------------------------------------------------------------------
def test_an_array_of_a_target_has_what_was_drawn_without_a_flush(screen: g.Screen, ctx: g.Context) -> None:
    drawn = target(screen)
    cleared(ctx, drawn, (1, 0, 0, 1))
    ctx.set_viewport_states([{"scale": (2.5, 1.5, 0.5), "translate": (2.5, 1.5, 0.5)}])
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))
    ctx.set_vertex_buffers([np.hstack([TRIANGLE, np.array([[0, 1, 0, 1]] * 3, np.float32)])])
    ctx.bind_vs_state(ctx.create_vs_state(PASS))
    ctx.bind_fs_state(ctx.create_fs_state(GENERIC))
    ctx.draw_vbo(mode="TRIANGLES", count=3)
    found = np.asarray(drawn)
    assert found.shape == (3, 5, 4)
    assert found.dtype == np.uint8
    assert (found == (0, 255, 0, 255)).all()


def test_an_array_waits_for_every_context_of_the_screen(screen: g.Screen) -> None:
    first, second = target(screen), target(screen)
    contexts = [screen.context_create(), screen.context_create()]
    for context, resource, red in zip(contexts, (first, second), (1, 0)):
        cleared(context, resource, (red, 1, 0, 0))
    assert np.asarray(first)[2, 4].tolist() == [255, 255, 0, 0]
    assert np.asarray(second)[2, 4].tolist() == [0, 255, 0, 0]
    found = []
    cleared(contexts[0], second, (1, 1, 1, 1))
    thread = threading.Thread(target=lambda: found.append(np.asarray(second)))
    thread.start()
    thread.join()
    assert (found[0] == 255).all()


def test_an_array_is_a_copy(screen: g.Screen, ctx: g.Context) -> None:
    drawn = target(screen)
    cleared(ctx, drawn, (0, 0, 0, 0))
    found = np.asarray(drawn)
    cleared(ctx, drawn, (1, 1, 1, 1))
    assert not found.any()
    found[:] = 7
    assert (np.asarray(drawn) == 255).all()
    with pytest.raises(ValueError, match="a mapping"):
        drawn.__array__(copy=False)


def test_arrays_of_every_format_are_those_of_a_mapping(screen: g.Screen, ctx: g.Context) -> None:
    count = 0
    for format in g.Format:
        if screen.is_format_supported(format, target="TEXTURE_2D", bind="SAMPLER_VIEW"):
            texture = target(screen, format=format, bind="SAMPLER_VIEW")
            filled(ctx, texture)
            with ctx.transfer_map(texture, usage="READ") as mapped:
                assert same(np.asarray(texture), np.array(mapped)), format
            assert np.asarray(texture).dtype.kind in "uif"
            count += 1
    assert count > 150


@pytest.mark.parametrize("kind", SHAPES)
def test_layers_faces_and_slices_are_a_first_axis(screen: g.Screen, ctx: g.Context, kind: str) -> None:
    texture = screen.resource_create(target=kind, format="R16G16_FLOAT", last_level=0 if kind == "TEXTURE_RECT" else 1, **SHAPES[kind])
    filled(ctx, texture)
    for level in range(texture.last_level + 1):
        with ctx.transfer_map(texture, level=level, usage="READ") as mapped:
            assert same(texture.pixels(level), np.array(mapped))
    assert np.asarray(texture).shape[-1] == 2


def test_a_buffer_gives_its_bytes(screen: g.Screen, ctx: g.Context) -> None:
    buffer = screen.resource_create(target="BUFFER", width0=11)
    ctx.buffer_subdata(buffer, bytes(range(11)))
    assert np.asarray(buffer).tolist() == list(range(11))
    assert buffer.tobytes() == bytes(range(11))


def test_several_samples_are_resolved_or_named(screen: g.Screen, ctx: g.Context) -> None:
    texture = target(screen, nr_samples=4)
    for k in range(4):
        texture.blocks(0, k)[...] = 50 * k  # 0, 50, 100, 150: the mean is 75
    with ctx.transfer_map(texture, usage="READ") as mapped:
        assert same(np.asarray(texture), np.array(mapped))
    assert (np.asarray(texture) == 75).all()
    assert [int(texture.pixels(sample=k)[0, 0, 0]) for k in range(4)] == [0, 50, 100, 150]
    with pytest.raises(ValueError, match="pixels: sample"):
        texture.pixels(sample=4)


@pytest.mark.parametrize("format", ["DXT1_RGBA", "RGTC1_UNORM", "BPTC_RGBA_UNORM", "ETC2_RGB8", "ASTC_8x5"])
def test_compressed_textures_give_the_texels_that_samplers_read(screen: g.Screen, ctx: g.Context, format: str) -> None:
    texture = target(screen, format=format, width0=13, height0=9)
    filled(ctx, texture)
    found = np.asarray(texture)
    assert found.shape[:2] == (9, 13)
    assert isinstance(texture.format, CompressedFormat)
    assert same(found, np.array(texture.as_decoded(texture.format).texels()[0]))


def test_dlpack_hands_over_a_copy_on_the_cpu_and_nothing_else(screen: g.Screen, ctx: g.Context) -> None:
    texture = target(screen, format="R32G32B32A32_FLOAT")
    cleared(ctx, texture, (0.25, 0.5, 1, 2))
    assert same(np.array(np.from_dlpack(texture)), np.asarray(texture))
    assert texture.__dlpack_device__() == (1, 0)
    for wrong in ({"copy": False}, {"dl_device": (2, 0)}, {"stream": 1}):
        with pytest.raises(BufferError):
            texture.__dlpack__(**wrong)


def test_pillow_takes_a_resource_as_an_array(screen: g.Screen, ctx: g.Context) -> None:
    texture = target(screen)
    filled(ctx, texture)
    assert same(np.array(Image.fromarray(texture)), np.asarray(texture))
    assert np.asarray(texture, np.float32).dtype == np.float32


def test_memory_of_the_caller_is_read_after_the_draws(screen: g.Screen, ctx: g.Context) -> None:
    memory = np.zeros((4, 4, 4), np.uint8)
    texture = screen.resource_from_user_memory(memory, target="TEXTURE_2D", width0=4, height0=4)
    cleared(ctx, texture, (1, 0, 1, 0))
    assert (np.asarray(texture) == (255, 0, 255, 0)).all()


def test_a_destroyed_resource_has_no_pixels(screen: g.Screen) -> None:
    texture = target(screen)
    texture.destroy()
    with pytest.raises(ValueError, match="pixels: the resource was destroyed"):
        np.asarray(texture)
    assert texture._repr_png_() is None


# -- pictures ------------------------------------------------------------------------------------------------------------
def shown(screen: g.Screen, ctx: g.Context, format: str, texel: Any, **given: Any) -> Any:
    """One pixel of the picture of a texture whose texels are all the same."""
    texture = target(screen, format=format, bind="SAMPLER_VIEW")
    with ctx.transfer_map(texture, usage="WRITE") as mapped:
        mapped.data[...] = texel
    found = texture.picture(**given)
    assert found.dtype == np.uint8
    assert found.shape[:2] == (3, 5)
    return found[1, 2].tolist()


def test_pictures_have_colors_in_the_order_of_people(screen: g.Screen, ctx: g.Context) -> None:
    assert shown(screen, ctx, "R8G8B8A8_UNORM", (1, 2, 3, 4)) == [1, 2, 3, 4]
    assert shown(screen, ctx, "B8G8R8A8_UNORM", (1, 2, 3, 4)) == [3, 2, 1, 4]
    assert shown(screen, ctx, "B8G8R8X8_UNORM", (1, 2, 3, 4)) == [3, 2, 1]
    assert shown(screen, ctx, "R8G8B8A8_SRGB", (1, 2, 3, 4)) == [1, 2, 3, 4]
    assert shown(screen, ctx, "B5G6R5_UNORM", 0xF800) == [255, 0, 0]
    assert shown(screen, ctx, "R8G8_UNORM", (9, 8)) == [9, 8, 0]


def test_one_channel_is_gray(screen: g.Screen, ctx: g.Context) -> None:
    for format in ("R8_UNORM", "L8_UNORM", "A8_UNORM", "I8_UNORM", "R8_UINT"):
        assert shown(screen, ctx, format, 77) == 77
    assert shown(screen, ctx, "R16_UNORM", 65535) == 255


def test_floats_are_clamped_or_scaled_and_alpha_is_not_scaled(screen: g.Screen, ctx: g.Context) -> None:
    texel = np.array([-1, 0.5, np.nan, 0.2], np.float32)
    assert shown(screen, ctx, "R32G32B32A32_FLOAT", texel) == [0, 128, 0, 51]
    assert shown(screen, ctx, "R32G32B32A32_FLOAT", np.array([0, 2, np.inf, 1], np.float32), scale=(0, 4)) == [0, 128, 255, 255]
    assert shown(screen, ctx, "R8G8B8A8_SNORM", (-127, 127, 0, 127)) == [0, 255, 0, 255]
    assert shown(screen, ctx, "R32_UINT", 1 << 31) == 255
    assert shown(screen, ctx, "R8G8B8A8_UNORM", (0, 51, 102, 102), scale=(0, 0.4)) == [0, 128, 255, 102]


def test_depth_is_gray_and_goes_before_stencil(screen: g.Screen, ctx: g.Context) -> None:
    assert shown(screen, ctx, "Z32_FLOAT", 0.2) == 51
    assert shown(screen, ctx, "Z32_FLOAT", 0.95, scale=(0.9, 1)) in (127, 128)
    assert shown(screen, ctx, "Z24_UNORM_S8_UINT", 0x7FFFFFFF) == 255
    assert shown(screen, ctx, "S8_UINT", 3) == 3


def test_layers_and_levels_are_chosen(screen: g.Screen, ctx: g.Context) -> None:
    texture = screen.resource_create(target="TEXTURE_3D", width0=4, height0=4, depth0=4, last_level=1)
    ctx.texture_subdata(texture, np.full((4, 4, 4), 9, np.uint8), box=(0, 0, 2, 4, 4, 1))
    assert [int(texture.picture(layer=k)[0, 0, 0]) for k in range(4)] == [0, 0, 9, 0]
    assert texture.picture(1).shape == (2, 2, 4)
    refused: list[dict[str, Any]] = [{"layer": 4}, {"level": 2}, {"scale": (1, 1)}, {"scale": (0, float("inf"))}]
    for wrong in refused:
        with pytest.raises(ValueError, match=f"picture: {next(iter(wrong))}"):
            texture.picture(**wrong)
    no_pair: Any = 3
    with pytest.raises(TypeError, match="picture: scale"):
        texture.picture(scale=no_pair)


def test_a_buffer_has_no_picture(screen: g.Screen) -> None:
    buffer = screen.resource_create(target="BUFFER", width0=11)
    with pytest.raises(ValueError, match=r"numpy.asarray\(resource\) gives its bytes"):
        buffer.picture()
    assert buffer._repr_png_() is None


def test_saved_files_have_the_kind_of_their_suffix(screen: g.Screen, ctx: g.Context, tmp_path: Path) -> None:
    texture = target(screen)
    filled(ctx, texture)
    wanted = texture.pixels()
    texture.save(tmp_path / "a.png")
    Image.fromarray(wanted).save(tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    texture.save(str(tmp_path / "a.JPG"))
    with Image.open(tmp_path / "a.JPG") as image:
        assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (5, 3))
    file = io.BytesIO()
    texture.save(file)
    assert file.getvalue() == (tmp_path / "a.png").read_bytes() == texture._repr_png_()
    for name in ("a.pmg", "a"):
        with pytest.raises(ValueError, match=r"save: file: .* is not a format of pictures"):
            texture.save(tmp_path / name)
    with pytest.raises(TypeError, match="save: file"):
        texture.save(3)
    with pytest.raises(FileNotFoundError):
        texture.save(tmp_path / "none" / "a.png")


def test_a_picture_is_shown_by_the_notebook_or_the_viewer(screen: g.Screen, ctx: g.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    texture, seen = target(screen), list[Any]()

    def viewer(image: Image.Image, title: str) -> bool:
        seen.append((image.size, title))
        return True

    monkeypatch.setattr(ImageShow, "show", viewer)
    texture.show()
    assert seen == [((5, 3), repr(texture))]
    monkeypatch.setattr(ImageShow, "show", lambda image, title: False)
    with pytest.raises(OSError, match="no viewer"):
        texture.show()
    shell = types.SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=lambda image: seen.append(image.size)))
    texture.show()
    assert seen[1:] == [(5, 3)]


def test_writes_of_another_screen_are_not_finished(screen: g.Screen) -> None:
    with g.Screen(threads=0) as other, pytest.raises(ValueError, match="finish_writes: resource: it belongs to another screen"):
        screen.finish_writes(target(other))
