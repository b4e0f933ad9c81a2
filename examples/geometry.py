"""Run a tessellated patch through three stages, as a GPU would: TESS_CTRL sets the levels, TESS_EVAL places points, GEOM makes boards.

    python examples/geometry.py [-o DIR]

Writes geometry.png. The outputs of each stage are the inputs of the next, and those of the last stage are drawn.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tgsi

# Each of the 4 invocations of a patch passes its corner on; the first also sets the tessellation levels.
CONTROL_SHADER = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 4
DCL IN[][0], POSITION
DCL OUT[][0], POSITION
DCL OUT[1], TESSOUTER
DCL SV[0], INVOCATIONID
DCL ADDR[0]
DCL TEMP[0]
IMM[0] FLT32 {16.0, 0.0, 0.0, 0.0}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
USEQ TEMP[0].x, SV[0].xxxx, IMM[0].yyyy
UIF TEMP[0].xxxx
  MOV OUT[1], IMM[0].xxxx
ENDIF
END
"""

# A point of the patch: interpolated between its four corners, and lifted by a bump.
EVALUATION_SHADER = """TESS_EVAL
PROPERTY TES_PRIM_MODE 7
PROPERTY TES_POINT_MODE 1
DCL IN[][0], POSITION
DCL IN[1], TESSOUTER
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0..1]
IMM[0] FLT32 {1.0, -9.0, 0.0, 0.0}
LRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]
LRP TEMP[1], SV[0].xxxx, IN[3][0], IN[2][0]
LRP TEMP[0], SV[0].yyyy, TEMP[1], TEMP[0]
ADD TEMP[1].xy, IMM[0].xxxx, -SV[0]
MUL TEMP[1].xy, TEMP[1], SV[0]
MUL TEMP[1].x, TEMP[1].xxxx, TEMP[1].yyyy
MAD TEMP[0].y, TEMP[1].xxxx, IMM[0].yyyy, TEMP[0].yyyy
MOV OUT[0], TEMP[0]
MOV OUT[1].xy, SV[0]
MOV OUT[1].zw, IMM[0].xxxx
END
"""

# A point becomes a board that faces the viewer: a strip of two triangles. CONST[0].xy is half the board's size.
GEOMETRY_SHADER = """GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 4
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0]
IMM[0] FLT32 {-1.0, 1.0, 0.0, 0.0}
IMM[1] UINT32 {0, 0, 0, 0}
MOV OUT[1], IN[0][1]
MAD OUT[0], IMM[0].xxzz, CONST[0], IN[0][0]
EMIT IMM[1].xxxx
MOV OUT[1], IN[0][1]
MAD OUT[0], IMM[0].yxzz, CONST[0], IN[0][0]
EMIT IMM[1].xxxx
MOV OUT[1], IN[0][1]
MAD OUT[0], IMM[0].xyzz, CONST[0], IN[0][0]
EMIT IMM[1].xxxx
MOV OUT[1], IN[0][1]
MAD OUT[0], IMM[0].yyzz, CONST[0], IN[0][0]
EMIT IMM[1].xxxx
ENDPRIM IMM[1].xxxx
END
"""

VERTEX_SHADER = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
FRAGMENT_SHADER = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"

# The far edge comes first, so that near boards cover far ones; y points down.
CORNERS = np.array([[-0.5, -0.2, 0, 1], [0.5, -0.2, 0, 1], [-0.85, 0.8, 0, 1], [0.85, 0.8, 0, 1]], np.float32)


def boards(engine: str = "jit") -> NDArray[np.float32]:
    """Boards as an array of shape (boards, 4 vertices, position and color, 4)."""
    control = tgsi.run(tgsi.parse(CONTROL_SHADER), CORNERS.reshape(1, 4, 1, 4), engine=engine)
    fineness = int(control.floats[0, 1, 0])
    across = np.linspace(0, 1, fineness + 1, dtype=np.float32)
    points = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)  # as the fixed-function tessellator makes them
    patch = control.outputs.reshape(1, 4, 2, 4)
    placed = tgsi.run(tgsi.parse(EVALUATION_SHADER), patch, system_values={"TESSCOORD": points}, engine=engine)
    primitives = placed.outputs[:, None]  # points: one vertex each
    made = tgsi.run(tgsi.parse(GEOMETRY_SHADER), primitives, constants={0: [[0.035, 0.025, 0.0, 0.0]]}, engine=engine)
    return made.emitted[0].view(np.float32).reshape(len(made.strips[0]), 4, 2, 4)


def render(size: int = 256, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture as bytes of shape (size, size, 4)."""
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as context:
        target = screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size)
        context.set_framebuffer_state(cbufs=[target])
        half = size / 2
        context.set_viewport_states([{"scale": (half, half, 0.5), "translate": (half, half, 0.5)}])
        elements = [(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]
        context.bind_vertex_elements_state(context.create_vertex_elements_state(elements))
        context.bind_vs_state(context.create_vs_state(VERTEX_SHADER))
        context.bind_fs_state(context.create_fs_state(FRAGMENT_SHADER))
        context.clear("COLOR", color=(0.08, 0.09, 0.12, 1.0))
        triangles = boards()[:, [0, 1, 2, 2, 1, 3]]
        context.set_vertex_buffers([triangles.reshape(-1, 8)])
        context.draw_vbo(mode="TRIANGLES", count=triangles.shape[0] * triangles.shape[1])
        return target.pixels()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for geometry.png (default: out)")
    directory = parser.parse_args().output
    directory.mkdir(parents=True, exist_ok=True)
    Image.fromarray(render()).save(directory / "geometry.png")
    print(directory / "geometry.png")


if __name__ == "__main__":
    main()
