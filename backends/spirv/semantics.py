"""Semantics as locations and built-in variables: each fact once, for inputs and outputs of all stages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.facts.semantics import Semantic

FIRST, RESERVED = 32, 16
"""First location reserved for semantics other than GENERIC, and the number of these."""

LOCATIONS: Mapping[str, int] = MappingProxyType({"TEXCOORD": 32, "COLOR": 40, "BCOLOR": 42, "FOG": 44, "NORMAL": 45})
"""First location of semantics other than GENERIC, whose index is the location, plus `RESERVED` from `FIRST` on."""

LOCATION_LIMIT = 1 << 12
"""Locations that the reader takes."""

SCALARS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "PSIZE": ("PointSize", "float"),
        "LAYER": ("Layer", "int"),
        "VIEWPORT_INDEX": ("ViewportIndex", "int"),
        "PRIM_ID": ("PrimitiveId", "int"),
    }
)
"""Semantics with one scalar, in x, in stages before the rasterizer: built-in variable and type."""

CAPABILITIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ClipDistance": ("ClipDistance",),
        "CullDistance": ("CullDistance",),
        "SampleId": ("SampleRateShading",),
        "SamplePosition": ("SampleRateShading",),
        "BaseVertex": ("DrawParameters",),
        "BaseInstance": ("DrawParameters",),
        "DrawIndex": ("DrawParameters",),
        "SubgroupSize": ("GroupNonUniform",),
        "SubgroupLocalInvocationId": ("GroupNonUniform",),
        "SubgroupEqMask": ("GroupNonUniformBallot",),
        "SubgroupGeMask": ("GroupNonUniformBallot",),
        "SubgroupGtMask": ("GroupNonUniformBallot",),
        "SubgroupLeMask": ("GroupNonUniformBallot",),
        "SubgroupLtMask": ("GroupNonUniformBallot",),
    }
)
"""Capabilities that built-in variables require in every stage."""


def location(semantic: Semantic) -> int | None:
    """The location of a value that passes from stage to stage; None for a semantic with a dedicated built-in variable."""
    if semantic.name == "GENERIC":
        return semantic.index + (RESERVED if semantic.index >= FIRST else 0)
    first = LOCATIONS.get(semantic.name)
    return None if first is None else first + semantic.index
