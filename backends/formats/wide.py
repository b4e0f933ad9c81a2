"""Formats of 64-bit floats, which vertex elements alone have: shaders read them as 32-bit floats."""

from __future__ import annotations

from enum import Enum

from backends.formats.format import Format
from backends.formats.layout import Channel, ChannelType
from tgsi.language._forks import cached_property


class WideFormat(Enum):
    """A format of one to four 64-bit floats, under its Gallium name; its value is the number of channels."""

    R64_FLOAT = 1
    R64G64_FLOAT = 2
    R64G64B64_FLOAT = 3
    R64G64B64A64_FLOAT = 4

    def __str__(self) -> str:
        return self.name

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """Channels in the order of memory."""
        return tuple(Channel(letter, ChannelType.FLOAT, 64, 64 * k) for k, letter in enumerate("RGBA"[: self.value]))

    @property
    def block_bytes(self) -> int:
        """Bytes of an element."""
        return 8 * int(self.value)


WIDE: dict[str, WideFormat] = dict(WideFormat.__members__)
"""All formats of 64-bit floats by name, without prefix."""

VertexFormat = Format | WideFormat
