"""Compile a request: glslang translates the text to SPIR-V, and the SPIR-V reader translates that to a program."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from frontends.glsl import cache
from frontends.glsl.by_name import name_ports, stated_names
from frontends.glsl.compiler import Compiler, find_compiler, run_compiler
from frontends.glsl.hlsl.mend import explained, has_matrices, mend
from frontends.glsl.log import findings
from frontends.glsl.prepare import Prepared, prepare
from frontends.glsl.preprocess.scan import Token
from frontends.glsl.request import SUFFIXES, Request, check_text
from frontends.spirv import read
from tgsi.language.diagnostics import Diagnostic, DiagnosticError, Label, ParseError, Severity, UnsupportedError
from tgsi.language.interface import Block, Interface
from tgsi.language.ir import Property
from tgsi.language.program import Program

_NAMES = {stage: word for word, stage in SUFFIXES.items()}
_BROADCAST = "gl_FragColor"
"""The output that is written to every color buffer."""


def compile_request(request: Request) -> Program:
    """The program of a request. Warnings are its `notes`.

    Raises:
        ParseError: the text has errors (G001), uses unsupported names, forms or files (G012 to G014), is no source code (G020), or
            calls functions that no text defines (G016).
        UnsupportedError: glslang is missing (G010) or failed (G011), or TGSI cannot express the program (M020 to M023).
    """
    for source in (request.source, *request.more):
        check_text(source)
    find_compiler()  # raises G010 before the text is preprocessed
    prepared = prepare(request)
    try:
        return compile_prepared(request, prepared)
    except ParseError:
        filled = prepare(request, fills=True) if request.language != "hlsl" else prepared
        if filled.absent:
            compile_prepared(request, filled)  # raises all other errors
            raise ParseError(_absent(name, token, filled) for name, token in filled.absent) from None
        raise


def compile_prepared(request: Request, prepared: Prepared) -> Program:
    """The program of a prepared text. Errors are those of `compile_request` except for G012 to G014 and G020."""
    compiler = find_compiler()
    arguments = _arguments(request, prepared)
    key = cache.key_of((compiler.version, *arguments, prepared.text))
    module = cache.find(key)
    if module is None:
        module = _compiled(compiler, arguments, request, prepared)
        cache.keep(key, module)
    return _program(module, request, prepared)


def _absent(name: str, token: Token, prepared: Prepared) -> Diagnostic:
    """The finding about a function that no text defines, if the texts have no other errors."""
    message = "no function `main` is there" if name == "main" else f"`{name}` is declared, and no text defines it"
    return Diagnostic("G016", Severity.ERROR, message, prepared.reports.labels(token), "compile it with the text that has it: [text, text]")


def _arguments(request: Request, prepared: Prepared) -> list[str]:
    """Arguments of glslang. The module has names and lines, and is not optimized."""
    made = ["--stdin", "-S", _NAMES[request.stage], "-C", "-g", "-Od", "--aml", "--amb"]
    if request.language == "hlsl":
        made += ["-D", "-V", "-fhlsl_functionality1", "-e", request.entry, *(["-i"] if has_matrices(prepared.text) else [])]
    else:
        made += [*(["-V", "--target-env", "vulkan1.3"] if prepared.is_vulkan else ["-G", "--target-env", "spirv1.4"]), "-i"]
    return made


def _compiled(compiler: Compiler, arguments: list[str], request: Request, prepared: Prepared) -> cache.Module:
    output = run_compiler(compiler, arguments, prepared.text)
    if output.module:
        kept = "\n".join(line for line in output.text.split("\n") if line.startswith(("WARNING:", "ERROR:")))
        if request.language != "hlsl":
            return cache.Module(output.module, kept, stated_names(output.text, "location"), stated_names(output.text, "binding"))
        module, errors = mend(output.module, output.text, prepared.text, request.stage)
        if errors:
            raise ParseError(findings("\n".join(errors), prepared))
        return cache.Module(module, kept, frozenset(), None)
    found = findings(output.text, prepared)
    if request.language == "hlsl" and not found:
        found = findings("\n".join(explained(prepared.text)), prepared)
    if any(item.severity is Severity.ERROR for item in found):
        raise ParseError(found)
    if output.is_late or output.status < 0 or output.status > 128:
        why = "took too long" if output.is_late else "ended without a result"
        raise UnsupportedError.at("G011", f"{request.source.name}: the compiler {why}; the text may be too large or nest too deep")
    words = " ".join(output.text.split())[-300:] or f"exit status {output.status}"
    raise UnsupportedError.at("G011", f"{request.source.name}: the compiler made no module: {words}")


def _program(module: cache.Module, request: Request, prepared: Prepared) -> Program:
    try:
        program = read(module.words, stage=request.stage, name=request.source.name, located=module.located, bound=module.bound)
    except DiagnosticError as error:
        raise type(error)(_relabelled(item, prepared) for item in error.diagnostics) from None
    program = replace(program, interface=_with_subroutines(_as_written(program.interface or Interface(), prepared), prepared))
    if program.interface is not None and _BROADCAST in program.interface.outputs:
        program = replace(program, properties=(*program.properties, Property("FS_COLOR0_WRITES_ALL_CBUFS", 1)))
    program = name_ports(program, module.located)
    if request.language != "hlsl" and not prepared.is_vulkan and program.interface is not None:
        program = replace(program, interface=replace(program.interface, is_upward=True))  # even with origin_upper_left
    return replace(program, notes=findings(module.log, prepared))


def _as_written(interface: Interface, prepared: Prepared) -> Interface:
    """The interface with the text's original names instead of those of the upgrade."""
    if not prepared.old:
        return interface
    made: dict[str, Any] = {}
    for kind in ("blocks", "buffers", "samplers", "images", "inputs", "outputs"):
        items = getattr(interface, kind)
        made[kind] = MappingProxyType({prepared.words(name): _named(item, prepared) for name, item in items.items()})
    if interface.uniforms is not None:
        made["uniforms"] = _named(interface.uniforms, prepared)
    return replace(interface, **made)


def _with_subroutines(interface: Interface, prepared: Prepared) -> Interface:
    """The interface with the program's subroutine functions, and with the subroutine uniforms that it uses."""
    found = prepared.subroutines
    if not found.functions:
        return interface
    members = interface.uniforms.members if interface.uniforms is not None else {}
    used = {name: item for name, item in found.uniforms.items() if name in members}
    return replace(interface, subroutines=MappingProxyType(dict(found.functions)), subroutine_uniforms=MappingProxyType(used))


def _named(item: Any, prepared: Prepared) -> Any:
    """A part of an interface with the names of the text."""
    changes: dict[str, Any] = {"name": prepared.words(item.name)}
    if isinstance(item, Block):
        changes["members"] = MappingProxyType({prepared.words(name): _named(member, prepared) for name, member in item.members.items()})
    return replace(item, **changes)


def _relabelled(item: Diagnostic, prepared: Prepared) -> Diagnostic:
    """A finding of the SPIR-V reader with its places moved from glslang's text to the texts that the user wrote."""
    labels: list[Label] = []
    for label in item.labels:
        labels += prepared.labels(label.span.line) if label.span.source.name == "stdin" else [label]
    return replace(item, message=prepared.words(item.message), labels=tuple(labels))
