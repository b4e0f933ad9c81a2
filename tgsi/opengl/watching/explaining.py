"""Histories of pixels in OpenGL's terms: find the picture by framebuffer or texture, and translate the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import current
from tgsi.opengl.objects.framebuffer import Attachment, Framebuffer
from tgsi.opengl.objects.texture import Texture
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.watching.command_text import enum_text
from tgsi.opengl.watching.words import in_opengl

if TYPE_CHECKING:
    from tgsi.insight.explanation import Explanation
    from tgsi.opengl.context import Context

NEEDS_HISTORY = (
    "explain: no commands are recorded; make the context with tgsi.opengl.create(history=True), run the program with "
    "python -m tgsi.opengl --history, or set TGSI_OPENGL_HISTORY=1"
)


def explain(
    gl: Context | None,
    x: int,
    y: int,
    *,
    framebuffer: Any = None,
    attachment: int | None = None,
    texture: Any = None,
    level: int = 0,
    layer: int = 0,
    sample: int | None = None,
) -> Explanation:
    """See `tgsi.opengl.explain`."""
    gl = current() if gl is None else gl
    if gl is None:
        raise RuntimeError("explain: no context is current in this thread")
    if gl.watch is None or not gl.watch.has_history:
        raise RuntimeError(NEEDS_HISTORY)
    item, title = _picture(gl, framebuffer, attachment, texture, level)
    place = item.place()
    if place is None:
        raise ValueError(f"explain: {title} has no pixels")
    resource, row, stored, first, last, _ = place
    width, height = item.size()
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(f"explain: ({x}, {y}) is outside of {title}, which is {width} x {height}; row 0 is the lowest one")
    surface = gl.pipe.create_surface(resource, format=row.format, level=stored, first_layer=first, last_layer=last)
    explanation = gl.pipe.explain(x, y, sample=sample, layer=layer, target=surface)
    where = (f", layer {layer}" if layer else "") + (f", sample {sample}" if sample is not None else "")
    return in_opengl(replace(explanation, subject=f"pixel ({x}, {y}){where} of {title}, {width} x {height}"))


def _number(thing: Any, name: str) -> int:
    """The name of an OpenGL object: a number, or an object with a name in `glo`, such as moderngl's."""
    number = getattr(thing, "glo", thing)
    if not isinstance(number, int):
        raise TypeError(f"explain: {name}: the name of an object of OpenGL is wanted, not {type(thing).__name__}")
    return number


def _picture(gl: Context, framebuffer: Any, attachment: int | None, texture: Any, level: int) -> tuple[Attachment, str]:
    """The requested picture, and its name in texts."""
    assert gl.watch is not None
    if texture is not None:
        number = _number(texture, "texture")
        picture_texture = gl.share.textures.get(number)
        if picture_texture is None:
            raise ValueError(f"explain: texture: there is no texture {number}")
        return Attachment(picture_texture, level, is_layered=True), _texture_title(picture_texture, level)
    if framebuffer is None and attachment is None and gl.watch.picture is not None:
        return gl.watch.picture, f"the picture that was read, {_item_title(gl.watch.picture)}"
    item = gl.draw_framebuffer
    if framebuffer is not None:
        number = _number(framebuffer, "framebuffer")
        named = gl.framebuffers.get(number) if number else gl.default_framebuffer
        if named is None:
            raise ValueError(f"explain: framebuffer: there is no framebuffer {number}")
        item = named
    point = _point(item) if attachment is None else attachment
    found_item = item.attachments.get(point)
    title = "the default framebuffer" if item.is_default else f"framebuffer {item.name}"
    if found_item is None:
        have = ", ".join(enum_text(key) for key in item.attachments) or "nothing"
        raise ValueError(f"explain: {title} has no {enum_text(point)}; it has {have}")
    return found_item, title if item.is_default and attachment is None else f"{title}, {enum_text(point)}"


def _point(framebuffer: Framebuffer) -> int:
    """The first draw buffer with an attachment; depth without one."""
    points = [point for point in framebuffer.draw_buffers if point in framebuffer.attachments]
    return points[0] if points else GL.DEPTH_ATTACHMENT


def _texture_title(item: Texture, level: int) -> str:
    return f"texture {item.name}" + (f" {item.label!r}" if item.label else "") + (f", level {level}" if level else "")


def _item_title(item: Attachment) -> str:
    if isinstance(item.item, Texture):
        return _texture_title(item.item, item.level)
    return f"renderbuffer {item.item.name}" if item.item.name else "the default framebuffer"
