"""An error that ends a program is the last thing on its terminal."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import tgsi

VERTEX = "#version 330\\nin vec4 p; out vec3 tint; void main() { gl_Position = p; tint = p.xyz; }"
FRAGMENT = "#version 330\\nflat in ivec3 tint; out vec4 color; void main() { color = vec4(tint, 1); }"

def draw():
    screen = tgsi.Screen()
    ctx = screen.context_create()
    ctx.set_framebuffer_state(cbufs=[screen.resource_create(width0=8, height0=8)])
    ctx.clear("COLOR0", color=(1, 0, 0, 1))
    ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
    ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
    ctx.draw_vbo(mode="TRIANGLES", count=3)

draw()
"""


def test_a_program_that_ends_by_an_error_of_a_draw_prints_nothing_after_the_error() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Exception ignored" not in done.stderr
    assert done.stderr.splitlines()[-1] == "  = hint: declare it alike in both"
