"""Compute shaders, images and barriers. (OpenGL 4.6 core, chapter 19, 8.26, 7.13)"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.commands.textures import named as texture_named
from tgsi.opengl.drawing import programs
from tgsi.opengl.drawing.validate import notice_storage
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, uints
from tgsi.opengl.pixels.internal_formats import find_format
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

MAX_GROUPS = 65535


@command("glDispatchCompute")
def dispatch_compute(gl: Context, x: int, y: int, z: int) -> None:
    """Run a grid of workgroups."""
    linked = gl.active_linked()
    if linked is None or GL.COMPUTE_SHADER not in linked.shaders:
        raise bad_operation("no compute shader is in use")
    if max(x, y, z) > MAX_GROUPS:
        raise bad_value(f"num_groups: {max(x, y, z)} is above {MAX_GROUPS}")
    notice_storage(gl)
    stage = (GL.COMPUTE_SHADER,)
    gl.pipe.bind_compute_state(linked.shaders[GL.COMPUTE_SHADER])
    linked.note_stale(linked.constants)
    programs.bind_constants(gl, linked)
    programs.bind_textures(gl, linked, stage)
    programs.bind_uniform_buffers(gl, linked)
    programs.bind_storage(gl, linked)
    programs.bind_images(gl, linked, stage)
    if x and y and z:
        names = "CS_FIXED_BLOCK_WIDTH", "CS_FIXED_BLOCK_HEIGHT", "CS_FIXED_BLOCK_DEPTH"
        properties = {item.name: int(item.value) for item in linked.programs[GL.COMPUTE_SHADER].properties}
        gl.pipe.launch_grid(block=tuple(properties.get(name, 1) for name in names), grid=(x, y, z))
    gl.dirty |= dirty.PROGRAM


@command("glDispatchComputeIndirect")
def dispatch_compute_indirect(gl: Context, offset: int) -> None:
    """Run a grid whose size is read from a buffer."""
    buffer = gl.buffers.get("DISPATCH_INDIRECT_BUFFER")
    if buffer is None:
        raise bad_operation("indirect: no buffer is bound to GL_DISPATCH_INDIRECT_BUFFER")
    if offset < 0 or offset % 4:
        raise bad_value(f"indirect: {offset} is not a multiple of 4")
    if offset + 12 > buffer.size:
        raise bad_operation("indirect: the record is not in the buffer")
    dispatch_compute(gl, *struct.unpack("=3I", buffer.read(gl, offset, 12)))


@command("glMemoryBarrier", "glMemoryBarrierByRegion")
def memory_barrier(gl: Context, barriers: int) -> None:
    """Make earlier shader writes visible to all later commands."""
    gl.pipe.memory_barrier("ALL")


@command("glTextureBarrier")
def texture_barrier(gl: Context) -> None:
    """Make drawn pixels visible to later texture lookups."""
    gl.pipe.texture_barrier()


@command("glBindImageTexture")
def bind_image_texture(gl: Context, unit: int, texture: int, level: int, layered: int, layer: int, access: int, format: int) -> None:
    """Bind a level of a texture to an image unit."""
    if unit >= len(gl.image_units):
        raise bad_value(f"unit: {unit} is not below {len(gl.image_units)}")
    not_negative("level", level, layer)
    if access not in (GL.READ_ONLY, GL.WRITE_ONLY, GL.READ_WRITE):
        raise bad_enum("access", access)
    if find_format(format) is None:
        raise bad_value(f"format: {format:#06x} is not a format of images")
    if not texture:
        gl.image_units[unit] = None
    else:
        item = gl.share.textures.get(texture)
        if item is None:
            raise bad_value(f"texture: {texture} is not the name of a texture")
        gl.image_units[unit] = item, level, bool(layered), layer, access, format
    gl.dirty |= dirty.IMAGES


@command("glBindImageTextures")
def bind_image_textures(gl: Context, first: int, count: int, textures: Pointer) -> None:
    """Bind level 0 of textures to several image units; null empties them."""
    not_negative("count", count)
    if first + count > len(gl.image_units):
        raise bad_operation(f"first: {first} + {count} is above {len(gl.image_units)}")
    for k, name in enumerate(uints(textures, count)):
        if not name:
            gl.image_units[first + k] = None
            continue
        item = texture_named(gl, name)
        base = item.base_image()
        if base is None:
            raise bad_operation(f"textures: {name} has no level 0")
        gl.image_units[first + k] = item, 0, True, 0, GL.READ_WRITE, base.internal
    gl.dirty |= dirty.IMAGES
