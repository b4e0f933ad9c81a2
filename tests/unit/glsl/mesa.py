"""Mesa's compiler of GLSL, through EGL without a window: whether it takes a text."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from typing import Any

import pytest

_STAGES = {"vert": 0x8B31, "frag": 0x8B30, "geom": 0x8DD9, "tesc": 0x8E88, "tese": 0x8E87, "comp": 0x91B9}
_SURFACELESS, _OPENGL, _OPENGL_ES, _COMPILE_STATUS = 0x31DD, 0x30A2, 0x30A0, 0x8B81
_DESKTOP = (0x3098, 4, 0x30FB, 5, 0x30FD, 1, 0x3038)  # version 4.5, core
_ES = (0x3098, 3, 0x30FB, 2, 0x3038)


def _library() -> Any:
    name = ctypes.util.find_library("EGL")
    return None if name is None or os.name != "posix" else ctypes.CDLL(name)


_EGL = _library()
needs_mesa = pytest.mark.skipif(_EGL is None, reason="libEGL is not installed")


def _function(name: str, result: Any, *arguments: Any) -> Any:
    _EGL.eglGetProcAddress.restype = ctypes.c_void_p
    return ctypes.CFUNCTYPE(result, *arguments)(_EGL.eglGetProcAddress(name.encode()))


class Judge:
    """A context of OpenGL 4.5, or of OpenGL ES 3.2. The test is skipped where Mesa gives none."""

    def __init__(self, is_es: bool) -> None:
        pointer, number = ctypes.c_void_p, ctypes.c_int
        platform = _function("eglGetPlatformDisplayEXT", pointer, ctypes.c_uint, pointer, pointer)
        self.display = pointer(platform(_SURFACELESS, None, None))
        config, count = pointer(), number()
        _EGL.eglCreateContext.restype = pointer
        wanted = (number * 3)(0x3040, 0x40 if is_es else 8, 0x3038)
        attributes = _ES if is_es else _DESKTOP
        if not _EGL.eglInitialize(self.display, None, None):
            pytest.skip("EGL has no display without a window")
        _EGL.eglBindAPI(_OPENGL_ES if is_es else _OPENGL)
        _EGL.eglChooseConfig(self.display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
        self.context = pointer(_EGL.eglCreateContext(self.display, config, None, (number * len(attributes))(*attributes)))
        if not self.context or not _EGL.eglMakeCurrent(self.display, None, None, self.context):
            pytest.skip("EGL makes no context of this version")
        self._create = _function("glCreateShader", number, number)
        self._source = _function("glShaderSource", None, number, number, pointer, pointer)
        self._compile = _function("glCompileShader", None, number)
        self._get = _function("glGetShaderiv", None, number, number, pointer)
        self._delete = _function("glDeleteShader", None, number)

    def takes(self, text: str, stage: str) -> bool:
        """True if a text compiles."""
        shader = self._create(_STAGES[stage])
        texts = (ctypes.c_char_p * 1)(text.encode())
        self._source(shader, 1, texts, None)
        self._compile(shader)
        status = ctypes.c_int()
        self._get(shader, _COMPILE_STATUS, ctypes.byref(status))
        self._delete(shader)
        return bool(status.value)
