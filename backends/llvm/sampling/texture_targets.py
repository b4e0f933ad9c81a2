"""Texture targets by name, including comparing targets that only SAMPLE_C can reach."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.facts.enums import TARGETS, TargetInfo

INFOS: Mapping[str, TargetInfo] = MappingProxyType(
    {
        **TARGETS,
        "SHADOW3D": TargetInfo("3D", TARGETS["3D"].number, 3, "w"),
        "SHADOWBUFFER": TargetInfo("BUFFER", TARGETS["BUFFER"].number, 1, "z"),
        "SHADOW2D_MSAA": TargetInfo("2D_MSAA", TARGETS["2D_MSAA"].number, 2, "z"),
        "SHADOW2D_ARRAY_MSAA": TargetInfo("2D_ARRAY_MSAA", TARGETS["2D_ARRAY_MSAA"].number, 3, "w", layered=True),
    }
)
"""Texture targets of TGSI, and SHADOW targets for which TGSI text has no name."""


def compared(name: str) -> str:
    """Name of the target that samples like `name` and compares."""
    return f"SHADOW{name.removeprefix('SHADOW')}"
