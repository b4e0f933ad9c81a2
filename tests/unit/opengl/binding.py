"""Calls of OpenGL as a program in C makes them: by the address of each function."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi.opengl
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.registry.table import command


class Binding:
    """A context whose commands are attributes: ``gl.glClear(GL.COLOR_BUFFER_BIT)``. Arrays and bytes are passed by address."""

    def __init__(self, profile: str = "core", **more: Any) -> None:
        self.loader = tgsi.opengl.create(profile, **more)
        self._keep: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        row, address = command(name), self.address(name)
        if row is None or not address:
            raise AttributeError(name)
        function = row.prototype()(address)

        def call(*values: Any) -> Any:
            return function(*(_pointer(value) for value in values))

        self.__dict__[name] = call
        return call

    def address(self, name: str) -> int:
        """The address of a command; 0 if it is not offered."""
        return int(self.loader.load_opengl_function(name) or 0)

    def make(self, kind: str) -> int:
        """A fresh name: ``gl.make("Textures")``."""
        name = (ctypes.c_uint32 * 1)()
        getattr(self, f"glGen{kind}")(1, name)
        return int(name[0])

    def get(self, name: int, count: int = 1, kind: Any = ctypes.c_int32) -> list[Any]:
        """The values of a state."""
        values = (kind * count)()
        {ctypes.c_int32: self.glGetIntegerv, ctypes.c_float: self.glGetFloatv, ctypes.c_double: self.glGetDoublev}[kind](name, values)
        return list(values)

    def program(self, vertex: str, fragment: str) -> int:
        """A linked program of two texts. AssertionError with the log if it does not compile or link."""
        return self.stages({GL.VERTEX_SHADER: vertex, GL.FRAGMENT_SHADER: fragment})

    def stages(self, texts: Mapping[int, str]) -> int:
        """A linked program of the texts of stages; empty ones are left out."""
        return self.parts([(type, text) for type, text in texts.items() if text])

    def parts(self, texts: Iterable[tuple[int, str]]) -> int:
        """A linked program of texts, several of which may be of one stage."""
        made = self.glCreateProgram()
        for type, text in texts:
            shader = self.glCreateShader(type)
            raw = ctypes.c_char_p(text.encode())
            self.glShaderSource(shader, 1, ctypes.byref(raw), None)
            self.glCompileShader(shader)
            self.glAttachShader(made, shader)
        self.glLinkProgram(made)
        log = ctypes.create_string_buffer(4096)
        self.glGetProgramInfoLog(made, 4096, None, log)
        status = (ctypes.c_int32 * 1)()
        self.glGetProgramiv(made, GL.LINK_STATUS, status)
        assert status[0], log.value.decode()
        return int(made)

    def target(self, width: int, height: int, internal: int = GL.RGBA8) -> int:
        """A framebuffer with a color and a depth-stencil renderbuffer, bound, with its viewport."""
        framebuffer = self.make("Framebuffers")
        self.glBindFramebuffer(GL.FRAMEBUFFER, framebuffer)
        for point, format in ((GL.COLOR_ATTACHMENT0, internal), (GL.DEPTH_STENCIL_ATTACHMENT, GL.DEPTH24_STENCIL8)):
            name = self.make("Renderbuffers")
            self.glBindRenderbuffer(GL.RENDERBUFFER, name)
            self.glRenderbufferStorage(GL.RENDERBUFFER, format, width, height)
            self.glFramebufferRenderbuffer(GL.FRAMEBUFFER, point, GL.RENDERBUFFER, name)
        self.glViewport(0, 0, width, height)
        assert self.glCheckFramebufferStatus(GL.FRAMEBUFFER) == GL.FRAMEBUFFER_COMPLETE
        return framebuffer

    def pixels(self, width: int, height: int) -> NDArray[np.uint8]:
        """[row upward, column, 4] of the read framebuffer."""
        made = np.zeros((height, width, 4), np.uint8)
        self.glReadPixels(0, 0, width, height, GL.RGBA, GL.UNSIGNED_BYTE, made)
        return made

    def buffer(self, target: int, data: Any) -> int:
        """A buffer with these bytes, bound to a target."""
        name = self.make("Buffers")
        self.glBindBuffer(target, name)
        self.glBufferData(target, data.nbytes, data, GL.STATIC_DRAW)
        return name


def _pointer(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.ctypes.data
    if isinstance(value, bytes):
        return ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p)
    return ctypes.cast(value, ctypes.c_void_p) if isinstance(value, ctypes.Array) else value
