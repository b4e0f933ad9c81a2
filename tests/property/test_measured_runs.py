"""Grids of threads leave the same memory in both engines as in Mesa."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.formats import Format
from backends.run.textures import TextureData
from tgsi.api import ENGINES

RUNS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden" / "runs.json").read_text())


def _bytes(text: str) -> Any:
    return np.frombuffer(bytes.fromhex(text), np.uint8)


def _image(given: dict[str, Any]) -> TextureData:
    format = Format[given["format"]]
    return TextureData(format, (_bytes(given["before"]).reshape(1, given["height"], given["width"], format.block_bytes).copy(),))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scene", RUNS, ids=lambda scene: str(scene["name"]))
def test_memory_is_what_was_measured(scene: dict[str, Any], engine: str) -> None:
    buffers = {int(slot): _bytes(item["before"]) for slot, item in scene["buffers"].items()}
    images = {int(slot): _image(item) for slot, item in scene["images"].items()}
    result = tgsi.run(tgsi.parse(scene["text"]), grid=tuple(scene["grid"]), buffers=buffers, images=images, engine=engine)
    for slot, item in scene["buffers"].items():
        assert result.buffers[int(slot)].tobytes().hex() == item["after"]
    for slot, item in scene["images"].items():
        assert result.images[int(slot)].tobytes().hex() == item["after"]
