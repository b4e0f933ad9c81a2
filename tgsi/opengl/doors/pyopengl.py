"""PyOpenGL's platform "tgsi": functions by address instead of an in-process library, so it works on every system."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

from tgsi.opengl.calls import current, function_for
from tgsi.opengl.doors.osmesa import functions as functions_of_osmesa
from tgsi.opengl.offer import load

NAME = "tgsi"
VARIABLE = "PYOPENGL_PLATFORM"


def install_pyopengl() -> None:
    """Register PyOpenGL's platform "tgsi", and select it by PYOPENGL_PLATFORM. Call this before `OpenGL.GL` is imported.

    Create contexts with `tgsi.opengl.create` or `OpenGL.osmesa`. This also works on Windows and macOS. A second call does nothing. PyOpenGL
    reads no entry points, so setting the variable alone does not find the platform.

    Raises:
        ModuleNotFoundError: PyOpenGL is not installed.
        RuntimeError: PyOpenGL already uses another platform.
    """
    loaded: Any = sys.modules.get("OpenGL.platform")
    chosen = type(loaded.PLATFORM).__name__ if loaded is not None else "Platform"
    if chosen != "Platform":
        raise RuntimeError(f"install_pyopengl: PyOpenGL uses {chosen} already; call this before OpenGL.GL is imported")
    try:
        from OpenGL.plugins import PlatformPlugin
    except ImportError:
        raise ModuleNotFoundError("install_pyopengl: PyOpenGL is not installed: pip install PyOpenGL") from None
    if PlatformPlugin.by_name(NAME) is None:
        PlatformPlugin(NAME, f"{__name__}.Platform")
    os.environ[VARIABLE] = NAME


class _Functions:
    """Stand-in for a library of ctypes: functions as attributes."""

    FunctionType = staticmethod(ctypes.CFUNCTYPE)

    def __getattr__(self, name: str) -> Any:
        function = find_function(name)
        if function is None:
            raise AttributeError(name)
        return function


def find_function(name: str) -> Any:
    """An OpenGL command or OSMesa function as a ctypes object; None if it is not supported."""
    return functions_of_osmesa().get(name) if name.startswith("OSMesa") else function_for(name)


def __getattr__(name: str) -> Any:
    """Create the platform class on access, because PyOpenGL imports its base class only when it selects a platform."""
    if name == "Platform":
        return _platform()
    raise AttributeError(name)


def _platform() -> type:
    from OpenGL.platform.baseplatform import BasePlatform

    load()
    library = _Functions()

    class Platform(BasePlatform):  # type: ignore[misc]
        """OpenGL drawn by tgsi."""

        EXPORTED_NAMES = (*BasePlatform.EXPORTED_NAMES, "OSMesa")
        DEFAULT_FUNCTION_TYPE = staticmethod(ctypes.CFUNCTYPE)
        GL = GLES1 = GLES2 = GLES3 = OSMesa = library
        GLU = GLUT = GLE = EGL = None

        def GetCurrentContext(self) -> int:
            """A number that identifies the calling thread's context; 0 without one."""
            context = current()
            return id(context) if context is not None else 0

        def getExtensionProcedure(self, name: bytes) -> int:
            """The address of a function; 0 if it is not supported."""
            function = find_function(name.decode("ascii", "replace"))
            return ctypes.cast(function, ctypes.c_void_p).value or 0 if function is not None else 0

        def constructFunction(self, *arguments: Any, **more: Any) -> Any:
            """A function of PyOpenGL, always from an address."""
            return super().constructFunction(*arguments, **{**more, "force_extension": True})

    return Platform
