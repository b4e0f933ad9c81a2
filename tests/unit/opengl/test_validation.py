"""tgsi.opengl.create(validate=True): each mistake is said with its cause, in OpenGL's words, at the line of the program."""

from __future__ import annotations

import ctypes
import inspect
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
import tgsi.opengl
from tests.unit.opengl import binding
from tests.unit.opengl.binding import Binding
from tests.unit.opengl.mistakes import (
    DEFAULT,
    HEIGHT,
    MISTAKES,
    SQUARE,
    TEXTURED,
    WIDTH,
    Mistake,
    Scene,
    sampler_that_was_given_the_name_of_a_texture,
)
from tests.unit.opengl.more_mistakes import sentences
from tgsi.gallium import ValidationWarning
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.watching.words import GALLIUM, translated


@contextmanager
def recorded() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings of a block."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


@pytest.mark.parametrize("mistake", MISTAKES, ids=[item.name for item in MISTAKES])
def test_a_mistake_is_said_with_its_cause(mistake: Mistake) -> None:
    with recorded() as found:
        mistake.make()
    texts = [str(item.message) for item in found]
    assert any(mistake.says in text for text in texts), texts
    assert {item.category for item in found} == {ValidationWarning}
    assert {item.filename for item in found} == {binding.__file__}
    assert not [text for text in texts if GALLIUM.search(text)]
    assert len(texts) <= 2, texts


@pytest.mark.parametrize("name", sentences)
def test_a_mistake_is_named_in_the_first_sentence_about_a_pixel(name: str) -> None:
    make, place, words = sentences[name]
    sentence = make().gl.loader.explain(*place).sentence
    assert words in sentence
    assert not GALLIUM.search(sentence)


def test_there_are_15_mistakes_at_least() -> None:
    assert len({item.name for item in MISTAKES}) == len(MISTAKES) >= 15


def test_a_right_program_is_silent_and_draws_the_same_picture() -> None:
    with recorded() as found:
        pictures = [Scene(validate=validate).show() for validate in (True, False)]
    assert not found
    assert np.array_equal(*pictures)
    assert pictures[0].any()


def test_right_programs_with_textures_blocks_and_two_passes_are_silent() -> None:
    block = "#version 330\nin vec2 at; layout(std140) uniform Tones { float tone; }; out vec4 color;\n"
    with recorded() as found:
        scene = Scene(vertex=DEFAULT, fragment=block + "void main() { color = vec4(at, tone, 1.0); }")
        gl = scene.gl
        gl.glBindBufferBase(GL.UNIFORM_BUFFER, 0, gl.buffer(GL.UNIFORM_BUFFER, np.array([0.5], np.float32)))
        texture = gl.make("Textures")
        gl.glBindTexture(GL.TEXTURE_2D, texture)
        gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGBA8, WIDTH, HEIGHT, 0, GL.RGBA, GL.UNSIGNED_BYTE, None)
        gl.glGenerateMipmap(GL.TEXTURE_2D)
        first = gl.make("Framebuffers")
        gl.glBindFramebuffer(GL.FRAMEBUFFER, first)
        gl.glFramebufferTexture2D(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0, GL.TEXTURE_2D, texture, 0)
        gl.glClear(GL.COLOR_BUFFER_BIT)
        gl.glEnable(GL.DEPTH_TEST)  # of no use in this pass, and left on by many programs
        scene.draw()
        gl.glBindFramebuffer(GL.FRAMEBUFFER, scene.framebuffer)
        gl.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT)
        scene.use(DEFAULT, TEXTURED)
        assert scene.show().any()
        assert gl.glGetError() == 0
    assert [str(item.message) for item in found] == []


def test_an_error_that_is_asked_for_is_the_programs_own_matter() -> None:
    with recorded() as found:
        scene = Scene()
        scene.gl.glEnable(GL.LIGHTING)
        assert scene.gl.glGetError() == GL.INVALID_ENUM
        scene.show()
    assert not found


def test_a_mistake_is_said_once_and_to_the_callback_of_KHR_debug() -> None:
    told: list[str] = []
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_uint32] * 4, ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p)
    callback = kind(lambda source, type, number, severity, length, text, more: told.append(text.decode()))
    with recorded() as found:
        scene = Scene()
        scene.gl.glDebugMessageCallback(ctypes.cast(callback, ctypes.c_void_p), None)
        scene.gl.glUseProgram(0)
        scene.show()
        scene.show()
    assert [str(item.message) for item in found] == told == ["glDrawArrays: no program is in use, so nothing is drawn: glUseProgram"]


def test_the_line_is_that_of_the_program() -> None:
    gl = tgsi.opengl.create(validate=True, size=(4, 4))
    draw = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_int32, ctypes.c_int32)(gl.load("glDrawArrays"))
    frame = inspect.currentframe()
    assert frame is not None
    with recorded() as found:
        draw(GL.TRIANGLES, 0, 3)
        line = frame.f_lineno - 1
    assert [(item.filename, item.lineno) for item in found] == [(__file__, line)]


def test_a_warning_that_is_an_error_reaches_the_hook_for_errors_that_cannot_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    caught: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", caught.append)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene = Scene()
        scene.gl.glUseProgram(0)
        scene.draw()
    assert [(item.exc_type, str(item.exc_value)[:28]) for item in caught] == [(ValidationWarning, "glDrawArrays: no program is ")]


def test_a_program_that_never_reads_its_picture_hears_of_it_at_the_end() -> None:
    with recorded() as found:
        scene = Scene()
        scene.gl.glEnable(GL.CULL_FACE)
        scene.gl.glCullFace(GL.FRONT)
        scene.draw()
        assert not found
        scene.gl.loader.release()
    assert [str(item.message)[:67] for item in found] == ["glDrawArrays: this draw changes no pixel: all primitives are culled"]


def test_a_deleted_texture_is_not_blamed_after_another_one_was_used_in_its_place() -> None:
    with recorded() as found:
        scene = Scene(vertex=DEFAULT, fragment=TEXTURED)
        scene.gl.glDeleteTextures(1, np.array([scene.texture()], np.uint32))
        scene.texture()
        scene.draw()
        scene.gl.glBindTexture(GL.TEXTURE_2D, 0)
        scene.show()
    (message,) = [str(item.message) for item in found if "no texture is bound" in str(item.message)]
    assert "glDeleteTextures" not in message


def test_a_check_that_fails_leaves_the_command_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    caught: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", caught.append)
    monkeypatch.setattr("tgsi.opengl.watching.texture_checks.textures", lambda *_: 1 // 0)
    scene = Scene()
    assert scene.show().any()
    assert scene.gl.glGetError() == 0
    assert [item.exc_type for item in caught] == [ZeroDivisionError]


def test_the_message_of_the_page_is_said() -> None:
    page = " ".join((Path(tgsi.__file__).parents[1] / "docs" / "validation.md").read_text(encoding="utf-8").split())
    with recorded() as found:
        sampler_that_was_given_the_name_of_a_texture()
    assert [f"ValidationWarning: {item.message}" in page for item in found] == [True]


def test_objects_of_fixed_functions_that_are_out_of_view_are_no_mistake() -> None:
    with recorded() as found:
        gl = Binding("compatibility", size=(8, 8), validate=True)
        gl.glClear(GL.COLOR_BUFFER_BIT)
        for shift, mode in ((0.0, GL.FLAT), (9.0, GL.SMOOTH)):
            gl.glShadeModel(mode)
            gl.glBegin(GL.TRIANGLE_STRIP)
            for x, y in SQUARE.tolist():
                gl.glVertex2f(x + shift, y)
            gl.glEnd()
        assert gl.pixels(8, 8).any()
    assert not found


def test_grids_are_checked_in_the_words_of_opengl() -> None:
    text = "#version 430\nlayout(local_size_x = 1) in; layout(std430, binding = 2) buffer Words { uint words[]; };\n"
    text += "void main() { words[0] = 1u; }"
    with recorded() as found:
        gl = Binding(validate=True)
        gl.glUseProgram(gl.stages({GL.COMPUTE_SHADER: text}))
        gl.glDispatchCompute(1, 1, 1)
    (text,) = [str(item.message) for item in found]
    assert text == "glDispatchCompute: the storage block 'Words' reads binding 2, which has no buffer, so it reads 0: " + (
        "glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, ...)"
    )


def test_a_variable_turns_it_on_and_an_argument_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_OPENGL_VALIDATE", "1")
    assert tgsi.opengl.create().context.screen.validates
    assert not tgsi.opengl.create(validate=False).context.screen.validates
    with pytest.raises(ValueError, match=r"create: validate: the given screen has none; make it with tgsi.Screen\(validate=True\)"):
        tgsi.opengl.create(screen=tgsi.Screen(), validate=True)


def test_history_and_validation_go_together() -> None:
    with recorded() as found:
        scene = Scene(history=True)
        scene.gl.glEnable(GL.CULL_FACE)
        scene.gl.glCullFace(GL.FRONT)
        scene.show()
    assert [str(item.message) for item in found] == [
        "glDrawArrays: this draw changes no pixel: all primitives are culled: glCullFace(GL_FRONT) and glFrontFace(GL_CCW)"
    ]
    assert "glCullFace(GL_FRONT), glFrontFace(GL_CCW)" in scene.gl.loader.explain(3, 3).sentence


def test_no_text_of_gallium_keeps_its_names() -> None:
    for sentence in (
        "the fragment shader samples texture unit 0, and no sampler view is bound: it reads (0, 0, 0, 1); set_sampler_views",
        "the fragment shader samples texture unit 0, and no sampler is bound: bind_sampler_states, or set_textures",
        "the vertex shader reads CONST[1], which nothing has set: 0 is read; use set_constant_buffer",
        "the vertex shader reads IN[0] from vertex buffer 0, which is not bound: set_vertex_buffers",
        "no viewport is set, so nothing is drawn; set_viewport_states",
        "it faces front, cull_face is FRONT, front_ccw is True",
        "rasterizer_discard is set",
        "set_sample_mask(0x0)",
        "the sample mask 0x0 leaves out every sample: set_sample_mask(0xFFFFFFFF)",
        "the colormask of the blend state is 0",
        "all of it lies outside of the scissor rectangle (0, 0) to (1, 1): set_scissor_states",
        "clip planes cut everything away: clip_plane_enable is 0x1",
    ):
        assert not GALLIUM.search(translated(sentence)), translated(sentence)
