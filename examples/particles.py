"""Draw a fountain: stream output moves particles from buffer to buffer, and a geometry shader makes a spark of each particle.

    python examples/particles.py [-o DIR]

Writes particles.png. Python never reads a particle: each draw takes its vertex count from the stream output of the one before.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tgsi
from tgsi import gallium as g

# IN[0]: position (x, y) and velocity (x, y); IN[1].x: age, which is negative while a particle waits.
# Time step CONST[0].x, gravity CONST[0].y. Particles bounce off the ground.
MOVE_SHADER = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], GENERIC[0]
DCL OUT[1].x, GENERIC[1]
DCL CONST[0]
DCL TEMP[0..1]
IMM[0] FLT32 {-0.8, -0.55, 1.0, 0.0}
MOV TEMP[0], IN[0]
FSGE TEMP[1].y, IN[1].xxxx, IMM[0].wwww
AND TEMP[1].y, TEMP[1].yyyy, CONST[0].xxxx
MAD TEMP[0].w, CONST[0].yyyy, TEMP[1].yyyy, TEMP[0].wwww
MAD TEMP[0].xy, TEMP[0].zwww, TEMP[1].yyyy, TEMP[0]
FSLT TEMP[1].x, TEMP[0].yyyy, IMM[0].xxxx
UIF TEMP[1].xxxx
  MOV TEMP[0].y, IMM[0].xxxx
  MUL TEMP[0].w, |TEMP[0].wwww|, -IMM[0].yyyy
ENDIF
MOV OUT[0], TEMP[0]
ADD OUT[1].x, IN[1].xxxx, CONST[0].xxxx
END
"""

VERTEX_SHADER = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], GENERIC[0]
DCL OUT[1].x, GENERIC[1]
MOV OUT[0], IN[0]
MOV OUT[1].x, IN[1].xxxx
END
"""

# A particle becomes a board of half width CONST[0].x from its position back along its velocity, CONST[0].y units of time long.
SPARK_SHADER = """GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 4
DCL IN[][0], GENERIC[0]
DCL IN[][1].x, GENERIC[1]
DCL OUT[0], POSITION
DCL OUT[1].xy, GENERIC[0]
DCL OUT[2].x, GENERIC[1]
DCL CONST[0]
DCL TEMP[0..2]
IMM[0] FLT32 {0.0, 1.0, -1.0, 0.0001}
IMM[1] UINT32 {0, 0, 0, 0}
MOV TEMP[0], IN[0][0]
DP2 TEMP[1].x, TEMP[0].zwww, TEMP[0].zwww
ADD TEMP[1].x, TEMP[1].xxxx, IMM[0].wwww
RSQ TEMP[1].x, TEMP[1].xxxx
MUL TEMP[1].x, TEMP[1].xxxx, CONST[0].xxxx
MUL TEMP[1].xy, TEMP[0].wzzz, TEMP[1].xxxx
MUL TEMP[1].y, TEMP[1].yyyy, IMM[0].zzzz
MAD TEMP[2].xy, TEMP[0].zwww, -CONST[0].yyyy, TEMP[0]
MOV OUT[0].zw, IMM[0].xxxy
MOV OUT[2].x, IN[0][1].xxxx
ADD OUT[0].xy, TEMP[0], TEMP[1]
MOV OUT[1].xy, IMM[0].yyyy
EMIT IMM[1].xxxx
ADD OUT[0].xy, TEMP[0], -TEMP[1]
MOV OUT[1].xy, IMM[0].zyyy
EMIT IMM[1].xxxx
ADD OUT[0].xy, TEMP[2], TEMP[1]
MOV OUT[1].xy, IMM[0].yxxx
EMIT IMM[1].xxxx
ADD OUT[0].xy, TEMP[2], -TEMP[1]
MOV OUT[1].xy, IMM[0].zxxx
EMIT IMM[1].xxxx
END
"""

# Sparks are bright in the middle and at the head, and turn red with age.
FRAGMENT_SHADER = """FRAG
DCL IN[0].xy, GENERIC[0], LINEAR
DCL IN[1].x, GENERIC[1], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 {1.0, 0.62, 0.2, 0.0}
IMM[1] FLT32 {0.9, 0.35, 0.5, 1.0}
MAD TEMP[0].x, -IN[0].xxxx, IN[0].xxxx, IMM[0].xxxx
MUL TEMP[0].x, TEMP[0].xxxx, IN[0].yyyy
MAX TEMP[1].x, IN[1].xxxx, IMM[0].wwww
MUL TEMP[1].x, TEMP[1].xxxx, IMM[1].zzzz
MIN TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
LRP TEMP[1], TEMP[1].xxxx, IMM[1], IMM[0].xxxx
MUL TEMP[1], TEMP[1], IMM[0]
MUL OUT[0], TEMP[1], TEMP[0].xxxx
END
"""

PARTICLES, STEPS, STEP = 3000, 75, 0.03125
WORDS = 5  # per particle
OUTPUTS = g.StreamOutputInfo((WORDS,), (g.StreamOutput(0), g.StreamOutput(1, num_components=1, dst_offset=4)))


def fountain() -> NDArray[np.float32]:
    """Particles as an array of shape (PARTICLES, WORDS): all at the spring, each with a velocity and a start time of its own."""
    number = np.arange(PARTICLES, dtype=np.float32)
    across, up = (number * np.float32(0.61803)) % 1, (number * np.float32(0.75487)) % 1
    found = np.zeros((PARTICLES, WORDS), np.float32)
    found[:, 1], found[:, 2], found[:, 3] = -0.8, across - np.float32(0.5), up * np.float32(0.5) + np.float32(1.3)
    found[:, 4] = number * np.float32(-2.25 / PARTICLES)
    return found


def render(size: int = 256, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture as bytes of shape (size, size, 4)."""
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as context:
        picture = screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size)
        context.set_framebuffer_state(cbufs=[picture])
        half = size / 2
        context.set_viewport_states([{"scale": (half, -half, 0.5), "translate": (half, half, 0.5)}])
        elements = [(0, "R32G32B32A32_FLOAT"), (16, "R32_FLOAT")]
        context.bind_vertex_elements_state(context.create_vertex_elements_state(elements))
        first, second = fountain(), np.zeros((PARTICLES, WORDS), np.float32)
        buffers = [screen.buffer_from(data, bind="STREAM_OUTPUT") for data in (first, second)]
        targets = [context.create_stream_output_target(buffer) for buffer in buffers]

        context.bind_vs_state(context.create_vs_state(MOVE_SHADER, stream_output=OUTPUTS))
        context.set_constant_buffer("VERTEX", np.array([STEP, -1.25, 0, 0], np.float32))
        context.bind_rasterizer_state(context.create_rasterizer_state(rasterizer_discard=True))
        count: dict[str, Any] = {"count": PARTICLES}
        for step in range(STEPS):
            source, target = step % 2, 1 - step % 2
            context.set_vertex_buffers([{"buffer": buffers[source], "stride": 4 * WORDS}])
            context.set_stream_output_targets([targets[target]], offsets=[0])
            context.draw_vbo(mode="POINTS", **count)
            count = {"count_from_stream_output": targets[target]}
        context.set_stream_output_targets([])

        context.bind_vs_state(context.create_vs_state(VERTEX_SHADER))
        context.bind_gs_state(context.create_gs_state(SPARK_SHADER))
        context.bind_fs_state(context.create_fs_state(FRAGMENT_SHADER))
        context.set_constant_buffer("GEOMETRY", np.array([0.006, 0.08, 0, 0], np.float32))
        context.bind_rasterizer_state(None)
        added = context.create_blend_state(
            blend_enable=True, rgb_src_factor="ONE", rgb_dst_factor="ONE", alpha_src_factor="ONE", alpha_dst_factor="ONE"
        )
        context.bind_blend_state(added)
        context.clear("COLOR", color=(0.02, 0.03, 0.08, 1.0))
        context.set_vertex_buffers([{"buffer": buffers[STEPS % 2], "stride": 4 * WORDS}])
        context.draw_vbo(mode="POINTS", **count)
        return picture.pixels()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for particles.png (default: out)")
    directory = parser.parse_args().output
    directory.mkdir(parents=True, exist_ok=True)
    Image.fromarray(render(512)).save(directory / "particles.png")
    print(directory / "particles.png")


if __name__ == "__main__":
    main()
