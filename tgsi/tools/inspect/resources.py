"""Resources of a trace as rows, with small pictures of textures and the first numbers of buffers."""

from __future__ import annotations

from typing import Any

import numpy as np

from backends.gallium.tracing.steps import Step
from backends.pipe.enums import Bind, TextureTarget
from tgsi.tools.inspect.pictures import Images
from tgsi.tools.inspect.texts import bytes_text
from tgsi.tools.replay.images import display, display_stencil
from tgsi.tools.replay.played import PlayedTrace
from tgsi.tools.replay.scene import Layout

_LONGEST = 192
_MOST_PICTURES = 200
_MOST_PIXELS = 1 << 24
"""Most pixels of a level with a picture."""


def resource_rows(trace: PlayedTrace, images: Images) -> list[dict[str, Any]]:
    """All resources created by the trace. Those alive at its end have a picture or their first bytes."""
    living = trace.resources()
    used = _uses(trace.steps)
    rows: list[dict[str, Any]] = []
    for step in trace.steps:
        if step.name != "resource_create" or step.call is None:
            continue
        handle = step.call.result
        named = step.named
        row: dict[str, Any] = {"handle": handle, "command": step.number, "calls": used.get(handle, 0)}
        row |= {
            "target": _member(TextureTarget, named.get("target")),
            "format": str(named.get("format", "")),
            "bind": _flags(named.get("bind")),
        }
        row["size"] = " x ".join(str(named.get(key, 1)) for key in ("width0", "height0", "depth0"))
        row |= {"layers": named.get("array_size", 1), "levels": named.get("last_level", 0), "samples": named.get("nr_samples", 0)}
        resource = living.get(handle)
        row["ended"] = resource is None
        if resource is not None:
            row["bytes"] = resource.size
            if resource.is_buffer:
                row["content"] = bytes_text(np.ascontiguousarray(resource.blocks(0)).reshape(-1)[:256].tobytes())
            elif len([item for item in rows if "image" in item]) < _MOST_PICTURES:
                row |= _picture(resource, images)
        rows.append(row)
    return rows


def _picture(resource: Any, images: Images) -> dict[str, Any]:
    info = resource.levels[0]
    if info.width * info.height > _MOST_PIXELS:
        return {}
    try:
        pixels = np.ascontiguousarray(resource.pixels(level=0)).view(np.uint8)
    except (ValueError, MemoryError):
        return {}
    flat = pixels.reshape(-1, info.height, info.width, resource.plain_format.block_bytes)[0]
    factor = max(1, -(-max(info.width, info.height) // _LONGEST))
    small = np.ascontiguousarray(flat[::factor, ::factor])
    layout = Layout(resource.plain_format, small.shape[1], small.shape[0], 1)
    is_stencil = resource.plain_format.has_stencil and not resource.plain_format.has_depth
    image = (display_stencil if is_stencil else display)(layout, small.tobytes())
    return {"image": images.add(image), "width": image.shape[1], "height": image.shape[0]}


def _uses(steps: Any) -> dict[int, int]:
    """Number of calls that name each handle."""
    counts: dict[int, int] = {}
    for step in steps:
        if step.call is not None:
            for handle in set(step.call.handles):
                counts[handle] = counts.get(handle, 0) + 1
    return counts


def _member(kind: Any, value: Any) -> str:
    try:
        return str(kind(value).name)
    except (ValueError, TypeError):
        return str(value)


def _flags(value: Any) -> str:
    try:
        return ", ".join(str(item.name) for item in Bind if int(value) & item)
    except (ValueError, TypeError):
        return str(value)


def names_of(steps: list[Step]) -> dict[int, str]:
    """Names of objects by handle: ``texture #4``."""
    names = {}
    for step in steps:
        if step.call is not None and step.call.result:
            kind = step.name.removeprefix("create_").removesuffix("_state").removesuffix("_create").replace("_", " ")
            names[step.call.result] = f"{kind} #{step.call.result}"
    return names
