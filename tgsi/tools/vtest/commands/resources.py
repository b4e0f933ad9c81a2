"""Creation of a client's resources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from backends.formats import AnyFormat, CompressedFormat, Format, VertexFormat
from backends.gallium.resource.format_support import supported_binds
from backends.gallium.resource.layout import Template
from backends.pipe.enums import Bind, TextureTarget
from tgsi.tools.vtest.protocol.errors import CommandError, in_range
from tgsi.tools.vtest.protocol.holdings import Holding
from tgsi.tools.vtest.protocol.numbers import BIND_CUSTOM, BINDS, FORMATS, WIDE_FORMATS

if TYPE_CHECKING:
    from backends.gallium.resource.resource import Resource
    from tgsi.gallium import Screen

SMALL = 256
"""Largest size in bytes of a buffer that is created on first use, and charged to the account only then."""


def format_of(number: int, name: str) -> AnyFormat:
    """Format of a protocol number, plain or compressed. Raises CommandError for an unsupported format."""
    format = FORMATS.get(number)
    if format is None:
        raise CommandError(name, f"{number} is not a supported format")
    return format


def vertex_format_of(number: int, name: str) -> VertexFormat:
    """Format of a vertex element of a protocol number: 64-bit floats, or single pixels. Raises CommandError for another one."""
    return WIDE_FORMATS.get(number) or plain_format_of(number, name)


def plain_format_of(number: int, name: str) -> Format:
    """Format of single pixels of a protocol number. Raises CommandError for an unsupported or compressed one."""
    format = format_of(number, name)
    if isinstance(format, CompressedFormat):
        raise CommandError(name, f"{format} is compressed")
    return format


def create_resource(screen: Screen, words: Sequence[int], note: Callable[[Resource], None]) -> Holding:
    """Create a resource from target, format, bind, width, height, depth, array_size, last_level and nr_samples.

    `note` receives the resource: at once, or on first use for small buffers, which represent fences and queries. SAMPLER_VIEW and
    SHADER_IMAGE are added to the requested binds if format and target allow them, because the protocol lacks bits for some uses.
    """
    number, format_number, bind, width, height, depth, array_size, last_level, nr_samples = words
    target = TextureTarget(in_range(number, "target", 0, len(TextureTarget) - 1))
    if target is TextureTarget.BUFFER:

        def make() -> Resource:
            buffer = screen.resource_create(target=target, format=Format.R8_UNORM, width0=width)
            note(buffer)
            return buffer

        return Holding(bind, make if bind == BIND_CUSTOM and 0 < width <= SMALL else make())
    format = format_of(format_number, "format")
    possible = supported_binds(format, target)
    wanted = Bind.SAMPLER_VIEW | Bind.SHADER_IMAGE
    for bit, ours in BINDS.items():
        if bind >> bit & 1:
            wanted |= ours
    template = Template(
        target=target,
        format=format,
        width0=width,
        height0=height,
        depth0=depth,
        array_size=array_size,
        last_level=last_level,
        nr_samples=nr_samples,
        bind=wanted & possible,
    )
    resource = screen.resource_create(template)
    note(resource)
    return Holding(bind, resource)
