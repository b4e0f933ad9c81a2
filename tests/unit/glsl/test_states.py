"""State objects of GLSL hold the program that passes have shortened; programs of TGSI stay as they are."""

from __future__ import annotations

import tgsi
from passes.registry import FOR_CODE
from tests.unit.glsl.glslang import needs_glslang
from tgsi import gallium as g

FRAGMENT = """#version 330 core
uniform vec4 tint;
in vec4 v;
out vec4 color;
void main() { color = vec4(0.0); for (int i = 0; i < 4; i++) color += tint * float(i) + v; }
"""
TEXT = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {1, 0, 0, 1}\nMOV TEMP[0], IMM[0]\nMOV OUT[0], TEMP[0]\nEND\n"


@needs_glslang
def test_a_state_of_glsl_is_shortened_and_keeps_its_names() -> None:
    with g.Screen(threads=0) as screen:
        made = screen.context_create().create_fs_state(FRAGMENT).program
    read = tgsi.compile(FRAGMENT, stage="frag")
    assert made.instructions == tgsi.optimize(read, FOR_CODE).instructions
    assert len(made.instructions) < len(read.instructions)
    assert made.interface == read.interface


def test_a_state_of_tgsi_is_as_it_came() -> None:
    with g.Screen(threads=0) as screen:
        made = screen.context_create().create_fs_state(TEXT).program
    assert made == tgsi.parse(TEXT)
