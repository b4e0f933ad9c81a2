"""Compute a picture: every thread of a grid stores one texel of the Mandelbrot set in an image.

python examples/mandelbrot.py [-o DIR]
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tgsi

SHADER = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 8
PROPERTY CS_FIXED_BLOCK_HEIGHT 8
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR
DCL CONST[0][0]
DCL TEMP[0..4]
IMM[0] UINT32 {8, 1, 0, 128}
IMM[1] FLT32 {4.0, 2.0, 0.0078125, 1.0}
IMM[2] FLT32 {2.0, 4.0, 7.0, 0.0}
UMAD TEMP[0].xy, SV[1].xyyy, IMM[0].xxxx, SV[0].xyyy
U2F TEMP[1].xy, TEMP[0].xyyy
MAD TEMP[1].xy, TEMP[1].xyyy, CONST[0][0].zzzz, CONST[0][0].xyyy
MOV TEMP[2].xy, TEMP[1].xyyy
MOV TEMP[3].x, IMM[0].zzzz
BGNLOOP
  MUL TEMP[4].xy, TEMP[2].xyyy, TEMP[2].xyyy
  ADD TEMP[4].z, TEMP[4].xxxx, TEMP[4].yyyy
  FSGE TEMP[4].z, TEMP[4].zzzz, IMM[1].xxxx
  USGE TEMP[4].w, TEMP[3].xxxx, IMM[0].wwww
  OR TEMP[4].z, TEMP[4].zzzz, TEMP[4].wwww
  UIF TEMP[4].zzzz
    BRK
  ENDIF
  MUL TEMP[2].y, TEMP[2].xxxx, TEMP[2].yyyy
  ADD TEMP[2].x, TEMP[4].xxxx, -TEMP[4].yyyy
  MUL TEMP[2].y, TEMP[2].yyyy, IMM[1].yyyy
  ADD TEMP[2].xy, TEMP[2].xyyy, TEMP[1].xyyy
  UADD TEMP[3].x, TEMP[3].xxxx, IMM[0].yyyy
ENDLOOP
U2F TEMP[3].x, TEMP[3].xxxx
MUL TEMP[3].x, TEMP[3].xxxx, IMM[1].zzzz
MUL TEMP[3].xyz, TEMP[3].xxxx, IMM[2].xyzz
FRC TEMP[3].xyz, TEMP[3].xyzz
MOV TEMP[3].w, IMM[1].wwww
STORE IMAGE[0], TEMP[0], TEMP[3], 2D, PIPE_FORMAT_R8G8B8A8_UNORM
END
"""


def render(size: int = 512, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture as bytes of shape (size, size, 4); `size` is a multiple of 8."""
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as context:
        image = screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size)
        context.set_shader_images("COMPUTE", [image])
        context.set_constant_buffer("COMPUTE", np.array([-2.0, -1.25, 2.5 / size, 0], np.float32))
        context.bind_compute_state(context.create_compute_state(SHADER))
        context.launch_grid(grid=(size // 8, size // 8, 1))
        return image.pixels()


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for mandelbrot.png (default: out)")
    directory = parser.parse_args().output
    directory.mkdir(parents=True, exist_ok=True)
    Image.fromarray(render()).save(directory / "mandelbrot.png")
    print(directory / "mandelbrot.png")


if __name__ == "__main__":
    main()
