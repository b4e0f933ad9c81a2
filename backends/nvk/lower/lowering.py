"""Lowering of task and mesh programs.

A workgroup of up to 32 threads is one warp. A larger one runs on the 32 lanes of a warp, each lane runs several threads in sequence: the
program becomes a subroutine, which a loop calls; lanes wait for each other after each round. That is refused for programs in which threads
wait for each other.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from backends.nvk.isbe.index_map import IndexMap
from backends.nvk.isbe.regions import WORD_BYTES, Side
from backends.nvk.isbe.task_output import PAYLOAD_START, TaskOutput
from backends.nvk.lower.attributes import mesh_parts
from backends.nvk.lower.code import Code, Item, LoweredMesh, LoweredTask
from backends.nvk.lower.context import WARP, Context, Space
from backends.nvk.lower.driver import CONSTANTS, COUNTERS
from backends.nvk.lower.memory import takes_turns
from backends.nvk.lower.prologue import block_of, clear_output, count_invocations, number_threads, read_group
from backends.nvk.lower.refusals import check
from backends.nvk.lower.translate import translate
from backends.nvk.lower.writer import Writer, all_channels, channel_of, is_call
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, MemoryType, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import STAGES
from tgsi.language.facts.traits import Flow
from tgsi.language.ir import Declaration, Instruction, RegisterRef
from tgsi.language.program import Program

OWN_SEMANTICS = frozenset({"BLOCK_ID", "GRID_SIZE", "BLOCK_SIZE", "THREAD_ID", "INVOCATIONID", "DRAWID"})
"""System values that the lowered program computes itself."""

_DROPPED = (File.OUT, File.MEMORY)


def lower_task(program: Program) -> LoweredTask:
    """Lower a validated task program.

    Raises:
        UnsupportedError: the program uses something that has no lowering (B070), or more than the hardware has (B071).
    """
    _check_stage(program, Processor.TASK)
    output = TaskOutput(program.property("TS_PAYLOAD_BYTES"), program.property("TS_SHARED_BYTES"))
    memory = {
        MemoryType.PAYLOAD: Space(Side.O, PAYLOAD_START, output.payload_bytes),
        MemoryType.SHARED: Space(Side.O, output.shared_start, output.shared_bytes),
    }
    c = _context(program, memory)
    return LoweredTask(_lowered(c, output, 0), output, c.threads)


def lower_mesh(program: Program, task: Program | None = None) -> LoweredMesh:
    """Lower a validated mesh program; `task` is the program that launches it, if one does.

    Raises:
        UnsupportedError: the program uses something that has no lowering (B070), or more than the hardware has (B071).
    """
    _check_stage(program, Processor.MESH)
    parts = mesh_parts(program)
    if task is not None:
        check(task)
    payload = task.property("TS_PAYLOAD_BYTES") if task is not None else 0
    memory = {
        MemoryType.PAYLOAD: Space(Side.I, PAYLOAD_START, payload),
        MemoryType.SHARED: Space(Side.O, parts.output.shared_start, parts.shared_bytes),
    }
    c = replace(_context(program, memory), mesh=parts, behind_task=task is not None)
    index_map = IndexMap(parts.layout.corners, parts.layout.max_primitives)
    return LoweredMesh(
        code=_lowered(c, None, index_map.size),
        threads=c.threads,
        output=parts.output,
        index_map=index_map,
        layout=parts.layout,
        vertex_words=parts.vertex_words,
        primitive_words=parts.primitive_words,
        mask=parts.mask,
        behind_task=task is not None,
    )


def _check_stage(program: Program, wanted: Processor) -> None:
    if program.processor is not wanted:
        raise UnsupportedError.at("B070", f"expected a {wanted.name} program, not a {program.processor.name} program")


def _context(program: Program, memory: dict[MemoryType, Space]) -> Context:
    check(program)
    writer = Writer(program)
    threads = prod(block_of(program))
    lane = channel_of(RegisterRef(File.SV, program.file_size(File.SV)), 0)
    number, is_first = (lane if threads <= WARP else writer.scalar()), writer.scalar()
    system_values = {
        register: writer.register()
        for item in program.declared(File.SV)
        if item.semantic is not None and item.semantic.name in OWN_SEMANTICS
        for register in range(item.first, item.last + 1)
    }
    return Context(
        writer=writer,
        program=program,
        threads=threads,
        lane=lane,
        number=number,
        is_first=is_first,
        memory=memory,
        system_values=system_values,
    )


def _lowered(c: Context, task: TaskOutput | None, map_bytes: int) -> Code:
    w = c.writer
    by_semantic = {
        item.semantic.name: c.system_values[item.first]
        for item in c.program.declared(File.SV)
        if item.semantic is not None and item.first in c.system_values
    }
    with w.scratch():
        read_group(c, by_semantic)
        count_invocations(c)
        clear_output(c, task, map_bytes)
    if c.threads <= WARP:
        _number(c, by_semantic)
        places = translate(c, Flow.END)
    else:
        first = w.scalar()  # thread of lane 0
        w.set(first, w.constant(0))
        with w.loop(first, c.threads, WARP):
            w.op("UADD", first, c.lane, into=c.number)
            _number(c, by_semantic)
            _clear_registers(c)
            if c.threads % WARP:
                w.flow("UIF", w.op("USLT", c.number, w.constant(c.threads)))
            w.flow("CAL", label=-1)
            if c.threads % WARP:
                w.flow("ENDIF")
            w.flow("BARRIER")  # the lanes of a warp go together, so threads keep their order
        w.flow("END")
        body = len(w.items)
        w.flow("BGNSUB")
        places = {-1: body} | translate(c, Flow.ENDSUBROUTINE)
    return Code(
        processor=c.program.processor,
        threads=c.warp,
        properties=tuple(item for item in c.program.properties if not _is_of_stage(item.name)),
        declarations=_declarations(c),
        immediates=tuple(w.immediates),
        items=tuple(_relabelled(item, places) for item in w.items),
        rounds=_rounds(c, task, map_bytes),
        growth=-(-c.threads // WARP) * (1 + c.warp * takes_turns(c.program)),
    )


def _rounds(c: Context, task: TaskOutput | None, map_bytes: int) -> int:
    """Most rounds of the loops that clear the output."""
    size = task.size if task is not None else c.mesh.output.size if c.mesh is not None else 0
    return 1 + max(size, map_bytes) // (WORD_BYTES * c.warp) + (c.mesh.layout.max_primitives if c.mesh is not None else 0)


def _number(c: Context, by_semantic: dict[str, RegisterRef]) -> None:
    w = c.writer
    w.op("USEQ", c.number, w.constant(0), into=c.is_first)
    number_threads(c, by_semantic)


def _clear_registers(c: Context) -> None:
    """Registers are 0 at the start of each thread."""
    zero = c.writer.constant(0)
    for item in (*c.program.declared(File.TEMP), *c.program.declared(File.ADDR)):
        opcode = OPCODES["UARL" if item.file is File.ADDR else "MOV"]
        for register in range(item.first, item.last + 1):
            c.writer.items.append(Instruction(opcode, (all_channels(RegisterRef(item.file, register)),), (zero,)))


def _is_of_stage(name: str) -> bool:
    prefixes = [row.prefix for row in STAGES.values()]
    return PROPERTIES[name].name.startswith(tuple(prefixes))


def _declarations(c: Context) -> tuple[Declaration, ...]:
    declarations = [item for item in c.program.declarations if item.file not in _DROPPED]
    declarations = [item for item in declarations if item.file is not File.SV or item.first not in c.system_values]
    lane = c.lane.register.index
    return (
        *declarations,
        Declaration(File.SV, lane, lane, semantic=Semantic("THREAD_ID")),
        Declaration(File.CONST, 0, 0, dimension=CONSTANTS),
        Declaration(File.BUFFER, COUNTERS, COUNTERS),
        *c.writer.declaration(),
    )


def _relabelled(item: Item, places: dict[int, int]) -> Item:
    if isinstance(item, Instruction) and item.label is not None:
        return replace(item, label=places[item.label] if is_call(item) else None)
    return item
