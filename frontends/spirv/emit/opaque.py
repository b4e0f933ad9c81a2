"""Textures, samplers and images inside of structs. Each member has its own units, one for every element of the arrays around it."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from frontends.spirv.emit.places import Mixed, Unit, is_opaque
from frontends.spirv.module.types import Array, Struct, Type, elements
from tgsi.language.record import record


@record(kw_only=True)
class Leaf:
    """A member of a struct that is a texture, sampler or image, or an array of them.

    `path` has the numbers of the members that lead to it, `sizes` those of the arrays around it, the outermost first. `first` counts the
    units of the leaves before it.
    """

    path: tuple[int, ...]
    kind: Type
    sizes: tuple[int, ...]
    first: int

    @property
    def size(self) -> int:
        """Units of all elements."""
        return prod(self.sizes) * elements(self.kind)


def leaves(kind: Type) -> list[Leaf]:
    """The textures, samplers and images inside of the structs of a type; none if the type is itself a texture."""
    if is_opaque(kind):
        return []
    members: list[Leaf] = []
    first = 0
    for path, inner, sizes in _walk(kind, (), ()):
        leaf = Leaf(path=path, kind=inner, sizes=sizes, first=first)
        members.append(leaf)
        first += leaf.size
    return members


def _walk(kind: Type, path: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Type, tuple[int, ...]]]:
    if is_opaque(kind):
        yield path, kind, sizes
    elif isinstance(kind, Array):
        yield from _walk(kind.element, path, (*sizes, kind.size))
    elif isinstance(kind, Struct):
        for number, member in enumerate(kind.members):
            yield from _walk(member, (*path, number), sizes)


def units(kind: Type) -> int:
    """Units that the textures, samplers and images inside of the structs of a type take."""
    return sum(leaf.size for leaf in leaves(kind))


def unit(place: Mixed, kind: Type) -> Unit:
    """The units of the member that a place refers to."""
    leaf = next(leaf for leaf in leaves(place.whole) if leaf.path == place.path)
    first = number = place.unit + leaf.first
    terms = []
    step = elements(kind)
    for size, index in zip(reversed(leaf.sizes), reversed(place.indices), strict=True):
        if isinstance(index, int):
            number += index * step
        else:
            terms.append((index, step))
        step *= size
    return Unit(kind=kind, variable=place.variable, number=number, size=leaf.size, terms=tuple(terms), first=first)
