"""Generator of tgsi/opengl/registry: commands and enumerants of OpenGL, derived from Khronos' registry (gl.xml, Apache-2.0).

``python -m tests.promises.opengl_registry`` rewrites the files from Debian's package khronos-api; a test compares them where it is
installed.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SOURCE = Path("/usr/share/khronos-api/gl.xml")
FOLDER = Path(__file__).parents[2] / "tgsi" / "opengl" / "registry"
COMMANDS, ENUMS, STUB = FOLDER / "commands.txt", FOLDER / "enums.txt", FOLDER / "enums.pyi"
ORIGIN = (
    "# Derived by tests/promises/opengl_registry.py from gl.xml of Khronos' OpenGL registry, Copyright 2013-2020 The Khronos Group\n"
    "# Inc., SPDX-License-Identifier: Apache-2.0.\n"
)

EXTENSIONS = (
    "GL_ARB_bindless_texture",
    "GL_ARB_compatibility",
    "GL_ARB_ES2_compatibility",
    "GL_ARB_gpu_shader_int64",
    "GL_ARB_imaging",
    "GL_ARB_shader_objects",
    "GL_ARB_texture_filter_anisotropic",
    "GL_ARB_vertex_shader",
    "GL_EXT_debug_label",
    "GL_EXT_debug_marker",
    "GL_EXT_framebuffer_object",
    "GL_EXT_framebuffer_multisample",
    "GL_EXT_framebuffer_blit",
    "GL_EXT_texture_compression_s3tc",
    "GL_EXT_texture_filter_anisotropic",
    "GL_EXT_texture_sRGB",
    "GL_EXT_texture_sRGB_decode",
    "GL_OES_vertex_half_float",
    "GL_ARB_vertex_program",
    "GL_KHR_debug",
    "GL_NV_fill_rectangle",
    "GL_NV_mesh_shader",
)
"""Extensions whose commands and enumerants are listed beside those of the versions, with every other name of a listed command."""

KINDS = {
    "GLenum": "e",
    "GLbitfield": "b",
    "GLboolean": "o",
    "GLint": "i",
    "GLsizei": "i",
    "GLuint": "u",
    "GLhandleARB": "u",
    "GLfloat": "f",
    "GLclampf": "f",
    "GLdouble": "d",
    "GLclampd": "d",
    "GLbyte": "1",
    "GLubyte": "2",
    "GLshort": "3",
    "GLushort": "4",
    "GLfixed": "i",
    "GLintptr": "n",
    "GLsizeiptr": "n",
    "GLintptrARB": "n",
    "GLsizeiptrARB": "n",
    "GLint64": "q",
    "GLuint64": "Q",
    "GLuint64EXT": "Q",
    "GLsync": "p",
    "GLDEBUGPROC": "p",
    "GLDEBUGPROCARB": "p",
    "GLDEBUGPROCKHR": "p",
    "void": "v",
}
"""A letter for each type; every pointer is p. `tgsi.opengl.registry.table` has their ctypes."""


def kind_of(element: ElementTree.Element) -> str:
    """The letter of a parameter or of a command's result."""
    if "*" in "".join(element.itertext()):
        return "p"
    kind = element.find("ptype")
    return KINDS[kind.text if kind is not None and kind.text else "void"]


def name_of(element: ElementTree.Element) -> str:
    """The text of the element's <name>."""
    found = element.findtext("name")
    assert found
    return found


def listed(root: ElementTree.Element) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Versions and extensions by the names of the commands and of the enumerants that they need."""
    commands: dict[str, list[str]] = {}
    enums: dict[str, list[str]] = {}
    sections = [item for item in root.findall("feature") if item.get("api") in ("gl", "gles2")]
    sections += [item for item in root.findall("extensions/extension") if item.get("name") in EXTENSIONS]
    for section in sections:
        title = str(section.get("name")).removeprefix("GL_").removeprefix("VERSION_").replace("ES_VERSION_", "ES")
        title = title.replace("_", ".") if section.tag == "feature" else title
        for kind, table in (("command", commands), ("enum", enums)):
            for item in section.iter(kind):
                table.setdefault(str(item.get("name")), []).append(title)
    return commands, enums


def write_commands(root: ElementTree.Element, needed: dict[str, list[str]]) -> str:
    """One line a command: name, result, parameters, versions, and the command that it is another name of."""
    lines = []
    rows = {name_of(proto): item for item in root.findall("commands/command") if (proto := item.find("proto")) is not None}
    for name, item in rows.items():
        alias = item.find("alias")
        other = str(alias.get("name")) if alias is not None else ""
        if name not in needed and other not in needed:
            continue
        proto = item.find("proto")
        assert proto is not None
        parameters = []
        for parameter in item.findall("param"):
            group, length = parameter.get("group", ""), parameter.get("len", "").replace(" ", "")
            parameters.append(":".join([kind_of(parameter), name_of(parameter), group, length.replace(",", ";")]).rstrip(":"))
        fields = [name, kind_of(proto), ",".join(parameters), " ".join(needed.get(name, [])), other if other in rows else ""]
        lines.append("\t".join(fields).rstrip("\t"))
    return f"{ORIGIN}# Columns: name, result, parameters (kind:name:group:length), versions, alias of.\n" + "\n".join(sorted(lines)) + "\n"


def enumerants(root: ElementTree.Element, needed: dict[str, list[str]]) -> dict[str, int]:
    """Values of the enumerants by their names without GL_; a name that would begin with a digit begins with an underscore."""
    values: dict[str, int] = {}
    for item in root.findall("enums/enum"):
        name = str(item.get("name"))
        if name in needed and item.get("api", "gl") in ("gl", "gles2"):
            values.setdefault(name, int(str(item.get("value")), 0))
    return {f"{'_' * name.removeprefix('GL_')[0].isdigit()}{name.removeprefix('GL_')}": value for name, value in sorted(values.items())}


def written(values: dict[str, int]) -> dict[Path, str]:
    """The table of enumerants, and the types of the module that reads it."""
    rows = "".join(f"{name} 0x{value:04X}\n" for name, value in values.items())
    types = "".join(f"{name}: Final = 0x{value:04X}\n" for name, value in values.items())
    head = "# Derived by tests/promises/opengl_registry.py: the types of enums.py.\n# ruff: noqa\n# fmt: off\nfrom typing import Final\n\n"
    return {ENUMS: f"{ORIGIN}# Columns: name without GL_, value.\n{rows}", STUB: head + types}


def derived() -> dict[Path, str]:
    """The texts of the files."""
    root = ElementTree.fromstring(re.sub(r"^[^<]*", "", SOURCE.read_text(encoding="utf-8-sig")).partition("?>")[2])
    commands, enums = listed(root)
    return {COMMANDS: write_commands(root, commands), **written(enumerants(root, enums))}


def main() -> None:
    """Rewrite the files."""
    for path, text in derived().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
