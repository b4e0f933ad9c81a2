"""Bind the state of a draw, in order: each group may depend on earlier groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.drawing import fragment, programs, raster
from tgsi.opengl.drawing.streams import bind_streams
from tgsi.opengl.drawing.vertices import Reader, bind_vertices
from tgsi.opengl.errors import GLError
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

STORAGE = (
    dirty.FRAMEBUFFER
    | dirty.VERTICES
    | dirty.TEXTURES
    | dirty.UNIFORM_BUFFERS
    | dirty.STORAGE
    | dirty.IMAGES
    | dirty.BLEND
    | dirty.DEPTH_STENCIL
)
"""Groups that hold resources, which become stale when a buffer or texture gets new storage."""

FOLLOWED = (
    dirty.PROGRAM
    | dirty.VIEWPORT
    | dirty.SAMPLES
    | dirty.MATRIX
    | dirty.MATERIAL
    | dirty.FIXED
    | dirty.CLIP
    | dirty.RASTERIZER
    | dirty.VERTICES
    | dirty.SUBROUTINES
)
"""Groups that GLSL's built-in uniforms, such as gl_ModelViewMatrix, may depend on."""

OF_STATE = (
    (dirty.BLEND, fragment.bind_blend),
    (dirty.DEPTH_STENCIL, fragment.bind_depth_stencil),
    (dirty.RASTERIZER, raster.bind_rasterizer),
    (dirty.VIEWPORT, raster.bind_viewports),
    (dirty.SCISSOR, raster.bind_scissors),
    (dirty.BLEND_COLOR, fragment.bind_blend_color),
    (dirty.STENCIL_REF, fragment.bind_stencil_ref),
    (dirty.SAMPLES, fragment.bind_samples),
    (dirty.STIPPLE, raster.bind_stipple),
    (dirty.PATCHES, raster.bind_patches),
    (dirty.CLIP, raster.bind_clip_planes),
)
OF_PROGRAM = (
    (dirty.TEXTURES, programs.bind_textures),
    (dirty.UNIFORM_BUFFERS, programs.bind_uniform_buffers),
    (dirty.STORAGE, programs.bind_storage),
    (dirty.IMAGES, programs.bind_images),
)


def check_framebuffer(gl: Context) -> None:
    """Raise GL_INVALID_FRAMEBUFFER_OPERATION unless the draw framebuffer is complete."""
    status = gl.draw_framebuffer.status(gl)
    if status != GL.FRAMEBUFFER_COMPLETE:
        from tgsi.opengl.registry.table import enum_name

        raise GLError(GL.INVALID_FRAMEBUFFER_OPERATION, f"the draw framebuffer is not complete: {enum_name(status)}")


def bind_framebuffer(gl: Context) -> None:
    """Bind the draw framebuffer to the Gallium context."""
    notice_storage(gl)
    if gl.dirty & dirty.FRAMEBUFFER:
        gl.draw_framebuffer.bind(gl, is_srgb=GL.FRAMEBUFFER_SRGB in gl.enabled or gl.profile == "es")
        gl.dirty &= ~dirty.FRAMEBUFFER
        gl.dirty |= dirty.BLEND | dirty.DEPTH_STENCIL | dirty.RASTERIZER | dirty.SCISSOR | dirty.SAMPLES


def notice_storage(gl: Context) -> None:
    """Mark bindings as stale if any object of the share group got new storage."""
    if gl.generation != gl.share.generation:
        gl.generation = gl.share.generation
        gl.dirty |= STORAGE


def _of_compatibility(gl: Context) -> int:
    """Groups that become stale with the program or the projection, in contexts that mix programs and fixed-function stages."""
    has_planes = any(GL.CLIP_DISTANCE0 + k in gl.enabled for k in range(8))
    bits = dirty.RASTERIZER | dirty.CLIP if gl.dirty & dirty.PROGRAM else 0
    return bits | (dirty.CLIP if has_planes and gl.dirty & dirty.MATRIX else 0)


def validate_draw(gl: Context, reader: Reader | None = None, *, has_vertices: bool = True) -> None:
    """Bind state that changed since the last draw. Without `has_vertices`, the caller binds the vertices.

    Raises:
        GLError: the framebuffer is incomplete.
    """
    with gl.share.lock:
        _bind_all(gl, reader, has_vertices=has_vertices)


def _bind_all(gl: Context, reader: Reader | None, *, has_vertices: bool) -> None:
    linked = gl.active_linked()
    if linked is not None and linked.take(gl.number):
        gl.share.forget_natives()
        gl.dirty |= dirty.PROGRAM | dirty.FIXED
        linked = gl.active_linked()
    if not gl.dirty & ~(0 if has_vertices else dirty.VERTICES) and reader is None and gl.generation == gl.share.generation:
        if linked is not None and linked.stale:
            programs.upload_constants(gl, linked)
        if gl.capture.is_active or gl.bound.get("streams"):
            bind_streams(gl)
        return
    check_framebuffer(gl)
    bind_framebuffer(gl)
    changed = gl.dirty | (_of_compatibility(gl) if not gl.is_core() else 0)
    if changed & dirty.PROGRAM and linked is not None and linked.writes_viewport():
        changed |= dirty.VIEWPORT
    for bit, bind in OF_STATE:
        if changed & bit:
            bind(gl)
    if changed & dirty.PROGRAM:
        programs.bind_shaders(gl)
        changed |= dirty.TEXTURES | dirty.UNIFORM_BUFFERS | dirty.STORAGE | dirty.IMAGES | dirty.VERTICES
    if linked is not None:
        if linked.stale or changed & FOLLOWED:
            programs.bind_constants(gl, linked, dirty.ALL if changed & dirty.PROGRAM else changed)
        for bit, bind_program in OF_PROGRAM:
            if changed & bit:
                bind_program(gl, linked)
    if has_vertices and (changed & dirty.VERTICES or reader is not None):
        bind_vertices(gl, reader)
    gl.dirty = dirty.VERTICES if reader is not None or not has_vertices else 0
    if gl.capture.is_active or gl.bound.get("streams"):
        bind_streams(gl)
