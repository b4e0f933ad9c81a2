"""Entry point of ``tgsi verify``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tgsi.tools.closed_output import until_closed
from tgsi.tools.parsing import Parser, number, reason

if TYPE_CHECKING:
    from tgsi.tools.verify.running import Progress, Task

EPILOG = """\
Exit codes: 0 all digests are those of the package, 1 some differ, 2 a case or an option is wrong, 130 it was stopped."""


def make_parser() -> argparse.ArgumentParser:
    """Build the parser of the command line."""
    parser = Parser(
        "tgsi-verify",
        description="Draw 260 scenes and run 240 programs, and compare their digests with those of the package. Kernels are compiled anew.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("cases", nargs="*", metavar="NAME", help="cases such as scene-012 and program-100; all when none is named")
    parser.add_argument("--all", action="store_true", help="run every case by each number of threads, width and level, not only 30")
    parser.add_argument(
        "--sample", type=number(1, 500, int), metavar="N", help="run N cases alone, spread over all of them, each by the defaults alone"
    )
    parser.add_argument("--resume", type=Path, metavar="FILE", help="note what is done in FILE, and go on where it ends")
    parser.add_argument(
        "--rotation",
        type=number(0, 1_000_000_000, int),
        metavar="N",
        help="the 30 cases that run in every way; by default those of the day",
    )
    parser.add_argument("--jobs", type=number(1, 999, int), metavar="N", help="processes; by default one for each CPU, at most 8")
    parser.add_argument("--cached", action="store_true", help="use compiled kernels of the disk")
    parser.add_argument("--record", action="store_true", help=argparse.SUPPRESS)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = make_parser().parse_args(arguments)
    return until_closed(lambda: _main(given), 0)


def _main(options: argparse.Namespace) -> int:
    from tgsi.tools.verify import cases, running

    if options.record:
        print(f"{cases.record_results({name: cases.run_case(name, cases.Way()) for name in cases.NAMES})} bytes")
        return 0
    unknown = [name for name in options.cases if name not in cases.NAMES]
    if unknown:
        ranges = f"scene-000 to scene-{cases.SCENES - 1:03} and program-000 to program-{cases.PROGRAMS - 1:03}"
        print(f"tgsi-verify: unknown case `{unknown[0]}`; the cases are {ranges}", file=sys.stderr)
        return 2
    try:
        progress = running.Progress(options.resume)
    except OSError as error:
        print(f"tgsi-verify: --resume: {options.resume}: {reason(error)}", file=sys.stderr)
        return 2
    rotation = time.gmtime().tm_yday if options.rotation is None else options.rotation
    if options.sample is not None:
        wanted = running.sample(options.cases or cases.NAMES, options.sample)
    else:
        wanted = running.tasks(rotation, options.all or bool(options.cases))
        wanted = [task for task in wanted if not options.cases or task[0] in options.cases]
    try:
        return _run(options, wanted, progress)
    except KeyboardInterrupt:
        print("\nstopped" + (f"; the next run with --resume {options.resume} goes on from here" if options.resume else ""), file=sys.stderr)
        return 130


def _run(options: argparse.Namespace, wanted: list[Task], progress: Progress) -> int:
    from tgsi.testing.surroundings import surroundings
    from tgsi.tools.verify import running

    remaining = [task for task in wanted if progress.key(task) not in progress.done]
    failures = [running.Failure(*task, text) for task in wanted if (text := progress.done.get(progress.key(task)))]
    count, begin, is_shown = len(wanted) - len(remaining), time.monotonic(), sys.stderr.isatty()
    clear = "\r" + " " * 40 + "\r" if is_shown else ""

    def done(task: Task, text: str) -> None:
        nonlocal count
        count += 1
        progress.note(task, text)
        if text:
            print(f"{clear}{task[0]} ({task[1]}): {text}", flush=True)
        if is_shown:
            spent = time.monotonic() - begin
            rest = spent / max(1, count - len(wanted) + len(remaining)) * (len(wanted) - count)
            print(f"\r{count} of {len(wanted)}, {rest:.0f} s left ", end="", file=sys.stderr, flush=True)

    for item in failures:
        print(f"{item.name} ({item.way}): {item.text}")
    jobs = options.jobs or min(os.cpu_count() or 1, 8)
    failures += running.run_tasks(remaining, min(jobs, max(1, len(remaining))), done, options.cached)
    print(clear, end="", file=sys.stderr)
    found = surroundings()
    llvm = f"LLVM {found['llvm']} (llvmlite {found['llvmlite']})" if "llvm" in found else f"LLVM of llvmlite {found['llvmlite']}"
    machine = f"{found['processor']}, {llvm}, tgsi {found['tgsi']}"
    print(f"{len(wanted) - len(failures)} of {len(wanted)} runs have their digests, in {time.monotonic() - begin:.0f} s: {machine}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
