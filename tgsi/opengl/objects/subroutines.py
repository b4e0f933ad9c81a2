"""Subroutines of a linked stage: functions with their numbers, and the uniforms that select one. (OpenGL 4.6 core, 7.10)"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tgsi.opengl.objects.glsl_types import elements_of

if TYPE_CHECKING:
    from tgsi.language.interface import Interface, Variable

MAX_LOCATIONS = 1024
"""Locations of the subroutine uniforms of a stage: MAX_SUBROUTINE_UNIFORM_LOCATIONS."""


class Subroutine(NamedTuple):
    """A function that a subroutine uniform may select."""

    name: str
    number: int


@dataclass
class SubroutineUniform:
    """A uniform that selects a function, with its place in the stage's constants. An array has a location for each element."""

    name: str
    location: int
    size: int
    compatible: Sequence[int]
    variable: Variable

    @property
    def is_array(self) -> bool:
        """True if the name ends with [0]."""
        return self.name.endswith("[0]")


@dataclass
class StageSubroutines:
    """The subroutines of a stage, in the order of their numbers, and its subroutine uniforms, in the order of their locations."""

    functions: list[Subroutine] = field(default_factory=list)
    uniforms: list[SubroutineUniform] = field(default_factory=list)

    @property
    def locations(self) -> int:
        """Number of locations, including unused ones."""
        return max((item.location + item.size for item in self.uniforms), default=0)

    @property
    def numbers(self) -> int:
        """One more than the largest function number."""
        return max((item.number + 1 for item in self.functions), default=0)

    def elements(self) -> Iterator[tuple[int, SubroutineUniform, int]]:
        """Each used location with its uniform and element."""
        for item in self.uniforms:
            for element in range(item.size):
                yield item.location + element, item, element

    def initial(self) -> list[int]:
        """The initial function numbers by location: the first compatible function."""
        numbers = [0] * self.locations
        for location, item, _ in self.elements():
            numbers[location] = item.compatible[0]
        return numbers

    def put(self, constants: bytearray, chosen: Sequence[int]) -> None:
        """Write the selected numbers, by location, to the constants of the stage."""
        for location, item, element in self.elements():
            stride = item.variable.strides[0] if item.variable.strides else 0
            struct.pack_into("=I", constants, item.variable.offset + element * stride, chosen[location])


def subroutines_of(face: Interface) -> StageSubroutines:
    """The subroutines of a stage. Uniforms without a stated location get the lowest free ones.

    Raises:
        ValueError: two uniforms have the same location, or there are too many.
    """
    subroutines = StageSubroutines([Subroutine(*item) for item in sorted(face.subroutines.items(), key=lambda item: item[1])])
    members = face.uniforms.members if face.uniforms is not None else {}
    taken: set[int] = set()
    for item in sorted(face.subroutine_uniforms.values(), key=lambda item: item.location < 0):
        for name, part in elements_of(members[item.name]):
            size = part.sizes[0] if part.sizes else 1
            location = item.location
            if location < 0:
                location = next(at for at in range(MAX_LOCATIONS + 1) if taken.isdisjoint(range(at, at + size)))
            span = set(range(location, location + size))
            if taken & span or location + size > MAX_LOCATIONS:
                raise ValueError(f"subroutine uniform {name} has no free location at {location}; there are {MAX_LOCATIONS}")
            taken |= span
            subroutines.uniforms.append(SubroutineUniform(name, location, size, item.compatible, part))
    subroutines.uniforms.sort(key=lambda item: item.location)
    return subroutines
