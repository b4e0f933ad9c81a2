"""OpenGL ES program without a window that draws frames, for tests of many clients and of long runs.

    python -m tests.vtest.egl_frames FRAMES [SECONDS]

Each frame makes a program, a texture and a buffer, draws with them, and frees them. A line for each of the first FRAMES frames has the CRC
of its pixels; then it goes on for SECONDS, and prints "done N" with the number of frames.
"""

from __future__ import annotations

import ctypes
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any

from tests.vtest.egl import ES, Egl

SIZE, TEXELS = 64, 32
VERTEX = b"attribute vec2 corner; varying vec2 at; void main() { at = corner; gl_Position = vec4(corner, 0.0, 1.0); }"
FRAGMENT = b"""precision mediump float; uniform sampler2D image; uniform float turn; varying vec2 at;
void main() { gl_FragColor = texture2D(image, at + turn); }"""
_POINTER, _NUMBER, _FLOAT = ctypes.c_void_p, ctypes.c_int, ctypes.c_float
_TEXTURE_2D, _RGBA, _BYTE, _ARRAY_BUFFER = 0x0DE1, 0x1908, 0x1401, 0x8892


class Frames:
    """The program's functions and the pixels of a frame."""

    def __init__(self) -> None:
        self._egl = Egl()
        self._egl.make_current(ES, 2, 0, SIZE)
        self.pixels = (ctypes.c_uint8 * (4 * SIZE * SIZE))()

    def _gl(self, name: str, *kinds: Any, result: Any = None) -> Callable[..., Any]:
        return self._egl.function(f"gl{name}", result, *kinds)

    def _program(self) -> int:
        program: int = self._gl("CreateProgram", result=ctypes.c_uint)()
        for kind, text in ((0x8B31, VERTEX), (0x8B30, FRAGMENT)):
            shader = self._gl("CreateShader", _NUMBER, result=ctypes.c_uint)(kind)
            source = ctypes.c_char_p(text)
            self._gl("ShaderSource", _NUMBER, _NUMBER, _POINTER, _POINTER)(shader, 1, ctypes.byref(source), None)
            self._gl("CompileShader", _NUMBER)(shader)
            self._gl("AttachShader", _NUMBER, _NUMBER)(program, shader)
            self._gl("DeleteShader", _NUMBER)(shader)
        self._gl("LinkProgram", _NUMBER)(program)
        self._gl("UseProgram", _NUMBER)(program)
        return program

    def draw(self, k: int) -> int:
        """Draw the frame number `k`. Returns the CRC of its pixels."""
        names = [ctypes.c_uint() for _ in range(2)]
        for name, kind in zip(names, ("Textures", "Buffers")):
            self._gl(f"Gen{kind}", _NUMBER, _POINTER)(1, ctypes.byref(name))
        texture, buffer = (name.value for name in names)
        self._gl("BindTexture", _NUMBER, _NUMBER)(_TEXTURE_2D, texture)
        texels = bytes((k + 7 * x) % 256 for x in range(256)) * (TEXELS * TEXELS // 64)
        image = (_NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER, ctypes.c_char_p)
        self._gl("TexImage2D", *image)(_TEXTURE_2D, 0, _RGBA, TEXELS, TEXELS, 0, _RGBA, _BYTE, texels)
        self._gl("TexParameteri", _NUMBER, _NUMBER, _NUMBER)(_TEXTURE_2D, 0x2801, 0x2600)  # the smaller filter: nearest, without levels
        corners = (_FLOAT * 6)(-1, -1, 3, -1, -1, 3)
        self._gl("BindBuffer", _NUMBER, _NUMBER)(_ARRAY_BUFFER, buffer)
        self._gl("BufferData", _NUMBER, ctypes.c_ssize_t, _POINTER, _NUMBER)(_ARRAY_BUFFER, ctypes.sizeof(corners), corners, 0x88E4)
        program = self._program()
        place = self._gl("GetUniformLocation", _NUMBER, ctypes.c_char_p, result=_NUMBER)(program, b"turn")
        self._gl("Uniform1f", _NUMBER, _FLOAT)(place, 0.125 * (k % 8))
        self._gl("VertexAttribPointer", _NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER, _POINTER)(0, 2, 0x1406, 0, 0, None)
        self._gl("EnableVertexAttribArray", _NUMBER)(0)
        self._gl("DrawArrays", _NUMBER, _NUMBER, _NUMBER)(4, 0, 3)
        self._gl("ReadPixels", *[_NUMBER] * 6, _POINTER)(0, 0, SIZE, SIZE, _RGBA, _BYTE, self.pixels)
        self._gl("DeleteProgram", _NUMBER)(program)
        for name, kind in zip(names, ("Textures", "Buffers")):
            self._gl(f"Delete{kind}", _NUMBER, _POINTER)(1, ctypes.byref(name))
        return zlib.crc32(self.pixels)


def main(count: str, seconds: str = "0") -> None:
    frames, k = Frames(), 0
    for k in range(int(count)):
        print(k, frames.draw(k), flush=True)
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        k += 1
        frames.draw(k)
    print("done", k + 1, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
