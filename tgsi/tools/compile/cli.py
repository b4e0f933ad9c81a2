"""``tgsi-compile``: check, print, compile and run shaders from the command line.

Exit codes: 0 success, 1 the shaders have errors, 2 the command could not be carried out as given.
"""

from __future__ import annotations

import gc
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from tgsi.tools.closed_output import until_closed
from tgsi.tools.compile.errors import PROGRAM, UsageError
from tgsi.tools.parsing import reason

if TYPE_CHECKING:
    import argparse

OBJECTS = 50_000
"""New objects after which Python looks for garbage, instead of 700: loading modules makes many, and none of them is garbage."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code. No mistake of a user raises an exception."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    thresholds = gc.get_threshold()
    gc.set_threshold(OBJECTS, *thresholds[1:])
    try:
        return until_closed(lambda: _main(words), 0)
    finally:
        gc.set_threshold(*thresholds)


def _main(arguments: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a shader may contain characters that the terminal cannot encode
    try:
        return _guarded(lambda: _run(arguments))
    except KeyboardInterrupt:
        return 130


def _guarded(work: Callable[[], int]) -> int:
    """Do `work`, and print the error that ends it. Returns the exit code. Raises BrokenPipeError, KeyboardInterrupt."""
    try:
        code = work()
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
    options = _parsed(arguments)
    if options is None:
        return 0
    if options.again:
        from tgsi.tools.compile.batch.watch import watch
        from tgsi.tools.compile.files import input_names

        _refuse_to_watch(options)
        return watch(lambda: _guarded(lambda: _once(options)), lambda: input_names(options), quiet=options.quiet)
    return _once(options)


def _parsed(arguments: list[str]) -> argparse.Namespace | None:
    """The options; None after --help. Raises UsageError."""
    from tgsi.tools.compile.options import make_parser
    from tgsi.tools.compile.views.options import with_link

    parser = make_parser()
    arguments = with_link(arguments)
    if any(word.startswith("--link") for word in arguments):
        from tgsi.tools.compile.link import split_profile

        arguments = split_profile(arguments)
        _check_word_after_link(arguments)
    try:
        options, unknown = parser.parse_known_args(arguments)
    except SystemExit:  # argparse exits after --help
        return None
    end = unknown.index("--") if "--" in unknown else len(unknown)
    options.files += [word for word in unknown[:end] if word == "-" or not word.startswith("-")]  # files between options
    options.files += unknown[end + 1 :]
    unknown = [word for word in unknown[:end] if word != "-" and word.startswith("-")]
    if unknown:
        from tgsi.tools.nearest import nearest

        options_known = re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", parser.format_help())
        hint = nearest(unknown[0].split("=")[0], options_known)
        if os.path.lexists(unknown[0]):
            hint = f"the file of that name is written `./{unknown[0]}`"
        raise UsageError(f"unknown option `{unknown[0]}`{f'; {hint}' if hint else f' (see {PROGRAM} --help)'}")
    return options


def _check_word_after_link(arguments: list[str]) -> None:
    """Raise UsageError if the word after --link can only be a misspelled profile."""
    if any(word.startswith("--profile") for word in arguments):
        return
    for word, name in pairwise(arguments):
        if word == "--link" and not name.startswith("-") and not set(name) & set("./*?[") and not os.path.lexists(name):
            from linkage import PROFILES

            raise UsageError(f"--link {name}: there is no such profile, and no such file; the profiles are {', '.join(PROFILES)}")


def _refuse_to_watch(options: argparse.Namespace) -> None:
    """Raise UsageError if --watch is given with an input that can be read only once, or with an action that reads none."""
    for name in ("version", "list_passes", "list_targets", "explain"):
        if getattr(options, name):
            raise UsageError(f"--watch repeats work on files, and --{name.replace('_', '-')} reads none")
    from tgsi.tools.compile.batch.walk import is_pipe

    inputs = [options.from_log] if options.from_log is not None else options.files or ["-"]
    for name in inputs:
        if name == "-" or is_pipe(name):
            what = "stdin" if name == "-" else f"the pipe {name}"
            raise UsageError(f"--watch: {what} can be read only once; name the files or folders to watch")


def _once(options: argparse.Namespace) -> int:
    """Carry out the command. Returns the exit code."""
    import argparse

    from tgsi.tools.compile.timing import Stopwatch

    options = argparse.Namespace(**vars(options))
    options.watch = Stopwatch()
    code = _act(options)
    if options.time_passes:
        table = options.watch.json() if options.format == "json" else options.watch.text()
        only = options.emit is None and not (options.check or options.link or options.run)
        (sys.stdout if only else sys.stderr).write(table)
    return code


def _act(options: argparse.Namespace) -> int:
    """Choose the action, whose module is loaded only now."""
    if options.version or options.list_passes or options.list_targets or options.explain is not None:
        return _tell(options)
    from tgsi.tools.compile.draw.options import refuse_draw_options
    from tgsi.tools.compile.front import DEFAULT_PROFILE
    from tgsi.tools.compile.link_options import refuse_link_options
    from tgsi.tools.compile.run_options import nvk_options, refuse_run_options
    from tgsi.tools.compile.state import chosen_state
    from tgsi.tools.compile.targets import chosen_cpu

    others = {"--link": options.link, "--run": options.run, "--draw": options.draw is not None, "--steps": options.steps}
    if (options.fix or options.diff) and any(others.values()):
        other = next(name for name, given in others.items() if given)
        raise UsageError(f"--{'fix' if options.fix else 'diff'} corrects files; {other} goes without it")
    chosen_cpu(options)
    if options.draw is None:
        refuse_draw_options(options)
    allowed = nvk_options(options)
    options.shader_key = chosen_state(options)
    if not options.run:
        refuse_run_options(options, allowed if options.draw is None else ("grid",))
    if options.link or options.profile != DEFAULT_PROFILE:
        from tgsi.tools.compile.link import check_profile, link_shaders

        check_profile(options, "--link" if options.link else "--profile")
        if options.link:
            return link_shaders(options)
    refuse_link_options(options)
    if options.draw is not None:
        from tgsi.tools.compile.draw.command import draw_shaders

        return draw_shaders(options)
    if options.steps:
        from tgsi.tools.compile.views.steps import show_steps

        return show_steps(options)
    if options.run:
        from tgsi.tools.compile.run import run_shader

        return run_shader(options)
    if options.fix or options.diff:
        from tgsi.tools.compile.fix import fix_shaders

        return fix_shaders(options)
    if options.emit == "nvk" and not options.check:
        from tgsi.tools.compile.nvk import emit_nvk

        return emit_nvk(options)
    from tgsi.tools.compile.emit import compile_shaders

    return compile_shaders(options)


def _tell(options: argparse.Namespace) -> int:
    """Print facts that need no shader: the version, lists, explanations."""
    from tgsi.tools.compile.files import write

    if options.version:
        from tgsi import __version__

        return write(options, f"{PROGRAM} {__version__}\n")
    if options.list_passes:
        from tgsi.tools.compile.passes import listing

        return write(options, listing())
    if options.list_targets:
        from tgsi.tools.compile.targets import list_targets

        return write(options, list_targets(options))
    from tgsi.tools.compile.explain import explain

    return explain(options)


if __name__ == "__main__":
    raise SystemExit(main())
