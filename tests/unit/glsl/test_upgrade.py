"""Old GLSL becomes GLSL of today by what each word is in the version of the text."""

from __future__ import annotations

import pytest

from tests.unit.glsl.texts import code, errors, head, places, prepared
from tgsi.language.facts.enums import Processor


def test_text_of_today_keeps_its_words() -> None:
    text = "#version 330 core\nin vec2 texture ;\nvoid main ( ) { }\n"
    assert head(text) == ["#version 330 core"]
    assert code(text) == "in vec2 texture ; void main ( ) { }"


@pytest.mark.parametrize(
    ("version", "target"), [("110", "330"), ("120", "330"), ("140", "330"), ("150", "330"), ("100", "330"), ("300 es", "330")]
)
def test_versions_become_one_that_is_compiled(version: str, target: str) -> None:
    assert head(f"#version {version}\nvoid main() {{ }}") == [f"#version {target} core"]


def test_versions_of_es_that_have_more_become_later_ones() -> None:
    assert head("#version 310 es\n", Processor.COMP) == ["#version 450 core"]
    assert head("#version 320 es\n") == ["#version 460 core"]


def test_varyings_go_out_of_vertex_shaders_and_into_fragment_shaders() -> None:
    text = "#version 120\nattribute vec4 a; varying vec2 v; centroid varying vec2 w;"
    assert code(text, Processor.VERT) == "in vec4 a ; out vec2 v ; centroid out vec2 w ;"
    assert code(text) == "in vec4 a ; in vec2 v ; centroid in vec2 w ;"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("texture2D(t, u)", "texture ( t , u )"),
        ("textureCube(t, u, 1.0)", "texture ( t , u , 1.0 )"),
        ("texture2DProj(t, u)", "textureProj ( t , u )"),
        ("texture2DLod(t, u, 0.0)", "textureLod ( t , u , 0.0 )"),
        ("texture2DProjLodEXT(t, u, 0.0)", "textureProjLod ( t , u , 0.0 )"),
        ("texture2DGradARB(t, u, a, b)", "textureGrad ( t , u , a , b )"),
        ("texelFetch2D(t, u, 0)", "texelFetch ( t , u , 0 )"),
        ("shadow2D(t, f(u))", "vec4 ( vec3 ( texture ( t , f ( u ) ) ) , 1.0 )"),
        ("x.texture2D", "x . texture2D"),
        ("__VERSION__ /* texture2D */", "120"),
        ("gl_MaxDrawBuffers", "8"),
    ],
)
def test_functions_have_the_names_of_today(old: str, new: str) -> None:
    assert code(f"#version 120\nx = {old};") == f"x = {new} ;"


def test_comparisons_in_comparisons_have_the_names_of_today() -> None:
    inner = "vec4 ( vec3 ( texture ( s , u ) ) , 1.0 ) . xyz"
    assert code("#version 120\nx = shadow2D(t, shadow1D(s, u).xyz);") == f"x = vec4 ( vec3 ( texture ( t , {inner} ) ) , 1.0 ) ;"


def test_the_first_versions_of_330_and_400_have_the_old_functions_of_textures_too() -> None:
    assert code("#version 330\nx = texture2D(t, u);") == "x = texture ( t , u ) ;"
    assert code("#version 420\nx = texture2D(t, u);") == "x = texture2D ( t , u ) ;"


def test_a_name_of_the_program_that_means_something_today_gets_another() -> None:
    item = prepared(
        "#version 110\nuniform sampler2D texture; float filter;\nvoid main() { gl_FragColor = texture2D(texture, vec2(filter)); }"
    )
    words = " ".join(token[0] for token in item.tokens)
    assert words.startswith("uniform sampler2D tgsi_texture ; float tgsi_filter ;")
    assert words.endswith("texture ( tgsi_texture , vec2 ( tgsi_filter ) ) ; }")
    assert item.words("'tgsi_texture' and tgsi_filter, not tgsi_other") == "'texture' and filter, not tgsi_other"


def test_names_of_the_upgrade_are_none_of_the_text() -> None:
    assert code("#version 110\nfloat filter, tgsi_filter;") == "float tgsi1_filter , tgsi_filter ;"


@pytest.mark.parametrize("version", ["#version 100\n", "#version 110\n", "#version 120\n"])
@pytest.mark.parametrize("word", ["smooth", "flat", "layout", "uint", "uvec2", "case", "switch", "sampler2DArray", "usampler2D", "shared"])
def test_words_of_later_versions_are_names(version: str, word: str) -> None:
    text = f"{version}struct S {{ float {word}; }};\nvoid main() {{ float {word} = 1.0, a = {word}; S s; s.{word} = {word}; }}"
    new = f"tgsi_{word}"
    assert code(text) == (f"struct S {{ float {new} ; }} ; void main ( ) {{ float {new} = 1.0 , a = {new} ; S s ; s . {new} = {new} ; }}")
    assert code(f"{version}float f(float {word}, float b);") == f"float f ( float {new} , float b ) ;"


def test_words_of_later_versions_are_names_in_versions_that_are_compiled_as_they_are() -> None:
    assert code("#version 330\nfloat shared = 1.0; x = shared; float uint;") == "float tgsi_shared = 1.0 ; x = tgsi_shared ; float uint ;"
    assert code("#version 410\nstruct S { float buffer, coherent; }; s.buffer;") == (
        "struct S { float tgsi_buffer , tgsi_coherent ; } ; s . tgsi_buffer ;"
    )
    assert code("#version 430\nshared float a;", Processor.COMP) == "shared float a ;"
    assert code("#version 330\n#extension GL_ARB_compute_shader : enable\nshared float a;", Processor.COMP) == "shared float a ;"


def test_words_that_an_extension_adds_are_words() -> None:
    text = "#version 120\n#extension GL_ARB_explicit_attrib_location : enable\nlayout(location = 1) in vec4 a;"
    assert code(text, Processor.VERT) == "layout ( location = 1 ) in vec4 a ;"
    assert code("#version 120\n#extension GL_EXT_gpu_shader4 : enable\nflat varying vec4 a; unsigned int b;") == "flat in vec4 a ; uint b ;"


def test_words_of_later_versions_are_read_as_they_are_meant_where_no_name_can_stand() -> None:
    assert code("#version 120\nflat varying vec4 a; layout(location = 1) uniform uint b;") == (
        "flat in vec4 a ; layout ( location = 1 ) uniform uint b ;"
    )
    assert code("#version 140\nlayout(shared) uniform B { vec4 shared; };").startswith("layout ( shared ) uniform B {")


def test_a_function_of_the_program_keeps_its_calls() -> None:
    own = "float shadow2D(sampler2D m, vec3 c) { return c.z; }"
    assert code(f"#version 100\n{own} x = shadow2D(m, v);").endswith("x = shadow2D ( m , v ) ;")
    polyfill = "vec4 texture2DRect(sampler2D s, vec2 p) { return texture2D(s, p); } x = texture2DRect(s, p);"
    assert code(f"#version 100\n{polyfill}") == (
        "vec4 texture2DRect ( sampler2D s , vec2 p ) { return texture ( s , p ) ; } x = texture2DRect ( s , p ) ;"
    )


def test_a_function_of_the_program_beside_one_of_the_language_is_an_overload() -> None:
    text = "vec4 texture2D(sampler2D s, vec3 p) { return texture2D(s, p.xy); }"
    assert code(f"#version 120\n{text}") == "vec4 texture ( sampler2D s , vec3 p ) { return texture ( s , p . xy ) ; }"


def test_a_variable_that_would_hide_the_function_of_today_gets_another_name() -> None:
    assert code("#version 130\nvec2 texture; x = texture2D(t, texture) + texture(t, texture);") == (
        "vec2 tgsi_texture ; x = texture ( t , tgsi_texture ) + texture ( t , tgsi_texture ) ;"
    )


def test_macros_hide_nothing_from_the_upgrade() -> None:
    assert code("#version 120\n#define LOOK(texture2D, u) texture2D(s, u)\nx = LOOK(texture2D, v);") == "x = texture ( s , v ) ;"
    assert code("#version 120\n#define S shadow2D(t\nx = S, u);") == "x = vec4 ( vec3 ( texture ( t , u ) ) , 1.0 ) ;"


def test_colors_of_several_buffers_are_an_array_of_fragment_shaders() -> None:
    text = "#version 120\n#extension GL_ARB_draw_buffers : enable\nvoid main() { gl_FragData[2] = vec4(0); }"
    assert head(text) == ["#version 330 core", "layout(location = 0) out vec4 tgsi_FragData[3];"]
    assert code(text) == "void main ( ) { tgsi_FragData [ 2 ] = vec4 ( 0 ) ; }"
    both = f"#version 120\n#ifdef VERTEX\nvoid main() {{ gl_Position = vec4(0); }}\n#else\n{text[13:]}\n#endif"
    assert head(both, Processor.VERT, defines=(("VERTEX", "1"),)) == ["#version 330 core"]


def test_state_of_opengl_is_a_uniform_with_its_first_value() -> None:
    lines = head("#version 330\nvoid main() { gl_FragDepth = gl_DepthRange.far * float(gl_NumSamples); }")
    assert "uniform tgsi_gl_DepthRangeParameters tgsi_gl_DepthRange = tgsi_gl_DepthRangeParameters(0.0, 1.0, 1.0);" in lines[1]
    assert lines[2] == "uniform int tgsi_gl_NumSamples = 1;"
    assert head("#version 110\n// gl_DepthRange\nvoid main() { }") == ["#version 330 core"]


def test_the_block_of_positions_can_be_declared_since_150() -> None:
    text = "in gl_PerVertex { vec4 gl_Position; } gl_in[];"
    assert head(f"#version 150\n{text}", Processor.GEOM)[1:] == ["#extension GL_ARB_separate_shader_objects : enable"]
    assert head(f"#version 410\n{text}", Processor.GEOM) == ["#version 410 core"]


def test_noise_is_nothing_and_a_program_may_have_its_own() -> None:
    assert any("noise3(vec2 p) { return vec3(0.0); }" in line for line in head("#version 120\nx = noise3(v);"))
    assert head("#version 120\nvec3 noise3(vec2 p) { return p.xyx; } x = noise3(v);") == ["#version 330 core"]


def test_a_text_without_a_version_is_read_as_its_words_say() -> None:
    assert head("varying vec2 v;\nvoid main() { }") == ["#version 330 core"]
    assert head("out vec4 c;\nvoid main() { }") == ["#version 450 core"]
    assert code("varying float smooth; __VERSION__") == "in float tgsi_smooth ; 110"


def test_line_directives_and_included_extensions_reach_no_compiler() -> None:
    text = "#version 100\n#extension GL_OES_standard_derivatives : enable\n#line 70\nvoid main() { }"
    assert prepared(text).text == "#version 330 core\nvoid\nmain\n(\n)\n{\n}\n"


def test_every_name_of_the_fixed_functions_is_refused_at_its_place() -> None:
    found = errors(
        "#version 120\nvoid main() { gl_Position = ftransform();\n  v = gl_MultiTexCoord0 + gl_NormalMatrix * gl_Normal; }", Processor.VERT
    )
    assert [(item.code, item.span.text if item.span else "") for item in found] == [
        ("G012", "ftransform"),
        ("G012", "gl_MultiTexCoord0"),
        ("G012", "gl_NormalMatrix"),
        ("G012", "gl_Normal"),
    ]
    assert found[0].hint == "multiply an attribute by a uniform matrix"


def test_names_of_the_fixed_functions_where_no_code_is_are_none() -> None:
    text = "#version 120\n#ifdef OLD\nx = gl_Vertex;\n#endif\n// gl_Normal\n#define M ftransform()\nfloat ftransform;"
    assert code(text) == "float ftransform ;"


def test_versions_that_are_not_there_are_refused_at_their_number() -> None:
    for text, place, word in (
        ("#version 999", (1, 10, "999"), "not supported"),
        ("#version 999 es", (1, 10, "999"), "no version 999"),
        ("#version 300", (1, 10, "300"), "300"),
        ("#version 330 cor", (1, 14, "cor"), "profile"),
    ):
        (item,) = errors(f"{text}\nvoid main() {{ }}")
        assert (places((item,)), word in item.message) == ([place], True), text


def test_macros_of_extensions_that_are_offered_are_defined() -> None:
    text = "#if defined(GL_OES_standard_derivatives) && GL_OES_standard_derivatives == 1\nyes\n#endif\n#ifdef GL_NV_ray_tracing\nno\n#endif"
    assert code(f"#version 100\n{text}") == "yes"
    assert code(f"#version 330\n{text}") == ""
    assert code("#version 300 es\n#if GL_ES && GL_FRAGMENT_PRECISION_HIGH && __VERSION__ == 300\nyes\n#endif") == "yes"
    assert code("#version 150 core\n#ifdef GL_core_profile\nyes\n#endif\n#ifdef GL_ES\nno\n#endif") == "yes"


def test_extensions_that_are_not_offered_are_a_warning_or_an_error() -> None:
    (note,) = prepared("#version 330\n#extension GL_X_y : enable\nvoid main() { }").notes
    assert (note.code, places((note,))) == ("G002", [(2, 12, "GL_X_y")])
    assert code("#version 450\n#ifdef GL_ARB_bindless_texture\nno\n#endif") == ""  # glslang has it for no module of SPIR-V
    (item,) = errors("#version 330\n#extension GL_X_y : require\nvoid main() { }")
    assert (item.code, places((item,))) == ("G001", [(2, 12, "GL_X_y")])
