"""``tgsi-compile --run``: run a shader of any stage on given data."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tgsi.tools.compile.errors import PROGRAM, UsageError
from tgsi.tools.compile.files import one_input, report, write
from tgsi.tools.compile.front import checked, fails
from tgsi.tools.compile.passes import make_runner
from tgsi.tools.compile.run_data import (
    ArgumentsError,
    looks_like_words,
    read_items,
    read_numbered,
    read_numbers,
    read_sampler,
    read_texture,
    read_triple,
)
from tgsi.tools.compile.run_options import BYTES, NAMED, NUMBERED, NUMBERS, TEXTURES, option_name
from tgsi.tools.compile.targets import chosen_cpu
from tgsi.tools.nearest import nearest
from tgsi.tools.parsing import reason

if TYPE_CHECKING:
    from backends.run.result import RunResult
    from tgsi.language.program import Program


def run_shader(options: argparse.Namespace) -> int:
    """Run the shader of one file with the given options. Returns the exit code."""
    from tgsi.language.diagnostics import DiagnosticError

    for name in ("emit", "target"):
        if getattr(options, name):
            raise UsageError(f"--{name}: not allowed with --run")
    shader = one_input(options, "--run")
    try:
        run_passes = make_runner(options, sys.stderr.write)
    except ValueError as error:
        raise UsageError(str(error)) from None
    findings: tuple[Any, ...] = ()
    try:
        program, findings = checked(shader, options)
        if fails(findings, options):
            report(options, findings, True)
            return 1
        program = run_passes(program)
        arguments = run_arguments(options)
        result = _run(program, arguments, options)
    except DiagnosticError as error:
        report(options, [*findings, *error.diagnostics], True)
        return 1
    except ArgumentsError as error:
        raise UsageError(str(error)) from None
    if options.format != "json":
        report(options, findings, False)
        _note_absent(program, arguments)
    warnings = [*_fuel_warnings(result, arguments), *_fault_warnings(result)]
    for text in warnings:
        print(f"{PROGRAM}: warning: {text}", file=sys.stderr)
    return _show(program, result, arguments, options) or int(bool(warnings and options.werror))


def run_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """Keyword arguments for `tgsi.run`."""
    with options.watch.stage("read data"):
        keywords: dict[str, Any] = {}
        for name in (*NUMBERS, *BYTES):
            if getattr(options, name) is not None:
                keywords[name] = read_numbers(option_name(name), getattr(options, name))
        for name in NUMBERED:
            keywords[name] = read_numbered(option_name(name), getattr(options, name), read_numbers)
        for name in NAMED:
            keywords[name] = read_items(option_name(name), getattr(options, name), read_numbers)
        for name in TEXTURES:
            keywords[name] = read_numbered(option_name(name), getattr(options, name), read_texture)
        keywords["samplers"] = {unit: read_sampler("--samplers", "") for unit in keywords["textures"]}
        keywords["samplers"] |= read_numbered("--samplers", options.samplers, read_sampler)
        for name in ("grid", "block"):
            if getattr(options, name) is not None:
                keywords[name] = read_triple(option_name(name), getattr(options, name))
        for name in ("shared_memory", "face", "fuel"):
            if getattr(options, name) is not None:
                keywords[name] = getattr(options, name)
        if options.flatshade_color:
            keywords["flatshade_color"] = True
    _check_names(keywords["system_values"])
    _note_words(options, keywords)
    return {name: value for name, value in keywords.items() if not isinstance(value, dict) or value}


def _note_words(options: argparse.Namespace, keywords: dict[str, Any]) -> None:
    """Print a note for inputs, constants and framebuffer values that were probably intended as floats."""
    arrays = [("--inputs", options.inputs, keywords["inputs"])] if "inputs" in keywords else []
    for name in ("constants", "framebuffer"):
        texts = dict(text.split("=", 1) for text in getattr(options, name))
        arrays += [(f"{option_name(name)} {key}", text, keywords[name][int(key)]) for key, text in texts.items()]
    for place, text, array in arrays:
        if looks_like_words(text, array):
            note = "holds whole numbers only, which are words of bits; for floats write 1.0, or float: before the data, for words int:"
            print(f"{PROGRAM}: note: {place} {note}", file=sys.stderr)


def _note_absent(program: Program, arguments: dict[str, Any]) -> None:
    """Print a note for each declared resource that has no data."""
    from tgsi.language.facts.enums import File, MemoryType

    by_number = {File.CONST: "constants", File.SAMP: "textures", File.IMAGE: "images", File.BUFFER: "buffers", File.HWATOMIC: "counters"}
    absent: dict[str, list[str]] = {}
    for declaration in program.declarations:
        file, kind = declaration.file, declaration.memory
        if file is File.MEMORY and kind in (MemoryType.GLOBAL, MemoryType.INPUT) and kind.name not in arguments.get("memory", ()):
            absent.setdefault("--memory", []).append(f"MEMORY {kind.name}")
        if file not in by_number:
            continue
        option, by_dimension = by_number[file], file in (File.CONST, File.HWATOMIC)
        numbers = [declaration.dimension or 0] if by_dimension else range(declaration.first, declaration.last + 1)
        missing = [f"{file.name}[{number}]" for number in numbers if number not in arguments.get(option, ())]
        absent.setdefault(option_name(option), []).extend(missing)
    for option, names in absent.items():
        if names:
            shown = ", ".join(dict.fromkeys(names[:8])) + (" and more" if len(names) > 8 else "")
            print(f"{PROGRAM}: note: there is no data for {shown}; {option} gives it", file=sys.stderr)


def _fuel_warnings(result: RunResult, arguments: dict[str, Any]) -> Iterator[str]:
    """A warning if loops ended because their fuel ran out."""
    from passes.analysis.regions import FUEL
    from tgsi.tools.compile.run_show import ranges

    lanes = [number for number, is_cut in enumerate(result.exhausted.tolist()) if is_cut]
    if lanes:
        who = [*ranges(lanes)]
        shown = ", ".join(who[:8]) + (" and more" if len(who) > 8 else "")
        rounds = arguments.get("fuel", FUEL)
        what = f"{len(lanes)} of {len(result.exhausted)} invocations ({shown}) left a loop after {rounds} rounds, all their fuel"
        yield f"{what}; their results are cut short, --fuel NUMBER gives more"


def _fault_warnings(result: RunResult) -> Iterator[str]:
    """A warning if workgroups of a task or mesh program did something wrong."""
    if result.faults:
        more = f", and {len(result.faults) - 1} more" if len(result.faults) > 1 else ""
        yield f"{result.faults[0]}{more}"


def _check_names(values: dict[str, Any]) -> None:
    from tgsi.language.facts.semantics import SEMANTICS

    for name in values:
        if name not in SEMANTICS:
            hint = nearest(name, list(SEMANTICS)) or "tgsi-compile --explain all lists codes, docs/reference the semantics"
            raise ArgumentsError(f"--system-values: there is no semantic `{name}`; {hint}")


def _run(program: Program, arguments: dict[str, Any], options: argparse.Namespace) -> RunResult:
    if options.trace and options.engine == "jit":
        raise ArgumentsError("--trace: not available in compiled code; use --engine interp")
    engine = options.engine or ("interp" if options.trace else "jit")
    with options.watch.stage("load engine"):
        from tgsi.api import run
    try:
        with options.watch.stage("run"):
            return run(program, engine=engine, lanes=options.lanes, cpu=chosen_cpu(options), trace=options.trace, **arguments)
    except (TypeError, ValueError) as error:
        raise ArgumentsError(_with_options(str(error))) from None
    except OSError as error:  # no memory left, or executable memory is forbidden
        raise ArgumentsError(f"--run: {error.strerror or error}") from None


def _with_options(message: str) -> str:
    """Replace the names of arguments in a message of `tgsi.run` by the names of options."""
    message = message.removeprefix("run: ")
    name = message.split(":")[0].split("[")[0].split(" ")[0]
    known = (*NUMBERS, *BYTES, *NUMBERED, *NAMED, *TEXTURES, "samplers", "grid", "block", "shared_memory", "fuel", "face")
    if name in known:
        message = f"{option_name(name)}{message[len(name) :]}"
    keyed = re.compile(rf"(?:--)?({'|'.join(n.replace('_', '[_-]') for n in known)})\['?(\w+)'?\]")
    message = keyed.sub(lambda found: f"{option_name(found[1])} {found[2]}", message)
    if message.startswith("invocations differ"):
        message = re.sub(r"\b(inputs|quad_pos|coverage)\b", lambda found: option_name(found[1]), message)
    return message if name in known else f"--run: {message}"


def _show(program: Program, result: RunResult, arguments: dict[str, Any], options: argparse.Namespace) -> int:
    from tgsi.tools.compile.run_show import as_json, as_text, save_arrays

    with options.watch.stage("print"):
        if options.output is not None and options.output.endswith(".npz"):
            try:
                save_arrays(Path(options.output), result)
            except OSError as error:
                raise UsageError(f"{options.output}: {reason(error)}") from None
            return 0
        images, grid = arguments.get("images", {}), arguments.get("grid", (1, 1, 1))
        return write(options, as_json(result, images) if options.format == "json" else as_text(program, result, images, grid))
