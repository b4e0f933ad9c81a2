"""Sides of the comparison, inside the client's process: our OpenGL, and Debian's libOSMesa over llvmpipe."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any, Protocol

LIBRARY = "libOSMesa.so.8"
_RGBA, _BYTES = 0x1908, 0x1401
_FORMAT = (0x22, _RGBA, 0x30, 24, 0x31, 8)
_ATTRIBUTES = {"core": (*_FORMAT, 0x33, 0x34, 0x36, 3, 0x37, 3, 0), "compatibility": (*_FORMAT, 0)}
"""Attributes for OSMesaCreateContextAttribs (GL/osmesa.h): format, bits of depth and stencil, profile, version."""


class Side(Protocol):
    """The OpenGL that a client draws with."""

    def install(self) -> None:
        """Make libraries that are imported later draw on this side."""

    def loader(self, profile: str = "core") -> Any:
        """A current context with `load_opengl_function`, as moderngl requires."""


class Ours:
    """`tgsi.opengl` in this process."""

    def install(self) -> None:
        import tgsi.opengl

        tgsi.opengl.install()

    def loader(self, profile: str = "core") -> Any:
        import tgsi.opengl

        return tgsi.opengl.create(profile, size=(512, 512))


class OSMesa:
    """Mesa's off-screen library."""

    def install(self) -> None:
        os.environ |= {"MUJOCO_GL": "osmesa", "PYOPENGL_PLATFORM": "osmesa", "PYVISTA_OFF_SCREEN": "true"}
        os.environ["VTK_DEFAULT_OPENGL_WINDOW"] = "vtkOSOpenGLRenderWindow"

    def loader(self, profile: str = "core") -> Any:
        return _Loader(profile)


class _Loader:
    """A libOSMesa context with the methods that moderngl requires."""

    def __init__(self, profile: str) -> None:
        library = ctypes.CDLL(LIBRARY)
        for name in ("OSMesaCreateContextAttribs", "OSMesaGetProcAddress"):
            getattr(library, name).restype = ctypes.c_void_p
        words = _ATTRIBUTES[profile]
        self._library, self._memory = library, (ctypes.c_uint8 * (4 * 512 * 512))()
        context = ctypes.c_void_p(library.OSMesaCreateContextAttribs((ctypes.c_int * len(words))(*words), None))
        if not library.OSMesaMakeCurrent(context, self._memory, _BYTES, 512, 512):
            raise OSError("OSMesaMakeCurrent fails")

    def load_opengl_function(self, name: str) -> int:
        return self._library.OSMesaGetProcAddress(name.encode()) or 0

    def load(self, name: str) -> int:
        return self.load_opengl_function(name)

    def __enter__(self) -> _Loader:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def release(self) -> None:
        pass


SIDES: dict[str, Callable[[], Side]] = {"tgsi": Ours, "osmesa": OSMesa}
