"""A client of OpenGL without a window: `python -m tests.mesa_glsl.old_client FILE` draws the old texts and keeps pictures and refusals."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import moderngl
import numpy as np

from tests.mesa_glsl.old_texts import SIZE, STYLES, OldText, attribute, defined, old_texts, texels, uniform

_FLOAT, _INT, _UINT, _BOOL = 0x1406, 0x1404, 0x1405, 0x8B56
_VECTORS = {0x8B50: ("float", 2), 0x8B53: ("int", 2), 0x8DC6: ("uint", 2), 0x8B57: ("bool", 2)}
"""The vectors of two, whose numbers those of three and four follow."""
_TYPES = {_FLOAT: ("float", 1, 1), _INT: ("int", 1, 1), _UINT: ("uint", 1, 1), _BOOL: ("bool", 1, 1)}
_TYPES |= {first + more: (scalar, size + more, 1) for first, (scalar, size) in _VECTORS.items() for more in range(3)}
_TYPES |= {0x8B5A + more: ("float", 2 + more, 2 + more) for more in range(3)}
_TYPES |= dict(
    zip(range(0x8B65, 0x8B6B), [("float", 3, 2), ("float", 4, 2), ("float", 2, 3), ("float", 4, 3), ("float", 2, 4), ("float", 3, 4)])
)


def draw(context: Any, item: OldText) -> Any:
    """The picture of a text, rows from the lower edge."""
    (_, vertex, of_vertex), (_, fragment, of_fragment) = item.shaders
    program = context.program(vertex_shader=defined(vertex, of_vertex), fragment_shader=defined(fragment, of_fragment))
    content = []
    for name in program:
        member = program[name]
        if isinstance(member, moderngl.Uniform):
            described: Any = member  # its stub has no gl_type
            known = _TYPES.get(described.gl_type)
            if known is not None:
                member.write(uniform(name, *known, member.array_length).tobytes())
        elif isinstance(member, moderngl.Attribute):
            content.append((context.buffer(attribute(name, member.dimension).tobytes()), f"{member.dimension}f4", name))
    target = context.texture((SIZE, SIZE), 4, dtype="f4")
    frame = context.framebuffer([target], context.depth_renderbuffer((SIZE, SIZE)))
    frame.use()
    frame.clear(0.25, 0.5, 0.75, 1.0)
    context.vertex_array(program, content).render(moderngl.TRIANGLES, vertices=3)
    return np.frombuffer(target.read(), np.float32).reshape(SIZE, SIZE, 4)


def main() -> None:
    """Draw all texts."""
    options: dict[str, Any] = {"standalone": True, "backend": "egl", "require": 330}
    context = moderngl.create_context(**options)
    texture = context.texture((8, 8), 4, texels().tobytes())
    texture.filter = moderngl.NEAREST, moderngl.NEAREST
    texture.use(0)
    pictures, refused = {}, {}
    for style in STYLES:
        for item in old_texts(style):
            try:
                pictures[item.name] = draw(context, item)
            except Exception as error:  # moderngl raises Exception itself
                refused[item.name] = str(error)
    names = np.array([f"{name}\n{text}" for name, text in refused.items()])
    with Path(sys.argv[1]).open("wb") as file:
        np.savez(file, refused=names, **{name.replace("/", "~"): picture for name, picture in pictures.items()})


if __name__ == "__main__":
    main()
