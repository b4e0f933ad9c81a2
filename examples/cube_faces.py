"""Draw a scene into all six faces of a cube map at once, then sample the map for a mirror ball.

    python examples/cube_faces.py [-o DIR]

Each instance of the draw goes to the face with its number (LAYER), so one draw renders the whole environment.
Writes cube_faces.png: the six faces in a row, the ball below.
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from tgsi import gallium as g

FACE, BALL = 96, 576

# One quad per face; the second attribute becomes the viewing direction of its pixels (CONST[2k], CONST[2k+1], and the face's axis).
FACES_VERTEX = """VERT
DCL IN[0]
DCL SV[0], INSTANCEID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], LAYER
DCL CONST[0..17]
DCL TEMP[0]
DCL ADDR[0]
IMM[0] INT32 {3, 0, 0, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
UARL ADDR[0].x, TEMP[0].xxxx
MOV OUT[0], IN[0]
MAD TEMP[0], IN[0].xxxx, CONST[ADDR[0].x], CONST[ADDR[0].x+2]
MAD OUT[1], IN[0].yyyy, CONST[ADDR[0].x+1], TEMP[0]
MOV OUT[2].x, SV[0].xxxx
END
"""

# Sky above, a checkered floor below, and a sun, computed from the direction alone.
FACES_FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..3]
IMM[0] FLT32 {0.55, 0.6, 0.58, 0.0}
IMM[1] FLT32 {0.35, 0.55, 0.95, 1.0}
IMM[2] FLT32 {0.85, 0.9, 1.0, 1.0}
IMM[3] FLT32 {1.0, 0.8, 0.5, 160.0}
IMM[4] FLT32 {0.12, 0.16, 0.2, 1.0}
IMM[5] FLT32 {0.75, 0.72, 0.65, 1.0}
IMM[6] FLT32 {0.5, 0.25, 0.0, 0.0}
DP3 TEMP[0].x, IN[0], IN[0]
RSQ TEMP[0].x, TEMP[0].xxxx
MUL TEMP[0].xyz, IN[0], TEMP[0].xxxx
MAX TEMP[1].x, TEMP[0].yyyy, IMM[0].wwww
SQRT TEMP[1].x, TEMP[1].xxxx
LRP TEMP[2], TEMP[1].xxxx, IMM[1], IMM[2]
DP3 TEMP[1].y, TEMP[0], IMM[0]
MAX TEMP[1].y, TEMP[1].yyyy, IMM[0].wwww
POW TEMP[1].y, TEMP[1].yyyy, IMM[3].wwww
MAD TEMP[2].xyz, IMM[3], TEMP[1].yyyy, TEMP[2]
RCP TEMP[3].w, TEMP[0].yyyy
MUL TEMP[3].xy, TEMP[0].xzzz, -TEMP[3].wwww
FLR TEMP[3].xy, TEMP[3]
ADD TEMP[3].x, TEMP[3].xxxx, TEMP[3].yyyy
MUL TEMP[3].x, TEMP[3].xxxx, IMM[6].xxxx
FRC TEMP[3].x, TEMP[3].xxxx
SLT TEMP[3].x, TEMP[3].xxxx, IMM[6].yyyy
LRP TEMP[3].xyz, TEMP[3].xxxx, IMM[4], IMM[5]
SLT TEMP[1].x, TEMP[0].yyyy, IMM[0].wwww
LRP OUT[0].xyz, TEMP[1].xxxx, TEMP[3], TEMP[2]
MOV OUT[0].w, IMM[1].wwww
END
"""

BALL_VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n"

# The normal n of a ball at the pixel, and the viewer's ray reflected by the ball: v - 2 (v . n) n with v = (0, 0, -1).
BALL_FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], CUBE, FLOAT
DCL TEMP[0..2]
IMM[0] FLT32 {1.0, 2.0, 0.0, -1.0}
DP2 TEMP[0].x, IN[0], IN[0]
ADD TEMP[0].x, IMM[0].xxxx, -TEMP[0].xxxx
MAX TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz
SQRT TEMP[1].z, TEMP[0].yyyy
MOV TEMP[1].xy, IN[0]
MUL TEMP[0].z, TEMP[1].zzzz, IMM[0].yyyy
MAD TEMP[2].xyz, TEMP[1], TEMP[0].zzzz, IMM[0].zzww
TEX TEMP[2], TEMP[2], SAMP[0], CUBE
SGE TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz
MUL OUT[0].xyz, TEMP[2], TEMP[0].xxxx
MOV OUT[0].w, IMM[0].xxxx
END
"""

# For each face: the direction vectors of its quad's x and y, and its axis (as cube maps are defined).
DIRECTIONS = np.array(
    [
        [(0, 0, -1, 0), (0, -1, 0, 0), (1, 0, 0, 0)],
        [(0, 0, 1, 0), (0, -1, 0, 0), (-1, 0, 0, 0)],
        [(1, 0, 0, 0), (0, 0, 1, 0), (0, 1, 0, 0)],
        [(1, 0, 0, 0), (0, 0, -1, 0), (0, -1, 0, 0)],
        [(1, 0, 0, 0), (0, -1, 0, 0), (0, 0, 1, 0)],
        [(-1, 0, 0, 0), (0, -1, 0, 0), (0, 0, -1, 0)],
    ],
    np.float32,
)
QUAD = np.array([[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1], [1, 1, 0, 1]], np.float32)


def quads(ctx: g.Context, vertex: str, fragment: str, size: int, instances: int = 1) -> None:
    """Fill the bound target, or one of its layers with each instance."""
    half = size / 2
    ctx.set_viewport_states([g.ViewportState((half, half, 0.5), (half, half, 0.5))])
    ctx.bind_vs_state(ctx.create_vs_state(vertex))
    ctx.bind_fs_state(ctx.create_fs_state(fragment))
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
    ctx.set_vertex_buffers([QUAD])
    ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4, instance_count=instances)


def picture(face: int = FACE, ball_size: int = BALL) -> np.ndarray:
    """Picture of the faces in a row and the ball below, as bytes of shape (height, width, 4). `ball_size` is 6 times `face`."""
    with g.Screen(validate=True) as screen, screen.context_create() as ctx:
        faces = screen.resource_create(target="TEXTURE_CUBE", width0=face, height0=face, array_size=6, format="R8G8B8A8_UNORM")
        ball = screen.resource_create(width0=ball_size, height0=ball_size, format="R8G8B8A8_UNORM")
        ctx.set_framebuffer_state(cbufs=[faces])
        ctx.set_constant_buffer("VERTEX", DIRECTIONS.reshape(18, 4))
        quads(ctx, FACES_VERTEX, FACES_FRAGMENT, face, instances=6)
        ctx.set_framebuffer_state(cbufs=[ball])
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(faces)])
        linear = ctx.create_sampler_state(min_img_filter="LINEAR", mag_img_filter="LINEAR", seamless_cube_map=True)
        ctx.bind_sampler_states("FRAGMENT", [linear])
        quads(ctx, BALL_VERTEX, BALL_FRAGMENT, ball_size)
        row = np.concatenate(list(faces.pixels()), axis=1)
        return np.concatenate([row, ball.pixels()[::-1]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for cube_faces.png (default: out)")
    directory = parser.parse_args().output
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "cube_faces.png"
    Image.fromarray(picture(), "RGBA").save(path)
    print(path)


if __name__ == "__main__":
    main()
