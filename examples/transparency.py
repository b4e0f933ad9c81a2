"""Transparency without sorting: intersecting planes, drawn in one call in any order.

The first draw appends every fragment to a linked list of its pixel: a counter allocates nodes of a buffer, and an image holds the head of
each list. The second draw walks each list, blending the farthest node first, and of two at one depth the one with the larger word of color.

python examples/transparency.py [-o DIR]
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tgsi

VERTEX = """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
"""

# A node has four words: red and green, blue and alpha, depth, number of the next node (0 ends the list; numbers begin at 1).
APPEND = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], POSITION, LINEAR
DCL BUFFER[0..1]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL TEMP[0..3]
IMM[0] UINT32 {0, 1, 16, 0}
F2U TEMP[0].xy, IN[1].xyyy
ATOMUADD TEMP[1].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
UADD TEMP[1].y, TEMP[1].xxxx, IMM[0].yyyy
ATOMXCHG TEMP[2].x, IMAGE[0], TEMP[0], TEMP[1].yyyy, 2D, PIPE_FORMAT_R32_UINT
PK2H TEMP[3].x, IN[0].xyyy
PK2H TEMP[3].y, IN[0].zwww
MOV TEMP[3].z, IN[1].zzzz
MOV TEMP[3].w, TEMP[2].xxxx
UMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz
STORE BUFFER[1], TEMP[1].xxxx, TEMP[3]
END
"""

RESOLVE = """FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL BUFFER[0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT
DCL CONST[0]
DCL TEMP[0..7]
IMM[0] UINT32 {0, 4294967295, 16, 0}
IMM[1] FLT32 {0.0, 2.0, -1.0, 1.0}
F2U TEMP[0].xy, IN[0].xyyy
LOAD TEMP[0].x, IMAGE[0], TEMP[0], 2D, PIPE_FORMAT_R32_UINT
MOV TEMP[1], CONST[0]
MOV TEMP[2].xz, IMM[1].yyxy
BGNLOOP
  MOV TEMP[2].y, IMM[1].zzzz
  MOV TEMP[6].x, IMM[0].xxxx
  MOV TEMP[3].x, TEMP[0].xxxx
  BGNLOOP
    USEQ TEMP[3].y, TEMP[3].xxxx, IMM[0].xxxx
    UIF TEMP[3].yyyy
      BRK
    ENDIF
    UADD TEMP[3].y, TEMP[3].xxxx, IMM[0].yyyy
    UMUL TEMP[3].y, TEMP[3].yyyy, IMM[0].zzzz
    LOAD TEMP[4], BUFFER[0], TEMP[3].yyyy
    FSLT TEMP[5].x, TEMP[4].zzzz, TEMP[2].xxxx
    FSLT TEMP[5].y, TEMP[2].yyyy, TEMP[4].zzzz
    FSEQ TEMP[5].zw, TEMP[4].zzzz, TEMP[2].xxxy
    USLT TEMP[3].z, TEMP[4].xxxx, TEMP[2].zzzz
    USLT TEMP[3].w, TEMP[6].xxxx, TEMP[4].xxxx
    AND TEMP[5].zw, TEMP[5].zzzw, TEMP[3].zzzw
    OR TEMP[5].xy, TEMP[5].xyyy, TEMP[5].zwww
    AND TEMP[5].x, TEMP[5].xxxx, TEMP[5].yyyy
    UIF TEMP[5].xxxx
      MOV TEMP[2].y, TEMP[4].zzzz
      MOV TEMP[6].xy, TEMP[4].xyyy
    ENDIF
    MOV TEMP[3].x, TEMP[4].wwww
  ENDLOOP
  FSLT TEMP[5].x, TEMP[2].yyyy, IMM[1].xxxx
  UIF TEMP[5].xxxx
    BRK
  ENDIF
  UP2H TEMP[4].xy, TEMP[6].xxxx
  UP2H TEMP[7].xy, TEMP[6].yyyy
  MOV TEMP[4].z, TEMP[7].xxxx
  LRP TEMP[1].xyz, TEMP[7].yyyy, TEMP[4].xyzz, TEMP[1].xyzz
  MOV TEMP[2].x, TEMP[2].yyyy
  MOV TEMP[2].z, TEMP[6].xxxx
ENDLOOP
MOV OUT[0], TEMP[1]
END
"""


def planes(count: int = 12, seed: int = 7) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Clip positions and colors of rectangles around one point, as triangles."""
    rng = np.random.default_rng(seed)
    position, color = [], []
    for k in range(count):
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        corners = np.array([[-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, -1, 0], [-1, 1, 0], [1, 1, 0]]) @ axes * 1.25
        w = 3 - corners[:, 2]
        position.append(np.stack([corners[:, 0] * 1.7, corners[:, 1] * 1.7, (w - 1) * 0.6, w], 1))
        hue = k / count + np.array([0, 1 / 3, 2 / 3])
        shade = np.append(0.5 + 0.5 * np.cos(2 * np.pi * hue), 0.45)
        color.append(np.tile(shade, (6, 1)))
    return np.concatenate(position).astype("f4"), np.concatenate(color).astype("f4")


def render(size: int = 384, *, order: int = 0, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture as bytes of shape (size, size, 4); `order` shuffles the triangles, which does not change the picture."""
    position, color = planes()
    shuffled = np.random.default_rng(order).permutation(len(position) // 3)
    position, color = position.reshape(-1, 3, 4)[shuffled].reshape(-1, 4), color.reshape(-1, 3, 4)[shuffled].reshape(-1, 4)
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as ctx:
        target = screen.resource_create(width0=size, height0=size)
        heads = screen.resource_create(format="R32_UINT", width0=size, height0=size)
        counter = screen.resource_create(target="BUFFER", width0=4)
        nodes = screen.resource_create(target="BUFFER", width0=16 * 12 * size * size)
        ctx.set_viewport_states([{"scale": (size / 2, -size / 2, 0.5), "translate": (size / 2, size / 2, 0.5)}])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", k) for k in range(2)]))

        ctx.set_framebuffer_state(width=size, height=size)  # without targets: the first draw only fills the lists
        ctx.set_shader_buffers("FRAGMENT", [counter, nodes])
        ctx.set_shader_images("FRAGMENT", [heads])
        ctx.bind_fs_state(ctx.create_fs_state(APPEND))
        ctx.set_vertex_buffers([position, color])
        ctx.draw_vbo(mode="TRIANGLES", count=len(position))

        ctx.memory_barrier()
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_shader_buffers("FRAGMENT", [nodes, None])
        ctx.bind_fs_state(ctx.create_fs_state(RESOLVE))
        ctx.set_constant_buffer("FRAGMENT", np.array([0.06, 0.07, 0.1, 1], np.float32))
        ctx.set_vertex_buffers([np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32), np.zeros((3, 4), np.float32)])
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        return target.pixels()


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for transparency.png (default: out)")
    directory = parser.parse_args().output
    directory.mkdir(parents=True, exist_ok=True)
    Image.fromarray(render()).save(directory / "transparency.png")
    print(directory / "transparency.png")


if __name__ == "__main__":
    main()
