"""CULLDIST, which Mesa had from 2014 to 2016: today the outputs CLIPDIST carry the clip distances and, after them, the cull distances."""

from __future__ import annotations

from dataclasses import replace

from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration, Property
from tgsi.language.messages import Mistake

NAME = "CULLDIST"
_CARRIER = "CLIPDIST"
_CLIP, _CULL = "NUM_CLIPDIST_ENABLED", "NUM_CULLDIST_ENABLED"


class CullDistances:
    """The declarations of cull distances of one text."""

    def __init__(self) -> None:
        self._found: list[Declaration] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def __contains__(self, item: Declaration) -> bool:
        return any(item is other for other in self._found)

    def add(self, item: Declaration, stage: Processor) -> None:
        """Remember a declaration of cull distances.

        Raises:
            Mistake: it is not an output. The register of an input depends on the number of clip distances of the other program.
        """
        if item.file is not File.OUT or stage is Processor.FRAG:
            raise Mistake("P007", "only outputs are read as CULLDIST", NAME, "read the channels of CLIPDIST after the clip distances")
        self._found.append(item)

    def placed(self, declarations: list[Declaration], properties: list[Property]) -> tuple[list[Declaration], list[Property]]:
        """Declarations with their final semantic, and the properties with the numbers of distances.

        Raises:
            Mistake: the clip distances end inside of a register, so the cull distances would begin in its other channels.
        """
        stated = {item.name: item.value for item in properties}
        own = [item for item in declarations if item.semantic is not None and item.semantic.name == _CARRIER and item not in self]
        clips = stated.get(_CLIP, _count(own))
        if clips % 4:
            hint = f"move the cull distances to the channels after them, and set {_CULL}"
            raise Mistake("P007", f"the {clips} clip distances before CULLDIST do not fill their registers", NAME, hint)
        moved = [replace(item, semantic=_after(item, clips // 4)) if item in self else item for item in declarations]
        made = [Property(name, value) for name, value in ((_CLIP, clips), (_CULL, _count(self._found))) if name not in stated]
        return moved, [*properties, *made]


def _after(item: Declaration, registers: int) -> Semantic:
    return Semantic(_CARRIER, (item.semantic.index if item.semantic is not None else 0) + registers)


def _count(items: list[Declaration]) -> int:
    """Number of distances: up to the last channel of the last register."""
    ends = [
        4 * (item.semantic.index + item.last - item.first) + item.usage_mask.bit_length() for item in items if item.semantic is not None
    ]
    return max(ends, default=0)
