"""Lints of channels that hold nothing: registers that are read before they are written, outputs that are not written.

A channel counts as read only if its value is needed: code generators copy whole registers of which a part means something. Registers that
an address may reach count as one, so an array is reported only if no instruction before wrote any of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from passes.analysis.access import results
from passes.analysis.cells import stored_channels
from passes.analysis.outputs import written_outputs
from passes.analysis.uses import Access, reads_of
from passes.lint.context import Context, letters
from tgsi.language.channels import source_channels, swizzled
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.stages import LAST_STAGES
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import Declaration, Instruction

_JUDGED = frozenset({File.TEMP, File.ADDR})

_LAST: Mapping[str, int] = {"POSITION": 15, "PSIZE": 1, "EDGEFLAG": 1, "LAYER": 1, "VIEWPORT_INDEX": 1, "PRIM_ID": 1, "CLIPVERTEX": 15}
_FRAGMENT: Mapping[str, int] = {"COLOR": 15, "POSITION": 4, "STENCIL": 2, "SAMPLEMASK": 1}
"""Channels of outputs that fixed stages read. Any other output is whole if it has one channel."""


def check(context: Context) -> None:
    """Check L001 to L004."""
    _check_reads(context)
    _check_outputs(context)


def _check_reads(context: Context) -> None:
    """Follow the channels that some lane has not written, and those that some lane may have written, along the ways of the program."""
    program, live, blocks = context.program, context.live, context.graph.blocks
    if not blocks:
        return
    sure = [_surely_written(context, item) for item in program.instructions]
    judged = live.channels.of_file(File.TEMP) | live.channels.of_file(File.ADDR)
    unwritten, written = [0] * len(blocks), [0] * len(blocks)
    unwritten[0] = judged
    waiting, seen = [0], {0}
    while waiting:
        number = waiting.pop()
        missing, maybe = unwritten[number], written[number]
        for place in blocks[number]:
            missing &= ~sure[place]
            maybe |= live.effects[place].may_write
        for successor in context.successors[number]:
            if successor not in seen or missing & ~unwritten[successor] or maybe & ~written[successor]:
                unwritten[successor] |= missing
                written[successor] |= maybe
                seen.add(successor)
                waiting.append(successor)
    returns_mix = any(item.opcode.flow is Flow.CALL for item in program.instructions)
    reported: set[tuple[File, int, int, bool]] = set()
    for number in sorted(context.reached):
        missing, maybe = unwritten[number], written[number]
        for place in blocks[number]:
            item = program.instructions[place]
            if context.needed(place, item) != 0:
                _check_read(context, place, item, missing, maybe, returns_mix, reported)
            missing &= ~sure[place]
            maybe |= live.effects[place].may_write


def _surely_written(context: Context, item: Instruction) -> int:
    """Return the set of the channels that an instruction writes whatever it computes."""
    cells = 0
    for number, operand in enumerate(results(item)):
        if operand.register.indirect is None and operand.register.file in _JUDGED:
            mask = sum(1 << channel for channel in stored_channels(item, number))
            cells |= context.live.channels.cells(operand.register, mask)
    return cells


def _check_read(
    context: Context,
    place: int,
    item: Instruction,
    missing: int,
    maybe: int,
    returns_mix: bool,
    reported: set[tuple[File, int, int, bool]],
) -> None:
    for access in _needed_reads(context, place, item):
        register = access.register
        if register.file not in _JUDGED or not access.mask:
            continue
        cells = context.live.channels.cells(register, access.mask)
        never = cells & ~maybe
        if access.is_indirect:
            if never == cells:
                _report(context, item, access, access.mask, True, reported)
            continue
        shift = context.live.channels.shift(register)
        if never:
            _report(context, item, access, never >> shift, True, reported)
        sometimes = cells & maybe & missing & ~context.addressed
        if sometimes and not returns_mix:
            _report(context, item, access, sometimes >> shift, False, reported)


def _report(
    context: Context, item: Instruction, access: Access, mask: int, never: bool, reported: set[tuple[File, int, int, bool]]
) -> None:
    register = access.register
    key = register.file, register.index if not access.is_indirect else -1 - register.array_id, mask, never
    if key in reported:
        return
    reported.add(key)
    operand = len(item.dst) + access.operand if access.operand >= 0 else -1
    if access.is_indirect:
        name = f"{register.file.name} through an address"
    else:
        name = f"{register.file.name}[{register.index}]{letters(mask)}"
    if never:
        context.warn("L001", f"{name} is read, and nothing wrote it before", item, operand, "write it first: it holds 0 here")
    else:
        hint = "write it before the branches, or on each of them: it may hold 0 here"
        context.note("L002", f"{name} is read, and not every way to here writes it", item, operand, hint)


def _needed_reads(context: Context, place: int, item: Instruction) -> Iterator[Access]:
    """Yield the reads of an instruction, with the channels whose values are needed after it."""
    wanted = context.needed(place, item)
    if wanted is None:
        yield from reads_of(item, place)
        return
    for access in reads_of(item, place):
        if access.operand < 0:
            yield access
            continue
        channels = source_channels(item, access.operand) & wanted
        yield Access(access.instruction, access.operand, access.register, swizzled(item.src[access.operand].swizzle, channels))


def _check_outputs(context: Context) -> None:
    program = context.program
    written = written_outputs(program)
    is_last = program.processor in LAST_STAGES
    needs = _FRAGMENT if program.processor is Processor.FRAG else _LAST if is_last else {}
    for item in program.declared(File.OUT):
        for index in range(item.first, item.last + 1):
            ever, always = written.ever.get(index, 0), written.always.get(index, 0)
            needed = (needs.get(item.semantic.name, 0) if item.semantic is not None else 0) & item.usage_mask
            if not ever & item.usage_mask:
                context.warn("L003", f"OUT[{index}]{_meaning(item)} is declared and never written", item, hint=_WRITE)
            elif needed & ~ever:
                context.warn("L004", f"OUT[{index}]{letters(needed & ~ever)}{_meaning(item)} is never written", item, hint=_WRITE_CHANNELS)
            elif ever & item.usage_mask & ~always:
                missing = ever & item.usage_mask & ~always
                message = f"OUT[{index}]{letters(missing)}{_meaning(item)} is not written on every path to the end"
                context.note("L004", message, item, hint="write it before the branches, or on each of them")


_WRITE = "write it, or leave the declaration out: the next stage reads 0"
_WRITE_CHANNELS = "write all channels that the next stage reads"


def _meaning(item: Declaration) -> str:
    return f" ({item.semantic})" if item.semantic is not None else ""
