"""Checks of framebuffers: incompleteness, masked clears, reads of pictures that were never drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tgsi.opengl.objects.framebuffer import Attachment
from tgsi.opengl.objects.texture import Texture
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.watching.command_text import enum_text
from tgsi.validation.findings import Finding

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.objects.framebuffer import Framebuffer


def title_of(framebuffer: Framebuffer) -> str:
    """The name of a framebuffer in texts."""
    if framebuffer.is_default:
        return "the default framebuffer"
    return f"framebuffer {framebuffer.name}" + (f" {framebuffer.label!r}" if framebuffer.label else "")


def incomplete(gl: Context, framebuffer: Framebuffer) -> str:
    """The reason why a framebuffer is incomplete, with the attachment. (OpenGL 4.6 core, 9.4.2)"""
    title, status = title_of(framebuffer), framebuffer.status(gl)
    if framebuffer.is_default:
        return "there is no default framebuffer: the context was made without a size; bind a framebuffer, or give create() a size"
    if status == GL.FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT:
        return f"{title} has no attachment: glFramebufferTexture2D or glFramebufferRenderbuffer"
    for point, item in framebuffer.attachments.items():
        reason = _wrong(item, point)
        if reason:
            return f"{enum_text(point)} of {title}, {item_title(item)}, {reason}"
    counts = {point: max(1, place[5]) for point, item in framebuffer.attachments.items() if (place := item.place()) is not None}
    if len(set(counts.values())) > 1:
        shown = ", ".join(f"{enum_text(point)} has {count}" for point, count in counts.items())
        return f"the attachments of {title} differ in samples: {shown}"
    return f"{title}: {enum_text(status)}"


def _wrong(item: Attachment, point: int) -> str:
    place = item.place()
    if place is None or not all(item.size()):
        if isinstance(item.item, Texture):
            return f"has no image of level {item.level}: glTexImage2D or glTexStorage2D before it is attached"
        return "has no storage: glRenderbufferStorage"
    base = place[1].base
    if point == GL.DEPTH_ATTACHMENT and base not in (GL.DEPTH_COMPONENT, GL.DEPTH_STENCIL):
        return f"has no depth: its format is {enum_text(base)}"
    if point == GL.STENCIL_ATTACHMENT and base not in (GL.DEPTH_STENCIL, GL.STENCIL_INDEX):
        return f"has no stencil: its format is {enum_text(base)}"
    if point not in (GL.DEPTH_ATTACHMENT, GL.STENCIL_ATTACHMENT) and base not in (GL.RED, GL.RG, GL.RGB, GL.RGBA):
        return f"cannot be drawn to as a color: its format is {enum_text(base)}"
    return ""


def item_title(item: Attachment) -> str:
    """The texture or renderbuffer of an attachment."""
    kind = "texture" if isinstance(item.item, Texture) else "renderbuffer"
    return f"{kind} {item.item.name}" + (f" {item.item.label!r}" if item.item.label else "")


def clears(gl: Context, mask: int) -> Iterator[Finding]:
    """Buffers that glClear names but cannot change."""
    attached = gl.draw_framebuffer.attachments
    if mask & GL.DEPTH_BUFFER_BIT and not gl.fragment.depth_mask and GL.DEPTH_ATTACHMENT in attached:
        yield Finding("gl clear", "depth", "GL_DEPTH_BUFFER_BIT has no effect while glDepthMask is GL_FALSE")
    if mask & GL.COLOR_BUFFER_BIT and gl.color_of(0) is not None and not gl.fragment.targets[0].mask:
        yield Finding("gl clear", "color", "GL_COLOR_BUFFER_BIT has no effect while glColorMask leaves out every channel")
    if mask & GL.STENCIL_BUFFER_BIT and not gl.fragment.front.write_mask & 0xFF and GL.STENCIL_ATTACHMENT in attached:
        yield Finding("gl clear", "stencil", "GL_STENCIL_BUFFER_BIT has no effect while glStencilMask is 0")
    if GL.RASTERIZER_DISCARD in gl.enabled:
        yield Finding("gl clear", "discard", "nothing is cleared while GL_RASTERIZER_DISCARD is enabled")


def outputs(gl: Context) -> Iterator[Finding]:
    """Fragment shader outputs without a draw buffer although there is an attachment."""
    linked, framebuffer = gl.own_linked(), gl.draw_framebuffer
    if linked is not None and linked.outputs and not linked.storage and _is_lost(gl, framebuffer):
        first = enum_text(min(framebuffer.attachments))
        text = f"no color goes to {title_of(framebuffer)}, and it has no depth or stencil: its draw buffers are all GL_NONE"
        yield Finding("gl output", (framebuffer.name, "none"), f"{text}; glDrawBuffer({first})")
    for item in linked.outputs if linked is not None else ():
        point = GL.COLOR_ATTACHMENT0 + item.location
        is_none = 0 < item.location < len(framebuffer.draw_buffers) and framebuffer.draw_buffers[item.location] == GL.NONE
        if is_none and point in framebuffer.attachments and point not in framebuffer.draw_buffers:
            text = f"the output {item.name!r} of the fragment shader, location {item.location}, goes nowhere: {enum_text(point)} of "
            yield Finding("gl output", (framebuffer.name, item.location), f"{text}{title_of(framebuffer)} is not among glDrawBuffers")


def stale_viewport(gl: Context, noted: tuple[int, int]) -> Iterator[Finding]:
    """The viewport of a framebuffer of another size. noted: size of the framebuffer that was bound when the viewport was set."""
    size, box = gl.draw_framebuffer.size(), gl.raster.viewports[0]
    if all(size) and noted != size and box == (0.0, 0.0, float(noted[0]), float(noted[1])):
        here = f"{title_of(gl.draw_framebuffer)} is {size[0]} x {size[1]}"
        text = f"the viewport was set for a framebuffer of {noted[0]} x {noted[1]}, and {here}"
        yield Finding("gl viewport", (size, noted), f"{text}: glViewport(0, 0, {size[0]}, {size[1]}) after glBindFramebuffer")


def _is_lost(gl: Context, framebuffer: Framebuffer) -> bool:
    """True if a framebuffer has only color attachments, and none of the colors is written to them."""
    is_color = [GL.COLOR_ATTACHMENT0 <= point < GL.DEPTH_ATTACHMENT for point in framebuffer.attachments]
    no_buffer = all(point == GL.NONE for point in framebuffer.draw_buffers)
    return bool(is_color) and all(is_color) and no_buffer and GL.RASTERIZER_DISCARD not in gl.enabled


def loops(gl: Context) -> str:
    """Textures that are read and drawn to at the same time."""
    units = {id(item): number for number, unit in enumerate(gl.units) for item in unit.textures.values()}
    for point, item in gl.draw_framebuffer.attachments.items():
        number = units.get(id(item.item))
        if number is not None:
            return (
                f"{item_title(item)} is read through unit {number} and drawn to as {enum_text(point)} of {title_of(gl.draw_framebuffer)} "
                "at the same time: results are undefined"
            )
    return "a texture is read and drawn to at the same time: results are undefined"


def title_of_resource(gl: Context, number: object) -> str:
    """The texture or renderbuffer whose storage has an `id`."""
    for item in (*gl.share.textures, *gl.share.renderbuffers):
        if id(item.resource) == number:
            return item_title(Attachment(item))
    return title_of(gl.draw_framebuffer)
