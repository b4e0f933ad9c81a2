"""`tgsi-compile --run`: a shader on inputs from .npy, .json or the command line itself."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tgsi.commands.errors import UsageError
from tgsi.commands.files import inputs, report, write
from tgsi.commands.front import checked
from tgsi.commands.passes import make_runner
from tgsi.commands.targets import chosen_cpu

if TYPE_CHECKING:
    from tgsi.ir import Program

MAX_BYTES = 256 << 20


class ArgumentsError(Exception):
    """What was given cannot be run with: the message names the option."""


def add_run_options(parser: argparse.ArgumentParser, actions: Any) -> None:
    """Declare --run among the actions, and its options."""
    actions.add_argument("--run", action="store_true", help="run a VERT or FRAG shader and print its outputs")
    parser.add_argument(
        "--inputs", metavar="DATA", help="--run: (invocations, registers, 4) numbers: a .npy or .json file, or JSON; 32-bit words or floats"
    )
    parser.add_argument(
        "--constants", metavar="B=DATA", action="append", default=[], help="--run: (vec4s, 4) of constant buffer B; may be repeated"
    )
    parser.add_argument("--engine", choices=("jit", "interp"), default="jit", help="--run: what runs it (default: jit)")


def run_shader(options: argparse.Namespace) -> int:
    """Run one file as the options say; returns the exit code."""
    from tgsi.diagnostics import DiagnosticError

    if options.emit:
        raise UsageError("argument --emit: not allowed with argument --run")
    if options.target is not None:
        raise UsageError("argument --target: not allowed with argument --run")
    if len(options.files) > 1:
        raise UsageError(f"--run takes one file, {len(options.files)} given")
    try:
        run_passes = make_runner(options, sys.stderr.write)
    except ValueError as error:
        raise UsageError(str(error)) from None
    ((name, text),) = inputs(options.files)
    found: tuple[Any, ...] = ()
    try:
        program, found = checked(text, name, options)
        if any(item.severity.value == "error" for item in found):
            report(options, found, True)
            return 1
        made = _result(run_passes(program), options)
    except DiagnosticError as error:
        report(options, [*found, *error.diagnostics], True)
        return 1
    except ArgumentsError as error:
        raise UsageError(f"--run: {error}") from None
    if options.format != "json":
        report(options, found, False)
    return write(options, made)


def _result(program: Program, options: argparse.Namespace) -> str:
    """Run a checked program as the options say.

    Returns a line an output register of each invocation, or with `--format json` an object of `outputs` (32-bit words) and `alive`.
    Raises ArgumentsError for data that cannot be read or does not fit, UnsupportedError for what the engine does not do.
    """
    from tgsi.api import run

    given = None if options.inputs is None else _data("--inputs", options.inputs)
    constants = {}
    for text in options.constants:
        number, equals, data = text.partition("=")
        if not equals or not (number.isascii() and number.isdecimal()):
            raise ArgumentsError(f"--constants {text[:40]}: BUFFER=DATA is wanted, as in 0=constants.npy")
        if int(number) in constants:
            raise ArgumentsError(f"--constants: buffer {number} is given twice")
        constants[int(number)] = _data(f"--constants {number}", data)
    try:
        result = run(program, given, constants=constants, engine=options.engine, lanes=options.lanes, cpu=chosen_cpu(options))
    except (TypeError, ValueError) as error:
        raise ArgumentsError(str(error)) from None
    if options.format == "json":
        return json.dumps({"outputs": result.outputs.tolist(), "alive": result.alive.tolist()}) + "\n"
    lines = []
    for invocation, registers in enumerate(result.outputs):
        if not result.alive[invocation]:
            lines.append(f"{invocation}: killed\n")
            continue
        for register, words in enumerate(registers):
            floats = "  ".join(f"{value:.9g}" for value in result.floats[invocation, register].tolist())
            lines.append(f"{invocation}: OUT[{register}]  {floats}  ({' '.join(f'{word:08x}' for word in words.tolist())})\n")
    return "".join(lines)


def _data(option: str, text: str) -> Any:
    """An array from a .npy or .json file, or from JSON."""
    from backends.words import read_array

    try:
        if text.lstrip().startswith("["):
            return read_array(json.loads(text))
        path = Path(text)
        if path.stat().st_size > MAX_BYTES:
            raise ArgumentsError(f"{option}: {text}: larger than {MAX_BYTES >> 20} MiB")
        if path.suffix == ".npy":
            return read_array(path)
        return read_array(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ArgumentsError(f"{option}: {text[:80]}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, TypeError, OverflowError, RecursionError, EOFError) as error:
        raise ArgumentsError(f"{option}: {text[:80]}: {error}") from None
