"""TGSI and Gallium in Python: parse, check, link and run shaders; render with them.

    program = tgsi.parse(text)
    program = tgsi.read_spirv(module)
    program = tgsi.compile("shader.frag")
    module = tgsi.write_spirv(program)
    words = tgsi.encode(program)
    text = tgsi.dump(program, style="mesa")
    text = tgsi.write_glsl(program)
    table = tgsi.link(vertex, fragment)
    tables = tgsi.link_chain(vertex, geometry, fragment, profile="nv50")
    program = tgsi.optimize(program)
    program = tgsi.lower(program, two_side=True)
    result = tgsi.run(program, inputs)
    radiance = tgsi.function("brdf.glsl", "brdf")(normal, light, view)
    found = tgsi.programs_in(log)
    screen = tgsi.Screen()
    tgsi.inspect("frame.trace", "frame.html")

Links: `findings`, `PROFILES`, `LinkOptions`; `relocations` and `patch`, `Linker`, `OutputLinker`, `linked_program`; the sets of legal
semantics in `limits` and `LIMITS`, `renumber`, `SemanticInterner`; shader model 3 names in `sm3` (docs/linkage.md).

State objects, enumerations and formats are in `tgsi.gallium`. Importing this package loads neither numpy nor llvmlite: names that
need them are loaded at their first use.
"""

import importlib as _importlib
import os as _os
import typing as _typing

from tgsi import _siblings

if _typing.TYPE_CHECKING:
    from backends.glsl.emit import write_glsl
    from backends.run.result import RunResult
    from backends.run.textures import TextureData
    from backends.shader_key.key import ShaderKey
    from backends.shader_key.matching import matching_key
    from backends.spirv import write_spirv
    from frontends.programs import compile
    from frontends.spirv import read_spirv
    from linkage import sm3
    from linkage.chain import PairCache
    from linkage.interner import SemanticInterner
    from linkage.linker import Linker, OutputLinker
    from linkage.options import LinkOptions, LinkState
    from linkage.profiles import PROFILES
    from linkage.relocate import RelocationList, patch
    from linkage.rows import Relocation
    from linkage.table import LinkTable
    from passes.lower.options import LoweringOptions
    from passes.validate import semantics as limits
    from passes.validate.semantics import LIMITS, SemanticLimits
    from tgsi.api import (
        check,
        findings,
        link,
        link_chain,
        linked_program,
        optimize,
        parse,
        relocations,
        renumber,
        run,
        validate,
    )
    from tgsi.equality import DifferenceError, check_equal
    from tgsi.frame_map import frames
    from tgsi.functions.function import function
    from tgsi.gallium import Context, Screen
    from tgsi.language.builder.program_builder import ProgramBuilder
    from tgsi.language.diagnostics import (
        Diagnostic,
        DiagnosticError,
        Fix,
        LimitError,
        LinkError,
        ParseError,
        Severity,
        TgsiError,
        TimeLimitError,
        UnsupportedError,
        ValidationError,
        apply_fixes,
    )
    from tgsi.language.facts.enums import File, Interpolation, Location, Processor
    from tgsi.language.facts.opcodes import OPCODES
    from tgsi.language.facts.semantics import Semantic
    from tgsi.language.from_json import program_from_json, programs_from_json
    from tgsi.language.info import ShaderInfo
    from tgsi.language.listing import program_as_json
    from tgsi.language.program import Program
    from tgsi.language.source import Source, Span
    from tgsi.language.text.dumper import dump
    from tgsi.language.text.logs import FoundProgram, programs_in
    from tgsi.language.tokens.decoder import decode
    from tgsi.language.tokens.encoder import encode
    from tgsi.lowering import device_pair, geometry_for, lower, lowering_for, stipple_texels, window_constant

    def inspect(subject: _typing.Any, page: str | _os.PathLike[str], *, pixels: _typing.Iterable[tuple[int, int]] = ()) -> None:
        """Declare `tgsi.tools.inspect.live.inspect` here: the tools import this package."""


_siblings.check()

__version__ = "0.1.0"

_MODULES = {
    "gallium": "tgsi.gallium",
    "limits": "passes.validate.semantics",
    "nvk": "tgsi.nvk",
    "passes": "tgsi.passes",
    "sm3": "linkage.sm3",
}

_LAZY = {
    "Context": "tgsi.gallium",
    "Diagnostic": "tgsi.language.diagnostics",
    "DiagnosticError": "tgsi.language.diagnostics",
    "File": "tgsi.language.facts.enums",
    "Fix": "tgsi.language.diagnostics",
    "FoundProgram": "tgsi.language.text.logs",
    "Interpolation": "tgsi.language.facts.enums",
    "LIMITS": "passes.validate.semantics",
    "LimitError": "tgsi.language.diagnostics",
    "LinkError": "tgsi.language.diagnostics",
    "LinkOptions": "linkage.options",
    "LinkState": "linkage.options",
    "LinkTable": "linkage.table",
    "Linker": "linkage.linker",
    "Location": "tgsi.language.facts.enums",
    "LoweringOptions": "passes.lower.options",
    "OPCODES": "tgsi.language.facts.opcodes",
    "OutputLinker": "linkage.linker",
    "PROFILES": "linkage.profiles",
    "PairCache": "linkage.chain",
    "ParseError": "tgsi.language.diagnostics",
    "Processor": "tgsi.language.facts.enums",
    "Program": "tgsi.language.program",
    "ProgramBuilder": "tgsi.language.builder.program_builder",
    "Relocation": "linkage.rows",
    "RelocationList": "linkage.relocate",
    "RunResult": "backends.run.result",
    "Screen": "tgsi.gallium",
    "Semantic": "tgsi.language.facts.semantics",
    "SemanticInterner": "linkage.interner",
    "SemanticLimits": "passes.validate.semantics",
    "Severity": "tgsi.language.diagnostics",
    "ShaderInfo": "tgsi.language.info",
    "ShaderKey": "backends.shader_key.key",
    "Source": "tgsi.language.source",
    "Span": "tgsi.language.source",
    "TextureData": "backends.run.textures",
    "TgsiError": "tgsi.language.diagnostics",
    "TimeLimitError": "tgsi.language.diagnostics",
    "UnsupportedError": "tgsi.language.diagnostics",
    "ValidationError": "tgsi.language.diagnostics",
    "apply_fixes": "tgsi.language.diagnostics",
    "DifferenceError": "tgsi.equality",
    "check": "tgsi.api",
    "check_equal": "tgsi.equality",
    "compile": "frontends.programs",
    "decode": "tgsi.language.tokens.decoder",
    "device_pair": "tgsi.lowering",
    "dump": "tgsi.language.text.dumper",
    "encode": "tgsi.language.tokens.encoder",
    "findings": "tgsi.api",
    "frames": "tgsi.frame_map",
    "function": "tgsi.functions.function",
    "geometry_for": "tgsi.lowering",
    "inspect": "tgsi.tools.inspect.live",
    "link": "tgsi.api",
    "load_ipython_extension": "tgsi.tools.cells",
    "link_chain": "tgsi.api",
    "linked_program": "tgsi.api",
    "lower": "tgsi.lowering",
    "lowering_for": "tgsi.lowering",
    "matching_key": "backends.shader_key.matching",
    "optimize": "tgsi.api",
    "parse": "tgsi.api",
    "patch": "linkage.relocate",
    "program_as_json": "tgsi.language.listing",
    "program_from_json": "tgsi.language.from_json",
    "programs_from_json": "tgsi.language.from_json",
    "programs_in": "tgsi.language.text.logs",
    "read_spirv": "frontends.spirv",
    "relocations": "tgsi.api",
    "renumber": "tgsi.api",
    "run": "tgsi.api",
    "stipple_texels": "tgsi.lowering",
    "validate": "tgsi.api",
    "window_constant": "tgsi.lowering",
    "write_glsl": "backends.glsl.emit",
    "write_spirv": "backends.spirv",
}

__all__ = [
    "LIMITS",
    "OPCODES",
    "PROFILES",
    "Context",
    "Diagnostic",
    "DiagnosticError",
    "DifferenceError",
    "File",
    "Fix",
    "FoundProgram",
    "Interpolation",
    "LimitError",
    "LinkError",
    "LinkOptions",
    "LinkState",
    "LinkTable",
    "Linker",
    "Location",
    "LoweringOptions",
    "OutputLinker",
    "PairCache",
    "ParseError",
    "Processor",
    "Program",
    "ProgramBuilder",
    "Relocation",
    "RelocationList",
    "RunResult",
    "Screen",
    "Semantic",
    "SemanticInterner",
    "SemanticLimits",
    "Severity",
    "ShaderInfo",
    "ShaderKey",
    "Source",
    "Span",
    "TextureData",
    "TgsiError",
    "TimeLimitError",
    "UnsupportedError",
    "ValidationError",
    "__version__",
    "apply_fixes",
    "check",
    "check_equal",
    "compile",
    "decode",
    "device_pair",
    "dump",
    "encode",
    "findings",
    "frames",
    "function",
    "geometry_for",
    "inspect",
    "limits",
    "link",
    "link_chain",
    "linked_program",
    "lower",
    "lowering_for",
    "matching_key",
    "optimize",
    "parse",
    "patch",
    "program_as_json",
    "program_from_json",
    "programs_from_json",
    "programs_in",
    "read_spirv",
    "relocations",
    "renumber",
    "run",
    "sm3",
    "stipple_texels",
    "validate",
    "window_constant",
    "write_glsl",
    "write_spirv",
]


def __getattr__(name: str) -> _typing.Any:
    home = _MODULES.get(name) or _LAZY.get(name)
    if home is None:
        raise AttributeError(f"module 'tgsi' has no attribute {name!r}")
    from tgsi.language._collector import collector_paused  # here: the command's help and version load no name

    with collector_paused(promote=True):  # objects made by imported modules stay alive
        module: _typing.Any = _importlib.import_module(home)
    value = globals()[name] = module if name in _MODULES else getattr(module, name)
    return value


def __dir__() -> list[str]:
    """The promised names, and the public modules."""
    return sorted({*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))})
