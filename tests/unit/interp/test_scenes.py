"""Geometry programs of the measured scenes: their emitted vertices, drawn, give Mesa's picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.interp.run import run
from backends.run.shapes import input_vertices
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

Reals = NDArray[np.float64]

SIDE = 64


def _outputs(program: Program, name: str, vertices: NDArray[np.uint32]) -> NDArray[np.uint32] | None:
    """Words of shape (vertices, 4) of the output with a semantic, or None if there is none."""
    found = [d.first for d in program.declared(File.OUT) if d.semantic is not None and d.semantic.name == name]
    return vertices[:, found[0]] if found else None


def _paint(picture: Reals, corners: Reals, colors: Reals) -> None:
    """Draw a triangle in window coordinates. Colors are interpolated at the centers of the pixels inside and on one of the edges."""
    y, x = np.mgrid[:SIDE, :SIDE] + 0.5
    (ax, ay), (bx, by), (cx, cy) = corners
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    b = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
    c = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
    inside = (b > 0) & (c > 0) & (b + c <= 1)
    weights = np.stack([1 - b - c, b, c], axis=2)[inside]
    picture[inside] = np.clip(weights @ colors, 0, 1)


@pytest.mark.peers
@pytest.mark.parametrize("name", ["gs_layered", "gs_point_to_quad", "gs_primid", "gs_tri_explode", "gs_viewport_index"])
def test_what_a_program_emits_is_the_measured_picture(name: str, shared: Path) -> None:
    folder = shared / "golden" / "render"
    scene: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    commands: list[dict[str, Any]] = scene["commands"]
    by_name = {command["op"]: command for command in commands}
    viewports = {command["index"]: command for command in commands if command["op"] == "viewport"}
    inputs = np.frombuffer(bytes.fromhex(by_name["vertex_buffer"]["data"]), np.uint32).reshape(-1, 2, 4)
    vertices = run(parse(by_name["vs"]["text"]), inputs[: by_name["draw"]["count"]]).outputs
    program = parse(by_name["gs"]["text"])
    registers = program.file_size(File.IN)
    primitives = np.zeros((len(vertices) // input_vertices(program), input_vertices(program), registers, 4), np.uint32)
    primitives[:, :, :2] = vertices.reshape(len(primitives), -1, 2, 4)
    result = run(program, primitives)
    emitted = result.emitted[0]
    position = emitted[:, 0].view(np.float32).astype(np.float64)
    assert (position[:, 3] == 1).all()
    colors = emitted[:, 1].view(np.float32).astype(np.float64)
    layer, viewport = (_outputs(program, semantic, emitted) for semantic in ("LAYER", "VIEWPORT_INDEX"))
    picture = np.zeros((scene["fb"]["layers"], SIDE, SIDE, 4))
    start = 0
    for length in result.strips[0].tolist():
        for first in range(start, start + length - 2):
            view = viewports[0 if viewport is None else int(viewport[first, 0])]
            corners = position[first : first + 3, :2] * view["scale"][:2] + view["translate"][:2]
            _paint(picture[0 if layer is None else int(layer[first, 0])], corners, colors[first : first + 3])
        start += length
    measured = np.frombuffer((folder / scene["outputs"]["c0"]).read_bytes(), np.uint8).reshape(picture.shape) / 255
    wrong = (np.abs(measured - picture) > 1 / 255).any(axis=3)
    assert measured.any()
    assert wrong.mean() < 0.005  # pixels on edges
