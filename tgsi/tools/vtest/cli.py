"""Entry point of ``tgsi-vtest``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

from tgsi.tools.vtest.processes.limits import MEANINGS, MOST, Limits
from tgsi.tools.vtest.server import DEFAULT_SOCKET, Options, serve

EPILOG = """\
A program draws through the server with Mesa's virpipe driver:

    GALLIUM_DRIVER=virpipe LIBGL_ALWAYS_SOFTWARE=1 glxgears

Mesa 22 knows only the default path of the socket. To use another one:

    unshare -m sh -c 'mount --bind my.sock /tmp/.virgl_test && glxgears'

Exit codes: 0 success, 1 a client (of --once, or a stream) sent something wrong or a comparison failed,
2 a file or an option is wrong."""


def _mode(text: str) -> int:
    """Mode of a file from octal digits."""
    mode = int(text, 8)
    if not 0 <= mode <= 0o777:
        raise ValueError
    return mode


def _amount(kind: type[int] | type[float], least: float) -> Callable[[str], float]:
    """Function that reads a number of a kind, at least `least`."""

    def read(text: str) -> float:
        value = kind(text)
        if not least <= value <= MOST:
            raise argparse.ArgumentTypeError(f"{text} is not in {least} .. {MOST}")
        return value

    return read


def make_parser() -> argparse.ArgumentParser:
    """Build the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="tgsi-vtest",
        description="Draw for unmodified OpenGL programs: serve Mesa's virpipe driver with a Gallium context.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--socket", type=Path, default=Path(DEFAULT_SOCKET), metavar="PATH", help=f"path of the socket (default {DEFAULT_SOCKET})"
    )
    parser.add_argument("--once", action="store_true", help="serve one client, then end")
    parser.add_argument("--log", choices=("commands",), help="print every command")
    parser.add_argument("--screenshot", type=Path, metavar="DIR", help="write PNGs of the clients' color targets to DIR")
    parser.add_argument("--stats", action="store_true", help="print the count and time of each command when a client disconnects")
    parser.add_argument("--protocol", type=int, choices=(0, 2), default=2, help="newest version of the protocol to agree to (default 2)")
    parser.add_argument("--threads", type=int, metavar="N", help="worker threads of a client in addition to its main thread")
    parser.add_argument("--lanes", type=int, choices=(8, 16, 32, 64), help="vector width")
    parser.add_argument(
        "--socket-mode",
        type=_mode,
        default=0o600,
        metavar="MODE",
        help="who may connect, as the mode of the socket (default 0600: its owner)",
    )
    limits = parser.add_argument_group("limits of clients")
    for item in fields(Limits):
        unit, least, meaning = MEANINGS[item.name]
        limits.add_argument(
            f"--{item.name.replace('_', '-')}",
            type=_amount(int if isinstance(item.default, int) else float, least),
            default=item.default,
            metavar=unit,
            help=f"{meaning} (default {item.default:g})",
        )
    parser.add_argument("--replay", type=Path, nargs="+", metavar="STREAM.bin", help="run recorded streams instead of serving")
    parser.add_argument("--compare", action="store_true", help="with --replay: compare replies with STREAM.rep")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="with --replay: write replies to DIR as NAME.rep")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = make_parser()
    given = parser.parse_args(arguments)
    for folder in (given.screenshot, given.output):
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                parser.error(f"{folder}: cannot be made a directory: {error.strerror}")
    options = Options(
        socket=given.socket,
        once=given.once,
        log_commands=given.log == "commands",
        screenshots=given.screenshot,
        statistics=given.stats,
        protocol=given.protocol,
        threads=given.threads,
        lanes=given.lanes,
        socket_mode=given.socket_mode,
        limits=Limits(**{item.name: getattr(given, item.name) for item in fields(Limits)}),
    )
    try:
        if given.replay:
            from tgsi.tools.vtest.replay import replay_all

            return replay_all(given.replay, options, compare=given.compare, output=given.output)
        return serve(options)
    except KeyboardInterrupt:
        return 130
    except (OSError, ValueError) as error:
        print(f"tgsi-vtest: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
