"""Dead writes to OUT: channels overwritten before the end of the program, an EMIT, or an instruction that reads them."""

from __future__ import annotations

from collections.abc import Sequence

from passes.analysis.cells import CellMap
from tgsi.language.facts.enums import OUT
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import (
    BREAK,
    CALL,
    CASE,
    CONTINUE,
    DEFAULT,
    ELSE,
    ENDIF,
    ENDLOOP,
    ENDSWITCH,
    IF,
    JUMPS,
    LOOP,
    RETURN,
    SWITCH,
    Flow,
    Trait,
)
from tgsi.language.ir import Instruction

EMITS = frozenset(opcode for opcode in OPCODES.values() if Trait.EMIT in opcode.traits)
"""Opcodes that send the contents of outputs on."""

ALL = -1
"""The set of all channels: every bit is set."""


def unseen_outputs(items: Sequence[Instruction | None], cells: CellMap, *, are_read: bool = True) -> dict[int, int]:
    """Return, by place, the channels of a direct write to OUT that are overwritten before anything reads them.

    Channels are a mask. The program is walked backward once: a loop or switch counts as reading all outputs that are read in it or after
    it. `are_read`: false if no instruction reads a plain register of OUT.
    """
    if (OUT, 0) in cells.groups:
        return {}
    inside = _seen_inside(items)
    are_read = are_read or bool(cells.groups)
    unseen: dict[int, int] = {}
    live = ALL
    after: list[tuple[Flow, int, int]] = []  # block, read after it, read at its jumps back (ELSE: before the other arm)
    for place in range(len(items) - 1, -1, -1):
        item = items[place]
        if item is None:
            continue
        flow = item.opcode.flow
        if flow is not None:
            live = _before_flow(flow, place, live, after, inside)
        elif item.opcode in EMITS:
            live = ALL
        else:
            for operand in item.dst:
                if operand.register.file is OUT and not item.opcode.stores_to_dst and operand.register.indirect is None:
                    shift = 4 * operand.register.index
                    written = operand.write_mask
                    if len(item.dst) == 1 and not item.opcode.uses_64bit:
                        if hidden := written & ~(live >> shift):
                            unseen[place] = hidden
                        live &= ~(written << shift)
        if are_read:
            live |= _read(item)
    return unseen


def _before_flow(flow: Flow, place: int, live: int, after: list[tuple[Flow, int, int]], inside: dict[int, int]) -> int:
    """Return the outputs that are live before a part of control flow, from those that are live after it."""
    if flow is ENDIF:
        after.append((IF, live, live))
    elif flow is ELSE:
        _, end, _ = after[-1]
        after[-1] = (IF, end, live)
        return end
    elif flow is IF:
        return live | after.pop()[2]
    elif flow is ENDLOOP or flow is ENDSWITCH:
        again = live | inside[place]
        after.append((LOOP if flow is ENDLOOP else SWITCH, live, again))
        return again
    elif flow in (CASE, DEFAULT):
        return after[-1][2]
    elif flow is LOOP or flow is SWITCH:
        return after.pop()[2] | live
    elif flow in JUMPS and flow is not RETURN:
        block = next((b for b in reversed(after) if b[0] is LOOP or (b[0] is SWITCH and flow is BREAK)), None)
        if block is None:
            return ALL
        return block[2] if flow is CONTINUE or block[0] is SWITCH else block[1]
    else:  # RET, END, calls and subroutines
        return ALL
    return live


def _read(item: Instruction) -> int:
    channels = 0
    for operand in item.src:
        if operand.register.file is OUT:
            channels |= 15 << 4 * operand.register.index
    return channels


def _seen_inside(items: Sequence[Instruction | None]) -> dict[int, int]:
    """Return the outputs that are read inside each loop and switch, by the place of its end."""
    inside: dict[int, int] = {}
    stack: list[int] = []
    for place, item in enumerate(items):
        if item is None:
            continue
        flow = item.opcode.flow
        if flow is None and not stack:
            continue
        if flow is LOOP or flow is SWITCH:
            stack.append(0)
        elif flow is ENDLOOP or flow is ENDSWITCH:
            inside[place] = stack.pop()
            if stack:
                stack[-1] |= inside[place]
        elif stack:
            if item.opcode in EMITS or flow is CALL or flow is RETURN:
                stack[-1] = ALL
            else:
                stack[-1] |= _read(item)
    return inside
