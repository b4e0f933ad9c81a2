"""Small scenes for the tests of `tgsi-replay`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CLEAR = {"op": "clear", "buffers": ["color"], "color": [0.0, 0.5, 1.0, 1.0], "color_raw": None, "depth": 1.0, "stencil": 0}
SceneWriter = Callable[..., Path]


def scene_value(**changes: Any) -> dict[str, Any]:
    """Scene that clears a 4 x 4 target."""
    value: dict[str, Any] = {
        "name": "small",
        "fb": {"width": 4, "height": 4, "layers": 1, "cbufs": ["R8G8B8A8_UNORM"], "zs": None},
        "commands": [dict(CLEAR)],
        "deterministic": True,
        "queries": [],
        "outputs": {"c0": "small.c0.raw"},
        "defaults": "",
    }
    return value | changes


@pytest.fixture
def write_scene(tmp_path: Path) -> SceneWriter:
    """Function that writes a scene with its raw file and returns its path."""

    def write(name: str = "small", raw: bytes | None = bytes((0, 128, 255, 255)) * 16, **changes: Any) -> Path:
        value = scene_value(name=name, outputs={"c0": f"{name}.c0.raw"})
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(value | changes))
        if raw is not None:
            (tmp_path / f"{name}.c0.raw").write_bytes(raw)
        return path

    return write
