"""Blending, masks, and the tests of fragments. (OpenGL 4.6 compatibility, chapter 17)"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.drawing.fragment import EQUATIONS, FACTORS, LOGIC_OPS, STENCIL_OPS
from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.objects.sampler import COMPARES
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.values import MAX_DRAW_BUFFERS, StencilFace, TargetBlend

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def _target(gl: Context, index: int) -> Iterable[TargetBlend]:
    if index >= MAX_DRAW_BUFFERS:
        raise bad_value(f"buf: {index} is not below {MAX_DRAW_BUFFERS}")
    return (gl.fragment.targets[index],)


def _put_factors(gl: Context, targets: Iterable[TargetBlend], factors: tuple[int, int, int, int]) -> None:
    for factor in factors:
        if factor not in FACTORS:
            raise bad_enum("factor", factor)
    for item in targets:
        item.source_rgb, item.target_rgb, item.source_alpha, item.target_alpha = factors
    gl.dirty |= dirty.BLEND


@command("glBlendFunc")
def blend_func(gl: Context, sfactor: int, dfactor: int) -> None:
    """Factors of every draw buffer."""
    _put_factors(gl, gl.fragment.targets, (sfactor, dfactor, sfactor, dfactor))


@command("glBlendFuncSeparate")
def blend_func_separate(gl: Context, source_rgb: int, target_rgb: int, source_alpha: int, target_alpha: int) -> None:
    """Factors of color and alpha of every draw buffer."""
    _put_factors(gl, gl.fragment.targets, (source_rgb, target_rgb, source_alpha, target_alpha))


@command("glBlendFunci")
def blend_func_indexed(gl: Context, buf: int, src: int, dst: int) -> None:
    """Factors of one draw buffer."""
    _put_factors(gl, _target(gl, buf), (src, dst, src, dst))


@command("glBlendFuncSeparatei")
def blend_func_separate_indexed(gl: Context, buf: int, source_rgb: int, target_rgb: int, source_alpha: int, target_alpha: int) -> None:
    """Factors of color and alpha of one draw buffer."""
    _put_factors(gl, _target(gl, buf), (source_rgb, target_rgb, source_alpha, target_alpha))


def _put_equations(gl: Context, targets: Iterable[TargetBlend], rgb: int, alpha: int) -> None:
    for mode in (rgb, alpha):
        if mode not in EQUATIONS:
            raise bad_enum("mode", mode)
    for item in targets:
        item.equation_rgb, item.equation_alpha = rgb, alpha
    gl.dirty |= dirty.BLEND


@command("glBlendEquation")
def blend_equation(gl: Context, mode: int) -> None:
    """The equation of every draw buffer."""
    _put_equations(gl, gl.fragment.targets, mode, mode)


@command("glBlendEquationSeparate")
def blend_equation_separate(gl: Context, mode_rgb: int, mode_alpha: int) -> None:
    """The equations of color and alpha of every draw buffer."""
    _put_equations(gl, gl.fragment.targets, mode_rgb, mode_alpha)


@command("glBlendEquationi")
def blend_equation_indexed(gl: Context, buf: int, mode: int) -> None:
    """The equation of one draw buffer."""
    _put_equations(gl, _target(gl, buf), mode, mode)


@command("glBlendEquationSeparatei")
def blend_equation_separate_indexed(gl: Context, buf: int, mode_rgb: int, mode_alpha: int) -> None:
    """The equations of color and alpha of one draw buffer."""
    _put_equations(gl, _target(gl, buf), mode_rgb, mode_alpha)


@command("glBlendColor")
def blend_color(gl: Context, red: float, green: float, blue: float, alpha: float) -> None:
    """The constant color of factors."""
    gl.fragment.blend_color = red, green, blue, alpha
    gl.dirty |= dirty.BLEND_COLOR


@command("glColorMask")
def color_mask(gl: Context, red: int, green: int, blue: int, alpha: int) -> None:
    """Set the written channels of every draw buffer."""
    for item in gl.fragment.targets:
        item.mask = bool(red) | bool(green) << 1 | bool(blue) << 2 | bool(alpha) << 3
    gl.dirty |= dirty.BLEND


@command("glColorMaski")
def color_mask_indexed(gl: Context, index: int, r: int, g: int, b: int, a: int) -> None:
    """Set the written channels of one draw buffer."""
    for item in _target(gl, index):
        item.mask = bool(r) | bool(g) << 1 | bool(b) << 2 | bool(a) << 3
    gl.dirty |= dirty.BLEND


@command("glLogicOp")
def logic_op(gl: Context, opcode: int) -> None:
    """The operation on bits."""
    if opcode not in LOGIC_OPS:
        raise bad_enum("opcode", opcode)
    gl.fragment.logic_op = opcode
    gl.dirty |= dirty.BLEND


@command("glDepthFunc")
def depth_func(gl: Context, func: int) -> None:
    """The comparison of the depth test."""
    if func not in COMPARES:
        raise bad_enum("func", func)
    gl.fragment.depth_func = func
    gl.dirty |= dirty.DEPTH_STENCIL


@command("glDepthMask")
def depth_mask(gl: Context, flag: int) -> None:
    """Switch writes of depth."""
    gl.fragment.depth_mask = bool(flag)
    gl.dirty |= dirty.DEPTH_STENCIL


@command("glAlphaFunc")
def alpha_func(gl: Context, func: int, ref: float) -> None:
    """The comparison of the alpha test."""
    if func not in COMPARES:
        raise bad_enum("func", func)
    gl.fragment.alpha_func, gl.fragment.alpha_ref = func, min(1.0, max(0.0, ref))
    gl.dirty |= dirty.DEPTH_STENCIL


def _faces(gl: Context, face: int) -> tuple[StencilFace, ...]:
    faces = {GL.FRONT: (gl.fragment.front,), GL.BACK: (gl.fragment.back,), GL.FRONT_AND_BACK: (gl.fragment.front, gl.fragment.back)}
    if face not in faces:
        raise bad_enum("face", face)
    return faces[face]


@command("glStencilFunc")
def stencil_func(gl: Context, func: int, ref: int, mask: int) -> None:
    """The stencil test of both faces."""
    stencil_func_separate(gl, GL.FRONT_AND_BACK, func, ref, mask)


@command("glStencilFuncSeparate")
def stencil_func_separate(gl: Context, face: int, func: int, ref: int, mask: int) -> None:
    """The stencil test of a face."""
    faces = _faces(gl, face)
    if func not in COMPARES:
        raise bad_enum("func", func)
    for item in faces:
        item.func, item.ref, item.value_mask = func, ref, mask
    gl.dirty |= dirty.DEPTH_STENCIL | dirty.STENCIL_REF


@command("glStencilOp")
def stencil_op(gl: Context, fail: int, zfail: int, zpass: int) -> None:
    """Operations on stencil, of both faces."""
    stencil_op_separate(gl, GL.FRONT_AND_BACK, fail, zfail, zpass)


@command("glStencilOpSeparate")
def stencil_op_separate(gl: Context, face: int, sfail: int, dpfail: int, dppass: int) -> None:
    """Operations on stencil, of a face."""
    faces = _faces(gl, face)
    for operation in (sfail, dpfail, dppass):
        if operation not in STENCIL_OPS:
            raise bad_enum("op", operation)
    for item in faces:
        item.fail, item.depth_fail, item.depth_pass = sfail, dpfail, dppass
    gl.dirty |= dirty.DEPTH_STENCIL


@command("glStencilMask")
def stencil_mask(gl: Context, mask: int) -> None:
    """Set the written stencil bits of both faces."""
    stencil_mask_separate(gl, GL.FRONT_AND_BACK, mask)


@command("glStencilMaskSeparate")
def stencil_mask_separate(gl: Context, face: int, mask: int) -> None:
    """Set the written stencil bits of a face."""
    for item in _faces(gl, face):
        item.write_mask = mask
    gl.dirty |= dirty.DEPTH_STENCIL


@command("glSampleCoverage")
def sample_coverage(gl: Context, value: float, invert: int) -> None:
    """The share of samples that fragments cover."""
    gl.fragment.coverage, gl.fragment.coverage_invert = min(1.0, max(0.0, value)), bool(invert)
    gl.dirty |= dirty.SAMPLES


@command("glSampleMaski")
def sample_mask(gl: Context, index: int, mask: int) -> None:
    """Set the sample mask, which has one word."""
    if index:
        raise bad_value(f"maskNumber: {index} is not below 1")
    gl.fragment.sample_mask = mask
    gl.dirty |= dirty.SAMPLES


@command("glMinSampleShading")
def min_sample_shading(gl: Context, value: float) -> None:
    """Set the minimum share of samples that are shaded."""
    gl.fragment.min_sample_shading = min(1.0, max(0.0, value))
    gl.dirty |= dirty.SAMPLES | dirty.RASTERIZER


@command("glClampColor")
def clamp_color(gl: Context, target: int, clamp: int) -> None:
    """Switch clamping of colors when they are read."""
    if target != GL.CLAMP_READ_COLOR and gl.is_core():
        raise bad_enum("target", target)
    if clamp not in (GL.TRUE, GL.FALSE, GL.FIXED_ONLY):
        raise bad_enum("clamp", clamp)
    if target == GL.CLAMP_READ_COLOR:
        gl.fragment.clamp_read = clamp
