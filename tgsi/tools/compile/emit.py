"""``tgsi-compile`` without an action, and with ``--check``: findings, texts, tokens and code."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tgsi.tools.compile.errors import UsageError
from tgsi.tools.compile.files import Shader, inputs, one_input, report, write, write_folder
from tgsi.tools.compile.front import checked
from tgsi.tools.compile.passes import make_runner
from tgsi.tools.compile.targets import CODE, check_target, chosen_cpu

_BINARY = {"obj": "an object", "spirv": "a module"}
"""Outputs that are no text."""
_TOGETHER = ("spirv", "spirv-text")
"""Outputs whose stages meet by number alone: those of several shaders get the same numbers."""


def compile_shaders(options: argparse.Namespace) -> int:
    """Check each file and write the output that --emit names. Returns the exit code."""
    from tgsi.language.diagnostics import DiagnosticError

    if options.emit and options.check:
        raise UsageError("argument --emit: not allowed with argument --check")
    if options.emit == "link":
        raise UsageError("--emit link goes with --link")
    try:
        run_passes = make_runner(options, sys.stderr.write)
    except ValueError as error:
        raise UsageError(str(error)) from None
    binary = options.emit in _BINARY
    if binary:
        _refuse_terminal(options)
    alone = binary and (options.emit not in _TOGETHER or len(options.files) < 2)
    shaders = [one_input(options, f"--emit {options.emit}")] if alone else inputs(options)
    findings: list[Any] = []
    programs: list[tuple[Shader, Any]] = []
    made: list[Any] = []
    failed = False
    for shader in shaders:
        try:
            program, found = checked(shader, options)
            findings += found
            if any(item.severity.value == "error" or (options.werror and item.severity.value == "warning") for item in found):
                failed = True
            elif not options.check:
                programs.append((shader, run_passes(program)))
        except DiagnosticError as error:
            findings += error.diagnostics
            failed = True
    if options.emit in _TOGETHER:
        programs = programs[:0] if failed else _located(programs)
    for shader, program in programs:
        try:
            made.append(_headed(_emit(program, options), shader, options))
        except DiagnosticError as error:
            findings += error.diagnostics
            failed = True
    report(options, findings, failed)
    if options.check or (failed and not made) or _only_times(options):
        return int(failed)
    if isinstance(made[0], bytes):
        if not alone:
            return int(failed) or write_folder(options, [f"{Path(shader.name).name}.spv" for shader in shaders], made)
        write(options, made[0])
    elif options.emit == "json":
        write(options, json.dumps(made[0] if len(shaders) == 1 else made, indent=1) + "\n")
    else:
        write(options, "\n".join(made))
    return int(failed)


def _located(programs: list[tuple[Shader, Any]]) -> list[tuple[Shader, Any]]:
    """Programs of stages that link with each other, with small locations for values that meet by name."""
    if len(programs) < 2:
        return programs
    from tgsi.api import renumber

    found = renumber([program for _, program in programs], "byte").programs
    return [(shader, program) for (shader, _), program in zip(programs, found)]


def _headed(made: Any, shader: Shader, options: argparse.Namespace) -> Any:
    """The output for a shader of a log, with the place where it was found, unless it is picked alone."""
    if shader.found is None or isinstance(made, bytes) or (options.pick is not None and options.pick.strip().isdigit()):
        return made
    if isinstance(made, dict):
        return {"number": shader.found.number, "line": shader.found.line, "heading": shader.found.heading, **made}
    mark = {"llvm": ";", "glsl": "//", "spirv-text": ";"}.get(options.emit, "#")
    return f"{mark} {shader.heading}\n{made}"


def _refuse_terminal(options: argparse.Namespace) -> None:
    if options.output in (None, "-") and sys.stdout.isatty():
        raise UsageError(f"--emit {options.emit}: {_BINARY[options.emit]} is no text for a terminal; write it to a file with -o FILE")


def _only_times(options: argparse.Namespace) -> bool:
    """True if --time-passes is given without --emit: the shader is then compiled only to be timed."""
    return bool(options.time_passes and options.emit is None)


def _emit(program: Any, options: argparse.Namespace) -> Any:
    kind = "obj" if _only_times(options) else options.emit or "text"
    if kind in CODE:
        return _code(program, kind, options)
    emitters: dict[str, Callable[[Any], Any]] = {"text": str, "ir": _ir, "json": _json, "mesa": _mesa, "tokens": _tokens}
    keyed: dict[str, Callable[[Any, argparse.Namespace], Any]] = {"glsl": _glsl, "spirv": _spirv, "spirv-text": _spirv_text}
    with options.watch.stage(f"print {kind}"):
        if kind not in keyed:
            return emitters[kind](program)
        try:
            return keyed[kind](program, options)
        except ValueError as error:  # the key does not fit the program
            raise UsageError(f"--state: {str(error).partition(': state: ')[2] or error}") from None


def _ir(program: Any) -> str:
    from tgsi.language.listing import list_program

    return list_program(program)


def _json(program: Any) -> dict[str, Any]:
    from tgsi.language.listing import program_as_json

    return program_as_json(program)


def _mesa(program: Any) -> str:
    from tgsi.language.text.dumper import dump_mesa

    return dump_mesa(program)


def _tokens(program: Any) -> str:
    from tgsi.language.tokens.encoder import encode

    return "".join(f"{word:08x}\n" for word in encode(program))


def _spirv(program: Any, options: argparse.Namespace) -> bytes:
    from backends.spirv import write_spirv

    return write_spirv(program, state=options.shader_key)


def _spirv_text(program: Any, options: argparse.Namespace) -> str:
    from backends.spirv.listing import disassemble

    return disassemble(_spirv(program, options))


def _glsl(program: Any, options: argparse.Namespace) -> str:
    from backends.glsl.emit import write_glsl

    return write_glsl(program, options.glsl_version, state=options.shader_key)


def _code(program: Any, kind: str, options: argparse.Namespace) -> str | bytes:
    cpu = chosen_cpu(options)
    with options.watch.stage("load code generator"):
        from backends.llvm.engine.artifact import has_objects
        from backends.llvm.kernels.listing import generate
        from passes.fitting import fitted
    check_target(options)
    try:
        if _only_times(options) and not has_objects(cpu):
            kind = "asm"
        made = generate(fitted(program), kind, cpu=cpu, lanes=options.lanes)
    except ValueError as error:  # the target cannot run this program
        raise UsageError(f"--emit {kind}: {error}") from None
    options.watch.add(made.times)
    return made.data
