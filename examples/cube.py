"""Draw a rotating cube with a mipmapped texture, a depth buffer, an index buffer, and constants that change with each frame.

    python examples/cube.py [-o DIR]

Writes cube.gif, and the first frame as cube.png.
"""

import argparse
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tgsi
from tgsi import gallium as g

# CONST[0..3] are the columns of the matrix for positions, CONST[4..6] those of the rotation for normals.
VERTEX_SHADER = """VERT
DCL IN[0]
DCL IN[1]
DCL IN[2]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
DCL CONST[0..6]
DCL TEMP[0]
MUL TEMP[0], CONST[0], IN[0].xxxx
MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
ADD OUT[0], TEMP[0], CONST[3]
MOV OUT[1], IN[2]
MUL TEMP[0], CONST[4], IN[1].xxxx
MAD TEMP[0], CONST[5], IN[1].yyyy, TEMP[0]
MAD OUT[2], CONST[6], IN[1].zzzz, TEMP[0]
END
"""

# Diffuse light from above the viewer, and ambient light.
FRAGMENT_SHADER = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0..1]
IMM[0] FLT32 {0.36, 0.64, 0.68, 0.0}
IMM[1] FLT32 {0.35, 0.75, 1.0, 0.0}
TEX TEMP[0], IN[0], SAMP[0], 2D
DP3 TEMP[1].x, IN[1], IMM[0]
MAX TEMP[1].x, TEMP[1].xxxx, IMM[0].wwww
MAD TEMP[1].x, TEMP[1].xxxx, IMM[1].yyyy, IMM[1].xxxx
MUL OUT[0].xyz, TEMP[0], TEMP[1].xxxx
MOV OUT[0].w, IMM[1].zzzz
END
"""

FRAMES = 24
TEXELS = 64


def cube() -> tuple[NDArray[np.float32], NDArray[np.uint16]]:
    """Cube as 24 vertices (position, normal, texture coordinate: 8 floats each) and 36 indices."""
    vertices: list[list[float]] = []
    indices: list[int] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            first = len(vertices)
            for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                position, normal = [0.0] * 3, [0.0] * 3
                position[axis] = normal[axis] = sign
                position[(axis + 1) % 3] = (2 * u - 1) * sign
                position[(axis + 2) % 3] = 2.0 * v - 1
                vertices.append([*position, *normal, u, v])
            indices += [first + k for k in (0, 1, 2, 0, 2, 3)]
    return np.array(vertices, np.float32), np.array(indices, np.uint16)


def checker() -> list[NDArray[np.uint8]]:
    """Levels of a checkerboard texture with a frame. Each level is the mean of 2x2 texels of the one before."""
    y, x = np.mgrid[0:TEXELS, 0:TEXELS]
    board = np.where(((x // 8 + y // 8) % 2 == 0)[..., None], (236, 226, 200, 255), (58, 110, 165, 255))
    edge = np.minimum(np.minimum(x, y), TEXELS - 1 - np.maximum(x, y)) < 3
    levels = [np.where(edge[..., None], (30, 34, 44, 255), board).astype(np.uint8)]
    while len(levels[-1]) > 1:
        size = len(levels[-1]) // 2
        levels.append((levels[-1].reshape(size, 2, size, 2, 4).sum(axis=(1, 3), dtype=np.uint32) // 4).astype(np.uint8))
    return levels


def matrices(frame: int) -> NDArray[np.float32]:
    """CONST[0..6]: the columns of projection * view * rotation, then those of the rotation alone."""
    yaw, pitch = 0.4 + frame * math.tau / 4 / FRAMES, 0.5  # after a quarter turn a cube looks as at the start, so the animation loops
    cy, sy, cp, sp = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
    turn = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]]) @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    near, far, zoom, distance = 1.0, 20.0, 2.6, 5.0
    model = np.eye(4)
    model[:3, :3] = turn
    model[2, 3] = -distance
    depth, shift = (far + near) / (near - far), 2 * far * near / (near - far)
    projection = np.array([[zoom, 0, 0, 0], [0, -zoom, 0, 0], [0, 0, depth, shift], [0, 0, -1, 0]])  # row 0 is the top: y is negated
    constants = np.zeros((7, 4))
    constants[:4] = (projection @ model).T
    constants[4:, :3] = turn.T
    return constants.astype(np.float32)


def render(size: int = 256, frames: int = FRAMES, **screen_options: Any) -> list[NDArray[np.uint8]]:
    """Pictures of all frames, each as bytes of shape (size, size, 4)."""
    vertices, indices = cube()
    levels = checker()
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as context:
        target = screen.resource_create(format=g.Format.R8G8B8A8_UNORM, width0=size, height0=size)
        depth = screen.resource_create(format=g.Format.Z24X8_UNORM, width0=size, height0=size)
        context.set_framebuffer_state(cbufs=[target], zsbuf=depth)
        half = size / 2
        context.set_viewport_states([g.ViewportState((half, half, 0.5), (half, half, 0.5))])

        texture = screen.resource_create(width0=TEXELS, height0=TEXELS, last_level=len(levels) - 1, bind=g.Bind.SAMPLER_VIEW)
        for level, texels in enumerate(levels):
            context.texture_subdata(texture, texels, level=level)
        context.set_sampler_views("FRAGMENT", [context.create_sampler_view(texture)])
        sampler = context.create_sampler_state(
            min_img_filter=g.TexFilter.LINEAR, mag_img_filter=g.TexFilter.LINEAR, min_mip_filter=g.TexMipFilter.LINEAR
        )
        context.bind_sampler_states("FRAGMENT", [sampler])

        elements = [(0, g.Format.R32G32B32_FLOAT), (12, g.Format.R32G32B32_FLOAT), (24, g.Format.R32G32_FLOAT)]
        context.bind_vertex_elements_state(context.create_vertex_elements_state(elements))
        context.set_vertex_buffers([vertices])
        context.bind_vs_state(context.create_vs_state(VERTEX_SHADER))
        context.bind_fs_state(context.create_fs_state(FRAGMENT_SHADER))
        test = g.DepthState(enabled=True, writemask=True, func=g.CompareFunc.LESS)
        context.bind_depth_stencil_alpha_state(context.create_depth_stencil_alpha_state(depth=test))

        pictures = []
        for frame in range(frames):
            context.set_constant_buffer("VERTEX", matrices(frame))
            context.clear("COLOR|DEPTH", color=(0.93, 0.94, 0.96, 1.0), depth=1.0)
            context.draw_vbo(mode=g.Prim.TRIANGLES, index=indices)
            pictures.append(target.pixels())
    return pictures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for the pictures (default: out)")
    directory = parser.parse_args().output
    directory.mkdir(parents=True, exist_ok=True)
    images = [Image.fromarray(picture).convert("RGB") for picture in render()]
    images[0].save(directory / "cube.png")
    images[0].save(directory / "cube.gif", save_all=True, append_images=images[1:], duration=50, loop=0)
    print(directory / "cube.gif")


if __name__ == "__main__":
    main()
