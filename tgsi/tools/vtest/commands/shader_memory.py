"""Commands for buffers, images and counters that shaders write, and for compute grids."""

from __future__ import annotations

from typing import Any

from backends.gallium.context.shader_memory import ImageView, ShaderBuffer
from backends.pipe.enums import ImageAccess, ShaderType
from backends.pipe.limits import MAX_SHADER_BUFFERS
from tgsi.tools.vtest.commands.resources import plain_format_of
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.commands.table import Words, command
from tgsi.tools.vtest.protocol.errors import in_range
from tgsi.tools.vtest.protocol.numbers import STAGES


def _buffers(sub: SubContext, words: Words) -> list[ShaderBuffer | None]:
    buffers: list[ShaderBuffer | None] = []
    for at in range(0, len(words), 3):
        offset, size, handle = words[at : at + 3]
        if not handle:
            buffers.append(None)
            continue
        buffer = sub.resource(handle)
        buffers.append(ShaderBuffer(buffer, offset, min(size, max(0, buffer.size - offset))))
    return buffers


@command("SET_SHADER_BUFFERS", "shader_type start_slot", "offset length res_handle")
def _set_buffers(sub: SubContext, words: Words) -> None:
    stage = ShaderType(in_range(words[0], "shader_type", 0, len(STAGES) - 1))
    sub.gallium.set_shader_buffers(stage, _buffers(sub, words[2:]), start=in_range(words[1], "start_slot", 0, MAX_SHADER_BUFFERS))


@command("SET_ATOMIC_BUFFERS", "start_slot", "offset length res_handle")
def _set_atomics(sub: SubContext, words: Words) -> None:
    sub.gallium.set_hw_atomic_buffers(_buffers(sub, words[1:]), start=in_range(words[0], "start_slot", 0, MAX_SHADER_BUFFERS))


@command("SET_SHADER_IMAGES", "shader_type start_slot", "format access layer_offset level_size res_handle")
def _set_images(sub: SubContext, words: Words) -> None:
    stage = ShaderType(in_range(words[0], "shader_type", 0, len(STAGES) - 1))
    images: list[ImageView | None] = []
    for at in range(2, len(words), 5):
        number, access, first, second, handle = words[at : at + 5]
        if not handle:
            images.append(None)
            continue
        resource, format = sub.resource(handle), plain_format_of(number, "format")
        how = ImageAccess(access & 3)
        if resource.is_buffer:
            images.append(ImageView(resource, format=format, access=how, offset=first, size=second))
        else:
            layers: dict[str, Any] = {"first_layer": first & 0xFFFF, "last_layer": first >> 16}
            images.append(ImageView(resource, format=format, access=how, level=second & 255, **layers))
    sub.gallium.set_shader_images(stage, images, start=in_range(words[1], "start_slot", 0, MAX_SHADER_BUFFERS))


@command("LAUNCH_GRID", "block_x block_y block_z grid_x grid_y grid_z indirect_handle indirect_offset")
def _launch(sub: SubContext, words: Words) -> None:
    keywords: dict[str, Any] = {"block": tuple(words[0:3]), "grid": tuple(words[3:6])}
    if words[6]:
        keywords |= {"indirect": sub.resource(words[6], "indirect_handle"), "indirect_offset": words[7]}
    if sub.gallium.counting.allows_rendering():  # OpenGL's render condition applies to grids, Gallium's does not
        sub.gallium.launch_grid(**keywords)
