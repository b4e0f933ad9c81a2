"""Lints of values that are always the same: conditions, divisors; and of textures without a declared view."""

from __future__ import annotations

from passes.lint.context import Context
from passes.lint.flow import is_negative
from tgsi.language.channels import source_channels
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcode_row import WIDE
from tgsi.language.facts.traits import Flow, Trait
from tgsi.language.ir import Instruction

_MAGNITUDE = 0x7FFFFFFF


def check(context: Context) -> None:
    """Check L030 to L032."""
    viewed = {index for item in context.program.declared(File.SVIEW) for index in range(item.first, item.last + 1)}
    for place, item in enumerate(context.program.instructions):
        if not context.is_reached(place):
            continue
        flow = item.opcode.flow
        if flow is Flow.IF or flow is Flow.SWITCH:
            _check_condition(context, place, item)
        elif Trait.KILL in item.opcode.traits and item.src:
            _check_kill(context, place, item)
        elif Trait.DIVIDES in item.opcode.traits:
            _check_divisor(context, place, item)
        elif item.opcode.is_texture and item.src:
            unit = item.src[-1].register
            if unit.file is File.SAMP and unit.indirect is None and unit.index not in viewed:
                viewed.add(unit.index)
                name, view = f"SAMP[{unit.index}]", f"SVIEW[{unit.index}]"
                hint = f"declare it, as `DCL {view}, {item.texture}, FLOAT`: some drivers take the type of texels from it"
                context.note("L032", f"{name} is sampled, and {view} is not declared", item, len(item.dst) + len(item.src) - 1, hint)


def _check_condition(context: Context, place: int, item: Instruction) -> None:
    word = context.constant(place, 0, 0)
    if word is None:
        return
    if item.opcode.flow is Flow.SWITCH:
        context.warn("L030", f"{item.opcode.name} always selects the same value", item, 0, "leave the other arms out")
        return
    is_float = item.opcode.src_types[0] == "float"
    outcome = "true" if word & (_MAGNITUDE if is_float else 0xFFFFFFFF) else "false"
    context.warn("L030", f"the condition of {item.opcode.name} is always {outcome}", item, 0, "leave out what never runs")


def _check_kill(context: Context, place: int, item: Instruction) -> None:
    source = item.src[0]
    words = [context.constant(place, 0, channel) for channel in range(4)]
    known = [word for word in words if word is not None]
    if len(known) == len(words) and not any(is_negative(word, source.negate, source.absolute) for word in known):
        context.warn("L030", f"{item.opcode.name} never discards: no channel is below 0", item, 0, "leave it out")


def _check_divisor(context: Context, place: int, item: Instruction) -> None:
    """Report a divisor that is an immediate of 0 in a channel that is read."""
    number = len(item.src) - 1
    kind = item.opcode.src_types[number]
    mask = source_channels(item, number)
    for channel in range(4):
        if not mask >> channel & 1 or (kind in WIDE and channel & 1):
            continue
        parts = (channel, channel + 1) if kind in WIDE else (channel,)
        words = [context.constant(place, number, part) for part in parts]
        last = _MAGNITUDE if kind in ("float", "double") else 0xFFFFFFFF  # -0 is 0, too
        if all(word == 0 for word in words[:-1]) and words[-1] is not None and not words[-1] & last:
            context.warn("L031", f"{item.opcode.name} divides by 0", item, len(item.dst) + number, "write another divisor")
            return
