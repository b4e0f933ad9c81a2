"""Rules of control flow: blocks nest, jumps stand inside of the blocks that they leave, calls name subroutines and do not recurse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import field
from operator import attrgetter

from passes.validate.context import Context, Item
from tgsi.language.diagnostics import Fix, Label
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.opcodes import FLOW_NAMES
from tgsi.language.facts.traits import (
    BREAK,
    CALL,
    CASE,
    CLOSER,
    CLOSERS,
    CONTINUE,
    DEFAULT,
    ELSE,
    END,
    ENDLOOP,
    ENDSUBROUTINE,
    IF,
    LOOP,
    OPENERS,
    RETURN,
    SUBROUTINE,
    SWITCH,
    Flow,
)
from tgsi.language.ir import Instruction
from tgsi.language.record import record
from tgsi.language.source import Span

_OPENER = {closer: opener for opener, closer in CLOSER.items()}


@record(frozen=False)
class _Open:
    """A block that is not closed yet."""

    flow: Flow
    head: Instruction
    middle: Instruction | None = None  # its ELSE or DEFAULT
    counts: bool = True  # for `ShaderLimits.nesting`

    @property
    def name(self) -> str:
        """The opcode that begins the block."""
        return self.head.opcode.name

    @property
    def hint(self) -> str:
        """Advice to close the block."""
        return f"add {FLOW_NAMES[CLOSER[self.flow]]}"


@record(frozen=False)
class _Walk:
    """The findings of one walk over the instructions."""

    stack: list[_Open] = field(default_factory=list)
    around: Counter[Flow] = field(default_factory=Counter)  # blocks of the stack
    depth: int = 0  # blocks of the stack that count for `ShaderLimits.nesting`
    calls: dict[int, list[tuple[int, Instruction]]] = field(default_factory=dict)  # subroutine (-1: main) -> targets
    sub: int = -1
    end: Instruction | None = None

    def push(self, block: _Open) -> None:
        """Enter a block."""
        if block.flow is IF and len(self.stack) > 1 and self.stack[-1].flow is self.stack[-2].flow is IF:
            block.counts = False
        self.depth += block.counts
        self.stack.append(block)
        self.around[block.flow] += 1

    def pop(self) -> _Open:
        """Leave the innermost block."""
        block = self.stack.pop()
        self.depth -= block.counts
        self.around[block.flow] -= 1
        return block


_opcode = attrgetter("opcode")


def check(context: Context) -> None:
    """Check V001 to V013."""
    parts = [opcode for opcode in context.opcodes if opcode.flow is not None]
    items = context.program.instructions
    if len(parts) != 1 or parts[0].flow is not END or list(map(_opcode, items)).count(parts[0]) != 1:
        _check_blocks(context, [(number, item, role) for number, item in enumerate(items) if (role := item.opcode.flow) is not None])
    if not context.is_made:
        _check_order(context)


def _check_blocks(context: Context, marks: Iterable[tuple[int, Instruction, Flow]]) -> None:
    flow = _Walk()
    for number, item, role in marks:
        if role in OPENERS:
            _open(context, flow, number, item, role)
        elif role in CLOSERS:
            _close(context, flow, item, role)
        elif role is CALL:
            _call(context, flow, item)
        elif role is END:
            _end(context, flow, item)
        else:
            _middle(context, flow, item, role)
    for block in flow.stack:
        context.error("V004", f"{block.name} is never closed", block.head, hint=block.hint)
    if flow.end is None:
        last = context.program.instructions[-1] if context.program.instructions else None
        context.error("V001", f"{FLOW_NAMES[END]} is missing", last, hint="write END after the last instruction", fixes=_ended(last))
    _refuse_recursion(context, flow)


def _open(context: Context, flow: _Walk, number: int, item: Instruction, role: Flow) -> None:
    if role is SUBROUTINE:
        if flow.stack:
            context.error(
                "V010",
                f"a subroutine begins inside of {flow.stack[-1].name}",
                item,
                hint="close the block, and write the subroutine after END",
                also=_opened(flow.stack[-1]),
            )
        flow.sub = number
    block = _Open(role, item)
    flow.push(block)
    if block.counts and flow.depth == context.limits.nesting + 1:
        context.error(
            "S002",
            f"blocks nest more than {context.limits.nesting} deep",
            item,
            hint="leave out a loop or a switch; IFs directly inside of each other count as two at most",
        )


def _close(context: Context, flow: _Walk, item: Instruction, role: Flow) -> None:
    name, opener = item.opcode.name, _OPENER[role]
    if flow.stack and flow.stack[-1].flow is opener:
        flow.pop()
    elif flow.around[opener]:
        while flow.stack[-1].flow is not opener:
            block = flow.pop()
            also = (Label(item.span, f"{name} stands here"),) if item.span is not None else ()
            context.error("V004", f"{block.name} is not closed before {name}", block.head, hint=block.hint, also=also)
        flow.pop()
    else:
        context.error("V003", f"{name} without {FLOW_NAMES[opener]}", item, hint=_begin(opener, name))
    if role is ENDSUBROUTINE:
        flow.sub = -1


def _middle(context: Context, flow: _Walk, item: Instruction, role: Flow) -> None:
    """Check an arm or a jump. RETURN may stand anywhere."""
    name = item.opcode.name
    inner = flow.stack[-1] if flow.stack else None
    around = flow.around
    if role is ELSE:
        if inner is None or inner.flow is not IF:
            context.error("V003", f"{name} without {FLOW_NAMES[IF]}", item, hint=_begin(IF, name))
        elif inner.middle is not None:
            context.error(
                "V005", f"a second {name}", item, hint=f"leave it out, or close the first {inner.name} before", also=_first(inner.middle)
            )
        else:
            inner.middle = item
    elif role is CASE or role is DEFAULT:
        if inner is None or inner.flow is not SWITCH:
            context.error("V003", f"{name} without {FLOW_NAMES[SWITCH]}", item, hint=_begin(SWITCH, name))
        elif role is DEFAULT:
            if inner.middle is not None:
                context.error("V005", f"a second {name}", item, hint="leave it out, or write CASE", also=_first(inner.middle))
            inner.middle = item
    elif role is BREAK and not around[LOOP] and not around[SWITCH]:
        context.error("V006", f"{name} stands in no loop and no switch", item, hint=_leave(context, name))
    elif role is CONTINUE and not around[LOOP]:
        context.error("V006", f"{name} stands in no loop", item, hint=_leave(context, name))


def _call(context: Context, flow: _Walk, item: Instruction) -> None:
    instructions = context.program.instructions
    label = item.label
    if label is None:
        context.error("V008", "CAL has no label", item, hint="write `CAL :n`, where n is the number of a BGNSUB")
        return
    for target in (label, label - 1):  # some writers name the instruction after BGNSUB
        if 0 <= target < len(instructions) and instructions[target].opcode.flow is SUBROUTINE:
            flow.calls.setdefault(flow.sub, []).append((target, item))
            return
    there = f"instruction {label} is {instructions[label].opcode.name}" if label < len(instructions) else f"there is no instruction {label}"
    context.error("V008", f"CAL :{label} names no subroutine: {there}", item, hint="a label is the number of a BGNSUB, counted from 0")


def _end(context: Context, flow: _Walk, item: Instruction) -> None:
    if flow.end is not None:
        context.error("V002", f"a second {item.opcode.name}", item, hint="leave it out", also=_first(flow.end))
    flow.end = flow.end or item
    if flow.stack:
        block = flow.stack[-1]
        context.error("V004", f"{block.name} is not closed before {item.opcode.name}", block.head, hint=block.hint)
        flow.stack.clear()
        flow.around.clear()
        flow.depth = 0
        flow.sub = -1


def _refuse_recursion(context: Context, flow: _Walk) -> None:
    """Walk the calls depth first, with an explicit stack."""
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
    first = None
    for instruction in program.instructions:
        if (first := instruction.span) is not None:
            break
    if first is None:
        return
    start = first.start
    items: tuple[Item, ...] = (*context.declarations, *program.immediates)
    for item in items:
        span = item.span
        if span is not None and span.start > start and span.source is first.source:
            context.warning("V011", "a declaration follows the first instruction", item, hint="Mesa's checker refuses this order")
            return


def _begin(opener: Flow, name: str) -> str:
    return f"write {FLOW_NAMES[opener]} before, or leave {name} out"


def _leave(context: Context, name: str) -> str:
    loop = f"{name} belongs between {FLOW_NAMES[LOOP]} and {FLOW_NAMES[ENDLOOP]}"
    ways = f"{FLOW_NAMES[RETURN]} ends the program" + ", KILL the fragment" * (context.program.processor is Processor.FRAG)
    return f"{loop}; elsewhere {ways}"


def _ended(last: Instruction | None) -> tuple[Fix, ...]:
    if last is None or last.span is None:
        return ()
    source, end = last.span.source, last.span.end
    return (Fix(Span(source, end, end), f"\n{FLOW_NAMES[END]}"),)


def _opened(block: _Open) -> tuple[Label, ...]:
    return (Label(block.head.span, "opened here"),) if block.head.span is not None else ()


def _first(item: Instruction) -> tuple[Label, ...]:
    return (Label(item.span, "the first"),) if item.span is not None else ()
