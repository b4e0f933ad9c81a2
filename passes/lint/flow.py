"""Lints of control flow: code without a way to it, loops that never end or run once, subroutines without a call, discards of everything."""

from __future__ import annotations

from passes.lint.context import Context
from tgsi.language.facts.traits import ARMS, CLOSERS, OPENERS, Flow, Trait

_SIGN = 1 << 31


def check(context: Context) -> None:
    """Check L020 to L024."""
    if not context.program.instructions:
        return
    _check_reached(context)
    _check_loops(context)
    _check_kills(context)


def _check_reached(context: Context) -> None:
    """Report the first instruction of each stretch that no lane reaches, and each subroutine as a whole."""
    instructions = context.program.instructions
    in_sub = reported = False
    for place, item in enumerate(instructions):
        flow = item.opcode.flow
        if context.is_reached(place):
            reported = False
        elif flow is Flow.SUBROUTINE:
            context.warn("L024", "the subroutine is never called", item, hint="leave it out, or write `CAL` with its number")
            in_sub = reported = True
        elif not reported and not in_sub and flow not in (*CLOSERS, *ARMS, Flow.END):
            context.warn("L020", f"{item.opcode.name} is never reached", item, hint="leave it out, or move it before the jump")
            reported = True
        if flow is Flow.ENDSUBROUTINE:
            in_sub = reported = False


def _check_loops(context: Context) -> None:
    instructions = context.program.instructions
    open_blocks: list[int] = []
    for place, item in enumerate(instructions):
        flow = item.opcode.flow
        if flow in OPENERS:
            open_blocks.append(place)
        elif flow in CLOSERS:
            start = open_blocks.pop()
            if flow is Flow.ENDLOOP and context.is_reached(start):
                _check_loop(context, start, place)


def _check_loop(context: Context, start: int, end: int) -> None:
    head = context.program.instructions[start]
    after = context.blocks_from(context.block_of[start])
    if not after & context.graph.exits:
        context.warn("L022", "the loop never ends", head, hint="leave it by `IF a`, BRK, ENDIF")
    elif context.block_of[end] not in after:
        context.warn("L023", "the loop runs once: every round leaves it", head, hint="leave the loop out, or go on under some condition")


def _check_kills(context: Context) -> None:
    """Report discards outside of all blocks that every lane comes to."""
    depth = 0
    for place, item in enumerate(context.program.instructions):
        flow = item.opcode.flow
        depth += (flow in OPENERS) - (flow in CLOSERS)
        if flow is Flow.RETURN or flow is Flow.CALL or flow is Flow.END:
            return
        if Trait.KILL not in item.opcode.traits or depth:
            continue
        words = [context.constant(place, 0, channel) for channel in range(4)] if item.src else []
        if not item.src or any(word is not None and is_negative(word, item.src[0].negate, item.src[0].absolute) for word in words):
            context.warn("L021", f"{item.opcode.name} discards every fragment", item, hint="write it between IF and ENDIF")


def is_negative(word: int, negate: bool, absolute: bool) -> bool:
    """Return true if a 32-bit float with modifiers is below 0; a NaN is not."""
    value = (word & ~_SIGN if absolute else word) ^ (_SIGN if negate else 0)
    return _SIGN < value <= 0xFF800000
