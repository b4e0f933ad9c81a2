"""Layout of a format, parsed from its Gallium name, such as R5G6B5_UNORM.

Channels are named from the lowest bit of the little-endian block to the highest, each with its size. A type follows the channels to
which it applies.
"""

from __future__ import annotations

import re
from enum import Enum

from tgsi.language.record import record

SWIZZLE_ZERO, SWIZZLE_ONE = 4, 5


class ChannelType(Enum):
    """The kind of number in the bits of a channel."""

    VOID = "void"  # padding
    UNORM = "unorm"  # [0, 1]
    SNORM = "snorm"  # [-1, 1], two's complement
    USCALED = "uscaled"  # the integer as a float
    SSCALED = "sscaled"
    UINT = "uint"  # an integer that stays one
    SINT = "sint"
    FLOAT = "float"  # 32, 16 bits; 11 and 10 without a sign; 9 with a shared exponent
    FIXED = "fixed"  # signed 16.16


@record
class Channel:
    """One channel of a block. `letter` is one of R G B A L I Z S X E; `size` and `shift` count bits from the block's start."""

    letter: str
    type: ChannelType
    size: int
    shift: int


_RUN = re.compile(r"(?:[RGBALIZSXE]\d+)+")
_PART = re.compile(r"([RGBALIZSXE])(\d+)")


def parse_channels(name: str) -> tuple[Channel, ...]:
    """The channels that a format name spells, from the lowest bit up. ValueError if the name is not that of a plain format."""
    parts: list[tuple[str, ChannelType, int]] = []
    waiting: list[tuple[str, int]] = []
    for word in name.split("_"):
        if _RUN.fullmatch(word):
            waiting += [(letter, int(size)) for letter, size in _PART.findall(word)]
            continue
        try:
            kind = ChannelType.UNORM if word == "SRGB" else ChannelType(word.lower())
        except ValueError:
            raise ValueError(f"{name}: {word} is not a channel type") from None
        parts += [(letter, ChannelType.VOID if letter == "X" else kind, size) for letter, size in waiting]
        waiting = []
    if waiting or not parts:
        raise ValueError(f"{name} is not a plain format")
    channels: list[Channel] = []
    shift = 0
    for letter, kind, size in parts:
        channels.append(Channel(letter, kind, size, shift))
        shift += size
    return tuple(channels)


def read_swizzle(channels: tuple[Channel, ...]) -> tuple[int, int, int, int]:
    """The channel index that each of R, G, B, A reads, or SWIZZLE_ZERO, SWIZZLE_ONE.

    Luminance fills R, G, B. Intensity fills all four, and so does depth (as in Mesa's softpipe). Stencil alone is R.
    """
    at = {c.letter: i for i, c in enumerate(channels) if c.letter not in "XE"}
    for letter in "IZ":
        if letter in at:
            return (at[letter],) * 4
    if "S" in at:
        return (at["S"], SWIZZLE_ZERO, SWIZZLE_ZERO, SWIZZLE_ONE)
    alpha = at.get("A", SWIZZLE_ONE)
    if "L" in at:
        return (at["L"], at["L"], at["L"], alpha)
    return (at.get("R", SWIZZLE_ZERO), at.get("G", SWIZZLE_ZERO), at.get("B", SWIZZLE_ZERO), alpha)
