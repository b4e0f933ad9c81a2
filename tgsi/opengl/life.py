"""`install` and `uninstall`: let OpenGL clients in this process use our libraries."""

from __future__ import annotations

import ctypes
import ctypes.util
import multiprocessing.spawn
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tgsi.opengl.doors import egl, osmesa
from tgsi.opengl.doors.library import Library
from tgsi.opengl.offer import check_python

VARIABLES = {
    "PYOPENGL_PLATFORM": "osmesa",  # PyOpenGL, pyrender
    "MUJOCO_GL": "osmesa",  # MuJoCo, dm_control, gymnasium
    "VTK_DEFAULT_OPENGL_WINDOW": "vtkOSOpenGLRenderWindow",  # VTK, PyVista
    "PYVISTA_OFF_SCREEN": "true",
    "OSMESA_LIBRARY": osmesa.SONAME,  # vispy, which otherwise searches for libOSMesa.so
}
"""Environment variables by which clients select a library, with the values that select ours."""
CHILD, MAIN = "tgsi.opengl.spawned", "TGSI_OPENGL_MAIN"
"""The main module of multiprocessing children, and the variable that names the module it runs: "path" or "module", a colon, the name."""

_before: dict[str, str | None] = {}
_find: list[Callable[[str], str | None]] = []
_prepare: list[Callable[[str], dict[str, Any]]] = []
_doors: list[Library] = []


def _real_libraries() -> list[str]:
    """Paths of OpenGL libraries that this process has already loaded."""
    names = ("libOSMesa.so", "libGL.so", "libOpenGL.so", "libEGL.so", "libGLESv2.so")
    try:
        with Path("/proc/self/maps").open(encoding="utf-8") as maps:
            paths = {line.split(None, 5)[5].strip() for line in maps if line.count("/")}
    except OSError:
        return []
    return sorted(path for path in paths if Path(path).name.startswith(names))


def install() -> None:
    """Let OpenGL clients in this process use our libraries: PyVista and VTK, MuJoCo, PyOpenGL and pyrender.

    Sets the variables by which clients select a library, loads libOSMesa.so.8 and libEGL.so.1 into the process, and makes
    `ctypes.util.find_library` return them. Call it before importing the clients. A second call does nothing. Children of multiprocessing
    get the libraries, too, however they are started.

    Raises:
        OSError: the system is not Linux on x86-64 or AArch64; `tgsi.opengl.create` works everywhere.
        RuntimeError: another OpenGL library is already loaded, which the message names; or this Python has no global lock.
    """
    if _doors:
        return
    check_python()
    real = _real_libraries()
    if real:
        raise RuntimeError(f"install: {real[0]} is loaded already; call tgsi.opengl.install() before anything else loads OpenGL")
    _doors.extend([osmesa.open_door(), *egl.open_doors()])
    for door in _doors:
        door.reopen()
    for name, value in VARIABLES.items():
        _before[name] = os.environ.get(name)
        os.environ[name] = value
    own = ctypes.util.find_library
    _find.append(own)
    sonames = {"OSMesa": osmesa.SONAME, "EGL": egl.SONAME}
    sonames |= {name.removeprefix("lib").partition(".so")[0]: name for name in egl.LIBRARIES}

    def find_library(name: str) -> str | None:
        return sonames.get(name) or own(name)

    vars(ctypes.util)["find_library"] = find_library
    _prepare.append(multiprocessing.spawn.get_preparation_data)
    vars(multiprocessing.spawn)["get_preparation_data"] = _preparation_data


def _preparation_data(name: str) -> dict[str, Any]:
    """Data for a multiprocessing child, which first installs and then runs its parent's main module."""
    data = dict(_prepare[-1](name))
    path, module = data.pop("init_main_from_path", ""), data.pop("init_main_from_name", "")
    if module != CHILD:
        os.environ[MAIN] = f"module:{module}" if module else f"path:{path}" if path else ""
    return {**data, "init_main_from_name": CHILD}


def uninstall() -> None:
    """Undo the changes of `install`. Clients that loaded a library keep it, but its functions do nothing from then on."""
    if not _doors:
        return
    vars(ctypes.util)["find_library"] = _find.pop()
    vars(multiprocessing.spawn)["get_preparation_data"] = _prepare.pop()
    for name, value in _before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    _before.clear()
    while _doors:
        _doors.pop().close()
