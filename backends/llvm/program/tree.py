"""Control tree of a program with its calls expanded. The divergence analysis and the generator walk it.

`passes.analysis.regions` defines its shape. Here every occurrence of an instruction is a separate object with its place, because calls of a
subroutine may differ in their uniform values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Literal

from passes.analysis import regions
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.language.record import record

Kind = Literal["if", "loop", "switch", "call"]

MAX_ITEMS = 1 << 15
"""Most instructions with all calls expanded, each of which takes tens of microseconds of code generation."""


@record(frozen=False, eq=False)
class Leaf:
    """One occurrence of an instruction that is not a control (BRK, CONT and RET among them)."""

    instruction: Instruction
    region: Region


@record(frozen=False, eq=False)
class Region:
    """Items that run in sequence. `case`: the CASE or DEFAULT that opens the arm of a switch."""

    control: Control | None
    items: list[Leaf | Control] = field(default_factory=list)
    case: Instruction | None = None


@record(frozen=False, eq=False)
class Control:
    """A control inside of `region`. An IF has two arms, a switch one for each label, loops and calls one."""

    kind: Kind
    instruction: Instruction
    region: Region
    arms: list[Region] = field(default_factory=list)


def enclosing(region: Region) -> Iterator[Control]:
    """Controls around a region, from the innermost outward."""
    control = region.control
    while control is not None:
        yield control
        control = control.region.control


def build_tree(program: Program) -> Region:
    """Main region of a program.

    Raises UnsupportedError for more than `MAX_ITEMS` instructions, and the errors of `passes.analysis.regions.analyse_regions`.
    """
    shape = regions.analyse_regions(program)
    room = MAX_ITEMS

    def fill(region: Region, nodes: regions.Region) -> None:
        nonlocal room
        for node in nodes:
            room -= len(node.instructions) if isinstance(node, regions.Block) else 1
            if room < 0:
                text = f"the {program.processor.name} program and its calls expand to more than {MAX_ITEMS} instructions"
                raise UnsupportedError.at("B041", text, hint="shorten or divide the shader, or let it loop where it repeats itself")
            match node:
                case regions.Block():
                    region.items += [Leaf(i, region) for i in node.instructions if not i.opcode.has_no_effect]
                case regions.Jump():
                    region.items.append(Leaf(node.instruction, region))
                    return  # unreachable after it
                case regions.If():
                    control = add(region, "if", node.head)
                    arm(control, node.then)
                    arm(control, node.otherwise)
                case regions.Loop():
                    arm(add(region, "loop", node.head), node.body)
                case regions.Switch():
                    control = add(region, "switch", node.head)
                    for part in node.arms:
                        room -= 1
                        arm(control, part.body, part.head)
                case regions.Call():
                    arm(add(region, "call", node.instruction), shape.subs[node.sub].body)

    def add(region: Region, kind: Kind, head: Instruction) -> Control:
        control = Control(kind, head, region)
        region.items.append(control)
        return control

    def arm(control: Control, nodes: regions.Region, case: Instruction | None = None) -> None:
        region = Region(control, case=case)
        control.arms.append(region)
        fill(region, nodes)

    top = Region(None)
    fill(top, shape.main)
    return top


def leaves(region: Region) -> Iterator[Leaf]:
    """Leaves of a region and of the controls in it, in the order of the text."""
    for item in region.items:
        if isinstance(item, Leaf):
            yield item
        else:
            for arm in item.arms:
                yield from leaves(arm)


def controls(region: Region) -> Iterator[Control]:
    """Controls of a region, nested ones included, outer ones first."""
    for item in region.items:
        if isinstance(item, Control):
            yield item
            for arm in item.arms:
                yield from controls(arm)
