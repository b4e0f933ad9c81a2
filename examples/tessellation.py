"""Draw hills from 25 flat patches: the control shader chooses small triangles near the viewer, the evaluation shader lifts them.

    python examples/tessellation.py [-o DIR]

Writes tessellation.png: the hills, with the triangles that they consist of drawn over the left half.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tgsi

# The corner of a patch: x and z on the ground.
VERTEX_SHADER = """VERT
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
"""

# The levels of the edges u = 0, v = 0, u = 1 and v = 1 depend only on the distance of the edge's middle, so both patches at an edge
# choose the same level and no gap opens. CONST[0] gives the distance of a point, CONST[1].x is the level at distance 1.
CONTROL_SHADER = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 4
DCL IN[][0], POSITION
DCL OUT[][0], POSITION
DCL OUT[1], TESSOUTER
DCL OUT[2], TESSINNER
DCL SV[0], INVOCATIONID
DCL CONST[0..1]
DCL ADDR[0]
DCL TEMP[0..4]
IMM[0] FLT32 {0.5, 0.0, 0.0, 0.0}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
USEQ TEMP[0].x, SV[0].xxxx, IMM[0].yyyy
UIF TEMP[0].xxxx
  ADD TEMP[1], IN[0][0], IN[2][0]
  ADD TEMP[2], IN[0][0], IN[1][0]
  ADD TEMP[3], IN[1][0], IN[3][0]
  ADD TEMP[4], IN[2][0], IN[3][0]
  DP4 TEMP[1].x, TEMP[1], CONST[0]
  DP4 TEMP[1].y, TEMP[2], CONST[0]
  DP4 TEMP[1].z, TEMP[3], CONST[0]
  DP4 TEMP[1].w, TEMP[4], CONST[0]
  MUL TEMP[1], TEMP[1], IMM[0].xxxx
  RCP TEMP[2].x, TEMP[1].xxxx
  RCP TEMP[2].y, TEMP[1].yyyy
  RCP TEMP[2].z, TEMP[1].zzzz
  RCP TEMP[2].w, TEMP[1].wwww
  MUL TEMP[2], TEMP[2], CONST[1].xxxx
  MOV OUT[1], TEMP[2]
  MAX TEMP[3].x, TEMP[2].yyyy, TEMP[2].wwww
  MAX TEMP[3].y, TEMP[2].xxxx, TEMP[2].zzzz
  MOV OUT[2], TEMP[3].xyyy
ENDIF
END
"""

# Interpolated between the corners and lifted: y = sin(2x) cos(3z) / 4. GENERIC[0] is the slope, GENERIC[1] the position.
EVALUATION_SHADER = """TESS_EVAL
PROPERTY TES_PRIM_MODE 7
PROPERTY TES_SPACING 0
DCL IN[][0], POSITION
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
DCL CONST[0..3]
DCL TEMP[0..4]
IMM[0] FLT32 {2.0, 3.0, 0.25, 1.0}
IMM[1] FLT32 {-0.5, 0.75, 0.0, 1.0}
LRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]
LRP TEMP[1], SV[0].xxxx, IN[3][0], IN[2][0]
LRP TEMP[0], SV[0].yyyy, TEMP[1], TEMP[0]
MUL TEMP[1].xz, TEMP[0].xxzz, IMM[0].xxyy
SIN TEMP[2].x, TEMP[1].xxxx
COS TEMP[2].y, TEMP[1].xxxx
SIN TEMP[2].z, TEMP[1].zzzz
COS TEMP[2].w, TEMP[1].zzzz
MUL TEMP[3].x, TEMP[2].xxxx, TEMP[2].wwww
MUL TEMP[0].y, TEMP[3].xxxx, IMM[0].zzzz
MUL TEMP[4].x, TEMP[2].yyyy, TEMP[2].wwww
MUL TEMP[4].z, TEMP[2].xxxx, TEMP[2].zzzz
MUL OUT[1].xz, TEMP[4], IMM[1].xxyy
MOV OUT[1].yw, IMM[0].wwww
MOV OUT[2], TEMP[0]
DP4 OUT[0].x, TEMP[0], CONST[0]
DP4 OUT[0].y, TEMP[0], CONST[1]
DP4 OUT[0].z, TEMP[0], CONST[2]
DP4 OUT[0].w, TEMP[0], CONST[3]
END
"""

# Grass in the valleys, rock on the heights, light from the upper left.
FRAGMENT_SHADER = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..2]
IMM[0] FLT32 {-0.6, 0.7, -0.4, 2.0}
IMM[1] FLT32 {0.16, 0.36, 0.12, 0.5}
IMM[2] FLT32 {0.85, 0.78, 0.66, 1.0}
DP3 TEMP[0].x, IN[0], IN[0]
RSQ TEMP[0].x, TEMP[0].xxxx
DP3 TEMP[0].y, IN[0], IMM[0]
MUL_SAT TEMP[0].x, TEMP[0].xxxx, TEMP[0].yyyy
MAD TEMP[0].x, TEMP[0].xxxx, IMM[2].xxxx, IMM[1].xxxx
MAD_SAT TEMP[1].x, IN[1].yyyy, IMM[0].wwww, IMM[1].wwww
LRP TEMP[2], TEMP[1].xxxx, IMM[2], IMM[1]
MUL OUT[0].xyz, TEMP[2], TEMP[0].xxxx
MOV OUT[0].w, IMM[2].wwww
END
"""

LINE_SHADER = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.95, 0.7, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"

CELLS = 5


def corners() -> NDArray[np.float32]:
    """Corners u = v = 0, u = 1, v = 1 and u = v = 1 of every patch, of shape (patches, 4, 4)."""
    ground = np.linspace(-2, 2, CELLS + 1)
    x, z = np.meshgrid(ground, ground)
    grid = np.stack([x, 0 * x, z, 0 * x + 1], axis=-1)
    return np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]], axis=2).reshape(-1, 4, 4).astype(np.float32)


def camera() -> NDArray[np.float32]:
    """Matrix from world to clip space, by rows: seen from above the near edge, with y down the picture."""
    pitch, focus, near, far = 0.62, 1.5, 0.5, 8.0
    c, s = np.cos(pitch), np.sin(pitch)
    view = np.array([[1, 0, 0, 0], [0, c, s, 0], [0, -s, c, 0], [0, 0, 0, 1]])
    view[:, 3] = view @ [0, -2.5, 3.5, 1]
    depth = [0, 0, (far + near) / (far - near), -2 * far * near / (far - near)]
    project = np.array([[focus, 0, 0, 0], [0, -focus, 0, 0], depth, [0, 0, 1, 0]])
    # rounded, so that differences between math libraries cannot change the picture
    return np.asarray(np.round(project @ view, 4), np.float32)


def render(size: int = 512, level: float = 16.0, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture as bytes of shape (size, size, 4); `level` is the tessellation level of an edge at distance 1."""
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as context:
        target = screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size)
        depth = screen.resource_create(format="Z32_FLOAT", width0=size, height0=size, bind="DEPTH_STENCIL")
        context.set_framebuffer_state(cbufs=[target], zsbuf=depth)
        half = size / 2
        context.set_viewport_states([{"scale": (half, half, 0.5), "translate": (half, half, 0.5)}])
        context.set_scissor_states([{"maxx": size // 2, "maxy": size}])
        context.bind_depth_stencil_alpha_state(
            context.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": True, "func": "LESS"})
        )
        context.bind_vertex_elements_state(context.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        patches = corners()
        context.set_vertex_buffers([patches.reshape(-1, 4)])
        context.bind_vs_state(context.create_vs_state(VERTEX_SHADER))
        context.bind_tcs_state(context.create_tcs_state(CONTROL_SHADER))
        context.bind_tes_state(context.create_tes_state(EVALUATION_SHADER))
        matrix = camera()
        context.set_constant_buffer("TESS_CTRL", np.array([matrix[3], [level, 0, 0, 0]], np.float32))
        context.clear("COLOR", color=(0.55, 0.7, 0.85, 1.0))
        context.clear("DEPTH", depth=1.0)
        for shader, fill, closer in ((FRAGMENT_SHADER, "FILL", 0.0), (LINE_SHADER, "LINE", 0.002)):
            rows = matrix.copy()
            rows[2] -= np.float32(closer) * matrix[3]  # move the lines slightly to the front
            context.set_constant_buffer("TESS_EVAL", rows)
            context.bind_fs_state(context.create_fs_state(shader))
            context.bind_rasterizer_state(context.create_rasterizer_state(fill_front=fill, fill_back=fill, scissor=fill == "LINE"))
            context.draw_vbo(mode="PATCHES", count=4 * len(patches), vertices_per_patch=4)
        return target.pixels()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for tessellation.png (default: out)")
    directory = parser.parse_args().output
    directory.mkdir(parents=True, exist_ok=True)
    Image.fromarray(render()).save(directory / "tessellation.png")
    print(directory / "tessellation.png")


if __name__ == "__main__":
    main()
