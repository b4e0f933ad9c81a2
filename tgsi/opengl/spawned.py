"""The main module of spawned multiprocessing children after `install`: it installs, then runs the parent's main module."""

from __future__ import annotations

import os
import runpy
from typing import Any

from tgsi.opengl.life import MAIN, install


def _run() -> dict[str, Any]:
    kind, _, name = os.environ.get(MAIN, "").partition(":")
    if kind == "path":
        return runpy.run_path(name, run_name="__mp_main__")
    if kind == "module" and name != "__main__" and not name.endswith(".__main__"):
        return runpy.run_module(name, run_name="__mp_main__", alter_sys=True)
    return {}


if __name__ == "__mp_main__":
    install()
    globals().update(_run())
