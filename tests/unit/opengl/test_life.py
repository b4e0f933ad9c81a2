"""Processes, threads and share groups: children by fork and spawn, pools, objects of two contexts."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tgsi.opengl
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tgsi.opengl.doors.library import is_possible
from tgsi.opengl.registry import enums as GL

pytestmark = needs_glslang
ROOT = Path(__file__).parents[3]

VERTEX = "#version 330\nin vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }"
FRAGMENT = "#version 330\nuniform vec4 tint; out vec4 c; void main() { c = tint; }"
RED, GREEN, BLUE = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255)


class Scene:
    """A context with a triangle over its whole picture of 4 x 4 pixels; `program` is one of another context, or a new one."""

    def __init__(self, profile: str = "core", share: Scene | None = None, text: str = FRAGMENT, vertex: str = VERTEX) -> None:
        self.gl: Binding = Binding(profile, size=(4, 4), share=share.gl.loader if share is not None else None)
        self.program: int = share.program if share is not None else self.gl.program(vertex, text)
        self.gl.glBindVertexArray(self.gl.make("VertexArrays"))
        self.gl.buffer(GL.ARRAY_BUFFER, np.array([-1, -1, 3, -1, -1, 3], np.float32))
        self.gl.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, None)
        self.gl.glEnableVertexAttribArray(0)
        self.gl.glUseProgram(self.program)

    def set(self, name: bytes, *values: float) -> None:
        """Give a uniform its value."""
        with self.gl.loader:
            getattr(self.gl, f"glUniform{len(values)}f")(self.gl.glGetUniformLocation(self.program, name), *values)

    def draw(self) -> tuple[int, ...]:
        """The color of every pixel after a draw."""
        with self.gl.loader:
            self.gl.glDrawArrays(GL.TRIANGLES, 0, 3)
            found = self.gl.pixels(4, 4)
            assert (found == found[0, 0]).all()
            assert self.gl.glGetError() == GL.NO_ERROR
        return tuple(int(value) for value in found[0, 0])


def in_thread(function: Callable[[], object]) -> object:
    """The result of a function in a thread of its own."""
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join(60)
    return found[0]


# -- programs of two contexts
def test_both_contexts_see_a_uniform_that_one_of_them_sets() -> None:
    first = Scene()
    second = Scene(share=first)
    first.set(b"tint", 1, 0, 0, 1)
    assert [first.draw(), second.draw()] == [RED, RED]
    second.set(b"tint", 0, 1, 0, 1)
    assert [second.draw(), second.draw()] == [GREEN, GREEN]
    assert [first.draw(), first.draw()] == [GREEN, GREEN]
    first.set(b"tint", 0, 0, 1, 1)
    assert [second.draw(), first.draw(), second.draw()] == [BLUE, BLUE, BLUE]


def test_a_program_of_two_contexts_follows_the_matrices_of_each() -> None:
    text = "#version 120\nuniform vec4 tint; void main() { gl_FragColor = gl_ModelViewMatrix[0] + tint; }"
    first = Scene("compatibility", text=text, vertex="#version 120\nattribute vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }")
    second = Scene("compatibility", share=first)
    for scene, row in ((first, (1, 0, 0, 1)), (second, (0, 1, 0, 1))):
        with scene.gl.loader:
            scene.gl.glMatrixMode(GL.MODELVIEW)
            scene.gl.glLoadMatrixf(np.array([*row, *np.eye(4).ravel()[4:]], np.float32))
    first.set(b"tint", 0, 0, 0, 0)
    assert [first.draw(), second.draw(), first.draw(), second.draw()] == [RED, GREEN, RED, GREEN]
    first.set(b"tint", 0, 0, 1, 0)
    assert [first.draw(), second.draw()] == [(255, 0, 255, 255), (0, 255, 255, 255)]
    second.set(b"tint", 0, 0, 0, 0)
    assert [first.draw(), second.draw(), first.draw()] == [RED, GREEN, RED]


def test_a_program_of_two_contexts_has_the_subroutines_that_each_chose() -> None:
    text = """#version 400
    subroutine vec4 Kind(); subroutine uniform Kind kind; uniform float blue; out vec4 c;
    subroutine(Kind) vec4 red() { return vec4(1.0, 0.0, blue, 1.0); }
    subroutine(Kind) vec4 green() { return vec4(0.0, 1.0, blue, 1.0); }
    void main() { c = kind(); }"""
    first = Scene(text=text)
    second = Scene(share=first)
    with second.gl.loader:
        second.gl.glUniformSubroutinesuiv(GL.FRAGMENT_SHADER, 1, np.array([1], np.uint32))
    assert [first.draw(), second.draw(), first.draw()] == [RED, GREEN, RED]
    second.set(b"blue", 1)
    assert [first.draw(), second.draw()] == [(255, 0, 255, 255), (0, 255, 255, 255)]


def test_units_that_one_context_gives_to_samplers_count_in_the_other() -> None:
    text = "#version 330\nuniform sampler2D s; out vec4 c; void main() { c = texelFetch(s, ivec2(0), 0); }"
    first = Scene(text=text)
    second = Scene(share=first)
    names = []
    for color in (RED, GREEN):
        with first.gl.loader:
            names.append(first.gl.make("Textures"))
            first.gl.glBindTexture(GL.TEXTURE_2D, names[-1])
            first.gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGBA8, 1, 1, 0, GL.RGBA, GL.UNSIGNED_BYTE, np.array(color, np.uint8))
    for scene in (first, second):
        with scene.gl.loader:
            for unit, name in enumerate(names):
                scene.gl.glActiveTexture(GL.TEXTURE0 + unit)
                scene.gl.glBindTexture(GL.TEXTURE_2D, name)
    assert [first.draw(), second.draw()] == [RED, RED]
    with first.gl.loader:
        first.gl.glUniform1i(first.gl.glGetUniformLocation(first.program, b"s"), 1)
    assert [second.draw(), first.draw()] == [GREEN, GREEN]


def test_a_program_that_one_context_links_again_is_new_in_the_other_when_it_uses_it() -> None:
    first = Scene()
    second = Scene(share=first)
    first.set(b"tint", 1, 0, 0, 1)
    assert [first.draw(), second.draw()] == [RED, RED]
    with first.gl.loader:
        first.gl.glLinkProgram(first.program)
    first.set(b"tint", 0, 1, 0, 1)
    with second.gl.loader:
        second.gl.glUseProgram(second.program)
    assert [first.draw(), second.draw()] == [GREEN, GREEN]


def test_threads_draw_with_one_program_at_the_same_time() -> None:
    first = Scene()
    scenes = [first, *(in_thread(lambda: Scene(share=first)) for _ in range(3))]
    first.set(b"tint", 0, 1, 0, 1)
    found: list[set[tuple[int, ...]]] = []
    threads = [threading.Thread(target=lambda scene=scene: found.append({scene.draw() for _ in range(50)})) for scene in scenes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [{GREEN}] * 4


def test_textures_and_buffers_of_one_thread_are_drawn_by_another() -> None:
    text = "#version 330\nuniform sampler2D s; out vec4 c; void main() { c = texelFetch(s, ivec2(0), 0); }"
    first = Scene(text=text)
    name = first.gl.make("Textures")

    def other() -> tuple[int, ...]:
        second = Scene(share=first)
        second.gl.glBindTexture(GL.TEXTURE_2D, name)
        return second.draw()

    for color in (RED, BLUE):
        first.gl.glBindTexture(GL.TEXTURE_2D, name)
        first.gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGBA8, 1, 1, 0, GL.RGBA, GL.UNSIGNED_BYTE, np.array(color, np.uint8))
        first.gl.glFinish()
        assert in_thread(other) == color


# -- processes
def child_color(number: int) -> tuple[int, ...]:
    """Draw in a context of the child."""
    scene = Scene()
    scene.set(b"tint", number % 2, 0, 1, 1)
    return scene.draw()


@pytest.mark.nightly
@pytest.mark.parametrize("method", [name for name in ("fork", "spawn", "forkserver") if name in multiprocessing.get_all_start_methods()])
def test_pools_draw_in_their_children(method: str) -> None:
    scene = Scene()
    scene.set(b"tint", 0, 1, 0, 1)
    assert scene.draw() == GREEN
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(child_color, range(6)) == [(255 * (k % 2), 0, 255, 255) for k in range(6)]
    assert scene.draw() == GREEN


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_by_fork_draws_with_the_context_of_its_parent() -> None:
    scene = Scene()
    scene.set(b"tint", 1, 0, 0, 1)
    assert scene.draw() == RED
    end, begin = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            before = scene.draw()
            scene.set(b"tint", 0, 0, 1, 1)
            os.write(begin, repr((before, scene.draw(), child_color(1))).encode())
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(begin)
    with os.fdopen(end) as stream:
        assert stream.read() == repr((RED, BLUE, (255, 0, 255, 255)))
    assert scene.draw() == RED


SCRIPT = """
import ctypes, multiprocessing, sys

def color(number):
    library = ctypes.CDLL("libOSMesa.so.8")
    library.OSMesaCreateContextExt.restype = ctypes.c_void_p
    library.OSMesaMakeCurrent.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_int]
    library.glClearColor.argtypes = [ctypes.c_float] * 4
    library.glGetString.restype = ctypes.c_char_p
    context = library.OSMesaCreateContextExt(0x1908, 24, 8, 0, None)
    pixels = (ctypes.c_uint8 * 64)()
    assert library.OSMesaMakeCurrent(context, pixels, 0x1401, 4, 4) == 1
    library.glClearColor(number, 1.0, 0.0, 1.0)
    library.glClear(0x4000)
    library.glFinish()
    return [*pixels[:4], library.glGetString(0x1F00).decode(), *sys.argv[1:]]

if __name__ == "__main__":
    print(color(0))
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(pool.map(color, [0, 1]))
"""


@pytest.mark.nightly
@pytest.mark.skipif(not is_possible(), reason="libraries in memory are for Linux on x86-64 and AArch64")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("way", ["script", "module"])
def test_children_of_a_program_find_its_libraries(method: str, way: str, tmp_path: Path) -> None:
    (tmp_path / "scene.py").write_text(SCRIPT, encoding="utf-8")
    arguments = [str(tmp_path / "scene.py")] if way == "script" else ["-m", "scene"]
    command = [sys.executable, "-m", "tgsi.opengl", *arguments, method]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path, env=environment)
    lines = [[0, 255, 0, 255, "tgsi", method], [[0, 255, 0, 255, "tgsi", method], [255, 255, 0, 255, "tgsi", method]]]
    assert found.stdout.splitlines() == [repr(line) for line in lines], found.stderr


def test_python_without_the_gil_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    with pytest.raises(RuntimeError, match=r"free-threaded Python .* PYTHON_GIL=1"):
        tgsi.opengl.create()
    with pytest.raises(RuntimeError, match=r"free-threaded Python .* PYTHON_GIL=1"):
        tgsi.opengl.install()
