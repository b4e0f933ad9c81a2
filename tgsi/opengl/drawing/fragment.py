"""Blending, depth, stencil and alpha tests as Gallium's state objects. (OpenGL 4.6 compatibility, chapter 17)"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tgsi.opengl.objects.sampler import COMPARES
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.values import StencilFace, TargetBlend

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

FACTORS = {
    GL.ZERO: "ZERO",
    GL.ONE: "ONE",
    GL.SRC_COLOR: "SRC_COLOR",
    GL.ONE_MINUS_SRC_COLOR: "INV_SRC_COLOR",
    GL.DST_COLOR: "DST_COLOR",
    GL.ONE_MINUS_DST_COLOR: "INV_DST_COLOR",
    GL.SRC_ALPHA: "SRC_ALPHA",
    GL.ONE_MINUS_SRC_ALPHA: "INV_SRC_ALPHA",
    GL.DST_ALPHA: "DST_ALPHA",
    GL.ONE_MINUS_DST_ALPHA: "INV_DST_ALPHA",
    GL.CONSTANT_COLOR: "CONST_COLOR",
    GL.ONE_MINUS_CONSTANT_COLOR: "INV_CONST_COLOR",
    GL.CONSTANT_ALPHA: "CONST_ALPHA",
    GL.ONE_MINUS_CONSTANT_ALPHA: "INV_CONST_ALPHA",
    GL.SRC_ALPHA_SATURATE: "SRC_ALPHA_SATURATE",
    GL.SRC1_COLOR: "SRC1_COLOR",
    GL.ONE_MINUS_SRC1_COLOR: "INV_SRC1_COLOR",
    GL.SRC1_ALPHA: "SRC1_ALPHA",
    GL.ONE_MINUS_SRC1_ALPHA: "INV_SRC1_ALPHA",
}
EQUATIONS = {
    GL.FUNC_ADD: "ADD",
    GL.FUNC_SUBTRACT: "SUBTRACT",
    GL.FUNC_REVERSE_SUBTRACT: "REVERSE_SUBTRACT",
    GL.MIN: "MIN",
    GL.MAX: "MAX",
}
LOGIC_OPS = {
    GL.CLEAR: "CLEAR",
    GL.AND: "AND",
    GL.AND_REVERSE: "AND_REVERSE",
    GL.COPY: "COPY",
    GL.AND_INVERTED: "AND_INVERTED",
    GL.NOOP: "NOOP",
    GL.XOR: "XOR",
    GL.OR: "OR",
    GL.NOR: "NOR",
    GL.EQUIV: "EQUIV",
    GL.INVERT: "INVERT",
    GL.OR_REVERSE: "OR_REVERSE",
    GL.COPY_INVERTED: "COPY_INVERTED",
    GL.OR_INVERTED: "OR_INVERTED",
    GL.NAND: "NAND",
    GL.SET: "SET",
}
STENCIL_OPS = {
    GL.KEEP: "KEEP",
    GL.ZERO: "ZERO",
    GL.REPLACE: "REPLACE",
    GL.INCR: "INCR",
    GL.DECR: "DECR",
    GL.INCR_WRAP: "INCR_WRAP",
    GL.DECR_WRAP: "DECR_WRAP",
    GL.INVERT: "INVERT",
}


def bind_blend(gl: Context) -> None:
    """Blending, color masks, logic operation, coverage from alpha."""
    state = gl.fragment
    targets = [_target(gl, item, index) for index, item in enumerate(state.targets)]
    multisample = GL.MULTISAMPLE in gl.enabled
    to_coverage, to_one = (multisample and cap in gl.enabled for cap in (GL.SAMPLE_ALPHA_TO_COVERAGE, GL.SAMPLE_ALPHA_TO_ONE))
    logic = state.logic_op if GL.COLOR_LOGIC_OP in gl.enabled else None
    key = (
        "blend",
        *(tuple(sorted(item.items())) for item in targets),
        logic,
        to_coverage,
        to_one,
    )
    state_object = gl.state_objects.get(key)
    if state_object is None:
        is_one = all(item == targets[0] for item in targets)
        state_object = gl.state_objects[key] = gl.pipe.create_blend_state(
            rt=targets[:1] if is_one else targets,
            independent_blend_enable=not is_one,
            logicop_enable=logic is not None,
            logicop_func=LOGIC_OPS[state.logic_op],
            alpha_to_coverage=to_coverage,
            alpha_to_one=to_one,
        )
    gl.pipe.bind_blend_state(state_object)


def _target(gl: Context, item: TargetBlend, index: int) -> dict[str, Any]:
    fields: dict[str, Any] = {"colormask": item.mask}
    if not item.enabled or GL.COLOR_LOGIC_OP in gl.enabled:
        return fields
    attachment = gl.color_of(index)
    place = attachment.place() if attachment is not None else None
    if place is not None and place[1].format.endswith(("_UINT", "_SINT")):
        return fields
    is_opaque = place is not None and place[1].base == GL.RGB
    is_extreme = item.equation_rgb in (GL.MIN, GL.MAX), item.equation_alpha in (GL.MIN, GL.MAX)
    fields |= {
        "blend_enable": True,
        "rgb_func": EQUATIONS[item.equation_rgb],
        "alpha_func": EQUATIONS[item.equation_alpha],
        "rgb_src_factor": "ONE" if is_extreme[0] else _factor(item.source_rgb, is_opaque),
        "rgb_dst_factor": "ONE" if is_extreme[0] else _factor(item.target_rgb, is_opaque),
        "alpha_src_factor": "ONE" if is_extreme[1] else _factor(item.source_alpha, is_opaque),
        "alpha_dst_factor": "ONE" if is_extreme[1] else _factor(item.target_alpha, is_opaque),
    }
    return fields


def _factor(factor: int, is_opaque: bool) -> str:
    """A blend factor; the alpha of a target without alpha is 1."""
    if is_opaque and factor == GL.DST_ALPHA:
        return "ONE"
    if is_opaque and factor == GL.ONE_MINUS_DST_ALPHA:
        return "ZERO"
    return FACTORS[factor]


def bind_depth_stencil(gl: Context) -> None:
    """Depth, stencil and alpha tests."""
    state = gl.fragment
    attached = gl.draw_framebuffer.attachments
    tests_depth = GL.DEPTH_TEST in gl.enabled and GL.DEPTH_ATTACHMENT in attached
    tests_stencil = GL.STENCIL_TEST in gl.enabled and GL.STENCIL_ATTACHMENT in attached
    tests_alpha = GL.ALPHA_TEST in gl.enabled
    key = (
        "depth",
        (state.depth_func, state.depth_mask) if tests_depth else None,
        (_stencil(state.front), _stencil(state.back)) if tests_stencil else None,
        (state.alpha_func, state.alpha_ref) if tests_alpha else None,
    )
    state_object = gl.state_objects.get(key)
    if state_object is None:
        more: dict[str, Any] = {}
        if tests_depth:
            more["depth"] = {"enabled": True, "writemask": state.depth_mask, "func": COMPARES[state.depth_func]}
        if tests_stencil:
            more["stencil"] = [dict(zip(_STENCIL, (True, *_stencil(item)))) for item in (state.front, state.back)]
        if tests_alpha:
            more["alpha"] = {"enabled": True, "func": COMPARES[state.alpha_func], "ref_value": state.alpha_ref}
        state_object = gl.state_objects[key] = gl.pipe.create_depth_stencil_alpha_state(**more)
    gl.pipe.bind_depth_stencil_alpha_state(state_object)


_STENCIL = ("enabled", "func", "fail_op", "zfail_op", "zpass_op", "valuemask", "writemask")


def _stencil(face: StencilFace) -> tuple[Any, ...]:
    operations = STENCIL_OPS[face.fail], STENCIL_OPS[face.depth_fail], STENCIL_OPS[face.depth_pass]
    return COMPARES[face.func], *operations, face.value_mask & 0xFF, face.write_mask & 0xFF


def bind_stencil_ref(gl: Context) -> None:
    """Reference values of the stencil test."""
    gl.pipe.set_stencil_ref((max(0, min(gl.fragment.front.ref, 255)), max(0, min(gl.fragment.back.ref, 255))))


def bind_blend_color(gl: Context) -> None:
    """The constant color of blend factors."""
    gl.pipe.set_blend_color(gl.fragment.blend_color)


def bind_samples(gl: Context) -> None:
    """The sample mask, and the least number of samples that are shaded."""
    state, samples = gl.fragment, max(1, gl.draw_framebuffer.samples())
    mask = 0xFFFFFFFF
    if GL.MULTISAMPLE in gl.enabled and samples > 1:
        if GL.SAMPLE_COVERAGE in gl.enabled:
            covered = (1 << int(state.coverage * samples + 0.5)) - 1
            mask &= ~covered & 0xFFFFFFFF if state.coverage_invert else covered
        if GL.SAMPLE_MASK in gl.enabled:
            mask &= state.sample_mask
    gl.pipe.set_sample_mask(mask)
    is_shared = GL.SAMPLE_SHADING in gl.enabled and samples > 1
    gl.pipe.set_min_samples(max(1, math.ceil(state.min_sample_shading * samples)) if is_shared else 1)
