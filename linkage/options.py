"""State that a link depends on in addition to the two programs: a bound linkage, and rasterizer state that devices fold into their
tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from tgsi.language.facts.semantics import SEMANTICS, Semantic
from tgsi.language.record import record


@record
class LinkState:
    """A non-identity linkage: the output semantic that feeds a fragment input. Inputs without an entry are fed by their own semantic.

    Semantics may be given as text: ``LinkState({"GENERIC[0]": "TEXCOORD[2]"})``; TypeError and ValueError name the wrong one. An output may
    feed two inputs. This is the constant state object that the proposal of 2010 leaves as an open issue.
    """

    mapping: Mapping[Semantic, Semantic] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        if self.mapping:
            table = {read_semantic(to, "mapping"): read_semantic(source, "mapping") for to, source in self.mapping.items()}
            object.__setattr__(self, "mapping", MappingProxyType(table))

    def __hash__(self) -> int:
        return hash(frozenset(self.mapping.items()))

    @property
    def text(self) -> str:
        """The mapping as one line, the same for equal states."""
        return ", ".join(f"{to} from {source}" for to, source in sorted(self.mapping.items()))

    def source(self, semantic: Semantic) -> Semantic:
        """The output semantic that feeds an input semantic."""
        return self.mapping.get(semantic, semantic)


IDENTITY = LinkState()
"""Every input is fed by its own semantic."""


def read_semantic(value: Semantic | str, argument: str) -> Semantic:
    """A semantic from its text, as ``GENERIC[3]`` or ``FOG``; a Semantic is returned unchanged. TypeError and ValueError name the
    argument."""
    if isinstance(value, Semantic):
        return value
    if not isinstance(value, str):
        raise TypeError(f"{argument}: expected a Semantic or its text, not {type(value).__name__}")
    name, _, rest = value.strip().partition("[")
    number = rest.removesuffix("]") if rest.endswith("]") else ""
    if name.upper() not in SEMANTICS or (rest and not (number.isascii() and number.isdigit() and len(number) < 10)):
        raise ValueError(f"{argument}: {value!r} is not a semantic; GENERIC[3] and FOG are")
    return Semantic(name.upper(), int(number or 0))


def link_state(mapping: Mapping[Semantic | str, Semantic | str] | None, argument: str) -> LinkState:
    """A LinkState from semantics or their texts. TypeError and ValueError name the argument."""
    if not mapping:
        return IDENTITY
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{argument}: expected a mapping of semantics, not {type(mapping).__name__}")
    table = {read_semantic(to, argument): read_semantic(source, argument) for to, source in mapping.items()}
    return LinkState(MappingProxyType(table))


@record
class LinkOptions:
    """Rasterizer state that devices fold into their link tables, and the choice of r600 ids.

    `ids`: "auto" uses automatic ids unless two clash, "automatic" refuses clashes, "configured" numbers varyings from 1.
    """

    sprite_coord_enable: int = 0
    sprite_lower_left: bool = False
    light_twoside: bool = False
    flatshade: bool = False
    ids: str = "auto"

    def __post_init__(self) -> None:
        if self.ids not in ("auto", "automatic", "configured"):
            raise ValueError(f"ids: expected auto, automatic or configured, not {self.ids!r}")


DEFAULT = LinkOptions()
"""No point sprites, one-sided light, smooth shading."""
