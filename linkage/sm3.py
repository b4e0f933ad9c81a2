"""Shader model 3 names: 14 usages of 16 indices, their bytes, and their semantics.

A byte is usage x 16 + index, 0 to 223. The layout of the proposal's lost patch is unknown; this one agrees with every number in its text.
Bytes from 224 on carry the semantics without a name in shader model 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from types import MappingProxyType

from tgsi.language.facts.semantics import Semantic
from tgsi.language.record import record

__all__ = [
    "BACK",
    "INDICES",
    "MARKS",
    "NO_BYTE",
    "OWN",
    "PLAIN",
    "USAGES",
    "WITH_BACK",
    "Scheme",
    "Usage",
    "UsageName",
    "nine",
    "nine_usage",
    "scheme",
]


class UsageName(IntEnum):
    """The 14 usages."""

    POSITION = 0
    BLENDWEIGHT = 1
    BLENDINDICES = 2
    NORMAL = 3
    PSIZE = 4
    TEXCOORD = 5
    TANGENT = 6
    BINORMAL = 7
    TESSFACTOR = 8
    POSITIONT = 9
    COLOR = 10
    FOG = 11
    DEPTH = 12
    SAMPLE = 13


INDICES = 16
USAGES = len(UsageName) * INDICES
"""Number of names: 224."""

NO_BYTE = 255
"""The byte for "no semantic"."""


@record
class Usage:
    """One shader model 3 name, as TEXCOORD5."""

    name: UsageName
    index: int = 0

    def __str__(self) -> str:
        return f"{self.name.name}{self.index}"

    @property
    def byte(self) -> int:
        """The name as a byte, 0 to 223."""
        return self.name << 4 | self.index

    @classmethod
    def of_byte(cls, byte: int) -> Usage:
        """The name of a byte. ValueError for bytes without a name."""
        if not 0 <= byte < USAGES:
            raise ValueError(f"byte: a shader model 3 name is 0 to {USAGES - 1}, not {byte}")
        return cls(UsageName(byte >> 4), byte & 15)


OWN: Mapping[Semantic, Usage] = MappingProxyType(
    {
        Semantic("POSITION"): Usage(UsageName.POSITION),
        Semantic("PSIZE"): Usage(UsageName.PSIZE),
        Semantic("COLOR", 0): Usage(UsageName.COLOR, 0),
        Semantic("COLOR", 1): Usage(UsageName.COLOR, 1),
        Semantic("FOG"): Usage(UsageName.FOG),
    }
)
"""The five names that GENERIC does not use."""

BACK: Mapping[Semantic, Usage] = MappingProxyType({Semantic("BCOLOR", i): Usage(UsageName.COLOR, 2 + i) for i in range(2)})
"""Names of back colors, as in the svga driver."""

MARKS: tuple[Semantic, ...] = (
    *(Semantic(name) for name in ("FACE", "EDGEFLAG", "PRIM_ID", "CLIPVERTEX", "LAYER", "VIEWPORT_INDEX", "PCOORD")),
    *(Semantic("CLIPDIST", i) for i in range(2)),
    *(Semantic("TEXCOORD", i) for i in range(8)),
)
"""Semantics between the last vertex stage and the fragment stage without a name: bytes 224, 225, ..."""


@record
class Scheme:
    """A bijection between semantics and bytes. Both maps are total over the semantics that are legal under the limit set `sm3`."""

    name: str
    to_byte: Mapping[Semantic, int]
    to_semantic: Mapping[int, Semantic]
    generics: int

    def byte(self, semantic: Semantic) -> int:
        """The byte of a semantic. ValueError for an illegal semantic."""
        byte = self.to_byte.get(semantic)
        if byte is None:
            raise ValueError(f"semantic: {semantic} has no byte in the scheme {self.name}; GENERIC is 0 to {self.generics - 1}")
        return byte

    def semantic(self, byte: int) -> Semantic:
        """The semantic of a byte. ValueError for a byte without a semantic."""
        semantic = self.to_semantic.get(byte)
        if semantic is None:
            raise ValueError(f"byte: {byte} has no semantic in the scheme {self.name}")
        return semantic

    def name_of(self, semantic: Semantic) -> Usage | None:
        """The shader model 3 name of a semantic, or None."""
        byte = self.to_byte.get(semantic, NO_BYTE)
        return Usage.of_byte(byte) if byte < USAGES else None

    def free_names(self, used: Iterable[Semantic]) -> list[Usage]:
        """GENERIC's names, without the names of the given semantics, in reverse order."""
        taken = {self.to_byte.get(semantic, NO_BYTE) for semantic in used}
        names = [self.to_byte[Semantic("GENERIC", index)] for index in reversed(range(self.generics))]
        return [Usage.of_byte(name) for name in names if name not in taken]

    def usage(self, semantic: Semantic) -> Usage:
        """The shader model 3 name of a semantic. ValueError if it has none."""
        return Usage.of_byte(self.byte(semantic))


def _generic_order() -> list[int]:
    """Bytes that GENERIC 0, 1, ... take: TEXCOORD first, so that 0 to 15 keep their number; the names of back colors last."""
    named = {usage.byte for usage in (*OWN.values(), *BACK.values())}
    texture = [Usage(UsageName.TEXCOORD, i).byte for i in range(INDICES)]
    others = [byte for byte in range(USAGES) if byte not in named and byte not in texture]
    return [*texture, *others, *(usage.byte for usage in BACK.values())]


def _scheme(name: str, has_back: bool) -> Scheme:
    order = _generic_order()
    if has_back:
        order = order[: -len(BACK)]
    table = {semantic: usage.byte for semantic, usage in {**OWN, **(BACK if has_back else {})}.items()}
    table |= {Semantic("GENERIC", i): byte for i, byte in enumerate(order)}
    table |= {semantic: USAGES + i for i, semantic in enumerate(MARKS)}
    return Scheme(name, MappingProxyType(table), MappingProxyType({byte: semantic for semantic, byte in table.items()}), len(order))


PLAIN = _scheme("sm3", False)
"""Without back colors: 219 GENERIC indices."""

WITH_BACK = _scheme("sm3 with BCOLOR", True)
"""With back colors: 217 GENERIC indices, the same bytes for each of them as without."""


def scheme(*, has_back: bool = False) -> Scheme:
    """The scheme of programs with or without BCOLOR."""
    return WITH_BACK if has_back else PLAIN


# Usage -> GENERIC index of its first index, and that first index. Each further index adds ten.
_NINE = {
    UsageName.POSITION: (16, 1),
    UsageName.COLOR: (17, 2),
    UsageName.BLENDWEIGHT: (18, 0),
    UsageName.BLENDINDICES: (19, 0),
    UsageName.NORMAL: (20, 0),
    UsageName.TANGENT: (21, 0),
    UsageName.BINORMAL: (22, 0),
    UsageName.TESSFACTOR: (23, 0),
}
_NINE_SAME = {UsageName.POSITIONT: UsageName.POSITION, UsageName.DEPTH: UsageName.POSITION}


def nine(usage: Usage, *, texcoord: bool = False) -> Semantic:
    """The semantic that the Direct3D 9 state tracker uses for a name; POSITIONT and DEPTH become POSITION.

    Args:
        usage: the name.
        texcoord: True if the device has TEXCOORD semantics; the first eight texture coordinates then use them.

    Raises:
        ValueError: SAMPLE, and PSIZE or FOG above 0, which the state tracker refuses.
    """
    name, index = _NINE_SAME.get(usage.name, usage.name), usage.index
    if name is UsageName.TEXCOORD:
        return Semantic("TEXCOORD" if texcoord and index < 8 else "GENERIC", index)
    base = _NINE.get(name)
    if base is not None and index >= base[1]:
        return Semantic("GENERIC", base[0] + 10 * (index - base[1]))
    for semantic, own in OWN.items():
        if own == Usage(name, index):
            return semantic
    raise ValueError(f"usage: the Direct3D 9 state tracker refuses {usage}")


def nine_usage(semantic: Semantic, *, texcoord: bool = False) -> Usage:
    """The inverse of `nine`; of several names for one semantic, the first. ValueError for a semantic that no name gives."""
    for byte in range(USAGES):
        usage = Usage.of_byte(byte)
        if not _is_refused(usage) and nine(usage, texcoord=texcoord) == semantic:
            return usage
    raise ValueError(f"semantic: no shader model 3 name gives {semantic}")


def _is_refused(usage: Usage) -> bool:
    return usage.name is UsageName.SAMPLE or (usage.name in (UsageName.PSIZE, UsageName.FOG) and usage.index > 0)


def __dir__() -> list[str]:
    """The public names."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
