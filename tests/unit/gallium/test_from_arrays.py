"""Textures, buffers and vertex layouts from arrays and images."""

from __future__ import annotations

import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.unit.picture import GENERIC
from tgsi import gallium as g

ELEMENTS = {"u1": "UNORM", "i1": "SNORM", "u2": "UNORM", "i2": "SNORM", "u4": "UINT", "i4": "SINT", "f2": "FLOAT", "f4": "FLOAT"}
NUMBERS = np.random.default_rng(3).integers(0, 100, (5, 7, 4))


@pytest.fixture
def screen() -> Iterator[g.Screen]:
    with g.Screen(threads=0) as made:
        yield made


# -- textures ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ELEMENTS)
def test_the_format_follows_from_elements_and_channels(screen: g.Screen, kind: str, channels: int) -> None:
    image = NUMBERS[..., :channels].astype(kind)
    texture = screen.texture_from(image)
    bits = 8 * image.itemsize
    assert texture.format.name == "".join(f"{c}{bits}" for c in ("R", "RG", "RGBX", "RGBA")[channels - 1]) + f"_{ELEMENTS[kind]}"
    found = np.asarray(texture)
    assert found.dtype == image.dtype
    assert (found[..., :channels] == image).all()
    assert texture.target is g.TextureTarget.TEXTURE_2D


def test_layouts_of_memory_do_not_matter(screen: g.Screen) -> None:
    image = NUMBERS.astype(np.uint8)
    for given in (image[::-1, ::2], np.asfortranarray(image), image.transpose(1, 0, 2)):
        assert (np.asarray(screen.texture_from(given)) == given).all()
    big = NUMBERS.astype(">f4")
    assert (np.asarray(screen.texture_from(big)) == big).all()
    assert np.asarray(screen.texture_from(np.ones((3, 2), np.uint8))).shape == (3, 2, 1)


@pytest.mark.parametrize(
    ("target", "shape", "wanted"),
    [
        (None, (2, 3, 4, 4), "TEXTURE_2D_ARRAY"),
        ("TEXTURE_1D", (6,), None),
        ("TEXTURE_1D", (6, 2), None),
        ("TEXTURE_1D_ARRAY", (3, 6, 2), None),
        ("TEXTURE_RECT", (3, 6), None),
        ("TEXTURE_2D_ARRAY", (5, 3, 6), None),
        ("TEXTURE_3D", (4, 3, 6), None),
        ("TEXTURE_3D", (4, 3, 6, 4), None),
        ("TEXTURE_CUBE", (6, 4, 4, 4), None),
        ("TEXTURE_CUBE_ARRAY", (12, 4, 4, 2), None),
    ],
)
def test_the_target_says_which_axes_there_are(screen: g.Screen, target: str | None, shape: tuple[int, ...], wanted: str | None) -> None:
    image = np.arange(np.prod(shape)).astype(np.uint8).reshape(shape)
    texture = screen.texture_from(image, target=target)
    assert texture.target.name == (wanted or target)
    assert np.asarray(texture).tobytes() == image.tobytes()


def test_images_of_pillow_are_taken_as_they_look(screen: g.Screen) -> None:
    for mode, format in (
        ("L", "L8_UNORM"),
        ("LA", "L8A8_UNORM"),
        ("RGB", "R8G8B8X8_UNORM"),
        ("RGBA", "R8G8B8A8_UNORM"),
        ("F", "R32_FLOAT"),
    ):
        image = Image.fromarray(NUMBERS.astype(np.uint8)).convert(mode)
        texture = screen.texture_from(image)
        assert texture.format.name == format
        assert (np.asarray(texture)[..., : len(image.getbands())] == np.asarray(image).reshape(5, 7, -1)).all()
    colors = Image.fromarray(NUMBERS[..., :3].astype(np.uint8))
    for mode in ("P", "CMYK", "YCbCr", "HSV"):
        other = colors.convert(mode)
        assert (screen.texture_from(other).picture() == np.asarray(other.convert("RGB"))).all()
    assert screen.texture_from(colors.convert("1")).format.name == "L8_UNORM"
    assert screen.texture_from(colors.convert("L"), srgb=True).format.name == "L8_SRGB"


def test_whatever_shows_its_memory_is_taken(screen: g.Screen) -> None:
    image = NUMBERS.astype(np.uint8)

    class OfDlpack:
        def __dlpack__(self, **given: Any) -> Any:
            return image.__dlpack__(**given)

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    class OfInterface:
        __array_interface__ = image.__array_interface__

    for given in (OfDlpack(), OfInterface(), memoryview(image.data), screen.texture_from(image)):
        assert (np.asarray(screen.texture_from(given)) == image).all()


def test_a_texture_is_a_copy_of_the_array(screen: g.Screen) -> None:
    image = NUMBERS.astype(np.uint8)
    texture = screen.texture_from(image)
    image[...] = 0
    assert np.asarray(texture).any()


def test_srgb_stores_the_numbers_and_reads_linear_colors(screen: g.Screen) -> None:
    texture = screen.texture_from(NUMBERS[..., :3].astype(np.uint8), srgb=True)
    assert texture.format.name == "R8G8B8X8_SRGB"
    assert (texture.picture() == NUMBERS[..., :3]).all()


def test_mipmaps_are_those_of_generate_mipmap(screen: g.Screen) -> None:
    image = NUMBERS.astype(np.uint8)
    texture = screen.texture_from(image, mipmaps=True)
    by_hand = screen.resource_create(width0=7, height0=5, last_level=2)
    context = screen.context_create()
    context.texture_subdata(by_hand, image)
    context.generate_mipmap(by_hand)
    assert texture.last_level == 2
    assert [texture.pixels(k).tobytes() for k in range(3)] == [by_hand.pixels(k).tobytes() for k in range(3)]
    assert screen.texture_from(np.ones((4, 4, 8, 4), np.float32), target="TEXTURE_3D", mipmaps=True).last_level == 3
    assert screen.texture_from(np.ones((1, 1), np.uint8), mipmaps=True).last_level == 0


def test_a_format_of_the_caller_takes_its_own_elements(screen: g.Screen) -> None:
    words = np.arange(6, dtype=np.uint16).reshape(2, 3)
    assert (np.asarray(screen.texture_from(words, format="B5G6R5_UNORM")) == words).all()
    depth = np.array([[0, 0.5], [0.25, 1]], np.float32)
    assert (np.asarray(screen.texture_from(depth, format="Z32_FLOAT")) == depth).all()
    image = NUMBERS.astype(np.uint8)
    assert (screen.texture_from(image, format="B8G8R8A8_UNORM").picture() == image[..., [2, 1, 0, 3]]).all()
    assert np.asarray(screen.texture_from(image[..., :3], format="R8G8B8A8_UNORM"))[..., 3].min() == 255


REFUSED: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "float64": (np.zeros((2, 2)), {}, TypeError, r"image: float64 .* \.astype\(numpy\.float32\)"),
    "int64": (np.zeros((2, 2), int), {}, TypeError, r"image: int64 .* \.astype\(numpy\.int32\)"),
    "bool": (np.zeros((2, 2), bool), {}, TypeError, r"image: bool .* 255 \* array"),
    "floats for bytes": (
        np.zeros((2, 2, 4), "f4"),
        {"format": "R8G8B8A8_UNORM"},
        TypeError,
        r"takes uint8, not float32; .*\(255 \* array\.clip",
    ),
    "bytes for floats": (np.zeros((2, 2, 4), "u1"), {"format": "R32G32B32A32_FLOAT"}, TypeError, r"float32, not uint8; .*\.astype"),
    "channels of the format": (np.zeros((2, 2, 2), "u1"), {"format": "R8G8B8A8_UNORM"}, ValueError, "takes 4 channels, not 2"),
    "five channels": (np.zeros((2, 2, 5), "u1"), {}, ValueError, "1 to 4 channels, not 5"),
    "nothing": (np.zeros((0, 2, 4), "u1"), {}, ValueError, "has no texels"),
    "axes": (np.zeros((1, 2, 2, 2, 4), "u1"), {}, ValueError, "2 to 4 axes"),
    "axes of the target": (np.zeros((2, 2), "u1"), {"target": "TEXTURE_CUBE"}, ValueError, "TEXTURE_CUBE takes 3 axes"),
    "faces": (np.zeros((5, 2, 2), "u1"), {"target": "TEXTURE_CUBE"}, ValueError, "array_size"),
    "buffers": (np.zeros((2, 2), "u1"), {"target": "BUFFER"}, ValueError, "buffer_from"),
    "lists": ([[1, 2]], {}, TypeError, r"not list; numpy\.array"),
    "names": ("a.png", {}, TypeError, "not str"),
    "objects": (np.array([[None]]), {}, TypeError, "an array of numbers"),
    "texts": (np.array([["a"]]), {}, TypeError, "an array of numbers"),
    "complex numbers": (np.zeros((2, 2), complex), {}, TypeError, "an array of numbers"),
    "srgb of floats": (np.zeros((2, 2), "f4"), {"srgb": True}, TypeError, "only uint8"),
    "srgb and a format": (np.zeros((2, 2), "u1"), {"srgb": True, "format": "R8_UNORM"}, ValueError, "not both"),
    "blocks": (np.zeros((4, 4), "u1"), {"format": "DXT1_RGB"}, ValueError, "texture_subdata"),
    "structures": (np.zeros((4, 4), [("a", "u1")]), {}, TypeError, "has no place in a shader"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_texture_is_refused_with_the_way_out(screen: g.Screen, name: str) -> None:
    image, given, kind, text = REFUSED[name]
    used = screen.memory.used
    with pytest.raises(kind, match=f"(?s)^(texture_from|resource_create): .*{text}"):
        screen.texture_from(image, **given)
    assert screen.memory.used == used


def test_floats_are_no_bytes_of_a_texture(screen: g.Screen) -> None:
    context, texture = screen.context_create(), screen.resource_create(width0=2, height0=2)
    with pytest.raises(TypeError, match=r"texture_subdata: data: R8G8B8A8_UNORM takes uint8, not float32; .*255"):
        context.texture_subdata(texture, np.ones((2, 2, 4), np.float32))
    floats = screen.resource_create(width0=2, height0=2, format="R32_FLOAT")
    with pytest.raises(TypeError, match=r"takes float32, not float64; convert it with \.astype\(numpy\.float32\)"):
        context.texture_subdata(floats, np.ones((2, 2)))
    context.texture_subdata(texture, np.ones((2, 2), np.float32).view(np.uint8))
    assert np.asarray(texture)[0, 0].tolist() == [0, 0, 128, 63]


# -- buffers -------------------------------------------------------------------------------------------------------------
def test_a_buffer_has_the_bytes_of_its_data(screen: g.Screen) -> None:
    numbers = NUMBERS.astype(np.float32)
    mesh = np.zeros(3, [("p", "f4", 3), ("c", "u1", 4)])
    values: list[tuple[Any, bytes]] = [(numbers, numbers.tobytes()), (numbers[::2], numbers[::2].tobytes()), (b"abc", b"abc")]
    values += [(mesh, mesh.tobytes()), (bytearray(5), bytes(5)), (array.array("H", [1, 2]), b"\1\0\2\0"), (np.float32(2), b"\0\0\0@")]
    for data, wanted in values:
        assert screen.buffer_from(data).tobytes() == wanted
    assert screen.buffer_from(b"abc", bind="VERTEX_BUFFER").bind == g.Bind.VERTEX_BUFFER
    doubles = np.ones(2)
    assert screen.buffer_from(doubles.view(np.uint8)).tobytes() == doubles.tobytes()


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        (np.zeros(2), TypeError, r"data: float64 .*astype\(numpy\.float32\); .*view\(numpy\.uint8\)"),
        (np.arange(3), TypeError, r"data: int64 .*astype\(numpy\.int32\)"),
        (np.zeros(2, [("a", "f4"), ("b", [("c", "f8", 2)])]), TypeError, r"data\['b'\]\['c'\]: float64"),
        ([1, 2], TypeError, "data: .* not list"),
        (b"", ValueError, "data: there are no bytes"),
    ],
)
def test_what_is_no_buffer_is_refused_with_the_way_out(screen: g.Screen, data: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=f"^buffer_from: {text}"):
        screen.buffer_from(data)


# -- vertices ------------------------------------------------------------------------------------------------------------
MESH = np.dtype([("position", "f4", 3), ("color", "u1", 4), ("weight", "f2"), ("id", "i4"), ("pose", "f4", (2, 4)), ("uv", "u2", 2)])
PASS = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"


def test_fields_become_elements_in_their_order() -> None:
    found = [(element.src_offset, element.src_format.name) for element in g.vertex_elements(MESH)]
    wanted = [(0, "R32G32B32_FLOAT"), (12, "R8G8B8A8_UNORM"), (16, "R16_FLOAT"), (18, "R32_SINT"), (22, "R32G32B32A32_FLOAT")]
    assert found == [*wanted, (38, "R32G32B32A32_FLOAT"), (54, "R16G16_UNORM")]
    assert g.vertex_elements(np.zeros(3, MESH)) == g.vertex_elements(MESH)


def test_fields_are_chosen_by_name_and_formats_by_field() -> None:
    found = g.vertex_elements(MESH, ["uv", "color"], formats={"color": "R8G8B8A8_UINT"}, vertex_buffer_index=2, instance_divisor=1)
    assert found == (g.VertexElement(54, g.Format.R16G16_UNORM, 2, 1), g.VertexElement(12, g.Format.R8G8B8A8_UINT, 2, 1))
    (wide,) = g.vertex_elements(np.dtype([("p", "f8", 3)]), formats={"p": "R64G64B64_FLOAT"})
    assert str(wide.src_format) == "R64G64B64_FLOAT"


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: g.vertex_elements(np.dtype("f4")), TypeError, "layout: expected a numpy type with named fields, .* not float32"),
        (lambda: g.vertex_elements([("a", "f4")]), TypeError, "layout: .* not list"),
        (lambda: g.vertex_elements(np.dtype([("p", "f8", 3)])), TypeError, "layout: p: float64 .* make the field float32"),
        (lambda: g.vertex_elements(np.dtype([("p", ">f4", 3)])), TypeError, "layout: p: >f4"),
        (lambda: g.vertex_elements(np.dtype([("p", "f4", 5)])), ValueError, "layout: p: expected 1 to 4 channels"),
        (lambda: g.vertex_elements(MESH, ["position", "normal"]), ValueError, "names: 'normal' is not one of position, color, "),
        (lambda: g.vertex_elements(MESH, "uv"), TypeError, "names: expected a sequence of names"),
        (lambda: g.vertex_elements(MESH, formats={"normal": "R8_UNORM"}), ValueError, "formats: 'normal' is not one of position, "),
        (lambda: g.vertex_elements(MESH, formats={"uv": "R8_UNORM"}), ValueError, "formats: uv: R8_UNORM has 1 bytes, the field has 4"),
        (lambda: g.vertex_elements(MESH, formats={"uv": "R16G16_UNRM"}), ValueError, "formats: uv: .*did you mean R16G16_UNORM"),
        (lambda: g.vertex_elements(MESH, vertex_buffer_index=-1), ValueError, "vertex_buffer_index"),
    ],
)
def test_wrong_layouts_are_refused(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=f"^vertex_elements: {text}"):
        call()


def drawn(screen: g.Screen, elements: Any, buffer: Any) -> bytes:
    context, target = screen.context_create(), screen.resource_create(width0=8, height0=8)
    context.set_framebuffer_state(cbufs=[target])
    context.set_viewport_states([{"scale": (4, 4, 0.5), "translate": (4, 4, 0.5)}])
    context.bind_vertex_elements_state(context.create_vertex_elements_state(elements))
    context.set_vertex_buffers([buffer])
    context.bind_vs_state(context.create_vs_state(PASS))
    context.bind_fs_state(context.create_fs_state(GENERIC))
    context.draw_vbo(mode="TRIANGLES", count=3)
    return target.tobytes()


def test_a_structured_array_draws_what_its_plain_form_draws(screen: g.Screen) -> None:
    mesh = np.zeros(3, [("color", "u1", 4), ("position", "f4", 3)])
    mesh["position"] = [(-1, -1, 0), (3, -1, 0), (-1, 3, 0)]
    mesh["color"] = [(255, 0, 51, 255)] * 3
    plain = np.array([[x, y, z, 1, 1, 0, 0.2, 1] for x, y, z in mesh["position"]], np.float32)
    wanted = drawn(screen, [(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")], plain)
    assert wanted == bytes((255, 0, 51, 255)) * 64
    elements = g.vertex_elements(mesh, ["position", "color"])
    assert drawn(screen, elements, mesh) == wanted
    assert drawn(screen, elements, {"buffer": screen.buffer_from(mesh), "stride": mesh.itemsize}) == wanted


def test_float64_vertices_are_refused_unless_elements_read_them(screen: g.Screen) -> None:
    context, narrow, wide = screen.context_create(), [(0, "R32G32_FLOAT")], [(0, "R64G64_FLOAT")]
    elements = [context.create_vertex_elements_state(item) for item in (narrow, wide)]
    vertices = np.zeros((3, 2))
    context.bind_vertex_elements_state(elements[0])
    bound = context.state.vertex_buffers
    for item in (vertices, {"buffer": vertices}, g.VertexBuffer(vertices)):
        with pytest.raises(TypeError, match=r"set_vertex_buffers: vertex buffer 0 has float64, element 0 reads R32G32_FLOAT; .*astype"):
            context.set_vertex_buffers([item])
    assert context.state.vertex_buffers is bound
    context.set_vertex_buffers([vertices], start=1)
    context.set_vertex_buffers([vertices.astype(np.float32)])
    context.bind_vertex_elements_state(elements[1])
    context.set_vertex_buffers([vertices])
    with pytest.raises(TypeError, match="bind_vertex_elements_state: vertex buffer 0 has float64"):
        context.bind_vertex_elements_state(context.create_vertex_elements_state(narrow))
    assert context.state.vertex_elements == elements[1].state
