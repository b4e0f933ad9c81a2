"""``tgsi-compile`` without an action, and with ``--check``: findings, texts, tokens and code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any

from tgsi.tools.compile.batch.names import Unread, is_folder, shown
from tgsi.tools.compile.errors import PROGRAM, UsageError
from tgsi.tools.compile.files import Shader, each, input_names, one_input, report, write, write_folder
from tgsi.tools.compile.front import DEFAULT_PROFILE, checked, fails
from tgsi.tools.compile.passes import make_runner
from tgsi.tools.compile.state import matched
from tgsi.tools.compile.targets import CODE, check_target, chosen_cpu

_BINARY = {"obj": "an object", "spirv": "a module"}
"""Binary outputs."""
_TOGETHER = ("spirv", "spirv-text")
"""Outputs whose stages are matched by number only, so all shaders of a command share the same numbers."""
_ENDINGS = {
    "text": ".tgsi",
    "canonical": ".tgsi",
    "mesa": ".tgsi",
    "llvm": ".ll",
    "asm": ".s",
    "obj": ".o",
    "spirv": ".spv",
    "spirv-text": ".spvasm",
}
"""Endings of files in a folder of -o, where they are not the name of the form."""


class _Work:
    """Shaders that were read, and findings with the names of their inputs."""

    def __init__(self) -> None:
        self.programs: list[tuple[Shader, Any]] = []
        self.made: list[tuple[Shader, Any, Any]] = []
        self.findings: list[Any] = []
        self.names: list[str] = []
        self.unread: list[Unread] = []
        self.failed = False

    def add(self, shader: Shader, findings: Iterable[Any]) -> None:
        """Add the findings of a shader."""
        new = list(findings)
        self.findings += new
        self.names += [shader.name] * len(new)


def compile_shaders(options: argparse.Namespace) -> int:
    """Check each file and write the output that --emit names. Returns the exit code: 2 if a file could not be read."""
    if options.emit and options.check:
        raise UsageError("--emit: not allowed with --check")
    if options.emit == "link":
        raise UsageError("--emit link goes with --link")
    try:
        run_passes = make_runner(options, sys.stderr.write)
    except ValueError as error:
        raise UsageError(str(error)) from None
    items: Iterable[Shader | Unread] = each(options)
    if options.emit in _BINARY and not is_folder(options.output):
        _refuse_terminal(options)
        if options.emit not in _TOGETHER or len(input_names(options)) < 2:
            items = [one_input(options, f"--emit {options.emit}", "; -o FOLDER/ takes the outputs of several")]
    work = _Work()
    count = _check_shaders(items, options, run_passes, work)
    _print_programs(options, work)
    report(options, work.findings, work.failed or bool(work.unread), work.names, work.unread)
    if not options.check and not _only_times(options):
        _write_outputs(options, work, count)
    return 2 if work.unread else int(work.failed)


def _check_shaders(items: Iterable[Shader | Unread], options: argparse.Namespace, run_passes: Callable[[Any], Any], work: _Work) -> int:
    """Read, check and transform every shader. Returns their number; unreadable ones are reported on stderr at once."""
    from tgsi.language.diagnostics import DiagnosticError

    count = 0
    for item in items:
        count += 1
        if isinstance(item, Unread):
            print(f"{PROGRAM}: {shown(item.name)}: {item.reason}", file=sys.stderr)
            work.unread.append(item)
            continue
        try:
            program, findings = checked(item, options)
            work.add(item, findings)
            if fails(findings, options):
                work.failed = True
            elif not options.check:
                program = run_passes(program)
                if options.profile != DEFAULT_PROFILE:
                    program = _for_device(program, options, work, item)
                work.programs.append((item, program))
        except DiagnosticError as error:
            work.add(item, error.diagnostics)
            work.failed = True
    return count


def _for_device(program: Any, options: argparse.Namespace, work: _Work, shader: Shader) -> Any:
    """A program with the lowerings that the device of --profile needs; a note says which."""
    from linkage.device_programs import device_program
    from tgsi.tools.compile.link import device_notes

    work.add(shader, device_notes([program], options.profile))
    return device_program(program, options.profile)


def _print_programs(options: argparse.Namespace, work: _Work) -> None:
    """Make the output of each program."""
    from tgsi.language.diagnostics import DiagnosticError

    programs = work.programs
    if options.emit in _TOGETHER:
        programs = programs[:0] if work.failed or work.unread else _located(programs)
    options.shader_key = matched(options, [program for _, program in programs])
    for shader, program in programs:
        try:
            work.made.append((shader, program, _emit(program, options)))
        except DiagnosticError as error:
            work.add(shader, error.diagnostics)
            work.failed = True


def _write_outputs(options: argparse.Namespace, work: _Work, count: int) -> None:
    """Write the outputs to a folder, one file each, or one after the other, each with its name as a heading if there are several inputs."""
    if not work.made:
        return
    if is_folder(options.output) or (options.emit == "spirv" and len(work.made) > 1):
        if options.output in (None, "-"):
            raise UsageError(f"--emit {options.emit} of {len(work.made)} files goes to a folder: -o FOLDER/")
        from tgsi.tools.compile.batch.walk import output_names

        names = output_names(
            options.files, [_file_name(shader) for shader, _, _ in work.made], [_ending(options, p) for _, p, _ in work.made]
        )
        write_folder(options, names, [_as_file(made) for _, _, made in work.made])
        return
    several = count > 1
    outputs = [_headed(made, shader, options, several and not options.quiet) for shader, _, made in work.made]
    if isinstance(outputs[0], bytes):
        write(options, outputs[0])
    elif options.emit == "json":
        import json

        write(options, json.dumps(outputs if several else outputs[0], indent=1) + "\n")
    else:
        write(options, "\n".join(outputs))


def _as_file(output: Any) -> str | bytes:
    if not isinstance(output, dict):
        return output  # type: ignore[no-any-return]
    import json

    return json.dumps(output, indent=1) + "\n"


def _file_name(shader: Shader) -> str:
    """The name of the file of a shader; for one of a log, that of the log with the shader's number."""
    name = "stdin" if shader.name == "<stdin>" else shader.name
    return name if shader.found is None else f"{name}-{shader.found.number}"


def _ending(options: argparse.Namespace, program: Any) -> str:
    """The ending of a file of the output; for GLSL the stage, as glslang and this command read it."""
    kind = options.emit or "text"
    if kind == "glsl":
        from frontends.glsl.request import SUFFIXES

        return "." + next(suffix for suffix, stage in SUFFIXES.items() if stage is program.processor)
    return _ENDINGS.get(kind, f".{kind}")


def _located(programs: list[tuple[Shader, Any]]) -> list[tuple[Shader, Any]]:
    """Programs of stages that link with each other, with small locations for values that meet by name."""
    if len(programs) < 2:
        return programs
    from tgsi.api import renumber

    renumbered = renumber([program for _, program in programs], "byte").programs
    return [(shader, program) for (shader, _), program in zip(programs, renumbered)]


def _headed(output: Any, shader: Shader, options: argparse.Namespace, several: bool) -> Any:
    """The output for one of several shaders, with its name as a comment that is read back; for one of a log, with the place in it."""
    alone = options.pick is not None and options.pick.strip().isdigit()
    if isinstance(output, bytes) or (alone if shader.found is not None else not several):
        return output
    if isinstance(output, dict):
        findings = shader.found
        return (
            {"file": shader.name, **output}
            if findings is None
            else {"number": findings.number, "line": findings.line, "heading": findings.heading, **output}
        )
    mark = {"llvm": ";", "glsl": "//", "spirv-text": ";"}.get(options.emit, "#")
    return f"{mark} {shown(shader.heading)}\n{output}"


def _refuse_terminal(options: argparse.Namespace) -> None:
    if options.output in (None, "-") and sys.stdout.isatty():
        raise UsageError(f"--emit {options.emit}: {_BINARY[options.emit]} is not text for a terminal; write it to a file with -o FILE")


def _only_times(options: argparse.Namespace) -> bool:
    """True if --time-passes is given without --emit: the shader is then compiled only to be timed."""
    return bool(options.time_passes and options.emit is None)


def _emit(program: Any, options: argparse.Namespace) -> Any:
    kind = "obj" if _only_times(options) else options.emit or "text"
    if kind in CODE:
        return _code(program, kind, options)
    emitters: dict[str, Callable[[Any], Any]] = {
        "text": str,
        "canonical": _canonical,
        "ir": _ir,
        "json": _json,
        "mesa": _mesa,
        "tokens": _tokens,
    }
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


def _canonical(program: Any) -> str:
    return str(program.text)


def _mesa(program: Any) -> str:
    from tgsi.language.text.dumper import write_mesa

    return write_mesa(program)


def assembly_of(program: Any) -> str:
    """Assembly of a valid program for this machine. ValueError for one that it cannot run."""
    from backends.llvm.kernels.listing import generate
    from passes.fitting import fitted

    return str(generate(fitted(program), "asm").data)


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
        artifact = generate(fitted(program), kind, cpu=cpu, lanes=options.lanes)
    except ValueError as error:  # the target cannot run this program
        raise UsageError(f"--emit {kind}: {error}") from None
    options.watch.add(artifact.times)
    return artifact.data
