"""Numbers of object kinds as constants, taken from the table of names."""

from __future__ import annotations

from tgsi.tools.vtest.protocol.numbers import OBJECT_NAMES

BLEND = OBJECT_NAMES.index("BLEND")
RASTERIZER = OBJECT_NAMES.index("RASTERIZER")
DSA = OBJECT_NAMES.index("DSA")
SHADER = OBJECT_NAMES.index("SHADER")
VERTEX_ELEMENTS = OBJECT_NAMES.index("VERTEX_ELEMENTS")
SAMPLER_VIEW = OBJECT_NAMES.index("SAMPLER_VIEW")
SAMPLER_STATE = OBJECT_NAMES.index("SAMPLER_STATE")
SURFACE = OBJECT_NAMES.index("SURFACE")
QUERY = OBJECT_NAMES.index("QUERY")
STREAMOUT_TARGET = OBJECT_NAMES.index("STREAMOUT_TARGET")
MSAA_SURFACE = OBJECT_NAMES.index("MSAA_SURFACE")
