"""Gallium's pixel formats. All facts about a format follow from its name; see `layout`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import TypeVar

from backends.formats.layout import SWIZZLE_ONE, SWIZZLE_ZERO, Channel, ChannelType, parse_channels, read_swizzle
from tgsi.language._forks import cached_property

__all__ = ["FORMATS", "SWIZZLE_ONE", "SWIZZLE_ZERO", "Channel", "ChannelType", "Format", "find_format", "named"]

F = TypeVar("F")


class Format(Enum):
    """A pixel format under its Gallium name; its value is that name. Its name is parsed when a property is first read."""

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[str]) -> str:
        return name

    def __str__(self) -> str:
        return self.name

    @classmethod
    def _missing_(cls, value: object) -> Format | None:
        return FORMATS.get(value.removeprefix("PIPE_FORMAT_")) if isinstance(value, str) else None

    # Arrays of equal channels: for vertex elements, textures and targets.
    R8_UNORM = auto()
    R8G8_UNORM = auto()
    R8G8B8_UNORM = auto()
    R8G8B8A8_UNORM = auto()
    R8_SNORM = auto()
    R8G8_SNORM = auto()
    R8G8B8_SNORM = auto()
    R8G8B8A8_SNORM = auto()
    R8_USCALED = auto()
    R8G8_USCALED = auto()
    R8G8B8_USCALED = auto()
    R8G8B8A8_USCALED = auto()
    R8_SSCALED = auto()
    R8G8_SSCALED = auto()
    R8G8B8_SSCALED = auto()
    R8G8B8A8_SSCALED = auto()
    R8_UINT = auto()
    R8G8_UINT = auto()
    R8G8B8_UINT = auto()
    R8G8B8A8_UINT = auto()
    R8_SINT = auto()
    R8G8_SINT = auto()
    R8G8B8_SINT = auto()
    R8G8B8A8_SINT = auto()
    R16_UNORM = auto()
    R16G16_UNORM = auto()
    R16G16B16_UNORM = auto()
    R16G16B16A16_UNORM = auto()
    R16_SNORM = auto()
    R16G16_SNORM = auto()
    R16G16B16_SNORM = auto()
    R16G16B16A16_SNORM = auto()
    R16_USCALED = auto()
    R16G16_USCALED = auto()
    R16G16B16_USCALED = auto()
    R16G16B16A16_USCALED = auto()
    R16_SSCALED = auto()
    R16G16_SSCALED = auto()
    R16G16B16_SSCALED = auto()
    R16G16B16A16_SSCALED = auto()
    R16_UINT = auto()
    R16G16_UINT = auto()
    R16G16B16_UINT = auto()
    R16G16B16A16_UINT = auto()
    R16_SINT = auto()
    R16G16_SINT = auto()
    R16G16B16_SINT = auto()
    R16G16B16A16_SINT = auto()
    R16_FLOAT = auto()
    R16G16_FLOAT = auto()
    R16G16B16_FLOAT = auto()
    R16G16B16A16_FLOAT = auto()
    R32_UNORM = auto()
    R32G32_UNORM = auto()
    R32G32B32_UNORM = auto()
    R32G32B32A32_UNORM = auto()
    R32_SNORM = auto()
    R32G32_SNORM = auto()
    R32G32B32_SNORM = auto()
    R32G32B32A32_SNORM = auto()
    R32_USCALED = auto()
    R32G32_USCALED = auto()
    R32G32B32_USCALED = auto()
    R32G32B32A32_USCALED = auto()
    R32_SSCALED = auto()
    R32G32_SSCALED = auto()
    R32G32B32_SSCALED = auto()
    R32G32B32A32_SSCALED = auto()
    R32_UINT = auto()
    R32G32_UINT = auto()
    R32G32B32_UINT = auto()
    R32G32B32A32_UINT = auto()
    R32_SINT = auto()
    R32G32_SINT = auto()
    R32G32B32_SINT = auto()
    R32G32B32A32_SINT = auto()
    R32_FLOAT = auto()
    R32G32_FLOAT = auto()
    R32G32B32_FLOAT = auto()
    R32G32B32A32_FLOAT = auto()
    R32_FIXED = auto()
    R32G32_FIXED = auto()
    R32G32B32_FIXED = auto()
    R32G32B32A32_FIXED = auto()

    # Other orders, padding instead of alpha, sRGB.
    B8G8R8A8_UNORM = auto()
    B8G8R8A8_SRGB = auto()
    A8R8G8B8_UNORM = auto()
    A8R8G8B8_SRGB = auto()
    A8B8G8R8_UNORM = auto()
    A8B8G8R8_SRGB = auto()
    B8G8R8X8_UNORM = auto()
    B8G8R8X8_SRGB = auto()
    X8R8G8B8_UNORM = auto()
    X8R8G8B8_SRGB = auto()
    X8B8G8R8_UNORM = auto()
    X8B8G8R8_SRGB = auto()
    R8G8B8X8_UNORM = auto()
    R8G8B8X8_SRGB = auto()
    B8G8R8A8_SNORM = auto()
    B8G8R8A8_USCALED = auto()
    B8G8R8A8_SSCALED = auto()
    B8G8R8A8_UINT = auto()
    B8G8R8A8_SINT = auto()
    R8G8B8X8_SNORM = auto()
    R8G8B8X8_UINT = auto()
    R8G8B8X8_SINT = auto()
    B8G8R8_UNORM = auto()
    B8G8R8_SRGB = auto()
    A8B8G8R8_SNORM = auto()
    X8B8G8R8_SNORM = auto()
    G8R8_UNORM = auto()
    G8R8_SNORM = auto()
    G16R16_UNORM = auto()
    G16R16_SNORM = auto()
    R16G16B16X16_UNORM = auto()
    R16G16B16X16_SNORM = auto()
    R16G16B16X16_UINT = auto()
    R16G16B16X16_SINT = auto()
    R16G16B16X16_FLOAT = auto()
    R32G32B32X32_UINT = auto()
    R32G32B32X32_SINT = auto()
    R32G32B32X32_FLOAT = auto()
    R8_SRGB = auto()
    R8G8_SRGB = auto()
    R8G8B8_SRGB = auto()
    R8G8B8A8_SRGB = auto()

    # Packed into one word.
    B5G6R5_UNORM = auto()
    R5G6B5_UNORM = auto()
    B5G5R5A1_UNORM = auto()
    B5G5R5X1_UNORM = auto()
    A1B5G5R5_UNORM = auto()
    R5G5B5A1_UNORM = auto()
    B4G4R4A4_UNORM = auto()
    B4G4R4X4_UNORM = auto()
    A4B4G4R4_UNORM = auto()
    R4G4B4A4_UNORM = auto()
    B2G3R3_UNORM = auto()
    R3G3B2_UNORM = auto()
    R10G10B10A2_UNORM = auto()
    R10G10B10A2_SNORM = auto()
    R10G10B10A2_USCALED = auto()
    R10G10B10A2_SSCALED = auto()
    R10G10B10A2_UINT = auto()
    R10G10B10A2_SINT = auto()
    B10G10R10A2_UNORM = auto()
    B10G10R10A2_SNORM = auto()
    B10G10R10A2_USCALED = auto()
    B10G10R10A2_SSCALED = auto()
    B10G10R10A2_UINT = auto()
    B10G10R10A2_SINT = auto()
    R10G10B10X2_UNORM = auto()
    R10G10B10X2_SNORM = auto()
    R10G10B10X2_USCALED = auto()
    B10G10R10X2_UNORM = auto()
    R11G11B10_FLOAT = auto()
    R9G9B9E5_FLOAT = auto()

    # Alpha, luminance, intensity.
    A8_UNORM = auto()
    A8_SNORM = auto()
    A16_UNORM = auto()
    A16_SNORM = auto()
    A16_FLOAT = auto()
    A32_FLOAT = auto()
    A8_UINT = auto()
    A8_SINT = auto()
    A16_UINT = auto()
    A16_SINT = auto()
    A32_UINT = auto()
    A32_SINT = auto()
    L8_UNORM = auto()
    L8_SNORM = auto()
    L16_UNORM = auto()
    L16_SNORM = auto()
    L16_FLOAT = auto()
    L32_FLOAT = auto()
    L8_UINT = auto()
    L8_SINT = auto()
    L16_UINT = auto()
    L16_SINT = auto()
    L32_UINT = auto()
    L32_SINT = auto()
    I8_UNORM = auto()
    I8_SNORM = auto()
    I16_UNORM = auto()
    I16_SNORM = auto()
    I16_FLOAT = auto()
    I32_FLOAT = auto()
    I8_UINT = auto()
    I8_SINT = auto()
    I16_UINT = auto()
    I16_SINT = auto()
    I32_UINT = auto()
    I32_SINT = auto()
    L8A8_UNORM = auto()
    L16A16_UNORM = auto()
    L8A8_SNORM = auto()
    L16A16_SNORM = auto()
    L8A8_UINT = auto()
    L16A16_UINT = auto()
    L8A8_SINT = auto()
    L16A16_SINT = auto()
    L16A16_FLOAT = auto()
    L32A32_FLOAT = auto()
    L32A32_UINT = auto()
    L32A32_SINT = auto()
    L4A4_UNORM = auto()
    A8L8_UNORM = auto()
    A8L8_SNORM = auto()
    A16L16_UNORM = auto()
    L8_SRGB = auto()
    L8A8_SRGB = auto()
    A8L8_SRGB = auto()
    R8A8_UNORM = auto()
    R8A8_SNORM = auto()
    R8A8_UINT = auto()
    R8A8_SINT = auto()
    R16A16_UNORM = auto()
    R16A16_SNORM = auto()
    R16A16_UINT = auto()
    R16A16_SINT = auto()
    R16A16_FLOAT = auto()
    R32A32_UINT = auto()
    R32A32_SINT = auto()
    R32A32_FLOAT = auto()

    # Depth and stencil; X24S8, S8X24 and X32_S8X24 are the views of the stencil part.
    Z16_UNORM = auto()
    Z24X8_UNORM = auto()
    X8Z24_UNORM = auto()
    Z24_UNORM_S8_UINT = auto()
    S8_UINT_Z24_UNORM = auto()
    Z32_UNORM = auto()
    Z32_FLOAT = auto()
    Z32_FLOAT_S8X24_UINT = auto()
    S8_UINT = auto()
    X24S8_UINT = auto()
    S8X24_UINT = auto()
    X32_S8X24_UINT = auto()

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """Channels from the lowest bit of the little-endian block up."""
        return parse_channels(self.name)

    @property
    def block_width(self) -> int:
        """1: a pixel is a block of its own."""
        return 1

    @property
    def block_height(self) -> int:
        """1: a pixel is a block of its own."""
        return 1

    @cached_property
    def block_bits(self) -> int:
        """Bits of a pixel."""
        return sum(c.size for c in self.channels)

    @cached_property
    def swizzle(self) -> tuple[int, int, int, int]:
        """For each of R, G, B and A the index of its channel, or SWIZZLE_ZERO, SWIZZLE_ONE."""
        return read_swizzle(self.channels)

    @cached_property
    def depth(self) -> Channel | None:
        """The depth channel, if there is one."""
        return next((c for c in self.channels if c.letter == "Z"), None)

    @cached_property
    def stencil(self) -> Channel | None:
        """The stencil channel, if there is one."""
        return next((c for c in self.channels if c.letter == "S"), None)

    @cached_property
    def colorspace(self) -> str:
        """One of "rgb", "srgb" (alpha stays linear) or "zs"."""
        return "zs" if self.depth or self.stencil else "srgb" if self.name.endswith("_SRGB") else "rgb"

    @property
    def block_words(self) -> int:
        """Number of 32-bit words that hold a pixel; the last one may be used in part."""
        return (self.block_bits + 31) // 32

    @property
    def block_bytes(self) -> int:
        """Bytes of a pixel."""
        return self.block_bits // 8

    @property
    def is_srgb(self) -> bool:
        """True if R, G, B are stored with the sRGB curve."""
        return self.colorspace == "srgb"

    @property
    def is_depth_stencil(self) -> bool:
        """True for formats with depth, stencil or both."""
        return self.colorspace == "zs"

    @property
    def has_depth(self) -> bool:
        """True if there is a depth channel."""
        return self.depth is not None

    @property
    def has_stencil(self) -> bool:
        """True if there is a stencil channel."""
        return self.stencil is not None

    @property
    def is_shared_exponent(self) -> bool:
        """True for R9G9B9E5."""
        return self.channels[-1].letter == "E"

    @cached_property
    def kind(self) -> str:
        """The type that shaders see: "float", "uint" or "sint" (depth formats "float", stencil alone "uint")."""
        types = {c.type for c in self.channels if c.type is not ChannelType.VOID}
        if self.depth is not None:
            return "float"
        if ChannelType.UINT in types:
            return "uint"
        return "sint" if ChannelType.SINT in types else "float"

    @cached_property
    def is_integer(self) -> bool:
        """True if channels stay integers (UINT, SINT)."""
        return self.kind != "float"

    @property
    def is_array(self) -> bool:
        """True if all channels have the same size, a whole number of bytes, so that they can be read as an array."""
        size = self.channels[0].size
        return size in (8, 16, 32) and all(c.size == size for c in self.channels)

    @property
    def is_plain_unorm8(self) -> bool:
        """True if all channels are 8-bit UNORM (or padding), without the sRGB curve."""
        types = {c.type for c in self.channels}
        return self.colorspace == "rgb" and self.is_array and self.channels[0].size == 8 and types <= {ChannelType.UNORM, ChannelType.VOID}

    def channel_of(self, component: int) -> Channel | None:
        """The channel that component 0..3 (R, G, B, A) reads; None for a constant 0 or 1."""
        index = self.swizzle[component]
        return self.channels[index] if index < len(self.channels) else None


FORMATS: dict[str, Format] = dict(Format.__members__)
"""All formats by name, without prefix."""


def find_format(name: str | Format) -> Format:
    """The format named `name`, with or without PIPE_FORMAT_. ValueError, with the nearest name, for an unknown one."""
    return name if isinstance(name, Format) else named(name, FORMATS)


def named(name: str, formats: Mapping[str, F]) -> F:
    """The member of `formats` with this name, with or without PIPE_FORMAT_. ValueError, with Gallium's name, for an unknown one."""
    short = name.removeprefix("PIPE_FORMAT_")
    if short not in formats:
        from backends.formats.foreign_formats import format_hint  # loaded only for a message

        raise ValueError(f"{name!r} is not a known format{format_hint(name, formats)}")
    return formats[short]
