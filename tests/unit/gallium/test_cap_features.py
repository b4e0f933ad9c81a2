"""Features that the screen answers yes to, used: those that no other module of the tests is about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from tests.unit.picture import GENERIC, PASS, STRIP, Picture, both, screen
from tgsi import UnsupportedError
from tgsi import gallium as g
from tgsi.language.printer import print_program

pytestmark = pytest.mark.light

F32 = np.float32


def f32(values: Any) -> Any:
    return np.array(values, F32)


def cap(name: str) -> int:
    return screen().get_param(name)


# -- outputs that are read -----------------------------------------------------------------------------------------------------
READS = {
    "VERT": (
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nADD OUT[1], OUT[0], OUT[0].wzyx\nEND\n",
        f32([[[1, 2, 3, 4]]]),
        [5, 5, 5, 5],
    ),
    "FRAG": (
        "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nMOV OUT[0].z, IN[0].yyyy\nMOV OUT[1], IN[0]\n"
        "MUL OUT[1].xy, OUT[1], OUT[0].zzzz\nEND\n",
        f32([[[1, 2, 3, 4]]]),
        [2, 4, 3, 4],
    ),
    "by address": (
        "VERT\nDCL IN[0]\nDCL OUT[0..2], ARRAY(1), GENERIC[0]\nDCL ADDR[0]\nF2I ADDR[0].x, IN[0].xxxx\nMOV OUT[ADDR[0].x](1), IN[0]\n"
        "MOV OUT[2], OUT[ADDR[0].x](1)\nEND\n",
        f32([[[1, 2, 3, 4]]]),
        [1, 2, 3, 4],
    ),
    "in a loop": (
        "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {1.0, 4.0, 0.0, 0.0}\nMOV OUT[0], IN[0]\n"
        "BGNLOOP\nFSGE TEMP[0].x, OUT[0].xxxx, IMM[0].yyyy\nUIF TEMP[0].xxxx\nBRK\nENDIF\n"
        "ADD OUT[0].x, OUT[0].xxxx, IMM[0].xxxx\nENDLOOP\nEND\n",
        f32([[[1, 2, 3, 4]]]),
        [4, 2, 3, 4],
    ),
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("optimized", [False, True])
def test_programs_read_their_outputs(name: str, optimized: bool) -> None:
    text, inputs, expected = READS[name]
    assert cap("TGSI_CAN_READ_OUTPUTS") == 1
    if optimized:
        text = print_program(tgsi.optimize(tgsi.parse(text)))
    assert both(text, inputs).floats[0, -1].tolist() == expected


def test_a_geometry_program_reads_its_outputs() -> None:
    text = (
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
        "DCL IN[][0], POSITION\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
        "MOV OUT[0], IN[0][0]\nADD OUT[1], OUT[0], OUT[0]\nEMIT IMM[0].xxxx\nEND\n"
    )
    assert both(text, f32([[[[1, 2, 3, 4]]]])).emitted[0].view(F32).reshape(-1, 4).tolist()[-1] == [2, 4, 6, 8]


def test_a_control_program_reads_the_outputs_of_its_patch() -> None:
    text = (
        "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 2\nDCL IN[][0], GENERIC[0]\nDCL SV[0], INVOCATIONID\n"
        "DCL OUT[][0], GENERIC[0]\nDCL OUT[][1], GENERIC[1]\nDCL ADDR[0]\n"
        "UARL ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\nBARRIER\n"
        "ADD OUT[ADDR[0].x][1], OUT[0][0], OUT[1][0]\nEND\n"
    )
    assert both(text, f32([[[[1, 2, 3, 4]], [[10, 20, 30, 40]]]])).floats[..., 1, :].reshape(-1, 4).tolist() == [[11, 22, 33, 44]] * 2


def test_an_evaluation_program_reads_its_outputs() -> None:
    text = (
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n"
        "MOV OUT[0], IN[0][0]\nADD OUT[1], OUT[0], OUT[0]\nEND\n"
    )
    found = both(text, f32([[[[1, 2, 3, 4]]] * 3]), system_values={"TESSCOORD": [[1, 0, 0]]})
    assert found.floats[..., 1, :].reshape(-1, 4)[0].tolist() == [2, 4, 6, 8]


def test_draws_read_outputs_of_both_stages() -> None:
    vertex = PASS.replace("END\n", "ADD OUT[1].x, OUT[1].xxxx, OUT[0].wwww\nEND\n")
    fragment = GENERIC.replace("END\n", "ADD OUT[0].y, OUT[0].xxxx, OUT[0].xxxx\nEND\n")
    picture = Picture(4, 4).draw(fragment, vertex, values=np.full((4, 4), 2, F32))
    assert picture.pixels()[0, 0].tolist() == [3, 6, 2, 2]


# -- declarations --------------------------------------------------------------------------------------------------------------
def test_components_of_one_output_are_declared_apart() -> None:
    assert cap("TGSI_ARRAY_COMPONENTS") == 1
    vertex = (
        "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1..2].xy, ARRAY(1), GENERIC[0]\n"
        "DCL OUT[1..2].zw, ARRAY(2), GENERIC[0]\n"
        "MOV OUT[0], IN[0]\nMOV OUT[1](1).xy, IN[1]\nMOV OUT[2](1).xy, IN[1].yyyy\n"
        "MOV OUT[1](2).zw, IN[1].xxxx\nMOV OUT[2](2).zw, IN[1]\nEND\n"
    )
    fragment = (
        "FRAG\nDCL IN[0..1].xy, ARRAY(1), GENERIC[0], PERSPECTIVE\n"
        "DCL IN[0..1].zw, ARRAY(2), GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n"
        "DCL OUT[1], COLOR[1]\nMOV OUT[0], IN[0](1)\nMOV OUT[0].zw, IN[0](2)\nMOV OUT[1], IN[1](1)\nMOV OUT[1].zw, IN[1](2)\nEND\n"
    )
    picture = Picture(4, 4, targets=2).draw(fragment, vertex, values=np.array([[1, 2, 3, 4]] * 4, F32))
    assert (picture.pixels()[0, 0].tolist(), picture.pixels(1)[0, 0].tolist()) == ([1, 2, 1, 1], [2, 2, 3, 4])


# -- formats -------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("samples", [0, 1, 2, 4, 8, 16])
def test_framebuffers_without_attachments_have_the_samples_that_format_none_has(samples: int) -> None:
    assert screen().is_format_supported("NONE", sample_count=samples, bind="RENDER_TARGET")
    picture = Picture(4, 4)
    picture.ctx.set_framebuffer_state(width=4, height=4, samples=samples)
    passed = picture.counted("OCCLUSION_COUNTER", lambda: picture.draw(rasterizer={"multisample": samples > 1}))
    assert passed == 16 * max(samples, 1)


@pytest.mark.parametrize("samples", [3, 5, 32])
def test_format_none_has_no_other_samples(samples: int) -> None:
    assert not screen().is_format_supported("NONE", sample_count=samples, bind="RENDER_TARGET")
    with pytest.raises(ValueError, match="set_framebuffer_state: samples"):
        Picture(4, 4).ctx.set_framebuffer_state(width=4, height=4, samples=samples)


def test_the_surface_of_a_draw_and_of_a_blit_decides_about_srgb(ctx: g.Context) -> None:
    assert cap("DEST_SURFACE_SRGB_CONTROL") == 1
    picture = Picture(1, 1, format="R8G8B8A8_UNORM")
    target = picture.targets[0]
    for format, expected in (("R8G8B8A8_UNORM", 128), ("R8G8B8A8_SRGB", 188)):
        picture.ctx.set_framebuffer_state(cbufs=[picture.ctx.create_surface(target, format=format)])
        picture.draw(GENERIC, values=np.full((4, 4), 0.5, F32))
        assert picture.pixels()[0, 0, 0] == expected
    source = ctx.screen.resource_create(width0=1, height0=1, format="R32G32B32A32_FLOAT")
    ctx.texture_subdata(source, f32([[[0.5] * 4]]))
    for format, expected in (("R8G8B8A8_UNORM", 128), ("R8G8B8A8_SRGB", 188)):
        ctx.blit(dst=target, src=source, dst_format=format)
        assert target.texels()[0, 0, 0, 0] == expected


def test_every_multisampled_format_that_is_rendered_to_is_sampled() -> None:
    assert cap("TEXTURE_MULTISAMPLE") == 1
    for format in g.Format:
        for count in (2, 4, 8, 16):
            for bind in ("RENDER_TARGET", "DEPTH_STENCIL"):
                if screen().is_format_supported(format, sample_count=count, bind=bind):
                    assert screen().is_format_supported(format, sample_count=count, bind=f"{bind}|SAMPLER_VIEW"), format


# -- alignment -----------------------------------------------------------------------------------------------------------------
def test_vertex_buffers_have_no_alignment() -> None:
    assert not any(cap(f"VERTEX_{name}_4BYTE_ALIGNED_ONLY") for name in ("BUFFER_OFFSET", "BUFFER_STRIDE", "ELEMENT_SRC_OFFSET"))
    picture = Picture(4, 4)
    ctx = picture.ctx
    ctx.bind_vs_state(ctx.create_vs_state(PASS))
    ctx.bind_fs_state(ctx.create_fs_state(GENERIC))
    rows = np.zeros((4, 35), np.uint8)
    rows[:, 1:17], rows[:, 18:34] = STRIP.view(np.uint8), np.full((4, 4), 7, F32).view(np.uint8)
    buffer = picture.buffer(np.concatenate([np.zeros(3, np.uint8), rows.ravel()]))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(1, "R32G32B32A32_FLOAT"), (18, "R32G32B32A32_FLOAT")]))
    ctx.set_vertex_buffers([g.VertexBuffer(buffer, 35, 3)])
    ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    assert (picture.pixels() == 7).all()


def test_views_of_buffers_begin_at_any_byte_that_the_cap_allows() -> None:
    step = cap("TEXTURE_BUFFER_OFFSET_ALIGNMENT")
    picture = Picture(1, 1)
    ctx = picture.ctx
    buffer = picture.buffer(np.concatenate([np.zeros(step, np.uint8), f32([5, 6, 7, 8]).view(np.uint8)]))
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(buffer, format="R32G32B32A32_FLOAT", offset=step, size=16)])
    text = (
        "FRAG\nDCL SAMP[0]\nDCL SVIEW[0], BUFFER, FLOAT\nDCL OUT[0], COLOR\nIMM[0] INT32 {0, 0, 0, 0}\n"
        "TXF OUT[0], IMM[0], SAMP[0], BUFFER\nEND\n"
    )
    assert picture.draw(text).pixels()[0, 0].tolist() == [5, 6, 7, 8]


def test_constant_and_shader_buffers_begin_where_the_caps_say() -> None:
    picture = Picture(1, 1)
    ctx = picture.ctx
    steps = (cap("CONSTANT_BUFFER_OFFSET_ALIGNMENT"), cap("SHADER_BUFFER_OFFSET_ALIGNMENT"))
    words = f32([1, 2, 3, 4, 5])
    ctx.set_constant_buffer("FRAGMENT", picture.buffer(words), offset=steps[0])
    ctx.set_shader_buffers("FRAGMENT", [g.ShaderBuffer(picture.buffer(words), steps[1])])
    text = (
        "FRAG\nDCL CONST[0][0]\nDCL BUFFER[0]\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
        "LOAD TEMP[0].x, BUFFER[0], IMM[0].xxxx\nADD OUT[0], CONST[0][0], TEMP[0].xxxx\nEND\n"
    )
    assert picture.draw(text).pixels()[0, 0].tolist() == [4, 5, 6, 7]
    with pytest.raises(ValueError, match="set_constant_buffer: offset"):
        ctx.set_constant_buffer("FRAGMENT", picture.buffer(words), offset=steps[0] // 2)
    with pytest.raises(ValueError, match="set_shader_buffers"):
        ctx.set_shader_buffers("FRAGMENT", [g.ShaderBuffer(picture.buffer(words), steps[1] // 2)])


def test_a_constant_buffer_is_a_vertex_buffer(ctx: g.Context) -> None:
    assert cap("CAN_BIND_CONST_BUFFER_AS_VERTEX") == 1
    buffer = ctx.screen.resource_create(target="BUFFER", width0=64, bind="CONSTANT_BUFFER")
    ctx.set_vertex_buffers([g.VertexBuffer(buffer, 16)])


# -- missing features ----------------------------------------------------------------------------------------------------------
def test_sparse_resources_are_refused_as_their_page_size_says(ctx: g.Context) -> None:
    assert cap("SPARSE_BUFFER_PAGE_SIZE") == 0
    with pytest.raises(UnsupportedError, match="resource_create: flags SPARSE"):
        ctx.screen.resource_create(target="BUFFER", width0=64, flags="SPARSE")
    assert not screen().can_create_resource(g.Template(target=g.TextureTarget.BUFFER, width0=64, flags=g.ResourceFlags.SPARSE))
    plain = ctx.screen.resource_create(target="BUFFER", width0=64)
    assert ctx.resource_commit(plain, box=(0, 0, 0, 64, 1, 1), commit=True) is False


def test_templates_take_names_and_name_what_is_wrong() -> None:
    given: dict[str, Any] = {"target": "TEXTURE_2D_ARRAY", "format": "DXT1_RGB", "bind": "SAMPLER_VIEW", "usage": "STAGING"}
    assert screen().can_create_resource(g.Template(width0=4, height0=4, **given))
    assert screen().resource_create(g.Template(width0=4, height0=4, **given)).target is g.TextureTarget.TEXTURE_2D_ARRAY
    wrongs: tuple[tuple[str, Any], ...] = (("target", "TEXTURE_4D"), ("format", "NOTHING"), ("bind", "EVERYTHING"))
    for field, wrong in wrongs:
        for method in (screen().can_create_resource, screen().resource_create):
            with pytest.raises(ValueError, match=f"template: {field}"):
                method(g.Template(width0=4, **{field: wrong}))


# -- languages -----------------------------------------------------------------------------------------------------------------
def test_what_the_answered_versions_of_glsl_need_is_there() -> None:
    """The features by which Mesa's OpenGL frontend decides about GLSL 4.30 and ESSL 3.20, as caps (docs/caps.md lists their tests)."""
    assert (cap("GLSL_FEATURE_LEVEL"), cap("GLSL_FEATURE_LEVEL_COMPATIBILITY"), cap("ESSL_FEATURE_LEVEL")) == (430, 430, 320)
    desktop = (
        "DOUBLES SAMPLE_SHADING CUBE_MAP_ARRAY TEXTURE_QUERY_LOD TEXTURE_GATHER_SM5 TEXTURE_GATHER_OFFSETS DRAW_INDIRECT INDEP_BLEND_FUNC"
    )
    embedded = (
        "COMPUTE SAMPLE_SHADING CUBE_MAP_ARRAY TEXTURE_GATHER_SM5 TEXTURE_BUFFER_OBJECTS TEXTURE_MULTISAMPLE FRAMEBUFFER_NO_ATTACHMENT "
        "ROBUST_BUFFER_ACCESS_BEHAVIOR TGSI_PACK_HALF_FLOAT FBFETCH INDEP_BLEND_FUNC DRAW_INDIRECT IMAGE_LOAD_FORMATTED"
    )
    later = (
        "SAMPLER_VIEW_TARGET COPY_BETWEEN_COMPRESSED_AND_PLAIN_FORMATS START_INSTANCE TGSI_TXQS STREAM_OUTPUT_PAUSE_RESUME "
        "QUERY_BUFFER_OBJECT CLEAR_TEXTURE MULTI_DRAW_INDIRECT"
    )
    assert all(cap(name) for name in f"{desktop} {embedded} {later}".split())
    assert cap("MAX_TEXTURE_2D_SIZE") >= 16384
    assert cap("MAX_SHADER_PATCH_VARYINGS") >= 30
    assert cap("MAX_GEOMETRY_OUTPUT_VERTICES") >= 256
    assert cap("MAX_VERTEX_STREAMS") >= 4
    assert cap("MAX_TEXTURE_BUFFER_SIZE") >= 65536
    assert cap("MAX_TEXTURE_GATHER_COMPONENTS") == 4
    assert cap("MAX_VIEWPORTS") >= 16
    for stage in ("VERTEX", "FRAGMENT", "GEOMETRY", "TESS_CTRL", "TESS_EVAL", "COMPUTE"):
        for name in ("INTEGERS", "TGSI_FMA_SUPPORTED", "TGSI_LDEXP_SUPPORTED", "MAX_SHADER_BUFFERS", "MAX_SHADER_IMAGES"):
            assert screen().get_shader_param(stage, name), (stage, name)
    for format in ("ETC2_RGB8", "ASTC_8x8", "ASTC_8x8_SRGB", "S8_UINT", "R11G11B10_FLOAT"):
        bind = "DEPTH_STENCIL" if format == "S8_UINT" else "SAMPLER_VIEW"
        assert screen().is_format_supported(format, bind=bind), format
