"""Control flow: blocks nest, jumps stand inside of what they leave, calls name subroutines and never come back to themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

from passes.validate.context import Context, Item
from tgsi.language.diagnostics import Label
from tgsi.language.ir import Instruction

_OPENERS = {"IF": "ENDIF", "UIF": "ENDIF", "BGNLOOP": "ENDLOOP", "SWITCH": "ENDSWITCH", "BGNSUB": "ENDSUB"}
_CLOSERS = {"ENDIF": "IF", "ENDLOOP": "BGNLOOP", "ENDSWITCH": "SWITCH", "ENDSUB": "BGNSUB"}


@dataclass(slots=True)
class _Open:
    """A block that is not closed yet."""

    name: str
    head: Instruction
    middle: Instruction | None = None  # its ELSE or DEFAULT


@dataclass(slots=True)
class _Flow:
    """What one walk over the instructions finds out."""

    stack: list[_Open] = field(default_factory=list)
    calls: dict[int, list[tuple[int, Instruction]]] = field(default_factory=dict)  # subroutine (-1: main) -> targets
    sub: int = -1
    end: Instruction | None = None


def check(context: Context) -> None:
    """V001 to V013."""
    flow = _Flow()
    for number, item in enumerate(context.program.instructions):
        name = item.opcode.name
        if name in _OPENERS:
            _open(context, flow, number, item)
        elif name in _CLOSERS:
            _close(context, flow, item, _CLOSERS[name])
        elif name in ("ELSE", "CASE", "DEFAULT", "BRK", "CONT"):
            _middle(context, flow, item)
        elif name == "CAL":
            _call(context, flow, item)
        elif name == "END":
            _end(context, flow, item)
    for block in flow.stack:
        context.error("V004", f"{block.name} is never closed", block.head, hint=f"add {_OPENERS[block.name]}")
    if flow.end is None:
        last = context.program.instructions[-1] if context.program.instructions else None
        context.error("V001", "END is missing", last, hint="a program ends with END")
    _refuse_recursion(context, flow)
    _check_order(context)


def _open(context: Context, flow: _Flow, number: int, item: Instruction) -> None:
    name = item.opcode.name
    if name == "BGNSUB":
        if flow.stack:
            context.error("V010", f"a subroutine begins inside of {flow.stack[-1].name}", item, also=_opened(flow.stack[-1]))
        flow.sub = number
    flow.stack.append(_Open(name, item))
    if len(flow.stack) == context.limits.nesting + 1:
        context.error("S002", f"blocks nest more than {context.limits.nesting} deep", item)


def _close(context: Context, flow: _Flow, item: Instruction, opener: str) -> None:
    name = item.opcode.name
    if flow.stack and _OPENERS[flow.stack[-1].name] == name:
        flow.stack.pop()
    elif any(_OPENERS[block.name] == name for block in flow.stack):
        while _OPENERS[flow.stack[-1].name] != name:
            block = flow.stack.pop()
            also = (Label(item.span, f"{name} stands here"),) if item.span is not None else ()
            context.error("V004", f"{block.name} is not closed before {name}", block.head, hint=f"add {_OPENERS[block.name]}", also=also)
        flow.stack.pop()
    else:
        context.error("V003", f"{name} without {opener}", item)
    if name == "ENDSUB":
        flow.sub = -1


def _middle(context: Context, flow: _Flow, item: Instruction) -> None:
    name = item.opcode.name
    inner = flow.stack[-1] if flow.stack else None
    around = {block.name for block in flow.stack}
    if name == "ELSE":
        if inner is None or inner.name not in ("IF", "UIF"):
            context.error("V003", "ELSE without IF", item)
        elif inner.middle is not None:
            context.error("V005", "a second ELSE", item, also=_first(inner.middle))
        else:
            inner.middle = item
    elif name in ("CASE", "DEFAULT"):
        if inner is None or inner.name != "SWITCH":
            context.error("V003", f"{name} without SWITCH", item)
        elif name == "DEFAULT":
            if inner.middle is not None:
                context.error("V005", "a second DEFAULT", item, also=_first(inner.middle))
            inner.middle = item
    elif name == "BRK" and not around & {"BGNLOOP", "SWITCH"}:
        context.error("V006", "BRK stands in no loop and no switch", item)
    elif name == "CONT" and "BGNLOOP" not in around:
        context.error("V006", "CONT stands in no loop", item)


def _call(context: Context, flow: _Flow, item: Instruction) -> None:
    instructions = context.program.instructions
    label = item.label
    if label is None:
        context.error("V008", "CAL has no label", item, hint="write `CAL :n`, where n is the number of a BGNSUB")
        return
    for target in (label, label - 1):  # some writers name the instruction behind BGNSUB
        if 0 <= target < len(instructions) and instructions[target].opcode.name == "BGNSUB":
            flow.calls.setdefault(flow.sub, []).append((target, item))
            return
    there = f"instruction {label} is {instructions[label].opcode.name}" if label < len(instructions) else f"there is no instruction {label}"
    context.error("V008", f"CAL :{label} names no subroutine: {there}", item, hint="a label is the number of a BGNSUB, counted from 0")


def _end(context: Context, flow: _Flow, item: Instruction) -> None:
    if flow.end is not None:
        context.error("V002", "a second END", item, also=_first(flow.end))
    flow.end = flow.end or item
    if flow.stack:
        context.error(
            "V004", f"{flow.stack[-1].name} is not closed before END", flow.stack[-1].head, hint=f"add {_OPENERS[flow.stack[-1].name]}"
        )
        flow.stack.clear()
        flow.sub = -1


def _refuse_recursion(context: Context, flow: _Flow) -> None:
    """Walk the calls depth first, without recursion of our own."""
    state: dict[int, int] = {}
    for root in list(flow.calls):
        stack = [(root, iter(flow.calls[root]))]
        state.setdefault(root, 1)
        while stack:
            target, item = next(stack[-1][1], (None, None))
            if target is None or item is None:
                state[stack.pop()[0]] = 2
            elif state.get(target) == 1:
                context.error("V009", "a subroutine calls itself", item, hint="TGSI has no recursion")
            elif target not in state:
                state[target] = 1
                stack.append((target, iter(flow.calls.get(target, ()))))


def _check_order(context: Context) -> None:
    program = context.program
    first = next((item.span for item in program.instructions if item.span is not None), None)
    if first is None:
        return
    items: list[Item] = [*program.declarations, *program.immediates]
    for item in items:
        if item.span is not None and item.span.source is first.source and item.span.start > first.start:
            context.warning("V011", "a declaration follows the first instruction", item, hint="Mesa's checker refuses this order")
            return


def _opened(block: _Open) -> tuple[Label, ...]:
    return (Label(block.head.span, "opened here"),) if block.head.span is not None else ()


def _first(item: Instruction) -> tuple[Label, ...]:
    return (Label(item.span, "the first"),) if item.span is not None else ()
