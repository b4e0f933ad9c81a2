"""IR as Mesa 18.1 dumps it, byte for byte. The dump loses float bits and whatever tokens have no place for: to keep a program, print it."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

from tgsi.language.facts.brackets import is_flat, per_vertex
from tgsi.language.facts.enums import CHANNELS, File, ImmediateType, Location, MemoryType, Processor
from tgsi.language.facts.formats import NO_FORMAT
from tgsi.language.facts.limits import MAX_INDENTED
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import XYZW, Declaration, Immediate, Property
from tgsi.language.literals import float_value
from tgsi.language.printer import print_instruction, print_program
from tgsi.language.program import Program
from tgsi.language.tokens.encoder import statements

_WIDE = {ImmediateType.FLT64: "<d", ImmediateType.UINT64: "<Q", ImmediateType.INT64: "<q"}


STYLES = ("canonical", "mesa")


def dump(program: Program, *, style: str = "canonical") -> str:
    """A program as text: ``canonical`` is exact and reads back equal, ``mesa`` is Mesa 18.1's own dump. ValueError for another style."""
    if style not in STYLES:
        raise ValueError(f"style must be one of {', '.join(STYLES)}, not {style!r}")
    return dump_mesa(program) if style == "mesa" else print_program(program)


def dump_mesa(program: Program) -> str:
    """The text of Mesa's dump, in the order of the program's own text where it has one."""
    return "\n".join(_lines(program)) + "\n"


def _lines(program: Program) -> Iterator[str]:
    yield program.processor.name
    immediates = instructions = nesting = 0
    for item in statements(program):
        if isinstance(item, Declaration):
            yield _declaration(item, program.processor)
        elif isinstance(item, Immediate):
            yield f"IMM[{immediates}] {item.type.name} {{{', '.join(_values(item))}}}"
            immediates += 1
        elif isinstance(item, Property):
            yield _property(item)
        else:
            traits = item.opcode.traits
            nesting -= Trait.DEDENT in traits
            yield f"{instructions:3d}: {'  ' * min(nesting, MAX_INDENTED)}{print_instruction(item)}"
            nesting += Trait.INDENT in traits
            instructions += 1


def _property(item: Property) -> str:
    words = PROPERTIES[item.name].words or {}
    names = {number: word for word, number in words.items()}
    signed = item.value - (1 << 32) if item.value >> 31 else item.value
    return f"PROPERTY {item.name} {names.get(item.value, signed)}"


def _float(value: float, decimals: int) -> str:
    """C's %10.<decimals>f."""
    if math.isnan(value):
        return f"{'-nan' if math.copysign(1.0, value) < 0 else 'nan':>10}"
    return f"{value:10.{decimals}f}"


def _values(item: Immediate) -> Iterator[str]:
    if item.type is ImmediateType.FLT32:
        yield from (_float(float_value(word), 4) for word in item.words)
    elif item.type in _WIDE:
        low, high = struct.unpack("<2" + _WIDE[item.type][1], struct.pack("<4I", *item.words))
        yield from (_float(value, 8) if item.type is ImmediateType.FLT64 else str(value) for value in (low, high))
    else:
        signed = item.type is ImmediateType.INT32
        yield from (str(word - (1 << 32) if signed and word >> 31 else word) for word in item.words)


def _declaration(item: Declaration, stage: Processor) -> str:
    text = f"DCL {item.file.name}"
    if per_vertex(stage, item.file) and (stage is Processor.GEOM or not is_flat(stage, item.semantic)):
        text += "[]"
    if item.dimension is not None:
        text += f"[{item.dimension}]"
    text += f"[{item.first}]" if item.first == item.last else f"[{item.first}..{item.last}]"
    if item.usage_mask != XYZW:
        text += "." + "".join(channel for i, channel in enumerate(CHANNELS) if item.usage_mask >> i & 1)
    return ", ".join([text, *_attributes(item, stage)])


def _attributes(item: Declaration, stage: Processor) -> Iterator[str]:
    if item.array_id:
        yield f"ARRAY({item.array_id})"
    if item.local:
        yield "LOCAL"
    if item.semantic is not None:
        yield str(item.semantic)
        if any(item.streams):
            yield f"STREAM({', '.join(map(str, item.streams))})"
    if item.per_primitive:
        yield "PRIMITIVE"
    if item.image is not None:
        yield item.image.target
        yield item.image.format or NO_FORMAT
        if item.image.writable:
            yield "WR"
        if item.image.raw:
            yield "RAW"
    if item.atomic:
        yield "ATOMIC"
    if item.file is File.MEMORY:
        yield (item.memory or MemoryType.GLOBAL).name
    if item.view is not None:
        yield item.view.target
        kinds = item.view.types
        yield kinds[0].name if len(set(kinds)) == 1 else ", ".join(kind.name for kind in kinds)
    if item.interpolation is not None:
        if stage is Processor.FRAG and item.file is File.IN:
            yield item.interpolation.name
        if item.location is not Location.CENTER:
            yield item.location.name
        if item.cylindrical_wrap:
            letters = (channel for i, channel in enumerate(CHANNELS) if item.cylindrical_wrap >> i & 1)
            yield f"CYLWRAP_{''.join(letters).upper()}"
    if item.invariant:
        yield "INVARIANT"
