"""``python -m tgsi.opengl script.py ARGUMENTS`` or ``-m MODULE ARGUMENTS``: run a program whose OpenGL is ours."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from tgsi.opengl.life import install

USAGE = """usage: python -m tgsi.opengl SCRIPT [ARGUMENTS]
       python -m tgsi.opengl -m MODULE [ARGUMENTS]

Run a Python program with OpenGL drawn by tgsi: PyVista, VTK, MuJoCo, PyOpenGL, pyrender find it in place of the system's."""


def main(arguments: list[str]) -> int:
    """Run the program; its exit code is ours."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    is_module = arguments[0] == "-m"
    rest = arguments[1:] if is_module else arguments
    if not rest:
        print("python -m tgsi.opengl: a module is wanted after -m", file=sys.stderr)
        return 2
    if not is_module and not Path(rest[0]).is_file():
        print(f"python -m tgsi.opengl: there is no file {rest[0]}", file=sys.stderr)
        return 2
    try:
        install()
    except (OSError, RuntimeError) as error:
        print(f"python -m tgsi.opengl: {error}", file=sys.stderr)
        return 2
    sys.argv = rest
    if is_module:
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(rest[0]).resolve().parent))
        runpy.run_path(rest[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
