"""Entry point of ``tgsi-replay``."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tgsi.tools.closed_output import until_closed
from tgsi.tools.parsing import Parser, number, pixel, reason

if TYPE_CHECKING:
    from tgsi.gallium import Screen
    from tgsi.tools.replay.replay import Report

EPILOG = """\
--max-diff counts in units of the stored format: steps of integer formats (UNORM, SNORM, sRGB), ULP of 16-bit, R11G11B10
and R9G9B9E5 floats, max(1e-5 relative, 1e-6) of 32-bit floats, max(1 step, 2^-22) of depth. Pure integer formats, buffers
and query results are compared exactly. --max-pixels is a fraction of the pixels that the reference drew to.

TEST of --shrink is a shell command, which gets the path of a trace as its last argument, or as $1 if it has that, and exits 0 while
the property holds. Or it is one of these, which start no process and are much faster; the target is that of the last work, or the
resource of a handle:
  FILE.py:FUNCTION, MODULE:FUNCTION          a Python function that gets the target's pixels as an array and returns True or False
  pixel X,Y [of HANDLE] is [not] R,G,B,A     integers are stored numbers, others values, of as many channels as are given
  digest [of HANDLE] is SHA256               SHA-256 of the target's bytes, or its first digits
  digest [of HANDLE] differs from SHA256
  digest [of HANDLE] differs with lanes N    or: with threads N
  raises [TEXT]                              the player refuses a call, with TEXT in its reason; else with the reason of the whole trace

Exit codes: 0 all scenes passed, 1 some failed, 2 a file or an option is wrong. Of --diff: 0 the traces are equal, 1 they differ. Of
--shrink: 0 a smaller trace was written, 1 none is smaller, 130 it was stopped, and the smallest trace so far was written."""


def make_parser() -> argparse.ArgumentParser:
    """Build the parser of the command line."""
    parser = Parser(
        prog="tgsi-replay",
        description="Replay recorded calls: scenes, whose outputs become pictures or are compared with recorded ones; traces of\n"
        "contexts, which have digests of what they read; and streams of clients recorded by tgsi-vtest --record.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("scenes", nargs="+", type=Path, metavar="FILE", help="scenes (JSON), traces and streams")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        help="folder of PNGs. Scenes: their outputs (default: the current folder); with --compare only if given, with difference images. "
        "Traces, if given: every target at each flush, when it is read, and at the end. Streams, if given: windows, and what was read",
    )
    _add_comparison(parser)
    parser.add_argument("--digest", action="store_true", help="print SHA-256 of all that was read, and of traces also at each flush")
    parser.add_argument("--print", action="store_true", help="print the commands of traces as lines of JSON; nothing is played")
    parser.add_argument(
        "--explain",
        type=pixel(4),
        metavar="X,Y[,LAYER[,SAMPLE]]",
        help="explain a pixel of traces and streams: every call that wrote it or could have, and what became of each fragment",
    )
    parser.add_argument(
        "--target",
        type=number(1, 1 << 40, int),
        metavar="HANDLE",
        help="texture of --explain (default: color buffer 0 that was bound last)",
    )
    parser.add_argument("--until", type=number(0, 1 << 40, int), metavar="N", help="end traces after command N, as --print numbers them")
    parser.add_argument(
        "--diff",
        type=Path,
        metavar="B",
        help="compare a trace with trace B: the first call, draw and pixel in which they differ, and both pictures as a PNG",
    )
    parser.add_argument("--shrink", metavar="TEST", help="write NAME.shrunk.trace, the fewest calls of a trace for which TEST holds")
    parser.add_argument(
        "--jobs", type=number(1, 256, int), default=1, metavar="N", help="commands of --shrink that may run at a time (default 1)"
    )
    parser.add_argument("--threads", type=number(0, 256, int), metavar="N", help="worker threads in addition to the calling one")
    parser.add_argument("--lanes", type=int, choices=(8, 16, 32, 64), help="vector width")
    parser.add_argument(
        "--timeout", type=number(0, math.inf, float), default=120.0, metavar="SECONDS", help="stop a scene after this time (default 120)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the report (default text)")
    return parser


def _add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add --compare and its tolerance."""
    parser.add_argument("--compare", action="store_true", help="compare with the recorded outputs and query results")
    parser.add_argument(
        "--max-diff", type=number(0, math.inf, float), default=0, metavar="N", help="largest deviation of a channel in units (default 0)"
    )
    parser.add_argument(
        "--max-pixels",
        type=number(0, 1, float),
        default=0.0,
        metavar="FRACTION",
        help="fraction of the pixels that may deviate by more (default 0)",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return until_closed(lambda: _main(arguments), 1)


def _main(arguments: Sequence[str] | None) -> int:
    parser = make_parser()
    options = parser.parse_args(arguments)
    if not options.compare and (options.max_diff or options.max_pixels):
        parser.error("--max-diff and --max-pixels need --compare")
    if options.output is not None:
        try:
            options.output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            parser.error(f"{options.output}: cannot be created: {reason(error)}")
    try:
        return _run(options, parser)
    except KeyboardInterrupt:
        print("tgsi-replay: interrupted", file=sys.stderr)
        return 130


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """File names without suffix. Equal names get a number, so that no picture overwrites another."""
    seen: dict[str, int] = {}
    names = []
    for path in paths:
        count = seen[path.stem] = seen.get(path.stem, 0) + 1
        names.append(path.stem if count == 1 else f"{path.stem}-{count}")
    return names


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    from tgsi.gallium import Screen

    if options.diff is not None or options.shrink is not None:
        _check_single(options, parser)
    if options.print:
        return _print_traces(options.scenes, options.until)
    keywords = {name: value for name in ("threads", "lanes") if (value := getattr(options, name)) is not None}
    reports = []
    try:
        screen = Screen(**keywords)
    except ValueError as error:  # the parser checked the options; Screen also checks environment variables
        parser.error(str(error))
    if options.explain is not None:
        with screen:
            return _explain(screen, options)
    with screen:
        if options.diff is not None:
            from tgsi.tools.replay.diff.report import run

            return run(screen, options)
        if options.shrink is not None:
            from tgsi.tools.replay.shrink.command import run as shrink

            return shrink(screen, options, lambda **others: Screen(**{**keywords, **others}))
        for path, name in zip(options.scenes, distinct_names(options.scenes)):
            reports.append(_replay(screen, path, name, options))
            if options.format == "text":
                _print(reports[-1])
                if options.digest:
                    print("".join(f"{value}  {source}\n" for source, value in reports[-1].digests.items()), end="")
    failed = sum(not report.passed for report in reports)
    if options.format == "json":
        print(json.dumps({"scenes": [r.as_json() for r in reports], "passed": len(reports) - failed, "failed": failed}, indent=1))
    else:
        print(f"{len(reports) - failed} passed, {failed} failed")
    return 2 if any(report.unreadable for report in reports) else int(failed > 0)


def _check_single(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Refuse --diff and --shrink together, or with several traces."""
    option = "--diff" if options.diff is not None else "--shrink"
    if options.diff is not None and options.shrink is not None:
        parser.error("--diff and --shrink exclude each other")
    if len(options.scenes) != 1:
        parser.error(f"{option} takes one trace, not {len(options.scenes)}")
    if options.compare or options.print or options.until is not None or options.digest:
        parser.error(f"{option} excludes --compare, --print, --until and --digest")


def _replay(screen: Screen, path: Path, name: str, options: argparse.Namespace) -> Report:
    """Play a scene, trace or stream. Options that do not apply to it become notes."""
    from tgsi.tools.replay.compare import Tolerance
    from tgsi.tools.replay.replay import Options, replay
    from tgsi.tools.replay.streams import is_stream, replay_stream
    from tgsi.tools.replay.traces import TraceOptions, is_trace, replay_trace

    if is_trace(path):
        wanted = TraceOptions(directory=options.output, until=options.until, digests_flushes=options.digest)
        report, unknown = replay_trace(screen, path, name, wanted), {"--compare": options.compare}
    elif is_stream(path):
        report = replay_stream(path, name, options.output, options.threads, options.lanes)
        unknown = {"--compare": options.compare, "--until": options.until is not None, "--digest": options.digest}
    else:
        tolerance = Tolerance(options.max_diff, options.max_pixels) if options.compare else None
        folder = Path() if options.output is None and not options.compare else options.output
        report, unknown = replay(screen, path, Options(tolerance, folder, options.timeout), name), {"--until": options.until is not None}
    report.notes += [f"{option} is ignored: {_KNOWN_BY[option]}" for option, is_given in unknown.items() if is_given]
    return report


_KNOWN_BY = {
    "--compare": "it is for scenes; traces are always compared with their digests, and tgsi-vtest --replay --compare compares streams",
    "--until": "it is for traces",
    "--digest": "it is for scenes and traces",
}


def _explain(screen: Screen, options: argparse.Namespace) -> int:
    """Explain a pixel of each trace. Returns 2 if a file is not a trace or lacks the pixel."""
    from tgsi.tools.replay.streams import is_stream
    from tgsi.tools.replay.traces import explain_trace_file, is_trace

    code = 0
    for path in options.scenes:
        try:
            if path.exists() and not (is_trace(path) or is_stream(path)):
                raise ValueError(
                    "it is neither a trace nor a stream; --explain takes traces, which context_create(trace=...) and tgsi-vtest --trace "
                    "write, and streams of tgsi-vtest --record"
                )
            print(explain_trace_file(screen, path, options.explain, options.target, options.until), end="")
        except (OSError, ValueError) as error:
            print(f"tgsi-replay: {path}: {reason(error) if isinstance(error, OSError) else error}", file=sys.stderr)
            code = 2
    return code


def _print_traces(paths: Sequence[Path], until: int | None) -> int:
    """Print the commands of all files. Returns 2 if one is not a trace or is invalid."""
    from tgsi.tools.replay.streams import is_stream
    from tgsi.tools.replay.traces import print_trace

    code = 0
    for path in paths:
        try:
            print_trace(path, sys.stdout, until)
        except BrokenPipeError:
            raise
        except OSError as error:
            print(f"tgsi-replay: {path}: {reason(error)}", file=sys.stderr)
            code = 2
        except ValueError as error:
            hint = f"; it is a stream: tgsi-vtest --replay {path} --log commands prints its commands" if is_stream(path) else ""
            print(f"tgsi-replay: {path}: {error}{hint}", file=sys.stderr)
            code = 2
    return code


def _print(report: Report) -> None:
    for note in report.notes:
        print(f"{report.path}: warning: {note}", file=sys.stderr)
    if report.unreadable:
        print(f"FAIL {report.path}: {'; '.join(report.reasons)}")
    else:
        print(report.line())
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
