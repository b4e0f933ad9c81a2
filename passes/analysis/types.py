"""What kinds of numbers operands and registers hold.

An opcode says it for most operands. MOV and its like copy bits: what they join has one kind, which is found by following them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from passes.analysis.uses import array_ranges, reachable
from tgsi.language.channels import source_channels
from tgsi.language.facts.enums import File, ImmediateType
from tgsi.language.facts.opcodes import Mode
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program

Node = tuple[File, int, int, int]
"""File, dimension, register (or -1 - array number where it is indexed), channel."""

_IMMEDIATES = {
    ImmediateType.FLT32: "float",
    ImmediateType.INT32: "int",
    ImmediateType.UINT32: "uint",
    ImmediateType.FLT64: "double",
    ImmediateType.INT64: "int64",
    ImmediateType.UINT64: "uint64",
}


def operand_types(item: Instruction) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Kinds of the destinations and of the sources; a sign or absolute value makes an untyped source float."""
    sources = tuple(
        "float" if kind == "untyped" and (operand.negate or operand.absolute) else kind
        for operand, kind in zip(item.src, item.opcode.src_types, strict=True)
    )
    return item.opcode.dst_types, sources


class RegisterTypes:
    """Kinds of register channels; make it with `infer_types`."""

    def __init__(self, program: Program) -> None:
        self._parents: dict[Node, Node] = {}
        self._kinds: dict[Node, set[str]] = {}
        self._arrays = array_ranges(program)
        self._sizes = {file: program.file_size(file) for file in File}
        self._indexed = self._find_indexed(program)

    def of(self, file: File, index: int, channel: int, dimension: int = 0) -> frozenset[str]:
        """All kinds that a channel is used as: empty where nothing says any, several where the program reinterprets bits."""
        return frozenset(self._kinds.get(self._root(self._node(file, index, channel, dimension)), set()))

    def _find_indexed(self, program: Program) -> dict[tuple[File, int], int]:
        """Registers that indirect accesses reach, as one: register -> group."""
        groups: dict[tuple[File, int], int] = {}
        ranges = {
            (register.file, reachable(self._arrays, self._sizes, register))
            for item in program.instructions
            for register in (*(o.register for o in item.dst), *(o.register for o in item.src))
            if register.indirect is not None
        }
        for file, registers in sorted(ranges, key=lambda pair: (pair[0], pair[1].start, pair[1].stop)):
            group = next((groups[file, index] for index in registers if (file, index) in groups), -1 - len(groups))
            for index in registers:
                groups[file, index] = group
        return groups

    def _node(self, file: File, index: int, channel: int, dimension: int) -> Node:
        return file, dimension, self._indexed.get((file, index), index), channel

    def _root(self, node: Node) -> Node:
        path = []
        while (parent := self._parents.get(node, node)) != node:
            path.append(node)
            node = parent
        for item in path:
            self._parents[item] = node
        return node

    def node_of(self, register: RegisterRef, channel: int) -> Node:
        """The node of an operand's channel."""
        dimension = register.dimension.index if register.dimension is not None and register.file is File.CONST else 0
        reached = reachable(self._arrays, self._sizes, register)
        return self._node(register.file, reached.start, channel, dimension)

    def mark(self, node: Node, kind: str) -> None:
        """A channel is used as this kind."""
        self._kinds.setdefault(self._root(node), set()).add(kind)

    def join(self, first: Node, second: Node) -> None:
        """Two channels hold the same bits."""
        kept, gone = self._root(first), self._root(second)
        if kept != gone:
            self._parents[gone] = kept
            self._kinds.setdefault(kept, set()).update(self._kinds.pop(gone, set()))


def infer_types(program: Program) -> RegisterTypes:
    """Kinds of all register channels, in time nearly linear in the program."""
    types = RegisterTypes(program)
    for number, immediate in enumerate(program.immediates):
        for channel in range(4):
            types.mark(types.node_of(RegisterRef(File.IMM, number), channel), _IMMEDIATES[immediate.type])
    for item in program.instructions:
        kinds_dst, kinds_src = operand_types(item)
        for destination, kind in zip(item.dst, kinds_dst, strict=True):
            for channel in _channels(destination.write_mask):
                if kind != "untyped":
                    types.mark(types.node_of(destination.register, channel), kind)
        for number, (source, kind) in enumerate(zip(item.src, kinds_src, strict=True)):
            for channel in _channels(source_channels(item, number)):
                node = types.node_of(source.register, source.swizzle[channel])
                if kind != "untyped":
                    types.mark(node, kind)
                elif item.opcode.mode is Mode.COMPONENTWISE and item.dst:  # bits pass through
                    types.join(types.node_of(item.dst[0].register, channel), node)
    return types


def named(kinds: frozenset[str]) -> str:
    """One word for a set of kinds: ``untyped``, the kind, or ``mixed``."""
    return next(iter(kinds)) if len(kinds) == 1 else "mixed" if kinds else "untyped"


def summary(program: Program) -> Mapping[tuple[File, int], tuple[str, str, str, str]]:
    """A word for each channel of the declared temporaries, inputs and outputs."""
    types = infer_types(program)
    found: dict[tuple[File, int], tuple[str, str, str, str]] = {}
    for item in program.declarations:
        if item.file in (File.TEMP, File.IN, File.OUT, File.ADDR):
            for index in range(item.first, item.last + 1):
                x, y, z, w = (named(types.of(item.file, index, channel)) for channel in range(4))
                found[item.file, index] = x, y, z, w
    return found


def _channels(mask: int) -> Iterator[int]:
    return (channel for channel in range(4) if mask >> channel & 1)
