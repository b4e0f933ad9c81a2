"""A request to a program: glslang makes SPIR-V of the text, and the reader of SPIR-V makes the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from frontends.glsl import cache
from frontends.glsl.by_name import located_names, name_ports
from frontends.glsl.compiler import Compiler, find_compiler, run_compiler
from frontends.glsl.includes import included
from frontends.glsl.log import findings
from frontends.glsl.request import SUFFIXES, Request, check_text
from frontends.glsl.upgrade import COLORS, PREFIX, Prepared, prepare
from frontends.spirv import read
from tgsi.language.diagnostics import Diagnostic, DiagnosticError, Label, ParseError, Severity, UnsupportedError
from tgsi.language.facts.enums import Processor
from tgsi.language.interface import Interface
from tgsi.language.ir import Property
from tgsi.language.program import Program
from tgsi.language.source import Source, Span

_NAMES = {stage: word for word, stage in SUFFIXES.items()}
_BROADCAST = "gl_FragColor"
"""The output that goes to every color buffer."""


def compile_request(request: Request) -> Program:
    """The program of a request. Warnings are its `notes`.

    Raises:
        ParseError: the text has errors (G001), or cannot be what it says to be (G012 to G014, G020).
        UnsupportedError: there is no compiler (G010), it gave up (G011), or TGSI has no words for the program (M020 to M023).
    """
    check_text(request.source)
    compiler = find_compiler()
    files = included(request)
    prepared = prepare(request.source, request.stage) if request.language == "glsl" else Prepared(text=request.source.text)
    arguments = _arguments(request)
    key = cache.key_of((compiler.version, *arguments, prepared.text, *(part for item in sorted(files.items()) for part in item)))
    module = cache.find(key)
    if module is None:
        module = _compiled(compiler, arguments, request, prepared, files)
        cache.keep(key, module)
    return _program(module, request, prepared, files)


def _arguments(request: Request) -> list[str]:
    """Arguments of glslang. The module has names and lines, and keeps what the text says: nothing is optimized there."""
    made = ["--stdin", "-S", _NAMES[request.stage], "-C", "-g", "-Od", "--aml", "--amb"]
    if request.language == "hlsl":
        made += ["-D", "-V", "-fhlsl_functionality1", "-e", request.entry]
    else:
        made += ["-G", "-i"]
    made += [f"-D{name}={text}" if text else f"-D{name}" for name, text in request.defines]
    return made + [f"-I{folder}" for folder in request.folders]


def _compiled(compiler: Compiler, arguments: list[str], request: Request, prepared: Prepared, files: Mapping[str, str]) -> cache.Module:
    output = run_compiler(compiler, arguments, prepared.text)
    if output.module:
        kept = "\n".join(line for line in output.text.split("\n") if line.startswith(("WARNING:", "ERROR:")))
        return cache.Module(output.module, kept, located_names(output.text))
    found = findings(output.text, request.source, prepared, files)
    if any(item.severity is Severity.ERROR for item in found):
        raise ParseError(found)
    if output.is_late or output.status < 0 or output.status > 128:
        why = "took too long" if output.is_late else "ended without a result"
        raise UnsupportedError.at("G011", f"{request.source.name}: the compiler {why}; the text may be too large or nest too deep")
    words = " ".join(output.text.split())[-300:] or f"exit status {output.status}"
    raise UnsupportedError.at("G011", f"{request.source.name}: the compiler made no module: {words}")


def _program(module: cache.Module, request: Request, prepared: Prepared, files: Mapping[str, str]) -> Program:
    try:
        program = read(module.words, stage=request.stage, name=request.source.name, located=module.located)
    except DiagnosticError as error:
        raise type(error)(_relabelled(item, request.source, prepared) for item in error.diagnostics) from None
    program = replace(program, interface=_as_written(program.interface or Interface()))
    if program.interface is not None and _BROADCAST in program.interface.outputs:
        program = replace(program, properties=(*program.properties, Property("FS_COLOR0_WRITES_ALL_CBUFS", 1)))
    program = name_ports(program, module.located)
    if request.language == "glsl" and program.processor is Processor.FRAG and program.interface is not None:
        program = replace(program, interface=replace(program.interface, is_upward=True))  # also where gl_FragCoord counts from the top
    return replace(program, notes=findings(module.log, request.source, prepared, files))


def _as_written(interface: Interface) -> Interface:
    """The interface with the names of the text, where the upgrade gave others."""
    made: dict[str, Any] = {}
    for kind in ("blocks", "buffers", "samplers", "images", "inputs", "outputs"):
        found = getattr(interface, kind)
        if any(name.startswith(PREFIX) for name in found):
            made[kind] = MappingProxyType({_old(name): replace(item, name=_old(name)) for name, item in found.items()})
    uniforms = interface.uniforms
    if uniforms is not None and any(name.startswith(PREFIX) for name in uniforms.members):
        members = {_old(name): replace(item, name=_old(name)) for name, item in uniforms.members.items()}
        made["uniforms"] = replace(uniforms, members=MappingProxyType(members))
    return replace(interface, **made) if made else interface


def _old(name: str) -> str:
    return "gl_FragData" if name == COLORS else name.removeprefix(PREFIX)


def _relabelled(item: Diagnostic, source: Source, prepared: Prepared) -> Diagnostic:
    """A finding of the reader, whose lines are those of the text for glslang, with those of the source."""
    labels = []
    for label in item.labels:
        line = prepared.line(label.span.line)
        if label.span.source.name != "stdin" or not 1 <= line <= len(source.line_starts):
            labels.append(label)
            continue
        start, text = source.line_starts[line - 1], source.line_text(line)
        indent = len(text) - len(text.lstrip())
        labels.append(Label(Span(source, start + indent, start + max(len(text.rstrip()), indent)), label.text))
    return replace(item, labels=tuple(labels))
