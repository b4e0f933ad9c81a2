"""Workloads of OpenGL clients. Each imports its client only when it is asked for, after the side has been chosen."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clients.sides import Side

Picture = NDArray[np.uint8]
Frame = Callable[[int], Picture]
"""Draws the frame with a number, and returns its pixels, of shape (height, width, 3 or 4)."""

DRAWS = 10_000
CORNERS = 30_000
PLANE_FACES, PLANE_EDGE = 2 * 318 * 320, 1024


@dataclass(frozen=True, slots=True)
class Workload:
    """Frames of a client.

    Attributes:
        needs: packages of the client.
        begin: imports the client, and returns its frame.
        is_first: its first frame alone counts.
    """

    what: str
    needs: tuple[str, ...]
    begin: Callable[[Side], Frame]
    is_first: bool = False


def _moderngl_draws(side: Side) -> Frame:
    import moderngl

    context = moderngl.create_context(context=side.loader())
    program = context.program(
        vertex_shader="""#version 330
in vec2 place; uniform vec4 move; out vec3 shade;
void main() { shade = vec3(place + 0.5, move.z); gl_Position = vec4(place * move.w + move.xy, 0.0, 1.0); }""",
        fragment_shader="""#version 330
in vec3 shade; uniform vec4 tint; out vec4 color; void main() { color = vec4(shade * tint.rgb, 1.0); }""",
    )
    corners = context.buffer(np.array([[-0.5, -0.5], [0.5, -0.5], [0.0, 0.5]], "f4").tobytes())
    triangle = context.vertex_array(program, [(corners, "2f", "place")])
    target = context.simple_framebuffer((512, 512))
    random = np.random.default_rng(1)
    moves = random.uniform(-1, 1, (DRAWS, 4)) * (1, 1, 0.5, 0.01) + (0, 0, 0.5, 0.02)
    tints = random.uniform(0.3, 1, (DRAWS, 4))
    move, tint = program["move"], program["tint"]
    values = [(tuple(place), tuple(shade)) for place, shade in zip(moves.tolist(), tints.tolist(), strict=True)]

    def frame(number: int) -> Picture:
        target.use()
        target.clear(0.1, 0.1, 0.1 + number % 2 / 10)
        for place, shade in values:
            move.value = place
            tint.value = shade
            triangle.render(moderngl.TRIANGLES)
        return np.frombuffer(target.read(components=4), np.uint8).reshape(512, 512, 4)

    return frame


def _immediate(side: Side) -> Frame:
    loader = side.loader("compatibility")
    call: dict[str, Any] = {}
    signatures: dict[str, tuple[Any, ...]] = {
        "glBegin": (ctypes.c_uint,),
        "glEnd": (),
        "glColor3f": (ctypes.c_float,) * 3,
        "glVertex2f": (ctypes.c_float,) * 2,
        "glClear": (ctypes.c_uint,),
        "glClearColor": (ctypes.c_float,) * 4,
        "glReadPixels": (*(ctypes.c_int,) * 4, ctypes.c_uint, ctypes.c_uint, ctypes.c_void_p),
    }
    for name, types in signatures.items():
        call[name] = ctypes.CFUNCTYPE(None, *types)(loader.load_opengl_function(name))
    random = np.random.default_rng(2)
    centers = np.repeat(random.uniform(-1, 1, (CORNERS // 3, 2)), 3, axis=0)
    places = (centers + random.uniform(-0.02, 0.02, (CORNERS, 2))).tolist()
    shades = random.uniform(0, 1, (CORNERS, 3)).tolist()
    pixels = np.zeros((512, 512, 4), np.uint8)

    def frame(number: int) -> Picture:
        call["glClearColor"](0.1, 0.1, 0.1 + number % 2 / 10, 1)
        call["glClear"](0x4000)
        color, vertex = call["glColor3f"], call["glVertex2f"]
        call["glBegin"](4)
        for (x, y), (red, green, blue) in zip(places, shades, strict=True):
            color(red, green, blue)
            vertex(x, y)
        call["glEnd"]()
        call["glReadPixels"](0, 0, 512, 512, 0x1908, 0x1401, pixels.ctypes.data)
        return pixels

    return frame


def _mujoco(model: str, size: int) -> Callable[[Side], Frame]:
    def begin(side: Side) -> Frame:
        side.install()
        import mujoco

        folder = resources.files("gymnasium.envs.mujoco") / "assets"
        scene = mujoco.MjModel.from_xml_path(str(folder / model))
        state = mujoco.MjData(scene)
        renderer = mujoco.Renderer(scene, size, size)

        def frame(number: int) -> Picture:
            mujoco.mj_resetData(scene, state)
            state.qpos[2] += 0.01 * (number % 20)
            mujoco.mj_forward(scene, state)
            renderer.update_scene(state, 0 if scene.ncam else -1)
            return np.array(renderer.render())

        return frame

    return begin


def _pyvista(columns: int, rows: int) -> Callable[[Side], Frame]:
    def begin(side: Side) -> Frame:
        side.install()
        import pyvista

        plotter = pyvista.Plotter(off_screen=True, window_size=(PLANE_EDGE, PLANE_EDGE))
        x, y = np.meshgrid(np.linspace(-2, 2, columns), np.linspace(-2, 2, rows))
        surface = pyvista.StructuredGrid(x, y, np.sin(3 * x) * np.cos(2 * y) / 2).extract_surface(**_algorithm(pyvista))
        plotter.add_mesh(surface, color="tan")

        def frame(number: int) -> Picture:
            plotter.camera.azimuth = 3.0 * (number % 7)
            plotter.render()
            return np.array(plotter.screenshot(return_img=True))

        return frame

    return begin


def _algorithm(pyvista: Any) -> dict[str, Any]:
    """Newer versions of PyVista warn unless the algorithm is named."""
    return {"algorithm": "dataset_surface"} if (pyvista.version_info[0], pyvista.version_info[1]) >= (0, 47) else {}


_MUJOCO = ("mujoco", "gymnasium")
WORKLOADS = {
    "moderngl_draws": Workload(f"moderngl, {DRAWS:,} draws with two new uniforms each", ("moderngl",), _moderngl_draws),
    "immediate": Workload(f"glBegin to glEnd with {CORNERS:,} colors and vertices, called by ctypes", (), _immediate),
    "mujoco_84": Workload("MuJoCo's Renderer, gymnasium's humanoid, 84 x 84", _MUJOCO, _mujoco("humanoid.xml", 84)),
    "mujoco_384": Workload("MuJoCo's Renderer, gymnasium's humanoid, 384 x 384", _MUJOCO, _mujoco("humanoid.xml", 384)),
    "mujoco_ant": Workload("MuJoCo's Renderer, gymnasium's ant, 384 x 384", _MUJOCO, _mujoco("ant.xml", 384)),
    "pyvista_mesh": Workload(f"PyVista, a surface of {PLANE_FACES:,} triangles from seven sides", ("pyvista",), _pyvista(319, 321)),
    "pyvista_first": Workload("PyVista, the first picture of a process", ("pyvista.plotting",), _pyvista(33, 33), is_first=True),
}
