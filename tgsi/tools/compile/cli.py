"""``tgsi-compile``: check, print, compile and run shaders from the command line.

Exit codes: 0 success, 1 the shaders have errors, 2 the command could not be carried out as given.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from tgsi import __version__
from tgsi.tools.closed_output import until_closed
from tgsi.tools.compile.emit import compile_shaders
from tgsi.tools.compile.errors import PROGRAM, UsageError
from tgsi.tools.compile.explain import explain
from tgsi.tools.compile.files import reason, write
from tgsi.tools.compile.link import check_profile, link_shaders, split_profile
from tgsi.tools.compile.link_options import refuse_link_options
from tgsi.tools.compile.nearest import nearest
from tgsi.tools.compile.nvk import emit_nvk, nvk_options
from tgsi.tools.compile.options import make_parser
from tgsi.tools.compile.passes import listing
from tgsi.tools.compile.run import refuse_run_options, run_shader
from tgsi.tools.compile.targets import chosen_cpu, list_targets
from tgsi.tools.compile.timing import Stopwatch


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code. No mistake of a user raises an exception."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    return until_closed(lambda: _main(words), 0)


def _main(arguments: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a shader may hold characters that the terminal does not know
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except UsageError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        raise
    except OSError as error:
        print(f"{PROGRAM}: output: {reason(error)}", file=sys.stderr)
        _discard_output()
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("TGSI_DEBUG"):
            raise
        print(f"{PROGRAM}: internal error: {type(error).__name__}: {error} (TGSI_DEBUG=1 shows where)", file=sys.stderr)
        return 1
    return code


def _discard_output() -> None:
    """Redirect stdout to the null device, so that the flush at the interpreter's exit succeeds."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    parser = make_parser()
    try:
        options, unknown = parser.parse_known_args(split_profile(arguments))
    except SystemExit as done:  # argparse exits after --help
        return int(done.code or 0)
    if unknown:
        options_known = [name for action in parser._actions for name in action.option_strings]
        hint = nearest(unknown[0].split("=")[0], options_known)
        raise UsageError(f"unknown option `{unknown[0]}`{f'; {hint}' if hint else f' (see {PROGRAM} --help)'}")
    if options.version:
        print(f"{PROGRAM} {__version__}")
        return 0
    if options.list_passes:
        return write(options, listing())
    if options.list_targets:
        return write(options, list_targets(options))
    if options.explain is not None:
        return explain(options)
    options.watch = Stopwatch()
    code = _act(options)
    if options.time_passes:
        table = options.watch.json() if options.format == "json" else options.watch.text()
        only = options.emit is None and not (options.check or options.link or options.run)
        (sys.stdout if only else sys.stderr).write(table)
    return code


def _act(options: argparse.Namespace) -> int:
    chosen_cpu(options)
    allowed = nvk_options(options)
    if not options.run:
        refuse_run_options(options, allowed)
    check_profile(options, "--link" if options.link else "--profile")
    if options.link:
        return link_shaders(options)
    refuse_link_options(options)
    if options.run:
        return run_shader(options)
    if options.emit == "nvk" and not options.check:
        return emit_nvk(options)
    return compile_shaders(options)


if __name__ == "__main__":
    raise SystemExit(main())
