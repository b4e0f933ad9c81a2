"""Depths and interfaces in notebooks."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

import tgsi
from tests.unit.glsl.glslang import needs_glslang

pytestmark = pytest.mark.light


@pytest.mark.parametrize("format", ["Z16_UNORM", "Z32_FLOAT", "Z24_UNORM_S8_UINT", "Z24X8_UNORM", "Z32_FLOAT_S8X24_UINT"])
def test_depths_go_from_black_to_white(format: str) -> None:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        depth = screen.resource_create(format=format, width0=3, height0=1)
        for x, value in enumerate((0.96, 0.98, 0.97)):
            ctx.clear_depth_stencil(depth, depth=value, x=x, y=0, width=1, height=1)
        shown = depth._repr_png_()
    assert shown is not None
    assert np.array(Image.open(io.BytesIO(shown))).tolist() == [[0, 255, pytest.approx(128, abs=1)]]


def test_one_depth_is_shown_as_it_is() -> None:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        depth = screen.resource_create(format="Z32_FLOAT", width0=2, height0=1)
        ctx.clear_depth_stencil(depth, depth=1.0, x=0, y=0, width=2, height=1)
        shown = depth._repr_png_()
    assert shown is not None
    assert np.array(Image.open(io.BytesIO(shown))).tolist() == [[255, 255]]


TEXT = """#version 330
uniform mat4 mvp; uniform float weights[3]; uniform sampler2D picture;
layout(std140) uniform Light { vec4 color; };
in vec2 uv; out vec4 result;
void main() { result = texture(picture, uv) * color * weights[1] * mvp[0]; }
"""


@needs_glslang
def test_an_interface_is_a_table() -> None:
    interface = tgsi.compile(TEXT, stage="frag").interface
    assert interface is not None
    shown = interface._repr_html_()
    for cells in (
        ("uniform", "mat4", "mvp"),
        ("uniform", "float", "weights", "[3]"),
        ("uniform Light", "vec4", "color"),
        ("in", "vec2", "uv"),
    ):
        row = "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells)
        assert f"<tr>{row}" in shown
    assert shown.count("<tr>") == 7


def test_an_interface_without_names_says_so() -> None:
    from tgsi.language.interface import Interface

    assert "without names" in Interface()._repr_html_()


VERTEX = """#version 330
in vec4 position; in vec2 uv; out vec2 coord; out vec3 spare;
void main() { gl_Position = position; coord = uv; spare = vec3(uv, 1.0); }
"""
FRAGMENT = """#version 330
in vec2 coord; out vec4 result;
void main() { result = vec4(coord, 0.0, 1.0); }
"""


@needs_glslang
def test_a_link_table_has_the_names_of_glsl() -> None:
    table = tgsi.link(tgsi.compile(VERTEX, stage="vert"), tgsi.compile(FRAGMENT, stage="frag"))
    (row,) = [line for line in str(table).splitlines() if "IN[0]" in line]
    assert row.split()[2].startswith("GENERIC[")
    assert row.split()[3] == "coord"
    assert "coord" in table._repr_html_()
    assert any(finding.message.endswith(" spare is never read") for finding in table.findings)


def test_a_link_table_of_tgsi_has_semantics_alone() -> None:
    vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[3]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n"
    fragment = "FRAG\nDCL IN[0], GENERIC[3], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    (row,) = [line for line in str(tgsi.link(vertex, fragment)).splitlines() if "IN[0]" in line]
    assert row.split() == ["0", "IN[0]", "GENERIC[3]", ".xyzw", "OUT[1]", "xyzw", "PERSPECTIVE"]


def test_frames_are_shown_with_depth_and_stencil() -> None:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        color = screen.resource_create(width0=4, height0=2)
        depth = screen.resource_create(format="Z24_UNORM_S8_UINT", width0=4, height0=2)
        ctx.set_framebuffer_state(cbufs=[color], zsbuf=depth)
        shown = ctx._repr_html_()
        assert shown.count("data:image/png;base64,") == 3
        assert "stencil" in depth._repr_html_()
        assert color._repr_html_().count("<img") == 1
        screen.resource_destroy(other := screen.resource_create(width0=4))
        assert "<img" not in other._repr_html_()


def test_buffers_draws_and_bundles_are_tables() -> None:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        buffer = screen.resource_create(target="BUFFER", width0=10)
        ctx.buffer_subdata(buffer, np.array([1, 0.5], "f4").tobytes())
        cell = '<td style="text-align:left">'
        assert f"{cell}4</td>{cell}0x3f000000</td>{cell}0.5</td>" in buffer._repr_html_()
        assert "2 more bytes" in buffer._repr_html_()
        with ctx.record() as bundle:
            bundle.draw_vbo(mode="TRIANGLES", count=3)
            bundle.clear(color=(0, 0, 0, 0))
        assert f"{cell}CLEAR</td>{cell}1</td>" in bundle._repr_html_()
    draw = tgsi.gallium.DrawInfo(count=3, index_size=2)._repr_html_()
    assert f"{cell}TRIANGLES</td>" in draw
    assert f"{cell}index_size</td>{cell}2</td>" in draw
    assert "instance_count" not in draw
