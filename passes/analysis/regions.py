"""The control flow of a program as a read-only tree, which the interpreter and the code generator both walk.

Instructions are a flat list whose branch labels are often wrong or zero, so nesting is derived from the instructions alone; only CAL uses
its label. Both walkers follow these rules about lanes:

* IF takes lanes whose x is not 0.0 (NaN and denormals count, -0 does not), UIF those with any bit set; ELSE the others.
* BRK leaves the innermost loop or switch, CONT goes to the end of the innermost loop's body (a switch in between is left too),
  RET leaves the subroutine, or stops the lane if it is in the main program. END stops all lanes.
* A switch keeps two masks, `inside` and `matched`, both empty at its start. A CASE adds its hits (selector equal, among the lanes
  that entered the switch and have not left it by CONT or RET) to both; DEFAULT adds to `inside` every such lane that is not in
  `matched` yet; BRK takes its lanes out of `inside`. So lanes fall through, a DEFAULT that stands first also takes lanes that
  a later CASE will match, and code before the first CASE runs for no lane.
* Fuel is a counter per lane, set to `FUEL` where a lane enters a loop that is inside of no other (calls written out). At ENDLOOP
  it goes down by one for every lane that would start another iteration; lanes where it is then 0 or less leave that loop as by BRK. So
  every program ends.

Source: Gallium's TGSI documentation; Mesa 18.1 where that is silent (see the reference's chapter on deviations).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TypeAlias

from tgsi.language.diagnostics import Diagnostic, Label, Severity, UnsupportedError, ValidationError
from tgsi.language.facts.opcodes import FLOW_NAMES
from tgsi.language.facts.traits import ARMS, CLOSERS, JUMPS, OPENERS, Flow
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.source import Span

FUEL = 1 << 18
"""Iterations that one lane may make in an outermost loop and the loops inside of it: one at least for each component that a geometry shader
may write."""

MAX_DEPTH = 100
"""Deepest nesting of regions, subroutine calls included. It is bounded because the walkers recurse."""

MAX_EXPANSION = 1 << 18
"""Most instructions of a program with every call written out. It is bounded because chains of calls grow exponentially."""


@record
class Block:
    """Instructions that run one after another. KILL is among them: it stops output, not computing."""

    instructions: tuple[Instruction, ...]


@record
class If:
    """IF or UIF: `head` holds the condition in the x that its source selects."""

    head: Instruction
    then: Region
    otherwise: Region = ()


@record
class Loop:
    """An endless loop; lanes leave it by BRK or RET, or when they run out of fuel."""

    head: Instruction
    body: Region


@record
class Arm:
    """The instructions after one CASE or DEFAULT, up to the next; an arm that does not end in BRK falls into the next one."""

    head: Instruction
    body: Region

    @property
    def is_default(self) -> bool:
        """True for the arm of DEFAULT."""
        return self.head.opcode.flow is Flow.DEFAULT


@record
class Switch:
    """SWITCH: the selector is the x of `head`'s source; arms in the order of the text."""

    head: Instruction
    arms: tuple[Arm, ...]


@record
class Jump:
    """BRK, CONT or RET: the active lanes leave; the other lanes run the rest of the region."""

    instruction: Instruction

    @property
    def kind(self) -> Flow:
        """`Flow.BREAK`, `Flow.CONTINUE` or `Flow.RETURN`."""
        assert self.instruction.opcode.flow is not None
        return self.instruction.opcode.flow


@record
class Call:
    """CAL: `sub` is the key in `Regions.subs`."""

    instruction: Instruction
    sub: int


Node: TypeAlias = Block | If | Loop | Switch | Jump | Call
Region: TypeAlias = tuple[Node, ...]


@record
class Sub:
    """A subroutine: `index` is the number of its BGNSUB. ENDSUB acts as RET."""

    index: int
    body: Region


@record
class Regions:
    """The main program and the subroutines that calls name (others are left out). Calls never recurse."""

    main: Region
    subs: dict[int, Sub] = field(default_factory=dict)


def children(node: Node) -> tuple[Region, ...]:
    """Return the regions inside a node, in the order of the text; a call has none."""
    match node:
        case If():
            return node.then, node.otherwise
        case Loop():
            return (node.body,)
        case Switch():
            return tuple(arm.body for arm in node.arms)
        case _:
            return ()


def walk(region: Region) -> Iterator[Node]:
    """Yield every node of a region and below it, in the order of the text; calls are not followed."""
    stack: list[Iterator[Node]] = [iter(region)]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
            continue
        yield node
        stack.append(iter([inner for child in children(node) for inner in child]))


def analyse_regions(program: Program) -> Regions:
    """Build the tree of a validated program.

    Raises:
        ValidationError: blocks do not nest, a jump stands outside of its loop or switch, a label names no subroutine, or calls recurse.
        UnsupportedError: nesting beyond `MAX_DEPTH`, or more than `MAX_EXPANSION` instructions with all calls written out.
    """
    instructions = program.instructions
    main: list[Node] = []
    starts: dict[int, int] = {}
    index, ended = 0, False
    while index < len(instructions):
        flow = instructions[index].opcode.flow
        if flow is Flow.SUBROUTINE:
            starts[index] = index
            index = _skip_sub(instructions, index)
        elif flow is Flow.END:
            ended, index = True, index + 1
        elif ended:
            index += 1  # not reachable
        else:
            reader = _Reader(instructions, index)
            main += reader.read((Flow.SUBROUTINE, Flow.END))
            index = reader.index
    subs: dict[int, Sub] = {}
    wanted = [node for node in walk(tuple(main)) if isinstance(node, Call)]
    while wanted:
        call = wanted.pop()
        if call.sub in subs:
            continue
        if call.sub not in starts:
            raise _error(f"CAL :{call.sub} does not name a subroutine", call.instruction.span)
        reader = _Reader(instructions, call.sub + 1)
        subs[call.sub] = Sub(call.sub, tuple(reader.read((Flow.ENDSUBROUTINE,))))
        wanted += [node for node in walk(subs[call.sub].body) if isinstance(node, Call)]
    regions = Regions(tuple(main), subs)
    _measure(regions)
    return regions


def _skip_sub(instructions: Sequence[Instruction], start: int) -> int:
    for index in range(start + 1, len(instructions)):
        opcode = instructions[index].opcode
        if opcode.flow is Flow.ENDSUBROUTINE:
            return index + 1
        if opcode.flow is Flow.SUBROUTINE or opcode.flow is Flow.END:
            raise _error(f"{opcode.name} inside a subroutine", instructions[index].span)
    raise _error(f"{instructions[start].opcode.name} without {FLOW_NAMES[Flow.ENDSUBROUTINE]}", instructions[start].span)


_ENDS = ARMS | CLOSERS | {Flow.SUBROUTINE, Flow.END}
"""Instructions that end the region around them."""


class _Reader:
    """Reader of regions from one place on; `index` is the number of the next instruction."""

    def __init__(self, instructions: Sequence[Instruction], index: int) -> None:
        self.instructions = instructions
        self.index = index
        self.around: list[Flow] = []  # open blocks, outermost first

    def read(self, ends: tuple[Flow, ...]) -> list[Node]:
        """Read nodes up to one of `ends`, which is not consumed; the end of main's text serves as END."""
        nodes: list[Node] = []
        straight: list[Instruction] = []

        def close_block() -> None:
            if straight:
                nodes.append(Block(tuple(straight)))
                straight.clear()

        while self.index < len(self.instructions):
            instruction = self.instructions[self.index]
            flow = instruction.opcode.flow
            if flow in ends:
                break
            if flow in _ENDS:
                raise _error(f"{instruction.opcode.name} without its opening instruction", instruction.span)
            if flow in OPENERS:
                close_block()
                nodes.append(self._nested(instruction))
                continue
            self.index += 1
            if flow in JUMPS:
                self._check_jump(instruction)
                close_block()
                nodes.append(Jump(instruction))
            elif flow is Flow.CALL:
                close_block()
                nodes.append(Call(instruction, self._target(instruction)))
            else:
                straight.append(instruction)
        else:
            if Flow.END not in ends:
                raise _error(f"{' or '.join(FLOW_NAMES[end] for end in ends)} is missing", self.instructions[-1].span)
        close_block()
        return nodes

    def _nested(self, head: Instruction) -> Node:
        if len(self.around) >= MAX_DEPTH:
            raise UnsupportedError.at("B040", f"control flow nested more than {MAX_DEPTH} deep", head.span)
        self.index += 1
        flow = head.opcode.flow
        assert flow is not None
        self.around.append(flow)
        node: Node
        if flow is Flow.LOOP:
            node = Loop(head, tuple(self.read((Flow.ENDLOOP,))))
        elif flow is Flow.SWITCH:
            node = Switch(head, tuple(self._arms()))
        else:
            then = tuple(self.read((Flow.ELSE, Flow.ENDIF)))
            otherwise: Region = ()
            if self.instructions[self.index].opcode.flow is Flow.ELSE:
                self.index += 1
                otherwise = tuple(self.read((Flow.ENDIF,)))
            node = If(head, then, otherwise)
        self.index += 1
        self.around.pop()
        return node

    def _arms(self) -> Iterator[Arm]:
        ends = (Flow.CASE, Flow.DEFAULT, Flow.ENDSWITCH)
        self.read(ends)  # code before the first CASE runs for no lane
        while (head := self.instructions[self.index]).opcode.flow is not Flow.ENDSWITCH:
            self.index += 1
            yield Arm(head, tuple(self.read(ends)))

    def _check_jump(self, instruction: Instruction) -> None:
        name, flow = instruction.opcode.name, instruction.opcode.flow
        if flow is Flow.BREAK and Flow.LOOP not in self.around and Flow.SWITCH not in self.around:
            raise _error(f"{name} outside of a loop or switch", instruction.span)
        if flow is Flow.CONTINUE and Flow.LOOP not in self.around:
            raise _error(f"{name} outside of a loop", instruction.span)

    def _target(self, call: Instruction) -> int:
        """Return the BGNSUB of a call, whose label names it or the instruction after it."""
        label = -1 if call.label is None else call.label
        for index in (label, label - 1):
            if 0 <= index < len(self.instructions) and self.instructions[index].opcode.flow is Flow.SUBROUTINE:
                return index
        raise _error(f"CAL :{label} does not name a subroutine", call.span)


def _measure(regions: Regions) -> None:
    """Bound the depth and the size of the program with all calls written out, and reject recursion."""
    done: dict[int, tuple[int, int]] = {}
    active: list[int] = []

    def of_region(region: Region, above: int) -> tuple[int, int]:
        depth, size = 0, 0
        for node in region:
            inner_depth, inner_size = of_node(node, above)
            depth, size = max(depth, inner_depth), size + inner_size
        return depth, size

    def of_node(node: Node, above: int) -> tuple[int, int]:
        if isinstance(node, Block):
            return 0, len(node.instructions)
        depth, size = 0, 1
        if above < MAX_DEPTH:
            for inner in [of_sub(node, above + 1)] if isinstance(node, Call) else [of_region(r, above + 1) for r in children(node)]:
                depth, size = max(depth, inner[0]), size + inner[1]
        if above + depth >= MAX_DEPTH:
            raise UnsupportedError.at("B040", f"control flow and calls nested more than {MAX_DEPTH} deep", _head(node).span)
        if size > MAX_EXPANSION:
            raise UnsupportedError.at("B041", f"calls expand to more than {MAX_EXPANSION} instructions", _head(node).span)
        return depth + 1, size

    def of_sub(call: Call, above: int) -> tuple[int, int]:
        if call.sub in active:
            raise _error("a subroutine calls itself", call.instruction.span)
        if call.sub not in done:
            active.append(call.sub)
            done[call.sub] = of_region(regions.subs[call.sub].body, above)
            active.pop()
        return done[call.sub]

    _, total = of_region(regions.main, 0)
    if total > MAX_EXPANSION:
        raise UnsupportedError.at("B041", f"the program and its calls expand to more than {MAX_EXPANSION} instructions")


def _head(node: If | Loop | Switch | Jump | Call) -> Instruction:
    return node.instruction if isinstance(node, (Jump, Call)) else node.head


def _error(message: str, span: Span | None) -> ValidationError:
    labels = (Label(span),) if span is not None else ()
    return ValidationError((Diagnostic("V090", Severity.ERROR, message, labels),))
