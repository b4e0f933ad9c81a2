"""The table of states that glGet returns: a kind and a function for each. (OpenGL 4.6 compatibility, chapter 23)

Kinds are i for integers, enumerants and booleans, f for floats, n for normalized floats, which are scaled to the integer range.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.gets.limits import LIMITS
from tgsi.opengl.pixels.component_bits import bits_of
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.extensions import extensions

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

Row = tuple[str, Callable[["Context"], Any]]


def _bits(index: int) -> Callable[[Context], int]:
    def find(gl: Context) -> int:
        framebuffer = gl.draw_framebuffer
        if index < 4:
            item = framebuffer.color(framebuffer.draw_buffers[0])
        else:
            item = framebuffer.attachments.get(GL.DEPTH_ATTACHMENT if index == 4 else GL.STENCIL_ATTACHMENT)
        place = item.place() if item is not None else None
        return bits_of(place[1] if place is not None else None)[index]

    return find


def _buffer(name: str) -> Callable[[Context], int]:
    def find(gl: Context) -> int:
        item = gl.buffers.get(name)
        return item.name if item is not None else 0

    return find


def _texture(target: int) -> Callable[[Context], int]:
    return lambda gl: gl.texture_at(target).name


def _stencil(face: str, field: str) -> Callable[[Context], int]:
    return lambda gl: int(getattr(getattr(gl.fragment, face), field))


def _read_format(gl: Context, what: int) -> int:
    framebuffer = gl.read_framebuffer
    item = framebuffer.color(framebuffer.read_buffer)
    place = item.place() if item is not None else None
    name = place[1].format if place is not None else "R8G8B8A8_UNORM"
    integer = name.endswith(("INT",))
    if what == GL.IMPLEMENTATION_COLOR_READ_FORMAT:
        return GL.RGBA_INTEGER if integer else GL.RGBA
    return GL.FLOAT if "FLOAT" in name else (GL.INT if "SINT" in name else GL.UNSIGNED_INT) if integer else GL.UNSIGNED_BYTE


VALUES: dict[int, Row] = {
    GL.MAJOR_VERSION: ("i", lambda gl: gl.version[0]),
    GL.MINOR_VERSION: ("i", lambda gl: gl.version[1]),
    GL.NUM_EXTENSIONS: ("i", lambda gl: len(extensions())),
    GL.CONTEXT_FLAGS: ("i", lambda gl: GL.CONTEXT_FLAG_DEBUG_BIT if gl.is_debug else 0),
    GL.CONTEXT_PROFILE_MASK: (
        "i",
        lambda gl: GL.CONTEXT_CORE_PROFILE_BIT if gl.profile == "core" else GL.CONTEXT_COMPATIBILITY_PROFILE_BIT,
    ),
    GL.RESET_NOTIFICATION_STRATEGY: ("i", lambda gl: GL.NO_RESET_NOTIFICATION),
    GL.NUM_SHADING_LANGUAGE_VERSIONS: ("i", lambda gl: 0),
    GL.VIEWPORT: ("f", lambda gl: gl.raster.viewports[0]),
    GL.DEPTH_RANGE: ("n", lambda gl: gl.raster.depth_ranges[0]),
    GL.SCISSOR_BOX: ("i", lambda gl: gl.raster.scissors[0]),
    GL.CULL_FACE_MODE: ("i", lambda gl: gl.raster.cull_face),
    GL.FRONT_FACE: ("i", lambda gl: gl.raster.front_face),
    GL.POLYGON_MODE: ("i", lambda gl: (gl.raster.polygon_front, gl.raster.polygon_back)),
    GL.POLYGON_OFFSET_FACTOR: ("f", lambda gl: gl.raster.offset_factor),
    GL.POLYGON_OFFSET_UNITS: ("f", lambda gl: gl.raster.offset_units),
    GL.LINE_WIDTH: ("f", lambda gl: gl.raster.line_width),
    GL.POINT_SIZE: ("f", lambda gl: gl.raster.point_size),
    GL.PROVOKING_VERTEX: ("i", lambda gl: gl.raster.provoking),
    GL.CLIP_ORIGIN: ("i", lambda gl: gl.raster.clip_origin),
    GL.CLIP_DEPTH_MODE: ("i", lambda gl: gl.raster.clip_depth),
    GL.PATCH_VERTICES: ("i", lambda gl: gl.raster.patch_vertices),
    GL.PATCH_DEFAULT_OUTER_LEVEL: ("f", lambda gl: gl.raster.patch_outer),
    GL.PATCH_DEFAULT_INNER_LEVEL: ("f", lambda gl: gl.raster.patch_inner),
    GL.SHADE_MODEL: ("i", lambda gl: gl.raster.shade_model),
    GL.LINE_STIPPLE_PATTERN: ("i", lambda gl: gl.raster.line_pattern),
    GL.LINE_STIPPLE_REPEAT: ("i", lambda gl: gl.raster.line_factor),
    GL.COLOR_CLEAR_VALUE: ("n", lambda gl: gl.clear_values.color),
    GL.DEPTH_CLEAR_VALUE: ("n", lambda gl: gl.clear_values.depth),
    GL.STENCIL_CLEAR_VALUE: ("i", lambda gl: gl.clear_values.stencil),
    GL.COLOR_WRITEMASK: ("i", lambda gl: tuple(gl.fragment.targets[0].mask >> k & 1 for k in range(4))),
    GL.DEPTH_WRITEMASK: ("i", lambda gl: gl.fragment.depth_mask),
    GL.DEPTH_FUNC: ("i", lambda gl: gl.fragment.depth_func),
    GL.ALPHA_TEST_FUNC: ("i", lambda gl: gl.fragment.alpha_func),
    GL.ALPHA_TEST_REF: ("n", lambda gl: gl.fragment.alpha_ref),
    GL.LOGIC_OP_MODE: ("i", lambda gl: gl.fragment.logic_op),
    GL.BLEND_COLOR: ("n", lambda gl: gl.fragment.blend_color),
    GL.BLEND_SRC_RGB: ("i", lambda gl: gl.fragment.targets[0].source_rgb),
    GL.BLEND_DST_RGB: ("i", lambda gl: gl.fragment.targets[0].target_rgb),
    GL.BLEND_SRC_ALPHA: ("i", lambda gl: gl.fragment.targets[0].source_alpha),
    GL.BLEND_DST_ALPHA: ("i", lambda gl: gl.fragment.targets[0].target_alpha),
    GL.BLEND_SRC: ("i", lambda gl: gl.fragment.targets[0].source_rgb),
    GL.BLEND_DST: ("i", lambda gl: gl.fragment.targets[0].target_rgb),
    GL.BLEND_EQUATION_RGB: ("i", lambda gl: gl.fragment.targets[0].equation_rgb),
    GL.BLEND_EQUATION_ALPHA: ("i", lambda gl: gl.fragment.targets[0].equation_alpha),
    GL.SAMPLE_COVERAGE_VALUE: ("f", lambda gl: gl.fragment.coverage),
    GL.SAMPLE_COVERAGE_INVERT: ("i", lambda gl: gl.fragment.coverage_invert),
    GL.SAMPLE_MASK_VALUE: ("i", lambda gl: gl.fragment.sample_mask),
    GL.MIN_SAMPLE_SHADING_VALUE: ("f", lambda gl: gl.fragment.min_sample_shading),
    GL.CLAMP_READ_COLOR: ("i", lambda gl: gl.fragment.clamp_read),
    GL.SAMPLE_BUFFERS: ("i", lambda gl: int(gl.draw_framebuffer.samples() > 1)),
    GL.SAMPLES: ("i", lambda gl: gl.draw_framebuffer.samples()),
    GL.DOUBLEBUFFER: ("i", lambda gl: 0),
    GL.STEREO: ("i", lambda gl: 0),
    GL.AUX_BUFFERS: ("i", lambda gl: 0),
    GL.RED_BITS: ("i", _bits(0)),
    GL.GREEN_BITS: ("i", _bits(1)),
    GL.BLUE_BITS: ("i", _bits(2)),
    GL.ALPHA_BITS: ("i", _bits(3)),
    GL.DEPTH_BITS: ("i", _bits(4)),
    GL.STENCIL_BITS: ("i", _bits(5)),
    GL.ACTIVE_TEXTURE: ("i", lambda gl: GL.TEXTURE0 + gl.active_unit),
    GL.SAMPLER_BINDING: ("i", lambda gl: getattr(gl.units[gl.active_unit].sampler, "name", 0)),
    GL.CURRENT_PROGRAM: ("i", lambda gl: gl.program.name if gl.program is not None else 0),
    GL.VERTEX_ARRAY_BINDING: ("i", lambda gl: gl.vertex_array.name),
    GL.ELEMENT_ARRAY_BUFFER_BINDING: ("i", lambda gl: gl.vertex_array.index.name if gl.vertex_array.index is not None else 0),
    GL.DRAW_FRAMEBUFFER_BINDING: ("i", lambda gl: gl.draw_framebuffer.name),
    GL.READ_FRAMEBUFFER_BINDING: ("i", lambda gl: gl.read_framebuffer.name),
    GL.RENDERBUFFER_BINDING: ("i", lambda gl: gl.renderbuffer.name if gl.renderbuffer is not None else 0),
    GL.TRANSFORM_FEEDBACK_BINDING: ("i", lambda gl: gl.capture.name),
    GL.TRANSFORM_FEEDBACK_ACTIVE: ("i", lambda gl: gl.capture.is_active),
    GL.TRANSFORM_FEEDBACK_PAUSED: ("i", lambda gl: gl.capture.is_paused),
    GL.PRIMITIVE_RESTART_INDEX: ("i", lambda gl: gl.restart_index),
    GL.READ_BUFFER: ("i", lambda gl: gl.read_framebuffer.read_buffer),
    GL.DRAW_BUFFER: ("i", lambda gl: gl.draw_framebuffer.draw_buffers[0]),
    GL.IMPLEMENTATION_COLOR_READ_FORMAT: ("i", lambda gl: _read_format(gl, GL.IMPLEMENTATION_COLOR_READ_FORMAT)),
    GL.IMPLEMENTATION_COLOR_READ_TYPE: ("i", lambda gl: _read_format(gl, GL.IMPLEMENTATION_COLOR_READ_TYPE)),
    GL.TIMESTAMP: ("i", lambda gl: gl.pipe.get_timestamp()),
    GL.DEBUG_GROUP_STACK_DEPTH: ("i", lambda gl: len(gl.debug_groups) + 1),
    GL.DEBUG_LOGGED_MESSAGES: ("i", lambda gl: len(gl.debug_log)),
    GL.DEBUG_NEXT_LOGGED_MESSAGE_LENGTH: ("i", lambda gl: len(gl.debug_log[0][4].encode()) + 1 if gl.debug_log else 0),
    GL.POINT_SPRITE_COORD_ORIGIN: ("i", lambda gl: gl.raster.sprite_origin),
    GL.POINT_FADE_THRESHOLD_SIZE: ("f", lambda gl: gl.hints.get(GL.POINT_FADE_THRESHOLD_SIZE, 1)),
}


def _draw_buffer(index: int) -> Callable[[Context], int]:
    return lambda gl: gl.draw_framebuffer.draw_buffers[index]


def _hint(name: int) -> Callable[[Context], int]:
    return lambda gl: int(gl.hints.get(name, GL.DONT_CARE))


def _store(way: str, field: str) -> Callable[[Context], int]:
    return lambda gl: int(getattr(getattr(gl, way), field))


def _constant(value: Any) -> Callable[[Context], Any]:
    return lambda gl: value


VALUES |= {GL.DRAW_BUFFER0 + k: ("i", _draw_buffer(k)) for k in range(8)}
VALUES |= {name: ("i", _hint(name)) for name in (
    GL.LINE_SMOOTH_HINT, GL.POLYGON_SMOOTH_HINT, GL.TEXTURE_COMPRESSION_HINT, GL.FRAGMENT_SHADER_DERIVATIVE_HINT, GL.FOG_HINT,
    GL.PERSPECTIVE_CORRECTION_HINT, GL.POINT_SMOOTH_HINT, GL.GENERATE_MIPMAP_HINT,
)}  # fmt: skip
for _prefix, _face in (("STENCIL", "front"), ("STENCIL_BACK", "back")):
    for _word, _field in (
        ("FUNC", "func"), ("REF", "ref"), ("VALUE_MASK", "value_mask"), ("WRITEMASK", "write_mask"), ("FAIL", "fail"),
        ("PASS_DEPTH_FAIL", "depth_fail"), ("PASS_DEPTH_PASS", "depth_pass"),
    ):  # fmt: skip
        VALUES[getattr(GL, f"{_prefix}_{_word}")] = ("i", _stencil(_face, _field))
for _name in (
    "ARRAY_BUFFER", "COPY_READ_BUFFER", "COPY_WRITE_BUFFER", "DRAW_INDIRECT_BUFFER", "DISPATCH_INDIRECT_BUFFER", "PIXEL_PACK_BUFFER",
    "PIXEL_UNPACK_BUFFER", "TRANSFORM_FEEDBACK_BUFFER", "UNIFORM_BUFFER", "SHADER_STORAGE_BUFFER", "ATOMIC_COUNTER_BUFFER", "QUERY_BUFFER",
):  # fmt: skip
    VALUES[getattr(GL, f"{_name}_BINDING")] = ("i", _buffer(_name))
for _name in (
    "1D", "2D", "3D", "1D_ARRAY", "2D_ARRAY", "CUBE_MAP", "CUBE_MAP_ARRAY", "RECTANGLE", "BUFFER", "2D_MULTISAMPLE", "2D_MULTISAMPLE_ARRAY",
):  # fmt: skip
    VALUES[getattr(GL, f"TEXTURE_BINDING_{_name}")] = ("i", _texture(getattr(GL, f"TEXTURE_{_name}")))
for _prefix, _way in (("UNPACK", "unpack"), ("PACK", "pack")):
    for _field in ("alignment", "row_length", "image_height", "skip_rows", "skip_pixels", "skip_images", "swap_bytes", "lsb_first"):
        VALUES[getattr(GL, f"{_prefix}_{_field.upper()}")] = ("i", _store(_way, _field))
for _limit, _value in LIMITS.items():
    _is_float = any(isinstance(number, float) for number in (_value if isinstance(_value, tuple) else (_value,)))
    VALUES[_limit] = "f" if _is_float else "i", _constant(_value)


def indexed_value(gl: Context, name: int, index: int) -> tuple[str, tuple[Any, ...]]:
    """The values of an indexed state with their kind."""
    ranges = {
        GL.UNIFORM_BUFFER_BINDING: (gl.uniform_buffers, "name"),
        GL.UNIFORM_BUFFER_START: (gl.uniform_buffers, "offset"),
        GL.UNIFORM_BUFFER_SIZE: (gl.uniform_buffers, "size"),
        GL.SHADER_STORAGE_BUFFER_BINDING: (gl.storage_buffers, "name"),
        GL.SHADER_STORAGE_BUFFER_START: (gl.storage_buffers, "offset"),
        GL.SHADER_STORAGE_BUFFER_SIZE: (gl.storage_buffers, "size"),
    }
    if name in ranges:
        items, field = ranges[name]
        if index >= len(items):
            raise bad_value(f"index: {index} is not below {len(items)}")
        item = items[index]
        if field == "name":
            return "i", (item.buffer.name if item.buffer is not None else 0,)
        return "i", ((item.offset if field == "offset" else item.size or 0),)
    if name in (GL.TRANSFORM_FEEDBACK_BUFFER_BINDING, GL.TRANSFORM_FEEDBACK_BUFFER_START, GL.TRANSFORM_FEEDBACK_BUFFER_SIZE):
        if index >= 4:
            raise bad_value(f"index: {index} is not below 4")
        buffer, offset, size = gl.capture.buffers[index]
        order = (GL.TRANSFORM_FEEDBACK_BUFFER_BINDING, GL.TRANSFORM_FEEDBACK_BUFFER_START, GL.TRANSFORM_FEEDBACK_BUFFER_SIZE)
        return "i", ((buffer.name if buffer is not None else 0, offset, size or 0)[order.index(name)],)
    lists: dict[int, tuple[str, list[Any]]] = {
        GL.VIEWPORT: ("f", gl.raster.viewports),
        GL.SCISSOR_BOX: ("i", gl.raster.scissors),
        GL.DEPTH_RANGE: ("n", gl.raster.depth_ranges),
        GL.COLOR_WRITEMASK: ("i", [tuple(item.mask >> k & 1 for k in range(4)) for item in gl.fragment.targets]),
        GL.SAMPLE_MASK_VALUE: ("i", [(gl.fragment.sample_mask,)]),
        GL.MAX_COMPUTE_WORK_GROUP_COUNT: ("i", [(65535,)] * 3),
        GL.MAX_COMPUTE_WORK_GROUP_SIZE: ("i", [(1024,), (1024,), (64,)]),
        GL.VERTEX_BINDING_BUFFER: ("i", [(item.buffer.name if item.buffer is not None else 0,) for item in gl.vertex_array.bindings]),
        GL.VERTEX_BINDING_OFFSET: ("i", [(item.offset,) for item in gl.vertex_array.bindings]),
        GL.VERTEX_BINDING_STRIDE: ("i", [(item.stride,) for item in gl.vertex_array.bindings]),
        GL.VERTEX_BINDING_DIVISOR: ("i", [(item.divisor,) for item in gl.vertex_array.bindings]),
        GL.BLEND_SRC_RGB: ("i", [(item.source_rgb,) for item in gl.fragment.targets]),
        GL.BLEND_DST_RGB: ("i", [(item.target_rgb,) for item in gl.fragment.targets]),
        GL.BLEND_SRC_ALPHA: ("i", [(item.source_alpha,) for item in gl.fragment.targets]),
        GL.BLEND_DST_ALPHA: ("i", [(item.target_alpha,) for item in gl.fragment.targets]),
        GL.BLEND_EQUATION_RGB: ("i", [(item.equation_rgb,) for item in gl.fragment.targets]),
        GL.BLEND_EQUATION_ALPHA: ("i", [(item.equation_alpha,) for item in gl.fragment.targets]),
        GL.BLEND: ("i", [(item.enabled,) for item in gl.fragment.targets]),
        GL.SCISSOR_TEST: ("i", [(item,) for item in gl.raster.scissor_enabled]),
    }
    if name not in lists:
        raise bad_enum("target", name)
    kind, values = lists[name]
    if index >= len(values):
        raise bad_value(f"index: {index} is not below {len(values)}")
    return kind, tuple(values[index])
