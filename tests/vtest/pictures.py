"""Programs of well-known libraries, each of which writes the picture that it draws to the file that it is given.

The libraries belong to others; where one is not installed, its test is skipped by name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Drawer:
    """A program. needs: modules that it imports. text: its text; sys.argv[1] is the file. variables: of its environment."""

    needs: tuple[str, ...]
    text: str
    variables: tuple[tuple[str, str], ...] = ()


MODERNGL = """
import sys
import moderngl, numpy as np
from PIL import Image

gl = moderngl.create_standalone_context(backend="egl")
target = gl.framebuffer([gl.texture((200, 150), 4)], gl.depth_renderbuffer((200, 150)))
target.use()
target.clear(0.1, 0.2, 0.3, 1)
gl.enable(moderngl.DEPTH_TEST)
program = gl.program(
    vertex_shader='''#version 330
        in vec3 place; in vec2 at; out vec2 uv; uniform mat4 m;
        void main() { gl_Position = m * vec4(place, 1); uv = at; }''',
    fragment_shader='''#version 330
        in vec2 uv; out vec4 color; uniform sampler2D image;
        void main() { color = texture(image, uv) * vec4(1, 0.9, 0.8, 1); }''',
)
texels = (np.indices((64, 64)).sum(0) // 8 % 2 * 255).astype("u1")
image = gl.texture((64, 64), 1, texels.tobytes())
image.swizzle = "RRR1"
image.build_mipmaps()
image.use()
corners = np.float32([[-1, -1, 0, 0, 0], [1, -1, 0, 4, 0], [-1, 1, 0, 0, 4], [1, 1, 0, 4, 4]])
array = gl.vertex_array(program, [(gl.buffer(corners), "3f 2f", "place", "at")])
for k in range(3):
    turned = np.array([[0.6, 0.2, 0, 0], [-0.2, 0.5, 0, 0.4], [0, 0, 1, 0], [0.4 * k - 0.4, 0, 0.3 * k - 0.3, 1.2]], "f4")
    program["m"].write(turned.tobytes())
    array.render(moderngl.TRIANGLE_STRIP)
Image.frombytes("RGB", target.size, target.read()).save(sys.argv[1])
"""

PYGAME = """
import sys
import moderngl, pygame
from PIL import Image

pygame.init()
pygame.display.gl_set_attribute(pygame.GL_CONTEXT_MAJOR_VERSION, 3)
pygame.display.gl_set_attribute(pygame.GL_CONTEXT_MINOR_VERSION, 3)
pygame.display.gl_set_attribute(pygame.GL_CONTEXT_PROFILE_MASK, pygame.GL_CONTEXT_PROFILE_CORE)
pygame.display.set_mode((200, 150), pygame.OPENGL | pygame.DOUBLEBUF)
gl = moderngl.create_context()
surface = pygame.Surface((100, 80))
surface.fill((30, 60, 90))
pygame.draw.circle(surface, (250, 200, 50), (50, 40), 30)
pygame.draw.line(surface, (255, 255, 255), (0, 0), (99, 79), 3)
image = gl.texture(surface.get_size(), 3, pygame.image.tobytes(surface, "RGB"))
image.use()
program = gl.program(
    vertex_shader='''#version 330
        out vec2 uv;
        void main() { uv = vec2(gl_VertexID & 1, gl_VertexID >> 1); gl_Position = vec4(1.6 * uv - 0.8, 0, 1); }''',
    fragment_shader='''#version 330
        in vec2 uv; out vec4 color; uniform sampler2D image;
        void main() { color = texture(image, vec2(uv.x, 1 - uv.y)); }''',
)
gl.clear(0.2, 0, 0.2)
gl.vertex_array(program, []).render(moderngl.TRIANGLE_STRIP, vertices=4)
Image.frombytes("RGB", (200, 150), gl.screen.read()).save(sys.argv[1])
pygame.display.flip()
pygame.quit()
"""

PYGLET = """
import sys
import pyglet

window = pyglet.window.Window(200, 150)
window.clear()
batch = pyglet.graphics.Batch()
parts = [
    pyglet.shapes.Circle(60, 70, 40, color=(250, 80, 60), batch=batch),
    pyglet.shapes.Rectangle(90, 40, 80, 60, color=(60, 180, 90, 160), batch=batch),
    pyglet.shapes.Star(140, 110, 30, 14, 5, color=(240, 230, 80), batch=batch),
    pyglet.shapes.Line(5, 5, 195, 145, 4, color=(200, 200, 255), batch=batch),
]
batch.draw()
pyglet.image.get_buffer_manager().get_color_buffer().save(sys.argv[1])
window.close()
"""

QT_QUICK = """
import sys
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtQml import QQmlComponent, QQmlEngine
from PySide6.QtQuick import QQuickWindow, QSGRendererInterface

TEXT = b'''
import QtQuick
Window {
    width: 200; height: 150; visible: true; color: "#203040"
    Rectangle {
        x: 20; y: 15; width: 110; height: 80; radius: 14; rotation: 8; border.width: 4; border.color: "white"
        gradient: Gradient { GradientStop { position: 0; color: "orange" } GradientStop { position: 1; color: "#804060" } }
    }
    Item {
        x: 90; y: 70; width: 80; height: 60; clip: true
        Rectangle { x: -20; y: -20; width: 90; height: 70; radius: 40; color: "#8060c0f0" }
    }
    Repeater { model: 6; Rectangle { x: 10 + 30 * index; y: 130; width: 20; height: 12; opacity: 0.4 + 0.1 * index; color: "lime" } }
}
'''
QQuickWindow.setGraphicsApi(QSGRendererInterface.GraphicsApi.OpenGL)
app = QGuiApplication(sys.argv)
engine = QQmlEngine()
component = QQmlComponent(engine)
component.setData(TEXT, QUrl())
window = component.create()
assert window is not None, component.errors()

def take():
    assert window.rendererInterface().graphicsApi() == QSGRendererInterface.GraphicsApi.OpenGL
    assert window.grabWindow().save(sys.argv[1])
    app.quit()

QTimer.singleShot(500, take)
app.exec()
"""

VTK = """
import sys
import pyvista

plotter = pyvista.Plotter(off_screen=True, window_size=(200, 150), lighting="three lights")
plotter.set_background("#203040", top="#a0b0c0")
plotter.add_mesh(pyvista.Sphere(radius=0.6, center=(-0.5, 0, 0)), color="tomato", specular=0.8, smooth_shading=True)
plotter.add_mesh(pyvista.Cube(center=(0.7, 0.2, 0)), color="lightgreen", show_edges=True)
plotter.add_mesh(pyvista.Cylinder(center=(0.2, -0.6, 0.5), radius=0.25), color="gold", opacity=0.6)
plotter.camera_position = [(2.5, 1.5, 3), (0, 0, 0), (0, 1, 0)]
plotter.screenshot(sys.argv[1])
plotter.close()
"""

PYGFX = """
import sys
import numpy as np
import pygfx, wgpu
from PIL import Image
from rendercanvas.offscreen import RenderCanvas

canvas = RenderCanvas(size=(200, 150), pixel_ratio=1)
renderer = pygfx.renderers.WgpuRenderer(canvas)
info = renderer.device.adapter.info
assert info["backend_type"] == "OpenGL", info
scene = pygfx.Scene()
scene.add(pygfx.Background.from_color("#203040", "#a0b0c0"))
ball = pygfx.Mesh(pygfx.sphere_geometry(0.8, 32, 16), pygfx.MeshPhongMaterial(color="#f06040"))
ball.local.x = -0.7
box = pygfx.Mesh(pygfx.box_geometry(1, 1, 1), pygfx.MeshStandardMaterial(color="#60c080", roughness=0.4))
box.local.x = 0.9
box.local.rotation = (0.2, 0.3, 0.1, 0.93)
sun = pygfx.DirectionalLight()
sun.local.position = (2, 3, 4)
scene.add(ball, box, pygfx.AmbientLight(intensity=0.3), sun)
camera = pygfx.PerspectiveCamera(50, 4 / 3)
camera.local.position = (0, 0.8, 3.5)
camera.look_at((0, 0, 0))
canvas.request_draw(lambda: renderer.render(scene, camera))
Image.fromarray(np.asarray(canvas.draw())[..., :3]).save(sys.argv[1])
"""

DRAWERS = {
    "moderngl": Drawer(("moderngl", "numpy"), MODERNGL),
    "pygame": Drawer(("pygame", "moderngl"), PYGAME),
    "pyglet": Drawer(("pyglet",), PYGLET),
    "Qt Quick": Drawer(("PySide6.QtQuick",), QT_QUICK, (("QT_QPA_PLATFORM", "xcb"), ("QT_XCB_GL_INTEGRATION", "xcb_egl"))),
    "VTK": Drawer(("pyvista",), VTK),
    "pygfx": Drawer(("pygfx", "wgpu", "rendercanvas"), PYGFX, (("WGPU_BACKEND_TYPE", "OpenGL"),)),
}
