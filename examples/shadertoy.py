"""Play a fragment shader that is written as for Shadertoy: mainImage, iTime and iResolution.

    python examples/shadertoy.py [SHADER.glsl] [-o DIR]

Writes shadertoy.gif: the frames of one loop. Needs `pip install '.[glsl]'` in the clone.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tgsi

LAVA = """
// Drops that rise and sink, and melt into each other where they meet. A loop takes 4 seconds.
void mainImage(out vec4 color, in vec2 pixel) {
    vec2 p = (2.0 * pixel - iResolution.xy) / iResolution.y;
    float heat = 0.16 / (p.y + 1.35) + 0.05 / (1.35 - p.y);
    for (int k = 0; k < 7; k++) {
        float n = float(k), turn = 1.5708 * iTime * (mod(n, 3.0) < 0.5 ? 2.0 : 1.0) + 2.4 * n;
        vec2 drop = vec2(0.55 * sin(2.1 * n + 0.35 * sin(turn)), 0.85 * sin(turn));
        float size = 0.15 + 0.07 * sin(5.1 * n);
        heat += size * size / dot(p - drop, p - drop);
    }
    float level = log(heat) * 2.2, soft = 1.5 * fwidth(level);
    vec3 made = vec3(0.09, 0.05, 0.15);
    made = mix(made, vec3(0.30, 0.07, 0.28), smoothstep(-soft, soft, level + 1.3));
    made = mix(made, vec3(0.70, 0.13, 0.24), smoothstep(-soft, soft, level));
    made = mix(made, vec3(0.96, 0.42, 0.14), smoothstep(-soft, soft, level - 0.9));
    made = mix(made, vec3(1.00, 0.80, 0.30), smoothstep(-soft, soft, level - 2.2));
    color = vec4(mix(made, vec3(1.0, 0.97, 0.85), smoothstep(-soft, soft, level - 4.2)), 1.0);
}
"""

VERTEX = "#version 330 core\nin vec2 corner;\nvoid main() { gl_Position = vec4(corner, 0.0, 1.0); }\n"
HEAD = "#version 330 core\nuniform vec3 iResolution; uniform float iTime; uniform int iFrame;\nout vec4 made;\n#line 1\n"
TAIL = "\nvoid main() { mainImage(made, gl_FragCoord.xy); }\n"


def render(shader: str = LAVA, size: int = 256, frames: int = 32, seconds: float = 4.0, **screen_options: Any) -> list[NDArray[np.uint8]]:
    """Pictures of all frames, each as bytes of shape (size, size, 4)."""
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size)
        ctx.set_framebuffer_state(cbufs=[target])
        half = size / 2
        ctx.set_viewport_states([{"scale": (half, -half, 0.5), "translate": (half, half, 0.5)}])
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(half_pixel_center=True))
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(HEAD + shader + TAIL))
        ctx.set_vertices({"corner": np.array([[-1, -1], [3, -1], [-1, 3]], np.float32)})
        interface = tgsi.compile(HEAD + shader + TAIL, stage="frag").interface
        used = set() if interface is None or interface.uniforms is None else set(interface.uniforms.members)
        pictures = []
        for frame in range(frames):
            values = {"iTime": seconds * frame / frames, "iFrame": frame, "iResolution": (size, size, 1)}
            ctx.set_uniforms({name: value for name, value in values.items() if name in used})
            ctx.draw_vbo(mode="TRIANGLES", count=3)
            pictures.append(target.pixels())
    return pictures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shader", type=Path, nargs="?", metavar="SHADER.glsl", help="a shader with mainImage (default: a lava lamp)")
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for shadertoy.gif (default: out)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "shadertoy.gif"
    pictures = render(LAVA if options.shader is None else options.shader.read_text())
    images = [Image.fromarray(picture).convert("RGB").quantize(24, dither=Image.Dither.NONE) for picture in pictures]
    images[0].save(path, save_all=True, append_images=images[1:], duration=125, loop=0)
    print(path)


if __name__ == "__main__":
    main()
