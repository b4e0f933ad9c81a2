"""A second list of mistakes, written after the rules for the first: GLSL, levels, masks, strides, and the order of calls."""

from __future__ import annotations

import numpy as np

from tests.unit.insight.mistakes.sketch import BLACK, FS, FS_TEX, RED, TRI, VS, VS_MATRIX, Sketch, mistake

GLSL_VS = "#version 330\nin vec4 position; in vec4 color; out vec4 tint; void main() { gl_Position = position; tint = color; }"
GLSL_FS = "#version 330\nin vec4 tint; uniform vec4 light; out vec4 c; void main() { c = tint * light; }"


@mistake(warns="uniform light, which nothing has set", explains="uniform light, which nothing has set")
def glsl_uniform_never_set(s: Sketch) -> None:
    s.frame()
    s.triangle(vs=GLSL_VS, fs=GLSL_FS)


@mistake(explains="the uniform light.x is 0")
def glsl_uniform_of_zero(s: Sketch) -> None:
    s.frame()
    s.shaders(GLSL_VS, GLSL_FS)
    s.ctx.set_uniforms({"light": (0, 0, 0, 0)})
    s.vertices(TRI, RED)
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(warns="tin has no output to read from", explains="has no output to read from")
def glsl_names_differ(s: Sketch) -> None:
    s.frame()
    s.triangle(vs=GLSL_VS, fs="#version 330\nin vec4 tin; out vec4 c; void main() { c = tin; }")


@mistake(warns="texture 'albedo' (unit 0)", explains="texture 'albedo' (unit 0)")
def glsl_texture_never_set(s: Sketch) -> None:
    s.frame()
    s.triangle(
        vs=GLSL_VS, fs="#version 330\nin vec4 tint; uniform sampler2D albedo; out vec4 c; void main() { c = texture(albedo, tint.xy); }"
    )


@mistake(warns="stencil test EQUAL rejects", explains="later, draw 1 (call 25) reached the pixel, and the stencil test")
def stencil_writemask_forgotten(s: Sketch) -> None:
    s.frame("Z24_UNORM_S8_UINT")
    s.ctx.set_stencil_ref(1)
    s.dsa(stencil=[{"enabled": True, "func": "ALWAYS", "zpass_op": "REPLACE", "valuemask": 255}, {}])
    s.triangle()
    s.dsa(stencil=[{"enabled": True, "func": "EQUAL", "valuemask": 255}, {}])
    s.triangle(colors=RED[:3] * np.float32(0.5))


@mistake(warns="translate (0, 0, 0)", explains="away from the pixel")
def viewport_without_translate(s: Sketch) -> None:
    s.frame()
    s.ctx.set_viewport_states([{"scale": (32, -32, 0.5)}])
    s.triangle(TRI * np.array([0.5, 0.5, 1, 1], np.float32) + np.array([-0.5, 0.5, 0, 0], np.float32))


@mistake(explains="the bound surface is level 1")
def draws_to_level_1(s: Sketch) -> None:
    t = s.color(last_level=2)
    s.bind(s.ctx.create_surface(t, level=1))
    s.viewport()
    s.triangle()
    s.target = t


@mistake(warns="indices 3 to 5 are drawn", explains="indices 3 to 5 are drawn")
def start_beyond_indices(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI, RED)
    s.ctx.draw_vbo(mode="TRIANGLES", count=3, start=3, index=np.array([0, 1, 2], np.uint16))


@mistake(explains="source * DST_ALPHA")
def dst_alpha_of_zero(s: Sketch) -> None:
    s.frame(clear=False)
    s.ctx.clear("COLOR", color=(0, 0, 0, 0))
    s.blend(blend_enable=True, rgb_src_factor="DST_ALPHA", rgb_dst_factor="ZERO")
    s.triangle()


@mistake(explains="level 0 of the texture of unit 0 holds only zeros")
def uploaded_to_level_1(s: Sketch) -> None:
    s.frame()
    t = s.texture(upload=False, levels=2)
    s.ctx.texture_subdata(t, np.full((4, 4, 4), 200, np.uint8), level=1)
    s.quad()


@mistake(explains="the swizzle '0001'")
def swizzle_of_zeros(s: Sketch) -> None:
    s.frame()
    t = s.texture()
    s.ctx.set_sampler_views("FRAGMENT", [s.ctx.create_sampler_view(t, swizzle="0001")])
    s.quad()


@mistake(warns="depth test EQUAL rejects")
def depth_equal_after_another_matrix(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.less()
    s.triangle(colors=RED[:3] * 0)
    s.dsa(depth={"enabled": True, "func": "EQUAL"})
    s.triangle(TRI + np.array([0, 0, 0.0001, 0], np.float32))


@mistake(warns="BUFFER[0], which is not bound", explains="BUFFER[0], which is not bound")
def shader_buffer_of_other_stage(s: Sketch) -> None:
    s.frame()
    s.ctx.set_shader_buffers("VERTEX", [s.screen.buffer_from(np.ones(4, np.float32))])
    s.triangle(
        fs="FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nDCL TEMP[0]\n"
        "LOAD TEMP[0], BUFFER[0], IMM[0].xxxx\nMOV OUT[0], TEMP[0]\nEND\n"
    )


@mistake(warns="instance_divisor from 1 to 3", explains="instance_divisor from 1 to 3")
def divisor_of_four(s: Sketch) -> None:
    s.frame()
    vs = VS.replace("DCL IN[1]", "DCL IN[1]\nDCL IN[2]").replace("MOV OUT[0], IN[0]", "ADD OUT[0], IN[0], IN[2]")
    s.shaders(vs=vs)
    s.vertices(
        TRI * np.array([0.2, 0.2, 1, 1], np.float32),
        RED,
        np.array([[x, 0, 0, 0] for x in (-0.5, 0, 0.5, 0.7)], np.float32),
        divisors=[0, 0, 4],
    )
    s.ctx.draw_vbo(mode="TRIANGLES", count=3, instance_count=4)


@mistake(explains="it writes no COLOR[1]")
def color_0_and_target_1(s: Sketch) -> None:
    t = s.color()
    s.bind(None, t)
    s.viewport()
    s.ctx.clear("COLOR", color=BLACK)
    s.triangle()
    s.target = t


@mistake(explains="multisample is off")
def shader_mask_of_zero(s: Sketch) -> None:
    s.frame()
    s.triangle(
        fs=FS.replace("DCL OUT[0]", "DCL OUT[1], SAMPLEMASK\nDCL OUT[0]").replace(
            "MOV OUT[0]", "IMM[0] UINT32 {0, 0, 0, 0}\nMOV OUT[1].x, IMM[0].xxxx\nMOV OUT[0]"
        )
    )


@mistake(warns="depth test LESS rejects", explains="1 < 1 (LESS) is false")
def shader_writes_depth_1(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.less()
    s.triangle(
        fs=FS.replace("DCL OUT[0]", "DCL OUT[1], POSITION\nDCL OUT[0]").replace(
            "MOV OUT[0]", "IMM[0] FLT32 {1, 0, 0, 0}\nMOV OUT[1].z, IMM[0].xxxx\nMOV OUT[0]"
        )
    )


@mistake(warns="window rectangles", explains="window rectangles")
def window_rectangles_left(s: Sketch) -> None:
    s.frame()
    s.ctx.set_window_rectangles(include=True, rectangles=[{"minx": 0, "miny": 0, "maxx": 4, "maxy": 4}])
    s.triangle()


@mistake(explains="whose level 1 the texture does not have")
def fetch_of_level_1(s: Sketch) -> None:
    s.frame()
    s.texture()
    s.quad(
        fs="FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nIMM[0] INT32 {1, 1, 0, 1}\n"
        "TXF OUT[0], IMM[0], SAMP[0], 2D\nEND\n"
    )


@mistake(warns="the stride of every vertex buffer is 0", explains="the stride of every vertex buffer is 0")
def resource_without_stride(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.elements((0, "R32G32B32A32_FLOAT"), (0, "R32G32B32A32_FLOAT", 1))
    s.ctx.set_vertex_buffers([s.screen.buffer_from(TRI), s.screen.buffer_from(RED)])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(explains="holds floats, such as 1, and the shader reads whole numbers")
def float_for_an_integer_constant(s: Sketch) -> None:
    s.frame()
    s.ctx.set_constant_buffer("FRAGMENT", np.array([1, 0, 0, 0], np.float32))
    s.triangle(
        fs="FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nDCL TEMP[0]\nIMM[0] FLT32 {1, 0, 0, 1}\n"
        "IMM[1] INT32 {1, 0, 0, 0}\nUSEQ TEMP[0].x, CONST[0].xxxx, IMM[1].xxxx\nUIF TEMP[0].xxxx\n"
        "MOV OUT[0], IMM[0]\nELSE\nMOV OUT[0], IMM[0].yyyw\nENDIF\nEND\n"
    )


@mistake(warns="discards all", explains="discards all of it")
def alpha_of_texture_discards(s: Sketch) -> None:
    s.frame()
    t = s.texture(upload=False)
    s.ctx.texture_subdata(t, np.full((8, 8, 4), (200, 200, 200, 0), np.uint8))
    s.quad(
        fs=FS_TEX.replace("DCL SAMP", "DCL TEMP[0..1]\nDCL SAMP")
        .replace("TEX OUT[0]", "IMM[0] FLT32 {-0.5, 0, 0, 0}\nTEX TEMP[0]")
        .replace("END", "ADD TEMP[1].x, TEMP[0].wwww, IMM[0].xxxx\nKILL_IF TEMP[1].xxxx\nMOV OUT[0], TEMP[0]\nEND")
    )


@mistake(warns="holds 0 everywhere", explains="0.50000003 < 0 (LESS) is false")
def depth_cleared_to_zero(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.ctx.clear("DEPTH", depth=0.0)
    s.less()
    s.triangle()


@mistake(explains="IN[0].w is 0 already")
def multiplied_by_alpha_zero(s: Sketch) -> None:
    s.frame()
    c = RED.copy()
    c[:, 3] = 0
    s.triangle(colors=c, fs=FS.replace("MOV OUT[0], IN[0]", "MUL OUT[0], IN[0], IN[0].wwww"))


@mistake(warns="no fragment shader is bound", explains="the shader writes no color")
def wrong_program_order(s: Sketch) -> None:
    s.frame()
    s.vertices(TRI, RED)
    s.ctx.bind_vs_state(s.ctx.create_vs_state(VS))
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)
    s.ctx.bind_fs_state(s.ctx.create_fs_state(FS))


@mistake(warns="color mask of the blend state, 0xe")
def red_is_masked(s: Sketch) -> None:
    s.frame()
    s.blend(rt=[{"colormask": "G|B|A"}])
    s.triangle(colors=np.array([[1, 0, 0, 1]] * 3, np.float32))


@mistake(explains="comes from blit")
def blit_before_the_draw(s: Sketch) -> None:
    t = s.frame()
    out = s.color()
    s.ctx.blit(out, src=t)
    s.triangle()
    s.target = out


@mistake(warns="right of the view", explains="to the right of the view")
def orthographic_too_small(s: Sketch) -> None:
    s.frame()
    n = np.eye(4, dtype=np.float32)
    n[0, 0] = n[1, 1] = 0.001
    n[0, 3] = 5
    s.ctx.set_constant_buffer("VERTEX", np.ascontiguousarray(n.T))
    s.triangle(vs=VS_MATRIX)


@mistake(warns="each element of 'shades' takes 16 bytes", explains="each element of 'shades' takes 16 bytes")
def array_of_a_block_packed_tightly(s: Sketch) -> None:
    s.frame()
    s.ctx.set_constant_buffer("FRAGMENT", np.array([0, 0, 0, 1], np.float32), index=1)
    fs = "#version 330\nlayout(std140) uniform Light { float shades[4]; }; out vec4 c; void main() { c = vec4(shades[3]); }"
    s.triangle(vs=GLSL_VS, fs=fs)


@mistake(warns="the uniform 'camera' of the vertex shader holds NaN", explains="the uniform 'camera' of the vertex shader holds NaN")
def look_at_along_its_up_vector(s: Sketch) -> None:
    s.frame()
    vs = "#version 330\nin vec4 position; in vec4 color; uniform mat4 camera; out vec4 tint;\n"
    s.shaders(
        vs + "void main() { gl_Position = camera * position; tint = color; }", "#version 330\nout vec4 c; void main() { c = vec4(1); }"
    )
    s.ctx.set_uniforms({"camera": np.full((4, 4), np.nan, np.float32)})
    s.vertices(TRI, RED[:3])
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)


@mistake(explains="gave inf, of 0: a division by zero, or normalize of a zero vector?")
def normals_of_zero_are_normalized(s: Sketch) -> None:
    s.frame()
    fs = "#version 330\nin vec4 tint; out vec4 c; void main() { c = vec4(normalize(tint.xyz), 1); }"
    s.triangle(vs=GLSL_VS, colors=RED[:3] * np.float32(0), fs=fs)


@mistake(warns="all vertices of an instance are the same", explains="all vertices of an instance are the same")
def divisor_of_positions(s: Sketch) -> None:
    s.frame()
    s.shaders()
    s.vertices(TRI, RED[:3], divisors=(1, 1))
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)
