"""A client of OpenGL without a window: `python -m tests.mesa_glsl.large_client KIND COUNT` draws with a large program.

It prints the picture's first row: the numbers of the cases that were chosen, or sums of many values.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

WIDTH = 16
VERTEX = "#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }"


def text(kind: str, count: int) -> str:
    """A fragment shader with a chain of `count` cases, or with as many values that live at a time and in turn."""
    cases = range(count)
    tools, start = "", f"int k = int(gl_FragCoord.x) * {max(1, count // WIDTH)}; float r = -1.0;"
    if kind == "elseif":
        body = "".join(f"{'else ' * (k > 0)}if (k == {k}) r = {k}.0;\n" for k in cases)
    elif kind == "switch":
        body = "switch (k) {" + "".join(f"case {k}: r = {k}.0; break;\n" for k in cases) + "}"
    elif kind == "ternary":
        body = "r = " + "".join(f"k == {k} ? {k}.0 :\n" for k in cases) + "-1.0;"
    else:  # values
        tools = "float f(float x, float k) { return fract(x * 0.5 + sin(k + x) * 0.25); }\n"
        body = "r = gl_FragCoord.x / 16.0;\n" + "".join(f"float v{k} = f(r, {k}.0); r = max(v{k}, r * 0.5);\n" for k in cases)
        body += "r = " + " + ".join(f"v{k}" for k in range(0, count, max(1, count // 100))) + ";"
    return f"#version 330\nout vec4 c;\n{tools}void main() {{ {start}\n{body}\nc = vec4(r); }}"


def main() -> None:
    """Draw one picture."""
    import moderngl  # here, as the tests import `text` where moderngl is not installed

    options: dict[str, Any] = {"standalone": True, "backend": "egl", "require": 330}
    context = moderngl.create_context(**options)
    program = context.program(vertex_shader=VERTEX, fragment_shader=text(sys.argv[1], int(sys.argv[2])))
    target = context.texture((WIDTH, 1), 4, dtype="f4")
    frame = context.framebuffer([target])
    frame.use()
    frame.clear()
    context.vertex_array(program, []).render(moderngl.TRIANGLES, vertices=3)
    print(json.dumps(np.frombuffer(target.read(), np.float32).reshape(WIDTH, 4)[:, 0].tolist()))


if __name__ == "__main__":
    main()
