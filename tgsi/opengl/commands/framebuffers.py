"""Framebuffer objects and renderbuffers. (OpenGL 4.6 core, chapter 9)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.errors import GLError, bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, uints, write
from tgsi.opengl.objects.framebuffer import Attachment, Framebuffer
from tgsi.opengl.objects.texture import ARRAYS, FACES, TARGETS, Texture
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.registry.table import enum_name
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

POINTS = {GL.COLOR_ATTACHMENT0 + k for k in range(8)} | {GL.DEPTH_ATTACHMENT, GL.STENCIL_ATTACHMENT, GL.DEPTH_STENCIL_ATTACHMENT}
WINDOW_BUFFERS = {
    GL.FRONT_LEFT: (GL.BACK_LEFT,), GL.BACK_LEFT: (GL.BACK_LEFT,), GL.FRONT: (GL.BACK_LEFT,), GL.BACK: (GL.BACK_LEFT,),
    GL.LEFT: (GL.BACK_LEFT,), GL.FRONT_AND_BACK: (GL.BACK_LEFT,),
}  # fmt: skip
"""Names of the default framebuffer's only color buffer."""


def bound(gl: Context, target: int) -> Framebuffer:
    """The framebuffer at a target."""
    if target in (GL.FRAMEBUFFER, GL.DRAW_FRAMEBUFFER):
        return gl.draw_framebuffer
    if target == GL.READ_FRAMEBUFFER:
        return gl.read_framebuffer
    raise bad_enum("target", target)


def named(gl: Context, name: int) -> Framebuffer:
    """The framebuffer of a name; 0 is the default one."""
    if not name:
        return gl.default_framebuffer
    framebuffer = gl.framebuffers.get(name)
    if framebuffer is None:
        if name not in gl.framebuffers.objects and gl.is_core():
            raise bad_operation(f"framebuffer: {name} is not a name that glGenFramebuffers returned")
        framebuffer = gl.framebuffers.put(name, Framebuffer(name))
    return framebuffer


@command("glGenFramebuffers")
def gen_framebuffers(gl: Context, n: int, framebuffers: Pointer) -> None:
    """Fresh names."""
    not_negative("n", n)
    write("I", framebuffers, gl.framebuffers.generate(n))


@command("glCreateFramebuffers")
def create_framebuffers(gl: Context, n: int, framebuffers: Pointer) -> None:
    """Fresh names with their objects."""
    not_negative("n", n)
    write("I", framebuffers, gl.framebuffers.create(n, Framebuffer))


@command("glIsFramebuffer")
def is_framebuffer(gl: Context, framebuffer: int) -> int:
    """1 if the name has an object."""
    return int(gl.framebuffers.get(framebuffer) is not None)


@command("glDeleteFramebuffers")
def delete_framebuffers(gl: Context, n: int, framebuffers: Pointer) -> None:
    """Free names; bindings go back to the default framebuffer."""
    not_negative("n", n)
    for name in uints(framebuffers, n):
        item = gl.framebuffers.drop(name)
        if item is not None and gl.draw_framebuffer is item:
            gl.draw_framebuffer = gl.default_framebuffer
            gl.dirty |= dirty.FRAMEBUFFER
        if item is not None and gl.read_framebuffer is item:
            gl.read_framebuffer = gl.default_framebuffer


@command("glBindFramebuffer")
def bind_framebuffer(gl: Context, target: int, framebuffer: int) -> None:
    """Bind a framebuffer for drawing, reading or both."""
    bound(gl, target)
    item = named(gl, framebuffer)
    if target in (GL.FRAMEBUFFER, GL.DRAW_FRAMEBUFFER):
        gl.draw_framebuffer = item
        gl.dirty |= dirty.FRAMEBUFFER
    if target in (GL.FRAMEBUFFER, GL.READ_FRAMEBUFFER):
        gl.read_framebuffer = item


@command("glCheckFramebufferStatus")
def check_framebuffer_status(gl: Context, target: int) -> int:
    """The completeness of a bound framebuffer."""
    return bound(gl, target).status(gl)


@command("glCheckNamedFramebufferStatus")
def check_named_framebuffer_status(gl: Context, framebuffer: int, target: int) -> int:
    """The completeness of a framebuffer."""
    return named(gl, framebuffer).status(gl)


# -- attachments
def attach(gl: Context, item: Framebuffer, point: int, attachment: Attachment | None) -> None:
    """Attach a renderbuffer or texture to a point; None detaches."""
    if item.is_default:
        raise bad_operation("framebuffer: the default framebuffer has its own pictures")
    if point not in POINTS:
        if GL.COLOR_ATTACHMENT0 <= point < GL.COLOR_ATTACHMENT0 + 32:
            raise bad_operation("attachment: there are eight color attachments")
        raise bad_enum("attachment", point)
    points = (GL.DEPTH_ATTACHMENT, GL.STENCIL_ATTACHMENT) if point == GL.DEPTH_STENCIL_ATTACHMENT else (point,)
    for name in points:
        if attachment is None:
            item.attachments.pop(name, None)
        else:
            item.attachments[name] = attachment
    item.changed(gl)
    if gl.draw_framebuffer is item:
        gl.dirty |= dirty.FRAMEBUFFER


def _texture(gl: Context, name: int, level: int) -> Texture | None:
    if not name:
        return None
    item = gl.share.textures.get(name)
    if item is None:
        raise bad_operation(f"texture: {name} is not the name of a texture")
    if level < 0 or level > 15:
        raise bad_value(f"level: {level}")
    return item


def _attach_image(gl: Context, item: Framebuffer, point: int, target: int, texture: int, level: int, layer: int = 0) -> None:
    source = _texture(gl, texture, level)
    if source is None:
        attach(gl, item, point, None)
        return
    if target not in FACES and target not in TARGETS:
        raise bad_enum("textarget", target)
    if source.target != (GL.TEXTURE_CUBE_MAP if target in FACES else target):
        raise bad_operation("textarget: the texture has another target")
    attach(gl, item, point, Attachment(source, level, layer, FACES.get(target, 0)))


@command("glFramebufferTexture2D")
def framebuffer_texture_2d(gl: Context, target: int, attachment: int, textarget: int, texture: int, level: int) -> None:
    """Attach a level of a texture, or of a face of a cube."""
    _attach_image(gl, bound(gl, target), attachment, textarget, texture, level)


@command("glFramebufferTexture1D")
def framebuffer_texture_1d(gl: Context, target: int, attachment: int, textarget: int, texture: int, level: int) -> None:
    """Attach a level of a texture of one dimension."""
    _attach_image(gl, bound(gl, target), attachment, textarget, texture, level)


@command("glFramebufferTexture3D")
def framebuffer_texture_3d(gl: Context, target: int, attachment: int, textarget: int, texture: int, level: int, zoffset: int) -> None:
    """Attach a slice of a texture of three dimensions."""
    _attach_image(gl, bound(gl, target), attachment, textarget, texture, level, zoffset)


def _attach_whole(gl: Context, item: Framebuffer, point: int, texture: int, level: int) -> None:
    source = _texture(gl, texture, level)
    if source is None:
        attach(gl, item, point, None)
        return
    layered = source.target in ARRAYS or source.target in (GL.TEXTURE_3D, GL.TEXTURE_CUBE_MAP)
    attach(gl, item, point, Attachment(source, level, is_layered=layered))


@command("glFramebufferTexture")
def framebuffer_texture(gl: Context, target: int, attachment: int, texture: int, level: int) -> None:
    """Attach a level with all its layers."""
    _attach_whole(gl, bound(gl, target), attachment, texture, level)


@command("glNamedFramebufferTexture")
def named_framebuffer_texture(gl: Context, framebuffer: int, attachment: int, texture: int, level: int) -> None:
    """Attach a level with all its layers."""
    _attach_whole(gl, named(gl, framebuffer), attachment, texture, level)


def _attach_layer(gl: Context, item: Framebuffer, point: int, texture: int, level: int, layer: int) -> None:
    source = _texture(gl, texture, level)
    if source is None:
        attach(gl, item, point, None)
        return
    not_negative("layer", layer)
    if source.target == GL.TEXTURE_CUBE_MAP:
        attach(gl, item, point, Attachment(source, level, 0, layer))
    elif source.target in ARRAYS or source.target == GL.TEXTURE_3D:
        attach(gl, item, point, Attachment(source, level, layer))
    else:
        raise bad_operation("texture: it has no layers")


@command("glFramebufferTextureLayer")
def framebuffer_texture_layer(gl: Context, target: int, attachment: int, texture: int, level: int, layer: int) -> None:
    """Attach one layer of a level."""
    _attach_layer(gl, bound(gl, target), attachment, texture, level, layer)


@command("glNamedFramebufferTextureLayer")
def named_framebuffer_texture_layer(gl: Context, framebuffer: int, attachment: int, texture: int, level: int, layer: int) -> None:
    """Attach one layer of a level."""
    _attach_layer(gl, named(gl, framebuffer), attachment, texture, level, layer)


def _attach_renderbuffer(gl: Context, item: Framebuffer, point: int, target: int, name: int) -> None:
    if target != GL.RENDERBUFFER:
        raise bad_enum("renderbuffertarget", target)
    if name and gl.share.renderbuffers.get(name) is None:
        raise bad_operation(f"renderbuffer: {name} is not the name of a renderbuffer")
    renderbuffer = gl.share.renderbuffers.get(name) if name else None
    attach(gl, item, point, Attachment(renderbuffer) if renderbuffer is not None else None)


@command("glFramebufferRenderbuffer")
def framebuffer_renderbuffer(gl: Context, target: int, attachment: int, renderbuffertarget: int, renderbuffer: int) -> None:
    """Attach a renderbuffer."""
    _attach_renderbuffer(gl, bound(gl, target), attachment, renderbuffertarget, renderbuffer)


@command("glNamedFramebufferRenderbuffer")
def named_framebuffer_renderbuffer(gl: Context, framebuffer: int, attachment: int, renderbuffertarget: int, renderbuffer: int) -> None:
    """Attach a renderbuffer."""
    _attach_renderbuffer(gl, named(gl, framebuffer), attachment, renderbuffertarget, renderbuffer)


# -- draw and read buffers
def _put_draw_buffers(gl: Context, item: Framebuffer, buffers: tuple[int, ...]) -> None:
    if len(buffers) > 8:
        raise bad_value(f"n: {len(buffers)} is above 8")
    points = []
    for buffer in buffers:
        if item.is_default:
            if buffer != GL.NONE and buffer not in WINDOW_BUFFERS:
                raise _refused(buffer, buffer in POINTS)
            points.append(GL.BACK_LEFT if buffer in WINDOW_BUFFERS else GL.NONE)
            continue
        if buffer != GL.NONE and not GL.COLOR_ATTACHMENT0 <= buffer < GL.COLOR_ATTACHMENT0 + 8:
            raise _refused(buffer, buffer in WINDOW_BUFFERS)
        points.append(buffer)
    named_twice = [buffer for buffer in points if buffer != GL.NONE]
    if len(set(named_twice)) < len(named_twice):
        raise bad_operation("bufs: a buffer is named twice")
    item.draw_buffers = points + [GL.NONE] * (8 - len(points))
    if gl.draw_framebuffer is item:
        gl.dirty |= dirty.FRAMEBUFFER


def _refused(buffer: int, exists: bool) -> GLError:
    """The error for a buffer that the framebuffer lacks: GL_INVALID_OPERATION if other framebuffers can have it."""
    return bad_operation(f"buf: {enum_name(buffer)} is not a buffer of this framebuffer") if exists else bad_enum("buf", buffer)


@command("glDrawBuffer")
def draw_buffer(gl: Context, buf: int) -> None:
    """The buffer that color 0 goes to."""
    _put_draw_buffers(gl, gl.draw_framebuffer, (buf,))


@command("glDrawBuffers")
def draw_buffers(gl: Context, n: int, bufs: Pointer) -> None:
    """The buffers that colors go to."""
    not_negative("n", n)
    _put_draw_buffers(gl, gl.draw_framebuffer, uints(bufs, n))


@command("glNamedFramebufferDrawBuffer")
def named_framebuffer_draw_buffer(gl: Context, framebuffer: int, buf: int) -> None:
    """The buffer that color 0 goes to."""
    _put_draw_buffers(gl, named(gl, framebuffer), (buf,))


@command("glNamedFramebufferDrawBuffers")
def named_framebuffer_draw_buffers(gl: Context, framebuffer: int, n: int, bufs: Pointer) -> None:
    """The buffers that colors go to."""
    not_negative("n", n)
    _put_draw_buffers(gl, named(gl, framebuffer), uints(bufs, n))


def _put_read_buffer(item: Framebuffer, src: int) -> None:
    if src != GL.NONE and item.is_default and src not in WINDOW_BUFFERS:
        raise _refused(src, src in POINTS)
    if src != GL.NONE and not item.is_default and not GL.COLOR_ATTACHMENT0 <= src < GL.COLOR_ATTACHMENT0 + 8:
        raise _refused(src, src in WINDOW_BUFFERS)
    item.read_buffer = GL.BACK_LEFT if item.is_default and src != GL.NONE else src


@command("glReadBuffer")
def read_buffer(gl: Context, src: int) -> None:
    """The buffer that colors are read from."""
    _put_read_buffer(gl.read_framebuffer, src)


@command("glNamedFramebufferReadBuffer")
def named_framebuffer_read_buffer(gl: Context, framebuffer: int, src: int) -> None:
    """The buffer that colors are read from."""
    _put_read_buffer(named(gl, framebuffer), src)
