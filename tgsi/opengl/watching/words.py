"""Translation of sentences about Gallium's objects to OpenGL's terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tgsi.gallium import ShaderType

if TYPE_CHECKING:
    from tgsi.insight.events import Event, Fragment
    from tgsi.insight.explanation import Explanation

_COMPARES = "NEVER|LESS|EQUAL|LEQUAL|GREATER|NOTEQUAL|GEQUAL|ALWAYS"
_MODES = "POINTS|LINES|LINE_LOOP|LINE_STRIP|TRIANGLES|TRIANGLE_STRIP|TRIANGLE_FAN|QUADS|QUAD_STRIP|POLYGON|PATCHES"


def _viewport(match: re.Match[str]) -> str:
    values = re.findall(r"[\d.]+", match[0])
    return f"glViewport(0, 0, {2 * float(values[0]):g}, {2 * float(values[1]):g})"


def _placed(match: re.Match[str]) -> str:
    x0, x1, y0, y1 = (float(match[k]) for k in range(1, 5))
    return f"glViewport({x0:g}, {y0:g}, {x1 - x0:g}, {y1 - y0:g}), in"


def _scissor(match: re.Match[str]) -> str:
    x0, x1, y0, y1 = (int(match[k]) for k in range(1, 5))
    return f"GL_SCISSOR_TEST is enabled with glScissor({x0}, {y0}, {x1 - x0}, {y1 - y0})"


def _box(match: re.Match[str]) -> str:
    sx, sy, tx, ty = (float(match[k]) for k in range(1, 5))
    return f" of glViewport({tx - abs(sx):g}, {ty - abs(sy):g}, {2 * abs(sx):g}, {2 * abs(sy):g})"


_STAGES = "|".join(item.name for item in ShaderType)
_TABLE: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    # culling, clipping, tests; front_ccw is that of rows downward, and rows of OpenGL go upward
    (r"cull_face is (FRONT|BACK|FRONT_AND_BACK), front_ccw is True", r"glCullFace(GL_\1), glFrontFace(GL_CW)"),
    (r"cull_face is (FRONT|BACK|FRONT_AND_BACK), front_ccw is False", r"glCullFace(GL_\1), glFrontFace(GL_CCW)"),
    (r"cull_face is (\w+), and front_ccw is set; mind .*? over", r"glCullFace(GL_\1) and glFrontFace(GL_CW)"),
    (r"cull_face is (\w+), and front_ccw is not set; mind .*? over", r"glCullFace(GL_\1) and glFrontFace(GL_CCW)"),
    (r"rasterizer_discard drops", "GL_RASTERIZER_DISCARD drops"),
    (r"rasterizer_discard is set", "GL_RASTERIZER_DISCARD is enabled"),
    (r"\((" + _COMPARES + r")\) is false", r"(GL_\1) is false"),
    (r"(depth|stencil|alpha) test (" + _COMPARES + ") rejects", r"\1 test GL_\2 rejects"),
    (r"depth test (" + _COMPARES + r") keeps", r"depth test GL_\1 keeps"),
    (r"\b(" + _COMPARES + r"), reference", r"GL_\1, reference"),
    (r"; \.T of a numpy matrix", "; GL_TRUE for transpose, or .T of a numpy matrix"),
    (r"^set_sample_mask\((\w+)\)", r"glSampleMaski(0, \1)"),
    (r": set_sample_mask\(0xFFFFFFFF\)", ": glSampleMaski(0, 0xFFFFFFFF), or glDisable(GL_SAMPLE_MASK)"),
    (r"the colormask of the blend state is 0", "glColorMask leaves out every channel"),
    (r"the color mask of the blend state, (\w+), leaves", "glColorMask leaves"),
    (r"clip_plane_enable is 0x[0-9a-f]+", "GL_CLIP_DISTANCE0 or a later one is enabled"),
    (r" \(clip_halfz is for 0 to w\)", ""),
    (r"was it never cleared\? ctx\.clear\('DEPTH', depth=1\.0\)", "was it never cleared? glClear(GL_DEPTH_BUFFER_BIT)"),
    (r"ctx\.clear\('DEPTH', depth=([01])\.0\)", r"glClearDepth(\1)"),
    (r"\bGREATER needs", "GL_GREATER needs"),
    (r"the logic operation (\w+)", r"glLogicOp(GL_\1)"),
    (r"source \* (\w+) ([+-]) stored \* (\w+)", r"source * GL_\1 \2 stored * GL_\3"),
    (r"stored \* (\w+) ([+-]) source \* (\w+)", r"stored * GL_\1 \2 source * GL_\3"),
    (r"the blend factor SRC_ALPHA multiplies it again", "the blend factor GL_SRC_ALPHA multiplies it again"),
    (r"; ONE is the factor of", "; glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA) is for"),
    (r"with (\w+) for the shader's color, (\w+) for the target's", r"with glBlendFunc(GL_\1, GL_\2)"),
    (r"GL_INV_", "GL_ONE_MINUS_"),
    (r"GL_(ONE_MINUS_)?CONST_", r"GL_\1CONSTANT_"),
    # viewports and scissors
    (r"; set_viewport_states\b", ": glViewport"),
    (r"the viewport, columns (\S+) to (\S+) and rows (\S+) to (\S+), in", _placed),
    (r"set_viewport_states\(\[\{'scale': \(([\d.]+), \S+ [\d.]+\), 'translate': .*?\}\]\)", _viewport),
    (r", scale \((\S+), (\S+), \S+\) and translate \((\S+), (\S+), \S+\)", _box),
    (r"the scissor is x (\d+) to (\d+), y (\d+) to (\d+)", _scissor),
    (r"; set_scissor_states|: set_scissor_states", ": glScissor"),
    (r"; set_window_rectangles|: set_window_rectangles", ""),
    # vertices
    (r"\b(of|for) (" + _MODES + r")\b", r"\1 GL_\2"),
    (r"instance_count is 0, so nothing is drawn: 1 draws without instances", "instancecount is 0, so nothing is drawn"),
    (r"\binstance_count\b", "instancecount"),
    (r": give count=, .*", ""),
    (r"the vertex element of (\w\S*) ends at byte", r"the attribute \1 ends at byte"),
    (r"the stride of vertex buffer \d+ is", "its stride is"),
    (r"is the stride wrong, or \w+\?", "is the stride of glVertexAttribPointer wrong, or its size?"),
    (r"and vertex buffer \d+ holds", "and the buffer holds"),
    (r"index_bias (-?\d+) gives", r"basevertex \1 gives"),
    (r"is primitive_restart meant\?", "is GL_PRIMITIVE_RESTART meant?"),
    (r"gets \w+: whole numbers, whose bits it takes for floats; .*",
     "gets whole numbers, whose bits it takes for floats: glVertexAttribPointer"),
    (r"gets \w+: floats, whose bits it takes for whole numbers; .*",
     "gets floats, whose bits it takes for whole numbers: glVertexAttribIPointer"),
    (r"the vertex shader reads (\w\S*) from vertex buffer \d+, which is not bound: set_vertex_buffers",
     r"no buffer is bound for the enabled attribute of \1 (glBindBuffer(GL_ARRAY_BUFFER, ...) before glVertexAttribPointer)"),
    (r"nothing feeds POSITION, or a matrix is all zeros", "gl_Position is not assigned, or a matrix is all zeros"),
    # shaders and their inputs
    (r"\bof (" + _STAGES + r")\b", lambda m: f"of the {m[1].lower()} shader"),
    (r"samples (texture .*?), and no sampler view is bound: .*",
     r"samples \1, where no complete texture is bound: it reads 0, 0, 0, 1 (glBindTexture, or levels that its filter needs)"),
    (r"samples (texture .*?), and no sampler is bound: .*", r"samples \1, where no texture is bound"),
    (r"reads CONST\[\d+\], which nothing has set", "reads a uniform block, which nothing has set"),
    (r": 0 is read; use set_(constant_buffer|uniforms)", ": it reads 0 (glBindBufferBase)"),
    (r"uses (BUFFER\[\d+\]), which is not bound: it reads 0, and stores are lost; set_shader_buffers",
     "uses a storage block without a buffer: it reads 0, and stores are lost; glBindBufferBase(GL_SHADER_STORAGE_BUFFER, ...)"),
    (r"uses (IMAGE\[\d+\]), which is not bound: it reads 0, and stores are lost; set_shader_images",
     "uses an image, and none is bound to its unit: it reads 0, and stores are lost; glBindImageTexture"),
    (r"; set_uniforms", ": glUniformMatrix4fv"),
    (r"is the name or the semantic of the two shaders the same\?", "is its name the same in both shaders?"),
    (r"A matrix of numpy has its rows outside, as set_uniforms takes it; constant buffers want columns",
     "A matrix of numpy has its rows outside; glUniformMatrix4fv wants columns, or GL_TRUE for transpose"),
    (r"ctx\.clear\('COLOR', color=\.\.\.\)", "glClear(GL_COLOR_BUFFER_BIT)"),
)  # fmt: skip
_RULES = [(re.compile(pattern), result) for pattern, result in _TABLE]
GALLIUM = re.compile(r"\b(set|bind|create|draw|resource|clear)_[a-z_]+\b|\bctx\.|front_ccw|cull_face|rasterizer_discard|clip_halfz")
"""Gallium names, which must not occur in texts about OpenGL."""


def translated(text: str) -> str:
    """A sentence in OpenGL's terms."""
    for pattern, result in _RULES:
        text = pattern.sub(result, text)
    return text


def _fragment(item: Fragment) -> Fragment:
    return replace(item, samples=tuple(replace(sample, detail=translated(sample.detail)) for sample in item.samples))


def _event(item: Event) -> Event:
    texts: dict[str, Any] = {name: tuple(map(translated, getattr(item, name))) for name in ("reasons", "missing", "doubts")}
    return replace(item, fragments=tuple(map(_fragment, item.fragments)), **texts)


def in_opengl(explanation: Explanation) -> Explanation:
    """An explanation in OpenGL's terms."""
    return replace(explanation, sentence=translated(explanation.sentence), events=tuple(map(_event, explanation.events)))
