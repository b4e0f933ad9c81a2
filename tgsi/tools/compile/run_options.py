"""Options of ``tgsi-compile --run`` and ``--emit nvk``. Imports neither, so that other actions begin fast."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import Any

from tgsi.tools.compile.errors import UsageError

NUMBERS = {
    "inputs": "(invocations, registers, 4); GEOM and TESS_*: (primitives, vertices, registers, 4)",
    "coefs": "FRAG, instead of --inputs: interpolation planes (registers, 3, 4)",
    "quad_pos": "FRAG: x, y, z, 1/w of whole quads, (4, invocations)",
    "sample_positions": "FRAG: (samples, 2) from 0 to 1",
    "coverage": "FRAG: bits of the covered samples, (invocations,)",
}
NUMBERED = {
    "constants": "(vec4s, 4) of constant buffer KEY",
    "buffers": "words or bytes of BUFFER KEY",
    "counters": "words of HWATOMIC buffer KEY",
    "framebuffer": "FRAG: (invocations, 4), the color KEY that FBFETCH reads",
}
NAMED = {
    "system_values": "(invocations,) or (invocations, 1 to 4) of a semantic, e.g. VERTEXID=[7]",
    "memory": "COMP: KEY is GLOBAL or INPUT",
}
BYTES = {"payload": "MESH: words or bytes that the task before it wrote as its payload"}
ENGINE = ("flatshade_color", "fuel", "engine", "trace")
TEXTURES = {"textures": "of unit KEY: a picture, FORMAT:DATA, or a JSON object", "images": "of unit KEY, likewise"}
DATA_HELP = """\
DATA is a .npy, .json or .bin file, or JSON text. Whole numbers are 32-bit words, numbers with a decimal point are floats; float:DATA
and int:DATA convert; zeros:BYTES is zeroed memory. Texels are (layers, height, width, 4) numbers, fewer axes for one layer, or
zeros:WxHxL. --coefs, --quad-pos, --sample-positions and TESSCOORD are floats in any case. Memory is printed as words and, in
parentheses, as numbers: integers if they are less than 2^23 away from 0, otherwise floats."""


def add_run_options(parser: argparse.ArgumentParser, actions: Any) -> None:
    """Declare the action --run and its options, which have the names of the arguments of `tgsi.run`."""
    actions.add_argument("--run", action="store_true", help="run a shader and print its results")
    group = parser.add_argument_group("with --run", DATA_HELP)
    for name, text in NUMBERS.items():
        group.add_argument(option_name(name), metavar="DATA", help=text)
    for name, text in BYTES.items():
        group.add_argument(option_name(name), metavar="DATA", help=text)
    for name, text in (NUMBERED | NAMED | TEXTURES).items():
        group.add_argument(option_name(name), metavar="KEY=DATA", action="append", default=[], help=text)
    group.add_argument(
        "--samplers",
        metavar="KEY=WORDS",
        action="append",
        default=[],
        help="e.g. 0=linear,mipmap,repeat or a JSON object (default: nearest,repeat)",
    )
    group.add_argument("--grid", metavar="XxYxZ", help="COMP, TASK, MESH: blocks (default: 1)")
    group.add_argument("--block", metavar="XxYxZ", help="COMP: threads per block, if the program does not fix them")
    group.add_argument("--shared-memory", metavar="BYTES", type=int, help="COMP: bytes of SHARED memory (default: 32768)")
    group.add_argument("--face", metavar="NUMBER", type=float, help="FRAG: above 0 for front faces (default: 1)")
    group.add_argument("--flatshade-color", action="store_true", help="FRAG: COLOR inputs are constant")
    group.add_argument(
        "--fuel", metavar="NUMBER", type=int, help="iterations of an invocation in a loop and the loops inside (default: 262144)"
    )
    group.add_argument("--engine", choices=("jit", "interp"), help="engine that runs the shader (default: jit; with --trace interp)")
    group.add_argument("--trace", action="store_true", help="list the executed instructions and the values that they wrote")


def option_name(name: str) -> str:
    """The option of an argument of `tgsi.run`."""
    return "--" + name.replace("_", "-")


def refuse_run_options(options: argparse.Namespace, allowed: Collection[str] = ()) -> None:
    """Raise UsageError for an option of --run that is given without --run, unless it is among `allowed`."""
    for name in (*NUMBERS, *BYTES, *NUMBERED, *NAMED, *TEXTURES, "samplers", "grid", "block", "shared_memory", "face", *ENGINE):
        if name not in allowed and getattr(options, name) not in (None, [], False):
            raise UsageError(f"{option_name(name)} goes with --run")


RESOURCES = ("constants", "buffers", "counters", "textures", "samplers", "images", "fuel")
"""Options of --run that --compare takes, too."""


def add_nvk_options(parser: argparse.ArgumentParser) -> None:
    """Declare ``--class`` and ``--compare``."""
    group = parser.add_argument_group("with --emit nvk", "The files are a mesh shader and, if there is one, the task shader before it.")
    group.add_argument("--class", dest="class_number", metavar="CLASS", help="3D class, e.g. c797 (default: c597)")
    group.add_argument(
        "--compare",
        action="store_true",
        help="run the shaders both directly and lowered, in both engines unless --engine names one; exit code 1 if the results differ. "
        f"--grid and {', '.join('--' + name for name in RESOURCES)} go with it",
    )


def nvk_options(options: argparse.Namespace) -> tuple[str, ...]:
    """Options of --run that are allowed here. Raises UsageError for options of --emit nvk without it."""
    if options.emit == "nvk":
        return ("grid", *RESOURCES, "engine") if options.compare else ("grid",)
    for given, name in ((options.class_number is not None, "--class"), (options.compare, "--compare")):
        if given:
            raise UsageError(f"{name} goes with --emit nvk")
    return ()
