"""TGSI and Gallium in Python: parse, check, link and run shaders; render with them.

    program = tgsi.parse(text)
    words = tgsi.encode(program)
    text = tgsi.dump(program, style="mesa")
    table = tgsi.link(vertex, fragment)
    program = tgsi.optimize(program)
    result = tgsi.run(program, inputs)
    screen = tgsi.Screen()

State objects, enumerations and formats are in `tgsi.gallium`. Importing this package loads neither numpy nor llvmlite: names that
need them are loaded at their first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tgsi import _siblings
from tgsi.language.diagnostics import (
    Diagnostic,
    DiagnosticError,
    Fix,
    LimitError,
    LinkError,
    ParseError,
    Severity,
    TgsiError,
    UnsupportedError,
    ValidationError,
    apply_fixes,
)
from tgsi.language.facts.enums import File, Interpolation, Location, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program
from tgsi.language.source import Source, Span

if TYPE_CHECKING:
    from backends.gallium.context.context import Context
    from backends.run.result import RunResult
    from backends.run.textures import TextureData
    from linkage.linker import Linker
    from linkage.options import LinkOptions
    from linkage.table import LinkTable
    from tgsi.api import check, link, optimize, parse, run, validate
    from tgsi.language.builder.program_builder import ProgramBuilder
    from tgsi.language.info import ShaderInfo
    from tgsi.language.text.dumper import dump
    from tgsi.language.tokens.decoder import decode
    from tgsi.language.tokens.encoder import encode
    from tgsi.screen import Screen

_siblings.check()

__version__ = "0.1.0"

_LAZY = {
    "Context": "backends.gallium.context.context",
    "LinkOptions": "linkage.options",
    "LinkTable": "linkage.table",
    "Linker": "linkage.linker",
    "ProgramBuilder": "tgsi.language.builder.program_builder",
    "RunResult": "backends.run.result",
    "Screen": "tgsi.screen",
    "ShaderInfo": "tgsi.language.info",
    "TextureData": "backends.run.textures",
    "check": "tgsi.api",
    "decode": "tgsi.language.tokens.decoder",
    "dump": "tgsi.language.text.dumper",
    "encode": "tgsi.language.tokens.encoder",
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
    "Fix",
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
    "apply_fixes",
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
