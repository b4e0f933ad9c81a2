"""Tables of handles: the bound units of a stage first, then the residents of its context, and the kind of each entry.

Handle h is entry h - 1 of a table: MAX_VIEWS units of the stage (MAX_IMAGES for images), then a slot for each resident. A kind is the part
of an entry that changes code (format, target, swizzle, filters). A shader is compiled for the kinds of the table, and the draw passes the
number of each entry's kind, so one more texture of a known kind needs no new code.
"""

from __future__ import annotations

import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from backends.abi.keys import ImageKey, SamplerKey, TextureKey, sampler_key
from backends.device.residents import ResidentTexture
from backends.pipe.limits import MAX_SAMPLER_VIEWS
from backends.run.textures import MAX_UNITS

if TYPE_CHECKING:
    from backends.device.bound import StageState
    from backends.device.memory import BoundImage

_Kind = TypeVar("_Kind")


def numbers_of(kinds: Sequence[_Kind | None]) -> tuple[tuple[_Kind, ...], array.array[int]]:
    """The different kinds, sorted by their `repr`, and the number of each entry's kind; -1 for an empty entry."""
    distinct = tuple(sorted({kind for kind in kinds if kind is not None}, key=repr))
    place = {kind: number for number, kind in enumerate(distinct)}
    return distinct, array.array("i", [-1 if kind is None else place[kind] for kind in kinds])


TextureKind = tuple[TextureKey, SamplerKey | None]


def textures_of(bindings: StageState) -> list[ResidentTexture | None]:
    """The table of textures of a stage."""
    views, samplers = bindings.views, bindings.samplers
    textures: list[ResidentTexture | None] = []
    for unit in range(MAX_SAMPLER_VIEWS):
        view = views[unit] if unit < len(views) else None
        sampler = samplers[unit] if unit < len(samplers) else None
        textures.append(None if view is None else ResidentTexture(view, sampler))
    residents = bindings.residents.textures
    return textures + [residents.get(slot) for slot in range(max(residents, default=-1) + 1)]


def images_of(bindings: StageState) -> list[BoundImage | None]:
    """The table of images of a stage."""
    residents = bindings.residents.images
    return [*bindings.images.items, *(residents.get(slot) for slot in range(max(residents, default=-1) + 1))]


def texture_kinds(table: Sequence[ResidentTexture | None]) -> tuple[tuple[TextureKind, ...], array.array[int]]:
    """Return the kinds of a table of textures, and the number of each entry's kind."""
    return numbers_of([None if t is None else _kind(t) for t in table])


def image_kinds(table: Sequence[BoundImage | None]) -> tuple[tuple[ImageKey, ...], array.array[int]]:
    """Return the kinds of a table of images, and the number of each entry's kind."""
    return numbers_of([None if image is None else image.key for image in table])


def _kind(texture: ResidentTexture) -> TextureKind:
    view, sampler = texture.view.key, texture.sampler
    return view, None if sampler is None else sampler_key(sampler.key, view)


KindKeys = tuple[tuple[TextureKey | None, ...], tuple[SamplerKey | None, ...], tuple[tuple[int, ImageKey], ...]]


def kind_keys(bindings: StageState) -> KindKeys:
    """Return the keys of the units that represent kinds, from unit MAX_UNITS on: of views, of samplers, of images with their units."""
    kinds, _ = texture_kinds(textures_of(bindings))
    images, _ = image_kinds(images_of(bindings))
    return tuple(k for k, _ in kinds), tuple(s for _, s in kinds), tuple((MAX_UNITS + n, key) for n, key in enumerate(images))
