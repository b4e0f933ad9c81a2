"""GLSL for Vulkan is recognized by words that OpenGL lacks; all other GLSL still compiles for OpenGL."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tgsi
from tests.unit.glsl.glslang import needs_glslang

pytestmark = [needs_glslang, pytest.mark.light]

VERTEX = """#version 450
layout(push_constant) uniform Push { vec4 tint; };
layout(location = 0) out vec4 color;
void main() {
    vec2 p = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
    gl_Position = vec4(p * 2 - 1, 0, 1);
    color = tint * float(1 + gl_InstanceIndex);
}
"""
FRAGMENT = """#version 450
layout(set = 1, binding = 0) uniform texture2D image;
layout(set = 1, binding = 1) uniform sampler nearest;
layout(set = 0, binding = 0) uniform Block { vec4 gain; };
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main() { result = color * texture(sampler2D(image, nearest), gl_FragCoord.xy / 4) * gain; }
"""
BOTH = """#version 450
#ifdef VULKAN
layout(push_constant) uniform Push { vec4 tint; };
#else
uniform vec4 tint;
#endif
layout(location = 0) out vec4 result;
void main() { result = tint + gl_FragCoord; }
"""


def test_push_constants_sets_separate_samplers_and_indices_draw_a_picture() -> None:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=4, height0=4)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (2, 2, 1), "translate": (2, 2, 0)}])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
        texels = np.arange(64, dtype=np.float32).reshape(4, 4, 4)
        ctx.set_uniforms({"tint": (1, 2, 3, 4), "gain": (1, 1, 1, 0.5)})
        ctx.set_textures({"image": (screen.texture_from(texels), {"min_img_filter": "NEAREST", "mag_img_filter": "NEAREST"})})
        ctx.draw_vbo(mode="TRIANGLES", count=3, start_instance=1)
        drawn = np.asarray(target).reshape(4, 4, 4)
    assert np.array_equal(drawn, texels * np.array([2, 4, 6, 4], np.float32))


@pytest.mark.parametrize(
    "words",
    [
        "layout(set = 0, binding = 2) uniform sampler2D t; out vec4 c; void main() { c = texture(t, vec2(0)); }",
        "layout(binding = 0) uniform highp texture2D t; layout(binding = 1) uniform sampler s;\n"
        "out vec4 c; void main() { c = texture(sampler2D(t, s), vec2(0)); }",
        "#extension GL_KHR_vulkan_glsl : enable\nout vec4 c; void main() { c = vec4(VULKAN); }",
    ],
)
def test_each_word_of_vulkan_makes_a_text_glsl_for_vulkan(words: str) -> None:
    words = words.replace("out vec4 c", "layout(location = 0) out vec4 c")
    tgsi.compile(f"#version 450\n{words}", stage="frag")


def test_the_window_of_a_vulkan_program_grows_downward() -> None:
    names = tgsi.compile(FRAGMENT).interface
    assert names is not None
    assert not names.is_upward


def test_a_text_of_both_dialects_is_opengls_unless_vulkan_is_asked_for() -> None:
    plain, vulkan = tgsi.compile(BOTH).interface, tgsi.compile(BOTH, language="vulkan").interface
    assert plain is not None
    assert vulkan is not None
    assert plain.uniforms is not None
    assert vulkan.uniforms is None
    assert (plain.is_upward, vulkan.is_upward) == (True, False)


def test_a_macro_of_the_caller_chooses_the_branch_for_vulkan() -> None:
    names = tgsi.compile(BOTH, defines={"VULKAN": 100}).interface
    assert names is not None
    assert names.uniforms is None


def test_opengl_refuses_words_of_vulkan() -> None:
    with pytest.raises(tgsi.ParseError, match="push_constant"):
        tgsi.compile(VERTEX, language="opengl")


@pytest.mark.parametrize("name", ["set", "push_constant", "texture2D"])
def test_names_of_an_opengl_program_do_not_make_it_vulkans(name: str) -> None:
    text = f"#version 330\nuniform float gl; out vec4 c; void main() {{ float {name} = gl; c = vec4({name}); }}"
    names = tgsi.compile(text).interface
    assert names is not None
    assert names.uniforms is not None


def test_errors_have_the_place_in_the_text() -> None:
    with pytest.raises(tgsi.ParseError) as caught:
        tgsi.compile(VERTEX.replace("* 2 - 1", "* 2 - one"))
    assert caught.value.diagnostics[0].labels[0].span.source.line_of(caught.value.diagnostics[0].labels[0].span.start) == 6


@pytest.mark.parametrize(
    ("words", "row"),
    [
        ("gl_Position = vec4(gl_VertexIndex & 1, gl_VertexIndex >> 1, 0, 1);", 5),
        ("gl_Position = vec4(gl_VertexID & 1, gl_VertexID >> 1, 0, 1);\n#ifdef VULKAN\ngl_VertexIndex;\n#endif\n", 2),
    ],
    ids=["vulkan", "both"],
)
def test_the_command_draws_with_the_clip_space_of_the_dialect(words: str, row: int, tmp_path: Path) -> None:
    from tgsi.tools.compile.cli import main

    vertex, fragment, picture = tmp_path / "a.vert", tmp_path / "a.frag", tmp_path / "out.png"
    vertex.write_text(f"#version 450\nvoid main() {{ {words} }}")
    fragment.write_text("#version 450\nlayout(location = 0) out vec4 c; void main() { c = vec4(1); }")
    assert main([str(vertex), str(fragment), "--draw", str(picture), "--size", "8x8"]) == 0
    from PIL import Image

    pixels = np.asarray(Image.open(picture).convert("L"))
    assert pixels[row, 5] == 255  # y runs from 0 to 1, which is the lower half in Vulkan
    assert pixels[7 - row, 5] != 255
