"""Draw a triangle from TGSI text into a PNG.

python examples/triangle.py [-o DIR]
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tgsi

VERTEX_SHADER = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
"""

FRAGMENT_SHADER = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
"""

# One vertex per row: x, y, z, w and red, green, blue, alpha. Row 0 of a target is its top, so y points down.
VERTICES = np.array(
    [
        [+0.0, -0.8, 0, 1, 1.0, 0.2, 0.2, 1],
        [-0.8, +0.7, 0, 1, 0.2, 1.0, 0.2, 1],
        [+0.8, +0.7, 0, 1, 0.2, 0.4, 1.0, 1],
    ],
    np.float32,
)


def render(size: int = 512, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture as bytes of shape (size, size, 4)."""
    with tgsi.Screen(**screen_options) as screen, screen.context_create() as context:
        target = screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size)
        context.set_framebuffer_state(cbufs=[target])
        half = size / 2
        context.set_viewport_states([{"scale": (half, half, 0.5), "translate": (half, half, 0.5)}])
        elements = [(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]
        context.bind_vertex_elements_state(context.create_vertex_elements_state(elements))
        context.set_vertex_buffers([VERTICES])
        context.bind_vs_state(context.create_vs_state(VERTEX_SHADER))
        context.bind_fs_state(context.create_fs_state(FRAGMENT_SHADER))
        context.clear("COLOR", color=(0.08, 0.09, 0.12, 1.0))
        context.draw_vbo(mode="TRIANGLES", count=3)
        with context.transfer_map(target, usage="READ") as mapped:
            return np.array(mapped)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for triangle.png (default: out)")
    directory = parser.parse_args().output
    directory.mkdir(parents=True, exist_ok=True)
    Image.fromarray(render()).save(directory / "triangle.png")
    print(directory / "triangle.png")


if __name__ == "__main__":
    main()
