"""Texture targets by name, with the comparisons that only SAMPLE_C can ask for."""

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
"""Every target, and SHADOW ones that text cannot name."""


def compared(name: str) -> str:
    """The target that samples `name` and compares."""
    return f"SHADOW{name.removeprefix('SHADOW')}"
