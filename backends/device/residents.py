"""Resident textures and images of a context, which shaders reach by bindless handles (ARB_bindless_texture)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING

from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.device.memory import BoundImage, BoundSampler, BoundView, Range


@record
class ResidentTexture:
    """A sampler view and its sampler; None if the handle serves texel fetches only."""

    view: BoundView
    sampler: BoundSampler | None


@record(frozen=False)
class Residents:
    """Resident textures and images of a context, by slot."""

    textures: dict[int, ResidentTexture] = field(default_factory=dict)
    images: dict[int, BoundImage] = field(default_factory=dict)

    def texture_ranges(self) -> Iterator[Range]:
        """Return the memory that samples may read."""
        return ((t.view.record.base or 0, t.view.record.size) for t in self.textures.values())

    def image_ranges(self) -> Iterator[Range]:
        """Return the memory that programs may read and write."""
        return ((i.record.base or 0, i.record.size) for i in self.images.values())
