"""Lowered code: TGSI instructions, and separate instructions for reads and writes of ISBE.

An address counts bytes of its region as if vertices, or primitives, lay one after the other. SKEW and PRIM are modifiers: with SKEW the
hardware moves the address to its place in the skewed order, and PRIM says that it does so in the part of the primitives.
"""

from __future__ import annotations

from collections.abc import Iterator

from backends.nvk.isbe.index_map import IndexMap
from backends.nvk.isbe.mesh_output import MeshOutput
from backends.nvk.isbe.regions import Region, Side
from backends.nvk.isbe.task_output import TaskOutput
from tgsi.language.facts.enums import Processor
from tgsi.language.ir import Declaration, DstOperand, Immediate, Instruction, Property, SrcOperand
from tgsi.language.mesh import MeshLayout
from tgsi.language.printer import print_declaration, print_destination, print_immediate, print_instruction, print_property, print_source
from tgsi.language.record import record


@record
class Address:
    """A byte address: `offset`, plus the uint value of `base` where there is one."""

    offset: int
    base: SrcOperand | None = None


@record(kw_only=True)
class Access:
    """Place of a read or write: space, region, bits (8 or 32), modifiers and address."""

    side: Side
    address: Address
    region: Region = Region.ATTR
    bits: int = 32
    skew: bool = False
    per_primitive: bool = False


@record
class IsbeRead:
    """One channel of `dst` takes a value of ISBE, in the lanes whose `predicate` is not 0."""

    dst: DstOperand
    access: Access
    predicate: SrcOperand | None = None


@record
class IsbeWrite:
    """ISBE takes the value of a source's first channel, in the lanes whose `predicate` is not 0."""

    access: Access
    value: SrcOperand
    predicate: SrcOperand | None = None


Item = Instruction | IsbeRead | IsbeWrite


@record(kw_only=True)
class Code:
    """A lowered program. Labels of calls count items. `threads` run it: the lanes of one warp.

    The lowering adds loops, so the program's limit on rounds must be raised: `rounds` is the largest number of rounds of an added loop,
    `growth` the number of rounds that replace one round of the program.
    """

    processor: Processor
    threads: int
    properties: tuple[Property, ...]
    declarations: tuple[Declaration, ...]
    immediates: tuple[Immediate, ...]
    items: tuple[Item, ...]
    rounds: int = 0
    growth: int = 1

    def __str__(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield f"{self.processor.name} lowered, {self.threads} threads"
        yield from map(print_property, self.properties)
        for declaration in self.declarations:
            yield print_declaration(declaration, self.processor)
        for number, immediate in enumerate(self.immediates):
            yield print_immediate(immediate, number)
        for number, item in enumerate(self.items):
            yield f"{number:3d}: {print_item(item)}"


@record
class OutputWord:
    """Channel `component` of the OUT register `register`, and the attribute that holds it."""

    register: int
    component: int
    attribute: int


@record
class LoweredTask:
    """A lowered task program and the layout of its output."""

    code: Code
    output: TaskOutput
    threads: int


@record(kw_only=True)
class LoweredMesh:
    """A lowered mesh program.

    Attributes:
        code: the instructions.
        threads: threads of a workgroup of the program that was lowered.
        output: layout of output ATTR.
        index_map: layout of output MAP.
        layout: registers of the program that was lowered.
        vertex_words, primitive_words: places of outputs that are attributes of their own.
        mask: where a mask of viewports is written: the registers of VIEWPORT_INDEX, VIEWPORT_MASK and CULL_PRIMITIVE by name; else none.
        behind_task: True if workgroups read what a task hands over.
    """

    code: Code
    threads: int
    output: MeshOutput
    index_map: IndexMap
    layout: MeshLayout
    vertex_words: tuple[OutputWord, ...]
    primitive_words: tuple[OutputWord, ...]
    mask: tuple[tuple[str, int], ...]
    behind_task: bool


def print_item(item: Item) -> str:
    """One item without its number, e.g. ``@TEMP[2].x ISBEWR.O.ATTR.32 [0x4], TEMP[3].x``."""
    match item:
        case IsbeRead(dst, access, predicate):
            return f"{_predicate(predicate)}ISBERD.{print_access(access)}, {print_destination(dst)}"
        case IsbeWrite(access, value, predicate):
            return f"{_predicate(predicate)}ISBEWR.{print_access(access)}, {_first_channel(value)}"
        case _:
            return print_instruction(item)


def print_access(access: Access) -> str:
    """``O.ATTR.32.SKEW [TEMP[1].x+0x40]``."""
    flags = ".SKEW" * access.skew + ".PRIM" * access.per_primitive
    offset = f"0x{access.address.offset:02x}"
    base = access.address.base
    place = offset if base is None else _first_channel(base) + (f"+{offset}" if access.address.offset else "")
    return f"{access.side.name}.{access.region.name}.{access.bits}{flags} [{place}]"


def _predicate(predicate: SrcOperand | None) -> str:
    return "" if predicate is None else f"@{_first_channel(predicate)} "


def _first_channel(operand: SrcOperand) -> str:
    whole = print_source(SrcOperand(operand.register, (operand.swizzle[0],) * 4))
    return whole[: -len("xxx")] if whole[-1] == whole[-2] else whole
