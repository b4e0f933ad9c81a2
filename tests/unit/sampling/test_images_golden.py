"""Compute grid of Mesa 18.1 that copies one image to another, in both engines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tgsi
from backends.formats import find_format
from backends.run.textures import TextureData


@pytest.mark.parametrize("engine", ["interp", "jit"])
def test_a_grid_over_images_leaves_what_mesa_leaves(shared: Path, engine: str) -> None:
    folder = shared / "golden" / "render"
    scene = json.loads((folder / "compute_image_R8G8B8A8_UNORM.json").read_text())
    by_op = {command["op"]: command for command in scene["commands"]}
    images = {}
    for command in scene["commands"]:
        if command["op"] == "shader_image":
            texels = np.frombuffer(bytes.fromhex("".join(command["data"])), np.uint8)
            images[command["slot"]] = TextureData(
                find_format(command["format"]), (texels.reshape(1, command["height"], command["width"], -1),)
            )
    result = tgsi.run(tgsi.parse(by_op["cs"]["text"]), images=images, grid=tuple(by_op["launch_grid"]["grid"]), engine=engine)
    for slot in images:
        assert result.images[slot].tobytes() == (folder / scene["outputs"][f"img{slot}"]).read_bytes()
