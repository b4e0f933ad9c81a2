"""Linkage schemes by device: each is data and one strategy.

What the schemes do comes from reference/linkage.md; where that does not give the position of bits in a chip's register, the
words are packed as the profile's own text says.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from linkage.device import Profile
from linkage.profiles import i915, i965, nv50, nvfx, r300, r600, software, svga

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            software.PROFILE,
            nvfx.NV30,
            nvfx.NV40,
            nv50.PROFILE,
            r300.R300,
            r300.R500,
            r600.PROFILE,
            svga.VGPU9,
            svga.VGPU10,
            i915.PROFILE,
            i965.PROFILE,
        )
    }
)
"""Every profile that `link` knows, by name."""
