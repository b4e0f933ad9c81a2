"""The peer's side of the scenes. moderngl has no stencil, so its functions of OpenGL are called directly."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import moderngl
from numpy.typing import NDArray

from benchmarks.catalog import HEIGHT, WIDTH
from benchmarks.geometry import QUAD
from benchmarks.peer_context import Made, PeerContext
from benchmarks.scene import world
from benchmarks.scene.glsl import SCENE

WORD, BYTE = ctypes.c_uint, ctypes.c_ubyte
STENCIL_TEST, FRONT, BACK, FRONT_AND_BACK, KEEP, INCR_WRAP, DECR_WRAP = 0x0B90, 0x0404, 0x0405, 0x0408, 0x1E00, 0x8507, 0x8508
ALWAYS, NOTEQUAL, RENDERBUFFER, FRAMEBUFFER, DEPTH24_STENCIL8, DEPTH_STENCIL_ATTACHMENT, ALL_BUFFERS = (
    0x0207,
    0x0205,
    0x8D41,
    0x8D40,
    0x88F0,
    0x821A,
    0x4500,
)


def _function(name: str, *kinds: Any) -> Any:
    """A function of OpenGL without a result. kinds: the C types of its arguments."""
    find = ctypes.CDLL("libEGL.so.1").eglGetProcAddress
    find.restype = ctypes.c_void_p
    return ctypes.CFUNCTYPE(None, *kinds)(find(name.encode()))


def _mesh(p: PeerContext, program: Any, mesh: world.Mesh, names: str) -> Any:
    """Vertex array of the attributes of `names`: p, n and t for position, normal and texture coordinates."""
    arrays = {"p": mesh.position, "n": mesh.normal, "t": mesh.uv}
    return p.mesh(program, mesh.indices, **{name: arrays[name] for name in names})


def _program(p: PeerContext, name: str, units: Sequence[str] = (), **matrices: NDArray[Any]) -> Any:
    """Program of a scene. units: names of its samplers, by unit, "" for units of other programs. matrices: uniforms."""
    program = p.ctx.program(*SCENE[name])
    for unit, sampler in enumerate(units):
        if sampler:
            program[sampler].value = unit
    for uniform, value in matrices.items():
        program[uniform].write(value.astype("f4").tobytes())
    return program


def _bind_textures(p: PeerContext, *kinds: tuple[tuple[int, int, int], int, int]) -> None:
    """Textures with mipmaps, in units 0 and up."""
    textures = [p.texture(world.texture(*kind)[0]) for kind in kinds]
    for unit, texture in enumerate(textures):
        texture.build_mipmaps()
        texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        texture.use(unit)


def _scene_frame(p: PeerContext) -> Made:
    ctx = p.ctx
    _bind_textures(p, world.GRASS, world.ROCK, world.MOSS, world.SMOKE)
    depths = ctx.depth_texture((world.SHADOW_SIZE, world.SHADOW_SIZE))
    depths.filter, depths.compare_func = (moderngl.LINEAR, moderngl.LINEAR), "<="
    depths.use(4)
    shadows = ctx.framebuffer(depth_attachment=depths)
    p.target(depth=True)
    m, light, eye = world.camera_matrix(), world.light_matrix(), world.camera()[0]
    depth = _program(p, "scene_depth", m=light)
    place: dict[str, NDArray[Any]] = {"m": m, "l": light, "eye": eye}
    ground = _program(p, "scene_ground", ("grass", "rock", "", "", "depths"), **place)
    stone = _program(p, "scene_stone", ("", "", "moss", "", "depths"), **place)
    smoke = _program(p, "scene_smoke", ("", "", "", "smoke"), m=m)
    meshes = world.ground(), world.stones()
    casters = [_mesh(p, depth, mesh, "p") for mesh in meshes]
    solids = [_mesh(p, program, mesh, "pnt") for program, mesh in zip((ground, stone), meshes, strict=True)]
    puffs = _mesh(p, smoke, world.puffs(), "pnt")
    ctx.depth_func, ctx.blend_func = "<", (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA)

    def draw() -> None:
        ctx.enable_only(moderngl.DEPTH_TEST)
        shadows.use()
        shadows.clear(depth=1.0)
        for mesh in casters:
            mesh.render()
        p.fbo.use()
        p.fbo.clear(0.62, 0.7, 0.8, 1.0, depth=1.0)
        for mesh in solids:
            mesh.render()
        ctx.enable(moderngl.BLEND)
        p.fbo.depth_mask = False
        puffs.render()
        p.fbo.depth_mask = True

    return draw, True


def _with_stencil(p: PeerContext) -> None:
    """Create the target with depths of 24 bits and a stencil of 8."""
    p.target()
    name = WORD()
    _function("glGenRenderbuffers", WORD, ctypes.POINTER(WORD))(1, ctypes.byref(name))
    _function("glBindRenderbuffer", WORD, WORD)(RENDERBUFFER, name)
    _function("glRenderbufferStorage", WORD, WORD, WORD, WORD)(RENDERBUFFER, DEPTH24_STENCIL8, WIDTH, HEIGHT)
    p.fbo.clear(0, 0, 0, 0, depth=1.0)
    _function("glFramebufferRenderbuffer", WORD, WORD, WORD, WORD)(FRAMEBUFFER, DEPTH_STENCIL_ATTACHMENT, RENDERBUFFER, name)


def _stencil_shadows(p: PeerContext) -> Made:
    _with_stencil(p)
    m, ctx = world.camera_matrix(), p.ctx
    ground = _mesh(p, _program(p, "stencil_ground", m=m), world.ground(world.FLOOR_CELLS), "pn")
    position, indices = world.volumes()
    volumes = p.mesh(_program(p, "stencil_volume", m=m), indices, p=position)
    dark = p.strip(p.ctx.program(*SCENE["stencil_dark"]), p=QUAD)
    clear, depth_mask, color_mask = _function("glClear", WORD), _function("glDepthMask", BYTE), _function("glColorMask", *[BYTE] * 4)
    operation, compare = _function("glStencilOpSeparate", WORD, WORD, WORD, WORD), _function("glStencilFunc", WORD, WORD, WORD)
    ctx.depth_func, ctx.blend_func = "<", (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA)

    def draw() -> None:
        ctx.enable_only(moderngl.DEPTH_TEST)
        ctx.disable_direct(STENCIL_TEST)
        depth_mask(1)
        clear(ALL_BUFFERS)
        ground.render()
        ctx.enable_direct(STENCIL_TEST)
        depth_mask(0)
        color_mask(0, 0, 0, 0)
        compare(ALWAYS, 0, 255)
        operation(FRONT, KEEP, DECR_WRAP, KEEP)
        operation(BACK, KEEP, INCR_WRAP, KEEP)
        volumes.render()
        color_mask(1, 1, 1, 1)
        ctx.enable_only(moderngl.BLEND)
        compare(NOTEQUAL, 0, 255)
        operation(FRONT_AND_BACK, KEEP, KEEP, KEEP)
        dark()
        ctx.disable_direct(STENCIL_TEST)

    return draw, True


MAKERS: dict[str, Callable[[PeerContext], Made]] = {"stencil_shadows": _stencil_shadows, "scene_frame": _scene_frame}
