"""Entry point of ``tgsi-vtest``."""

from __future__ import annotations

import argparse
import logging
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from tgsi.tools.closed_output import until_closed
from tgsi.tools.parsing import Parser, number, reason
from tgsi.tools.vtest.output.log import COMMANDS, LEVELS, LOG, set_up
from tgsi.tools.vtest.output.wanted import LAST, Wanted
from tgsi.tools.vtest.processes.limits import MEANINGS, MOST, Limits
from tgsi.tools.vtest.server import DEFAULT_SOCKET, Options, serve

EPILOG = """\
A single command draws through its own server, which ends with it:

    tgsi-vtest run -- glxgears

A server that keeps running draws for programs with Mesa's virpipe driver:

    tgsi-vtest &
    GALLIUM_DRIVER=virpipe LIBGL_ALWAYS_SOFTWARE=1 glxgears

Exit codes: 0 success, 1 a client of --once or a stream had an error or a comparison failed, 2 a file or an option is wrong;
tgsi-vtest run --help has those of run."""

RUN_EPILOG = """\
Exit codes: those of the command, 128 + N if signal N ended it; 2, 126 or 127 if it could not be run."""

MOST_PIXELS = 16384


def _mode(text: str) -> int:
    """Mode of a file from octal digits."""
    if not re.fullmatch("[0-7]{1,4}", text) or int(text, 8) > 0o777:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not the mode of a file in octal digits, such as 0660")
    return int(text, 8)


def _log_word(text: str) -> str:
    """A level of the log, or the name of a file that is not a misspelled level."""
    if text in LEVELS or not text.isalpha():
        return text
    from tgsi.tools.nearest import nearest

    hint = nearest(text, list(LEVELS))
    if hint:
        raise argparse.ArgumentTypeError(f"unknown level `{text}`; {hint} A file with this name is ./{text}")
    return text


def _pictures(text: str) -> int:
    """Convert the argument of --pictures to a value of `Wanted.pictures`."""
    named = {"last": LAST, "every": 1}
    if text.lower() in named:
        return named[text.lower()]
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is not one of: every, last, a number N for every Nth picture")
    return int(text)


def _size(text: str) -> str:
    """Width and height as WxH."""
    width, _, height = text.partition("x")
    if not all(part.isdigit() and 0 < int(part) <= MOST_PIXELS for part in (width, height)):
        raise argparse.ArgumentTypeError(f"{text} is not a size such as 1280x1024, up to {MOST_PIXELS}x{MOST_PIXELS}")
    return f"{int(width)}x{int(height)}"


def _add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options for files and reports about clients."""
    parser.add_argument(
        "--log",
        action="append",
        type=_log_word,
        default=[],
        metavar="FILE|LEVEL",
        help=f"least level of lines ({', '.join(LEVELS)}), or a file that they go to as well; with both, the level is the file's",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="more lines: --log debug")
    parser.add_argument("-q", "--quiet", action="store_true", help="only errors of the server, and no summary")
    parser.add_argument("--stats", action="store_true", help="log count and time of each protocol command when a client disconnects")
    parser.add_argument(
        "--screenshot",
        type=_pictures,
        default=0,
        metavar="every|last|N",
        help="PNGs of windows and of targets that are read or left: all, each client's last one, or every Nth",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder of PNGs (default: screenshots) and of replies of --replay")
    parser.add_argument("--record", type=Path, metavar="FILE", help="each client's messages, which --replay plays: FILE, then FILE-2 ...")
    parser.add_argument("--dump-shaders", type=Path, metavar="DIR", help="TGSI of shaders, as received and after passes, by program")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="calls of each GL context, for tgsi-replay: FILE, then FILE-2 ...")
    parser.add_argument("--gif", type=Path, metavar="FILE", help="each client's windows as an animated GIF: FILE, then FILE-2 ...")


def _add_work(parser: argparse.ArgumentParser) -> None:
    """Add the options for serving clients."""
    parser.add_argument("--protocol", type=int, choices=(0, 2), default=2, help="newest version of the protocol to agree to (default 2)")
    parser.add_argument(
        "--threads", type=number(0, 256, int), metavar="N", help="worker threads of a client in addition to its main thread"
    )
    parser.add_argument("--lanes", type=int, choices=(8, 16, 32, 64), help="vector width")
    limits = parser.add_argument_group("limits of clients")
    for item in fields(Limits):
        unit, least, meaning = MEANINGS[item.name]
        limits.add_argument(
            f"--{item.name.replace('_', '-')}",
            type=number(least, MOST, int if isinstance(item.default, int) else float),
            default=item.default,
            metavar=unit,
            help=f"{meaning} (default {item.default:g})",
        )


def make_parser() -> argparse.ArgumentParser:
    """Build the parser of the server's command line."""
    parser = Parser(
        prog="tgsi-vtest",
        usage="tgsi-vtest run [options] [--] COMMAND [ARGUMENT ...]\n       tgsi-vtest [options]",
        description="Draw for unmodified OpenGL programs: run one command, or serve Mesa's virpipe driver until it is stopped.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--socket", type=Path, default=Path(DEFAULT_SOCKET), metavar="PATH", help=f"path of the socket (default {DEFAULT_SOCKET})"
    )
    parser.add_argument("--once", action="store_true", help="serve one client, then end")
    parser.add_argument(
        "--socket-mode",
        type=_mode,
        default=0o600,
        metavar="MODE",
        help="who may connect, as the mode of the socket (default 0600: its owner)",
    )
    _add_output(parser)
    _add_work(parser)
    parser.add_argument("--replay", type=Path, nargs="+", metavar="STREAM.bin", help="run recorded streams instead of serving")
    parser.add_argument("--compare", action="store_true", help="with --replay: compare replies with STREAM.rep")
    return parser


def make_run_parser() -> argparse.ArgumentParser:
    """Build the parser of ``tgsi-vtest run``."""
    parser = Parser(
        prog="tgsi-vtest run",
        usage="tgsi-vtest run [options] [--] COMMAND [ARGUMENT ...]",
        description="Run a command and draw for its OpenGL programs, through a server that ends with it.",
        epilog=RUN_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the program and its arguments")
    parser.add_argument("--headless", action="store_true", help="for commands without windows: no Xvfb, EGL without a display")
    parser.add_argument(
        "--display-size",
        type=_size,
        default="1280x1024",
        metavar="WxH",
        help="screen of Xvfb, where there is no DISPLAY (default 1280x1024)",
    )
    _add_output(parser)
    _add_work(parser)
    return parser


def _set_up_log(options: argparse.Namespace, usual: int) -> bool:
    """Set up the log. Returns whether commands are logged. usual: default level. Raises OSError if a file cannot be written."""
    levels = [LEVELS[word] for word in options.log if word in LEVELS]
    files = [Path(word) for word in options.log if word not in LEVELS]
    if len(levels) > 1 or len(files) > 1:
        raise ValueError("--log: one level and one file at most")
    level = logging.ERROR if options.quiet else logging.DEBUG if options.verbose else usual
    if levels and not files:
        level = levels[0]
    file_level = levels[0] if levels else logging.DEBUG
    set_up(level, files[0] if files else None, file_level)
    return COMMANDS in levels


def _options(options: argparse.Namespace, usual: int, **more: Any) -> Options:
    """The options of a server. usual: level of the log. Raises OSError for a file that cannot be made, ValueError for wrong options."""
    log_commands = _set_up_log(options, usual)
    wanted = Wanted(
        folder=options.output or Wanted().folder,
        pictures=options.screenshot,
        film=options.gif,
        stream=options.record,
        shaders=options.dump_shaders,
        trace=options.trace,
    )
    folders = [options.output, wanted.folder if wanted.pictures else None, *(path.parent for path in wanted.files), wanted.shaders]
    for folder in folders:
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise OSError(f"{folder}: cannot be created: {error.strerror}") from None
    return Options(
        log_commands=log_commands,
        wanted=wanted,
        statistics=options.stats,
        protocol=options.protocol,
        threads=options.threads,
        lanes=options.lanes,
        limits=Limits(**{item.name: getattr(options, item.name) for item in fields(Limits)}),
        **more,
    )


def _run(arguments: Sequence[str]) -> int:
    """Run ``tgsi-vtest run``."""
    from tgsi.tools.vtest.launch.run import Launch, run

    parser = make_run_parser()
    parsed = parser.parse_args(arguments)
    command = parsed.command[1:] if parsed.command[:1] == ["--"] else parsed.command
    if not command:
        parser.error("a command is missing: tgsi-vtest run -- glxgears")
    options = _options(parsed, logging.WARNING, summary=not parsed.quiet)
    return run(Launch(command=command, is_headless=parsed.headless, display_size=parsed.display_size), options)


def _program(words: Sequence[str]) -> str:
    """The command line of a program in words that lack `run` or have it misspelled."""
    from tgsi.tools.nearest import nearest

    return shlex.join(words[1:] if len(words) > 1 and nearest(words[0], ["run"]) else words)


def _serve(arguments: Sequence[str]) -> int:
    """Serve, or replay streams."""
    if arguments and not arguments[0].startswith("-"):
        raise ValueError(f"`{arguments[0]}` is no option; to draw for a program, write tgsi-vtest run -- {_program(arguments)}")
    parser = make_parser()
    parsed = parser.parse_args(arguments)
    if parsed.compare and not parsed.replay:
        parser.error("--compare goes with --replay STREAM.bin")
    options = _options(parsed, logging.INFO, socket=parsed.socket, once=parsed.once, socket_mode=parsed.socket_mode)
    if parsed.replay:
        from tgsi.tools.vtest.replay import replay_all

        return replay_all(parsed.replay, options, compare=parsed.compare, output=parsed.output, quiet=parsed.quiet)
    return serve(options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    set_up(logging.INFO)  # for errors in options
    return until_closed(lambda: _main(words), 1)


def _main(words: list[str]) -> int:
    try:
        return _run(words[1:]) if words[:1] == ["run"] else _serve(words)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        raise
    except OSError as error:
        LOG.error(f"{error.filename}: {reason(error)}" if error.filename and error.strerror else str(error))
        return 2
    except ValueError as error:
        LOG.error(str(error))
        return 2


if __name__ == "__main__":
    sys.exit(main())
