"""A museum of graphics hardware: one scene, linked as nv30, nv40, r300 and i915 would take it.

    python examples/museum.py [-o DIR]

Writes museum.png, a room for each device, and prints what each refuses. An exhibit that a device cannot link is a grey cast there. The
four balls add up 7 to 10 waves, each in a varying of its own; the bowl shows another color inside (FACE); the cloud is made of round
points (PCOORD).
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

import tgsi

DEVICES = {"nv30": "GeForce FX, 2003", "nv40": "GeForce 6, 2004", "r300": "Radeon 9700, 2002", "i915": "Intel GMA 900, 2004"}
EXHIBITS = ("8 varyings", "9 varyings", "10 varyings", "11 varyings", "FACE", "PCOORD")
LIGHT = "IMM[0] FLT32 {-0.45, 0.6, 0.66, 0.0}\nIMM[1] FLT32 {0.7, 0.3, 1.0, 0.0}\n"
SHADE = "DP3 TEMP[0].x, IN[0], IMM[0]\nMAX TEMP[0].x, TEMP[0].xxxx, -TEMP[0].xxxx\nMAD TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx, IMM[1].yyyy\n"
# CONST[0] and CONST[1] place an exhibit; CONST[2] and the next are the directions of the waves.
PLACE = "MAD OUT[0], IN[0], CONST[0], CONST[1]\nMOV OUT[1], IN[0]\n"
GREY = (
    f"FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\n{LIGHT}{SHADE}MUL OUT[0], TEMP[0].xxxx, IMM[1].yyyz\nEND\n"
)


def vertex_shader(varyings: int) -> str:
    """Text of a vertex shader: GENERIC[0] is the normal, each other varying the phase of a wave."""
    outputs = "".join(f"DCL OUT[{k + 1}], GENERIC[{k}]\n" for k in range(varyings))
    phases = "".join(f"DP4 OUT[{k + 1}].x, IN[0], CONST[{k + 1}]\nMOV OUT[{k + 1}].yzw, IN[0].wwww\n" for k in range(1, varyings))
    return f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n{outputs}DCL CONST[0..{varyings}]\n{PLACE}{phases}END\n"


def waves_shader(varyings: int) -> str:
    """Text of a fragment shader: the sum of the waves chooses between two colors."""
    inputs = "".join(f"DCL IN[{k}], GENERIC[{k}], PERSPECTIVE\n" for k in range(varyings))
    waves = "".join(f"COS TEMP[1].x, IN[{k}].xxxx\nADD TEMP[2].x, TEMP[2].xxxx, TEMP[1].xxxx\n" for k in range(1, varyings))
    colors = "IMM[2] FLT32 {0.95, 0.75, 0.35, 1.0}\nIMM[3] FLT32 {0.1, 0.28, 0.5, 1.0}\nIMM[4] FLT32 {0.6, 0.5, 0.0, 1.0}\n"
    mix = "MAD_SAT TEMP[2].x, TEMP[2].xxxx, IMM[4].xxxx, IMM[4].yyyy\nLRP TEMP[1], TEMP[2].xxxx, IMM[2], IMM[3]\n"
    start = "MOV TEMP[2].x, IMM[1].wwww\n"
    end = "MUL OUT[0].xyz, TEMP[1], TEMP[0].xxxx\nMOV OUT[0].w, IMM[1].zzzz\nEND\n"
    return f"FRAG\n{inputs}DCL OUT[0], COLOR\nDCL TEMP[0..2]\n{LIGHT}{colors}{SHADE}{start}{waves}{mix}{end}"


BOWL = f"""FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], FACE, CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..1]
{LIGHT}IMM[2] FLT32 {{0.85, 0.3, 0.25, 1.0}}
IMM[3] FLT32 {{0.3, 0.65, 0.55, 1.0}}
{SHADE}FSLT TEMP[1].x, IN[1].xxxx, IMM[1].wwww
UCMP TEMP[1], TEMP[1].xxxx, IMM[2], IMM[3]
MUL OUT[0].xyz, TEMP[1], TEMP[0].xxxx
MOV OUT[0].w, IMM[1].zzzz
END
"""
# A round point: the distance from its middle, by PCOORD, discards the corners and shades the rest.
CLOUD = f"""FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], PCOORD, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..2]
{LIGHT}IMM[2] FLT32 {{0.5, 4.0, 0.95, 0.6}}
IMM[3] FLT32 {{0.75, 0.55, 0.9, 1.0}}
{SHADE}ADD TEMP[1].xy, IN[1], -IMM[2].xxxx
DP2 TEMP[1].x, TEMP[1], TEMP[1]
MAD TEMP[1].x, TEMP[1].xxxx, -IMM[2].yyyy, IMM[1].zzzz
KILL_IF TEMP[1].xxxx
MUL TEMP[1].x, TEMP[1].xxxx, TEMP[0].xxxx
ADD TEMP[1].x, TEMP[1].xxxx, IMM[1].yyyy
MUL OUT[0].xyz, IMM[3], TEMP[1].xxxx
MOV OUT[0].w, IMM[1].zzzz
END
"""


def shaders(exhibit: str) -> tuple[str, str]:
    """Texts of an exhibit's vertex and fragment shader."""
    if exhibit == "FACE":
        return vertex_shader(1), BOWL
    if exhibit == "PCOORD":
        return vertex_shader(1), CLOUD
    count = int(exhibit.split()[0])
    return vertex_shader(count), waves_shader(count)


def refusal(device: str, exhibit: str) -> str | None:
    """The message with which a device refuses to link an exhibit."""
    vertex, fragment = shaders(exhibit)
    try:
        tgsi.link(tgsi.parse(vertex), tgsi.parse(fragment), profile=device)
    except tgsi.LinkError as error:
        return str(error).splitlines()[0].split(": ", 1)[1]
    return None


def ball(bowl: bool, sections: int = 96) -> NDArray[np.float32]:
    """Triangles of a sphere around the origin, or of its lower half, tilted: rows of x, y, z, 1."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, sections + 1), np.linspace(np.pi / 2 if bowl else 0, np.pi, sections // 2 + 1))
    grid = np.stack([np.sin(v) * np.cos(u), np.cos(v), np.sin(v) * np.sin(u)], axis=-1)
    corners = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[:-1, 1:], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]], axis=2).reshape(-1, 3)
    if bowl:
        corners = corners @ np.array([[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]]).T
    # rounded, so that differences between math libraries cannot change the picture
    return np.asarray(np.round(np.concatenate([corners, np.ones((len(corners), 1))], axis=1), 5), np.float32)


def cloud(count: int = 500) -> NDArray[np.float32]:
    """Points on a sphere, along a spiral, the far ones first."""
    k = np.arange(count) + 0.5
    up, angle = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    across = np.sqrt(1 - up * up)
    points = np.round(np.stack([across * np.cos(angle), up, across * np.sin(angle), 0 * k + 1], axis=1), 5)
    return np.asarray(points[np.argsort(points[:, 2], kind="stable")], np.float32)


def room(device: str, size: int = 512, **screen_options: Any) -> NDArray[np.uint8]:
    """Picture of the scene on a device, as bytes of shape (size, size, 4)."""
    directions = np.round(np.random.default_rng(5).normal(size=(12, 4)) * 5, 3)
    shapes = {"FACE": ball(bowl=True), "PCOORD": cloud()}
    with tgsi.Screen(validate=True, **screen_options) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size, nr_samples=8)
        depth = screen.resource_create(format="Z32_FLOAT", width0=size, height0=size, nr_samples=8)
        ctx.set_framebuffer_state(cbufs=[target], zsbuf=depth)
        ctx.set_viewport_states([{"scale": (size / 2, -size / 2, 0.5), "translate": (size / 2, size / 2, 0.5)}])
        rasterizer = ctx.create_rasterizer_state(multisample=True, front_ccw=True, point_quad_rasterization=True, point_size=size / 40)
        ctx.bind_rasterizer_state(rasterizer)
        test = ctx.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": True, "func": "LEQUAL"})
        ctx.bind_depth_stencil_alpha_state(test)
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        ctx.clear("COLOR|DEPTH", color=(0.13, 0.13, 0.15, 1), depth=1.0)
        for number, exhibit in enumerate(EXHIBITS):
            vertex, fragment = shaders(exhibit)
            is_refused = refusal(device, exhibit) is not None
            place = [[0.27, 0.27, -0.27, 0], [0.64 * (number % 3 - 1), 0.36 - 0.8 * (number // 3), 0, 1]]
            ctx.set_constant_buffer("VERTEX", np.concatenate([place, directions]).astype(np.float32))
            ctx.bind_vs_state(ctx.create_vs_state(vertex_shader(1) if is_refused else vertex))
            ctx.bind_fs_state(ctx.create_fs_state(GREY if is_refused else fragment))
            corners = shapes.get(exhibit)
            corners = ball(bowl=False) if corners is None else corners
            ctx.set_vertex_buffers([corners])
            ctx.draw_vbo(mode="POINTS" if exhibit == "PCOORD" else "TRIANGLES", count=len(corners))
        return target.pixels()


def museum(size: int = 1024) -> Image.Image:
    """The four rooms with their labels."""
    half, made = size // 2, Image.new("RGB", (size, size))
    draw, large, small = ImageDraw.Draw(made), ImageFont.load_default(size / 36), ImageFont.load_default(size / 60)
    for number, (device, what) in enumerate(DEVICES.items()):
        x, y = number % 2 * half, number // 2 * half
        made.paste(Image.fromarray(room(device, half)), (x, y))
        draw.text((x + half / 2, y + half * 0.06), f"{device}: {what}", "white", large, "mm")
        for place, exhibit in enumerate(EXHIBITS):
            at = x + half * (0.5 + 0.32 * (place % 3 - 1)), y + half * (0.505 + 0.4 * (place // 3))
            refused = refusal(device, exhibit) is not None
            draw.text(at, f"{exhibit}: refused" if refused else exhibit, "#e08070" if refused else "#a0a0a8", small, "mm")
    draw.line([(half, 0), (half, size)], "black", 4)
    draw.line([(0, half), (size, half)], "black", 4)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR", help="folder for museum.png (default: out)")
    directory = parser.parse_args().output
    directory.mkdir(parents=True, exist_ok=True)
    museum().save(directory / "museum.png", optimize=True)
    print(directory / "museum.png")
    for device in DEVICES:
        for exhibit in EXHIBITS:
            message = refusal(device, exhibit)
            if message is not None:
                print(f"{exhibit}: {message}")


if __name__ == "__main__":
    main()
