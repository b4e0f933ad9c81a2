"""Shader and program objects. (OpenGL 4.6 core, 7.1 and 7.3)"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import tgsi
from frontends.glsl.live import live_text
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.objects.linked import Linked

STAGES = {
    GL.VERTEX_SHADER: "vert",
    GL.TESS_CONTROL_SHADER: "tesc",
    GL.TESS_EVALUATION_SHADER: "tese",
    GL.GEOMETRY_SHADER: "geom",
    GL.FRAGMENT_SHADER: "frag",
    GL.COMPUTE_SHADER: "comp",
}
"""Types of shaders in pipeline order, with their stage names for `tgsi.compile`."""


_live = lru_cache(live_text)


class Shader:
    """A shader object: a text and its program; no program for a part, which needs other shaders of its stage."""

    def __init__(self, name: int, type: int) -> None:
        self.name = name
        self.type = type
        self.source = ""
        self.compiled = ""
        self.program: tgsi.Program | None = None
        self.status = False
        self.is_part = False
        self.log = ""
        self.label = ""
        self.is_deleted = False
        self.users = 0

    def compile(self, *, fixed_names: bool) -> None:
        """Compile the text; `log` has the messages with carets. `fixed_names`: allow the names of the fixed-function pipeline."""
        self.program, self.status, self.log, self.compiled, self.is_part = None, False, "", self.source, False
        try:
            name = f"shader {self.name}"
            self.program = tgsi.compile(self.source, stage=STAGES[self.type], language="opengl", name=name, fixed_names=fixed_names)
        except tgsi.ParseError as error:
            self.is_part = self.status = all(item.code == "G016" for item in error.diagnostics)
            self.log = "" if self.is_part else str(error)
        except (tgsi.TgsiError, ValueError) as error:
            self.log = str(error)
        else:
            self.status = True
            self.log = "\n".join(str(note) for note in self.program.notes)

    def live_text(self) -> str:
        """The live code of the compiled text."""
        return _live(self.compiled, STAGES[self.type])


class Program:
    """A program object. `linked` is the result of the last successful link, which remains in use if a later link fails."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.shaders: list[Shader] = []
        self.attributes: dict[str, int] = {}
        self.outputs: dict[str, tuple[int, int]] = {}
        self.varyings: tuple[str, ...] = ()
        self.varying_mode: int = GL.INTERLEAVED_ATTRIBS
        self.is_separable = False
        self.is_retrievable = False
        self.linked: Linked | None = None
        self.status = False
        self.is_valid = False
        self.log = ""
        self.label = ""
        self.is_deleted = False

    def __repr__(self) -> str:
        return f"<Program {self.name}>"
