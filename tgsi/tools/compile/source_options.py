"""Options about shaders in other languages than TGSI."""

from __future__ import annotations

import argparse

STAGES = ("vert", "frag", "geom", "tesc", "tese", "comp", "mesh", "task")
LANGUAGES = ("tgsi", "glsl", "opengl", "vulkan", "hlsl")


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    group = parser.add_argument_group(
        "GLSL, HLSL and SPIR-V",
        "docs/glsl.md; GLSL and HLSL need the extra tgsi[glsl]",
    )
    group.add_argument("--stage", choices=STAGES, help="stage of the shaders (default: by the ending of the file's name, or the text)")
    group.add_argument(
        "--language", choices=LANGUAGES, help="language of the shaders (default: the ending of the file's name, or the text)"
    )
    group.add_argument("-D", "--define", action="append", default=[], metavar="NAME[=TEXT]", help="define a macro; may be repeated")
    group.add_argument("-I", "--include", action="append", default=[], metavar="DIR", help="folder of #include; may be repeated")
    group.add_argument("--entry", metavar="NAME", help="entry point of HLSL or SPIR-V")
