"""``tgsi``: one name for all commands. ``tgsi compile`` is ``tgsi-compile``, ``tgsi run`` is ``tgsi-vtest run``, and so on.

The exit code is that of the command; 2 if there is no such command.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tgsi.tools.closed_output import until_closed

SHELLS = ("bash", "zsh")


class Command(NamedTuple):
    """A subcommand. words: arguments that it puts in front of the user's."""

    help: str
    module: str
    words: tuple[str, ...] = ()
    synonym: str = ""


COMMANDS = {
    "compile": Command("check, print, optimize, link and run shaders", "tgsi.tools.compile.cli", (), "tgsi-compile"),
    "check": Command("report mistakes in shaders and folders of shaders", "tgsi.tools.compile.cli", ("--check",), "tgsi-compile --check"),
    "explain": Command(
        "explain a message, an opcode, a semantic or a property", "tgsi.tools.compile.cli", ("--explain",), "tgsi-compile --explain"
    ),
    "run": Command("draw for an OpenGL program: tgsi run -- glxgears", "tgsi.tools.vtest.cli", ("run",), "tgsi-vtest run"),
    "serve": Command("draw for OpenGL programs until it is stopped", "tgsi.tools.vtest.cli", (), "tgsi-vtest"),
    "replay": Command("play traces, scenes and streams, and draw their pictures", "tgsi.tools.replay.cli", (), "tgsi-replay"),
    "inspect": Command("write a trace or a stream as one page of HTML", "tgsi.tools.inspect.cli", (), "tgsi-inspect"),
    "verify": Command("draw and run 500 cases, and compare their digests", "tgsi.tools.verify.cli", (), "tgsi-verify"),
    "opengl": Command("run a Python program and draw its OpenGL", "tgsi.opengl.__main__", (), "python -m tgsi.opengl"),
    "completion": Command(f"print completions for a shell: {', '.join(SHELLS)}", "tgsi.tools.completion"),
}


OTHER_NAMES = {"vtest": "serve"}
"""Names that the help leaves out."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    return until_closed(lambda: _main(words), 0)


def _main(words: list[str]) -> int:
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    if not words or words[0] in ("-h", "--help"):
        print(_help())
        return 0
    name, *rest = words
    if name == "--version":
        from tgsi import __version__

        print(f"tgsi {__version__}")
        return 0
    command = COMMANDS.get(OTHER_NAMES.get(name, name))
    if command is None:
        from tgsi.tools.nearest import nearest

        hint = nearest(name, list(COMMANDS)) or f"the commands are {', '.join(COMMANDS)}"
        print(f"tgsi: there is no command `{name}`; {hint}", file=sys.stderr)
        return 2
    return _entry(command.module)([*command.words, *rest])


def _entry(module: str) -> Callable[[Sequence[str]], int]:
    """The `main` of the module of a command, imported when it is needed."""
    from importlib import import_module

    entry: Callable[[Sequence[str]], int] = import_module(module).main
    return entry


def _help() -> str:
    lines = [
        "usage: tgsi COMMAND [ARGUMENT ...]",
        "",
        "Shaders and pictures without a GPU: TGSI, GLSL, SPIR-V and Gallium.",
        "",
        "commands:",
    ]
    for name, command in COMMANDS.items():
        synonym = f"  ({command.synonym})" if command.synonym else ""
        lines.append(f"  {name:12}{command.help}{synonym}")
    lines += ["", "tgsi help COMMAND shows the options of one. tgsi --version prints the version."]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
