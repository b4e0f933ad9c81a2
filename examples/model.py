"""Draw a glTF model in GLSL: textures, a light, and the shadows that it throws.

    python examples/model.py [MODEL.glb] [-o DIR]

Writes model.png. Without a file, a vase, a ring and a ball are made with trimesh, written as glTF, and read again. The first pass draws the
depth that the light sees, the second one the picture with 8 samples a pixel. Needs `pip install tgsi[examples]`.
"""

import argparse
import io
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray
from PIL import Image
from pyglm import glm

import tgsi

SHADOW_VERTEX = """#version 330 core
uniform mat4 light;
in vec3 position;
void main() { gl_Position = light * vec4(position, 1.0); }
"""

VERTEX = """#version 330 core
uniform mat4 camera, light;
in vec3 position, normal;
in vec2 uv;
out vec3 at, facing;
out vec2 place;
out vec4 lit;
void main() {
    gl_Position = camera * vec4(position, 1.0);
    lit = light * vec4(position, 1.0) * 0.5 + 0.5;  // an orthographic light: w stays 1
    at = position; facing = normal; place = uv;
}
"""

FRAGMENT = """#version 330 core
uniform vec3 eye, sun;
uniform float gloss;
uniform sampler2D albedo;
uniform sampler2DShadow shadow;
in vec3 at, facing;
in vec2 place;
in vec4 lit;
out vec4 color;
void main() {
    vec3 n = normalize(facing), view = normalize(eye - at), half_way = normalize(sun + view);
    vec2 border = smoothstep(0.5, 0.45, abs(lit.xy - 0.5));  // the light's view ends there
    float open = 0.0;  // the part of the light that arrives: 16 comparisons around the pixel
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            open += texture(shadow, vec3(lit.xy + (vec2(x, y) - 1.5) / 1200.0, lit.z - 0.0015)) / 16.0;
    open = mix(1.0, open, border.x * border.y);
    float diffuse = max(dot(n, sun), 0.0) * open;
    float shine = pow(max(dot(n, half_way), 0.0), 90.0) * open * gloss;
    float edge = pow(1.0 - max(dot(n, view), 0.0), 4.0) * gloss;
    vec3 sky = mix(vec3(0.20, 0.17, 0.15), vec3(0.30, 0.36, 0.46), n.y * 0.5 + 0.5);
    vec3 base = texture(albedo, place).rgb;
    vec3 made = base * (sky + diffuse * vec3(1.5, 1.35, 1.15)) + shine * 1.2 + edge * vec3(0.25, 0.3, 0.4);
    float far = smoothstep(6.0, 15.0, length(at.xz));
    color = vec4(mix(made, vec3(0.55, 0.62, 0.70), far), 1.0);
}
"""


def rounded(values: Any, unit: float = 2**-14) -> NDArray[np.float32]:
    """Multiples of a unit, so that the last bits of other people's math libraries cannot change the picture."""
    return np.asarray(np.round(np.asarray(values, np.float64) / unit) * unit, np.float32)


def lathe(profile: NDArray[np.float64], material: Image.Image, turns: tuple[int, int], sections: int = 128) -> trimesh.Trimesh:
    """A surface of revolution around y. profile: rows of radius and height, from below. turns: repeats of the texture around and up."""
    angle, along = np.linspace(0, 2 * np.pi, sections + 1), np.linspace(0, 1, len(profile))
    radius, height = profile[:, :1], profile[:, 1:] + 0 * angle
    points = np.stack([radius * np.sin(angle), height, radius * np.cos(angle)], axis=-1)
    slope = np.gradient(profile, axis=0)
    normals = np.stack([slope[:, 1:] * np.sin(angle), -slope[:, :1] + 0 * angle, slope[:, 1:] * np.cos(angle)], axis=-1)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    uv = np.stack(np.broadcast_arrays(turns[0] * angle / (2 * np.pi), turns[1] * along[:, None]), axis=-1)
    first = (np.arange(len(profile) - 1)[:, None] * (sections + 1) + np.arange(sections)).reshape(-1)
    around, above = first + 1, first + sections + 1
    faces = np.concatenate([np.stack([first, around, above + 1], 1), np.stack([first, above + 1, above], 1)])
    visual = trimesh.visual.TextureVisuals(uv.reshape(-1, 2), material=trimesh.visual.material.PBRMaterial(baseColorTexture=material))
    return trimesh.Trimesh(points.reshape(-1, 3), faces, vertex_normals=normals.reshape(-1, 3), visual=visual, process=False)


def glaze(ground: tuple[int, int, int], paint: tuple[int, int, int]) -> Image.Image:
    """A texture in two colors: bands, a wave, and a row of dots."""
    y, x = np.mgrid[0:1024, 0:1024] / 1024
    bands = np.abs(y - 0.5) > 0.44
    lines = np.abs(np.abs(y - 0.5) - 0.38) < 0.012
    wave = np.abs(y - 0.5 - 0.16 * np.sin(2 * np.pi * x)) < 0.03
    dots = (x % 0.5 - 0.25) ** 2 + (y - 0.5 + 0.16 * np.sign(0.5 - x)) ** 2 < 0.007
    painted = (bands | lines | wave | dots)[..., None]
    return Image.fromarray(np.where(painted, paint, ground).astype(np.uint8)).reduce(4)


def pottery() -> bytes:
    """The vase, the ring and the ball as the bytes of a .glb file."""
    knots = np.array([[0.02, 0], [0.42, 0], [0.5, 0.06], [0.8, 0.55], [0.86, 0.95], [0.62, 1.5], [0.3, 1.85], [0.28, 2.1], [0.44, 2.32]])
    steps = np.linspace(0, len(knots) - 1, 97)
    side = np.stack([np.interp(steps, range(len(knots)), knots[:, k]) for k in range(2)], axis=1)
    kernel = np.hanning(13)[1:-1] / np.hanning(13)[1:-1].sum()
    soft = np.stack([np.convolve(np.pad(side[:, k], 5, mode="edge"), kernel, "valid") for k in range(2)], axis=1)
    inside = soft[:50:-1] * (0.88, 1) + (0, 0.01)
    turn = np.linspace(-np.pi / 2, np.pi / 2, 65)
    ball = np.stack([0.42 * np.cos(turn), 0.42 + 0.42 * np.sin(turn)], axis=1)
    loop = np.linspace(0, 2 * np.pi, 65)
    ring = np.stack([0.62 - 0.17 * np.cos(loop), 0.17 - 0.17 * np.sin(loop)], axis=1)
    scene = trimesh.Scene()
    scene.add_geometry(lathe(np.concatenate([soft, inside]), glaze((34, 66, 120), (238, 228, 205)), (6, 4)), geom_name="vase")
    move = trimesh.transformations.translation_matrix
    scene.add_geometry(lathe(ball, glaze((196, 78, 46), (250, 214, 140)), (6, 3)), geom_name="ball", transform=move((1.25, 0, 0.7)))
    scene.add_geometry(lathe(ring, glaze((60, 120, 88), (228, 232, 190)), (10, 3)), geom_name="ring", transform=move((-1.2, 0, 0.75)))
    made: bytes = scene.export(file_type="glb")
    return made


def floor() -> dict[str, Any]:
    """A wide floor of tiles, as `parts` gives it."""
    y, x = np.mgrid[0:128, 0:128]
    tiles = np.where(((x // 64 + y // 64) % 2 == 0)[..., None], (214, 206, 192), (150, 140, 128))
    joint = (np.minimum(x % 64, y % 64) < 2)[..., None]
    corners = np.array([[-30, 0, -30], [-30, 0, 30], [30, 0, -30], [30, 0, 30]], np.float64)
    up = np.tile([0.0, 1, 0], (4, 1))
    return {
        "vertices": {"position": rounded(corners), "normal": rounded(up), "uv": rounded(corners[:, ::2] / 1.6)},
        "indices": np.array([0, 1, 2, 2, 1, 3], np.uint32),
        "texture": np.where(joint, (96, 90, 84), tiles).astype(np.uint8),
        "gloss": 0.15,
    }


def parts(model: bytes) -> list[dict[str, Any]]:
    """Vertices by name, indices, texture and gloss of each mesh of a .glb file. The model stands on the floor and is 2.3 high or wide."""
    scene = trimesh.load(io.BytesIO(model), file_type="glb", process=False, force="scene")
    low, high = scene.bounds
    scale = 2.32 / max(high[1] - low[1], (high - low).max() / 1.5)
    middle = np.array([(low[0] + high[0]) / 2, low[1], (low[2] + high[2]) / 2])
    found = []
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        mesh, turn = scene.geometry[name], np.linalg.inv(transform[:3, :3])
        image = getattr(getattr(mesh.visual, "material", None), "baseColorTexture", None)
        uv = getattr(mesh.visual, "uv", None)
        vertices = {
            "position": rounded((mesh.vertices @ transform[:3, :3].T + transform[:3, 3] - middle) * scale),
            "normal": rounded(mesh.vertex_normals @ turn),
            "uv": rounded(np.zeros((len(mesh.vertices), 2)) if uv is None else uv * (1, -1) + (0, 1)),  # trimesh counts rows from below
        }
        texture = Image.new("RGB", (1, 1), tuple(mesh.visual.main_color[:3])) if image is None else image.convert("RGB")
        found.append({"vertices": vertices, "indices": np.asarray(mesh.faces, np.uint32).reshape(-1), "texture": texture, "gloss": 0.8})
    return found


def render(model: bytes | None = None, size: int = 1024, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture as bytes of shape (size, size, 4)."""
    meshes = [floor(), *parts(pottery() if model is None else model)]
    eye, sun = glm.vec3(0.6, 2.9, 6.6), glm.normalize(glm.vec3(0.62, 0.9, 0.5))
    camera = glm.perspective(glm.radians(31), 1, 0.5, 60) * glm.lookAt(eye, glm.vec3(0, 0.86, 0), glm.vec3(0, 1, 0))
    light = glm.ortho(-4, 4, -4, 4, 0, 16) * glm.lookAt(8 * sun, glm.vec3(0), glm.vec3(0, 1, 0))
    names = {"camera": rounded(camera), "light": rounded(light), "eye": rounded(eye), "sun": rounded(sun)}
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as ctx:
        shadow = screen.resource_create(format="Z32_FLOAT", width0=2048, height0=2048)
        target = screen.resource_create(format="R8G8B8A8_SRGB", width0=size, height0=size, nr_samples=8)
        depth = screen.resource_create(format="Z32_FLOAT", width0=size, height0=size, nr_samples=8)
        textures = [screen.texture_from(mesh["texture"], srgb=True, mipmaps=True) for mesh in meshes]
        test = ctx.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": True, "func": "LESS"})
        ctx.bind_depth_stencil_alpha_state(test)

        def draw(pixels: int, up: int, *uniforms: str) -> None:
            """Draw all meshes to the bound targets. up: -1 where y points up in the picture."""
            half = pixels / 2
            ctx.set_viewport_states([{"scale": (half, up * half, 0.5), "translate": (half, half, 0.5)}])
            for mesh, texture in zip(meshes, textures):
                ctx.set_vertices(mesh["vertices"])
                ctx.set_uniforms({name: names[name] for name in uniforms})
                if len(uniforms) > 1:
                    ctx.set_uniforms({"gloss": mesh["gloss"]})
                    wide = {"min_img_filter": "LINEAR", "mag_img_filter": "LINEAR", "min_mip_filter": "LINEAR", "max_anisotropy": 8}
                    ctx.set_textures({"albedo": (texture, wide), "shadow": shadow})
                ctx.draw_vbo(mode="TRIANGLES", index=mesh["indices"])

        ctx.set_framebuffer_state(zsbuf=shadow)
        ctx.clear("DEPTH", depth=1.0)
        ctx.bind_vs_state(ctx.create_vs_state(SHADOW_VERTEX))
        draw(2048, 1, "light")

        ctx.set_framebuffer_state(cbufs=[target], zsbuf=depth)
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(multisample=True))
        ctx.clear("COLOR|DEPTH", color=(0.55, 0.62, 0.70, 1), depth=1.0)
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
        draw(size, -1, "camera", "light", "eye", "sun")
        return target.picture()  # resolved: the mean of 8 samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, nargs="?", metavar="MODEL.glb", help="a model of your own (default: pottery)")
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for model.png (default: out)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "model.png"
    Image.fromarray(render(None if options.model is None else options.model.read_bytes())).convert("RGB").save(path, optimize=True)
    print(path)


if __name__ == "__main__":
    main()
