"""OpenGL contexts without windows, through the functions of libEGL alone, for programs that tests run as processes of their own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

ES, DESKTOP = 0x30A0, 0x30A2
_RENDERABLE = {ES: 4, DESKTOP: 8}
_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int
_EXTENSIONS, _COUNT = 0x1F03, 0x821D


class Egl:
    """A display of the platform without surfaces."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libEGL.so.1")
        self._library.eglGetProcAddress.restype = _POINTER
        pointer, number = _POINTER, _NUMBER
        self._display = self.function("eglGetPlatformDisplayEXT", pointer, number, pointer, pointer)(0x31DD, None, None)
        assert self.function("eglInitialize", number, pointer, pointer, pointer)(self._display, None, None)

    def function(self, name: str, result: Any = ctypes.c_uint, *arguments: Any) -> Callable[..., Any]:
        """A function of EGL or OpenGL by name."""
        return ctypes.CFUNCTYPE(result, *arguments)(self._library.eglGetProcAddress(name.encode()))

    def make_current(self, api: int, major: int, minor: int, size: int = 0) -> None:
        """Make a context of an API and version, with a square surface of `size` pixels if it is not 0, and make it current."""
        pointer, number = _POINTER, _NUMBER
        self.function("eglBindAPI", number, number)(api)
        config, count = pointer(), number()
        wanted = (number * 7)(0x3033, 1, 0x3040, _RENDERABLE[api], 0x3021, 8, 0x3038)  # a pbuffer, the API, alpha
        choose = self.function("eglChooseConfig", number, pointer, pointer, pointer, number, pointer)
        choose(self._display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
        surface = None
        if size:
            sizes = (number * 5)(0x3057, size, 0x3056, size, 0x3038)
            surface = self.function("eglCreatePbufferSurface", pointer, pointer, pointer, pointer)(self._display, config, sizes)
        version = (number * 5)(0x3098, major, 0x30FB, minor, 0x3038)
        context = self.function("eglCreateContext", pointer, pointer, pointer, pointer, pointer)(self._display, config, None, version)
        assert self.function("eglMakeCurrent", number, pointer, pointer, pointer, pointer)(self._display, surface, surface, context)

    def extensions(self) -> list[str]:
        """Names of the extensions that the current context offers, without GL_."""
        count = _NUMBER()
        self.function("glGetIntegerv", None, _NUMBER, _POINTER)(_COUNT, ctypes.byref(count))
        name = self.function("glGetStringi", ctypes.c_char_p, _NUMBER, _NUMBER)
        return [name(_EXTENSIONS, k).decode().removeprefix("GL_") for k in range(count.value)]
