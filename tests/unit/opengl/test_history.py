"""Histories of OpenGL programs: each call has its command, its arguments by name, and the line of the program."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
import tgsi.opengl
from tests.unit.opengl.binding import Binding
from tgsi.insight.events import Verdict
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.watching.callers import caller, kind_of, shown
from tgsi.opengl.watching.command_text import command_text

PAGE = Path(__file__).parents[3] / "docs" / "opengl.md"
VERTEX = "#version 330\nin vec2 p; out vec2 t; void main() { t = p; gl_Position = vec4(p, 0.0, 1.0); }"
FRAGMENT = "#version 330\nin vec2 t; out vec4 color; void main() { color = vec4(1.0, t * 0.0, 1.0); }"
SQUARE = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


@pytest.fixture
def gl() -> Binding:
    gl = Binding(history=True)
    gl.target(16, 8)
    gl.glBindVertexArray(gl.make("VertexArrays"))
    gl.glUseProgram(gl.program(VERTEX, FRAGMENT))
    gl.buffer(GL.ARRAY_BUFFER, SQUARE)
    gl.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, None)
    gl.glEnableVertexAttribArray(0)
    gl.glClearColor(0.0, 0.0, 0.2, 1.0)
    gl.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT)
    return gl


def test_each_event_has_its_command_with_names_of_enumerants_and_its_line(gl: Binding) -> None:
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    found = gl.loader.explain(8, 2)
    clear, draw = [re.sub(r"at \S*binding.py:\d+$", "at LINE", event.command) for event in found.events]
    assert clear == "glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT) at LINE"
    assert draw == "glDrawArrays(GL_TRIANGLE_STRIP, 0, 4) at LINE"
    assert found.verdict is Verdict.WRITTEN
    assert found.sentence.startswith("glDrawArrays(GL_TRIANGLE_STRIP, 0, 4) at ")
    assert "from IN[0] t = (0.0625, -0.375, 0, 0)" in found.sentence
    assert found.subject == "pixel (8, 2) of framebuffer 1, GL_COLOR_ATTACHMENT0, 16 x 8"


def test_equal_commands_of_a_loop_are_all_named_also_after_a_flush(gl: Binding) -> None:
    gl.glEnable(GL.BLEND)
    gl.glBlendFunc(GL.ONE, GL.ONE)
    for _ in range(2):
        for _ in range(3):
            gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
        gl.glFlush()
    commands = [event.command.partition(" at ")[0] for event in gl.loader.explain(8, 2).events]
    assert commands == ["glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT)", *["glDrawArrays(GL_TRIANGLE_STRIP, 0, 4)"] * 6]


def test_a_black_pixel_names_the_instruction_and_the_uniform_of_the_program_that_drew(gl: Binding) -> None:
    text = "#version 330\nin vec2 t; uniform int step, steps; out vec4 color;\n"
    program = gl.program(VERTEX, text + "void main() { float part = step / steps; color = vec4(mix(vec3(0.0), vec3(t, 1.0), part), 1.0); }")
    gl.glUseProgram(program)
    for name, value in ((b"step", 3), (b"steps", 10)):
        gl.glUniform1i(gl.glGetUniformLocation(program, name), value)
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    sentence = gl.loader.explain(8, 2).sentence
    assert "IDIV" in sentence
    assert "gives 0, of 3 (the uniform step), 10 (the uniform steps)" in sentence
    assert "a division of whole numbers drops the fraction; divide floats" in sentence


def test_row_0_is_the_lowest_one_as_glReadPixels_counts(gl: Binding) -> None:
    gl.glScissor(0, 0, 16, 1)
    gl.glEnable(GL.SCISSOR_TEST)
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    assert [gl.loader.explain(3, y).verdict for y in (0, 1)] == [Verdict.WRITTEN, Verdict.REJECTED]
    assert gl.pixels(16, 8)[:2, 3, 0].tolist() == [255, 0]


@pytest.mark.parametrize(("winding", "other"), [(GL.CW, GL.CCW), (GL.CCW, GL.CW)])
def test_culled_primitives_are_told_in_the_words_of_opengl(gl: Binding, winding: int, other: int) -> None:
    gl.glEnable(GL.CULL_FACE)
    gl.glFrontFace(winding)
    gl.glCullFace(GL.BACK if winding == GL.CW else GL.FRONT)
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    sentence = gl.loader.explain(8, 2).sentence
    names = {GL.CW: "GL_CW", GL.CCW: "GL_CCW"}
    assert f"glFrontFace({names[winding]})" in sentence
    assert f"glFrontFace({names[other]})" not in sentence


def test_the_picture_that_was_read_is_meant_until_something_is_drawn(gl: Binding) -> None:
    gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)
    gl.pixels(16, 8)
    first = gl.get(GL.FRAMEBUFFER_BINDING)[0]
    second = gl.target(4, 4)
    assert gl.loader.explain(8, 2).subject == "pixel (8, 2) of the picture that was read, renderbuffer 1, 16 x 8"
    gl.glClear(GL.COLOR_BUFFER_BIT)
    assert gl.loader.explain(1, 2).subject == f"pixel (1, 2) of framebuffer {second}, GL_COLOR_ATTACHMENT0, 4 x 4"
    assert gl.loader.explain(8, 2, framebuffer=first).verdict is Verdict.WRITTEN
    assert gl.loader.explain(8, 2, framebuffer=first, attachment=GL.DEPTH_ATTACHMENT).events[0].kind == "clear"


def test_uploads_to_a_texture_are_explained(gl: Binding) -> None:
    texture = gl.make("Textures")
    gl.glBindTexture(GL.TEXTURE_2D, texture)
    gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGBA8, 2, 2, 0, GL.RGBA, GL.UNSIGNED_BYTE, np.full((2, 2, 4), 255, np.uint8))
    (event,) = [event for event in gl.loader.explain(1, 1, texture=texture).events if event.wrote]
    assert event.command.startswith("glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, pointer) at ")


def test_immediate_mode_is_named_from_glBegin_to_glEnd() -> None:
    gl = Binding("compatibility", size=(4, 4), history=True)
    gl.glBegin(GL.TRIANGLES)
    for x, y in ((-1, -1), (3, -1), (-1, 3)):
        gl.glVertex2f(x, y)
    gl.glEnd()
    found = tgsi.opengl.explain(1, 1)
    assert found.events[-1].command.startswith("glBegin(GL_TRIANGLES) ... glEnd() at ")
    assert found.subject == "pixel (1, 1) of the default framebuffer, 4 x 4"


def test_pixels_and_pictures_that_are_not_there_are_refused_by_name(gl: Binding) -> None:
    explain = gl.loader.explain
    with pytest.raises(ValueError, match=r"\(16, 0\) is outside of framebuffer 1, GL_COLOR_ATTACHMENT0, which is 16 x 8"):
        explain(16, 0)
    with pytest.raises(ValueError, match="framebuffer: there is no framebuffer 77"):
        explain(0, 0, framebuffer=77)
    with pytest.raises(ValueError, match="texture: there is no texture 78"):
        explain(0, 0, texture=78)
    with pytest.raises(ValueError, match="framebuffer 1 has no GL_COLOR_ATTACHMENT3; it has GL_COLOR_ATTACHMENT0"):
        explain(0, 0, attachment=GL.COLOR_ATTACHMENT3)
    with pytest.raises(TypeError, match="framebuffer: the name of an object of OpenGL is wanted, not str"):
        explain(0, 0, framebuffer="screen")


def test_without_a_history_the_error_names_the_ways_to_have_one() -> None:
    gl = Binding(size=(4, 4))
    with pytest.raises(RuntimeError, match=r"create\(history=True\).*--history.*TGSI_OPENGL_HISTORY"):
        gl.loader.explain(0, 0)
    with pytest.raises(ValueError, match=r"create: history: the given screen has none; make it with tgsi.Screen\(history=True\)"):
        tgsi.opengl.create(screen=tgsi.Screen(), history=True)


def test_a_variable_turns_it_on_and_an_argument_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_OPENGL_HISTORY", "1")
    assert tgsi.opengl.create().context.screen.history
    assert not tgsi.opengl.create(history=False).context.screen.history


def test_without_it_nothing_is_watched_and_nothing_more_is_imported() -> None:
    text = "import sys, tgsi.opengl; gl = tgsi.opengl.create(); assert gl.context.watch is None\n"
    text += "print([name for name in sys.modules if 'watching' in name])"
    assert subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True).stdout == "[]\n"


def test_commands_are_texts() -> None:
    assert command_text("glDrawElements", (GL.LINES, 6, GL.UNSIGNED_SHORT, 12)) == "glDrawElements(GL_LINES, 6, GL_UNSIGNED_SHORT, 12)"
    assert command_text("glDrawElements", (GL.POINTS, 6, GL.UNSIGNED_INT, None)) == "glDrawElements(GL_POINTS, 6, GL_UNSIGNED_INT, NULL)"
    assert command_text("glBlendFunc", (GL.ONE, GL.ZERO)) == "glBlendFunc(GL_ONE, GL_ZERO)"
    assert command_text("glClear", (0x4000 | 0x8,)) == "glClear(GL_COLOR_BUFFER_BIT | 0x8)"
    assert command_text("glClear", (0,)) == "glClear(0)"
    assert command_text("glColor3f", (0.5, 1.0, 0.0)) == "glColor3f(0.5, 1, 0)"
    assert command_text("glReadBuffer", (0,)) == "glReadBuffer(GL_NONE)"
    assert command_text("glEnable", (0x123456,)) == "glEnable(0x123456)"


def test_the_caller_is_the_program_and_not_a_package_if_there_is_one() -> None:
    here = inspect.currentframe()
    assert here is not None
    place = caller()
    assert (place.file, place.line) == (__file__, here.f_lineno - 1)
    files = ("/x/site-packages/moderngl/__init__.py", os.__file__, tgsi.opengl.__file__, "<frozen runpy>", "program.py")
    assert [kind_of(file) for file in files] == [1, 1, 0, 0, 2]
    assert shown(place) == f"{Path(__file__).relative_to(Path.cwd())}:{place.line}"


SCRIPT = """import ctypes
library = ctypes.CDLL("libOSMesa.so.8")
library.OSMesaCreateContext.restype = ctypes.c_void_p
context = library.OSMesaCreateContext(0x1908, None)
picture = (ctypes.c_uint32 * 64)()
library.OSMesaMakeCurrent(ctypes.c_void_p(context), picture, 0x1401, 8, 8)
library.glClearColor.argtypes = [ctypes.c_float] * 4
library.glClearColor(1.0, 0.0, 0.0, 1.0)
library.glClear(0x4000)
library.OSMesaDestroyContext(ctypes.c_void_p(context)) if DESTROYS else None
"""


@pytest.mark.skipif(sys.platform != "linux", reason="libraries in memory are for Linux")
@pytest.mark.parametrize("destroys", [True, False])
def test_the_command_explains_a_pixel_at_the_end_of_a_context_or_of_the_program(tmp_path: Path, destroys: bool) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("DESTROYS", str(destroys)), encoding="utf-8")
    command = [sys.executable, "-m", "tgsi.opengl", "--explain", "2,3", str(script)]
    run = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=120, env=_environment())
    assert run.returncode == 0, run.stderr
    first, second = run.stdout.splitlines()[:2]
    assert first == "pixel (2, 3) of the default framebuffer, 8 x 8: nothing drew there."
    assert second.startswith("no draw went to this target; (1, 0, 0, 1) comes from glClear(GL_COLOR_BUFFER_BIT)")
    assert "glClear(GL_COLOR_BUFFER_BIT) at script.py:9" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--explain", "4"], "--explain: two numbers such as 120,80 are wanted, not '4'"),
        (["--histroy", "x.py"], "there is no option --histroy; --help lists them"),
        (["--history"], "a script is wanted"),
    ],
)
def test_a_wrong_command_line_is_refused(arguments: list[str], words: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tgsi.opengl", *arguments], check=False, capture_output=True, text=True, timeout=60, env=_environment()
    )
    assert (run.returncode, run.stderr) == (2, f"python -m tgsi.opengl: {words}\n")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(tgsi.__file__).parents[1])}


def test_the_program_of_the_page_prints_its_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("moderngl")
    text = PAGE.read_text(encoding="utf-8").partition("## Why does this pixel have this color?")[2]
    program, shown_text = (re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[0] for kind in ("python", "text"))
    session: dict[str, Any] = {}
    exec(compile(program, "program.py", "exec"), session)
    assert capsys.readouterr().out.strip() == shown_text.strip()
