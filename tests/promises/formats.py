"""Generator of docs/formats.md: the uses of every pixel format. ``python -m tests.promises.formats`` writes it; a test compares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from backends.formats import AnyFormat, CompressedFormat, Format
from backends.gallium.resource.format_support import supported_binds
from backends.pipe.enums import Bind, TextureTarget

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
HEAD = """# Formats

Every pixel format and its uses; `python -m tests.promises.formats` writes this page. A program asks
`screen.is_format_supported("R8G8B8A8_UNORM", sample_count=4, bind="RENDER_TARGET")`. For a format's name in OpenGL, Vulkan, Direct3D, Metal
or WebGPU, the error message has Gallium's name.

| Use | Meaning |
|---|---|
| sample | textures in shaders, of every target |
| render | color or depth and stencil targets, with 1, 2, 4, 8 or 16 samples |
| blend | color targets with blending |
| image | images that shaders load from and store to |
| vertex | elements of vertices, and texel buffers |
"""
USES = (
    ("sample", TextureTarget.TEXTURE_2D, Bind.SAMPLER_VIEW),
    ("render", TextureTarget.TEXTURE_2D, Bind.RENDER_TARGET | Bind.DEPTH_STENCIL),
    ("blend", TextureTarget.TEXTURE_2D, Bind.BLENDABLE),
    ("image", TextureTarget.TEXTURE_2D, Bind.SHADER_IMAGE),
    ("vertex", TextureTarget.BUFFER, Bind.VERTEX_BUFFER),
)


def _uses(format: AnyFormat) -> tuple[str, ...]:
    is_vertex = isinstance(format, Format) and not format.is_depth_stencil
    return tuple(name for name, target, bind in USES if supported_binds(format, target) & bind and (name != "vertex" or is_vertex))


def _kind(format: AnyFormat) -> str:
    if isinstance(format, CompressedFormat):
        return "Compressed blocks"
    if format.is_depth_stencil:
        return "Depth and stencil"
    if format.is_integer:
        return "Integers"
    return "Colors and vectors"


def page() -> str:
    """The text of the page: a table for each kind, with one row for each set of uses."""
    return HEAD + "".join(_tables())


def _tables() -> Iterator[str]:
    formats: list[AnyFormat] = [*Format, *CompressedFormat]
    for kind in dict.fromkeys(map(_kind, formats)):
        rows: dict[tuple[str, ...], list[str]] = {}
        for format in formats:
            if _kind(format) == kind and _uses(format):
                rows.setdefault(_uses(format), []).append(f"`{format.name}`")
        yield f"\n## {kind}\n\n| Uses | Formats |\n|---|---|\n"
        yield from (f"| {', '.join(uses)} | {' '.join(names)} |\n" for uses, names in rows.items())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
