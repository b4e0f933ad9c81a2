"""Rules of task and mesh programs: their register files, memory and outputs, the properties that they need, sizes of a workgroup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from types import MappingProxyType

from passes.validate.context import Context
from tgsi.language.facts.enums import File, MemoryType, Processor
from tgsi.language.facts.limits import MAX_BLOCK, MAX_MESH_REGISTERS, MAX_TASK_SHARED
from tgsi.language.facts.semantics import MESH_SEMANTICS, PRIMITIVE_SEMANTICS, VERTEX_SEMANTICS
from tgsi.language.facts.stages import LAST_STAGES, STAGES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Declaration, Instruction, RegisterRef
from tgsi.language.mesh import MeshLayout, payload_registers, registers_of

_MEMORY = File.MEMORY  # which is looked up for every declaration
_BLOCK = ("CS_FIXED_BLOCK_WIDTH", "CS_FIXED_BLOCK_HEIGHT", "CS_FIXED_BLOCK_DEPTH")

_NEEDED: Mapping[Processor, tuple[str, ...]] = MappingProxyType(
    {Processor.TASK: _BLOCK, Processor.MESH: (*_BLOCK, "MS_MAX_OUTPUT_VERTICES", "MS_MAX_OUTPUT_PRIMITIVES")}
)
"""Properties that a program of the stage sets to at least 1."""

_ABSENT: Mapping[Processor, frozenset[File]] = MappingProxyType(
    {Processor.TASK: frozenset({File.IN, File.OUT}), Processor.MESH: frozenset({File.IN})}
)
"""Register files that the stage does not have."""

_BROADCAST = "VIEWPORT_MASK"
"""The semantic of mesh programs that the stages before the rasterizer may have, too."""

_SIZES: Mapping[tuple[Processor, MemoryType], str] = MappingProxyType(
    {
        (Processor.TASK, MemoryType.PAYLOAD): "TS_PAYLOAD_BYTES",
        (Processor.TASK, MemoryType.SHARED): "TS_SHARED_BYTES",
        (Processor.MESH, MemoryType.SHARED): "MS_SHARED_BYTES",
    }
)
"""Properties that give the size of a kind of memory."""


def check(context: Context) -> None:
    """Check V063 to V068."""
    is_mesh = STAGES[context.program.processor].is_mesh
    for item in context.declarations:
        if is_mesh or item.per_primitive or item.file is _MEMORY or (item.semantic and item.semantic.name in MESH_SEMANTICS):
            _check_declaration(context, item, is_mesh)
    if is_mesh:
        _check_properties(context)
        _check_memory(context)
    if context.layout is not None:
        _check_outputs(context, context.layout)


def _check_declaration(context: Context, item: Declaration, is_mesh: bool) -> None:
    stage = context.program.processor
    if item.file in _ABSENT.get(stage, ()):
        context.error("V063", f"{stage.name} programs have no {item.file.name} registers", item)
    if item.file is File.MEMORY:
        kind = MemoryType.SHARED if item.memory is None else item.memory
        if is_mesh and kind not in (MemoryType.SHARED, MemoryType.PAYLOAD):
            context.error("V063", f"{stage.name} programs have SHARED and PAYLOAD memory, no {kind.name}", item)
        elif kind is MemoryType.PAYLOAD and not is_mesh:
            context.error("V063", f"PAYLOAD memory belongs to TASK and MESH programs, not to {stage.name}", item)
    is_output = stage is Processor.MESH and item.file is File.OUT
    name = item.semantic.name if item.semantic is not None else ""
    if item.per_primitive and not is_output:
        context.error("V066", "PRIMITIVE belongs to outputs of MESH programs", item)
    elif name in MESH_SEMANTICS and not is_output and not (name == _BROADCAST and stage in LAST_STAGES and item.file is File.OUT):
        context.error("V066", f"{name} is an output of MESH programs", item)
    elif is_output and name in PRIMITIVE_SEMANTICS and not item.per_primitive:
        context.error("V066", f"{name} exists once a primitive", item, hint=f"write `{name}, PRIMITIVE`")
    elif item.per_primitive and name in VERTEX_SEMANTICS:
        context.error("V066", f"{name} exists once a vertex", item, hint="leave out `PRIMITIVE`")


def _check_properties(context: Context) -> None:
    program = context.program
    for name in _NEEDED[program.processor]:
        if not program.property(name):
            context.error("V067", f"a {program.processor.name} program sets {name}", hint=f"add `PROPERTY {name} 1`, or a greater number")
    threads = prod(program.property(name) for name in _BLOCK)
    if threads > MAX_BLOCK:
        context.error("V068", f"a workgroup has {threads} threads, more than {MAX_BLOCK}")
    memory = program.property("TS_PAYLOAD_BYTES") + program.property("TS_SHARED_BYTES")
    if program.processor is Processor.TASK and memory > MAX_TASK_SHARED:
        context.error("V068", f"payload and shared memory have {memory} bytes together, more than {MAX_TASK_SHARED}")
    named = {item.name for item in program.properties}
    for item in program.declared(File.MEMORY):
        wanted = _SIZES.get((program.processor, MemoryType.SHARED if item.memory is None else item.memory))
        if wanted is not None and wanted not in named:
            context.warning("V067", f"the memory has no bytes, since the program does not set {wanted}", item)


def _operands(item: Instruction) -> Iterator[tuple[int, RegisterRef]]:
    registers = (*(operand.register for operand in item.dst), *(operand.register for operand in item.src))
    yield from enumerate(registers)


def _check_memory(context: Context) -> None:
    payload = payload_registers(context.program)
    if not payload:
        return
    for item in context.program.instructions:
        for number, register in _operands(item):
            if register.file is not File.MEMORY:
                continue
            is_written = item.opcode.is_atomic or (item.opcode.stores_to_dst and number < len(item.dst))
            if register.indirect is not None:
                context.error("V065", "an index does not say whether SHARED or PAYLOAD memory is meant", item, number)
            elif register.index in payload and is_written and context.program.processor is Processor.MESH:
                context.error("V064", f"{item.opcode.name} writes the payload, which a MESH program only reads", item, number)


def _check_outputs(context: Context, layout: MeshLayout) -> None:
    program = context.program
    if layout.indices < 0 and any(Trait.OUTPUTS in item.opcode.traits for item in program.instructions):
        hint = "as `DCL OUT[][1], PRIMITIVE_INDICES, PRIMITIVE`"
        context.error("V067", "a MESH program that outputs primitives declares PRIMITIVE_INDICES", hint=hint)
    registers = registers_of(program.declared(File.OUT))
    if len(registers) > MAX_MESH_REGISTERS:
        context.error("V068", f"the outputs have {4 * len(registers)} components, more than {4 * MAX_MESH_REGISTERS}")
    if not (layout.vertex_registers and layout.primitive_registers):
        return
    for item in program.instructions:
        for number, register in _operands(item):
            if register.file is File.OUT and register.indirect is not None and not register.array_id:
                hint = "declare an ARRAY, and name its number after the bracket"
                context.error("V065", "an index does not say whether an output of a vertex or of a primitive is meant", item, number, hint)
