"""Pixel formats: one member of `Format` each; layout facts are read from the name, code is derived from the facts.

`format` has the members and parses their names into channels; a new format is one line there. `layout` says how blocks of texels lie in
bytes. `arrays` packs and unpacks pixels with numpy, once a transfer: it is the definition that generated code
(backends/llvm/library/packing.py) is compared with. `compressed` has the formats of blocks, a row each, and `blocks` decodes them; `wide`
has the 64-bit formats of vertex elements.

May import: tgsi.language, passes and linkage only. Next: backends/llvm/library/pixels.py and backends/raster/tile/blend.py, which load
and store pixels in generated code.
"""

from backends.formats.compressed import COMPRESSED, AnyFormat, CompressedFormat, find_any_format
from backends.formats.format import FORMATS, SWIZZLE_ONE, SWIZZLE_ZERO, Channel, ChannelType, Format, find_format
from backends.formats.wide import WIDE, VertexFormat, WideFormat

__all__ = [
    "COMPRESSED",
    "FORMATS",
    "SWIZZLE_ONE",
    "SWIZZLE_ZERO",
    "WIDE",
    "AnyFormat",
    "Channel",
    "ChannelType",
    "CompressedFormat",
    "Format",
    "VertexFormat",
    "WideFormat",
    "find_any_format",
    "find_format",
]
