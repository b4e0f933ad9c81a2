"""The peer's side of the scenes: the same pictures through moderngl."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray
from pyglm import glm

from benchmarks.cold.clock import Clock
from examples import model, triangle

_SRGB8_ALPHA8, _FRAMEBUFFER_SRGB = 0x8C43, 0x8DB9

_TRIANGLE_VERTEX = """#version 330 core
in vec4 position, paint;
out vec4 color;
void main() { gl_Position = position * vec4(1.0, -1.0, 1.0, 1.0); color = paint; }
"""
_TRIANGLE_FRAGMENT = """#version 330 core
in vec4 color;
out vec4 result;
void main() { result = color; }
"""


def _start(clock: Clock) -> Any:
    clock.start()
    create: Any = moderngl.create_context
    return create(standalone=True, backend="egl")


def _read(framebuffer: Any) -> NDArray[np.uint8]:
    """Picture from its top row on."""
    width, height = framebuffer.size
    return np.frombuffer(framebuffer.read(components=4, alignment=1), np.uint8).reshape(height, width, 4)[::-1]


def draw_triangle(clock: Clock, size: int = 512) -> NDArray[np.uint8]:
    """The picture of examples/triangle.py."""
    ctx = _start(clock)
    target = ctx.framebuffer([ctx.texture((size, size), 4)])
    target.use()
    array = ctx.vertex_array(
        ctx.program(_TRIANGLE_VERTEX, _TRIANGLE_FRAGMENT), [(ctx.buffer(triangle.VERTICES.tobytes()), "4f 4f", "position", "paint")]
    )
    target.clear(0.08, 0.09, 0.12, 1.0)
    array.render(moderngl.TRIANGLES)
    return _read(target)


def draw_vase(clock: Clock, size: int = 1024) -> NDArray[np.uint8]:
    """The picture of examples/model.py, with as many samples as the driver has."""
    meshes = [model.floor(), *model.parts(model.pottery())]
    eye, sun = glm.vec3(0.6, 2.9, 6.6), glm.normalize(glm.vec3(0.62, 0.9, 0.5))
    camera = glm.perspective(glm.radians(31), 1, 0.5, 60) * glm.lookAt(eye, glm.vec3(0, 0.86, 0), glm.vec3(0, 1, 0))
    light = glm.ortho(-4, 4, -4, 4, 0, 16) * glm.lookAt(8 * sun, glm.vec3(0), glm.vec3(0, 1, 0))
    names = {"camera": camera, "light": light, "eye": eye, "sun": sun}
    texels = [np.asarray(mesh["texture"] if isinstance(mesh["texture"], np.ndarray) else mesh["texture"].convert("RGB")) for mesh in meshes]
    ctx = _start(clock)
    shadows, picture = (ctx.program(*sources) for sources in ((model.SHADOW_VERTEX, _EMPTY), (model.VERTEX, model.FRAGMENT)))
    for program in (shadows, picture):
        for name, value in names.items():
            if name in program:
                program[name].write(model.rounded(value).T.tobytes())
    shadow = ctx.depth_texture((2048, 2048))
    shadow.compare_func, shadow.filter = "<=", (moderngl.NEAREST, moderngl.NEAREST)
    shadow.repeat_x = shadow.repeat_y = False
    samples = min(8, ctx.max_samples)
    colors = ctx.texture((size, size), 4, samples=samples, internal_format=_SRGB8_ALPHA8)
    drawn = ctx.framebuffer([colors], ctx.depth_renderbuffer((size, size), samples=samples))
    shown = ctx.framebuffer([ctx.texture((size, size), 4, internal_format=_SRGB8_ALPHA8)])
    textures = [_texture(ctx, image) for image in texels]
    buffers = [{name: ctx.buffer(values.tobytes()) for name, values in mesh["vertices"].items()} for mesh in meshes]
    indices = [ctx.buffer(mesh["indices"].tobytes()) for mesh in meshes]
    ctx.enable_only(moderngl.DEPTH_TEST)
    ctx.depth_func = "<"

    caster = ctx.framebuffer(depth_attachment=shadow)
    caster.use()
    caster.clear(depth=1.0)
    for of, index in zip(buffers, indices, strict=True):
        ctx.vertex_array(shadows, [(of["position"], "3f", "position")], index).render(moderngl.TRIANGLES)
    drawn.use()
    ctx.enable_direct(_FRAMEBUFFER_SRGB)
    drawn.clear(0.55, 0.62, 0.70, 1.0, depth=1.0)
    shadow.use(1)
    picture["albedo"].value, picture["shadow"].value = 0, 1
    for mesh, of, index, texture in zip(meshes, buffers, indices, textures, strict=True):
        texture.use(0)
        picture["gloss"].value = mesh["gloss"]
        content = [(of["position"], "3f", "position"), (of["normal"], "3f", "normal"), (of["uv"], "2f", "uv")]
        ctx.vertex_array(picture, content, index).render(moderngl.TRIANGLES)
    ctx.copy_framebuffer(shown, drawn)
    return _read(shown)


_EMPTY = "#version 330 core\nvoid main() {}\n"


def _texture(ctx: Any, texels: NDArray[np.uint8]) -> Any:
    rgba = np.dstack([texels, np.full(texels.shape[:2], 255, np.uint8)])
    texture = ctx.texture(texels.shape[1::-1], 4, rgba.tobytes(), internal_format=_SRGB8_ALPHA8)
    texture.build_mipmaps()
    texture.filter, texture.anisotropy = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR), 8.0
    return texture


SCENES = {"triangle": draw_triangle, "vase": draw_vase}
