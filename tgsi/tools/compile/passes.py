"""Options of ``tgsi-compile`` for passes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passes.base import Pass
    from passes.pipeline import Pipeline
    from tgsi.language.program import Program


def add_pass_options(parser: argparse.ArgumentParser) -> None:
    """Declare ``--lower``, ``--passes``, ``--print-after`` and ``--list-passes``."""
    parser.add_argument(
        "--lower",
        metavar="LIST",
        help="first do without features that a device lacks, e.g. `two-side,opcodes=LRP+DP3`; docs/lowering.md lists them",
    )
    parser.add_argument("--passes", metavar="LIST", help="run passes first, e.g. `a,b{n=2}`; `default` runs those of tgsi.optimize")
    parser.add_argument(
        "--print-after",
        metavar="NAME",
        help="with --passes or --lower: print the program after that pass, or after `all` passes, to stderr",
    )
    parser.add_argument("--list-passes", action="store_true", help="list the passes and their options")


def listing() -> str:
    """Text of --list-passes: every pass with its options and its summary, then the default pipeline."""
    from passes.plugins import failure, failures
    from passes.registry import DEFAULT, find, names

    lines = []
    for name in names():
        listed = find(name)
        given = ",".join(f"{key}={_written(value)}" for key, value in listed.options().items())
        lines.append(f"{name}{f'{{{given}}}' if given else ''}\n    {listed.summary()}\n")
    lines += [f"{name}\n    {failure(name)}\n" for name in failures]
    return "".join(lines) + f"default\n    {DEFAULT}\n"


def make_runner(options: argparse.Namespace, write: Callable[[str], object]) -> Callable[[Program], Program]:
    """Build the function that runs the selected passes on a program.

    `write` receives the text of --print-after.

    Raises:
        ValueError: the options do not fit together; the message gives the reason.
    """
    if options.passes is None and options.lower is None:
        if options.print_after is not None:
            raise ValueError("--print-after: needs --passes or --lower")
        return lambda program: program
    from passes.pipeline import Pipeline

    pipeline = chosen_pipeline(options)
    wanted = options.print_after
    names = list(dict.fromkeys(item.name for item in pipeline.passes))
    if wanted not in (None, "all", *names):
        known = f": {', '.join(['all', *names])}"
        from tgsi.tools.nearest import nearest

        hint = nearest(wanted, ["all", *names])
        raise ValueError(f"--print-after: `{wanted}` is not one of the passes that run{f'; {hint}' if hint else known}")

    def show(item: Pass, program: Program) -> None:
        if wanted in ("all", item.name):
            write(f"# after {item}\n{program}\n")

    def run(program: Program) -> Program:
        if "repeat" in names and not options.time_passes:
            return pipeline.run(program, after=show)
        for item in pipeline.passes:  # one at a time, to time each pass
            with options.watch.stage(f"pass {item.name}"):
                program = Pipeline((item,)).run(program, after=show)
        return program

    return run


def chosen_pipeline(options: argparse.Namespace) -> Pipeline:
    """The passes of --lower and --passes. ValueError: a name or an option is wrong; the message names the likeliest correction.

    The lowerings come first, so that their results are optimised too. Those that remove opcodes or kinds of operands run again afterwards,
    because passes may introduce these again.
    """
    from passes.pipeline import Pipeline
    from passes.registry import DEFAULT

    words = options.passes or ""
    chosen = Pipeline.parse(DEFAULT if words.strip() == "default" else words).passes
    if options.lower is None:
        return Pipeline(chosen)
    from passes.lower.options import LoweringOptions
    from passes.lowering import pipeline_of

    try:
        lowering = LoweringOptions.parse(options.lower)
        first = pipeline_of(lowering).passes
    except ValueError as error:
        raise ValueError(f"--lower: {error}") from None
    return Pipeline((*first, *chosen, *(pipeline_of(lowering, again=True).passes if chosen else ())))


def _written(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
