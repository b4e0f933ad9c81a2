"""Mistakes with colors and blending."""

from __future__ import annotations

import io

import numpy as np

from tests.unit.insight.mistakes.sketch import FS, RED, Sketch, mistake


@mistake(warns="alpha is 0 in every pixel")
def alpha_zero_in_png(s: Sketch) -> None:
    t = s.frame()
    s.ctx.clear("COLOR", color=(0, 0, 0, 0))
    c = RED.copy()
    c[:, 3] = 0
    s.triangle(colors=c)
    t.save(io.BytesIO())


@mistake(warns="color mask", explains="colormask of the blend state is 0")
def color_mask_zero(s: Sketch) -> None:
    s.frame()
    s.blend(rt=[{"colormask": 0}])
    s.triangle()


@mistake(warns="encodes again", explains="encodes again")
def srgb_twice(s: Sketch) -> None:
    s.frame(color="R8G8B8A8_SRGB")
    power = "IMM[0] FLT32 {0.45454545, 0, 0, 1}\nMOV OUT[0].w, IMM[0].wwww\n"
    power += "".join(f"POW OUT[0].{c}, IN[0].{c * 4}, IMM[0].xxxx\n" for c in "xyz")
    s.triangle(fs=FS.replace("MOV OUT[0], IN[0]\n", power))


@mistake(explains="source * ZERO + stored * ZERO")
def blend_factors_zero(s: Sketch) -> None:
    s.frame()
    s.blend(blend_enable=True, rgb_src_factor="ZERO", rgb_dst_factor="ZERO", alpha_src_factor="ZERO", alpha_dst_factor="ZERO")
    s.triangle()


@mistake(explains="source * SRC_ALPHA")
def blend_with_alpha_zero(s: Sketch) -> None:
    s.frame()
    s.blend(blend_enable=True, rgb_src_factor="SRC_ALPHA", rgb_dst_factor="INV_SRC_ALPHA")
    c = RED.copy()
    c[:, 3] = 0
    s.triangle(colors=c)


@mistake(warns="set_blend_color", explains="set_blend_color")
def blend_color_never_set(s: Sketch) -> None:
    s.frame()
    s.blend(blend_enable=True, rgb_src_factor="CONST_COLOR", rgb_dst_factor="INV_CONST_COLOR")
    s.triangle()


@mistake(warns="divide bytes by 255", explains="(255, 51, 51, 255)")
def colors_of_255(s: Sketch) -> None:
    s.frame()
    s.triangle(colors=RED[:3] * 255)


@mistake(explains="source * SRC_ALPHA")
def alpha_not_written(s: Sketch) -> None:
    s.frame()
    s.blend(blend_enable=True, rgb_src_factor="SRC_ALPHA", rgb_dst_factor="INV_SRC_ALPHA")
    s.triangle(fs=FS.replace("MOV OUT[0], IN[0]", "MOV OUT[0].xyz, IN[0]"))


@mistake(explains="the logic operation CLEAR")
def logic_op_left_on(s: Sketch) -> None:
    s.frame()
    s.blend(logicop_enable=True, logicop_func="CLEAR")
    s.triangle()


@mistake(warns="writes no COLOR[1]", explains="writes no COLOR[1]")
def dual_source_without_second_color(s: Sketch) -> None:
    s.frame()
    s.blend(blend_enable=True, rgb_src_factor="SRC1_COLOR", rgb_dst_factor="ZERO")
    s.triangle()


@mistake(explains="alpha 0 covers 0 of 4 samples")
def alpha_to_coverage_of_zero(s: Sketch) -> None:
    s.frame(nr_samples=4)
    s.raster(multisample=True)
    s.blend(alpha_to_coverage=True)
    c = RED.copy()
    c[:, 3] = 0
    s.triangle(colors=c)


@mistake(explains="bits of whole numbers")
def integer_color_for_unorm(s: Sketch) -> None:
    s.frame()
    s.triangle(fs="FRAG\nDCL OUT[0], COLOR\nIMM[0] UINT32 {255, 128, 0, 255}\nMOV OUT[0], IMM[0]\nEND\n")


@mistake(explains="the bits of floats")
def float_color_for_uint(s: Sketch) -> None:
    s.frame(color="R8G8B8A8_UINT", clear=False)
    s.ctx.clear("COLOR", color=(0, 0, 0, 0))
    s.triangle()


@mistake(warns="divide bytes by 255")
def bytes_as_clear_color(s: Sketch) -> None:
    s.frame()
    s.ctx.clear("COLOR", color=(255, 128, 0, 255))


@mistake(warns="wrote the color that is there already", explains="it is black because IN[0].x is 0")
def black_on_black(s: Sketch) -> None:
    s.frame()
    s.triangle(colors=np.array([[0, 0, 0, 1]] * 3, np.float32))


@mistake(warns="was never cleared")
def target_never_cleared(s: Sketch) -> None:
    s.frame(clear=False).pixels()
    s.triangle()


@mistake(warns="alpha is 0 in every pixel")
def clear_of_alpha_zero(s: Sketch) -> None:
    target = s.frame()
    s.ctx.clear("COLOR", color=(1, 0.5, 0, 0))
    target.save(io.BytesIO())
