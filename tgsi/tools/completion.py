"""``tgsi completion SHELL``: completions of all commands and options, made by shtab (``pip install tgsi[completion]``)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from tgsi.tools.command import COMMANDS, SHELLS
from tgsi.tools.parsing import Parser

HOW = """\
bash: tgsi completion bash > ~/.local/share/bash-completion/completions/tgsi
zsh:  tgsi completion zsh > DIRECTORY/_tgsi, with fpath+=(DIRECTORY) before compinit

Exit codes: 0 success, 2 the shell is unknown, or shtab is not installed."""


def parser_of_all() -> argparse.ArgumentParser:
    """A parser of ``tgsi`` with every subcommand and its options."""
    from tgsi.tools.compile.options import make_parser as of_compile
    from tgsi.tools.inspect.cli import make_parser as of_inspect
    from tgsi.tools.replay.cli import make_parser as of_replay
    from tgsi.tools.verify.cli import make_parser as of_verify
    from tgsi.tools.vtest.cli import make_parser as of_serve
    from tgsi.tools.vtest.cli import make_run_parser as of_run

    makers: dict[str, Callable[[], argparse.ArgumentParser]] = {
        "compile": of_compile,
        "check": of_compile,
        "run": of_run,
        "serve": of_serve,
        "replay": of_replay,
        "inspect": of_inspect,
        "verify": of_verify,
    }
    parser = argparse.ArgumentParser(prog="tgsi")
    commands = parser.add_subparsers()
    for name, command in COMMANDS.items():
        parents = [makers[name]()] if name in makers else []
        own = commands.add_parser(name, parents=parents, add_help=not parents, help=command.help)
        if name == "completion":
            own.add_argument("shell", choices=SHELLS)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Print the completions for a shell. Exit code 2: there is no such shell, or shtab is not installed."""
    parser = Parser(
        prog="tgsi completion",
        description="Print completions of the tgsi command for a shell.",
        epilog=HOW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=SHELLS)
    shell: str = parser.parse_args(arguments).shell
    try:
        import shtab
    except ImportError:
        print("tgsi completion: shtab is not installed: pip install 'tgsi[completion]'", file=sys.stderr)
        return 2
    print(shtab.complete(parser_of_all(), shell))
    return 0
