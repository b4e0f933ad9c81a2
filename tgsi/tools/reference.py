"""Generator of the reference documentation from the tables of facts.

``python -m tgsi.tools.reference [DIRECTORY]`` rewrites docs/reference and the types of the builder. A test compares the written files
with the tables, so that neither goes stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

from tgsi.language.builder.opcode_methods import available, signature
from tgsi.language.codes import EXPLANATIONS
from tgsi.language.facts.enums import (
    CHANNELS,
    QUALIFIERS,
    TARGETS,
    File,
    ImmediateType,
    Interpolation,
    Location,
    MemoryType,
    Primitive,
    Processor,
    ReturnType,
)
from tgsi.language.facts.files import FILES
from tgsi.language.facts.formats import FORMAT_NUMBERS
from tgsi.language.facts.limits import SOFTWARE
from tgsi.language.facts.numbers import FIELDS, free, owners
from tgsi.language.facts.opcodes import GAPS
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.facts.traits import Reads, Trait
from tgsi.language.text.removed import REMOVED

_HEAD = "<!-- Written by `python -m tgsi.tools.reference` from the tables of tgsi/. Edit the tables. -->"


def _cell(text: object) -> str:
    return str(text).replace("|", "\\|")


def _table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    names = list(columns)
    yield "| " + " | ".join(names) + " |"
    yield "|" + " --- |" * len(names)
    for row in rows:
        yield "| " + " | ".join(_cell(value) for value in row) + " |"
    yield ""


def _channels(reads: int | Reads) -> str:
    """The channels that a source is read in, as they follow its type: letters, or the rule in parentheses."""
    if isinstance(reads, Reads):
        return f" ({reads})"
    return "." + "".join(letter for bit, letter in enumerate(CHANNELS) if reads >> bit & 1) if reads else " (none)"


def _opcodes() -> Iterator[str]:
    yield from (
        "# Opcodes",
        "",
        "`d` is the destination, `a b e f g` are the sources; `.c` is any written channel, `.*` are all channels, with equal values.",
        "",
    )
    yield "Each source has its type and the channels that the opcode reads, before the swizzle: letters, or a rule."
    yield ""
    yield from _table(("Rule", "Channels"), ((f"`{rule}`", rule.meaning) for rule in Reads))
    yield from _table(("Trait", "Meaning"), ((f"`{trait}`", trait.meaning) for trait in Trait))
    rows = (
        (
            f"`{item.name}`",
            item.number,
            ", ".join(item.dst_types) or "-",
            ", ".join(kind + _channels(reads) for kind, reads in zip(item.src_types, item.reads)) or "-",
            item.mode.value,
            ", ".join([f"flow: {item.flow}"] * (item.flow is not None) + sorted(item.traits)) or "-",
            f"`{item.formula}`",
        )
        for item in available()
    )
    yield from _table(("Opcode", "Number", "Writes", "Reads", "Mode", "Traits", "Meaning"), rows)
    yield "Numbers without an opcode in Mesa 18.1, read as `UNK<number>`: " + ", ".join(map(str, GAPS)) + "."
    yield from ("", "## Removed opcodes", "", "The legacy dialect reads them; the other dialects name the replacement.", "")
    yield from _table(("Opcode", "Today"), ((f"`{name}`", hint) for name, hint in sorted(REMOVED.items())))


def _semantics() -> Iterator[str]:
    yield from ("# Semantics", "", "The meaning of a register: the only contract between stages.", "")
    rows = ((f"`{item.name}`", item.number, item.indices or "limit set", item.stages, item.meaning) for item in SEMANTICS.values())
    yield from _table(("Semantic", "Number", "Indices", "Stages", "Meaning"), rows)
    yield from ("## Interpolation", "")
    yield from _table(("Mode", "Number"), ((f"`{item.name}`", int(item)) for item in Interpolation))
    yield from _table(("Location", "Number"), ((f"`{item.name}`", int(item)) for item in Location))


def _properties() -> Iterator[str]:
    yield from ("# Properties", "")
    rows = (
        (f"`{item.name}`", item.number, ", ".join(f"`{word}`" for word in item.words or {}) or "a number", item.meaning)
        for item in PROPERTIES.values()
    )
    yield from _table(("Property", "Number", "Values in text", "Meaning"), rows)


def _files() -> Iterator[str]:
    yield from ("# Stages, register files, limits", "", "## Stages", "")
    yield from _table(("Stage", "Number"), ((f"`{item.name}`", int(item)) for item in Processor))
    yield from ("## Register files", "")
    yield from _table(("File", "Number", "Holds"), ((f"`{item.name}`", int(item), FILES[item]) for item in File))
    kinds = (("Immediate types", ImmediateType), ("Return types of views", ReturnType), ("Memory", MemoryType), ("Primitives", Primitive))
    for title, kind in kinds:
        yield from (f"## {title}", "")
        yield from _table(("Name", "Number"), ((f"`{item.name}`", int(item)) for item in kind))
    yield from ("## Limits of the software renderer", "")
    yield from _table(("Limit", "Largest"), ((f"`{item.name}`", getattr(SOFTWARE, item.name)) for item in fields(SOFTWARE)))


def _numbers() -> Iterator[str]:
    yield from ("# Numbers", "", "Owners of the numbers that Mesa 18.1 leaves free in tokens. A number without an owner is free.", "")
    rows = ((field.name, number, owner) for field in FIELDS for number, owner in sorted(owners(field).items()))
    yield from _table(("Field", "Number", "Owner"), rows)
    yield from ("## Free numbers", "")
    yield from _table(("Field", "Free"), ((field.name, _ranges(free(field))) for field in FIELDS))


def _ranges(numbers: Iterable[int]) -> str:
    """Numbers in rising order as ``51 to 255``."""
    parts: list[tuple[int, int]] = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1] = parts[-1][0], number
        else:
            parts.append((number, number))
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in parts) or "none"


def _targets() -> Iterator[str]:
    yield from ("# Texture targets, memory words, formats", "", "## Texture targets", "")
    rows = ((f"`{item.name}`", item.number, item.coords, item.shadow or "-", "yes" if item.layered else "no") for item in TARGETS.values())
    yield from _table(("Target", "Number", "Coordinates", "Shadow reference", "Layered"), rows)
    yield from ("## Memory qualifiers", "")
    yield from _table(("Qualifier", "Bit"), ((f"`{name}`", bit) for name, bit in QUALIFIERS.items()))
    yield from ("## Formats of images", "")
    yield from _table(("Format", "Number"), ((f"`{name}`", number) for name, number in FORMAT_NUMBERS.items()))


def _diagnostics() -> Iterator[str]:
    yield from ("# Diagnostic codes", "", "Also: `tgsi-compile --explain CODE`.", "")
    for code, item in EXPLANATIONS.items():
        yield from (f"## {code}: {item.title}", "", item.text, "")


def _index() -> Iterator[str]:
    yield from ("# Reference", "")
    pages = (
        ("opcodes", f"{sum(1 for _ in available())} opcodes, and removed ones"),
        ("semantics", f"{len(SEMANTICS)} semantics, interpolation"),
        ("properties", f"{len(PROPERTIES)} properties"),
        ("files", "stages, register files, types, limits"),
        ("targets", "texture targets, memory qualifiers, formats"),
        ("numbers", "numbers of tokens that are left, and their owners"),
        ("diagnostics", f"{len(EXPLANATIONS)} diagnostic codes"),
    )
    yield from (f"* [{name}]({name}.md): {what}" for name, what in pages)
    yield "* [deviations](../deviations.md): deliberate differences from Mesa"
    yield ""


def _stub() -> Iterator[str]:
    yield "# Written by `python -m tgsi.tools.reference` from tgsi/language/facts/opcodes.py. Edit that."
    yield "# ruff: noqa"
    yield "# fmt: off"
    yield "from collections.abc import Iterator, Sequence"
    yield ""
    yield "from tgsi.language.ir import Instruction, MemoryAccess"
    yield "from tgsi.language.facts.opcodes import OpcodeInfo"
    yield "from tgsi.language.builder.registers import Operand, Register"
    yield ""
    yield "LETTERS: str"
    yield ""
    yield "def available() -> Iterator[OpcodeInfo]: ..."
    yield "def signature(info: OpcodeInfo) -> str: ..."
    yield ""
    yield "class OpcodeMethods:"
    yield from (f"    {signature(info)}" for info in available())


def pages() -> dict[str, str]:
    """Every generated file as (path below the project's root, text)."""
    documents = {
        "README": _index(),
        "opcodes": _opcodes(),
        "semantics": _semantics(),
        "properties": _properties(),
        "files": _files(),
        "targets": _targets(),
        "numbers": _numbers(),
        "diagnostics": _diagnostics(),
    }
    texts = {f"docs/reference/{name}.md": "\n".join([_HEAD, "", *lines]).rstrip() + "\n" for name, lines in documents.items()}
    return texts | {"tgsi/language/builder/opcode_methods.pyi": "\n".join(_stub()) + "\n"}


def main(arguments: list[str]) -> int:
    """Write every generated file below a directory: the project's root unless another one is given."""
    if any(word.startswith("-") for word in arguments) or len(arguments) > 1:
        print("usage: python -m tgsi.tools.reference [DIRECTORY]", file=sys.stderr)
        return 2
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    for name, text in pages().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
