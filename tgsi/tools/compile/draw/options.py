"""Options of ``--draw``. Loaded with every command, so it imports nothing of the pictures."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

from tgsi.tools.compile.errors import UsageError

CLIPS = ("gl", "d3d", "vulkan")
CULLS = ("none", "back", "front")
SAMPLES = (1, 2, 4, 8, 16)
LARGEST = 8192
MOST_SAMPLES = 1 << 26
"""Samples of a picture at most, which need half a gigabyte of color and depth."""
_DEFAULTS: dict[str, Any] = {
    "mesh": None,
    "attribute": [],
    "texture": [],
    "uniform": [],
    "size": None,
    "samples": None,
    "background": None,
    "wireframe": False,
    "cull": None,
    "clip": None,
    "show": None,
    "time": None,
}
"""Options and the values by which they are not given."""


def add_draw_options(parser: argparse.ArgumentParser, actions: Any) -> None:
    """Declare --draw among the actions, and the options that go with it."""
    actions.add_argument("--draw", metavar="PICTURE", help="draw with the shaders: .png, or any format that Pillow writes; docs/draw.md")
    group = parser.add_argument_group("with --draw")
    group.add_argument("--mesh", metavar="MESH", help="triangle, quad, cube, sphere, torus, or a file: .obj, .gltf, .glb")
    group.add_argument(
        "--attribute",
        metavar="INPUT=ATTRIBUTE",
        action="append",
        default=[],
        help="feed an input with position, normal, texcoord, color, tangent or zero",
    )
    group.add_argument(
        "--texture",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="picture of a sampler, by name or unit (default: a checkerboard)",
    )
    group.add_argument(
        "--uniform",
        metavar="NAME=NUMBERS",
        action="append",
        default=[],
        help="value of a uniform, as tint=1,0,0; of TGSI by number, as CONST[4]=1,0,0,1",
    )
    group.add_argument("--size", metavar="WxH", help="pixels (default: 512x512)")
    group.add_argument("--samples", type=int, choices=SAMPLES, help="samples of a pixel (default: 1)")
    group.add_argument("--background", metavar="R,G,B", help="color from 0 to 1, or as #14171f (default: 0.08,0.09,0.12)")
    group.add_argument("--wireframe", action="store_true", help="draw outlines alone")
    group.add_argument("--cull", choices=CULLS, help="side of triangles that is culled (default: none)")
    group.add_argument("--clip", choices=CLIPS, help="clip space of the shaders (default: gl; d3d for HLSL, vulkan for SPIR-V)")
    group.add_argument("--show", metavar="OUTPUT", help="output that a vertex shader alone shows as a color")
    group.add_argument("--time", type=float, metavar="SECONDS", help="value of uniforms such as time and iTime (default: 0)")


def refuse_draw_options(options: argparse.Namespace) -> None:
    """Raise UsageError for an option of --draw that is given without --draw."""
    for name, usual in _DEFAULTS.items():
        if getattr(options, name) != usual:
            raise UsageError(f"--{name} goes with --draw PICTURE")


def read_size(text: str | None) -> tuple[int, int]:
    """Width and height of ``--size 640x480``."""
    if text is None:
        return 512, 512
    match = re.fullmatch(r"\s*(\d{1,6})\s*[xX,]\s*(\d{1,6})\s*|\s*(\d{1,6})\s*", text)
    if match is None:
        raise UsageError(f"--size {text[:40]}: expected WIDTHxHEIGHT, as 640x480")
    width, height = int(match[1] or match[3]), int(match[2] or match[3])
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise UsageError(f"--size {text[:40]}: sides have 1 to {LARGEST} pixels")
    return width, height


def read_color(text: str | None) -> tuple[float, float, float, float]:
    """The color of ``--background 0.1,0.2,0.3`` or ``#1a334d``."""
    if text is None:
        return 0.08, 0.09, 0.12, 1.0
    if match := re.fullmatch(r"#([0-9a-fA-F]{6})", text.strip()):
        red, green, blue = (int(match[1][k : k + 2], 16) / 255 for k in (0, 2, 4))
        return red, green, blue, 1.0
    try:
        numbers: Sequence[float] = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) == 1:
        numbers = [*numbers] * 3
    if len(numbers) not in (3, 4) or not all(0 <= item <= 1 for item in numbers):
        raise UsageError(f"--background {text[:40]}: expected three numbers from 0 to 1, as 0.2,0.3,0.4, or #334d66")
    return numbers[0], numbers[1], numbers[2], 1.0
