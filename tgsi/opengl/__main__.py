"""``python -m tgsi.opengl script.py ARGUMENTS`` or ``-m MODULE ARGUMENTS``: run a program on this OpenGL."""

from __future__ import annotations

import os
import re
import runpy
import sys
import traceback
from pathlib import Path

from tgsi.opengl.doors.pyopengl import NAME, VARIABLE, install_pyopengl
from tgsi.opengl.doors.screen import HISTORY, VALIDATE
from tgsi.opengl.life import install

USAGE = """usage: python -m tgsi.opengl [--history] [--validate] [--explain X,Y] SCRIPT [ARGUMENTS]
       python -m tgsi.opengl [--history] [--validate] [--explain X,Y] -m MODULE [ARGUMENTS]

Run a Python program with OpenGL drawn by tgsi: PyVista, VTK, MuJoCo, PyOpenGL, pyrender find it in place of the system's.
With PYOPENGL_PLATFORM=tgsi, PyOpenGL alone finds it, on every system.

  --history      keep the latest commands, so that the program can call tgsi.opengl.explain(x, y)
  --validate     say likely mistakes, once, as Python warnings and to the callback of KHR_debug
  --explain X,Y  print the history of that pixel of the picture that was read last, when the program or its context ends"""


class UsageError(Exception):
    """A wrong command line."""


def _take_options(arguments: list[str]) -> list[str]:
    """Apply the leading options, and return the rest of the command line."""
    rest = list(arguments)
    while rest and rest[0].startswith("--"):
        option, equals, value = rest.pop(0).partition("=")
        if option == "--history":
            os.environ[HISTORY] = "1"
        elif option == "--validate":
            os.environ[VALIDATE] = "1"
        elif option == "--explain":
            os.environ[HISTORY] = "1"
            _ask(value if equals else rest.pop(0) if rest else "")
        else:
            raise UsageError(f"there is no option {option}; --help lists them")
    return rest


def _ask(text: str) -> None:
    match = re.fullmatch(r"(\d+),(\d+)", text)
    if match is None:
        raise UsageError(f"--explain: two numbers such as 120,80 are wanted, not {text!r}")
    from tgsi.opengl.watching.watch import asked

    asked.append((int(match[1]), int(match[2])))


def main(arguments: list[str]) -> int:
    """Run the program and return its exit code."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    try:
        arguments = _take_options(arguments)
        is_module = arguments[:1] == ["-m"]
        rest = arguments[1:] if is_module else arguments
        if not rest:
            raise UsageError("a module is wanted after -m" if is_module else "a script is wanted")
        if not is_module and not Path(rest[0]).is_file():
            raise UsageError(f"there is no file {rest[0]}")
        if os.environ.get(VARIABLE) == NAME:
            install_pyopengl()
        else:
            install()
    except (ImportError, OSError, RuntimeError, UsageError) as error:
        print(f"python -m tgsi.opengl: {error}", file=sys.stderr)
        return 2
    sys.argv = rest
    if is_module:
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(rest[0]).resolve().parent))
        try:
            runpy.run_path(rest[0], run_name="__main__")
        except SyntaxError as error:
            if error.filename != rest[0] and error.filename is not None:
                raise
            _tell_syntax(rest[0], error)
            return 1
    return 0


def _tell_syntax(script: str, error: SyntaxError) -> None:
    """Print the place of a syntax error in the script, as Python does: none of the script's functions was called."""
    if error.filename is None:
        print(f"python -m tgsi.opengl: {script}: this is not a Python program: {error.msg}", file=sys.stderr)
    else:
        print("".join(traceback.format_exception_only(error)), end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
