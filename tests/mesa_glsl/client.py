"""A client of OpenGL without a window: `python client.py FILE` has Mesa compile the programs of a file of JSON, [[stage, text], ...].

It prints a line of JSON with the numbers of those that Mesa refuses. Vertex programs are linked alone, with their outputs captured; one
that hands attributes through is linked to each fragment program. Mesa compiles a compute program when it is launched.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import moderngl


def attributes_for(fragment: str) -> str:
    """A vertex program with what a fragment program of locations reads."""
    ports = re.findall(r"layout\(location = (\d+)\) (flat |)in (\w+) (\w+);", fragment)
    heads = "".join(
        f"layout(location = {at}) in {kind} a_{name}; layout(location = {at}) {flat}out {kind} {name};\n" for at, flat, kind, name in ports
    )
    moves = " ".join(f"{name} = a_{name};" for _, _, _, name in ports)
    return f"#version 430\n{heads}layout(location = 9) in vec4 position;\nvoid main() {{ gl_Position = position; {moves} }}\n"


def link(context: Any, stage: str, text: str) -> Any:
    """Have a program compiled. Returns its object, so that it stays."""
    if stage == "vert":
        return context.program(vertex_shader=text, varyings=re.findall(r"\bout \w+ (\w+);", text))
    if stage == "frag":
        return context.program(vertex_shader=attributes_for(text), fragment_shader=text)
    made = context.compute_shader(text)
    context.buffer(bytes(1 << 14)).bind_to_storage_buffer(0)
    context.buffer(bytes(256)).bind_to_uniform_block(0)
    made.run(1)
    context.finish()
    return made


def main() -> None:
    """Compile all programs."""
    options: dict[str, Any] = {"standalone": True, "backend": "egl", "require": 430}
    context = moderngl.create_context(**options)
    kept, refused = [], {}
    for number, (stage, text) in enumerate(json.loads(Path(sys.argv[1]).read_text("utf-8"))):
        try:
            kept.append(link(context, stage, text))
        except Exception as error:  # moderngl raises Exception itself
            refused[number] = str(error)
    context.finish()
    print(json.dumps(refused))


if __name__ == "__main__":
    main()
