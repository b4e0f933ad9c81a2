"""Rows of calls that draw, clear, copy, query and wait."""

from __future__ import annotations

from typing import Any

from backends.device.calls import shared as s
from backends.device.calls.arguments import REQUIRED, Argument, enumerated, flags, integer, plain, template
from backends.device.calls.forms import (
    counted,
    double,
    doubles,
    handle,
    member,
    number,
    signed,
    truth,
)
from backends.device.calls.row import Detail, Does, Fixed, OneWord, Row, Waits
from backends.device.commands.bound_record import Word
from backends.device.commands.client import Kind as Taker
from backends.device.commands.layout import MOST_COUNT, Command
from backends.pipe import checks, enums, limits, state


def _draw(values: dict[str, Any]) -> dict[str, Any] | None:
    """Draws of the bound index buffer, whose fields were checked."""
    return values if not values["vertices_per_patch"] and not values["indexed"] else None


def _clear(values: dict[str, Any]) -> dict[str, Any] | None:
    return values if isinstance(values["buffers"], int) and type(values["stencil"]) is int else None


def _plain_write(values: dict[str, Any]) -> dict[str, Any] | None:
    return values if values["usage"] == 0 and type(values["usage"]) is int else None


_DRAW_WORDS = (
    *(number(name) for name in ("mode", "count", "start", "index_size", "instance_count", "start_instance")),
    *(signed("index_bias"), truth("primitive_restart"), number("restart_index"), number("drawid", "draw_id")),
)
_INDIRECT = {
    "indirect": Argument("a buffer of records", default=None),
    "indirect_offset": s.OFFSET,
    "indirect_stride": integer("bytes between records; 0: tight", default=0),
    "draw_count": integer("draws", 0, limits.MAX_DRAWS, default=1),
    "indirect_draw_count": Argument("a buffer", default=None),
    "indirect_draw_count_offset": s.OFFSET,
    "count_from_stream_output": Argument("a StreamOutputTarget", default=None),
}
_X = integer("texel, or byte of a buffer", default=0)
_Y, _Z = integer("texel", default=0), integer("slice or layer", default=0)
_GRID = {"info": template("a GridInfo, or its fields")}
ROWS = [
    Row(
        *("clear", Does.SET, s.CLEARING, {"buffers": flags("buffers", enums.Clear, default=enums.Clear.COLOR | enums.Clear.DEPTHSTENCIL)}),
        {"color": s.COLOR, "depth": s.DEPTH, "stencil": s.STENCIL},
        fixed=(
            Fixed(
                Command.CLEAR,
                (number("buffers"), number("stencil"), doubles("color", s.COLORS), double("depth")),
                taker=Taker.CLEAR_CALL,
                plain=_clear,
            ),
        ),
        is_native=True,
    ),
    Row("clear_render_target", Does.SET, s.CLEARING, {"target": Argument("a Surface")}, {"color": s.COLOR, **s.PLACES}),
    Row(
        *("clear_depth_stencil", Does.SET, s.CLEARING, {"target": Argument("a Surface")}),
        {"buffers": flags("buffers", enums.Clear, default=enums.Clear.DEPTHSTENCIL), "depth": s.DEPTH, "stencil": s.STENCIL, **s.PLACES},
    ),
    Row("clear_texture", Does.SET, s.HEADER, {"resource": s.TEXTURE, "data": s.MEMORY}, {"level": s.LEVEL, "box": s.BOX}, why=s.TRANSFER),
    Row(
        "clear_buffer",
        Does.SET,
        s.CLEARING,
        {"resource": s.BUFFER, "value": s.MEMORY},
        {"offset": s.OFFSET, "size": s.SIZE},
        waits=Waits.USES,
    ),
    Row(
        *("draw_vbo", Does.SET, 'context.rst, "Drawing"', {"info": template("a template, or its fields", state.DrawInfo)}),
        {"index": Argument("a buffer or array of indices for this draw", default=None), "index_offset": s.OFFSET, **_INDIRECT},
        fixed=(Fixed(Command.DRAW, _DRAW_WORDS, taker=Taker.CALL, plain=_draw),),
        is_native=True,
    ),
    Row("draw_mesh_tasks", Does.SET, s.HEADER, _GRID, why="checked against the bound programs"),
    Row("draw_many", Does.SET, s.EXTENSION, {"records": template("a structured array", state.DrawInfo).by(REQUIRED)}),
    Row(
        "begin_query",
        Does.SET,
        s.QUERIES,
        {"query": s.QUERY},
        fixed=(Fixed(Command.QUERY, s.NEEDED_HANDLE, number=0, taker=Taker.QUERY),),
        why=s.QUERY_REASON,
        is_native=True,
    ),
    Row(
        "end_query",
        Does.SET,
        s.QUERIES,
        {"query": s.QUERY},
        fixed=(Fixed(Command.QUERY, s.NEEDED_HANDLE, number=1, taker=Taker.QUERY),),
        why=s.QUERY_REASON,
        is_native=True,
    ),
    Row(
        *("get_query_result_resource", Does.SET, s.HEADER, {"query": s.QUERY, "resource": s.BUFFER}),
        {
            "wait": s.WAIT,
            "result_type": Argument("type to write: I32, U32, I64 or U64", default="U32"),
            "index": Argument("number in the result; -1: whether it is there", default=0),
            "offset": s.OFFSET,
        },
        has_result=True,
        waits=Waits.QUERY,
        why=s.QUERY_REASON,
    ),
    Row("set_active_query_state", Does.SET, s.HEADER, {"enable": plain("False: pause queries", checks.truth)}, why=s.QUERY_REASON),
    Row(
        *("render_condition", Does.SET, 'context.rst, "Conditional Rendering"', {"query": s.QUERY}),
        {
            "condition": plain("the result that skips draws", checks.truth, default=False),
            "mode": enumerated("whether draws wait for the result", enums.RenderCond, default=enums.RenderCond.WAIT),
        },
        fixed=(
            Fixed(
                Command.CONDITION,
                (handle("query", "handle"),),
                details=(Detail("condition", bool, 7, 1), Detail("mode", enums.RenderCond, 0, 0x7F)),
            ),
        ),
        effect=OneWord(Word.CONDITION),
    ),
    *(
        Row(
            *(name, Does.SET, s.TRANSFERS, {"flags": flags("barriers", kind, default=default)}),
            fixed=(Fixed(Command.BARRIER, (member("flags", "flags", kind, is_set=True),), number=number, taker=Taker.BARRIER),),
            waits=Waits.ALL,
        )
        for number, (name, kind, default) in enumerate(
            (
                ("texture_barrier", enums.TextureBarrier, enums.TextureBarrier.SAMPLER),
                ("memory_barrier", enums.Barrier, enums.Barrier.ALL),
            )
        )
    ),
    Row("flush_resource", Does.SET, s.FLUSHING, {"resource": s.RESOURCE}, waits=Waits.USES),
    Row("invalidate_resource", Does.SET, s.HEADER, {"resource": s.RESOURCE}),
    Row(
        *("resource_copy_region", Does.SET, s.BLITTING, {"dst": s.RESOURCE, "src": s.RESOURCE}),
        {"dst_level": s.LEVEL, "dstx": _X, "dsty": _Y, "dstz": _Z, "src_level": s.LEVEL, "src_box": s.BOX},
        waits=Waits.USES,
        why=s.TRANSFER,
    ),
    Row(
        *("blit", Does.SET, s.BLITTING, {"dst": s.RESOURCE}),
        {
            "src": s.RESOURCE,
            "dst_level": s.LEVEL,
            "dst_box": s.BOX,
            "dst_format": s.FORMAT,
            "src_level": s.LEVEL,
            "src_box": s.BOX,
            "src_format": s.FORMAT,
            "mask": Argument("channels, all if None", default=None),
            "filter": enumerated("filter", enums.TexFilter, default=enums.TexFilter.NEAREST),
            "scissor": Argument("a ScissorState", default=None),
            "window_rectangles": Argument("ScissorStates", default=()),
            "window_rectangle_include": plain("True: draw only inside", checks.truth, default=False),
            "render_condition_enable": s.CONDITIONAL.by(False),
            "alpha_blend": plain("True: blend with the source's alpha", checks.truth, default=False),
        },
        waits=Waits.USES,
        why=s.TRANSFER,
    ),
    Row(
        *("generate_mipmap", Does.SET, s.HEADER, {"resource": s.TEXTURE}),
        {"format": s.FORMAT, "base_level": s.LEVEL, "last_level": s.LAST_LEVEL, "first_layer": s.LAYER, "last_layer": s.LAST_LAYER},
        waits=Waits.USES,
        why=s.TRANSFER,
    ),
    Row(
        *("buffer_subdata", Does.SET, s.HEADER, {"resource": s.BUFFER, "data": s.MEMORY}, {"offset": s.OFFSET, "usage": s.USAGE}),
        fixed=(
            Fixed(
                Command.SUBDATA,
                (
                    handle("resource", "handle", is_buffer=True, is_needed=True),
                    number("offset"),
                    counted("data", most=4 * MOST_COUNT),
                ),
                taker=Taker.SUBDATA,
                plain=_plain_write,
            ),
        ),
        is_native=True,
    ),
    Row(
        *("texture_subdata", Does.SET, s.HEADER, {"resource": s.TEXTURE, "data": s.MEMORY}),
        {"level": s.LEVEL, "box": s.BOX, "stride": s.STRIDE, "layer_stride": s.STRIDE, "usage": s.USAGE},
        waits=Waits.USES,
        why=s.TRANSFER,
    ),
    Row(
        *("transfer_inline_write", Does.SET, s.TRANSFERS, {"resource": s.RESOURCE, "data": s.MEMORY}),
        {"level": s.LEVEL, "usage": s.USAGE, "box": s.BOX, "stride": s.STRIDE, "layer_stride": s.STRIDE},
        waits=Waits.USES,
        why=s.TRANSFER,
    ),
    Row("launch_grid", Does.SET, s.GRIDS, _GRID, why="checked against the bound program"),
    Row("delete_texture_handle", Does.SET, s.HEADER, {"handle": s.HANDLE}),
    Row("make_texture_handle_resident", Does.SET, s.HEADER, {"handle": s.HANDLE}, {"resident": s.RESIDENT}),
    Row("delete_image_handle", Does.SET, s.HEADER, {"handle": s.HANDLE}),
    Row(
        *("make_image_handle_resident", Does.SET, s.HEADER, {"handle": s.HANDLE}),
        {"access": flags("a hint", enums.ImageAccess, default=enums.ImageAccess.READ_WRITE), "resident": s.RESIDENT},
    ),
    Row("emit_string_marker", Does.SET, s.HEADER, {"text": Argument("a text")}),
    Row("create_texture_handle", Does.NUMBER, s.HEADER, {"view": Argument("a SamplerView"), "sampler": s.OBJECT.by(None)}),
    Row("create_image_handle", Does.NUMBER, s.HEADER, {"image": Argument("an ImageView")}),
    Row("set_global_binding", Does.NUMBER, s.GRIDS, {"resources": s.ITEMS.by(())}, {"first": integer("first slot", default=0)}),
    Row(
        "buffer_read",
        Does.READ,
        s.EXTENSION,
        {"resource": s.BUFFER, "into": s.MEMORY},
        {"offset": s.OFFSET},
        waits=Waits.WRITES,
        why=s.TRANSFER,
    ),
    Row(
        *("texture_read", Does.READ, s.EXTENSION, {"resource": s.TEXTURE, "into": s.MEMORY}),
        {"level": s.LEVEL, "box": s.BOX, "stride": s.STRIDE, "layer_stride": s.STRIDE},
        waits=Waits.WRITES,
        why=s.TRANSFER,
        is_native=True,
    ),
    Row(
        "get_query_result",
        Does.NUMBER,
        s.QUERIES,
        {"query": s.QUERY},
        {"wait": s.WAIT},
        waits=Waits.QUERY,
        why=s.QUERY_REASON,
        is_native=True,
    ),
    Row("flush", Does.FLUSH, s.FLUSHING, {"flags": flags("flags", enums.FlushFlags, default=enums.FlushFlags.NONE)}, waits=Waits.ALL),
    Row(
        *("transfer_map", Does.MAP, s.TRANSFERS, {"resource": s.RESOURCE}, {"level": s.LEVEL, "usage": s.USAGE.by(None), "box": s.BOX}),
        waits=Waits.USES,
        why=s.TRANSFER,
    ),
    *(Row(name, Does.OWN, "recordings", {}) for name in ("resource_create", "write_content", "write_mapped", "check_content")),
    Row(
        *("set_sample_locations", Does.SET, s.HEADER, {"locations": Argument("bytes, or None", default=None)}),
        effect=OneWord(Word.SAMPLE_LOCATIONS),
    ),
]
