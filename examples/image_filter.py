"""Paint a picture in oil: a compute shader in GLSL, one invocation for each pixel.

    python examples/image_filter.py [PICTURE] [-o DIR]

Writes image_filter.png, whose right half is filtered. The filter is Kuwahara's: of the four squares at a pixel, the one of the least
variance gives its mean, so surfaces become flat and edges stay sharp. Needs `pip install '.[glsl]'`.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tgsi

FILTER = """#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D made;
uniform sampler2D picture;
uniform int radius;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), last = textureSize(picture, 0) - 1;
    if (any(greaterThan(at, last))) return;
    float least = 1e9;
    vec3 best = vec3(0.0);
    for (int corner = 0; corner < 4; corner++) {
        ivec2 first = at - ivec2(corner & 1, corner >> 1) * radius;
        vec3 sum = vec3(0.0), squares = vec3(0.0);
        for (int y = 0; y <= radius; y++)
            for (int x = 0; x <= radius; x++) {
                vec3 texel = texelFetch(picture, clamp(first + ivec2(x, y), ivec2(0), last), 0).rgb;
                sum += texel;
                squares += texel * texel;
            }
        float count = float((radius + 1) * (radius + 1));
        vec3 mean = sum / count, variance = squares / count - mean * mean;
        float spread = variance.r + variance.g + variance.b;
        if (spread < least) { least = spread; best = mean; }
    }
    imageStore(made, at, vec4(best, 1.0));
}
"""


def waves(size: int = 1024) -> NDArray[np.uint8]:
    """A picture to begin with: hills of grainy stripes under a moon, as bytes of shape (size, size, 3)."""
    y, x = np.mgrid[0:size, 0:size].astype(np.float64) / size
    grain = np.random.default_rng(3).integers(-16, 17, (size, size, 1))
    moon = ((x - 0.7) ** 2 + (y - 0.24) ** 2 < 0.012)[..., None]
    made = np.where(moon, (250, 240, 205), (np.array([36, 52, 104]) + y[..., None] * np.array([190, 110, 60])))
    for k in range(6):
        crest = 0.42 + 0.1 * k + np.round((0.09 - 0.008 * k) * np.sin(x * (5 + 1.7 * k) + 2.3 * k), 9)
        stripe = ((y - crest) * (60 - 5 * k) % 1 < 0.25)[..., None]
        hill = np.array([24 + 22 * k, 66 + 13 * k, 92 - 9 * k]) * np.where(stripe, 1.35, 1.0)
        made = np.where((y > crest)[..., None], hill, made)
    return np.clip(made + grain, 0, 255).astype(np.uint8)


def render(picture: NDArray[np.uint8], radius: int = 6, **screen_options: Any) -> NDArray[np.uint8]:
    """Filtered picture, as bytes of shape (height, width, 4). picture: bytes of shape (height, width, 3 or 4)."""
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as ctx:
        height, width = picture.shape[:2]
        made = screen.resource_create(format="R8G8B8A8_UNORM", width0=width, height0=height)
        ctx.bind_compute_state(ctx.create_compute_state(FILTER))
        ctx.set_textures({"picture": screen.texture_from(picture)})
        ctx.set_shader_images("COMPUTE", [made])
        ctx.set_uniforms({"radius": radius})
        ctx.launch_grid(grid=(-(-width // 8), -(-height // 8), 1))
        return made.pixels()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path, nargs="?", metavar="PICTURE", help="a picture (default: hills)")
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for image_filter.png (default: out)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    picture = waves() if options.picture is None else np.array(Image.open(options.picture).convert("RGB"))
    path, half = options.output / "image_filter.png", picture.shape[1] // 2
    Image.fromarray(np.concatenate([picture[:, :half], render(picture)[:, half:, :3]], axis=1)).save(path, optimize=True)
    print(path)


if __name__ == "__main__":
    main()
