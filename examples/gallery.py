"""Draw the pictures of docs/gallery.md: 1024 pixels wide, and smooth, because each pixel is the mean of four.

    python examples/gallery.py [NAME ..] [-o DIR]

Without names it draws all of them. Pictures of GLSL need `pip install '.[examples]'`.
"""

import argparse
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FOLDER = Path(__file__).parent
Pixels = NDArray[np.uint8]


def example(name: str) -> dict[str, Any]:
    """Names of a program of this folder."""
    return runpy.run_path(str(FOLDER / f"{name}.py"))


def smooth(draw: Callable[[int], Pixels], size: int = 1024) -> Pixels:
    """A picture drawn with twice the width and height, then reduced: the mean of 2 x 2 pixels."""
    large = draw(2 * size)[..., :3].astype(np.uint16)
    return ((large[::2, ::2] + large[1::2, ::2] + large[::2, 1::2] + large[1::2, 1::2] + 2) >> 2).astype(np.uint8)


def shader(name: str, seconds: float) -> Callable[[], Pixels]:
    """The picture of a shader with mainImage at a time."""
    text = (FOLDER / "gallery_shaders" / f"{name}.frag").read_text(encoding="utf-8")
    return lambda: smooth(lambda size: example("shadertoy")["render"](text, size, frames=2, seconds=2 * seconds)[1])


def painted(picture: Pixels) -> Pixels:
    """A picture whose right half is painted in oil."""
    half = picture.shape[1] // 2
    return np.concatenate([picture[:, :half], example("image_filter")["render"](picture)[:, half:, :3]], axis=1)


PICTURES: dict[str, Callable[[], Pixels]] = {
    "cube": lambda: smooth(lambda size: example("cube")["render"](size, frames=7)[6]),
    "cube_faces": lambda: smooth(lambda size: example("cube_faces")["picture"](size // 6, size // 6 * 6), 1026),
    "geometry": lambda: smooth(example("geometry")["render"]),
    "image_filter": lambda: painted(PICTURES["model"]()),
    "julia": shader("julia", 0.5),
    "lava": lambda: smooth(lambda size: example("shadertoy")["render"](size=size, frames=4)[3]),
    "mandelbrot": lambda: smooth(example("mandelbrot")["render"]),
    "meshlets": lambda: smooth(example("meshlets")["render"]),
    "model": lambda: example("model")["render"](size=1024)[..., :3],
    "museum": lambda: np.array(example("museum")["museum"]().convert("RGB")),
    "particles": lambda: smooth(example("particles")["render"]),
    "planet": shader("planet", 0.5),
    "sea": shader("sea", 0.5),
    "sponge": shader("sponge", 0.5),
    "tessellation": lambda: smooth(example("tessellation")["render"]),
    "transparency": lambda: smooth(example("transparency")["render"]),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *PICTURES], help=f"one of {', '.join(PICTURES)}")
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for the pictures (default: out)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.names or PICTURES:
        path = options.output / f"{name}.png"
        Image.fromarray(PICTURES[name]()).save(path, optimize=True)
        print(path)


if __name__ == "__main__":
    main()
