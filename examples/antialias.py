"""Draw a fan of thin blades and spokes with 1, 4 and 16 samples per pixel, side by side, enlarged so that the edges show.

python examples/antialias.py [-o DIR]
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
DCL IN[0], GENERIC[0], LINEAR, CENTROID
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
"""


def blades(count: int = 13) -> NDArray[np.float32]:
    """Triangles from a hub outward, and the center line of each: rows of x, y, z, w, red, green, blue, alpha."""
    rows = []
    for k in range(count):
        angle = 2 * np.pi * (k + 0.3) / count
        hue = 2 * np.pi * k / count
        color = [0.55 + 0.45 * np.cos(hue + shift) for shift in (0.0, 2.1, 4.2)]
        for turn, radius, light in ((-0.11, 0.9, 1.0), (0.05, 0.93, 0.8), (0.4, 0.12, 0.3)):
            x, y = radius * np.cos(angle + turn), radius * np.sin(angle + turn)
            rows.append([x, y, 0, 1, *(light * c for c in color), 1])
    return np.array(rows, np.float32)


def render(samples: int, size: int = 72, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture as bytes of shape (size, size, 4)."""
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as context:
        shown = screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size)
        target = screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size, nr_samples=samples)
        context.set_framebuffer_state(cbufs=[target])
        context.bind_rasterizer_state(context.create_rasterizer_state(multisample=samples > 1, line_width=1.0))
        half = size / 2
        context.set_viewport_states([{"scale": (half, half, 0.5), "translate": (half, half, 0.5)}])
        elements = [(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]
        context.bind_vertex_elements_state(context.create_vertex_elements_state(elements))
        context.bind_vs_state(context.create_vs_state(VERTEX_SHADER))
        context.bind_fs_state(context.create_fs_state(FRAGMENT_SHADER))
        context.clear("COLOR", color=(0.08, 0.09, 0.12, 1.0))
        corners = blades()
        context.set_vertex_buffers([corners])
        context.draw_vbo(mode="TRIANGLES", count=len(corners))
        spokes = corners.reshape(-1, 3, 8)[:, [2, 0]].copy()
        spokes[:, :, 4:7] = 0.9
        context.set_vertex_buffers([spokes.reshape(-1, 8)])
        context.draw_vbo(mode="LINES", count=2 * len(spokes))
        context.blit(shown, src=target)  # resolve: every pixel becomes the mean of its samples
        return shown.pixels()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for antialias.png (default: out)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "antialias.png"
    pictures = [render(samples).repeat(4, 0).repeat(4, 1) for samples in (1, 4, 16)]
    Image.fromarray(np.concatenate(pictures, 1)).save(path)
    print(path)


if __name__ == "__main__":
    main()
