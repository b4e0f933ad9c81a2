"""Pixel formats: one member of `Format` each; layout facts are read from the name, code is derived from the facts."""

from backends.formats.format import FORMATS, SWIZZLE_ONE, SWIZZLE_ZERO, Channel, ChannelType, Format, find_format

__all__ = ["FORMATS", "SWIZZLE_ONE", "SWIZZLE_ZERO", "Channel", "ChannelType", "Format", "find_format"]
