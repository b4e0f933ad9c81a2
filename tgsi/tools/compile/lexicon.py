"""Names of TGSI and of this package for ``--explain``, with their facts. Each fact comes from the table that the compiler uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Facts = dict[str, Any]


class Entry(NamedTuple):
    """One name: its kind, as "opcode"; its spelling; a sentence; and facts by their names."""

    kind: str
    name: str
    text: str
    facts: Facts


def _codes() -> Iterator[Entry]:
    from tgsi.language.codes import EXPLANATIONS

    for code, item in EXPLANATIONS.items():
        yield Entry("code", code, item.text, {"title": item.title})


def _opcodes() -> Iterator[Entry]:
    from tgsi.language.facts.opcodes import OPCODES
    from tgsi.language.facts.traits import Trait
    from tgsi.language.text.removed import REMOVED

    for item in OPCODES.values():
        if Trait.GAP in item.traits:
            continue
        facts: Facts = {"number": item.number, "writes": ", ".join(item.dst_types) or "no register"}
        letters = "abefg"
        for letter, kind, reads in zip(letters, item.src_types, item.reads):
            facts[letter] = f"{kind}, {_channels(reads)}"
        facts["mode"] = item.mode.value
        if item.flow is not None:
            facts["flow"] = item.flow.value
        if item.traits:
            facts["traits"] = "; ".join(f"{trait} ({trait.meaning})" for trait in sorted(item.traits))
        yield Entry("opcode", item.name, item.formula, facts)
    for name, hint in REMOVED.items():
        yield Entry("removed opcode", name, f"{hint[0].upper()}{hint[1:]}.", {})


def _channels(reads: Any) -> str:
    from tgsi.language.facts.enums import CHANNELS
    from tgsi.language.facts.traits import Reads

    if isinstance(reads, Reads):
        return reads.meaning
    return f"its {''.join(letter for bit, letter in enumerate(CHANNELS) if reads >> bit & 1)}" if reads else "none of its channels"


def _semantics() -> Iterator[Entry]:
    from tgsi.language.facts.semantics import SEMANTICS

    for item in SEMANTICS.values():
        yield Entry("semantic", item.name, item.meaning, {"number": item.number, "stages": item.stages, "indices": _indices(item.indices)})


def _indices(number: int | None) -> str:
    return "as many as the profile allows" if number is None else f"{number:,}"


def _properties() -> Iterator[Entry]:
    from tgsi.language.facts.properties import PROPERTIES

    for item in PROPERTIES.values():
        yield Entry("property", item.name, item.meaning, {"number": item.number, "values": ", ".join(item.words or {}) or "a number"})


def _files() -> Iterator[Entry]:
    from tgsi.language.facts.files import FILES

    for item, text in FILES.items():
        yield Entry("register file", item.name, text, {"number": int(item)})


def _stages() -> Iterator[Entry]:
    from tgsi.language.facts.stages import STAGES

    for item in STAGES.values():
        words = {
            "is run by": "draws" if item.is_drawn else "grids",
            "may feed the rasterizer": item.feeds_rasterizer,
            "files with a row for each vertex": ", ".join(sorted(file.name for file in item.vertex_rows)) or "none",
            "runs in groups that BARRIER holds together": item.has_groups,
            "names in Gallium": f"{item.call}, as in bind_{item.call}_state" if item.is_drawn else f"{item.call}",
        }
        yield Entry(
            "stage", item.processor.name, f"Programs that begin with {item.processor.name}.", {"number": int(item.processor), **words}
        )


def _targets() -> Iterator[Entry]:
    from tgsi.language.facts.enums import TARGETS

    for item in TARGETS.values():
        facts = {"number": item.number, "coordinates": item.coords, "reference value": item.shadow or "none"}
        yield Entry("texture target", item.name, "The last coordinate is a layer." if item.layered else "", facts)


def _numbered(kind: str, name: str) -> Callable[[], Iterator[Entry]]:
    def entries() -> Iterator[Entry]:
        from tgsi.language.facts import enums

        for item in getattr(enums, name):
            yield Entry(kind, item.name, "", {"number": int(item)})

    return entries


def _formats() -> Iterator[Entry]:
    from tgsi.language.facts.formats import FORMAT_NUMBERS

    for name, number in FORMAT_NUMBERS.items():
        yield Entry("format of images", name, "", {"number": number})


def _passes() -> Iterator[Entry]:
    from passes.registry import DEFAULT, PASSES, find

    for name in PASSES:
        item = find(name)
        facts: Facts = {"option " + key: f"{_written(value)} by default" for key, value in item.options().items()}
        if name in DEFAULT.replace("{", ",").split(","):
            facts["in the default pipeline"] = True
        yield Entry("pass", name, item.summary(), facts)


def _profiles() -> Iterator[Entry]:
    from linkage.profiles import PROFILES

    for name, item in PROFILES.items():
        limits = item.semantic_limits
        facts = {
            "semantic limits": f"{limits.name}: {limits.reason}" if limits.reason else limits.name,
            "indices of GENERIC": f"{limits.generic:,}" if limits.generic is not None else "no limit",
            "whole varyings": item.interpolators,
            "geometry shaders": item.has_geometry,
            "tessellation": item.has_tessellation,
            "face as an input": item.has_face,
            "branches in fragment programs": item.has_fragment_flow,
        }
        yield Entry("profile", name, f"{item.title}; `--link {name}`, `--check --profile {name}`.", facts)


def _caps() -> Iterator[Entry]:
    from backends.gallium.screen.caps import CAPFS, CAPS

    for prefix, table in (("PIPE_CAP_", CAPS), ("PIPE_CAPF_", CAPFS)):
        for name, value in table.items():
            yield Entry("capability", f"{prefix}{name}", "docs/caps.md has the reason.", {"answer of our renderer": value})


def _written(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


KINDS: Mapping[str, Callable[[], Iterator[Entry]]] = {
    "codes": _codes,
    "opcodes": _opcodes,
    "semantics": _semantics,
    "properties": _properties,
    "files": _files,
    "stages": _stages,
    "targets": _targets,
    "interpolations": _numbered("interpolation", "Interpolation"),
    "locations": _numbered("place of interpolation", "Location"),
    "primitives": _numbered("primitive", "Primitive"),
    "formats": _formats,
    "passes": _passes,
    "profiles": _profiles,
    "caps": _caps,
}
"""Lists by the word that ``--explain`` takes for each, the light ones first."""

_PREFIXES = (
    "TGSI_OPCODE_",
    "TGSI_SEMANTIC_",
    "TGSI_PROPERTY_",
    "TGSI_FILE_",
    "TGSI_TEXTURE_",
    "TGSI_PROCESSOR_",
    "PIPE_FORMAT_",
    "PIPE_CAP_",
    "PIPE_CAPF_",
)


def lookup(word: str) -> list[Entry]:
    """Entries of a name in any case, with or without the prefix of Mesa's headers, the index of a semantic, or ``_SAT``."""
    wanted = _plain(word)
    names = {wanted, wanted.removesuffix("_SAT")}
    entries = [entry for kind, make in KINDS.items() if kind != "caps" for entry in make() if _plain(entry.name) in names]
    return entries or [entry for entry in KINDS["caps"]() if _plain(entry.name) in names]  # loads numpy


def _plain(word: str) -> str:
    name = word.strip().upper().partition("[")[0].partition("{")[0]
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def names() -> Iterable[str]:
    """Every name, for suggestions; of capabilities without their prefix."""
    return dict.fromkeys(_plain(entry.name) if kind == "caps" else entry.name for kind, make in KINDS.items() for entry in make())
