"""The pass replace-jumps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from passes.analysis import facts
from passes.analysis.access import flows_of
from passes.analysis.regions import MAX_DEPTH, Arm, Block, Call, If, Jump, Loop, Node, Region, Switch, analyse_regions, children, walk
from passes.base import Pass
from passes.edit import Temporaries, with_parts
from tgsi.language.facts.enums import IMM
from tgsi.language.facts.limits import MAX_INDENTED
from tgsi.language.facts.opcodes import FLOW_NAMES, OPCODES
from tgsi.language.facts.traits import BREAK, CONTINUE, ELSE, END, ENDIF, ENDLOOP, ENDSWITCH, JUMPS, LOOP, SUBROUTINE, SWITCH, Flow
from tgsi.language.ir import DstOperand, Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_X = (0, 0, 0, 0)
_ELSE, _ENDIF, _ENDLOOP, _ENDSWITCH = (Instruction(OPCODES[FLOW_NAMES[flow]]) for flow in (ELSE, ENDIF, ENDLOOP, ENDSWITCH))


@record(slots=False)
class ReplaceJumps(Pass):
    """Write a short SWITCH, and a loop that every lane leaves in its first round, as IFs; drop a CONT where a round ends anyway.

    What follows a branch with an arm that leaves goes into the other arm. A switch stays if an arm falls into the next one, if a case is no
    constant, or if it has more than `cases` cases. A loop around other loops stays, because these would get fuel of their own.
    """

    name = "replace-jumps"
    cases: int = 8

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        flows = facts.of(program, flows_of)
        if flows.isdisjoint((LOOP, SWITCH)) or SUBROUTINE in flows:
            return program
        if flows.isdisjoint((SWITCH, CONTINUE)) and _has_plain_loops(program):
            return program
        writer = _Writer(program, self.cases)
        before = analyse_regions(program).main
        main = writer.region(before)
        if not writer.changed or _depth(main) > max(_depth(before), MAX_INDENTED // 2):
            return program
        end = [item for item in program.instructions if item.opcode.flow is END][:1]
        return writer.temporaries.finish(with_parts(program, instructions=(*_flat(main), *end)))


def _has_plain_loops(program: Program) -> bool:
    """Return true if ENDIF follows every jump, and a computation ends every loop: then some lanes begin a second round."""
    flows = [item.opcode.flow for item in program.instructions]
    for flow, following in pairwise(flows):
        if flow is not None and (following is ENDLOOP or (flow in JUMPS and following is not ENDIF)):
            return False
    return True


class _Writer:
    """The regions of a program, written anew from the innermost outward."""

    def __init__(self, program: Program, cases: int) -> None:
        self.program, self.cases = program, cases
        self.temporaries = Temporaries(program)
        self.changed = False

    def region(self, nodes: Region) -> Region:
        """Write a region."""
        rewritten: list[Node] = []
        for node in nodes:
            match node:
                case If():
                    rewritten.append(If(node.head, self.region(node.then), self.region(node.otherwise)))
                case Loop():
                    rewritten += self._loop(node)
                case Switch():
                    rewritten += self._switch(Switch(node.head, tuple(Arm(arm.head, self.region(arm.body)) for arm in node.arms)))
                case _:
                    rewritten.append(node)
        return tuple(rewritten)

    def _loop(self, loop: Loop) -> Region:
        body = self.region(loop.body)
        shorter = _without_last(body)
        self.changed |= shorter != body
        if not any(isinstance(node, (Loop, Call)) for node in walk(shorter)) and CONTINUE not in _jumps(shorter):
            ended = _to_ends(shorter)
            if ended is not None and ended[1]:
                self.changed = True
                return ended[0]
        return (Loop(loop.head, shorter),)

    def _switch(self, switch: Switch) -> Region:
        unchanged: Region = (switch,)
        source = switch.head.src[0]
        groups = _groups(switch)
        if groups is None or source.negate or source.absolute or not self.temporaries.room(len(groups)):
            return unchanged
        labels = [label for cases, _ in groups for label in cases or ()]
        constants = [label for label in labels if _is_constant(label, self.program)]
        words = [self.program.immediates[label.register.index].words[label.swizzle[0]] for label in constants]
        if not len(labels) == len(words) == len(set(words)) <= self.cases:
            return unchanged
        bodies: list[Region] = []
        for number, (_, body) in enumerate(groups):
            ended = _to_ends(body)
            if ended is None or not (ended[1] or number == len(groups) - 1):
                return unchanged
            bodies.append(ended[0])
        self.changed = True
        region: Region = ()
        for (cases, _), body in zip(reversed(groups), reversed(bodies)):
            region = body if cases is None else self._choice(source, cases, body, region)
        return region

    def _choice(self, selector: SrcOperand, cases: Sequence[SrcOperand], body: Region, others: Region) -> Region:
        """IF for the lanes whose selector is one of the cases."""
        condition = self.temporaries.new()
        target, chosen = DstOperand(condition, 1), SrcOperand(condition, _X)
        tests: list[Instruction] = []
        for number, case in enumerate(cases):
            channel = DstOperand(condition, 1 << min(number, 1))
            tests.append(Instruction(OPCODES["USEQ"], (channel,), (replace(selector, swizzle=(selector.swizzle[0],) * 4), case)))
            if number:
                tests.append(Instruction(OPCODES["OR"], (target,), (chosen, SrcOperand(condition, (1, 1, 1, 1)))))
        return Block(tuple(tests)), If(Instruction(OPCODES["UIF"], (), (chosen,)), body, others)


def _groups(switch: Switch) -> list[tuple[list[SrcOperand] | None, Region]] | None:
    """The arms with their cases, arms without instructions together with the next; None means DEFAULT and the cases with the same arm.

    No groups if something follows DEFAULT: it takes lanes that a later CASE takes again.
    """
    groups: list[tuple[list[SrcOperand] | None, Region]] = []
    cases: list[SrcOperand] | None = []
    for arm in switch.arms:
        if groups and groups[-1][0] is None:
            return None
        if arm.is_default:
            cases = None
        elif cases is not None:
            cases.append(arm.head.src[0])
        if arm.body:
            groups.append((cases, arm.body))
            cases = []
    return groups or None


def _is_constant(label: SrcOperand, program: Program) -> bool:
    register = label.register
    direct = register.file is IMM and register.indirect is None and register.dimension is None and not label.negate and not label.absolute
    return direct and register.index < len(program.immediates)


def _jumps(region: Region) -> set[Flow]:
    """Kinds of jumps in a region and below it that may leave it: not the BRKs of loops and switches in it."""
    kinds: set[Flow] = set()
    for node in region:
        inner = {node.kind} if isinstance(node, Jump) else set().union(*(_jumps(child) for child in children(node)))
        if isinstance(node, Loop):
            inner -= {BREAK, CONTINUE}
        elif isinstance(node, Switch):
            inner -= {BREAK}
        kinds |= inner
    return kinds


def _without_last(region: Region) -> Region:
    """The body of a loop without CONTs in last place."""
    if not region:
        return region
    *others, last = region
    match last:
        case Jump() if last.kind is CONTINUE:
            return tuple(others)
        case If():
            return *others, If(last.head, _without_last(last.then), _without_last(last.otherwise))
    return region


def _to_ends(region: Region, room: int = MAX_DEPTH) -> tuple[Region, bool] | None:
    """A region without BRKs, after which it ends anyway, and whether every lane left by a jump.

    None if that cannot be written, or not with fewer than `room` blocks inside of each other: what follows an arm that leaves nests in the
    other arm, so a function with a thousand returns would nest a thousand deep.
    """
    if not room:
        return None
    before: list[Node] = []
    for number, node in enumerate(region):
        if isinstance(node, Jump):
            return (tuple(before) if node.kind is BREAK else (*before, node)), True
        if not isinstance(node, If) or BREAK not in _jumps((node,)):
            before.append(node)
            continue
        rest = region[number + 1 :]
        then, otherwise = _to_ends(node.then, room - 1), _to_ends(node.otherwise, room - 1)
        if then is None or otherwise is None:
            return None
        leaves = then[1] and otherwise[1]
        if rest and then[1] and not leaves:
            otherwise = _to_ends((*node.otherwise, *rest), room - 1)
        elif rest and otherwise[1] and not leaves:
            then = _to_ends((*node.then, *rest), room - 1)
        elif rest and not leaves:
            return None
        if then is None or otherwise is None:
            return None
        return (*before, If(node.head, then[0], otherwise[0])), then[1] and otherwise[1]
    return tuple(before), False


def _depth(region: Region) -> int:
    return max((1 + max(map(_depth, children(node))) for node in region if children(node)), default=0)


def _flat(region: Region) -> Iterator[Instruction]:
    for node in region:
        match node:
            case Block():
                yield from node.instructions
            case If():
                yield replace(node.head, label=None)
                yield from _flat(node.then)
                if node.otherwise:
                    yield _ELSE
                    yield from _flat(node.otherwise)
                yield _ENDIF
            case Loop():
                yield replace(node.head, label=None)
                yield from _flat(node.body)
                yield _ENDLOOP
            case Switch():
                yield node.head
                for arm in node.arms:
                    yield arm.head
                    yield from _flat(arm.body)
                yield _ENDSWITCH
            case Jump():
                yield node.instruction
