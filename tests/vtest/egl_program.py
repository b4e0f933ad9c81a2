"""Complete OpenGL ES program for Mesa, without a window: a green background, a red triangle over its left half.

Prints the renderer's name, then the colors of two pixels. test_peers runs it as a separate program.
"""

from __future__ import annotations

import ctypes

from tests.vtest.egl import ES, Egl

SIZE = 16
VERTEX = b"attribute vec2 corner; void main() { gl_Position = vec4(corner, 0.0, 1.0); }"
FRAGMENT = b"precision mediump float; void main() { gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0); }"


def main() -> None:
    egl = Egl()
    egl.make_current(ES, 2, 0, SIZE)
    function, pointer, number = egl.function, ctypes.c_void_p, ctypes.c_int
    print(function("glGetString", ctypes.c_char_p, number)(0x1F01).decode())

    program = function("glCreateProgram")()
    for kind, text in ((0x8B31, VERTEX), (0x8B30, FRAGMENT)):
        shader = function("glCreateShader", ctypes.c_uint, number)(kind)
        source = ctypes.c_char_p(text)
        function("glShaderSource", None, number, number, pointer, pointer)(shader, 1, ctypes.byref(source), None)
        function("glCompileShader", None, number)(shader)
        function("glAttachShader", None, number, number)(program, shader)
    function("glLinkProgram", None, number)(program)
    function("glUseProgram", None, number)(program)
    function("glClearColor", None, *[ctypes.c_float] * 4)(0.0, 1.0, 0.0, 1.0)
    function("glClear", None, number)(0x4000)
    corners = (ctypes.c_float * 6)(-5, -1, 0, -1, 0, 9)
    function("glVertexAttribPointer", None, number, number, number, number, number, pointer)(0, 2, 0x1406, 0, 0, corners)
    function("glEnableVertexAttribArray", None, number)(0)
    function("glDrawArrays", None, number, number, number)(4, 0, 3)
    pixel = (ctypes.c_uint8 * 4)()
    read = function("glReadPixels", None, number, number, number, number, number, number, pointer)
    for x in (SIZE // 2 - 1, SIZE // 2):
        read(x, 2, 1, 1, 0x1908, 0x1401, pixel)
        print(*pixel)


if __name__ == "__main__":
    main()
