"""A module as tables: types, constants, decorations, entry points, functions with their blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from frontends.spirv.module.constants import Constants
from frontends.spirv.module.decoder import Module as Input
from frontends.spirv.module.decoder import decode, words_of
from frontends.spirv.module.enumerants import name_of
from frontends.spirv.module.errors import Op, Sources
from frontends.spirv.module.typing import Types
from tgsi.language.record import record

_REFUSED = """
    Addresses Linkage Kernel Vector16 Float16Buffer Float16 Groups DeviceEnqueue Pipes Int16 Int8 LiteralSampler GenericPointer
    StorageBuffer16BitAccess UniformAndStorageBuffer16BitAccess StoragePushConstant16 StorageInputOutput16 StorageBuffer8BitAccess
    UniformAndStorageBuffer8BitAccess StoragePushConstant8 RayQueryKHR RayTracingKHR RayTracingNV PhysicalStorageBufferAddresses
    CooperativeMatrixNV RayTraversalPrimitiveCullingKHR VariablePointers VariablePointersStorageBuffer MultiView SparseResidency
"""
REFUSED = frozenset(_REFUSED.split())
"""Capabilities that TGSI cannot express."""

_ENDS = frozenset({249, 250, 251, 252, 253, 254, 255, 4416, 5294})
_MERGES = {246: "loop", 247: "selection"}


@record(frozen=False)
class Block:
    """Instructions between two labels, without phis and merge. `merge`: its kind, the merge block, the continue target."""

    label: int
    at: int
    phis: list[Op] = field(default_factory=list)
    body: list[Op] = field(default_factory=list)
    merge: tuple[str, int, int] | None = None
    end: Op | None = None


@record(frozen=False)
class Function:
    """A function: its parameters and blocks by label, in order. `entry` is the first label."""

    id: int
    op: Op
    parameters: list[Op] = field(default_factory=list)
    blocks: dict[int, Block] = field(default_factory=dict)
    entry: int = 0


@record
class EntryPoint:
    """A shader of the module: the name of its execution model, its function, its name and its variables."""

    model: str
    function: int
    name: str
    interface: tuple[int, ...]
    op: Op


@record(frozen=False, kw_only=True)
class Tables:
    """All tables of a module."""

    sources: Sources
    types: Types
    constants: Constants
    bound: int = 0
    capabilities: list[str] = field(default_factory=list)
    extended: dict[int, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    member_names: dict[tuple[int, int], str] = field(default_factory=dict)
    semantics: dict[int, str] = field(default_factory=dict)
    decorations: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    member_decorations: dict[tuple[int, int], dict[str, list[int]]] = field(default_factory=dict)
    entries: list[EntryPoint] = field(default_factory=list)
    modes: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    globals: dict[int, Op] = field(default_factory=dict)
    functions: dict[int, Function] = field(default_factory=dict)
    defined: set[int] = field(default_factory=set)
    type_of: dict[int, int] = field(default_factory=dict)

    def decoration(self, id: int, name: str) -> int | None:
        """The first word of a decoration of an id, or 0 without words; None if the id is not decorated."""
        return _first(self.decorations.get(id, {}), name)

    def member(self, struct: int, index: int, name: str) -> int | None:
        """Like `decoration`, for a member of a struct."""
        return _first(self.member_decorations.get((struct, index), {}), name)

    def name(self, id: int) -> str:
        """The name of an id in the source, or a generated one."""
        return self.names.get(id) or f"_{id}"


def _first(found: dict[str, list[int]], name: str) -> int | None:
    values = found.get(name)
    return None if values is None else (values[0] if values else 0)


def load(module: Input, name: str, specialization: Mapping[int | str, float] | None = None) -> Tables:
    """Read a module.

    Raises:
        ParseError: it is not a module, or breaks a rule.
        UnsupportedError: a capability that TGSI cannot express.
    """
    sources = Sources(name)
    words = words_of(module, sources)
    ops = list(decode(words, sources))
    types = Types(sources)
    tables = Tables(sources=sources, types=types, constants=Constants(sources, types), bound=words[3])
    for op in ops:  # names, lines and decorations precede their targets
        _annotate(tables, op)
    tables.types.decorations = tables.decorations
    tables.constants.specialize(tables, specialization or {})
    types.constant = tables.constants.whole
    _define(tables, ops)
    return tables


def _annotate(tables: Tables, op: Op) -> None:
    sources = tables.sources
    match op.name:
        case "OpString":
            sources.files[op.result] = op.text(0)
        case "OpSource":
            if len(op.operands) > 3:
                sources.texts[op.id(2)] = op.text(3)
                sources.last = op.id(2)
        case "OpSourceContinued":
            if sources.last in sources.texts:
                sources.texts[sources.last] += op.text(0)
        case "OpName":
            tables.names[op.id(0)] = op.text(1)
        case "OpMemberName":
            tables.member_names[op.id(0), op.id(1)] = op.text(2)
        case "OpDecorate" | "OpDecorateId":
            tables.decorations.setdefault(op.id(0), {})[name_of("Decoration", op.id(1))] = [
                x for x in op.operands[2:] if isinstance(x, int)
            ]
        case "OpMemberDecorate":
            known = tables.member_decorations.setdefault((op.id(0), op.id(1)), {})
            known[name_of("Decoration", op.id(2))] = [x for x in op.operands[3:] if isinstance(x, int)]
        case "OpDecorateString":
            if name_of("Decoration", op.id(1)) == "UserSemantic":
                tables.semantics[op.id(0)] = op.text(2)
        case "OpGroupDecorate":
            for target in op.ids(1):
                tables.decorations.setdefault(target, {}).update(tables.decorations.get(op.id(0), {}))
        case "OpGroupMemberDecorate":
            for target, member in zip(op.ids(1)[::2], op.ids(1)[1::2], strict=False):
                tables.member_decorations.setdefault((target, member), {}).update(tables.decorations.get(op.id(0), {}))
        case "OpCapability":
            capability = name_of("Capability", op.id(0))
            tables.capabilities.append(capability)
            if capability in REFUSED:
                sources.fail("M020", f"the capability {capability} is not supported", op)
        case "OpExtInstImport":
            tables.extended[op.result] = op.text(0)
        case "OpEntryPoint":
            model = name_of("ExecutionModel", op.id(0))
            tables.entries.append(EntryPoint(model, op.id(1), op.text(2), tuple(op.ids(3)), op))
        case "OpExecutionMode" | "OpExecutionModeId":
            tables.modes.setdefault(op.id(0), {})[name_of("ExecutionMode", op.id(1))] = op.ids(2)


def _define(tables: Tables, ops: Sequence[Op]) -> None:
    function: Function | None = None
    block: Block | None = None
    sources = tables.sources
    for op in ops:
        if op.result:
            if op.result in tables.defined:
                sources.fail("M005", f"the id {op.result} is defined twice", op)
            tables.defined.add(op.result)
            tables.type_of[op.result] = op.type
        name = op.name
        if name == "OpFunction":
            if function is not None:
                sources.fail("M006", "a function begins inside of a function", op)
            function = tables.functions[op.result] = Function(op.result, op)
        elif function is None:
            if name.startswith("OpType"):
                tables.types.define(op)
            elif name.startswith(("OpConstant", "OpSpecConstant")) or name == "OpUndef":
                tables.constants.define(op)
            elif name == "OpVariable":
                tables.globals[op.result] = op
            elif op.number in _ENDS or name in ("OpLabel", "OpFunctionEnd", "OpLoad", "OpStore"):
                sources.fail("M006", "the instruction stands outside of a function", op)
        elif name == "OpFunctionEnd":
            if block is not None:
                sources.fail("M008", f"the block {block.label} has no end", op)
            function = None
        elif name == "OpFunctionParameter":
            function.parameters.append(op)
        elif name == "OpLabel":
            if block is not None:
                sources.fail("M008", f"the block {block.label} has no end", op)
            block = function.blocks[op.result] = Block(op.result, op.at)
            function.entry = function.entry or op.result
        elif block is None:
            sources.fail("M006", "the instruction stands outside of a block", op)
        elif name == "OpPhi":
            block.phis.append(op)
        elif op.number in _MERGES:
            block.merge = (_MERGES[op.number], op.id(0), op.id(1) if op.number == 246 else 0)
        elif op.number in _ENDS:
            block.end, block = op, None
        else:
            block.body.append(op)
    if function is not None:
        sources.fail("M002", "the module ends inside of a function")
