"""Messages about names of OpenGL, Vulkan, Direct3D and WebGPU say Gallium's."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.formats import COMPRESSED, FORMATS
from backends.pipe.enums import PREFIXES, lookup
from tests.unit.picture import screen
from tgsi import gallium as g

__all__ = ["screen"]

pytestmark = pytest.mark.light

VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n"
FRAGMENT = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"

FORMATS_ELSEWHERE = """
RGBA8 R8G8B8A8_UNORM; GL_RGBA8 R8G8B8A8_UNORM; RGBA R8G8B8A8_UNORM; rgba8unorm R8G8B8A8_UNORM; r8g8b8a8_unorm R8G8B8A8_UNORM
VK_FORMAT_R8G8B8A8_SRGB R8G8B8A8_SRGB; DXGI_FORMAT_R8G8B8A8_UNORM_SRGB R8G8B8A8_SRGB; SRGB8_ALPHA8 R8G8B8A8_SRGB
bgra8unorm B8G8R8A8_UNORM; bgra8unorm-srgb B8G8R8A8_SRGB; RGB8 R8G8B8_UNORM; RG8 R8G8_UNORM; R8 R8_UNORM; r8snorm R8_SNORM
RGBA16F R16G16B16A16_FLOAT; rgba16float R16G16B16A16_FLOAT; RGBA32F R32G32B32A32_FLOAT; R32F R32_FLOAT; RG32UI R32G32_UINT
VK_FORMAT_R32G32B32A32_SFLOAT R32G32B32A32_FLOAT; RGBA8I R8G8B8A8_SINT; R16UI R16_UINT; RGBA8_SNORM R8G8B8A8_SNORM
R11F_G11F_B10F R11G11B10_FLOAT; rg11b10ufloat R11G11B10_FLOAT; VK_FORMAT_B10G11R11_UFLOAT_PACK32 R11G11B10_FLOAT
RGB9_E5 R9G9B9E5_FLOAT; DXGI_FORMAT_R9G9B9E5_SHAREDEXP R9G9B9E5_FLOAT; RGB10_A2 R10G10B10A2_UNORM
VK_FORMAT_A2B10G10R10_UNORM_PACK32 R10G10B10A2_UNORM; VK_FORMAT_A2R10G10B10_UNORM_PACK32 B10G10R10A2_UNORM
VK_FORMAT_R5G6B5_UNORM_PACK16 B5G6R5_UNORM; RGB565 B5G6R5_UNORM; VK_FORMAT_A8B8G8R8_UNORM_PACK32 R8G8B8A8_UNORM
DEPTH24_STENCIL8 Z24_UNORM_S8_UINT; GL_DEPTH24_STENCIL8 Z24_UNORM_S8_UINT; depth24plus-stencil8 Z24_UNORM_S8_UINT; D24S8 Z24_UNORM_S8_UINT
VK_FORMAT_D24_UNORM_S8_UINT Z24_UNORM_S8_UINT; DEPTH_COMPONENT24 Z24X8_UNORM; depth24plus Z24X8_UNORM; DEPTH_COMPONENT16 Z16_UNORM
VK_FORMAT_D16_UNORM Z16_UNORM; VK_FORMAT_D32_SFLOAT Z32_FLOAT; DXGI_FORMAT_D32_FLOAT Z32_FLOAT; DEPTH_COMPONENT32F Z32_FLOAT
DEPTH32F_STENCIL8 Z32_FLOAT_S8X24_UINT; VK_FORMAT_D32_SFLOAT_S8_UINT Z32_FLOAT_S8X24_UINT; STENCIL_INDEX8 S8_UINT; stencil8 S8_UINT
GL_COMPRESSED_RGBA_S3TC_DXT5_EXT DXT5_RGBA; VK_FORMAT_BC1_RGB_UNORM_BLOCK DXT1_RGB; DXGI_FORMAT_BC3_UNORM DXT5_RGBA
VK_FORMAT_BC7_SRGB_BLOCK BPTC_SRGBA; DXGI_FORMAT_BC7_UNORM BPTC_RGBA_UNORM; bc5-rg-unorm RGTC2_UNORM; GL_COMPRESSED_RED_RGTC1 RGTC1_UNORM
VK_FORMAT_BC6H_UFLOAT_BLOCK BPTC_RGB_UFLOAT; VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK ETC2_RGBA8; GL_COMPRESSED_RGB8_ETC2 ETC2_RGB8
VK_FORMAT_EAC_R11_UNORM_BLOCK ETC2_R11_UNORM; VK_FORMAT_ASTC_4x4_UNORM_BLOCK ASTC_4x4; astc-10x10-unorm-srgb ASTC_10x10_SRGB
GL_COMPRESSED_RGBA_ASTC_8x6_KHR ASTC_8x6; GL_COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR ASTC_5x4_SRGB
LUMINANCE8 L8_UNORM; LUMINANCE8_ALPHA8 L8A8_UNORM; ALPHA8 A8_UNORM; INTENSITY8 I8_UNORM
"""
PAIRS = [pair.split() for line in FORMATS_ELSEWHERE.strip().splitlines() for pair in line.split(";")]


@pytest.mark.parametrize(("name", "gallium"), PAIRS, ids=[name for name, _ in PAIRS])
def test_formats_of_other_interfaces_are_hinted(screen: g.Screen, name: str, gallium: str) -> None:
    with pytest.raises(ValueError, match=f"{re.escape(name)}' is not a known format; did you mean {gallium}\\?"):
        screen.resource_create(format=name, width0=8, height0=8)


@pytest.mark.parametrize(
    ("name", "gallium"), [("float32x3", "R32G32B32_FLOAT"), ("vec4", "R32G32B32A32_FLOAT"), ("unorm8x4", "R8G8B8A8_UNORM")]
)
def test_formats_of_vertices_are_hinted(screen: g.Screen, name: str, gallium: str) -> None:
    with screen.context_create() as context, pytest.raises(ValueError, match=f"did you mean {gallium}\\?"):
        context.create_vertex_elements_state([(0, name)])


def test_a_format_in_other_letters_is_hinted(screen: g.Screen) -> None:
    for format in (*FORMATS, *COMPRESSED):
        with pytest.raises(ValueError, match=f"did you mean {format}\\?"):
            screen.resource_create(format=format.lower(), width0=8, height0=8)


@pytest.mark.parametrize("kind", PREFIXES, ids=lambda kind: kind.__name__)
def test_members_in_other_letters_are_hinted(kind: Any) -> None:
    for member in kind.__members__:
        for name in {member.lower(), member.title(), f"pipe_{member.lower()}"} - {member}:
            with pytest.raises(ValueError, match=f"a: '{name}' is not a {kind.__name__}; did you mean {member}\\?$"):
                lookup(kind, name, "a")


MEMBERS: list[tuple[Any, str, str]] = [
    (g.TexFilter, "GL_LINEAR_MIPMAP_LINEAR", "LINEAR"),
    (g.TexWrap, "MIRRORED_REPEAT", "MIRROR_REPEAT"),
    (g.TexWrap, "VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE", "CLAMP_TO_EDGE"),
    (g.BlendFactor, "GL_ONE_MINUS_SRC_ALPHA", "INV_SRC_ALPHA"),
    (g.BlendFactor, "VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR", "INV_CONST_COLOR"),
    (g.BlendFactor, "D3D11_BLEND_INV_DEST_ALPHA", "INV_DST_ALPHA"),
    (g.BlendFunc, "GL_FUNC_ADD", "ADD"),
    (g.CompareFunc, "<=", "LEQUAL"),
    (g.CompareFunc, "VK_COMPARE_OP_LESS_OR_EQUAL", "LEQUAL"),
    (g.CompareFunc, "D3D11_COMPARISON_GREATER_EQUAL", "GEQUAL"),
    (g.StencilOp, "INCREMENT_AND_CLAMP", "INCR"),
    (g.Prim, "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST", "TRIANGLES"),
    (g.Prim, "D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST", "TRIANGLES"),
    (g.Prim, "LINE_LIST_WITH_ADJACENCY", "LINES_ADJACENCY"),
    (g.ShaderType, "fs", "FRAGMENT"),
    (g.ShaderType, "pixel", "FRAGMENT"),
    (g.ShaderType, "GL_VERTEX_SHADER", "VERTEX"),
    (g.TextureTarget, "2D", "TEXTURE_2D"),
    (g.TextureTarget, "GL_TEXTURE_CUBE_MAP", "TEXTURE_CUBE"),
    (g.Face, "VK_CULL_MODE_BACK_BIT", "BACK"),
    (g.QueryType, "GL_SAMPLES_PASSED", "OCCLUSION_COUNTER"),
    (g.Clear, "GL_COLOR_BUFFER_BIT", "COLOR"),
    (g.Bind, "VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT", "CONSTANT_BUFFER"),
    (g.Swizzle, "r", "X"),
    (g.PolygonMode, "wireframe", "LINE"),
]


@pytest.mark.parametrize(("kind", "name", "gallium"), MEMBERS, ids=[name for _, name, _ in MEMBERS])
def test_members_of_other_interfaces_are_hinted(kind: Any, name: str, gallium: str) -> None:
    with pytest.raises(ValueError, match=f"did you mean {gallium}\\?$"):
        lookup(kind, name, "a")


CALLS: dict[str, tuple[Callable[[Any], object], str]] = {
    "viewport": (
        lambda c: c.set_viewport_states([{"x": 10, "y": 0, "width": 100, "height": 50}]),
        "ViewportState has no field x; .*scale=(50, 25, 0.5) and translate=(60, 25, 0.5)",
    ),
    "viewport with depths": (
        lambda c: c.set_viewport_states([{"width": 4, "height": 4, "min_depth": 0, "max_depth": 0.5}]),
        "scale=(2, 2, 0.25) and translate=(2, 2, 0.25)",
    ),
    "viewport as a tuple": (
        lambda c: c.set_viewport_states([(0, 0, 8, 8)]),
        "expected a ViewportState, or a mapping of its fields (scale, translate), not tuple",
    ),
    "scissor": (lambda c: c.set_scissor_states([{"x": 1, "y": 2, "width": 3, "height": 4}]), "minx=1, miny=2, and maxx=4, maxy=6"),
    "sampler": (
        lambda c: c.create_sampler_state(mag_filter="LINEAR"),
        "has no field mag_filter; did you mean mag_img_filter?",
    ),
    "rasterizer": (lambda c: c.create_rasterizer_state(cull_mode="BACK"), "did you mean cull_face?"),
    "blend": (lambda c: c.create_blend_state(rt=[{"src_factor": "ONE"}]), "did you mean rgb_src_factor?"),
    "depth": (lambda c: c.create_depth_stencil_alpha_state(depth={"compare_op": "LESS"}), "did you mean func?"),
    "vertices of a draw": (lambda c: c.draw_vbo(vertex_count=3), "DrawInfo has no field vertex_count; did you mean count?"),
    "topology of a draw": (lambda c: c.draw_vbo(topology="TRIANGLES"), "did you mean mode?"),
    "vertex element": (lambda c: c.create_vertex_elements_state([{"offset": 0, "format": "R32_FLOAT"}]), "did you mean src_offset?"),
    "index as a list": (
        lambda c: c.draw_vbo(mode="TRIANGLES", index=[0, 1, 2]),
        "draw_vbo: index: expected an array of uint8, uint16 or uint32, not list; numpy.array(index, numpy.uint32) makes one",
    ),
    "index as a tuple": (lambda c: c.draw_vbo(mode="TRIANGLES", index=(0, 1, 2)), "uint32, not tuple; numpy.array(index, numpy.uint32)"),
    "bound index as a list": (
        lambda c: c.set_index_buffer([0, 1, 2]),
        "index: expected bytes or an array, not list; numpy",
    ),
    "vertices as a list": (lambda c: c.set_vertex_buffers([[0.0, 1.0]]), "not list"),
    "a fragment program as a vertex shader": (
        lambda c: c.create_vs_state(FRAGMENT),
        "create_vs_state: program: expected a VERT program, not FRAG, which create_fs_state takes",
    ),
    "a vertex program as a compute shader": (
        lambda c: c.create_compute_state(VERTEX),
        "expected a COMP program, not VERT, which create_vs",
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_message_says_what_to_write_instead(screen: g.Screen, call: str) -> None:
    act, message = CALLS[call]
    with screen.context_create() as context:
        context.bind_vs_state(context.create_vs_state(VERTEX))
        with pytest.raises((TypeError, ValueError)) as error:
            act(context)
    pattern = re.escape(message).replace(r"\.\*", ".*")
    assert re.search(pattern, str(error.value)), str(error.value)


GLSL = {
    "fs": "void main() { gl_FragColor = vec4(1.0); }",
    "vs": "attribute vec4 p; void main() { gl_Position = p; }",
    "compute": "#version 430\nlayout(local_size_x = 1) in;\nvoid main() { barrier(); }",
}


@pytest.mark.parametrize("given", GLSL)
@pytest.mark.parametrize("wanted", ["vs", "fs", "gs", "tcs", "tes", "compute"])
def test_a_text_of_another_stage_names_the_method_that_takes_it(screen: g.Screen, given: str, wanted: str) -> None:
    if given == wanted:
        return
    with (
        screen.context_create() as context,
        pytest.raises(ValueError, match=f"create_{wanted}_state: program: .* create_{given}_state takes"),
    ):
        getattr(context, f"create_{wanted}_state")(GLSL[given])


def test_a_mistake_in_a_text_of_the_right_stage_keeps_its_caret(screen: g.Screen) -> None:
    with screen.context_create() as context, pytest.raises(tgsi.ParseError, match="foo"):
        context.create_vs_state("void main() { gl_Position = foo; }")


# -- frames and names in messages of Python ------------------------------------------------------------------------------------
WRONG = "FRAG\nDCL OUT[0], COLOUR\nEND\n"
UNWRITTEN = "VERT\nDCL OUT[0], POSITION\nMOV OUT[0], TEMP[0]\nEND\n"
SHOWN: dict[str, Callable[[Any], object]] = {
    "create_fs_state": lambda c: c.create_fs_state(WRONG),
    "create_vs_state": lambda c: c.create_vs_state(UNWRITTEN),
    "create_compute_state": lambda c: c.create_compute_state(WRONG),
    "create_fs_state of GLSL": lambda c: c.create_fs_state("void main() { gl_FragColor = foo; }"),
    "parse": lambda c: tgsi.parse(WRONG),
    "compile": lambda c: tgsi.compile("void main() { gl_FragColor = foo; }"),
    "validate": lambda c: tgsi.validate(tgsi.parse(UNWRITTEN)),
    "run": lambda c: tgsi.run(WRONG),
    "link": lambda c: tgsi.link(VERTEX, WRONG),
    "optimize": lambda c: tgsi.optimize(tgsi.parse(UNWRITTEN)),
}


@pytest.mark.parametrize("call", SHOWN)
def test_an_error_in_a_program_has_one_frame_below_the_caller(screen: g.Screen, call: str) -> None:
    with screen.context_create() as context:
        try:
            SHOWN[call](context)
        except tgsi.DiagnosticError as error:
            frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
            assert frames[2:] == ["call"], frames
        else:
            pytest.fail("it is not refused")


def test_frames_are_kept_for_who_debugs_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_DEBUG", "1")
    with pytest.raises(tgsi.ParseError) as error:
        tgsi.parse(WRONG)
    assert len(error.traceback) > 3


CLASSES = [getattr(g, name) for name in g.__all__ if isinstance(getattr(g, name), type) and name != "Prim"]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_messages_of_python_name_the_public_class(kind: type) -> None:
    """Python takes the name in `f() got an unexpected keyword argument` from the function that refuses it, below every wrapper."""
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_") and "gallium" in (method.__module__ or ""):
            assert inspect.unwrap(method).__qualname__.startswith(f"{kind.__name__}."), name


@pytest.mark.parametrize("name", ["set_framebuffer_state", "clear", "blit", "flush", "transfer_map", "create_query", "set_vertex_buffers"])
def test_wrong_keywords_name_the_context(screen: g.Screen, name: str) -> None:
    with (
        screen.context_create() as context,
        pytest.raises(TypeError, match=rf"^Context\.{name}\(\) got an unexpected keyword argument 'colour'"),
    ):
        getattr(context, name)(*([1] if name in ("transfer_map", "create_query", "set_vertex_buffers") else []), colour=1)


def test_wrong_keywords_name_the_screen(screen: g.Screen) -> None:
    anything: Any = screen
    with pytest.raises(TypeError, match=r"^Screen\.get_param\(\) got an unexpected keyword argument 'colour'"):
        anything.get_param("NPOT_TEXTURES", colour=1)


def test_arrays_of_indices_are_taken_as_before(screen: g.Screen) -> None:
    with screen.context_create() as context:
        context.bind_vs_state(context.create_vs_state(VERTEX))
        context.bind_vertex_elements_state(context.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        context.set_vertex_buffers([np.zeros((3, 4), np.float32)])
        context.draw_vbo(mode="TRIANGLES", index=np.array([0, 1, 2], np.uint32))
