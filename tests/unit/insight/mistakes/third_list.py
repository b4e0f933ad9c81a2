"""A third list of mistakes: planes of projections, whole numbers, colors that are changed twice, targets and viewports of other sizes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.unit.insight.mistakes.second_list import GLSL_VS
from tests.unit.insight.mistakes.sketch import BLACK, FS_TEX, QUAD, RED, TRI, UV, VS_MATRIX, Sketch, mistake

Matrix = NDArray[np.float32]
GLSL_MATRICES = """#version 330
in vec4 position; in vec4 color; uniform mat4 projection; uniform mat4 view; out vec4 tint;
void main() { gl_Position = projection * view * position; tint = color; }"""
GLSL_TINT = "#version 330\nin vec4 tint; out vec4 c; void main() { c = tint; }"
GLSL_UV = "#version 330\nin vec4 tint; uniform sampler2D image; out vec4 c; "
BLENDS = {"blend_enable": True, "rgb_src_factor": "SRC_ALPHA", "rgb_dst_factor": "INV_SRC_ALPHA"}


def perspective(near: float, far: float) -> Matrix:
    """A projection, by its rows."""
    m = np.zeros((4, 4), np.float32)
    m[0, 0] = m[1, 1] = 1.5
    m[2, 2:] = (far + near) / (near - far), 2 * far * near / (near - far)
    m[3, 2] = -1
    return m


def moved(z: float) -> Matrix:
    """A move along z, by its rows."""
    m = np.eye(4, dtype=np.float32)
    m[2, 3] = z
    return m


def seen(s: Sketch, projection: Matrix, view: Matrix) -> None:
    """Draw a triangle through two matrices, with a depth test."""
    s.frame("Z24X8_UNORM")
    s.less()
    s.shaders(GLSL_MATRICES, GLSL_TINT)
    s.ctx.set_uniforms({"projection": projection, "view": view})
    s.vertices(TRI, RED[:3])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(
    warns="'projection' of the vertex shader gives nearer things larger depths, so that depth test LESS keeps the farthest",
    explains="its near plane is at 100 and its far plane at 0.1; are they swapped?",
)
def near_and_far_are_swapped(s: Sketch) -> None:
    seen(s, perspective(100, 0.1), moved(-3))


@mistake(warns="its near plane is at 50 and its far plane at 1; are they swapped?", explains="its near plane is at 50")
def near_and_far_are_swapped_in_a_product(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.less()
    s.ctx.set_constant_buffer("VERTEX", np.ascontiguousarray((perspective(50, 1) @ moved(-3)).T))
    s.triangle(vs=VS_MATRIX)


@mistake(
    warns="the matrix 'view' of the vertex shader looks transposed", explains="the matrix 'view' of the vertex shader looks transposed"
)
def one_of_two_matrices_is_transposed(s: Sketch) -> None:
    seen(s, perspective(0.1, 100), moved(-3).T)


@mistake(warns="1 / 2 divides whole numbers, and is 0; write 1.0 / 2.0 for 0.5", explains="1 / 2 divides whole numbers")
def half_is_written_without_a_point(s: Sketch) -> None:
    s.frame()
    s.triangle(vs=GLSL_VS, fs="#version 330\nin vec4 tint; out vec4 c; void main() { c = tint * (1 / 2); }")


@mistake(explains="gives 0, of 3 (the uniform step), 10 (the uniform steps): a division of whole numbers drops the fraction")
def whole_uniforms_are_divided(s: Sketch) -> None:
    s.frame()
    s.shaders(GLSL_VS, "#version 330\nin vec4 tint; uniform int step, steps; out vec4 c; void main() { c = tint * float(step / steps); }")
    s.ctx.set_uniforms({"step": 3, "steps": 10})
    s.vertices(TRI, RED[:3])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(explains="reads the texel (0, 0), which is (0.632812, 0.492188) without its fraction: texelFetch counts texels, here 8 x 8")
def texels_are_fetched_from_0_to_1(s: Sketch) -> None:
    s.frame()
    s.texture()
    s.at = (40, 32)
    s.quad(vs=GLSL_VS, fs=GLSL_UV + "void main() { c = texelFetch(image, ivec2(tint.xy), 0); }")


@mistake(
    warns="multiplies its color by its alpha, and the blend factor SRC_ALPHA multiplies it again",
    explains="multiplies its color by its alpha, and the blend factor SRC_ALPHA multiplies it again",
)
def shader_premultiplies_for_a_usual_blend(s: Sketch) -> None:
    s.frame()
    t = s.texture(upload=False)
    s.ctx.texture_subdata(t, np.full((8, 8, 4), (250, 200, 100, 128), np.uint8))
    s.blend(**BLENDS)
    s.quad(vs=GLSL_VS, fs=GLSL_UV + "void main() { vec4 t = texture(image, tint.xy); c = vec4(t.rgb * t.a, t.a); }")


@mistake(
    warns="multiplies its color by its alpha, and the blend factor SRC_ALPHA multiplies it again",
    explains="multiplies its color by its alpha, and the blend factor SRC_ALPHA multiplies it again",
)
def shader_premultiplies_by_a_uniform(s: Sketch) -> None:
    s.frame()
    s.blend(**BLENDS)
    fs = "#version 330\nin vec4 tint; uniform float opacity; out vec4 c; void main() { c = vec4(tint.rgb * opacity, opacity); }"
    s.shaders(GLSL_VS, fs)
    s.ctx.set_uniforms({"opacity": 0.5})
    s.vertices(TRI, RED[:3])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(explains="no color of the texture of unit 0 is larger than its alpha, as if it were multiplied by it already")
def texture_is_premultiplied_for_a_usual_blend(s: Sketch) -> None:
    s.frame()
    t = s.texture(upload=False)
    alpha = np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8, 1)
    color = np.concatenate([np.full((8, 8, 3), (1.0, 0.9, 0.2), np.float32) * alpha, alpha], axis=2)
    s.ctx.texture_subdata(t, np.rint(color * 255).astype(np.uint8))
    s.blend(**BLENDS)
    s.quad()


@mistake(explains="the target R8G8B8A8_SRGB encodes: a picture from a file is encoded twice")
def picture_in_a_linear_format_for_an_srgb_target(s: Sketch) -> None:
    s.frame(color="R8G8B8A8_SRGB")
    s.texture()
    s.quad()


@mistake(warns="it was cleared to 0, and no depth is less", explains="no depth is less than 0: the depth buffer was never cleared, or was")
def depth_is_cleared_to_0_for_less(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.ctx.clear("DEPTH", depth=0.0)
    s.less()
    s.triangle()


@mistake(warns="GREATER needs a clear to 0", explains="no depth is greater than 1: GREATER needs a depth buffer that is cleared to 0")
def depth_is_cleared_to_1_for_greater(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.dsa(depth={"enabled": True, "writemask": True, "func": "GREATER"})
    s.triangle()


@mistake(explains="the alpha is 0, so nothing of the color is added")
def alpha_of_vertices_is_0(s: Sketch) -> None:
    s.frame()
    s.blend(**BLENDS)
    s.triangle(colors=RED[:3] * np.array([1, 1, 1, 0], np.float32))


@mistake(explains="no draw went to this target; the last one, draw_vbo (call 14), went to another target, 64 x 64")
def other_target_is_looked_at(s: Sketch) -> None:
    first, second = s.color(), s.color()
    s.bind(second)
    s.ctx.clear("COLOR", color=BLACK)
    s.bind(first)
    s.viewport()
    s.ctx.clear("COLOR", color=BLACK)
    s.triangle()
    s.target = second


@mistake(explains="the viewport, columns 0 to 32 and rows 0 to 32, in a target of 64 x 64, lies away from the pixel")
def viewport_of_a_smaller_target(s: Sketch) -> None:
    s.frame()
    s.ctx.set_viewport_states([{"scale": (16, -16, 0.5), "translate": (16, 16, 0.5)}])
    s.at = (48, 48)
    s.quad(UV, QUAD, fs=FS_TEX.replace("TEX OUT[0], IN[0], SAMP[0], 2D", "MOV OUT[0], IN[0].yxww"))
