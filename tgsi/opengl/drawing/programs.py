"""Shaders of the current program, their constants, textures, buffers and images. (OpenGL 4.6 core, chapter 7)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tgsi.opengl.objects.linking import CREATE, PIPE_STAGES
from tgsi.opengl.objects.texture import Texture
from tgsi.opengl.pixels.internal_formats import find_format
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context, Range
    from tgsi.opengl.objects.linked import Linked

DRAWING = (
    GL.VERTEX_SHADER,
    GL.TESS_CONTROL_SHADER,
    GL.TESS_EVALUATION_SHADER,
    GL.GEOMETRY_SHADER,
    GL.FRAGMENT_SHADER,
)
SAMPLED = {
    "1D": GL.TEXTURE_1D, "2D": GL.TEXTURE_2D, "3D": GL.TEXTURE_3D, "Cube": GL.TEXTURE_CUBE_MAP, "1DArray": GL.TEXTURE_1D_ARRAY,
    "2DArray": GL.TEXTURE_2D_ARRAY, "CubeArray": GL.TEXTURE_CUBE_MAP_ARRAY, "2DRect": GL.TEXTURE_RECTANGLE, "Buffer": GL.TEXTURE_BUFFER,
    "2DMS": GL.TEXTURE_2D_MULTISAMPLE, "2DMSArray": GL.TEXTURE_2D_MULTISAMPLE_ARRAY,
}  # fmt: skip


def target_of(sampler: str) -> int:
    """The texture target that a sampler type reads: isampler2DArrayShadow reads TEXTURE_2D_ARRAY."""
    return SAMPLED[sampler[sampler.index("sampler") + 7 :].removesuffix("Shadow")]


def bind_shaders(gl: Context) -> None:
    """Bind the shaders of the current program, and unbind all other stages."""
    linked = gl.active_linked()
    for stage in DRAWING:
        shader = linked.shaders.get(stage) if linked is not None else None
        if gl.bound.get(stage, gl) is not shader:
            getattr(gl.pipe, f"bind_{CREATE[stage]}_state")(shader)
            gl.bound[stage] = shader
    if linked is not None:
        linked.note_stale(linked.constants)


def bind_constants(gl: Context, linked: Linked, changed: int = dirty.ALL) -> None:
    """Upload changed default uniforms, including built-in uniforms of changed state."""
    type(gl).put_state(gl, linked, changed)
    upload_constants(gl, linked)


def upload_constants(gl: Context, linked: Linked) -> None:
    """Upload changed default uniforms."""
    for stage in tuple(linked.stale):
        gl.pipe.set_constant_buffer(PIPE_STAGES[stage], bytes(linked.constants[stage]), index=0)
    linked.note_upload()


def bind_textures(gl: Context, linked: Linked, stages: tuple[int, ...] = DRAWING) -> None:
    """Views and samplers of every sampler of the program."""
    for stage in stages:
        units = linked.texture_units.get(stage)
        if not units:
            continue
        views: list[Any] = [None] * (max(units) + 1)
        samplers: list[Any] = [None] * len(views)
        for slot, (unit, kind) in units.items():
            if unit >= len(gl.units):
                continue
            target = target_of(kind)
            place = gl.units[unit]
            texture: Texture = place.textures.get(target) or gl.default_textures[target]
            sampler = place.sampler or texture.sampler
            views[slot] = texture.view(gl, sampler)
            samplers[slot] = sampler.state(gl, is_rectangle=target == GL.TEXTURE_RECTANGLE)
        gl.pipe.set_sampler_views(PIPE_STAGES[stage], views)
        gl.pipe.bind_sampler_states(PIPE_STAGES[stage], samplers)


def bind_uniform_buffers(gl: Context, linked: Linked) -> None:
    """Buffers of the program's uniform blocks."""
    for block in linked.blocks:
        place = gl.uniform_buffers[block.binding] if block.binding < len(gl.uniform_buffers) else None
        for stage, slot in block.slots:
            length = place.length() if place is not None else 0
            if place is None or place.buffer is None or place.buffer.resource is None or length < 4:
                gl.pipe.set_constant_buffer(PIPE_STAGES[stage], None, index=slot)
                continue
            size = min(length // 4 * 4, 65536)
            gl.pipe.set_constant_buffer(PIPE_STAGES[stage], place.buffer.resource, index=slot, offset=place.offset, size=size)


def bind_storage(gl: Context, linked: Linked) -> None:
    """Buffers of the program's shader storage blocks and atomic counters."""
    if linked.counter_bindings:
        top = max(linked.counter_bindings)
        gl.pipe.set_hw_atomic_buffers([shader_buffer(gl.atomic_buffers[k]) if k < len(gl.atomic_buffers) else None for k in range(top + 1)])
    slots: dict[int, dict[int, Any]] = {}
    for block in linked.storage:
        place = gl.storage_buffers[block.binding] if block.binding < len(gl.storage_buffers) else None
        for stage, slot in block.slots:
            slots.setdefault(stage, {})[slot] = shader_buffer(place)
    for stage, items in slots.items():
        gl.pipe.set_shader_buffers(PIPE_STAGES[stage], [items.get(slot) for slot in range(max(items) + 1)])


def shader_buffer(place: Range | None) -> Any:
    """A range as Gallium's shader buffer."""
    length = place.length() if place is not None else 0
    if place is None or place.buffer is None or place.buffer.resource is None or length < 4:
        return None
    return {"buffer": place.buffer.resource, "buffer_offset": place.offset, "buffer_size": length}


def bind_images(gl: Context, linked: Linked, stages: tuple[int, ...] = DRAWING) -> None:
    """Images of the program's image uniforms."""
    for stage in stages:
        units = linked.image_units.get(stage)
        if units:
            items = [image_view(gl, units.get(slot)) for slot in range(max(units) + 1)]
            gl.pipe.set_shader_images(PIPE_STAGES[stage], items)


def image_view(gl: Context, unit: int | None) -> Any:
    """An image unit as Gallium's image view; None for unbound units."""
    bound = gl.image_units[unit] if unit is not None and unit < len(gl.image_units) else None
    if bound is None:
        return None
    texture, level, layered, layer, access, internal = bound
    row = find_format(internal)
    names = {GL.READ_ONLY: "READ", GL.WRITE_ONLY: "WRITE", GL.READ_WRITE: "READ_WRITE"}
    if texture.target == GL.TEXTURE_BUFFER:
        if texture.buffer is None or texture.buffer.resource is None or row is None:
            return None
        offset, length = texture.buffer_range
        size = min(texture.buffer.size - offset, texture.buffer.size if length is None else length)
        if size <= 0:
            return None
        return {"resource": texture.buffer.resource, "format": row.format, "access": names[access], "offset": offset, "size": size}
    image = texture.images.get((0, level))
    if image is None or row is None:
        return None
    if image.resource is not texture.resource:
        texture.complete(gl, texture.sampler)
        image = texture.images[0, level]
    layers, begin = texture.layers or image.resource.levels[image.level].layers, texture.first_layer
    first, last = (begin, begin + layers - 1) if layered else (begin + layer, begin + layer)
    view = {"resource": image.resource, "format": row.format, "access": names[access], "level": image.level}
    return view | {"first_layer": first, "last_layer": last}
