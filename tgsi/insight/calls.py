"""Recorded calls that can write a pixel: their kind, their text, and whether they reach a given pixel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from enum import Enum, IntFlag
from typing import Any

import numpy as np

from backends.device.calls.row import Row
from backends.formats import CompressedFormat, Format
from backends.gallium.context.handles import StateObject
from backends.gallium.context.recording.decoder import Call
from backends.gallium.resource.resource import Box, Resource
from backends.gallium.resource.view import Surface
from backends.pipe.checks import flags
from backends.pipe.enums import Clear, Prim
from backends.pipe.flags import names_of
from backends.pipe.state import DrawInfo
from tgsi.insight.place import Place, attachments

KINDS = {
    "clear": "clear",
    "clear_render_target": "clear",
    "clear_depth_stencil": "clear",
    "clear_texture": "clear",
    "clear_buffer": "clear",
    "blit": "copy",
    "resource_copy_region": "copy",
    "generate_mipmap": "mipmap",
    "texture_subdata": "upload",
    "transfer_inline_write": "upload",
    "buffer_subdata": "upload",
    "write_content": "upload",
    "write_mapped": "upload",
    "draw_vbo": "draw",
    "draw_many": "draw",
    "draw_mesh_tasks": "draw",
    "launch_grid": "store",
    "get_query_result_resource": "store",
}
"""Methods that can change a pixel, each with its kind of event."""
_ALSO = {"flush", "set_framebuffer_state", "texture_barrier", "memory_barrier", "flush_resource"}
KINDS |= dict.fromkeys(_ALSO, "resolve")
_LONG = 90
_DRAW, _ALWAYS = DrawInfo(), {"mode", "count"}


def shown_call(call: Call, handle_of: Callable[[Any], int]) -> str:
    """A call as a short text. Handles are those of ``tgsi-replay --print``."""
    if call.row.name == "write_content":
        return "the content of the texture where the recording begins"
    row = call.row
    keywords = {name: _member(row, name, item) for name, item in call.given.items()}
    parts = [_shown(_member(row, name, item), handle_of) for name, item in row.named(call.args, {}).items()]
    parts += [f"{name}={_shown(item, handle_of)}" for name, item in keywords.items() if not _is_default(row, name, item)]
    text = f"{row.name}({', '.join(parts)})"
    return text if len(text) <= 2 * _LONG else f"{text[: 2 * _LONG]}...)"


def _member(row: Row, name: str, value: Any) -> Any:
    """The enumeration member, or the flags, for a number or a name; other arguments unchanged."""
    argument = row.arguments.get(name)
    try:
        if argument is not None and argument.enumeration is not None:
            return argument.check(value, name)
        return Prim(value) if name == "mode" else value
    except (TypeError, ValueError):
        return value


def _is_default(row: Row, name: str, value: Any) -> bool:
    default = row.defaults.get(name, getattr(_DRAW, name, None) if row.name == "draw_vbo" and name not in _ALWAYS else None)
    return value is None or (isinstance(value, (int, float, str, bool)) and value == default)


def _shown(value: Any, handle_of: Callable[[Any], int]) -> str:
    if isinstance(value, Resource):
        return f"{value!r} #{handle_of(value)}" if handle_of(value) else repr(value)
    if isinstance(value, (Surface, StateObject)):
        return repr(value)
    if isinstance(value, DrawInfo):
        told = [item.name for item in fields(value) if item.name in _ALWAYS or getattr(value, item.name) != getattr(_DRAW, item.name)]
        return ", ".join(f"{name}={_shown(getattr(value, name), handle_of)}" for name in told)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"{len(value)} bytes"
    if isinstance(value, np.ndarray):
        return f"array of {value.dtype}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        text = ", ".join(_shown(item, handle_of) for item in value)
        return f"({text})" if len(text) < _LONG else f"{len(value)} items"
    if isinstance(value, (Format, CompressedFormat)):
        return str(value)
    if isinstance(value, Enum):
        return f'"{names_of(value) if isinstance(value, IntFlag) else value.name}"'
    if isinstance(value, float):
        return f"{value:g}"
    text = repr(value)
    return text if len(text) < _LONG else f"{text[:_LONG]}..."


# -- places ------------------------------------------------------------------------------------------------------------------
def reaches(context: Any, call: Call, resource: Resource, place: Place) -> bool:
    """True if a call that did not change the pixel's bytes wrote the pixel all the same, with an equal value."""
    act = _REACHES.get(call.row.name)
    try:
        return act is not None and act(context, call.row.named(call.args, call.given), resource, place)
    except (TypeError, ValueError, KeyError, AttributeError):
        return False


def _clear(context: Any, named: dict[str, Any], resource: Resource, place: Place) -> bool:
    buffers = int(flags(Clear, named.get("buffers", Clear.COLOR | Clear.DEPTHSTENCIL), "explain"))
    for attachment in attachments(context, resource, place):
        bits = int(Clear.DEPTHSTENCIL) if attachment.index < 0 else int(Clear.COLOR0) << attachment.index
        if buffers & bits:
            return True
    return False


def _clear_surface(context: Any, named: dict[str, Any], resource: Resource, place: Place) -> bool:
    target = named["target"]
    if isinstance(target, Resource):
        level, first, layers = 0, 0, target.levels[0].layers
    else:
        level, first, layers = target.level, target.first_layer, target.last_layer - target.first_layer + 1
        target = target.living_texture
    left, top = named.get("dstx", 0), named.get("dsty", 0)
    width, height = named.get("width", 1 << 30), named.get("height", 1 << 30)
    inside = left <= place.x < left + (width or 1 << 30) and top <= place.y < top + (height or 1 << 30)
    return target is resource and level == place.level and first <= place.layer < first + layers and inside


def _holds(box: Box, place: Place) -> bool:
    columns, rows, layers = (sorted((a, a + n)) for a, n in ((box.x, box.width), (box.y, box.height), (box.z, box.depth)))
    return columns[0] <= place.x < columns[1] and rows[0] <= place.y < rows[1] and layers[0] <= place.layer < layers[1]


def _box_of(resource: Resource, level: int, box: Any) -> Box:
    return resource.box(level, box, "explain")


def _upload(context: Any, named: dict[str, Any], resource: Resource, place: Place) -> bool:
    level = int(named.get("level", 0) or 0)
    return named["resource"] is resource and level == place.level and _holds(_box_of(resource, level, named.get("box")), place)


def _content(context: Any, named: dict[str, Any], resource: Resource, place: Place) -> bool:
    return named.get("0") is resource and named.get("1") == place.level


def _copy(context: Any, named: dict[str, Any], resource: Resource, place: Place) -> bool:
    if named["dst"] is not resource or int(named.get("dst_level", 0)) != place.level:
        return False
    size = named["src"].box(int(named.get("src_level", 0)), named.get("src_box"), "explain")
    x, y, z = (named.get(f"dst{axis}", 0) for axis in "xyz")
    return _holds(Box(x, y, z, size.width, size.height, size.depth), place)


def _blit(context: Any, named: dict[str, Any], resource: Resource, place: Place) -> bool:
    level = int(named.get("dst_level", 0) or 0)
    if named["dst"] is not resource or level != place.level:
        return False
    box = named.get("dst_box")
    written = box if isinstance(box, Box) else Box(*box) if box is not None and len(box) == 6 else _box_of(resource, level, box)
    return _holds(written, place)


def _mipmap(context: Any, named: dict[str, Any], resource: Resource, place: Place) -> bool:
    base = int(named.get("base_level", 0))
    last = named.get("last_level")
    return named["resource"] is resource and base < place.level <= (resource.last_level if last is None else last)


_REACHES: dict[str, Callable[[Any, dict[str, Any], Resource, Place], bool]] = {
    "clear": _clear,
    "clear_render_target": _clear_surface,
    "clear_depth_stencil": _clear_surface,
    "clear_texture": _upload,
    "texture_subdata": _upload,
    "transfer_inline_write": _upload,
    "write_mapped": _upload,
    "write_content": _content,
    "resource_copy_region": _copy,
    "blit": _blit,
    "generate_mipmap": _mipmap,
}
