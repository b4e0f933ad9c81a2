"""Files of piglit's shader_runner: requirements, shaders by stage, vertex data and commands."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.shader_test.values import number
from tgsi.language.record import record

STAGES = {
    "vertex": "vert",
    "fragment": "frag",
    "geometry": "geom",
    "tessellation control": "tesc",
    "tessellation evaluation": "tese",
    "compute": "comp",
}
"""Word of a section -> stage."""

PASSTHROUGH = {
    False: "attribute vec4 piglit_vertex;\nvoid main() { gl_Position = piglit_vertex; }\n",
    True: "in vec4 piglit_vertex;\nvoid main() { gl_Position = piglit_vertex; }\n",
}
"""Text of a vertex shader that passes positions on; True for GLSL from 1.30 on."""

_SHADER = re.compile(r"(.+) shader( passthrough)?")


class NotGlslError(Exception):
    """A file has shaders in another language, or several texts for one stage; the message names it."""


@record(kw_only=True)
class Script:
    """A file: size of the window, text of each stage, rows of vertex data, commands.

    `parts` are the texts as the file has them, several of one stage among them, and none that it lacks. `extensions` are those
    that the file requires. `modules` are stages in SPIR-V's assembly, of files that are about SPIR-V only; `constants` are values by
    SpecId for them. `limits` are the least values of limits of OpenGL.
    """

    size: tuple[int, int]
    has_depth: bool
    shaders: dict[str, str]
    vertices: list[str]
    commands: list[str]
    modules: dict[str, str]
    constants: dict[str, dict[int | str, float]]
    extensions: frozenset[str]
    parts: tuple[tuple[str, str], ...] = ()
    limits: tuple[tuple[str, int], ...] = ()


def read_script(path: Path, *, takes_parts: bool = False) -> Script:
    """Read a file. NotGlslError where a shader is not a single text of GLSL; `takes_parts`: several texts of a stage are taken."""
    sections: list[tuple[str, list[str]]] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        head = re.match(r"\[(.*)\]", line)
        if head and not (sections and sections[-1][0].endswith("shader") and ";" in line):
            sections.append((head[1].strip(), []))
        elif sections:
            sections[-1][1].append(line)
    required = [line for name, lines in sections if name == "require" for line in lines]
    shaders: dict[str, str] = {}
    parts: list[tuple[str, str]] = []
    modules: dict[str, str] = {}
    constants: dict[str, dict[int | str, float]] = {}
    if any(line.split() == ["SPIRV", "ONLY"] for line in required):
        if shutil.which("spirv-as") is None:
            raise NotGlslError("SPIR-V only")
        for name, lines in sections:
            stage, _, what = name.partition(" shader ")
            if what == "spirv":
                modules[STAGES[stage]] = "\n".join(lines)
            elif what == "specializations":
                words = [line.split() for line in _plain(lines)]
                constants[STAGES[stage]] = {int(at): number(value, kind) for kind, at, value in words}
    for name, lines in sections:
        found = _SHADER.fullmatch(name)
        if found is None or found[1] not in STAGES:
            if name not in ("require", "test", "vertex data") and not name.endswith("spirv") and not name.endswith("specializations"):
                raise NotGlslError(f"section [{name}]")
            continue
        stage = STAGES[found[1]]
        parts.append((stage, _versioned("\n".join(lines), required, found[2] is not None)))
        if stage in shaders and not takes_parts:
            raise NotGlslError("several texts of one stage")
        if stage not in modules:
            shaders[stage] = _versioned("\n".join(lines), required, found[2] is not None)
    if not shaders and not modules:
        raise NotGlslError("no GLSL")
    if not {"vert", "comp"} & {*shaders, *modules}:
        shaders["vert"] = _versioned("", required, True)
    size = next((tuple(map(int, line.split()[1:3])) for line in required if line.startswith("SIZE")), (250, 250))
    return Script(
        size=(size[0], size[1]),
        has_depth=any(line.strip() == "depthbuffer" for line in required),
        shaders=shaders,
        vertices=[line for name, lines in sections if name == "vertex data" for line in _plain(lines)],
        commands=[line for name, lines in sections if name == "test" for line in _plain(lines)],
        modules=modules,
        constants=constants,
        extensions=frozenset(line.split()[0] for line in required if line.startswith("GL_")),
        parts=tuple(parts),
        limits=tuple((found[1], int(found[2])) for line in required if (found := re.match(r"GL_(MAX_\w+)\s*>=\s*(\d+)", line))),
    )


def _plain(lines: list[str]) -> list[str]:
    made = [line.split("#")[0].strip() for line in lines]
    return [line for line in made if line]


def _versioned(text: str, required: list[str], passes: bool) -> str:
    """A text with the version that its file requires, unless it says one itself."""
    is_es, version = False, 110
    for line in required:
        found = re.match(r"GLSL( ES)?\s*>=\s*(\d+)\.(\d)(\d?)", line.strip())
        if found:
            is_es, version = found[1] is not None, 100 * int(found[2]) + 10 * int(found[3]) + int(found[4] or 0)
    if passes:
        text = PASSTHROUGH[version >= 130]
    if re.search(r"^\s*#\s*version\b", text, re.MULTILINE):
        return text
    return f"#version {version}{' es' if is_es and version >= 300 else ''}\n{text}"
