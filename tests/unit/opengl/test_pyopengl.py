"""PyOpenGL draws through its platform "tgsi", where it is installed."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.glsl.glslang import needs_glslang

needs_pyopengl = pytest.mark.skipif(importlib.util.find_spec("OpenGL") is None, reason="PyOpenGL is not installed")

PROGRAM = """
import sys
import numpy as np
import tgsi.opengl
from OpenGL import GL, osmesa, platform
from OpenGL.GL import shaders
from OpenGL.GL.ARB.sparse_texture import glTexPageCommitmentARB

print(type(platform.PLATFORM).__module__, sys.argv[1:])
context = tgsi.opengl.create("compatibility", size=(4, 4))
GL.glClearColor(0.0, 0.0, 1.0, 1.0)
GL.glClear(GL.GL_COLOR_BUFFER_BIT)
GL.glBegin(GL.GL_TRIANGLES)
for x, y in ((-1, -1), (1, -1), (-1, 1)):
    GL.glColor3ub(255, 128, 0)
    GL.glVertex2f(x, y)
GL.glEnd()
print(*GL.glReadPixels(0, 0, 1, 1, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE), *GL.glReadPixels(3, 3, 1, 1, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE))
try:
    GL.glEnable(0x1234)
except GL.GLError as error:
    print(error.err == GL.GL_INVALID_ENUM)
vertex = shaders.compileShader("#version 330\\nin vec4 p; void main() { gl_Position = p; }", GL.GL_VERTEX_SHADER)
fragment = shaders.compileShader("#version 330\\nuniform vec4 tint; out vec4 c; void main() { c = tint; }", GL.GL_FRAGMENT_SHADER)
program = shaders.compileProgram(vertex, fragment)
GL.glUseProgram(program)
GL.glUniform4f(GL.glGetUniformLocation(program, "tint"), 0.0, 1.0, 0.0, 1.0)
GL.glBindBuffer(GL.GL_ARRAY_BUFFER, GL.glGenBuffers(1))
GL.glBufferData(GL.GL_ARRAY_BUFFER, np.array([[-1, -1], [3, -1], [-1, 3]], np.float32), GL.GL_STATIC_DRAW)
place = GL.glGetAttribLocation(program, "p")
GL.glVertexAttribPointer(place, 2, GL.GL_FLOAT, False, 0, None)
GL.glEnableVertexAttribArray(place)
GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
print(*GL.glReadPixels(3, 3, 1, 1, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE), bool(GL.glTexStorage2D), bool(glTexPageCommitmentARB))
other = osmesa.OSMesaCreateContextExt(osmesa.OSMESA_RGBA, 24, 0, 0, None)
picture = (GL.GLubyte * 64)()
assert osmesa.OSMesaMakeCurrent(other, picture, GL.GL_UNSIGNED_BYTE, 4, 4)
GL.glClearColor(1.0, 0.0, 0.0, 1.0)
GL.glClear(GL.GL_COLOR_BUFFER_BIT)
GL.glFinish()
print(*picture[:4])
"""


def run(*arguments: str, platform: str) -> subprocess.CompletedProcess[str]:
    root, environment = Path(__file__).parents[3], {**os.environ, "PYOPENGL_PLATFORM": platform}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=root, env=environment)


@needs_pyopengl
@needs_glslang
@pytest.mark.nightly
def test_a_script_draws_with_the_platform_of_the_variable(tmp_path: Path) -> None:
    script = tmp_path / "scene.py"
    script.write_text(PROGRAM, encoding="utf-8")
    found = run("-m", "tgsi.opengl", str(script), "one", platform="tgsi")
    assert found.stdout.splitlines() == [
        "tgsi.opengl.doors.pyopengl ['one']",
        "255 128 0 255 0 0 255 255",
        "True",
        "0 255 0 255 True False",
        "255 0 0 255",
    ], found.stderr


@needs_pyopengl
@pytest.mark.nightly
def test_the_block_of_the_page_runs() -> None:
    page = (Path(__file__).parents[3] / "docs" / "opengl.md").read_text(encoding="utf-8")
    (block,) = [text for text in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE) if "install_pyopengl" in text]
    found = run("-c", block + "print(*GL.glReadPixels(0, 0, 1, 1, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE))", platform="")
    assert found.stdout.split() == ["51", "102", "153", "255"], found.stderr


@needs_pyopengl
@pytest.mark.nightly
def test_another_platform_in_use_is_named() -> None:
    found = run("-c", "import OpenGL.platform, tgsi.opengl\ntgsi.opengl.install_pyopengl()", platform="osmesa")
    assert "RuntimeError: install_pyopengl: PyOpenGL uses OSMesaPlatform already" in found.stderr


@pytest.mark.nightly
def test_a_missing_pyopengl_is_named() -> None:
    found = run("-c", "import sys\nsys.modules['OpenGL'] = None\nimport tgsi.opengl\ntgsi.opengl.install_pyopengl()", platform="tgsi")
    assert "install_pyopengl: PyOpenGL is not installed: pip install PyOpenGL" in found.stderr
