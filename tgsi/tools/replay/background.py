"""Contents of a scene's outputs before the first draw: its clears, computed without a context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats import Format
from backends.formats.arrays import pack, pack_depth_stencil
from tgsi.tools.replay.scene import Layout, Scene, split_output


def background(scene: Scene, output: str, layout: Layout) -> bytes:
    """Bytes of an image output after the scene's clears (render targets) or with its initial data (shader images)."""
    kind, slot = split_output(output)
    if kind == "img":
        command = scene.last_command("shader_image", slot)
        assert command is not None, "image_layout found it"
        return b"".join(command.values["data"]).ljust(layout.size, b"\0")[: layout.size]
    image = np.zeros((layout.layers, layout.height, layout.width, layout.format.block_bytes), np.uint8)
    for command in scene.commands:
        v = command.values
        if command.op == "clear" and kind == "c" and {"color", output.replace("c", "color")} & set(v["buffers"]):
            image[...] = _pack_color(layout.format, v)
        elif command.op == "clear" and kind == "zs":
            _clear_depth_stencil(image, layout.format, v)
        elif command.op == "clear_render_target" and kind == "c" and v["cbuf"] == slot:
            image[:, v["y"] : v["y"] + v["h"], v["x"] : v["x"] + v["w"]] = _pack_color(layout.format, v)
    return image.tobytes()


def _pack_color(format: Format, values: Mapping[str, Any]) -> NDArray[np.uint8]:
    raw = values.get("color_raw")
    if format.is_integer:
        words = np.array(raw or values["color"] or (0,) * 4, np.float64 if raw is None else np.int64)
        return pack(format, words.astype(np.int64).astype(np.uint32).view(np.int32 if format.kind == "sint" else np.uint32))
    return pack(format, np.array(values["color"] or (0.0,) * 4, np.float32))


def _clear_depth_stencil(image: NDArray[np.uint8], format: Format, values: Mapping[str, Any]) -> None:
    pixels = image.reshape(-1)
    count = image.size // format.block_bytes
    depth = np.full(count, values["depth"] or 0.0, np.float32) if "depth" in values["buffers"] else None
    stencil = np.full(count, values["stencil"] or 0, np.uint8) if "stencil" in values["buffers"] else None
    if depth is not None or stencil is not None:
        pixels[:] = pack_depth_stencil(format, depth, stencil, pixels.copy())
