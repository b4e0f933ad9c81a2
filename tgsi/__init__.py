"""TGSI and Gallium in Python: parse, check, link and run shaders; render with them.

    program = tgsi.parse(text)
    words = tgsi.encode(program)
    text = tgsi.dump(program, style="mesa")
    table = tgsi.link(vertex, fragment)
    program = tgsi.optimize(program)
    result = tgsi.run(program, inputs)
    screen = tgsi.Screen()

State objects, enumerations and formats are in `tgsi.gallium`. Importing this package loads neither numpy nor llvmlite: what
needs them comes when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tgsi import _siblings
from tgsi.diagnostics import (
    Diagnostic,
    DiagnosticError,
    LimitError,
    LinkError,
    ParseError,
    Severity,
    TgsiError,
    UnsupportedError,
    ValidationError,
)
from tgsi.enums import File, Interpolation, Location, Processor
from tgsi.ir import Program
from tgsi.opcodes import OPCODES
from tgsi.semantics import Semantic
from tgsi.source import Source, Span

if TYPE_CHECKING:
    from backends.gallium.context import Context
    from backends.gallium.screen import Screen
    from backends.result import RunResult
    from backends.textures import TextureData
    from linkage.linker import Linker
    from linkage.options import LinkOptions
    from linkage.table import LinkTable
    from tgsi.api import check, link, optimize, parse, run, validate
    from tgsi.build import ProgramBuilder
    from tgsi.decoder import decode
    from tgsi.dumper import dump
    from tgsi.encoder import encode
    from tgsi.info import ShaderInfo

_siblings.check()

__version__ = "0.1.0"

_LAZY = {
    "Context": "backends.gallium.context",
    "LinkOptions": "linkage.options",
    "LinkTable": "linkage.table",
    "Linker": "linkage.linker",
    "ProgramBuilder": "tgsi.build",
    "RunResult": "backends.result",
    "Screen": "backends.gallium.screen",
    "ShaderInfo": "tgsi.info",
    "TextureData": "backends.textures",
    "check": "tgsi.api",
    "decode": "tgsi.decoder",
    "dump": "tgsi.dumper",
    "encode": "tgsi.encoder",
    "link": "tgsi.api",
    "parse": "tgsi.api",
    "optimize": "tgsi.api",
    "run": "tgsi.api",
    "validate": "tgsi.api",
}

__all__ = [
    "OPCODES",
    "Context",
    "Diagnostic",
    "DiagnosticError",
    "File",
    "Interpolation",
    "LimitError",
    "LinkError",
    "LinkOptions",
    "LinkTable",
    "Linker",
    "Location",
    "ParseError",
    "Processor",
    "Program",
    "ProgramBuilder",
    "RunResult",
    "Screen",
    "Semantic",
    "Severity",
    "ShaderInfo",
    "Source",
    "Span",
    "TextureData",
    "TgsiError",
    "UnsupportedError",
    "ValidationError",
    "__version__",
    "check",
    "decode",
    "dump",
    "encode",
    "link",
    "optimize",
    "parse",
    "run",
    "validate",
]


def __getattr__(name: str) -> Any:
    home = _LAZY.get(name)
    if home is None:
        raise AttributeError(f"module 'tgsi' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
