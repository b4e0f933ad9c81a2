"""Rows of calls that bind resources and set states without objects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from backends.device.calls import shared as s
from backends.device.calls.arguments import Argument, integer, plain
from backends.device.calls.forms import (
    data,
    doubles,
    each,
    handle,
    handles,
    member,
    number,
    one_of,
    pair,
)
from backends.device.calls.row import TARGETS, Detail, Does, Fixed, Listed, OneWord, Row, Units
from backends.device.commands.bound_record import Word
from backends.device.commands.client import MAX_UNIFORMS
from backends.device.commands.client import Kind as Taker
from backends.device.commands.constant_memory import MAX_BYTES
from backends.device.commands.known_objects import Kind
from backends.device.commands.layout import AGAIN, Command
from backends.pipe import checks, enums, limits, state


def _constant_bytes(values: dict[str, Any]) -> dict[str, Any] | None:
    return values if not values["offset"] and values["size"] is None else None


def _constant_range(values: dict[str, Any]) -> dict[str, Any] | None:
    """The range of a buffer, in the bytes that the call binds."""
    buffer, offset, size = values["buffer"], values["offset"], values["size"]
    if not getattr(buffer, "is_buffer", False) or offset > buffer.size:
        return None
    return values | {"size": min(buffer.size - offset, MAX_BYTES) if size is None else size}


def _index_range(values: dict[str, Any]) -> dict[str, Any] | None:
    """A buffer whose draws give the size of indices."""
    return values if not values["index_size"] else None


def _framebuffer(values: dict[str, Any]) -> dict[str, Any] | None:
    """The fields of a FramebufferState, or the keywords."""
    state = values.pop("state")
    if state is not None:
        values = {name: getattr(state, name) for name in values}
    return values | {"cbufs": () if values["cbufs"] is None else values["cbufs"]}


def _color(values: dict[str, Any]) -> dict[str, Any]:
    color = values["color"]
    if type(color) not in (state.BlendColor, tuple, list):
        raise TypeError(color)
    return {"color": color.color if type(color) is state.BlendColor else color}


def _reference(values: dict[str, Any]) -> dict[str, Any]:
    ref = values["ref"]
    return {"ref": ref.ref_value if type(ref) is state.StencilRef else (ref, ref) if type(ref) is int else ref}


_WORD = integer("a 32-bit word")
_INDEX_SIZE = replace(integer("bytes per index: 1, 2 or 4; 0: each draw gives it", 0, 4, default=0), range="")
ROWS = [
    Row("set_border_words", Does.SET, s.EXTENSION, {"handle": s.OBJECT, "words": Argument("four 32-bit words")}),
    Row(
        *("bind_sampler_states", Does.SET, s.OBJECTS, {"stage": s.STAGE, "samplers": s.ITEMS}, {"start": s.start(limits.MAX_SAMPLERS)}),
        fixed=(
            Fixed(
                *(Command.SAMPLERS, (s.start_of(limits.MAX_SAMPLERS), handles("samplers", "handle", most=limits.MAX_SAMPLERS))),
                details=s.STAGE_DETAIL,
            ),
        ),
        effect=Units(Kind.SAMPLER, limits.MAX_SAMPLER_VIEWS, "samplers"),
    ),
    Row(
        *("set_sampler_views", Does.SET, s.VIEWS, {"stage": s.STAGE, "views": s.ITEMS}, {"start": s.start(limits.MAX_SAMPLER_VIEWS)}),
        fixed=(
            Fixed(
                *(Command.SAMPLER_VIEWS, (s.start_of(limits.MAX_SAMPLER_VIEWS), handles("views", "handle", most=limits.MAX_SAMPLER_VIEWS))),
                details=s.STAGE_DETAIL,
            ),
        ),
        effect=Units(Kind.SAMPLER_VIEW, 0, "views"),
    ),
    Row(
        *("set_constant_buffer", Does.SET, s.BINDINGS, {"stage": s.STAGE, "buffer": Argument("a buffer, bytes, an array, or None")}),
        {"index": integer("slot", 0, limits.MAX_CONSTANT_BUFFERS - 1, default=0), "offset": s.OFFSET, "size": s.SIZE},
        fixed=(
            Fixed(
                *(
                    Command.UNIFORMS,
                    (
                        member("stage", "shader_type", enums.ShaderType),
                        number("index", most=limits.MAX_CONSTANT_BUFFERS - 1),
                        number("offset"),
                        number("size", "length", most=MAX_UNIFORMS),
                        handle("buffer", "res_handle", is_buffer=True, is_needed=True),
                    ),
                ),
                taker=Taker.UNIFORMS,
                plain=_constant_range,
            ),
            Fixed(
                *(Command.CONSTANTS, (data("buffer", most=MAX_BYTES),)),
                details=(Detail("stage", enums.ShaderType, 0, 7), Detail("index", None, 3, limits.MAX_CONSTANT_BUFFERS - 1)),
                taker=Taker.SLOT_CONSTANTS,
                plain=_constant_bytes,
                rest=AGAIN,
            ),
        ),
        is_native=True,
    ),
    Row(
        *("set_vertex_buffers", Does.SET, s.BINDINGS, {"buffers": s.ITEMS}, {"start": s.start(limits.MAX_VERTEX_BUFFERS)}),
        fixed=(
            Fixed(
                Command.VERTEX_BUFFERS,
                (
                    s.start_of(limits.MAX_VERTEX_BUFFERS),
                    each(
                        "buffers",
                        state.VertexBuffer,
                        *(
                            number("stride", most=limits.MAX_VERTEX_STRIDE),
                            number("buffer_offset", "offset"),
                            handle("buffer", "res_handle", is_buffer=True),
                        ),
                        most=limits.MAX_VERTEX_BUFFERS,
                        is_mapping=True,
                    ),
                ),
                taker=Taker.VERTEX_SLOTS,
            ),
        ),
        is_native=True,
    ),
    Row(
        *("set_index_buffer", Does.SET, s.BINDINGS, {"index": Argument("a buffer, bytes, an array, or None")}),
        {"index_offset": s.OFFSET, "index_size": _INDEX_SIZE},
        fixed=(
            Fixed(
                Command.INDEX_BUFFER,
                (
                    handle("index", "res_handle", is_buffer=True),
                    one_of("index_size", 1, 2, 4),
                    number("index_offset", "offset"),
                ),
                taker=Taker.INDEX_BUFFER,
                plain=_index_range,
            ),
        ),
        is_native=True,
    ),
    Row("rebind_viewports", Does.SET, s.EXTENSION, {"bound": Argument("viewports that were set before")}),
    Row(
        "set_shader_buffers",
        Does.SET,
        s.HEADER,
        {"stage": s.STAGE, "buffers": s.ITEMS.by(())},
        {"start": s.start(limits.MAX_SHADER_BUFFERS)},
    ),
    Row(
        "set_shader_images", Does.SET, s.HEADER, {"stage": s.STAGE, "images": s.ITEMS.by(())}, {"start": s.start(limits.MAX_SHADER_IMAGES)}
    ),
    Row("set_hw_atomic_buffers", Does.SET, s.HEADER, {"buffers": s.ITEMS.by(())}, {"start": s.start(limits.MAX_SHADER_BUFFERS)}),
    Row("set_compute_resources", Does.SET, s.GRIDS, {"resources": s.ITEMS.by(())}, {"start": s.start(limits.MAX_SHADER_BUFFERS)}),
    Row(
        *("set_shader_resources", Does.SET, 'context.rst, "Shader Resources"', {"resources": s.ITEMS.by(())}),
        {"start": s.start(limits.MAX_SHADER_BUFFERS)},
    ),
    Row(
        *("set_framebuffer_state", Does.SET, s.BINDINGS, {"state": Argument("a FramebufferState, or keywords", default=None)}),
        {
            "cbufs": s.ITEMS.by(None),
            "zsbuf": Argument("a Surface, or None", default=None),
            **{name: integer("pixels", 0, limits.MAX_TEXTURE_SIZE, default=0) for name in ("width", "height")},
            **{name: integer(name, default=0) for name in ("layers", "samples")},
        },
        fixed=(
            Fixed(
                *(
                    Command.FRAMEBUFFER,
                    (
                        *(number(name) for name in ("width", "height", "layers", "samples")),
                        handle("zsbuf"),
                        handles("cbufs", "cbuf", most=limits.MAX_COLOR_BUFFERS),
                    ),
                ),
                plain=_framebuffer,
            ),
        ),
        effect=TARGETS,
        is_native=True,
    ),
    Row(
        *("set_viewport_states", Does.SET, s.PARAMETERS, {"states": Argument("ViewportStates")}, {"start": s.start(limits.MAX_VIEWPORTS)}),
        fixed=(
            Fixed(
                Command.VIEWPORTS,
                (
                    s.start_of(limits.MAX_VIEWPORTS),
                    each(
                        "states",
                        state.ViewportState,
                        *(
                            doubles("scale", "scale_x scale_y scale_z"),
                            doubles("translate", "translate_x translate_y translate_z"),
                        ),
                        most=limits.MAX_VIEWPORTS,
                    ),
                ),
            ),
        ),
        effect=Listed(Word.VIEWPORTS, Kind.VIEWPORT, "num_viewports"),
    ),
    Row(
        *("set_scissor_states", Does.SET, s.PARAMETERS, {"states": Argument("ScissorStates")}, {"start": s.start(limits.MAX_VIEWPORTS)}),
        fixed=(
            Fixed(
                Command.SCISSORS,
                (
                    s.start_of(limits.MAX_VIEWPORTS),
                    each(
                        "states",
                        state.ScissorState,
                        *map(number, ("minx", "miny", "maxx", "maxy")),
                        most=limits.MAX_VIEWPORTS,
                    ),
                ),
            ),
        ),
        effect=Listed(Word.SCISSORS, Kind.SCISSOR, "num_scissors"),
    ),
    Row(
        *("set_window_rectangles", Does.SET, s.HEADER),
        {"include": plain("True: draw only inside", checks.truth, default=False), "rectangles": Argument("ScissorStates", default=())},
        effect=OneWord(Word.WINDOW_RECTANGLES),
    ),
    Row(
        *("set_blend_color", Does.SET, s.PARAMETERS, {"color": Argument("a BlendColor, or four numbers")}),
        fixed=(Fixed(Command.BLEND_COLOR, (doubles("color", s.COLORS),), plain=_color),),
        effect=OneWord(Word.BLEND_COLOR, Kind.COLOR),
    ),
    Row(
        *("set_stencil_ref", Does.SET, s.PARAMETERS, {"ref": Argument("a StencilRef, two numbers, or one for both")}),
        fixed=(Fixed(Command.STENCIL_REF, (pair("ref", "front", "back"),), plain=_reference),),
        effect=OneWord(Word.STENCIL_REF, Kind.REFERENCE),
    ),
    Row("set_sample_mask", Does.SET, s.PARAMETERS, {"mask": _WORD}, effect=OneWord(Word.SAMPLE_MASK)),
    Row("set_min_samples", Does.SET, s.PARAMETERS, {"samples": integer("least runs per pixel", 0, 32)}, effect=OneWord(Word.MIN_SAMPLES)),
    Row("set_clip_state", Does.SET, s.PARAMETERS, {"state": Argument("a ClipState, or planes")}, effect=OneWord(Word.CLIP_PLANES)),
    Row(
        "set_polygon_stipple",
        Does.SET,
        s.PARAMETERS,
        {"state": Argument("a PolyStipple, or 32 words")},
        effect=OneWord(Word.POLYGON_STIPPLE),
    ),
    Row(
        *("set_tess_state", Does.SET, s.HEADER),
        {"default_outer_level": Argument("four levels"), "default_inner_level": Argument("two levels", default=(1.0, 1.0))},
    ),
    Row("set_patch_vertices", Does.SET, s.HEADER, {"patch_vertices": integer("vertices", 1, limits.MAX_PATCH_VERTICES)}),
    Row(
        *(
            "set_stream_output_targets",
            Does.SET,
            s.STREAMS,
            {"targets": s.ITEMS.by(())},
            {"offsets": Argument("first bytes to write; -1 appends", default=())},
        ),
        why="the targets themselves keep the amount written",
        is_native=True,
    ),
]
