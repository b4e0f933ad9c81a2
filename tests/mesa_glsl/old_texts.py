"""216 texts in the styles of old and embedded GLSL, with vertex shaders, uniforms and a texture to draw them with.

`old_texts/STYLE.txt` holds 24 texts. Each begins with a line ``@@ NAME STAGE DIALECT [BYTES]``: stage frag, vert, or both (one file, told
apart by VERTEX and FRAGMENT); the dialect that the text of the other stage is in; and how the bytes of the file differ from the
lines here: crlf, bom (a byte order mark), chop (no last line end), feeds (form feeds for some blanks).
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).parent / "old_texts"
STYLES = ("webgl1", "retroarch", "threejs", "gl2", "gl3", "es300", "shadertoy", "lines", "words")
SIZE = 16
TRIANGLE = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)
IDENTITY = ("mvp", "matrix", "projection", "modelview", "bone")

VARYINGS = {
    "uv": ("vec2", "p.xy * 0.5 + 0.5"),
    "vUv": ("vec2", "p.xy * 0.5 + 0.5"),
    "v_texcoord": ("vec2", "p.xy * 0.5 + 0.5"),
    "vNormal": ("vec3", "vec3(p.xy, 1.0)"),
    "v_normal": ("vec3", "vec3(p.yx, 0.5)"),
    "vPosition": ("vec3", "vec3(p.xy, 0.25)"),
    "v_color": ("vec4", "vec4(p.xy * 0.4 + 0.5, 0.25, 1.0)"),
    "vColor": ("vec3", "vec3(0.5, p.xy * 0.4 + 0.5)"),
}
"""Varyings that fragment shaders may read, with their types and values at a position."""


@dataclass(frozen=True)
class OldText:
    """One text. `shaders` are its stages with the text of each, the other stage added, and the names that are defined for each."""

    name: str
    stage: str
    dialect: str
    text: str

    @property
    def shaders(self) -> list[tuple[str, str, dict[str, str]]]:
        """Vertex and fragment shader: stage, text, defined names."""
        if self.stage == "both":
            return [("vert", self.text, {"VERTEX": "1"}), ("frag", self.text, {"FRAGMENT": "1"})]
        if self.stage == "frag":
            return [("vert", vertex_for(self.text, self.dialect), {}), ("frag", self.text, {})]
        return [("vert", self.text, {}), ("frag", fragment_for(self.dialect), {})]

    @property
    def own(self) -> list[tuple[str, str, dict[str, str]]]:
        """The shaders whose text is in the file."""
        return [item for item in self.shaders if self.stage in ("both", item[0])]


def old_texts(style: str) -> list[OldText]:
    """The texts of a style."""
    found = []
    for part in re.split(r"^@@ ", (FOLDER / f"{style}.txt").read_text("utf-8"), flags=re.M)[1:]:
        head, text = part.split("\n", 1)
        name, stage, dialect, *kinds = head.split()
        for kind in kinds:
            text = {
                "crlf": text.replace("\n", "\r\n"),
                "bom": "\ufeff" + text,
                "chop": text.removesuffix("\n"),
                "feeds": text.replace("\tgl_", "\f\vgl_"),
            }[kind]
        found.append(OldText(f"{style}/{name}", stage, dialect, text))
    return found


def _head(dialect: str) -> tuple[str, bool]:
    """The line of a version, and whether the dialect says in and out."""
    if dialect.startswith("es"):
        return ("#version 100\n", False) if dialect == "es100" else ("#version 300 es\n", True)
    return f"#version {dialect}\n", int(dialect) >= 130


def vertex_for(text: str, dialect: str) -> str:
    """A vertex shader that writes the varyings a fragment shader declares, with the qualifiers that have to agree."""
    head, is_new = _head(dialect)
    lines, moves = [head, f"{'in' if is_new else 'attribute'} vec4 p;\n"], ["gl_Position = p;"]
    joined = text.replace("\\\r\n", "").replace("\\\n", "")
    for name, (kind, value) in VARYINGS.items():
        match = re.search(rf"(?:\b(noperspective|centroid|smooth) +)?\b(?:in|varying)\b[^;()]*?\b{kind}\b[^;()]*?\b{name}\b", joined)
        if match:
            qualifier = f"{match[1]} " if match[1] else ""
            lines.append(f"{qualifier}{'out' if is_new else 'varying'} {kind} {name};\n")
            moves.append(f"{name} = {value};")
    return "".join([*lines, f"void main() {{ {' '.join(moves)} }}\n"])


def fragment_for(dialect: str) -> str:
    """A fragment shader that shows `v_color`."""
    head, is_new = _head(dialect)
    precision = "precision mediump float;\n" if dialect.startswith("es") else ""
    if is_new:
        return f"{head}{precision}in vec4 v_color; out vec4 c;\nvoid main() {{ c = v_color; }}\n"
    return f"{head}{precision}varying vec4 v_color;\nvoid main() {{ gl_FragColor = v_color; }}\n"


def defined(text: str, names: dict[str, str]) -> str:
    """A text with names defined after its #version, for compilers that take none."""
    lines = "".join(f"#define {name} {value}\n" for name, value in names.items())
    match = re.search(r"^[ \t]*#[ \t]*version[^\n]*\n", text, flags=re.M)
    return text[: match.end()] + lines + text[match.end() :] if match else lines + text


def uniform(name: str, scalar: str, rows: int, columns: int, count: int) -> NDArray[np.generic]:
    """Value of a uniform, which depends on its name alone: (count, columns, rows), as GLSL stores it."""
    base = re.sub(r"\[\d+\]$", "", name)
    lowered = base.lower()
    if columns > 1:
        made = np.tile(np.eye(columns, rows, dtype=np.float32), (count, 1, 1))
        return made if any(word in lowered for word in IDENTITY) else made + np.float32(0.125)
    random = np.random.default_rng(zlib.crc32(base.encode()))
    if scalar == "bool":
        return np.ones((count, 1, rows), np.int32)
    if scalar in ("int", "uint"):
        return random.integers(0, 4, (count, 1, rows)).astype(np.int32)
    if "res" in lowered and "fres" not in lowered and "thres" not in lowered:
        return np.full((count, 1, rows), SIZE, np.float32)
    return (random.integers(5, 30, (count, 1, rows)) / 32).astype(np.float32)


def attribute(name: str, size: int) -> NDArray[np.float32]:
    """Values of an attribute at the corners of the triangle: positions, texture coordinates, or others by the name."""
    lowered = name.lower()
    if "position" in lowered or name in ("p", "VertexCoord"):
        return np.ascontiguousarray(TRIANGLE[:, :size])
    if name == "TexCoord" or lowered.endswith("uv"):
        whole = np.concatenate([TRIANGLE[:, :2] * 0.5 + 0.5, np.zeros((3, 2), np.float32)], 1)
        return np.ascontiguousarray(whole[:, :size], np.float32)
    random = np.random.default_rng(zlib.crc32(name.encode()))
    return (random.integers(0, 32, (3, size)) / 32).astype(np.float32)


def texels() -> NDArray[np.uint8]:
    """The texture that every sampler reads: 8 by 8 texels."""
    return np.random.default_rng(7).integers(0, 256, (8, 8, 4), np.uint8)
