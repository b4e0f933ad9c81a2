"""Linkage schemes by device: each is data and one strategy.

The schemes are those of Mesa's drivers (docs/linkage.md, "Profiles"; each module names its driver). If the position of bits in a chip's
register is unknown, the words are packed as described in the profile's docstring.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkage.device import Profile

_HOMES = {
    "software": ("software", "PROFILE"),
    "nv30": ("nvfx", "NV30"),
    "nv40": ("nvfx", "NV40"),
    "nv50": ("nv50", "PROFILE"),
    "r300": ("r300", "R300"),
    "r500": ("r300", "R500"),
    "r600": ("r600", "PROFILE"),
    "svga": ("svga", "VGPU9"),
    "svga10": ("svga", "VGPU10"),
    "i915": ("i915", "PROFILE"),
    "i965": ("i965", "PROFILE"),
}


class _Profiles(Mapping[str, "Profile"]):
    """Profiles by name, each loaded on first use."""

    def __init__(self) -> None:
        self._loaded: dict[str, Profile] = {}

    def __getitem__(self, name: str) -> Profile:
        profile = self._loaded.get(name)
        if profile is None:
            module, attribute = _HOMES[name]
            profile = self._loaded[name] = getattr(import_module(f"{__name__}.{module}"), attribute)
        return profile

    def __contains__(self, name: object) -> bool:
        return name in _HOMES

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


PROFILES: Mapping[str, Profile] = _Profiles()
"""Every profile of `link`, by name."""
