"""Cells of notebooks: ``%%glsl`` and ``%%tgsi``."""

from __future__ import annotations

import importlib.util
import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.unit.glsl.glslang import needs_glslang
from tgsi.tools.cells import CellError, draw_cell

pytestmark = pytest.mark.light

RED = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"
TINTED = "#version 330\nuniform vec3 tint; out vec4 color;\nvoid main() { color = vec4(tint, 1.0); }\n"


def pixel(picture: bytes) -> tuple[Any, tuple[int, int]]:
    with Image.open(io.BytesIO(picture)) as image:
        return np.array(image)[0, 0, :3].tolist(), image.size


def test_a_cell_of_tgsi_is_drawn_and_named() -> None:
    name, drawn = draw_cell("tgsi", "red --size 20x10", RED)
    assert name == "red"
    assert pixel(drawn.picture) == ([255, 0, 0], (20, 10))
    shown = drawn._repr_html_()
    assert "data:image/png;base64," in shown
    assert "MOV OUT[0], IMM[0]" in shown


def test_mistakes_are_shown_with_carets() -> None:
    with pytest.raises(CellError) as error:
        draw_cell("tgsi", "", RED.replace("MOV OUT", "MVO OUT"))
    assert "cell:4:1" in str(error.value)
    assert "^" in str(error.value)


def test_wrong_words_are_refused() -> None:
    with pytest.raises(CellError, match="--size 0: sides have"):
        draw_cell("tgsi", "--size 0", RED)
    with pytest.raises(CellError, match="No closing quotation"):
        draw_cell("tgsi", "'", RED)
    vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n"
    with pytest.raises(CellError, match="a fragment shader is drawn, not VERT"):
        draw_cell("tgsi", "--size 8", vertex)
    _, drawn = draw_cell("tgsi", "", vertex)
    assert drawn.picture == b""


@needs_glslang
def test_a_cell_of_glsl_takes_uniforms() -> None:
    _, drawn = draw_cell("glsl", "frag shade --size 8 --uniform tint=0,1,0", TINTED)
    assert pixel(drawn.picture)[0] == [0, 255, 0]
    assert "tint" in drawn.report
    with pytest.raises(CellError) as error:
        draw_cell("glsl", "frag", TINTED.replace("tint, 1.0", "tnit, 1.0"))
    assert "tnit" in str(error.value)
    assert "^" in str(error.value)


@needs_glslang
def test_a_cell_of_shadertoy_is_completed() -> None:
    _, drawn = draw_cell("glsl", "--size 8", "void mainImage(out vec4 c, in vec2 p) { c = vec4(0.0, 0.0, 1.0, 1.0); }\n")
    assert pixel(drawn.picture)[0] == [0, 0, 255]
    assert drawn.program is None


@pytest.mark.nightly
@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("nbclient", "nbformat", "ipykernel")),
    reason="nbclient or ipykernel is not installed",
)
def test_a_notebook_runs_both_cells() -> None:
    import nbclient
    import nbformat

    book = nbformat.v4.new_notebook()
    sources = [
        "%load_ext tgsi",
        f"%%tgsi red --size 8x8\n{RED}",
        "print(red.processor.name)",
        f"%%tgsi\n{RED.replace('MOV OUT', 'MVO OUT')}",
    ]
    book.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    book.cells[3].metadata["tags"] = ["raises-exception"]
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    assert "data:image/png;base64," in book.cells[1].outputs[0]["data"]["text/html"]
    assert book.cells[2].outputs[0]["text"] == "FRAG\n"
    told = str(book.cells[3].outputs)
    assert "cell:4:1" in told
    assert "^" in told
