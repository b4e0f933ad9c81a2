"""Classic mistakes of OpenGL programs: each is legal, draws a wrong picture, and a warning has to name its cause.

A program takes a Scene, which is ready to draw a square over its target, and does one thing wrong.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.unit.opengl.binding import Binding
from tgsi.language.record import record
from tgsi.opengl.registry import enums as GL

WIDTH, HEIGHT = 16, 8
VERTEX = """#version 330
in vec2 place; out vec2 at; uniform mat4 transform;
void main() { at = place * 0.5 + 0.5; gl_Position = transform * vec4(place, 0.0, 1.0); }"""
FRAGMENT = "#version 330\nin vec2 at; uniform vec4 tint; out vec4 color;\nvoid main() { color = tint + vec4(at, 0.0, 0.0) * 0.1; }"
TEXTURED = "#version 330\nin vec2 at; uniform sampler2D picture; out vec4 color;\nvoid main() { color = texture(picture, at); }"
SQUARE = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)
DEFAULT = """#version 330
in vec2 place; out vec2 at;
void main() { at = place * 0.5 + 0.5; gl_Position = vec4(place, 0.0, 1.0); }"""


class Scene:
    """A context with a target, a program, and a square in a vertex array."""

    def __init__(self, *, vertex: str = VERTEX, fragment: str = FRAGMENT, **more: Any) -> None:
        self.gl = gl = Binding(**{"validate": True, **more})
        self.framebuffer = gl.target(WIDTH, HEIGHT)
        self.array = gl.make("VertexArrays")
        gl.glBindVertexArray(self.array)
        self.use(vertex, fragment)
        gl.buffer(GL.ARRAY_BUFFER, SQUARE)
        gl.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, None)
        gl.glEnableVertexAttribArray(0)
        gl.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT)
        if vertex == VERTEX:
            gl.glUniformMatrix4fv(self.at("transform"), 1, 0, np.eye(4, dtype=np.float32))
        if fragment == FRAGMENT:
            gl.glUniform4f(self.at("tint"), 1.0, 0.5, 0.25, 1.0)

    def use(self, vertex: str, fragment: str) -> None:
        """Use a program of two texts."""
        self.program = self.gl.program(vertex, fragment)
        self.gl.glUseProgram(self.program)

    def at(self, name: str) -> int:
        """The location of a uniform."""
        return int(self.gl.glGetUniformLocation(self.program, name.encode()))

    def texture(self, pixels: Any = None, filters: bool = True) -> int:
        """A bound texture of 4 x 4 white pixels."""
        name = self.gl.make("Textures")
        self.gl.glBindTexture(GL.TEXTURE_2D, name)
        data = np.full((4, 4, 4), 255, np.uint8) if pixels is None else pixels
        self.gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGBA8, 4, 4, 0, GL.RGBA, GL.UNSIGNED_BYTE, data)
        if filters:
            self.gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.LINEAR)
        return name

    def draw(self) -> None:
        """Draw the square."""
        self.gl.glDrawArrays(GL.TRIANGLE_STRIP, 0, 4)

    def show(self) -> Any:
        """Draw it, and read the picture."""
        self.draw()
        return self.gl.pixels(WIDTH, HEIGHT)


@record
class Mistake:
    """A mistake. says: words of one warning."""

    name: str
    make: Callable[[], None]
    says: str


MISTAKES: list[Mistake] = []


def says(words: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Add a program to the table, with words of its warning."""

    def add(make: Callable[[], None]) -> Callable[[], None]:
        MISTAKES.append(Mistake(make.__name__, make, words))
        return make

    return add


@says("glDrawArrays: no program is in use, so nothing is drawn: glUseProgram")
def no_program() -> None:
    scene = Scene()
    scene.gl.glUseProgram(0)
    scene.show()


@says("glUniform4f: GL_INVALID_OPERATION, and glGetError was never called: no program is in use")
def uniform_before_its_program_is_used() -> None:
    scene = Scene()
    scene.gl.glUseProgram(0)
    scene.gl.glUniform4f(scene.at("tint"), 0.0, 1.0, 0.0, 1.0)
    scene.gl.glUseProgram(scene.program)
    scene.show()


@says("program: 5 is not linked: shader 4 was not compiled: error[G001]: `colour`: undeclared identifier")
def program_that_does_not_compile() -> None:
    scene = Scene()
    gl = scene.gl
    shader = gl.glCreateShader(GL.FRAGMENT_SHADER)
    text = ctypes.c_char_p(b"#version 330\nout vec4 color; void main() { colour = vec4(1.0); }")
    gl.glShaderSource(shader, 1, ctypes.byref(text), None)
    gl.glCompileShader(shader)
    program = gl.glCreateProgram()
    gl.glAttachShader(program, shader)
    gl.glLinkProgram(program)
    gl.glUseProgram(program)
    scene.show()


@says(
    "glDrawArrays: the attribute 'place' (location 0) has no enabled array, so every vertex reads 0, 0, 0, 1: glEnableVertexAttribArray(0)"
)
def attribute_never_enabled() -> None:
    scene = Scene()
    scene.gl.glDisableVertexAttribArray(0)
    scene.show()


@says("the attribute 'place' (location 0) is enabled, and no buffer feeds it: glBindBuffer(GL_ARRAY_BUFFER, ...)")
def attribute_without_a_buffer() -> None:
    scene = Scene()
    array = scene.gl.make("VertexArrays")
    scene.gl.glBindVertexArray(array)
    scene.gl.glEnableVertexAttribArray(0)
    scene.show()


@says("the attribute 'place' (location 0) reads buffer 2, which has no bytes: glBufferData")
def buffer_without_bytes() -> None:
    scene = Scene()
    scene.gl.glBindBuffer(GL.ARRAY_BUFFER, scene.gl.make("Buffers"))
    scene.gl.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, None)
    scene.show()


@says("the uniform 'transform' (mat4) was never set, and reads 0: glUniformMatrix4fv")
def matrix_never_set() -> None:
    scene = Scene()
    scene.use(VERTEX, FRAGMENT)
    scene.gl.glUniform4f(scene.at("tint"), 1.0, 1.0, 1.0, 1.0)
    scene.show()


@says("the matrix 'transform' of the vertex shader is all zeros: it was never set, or set to 0: glUniformMatrix4fv")
def matrix_of_zeros() -> None:
    scene = Scene()
    scene.gl.glUniformMatrix4fv(scene.at("transform"), 1, 0, np.zeros((4, 4), np.float32))
    scene.show()


@says("glUniform4f: location -1 is ignored: the program has no uniform 'tinnt'; is 'tint' meant?")
def uniform_with_a_misspelled_name() -> None:
    scene = Scene()
    scene.use(VERTEX, FRAGMENT)
    scene.gl.glUniformMatrix4fv(scene.at("transform"), 1, 0, np.eye(4, dtype=np.float32))
    scene.gl.glUniform4f(scene.at("tinnt"), 1.0, 1.0, 1.0, 1.0)
    scene.show()


@says("glUniform3f: GL_INVALID_OPERATION, and glGetError was never called: location: tint is of type vec4")
def uniform_call_of_the_wrong_type() -> None:
    scene = Scene()
    scene.gl.glUniform3f(scene.at("tint"), 1.0, 1.0, 1.0)
    scene.show()


@says("texture 1 is incomplete, so it reads 0, 0, 0, 1: GL_TEXTURE_MIN_FILTER is GL_NEAREST_MIPMAP_LINEAR, and level 1 of 2 is missing")
def texture_without_its_mipmaps() -> None:
    scene = Scene(vertex=DEFAULT, fragment=TEXTURED)
    scene.texture(filters=False)
    scene.show()


@says("the sampler 'picture' reads unit 0, and no texture is bound to GL_TEXTURE_2D there, so it reads 0, 0, 0, 1: glBindTexture")
def texture_never_bound() -> None:
    Scene(vertex=DEFAULT, fragment=TEXTURED).show()


@says("texture 2 is bound to unit 0, and glUniform1i takes the number of the unit, not the name of the texture")
def sampler_that_was_given_the_name_of_a_texture() -> None:
    scene = Scene(vertex=DEFAULT, fragment=TEXTURED)
    scene.texture()
    scene.gl.glUniform1i(scene.at("picture"), scene.texture())
    scene.show()


@says("GL_R32UI holds integers, which cannot be filtered: GL_NEAREST for both filters")
def integers_that_are_filtered() -> None:
    scene = Scene(
        vertex=DEFAULT, fragment=TEXTURED.replace("sampler2D", "usampler2D").replace("texture(picture, at)", "vec4(texture(picture, at))")
    )
    gl = scene.gl
    gl.glBindTexture(GL.TEXTURE_2D, gl.make("Textures"))
    gl.glTexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MIN_FILTER, GL.NEAREST)
    gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.R32UI, 4, 4, 0, GL.RED_INTEGER, GL.UNSIGNED_INT, np.ones((4, 4), np.uint32))
    scene.show()


@says("the samplers 'first' and 'second' both read unit 0, because neither was given a unit: glUniform1i")
def two_samplers_of_one_unit() -> None:
    text = "#version 330\nin vec2 at; uniform sampler2D first, second; out vec4 color;\n"
    scene = Scene(vertex=DEFAULT, fragment=text + "void main() { color = texture(first, at) + texture(second, at); }")
    scene.texture()
    scene.show()


@says("GL_COLOR_ATTACHMENT0 of framebuffer 2, texture 1, has no image of level 0: glTexImage2D or glTexStorage2D before it is attached")
def framebuffer_whose_texture_has_no_image() -> None:
    scene = Scene()
    gl = scene.gl
    gl.glBindFramebuffer(GL.FRAMEBUFFER, gl.make("Framebuffers"))
    name = gl.make("Textures")
    gl.glBindTexture(GL.TEXTURE_2D, name)
    gl.glFramebufferTexture2D(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0, GL.TEXTURE_2D, name, 0)
    scene.draw()


@says("glDrawArrays: there is no default framebuffer: the context was made without a size")
def default_framebuffer_that_is_not_there() -> None:
    scene = Scene()
    scene.gl.glBindFramebuffer(GL.FRAMEBUFFER, 0)
    scene.draw()


@says("glDrawArrays: GL_DEPTH_TEST is enabled, and no framebuffer that was drawn to has a depth buffer, so every fragment passes")
def depth_test_without_a_depth_buffer() -> None:
    scene = Scene()
    gl = scene.gl
    gl.glFramebufferRenderbuffer(GL.FRAMEBUFFER, GL.DEPTH_STENCIL_ATTACHMENT, GL.RENDERBUFFER, 0)
    gl.glEnable(GL.DEPTH_TEST)
    scene.show()


@says(
    "the depth test GL_LESS rejects every fragment: the depth buffer holds 0 everywhere: was it never cleared? glClear(GL_DEPTH_BUFFER_BIT)"
)
def depth_never_cleared() -> None:
    scene = Scene()
    gl = scene.gl
    gl.target(WIDTH, HEIGHT)
    gl.glClear(GL.COLOR_BUFFER_BIT)
    gl.glEnable(GL.DEPTH_TEST)
    scene.show()


@says("glClear: GL_DEPTH_BUFFER_BIT has no effect while glDepthMask is GL_FALSE")
def clear_of_masked_depth() -> None:
    scene = Scene()
    scene.gl.glDepthMask(0)
    scene.gl.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT)
    scene.show()


@says("glDrawArrays: this draw changes no pixel: all primitives are culled: glCullFace(GL_BACK) and glFrontFace(GL_CW)")
def everything_culled() -> None:
    scene = Scene()
    scene.gl.glEnable(GL.CULL_FACE)
    scene.gl.glFrontFace(GL.CW)
    scene.show()


@says("this draw changes no pixel: every primitive is outside, right of the view (x > w)")
def positions_in_pixels() -> None:
    scene = Scene()
    scene.gl.buffer(GL.ARRAY_BUFFER, SQUARE * 4 + 20)
    scene.gl.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, None)
    scene.show()


@says("this draw changes no pixel: everything is cut away by the near or the far plane: z is outside of -w to w")
def everything_beyond_the_far_plane() -> None:
    scene = Scene()
    scene.gl.glUniformMatrix4fv(scene.at("transform"), 1, 1, np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 3], [0, 0, 0, 1]], np.float32))
    scene.show()


@says("texture 1 is read through unit 0 and drawn to as GL_COLOR_ATTACHMENT0 of framebuffer 1 at the same time: results are undefined")
def feedback_loop() -> None:
    scene = Scene(vertex=DEFAULT, fragment=TEXTURED)
    name = scene.texture()
    scene.gl.glFramebufferTexture2D(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0, GL.TEXTURE_2D, name, 0)
    scene.gl.glFramebufferRenderbuffer(GL.FRAMEBUFFER, GL.DEPTH_STENCIL_ATTACHMENT, GL.RENDERBUFFER, 0)
    scene.gl.glViewport(0, 0, 4, 4)
    scene.draw()
    scene.gl.pixels(4, 4)


@says("glDrawArrays: viewport 0, 0 to 0 by 0 to 0, lies outside of the target of 16 x 8: glViewport(0, 0, 16, 8)")
def viewport_never_set() -> None:
    scene = Scene()
    scene.gl.glViewport(0, 0, 0, 0)
    scene.show()


@says("glDrawArrays: the fragment shader writes no color, and a color buffer is bound: declare `out vec4 color;` and assign it")
def output_never_written() -> None:
    scene = Scene(vertex=DEFAULT, fragment="#version 330\nin vec2 at; out vec4 color; void main() { vec4 found = vec4(at, 0.0, 1.0); }")
    scene.show()


@says(
    "the output 'bright' of the fragment shader, location 1, goes nowhere: GL_COLOR_ATTACHMENT1 of framebuffer 1 is not among glDrawBuffers"
)
def draw_buffers_forgotten() -> None:
    text = "#version 330\nin vec2 at; layout(location = 0) out vec4 color; layout(location = 1) out vec4 bright;\n"
    scene = Scene(vertex=DEFAULT, fragment=text + "void main() { color = vec4(at, 0.0, 1.0); bright = color; }")
    gl = scene.gl
    name = gl.make("Renderbuffers")
    gl.glBindRenderbuffer(GL.RENDERBUFFER, name)
    gl.glRenderbufferStorage(GL.RENDERBUFFER, GL.RGBA8, WIDTH, HEIGHT)
    gl.glFramebufferRenderbuffer(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT1, GL.RENDERBUFFER, name)
    scene.show()


@says("6 of 6 positions that the shaders gave are NaN")
def positions_that_are_no_numbers() -> None:
    scene = Scene()
    scene.gl.glUniformMatrix4fv(scene.at("transform"), 1, 0, np.full((4, 4), np.nan, np.float32))
    scene.show()


@says("glReadPixels: framebuffer 2 is read, and nothing was drawn to it; draws went to framebuffer 1: glBindFramebuffer before them")
def another_framebuffer_is_read() -> None:
    scene = Scene()
    scene.draw()
    scene.gl.target(WIDTH, HEIGHT)
    scene.gl.pixels(WIDTH, HEIGHT)


@says("glEnable: GL_INVALID_ENUM, and glGetError was never called")
def error_that_nobody_asks_for() -> None:
    scene = Scene()
    scene.gl.glEnable(GL.LIGHTING)
    scene.show()


@says("the draw reads vertex 9, and the buffer holds 4 vertices of 8 bytes: those beyond read as 0")
def count_beyond_the_buffer() -> None:
    scene = Scene()
    scene.gl.glDrawArrays(GL.TRIANGLES, 0, 10)
    scene.gl.pixels(WIDTH, HEIGHT)


@says(
    "glTexImage2D: 3 pixels of GL_RGB are 9 bytes, and a row of 12 bytes is read, because GL_UNPACK_ALIGNMENT is 4: glPixelStorei(GL_UNPACK"
)
def rows_that_are_not_padded() -> None:
    scene = Scene(vertex=DEFAULT, fragment=TEXTURED)
    scene.texture()
    scene.gl.glTexImage2D(GL.TEXTURE_2D, 0, GL.RGB8, 3, 3, 0, GL.RGB, GL.UNSIGNED_BYTE, np.full(64, 255, np.uint8))
    scene.show()


@says("the uniform block 'Colors' reads binding 0, which has no buffer, so it reads 0: glBindBufferBase(GL_UNIFORM_BUFFER, 0, ...)")
def uniform_block_without_a_buffer() -> None:
    text = "#version 330\nin vec2 at; layout(std140) uniform Colors { vec4 tone; }; out vec4 color;\n"
    Scene(vertex=DEFAULT, fragment=text + "void main() { color = tone + vec4(at, 0.0, 0.0); }").show()


@says("the input ivec2 number gets floats, whose bits it takes for whole numbers: glVertexAttribIPointer")
def integers_through_the_pointer_of_floats() -> None:
    vertex = "#version 330\nin ivec2 number; out vec2 at; void main() { at = vec2(1.0); gl_Position = vec4(vec2(number), 0.0, 1.0); }"
    Scene(vertex=vertex).show()


@says("this draw changes no pixel: all of it lies outside of the scissor rectangle")
def scissor_elsewhere() -> None:
    scene = Scene()
    scene.gl.glViewport(0, 0, 8, 8)
    scene.gl.glEnable(GL.SCISSOR_TEST)
    scene.gl.glScissor(12, 0, 2, 2)
    scene.show()


@says("this draw changes no pixel: blending leaves the target as it is, with glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA)")
def alpha_of_zero_that_is_blended() -> None:
    scene = Scene()
    scene.gl.glEnable(GL.BLEND)
    scene.gl.glBlendFunc(GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA)
    scene.gl.glUniform4f(scene.at("tint"), 1.0, 1.0, 1.0, 0.0)
    scene.show()


@says("glDrawArrays: the count is 0, so nothing is drawn")
def count_of_zero() -> None:
    scene = Scene()
    scene.gl.glDrawArrays(GL.TRIANGLES, 0, 0)
    scene.gl.pixels(WIDTH, HEIGHT)


@says("the count is 2, and the first primitive of GL_TRIANGLES has 3 vertices, so nothing is drawn")
def count_below_a_primitive() -> None:
    scene = Scene()
    scene.gl.glDrawArrays(GL.TRIANGLES, 0, 2)
    scene.gl.pixels(WIDTH, HEIGHT)


@says("texture 1 was bound, and glDeleteTextures deleted it")
def texture_that_was_deleted() -> None:
    scene = Scene(vertex=DEFAULT, fragment=TEXTURED)
    name = scene.texture()
    scene.gl.glDeleteTextures(1, np.array([name], np.uint32))
    scene.show()


@says("its draw buffers are all GL_NONE; glDrawBuffer(GL_COLOR_ATTACHMENT0)")
def draw_buffer_of_none_left() -> None:
    scene = Scene()
    scene.gl.glFramebufferRenderbuffer(GL.FRAMEBUFFER, GL.DEPTH_STENCIL_ATTACHMENT, GL.RENDERBUFFER, 0)
    scene.gl.glDrawBuffer(GL.NONE)
    scene.show()


@says("all vertices of an instance are the same")
def divisor_of_a_vertex_attribute() -> None:
    scene = Scene()
    scene.gl.glVertexAttribDivisor(0, 1)
    scene.show()


@says("the vertices of IN[0] look like an array of float64")
def positions_in_float64() -> None:
    scene = Scene()
    scene.gl.buffer(GL.ARRAY_BUFFER, SQUARE.astype(np.float64))
    scene.gl.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, None)
    scene.show()
