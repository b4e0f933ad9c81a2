"""Entry point of ``tgsi-inspect``."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tgsi.tools.closed_output import until_closed
from tgsi.tools.compile.batch.names import shown
from tgsi.tools.parsing import Parser, number, pixel, reason

PROGRAM = "tgsi-inspect"


def make_parser() -> argparse.ArgumentParser:
    """Build the parser of the command line."""
    parser = Parser(
        prog=PROGRAM,
        description="Write a trace of a context, or a stream of tgsi-vtest --record, as one page of HTML: each draw with its picture, "
        "state, shaders, cost and overdraw. The page needs no network and no other file.",
        epilog="Exit codes: 0 the page was written, 1 it was written and the trace ends with an error, 2 a file or an option is wrong.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a trace or a stream")
    parser.add_argument("-o", "--output", type=Path, metavar="PAGE", help="the page (default: the name of FILE with .html, in this folder)")
    parser.add_argument(
        "--pixel", type=pixel(2), action="append", default=[], metavar="X,Y", help="keep the history of a pixel; may be repeated"
    )
    parser.add_argument(
        "--context",
        type=number(1, 1_000_000_000, int),
        metavar="N",
        help="GL context of a stream, from 1 on (default: the one with most draws)",
    )
    parser.add_argument("--threads", type=number(0, 256, int), metavar="N", help="worker threads in addition to the calling one")
    parser.add_argument(
        "--timeout",
        type=number(0, math.inf, float),
        default=120.0,
        metavar="SECONDS",
        help="refuse calls that take longer (default 120; 0: no limit)",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return until_closed(lambda: _main(arguments), 1)


def _main(arguments: Sequence[str] | None) -> int:
    parser = make_parser()
    options = parser.parse_args(arguments)
    from backends.device.calls.errors import RecordingError
    from tgsi.gallium import Screen
    from tgsi.tools.inspect.sources import load
    from tgsi.tools.inspect.writing import write_page

    output = options.output or Path(f"{options.file.stem}.html")
    try:
        recording = load(options.file, options.context)
        keywords: dict[str, Any] = {} if options.threads is None else {"threads": options.threads}
        if options.timeout:
            keywords["time_limit"] = options.timeout
        with Screen(**keywords) as screen:
            notes = write_page(screen, recording, output, options.pixel)
    except OSError as error:
        _tell(f"{error.filename or options.file}: {reason(error)}")
        return 2
    except (RecordingError, ValueError) as error:
        _tell(f"{options.file}: {error}")
        return 2
    except KeyboardInterrupt:
        _tell("interrupted")
        return 130
    for note in notes:
        _tell(f"{options.file}: {note}")
    print(shown(f"{output}: {output.stat().st_size:,} bytes"))
    return int(bool(notes))


def _tell(text: str) -> None:
    """Print a line to stderr. Names and texts of a trace cannot move the cursor or begin another line."""
    print(shown(f"{PROGRAM}: {text}"), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
