"""A second list of mistakes of OpenGL programs: planes of projections, other programs, framebuffers and viewports, colors multiplied twice.

sentences: mistakes that are legal in too many programs for a warning, with the pixel to ask for and words of the first sentence about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.unit.insight.mistakes.third_list import moved, perspective
from tests.unit.opengl.mistakes import DEFAULT, FRAGMENT, HEIGHT, TEXTURED, VERTEX, WIDTH, Scene, says
from tgsi.opengl.registry import enums as GL

MATRICES = """#version 330
in vec2 place; uniform mat4 projection; uniform mat4 view; out vec2 at;
void main() { at = place; gl_Position = projection * view * vec4(place, 0.0, 1.0); }"""
WHITE = "#version 330\nout vec4 color; void main() { color = vec4(1.0); }"
sentences: dict[str, tuple[Callable[[], Scene], tuple[int, int], str]] = {}


def explains(x: int, y: int, words: str) -> Callable[[Callable[[], Scene]], Callable[[], Scene]]:
    """Add a program to the table, with a pixel and words of the first sentence about it."""

    def add(make: Callable[[], Scene]) -> Callable[[], Scene]:
        sentences[make.__name__] = make, (x, y), words
        return make

    return add


def seen(projection: Any, view: Any, **more: Any) -> Scene:
    """A square through two matrices, given by their rows, with a depth test."""
    scene = Scene(vertex=MATRICES, fragment=WHITE, **more)
    scene.gl.glEnable(GL.DEPTH_TEST)
    for name, matrix in (("projection", projection), ("view", view)):
        scene.gl.glUniformMatrix4fv(scene.at(name), 1, 1, np.ascontiguousarray(matrix))
    return scene


@says("the projection 'projection' of the vertex shader gives nearer things larger depths, so that depth test GL_LESS keeps the farthest")
def near_and_far_are_swapped() -> None:
    seen(perspective(100, 0.1), moved(-3)).show()


@says("the matrix 'view' of the vertex shader looks transposed: it is used as four columns, and holds rows; GL_TRUE for transpose")
def one_of_two_matrices_is_transposed() -> None:
    seen(perspective(0.1, 100), moved(-3).T).show()


@says("was called while program 1 was in use: glUseProgram(4) before it")
def uniform_of_a_program_that_is_not_in_use() -> None:
    scene = Scene(vertex=DEFAULT, fragment=FRAGMENT)
    first = scene.program
    other = scene.gl.program(DEFAULT, FRAGMENT.replace("tint", "shade"))
    scene.program = other
    scene.gl.glUniform4f(scene.at("shade"), 1.0, 0.0, 0.0, 1.0)
    assert first != other
    scene.gl.glUseProgram(other)
    scene.show()


@says("was never set, and reads 0: glUniform4f; program 1 has a uniform of this name, too, and that one was set")
def uniform_of_another_program_with_the_same_name() -> None:
    scene = Scene(vertex=DEFAULT, fragment=FRAGMENT)
    scene.use(DEFAULT, FRAGMENT)
    scene.show()


@says("the viewport was set for a framebuffer of 16 x 8, and framebuffer 2 is 32 x 16: glViewport(0, 0, 32, 16) after glBindFramebuffer")
def viewport_of_a_smaller_framebuffer() -> None:
    scene = Scene()
    scene.gl.target(2 * WIDTH, 2 * HEIGHT)
    scene.gl.glBindFramebuffer(GL.FRAMEBUFFER, 1)
    scene.gl.glViewport(0, 0, WIDTH, HEIGHT)
    scene.show()
    scene.gl.glBindFramebuffer(GL.FRAMEBUFFER, 2)
    scene.gl.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT)
    scene.draw()
    scene.gl.pixels(2 * WIDTH, 2 * HEIGHT)


@says("framebuffer 2 is read, and nothing was drawn to it; draws went to framebuffer 1")
def framebuffer_that_was_only_cleared_is_read() -> None:
    scene = Scene()
    scene.draw()
    scene.gl.target(WIDTH, HEIGHT)
    scene.gl.glClear(GL.COLOR_BUFFER_BIT)
    scene.gl.pixels(WIDTH, HEIGHT)


@says("the depth buffer holds 0 everywhere: it was cleared to 0, and no depth is less; glClearDepth(1)")
def depth_is_cleared_to_0() -> None:
    scene = Scene()
    scene.gl.glClearDepth(0.0)
    scene.gl.glClear(GL.DEPTH_BUFFER_BIT)
    scene.gl.glEnable(GL.DEPTH_TEST)
    scene.show()


@says("1 / 2 divides whole numbers, and is 0; write 1.0 / 2.0 for 0.5")
def half_is_written_without_a_point() -> None:
    Scene(vertex=DEFAULT, fragment="#version 330\nin vec2 at; out vec4 color; void main() { color = vec4(at, 1/2, 1.0); }").show()


@says("the blend factor GL_SRC_ALPHA multiplies it again: colors get too dark at edges; glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA) is for")
def colors_are_multiplied_by_alpha_twice() -> None:
    fragment = TEXTURED.replace("color = texture(picture, at);", "vec4 t = texture(picture, at); color = vec4(t.rgb * t.a, t.a);")
    scene = Scene(vertex=DEFAULT, fragment=fragment)
    scene.texture(np.full((4, 4, 4), 128, np.uint8))
    scene.gl.glEnable(GL.BLEND)
    scene.gl.glBlendFunc(GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA)
    scene.show()


@explains(20, 12, "has no fragment here: glViewport(0, 0, 16, 8), in a target of 32 x 16, lies away from the pixel")
def pixel_outside_of_the_viewport() -> Scene:
    scene = Scene(vertex=VERTEX, history=True, validate=False)
    scene.gl.target(2 * WIDTH, 2 * HEIGHT)
    scene.gl.glViewport(0, 0, WIDTH, HEIGHT)
    scene.draw()
    return scene


@explains(10, 4, "the scissor leaves the pixel out: GL_SCISSOR_TEST is enabled with glScissor(0, 0, 4, 4)")
def scissor_of_the_frame_before() -> Scene:
    scene = Scene(history=True, validate=False)
    for _ in range(2):
        scene.gl.glClear(GL.COLOR_BUFFER_BIT)
        scene.draw()
        scene.gl.glEnable(GL.SCISSOR_TEST)
        scene.gl.glScissor(0, 0, 4, 4)
    return scene


@explains(5, 4, "the alpha is 0, so nothing of the color is added")
def alpha_of_0() -> Scene:
    scene = Scene(history=True, validate=False)
    scene.gl.glUniform4f(scene.at("tint"), 1.0, 0.5, 0.2, 0.0)
    scene.gl.glEnable(GL.BLEND)
    scene.gl.glBlendFunc(GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA)
    scene.draw()
    return scene


@explains(5, 4, "no draw went to this target; the last one, glDrawArrays(GL_TRIANGLE_STRIP, 0, 4) at ")
def drawn_to_another_framebuffer() -> Scene:
    scene = Scene(history=True, validate=False)
    scene.draw()
    scene.gl.target(WIDTH, HEIGHT)
    scene.gl.glClear(GL.COLOR_BUFFER_BIT)
    return scene


@explains(9, 4, "texelFetch counts texels, here 4 x 4")
def texels_are_fetched_from_0_to_1() -> Scene:
    fragment = TEXTURED.replace("texture(picture, at)", "texelFetch(picture, ivec2(at), 0)")
    scene = Scene(vertex=DEFAULT, fragment=fragment, history=True, validate=False)
    scene.texture()
    scene.draw()
    return scene
