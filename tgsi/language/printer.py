"""IR to text, numbered and nested as in Mesa's dump, but exact: reading it again gives an equal program with the same tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tgsi.language.facts.brackets import IMPLIED, is_flat, per_vertex
from tgsi.language.facts.enums import CHANNELS, QUALIFIERS, File, Interpolation, Location, MemoryType, Processor
from tgsi.language.facts.formats import NO_FORMAT
from tgsi.language.facts.limits import MAX_INDENTED
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import (
    IDENTITY,
    XYZW,
    Declaration,
    Dimension,
    DstOperand,
    Immediate,
    IndirectRef,
    Instruction,
    MemoryAccess,
    ProgramData,
    Property,
    RegisterRef,
    SrcOperand,
    Statement,
    TexOffset,
    statements,
)
from tgsi.language.literals import WRITERS

_TAILED = (File.IMAGE, File.SVIEW, File.BUFFER, File.MEMORY)
"""Files whose declarations have no semantic."""

_LETTERS = ["".join(c for i, c in enumerate(CHANNELS) if mask >> i & 1) for mask in range(16)]
_MASKS = tuple("" if mask == XYZW else f".{letters or '_'}" for mask, letters in enumerate(_LETTERS))
"""Suffixes by mask; an underscore for no channel, which Mesa's text cannot say."""


def print_program(program: ProgramData, *, canonical: bool = False) -> str:
    """The text of a program, ending in a newline. Statements keep the order of the text or tokens that they came from.

    With `canonical`, the order is always stage, properties, declarations, immediates, instructions, so that equal programs have equal
    texts. Floats are the shortest decimals that read back, infinities and NaNs of FLT32 are hexadecimal words.
    ``parse(print_program(p)) == p`` for every program that came from a text or is valid, and both encode to the same tokens.
    """
    return "\n".join([program.processor.name, *statement_lines(program, statements(program, canonical=canonical))]) + "\n"


def statement_lines(program: ProgramData, items: Iterable[Statement]) -> Iterator[str]:
    """The lines of a program's statements. They may come in any order that keeps the order within each kind."""
    stage = program.processor
    implied = stage in IMPLIED and stage is not Processor.GEOM
    sources: dict[SrcOperand, str] = {}
    destinations: dict[DstOperand, str] = {}
    immediates = instructions = nesting = 0
    for item in items:
        if isinstance(item, Instruction):
            traits = item.opcode.traits
            if Trait.DEDENT in traits:
                nesting = max(0, nesting - 1)
            yield f"{instructions:3d}: {'  ' * min(nesting, MAX_INDENTED)}{_instruction(item, sources, destinations)}"
            if Trait.INDENT in traits:
                nesting += 1
            instructions += 1
        elif isinstance(item, Declaration):
            yield print_declaration(item, stage, implied=implied)
        elif isinstance(item, Immediate):
            yield print_immediate(item, immediates)
            immediates += 1
        else:
            yield print_property(item)
            implied |= stage is Processor.GEOM and item.name == "GS_INPUT_PRIMITIVE"  # from here on `[]` can be read


def print_property(item: Property) -> str:
    """``PROPERTY NAME value``; the value by name where there is one."""
    info = PROPERTIES[item.name]
    names = {number: word for word, number in info.words.items()} if info.words else {}
    return f"PROPERTY {item.name} {names.get(item.value, item.value)}"


def print_immediate(immediate: Immediate, number: int) -> str:
    """``IMM[n] TYPE {values}``."""
    return f"IMM[{number}] {immediate.type.name} {{{', '.join(WRITERS[immediate.type](immediate.words))}}}"


def print_declaration(item: Declaration, stage: Processor, *, implied: bool = True) -> str:
    """``DCL FILE[range].mask, attributes``. `implied`: True if the empty bracket of a vertex can be read in this program."""
    text = f"DCL {item.file.name}"
    if item.dimension is not None:
        text += f"[{item.dimension}]"
    elif implied and per_vertex(stage, item.file) and not is_flat(stage, item.semantic):
        text += "[]"
    text += f"[{item.first}]" if item.first == item.last else f"[{item.first}..{item.last}]"
    return ", ".join([text + _MASKS[item.usage_mask], *_attributes(item)])


def _attributes(item: Declaration) -> Iterator[str]:
    if item.array_id:
        yield f"ARRAY({item.array_id})"
    if item.local:
        yield "LOCAL"
    if item.semantic is not None:
        yield str(item.semantic)
    if any(item.streams) or (item.semantic is None and item.interpolation is Interpolation.COLOR and item.file not in _TAILED):
        # a lone COLOR would be read as the semantic; our reader takes the streams 0 of every declaration
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
        yield item.interpolation.name
    if item.location is not Location.CENTER:
        yield item.location.name
    if item.cylindrical_wrap:
        yield f"CYLWRAP_{_letters(item.cylindrical_wrap)}"
    if item.invariant:
        yield "INVARIANT"


def _letters(mask: int) -> str:
    return "".join(channel for i, channel in enumerate(CHANNELS) if mask >> i & 1).upper()


def print_instruction(instruction: Instruction) -> str:
    """One instruction without its number."""
    return _instruction(instruction, {}, {})


def _instruction(item: Instruction, sources: dict[SrcOperand, str], destinations: dict[DstOperand, str]) -> str:
    text = item.opcode.name
    if item.saturate:
        text += "_SAT"
    if item.precise:
        text += "_PRECISE"
    operands: list[str] = []
    for dst in item.dst:
        if (word := destinations.get(dst)) is None:
            word = destinations[dst] = print_destination(dst)
        operands.append(word)
    for src in item.src:
        if (word := sources.get(src)) is None:
            word = sources[src] = print_source(src)
        operands.append(word)
    if item.texture is not None:
        operands.append(item.texture)
        if item.returns is not None:
            operands.append(item.returns.name)
    if item.offsets:
        operands += map(print_offset, item.offsets)
    if item.memory is not None:
        operands += _memory(item.memory)
    if operands:
        text += " " + ", ".join(operands)
    return text if item.label is None else f"{text} :{item.label}"


def print_destination(operand: DstOperand) -> str:
    """``FILE[i].mask``."""
    return print_register(operand.register) + _MASKS[operand.write_mask]


def print_source(operand: SrcOperand) -> str:
    """``-|FILE[i].xyzw|``."""
    text = print_register(operand.register)
    if operand.swizzle != IDENTITY:
        text += "." + "".join([CHANNELS[channel] for channel in operand.swizzle])
    if operand.absolute:
        text = f"|{text}|"
    return f"-{text}" if operand.negate else text


def print_offset(offset: TexOffset) -> str:
    """``FILE[i].xyz``."""
    return f"{print_register(offset.register)}.{''.join([CHANNELS[channel] for channel in offset.swizzle])}"


def _memory(access: MemoryAccess) -> Iterator[str]:
    for name, bit in QUALIFIERS.items():
        if access.qualifiers & bit:
            yield name
    if access.target != "BUFFER":
        yield access.target
    if access.format:
        yield access.format


def print_register(register: RegisterRef) -> str:
    """``FILE[dimension](array)[index](array)``."""
    text = register.file.name
    if register.dimension is not None:
        text += _dimension(register.dimension)
    text += _bracket(register.index, register.indirect)
    return f"{text}({register.array_id})" if register.array_id else text


def _dimension(dimension: Dimension) -> str:
    text = _bracket(dimension.index, dimension.indirect)
    return f"{text}({dimension.array_id})" if dimension.array_id else text


def _bracket(index: int, indirect: IndirectRef | None) -> str:
    if indirect is None:
        return f"[{index}]"
    text = f"{indirect.file.name}[{indirect.index}].{CHANNELS[indirect.component]}"
    return f"[{text}{index:+d}]" if index else f"[{text}]"
