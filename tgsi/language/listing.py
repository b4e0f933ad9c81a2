"""Programs as data and as a listing of facts: the output of ``tgsi-compile --emit json`` and ``--emit ir``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from tgsi.language.facts.enums import CHANNELS, QUALIFIERS, Location
from tgsi.language.facts.limits import MAX_INDENTED
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import (
    IDENTITY,
    XYZW,
    Declaration,
    DstOperand,
    Immediate,
    IndirectRef,
    Instruction,
    Property,
    RegisterRef,
    SrcOperand,
    statements,
)
from tgsi.language.literals import WRITERS
from tgsi.language.printer import print_declaration, print_destination, print_immediate, print_offset, print_source
from tgsi.language.program import Program
from tgsi.language.source import Span

JSON_NOTE = """\
IR as JSON, which is read again as input: {"stage", "properties": [{"name", "value"}],
 "declarations": [{"file", "first", "last", ...}], "immediates": [{"type", "words": [four raw words, hexadecimal], "values": [texts]}],
 "instructions": [{"opcode", "dst": [...], "src": [...], ...}], "order": [[kind, count], ...] if it is not this one}
Statements also have "line" and "column"; reading ignores these and "values". An operand is {"file", "index", ...} with "mask"
(destination) or "swizzle", "negate", "absolute" (source), "indirect": {"file", "index", "component"}, "dimension": {"index",
"indirect", "array"}, "array". What is absent has its default: no flag, number 0, mask and swizzle xyzw.
Two or more inputs give a JSON array."""


_KINDS: dict[type, str] = {Property: "properties", Declaration: "declarations", Immediate: "immediates", Instruction: "instructions"}


def program_as_json(program: Program) -> dict[str, Any]:
    """The program as plain data: objects, arrays, texts and numbers, as ``tgsi-compile --help`` describes. `program_from_json` reads them.

    They hold everything that equality compares, and the order of statements; not `notes` and `interface`.
    """
    made: dict[str, Any] = {
        "stage": program.processor.name,
        "properties": [{"name": item.name, "value": item.value, **_place(item.span)} for item in program.properties],
        "declarations": [_declaration(item) for item in program.declarations],
        "immediates": [_immediate(item) for item in program.immediates],
        "instructions": [_instruction(item) for item in program.instructions],
    }
    runs = [[kind, len(list(group))] for kind, group in groupby(statements(program), lambda item: _KINDS[type(item)])]
    if [kind for kind, _ in runs] != [kind for kind in _KINDS.values() if made[kind]]:
        made["order"] = runs
    return made


def _place(span: Span | None) -> dict[str, int]:
    return {"line": span.line, "column": span.column} if span is not None else {}


def _letters(mask: int) -> str:
    return "".join(channel for i, channel in enumerate(CHANNELS) if mask >> i & 1)


def _without_defaults(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value is not False and value != 0 and value != ()}


def _declaration(item: Declaration) -> dict[str, Any]:
    more: dict[str, Any] = {
        "semantic": {"name": item.semantic.name, "index": item.semantic.index} if item.semantic is not None else None,
        "interpolation": item.interpolation.name if item.interpolation is not None else None,
        "location": item.location.name if item.location is not Location.CENTER else None,
        "mask": _letters(item.usage_mask) if item.usage_mask != XYZW else None,
        "array": item.array_id,
        "invariant": item.invariant,
        "local": item.local,
        "streams": list(item.streams) if any(item.streams) else None,
        "per_primitive": item.per_primitive,
        "memory": item.memory.name if item.memory is not None else None,
        "atomic": item.atomic,
        "cylindrical_wrap": _letters(item.cylindrical_wrap) if item.cylindrical_wrap else None,
    }
    if item.image is not None:
        image = item.image
        more["image"] = {"target": image.target} | _without_defaults(
            {"format": image.format or None, "writable": image.writable, "raw": image.raw}
        )
    if item.view is not None:
        more["view"] = {"target": item.view.target, "types": [kind.name for kind in item.view.types]}
    made: dict[str, Any] = {"file": item.file.name, "first": item.first, "last": item.last}
    if item.dimension is not None:
        made["dimension"] = item.dimension
    return made | _without_defaults(more) | _place(item.span)


def _immediate(item: Immediate) -> dict[str, Any]:
    words = [f"{word:08x}" for word in item.words]
    return {"type": item.type.name, "words": words, "values": WRITERS[item.type](item.words), **_place(item.span)}


def _indirect(item: IndirectRef | None) -> dict[str, Any] | None:
    return {"file": item.file.name, "index": item.index, "component": CHANNELS[item.component]} if item is not None else None


def _register(item: RegisterRef) -> dict[str, Any]:
    made: dict[str, Any] = {"file": item.file.name, "index": item.index}
    if item.dimension is not None:
        outer = item.dimension
        made["dimension"] = {"index": outer.index} | _without_defaults({"indirect": _indirect(outer.indirect), "array": outer.array_id})
    return made | _without_defaults({"indirect": _indirect(item.indirect), "array": item.array_id})


def _destination(item: DstOperand) -> dict[str, Any]:
    return _register(item.register) | ({"mask": _letters(item.write_mask)} if item.write_mask != XYZW else {})


def _swizzle(order: tuple[int, ...]) -> str:
    return "".join(CHANNELS[channel] for channel in order)


def _source(item: SrcOperand) -> dict[str, Any]:
    more = {"swizzle": _swizzle(item.swizzle) if item.swizzle != IDENTITY else None, "negate": item.negate, "absolute": item.absolute}
    return _register(item.register) | _without_defaults(more)


def _instruction(item: Instruction) -> dict[str, Any]:
    made: dict[str, Any] = {"opcode": item.opcode.name}
    if item.dst:
        made["dst"] = [_destination(operand) for operand in item.dst]
    if item.src:
        made["src"] = [_source(operand) for operand in item.src]
    made |= _without_defaults({"saturate": item.saturate, "precise": item.precise, "texture": item.texture})
    if item.returns is not None:
        made["returns"] = item.returns.name
    if item.offsets:
        made["offsets"] = [_register(offset.register) | {"swizzle": _swizzle(offset.swizzle)} for offset in item.offsets]
    if item.memory is not None:
        names = [name for name, bit in QUALIFIERS.items() if item.memory.qualifiers & bit]
        made["memory"] = {"qualifiers": names, "target": item.memory.target, "format": item.memory.format}
    if item.label is not None:
        made["label"] = item.label
    return made | _place(item.span)


def list_program(program: Program) -> str:
    """A listing for people: the text, with raw words, opcode numbers and operand types next to it. Ends in a newline."""
    return "\n".join(_listed(program)) + "\n"


def _listed(program: Program) -> Iterator[str]:
    sizes = f"{len(program.declarations)} declarations, {len(program.immediates)} immediates, {len(program.instructions)} instructions"
    yield f"program {program.processor.name}: {len(program.properties)} properties, {sizes}"
    for item in program.properties:
        yield f"property     {item.name} = {_value(item)}"
    for declared in program.declarations:
        yield f"declaration  {print_declaration(declared, program.processor)[4:]}"
    for number, immediate in enumerate(program.immediates):
        words = " ".join(f"{word:08x}" for word in immediate.words)
        yield f"immediate    {print_immediate(immediate, number)}  words {words}"
    nesting = 0
    for number, instruction in enumerate(program.instructions):
        traits = instruction.opcode.traits
        nesting = max(0, nesting - (Trait.DEDENT in traits))
        yield f"instruction  {number:3d} {'  ' * min(nesting, MAX_INDENTED)}{_facts(instruction)}"
        nesting += Trait.INDENT in traits


def _value(item: Property) -> str:
    return str(item.value)


def _facts(item: Instruction) -> str:
    info = item.opcode
    parts = [info.name + ("_SAT" if item.saturate else "") + ("_PRECISE" if item.precise else "") + f" #{info.number}"]
    written = [f"{print_destination(operand)}:{kind}" for operand, kind in zip(item.dst, info.dst_types)]
    read = [f"{print_source(operand)}:{kind}" for operand, kind in zip(item.src, info.src_types)]
    if written:
        parts.append(", ".join(written) + " <-")
    if read:
        parts.append(", ".join(read))
    if item.texture is not None:
        parts.append(f"target {item.texture}")
    parts += [f"offset {print_offset(offset)}" for offset in item.offsets]
    if item.memory is not None:
        parts.append(f"memory {item.memory.target} {item.memory.format} qualifiers {item.memory.qualifiers}".replace("  ", " "))
    if item.label is not None:
        parts.append(f"label {item.label}")
    return " ".join(parts)
