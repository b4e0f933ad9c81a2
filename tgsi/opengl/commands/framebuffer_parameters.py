"""Parameters of framebuffers and their attachments. (OpenGL 4.6 core, 9.2.1 and 9.2.3)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.commands.framebuffers import POINTS, bound, named
from tgsi.opengl.errors import bad_enum, bad_operation, not_negative
from tgsi.opengl.memory import Pointer, ints, write
from tgsi.opengl.objects.framebuffer import Framebuffer
from tgsi.opengl.objects.renderbuffer import Renderbuffer, sample_count
from tgsi.opengl.objects.texture import Texture
from tgsi.opengl.pixels.component_bits import bits_of, kind_of
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def _put(gl: Context, item: Framebuffer, pname: int, param: int, call: str) -> None:
    if pname not in item.parameters:
        raise bad_enum("pname", pname)
    not_negative("param", param)
    item.parameters[pname] = sample_count(param, call) if pname == GL.FRAMEBUFFER_DEFAULT_SAMPLES else param
    item.changed(gl)
    gl.dirty |= dirty.FRAMEBUFFER


@command("glFramebufferParameteri")
def framebuffer_parameter(gl: Context, target: int, pname: int, param: int) -> None:
    """The size and samples of a framebuffer without attachments."""
    _put(gl, bound(gl, target), pname, param, "glFramebufferParameteri")


@command("glNamedFramebufferParameteri")
def named_framebuffer_parameter(gl: Context, framebuffer: int, pname: int, param: int) -> None:
    """The size and samples of a framebuffer without attachments."""
    _put(gl, named(gl, framebuffer), pname, param, "glNamedFramebufferParameteri")


@command("glGetFramebufferParameteriv")
def get_framebuffer_parameter(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """The size and samples of a framebuffer without attachments."""
    item = bound(gl, target)
    if pname not in item.parameters:
        raise bad_enum("pname", pname)
    write("i", params, [item.parameters[pname]])


def attachment_parameter(gl: Context, item: Framebuffer, point: int, name: int) -> int:
    """A parameter of an attachment. (OpenGL 4.6 core, 9.2.3)"""
    if item.is_default:
        point = {GL.DEPTH: GL.DEPTH_ATTACHMENT, GL.STENCIL: GL.STENCIL_ATTACHMENT}.get(point, GL.BACK_LEFT)
    elif point not in POINTS:
        raise bad_enum("attachment", point)
    attachment = item.attachments.get(GL.DEPTH_ATTACHMENT if point == GL.DEPTH_STENCIL_ATTACHMENT else point)
    kind = GL.NONE
    if attachment is not None:
        kind = GL.FRAMEBUFFER_DEFAULT if item.is_default else GL.RENDERBUFFER if isinstance(attachment.item, Renderbuffer) else GL.TEXTURE
    if name == GL.FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE:
        return kind
    if attachment is None:
        if name == GL.FRAMEBUFFER_ATTACHMENT_OBJECT_NAME:
            return 0
        raise bad_operation("attachment: nothing is attached")
    place = attachment.place()
    row = place[1] if place is not None else None
    texture = attachment.item if isinstance(attachment.item, Texture) else None
    values = {
        GL.FRAMEBUFFER_ATTACHMENT_OBJECT_NAME: attachment.item.name,
        GL.FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL: attachment.level,
        GL.FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER: attachment.layer,
        GL.FRAMEBUFFER_ATTACHMENT_LAYERED: int(attachment.is_layered),
        GL.FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE: (
            GL.TEXTURE_CUBE_MAP_POSITIVE_X + attachment.face if texture is not None and texture.target == GL.TEXTURE_CUBE_MAP else 0
        ),
        GL.FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING: GL.SRGB if row is not None and "SRGB" in row.format else GL.LINEAR,
        GL.FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE: kind_of(row, point == GL.STENCIL_ATTACHMENT),
    }
    sizes: tuple[int, ...] = (GL.FRAMEBUFFER_ATTACHMENT_RED_SIZE, GL.FRAMEBUFFER_ATTACHMENT_GREEN_SIZE, GL.FRAMEBUFFER_ATTACHMENT_BLUE_SIZE)
    sizes += (GL.FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE, GL.FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE, GL.FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE)
    values |= dict(zip(sizes, bits_of(row), strict=True))
    if name not in values:
        raise bad_enum("pname", name)
    return values[name]


@command("glGetFramebufferAttachmentParameteriv")
def get_framebuffer_attachment_parameter(gl: Context, target: int, attachment: int, pname: int, params: Pointer) -> None:
    """A parameter of an attachment."""
    write("i", params, [attachment_parameter(gl, bound(gl, target), attachment, pname)])


@command("glGetNamedFramebufferAttachmentParameteriv")
def get_named_framebuffer_attachment_parameter(gl: Context, framebuffer: int, attachment: int, pname: int, params: Pointer) -> None:
    """A parameter of an attachment."""
    write("i", params, [attachment_parameter(gl, named(gl, framebuffer), attachment, pname)])


@command("glInvalidateFramebuffer")
def invalidate_framebuffer(gl: Context, target: int, count: int, attachments: Pointer) -> None:
    """The pixels may be lost; they stay."""
    bound(gl, target)
    not_negative("numAttachments", count)
    ints(attachments, count)


@command("glInvalidateSubFramebuffer")
def invalidate_sub_framebuffer(gl: Context, target: int, count: int, attachments: Pointer, x: int, y: int, width: int, height: int) -> None:
    """The pixels may be lost; they stay."""
    bound(gl, target)
    not_negative("numAttachments", count, width, height)
