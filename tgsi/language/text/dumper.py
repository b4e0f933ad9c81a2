"""IR as text of Mesa: as Mesa 18.1 dumps it, byte for byte, or so that Mesa 18.1 reads it back to the same words.

Mesa's own dump loses bits of floats, and prints infinities and attributes that Mesa's reader refuses.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from dataclasses import replace

from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.brackets import is_flat, per_vertex
from tgsi.language.facts.enums import CHANNELS, File, ImmediateType, Interpolation, Location, MemoryType, Processor
from tgsi.language.facts.formats import NO_FORMAT
from tgsi.language.facts.limits import MAX_INDENTED
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import XYZW, Declaration, Immediate, Instruction, Property, Statement, statements
from tgsi.language.literals import LITERALS, WRITERS, float_value
from tgsi.language.printer import print_instruction, print_program
from tgsi.language.program import Program

_SIGNED = re.compile(r"\[(\d{5})\]")
_WIDE = {ImmediateType.FLT64: "<d", ImmediateType.UINT64: "<Q", ImmediateType.INT64: "<q"}


STYLES = ("text", "canonical", "mesa", "mesa-dump")


def dump(program: Program, *, style: str = "text", canonical: bool = False) -> str:
    """A program as text.

    Args:
        program: the program.
        style: ``text`` reads back to an equal program with the same tokens. ``mesa`` reads back so in Mesa 18.1, too, see `write_mesa`.
            ``mesa-dump`` is Mesa 18.1's own dump, which rounds floats. ``canonical`` is ``text`` with `canonical`.
        canonical: print properties, declarations, immediates and instructions in this order, so that equal programs have equal texts;
            otherwise statements keep the order of the text or tokens that the program came from.

    Raises:
        ValueError: there is no such style, or `canonical` with a style of Mesa.
        UnsupportedError: Mesa's text cannot say something, see `write_mesa`.
    """
    if style not in STYLES:
        raise ValueError(f"style must be one of {', '.join(STYLES)}, not {style!r}")
    if style in ("text", "canonical"):
        return print_program(program, canonical=canonical or style == "canonical")
    if canonical:
        raise ValueError(f"the style {style!r} keeps the order of statements: leave out `canonical`")
    return write_mesa(program) if style == "mesa" else dump_mesa(program)


def dump_mesa(program: Program) -> str:
    """The text of Mesa's dump, in the order of the program's own text where it has one."""
    return "\n".join(_lines(program, False)) + "\n"


def write_mesa(program: Program) -> str:
    """The text of Mesa's dump, changed where Mesa 18.1 would not read it, or not to the same words.

    Floats that four or eight decimals do not give are the shortest decimals that do; infinities and NaNs of FLT32 are hexadecimal; an
    immediate with a NaN of FLT64 that has a payload becomes UINT64 of the same bits. Interpolation modes of all declarations are there.
    INVARIANT, CYLWRAP, labels that start a subroutine and the return types of texture words are left out: Mesa 18.1 does not read them.

    Raises:
        UnsupportedError: code P032; an empty mask, a view with several types, a property's value without a name, or an attribute of a
            vertex input: Mesa's text cannot say these.
    """
    return "\n".join(_lines(program, True)) + "\n"


def _lines(program: Program, is_read: bool) -> Iterator[str]:
    stage = program.processor
    yield stage.name
    implied = not is_read or stage is not Processor.GEOM
    immediates = instructions = nesting = 0
    for item in statements(program):
        if isinstance(item, Declaration):
            yield _declaration(_readable(item, stage) if is_read else item, stage, implied, is_read)
        elif isinstance(item, Immediate):
            yield _immediate(_nameable(item) if is_read else item, immediates, is_read)
            immediates += 1
        elif isinstance(item, Property):
            yield _property(item, is_read)
            implied |= item.name == "GS_INPUT_PRIMITIVE"
        else:
            traits = item.opcode.traits
            nesting -= Trait.DEDENT in traits
            text = _instruction(item) if is_read else _SIGNED.sub(_signed, print_instruction(replace(item, returns=None)))
            yield f"{instructions:3d}: {'  ' * min(nesting, MAX_INDENTED)}{text}"
            nesting += Trait.INDENT in traits
            instructions += 1


def _refused(item: Statement, what: str) -> UnsupportedError:
    return UnsupportedError.at("P032", f"Mesa's text has no {what}", item.span, hint="print it as `text` or as tokens")


def _instruction(item: Instruction) -> str:
    if not all(operand.write_mask for operand in item.dst):
        raise _refused(item, "mask without channels")
    return print_instruction(item if item.returns is None and item.opcode.has_label else replace(item, returns=None, label=None))


def _readable(item: Declaration, stage: Processor) -> Declaration:
    """The declaration without the attributes that Mesa's reader refuses."""
    if not item.usage_mask:
        raise _refused(item, "mask without channels")
    if item.view is not None and len(set(item.view.types)) > 1:
        raise _refused(item, "view that returns several types")
    if stage is Processor.VERT and item.file is File.IN and (item.semantic or item.interpolation is not None or item.local):
        raise _refused(item, "vertex input with attributes")
    if item.semantic is None and item.interpolation is Interpolation.COLOR and not (item.file is File.OUT and stage is Processor.GEOM):
        raise _refused(item, "mode COLOR without a semantic")
    return replace(item, invariant=False, cylindrical_wrap=0) if item.invariant or item.cylindrical_wrap else item


def _nameable(item: Immediate) -> Immediate:
    """The immediate, as integers if a value is a NaN that has no name in Mesa's text."""
    if item.type is ImmediateType.FLT64 and any(text.startswith("nan_") for text in WRITERS[item.type](item.words)):
        return replace(item, type=ImmediateType.UINT64)
    return item


def _immediate(item: Immediate, number: int, is_read: bool) -> str:
    texts = list(_values(item))
    if is_read and item.type in (ImmediateType.FLT32, ImmediateType.FLT64):
        literal, size = LITERALS[item.type], 4 // LITERALS[item.type].count
        for at, exact in enumerate(WRITERS[item.type](item.words)):
            word = texts[at].strip()
            if not literal.good(word) or literal.read(word) != item.words[size * at : size * at + size]:
                texts[at] = exact
    return f"IMM[{number}] {item.type.name} {{{', '.join(texts)}}}"


def _signed(found: re.Match[str]) -> str:
    """A register number as Mesa prints it: the upper half of 16 bits is negative."""
    return f"[{int(found[1]) - 0x10000}]" if int(found[1]) >> 15 == 1 else found[0]


def _property(item: Property, is_read: bool) -> str:
    words = PROPERTIES[item.name].words or {}
    names = {number: word for word, number in words.items()}
    if is_read:
        if words and item.value not in names:
            raise _refused(item, f"name for {item.name} {item.value}")
        return f"PROPERTY {item.name} {names.get(item.value, item.value)}"
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


def _declaration(item: Declaration, stage: Processor, implied: bool, is_read: bool) -> str:
    text = f"DCL {item.file.name}"
    if implied and per_vertex(stage, item.file) and (stage is Processor.GEOM or not is_flat(stage, item.semantic)):
        text += "[]"
    if item.dimension is not None:
        text += f"[{item.dimension}]"
    text += f"[{item.first}]" if item.first == item.last else f"[{item.first}..{item.last}]"
    if item.usage_mask != XYZW:
        text += "." + "".join(channel for i, channel in enumerate(CHANNELS) if item.usage_mask >> i & 1)
    return ", ".join([text, *_attributes(item, stage, is_read)])


def _attributes(item: Declaration, stage: Processor, is_read: bool) -> Iterator[str]:
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
        if is_read or (stage is Processor.FRAG and item.file is File.IN):
            yield item.interpolation.name
        if item.location is not Location.CENTER:
            yield item.location.name
        if item.cylindrical_wrap:
            letters = (channel for i, channel in enumerate(CHANNELS) if item.cylindrical_wrap >> i & 1)
            yield f"CYLWRAP_{''.join(letters).upper()}"
    if item.invariant:
        yield "INVARIANT"
