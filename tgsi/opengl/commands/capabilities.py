"""Capabilities: enable, disable, query. (OpenGL 4.6 compatibility, 2.2)"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.values import MAX_DRAW_BUFFERS, VIEWPORTS

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

EFFECTS: dict[int, int] = {
    GL.ALPHA_TEST: dirty.DEPTH_STENCIL,
    GL.COLOR_LOGIC_OP: dirty.BLEND,
    GL.CULL_FACE: dirty.RASTERIZER,
    GL.DEBUG_OUTPUT: 0,
    GL.DEBUG_OUTPUT_SYNCHRONOUS: 0,
    GL.DEPTH_CLAMP: dirty.RASTERIZER,
    GL.DEPTH_TEST: dirty.DEPTH_STENCIL,
    GL.DITHER: 0,
    GL.FRAMEBUFFER_SRGB: dirty.FRAMEBUFFER,
    GL.LINE_SMOOTH: dirty.RASTERIZER,
    GL.LINE_STIPPLE: dirty.RASTERIZER,
    GL.MULTISAMPLE: dirty.RASTERIZER | dirty.BLEND | dirty.SAMPLES,
    GL.POINT_SMOOTH: dirty.RASTERIZER | dirty.FIXED,
    GL.POINT_SPRITE: dirty.RASTERIZER | dirty.FIXED,
    GL.POLYGON_OFFSET_FILL: dirty.RASTERIZER,
    GL.POLYGON_OFFSET_LINE: dirty.RASTERIZER,
    GL.POLYGON_OFFSET_POINT: dirty.RASTERIZER,
    GL.POLYGON_SMOOTH: dirty.RASTERIZER,
    GL.POLYGON_STIPPLE: dirty.RASTERIZER,
    GL.PRIMITIVE_RESTART: 0,
    GL.PRIMITIVE_RESTART_FIXED_INDEX: 0,
    GL.PROGRAM_POINT_SIZE: dirty.RASTERIZER,
    GL.RASTERIZER_DISCARD: dirty.RASTERIZER,
    GL.SAMPLE_ALPHA_TO_COVERAGE: dirty.BLEND,
    GL.SAMPLE_ALPHA_TO_ONE: dirty.BLEND,
    GL.SAMPLE_COVERAGE: dirty.SAMPLES,
    GL.SAMPLE_MASK: dirty.SAMPLES,
    GL.SAMPLE_SHADING: dirty.SAMPLES | dirty.RASTERIZER,
    GL.STENCIL_TEST: dirty.DEPTH_STENCIL,
    GL.TEXTURE_CUBE_MAP_SEAMLESS: dirty.TEXTURES,
    GL.VERTEX_PROGRAM_TWO_SIDE: dirty.RASTERIZER,
}
"""The groups of state that each capability affects."""

EFFECTS |= {GL.CLIP_DISTANCE0 + k: dirty.RASTERIZER | dirty.FIXED | dirty.CLIP for k in range(8)}


MORE: dict[int, tuple[Callable[[Context, int, bool], None], Callable[[Context, int], bool]]] = {}
"""Functions that switch and query the capabilities of the fixed-function pipeline; `tgsi.opengl.fixed.capabilities` adds them."""


def is_capability(gl: Context, cap: int) -> bool:
    """True if the context has a capability."""
    return cap in EFFECTS or cap in (GL.BLEND, GL.SCISSOR_TEST) or (cap in MORE and not gl.is_core())


def switch(gl: Context, cap: int, *, on: bool) -> None:
    """Switch a capability for all of its indices."""
    if cap == GL.BLEND:
        for target in gl.fragment.targets:
            target.enabled = on
        gl.dirty |= dirty.BLEND
    elif cap == GL.SCISSOR_TEST:
        gl.raster.scissor_enabled = [on] * VIEWPORTS
        gl.dirty |= dirty.SCISSOR | dirty.RASTERIZER
    elif cap in EFFECTS:
        if (cap in gl.enabled) != on:
            (gl.enabled.add if on else gl.enabled.discard)(cap)
            gl.dirty |= EFFECTS[cap]
    elif cap in MORE and not gl.is_core():
        MORE[cap][0](gl, cap, on)
    else:
        raise bad_enum("cap", cap)


@command("glEnable")
def enable(gl: Context, cap: int) -> None:
    """Switch a capability on."""
    switch(gl, cap, on=True)


@command("glDisable")
def disable(gl: Context, cap: int) -> None:
    """Switch a capability off."""
    switch(gl, cap, on=False)


def is_on(gl: Context, cap: int) -> bool:
    """True if a capability is on; index 0 decides for indexed capabilities."""
    if cap == GL.BLEND:
        return gl.fragment.targets[0].enabled
    if cap == GL.SCISSOR_TEST:
        return gl.raster.scissor_enabled[0]
    if cap not in EFFECTS:
        if cap in MORE and not gl.is_core():
            return MORE[cap][1](gl, cap)
        raise bad_enum("cap", cap)
    return cap in gl.enabled


@command("glIsEnabled")
def is_enabled(gl: Context, cap: int) -> int:
    """1 if a capability is on."""
    return int(is_on(gl, cap))


def _switch_indexed(gl: Context, cap: int, index: int, *, on: bool) -> None:
    if cap == GL.BLEND:
        if index >= MAX_DRAW_BUFFERS:
            raise bad_value(f"index: {index} is not below {MAX_DRAW_BUFFERS}")
        gl.fragment.targets[index].enabled = on
        gl.dirty |= dirty.BLEND
    elif cap == GL.SCISSOR_TEST:
        if index >= VIEWPORTS:
            raise bad_value(f"index: {index} is not below {VIEWPORTS}")
        gl.raster.scissor_enabled[index] = on
        gl.dirty |= dirty.SCISSOR | dirty.RASTERIZER
    else:
        raise bad_enum("target", cap)


@command("glEnablei")
def enable_indexed(gl: Context, target: int, index: int) -> None:
    """Switch blending of a draw buffer, or the scissor of a viewport, on."""
    _switch_indexed(gl, target, index, on=True)


@command("glDisablei")
def disable_indexed(gl: Context, target: int, index: int) -> None:
    """Switch blending of a draw buffer, or the scissor of a viewport, off."""
    _switch_indexed(gl, target, index, on=False)


@command("glIsEnabledi")
def is_enabled_indexed(gl: Context, target: int, index: int) -> int:
    """1 if blending of a draw buffer, or the scissor of a viewport, is on."""
    if target == GL.BLEND and index < MAX_DRAW_BUFFERS:
        return int(gl.fragment.targets[index].enabled)
    if target == GL.SCISSOR_TEST and index < VIEWPORTS:
        return int(gl.raster.scissor_enabled[index])
    if target in (GL.BLEND, GL.SCISSOR_TEST):
        raise bad_value(f"index: {index} does not exist")
    raise bad_enum("target", target)


@command("glPrimitiveRestartIndex")
def primitive_restart_index(gl: Context, index: int) -> None:
    """Set the index that restarts primitives."""
    gl.restart_index = index
