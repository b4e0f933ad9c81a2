"""The instructions of a program one after the other: operands that ISBE or a temporary holds are replaced."""

from __future__ import annotations

from dataclasses import replace

from backends.nvk.lower.context import Context
from backends.nvk.lower.counts import emit_tasks, set_outputs
from backends.nvk.lower.memory import load, store
from backends.nvk.lower.outputs import read_output, write_output
from backends.nvk.lower.writer import channel_of, whole
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Flow, Trait
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand, TexOffset

_PAIRS = (0b0011, 0b1100, 0b1111)


def translate(c: Context, end: Flow) -> dict[int, int]:
    """Write the program's instructions; END becomes an instruction of the kind `end`. Returns the item at which each instruction begins."""
    places: dict[int, int] = {}
    for number, item in enumerate(c.program.instructions):
        places[number] = len(c.writer.items)
        if item.opcode.flow is Flow.END and end is Flow.ENDSUBROUTINE:
            c.writer.flow("ENDSUB")
            continue
        with c.writer.scratch():
            _instruction(c, item)
    return places


def _instruction(c: Context, item: Instruction) -> None:
    sources = [_source(c, item, operand) for operand in item.src]
    offsets = tuple(TexOffset(_register(c, offset.register), offset.swizzle) for offset in item.offsets)
    traits = item.opcode.traits
    if Trait.LAUNCH in traits:
        emit_tasks(c, sources[0])
    elif Trait.OUTPUTS in traits:
        set_outputs(c, sources[0])
    elif item.opcode.stores_to_dst and item.dst[0].register.file is File.MEMORY:
        store(c, item, sources)
    elif item.src and item.src[0].register.file is File.MEMORY:
        _assign(c, item, load(c, item, sources))
    else:
        _plain(c, replace(item, src=tuple(sources), offsets=offsets))


def _plain(c: Context, item: Instruction) -> None:
    """An instruction whose sources are lowered. Outputs that it writes go through temporaries."""
    outputs: list[tuple[DstOperand, RegisterRef]] = []
    written: list[DstOperand] = []
    for operand in item.dst:
        if operand.register.file is File.OUT and not item.opcode.stores_to_dst:
            if item.opcode.uses_64bit and operand.write_mask not in _PAIRS:
                text = f"{item.opcode.name} writes half of a 64-bit value to an output"
                raise UnsupportedError.at("B070", text, item.span, hint="write to a TEMP, then MOV")
            temporary = c.writer.register()
            outputs.append((operand, temporary))
            operand = DstOperand(temporary, operand.write_mask)
        written.append(operand)
    c.writer.items.append(replace(item, dst=tuple(written)))
    for operand, temporary in outputs:
        channels = [channel for channel in range(4) if operand.write_mask >> channel & 1]
        write_output(c, item, operand.register, {channel: channel_of(temporary, channel) for channel in channels})


def _assign(c: Context, item: Instruction, values: list[SrcOperand]) -> None:
    """Move four scalars to the destination of an instruction."""
    operand = item.dst[0]
    temporary = c.writer.register()
    for channel, value in enumerate(values):
        if operand.write_mask >> channel & 1:
            c.writer.set(channel_of(temporary, channel), value)
    _plain(c, Instruction(OPCODES["MOV"], (operand,), (whole(temporary),), saturate=item.saturate, span=item.span))


def _register(c: Context, register: RegisterRef) -> RegisterRef:
    if register.file is File.SV and register.index in c.system_values:
        return c.system_values[register.index]
    return register


def _source(c: Context, item: Instruction, operand: SrcOperand) -> SrcOperand:
    """A source whose register exists in the lowered program."""
    register = operand.register
    if register.file is not File.OUT:
        return replace(operand, register=_register(c, register)) if register.file is File.SV else operand
    temporary = c.writer.register()
    for channel in sorted(set(operand.swizzle)):
        c.writer.set(channel_of(temporary, channel), read_output(c, item, register, channel))
    return replace(operand, register=temporary)
